//! `factor`: prints the prime factors of numbers of any size.

mod modulus;
mod split;

use std::io::{self, BufRead as _};

use codepod_posix_regex::chars;
use codepod_tool::{
    Arguments, Opt, Options, Output, Stop, Style, Value, complain, long, quoted_text,
};
use num_bigint::BigUint;

use crate::arguments::{help, version};
use crate::output::finish;
use crate::system;
use split::Factors;

#[derive(Clone, Copy)]
enum Key {
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let numbers = Options::new(TABLE, arguments).each(|key, _| -> Result<(), Stop> {
        Err(Stop::Status(match key {
            Key::Help => help(
                tool,
                "[NUMBER]...",
                "Print the prime factors of each specified integer NUMBER.",
                TABLE,
            ),
            Key::Version => version(tool),
        }))
    });
    match numbers {
        Ok(numbers) => run(tool, &numbers),
        Err(stop) => stop.report(tool, 1),
    }
}

fn run(tool: &str, numbers: &[Vec<u8>]) -> i32 {
    chars::set_locale();
    let mut out = Output::new();
    if system::is_terminal(0) || system::is_terminal(1) {
        out = out.by_line();
    }
    let mut factor = Factor {
        tool,
        factors: Factors::new(),
        out,
        status: 0,
    };
    if numbers.is_empty() {
        factor.input();
    }
    for number in numbers {
        factor.print(number);
    }
    finish(tool, &mut factor.out, factor.status, 1)
}

struct Factor<'a> {
    tool: &'a str,
    factors: Factors,
    out: Output,
    status: i32,
}

impl Factor<'_> {
    /// Takes the numbers from standard input. GNU's says nothing where that cannot be read.
    fn input(&mut self) {
        let mut input = io::stdin().lock();
        let mut word = Vec::new();
        while !self.out.is_broken() {
            let block = match input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                result => result.unwrap_or_default(),
            };
            if block.is_empty() {
                break;
            }
            let count = block.len();
            let mut parts = block.split(|byte| matches!(byte, b' ' | b'\t' | b'\n'));
            word.extend_from_slice(parts.next().unwrap_or_default());
            for part in parts {
                self.word(&word);
                word.clear();
                word.extend_from_slice(part);
            }
            input.consume(count);
        }
        self.word(&word);
    }

    /// A word of standard input, which ends for C at a NUL.
    fn word(&mut self, word: &[u8]) {
        if !word.is_empty() {
            let end = memchr::memchr(0, word).unwrap_or(word.len());
            self.print(&word[..end]);
        }
    }

    fn print(&mut self, text: &[u8]) {
        let Some(number) = parse(text) else {
            let shown = if chars::is_bytes() {
                // In the locale C the quotes are apostrophes themselves.
                [b"'", &Style::Escape.quote_also(text, b"'")[..], b"'"].concat()
            } else {
                quoted_text(text)
            };
            complain(
                self.tool,
                [&shown[..], b" is not a valid positive integer"].concat(),
            );
            self.status = 1;
            return;
        };
        let mut line = number.to_string();
        line.push(':');
        for factor in self.factors.of(number) {
            line.push(' ');
            line.push_str(&factor.to_string());
        }
        line.push('\n');
        self.out.put(line.as_bytes());
    }
}

/// Digits, behind spaces and a plus.
fn parse(text: &[u8]) -> Option<BigUint> {
    let spaces = text.iter().take_while(|byte| **byte == b' ').count();
    let text = &text[spaces..];
    let digits = text.strip_prefix(b"+").unwrap_or(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    BigUint::parse_bytes(digits, 10)
}
