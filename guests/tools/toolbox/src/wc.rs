//! `wc`: counts lines, words, characters and bytes.

use std::io::{self, Read as _};

use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Usage, Value, complain, complain_of, flag, long, path,
    quoted, quoted_if_needed,
};
use unicode_width::UnicodeWidthChar as _;

use crate::arguments::{help, version};
use crate::system;

/// How much is read at once.
const BLOCK: usize = 64 << 10;
/// The width of numbers where a file's size says nothing.
const WIDTH: usize = 7;

#[derive(Clone, Copy)]
enum Key {
    Bytes,
    Chars,
    Lines,
    Words,
    Longest,
    Files,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Bytes, b'c', "bytes"),
    flag(Key::Chars, b'm', "chars"),
    flag(Key::Lines, b'l', "lines"),
    long(Key::Files, "files0-from", Value::Required),
    flag(Key::Longest, b'L', "max-line-length"),
    flag(Key::Words, b'w', "words"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// What is printed.
#[derive(Clone, Copy, Default)]
struct Wanted {
    lines: bool,
    words: bool,
    chars: bool,
    bytes: bool,
    longest: bool,
}

impl Wanted {
    fn count(self) -> usize {
        [self.lines, self.words, self.chars, self.bytes, self.longest]
            .into_iter()
            .filter(|wanted| *wanted)
            .count()
    }
}

/// What was counted.
#[derive(Clone, Copy, Default)]
struct Counts {
    lines: u64,
    words: u64,
    chars: u64,
    bytes: u64,
    longest: u64,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(TABLE, arguments);
    let (mut wanted, mut operands, mut list) = (Wanted::default(), Vec::new(), None);
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => operands.push(operand),
            Ok(Some(Found::Option(key, value))) => match key {
                Key::Bytes => wanted.bytes = true,
                Key::Chars => wanted.chars = true,
                Key::Lines => wanted.lines = true,
                Key::Words => wanted.words = true,
                Key::Longest => wanted.longest = true,
                Key::Files => list = value,
                Key::Help => {
                    return help(
                        tool,
                        "[OPTION]... [FILE]...",
                        "Print newline, word, and byte counts for each FILE.",
                        TABLE,
                    );
                }
                Key::Version => return version(tool),
            },
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 1),
        }
    }
    if wanted.count() == 0 {
        (wanted.lines, wanted.words, wanted.bytes) = (true, true, true);
    }
    let mut status = 0;
    let mut width = None;
    if let Some(list) = list {
        if let Some(operand) = operands.first() {
            let message = [b"extra operand ", &quoted(operand)[..]].concat();
            return Usage::new(
                [
                    &message[..],
                    b"\nfile operands cannot be combined with --files0-from",
                ]
                .concat(),
            )
            .report(tool, 1);
        }
        // How many names there are is not known beforehand where they come through a pipe.
        let is_file =
            list != b"-" && std::fs::metadata(path(&list)).is_ok_and(|metadata| metadata.is_file());
        width = (!is_file).then_some(1);
        match names(tool, &list) {
            Ok((names, failed)) => {
                operands = names;
                status = i32::from(failed);
            }
            Err(status) => return status,
        }
        if operands.is_empty() {
            return status;
        }
    } else if operands.is_empty() {
        operands.push(Vec::new());
    }
    let width = width.unwrap_or_else(|| number_width(&operands, wanted));
    let mut out = Output::new();
    let mut total = Counts::default();
    for name in &operands {
        let mut counter = Counter::new(wanted);
        let read = counter.file(name);
        if let Err(error) = &read {
            out.write_out();
            let shown = if name.is_empty() { b"-" } else { &name[..] };
            complain_of(tool, shown, &system::io_message(error));
            status = 1;
            // What could be opened has a line all the same.
            if error.kind() != io::ErrorKind::IsADirectory {
                continue;
            }
        }
        let counts = counter.counts;
        print(&mut out, counts, wanted, width, name);
        total.lines += counts.lines;
        total.words += counts.words;
        total.chars += counts.chars;
        total.bytes += counts.bytes;
        total.longest = total.longest.max(counts.longest);
    }
    if operands.len() > 1 {
        print(&mut out, total, wanted, width, b"total");
    }
    if let Err(error) = out.finish() {
        complain(tool, format!("write error: {}", system::io_message(&error)));
        return 1;
    }
    status
}

