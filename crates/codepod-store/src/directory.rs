//! A directory of the host as the place to keep states in: the default.
//!
//! A file appears under its name whole or not at all: it is written under another one, flushed to
//! disk, linked to the name it is to have, and the directory is flushed too. Linking fails where
//! the name is taken. One writer at a time has the namespace, by a lock that ends with its process.

use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::backend::{Backend, Blob};
use crate::error::StoreError;
use crate::namespace::folder;
use crate::open_files::{self, OpenFile};

const LOCK: &str = "lock";
/// The file that holds a namespace's name.
pub(crate) const NAME: &str = "name";
const TEMPORARY: &str = "t";
const FOLDERS: [&str; 4] = ["c", "m", "p", TEMPORARY];

/// A namespace in a directory.
#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    next: AtomicU64,
    /// Held as long as this is.
    _lock: File,
}

impl Directory {
    /// Opens a namespace below `root` and locks it. Directories that are missing are made.
    pub(crate) fn open(root: &Path, namespace: &str) -> Result<Directory, StoreError> {
        let path = root.join(folder(namespace)?);
        for name in FOLDERS {
            make(&path.join(name))?;
        }
        // One that was made by an older codepod, or by hand.
        close_to_others(&path)?;
        let mut lock = lock(&path, namespace)?;
        note_name(&path, namespace)?;
        // Who has it, for those who want it too. Only told, never relied on.
        let _ = lock.set_len(0);
        let _ = writeln!(lock, "{}", std::process::id());
        // What a process that was killed had not finished.
        let unfinished =
            fs::read_dir(path.join(TEMPORARY)).map_err(StoreError::io("list files"))?;
        for file in unfinished.flatten() {
            let _ = fs::remove_file(file.path());
        }
        flush(&path)?;
        Ok(Directory {
            path,
            next: AtomicU64::new(0),
            _lock: lock,
        })
    }
}

impl Drop for Directory {
    /// With the lock goes the certainty that nobody removes what is still read.
    fn drop(&mut self) {
        open_files::keep(&self.path);
    }
}

/// Makes a directory, with those above it, that only its owner can look into.
pub(crate) fn make(path: &Path) -> Result<(), StoreError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(path)
        .map_err(StoreError::io("make a directory"))
}

/// Lets only the owner look into a directory.
fn close_to_others(path: &Path) -> Result<(), StoreError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let others = |metadata: fs::Metadata| metadata.permissions().mode() & 0o077 != 0;
        if fs::metadata(path).is_ok_and(others) {
            // By its descriptor: a program behind a wall has no other call for it.
            File::open(path)
                .and_then(|open| open.set_permissions(fs::Permissions::from_mode(0o700)))
                .map_err(StoreError::io("close a directory to others"))?;
        }
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// How files are made: only their owner can read them.
fn private() -> fs::OpenOptions {
    let mut options = File::options();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Takes the lock of a namespace.
pub(crate) fn lock(path: &Path, namespace: &str) -> Result<File, StoreError> {
    let lock = private()
        .create(true)
        .truncate(false)
        .open(path.join(LOCK))
        .map_err(StoreError::io("open the lock"))?;
    lock.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => StoreError::Locked {
            namespace: namespace.to_owned(),
            process: holder(path),
        },
        TryLockError::Error(error) => StoreError::io("lock the namespace")(error),
    })?;
    Ok(lock)
}

/// Notes the name of a namespace beside it, for lists: its folder does not tell it.
pub(crate) fn note_name(path: &Path, namespace: &str) -> Result<(), StoreError> {
    match private().create_new(true).open(path.join(NAME)) {
        Ok(mut file) => file
            .write_all(namespace.as_bytes())
            .map_err(StoreError::io("note a name")),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(StoreError::io("note a name")(error)),
    }
}

/// The process that says that it has the lock.
fn holder(path: &Path) -> Option<u32> {
    fs::read_to_string(path.join(LOCK))
        .ok()?
        .trim()
        .parse()
        .ok()
}

/// Puts the names in a directory where they last.
fn flush(path: &Path) -> Result<(), StoreError> {
    #[cfg(unix)]
    File::open(path)
        .and_then(|directory| directory.sync_all())
        .map_err(StoreError::io("flush a directory"))?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

impl Backend for Directory {
    fn create(&self, key: &str, bytes: &[u8]) -> Result<bool, StoreError> {
        let target = self.path.join(key);
        if target.exists() {
            return Ok(false);
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let temporary = self.path.join(TEMPORARY).join(number.to_string());
        let written = private()
            .create_new(true)
            .open(&temporary)
            .and_then(|mut file| {
                file.write_all(bytes)?;
                file.sync_all()
            })
            .map_err(StoreError::io("write a file"))
            .and_then(|()| link(&temporary, &target));
        let _ = fs::remove_file(&temporary);
        let created = written?;
        if let Some(folder) = target.parent() {
            flush(folder)?;
        }
        Ok(created)
    }

    fn open(&self, key: &str) -> Result<Option<Arc<dyn Blob>>, StoreError> {
        match OpenFile::open(self.path.join(key)) {
            Ok(file) => Ok(Some(Arc::new(Opened(file)))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::io("open a file")(error)),
        }
    }

    fn list(&self, prefix: &str) -> Result<Vec<String>, StoreError> {
        let listed = fs::read_dir(self.path.join(prefix)).map_err(StoreError::io("list files"))?;
        let mut keys = Vec::new();
        for entry in listed {
            let entry = entry.map_err(StoreError::io("list files"))?;
            if let Some(name) = entry.file_name().to_str() {
                keys.push(format!("{prefix}{name}"));
            }
        }
        Ok(keys)
    }

    fn delete(&self, key: &str) -> Result<(), StoreError> {
        let path = self.path.join(key);
        open_files::keep(&path);
        match fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(StoreError::io("remove a file")(error))
            }
            _ => Ok(()),
        }
    }
}

/// Gives a file a second name that is free; whether it was.
fn link(file: &Path, target: &Path) -> Result<bool, StoreError> {
    match fs::hard_link(file, target) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        // File systems without links: the lock is ours, and nothing was there a moment ago.
        Err(_) => fs::rename(file, target)
            .map(|()| true)
            .map_err(StoreError::io("name a file")),
    }
}

/// An open file.
#[derive(Debug)]
struct Opened(OpenFile);

impl Opened {
    fn file(&self) -> Result<Arc<File>, StoreError> {
        self.0.file().map_err(StoreError::io("read a file"))
    }
}

impl Blob for Opened {
    fn size(&self) -> Result<u64, StoreError> {
        let metadata = self.file()?.metadata();
        metadata
            .map(|metadata| metadata.len())
            .map_err(StoreError::io("read a file"))
    }

    #[cfg(unix)]
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), StoreError> {
        use std::os::unix::fs::FileExt;
        self.file()?
            .read_exact_at(buf, offset)
            .map_err(|error| match error.kind() {
                ErrorKind::UnexpectedEof => StoreError::Damaged("a file that is cut short"),
                _ => StoreError::io("read a file")(error),
            })
    }

    #[cfg(not(unix))]
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), StoreError> {
        use std::io::{Read, Seek, SeekFrom};
        let file = self.file()?;
        let mut file = file.try_clone().map_err(StoreError::io("read a file"))?;
        file.seek(SeekFrom::Start(offset))
            .and_then(|_| file.read_exact(buf))
            .map_err(StoreError::io("read a file"))
    }
}
