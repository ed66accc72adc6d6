//! A text from three versions: a base and two that were made from it.

use imara_diff::Algorithm;

use crate::diff::lines::{self, Hunk, Space};

/// How a conflict is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Style {
    /// Ours and theirs.
    #[default]
    Merge,
    /// The base too.
    Diff3,
    /// The base too, without lines at the ends that both sides share.
    Zdiff3,
}

/// Which side wins a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Favor {
    /// Neither: it is left to the user.
    #[default]
    None,
    /// `-X ours`.
    Ours,
    /// `-X theirs`.
    Theirs,
    /// Both, one after the other.
    Union,
}

/// What is written beside the marks, and how.
#[derive(Debug, Clone, Default)]
pub(crate) struct Options {
    pub(crate) ours: Vec<u8>,
    pub(crate) base: Vec<u8>,
    pub(crate) theirs: Vec<u8>,
    pub(crate) style: Style,
    pub(crate) favor: Favor,
    pub(crate) space: Space,
    /// Lengthens the marks, for conflicts inside of conflicts.
    pub(crate) longer: usize,
}

/// A part of the result: from and to in each version.
#[derive(Debug, Clone)]
struct Part {
    conflict: bool,
    /// For a part that is no conflict: which version it is taken from, 1 or 2.
    side: u8,
    base: (usize, usize),
    ours: (usize, usize),
    theirs: (usize, usize),
}

/// Merges; the result and how many conflicts it has.
pub(crate) fn merge(
    base: &[u8],
    ours: &[u8],
    theirs: &[u8],
    options: &Options,
) -> (Vec<u8>, usize) {
    let (b, o, t) = (lines::split(base), lines::split(ours), lines::split(theirs));
    let one = lines::compare(&b, &o, options.space, Algorithm::Histogram);
    let two = lines::compare(&b, &t, options.space, Algorithm::Histogram);
    let mut parts = combine(&one, &two, &o, &t);
    if options.style == Style::Merge {
        parts = refine(parts, &o, &t);
        parts = simplify(parts);
    }
    let mut out = Vec::new();
    let mut conflicts = 0;
    let mut at = 0;
    for part in &parts {
        // What neither changed is as in ours.
        write_lines(&mut out, &o[at..part.ours.0]);
        at = part.ours.1;
        let (mine, yours) = (
            &o[part.ours.0..part.ours.1],
            &t[part.theirs.0..part.theirs.1],
        );
        if !part.conflict {
            write_lines(&mut out, if part.side == 1 { mine } else { yours });
            continue;
        }
        match options.favor {
            Favor::Ours => write_lines(&mut out, mine),
            Favor::Theirs => write_lines(&mut out, yours),
            Favor::Union => {
                write_lines(&mut out, mine);
                end_line(&mut out);
                write_lines(&mut out, yours);
            }
            Favor::None => {
                conflicts += 1;
                write_conflict(&mut out, mine, &b[part.base.0..part.base.1], yours, options);
            }
        }
    }
    write_lines(&mut out, &o[at..]);
    (out, conflicts)
}

fn write_lines(out: &mut Vec<u8>, lines: &[&[u8]]) {
    if !lines.is_empty() {
        end_line(out);
    }
    lines.iter().for_each(|line| out.extend_from_slice(line));
}

fn end_line(out: &mut Vec<u8>) {
    if !out.is_empty() && out.last() != Some(&b'\n') {
        out.push(b'\n');
    }
}

fn write_conflict(
    out: &mut Vec<u8>,
    mut ours: &[&[u8]],
    base: &[&[u8]],
    mut theirs: &[&[u8]],
    options: &Options,
) {
    let mut tail: &[&[u8]] = &[];
    if options.style == Style::Zdiff3 {
        let same = ours.iter().zip(theirs).take_while(|(a, b)| a == b).count();
        write_lines(out, &ours[..same]);
        (ours, theirs) = (&ours[same..], &theirs[same..]);
        let same = ours
            .iter()
            .rev()
            .zip(theirs.iter().rev())
            .take_while(|(a, b)| a == b)
            .count();
        tail = &ours[ours.len() - same..];
        (ours, theirs) = (&ours[..ours.len() - same], &theirs[..theirs.len() - same]);
    }
    let crlf = [ours, theirs, base]
        .iter()
        .any(|side| side.first().is_some_and(|line| line.ends_with(b"\r\n")));
    let mark = |sign: u8, label: &[u8], out: &mut Vec<u8>| {
        end_line(out);
        out.extend(std::iter::repeat_n(sign, 7 + options.longer));
        if !label.is_empty() {
            out.push(b' ');
            out.extend_from_slice(label);
        }
        out.extend_from_slice(if crlf { b"\r\n" } else { b"\n" });
    };
    mark(b'<', &options.ours, out);
    write_lines(out, ours);
    if options.style != Style::Merge {
        mark(b'|', &options.base, out);
        write_lines(out, base);
    }
    mark(b'=', b"", out);
    write_lines(out, theirs);
    mark(b'>', &options.theirs, out);
    write_lines(out, tail);
}

