//! The lines of a program around an error, with carets below what is wrong, as amaro draws them.
//!
//! One line before and one after are shown. What goes over several lines has an arrow in a margin
//! at its first and last line.

use swc_common::{SourceMap, Span};
use unicode_width::UnicodeWidthChar as _;

/// Where the next column of a tab is.
const TAB: usize = 4;

/// A line of the program: its text without the line feed, and which bytes it is with it.
struct Line<'a> {
    text: &'a str,
    start: usize,
    end: usize,
}

/// What a line shows of the error.
#[derive(Clone, Copy, PartialEq)]
enum Mark {
    None,
    /// All of it.
    Whole,
    /// Its first or its last line.
    Edge,
    /// A line between the two.
    Middle,
}

/// The lines around `span`, if it is in a file.
pub(crate) fn snippet(map: &SourceMap, span: Span) -> Option<String> {
    if span.lo().is_dummy() || span.hi().is_dummy() {
        return None;
    }
    let file = map.lookup_source_file(span.lo());
    let source: &str = &file.src;
    let within =
        |position: swc_common::BytePos| (position.0.saturating_sub(file.start_pos.0)) as usize;
    let (from, to) = (within(span.lo()), within(span.hi()).min(source.len()));
    Some(drawn(source, from.min(to), to))
}

/// The lines around the bytes `from..to`.
fn drawn(source: &str, from: usize, to: usize) -> String {
    let lines = around(source, from, to);
    let marks: Vec<Mark> = lines.iter().map(|line| mark(line, from, to)).collect();
    let margin = marks
        .iter()
        .any(|mark| matches!(mark, Mark::Edge | Mark::Middle));
    let mut drawn = String::new();
    for (line, mark) in lines.iter().zip(marks) {
        if margin {
            drawn.push_str(if mark == Mark::Edge { "  > " } else { "    " });
        }
        write_text(&mut drawn, line.text);
        if mark == Mark::Whole {
            if margin {
                drawn.push_str("    ");
            }
            let start = column(line, from);
            let end = if to == from {
                start + 1
            } else {
                column(line, to).max(start + 1)
            };
            drawn.extend(std::iter::repeat_n(' ', start));
            drawn.extend(std::iter::repeat_n('^', end - start));
            drawn.push('\n');
        }
    }
    drawn
}

/// The lines from the one before `from` to the one after `to`. No line is empty at the end of the
/// program.
fn around(source: &str, from: usize, to: usize) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut start = 0;
    for text in source.split_inclusive('\n') {
        let end = start + text.len();
        lines.push(Line {
            text: text
                .strip_suffix('\n')
                .map_or(text, |text| text.strip_suffix('\r').unwrap_or(text)),
            start,
            end,
        });
        start = end;
    }
    let of = |place: usize| {
        source
            .bytes()
            .take(place)
            .filter(|byte| *byte == b'\n')
            .count()
    };
    let (first, last) = (of(from).saturating_sub(1), of(to) + 2);
    // The line after is shown without its end, so not at all where it is empty.
    if let Some(line) = lines.get_mut(last - 1) {
        let whole = &source[line.start..line.end];
        line.text = whole.strip_suffix('\n').unwrap_or(whole);
        line.end = line.start + line.text.len();
    }
    let shown = lines.drain(first..last.min(lines.len()));
    shown.filter(|line| line.start < line.end).collect()
}

fn mark(line: &Line<'_>, from: usize, to: usize) -> Mark {
    // What has no length is drawn with one column.
    let to = to.max(from + 1);
    let starts = from >= line.start && from < line.end;
    let ends = to > line.start && to <= line.end;
    match (starts, ends) {
        (true, true) => Mark::Whole,
        (false, false) if from < line.start && to > line.end => Mark::Middle,
        (false, false) => Mark::None,
        _ => Mark::Edge,
    }
}

/// The widths of the characters, of which a tab depends on those before.
fn widths(text: &str) -> impl Iterator<Item = (char, usize)> {
    let mut column = 0;
    text.chars().map(move |character| {
        let width = match character {
            '\t' => TAB - column % TAB,
            _ => character.width().unwrap_or(0),
        };
        column += width;
        (character, width)
    })
}

/// The column of a byte of the line; behind its end there is one more.
fn column(line: &Line<'_>, byte: usize) -> usize {
    let index = byte.saturating_sub(line.start);
    let before = line.text.get(..index).unwrap_or(line.text);
    let width: usize = widths(before).map(|(_, width)| width).sum();
    width + usize::from(index > line.text.len())
}

fn write_text(drawn: &mut String, text: &str) {
    for (character, width) in widths(text) {
        match character {
            '\t' => drawn.extend(std::iter::repeat_n(' ', width)),
            _ => drawn.push(character),
        }
    }
    drawn.push('\n');
}

#[cfg(test)]
mod tests {
    use super::drawn;

    #[test]
    fn a_line_has_carets_and_one_line_around_it() {
        let source = "class A {\n\tconstructor(private x: number) {}\n}\nb()\n";
        let at = source.find("private").unwrap_or_default();
        assert_eq!(
            drawn(source, at, at + 9),
            "class A {\n    constructor(private x: number) {}\n                ^^^^^^^^^\n}\n"
        );
    }

    #[test]
    fn several_lines_have_arrows_at_the_first_and_the_last() {
        let source = "\nnamespace N {\n const a = 1;\n}\nfoo();\n";
        let end = source.find("foo").unwrap_or_default() - 1;
        assert_eq!(
            drawn(source, 1, end),
            "    \n  > namespace N {\n     const a = 1;\n  > }\n    foo();\n"
        );
    }

    #[test]
    fn the_end_of_the_program_is_below_no_line() {
        assert_eq!(drawn("a\nb(\n", 5, 5), "b(\n");
        assert_eq!(drawn("a\nb(", 4, 4), "a\nb(\n");
    }
}