/// The names in a list that ends each with a NUL, and whether one of them was wrong. Fails with the
/// status.
fn names(tool: &str, list: &[u8]) -> Result<(Vec<Vec<u8>>, bool), i32> {
    let mut text = Vec::new();
    let read = match list {
        b"-" => io::stdin().lock().read_to_end(&mut text).map(|_| ()),
        _ => std::fs::read(path(list)).map(|content| text = content),
    };
    if let Err(error) = read {
        let why = system::io_message(&error);
        complain(
            tool,
            [
                b"cannot open ",
                &quoted(list)[..],
                b" for reading: ",
                why.as_bytes(),
            ]
            .concat(),
        );
        return Err(1);
    }
    let mut names = Vec::new();
    let mut failed = false;
    let text = text.strip_suffix(b"\0").unwrap_or(&text);
    for (place, name) in text.split(|byte| *byte == 0).enumerate() {
        if text.is_empty() {
            break;
        }
        let wrong: Option<&[u8]> = match name {
            b"" => Some(b"invalid zero-length file name"),
            b"-" if list == b"-" => {
                complain(
                    tool,
                    "when reading file names from stdin, no file name of '-' allowed",
                );
                failed = true;
                continue;
            }
            _ => None,
        };
        match wrong {
            Some(why) => {
                let at = format!(":{}: ", place + 1);
                complain(
                    tool,
                    [&quoted_if_needed(list)[..], at.as_bytes(), why].concat(),
                );
                failed = true;
            }
            None => names.push(name.to_vec()),
        }
    }
    Ok((names, failed))
}

/// How wide numbers are: as wide as the size of all files.
fn number_width(names: &[Vec<u8>], wanted: Wanted) -> usize {
    if wanted.count() == 1 && names.len() == 1 {
        return 1;
    }
    let (mut least, mut size) = (1, 0);
    for name in names {
        let metadata = match &name[..] {
            b"" | b"-" => stdin_size(),
            name => std::fs::metadata(path(name))
                .ok()
                .map(|metadata| metadata.is_file().then_some(metadata.len())),
        };
        match metadata {
            Some(Some(length)) => size += length,
            Some(None) => least = WIDTH,
            None => {}
        }
    }
    size.to_string().len().max(least)
}

/// The size of standard input if it is a regular file; nothing at all if it is closed.
fn stdin_size() -> Option<Option<u64>> {
    let stat = rustix::fs::fstat(io::stdin()).ok()?;
    let is_file = rustix::fs::FileType::from_raw_mode(stat.st_mode).is_file();
    Some(is_file.then(|| u64::try_from(stat.st_size).unwrap_or(0)))
}

fn print(out: &mut Output, counts: Counts, wanted: Wanted, width: usize, name: &[u8]) {
    let mut first = true;
    for (wanted, count) in [
        (wanted.lines, counts.lines),
        (wanted.words, counts.words),
        (wanted.chars, counts.chars),
        (wanted.bytes, counts.bytes),
        (wanted.longest, counts.longest),
    ] {
        if wanted {
            let space = if first { "" } else { " " };
            out.put(format!("{space}{count:width$}").as_bytes());
            first = false;
        }
    }
    if !name.is_empty() {
        out.put_byte(b' ');
        if name.contains(&b'\n') {
            out.put(&quoted_if_needed(name));
        } else {
            out.put(name);
        }
    }
    out.put_byte(b'\n');
}

/// What a byte below 128 is to a count of words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// It is part of a word.
    Word,
    /// It ends one.
    Space,
    /// It does neither.
    Nothing,
}

const CLASSES: [Class; 128] = {
    let mut classes = [Class::Nothing; 128];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'\t'..=b'\r' | b' ' => Class::Space,
            b'!'..=b'~' => Class::Word,
            _ => Class::Nothing,
        };
        byte += 1;
    }
    classes
};

/// Counts one file.
struct Counter {
    wanted: Wanted,
    counts: Counts,
    in_word: bool,
    /// The column of the line that is read.
    column: u64,
}

impl Counter {
    fn new(wanted: Wanted) -> Counter {
        Counter {
            wanted,
            counts: Counts::default(),
            in_word: false,
            column: 0,
        }
    }

    fn file(&mut self, name: &[u8]) -> io::Result<()> {
        if name.is_empty() || name == b"-" {
            return self.read(&mut io::stdin().lock());
        }
        let mut file = std::fs::File::open(path(name))?;
        if self.wanted.bytes && self.wanted.count() == 1 {
            let metadata = file.metadata()?;
            // Files that are made when they are read say 0.
            if metadata.is_file() && metadata.len() > 0 {
                self.counts.bytes = metadata.len();
                return Ok(());
            }
        }
        self.read(&mut file)
    }

