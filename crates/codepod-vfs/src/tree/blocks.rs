//! A file as blocks of 64 KiB, for an engine that keeps the memory of a process in it.
//!
//! [`Blocks`] is a value as a tree is: a clone takes constant time and shares what it holds. The
//! engine replaces single blocks and hands the whole back; what it did not replace is neither read
//! nor copied, and keeps its digest.

use std::sync::Arc;

use codepod_abi::Errno;

use super::chunk::{Chunk, OutsideBytes};
use super::content::{CHUNK, Content};
use super::inode::Body;
use super::{InodeId, Tree};
use crate::budget::Budget;
use crate::limits::Usage;

/// The content of a regular file by blocks.
#[derive(Debug, Clone)]
pub struct Blocks {
    content: Content,
    budget: Budget,
}

impl Blocks {
    /// How many bytes a block has; the last of a file may have fewer.
    pub const SIZE: usize = CHUNK as usize;

    /// A block's bytes, `None` for a hole. `Io` if a store has them and does not give them.
    pub fn get(&self, index: u64) -> Result<Option<&[u8]>, Errno> {
        self.content
            .chunk(index)
            .map(|chunk| chunk.bytes())
            .transpose()
    }

    /// The places from `index` on that have a block.
    pub fn places(&self, index: u64) -> impl Iterator<Item = u64> {
        self.content.chunks_from(index).map(|(index, _)| index)
    }

    /// Bytes that it stores, holes apart.
    pub fn stored(&self) -> u64 {
        self.content.stored()
    }

    /// Puts bytes in the place of a block; `NoSpc` if there is no memory for them.
    pub fn set(&mut self, index: u64, bytes: Vec<u8>) -> Result<(), Errno> {
        let chunk = Chunk::new(bytes, &self.budget)?;
        self.content.put_extending(index, Arc::new(chunk));
        Ok(())
    }

    /// Puts bytes that the caller manages in the place of a block; `NoSpc` if there is no memory
    /// for them.
    pub fn share(&mut self, index: u64, bytes: Arc<dyn OutsideBytes>) -> Result<(), Errno> {
        let chunk = Chunk::outside(bytes, None, &self.budget)?;
        self.content.put_extending(index, Arc::new(chunk));
        Ok(())
    }

    /// Puts the same bytes as they are in a block, in memory that the caller manages, in its place.
    pub fn adopt(&mut self, index: u64, bytes: Arc<dyn OutsideBytes>) -> Result<(), Errno> {
        let digest = self
            .content
            .chunk(index)
            .and_then(|chunk| chunk.known_digest());
        let chunk = Chunk::outside(bytes, digest, &self.budget)?;
        self.content.put_extending(index, Arc::new(chunk));
        Ok(())
    }

    /// Makes a hole.
    pub fn remove(&mut self, index: u64) {
        self.content.take(index);
    }
}

impl Tree {
    /// A file's content by blocks. `IsDir`, `Inval` for what is no regular file.
    pub(crate) fn blocks(&self, id: InodeId) -> Result<Blocks, Errno> {
        Ok(Blocks {
            content: self.content(id)?.clone(),
            budget: self.budget.clone(),
        })
    }

