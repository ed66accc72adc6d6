//! `tail`: prints the last lines or bytes of files, and goes on with what is added to them. Ours
//! because it follows files.

mod follow;

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom};
use std::time::Duration;

use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Value, complain, flag, long, one_of, optional, path,
    quoted, value,
};

use crate::arguments::{help, version};
use crate::{count, system};

/// How much is read at once.
const BLOCK: usize = 64 << 10;

#[derive(Clone, Copy)]
enum Key {
    Bytes,
    Lines,
    Follow,
    FollowName,
    MostUnchanged,
    Pid,
    Quiet,
    Retry,
    Interval,
    Verbose,
    Zero,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    value(Key::Bytes, b'c', "bytes"),
    flag(Key::Follow, b'f', ""),
    optional(Key::Follow, 0, "follow"),
    flag(Key::FollowName, b'F', ""),
    value(Key::Lines, b'n', "lines"),
    long(Key::MostUnchanged, "max-unchanged-stats", Value::Required),
    long(Key::Pid, "pid", Value::Required),
    flag(Key::Quiet, b'q', "quiet"),
    long(Key::Quiet, "silent", Value::None),
    long(Key::Retry, "retry", Value::None),
    value(Key::Interval, b's', "sleep-interval"),
    flag(Key::Verbose, b'v', "verbose"),
    flag(Key::Zero, b'z', "zero-terminated"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// How much of a file is printed.
#[derive(Clone, Copy)]
enum Part {
    Lines(u64),
    Bytes(u64),
    FromLine(u64),
    FromByte(u64),
}

/// What a file is followed by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Descriptor,
    Name,
}

/// What is asked for.
struct Tail {
    part: Part,
    line_end: u8,
    headers: Option<bool>,
    follow: Option<By>,
    retry: bool,
    pids: Vec<u32>,
    interval: Option<Duration>,
}

/// Runs it.
pub(crate) fn main(tool: &str, mut arguments: Arguments) -> i32 {
    let mut tail = Tail {
        part: Part::Lines(10),
        line_end: b'\n',
        headers: None,
        follow: None,
        retry: false,
        pids: Vec::new(),
        interval: None,
    };
    if tail.old_form(&arguments) {
        arguments.remove(0);
    }
    let mut options = Options::new(TABLE, arguments);
    let mut operands = Vec::new();
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => operands.push(operand),
            Ok(Some(Found::Option(Key::Help, _))) => {
                let about = "Print the last 10 lines of each FILE to standard output.";
                return help(tool, "[OPTION]... [FILE]...", about, TABLE);
            }
            Ok(Some(Found::Option(Key::Version, _))) => return version(tool),
            Ok(Some(Found::Option(key, value))) => {
                if let Err(message) = tail.option(tool, key, value) {
                    if !message.is_empty() {
                        complain(tool, message);
                    }
                    return 1;
                }
            }
            Ok(None) => break,
            Err(usage) => {
                return match usage.message.strip_prefix(b"invalid option -- '") {
                    Some([digit, b'\'']) if digit.is_ascii_digit() => {
                        let digit = char::from(*digit);
                        complain(tool, format!("option used in invalid context -- {digit}"));
                        1
                    }
                    _ => usage.report(tool, 1),
                };
            }
        }
    }
    if tail.retry && tail.follow.is_none() {
        tail.retry = false;
        complain(
            tool,
            "warning: --retry ignored; --retry is useful only when following",
        );
    } else if tail.retry && tail.follow == Some(By::Descriptor) {
        complain(tool, "warning: --retry only effective for the initial open");
    }
    if !tail.pids.is_empty() && tail.follow.is_none() {
        complain(
            tool,
            "warning: PID ignored; --pid=PID is useful only when following",
        );
    }
    if operands.is_empty() {
        operands.push(b"-".to_vec());
    }
    if tail.follow == Some(By::Name) && operands.iter().any(|operand| operand == b"-") {
        complain(tool, "cannot follow '-' by name");
        return 1;
    }
    tail.files(tool, operands)
}

