//! Walking through history: ranges, order, merge bases.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use crate::object::Commit;
use crate::oid::Oid;
use crate::repo::Repo;
use crate::stop::Result;

/// In which order commits come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Order {
    /// By date as they are met.
    #[default]
    Default,
    /// No parent before its children, lines of history kept together.
    Topological,
    /// No parent before its children, by date otherwise.
    Date,
    /// No parent before its children, by the author's date otherwise.
    AuthorDate,
}

/// Commits from these on, newest first.
pub(crate) fn by_date(repo: &Repo, starts: &[Oid]) -> Result<Vec<Commit>> {
    range(repo, starts, &[], false)
}

/// The commits that `starts` lead to and `without` do not, newest first.
pub(crate) fn range(
    repo: &Repo,
    starts: &[Oid],
    without: &[Oid],
    first_parent: bool,
) -> Result<Vec<Commit>> {
    let hidden = ancestors(repo, without)?;
    let mut queue = BinaryHeap::new();
    let mut loaded: HashMap<Oid, Commit> = HashMap::new();
    let mut seen = HashSet::new();
    let mut number = 0u64;
    let mut push =
        |oid: Oid, queue: &mut BinaryHeap<_>, loaded: &mut HashMap<Oid, Commit>| -> Result<()> {
            if hidden.contains(&oid) || !seen.insert(oid) {
                return Ok(());
            }
            let commit = Commit::read(&repo.objects, &oid)?;
            number += 1;
            queue.push((commit.time(), Reverse(number), oid));
            loaded.insert(oid, commit);
            Ok(())
        };
    for start in starts {
        push(*start, &mut queue, &mut loaded)?;
    }
    let mut found = Vec::new();
    while let Some((_, _, oid)) = queue.pop() {
        let Some(commit) = loaded.remove(&oid) else {
            continue;
        };
        let most = if first_parent { 1 } else { usize::MAX };
        for parent in commit.parents.iter().take(most) {
            push(*parent, &mut queue, &mut loaded)?;
        }
        found.push(commit);
    }
    Ok(found)
}

/// These commits and all that they lead to.
pub(crate) fn ancestors(repo: &Repo, starts: &[Oid]) -> Result<HashSet<Oid>> {
    let mut seen: HashSet<Oid> = starts.iter().copied().collect();
    let mut todo: Vec<Oid> = starts.to_vec();
    while let Some(oid) = todo.pop() {
        for parent in Commit::read(&repo.objects, &oid)?.parents {
            if seen.insert(parent) {
                todo.push(parent);
            }
        }
    }
    Ok(seen)
}

/// Whether one commit leads to another, or is it.
pub(crate) fn is_ancestor(repo: &Repo, old: Oid, new: Oid) -> Result<bool> {
    if old == new {
        return Ok(true);
    }
    // The newest first: what is looked for is mostly near. A parent may be newer than its child,
    // where a clock was wrong, so that dates do not end the search.
    let time = |oid: &Oid| Commit::read(&repo.objects, oid).map(|commit| commit.time());
    let mut seen = HashSet::from([new]);
    let mut todo = BinaryHeap::from([(time(&new)?, new)]);
    while let Some((_, oid)) = todo.pop() {
        for parent in Commit::read(&repo.objects, &oid)?.parents {
            if parent == old {
                return Ok(true);
            }
            if seen.insert(parent) {
                todo.push((time(&parent)?, parent));
            }
        }
    }
    Ok(false)
}

