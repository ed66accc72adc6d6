//! `date`: prints moments, or says why it cannot set the clock.

use codepod_datetime::{Moment, Zone, format, parse};
use std::io::Read as _;

use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Usage, Value, complain, complain_of, errno_text, flag,
    long, optional, quoted, quoted_text, value,
};

use crate::arguments::{help, one_of, version};
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

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(TABLE, arguments);
    let (mut date, mut file, mut reference, mut set, mut universal) =
        (None, None, None, None, false);
    let mut form: Option<Vec<u8>> = None;
    let mut sources = 0;
    let mut operands = Vec::new();
    loop {
        let (key, value) = match options.next() {
            Ok(Some(Found::Operand(operand))) => {
                operands.push(operand);
                continue;
            }
            Ok(Some(Found::Option(key, value))) => (key, value),
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 1),
        };
        let given = match key {
            Key::Date => {
                sources += u32::from(date.is_none());
                date = value;
                continue;
            }
            Key::File => {
                sources += u32::from(file.is_none());
                file = value;
                continue;
            }
            Key::Reference => {
                sources += u32::from(reference.is_none());
                reference = value;
                continue;
            }
            Key::Set => {
                set = value;
                continue;
            }
            Key::Universal => {
                universal = true;
                continue;
            }
            Key::Debug => return Usage::new("unrecognized option '--debug'").report(tool, 1),
            Key::Resolution => b"%s.%N".to_vec(),
            Key::Email => b"%a, %d %b %Y %H:%M:%S %z".to_vec(),
            Key::Iso => {
                let choices: [(&str, &[u8]); 5] = [
                    ("hours", b"%Y-%m-%dT%H%:z"),
                    ("minutes", b"%Y-%m-%dT%H:%M%:z"),
                    ("date", b"%Y-%m-%d"),
                    ("seconds", b"%Y-%m-%dT%H:%M:%S%:z"),
                    ("ns", b"%Y-%m-%dT%H:%M:%S,%N%:z"),
                ];
                match value {
                    None => choices[2].1.to_vec(),
                    Some(text) => match one_of(tool, "--iso-8601", &text, &choices) {
                        Ok(form) => form.to_vec(),
                        Err(()) => return Usage::new("").report(tool, 1),
                    },
                }
            }
            Key::Rfc3339 => {
                let choices: [(&str, &[u8]); 3] = [
                    ("date", b"%Y-%m-%d"),
                    ("seconds", b"%Y-%m-%d %H:%M:%S%:z"),
                    ("ns", b"%Y-%m-%d %H:%M:%S.%N%:z"),
                ];
                match one_of(tool, "--rfc-3339", &value.unwrap_or_default(), &choices) {
                    Ok(form) => form.to_vec(),
                    Err(()) => return Usage::new("").report(tool, 1),
                }
            }
            Key::Help => {
                return help(
                    tool,
                    "[OPTION]... [+FORMAT]",
                    "Display date and time in the given FORMAT.",
                    TABLE,
                );
            }
            Key::Version => return version(tool),
        };
        if form.replace(given).is_some() {
            complain(tool, "multiple output formats specified");
            return 1;
        }
    }
    if sources > 1 {
        return Usage::new("the options to specify dates for printing are mutually exclusive")
            .report(tool, 1);
    }
    let mut setting = set.clone();
    if let Some(operand) = operands.first() {
        if let Some(text) = operand.strip_prefix(b"+") {
            if form.replace(text.to_vec()).is_some() {
                complain(tool, "multiple output formats specified");
                return 1;
            }
            if let Some(extra) = operands.get(1) {
                return Usage::new([b"extra operand ", &quoted(extra)[..]].concat())
                    .report(tool, 1);
            }
        } else if sources > 0 || set.is_some() {
            let message = [
                b"the argument ",
                &quoted(operand)[..],
                b" lacks a leading '+';\nwhen using an option to specify date(s), any non-option\nargument must be a format string beginning with '+'",
            ];
            return Usage::new(message.concat()).report(tool, 1);
        } else {
            setting = Some(operand.clone());
        }
    }
    let zone = if universal {
        Zone::from_text("UTC")
    } else {
        Zone::from_environment()
    };
    let form = form.unwrap_or_else(|| USUAL.to_vec());
    let now = system::now();
    let mut out = Output::new();
    let mut show = |moment: Moment| {
        out.put(&format(&form, moment, &zone));
        out.put_byte(b'\n');
    };
    let mut status = 0;
    let parsed = |text: &[u8]| {
        let found = parse(text, now, &zone);
        if found.is_none() {
            complain(tool, [b"invalid date ", &quoted_text(text)[..]].concat());
        }
        found
    };
    if let Some(path) = file {
        let content = if path == b"-" {
            let mut text = Vec::new();
            std::io::stdin().lock().read_to_end(&mut text).map(|_| text)
        } else if std::fs::metadata(codepod_tool::path(&path)).is_ok_and(|found| found.is_dir()) {
            // GNU's finds no line in it.
            Ok(Vec::new())
        } else {
            std::fs::read(codepod_tool::path(&path))
        };
        match content {
            Ok(content) => {
                let text = content.strip_suffix(b"\n").unwrap_or(&content);
                let lines = if content.is_empty() {
                    Vec::new()
                } else {
                    text.split(|byte| *byte == b'\n').collect()
                };
                for line in lines {
                    // A line ends where a string of C does.
                    let line = line.split(|byte| *byte == 0).next().unwrap_or(line);
                    match parsed(line) {
                        Some(moment) => show(moment),
                        None => status = 1,
                    }
                }
            }
            Err(error) => {
                complain_of(tool, &path, &system::io_message(&error));
                return 1;
            }
        }
    } else if let Some(path) = reference {
        match system::stat(&path, Links::Follow) {
            Ok(stat) => show(Moment::from_nanoseconds(stat.mtime)),
            Err(errno) => {
                complain_of(tool, &path, errno_text(errno));
                return 1;
            }
        }
    } else if let Some(text) = setting {
        let moment = if set.is_some() {
            parse(&text, now, &zone)
        } else {
            operand_time(&text, &zone)
        };
        match moment {
            None => {
                complain(tool, [b"invalid date ", &quoted_text(&text)[..]].concat());
                return 1;
            }
            Some(moment) => {
                complain(tool, "cannot set date: Operation not permitted");
                show(moment);
                status = 1;
            }
        }
    } else {
        match date {
            Some(text) => match parsed(&text) {
                Some(moment) => show(moment),
                None => status = 1,
            },
            None => show(now),
        }
    }
    if let Err(error) = out.finish() {
        complain(tool, format!("write error: {}", system::io_message(&error)));
        return 1;
    }
    status
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