    /// Sets a file's content to blocks. What the file `replaced` holds is not counted besides: this
    /// file is about to take its name. `NoSpc` beyond the limits, unless it is no larger than that.
    pub(crate) fn set_blocks(
        &mut self,
        id: InodeId,
        blocks: &Blocks,
        replaced: Option<InodeId>,
        now: u64,
    ) -> Result<(), Errno> {
        let charge = |content: &Content| content.charge();
        let less = charge(self.content(id)?);
        let freed = match replaced.filter(|replaced| *replaced != id) {
            Some(replaced) => charge(self.content(replaced)?),
            None => 0,
        };
        let more = charge(&blocks.content);
        let after = (self.used.bytes - less).saturating_sub(freed) + more;
        if more > less + freed && after > self.limits.bytes {
            return Err(Errno::NoSpc);
        }
        self.check_memory()?;
        let inode = self.get_mut(id)?;
        inode.body = Body::File(blocks.content.clone());
        inode.mtime = now;
        inode.ctime = now;
        self.used = Usage {
            bytes: self.used.bytes - less + more,
            ..self.used
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::{BudgetLimits, BudgetUse};
    use crate::limits::FsLimits;
    use crate::node::{New, NewBody};

    #[derive(Debug)]
    struct Outside(Vec<u8>);

    impl OutsideBytes for Outside {
        fn bytes(&self) -> &[u8] {
            &self.0
        }
    }

    const FILE: New<'static> = New {
        body: NewBody::File,
        mode: 0o600,
        uid: 0,
        gid: 0,
    };

    fn tree(bytes: u64, budget: &Budget) -> (Tree, InodeId, InodeId) {
        let limits = FsLimits {
            bytes,
            ..FsLimits::default()
        };
        let mut tree = Tree::builder()
            .build()
            .with_limits(limits)
            .with_budget(budget);
        let old = tree.create(Tree::ROOT, b"old", FILE, 1).unwrap();
        let new = tree.create(Tree::ROOT, b"new", FILE, 1).unwrap();
        (tree, old, new)
    }

    fn outside(byte: u8) -> Arc<Outside> {
        Arc::new(Outside(vec![byte; Blocks::SIZE]))
    }

    #[test]
    fn a_file_that_takes_the_place_of_another_is_not_counted_besides() {
        let budget = Budget::new(BudgetLimits::new(0, 1 << 30));
        let (mut tree, old, new) = tree(200_000, &budget);
        let mut blocks = tree.blocks(old).unwrap();
        blocks.share(3, outside(7)).unwrap();
        blocks.share(9, outside(8)).unwrap();
        assert_eq!(blocks.places(4).collect::<Vec<_>>(), [9]);
        tree.set_blocks(old, &blocks, None, 2).unwrap();
        // Two files of 128 KiB are beyond the limit; one in place of the other is not.
        blocks.share(9, outside(1)).unwrap();
        assert_eq!(tree.set_blocks(new, &blocks, None, 2), Err(Errno::NoSpc));
        assert_eq!(tree.set_blocks(new, &blocks, Some(old), 2), Ok(()));
        assert_eq!(tree.usage(), tree.recount());
        let closed = |_: InodeId| false;
        tree.rename(Tree::ROOT, b"new", Tree::ROOT, b"old", 3, &closed)
            .unwrap();
        assert_eq!(tree.usage(), tree.recount());
        let mut read = [0; 2];
        tree.read_at(new, 9 * CHUNK - 1, &mut read).unwrap();
        assert_eq!(read, [0, 1]);
        // What does not grow is never refused, what grows is.
        let full = tree.limits().bytes - tree.usage().bytes;
        let other = tree.create(Tree::ROOT, b"x", FILE, 1).unwrap();
        tree.write_at(other, 0, &vec![1; full as usize - 2], 0, 1)
            .unwrap();
        let again = tree.create(Tree::ROOT, b"y", FILE, 1).unwrap();
        let mut larger = blocks.clone();
        larger.share(4, outside(2)).unwrap();
        assert_eq!(
            tree.set_blocks(again, &larger, Some(new), 2),
            Err(Errno::NoSpc)
        );
        blocks.share(3, outside(2)).unwrap();
        assert_eq!(tree.set_blocks(again, &blocks, Some(new), 2), Ok(()));
        assert_eq!(tree.usage(), tree.recount());
        drop(larger);
        drop((tree, blocks));
        assert_eq!(budget.used(), BudgetUse::default());
    }

    #[test]
    fn an_adopted_block_keeps_its_digest() {
        let budget = Budget::FREE;
        let (tree, old, _) = tree(1 << 20, &budget);
        let mut blocks = tree.blocks(old).unwrap();
        blocks.set(1, vec![5; 10]).unwrap();
        let chunk = |blocks: &Blocks| blocks.content.chunk(1).unwrap().clone();
        chunk(&blocks).digest(&|_| [9; 32]).unwrap();
        blocks.adopt(1, Arc::new(Outside(vec![5; 10]))).unwrap();
        assert_eq!(chunk(&blocks).known_digest(), Some([9; 32]));
        blocks.share(1, Arc::new(Outside(vec![6; 10]))).unwrap();
        assert_eq!(chunk(&blocks).known_digest(), None);
        blocks.remove(1);
        assert_eq!(blocks.get(1), Ok(None));
        assert_eq!(blocks.stored(), 0);
    }
}
