//! xargs: arguments from standard input, in batches that are not too long.

use std::io::{self, Read as _, Write as _};

use codepod_tool::{
    Arguments, Found, Opt, Options, Style, Usage, Value, complain, flag, io_text, long, optional,
    path, quoted_text, value,
};

use crate::child::{self, Child, Ended, How};

/// How long a command line may be, unless `-s` says less.
const MOST: usize = 128 << 10;
/// The longest that `-s` may ask for.
const LIMIT: usize = 2_092_548;

const HELP: u16 = 300;
const VERSION: u16 = 301;
const SLOT: u16 = 302;
const LIMITS: u16 = 303;

const TABLE: &[Opt<u16>] = &[
    flag(b'0' as u16, b'0', "null"),
    value(b'a' as u16, b'a', "arg-file"),
    value(b'd' as u16, b'd', "delimiter"),
    optional(b'e' as u16, b'e', "eof"),
    value(b'E' as u16, b'E', ""),
    optional(b'i' as u16, b'i', "replace"),
    value(b'I' as u16, b'I', ""),
    optional(b'l' as u16, b'l', "max-lines"),
    value(b'L' as u16, b'L', ""),
    value(b'n' as u16, b'n', "max-args"),
    flag(b'o' as u16, b'o', "open-tty"),
    value(b'P' as u16, b'P', "max-procs"),
    flag(b'p' as u16, b'p', "interactive"),
    long(SLOT, "process-slot-var", Value::Required),
    flag(b'r' as u16, b'r', "no-run-if-empty"),
    value(b's' as u16, b's', "max-chars"),
    long(LIMITS, "show-limits", Value::None),
    flag(b't' as u16, b't', "verbose"),
    flag(b'x' as u16, b'x', "exit"),
    long(HELP, "help", Value::None),
    long(VERSION, "version", Value::None),
];

/// What was asked for.
#[derive(Debug, Default)]
struct Asked {
    file: Option<Vec<u8>>,
    delimiter: Option<u8>,
    end: Option<Vec<u8>>,
    replace: Option<Vec<u8>>,
    lines: usize,
    count: usize,
    processes: usize,
    not_if_empty: bool,
    length: usize,
    verbose: bool,
    exit: bool,
    slot: Option<String>,
    command: Vec<Vec<u8>>,
}

/// Runs xargs and returns its status.
pub(crate) fn main(name: &str, arguments: Arguments) -> i32 {
    match parse(name, arguments) {
        Ok(asked) => {
            let mut runner = Runner {
                warned: std::cell::Cell::new(false),
                tool: name,
                asked: &asked,
                children: Vec::new(),
                slots: Vec::new(),
                status: 0,
                stopped: None,
            };
            runner.all()
        }
        Err(status) => status,
    }
}

fn number(tool: &str, text: &[u8], option: char, least: i64) -> Result<usize, i32> {
    let parsed = std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse::<i64>().ok());
    let Some(number) = parsed else {
        let message = [
            b"invalid number \"",
            text,
            format!("\" for -{option} option").as_bytes(),
        ]
        .concat();
        return Err(Usage::new(message).report(tool, 1));
    };
    if number < least {
        let message = format!("value {number} for -{option} option should be >= {least}");
        return Err(Usage::new(message).report(tool, 1));
    }
    Ok(number as usize)
}

fn parse(tool: &str, arguments: Arguments) -> Result<Asked, i32> {
    let mut asked = Asked {
        processes: 1,
        length: MOST,
        ..Asked::default()
    };
    let mut options = Options::new(TABLE, arguments).in_order();
    loop {
        match options.next() {
            Err(mistake) => return Err(mistake.report(tool, 1)),
            Ok(None) => break,
            Ok(Some(Found::Operand(operand))) => {
                asked.command.push(operand);
                asked.command.extend(options.rest());
                break;
            }
            Ok(Some(Found::Option(key, given))) => asked.set(tool, key, given)?,
        }
    }
    if asked.command.is_empty() {
        asked.command.push(b"echo".to_vec());
    }
    asked.exit |= asked.replace.is_some();
    Ok(asked)
}

