//! The file of a part: found, checked against the digest that the program knows, and mapped.
//!
//! Reading hundreds of megabytes to check them would be most of what a short run takes, so a file
//! that was checked is sealed: a keyed digest in the user's cache says that this very file, with
//! its times and its length, had the right content. A file that was changed has other times, which
//! nobody but the system's owner can set back. Where there is no cache it is read each time.

use std::cell::LazyCell;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use codepod_wasmtime::{PrivateDirectory, map_for_good};

use crate::part::{Part, parts, users_directory};

/// Where pieces with machine code can begin: the largest pages of the systems that we know.
const PAGE: usize = 64 << 10;

/// A part in memory.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) path: PathBuf,
    pub(crate) bytes: &'static [u8],
}

/// Why a part is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartError {
    /// No directory has it.
    Missing,
    /// There is a file of its name with other content: of another release, or damaged.
    Other(PathBuf),
    /// A file cannot be read or written: its path, and why.
    File(PathBuf, String),
}

impl std::fmt::Display for PartError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PartError::Missing => write!(f, "it is not installed"),
            PartError::Other(path) => write!(
                f,
                "{} is not a part of codepod {} for this system, or is damaged",
                path.display(),
                env!("CARGO_PKG_VERSION")
            ),
            PartError::File(path, why) => write!(f, "{}: {why}", path.display()),
        }
    }
}

impl std::error::Error for PartError {}

/// A part that was put into the user's directory.
#[derive(Debug)]
pub struct Added {
    /// Its name.
    pub name: &'static str,
    /// The file that it is in now.
    pub path: PathBuf,
}

/// Opens a part that is in one of the directories; the first that is right counts.
pub(crate) fn open(part: &Part, directories: &[PathBuf]) -> Result<Opened, PartError> {
    // Only where there is a part: a directory that nobody needs is not made.
    let cache = LazyCell::new(|| {
        let path = PrivateDirectory::path_of_user("parts");
        path.and_then(|path| PrivateDirectory::open(path).ok())
    });
    let mut why = PartError::Missing;
    for directory in directories {
        for packed in [false, true] {
            let path = directory.join(file_name(part, packed));
            if matches!(path.try_exists(), Ok(false)) {
                continue;
            }
            let opened = match packed {
                false => open_plain(part, &path, cache.as_ref()),
                true => open_packed(part, &path, cache.as_ref()),
            };
            match opened {
                Ok(bytes) => return Ok(Opened { path, bytes }),
                Err(PartError::Missing) => {}
                Err(error) => why = error,
            }
        }
    }
    Err(why)
}

fn file_name(part: &Part, packed: bool) -> String {
    let packed = if packed { ".zst" } else { "" };
    format!("{}.part{packed}", part.name)
}

fn open_file(path: &Path) -> Result<File, PartError> {
    File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => PartError::Missing,
        _ => PartError::File(path.to_owned(), error.to_string()),
    })
}

/// A part that lies there as it is.
fn open_plain(
    part: &Part,
    path: &Path,
    cache: Option<&PrivateDirectory>,
) -> Result<&'static [u8], PartError> {
    let failed = |error: io::Error| PartError::File(path.to_owned(), error.to_string());
    let mut file = open_file(path)?;
    let metadata = file.metadata().map_err(failed)?;
    if metadata.len() != part.bytes {
        return Err(PartError::Other(path.to_owned()));
    }
    if !only_ours(&metadata) {
        // Somebody else could change it after it was checked: what is checked is a copy.
        return copy(part, path, file, cache);
    }
    let seal = cache.and_then(|cache| Seal::of(part, &metadata, cache));
    if !seal.as_ref().is_some_and(Seal::holds) {
        compare(part, &mut file, path)?;
        if let Some(seal) = seal {
            seal.put();
        }
    }
    let bytes = usize::try_from(part.bytes).map_err(|_| PartError::Other(path.to_owned()))?;
    map_for_good(&file, bytes).map_err(failed)
}

/// A packed part: unpacked into the cache once, and otherwise into memory.
fn open_packed(
    part: &Part,
    path: &Path,
    cache: Option<&PrivateDirectory>,
) -> Result<&'static [u8], PartError> {
    let failed = |error: io::Error| PartError::File(path.to_owned(), error.to_string());
    let from = unpacked(open_file(path)?).map_err(failed)?;
    copy(part, path, from, cache)
}

/// `--long=27` of zstd: 128 MB to unpack it with.
const LARGEST_WINDOW: u32 = 27;

/// What a packed file has.
fn unpacked(file: File) -> io::Result<impl Read> {
    let mut decoder = zstd::Decoder::new(file)?;
    decoder.window_log_max(LARGEST_WINDOW)?;
    Ok(decoder)
}

/// What a reader has, if it is this part: in the cache, or in memory where there is none.
fn copy(
    part: &Part,
    path: &Path,
    mut from: impl Read,
    cache: Option<&PrivateDirectory>,
) -> Result<&'static [u8], PartError> {
    if let Some(cache) = cache {
        let name = format!("{}.part", part.digest);
        let copied = cache.path().join(&name);
        if let Ok(bytes) = open_plain(part, &copied, Some(cache)) {
            return Ok(bytes);
        }
        let written = cache.write_with(&name, |file| checked_copy(part, &mut from, file));
        if written.is_ok() {
            return open_plain(part, &copied, Some(cache));
        }
        return Err(PartError::Other(path.to_owned()));
    }
    let failed = |_| PartError::Other(path.to_owned());
    let bytes = usize::try_from(part.bytes).map_err(|_| PartError::Other(path.to_owned()))?;
    let room = vec![0; bytes + PAGE].leak();
    let start = room.as_ptr().align_offset(PAGE);
    let Some(mut place) = room.get_mut(start..start + bytes) else {
        return Err(PartError::Other(path.to_owned()));
    };
    checked_copy(part, &mut from, &mut place).map_err(failed)?;
    Ok(&room[start..start + bytes])
}

