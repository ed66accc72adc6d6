//! A file's bytes: chunks of up to 64 KiB that trees share until one of them writes.
//!
//! A missing chunk, and what a chunk lacks at its end, reads as zeros. This file counts what its
//! chunks cost ([`Content::charge`]) but knows no limit beyond the room it is given.
//!
//! Invariant: no chunk reaches past `size`, no chunk is empty, `stored` is the sum of the lengths
//! of all chunks, and `charge` the sum of the costs of those that are not of the base image.

use std::sync::Arc;

use codepod_abi::Errno;

use super::chunk::{Chunk, cost};
use crate::budget::Budget;
use crate::limits::FsLimits;
use crate::map::{Difference, Map};

/// Bytes per chunk.
pub(crate) const CHUNK: u64 = 64 << 10;

/// A file's bytes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Content {
    size: u64,
    stored: u64,
    charge: u64,
    /// Chunk 0: most files have no other.
    first: Option<Arc<Chunk>>,
    rest: Map<u64, Arc<Chunk>>,
}

/// What a write achieved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Written {
    /// Bytes taken, from the front.
    pub(crate) bytes: usize,
    /// What it cost.
    pub(crate) charged: u64,
}

impl Content {
    /// Content of a base image.
    pub(crate) fn base(bytes: &[u8]) -> Content {
        let pieces = bytes.chunks(CHUNK as usize);
        Content::of_chunks(pieces.map(|piece| Chunk::base(piece.to_vec())))
    }

    /// Content of a base image that the program carries.
    pub(crate) fn carried(bytes: &'static [u8]) -> Content {
        Content::of_chunks(bytes.chunks(CHUNK as usize).map(Chunk::carried))
    }

    /// Chunks in a row, all but the last of full length.
    fn of_chunks(chunks: impl Iterator<Item = Chunk>) -> Content {
        let mut content = Content::default();
        for (index, chunk) in chunks.enumerate() {
            content.size += chunk.len() as u64;
            content.put(index as u64, Arc::new(chunk));
        }
        content
    }

    /// Nothing but a hole of that size.
    pub(crate) fn hole(size: u64) -> Content {
        Content {
            size,
            ..Content::default()
        }
    }

    /// Length of the file, holes included.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// What its chunks cost.
    pub(crate) fn charge(&self) -> u64 {
        self.charge
    }

    /// Bytes that are really stored.
    pub(crate) fn stored(&self) -> u64 {
        self.stored
    }

    /// `charge`, computed anew: the oracle of tests.
    pub(crate) fn recount(&self) -> u64 {
        self.chunks().map(|(_, chunk)| chunk.cost()).sum()
    }

    /// Reads from `offset`; returns how many bytes there were. `Io` if a store does not give the
    /// first of them.
    pub(crate) fn read(&self, offset: u64, buf: &mut [u8]) -> Result<usize, Errno> {
        if offset >= self.size {
            return Ok(0);
        }
        let length = (buf.len() as u64).min(self.size - offset) as usize;
        let mut done = 0;
        while done < length {
            let at = offset + done as u64;
            let start = (at % CHUNK) as usize;
            let piece = (CHUNK as usize - start).min(length - done);
            let out = &mut buf[done..done + piece];
            let stored = match self.chunk(at / CHUNK).map(|chunk| chunk.bytes()) {
                None => &[][..],
                Some(Ok(bytes)) => bytes,
                Some(Err(errno)) if done == 0 => return Err(errno),
                Some(Err(_)) => return Ok(done),
            };
            let have = stored.get(start..).unwrap_or(&[]);
            let copied = have.len().min(piece);
            out[..copied].copy_from_slice(&have[..copied]);
            out[copied..].fill(0);
            done += piece;
        }
        Ok(length)
    }

    /// Writes at `offset` as much as costs at most `room`, extending the file if needed.
    ///
    /// The caller has checked that `offset + bytes.len()` does not overflow. `Io` if a store does
    /// not give what is to be changed in part, `NoSpc` if there is no memory.
    pub(crate) fn write(
        &mut self,
        offset: u64,
        bytes: &[u8],
        room: u64,
        budget: &Budget,
    ) -> Result<Written, Errno> {
        let mut done = 0;
        let mut charged = 0;
        while done < bytes.len() {
            let at = offset + done as u64;
            let start = (at % CHUNK) as usize;
            let wanted = (CHUNK as usize - start).min(bytes.len() - done);
            let piece = &bytes[done..done + wanted];
            let room = room - charged;
            let written = match self.write_chunk(at / CHUNK, start, piece, room, budget) {
                Err(errno) if done == 0 => return Err(errno),
                Err(_) => break,
                Ok(written) => written,
            };
            done += written.bytes;
            charged += written.charged;
            if written.bytes < wanted {
                break;
            }
        }
        if done > 0 {
            self.size = self.size.max(offset + done as u64);
        }
        Ok(Written {
            bytes: done,
            charged,
        })
    }

