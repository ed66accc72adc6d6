//! `git status --porcelain=v2`: a line for each path, with modes and object names.

use super::State;
use super::short::{lines, unmerged_letters};
use super::tracking::ahead_behind;
use crate::index::Index;
use crate::os;
use crate::out;
use crate::repo::Repo;
use crate::revision;
use crate::stop::Result;

pub(super) fn porcelain_v2(
    repo: &Repo,
    index: &Index,
    state: &State,
    zero: bool,
    branch: bool,
    stash: bool,
) -> Result<()> {
    let end: &[u8] = if zero { b"\0" } else { b"\n" };
    let put = |text: &[u8]| {
        out::put(text);
        out::put(end);
    };
    let quote = |path: &[u8]| {
        if zero {
            path.to_vec()
        } else {
            repo.quote(path)
        }
    };
    if branch {
        let head = repo
            .head()
            .map_or("(initial)".to_owned(), |head| head.hex());
        put(format!("# branch.oid {head}").as_bytes());
        let name = repo.branch();
        put(&[b"# branch.head ", name.as_deref().unwrap_or(b"(detached)")].concat());
        if let Some(upstream) = name
            .as_ref()
            .and_then(|name| revision::upstream(repo, name))
        {
            put(&[b"# branch.upstream ", crate::cmd::short_ref(&upstream)].concat());
            if let Some((theirs, ours)) = repo.refs.resolve(&upstream).zip(repo.head()) {
                let (ahead, behind) = ahead_behind(repo, ours, theirs)?;
                put(format!("# branch.ab +{ahead} -{behind}").as_bytes());
            }
        }
    }
    let stashes = repo.refs.read_log(b"refs/stash").len();
    if stash && stashes > 0 {
        put(format!("# stash {stashes}").as_bytes());
    }
    let dot = |letter: u8| if letter == b' ' { '.' } else { letter as char };
    for (path, line) in lines(state) {
        let entry = index.get(&path);
        let (head_mode, head_oid) = match (&line.staged, entry) {
            (Some(change), _) => (change.old.mode, change.old.oid),
            (None, Some(entry)) => (entry.mode, entry.oid),
            (None, None) => (0, crate::oid::Oid::NULL),
        };
        let (index_mode, index_oid) =
            entry.map_or((0, crate::oid::Oid::NULL), |entry| (entry.mode, entry.oid));
        let tree_mode = line
            .unstaged
            .as_ref()
            .map_or(index_mode, |change| change.new.mode);
        let common = format!(
            "{}{} N... {head_mode:06o} {index_mode:06o} {tree_mode:06o} {head_oid} {index_oid}",
            dot(line.x),
            dot(line.y)
        );
        match &line.old {
            Some(old) => {
                let change = line
                    .staged
                    .as_ref()
                    .filter(|change| change.status != b'M')
                    .or(line.unstaged.as_ref());
                let score = change.map_or(0, |change| crate::diff::patch::percent(change.score));
                let kind = change.map_or('R', |change| change.status as char);
                let separator: &[u8] = if zero { b"\0" } else { b"\t" };
                put(&[
                    format!("2 {common} {kind}{score} ").as_bytes(),
                    &quote(&path),
                    separator,
                    &quote(old),
                ]
                .concat());
            }
            None => put(&[format!("1 {common} ").as_bytes(), &quote(&path)].concat()),
        }
    }
    for (path, bits) in &state.unmerged {
        let stages = index.stages(path);
        let part = |at: usize| {
            stages[at].map_or((0, crate::oid::Oid::NULL), |entry| (entry.mode, entry.oid))
        };
        let (a, b, c) = (part(1), part(2), part(3));
        let mode = os::lstat(path).map_or(0, |found| crate::object::canonical_mode(found.mode));
        put(&[
            format!(
                "u {} N... {:06o} {:06o} {:06o} {mode:06o} {} {} {} ",
                unmerged_letters(*bits),
                a.0,
                b.0,
                c.0,
                a.1,
                b.1,
                c.1
            )
            .as_bytes(),
            &quote(path),
        ]
        .concat());
    }
    for (paths, mark) in [(&state.untracked, "? "), (&state.ignored, "! ")] {
        for path in paths {
            put(&[mark.as_bytes(), &quote(path)].concat());
        }
    }
    Ok(())
}
