//! Days and times from seconds, in UTC: the sandbox has no other zone.

/// A moment as a calendar and a clock show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Date {
    /// Year.
    pub(crate) year: i64,
    /// Month, 1 to 12.
    pub(crate) month: u32,
    /// Day of the month, 1 to 31.
    pub(crate) day: u32,
    /// Hour.
    pub(crate) hour: u32,
    /// Minute.
    pub(crate) minute: u32,
    /// Second.
    pub(crate) second: u32,
}

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

impl Date {
    /// The date of a moment.
    pub(crate) fn from_seconds(seconds: i64) -> Date {
        let days = seconds.div_euclid(86_400);
        let rest = seconds.rem_euclid(86_400) as u32;
        // From the first of March of the year 0, so that a leap day ends a year.
        let days = days.saturating_add(719_468);
        let era = days.div_euclid(146_097);
        let of_era = days.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * of_year + 2) / 153;
        let day = of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 {
            shifted + 3
        } else {
            shifted - 9
        };
        Date {
            year: year_of_era + era * 400 + i64::from(month <= 2),
            month: month as u32,
            day: day as u32,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
        }
    }

    /// The moment of a date; a day or month out of range counts on.
    pub(crate) fn to_seconds(self) -> i64 {
        let year = if self.month <= 2 {
            self.year - 1
        } else {
            self.year
        };
        let era = year.div_euclid(400);
        let of_era = year.rem_euclid(400);
        let shifted = (i64::from(self.month) + 9) % 12;
        let of_year = (153 * shifted + 2) / 5 + i64::from(self.day) - 1;
        let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
        let clock =
            i64::from(self.hour) * 3600 + i64::from(self.minute) * 60 + i64::from(self.second);
        days * 86_400 + clock
    }

    /// The month's name, short.
    pub(crate) fn month_name(self) -> &'static str {
        MONTHS[(self.month as usize - 1) % 12]
    }
}

/// `Nov 15 08:27`
pub(crate) fn month_day_time(seconds: i64) -> String {
    let date = Date::from_seconds(seconds);
    format!(
        "{} {:2} {:02}:{:02}",
        date.month_name(),
        date.day,
        date.hour,
        date.minute
    )
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
            1_709_164_800,
            4_102_444_800,
            -62_135_596_800,
        ] {
            assert_eq!(Date::from_seconds(seconds).to_seconds(), seconds);
        }
        let date = Date::from_seconds(1_709_164_799);
        assert_eq!(
            (date.year, date.month, date.day, date.hour),
            (2024, 2, 28, 23)
        );
        assert_eq!(month_day_time(0), "Jan  1 00:00");
    }
}
