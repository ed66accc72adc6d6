//! What is read and written: the main input, `getline`, redirections, commands.

use std::io;
use std::rc::Rc;

use codepod_tool::{Ends, complain, io_text};

use super::{Awk, Eval, Halt, fatal};
use crate::input::Reader;
use crate::lexer::unescape;
use crate::output::{Running, Sink};
use crate::text::Str;
use crate::tree::{Expr, Place, Source, Special, Target};
use crate::value::Value;

/// What a sink is, in front of its name in the table.
const FILE: u8 = b'>';
const PIPE: u8 = b'|';
const BOTH: u8 = b'&';

impl Awk {
    /// Reads the next record of the main input into `$0`; false at the end, where `$0` stays what
    /// it was.
    pub(super) fn next_record(&mut self) -> Eval<bool> {
        if !self.main_record()? {
            return Ok(false);
        }
        std::mem::swap(self.record.buffer(), &mut self.fresh);
        self.record.renew();
        Ok(true)
    }

    /// Reads the next record of the main input into `fresh` and counts it; false at the end.
    fn main_record(&mut self) -> Eval<bool> {
        while !self.at_end {
            let Some(input) = &mut self.input else {
                self.at_end = !self.open_next()?;
                continue;
            };
            match input.next(
                &self.separator,
                self.icase,
                &mut self.fresh,
                &mut self.terminator,
            ) {
                Ok(true) => {
                    self.note_terminator();
                    self.nr += 1.0;
                    self.fnr += 1.0;
                    return Ok(true);
                }
                Ok(false) => self.end_file()?,
                Err(message) => {
                    let name = self.globals[Special::FILENAME as usize].str(b"%.6g");
                    let name = String::from_utf8_lossy(name.as_bytes()).into_owned();
                    return fatal(format!("error reading input file `{name}': {message}"));
                }
            }
        }
        Ok(false)
    }

    /// RT, only set anew where it differs.
    fn note_terminator(&mut self) {
        let slot = &mut self.globals[Special::RT as usize];
        if let Value::Str(text) = slot
            && text.as_bytes() == self.terminator
        {
            return;
        }
        *slot = Value::Str(Str::new(&self.terminator));
    }

    /// Ends the file at hand.
    pub(super) fn end_file(&mut self) -> Eval<()> {
        self.input = None;
        if self.begun_file {
            self.begun_file = false;
            let program = Rc::clone(&self.program);
            match self.block(&program.end_file) {
                Ok(_) => {}
                Err(halt) if matches!(*halt, Halt::NextFile | Halt::Next) => {}
                Err(halt) => return Err(halt),
            }
        }
        Ok(())
    }

    /// Opens the next file that ARGV names, assigning on the way; false when there is none.
    fn open_next(&mut self) -> Eval<bool> {
        loop {
            let count = self.globals[Special::ARGC as usize].num();
            if self.argument as f64 >= count {
                if self.fell_back {
                    return Ok(false);
                }
                self.fell_back = true;
                self.input = Some(Reader::stdin());
                self.fnr = 0.0;
                if !self.program.begin_file.is_empty() {
                    self.set_text(Special::FILENAME, b"");
                }
                return self.begin_file(None);
            }
            let argv = self.global_array(Special::ARGV);
            let key = self.argument.to_string();
            let argument = argv
                .borrow()
                .get(key.as_bytes())
                .map(|value| value.str(&self.convfmt));
            self.argument += 1;
            let Some(argument) = argument.filter(|argument| !argument.as_bytes().is_empty()) else {
                continue;
            };
            let name = argument.as_bytes();
            if self.assignment(name)? {
                continue;
            }
            self.fell_back = true;
            self.set_number(Special::ARGIND, (self.argument - 1) as f64);
            let opened = match name {
                b"-" | b"/dev/stdin" => Ok(Reader::stdin()),
                name => Reader::open(name),
            };
            self.fnr = 0.0;
            self.globals[Special::FILENAME as usize] = Value::Input(argument.clone());
            let shown = String::from_utf8_lossy(name).into_owned();
            match opened {
                Ok(reader) => {
                    self.input = Some(reader);
                    if self.begin_file(None)? {
                        return Ok(true);
                    }
                }
                Err(error) => {
                    if !self.program.begin_file.is_empty() {
                        let text = why(&error);
                        if self.begin_file(Some(&text))? {
                            return fatal(format!(
                                "cannot open file `{shown}' for reading: {text}"
                            ));
                        }
                    } else if error.kind() == io::ErrorKind::IsADirectory {
                        // No place: gawk has none between files.
                        let message = format!(
                            "warning: command line argument `{shown}' is a directory: skipped"
                        );
                        complain(&self.name, message);
                    } else {
                        return fatal(format!(
                            "cannot open file `{shown}' for reading: {}",
                            why(&error)
                        ));
                    }
                }
            }
        }
    }

