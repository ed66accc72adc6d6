//! Dates: as git prints them, and as people write them.

use codepod_calendar::{Broken, Civil, MONTHS, WEEKDAYS, Zone, strftime};

use crate::os;

/// How a date is shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Style {
    /// `Thu Apr 7 15:13:13 2005 -0700`.
    #[default]
    Normal,
    /// As normal, in the local zone, without naming it.
    Local,
    /// `2 hours ago`.
    Relative,
    /// `2005-04-07 15:13:13 -0700`.
    Iso,
    /// `2005-04-07T15:13:13-07:00`.
    IsoStrict,
    /// `Thu, 7 Apr 2005 15:13:13 -0700`.
    Rfc,
    /// `2005-04-07`.
    Short,
    /// `1112911993 -0700`.
    Raw,
    /// `1112911993`.
    Unix,
    /// As `strftime` would.
    Format(String),
    /// The style in the local zone.
    InLocal(Box<Style>),
}

impl Style {
    /// From the value of `--date`.
    pub(crate) fn parse(word: &str) -> Option<Style> {
        if let Some(format) = word.strip_prefix("format:") {
            return Some(Style::Format(format.to_owned()));
        }
        if let Some(format) = word.strip_prefix("format-local:") {
            return Some(Style::InLocal(Box::new(Style::Format(format.to_owned()))));
        }
        if let Some(base) = word.strip_suffix("-local") {
            return Style::parse(base).map(|style| Style::InLocal(Box::new(style)));
        }
        Some(match word {
            "default" => Style::Normal,
            "local" => Style::Local,
            "relative" => Style::Relative,
            "iso" | "iso8601" => Style::Iso,
            "iso-strict" | "iso8601-strict" => Style::IsoStrict,
            "rfc" | "rfc2822" => Style::Rfc,
            "short" => Style::Short,
            "raw" => Style::Raw,
            "unix" => Style::Unix,
            _ => return None,
        })
    }
}

/// Seconds since 1970 of a date in UTC.
fn seconds(date: Civil) -> i64 {
    // The fields are small, so numbers do not end.
    date.to_seconds().unwrap_or(0)
}

/// `+0130` as minutes.
fn zone_minutes(zone: i32) -> i64 {
    let minutes = i64::from(zone.abs() / 100 * 60 + zone.abs() % 100);
    if zone < 0 { -minutes } else { minutes }
}

/// The local zone, from `TZ` in POSIX's form; UTC otherwise.
pub(crate) fn local_zone() -> i32 {
    let Some(text) = os::variable("TZ") else {
        return 0;
    };
    let name = text
        .iter()
        .position(|byte| !byte.is_ascii_alphabetic())
        .unwrap_or(text.len());
    let rest = String::from_utf8_lossy(&text[name..]).into_owned();
    let (sign, digits) = match rest.strip_prefix('-') {
        Some(digits) => (1, digits),
        None => (-1, rest.strip_prefix('+').unwrap_or(&rest)),
    };
    let mut numbers = digits
        .split(':')
        .map(|part| part.parse::<i32>().unwrap_or(0));
    let hours = numbers.next().unwrap_or(0).min(24);
    let minutes = numbers.next().unwrap_or(0).min(59);
    sign * (hours * 100 + minutes)
}

/// The present moment; tests of git's own can fix it.
pub(crate) fn now() -> i64 {
    let fixed = os::variable("GIT_TEST_DATE_NOW")
        .and_then(|text| String::from_utf8_lossy(&text).parse().ok());
    fixed.unwrap_or_else(os::now)
}

