//! Dates of the calendar, in UTC.

/// A moment as people write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Civil {
    pub(crate) year: i64,
    /// From 1.
    pub(crate) month: u32,
    /// From 1.
    pub(crate) day: u32,
    pub(crate) hour: u32,
    pub(crate) minute: u32,
    pub(crate) second: u32,
    /// From Sunday, 0.
    pub(crate) weekday: u32,
    /// From 1.
    pub(crate) year_day: u32,
}

/// The names of days.
pub(crate) const DAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];
/// The names of months.
pub(crate) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Days since 1970 of a date.
pub(crate) fn days(year: i64, month: u32, day: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let month = i64::from((month + 9) % 12);
    let of_year = (153 * month + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The date and time of seconds since 1970.
pub(crate) fn civil(seconds: i64) -> Civil {
    let number = seconds.div_euclid(86_400);
    let rest = seconds.rem_euclid(86_400) as u32;
    let shifted = number + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = (of_year - (153 * shifted_month + 2) / 5 + 1) as u32;
    let month = (if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    }) as u32;
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    Civil {
        year,
        month,
        day,
        hour: rest / 3600,
        minute: rest / 60 % 60,
        second: rest % 60,
        weekday: (number + 4).rem_euclid(7) as u32,
        year_day: (number - days(year, 1, 1) + 1) as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_go_both_ways() {
        for seconds in [0, 951_782_400, 1_577_882_096, -1, 4_102_444_800] {
            let date = civil(seconds);
            let back = days(date.year, date.month, date.day) * 86_400
                + i64::from(date.hour * 3600 + date.minute * 60 + date.second);
            assert_eq!(back, seconds);
        }
        let date = civil(1_577_882_096);
        assert_eq!(
            (
                date.year,
                date.month,
                date.day,
                date.hour,
                date.weekday,
                date.year_day
            ),
            (2020, 1, 1, 12, 3, 1)
        );
    }
}