    /// Runs BEGINFILE; false when it skips the file.
    fn begin_file(&mut self, error: Option<&str>) -> Eval<bool> {
        self.set_errno(error.unwrap_or(""));
        let program = Rc::clone(&self.program);
        self.begun_file = error.is_none();
        match self.block(&program.begin_file) {
            Ok(_) => Ok(true),
            Err(halt) if matches!(*halt, Halt::NextFile) => {
                self.end_file()?;
                Ok(false)
            }
            Err(halt) => Err(halt),
        }
    }

    /// An argument `name=value`: assigns, or says that it is none.
    pub fn assignment(&mut self, argument: &[u8]) -> Eval<bool> {
        let Some(equals) = argument.iter().position(|byte| *byte == b'=') else {
            return Ok(false);
        };
        let name = &argument[..equals];
        let is_name = name
            .first()
            .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
            && name
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        if !is_name {
            return Ok(false);
        }
        self.assign_text(name, &argument[equals + 1..])?;
        Ok(true)
    }

    /// Assigns a text from outside to the variable of a name; one that the program does not have is
    /// left alone.
    pub fn assign_text(&mut self, name: &[u8], raw: &[u8]) -> Eval<()> {
        if self
            .program
            .functions
            .iter()
            .any(|function| function.name == name)
        {
            let name = String::from_utf8_lossy(name).into_owned();
            return fatal(format!(
                "cannot use function name `{name}' as variable name"
            ));
        }
        let value = unescape(raw, &mut Vec::new());
        let Some(slot) = self
            .program
            .globals
            .iter()
            .position(|global| global == name)
        else {
            return Ok(());
        };
        self.set_global(slot, Value::Input(Str::from(value)))
    }

    /// `getline`: 1, 0 at the end, -1 on an error.
    pub(super) fn getline(&mut self, source: &Source, place: Option<&Place>) -> Eval<f64> {
        let mut record = Vec::new();
        let found = match source {
            Source::Main => {
                if !self.main_record()? {
                    return Ok(0.0);
                }
                std::mem::swap(&mut record, &mut self.fresh);
                Ok(true)
            }
            Source::File(name) => {
                let name = self.text(name)?;
                self.line_of_file(name.as_bytes(), &mut record)?
            }
            Source::Command(command) => {
                let command = self.text(command)?;
                self.line_of_command(command.as_bytes(), &mut record)?
            }
            Source::Both(command) => {
                let command = self.text(command)?;
                self.line_of_both(command.as_bytes(), &mut record)?
            }
        };
        match found {
            Ok(true) => {}
            Ok(false) => return Ok(0.0),
            Err(message) => {
                self.set_errno(&message);
                return Ok(-1.0);
            }
        }
        self.note_terminator();
        match place {
            Some(place) => self.assign(place, Value::Input(Str::from(record)))?,
            None => self.record.set(&record),
        }
        Ok(1.0)
    }

    fn line_of_file(&mut self, name: &[u8], record: &mut Vec<u8>) -> Eval<Result<bool, String>> {
        if name.is_empty() {
            return fatal("expression for `<' redirection has null string value");
        }
        if !self.readers.contains_key(name) {
            let opened = match name {
                b"-" | b"/dev/stdin" => Ok(Reader::stdin()),
                name => Reader::open(name),
            };
            match opened {
                Ok(reader) => self.readers.insert(name.to_vec(), reader),
                Err(error) => return Ok(Err(why(&error))),
            };
        }
        let Some(reader) = self.readers.get_mut(name) else {
            return Ok(Ok(false));
        };
        Ok(reader.next(&self.separator, self.icase, record, &mut self.terminator))
    }

    fn line_of_command(
        &mut self,
        command: &[u8],
        record: &mut Vec<u8>,
    ) -> Eval<Result<bool, String>> {
        if command.is_empty() {
            return fatal("expression for `|' redirection has null string value");
        }
        if !self.commands.contains_key(command) {
            self.flush_all()?;
            match Running::start(command, Ends::Output) {
                Ok(running) => {
                    let reader = Reader::new(Box::new(running.clone()));
                    self.commands.insert(command.to_vec(), (running, reader));
                }
                Err(error) => return Ok(Err(why(&error))),
            }
        }
        let Some((_, reader)) = self.commands.get_mut(command) else {
            return Ok(Ok(false));
        };
        Ok(reader.next(&self.separator, self.icase, record, &mut self.terminator))
    }

