//! Dates in options: `@SECONDS`, ISO dates, and the time of a file.

use codepod_datetime::Civil;

use crate::system::{self, Moment};

/// Reads a date. Fails where it is none.
pub(crate) fn parse(value: &[u8]) -> Result<Moment, ()> {
    if matches!(value.first(), Some(b'/' | b'.')) {
        return system::stat(value, true)
            .map(|meta| meta.modified)
            .map_err(drop);
    }
    let text = std::str::from_utf8(value).map_err(drop)?.trim();
    if text == "now" || text.is_empty() {
        return Ok(Moment::now());
    }
    let seconds = match text.strip_prefix('@') {
        Some(number) => {
            let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
            let digits: String = fraction
                .chars()
                .chain("000000000".chars())
                .take(9)
                .collect();
            return Ok(Moment {
                seconds: whole.parse().map_err(drop)?,
                nanoseconds: digits.parse().map_err(drop)?,
            });
        }
        None => iso(text).ok_or(())?,
    };
    Ok(Moment {
        seconds,
        nanoseconds: 0,
    })
}

/// `2020-01-02`, `2020-01-02 03:04[:05]`, with `T` between, with `Z`, `UTC` or `+01:00` behind.
fn iso(text: &str) -> Option<i64> {
    let text = match text.split_once('T') {
        Some((day, clock)) if day.ends_with(|letter: char| letter.is_ascii_digit()) => {
            format!("{day} {clock}")
        }
        _ => text.to_owned(),
    };
    let mut words = text.split_whitespace();
    let mut day = words.next()?.splitn(3, '-');
    let (year, month, day) = (
        day.next()?.parse().ok()?,
        day.next()?.parse().ok()?,
        day.next()?.parse().ok()?,
    );
    let mut date = Civil {
        year,
        month,
        day,
        hour: 0,
        minute: 0,
        second: 0,
    };
    let mut offset = 0;
    for word in words {
        let word = word.strip_suffix('Z').unwrap_or(word);
        let (clock, zone) = match word.find(['+', '-']) {
            Some(at) => word.split_at(at),
            None => (word, ""),
        };
        if !zone.is_empty() {
            let digits: String = zone[1..].chars().filter(char::is_ascii_digit).collect();
            let number: i64 = digits.parse().ok()?;
            let (hours, minutes) = if digits.len() > 2 {
                (number / 100, number % 100)
            } else {
                (number, 0)
            };
            offset = (hours * 60 + minutes) * 60 * if zone.starts_with('-') { -1 } else { 1 };
        }
        if clock.is_empty() || clock == "UTC" || clock == "GMT" {
            continue;
        }
        let mut parts = clock.split(':');
        date.hour = parts.next()?.parse().ok()?;
        date.minute = parts.next()?.parse().ok()?;
        date.second = match parts.next() {
            Some(second) => second.split('.').next()?.parse().ok()?,
            None => 0,
        };
    }
    let sane = (1..=12).contains(&date.month)
        && (1..=31).contains(&date.day)
        && (0..24).contains(&date.hour)
        && (0..60).contains(&date.minute)
        && (0..61).contains(&date.second)
        && (0..=9999).contains(&date.year);
    if !sane {
        return None;
    }
    date.to_seconds().map(|seconds| seconds - offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read() {
        let seconds = |text: &str| parse(text.as_bytes()).map(|moment| moment.seconds);
        assert_eq!(seconds("@5"), Ok(5));
        assert_eq!(seconds("1970-01-02"), Ok(86_400));
        assert_eq!(seconds("1970-01-01 01:02:03 UTC"), Ok(3723));
        assert_eq!(seconds("1970-01-01T01:00:00Z"), Ok(3600));
        assert_eq!(seconds("1970-01-01 02:00+01:00"), Ok(3600));
        assert!(seconds("yesterday-ish").is_err());
        assert!(seconds("1970-13-01").is_err());
    }
}
