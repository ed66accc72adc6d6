//! The format of `seq -f`: a text with one directive for a floating point number.

use codepod_long_double::{Directive, Extended, write};
use codepod_tool::{Stop, quoted_text};

/// C's `int` ends here, and with it every width and precision.
const LARGEST: usize = i32::MAX as usize;
/// Beyond this the memory is asked for first, since there may be less.
const LARGE: usize = 1 << 16;

/// A format.
pub(super) struct Format {
    prefix: Vec<u8>,
    directive: Directive,
    letter: u8,
    suffix: Vec<u8>,
}

impl Format {
    /// A format of so many digits behind the point, and at least so wide.
    pub(super) fn fixed(precision: usize, width: usize) -> Format {
        let directive = Directive {
            zero: true,
            width,
            precision: Some(precision),
            ..Directive::default()
        };
        Format::bare(directive, b'f')
    }

    /// As short as possible.
    pub(super) fn shortest() -> Format {
        Format::bare(Directive::default(), b'g')
    }

    fn bare(directive: Directive, letter: u8) -> Format {
        Format {
            prefix: Vec::new(),
            directive,
            letter,
            suffix: Vec::new(),
        }
    }

    /// Fails with GNU's message where the text has none or another directive.
    pub(super) fn parse(text: &[u8]) -> Result<Format, Stop> {
        let wrong = |why: &[u8]| {
            let message = [b"format ", &quoted_text(text)[..], b" ", why].concat();
            Err(Stop::failed(message))
        };
        let (prefix, mut at) = literal(text, 0);
        if at == text.len() {
            return wrong(b"has no % directive");
        }
        at += 1;
        let mut directive = Directive::default();
        while let Some(byte) = text.get(at).filter(|byte| b"-+#0 '".contains(byte)) {
            match byte {
                b'-' => directive.left = true,
                b'+' => directive.plus = true,
                b'#' => directive.alternate = true,
                b'0' => directive.zero = true,
                b' ' => directive.space = true,
                // Digits have no groups in this locale.
                _ => {}
            }
            at += 1;
        }
        directive.width = number(text, &mut at);
        if text.get(at) == Some(&b'.') {
            at += 1;
            directive.precision = Some(number(text, &mut at));
        }
        if text.get(at) == Some(&b'L') {
            at += 1;
        }
        let Some(&letter) = text.get(at) else {
            return wrong(b"ends in %");
        };
        if !b"efgaEFGA".contains(&letter) {
            return wrong(&[b"has unknown %", &[letter][..], b" directive"].concat());
        }
        let (suffix, end) = literal(text, at + 1);
        if end < text.len() {
            return wrong(b"has too many % directives");
        }
        let format = Format {
            prefix,
            directive,
            letter,
            suffix,
        };
        format.check()?;
        Ok(format)
    }

    /// Fails where C could not print it, or the memory would not hold it.
    pub(super) fn check(&self) -> Result<(), Stop> {
        let Directive {
            width, precision, ..
        } = self.directive;
        let room = width.max(precision.unwrap_or(0));
        if room >= LARGEST {
            let message = "write error: Value too large for defined data type";
            return Err(Stop::failed(message));
        }
        if room > LARGE
            && Vec::<u8>::new()
                .try_reserve(room.saturating_mul(3))
                .is_err()
        {
            return Err(Stop::failed("write error: Cannot allocate memory"));
        }
        Ok(())
    }

    /// The number alone.
    pub(super) fn number(&self, number: Extended) -> Vec<u8> {
        let mut out = Vec::new();
        write(&self.directive, self.letter, number, &mut out);
        out
    }

    /// The text with the number in it.
    pub(super) fn text(&self, number: &[u8]) -> Vec<u8> {
        [&self.prefix, number, &self.suffix].concat()
    }
}

/// The text from `at` up to the next directive, and where that is.
fn literal(text: &[u8], mut at: usize) -> (Vec<u8>, usize) {
    let mut plain = Vec::new();
    while let Some(&byte) = text.get(at) {
        if byte == b'%' {
            if text.get(at + 1) != Some(&b'%') {
                break;
            }
            at += 1;
        }
        plain.push(byte);
        at += 1;
    }
    (plain, at)
}

/// The number of a width or precision, at most [`LARGEST`].
fn number(text: &[u8], at: &mut usize) -> usize {
    let mut value = 0usize;
    while let Some(digit) = text.get(*at).filter(|byte| byte.is_ascii_digit()) {
        let more = value.saturating_mul(10);
        value = more.saturating_add(usize::from(digit - b'0')).min(LARGEST);
        *at += 1;
    }
    value
}
