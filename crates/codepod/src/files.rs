//! Files of a sandbox from outside: read, write, list, make, remove, rename. They act as the
//! sandbox's user, under its permissions and limits; relative paths start at the working directory.

use codepod_abi::Errno;
use codepod_vfs::{Caller, FileKind, NodeRef, OpenOptions, Vfs};

use crate::error::Error;
use crate::sandbox::Sandbox;
use crate::timeline::FileStep;

/// What is known of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileStat {
    /// What it is.
    pub kind: FileKind,
    /// Bytes.
    pub size: u64,
    /// Permission bits.
    pub mode: u16,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Modification time, nanoseconds since 1970.
    pub mtime: u64,
}

impl From<codepod_vfs::Stat> for FileStat {
    fn from(stat: codepod_vfs::Stat) -> FileStat {
        FileStat {
            kind: stat.kind,
            size: stat.size,
            mode: stat.mode,
            uid: stat.uid,
            gid: stat.gid,
            mtime: stat.mtime,
        }
    }
}

/// An entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DirEntry {
    /// Its name.
    pub name: Vec<u8>,
    /// What it is.
    pub kind: FileKind,
}

/// How much is read at once.
const PIECE: usize = 64 << 10;

impl Sandbox {
    /// All of a file.
    pub fn read_file(&self, path: impl AsRef<[u8]>) -> Result<Vec<u8>, Error> {
        let path = path.as_ref();
        self.with_open(path, &OpenOptions::READ, read_node)
    }

    /// A part of a file, as far as it is there, and the size of the whole.
    pub fn read_file_at(
        &self,
        path: impl AsRef<[u8]>,
        offset: u64,
        length: usize,
    ) -> Result<(Vec<u8>, u64), Error> {
        self.with_open(path.as_ref(), &OpenOptions::READ, |vfs, caller, node| {
            let size = vfs.stat(caller, node)?.size;
            // Files of /proc say 0 and hold something.
            let mut bytes = Vec::new();
            while bytes.len() < length {
                let at = bytes.len();
                bytes.resize(at + PIECE.min(length - at), 0);
                let from = offset.saturating_add(at as u64);
                let read = vfs.read_at(caller, node, from, &mut bytes[at..])?;
                bytes.truncate(at + read);
                if read == 0 {
                    break;
                }
            }
            let end = offset.saturating_add(bytes.len() as u64);
            Ok((bytes, if size == 0 { end } else { size }))
        })
    }

    /// Makes or replaces a file.
    pub fn write_file(&self, path: impl AsRef<[u8]>, bytes: impl AsRef<[u8]>) -> Result<(), Error> {
        let (path, bytes) = (path.as_ref(), bytes.as_ref());
        self.change("write", path, || self.replace(path, bytes))
    }

    /// Makes or replaces a file, and the directories above it that are missing.
    pub fn write_file_and_parents(
        &self,
        path: impl AsRef<[u8]>,
        bytes: impl AsRef<[u8]>,
    ) -> Result<(), Error> {
        let (path, bytes) = (path.as_ref(), bytes.as_ref());
        self.change("write", path, || {
            let end = path.iter().rposition(|byte| *byte != b'/').unwrap_or(0);
            match path[..end].iter().rposition(|byte| *byte == b'/') {
                None | Some(0) => {}
                Some(above) => self.make_directories(&path[..above])?,
            }
            self.replace(path, bytes)
        })
    }

    fn replace(&self, path: &[u8], bytes: &[u8]) -> Result<(), Error> {
        self.with_open(path, &OpenOptions::REPLACE, |vfs, caller, node| {
            write_node(vfs, caller, node, 0, bytes)
        })
    }

    /// The entries of a directory, by name.
    pub fn list_dir(&self, path: impl AsRef<[u8]>) -> Result<Vec<DirEntry>, Error> {
        let options = OpenOptions {
            directory: true,
            ..OpenOptions::READ
        };
        self.with_open(path.as_ref(), &options, |vfs, caller, node| {
            let mut entries = Vec::new();
            vfs.read_dir(caller, node, 0, u64::MAX, &mut |entry| {
                if entry.name != b"." && entry.name != b".." {
                    entries.push(DirEntry {
                        name: entry.name.to_vec(),
                        kind: entry.kind,
                    });
                }
                true
            })?;
            entries.sort_by(|a, b| a.name.cmp(&b.name));
            Ok(entries)
        })
    }

