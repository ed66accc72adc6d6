//! `touch`: sets times of files and makes them.

use codepod_datetime::{Civil, Moment, Zone, parse};
use codepod_tool::{
    Arguments, Found, Opt, Options, Usage, Value, complain, errno_text, flag, long, quoted, value,
};
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT, utimensat};

use crate::arguments::{help, one_of, version};
use crate::system::{self, Links};

#[derive(Clone, Copy)]
enum Key {
    Access,
    NoCreate,
    Date,
    Ignored,
    NoDereference,
    Modification,
    Reference,
    Stamp,
    Time,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Access, b'a', ""),
    flag(Key::NoCreate, b'c', "no-create"),
    value(Key::Date, b'd', "date"),
    flag(Key::Ignored, b'f', ""),
    flag(Key::NoDereference, b'h', "no-dereference"),
    flag(Key::Modification, b'm', ""),
    value(Key::Reference, b'r', "reference"),
    value(Key::Stamp, b't', ""),
    long(Key::Time, "time", Value::Required),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// A time to set.
#[derive(Clone, Copy)]
enum When {
    Now,
    At(Moment),
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let zone = Zone::from_environment();
    let mut options = Options::new(TABLE, arguments);
    let (mut access, mut modification, mut create, mut links) = (false, false, true, Links::Follow);
    let (mut date, mut reference, mut stamp) = (None, None, None);
    let mut operands = Vec::new();
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => operands.push(operand),
            Ok(Some(Found::Option(key, value))) => match key {
                Key::Access => access = true,
                Key::NoCreate => create = false,
                Key::Date => date = value,
                Key::Ignored => {}
                Key::NoDereference => (links, create) = (Links::Keep, false),
                Key::Modification => modification = true,
                Key::Reference => reference = value,
                Key::Stamp => {
                    let text = value.unwrap_or_default();
                    match posix_time(&text, &zone) {
                        Some(moment) => stamp = Some(moment),
                        None => {
                            complain(tool, [b"invalid date format ", &quoted(&text)[..]].concat());
                            return 1;
                        }
                    }
                }
                Key::Time => {
                    let choices = [
                        ("atime", 0),
                        ("access", 0),
                        ("use", 0),
                        ("mtime", 1),
                        ("modify", 1),
                    ];
                    match one_of(tool, "--time", &value.unwrap_or_default(), &choices) {
                        Ok(0) => access = true,
                        Ok(_) => modification = true,
                        Err(()) => return Usage::new("").report(tool, 1),
                    }
                }
                Key::Help => {
                    return help(
                        tool,
                        "[OPTION]... FILE...",
                        "Update the access and modification times of each FILE to the current time.",
                        TABLE,
                    );
                }
                Key::Version => return version(tool),
            },
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 1),
        }
    }
    if stamp.is_some() && (date.is_some() || reference.is_some()) {
        return Usage::new("cannot specify times from more than one source").report(tool, 1);
    }
    let mut times = [stamp.map_or(When::Now, When::At); 2];
    if let Some(path) = &reference {
        match system::stat(path, links) {
            Ok(stat) => {
                times =
                    [stat.atime, stat.mtime].map(|time| When::At(Moment::from_nanoseconds(time)))
            }
            Err(errno) => {
                complain(
                    tool,
                    [
                        b"failed to get attributes of ",
                        &quoted(path)[..],
                        b": ",
                        errno_text(errno).as_bytes(),
                    ]
                    .concat(),
                );
                return 1;
            }
        }
    }
    if let Some(text) = &date {
        let now = system::now();
        for time in &mut times {
            let from = match (*time, &reference) {
                (When::At(moment), Some(_)) => moment,
                _ => now,
            };
            match parse(text, from, &zone) {
                Some(moment) => *time = When::At(moment),
                None => {
                    complain(tool, [b"invalid date format ", &quoted(text)[..]].concat());
                    return 1;
                }
            }
        }
    }
    if operands.is_empty() {
        return Usage::new("missing file operand").report(tool, 1);
    }
    let both = access == modification;
    let chosen = [access || both, modification || both];
    let mut status = 0;
    for path in operands {
        if let Err(message) = touch(&path, create, links, times, chosen) {
            complain(tool, message);
            status = 1;
        }
    }
    status
}

