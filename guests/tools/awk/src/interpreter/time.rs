//! `strftime`, `mktime`, `systime`.

use codepod_calendar::{Broken, Civil, Zone, strftime};

/// The zone of the environment.
fn zone(utc: bool) -> Zone {
    match std::env::var_os("TZ") {
        Some(name) if !utc => Zone::parse(name.as_encoded_bytes()),
        _ => Zone::utc(),
    }
}

/// A moment by a format.
pub(super) fn format(form: &[u8], seconds: i64, utc: bool) -> Vec<u8> {
    let mut zone_name = zone(utc);
    if utc {
        zone_name = Zone::parse(b"GMT0");
    }
    match Broken::new(seconds, &zone_name) {
        Some(time) => strftime(form, &time),
        None => Vec::new(),
    }
}

/// Seconds since 1970.
pub(super) fn now() -> i64 {
    let now = std::time::SystemTime::now();
    now.duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs().cast_signed())
}

/// The moment of `YYYY MM DD HH MM SS`; -1 when it is none.
pub(super) fn moment(text: &[u8], utc: bool) -> i64 {
    let text = String::from_utf8_lossy(text);
    let mut numbers = Vec::new();
    for word in text.split_ascii_whitespace() {
        match word.parse::<i64>() {
            Ok(number) => numbers.push(number),
            Err(_) => break,
        }
    }
    let [year, month, day, hour, minute, second] = match numbers.as_slice() {
        [year, month, day, hour, minute, second, ..] => {
            [*year, *month, *day, *hour, *minute, *second]
        }
        _ => return -1,
    };
    if year.abs() > 1_000_000
        || [month, day, hour, minute, second]
            .iter()
            .any(|number| number.abs() > 1 << 40)
    {
        return -1;
    }
    let civil = Civil {
        year,
        month,
        day,
        hour,
        minute,
        second,
    };
    let Some(local) = civil.to_seconds() else {
        return -1;
    };
    // The offset that holds there: tried with the one of the moment as if it were UTC, then with
    // its own.
    let zone = zone(utc);
    let offset =
        |seconds: i64| Broken::new(seconds, &zone).map_or(0, |time| i64::from(time.offset));
    let first = local - offset(local);
    local - offset(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_back() {
        assert_eq!(moment(b"2024 02 29 12 00 00", true), 1_709_208_000);
        assert_eq!(moment(b"2024 14 01 00 00 00", true), 1_738_368_000);
        assert_eq!(moment(b"nothing", true), -1);
        assert_eq!(
            format(b"%Y-%m-%d %H:%M:%S", 1_709_208_000, true),
            b"2024-02-29 12:00:00"
        );
    }
}