    /// Makes a directory and those above it that are missing.
    pub fn mkdir(&self, path: impl AsRef<[u8]>) -> Result<(), Error> {
        let path = path.as_ref();
        self.change("mkdir", path, || self.make_directories(path))
    }

    fn make_directories(&self, path: &[u8]) -> Result<(), Error> {
        self.with(path, |vfs, caller, base| {
            let ends = path
                .iter()
                .enumerate()
                .filter(|(i, byte)| **byte == b'/' && *i > 0)
                .map(|(i, _)| i);
            for end in ends.chain([path.len()]) {
                match vfs.mkdir(caller, base, &path[..end], 0o777) {
                    Ok(_) => {}
                    Err(Errno::Exist) if vfs.resolve(caller, base, &path[..end], true).is_ok() => {}
                    Err(errno) => return Err(errno),
                }
            }
            Ok(())
        })
    }

    /// Removes a file, or a directory with all that is in it.
    pub fn remove(&self, path: impl AsRef<[u8]>) -> Result<(), Error> {
        let path = path.as_ref();
        let remove = || {
            self.with(path, |vfs, caller, base| {
                let node = vfs.resolve(caller, base, path, false)?;
                if vfs.stat(caller, node)?.kind != FileKind::Directory {
                    return vfs.unlink(caller, base, path);
                }
                remove_tree(vfs, caller, base, path)
            })
        };
        self.change("remove", path, remove)
    }

    /// What is known of a path; a link at its end is followed.
    pub fn stat(&self, path: impl AsRef<[u8]>) -> Result<FileStat, Error> {
        let path = path.as_ref();
        self.with(path, |vfs, caller, base| {
            let node = vfs.resolve(caller, base, path, true)?;
            vfs.stat(caller, node).map(FileStat::from)
        })
    }

    /// The target of a symbolic link.
    pub fn read_link(&self, path: impl AsRef<[u8]>) -> Result<Vec<u8>, Error> {
        let path = path.as_ref();
        self.with(path, |vfs, caller, base| {
            let node = vfs.resolve(caller, base, path, false)?;
            vfs.readlink_node(caller, node)
        })
    }

    /// Sets the permission bits of a path.
    pub fn set_mode(&self, path: impl AsRef<[u8]>, mode: u16) -> Result<(), Error> {
        let path = path.as_ref();
        let set = || {
            self.with(path, |vfs, caller, base| {
                let node = vfs.resolve(caller, base, path, true)?;
                vfs.set_mode(caller, node, mode)
            })
        };
        self.change("chmod", path, set)
    }

    /// Renames, replacing what has the new name.
    pub fn rename(&self, from: impl AsRef<[u8]>, to: impl AsRef<[u8]>) -> Result<(), Error> {
        let from = from.as_ref();
        let rename = || {
            self.with(from, |vfs, caller, base| {
                vfs.rename(caller, base, from, base, to.as_ref())
            })
        };
        self.change("rename", from, rename)
    }

    /// Does something to files: a step of the history, if this handle records.
    pub(crate) fn change<R>(
        &self,
        what: &str,
        path: &[u8],
        change: impl FnOnce() -> Result<R, Error>,
    ) -> Result<R, Error> {
        if !self.recording {
            return change();
        }
        let step = FileStep::begin(self)?;
        let changed = change();
        let command = format!("{what} {}", String::from_utf8_lossy(path));
        step.end(command.trim_end(), i32::from(changed.is_err()));
        changed
    }

