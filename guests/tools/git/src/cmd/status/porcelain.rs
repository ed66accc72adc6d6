//! `git status --porcelain=v2`: a line for each path, with modes and object names.

use super::State;
use super::lines::{Line, lines, unmerged_letters};
use super::tracking::ahead_behind;
use crate::cmd::short_ref;
use crate::diff::patch::percent;
use crate::index::{Entry, Index};
use crate::object::canonical_mode;
use crate::oid::Oid;
use crate::os;
use crate::out;
use crate::repo::Repo;
use crate::revision;
use crate::stop::Result;

/// What the lines are made from.
pub(super) struct Porcelain<'a> {
    pub(super) repo: &'a Repo,
    pub(super) index: &'a Index,
    /// Lines end with NUL, and nothing is quoted.
    pub(super) zero: bool,
}

impl Porcelain<'_> {
    /// Prints all lines; those for the branch and the stash where they are asked for.
    pub(super) fn print(&self, state: &State, branch: bool, stash: bool) -> Result<()> {
        if branch {
            self.branch()?;
        }
        let stashes = self.repo.refs.read_log(b"refs/stash").len();
        if stash && stashes > 0 {
            self.put(format!("# stash {stashes}").as_bytes());
        }
        for (path, line) in lines(state) {
            self.changed(&path, &line);
        }
        for (path, bits) in &state.unmerged {
            self.unmerged(path, *bits);
        }
        for path in &state.untracked {
            self.put(&[b"? ", &self.quote(path)[..]].concat());
        }
        for path in &state.ignored {
            self.put(&[b"! ", &self.quote(path)[..]].concat());
        }
        Ok(())
    }

    fn put(&self, text: &[u8]) {
        out::put(text);
        out::put(if self.zero { b"\0" } else { b"\n" });
    }

    fn quote(&self, path: &[u8]) -> Vec<u8> {
        match self.zero {
            true => path.to_vec(),
            false => self.repo.quote(path),
        }
    }

    fn branch(&self) -> Result<()> {
        let repo = self.repo;
        let head = repo.head();
        let name = repo.branch();
        let oid = head.map_or("(initial)".to_owned(), |head| head.hex());
        self.put(format!("# branch.oid {oid}").as_bytes());
        self.put(&[b"# branch.head ", name.as_deref().unwrap_or(b"(detached)")].concat());
        let Some(upstream) = name.and_then(|name| revision::upstream(repo, &name)) else {
            return Ok(());
        };
        self.put(&[b"# branch.upstream ", short_ref(&upstream)].concat());
        if let Some((theirs, ours)) = repo.refs.resolve(&upstream).zip(head) {
            let (ahead, behind) = ahead_behind(repo, ours, theirs)?;
            self.put(format!("# branch.ab +{ahead} -{behind}").as_bytes());
        }
        Ok(())
    }

    /// A path that was changed, renamed or copied.
    fn changed(&self, path: &[u8], line: &Line) {
        let entry = self.index.get(path);
        let (index_mode, index_oid) = item(entry);
        let (head_mode, head_oid) = match &line.staged {
            Some(change) => (change.old.mode, change.old.oid),
            None => (index_mode, index_oid),
        };
        let tree_mode = match &line.unstaged {
            Some(change) => change.new.mode,
            None => index_mode,
        };
        let dot = |letter: u8| if letter == b' ' { '.' } else { letter as char };
        let common = format!(
            "{}{} N... {head_mode:06o} {index_mode:06o} {tree_mode:06o} {head_oid} {index_oid}",
            dot(line.x),
            dot(line.y)
        );
        let path = self.quote(path);
        let Some(old) = &line.old else {
            self.put(&[format!("1 {common} ").as_bytes(), &path].concat());
            return;
        };
        let staged = line.staged.as_ref().filter(|change| change.status != b'M');
        let change = staged.or(line.unstaged.as_ref());
        let score = change.map_or(0, |change| percent(change.score));
        let kind = change.map_or('R', |change| change.status as char);
        let head = format!("2 {common} {kind}{score} ");
        let separator: &[u8] = if self.zero { b"\0" } else { b"\t" };
        self.put(&[head.as_bytes(), &path, separator, &self.quote(old)].concat());
    }

    /// A path in conflict.
    fn unmerged(&self, path: &[u8], bits: u8) {
        let stages = self.index.stages(path);
        let [a, b, c] = [1, 2, 3].map(|at| item(stages[at]));
        let mode = os::lstat(path).map_or(0, |found| canonical_mode(found.mode));
        let head = format!(
            "u {} N... {:06o} {:06o} {:06o} {mode:06o} {} {} {} ",
            unmerged_letters(bits),
            a.0,
            b.0,
            c.0,
            a.1,
            b.1,
            c.1
        );
        self.put(&[head.as_bytes(), &self.quote(path)].concat());
    }
}

/// Mode and object of an entry; nulls where there is none.
fn item(entry: Option<&Entry>) -> (u32, Oid) {
    entry.map_or((0, Oid::NULL), |entry| (entry.mode, entry.oid))
}
