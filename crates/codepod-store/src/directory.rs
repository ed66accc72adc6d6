//! A directory of the host as the place to keep states in: the default.
//!
//! A file appears under its name whole or not at all: it is written under another one, flushed to disk, linked to the
//! name it is to have, and the directory is flushed too. Linking fails where the name is taken. One writer at a time has
//! the namespace, by a lock that ends with its process.

use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::backend::{Backend, Blob};
use crate::error::StoreError;
use crate::namespace::folder;

const LOCK: &str = "lock";
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
            fs::create_dir_all(path.join(name)).map_err(StoreError::io("make a directory"))?;
        }
        let mut lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path.join(LOCK))
            .map_err(StoreError::io("open the lock"))?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => StoreError::Locked {
                namespace: namespace.to_owned(),
                process: holder(&path),
            },
            TryLockError::Error(error) => StoreError::io("lock the namespace")(error),
        })?;
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
        let written = File::create_new(&temporary)
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
        match File::open(self.path.join(key)) {
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
        match fs::remove_file(self.path.join(key)) {
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
struct Opened(File);

impl Blob for Opened {
    fn size(&self) -> Result<u64, StoreError> {
        let metadata = self.0.metadata();
        metadata
            .map(|metadata| metadata.len())
            .map_err(StoreError::io("read a file"))
    }

    #[cfg(unix)]
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), StoreError> {
        use std::os::unix::fs::FileExt;
        self.0
            .read_exact_at(buf, offset)
            .map_err(|error| match error.kind() {
                ErrorKind::UnexpectedEof => StoreError::Damaged("a file that is cut short"),
                _ => StoreError::io("read a file")(error),
            })
    }

    #[cfg(not(unix))]
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), StoreError> {
        use std::io::{Read, Seek, SeekFrom};
        let mut file = self.0.try_clone().map_err(StoreError::io("read a file"))?;
        file.seek(SeekFrom::Start(offset))
            .and_then(|_| file.read_exact(buf))
            .map_err(StoreError::io("read a file"))
    }
}