    fn read(&mut self, file: &mut dyn io::Read) -> io::Result<()> {
        let mut buffer = vec![0; BLOCK];
        // The beginning of a character that the last block ended with.
        let mut held = 0;
        loop {
            let count = match file.read(&mut buffer[held..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                result => result?,
            };
            self.counts.bytes += count as u64;
            let filled = held + count;
            let end = if count == 0 {
                filled
            } else {
                filled - cut_off(&buffer[..filled])
            };
            self.block(&buffer[..end]);
            buffer.copy_within(end..filled, 0);
            held = filled - end;
            if count == 0 {
                break;
            }
        }
        self.counts.words += u64::from(self.in_word);
        self.counts.longest = self.counts.longest.max(self.column);
        Ok(())
    }

    fn block(&mut self, text: &[u8]) {
        if self.wanted.lines {
            self.counts.lines += memchr::memchr_iter(b'\n', text).count() as u64;
        }
        if self.wanted.words || self.wanted.longest {
            for chunk in text.utf8_chunks() {
                self.text(chunk.valid());
            }
        }
        if self.wanted.chars {
            self.counts.chars += match std::str::from_utf8(text) {
                Ok(text) => characters(text),
                Err(_) => text
                    .utf8_chunks()
                    .map(|chunk| characters(chunk.valid()))
                    .sum(),
            };
        }
    }

    fn text(&mut self, text: &str) {
        if !self.wanted.longest && text.is_ascii() {
            for byte in text.bytes() {
                match CLASSES[usize::from(byte)] {
                    Class::Word => self.in_word = true,
                    Class::Space => {
                        self.counts.words += u64::from(self.in_word);
                        self.in_word = false;
                    }
                    Class::Nothing => {}
                }
            }
            return;
        }
        for letter in text.chars() {
            self.letter(letter);
        }
    }

    fn letter(&mut self, letter: char) {
        match letter {
            '\n' | '\r' | '\u{c}' => {
                self.counts.longest = self.counts.longest.max(self.column);
                self.column = 0;
            }
            '\t' => self.column = (self.column | 7) + 1,
            _ => self.column += letter.width().unwrap_or(0) as u64,
        }
        let class = match u32::from(letter) {
            code @ 0..128 => CLASSES[code as usize],
            _ if letter.is_whitespace() || matches!(letter, '\u{2060}') => Class::Space,
            _ if letter.is_control() => Class::Nothing,
            _ => Class::Word,
        };
        match class {
            Class::Word => self.in_word = true,
            Class::Space => {
                self.counts.words += u64::from(self.in_word);
                self.in_word = false;
            }
            Class::Nothing => {}
        }
    }
}

/// How many bytes at the end begin a character that is not whole.
fn cut_off(text: &[u8]) -> usize {
    match std::str::from_utf8(&text[text.len() - text.len().min(3)..]) {
        Err(error) if error.error_len().is_none() => text.len().min(3) - error.valid_up_to(),
        _ => {
            // The three bytes may begin within a character.
            let last = text.iter().rev().take(3).position(|byte| *byte >= 0xc0);
            match last {
                Some(place) if width_of(text[text.len() - 1 - place]) > place + 1 => place + 1,
                _ => 0,
            }
        }
    }
}

/// How many bytes a character has that begins with a byte.
fn width_of(byte: u8) -> usize {
    match byte {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    }
}

fn characters(text: &str) -> u64 {
    text.bytes().filter(|byte| byte & 0xc0 != 0x80).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(text: &[u8]) -> Counts {
        let wanted = Wanted {
            lines: true,
            words: true,
            chars: true,
            bytes: true,
            longest: true,
        };
        let mut counter = Counter::new(wanted);
        counter.read(&mut &text[..]).unwrap();
        counter.counts
    }

    #[test]
    fn bytes_that_are_no_text_are_neither_words_nor_characters() {
        let counts = counted(b"one\0two\n\0\0\n\xff \xfe\n");
        assert_eq!(
            (counts.lines, counts.words, counts.chars, counts.bytes),
            (3, 1, 13, 15)
        );
    }

    #[test]
    fn a_character_may_stand_across_blocks() {
        for before in 0..5 {
            let mut text = vec![b'x'; BLOCK - before];
            text.extend_from_slice("é日😀\n".as_bytes());
            let counts = counted(&text);
            assert_eq!(counts.chars, (BLOCK - before) as u64 + 4);
            assert_eq!(counts.words, 1);
        }
    }
}
