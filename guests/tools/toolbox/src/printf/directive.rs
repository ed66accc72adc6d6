//! A directive of `printf`, read from its format.

use codepod_long_double::Directive;

/// A directive that is larger is printed only if there is memory for it.
const LARGE: usize = 1 << 16;
/// More than all digits of the largest number, and of the smallest one.
const ROOM: usize = 1 << 15;

/// A width or a precision.
#[derive(Clone, Copy)]
pub(super) enum Size {
    Number(u64),
    /// `*`: the next argument has it.
    Argument,
}

/// A directive.
pub(super) struct Spec {
    /// Its flags.
    pub(super) directive: Directive,
    pub(super) width: Size,
    pub(super) precision: Option<Size>,
    /// What is printed: `d`, `s` and so on.
    pub(super) letter: u8,
    /// How many bytes of the format it takes.
    pub(super) length: usize,
    /// Whether there is such a letter, and it goes with the flags and the precision.
    pub(super) is_known: bool,
}

impl Spec {
    /// What looks like a directive at the start of `format`.
    pub(super) fn parse(format: &[u8]) -> Spec {
        let mut directive = Directive::default();
        let mut refused: Vec<u8> = Vec::new();
        let mut at = 1;
        while let Some(&flag) = format.get(at) {
            match flag {
                b'-' => directive.left = true,
                b'+' => directive.plus = true,
                b' ' => directive.space = true,
                b'#' => {
                    directive.alternate = true;
                    refused.extend_from_slice(b"cdisu");
                }
                b'0' => {
                    directive.zero = true;
                    refused.extend_from_slice(b"cs");
                }
                // Groups and digits of the locale, of which this one has none.
                b'\'' | b'I' => refused.extend_from_slice(b"aAceEosxX"),
                _ => break,
            }
            at += 1;
        }
        let width = size(format, &mut at);
        let mut precision = None;
        if format.get(at) == Some(&b'.') {
            at += 1;
            refused.push(b'c');
            precision = Some(size(format, &mut at));
        }
        while format.get(at).is_some_and(|byte| b"hjLltz".contains(byte)) {
            at += 1;
        }
        let letter = format.get(at).copied().unwrap_or(0);
        Spec {
            directive,
            width,
            precision,
            letter,
            length: format.len().min(at + 1),
            is_known: b"diouxXaAeEfFgGcs".contains(&letter) && !refused.contains(&letter),
        }
    }

    /// The directive with its width and precision. None where C could not print it, or the memory
    /// would not hold it.
    pub(super) fn sized(&self) -> Option<Directive> {
        let number = |size| match size {
            Size::Number(number) => i32::try_from(number).ok().map(|number| number as usize),
            Size::Argument => Some(0),
        };
        let width = number(self.width)?;
        let precision = self.precision.map(number);
        let precision = match precision {
            Some(precision) => Some(precision?),
            None => None,
        };
        let room = width.max(precision.unwrap_or(0));
        // Zeros of a precision are collected before they are padded.
        let all = room.saturating_mul(3).saturating_add(ROOM);
        if room > LARGE && Vec::<u8>::new().try_reserve(all).is_err() {
            return None;
        }
        Some(Directive {
            width,
            precision,
            ..self.directive
        })
    }
}

/// The width or precision at a place; 0 where there is none.
fn size(format: &[u8], at: &mut usize) -> Size {
    if format.get(*at) == Some(&b'*') {
        *at += 1;
        return Size::Argument;
    }
    let mut value = 0u64;
    while let Some(digit) = format.get(*at).filter(|byte| byte.is_ascii_digit()) {
        value = value
            .saturating_mul(10)
            .saturating_add(u64::from(digit - b'0'));
        *at += 1;
    }
    Size::Number(value)
}
