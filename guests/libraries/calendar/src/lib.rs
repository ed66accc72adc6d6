//! The calendar, POSIX time zones and C's `strftime`.
//!
//! [`Civil`] turns seconds into dates and back. [`Zone`] is what the variable `TZ` says, without a
//! database of zones. [`Broken`] is a moment in a zone, and [`strftime`] prints it as glibc does
//! in the locale C. The shell, awk and git use this crate alone, because it is small.
//! `codepod_datetime` builds on it what GNU's tools have: `date -d`, their own `strftime`, and the
//! whole database of zones.

mod broken;
mod civil;
mod names;
mod strftime;
mod zone;

pub use broken::Broken;
pub use civil::{Civil, days_from_civil, days_to_month, is_leap, iso_week};
pub use names::{MONTHS, WEEKDAYS};
pub use strftime::strftime;
pub use zone::Zone;
