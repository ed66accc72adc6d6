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

mod device;
mod errno;
mod guarded;
mod held;
mod open;
mod pool;
mod publish;
mod table;
mod walk;

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use codepod_abi::Errno;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, Timespec, Timestamps};

use self::errno::translate;
use self::held::Held;
use self::open::{Open, identity};
use self::pool::Pool;
use self::table::{ROOT, Table};
use self::walk::{Dir, Walk};
use crate::backend::{DirSink, FileSystem, FsSnapshot, New, NewBody};
use crate::budget::Budget;
use crate::caller::Caller;
use crate::guard::Guard;
use crate::limits::FsLimits;
use crate::listing::{Listed, Listing};
use crate::node::{FileKind, InodeId, Stat};
use crate::overlay::Overlay;
use crate::publish::{Fingerprint, Publish};

/// Whether a sandbox may change a host directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostAccess {
    /// Every change fails with `Rofs`.
    ReadOnly,
    /// Changes happen on the host at once.
    ReadWrite,
}

/// How a host directory appears, and what a sandbox may add to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostOptions {
    /// User and group that everything belongs to; without it, whoever asks.
    pub owner: Option<(u32, u32)>,
    /// Bytes by which files may grow altogether, by this sandbox and its forks; then `NoSpc`.
    /// Deleting gives nothing back.
    pub growth_bytes: u64,
    /// Nodes that may be made altogether; then `NoSpc`. Deleting gives nothing back.
    pub growth_nodes: u64,
    /// Nodes that are remembered by number at a time.
    pub known_nodes: usize,
    /// Entries that one directory may have to be listed; beyond, listing fails with `Overflow`.
    pub listed_entries: usize,
    /// Names between the root and a directory; a deeper one is neither entered nor made: `NameTooLong`. The host's own
    /// paths end there, too.
    pub depth: usize,
    /// Files of the host that are open at a time, by this sandbox and its forks. Others that they have open are opened
    /// again when they are needed; one that has lost its name has to stay open, and where all have, opening fails with
    /// `Mfile`.
    pub open_files: usize,
    /// Whether to go into other file systems that are mounted below the directory; otherwise `Xdev`. Those that show the
    /// host's kernel or processes (`/proc`, `/sys` and the like) are never gone into.
    pub cross_devices: bool,
    /// Bytes that the listing of one directory may take; beyond, listing fails with `Overflow`.
    pub listed_bytes: usize,
    /// Paths that the sandbox may not change, because programs of the host run or obey them: `Perm`.
    pub guard: Guard,
}

impl Default for HostOptions {
    fn default() -> Self {
        HostOptions {
            owner: None,
            growth_bytes: 1 << 30,
            growth_nodes: 100_000,
            known_nodes: 65_536,
            listed_entries: 1_000_000,
            depth: 2_048,
            open_files: 128,
            cross_devices: false,
            listed_bytes: 96 << 20,
            guard: Guard::default(),
        }
    }
}

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

/// What an entry of a listing takes beside its name.
const LISTED: usize = size_of::<Listed>();

/// Flags for every opening: no link at the end, no waiting, nothing inherited or controlling.
const SAFE: OFlags = OFlags::NOFOLLOW
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOCTTY);

impl HostDir {
    /// Shows the open directory `root`: a `cap_std::fs::Dir`, or a `std::fs::File`.
    ///
    /// [`Errno::NotDir`] if it is not a directory, [`Errno::Xdev`] if it shows the host's kernel or processes.
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

    /// How many directories this mount and its forks have opened on the way somewhere; it goes on counting.
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

