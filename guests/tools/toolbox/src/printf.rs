//! `printf`: prints its arguments by a format. Numbers with a fraction are the `long double`s of
//! GNU's on x86-64.

mod directive;
mod number;

use codepod_tool::{
    Arguments, Opt, Output, Stop, Style, Usage, Value, complain, long, quoted_text,
};

use crate::arguments::{help, version};
use crate::escape;
use crate::output::finish;
use directive::{Size, Spec};

const TABLE: &[Opt<()>] = &[
    long((), "help", Value::None),
    long((), "version", Value::None),
];

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let operands = match &arguments[..] {
        [word] if word == b"--help" => {
            let about = "Print ARGUMENT(s) according to FORMAT.";
            return help(tool, "FORMAT [ARGUMENT]...", about, TABLE);
        }
        [word] if word == b"--version" => return version(tool),
        [word, rest @ ..] if word == b"--" => rest,
        all => all,
    };
    let Some((format, rest)) = operands.split_first() else {
        return Usage::new("missing operand").report(tool, 1);
    };
    let mut printf = Printf {
        tool,
        rest,
        out: Output::new(),
        status: 0,
        unprintable: false,
    };
    let status = match printf.all(format) {
        Ok(()) => printf.status,
        Err(stop) => {
            printf.out.write_out();
            stop.report(tool, 1)
        }
    };
    let status = finish(tool, &mut printf.out, status, 1);
    if printf.unprintable {
        complain(tool, "write error");
        return 1;
    }
    status
}

struct Printf<'a> {
    tool: &'a str,
    /// The arguments that were not printed yet.
    rest: &'a [Vec<u8>],
    out: Output,
    status: i32,
    /// A directive asked for more than C can print.
    unprintable: bool,
}

impl<'a> Printf<'a> {
    /// The format again and again, until no argument is left.
    fn all(&mut self, format: &[u8]) -> Result<(), Stop> {
        loop {
            let left = self.rest.len();
            self.once(format)?;
            if self.rest.is_empty() || self.out.is_broken() {
                return Ok(());
            }
            if self.rest.len() == left {
                let start = "warning: ignoring excess arguments, starting with ";
                let message = [start.as_bytes(), &quoted_text(&self.rest[0])].concat();
                self.complain(message);
                return Ok(());
            }
        }
    }

    fn once(&mut self, format: &[u8]) -> Result<(), Stop> {
        let mut rest = format;
        while let Some(at) = memchr::memchr2(b'%', b'\\', rest) {
            self.out.put(&rest[..at]);
            rest = &rest[at..];
            let taken = match rest {
                [b'\\', text @ ..] => 1 + self.escape(text, false)?,
                [b'%', b'%', ..] => {
                    self.out.put_byte(b'%');
                    2
                }
                _ => self.directive(rest)?,
            };
            rest = &rest[taken..];
        }
        self.out.put(rest);
        Ok(())
    }

    /// Prints what the text behind a backslash stands for, and returns how much of it that is. In
    /// an argument of `%b` octal numbers may start with another 0.
    fn escape(&mut self, text: &[u8], in_argument: bool) -> Result<usize, Stop> {
        let missing = || Stop::failed("missing hexadecimal number in escape");
        let (byte, taken) = match text {
            [b'x', digits @ ..] => match escape::number(digits, 16, 2) {
                (_, 0) => return Err(missing()),
                (value, count) => (value as u8, count + 1),
            },
            [b'0', digits @ ..] if in_argument => {
                let (value, count) = escape::number(digits, 8, 3);
                (value as u8, count + 1)
            }
            [b'0'..=b'7', ..] => {
                let (value, count) = escape::number(text, 8, 3);
                (value as u8, count)
            }
            // It ends all output, and well, whatever was wrong before.
            [b'c', ..] => return Err(Stop::Status(0)),
            [b'"', ..] => (b'"', 1),
            [letter @ (b'u' | b'U'), digits @ ..] => {
                let wanted = if *letter == b'u' { 4 } else { 8 };
                let (code, count) = escape::number(digits, 16, wanted);
                if count < wanted {
                    return Err(missing());
                }
                self.character(*letter, code, wanted)?;
                return Ok(1 + wanted);
            }
            [first, ..] => match escape::letter(*first) {
                Some(byte) => (byte, 1),
                None => (b'\\', 0),
            },
            [] => (b'\\', 0),
        };
        self.out.put_byte(byte);
        Ok(taken)
    }

