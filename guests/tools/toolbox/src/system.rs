//! What the tools ask the system: codepod's kernel, or the machine itself when they are tried
//! there.

pub(crate) use codepod_sys::Errno;
pub(crate) use codepod_sys::file::{Links, Stat, mode};

/// A result of a call.
pub(crate) type Result<T, E = Errno> = std::result::Result<T, E>;

/// Type bits that are not in codepod's list.
pub(crate) const SOCKET: u32 = 0o140_000;
/// The type bits of a block device.
pub(crate) const BLOCK_DEVICE: u32 = 0o060_000;

#[cfg(target_family = "wasm")]
mod calls {
    use super::{Errno, Links, Result, Stat};
    use codepod_sys::file;
    pub(crate) use codepod_sys::file::{read_link, set_mode, set_owner, umask};

    /// The error number of an error of std's.
    pub(crate) fn errno(error: &std::io::Error) -> Errno {
        let number = error
            .raw_os_error()
            .and_then(|number| u16::try_from(number).ok());
        number.and_then(Errno::from_raw).unwrap_or(Errno::Io)
    }

    pub(crate) fn stat(path: &[u8], links: Links) -> Result<Stat> {
        file::stat_path(path, links)
    }

    /// What standard output is.
    pub(crate) fn stat_output() -> Result<Stat> {
        file::stat_open(codepod_sys::Fd::STDOUT)
    }

    /// What standard input is.
    pub(crate) fn stat_input() -> Result<Stat> {
        file::stat_open(codepod_sys::Fd::STDIN)
    }

    /// Where in a file standard input is. None where it is no file.
    pub(crate) fn input_place() -> Option<u64> {
        codepod_sys::descriptor::tell(codepod_sys::Fd::STDIN).ok()
    }

    /// Whether the process may read (4), write (2), execute (1) a file.
    pub(crate) fn may(path: &[u8], what: u32) -> bool {
        file::access(path, Links::Follow, what).is_ok()
    }

    pub(crate) fn make_fifo(path: &[u8], mode: u32) -> Result<()> {
        file::mkfifo(path, mode)
    }

    /// The names in a directory, without `.` and `..`.
    pub(crate) fn list(path: &[u8]) -> Result<Vec<Vec<u8>>> {
        let entries = codepod_sys::directory::list(path)?;
        Ok(entries.into_iter().map(|(name, _)| name).collect())
    }

    /// The process's user and group.
    pub(crate) fn user() -> (u32, u32) {
        codepod_sys::process::ids().map_or((0, 0), |ids| (ids.uid, ids.gid))
    }

    /// Columns of the terminal that standard output is.
    pub(crate) fn terminal_columns() -> Option<usize> {
        let state = codepod_sys::terminal::state(codepod_sys::Fd::STDOUT).ok()?;
        Some(state.columns as usize)
    }

    /// Leaves bytes that were read from standard input, and not used, to whoever reads it next. A
    /// pipe does not take them.
    pub(crate) fn give_back(count: usize) {
        use codepod_sys::descriptor::{Whence, seek};
        let _ = seek(codepod_sys::Fd::STDIN, -(count as i64), Whence::Current);
    }

    /// Whether a descriptor is a terminal.
    pub(crate) fn is_terminal(fd: u32) -> bool {
        codepod_sys::terminal::is_terminal(codepod_sys::Fd(fd))
    }
}

#[cfg(not(target_family = "wasm"))]
mod calls {
    use super::{Errno, Links, Result, Stat};
    use codepod_tool::path as as_path;
    use std::io::{self, IsTerminal as _, Seek as _};
    use std::os::fd::AsFd as _;
    use std::os::unix::ffi::OsStringExt as _;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    pub(crate) fn errno(error: &io::Error) -> Errno {
        match error.raw_os_error() {
            Some(1) => Errno::Perm,
            Some(2) => Errno::NoEnt,
            Some(13) => Errno::Access,
            Some(16) => Errno::Busy,
            Some(17) => Errno::Exist,
            Some(18) => Errno::Xdev,
            Some(20) => Errno::NotDir,
            Some(21) => Errno::IsDir,
            Some(22) => Errno::Inval,
            Some(26) => Errno::TxtBsy,
            Some(27) => Errno::Fbig,
            Some(28) => Errno::NoSpc,
            Some(29) => Errno::Spipe,
            Some(30) => Errno::Rofs,
            Some(32) => Errno::Pipe,
            Some(36) => Errno::NameTooLong,
            Some(39) => Errno::NotEmpty,
            Some(40) => Errno::Loop,
            Some(95) => Errno::NotSup,
            _ => Errno::Io,
        }
    }

