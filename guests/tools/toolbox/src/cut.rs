//! `cut`: prints parts of lines.
//!
//! Characters are bytes, as GNU's are. Lines are not collected: only a first field is, where it
//! decides whether a line is printed at all.

use std::io;

use codepod_tool::{
    Arguments, Opt, Options, Output, Stop, Usage, Value, flag, long, quoted_text, value,
};

use crate::arguments::{help, version};
use crate::text_input::{Input, each_file, finish, or_standard_input};

#[derive(Clone, Copy)]
enum Key {
    Bytes,
    Characters,
    Delimiter,
    Fields,
    Whole,
    Complement,
    Delimited,
    OutputDelimiter,
    Zero,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    value(Key::Bytes, b'b', "bytes"),
    value(Key::Characters, b'c', "characters"),
    value(Key::Delimiter, b'd', "delimiter"),
    value(Key::Fields, b'f', "fields"),
    flag(Key::Whole, b'n', ""),
    long(Key::Complement, "complement", Value::None),
    flag(Key::Delimited, b's', "only-delimited"),
    long(Key::OutputDelimiter, "output-delimiter", Value::Required),
    flag(Key::Zero, b'z', "zero-terminated"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// What numbers of a list count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Bytes,
    Fields,
}

/// Positions from `first` to `last`, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    first: u64,
    last: u64,
}

struct Settings {
    unit: Unit,
    /// In order, and none overlaps another.
    ranges: Vec<Range>,
    delimiter: u8,
    only_delimited: bool,
    /// What stands between the printed parts: nothing between bytes unless it is asked for.
    between: Vec<u8>,
    line_end: u8,
    files: Arguments,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let settings = match settings(tool, arguments) {
        Ok(settings) => settings,
        Err(stop) => return stop.report(tool, 1),
    };
    let mut out = Output::new();
    let status = each_file(
        tool,
        &settings.files,
        &mut out,
        |input, out| match settings.unit {
            Unit::Bytes => cut_bytes(&settings, input, out),
            Unit::Fields if settings.delimiter == settings.line_end => {
                cut_lines(&settings, input, out)
            }
            Unit::Fields => cut_fields(&settings, input, out),
        },
    );
    finish(tool, &mut out, status)
}

