//! Running a script over the input.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::rc::Rc;

use codepod_posix_regex::{Error, Regex, Span, next_char};
use codepod_tool::{Command as Shell, Ends, complain, io_text, path};
use memchr::memchr;

use crate::arguments::Asked;
use crate::command::{
    Action, Address, Command, Expression, Script, Substitution, Transliteration, When,
};
use crate::input::{Broken, Got, Input, Reader};
use crate::list;
use crate::output::Sink;

/// A line of text: the pattern space, or the hold space.
struct Space {
    text: Vec<u8>,
    /// It had an end.
    ended: bool,
}

/// What is printed at the end of a cycle.
enum Later<'s> {
    Text(&'s [u8]),
    File(&'s [u8]),
    Line(&'s [u8]),
}

/// How a range stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Range {
    Outside,
    /// With the last line's number, if that is what ends it.
    Inside(Option<u64>),
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

/// Nothing more can be done: a message, and the status.
struct Fatal(Vec<u8>, i32);

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

/// A file that is edited in place.
struct Edited {
    name: Vec<u8>,
    mode: u32,
    new: Sink,
}

struct Machine<'s> {
    asked: &'s Asked,
    script: &'s Script,
    input: Input,
    number: u64,
    pattern: Space,
    hold: Space,
    later: Vec<Later<'s>>,
    /// Standard output first, then the files of the script.
    sinks: Vec<Sink>,
    /// Which sink each output of the script is.
    sink_of: Vec<usize>,
    edited: Option<Edited>,
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
        pattern: Space {
            text: Vec::new(),
            ended: true,
        },
        hold: Space {
            text: Vec::new(),
            ended: true,
        },
        later: Vec::new(),
        sinks: vec![Sink::stdout(asked.unbuffered)],
        sink_of: Vec::new(),
        edited: None,
        ranges: script.commands.iter().map(first_state).collect(),
        readers: HashMap::new(),
        last: None,
        substituted: false,
        scratch: Vec::new(),
    };
    let result = machine.open_outputs().and_then(|()| machine.all());
    let mut status = match result {
        Ok(0) if machine.input.missed => 2,
        Ok(status) => status,
        Err(Fatal(message, status)) => {
            machine.sinks[0].write_out();
            complain("sed", message);
            status
        }
    };
    for sink in &mut machine.sinks {
        if let Err(error) = sink.finish() {
            complain(
                "sed",
                format!("couldn't write to output: {}", io_text(&error)),
            );
            status = 4;
        }
    }
    status
}

/// A range that starts at line 0 is open from the start.
fn first_state(command: &Command) -> Range {
    match (&command.which.first, &command.which.second) {
        (Some(Address::Line(0)), Some(_)) => Range::Inside(None),
        _ => Range::Outside,
    }
}

