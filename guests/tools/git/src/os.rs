//! Files as git sees them: bytes for paths, modes, times, symbolic links.
//!
//! In the sandbox the kernel is asked, because WASI knows no modes; on another machine (for tests)
//! it is std.

use std::fs;
use std::io::{self, Read as _, Write as _};

use codepod_tool::path as std_path;

/// What `lstat` says of a path, as far as git writes it into its index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) ctime: (u32, u32),
    pub(crate) mtime: (u32, u32),
    pub(crate) dev: u32,
    pub(crate) ino: u32,
    pub(crate) mode: u32,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) size: u64,
}

/// The bits of a mode that say what a file is.
pub(crate) const S_IFMT: u32 = 0o170_000;
/// A directory.
pub(crate) const S_IFDIR: u32 = 0o040_000;
/// A regular file.
pub(crate) const S_IFREG: u32 = 0o100_000;
/// A symbolic link.
pub(crate) const S_IFLNK: u32 = 0o120_000;

impl Stat {
    /// Whether it is a directory.
    pub(crate) fn is_dir(&self) -> bool {
        self.mode & S_IFMT == S_IFDIR
    }

    /// Whether it is a regular file.
    pub(crate) fn is_file(&self) -> bool {
        self.mode & S_IFMT == S_IFREG
    }

    /// Whether it is a symbolic link.
    pub(crate) fn is_link(&self) -> bool {
        self.mode & S_IFMT == S_IFLNK
    }
}

#[cfg(target_os = "wasi")]
fn stat_of(path: &[u8], links: codepod_sys::file::Links) -> io::Result<Stat> {
    let path = if path.is_empty() { b"." } else { path };
    let found = codepod_sys::file::stat_path(path, links).map_err(codepod_sys::io_error)?;
    let time = |nanos: u64| {
        (
            (nanos / 1_000_000_000) as u32,
            (nanos % 1_000_000_000) as u32,
        )
    };
    Ok(Stat {
        ctime: time(found.ctime),
        mtime: time(found.mtime),
        dev: found.dev as u32,
        ino: found.ino as u32,
        mode: found.mode,
        uid: found.uid,
        gid: found.gid,
        size: found.size,
    })
}

#[cfg(unix)]
fn from_std(found: &fs::Metadata) -> Stat {
    use std::os::unix::fs::MetadataExt as _;
    Stat {
        ctime: (found.ctime() as u32, found.ctime_nsec() as u32),
        mtime: (found.mtime() as u32, found.mtime_nsec() as u32),
        dev: found.dev() as u32,
        ino: found.ino() as u32,
        mode: found.mode(),
        uid: found.uid(),
        gid: found.gid(),
        size: found.size(),
    }
}

/// What is known of a path; a symbolic link is not followed.
pub(crate) fn lstat(path: &[u8]) -> io::Result<Stat> {
    #[cfg(target_os = "wasi")]
    return stat_of(path, codepod_sys::file::Links::Keep);
    #[cfg(unix)]
    return fs::symlink_metadata(std_path(if path.is_empty() { b"." } else { path }))
        .map(|found| from_std(&found));
}

/// What is known of a file, with links followed.
pub(crate) fn stat(path: &[u8]) -> io::Result<Stat> {
    #[cfg(target_os = "wasi")]
    return stat_of(path, codepod_sys::file::Links::Follow);
    #[cfg(unix)]
    return fs::metadata(std_path(if path.is_empty() { b"." } else { path }))
        .map(|found| from_std(&found));
}

/// Whether there is something at a path, followed or not.
pub(crate) fn exists(path: &[u8]) -> bool {
    lstat(path).is_ok()
}

/// Whether a path leads to a directory.
pub(crate) fn is_dir(path: &[u8]) -> bool {
    stat(path).is_ok_and(|found| found.is_dir())
}

/// Whether a path leads to a regular file.
pub(crate) fn is_file(path: &[u8]) -> bool {
    stat(path).is_ok_and(|found| found.is_file())
}

/// The names in a directory, sorted by bytes.
pub(crate) fn list(path: &[u8]) -> io::Result<Vec<(Vec<u8>, Kind)>> {
    let path = if path.is_empty() { b"." } else { path };
    let mut names = list_any(path)?;
    names.sort();
    Ok(names)
}

