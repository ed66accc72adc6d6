//! The record at hand and its fields, which are looked for as far as they are asked for.

use std::rc::Rc;

use memchr::{memchr, memchr2};

use crate::regex::Re;
use crate::text;
use crate::text::Str;
use crate::value::Value;

/// How fields are told apart.
#[derive(Debug, Clone)]
pub enum Splitter {
    /// By blanks and newlines.
    Blanks,
    /// By a byte.
    Byte(u8),
    /// By a byte or a newline.
    ByteOrNewline(u8),
    /// By what matches.
    Regex(Rc<Re>),
    /// By what matches or a newline.
    RegexOrNewline(Rc<Re>),
    /// Every character is one.
    Characters,
    /// What matches is one.
    Content(Rc<Re>),
    /// By their widths: what is skipped before, and how wide; none for the rest.
    Widths(Vec<(usize, Option<usize>)>),
}

/// A field: a part of the record, or a value that was assigned.
#[derive(Debug, Clone)]
enum Cell {
    Part(u32, u32),
    Set(Value),
}

/// The record.
#[derive(Debug)]
pub struct Record {
    text: Vec<u8>,
    fields: Vec<Cell>,
    /// Where the next field is looked for.
    scan: usize,
    /// Whether all fields were found.
    done: bool,
    /// Whether fields changed since `text` was made.
    stale: bool,
    /// `$0` when it was assigned something that is no input.
    plain: bool,
}

impl Default for Record {
    fn default() -> Record {
        Record {
            text: Vec::new(),
            fields: Vec::new(),
            scan: 0,
            done: true,
            stale: false,
            plain: false,
        }
    }
}

/// What a search for fields fails with: the message of the engine.
pub type Failure = String;

impl Record {
    /// The buffer for a new record. [`Record::renew`] has to follow.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.text
    }

    /// Forgets the fields of the old record.
    #[inline]
    pub fn renew(&mut self) {
        self.fields.clear();
        self.scan = 0;
        self.done = false;
        self.stale = false;
        self.plain = false;
    }

    /// Replaces the record.
    pub fn set(&mut self, text: &[u8]) {
        self.text.clear();
        self.text.extend_from_slice(text);
        self.renew();
    }

    /// Says that the record is a string even where it looks like a number.
    pub fn make_plain(&mut self) {
        self.plain = true;
    }

    /// The record, made anew when fields changed.
    #[inline]
    pub fn text(&mut self, ofs: &[u8], convfmt: &[u8]) -> &[u8] {
        if self.stale {
            self.rebuild(ofs, convfmt);
        }
        &self.text
    }

    /// `$0` as a value.
    pub fn whole(&mut self, ofs: &[u8], convfmt: &[u8]) -> Value {
        let text = Str::new(self.text(ofs, convfmt));
        if self.plain {
            Value::Str(text)
        } else {
            Value::Input(text)
        }
    }

    fn rebuild(&mut self, ofs: &[u8], convfmt: &[u8]) {
        let mut text = Vec::with_capacity(self.text.len() + 16);
        for (number, field) in self.fields.iter_mut().enumerate() {
            if number > 0 {
                text.extend_from_slice(ofs);
            }
            let start = text.len() as u32;
            match field {
                Cell::Part(from, to) => {
                    text.extend_from_slice(&self.text[*from as usize..*to as usize]);
                    *field = Cell::Part(start, text.len() as u32);
                }
                Cell::Set(value) => value.append(convfmt, &mut text),
            }
        }
        self.text = text;
        self.stale = false;
        self.plain = false;
    }

    /// How many fields there are.
    pub fn count(&mut self, splitter: &Splitter, icase: bool) -> Result<usize, Failure> {
        if !self.done {
            self.find(usize::MAX, splitter, icase)?;
        }
        Ok(self.fields.len())
    }

    /// Looks for fields up to `number`.
    #[inline]
    fn find(&mut self, number: usize, splitter: &Splitter, icase: bool) -> Result<(), Failure> {
        if self.done || self.fields.len() >= number {
            return Ok(());
        }
        let fields = &mut self.fields;
        match splitter {
            Splitter::Blanks => {
                let (at, done) = blanks(&self.text, self.scan, number, fields);
                self.scan = at;
                self.done = done;
            }
            Splitter::Byte(byte) => {
                let text = &self.text;
                if text.is_empty() {
                    self.done = true;
                }
                while !self.done && fields.len() < number {
                    match memchr(*byte, &text[self.scan..]) {
                        Some(at) => {
                            fields.push(Cell::Part(self.scan as u32, (self.scan + at) as u32));
                            self.scan += at + 1;
                        }
                        None => {
                            fields.push(Cell::Part(self.scan as u32, text.len() as u32));
                            self.done = true;
                        }
                    }
                }
            }
            _ => {
                split(
                    &self.text,
                    splitter,
                    icase,
                    |start, end| fields.push(Cell::Part(start as u32, end as u32)),
                    |_, _| {},
                )?;
                self.done = true;
            }
        }
        Ok(())
    }

    /// The bytes of field `number`, from 1; none when it is not there, or was assigned something
    /// that is no text.
    #[inline]
    pub fn bytes(
        &mut self,
        number: usize,
        splitter: &Splitter,
        icase: bool,
    ) -> Result<Option<&[u8]>, Failure> {
        self.find(number, splitter, icase)?;
        Ok(match self.fields.get(number - 1) {
            Some(Cell::Part(from, to)) => Some(&self.text[*from as usize..*to as usize]),
            Some(Cell::Set(Value::Str(text) | Value::Input(text))) => Some(text.as_bytes()),
            Some(Cell::Set(_)) => None,
            None => Some(b""),
        })
    }

    /// Field `number`, from 1.
    #[inline]
    pub fn field(
        &mut self,
        number: usize,
        splitter: &Splitter,
        icase: bool,
    ) -> Result<Value, Failure> {
        self.find(number, splitter, icase)?;
        Ok(match self.fields.get(number - 1) {
            Some(Cell::Part(from, to)) => {
                Value::Input(Str::new(&self.text[*from as usize..*to as usize]))
            }
            Some(Cell::Set(value)) => value.clone(),
            None => Value::Input(Str::EMPTY),
        })
    }

    /// Assigns to a field, from 1; the record grows as far as it is needed.
    pub fn set_field(
        &mut self,
        number: usize,
        value: Value,
        splitter: &Splitter,
        icase: bool,
    ) -> Result<(), Failure> {
        self.count(splitter, icase)?;
        if self.fields.len() < number {
            self.fields
                .resize(number, Cell::Set(Value::Input(Str::EMPTY)));
        }
        self.fields[number - 1] = Cell::Set(value);
        self.stale = true;
        Ok(())
    }

    /// Sets how many fields there are.
    pub fn set_count(
        &mut self,
        count: usize,
        splitter: &Splitter,
        icase: bool,
    ) -> Result<(), Failure> {
        self.count(splitter, icase)?;
        self.fields
            .resize(count, Cell::Set(Value::Input(Str::EMPTY)));
        self.stale = true;
        Ok(())
    }
}