impl Tail {
    /// Reads `-NUM`, `+NUM` with letters, as it was written before `-n` was there. Says whether it
    /// was that.
    fn old_form(&mut self, arguments: &[Vec<u8>]) -> bool {
        let Some(word) = arguments.first() else {
            return false;
        };
        // Only where nothing else but one file is named, as POSIX had it.
        let others = &arguments[1..];
        let alone = match others {
            [] => true,
            [file] => !file.starts_with(b"-") || file == b"-",
            [dashes, _] => dashes == b"--",
            _ => false,
        };
        let (from_start, rest) = match word.split_first() {
            Some((b'+', rest)) => (true, rest),
            Some((b'-', rest)) if rest.first().is_some_and(u8::is_ascii_digit) => (false, rest),
            _ => return false,
        };
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, letters) = rest.split_at(digits);
        let (unit, follow): (&[u8], &[u8]) = match letters.split_first() {
            Some((b'b' | b'c' | b'l', follow)) => (&letters[..1], follow),
            _ => (b"", letters),
        };
        if !matches!(follow, b"" | b"f") || !alone {
            return false;
        }
        let text = std::str::from_utf8(digits).unwrap_or_default();
        let default = if unit == b"b" { 10 * 512 } else { 10 };
        let number = if text.is_empty() {
            default
        } else {
            text.parse().unwrap_or(u64::MAX)
        };
        let number = match unit {
            b"b" if !text.is_empty() => number.saturating_mul(512),
            _ => number,
        };
        self.part = match (unit, from_start) {
            (b"b" | b"c", false) => Part::Bytes(number),
            (b"b" | b"c", true) => Part::FromByte(number),
            (_, false) => Part::Lines(number),
            (_, true) => Part::FromLine(number),
        };
        if follow == b"f" {
            self.follow = Some(By::Descriptor);
        }
        true
    }

    fn option(&mut self, tool: &str, key: Key, value: Option<Vec<u8>>) -> Result<(), Vec<u8>> {
        let given = value.is_some();
        let value = value.unwrap_or_default();
        let wrong = |what: &str| [what.as_bytes(), b": ", &quoted(&value)].concat();
        let text = String::from_utf8_lossy(&value).into_owned();
        match key {
            Key::Bytes | Key::Lines => {
                let lines = matches!(key, Key::Lines);
                let what = if lines { "lines" } else { "bytes" };
                let (from_start, digits) = match value.split_first() {
                    Some((b'+', rest)) => (true, rest),
                    Some((b'-', rest)) => (false, rest),
                    _ => (false, &value[..]),
                };
                let number = count::parse(digits, what).map_err(|message| {
                    // The message has the whole value.
                    match message.ends_with(b"type") {
                        true => message,
                        false => wrong(&format!("invalid number of {what}")),
                    }
                })?;
                self.part = match (lines, from_start) {
                    (true, false) => Part::Lines(number),
                    (true, true) => Part::FromLine(number),
                    (false, false) => Part::Bytes(number),
                    (false, true) => Part::FromByte(number),
                };
            }
            Key::Follow if given => {
                let choices = [("descriptor", By::Descriptor), ("name", By::Name)];
                match one_of("--follow", &value, &choices) {
                    Ok(by) => self.follow = Some(by),
                    Err(usage) => {
                        usage.report(tool, 1);
                        return Err(Vec::new());
                    }
                }
            }
            Key::Follow => self.follow = Some(By::Descriptor),
            Key::FollowName => (self.follow, self.retry) = (Some(By::Name), true),
            // Names are looked at in every turn, whether they changed or not.
            Key::MostUnchanged => {
                let what = "invalid maximum number of unchanged stats between opens";
                text.parse::<u64>().map_err(|_| wrong(what))?;
            }
            Key::Pid => self
                .pids
                .push(text.parse().map_err(|_| wrong("invalid PID"))?),
            Key::Quiet => self.headers = Some(false),
            Key::Verbose => self.headers = Some(true),
            Key::Retry => self.retry = true,
            Key::Interval => match text.parse::<f64>() {
                Ok(seconds) if (0.0..=1e9).contains(&seconds) => {
                    self.interval = Some(Duration::from_secs_f64(seconds));
                }
                _ => return Err(wrong("invalid number of seconds")),
            },
            Key::Zero => self.line_end = 0,
            Key::Help | Key::Version => {}
        }
        Ok(())
    }

    fn files(&self, tool: &str, operands: Vec<Vec<u8>>) -> i32 {
        let headers = self.headers.unwrap_or(operands.len() > 1);
        let mut out = Output::new();
        let mut followed = Vec::new();
        let (mut status, mut first) = (0, true);
        for (index, name) in operands.into_iter().enumerate() {
            let standard = name == b"-";
            let shown: &[u8] = if standard { b"standard input" } else { &name };
            let mut fail = |out: &mut Output, what: [&[u8]; 2], error: &io::Error| {
                out.write_out();
                let why = system::io_message(error);
                let parts = [what[0], &quoted(shown), what[1], b": ", why.as_bytes()];
                complain(tool, parts.concat());
                status = 1;
            };
            let opened = match standard {
                true => Ok(None),
                false => File::open(path(&name)).map(Some),
            };
            let mut file = match opened {
                Ok(file) => file,
                Err(error) => {
                    fail(&mut out, [b"cannot open ", b" for reading"], &error);
                    if self.follow.is_some() && self.retry {
                        followed.push(follow::Followed::missing(index, name));
                    }
                    continue;
                }
            };
            if headers {
                header(&mut out, shown, first);
                first = false;
            }
            let printed = match &mut file {
                Some(file) => self.print_file(file, &mut out),
                None => self.print_stream(&mut io::stdin().lock(), &mut out),
            };
            let is_directory = printed
                .as_ref()
                .is_err_and(|error| error.kind() == io::ErrorKind::IsADirectory);
            if let Err(error) = &printed {
                fail(&mut out, [b"error reading ", b""], error);
            }
            if self.follow.is_some() && is_directory {
                let giving_up = match (self.follow, self.retry) {
                    (Some(By::Name), true) => "",
                    _ => "; giving up on this name",
                };
                let text = format!(": cannot follow end of this type of file{giving_up}");
                complain(tool, [&name[..], text.as_bytes()].concat());
                if self.retry {
                    followed.push(follow::Followed::missing(index, name));
                }
            } else if self.follow.is_some()
                && let Some(file) = file
            {
                followed.push(follow::Followed::open(index, name, file));
            }
            if out.is_broken() {
                break;
            }
        }
        let what = if out.is_broken() {
            "error writing 'standard output'"
        } else {
            "write error"
        };
        if let Err(error) = out.finish() {
            complain(tool, format!("{what}: {}", system::io_message(&error)));
            return 1;
        }
        match self.follow {
            Some(by) if !followed.is_empty() => self.follow(tool, by, followed, headers),
            Some(_) if status != 0 => {
                complain(tool, "no files remaining");
                status
            }
            _ => status,
        }
    }

    /// Prints the part of a file that can be read from anywhere. Where it cannot, it is a stream.
    fn print_file(&self, file: &mut File, out: &mut Output) -> io::Result<()> {
        if file.metadata()?.is_dir() {
            return Err(io::Error::new(
                io::ErrorKind::IsADirectory,
                "Is a directory",
            ));
        }
        let end = match file.seek(SeekFrom::End(0)) {
            // Files of /proc are not empty, though they say so.
            Ok(0) | Err(_) => return self.print_stream(file, out),
            Ok(end) => end,
        };
        let start = match self.part {
            Part::Bytes(count) => end.saturating_sub(count),
            Part::FromByte(number) => number.saturating_sub(1).min(end),
            Part::Lines(count) => self.start_of_lines(file, end, count)?,
            Part::FromLine(_) => {
                file.seek(SeekFrom::Start(0))?;
                return self.print_stream(file, out);
            }
        };
        file.seek(SeekFrom::Start(start))?;
        copy(file, out)
    }

    /// Where the last lines of a file begin, found from its end.
    fn start_of_lines(&self, file: &mut File, end: u64, count: u64) -> io::Result<u64> {
        if count == 0 {
            return Ok(end);
        }
        let mut found = 0;
        let mut at = end;
        let mut block = vec![0; BLOCK];
        while at > 0 {
            let start = (at - 1) / BLOCK as u64 * BLOCK as u64;
            let part = &mut block[..(at - start) as usize];
            file.seek(SeekFrom::Start(start))?;
            file.read_exact(part)?;
            for place in memchr::memrchr_iter(self.line_end, part) {
                let behind = start + place as u64 + 1;
                // The end of the last line begins none.
                if behind == end {
                    continue;
                }
                found += 1;
                if found == count {
                    return Ok(behind);
                }
            }
            at = start;
        }
        Ok(0)
    }

    fn print_stream(&self, input: &mut dyn Read, out: &mut Output) -> io::Result<()> {
        match self.part {
            Part::FromByte(number) => {
                skip(input, out, number.saturating_sub(1), None)?;
                copy(input, out)
            }
            Part::FromLine(number) => {
                skip(input, out, number.saturating_sub(1), Some(self.line_end))?;
                copy(input, out)
            }
            Part::Bytes(count) => last_bytes(input, count, out),
            Part::Lines(count) => last_lines(input, count, self.line_end, out),
        }
    }
}

