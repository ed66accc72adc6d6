//! patch: applies diffs to files.

mod apply;
mod disk;
mod file;
mod names;
mod read;
mod rejects;

use std::io::{Read as _, Write as _};

use codepod_tool::{
    Arguments, Found, Opt, Options, Value, complain, flag, io_text, long, path, value,
};

use disk::{Backups, Numbers};
use file::Run;
use names::shown;
use read::Reader;

type Key = u16;
const DRY_RUN: Key = 300;
const HELP: Key = 301;
const VERBOSE: Key = 302;
const BINARY: Key = 303;
const REFUSED: Key = 304;
const MISMATCH: Key = 305;
const NO_MISMATCH: Key = 306;
const POSIX: Key = 307;
const READ_ONLY: Key = 308;
const REJECT_FORMAT: Key = 309;
const FOLLOW: Key = 310;

const TABLE: &[Opt<Key>] = &[
    flag(b'b' as Key, b'b', "backup"),
    value(b'B' as Key, b'B', "prefix"),
    flag(b'c' as Key, b'c', "context"),
    value(b'd' as Key, b'd', "directory"),
    flag(REFUSED, b'e', "ed"),
    value(REFUSED, b'D', "ifdef"),
    flag(b'E' as Key, b'E', "remove-empty-files"),
    flag(b'f' as Key, b'f', "force"),
    value(b'F' as Key, b'F', "fuzz"),
    value(REFUSED, b'g', "get"),
    value(b'i' as Key, b'i', "input"),
    flag(b'l' as Key, b'l', "ignore-whitespace"),
    flag(b'n' as Key, b'n', "normal"),
    flag(b'N' as Key, b'N', "forward"),
    value(b'o' as Key, b'o', "output"),
    value(b'p' as Key, b'p', "strip"),
    value(b'r' as Key, b'r', "reject-file"),
    flag(b'R' as Key, b'R', "reverse"),
    flag(b's' as Key, b's', "quiet"),
    flag(b's' as Key, b's', "silent"),
    flag(b't' as Key, b't', "batch"),
    flag(b'T' as Key, b'T', "set-time"),
    flag(b'u' as Key, b'u', "unified"),
    flag(b'v' as Key, b'v', "version"),
    value(b'V' as Key, b'V', "version-control"),
    value(b'Y' as Key, b'Y', "basename-prefix"),
    value(b'z' as Key, b'z', "suffix"),
    flag(b'Z' as Key, b'Z', "set-utc"),
    long(DRY_RUN, "dry-run", Value::None),
    long(VERBOSE, "verbose", Value::None),
    long(BINARY, "binary", Value::None),
    long(REFUSED, "merge", Value::Optional),
    long(REJECT_FORMAT, "reject-format", Value::Required),
    long(READ_ONLY, "read-only", Value::Required),
    long(FOLLOW, "follow-symlinks", Value::None),
    long(MISMATCH, "backup-if-mismatch", Value::None),
    long(NO_MISMATCH, "no-backup-if-mismatch", Value::None),
    long(POSIX, "posix", Value::None),
    long(HELP, "help", Value::None),
];

/// What is done with files that may not be written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum ReadOnly {
    Ignore,
    #[default]
    Warn,
    Fail,
}

/// Which time zone the dates of a patch are in, if files get them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Times {
    Local,
    Universal,
}

/// What was asked for.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    backup: bool,
    backup_on_mismatch: bool,
    backups: Backups,
    directory: Option<Vec<u8>>,
    remove_empty: bool,
    force: bool,
    batch: bool,
    forward: bool,
    fuzz: usize,
    input: Option<Vec<u8>>,
    loose: bool,
    normal: bool,
    output: Option<Vec<u8>>,
    strip: Option<usize>,
    rejects: Option<Vec<u8>>,
    /// Rejects are unified, or as in context diffs; otherwise as the patch is.
    unified_rejects: Option<bool>,
    reverse: bool,
    silent: bool,
    verbose: bool,
    dry_run: bool,
    binary: bool,
    posix: bool,
    read_only: ReadOnly,
    follow: bool,
    times: Option<Times>,
    file: Option<Vec<u8>>,
}

