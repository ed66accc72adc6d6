//! `printf`.
//!
//! Numbers with a fraction are bash's `long double`s of x86-64, digit for digit. Differences: a
//! negative literal precision (`%.-3d`) counts as none, and `%(…)T` knows only well-known time
//! zones, with the rules that they follow now.

mod number;
#[cfg(test)]
mod tests;

use codepod_calendar::{Broken, Zone, strftime};
use codepod_long_double::Directive;
use codepod_shell_syntax::Name;
use codepod_sys::clock;

use super::escape::{self, Dialect, Escape};
use super::{Getopt, is_name, is_target, print, usage};
use crate::assign::{self, Place};
use crate::flow::Run;
use crate::quote;
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::Attributes;

/// C's `INT_MAX`, beyond which a width counts as an error.
const INT_MAX: i64 = i32::MAX as i64;
/// The time format's result must be shorter than this, or it is empty.
const TIME_BUFFER: usize = 128;

/// Runs it.
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let mut target = None;
    let mut options = Getopt::new(arguments, "v:");
    loop {
        match options.next(shell) {
            Ok(Some(option)) => target = Some(option.value),
            Ok(None) => break,
            Err(status) => return Ok(status),
        }
    }
    if let Some(name) = target
        && !is_target(name)
    {
        shell.builtin_error(
            &arguments[0],
            [b"`", name, b"': not a valid identifier"].concat(),
        );
        return Ok(2);
    }
    let Some((format, operands)) = options.operands().split_first() else {
        return Ok(usage(shell, &arguments[0]));
    };
    let mut printf = Printf {
        shell,
        out: Vec::new(),
        rest: operands,
        status: 0,
        direct: target.is_none(),
    };
    printf.all(format)?;
    let Printf {
        mut out, status, ..
    } = printf;
    let Some(target) = target else {
        let written = print(shell, &arguments[0], &out);
        return Ok(status.max(written));
    };
    // A variable cannot hold a NUL.
    if let Some(end) = out.iter().position(|byte| *byte == 0) {
        out.truncate(end);
    }
    let done = assign::set_by_text(shell, target, Text::from(out))?;
    Ok(if done { status } else { 1 })
}

/// What happens after a directive.
enum Next {
    /// On, behind this many bytes of the format.
    At(usize),
    /// `\c` or an error: no more output.
    End,
}

struct Printf<'s, 'a> {
    shell: &'s mut Shell,
    out: Vec<u8>,
    rest: &'a [Text],
    status: i32,
    /// Whether it goes to standard output.
    direct: bool,
}

