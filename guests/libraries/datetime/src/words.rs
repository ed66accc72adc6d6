//! Words of dates: months, days, units, zones.

use crate::{MONTHS, WEEKDAYS};

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Year,
    Month,
    /// This many days.
    Days(i64),
    Hour,
    Minute,
    Second,
}

/// What a word means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    Am,
    Pm,
    Month(i64),
    Weekday(i64),
    Unit(Unit),
    /// `first`, `next`, `last`.
    Ordinal(i64),
    /// `tomorrow`: so many days from now.
    DayShift(i64),
    Ago,
    Hence,
    Dst,
    /// Minutes east of UTC; the second is whether it is daylight saving time.
    Zone(i64, bool),
    /// A letter that is `T` between date and time as well.
    T,
}

/// What a word means; case does not count, nor does one period within it.
pub(crate) fn lookup(text: &str) -> Option<Word> {
    let word = text.to_ascii_lowercase();
    match word.as_str() {
        "am" | "a.m." => return Some(Word::Am),
        "pm" | "p.m." => return Some(Word::Pm),
        _ => {}
    }
    let abbreviated = word.len() == 3 || (word.len() == 4 && word.ends_with('.'));
    let begins = |name: &str| {
        let name = name.to_ascii_lowercase();
        if abbreviated {
            name[..3] == word[..3]
        } else {
            name == word
        }
    };
    if word.is_char_boundary(3) {
        if let Some(month) = MONTHS.iter().position(|name| begins(name)) {
            return Some(Word::Month(month as i64 + 1));
        }
        if let Some(day) = WEEKDAYS.iter().position(|name| begins(name)) {
            return Some(Word::Weekday(day as i64));
        }
    }
    match word.as_str() {
        "sept" => return Some(Word::Month(9)),
        "tues" => return Some(Word::Weekday(2)),
        "wednes" => return Some(Word::Weekday(3)),
        "thur" | "thurs" => return Some(Word::Weekday(4)),
        _ => {}
    }
    if let Some((_, minutes, dst)) = ZONES.iter().find(|(name, ..)| *name == word) {
        return Some(Word::Zone(*minutes, *dst));
    }
    if word == "dst" {
        return Some(Word::Dst);
    }
    if let Some(word) = unit(&word).or_else(|| word.strip_suffix('s').and_then(unit)) {
        return Some(word);
    }
    let ordinal = |number| Some(Word::Ordinal(number));
    let found = match word.as_str() {
        "tomorrow" => Some(Word::DayShift(1)),
        "yesterday" => Some(Word::DayShift(-1)),
        "today" | "now" => Some(Word::DayShift(0)),
        "last" => ordinal(-1),
        "this" => ordinal(0),
        "next" | "first" => ordinal(1),
        "third" => ordinal(3),
        "fourth" => ordinal(4),
        "fifth" => ordinal(5),
        "sixth" => ordinal(6),
        "seventh" => ordinal(7),
        "eighth" => ordinal(8),
        "ninth" => ordinal(9),
        "tenth" => ordinal(10),
        "eleventh" => ordinal(11),
        "twelfth" => ordinal(12),
        "ago" => Some(Word::Ago),
        "hence" => Some(Word::Hence),
        _ => None,
    };
    if found.is_some() {
        return found;
    }
    if word.len() == 1 {
        return military(word.as_bytes()[0]);
    }
    let without: String = word.chars().filter(|letter| *letter != '.').collect();
    if without.len() < word.len() && !without.is_empty() {
        lookup(&without)
    } else {
        None
    }
}

fn unit(word: &str) -> Option<Word> {
    Some(Word::Unit(match word {
        "year" => Unit::Year,
        "month" => Unit::Month,
        "fortnight" => Unit::Days(14),
        "week" => Unit::Days(7),
        "day" => Unit::Days(1),
        "hour" => Unit::Hour,
        "minute" | "min" => Unit::Minute,
        "second" | "sec" => Unit::Second,
        _ => return None,
    }))
}

fn military(letter: u8) -> Option<Word> {
    let hours = match letter {
        b'a'..=b'i' => i64::from(letter - b'a') + 1,
        b'k'..=b'm' => i64::from(letter - b'k') + 10,
        b'n'..=b's' => -(i64::from(letter - b'n') + 1),
        b't' => return Some(Word::T),
        b'u'..=b'y' => -(i64::from(letter - b'u') + 8),
        b'z' => 0,
        _ => return None,
    };
    Some(Word::Zone(hours * 60, false))
}

/// Names of zones, minutes east of UTC, and whether that is daylight saving time.
const ZONES: &[(&str, i64, bool)] = &[
    ("gmt", 0, false),
    ("ut", 0, false),
    ("utc", 0, false),
    ("wet", 0, false),
    ("west", 0, true),
    ("bst", 0, true),
    ("art", -180, false),
    ("brt", -180, false),
    ("brst", -180, true),
    ("nst", -210, false),
    ("ndt", -210, true),
    ("ast", -240, false),
    ("adt", -240, true),
    ("clt", -240, false),
    ("clst", -240, true),
    ("est", -300, false),
    ("edt", -300, true),
    ("cst", -360, false),
    ("cdt", -360, true),
    ("mst", -420, false),
    ("mdt", -420, true),
    ("pst", -480, false),
    ("pdt", -480, true),
    ("akst", -540, false),
    ("akdt", -540, true),
    ("hst", -600, false),
    ("hast", -600, false),
    ("hadt", -600, true),
    ("sst", -720, false),
    ("wat", 60, false),
    ("cet", 60, false),
    ("cest", 60, true),
    ("met", 60, false),
    ("mez", 60, false),
    ("mest", 60, true),
    ("mesz", 60, true),
    ("eet", 120, false),
    ("eest", 120, true),
    ("cat", 120, false),
    ("sast", 120, false),
    ("eat", 180, false),
    ("msk", 180, false),
    ("msd", 180, true),
    ("ist", 330, false),
    ("sgt", 480, false),
    ("kst", 540, false),
    ("jst", 540, false),
    ("gst", 600, false),
    ("nzst", 720, false),
    ("nzdt", 720, true),
];
