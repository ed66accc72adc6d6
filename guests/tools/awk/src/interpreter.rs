//! Runs a program: variables, the record, streams.
//!
//! Expressions are walked as a tree whose names are slots already. `evaluate` has them, `execute`
//! the statements, `streams` what is read and written, the other modules the built-in functions.

mod builtin;
mod evaluate;
mod execute;
mod order;
mod random;
mod streams;
mod substitute;
mod time;

use std::collections::HashMap;
use std::rc::Rc;

use crate::input::{Reader, Separator};
use crate::output::{Running, Sink};
use crate::record::{Record, Splitter};
use crate::regex::Re;
use crate::text::Str;
use crate::tree::{ArrayRef, Program, Special, Var, WATCHED};
use crate::value::{Shared, Value};

pub use execute::Flow;

/// How deep functions may call each other.
const DEPTH: usize = 3_000;

/// How many expressions that were strings are kept compiled.
const KEPT: usize = 500;

/// Why the program does not simply go on.
#[derive(Debug)]
pub enum Halt {
    /// An error that ends it.
    Fatal(String),
    /// `exit`
    Exit,
    /// `next`
    Next,
    /// `nextfile`
    NextFile,
}

/// What evaluating returns.
pub type Eval<T> = Result<T, Box<Halt>>;

/// An error that ends the program.
pub fn fatal<T>(message: impl Into<String>) -> Eval<T> {
    Err(Box::new(Halt::Fatal(message.into())))
}

/// A program and its state.
pub struct Awk {
    program: Rc<Program>,
    /// The name it was called by, for messages.
    pub name: String,
    globals: Vec<Value>,
    /// Parameters of all calls under way.
    stack: Vec<Value>,
    /// Where those of the current one start.
    base: usize,
    depth: usize,
    /// The function that runs, for messages.
    running: Option<usize>,
    /// The line of the statement that runs.
    line: u32,
    returned: Value,
    /// Set by `exit`.
    pub status: i32,
    in_end: bool,

    record: Record,
    splitter: Splitter,
    separator: Separator,
    icase: bool,
    nr: f64,
    fnr: f64,
    ofs: Vec<u8>,
    ors: Vec<u8>,
    subsep: Vec<u8>,
    convfmt: Vec<u8>,
    ofmt: Vec<u8>,
    terminator: Vec<u8>,
    /// Characters are bytes.
    bytes: bool,

    input: Option<Reader>,
    /// The next element of ARGV to look at.
    argument: usize,
    /// Whether standard input was or will be read because no file was named.
    fell_back: bool,
    at_end: bool,
    begun_file: bool,
    ranges: Vec<bool>,

    stdout: Sink,
    sinks: HashMap<Vec<u8>, (u32, Sink)>,
    readers: HashMap<Vec<u8>, Reader>,
    commands: HashMap<Vec<u8>, (Running, Reader)>,
    opened: u32,

    regexes: HashMap<Vec<u8>, Rc<Re>>,
    scratch: Vec<u8>,
    /// The record that was read last, before it becomes `$0`.
    fresh: Vec<u8>,
    /// Whether it was said that there is text that is no UTF-8.
    warned_invalid: bool,
    random: random::Random,
    seed: f64,
    /// Files and their lines in the program's text, for messages.
    sources: Vec<(u32, String)>,
}