    /// Writes at `offset`, or at the end; returns the offset after it and the number of bytes.
    fn write(
        &mut self,
        id: InodeId,
        offset: Option<u64>,
        bytes: &[u8],
    ) -> Result<(u64, usize), Errno> {
        self.check_writable()?;
        let shared = self.shared.clone();
        self.with_file(id, true, |file| {
            let size = rustix::fs::fstat(file).map_err(translate)?.st_size as u64;
            let offset = offset.unwrap_or(size);
            if bytes.is_empty() {
                return Ok((offset, 0));
            }
            if offset >= i64::MAX as u64 {
                return Err(Errno::Fbig);
            }
            let most = (bytes.len() as u64).min(i64::MAX as u64 - offset);
            let growth = (offset + most).saturating_sub(size);
            let granted = shared.grow_up_to(growth);
            let length = (size.saturating_add(granted))
                .saturating_sub(offset)
                .min(most) as usize;
            let written = if length == 0 {
                Err(Errno::NoSpc)
            } else {
                rustix::io::pwrite(file, &bytes[..length], offset).map_err(translate)
            };
            let end = written
                .map_or(size, |written| offset + written as u64)
                .max(size);
            shared.give_back(granted - (end - size).min(granted));
            written.map(|written| (offset + written as u64, written))
        })
    }

    /// Opens a node just to change its mode: files and directories only, never through a link.
    fn open_any(&mut self, id: InodeId) -> Result<OwnedFd, Errno> {
        let Some((dir, name)) = self.place(id)? else {
            return self.shared.root.try_clone().map_err(|_| Errno::Nfile);
        };
        let stat =
            rustix::fs::statat(&dir, &*name, AtFlags::SYMLINK_NOFOLLOW).map_err(translate)?;
        check_plain(&stat)?;
        let open = |flags| rustix::fs::openat(&dir, &*name, flags | SAFE, Mode::empty());
        let file = match open(OFlags::RDONLY) {
            Err(rustix::io::Errno::ACCESS) => open(OFlags::WRONLY),
            other => other,
        };
        let file = file.map_err(translate)?;
        let stat = rustix::fs::fstat(&file).map_err(translate)?;
        self.shared.check_device(&file, &stat)?;
        Ok(file)
    }
}

/// Changes the mode of an open file or directory. What was looked at before it was opened may not be what was opened.
fn change_mode(file: &OwnedFd, mode: Mode) -> Result<(), Errno> {
    check_plain(&rustix::fs::fstat(file).map_err(translate)?)?;
    rustix::fs::fchmod(file, mode).map_err(translate)
}

