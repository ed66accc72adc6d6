//! Absolute paths without `.`, `..` and symbolic links.

use std::collections::VecDeque;

use crate::mode::{is_directory, is_link};
use crate::paths::{is_dots, join};
use crate::system::{self, Errno, Links, Result};

/// Symbolic links in one path, as many as the kernel follows.
const MOST_LINKS: u32 = 40;

/// Which parts of a path have to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existing {
    /// All.
    All,
    /// All but the last.
    AllButLast,
    /// None.
    Any,
}

/// A part of a path.
struct Part {
    name: Vec<u8>,
    /// Whether a slash stands behind it.
    is_directory: bool,
}

/// The absolute path of a file. With [`Links::Keep`] symbolic links stay.
///
/// Fails with [`Errno::NoEnt`] and [`Errno::NotDir`] where a part is missing that has to be there,
/// and with [`Errno::Loop`].
pub(crate) fn resolve(path: &[u8], existing: Existing, links: Links) -> Result<Vec<u8>> {
    if path.is_empty() {
        return Err(Errno::NoEnt);
    }
    let mut result = if path.starts_with(b"/") {
        b"/".to_vec()
    } else {
        working_directory()?
    };
    let mut rest = VecDeque::from(parts(path));
    let mut followed = 0;
    while let Some(part) = rest.pop_front() {
        match &part.name[..] {
            b"." => continue,
            b".." => {
                result = parent(&result);
                continue;
            }
            _ => {}
        }
        let candidate = join(&result, &part.name);
        let text = if links == Links::Follow {
            link_text(&candidate)
        } else {
            None
        };
        match text {
            Some(text) if followed < MOST_LINKS => {
                followed += 1;
                if text.starts_with(b"/") {
                    result = b"/".to_vec();
                }
                let mut inner = parts(&text);
                if let Some(last) = inner.last_mut() {
                    last.is_directory |= part.is_directory;
                }
                for part in inner.into_iter().rev() {
                    rest.push_front(part);
                }
            }
            Some(_) if existing != Existing::Any => return Err(Errno::Loop),
            _ => {
                let next = rest.front().map(|next| &next.name[..]);
                check(&candidate, &part, next, existing, links)?;
                result = candidate;
            }
        }
    }
    Ok(result)
}

/// Fails where a part of a path is not what it has to be. `next` is the name behind it.
fn check(
    path: &[u8],
    part: &Part,
    next: Option<&[u8]>,
    existing: Existing,
    links: Links,
) -> Result<()> {
    // Where links stay, a missing directory shows at the last part.
    let is_left = links == Links::Keep && next.is_some_and(|next| !is_dots(next));
    if existing == Existing::Any || is_left {
        return Ok(());
    }
    match system::stat(path, Links::Follow) {
        Ok(stat) if part.is_directory && !is_directory(stat.mode) => Err(Errno::NotDir),
        Ok(_) => Ok(()),
        Err(Errno::NoEnt) if existing == Existing::AllButLast && next.is_none() => Ok(()),
        Err(errno) => Err(errno),
    }
}

/// The text of a symbolic link; none where there is none.
fn link_text(path: &[u8]) -> Option<Vec<u8>> {
    let stat = system::stat(path, Links::Keep).ok()?;
    if !is_link(stat.mode) {
        return None;
    }
    system::read_link(path).ok()
}

fn parts(path: &[u8]) -> Vec<Part> {
    let mut parts: Vec<Part> = path
        .split(|byte| *byte == b'/')
        .filter(|name| !name.is_empty())
        .map(|name| Part {
            name: name.to_vec(),
            is_directory: true,
        })
        .collect();
    if let Some(last) = parts.last_mut() {
        last.is_directory = path.ends_with(b"/");
    }
    parts
}

/// A path that ends in no slash without its last part.
fn parent(path: &[u8]) -> Vec<u8> {
    let end = path.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
    path[..end.max(1)].to_vec()
}

fn working_directory() -> Result<Vec<u8>> {
    match std::env::current_dir() {
        Ok(path) => Ok(path.into_os_string().into_encoded_bytes()),
        Err(error) => Err(system::errno(&error)),
    }
}

/// Whether one absolute path is a directory above the other, or the same.
pub(crate) fn is_below(path: &[u8], directory: &[u8]) -> bool {
    directory == b"/"
        || path
            .strip_prefix(directory)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

/// The way from a directory to a path, both absolute.
pub(crate) fn relative(path: &[u8], directory: &[u8]) -> Vec<u8> {
    let names =
        |path: &[u8]| -> Vec<Vec<u8>> { parts(path).into_iter().map(|part| part.name).collect() };
    let (path, directory) = (names(path), names(directory));
    let same = path
        .iter()
        .zip(&directory)
        .take_while(|(one, other)| one == other)
        .count();
    let mut way = vec![b"..".to_vec(); directory.len() - same];
    way.extend_from_slice(&path[same..]);
    if way.is_empty() {
        return b".".to_vec();
    }
    way.join(&b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_goes_up_and_down() {
        assert_eq!(relative(b"/a/b", b"/a/c/d"), b"../../b");
        assert_eq!(relative(b"/a", b"/a"), b".");
        assert_eq!(relative(b"/", b"/a"), b"..");
        assert_eq!(relative(b"/a", b"/"), b"a");
    }

    #[test]
    fn what_is_below_has_whole_parts_in_common() {
        assert!(is_below(b"/a/b", b"/a"));
        assert!(is_below(b"/a", b"/a"));
        assert!(is_below(b"/a", b"/"));
        assert!(!is_below(b"/ab", b"/a"));
    }
}
