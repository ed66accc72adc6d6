//! Things that are kept by digest while there is room: so many of them, and so many bytes. What was
//! not used for the longest time goes first.
//!
//! Invariant: the bytes of all that is kept are at most `most_bytes`, and there are at most `most`.

use std::collections::HashMap;

type Digest = [u8; 32];

/// Kept things.
pub(crate) struct Kept<T> {
    by_digest: HashMap<Digest, Entry<T>>,
    /// Counts uses, to tell which was the last.
    uses: u64,
    bytes: usize,
    most: usize,
    most_bytes: usize,
}

struct Entry<T> {
    used: u64,
    bytes: usize,
    value: T,
}

impl<T: Clone> Kept<T> {
    pub(crate) fn new(most: usize, most_bytes: usize) -> Kept<T> {
        Kept {
            by_digest: HashMap::new(),
            uses: 0,
            bytes: 0,
            most,
            most_bytes,
        }
    }

    /// The thing of a digest, used now.
    pub(crate) fn get(&mut self, digest: &Digest) -> Option<T> {
        self.uses += 1;
        let entry = self.by_digest.get_mut(digest)?;
        entry.used = self.uses;
        Some(entry.value.clone())
    }

    /// Keeps a thing that takes so many bytes, unless it alone is too large.
    pub(crate) fn insert(&mut self, digest: Digest, bytes: usize, value: T) {
        self.remove(&digest);
        if bytes > self.most_bytes || self.most == 0 {
            return;
        }
        while self.by_digest.len() >= self.most || self.bytes + bytes > self.most_bytes {
            let oldest = self.by_digest.iter().min_by_key(|(_, entry)| entry.used);
            let Some(oldest) = oldest.map(|(digest, _)| *digest) else {
                break;
            };
            self.remove(&oldest);
        }
        self.uses += 1;
        self.bytes += bytes;
        let used = self.uses;
        self.by_digest.insert(digest, Entry { used, bytes, value });
    }

    fn remove(&mut self, digest: &Digest) {
        if let Some(entry) = self.by_digest.remove(digest) {
            self.bytes -= entry.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there(kept: &mut Kept<u8>) -> Vec<u8> {
        let found = (0..10).filter(|n| kept.by_digest.contains_key(&[*n; 32]));
        found.collect()
    }

    #[test]
    fn what_was_not_used_for_the_longest_time_makes_room_for_bytes() {
        let mut kept = Kept::new(100, 100);
        for n in 0..3 {
            kept.insert([n; 32], 30, n);
        }
        assert_eq!(kept.get(&[0; 32]), Some(0));
        kept.insert([3; 32], 40, 3);
        assert_eq!((there(&mut kept), kept.bytes), (vec![0, 2, 3], 100));
        // A large one takes the place of several, one that is too large of none.
        kept.insert([4; 32], 90, 4);
        assert_eq!((there(&mut kept), kept.bytes), (vec![4], 90));
        kept.insert([5; 32], 101, 5);
        assert_eq!((there(&mut kept), kept.bytes), (vec![4], 90));
        // The same again is counted once.
        kept.insert([4; 32], 50, 4);
        assert_eq!((there(&mut kept), kept.bytes), (vec![4], 50));
    }

    #[test]
    fn there_are_only_so_many() {
        let mut kept = Kept::new(2, 100);
        for n in 0..4 {
            kept.insert([n; 32], 1, n);
        }
        assert_eq!((there(&mut kept), kept.bytes), (vec![2, 3], 2));
    }
}
