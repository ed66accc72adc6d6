//! Dates: a moment broken down by a time zone, and `strftime` as the C library does it in the locale C.

mod names;
mod strftime;
mod zone;

pub use strftime::strftime;
pub use zone::Zone;

/// A moment broken down: what C calls `struct tm`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The full year. As in C it wraps beyond 32 bits.
    pub year: i64,
    /// From 0.
    pub month: u32,
    /// Of the month, from 1.
    pub day: u32,
    /// 0 to 23.
    pub hour: u32,
    /// 0 to 59.
    pub minute: u32,
    /// 0 to 59.
    pub second: u32,
    /// From Sunday, 0.
    pub weekday: u32,
    /// Of the year, from 0.
    pub yearday: u32,
    /// Seconds east of Greenwich.
    pub offset: i32,
    /// The zone's name.
    pub zone: Vec<u8>,
    /// Seconds since 1970.
    pub seconds: i64,
}

impl Broken {
    /// Breaks down seconds since 1970. None where C's `localtime` fails: the year does not fit.
    pub fn new(seconds: i64, zone: &Zone) -> Option<Broken> {
        let (offset, name) = zone.at(seconds);
        let local = seconds.checked_add(i64::from(offset))?;
        let days = local.div_euclid(86_400);
        let rest = local.rem_euclid(86_400) as u32;
        let (year, month, day) = civil(days);
        i32::try_from(year - 1900).ok()?;
        Some(Broken {
            year,
            month,
            day,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
            weekday: (days + 4).rem_euclid(7) as u32,
            yearday: (days - days_before(year, 0)) as u32,
            offset,
            zone: name.to_vec(),
            seconds,
        })
    }
}

/// Year, month (from 0) and day (from 1) of a day since 1970.
fn civil(days: i64) -> (i64, u32, u32) {
    // Years start in March, so that the leap day is the last.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day = shifted.rem_euclid(146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let yearday = day - (365 * year + year / 4 - year / 100);
    let month = (5 * yearday + 2) / 153;
    let first = (153 * month + 2) / 5;
    let calendar = (month + 2) % 12;
    let year = era * 400 + year + i64::from(calendar < 2);
    (year, calendar as u32, (yearday - first + 1) as u32)
}

/// Days from 1970 to the first of a month (from 0).
fn days_before(year: i64, month: u32) -> i64 {
    const BEFORE: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let past = year - 1;
    let leaps = past.div_euclid(4) - past.div_euclid(100) + past.div_euclid(400) - 477;
    let leap = month > 1 && is_leap(year);
    (year - 1970) * 365 + leaps + BEFORE[month as usize % 12] + i64::from(leap)
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_go_there_and_back() {
        for days in (-1_000_000..1_000_000).step_by(97) {
            let (year, month, day) = civil(days);
            assert_eq!(days_before(year, month) + i64::from(day) - 1, days);
        }
        assert_eq!(civil(0), (1970, 0, 1));
        assert_eq!(civil(11_016), (2000, 1, 29));
    }
}