impl Asked {
    /// Takes an option. Fails with the status to end with.
    fn set(&mut self, tool: &str, key: u16, given: Option<Vec<u8>>) -> Result<(), i32> {
        let text = given.clone().unwrap_or_default();
        match u8::try_from(key).unwrap_or(0) {
            b'0' => self.delimiter = Some(0),
            b'a' => self.file = Some(text),
            b'd' => self.delimiter = Some(delimiter(tool, &text)?),
            b'e' | b'E' => self.end = (!text.is_empty()).then_some(text),
            b'i' | b'I' => self.set_replace(tool, given.unwrap_or_else(|| b"{}".to_vec())),
            letter @ (b'l' | b'L') => {
                let lines = match given {
                    Some(_) => number(tool, &text, char::from(letter), 1)?,
                    None => 1,
                };
                self.set_lines(tool, lines);
                self.exit |= letter == b'l';
            }
            b'n' => {
                let count = number(tool, &text, 'n', 1)?;
                self.set_count(tool, count);
            }
            b'P' => self.processes = number(tool, &text, 'P', 0)?,
            b'p' | b'o' => {
                complain(
                    tool,
                    "failed to open /dev/tty for reading: No such device or address",
                );
                return Err(1);
            }
            b'r' => self.not_if_empty = true,
            b's' => {
                let length = number(tool, &text, 's', 1)?;
                if length > LIMIT {
                    complain(
                        tool,
                        format!("value {length} for -s option should be <= {LIMIT}"),
                    );
                }
                self.length = length.min(LIMIT);
            }
            b't' => self.verbose = true,
            b'x' => self.exit = true,
            _ => match key {
                SLOT => self.slot = Some(String::from_utf8_lossy(&text).into_owned()),
                LIMITS => complain(
                    tool,
                    format!("Maximum length of command we could actually use: {LIMIT}"),
                ),
                VERSION => return Err(print("xargs (codepod), as GNU findutils 4.9.0\n")),
                _ => return Err(print(include_str!("xargs.txt"))),
            },
        }
        Ok(())
    }

    fn set_replace(&mut self, tool: &str, pattern: Vec<u8>) {
        if self.lines > 0 {
            exclusive(tool, "--replace/-I/-i", "--max-lines");
        }
        if self.count > 0 {
            exclusive(tool, "--replace/-I/-i", "--max-args");
        }
        (self.lines, self.count) = (0, 0);
        self.replace = Some(pattern);
    }

    fn set_lines(&mut self, tool: &str, lines: usize) {
        if self.replace.take().is_some() {
            exclusive(tool, "--max-lines/-l", "--replace");
        }
        if self.count > 0 {
            exclusive(tool, "--max-lines/-l", "--max-args");
        }
        self.count = 0;
        self.lines = lines;
    }

    fn set_count(&mut self, tool: &str, count: usize) {
        if self.lines > 0 {
            exclusive(tool, "--max-args/-n", "--max-lines");
        }
        self.lines = 0;
        // `-n 1` goes with `-I`, which takes one argument a time anyway.
        if self.replace.is_some() && count == 1 {
            return;
        }
        if self.replace.take().is_some() {
            exclusive(tool, "--max-args/-n", "--replace");
        }
        self.count = count;
    }
}

/// Says that an option takes back an older one.
fn exclusive(tool: &str, new: &str, old: &str) {
    complain(
        tool,
        format!(
            "warning: options {old} and {new} are mutually exclusive, ignoring previous {old} value"
        ),
    );
}

fn print(text: &str) -> i32 {
    // The status says enough where nothing can be written.
    i32::from(io::stdout().write_all(text.as_bytes()).is_err())
}

/// The byte that a delimiter means.
fn delimiter(tool: &str, text: &[u8]) -> Result<u8, i32> {
    let simple = |letter: u8| {
        Some(match letter {
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            b'\\' => b'\\',
            _ => return None,
        })
    };
    let parsed = match text {
        [byte] => Some(*byte),
        [b'\\', letter] if simple(*letter).is_some() => simple(*letter),
        [b'\\', b'x', digits @ ..] => std::str::from_utf8(digits)
            .ok()
            .and_then(|digits| u8::from_str_radix(digits, 16).ok()),
        [b'\\', digits @ ..] => std::str::from_utf8(digits)
            .ok()
            .and_then(|digits| u8::from_str_radix(digits, 8).ok()),
        _ => {
            let message = [
                b"Invalid input delimiter specification ",
                text,
                b": the delimiter must be either a single character or an escape sequence starting with \\.",
            ];
            complain(tool, message.concat());
            return Err(1);
        }
    };
    parsed.ok_or_else(|| {
        complain(
            tool,
            [
                b"Invalid escape sequence ",
                text,
                b" in input delimiter specification.",
            ]
            .concat(),
        );
        1
    })
}