/// What an entry of a directory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A fifo, a device.
    Other,
}

#[cfg(target_os = "wasi")]
fn list_any(path: &[u8]) -> io::Result<Vec<(Vec<u8>, Kind)>> {
    use codepod_sys::directory::{FileType, list};
    let names = list(path).map_err(codepod_sys::io_error)?;
    let kind = |found| match found {
        FileType::File => Kind::File,
        FileType::Directory => Kind::Directory,
        FileType::Symlink => Kind::Link,
        _ => Kind::Other,
    };
    Ok(names
        .into_iter()
        .map(|(name, found)| (name, kind(found)))
        .collect())
}

#[cfg(unix)]
fn list_any(path: &[u8]) -> io::Result<Vec<(Vec<u8>, Kind)>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(std_path(path))? {
        let entry = entry?;
        let found = entry.file_type()?;
        let kind = match () {
            () if found.is_dir() => Kind::Directory,
            () if found.is_file() => Kind::File,
            () if found.is_symlink() => Kind::Link,
            () => Kind::Other,
        };
        names.push((entry.file_name().into_encoded_bytes(), kind));
    }
    Ok(names)
}

/// A file's content.
pub(crate) fn read(path: &[u8]) -> io::Result<Vec<u8>> {
    fs::read(std_path(path))
}

/// All of standard input.
pub(crate) fn read_stdin() -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    io::stdin().lock().read_to_end(&mut text)?;
    Ok(text)
}

/// The lines of a file, or of standard input for `-`, without empty ones; `zero` for lines that end
/// with NUL.
pub(crate) fn lines_of(file: &[u8], zero: bool) -> io::Result<Vec<Vec<u8>>> {
    let text = match file {
        b"-" => read_stdin()?,
        _ => read(file)?,
    };
    let end = if zero { 0 } else { b'\n' };
    let lines = text.split(|byte| *byte == end);
    let lines = lines.filter(|line| !line.is_empty());
    Ok(lines.map(<[u8]>::to_vec).collect())
}

/// Where a symbolic link leads.
pub(crate) fn read_link(path: &[u8]) -> io::Result<Vec<u8>> {
    #[cfg(target_os = "wasi")]
    return codepod_sys::file::read_link(path).map_err(codepod_sys::io_error);
    #[cfg(unix)]
    return fs::read_link(std_path(path))
        .map(|target| target.into_os_string().into_encoded_bytes());
}

/// Writes a file from its start. The content is there whole once this returns, but not in one step.
pub(crate) fn write(path: &[u8], content: &[u8]) -> io::Result<()> {
    fs::write(std_path(path), content)
}

/// Adds to the end of a file, made if there is none.
pub(crate) fn append(path: &[u8], content: &[u8]) -> io::Result<()> {
    fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(std_path(path))?
        .write_all(content)
}

/// Writes a file that must not exist yet.
pub(crate) fn write_new(path: &[u8], content: &[u8]) -> io::Result<()> {
    fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(std_path(path))?
        .write_all(content)
}

/// Replaces a file in one step: writes `PATH.lock` and renames it. Fails when somebody else holds
/// the lock.
pub(crate) fn replace(path: &[u8], content: &[u8]) -> io::Result<()> {
    if stat(path).is_ok_and(|found| !found.is_file()) {
        // A rename would put a file in the place of a device.
        return Err(io::Error::other("Not a regular file"));
    }
    let lock = [path, b".lock"].concat();
    write_new(&lock, content)?;
    rename(&lock, path)
}

/// Makes a directory.
pub(crate) fn mkdir(path: &[u8]) -> io::Result<()> {
    fs::create_dir(std_path(path))
}

/// Makes a directory and those above it.
pub(crate) fn mkdir_all(path: &[u8]) -> io::Result<()> {
    if path.is_empty() || is_dir(path) {
        return Ok(());
    }
    fs::create_dir_all(std_path(path))
}

/// Makes the directories above a path.
pub(crate) fn mkdir_above(path: &[u8]) -> io::Result<()> {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(end) => mkdir_all(&path[..end]),
        None => Ok(()),
    }
}

