//! `pv`: copies input to output and tells on standard error how far it is, as pv 1.6 does.
//!
//! Without a terminal it says nothing unless `-f` or `-n` asks for it.

mod meter;

use std::io::{self, Read};
use std::time::{Duration, Instant};

use codepod_tool::{Arguments, Opt, Options, Output, Usage, Value, complain, flag, long, value};

use crate::files;
use meter::{Meter, Shown};

/// How much is copied at a time, and the least that `-B` asks for.
const CHUNK: usize = 64 << 10;
const MOST_BUFFER: u64 = 16 << 20;

const USAGE: &str = "\
Usage: pv [OPTION] [FILE]...
Concatenate FILE(s), or standard input, to standard output,
with monitoring.

  -p, --progress           show progress bar
  -t, --timer              show elapsed time
  -e, --eta                show estimated time of arrival (completion)
  -r, --rate               show data transfer rate counter
  -a, --average-rate       show data transfer average rate counter
  -b, --bytes              show number of bytes transferred
  -n, --numeric            output percentages, not visual information
  -q, --quiet              do not output any transfer information at all

  -W, --wait               display nothing until first byte transferred
  -s, --size SIZE          set estimated data size to SIZE bytes
  -l, --line-mode          count lines instead of bytes
  -0, --null               lines are null-terminated
  -i, --interval SEC       update every SEC seconds
  -w, --width WIDTH        assume terminal is WIDTH characters wide
  -H, --height HEIGHT      assume terminal is HEIGHT rows high
  -N, --name NAME          prefix visual information with NAME
  -f, --force              output even if standard error is not a terminal

  -L, --rate-limit RATE    limit transfer to RATE bytes per second
  -B, --buffer-size BYTES  use a buffer size of BYTES
  -C, --no-splice          never use splice(), always use read/write
  -S, --stop-at-size       stop after --size bytes have been transferred

  -h, --help               show this help and exit
  -V, --version            show version information and exit
";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Progress,
    Timer,
    Eta,
    Rate,
    Average,
    Bytes,
    Numeric,
    Quiet,
    Wait,
    Size,
    Lines,
    Nul,
    Interval,
    Width,
    Height,
    Name,
    Force,
    Limit,
    Buffer,
    NoSplice,
    Stop,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Progress, b'p', "progress"),
    flag(Key::Timer, b't', "timer"),
    flag(Key::Eta, b'e', "eta"),
    flag(Key::Rate, b'r', "rate"),
    flag(Key::Average, b'a', "average-rate"),
    flag(Key::Bytes, b'b', "bytes"),
    flag(Key::Numeric, b'n', "numeric"),
    flag(Key::Quiet, b'q', "quiet"),
    flag(Key::Wait, b'W', "wait"),
    value(Key::Size, b's', "size"),
    flag(Key::Lines, b'l', "line-mode"),
    flag(Key::Nul, b'0', "null"),
    value(Key::Interval, b'i', "interval"),
    value(Key::Width, b'w', "width"),
    value(Key::Height, b'H', "height"),
    value(Key::Name, b'N', "name"),
    flag(Key::Force, b'f', "force"),
    value(Key::Limit, b'L', "rate-limit"),
    value(Key::Buffer, b'B', "buffer-size"),
    flag(Key::NoSplice, b'C', "no-splice"),
    flag(Key::Stop, b'S', "stop-at-size"),
    flag(Key::Help, b'h', "help"),
    long(Key::Version, "version", Value::None),
    flag(Key::Version, b'V', ""),
];

/// What the options say.
struct Settings {
    shown: Shown,
    numeric: bool,
    quiet: bool,
    size: Option<u64>,
    /// The byte that ends what is counted; bytes are counted without one.
    delimiter: Option<u8>,
    interval: Duration,
    force: bool,
    limit: Option<u64>,
    buffer: usize,
    stop: bool,
    help: Option<Key>,
}

/// pv as a tool.
pub(crate) fn main(name: &str, arguments: Arguments) -> i32 {
    let mut settings = Settings {
        shown: Shown::default(),
        numeric: false,
        quiet: false,
        size: None,
        delimiter: None,
        interval: Duration::from_secs(1),
        force: false,
        limit: None,
        buffer: CHUNK,
        stop: false,
        help: None,
    };
    let read = Options::new(TABLE, arguments)
        .each(|key, value| settings.take(key, &value.unwrap_or_default()));
    let files = match read {
        Ok(files) => files,
        Err(usage) => {
            complain(name, &usage.message);
            if usage.message.starts_with(b"-") {
                return 64;
            }
            files::tell(&format!("Try `{name} --help' for more information.\n"));
            return 64;
        }
    };
    match settings.help {
        Some(Key::Version) => return files::version(name),
        Some(_) => return files::print(USAGE),
        None => {}
    }
    let files = match files.is_empty() {
        true => vec![b"-".to_vec()],
        false => files,
    };
    settings.run(name, &files)
}