fn settings(tool: &str, arguments: Arguments) -> Result<Settings, Stop> {
    let mut list: Option<(Unit, Vec<u8>)> = None;
    let (mut delimiter, mut between) = (None, None);
    let (mut complement, mut only_delimited, mut line_end) = (false, false, b'\n');
    let files = Options::new(TABLE, arguments).each(|key, value| {
        let value = value.unwrap_or_default();
        match key {
            Key::Bytes | Key::Characters | Key::Fields => {
                let unit = match key {
                    Key::Fields => Unit::Fields,
                    _ => Unit::Bytes,
                };
                if list.replace((unit, value)).is_some() {
                    return Err(Usage::new("only one list may be specified").into());
                }
            }
            Key::Delimiter => match value[..] {
                [] => delimiter = Some(0),
                [byte] => delimiter = Some(byte),
                _ => {
                    return Err(Usage::new("the delimiter must be a single character").into());
                }
            },
            // GNU ignores it, too.
            Key::Whole => {}
            Key::Complement => complement = true,
            Key::Delimited => only_delimited = true,
            // An empty one is a NUL to GNU.
            Key::OutputDelimiter if value.is_empty() => between = Some(vec![0]),
            Key::OutputDelimiter => between = Some(value),
            Key::Zero => line_end = 0,
            Key::Help => {
                let about = "Print selected parts of lines from each FILE.";
                let status = help(tool, "OPTION... [FILE]...", about, TABLE);
                return Err(Stop::Status(status));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    })?;
    let no_list = "you must specify a list of bytes, characters, or fields";
    let (unit, list) = list.ok_or_else(|| Usage::new(no_list))?;
    if unit == Unit::Bytes && delimiter.is_some() {
        let message = "an input delimiter may be specified only when operating on fields";
        return Err(Usage::new(message).into());
    }
    if unit == Unit::Bytes && only_delimited {
        let message =
            "suppressing non-delimited lines makes sense\n\tonly when operating on fields";
        return Err(Usage::new(message).into());
    }
    let ranges = in_order(ranges(&list, unit)?);
    let delimiter = delimiter.unwrap_or(b'\t');
    Ok(Settings {
        unit,
        ranges: if complement { gaps(&ranges) } else { ranges },
        delimiter,
        only_delimited,
        between: between.unwrap_or_else(|| match unit {
            Unit::Bytes => Vec::new(),
            Unit::Fields => vec![delimiter],
        }),
        line_end,
        files: or_standard_input(files),
    })
}

/// The ranges of a list as they stand in it. Fails where one is wrong.
fn ranges(list: &[u8], unit: Unit) -> Result<Vec<Range>, Usage> {
    let mut ranges = Vec::new();
    let mut rest = list;
    loop {
        let (first, behind) = number(rest, unit)?;
        rest = behind;
        let mut dash = false;
        let mut last = None;
        if let Some(behind) = rest.strip_prefix(b"-") {
            if first == Some(0) {
                return Err(from_one(unit));
            }
            (last, rest) = number(behind, unit)?;
            dash = true;
        }
        let separator = rest.first().copied();
        match separator {
            None | Some(b',' | b' ' | b'\t') => {}
            Some(b'-') => {
                return Err(Usage::new(match unit {
                    Unit::Bytes => "invalid byte or character range",
                    Unit::Fields => "invalid field range",
                }));
            }
            Some(_) => {
                let start: &[u8] = match unit {
                    Unit::Bytes => b"invalid byte/character position ",
                    Unit::Fields => b"invalid field value ",
                };
                return Err(Usage::new([start, &quoted_text(rest)].concat()));
            }
        }
        ranges.push(match (first, last) {
            (None, None) if dash => {
                return Err(Usage::new("invalid range with no endpoint: -"));
            }
            (None | Some(0), None) => return Err(from_one(unit)),
            (Some(first), None) if dash => Range {
                first,
                last: u64::MAX,
            },
            (Some(first), None) => Range { first, last: first },
            (first, Some(last)) => Range {
                first: first.unwrap_or(1),
                last,
            },
        });
        if ranges.last().is_some_and(|range| range.last < range.first) {
            return Err(Usage::new("invalid decreasing range"));
        }
        if separator.is_none() {
            return Ok(ranges);
        }
        rest = &rest[1..];
    }
}

fn from_one(unit: Unit) -> Usage {
    Usage::new(match unit {
        Unit::Bytes => "byte/character positions are numbered from 1",
        Unit::Fields => "fields are numbered from 1",
    })
}

/// The number at the beginning of a text, if there is one, and what follows it.
fn number(text: &[u8], unit: Unit) -> Result<(Option<u64>, &[u8]), Usage> {
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(count);
    if digits.is_empty() {
        return Ok((None, rest));
    }
    let number = digits.iter().try_fold(0u64, |number, digit| {
        let more = number.checked_mul(10)?;
        more.checked_add(u64::from(digit - b'0'))
    });
    match number {
        Some(number) if number < u64::MAX => Ok((Some(number), rest)),
        _ => {
            let start: &[u8] = match unit {
                Unit::Bytes => b"byte/character offset ",
                Unit::Fields => b"field number ",
            };
            Err(Usage::new(
                [start, &quoted_text(digits), b" is too large"].concat(),
            ))
        }
    }
}

/// Sorts ranges and joins those that overlap. Neighbours stay apart: a delimiter may be printed
/// between them.
fn in_order(mut ranges: Vec<Range>) -> Vec<Range> {
    ranges.sort_by_key(|range| range.first);
    let mut joined: Vec<Range> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.first <= last.last => last.last = last.last.max(range.last),
            _ => joined.push(range),
        }
    }
    joined
}

/// The positions outside of ranges that are in order.
fn gaps(ranges: &[Range]) -> Vec<Range> {
    let mut gaps = Vec::with_capacity(ranges.len() + 1);
    let mut first = 1;
    for range in ranges {
        if first < range.first {
            gaps.push(Range {
                first,
                last: range.first - 1,
            });
        }
        first = range.last.saturating_add(1);
    }
    if first < u64::MAX {
        gaps.push(Range {
            first,
            last: u64::MAX,
        });
    }
    gaps
}

/// Prints bytes of each line.
fn cut_bytes(settings: &Settings, input: &mut Input, out: &mut Output) -> io::Result<()> {
    // How many bytes of the line are behind us, and the first range that is not.
    let (mut before, mut at) = (0u64, 0);
    let mut printed = false;
    while let Some(mut block) = input.block()? {
        while !block.is_empty() {
            let end = memchr::memchr(settings.line_end, block);
            let part = &block[..end.unwrap_or(block.len())];
            let behind = before + part.len() as u64;
            while let Some(range) = settings.ranges.get(at)
                && range.first <= behind
            {
                if range.first > before && printed {
                    out.put(&settings.between);
                }
                let from = range.first.saturating_sub(before + 1) as usize;
                let to = (range.last.min(behind) - before) as usize;
                out.put(&part[from..to]);
                printed = true;
                if range.last > behind {
                    break;
                }
                at += 1;
            }
            before = behind;
            if end.is_some() {
                out.put_byte(settings.line_end);
                (before, at, printed) = (0, 0, false);
            }
            block = &block[(part.len() + 1).min(block.len())..];
        }
        if out.is_broken() {
            return Ok(());
        }
    }
    if before > 0 {
        out.put_byte(settings.line_end);
    }
    Ok(())
}