/// Puts the changes of both sides beside each other.
fn combine(one: &[Hunk], two: &[Hunk], ours: &[&[u8]], theirs: &[&[u8]]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let (mut a, mut b) = (0, 0);
    // How far ours and theirs are ahead of the base.
    let (mut shift_one, mut shift_two) = (0isize, 0isize);
    let add = |value: usize, shift: isize| value.saturating_add_signed(shift);
    while a < one.len() || b < two.len() {
        let alone_one =
            b >= two.len() || (a < one.len() && one[a].old + one[a].old_len < two[b].old);
        let alone_two =
            a >= one.len() || (b < two.len() && two[b].old + two[b].old_len < one[a].old);
        if alone_one {
            let hunk = one[a];
            a += 1;
            parts.push(Part {
                conflict: false,
                side: 1,
                base: (hunk.old, hunk.old + hunk.old_len),
                ours: (hunk.new, hunk.new + hunk.new_len),
                theirs: (
                    add(hunk.old, shift_two),
                    add(hunk.old + hunk.old_len, shift_two),
                ),
            });
            shift_one = (hunk.new + hunk.new_len) as isize - (hunk.old + hunk.old_len) as isize;
            continue;
        }
        if alone_two {
            let hunk = two[b];
            b += 1;
            parts.push(Part {
                conflict: false,
                side: 2,
                base: (hunk.old, hunk.old + hunk.old_len),
                ours: (
                    add(hunk.old, shift_one),
                    add(hunk.old + hunk.old_len, shift_one),
                ),
                theirs: (hunk.new, hunk.new + hunk.new_len),
            });
            shift_two = (hunk.new + hunk.new_len) as isize - (hunk.old + hunk.old_len) as isize;
            continue;
        }
        let (first, second) = (one[a], two[b]);
        let start = first.old.min(second.old);
        let mut end = (first.old + first.old_len).max(second.old + second.old_len);
        let ours_start = first.new - (first.old - start).min(first.new);
        let theirs_start = second.new - (second.old - start).min(second.new);
        let equal = first.old == second.old
            && first.old_len == second.old_len
            && ours[first.new..first.new + first.new_len]
                == theirs[second.new..second.new + second.new_len];
        let shift =
            |hunk: &Hunk| (hunk.new + hunk.new_len) as isize - (hunk.old + hunk.old_len) as isize;
        (shift_one, shift_two) = (shift(&first), shift(&second));
        a += 1;
        b += 1;
        if !equal {
            // Everything that touches this belongs to it.
            loop {
                if a < one.len() && one[a].old <= end {
                    end = end.max(one[a].old + one[a].old_len);
                    shift_one = shift(&one[a]);
                    a += 1;
                } else if b < two.len() && two[b].old <= end {
                    end = end.max(two[b].old + two[b].old_len);
                    shift_two = shift(&two[b]);
                    b += 1;
                } else {
                    break;
                }
            }
        }
        parts.push(Part {
            conflict: !equal,
            side: 1,
            base: (start, end),
            ours: (ours_start, add(end, shift_one)),
            theirs: (theirs_start, add(end, shift_two)),
        });
    }
    parts
}

/// Splits conflicts where both sides agree.
fn refine(parts: Vec<Part>, ours: &[&[u8]], theirs: &[&[u8]]) -> Vec<Part> {
    let mut out = Vec::new();
    for part in parts {
        if !part.conflict || part.ours.0 == part.ours.1 || part.theirs.0 == part.theirs.1 {
            out.push(part);
            continue;
        }
        let mine = &ours[part.ours.0..part.ours.1];
        let yours = &theirs[part.theirs.0..part.theirs.1];
        let hunks = lines::compare(mine, yours, Space::Exact, Algorithm::Histogram);
        if hunks.is_empty() {
            out.push(Part {
                conflict: false,
                ..part
            });
            continue;
        }
        for hunk in hunks {
            out.push(Part {
                conflict: true,
                side: 1,
                base: part.base,
                ours: (
                    part.ours.0 + hunk.old,
                    part.ours.0 + hunk.old + hunk.old_len,
                ),
                theirs: (
                    part.theirs.0 + hunk.new,
                    part.theirs.0 + hunk.new + hunk.new_len,
                ),
            });
        }
    }
    out
}

/// Joins conflicts with three lines or less between them.
fn simplify(parts: Vec<Part>) -> Vec<Part> {
    let mut out: Vec<Part> = Vec::new();
    for part in parts {
        if part.conflict
            && let Some(last) = out.last_mut()
            && last.conflict
            && part.ours.0 - last.ours.1 <= 3
        {
            last.ours.1 = part.ours.1;
            last.theirs.1 = part.theirs.1;
            last.base.1 = part.base.1;
            continue;
        }
        out.push(part);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(base: &str, ours: &str, theirs: &str) -> (String, usize) {
        let options = Options {
            ours: b"HEAD".to_vec(),
            theirs: b"other".to_vec(),
            ..Options::default()
        };
        let (text, conflicts) = merge(
            base.as_bytes(),
            ours.as_bytes(),
            theirs.as_bytes(),
            &options,
        );
        (String::from_utf8(text).unwrap(), conflicts)
    }

    #[test]
    fn changes_apart_are_both_taken() {
        assert_eq!(
            merged("a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\n"),
            ("A\nb\nc\nD\n".into(), 0)
        );
    }

    #[test]
    fn the_same_change_is_taken_once() {
        assert_eq!(merged("a\n", "b\n", "b\n"), ("b\n".into(), 0));
    }

    #[test]
    fn a_conflict_is_marked() {
        let expected = "x\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> other\ny\n";
        assert_eq!(
            merged("x\nbase\ny\n", "x\nours\ny\n", "x\ntheirs\ny\n"),
            (expected.into(), 1)
        );
    }

    #[test]
    fn texts_without_a_last_newline() {
        let expected = "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> other\n";
        assert_eq!(merged("base", "ours", "theirs"), (expected.into(), 1));
    }
}
