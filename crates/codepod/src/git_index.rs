//! The index of git, read as far as it tells what is staged; what it remembers of files is a
//! cache, and two indexes that differ in nothing else say the same.
//!
//! Versions 2 to 4, with names of objects as SHA-1. What is none of these is not understood, and
//! its callers then compare bytes.

use std::collections::HashMap;

use sha1::{Digest as _, Sha1};

/// A larger index is not read.
pub(crate) const LARGEST: u64 = 64 << 20;
/// A longer path is none.
const LONGEST_PATH: usize = 4096;
/// Paths may have so many bytes together: version 4 shares their beginnings.
const MOST_PATHS: usize = 256 << 20;
/// Of an entry's time of change on: times, device and inode number.
const TIMES: std::ops::Range<usize> = 0..24;
/// Owner, group and size.
const OWNER: std::ops::Range<usize> = 28..40;
const SUM: usize = 20;

/// A path that is staged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) path: Vec<u8>,
    pub(crate) mode: u32,
    oid: [u8; 20],
    /// Stage, assumed valid, and whatever else is no length.
    flags: (u16, u16),
    /// Where it begins in the file.
    at: usize,
}

impl Entry {
    fn staged(&self) -> (&[u8], u32, [u8; 20], (u16, u16)) {
        (&self.path, self.mode, self.oid, self.flags)
    }
}

/// The entries of an index; `None` if it is not understood.
pub(crate) fn parse(data: &[u8]) -> Option<Vec<Entry>> {
    let body = data.len().checked_sub(SUM)?;
    let version = word(data, 4)?;
    if !data.starts_with(b"DIRC") || !(2..=4).contains(&version) {
        return None;
    }
    if data[body..] != [0; SUM] && Sha1::digest(&data[..body])[..] != data[body..] {
        return None;
    }
    let count = word(data, 8)?;
    let mut entries: Vec<Entry> = Vec::new();
    let (mut at, mut bytes) = (12, 0);
    for _ in 0..count {
        let last = entries.last().map_or(&b""[..], |entry| &entry.path);
        let (entry, next) = entry(data.get(..body)?, at, version, last)?;
        bytes += entry.path.len();
        if entry.path.len() > LONGEST_PATH || bytes > MOST_PATHS {
            return None;
        }
        entries.push(entry);
        at = next;
    }
    // Extensions in capitals may be passed over; others change what the entries mean.
    while at + 8 <= body {
        if !data[at].is_ascii_uppercase() {
            return None;
        }
        at = at
            .checked_add(8)?
            .checked_add(word(data, at + 4)? as usize)?;
    }
    Some(entries)
}

fn entry(data: &[u8], at: usize, version: u32, last: &[u8]) -> Option<(Entry, usize)> {
    let mode = word(data, at + 24)?;
    let oid = data.get(at + 40..at + 60)?.try_into().ok()?;
    let flags = half(data, at + 60)?;
    let mut from = at + 62;
    let mut more = 0;
    if flags & 0x4000 != 0 {
        more = half(data, from)?;
        from += 2;
    }
    let mut path = Vec::new();
    if version == 4 {
        let (strip, after) = shared(data, from)?;
        path.extend_from_slice(last.get(..last.len().checked_sub(strip)?)?);
        from = after;
    }
    let end = from + data.get(from..)?.iter().position(|byte| *byte == 0)?;
    path.extend_from_slice(&data[from..end]);
    let next = match version {
        4 => end + 1,
        _ => at + ((end - at + 8) & !7),
    };
    let flags = (flags & 0xf000, more);
    let entry = Entry {
        path,
        mode,
        oid,
        flags,
        at,
    };
    Some((entry, next))
}

/// How much of the path before is not in the next, in version 4, and where that goes on.
fn shared(data: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut strip = 0usize;
    for turn in 0..4 {
        let byte = *data.get(at)?;
        at += 1;
        strip = ((strip + usize::from(turn > 0)) << 7) | usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((strip, at));
        }
    }
    None
}

/// Whether two indexes stage the same; `None` if one of them is not understood.
pub(crate) fn same(one: &[u8], two: &[u8]) -> Option<bool> {
    if one == two {
        return Some(true);
    }
    let (one, two) = (parse(one)?, parse(two)?);
    let staged = |entries: &[Entry], n: usize| entries.get(n).cloned();
    Some(
        one.len() == two.len() && {
            let mut pairs = (0..one.len()).map(|n| (staged(&one, n), staged(&two, n)));
            pairs.all(|(a, b)| a.zip(b).is_some_and(|(a, b)| a.staged() == b.staged()))
        },
    )
}

/// The sandbox's index with what the host's remembers of files that both have staged alike, so
/// that git need not read them again; of others nothing is remembered. `written` is when the host's
/// was: what is as young as that may have changed since without a trace.
pub(crate) fn refreshed(ours: &[u8], host: &[u8], written: u64) -> Option<Vec<u8>> {
    let known: HashMap<_, usize> = parse(host)?
        .into_iter()
        .map(|entry| ((entry.path, entry.mode, entry.oid, entry.flags), entry.at))
        .collect();
    let mut new = ours.to_vec();
    for entry in parse(ours)? {
        let at = entry.at;
        let key = (entry.path, entry.mode, entry.oid, entry.flags);
        let from = known.get(&key).filter(|from| {
            let seconds = word(host, **from + 8).unwrap_or(u32::MAX);
            let nanoseconds = word(host, **from + 12).unwrap_or(u32::MAX);
            u64::from(seconds) * 1_000_000_000 + u64::from(nanoseconds) < written
        });
        for range in [TIMES, OWNER] {
            let place = at + range.start..at + range.end;
            match from {
                Some(from) => {
                    let old = &host[from + range.start..from + range.end];
                    new[place].copy_from_slice(old);
                }
                None => new[place].fill(0),
            }
        }
    }
    let body = new.len() - SUM;
    let sum = Sha1::digest(&new[..body]);
    new[body..].copy_from_slice(&sum);
    Some(new)
}

fn word(data: &[u8], at: usize) -> Option<u32> {
    let bytes = data.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(bytes.try_into().ok()?))
}

fn half(data: &[u8], at: usize) -> Option<u16> {
    let bytes = data.get(at..at.checked_add(2)?)?;
    Some(u16::from_be_bytes(bytes.try_into().ok()?))
}
