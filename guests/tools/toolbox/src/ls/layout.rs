//! Entries on lines: one a line, in columns, across, with commas.

use super::entry::{Entry, indicator};
use super::options::Format;
use super::{Ls, long};

/// The least that a column takes.
const LEAST: usize = 3;

/// Prints entries in the format of the settings.
pub(super) fn print(ls: &mut Ls<'_>, entries: &[Entry], also: &[Entry]) {
    if ls.settings.format == Format::Long {
        long::print(ls, entries, also);
        return;
    }
    if entries.is_empty() {
        return;
    }
    let lines = Lines::new(ls, entries);
    match ls.settings.format {
        Format::OneALine | Format::Long => {
            for entry in entries {
                lines.entry(ls, entry, 0);
                ls.end_line();
            }
        }
        Format::Commas => lines.separated(ls, entries, true),
        Format::Columns | Format::Across if ls.settings.width == 0 => {
            lines.separated(ls, entries, false)
        }
        Format::Columns => lines.columns(ls, entries),
        Format::Across => lines.across(ls, entries),
    }
}

/// Widths of what stands before names.
struct Lines {
    inode: usize,
    blocks: usize,
    /// Whether names without quotes get a space, since others have quotes.
    pad: bool,
}

impl Lines {
    fn new(ls: &Ls<'_>, entries: &[Entry]) -> Lines {
        let settings = &ls.settings;
        let padded = settings.format != Format::Commas;
        let widest = |text: &dyn Fn(&Entry) -> String| {
            entries
                .iter()
                .map(|entry| text(entry).len())
                .max()
                .unwrap_or(0)
        };
        let inode = if settings.inode && padded {
            widest(&|entry| inode(entry))
        } else {
            0
        };
        let size = settings.block_size;
        let blocks = if settings.blocks && padded {
            widest(&|entry| size.show(entry.stat.blocks * 512))
        } else {
            0
        };
        let aligned =
            matches!(settings.format, Format::Columns | Format::Across) && settings.width > 0;
        let pad = aligned && entries.iter().any(|entry| entry.is_quoted);
        Lines { inode, blocks, pad }
    }

    /// What stands before an entry's name.
    fn before(&self, ls: &Ls<'_>, entry: &Entry) -> String {
        let mut text = String::new();
        if ls.settings.inode {
            text += &format!("{:>width$} ", inode(entry), width = self.inode);
        }
        if ls.settings.blocks {
            let blocks = ls.settings.block_size.show(entry.stat.blocks * 512);
            text += &format!("{blocks:>width$} ", width = self.blocks);
        }
        if ls.settings.context {
            text += "? ";
        }
        text
    }

    fn width(&self, ls: &Ls<'_>, entry: &Entry) -> usize {
        let pad = usize::from(self.pad && !entry.is_quoted);
        let letter = usize::from(indicator(entry.stat.mode, ls.settings.indicator).is_some());
        self.before(ls, entry).len() + pad + entry.width + letter
    }

    fn entry(&self, ls: &mut Ls<'_>, entry: &Entry, column: usize) {
        let before = self.before(ls, entry);
        ls.out.put(before.as_bytes());
        name(ls, entry, self.pad, column);
        if let Some(letter) = indicator(entry.stat.mode, ls.settings.indicator) {
            ls.out.put_byte(letter);
        }
    }

    /// `a, b, c`, or with spaces only where lines have no end.
    fn separated(&self, ls: &mut Ls<'_>, entries: &[Entry], commas: bool) {
        let mut at = 0;
        let line = ls.settings.width;
        for (index, entry) in entries.iter().enumerate() {
            let width = if line > 0 { self.width(ls, entry) } else { 0 };
            if index > 0 {
                if commas {
                    ls.out.put_byte(b',');
                }
                if line == 0 || at + width + 2 < line {
                    at += 2;
                    ls.out.put(if commas { b" " } else { b"  " });
                } else {
                    at = 0;
                    ls.out.put_byte(b'\n');
                }
            }
            self.entry(ls, entry, at);
            at += width;
        }
        ls.end_line();
    }

