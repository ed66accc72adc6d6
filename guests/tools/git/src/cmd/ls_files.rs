//! `git ls-files`: files of the index and of the working tree.

use super::Call;
use super::status::{Untracked, unknown};
use crate::args::{Optional, options};
use crate::diff::change::{Found, compare};
use crate::ignore::Ignore;
use crate::index::{Entry, Index};
use crate::object::kind_of_mode;
use crate::out;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::stop::{Result, show};
use crate::wildmatch::{self, Slashes};

options! {
    /// What the command line says.
    struct Options for "ls-files" {
        zero: bool = "z|",
        /// A letter before each path says what it is.
        tags: bool = "t|",
        cached: bool = "c|cached",
        deleted: bool = "d|deleted",
        modified: bool = "m|modified",
        others: bool = "o|others",
        ignored: bool = "i|ignored",
        stage: bool = "s|stage",
        unmerged: bool = "u|unmerged",
        directory: bool = "directory",
        exclude: Vec<Vec<u8>> = "x|exclude=",
        exclude_standard: bool = "exclude-standard",
        full_name: bool = "full-name",
        error_unmatch: bool = "error-unmatch",
        abbrev: Optional = "abbrev?",
        deduplicate: bool = "deduplicate",
        format: Option<String> = "format=",
    }
    ignored "empty-directory X|exclude-from= exclude-per-directory="
    refused "v| f| k|killed eol resolve-undo with-tree= debug sparse recurse-submodules"
}

impl Options {
    /// Whether modes, object names and stages are shown.
    fn is_staged(&self) -> bool {
        self.stage || self.unmerged
    }

    /// Whether entries of the index are shown as such.
    fn is_cached(&self) -> bool {
        self.cached || self.is_staged() || !(self.others || self.deleted || self.modified)
    }
}

/// `git ls-files`.
pub(crate) fn ls_files(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.repo()?;
    let index = repo.index()?;
    let paths = match rest.words.is_empty() {
        true if !repo.prefix.is_empty() => Pathspec::new(&repo, &[b".".to_vec()])?,
        _ => Pathspec::new(&repo, &rest.words)?,
    };
    let listing = Listing {
        repo: &repo,
        options: &options,
        index: &index,
        paths: &paths,
    };
    if options.others {
        listing.others()?;
    }
    if options.is_cached() || options.deleted || options.modified {
        listing.known()?;
    }
    if !options.error_unmatch {
        return Ok(0);
    }
    let unmatched = paths.unmatched(index.entries.values().map(|entry| &entry.path[..]));
    for word in &unmatched {
        out::note(format!(
            "error: pathspec '{}' did not match any file(s) known to git\nDid you forget to 'git add'?",
            show(word)
        ));
    }
    Ok(i32::from(!unmatched.is_empty()))
}

struct Listing<'a> {
    repo: &'a Repo,
    options: &'a Options,
    index: &'a Index,
    paths: &'a Pathspec,
}

impl Listing<'_> {
    /// Prints files that the index does not know.
    fn others(&self) -> Result<()> {
        let options = self.options;
        let mode = match options.directory {
            true => Untracked::Normal,
            false => Untracked::All,
        };
        let (untracked, ignored) = unknown(self.repo, self.index, mode, Some(mode), self.paths)?;
        let mut list = match (options.exclude_standard, options.ignored) {
            (true, true) => ignored,
            (true, false) => untracked,
            // Without rules nothing is ignored.
            (false, _) => [untracked, ignored].concat(),
        };
        list.sort();
        for path in list {
            let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(&path);
            let hits = |pattern: &Vec<u8>| wildmatch::matches(pattern, name, Slashes::Stop, false);
            if !options.exclude.iter().any(hits) {
                self.print('?', "", &path);
            }
        }
        Ok(())
    }

    /// Prints entries of the index, and what became of their files.
    fn known(&self) -> Result<()> {
        let options = self.options;
        let ignore = (options.ignored && options.exclude_standard).then(|| Ignore::new(self.repo));
        let is_wanted = |entry: &&Entry| {
            self.paths.matches(&entry.path)
                && ignore
                    .as_ref()
                    .is_none_or(|ignore| ignore.ignores_deep(&entry.path, false))
                && !(options.unmerged && entry.stage == 0)
        };
        let mut last: &[u8] = b"";
        for entry in self.index.entries.values().filter(is_wanted) {
            if options.deduplicate && last == entry.path {
                continue;
            }
            last = &entry.path;
            if options.is_cached() {
                if let Some(format) = &options.format {
                    self.formatted(entry, format);
                    continue;
                }
                self.cached(entry);
            }
            if options.deleted || options.modified {
                self.changed(entry)?;
            }
        }
        Ok(())
    }

    fn formatted(&self, entry: &Entry, format: &str) {
        let text = format
            .replace("%(objectmode)", &format!("{:06o}", entry.mode))
            .replace("%(objectname)", &entry.oid.hex())
            .replace("%(objecttype)", kind_of_mode(entry.mode).name())
            .replace("%(stage)", &entry.stage.to_string())
            .replace("%(path)", &show(&self.shown(&entry.path)));
        out::put(text.as_bytes());
        out::put(self.end());
    }

    fn cached(&self, entry: &Entry) {
        let letter = match entry.stage {
            1.. => 'M',
            0 if entry.skip_worktree => 'S',
            0 => 'H',
        };
        let head = match self.options.is_staged() {
            true => {
                let hex = super::abbreviated(self.repo, &entry.oid, &self.options.abbrev);
                format!("{:06o} {hex} {}\t", entry.mode, entry.stage)
            }
            false => String::new(),
        };
        self.print(letter, &head, &entry.path);
    }

    /// Prints an entry whose file is gone or has changed.
    fn changed(&self, entry: &Entry) -> Result<()> {
        let found = match entry.stage {
            0 => compare(self.repo, entry)?.0,
            _ => Found::Changed(0),
        };
        if self.options.deleted && found == Found::Gone {
            self.print('R', "", &entry.path);
        }
        if self.options.modified && found != Found::Same {
            self.print('C', "", &entry.path);
        }
        Ok(())
    }

    fn print(&self, letter: char, head: &str, path: &[u8]) {
        if self.options.tags {
            out::put(format!("{letter} ").as_bytes());
        }
        out::put(head.as_bytes());
        out::put(&self.shown(path));
        out::put(self.end());
    }

    fn shown(&self, path: &[u8]) -> Vec<u8> {
        let path = match self.options.full_name {
            true => path.to_vec(),
            false => self.repo.relative(path),
        };
        match self.options.zero {
            true => path,
            false => self.repo.quote(&path),
        }
    }

    fn end(&self) -> &'static [u8] {
        if self.options.zero { b"\0" } else { b"\n" }
    }
}