/// An argument that was read.
struct Item {
    text: Vec<u8>,
    /// It is the last of its line.
    ends_line: bool,
}

/// Takes arguments from the input.
struct Items {
    buffer: Vec<u8>,
    at: usize,
    file: Option<std::fs::File>,
    at_end: bool,
}

impl Items {
    fn byte(&mut self) -> io::Result<Option<u8>> {
        if self.at >= self.buffer.len() {
            if self.at_end {
                return Ok(None);
            }
            self.buffer.resize(64 << 10, 0);
            let count = loop {
                let result = match &mut self.file {
                    Some(file) => file.read(&mut self.buffer),
                    None => io::stdin().lock().read(&mut self.buffer),
                };
                match result {
                    // GNU's takes a directory as the end.
                    Err(error) if error.kind() == io::ErrorKind::IsADirectory => break 0,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    result => break result?,
                }
            };
            self.buffer.truncate(count);
            self.at = 0;
            if count == 0 {
                self.at_end = true;
                return Ok(None);
            }
        }
        self.at += 1;
        Ok(Some(self.buffer[self.at - 1]))
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        let byte = self.byte()?;
        self.at -= usize::from(byte.is_some());
        Ok(byte)
    }
}

/// Why reading ended.
enum Stop {
    Read(io::Error),
    /// A quote without an end: its name.
    Quote(&'static str),
    Long,
}

/// What is said of a NUL where none is wanted, once.
const NUL_WARNING: &str = "WARNING: a NUL character occurred in the input.  It cannot be passed through in the argument list.  \
    Did you mean to use the --null option?";

struct Runner<'a> {
    /// Whether [`NUL_WARNING`] was given.
    warned: std::cell::Cell<bool>,
    tool: &'a str,
    asked: &'a Asked,
    children: Vec<Child>,
    /// Which slots are taken.
    slots: Vec<bool>,
    status: i32,
    /// Nothing more is started: the status.
    stopped: Option<i32>,
}

