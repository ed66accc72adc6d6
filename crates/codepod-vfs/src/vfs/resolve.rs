//! From a path to a node: the only place where paths and links are walked.
//!
//! Components are taken one by one. A link's target is walked before what is left of the path, an
//! absolute one from the sandbox's root, whatever mount the link lies on; `..` stays at the root.
//! Work is bounded by the length of a path times the number of links that may be followed.

use codepod_abi::Errno;

use super::Vfs;
use super::access::permit;
use crate::caller::Caller;
use crate::node::{Access, FileKind, NodeRef, Stat};

/// Where a path leads.
#[derive(Debug)]
pub(super) struct Found {
    /// The directory of the last component.
    pub(super) parent: NodeRef,
    /// The last component.
    pub(super) last: Last,
    /// What it means, if there is such a thing; mounts are crossed.
    pub(super) node: Option<NodeRef>,
    /// Whether a slash follows the last component, so that only a directory will do.
    pub(super) slash: bool,
    /// What the walk has seen of the node, if it has looked.
    pub(super) stat: Option<Stat>,
}

/// What the last component is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Last {
    /// A plain name.
    Name(Vec<u8>),
    /// None: the path is all slashes.
    Root,
    /// `.`
    Dot,
    /// `..`
    DotDot,
}

/// What to do with a link at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AtEnd {
    /// Follow it.
    Follow,
    /// Follow it only if a slash comes after it.
    Stay,
    /// Never follow it: the name itself is meant, to be made or removed.
    Name,
}

/// Pieces of path that are left to walk; the last one comes first. All but the last have a
/// component left.
struct Rest {
    pieces: Vec<(Vec<u8>, usize)>,
    /// Whether a slash was seen after the last component of all.
    slash: bool,
}

impl Rest {
    /// Adds a piece that comes before the others.
    fn push(&mut self, piece: Vec<u8>) {
        self.trim();
        self.pieces.push((piece, 0));
    }

    /// Takes the next component, without slashes.
    fn next(&mut self) -> Option<Vec<u8>> {
        self.trim();
        let (piece, at) = self.pieces.last_mut()?;
        let start = *at;
        let length = piece[start..].iter().position(|byte| *byte == b'/');
        *at = length.map_or(piece.len(), |length| start + length);
        let name = piece[start..*at].to_vec();
        // Slashes after it belong to it: a component that ends its piece may have some.
        self.slash = false;
        self.trim();
        Some(name)
    }

    /// Skips slashes and drops pieces without components.
    fn trim(&mut self) {
        while let Some((piece, at)) = self.pieces.last_mut() {
            let slashes = piece[*at..]
                .iter()
                .take_while(|byte| **byte == b'/')
                .count();
            if slashes > 0 && *at > 0 {
                self.slash = true;
            }
            *at += slashes;
            if *at < piece.len() {
                break;
            }
            self.pieces.pop();
        }
    }

    fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }
}

/// A walk that is under way.
struct Walk {
    /// The node that was reached.
    at: NodeRef,
    /// What is known about `at` from the step before.
    known: Option<Stat>,
    rest: Rest,
    /// How many links were followed.
    links: u32,
    /// A slash after a link at the end also counts for what the link leads to.
    link_slash: bool,
    found: Found,
}

impl Walk {
    fn new(start: NodeRef, path: &[u8]) -> Walk {
        let mut rest = Rest {
            pieces: Vec::new(),
            slash: false,
        };
        rest.push(path.to_vec());
        Walk {
            at: start,
            known: None,
            rest,
            links: 0,
            link_slash: false,
            found: Found {
                parent: start,
                last: Last::Root,
                node: Some(start),
                slash: false,
                stat: None,
            },
        }
    }

    /// Whether the component that was taken is the last.
    fn is_last(&self) -> bool {
        self.rest.is_empty()
    }

    /// Whether that component is the last and a slash follows it.
    fn slash(&self) -> bool {
        self.is_last() && (self.rest.slash || self.link_slash)
    }

