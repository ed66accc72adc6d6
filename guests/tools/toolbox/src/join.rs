//! `join`: joins lines of two sorted files on a common field.

mod settings;

use std::cmp::Ordering;
use std::io;
use std::ops::Range;

use codepod_tool::{Arguments, Output, complain, complain_of};

use crate::system;
use crate::text_input::{Input, finish, without_end};
use settings::{Check, Format, Part, Settings};

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let settings = match settings::read(tool, arguments) {
        Ok(settings) => settings,
        Err(stop) => return stop.report(tool, 1),
    };
    let mut inputs = Vec::new();
    for name in &settings.files {
        match Input::open(name) {
            Ok(input) => inputs.push(input),
            Err(error) => {
                complain_of(tool, name, &system::io_message(&error));
                return 1;
            }
        }
    }
    let mut join = Join {
        tool,
        settings: &settings,
        sides: inputs.into_iter().map(Side::new).collect(),
        counts: [0; 2],
        unpaired: false,
        out: Output::new(),
    };
    let status = match join.run() {
        Ok(()) if join.sides.iter().any(|side| side.warned) => {
            join.out.write_out();
            complain(tool, "input is not in sorted order");
            1
        }
        Ok(()) => 0,
        Err(End::Disorder) => 1,
        Err(End::Read(error)) => {
            join.out.write_out();
            complain(tool, format!("read error: {}", system::io_message(&error)));
            1
        }
    };
    finish(tool, &mut join.out, status)
}

/// A line and where its fields are.
#[derive(Default)]
struct Line {
    text: Vec<u8>,
    fields: Vec<Range<usize>>,
}

impl Line {
    fn new(text: &[u8], settings: &Settings) -> Line {
        let mut line = Line {
            text: text.to_vec(),
            fields: Vec::new(),
        };
        if text.is_empty() {
            return line;
        }
        match settings.separator {
            Some(b'\n') => line.fields.push(0..text.len()),
            Some(separator) => {
                let mut start = 0;
                for end in memchr::memchr_iter(separator, text) {
                    line.fields.push(start..end);
                    start = end + 1;
                }
                line.fields.push(start..text.len());
            }
            None => line.split_at_blanks(),
        }
        line
    }

    /// Splits at runs of blanks. Those at the end have an empty field behind them.
    fn split_at_blanks(&mut self) {
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n');
        let blanks = |text: &[u8]| text.iter().take_while(|byte| is_blank(byte)).count();
        let mut start = blanks(&self.text);
        if start == self.text.len() {
            return;
        }
        loop {
            let rest = &self.text[start..];
            let length = rest.iter().take_while(|byte| !is_blank(byte)).count();
            self.fields.push(start..start + length);
            if length == rest.len() {
                return;
            }
            start += length + blanks(&rest[length..]);
        }
    }

    /// A field; empty where there is none.
    fn field(&self, number: usize) -> &[u8] {
        match self.fields.get(number) {
            Some(range) => &self.text[range.clone()],
            None => b"",
        }
    }
}

/// A file, and its lines that are joined next: those with the same key.
struct Side {
    input: Input,
    lines: Vec<Line>,
    /// The first line behind them, where it was read already.
    next: Option<Line>,
    line_number: u64,
    /// The key of the line that was read last.
    last_key: Option<Vec<u8>>,
    /// Whether the file was said not to be sorted.
    warned: bool,
}

impl Side {
    fn new(input: Input) -> Side {
        Side {
            input,
            lines: Vec::new(),
            next: None,
            line_number: 0,
            last_key: None,
            warned: false,
        }
    }
}

/// Why joining ended early.
enum End {
    /// A line was out of order, and that was to be an error. It is said already.
    Disorder,
    Read(io::Error),
}

struct Join<'a> {
    tool: &'a str,
    settings: &'a Settings,
    sides: Vec<Side>,
    /// How many fields each file has with `-o auto`: as many as its first line.
    counts: [usize; 2],
    /// Whether there was a line without a partner: only then does order matter.
    unpaired: bool,
    out: Output,
}