/// A date as text.
pub(crate) fn show(time: i64, zone: i32, style: &Style) -> String {
    let shifted = Civil::from_seconds(time.saturating_add(zone_minutes(zone) * 60));
    let Civil {
        year,
        month,
        day,
        hour,
        minute,
        second,
    } = shifted;
    let day_name = &WEEKDAYS[shifted.weekday() as usize][..3];
    let month_name = &MONTHS[(month - 1) as usize][..3];
    match style {
        Style::Normal => format!(
            "{day_name} {month_name} {day} {hour:02}:{minute:02}:{second:02} {year} {zone:+05}"
        ),
        Style::Local => {
            let text = show(time, local_zone(), &Style::Normal);
            text[..text.len() - 6].to_owned()
        }
        Style::InLocal(style) if **style == Style::Normal => show(time, zone, &Style::Local),
        Style::InLocal(style) => show(time, local_zone(), style),
        Style::Relative => relative(time, now()),
        Style::Iso => {
            format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} {zone:+05}")
        }
        Style::IsoStrict => {
            let zone_text = if zone == 0 {
                "Z".to_owned()
            } else {
                format!(
                    "{}{:02}:{:02}",
                    if zone < 0 { '-' } else { '+' },
                    zone.abs() / 100,
                    zone.abs() % 100
                )
            };
            format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{zone_text}")
        }
        Style::Rfc => format!(
            "{day_name}, {day} {month_name} {year} {hour:02}:{minute:02}:{second:02} {zone:+05}"
        ),
        Style::Short => format!("{year:04}-{month:02}-{day:02}"),
        Style::Raw => format!("{time} {zone:+05}"),
        Style::Unix => format!("{time}"),
        Style::Format(format) => formatted(format, time, zone),
    }
}

/// A date as C's `strftime` has it. Git writes `%s`, `%z` and `%Z` itself; a zone has no name.
fn formatted(format: &str, time: i64, zone: i32) -> String {
    let mut own = String::new();
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            own.push(letter);
            continue;
        }
        match letters.next() {
            Some('s') => own += &time.to_string(),
            Some('z') => own += &format!("{zone:+05}"),
            Some('Z') => {}
            Some(other) => own.extend(['%', other]),
            None => own.push('%'),
        }
    }
    let offset = i32::try_from(zone_minutes(zone) * 60).unwrap_or(0);
    let broken = Broken::new(time, &Zone::fixed(offset, b""));
    // Git shows 1970 where C has no such year.
    let broken = broken.or_else(|| Broken::new(0, &Zone::utc()));
    let text = broken.map_or_else(Vec::new, |broken| strftime(own.as_bytes(), &broken));
    String::from_utf8_lossy(&text).into_owned()
}

fn relative(time: i64, now: i64) -> String {
    let plural =
        |count: i64, unit: &str| format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" });
    let mut diff = now - time;
    if diff < 0 {
        return "in the future".to_owned();
    }
    if diff < 90 {
        return plural(diff, "second");
    }
    diff = (diff + 30) / 60;
    if diff < 90 {
        return plural(diff, "minute");
    }
    diff = (diff + 30) / 60;
    if diff < 36 {
        return plural(diff, "hour");
    }
    diff = (diff + 12) / 24;
    if diff < 14 {
        return plural(diff, "day");
    }
    if diff < 70 {
        return plural((diff + 3) / 7, "week");
    }
    if diff < 365 {
        return plural((diff + 15) / 30, "month");
    }
    if diff < 1825 {
        let months = (diff * 12 * 2 + 365) / (365 * 2);
        let (years, months) = (months / 12, months % 12);
        if months == 0 {
            return plural(years, "year");
        }
        let year = format!("{years} year{}", if years == 1 { "" } else { "s" });
        return format!("{year}, {}", plural(months, "month"));
    }
    plural((diff + 183) / 365, "year")
}

