//! `ed`: the line editor, as GNU ed 1.19.
//!
//! This file has the options, the loop over commands and the editor's state; `ed/address.rs` reads
//! addresses, `ed/buffer.rs` holds the lines, `ed/commands.rs` does what commands say.

mod address;
mod buffer;
mod commands;
mod files;
mod substitute;

use std::collections::VecDeque;
use std::io::Read as _;

use codepod_tool::{Arguments, Opt, Options, Output, Usage, Value, complain, flag, long, value};

use buffer::Buffer;
use substitute::Substitution;

/// Why a command failed; the text of `h`.
pub(crate) type Failure = &'static str;

const USAGE: &str = "\
Usage: ed [options] [file]

Options:
  -h, --help                 display this help and exit
  -V, --version              output version information and exit
  -E, --extended-regexp      use extended regular expressions
  -G, --traditional          run in compatibility mode
  -l, --loose-exit-status    exit with 0 status even if a command fails
  -p, --prompt=STRING        use STRING as an interactive prompt
  -q, --quiet, --silent      suppress diagnostics written to stderr
  -r, --restricted           run in restricted mode
  -s, --script               suppress byte counts and '!' prompt
  -v, --verbose              be verbose; equivalent to the 'H' command
      --strip-trailing-cr    strip carriage returns at end of text lines
";

#[derive(Clone, Copy)]
enum Key {
    Help,
    Version,
    Extended,
    Traditional,
    Loose,
    Prompt,
    Quiet,
    Restricted,
    Script,
    Verbose,
    StripCr,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Help, b'h', "help"),
    flag(Key::Version, b'V', "version"),
    flag(Key::Extended, b'E', "extended-regexp"),
    flag(Key::Traditional, b'G', "traditional"),
    flag(Key::Loose, b'l', "loose-exit-status"),
    value(Key::Prompt, b'p', "prompt"),
    flag(Key::Quiet, b'q', "quiet"),
    long(Key::Quiet, "silent", Value::None),
    flag(Key::Restricted, b'r', "restricted"),
    flag(Key::Script, b's', "script"),
    flag(Key::Verbose, b'v', "verbose"),
    long(Key::StripCr, "strip-trailing-cr", Value::None),
];

/// What the options say.
#[derive(Default)]
pub(crate) struct Settings {
    extended: bool,
    traditional: bool,
    loose: bool,
    quiet: bool,
    restricted: bool,
    script: bool,
    strip_cr: bool,
}

/// The editor.
pub(crate) struct Editor {
    settings: Settings,
    buffer: Buffer,
    /// The current line; 0 before the first.
    current: usize,
    /// What `u` goes back to: lines, current line, whether it was modified.
    undo: Option<(Buffer, usize)>,
    file: Option<Vec<u8>>,
    modified: bool,
    /// Whether the last line was read without an end and is written so.
    unended: bool,
    /// Whether a command has just been refused because the buffer was modified.
    warned: bool,
    verbose: bool,
    prompt: Option<Vec<u8>>,
    prompting: bool,
    failure: Failure,
    pattern: Option<Vec<u8>>,
    substitution: Option<Substitution>,
    shell: Option<Vec<u8>>,
    cut: Vec<buffer::Line>,
    window: usize,
    out: Output,
    input: Input,
    in_global: bool,
}

/// Where commands and text come from: the list of a global command, or standard input.
#[derive(Default)]
pub(crate) struct Input {
    list: Option<VecDeque<Vec<u8>>>,
    read: Vec<u8>,
    at: usize,
}

impl Input {
    /// The next line without its end; none at the end of input.
    fn line(&mut self) -> Option<Vec<u8>> {
        if let Some(list) = &mut self.list {
            return list.pop_front();
        }
        let mut line = Vec::new();
        loop {
            let rest = &self.read[self.at..];
            match rest.iter().position(|byte| *byte == b'\n') {
                Some(end) => {
                    line.extend_from_slice(&rest[..end]);
                    self.at += end + 1;
                    return Some(line);
                }
                None => line.extend_from_slice(rest),
            }
            self.read.resize(8192, 0);
            self.at = 0;
            // Input that cannot be read has ended.
            let count = codepod_tool::Stdin.read(&mut self.read).unwrap_or(0);
            self.read.truncate(count);
            if count == 0 {
                return (!line.is_empty()).then_some(line);
            }
        }
    }
}

