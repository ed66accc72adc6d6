//! Paths taken from one state of a sandbox into another: what restoring single paths and merging
//! are made of.

use codepod_abi::Errno;
use codepod_vfs::{Caller, FileKind, NodeRef, OpenOptions, Stat, Vfs};

use crate::error::{Error, ErrorKind};
use crate::files::{absolute, remove_tree, write_node};
use crate::moment::Moment;
use crate::sandbox::Sandbox;

/// How much is copied at once.
const PIECE: usize = 64 << 10;

impl Sandbox {
    /// Makes single paths as they were at a moment, with all that is below them; a path that was
    /// not there then is removed. The rest stays as it is, processes go on. Acts as root,
    /// within the sandbox's limits; stops at the first path that fails.
    pub fn restore_paths<P: AsRef<[u8]>>(
        &self,
        moment: impl Into<Moment>,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<(), Error> {
        let moment = Moment::Snapshot(self.snapshot_at(moment.into())?);
        self.change("restore", &[], || self.put_back(moment, paths))
    }

    /// Makes paths as they were at a moment, and records nothing.
    pub(crate) fn put_back<P: AsRef<[u8]>>(
        &self,
        moment: Moment,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<(), Error> {
        let snapshot = self.snapshot_at(moment)?;
        let mut kernel = self.kernel()?;
        let (vfs, caller) = kernel.files();
        let now = caller.now;
        let mut then = vfs.at(&snapshot.files).map_err(|_| ErrorKind::Internal)?;
        for path in paths {
            let path = absolute(self.options().cwd.as_bytes(), path.as_ref());
            take_all(&mut then, vfs, &path, now).map_err(|errno| Error::file(&path, errno))?;
        }
        Ok(())
    }
}

/// Makes a path and all below it in `to` as it is in `from`.
fn take_all(from: &mut Vfs, to: &mut Vfs, path: &[u8], now: u64) -> Result<(), Errno> {
    let caller = Caller::root(now);
    if look(from, path)?.is_none() {
        return remove(to, path, now);
    }
    make_parents(from, to, path, now)?;
    // Something of another kind is in the way; of a directory, what is not to be there any more.
    let mut open = vec![path.to_vec()];
    while let Some(path) = open.pop() {
        take_one(from, to, &path, now)?;
        let Some((node, stat)) = look(from, &path)? else {
            continue;
        };
        if stat.kind != FileKind::Directory {
            continue;
        }
        let wanted = names(from, node)?;
        if let Some((there, _)) = look(to, &path)? {
            for name in names(to, there)? {
                if !wanted.contains(&name) {
                    remove(to, &below(&path, &name), caller.now)?;
                }
            }
        }
        open.extend(wanted.iter().map(|name| below(&path, name)));
    }
    Ok(())
}

/// Makes one path in `to` as it is in `from`: a directory without what is in it. What is there in
/// its place is removed.
pub(crate) fn take_one(from: &mut Vfs, to: &mut Vfs, path: &[u8], now: u64) -> Result<(), Errno> {
    let caller = Caller::root(now);
    let Some((source, stat)) = look(from, path)? else {
        return remove(to, path, now);
    };
    // A file that has other names as well must not change under those.
    let can_stay = |there: &Stat| match stat.kind {
        FileKind::File => there.kind == FileKind::File && there.nlink == 1,
        FileKind::Symlink => false,
        kind => there.kind == kind,
    };
    match look(to, path)? {
        Some((_, there)) if can_stay(&there) => {}
        Some(_) => remove(to, path, now)?,
        None => {}
    }
    let root = to.root();
    match stat.kind {
        FileKind::Directory => match to.mkdir(&caller, root, path, stat.mode) {
            Ok(_) | Err(Errno::Exist) => {}
            Err(errno) => return Err(errno),
        },
        FileKind::Symlink => {
            let target = from.readlink_node(&caller, source)?;
            to.symlink(&caller, &target, root, path)?;
            return Ok(());
        }
        FileKind::Fifo => match to.mkfifo(&caller, root, path, stat.mode) {
            Ok(_) | Err(Errno::Exist) => {}
            Err(errno) => return Err(errno),
        },
        FileKind::Socket => match to.mksocket(&caller, root, path) {
            Ok(_) | Err(Errno::Exist) => {}
            Err(errno) => return Err(errno),
        },
        FileKind::File => copy_file(from, source, to, path, now)?,
        FileKind::CharDevice | FileKind::Other => return Err(Errno::NotSup),
    }
    let made = to.resolve(&caller, root, path, false)?;
    to.set_owner(&caller, made, Some(stat.uid), Some(stat.gid))?;
    to.set_mode(&caller, made, stat.mode)?;
    to.set_times(&caller, made, Some(stat.atime), Some(stat.mtime))
}

fn copy_file(
    from: &mut Vfs,
    source: NodeRef,
    to: &mut Vfs,
    path: &[u8],
    now: u64,
) -> Result<(), Errno> {
    let caller = Caller::root(now);
    let root = to.root();
    let node = to.open(&caller, root, path, &OpenOptions::REPLACE)?;
    let mut buffer = vec![0; PIECE];
    let mut at = 0;
    let result = loop {
        let read = match from.read_at(&caller, source, at, &mut buffer) {
            Ok(0) => break Ok(()),
            Ok(read) => read,
            Err(errno) => break Err(errno),
        };
        if let Err(errno) = write_node(to, &caller, node, at, &buffer[..read]) {
            break Err(errno);
        }
        at += read as u64;
    };
    to.close(node);
    result
}

/// Makes the directories above a path that are missing, as they are in `from`.
fn make_parents(from: &mut Vfs, to: &mut Vfs, path: &[u8], now: u64) -> Result<(), Errno> {
    let slashes = path.iter().enumerate().skip(1);
    let ends: Vec<usize> = slashes
        .filter(|(_, byte)| **byte == b'/')
        .map(|(at, _)| at)
        .collect();
    for end in ends {
        if look(to, &path[..end])?.is_none() {
            take_one(from, to, &path[..end], now)?;
        }
    }
    Ok(())
}

/// Removes a path with all that is below it; nothing happens where it is not there.
pub(crate) fn remove(vfs: &mut Vfs, path: &[u8], now: u64) -> Result<(), Errno> {
    let caller = Caller::root(now);
    let root = vfs.root();
    match look(vfs, path)? {
        None => Ok(()),
        Some((_, stat)) if stat.kind == FileKind::Directory => {
            remove_tree(vfs, &caller, root, path)
        }
        Some(_) => vfs.unlink(&caller, root, path),
    }
}

/// What a path means, without following a link at its end; `None` where there is nothing.
pub(crate) fn look(vfs: &mut Vfs, path: &[u8]) -> Result<Option<(NodeRef, Stat)>, Errno> {
    let caller = Caller::root(0);
    let root = vfs.root();
    match vfs.resolve(&caller, root, path, false) {
        Ok(node) => Ok(Some((node, vfs.stat(&caller, node)?))),
        Err(Errno::NoEnt | Errno::NotDir) => Ok(None),
        Err(errno) => Err(errno),
    }
}

fn names(vfs: &mut Vfs, directory: NodeRef) -> Result<Vec<Vec<u8>>, Errno> {
    let mut names = Vec::new();
    let caller = Caller::root(0);
    vfs.read_dir(&caller, directory, 0, u64::MAX, &mut |entry| {
        if entry.name != b"." && entry.name != b".." {
            names.push(entry.name.to_vec());
        }
        true
    })?;
    Ok(names)
}

fn below(directory: &[u8], name: &[u8]) -> Vec<u8> {
    [directory, b"/", name].concat()
}
