//! `strftime` in the locale C, with glibc's flags and widths.

use crate::{Broken, MONTHS, WEEKDAYS, iso_week};

/// The most columns a width may ask for; more is cut, so that a short format cannot fill the
/// memory.
const WIDEST: usize = 1 << 16;

/// A moment as `format` says. What is no conversion stands for itself.
pub fn strftime(format: &[u8], time: &Broken) -> Vec<u8> {
    let mut out = Vec::new();
    write(format, time, false, &mut out);
    out
}

/// What stands between `%` and the letter.
#[derive(Clone, Copy, Default)]
struct Flags {
    /// `_`, `-`, `0`: how numbers are padded; 0 is the conversion's own way.
    pad: u8,
    upper: bool,
    /// `#`: the other case.
    swap: bool,
    width: Option<usize>,
}

fn write(format: &[u8], time: &Broken, upper: bool, out: &mut Vec<u8>) {
    let mut rest = format;
    while let Some(at) = rest.iter().position(|byte| *byte == b'%') {
        out.extend_from_slice(&rest[..at]);
        let directive = &rest[at..];
        let (flags, length) = flags(directive, upper);
        let Some(&letter) = directive.get(length) else {
            return text(directive, flags, out);
        };
        let allowed = match directive[length - 1] {
            b'E' => !b"aAbBdDeFgGhHIjklmMSUVwW".contains(&letter),
            b'O' => !b"aAcDFxXY".contains(&letter),
            _ => true,
        };
        if !allowed || !convert(letter, flags, time, out) {
            text(&directive[..=length], flags, out);
        }
        rest = &directive[length + 1..];
    }
    out.extend_from_slice(rest);
}

/// The flags behind `%`, and how long they are with it.
fn flags(directive: &[u8], upper: bool) -> (Flags, usize) {
    let mut flags = Flags {
        upper,
        ..Flags::default()
    };
    let mut at = 1;
    while let Some(&byte) = directive.get(at) {
        match byte {
            b'_' | b'-' | b'0' => flags.pad = byte,
            b'^' => flags.upper = true,
            b'#' => flags.swap = true,
            _ => break,
        }
        at += 1;
    }
    while let Some(digit) = directive.get(at).filter(|byte| byte.is_ascii_digit()) {
        let width = flags.width.unwrap_or(0) * 10 + usize::from(digit - b'0');
        flags.width = Some(width.min(WIDEST));
        at += 1;
    }
    if matches!(directive.get(at), Some(b'E' | b'O')) && directive.len() > at + 1 {
        at += 1;
    }
    (flags, at)
}

/// Appends one conversion; false when the letter is none.
fn convert(letter: u8, flags: Flags, time: &Broken, out: &mut Vec<u8>) -> bool {
    // As in C, where years are `int`.
    let civil = &time.civil;
    let year = i64::from(civil.year as i32);
    let week = || iso_week(year, time.yearday, time.weekday);
    let hour12 = (civil.hour + 11) % 12 + 1;
    let number = |value: i64, digits: usize, out: &mut Vec<u8>| {
        push_number(value, digits, b'0', flags, out);
    };
    match letter {
        b'%' => text(b"%", flags, out),
        b'n' => text(b"\n", flags, out),
        b't' => text(b"\t", flags, out),
        b'a' | b'A' => {
            let name = WEEKDAYS[time.weekday as usize % 7].as_bytes();
            let name = if letter == b'a' { &name[..3] } else { name };
            text(name, swap_up(flags), out);
        }
        b'b' | b'h' | b'B' => {
            let name = MONTHS[(civil.month - 1) as usize % 12].as_bytes();
            let name = if letter == b'B' { name } else { &name[..3] };
            text(name, swap_up(flags), out);
        }
        b'c' => nested(b"%a %b %e %H:%M:%S %Y", flags, time, out),
        b'D' | b'x' => nested(b"%m/%d/%y", flags, time, out),
        b'T' | b'X' => nested(b"%H:%M:%S", flags, time, out),
        b'R' => nested(b"%H:%M", flags, time, out),
        b'r' => nested(b"%I:%M:%S %p", flags, time, out),
        b'F' => {
            let mut date = Vec::new();
            write(b"%Y-%m-%d", time, flags.upper, &mut date);
            text(&date, flags, out);
        }
        b'C' => number(year.div_euclid(100), 1, out),
        b'Y' => number(year, 1, out),
        b'y' => number(year.rem_euclid(100), 2, out),
        b'G' => number(week().0, 1, out),
        b'g' => number(week().0.rem_euclid(100), 2, out),
        b'V' => number(week().1, 2, out),
        b'U' => number((time.yearday + 7 - time.weekday) / 7, 2, out),
        b'W' => number((time.yearday + 7 - (time.weekday + 6) % 7) / 7, 2, out),
        b'm' => number(civil.month, 2, out),
        b'd' => number(civil.day, 2, out),
        b'e' => push_number(civil.day, 2, b' ', flags, out),
        b'H' => number(civil.hour, 2, out),
        b'I' => number(hour12, 2, out),
        b'k' => push_number(civil.hour, 2, b' ', flags, out),
        b'l' => push_number(hour12, 2, b' ', flags, out),
        b'M' => number(civil.minute, 2, out),
        b'S' => number(civil.second, 2, out),
        b'j' => number(time.yearday + 1, 3, out),
        b's' => push_number(time.seconds, 1, b' ', flags, out),
        b'u' => number((time.weekday + 6) % 7 + 1, 1, out),
        b'w' => number(time.weekday, 1, out),
        b'p' | b'P' => {
            let half: &[u8] = if civil.hour < 12 { b"AM" } else { b"PM" };
            if letter == b'P' || flags.swap {
                text(
                    &half.to_ascii_lowercase(),
                    Flags {
                        upper: false,
                        ..flags
                    },
                    out,
                );
            } else {
                text(half, flags, out);
            }
        }
        b'z' => zone_offset(time.offset, flags, out),
        b'Z' if flags.swap => {
            let name = time.zone.to_ascii_lowercase();
            text(
                &name,
                Flags {
                    upper: false,
                    ..flags
                },
                out,
            );
        }
        b'Z' => text(&time.zone, flags, out),
        _ => return false,
    }
    true
}

