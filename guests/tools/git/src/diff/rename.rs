//! Which deleted and added files are one file that was moved.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::change::{Change, Side, content};
use super::options::Options;
use super::patch::is_binary;
use crate::object::GITLINK;
use crate::oid::Oid;
use crate::repo::Repo;
use crate::stop::Result;

/// A whole score.
pub(crate) const MOST: u32 = 60_000;
/// How many pairs are compared.
const LIMIT: usize = 1000;

/// Pairs deletions with additions.
///
/// `all_old` are sources of copies, when those are looked for everywhere.
pub(crate) fn detect(
    repo: &Repo,
    changes: Vec<Change>,
    options: &Options,
    all_old: &[Side],
) -> Result<Vec<Change>> {
    let added: Vec<usize> = (0..changes.len())
        .filter(|at| changes[*at].status == b'A' && is_usable(&changes[*at].new))
        .collect();
    let sources = sources(&changes, options, all_old);
    if added.is_empty() || sources.is_empty() {
        return Ok(changes);
    }
    let mut search = Search {
        repo,
        changes: &changes,
        added: &added,
        sources: &sources,
        options,
        pairs: Vec::new(),
        paired: HashSet::new(),
        gone: HashSet::new(),
    };
    search.exact()?;
    search.inexact()?;
    let pairs = search.pairs;
    Ok(build(changes, &sources, pairs))
}

fn is_usable(side: &Side) -> bool {
    side.mode & 0o170_000 != GITLINK & 0o170_000
}

/// The files that additions may come from, and whether they are deleted.
fn sources(changes: &[Change], options: &Options, all_old: &[Side]) -> Vec<(Side, bool)> {
    let mut sources: Vec<(Side, bool)> = Vec::new();
    for change in changes {
        if change.status == b'D' && is_usable(&change.old) {
            sources.push((change.old.clone(), true));
        } else if options.copies && matches!(change.status, b'M' | b'T') {
            sources.push((change.old.clone(), false));
        }
    }
    if options.copies_harder {
        let known: HashSet<Vec<u8>> = sources.iter().map(|(side, _)| side.path.clone()).collect();
        sources.extend(
            all_old
                .iter()
                .filter(|side| !known.contains(&side.path))
                .map(|side| (side.clone(), false)),
        );
    }
    sources
}

fn side_oid(repo: &Repo, side: &Side) -> Result<Oid> {
    if side.oid.is_null() {
        super::change::hash_file(repo, &side.path)
    } else {
        Ok(side.oid)
    }
}

fn base_name(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}

/// A search for pairs, as far as it is.
struct Search<'a> {
    repo: &'a Repo,
    changes: &'a [Change],
    /// Places of additions among the changes.
    added: &'a [usize],
    sources: &'a [(Side, bool)],
    options: &'a Options,
    /// Addition, source, score.
    pairs: Vec<(usize, usize, u32)>,
    /// Additions that have a source.
    paired: HashSet<usize>,
    /// Sources that have an addition.
    gone: HashSet<usize>,
}

/// Additions and sources that are compared by content.
struct Prints {
    open: Vec<usize>,
    free: Vec<usize>,
    new: HashMap<usize, Fingerprint>,
    old: HashMap<usize, Fingerprint>,
}

