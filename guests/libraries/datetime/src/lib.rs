//! Dates as GNU's tools read and write them.
//!
//! [`parse`] understands what `date -d` and `touch -d` do: absolute and relative forms in any
//! order. [`format`] is GNU's `strftime` with its flags, widths and `%N`. [`Zone`] is what the
//! variable `TZ` says, by the data that is compiled in. The locale is C.

mod format;
mod parse;
mod words;
mod zone;

pub use codepod_calendar::{Civil, MONTHS, WEEKDAYS, days_from_civil};
pub use format::format;
pub use parse::parse;
pub use zone::{Local, Zone};

/// A moment: seconds since 1970 and nanoseconds, which count forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Moment {
    /// Seconds since 1970.
    pub seconds: i64,
    /// Less than a thousand million.
    pub nanoseconds: u32,
}

impl Moment {
    /// From nanoseconds since 1970.
    pub fn from_nanoseconds(nanoseconds: u64) -> Moment {
        Moment {
            seconds: (nanoseconds / 1_000_000_000).cast_signed(),
            nanoseconds: (nanoseconds % 1_000_000_000) as u32,
        }
    }
}