/// Renames.
pub(crate) fn rename(from: &[u8], to: &[u8]) -> io::Result<()> {
    fs::rename(std_path(from), std_path(to))
}

/// Removes a file or a symbolic link.
pub(crate) fn remove(path: &[u8]) -> io::Result<()> {
    fs::remove_file(std_path(path))
}

/// Removes an empty directory.
pub(crate) fn rmdir(path: &[u8]) -> io::Result<()> {
    fs::remove_dir(std_path(path))
}

/// Removes a directory and all that is in it.
pub(crate) fn remove_tree(path: &[u8]) -> io::Result<()> {
    fs::remove_dir_all(std_path(path))
}

/// Makes a symbolic link.
#[expect(
    deprecated,
    reason = "the function that is meant instead is not stable for WASI"
)]
pub(crate) fn symlink(target: &[u8], path: &[u8]) -> io::Result<()> {
    fs::soft_link(std_path(target), std_path(path))
}

/// Sets the permission bits of a file.
pub(crate) fn chmod(path: &[u8], mode: u32) -> io::Result<()> {
    #[cfg(target_os = "wasi")]
    return codepod_sys::file::set_mode(path, codepod_sys::file::Links::Follow, mode)
        .map_err(codepod_sys::io_error);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(std_path(path), fs::Permissions::from_mode(mode))
    }
}

/// The bits that new files do not get.
pub(crate) fn umask() -> u32 {
    match codepod_sys::file::umask(0o022) {
        Ok(mask) => {
            // It was just set, so it can be set.
            let _ = codepod_sys::file::umask(mask);
            mask
        }
        Err(_) => 0o022,
    }
}

/// The working directory.
pub(crate) fn cwd() -> io::Result<Vec<u8>> {
    #[cfg(target_os = "wasi")]
    return codepod_sys::cwd::current().map_err(codepod_sys::io_error);
    #[cfg(unix)]
    return std::env::current_dir().map(|path| path.into_os_string().into_encoded_bytes());
}

/// Changes the working directory.
pub(crate) fn chdir(path: &[u8]) -> io::Result<()> {
    #[cfg(target_os = "wasi")]
    {
        codepod_sys::cwd::change(path).map_err(codepod_sys::io_error)?;
        codepod_sys::cwd::follow().map_err(codepod_sys::io_error)
    }
    #[cfg(unix)]
    return std::env::set_current_dir(std_path(path));
}

/// The path without symbolic links, `.` and `..`.
pub(crate) fn real_path(path: &[u8]) -> io::Result<Vec<u8>> {
    let mut done: Vec<Vec<u8>> = Vec::new();
    let whole = if path.first() == Some(&b'/') {
        path.to_vec()
    } else {
        [&cwd()?[..], b"/", path].concat()
    };
    let mut todo: Vec<Vec<u8>> = whole
        .split(|byte| *byte == b'/')
        .rev()
        .map(<[u8]>::to_vec)
        .collect();
    let mut links = 0;
    while let Some(part) = todo.pop() {
        match &part[..] {
            b"" | b"." => continue,
            b".." => {
                done.pop();
                continue;
            }
            _ => {}
        }
        done.push(part);
        let so_far = [b"/", &done.join(&b'/')[..]].concat();
        if lstat(&so_far).is_ok_and(|found| found.is_link()) {
            links += 1;
            if links > 40 {
                return Err(io::Error::other("Too many levels of symbolic links"));
            }
            let target = read_link(&so_far)?;
            done.pop();
            if target.first() == Some(&b'/') {
                done.clear();
            }
            todo.extend(target.split(|byte| *byte == b'/').rev().map(<[u8]>::to_vec));
        }
    }
    Ok([b"/", &done.join(&b'/')[..]].concat())
}

/// A variable of the environment.
pub(crate) fn variable(name: &str) -> Option<Vec<u8>> {
    std::env::var_os(name).map(std::ffi::OsString::into_encoded_bytes)
}

/// Seconds since 1970.
pub(crate) fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |time| time.as_secs() as i64)
}

/// Whether a descriptor is a terminal.
pub(crate) fn stdout_is_terminal() -> bool {
    use std::io::IsTerminal as _;
    io::stdout().is_terminal()
}