    pub(crate) fn stat(path: &[u8], links: Links) -> Result<Stat> {
        let found = match links {
            Links::Follow => std::fs::metadata(as_path(path)),
            Links::Keep => std::fs::symlink_metadata(as_path(path)),
        };
        let found = found.map_err(|error| errno(&error))?;
        let time = |seconds: i64, nanoseconds: i64| {
            (seconds * 1_000_000_000 + nanoseconds)
                .max(0)
                .cast_unsigned()
        };
        Ok(Stat {
            dev: found.dev(),
            ino: found.ino(),
            nlink: found.nlink(),
            size: found.size(),
            blocks: found.blocks(),
            atime: time(found.atime(), found.atime_nsec()),
            mtime: time(found.mtime(), found.mtime_nsec()),
            ctime: time(found.ctime(), found.ctime_nsec()),
            rdev: found.rdev(),
            mode: found.mode(),
            uid: found.uid(),
            gid: found.gid(),
            reserved: 0,
        })
    }

    pub(crate) fn give_back(_count: usize) {}

    pub(crate) fn stat_output() -> Result<Stat> {
        stat(b"/dev/stdout", Links::Follow)
    }

    pub(crate) fn stat_input() -> Result<Stat> {
        stat(b"/dev/stdin", Links::Follow)
    }

    pub(crate) fn input_place() -> Option<u64> {
        let input = io::stdin().as_fd().try_clone_to_owned().ok()?;
        std::fs::File::from(input).stream_position().ok()
    }

    pub(crate) fn may(path: &[u8], what: u32) -> bool {
        let what = rustix::fs::Access::from_bits_truncate(what);
        rustix::fs::access(as_path(path), what).is_ok()
    }

    pub(crate) fn read_link(path: &[u8]) -> Result<Vec<u8>> {
        let target = std::fs::read_link(as_path(path)).map_err(|error| errno(&error))?;
        Ok(target.into_os_string().into_vec())
    }

    pub(crate) fn set_mode(path: &[u8], _links: Links, mode: u32) -> Result<()> {
        std::fs::set_permissions(as_path(path), std::fs::Permissions::from_mode(mode))
            .map_err(|error| errno(&error))
    }

    pub(crate) fn set_owner(
        path: &[u8],
        links: Links,
        uid: Option<u32>,
        gid: Option<u32>,
    ) -> Result<()> {
        let done = match links {
            Links::Follow => std::os::unix::fs::chown(as_path(path), uid, gid),
            Links::Keep => std::os::unix::fs::lchown(as_path(path), uid, gid),
        };
        done.map_err(|error| errno(&error))
    }

    pub(crate) fn umask(_mask: u32) -> Result<u32> {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("Umask:"));
        let mask = line.and_then(|line| u32::from_str_radix(line.trim(), 8).ok());
        Ok(mask.unwrap_or(0o022))
    }

    pub(crate) fn make_fifo(path: &[u8], mode: u32) -> Result<()> {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let mode = Mode::from_raw_mode(mode);
        mknodat(CWD, as_path(path), FileType::Fifo, mode, 0).map_err(|error| errno(&error.into()))
    }

    pub(crate) fn list(path: &[u8]) -> Result<Vec<Vec<u8>>> {
        let entries = std::fs::read_dir(as_path(path)).map_err(|error| errno(&error))?;
        Ok(entries
            .filter_map(|entry| Some(entry.ok()?.file_name().into_vec()))
            .collect())
    }

    pub(crate) fn user() -> (u32, u32) {
        stat(b"/proc/self", Links::Follow).map_or((0, 0), |own| (own.uid, own.gid))
    }

    pub(crate) fn terminal_columns() -> Option<usize> {
        None
    }

    pub(crate) fn is_terminal(fd: u32) -> bool {
        match fd {
            0 => io::stdin().is_terminal(),
            1 => io::stdout().is_terminal(),
            _ => io::stderr().is_terminal(),
        }
    }
}

pub(crate) use calls::*;

/// The umask. Asking for it means setting it.
pub(crate) fn current_umask() -> u32 {
    umask(0)
        .and_then(|mask| umask(mask).map(|_| mask))
        .unwrap_or(0o022)
}

/// A random number.
pub(crate) fn random() -> u32 {
    #[cfg(target_family = "wasm")]
    return codepod_sys::random::number();
    #[cfg(not(target_family = "wasm"))]
    return std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.subsec_nanos());
}

/// The error number of an error of std's.
pub(crate) fn io_message(error: &std::io::Error) -> String {
    codepod_tool::io_text(error)
}

/// Now.
pub(crate) fn now() -> codepod_datetime::Moment {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    codepod_datetime::Moment {
        seconds: since.as_secs().cast_signed(),
        nanoseconds: since.subsec_nanos(),
    }
}
