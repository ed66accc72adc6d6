//! `shuf`: prints lines in random order.
//!
//! With `--random-source` it prints what GNU's prints for the same bytes: see [`random`].

mod random;

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};

use codepod_tool::{
    Arguments, Opt, Options, Output, Stop, Usage, Value, complain, flag, io_text, long, path,
    quoted_if_needed, quoted_text, value,
};

use crate::arguments::{help, version};
use crate::output::finish;
use random::Random;

/// How much is read at once.
const BLOCK: usize = 64 << 10;
/// From a longer input than this, lines are picked while it is read.
const LONG_INPUT: u64 = 8 << 20;

#[derive(Clone, Copy)]
enum Key {
    Echo,
    InputRange,
    HeadCount,
    Output,
    RandomSource,
    Repeat,
    Zero,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Echo, b'e', "echo"),
    value(Key::InputRange, b'i', "input-range"),
    value(Key::HeadCount, b'n', "head-count"),
    value(Key::Output, b'o', "output"),
    long(Key::RandomSource, "random-source", Value::Required),
    flag(Key::Repeat, b'r', "repeat"),
    flag(Key::Zero, b'z', "zero-terminated"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// Where the lines come from.
enum Source {
    /// The arguments.
    Words(Arguments),
    /// The numbers from the first on, and how many.
    Range(u64, u64),
    /// A file; `-` is standard input.
    File(Vec<u8>),
}

/// What the arguments ask for.
struct Settings {
    source: Source,
    /// The most lines that are printed.
    count: Option<u64>,
    output: Option<Vec<u8>>,
    random_source: Option<Vec<u8>>,
    repeat: bool,
    end: u8,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    match settings(tool, arguments).and_then(|settings| run(tool, &settings)) {
        Ok(status) => status,
        Err(stop) => stop.report(tool, 1),
    }
}

/// The options as they were given.
#[derive(Default)]
struct Given {
    echo: bool,
    range: Option<(u64, u64)>,
    count: Option<u64>,
    output: Option<Vec<u8>>,
    random_source: Option<Vec<u8>>,
    repeat: bool,
    zero: bool,
}

impl Given {
    fn take(&mut self, tool: &str, key: Key, value: Vec<u8>) -> Result<(), Stop> {
        match key {
            Key::Echo => self.echo = true,
            Key::InputRange => {
                if self.range.is_some() {
                    return Err(Stop::failed("multiple -i options specified"));
                }
                self.range = Some(range(&value)?);
            }
            Key::HeadCount => {
                let count = count(&value)?;
                self.count = Some(self.count.map_or(count, |known| known.min(count)));
            }
            Key::Output => once(&mut self.output, value, "output files")?,
            Key::RandomSource => once(&mut self.random_source, value, "random sources")?,
            Key::Repeat => self.repeat = true,
            Key::Zero => self.zero = true,
            Key::Help => {
                return Err(Stop::Status(help(
                    tool,
                    "[OPTION]... [FILE]\n  or:  shuf -e [OPTION]... [ARG]...\n  \
                     or:  shuf -i LO-HI [OPTION]...",
                    "Write a random permutation of the input lines to standard output.",
                    TABLE,
                )));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    }
}

fn settings(tool: &str, arguments: Arguments) -> Result<Settings, Stop> {
    let mut given = Given::default();
    let operands = Options::new(TABLE, arguments)
        .each(|key, value| given.take(tool, key, value.unwrap_or_default()))?;
    if given.echo && given.range.is_some() {
        return Err(Usage::new("cannot combine -e and -i options").into());
    }
    let most = match (given.echo, given.range) {
        (true, _) => operands.len(),
        (_, Some(_)) => 0,
        _ => 1,
    };
    if let Some(extra) = operands.get(most) {
        let message = [b"extra operand ", &quoted_text(extra)[..]].concat();
        return Err(Usage::new(message).into());
    }
    let source = match given.range {
        _ if given.echo => Source::Words(operands),
        Some((first, count)) => Source::Range(first, count),
        None => Source::File(operands.into_iter().next().unwrap_or_else(|| b"-".to_vec())),
    };
    Ok(Settings {
        source,
        count: given.count,
        output: given.output,
        random_source: given.random_source,
        repeat: given.repeat,
        end: if given.zero { 0 } else { b'\n' },
    })
}

/// Sets what may be given again only with the same value.
fn once(place: &mut Option<Vec<u8>>, value: Vec<u8>, what: &str) -> Result<(), Stop> {
    match place {
        Some(known) if *known != value => Err(Stop::failed(format!("multiple {what} specified"))),
        _ => {
            *place = Some(value);
            Ok(())
        }
    }
}

/// Why a text is no number.
enum NoNumber {
    Invalid,
    TooLarge,
}

fn number(text: &[u8]) -> Result<u64, NoNumber> {
    let digits = text.trim_ascii_start();
    let digits = digits.strip_prefix(b"+").unwrap_or(digits);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(NoNumber::Invalid);
    }
    let value = digits.iter().try_fold(0u64, |value, digit| {
        value.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
    });
    value.ok_or(NoNumber::TooLarge)
}

/// A number of lines; one that is too large is as good as none.
fn count(text: &[u8]) -> Result<u64, Stop> {
    match number(text) {
        Ok(count) => Ok(count),
        Err(NoNumber::TooLarge) => Ok(u64::MAX),
        Err(NoNumber::Invalid) => {
            let message = [b"invalid line count: ", &quoted_text(text)[..]].concat();
            Err(Stop::failed(message))
        }
    }
}

/// The first number of `LO-HI`, and how many there are.
fn range(text: &[u8]) -> Result<(u64, u64), Stop> {
    let wrong = |text: &[u8], why: &[u8]| {
        let start = b"invalid input range: ";
        Stop::failed([&start[..], &quoted_text(text), why].concat())
    };
    let bound = |text: &[u8]| {
        number(text).map_err(|error| match error {
            NoNumber::Invalid => wrong(text, b""),
            NoNumber::TooLarge => wrong(text, b": Value too large for defined data type"),
        })
    };
    let Some(dash) = text.iter().position(|byte| *byte == b'-') else {
        return Err(wrong(text, b""));
    };
    let (first, last) = (bound(&text[..dash])?, bound(&text[dash + 1..])?);
    // One less than the first is an empty range; all numbers are one too many.
    let count = u128::from(last) + 1;
    let count = count.checked_sub(u128::from(first));
    match count.map(u64::try_from) {
        Some(Ok(count)) => Ok((first, count)),
        _ => Err(wrong(text, b"")),
    }
}

/// The lines to choose from.
enum Lines {
    /// A text, and where each line of it starts and ends.
    Text(Vec<u8>, Vec<(usize, usize)>),
    /// Lines apart from each other.
    Apart(Vec<Vec<u8>>),
    /// The numbers from the first on, and how many.
    Range(u64, u64),
}

impl Lines {
    fn len(&self) -> u64 {
        match self {
            Lines::Text(_, spans) => spans.len() as u64,
            Lines::Apart(lines) => lines.len() as u64,
            Lines::Range(_, count) => *count,
        }
    }

    fn put(&self, place: u64, end: u8, out: &mut dyn io::Write) -> io::Result<()> {
        match self {
            Lines::Text(text, spans) => {
                let (start, end) = spans[place as usize];
                out.write_all(&text[start..end])?;
            }
            Lines::Apart(lines) => out.write_all(&lines[place as usize])?,
            Lines::Range(first, _) => write!(out, "{}", first + place)?,
        }
        out.write_all(&[end])
    }
}

fn run(tool: &str, settings: &Settings) -> Result<i32, Stop> {
    let input = match &settings.source {
        Source::File(name) if settings.count != Some(0) => Some(Input::open(name)?),
        _ => None,
    };
    let (mut lines, mut long_input) = (Lines::Apart(Vec::new()), None);
    match (&settings.source, input) {
        (Source::Words(words), _) => lines = Lines::Apart(words.clone()),
        (Source::Range(first, count), _) => lines = Lines::Range(*first, *count),
        (_, Some(input)) if settings.repeat || settings.count.is_none() || !input.is_long => {
            lines = input.lines(settings.end)?;
        }
        (_, input) => long_input = input,
    }
    let mut random = Random::open(settings.random_source.as_deref())?;
    if let (Some(input), Some(count)) = (long_input, settings.count) {
        lines = Lines::Apart(input.pick(settings.end, count, &mut random)?);
    }
    let places = if settings.repeat {
        Places::Repeated
    } else {
        let count = settings.count.unwrap_or(u64::MAX).min(lines.len());
        Places::Once(permutation(lines.len(), count, &mut random)?)
    };
    let mut print = Print {
        settings,
        lines: &lines,
        random: &mut random,
    };
    match &settings.output {
        None => {
            let mut out = Output::new();
            print.print(&places, &mut out, &|out| out.is_broken())?;
            Ok(finish(tool, &mut out, 0, 1))
        }
        Some(name) => {
            let file = File::create(path(name)).map_err(|error| named(name, &error))?;
            let mut out = io::BufWriter::with_capacity(BLOCK, file);
            print.print(&places, &mut out, &|_| false)?;
            match io::Write::flush(&mut out) {
                Ok(()) => Ok(0),
                Err(error) => {
                    complain(tool, format!("write error: {}", io_text(&error)));
                    Ok(1)
                }
            }
        }
    }
}

fn named(name: &[u8], error: &io::Error) -> Stop {
    let name = quoted_if_needed(name);
    Stop::failed([&name[..], b": ", io_text(error).as_bytes()].concat())
}

/// Which lines are printed.
enum Places {
    /// These.
    Once(Vec<u64>),
    /// Any, again and again.
    Repeated,
}

struct Print<'a> {
    settings: &'a Settings,
    lines: &'a Lines,
    random: &'a mut Random,
}

impl Print<'_> {
    fn print<W: io::Write>(
        &mut self,
        places: &Places,
        out: &mut W,
        is_broken: &dyn Fn(&W) -> bool,
    ) -> Result<(), Stop> {
        let failed = |error: io::Error| Stop::failed(format!("write error: {}", io_text(&error)));
        let end = self.settings.end;
        match places {
            Places::Once(places) => {
                for place in places {
                    self.lines.put(*place, end, out).map_err(failed)?;
                }
            }
            Places::Repeated => {
                let mut left = self.settings.count.unwrap_or(u64::MAX);
                if left > 0 && self.lines.len() == 0 {
                    return Err(Stop::failed("no lines to repeat"));
                }
                while left > 0 && !is_broken(out) {
                    let place = match self.random.below(self.lines.len()) {
                        Ok(place) => place,
                        Err(stop) => {
                            // What was chosen before is printed.
                            io::Write::flush(out).map_err(failed)?;
                            return Err(stop);
                        }
                    };
                    self.lines.put(place, end, out).map_err(failed)?;
                    left -= 1;
                }
            }
        }
        Ok(())
    }
}

