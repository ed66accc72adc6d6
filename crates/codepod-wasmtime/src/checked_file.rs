//! Files whose content is known by its digest: found, checked and mapped.
//!
//! Reading hundreds of megabytes to check them would be most of what a short run takes, so a file
//! that was checked is sealed: a keyed digest in the user's cache says that this very file, with
//! its times and its length, had the right content. A file that was changed has other times, which
//! nobody but the system's owner can set back. Where there is no cache it is read each time.
//!
//! Where nothing can be written, or where the system runs no code from files (`noexec`), content is
//! kept in memory instead: a read-only home, none at all, or a full disk make a start slower, and
//! stop nothing.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use crate::mapped_file::map_for_good;
use crate::private_directory::PrivateDirectory;

/// Where pieces with machine code can begin: the largest pages of the systems that we know.
const PAGE: usize = 64 << 10;

/// What a file has to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Content {
    /// How long it is.
    pub bytes: u64,
    /// Its BLAKE3, in hexadecimal digits.
    pub digest: &'static str,
}

/// Why a file is not what it has to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContentError {
    /// There is none.
    Missing,
    /// It has other content.
    Other,
    /// It cannot be read, or nothing can be written where it belongs: why.
    Io(String),
}

impl From<io::Error> for ContentError {
    fn from(error: io::Error) -> ContentError {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ContentError::Missing,
            io::ErrorKind::InvalidData => ContentError::Other,
            _ => ContentError::Io(error.to_string()),
        }
    }
}

impl Content {
    /// Opens a file that has this content, and maps it. Where others can write to it, a copy of it.
    pub fn open(
        self,
        path: &Path,
        cache: Option<&PrivateDirectory>,
    ) -> Result<&'static [u8], ContentError> {
        let mut file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.len() != self.bytes {
            return Err(ContentError::Other);
        }
        if !only_ours(&metadata) {
            // Somebody else could change it after it was checked: what is checked is a copy.
            return self.keep(|| File::open(path), cache);
        }
        if !can_hold_code(&file) {
            set_trouble(NOEXEC);
            return self.in_memory(file);
        }
        let seal = cache.and_then(|cache| Seal::of(self, &metadata, cache));
        if !seal.as_ref().is_some_and(Seal::holds) {
            self.copy(&mut file, &mut io::sink())?;
            if let Some(seal) = seal {
                seal.put();
            }
        }
        Ok(map_for_good(&file, self.length()?)?)
    }

    /// What a reader has, if it is this content: in a file of the cache, which is written once. In
    /// memory where there is no cache, or nothing can be written there.
    pub fn keep<R: Read>(
        self,
        from: impl Fn() -> io::Result<R>,
        cache: Option<&PrivateDirectory>,
    ) -> Result<&'static [u8], ContentError> {
        let kept = cache.map(|cache| self.keep_in(&from, cache));
        match kept {
            None => {}
            // A full disk is no reason not to run.
            Some(Err(ContentError::Io(why))) => set_trouble(&why),
            Some(kept) => return kept,
        }
        self.in_memory(from()?)
    }

    fn keep_in<R: Read>(
        self,
        from: impl Fn() -> io::Result<R>,
        cache: &PrivateDirectory,
    ) -> Result<&'static [u8], ContentError> {
        let name = format!("{}.{KEPT}", self.digest);
        let kept = cache.path().join(&name);
        let directory = File::open(cache.path());
        if directory.is_ok_and(|directory| !can_hold_code(&directory)) {
            return Err(ContentError::Io(NOEXEC.into()));
        }
        if let Ok(bytes) = self.open(&kept, Some(cache)) {
            return Ok(bytes);
        }
        let mut from = from()?;
        let mut done = Ok(());
        let written = cache.write_with(&name, |file| {
            done = self.copy(&mut from, file);
            done.clone().map_err(|_| io::ErrorKind::InvalidData.into())
        });
        done?;
        match written {
            Ok(()) => {
                // It was checked while it was written.
                if let Some(seal) = Seal::of(self, &kept.metadata()?, cache) {
                    seal.put();
                }
                forget_unused(cache);
                self.open(&kept, Some(cache))
            }
            Err(error) => Err(ContentError::Io(error.why())),
        }
    }

    fn in_memory(self, mut from: impl Read) -> Result<&'static [u8], ContentError> {
        let bytes = self.length()?;
        let room = vec![0; bytes + PAGE].leak();
        let start = room.as_ptr().align_offset(PAGE);
        let mut place = room
            .get_mut(start..start + bytes)
            .ok_or(ContentError::Other)?;
        self.copy(&mut from, &mut place)?;
        Ok(&room[start..start + bytes])
    }

    fn length(self) -> Result<usize, ContentError> {
        usize::try_from(self.bytes).map_err(|_| ContentError::Other)
    }

    /// Copies exactly this content, or fails.
    pub fn copy(self, from: &mut impl Read, to: &mut impl Write) -> Result<(), ContentError> {
        let mut hasher = blake3::Hasher::new();
        let mut left = self.bytes;
        let mut buffer = vec![0; 1 << 18];
        let shown = Shown;
        shown.set(self, 0);
        loop {
            // What cannot be unpacked is not this content either.
            let read = from.read(&mut buffer).map_err(unreadable)?;
            if read == 0 {
                break;
            }
            left = left.checked_sub(read as u64).ok_or(ContentError::Other)?;
            hasher.update(&buffer[..read]);
            to.write_all(&buffer[..read])?;
            shown.set(self, self.bytes - left);
        }
        match left == 0 && hasher.finalize().to_hex().as_str() == self.digest {
            true => Ok(()),
            false => Err(ContentError::Other),
        }
    }
}