/// Reads a date in one of the exact forms: `@1112911993 -0700`, ISO 8601, RFC 2822, git's own.
pub(crate) fn parse(text: &str) -> Option<(i64, i32)> {
    let text = text.trim();
    let raw = text.strip_prefix('@').unwrap_or(text);
    let mut words = raw.split_ascii_whitespace();
    if let Some(first) = words.next()
        && first.len() >= if text.starts_with('@') { 1 } else { 9 }
        && first.bytes().all(|byte| byte.is_ascii_digit())
    {
        let time = first.parse().ok()?;
        return match words.next() {
            None => Some((
                time,
                if text.starts_with('@') {
                    0
                } else {
                    local_zone()
                },
            )),
            Some(zone) => Some((time, parse_zone(zone)?)),
        };
    }
    let found = scan(text)?;
    found.date?;
    let (hour, minute, second) = found.time.unwrap_or((0, 0, 0));
    let (year, month, day) = found.date?;
    let zone = found.zone.unwrap_or_else(local_zone);
    let date = Civil {
        year,
        month,
        day,
        hour,
        minute,
        second,
    };
    Some((seconds(date) - zone_minutes(zone) * 60, zone))
}

fn parse_zone(word: &str) -> Option<i32> {
    if word == "Z" || word == "UTC" || word == "GMT" {
        return Some(0);
    }
    let (sign, digits) = match word.as_bytes().first()? {
        b'+' => (1, &word[1..]),
        b'-' => (-1, &word[1..]),
        _ => return None,
    };
    let digits = digits.replace(':', "");
    let number: i32 = digits.parse().ok()?;
    match digits.len() {
        1 | 2 => Some(sign * number * 100),
        3 | 4 if number % 100 < 60 && number <= 1400 => Some(sign * number),
        _ => None,
    }
}

#[derive(Debug, Default)]
struct Scanned {
    date: Option<(i64, i64, i64)>,
    time: Option<(i64, i64, i64)>,
    zone: Option<i32>,
}

/// Finds the parts of a date in any order; none when a word is no part of one.
fn scan(text: &str) -> Option<Scanned> {
    let mut found = Scanned::default();
    let (mut year, mut month, mut day) = (None, None, None);
    let spaced = text.replace(',', " ");
    for word in spaced.split_ascii_whitespace() {
        let (date, rest) = match word.find('T') {
            Some(at) if at >= 8 && word.as_bytes()[0].is_ascii_digit() => {
                (&word[..at], Some(&word[at + 1..]))
            }
            _ => (word, None),
        };
        let lower = date.to_ascii_lowercase();
        if let Some(time) = rest {
            found.date = Some(parse_day(date)?);
            scan_time(time, &mut found)?;
        } else if date.contains(':') && date.as_bytes()[0].is_ascii_digit() {
            scan_time(date, &mut found)?;
        } else if let Some(day) = parse_day(date) {
            found.date = Some(day);
        } else if let Some(zone) = parse_zone(date) {
            found.zone = Some(zone);
        } else if let Some(at) = month_number(&lower) {
            month = Some(at);
        } else if weekday(&lower).is_some() {
            // The name of the day adds nothing.
        } else if let Ok(number) = date.parse::<i64>() {
            if date.len() == 4 {
                year = Some(number);
            } else if (1..=31).contains(&number) {
                day = Some(number);
            } else {
                return None;
            }
        } else {
            return None;
        }
    }
    if let (Some(year), Some(month), Some(day)) = (year, month, day) {
        found.date = Some((year, month, day));
    }
    Some(found)
}

fn month_number(word: &str) -> Option<i64> {
    let at = MONTHS
        .iter()
        .position(|name| word.len() >= 3 && name.to_ascii_lowercase().starts_with(word))?;
    Some(at as i64 + 1)
}

fn scan_time(text: &str, found: &mut Scanned) -> Option<()> {
    let end = text.find(['+', '-', 'Z']).unwrap_or(text.len());
    let clock = text[..end].split('.').next()?;
    let numbers: Option<Vec<i64>> = clock.split(':').map(|part| part.parse().ok()).collect();
    let numbers = numbers?;
    found.time = match numbers[..] {
        [hour, minute] => Some((hour, minute, 0)),
        [hour, minute, second] => Some((hour, minute, second)),
        [compact] if clock.len() == 6 => {
            Some((compact / 10_000, compact / 100 % 100, compact % 100))
        }
        [compact] if clock.len() == 4 => Some((compact / 100, compact % 100, 0)),
        _ => return None,
    };
    let (hour, minute, second) = found.time?;
    if hour > 24 || minute > 59 || second > 60 {
        return None;
    }
    if end < text.len() {
        found.zone = Some(parse_zone(&text[end..])?);
    }
    Some(())
}

