//! The Gregorian calendar, in both directions, without a zone.

/// A date and a time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Civil {
    /// The year; 0 is before 1.
    pub year: i64,
    /// 1 to 12.
    pub month: i64,
    /// 1 to 31.
    pub day: i64,
    /// 0 to 23.
    pub hour: i64,
    /// 0 to 59.
    pub minute: i64,
    /// 0 to 60.
    pub second: i64,
}

/// Days from 1970-01-01 to a date. Months and days beyond their range carry over. Fails where
/// numbers end.
pub fn days_from_civil(year: i64, month: i64, day: i64) -> Option<i64> {
    let months = year.checked_mul(12)?.checked_add(month.checked_sub(1)?)?;
    let year = months.div_euclid(12);
    if year.abs() > 1 << 40 {
        return None;
    }
    let first = days_to_month(year, months.rem_euclid(12) + 1);
    first.checked_add(day.checked_sub(1)?)
}

/// Days from 1970-01-01 to the first of a month, which is 1 to 12. The year must be within 2^40.
pub fn days_to_month(year: i64, month: i64) -> i64 {
    // Years start in March, so that the leap day is the last.
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let of_era = shifted.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Whether a year has 366 days.
pub fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Year and number of the ISO 8601 week of a day, by its day of the year (from 0) and its weekday
/// (0 is Sunday).
pub fn iso_week(year: i64, day_of_year: i64, weekday: i64) -> (i64, i64) {
    // The week belongs to the year of its Thursday.
    let thursday = day_of_year + 3 - (weekday + 6) % 7;
    let length = |year: i64| 365 + i64::from(is_leap(year));
    if thursday < 0 {
        (year - 1, (thursday + length(year - 1)) / 7 + 1)
    } else if thursday >= length(year) {
        (year + 1, (thursday - length(year)) / 7 + 1)
    } else {
        (year, thursday / 7 + 1)
    }
}

impl Civil {
    /// Of seconds since 1970.
    pub fn from_seconds(seconds: i64) -> Civil {
        let days = seconds.div_euclid(86_400);
        let of_day = seconds.rem_euclid(86_400);
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let of_era = shifted.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        Civil {
            year: era * 400 + year_of_era + i64::from(month <= 2),
            month,
            day,
            hour: of_day / 3600,
            minute: of_day / 60 % 60,
            second: of_day % 60,
        }
    }

    /// Seconds since 1970, as if in UTC. Fields beyond their range carry over. Fails where numbers
    /// end.
    pub fn to_seconds(self) -> Option<i64> {
        let days = days_from_civil(self.year, self.month, self.day)?;
        let hours = days.checked_mul(24)?.checked_add(self.hour)?;
        let minutes = hours.checked_mul(60)?.checked_add(self.minute)?;
        minutes.checked_mul(60)?.checked_add(self.second)
    }

    /// 0 for Sunday.
    pub fn weekday(self) -> i64 {
        days_from_civil(self.year, self.month, self.day).map_or(0, |days| (days + 4).rem_euclid(7))
    }

    /// 0 for the first day of the year.
    pub fn day_of_year(self) -> i64 {
        let days = |month, day| days_from_civil(self.year, month, day).unwrap_or(0);
        days(self.month, self.day) - days(1, 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_dates_are_the_same_moments() {
        for seconds in [
            0,
            1,
            -1,
            951_782_400,
            951_868_799,
            1_577_882_096,
            1_709_164_800,
            4_102_444_800,
            -62_135_596_800,
        ] {
            assert_eq!(Civil::from_seconds(seconds).to_seconds(), Some(seconds));
        }
        let date = Civil::from_seconds(1_709_164_799);
        assert_eq!(
            (date.year, date.month, date.day, date.hour),
            (2024, 2, 28, 23)
        );
        let date = Civil::from_seconds(1_577_882_096);
        assert_eq!(
            (date.year, date.month, date.day, date.hour),
            (2020, 1, 1, 12)
        );
        assert_eq!((date.weekday(), date.day_of_year()), (3, 0));
    }

    #[test]
    fn days_go_there_and_back() {
        for days in (-1_000_000..1_000_000).step_by(97) {
            let date = Civil::from_seconds(days * 86_400);
            assert_eq!(days_from_civil(date.year, date.month, date.day), Some(days));
            assert_eq!(days_to_month(date.year, date.month) + date.day - 1, days);
        }
        assert_eq!(days_from_civil(2024, 14, 0), days_from_civil(2025, 1, 31));
        assert_eq!(days_from_civil(i64::MAX, 1, 1), None);
    }

    // What GNU date 9.1 prints with `%G-%V` for the first and last days of years.
    #[test]
    fn iso_weeks_belong_to_the_year_of_their_thursday() {
        for (year, month, day, wanted) in [
            (2005, 1, 1, (2004, 53)),
            (2005, 4, 7, (2005, 14)),
            (2008, 12, 29, (2009, 1)),
            (2012, 1, 1, (2011, 52)),
            (2015, 12, 31, (2015, 53)),
            (2020, 12, 31, (2020, 53)),
            (2021, 1, 3, (2020, 53)),
            (2024, 12, 30, (2025, 1)),
        ] {
            let date = Civil {
                year,
                month,
                day,
                ..Civil::default()
            };
            let week = iso_week(year, date.day_of_year(), date.weekday());
            assert_eq!(week, wanted);
        }
    }
}
