//! `colrm`: lines without some columns, as util-linux does it.

use codepod_tool::{Arguments, Output, Usage, complain};
use unicode_width::UnicodeWidthChar as _;

use crate::files;

const USAGE: &str = "
Usage:
 colrm [startcol [endcol]]

Filter out the specified columns.

Options:
 -h, --help     display this help
 -V, --version  display version
colrm reads from standard input and writes to standard output


For more details see colrm(1).
";

/// colrm as a tool.
pub(crate) fn main(name: &str, arguments: Arguments) -> i32 {
    let mut columns = Vec::new();
    for (index, argument) in arguments.iter().enumerate() {
        match argument.as_slice() {
            b"-h" | b"--help" => return files::print(USAGE),
            b"-V" | b"--version" => return files::version(name),
            [b'-', rest @ ..] if !rest.is_empty() => {
                let mistake = match rest.strip_prefix(b"-") {
                    Some(word) => [b"unrecognized option '--", word, b"'"].concat(),
                    None => [b"invalid option -- '", &rest[..1], b"'"].concat(),
                };
                return Usage::new(mistake).report(name, 1);
            }
            text => {
                let text = String::from_utf8_lossy(text).into_owned();
                let Ok(number) = text.parse::<usize>() else {
                    let which = if index == 0 { "first" } else { "second" };
                    complain(name, format!("{which} argument: '{text}'"));
                    return 1;
                };
                columns.push(number);
            }
        }
    }
    let first = columns.first().copied().unwrap_or(0);
    let last = columns.get(1).copied().unwrap_or(0);
    let text = match files::stdin() {
        Ok(text) => text,
        Err(error) => {
            complain(name, files::why(&error));
            return 1;
        }
    };
    let mut out = Output::new();
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        out.put(&without(line, first, last));
    }
    i32::from(out.finish().is_err())
}

/// Where in a line one is: before the columns, in them, behind them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Before,
    Inside,
    After,
}

/// A line without its columns `first` to `last`; without all from `first` on where `last` is 0.
fn without(line: &[u8], first: usize, last: usize) -> Vec<u8> {
    if first == 0 {
        return line.to_vec();
    }
    let mut out = Vec::with_capacity(line.len());
    // The column of the last character.
    let mut at: usize = 0;
    let mut part_of = Part::Before;
    for part in line.utf8_chunks() {
        let shown = part.valid().chars().map(|letter| {
            let mut bytes = [0; 4];
            let text = letter.encode_utf8(&mut bytes).as_bytes().to_vec();
            (Some(letter), text)
        });
        let broken = part.invalid().iter().map(|byte| (None, vec![*byte]));
        for (letter, bytes) in shown.chain(broken) {
            let before = at;
            at = match letter {
                Some('\n') => {
                    out.extend_from_slice(&bytes);
                    continue;
                }
                Some('\t') => (at | 7) + 1,
                Some('\u{8}') => at.saturating_sub(1),
                Some(letter) => at + letter.width().unwrap_or(0),
                None => at + 1,
            };
            if part_of == Part::After || (part_of == Part::Before && at < first) {
                out.extend_from_slice(&bytes);
                continue;
            }
            // What a wide character has left of the columns or right of them becomes blanks.
            if part_of == Part::Before {
                part_of = Part::Inside;
                out.resize(out.len() + (first - 1).saturating_sub(before), b' ');
            }
            if last != 0 && at >= last {
                part_of = Part::After;
                out.resize(out.len() + at - last, b' ');
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tab_that_is_cut_becomes_blanks() {
        assert_eq!(without(b"abcdefgh\n", 3, 5), b"abfgh\n");
        assert_eq!(without(b"\tb\tc\n", 3, 5), b"     b\tc\n");
        assert_eq!(without(b"a\tbc\n", 3, 4), b"a     bc\n");
        assert_eq!(without(b"\tb\n", 3, 0), b"  \n");
        assert_eq!(without("漢字x".as_bytes(), 2, 2), " 字x".as_bytes());
        assert_eq!(without(b"ab\x08c", 2, 2), b"a\x08c");
    }
}
