//! Which file a patch is for, and whether patch may touch it.

use codepod_tool::{Style, path};

use super::read::FilePatch;
use super::{Asked, Say};

/// How many links a path may lead through.
const MOST_LINKS: usize = 40;

/// A name as messages have it: in quotes where a shell would need them.
pub(crate) fn shown(name: &[u8]) -> Vec<u8> {
    Style::Shell.quote(name)
}

/// Where a patch reads and writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Files {
    pub(crate) input: Vec<u8>,
    pub(crate) output: Vec<u8>,
    pub(crate) moves: Moves,
}

/// Whether the output is another file than the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moves {
    /// It is the same.
    Not,
    Copied,
    Renamed,
    /// It should be, and is already: the input has the new name.
    AlreadyCopied,
    AlreadyRenamed,
}

/// The files of a patch; none where they cannot be told.
pub(crate) fn choose(asked: &Asked, patch: &FilePatch, say: &mut Say) -> Option<Files> {
    let same = |name: Vec<u8>| Files {
        output: name.clone(),
        input: name,
        moves: Moves::Not,
    };
    if let Some(name) = &asked.file {
        return Some(same(name.clone()));
    }
    let (from, to) = if asked.reverse { (1, 0) } else { (0, 1) };
    if let Some(git) = &patch.git
        && let (Some(old), Some(new)) = (&git.moved[from], &git.moved[to])
    {
        // These names have no `a/` or `b/` before them.
        let strip = asked.strip.map(|count| count.saturating_sub(1));
        let old = valid(stripped(old, strip)?, say)?;
        let new = valid(stripped(new, strip)?, say)?;
        if !exists(&old) && exists(&new) {
            return Some(Files {
                input: new.clone(),
                output: new,
                moves: if git.copies {
                    Moves::AlreadyCopied
                } else {
                    Moves::AlreadyRenamed
                },
            });
        }
        return Some(Files {
            input: old,
            output: new,
            moves: if git.copies {
                Moves::Copied
            } else {
                Moves::Renamed
            },
        });
    }
    let makes = patch.missing[from] > 0 || patch.missing[to] == 2;
    best(asked, patch, makes, say).map(same)
}

/// The name of the old file of a patch that was moved: it is shown beside the new one.
pub(crate) fn moved_from(asked: &Asked, patch: &FilePatch) -> Vec<u8> {
    let side = usize::from(asked.reverse);
    let strip = asked.strip.map(|count| count.saturating_sub(1));
    let name = patch.git.as_ref().and_then(|git| git.moved[side].as_ref());
    name.and_then(|name| stripped(name, strip))
        .unwrap_or_default()
}

fn best(asked: &Asked, patch: &FilePatch, makes: bool, say: &mut Say) -> Option<Vec<u8>> {
    let mut names = candidates(asked, patch);
    let mut seen = Vec::new();
    names.retain(|name| {
        !seen.contains(name) && {
            seen.push(name.clone());
            true
        }
    });
    let parts = |name: &[u8]| {
        name.split(|byte| *byte == b'/')
            .filter(|part| !part.is_empty())
            .count()
    };
    let base = |name: &[u8]| {
        name.rsplit(|byte| *byte == b'/')
            .next()
            .map_or(0, <[u8]>::len)
    };
    names.sort_by_key(|name| (parts(name), base(name), name.len()));
    let existing: Vec<Vec<u8>> = names.iter().filter(|name| exists(name)).cloned().collect();
    for name in existing {
        if let Some(name) = valid(name, say) {
            return Some(name);
        }
        names.clear();
    }
    if !makes {
        return None;
    }
    names.into_iter().find_map(|name| valid(name, say))
}

/// The names that a patch speaks of.
pub(crate) fn candidates(asked: &Asked, patch: &FilePatch) -> Vec<Vec<u8>> {
    [&patch.names[0], &patch.names[1], &patch.index]
        .into_iter()
        .flatten()
        .filter_map(|name| stripped(name, asked.strip))
        .collect()
}

fn exists(name: &[u8]) -> bool {
    std::fs::symlink_metadata(path(name)).is_ok()
}

/// The name, unless it leads out of the directory.
fn valid(name: Vec<u8>, say: &mut Say) -> Option<Vec<u8>> {
    let above = name.split(|byte| *byte == b'/').any(|part| part == b"..");
    let in_root = || std::env::current_dir().is_ok_and(|directory| directory.as_os_str() == "/");
    if above || (name.starts_with(b"/") && !in_root()) {
        say.line(
            &[
                b"Ignoring potentially dangerous file name ",
                &shown(&name)[..],
            ]
            .concat(),
        );
        return None;
    }
    Some(name)
}

/// A name without so many of its first parts; without a number only its last part.
fn stripped(name: &[u8], strip: Option<usize>) -> Option<Vec<u8>> {
    let rest = match strip {
        None => name.rsplit(|byte| *byte == b'/').next().unwrap_or(name),
        Some(count) => {
            let mut rest = name;
            for _ in 0..count {
                let at = rest.iter().position(|byte| *byte == b'/')?;
                rest = &rest[at..];
                while rest.first() == Some(&b'/') {
                    rest = &rest[1..];
                }
            }
            rest
        }
    };
    (!rest.is_empty()).then(|| rest.to_vec())
}

/// Whether the directories of a name stay below the working directory, links followed.
pub(crate) fn stays_inside(name: &[u8]) -> bool {
    let Ok(here) = std::env::current_dir() else {
        return true;
    };
    let here = here.as_os_str().as_encoded_bytes().to_vec();
    let Some(end) = name.iter().rposition(|byte| *byte == b'/') else {
        return true;
    };
    if here == b"/" || name.starts_with(b"/") {
        return true;
    }
    let mut open: Vec<Vec<u8>> = parts(&name[..end]);
    open.reverse();
    let mut at: Vec<Vec<u8>> = Vec::new();
    let mut links = 0;
    while let Some(part) = open.pop() {
        match &part[..] {
            b"." => continue,
            b".." => {
                if at.pop().is_none() {
                    return false;
                }
                continue;
            }
            _ => at.push(part),
        }
        let Ok(target) = std::fs::read_link(path(&at.join(&b'/'))) else {
            continue;
        };
        links += 1;
        if links > MOST_LINKS {
            return false;
        }
        at.pop();
        let target = target.as_os_str().as_encoded_bytes();
        let target = match target.strip_prefix(b"/") {
            None => target.to_vec(),
            // An absolute target may lead back here.
            Some(_) => match target.strip_prefix(&here[..]) {
                Some(rest) if rest.is_empty() || rest.starts_with(b"/") => {
                    at.clear();
                    rest.to_vec()
                }
                _ => return false,
            },
        };
        open.extend(parts(&target).into_iter().rev());
    }
    true
}

fn parts(name: &[u8]) -> Vec<Vec<u8>> {
    name.split(|byte| *byte == b'/')
        .filter(|part| !part.is_empty())
        .map(<[u8]>::to_vec)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_stripped() {
        assert_eq!(stripped(b"a/b/c", Some(1)), Some(b"b/c".to_vec()));
        assert_eq!(stripped(b"a//b/c", Some(1)), Some(b"b/c".to_vec()));
        assert_eq!(stripped(b"a/b/c", None), Some(b"c".to_vec()));
        assert_eq!(stripped(b"a", Some(1)), None);
    }

    #[test]
    fn names_are_quoted_as_in_a_shell() {
        assert_eq!(shown(b"a b"), b"'a b'");
        assert_eq!(shown(b"a"), b"a");
        assert_eq!(shown(b"a\nb"), b"'a\nb'");
    }
}
