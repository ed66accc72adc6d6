//! A directory of the host, mounted read-only or read-write.
//!
//! The embedder hands over an open directory; everything happens beneath it. A node is reached by
//! opening its directories one after the other from that handle, each by a single name and never
//! through a link, so no arrangement of links and no swap while we walk leads outside
//! (`host_dir/walk.rs`). Links are shown as links; the Vfs walks them, and an absolute one means
//! the sandbox's own path.
//!
//! Only regular files and directories are ever opened. Pipes, sockets and devices of the host are
//! seen as [`FileKind::Other`], can be removed, and refuse to be opened with `Nxio`; should one
//! take a file's place in the last moment, opening it does not wait. Owners, device and inode
//! numbers are the sandbox's; permission bits, sizes and times are the host's. Set-user, set-group
//! and sticky bits are neither shown nor set. New nodes also obey the host process's umask.
//!
//! A snapshot does not hold the content; restoring changes nothing here.

mod attributes;
mod content;
mod device;
mod errno;
mod facts;
mod growth;
mod guarded;
mod held;
mod list;
mod names;
mod open;
mod options;
mod pool;
mod publish;
mod table;
mod walk;

pub use options::{HostAccess, HostOptions};

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use codepod_abi::Errno;
use rustix::fs::{AtFlags, FileType, OFlags};

use self::errno::translate;
use self::facts::{check_name, kind};
use self::held::Held;
use self::open::{Open, identity};
use self::pool::Pool;
use self::table::{ROOT, Table};
use self::walk::{Dir, Walk};
use crate::backend::{FileSystem, FsSnapshot};
use crate::budget::Budget;
use crate::caller::Caller;
use crate::guard::Guard;
use crate::limits::FsLimits;
use crate::listing::Listing;
use crate::node::{DirSink, FileKind, InodeId, New, Stat};
use crate::overlay::Overlay;
use crate::publish::{Fingerprint, Publish, Publisher};

/// A directory of the host as a file system.
#[derive(Debug)]
pub struct HostDir {
    shared: Arc<Shared>,
    /// What numbers stand for; forks share it until one of them adds to it.
    table: Arc<Table>,
    open: HashMap<InodeId, Open>,
    /// The file made last: its maker may write to it whatever its mode says.
    fresh: Option<(InodeId, OwnedFd)>,
    /// The directory listed last, so that going on with it does not read it again.
    listing: Option<(InodeId, Listing)>,
    /// What the path that is being walked has opened.
    walk: Walk,
    /// What can be taken back of what was published, while that is wanted.
    held: Option<Vec<Held>>,
}

/// What forks have in common.
#[derive(Debug)]
struct Shared {
    root: Dir,
    /// The root's device.
    device: rustix::fs::Dev,
    /// Whether the root is on an overlay of the host's.
    layered: bool,
    access: HostAccess,
    options: HostOptions,
    pool: Arc<Pool>,
    grown_bytes: AtomicU64,
    grown_nodes: AtomicU64,
    /// Directories that were opened on the way somewhere.
    #[cfg(any(test, feature = "testing"))]
    steps: Arc<AtomicU64>,
}

/// Flags for every opening: no link at the end, no waiting, nothing inherited or controlling.
const SAFE: OFlags = OFlags::NOFOLLOW
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOCTTY);

impl HostDir {
    /// Shows the open directory `root`: a `cap_std::fs::Dir`, or a `std::fs::File`.
    ///
    /// [`Errno::NotDir`] if it is not a directory, [`Errno::Xdev`] if it shows the host's kernel or
    /// processes.
    pub fn new(
        root: impl Into<OwnedFd>,
        access: HostAccess,
        options: HostOptions,
    ) -> Result<HostDir, Errno> {
        let pool = Pool::new(options.open_files);
        HostDir::with_pool(root.into(), access, options, pool)
    }