impl Settings {
    fn take(&mut self, key: Key, value: &[u8]) -> Result<(), Usage> {
        let number = |letter: char| {
            count(value).ok_or_else(|| Usage::new(format!("-{letter}: integer argument expected")))
        };
        match key {
            Key::Progress => self.shown.progress = true,
            Key::Timer => self.shown.timer = true,
            Key::Eta => self.shown.eta = true,
            Key::Rate => self.shown.rate = true,
            Key::Average => self.shown.average = true,
            Key::Bytes => self.shown.bytes = true,
            Key::Numeric => self.numeric = true,
            Key::Quiet => self.quiet = true,
            Key::Size => self.size = Some(number('s')?),
            Key::Lines => self.delimiter = self.delimiter.or(Some(b'\n')),
            Key::Nul => self.delimiter = Some(0),
            Key::Interval => {
                let text = String::from_utf8_lossy(value);
                let seconds = text.parse::<f64>().ok();
                let seconds = seconds.filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
                let seconds = seconds.ok_or_else(|| Usage::new("-i: numeric argument expected"))?;
                self.interval = Duration::from_secs_f64(seconds.clamp(0.1, 600.0));
            }
            Key::Width => self.shown.width = number('w')?.clamp(1, 10_000) as usize,
            Key::Height => {
                number('H')?;
            }
            Key::Name => self.shown.name = String::from_utf8_lossy(value).into_owned(),
            Key::Force => self.force = true,
            Key::Limit => self.limit = Some(number('L')?).filter(|limit| *limit > 0),
            Key::Buffer => self.buffer = number('B')?.clamp(1, MOST_BUFFER) as usize,
            Key::Stop => self.stop = true,
            // Nothing is shown before it ends, and nothing is spliced.
            Key::Wait | Key::NoSplice => {}
            Key::Help | Key::Version => self.help = self.help.or(Some(key)),
        }
        Ok(())
    }

    fn run(&self, name: &str, files: &[Vec<u8>]) -> i32 {
        let terminal = std::io::IsTerminal::is_terminal(&io::stderr());
        let tells = !self.quiet && (self.force || self.numeric || terminal);
        let mut meter = Meter::new(self.shown.clone(), self.size.or_else(|| self.total(files)));
        meter.lines = self.delimiter.is_some();
        let mut out = Output::new();
        let mut status = 0;
        let mut told = Instant::now();
        let mut opened = false;
        'files: for file in files {
            let mut input = match open(file) {
                Ok(input) => input,
                Err(error) => {
                    let shown = String::from_utf8_lossy(file);
                    complain(name, format!("{shown}: {}", files::why(&error)));
                    status |= 2;
                    continue;
                }
            };
            opened = true;
            let mut buffer = vec![0; self.buffer];
            loop {
                let left = match (self.stop, self.size) {
                    (true, Some(size)) => size.saturating_sub(meter.count),
                    _ => u64::MAX,
                };
                let most = self.turn(&meter, left);
                if left == 0 {
                    break 'files;
                }
                let count = match input.read(&mut buffer[..most]) {
                    Ok(0) => break,
                    Ok(count) => count,
                    Err(error) => {
                        let shown = String::from_utf8_lossy(file);
                        let why = files::why(&error);
                        complain(name, format!("{shown}: read failed: {why}"));
                        status |= 16;
                        break;
                    }
                };
                out.put(&buffer[..count]);
                out.write_out();
                if out.is_broken() {
                    break 'files;
                }
                meter.count += match self.delimiter {
                    Some(end) => buffer[..count].iter().filter(|byte| **byte == end).count() as u64,
                    None => count as u64,
                };
                if tells && told.elapsed() >= self.interval {
                    told = Instant::now();
                    meter.tell(self.numeric, false);
                }
            }
        }
        if !opened {
            return status | 8;
        }
        if tells {
            meter.tell(self.numeric, true);
        }
        match out.finish() {
            Ok(()) => status,
            Err(_) => status | 16,
        }
    }

    /// How much may be copied now, after waiting until something may.
    fn turn(&self, meter: &Meter, left: u64) -> usize {
        let most = left.min(self.buffer as u64).max(1);
        let Some(limit) = self.limit else {
            return most as usize;
        };
        // A tenth of a second's worth at a time.
        let part = (limit / 10).max(1);
        let due = Duration::from_secs_f64(meter.count as f64 / limit as f64);
        std::thread::sleep(due.saturating_sub(meter.started.elapsed()));
        most.min(part) as usize
    }

    /// How much the files hold, if that is known.
    fn total(&self, files: &[Vec<u8>]) -> Option<u64> {
        if self.delimiter.is_some() {
            return None;
        }
        let size = |file: &Vec<u8>| {
            if file == b"-" {
                use codepod_sys::file::{mode, stat_open};
                let stat = stat_open(codepod_sys::Fd::STDIN).ok()?;
                return (stat.mode & mode::TYPE_MASK == mode::REGULAR).then_some(stat.size);
            }
            let found = std::fs::metadata(codepod_tool::path(file)).ok()?;
            found.is_file().then_some(found.len())
        };
        files.iter().map(size).sum()
    }
}

fn open(file: &[u8]) -> io::Result<Box<dyn Read>> {
    Ok(match file {
        b"-" => Box::new(codepod_tool::Stdin),
        file => Box::new(std::fs::File::open(codepod_tool::path(file))?),
    })
}

/// A number with a unit of 1024: `10k`, `1M`.
fn count(text: &[u8]) -> Option<u64> {
    let (digits, unit) = match text {
        [digits @ .., unit] if unit.is_ascii_alphabetic() => (digits, unit.to_ascii_lowercase()),
        digits => (digits, b' '),
    };
    let power = b" kmgt".iter().position(|known| *known == unit)?;
    let number: u64 = std::str::from_utf8(digits).ok()?.parse().ok()?;
    number.checked_mul(1024_u64.checked_pow(u32::try_from(power).ok()?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(count(b"10"), Some(10));
        assert_eq!(count(b"1k"), Some(1024));
        assert_eq!(count(b"2M"), Some(2 << 20));
        assert_eq!(count(b"99999999999999999999"), None);
        assert_eq!(count(b"99999999999999T"), None);
        assert_eq!(count(b"x"), None);
        assert_eq!(count(b""), None);
    }
}
