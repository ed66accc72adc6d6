//! Times of files, for WASI, where the real crate sets none and panics when it is asked for one.

use std::fmt;
use std::fs::Metadata;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};

/// A moment: seconds since 1970, and nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileTime {
    seconds: i64,
    nanoseconds: u32,
}

impl FileTime {
    /// The beginning of 1970.
    pub const fn zero() -> FileTime {
        FileTime::from_unix_time(0, 0)
    }

    /// This moment.
    pub fn now() -> FileTime {
        FileTime::from_system_time(SystemTime::now())
    }

    /// Seconds since 1970, and nanoseconds.
    pub const fn from_unix_time(seconds: i64, nanoseconds: u32) -> FileTime {
        FileTime {
            seconds,
            nanoseconds,
        }
    }

    /// From a time of the standard library.
    pub fn from_system_time(time: SystemTime) -> FileTime {
        match time.duration_since(UNIX_EPOCH) {
            Ok(since) => from_duration(since),
            Err(error) => before(error.duration()),
        }
    }

    /// When a file's content was changed.
    pub fn from_last_modification_time(metadata: &Metadata) -> FileTime {
        metadata.modified().map_or(FileTime::zero(), FileTime::from)
    }

    /// When a file was read.
    pub fn from_last_access_time(metadata: &Metadata) -> FileTime {
        metadata.accessed().map_or(FileTime::zero(), FileTime::from)
    }

    /// When a file was created. Nobody knows.
    pub fn from_creation_time(_metadata: &Metadata) -> Option<FileTime> {
        None
    }

    /// Seconds since 1970.
    pub const fn unix_seconds(&self) -> i64 {
        self.seconds
    }

    /// Seconds since 1970.
    pub const fn seconds(&self) -> i64 {
        self.seconds
    }

    /// Nanoseconds behind the seconds.
    pub const fn nanoseconds(&self) -> u32 {
        self.nanoseconds
    }

    fn timespec(self) -> Timespec {
        Timespec {
            tv_sec: self.seconds,
            tv_nsec: self.nanoseconds as _,
        }
    }
}

fn from_duration(since: Duration) -> FileTime {
    FileTime::from_unix_time(since.as_secs().cast_signed(), since.subsec_nanos())
}

/// The moment so long before 1970: nanoseconds count forward.
fn before(until: Duration) -> FileTime {
    let seconds = -until.as_secs().cast_signed();
    match until.subsec_nanos() {
        0 => FileTime::from_unix_time(seconds, 0),
        nanoseconds => FileTime::from_unix_time(seconds - 1, 1_000_000_000 - nanoseconds),
    }
}

impl From<SystemTime> for FileTime {
    fn from(time: SystemTime) -> FileTime {
        FileTime::from_system_time(time)
    }
}

impl fmt::Display for FileTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:09}s", self.seconds, self.nanoseconds)
    }
}

/// Sets the times of what a path leads to.
pub fn set_file_times<P: AsRef<Path>>(
    path: P,
    accessed: FileTime,
    modified: FileTime,
) -> io::Result<()> {
    set(path.as_ref(), accessed, modified, AtFlags::empty())
}

/// Sets the times of a symbolic link itself.
pub fn set_symlink_file_times<P: AsRef<Path>>(
    path: P,
    accessed: FileTime,
    modified: FileTime,
) -> io::Result<()> {
    set(path.as_ref(), accessed, modified, AtFlags::SYMLINK_NOFOLLOW)
}

fn set(path: &Path, accessed: FileTime, modified: FileTime, flags: AtFlags) -> io::Result<()> {
    let times = Timestamps {
        last_access: accessed.timespec(),
        last_modification: modified.timespec(),
    };
    Ok(utimensat(CWD, path, &times, flags)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_before_1970_have_positive_nanoseconds() {
        let time = FileTime::from_system_time(UNIX_EPOCH - Duration::from_millis(1500));
        assert_eq!(time, FileTime::from_unix_time(-2, 500_000_000));
        assert_eq!(
            FileTime::from_system_time(UNIX_EPOCH - Duration::from_secs(3)),
            FileTime::from_unix_time(-3, 0)
        );
    }
}