    fn with_pool(
        root: OwnedFd,
        access: HostAccess,
        options: HostOptions,
        pool: Arc<Pool>,
    ) -> Result<HostDir, Errno> {
        let stat = rustix::fs::fstat(&root).map_err(translate)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
            return Err(Errno::NotDir);
        }
        if device::is_of_the_system(&root)? {
            return Err(Errno::Xdev);
        }
        let shared = Shared {
            device: stat.st_dev,
            layered: device::is_layered(&root),
            root: Arc::new(root),
            access,
            options,
            pool,
            grown_bytes: AtomicU64::new(0),
            grown_nodes: AtomicU64::new(0),
            #[cfg(any(test, feature = "testing"))]
            steps: Arc::default(),
        };
        Ok(HostDir::over(Arc::new(shared), Arc::default()))
    }

    /// How many directories this mount and its forks have opened on the way somewhere; it goes on
    /// counting.
    #[cfg(any(test, feature = "testing"))]
    #[doc(hidden)]
    pub fn steps(&self) -> Arc<AtomicU64> {
        self.shared.steps.clone()
    }

    fn over(shared: Arc<Shared>, table: Arc<Table>) -> HostDir {
        HostDir {
            shared,
            table,
            open: HashMap::new(),
            fresh: None,
            listing: None,
            walk: Walk::default(),
            held: None,
        }
    }

    /// Names from the root to a node.
    fn names(&mut self, id: InodeId) -> Result<Vec<Arc<[u8]>>, Errno> {
        self.table_mut().names(id)
    }

    fn table_mut(&mut self) -> &mut Table {
        Arc::make_mut(&mut self.table)
    }

    /// The directory that holds a node, and the node's name in it; `None` for the root.
    fn place(&mut self, id: InodeId) -> Result<Option<Place>, Errno> {
        if id == ROOT {
            return Ok(None);
        }
        let (dir, name) = self.table_mut().step_up(id)?;
        Ok(Some((self.dir(dir)?, name)))
    }

    /// What the host knows about a node. An open file is asked itself: its name may be gone.
    fn host_stat(&mut self, id: InodeId) -> Result<rustix::fs::Stat, Errno> {
        if let Some(file) = self.descriptor(id)? {
            return rustix::fs::fstat(&file).map_err(translate);
        }
        // Where the sandbox itself changes files, what it saw a step ago may be old.
        if self.shared.access == HostAccess::ReadOnly
            && let Some(stat) = self.walk.seen(id)
        {
            return Ok(stat);
        }
        let stat = match self.place(id)? {
            Some((dir, name)) => rustix::fs::statat(&dir, &*name, AtFlags::SYMLINK_NOFOLLOW),
            None => rustix::fs::fstat(&self.shared.root),
        };
        stat.map_err(translate)
    }

    fn check_writable(&self) -> Result<(), Errno> {
        match self.shared.access {
            HostAccess::ReadOnly => Err(Errno::Rofs),
            HostAccess::ReadWrite => Ok(()),
        }
    }

    /// The number for a name that exists, forgetting others if there are too many.
    fn know(&mut self, dir: InodeId, name: &[u8]) -> InodeId {
        let open = &self.open;
        let taken = |id| open.contains_key(&id);
        if let Some(id) = self.table.find(dir, name) {
            return id;
        }
        let table = Arc::make_mut(&mut self.table);
        if table.len() >= self.shared.options.known_nodes {
            table.shrink(open.keys().copied().chain([dir]));
        }
        table.insert(dir, name, taken)
    }

    /// Forgets a name that now means another file than the one that is open under its number.
    fn check_same(&mut self, dir: InodeId, name: &[u8], now: &rustix::fs::Stat) {
        let id = self.table.find(dir, name);
        let open = id.and_then(|id| self.open.get(&id)?.file.as_ref());
        if open.is_some_and(|open| open.identity != identity(now)) {
            self.lose(dir, name);
        }
    }
}

impl Shared {
    fn count_step(&self) {
        #[cfg(any(test, feature = "testing"))]
        self.steps
            .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }
}

/// An open directory and a name in it.
type Place = (Dir, Arc<[u8]>);

impl Publisher for HostDir {
    fn publish(
        &mut self,
        path: &[u8],
        new: Publish<'_>,
        expected: Option<Fingerprint>,
    ) -> Result<Option<Fingerprint>, Errno> {
        self.put(path, new, expected)
    }

    fn begin(&mut self) {
        self.held = Some(Vec::new());
    }

    fn end(&mut self, keep: bool) -> Vec<Vec<u8>> {
        self.settle(keep)
    }
}