/// Prints the line above a file's text.
fn header(out: &mut Output, name: &[u8], first: bool) {
    out.put(if first { b"==> " } else { b"\n==> " });
    out.put(name);
    out.put(b" <==\n");
}

/// Reads what can be read next into a buffer; 0 at the end.
fn more(input: &mut dyn Read, block: &mut [u8]) -> io::Result<usize> {
    loop {
        match input.read(block) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Prints the rest.
fn copy(input: &mut dyn Read, out: &mut Output) -> io::Result<()> {
    let mut block = vec![0; BLOCK];
    while !out.is_broken() {
        match more(input, &mut block)? {
            0 => break,
            count => out.put(&block[..count]),
        }
    }
    Ok(())
}

/// Leaves out so many bytes, or lines that end so, and prints what was read beyond them.
fn skip(input: &mut dyn Read, out: &mut Output, mut left: u64, end: Option<u8>) -> io::Result<()> {
    let mut block = vec![0; BLOCK];
    while left > 0 {
        let count = more(input, &mut block)?;
        if count == 0 {
            break;
        }
        let text = &block[..count];
        match end {
            None => {
                let gone = usize::try_from(left).map_or(count, |left| left.min(count));
                left -= gone as u64;
                out.put(&text[gone..]);
            }
            Some(end) => {
                for place in memchr::memchr_iter(end, text) {
                    left -= 1;
                    if left == 0 {
                        out.put(&text[place + 1..]);
                        break;
                    }
                }
            }
        }
    }
    Ok(())
}

fn last_bytes(input: &mut dyn Read, count: u64, out: &mut Output) -> io::Result<()> {
    let keep = usize::try_from(count).unwrap_or(usize::MAX);
    let mut held: Vec<u8> = Vec::new();
    let mut block = vec![0; BLOCK];
    loop {
        let read = more(input, &mut block)?;
        if read == 0 {
            break;
        }
        held.extend_from_slice(&block[..read]);
        // Moving what is held costs what it holds: only where as much goes.
        let over = held.len().saturating_sub(keep);
        if over > keep {
            held.drain(..over);
        }
    }
    out.put(&held[held.len().saturating_sub(keep)..]);
    Ok(())
}

fn last_lines(input: &mut dyn Read, count: u64, end: u8, out: &mut Output) -> io::Result<()> {
    let keep = usize::try_from(count).unwrap_or(usize::MAX);
    let mut held: Vec<u8> = Vec::new();
    // Where lines begin, counted from the start of the stream; the last `keep` of them.
    let mut starts: VecDeque<u64> = VecDeque::from([0]);
    let (mut gone, mut read) = (0_u64, 0_u64);
    let mut block = vec![0; BLOCK];
    loop {
        let got = more(input, &mut block)?;
        if got == 0 {
            break;
        }
        let text = &block[..got];
        for place in memchr::memchr_iter(end, text) {
            starts.push_back(read + place as u64 + 1);
            // One more: the place behind the last end may begin no line.
            if starts.len() > keep.saturating_add(1) {
                starts.pop_front();
            }
        }
        held.extend_from_slice(text);
        read += got as u64;
        let over = (starts.front().copied().unwrap_or(read) - gone) as usize;
        if over > held.len() / 2 {
            held.drain(..over);
            gone += over as u64;
        }
    }
    if starts.back() == Some(&read) {
        starts.pop_back();
    }
    while starts.len() > keep {
        starts.pop_front();
    }
    let start = starts.front().copied().unwrap_or(read);
    if keep > 0 {
        out.put(&held[(start - gone) as usize..]);
    }
    Ok(())
}
