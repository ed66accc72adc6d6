//! Three-way merge of texts by lines: what two sides have made of one base.
//!
//! As in git, changes that touch each other are a conflict unless both sides made the same of the
//! lines.

use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

/// After so long a comparison is content with what it has found.
const LONGEST_LOOK: Duration = Duration::from_millis(500);

/// Whose lines are taken where both sides have changed them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Ours,
    Theirs,
}

/// What a merge has led to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct MergedText {
    pub(crate) text: Vec<u8>,
    /// Places that both sides have changed differently.
    pub(crate) conflicts: usize,
}

/// Lines of the base that a side has replaced by lines of its own.
#[derive(Debug, Clone, Copy)]
struct Hunk {
    from: usize,
    to: usize,
    new_from: usize,
    new_to: usize,
}

/// Merges what two sides have made of a base. In a conflict the lines of `prefer` are taken.
pub(crate) fn merge(base: &[u8], ours: &[u8], theirs: &[u8], prefer: Side) -> MergedText {
    let [base, ours, theirs] = [base, ours, theirs].map(lines);
    let mut sides = [
        (hunks(&base, &ours), &ours),
        (hunks(&base, &theirs), &theirs),
    ]
    .map(|(hunks, lines)| (hunks.into_iter().peekable(), lines));
    let mut merged = MergedText {
        text: Vec::new(),
        conflicts: 0,
    };
    let mut at = 0;
    loop {
        let starts = sides
            .each_mut()
            .map(|(hunks, _)| hunks.peek().map(|hunk| hunk.from));
        let Some(from) = starts.into_iter().flatten().min() else {
            break;
        };
        // All hunks of both sides that overlap or touch.
        let mut taken = [Vec::new(), Vec::new()];
        let mut to = from;
        loop {
            let before = (taken[0].len(), taken[1].len());
            for ((hunks, _), taken) in sides.iter_mut().zip(&mut taken) {
                while let Some(hunk) = hunks.next_if(|hunk| hunk.from <= to) {
                    to = to.max(hunk.to);
                    taken.push(hunk);
                }
            }
            if before == (taken[0].len(), taken[1].len()) {
                break;
            }
        }
        base[at..from]
            .iter()
            .for_each(|line| merged.text.extend(*line));
        let made = [0, 1].map(|side| made_of(&base, from..to, &taken[side], sides[side].1));
        let [ours, theirs] = &made;
        merged
            .text
            .extend(match (taken[0].is_empty(), taken[1].is_empty()) {
                (_, true) => ours,
                (true, _) => theirs,
                _ if ours == theirs => ours,
                _ => {
                    merged.conflicts += 1;
                    match prefer {
                        Side::Ours => ours,
                        Side::Theirs => theirs,
                    }
                }
            });
        at = to;
    }
    base[at..].iter().for_each(|line| merged.text.extend(*line));
    merged
}

/// What a side has made of some lines of the base.
fn made_of(
    base: &[&[u8]],
    range: std::ops::Range<usize>,
    hunks: &[Hunk],
    new: &[&[u8]],
) -> Vec<u8> {
    let mut text = Vec::new();
    let mut at = range.start;
    for hunk in hunks {
        base[at..hunk.from]
            .iter()
            .for_each(|line| text.extend(*line));
        new[hunk.new_from..hunk.new_to]
            .iter()
            .for_each(|line| text.extend(*line));
        at = hunk.to;
    }
    base[at..range.end]
        .iter()
        .for_each(|line| text.extend(*line));
    text
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Where a side differs from the base; hunks that touch are one.
fn hunks(base: &[&[u8]], new: &[&[u8]]) -> Vec<Hunk> {
    // `similar` keeps time by the clock of the standard library, which WebAssembly does not have.
    let until = cfg!(not(target_family = "wasm")).then(|| Instant::now() + LONGEST_LOOK);
    let mut hunks: Vec<Hunk> = Vec::new();
    for op in capture_diff_slices_deadline(Algorithm::Myers, base, new, until) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (old, new) = (op.old_range(), op.new_range());
        match hunks.last_mut() {
            Some(last) if last.to == old.start => (last.to, last.new_to) = (old.end, new.end),
            _ => hunks.push(Hunk {
                from: old.start,
                to: old.end,
                new_from: new.start,
                new_to: new.end,
            }),
        }
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(base: &str, ours: &str, theirs: &str) -> (String, usize) {
        let found = merge(
            base.as_bytes(),
            ours.as_bytes(),
            theirs.as_bytes(),
            Side::Theirs,
        );
        (String::from_utf8(found.text).unwrap(), found.conflicts)
    }

    #[test]
    fn changes_apart_are_both_taken() {
        let base = "1\n2\n3\n4\n5\n";
        assert_eq!(
            merged(base, "0\n1\n2\n3\n4\n5\n", "1\n2\n3\n4\nv\n"),
            ("0\n1\n2\n3\n4\nv\n".into(), 0)
        );
        assert_eq!(
            merged(base, "1\n3\n4\n5\n", base),
            ("1\n3\n4\n5\n".into(), 0)
        );
        assert_eq!(merged(base, "x\n", "x\n"), ("x\n".into(), 0));
        assert_eq!(merged("", "a\n", ""), ("a\n".into(), 0));
        assert_eq!(merged("a", "a\n", "a"), ("a\n".into(), 0));
    }

    #[test]
    fn changes_that_touch_are_a_conflict() {
        let (text, conflicts) = merged("1\n2\n3\n", "a\n2\n3\n", "1\nb\n3\n");
        assert_eq!((&*text, conflicts), ("1\nb\n3\n", 1));
        assert_eq!(merged("1\n", "1\na\n", "1\nb\n").1, 1);
        assert_eq!(merged("1\n2\n", "1\n", "1\nx\n").1, 1);
        let ours = merge(b"1\n2\n3\n", b"1\na\n3\n", b"1\nb\n3\n", Side::Ours);
        assert_eq!((&ours.text[..], ours.conflicts), (&b"1\na\n3\n"[..], 1));
    }

    /// `git merge-file` is the oracle: what is clean here is clean there and the same, and the
    /// other way round.
    #[test]
    fn merges_are_what_git_makes_of_them() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let mut seed = 7u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        let mut clean = 0;
        for round in 0..60 {
            let base: Vec<String> = (0..12).map(|line| format!("line {line}\n")).collect();
            let mut sides = [base.clone(), base.clone()];
            for (side, lines) in sides.iter_mut().enumerate() {
                for edit in 0..1 + random(2) {
                    let at = random(lines.len() as u64) as usize;
                    match random(3) {
                        0 => lines[at] = format!("side {side} edit {edit}\n"),
                        1 => lines.insert(at, format!("side {side} new {edit}\n")),
                        _ => drop(lines.remove(at)),
                    }
                }
            }
            let texts = [base.concat(), sides[0].concat(), sides[1].concat()];
            for (name, text) in ["base", "ours", "theirs"].iter().zip(&texts) {
                std::fs::write(path(name), text).unwrap();
            }
            let git = std::process::Command::new("git")
                .args(["merge-file", "-p", "ours", "base", "theirs"])
                .current_dir(directory.path())
                .output()
                .unwrap();
            let (text, conflicts) = merged(&texts[0], &texts[1], &texts[2]);
            assert_eq!(git.status.success(), conflicts == 0, "{round}: {texts:?}");
            if conflicts == 0 {
                clean += 1;
                assert_eq!(text.as_bytes(), git.stdout, "{round}: {texts:?}");
            }
        }
        assert!(clean > 15, "{clean}");
    }
}
