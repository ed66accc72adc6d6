//! Three ways to print a sequence.
//!
//! Whole numbers of any length are counted digit by digit. Decimal numbers whose digits all fit
//! into a `long double` are counted as integers, since rounding then changes no digit. All others,
//! and those with a format, are computed as GNU's does it: FIRST + I * STEP, rounded each time.

use std::cmp::Ordering;

use codepod_long_double::{Extended, Kind};
use codepod_tool::{Output, Stop};

use super::Settings;
use super::format::Format;

/// The largest step that GNU's counts digit by digit.
const LARGEST_STEP: u64 = 200;

/// Prints the numbers with separators between them, and a newline at the end. Fails where one
/// would be too long.
pub(super) fn print(settings: &Settings, out: &mut Output) -> Result<(), Stop> {
    if let Some(precision) = precision(settings).filter(|_| settings.format.is_none()) {
        Format::fixed(precision, width(settings, precision)).check()?;
    }
    let mut line = Line {
        separator: &settings.separator,
        any: false,
        out,
    };
    if let Some(decimal) = Decimal::new(settings) {
        decimal.print(&mut line);
    } else if let Some(mut digits) = Digits::new(settings) {
        digits.print(&mut line);
    } else {
        rounded(settings, &mut line);
    }
    if line.any {
        line.out.put_byte(b'\n');
    }
    Ok(())
}

/// The output, with separators between its numbers.
struct Line<'a> {
    separator: &'a [u8],
    any: bool,
    out: &'a mut Output,
}

impl Line<'_> {
    #[inline]
    fn put(&mut self, number: &[u8]) {
        if self.any {
            self.out.put(self.separator);
        }
        self.any = true;
        self.out.put(number);
    }
}

/// How many digits behind the point all numbers have.
fn precision(settings: &Settings) -> Option<usize> {
    Some(settings.first.precision?.max(settings.step.precision?))
}

/// The width that `-w` gives all numbers; 0 without it.
fn width(settings: &Settings, precision: usize) -> usize {
    if !settings.equal_width {
        return 0;
    }
    let point = usize::from(precision > 0);
    let whole = settings.first.whole.max(settings.last.whole);
    whole.saturating_add(precision).saturating_add(point)
}

/// A sequence of decimal numbers, each times a power of ten.
struct Decimal<'a> {
    first: i64,
    step: i64,
    /// How many numbers follow the first; none where not even the first is to be printed.
    more: Option<i64>,
    precision: usize,
    width: usize,
    settings: &'a Settings,
}

impl Decimal<'_> {
    fn new(settings: &Settings) -> Option<Decimal<'_>> {
        let precision = precision(settings)?;
        let finer = settings.last.precision?.max(precision);
        let minus_zero = settings.first.value.is_zero() && settings.first.value.negative;
        if settings.format.is_some() || minus_zero {
            return None;
        }
        let first = settings.first.scaled(finer)?;
        let step = settings.step.scaled(finer).filter(|step| *step != 0)?;
        let last = settings.last.scaled(finer)?;
        let in_range = if step < 0 {
            first >= last
        } else {
            first <= last
        };
        let unit = 10i64.pow((finer - precision) as u32);
        Some(Decimal {
            first: first / unit,
            step: step / unit,
            more: in_range.then(|| (last - first) / step),
            precision,
            width: width(settings, precision),
            settings,
        })
    }

    fn print(&self, line: &mut Line<'_>) {
        let Some(more) = self.more else { return };
        let mut text = Text::default();
        for place in 0..=more {
            if line.out.is_broken() {
                return;
            }
            let value = self.first + place * self.step;
            if value == 0 && self.precision > 0 {
                line.put(&self.zero(place));
            } else {
                line.put(text.write(value, self.precision, self.width));
            }
        }
    }

    /// A zero with a fraction: rounding may have left it a little below zero, with a sign.
    fn zero(&self, place: i64) -> Vec<u8> {
        let value = nth(self.settings, place.unsigned_abs());
        Format::fixed(self.precision, self.width).number(value)
    }
}

/// A buffer for one number: no more than 20 digits, and the rest zeros that were asked for.
#[derive(Default)]
struct Text {
    bytes: Vec<u8>,
}

