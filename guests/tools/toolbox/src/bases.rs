//! `base32`, `base64`, `basenc`: bytes as printable text, and back.

use std::io::{self, Read};

use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Usage, Value, complain, complain_of, flag, long, path,
    quoted, quoted_text, value,
};

use crate::arguments::{help, version};
use crate::system;

/// How much is read at once: a multiple of what every form takes at once.
const BLOCK: usize = 15 << 12;
/// The usual length of lines.
const WIDTH: usize = 76;

#[derive(Clone, Copy)]
enum Key {
    Form(&'static Form),
    Decode,
    Ignore,
    Wrap,
    Help,
    Version,
}

/// A way to write bytes as letters. `Z85` has its own, the others take so many bits at once.
struct Form {
    letters: &'static [u8],
    /// Bits of a letter.
    bits: u32,
    /// Letters that stand for whole bytes.
    group: usize,
    /// Whether a group is filled up with `=`.
    padded: bool,
    /// Whether the lowest bit comes first.
    reversed: bool,
}

const UPPER_LOWER: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

const fn form(letters: &'static [u8], bits: u32, group: usize, padded: bool) -> Form {
    Form {
        letters,
        bits,
        group,
        padded,
        reversed: false,
    }
}

static BASE64: Form = form(UPPER_LOWER, 6, 4, true);
static BASE64URL: Form = form(URL, 6, 4, true);
static BASE32: Form = form(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 5, 8, true);
static BASE32HEX: Form = form(b"0123456789ABCDEFGHIJKLMNOPQRSTUV", 5, 8, true);
static BASE16: Form = form(b"0123456789ABCDEF", 4, 2, false);
static BASE2: Form = form(b"01", 1, 8, false);
static BASE2_REVERSED: Form = Form {
    reversed: true,
    ..form(b"01", 1, 8, false)
};
static Z85: Form = form(
    b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#",
    0,
    5,
    false,
);

const TABLE: &[Opt<Key>] = &[
    flag(Key::Decode, b'd', "decode"),
    flag(Key::Ignore, b'i', "ignore-garbage"),
    value(Key::Wrap, b'w', "wrap"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
    long(Key::Form(&BASE64), "base64", Value::None),
    long(Key::Form(&BASE64URL), "base64url", Value::None),
    long(Key::Form(&BASE32), "base32", Value::None),
    long(Key::Form(&BASE32HEX), "base32hex", Value::None),
    long(Key::Form(&BASE16), "base16", Value::None),
    long(Key::Form(&BASE2), "base2msbf", Value::None),
    long(Key::Form(&BASE2_REVERSED), "base2lsbf", Value::None),
    long(Key::Form(&Z85), "z85", Value::None),
];
/// How many of them the tools with one form have.
const COMMON: usize = 5;

/// Why it ends before the input does.
enum Stop {
    Read(io::Error),
    Invalid,
    Length,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let (table, mut form) = match tool {
        "base32" => (&TABLE[..COMMON], Some(&BASE32)),
        "base64" => (&TABLE[..COMMON], Some(&BASE64)),
        _ => (TABLE, None),
    };
    let mut options = Options::new(table, arguments);
    let (mut decode, mut ignore, mut width) = (false, false, WIDTH);
    let mut operands = Vec::new();
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => operands.push(operand),
            Ok(Some(Found::Option(key, value))) => match key {
                Key::Form(chosen) => form = Some(chosen),
                Key::Decode => decode = true,
                Key::Ignore => ignore = true,
                Key::Wrap => {
                    let text = value.unwrap_or_default();
                    match wrap(&text) {
                        Some(wrap) => width = wrap,
                        None => {
                            let shown = quoted_text(&text);
                            complain(tool, [b"invalid wrap size: ", &shown[..]].concat());
                            return 1;
                        }
                    }
                }
                Key::Help => {
                    return help(
                        tool,
                        "[OPTION]... [FILE]",
                        "Encode or decode FILE, or standard input, to standard output.",
                        table,
                    );
                }
                Key::Version => return version(tool),
            },
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 1),
        }
    }
    let Some(form) = form else {
        return Usage::new("missing encoding type").report(tool, 1);
    };
    if let Some(extra) = operands.get(1) {
        return Usage::new([b"extra operand ", &quoted(extra)[..]].concat()).report(tool, 1);
    }
    let name = operands.first().map_or(&b"-"[..], |name| name);
    let mut source: Box<dyn Read> = match name {
        b"-" => Box::new(io::stdin().lock()),
        _ => match std::fs::File::open(path(name)) {
            Ok(file) => Box::new(file),
            Err(error) => {
                complain_of(tool, name, &system::io_message(&error));
                return 1;
            }
        },
    };
    let mut out = Output::new();
    let result = if decode {
        decoded(form, &mut *source, ignore, &mut out)
    } else {
        encoded(form, &mut *source, width, &mut out)
    };
    if let Err(error) = out.finish() {
        complain(tool, format!("write error: {}", system::io_message(&error)));
        return 1;
    }
    let message = match result {
        Ok(()) => return 0,
        Err(Stop::Read(error)) => format!("read error: {}", system::io_message(&error)),
        Err(Stop::Invalid) => "invalid input".into(),
        Err(Stop::Length) => "invalid input (length must be multiple of 4 characters)".into(),
    };
    complain(tool, message);
    1
}