    /// Writes `piece` at `start` of one chunk, as much as `room` pays for.
    fn write_chunk(
        &mut self,
        index: u64,
        start: usize,
        piece: &[u8],
        room: u64,
        budget: &Budget,
    ) -> Result<Written, Errno> {
        let (length, before) = self
            .chunk(index)
            .map_or((0, 0), |chunk| (chunk.len(), chunk.cost()));
        let affordable = before.saturating_add(room);
        let mut piece = piece;
        if cost(length.max(start + piece.len())) > affordable {
            // Only what fits: a chunk costs its length, but never less than the smallest charge.
            let affordable = affordable as usize;
            let smallest = FsLimits::SMALLEST_CHARGE as usize;
            if affordable < smallest || affordable < length || affordable <= start {
                return Ok(Written {
                    bytes: 0,
                    charged: 0,
                });
            }
            piece = &piece[..piece.len().min(affordable - start)];
        }
        let old = if index == 0 {
            self.first.as_mut()
        } else {
            self.rest.get_mut(&index)
        };
        let after = cost(length.max(start + piece.len()));
        if let Some(chunk) = old {
            overwrite(chunk, start, piece, budget)?;
            self.stored += (start + piece.len()).saturating_sub(length) as u64;
            self.charge += after - before;
        } else {
            self.put(index, new_chunk(start, piece, budget)?);
        }
        Ok(Written {
            bytes: piece.len(),
            charged: after - before,
        })
    }

    /// What cutting or extending to `size` would cost; only copies of base chunks cost something.
    pub(crate) fn cost_of_size(&self, size: u64) -> u64 {
        let cut = (size % CHUNK) as usize;
        match self.chunk(size / CHUNK) {
            Some(chunk) if size < self.size && chunk.is_base() && cut < chunk.len() => cost(cut),
            _ => 0,
        }
    }

    /// Cuts or extends the file. The tail of an extended file is a hole. `Io` if a store does not
    /// give what stays of a chunk that is cut, `NoSpc` if there is no memory for a copy of
    /// that.
    pub(crate) fn set_size(&mut self, size: u64, budget: &Budget) -> Result<(), Errno> {
        if size < self.size {
            let (keep, cut) = (size / CHUNK, (size % CHUNK) as usize);
            // A copy of just what stays, so that memory goes down with the charge.
            let last = match self.chunk(keep) {
                Some(chunk) if chunk.len() > cut && cut > 0 => {
                    let bytes = chunk.bytes()?[..cut].to_vec();
                    Some(Arc::new(Chunk::new(bytes, budget)?))
                }
                _ => None,
            };
            while let Some((last, _)) = self.rest.last()
                && *last > keep
            {
                let last = *last;
                self.take(last);
            }
            if let Some(last) = last {
                self.put(keep, last);
            } else if cut == 0 {
                self.take(keep);
            }
        }
        self.size = size;
        Ok(())
    }

    /// What [`Content::allocate`] would cost.
    pub(crate) fn cost_of_allocation(&self, offset: u64, end: u64) -> u64 {
        let mut sum = 0u64;
        let mut at = offset;
        while at < end {
            let index = at / CHUNK;
            let stop = end.min((index + 1) * CHUNK);
            let length = (stop - index * CHUNK) as usize;
            let old = self.chunk(index);
            let before = old.map_or(0, |chunk| chunk.cost());
            let after = cost(length.max(old.map_or(0, |chunk| chunk.len())));
            sum = sum.saturating_add(after - before);
            at = stop;
        }
        sum
    }

    /// Stores zeros where nothing is stored between `offset` and `end`; extends the file to `end`.
    /// `Io` if a store does not give what is there, `NoSpc` if there is no memory; what was stored
    /// until then stays.
    pub(crate) fn allocate(&mut self, offset: u64, end: u64, budget: &Budget) -> Result<(), Errno> {
        let zeros = Arc::new(Chunk::new(vec![0; CHUNK as usize], budget)?);
        let mut at = offset;
        while at < end {
            self.size = self.size.max(at);
            let index = at / CHUNK;
            let stop = end.min((index + 1) * CHUNK);
            let length = (stop - index * CHUNK) as usize;
            match self.chunk(index) {
                // Whole chunks of zeros are shared until they are written to.
                None if length == CHUNK as usize => self.put(index, zeros.clone()),
                None => self.put(index, Arc::new(Chunk::new(vec![0; length], budget)?)),
                Some(old) => {
                    let mut bytes = old.bytes()?.to_vec();
                    bytes.resize(length.max(bytes.len()), 0);
                    bytes.shrink_to_fit();
                    self.put(index, Arc::new(Chunk::new(bytes, budget)?));
                }
            }
            at = stop;
        }
        self.size = self.size.max(end);
        Ok(())
    }

