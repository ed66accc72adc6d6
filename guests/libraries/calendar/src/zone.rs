//! Time zones: UTC, what a POSIX `TZ` string says (`EST5EDT,M3.2.0,M11.1.0`), and some well-known
//! names. Another name is UTC, as it is for the C library without a database of zones.

mod rules;

use crate::{Civil, days_to_month, is_leap};

/// A time zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone {
    standard: (i32, Vec<u8>),
    summer: Option<Summer>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Summer {
    offset: i32,
    name: Vec<u8>,
    start: Change,
    end: Change,
}

/// When a change happens: a day of the year and the seconds into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Change {
    day: Day,
    time: i32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Day {
    /// `Jn`: from 1, February 29 never counts.
    Julian(u32),
    /// `n`: from 0, February 29 counts.
    Zero(u32),
    /// `Mm.w.d`
    Week { month: i64, week: i64, weekday: i64 },
}

impl Zone {
    /// UTC.
    pub fn utc() -> Zone {
        Zone::fixed(0, b"UTC")
    }

    /// Always so many seconds east of Greenwich, under this name.
    pub fn fixed(offset: i32, name: &[u8]) -> Zone {
        Zone {
            standard: (offset, name.to_vec()),
            summer: None,
        }
    }

    /// What `TZ` says.
    pub fn parse(text: &[u8]) -> Zone {
        let text = text.strip_prefix(b":").unwrap_or(text);
        if text.is_empty() {
            return Zone::utc();
        }
        let mut rest = rules::rule(text).unwrap_or(text);
        let Some(standard) = name(&mut rest) else {
            return Zone::utc();
        };
        let Some(offset) = time(&mut rest, 24) else {
            // No offset: the name is kept, the time is UTC.
            return Zone::fixed(0, standard);
        };
        let offset = -offset;
        let Some(summer) = name(&mut rest) else {
            return Zone::fixed(offset, standard);
        };
        let ahead = match time(&mut rest, 24) {
            Some(time) => -time,
            None => offset + 3600,
        };
        // The rule of the United States when none is given.
        let (mut start, mut end) = (sunday(3, 2), sunday(11, 1));
        if !rest.is_empty() {
            let rules = change(&mut rest).and_then(|first| Some((first, change(&mut rest)?)));
            match rules {
                Some(rules) => (start, end) = rules,
                None => return Zone::fixed(offset, standard),
            }
        }
        Zone {
            standard: (offset, standard.to_vec()),
            summer: Some(Summer {
                offset: ahead,
                name: summer.to_vec(),
                start,
                end,
            }),
        }
    }

    /// Seconds east of Greenwich at a moment, and what the zone is called then.
    pub(crate) fn at(&self, seconds: i64) -> (i32, &[u8]) {
        let (offset, name) = (self.standard.0, &self.standard.1[..]);
        let Some(summer) = &self.summer else {
            return (offset, name);
        };
        let local = seconds.saturating_add(i64::from(offset));
        let year = Civil::from_seconds(local).year;
        let start = summer.start.seconds(year) - i64::from(offset);
        let end = summer.end.seconds(year) - i64::from(summer.offset);
        let in_summer = if start <= end {
            (start..end).contains(&seconds)
        } else {
            !(end..start).contains(&seconds)
        };
        if in_summer {
            (summer.offset, &summer.name)
        } else {
            (offset, name)
        }
    }
}

impl Change {
    /// The local moment in a year, as if it were UTC.
    fn seconds(self, year: i64) -> i64 {
        let first = days_to_month(year, 1);
        let day = match self.day {
            Day::Julian(day) => first + i64::from(day) - 1 + i64::from(day > 59 && is_leap(year)),
            Day::Zero(day) => first + i64::from(day),
            Day::Week {
                month,
                week,
                weekday,
            } => {
                let start = days_to_month(year, month);
                let end = if month == 12 {
                    days_to_month(year + 1, 1)
                } else {
                    days_to_month(year, month + 1)
                };
                let lead = (weekday - (start + 4).rem_euclid(7)).rem_euclid(7);
                let mut day = start + lead + 7 * (week - 1);
                while day >= end {
                    day -= 7;
                }
                day
            }
        };
        day * 86_400 + i64::from(self.time)
    }
}

fn sunday(month: i64, week: i64) -> Change {
    Change {
        day: Day::Week {
            month,
            week,
            weekday: 0,
        },
        time: 7200,
    }
}

