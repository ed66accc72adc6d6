//! `date`: prints moments, or says why it cannot set the clock.

use codepod_datetime::{Moment, Zone, format, parse};
use std::io::Read as _;

use codepod_tool::{
    Arguments, Opt, Options, Output, Stop, Usage, Value, complain, complain_of, errno_text, flag,
    long, one_of, optional, quoted, quoted_text, value,
};

use crate::arguments::{help, version};
use crate::system::{self, Links};

#[derive(Clone, Copy)]
enum Key {
    Date,
    Debug,
    File,
    Iso,
    Resolution,
    Email,
    Rfc3339,
    Reference,
    Set,
    Universal,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    value(Key::Date, b'd', "date"),
    long(Key::Debug, "debug", Value::None),
    value(Key::File, b'f', "file"),
    optional(Key::Iso, b'I', "iso-8601"),
    long(Key::Resolution, "resolution", Value::None),
    flag(Key::Email, b'R', "rfc-email"),
    long(Key::Email, "rfc-822", Value::None),
    long(Key::Email, "rfc-2822", Value::None),
    long(Key::Rfc3339, "rfc-3339", Value::Required),
    value(Key::Reference, b'r', "reference"),
    value(Key::Set, b's', "set"),
    flag(Key::Universal, b'u', "utc"),
    flag(Key::Universal, b'u', "universal"),
    flag(Key::Universal, b'u', "uct"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

const USUAL: &[u8] = b"%a %b %e %H:%M:%S %Z %Y";

/// The forms of `--iso-8601`.
const ISO: [(&str, &[u8]); 5] = [
    ("hours", b"%Y-%m-%dT%H%:z"),
    ("minutes", b"%Y-%m-%dT%H:%M%:z"),
    ("date", b"%Y-%m-%d"),
    ("seconds", b"%Y-%m-%dT%H:%M:%S%:z"),
    ("ns", b"%Y-%m-%dT%H:%M:%S,%N%:z"),
];

/// The forms of `--rfc-3339`.
const RFC_3339: [(&str, &[u8]); 3] = [
    ("date", b"%Y-%m-%d"),
    ("seconds", b"%Y-%m-%d %H:%M:%S%:z"),
    ("ns", b"%Y-%m-%d %H:%M:%S.%N%:z"),
];

/// What the arguments ask for.
struct Settings {
    source: Source,
    form: Vec<u8>,
    universal: bool,
}

/// Which moments are printed.
enum Source {
    Now,
    /// The moment of `-d`.
    Date(Vec<u8>),
    /// Every line of a file.
    File(Vec<u8>),
    /// When a file was modified.
    Reference(Vec<u8>),
    /// The moment of `-s`, to set the clock to.
    Set(Vec<u8>),
    /// An operand without `+`, to set the clock to.
    Operand(Vec<u8>),
}

/// What the options say, before it is known whether they go together.
#[derive(Default)]
struct Given {
    date: Option<Vec<u8>>,
    file: Option<Vec<u8>>,
    reference: Option<Vec<u8>>,
    set: Option<Vec<u8>>,
    form: Option<Vec<u8>>,
    universal: bool,
}

impl Given {
    fn take(&mut self, tool: &str, key: Key, value: Option<Vec<u8>>) -> Result<(), Stop> {
        match key {
            Key::Date => self.date = value,
            Key::File => self.file = value,
            Key::Reference => self.reference = value,
            Key::Set => self.set = value,
            Key::Universal => self.universal = true,
            Key::Debug => return Err(Usage::new("unrecognized option '--debug'").into()),
            Key::Resolution => self.set_form(b"%s.%N")?,
            Key::Email => self.set_form(b"%a, %d %b %Y %H:%M:%S %z")?,
            Key::Iso => {
                let text = value.unwrap_or_else(|| b"date".to_vec());
                self.set_form(one_of("--iso-8601", &text, &ISO)?)?;
            }
            Key::Rfc3339 => {
                let text = value.unwrap_or_default();
                self.set_form(one_of("--rfc-3339", &text, &RFC_3339)?)?;
            }
            Key::Help => {
                return Err(Stop::Status(help(
                    tool,
                    "[OPTION]... [+FORMAT]",
                    "Display date and time in the given FORMAT.",
                    TABLE,
                )));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    }

    fn set_form(&mut self, form: &[u8]) -> Result<(), Stop> {
        match self.form.replace(form.to_vec()) {
            None => Ok(()),
            Some(_) => Err(Stop::failed("multiple output formats specified")),
        }
    }

    /// How many options say which moments to print.
    fn sources(&self) -> usize {
        let sources = [&self.date, &self.file, &self.reference];
        sources.into_iter().flatten().count()
    }
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    match settings(tool, arguments).and_then(|settings| run(tool, &settings)) {
        Ok(status) => status,
        Err(stop) => stop.report(tool, 1),
    }
}

fn settings(tool: &str, arguments: Arguments) -> Result<Settings, Stop> {
    let mut given = Given::default();
    let operands =
        Options::new(TABLE, arguments).each(|key, value| given.take(tool, key, value))?;
    if given.sources() > 1 {
        let message = "the options to specify dates for printing are mutually exclusive";
        return Err(Usage::new(message).into());
    }
    if given.sources() > 0 && given.set.is_some() {
        let message = "the options to print and set the time may not be used together";
        return Err(Usage::new(message).into());
    }
    let mut setting = None;
    if let Some(operand) = operands.first() {
        if let Some(extra) = operands.get(1) {
            return Err(Usage::new([b"extra operand ", &quoted(extra)[..]].concat()).into());
        }
        if let Some(form) = operand.strip_prefix(b"+") {
            given.set_form(form)?;
        } else if given.sources() > 0 || given.set.is_some() {
            let message = [
                b"the argument ",
                &quoted(operand)[..],
                b" lacks a leading '+';\nwhen using an option to specify date(s), any non-option\nargument must be a format string beginning with '+'",
            ];
            return Err(Usage::new(message.concat()).into());
        } else {
            setting = Some(operand.clone());
        }
    }
    let source = given
        .file
        .map(Source::File)
        .or(given.reference.map(Source::Reference))
        .or(given.set.map(Source::Set))
        .or(setting.map(Source::Operand))
        .or(given.date.map(Source::Date));
    Ok(Settings {
        source: source.unwrap_or(Source::Now),
        form: given.form.unwrap_or_else(|| USUAL.to_vec()),
        universal: given.universal,
    })
}

/// Prints the moments. Returns the status; fails where nothing is printed at all.
fn run(tool: &str, settings: &Settings) -> Result<i32, Stop> {
    let zone = if settings.universal {
        Zone::from_text("UTC")
    } else {
        Zone::from_environment()
    };
    let now = system::now();
    let mut out = Output::new();
    let mut show = |moment: Moment| {
        out.put(&format(&settings.form, moment, &zone));
        out.put_byte(b'\n');
    };
    let mut status = 0;
    let mut show_or_complain = |text: &[u8], moment: Option<Moment>| match moment {
        Some(moment) => show(moment),
        None => {
            complain(tool, invalid(text));
            status = 1;
        }
    };
    match &settings.source {
        Source::Now => show(now),
        Source::Date(text) => show_or_complain(text, parse(text, now, &zone)),
        Source::File(path) => {
            for line in lines(tool, path)? {
                show_or_complain(&line, parse(&line, now, &zone));
            }
        }
        Source::Reference(path) => match system::stat(path, Links::Follow) {
            Ok(stat) => show(Moment::from_nanoseconds(stat.mtime)),
            Err(errno) => {
                complain_of(tool, path, errno_text(errno));
                return Err(Stop::Status(1));
            }
        },
        Source::Set(text) | Source::Operand(text) => {
            let moment = match settings.source {
                Source::Set(_) => parse(text, now, &zone),
                _ => operand_time(text, &zone),
            };
            let moment = moment.ok_or_else(|| Stop::Failed(invalid(text)))?;
            complain(tool, "cannot set date: Operation not permitted");
            show(moment);
            status = 1;
        }
    }
    if let Err(error) = out.finish() {
        complain(tool, format!("write error: {}", system::io_message(&error)));
        return Ok(1);
    }
    Ok(status)
}

fn invalid(text: &[u8]) -> Vec<u8> {
    [b"invalid date ", &quoted_text(text)[..]].concat()
}

/// The lines of a file with dates; of standard input for `-`.
fn lines(tool: &str, path: &[u8]) -> Result<Vec<Vec<u8>>, Stop> {
    let content = if path == b"-" {
        let mut text = Vec::new();
        std::io::stdin().lock().read_to_end(&mut text).map(|_| text)
    } else if std::fs::metadata(codepod_tool::path(path)).is_ok_and(|found| found.is_dir()) {
        // GNU's finds no line in it.
        Ok(Vec::new())
    } else {
        std::fs::read(codepod_tool::path(path))
    };
    let content = content.map_err(|error| {
        complain_of(tool, path, &system::io_message(&error));
        Stop::Status(1)
    })?;
    if content.is_empty() {
        return Ok(Vec::new());
    }
    let text = content.strip_suffix(b"\n").unwrap_or(&content);
    // A line ends where a string of C does.
    let end = |line: &[u8]| line.split(|byte| *byte == 0).next().map(<[u8]>::to_vec);
    let lines = text.split(|byte| *byte == b'\n');
    Ok(lines.map(|line| end(line).unwrap_or_default()).collect())
}

/// `MMDDhhmm[[CC]YY][.ss]`
fn operand_time(text: &[u8], zone: &Zone) -> Option<Moment> {
    let dot = text
        .iter()
        .position(|byte| *byte == b'.')
        .unwrap_or(text.len());
    let (digits, second) = text.split_at(dot);
    if digits.len() < 8 {
        return None;
    }
    let (month_first, year) = digits.split_at(8);
    crate::touch::posix_time(&[year, month_first, second].concat(), zone)
}
