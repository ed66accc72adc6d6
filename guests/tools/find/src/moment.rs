//! Dates in the arguments of `-newermt` and its kin.

use codepod_datetime::{Civil, MONTHS, days_from_civil};

/// Nanoseconds since 1970 that a text means; none where it means nothing that is known here.
pub(crate) fn parse(text: &str, now: i128) -> Option<i128> {
    const SECOND: i128 = 1_000_000_000;
    let text = text.trim();
    if let Some(seconds) = text.strip_prefix('@') {
        let (whole, fraction) = seconds.split_once('.').unwrap_or((seconds, ""));
        let digits: String = fraction
            .chars()
            .chain("000000000".chars())
            .take(9)
            .collect();
        return Some(whole.parse::<i128>().ok()? * SECOND + digits.parse::<i128>().ok()?);
    }
    let today = now.div_euclid(86_400 * SECOND) * 86_400;
    let mut date: Option<i128> = None;
    let mut time: Option<i128> = None;
    let mut zone = 0i128;
    let mut shift = 0i128;
    let spaced = separated(text);
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    while at < words.len() {
        let word = words[at].to_ascii_lowercase();
        at += 1;
        match &word[..] {
            "now" | "today" | "," => continue,
            "yesterday" => shift -= 86_400,
            "tomorrow" => shift += 86_400,
            "utc" | "gmt" | "z" => zone = 0,
            "midnight" => time = Some(0),
            "noon" => time = Some(43_200),
            "ago" => shift = -shift,
            "last" | "next" | "this" => {
                let unit = unit(words.get(at)?)?;
                shift += match &word[..] {
                    "last" => -unit,
                    "next" => unit,
                    _ => 0,
                };
                at += 1;
            }
            _ => {
                if let Some(parsed) = clock(&word) {
                    time = Some(parsed.0);
                    zone = parsed.1;
                } else if let Some(day) = day(&word) {
                    date = Some(day * 86_400);
                } else if let Some(month) = month_number(&word) {
                    let day: i64 = words.get(at)?.trim_end_matches(',').parse().ok()?;
                    at += 1;
                    let year = match words
                        .get(at)
                        .and_then(|year| year.parse::<i64>().ok())
                        .filter(|year| *year > 99)
                    {
                        Some(year) => {
                            at += 1;
                            year
                        }
                        None => Civil::from_seconds((now / SECOND) as i64).year,
                    };
                    date = Some(i128::from(days_from_civil(year, month, day)?) * 86_400);
                } else if let Ok(number) = word.parse::<i128>() {
                    if let Some(month) = words
                        .get(at)
                        .and_then(|name| month_number(&name.to_ascii_lowercase()))
                    {
                        at += 1;
                        let year = words.get(at)?.parse::<i64>().ok()?;
                        at += 1;
                        date = Some(
                            i128::from(days_from_civil(year, month, i64::try_from(number).ok()?)?)
                                * 86_400,
                        );
                        continue;
                    }
                    shift += number * unit(words.get(at)?)?;
                    at += 1;
                } else {
                    shift += unit(&word)?;
                }
            }
        }
    }
    let base = match (date, time) {
        (None, None) => return Some(now + shift * SECOND),
        (date, time) => date.unwrap_or(today) + time.unwrap_or(0),
    };
    Some((base - zone + shift) * SECOND)
}

/// `2020-01-01T12:00` in two words.
fn separated(text: &str) -> String {
    let bytes = text.as_bytes();
    let is_t = |at: usize| {
        matches!(bytes[at], b'T' | b't')
            && at > 0
            && bytes[at - 1].is_ascii_digit()
            && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
    };
    text.char_indices()
        .map(|(at, letter)| {
            if letter.is_ascii() && is_t(at) {
                ' '
            } else {
                letter
            }
        })
        .collect()
}

fn month_number(word: &str) -> Option<i64> {
    if word.len() < 3 {
        return None;
    }
    let found = MONTHS.iter().position(|name| {
        let name = name.to_ascii_lowercase();
        name == word || name[..3] == *word
    });
    found.map(|at| at as i64 + 1)
}

