//! Making, linking, renaming and removing names.
//!
//! All of these mean the name itself: a link at the end of the path is not followed. Errors are
//! those of Linux, also where POSIX leaves a choice.

use codepod_abi::Errno;

use super::Vfs;
use super::resolve::{AtEnd, Found, Last};
use crate::caller::Caller;
use crate::node::{Access, FileKind, New, NewBody, NodeRef};

impl Vfs {
    /// Makes a directory. [`Errno::Exist`] if anything has that name.
    pub fn mkdir(
        &mut self,
        caller: &Caller<'_>,
        base: NodeRef,
        path: &[u8],
        mode: u16,
    ) -> Result<NodeRef, Errno> {
        let (parent, name, _) = self.new_name(caller, base, path)?;
        self.make(caller, parent, &name, NewBody::Directory, mode)
    }

    /// Makes a named pipe. [`Errno::Exist`] if anything has that name.
    pub fn mkfifo(
        &mut self,
        caller: &Caller<'_>,
        base: NodeRef,
        path: &[u8],
        mode: u16,
    ) -> Result<NodeRef, Errno> {
        let (parent, name) = self.new_file_name(caller, base, path)?;
        self.make(caller, parent, &name, NewBody::Fifo, mode)
    }

    /// Makes a name for a socket. [`Errno::Exist`] if anything has that name.
    pub fn mksocket(
        &mut self,
        caller: &Caller<'_>,
        base: NodeRef,
        path: &[u8],
    ) -> Result<NodeRef, Errno> {
        let (parent, name) = self.new_file_name(caller, base, path)?;
        self.make(caller, parent, &name, NewBody::Socket, 0o777)
    }

    /// Makes a symbolic link that says `target`, which need not exist. [`Errno::NoEnt`] for an
    /// empty target, [`Errno::NameTooLong`], [`Errno::Exist`].
    pub fn symlink(
        &mut self,
        caller: &Caller<'_>,
        target: &[u8],
        base: NodeRef,
        path: &[u8],
    ) -> Result<NodeRef, Errno> {
        self.check_path(target)?;
        let (parent, name) = self.new_file_name(caller, base, path)?;
        self.make(caller, parent, &name, NewBody::Symlink(target), 0o777)
    }

    /// A link's target. [`Errno::Inval`] on anything else.
    pub fn readlink(
        &mut self,
        caller: &Caller<'_>,
        base: NodeRef,
        path: &[u8],
    ) -> Result<Vec<u8>, Errno> {
        let node = self.resolve(caller, base, path, false)?;
        self.readlink_node(caller, node)
    }

    /// Gives a node one more name. With `follow`, a link at the end of the old path is followed.
    /// [`Errno::Perm`] for a directory, [`Errno::Xdev`] from one mount to another.
    pub fn link(
        &mut self,
        caller: &Caller<'_>,
        old_base: NodeRef,
        old: &[u8],
        follow: bool,
        new_base: NodeRef,
        new: &[u8],
    ) -> Result<(), Errno> {
        let node = self.resolve(caller, old_base, old, follow)?;
        let (parent, name) = self.new_file_name(caller, new_base, new)?;
        if node.mount != parent.mount {
            return Err(Errno::Xdev);
        }
        self.check_add(caller, parent)?;
        if self.stat(caller, node)?.kind == FileKind::Directory {
            return Err(Errno::Perm);
        }
        self.fs(parent.mount)?
            .link(caller, node.inode, parent.inode, &name)
    }

    /// Removes a name. [`Errno::IsDir`] for a directory, [`Errno::Perm`] for somebody else's file
    /// in a sticky directory.
    pub fn unlink(&mut self, caller: &Caller<'_>, base: NodeRef, path: &[u8]) -> Result<(), Errno> {
        let found = self.walk(caller, base, path, AtEnd::Name)?;
        let (Last::Name(name), parent) = (&found.last, found.parent) else {
            return Err(Errno::IsDir);
        };
        let node = found.node.ok_or(Errno::NoEnt)?;
        self.check_not_mounted(parent, node)?;
        let kind = self.stat(caller, node)?.kind;
        if found.slash && kind != FileKind::Directory {
            return Err(Errno::NotDir);
        }
        self.check_remove(caller, parent, node)?;
        if kind == FileKind::Directory {
            return Err(Errno::IsDir);
        }
        self.fs(parent.mount)?.unlink(caller, parent.inode, name)
    }

    /// Removes an empty directory. [`Errno::NotEmpty`], [`Errno::NotDir`], [`Errno::Busy`] for the
    /// root and for mount points, [`Errno::Inval`] for `.`.
    pub fn rmdir(&mut self, caller: &Caller<'_>, base: NodeRef, path: &[u8]) -> Result<(), Errno> {
        let found = self.walk(caller, base, path, AtEnd::Name)?;
        let name = match &found.last {
            Last::Name(name) => name,
            Last::Root => return Err(Errno::Busy),
            Last::Dot => return Err(Errno::Inval),
            Last::DotDot => return Err(Errno::NotEmpty),
        };
        let (parent, node) = (found.parent, found.node.ok_or(Errno::NoEnt)?);
        self.check_not_mounted(parent, node)?;
        self.check_remove(caller, parent, node)?;
        if self.stat(caller, node)?.kind != FileKind::Directory {
            return Err(Errno::NotDir);
        }
        self.fs(parent.mount)?.rmdir(caller, parent.inode, name)
    }