impl<'a> Printf<'_, 'a> {
    /// The format again and again, until no argument is left.
    fn all(&mut self, format: &[u8]) -> Run {
        loop {
            let left = self.rest.len();
            if !self.once(format)? || self.rest.is_empty() || self.rest.len() == left {
                return Ok(());
            }
        }
    }

    /// The format once; false when the output has ended.
    fn once(&mut self, format: &[u8]) -> Run<bool> {
        let mut at = 0;
        while let Some(&byte) = format.get(at) {
            match byte {
                b'\\' => {
                    at += 1;
                    at += match escape::decode(&format[at..], Dialect::Format, &mut self.out) {
                        Escape::Done(taken) => taken,
                        Escape::End => return Ok(false),
                        Escape::Missing(taken, what, letter) => {
                            self.missing(what, letter);
                            taken
                        }
                    };
                }
                b'%' if format.get(at + 1) == Some(&b'%') => {
                    self.out.push(b'%');
                    at += 2;
                }
                b'%' => match self.directive(&format[at..])? {
                    Next::At(taken) => at += taken,
                    Next::End => return Ok(false),
                },
                _ => {
                    let plain = format[at..]
                        .iter()
                        .position(|byte| matches!(byte, b'%' | b'\\'))
                        .unwrap_or(format.len() - at);
                    self.out.extend_from_slice(&format[at..at + plain]);
                    at += plain;
                }
            }
        }
        Ok(true)
    }

    fn directive(&mut self, format: &[u8]) -> Run<Next> {
        if let [b'%', b's', ..] = format {
            if let Some(text) = self.next() {
                self.out.extend_from_slice(text);
            }
            return Ok(Next::At(2));
        }
        let mut directive = Directive::default();
        let mut at = 1;
        while let Some(&byte) = format.get(at) {
            match byte {
                b'-' => directive.left = true,
                b'+' => directive.plus = true,
                b' ' => directive.space = true,
                b'0' => directive.zero = true,
                b'#' => directive.alternate = true,
                b'\'' => {}
                _ => break,
            }
            at += 1;
        }
        // A width or precision beyond C's `int` makes C print nothing.
        let mut fits = true;
        if format.get(at) == Some(&b'*') {
            at += 1;
            let width = self.int();
            directive.left |= width < 0;
            directive.width = width.unsigned_abs() as usize;
        } else if let Some(width) = literal(format, &mut at) {
            fits &= width < INT_MAX;
            directive.width = width as usize;
        }
        if format.get(at) == Some(&b'.') {
            at += 1;
            if format.get(at) == Some(&b'*') {
                at += 1;
                directive.precision = usize::try_from(self.int()).ok();
            } else {
                let negative = format.get(at) == Some(&b'-');
                at += usize::from(negative);
                let precision = literal(format, &mut at).unwrap_or(0);
                fits &= precision < INT_MAX;
                directive.precision = (!negative).then_some(precision as usize);
            }
        }
        while matches!(
            format.get(at),
            Some(b'h' | b'j' | b'l' | b'L' | b't' | b'z')
        ) {
            at += 1;
        }
        let Some(&letter) = format.get(at) else {
            self.error([b"`", format, b"': missing format character"].concat());
            self.status = 1;
            return Ok(Next::End);
        };
        if letter == b'(' {
            return Ok(self.time(&directive, fits, format, at));
        }
        if !fits {
            directive.width = 0;
            directive.precision = None;
        }
        let room = directive.width.max(directive.precision.unwrap_or(0));
        if room > 1 << 16 && self.out.try_reserve(room.saturating_mul(3)).is_err() {
            self.error(b"Cannot allocate memory");
            self.status = 1;
            return Ok(Next::End);
        }
        let before = self.out.len();
        let next = self.convert(&directive, letter, at + 1)?;
        if !fits {
            self.out.truncate(before);
        }
        Ok(next)
    }

    fn convert(&mut self, directive: &Directive, letter: u8, end: usize) -> Run<Next> {
        match letter {
            b's' => {
                let text = self.next().map_or(&b""[..], |text| text);
                directive.pad_cut(text, &mut self.out);
            }
            b'd' | b'i' => {
                let value = self.integer();
                directive.integer(b'd', value < 0, value.unsigned_abs(), &mut self.out);
            }
            b'u' | b'o' | b'x' | b'X' => {
                let value = self.unsigned();
                directive.integer(letter, false, value, &mut self.out);
            }
            b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => {
                let value = self.float();
                codepod_long_double::write(directive, letter, value, &mut self.out);
            }
            b'c' => {
                let byte = self.next().and_then(|text| text.first().copied());
                directive.pad(&[byte.unwrap_or(0)], &mut self.out);
            }
            b'b' => return Ok(self.escaped(directive, end)),
            b'q' => {
                let text = self.next().map_or(&b""[..], |text| text);
                let quoted = quote::quoted(quote::printf, text);
                directive.pad_cut(&quoted, &mut self.out);
            }
            b'Q' => {
                let text = self.next().map_or(&b""[..], |text| text);
                let length = directive.precision.unwrap_or(text.len()).min(text.len());
                let quoted = quote::quoted(quote::printf, &text[..length]);
                directive.pad(&quoted, &mut self.out);
            }
            b'n' => return self.count(end),
            _ => {
                self.error([&b"`"[..], &[letter], b"': invalid format character"].concat());
                self.status = 1;
                return Ok(Next::End);
            }
        }
        Ok(Next::At(end))
    }

    fn escaped(&mut self, directive: &Directive, end: usize) -> Next {
        let text = self.next().map_or(&b""[..], |text| text);
        let mut decoded = Vec::with_capacity(text.len());
        let mut missing = Vec::new();
        let ended = escape::decode_all(text, Dialect::Argument, &mut decoded, |what, letter| {
            missing.push((what, letter));
        });
        for (what, letter) in missing {
            self.missing(what, letter);
        }
        directive.pad_cut(&decoded, &mut self.out);
        if ended { Next::End } else { Next::At(end) }
    }

    /// `%n`: how much was written so far goes into a variable.
    fn count(&mut self, end: usize) -> Run<Next> {
        if let Some(name) = self.next().filter(|name| !name.is_empty()) {
            if !is_name(name) {
                self.error([b"`", &name[..], b"': not a valid identifier"].concat());
                self.status = 1;
                return Ok(Next::End);
            }
            let count = Text::number(self.out.len() as i64);
            assign::set(self.shell, Name::new(name), Place::Whole, count, false)?;
        }
        Ok(Next::At(end))
    }

    /// `%(…)T`; `at` is where its parenthesis is.
    fn time(&mut self, directive: &Directive, fits: bool, format: &[u8], at: usize) -> Next {
        let mut depth = 0u32;
        let close = format[at..].iter().position(|byte| {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        let close = close.map(|close| at + close);
        let letter = close.and_then(|close| format.get(close + 1)).copied();
        let (Some(close), Some(b'T')) = (close, letter) else {
            let letter = letter.unwrap_or(0);
            let message = [
                &b"warning: `"[..],
                &[letter],
                b"': invalid time format specification",
            ];
            self.error(message.concat());
            // It stands for itself, up to the parenthesis.
            self.out.extend_from_slice(&format[..=at]);
            return Next::At(at + 1);
        };
        let inside = match &format[at + 1..close] {
            b"" => b"%X",
            inside => inside,
        };
        let now = clock::now_real().as_secs() as i64;
        let seconds = match self.rest.is_empty() {
            true => -1,
            false => self.integer(),
        };
        let seconds = match seconds {
            -1 => now,
            // When the shell was started.
            -2 => {
                let running =
                    clock::now_monotonic().as_secs() as i64 - self.shell.state.seconds_base;
                now - running
            }
            seconds => seconds,
        };
        let variable = self.shell.state.variables.get(Name::TZ);
        let zone = match variable.scalar() {
            Some(zone) if variable.attributes.has(Attributes::EXPORT) => Zone::parse(zone),
            _ => Zone::utc(),
        };
        let broken = Broken::new(seconds, &zone).or_else(|| Broken::new(0, &zone));
        let mut text = broken.map_or(Vec::new(), |broken| strftime(inside, &broken));
        if text.len() >= TIME_BUFFER {
            text.clear();
        }
        if fits {
            directive.pad_cut(&text, &mut self.out);
        }
        Next::At(close + 2)
    }

    fn next(&mut self) -> Option<&'a Text> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn error(&mut self, message: impl AsRef<[u8]>) {
        // Lines that are whole come before the message.
        if self.direct
            && let Some(end) = self.out.iter().rposition(|byte| *byte == b'\n')
        {
            let rest = self.out.split_off(end + 1);
            let whole = std::mem::replace(&mut self.out, rest);
            self.status = self.status.max(print(self.shell, b"printf", &whole));
        }
        self.shell.builtin_error(b"printf", message);
    }

    fn missing(&mut self, what: &str, letter: u8) {
        let message = [b"missing ", what.as_bytes(), b" digit for \\", &[letter]];
        self.error(message.concat());
    }
}

/// The digits of a width or precision; what is too large becomes [`INT_MAX`].
fn literal(format: &[u8], at: &mut usize) -> Option<i64> {
    let start = *at;
    let mut value = 0i64;
    while let Some(digit) = format.get(*at).filter(|byte| byte.is_ascii_digit()) {
        value = (value * 10 + i64::from(digit - b'0')).min(INT_MAX);
        *at += 1;
    }
    (*at > start).then_some(value)
}