/// Seconds in a unit.
fn unit(word: &str) -> Option<i128> {
    let word = word.to_ascii_lowercase();
    let word = word
        .strip_suffix('s')
        .filter(|word| word.len() > 2)
        .unwrap_or(&word);
    Some(match word {
        "sec" | "second" | "s" => 1,
        "min" | "minute" => 60,
        "hour" => 3600,
        "day" => 86_400,
        "week" => 7 * 86_400,
        "fortnight" => 14 * 86_400,
        "month" => 30 * 86_400,
        "year" => 365 * 86_400,
        _ => return None,
    })
}

/// A date: `2020-01-31`, `20200131`, `01/31/2020`. Returns days since 1970.
fn day(word: &str) -> Option<i128> {
    let (year, month, day) = if let [year, month, day] = word.split('-').collect::<Vec<_>>()[..] {
        (
            year.parse::<i64>().ok()?,
            month.parse::<i64>().ok()?,
            day.parse::<i64>().ok()?,
        )
    } else if let [month, day, year] = word.split('/').collect::<Vec<_>>()[..] {
        (
            year.parse::<i64>().ok()?,
            month.parse::<i64>().ok()?,
            day.parse::<i64>().ok()?,
        )
    } else if word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_digit()) {
        (
            word[..4].parse().ok()?,
            word[4..6].parse().ok()?,
            word[6..].parse().ok()?,
        )
    } else {
        return None;
    };
    let sane = (1..=12).contains(&month) && (1..=31).contains(&day);
    sane.then(|| days_from_civil(year, month, day))
        .flatten()
        .map(i128::from)
}

/// A time of the day: `12:34`, `12:34:56.5`, with `Z` or `+01:00` behind it. Returns seconds, and
/// those of the zone.
fn clock(word: &str) -> Option<(i128, i128)> {
    let word = word.strip_suffix('z').unwrap_or(word);
    let split = word.find(['+', '-']).unwrap_or(word.len());
    let (time, zone) = word.split_at(split);
    let parts: Vec<&str> = time.split(':').collect();
    if parts.len() < 2 || parts.len() > 3 {
        return None;
    }
    let hour: i128 = parts[0].parse().ok()?;
    let minute: i128 = parts[1].parse().ok()?;
    let second: i128 = match parts.get(2) {
        Some(second) => second.split('.').next()?.parse().ok()?,
        None => 0,
    };
    if hour > 24 || minute > 59 || second > 60 {
        return None;
    }
    let zone = if zone.is_empty() {
        0
    } else {
        let digits = zone[1..].replace(':', "");
        let value: i128 = digits.parse().ok()?;
        let seconds = if digits.len() <= 2 {
            value * 3600
        } else {
            value / 100 * 3600 + value % 100 * 60
        };
        if zone.starts_with('-') {
            -seconds
        } else {
            seconds
        }
    };
    Some((hour * 3600 + minute * 60 + second, zone))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn dates_are_understood() {
        let now = 1_600_000_000_000_000_000;
        let seconds = |text: &str| parse(text, now).map(|time| time / 1_000_000_000);
        assert_eq!(seconds("2020-01-01 12:34:56"), Some(1_577_882_096));
        assert_eq!(seconds("2020-01-01T12:34:56Z"), Some(1_577_882_096));
        assert_eq!(seconds("2020-01-01 13:34:56+01:00"), Some(1_577_882_096));
        assert_eq!(seconds("2020-01-01"), Some(1_577_836_800));
        assert_eq!(seconds("Jan 1 2020"), Some(1_577_836_800));
        assert_eq!(seconds("1 Jan 2020"), Some(1_577_836_800));
        assert_eq!(seconds("@5"), Some(5));
        assert_eq!(seconds("2 days ago"), Some(1_600_000_000 - 172_800));
        assert_eq!(seconds("-1 hour"), Some(1_600_000_000 - 3600));
        assert_eq!(seconds("yesterday"), Some(1_600_000_000 - 86_400));
        assert_eq!(seconds("foo"), None);
    }
}
