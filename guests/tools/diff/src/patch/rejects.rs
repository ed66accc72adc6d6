//! Hunks that did not work, as a diff that can be looked at.

use super::read::{Does, FilePatch, Hunk, Kind};

/// The rejected hunks, unified or in the form of context diffs.
pub(crate) fn text(
    patch: &FilePatch,
    rejected: &[(usize, isize)],
    reversed: bool,
    unified: Option<bool>,
) -> Vec<u8> {
    let unified = unified.unwrap_or(patch.kind == Kind::Unified);
    let mut out = Vec::new();
    if let Some(name) = &patch.index {
        out.extend_from_slice(&[b"Index: ", &name[..], b"\n"].concat());
    }
    let headers = match reversed {
        true => [&patch.headers[1], &patch.headers[0]],
        false => [&patch.headers[0], &patch.headers[1]],
    };
    let marks: [&[u8]; 2] = if unified {
        [b"--- ", b"+++ "]
    } else {
        [b"*** ", b"--- "]
    };
    if !headers[0].is_empty() || !unified {
        for (mark, header) in marks.iter().zip(headers) {
            let header = if header.is_empty() {
                b"/dev/null\n"
            } else {
                &header[..]
            };
            out.extend_from_slice(mark);
            out.extend_from_slice(header);
        }
    }
    for (number, offset) in rejected {
        let Some(hunk) = patch.hunks.get(*number) else {
            continue;
        };
        let mut hunk = if reversed {
            hunk.reversed()
        } else {
            hunk.clone()
        };
        let moved = |start: usize| usize::try_from(start as isize + offset).unwrap_or(start);
        (hunk.old_start, hunk.new_start) = (moved(hunk.old_start), moved(hunk.new_start));
        if unified {
            as_unified(&hunk, &mut out);
        } else {
            as_context(&hunk, &mut out);
        }
    }
    out
}

fn as_unified(hunk: &Hunk, out: &mut Vec<u8>) {
    let range = |start: usize, count: usize| {
        if count == 1 {
            start.to_string()
        } else {
            format!("{start},{count}")
        }
    };
    let head = format!(
        "@@ -{} +{} @@",
        range(hunk.old_start, hunk.side(Does::Goes).len()),
        range(hunk.new_start, hunk.side(Does::Comes).len())
    );
    out.extend_from_slice(head.as_bytes());
    if !hunk.note.is_empty() {
        out.push(b' ');
        out.extend_from_slice(&hunk.note);
    }
    out.push(b'\n');
    for (does, text) in &hunk.lines {
        out.push(match does {
            Does::Stays => b' ',
            Does::Goes => b'-',
            Does::Comes => b'+',
        });
        line(text, out);
    }
}

fn as_context(hunk: &Hunk, out: &mut Vec<u8>) {
    out.extend_from_slice(b"***************");
    if !hunk.note.is_empty() {
        out.push(b' ');
        out.extend_from_slice(&hunk.note);
    }
    out.push(b'\n');
    let marks = change_marks(hunk);
    for (side, start, before, after) in [
        (Does::Goes, hunk.old_start, "***", "****"),
        (Does::Comes, hunk.new_start, "---", "----"),
    ] {
        let count = hunk.side(side).len();
        let range = match count {
            0 | 1 => start.to_string(),
            _ => format!("{start},{}", start + count - 1),
        };
        out.extend_from_slice(format!("{before} {range} {after}\n").as_bytes());
        for ((does, text), mark) in hunk.lines.iter().zip(&marks) {
            if *does == Does::Stays || *does == side {
                out.extend_from_slice(&[*mark, b' ']);
                line(text, out);
            }
        }
    }
}

/// The mark of each line: lines that go beside lines that come are changed.
fn change_marks(hunk: &Hunk) -> Vec<u8> {
    let mut marks = Vec::with_capacity(hunk.lines.len());
    let mut rest = &hunk.lines[..];
    while let Some((does, _)) = rest.first() {
        if *does == Does::Stays {
            marks.push(b' ');
            rest = &rest[1..];
            continue;
        }
        let count = rest.iter().take_while(|line| line.0 != Does::Stays).count();
        let (run, more) = rest.split_at(count);
        let both = [Does::Goes, Does::Comes]
            .iter()
            .all(|does| run.iter().any(|line| line.0 == *does));
        marks.extend(run.iter().map(|line| match line.0 {
            _ if both => b'!',
            Does::Goes => b'-',
            _ => b'+',
        }));
        rest = more;
    }
    marks
}

/// A line, and a note if it has no end.
fn line(text: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(text);
    if !text.ends_with(b"\n") {
        out.extend_from_slice(b"\n\\ No newline at end of file\n");
    }
}