/// The value of `-w`; a number that is too big is no wrap at all.
fn wrap(text: &[u8]) -> Option<usize> {
    let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let text = std::str::from_utf8(text).ok().filter(|_| is_number)?;
    Some(text.parse().unwrap_or(0))
}

/// Fills a block as far as the input goes.
fn fill(source: &mut dyn Read, block: &mut [u8]) -> Result<usize, Stop> {
    let mut filled = 0;
    while filled < block.len() {
        match source.read(&mut block[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Stop::Read(error)),
        }
    }
    Ok(filled)
}

fn encoded(form: &Form, source: &mut dyn Read, width: usize, out: &mut Output) -> Result<(), Stop> {
    let mut block = vec![0; BLOCK];
    let mut letters = Vec::new();
    let mut column = 0;
    loop {
        let count = fill(source, &mut block)?;
        letters.clear();
        form.encode(&block[..count], &mut letters)?;
        if width == 0 {
            out.put(&letters);
        } else {
            let mut rest = &letters[..];
            while !rest.is_empty() {
                let (line, more) = rest.split_at(rest.len().min(width - column));
                out.put(line);
                column += line.len();
                rest = more;
                if column == width {
                    out.put_byte(b'\n');
                    column = 0;
                }
            }
        }
        if count < block.len() {
            break;
        }
    }
    if column > 0 {
        out.put_byte(b'\n');
    }
    Ok(())
}

fn decoded(form: &Form, source: &mut dyn Read, ignore: bool, out: &mut Output) -> Result<(), Stop> {
    let values = form.values();
    let mut block = vec![0; BLOCK];
    let mut bytes = Vec::new();
    let mut group = Group::default();
    loop {
        let count = fill(source, &mut block)?;
        bytes.clear();
        for letter in &block[..count] {
            let value = values[usize::from(*letter)];
            if *letter == b'\n' || (value == INVALID && ignore) {
                continue;
            }
            if group.add(form, value, &mut bytes).is_err() {
                group.cut(form, value == PADDING, &mut bytes);
                out.put(&bytes);
                return Err(Stop::Invalid);
            }
        }
        if count < block.len() {
            let whole = group.letters == 0;
            if !whole {
                group.cut(form, false, &mut bytes);
            }
            out.put(&bytes);
            return if whole { Ok(()) } else { Err(Stop::Invalid) };
        }
        out.put(&bytes);
    }
}

/// What a byte is that is no letter of a form.
const INVALID: u8 = 255;
/// What `=` is in a form that has it.
const PADDING: u8 = 254;

impl Form {
    /// The value of every byte.
    fn values(&self) -> [u8; 256] {
        let mut values = [INVALID; 256];
        for (value, letter) in (0..).zip(self.letters) {
            values[usize::from(*letter)] = value;
        }
        if self.padded {
            values[usize::from(b'=')] = PADDING;
        }
        values
    }

    fn encode(&self, bytes: &[u8], letters: &mut Vec<u8>) -> Result<(), Stop> {
        if self.bits == 0 {
            return self.encode_words(bytes, letters);
        }
        letters.reserve(bytes.len() * 8 / self.bits as usize + self.group);
        // Three bytes are four letters in the form that is used most.
        let rest = if self.bits == 6 {
            let (threes, rest) = bytes.as_chunks::<3>();
            for three in threes {
                let all =
                    u32::from(three[0]) << 16 | u32::from(three[1]) << 8 | u32::from(three[2]);
                letters.extend_from_slice(
                    &[18, 12, 6, 0].map(|shift| self.letters[(all >> shift & 63) as usize]),
                );
            }
            rest
        } else {
            bytes
        };
        let (mut all, mut held) = (0u32, 0);
        let start = letters.len();
        for byte in rest {
            let byte = if self.reversed {
                byte.reverse_bits()
            } else {
                *byte
            };
            all = all << 8 | u32::from(byte);
            held += 8;
            while held >= self.bits {
                held -= self.bits;
                letters.push(self.letters[(all >> held) as usize & (self.letters.len() - 1)]);
            }
        }
        if held > 0 {
            letters.push(
                self.letters[(all << (self.bits - held)) as usize & (self.letters.len() - 1)],
            );
        }
        while self.padded && !(letters.len() - start).is_multiple_of(self.group) {
            letters.push(b'=');
        }
        Ok(())
    }

