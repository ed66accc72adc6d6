//! `col`: text for printers that can move back and up, as lines that only go forward, as util-linux
//! does it.

use std::collections::BTreeMap;

use codepod_tool::{Arguments, Found, Opt, Options, Output, Usage, complain, flag, value};
use unicode_width::UnicodeWidthChar as _;

use crate::files;

const USAGE: &str = "
Usage:
 col [options]

Filter out reverse line feeds from standard input.

Options:
 -b, --no-backspaces    do not output backspaces
 -f, --fine             permit forward half line feeds
 -p, --pass             pass unknown control sequences
 -h, --tabs             convert spaces to tabs
 -x, --spaces           convert tabs to spaces
 -l, --lines NUM        buffer at least NUM lines
 -H, --help             display this help
 -v, --version          display version

For more details see col(1).
";

#[derive(Clone, Copy)]
enum Key {
    NoBackspaces,
    Fine,
    Pass,
    Tabs,
    Spaces,
    Lines,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::NoBackspaces, b'b', "no-backspaces"),
    flag(Key::Fine, b'f', "fine"),
    flag(Key::Pass, b'p', "pass"),
    flag(Key::Tabs, b'h', "tabs"),
    flag(Key::Spaces, b'x', "spaces"),
    value(Key::Lines, b'l', "lines"),
    flag(Key::Help, b'H', "help"),
    flag(Key::Version, b'v', "version"),
];

/// The most half lines that a text may go forward in, beyond its own line ends.
const MOST_ROWS: i64 = 1 << 20;

/// A character on the page: its bytes, its width, and whether it is of the other character set.
struct Mark {
    bytes: Vec<u8>,
    width: usize,
    other: bool,
}

/// A page: characters by half lines and columns, in the order they came.
#[derive(Default)]
struct Page {
    rows: BTreeMap<i64, Vec<(usize, Mark)>>,
    last: i64,
}

/// col as a tool.
pub(crate) fn main(name: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(TABLE, arguments);
    let (mut no_backspaces, mut fine, mut pass, mut tabs) = (false, false, false, true);
    loop {
        match options.next() {
            Ok(Some(Found::Operand(_))) => return Usage::new("bad usage").report(name, 1),
            Ok(Some(Found::Option(key, value))) => match key {
                Key::NoBackspaces => no_backspaces = true,
                Key::Fine => fine = true,
                Key::Pass => pass = true,
                Key::Tabs => tabs = true,
                Key::Spaces => tabs = false,
                // The whole text is kept, so any number of lines is.
                Key::Lines => {
                    let text = String::from_utf8_lossy(&value.unwrap_or_default()).into_owned();
                    if text.parse::<u32>().map_or(true, |lines| lines == 0) {
                        complain(name, format!("bad -l argument: '{text}'"));
                        return 1;
                    }
                }
                Key::Help => return files::print(USAGE),
                Key::Version => return files::version(name),
            },
            Ok(None) => break,
            Err(usage) => return usage.report(name, 1),
        }
    }
    let text = match files::stdin() {
        Ok(text) => text,
        Err(error) => {
            complain(name, files::why(&error));
            return 1;
        }
    };
    let page = Page::read(&text, fine, pass);
    let mut out = Output::new();
    page.print(&mut out, no_backspaces, tabs);
    i32::from(out.finish().is_err())
}