impl Awk {
    /// A program that has not started. `sources` says from which line on the text is whose.
    pub fn new(program: Program, name: &str, sources: Vec<(u32, String)>, bytes: bool) -> Awk {
        let ranges = vec![false; program.ranges];
        let mut awk = Awk {
            globals: vec![Value::Unset; program.globals.len()],
            program: Rc::new(program),
            name: name.to_owned(),
            stack: Vec::new(),
            base: 0,
            depth: 0,
            running: None,
            line: 0,
            returned: Value::Unset,
            status: 0,
            in_end: false,
            record: Record::default(),
            splitter: Splitter::Blanks,
            separator: Separator::Byte(b'\n'),
            icase: false,
            nr: 0.0,
            fnr: 0.0,
            ofs: b" ".to_vec(),
            ors: b"\n".to_vec(),
            subsep: vec![0x1c],
            convfmt: b"%.6g".to_vec(),
            ofmt: b"%.6g".to_vec(),
            terminator: Vec::new(),
            bytes,
            input: None,
            argument: 1,
            fell_back: false,
            at_end: false,
            begun_file: false,
            ranges,
            stdout: Sink::stdout(),
            sinks: HashMap::new(),
            readers: HashMap::new(),
            commands: HashMap::new(),
            opened: 0,
            regexes: HashMap::new(),
            scratch: Vec::new(),
            fresh: Vec::new(),
            warned_invalid: false,
            random: random::Random::new(1),
            seed: 1.0,
            sources,
        };
        let text = |text: &[u8]| Value::Str(Str::new(text));
        let mut initial = |special: Special, value: Value| awk.globals[special as usize] = value;
        initial(Special::FS, text(b" "));
        initial(Special::OFS, text(b" "));
        initial(Special::ORS, text(b"\n"));
        initial(Special::RS, text(b"\n"));
        initial(Special::SUBSEP, text(&[0x1c]));
        initial(Special::CONVFMT, text(b"%.6g"));
        initial(Special::OFMT, text(b"%.6g"));
        initial(Special::IGNORECASE, Value::Num(0.0));
        initial(Special::FPAT, text(b"[^[:space:]]+"));
        initial(Special::FIELDWIDTHS, text(b""));
        initial(Special::RSTART, Value::Num(0.0));
        initial(Special::RLENGTH, Value::Num(-1.0));
        initial(Special::RT, text(b""));
        initial(Special::FILENAME, text(b""));
        initial(Special::ARGC, Value::Num(0.0));
        initial(Special::ARGIND, Value::Num(0.0));
        initial(Special::ERRNO, text(b""));
        awk
    }

    /// Gives ARGV, ENVIRON and PROCINFO their elements.
    pub fn start(&mut self, arguments: &[Vec<u8>], environment: &[Vec<u8>]) {
        let argv = self.global_array(Special::ARGV);
        for (number, argument) in arguments.iter().enumerate() {
            argv.borrow_mut().set(
                number.to_string().as_bytes(),
                Value::Input(Str::new(argument)),
            );
        }
        self.globals[Special::ARGC as usize] = Value::Num(arguments.len() as f64);
        let environ = self.global_array(Special::ENVIRON);
        for variable in environment {
            let mut parts = variable.splitn(2, |byte| *byte == b'=');
            let (name, value) = (parts.next().unwrap_or(b""), parts.next().unwrap_or(b""));
            environ
                .borrow_mut()
                .set(name, Value::Input(Str::new(value)));
        }
        let procinfo = self.global_array(Special::PROCINFO);
        let mut procinfo = procinfo.borrow_mut();
        let text = |text: &[u8]| Value::Str(Str::new(text));
        procinfo.set(b"version", text(b"5.2.1"));
        procinfo.set(b"strftime", text(b"%a %b %e %H:%M:%S %Z %Y"));
        procinfo.set(b"FS", text(b"FS"));
        procinfo.set(b"platform", text(b"posix"));
        if let Ok(ids) = codepod_sys::process::ids() {
            let mut number =
                |name: &[u8], number: u32| procinfo.set(name, Value::Num(f64::from(number)));
            number(b"pid", ids.pid.0);
            number(b"ppid", ids.parent.0);
            number(b"pgrpid", ids.group.0);
            for name in [&b"uid"[..], b"euid"] {
                number(name, ids.uid);
            }
            for name in [&b"gid"[..], b"egid"] {
                number(name, ids.gid);
            }
        }
    }

    fn global_array(&mut self, special: Special) -> Shared {
        let slot = special as usize;
        if let Value::Array(array) = &self.globals[slot] {
            return Rc::clone(array);
        }
        let array = Shared::default();
        self.globals[slot] = Value::Array(Rc::clone(&array));
        array
    }

    /// Where a message says that something happened: `cmd. line:1: `, with file and record where
    /// one is read.
    pub fn place(&self) -> String {
        let mut place = self.line_place(self.line);
        if self.fnr > 0.0 && !place.is_empty() {
            let name = self.globals[Special::FILENAME as usize].str(b"%.6g");
            let name = match name.as_bytes() {
                b"" => "-".into(),
                name => String::from_utf8_lossy(name).into_owned(),
            };
            place.push_str(&format!("(FILENAME={name} FNR={}) ", self.fnr));
        }
        place
    }

    /// `cmd. line:1: ` for a line of the program.
    pub fn line_place(&self, line: u32) -> String {
        let Some((from, name)) = self.sources.iter().rev().find(|(from, _)| *from <= line) else {
            return String::new();
        };
        format!("{name}:{}: ", line - from + 1)
    }

