//! A file's bytes: chunks of up to 64 KiB that trees share until one of them writes.
//!
//! A missing chunk, and what a chunk lacks at its end, reads as zeros. This file counts what its
//! chunks cost ([`Content::charge`]) but knows no limit beyond the room it is given.
//!
//! Invariant: no chunk reaches past `size`, no chunk is empty, `stored` is the sum of the lengths
//! of all chunks, and `charge` the sum of the costs of those that are not of the base image.

use std::sync::Arc;

use crate::limits::FsLimits;
use crate::map::{Difference, Map};

/// Bytes per chunk.
pub(crate) const CHUNK: u64 = 64 << 10;

/// Some bytes, possibly shared with other trees.
#[derive(Debug, Clone)]
struct Chunk {
    bytes: Vec<u8>,
    /// Whether it is part of a base image and therefore free of charge. A copy is not.
    base: bool,
}

impl Chunk {
    fn cost(&self) -> u64 {
        if self.base { 0 } else { cost(self.bytes.len()) }
    }
}

/// What a chunk of that length is charged.
fn cost(length: usize) -> u64 {
    if length == 0 {
        0
    } else {
        (length as u64).max(FsLimits::SMALLEST_CHARGE)
    }
}

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
        let mut content = Content {
            size: bytes.len() as u64,
            ..Content::default()
        };
        for (index, piece) in bytes.chunks(CHUNK as usize).enumerate() {
            content.put(
                index as u64,
                Arc::new(Chunk {
                    bytes: piece.to_vec(),
                    base: true,
                }),
            );
        }
        content
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

    /// Reads from `offset`; returns how many bytes there were.
    pub(crate) fn read(&self, offset: u64, buf: &mut [u8]) -> usize {
        if offset >= self.size {
            return 0;
        }
        let length = (buf.len() as u64).min(self.size - offset) as usize;
        let mut done = 0;
        while done < length {
            let at = offset + done as u64;
            let start = (at % CHUNK) as usize;
            let piece = (CHUNK as usize - start).min(length - done);
            let out = &mut buf[done..done + piece];
            let stored = self.chunk(at / CHUNK).map_or(&[][..], |chunk| &chunk.bytes);
            let have = stored.get(start..).unwrap_or(&[]);
            let copied = have.len().min(piece);
            out[..copied].copy_from_slice(&have[..copied]);
            out[copied..].fill(0);
            done += piece;
        }
        length
    }

    /// Writes at `offset` as much as costs at most `room`, extending the file if needed.
    ///
    /// The caller has checked that `offset + bytes.len()` does not overflow.
    pub(crate) fn write(&mut self, offset: u64, bytes: &[u8], room: u64) -> Written {
        let mut done = 0;
        let mut charged = 0;
        while done < bytes.len() {
            let at = offset + done as u64;
            let start = (at % CHUNK) as usize;
            let wanted = (CHUNK as usize - start).min(bytes.len() - done);
            let piece = &bytes[done..done + wanted];
            let written = self.write_chunk(at / CHUNK, start, piece, room - charged);
            done += written.bytes;
            charged += written.charged;
            if written.bytes < wanted {
                break;
            }
        }
        if done > 0 {
            self.size = self.size.max(offset + done as u64);
        }
        Written {
            bytes: done,
            charged,
        }
    }

    /// Writes `piece` at `start` of one chunk, as much as `room` pays for.
    fn write_chunk(&mut self, index: u64, start: usize, piece: &[u8], room: u64) -> Written {
        let (length, before) = self
            .chunk(index)
            .map_or((0, 0), |chunk| (chunk.bytes.len(), chunk.cost()));
        let affordable = before.saturating_add(room);
        let mut piece = piece;
        if cost(length.max(start + piece.len())) > affordable {
            // Only what fits: a chunk costs its length, but never less than the smallest charge.
            let affordable = affordable as usize;
            let smallest = FsLimits::SMALLEST_CHARGE as usize;
            if affordable < smallest || affordable < length || affordable <= start {
                return Written {
                    bytes: 0,
                    charged: 0,
                };
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
            overwrite(chunk, start, piece);
            self.stored += (start + piece.len()).saturating_sub(length) as u64;
            self.charge += after - before;
        } else {
            self.put(index, new_chunk(start, piece));
        }
        Written {
            bytes: piece.len(),
            charged: after - before,
        }
    }

    /// What cutting or extending to `size` would cost; only copies of base chunks cost something.
    pub(crate) fn cost_of_size(&self, size: u64) -> u64 {
        let cut = (size % CHUNK) as usize;
        match self.chunk(size / CHUNK) {
            Some(chunk) if size < self.size && chunk.base && cut < chunk.bytes.len() => cost(cut),
            _ => 0,
        }
    }

    /// Cuts or extends the file. The tail of an extended file is a hole.
    pub(crate) fn set_size(&mut self, size: u64) {
        if size < self.size {
            let (keep, cut) = (size / CHUNK, (size % CHUNK) as usize);
            while let Some((last, _)) = self.rest.last()
                && *last > keep
            {
                let last = *last;
                self.take(last);
            }
            if let Some(chunk) = self.chunk(keep)
                && chunk.bytes.len() > cut
            {
                if cut == 0 {
                    self.take(keep);
                } else {
                    // A copy of just what stays, so that memory goes down with the charge.
                    let bytes = chunk.bytes[..cut].to_vec();
                    self.put(keep, Arc::new(Chunk { bytes, base: false }));
                }
            }
        }
        self.size = size;
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
            let after = cost(length.max(old.map_or(0, |chunk| chunk.bytes.len())));
            sum = sum.saturating_add(after - before);
            at = stop;
        }
        sum
    }

    /// Stores zeros where nothing is stored between `offset` and `end`; extends the file to `end`.
    pub(crate) fn allocate(&mut self, offset: u64, end: u64) {
        let zeros = Arc::new(Chunk {
            bytes: vec![0; CHUNK as usize],
            base: false,
        });
        let mut at = offset;
        while at < end {
            let index = at / CHUNK;
            let stop = end.min((index + 1) * CHUNK);
            let length = (stop - index * CHUNK) as usize;
            match self.chunk(index) {
                // Whole chunks of zeros are shared until they are written to.
                None if length == CHUNK as usize => self.put(index, zeros.clone()),
                None => self.put(
                    index,
                    Arc::new(Chunk {
                        bytes: vec![0; length],
                        base: false,
                    }),
                ),
                Some(old) => {
                    let mut bytes = old.bytes.clone();
                    bytes.resize(length.max(bytes.len()), 0);
                    self.put(index, Arc::new(Chunk { bytes, base: false }));
                }
            }
            at = stop;
        }
        self.size = self.size.max(end);
    }

    /// Whether both hold the same bytes. Shared chunks are not read.
    pub(crate) fn same_bytes(&self, other: &Content) -> bool {
        if self.size != other.size {
            return false;
        }
        let first_is_same = match (&self.first, &other.first) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b) || same_padded(&a.bytes, &b.bytes),
            (Some(only), None) | (None, Some(only)) => same_padded(&only.bytes, &[]),
            (None, None) => true,
        };
        let mut rest = self.rest.diff(&other.rest, Arc::ptr_eq);
        first_is_same
            && rest.all(|difference| match difference {
                Difference::Added(_, only) | Difference::Removed(_, only) => {
                    same_padded(&only.bytes, &[])
                }
                Difference::Changed(_, a, b) => same_padded(&a.bytes, &b.bytes),
            })
    }

    /// Bytes of chunks that a later state of this content does not share.
    pub(crate) fn held_beside(&self, next: &Content) -> u64 {
        let shared = match (&self.first, &next.first) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        let first = self
            .first
            .as_ref()
            .map_or(0, |chunk| chunk.bytes.len() as u64);
        let rest = self.rest.diff(&next.rest, Arc::ptr_eq);
        let rest: u64 = rest
            .map(|difference| match difference {
                Difference::Added(..) => 0,
                Difference::Removed(_, chunk) | Difference::Changed(_, chunk, _) => {
                    chunk.bytes.len() as u64
                }
            })
            .sum();
        rest + if shared { 0 } else { first }
    }

    fn chunk(&self, index: u64) -> Option<&Arc<Chunk>> {
        if index == 0 {
            self.first.as_ref()
        } else {
            self.rest.get(&index)
        }
    }

    fn chunks(&self) -> impl Iterator<Item = (u64, &Arc<Chunk>)> {
        let rest = self.rest.iter().map(|(index, chunk)| (*index, chunk));
        self.first.iter().map(|chunk| (0, chunk)).chain(rest)
    }

    fn put(&mut self, index: u64, chunk: Arc<Chunk>) {
        self.take(index);
        self.charge += chunk.cost();
        self.stored += chunk.bytes.len() as u64;
        if index == 0 {
            self.first = Some(chunk);
        } else {
            self.rest.insert(index, chunk);
        }
    }

    fn take(&mut self, index: u64) {
        let old = if index == 0 {
            self.first.take()
        } else {
            self.rest.remove(&index)
        };
        if let Some(old) = old {
            self.charge -= old.cost();
            self.stored -= old.bytes.len() as u64;
        }
    }
}