impl<'s> Machine<'s> {
    fn open_outputs(&mut self) -> Result<(), Fatal> {
        for name in &self.script.outputs {
            let sink = match &name[..] {
                b"/dev/stdout" => {
                    self.sink_of.push(0);
                    continue;
                }
                b"/dev/stderr" => Sink::stderr(),
                _ => match File::create(path(name)) {
                    Ok(file) => Sink::file(file),
                    Err(error) => {
                        let message = [
                            b"couldn't open file ",
                            &name[..],
                            b": ",
                            io_text(&error).as_bytes(),
                        ]
                        .concat();
                        return Err(Fatal(message, 4));
                    }
                },
            };
            self.sinks.push(sink);
            self.sink_of.push(self.sinks.len() - 1);
        }
        Ok(())
    }

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
            if self.sinks[0].is_broken() {
                return Ok(4);
            }
        }
    }

    /// Where lines go.
    fn out(&mut self) -> &mut Sink {
        match &mut self.edited {
            Some(edited) => &mut edited.new,
            None => &mut self.sinks[0],
        }
    }

    fn print_pattern(&mut self) {
        let end = self.asked.end;
        let sink = match &mut self.edited {
            Some(edited) => &mut edited.new,
            None => &mut self.sinks[0],
        };
        sink.line(&self.pattern.text, self.pattern.ended, end);
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
                let end = self.asked.end;
                let out = self.out();
                out.end_last(end);
                out.put(&text);
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
                self.edited = Some(Edited {
                    mode: mode_of(&name),
                    name,
                    new: Sink::memory(),
                });
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
        let Some(edited) = self.edited.take() else {
            return Ok(());
        };
        self.input.current = None;
        let Edited { name, mode, new } = edited;
        let slash = name.iter().rposition(|byte| *byte == b'/');
        let directory = &name[..slash.map_or(0, |at| at + 1)];
        let temporary = temporary(directory);
        let written = File::create_new(path(&temporary))
            .and_then(|mut file| file.write_all(&new.into_memory()));
        if let Err(error) = written {
            let message = [
                b"couldn't open temporary file ",
                &temporary[..],
                b": ",
                io_text(&error).as_bytes(),
            ]
            .concat();
            return Err(Fatal(message, 4));
        }
        set_mode(&temporary, mode);
        let suffix = self.asked.in_place.as_deref().unwrap_or_default();
        if !suffix.is_empty() {
            let backup = backup(&name, suffix);
            if let Err(error) = std::fs::rename(path(&name), path(&backup)) {
                let message = [
                    b"cannot rename ",
                    &name[..],
                    b": ",
                    io_text(&error).as_bytes(),
                ]
                .concat();
                return Err(Fatal(message, 4));
            }
        }
        if let Err(error) = std::fs::rename(path(&temporary), path(&name)) {
            let message = [
                b"cannot rename ",
                &temporary[..],
                b": ",
                io_text(&error).as_bytes(),
            ]
            .concat();
            return Err(Fatal(message, 4));
        }
        Ok(())
    }

    /// Prints what `a`, `r` and `R` have put off.
    fn print_later(&mut self) -> Result<(), Fatal> {
        if self.later.is_empty() {
            return Ok(());
        }
        let end = self.asked.end;
        for later in std::mem::take(&mut self.later) {
            match later {
                Later::Text(text) => {
                    let out = self.out();
                    out.end_last(end);
                    out.put(text);
                }
                Later::File(name) => {
                    self.sinks.iter_mut().skip(1).for_each(Sink::write_out);
                    let mut text = Vec::new();
                    // A file that is not there is empty.
                    let result = match name {
                        b"/dev/stdin" => io::stdin().lock().read_to_end(&mut text),
                        _ => {
                            File::open(path(name)).and_then(|mut file| file.read_to_end(&mut text))
                        }
                    };
                    if result.is_ok() && !text.is_empty() {
                        let out = self.out();
                        out.end_last(end);
                        out.put(&text);
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
                        let out = self.out();
                        out.end_last(end);
                        out.put(&line);
                    }
                }
            }
        }
        Ok(())
    }

    /// Runs the script once.
    fn cycle(&mut self) -> Result<End, Fatal> {
        let script = self.script;
        let end = self.asked.end;
        let mut at = 0;
        while let Some(command) = script.commands.get(at) {
            at += 1;
            if (command.which.first.is_some() || command.which.inverted)
                && self.is_for(command, at - 1)? == command.which.inverted
            {
                if let Action::Block(behind) = command.action {
                    at = behind;
                }
                continue;
            }
            match &command.action {
                Action::Block(_) | Action::Nothing => {}
                Action::Append(text) => self.later.push(Later::Text(text)),
                Action::ReadFile(name) => self.later.push(Later::File(name)),
                Action::ReadLine(name) => self.later.push(Later::Line(name)),
                Action::Execute(text) => {
                    let output = self.output_of(text)?;
                    let out = self.out();
                    out.end_last(end);
                    out.put(&output);
                }
                Action::ExecutePattern => {
                    self.execute_pattern()?;
                    self.pattern.ended = true;
                }
                Action::Insert(text) => {
                    let out = self.out();
                    out.end_last(end);
                    out.put(text);
                }
                Action::Change(text) => {
                    let inside = command.which.second.is_some()
                        && !command.which.inverted
                        && self.ranges[at - 1] != Range::Outside;
                    if !inside {
                        let out = self.out();
                        out.end_last(end);
                        out.put(text);
                    }
                    return Ok(End::Silent);
                }
                Action::Branch(to) => at = *to,
                Action::BranchIfSubstituted(to) => {
                    if std::mem::take(&mut self.substituted) {
                        at = *to;
                    }
                }
                Action::BranchUnlessSubstituted(to) => {
                    if !std::mem::take(&mut self.substituted) {
                        at = *to;
                    }
                }
                Action::Delete => return Ok(End::Silent),
                Action::DeleteFirst => match memchr(end, &self.pattern.text) {
                    None => return Ok(End::Silent),
                    Some(place) => {
                        self.pattern.text.drain(..=place);
                        return Ok(End::Again);
                    }
                },
                Action::FileName => {
                    let name = self
                        .input
                        .current
                        .as_ref()
                        .map_or(b"-".to_vec(), |reader| reader.name.clone());
                    self.out().line(&name, true, end);
                }
                Action::GetHold => {
                    self.pattern.text.clone_from(&self.hold.text);
                    self.pattern.ended = self.hold.ended;
                }
                Action::AppendHold => {
                    self.pattern.text.push(end);
                    self.pattern.text.extend_from_slice(&self.hold.text);
                }
                Action::Hold => {
                    self.hold.text.clone_from(&self.pattern.text);
                    self.hold.ended = self.pattern.ended;
                }
                Action::HoldAppend => {
                    self.hold.text.push(end);
                    self.hold.text.extend_from_slice(&self.pattern.text);
                }
                Action::Exchange => std::mem::swap(&mut self.pattern, &mut self.hold),
                Action::List(width) => {
                    let mut shown = Vec::new();
                    list::show(
                        &self.pattern.text,
                        width.unwrap_or(self.asked.width),
                        end,
                        &mut shown,
                    );
                    let out = self.out();
                    out.end_last(end);
                    out.put(&shown);
                }
                Action::Next => {
                    if self.input.is_over(self.asked.separate)? {
                        return Ok(self.at_end_of_input());
                    }
                    if !self.asked.quiet {
                        self.print_pattern();
                    }
                    if !self.read(false)? {
                        return Ok(End::Silent);
                    }
                }
                Action::AppendNext => {
                    if self.input.is_over(self.asked.separate)? {
                        return Ok(self.at_end_of_input());
                    }
                    self.pattern.text.push(end);
                    if !self.read(true)? {
                        return Ok(End::Silent);
                    }
                }
                Action::Print => self.print_pattern(),
                Action::PrintFirst => {
                    let text = std::mem::take(&mut self.pattern.text);
                    let ended = self.pattern.ended;
                    match memchr(end, &text) {
                        Some(place) => self.out().line(&text[..place], true, end),
                        None => self.out().line(&text, ended, end),
                    }
                    self.pattern.text = text;
                }
                Action::Quit(status) => return Ok(End::Quit(*status, true)),
                Action::QuitSilently(status) => return Ok(End::Quit(*status, false)),
                Action::Write(output) => {
                    let sink = self.sink_of[*output];
                    self.sinks[sink].line(&self.pattern.text, self.pattern.ended, end);
                }
                Action::WriteFirst(output) => {
                    let sink = self.sink_of[*output];
                    match memchr(end, &self.pattern.text) {
                        Some(place) => {
                            self.sinks[sink].line(&self.pattern.text[..place], true, end)
                        }
                        None => self.sinks[sink].line(&self.pattern.text, self.pattern.ended, end),
                    }
                }
                Action::LineNumber => {
                    let number = self.number;
                    let out = self.out();
                    out.end_last(end);
                    out.put(number.to_string().as_bytes());
                    out.put(&[end]);
                }
                Action::Zap => self.pattern.text.clear(),
                Action::Transliterate(table) => self.transliterate(table),
                Action::Substitute(substitution) => self.substitute(substitution)?,
            }
        }
        Ok(End::Printing)
    }

    /// `n` and `N` without a next line: the pattern space is printed, except where POSIX is meant strictly.
    fn at_end_of_input(&self) -> End {
        End::Quit(0, !self.asked.posix)
    }

    fn is_for(&mut self, command: &Command, number: usize) -> Result<bool, Fatal> {
        let Some(first) = &command.which.first else {
            return Ok(true);
        };
        let Some(second) = &command.which.second else {
            return self.is_at(first);
        };
        let line = self.number;
        if let Range::Inside(last) = self.ranges[number] {
            let Some(last) = last else {
                if self.is_at(second)? {
                    self.ranges[number] = Range::Outside;
                }
                return Ok(true);
            };
            if line >= last {
                self.ranges[number] = Range::Outside;
            }
            if line <= last {
                return Ok(true);
            }
        }
        if !self.is_at(first)? {
            return Ok(false);
        }
        let last = match second {
            Address::Line(last) => Some(*last),
            Address::More(more) => Some(line.saturating_add(*more)),
            Address::Multiple(0) => Some(line),
            Address::Multiple(of) => Some((line / of + 1).saturating_mul(*of)),
            Address::Last if self.input.is_last(self.asked.separate)? => Some(line),
            _ => None,
        };
        if last.is_none_or(|last| last > line) {
            self.ranges[number] = Range::Inside(last);
        }
        Ok(true)
    }

    fn is_at(&mut self, address: &Address) -> Result<bool, Fatal> {
        Ok(match address {
            Address::Line(number) => self.number == *number,
            Address::Step(first, step) => {
                self.number >= *first && (self.number - first).is_multiple_of(*step)
            }
            Address::Last => self.input.is_last(self.asked.separate)?,
            Address::Match(expression) => {
                let regex = self.regex(expression)?;
                regex.is_match(&self.pattern.text, 0)?
            }
            Address::More(_) | Address::Multiple(_) => false,
        })
    }

    /// The expression that is meant, which is the last one from now on.
    fn regex(&mut self, expression: &Expression) -> Result<Rc<Regex>, Fatal> {
        if let Some(regex) = expression {
            self.last = Some(Rc::clone(regex));
        }
        match &self.last {
            Some(regex) => Ok(Rc::clone(regex)),
            None => Err(Fatal(
                b"-e expression #1, char 0: no previous regular expression".to_vec(),
                1,
            )),
        }
    }

    /// Runs the pattern space as a command, whose output takes its place.
    fn execute_pattern(&mut self) -> Result<(), Fatal> {
        let text = std::mem::take(&mut self.pattern.text);
        self.pattern.text = self.output_of(&text)?;
        self.pattern.text.pop_if(|last| *last == self.asked.end);
        Ok(())
    }

    /// What a command prints; everything printed so far comes before it.
    fn output_of(&mut self, command: &[u8]) -> Result<Vec<u8>, Fatal> {
        self.sinks.iter_mut().for_each(Sink::write_out);
        let mut output = Vec::new();
        let ran = Shell::shell(command, Ends::Output).and_then(|mut shell| {
            shell.read_to_end(&mut output)?;
            shell.wait()
        });
        match ran {
            Ok(_) => Ok(output),
            Err(_) => Err(Fatal(b"error in subprocess".to_vec(), 4)),
        }
    }

    fn transliterate(&mut self, table: &Transliteration) {
        match table {
            Transliteration::Bytes(table) => {
                for byte in &mut self.pattern.text {
                    *byte = table[usize::from(*byte)];
                }
            }
            Transliteration::Characters(pairs) => {
                let text = std::mem::take(&mut self.pattern.text);
                let mut at = 0;
                while at < text.len() {
                    let next = next_char(&text, at).1;
                    let from = &text[at..next];
                    let to = pairs
                        .iter()
                        .find(|(known, _)| known == from)
                        .map_or(from, |(_, to)| to);
                    self.pattern.text.extend_from_slice(to);
                    at = next;
                }
            }
        }
    }

    fn substitute(&mut self, substitution: &Substitution) -> Result<(), Fatal> {
        let regex = self.regex(&substitution.expression)?;
        if self.asked.posix && substitution.replacement.groups > regex.groups() {
            let message = format!(
                "invalid reference \\{} on s command's RHS",
                substitution.replacement.groups
            );
            return Err(Fatal(message.into_bytes(), 1));
        }
        let text = &self.pattern.text;
        let with_groups = substitution.replacement.groups > 0;
        let mut out = std::mem::take(&mut self.scratch);
        out.clear();
        let mut copied = 0;
        let mut at = 0;
        let mut count = 0;
        let mut replaced = false;
        let mut last_end = None;
        while at <= text.len() {
            let spans: Vec<Option<Span>>;
            let whole: [Option<Span>; 1];
            let (span, groups) = if with_groups {
                match regex.captures(text, at)? {
                    Some(found) => spans = found,
                    None => break,
                }
                (spans[0], &spans[..])
            } else {
                whole = [regex.find(text, at)?];
                (whole[0], &whole[..])
            };
            let Some((start, end)) = span else {
                break;
            };
            // Nothing is found right behind what was found.
            if start == end && last_end == Some(start) {
                if start >= text.len() {
                    break;
                }
                at = next_char(text, start).1;
                continue;
            }
            count += 1;
            last_end = Some(end);
            if count >= substitution.number {
                out.extend_from_slice(&text[copied..start]);
                substitution.replacement.put(text, groups, &mut out);
                copied = end;
                replaced = true;
                if !substitution.global {
                    break;
                }
            }
            if start == end {
                if end >= text.len() {
                    break;
                }
                at = next_char(text, end).1;
            } else {
                at = end;
            }
        }
        if !replaced {
            self.scratch = out;
            return Ok(());
        }
        out.extend_from_slice(&text[copied..]);
        self.scratch = std::mem::replace(&mut self.pattern.text, out);
        self.substituted = true;
        if !substitution.execute {
            if substitution.print.is_some() {
                self.print_pattern();
            }
        } else {
            if substitution.print == Some(When::Before) {
                self.print_pattern();
            }
            self.execute_pattern()?;
            if substitution.print == Some(When::After) {
                self.print_pattern();
            }
        }
        if let Some(output) = substitution.write {
            let sink = self.sink_of[output];
            self.sinks[sink].line(&self.pattern.text, self.pattern.ended, self.asked.end);
        }
        Ok(())
    }
}

/// The permission bits of a file.
fn mode_of(name: &[u8]) -> u32 {
    let stat = codepod_sys::file::stat_path(name, codepod_sys::file::Links::Follow);
    stat.map_or(0o644, |stat| stat.mode & 0o7777)
}

fn set_mode(name: &[u8], mode: u32) {
    // Where modes cannot be set the file has the one that it got.
    let _ = codepod_sys::file::set_mode(name, codepod_sys::file::Links::Follow, mode);
}

/// A name that nothing has yet.
fn temporary(directory: &[u8]) -> Vec<u8> {
    for number in 0..u32::MAX {
        let name = [directory, format!("sed{number:06}").as_bytes()].concat();
        if std::fs::symlink_metadata(path(&name)).is_err() {
            return name;
        }
    }
    directory.to_vec()
}

/// The name of a backup: where the suffix has a `*` the name stands, otherwise before it.
fn backup(name: &[u8], suffix: &[u8]) -> Vec<u8> {
    if !suffix.contains(&b'*') {
        return [name, suffix].concat();
    }
    let parts: Vec<&[u8]> = suffix.split(|byte| *byte == b'*').collect();
    parts.join(name)
}