    /// Renames in one step, replacing a file by a file and an empty directory by a directory.
    ///
    /// [`Errno::Inval`] for a directory into itself, [`Errno::NotEmpty`], [`Errno::NotDir`],
    /// [`Errno::IsDir`], [`Errno::Busy`] for mount points, `.` and `..`, [`Errno::Xdev`] from one
    /// mount to another. Two names of one file stay as they are.
    pub fn rename(
        &mut self,
        caller: &Caller<'_>,
        old_base: NodeRef,
        old: &[u8],
        new_base: NodeRef,
        new: &[u8],
    ) -> Result<(), Errno> {
        let from = self.walk(caller, old_base, old, AtEnd::Name)?;
        let to = self.walk(caller, new_base, new, AtEnd::Name)?;
        let (Last::Name(old_name), Last::Name(new_name)) = (&from.last, &to.last) else {
            return Err(Errno::Busy);
        };
        let node = from.node.ok_or(Errno::NoEnt)?;
        if from.parent.mount != to.parent.mount {
            return Err(Errno::Xdev);
        }
        self.check_not_mounted(from.parent, node)?;
        let stat = self.stat(caller, node)?;
        let is_directory = stat.kind == FileKind::Directory;
        if (from.slash || to.slash) && !is_directory {
            return Err(Errno::NotDir);
        }
        if let Some(victim) = to.node {
            self.check_not_mounted(to.parent, victim)?;
        }
        self.check_remove(caller, from.parent, node)?;
        match to.node {
            Some(victim) => self.check_remove(caller, to.parent, victim)?,
            None => self.check_add(caller, to.parent)?,
        }
        // A directory that goes elsewhere gets another `..`, which is a change of itself.
        if is_directory && from.parent != to.parent {
            self.check(caller, node, &stat, Access::WRITE)?;
        }
        self.fs(node.mount)?.rename(
            caller,
            from.parent.inode,
            old_name,
            to.parent.inode,
            new_name,
        )
    }

    /// Cuts or extends the file at a path. [`Errno::IsDir`], [`Errno::Inval`] for anything but a
    /// regular file, [`Errno::Access`].
    pub fn truncate(
        &mut self,
        caller: &Caller<'_>,
        base: NodeRef,
        path: &[u8],
        size: u64,
    ) -> Result<(), Errno> {
        let node = self.resolve(caller, base, path, true)?;
        let stat = self.stat(caller, node)?;
        match stat.kind {
            FileKind::File => {}
            FileKind::Directory => return Err(Errno::IsDir),
            _ => return Err(Errno::Inval),
        }
        self.check(caller, node, &stat, Access::WRITE)?;
        self.set_size(caller, node, size)
    }

    /// Makes a node in a directory, with the caller's umask and the directory's group rules.
    pub(super) fn make(
        &mut self,
        caller: &Caller<'_>,
        parent: NodeRef,
        name: &[u8],
        body: NewBody<'_>,
        mode: u16,
    ) -> Result<NodeRef, Errno> {
        self.check_add(caller, parent)?;
        let (gid, inherited) = self.inherited(caller, parent)?;
        let mode = match body {
            NewBody::Symlink(_) => 0o777,
            NewBody::Directory => mode & 0o1777 & !caller.umask | inherited,
            _ => mode & 0o7777 & !caller.umask,
        };
        let new = New {
            body,
            mode,
            uid: caller.uid,
            gid,
        };
        let inode = self
            .fs(parent.mount)?
            .create(caller, parent.inode, name, new)?;
        Ok(NodeRef {
            mount: parent.mount,
            inode,
        })
    }

    /// The directory and name of something to be made, and whether a slash follows.
    fn new_name(
        &mut self,
        caller: &Caller<'_>,
        base: NodeRef,
        path: &[u8],
    ) -> Result<(NodeRef, Vec<u8>, bool), Errno> {
        match self.walk(caller, base, path, AtEnd::Name)? {
            Found { node: Some(_), .. } => Err(Errno::Exist),
            Found {
                parent,
                last: Last::Name(name),
                slash,
                ..
            } => Ok((parent, name, slash)),
            Found { .. } => Err(Errno::Exist),
        }
    }

    /// The directory and name of something to be made that is not a directory: a slash after the
    /// name asks for one.
    fn new_file_name(
        &mut self,
        caller: &Caller<'_>,
        base: NodeRef,
        path: &[u8],
    ) -> Result<(NodeRef, Vec<u8>), Errno> {
        match self.new_name(caller, base, path)? {
            (_, _, true) => Err(Errno::NoEnt),
            (parent, name, false) => Ok((parent, name)),
        }
    }

    /// [`Errno::Busy`] if the name stands for a mount, or if something below it would lose its
    /// place.
    fn check_not_mounted(&self, parent: NodeRef, node: NodeRef) -> Result<(), Errno> {
        if parent.mount != node.mount || self.is_covered(node) {
            return Err(Errno::Busy);
        }
        Ok(())
    }
}
