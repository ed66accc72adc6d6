//! Opening and closing: what `open(2)` checks, and the count of openings.

use codepod_abi::Errno;

use super::Vfs;
use super::resolve::{AtEnd, Last};
use crate::caller::Caller;
use crate::node::{Access, FileKind, NewBody, NodeRef, OpenOptions, Stat};

impl Vfs {
    /// Opens a path, making the file if asked to, and counts the opening.
    ///
    /// Besides what [`Vfs::resolve`] fails with: [`Errno::Exist`] for `exclusive`,
    /// [`Errno::Loop`] for a link without `follow`, [`Errno::NotDir`] for `directory`,
    /// [`Errno::IsDir`] for a directory to write to or to make, [`Errno::Access`],
    /// [`Errno::Rofs`], [`Errno::NoSpc`], [`Errno::Nxio`] for a host's socket or device.
    ///
    /// The node may be a magic link, a device or a pipe; the kernel looks with
    /// [`Vfs::magic_link`], [`Vfs::device`] and [`Vfs::stat`].
    pub fn open(
        &mut self,
        caller: &Caller<'_>,
        base: NodeRef,
        path: &[u8],
        options: &OpenOptions,
    ) -> Result<NodeRef, Errno> {
        self.in_one_walk(|vfs| vfs.open_path(caller, base, path, options))
    }

    fn open_path(
        &mut self,
        caller: &Caller<'_>,
        base: NodeRef,
        path: &[u8],
        options: &OpenOptions,
    ) -> Result<NodeRef, Errno> {
        if !options.create {
            let at_end = if options.follow {
                AtEnd::Follow
            } else {
                AtEnd::Stay
            };
            let node = self
                .walk(caller, base, path, at_end)?
                .node
                .ok_or(Errno::NoEnt)?;
            self.open_node(caller, node, options)?;
            return Ok(node);
        }
        if options.directory {
            return Err(Errno::Inval);
        }
        let at_end = match (options.exclusive, options.follow) {
            (true, _) => AtEnd::Name,
            (false, true) => AtEnd::Follow,
            (false, false) => AtEnd::Stay,
        };
        let found = self.walk(caller, base, path, at_end)?;
        if let Some(node) = found.node {
            if options.exclusive {
                return Err(Errno::Exist);
            }
            if found.slash {
                return Err(Errno::IsDir);
            }
            self.open_node(caller, node, options)?;
            return Ok(node);
        }
        if found.slash {
            return Err(Errno::IsDir);
        }
        let Last::Name(name) = found.last else {
            return Err(Errno::IsDir);
        };
        let node = self.make(caller, found.parent, &name, NewBody::File, options.mode)?;
        // The new file's own mode does not bind its maker.
        self.fs(node.mount)?
            .open(caller, node.inode, options.writes())?;
        Ok(node)
    }

    /// Opens a node that was resolved before: checks permissions, truncates, counts.
    pub fn open_node(
        &mut self,
        caller: &Caller<'_>,
        node: NodeRef,
        options: &OpenOptions,
    ) -> Result<(), Errno> {
        let stat = self.stat(caller, node)?;
        if self.magic_link(node).is_none() {
            self.check_open(caller, node, &stat, options)?;
        } else if !options.follow {
            return Err(Errno::Loop);
        }
        self.fs(node.mount)?
            .open(caller, node.inode, options.writes())?;
        if options.truncate && options.writes() && stat.kind == FileKind::File {
            let cut = self.set_size(caller, node, 0);
            if cut.is_err() {
                self.close(node);
                return cut;
            }
        }
        Ok(())
    }

    fn check_open(
        &self,
        caller: &Caller<'_>,
        node: NodeRef,
        stat: &Stat,
        options: &OpenOptions,
    ) -> Result<(), Errno> {
        match stat.kind {
            FileKind::Symlink => return Err(Errno::Loop),
            FileKind::Directory if options.writes() || options.create => return Err(Errno::IsDir),
            FileKind::Directory => {}
            _ if options.directory => return Err(Errno::NotDir),
            FileKind::Socket | FileKind::Other => return Err(Errno::Nxio),
            _ => {}
        }
        let mut wanted = Access::EXISTS;
        if options.read {
            wanted = wanted.and(Access::READ);
        }
        if options.writes() {
            wanted = wanted.and(Access::WRITE);
        }
        self.check(caller, node, stat, wanted)
    }

    /// Counts one more opening of a node, without any check: for a working directory, or a
    /// descriptor that is passed on.
    pub fn retain(&mut self, caller: &Caller<'_>, node: NodeRef) -> Result<(), Errno> {
        self.fs(node.mount)?.open(caller, node.inode, false)
    }

    /// Counts one opening less; the last one frees a file that has no name any more.
    pub fn close(&mut self, node: NodeRef) {
        if let Ok(fs) = self.fs(node.mount) {
            fs.close(node.inode);
        }
    }
}