/// The field that is read, and what is known of its line.
struct Line<'a> {
    settings: &'a Settings,
    /// The number of the field.
    field: u64,
    /// The first range that does not end before the field.
    at: usize,
    /// Whether the field is printed.
    selected: bool,
    /// Whether a field before it was printed.
    printed: bool,
    /// The first field, while it is not known whether it is printed.
    held: Vec<u8>,
    /// Whether the first field is held.
    holds: bool,
    /// Whether the line has any byte.
    begun: bool,
}

impl<'a> Line<'a> {
    fn new(settings: &'a Settings) -> Line<'a> {
        let mut line = Line {
            settings,
            field: 1,
            at: 0,
            selected: false,
            printed: false,
            held: Vec::new(),
            holds: false,
            begun: false,
        };
        line.selected = line.is_selected();
        // It is printed or left out in any case where these two differ.
        line.holds = line.selected == settings.only_delimited;
        line
    }

    fn is_selected(&mut self) -> bool {
        let ranges = &self.settings.ranges;
        while ranges.get(self.at).is_some_and(|r| r.last < self.field) {
            self.at += 1;
        }
        ranges.get(self.at).is_some_and(|r| r.first <= self.field)
    }

    /// Whether no later field is printed, so that only the end of the line counts.
    fn is_done(&self) -> bool {
        self.field > 1 && self.at == self.settings.ranges.len()
    }

    /// Takes bytes of the field.
    fn text(&mut self, text: &[u8], out: &mut Output) {
        self.begun |= !text.is_empty();
        if self.field == 1 && self.holds {
            self.held.extend_from_slice(text);
        } else if self.selected {
            out.put(text);
        }
    }

    /// Goes on to the next field.
    fn delimiter(&mut self, out: &mut Output) {
        self.begun = true;
        if self.field == 1 && self.selected {
            out.put(&self.held);
        }
        self.printed |= self.selected;
        self.field += 1;
        self.selected = self.is_selected();
        if self.selected && self.printed {
            out.put(&self.settings.between);
        }
    }

    /// Ends the line, and begins another.
    fn end(&mut self, out: &mut Output) {
        if self.field > 1 {
            out.put_byte(self.settings.line_end);
        } else if !self.settings.only_delimited {
            out.put(&self.held);
            out.put_byte(self.settings.line_end);
        }
        self.held.clear();
        (self.field, self.at) = (1, 0);
        (self.printed, self.begun) = (false, false);
        self.selected = self.is_selected();
    }
}

/// Prints fields of each line.
fn cut_fields(settings: &Settings, input: &mut Input, out: &mut Output) -> io::Result<()> {
    let mut line = Line::new(settings);
    while let Some(mut block) = input.block()? {
        while !block.is_empty() {
            let place = if line.is_done() {
                memchr::memchr(settings.line_end, block)
            } else {
                memchr::memchr2(settings.delimiter, settings.line_end, block)
            };
            let Some(place) = place else {
                line.text(block, out);
                break;
            };
            line.text(&block[..place], out);
            if block[place] == settings.line_end {
                line.end(out);
            } else {
                line.delimiter(out);
            }
            block = &block[place + 1..];
        }
        if out.is_broken() {
            return Ok(());
        }
    }
    if line.begun {
        line.end(out);
    }
    Ok(())
}

/// Prints fields that are lines: the file is one record, whose last line end ends no field.
fn cut_lines(settings: &Settings, input: &mut Input, out: &mut Output) -> io::Result<()> {
    let mut line = Line::new(settings);
    // Whether a line end was read of which it is not known yet if anything follows.
    let mut ended = false;
    while let Some(record) = input.record(settings.delimiter)? {
        if ended {
            line.delimiter(out);
        }
        ended = record.last() == Some(&settings.delimiter);
        line.text(&record[..record.len() - usize::from(ended)], out);
        line.begun = true;
        if out.is_broken() {
            return Ok(());
        }
    }
    // A single line with an end counts as delimited where its first field is held.
    if ended && line.field == 1 && line.holds {
        line.delimiter(out);
    }
    if line.begun {
        line.end(out);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(first: u64, last: u64) -> Range {
        Range { first, last }
    }

    #[test]
    fn ranges_are_joined_only_where_they_overlap() {
        let list = in_order(ranges(b"5-,1,2-3 3-4", Unit::Fields).unwrap());
        let wanted = [range(1, 1), range(2, 4), range(5, u64::MAX)];
        assert_eq!(list, wanted);
        assert_eq!(
            gaps(&[range(2, 3), range(5, u64::MAX)]),
            [range(1, 1), range(4, 4)]
        );
    }

    #[test]
    fn wrong_ranges_are_told_apart() {
        let message = |list: &[u8]| ranges(list, Unit::Fields).unwrap_err().to_string();
        assert_eq!(message(b"1--2"), "invalid field range");
        assert_eq!(message(b"2-1"), "invalid decreasing range");
        assert_eq!(message(b"1,,2"), "fields are numbered from 1");
        assert_eq!(message(b"1-x"), "invalid field value 'x'");
        assert_eq!(message(b"-"), "invalid range with no endpoint: -");
    }
}