    fn line_of_both(&mut self, command: &[u8], record: &mut Vec<u8>) -> Eval<Result<bool, String>> {
        self.open_both(command)?;
        self.flush_all()?;
        let Some((_, reader)) = self.commands.get_mut(command) else {
            return Ok(Ok(false));
        };
        Ok(reader.next(&self.separator, self.icase, record, &mut self.terminator))
    }

    /// Starts a command that is written to and read from, unless it runs.
    fn open_both(&mut self, command: &[u8]) -> Eval<()> {
        let key = [&[BOTH], command].concat();
        if self.sinks.contains_key(&key) {
            return Ok(());
        }
        self.flush_all()?;
        match Running::start(command, Ends::Both) {
            Ok(running) => {
                let reader = Reader::new(Box::new(running.clone()));
                self.commands
                    .insert(command.to_vec(), (running.clone(), reader));
                self.opened += 1;
                self.sinks
                    .insert(key, (self.opened, Sink::command(running)));
                Ok(())
            }
            Err(error) => {
                let shown = String::from_utf8_lossy(command).into_owned();
                fatal(format!(
                    "cannot open two way pipe `{shown}' for input/output: {}",
                    why(&error)
                ))
            }
        }
    }

    /// Writes to where `print` says.
    pub(super) fn write(&mut self, bytes: &[u8], target: &Target) -> Eval<()> {
        let (kind, expr, append) = match target {
            Target::Stdout => {
                self.stdout.buffer().extend_from_slice(bytes);
                return self.stdout_written();
            }
            Target::File(expr) => (FILE, expr, false),
            Target::Append(expr) => (FILE, expr, true),
            Target::Pipe(expr) => (PIPE, expr, false),
            Target::Both(expr) => (BOTH, expr, false),
        };
        let name = self.target_name(expr, kind, append)?;
        let name = name.as_bytes();
        if kind == FILE {
            match name {
                b"/dev/stdout" | b"-" => {
                    self.stdout.buffer().extend_from_slice(bytes);
                    return self.stdout_written();
                }
                b"/dev/stderr" => {
                    // In the order in which they were written, where both lead to the same place.
                    let mut sink = Sink::stderr();
                    sink.buffer().extend_from_slice(bytes);
                    return self.checked(sink.flush(), "/dev/stderr");
                }
                _ => {}
            }
        }
        let mut key = Vec::with_capacity(name.len() + 1);
        key.push(kind);
        key.extend_from_slice(name);
        if !self.sinks.contains_key(&key) {
            self.open_sink(kind, name, append)?;
        }
        let Some((_, sink)) = self.sinks.get_mut(&key) else {
            return Ok(());
        };
        sink.buffer().extend_from_slice(bytes);
        let result = sink.written();
        if kind != FILE {
            // A command that reads no more gets no more.
            return Ok(());
        }
        let shown = String::from_utf8_lossy(name).into_owned();
        self.checked(result, &shown)
    }

    fn target_name(&mut self, expr: &Expr, kind: u8, append: bool) -> Eval<Str> {
        let name = self.text(expr)?;
        if name.as_bytes().is_empty() {
            let sign = match (kind, append) {
                (FILE, false) => ">",
                (FILE, true) => ">>",
                (PIPE, _) => "|",
                _ => "|&",
            };
            return fatal(format!(
                "expression for `{sign}' redirection has null string value"
            ));
        }
        Ok(name)
    }

    fn open_sink(&mut self, kind: u8, name: &[u8], append: bool) -> Eval<()> {
        let shown = String::from_utf8_lossy(name).into_owned();
        let opened = match kind {
            FILE => Sink::file(name, append),
            PIPE => {
                self.flush_all()?;
                Running::start(name, Ends::Input).map(Sink::command)
            }
            _ => return self.open_both(name),
        };
        match opened {
            Ok(sink) => {
                self.opened += 1;
                let key = [&[kind], name].concat();
                self.sinks.insert(key, (self.opened, sink));
                Ok(())
            }
            Err(error) if kind == FILE => {
                fatal(format!("cannot redirect to `{shown}': {}", why(&error)))
            }
            Err(error) => fatal(format!(
                "cannot open pipe `{shown}' for output: {}",
                why(&error)
            )),
        }
    }

