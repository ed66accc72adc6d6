//! `uptime` and `w`: since when the sandbox runs, and who is logged in: nobody.

use std::io::Write as _;

use codepod_datetime::{Moment, Zone, format};
use codepod_tool::processes::{self, TICKS};
use codepod_tool::{Arguments, Found, Opt, Options, Output, Value, flag, long};

use crate::arguments::version;
use crate::system;

const USAGE: &str = "
Usage:
 uptime [options]

Options:
 -p, --pretty   show uptime in pretty format
 -h, --help     display this help and exit
 -s, --since    system up since
 -V, --version  output version information and exit

For more details see uptime(1).
";

#[derive(Clone, Copy)]
enum Key {
    Pretty,
    Since,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Pretty, b'p', "pretty"),
    flag(Key::Since, b's', "since"),
    flag(Key::Help, b'h', "help"),
    flag(Key::Version, b'V', "version"),
];

fn print(text: &str) -> i32 {
    let mut out = Output::new();
    out.put(text.as_bytes());
    i32::from(out.finish().is_err())
}

fn date(form: &str, seconds: i64) -> String {
    let moment = Moment {
        seconds,
        nanoseconds: 0,
    };
    let text = format(form.as_bytes(), moment, &Zone::from_environment());
    String::from_utf8_lossy(&text).into_owned()
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(TABLE, arguments);
    let mut pretty = false;
    let seconds = processes::uptime() / TICKS;
    loop {
        let mistake = match options.next() {
            Ok(Some(Found::Operand(_))) => String::new(),
            Ok(Some(Found::Option(Key::Pretty, _))) => {
                pretty = true;
                continue;
            }
            Ok(Some(Found::Option(Key::Since, _))) => {
                let since = system::now().seconds - seconds.cast_signed();
                return print(&date("%Y-%m-%d %H:%M:%S\n", since));
            }
            Ok(Some(Found::Option(Key::Help, _))) => return print(USAGE),
            Ok(Some(Found::Option(Key::Version, _))) => return version(tool),
            Ok(None) => break,
            Err(usage) => format!("{tool}: {usage}\n"),
        };
        // Where standard error is gone there is nobody to tell.
        let _ = std::io::stderr().write_all(format!("{mistake}{USAGE}").as_bytes());
        return 1;
    }
    match pretty {
        true => print(&format!("up {}\n", in_words(seconds))),
        false => print(&(line() + "\n")),
    }
}

/// A time in weeks, days, hours and minutes.
fn in_words(seconds: u64) -> String {
    let minutes = seconds / 60;
    let parts = [
        (minutes / 60 / 24 / 7, "week"),
        (minutes / 60 / 24 % 7, "day"),
        (minutes / 60 % 24, "hour"),
        (minutes % 60, "minute"),
    ];
    let mut words: Vec<String> = Vec::new();
    for (number, unit) in parts {
        if number > 0 || (unit == "minute" && minutes == 0) {
            let plural = if number == 1 { "" } else { "s" };
            words.push(format!("{number} {unit}{plural}"));
        }
    }
    words.join(", ")
}

/// The line that `uptime`, `w` and `top` begin with, without its end.
pub(crate) fn line() -> String {
    let minutes = processes::uptime() / TICKS / 60;
    let days = match minutes / 60 / 24 {
        0 => String::new(),
        1 => "1 day, ".to_owned(),
        days => format!("{days} days, "),
    };
    let (hours, minutes) = (minutes / 60 % 24, minutes % 60);
    let up = match hours {
        0 => format!("{minutes} min"),
        hours => format!("{hours:2}:{minutes:02}"),
    };
    let load = processes::load().join(", ");
    let now = date("%H:%M:%S", system::now().seconds);
    format!(" {now} up {days}{up},  0 user,  load average: {load}")
}

#[derive(Clone, Copy)]
enum WKey {
    NoHeader,
    Same,
    Short,
    From,
    Help,
    Version,
}

const W: &[Opt<WKey>] = &[
    flag(WKey::NoHeader, b'h', "no-header"),
    flag(WKey::Same, b'u', "no-current"),
    flag(WKey::Short, b's', "short"),
    flag(WKey::From, b'f', "from"),
    flag(WKey::Same, b'o', "old-style"),
    flag(WKey::Same, b'i', "ip-addr"),
    long(WKey::Help, "help", Value::None),
    flag(WKey::Version, b'V', "version"),
];

const W_USAGE: &str = "
Usage:
 w [options] [user]

Options:
 -h, --no-header     do not print header
 -u, --no-current    ignore current process username
 -s, --short         short format
 -f, --from          show remote hostname field
 -o, --old-style     old style output
 -i, --ip-addr       display IP address instead of hostname (if possible)

     --help     display this help and exit
 -V, --version  output version information and exit

For more details see w(1).
";

/// `w`: the heads, and nobody below them.
pub(crate) fn w(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(W, arguments);
    let (mut header, mut short, mut from) = (true, false, true);
    loop {
        match options.next() {
            Ok(Some(Found::Operand(_) | Found::Option(WKey::Same, _))) => {}
            Ok(Some(Found::Option(WKey::NoHeader, _))) => header = false,
            Ok(Some(Found::Option(WKey::Short, _))) => short = true,
            Ok(Some(Found::Option(WKey::From, _))) => from = !from,
            Ok(Some(Found::Option(WKey::Help, _))) => return print(W_USAGE),
            Ok(Some(Found::Option(WKey::Version, _))) => return version(tool),
            Ok(None) => break,
            Err(usage) => {
                let text = format!("{tool}: {usage}\n{W_USAGE}");
                let _ = std::io::stderr().write_all(text.as_bytes());
                return 1;
            }
        }
    }
    if !header {
        return 0;
    }
    let from = if from { "FROM            " } else { " " };
    let times = if short {
        "  IDLE"
    } else {
        " LOGIN@   IDLE   JCPU   PCPU"
    };
    print(&format!(
        "{}\nUSER     TTY      {from}{times} WHAT\n",
        line()
    ))
}
