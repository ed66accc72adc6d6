//! Advisory locks of whole files, as `flock(2)` has them.
//!
//! A lock belongs to an open file: duplicates and inherited descriptors share it, and it ends when
//! the last of them is closed. It binds those who ask for one, within one sandbox; reads and writes
//! do not look at it, and neither does the host. What has no node (a pipe, a socket) can be opened
//! once only, so its locks never exclude another.
//!
//! Invariant: a node has an entry exactly while an open file of it holds a lock.

use std::collections::HashMap;
use std::task::Waker;

use codepod_abi::Errno;
use codepod_abi::wire::lock;
use codepod_vfs::NodeRef;

use crate::ids::WaiterId;
use crate::open_file::{FileLock, OpenFile};
use crate::wait_set::WaitSet;

/// What `fd_lock` asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Operation {
    /// `None` to unlock.
    pub(crate) lock: Option<FileLock>,
    /// Whether it may wait.
    pub(crate) waits: bool,
}

impl Operation {
    /// The operation of a number. `Inval` for any other.
    pub(crate) fn from_number(number: u32) -> Result<Operation, Errno> {
        let lock = match number & !lock::NONBLOCK {
            lock::SHARED => Some(FileLock::Shared),
            lock::EXCLUSIVE => Some(FileLock::Exclusive),
            lock::UNLOCK => None,
            _ => return Err(Errno::Inval),
        };
        let waits = number & lock::NONBLOCK == 0;
        Ok(Operation { lock, waits })
    }
}

/// The locks of one node.
#[derive(Debug, Default)]
struct Locked {
    /// Open files that hold one.
    holders: usize,
    /// Whether the only one of them excludes others.
    exclusive: bool,
    waiters: WaitSet,
}

/// All locks of a sandbox.
#[derive(Debug, Default)]
pub(crate) struct FileLocks {
    nodes: HashMap<NodeRef, Locked>,
}

impl FileLocks {
    /// Gives an open file another lock. The old one is gone first, also when the new one cannot be
    /// had, so that two who hold a shared one and want an exclusive one never wait for each other.
    ///
    /// Fails with [`Errno::Again`] while another open file excludes it.
    pub(crate) fn lock(&mut self, file: &mut OpenFile, wanted: FileLock) -> Result<(), Errno> {
        if file.lock == Some(wanted) {
            return Ok(());
        }
        self.unlock(file);
        if let Some(node) = file.object.node() {
            let exclusive = wanted == FileLock::Exclusive;
            if let Some(locked) = self.nodes.get(&node)
                && (exclusive || locked.exclusive)
            {
                return Err(Errno::Again);
            }
            let locked = self.nodes.entry(node).or_default();
            locked.holders += 1;
            locked.exclusive = exclusive;
        }
        file.lock = Some(wanted);
        Ok(())
    }

    /// Takes an open file's lock away, and lets those who wait look again.
    pub(crate) fn unlock(&mut self, file: &mut OpenFile) {
        if file.lock.take().is_none() {
            return;
        }
        let Some(node) = file.object.node() else {
            return;
        };
        let Some(locked) = self.nodes.get_mut(&node) else {
            return;
        };
        locked.waiters.wake();
        locked.exclusive = false;
        locked.holders = locked.holders.saturating_sub(1);
        if locked.holders == 0 {
            self.nodes.remove(&node);
        }
    }

    /// Wakes somebody when a lock of a node has gone.
    pub(crate) fn wait(&mut self, node: NodeRef, waiter: WaiterId, waker: &Waker) {
        if let Some(locked) = self.nodes.get_mut(&node) {
            locked.waiters.add(waiter, waker);
        }
    }
}

#[cfg(test)]
mod tests {
    use codepod_vfs::{InodeId, MountId};

    use super::*;
    use crate::open_file::Object;

    fn open(inode: u64) -> OpenFile {
        let node = NodeRef {
            mount: MountId(0),
            inode: InodeId(inode),
        };
        OpenFile::new(Object::File(node), 0, true, true)
    }

    #[test]
    fn an_exclusive_lock_excludes_all_others_of_its_node() {
        let mut locks = FileLocks::default();
        let (mut a, mut b, mut other) = (open(1), open(1), open(2));
        assert_eq!(locks.lock(&mut a, FileLock::Exclusive), Ok(()));
        assert_eq!(locks.lock(&mut a, FileLock::Exclusive), Ok(()));
        assert_eq!(locks.lock(&mut b, FileLock::Exclusive), Err(Errno::Again));
        assert_eq!(locks.lock(&mut b, FileLock::Shared), Err(Errno::Again));
        assert_eq!(locks.lock(&mut other, FileLock::Exclusive), Ok(()));
        locks.unlock(&mut a);
        assert_eq!(locks.lock(&mut b, FileLock::Exclusive), Ok(()));
    }

    #[test]
    fn shared_locks_exclude_only_an_exclusive_one() {
        let mut locks = FileLocks::default();
        let (mut a, mut b, mut c) = (open(1), open(1), open(1));
        assert_eq!(locks.lock(&mut a, FileLock::Shared), Ok(()));
        assert_eq!(locks.lock(&mut b, FileLock::Shared), Ok(()));
        assert_eq!(locks.lock(&mut c, FileLock::Exclusive), Err(Errno::Again));
        locks.unlock(&mut a);
        assert_eq!(locks.lock(&mut c, FileLock::Exclusive), Err(Errno::Again));
        locks.unlock(&mut b);
        assert_eq!(locks.lock(&mut c, FileLock::Exclusive), Ok(()));
    }

    #[test]
    fn who_wants_more_loses_what_it_had() {
        let mut locks = FileLocks::default();
        let (mut a, mut b) = (open(1), open(1));
        locks.lock(&mut a, FileLock::Shared).unwrap();
        locks.lock(&mut b, FileLock::Shared).unwrap();
        assert_eq!(locks.lock(&mut a, FileLock::Exclusive), Err(Errno::Again));
        assert_eq!(a.lock, None);
        assert_eq!(locks.lock(&mut b, FileLock::Exclusive), Ok(()));
        // And back: one that excluded others lets them in.
        assert_eq!(locks.lock(&mut b, FileLock::Shared), Ok(()));
        assert_eq!(locks.lock(&mut a, FileLock::Shared), Ok(()));
    }

    #[test]
    fn nothing_stays_of_locks_that_are_gone() {
        let mut locks = FileLocks::default();
        for inode in 0..100 {
            let mut file = open(inode);
            locks.lock(&mut file, FileLock::Shared).unwrap();
            locks.unlock(&mut file);
            locks.unlock(&mut file);
        }
        assert!(locks.nodes.is_empty());
    }

    #[test]
    fn a_number_says_what_to_do() {
        let operation = |lock, waits| Ok(Operation { lock, waits });
        assert_eq!(
            Operation::from_number(1),
            operation(Some(FileLock::Shared), true)
        );
        assert_eq!(
            Operation::from_number(6),
            operation(Some(FileLock::Exclusive), false)
        );
        assert_eq!(Operation::from_number(8), operation(None, true));
        for number in [0, 3, 4, 9, 16, 32, u32::MAX] {
            assert_eq!(Operation::from_number(number), Err(Errno::Inval));
        }
    }
}
