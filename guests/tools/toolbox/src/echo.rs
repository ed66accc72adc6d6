//! `echo`: prints its arguments.

use codepod_tool::{Arguments, Opt, Output, Value, flag, long};

use crate::arguments::{help, version};
use crate::escape;
use crate::output::finish;

const TABLE: &[Opt<()>] = &[
    flag((), b'n', ""),
    flag((), b'e', ""),
    flag((), b'E', ""),
    long((), "help", Value::None),
    long((), "version", Value::None),
];

/// What the options ask for.
struct Settings {
    newline: bool,
    escapes: bool,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let posix = std::env::var_os("POSIXLY_CORRECT").is_some();
    // POSIX knows no options. GNU's takes them even then, where the first one is `-n`.
    let has_options = !posix || arguments.first().is_some_and(|first| first == b"-n");
    match &arguments[..] {
        [word] if has_options && word == b"--help" => {
            let usage = "[SHORT-OPTION]... [STRING]...";
            return help(tool, usage, "Echo the STRING(s) to standard output.", TABLE);
        }
        [word] if has_options && word == b"--version" => return version(tool),
        _ => {}
    }
    let mut settings = Settings {
        newline: true,
        escapes: posix,
    };
    let words = if has_options {
        settings.take(&arguments)
    } else {
        &arguments
    };
    let mut out = Output::new();
    print(words, &settings, &mut out);
    finish(tool, &mut out, 0, 1)
}

impl Settings {
    /// Reads the options at the beginning, and returns the words behind them.
    fn take<'a>(&mut self, mut words: &'a [Vec<u8>]) -> &'a [Vec<u8>] {
        while let [word, rest @ ..] = words {
            let [b'-', letters @ ..] = &word[..] else {
                break;
            };
            // One letter that is none of them makes all of it a word.
            if letters.is_empty() || !letters.iter().all(|letter| b"neE".contains(letter)) {
                break;
            }
            for letter in letters {
                match letter {
                    b'n' => self.newline = false,
                    letter => self.escapes = *letter == b'e',
                }
            }
            words = rest;
        }
        words
    }
}

fn print(words: &[Vec<u8>], settings: &Settings, out: &mut Output) {
    for (place, word) in words.iter().enumerate() {
        if place > 0 {
            out.put_byte(b' ');
        }
        if !settings.escapes {
            out.put(word);
        } else if !print_escaped(word, out) {
            return;
        }
    }
    if settings.newline {
        out.put_byte(b'\n');
    }
}

/// Prints a word with its escapes; false where `\c` ends all output.
fn print_escaped(word: &[u8], out: &mut Output) -> bool {
    let mut rest = word;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.put(&rest[..at]);
        let text = &rest[at + 1..];
        let first = text.first().copied();
        let taken = match first {
            Some(b'c') => return false,
            Some(b'x') => match escape::number(&text[1..], 16, 2) {
                (_, 0) => None,
                (value, count) => Some((value as u8, count + 1)),
            },
            Some(b'0') => {
                let (value, count) = escape::number(&text[1..], 8, 3);
                Some((value as u8, count + 1))
            }
            Some(b'1'..=b'7') => {
                let (value, count) = escape::number(text, 8, 3);
                Some((value as u8, count))
            }
            letter => letter.and_then(escape::letter).map(|byte| (byte, 1)),
        };
        let (byte, taken) = taken.unwrap_or((b'\\', 0));
        out.put_byte(byte);
        rest = &text[taken..];
    }
    out.put(rest);
    true
}