/// Nothing more can be done: a message.
struct Fatal(Vec<u8>);

/// Runs patch and returns its status. Its messages name it as it was called.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let called = std::env::args().next();
    let tool = called.as_deref().unwrap_or(tool);
    let asked = match parse(tool, arguments) {
        Ok(asked) => asked,
        Err(status) => return status,
    };
    match run(&asked) {
        Ok(status) => status,
        Err(Fatal(message)) => {
            complain(tool, [b"**** ", &message[..]].concat());
            2
        }
    }
}

/// How backups are numbered unless an option says it.
fn numbers_asked() -> Numbers {
    ["PATCH_VERSION_CONTROL", "VERSION_CONTROL"]
        .iter()
        .find_map(std::env::var_os)
        .and_then(|name| Numbers::named(name.as_encoded_bytes()))
        .unwrap_or_default()
}

fn parse(tool: &str, arguments: Arguments) -> Result<Asked, i32> {
    let mut asked = Asked {
        backup_on_mismatch: true,
        backups: Backups {
            numbers: numbers_asked(),
            ..Backups::default()
        },
        fuzz: 2,
        ..Asked::default()
    };
    let mut options = Options::new(TABLE, arguments);
    let mut operands = Vec::new();
    loop {
        match options.next() {
            Err(mistake) => return Err(crate::arguments::usage(tool, &mistake.message)),
            Ok(None) => break,
            Ok(Some(Found::Operand(operand))) => operands.push(operand),
            Ok(Some(Found::Option(key, value))) => {
                let text = value.unwrap_or_default();
                match u8::try_from(key) {
                    Ok(letter) => asked.set_letter(tool, letter, text)?,
                    Err(_) => asked.set_long(tool, key, &text)?,
                }
            }
        }
    }
    let mut operands = operands.into_iter();
    asked.file = operands.next();
    if let Some(input) = operands.next() {
        asked.input = Some(input);
    }
    if let Some(extra) = operands.next() {
        return Err(crate::arguments::usage(
            tool,
            [&extra[..], b": extra operand"].concat(),
        ));
    }
    Ok(asked)
}

/// Says what is wrong with an option and returns the status for that.
fn refused(tool: &str, message: String) -> i32 {
    complain(tool, format!("**** {message}"));
    2
}

impl Asked {
    /// Takes an option that has a letter. Fails with the status to end with.
    fn set_letter(&mut self, tool: &str, letter: u8, text: Vec<u8>) -> Result<(), i32> {
        match letter {
            b'b' => self.backup = true,
            b'B' => self.backups.prefix = text,
            b'Y' => self.backups.base_prefix = text,
            b'z' => self.backups.suffix = Some(text),
            b'V' => {
                self.backups.numbers = Numbers::named(&text).ok_or_else(|| {
                    let shown = String::from_utf8_lossy(&text);
                    refused(tool, format!("invalid version control type '{shown}'"))
                })?;
            }
            b'n' => self.normal = true,
            b'T' => self.times = Some(Times::Local),
            b'Z' => self.times = Some(Times::Universal),
            b'd' => self.directory = Some(text),
            b'E' => self.remove_empty = true,
            b'f' => self.force = true,
            b'F' => self.fuzz = count(tool, "fuzz factor", &text)?,
            b'i' => self.input = Some(text),
            b'l' => self.loose = true,
            b'N' => self.forward = true,
            b'o' => self.output = Some(text),
            b'p' => self.strip = Some(count(tool, "strip count", &text)?),
            b'r' => self.rejects = Some(text),
            b'R' => self.reverse = true,
            b's' => self.silent = true,
            b't' => self.batch = true,
            b'v' => return Err(print("patch (codepod), as GNU patch 2.7.6\n")),
            // -c and -u: which kind a patch is of shows in it.
            _ => {}
        }
        Ok(())
    }

