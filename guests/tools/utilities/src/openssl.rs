//! `openssl`: the commands that scripts use without keys: `dgst`, `rand`, `base64` and `version`.
//!
//! Options have one dash and are whole words. Ciphers, keys and certificates are refused.

mod digest;

use std::io::{self, Read};

use codepod_tool::{Arguments, Output, complain};

use crate::files;
use digest::{DIGESTS, Digest};

/// How much is read at a time.
const CHUNK: usize = 64 << 10;

/// Letters of a line of base 64, and the bytes that they stand for.
const LINE: usize = 64;
const LINE_BYTES: usize = LINE / 4 * 3;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const HELP: &str = "\
help:

Commands that this sandbox has:
base64            dgst              enc -base64       rand
md5               sha1              sha224            sha256
sha384            sha512            sha512-224        sha512-256
version
";

/// openssl as a tool.
pub(crate) fn main(name: &str, arguments: Arguments) -> i32 {
    let mut words = arguments.into_iter();
    let Some(command) = words.next() else {
        return files::print(HELP);
    };
    let words: Arguments = words.collect();
    match command.as_slice() {
        b"help" | b"-help" | b"--help" | b"list" => files::print(HELP),
        b"version" | b"-version" | b"--version" => files::version(name),
        b"dgst" => dgst(None, words),
        b"rand" => rand(words),
        b"base64" => base64("base64", true, words),
        b"enc" => base64("enc", false, words),
        command => match Digest::named(command) {
            Some(digest) => dgst(Some(digest), words),
            None => {
                let shown = String::from_utf8_lossy(command);
                files::tell(&format!(
                    "Invalid command '{shown}'; type \"help\" for a list.\n"
                ));
                files::tell(
                    "codepod: hint: there are no ciphers, keys and certificates in this sandbox; `openssl help` lists what there is\n",
                );
                1
            }
        },
    }
}

/// A mistake in the arguments of a command.
fn mistake(command: &str, message: &str) -> i32 {
    complain(command, message);
    complain(command, "Use -help for summary.");
    1
}

/// An option without its dashes; none for an operand.
fn option(word: &[u8]) -> Option<&[u8]> {
    match word {
        [b'-', b'-', option @ ..] | [b'-', option @ ..] if !option.is_empty() => Some(option),
        _ => None,
    }
}

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// How a digest is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Hex,
    Colons,
    Coreutils,
    Binary,
}

fn dgst(named: Option<&'static Digest>, words: Arguments) -> i32 {
    let command = named.map_or("dgst", |digest| digest.name);
    let (mut digest, mut form, mut key, mut target) = (named, Form::Hex, None, None);
    let mut files = Arguments::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let Some(option) = option(&word).filter(|_| files.is_empty()) else {
            files.push(word);
            continue;
        };
        let mut value = || words.next();
        match option {
            b"help" => {
                return files::print(
                    "Usage: dgst [-md5|-sha1|-sha256|…] [-c|-r|-hex|-binary] [-hmac key] [-out file] [file...]\n",
                );
            }
            b"list" => {
                let names: Vec<String> = DIGESTS
                    .iter()
                    .map(|one| format!("-{}\n", one.name))
                    .collect();
                return files::print(&format!("Supported digests:\n{}", names.concat()));
            }
            b"c" => form = Form::Colons,
            b"r" => form = Form::Coreutils,
            b"hex" => form = Form::Hex,
            b"binary" => form = Form::Binary,
            b"hmac" | b"out" => {
                let Some(value) = value() else {
                    return mistake(command, &format!("Option -{} needs a value", shown(option)));
                };
                match option {
                    b"out" => target = Some(value),
                    _ => key = Some(value),
                }
            }
            option => match Digest::named(option) {
                Some(found) => digest = Some(found),
                None => {
                    let text = shown(option);
                    return mistake(
                        command,
                        &format!("Unknown option or message digest: {text}"),
                    );
                }
            },
        }
    }
    let mut text = Vec::new();
    let mut status = 0;
    let default = digest.is_none();
    let digest = digest.or(Digest::named(b"sha256"));
    let Some(digest) = digest else {
        return 1;
    };
    let label = if default { "SHA256" } else { digest.shown };
    // OpenSSL does not say so of standard input.
    let label = match key {
        Some(_) if !files.is_empty() => format!("HMAC-{label}"),
        _ => label.to_owned(),
    };
    if files.is_empty() {
        files.push(b"-".to_vec());
    }
    for file in &files {
        let name = if file == b"-" { b"stdin" } else { &file[..] };
        match sum(digest, key.as_deref(), file) {
            Ok(sum) => print(&sum, form, &label, name, &mut text),
            Err(error) => {
                files::tell(&format!("{}: {}\n", shown(name), files::why(&error)));
                status = 1;
            }
        }
    }
    status.max(put("dgst", target.as_deref(), &text))
}