impl Runner<'_> {
    fn all(&mut self) -> i32 {
        let asked = self.asked;
        let file = match &asked.file {
            Some(name) if name != b"-" => match std::fs::File::open(path(name)) {
                Ok(file) => Some(file),
                Err(error) => {
                    complain(
                        self.tool,
                        [
                            b"Cannot open input file ",
                            &quoted_text(name)[..],
                            b": ",
                            io_text(&error).as_bytes(),
                        ]
                        .concat(),
                    );
                    return 1;
                }
            },
            _ => None,
        };
        let mut items = Items {
            buffer: Vec::new(),
            at: 0,
            file,
            at_end: false,
        };
        let result = match &asked.replace {
            Some(replace) => self.replace_each(&mut items, replace),
            None => self.batches(&mut items),
        };
        if let Err(stop) = result {
            let message = match stop {
                Stop::Read(error) => io_text(&error),
                Stop::Quote(name) => {
                    format!(
                        "unmatched {name} quote; by default quotes are special to xargs unless you use the -0 option"
                    )
                }
                Stop::Long => "argument line too long".to_owned(),
            };
            complain(self.tool, message);
            self.stopped.get_or_insert(1);
        }
        while self.wait_one() {}
        self.stopped.unwrap_or(self.status)
    }

    /// How long the command is before anything is added.
    fn fixed_length(&self) -> usize {
        self.asked
            .command
            .iter()
            .map(|argument| argument.len() + 1)
            .sum()
    }

    fn batches(&mut self, items: &mut Items) -> Result<(), Stop> {
        let asked = self.asked;
        let fixed = self.fixed_length();
        let mut batch: Vec<Vec<u8>> = Vec::new();
        let (mut length, mut lines, mut any) = (fixed, 0, false);
        if fixed > asked.length {
            return Err(Stop::Long);
        }
        loop {
            let item = match self.item(items) {
                Ok(item) => item,
                Err(stop) => {
                    // What was read before the mistake is still run.
                    if !batch.is_empty() {
                        self.run(std::mem::take(&mut batch));
                    }
                    return Err(stop);
                }
            };
            let Some(item) = item else {
                break;
            };
            any = true;
            let size = item.text.len() + 1;
            if length + size > asked.length {
                if asked.exit && (asked.count > 0 || asked.lines > 0) && !batch.is_empty() {
                    complain(self.tool, "argument list too long");
                    self.stopped = Some(1);
                    return Ok(());
                }
                if !batch.is_empty() {
                    self.run(std::mem::take(&mut batch));
                }
                (length, lines) = (fixed, 0);
                if fixed + size > asked.length {
                    return Err(Stop::Long);
                }
            }
            length += size;
            batch.push(item.text);
            lines += usize::from(item.ends_line);
            let full = (asked.count > 0 && batch.len() >= asked.count)
                || (asked.lines > 0 && lines >= asked.lines);
            if full {
                self.run(std::mem::take(&mut batch));
                (length, lines) = (fixed, 0);
            }
            if self.stopped.is_some() {
                return Ok(());
            }
        }
        if !batch.is_empty() || (!any && !asked.not_if_empty) {
            self.run(batch);
        }
        Ok(())
    }

    /// `-I`: a command for each line.
    fn replace_each(&mut self, items: &mut Items, replace: &[u8]) -> Result<(), Stop> {
        while let Some(item) = self.item(items)? {
            let argv: Vec<Vec<u8>> = self
                .asked
                .command
                .iter()
                .map(|argument| replaced(argument, replace, &item.text))
                .collect();
            if argv
                .iter()
                .map(|argument| argument.len() + 1)
                .sum::<usize>()
                > self.asked.length
            {
                return Err(Stop::Long);
            }
            self.start(argv);
            if self.stopped.is_some() {
                break;
            }
        }
        Ok(())
    }

    /// The next argument; none at the end.
    fn item(&self, items: &mut Items) -> Result<Option<Item>, Stop> {
        let asked = self.asked;
        let item = match asked.delimiter {
            Some(delimiter) => delimited(items, delimiter).map_err(Stop::Read)?,
            None if asked.replace.is_some() => whole_line(items)?,
            None => word(items)?,
        };
        let item = item.map(|mut item| {
            // An argument ends where a string of C does.
            if let Some(end) = item.text.iter().position(|byte| *byte == 0) {
                item.text.truncate(end);
                if asked.delimiter.is_none() && !self.warned.replace(true) {
                    complain(self.tool, NUL_WARNING);
                }
            }
            item
        });
        let is_end = |item: &Item| {
            asked.delimiter.is_none() && asked.end.as_ref().is_some_and(|end| *end == item.text)
        };
        Ok(item.filter(|item| !is_end(item)))
    }

    fn run(&mut self, batch: Vec<Vec<u8>>) {
        let argv = [&self.asked.command[..], &batch[..]].concat();
        self.start(argv);
    }

    fn start(&mut self, argv: Vec<Vec<u8>>) {
        let asked = self.asked;
        if asked.verbose {
            let mut line = argv
                .iter()
                .map(|argument| Style::ShellEscape.quote(argument))
                .collect::<Vec<_>>()
                .join(&b' ');
            line.push(b'\n');
            // Where standard error is gone there is nobody to tell.
            let _ = io::stderr().write_all(&line);
        }
        while asked.processes > 0 && self.children.len() >= asked.processes {
            self.wait_one();
            if self.stopped.is_some() {
                return;
            }
        }
        let slot = self
            .slots
            .iter()
            .position(|taken| !taken)
            .unwrap_or(self.slots.len());
        let slot_text = slot.to_string();
        let how = How {
            directory: None,
            no_input: asked.file.is_none(),
            variable: asked.slot.as_deref().map(|name| (name, &slot_text[..])),
        };
        match child::start(&argv, how) {
            Ok(child) => {
                if asked.processes == 1 {
                    self.children.push(child);
                    self.wait_one();
                } else {
                    if slot == self.slots.len() {
                        self.slots.push(true);
                    } else {
                        self.slots[slot] = true;
                    }
                    self.children.push(child);
                }
            }
            Err(error) => {
                complain(
                    self.tool,
                    [&argv[0][..], b": ", io_text(&error).as_bytes()].concat(),
                );
                let missing = error.kind() == io::ErrorKind::NotFound;
                self.stopped = Some(if missing { 127 } else { 126 });
            }
        }
    }

    /// Waits for a child. False where there is none.
    fn wait_one(&mut self) -> bool {
        let Some((_, ended)) = child::wait_any(&mut self.children) else {
            return false;
        };
        if let Some(slot) = self.slots.iter_mut().find(|taken| **taken) {
            *slot = false;
        }
        let command = String::from_utf8_lossy(&self.asked.command[0]).into_owned();
        match ended {
            Ended::Exited(0) => {}
            Ended::Exited(255) => {
                complain(
                    self.tool,
                    format!("{command}: exited with status 255; aborting"),
                );
                self.stopped = Some(124);
            }
            Ended::Exited(_) => self.status = 123,
            Ended::Killed(signal) => {
                complain(
                    self.tool,
                    format!("{command}: terminated by signal {signal}"),
                );
                self.stopped = Some(125);
            }
        }
        true
    }
}