impl Shared {
    fn count_step(&self) {
        #[cfg(any(test, feature = "testing"))]
        self.steps.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes up to `growth` bytes from the budget.
    fn grow_up_to(&self, growth: u64) -> u64 {
        let limit = self.options.growth_bytes;
        let mut granted = 0;
        let _ = self
            .grown_bytes
            .try_update(Ordering::Relaxed, Ordering::Relaxed, |grown| {
                granted = growth.min(limit.saturating_sub(grown));
                Some(grown + granted)
            });
        granted
    }

    /// Takes exactly `growth` bytes, or fails with `NoSpc`.
    fn grow(&self, growth: u64) -> Result<(), Errno> {
        let granted = self.grow_up_to(growth);
        if granted < growth {
            self.give_back(granted);
            return Err(Errno::NoSpc);
        }
        Ok(())
    }

    fn give_back(&self, bytes: u64) {
        self.grown_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    fn give_back_node(&self) {
        self.grown_nodes.fetch_sub(1, Ordering::Relaxed);
    }

    /// Takes one node from the budget, or fails with `NoSpc`.
    fn add_node(&self) -> Result<(), Errno> {
        let limit = self.options.growth_nodes;
        let more = |nodes| (nodes < limit).then_some(nodes + 1);
        let taken = self
            .grown_nodes
            .try_update(Ordering::Relaxed, Ordering::Relaxed, more);
        taken.map(|_| ()).map_err(|_| Errno::NoSpc)
    }
}

/// An open directory and a name in it.
type Place = (Dir, Arc<[u8]>);

fn kind(stat: &rustix::fs::Stat) -> FileKind {
    kind_of(FileType::from_raw_mode(stat.st_mode))
}

fn kind_of(file_type: FileType) -> FileKind {
    match file_type {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Directory,
        FileType::Symlink => FileKind::Symlink,
        _ => FileKind::Other,
    }
}

fn check_regular(stat: &rustix::fs::Stat) -> Result<(), Errno> {
    match kind(stat) {
        FileKind::File => Ok(()),
        FileKind::Directory => Err(Errno::IsDir),
        FileKind::Symlink => Err(Errno::Loop),
        _ => Err(Errno::Nxio),
    }
}

/// Files and directories; what else there is stays as it is.
fn check_plain(stat: &rustix::fs::Stat) -> Result<(), Errno> {
    match kind(stat) {
        FileKind::Directory => Ok(()),
        _ => check_regular(stat),
    }
}

/// The Vfs hands over single names only; a host must not depend on that.
fn check_name(name: &[u8]) -> Result<(), Errno> {
    let plain = !matches!(name, b"" | b"." | b"..") && !name.contains(&b'/') && !name.contains(&0);
    if plain { Ok(()) } else { Err(Errno::Inval) }
}

fn nanoseconds(seconds: i64, nanoseconds: i64) -> u64 {
    u64::try_from(seconds)
        .unwrap_or(0)
        .saturating_mul(1_000_000_000)
        .saturating_add(u64::try_from(nanoseconds).unwrap_or(0))
}

fn timespec(time: Option<u64>) -> Timespec {
    match time {
        Some(ns) => Timespec {
            tv_sec: (ns / 1_000_000_000) as i64,
            tv_nsec: (ns % 1_000_000_000) as _,
        },
        None => Timespec {
            tv_sec: 0,
            tv_nsec: rustix::fs::UTIME_OMIT,
        },
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
        let stat = rustix::fs::statat(&opened, name, AtFlags::SYMLINK_NOFOLLOW);
        match stat {
            Ok(stat) => self.check_same(dir, name, &stat),
            Err(error) => {
                if error == rustix::io::Errno::NOENT {
                    self.lose(dir, name);
                }
                return Err(translate(error));
            }
        }
        Ok(self.know(dir, name))
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
        #[expect(
            clippy::unnecessary_cast,
            reason = "the field types differ from host to host"
        )]
        Ok(Stat {
            inode: inode.0,
            device: 0,
            kind: kind(&stat),
            mode: stat.st_mode as u16 & 0o777,
            uid,
            gid,
            nlink: stat.st_nlink as u64,
            size: u64::try_from(stat.st_size).unwrap_or(0),
            blocks: u64::try_from(stat.st_blocks).unwrap_or(0),
            atime: nanoseconds(stat.st_atime as i64, stat.st_atime_nsec as i64),
            mtime: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            ctime: nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            rdev: 0,
        })
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
            let opened = self.dir(dir)?;
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | SAFE;
            let file = rustix::fs::openat(&opened, ".", flags, Mode::empty()).map_err(translate)?;
            let (mut entries, mut bytes) = (Vec::new(), 0);
            for entry in rustix::fs::Dir::new(file).map_err(translate)? {
                let entry = entry.map_err(translate)?;
                let name = entry.file_name().to_bytes();
                if matches!(name, b"." | b"..") {
                    continue;
                }
                bytes += name.len() + LISTED;
                let options = &self.shared.options;
                if entries.len() == options.listed_entries || bytes > options.listed_bytes {
                    return Err(Errno::Overflow);
                }
                let kind = match entry.file_type() {
                    FileType::Unknown => {
                        let stat = rustix::fs::statat(
                            &opened,
                            entry.file_name(),
                            AtFlags::SYMLINK_NOFOLLOW,
                        );
                        stat.map_or(FileKind::Other, |stat| kind(&stat))
                    }
                    known => kind_of(known),
                };
                let id = self
                    .table
                    .number(dir, name, |id| self.open.contains_key(&id));
                entries.push((name.to_vec(), id, kind));
            }
            self.listing = Some((dir, Listing::new(entries)));
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

    fn begin_publishing(&mut self) {
        self.held = Some(Vec::new());
    }

    fn end_publishing(&mut self, keep: bool) -> Vec<Vec<u8>> {
        self.settle(keep)
    }

    fn publish(
        &mut self,
        path: &[u8],
        new: Publish<'_>,
        expected: Option<Fingerprint>,
    ) -> Result<Option<Fingerprint>, Errno> {
        self.put(path, new, expected)
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
        self.check_writable()?;
        check_name(name)?;
        let shared = self.shared.clone();
        let reached = self.reach(dir)?;
        if new.body == NewBody::Directory {
            self.check_depth(&reached)?;
        }
        let opened = reached.dir;
        let mode = Mode::from_raw_mode((new.mode & 0o777).into());
        // The budget is taken last, so that a name that exists is told as such.
        if rustix::fs::statat(&opened, name, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
            return Err(Errno::Exist);
        }
        if new.body == NewBody::Fifo {
            return Err(Errno::Perm);
        }
        let path = self.unguarded_path(dir, name)?;
        if let NewBody::Symlink(target) = new.body {
            self.check_target(&path, target)?;
        }
        shared.add_node()?;
        let made = match new.body {
            NewBody::Directory => rustix::fs::mkdirat(&opened, name, mode).map(|()| None),
            NewBody::Symlink(target) => rustix::fs::symlinkat(target, &opened, name).map(|()| None),
            _ => {
                let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | SAFE;
                rustix::fs::openat(&opened, name, flags, mode).map(Some)
            }
        };
        let file = made.map_err(|error| {
            shared.give_back_node();
            translate(error)
        })?;
        // Whatever had that name before is gone.
        self.lose(dir, name);
        let id = self.know(dir, name);
        self.fresh = file.map(|file| (id, file));
        Ok(id)
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
        self.check_writable()?;
        if size > i64::MAX as u64 {
            return Err(Errno::Fbig);
        }
        let shared = self.shared.clone();
        self.with_file(inode, true, |file| {
            let old = rustix::fs::fstat(file).map_err(translate)?.st_size as u64;
            let growth = size.saturating_sub(old);
            shared.grow(growth)?;
            rustix::fs::ftruncate(file, size).map_err(|error| {
                shared.give_back(growth);
                translate(error)
            })
        })
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
        self.check_writable()?;
        self.check_unguarded(inode)?;
        let times = Timestamps {
            last_access: timespec(atime),
            last_modification: timespec(mtime),
        };
        if let Some(file) = self.descriptor(inode)? {
            return rustix::fs::futimens(file, &times).map_err(translate);
        }
        let (dir, name) = match self.place(inode)? {
            Some((dir, name)) => (dir, name),
            None => {
                return rustix::fs::futimens(&self.shared.root, &times).map_err(translate);
            }
        };
        let flags = AtFlags::SYMLINK_NOFOLLOW;
        let stat = rustix::fs::statat(&dir, &*name, flags).map_err(translate)?;
        self.shared.check_seen(&stat)?;
        rustix::fs::utimensat(&dir, &*name, &times, flags).map_err(translate)
    }

    fn set_mode(&mut self, _: &Caller<'_>, inode: InodeId, mode: u16) -> Result<(), Errno> {
        self.check_writable()?;
        self.check_unguarded(inode)?;
        let mode = Mode::from_raw_mode((mode & 0o777).into());
        if let Some(file) = self.descriptor(inode)? {
            rustix::fs::fchmod(&file, mode).map_err(translate)?;
            let stat = rustix::fs::fstat(&file).map_err(translate)?;
            self.note_mode(inode, &stat);
            return Ok(());
        }
        change_mode(&self.open_any(inode)?, mode)
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
        self.check_writable()?;
        check_name(name)?;
        let (from, old_name) = self.place(inode)?.ok_or(Errno::Perm)?;
        let to = self.dir(dir)?;
        self.check_unguarded(inode)?;
        let path = self.unguarded_path(dir, name)?;
        let stat = rustix::fs::statat(&from, &*old_name, AtFlags::SYMLINK_NOFOLLOW);
        match kind(&stat.map_err(translate)?) {
            FileKind::Other => return Err(Errno::Perm),
            FileKind::Symlink => self.check_link(&from, &old_name, &path)?,
            _ => {}
        }
        self.shared.add_node()?;
        rustix::fs::linkat(&from, &*old_name, &to, name, AtFlags::empty()).map_err(|error| {
            self.shared.give_back_node();
            translate(error)
        })
    }

    fn unlink(&mut self, _: &Caller<'_>, dir: InodeId, name: &[u8]) -> Result<(), Errno> {
        self.check_writable()?;
        check_name(name)?;
        self.unguarded_path(dir, name)?;
        let opened = self.dir(dir)?;
        let secured = self.secure(dir, name)?;
        if let Err(error) = rustix::fs::unlinkat(&opened, name, AtFlags::empty()) {
            self.release(secured);
            return Err(translate(error));
        }
        self.table_mut().remove(dir, name);
        Ok(())
    }

    fn rmdir(&mut self, _: &Caller<'_>, dir: InodeId, name: &[u8]) -> Result<(), Errno> {
        self.check_writable()?;
        check_name(name)?;
        self.unguarded_path(dir, name)?;
        let opened = self.dir(dir)?;
        rustix::fs::unlinkat(&opened, name, AtFlags::REMOVEDIR).map_err(translate)?;
        self.walk.forget();
        self.table_mut().remove(dir, name);
        Ok(())
    }

    fn rename(
        &mut self,
        caller: &Caller<'_>,
        dir: InodeId,
        name: &[u8],
        new_dir: InodeId,
        new_name: &[u8],
    ) -> Result<(), Errno> {
        self.check_writable()?;
        check_name(name)?;
        check_name(new_name)?;
        let moved = self.lookup(caller, dir, name)?;
        if self.table.is_within(new_dir, moved)? {
            return Err(Errno::Inval);
        }
        let (from, to) = (self.dir(dir)?, self.reach(new_dir)?);
        let look = |dir: &Dir, name: &[u8]| {
            rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).map_err(translate)
        };
        let old = look(&from, name)?;
        let old_path = self.unguarded_path(dir, name)?;
        let path = self.unguarded_path(new_dir, new_name)?;
        match kind(&old) {
            FileKind::Directory => {
                self.check_depth(&to)?;
                self.check_moved_directory((&from, name), &old_path, &path)?;
            }
            FileKind::Symlink => self.check_link(&from, name, &path)?,
            _ => {}
        }
        // Two names of one file stay as they are, here as on the host.
        let same = look(&to.dir, new_name)
            .is_ok_and(|new| (new.st_dev, new.st_ino) == (old.st_dev, old.st_ino));
        let secured = self.secure(new_dir, new_name)?;
        // By the call that publishing uses: one line in the jail's table.
        let flags = rustix::fs::RenameFlags::empty();
        let renamed = rustix::fs::renameat_with(&from, name, &to.dir, new_name, flags);
        let renamed = renamed.map_err(translate);
        if same || renamed.is_err() {
            self.release(secured);
        }
        renamed?;
        self.walk.forget();
        if !same {
            self.table_mut().rename(dir, name, new_dir, new_name);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_neither_file_nor_directory_keeps_its_mode_even_if_it_was_opened() {
        let path = std::env::temp_dir().join(format!("vfs-mode-{}", std::process::id()));
        let at = path.as_os_str();
        let mode = |mode| Mode::from_raw_mode(mode);
        rustix::fs::mkfifoat(rustix::fs::CWD, at, mode(0o600)).unwrap();
        let flags = OFlags::RDONLY | SAFE;
        let pipe = rustix::fs::openat(rustix::fs::CWD, at, flags, Mode::empty()).unwrap();
        assert_eq!(change_mode(&pipe, mode(0o777)), Err(Errno::Nxio));
        let stat = rustix::fs::fstat(&pipe).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(stat.st_mode & 0o777, 0o600);
    }
}
