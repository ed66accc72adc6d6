//! Comparing two texts line by line.

use imara_diff::{Algorithm, Diff, InternedInput};

/// Which whitespace does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Space {
    /// All of it counts.
    #[default]
    Exact,
    /// `--ignore-space-at-eol`.
    AtEnd,
    /// `-b`: how much there is does not count.
    Change,
    /// `-w`: none counts.
    All,
    /// `--ignore-cr-at-eol`.
    CrAtEnd,
}

/// Lines that differ: from and how many, in the old and in the new text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hunk {
    pub(crate) old: usize,
    pub(crate) old_len: usize,
    pub(crate) new: usize,
    pub(crate) new_len: usize,
}

/// The lines of a text, each with its newline.
pub(crate) fn split(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// The differing lines of two texts in order.
pub(crate) fn compare(
    old: &[&[u8]],
    new: &[&[u8]],
    space: Space,
    algorithm: Algorithm,
) -> Vec<Hunk> {
    compare_with(old, new, space, algorithm, true)
}

/// Compares lines; `slide` says whether hunks are moved to where people expect them.
pub(crate) fn compare_with(
    old: &[&[u8]],
    new: &[&[u8]],
    space: Space,
    algorithm: Algorithm,
    slide: bool,
) -> Vec<Hunk> {
    // What is the same at both ends needs no algorithm; keep enough of it for hunks to slide.
    if space != Space::Exact {
        let old: Vec<Vec<u8>> = old.iter().map(|line| normal(line, space)).collect();
        let new: Vec<Vec<u8>> = new.iter().map(|line| normal(line, space)).collect();
        let old: Vec<&[u8]> = old.iter().map(Vec::as_slice).collect();
        let new: Vec<&[u8]> = new.iter().map(Vec::as_slice).collect();
        return compare_with(&old, &new, Space::Exact, algorithm, slide);
    }
    let mut input: InternedInput<&[u8]> = InternedInput::default();
    input.reserve(old.len() as u32, new.len() as u32);
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    let mut diff = Diff::compute(algorithm, &input);
    if slide {
        diff.postprocess_lines(&input);
    } else {
        diff.postprocess_no_heuristic(&input);
    }
    let hunk = |hunk: imara_diff::Hunk| Hunk {
        old: hunk.before.start as usize,
        old_len: hunk.before.len(),
        new: hunk.after.start as usize,
        new_len: hunk.after.len(),
    };
    diff.hunks().map(hunk).collect()
}

/// A line without the whitespace that does not count.
pub(crate) fn normal(line: &[u8], space: Space) -> Vec<u8> {
    match space {
        Space::Exact => line.to_vec(),
        Space::CrAtEnd => match line.strip_suffix(b"\r\n") {
            Some(rest) => [rest, b"\n"].concat(),
            None => line.to_vec(),
        },
        Space::AtEnd => line.trim_ascii_end().to_vec(),
        Space::All => line
            .iter()
            .copied()
            .filter(|byte| !byte.is_ascii_whitespace())
            .collect(),
        Space::Change => {
            let mut out = Vec::with_capacity(line.len());
            for &byte in line.trim_ascii_end() {
                if byte.is_ascii_whitespace() {
                    if out.last() != Some(&b' ') {
                        out.push(b' ');
                    }
                } else {
                    out.push(byte);
                }
            }
            out
        }
    }
}
