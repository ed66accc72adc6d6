//! Exact replacements in a text file: all of them, or none.

use std::time::Duration;

use codepod_abi::Errno;
use codepod_vfs::{Caller, FileKind, NodeRef, OpenOptions, Vfs};
use similar::TextDiff;

use crate::edit_failure::{EditFailure, LARGEST_EDITED, MOST_EDITS};
use crate::error::{Error, ErrorKind};
use crate::files::write_node;
use crate::sandbox::Sandbox;

/// Lines that a message names.
const NAMED_LINES: usize = 5;
/// After so long a comparison is content with what it has found.
const LONGEST_LOOK: Duration = Duration::from_millis(200);

/// A replacement in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The text that is there, to the letter.
    pub old: String,
    /// What takes its place.
    pub new: String,
    /// Whether every occurrence is replaced; otherwise there must be exactly one.
    pub all: bool,
}

/// What edits did to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Edited {
    /// How many occurrences were replaced.
    pub replaced: u64,
    /// A unified diff.
    pub diff: String,
}

impl Sandbox {
    /// Replaces text in a file: every edit, in their order, or none. Each sees what those before it
    /// left. What is replaced must be there exactly once, unless its edit says `all`.
    ///
    /// Fails with [`ErrorKind::Edit`] where an edit does not fit.
    pub fn edit_file(&self, path: impl AsRef<[u8]>, edits: &[Edit]) -> Result<Edited, Error> {
        let path = path.as_ref();
        let (before, after, replaced) = self.change("edit", path, || {
            let edited = self.with(path, |vfs, caller, base| {
                let before = match read(vfs, caller, base, path)? {
                    Ok(before) => before,
                    Err(failure) => return Ok(Err(failure)),
                };
                let (after, replaced) = match apply(&before, edits) {
                    Ok(edited) => edited,
                    Err(failure) => return Ok(Err(failure)),
                };
                if let Err(errno) = write(vfs, caller, base, path, after.as_bytes()) {
                    // The disk is full, say: what was there fits.
                    let _ = write(vfs, caller, base, path, before.as_bytes());
                    return Err(errno);
                }
                Ok(Ok((before, after, replaced)))
            })?;
            edited.map_err(|why| {
                let path = String::from_utf8_lossy(path).into_owned();
                ErrorKind::Edit { path, why }.into()
            })
        })?;
        let name = String::from_utf8_lossy(path);
        let diff = TextDiff::configure()
            .timeout(LONGEST_LOOK)
            .diff_lines(&*before, &*after);
        let (old_name, new_name) = (format!("a/{name}"), format!("b/{name}"));
        let diff = diff.unified_diff().header(&old_name, &new_name).to_string();
        Ok(Edited { replaced, diff })
    }
}

/// The text of a file, unless it is too large or none.
fn read(
    vfs: &mut Vfs,
    caller: &Caller<'_>,
    base: NodeRef,
    path: &[u8],
) -> Result<Result<String, EditFailure>, Errno> {
    let node = vfs.open(caller, base, path, &OpenOptions::READ)?;
    let bytes = read_open(vfs, caller, node);
    vfs.close(node);
    let bytes = bytes?;
    if bytes.len() > LARGEST_EDITED {
        return Ok(Err(EditFailure::TooLarge));
    }
    Ok(String::from_utf8(bytes).map_err(|_| EditFailure::NotText))
}