impl Text {
    /// `value` with its last digits behind a point, and zeros up to the width.
    #[inline]
    fn write(&mut self, value: i64, precision: usize, width: usize) -> &[u8] {
        const DIGITS: usize = 20;
        let mut digits = [b'0'; DIGITS];
        let mut at = DIGITS;
        let mut rest = value.unsigned_abs();
        while rest > 0 {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        // At least one digit stands before the point.
        let at = at.min(DIGITS - 1 - precision);
        let point = usize::from(precision > 0);
        let sign = usize::from(value < 0);
        let length = sign + DIGITS - at + point;
        self.bytes.clear();
        if value < 0 {
            self.bytes.push(b'-');
        }
        if length < width {
            self.bytes.resize(sign + width - length, b'0');
        }
        self.bytes
            .extend_from_slice(&digits[at..DIGITS - precision]);
        if precision > 0 {
            self.bytes.push(b'.');
            self.bytes.extend_from_slice(&digits[DIGITS - precision..]);
        }
        &self.bytes
    }
}

/// A sequence of whole numbers of any length.
struct Digits {
    number: Vec<u8>,
    step: u64,
    /// None is without an end.
    last: Option<Vec<u8>>,
}

impl Digits {
    fn new(settings: &Settings) -> Option<Digits> {
        let Settings {
            first, step, last, ..
        } = settings;
        let is_whole = |precision| precision == Some(0);
        let plain = settings.format.is_none()
            && !settings.equal_width
            && settings.separator.len() == 1
            && is_whole(first.precision)
            && is_whole(step.precision)
            && is_whole(last.precision);
        if !plain || first.value.negative || last.value.negative || step.value.negative {
            return None;
        }
        let exact = |number: &super::Number| match &number.digits {
            Some(digits) => digits.clone(),
            None => Format::fixed(0, 0).number(number.value),
        };
        let step: u64 = std::str::from_utf8(&exact(step)).ok()?.parse().ok()?;
        if step > LARGEST_STEP || first.value.kind == Kind::Infinity {
            return None;
        }
        let is_endless = last.value.kind == Kind::Infinity;
        Some(Digits {
            number: without_zeros(exact(first)),
            step,
            last: (!is_endless).then(|| without_zeros(exact(last))),
        })
    }

    fn print(&mut self, line: &mut Line<'_>) {
        let goes_on = |number: &Vec<u8>, last: &Option<Vec<u8>>| {
            let last = last.as_ref();
            last.is_none_or(|last| (number.len(), number) <= (last.len(), last))
        };
        while goes_on(&self.number, &self.last) && !line.out.is_broken() {
            line.put(&self.number);
            self.add();
        }
    }

    /// Adds the step.
    fn add(&mut self) {
        let mut carry = self.step;
        for digit in self.number.iter_mut().rev() {
            let sum = u64::from(*digit - b'0') + carry;
            *digit = b'0' + (sum % 10) as u8;
            carry = sum / 10;
            if carry == 0 {
                return;
            }
        }
        let front = carry.to_string();
        self.number.splice(0..0, front.bytes());
    }
}

fn without_zeros(digits: Vec<u8>) -> Vec<u8> {
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    digits[zeros.min(digits.len().saturating_sub(1))..].to_vec()
}

/// The number at a place, rounded as GNU's.
fn nth(settings: &Settings, place: u64) -> Extended {
    settings.first.value + Extended::from_integer(place) * settings.step.value
}

/// Prints a sequence of rounded numbers.
fn rounded(settings: &Settings, line: &mut Line<'_>) {
    let automatic;
    let format = match &settings.format {
        Some(format) => format,
        None => {
            let known = precision(settings).filter(|_| settings.last.precision.is_some());
            automatic = match known {
                Some(precision) => Format::fixed(precision, width(settings, precision)),
                None => Format::shortest(),
            };
            &automatic
        }
    };
    let last = settings.last.value;
    let is_beyond = |value: Extended| {
        if settings.step.value.is_below_zero() {
            value < last
        } else {
            last < value
        }
    };
    let mut value = settings.first.value;
    if is_beyond(value) {
        return;
    }
    let mut place = 0;
    loop {
        let number = format.number(value);
        line.put(&format.text(&number));
        place += 1;
        value = nth(settings, place);
        if line.out.is_broken() {
            return;
        }
        if is_beyond(value) {
            // Rounding may have moved the last number beyond the end: it still counts if it is
            // printed like the end, and not like the one before it.
            let beyond = format.number(value);
            let read = Extended::read(&beyond);
            let is_last = read.number.partial_cmp(&last) == Some(Ordering::Equal);
            if is_last && read.taken == beyond.len() && beyond != number {
                line.put(&format.text(&beyond));
            }
            return;
        }
    }
}