    fn with_open<R>(
        &self,
        path: &[u8],
        options: &OpenOptions,
        f: impl FnOnce(&mut Vfs, &Caller<'_>, NodeRef) -> Result<R, Errno>,
    ) -> Result<R, Error> {
        self.with(path, |vfs, caller, base| {
            let node = vfs.open(caller, base, path, options)?;
            let result = f(vfs, caller, node);
            vfs.close(node);
            result
        })
    }

    /// How many bytes a file takes, holes apart.
    pub(crate) fn stored_bytes(&self, path: &str) -> Result<u64, Error> {
        const BLOCK: u64 = 512;
        let path = path.as_bytes();
        self.with(path, |vfs, caller, base| {
            let node = vfs.resolve(caller, base, path, true)?;
            Ok(vfs.stat(caller, node)?.blocks * BLOCK)
        })
    }

    pub(crate) fn with<R>(
        &self,
        path: &[u8],
        f: impl FnOnce(&mut Vfs, &Caller<'_>, NodeRef) -> Result<R, Errno>,
    ) -> Result<R, Error> {
        let mut kernel = self.kernel()?;
        let (vfs, mut caller) = kernel.files();
        if self.root {
            (caller.uid, caller.gid) = (0, 0);
        }
        let root = vfs.root();
        vfs.resolve(&caller, root, self.options().cwd.as_bytes(), true)
            // A working directory that has gone does not matter to an absolute path.
            .or(if path.first() == Some(&b'/') {
                Ok(root)
            } else {
                Err(Errno::NoEnt)
            })
            .and_then(|base| f(vfs, &caller, base))
            .map_err(|errno| Error::file(path, errno))
    }
}

/// What is left of a path behind that of a directory, with its slash; `None` for a path that is
/// elsewhere.
pub(crate) fn rest_below<'a>(directory: &str, path: &'a [u8]) -> Option<&'a [u8]> {
    let rest = path.strip_prefix(directory.trim_end_matches('/').as_bytes())?;
    (rest.is_empty() || rest[0] == b'/').then_some(rest)
}

/// A path as seen from a directory.
pub(crate) fn absolute(directory: &[u8], path: &[u8]) -> Vec<u8> {
    if path.first() == Some(&b'/') {
        return path.to_vec();
    }
    [directory, b"/", path].concat()
}

/// All of an open file.
pub(crate) fn read_node(
    vfs: &mut Vfs,
    caller: &Caller<'_>,
    node: NodeRef,
) -> Result<Vec<u8>, Errno> {
    let mut bytes = Vec::new();
    loop {
        let at = bytes.len();
        bytes.resize(at + PIECE, 0);
        let read = vfs.read_at(caller, node, at as u64, &mut bytes[at..])?;
        bytes.truncate(at + read);
        if read == 0 {
            return Ok(bytes);
        }
    }
}

/// Writes all of `bytes` to an open file, from `offset` on.
pub(crate) fn write_node(
    vfs: &mut Vfs,
    caller: &Caller<'_>,
    node: NodeRef,
    offset: u64,
    bytes: &[u8],
) -> Result<(), Errno> {
    let mut at = 0;
    while at < bytes.len() {
        at += vfs.write_at(caller, node, offset + at as u64, &bytes[at..])?;
    }
    Ok(())
}

/// Removes a directory's content and then itself, without recursion: a guest can nest as deep as it
/// likes.
pub(crate) fn remove_tree(
    vfs: &mut Vfs,
    caller: &Caller<'_>,
    base: NodeRef,
    path: &[u8],
) -> Result<(), Errno> {
    let parent_of = |path: &[u8]| -> (Vec<u8>, Vec<u8>) {
        let trimmed = path
            .iter()
            .rposition(|byte| *byte != b'/')
            .map_or(path, |end| &path[..=end]);
        match trimmed.iter().rposition(|byte| *byte == b'/') {
            Some(0) => (b"/".to_vec(), trimmed[1..].to_vec()),
            Some(at) => (trimmed[..at].to_vec(), trimmed[at + 1..].to_vec()),
            None => (b".".to_vec(), trimmed.to_vec()),
        }
    };
    let (parent, name) = parent_of(path);
    let mut stack = vec![(vfs.resolve(caller, base, &parent, true)?, name)];
    while let Some((parent, name)) = stack.last().cloned() {
        let node = vfs.resolve(caller, parent, &name, false)?;
        let mut directories = Vec::new();
        let mut files = Vec::new();
        vfs.read_dir(caller, node, 0, u64::MAX, &mut |entry| {
            match (entry.name, entry.kind) {
                (b"." | b"..", _) => {}
                (name, FileKind::Directory) => directories.push(name.to_vec()),
                (name, _) => files.push(name.to_vec()),
            }
            true
        })?;
        for file in files {
            vfs.unlink(caller, node, &file)?;
        }
        match directories.into_iter().next() {
            Some(child) => stack.push((node, child)),
            None => {
                vfs.rmdir(caller, parent, &name)?;
                stack.pop();
            }
        }
    }
    Ok(())
}
