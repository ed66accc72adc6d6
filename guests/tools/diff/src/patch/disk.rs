//! What patch does to files: contents, modes, links, backups.

use std::io;

use codepod_tool::path;

/// Bits of a mode that say what kind of file it is, and those of a symbolic link.
const KIND: u32 = 0o170000;
pub(crate) const LINK: u32 = 0o120000;

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    Nothing,
    File { mode: u32 },
    Link,
    Other,
}

/// What stands at a name; a link is followed if that is wanted.
pub(crate) fn look(name: &[u8], follow: bool) -> Found {
    let metadata = match follow {
        true => std::fs::metadata(path(name)),
        false => std::fs::symlink_metadata(path(name)),
    };
    match metadata {
        Err(_) => Found::Nothing,
        Ok(found) if found.is_file() => Found::File {
            mode: mode_of(name),
        },
        Ok(found) if found.is_symlink() => Found::Link,
        Ok(_) => Found::Other,
    }
}

/// Whether a mode is that of a symbolic link.
pub(crate) fn is_link(mode: Option<u32>) -> bool {
    mode.is_some_and(|mode| mode & KIND == LINK)
}

/// The content of a file, or where a link leads.
pub(crate) fn read(name: &[u8], link: bool) -> io::Result<Vec<u8>> {
    match link {
        true => std::fs::read_link(path(name))
            .map(|target| target.as_os_str().as_encoded_bytes().to_vec()),
        false => std::fs::read(path(name)),
    }
}

/// Puts a file in the place of what is there: other names of that keep the old content.
pub(crate) fn put(name: &[u8], text: &[u8], mode: Option<u32>) -> io::Result<()> {
    make_parents(name)?;
    let beside = [name, b".patch~"].concat();
    std::fs::write(path(&beside), text)?;
    if let Some(mode) = mode {
        set_mode(&beside, mode & 0o7777)?;
    }
    std::fs::rename(path(&beside), path(name))
}

/// Makes a symbolic link, in the place of what is there.
pub(crate) fn put_link(name: &[u8], target: &[u8]) -> io::Result<()> {
    make_parents(name)?;
    if look(name, false) != Found::Nothing {
        std::fs::remove_file(path(name))?;
    }
    symlink(target, name)
}

fn make_parents(name: &[u8]) -> io::Result<()> {
    match name.iter().rposition(|byte| *byte == b'/') {
        Some(at) if at > 0 => std::fs::create_dir_all(path(&name[..at])),
        _ => Ok(()),
    }
}

/// Removes a file, and directories that were left empty.
pub(crate) fn remove(name: &[u8]) -> io::Result<()> {
    std::fs::remove_file(path(name))?;
    let mut rest = name;
    while let Some(at) = rest
        .iter()
        .rposition(|byte| *byte == b'/')
        .filter(|at| *at > 0)
    {
        rest = &rest[..at];
        if std::fs::remove_dir(path(rest)).is_err() {
            break;
        }
    }
    Ok(())
}

/// How backups are named.
#[derive(Debug, Clone, Default)]
pub(crate) struct Backups {
    pub(crate) prefix: Vec<u8>,
    /// Before the last part of a name.
    pub(crate) base_prefix: Vec<u8>,
    pub(crate) suffix: Option<Vec<u8>>,
    pub(crate) numbers: Numbers,
}

/// Whether backups have numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Numbers {
    Never,
    /// Where there are such already.
    #[default]
    Existing,
    Always,
}

impl Numbers {
    /// By its name; none for one that is unknown.
    pub(crate) fn named(name: &[u8]) -> Option<Numbers> {
        Some(match name {
            b"never" | b"simple" => Numbers::Never,
            b"existing" | b"nil" | b"" => Numbers::Existing,
            b"numbered" | b"t" => Numbers::Always,
            _ => return None,
        })
    }
}

impl Backups {
    /// The name of the backup of a file.
    pub(crate) fn name(&self, name: &[u8]) -> Vec<u8> {
        let named = !self.prefix.is_empty() || !self.base_prefix.is_empty();
        if !named && self.numbers != Numbers::Never && self.suffix.is_none() {
            let last = last_number(name);
            if last > 0 || self.numbers == Numbers::Always {
                return [name, format!(".~{}~", last + 1).as_bytes()].concat();
            }
        }
        let suffix = match &self.suffix {
            Some(suffix) => suffix.clone(),
            None if named => Vec::new(),
            None => match std::env::var_os("SIMPLE_BACKUP_SUFFIX") {
                Some(suffix) if !suffix.is_empty() => suffix.into_encoded_bytes(),
                _ => b".orig".to_vec(),
            },
        };
        let (directory, base) = name.split_at(
            name.iter()
                .rposition(|byte| *byte == b'/')
                .map_or(0, |at| at + 1),
        );
        [
            &self.prefix[..],
            directory,
            &self.base_prefix,
            base,
            &suffix,
        ]
        .concat()
    }
}

/// The highest number among `NAME.~1~`, `NAME.~2~`.
fn last_number(name: &[u8]) -> u64 {
    let (directory, base) = match name.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (&name[..at], &name[at + 1..]),
        None => (&b"."[..], name),
    };
    let Ok(entries) = std::fs::read_dir(path(directory)) else {
        return 0;
    };
    let numbers = entries.filter_map(|entry| {
        let entry = entry.ok()?.file_name().into_encoded_bytes();
        let digits = entry
            .strip_prefix(base)?
            .strip_prefix(b".~")?
            .strip_suffix(b"~")?;
        std::str::from_utf8(digits).ok()?.parse().ok()
    });
    numbers.max().unwrap_or(0)
}

/// Keeps what is at a name under another: a copy with its mode, a link, or an empty file where
/// there is nothing.
pub(crate) fn back_up(name: &[u8], backup: &[u8]) -> io::Result<()> {
    match look(name, false) {
        Found::Link => put_link(backup, &read(name, true)?),
        Found::File { mode } => put(backup, &std::fs::read(path(name))?, Some(mode)),
        Found::Nothing | Found::Other => put(backup, b"", None),
    }
}

#[cfg(target_os = "wasi")]
fn mode_of(name: &[u8]) -> u32 {
    codepod_sys::file::stat_path(name, codepod_sys::file::Links::Follow)
        .map_or(0o644, |stat| stat.mode & 0o7777)
}

#[cfg(target_os = "wasi")]
fn set_mode(name: &[u8], mode: u32) -> io::Result<()> {
    codepod_sys::file::set_mode(name, codepod_sys::file::Links::Follow, mode)
        .map_err(codepod_sys::io_error)
}

#[cfg(unix)]
fn mode_of(name: &[u8]) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path(name)).map_or(0o644, |metadata| metadata.permissions().mode() & 0o7777)
}

#[cfg(unix)]
fn set_mode(name: &[u8], mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path(name), std::fs::Permissions::from_mode(mode))
}

fn symlink(target: &[u8], name: &[u8]) -> io::Result<()> {
    Ok(rustix::fs::symlinkat(
        path(target),
        rustix::fs::CWD,
        path(name),
    )?)
}