/// Blanks as the default splitter has them.
#[inline]
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n')
}

/// Fields between blanks from `at` on, until there are `number`; says where it stopped and whether
/// that was the end.
#[inline]
fn blanks(text: &[u8], mut at: usize, number: usize, fields: &mut Vec<Cell>) -> (usize, bool) {
    while fields.len() < number {
        while at < text.len() && is_blank(text[at]) {
            at += 1;
        }
        if at >= text.len() {
            return (at, true);
        }
        let start = at;
        while at < text.len() && !is_blank(text[at]) {
            at += 1;
        }
        fields.push(Cell::Part(start as u32, at as u32));
    }
    (at, false)
}

/// Splits a text: calls `field` with every field and `separator` with what stands between two.
pub fn split(
    text: &[u8],
    splitter: &Splitter,
    icase: bool,
    mut field: impl FnMut(usize, usize),
    mut separator: impl FnMut(usize, usize),
) -> Result<(), Failure> {
    if text.is_empty() {
        return Ok(());
    }
    match splitter {
        Splitter::Blanks => {
            let mut at = 0;
            let mut from = 0;
            loop {
                while at < text.len() && is_blank(text[at]) {
                    at += 1;
                }
                if from > 0 || at > 0 {
                    separator(from, at);
                }
                if at >= text.len() {
                    break;
                }
                let start = at;
                while at < text.len() && !is_blank(text[at]) {
                    at += 1;
                }
                field(start, at);
                from = at;
                if at >= text.len() {
                    break;
                }
            }
        }
        Splitter::Byte(byte) => {
            let mut start = 0;
            while let Some(at) = memchr(*byte, &text[start..]) {
                field(start, start + at);
                separator(start + at, start + at + 1);
                start += at + 1;
            }
            field(start, text.len());
        }
        Splitter::ByteOrNewline(byte) => {
            let mut start = 0;
            while let Some(at) = memchr2(*byte, b'\n', &text[start..]) {
                field(start, start + at);
                separator(start + at, start + at + 1);
                start += at + 1;
            }
            field(start, text.len());
        }
        Splitter::Regex(regex) => by_match(text, regex, icase, false, field, separator)?,
        Splitter::RegexOrNewline(regex) => by_match(text, regex, icase, true, field, separator)?,
        Splitter::Characters => {
            let mut at = 0;
            while at < text.len() {
                let length = text::character(&text[at..]);
                if at > 0 {
                    separator(at, at);
                }
                field(at, at + length);
                at += length;
            }
        }
        Splitter::Content(regex) => content(text, regex, icase, field, separator)?,
        Splitter::Widths(widths) => {
            let mut at = 0;
            for (skip, width) in widths {
                at += text::offset(&text[at..], *skip);
                if at >= text.len() {
                    break;
                }
                let end = match width {
                    Some(width) => at + text::offset(&text[at..], *width),
                    None => text.len(),
                };
                field(at, end);
                at = end;
            }
        }
    }
    Ok(())
}