/// The first `count` of the numbers below `all` in random order.
fn permutation(all: u64, count: u64, random: &mut Random) -> Result<Vec<u64>, Stop> {
    let exhausted = |_| Stop::failed("memory exhausted");
    let size = usize::try_from(count).map_err(|_| Stop::failed("memory exhausted"))?;
    let mut places: Vec<u64> = Vec::new();
    places.try_reserve_exact(size).map_err(exhausted)?;
    // Few of many: only those are kept that were exchanged.
    if count < all / 32 {
        let mut moved: HashMap<u64, u64> = HashMap::new();
        for at in 0..count {
            let other = at + random.below(all - at)?;
            let here = moved.get(&at).copied().unwrap_or(at);
            places.push(moved.insert(other, here).unwrap_or(other));
        }
        return Ok(places);
    }
    let mut numbers: Vec<u64> = Vec::new();
    let size = usize::try_from(all).map_err(|_| Stop::failed("memory exhausted"))?;
    numbers.try_reserve_exact(size).map_err(exhausted)?;
    numbers.extend(0..all);
    for at in 0..count {
        let other = at + random.below(all - at)?;
        numbers.swap(at as usize, other as usize);
    }
    numbers.truncate(count as usize);
    Ok(numbers)
}

/// The file with the lines.
struct Input {
    reader: Box<dyn BufRead>,
    /// It is longer than [`LONG_INPUT`], or how long it is shows only at its end.
    is_long: bool,
}

