//! The command line.

use std::io::Read as _;

use codepod_tool::{
    Arguments, Found, Opt, Options, Usage, Value, complain, flag, io_text, long, optional, path,
    value,
};

use crate::exclude::Exclude;

/// What options are called here: their letters, and numbers for those that have none.
type Key = u16;
const INCLUDE: Key = 300;
const EXCLUDE: Key = 301;
const EXCLUDE_DIR: Key = 302;
const EXCLUDE_FROM: Key = 303;
const BINARY_FILES: Key = 304;
const LINE_BUFFERED: Key = 305;
const GROUP_SEPARATOR: Key = 306;
const NO_GROUP_SEPARATOR: Key = 307;
const LABEL: Key = 308;
const NO_IGNORE_CASE: Key = 309;
const HELP: Key = 310;
const COLOR: Key = 311;

const fn letter(short: u8, long: &'static str) -> Opt<Key> {
    flag(short as Key, short, long)
}

const fn with_value(short: u8, long: &'static str) -> Opt<Key> {
    value(short as Key, short, long)
}

const TABLE: &[Opt<Key>] = &[
    letter(b'0', ""),
    letter(b'1', ""),
    letter(b'2', ""),
    letter(b'3', ""),
    letter(b'4', ""),
    letter(b'5', ""),
    letter(b'6', ""),
    letter(b'7', ""),
    letter(b'8', ""),
    letter(b'9', ""),
    letter(b'G', "basic-regexp"),
    letter(b'E', "extended-regexp"),
    letter(b'F', "fixed-regexp"),
    letter(b'F', "fixed-strings"),
    letter(b'P', "perl-regexp"),
    with_value(b'A', "after-context"),
    with_value(b'B', "before-context"),
    long(BINARY_FILES, "binary-files", Value::Required),
    long(LINE_BUFFERED, "line-buffered", Value::None),
    letter(b'b', "byte-offset"),
    with_value(b'C', "context"),
    // Two names of one option share a letter that nobody types.
    optional(COLOR, 1, "color"),
    optional(COLOR, 1, "colour"),
    letter(b'c', "count"),
    with_value(b'D', "devices"),
    with_value(b'd', "directories"),
    long(EXCLUDE, "exclude", Value::Required),
    long(EXCLUDE_FROM, "exclude-from", Value::Required),
    long(EXCLUDE_DIR, "exclude-dir", Value::Required),
    with_value(b'f', "file"),
    letter(b'l', "files-with-matches"),
    letter(b'L', "files-without-match"),
    long(GROUP_SEPARATOR, "group-separator", Value::Required),
    long(HELP, "help", Value::None),
    long(INCLUDE, "include", Value::Required),
    letter(b'i', "ignore-case"),
    long(NO_IGNORE_CASE, "no-ignore-case", Value::None),
    letter(b'T', "initial-tab"),
    long(LABEL, "label", Value::Required),
    letter(b'n', "line-number"),
    letter(b'x', "line-regexp"),
    with_value(b'm', "max-count"),
    letter(b'h', "no-filename"),
    long(NO_GROUP_SEPARATOR, "no-group-separator", Value::None),
    letter(b's', "no-messages"),
    letter(b'Z', "null"),
    letter(b'z', "null-data"),
    letter(b'o', "only-matching"),
    letter(b'q', "quiet"),
    letter(b'r', "recursive"),
    letter(b'R', "dereference-recursive"),
    with_value(b'e', "regexp"),
    letter(b'v', "invert-match"),
    letter(b'q', "silent"),
    letter(b'a', "text"),
    letter(b'U', "binary"),
    letter(b'u', "unix-byte-offsets"),
    letter(b'V', "version"),
    letter(b'H', "with-filename"),
    letter(b'w', "word-regexp"),
    letter(b'I', ""),
    letter(b'y', ""),
    with_value(b'X', ""),
];

/// What patterns are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Basic,
    Extended,
    Fixed,
    Perl,
}

/// What becomes of files that are no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binary {
    /// Only told that they match.
    Told,
    /// Taken as text.
    Text,
    /// Taken as not matching.
    Left,
}

