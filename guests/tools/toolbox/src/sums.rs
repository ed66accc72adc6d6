//! `md5sum`, `sha1sum` and others, `b2sum`, `cksum`, `sum`: compute and check sums of files.

use std::io::{self, Read};

use codepod_tool::{
    Arguments, Opt, Options, Output, Stop, Usage, Value, complain, complain_of, exactly_one_of,
    flag, long, path, quoted_if_needed, quoted_text, value,
};

use crate::arguments::{help, version};
use crate::system;

mod algorithm;
mod check;
mod plain;
mod sm3;

use algorithm::{ALGORITHMS, Algorithm, BLAKE2B_BITS};

/// How much is read at once.
const BLOCK: usize = 64 << 10;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Algorithm,
    Binary,
    Check,
    Debug,
    Length,
    Tag,
    Text,
    Untagged,
    Zero,
    IgnoreMissing,
    Quiet,
    Status,
    Strict,
    Warn,
    Refused,
    Help,
    Version,
}

/// Options of `cksum`.
const CKSUM: &[Opt<Key>] = &[
    value(Key::Algorithm, b'a', "algorithm"),
    flag(Key::Check, b'c', "check"),
    value(Key::Length, b'l', "length"),
    long(Key::Tag, "tag", Value::None),
    long(Key::Untagged, "untagged", Value::None),
    flag(Key::Zero, b'z', "zero"),
    long(Key::IgnoreMissing, "ignore-missing", Value::None),
    long(Key::Quiet, "quiet", Value::None),
    long(Key::Status, "status", Value::None),
    long(Key::Strict, "strict", Value::None),
    flag(Key::Warn, b'w', "warn"),
    long(Key::Debug, "debug", Value::None),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
    flag(Key::Refused, b'b', ""),
    flag(Key::Refused, b't', ""),
];

/// Options of `b2sum`. The other tools have all but the first.
const B2SUM: &[Opt<Key>] = &[
    value(Key::Length, b'l', "length"),
    flag(Key::Binary, b'b', "binary"),
    flag(Key::Check, b'c', "check"),
    long(Key::Tag, "tag", Value::None),
    flag(Key::Text, b't', "text"),
    flag(Key::Zero, b'z', "zero"),
    long(Key::IgnoreMissing, "ignore-missing", Value::None),
    long(Key::Quiet, "quiet", Value::None),
    long(Key::Status, "status", Value::None),
    long(Key::Strict, "strict", Value::None),
    flag(Key::Warn, b'w', "warn"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

fn table(tool: &str) -> &'static [Opt<Key>] {
    match tool {
        "cksum" => CKSUM,
        "b2sum" => B2SUM,
        _ => &B2SUM[1..],
    }
}

/// What was asked for.
struct Settings {
    algorithm: Algorithm,
    /// Whether `-a` or the tool's name says the algorithm; in a list the lines say it otherwise.
    is_chosen: bool,
    /// The length of a BLAKE2b sum; 0 is the usual one.
    bits: u64,
    /// How `-l` has it, for a message.
    length: Vec<u8>,
    binary: Option<bool>,
    check: bool,
    debug: bool,
    /// What `--tag` or `--untagged` says.
    tag: Option<bool>,
    /// Whether lines have a tag without either of them.
    tag_is_usual: bool,
    zero: bool,
    ignore_missing: bool,
    quiet: bool,
    status: bool,
    strict: bool,
    warn: bool,
}

/// Runs one of the tools with digests, or `cksum`.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    match settings(tool, arguments) {
        Ok((settings, operands)) => settings.run(tool, operands),
        Err(stop) => stop.report(tool, 1),
    }
}

fn settings(tool: &str, arguments: Arguments) -> Result<(Settings, Arguments), Stop> {
    let is_cksum = tool == "cksum";
    let mut settings = Settings {
        is_chosen: !is_cksum,
        tag_is_usual: is_cksum,
        ..Settings::plain(Algorithm::of(tool))
    };
    let operands = Options::new(table(tool), arguments)
        .each(|key, value| settings.take(tool, key, &value.unwrap_or_default()))?;
    if settings.bits > 0 && settings.algorithm != Algorithm::Blake2b {
        return Err(Stop::failed(
            "--length is only supported with --algorithm=blake2b",
        ));
    }
    if settings.bits > BLAKE2B_BITS as u64 {
        complain(tool, invalid_length(&settings.length));
        let why = format!("maximum digest length for 'BLAKE2b' is {BLAKE2B_BITS} bits");
        return Err(Stop::failed(why));
    }
    if settings.check && settings.is_chosen && settings.algorithm.is_plain() {
        return Err(Stop::failed(
            "--check is not supported with --algorithm={bsd,sysv,crc}",
        ));
    }
    if let Some(mistake) = settings.mistake() {
        return Err(Usage::new(mistake).into());
    }
    Ok((settings, operands))
}

