//! Running a script over the input.

mod address;
mod edited;
mod outputs;
mod substitution;

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::rc::Rc;

use codepod_posix_regex::{Error, Regex};
use codepod_tool::{complain, io_text, path};
use memchr::memchr;

use crate::arguments::Asked;
use crate::command::{Action, Address, Command, Script};
use crate::input::{Broken, Got, Input, Reader};
use crate::list;
use address::Range;
use edited::Edited;
use outputs::Outputs;

/// A line of text: the pattern space, or the hold space.
struct Space {
    text: Vec<u8>,
    /// It had an end.
    ended: bool,
}

impl Space {
    fn new() -> Space {
        Space {
            text: Vec::new(),
            ended: true,
        }
    }

    /// Becomes what the other one is.
    fn copy(&mut self, other: &Space) {
        self.text.clone_from(&other.text);
        self.ended = other.ended;
    }

    /// Gets the other one as a further line.
    fn append(&mut self, other: &Space, end: u8) {
        self.text.push(end);
        self.text.extend_from_slice(&other.text);
    }

    /// Its text, and whether that had an end.
    fn line(&self) -> (&[u8], bool) {
        (&self.text, self.ended)
    }

    /// Its first line, and whether that had an end.
    fn first_line(&self, end: u8) -> (&[u8], bool) {
        match memchr(end, &self.text) {
            Some(place) => (&self.text[..place], true),
            None => self.line(),
        }
    }
}

