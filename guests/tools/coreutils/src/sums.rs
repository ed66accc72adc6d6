//! `md5sum`, `sha1sum` and others, `b2sum`: compute and check sums of files. Ours because uutils'
//! quotes names where GNU's does not, and takes only names that are text.

use std::io::{self, Read};

use blake2b_simd::State as Blake2b;
use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Usage, Value, complain, complain_of, flag, long, path,
    quoted_if_needed, quoted_text, value,
};
use sha2::Digest as _;

use crate::arguments::{help, version};
use crate::system;

mod check;

/// How much is read at once.
const BLOCK: usize = 64 << 10;
/// The longest BLAKE2b sum, in bits.
const BLAKE2B_BITS: usize = 512;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Binary,
    Check,
    Length,
    Tag,
    Text,
    Zero,
    IgnoreMissing,
    Quiet,
    Status,
    Strict,
    Warn,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Binary, b'b', "binary"),
    flag(Key::Check, b'c', "check"),
    value(Key::Length, b'l', "length"),
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

/// A way to compute sums.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Algorithm {
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
    Blake2b,
}

impl Algorithm {
    /// That of a tool.
    fn of(tool: &str) -> Algorithm {
        match tool {
            "md5sum" => Algorithm::Md5,
            "sha1sum" => Algorithm::Sha1,
            "sha224sum" => Algorithm::Sha224,
            "sha256sum" => Algorithm::Sha256,
            "sha384sum" => Algorithm::Sha384,
            "sha512sum" => Algorithm::Sha512,
            _ => Algorithm::Blake2b,
        }
    }

    /// As it is called in lines with `--tag`.
    fn name(self) -> &'static str {
        match self {
            Algorithm::Md5 => "MD5",
            Algorithm::Sha1 => "SHA1",
            Algorithm::Sha224 => "SHA224",
            Algorithm::Sha256 => "SHA256",
            Algorithm::Sha384 => "SHA384",
            Algorithm::Sha512 => "SHA512",
            Algorithm::Blake2b => "BLAKE2b",
        }
    }

    /// How long its sums are.
    fn bits(self) -> usize {
        match self {
            Algorithm::Md5 => 128,
            Algorithm::Sha1 => 160,
            Algorithm::Sha224 => 224,
            Algorithm::Sha256 => 256,
            Algorithm::Sha384 => 384,
            Algorithm::Sha512 | Algorithm::Blake2b => 512,
        }
    }

    fn start(self, bits: usize) -> State {
        match self {
            Algorithm::Md5 => State::Md5(md5::Md5::new()),
            Algorithm::Sha1 => State::Sha1(sha1::Sha1::new()),
            Algorithm::Sha224 => State::Sha224(sha2::Sha224::new()),
            Algorithm::Sha256 => State::Sha256(sha2::Sha256::new()),
            Algorithm::Sha384 => State::Sha384(sha2::Sha384::new()),
            Algorithm::Sha512 => State::Sha512(sha2::Sha512::new()),
            Algorithm::Blake2b => {
                let params = blake2b_simd::Params::new().hash_length(bits / 8).to_state();
                State::Blake2b(Box::new(params))
            }
        }
    }
}

/// A sum that is being computed.
enum State {
    Md5(md5::Md5),
    Sha1(sha1::Sha1),
    Sha224(sha2::Sha224),
    Sha256(sha2::Sha256),
    Sha384(sha2::Sha384),
    Sha512(sha2::Sha512),
    Blake2b(Box<Blake2b>),
}

impl State {
    fn add(&mut self, bytes: &[u8]) {
        match self {
            State::Md5(state) => state.update(bytes),
            State::Sha1(state) => state.update(bytes),
            State::Sha224(state) => state.update(bytes),
            State::Sha256(state) => state.update(bytes),
            State::Sha384(state) => state.update(bytes),
            State::Sha512(state) => state.update(bytes),
            State::Blake2b(state) => {
                state.update(bytes);
            }
        }
    }