/// The length in bits that `-l` asks for.
fn length(tool: &str, text: &[u8]) -> Result<u64, Stop> {
    let digits = text.trim_ascii_start();
    let digits = digits.strip_prefix(b"+").unwrap_or(digits);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(Stop::Failed(invalid_length(text)));
    }
    let bits = std::str::from_utf8(digits).ok();
    let Some(bits) = bits.and_then(|digits| digits.parse::<u64>().ok()) else {
        let why = b": Value too large for defined data type";
        return Err(Stop::Failed([&invalid_length(text)[..], why].concat()));
    };
    if bits % 8 != 0 {
        complain(tool, invalid_length(text));
        return Err(Stop::failed("length is not a multiple of 8"));
    }
    Ok(bits)
}

fn invalid_length(text: &[u8]) -> Vec<u8> {
    [b"invalid length: ", &quoted_text(text)[..]].concat()
}

impl Settings {
    /// Those that only say the algorithm.
    fn plain(algorithm: Algorithm) -> Settings {
        Settings {
            algorithm,
            is_chosen: true,
            bits: 0,
            length: Vec::new(),
            binary: None,
            check: false,
            debug: false,
            tag: None,
            tag_is_usual: false,
            zero: false,
            ignore_missing: false,
            quiet: false,
            status: false,
            strict: false,
            warn: false,
        }
    }