fn swap_up(flags: Flags) -> Flags {
    Flags {
        upper: flags.upper || flags.swap,
        ..flags
    }
}

fn nested(format: &[u8], flags: Flags, time: &Broken, out: &mut Vec<u8>) {
    let mut inside = Vec::new();
    write(format, time, flags.upper, &mut inside);
    text(&inside, flags, out);
}

fn text(bytes: &[u8], flags: Flags, out: &mut Vec<u8>) {
    fill(
        bytes.len(),
        if flags.pad == b'0' { b'0' } else { b' ' },
        flags,
        out,
    );
    let start = out.len();
    out.extend_from_slice(bytes);
    if flags.upper {
        out[start..].make_ascii_uppercase();
    }
}

fn fill(used: usize, with: u8, flags: Flags, out: &mut Vec<u8>) {
    let count = flags.width.unwrap_or(0).saturating_sub(used);
    out.resize(out.len() + count, with);
}

fn push_number(value: i64, digits: usize, pad: u8, flags: Flags, out: &mut Vec<u8>) {
    // `%-5d` fills with spaces: the flag only takes the conversion's own digits away.
    let (pad, digits) = match flags.pad {
        b'_' => (b' ', digits),
        b'-' => (b' ', 1),
        b'0' => (b'0', digits),
        _ => (pad, digits),
    };
    let text = value.unsigned_abs().to_string();
    let used = text.len() + usize::from(value < 0);
    let missing = flags.width.unwrap_or(0).max(digits).saturating_sub(used);
    if pad == b' ' {
        out.resize(out.len() + missing, b' ');
    }
    if value < 0 {
        out.push(b'-');
    }
    if pad == b'0' {
        out.resize(out.len() + missing, b'0');
    }
    out.extend_from_slice(text.as_bytes());
}

/// `+hhmm`. glibc pads the number to the width and then the whole once more.
fn zone_offset(offset: i32, flags: Flags, out: &mut Vec<u8>) {
    let minutes = offset.unsigned_abs() / 60;
    let number = minutes / 60 * 100 + minutes % 60;
    fill(1, if flags.pad == b'0' { b'0' } else { b' ' }, flags, out);
    out.push(if offset < 0 { b'-' } else { b'+' });
    push_number(number.into(), 4, b'0', flags, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Zone;

    // What git 2.47.3 prints with `--date=format:` on glibc 2.36 for `1112911993 -0730`.
    #[test]
    fn conversions_are_those_of_glibc() {
        let time = Broken::new(1_112_911_993, &Zone::fixed(-27_000, b"")).expect("it is a date");
        for (format, wanted) in [
            ("%k|%l|%V|%G|%U", "14| 2|14|2005|14"),
            ("%-d|%^a|%r|%P", "7|THU|02:43:13 PM|pm"),
            ("%q|%E|%N|%+|%:z|%", "%q|%E|%N|%+|%:z|%"),
            ("%s|%z|%Z", "1112911993|-0730|"),
            ("%C|%y|%g|%5Y", "20|05|05|02005"),
        ] {
            assert_eq!(
                String::from_utf8_lossy(&strftime(format.as_bytes(), &time)),
                wanted
            );
        }
    }
}
