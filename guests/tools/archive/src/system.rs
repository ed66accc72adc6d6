//! Files as an archive knows them: types, modes, owners, times, links.
//!
//! Two ways lead there: the kernel's own calls inside the sandbox, and the machine's where tests
//! run. Paths are bytes.

use std::fs::File;
use std::io;

use codepod_tool::path;
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps};

/// Mask of the type in a mode.
pub(crate) const TYPE: u32 = 0o170_000;
/// A regular file.
pub(crate) const REGULAR: u32 = 0o100_000;
/// A directory.
pub(crate) const DIRECTORY: u32 = 0o040_000;
/// A symbolic link.
pub(crate) const SYMLINK: u32 = 0o120_000;
/// A fifo.
pub(crate) const FIFO: u32 = 0o010_000;
/// A character device.
pub(crate) const CHARACTER: u32 = 0o020_000;
/// A block device.
pub(crate) const BLOCK: u32 = 0o060_000;

/// A moment: seconds since 1970, and nanoseconds behind them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Moment {
    /// Seconds since 1970.
    pub(crate) seconds: i64,
    /// Nanoseconds, always forward.
    pub(crate) nanoseconds: u32,
}

impl Moment {
    /// This moment.
    pub(crate) fn now() -> Moment {
        match std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH) {
            Ok(since) => Moment {
                seconds: since.as_secs().cast_signed(),
                nanoseconds: since.subsec_nanos(),
            },
            Err(_) => Moment::default(),
        }
    }
}

/// What is known of a file.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Meta {
    /// Type and permissions.
    pub(crate) mode: u32,
    /// Owner.
    pub(crate) uid: u32,
    /// Group.
    pub(crate) gid: u32,
    /// Bytes.
    pub(crate) size: u64,
    /// When it was changed.
    pub(crate) modified: Moment,
    /// When it was read.
    pub(crate) accessed: Moment,
    /// When anything of it was changed.
    pub(crate) changed: Moment,
    /// Device and number: the same for the same file.
    pub(crate) id: (u64, u64),
    /// Links to it.
    pub(crate) links: u64,
    /// The device that it stands for.
    pub(crate) device: u64,
}

impl Meta {
    /// Its type, as bits of a mode.
    pub(crate) fn kind(&self) -> u32 {
        self.mode & TYPE
    }

    /// Whether it is a directory.
    pub(crate) fn is_directory(&self) -> bool {
        self.kind() == DIRECTORY
    }
}

/// What is known of a path; of a link itself unless `follow`.
#[cfg(target_os = "wasi")]
pub(crate) fn stat(name: &[u8], follow: bool) -> io::Result<Meta> {
    use codepod_sys::file::{Links, stat_path};
    let links = if follow { Links::Follow } else { Links::Keep };
    stat_path(name, links)
        .map(from_kernel)
        .map_err(codepod_sys::io_error)
}

/// What is known of an open file.
#[cfg(target_os = "wasi")]
pub(crate) fn stat_open(file: &impl std::os::fd::AsRawFd) -> io::Result<Meta> {
    let stat = codepod_sys::file::stat_open(codepod_sys::Fd::of(file));
    stat.map(from_kernel).map_err(codepod_sys::io_error)
}

#[cfg(target_os = "wasi")]
fn from_kernel(stat: codepod_sys::file::Stat) -> Meta {
    let moment = |nanoseconds: u64| Moment {
        seconds: (nanoseconds / 1_000_000_000).cast_signed(),
        nanoseconds: (nanoseconds % 1_000_000_000) as u32,
    };
    Meta {
        mode: stat.mode,
        uid: stat.uid,
        gid: stat.gid,
        size: stat.size,
        modified: moment(stat.mtime),
        accessed: moment(stat.atime),
        changed: moment(stat.ctime),
        id: (stat.dev, stat.ino),
        links: stat.nlink,
        device: stat.rdev,
    }
}

/// What is known of a path; of a link itself unless `follow`.
#[cfg(not(target_os = "wasi"))]
pub(crate) fn stat(name: &[u8], follow: bool) -> io::Result<Meta> {
    let stat = match follow {
        true => std::fs::metadata(path(name)),
        false => std::fs::symlink_metadata(path(name)),
    };
    stat.map(|stat| from_machine(&stat))
}

/// What is known of an open file.
#[cfg(not(target_os = "wasi"))]
pub(crate) fn stat_open(file: &impl std::os::fd::AsFd) -> io::Result<Meta> {
    let copy = file.as_fd().try_clone_to_owned()?;
    File::from(copy).metadata().map(|stat| from_machine(&stat))
}

#[cfg(not(target_os = "wasi"))]
fn from_machine(stat: &std::fs::Metadata) -> Meta {
    use std::os::unix::fs::MetadataExt as _;
    let moment = |seconds, nanoseconds: i64| Moment {
        seconds,
        nanoseconds: nanoseconds as u32,
    };
    Meta {
        mode: stat.mode(),
        uid: stat.uid(),
        gid: stat.gid(),
        size: stat.size(),
        modified: moment(stat.mtime(), stat.mtime_nsec()),
        accessed: moment(stat.atime(), stat.atime_nsec()),
        changed: moment(stat.ctime(), stat.ctime_nsec()),
        id: (stat.dev(), stat.ino()),
        links: stat.nlink(),
        device: stat.rdev(),
    }
}