    /// Takes an option.
    fn take(&mut self, tool: &str, key: Key, value: &[u8]) -> Result<(), Stop> {
        match key {
            Key::Algorithm => {
                self.algorithm = exactly_one_of("--algorithm", value, &ALGORITHMS)?;
                self.is_chosen = true;
            }
            Key::Binary => self.binary = Some(true),
            Key::Text => self.binary = Some(false),
            Key::Check => self.check = true,
            Key::Debug => self.debug = true,
            Key::Length => {
                self.bits = length(tool, value)?;
                self.length = value.to_vec();
            }
            Key::Tag => self.tag = Some(true),
            Key::Untagged => self.tag = Some(false),
            Key::Zero => self.zero = true,
            Key::IgnoreMissing => self.ignore_missing = true,
            Key::Quiet => (self.quiet, self.status, self.warn) = (true, false, false),
            Key::Status => (self.quiet, self.status, self.warn) = (false, true, false),
            Key::Warn => (self.quiet, self.status, self.warn) = (false, false, true),
            Key::Strict => self.strict = true,
            // GNU knows the letters, and does not say what is wrong with them.
            Key::Refused => return Err(Usage::new("").into()),
            Key::Help => {
                let about = match tool {
                    "cksum" => "Print or verify checksums.".to_owned(),
                    _ => format!(
                        "Print or check {} ({}-bit) checksums.",
                        self.algorithm.name(),
                        self.algorithm.bits()
                    ),
                };
                let usage = "[OPTION]... [FILE]...";
                return Err(Stop::Status(help(tool, usage, &about, table(tool))));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    }

    /// The length of sums.
    fn bits(&self) -> usize {
        match self.bits {
            0 => self.algorithm.bits(),
            bits => bits as usize,
        }
    }

    fn run(&self, tool: &str, operands: Arguments) -> i32 {
        let files = if operands.is_empty() {
            vec![b"-".to_vec()]
        } else {
            operands.clone()
        };
        if self.debug && !self.check && self.algorithm == Algorithm::Crc {
            complain(tool, "using generic hardware support");
        }
        let mut out = Output::new().by_line();
        let mut status = 0;
        for name in files {
            if self.check {
                status |= check::file(tool, self, &name, &mut out);
                continue;
            }
            match sum(&name, self.algorithm, self.bits()) {
                Ok(sum) if self.algorithm.is_plain() => {
                    let name = (!operands.is_empty()).then_some(&name[..]);
                    put_plain(&sum, name, if self.zero { 0 } else { b'\n' }, &mut out);
                }
                Ok(sum) => self.print(&sum, &name, &mut out),
                Err(error) => {
                    out.write_out();
                    complain_of(tool, &name, &system::io_message(&error));
                    status = 1;
                }
            }
        }
        finish(tool, &mut out, status)
    }

    /// Options that do not go together.
    fn mistake(&self) -> Option<&'static str> {
        let asks_tag = !self.tag_is_usual && self.tag == Some(true);
        let always = [
            (
                asks_tag && self.binary == Some(false),
                "--tag does not support --text mode",
            ),
            (
                self.check && self.zero,
                "the --zero option is not supported when verifying checksums",
            ),
            (
                self.check && asks_tag,
                "the --tag option is meaningless when verifying checksums",
            ),
            (
                self.check && self.binary.is_some(),
                "the --binary and --text options are meaningless when verifying checksums",
            ),
        ];
        let without_check = [
            (
                self.ignore_missing,
                "the --ignore-missing option is meaningful only when verifying checksums",
            ),
            (
                self.status,
                "the --status option is meaningful only when verifying checksums",
            ),
            (
                self.warn,
                "the --warn option is meaningful only when verifying checksums",
            ),
            (
                self.quiet,
                "the --quiet option is meaningful only when verifying checksums",
            ),
            (
                self.strict,
                "the --strict option is meaningful only when verifying checksums",
            ),
        ];
        let only_for_check = without_check.iter().filter(|_| !self.check);
        let mut mistakes = always.iter().chain(only_for_check);
        mistakes.find(|(made, _)| *made).map(|(_, what)| *what)
    }

    fn print(&self, sum: &[u8], name: &[u8], out: &mut Output) {
        let escaped = escaped(name).filter(|_| !self.zero);
        if escaped.is_some() {
            out.put_byte(b'\\');
        }
        let name = escaped.as_deref().unwrap_or(name);
        if self.tag.unwrap_or(self.tag_is_usual) {
            out.put(self.algorithm.name().as_bytes());
            if self.algorithm == Algorithm::Blake2b && self.bits() < BLAKE2B_BITS {
                out.put(format!("-{}", self.bits()).as_bytes());
            }
            out.put(&[b" (", name, b") = ", sum].concat());
        } else {
            let mark: &[u8] = if self.binary == Some(true) {
                b" *"
            } else {
                b"  "
            };
            out.put(&[sum, mark, name].concat());
        }
        out.put_byte(if self.zero { 0 } else { b'\n' });
    }
}

/// A name with its line ends and backslashes escaped; none if it has none.
fn escaped(name: &[u8]) -> Option<Vec<u8>> {
    if !name.iter().any(|byte| b"\n\r\\".contains(byte)) {
        return None;
    }
    let mut escaped = Vec::new();
    for byte in name {
        match byte {
            b'\n' => escaped.extend_from_slice(b"\\n"),
            b'\r' => escaped.extend_from_slice(b"\\r"),
            b'\\' => escaped.extend_from_slice(b"\\\\"),
            _ => escaped.push(*byte),
        }
    }
    Some(escaped)
}

/// Prints a sum that is a number and a size, behind it the name if there is one.
fn put_plain(sum: &[u8], name: Option<&[u8]>, end: u8, out: &mut Output) {
    out.put(sum);
    if let Some(name) = name {
        out.put_byte(b' ');
        out.put(name);
    }
    out.put_byte(end);
}

/// Writes the rest, and returns the exit status.
fn finish(tool: &str, out: &mut Output, status: i32) -> i32 {
    match out.finish() {
        Ok(()) => status,
        // GNU's has forgotten the reason by then.
        Err(_) => {
            complain(tool, "write error");
            1
        }
    }
}

/// The sum of a file, as it is printed.
fn sum(name: &[u8], algorithm: Algorithm, bits: usize) -> io::Result<Vec<u8>> {
    let mut state = algorithm.start(bits);
    match read(name, |bytes| state.add(bytes)) {
        // GNU's CRC takes a directory as an empty file.
        Err(error)
            if algorithm == Algorithm::Crc && error.kind() == io::ErrorKind::IsADirectory => {}
        result => result?,
    }
    Ok(state.finish())
}

/// Hands all bytes of a file to `take`; of standard input for `-`.
fn read(name: &[u8], mut take: impl FnMut(&[u8])) -> io::Result<()> {
    let mut source: Box<dyn Read> = match name {
        b"-" => Box::new(io::stdin().lock()),
        _ => Box::new(std::fs::File::open(path(name))?),
    };
    let mut buffer = vec![0; BLOCK];
    loop {
        match source.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => take(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The name of a list as messages have it.
fn list_name(name: &[u8]) -> Vec<u8> {
    match name {
        b"-" => b"'standard input'".to_vec(),
        _ => quoted_if_needed(name),
    }
}

/// Options of `sum`.
#[derive(Clone, Copy)]
enum SumKey {
    Bsd,
    Sysv,
    Help,
    Version,
}

const SUM: &[Opt<SumKey>] = &[
    flag(SumKey::Bsd, b'r', ""),
    flag(SumKey::Sysv, b's', "sysv"),
    long(SumKey::Help, "help", Value::None),
    long(SumKey::Version, "version", Value::None),
];

/// Runs `sum`.
pub(crate) fn sum_main(tool: &str, arguments: Arguments) -> i32 {
    let mut algorithm = Algorithm::Bsd;
    let operands = Options::new(SUM, arguments).each(|key, _| {
        match key {
            SumKey::Bsd => algorithm = Algorithm::Bsd,
            SumKey::Sysv => algorithm = Algorithm::Sysv,
            SumKey::Help => {
                let about = "Print BSD or System V (16-bit) checksums.";
                return Err(Stop::Status(help(
                    tool,
                    "[OPTION]... [FILE]...",
                    about,
                    SUM,
                )));
            }
            SumKey::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    });
    match operands {
        Ok(operands) => Settings::plain(algorithm).run(tool, operands),
        Err(stop) => stop.report(tool, 1),
    }
}