    /// After writing to the buffer of standard output.
    #[inline]
    pub(super) fn stdout_written(&mut self) -> Eval<()> {
        match self.stdout.written() {
            Ok(()) => Ok(()),
            Err(error) => fatal(format!(
                "print to \"standard output\" failed: {}",
                why(&error)
            )),
        }
    }

    fn checked(&mut self, result: io::Result<()>, name: &str) -> Eval<()> {
        match result {
            Ok(()) => Ok(()),
            Err(error) => fatal(format!("print to \"{name}\" failed: {}", why(&error))),
        }
    }

    /// Writes out everything that was collected.
    pub(super) fn flush_all(&mut self) -> Eval<()> {
        let result = self.stdout.flush();
        self.checked(result, "standard output")?;
        let mut failed = None;
        for (key, (_, sink)) in &mut self.sinks {
            if let Err(error) = sink.flush()
                && key[0] == FILE
            {
                failed = Some((String::from_utf8_lossy(&key[1..]).into_owned(), why(&error)));
            }
        }
        match failed {
            Some((name, text)) => fatal(format!("flush to \"{name}\" failed: {text}")),
            None => Ok(()),
        }
    }

    /// `fflush`: 0, or -1 when nothing has that name.
    pub(super) fn flush_one(&mut self, name: &[u8]) -> Eval<f64> {
        if matches!(name, b"" | b"/dev/stdout" | b"-") {
            self.flush_all()?;
            return Ok(0.0);
        }
        for kind in [FILE, PIPE, BOTH] {
            let key = [&[kind], name].concat();
            if let Some((_, sink)) = self.sinks.get_mut(&key) {
                let _ = sink.flush();
                return Ok(0.0);
            }
        }
        Ok(-1.0)
    }

    /// `close`: the status of what was open under that name, or -1.
    pub(super) fn close(&mut self, name: &[u8], how: Option<&[u8]>) -> Eval<f64> {
        let mut result = -1.0;
        let both = [&[BOTH], name].concat();
        if how == Some(b"to")
            && let Some((_, sink)) = self.sinks.get_mut(&both)
        {
            let _ = sink.flush();
            if let Some((running, _)) = self.commands.get(name) {
                running.close_input();
            }
            return Ok(0.0);
        }
        for kind in [FILE, PIPE, BOTH] {
            let key = [&[kind], name].concat();
            let Some((_, sink)) = self.sinks.remove(&key) else {
                continue;
            };
            if kind == PIPE {
                // What is on standard output comes first where the command writes there as well.
                self.flush_all()?;
            }
            match sink.close() {
                Ok(status) => result = f64::from(status),
                Err(error) => {
                    let shown = String::from_utf8_lossy(name).into_owned();
                    return fatal(format!("flush to \"{shown}\" failed: {}", why(&error)));
                }
            }
        }
        if self.readers.remove(name).is_some() {
            result = 0.0;
        }
        if let Some((running, reader)) = self.commands.remove(name) {
            drop(reader);
            let status = running.wait().unwrap_or(-1);
            if result < 1.0 {
                result = f64::from(status);
            }
        }
        if result == -1.0 {
            self.set_errno("close of redirection that was never opened");
        }
        Ok(result)
    }

    /// Closes everything, the last one first; false when something was not written.
    pub(super) fn close_all(&mut self) -> bool {
        let mut good = true;
        // gawk writes standard output after its commands have ended, and files as they come.
        let mut all: Vec<(u32, Vec<u8>, Sink)> = std::mem::take(&mut self.sinks)
            .into_iter()
            .map(|(key, (number, sink))| (number, key, sink))
            .collect();
        all.sort_by_key(|(number, ..)| std::cmp::Reverse(*number));
        for (_, key, sink) in all {
            if let Err(error) = sink.close() {
                let shown = String::from_utf8_lossy(&key[1..]).into_owned();
                complain(
                    &self.name,
                    format!("fatal: flush to \"{shown}\" failed: {}", why(&error)),
                );
                good = false;
            }
        }
        for (_, (running, reader)) in std::mem::take(&mut self.commands) {
            drop(reader);
            let _ = running.wait();
        }
        if let Err(error) = self.stdout.flush() {
            complain(
                &self.name,
                format!("warning: error writing standard output: {}", why(&error)),
            );
            if self.status == 0 {
                self.status = 1;
            }
            good = false;
        }
        good
    }
}

/// What glibc says of an error.
fn why(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::IsADirectory => "Is a directory".to_owned(),
        _ => io_text(error),
    }
}
