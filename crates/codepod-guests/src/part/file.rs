//! The file of a part: found, compared with the digest that the program knows, and mapped.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use codepod_wasmtime::{ContentError, PrivateDirectory, cache_of_user};

use super::calls::Relative;
use super::{Part, parts, users_directory};

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
    /// It is of no use without another, which is not there.
    Needs(&'static str),
    /// There is a file of its name with other content: of another release, or damaged.
    Other(PathBuf),
    /// A file cannot be read or written: its path, and why.
    File(PathBuf, String),
}

impl std::fmt::Display for PartError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PartError::Missing => write!(f, "it is not installed"),
            PartError::Needs(part) => {
                write!(f, "it needs the part `{part}`, which is not installed")
            }
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

impl PartError {
    fn of(path: &Path, error: ContentError) -> PartError {
        match error {
            ContentError::Missing => PartError::Missing,
            ContentError::Other => PartError::Other(path.to_owned()),
            ContentError::Io(why) => PartError::File(path.to_owned(), why),
        }
    }
}

/// A part that was put into the user's directory.
#[derive(Debug)]
pub struct Added {
    /// Its name.
    pub name: &'static str,
    /// The file that it is in now.
    pub path: PathBuf,
}

/// Opens a part that the program carries or that is in one of the directories; the first that is
/// right counts. `base` is the part that it needs.
pub(crate) fn open(
    part: &Part,
    directories: &[PathBuf],
    base: Option<&'static [u8]>,
) -> Result<Opened, PartError> {
    let mut why = PartError::Missing;
    if let Some(packed) = part.carried {
        let path = std::env::current_exe().unwrap_or_default();
        let opened = open_packed(part, || Ok(packed), cache_of_user(), base);
        match opened {
            Ok(bytes) => return Ok(Opened { path, bytes }),
            Err(error) => why = PartError::of(&path, error),
        }
    }
    for directory in directories {
        for packed in [false, true] {
            let path = directory.join(file_name(part, packed));
            if matches!(path.try_exists(), Ok(false)) {
                continue;
            }
            // Only where there is a part: a directory that nobody needs is not made.
            let cache = cache_of_user();
            let opened = match packed {
                false => part.content().open(&path, cache),
                true => open_packed(part, || File::open(&path), cache, base),
            };
            match opened {
                Ok(bytes) => return Ok(Opened { path, bytes }),
                Err(ContentError::Missing) => {}
                Err(error) => why = PartError::of(&path, error),
            }
        }
    }
    Err(why)
}

fn file_name(part: &Part, packed: bool) -> String {
    let packed = if packed { ".zst" } else { "" };
    format!("{}.part{packed}", part.name)
}

/// A packed part: unpacked into the cache once, or into memory where that is not possible.
fn open_packed<R: Read>(
    part: &Part,
    packed: impl Fn() -> io::Result<R>,
    cache: Option<&PrivateDirectory>,
    base: Option<&'static [u8]>,
) -> Result<&'static [u8], ContentError> {
    part.content().keep(|| unpacked(packed()?, base), cache)
}

/// `--long=29` of zstd: what lies so far back can be referred to, in the base as well.
const LARGEST_WINDOW: u32 = 29;

/// What is packed. A part that needs another is packed as the difference from it; the calls of one
/// that needs none say where they lead.
pub(super) fn unpacked<'a, R: Read + 'a>(
    packed: R,
    base: Option<&'static [u8]>,
) -> io::Result<Box<dyn Read + 'a>> {
    let packed = io::BufReader::new(packed);
    let mut decoder = zstd::Decoder::with_ref_prefix(packed, base.unwrap_or_default())?;
    decoder.window_log_max(LARGEST_WINDOW)?;
    Ok(match base {
        Some(_) => Box::new(decoder),
        None => Box::new(Relative::new(decoder)),
    })
}

/// Puts the part that `file` is, packed or not, into the user's directory. Which one it is, its
/// content says.
pub fn add(file: &Path) -> Result<Added, PartError> {
    let of = |path: &Path, error: &dyn std::fmt::Display| {
        PartError::File(path.to_owned(), error.to_string())
    };
    let checked = parts().iter().map(|part| (part, check(part, file)));
    let mut wrong = PartError::Other(file.to_owned());
    let mut found = None;
    for (part, checked) in checked {
        match checked {
            Ok(()) => {
                found = Some(part);
                break;
            }
            // Its name is all that is known of it.
            Err(error @ PartError::Needs(_)) if is_named(part, file) => wrong = error,
            Err(error @ PartError::File(..)) => return Err(error),
            Err(_) => {}
        }
    }
    let part = found.ok_or(wrong)?;
    let mut from = reader(part, file)?;
    let no_home = "there is no directory for it: set HOME or XDG_DATA_HOME";
    let home = users_directory().ok_or_else(|| of(file, &no_home))?;
    std::fs::create_dir_all(&home).map_err(|error| of(&home, &error))?;
    let path = home.join(file_name(part, false));
    let temporary = home.join(format!("{}.part.{}.tmp", part.name, std::process::id()));
    let to = File::create(&temporary).map_err(ContentError::from);
    to.and_then(|mut to| part.content().copy(&mut from, &mut to))
        .and_then(|()| Ok(std::fs::rename(&temporary, &path)?))
        .inspect_err(|_| drop(std::fs::remove_file(&temporary)))
        .map_err(|error| PartError::of(&path, error))?;
    let name = part.name;
    Ok(Added { name, path })
}

/// Whether a file has the name of a part, as it is installed or as it is published, with a version
/// and a platform.
fn is_named(part: &Part, file: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str());
    let name = name.map(|name| name.strip_suffix(".zst").unwrap_or(name));
    let stem = name.and_then(|name| name.strip_suffix(".part"));
    let rest = stem.and_then(|stem| stem.strip_prefix(part.name));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// Reads a file whole, and compares it with a part.
pub(crate) fn check(part: &Part, file: &Path) -> Result<(), PartError> {
    let copied = part
        .content()
        .copy(&mut reader(part, file)?, &mut io::sink());
    copied.map_err(|error| PartError::of(file, error))
}

/// What begins a file that zstd has packed.
const PACKED: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// What a file has, packed or not, that may be this part.
fn reader(part: &Part, path: &Path) -> Result<Box<dyn Read>, PartError> {
    let failed = |error: io::Error| PartError::File(path.to_owned(), error.to_string());
    let mut file = File::open(path).map_err(failed)?;
    let mut first = [0; 4];
    let is_packed = file.read_exact(&mut first).is_ok() && first == PACKED;
    io::Seek::rewind(&mut file).map_err(failed)?;
    if !is_packed {
        return Ok(Box::new(file));
    }
    unpacked(file, part.base()?).map_err(failed)
}

#[cfg(test)]
mod tests;