/// What becomes of directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Directories {
    Read,
    Skip,
    Recurse,
}

/// Which names are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    None,
    Matching,
    Others,
}

/// Everything that was asked for.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) patterns: Vec<Vec<u8>>,
    pub(crate) files: Vec<Vec<u8>>,
    pub(crate) kind: Kind,
    pub(crate) icase: bool,
    pub(crate) invert: bool,
    pub(crate) word: bool,
    pub(crate) whole: bool,
    pub(crate) count: bool,
    pub(crate) list: List,
    pub(crate) quiet: bool,
    pub(crate) no_messages: bool,
    pub(crate) line_number: bool,
    pub(crate) byte_offset: bool,
    /// `-H` or `-h`.
    pub(crate) with_name: Option<bool>,
    pub(crate) only_matching: bool,
    /// The most lines to select.
    pub(crate) max: u64,
    pub(crate) before: Option<u64>,
    pub(crate) after: Option<u64>,
    pub(crate) directories: Directories,
    /// Links are followed while recursing.
    pub(crate) follow: bool,
    /// Devices are skipped: always, never, or while recursing.
    pub(crate) skip_devices: Option<bool>,
    /// What ends a line.
    pub(crate) end: u8,
    pub(crate) null_names: bool,
    pub(crate) binary: Binary,
    pub(crate) color: bool,
    pub(crate) line_buffered: bool,
    pub(crate) label: Option<Vec<u8>>,
    pub(crate) initial_tab: bool,
    pub(crate) separator: Option<Vec<u8>>,
    pub(crate) files_out: Exclude,
    pub(crate) directories_out: Exclude,
}

/// Why nothing is searched: the status, with everything said.
pub(crate) type Ended = i32;

/// Says what is wrong and how to find out more.
fn usage(mistake: Option<&Usage>) -> Ended {
    if let Some(mistake) = mistake {
        complain("grep", &mistake.message);
    }
    let text =
        "Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n";
    // Where standard error is gone there is nobody to tell.
    let _ = std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes());
    2
}

fn trouble(message: impl AsRef<[u8]>) -> Ended {
    complain("grep", message);
    2
}

/// Reads the command line.
pub(crate) fn parse(arguments: Arguments) -> Result<Asked, Ended> {
    let mut asked = Asked {
        patterns: Vec::new(),
        files: Vec::new(),
        kind: Kind::Basic,
        icase: false,
        invert: false,
        word: false,
        whole: false,
        count: false,
        list: List::None,
        quiet: false,
        no_messages: false,
        line_number: false,
        byte_offset: false,
        with_name: None,
        only_matching: false,
        max: u64::MAX,
        before: None,
        after: None,
        directories: Directories::Read,
        follow: false,
        skip_devices: None,
        end: b'\n',
        null_names: false,
        binary: Binary::Told,
        color: false,
        line_buffered: false,
        label: None,
        initial_tab: false,
        separator: Some(b"--".to_vec()),
        files_out: Exclude::default(),
        directories_out: Exclude::default(),
    };
    let mut reader = Reader {
        asked: &mut asked,
        patterns: None,
        kind: None,
        context: None,
        digits: String::new(),
    };
    let mut options = Options::new(TABLE, arguments);
    let mut operands = Vec::new();
    loop {
        match options.next() {
            Err(mistake) => return Err(usage(Some(&mistake))),
            Ok(None) => break,
            Ok(Some(Found::Operand(operand))) => operands.push(operand),
            Ok(Some(Found::Option(key, value))) => {
                let first = options.starts_cluster();
                reader.option(key, value.unwrap_or_default(), first)?;
            }
        }
    }
    let (patterns, context, kind) = (reader.patterns.take(), reader.context, reader.kind);
    asked.kind = kind.unwrap_or(Kind::Basic);
    asked.before = asked.before.or(context);
    asked.after = asked.after.or(context);
    let patterns = match patterns {
        Some(patterns) => patterns,
        None if operands.is_empty() => return Err(usage(None)),
        None => Some(operands.remove(0)),
    };
    asked.patterns = match patterns {
        Some(text) => text
            .split(|byte| *byte == b'\n')
            .map(<[u8]>::to_vec)
            .collect(),
        None => Vec::new(),
    };
    asked.files = operands;
    if asked.quiet || asked.list != List::None {
        asked.count = false;
    }
    Ok(asked)
}

