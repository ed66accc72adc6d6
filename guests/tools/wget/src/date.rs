//! Times: now, in messages, and in fields of HTTP.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use codepod_calendar::{Broken, Zone, days_from_civil, strftime};

/// Now, as messages have it.
pub(crate) fn now() -> String {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let zone =
        std::env::var("TZ").map_or_else(|_| Zone::utc(), |zone| Zone::parse(zone.as_bytes()));
    match Broken::new(since.as_secs() as i64, &zone) {
        Some(time) => String::from_utf8_lossy(&strftime(b"%Y-%m-%d %H:%M:%S", &time)).into_owned(),
        None => String::new(),
    }
}

/// A time as HTTP writes it.
pub(crate) fn http(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    match Broken::new(since.as_secs() as i64, &Zone::utc()) {
        Some(time) => {
            String::from_utf8_lossy(&strftime(b"%a, %d %b %Y %H:%M:%S GMT", &time)).into_owned()
        }
        None => String::new(),
    }
}

/// Reads the three forms of a date in HTTP: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94
/// 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994`.
pub(crate) fn parse(text: &[u8]) -> Option<SystemTime> {
    let text = std::str::from_utf8(text).ok()?;
    let words: Vec<&str> = text
        .split([' ', ',', '-'])
        .filter(|word| !word.is_empty())
        .collect();
    let (day, month, year, clock) = match words[..] {
        [_, month, day, clock, year] if clock.contains(':') => (day, month, year, clock),
        [_, day, month, year, clock, ..] => (day, month, year, clock),
        _ => return None,
    };
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let month = MONTHS.iter().position(|name| *name == month)? as i64 + 1;
    let (day, mut year): (i64, i64) = (day.parse().ok()?, year.parse().ok()?);
    if year < 100 {
        year += if year < 70 { 2000 } else { 1900 };
    }
    let mut parts = clock.split(':').map(|part| part.parse::<i64>().ok());
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    let fits = (1..=31).contains(&day) && (0..24).contains(&hour);
    if !fits || !(0..60).contains(&minute) || !(0..=60).contains(&second) {
        return None;
    }
    let days = days_from_civil(year, month, day)?;
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second;
    let since = Duration::from_secs(u64::try_from(seconds).ok()?);
    UNIX_EPOCH.checked_add(since)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_http_are_read() {
        let time = UNIX_EPOCH + Duration::from_secs(784_111_777);
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
        ] {
            assert_eq!(parse(text.as_bytes()), Some(time), "{text}");
        }
        assert_eq!(http(time), "Sun, 06 Nov 1994 08:49:37 GMT");
        for text in [
            "",
            "yesterday",
            "Sun, 99 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 8 GMT",
        ] {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
    }
}
