//! GNU's `strftime`, in the locale C.

use codepod_calendar::iso_week;

use crate::{Civil, MONTHS, Moment, WEEKDAYS, Zone};

/// How a number or text is padded: `_`, `-`, `0` and `+` before the letter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pad {
    Usual,
    Zero,
    Space,
    None,
    Plus,
}

/// Writes a moment as `form` says. What is no conversion is written as it is.
pub fn format(form: &[u8], moment: Moment, zone: &Zone) -> Vec<u8> {
    let local = zone.at(moment.seconds);
    let civil = Civil::from_seconds(moment.seconds.saturating_add(local.offset));
    let moment = At {
        moment,
        civil,
        offset: local.offset,
        name: &local.name,
    };
    moment.format(form)
}

struct At<'a> {
    moment: Moment,
    civil: Civil,
    offset: i64,
    name: &'a str,
}

impl At<'_> {
    fn format(&self, form: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut at = 0;
        while at < form.len() {
            if form[at] != b'%' {
                out.push(form[at]);
                at += 1;
                continue;
            }
            let begin = at;
            at += 1;
            let (mut pad, mut upper, mut swap) = (Pad::Usual, false, false);
            while let Some(flag) = form.get(at) {
                match flag {
                    b'_' => pad = Pad::Space,
                    b'-' => pad = Pad::None,
                    b'0' => pad = Pad::Zero,
                    b'+' => pad = Pad::Plus,
                    b'^' => upper = true,
                    b'#' => swap = true,
                    _ => break,
                }
                at += 1;
            }
            let mut width: Option<usize> = None;
            while let Some(digit) = form.get(at).filter(|byte| byte.is_ascii_digit()) {
                let value = width.unwrap_or(0).saturating_mul(10) + usize::from(digit - b'0');
                // Nobody reads more, and it must not fill the memory.
                width = Some(value.min(4096));
                at += 1;
            }
            let mut allowed: Option<&[u8]> = None;
            if let Some(modifier @ (b'E' | b'O')) = form.get(at) {
                allowed = Some(if *modifier == b'E' {
                    b"cCxXyY"
                } else {
                    b"deHIkmMSuUVwWy"
                });
                at += 1;
            }
            let mut colons = 0;
            while form.get(at) == Some(&b':') && colons < 3 {
                colons += 1;
                at += 1;
            }
            let Some(&letter) = form.get(at) else {
                out.extend_from_slice(&form[begin..]);
                break;
            };
            at += 1;
            if (colons > 0 && letter != b'z')
                || allowed.is_some_and(|allowed| !allowed.contains(&letter))
            {
                out.extend_from_slice(&form[begin..at]);
                continue;
            }
            let conversion = Conversion {
                pad,
                width,
                upper,
                swap,
                colons,
            };
            if !self.convert(letter, conversion, &mut out) {
                out.extend_from_slice(&form[begin..at]);
            }
        }
        out
    }

    /// Writes one conversion; whether there is such a one.
    fn convert(&self, letter: u8, how: Conversion, out: &mut Vec<u8>) -> bool {
        let civil = &self.civil;
        let year_of_week = || iso_week(civil.year, civil.day_of_year(), civil.weekday());
        match letter {
            b'%' => how.text(b"%", out),
            b'n' => how.text(b"\n", out),
            b't' => how.text(b"\t", out),
            b'a' => how.text(&WEEKDAYS[civil.weekday() as usize].as_bytes()[..3], out),
            b'A' => how.text(WEEKDAYS[civil.weekday() as usize].as_bytes(), out),
            b'b' | b'h' => how.text(&MONTHS[(civil.month - 1) as usize].as_bytes()[..3], out),
            b'B' => how.text(MONTHS[(civil.month - 1) as usize].as_bytes(), out),
            b'p' => {
                let text: &[u8] = if civil.hour < 12 { b"AM" } else { b"PM" };
                if how.swap {
                    how.plain().text(&text.to_ascii_lowercase(), out)
                } else {
                    how.text(text, out)
                }
            }
            b'P' => how.text(if civil.hour < 12 { b"am" } else { b"pm" }, out),
            b'Z' => {
                let name = self.name.as_bytes();
                if how.swap {
                    how.plain().text(&name.to_ascii_lowercase(), out)
                } else {
                    how.text(name, out)
                }
            }
            b'C' => how.number(civil.year.div_euclid(100), 2, b'0', out),
            b'd' => how.number(civil.day, 2, b'0', out),
            b'e' => how.number(civil.day, 2, b' ', out),
            b'H' => how.number(civil.hour, 2, b'0', out),
            b'I' => how.number((civil.hour + 11) % 12 + 1, 2, b'0', out),
            b'k' => how.number(civil.hour, 2, b' ', out),
            b'l' => how.number((civil.hour + 11) % 12 + 1, 2, b' ', out),
            b'j' => how.number(civil.day_of_year() + 1, 3, b'0', out),
            b'M' => how.number(civil.minute, 2, b'0', out),
            b'm' => how.number(civil.month, 2, b'0', out),
            b'S' => how.number(civil.second, 2, b'0', out),
            b's' => how.number(self.moment.seconds, 1, b'0', out),
            b'u' => how.number((civil.weekday() + 6) % 7 + 1, 1, b'0', out),
            b'w' => how.number(civil.weekday(), 1, b'0', out),
            b'U' => how.number(
                (civil.day_of_year() - civil.weekday() + 7) / 7,
                2,
                b'0',
                out,
            ),
            b'W' => how.number(
                (civil.day_of_year() - (civil.weekday() + 6) % 7 + 7) / 7,
                2,
                b'0',
                out,
            ),
            b'V' => how.number(year_of_week().1, 2, b'0', out),
            b'G' => how.number(year_of_week().0, 4, b'0', out),
            b'g' => how.number(year_of_week().0.rem_euclid(100), 2, b'0', out),
            b'Y' => how.number(civil.year, 4, b'0', out),
            b'y' => how.number(civil.year.rem_euclid(100), 2, b'0', out),
            b'q' => how.number((civil.month - 1) / 3 + 1, 1, b'0', out),
            b'N' => self.nanoseconds(how, out),
            b'z' => self.offset(how, out),
            b'c' => how.text(&self.format(b"%a %b %e %H:%M:%S %Y"), out),
            b'D' | b'x' => how.text(&self.format(b"%m/%d/%y"), out),
            b'F' => how.date(self, out),
            b'R' => how.text(&self.format(b"%H:%M"), out),
            b'r' => how.text(&self.format(b"%I:%M:%S %p"), out),
            b'T' | b'X' => how.text(&self.format(b"%H:%M:%S"), out),
            _ => return false,
        }
        true
    }

    /// `%N`: nine digits, or as many as the width says.
    fn nanoseconds(&self, how: Conversion, out: &mut Vec<u8>) {
        let digits = format!("{:09}", self.moment.nanoseconds);
        let width = how.width.unwrap_or(9);
        let mut text: Vec<u8> = digits.bytes().take(width).collect();
        match how.pad {
            Pad::None => {
                while text.len() > 1 && text.last() == Some(&b'0') && how.width.is_none() {
                    text.pop();
                }
                out.extend_from_slice(&text);
                return;
            }
            Pad::Space => {
                let kept = text
                    .iter()
                    .rposition(|digit| *digit != b'0')
                    .map_or(1, |last| last + 1)
                    .min(text.len());
                text[kept..].fill(b' ');
            }
            _ => {}
        }
        out.extend_from_slice(&text);
        let filler = if how.pad == Pad::Space { b' ' } else { b'0' };
        out.extend(std::iter::repeat_n(filler, width.saturating_sub(9)));
    }

    /// `%z` and its forms with colons.
    fn offset(&self, how: Conversion, out: &mut Vec<u8>) {
        let sign = if self.offset < 0 { '-' } else { '+' };
        let offset = self.offset.abs();
        let (hours, minutes, seconds) = (offset / 3600, offset / 60 % 60, offset % 60);
        let tail = match how.colons {
            0 => format!("{minutes:02}"),
            1 => format!(":{minutes:02}"),
            2 => format!(":{minutes:02}:{seconds:02}"),
            _ if seconds != 0 => format!(":{minutes:02}:{seconds:02}"),
            _ if minutes != 0 => format!(":{minutes:02}"),
            _ => String::new(),
        };
        let width = how.width.unwrap_or(0).saturating_sub(1 + tail.len());
        let text = match how.pad {
            Pad::None => format!("{sign}{hours}{tail}"),
            Pad::Space => {
                let number = format!("{sign}{hours}");
                format!("{number:>width$}{tail}", width = (width + 1).max(3))
            }
            _ => format!("{sign}{hours:0width$}{tail}", width = width.max(2)),
        };
        out.extend_from_slice(text.as_bytes());
    }
}