impl FileSystem for HostDir {
    fn type_name(&self) -> &'static str {
        "hostfs"
    }

    fn read_only(&self) -> bool {
        self.shared.access == HostAccess::ReadOnly
    }

    fn root(&self) -> InodeId {
        ROOT
    }

    fn begin_walk(&mut self) {
        self.walk.begin();
    }

    fn end_walk(&mut self) {
        self.walk.end();
    }

    fn lookup(&mut self, _: &Caller<'_>, dir: InodeId, name: &[u8]) -> Result<InodeId, Errno> {
        check_name(name)?;
        let opened = self.dir(dir)?;
        let stat = match rustix::fs::statat(&opened, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(error) => {
                if error == rustix::io::Errno::NOENT {
                    self.lose(dir, name);
                }
                return Err(translate(error));
            }
        };
        self.check_same(dir, name, &stat);
        let id = self.know(dir, name);
        self.walk.see(id, stat);
        Ok(id)
    }

    fn parent(&mut self, dir: InodeId) -> Result<InodeId, Errno> {
        self.table.parent(dir)
    }

    fn path_of(&mut self, inode: InodeId) -> Result<Vec<u8>, Errno> {
        match self.names(inode) {
            Ok(names) => Ok(names.join(&b'/')),
            Err(_) if self.open.contains_key(&inode) => Err(Errno::NoEnt),
            Err(error) => Err(error),
        }
    }

    fn stat(&mut self, caller: &Caller<'_>, inode: InodeId) -> Result<Stat, Errno> {
        let stat = self.host_stat(inode)?;
        let (uid, gid) = self
            .shared
            .options
            .owner
            .unwrap_or((caller.uid, caller.gid));
        Ok(facts::seen(&stat, inode, (uid, gid)))
    }

    fn readlink(&mut self, _: &Caller<'_>, inode: InodeId) -> Result<Arc<[u8]>, Errno> {
        let (dir, name) = self.place(inode)?.ok_or(Errno::Inval)?;
        let target = rustix::fs::readlinkat(&dir, &*name, Vec::new()).map_err(translate)?;
        Ok(target.to_bytes().into())
    }

    fn read_at(
        &mut self,
        _: &Caller<'_>,
        inode: InodeId,
        offset: u64,
        buf: &mut [u8],
    ) -> Result<usize, Errno> {
        if offset > i64::MAX as u64 - buf.len() as u64 {
            return Ok(0);
        }
        self.with_file(inode, false, |file| {
            rustix::io::pread(file, buf, offset).map_err(translate)
        })
    }

    fn list(
        &mut self,
        _: &Caller<'_>,
        dir: InodeId,
        cookie: u64,
        until: u64,
        sink: DirSink<'_>,
    ) -> Result<(), Errno> {
        let cached = matches!(&self.listing, Some((listed, _)) if *listed == dir && cookie > 2);
        if !cached {
            self.listing = Some((dir, self.read_directory(dir)?));
        }
        if let Some((_, listing)) = &self.listing {
            listing.send(cookie, until, sink);
        }
        Ok(())
    }

    fn open(&mut self, _: &Caller<'_>, inode: InodeId, write: bool) -> Result<(), Errno> {
        if write {
            self.check_writable()?;
            self.check_unguarded(inode)?;
        }
        let open = self.open.get(&inode);
        if !open.is_some_and(|open| open.serves(write)) {
            let fresh = self.fresh.take().filter(|(id, _)| *id == inode);
            match fresh {
                Some((_, file)) => self.note_open(inode, file, true)?,
                None => match kind(&self.host_stat(inode)?) {
                    FileKind::File => {
                        let (file, _) = self.open_file(inode, write)?;
                        self.note_open(inode, file, write)?;
                    }
                    FileKind::Directory if !write => {}
                    FileKind::Directory => return Err(Errno::IsDir),
                    FileKind::Symlink => return Err(Errno::Loop),
                    _ => return Err(Errno::Nxio),
                },
            }
        }
        self.open.entry(inode).or_default().count += 1;
        Ok(())
    }

    fn close(&mut self, inode: InodeId) {
        if let Some(open) = self.open.get_mut(&inode) {
            open.count -= 1;
            if open.count == 0 {
                self.open.remove(&inode);
                self.listing.take_if(|(listed, _)| *listed == inode);
            }
        }
    }

    fn fork(&self) -> Result<Box<dyn FileSystem>, Errno> {
        Ok(Box::new(HostDir::over(
            self.shared.clone(),
            self.table.clone(),
        )))
    }

    fn guard(&self) -> Guard {
        self.shared.options.guard
    }

    fn fingerprint(&mut self, caller: &Caller<'_>, inode: InodeId) -> Result<Fingerprint, Errno> {
        let mut fingerprint = publish::fingerprint(&self.host_stat(inode)?);
        let racy = fingerprint.ctime.saturating_add(publish::COARSE) > caller.now;
        if racy && fingerprint.kind == FileKind::File {
            let (file, stat) = self.open_file(inode, false)?;
            // Of the file that the digest is of, whatever has its name by now.
            fingerprint = publish::fingerprint(&stat);
            fingerprint.digest = Some(publish::sample(&file, fingerprint.size)?);
        }
        Ok(fingerprint)
    }

    fn publisher(&mut self) -> Option<&mut dyn Publisher> {
        Some(self)
    }

    fn fork_apart(&self, limits: FsLimits, budget: &Budget) -> Result<Box<dyn FileSystem>, Errno> {
        if self.shared.access == HostAccess::ReadOnly {
            return self.fork();
        }
        let root = self.shared.root.try_clone().map_err(|_| Errno::Nfile)?;
        let (options, pool) = (self.shared.options, self.shared.pool.clone());
        let lower = HostDir::with_pool(root, HostAccess::ReadOnly, options, pool)?;
        let overlay = Overlay::new(Box::new(lower), limits)?;
        Ok(Box::new(overlay.with_budget(budget)))
    }

    fn restore(&mut self, _: &FsSnapshot) {
        self.open.clear();
        self.fresh = None;
        self.listing = None;
        self.walk.forget();
    }

    fn sync(&mut self, inode: InodeId) -> Result<(), Errno> {
        match self.descriptor(inode)? {
            Some(file) => rustix::fs::fsync(file).map_err(translate),
            None => Ok(()),
        }
    }

    fn create(
        &mut self,
        _: &Caller<'_>,
        dir: InodeId,
        name: &[u8],
        new: New<'_>,
    ) -> Result<InodeId, Errno> {
        self.make(dir, name, new)
    }

    fn write_at(
        &mut self,
        _: &Caller<'_>,
        inode: InodeId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<usize, Errno> {
        Ok(self.write(inode, Some(offset), bytes)?.1)
    }

    fn append(
        &mut self,
        _: &Caller<'_>,
        inode: InodeId,
        bytes: &[u8],
    ) -> Result<(u64, usize), Errno> {
        self.write(inode, None, bytes)
    }

    fn set_size(&mut self, _: &Caller<'_>, inode: InodeId, size: u64) -> Result<(), Errno> {
        self.resize(inode, size)
    }

    /// Extends the file; the host decides when it takes the room.
    fn allocate(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        offset: u64,
        length: u64,
    ) -> Result<(), Errno> {
        self.check_writable()?;
        if length == 0 {
            return Err(Errno::Inval);
        }
        let end = offset.checked_add(length).ok_or(Errno::Fbig)?;
        let size = u64::try_from(self.host_stat(inode)?.st_size).unwrap_or(0);
        if end > size {
            self.set_size(caller, inode, end)
        } else {
            Ok(())
        }
    }

    fn set_times(
        &mut self,
        _: &Caller<'_>,
        inode: InodeId,
        atime: Option<u64>,
        mtime: Option<u64>,
    ) -> Result<(), Errno> {
        self.change_times(inode, atime, mtime)
    }

    fn set_mode(&mut self, _: &Caller<'_>, inode: InodeId, mode: u16) -> Result<(), Errno> {
        self.change_mode(inode, mode)
    }

    /// Owners are the sandbox's own; the host's do not change.
    fn set_owner(
        &mut self,
        caller: &Caller<'_>,
        inode: InodeId,
        uid: Option<u32>,
        gid: Option<u32>,
    ) -> Result<(), Errno> {
        self.check_writable()?;
        let stat = self.stat(caller, inode)?;
        let same = uid.is_none_or(|uid| uid == stat.uid) && gid.is_none_or(|gid| gid == stat.gid);
        if same { Ok(()) } else { Err(Errno::Perm) }
    }

    fn link(
        &mut self,
        _: &Caller<'_>,
        inode: InodeId,
        dir: InodeId,
        name: &[u8],
    ) -> Result<(), Errno> {
        self.add_name(inode, dir, name)
    }

    fn unlink(&mut self, _: &Caller<'_>, dir: InodeId, name: &[u8]) -> Result<(), Errno> {
        self.remove_name(dir, name)
    }

    fn rmdir(&mut self, _: &Caller<'_>, dir: InodeId, name: &[u8]) -> Result<(), Errno> {
        self.remove_directory(dir, name)
    }

    fn rename(
        &mut self,
        caller: &Caller<'_>,
        dir: InodeId,
        name: &[u8],
        new_dir: InodeId,
        new_name: &[u8],
    ) -> Result<(), Errno> {
        self.move_node(caller, (dir, name), (new_dir, new_name))
    }
}