/// The best common ancestors of two commits, newest first.
pub(crate) fn merge_bases(repo: &Repo, one: Oid, two: Oid) -> Result<Vec<Oid>> {
    if one == two {
        return Ok(vec![one]);
    }
    const ONE: u8 = 1;
    const TWO: u8 = 2;
    const STALE: u8 = 4;
    let mut flags: HashMap<Oid, u8> = HashMap::from([(one, ONE), (two, TWO)]);
    let mut queue = BinaryHeap::new();
    for oid in [one, two] {
        queue.push((Commit::read(&repo.objects, &oid)?.time(), oid));
    }
    let mut found: Vec<(i64, Oid)> = Vec::new();
    while queue
        .iter()
        .any(|(_, oid)| flags.get(oid).is_some_and(|flag| flag & STALE == 0))
    {
        let Some((time, oid)) = queue.pop() else {
            break;
        };
        let mut flag = flags.get(&oid).copied().unwrap_or(0);
        if flag & (ONE | TWO) == ONE | TWO && flag & STALE == 0 {
            if !found.iter().any(|(_, base)| *base == oid) {
                found.push((time, oid));
            }
            flag |= STALE;
        }
        for parent in Commit::read(&repo.objects, &oid)?.parents {
            let old = flags.get(&parent).copied().unwrap_or(0);
            if old & flag == flag {
                continue;
            }
            flags.insert(parent, old | flag);
            queue.push((Commit::read(&repo.objects, &parent)?.time(), parent));
        }
    }
    found.retain(|(_, oid)| {
        flags.get(oid).is_some_and(|flag| flag & STALE == 0) || found_is_base(&flags, oid)
    });
    found.sort_by_key(|(time, _)| Reverse(*time));
    let mut bases: Vec<Oid> = found.into_iter().map(|(_, oid)| oid).collect();
    // One that another leads to is not best.
    if bases.len() > 1 {
        let all = bases.clone();
        let mut kept = Vec::new();
        for base in &all {
            let mut redundant = false;
            for other in all.iter().filter(|other| *other != base) {
                redundant |= is_ancestor(repo, *base, *other)?;
            }
            if !redundant {
                kept.push(*base);
            }
        }
        bases = kept;
    }
    Ok(bases)
}

fn found_is_base(flags: &HashMap<Oid, u8>, oid: &Oid) -> bool {
    flags.get(oid).is_some_and(|flag| flag & 3 == 3)
}

/// Puts commits into an order in which no parent comes before its children.
///
/// `commits` come newest first; parents that are not among them do not count.
pub(crate) fn sort(commits: Vec<Commit>, order: Order) -> Vec<Commit> {
    if order == Order::Default {
        return commits;
    }
    let mut children: HashMap<Oid, usize> = commits.iter().map(|commit| (commit.oid, 0)).collect();
    for commit in &commits {
        for parent in &commit.parents {
            if let Some(count) = children.get_mut(parent) {
                *count += 1;
            }
        }
    }
    let key = |commit: &Commit| match order {
        Order::AuthorDate => crate::object::who_time(&commit.author).0,
        _ => commit.time(),
    };
    let keys: Vec<Oid> = commits.iter().map(|commit| commit.oid).collect();
    let mut by_oid: HashMap<Oid, Commit> = commits
        .into_iter()
        .map(|commit| (commit.oid, commit))
        .collect();
    let mut sorted = Vec::with_capacity(keys.len());
    let tips: Vec<Oid> = keys
        .iter()
        .copied()
        .filter(|oid| children.get(oid) == Some(&0))
        .collect();
    let mut stack: Vec<Oid> = Vec::new();
    let mut heap = BinaryHeap::new();
    let mut number = 0u64;
    if order == Order::Topological {
        stack.extend(tips.into_iter().rev());
    } else {
        for oid in tips {
            number += 1;
            heap.push((by_oid.get(&oid).map_or(0, key), Reverse(number), oid));
        }
    }
    loop {
        let next = if order == Order::Topological {
            stack.pop()
        } else {
            heap.pop().map(|(_, _, oid)| oid)
        };
        let Some(commit) = next.and_then(|oid| by_oid.remove(&oid)) else {
            if next.is_some() {
                continue;
            }
            break;
        };
        for parent in &commit.parents {
            let Some(count) = children.get_mut(parent) else {
                continue;
            };
            *count = count.saturating_sub(1);
            if *count == 0 {
                number += 1;
                match order {
                    Order::Topological => stack.push(*parent),
                    _ => heap.push((by_oid.get(parent).map_or(0, key), Reverse(number), *parent)),
                }
            }
        }
        sorted.push(commit);
    }
    sorted
}