impl Search<'_> {
    fn pair(&mut self, at: usize, source: usize, score: u32) {
        self.pairs.push((at, source, score));
        self.paired.insert(at);
        self.gone.insert(source);
    }

    /// Whether a deleted file was not found elsewhere yet.
    fn is_free(&self, source: usize) -> bool {
        self.sources[source].1 && !self.gone.contains(&source)
    }

    fn same_name(&self, source: usize, at: usize) -> bool {
        base_name(&self.sources[source].0.path) == base_name(&self.changes[at].new.path)
    }

    /// Whether both are regular files.
    fn same_type(&self, source: usize, at: usize) -> bool {
        let (old, new) = (&self.sources[source].0, &self.changes[at].new);
        old.mode & 0o170_000 == new.mode & 0o170_000 && old.mode & 0o170_000 == 0o100_000
    }

    /// Pairs files with the same content.
    fn exact(&mut self) -> Result<()> {
        let mut by_oid: HashMap<Oid, Vec<usize>> = HashMap::new();
        for (at, (side, _)) in self.sources.iter().enumerate() {
            let oid = side_oid(self.repo, side)?;
            by_oid.entry(oid).or_default().push(at);
        }
        for &at in self.added {
            let new = &self.changes[at].new;
            let oid = side_oid(self.repo, new)?;
            let Some(candidates) = by_oid.get(&oid) else {
                continue;
            };
            let mut best: Option<(usize, u32)> = None;
            for &source in candidates {
                let side = &self.sources[source].0;
                let free = self.is_free(source);
                if side.mode & 0o170_000 != new.mode & 0o170_000 || !(free || self.options.copies) {
                    continue;
                }
                let score = u32::from(free) + u32::from(self.same_name(source, at));
                if best.is_none_or(|(_, other)| score > other) {
                    best = Some((source, score));
                }
            }
            if let Some((source, _)) = best {
                self.pair(at, source, MOST);
            }
        }
        Ok(())
    }

    /// Pairs files with similar content.
    fn inexact(&mut self) -> Result<()> {
        if self.options.rename_score >= MOST {
            return Ok(());
        }
        let Some(prints) = self.prints()? else {
            return Ok(());
        };
        if !self.options.copies {
            self.by_name(&prints);
        }
        self.by_content(&prints);
        Ok(())
    }

    /// What is left to compare; none when there is nothing, or too much.
    fn prints(&self) -> Result<Option<Prints>> {
        let free: Vec<usize> = (0..self.sources.len())
            .filter(|at| self.options.copies || self.is_free(*at))
            .collect();
        let added = self.added.iter().copied();
        let open: Vec<usize> = added.filter(|at| !self.paired.contains(at)).collect();
        let count = free.len().saturating_mul(open.len());
        if count == 0 || count > LIMIT * LIMIT {
            return Ok(None);
        }
        let print = |side: &Side| content(self.repo, side).map(|text| Fingerprint::new(&text));
        let mut old = HashMap::new();
        for &source in &free {
            old.insert(source, print(&self.sources[source].0)?);
        }
        let mut new = HashMap::new();
        for &at in &open {
            new.insert(at, print(&self.changes[at].new)?);
        }
        Ok(Some(Prints {
            open,
            free,
            new,
            old,
        }))
    }

    /// A name that only one source and one addition have is tried first, with a higher bar.
    fn by_name(&mut self, prints: &Prints) {
        let once = |names: &mut dyn Iterator<Item = (Vec<u8>, usize)>| {
            let mut map: HashMap<Vec<u8>, Option<usize>> = HashMap::new();
            for (name, at) in names {
                map.entry(name)
                    .and_modify(|found| *found = None)
                    .or_insert(Some(at));
            }
            map
        };
        let old_name = |at: &usize| (base_name(&self.sources[*at].0.path).to_vec(), *at);
        let new_name = |at: &usize| (base_name(&self.changes[*at].new.path).to_vec(), *at);
        let old = once(&mut prints.free.iter().map(old_name));
        let new = once(&mut prints.open.iter().map(new_name));
        let least = self.options.rename_score;
        let bar = least + (MOST - least) / 2;
        for (name, at) in new {
            let (Some(at), Some(Some(source))) = (at, old.get(&name).copied()) else {
                continue;
            };
            if self.same_type(source, at) {
                let score = prints.old[&source].similarity(&prints.new[&at], bar);
                if score >= bar {
                    self.pair(at, source, score);
                }
            }
        }
    }

    /// Everything is compared with everything, and the most similar are paired first.
    fn by_content(&mut self, prints: &Prints) {
        let least = self.options.rename_score;
        let mut candidates = Vec::new();
        for &at in prints.open.iter().filter(|at| !self.paired.contains(at)) {
            for &source in &prints.free {
                let is_open = self.options.copies || !self.gone.contains(&source);
                if !is_open || !self.same_type(source, at) {
                    continue;
                }
                let score = prints.old[&source].similarity(&prints.new[&at], least);
                if score >= least {
                    let same_name = self.same_name(source, at);
                    candidates.push((Reverse(score), !same_name, at, source));
                }
            }
        }
        candidates.sort();
        for copies in [false, true] {
            for (Reverse(score), _, at, source) in &candidates {
                let may = self.is_free(*source) || (copies && self.options.copies);
                if may && !self.paired.contains(at) {
                    self.pair(*at, *source, *score);
                }
            }
        }
    }
}