/// What is being unpacked, copied or checked now, and how many bytes of it are done: what a first
/// start waits for.
pub fn preparing() -> Option<(Content, u64)> {
    *PREPARING.lock().unwrap_or_else(PoisonError::into_inner)
}

static PREPARING: Mutex<Option<(Content, u64)>> = Mutex::new(None);

/// Shows how far something is until it is dropped.
struct Shown;

impl Shown {
    fn set(&self, content: Content, done: u64) {
        *PREPARING.lock().unwrap_or_else(PoisonError::into_inner) = Some((content, done));
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        *PREPARING.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Where this user's copies and seals are, opened or made at the first call; `None` where no
/// directory is theirs, or it cannot be used.
pub fn cache_of_user() -> Option<&'static PrivateDirectory> {
    static CACHE: OnceLock<Option<PrivateDirectory>> = OnceLock::new();
    let open = || {
        let Some(path) = PrivateDirectory::path_of_user("parts") else {
            set_trouble("none of CODEPOD_CACHE_DIR, XDG_CACHE_HOME and HOME is set");
            return None;
        };
        let opened = PrivateDirectory::open(path);
        opened.map_err(|error| set_trouble(&error.why())).ok()
    };
    CACHE.get_or_init(open).as_ref()
}

static TROUBLE: OnceLock<String> = OnceLock::new();

/// Why something could not be kept in the user's cache and is in memory instead, until this program
/// ends; `None` where that has not happened.
pub fn cache_trouble() -> Option<&'static str> {
    TROUBLE.get().map(String::as_str)
}

/// The first counts: the others follow from it.
fn set_trouble(why: &str) {
    let _ = TROUBLE.set(why.to_owned());
}

const NOEXEC: &str = "its file system runs no programs (`noexec`)";

/// Whether code can run in a file where it lies.
#[cfg(target_os = "linux")]
fn can_hold_code(file: &File) -> bool {
    use rustix::fs::{StatVfsMountFlags, fstatvfs};
    fstatvfs(file).is_ok_and(|it| !it.f_flag.contains(StatVfsMountFlags::NOEXEC))
}

#[cfg(not(target_os = "linux"))]
fn can_hold_code(_file: &File) -> bool {
    true
}

/// zstd's errors have no code of the system.
fn unreadable(error: io::Error) -> ContentError {
    match error.raw_os_error() {
        Some(_) => error.into(),
        None => ContentError::Other,
    }
}

/// The ends of the names of files that were copied or unpacked into the cache.
const KEPT: &str = "part";

/// Files in the cache that nobody has opened for so long are deleted when another is written.
const UNUSED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Deletes what earlier versions of the program have left. What cannot be deleted is left to the
/// next who tries.
fn forget_unused(cache: &PrivateDirectory) {
    let Ok(entries) = std::fs::read_dir(cache.path()) else {
        return;
    };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let is_ours = path.extension().is_some_and(|it| it == KEPT || it == SEAL);
        let Ok(metadata) = path.metadata() else {
            continue;
        };
        let used = metadata.accessed().ok().max(metadata.modified().ok());
        let is_old = |used: SystemTime| used.elapsed().is_ok_and(|age| age > UNUSED);
        if is_ours && used.is_some_and(is_old) {
            let _ = std::fs::remove_file(path);
        }
    }
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

/// The ends of the names of seals.
const SEAL: &str = "seal";

/// Says in the user's cache that a file had this content.
struct Seal<'a> {
    cache: &'a PrivateDirectory,
    name: String,
    value: blake3::Hash,
}

impl<'a> Seal<'a> {
    #[cfg(unix)]
    fn of(
        content: Content,
        metadata: &std::fs::Metadata,
        cache: &'a PrivateDirectory,
    ) -> Option<Seal<'a>> {
        use std::os::unix::fs::MetadataExt;
        let mut keyed = cache.keyed();
        keyed.update(content.digest.as_bytes());
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
        let name = format!("{:x}-{:x}.{SEAL}", metadata.dev(), metadata.ino());
        let value = keyed.finalize();
        Some(Seal { cache, name, value })
    }

    /// Elsewhere a file's times do not tell whether it was changed.
    #[cfg(not(unix))]
    fn of(_: Content, _: &std::fs::Metadata, _: &'a PrivateDirectory) -> Option<Seal<'a>> {
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

#[cfg(all(test, unix))]
#[path = "checked_file/tests.rs"]
mod tests;