/// `EST`, `<+03>`: at least three letters.
fn name<'t>(rest: &mut &'t [u8]) -> Option<&'t [u8]> {
    if let Some(inside) = rest.strip_prefix(b"<") {
        let end = inside.iter().position(|byte| *byte == b'>')?;
        let fits = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-".contains(byte);
        if end < 3 || !inside[..end].iter().all(fits) {
            return None;
        }
        *rest = &inside[end + 1..];
        return Some(&inside[..end]);
    }
    let end = rest
        .iter()
        .position(|byte| !byte.is_ascii_alphabetic())
        .unwrap_or(rest.len());
    if end < 3 {
        return None;
    }
    let (name, tail) = rest.split_at(end);
    *rest = tail;
    Some(name)
}

fn number(rest: &mut &[u8]) -> Option<i32> {
    let end = rest
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(rest.len());
    let value = std::str::from_utf8(&rest[..end]).ok()?.parse().ok()?;
    *rest = &rest[end..];
    Some(value)
}

/// `[+-]hh[:mm[:ss]]` in seconds.
fn time(rest: &mut &[u8], most: i32) -> Option<i32> {
    let mut tail = *rest;
    let negative = tail.first() == Some(&b'-');
    if matches!(tail.first(), Some(b'-' | b'+')) {
        tail = &tail[1..];
    }
    let mut seconds = number(&mut tail)?.min(most) * 3600;
    for unit in [60, 1] {
        let Some(mut after) = tail.strip_prefix(b":") else {
            break;
        };
        seconds += number(&mut after)?.min(59) * unit;
        tail = after;
    }
    *rest = tail;
    Some(if negative { -seconds } else { seconds })
}

/// `,date[/time]`
fn change(rest: &mut &[u8]) -> Option<Change> {
    let mut tail = rest.strip_prefix(b",")?;
    let day = if let Some(after) = tail.strip_prefix(b"J") {
        tail = after;
        Day::Julian(
            u32::try_from(number(&mut tail)?)
                .ok()
                .filter(|day| (1..=365).contains(day))?,
        )
    } else if let Some(after) = tail.strip_prefix(b"M") {
        tail = after;
        let month = number(&mut tail)?;
        tail = tail.strip_prefix(b".")?;
        let week = number(&mut tail)?;
        tail = tail.strip_prefix(b".")?;
        let weekday = number(&mut tail)?;
        if !(1..=12).contains(&month) || !(1..=5).contains(&week) || !(0..=6).contains(&weekday) {
            return None;
        }
        Day::Week {
            month: month.into(),
            week: week.into(),
            weekday: weekday.into(),
        }
    } else {
        Day::Zero(
            u32::try_from(number(&mut tail)?)
                .ok()
                .filter(|day| *day <= 365)?,
        )
    };
    let mut at = 7200;
    if let Some(mut after) = tail.strip_prefix(b"/") {
        at = time(&mut after, 167)?;
        tail = after;
    }
    *rest = tail;
    Some(Change { day, time: at })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offset(zone: &str, seconds: i64) -> (i32, String) {
        let zone = Zone::parse(zone.as_bytes());
        let (offset, name) = zone.at(seconds);
        (offset, String::from_utf8_lossy(name).into_owned())
    }

    #[test]
    fn summer_time_starts_and_ends_as_the_rules_say() {
        const ZONE: &str = "CET-1CEST,M3.5.0,M10.5.0/3";
        assert_eq!(offset(ZONE, 1_711_846_799), (3600, "CET".into()));
        assert_eq!(offset(ZONE, 1_711_846_800), (7200, "CEST".into()));
        assert_eq!(offset(ZONE, 1_729_990_799), (7200, "CEST".into()));
        assert_eq!(offset(ZONE, 1_729_990_800), (3600, "CET".into()));
    }

    #[test]
    fn zones_without_an_offset_are_utc() {
        assert_eq!(offset("XYZ", 0), (0, "XYZ".into()));
        assert_eq!(offset("Foo/Bar", 0), (0, "Foo".into()));
        assert_eq!(offset("", 0), (0, "UTC".into()));
        assert_eq!(offset("<+0330>-3:30", 0), (12_600, "+0330".into()));
    }

    #[test]
    fn summer_of_the_southern_hemisphere_spans_the_new_year() {
        const ZONE: &str = "AEST-10AEDT,M10.1.0,M4.1.0/3";
        assert_eq!(offset(ZONE, 1_704_067_200), (39_600, "AEDT".into()));
        assert_eq!(offset(ZONE, 1_719_792_000), (36_000, "AEST".into()));
    }
}