/// The changes with pairs in the place of their additions; a source that is used last is gone,
/// before that copied.
fn build(
    changes: Vec<Change>,
    sources: &[(Side, bool)],
    pairs: Vec<(usize, usize, u32)>,
) -> Vec<Change> {
    let by_addition: BTreeMap<usize, (usize, u32)> = pairs
        .into_iter()
        .map(|(at, source, score)| (at, (source, score)))
        .collect();
    // The last addition in path order takes the file itself.
    let mut takers: HashMap<usize, usize> = HashMap::new();
    for (at, (source, _)) in &by_addition {
        if sources[*source].1 {
            takers.insert(*source, *at);
        }
    }
    let moved: HashSet<&[u8]> = takers
        .keys()
        .map(|source| &sources[*source].0.path[..])
        .collect();
    let mut out = Vec::new();
    for (at, change) in changes.iter().enumerate() {
        if change.status == b'D' && moved.contains(&change.old.path[..]) {
            continue;
        }
        match by_addition.get(&at) {
            Some((source, score)) => {
                let status = if takers.get(source) == Some(&at) {
                    b'R'
                } else {
                    b'C'
                };
                let old = sources[*source].0.clone();
                out.push(Change {
                    old,
                    new: change.new.clone(),
                    status,
                    score: *score,
                    dissimilarity: None,
                });
            }
            None => out.push(change.clone()),
        }
    }
    out
}

/// How often which piece of a text occurs.
struct Fingerprint {
    size: u64,
    /// Sorted by piece: bytes that it takes.
    pieces: Vec<(u32, u64)>,
}

impl Fingerprint {
    fn new(text: &[u8]) -> Fingerprint {
        let is_text = !is_binary(text);
        let mut counts: HashMap<u32, u64> = HashMap::new();
        let (mut low, mut high, mut length) = (0u32, 0u32, 0u64);
        let mut bytes = text.iter().copied().peekable();
        let mut flush = |low: &mut u32, high: &mut u32, length: &mut u64| {
            let piece = low.wrapping_add(high.wrapping_mul(0x61)) % 107_927;
            *counts.entry(piece).or_default() += *length;
            (*low, *high, *length) = (0, 0, 0);
        };
        while let Some(byte) = bytes.next() {
            if is_text && byte == b'\r' && bytes.peek() == Some(&b'\n') {
                continue;
            }
            let before = low;
            low = ((low << 7) ^ (high >> 25)).wrapping_add(u32::from(byte));
            high = (high << 7) ^ (before >> 25);
            length += 1;
            if length >= 64 || byte == b'\n' {
                flush(&mut low, &mut high, &mut length);
            }
        }
        if length > 0 {
            flush(&mut low, &mut high, &mut length);
        }
        let mut pieces: Vec<(u32, u64)> = counts.into_iter().collect();
        pieces.sort_unstable();
        Fingerprint {
            size: text.len() as u64,
            pieces,
        }
    }

    /// How much of both is the same, of [`MOST`].
    fn similarity(&self, other: &Fingerprint, least: u32) -> u32 {
        let larger = self.size.max(other.size);
        let smaller = self.size.min(other.size);
        if larger * u64::from(MOST - least) < (larger - smaller) * u64::from(MOST)
            || larger == 0
            || smaller == 0
        {
            return 0;
        }
        let (mut a, mut b, mut same) = (0, 0, 0);
        while a < self.pieces.len() && b < other.pieces.len() {
            match self.pieces[a].0.cmp(&other.pieces[b].0) {
                std::cmp::Ordering::Less => a += 1,
                std::cmp::Ordering::Greater => b += 1,
                std::cmp::Ordering::Equal => {
                    same += self.pieces[a].1.min(other.pieces[b].1);
                    a += 1;
                    b += 1;
                }
            }
        }
        (same * u64::from(MOST) / larger) as u32
    }
}