    /// Takes an option that has no letter, or is not supported. Fails with the status to end with.
    fn set_long(&mut self, tool: &str, key: Key, text: &[u8]) -> Result<(), i32> {
        match key {
            DRY_RUN => self.dry_run = true,
            BINARY => self.binary = true,
            MISMATCH => self.backup_on_mismatch = true,
            NO_MISMATCH => self.backup_on_mismatch = false,
            POSIX => (self.backup_on_mismatch, self.posix) = (false, true),
            VERBOSE => self.verbose = true,
            FOLLOW => self.follow = true,
            READ_ONLY => {
                self.read_only = match text {
                    b"ignore" => ReadOnly::Ignore,
                    b"warn" => ReadOnly::Warn,
                    b"fail" => ReadOnly::Fail,
                    _ => return Err(crate::arguments::usage(tool, b"")),
                }
            }
            REJECT_FORMAT => {
                self.unified_rejects = match text {
                    b"unified" => Some(true),
                    b"context" => Some(false),
                    _ => return Err(crate::arguments::usage(tool, b"")),
                }
            }
            HELP => return Err(print(include_str!("patch.txt"))),
            _ => {
                let message = "that option is not supported".to_owned();
                return Err(refused(tool, message));
            }
        }
        Ok(())
    }
}

/// A count that an option gives; `noun` is what its message calls it.
fn count(tool: &str, noun: &str, text: &[u8]) -> Result<usize, i32> {
    let shown = String::from_utf8_lossy(text);
    shown
        .parse()
        .map_err(|_| refused(tool, format!("{noun} {shown} is not a number")))
}

fn print(text: &str) -> i32 {
    // The status says enough where nothing can be written.
    i32::from(std::io::stdout().write_all(text.as_bytes()).is_err()) * 2
}

fn run(asked: &Asked) -> Result<i32, Fatal> {
    if let Some(directory) = &asked.directory
        && let Err(error) = std::env::set_current_dir(path(directory))
    {
        return cannot(b"Can't change to directory ", directory, &error);
    }
    let mut text = Vec::new();
    let read = match asked.input.as_deref() {
        None | Some(b"-") => std::io::stdin().lock().read_to_end(&mut text).map(|_| ()),
        Some(name) => std::fs::read(path(name)).map(|read| text = read),
    };
    if let Err(error) = read {
        let Some(name) = asked.input.as_deref().filter(|name| *name != b"-") else {
            return Err(Fatal(
                format!("read error : {}", io_text(&error)).into_bytes(),
            ));
        };
        return cannot(b"Can't open patch file ", name, &error);
    }
    let mut reader = Reader::new(&text, asked.binary);
    let mut run = Run::new(asked);
    let mut any = false;
    loop {
        let known = (asked.file.is_some() && !any) || asked.normal;
        match reader.next(known) {
            Ok(Some(patch)) => {
                any = true;
                run.patch(&patch)?;
            }
            Ok(None) => break,
            Err(mistake) => {
                if let Some(patch) = reader.broken.take() {
                    run.broken(&patch);
                }
                run.flush()?;
                return Err(Fatal(mistake));
            }
        }
    }
    run.flush()?;
    if !any && !text.is_empty() {
        return Err(Fatal(
            b"Only garbage was found in the patch input.".to_vec(),
        ));
    }
    if let (false, Some(output), Some(file)) = (any, &asked.output, &asked.file) {
        run.say.line(
            &[
                b"patching file ",
                &shown(output)[..],
                b" (read from ",
                &shown(file),
                b")",
            ]
            .concat(),
        );
        if let Err(error) = std::fs::copy(path(file), path(output)) {
            return cannot(b"Can't create file ", output, &error);
        }
    }
    Ok(i32::from(run.failed))
}

fn cannot<T>(what: &[u8], name: &[u8], error: &std::io::Error) -> Result<T, Fatal> {
    let name = shown(name);
    Err(Fatal(
        [what, &name, b" : ", io_text(error).as_bytes()].concat(),
    ))
}

/// What is said on standard output.
pub(crate) struct Say {
    silent: bool,
}

impl Say {
    /// Says a line, unless silence was asked for.
    pub(crate) fn line(&mut self, text: &[u8]) {
        if !self.silent {
            self.loud(text);
        }
    }

    /// Says a line in any case.
    pub(crate) fn loud(&mut self, text: &[u8]) {
        // Where standard output is gone there is nobody to tell; the status says whether it worked.
        let _ = std::io::stdout().write_all(&[text, b"\n"].concat());
    }
}