fn new_chunk(start: usize, piece: &[u8]) -> Arc<Chunk> {
    let bytes = if start == 0 {
        piece.to_vec()
    } else {
        let mut bytes = Vec::with_capacity(start + piece.len());
        bytes.resize(start, 0);
        bytes.extend_from_slice(piece);
        bytes
    };
    Arc::new(Chunk { bytes, base: false })
}

fn overwrite(chunk: &mut Arc<Chunk>, start: usize, piece: &[u8]) {
    if start == 0 && piece.len() >= chunk.bytes.len() && Arc::get_mut(chunk).is_none() {
        // Nothing of a shared chunk stays: no need to copy it first.
        *chunk = new_chunk(0, piece);
        return;
    }
    let chunk = Arc::make_mut(chunk);
    chunk.base = false;
    let bytes = &mut chunk.bytes;
    if bytes.len() < start {
        bytes.resize(start, 0);
    }
    let overlap = piece.len().min(bytes.len() - start);
    bytes[start..start + overlap].copy_from_slice(&piece[..overlap]);
    bytes.extend_from_slice(&piece[overlap..]);
}

/// Whether two chunks are equal once the shorter one is filled up with zeros.
fn same_padded(a: &[u8], b: &[u8]) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let (head, tail) = long.split_at(short.len());
    head == short && tail.iter().all(|byte| *byte == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(content: &Content) -> Vec<u8> {
        let mut bytes = vec![1; content.size() as usize];
        assert_eq!(content.read(0, &mut bytes), bytes.len());
        bytes
    }

    #[test]
    fn a_hole_reads_as_zeros_and_costs_nothing() {
        let mut content = Content::default();
        let written = content.write(3 * CHUNK, b"end", u64::MAX);
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
        content.write(0, &[7; 200_000], u64::MAX);
        content.set_size(70_000);
        content.set_size(140_000);
        let bytes = all(&content);
        assert!(bytes[..70_000].iter().all(|b| *b == 7));
        assert!(bytes[70_000..].iter().all(|b| *b == 0));
        assert_eq!(content.charge(), 70_000);
        assert_eq!(content.charge(), content.recount());
    }

    #[test]
    fn a_write_takes_only_what_there_is_room_for() {
        let mut content = Content::default();
        assert_eq!(content.write(0, &[1; 500], 127).bytes, 0);
        assert_eq!(
            content.write(0, &[1; 500], 300),
            Written {
                bytes: 300,
                charged: 300
            }
        );
        assert_eq!(
            content.write(300, &[2; 500], 10),
            Written {
                bytes: 10,
                charged: 10
            }
        );
        assert_eq!(
            content.write(0, &[3; 310], 0),
            Written {
                bytes: 310,
                charged: 0
            }
        );
        assert_eq!(content.write(5_000, &[3; 1], 100).bytes, 0);
        assert_eq!(content.size(), 310);
        assert_eq!(content.charge(), content.recount());
    }

    #[test]
    fn writing_to_a_base_image_charges_the_copy() {
        let mut content = Content::base(&[9; 1000]);
        assert_eq!(content.charge(), 0);
        assert_eq!(content.write(10, b"x", 999).bytes, 0);
        assert_eq!(
            content.write(10, b"x", 1000),
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
        content.write(0, b"abc", u64::MAX);
        let end = 2 * CHUNK + 5_000;
        let price = content.cost_of_allocation(0, end);
        content.allocate(0, end);
        assert_eq!(content.charge(), FsLimits::SMALLEST_CHARGE + price);
        assert_eq!(content.charge(), content.recount());
        assert_eq!(content.write(100, &[5; 100_000], 0).bytes, 100_000);
        assert_eq!(&all(&content)[..4], b"abc\0");
    }

    #[test]
    fn a_copy_does_not_see_later_writes() {
        let mut a = Content::default();
        a.write(0, &[1; 100_000], u64::MAX);
        let b = a.clone();
        a.write(65_000, &[2; 1_000], u64::MAX);
        assert!(all(&b).iter().all(|byte| *byte == 1));
        assert!(!a.same_bytes(&b));
        a.write(65_000, &[1; 1_000], u64::MAX);
        assert!(a.same_bytes(&b));
    }
}