    /// Whether both hold the same bytes. Shared chunks are not read.
    pub(crate) fn same_bytes(&self, other: &Content) -> bool {
        if self.size != other.size {
            return false;
        }
        let first_is_same = match (&self.first, &other.first) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b) || a.same(b),
            (Some(only), None) | (None, Some(only)) => only.is_zero(),
            (None, None) => true,
        };
        let mut rest = self.rest.diff(&other.rest, Arc::ptr_eq);
        first_is_same
            && rest.all(|difference| match difference {
                Difference::Added(_, only) | Difference::Removed(_, only) => only.is_zero(),
                Difference::Changed(_, a, b) => a.same(b),
            })
    }

    /// Bytes of chunks that a later state of this content does not share.
    pub(crate) fn held_beside(&self, next: &Content) -> u64 {
        let shared = match (&self.first, &next.first) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        let first = self.first.as_ref().map_or(0, |chunk| chunk.len() as u64);
        let rest = self.rest.diff(&next.rest, Arc::ptr_eq);
        let rest: u64 = rest
            .map(|difference| match difference {
                Difference::Added(..) => 0,
                Difference::Removed(_, chunk) | Difference::Changed(_, chunk, _) => {
                    chunk.len() as u64
                }
            })
            .sum();
        rest + if shared { 0 } else { first }
    }

    pub(crate) fn chunk(&self, index: u64) -> Option<&Arc<Chunk>> {
        if index == 0 {
            self.first.as_ref()
        } else {
            self.rest.get(&index)
        }
    }

    /// All chunks with their places, by place.
    pub(crate) fn chunks(&self) -> impl Iterator<Item = (u64, &Arc<Chunk>)> {
        let rest = self.rest.iter().map(|(index, chunk)| (*index, chunk));
        self.first.iter().map(|chunk| (0, chunk)).chain(rest)
    }

    /// Puts a chunk in a place, which may be past the end: the caller sees to it that `size`
    /// reaches there.
    pub(crate) fn put(&mut self, index: u64, chunk: Arc<Chunk>) {
        self.take(index);
        self.charge += chunk.cost();
        self.stored += chunk.len() as u64;
        if index == 0 {
            self.first = Some(chunk);
        } else {
            self.rest.insert(index, chunk);
        }
    }

    /// Puts a chunk in a place and extends the file to its end.
    pub(crate) fn put_extending(&mut self, index: u64, chunk: Arc<Chunk>) {
        let end = index
            .saturating_mul(CHUNK)
            .saturating_add(chunk.len() as u64);
        self.size = self.size.max(end);
        self.put(index, chunk);
    }

    /// The chunks from a place on, by place.
    pub(crate) fn chunks_from(&self, index: u64) -> impl Iterator<Item = (u64, &Arc<Chunk>)> {
        let first = self.first.iter().filter(move |_| index == 0);
        let rest = self
            .rest
            .range_from(&index)
            .map(|(index, chunk)| (*index, chunk));
        first.map(|chunk| (0, chunk)).chain(rest)
    }

    /// Makes a hole.
    pub(crate) fn take(&mut self, index: u64) {
        let old = if index == 0 {
            self.first.take()
        } else {
            self.rest.remove(&index)
        };
        if let Some(old) = old {
            self.charge -= old.cost();
            self.stored -= old.len() as u64;
        }
    }
}

fn new_chunk(start: usize, piece: &[u8], budget: &Budget) -> Result<Arc<Chunk>, Errno> {
    let bytes = if start == 0 {
        piece.to_vec()
    } else {
        let mut bytes = Vec::with_capacity(start + piece.len());
        bytes.resize(start, 0);
        bytes.extend_from_slice(piece);
        bytes
    };
    Chunk::new(bytes, budget).map(Arc::new)
}

fn overwrite(
    chunk: &mut Arc<Chunk>,
    start: usize,
    piece: &[u8],
    budget: &Budget,
) -> Result<(), Errno> {
    let whole = start == 0 && piece.len() >= chunk.len();
    if whole && (chunk.is_stored() || Arc::get_mut(chunk).is_none()) {
        // Nothing of a shared or stored chunk stays: no need to copy or fetch it first.
        *chunk = new_chunk(0, piece, budget)?;
        return Ok(());
    }
    let length = chunk.len().max(start + piece.len());
    if let Some(own) = Arc::get_mut(chunk)
        && let Some(bytes) = own.bytes_mut(length)?
    {
        put_piece(bytes, start, piece);
        return Ok(());
    }
    let mut bytes = Vec::with_capacity(length);
    bytes.extend_from_slice(chunk.bytes()?);
    put_piece(&mut bytes, start, piece);
    *chunk = Arc::new(Chunk::new(bytes, budget)?);
    Ok(())
}