    /// Whether that component is followed where it is a link.
    fn follows(&self, at_end: AtEnd) -> bool {
        match at_end {
            AtEnd::Follow => true,
            AtEnd::Stay => !self.is_last() || self.slash(),
            AtEnd::Name => !self.is_last(),
        }
    }

    /// Goes to what that component means; none if there is no such thing.
    fn reach(&mut self, last: Last, node: Option<NodeRef>) {
        self.found = Found {
            parent: self.at,
            last,
            node,
            slash: self.slash(),
            stat: None,
        };
        self.at = node.unwrap_or(self.at);
    }

    /// Goes to `start`, from where a link's target is walked next.
    fn restart(&mut self, start: NodeRef, target: Vec<u8>) {
        let slash = self.slash();
        self.at = start;
        self.found = Found {
            parent: start,
            last: Last::Root,
            node: Some(start),
            slash,
            stat: None,
        };
        self.link_slash = slash;
        self.rest.push(target);
    }
}

impl Vfs {
    /// The node that a path means. With `follow`, a link at the end is followed; a magic link is
    /// not, see [`Vfs::magic_link`].
    ///
    /// [`Errno::NoEnt`] also for an empty path, [`Errno::NotDir`] if something else stands where a
    /// directory must, [`Errno::Access`] if a directory may not be searched, [`Errno::Loop`] for
    /// too many links, [`Errno::NameTooLong`], [`Errno::Inval`] for a NUL byte.
    pub fn resolve(
        &mut self,
        caller: &Caller<'_>,
        base: NodeRef,
        path: &[u8],
        follow: bool,
    ) -> Result<NodeRef, Errno> {
        let at_end = if follow { AtEnd::Follow } else { AtEnd::Stay };
        self.walk(caller, base, path, at_end)?
            .node
            .ok_or(Errno::NoEnt)
    }

    /// The node that a path means, as [`Vfs::resolve`] finds it, and what it is: seen in one walk.
    pub fn resolve_and_stat(
        &mut self,
        caller: &Caller<'_>,
        base: NodeRef,
        path: &[u8],
        follow: bool,
    ) -> Result<(NodeRef, Stat), Errno> {
        let at_end = if follow { AtEnd::Follow } else { AtEnd::Stay };
        self.in_one_walk(|vfs| {
            let found = vfs.walk_steps(caller, base, path, at_end)?;
            let node = found.node.ok_or(Errno::NoEnt)?;
            let stat = match found.stat {
                Some(stat) => stat,
                None => vfs.stat(caller, node)?,
            };
            Ok((node, stat))
        })
    }

    /// Runs `action`, which goes along one path: what its steps have opened is shared.
    pub(super) fn in_one_walk<T>(&mut self, action: impl FnOnce(&mut Vfs) -> T) -> T {
        for mount in &mut self.mounts {
            mount.fs.begin_walk();
        }
        let result = action(self);
        for mount in &mut self.mounts {
            mount.fs.end_walk();
        }
        result
    }

    /// Walks a path. Everything but the last component must exist; the last one may be missing.
    /// With [`AtEnd::Name`] nothing is checked about what the last component means.
    pub(super) fn walk(
        &mut self,
        caller: &Caller<'_>,
        base: NodeRef,
        path: &[u8],
        at_end: AtEnd,
    ) -> Result<Found, Errno> {
        self.in_one_walk(|vfs| vfs.walk_steps(caller, base, path, at_end))
    }