/// `2005-04-07`, `2005/04/07`, `2005.04.07`, `20050407`, `04/07/2005`, `07.04.2005`.
fn parse_day(word: &str) -> Option<(i64, i64, i64)> {
    let separator = word.chars().find(|letter| !letter.is_ascii_digit());
    let check = |year: i64, month: i64, day: i64| {
        ((1..=12).contains(&month) && (1..=31).contains(&day) && (1..=9999).contains(&year))
            .then_some((year, month, day))
    };
    let Some(separator) = separator.filter(|letter| "-/.".contains(*letter)) else {
        if word.len() == 8 && separator.is_none() {
            let number: i64 = word.parse().ok()?;
            return check(number / 10_000, number / 100 % 100, number % 100);
        }
        return None;
    };
    let numbers: Option<Vec<i64>> = word
        .split(separator)
        .map(|part| part.parse().ok())
        .collect();
    match numbers?[..] {
        [year, month, day] if year > 70 => check(year, month, day),
        [day, month, year] if separator == '.' => check(year, month, day),
        [month, day, year] => check(year, month, day).or_else(|| check(year, day, month)),
        _ => None,
    }
}

/// Reads a date as people write it: an exact one, or `yesterday`, `2 weeks ago`, `last monday`.
///
/// What is not said is as it is now; what is not understood is passed over, as git does.
pub(crate) fn approximate(text: &str, now: i64) -> i64 {
    if let Some((time, _)) = parse(text)
        && (text.contains(':')
            || text.starts_with('@')
            || text.trim().bytes().all(|byte| byte.is_ascii_digit()))
    {
        return time;
    }
    let lower = text.to_ascii_lowercase();
    let words =
        lower.split(|letter: char| letter.is_ascii_whitespace() || letter == ',' || letter == '_');
    // `2.weeks.ago` is as good as with spaces, but a date has dots too.
    let words = words.flat_map(|word| match parse_day(word) {
        Some(_) => vec![word],
        None => word.split('.').collect(),
    });
    let zone = zone_minutes(local_zone()) * 60;
    let mut guess = Guess::new(Civil::from_seconds(now + zone));
    for word in words.filter(|word| !word.is_empty()) {
        if without_s(word) == "never" {
            return 0;
        }
        guess.take(word);
    }
    guess.seconds() - zone
}

/// A date while its words are read.
struct Guess {
    /// The present moment.
    here: Civil,
    /// What is said of the date, and of now where nothing is said.
    at: Civil,
    /// Seconds to add to that.
    shift: i64,
    /// Months to go back from it.
    months: i64,
    /// The number that the last word was.
    number: Option<i64>,
}

/// Units that are a number of seconds.
const UNITS: [(&str, i64); 8] = [
    ("second", 1),
    ("sec", 1),
    ("minute", 60),
    ("min", 60),
    ("hour", 3600),
    ("day", DAY),
    ("week", 7 * DAY),
    ("fortnight", 14 * DAY),
];
const DAY: i64 = 86_400;

impl Guess {
    fn new(here: Civil) -> Guess {
        Guess {
            here,
            at: here,
            shift: 0,
            months: 0,
            number: None,
        }
    }