    /// The sum in hexadecimal digits.
    fn finish(self) -> Vec<u8> {
        match self {
            State::Md5(state) => hexadecimal(&state.finalize()),
            State::Sha1(state) => hexadecimal(&state.finalize()),
            State::Sha224(state) => hexadecimal(&state.finalize()),
            State::Sha256(state) => hexadecimal(&state.finalize()),
            State::Sha384(state) => hexadecimal(&state.finalize()),
            State::Sha512(state) => hexadecimal(&state.finalize()),
            State::Blake2b(state) => hexadecimal(state.finalize().as_bytes()),
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> Vec<u8> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| {
        [
            DIGITS[usize::from(byte >> 4)],
            DIGITS[usize::from(byte & 15)],
        ]
    });
    digits.collect()
}

/// What was asked for.
struct Asked {
    algorithm: Algorithm,
    bits: usize,
    binary: Option<bool>,
    check: bool,
    tag: bool,
    zero: bool,
    ignore_missing: bool,
    quiet: bool,
    status: bool,
    strict: bool,
    warn: bool,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let algorithm = Algorithm::of(tool);
    let mut asked = Asked {
        algorithm,
        bits: algorithm.bits(),
        binary: None,
        check: false,
        tag: false,
        zero: false,
        ignore_missing: false,
        quiet: false,
        status: false,
        strict: false,
        warn: false,
    };
    let mut options = Options::new(TABLE, arguments);
    let mut operands = Vec::new();
    loop {
        let (key, value) = match options.next() {
            Ok(Some(Found::Operand(operand))) => {
                operands.push(operand);
                continue;
            }
            Ok(Some(Found::Option(Key::Length, _))) if algorithm != Algorithm::Blake2b => {
                return Usage::new("invalid option -- 'l'").report(tool, 1);
            }
            Ok(Some(Found::Option(key, value))) => (key, value),
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 1),
        };
        match key {
            Key::Binary => asked.binary = Some(true),
            Key::Text => asked.binary = Some(false),
            Key::Check => asked.check = true,
            Key::Length => match length(tool, &value.unwrap_or_default()) {
                Ok(bits) => asked.bits = bits,
                Err(status) => return status,
            },
            Key::Tag => asked.tag = true,
            Key::Zero => asked.zero = true,
            Key::IgnoreMissing => asked.ignore_missing = true,
            Key::Quiet => (asked.quiet, asked.status, asked.warn) = (true, false, false),
            Key::Status => (asked.quiet, asked.status, asked.warn) = (false, true, false),
            Key::Warn => (asked.quiet, asked.status, asked.warn) = (false, false, true),
            Key::Strict => asked.strict = true,
            Key::Help => {
                let about = format!(
                    "Print or check {} ({}-bit) checksums.",
                    algorithm.name(),
                    algorithm.bits()
                );
                return help(tool, "[OPTION]... [FILE]...", &about, TABLE);
            }
            Key::Version => return version(tool),
        }
    }
    if let Some(mistake) = asked.mistake() {
        return Usage::new(mistake).report(tool, 1);
    }
    if operands.is_empty() {
        operands.push(b"-".to_vec());
    }
    let mut out = Output::new();
    let mut status = 0;
    for name in operands {
        if asked.check {
            status |= check::file(tool, &asked, &name, &mut out);
            continue;
        }
        match sum(&name, algorithm, asked.bits) {
            Ok(sum) => asked.print(&sum, &name, &mut out),
            Err(error) => {
                out.write_out();
                complain_of(tool, &name, &system::io_message(&error));
                status = 1;
            }
        }
    }
    if let Err(error) = out.finish() {
        complain(tool, format!("write error: {}", system::io_message(&error)));
        return 1;
    }
    status
}

/// The length in bits that `-l` asks for; 0 is the usual one.
fn length(tool: &str, text: &[u8]) -> Result<usize, i32> {
    let shown = quoted_text(text);
    let bits = std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse().ok());
    let Some(bits) = bits else {
        complain(tool, [b"invalid length: ", &shown[..]].concat());
        return Err(1);
    };
    let why = match bits {
        0 => return Ok(BLAKE2B_BITS),
        _ if bits > BLAKE2B_BITS => "maximum digest length for 'BLAKE2b' is 512 bits",
        _ if bits % 8 != 0 => "length is not a multiple of 8",
        _ => return Ok(bits),
    };
    complain(tool, [b"invalid length: ", &shown[..]].concat());
    complain(tool, why);
    Err(1)
}

impl Asked {
    /// Options that do not go together.
    fn mistake(&self) -> Option<&'static str> {
        Some(match self {
            Asked {
                tag: true,
                binary: Some(false),
                ..
            } => "--tag does not support --text mode",
            Asked {
                zero: true,
                check: true,
                ..
            } => "the --zero option is not supported when verifying checksums",
            Asked {
                tag: true,
                check: true,
                ..
            } => "the --tag option is meaningless when verifying checksums",
            Asked {
                binary: Some(_),
                check: true,
                ..
            } => "the --binary and --text options are meaningless when verifying checksums",
            Asked { check: true, .. } => return None,
            Asked {
                ignore_missing: true,
                ..
            } => "the --ignore-missing option is meaningful only when verifying checksums",
            Asked { status: true, .. } => {
                "the --status option is meaningful only when verifying checksums"
            }
            Asked { warn: true, .. } => {
                "the --warn option is meaningful only when verifying checksums"
            }
            Asked { quiet: true, .. } => {
                "the --quiet option is meaningful only when verifying checksums"
            }
            Asked { strict: true, .. } => {
                "the --strict option is meaningful only when verifying checksums"
            }
            _ => return None,
        })
    }

    fn print(&self, sum: &[u8], name: &[u8], out: &mut Output) {
        let escaped = escaped(name).filter(|_| !self.zero);
        if escaped.is_some() {
            out.put_byte(b'\\');
        }
        let name = escaped.as_deref().unwrap_or(name);
        if self.tag {
            out.put(self.algorithm.name().as_bytes());
            if self.algorithm == Algorithm::Blake2b && self.bits < BLAKE2B_BITS {
                out.put(format!("-{}", self.bits).as_bytes());
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

/// The sum of a file, in hexadecimal digits.
fn sum(name: &[u8], algorithm: Algorithm, bits: usize) -> io::Result<Vec<u8>> {
    let mut source: Box<dyn Read> = match name {
        b"-" => Box::new(io::stdin().lock()),
        _ => Box::new(std::fs::File::open(path(name))?),
    };
    let mut state = algorithm.start(bits);
    let mut buffer = vec![0; BLOCK];
    loop {
        match source.read(&mut buffer) {
            Ok(0) => return Ok(state.finish()),
            Ok(count) => state.add(&buffer[..count]),
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
