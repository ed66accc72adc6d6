//! Renaming: one step, with POSIX's rules about what may replace what.

use codepod_abi::Errno;

use super::inode::{Body, Link, Name, name_memory};
use super::{InodeId, Tree};
use crate::limits::Usage;

impl Tree {
    /// Renames `dir/name` to `new_dir/new_name`, replacing what is there.
    ///
    /// `Inval` for a directory into itself, `NotDir` for a directory over something else, `IsDir`
    /// for the reverse, `NotEmpty`, `NoSpc` if the new name does not fit. Two names of one node
    /// stay as they are.
    pub(crate) fn rename(
        &mut self,
        dir: InodeId,
        name: &[u8],
        new_dir: InodeId,
        new_name: &[u8],
        now: u64,
        is_open: &dyn Fn(InodeId) -> bool,
    ) -> Result<(), Errno> {
        let entry = self.entry(dir, name)?;
        let moved = entry.inode;
        let is_directory = matches!(self.get(moved)?.body, Body::Directory(_));
        if is_directory && self.is_within(new_dir, moved)? {
            return Err(Errno::Inval);
        }
        let victim = match self.entry(new_dir, new_name) {
            Ok(victim) if victim.inode == moved => return Ok(()),
            Ok(victim) => {
                match &self.get(victim.inode)?.body {
                    Body::Directory(_) if !is_directory => return Err(Errno::IsDir),
                    Body::Directory(d) if !d.entries.is_empty() => return Err(Errno::NotEmpty),
                    Body::Directory(_) => {}
                    _ if is_directory => return Err(Errno::NotDir),
                    _ => {}
                }
                Some(victim)
            }
            Err(Errno::NoEnt) => None,
            Err(error) => return Err(error),
        };
        if victim.is_none() {
            self.check_new_name(new_dir, new_name)?;
        }
        let mut less = Usage::default();
        if !entry.base {
            less = Usage {
                bytes: name.len() as u64,
                nodes: 1,
            };
        }
        // The victim's own name is given back by `remove` below; until then it pays for the new
        // one.
        let victim_pays = victim.is_some_and(|victim| !victim.base);
        if victim_pays {
            less.bytes += new_name.len() as u64;
            less.nodes += 1;
        }
        // A longer name than before is the only thing that grows, beside copies of nodes that
        // others share.
        self.check_memory()?;
        self.exchange(
            less,
            Usage {
                bytes: new_name.len() as u64,
                nodes: 1,
            },
        )?;
        if victim.is_some() {
            if victim_pays {
                self.used.bytes += new_name.len() as u64;
                self.used.nodes += 1;
            }
            self.remove(new_dir, new_name, now, is_open)?;
        }
        let new_name: Name = new_name.into();
        let subdirectory = u64::from(is_directory);
        let old = self.directory_mut(dir, now)?;
        old.remove(name);
        old.subdirectories -= subdirectory;
        let new = self.directory_mut(new_dir, now)?;
        new.insert(new_name.clone(), moved, false);
        new.subdirectories += subdirectory;
        let inode = self.get_mut(moved)?;
        inode.links.remove(&Link {
            directory: dir,
            name: name.into(),
        });
        inode.held.remove_name(name_memory(name));
        inode.held.add_name(name_memory(&new_name));
        inode.links.add(Link {
            directory: new_dir,
            name: new_name,
        });
        inode.ctime = now;
        Ok(())
    }

    /// Whether `inner` is `outer` or lies below it.
    pub(crate) fn is_within(&self, inner: InodeId, outer: InodeId) -> Result<bool, Errno> {
        let mut at = inner;
        loop {
            if at == outer {
                return Ok(true);
            }
            if at == Self::ROOT {
                return Ok(false);
            }
            match self.get(at)?.links.first() {
                Some(link) => at = link.directory,
                None => return Ok(false),
            }
        }
    }
}
