//! Time zones: what `TZ` says.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};

use crate::Civil;

/// A time zone.
#[derive(Debug, Clone)]
pub enum Zone {
    /// UTC, under this name.
    Utc(String),
    /// A fixed distance to UTC in seconds, east is positive; its name.
    Fixed(i64, String),
    /// One with rules.
    Rules(Box<TimeZone>),
}

/// What a zone says about a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Local {
    /// Seconds east of UTC.
    pub offset: i64,
    /// The abbreviation.
    pub name: String,
}

impl Zone {
    /// What the variable `TZ` says; UTC where it says nothing or nothing that is known, as glibc
    /// does.
    pub fn from_environment() -> Zone {
        match std::env::var("TZ") {
            Ok(text) => Zone::from_text(&text),
            Err(_) => Zone::Utc("UTC".into()),
        }
    }

    /// What a text like that variable says.
    pub fn from_text(text: &str) -> Zone {
        let text = text.strip_prefix(':').unwrap_or(text);
        let name = text
            .rsplit_once("/zoneinfo/")
            .map_or(text, |(_, name)| name);
        if name.is_empty() {
            return Zone::Utc("UTC".into());
        }
        // Short names like EST5EDT are both: the data has the better rules.
        if let Ok(zone) = TimeZone::get(name) {
            if zone == TimeZone::UTC {
                let name = if name.eq_ignore_ascii_case("gmt") {
                    "GMT"
                } else {
                    "UTC"
                };
                return Zone::Utc(name.into());
            }
            return Zone::Rules(Box::new(zone));
        }
        match TimeZone::posix(name) {
            Ok(zone) => Zone::Rules(Box::new(zone)),
            // glibc takes the letters at the beginning as the name of UTC.
            Err(_) => {
                let letters: String = name.chars().take_while(char::is_ascii_alphabetic).collect();
                Zone::Utc(if letters.len() < 3 {
                    "UTC".into()
                } else {
                    letters
                })
            }
        }
    }

    /// What the zone says about a moment.
    pub fn at(&self, seconds: i64) -> Local {
        match self {
            Zone::Utc(name) => Local {
                offset: 0,
                name: name.clone(),
            },
            Zone::Fixed(offset, name) => Local {
                offset: *offset,
                name: name.clone(),
            },
            Zone::Rules(zone) => {
                let least = Timestamp::MIN.as_second();
                let most = Timestamp::MAX.as_second();
                let clamped = seconds.clamp(least, most);
                let Ok(moment) = Timestamp::from_second(clamped) else {
                    return Local {
                        offset: 0,
                        name: "UTC".into(),
                    };
                };
                let info = zone.to_offset_info(moment);
                Local {
                    offset: info.offset().seconds().into(),
                    name: info.abbreviation().to_owned(),
                }
            }
        }
    }

    /// The date and time of day of a moment.
    pub fn civil(&self, seconds: i64) -> Civil {
        Civil::from_seconds(seconds.saturating_add(self.at(seconds).offset))
    }

    /// The moment of a date and time of day, whose fields may be beyond their range. Fails where
    /// numbers end. Where a clock is put forward, the time that it skips is taken by the
    /// distance before; where it is put back, the first.
    pub fn moment(&self, civil: Civil) -> Option<i64> {
        let naive = civil.to_seconds()?;
        let Zone::Rules(zone) = self else {
            return naive.checked_sub(self.at(0).offset);
        };
        let whole = Civil::from_seconds(naive);
        let small = |number: i64| i8::try_from(number).ok();
        let date_time = i16::try_from(whole.year).ok().and_then(|year| {
            let (month, day) = (small(whole.month)?, small(whole.day)?);
            let (hour, minute, second) = (
                small(whole.hour)?,
                small(whole.minute)?,
                small(whole.second)?,
            );
            DateTime::new(year, month, day, hour, minute, second, 0).ok()
        });
        let Some(date_time) = date_time else {
            return naive.checked_sub(self.at(naive).offset);
        };
        let offset = match zone.to_ambiguous_timestamp(date_time).offset() {
            AmbiguousOffset::Unambiguous { offset } => offset,
            AmbiguousOffset::Gap { before, .. } | AmbiguousOffset::Fold { before, .. } => before,
        };
        naive.checked_sub(offset.seconds().into())
    }

    /// Whether clocks skip that time of day.
    pub fn skips(&self, civil: Civil) -> bool {
        let Some(moment) = self.moment(civil) else {
            return false;
        };
        let (back, wanted) = (self.civil(moment), civil.to_seconds());
        back.to_seconds() != wanted
    }
}
