//! Patterns: where a piece ends.

use codepod_posix_regex::{Config, Regex, Syntax};
use codepod_tool::{Stop, complain, quoted_text};

use crate::count::{self, Base};

/// Where a piece ends.
pub(super) enum Place {
    /// Before a line, and before every further line of so many.
    Line(u64),
    /// Before a line that matches, or so many lines behind it.
    Match {
        regex: Box<Regex>,
        offset: i64,
        /// Whether the piece is left out.
        skips: bool,
    },
}

/// How often a pattern is used again.
#[derive(Clone, Copy)]
pub(super) enum Repeat {
    Times(u64),
    Always,
}

/// A pattern.
pub(super) struct Pattern {
    /// As the operand has it.
    pub(super) text: Vec<u8>,
    pub(super) place: Place,
    pub(super) repeat: Repeat,
}

/// Reads the patterns among the operands. Warns of numbers that are the same.
pub(super) fn parse(tool: &str, operands: &[Vec<u8>]) -> Result<Vec<Pattern>, Stop> {
    let mut patterns: Vec<Pattern> = Vec::new();
    let mut last = 0;
    let mut operands = operands.iter().peekable();
    while let Some(text) = operands.next() {
        let place = match text.first() {
            Some(b'/') => regex(text, false)?,
            Some(b'%') => regex(text, true)?,
            _ => {
                let number = line_number(text, last)?;
                if number == last {
                    let middle = b" is the same as preceding line number";
                    let number = quoted_text(number.to_string().as_bytes());
                    complain(
                        tool,
                        [b"warning: line number ", &number[..], middle].concat(),
                    );
                }
                last = number;
                Place::Line(number)
            }
        };
        let repeat = match operands.next_if(|next| next.starts_with(b"{")) {
            Some(text) => repeat(text)?,
            None => Repeat::Times(0),
        };
        patterns.push(Pattern {
            text: text.clone(),
            place,
            repeat,
        });
    }
    Ok(patterns)
}

fn failed(shown: &[u8], why: &str) -> Stop {
    Stop::Failed([shown, why.as_bytes()].concat())
}

fn integer(text: &[u8]) -> Option<u64> {
    let bare = text.trim_ascii_start();
    let digits = bare.strip_prefix(b"+").unwrap_or(bare);
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let number = count::number(digits, Base::Decimal).ok()?;
    Some(number).filter(|number| is_number && i64::try_from(*number).is_ok())
}

fn line_number(text: &[u8], last: u64) -> Result<u64, Stop> {
    let Some(number) = integer(text) else {
        return Err(failed(&quoted_text(text), ": invalid pattern"));
    };
    if number == 0 {
        return Err(failed(text, ": line number must be greater than zero"));
    }
    if number < last {
        let shown = quoted_text(number.to_string().as_bytes());
        let why = format!(" is smaller than preceding line number, {last}");
        return Err(failed(&[b"line number ", &shown[..]].concat(), &why));
    }
    Ok(number)
}

fn regex(text: &[u8], skips: bool) -> Result<Place, Stop> {
    let delimiter = text[0];
    let end = text[1..].iter().rposition(|byte| *byte == delimiter);
    let Some(end) = end else {
        let delimiter = char::from(delimiter);
        let why = format!(": closing delimiter '{delimiter}' missing");
        return Err(failed(text, &why));
    };
    let (expression, behind) = (&text[1..=end], &text[end + 2..]);
    let regex = Regex::new(expression, &Config::new(Syntax::GREP)).map_err(|error| {
        let why = format!(": invalid regular expression: {error}");
        failed(&quoted_text(text), &why)
    })?;
    let offset = if behind.is_empty() {
        Some(0)
    } else {
        let number = behind.trim_ascii_start();
        match number.strip_prefix(b"-") {
            Some(digits) if digits.first().is_some_and(u8::is_ascii_digit) => {
                integer(digits).map(|number| -number.cast_signed())
            }
            Some(_) => None,
            None => integer(number).map(u64::cast_signed),
        }
    };
    match offset {
        Some(offset) => Ok(Place::Match {
            regex: Box::new(regex),
            offset,
            skips,
        }),
        None => Err(failed(
            &quoted_text(text),
            ": integer expected after delimiter",
        )),
    }
}

fn repeat(text: &[u8]) -> Result<Repeat, Stop> {
    let Some(inner) = text[1..].strip_suffix(b"}") else {
        let why = ": '}' is required in repeat count";
        return Err(failed(&quoted_text(text), why));
    };
    if inner == b"*" {
        return Ok(Repeat::Always);
    }
    integer(inner).map(Repeat::Times).ok_or_else(|| {
        let shown = quoted_text(&text[..text.len() - 1]);
        failed(&shown, "}: integer required between '{' and '}'")
    })
}