struct Reader<'a> {
    asked: &'a mut Asked,
    /// The patterns of `-e` and `-f`, joined by newlines; the inner none is no pattern at all.
    patterns: Option<Option<Vec<u8>>>,
    kind: Option<Kind>,
    context: Option<u64>,
    digits: String,
}

impl Reader<'_> {
    fn option(&mut self, key: Key, value: Vec<u8>, first: bool) -> Result<(), Ended> {
        let letter = u8::try_from(key).unwrap_or(0);
        if letter.is_ascii_digit() {
            if first {
                self.digits.clear();
            }
            self.digits.push(char::from(letter));
            self.context = Some(self.digits.parse().unwrap_or(u64::MAX));
            return Ok(());
        }
        let asked = &mut *self.asked;
        match letter {
            b'E' => self.kind(Kind::Extended)?,
            b'F' => self.kind(Kind::Fixed)?,
            b'G' => self.kind(Kind::Basic)?,
            b'P' => self.kind(Kind::Perl)?,
            b'X' => {
                let kind = match &value[..] {
                    b"egrep" => Kind::Extended,
                    b"fgrep" => Kind::Fixed,
                    b"grep" => Kind::Basic,
                    b"perl" => Kind::Perl,
                    _ => {
                        let name = String::from_utf8_lossy(&value);
                        return Err(trouble(format!("invalid matcher {name}")));
                    }
                };
                self.kind(kind)?;
            }
            b'A' => asked.after = Some(length(&value)?),
            b'B' => asked.before = Some(length(&value)?),
            b'C' => self.context = Some(length(&value)?),
            b'D' => {
                asked.skip_devices = match &value[..] {
                    b"read" => Some(false),
                    b"skip" => Some(true),
                    _ => return Err(trouble("unknown devices method")),
                }
            }
            b'd' => self.directories(&value)?,
            b'H' => asked.with_name = Some(true),
            b'h' => asked.with_name = Some(false),
            b'I' => asked.binary = Binary::Left,
            b'a' => asked.binary = Binary::Text,
            b'T' => asked.initial_tab = true,
            b'U' => {}
            b'u' => complain("grep", "warning: --unix-byte-offsets (-u) is obsolete"),
            b'V' => return Err(print("grep (codepod), as GNU grep 3.8\n")),
            b'b' => asked.byte_offset = true,
            b'c' => asked.count = true,
            b'e' => self.add(&value),
            b'f' => self.add_file(&value)?,
            b'i' | b'y' => asked.icase = true,
            b'L' => asked.list = List::Others,
            b'l' => asked.list = List::Matching,
            b'm' => {
                asked.max = match number(&value) {
                    Some(number) if number < 0 => u64::MAX,
                    Some(number) => number as u64,
                    None => return Err(trouble("invalid max count")),
                }
            }
            b'n' => asked.line_number = true,
            b'o' => asked.only_matching = true,
            b'q' => asked.quiet = true,
            b'R' | b'r' => {
                asked.directories = Directories::Recurse;
                asked.follow = letter == b'R';
            }
            b's' => asked.no_messages = true,
            b'v' => asked.invert = true,
            b'w' => asked.word = true,
            b'x' => asked.whole = true,
            b'Z' => asked.null_names = true,
            b'z' => asked.end = 0,
            _ => self.word(key, value)?,
        }
        Ok(())
    }

    /// Options without a letter.
    fn word(&mut self, key: Key, value: Vec<u8>) -> Result<(), Ended> {
        let asked = &mut *self.asked;
        match key {
            INCLUDE => asked.files_out.add(&value, true),
            EXCLUDE => asked.files_out.add(&value, false),
            EXCLUDE_DIR => {
                let end = value
                    .iter()
                    .rposition(|byte| *byte != b'/')
                    .map_or(1, |at| at + 1);
                asked
                    .directories_out
                    .add(&value[..end.min(value.len())], false);
            }
            EXCLUDE_FROM => {
                let text = read(&value)?;
                for line in text
                    .split(|byte| *byte == b'\n')
                    .filter(|line| !line.is_empty())
                {
                    asked.files_out.add(line.trim_ascii_end(), false);
                }
            }
            BINARY_FILES => {
                asked.binary = match &value[..] {
                    b"binary" => Binary::Told,
                    b"text" => Binary::Text,
                    b"without-match" => Binary::Left,
                    _ => return Err(trouble("unknown binary-files type")),
                }
            }
            LINE_BUFFERED => asked.line_buffered = true,
            GROUP_SEPARATOR => asked.separator = Some(value),
            NO_GROUP_SEPARATOR => asked.separator = None,
            LABEL => asked.label = Some(value),
            NO_IGNORE_CASE => asked.icase = false,
            COLOR => {
                asked.color = match &value[..] {
                    b"always" | b"yes" | b"force" => true,
                    b"never" | b"no" | b"none" => false,
                    b"" | b"auto" | b"tty" | b"if-tty" => {
                        std::io::IsTerminal::is_terminal(&std::io::stdout())
                            && std::env::var("TERM").is_ok_and(|term| term != "dumb")
                    }
                    _ => return Err(help()),
                }
            }
            _ => return Err(help()),
        }
        Ok(())
    }

    fn kind(&mut self, kind: Kind) -> Result<(), Ended> {
        if self.kind.is_some_and(|other| other != kind) {
            return Err(trouble("conflicting matchers specified"));
        }
        self.kind = Some(kind);
        Ok(())
    }

    fn directories(&mut self, value: &[u8]) -> Result<(), Ended> {
        self.asked.directories = match value {
            b"read" => Directories::Read,
            b"skip" => Directories::Skip,
            b"recurse" => Directories::Recurse,
            _ => {
                let name = String::from_utf8_lossy(value);
                complain(
                    "grep",
                    format!("invalid argument '{name}' for '--directories'"),
                );
                let text = "Valid arguments are:\n  - 'read'\n  - 'recurse'\n  - 'skip'\n";
                let _ = std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes());
                usage(None);
                return Err(1);
            }
        };
        Ok(())
    }

    /// Adds patterns, one a line.
    fn add(&mut self, text: &[u8]) {
        match &mut self.patterns {
            Some(Some(patterns)) => {
                patterns.push(b'\n');
                patterns.extend_from_slice(text);
            }
            _ => self.patterns = Some(Some(text.to_vec())),
        }
    }

    fn add_file(&mut self, name: &[u8]) -> Result<(), Ended> {
        let text = read(name)?;
        match text.strip_suffix(b"\n") {
            Some(text) => self.add(text),
            None if !text.is_empty() => self.add(&text),
            None => {
                self.patterns.get_or_insert(None);
            }
        }
        Ok(())
    }
}

fn read(name: &[u8]) -> Result<Vec<u8>, Ended> {
    let mut text = Vec::new();
    let result = match name {
        b"-" => std::io::stdin().lock().read_to_end(&mut text),
        _ => std::fs::File::open(path(name)).and_then(|mut file| file.read_to_end(&mut text)),
    };
    match result {
        Ok(_) => Ok(text),
        Err(error) => Err(trouble([name, b": ", io_text(&error).as_bytes()].concat())),
    }
}

/// A number with an optional sign; what is too large is the largest.
fn number(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?.trim_start();
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let value = digits.parse().unwrap_or(i64::MAX);
    Some(if text.starts_with('-') { -value } else { value })
}

fn length(text: &[u8]) -> Result<u64, Ended> {
    match number(text) {
        Some(number) if number >= 0 => Ok(number as u64),
        _ => Err(trouble(
            [text, b": invalid context length argument"].concat(),
        )),
    }
}

fn print(text: &str) -> Ended {
    // The status says enough where nothing can be written.
    i32::from(std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes()).is_err()) * 2
}

fn help() -> Ended {
    print(include_str!("help.txt"))
}
