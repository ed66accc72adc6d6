//! `git apply`: patches onto the working tree, the index, or both.

mod patch;
mod plan;
mod report;

use super::Call;
use crate::args::options;
use crate::index::{Entry, Index};
use crate::oid::Kind;
use crate::os;
use crate::out;
use crate::repo::Repo;
use crate::stop::{Result, Stop, show, why};
use crate::worktree;
use patch::FilePatch;
use plan::{File, Planner};

pub(crate) use patch::parse;

options! {
    /// What the command line says.
    struct Options for "apply" {
        level: Option<String> = "p|=",
        stat: bool = "stat",
        numstat: bool = "numstat",
        summary: bool = "summary",
        check: bool = "check",
        index: bool = "index",
        cached: bool = "cached",
        apply: bool = "apply",
        whitespace: Option<Vec<u8>> = "whitespace=",
        ignore_space_change: bool = "ignore-space-change",
        ignore_whitespace: bool = "ignore-whitespace",
        reverse: bool = "R|reverse",
        verbose: bool = "v|verbose",
        quiet: bool = "q|quiet",
        directory: Option<Vec<u8>> = "directory=",
        allow_empty: bool = "allow-empty",
    }
    ignored "ours theirs union z| C|= unidiff-zero allow-overlap inaccurate-eof \
        allow-binary-replacement binary"
    refused "3|3way reject exclude= include= recount unsafe-paths build-fake-ancestor= \
        N|intent-to-add no-add"
}

/// What patches are applied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Files,
    Index,
    Both,
}

impl Target {
    fn of(cached: bool, with_index: bool) -> Target {
        match (cached, with_index) {
            (true, _) => Target::Index,
            (false, true) => Target::Both,
            (false, false) => Target::Files,
        }
    }
}

/// How patches are applied.
struct How {
    target: Target,
    only_checks: bool,
    ignore_space: bool,
}

impl Options {
    /// Whether patches are tried, and not only told of.
    fn tries(&self) -> bool {
        self.check || self.apply || !(self.stat || self.numstat || self.summary)
    }

    fn how(&self) -> How {
        How {
            target: Target::of(self.cached, self.index),
            only_checks: self.check && !self.apply,
            ignore_space: self.ignore_space_change || self.ignore_whitespace,
        }
    }
}

/// `git apply`.
pub(crate) fn apply(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let started = os::cwd()?;
    let repo = call.repo()?;
    let text = read(&rest.words, &started)?;
    if text.trim_ascii().is_empty() && options.allow_empty {
        return Ok(0);
    }
    let files = patches(&repo, &text, &options)?;
    if options.tries() {
        let how = options.how();
        how.run(&repo, &files)?;
        let warns = !matches!(options.whitespace.as_deref(), Some(b"nowarn" | b"fix"));
        if warns && !how.only_checks && !options.quiet {
            let input = rest.words.first();
            let input = input.map_or("<stdin>".to_owned(), |word| show(word));
            report::whitespace(&files, &input);
        }
        if options.verbose {
            for file in &files {
                out::note(format!("Applied patch {} cleanly.", file.shown()));
            }
        }
    }
    if options.numstat {
        report::numstat(&files);
    }
    if options.stat {
        report::stat(&files);
    }
    if options.summary {
        report::summary(&repo, &files);
    }
    Ok(0)
}

/// The text of all files that were named, or of standard input.
fn read(words: &[Vec<u8>], started: &[u8]) -> Result<Vec<u8>> {
    let standard = [b"-".to_vec()];
    let inputs = if words.is_empty() { &standard } else { words };
    let mut text = Vec::new();
    for input in inputs {
        let read = match &input[..] {
            b"-" => os::read_stdin(),
            path if path.first() == Some(&b'/') => os::read(path),
            path => os::read(&[started, b"/", path].concat()),
        };
        match read {
            Ok(content) => text.extend(content),
            Err(found) => {
                let (input, why) = (show(input), why(&found));
                let text = format!("can't open patch '{input}': {why}");
                return Err(Stop::ErrorStatus(text.into_bytes(), 128));
            }
        }
    }
    Ok(text)
}

/// Reads the patches of a text; their paths begin at the root of the working tree.
fn patches(repo: &Repo, text: &[u8], options: &Options) -> Result<Vec<FilePatch>> {
    let level = options.level.as_ref().and_then(|level| level.parse().ok());
    let mut files = parse(text, level.unwrap_or(1))?;
    if options.reverse {
        files = files.into_iter().rev().map(FilePatch::reversed).collect();
    }
    let prefix = match &options.directory {
        Some(directory) if directory.ends_with(b"/") => directory.clone(),
        Some(directory) => [&directory[..], b"/"].concat(),
        None => repo.prefix.clone(),
    };
    for file in &mut files {
        for path in file.old.iter_mut().chain(file.new.iter_mut()) {
            *path = [&prefix[..], path].concat();
        }
    }
    Ok(files)
}

/// Applies patches to the working tree, to the index (`cached`) or to both (`with_index`).
pub(crate) fn run(
    repo: &Repo,
    files: &[FilePatch],
    cached: bool,
    with_index: bool,
    only_checks: bool,
    ignore_space: bool,
) -> Result<()> {
    let how = How {
        target: Target::of(cached, with_index),
        only_checks,
        ignore_space,
    };
    how.run(repo, files)
}

impl How {
    fn run(&self, repo: &Repo, files: &[FilePatch]) -> Result<()> {
        let mut index = repo.index()?;
        let planner = Planner {
            repo,
            index: &index,
            target: self.target,
            ignore_space: self.ignore_space,
        };
        let outcomes = planner.plan(files)?;
        if self.only_checks {
            return Ok(());
        }
        for (path, file) in outcomes {
            if self.target != Target::Index {
                match &file {
                    Some(file) => worktree::write_content(repo, &path, file.mode, &file.content)?,
                    None => worktree::remove_file(repo, &path),
                }
            }
            if self.target != Target::Files {
                self.write_entry(repo, &mut index, path, file)?;
            }
        }
        if self.target != Target::Files {
            repo.write_index(&index)?;
        }
        Ok(())
    }

    fn write_entry(
        &self,
        repo: &Repo,
        index: &mut Index,
        path: Vec<u8>,
        file: Option<File>,
    ) -> Result<()> {
        let Some(file) = file else {
            index.remove(&path);
            return Ok(());
        };
        let oid = repo.objects.write(Kind::Blob, &file.content)?;
        let mut entry = Entry::new(path, file.mode, oid, 0);
        if self.target == Target::Both {
            entry.stat = os::lstat(&entry.path)?;
        }
        index.put(entry);
        Ok(())
    }
}