fn by_match(
    text: &[u8],
    regex: &Re,
    icase: bool,
    newline: bool,
    mut field: impl FnMut(usize, usize),
    mut separator: impl FnMut(usize, usize),
) -> Result<(), Failure> {
    let (mut start, mut from) = (0, 0);
    while from <= text.len() {
        let mut found = regex.find(text, from, icase)?;
        if newline && let Some(at) = memchr(b'\n', &text[from..]) {
            let at = from + at;
            if found.is_none_or(|(start, end)| at < start || start == end) {
                found = Some((at, at + 1));
            }
        }
        let Some((at, end)) = found else {
            break;
        };
        if at == end {
            // An empty match separates nothing.
            if at >= text.len() {
                break;
            }
            from = at + text::character(&text[at..]);
            continue;
        }
        field(start, at);
        separator(at, end);
        start = end;
        from = end;
    }
    field(start, text.len());
    Ok(())
}

fn content(
    text: &[u8],
    regex: &Re,
    icase: bool,
    mut field: impl FnMut(usize, usize),
    mut separator: impl FnMut(usize, usize),
) -> Result<(), Failure> {
    let (mut last, mut from) = (0, 0);
    let mut after_field = false;
    while from <= text.len() {
        let Some((start, end)) = regex.find(text, from, icase)? else {
            break;
        };
        if start == end && after_field && start == last {
            // Right behind a field an empty match is none.
            if start >= text.len() {
                break;
            }
            from = start + text::character(&text[start..]);
            after_field = false;
            continue;
        }
        separator(last, start);
        field(start, end);
        last = end;
        after_field = true;
        from = if start == end {
            end + text::character(&text[end..]).max(1)
        } else {
            end
        };
    }
    separator(last, text.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &[u8], splitter: &Splitter) -> Vec<String> {
        let mut record = Record::default();
        record.set(text);
        let count = record.count(splitter, false).unwrap();
        (1..=count)
            .map(|number| {
                String::from_utf8_lossy(record.bytes(number, splitter, false).unwrap().unwrap())
                    .into_owned()
            })
            .collect()
    }

    #[test]
    fn fields_are_told_apart_in_every_way() {
        assert_eq!(fields(b"  a b\tc\n ", &Splitter::Blanks), ["a", "b", "c"]);
        assert_eq!(fields(b"a::b:", &Splitter::Byte(b':')), ["a", "", "b", ""]);
        assert_eq!(
            fields(b"a, b,c", &Splitter::Regex(Rc::new(Re::new(b", *")))),
            ["a", "b", "c"]
        );
        assert_eq!(fields("äb".as_bytes(), &Splitter::Characters), ["ä", "b"]);
        let content = Splitter::Content(Rc::new(Re::new(b"([^,]*)|(\"[^\"]+\")")));
        assert_eq!(fields(b"a,\"b,c\",,d", &content), ["a", "\"b,c\"", "", "d"]);
        assert_eq!(
            fields(
                b"abcdef",
                &Splitter::Widths(vec![(0, Some(2)), (1, Some(2)), (0, None)])
            ),
            ["ab", "de", "f"]
        );
    }

    #[test]
    fn assigning_makes_the_record_anew() {
        let mut record = Record::default();
        record.set(b"a b");
        record
            .set_field(4, Value::Num(1.5), &Splitter::Blanks, false)
            .unwrap();
        assert_eq!(record.text(b"-", b"%.6g"), b"a-b--1.5");
        record.set_count(2, &Splitter::Blanks, false).unwrap();
        assert_eq!(record.text(b" ", b"%.6g"), b"a b");
    }
}
