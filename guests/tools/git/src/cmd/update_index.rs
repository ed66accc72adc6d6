//! `git update-index`: entries of the index, one by one.
//!
//! Options hold for the words after them, so the command line is done from left to right.

use super::Call;
use crate::args;
use crate::diff::change;
use crate::index::{Entry, Index};
use crate::oid::Oid;
use crate::os;
use crate::out;
use crate::repo::Repo;
use crate::stop::{Result, Stop, fatal, show};
use crate::worktree;

/// What the options so far say.
#[derive(Default)]
struct Options {
    add: bool,
    remove: bool,
    force_remove: bool,
    assume_unchanged: Option<bool>,
    skip_worktree: Option<bool>,
    /// The mode that files get.
    chmod: Option<u32>,
}

impl Options {
    /// Takes an option without a value; whether it is one.
    fn take(&mut self, word: &str) -> bool {
        match word {
            "--add" => self.add = true,
            "--remove" => self.remove = true,
            "--force-remove" => self.force_remove = true,
            "--assume-unchanged" => self.assume_unchanged = Some(true),
            "--no-assume-unchanged" => self.assume_unchanged = Some(false),
            "--skip-worktree" => self.skip_worktree = Some(true),
            "--no-skip-worktree" => self.skip_worktree = Some(false),
            "--chmod=+x" => self.chmod = Some(0o100_755),
            "--chmod=-x" => self.chmod = Some(0o100_644),
            _ => return false,
        }
        true
    }
}

/// `git update-index`.
pub(crate) fn update_index(call: &Call) -> Result<i32> {
    let repo = call.work_tree()?;
    let mut index = repo.index()?;
    let mut options = Options::default();
    let mut words = call.words.iter();
    while let Some(word) = words.next() {
        let text = show(word);
        if options.take(&text) {
            continue;
        }
        match text.as_str() {
            "-q" | "--refresh" | "--really-refresh" | "--again" | "--" => {
                change::refresh(&repo, &mut index)?;
            }
            "--cacheinfo" => {
                let entry = cache_info(&mut words)?;
                put_entry(&mut index, entry, &options)?;
            }
            "--index-info" | "--stdin" => {
                return fatal(format!(
                    "codepod's git update-index does not support {text}"
                ));
            }
            _ if text.starts_with('-') => {
                return Err(args::usage(
                    "update-index",
                    format!("unknown option `{}'", text.trim_start_matches('-')),
                ));
            }
            _ => update(&repo, &mut index, word, &options)?,
        }
    }
    repo.write_index(&index)?;
    Ok(0)
}

/// The entry after `--cacheinfo`: `MODE,NAME,PATH`, or the three as words.
fn cache_info<'w>(words: &mut impl Iterator<Item = &'w Vec<u8>>) -> Result<Entry> {
    let mut next = || words.next().cloned().unwrap_or_default();
    let first = next();
    let parts: Vec<Vec<u8>> = match first.contains(&b',') {
        true => first
            .splitn(3, |byte| *byte == b',')
            .map(<[u8]>::to_vec)
            .collect(),
        false => vec![first, next(), next()],
    };
    if let [mode, hex, path] = &parts[..]
        && let (Ok(mode), Some(oid)) = (u32::from_str_radix(&show(mode), 8), Oid::parse(hex))
    {
        return Ok(Entry::new(path.clone(), mode, oid, 0));
    }
    Err(Stop::ErrorStatus(
        b"option 'cacheinfo' expects <mode>,<sha1>,<path>".to_vec(),
        129,
    ))
}

/// Puts an entry that the command line gives into the index.
fn put_entry(index: &mut Index, entry: Entry, options: &Options) -> Result<()> {
    let path = show(&entry.path);
    let is_refused = !index.has(&entry.path) && !options.add;
    if is_refused {
        out::note(format!(
            "error: {path}: cannot add to the index - missing --add option?"
        ));
    }
    if is_refused || !worktree::is_safe_path(&entry.path) {
        return fatal(format!("git update-index: --cacheinfo cannot add {path}"));
    }
    index.put(entry);
    Ok(())
}

/// Brings the entry of a file up to date.
fn update(repo: &Repo, index: &mut Index, word: &[u8], options: &Options) -> Result<()> {
    let text = show(word);
    let unable = || fatal(format!("Unable to process path {text}"));
    let Some(path) = repo.path_of_user(word) else {
        return unable();
    };
    let marks = options.assume_unchanged.is_some() || options.skip_worktree.is_some();
    if let Some(entry) = index.entries.get_mut(&(path.clone(), 0))
        && (marks || options.chmod.is_some())
    {
        entry.assume_valid = options.assume_unchanged.unwrap_or(entry.assume_valid);
        entry.skip_worktree = options.skip_worktree.unwrap_or(entry.skip_worktree);
        entry.mode = options.chmod.unwrap_or(entry.mode);
        return Ok(());
    }
    if marks {
        return fatal(format!("Unable to mark file {text}"));
    }
    if options.force_remove || (options.remove && !os::exists(&path)) {
        index.remove(&path);
        return Ok(());
    }
    if !os::exists(&path) {
        out::note(format!(
            "error: {text}: does not exist and --remove not passed"
        ));
        return unable();
    }
    if !index.has(&path) && !options.add {
        out::note(format!(
            "error: {text}: cannot add to the index - missing --add option?"
        ));
        return unable();
    }
    index.put(worktree::take_file(repo, &path)?);
    Ok(())
}