/// Flags of a conversion.
#[derive(Clone, Copy)]
struct Conversion {
    pad: Pad,
    width: Option<usize>,
    upper: bool,
    swap: bool,
    colons: usize,
}

impl Conversion {
    /// The conversion without changing the case.
    fn plain(self) -> Conversion {
        Conversion {
            swap: false,
            upper: false,
            ..self
        }
    }

    fn text(self, text: &[u8], out: &mut Vec<u8>) {
        let filler = if matches!(self.pad, Pad::Zero | Pad::Plus) {
            b'0'
        } else {
            b' '
        };
        if self.pad != Pad::None {
            let missing = self.width.unwrap_or(0).saturating_sub(text.len());
            out.extend(std::iter::repeat_n(filler, missing));
        }
        let upper =
            self.upper || (self.swap && text.iter().any(u8::is_ascii_lowercase) && text.len() > 2);
        out.extend(text.iter().map(|byte| {
            if upper {
                byte.to_ascii_uppercase()
            } else {
                *byte
            }
        }));
    }

    fn number(self, value: i64, digits: usize, filler: u8, out: &mut Vec<u8>) {
        let filler = match self.pad {
            Pad::Usual => filler,
            Pad::Zero | Pad::Plus => b'0',
            Pad::Space => b' ',
            Pad::None => {
                out.extend_from_slice(value.to_string().as_bytes());
                return;
            }
        };
        let text = value.unsigned_abs().to_string();
        let sign: &[u8] = match value {
            ..0 => b"-",
            _ if self.pad == Pad::Plus && text.len() > digits => b"+",
            _ => b"",
        };
        let width = self.width.unwrap_or(0).max(digits);
        let missing = width.saturating_sub(text.len() + sign.len());
        if filler == b' ' {
            out.extend(std::iter::repeat_n(b' ', missing));
        }
        out.extend_from_slice(sign);
        if filler == b'0' {
            out.extend(std::iter::repeat_n(b'0', missing));
        }
        out.extend_from_slice(text.as_bytes());
    }

    /// `%F`, whose width is its year's and six more.
    fn date(self, at: &At<'_>, out: &mut Vec<u8>) {
        let rest = at.format(b"-%m-%d");
        let year = Conversion {
            width: self.width.map(|width| width.saturating_sub(rest.len())),
            ..self
        };
        year.number(at.civil.year, 4, b'0', out);
        out.extend_from_slice(&rest);
    }
}