    /// Writes a warning.
    fn warn(&mut self, message: &str) {
        // What was printed before comes before; that it cannot be written is told when more is.
        let _ = self.stdout.flush();
        let place = self.place();
        codepod_tool::complain(&self.name, format!("{place}warning: {message}"));
    }

    fn set_text(&mut self, special: Special, text: &[u8]) {
        self.globals[special as usize] = Value::Str(Str::new(text));
    }

    fn set_number(&mut self, special: Special, number: f64) {
        self.globals[special as usize] = Value::Num(number);
    }

    /// What a variable is called, as messages show it.
    fn name_of(&self, var: Var) -> String {
        let name = match var {
            Var::Global(slot) => self.program.globals.get(slot),
            Var::Local(slot) => self
                .running
                .and_then(|function| self.program.functions[function].parameters.get(slot)),
        };
        name.map_or_else(String::new, |name| {
            String::from_utf8_lossy(name).into_owned()
        })
    }

    fn slot(&mut self, var: Var) -> &mut Value {
        match var {
            Var::Global(slot) => &mut self.globals[slot],
            Var::Local(slot) => &mut self.stack[self.base + slot],
        }
    }

    /// The array that an expression names, made where nothing is there yet.
    fn array(&mut self, array: &ArrayRef) -> Eval<Shared> {
        match array {
            ArrayRef::Var(var) => {
                let slot = self.slot(*var);
                match slot {
                    Value::Array(array) => Ok(Rc::clone(array)),
                    Value::Unset => {
                        let array = Shared::default();
                        *slot = Value::Array(Rc::clone(&array));
                        Ok(array)
                    }
                    _ => {
                        let kind = if matches!(var, Var::Local(_)) {
                            "scalar parameter"
                        } else {
                            "scalar"
                        };
                        fatal(format!(
                            "attempt to use {kind} `{}' as an array",
                            self.name_of(*var)
                        ))
                    }
                }
            }
            ArrayRef::Element(outer, keys) => {
                let outer_array = self.array(outer)?;
                let key = self.key(keys)?;
                let mut borrowed = outer_array.borrow_mut();
                let value = borrowed.get_or_make(&key);
                let found = match value {
                    Value::Array(array) => Ok(Rc::clone(array)),
                    Value::Unset => {
                        let array = Shared::default();
                        *value = Value::Array(Rc::clone(&array));
                        Ok(array)
                    }
                    _ => Err(()),
                };
                drop(borrowed);
                let name = String::from_utf8_lossy(&key).into_owned();
                self.scratch = key;
                match found {
                    Ok(array) => Ok(array),
                    Err(()) => fatal(format!(
                        "attempt to use scalar `{}[\"{name}\"]' as an array",
                        self.array_name(outer)
                    )),
                }
            }
        }
    }

    fn array_name(&self, array: &ArrayRef) -> String {
        match array {
            ArrayRef::Var(var) => self.name_of(*var),
            ArrayRef::Element(outer, _) => self.array_name(outer),
        }
    }

    /// Assigns to a global variable; those that awk watches take effect.
    fn set_global(&mut self, slot: usize, value: Value) -> Eval<()> {
        if let Value::Array(_) = self.globals[slot] {
            return fatal(format!(
                "attempt to use array `{}' in a scalar context",
                self.name_of(Var::Global(slot))
            ));
        }
        if slot >= WATCHED {
            self.globals[slot] = value;
            return Ok(());
        }
        self.watched(slot, value)
    }