/// ed as a tool.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    codepod_posix_regex::set_locale();
    let mut settings = Settings::default();
    let (mut prompt, mut verbose, mut asked) = (None, false, None);
    let read = Options::new(TABLE, arguments).each(|key, value| {
        match key {
            Key::Help | Key::Version => asked = asked.or(Some(key)),
            Key::Extended => settings.extended = true,
            Key::Traditional => settings.traditional = true,
            Key::Loose => settings.loose = true,
            Key::Prompt => prompt = value,
            Key::Quiet => settings.quiet = true,
            Key::Restricted => settings.restricted = true,
            Key::Script => settings.script = true,
            Key::Verbose => verbose = true,
            Key::StripCr => settings.strip_cr = true,
        }
        Ok::<(), Usage>(())
    });
    let operands = match (read, asked) {
        (Err(usage), _) => {
            complain(tool, &usage.message);
            let hint = format!("Try '{tool} --help' for more information.\n");
            say(hint.as_bytes());
            return 1;
        }
        (_, Some(Key::Version)) => {
            return print(&format!("{tool} (codepod) {}\n", env!("CARGO_PKG_VERSION")));
        }
        (_, Some(_)) => return print(USAGE),
        (Ok(operands), None) => operands,
    };
    let mut editor = Editor {
        settings,
        buffer: Buffer::default(),
        current: 0,
        undo: None,
        file: None,
        modified: false,
        unended: false,
        warned: false,
        verbose,
        prompting: prompt.is_some(),
        prompt,
        failure: "",
        pattern: None,
        substitution: None,
        shell: None,
        cut: Vec::new(),
        window: 22,
        out: Output::new(),
        input: Input::default(),
        in_global: false,
    };
    editor.run(operands.first())
}

/// Writes to standard error. Where that is gone there is nobody to tell.
fn say(text: &[u8]) {
    let _ = std::io::Write::write_all(&mut std::io::stderr(), text);
}

fn print(text: &str) -> i32 {
    let mut out = Output::new();
    out.put(text.as_bytes());
    i32::from(out.finish().is_err())
}

/// What a command leads to.
pub(crate) enum Next {
    GoOn,
    Quit,
}

impl Editor {
    fn run(&mut self, file: Option<&Vec<u8>>) -> i32 {
        let mut status = 0;
        if let Some(file) = file
            && !file.is_empty()
        {
            match self.open(file) {
                Ok(()) | Err(files::CANNOT_OPEN) => {}
                Err(failure) => status = self.failed(failure),
            }
            if !file.starts_with(b"!") {
                self.file = Some(file.clone());
            }
        }
        loop {
            if self.prompting {
                let prompt = self.prompt.clone().unwrap_or_else(|| b"*".to_vec());
                self.out.put(&prompt);
            }
            self.out.write_out();
            let result = match self.input.line() {
                Some(line) => self.command(&line),
                None if self.modified && !self.warned => {
                    // Nothing will save it any more.
                    self.failed("Warning: buffer modified");
                    status = 2;
                    Ok(Next::Quit)
                }
                None => Ok(Next::Quit),
            };
            match result {
                Ok(Next::GoOn) => {}
                Ok(Next::Quit) => break,
                Err(failure) => status = self.failed(failure),
            }
            if self.out.is_broken() {
                break;
            }
        }
        let written = self.out.finish().is_ok();
        match self.settings.loose {
            true => 0,
            false => status.max(i32::from(!written)),
        }
    }

    /// Says that a command failed. Returns the status.
    fn failed(&mut self, failure: Failure) -> i32 {
        self.failure = failure;
        self.out.put(b"?\n");
        if self.verbose {
            self.out.put(failure.as_bytes());
            self.out.put(b"\n");
        }
        1
    }

    /// Keeps what `u` goes back to. Commands of a global command are undone together.
    fn remember(&mut self) {
        if !self.in_global {
            self.undo = Some((self.buffer.clone(), self.current));
        }
    }
}
