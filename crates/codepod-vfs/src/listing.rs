//! Listings of directories that keep no cookies of their own: the host's, `/proc`, overlays.
//!
//! An entry's cookie is a hash of its name, so it stays while the directory changes around it: a
//! listing that goes on from a cookie neither repeats an entry nor misses one that was there all
//! the time, and it ends, since cookies only grow and there are no more than names. Of two names
//! with the same hash, one could be missing when a listing pauses between them; at 63 bits that
//! takes a directory made for it, and hides only from who made it.

use crate::node::{DirEntryRef, DirSink, FileKind, InodeId};

/// One entry of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) cookie: u64,
    pub(crate) name: Vec<u8>,
    pub(crate) inode: InodeId,
    pub(crate) kind: FileKind,
}

/// The entries of a directory, ordered by cookie.
#[derive(Debug, Clone, Default)]
pub(crate) struct Listing {
    entries: Vec<Listed>,
}

impl Listing {
    pub(crate) fn new(entries: impl IntoIterator<Item = (Vec<u8>, InodeId, FileKind)>) -> Listing {
        let mut entries: Vec<Listed> = entries
            .into_iter()
            .map(|(name, inode, kind)| Listed {
                cookie: cookie_of(&name),
                name,
                inode,
                kind,
            })
            .collect();
        entries.sort_unstable_by(|a, b| (a.cookie, &a.name).cmp(&(b.cookie, &b.name)));
        Listing { entries }
    }

    /// Hands out the entries from `cookie` to `until`.
    pub(crate) fn send(&self, cookie: u64, until: u64, sink: DirSink<'_>) {
        let start = self.entries.partition_point(|entry| entry.cookie < cookie);
        for entry in self.entries[start..]
            .iter()
            .take_while(|entry| entry.cookie < until)
        {
            let next = entry.cookie + 1;
            let (name, inode, kind) = (&entry.name[..], entry.inode.0, entry.kind);
            if !sink(DirEntryRef {
                name,
                inode,
                kind,
                next,
            }) {
                break;
            }
        }
    }
}

/// A number from 2 to 2^63 for a name: FNV-1a, well mixed.
fn cookie_of(name: &[u8]) -> u64 {
    2 + (hash(0, name) >> 1) % ((1 << 63) - 4)
}

/// A plain hash; equal on every machine.
pub(crate) fn hash(seed: u64, bytes: &[u8]) -> u64 {
    let mut state = 0xcbf2_9ce4_8422_2325 ^ seed;
    for byte in bytes {
        state = (state ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    // FS-14
    #[test]
    fn fs_14_a_listing_in_steps_gives_every_entry_once() {
        let names: Vec<Vec<u8>> = (0..500).map(|n| format!("file{n}").into_bytes()).collect();
        let listing = Listing::new(
            names
                .iter()
                .map(|n| (n.clone(), InodeId(1), FileKind::File)),
        );
        let (mut seen, mut cookie) = (Vec::new(), 0);
        loop {
            let before = seen.len();
            listing.send(cookie, u64::MAX, &mut |entry| {
                if seen.len() == before + 7 {
                    return false;
                }
                seen.push(entry.name.to_vec());
                cookie = entry.next;
                true
            });
            if seen.len() == before {
                break;
            }
        }
        seen.sort();
        let mut names = names;
        names.sort();
        assert_eq!(seen, names);
    }
}