/// Up to a delimiter.
fn delimited(items: &mut Items, delimiter: u8) -> io::Result<Option<Item>> {
    let mut text = Vec::new();
    if items.peek()?.is_none() {
        return Ok(None);
    }
    while let Some(byte) = items.byte()? {
        if byte == delimiter {
            break;
        }
        text.push(byte);
    }
    Ok(Some(Item {
        text,
        ends_line: true,
    }))
}

/// A line, without blanks before it; quotes and backslashes are taken away.
fn whole_line(items: &mut Items) -> Result<Option<Item>, Stop> {
    loop {
        while matches!(items.peek().map_err(Stop::Read)?, Some(b' ' | b'\t')) {
            items.byte().map_err(Stop::Read)?;
        }
        match items.peek().map_err(Stop::Read)? {
            None => return Ok(None),
            Some(b'\n') => {
                items.byte().map_err(Stop::Read)?;
            }
            Some(_) => break,
        }
    }
    let mut text = Vec::new();
    while let Some(byte) = items.byte().map_err(Stop::Read)? {
        match byte {
            b'\n' => break,
            b'"' | b'\'' => quote(items, byte, &mut text)?,
            b'\\' => text.extend(items.byte().map_err(Stop::Read)?),
            _ => text.push(byte),
        }
    }
    Ok(Some(Item {
        text,
        ends_line: true,
    }))
}

/// A word, as a shell would read it but for variables.
fn word(items: &mut Items) -> Result<Option<Item>, Stop> {
    while items
        .peek()
        .map_err(Stop::Read)?
        .is_some_and(|byte| byte.is_ascii_whitespace() || byte == 11)
    {
        items.byte().map_err(Stop::Read)?;
    }
    if items.peek().map_err(Stop::Read)?.is_none() {
        return Ok(None);
    }
    let mut text = Vec::new();
    let mut ends_line = true;
    while let Some(byte) = items.byte().map_err(Stop::Read)? {
        match byte {
            b'\n' => break,
            b'"' | b'\'' => quote(items, byte, &mut text)?,
            b'\\' => text.extend(items.byte().map_err(Stop::Read)?),
            b' ' | b'\t' | 11..=13 => {
                ends_line = false;
                // A blank at the end of a line joins it with the next; it does so only for `-L`.
                break;
            }
            _ => text.push(byte),
        }
    }
    Ok(Some(Item { text, ends_line }))
}

fn quote(items: &mut Items, mark: u8, text: &mut Vec<u8>) -> Result<(), Stop> {
    loop {
        match items.byte().map_err(Stop::Read)? {
            None | Some(b'\n') => {
                return Err(Stop::Quote(if mark == b'"' { "double" } else { "single" }));
            }
            Some(byte) if byte == mark => return Ok(()),
            Some(byte) => text.push(byte),
        }
    }
}

/// An argument with every occurrence of a text replaced.
fn replaced(argument: &[u8], what: &[u8], with: &[u8]) -> Vec<u8> {
    if what.is_empty() {
        return argument.to_vec();
    }
    let mut out = Vec::with_capacity(argument.len());
    let mut at = 0;
    while at < argument.len() {
        if argument[at..].starts_with(what) {
            out.extend_from_slice(with);
            at += what.len();
        } else {
            out.push(argument[at]);
            at += 1;
        }
    }
    out
}
