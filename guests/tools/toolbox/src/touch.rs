//! `touch`: sets times of files and makes them.

use codepod_datetime::{Civil, Moment, Zone, parse};
use codepod_tool::{
    Arguments, Opt, Options, Stop, Usage, Value, complain, errno_text, flag, long, one_of, quoted,
    value,
};
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT, utimensat};

use crate::arguments::{help, version};
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

/// What the arguments ask for.
struct Settings {
    create: bool,
    links: Links,
    /// The times of access and of modification; none to leave one.
    times: [Option<When>; 2],
    paths: Vec<Vec<u8>>,
}

/// A time to set.
#[derive(Clone, Copy)]
enum When {
    Now,
    At(Moment),
}

/// What the options say, before the times are known.
struct Given {
    access: bool,
    modification: bool,
    create: bool,
    links: Links,
    date: Option<Vec<u8>>,
    reference: Option<Vec<u8>>,
    stamp: Option<Moment>,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let settings = match settings(tool, arguments) {
        Ok(settings) => settings,
        Err(stop) => return stop.report(tool, 1),
    };
    let mut status = 0;
    for path in &settings.paths {
        if let Err(message) = touch(path, &settings) {
            complain(tool, message);
            status = 1;
        }
    }
    status
}

fn settings(tool: &str, arguments: Arguments) -> Result<Settings, Stop> {
    let zone = Zone::from_environment();
    let mut given = Given {
        access: false,
        modification: false,
        create: true,
        links: Links::Follow,
        date: None,
        reference: None,
        stamp: None,
    };
    let paths =
        Options::new(TABLE, arguments).each(|key, value| given.take(tool, &zone, key, value))?;
    let times = given.times(&zone)?;
    if paths.is_empty() {
        return Err(Usage::new("missing file operand").into());
    }
    let both = given.access == given.modification;
    let chosen = [given.access || both, given.modification || both];
    Ok(Settings {
        create: given.create,
        links: given.links,
        times: [0, 1].map(|which| chosen[which].then_some(times[which])),
        paths,
    })
}

impl Given {
    fn take(
        &mut self,
        tool: &str,
        zone: &Zone,
        key: Key,
        value: Option<Vec<u8>>,
    ) -> Result<(), Stop> {
        match key {
            Key::Access => self.access = true,
            Key::NoCreate => self.create = false,
            Key::Date => self.date = value,
            Key::Ignored => {}
            Key::NoDereference => (self.links, self.create) = (Links::Keep, false),
            Key::Modification => self.modification = true,
            Key::Reference => self.reference = value,
            Key::Stamp => {
                let text = value.unwrap_or_default();
                self.stamp = Some(posix_time(&text, zone).ok_or_else(|| invalid_date(&text))?);
            }
            Key::Time => {
                let choices = [
                    ("atime", 0),
                    ("access", 0),
                    ("use", 0),
                    ("mtime", 1),
                    ("modify", 1),
                ];
                match one_of("--time", &value.unwrap_or_default(), &choices)? {
                    0 => self.access = true,
                    _ => self.modification = true,
                }
            }
            Key::Help => {
                return Err(Stop::Status(help(
                    tool,
                    "[OPTION]... FILE...",
                    "Update the access and modification times of each FILE to the current time.",
                    TABLE,
                )));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    }

    /// The times of access and of modification that the options say.
    fn times(&self, zone: &Zone) -> Result<[When; 2], Stop> {
        if self.stamp.is_some() && (self.date.is_some() || self.reference.is_some()) {
            return Err(Usage::new("cannot specify times from more than one source").into());
        }
        let mut times = [self.stamp.map_or(When::Now, When::At); 2];
        if let Some(path) = &self.reference {
            let stat = system::stat(path, self.links).map_err(|errno| {
                let why = errno_text(errno).as_bytes();
                let what = b"failed to get attributes of ";
                Stop::failed([what, &quoted(path)[..], b": ", why].concat())
            })?;
            times = [stat.atime, stat.mtime].map(|time| When::At(Moment::from_nanoseconds(time)));
        }
        if let Some(text) = &self.date {
            let now = system::now();
            for time in &mut times {
                // A date may be relative to the time of the reference.
                let from = match *time {
                    When::At(moment) => moment,
                    When::Now => now,
                };
                *time = When::At(parse(text, from, zone).ok_or_else(|| invalid_date(text))?);
            }
        }
        Ok(times)
    }
}

fn invalid_date(text: &[u8]) -> Stop {
    Stop::failed([b"invalid date format ", &quoted(text)[..]].concat())
}

fn touch(path: &[u8], settings: &Settings) -> Result<(), Vec<u8>> {
    let Settings {
        create,
        links,
        times,
        ..
    } = *settings;
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
        if matches!(times, [Some(When::Now), Some(When::Now)]) {
            return Ok(());
        }
    }
    let stamps = Timestamps {
        last_access: timespec(times[0]),
        last_modification: timespec(times[1]),
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

/// A time as the system takes it.
fn timespec(time: Option<When>) -> Timespec {
    match time {
        None => Timespec {
            tv_sec: 0,
            tv_nsec: UTIME_OMIT,
        },
        Some(When::Now) => Timespec {
            tv_sec: 0,
            tv_nsec: UTIME_NOW,
        },
        Some(When::At(moment)) => Timespec {
            tv_sec: moment.seconds,
            tv_nsec: moment.nanoseconds as _,
        },
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