/// What is printed at the end of a cycle.
enum Later<'s> {
    Text(&'s [u8]),
    File(&'s [u8]),
    Line(&'s [u8]),
}

/// How a cycle ends.
enum End {
    /// The pattern space is printed.
    Printing,
    /// It is not.
    Silent,
    /// It starts again with what is left.
    Again,
    /// It is the last one.
    Quit(i32, bool),
}

/// What follows a command.
enum Flow {
    /// The next one.
    Next,
    /// The command with this number.
    To(usize),
    /// The end of the cycle.
    End(End),
}

/// Nothing more can be done: a message, and the status.
struct Fatal(Vec<u8>, i32);

impl Fatal {
    /// A file that something cannot be done with.
    fn file(what: &str, name: &[u8], error: &io::Error) -> Fatal {
        let why = io_text(error);
        Fatal([what.as_bytes(), name, b": ", why.as_bytes()].concat(), 4)
    }
}

impl From<Broken> for Fatal {
    fn from(broken: Broken) -> Fatal {
        Fatal(broken.message, 4)
    }
}

impl From<Error> for Fatal {
    fn from(error: Error) -> Fatal {
        Fatal(format!("regex match: {}", error.message()).into_bytes(), 4)
    }
}

struct Machine<'s> {
    asked: &'s Asked,
    script: &'s Script,
    input: Input,
    number: u64,
    pattern: Space,
    hold: Space,
    later: Vec<Later<'s>>,
    outputs: Outputs,
    /// One for each command.
    ranges: Vec<Range>,
    /// Files of `R`.
    readers: HashMap<&'s [u8], Option<Reader>>,
    last: Option<Rc<Regex>>,
    substituted: bool,
    scratch: Vec<u8>,
}

/// Runs a script and returns the status.
pub(crate) fn run(asked: &Asked, script: &Script) -> i32 {
    let mut machine = Machine {
        asked,
        script,
        input: Input::new(asked),
        number: 0,
        pattern: Space::new(),
        hold: Space::new(),
        later: Vec::new(),
        outputs: Outputs::new(asked.unbuffered, asked.end),
        ranges: script.commands.iter().map(Range::first).collect(),
        readers: HashMap::new(),
        last: None,
        substituted: false,
        scratch: Vec::new(),
    };
    let opened = machine.outputs.open(&script.outputs);
    let status = match opened.and_then(|()| machine.all()) {
        Ok(0) if machine.input.missed => 2,
        Ok(status) => status,
        Err(Fatal(message, status)) => {
            machine.outputs.write_out_stdout();
            complain("sed", message);
            status
        }
    };
    match machine.outputs.finish() {
        true => status,
        false => 4,
    }
}

impl<'s> Machine<'s> {
    fn all(&mut self) -> Result<i32, Fatal> {
        let mut again = false;
        loop {
            if !again && !self.read(false)? {
                self.finish_edited()?;
                return Ok(0);
            }
            let end = self.cycle()?;
            again = matches!(end, End::Again);
            match end {
                End::Printing | End::Quit(_, true) if !self.asked.quiet => self.print_pattern(),
                _ => {}
            }
            if let End::Quit(_, false) = end {
                self.later.clear();
            }
            self.print_later()?;
            if let End::Quit(status, _) = end {
                self.finish_edited()?;
                return Ok(status);
            }
            if self.outputs.is_broken() {
                return Ok(4);
            }
        }
    }

    fn print_pattern(&mut self) {
        self.outputs.print(self.pattern.line());
    }

    /// Reads the next line, in place of the pattern space or behind it. False when there is none.
    fn read(&mut self, append: bool) -> Result<bool, Fatal> {
        self.print_later()?;
        self.substituted = false;
        if !append {
            self.pattern.text.clear();
        }
        loop {
            if let Some(current) = &mut self.input.current {
                match current.line(self.asked.end, &mut self.pattern.text)? {
                    Got::Nothing => {}
                    got => {
                        self.pattern.ended = got == Got::Whole;
                        self.number += 1;
                        if self.number == 1 {
                            self.read_before();
                        }
                        return Ok(true);
                    }
                }
                self.finish_edited()?;
            }
            if !self.next_file()? {
                return Ok(false);
            }
        }
    }

    /// `0r FILE`: prints a file before the first line.
    fn read_before(&mut self) {
        let script = self.script;
        for command in &script.commands {
            if let (Some(Address::Line(0)), None, Action::ReadFile(name)) =
                (&command.which.first, &command.which.second, &command.action)
            {
                // A file that is not there is empty.
                let text = std::fs::read(path(name)).unwrap_or_default();
                self.outputs.put(&text);
            }
        }
    }

    /// Goes on to the next file. False when there is none.
    fn next_file(&mut self) -> Result<bool, Fatal> {
        let in_place = self.asked.in_place.is_some();
        self.input.current = None;
        if !in_place {
            self.input.current = self.input.next_file()?;
        } else {
            while let Some(name) = self.input.next_name()? {
                if self.edit(&name)? {
                    break;
                }
            }
        }
        if self.asked.separate && self.input.current.is_some() {
            self.number = 0;
            self.hold.text.clear();
            self.hold.ended = true;
        }
        Ok(self.input.current.is_some())
    }

    /// Opens a file to edit it in place. False when that cannot be done.
    fn edit(&mut self, name: &[u8]) -> Result<bool, Fatal> {
        let name = name.to_vec();
        let metadata = match std::fs::metadata(path(&name)) {
            Ok(metadata) => metadata,
            Err(error) => {
                self.input.miss(&name, &error);
                return Ok(false);
            }
        };
        if !metadata.is_file() {
            return Err(Fatal(
                [b"couldn't edit ", &name[..], b": not a regular file"].concat(),
                4,
            ));
        }
        let opened = if name == b"-" {
            Reader::open(b"./-")
        } else {
            Reader::open(&name)
        };
        match opened {
            Ok(reader) => {
                self.outputs.edited = Some(Edited::new(name));
                self.input.current = Some(reader);
                Ok(true)
            }
            Err(error) => {
                self.input.miss(&name, &error);
                Ok(false)
            }
        }
    }

    /// Puts what was made of a file in its place.
    fn finish_edited(&mut self) -> Result<(), Fatal> {
        let Some(edited) = self.outputs.edited.take() else {
            return Ok(());
        };
        self.input.current = None;
        edited.finish(self.asked.in_place.as_deref().unwrap_or_default())
    }

    /// Prints what `a`, `r` and `R` have put off.
    fn print_later(&mut self) -> Result<(), Fatal> {
        if self.later.is_empty() {
            return Ok(());
        }
        let end = self.asked.end;
        for later in std::mem::take(&mut self.later) {
            match later {
                Later::Text(text) => self.outputs.put(text),
                Later::File(name) => {
                    self.outputs.write_out_files();
                    let mut text = Vec::new();
                    // A file that is not there is empty.
                    let result = match name {
                        b"/dev/stdin" => io::stdin().lock().read_to_end(&mut text),
                        _ => {
                            File::open(path(name)).and_then(|mut file| file.read_to_end(&mut text))
                        }
                    };
                    if result.is_ok() && !text.is_empty() {
                        self.outputs.put(&text);
                    }
                }
                Later::Line(name) => {
                    let reader = self.readers.entry(name).or_insert_with(|| {
                        let name = if name == b"/dev/stdin" { b"-" } else { name };
                        Reader::open(name).ok()
                    });
                    let mut line = Vec::new();
                    let got = match reader {
                        Some(reader) => reader.line(end, &mut line)?,
                        None => Got::Nothing,
                    };
                    if got != Got::Nothing {
                        if got == Got::Whole {
                            line.push(end);
                        }
                        self.outputs.put(&line);
                    }
                }
            }
        }
        Ok(())
    }

    /// Runs the script once.
    fn cycle(&mut self) -> Result<End, Fatal> {
        let script = self.script;
        let mut at = 0;
        while let Some(command) = script.commands.get(at) {
            let number = at;
            at += 1;
            if (command.which.first.is_some() || command.which.inverted)
                && self.is_for(command, number)? == command.which.inverted
            {
                if let Action::Block(behind) = command.action {
                    at = behind;
                }
                continue;
            }
            match self.step(command, number)? {
                Flow::Next => {}
                Flow::To(to) => at = to,
                Flow::End(end) => return Ok(end),
            }
        }
        Ok(End::Printing)
    }

    /// Runs a command, which has a number.
    fn step(&mut self, command: &'s Command, number: usize) -> Result<Flow, Fatal> {
        let end = self.asked.end;
        match &command.action {
            Action::Block(_) | Action::Nothing => {}
            Action::Append(text) => self.later.push(Later::Text(text)),
            Action::ReadFile(name) => self.later.push(Later::File(name)),
            Action::ReadLine(name) => self.later.push(Later::Line(name)),
            Action::Insert(text) => self.outputs.put(text),
            Action::Change(text) => {
                if !self.goes_on(command, number) {
                    self.outputs.put(text);
                }
                return Ok(Flow::End(End::Silent));
            }
            Action::Execute(text) => {
                let output = self.output_of(text)?;
                self.outputs.put(&output);
            }
            Action::ExecutePattern => {
                self.execute_pattern()?;
                self.pattern.ended = true;
            }
            Action::Branch(to) => return Ok(Flow::To(*to)),
            Action::BranchIfSubstituted(to) => return Ok(self.branch_if(true, *to)),
            Action::BranchUnlessSubstituted(to) => return Ok(self.branch_if(false, *to)),
            Action::Delete => return Ok(Flow::End(End::Silent)),
            Action::DeleteFirst => return Ok(Flow::End(self.delete_first())),
            Action::GetHold => self.pattern.copy(&self.hold),
            Action::AppendHold => self.pattern.append(&self.hold, end),
            Action::Hold => self.hold.copy(&self.pattern),
            Action::HoldAppend => self.hold.append(&self.pattern, end),
            Action::Exchange => std::mem::swap(&mut self.pattern, &mut self.hold),
            Action::FileName => self.print_file_name(),
            Action::List(width) => self.list(*width),
            Action::Next => return self.next(),
            Action::AppendNext => return self.append_next(),
            Action::Print => self.print_pattern(),
            Action::PrintFirst => self.outputs.print(self.pattern.first_line(end)),
            Action::Quit(status) => return Ok(Flow::End(End::Quit(*status, true))),
            Action::QuitSilently(status) => return Ok(Flow::End(End::Quit(*status, false))),
            Action::Write(output) => self.outputs.write(*output, self.pattern.line()),
            Action::WriteFirst(output) => {
                self.outputs.write(*output, self.pattern.first_line(end));
            }
            Action::LineNumber => {
                let line = self.number.to_string();
                self.outputs.print((line.as_bytes(), true));
            }
            Action::Zap => self.pattern.text.clear(),
            Action::Transliterate(table) => self.transliterate(table),
            Action::Substitute(substitution) => self.substitute(substitution)?,
        }
        Ok(Flow::Next)
    }

    /// Whether a command's range goes on behind this line.
    fn goes_on(&self, command: &Command, number: usize) -> bool {
        command.which.second.is_some()
            && !command.which.inverted
            && self.ranges[number] != Range::Outside
    }

    /// `t` and `T`
    fn branch_if(&mut self, substituted: bool, to: usize) -> Flow {
        match std::mem::take(&mut self.substituted) == substituted {
            true => Flow::To(to),
            false => Flow::Next,
        }
    }

    /// `D`
    fn delete_first(&mut self) -> End {
        match memchr(self.asked.end, &self.pattern.text) {
            None => End::Silent,
            Some(place) => {
                self.pattern.text.drain(..=place);
                End::Again
            }
        }
    }

    /// `F`
    fn print_file_name(&mut self) {
        let current = self.input.current.as_ref();
        let name = current.map_or(&b"-"[..], |reader| &reader.name);
        self.outputs.print((name, true));
    }

    /// `l`
    fn list(&mut self, width: Option<usize>) {
        let mut shown = Vec::new();
        let width = width.unwrap_or(self.asked.width);
        list::show(&self.pattern.text, width, self.asked.end, &mut shown);
        self.outputs.put(&shown);
    }

    /// `n`
    fn next(&mut self) -> Result<Flow, Fatal> {
        if self.input.is_over(self.asked.separate)? {
            return Ok(self.at_end_of_input());
        }
        if !self.asked.quiet {
            self.print_pattern();
        }
        self.read_or_end(false)
    }

    /// `N`
    fn append_next(&mut self) -> Result<Flow, Fatal> {
        if self.input.is_over(self.asked.separate)? {
            return Ok(self.at_end_of_input());
        }
        self.pattern.text.push(self.asked.end);
        self.read_or_end(true)
    }

    fn read_or_end(&mut self, append: bool) -> Result<Flow, Fatal> {
        Ok(match self.read(append)? {
            true => Flow::Next,
            false => Flow::End(End::Silent),
        })
    }

    /// `n` and `N` without a next line: the pattern space is printed, except where POSIX is meant
    /// strictly.
    fn at_end_of_input(&self) -> Flow {
        Flow::End(End::Quit(0, !self.asked.posix))
    }
}