    fn watched(&mut self, slot: usize, value: Value) -> Eval<()> {
        let text = value.str(&self.convfmt);
        let bytes = text.as_bytes().to_vec();
        // The record at hand is split by what was said when it was read.
        let splits = [
            Special::FS,
            Special::FPAT,
            Special::FIELDWIDTHS,
            Special::IGNORECASE,
            Special::RS,
        ];
        if splits.iter().any(|special| *special as usize == slot) {
            self.count_fields()?;
        }
        let number = value.num();
        let truth = value.is_true();
        self.globals[slot] = value;
        if slot == Special::NF as usize {
            if number < 0.0 {
                return fatal("NF set to negative value");
            }
            if number > 1e7 {
                return fatal("NF set to a value that is too large");
            }
            let result = self
                .record
                .set_count(number as usize, &self.splitter, self.icase);
            return result.or_else(fatal);
        } else if slot == Special::NR as usize {
            self.nr = number;
        } else if slot == Special::FNR as usize {
            self.fnr = number;
        } else if slot == Special::OFS as usize {
            // Fields that changed are joined by the old one.
            self.record.text(&self.ofs, &self.convfmt);
            self.ofs = bytes;
        } else if slot == Special::ORS as usize {
            self.ors = bytes;
        } else if slot == Special::SUBSEP as usize {
            self.subsep = bytes;
        } else if slot == Special::CONVFMT as usize {
            self.convfmt = bytes;
        } else if slot == Special::OFMT as usize {
            self.ofmt = bytes;
        } else if slot == Special::IGNORECASE as usize {
            self.icase = truth;
            self.renew_splitter(Special::FS)?;
        } else if slot == Special::RS as usize {
            self.separator = match bytes.as_slice() {
                b"" => Separator::Paragraph,
                [byte] if !(self.icase && byte.is_ascii_alphabetic()) => Separator::Byte(*byte),
                _ => Separator::Regex(self.regex_from(&bytes)?),
            };
            self.renew_splitter(Special::FS)?;
        } else if slot == Special::FS as usize {
            self.renew_splitter(Special::FS)?;
        } else if slot == Special::FPAT as usize {
            self.renew_splitter(Special::FPAT)?;
        } else if slot == Special::FIELDWIDTHS as usize {
            self.renew_splitter(Special::FIELDWIDTHS)?;
        }
        Ok(())
    }

    /// Makes the splitter anew after one of its variables was set.
    fn renew_splitter(&mut self, by: Special) -> Eval<()> {
        let text = self.globals[by as usize].str(&self.convfmt);
        let text = text.as_bytes();
        let procinfo = self.global_array(Special::PROCINFO);
        match by {
            Special::FPAT => {
                procinfo
                    .borrow_mut()
                    .set(b"FS", Value::Str(Str::new(b"FPAT")));
                self.splitter = Splitter::Content(self.regex_from(text)?);
            }
            Special::FIELDWIDTHS => {
                procinfo
                    .borrow_mut()
                    .set(b"FS", Value::Str(Str::new(b"FIELDWIDTHS")));
                let mut widths = Vec::new();
                for word in text
                    .split(|byte| byte.is_ascii_whitespace())
                    .filter(|word| !word.is_empty())
                {
                    let word = String::from_utf8_lossy(word).into_owned();
                    let (skip, width) = word.split_once(':').unwrap_or(("0", &word));
                    let width = if width == "*" {
                        Some(None)
                    } else {
                        width.parse().ok().map(Some)
                    };
                    let (Ok(skip), Some(width)) = (skip.parse(), width) else {
                        return fatal(format!(
                            "invalid FIELDWIDTHS value, for field {}, near `{word}'",
                            widths.len() + 1
                        ));
                    };
                    widths.push((skip, width));
                }
                self.splitter = Splitter::Widths(widths);
            }
            _ => {
                procinfo
                    .borrow_mut()
                    .set(b"FS", Value::Str(Str::new(b"FS")));
                let paragraph = matches!(self.separator, Separator::Paragraph);
                self.splitter = match (self.splitter_from(text)?, paragraph) {
                    (Splitter::Byte(byte), true) => Splitter::ByteOrNewline(byte),
                    (Splitter::Regex(regex), true) => Splitter::RegexOrNewline(regex),
                    (other, _) => other,
                };
            }
        }
        Ok(())
    }

    /// How a separator in a string splits.
    fn splitter_from(&mut self, text: &[u8]) -> Eval<Splitter> {
        Ok(match text {
            b" " => Splitter::Blanks,
            b"" => Splitter::Characters,
            [byte] if !(self.icase && byte.is_ascii_alphabetic()) => Splitter::Byte(*byte),
            _ => Splitter::Regex(self.regex_from(text)?),
        })
    }

    /// An expression that is a string, compiled once.
    fn regex_from(&mut self, source: &[u8]) -> Eval<Rc<Re>> {
        if let Some(regex) = self.regexes.get(source) {
            return Ok(Rc::clone(regex));
        }
        let regex = Rc::new(Re::new(source));
        if let Err(message) = regex.check() {
            let shown = String::from_utf8_lossy(source).into_owned();
            return fatal(format!("invalid regexp: {message}: /{shown}/"));
        }
        if self.regexes.len() >= KEPT {
            self.regexes.clear();
        }
        self.regexes.insert(source.to_vec(), Rc::clone(&regex));
        Ok(regex)
    }

    fn count_fields(&mut self) -> Eval<usize> {
        self.record.count(&self.splitter, self.icase).or_else(fatal)
    }
}
