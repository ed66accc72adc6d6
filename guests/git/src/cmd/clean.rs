//! `git clean` and `git check-ignore`.

use super::Call;
use super::status::{Untracked, unknown};
use crate::args;
use crate::ignore::Ignore;
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::stop::{Result, fatal, show};
use crate::wildmatch::{self, Slashes};

/// `git clean`.
pub(crate) fn clean(call: &Call) -> Result<i32> {
    let parsed = args::parse(
        "clean",
        "q|quiet n|dry-run f|force i|interactive d| e|exclude= x| X|",
        &call.words,
    )?;
    parsed.refuse(&["interactive"])?;
    let repo = call.work_tree()?;
    let dry = parsed.has("dry-run");
    if !dry && !parsed.has("force") && repo.config.truth("clean.requireforce") != Some(false) {
        return fatal("clean.requireForce is true and -f not given: refusing to clean");
    }
    if parsed.has("x") && parsed.has("X") {
        return fatal("options '-x' and '-X' cannot be used together");
    }
    let paths = Pathspec::new(&repo, &parsed.words)?;
    let index = repo.index()?;
    let with_ignored = (parsed.has("x") || parsed.has("X")).then_some(Untracked::Normal);
    let (mut list, ignored) = unknown(&repo, &index, Untracked::Normal, with_ignored, &paths)?;
    if parsed.has("X") {
        list = ignored;
    } else {
        list.extend(ignored);
    }
    if parsed.has("d") {
        // Directories without anything in them count as unknown too.
        empty_directories(b"", &index, &mut list, 0);
    }
    list.sort();
    list.dedup();
    let mut status = 0;
    for path in list {
        if !paths.matches(path.strip_suffix(b"/").unwrap_or(&path)) {
            continue;
        }
        let is_directory = path.ends_with(b"/");
        if is_directory && !parsed.has("d") && parsed.words.is_empty() {
            continue;
        }
        let name = path
            .rsplit(|byte| *byte == b'/')
            .find(|part| !part.is_empty())
            .unwrap_or(&path);
        if parsed
            .values("exclude")
            .iter()
            .any(|pattern| wildmatch::matches(pattern, name, Slashes::Stop, false))
        {
            continue;
        }
        let shown = show(&repo.quote(&repo.relative(&path)));
        if is_directory && os::exists(&[&path[..], b".git"].concat()) {
            if dry {
                out::line(format!("Would skip repository {shown}"));
            } else if !parsed.has("quiet") {
                out::line(format!("Skipping repository {shown}"));
            }
            continue;
        }
        if dry {
            out::line(format!("Would remove {shown}"));
            continue;
        }
        let removed = if is_directory {
            os::remove_tree(&path)
        } else {
            os::remove(&path)
        };
        match removed {
            Ok(()) if parsed.has("quiet") => {}
            Ok(()) => out::line(format!("Removing {shown}")),
            Err(found) => {
                out::warn(format!(
                    "failed to remove {shown}: {}",
                    crate::stop::why(&found)
                ));
                status = 1;
            }
        }
    }
    Ok(status)
}

fn empty_directories(
    prefix: &[u8],
    index: &crate::index::Index,
    list: &mut Vec<Vec<u8>>,
    depth: usize,
) {
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

/// `git check-ignore`.
pub(crate) fn check_ignore(call: &Call) -> Result<i32> {
    let parsed = args::parse(
        "check-ignore",
        "q|quiet v|verbose stdin z| n|non-matching no-index",
        &call.words,
    )?;
    let repo = call.work_tree()?;
    let mut words = parsed.words.clone();
    if parsed.has("stdin") {
        let text = os::read_stdin()?;
        let end = if parsed.has("z") { 0 } else { b'\n' };
        words.extend(
            text.split(|byte| *byte == end)
                .filter(|line| !line.is_empty())
                .map(<[u8]>::to_vec),
        );
    }
    if words.is_empty() && !parsed.has("stdin") {
        return fatal("no path specified");
    }
    let ignore = Ignore::new(&repo);
    let index = repo.index()?;
    let mut any = false;
    for word in words {
        let Some(path) = repo.path_of_user(&word) else {
            return fatal(format!(
                "{}: '{}' is outside repository",
                show(&word),
                show(&word)
            ));
        };
        let is_directory = word.ends_with(b"/") || os::is_dir(&path);
        let tracked = !parsed.has("no-index") && index.has(&path);
        let rule = if tracked {
            None
        } else {
            ignore.deciding(&path, is_directory)
        };
        let hit = rule
            .as_ref()
            .is_some_and(|rule| parsed.has("verbose") || !rule.is_negated());
        any |=
            rule.as_ref().is_some_and(|rule| !rule.is_negated()) || (parsed.has("verbose") && hit);
        if parsed.has("quiet") {
            continue;
        }
        match rule.filter(|_| hit) {
            Some(rule) if parsed.has("verbose") => {
                let head = [
                    &rule.source[..],
                    format!(":{}:", rule.line).as_bytes(),
                    &rule.text,
                    b"\t",
                ]
                .concat();
                out::line([&head[..], &repo.quote(&word)].concat());
            }
            Some(_) => out::line(repo.quote(&word)),
            None if parsed.has("verbose") && parsed.has("non-matching") => {
                out::line([b"::\t", &word[..]].concat())
            }
            None => {}
        }
    }
    Ok(i32::from(!any))
}