fn put_piece(bytes: &mut Vec<u8>, start: usize, piece: &[u8]) {
    if bytes.len() < start {
        bytes.resize(start, 0);
    }
    let overlap = piece.len().min(bytes.len() - start);
    bytes[start..start + overlap].copy_from_slice(&piece[..overlap]);
    bytes.extend_from_slice(&piece[overlap..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: &Budget = &Budget::FREE;

    fn all(content: &Content) -> Vec<u8> {
        let mut bytes = vec![1; content.size() as usize];
        assert_eq!(content.read(0, &mut bytes), Ok(bytes.len()));
        bytes
    }

    #[test]
    fn a_hole_reads_as_zeros_and_costs_nothing() {
        let mut content = Content::default();
        let written = content.write(3 * CHUNK, b"end", u64::MAX, FREE).unwrap();
        assert_eq!(
            written,
            Written {
                bytes: 3,
                charged: FsLimits::SMALLEST_CHARGE
            }
        );
        let bytes = all(&content);
        assert!(bytes[..3 * CHUNK as usize].iter().all(|b| *b == 0));
        assert_eq!(&bytes[3 * CHUNK as usize..], b"end");
        assert_eq!(content.charge(), content.recount());
    }

    #[test]
    fn cutting_and_extending_leaves_zeros_behind() {
        let mut content = Content::default();
        content.write(0, &[7; 200_000], u64::MAX, FREE).unwrap();
        content.set_size(70_000, FREE).unwrap();
        content.set_size(140_000, FREE).unwrap();
        let bytes = all(&content);
        assert!(bytes[..70_000].iter().all(|b| *b == 7));
        assert!(bytes[70_000..].iter().all(|b| *b == 0));
        assert_eq!(content.charge(), 70_000);
        assert_eq!(content.charge(), content.recount());
    }

    #[test]
    fn a_write_takes_only_what_there_is_room_for() {
        let mut content = Content::default();
        assert_eq!(content.write(0, &[1; 500], 127, FREE).unwrap().bytes, 0);
        assert_eq!(
            content.write(0, &[1; 500], 300, FREE).unwrap(),
            Written {
                bytes: 300,
                charged: 300
            }
        );
        assert_eq!(
            content.write(300, &[2; 500], 10, FREE).unwrap(),
            Written {
                bytes: 10,
                charged: 10
            }
        );
        assert_eq!(
            content.write(0, &[3; 310], 0, FREE).unwrap(),
            Written {
                bytes: 310,
                charged: 0
            }
        );
        assert_eq!(content.write(5_000, &[3; 1], 100, FREE).unwrap().bytes, 0);
        assert_eq!(content.size(), 310);
        assert_eq!(content.charge(), content.recount());
    }

    #[test]
    fn writing_to_a_base_image_charges_the_copy() {
        let mut content = Content::base(&[9; 1000]);
        assert_eq!(content.charge(), 0);
        assert_eq!(content.write(10, b"x", 999, FREE).unwrap().bytes, 0);
        assert_eq!(
            content.write(10, b"x", 1000, FREE).unwrap(),
            Written {
                bytes: 1,
                charged: 1000
            }
        );
        assert_eq!(content.charge(), content.recount());
        assert_eq!(all(&content)[9..12], [9, b'x', 9]);
    }

    #[test]
    fn allocated_space_is_charged_at_once_and_not_again() {
        let mut content = Content::default();
        content.write(0, b"abc", u64::MAX, FREE).unwrap();
        let end = 2 * CHUNK + 5_000;
        let price = content.cost_of_allocation(0, end);
        content.allocate(0, end, FREE).unwrap();
        assert_eq!(content.charge(), FsLimits::SMALLEST_CHARGE + price);
        assert_eq!(content.charge(), content.recount());
        assert_eq!(
            content.write(100, &[5; 100_000], 0, FREE).unwrap().bytes,
            100_000
        );
        assert_eq!(&all(&content)[..4], b"abc\0");
    }

    #[test]
    fn a_copy_does_not_see_later_writes() {
        let mut a = Content::default();
        a.write(0, &[1; 100_000], u64::MAX, FREE).unwrap();
        let b = a.clone();
        a.write(65_000, &[2; 1_000], u64::MAX, FREE).unwrap();
        assert!(all(&b).iter().all(|byte| *byte == 1));
        assert!(!a.same_bytes(&b));
        a.write(65_000, &[1; 1_000], u64::MAX, FREE).unwrap();
        assert!(a.same_bytes(&b));
    }
}
