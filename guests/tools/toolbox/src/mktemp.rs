//! `mktemp`: makes temporary files that only their owner may use.

use codepod_tool::{
    Arguments, Opt, Options, Output, Stop, Usage, Value, complain, flag, long, optional, quoted,
    value,
};

use crate::arguments::{help, version};
use crate::system::{self, Links};

#[derive(Clone, Copy)]
enum Key {
    Directory,
    DryRun,
    Quiet,
    Suffix,
    ParentShort,
    Parent,
    Temporary,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Directory, b'd', "directory"),
    flag(Key::DryRun, b'u', "dry-run"),
    flag(Key::Quiet, b'q', "quiet"),
    long(Key::Suffix, "suffix", Value::Required),
    value(Key::ParentShort, b'p', ""),
    optional(Key::Parent, 0, "tmpdir"),
    flag(Key::Temporary, b't', ""),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// Letters of names.
const LETTERS: &[u8; 62] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
/// How often another name is tried.
const TRIES: usize = 1000;

/// What the options say.
#[derive(Default)]
struct Settings {
    directory: bool,
    dry: bool,
    quiet: bool,
    temporary: bool,
    suffix: Option<Vec<u8>>,
    parent: Option<Parent>,
}

/// Where `-p` and `--tmpdir` put it.
enum Parent {
    /// Below `TMPDIR`.
    Environment,
    Named(Vec<u8>),
}

/// A template taken apart: what stays, how many letters are made up, what stays behind them.
struct Template {
    /// The directory, with a slash; empty for none.
    prefix: Vec<u8>,
    stem: Vec<u8>,
    count: usize,
    tail: Vec<u8>,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    match read(tool, arguments) {
        Ok((settings, template)) => run(tool, &settings, &template),
        Err(stop) => stop.report(tool, 1),
    }
}

/// Reads the arguments: what the options say, and the template.
fn read(tool: &str, arguments: Arguments) -> Result<(Settings, Template), Stop> {
    let mut settings = Settings::default();
    let mut operands = Options::new(TABLE, arguments).each(|key, value| {
        match key {
            Key::Directory => settings.directory = true,
            Key::DryRun => settings.dry = true,
            Key::Quiet => settings.quiet = true,
            Key::Suffix => settings.suffix = value,
            Key::ParentShort | Key::Parent => {
                let named = value.filter(|value| !value.is_empty());
                settings.parent = Some(named.map_or(Parent::Environment, Parent::Named));
            }
            Key::Temporary => settings.temporary = true,
            Key::Help => {
                return Err(Stop::Status(help(
                    tool,
                    "[OPTION]... [TEMPLATE]",
                    "Create a temporary file or directory, safely, and print its name.",
                    TABLE,
                )));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    })?;
    if operands.len() > 1 {
        return Err(Usage::new("too many templates").into());
    }
    let template = template(&settings, operands.pop()).map_err(Stop::Failed)?;
    Ok((settings, template))
}

/// Takes the template apart. Fails with the message.
fn template(settings: &Settings, given: Option<Vec<u8>>) -> Result<Template, Vec<u8>> {
    let has_template = given.is_some();
    let mut template = given.unwrap_or_else(|| b"tmp.XXXXXXXXXX".to_vec());
    let tail = match &settings.suffix {
        Some(_) if template.last() != Some(&b'X') => {
            let (before, behind) = (b"with --suffix, template ", b" must end in X");
            return Err([before, &quoted(&template)[..], behind].concat());
        }
        Some(suffix) => suffix.clone(),
        None => {
            let last = template.iter().rposition(|byte| *byte == b'X');
            template.split_off(last.map_or(template.len(), |last| last + 1))
        }
    };
    if tail.contains(&b'/') {
        let why = b", contains directory separator";
        return Err([b"invalid suffix ", &quoted(&tail)[..], why].concat());
    }
    let letters = template.iter().rev();
    let count = letters.take_while(|byte| **byte == b'X').count();
    if count < 3 {
        let shown: &[u8] = if settings.suffix.is_some() {
            b""
        } else {
            &tail
        };
        let whole = [&template[..], shown].concat();
        return Err([b"too few X's in template ", &quoted(&whole)[..]].concat());
    }
    let prefix = if settings.temporary || settings.parent.is_some() || !has_template {
        directory(settings, &template)?
    } else {
        Vec::new()
    };
    template.truncate(template.len() - count);
    Ok(Template {
        prefix,
        stem: template,
        count,
        tail,
    })
}

/// The directory that a template is put into, with a slash. Fails with the message.
fn directory(settings: &Settings, template: &[u8]) -> Result<Vec<u8>, Vec<u8>> {
    let invalid = |why: &[u8]| Err([b"invalid template, ", &quoted(template)[..], why].concat());
    if template.contains(&b'/') && settings.temporary {
        return invalid(b", contains directory separator");
    }
    if settings.parent.is_some() && template.starts_with(b"/") {
        return invalid(b"; with --tmpdir, it may not be absolute");
    }
    let environment = || {
        std::env::var_os("TMPDIR")
            .map(|value| value.into_encoded_bytes())
            .filter(|value| !value.is_empty())
    };
    let named = match &settings.parent {
        Some(Parent::Named(directory)) => Some(directory.clone()),
        Some(Parent::Environment) | None => None,
    };
    let chosen = if settings.temporary {
        environment().or(named)
    } else {
        named.or_else(environment)
    };
    let mut directory = chosen.unwrap_or_else(|| b"/tmp".to_vec());
    if !directory.ends_with(b"/") {
        directory.push(b'/');
    }
    Ok(directory)
}

impl Template {
    /// A name of this template, with other letters each time.
    fn name(&self) -> Vec<u8> {
        let mut name = [&self.prefix[..], &self.stem].concat();
        for _ in 0..self.count {
            name.push(LETTERS[system::random() as usize % LETTERS.len()]);
        }
        name.extend_from_slice(&self.tail);
        name
    }

    /// The template as messages show it.
    fn shown(&self) -> Vec<u8> {
        let letters = vec![b'X'; self.count];
        [&self.prefix[..], &self.stem, &letters, &self.tail].concat()
    }
}

fn run(tool: &str, settings: &Settings, template: &Template) -> i32 {
    let mut why = String::from("File exists");
    for _ in 0..TRIES {
        let path = template.name();
        match make(&path, settings.directory, settings.dry) {
            Ok(()) => {
                let mut out = Output::new();
                out.put(&path);
                out.put_byte(b'\n');
                return i32::from(out.finish().is_err());
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                why = system::io_message(&error);
                break;
            }
        }
    }
    if !settings.quiet {
        let what: &[u8] = if settings.directory {
            b"failed to create directory via template "
        } else {
            b"failed to create file via template "
        };
        let shown = quoted(&template.shown());
        complain(tool, [what, &shown, b": ", why.as_bytes()].concat());
    }
    1
}

fn make(path: &[u8], directory: bool, dry: bool) -> std::io::Result<()> {
    let name = codepod_tool::path(path);
    let owner_only = |mode: u32| {
        system::set_mode(path, Links::Keep, mode & !system::current_umask())
            .map_err(codepod_sys::io_error)
    };
    if dry {
        let there = system::stat(path, Links::Keep).is_ok();
        return if there {
            Err(std::io::ErrorKind::AlreadyExists.into())
        } else {
            Ok(())
        };
    }
    if directory {
        std::fs::create_dir(name)?;
        return owner_only(0o700);
    }
    std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(name)?;
    owner_only(0o600)
}