    /// Adds what a word says.
    fn take(&mut self, word: &str) {
        let number = self.number.take();
        let half = word.strip_suffix("am").or(word.strip_suffix("pm"));
        if let Some((year, month, day)) = parse_day(word) {
            (self.at.year, self.at.month, self.at.day) = (year, month, day);
        } else if word.contains(':') {
            let mut found = Scanned::default();
            if scan_time(word, &mut found).is_some()
                && let Some((hour, minute, second)) = found.time
            {
                self.set_time(hour, minute, second);
            }
        } else if let Ok(value) = word.parse::<i64>() {
            match word.len() == 4 && (1970..2100).contains(&value) {
                true => self.at.year = value,
                false => self.number = Some(value.clamp(-1_000_000, 1_000_000)),
            }
        } else if let Some(digits) = half {
            let hour = digits.parse().ok().or(number).unwrap_or(self.at.hour);
            let noon = if word.ends_with("pm") { 12 } else { 0 };
            self.set_time(hour.rem_euclid(12) + noon, 0, 0);
        } else if let Some(month) = month_number(word) {
            self.at.month = month;
            if let Some(day) = number.filter(|day| (1..=31).contains(day)) {
                self.at.day = day;
            }
        } else if let Some(day) = weekday(without_s(word)) {
            let back = (self.here.weekday() + 7 - day as i64) % 7;
            self.shift -= (if back == 0 { 7 } else { back }) * DAY;
        } else {
            self.take_unit(without_s(word), number);
        }
    }

    /// Adds what a unit, a name of a moment or a number in words says.
    fn take_unit(&mut self, unit: &str, number: Option<i64>) {
        let count = number.unwrap_or(1);
        if let Some((_, seconds)) = UNITS.iter().find(|(name, _)| *name == unit) {
            self.shift -= count * seconds;
            return;
        }
        match unit {
            "month" => self.months += count,
            "year" => self.months += count * 12,
            "yesterday" => self.shift -= DAY,
            "noon" => {
                if self.here.hour < 12 {
                    self.shift -= DAY;
                }
                self.set_time(12, 0, 0);
            }
            "midnight" => self.set_time(0, 0, 0),
            "tea" => self.set_time(17, 0, 0),
            "one" | "last" | "a" | "an" => self.number = Some(1),
            "two" => self.number = Some(2),
            "three" => self.number = Some(3),
            _ => {}
        }
    }

    fn set_time(&mut self, hour: i64, minute: i64, second: i64) {
        (self.at.hour, self.at.minute, self.at.second) = (hour, minute, second);
    }

    /// Seconds since 1970, as if the parts were in UTC.
    fn seconds(&self) -> i64 {
        let mut at = self.at;
        at.month -= self.months;
        seconds(at) + self.shift
    }
}

/// A word without the `s` of the plural.
fn without_s(word: &str) -> &str {
    word.strip_suffix('s').unwrap_or(word)
}

/// The number of a day of the week, from Sunday, by the beginning of its name.
fn weekday(word: &str) -> Option<usize> {
    WEEKDAYS
        .iter()
        .position(|name| word.len() >= 3 && name.to_ascii_lowercase().starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_forms() {
        assert_eq!(parse("2005-04-07T22:13:13Z"), Some((1_112_911_993, 0)));
        assert_eq!(
            parse("2005-04-07 15:13:13 -0700"),
            Some((1_112_911_993, -700))
        );
        assert_eq!(
            parse("Thu, 7 Apr 2005 15:13:13 -0700"),
            Some((1_112_911_993, -700))
        );
        assert_eq!(
            parse("Thu Apr 7 15:13:13 2005 -0700"),
            Some((1_112_911_993, -700))
        );
        assert_eq!(parse("1112911993 +0200"), Some((1_112_911_993, 200)));
        assert_eq!(parse("nonsense"), None);
    }

    #[test]
    fn shown_as_git_does() {
        assert_eq!(
            show(1_112_911_993, -700, &Style::Normal),
            "Thu Apr 7 15:13:13 2005 -0700"
        );
        assert_eq!(
            show(1_112_911_993, -700, &Style::IsoStrict),
            "2005-04-07T15:13:13-07:00"
        );
        assert_eq!(relative(0, 86_400 * 400), "1 year, 1 month ago");
    }

    #[test]
    fn approximate_forms() {
        let now = 1_112_911_993;
        assert_eq!(approximate("2 days ago", now), now - 172_800);
        assert_eq!(approximate("yesterday", now), now - 86_400);
        assert_eq!(approximate("3.weeks.ago", now), now - 3 * 604_800);
    }
}