/// Copies exactly a part, or fails.
fn checked_copy(part: &Part, from: &mut impl Read, to: &mut impl Write) -> io::Result<()> {
    let mut hasher = blake3::Hasher::new();
    let mut left = part.bytes;
    let mut buffer = vec![0; 1 << 18];
    loop {
        let read = from.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        left = left.checked_sub(read as u64).ok_or_else(is_other)?;
        hasher.update(&buffer[..read]);
        to.write_all(&buffer[..read])?;
    }
    match left == 0 && hasher.finalize().to_hex().as_str() == part.digest {
        true => Ok(()),
        false => Err(is_other()),
    }
}

fn is_other() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "its content is another")
}

/// Whether nobody but this user, and the system's owner, can change a file.
#[cfg(unix)]
fn only_ours(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let owner = metadata.uid();
    let ours = owner == 0 || owner == rustix::process::geteuid().as_raw();
    ours && metadata.mode() & 0o022 == 0
}

#[cfg(not(unix))]
fn only_ours(_metadata: &std::fs::Metadata) -> bool {
    true
}

/// Says in the user's cache that a file had the content of a part.
struct Seal<'a> {
    cache: &'a PrivateDirectory,
    name: String,
    value: blake3::Hash,
}

impl<'a> Seal<'a> {
    #[cfg(unix)]
    fn of(
        part: &Part,
        metadata: &std::fs::Metadata,
        cache: &'a PrivateDirectory,
    ) -> Option<Seal<'a>> {
        use std::os::unix::fs::MetadataExt;
        let mut keyed = cache.keyed();
        keyed.update(part.digest.as_bytes());
        for number in [
            metadata.dev(),
            metadata.ino(),
            metadata.len(),
            metadata.mtime().cast_unsigned(),
            metadata.mtime_nsec().cast_unsigned(),
            metadata.ctime().cast_unsigned(),
            metadata.ctime_nsec().cast_unsigned(),
        ] {
            keyed.update(&number.to_le_bytes());
        }
        let name = format!("{:x}-{:x}.seal", metadata.dev(), metadata.ino());
        let value = keyed.finalize();
        Some(Seal { cache, name, value })
    }

    /// Elsewhere a file's times do not tell whether it was changed.
    #[cfg(not(unix))]
    fn of(_: &Part, _: &std::fs::Metadata, _: &'a PrivateDirectory) -> Option<Seal<'a>> {
        None
    }

    fn holds(&self) -> bool {
        let found = std::fs::read(self.cache.path().join(&self.name));
        let found: Option<[u8; 32]> = found.ok().and_then(|bytes| bytes.try_into().ok());
        found.is_some_and(|found| self.value == found)
    }

    /// Without it the file is read once more the next time.
    fn put(&self) {
        let _ = self.cache.write_whole(&self.name, self.value.as_bytes());
    }
}

/// Puts the part that `file` is, packed or not, into the user's directory. Which one it is, its
/// content says.
pub fn add(file: &Path) -> Result<Added, PartError> {
    let of = |path: &Path, error: &dyn std::fmt::Display| {
        PartError::File(path.to_owned(), error.to_string())
    };
    let mut from = reader(file).map_err(|error| of(file, &error))?;
    let part = parts().iter().find(|part| check(part, file).is_ok());
    let part = part.ok_or_else(|| PartError::Other(file.to_owned()))?;
    let no_home = "there is no directory for it: set HOME or XDG_DATA_HOME";
    let home = users_directory().ok_or_else(|| of(file, &no_home))?;
    std::fs::create_dir_all(&home).map_err(|error| of(&home, &error))?;
    let path = home.join(file_name(part, false));
    let temporary = home.join(format!("{}.part.{}.tmp", part.name, std::process::id()));
    File::create(&temporary)
        .and_then(|mut to| checked_copy(part, &mut from, &mut to))
        .and_then(|()| std::fs::rename(&temporary, &path))
        .inspect_err(|_| drop(std::fs::remove_file(&temporary)))
        .map_err(|error| of(&path, &error))?;
    let name = part.name;
    Ok(Added { name, path })
}

/// Reads a file whole, and compares it with a part.
pub(crate) fn check(part: &Part, file: &Path) -> Result<(), PartError> {
    let mut from =
        reader(file).map_err(|error| PartError::File(file.to_owned(), error.to_string()))?;
    compare(part, &mut from, file)
}

/// Whether what comes from a file is the part.
fn compare(part: &Part, from: &mut impl Read, file: &Path) -> Result<(), PartError> {
    checked_copy(part, from, &mut io::sink()).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => PartError::Other(file.to_owned()),
        _ => PartError::File(file.to_owned(), error.to_string()),
    })
}

/// What begins a file that zstd has packed.
const PACKED: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

fn reader(path: &Path) -> io::Result<Box<dyn Read>> {
    let mut file = File::open(path)?;
    let mut first = [0; 4];
    let is_packed = file.read_exact(&mut first).is_ok() && first == PACKED;
    io::Seek::rewind(&mut file)?;
    if !is_packed {
        return Ok(Box::new(file));
    }
    Ok(Box::new(unpacked(file)?))
}

#[cfg(test)]
#[path = "part_file/tests.rs"]
mod tests;