impl Page {
    /// Puts a text on a page. Rows are half lines; without `fine` a half one forward is a whole
    /// one.
    fn read(text: &[u8], fine: bool, pass: bool) -> Page {
        let mut page = Page::default();
        let (mut row, mut column, mut other) = (0_i64, 0_usize, false);
        let mut chunks = text.utf8_chunks().flat_map(|part| {
            let shown = part.valid().chars().map(|letter| {
                let mut bytes = [0; 4];
                (letter, letter.encode_utf8(&mut bytes).as_bytes().to_vec())
            });
            let broken = part.invalid().iter();
            shown.chain(broken.map(|byte| ('?', format!("\\x{byte:02x}").into_bytes())))
        });
        while let Some((letter, bytes)) = chunks.next() {
            match letter {
                '\u{8}' => column = column.saturating_sub(1),
                '\r' => column = 0,
                '\n' => {
                    row = (row + 2).min(MOST_ROWS + page.last);
                    column = 0;
                    page.last = page.last.max(row);
                }
                '\t' => column = (column | 7) + 1,
                ' ' => column += 1,
                '\u{b}' => row -= 2,
                '\u{e}' => other = true,
                '\u{f}' => other = false,
                '\u{1b}' => match chunks.next().map(|(letter, _)| letter) {
                    Some('\u{7}') => row -= 2,
                    Some('\u{8}') => row -= 1,
                    Some('\u{9}') => {
                        row = (row + if fine { 1 } else { 2 }).min(MOST_ROWS + page.last)
                    }
                    Some(_) if pass => page.put(
                        row,
                        column,
                        Mark {
                            bytes,
                            width: 0,
                            other,
                        },
                    ),
                    _ => {}
                },
                _ => {
                    let width = letter.width().unwrap_or(0);
                    if letter.is_control() && !pass {
                        continue;
                    }
                    let width = if bytes.len() == 4 && letter == '?' {
                        4
                    } else {
                        width
                    };
                    page.put(
                        row,
                        column,
                        Mark {
                            bytes,
                            width,
                            other,
                        },
                    );
                    column += width;
                }
            }
        }
        page
    }

    fn put(&mut self, row: i64, column: usize, mark: Mark) {
        // What goes above the first line is lost.
        if row >= 0 {
            self.rows.entry(row).or_default().push((column, mark));
            self.last = self.last.max(row);
        }
    }

    fn print(self, out: &mut Output, no_backspaces: bool, tabs: bool) {
        let mut at_row = 0;
        let has_marks = !self.rows.is_empty();
        let last = self.last;
        for (row, mut marks) in self.rows {
            if row > at_row {
                let (lines, half) = ((row - at_row) / 2, (row - at_row) % 2);
                out.put(&b"\n".repeat(usize::try_from(lines).unwrap_or(0)));
                if half != 0 {
                    out.put(b"\x1b9\r");
                }
                at_row = row;
            }
            marks.sort_by_key(|(column, _)| *column);
            row_text(out, &marks, no_backspaces, tabs);
        }
        let rest = (last - at_row) / 2;
        out.put(&b"\n".repeat(usize::try_from(rest).unwrap_or(0)));
        // The last line ends, too.
        if has_marks && rest == 0 {
            out.put_byte(b'\n');
        }
        if at_row % 2 != 0 {
            out.put(b"\x1b9");
        }
    }
}

/// Prints the characters of one row, which are in the order of their columns.
fn row_text(out: &mut Output, marks: &[(usize, Mark)], no_backspaces: bool, tabs: bool) {
    let mut at = 0;
    let mut other = false;
    let mut index = 0;
    while index < marks.len() {
        let column = marks[index].0;
        let mut end = index + 1;
        while end < marks.len() && marks[end].0 == column {
            end += 1;
        }
        if tabs && column > at + 1 {
            while (at | 7) < column {
                out.put_byte(b'\t');
                at = (at | 7) + 1;
            }
        }
        out.put(&b" ".repeat(column.saturating_sub(at)));
        at = at.max(column);
        let same = &marks[index..end];
        let from = if no_backspaces { same.len() - 1 } else { 0 };
        for (place, (_, mark)) in same.iter().enumerate().skip(from) {
            if mark.other != other {
                out.put_byte(if mark.other { 0x0e } else { 0x0f });
                other = mark.other;
            }
            out.put(&mark.bytes);
            if place + 1 < same.len() {
                out.put(&b"\x08".repeat(mark.width));
            } else {
                at = column + mark.width;
            }
        }
        index = end;
    }
    if other {
        out.put_byte(0x0f);
    }
}