fn read_error(error: &io::Error) -> Stop {
    Stop::failed(format!("read error: {}", io_text(error)))
}

impl Input {
    fn open(name: &[u8]) -> Result<Input, Stop> {
        if name == b"-" {
            let size = rustix::fs::fstat(io::stdin()).ok().and_then(|stat| {
                let kind = rustix::fs::FileType::from_raw_mode(stat.st_mode);
                kind.is_file()
                    .then(|| u64::try_from(stat.st_size).unwrap_or(0))
            });
            return Ok(Input {
                reader: Box::new(BufReader::with_capacity(BLOCK, codepod_tool::Stdin)),
                is_long: size.is_none_or(|size| size > LONG_INPUT),
            });
        }
        let file = File::open(path(name)).map_err(|error| named(name, &error))?;
        let metadata = file.metadata().ok();
        let size = metadata
            .filter(std::fs::Metadata::is_file)
            .map(|file| file.len());
        Ok(Input {
            reader: Box::new(BufReader::with_capacity(BLOCK, file)),
            is_long: size.is_none_or(|size| size > LONG_INPUT),
        })
    }

    /// All lines.
    fn lines(mut self, end: u8) -> Result<Lines, Stop> {
        let mut text = Vec::new();
        self.reader
            .read_to_end(&mut text)
            .map_err(|error| read_error(&error))?;
        let mut spans = Vec::new();
        let mut start = 0;
        for at in memchr::memchr_iter(end, &text) {
            spans.push((start, at));
            start = at + 1;
        }
        if start < text.len() {
            spans.push((start, text.len()));
        }
        Ok(Lines::Text(text, spans))
    }

    /// As many lines as are wanted, each of the input with the same chance; no others are kept.
    fn pick(mut self, end: u8, count: u64, random: &mut Random) -> Result<Vec<Vec<u8>>, Stop> {
        let mut lines: Vec<Vec<u8>> = Vec::new();
        while (lines.len() as u64) < count {
            let mut line = Vec::new();
            if !self.line(end, &mut line)? {
                return Ok(lines);
            }
            lines.push(line);
        }
        let mut seen = count;
        let mut line = Vec::new();
        loop {
            // Chosen before the line is read, as GNU's does it.
            let place = random.below(seen + 1)?;
            line.clear();
            if !self.line(end, &mut line)? {
                return Ok(lines);
            }
            seen += 1;
            if let Some(slot) = lines.get_mut(usize::try_from(place).unwrap_or(usize::MAX)) {
                std::mem::swap(slot, &mut line);
            }
        }
    }

    /// Reads the next line without its end; false where there is none.
    fn line(&mut self, end: u8, line: &mut Vec<u8>) -> Result<bool, Stop> {
        let count = self.reader.read_until(end, line);
        let count = count.map_err(|error| read_error(&error))?;
        if line.last() == Some(&end) {
            line.pop();
        }
        Ok(count > 0)
    }
}