fn sum(digest: &Digest, key: Option<&[u8]>, file: &[u8]) -> io::Result<Vec<u8>> {
    let mut sum = digest.start(key);
    let mut buffer = vec![0; CHUNK];
    let mut input = open(Some(file))?;
    loop {
        match input.read(&mut buffer)? {
            0 => return Ok(sum.finish()),
            count => sum.add(&buffer[..count]),
        }
    }
}

fn print(sum: &[u8], form: Form, label: &str, name: &[u8], out: &mut Vec<u8>) {
    let hex: Vec<String> = sum.iter().map(|byte| format!("{byte:02x}")).collect();
    match form {
        Form::Binary => return out.extend_from_slice(sum),
        Form::Coreutils => {
            out.extend_from_slice(hex.concat().as_bytes());
            out.extend_from_slice(b" *");
            out.extend_from_slice(name);
        }
        Form::Hex | Form::Colons => {
            let between = if form == Form::Colons { ":" } else { "" };
            out.extend_from_slice(label.as_bytes());
            out.push(b'(');
            out.extend_from_slice(name);
            out.extend_from_slice(b")= ");
            out.extend_from_slice(hex.join(between).as_bytes());
        }
    }
    out.push(b'\n');
}

fn rand(words: Arguments) -> i32 {
    let (mut hex, mut base, mut target, mut count) = (false, false, None, None);
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match option(&word) {
            Some(b"help") => {
                return files::print("Usage: rand [-hex|-base64] [-out file] num\n");
            }
            Some(b"hex") => hex = true,
            Some(b"base64") => base = true,
            Some(b"out") => match words.next() {
                Some(file) => target = Some(file),
                None => return mistake("rand", "Option -out needs a value"),
            },
            Some(option) => {
                return mistake("rand", &format!("Unknown option: -{}", shown(option)));
            }
            None if count.is_some() => {
                return mistake("rand", "Extra arguments given.");
            }
            None => {
                let text = shown(&word);
                let number = text
                    .parse::<u32>()
                    .ok()
                    .filter(|number| *number <= i32::MAX as u32);
                let Some(number) = number else {
                    return mistake("rand", &format!("Can't parse \"{text}\" as a number"));
                };
                count = Some(number as usize);
            }
        }
    }
    let Some(mut left) = count.filter(|count| *count > 0) else {
        files::tell("rand: Use -help for summary.\n");
        return 1;
    };
    let mut out = match target {
        Some(file) => match std::fs::File::create(codepod_tool::path(&file)) {
            Ok(file) => Sink::File(file),
            Err(error) => return cannot_write(&file, &error),
        },
        None => Sink::Out(Output::new()),
    };
    // A multiple of three, so that base 64 has no padding between chunks.
    while left > 0 {
        let mut bytes = vec![0; left.min(LINE_BYTES * 512)];
        left -= bytes.len();
        fill(&mut bytes);
        let text = match (hex, base) {
            (true, _) => bytes
                .iter()
                .flat_map(|byte| format!("{byte:02x}").into_bytes())
                .collect(),
            (_, true) => encoded(&bytes, true),
            _ => bytes,
        };
        if !out.put(&text) {
            return 1;
        }
    }
    let end: &[u8] = if hex { b"\n" } else { b"" };
    i32::from(!(out.put(end) && out.finish()))
}

/// Where output goes.
enum Sink {
    File(std::fs::File),
    Out(Output),
}

impl Sink {
    /// Writes; false if that fails.
    fn put(&mut self, bytes: &[u8]) -> bool {
        match self {
            Sink::File(file) => io::Write::write_all(file, bytes).is_ok(),
            Sink::Out(out) => {
                out.put(bytes);
                !out.is_broken()
            }
        }
    }

    fn finish(self) -> bool {
        match self {
            Sink::File(_) => true,
            Sink::Out(mut out) => out.finish().is_ok(),
        }
    }
}

/// Fills a buffer with bytes that cannot be foretold.
fn fill(bytes: &mut [u8]) {
    for chunk in bytes.chunks_mut(4) {
        let number = codepod_sys::random::number().to_le_bytes();
        chunk.copy_from_slice(&number[..chunk.len()]);
    }
}

