//! Descriptor tables: a process's numbers for open files, with WASI's rights.
//!
//! Invariant: no number is at or above the table's limit, and trailing free slots are not kept.

use codepod_abi::Errno;
use codepod_vfs::NodeRef;

use crate::ids::{Fd, OpenFileId};

/// What `/proc/PID/fd` says a descriptor refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A node of the file system.
    Node(NodeRef),
    /// A pipe.
    Pipe,
    /// A socket.
    Socket,
    /// A terminal.
    Terminal,
    /// Nothing.
    Null,
}

/// What a number stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Descriptor {
    /// The open file, shared with its duplicates.
    pub file: OpenFileId,
    /// What it refers to; never changes, and is the open file's own.
    pub target: Target,
    /// What may be done with it.
    pub rights: u64,
    /// What may be done with files opened through it.
    pub inheriting: u64,
    /// Whether it is the root directory as it is open from the start: its rights are those of
    /// paths.
    pub preopen: bool,
}

/// A process's descriptors.
#[derive(Debug, Default)]
pub struct FdTable {
    slots: Vec<Option<Descriptor>>,
}

impl FdTable {
    /// The descriptor of a number. `Badf` when it is not open.
    pub fn get(&self, fd: Fd) -> Result<Descriptor, Errno> {
        self.slots
            .get(fd.0 as usize)
            .copied()
            .flatten()
            .ok_or(Errno::Badf)
    }

    /// The descriptor of a number, to change it. `Badf` when it is not open.
    pub fn get_mut(&mut self, fd: Fd) -> Result<&mut Descriptor, Errno> {
        self.slots
            .get_mut(fd.0 as usize)
            .and_then(Option::as_mut)
            .ok_or(Errno::Badf)
    }

    /// The lowest free number from `least` on, never [`Fd::ROOT`]: a directory there could not be
    /// the start of paths. `Mfile` when there is none below `limit`.
    pub fn lowest_free(&self, least: u32, limit: usize) -> Result<Fd, Errno> {
        let root = Fd::ROOT.0 as usize;
        let is_free =
            |index: &usize| *index != root && self.slots.get(*index).is_none_or(Option::is_none);
        // Past the slots the next number is free, or the one after it.
        let free = (least as usize..).find(is_free).unwrap_or(limit);
        if free >= limit {
            Err(Errno::Mfile)
        } else {
            Ok(Fd(free as u32))
        }
    }

    /// Puts a descriptor at a number and returns what was there. `Badf` at or above `limit`.
    pub fn put(
        &mut self,
        fd: Fd,
        descriptor: Descriptor,
        limit: usize,
    ) -> Result<Option<Descriptor>, Errno> {
        let index = fd.0 as usize;
        if index >= limit {
            return Err(Errno::Badf);
        }
        if self.slots.len() <= index {
            self.slots.resize(index + 1, None);
        }
        Ok(self.slots[index].replace(descriptor))
    }

    /// Takes a descriptor out. `Badf` when it is not open.
    pub fn take(&mut self, fd: Fd) -> Result<Descriptor, Errno> {
        let taken = self
            .slots
            .get_mut(fd.0 as usize)
            .and_then(Option::take)
            .ok_or(Errno::Badf)?;
        while self.slots.last().is_some_and(Option::is_none) {
            self.slots.pop();
        }
        Ok(taken)
    }

    /// Takes all out.
    pub fn take_all(&mut self) -> Vec<Descriptor> {
        std::mem::take(&mut self.slots)
            .into_iter()
            .flatten()
            .collect()
    }

    /// Every number with its descriptor, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Fd, Descriptor)> {
        self.slots
            .iter()
            .enumerate()
            .filter_map(|(i, slot)| Some((Fd(i as u32), (*slot)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn descriptor(file: u32) -> Descriptor {
        Descriptor {
            file: OpenFileId(file),
            target: Target::Null,
            rights: 0,
            inheriting: 0,
            preopen: false,
        }
    }

    #[test]
    fn the_lowest_free_number_is_used() {
        let mut table = FdTable::default();
        for file in 0..3 {
            let fd = table.lowest_free(0, 5).unwrap();
            assert_eq!(fd, Fd(file));
            table.put(fd, descriptor(file), 5).unwrap();
        }
        table.take(Fd(1)).unwrap();
        assert_eq!(table.lowest_free(0, 5), Ok(Fd(1)));
        assert_eq!(table.lowest_free(9, 20), Ok(Fd(9)));
    }

    #[test]
    fn the_number_of_the_root_is_never_chosen() {
        let mut table = FdTable::default();
        for fd in 0..3 {
            table.put(Fd(fd), descriptor(fd), 5).unwrap();
        }
        assert_eq!(table.lowest_free(0, 5), Ok(Fd(4)));
        assert_eq!(table.lowest_free(3, 5), Ok(Fd(4)));
        assert_eq!(table.lowest_free(0, 4), Err(Errno::Mfile));
    }

    #[test]
    fn the_limit_holds() {
        let mut table = FdTable::default();
        table.put(Fd(0), descriptor(0), 1).unwrap();
        assert_eq!(table.lowest_free(0, 1), Err(Errno::Mfile));
        assert_eq!(table.put(Fd(1), descriptor(0), 1), Err(Errno::Badf));
        assert_eq!(table.put(Fd(u32::MAX), descriptor(0), 1), Err(Errno::Badf));
        assert_eq!(table.get(Fd(u32::MAX)), Err(Errno::Badf));
    }

    #[test]
    fn closing_twice_is_an_error() {
        let mut table = FdTable::default();
        table.put(Fd(5), descriptor(7), 10).unwrap();
        assert_eq!(table.take(Fd(5)), Ok(descriptor(7)));
        assert_eq!(table.take(Fd(5)), Err(Errno::Badf));
        assert!(table.slots.is_empty());
    }
}
