//! `git clean`.

use super::Call;
use super::status::{Untracked, unknown};
use crate::args::options;
use crate::index::Index;
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::stop::{Result, fatal, show, why};
use crate::wildmatch::{self, Slashes};

options! {
    /// What the command line says.
    struct Options for "clean" {
        quiet: bool = "q|quiet",
        dry: bool = "n|dry-run",
        force: bool = "f|force",
        directories: bool = "d|",
        exclude: Vec<Vec<u8>> = "e|exclude=",
        with_ignored: bool = "x|",
        only_ignored: bool = "X|",
    }
    refused "i|interactive"
}

/// `git clean`.
pub(crate) fn clean(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.work_tree()?;
    if !options.dry && !options.force && repo.config.truth("clean.requireforce") != Some(false) {
        return fatal("clean.requireForce is true and -f not given: refusing to clean");
    }
    if options.with_ignored && options.only_ignored {
        return fatal("options '-x' and '-X' cannot be used together");
    }
    let paths = Pathspec::new(&repo, &rest.words)?;
    let mut complete = true;
    for path in plan(&repo, &paths, rest.words.is_empty(), &options)? {
        complete &= remove(&repo, &path, &options);
    }
    Ok(i32::from(!complete))
}

/// What is to go; directories end with a slash. They stay, where no path is named, without `-d`.
fn plan(repo: &Repo, paths: &Pathspec, is_all: bool, options: &Options) -> Result<Vec<Vec<u8>>> {
    let index = repo.index()?;
    let ignored = options.with_ignored || options.only_ignored;
    let ignored = ignored.then_some(Untracked::Normal);
    let (mut list, ignored) = unknown(repo, &index, Untracked::Normal, ignored, paths)?;
    if options.only_ignored {
        list = ignored;
    } else {
        list.extend(ignored);
    }
    if options.directories {
        // Directories without anything in them count as unknown too.
        empty_directories(b"", &index, &mut list, 0);
    }
    list.sort();
    list.dedup();
    list.retain(|path| {
        paths.matches(path.strip_suffix(b"/").unwrap_or(path))
            && !(path.ends_with(b"/") && !options.directories && is_all)
            && !options.excludes(path)
    });
    Ok(list)
}

impl Options {
    fn excludes(&self, path: &[u8]) -> bool {
        let name = path
            .rsplit(|byte| *byte == b'/')
            .find(|part| !part.is_empty())
            .unwrap_or(path);
        let matches = |pattern: &Vec<u8>| wildmatch::matches(pattern, name, Slashes::Stop, false);
        self.exclude.iter().any(matches)
    }
}

/// Removes a file or a directory and says so; whether it could be removed.
fn remove(repo: &Repo, path: &[u8], options: &Options) -> bool {
    let shown = show(&repo.quote(&repo.relative(path)));
    let is_directory = path.ends_with(b"/");
    if is_directory && os::exists(&[path, b".git"].concat()) {
        if options.dry {
            out::line(format!("Would skip repository {shown}"));
        } else if !options.quiet {
            out::line(format!("Skipping repository {shown}"));
        }
        return true;
    }
    if options.dry {
        out::line(format!("Would remove {shown}"));
        return true;
    }
    let removed = match is_directory {
        true => os::remove_tree(path),
        false => os::remove(path),
    };
    match removed {
        Ok(()) if options.quiet => true,
        Ok(()) => {
            out::line(format!("Removing {shown}"));
            true
        }
        Err(found) => {
            out::warn(format!("failed to remove {shown}: {}", why(&found)));
            false
        }
    }
}

fn empty_directories(prefix: &[u8], index: &Index, list: &mut Vec<Vec<u8>>, depth: usize) {
    if depth > 200 {
        return;
    }
    for (name, kind) in os::list(prefix).unwrap_or_default() {
        if kind != os::Kind::Directory || name == b".git" {
            continue;
        }
        let path = [prefix, &name, b"/"].concat();
        if list.contains(&path) {
            continue;
        }
        let bare = &path[..path.len() - 1];
        if !index.has_below(bare) && os::list(&path).is_ok_and(|names| names.is_empty()) {
            list.push(path);
        } else {
            empty_directories(&path, index, list, depth + 1);
        }
    }
}
