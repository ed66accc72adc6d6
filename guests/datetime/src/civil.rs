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

/// Days from 1970-01-01 to a date. Fails where numbers end.
pub fn days_from_civil(year: i64, month: i64, day: i64) -> Option<i64> {
    let months = year.checked_mul(12)?.checked_add(month.checked_sub(1)?)?;
    let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
    if year.abs() > 1 << 40 {
        return None;
    }
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let of_era = shifted.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    days.checked_add(day.checked_sub(1)?)
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

    /// Seconds since 1970, as if in UTC. Fields beyond their range carry over. Fails where numbers end.
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
}