    /// `Z85`: four bytes as five letters.
    fn encode_words(&self, bytes: &[u8], letters: &mut Vec<u8>) -> Result<(), Stop> {
        let (words, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(Stop::Length);
        }
        for word in words {
            let word = u32::from_be_bytes(*word);
            let digits = [85 * 85 * 85 * 85, 85 * 85 * 85, 85 * 85, 85, 1];
            letters.extend(digits.map(|unit| self.letters[(word / unit % 85) as usize]));
        }
        Ok(())
    }
}

/// Letters that are not yet bytes.
#[derive(Default)]
struct Group {
    all: u64,
    /// How many letters came, padding with them.
    letters: usize,
    padding: usize,
}

/// A letter that cannot stand where it does.
struct Misplaced;

impl Group {
    fn add(&mut self, form: &Form, value: u8, bytes: &mut Vec<u8>) -> Result<(), Misplaced> {
        match value {
            INVALID => return Err(Misplaced),
            PADDING if self.padding == 0 && !is_end(form, self.letters) => return Err(Misplaced),
            PADDING => self.padding += 1,
            _ if self.padding > 0 => return Err(Misplaced),
            _ if form.bits == 0 => self.all = self.all * 85 + u64::from(value),
            _ => self.all = self.all << form.bits | u64::from(value),
        }
        self.letters += 1;
        if self.letters < form.group {
            return Ok(());
        }
        if form.bits == 0 {
            let word = u32::try_from(self.all).map_err(|_| Misplaced)?;
            bytes.extend_from_slice(&word.to_be_bytes());
        } else {
            self.put(form, bytes);
        }
        *self = Group::default();
        Ok(())
    }

    /// Adds the whole bytes of the letters that came.
    fn put(&self, form: &Form, bytes: &mut Vec<u8>) {
        let bits = (self.letters - self.padding) * form.bits as usize;
        let all = self.all >> (bits % 8);
        for place in (0..bits / 8).rev() {
            let byte = (all >> (place * 8)) as u8;
            bytes.push(if form.reversed {
                byte.reverse_bits()
            } else {
                byte
            });
        }
    }

    /// What GNU's has decoded of a group that it cannot finish: something where four letters make
    /// one, or where the group has its letters and one of them is padding in the wrong place.
    fn cut(&self, form: &Form, misplaced: bool, bytes: &mut Vec<u8>) {
        if form.bits == 6 || (misplaced && form.padded) {
            self.put(form, bytes);
        }
    }
}

/// Whether so many letters stand for whole bytes and padding may follow.
fn is_end(form: &Form, letters: usize) -> bool {
    match form.group {
        4 => letters >= 2,
        _ => matches!(letters, 2 | 4 | 5 | 7),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back(form: &Form, text: &[u8]) -> (Vec<u8>, bool) {
        let values = form.values();
        let (mut bytes, mut group) = (Vec::new(), Group::default());
        let whole = text.iter().all(|letter| {
            group
                .add(form, values[usize::from(*letter)], &mut bytes)
                .is_ok()
        });
        (bytes, whole && group.letters == 0)
    }

    #[test]
    fn every_form_gives_the_bytes_back() {
        let all: Vec<u8> = (0..=255).collect();
        for form in [
            &BASE64,
            &BASE64URL,
            &BASE32,
            &BASE32HEX,
            &BASE16,
            &BASE2,
            &BASE2_REVERSED,
            &Z85,
        ] {
            for length in (0..=256)
                .step_by(4)
                .chain(if form.bits == 0 { 0..0 } else { 1..11 })
            {
                let mut letters = Vec::new();
                assert!(form.encode(&all[..length], &mut letters).is_ok());
                assert_eq!(back(form, &letters), (all[..length].to_vec(), true));
            }
        }
    }

    #[test]
    fn padding_stands_only_at_the_end_of_a_group() {
        assert_eq!(back(&BASE64, b"YQ==YQ=="), (b"aa".to_vec(), true));
        assert!(!back(&BASE64, b"Y===").1);
        assert!(!back(&BASE64, b"YQ=a").1);
        assert!(!back(&Z85, b"#####").1);
    }
}