    fn walk_steps(
        &mut self,
        caller: &Caller<'_>,
        base: NodeRef,
        path: &[u8],
        at_end: AtEnd,
    ) -> Result<Found, Errno> {
        self.check_path(path)?;
        let start = if path[0] == b'/' { self.root() } else { base };
        let mut walk = Walk::new(start, path);
        while let Some(name) = walk.rest.next() {
            let dir = match walk.known.take() {
                Some(stat) => stat,
                None => self.stat(caller, walk.at)?,
            };
            if dir.kind != FileKind::Directory {
                return Err(Errno::NotDir);
            }
            permit(caller, &dir, Access::EXECUTE)?;
            match &name[..] {
                b"." => walk.reach(Last::Dot, Some(self.cross(walk.at))),
                b".." => {
                    // It may lead to a directory that something is mounted on.
                    let parent = self.parent(walk.at)?;
                    walk.reach(Last::DotDot, Some(self.cross(parent)));
                }
                _ => self.step(caller, &mut walk, name, at_end)?,
            }
        }
        let mut found = walk.found;
        found.stat = walk.known;
        if found.slash
            && at_end != AtEnd::Name
            && let Some(node) = found.node
            && self.stat(caller, node)?.kind != FileKind::Directory
        {
            return Err(Errno::NotDir);
        }
        Ok(found)
    }

    /// One step of a walk, by a plain name in a directory that may be searched.
    fn step(
        &mut self,
        caller: &Caller<'_>,
        walk: &mut Walk,
        name: Vec<u8>,
        at_end: AtEnd,
    ) -> Result<(), Errno> {
        if name.len() > self.limits.name_bytes {
            return Err(Errno::NameTooLong);
        }
        let parent = walk.at;
        let inode = match self.fs(parent.mount)?.lookup(caller, parent.inode, &name) {
            Ok(inode) => inode,
            Err(Errno::NoEnt) if walk.is_last() => {
                walk.reach(Last::Name(name), None);
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let node = self.cross(NodeRef {
            mount: parent.mount,
            inode,
        });
        let stat = self.stat(caller, node)?;
        if stat.kind == FileKind::Symlink && walk.follows(at_end) {
            let is_end = walk.is_last() && !walk.slash();
            match self.target(caller, node, &stat, is_end)? {
                Target::Itself => {}
                Target::Node(node) => {
                    walk.reach(Last::Name(name), Some(node));
                    return Ok(());
                }
                Target::Path(target) => return self.follow(walk, target),
            }
        }
        walk.reach(Last::Name(name), Some(node));
        walk.known = Some(stat);
        Ok(())
    }

    /// Goes on with the target of a link, from the link's directory or the root.
    fn follow(&self, walk: &mut Walk, target: Vec<u8>) -> Result<(), Errno> {
        walk.links += 1;
        if walk.links > self.limits.symlinks {
            return Err(Errno::Loop);
        }
        let start = if target[0] == b'/' {
            self.root()
        } else {
            walk.at
        };
        walk.restart(start, target);
        Ok(())
    }

    /// Where a link leads. A magic link at the end stands for itself.
    fn target(
        &mut self,
        caller: &Caller<'_>,
        node: NodeRef,
        stat: &Stat,
        at_end: bool,
    ) -> Result<Target, Errno> {
        if let Some((pid, fd)) = self.magic_link(node) {
            if at_end {
                return Ok(Target::Itself);
            }
            let descriptor = caller.proc.descriptor(pid, fd).ok_or(Errno::NoEnt)?;
            return Ok(Target::Node(descriptor.node.ok_or(Errno::NotDir)?));
        }
        debug_assert_eq!(stat.kind, FileKind::Symlink);
        let target = self.fs(node.mount)?.readlink(caller, node.inode)?;
        self.check_path(&target)?;
        Ok(Target::Path(target.to_vec()))
    }

    /// Whether a path can be walked at all.
    pub(super) fn check_path(&self, path: &[u8]) -> Result<(), Errno> {
        if path.is_empty() {
            return Err(Errno::NoEnt);
        }
        // A path and its terminating NUL share the limit.
        if path.len() >= self.limits.path_bytes {
            return Err(Errno::NameTooLong);
        }
        if path.contains(&0) {
            Err(Errno::Inval)
        } else {
            Ok(())
        }
    }
}

/// Where a link leads.
enum Target {
    Itself,
    Node(NodeRef),
    Path(Vec<u8>),
}