    /// Prints the character of `\u` or `\U`.
    fn character(&mut self, letter: u8, code: u32, width: usize) -> Result<(), Stop> {
        // C leaves the plain characters to be written as themselves.
        let is_plain = code < 0xa0 && !matches!(code, 0x24 | 0x40 | 0x60);
        if is_plain || (0xd800..=0xdfff).contains(&code) {
            let letter = char::from(letter);
            let message = format!("invalid universal character name \\{letter}{code:0width$x}");
            return Err(Stop::failed(message));
        }
        let text = match char::from_u32(code) {
            Some(character) => character.to_string(),
            None => format!("\\U{code:08X}"),
        };
        self.out.put(text.as_bytes());
        Ok(())
    }

    /// Prints the directive at the start of `format`, and returns how long it is.
    fn directive(&mut self, format: &[u8]) -> Result<usize, Stop> {
        match format {
            [b'%', b's', ..] => {
                let text = self.next();
                self.out.put(text);
                return Ok(2);
            }
            [b'%', b'b', ..] => {
                let text = self.next();
                self.escaped(text)?;
                return Ok(2);
            }
            [b'%', b'q', ..] => {
                // A missing argument is not even an empty one.
                if !self.rest.is_empty() {
                    let quoted = Style::ShellEscape.quote(self.next());
                    self.out.put(&quoted);
                }
                return Ok(2);
            }
            _ => {}
        }
        let mut spec = Spec::parse(format);
        self.sizes(&mut spec)?;
        if !spec.is_known {
            let shown = &format[..spec.length];
            let message = [shown, b": invalid conversion specification"].concat();
            return Err(Stop::failed(message));
        }
        let text = self.convert(&spec);
        self.out.put(&text);
        Ok(spec.length)
    }

    /// Takes the width and the precision from the arguments where they are a `*`.
    fn sizes(&mut self, spec: &mut Spec) -> Result<(), Stop> {
        if let Size::Argument = spec.width {
            let width = self.size("field width", i64::from(i32::MIN))?;
            spec.directive.left |= width < 0;
            spec.width = Size::Number(width.unsigned_abs());
        }
        if let Some(Size::Argument) = spec.precision {
            let precision = self.size("precision", i64::MIN)?;
            // One below zero counts as none.
            spec.precision = u64::try_from(precision).ok().map(Size::Number);
        }
        Ok(())
    }

    fn size(&mut self, what: &str, least: i64) -> Result<i64, Stop> {
        let text = self.rest.first().map_or(&b""[..], |text| text);
        let value = self.integer();
        if (least..=i64::from(i32::MAX)).contains(&value) {
            return Ok(value);
        }
        let start = format!("invalid {what}: ");
        Err(Stop::failed(
            [start.as_bytes(), &quoted_text(text)].concat(),
        ))
    }

    /// The next argument in the directive's form.
    fn convert(&mut self, spec: &Spec) -> Vec<u8> {
        let mut out = Vec::new();
        let directive = spec.sized();
        let shown = directive.unwrap_or_default();
        match spec.letter {
            b's' => shown.pad_cut(self.next(), &mut out),
            b'c' => {
                let first = self.next().first();
                shown.pad(&[first.copied().unwrap_or(0)], &mut out);
            }
            b'd' | b'i' => {
                let value = self.integer();
                shown.integer(b'd', value < 0, value.unsigned_abs(), &mut out);
            }
            letter @ (b'u' | b'o' | b'x' | b'X') => {
                let value = self.unsigned();
                shown.integer(letter, false, value, &mut out);
            }
            letter => {
                let value = self.float();
                codepod_long_double::write(&shown, letter, value, &mut out);
            }
        }
        if directive.is_none() {
            self.unprintable = true;
            out.clear();
        }
        out
    }

    /// Prints an argument of `%b`.
    fn escaped(&mut self, text: &[u8]) -> Result<(), Stop> {
        let mut rest = text;
        while let Some(at) = memchr::memchr(b'\\', rest) {
            self.out.put(&rest[..at]);
            let text = &rest[at + 1..];
            let taken = self.escape(text, true)?;
            rest = &text[taken..];
        }
        self.out.put(rest);
        Ok(())
    }

    /// The next argument; nothing where none is left.
    fn next(&mut self) -> &'a [u8] {
        let Some((first, rest)) = self.rest.split_first() else {
            return b"";
        };
        self.rest = rest;
        first
    }

    /// Writes a message, behind what was printed before it.
    fn complain(&mut self, message: impl AsRef<[u8]>) {
        self.out.write_out();
        complain(self.tool, message);
    }
}