    /// How wide each column is, with as many columns as fit.
    fn arrange(&self, ls: &Ls<'_>, widths: &[usize], down: bool) -> Vec<usize> {
        let line = ls.settings.width;
        let most = line.div_ceil(LEAST).min(widths.len()).max(1);
        // From many to few: the first that fits. Each try is one pass, and a try ends where the
        // line does.
        for count in (2..=most).rev() {
            let mut columns = vec![LEAST; count];
            let mut total = LEAST * count;
            let rows = widths.len().div_ceil(count);
            let mut fits = total < line;
            for (index, width) in widths.iter().enumerate() {
                let column = if down { index / rows } else { index % count };
                let real = width + if column + 1 == count { 0 } else { 2 };
                if columns[column] < real {
                    total += real - columns[column];
                    columns[column] = real;
                    fits = total < line;
                    if !fits {
                        break;
                    }
                }
            }
            if fits {
                return columns;
            }
        }
        vec![widths.iter().copied().max().unwrap_or(0).max(LEAST)]
    }

    fn columns(&self, ls: &mut Ls<'_>, entries: &[Entry]) {
        let widths: Vec<usize> = entries.iter().map(|entry| self.width(ls, entry)).collect();
        let columns = self.arrange(ls, &widths, true);
        let rows = entries.len().div_ceil(columns.len());
        for row in 0..rows {
            let mut at = 0;
            for (column, wide) in columns.iter().enumerate() {
                let index = column * rows + row;
                let Some(entry) = entries.get(index) else {
                    break;
                };
                self.entry(ls, entry, at);
                if index + rows >= entries.len() {
                    break;
                }
                indent(ls, at + widths[index], at + wide);
                at += wide;
            }
            ls.end_line();
        }
    }

    fn across(&self, ls: &mut Ls<'_>, entries: &[Entry]) {
        let widths: Vec<usize> = entries.iter().map(|entry| self.width(ls, entry)).collect();
        let columns = self.arrange(ls, &widths, false);
        let mut at = 0;
        for (index, entry) in entries.iter().enumerate() {
            let column = index % columns.len();
            if index > 0 {
                if column == 0 {
                    ls.out.put_byte(b'\n');
                    at = 0;
                } else {
                    indent(ls, at + widths[index - 1], at + columns[column - 1]);
                    at += columns[column - 1];
                }
            }
            self.entry(ls, entry, at);
        }
        ls.end_line();
    }
}

/// Fills up to a column with tabs and spaces.
fn indent(ls: &mut Ls<'_>, mut from: usize, to: usize) {
    let tab = ls.settings.tab;
    while from < to {
        if tab != 0 && to / tab > (from + 1) / tab {
            ls.out.put_byte(b'\t');
            from += tab - from % tab;
        } else {
            ls.out.put_byte(b' ');
            from += 1;
        }
    }
}

/// An entry's inode, as text.
pub(super) fn inode(entry: &Entry) -> String {
    if entry.unknown {
        "?".into()
    } else {
        entry.stat.ino.to_string()
    }
}

/// A name with its colour, behind a space where others have quotes.
pub(super) fn name(ls: &mut Ls<'_>, entry: &Entry, pad: bool, column: usize) {
    let space = pad && !entry.is_quoted;
    if space {
        ls.out.put_byte(b' ');
    }
    let color = ls.colors.as_ref().and_then(|colors| colors.of(entry));
    let Some(color) = color else {
        ls.out.put(&entry.shown);
        return;
    };
    colored(ls, &color, &entry.shown);
    let line = ls.settings.width;
    let begin = column + usize::from(space);
    if line > 0 && entry.width > 0 && begin / line != (begin + entry.width - 1) / line {
        ls.out.put(b"\x1b[K");
    }
}

/// A text in a colour.
pub(super) fn colored(ls: &mut Ls<'_>, color: &str, text: &[u8]) {
    if let Some(colors) = &mut ls.colors
        && !colors.used
    {
        colors.used = true;
        ls.out.put(b"\x1b[0m");
    }
    ls.out.put(format!("\x1b[{color}m").as_bytes());
    ls.out.put(text);
    ls.out.put(b"\x1b[0m");
}