/// An open file, or as much of it as shows that it is too large.
fn read_open(vfs: &mut Vfs, caller: &Caller<'_>, node: NodeRef) -> Result<Vec<u8>, Errno> {
    let stat = vfs.stat(caller, node)?;
    if stat.kind != FileKind::File {
        return Err(Errno::Inval);
    }
    let room = usize::try_from(stat.size).unwrap_or(usize::MAX);
    let mut bytes = vec![0; room.min(LARGEST_EDITED) + 1];
    let mut filled = 0;
    while filled < bytes.len() {
        match vfs.read_at(caller, node, filled as u64, &mut bytes[filled..])? {
            0 => break,
            read => filled += read,
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

fn write(
    vfs: &mut Vfs,
    caller: &Caller<'_>,
    base: NodeRef,
    path: &[u8],
    bytes: &[u8],
) -> Result<(), Errno> {
    let node = vfs.open(caller, base, path, &OpenOptions::REPLACE)?;
    let written = write_node(vfs, caller, node, 0, bytes);
    vfs.close(node);
    written
}

/// The text after all edits, and how many occurrences were replaced.
fn apply(text: &str, edits: &[Edit]) -> Result<(String, u64), EditFailure> {
    if edits.is_empty() || edits.len() > MOST_EDITS {
        return Err(EditFailure::Count);
    }
    let mut text = text.to_owned();
    let mut replaced = 0;
    for (edit, number) in edits.iter().zip(1..) {
        replaced += apply_one(&mut text, edit, number)?;
    }
    Ok((text, replaced))
}

fn apply_one(text: &mut String, edit: &Edit, number: usize) -> Result<u64, EditFailure> {
    let Edit { old, new, all } = edit;
    if old.is_empty() {
        return Err(EditFailure::Empty { edit: number });
    }
    if old == new {
        return Err(EditFailure::Same { edit: number });
    }
    let found: Vec<usize> = text.match_indices(&**old).map(|(at, _)| at).collect();
    match found[..] {
        [] => {
            return Err(EditFailure::Missing {
                edit: number,
                line: line_alike(text, old),
            });
        }
        [_, _, ..] if !all => {
            let line = |at: &usize| text[..*at].matches('\n').count() + 1;
            return Err(EditFailure::Several {
                edit: number,
                count: found.len(),
                lines: found.iter().take(NAMED_LINES).map(line).collect(),
            });
        }
        _ => {}
    }
    let grown = found.len().saturating_mul(new.len());
    let size = (text.len() - found.len() * old.len()).saturating_add(grown);
    if size > LARGEST_EDITED {
        return Err(EditFailure::TooLarge);
    }
    *text = text.replace(&**old, new);
    Ok(found.len() as u64)
}

/// A line that is the first one of `old` but for spaces.
fn line_alike(text: &str, old: &str) -> Option<usize> {
    let wanted = old.lines().map(str::trim).find(|line| !line.is_empty())?;
    let at = text.lines().position(|line| line.trim() == wanted)?;
    Some(at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(old: &str, new: &str, all: bool) -> Edit {
        Edit {
            old: old.into(),
            new: new.into(),
            all,
        }
    }

    #[test]
    fn edits_follow_each_other() {
        let edits = [edit("a", "b", false), edit("b", "c", true)];
        assert_eq!(apply("a b\n", &edits), Ok(("c c\n".into(), 3)));
    }

    #[test]
    fn what_does_not_fit_is_refused_with_its_place() {
        let one = |text: &str, it: Edit| apply(text, &[it]).unwrap_err().to_string();
        let several = one("x\ny\nx\n", edit("x", "z", false));
        assert_eq!(several, "edit 1: `old` is there 2 times, in lines 1, 3");
        let missing = one("a\n\tfoo\n", edit("  foo\n", "z", false));
        assert_eq!(
            missing,
            "edit 1: `old` is not in the file; line 2 differs from it in spaces only"
        );
        assert_eq!(one("", edit("", "z", false)), "edit 1: `old` is empty");
        assert!(one("x", edit("x", "x", false)).contains("the same"));
        let many = vec![edit("x", "y", true); MOST_EDITS + 1];
        assert_eq!(apply("x", &many), Err(EditFailure::Count));
        assert_eq!(apply("x", &[]), Err(EditFailure::Count));
        let lines = one(&"x\n".repeat(9), edit("x", "z", false));
        assert!(
            lines.ends_with("9 times, in lines 1, 2, 3, 4, 5, …"),
            "{lines}"
        );
    }

    #[test]
    fn growth_has_a_limit() {
        let text = "x".repeat(1 << 20);
        let failure = apply(&text, &[edit("x", &"y".repeat(100), true)]);
        assert_eq!(failure, Err(EditFailure::TooLarge));
        // Each edit could double it.
        let doubling = vec![edit("x", "xx", true); 60];
        assert_eq!(apply("x", &doubling), Err(EditFailure::TooLarge));
    }
}