fn touch(
    path: &[u8],
    create: bool,
    links: Links,
    times: [When; 2],
    chosen: [bool; 2],
) -> Result<(), Vec<u8>> {
    let fail = |what: &[u8], why: &str| Err([what, &quoted(path), b": ", why.as_bytes()].concat());
    let path_is_stdout = path == b"-";
    let name = codepod_tool::path(if path_is_stdout { b"/dev/stdout" } else { path });
    if create && !path_is_stdout && system::stat(path, Links::Follow).is_err() {
        let made = std::fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(name);
        if let Err(error) = made {
            return fail(b"cannot touch ", &system::io_message(&error));
        }
        if matches!(times, [When::Now, When::Now]) && chosen == [true, true] {
            return Ok(());
        }
    }
    let spec = |time: When, chosen: bool| match (time, chosen) {
        (_, false) => Timespec {
            tv_sec: 0,
            tv_nsec: UTIME_OMIT,
        },
        (When::Now, true) => Timespec {
            tv_sec: 0,
            tv_nsec: UTIME_NOW,
        },
        (When::At(moment), true) => Timespec {
            tv_sec: moment.seconds,
            tv_nsec: moment.nanoseconds as _,
        },
    };
    let stamps = Timestamps {
        last_access: spec(times[0], chosen[0]),
        last_modification: spec(times[1], chosen[1]),
    };
    let flags = if links == Links::Keep {
        AtFlags::SYMLINK_NOFOLLOW
    } else {
        AtFlags::empty()
    };
    match utimensat(CWD, name, &stamps, flags) {
        Ok(()) => Ok(()),
        Err(error) => {
            let error = std::io::Error::from(error);
            if !create && error.kind() == std::io::ErrorKind::NotFound {
                return if links == Links::Keep && !create {
                    missing(path, links)
                } else {
                    Ok(())
                };
            }
            fail(
                if create {
                    b"cannot touch "
                } else {
                    b"setting times of "
                },
                &system::io_message(&error),
            )
        }
    }
}

/// `-h` does not make files and says so; `-c` does not.
fn missing(path: &[u8], links: Links) -> Result<(), Vec<u8>> {
    match system::stat(path, links) {
        Ok(_) => Ok(()),
        Err(errno) => Err([
            b"setting times of ",
            &quoted(path)[..],
            b": ",
            errno_text(errno).as_bytes(),
        ]
        .concat()),
    }
}

/// `[[CC]YY]MMDDhhmm[.ss]`
pub(crate) fn posix_time(text: &[u8], zone: &Zone) -> Option<Moment> {
    let text = std::str::from_utf8(text).ok()?;
    let (digits, second) = match text.split_once('.') {
        Some((digits, second)) if second.len() == 2 => (digits, second.parse().ok()?),
        Some(_) => return None,
        None => (text, 0),
    };
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) || !matches!(digits.len(), 8 | 10 | 12) {
        return None;
    }
    let pair = |at: usize| digits[at..at + 2].parse::<i64>().ok();
    let tail = digits.len() - 8;
    let year = match tail {
        0 => zone.civil(system::now().seconds).year,
        2 => {
            let year = pair(0)?;
            year + if year < 69 { 2000 } else { 1900 }
        }
        _ => pair(0)? * 100 + pair(2)?,
    };
    let civil = Civil {
        year,
        month: pair(tail)?,
        day: pair(tail + 2)?,
        hour: pair(tail + 4)?,
        minute: pair(tail + 6)?,
        second,
    };
    let seconds = zone.moment(civil)?;
    let back = zone.civil(seconds);
    let leap = Civil {
        second: civil.second.min(59),
        ..civil
    };
    (back == civil || (civil.second == 60 && zone.civil(zone.moment(leap)?) == leap)).then_some(
        Moment {
            seconds,
            nanoseconds: 0,
        },
    )
}
