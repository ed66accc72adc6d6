//! Lines: the numbers in their fields are converted.

use codepod_tool::{Output, complain, quoted_text};

use super::fields::Fields;
use super::long_double::LongDouble;
use super::number::{Failed, Number, Print, Scale, is_blank};

/// What happens where something is no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Invalid {
    Abort,
    Fail,
    Warn,
    Ignore,
}

/// The exit status where something is no number.
const STATUS: i32 = 2;

/// Converts lines.
pub(super) struct Lines<'a> {
    pub(super) tool: &'a str,
    pub(super) out: Output,
    pub(super) debug: bool,
    /// What stands between fields; blanks for none.
    pub(super) delimiter: Option<u8>,
    pub(super) fields: Fields,
    /// What stands around numbers.
    pub(super) before: Vec<u8>,
    pub(super) after: Vec<u8>,
    pub(super) from: Scale,
    pub(super) from_unit: u64,
    pub(super) to_unit: u64,
    pub(super) print: Print,
    /// The width; numbers stand left where it is negative, and are as wide as before where it is 0.
    pub(super) padding: i64,
    /// What is added to numbers, and may stand behind those of the input.
    pub(super) suffix: Vec<u8>,
    pub(super) invalid: Invalid,
    /// How many numbers were none.
    pub(super) failures: u64,
}

impl Lines<'_> {
    /// The exit status.
    pub(super) fn status(&self) -> i32 {
        match self.invalid {
            Invalid::Fail if self.failures > 0 => STATUS,
            _ => 0,
        }
    }

    /// Whether some number was none.
    pub(super) fn has_failed(&self) -> bool {
        self.failures > 0
    }

    /// Prints a line with its numbers converted, and what ends it. Fails with the exit status.
    pub(super) fn convert(&mut self, line: &[u8], end: Option<u8>) -> Result<(), i32> {
        // A line ends where a string of C does.
        let length = memchr::memchr(0, line).unwrap_or(line.len());
        let mut rest = &line[..length];
        let mut field = 1;
        loop {
            let end = self.field_end(rest);
            let (text, behind) = rest.split_at(end);
            if self.fields.contains(field) {
                self.field(text, field)?;
            } else {
                self.out.put(text);
            }
            let [_, behind @ ..] = behind else { break };
            self.out.put_byte(self.delimiter.unwrap_or(b' '));
            rest = behind;
            field += 1;
        }
        end.into_iter().for_each(|end| self.out.put_byte(end));
        Ok(())
    }

    /// Where the first field ends. Blanks before a field belong to it.
    fn field_end(&self, text: &[u8]) -> usize {
        let is_end = |byte: &u8| is_blank(*byte) || *byte == b'\n';
        match self.delimiter {
            Some(0) => text.len(),
            Some(delimiter) => memchr::memchr(delimiter, text).unwrap_or(text.len()),
            None => {
                let start = text.iter().take_while(|byte| is_end(byte)).count();
                let field = text[start..].iter().position(is_end);
                field.map_or(text.len(), |length| start + length)
            }
        }
    }

    fn field(&mut self, text: &[u8], field: u64) -> Result<(), i32> {
        let text = match text.strip_suffix(&self.suffix[..]) {
            Some(rest) if !rest.is_empty() => rest,
            _ => text,
        };
        let blanks = text
            .iter()
            .take_while(|byte| is_blank(**byte) || **byte == b'\n')
            .count();
        let width = match self.padding {
            0 if self.delimiter.is_none() && (blanks > 0 || field > 1) => text.len() as i64,
            padding => padding,
        };
        match self.number(&text[blanks..]) {
            Ok(number) => {
                self.put(&number, width);
                Ok(())
            }
            Err(Failed::Always(message)) => {
                self.complain(message);
                Err(1)
            }
            Err(Failed::Number(message)) => {
                self.failures += 1;
                if self.invalid != Invalid::Ignore {
                    self.complain(message);
                }
                if self.invalid == Invalid::Abort {
                    return Err(STATUS);
                }
                self.out.put(text);
                Ok(())
            }
        }
    }

    /// Says something behind what was printed.
    fn complain(&mut self, message: Vec<u8>) {
        self.out.write_out();
        complain(self.tool, message);
    }

    /// A number as it is printed.
    fn number(&mut self, text: &[u8]) -> Result<String, Failed> {
        let number = Number::parse(text, self.from).map_err(Failed::Number)?;
        if number.is_long && self.debug {
            let what = b"large input value ";
            let why = b": possible precision loss";
            self.complain([&what[..], &quoted_text(text), why].concat());
        }
        let mut value = number.value;
        if self.from_unit != 1 || self.to_unit != 1 {
            value = value
                .times(LongDouble::from(self.from_unit))
                .over(LongDouble::from(self.to_unit));
        }
        self.print.text(value, number.precision)
    }

    fn put(&mut self, number: &str, width: i64) {
        let length = number.len() + self.suffix.len();
        let wide = usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX);
        let blanks = vec![b' '; wide.saturating_sub(length)];
        self.out.put(&self.before);
        if width > 0 {
            self.out.put(&blanks);
        }
        self.out.put(number.as_bytes());
        self.out.put(&self.suffix);
        if width < 0 {
            self.out.put(&blanks);
        }
        self.out.put(&self.after);
    }
}