impl Join<'_> {
    fn run(&mut self) -> Result<(), End> {
        self.advance(0)?;
        self.advance(1)?;
        if self.settings.format == Format::Auto {
            for file in 0..2 {
                let first = self.sides[file].lines.first();
                self.counts[file] = first.map_or(0, |line| line.fields.len());
            }
        }
        if self.settings.header {
            self.header()?;
        }
        while !self.out.is_broken()
            && let ([left, ..], [right, ..]) = (&self.sides[0].lines[..], &self.sides[1].lines[..])
        {
            let [first, second] = self.settings.fields;
            match self.compare(left.field(first), right.field(second)) {
                Ordering::Less => self.unpaired_line(0)?,
                Ordering::Greater => self.unpaired_line(1)?,
                Ordering::Equal => self.paired_lines()?,
            }
        }
        self.tail(0)?;
        self.tail(1)
    }

    fn compare(&self, left: &[u8], right: &[u8]) -> Ordering {
        if self.settings.ignore_case {
            let upper = |text: &[u8]| text.to_ascii_uppercase();
            upper(left).cmp(&upper(right))
        } else {
            left.cmp(right)
        }
    }

    /// Reads a line of a file, and says so where it is out of order.
    fn read(&mut self, file: usize) -> Result<Option<Line>, End> {
        let settings = self.settings;
        let side = &mut self.sides[file];
        let Some(record) = side.input.record(settings.line_end).map_err(End::Read)? else {
            return Ok(None);
        };
        side.line_number += 1;
        let line = Line::new(without_end(record, settings.line_end), settings);
        self.check_order(file, &line)?;
        Ok(Some(line))
    }

    fn check_order(&mut self, file: usize, line: &Line) -> Result<(), End> {
        let settings = self.settings;
        let key = line.field(settings.fields[file]);
        let matters = match settings.check {
            Check::Always => true,
            Check::Unpaired => self.unpaired,
            Check::Never => return Ok(()),
        };
        let last = self.sides[file].last_key.take();
        let disorder = last
            .as_ref()
            .is_some_and(|last| self.compare(last, key) == Ordering::Greater);
        let mut last = last.unwrap_or_default();
        last.clear();
        last.extend_from_slice(key);
        let side = &mut self.sides[file];
        side.last_key = Some(last);
        if matters && disorder && !side.warned {
            side.warned = true;
            self.out.write_out();
            let place = format!(":{}: is not sorted: ", side.line_number);
            let name = &settings.files[file];
            complain(self.tool, [name, place.as_bytes(), &line.text].concat());
            if settings.check == Check::Always {
                return Err(End::Disorder);
            }
        }
        Ok(())
    }

    /// Goes on to the next line of a file.
    fn advance(&mut self, file: usize) -> Result<(), End> {
        let next = match self.sides[file].next.take() {
            Some(line) => Some(line),
            None => self.read(file)?,
        };
        let side = &mut self.sides[file];
        side.lines.clear();
        side.lines.extend(next);
        Ok(())
    }

    /// Joins the first lines, whatever their keys are.
    fn header(&mut self) -> Result<(), End> {
        let lines = [0, 1].map(|file: usize| self.sides[file].lines.pop());
        if lines.iter().all(Option::is_none) {
            return Ok(());
        }
        self.print([lines[0].as_ref(), lines[1].as_ref()]);
        for (file, line) in lines.iter().enumerate() {
            self.sides[file].last_key = None;
            if line.is_some() {
                self.advance(file)?;
            }
        }
        Ok(())
    }

    /// Takes a line that has no partner.
    fn unpaired_line(&mut self, file: usize) -> Result<(), End> {
        let line = self.sides[file].lines.pop();
        if self.settings.unpaired[file] {
            self.print_one(file, line.as_ref());
        }
        // The next line is read before order matters, as GNU does.
        self.advance(file)?;
        self.unpaired = true;
        Ok(())
    }

    /// Joins all lines of the first file's key with all of the second's.
    fn paired_lines(&mut self) -> Result<(), End> {
        for file in 0..2 {
            self.collect(file)?;
        }
        if self.settings.paired {
            let [left, right] =
                [0, 1].map(|file: usize| std::mem::take(&mut self.sides[file].lines));
            for first in &left {
                for second in &right {
                    self.print([Some(first), Some(second)]);
                }
                if self.out.is_broken() {
                    break;
                }
            }
        }
        for side in &mut self.sides {
            side.lines.clear();
            side.lines.extend(side.next.take());
        }
        Ok(())
    }

    /// Reads the lines of a file that have the key of its first line.
    fn collect(&mut self, file: usize) -> Result<(), End> {
        let key = self.settings.fields[file];
        while let Some(line) = self.read(file)? {
            let first = &self.sides[file].lines[0];
            let same = self.compare(first.field(key), line.field(key)) == Ordering::Equal;
            let side = &mut self.sides[file];
            if same {
                side.lines.push(line);
            } else {
                side.next = Some(line);
                break;
            }
        }
        Ok(())
    }

    /// Takes what is left of a file when the other has ended: to print it, or to see whether it is
    /// in order.
    fn tail(&mut self, file: usize) -> Result<(), End> {
        let prints = self.settings.unpaired[file];
        let checks =
            self.settings.check != Check::Never && !self.sides.iter().all(|side| side.warned);
        let Some(line) = self.sides[file].lines.pop() else {
            return Ok(());
        };
        if !prints && !checks {
            return Ok(());
        }
        if prints {
            self.print_one(file, Some(&line));
        }
        while !self.out.is_broken()
            && let Some(line) = self.read(file)?
        {
            if prints {
                self.print_one(file, Some(&line));
            } else if self.sides[file].warned {
                break;
            }
        }
        Ok(())
    }

    fn print_one(&mut self, file: usize, line: Option<&Line>) {
        match file {
            0 => self.print([line, None]),
            _ => self.print([None, line]),
        }
    }

    /// Prints a line made of two, of which one may be missing.
    fn print(&mut self, lines: [Option<&Line>; 2]) {
        let settings = self.settings;
        let mut row = Row {
            out: &mut self.out,
            separator: settings.separator.unwrap_or(b' '),
            filler: &settings.filler,
            begun: false,
        };
        let key_file = usize::from(lines[0].is_none());
        let key = (lines[key_file], settings.fields[key_file]);
        if let Format::List(parts) = &settings.format {
            for part in parts {
                match *part {
                    Part::Key => row.field(key.0, key.1),
                    Part::Field(file, number) => row.field(lines[file], number),
                }
            }
        } else {
            row.field(key.0, key.1);
            for (file, line) in lines.into_iter().enumerate() {
                let count = match settings.format {
                    Format::Auto => self.counts[file],
                    _ => line.map_or(0, |line| line.fields.len()),
                };
                let others = (0..count).filter(|number| *number != settings.fields[file]);
                others.for_each(|number| row.field(line, number));
            }
        }
        self.out.put_byte(settings.line_end);
    }
}

/// A line of the output.
struct Row<'a> {
    out: &'a mut Output,
    separator: u8,
    /// What stands for an empty field.
    filler: &'a [u8],
    begun: bool,
}

impl Row<'_> {
    fn field(&mut self, line: Option<&Line>, number: usize) {
        if self.begun {
            self.out.put_byte(self.separator);
        }
        self.begun = true;
        match line.map_or(&b""[..], |line| line.field(number)) {
            [] => self.out.put(self.filler),
            text => self.out.put(text),
        }
    }
}
