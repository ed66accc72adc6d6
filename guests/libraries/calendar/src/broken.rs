//! A moment broken down by a time zone.

use crate::{Civil, Zone};

/// A moment broken down: what C calls `struct tm`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// Date and time of day. The year is the full one; [`crate::strftime`] wraps it beyond 32
    /// bits, as C does.
    pub civil: Civil,
    /// From Sunday, 0.
    pub weekday: i64,
    /// Of the year, from 0.
    pub yearday: i64,
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
        let civil = Civil::from_seconds(seconds.checked_add(i64::from(offset))?);
        i32::try_from(civil.year - 1900).ok()?;
        Some(Broken {
            civil,
            weekday: civil.weekday(),
            yearday: civil.day_of_year(),
            offset,
            zone: name.to_vec(),
            seconds,
        })
    }
}
