//! Files of directories that are open to be read: so many in the whole process and no more.
//!
//! A state that was loaded is read from its packs as it is needed, and a process may have thousands
//! of them. The one that was not used for longest is closed when another needs its place; who needs
//! it again opens it by its path. A file that is about to lose its path is kept open as long as
//! somebody may read it.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

/// Files that are open at a time, besides those that are kept.
const MOST: usize = 64;

static OPEN: LazyLock<Mutex<Open>> = LazyLock::new(Mutex::default);

#[derive(Debug, Default)]
struct Open {
    readers: HashMap<u64, Reader>,
    last: u64,
    tick: u64,
}

#[derive(Debug)]
struct Reader {
    path: Arc<Path>,
    file: Option<Arc<File>>,
    /// The tick of its last use.
    used: u64,
    kept: bool,
}

/// A file that can be read as long as this is there, whatever becomes of its path.
#[derive(Debug)]
pub(crate) struct OpenFile {
    path: Arc<Path>,
    number: u64,
}

impl OpenFile {
    pub(crate) fn open(path: PathBuf) -> io::Result<OpenFile> {
        let file = File::open(&path)?;
        let path: Arc<Path> = path.into();
        let mut open = lock();
        open.last += 1;
        let number = open.last;
        let reader = Reader {
            path: path.clone(),
            file: None,
            used: 0,
            kept: false,
        };
        open.readers.insert(number, reader);
        let gone = open.put(number, &Arc::new(file));
        drop(open);
        drop(gone);
        Ok(OpenFile { path, number })
    }

    /// The file, opened again if it had to make room.
    pub(crate) fn file(&self) -> io::Result<Arc<File>> {
        let found = lock().get(self.number);
        if let Some(file) = found {
            return Ok(file);
        }
        let file = Arc::new(File::open(&self.path)?);
        let gone = lock().put(self.number, &file);
        drop(gone);
        Ok(file)
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        let gone = lock().readers.remove(&self.number);
        drop(gone);
    }
}

/// Keeps what is open at and below a path open, because somebody may take the path away.
pub(crate) fn keep(path: &Path) {
    let mut missing = Vec::new();
    for (number, reader) in &mut lock().readers {
        if reader.path.starts_with(path) {
            reader.kept = true;
            if reader.file.is_none() {
                missing.push((*number, reader.path.clone()));
            }
        }
    }
    for (number, path) in missing {
        // One that is gone already cannot be kept; reading it says so.
        if let Ok(file) = File::open(&path) {
            let gone = lock().put(number, &Arc::new(file));
            drop(gone);
        }
    }
}

fn lock() -> MutexGuard<'static, Open> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Open {
    fn get(&mut self, number: u64) -> Option<Arc<File>> {
        self.tick += 1;
        let reader = self.readers.get_mut(&number)?;
        reader.used = self.tick;
        reader.file.clone()
    }

    /// Gives a reader its file; the one that made room for it, to be closed outside of the lock.
    fn put(&mut self, number: u64, file: &Arc<File>) -> Option<Arc<File>> {
        self.tick += 1;
        let tick = self.tick;
        if let Some(reader) = self.readers.get_mut(&number) {
            reader.file = Some(file.clone());
            reader.used = tick;
        }
        let open = |reader: &&mut Reader| reader.file.is_some() && !reader.kept;
        if self.readers.values_mut().filter(open).count() <= MOST {
            return None;
        }
        let oldest = self.readers.values_mut().filter(open);
        oldest.min_by_key(|reader| reader.used)?.file.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    fn open_below(path: &Path) -> usize {
        let open = lock();
        let below = open.readers.values();
        let below = below.filter(|reader| reader.path.starts_with(path) && reader.file.is_some());
        below.count()
    }

    fn text(file: &OpenFile) -> io::Result<String> {
        let mut text = String::new();
        // Readers share a file and say where they read; this one is alone.
        let mut file = &*file.file()?;
        io::Seek::seek(&mut file, io::SeekFrom::Start(0))?;
        file.read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn many_packs_have_few_files_open_and_are_read_after_their_paths_are_gone() {
        let name = format!("store-open-files-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let path = |n: usize| folder.join(n.to_string());
        let mut files = Vec::new();
        for n in 0..500 {
            std::fs::write(path(n), n.to_string()).unwrap();
            files.push(OpenFile::open(path(n)).unwrap());
            assert!(open_below(&folder) <= MOST, "at {n}");
        }
        for (n, file) in files.iter().enumerate().step_by(3) {
            assert_eq!(text(file).unwrap(), n.to_string());
        }
        assert!(open_below(&folder) <= MOST);
        for n in [0, 1, 499] {
            keep(&path(n));
            std::fs::remove_file(path(n)).unwrap();
        }
        for (n, file) in files.iter().enumerate() {
            assert_eq!(
                text(file).unwrap(),
                n.to_string(),
                "whatever was opened since"
            );
        }
        assert!(open_below(&folder) <= MOST + 3);
        drop(files);
        assert_eq!(open_below(&folder), 0);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