/// Sets the permission bits of what a path leads to.
#[cfg(target_os = "wasi")]
pub(crate) fn set_mode(name: &[u8], mode: u32) -> io::Result<()> {
    use codepod_sys::file::{Links, set_mode};
    set_mode(name, Links::Follow, mode & 0o7777).map_err(codepod_sys::io_error)
}

/// Sets the permission bits of what a path leads to.
#[cfg(not(target_os = "wasi"))]
pub(crate) fn set_mode(name: &[u8], mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path(name), std::fs::Permissions::from_mode(mode & 0o7777))
}

/// Sets the owner and group of a path, of a link itself.
#[cfg(target_os = "wasi")]
pub(crate) fn set_owner(name: &[u8], uid: Option<u32>, gid: Option<u32>) -> io::Result<()> {
    use codepod_sys::file::{Links, set_owner};
    set_owner(name, Links::Keep, uid, gid).map_err(codepod_sys::io_error)
}

/// Sets the owner and group of a path, of a link itself.
#[cfg(not(target_os = "wasi"))]
pub(crate) fn set_owner(name: &[u8], uid: Option<u32>, gid: Option<u32>) -> io::Result<()> {
    std::os::unix::fs::lchown(path(name), uid, gid)
}

/// Makes a fifo.
#[cfg(target_os = "wasi")]
pub(crate) fn make_fifo(name: &[u8], mode: u32) -> io::Result<()> {
    codepod_sys::file::mkfifo(name, mode & 0o7777).map_err(codepod_sys::io_error)
}

/// Makes a fifo.
#[cfg(not(target_os = "wasi"))]
pub(crate) fn make_fifo(name: &[u8], mode: u32) -> io::Result<()> {
    Ok(rustix::fs::mkfifoat(
        CWD,
        path(name),
        rustix::fs::Mode::from_raw_mode(mode & 0o7777),
    )?)
}

/// The mask of bits that new files do not get.
#[cfg(target_os = "wasi")]
pub(crate) fn umask() -> u32 {
    let old = codepod_sys::file::umask(0o022).unwrap_or(0o022);
    // What was read is put back; there is no other way to read it.
    let _ = codepod_sys::file::umask(old);
    old
}

/// The mask of bits that new files do not get.
#[cfg(not(target_os = "wasi"))]
pub(crate) fn umask() -> u32 {
    let old = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    rustix::process::umask(old);
    old.as_raw_mode()
}

/// The user that this process runs as.
#[cfg(target_os = "wasi")]
pub(crate) fn user() -> u32 {
    codepod_sys::process::ids().map_or(0, |ids| ids.uid)
}

/// The user that this process runs as.
#[cfg(not(target_os = "wasi"))]
pub(crate) fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Sets when a path was read and changed; of a link itself unless `follow`.
pub(crate) fn set_times(
    name: &[u8],
    accessed: Moment,
    modified: Moment,
    follow: bool,
) -> io::Result<()> {
    let spec = |moment: Moment| Timespec {
        tv_sec: moment.seconds,
        tv_nsec: moment.nanoseconds as _,
    };
    let times = Timestamps {
        last_access: spec(accessed),
        last_modification: spec(modified),
    };
    let flags = if follow {
        AtFlags::empty()
    } else {
        AtFlags::SYMLINK_NOFOLLOW
    };
    Ok(rustix::fs::utimensat(CWD, path(name), &times, flags)?)
}

/// Makes a symbolic link with this text.
pub(crate) fn make_symlink(text: &[u8], name: &[u8]) -> io::Result<()> {
    Ok(rustix::fs::symlinkat(path(text), CWD, path(name))?)
}

/// Makes a second name of a file, of a link itself.
pub(crate) fn make_link(old: &[u8], new: &[u8]) -> io::Result<()> {
    Ok(rustix::fs::linkat(
        CWD,
        path(old),
        CWD,
        path(new),
        AtFlags::empty(),
    )?)
}

/// Where a symbolic link leads.
pub(crate) fn read_link(name: &[u8]) -> io::Result<Vec<u8>> {
    Ok(std::fs::read_link(path(name))?
        .into_os_string()
        .into_encoded_bytes())
}

/// The names in a directory, without `.` and `..`, in no order.
pub(crate) fn list(name: &[u8]) -> io::Result<Vec<Vec<u8>>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(path(name))? {
        names.push(entry?.file_name().into_encoded_bytes());
    }
    Ok(names)
}

/// Opens a file to read it; a directory is refused.
pub(crate) fn open(name: &[u8]) -> io::Result<File> {
    File::open(path(name))
}

/// Makes a file that is not there yet, to write it.
pub(crate) fn create_new(name: &[u8]) -> io::Result<File> {
    File::options()
        .write(true)
        .create_new(true)
        .open(path(name))
}

/// Joins a directory and a name; an absolute name stays as it is.
pub(crate) fn join(directory: &[u8], name: &[u8]) -> Vec<u8> {
    if directory.is_empty() || name.first() == Some(&b'/') {
        return name.to_vec();
    }
    let mut joined = directory.to_vec();
    if joined.last() != Some(&b'/') {
        joined.push(b'/');
    }
    joined.extend_from_slice(name);
    joined
}
