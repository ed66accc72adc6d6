//! `rm`: removes files and trees.

use codepod_tool::{
    Arguments, Found, Opt, Options, Stop, Usage, Value, complain, flag, long, one_of, optional,
    quoted, quoted_if_needed,
};

use crate::arguments::{help, version};
use crate::ask::confirm;
use crate::remove::{Questions, Remover, Rules};
use crate::system::{self, Links};

#[derive(Clone, Copy)]
enum Key {
    Force,
    Always,
    Once,
    Interactive,
    OneFileSystem,
    NoPreserveRoot,
    PreserveRoot,
    Recursive,
    Directory,
    Verbose,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Force, b'f', "force"),
    flag(Key::Always, b'i', ""),
    flag(Key::Once, b'I', ""),
    optional(Key::Interactive, 0, "interactive"),
    long(Key::OneFileSystem, "one-file-system", Value::None),
    long(Key::NoPreserveRoot, "no-preserve-root", Value::None),
    optional(Key::PreserveRoot, 0, "preserve-root"),
    flag(Key::Recursive, b'r', "recursive"),
    flag(Key::Recursive, b'R', ""),
    flag(Key::Directory, b'd', "dir"),
    flag(Key::Verbose, b'v', "verbose"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// `--interactive=WHEN`
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    Never,
    Once,
    Always,
}

const WHENS: &[(&str, When)] = &[
    ("never", When::Never),
    ("no", When::Never),
    ("none", When::Never),
    ("once", When::Once),
    ("always", When::Always),
    ("yes", When::Always),
];

/// What the arguments ask for.
struct Settings {
    rules: Rules,
    /// Whether there is one question before anything is removed.
    once: bool,
    paths: Vec<Vec<u8>>,
}

/// What the options say.
#[derive(Default)]
struct Given {
    rules: Rules,
    when: Option<When>,
    any_root: bool,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    match settings(tool, arguments) {
        Ok(settings) => run(tool, settings),
        Err(stop) => stop.report(tool, 1),
    }
}

impl Given {
    fn take(&mut self, tool: &str, key: Key, value: Option<Vec<u8>>) -> Result<(), Stop> {
        let rules = &mut self.rules;
        match key {
            Key::Force => self.set_when(When::Never, true),
            Key::Always => self.set_when(When::Always, false),
            Key::Once => self.set_when(When::Once, false),
            Key::Interactive => {
                let text = value.unwrap_or_else(|| b"always".to_vec());
                self.when = Some(one_of("--interactive", &text, WHENS)?);
                self.rules.ignore_missing &= self.when == Some(When::Never);
            }
            Key::OneFileSystem => rules.one_file_system = true,
            Key::NoPreserveRoot => self.any_root = true,
            Key::PreserveRoot => match value.as_deref() {
                None => self.any_root = false,
                Some(b"all") => (self.any_root, rules.refuse_mounts) = (false, true),
                Some(other) => {
                    let what = b"unrecognized --preserve-root argument: ";
                    return Err(Stop::failed([what, &quoted(other)[..]].concat()));
                }
            },
            Key::Recursive => rules.recursive = true,
            Key::Directory => rules.empty_directories = true,
            Key::Verbose => rules.verbose = true,
            Key::Help => {
                return Err(Stop::Status(help(
                    tool,
                    "[OPTION]... [FILE]...",
                    "Remove (unlink) the FILE(s).",
                    TABLE,
                )));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    }

    fn set_when(&mut self, when: When, ignore_missing: bool) {
        self.when = Some(when);
        self.rules.ignore_missing = ignore_missing;
    }
}

fn settings(tool: &str, arguments: Arguments) -> Result<Settings, Stop> {
    if let Some(end) = arguments.iter().position(|argument| argument == b"--") {
        refuse_abbreviation(&arguments[..end])?;
    } else {
        refuse_abbreviation(&arguments)?;
    }
    let mut given = Given::default();
    let names = arguments.clone();
    let mut options = Options::new(TABLE, arguments);
    let mut paths = Vec::new();
    loop {
        match options.next() {
            Ok(Some(Found::Option(key, value))) => given.take(tool, key, value)?,
            Ok(Some(Found::Operand(path))) => paths.push(path),
            Ok(None) => break,
            Err(usage) => {
                complain(tool, &usage.message);
                hint(tool, &names);
                return Err(Usage::new("").into());
            }
        }
    }
    let mut rules = given.rules;
    if paths.is_empty() {
        if rules.ignore_missing {
            return Err(Stop::Status(0));
        }
        return Err(Usage::new("missing operand").into());
    }
    rules.questions = match given.when {
        Some(When::Always) => Questions::Always,
        Some(When::Never) => Questions::Never,
        _ if rules.ignore_missing || !system::is_terminal(0) => Questions::Never,
        _ => Questions::Protected,
    };
    if rules.recursive && !given.any_root {
        rules.root = system::stat(b"/", Links::Keep).ok();
    }
    Ok(Settings {
        rules,
        once: given.when == Some(When::Once),
        paths,
    })
}

/// `--no-preserve-root` has to be spelt out.
fn refuse_abbreviation(arguments: &[Vec<u8>]) -> Result<(), Stop> {
    let is_short = |argument: &Vec<u8>| {
        argument.len() > 2
            && b"--no-preserve-root".starts_with(argument)
            && argument != b"--no-preserve-root"
    };
    if arguments.iter().any(is_short) {
        return Err(Stop::failed(
            "you may not abbreviate the --no-preserve-root option",
        ));
    }
    Ok(())
}

/// Says how a file is removed whose name was taken for options.
fn hint(tool: &str, arguments: &[Vec<u8>]) {
    let is_file = |argument: &&Vec<u8>| {
        argument.len() > 1
            && argument.starts_with(b"-")
            && system::stat(argument, Links::Keep).is_ok()
    };
    if let Some(name) = arguments.iter().find(is_file) {
        let path = quoted_if_needed(&[b"./", &name[..]].concat());
        let line = [
            b"Try '",
            tool.as_bytes(),
            b" ",
            &path,
            b"' to remove the file ",
            &quoted(name),
            b".\n",
        ];
        // Where standard error is gone there is nobody to tell.
        let _ = std::io::Write::write_all(&mut std::io::stderr(), &line.concat());
    }
}

fn run(tool: &str, settings: Settings) -> i32 {
    let count = settings.paths.len();
    let recursive = settings.rules.recursive;
    if settings.once && (recursive || count > 3) {
        let noun = if count == 1 { "argument" } else { "arguments" };
        let how = if recursive { " recursively" } else { "" };
        if !confirm(tool, format!("remove {count} {noun}{how}").as_bytes()) {
            return 0;
        }
    }
    let mut remover = Remover::new(tool, settings.rules);
    for path in &settings.paths {
        remover.operand(path);
    }
    remover.finish()
}