/// `base64`, and `enc` where an option asks for it.
fn base64(command: &str, mut asked: bool, words: Arguments) -> i32 {
    let (mut decode, mut one_line, mut source, mut target) = (false, false, None, None);
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match option(&word) {
            Some(b"help") => {
                return files::print("Usage: base64 [-e|-d] [-A] [-in file] [-out file]\n");
            }
            Some(b"a" | b"base64") => asked = true,
            Some(b"e") => decode = false,
            Some(b"d") => decode = true,
            Some(b"A") => one_line = true,
            Some(name @ (b"in" | b"out")) => {
                let Some(value) = words.next() else {
                    return mistake(command, &format!("Option -{} needs a value", shown(name)));
                };
                match name {
                    b"in" => source = Some(value),
                    _ => target = Some(value),
                }
            }
            Some(option) => {
                let text = shown(option);
                return mistake(command, &format!("Unknown option or cipher: {text}"));
            }
            None => return mistake(command, "Extra arguments given."),
        }
    }
    if !asked {
        return mistake(
            command,
            "there are no ciphers in this sandbox; -base64 works",
        );
    }
    let mut text = Vec::new();
    let read = open(source.as_deref()).and_then(|mut input| input.read_to_end(&mut text));
    if let Err(error) = read {
        let name = source.as_deref().unwrap_or(b"stdin");
        let why = files::why(&error);
        files::tell(&format!(
            "Can't open \"{}\" for reading, {why}\n",
            shown(name)
        ));
        return 1;
    }
    if !decode {
        return put(command, target.as_deref(), &encoded(&text, !one_line));
    }
    let (bytes, whole) = decoded(&text);
    let status = put(command, target.as_deref(), &bytes);
    if !whole {
        files::tell("error reading input file\n");
        return 1;
    }
    status
}

/// Bytes in base 64, in lines of 64 letters or in one without an end.
fn encoded(bytes: &[u8], lines: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() / 3 * 4 + 8);
    for line in bytes.chunks(LINE_BYTES) {
        for group in line.chunks(3) {
            let at = |index: usize| u32::from(group.get(index).copied().unwrap_or(0));
            let number = at(0) << 16 | at(1) << 8 | at(2);
            for place in 0..4_usize {
                let index = (number >> (18 - 6 * place)) & 63;
                out.push(match place > group.len() {
                    true => b'=',
                    false => ALPHABET[index as usize],
                });
            }
        }
        if lines {
            out.push(b'\n');
        }
    }
    out
}

/// The bytes of base 64, and whether all of it was that.
fn decoded(text: &[u8]) -> (Vec<u8>, bool) {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut number, mut letters, mut padding) = (0_u32, 0, 0);
    for byte in text.iter().filter(|byte| !byte.is_ascii_whitespace()) {
        let value = ALPHABET.iter().position(|letter| letter == byte);
        match value {
            Some(value) if padding == 0 => number = number << 6 | value as u32,
            None if *byte == b'=' && letters >= 2 => {
                padding += 1;
                number <<= 6;
            }
            _ => return (out, false),
        }
        letters += 1;
        if letters == 4 {
            let bytes = number.to_be_bytes();
            out.extend_from_slice(&bytes[1..4 - padding]);
            (number, letters) = (0, 0);
            if padding > 0 {
                padding = 0;
            }
        }
    }
    (out, letters == 0)
}

fn open(file: Option<&[u8]>) -> io::Result<Box<dyn Read>> {
    match file {
        None | Some(b"-") => Ok(Box::new(codepod_tool::Stdin)),
        Some(file) => {
            let path = codepod_tool::path(file);
            match std::fs::metadata(path)?.is_dir() {
                true => Err(io::ErrorKind::IsADirectory.into()),
                false => Ok(Box::new(std::fs::File::open(path)?)),
            }
        }
    }
}

/// Writes to a file or standard output. Returns the status.
fn put(command: &str, target: Option<&[u8]>, text: &[u8]) -> i32 {
    match target {
        Some(file) => match std::fs::write(codepod_tool::path(file), text) {
            Ok(()) => 0,
            Err(error) => cannot_write(file, &error),
        },
        None => {
            let mut out = Output::new();
            out.put(text);
            match out.finish() {
                Ok(()) => 0,
                Err(error) => {
                    complain(command, format!("write error: {}", files::why(&error)));
                    1
                }
            }
        }
    }
}

fn cannot_write(file: &[u8], error: &io::Error) -> i32 {
    let why = files::why(error);
    files::tell(&format!(
        "Can't open \"{}\" for writing, {why}\n",
        shown(file)
    ));
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_64_goes_both_ways() {
        for length in 0..200_u8 {
            let bytes: Vec<u8> = (0..length).collect();
            for lines in [false, true] {
                let text = encoded(&bytes, lines);
                assert_eq!(decoded(&text), (bytes.clone(), true), "{length}");
            }
        }
        assert_eq!(decoded(b"YWJ"), (vec![], false));
        assert_eq!(decoded(b"YWJjYW=x"), (b"abc".to_vec(), false));
        assert_eq!(decoded(b"!"), (vec![], false));
    }
}
