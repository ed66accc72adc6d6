//! Which deleted and added files are one file that was moved.

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

/// Pairs deletions with additions. `all_old` are sources of copies, when those are looked for everywhere.
pub(crate) fn detect(
    repo: &Repo,
    changes: Vec<Change>,
    options: &Options,
    all_old: &[Side],
) -> Result<Vec<Change>> {
    let usable = |side: &Side| side.mode & 0o170_000 != GITLINK & 0o170_000;
    let added: Vec<usize> = (0..changes.len())
        .filter(|at| changes[*at].status == b'A' && usable(&changes[*at].new))
        .collect();
    let mut sources: Vec<(Side, bool)> = Vec::new();
    for change in &changes {
        if change.status == b'D' && usable(&change.old) {
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
    if added.is_empty() || sources.is_empty() {
        return Ok(changes);
    }
    // (addition, source, score)
    let mut pairs: Vec<(usize, usize, u32)> = Vec::new();
    let mut paired: HashSet<usize> = HashSet::new();
    let mut gone: HashSet<usize> = HashSet::new();
    exact(
        repo,
        &changes,
        &added,
        &sources,
        options,
        &mut pairs,
        &mut paired,
        &mut gone,
    )?;
    inexact(
        repo,
        &changes,
        &added,
        &sources,
        options,
        &mut pairs,
        &mut paired,
        &mut gone,
    )?;
    Ok(build(changes, &sources, pairs))
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

#[expect(
    clippy::too_many_arguments,
    reason = "the state of one search, in parts"
)]
fn exact(
    repo: &Repo,
    changes: &[Change],
    added: &[usize],
    sources: &[(Side, bool)],
    options: &Options,
    pairs: &mut Vec<(usize, usize, u32)>,
    paired: &mut HashSet<usize>,
    gone: &mut HashSet<usize>,
) -> Result<()> {
    let mut by_oid: HashMap<Oid, Vec<usize>> = HashMap::new();
    for (at, (side, _)) in sources.iter().enumerate() {
        by_oid.entry(side_oid(repo, side)?).or_default().push(at);
    }
    for &at in added {
        let new = &changes[at].new;
        let oid = side_oid(repo, new)?;
        let Some(candidates) = by_oid.get(&oid) else {
            continue;
        };
        let mut best: Option<(usize, u32)> = None;
        for &source in candidates {
            let (side, deleted) = &sources[source];
            if side.mode & 0o170_000 != new.mode & 0o170_000 {
                continue;
            }
            let free = *deleted && !gone.contains(&source);
            if !free && !options.copies {
                continue;
            }
            let score = u32::from(free) + u32::from(base_name(&side.path) == base_name(&new.path));
            if best.is_none_or(|(_, other)| score > other) {
                best = Some((source, score));
            }
        }
        if let Some((source, _)) = best {
            pairs.push((at, source, MOST));
            paired.insert(at);
            gone.insert(source);
        }
    }
    Ok(())
}

#[expect(
    clippy::too_many_arguments,
    reason = "the state of one search, in parts"
)]
fn inexact(
    repo: &Repo,
    changes: &[Change],
    added: &[usize],
    sources: &[(Side, bool)],
    options: &Options,
    pairs: &mut Vec<(usize, usize, u32)>,
    paired: &mut HashSet<usize>,
    gone: &mut HashSet<usize>,
) -> Result<()> {
    if options.rename_score >= MOST {
        return Ok(());
    }
    let free: Vec<usize> = (0..sources.len())
        .filter(|at| options.copies || (sources[*at].1 && !gone.contains(at)))
        .collect();
    let open: Vec<usize> = added
        .iter()
        .copied()
        .filter(|at| !paired.contains(at))
        .collect();
    if free.is_empty() || open.is_empty() || free.len().saturating_mul(open.len()) > LIMIT * LIMIT {
        return Ok(());
    }
    let mut old_prints = HashMap::new();
    for &source in &free {
        old_prints.insert(
            source,
            Fingerprint::new(&content(repo, &sources[source].0)?),
        );
    }
    let mut new_prints = HashMap::new();
    for &at in &open {
        new_prints.insert(at, Fingerprint::new(&content(repo, &changes[at].new)?));
    }
    let same_type = |source: usize, at: usize| {
        let (old, new) = (&sources[source].0, &changes[at].new);
        old.mode & 0o170_000 == new.mode & 0o170_000 && old.mode & 0o170_000 == 0o100_000
    };
    if !options.copies {
        // A name that only one source and one addition have is tried first, with a higher bar.
        let once = |names: Vec<(Vec<u8>, usize)>| {
            let mut map: HashMap<Vec<u8>, Option<usize>> = HashMap::new();
            for (name, at) in names {
                map.entry(name)
                    .and_modify(|found| *found = None)
                    .or_insert(Some(at));
            }
            map
        };
        let old = once(
            free.iter()
                .map(|at| (base_name(&sources[*at].0.path).to_vec(), *at))
                .collect(),
        );
        let new = once(
            open.iter()
                .map(|at| (base_name(&changes[*at].new.path).to_vec(), *at))
                .collect(),
        );
        let bar = options.rename_score + (MOST - options.rename_score) / 2;
        for (name, at) in new {
            let (Some(at), Some(Some(source))) = (at, old.get(&name).copied()) else {
                continue;
            };
            if same_type(source, at) {
                let score = old_prints[&source].similarity(&new_prints[&at], bar);
                if score >= bar {
                    pairs.push((at, source, score));
                    paired.insert(at);
                    gone.insert(source);
                }
            }
        }
    }
    let mut candidates = Vec::new();
    for &at in open.iter().filter(|at| !paired.contains(at)) {
        for &source in free
            .iter()
            .filter(|source| options.copies || !gone.contains(source))
        {
            if !same_type(source, at) {
                continue;
            }
            let score = old_prints[&source].similarity(&new_prints[&at], options.rename_score);
            if score >= options.rename_score {
                let same_name =
                    base_name(&sources[source].0.path) == base_name(&changes[at].new.path);
                candidates.push((std::cmp::Reverse(score), !same_name, at, source));
            }
        }
    }
    candidates.sort();
    for copies in [false, true] {
        for (score, _, at, source) in &candidates {
            let free = sources[*source].1 && !gone.contains(source);
            if paired.contains(at) || !(free || (copies && options.copies)) {
                continue;
            }
            pairs.push((*at, *source, score.0));
            paired.insert(*at);
            gone.insert(*source);
        }
    }
    Ok(())
}

/// The changes with pairs in the place of their additions; a source that is used last is gone, before that copied.
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
