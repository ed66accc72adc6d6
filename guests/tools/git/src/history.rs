//! Which commits a command is about: ranges, limits, paths. `log`, `rev-list`, `shortlog` and
//! `format-patch` share it.

use std::collections::{HashMap, HashSet};

use crate::args::name_and_value;
use crate::date;
use crate::diff::change;
use crate::object::Commit;
use crate::oid::{Kind, Oid};
use crate::os;
use crate::pathspec::Pathspec;
use crate::pattern::{self, Pattern};
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, Stop, fatal, show};
use crate::walk::{self, Order};
use crate::wildmatch::{self, Slashes};

/// Options whose value may be the next word.
const VALUED: [&str; 11] = [
    "--since",
    "--after",
    "--until",
    "--before",
    "--author",
    "--committer",
    "--grep",
    "--max-count",
    "--skip",
    "--min-parents",
    "--max-parents",
];

/// A query for commits.
#[derive(Debug, Default)]
pub(crate) struct Query {
    pub(crate) starts: Vec<Oid>,
    pub(crate) without: Vec<Oid>,
    /// What the user wrote for a start.
    pub(crate) names: Vec<(Oid, Vec<u8>)>,
    /// Sides of `a...b`: left and right.
    pub(crate) sides: Option<(Oid, Oid)>,
    pub(crate) paths: Pathspec,
    pub(crate) words_after: Vec<Vec<u8>>,
    pub(crate) max: Option<usize>,
    pub(crate) skip: usize,
    since: Option<i64>,
    until: Option<i64>,
    authors: Vec<String>,
    committers: Vec<String>,
    greps: Vec<String>,
    all_match: bool,
    invert: bool,
    fold: bool,
    kind: Option<pattern::Kind>,
    least_parents: usize,
    most_parents: Option<usize>,
    pub(crate) first_parent: bool,
    pub(crate) reverse: bool,
    pub(crate) order: Order,
    pub(crate) rewrite: bool,
    full_history: bool,
    pub(crate) left_right: bool,
    cherry: u8,
    pub(crate) no_walk: bool,
    /// Commits that are not walked from come as they were named.
    pub(crate) unsorted: bool,
    pub(crate) ancestry: bool,
    pub(crate) revision_given: bool,
    pub(crate) boundary: bool,
}

impl Query {
    /// Takes an option if it is one of these; whether it was.
    pub(crate) fn take(
        &mut self,
        repo: &Repo,
        word: &str,
        next: &mut dyn FnMut() -> Option<String>,
    ) -> Result<bool> {
        let (name, value) = name_and_value(word);
        let mut value = value.map(str::to_owned);
        if VALUED.contains(&name) && value.is_none() {
            value = next();
            if value.is_none() {
                return fatal(format!("Option '{name}' requires a value"));
            }
        }
        let text = value.as_deref().unwrap_or_default();
        Ok(self.take_match(name, text)
            || self.take_limit(name, text)?
            || self.take_walk(name)
            || self.take_references(repo, name, value.as_deref())
            || self.take_count(word, next)?)
    }

    /// Options for what a commit says, and who made it.
    fn take_match(&mut self, name: &str, text: &str) -> bool {
        match name {
            "--author" => self.authors.push(text.to_owned()),
            "--committer" => self.committers.push(text.to_owned()),
            "--grep" => self.greps.push(text.to_owned()),
            "--all-match" => self.all_match = true,
            "--invert-grep" => self.invert = true,
            "-i" | "--regexp-ignore-case" => self.fold = true,
            "-E" | "--extended-regexp" => self.kind = Some(pattern::Kind::Extended),
            "-F" | "--fixed-strings" => self.kind = Some(pattern::Kind::Fixed),
            "-P" | "--perl-regexp" => self.kind = Some(pattern::Kind::Perl),
            "--basic-regexp" => self.kind = Some(pattern::Kind::Basic),
            _ => return false,
        }
        true
    }

    /// Options for times, numbers of parents and how many commits come.
    fn take_limit(&mut self, name: &str, text: &str) -> Result<bool> {
        let number = || text.parse().map_err(|_| not_a_number(text));
        match name {
            "--since" | "--after" => self.since = Some(date::approximate(text, date::now())),
            "--until" | "--before" => self.until = Some(date::approximate(text, date::now())),
            "--max-count" => self.set_max(text)?,
            "--skip" => self.skip = number()?,
            "--merges" => self.least_parents = 2,
            "--no-merges" => self.most_parents = Some(1),
            "--min-parents" => self.least_parents = number()?,
            "--max-parents" => self.most_parents = Some(number()?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Options for the way from commit to commit, and their order.
    fn take_walk(&mut self, name: &str) -> bool {
        match name {
            "--first-parent" => self.first_parent = true,
            "--reverse" => self.reverse = !self.reverse,
            "--topo-order" => self.order = Order::Topological,
            "--date-order" => self.order = Order::Date,
            "--author-date-order" => self.order = Order::AuthorDate,
            "--full-history" => self.full_history = true,
            "--dense" => self.full_history = false,
            "--remove-empty" => {}
            "--left-right" => self.left_right = true,
            "--left-only" => self.cherry = 1,
            "--right-only" => self.cherry = 2,
            "--no-walk" => self.no_walk = true,
            "--ancestry-path" => self.ancestry = true,
            "--boundary" => self.boundary = true,
            _ => return false,
        }
        true
    }

    /// Options for references that commits are walked from.
    fn take_references(&mut self, repo: &Repo, name: &str, value: Option<&str>) -> bool {
        let prefix = match name {
            "--all" | "--glob" => "refs/",
            "--branches" => "refs/heads/",
            "--tags" => "refs/tags/",
            "--remotes" => "refs/remotes/",
            _ => return false,
        };
        self.revision_given = true;
        let pattern = value.filter(|_| name != "--all").map(|text| {
            let short = text.strip_prefix("refs/").filter(|_| name == "--glob");
            let pattern = format!("{prefix}{}", short.unwrap_or(text));
            match wildmatch::has_special(pattern.as_bytes()) {
                true => pattern,
                false => pattern + "/*",
            }
        });
        for (name, oid) in repo.refs.all(prefix.as_bytes()) {
            let is_wanted = pattern.as_ref().is_none_or(|pattern| {
                wildmatch::matches(pattern.as_bytes(), &name, Slashes::Pass, false)
            });
            if is_wanted {
                self.start_if_commit(repo, oid, &name);
            }
        }
        if name == "--all"
            && let Some(head) = repo.head()
        {
            self.start_if_commit(repo, head, b"HEAD");
        }
        true
    }

    /// `-n 5`, `-n5` and `-5`.
    fn take_count(&mut self, word: &str, next: &mut dyn FnMut() -> Option<String>) -> Result<bool> {
        if word == "-n" {
            let Some(count) = next() else {
                return fatal("option `-n' requires a value");
            };
            self.set_max(&count)?;
            return Ok(true);
        }
        let digits = word
            .strip_prefix('-')
            .filter(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()));
        let Some(count) = digits.or(word.strip_prefix("-n")) else {
            return Ok(false);
        };
        self.set_max(count)?;
        Ok(true)
    }

    fn set_max(&mut self, text: &str) -> Result<()> {
        self.max = match text.parse::<i64>() {
            Ok(count) if count < 0 => None,
            Ok(count) => Some(count as usize),
            Err(_) => return Err(not_a_number(text)),
        };
        Ok(())
    }

    fn start_if_commit(&mut self, repo: &Repo, oid: Oid, name: &[u8]) {
        if let Ok(oid) = revision::peel(repo, oid, Some(Kind::Commit)) {
            self.starts.push(oid);
            self.names.push((oid, name.to_vec()));
        }
    }

    /// Takes a revision or a range; whether it is one.
    pub(crate) fn revision(&mut self, repo: &Repo, word: &[u8]) -> Result<bool> {
        let commit = |name: &[u8]| -> Result<Option<Oid>> {
            let name: &[u8] = if name.is_empty() { b"HEAD" } else { name };
            match revision::try_resolve(repo, name)? {
                Some(oid) => Ok(revision::peel(repo, oid, Some(Kind::Commit)).ok()),
                None => Ok(None),
            }
        };
        if let Some(at) = word.windows(3).position(|three| three == b"...") {
            let (Some(a), Some(b)) = (commit(&word[..at])?, commit(&word[at + 3..])?) else {
                return Ok(false);
            };
            self.starts.extend([a, b]);
            self.without.extend(walk::merge_bases(repo, a, b)?);
            self.sides = Some((a, b));
            self.revision_given = true;
            return Ok(true);
        }
        if let Some(at) = word.windows(2).position(|two| two == b"..")
            && word != b".."
        {
            let (Some(a), Some(b)) = (commit(&word[..at])?, commit(&word[at + 2..])?) else {
                return Ok(false);
            };
            self.starts.push(b);
            self.names.push((b, word[at + 2..].to_vec()));
            self.without.push(a);
            self.revision_given = true;
            return Ok(true);
        }
        if let Some(name) = word.strip_prefix(b"^") {
            let Some(oid) = commit(name)? else {
                return Ok(false);
            };
            self.without.push(oid);
            self.revision_given = true;
            return Ok(true);
        }
        for (suffix, kind) in [(&b"^@"[..], 0), (b"^!", 1), (b"^-", 2)] {
            if let Some(name) = word.strip_suffix(suffix)
                && !name.is_empty()
                && let Some(oid) = commit(name)?
            {
                let parents = Commit::read(&repo.objects, &oid)?.parents;
                match kind {
                    0 => self.starts.extend(parents),
                    1 => {
                        self.starts.push(oid);
                        self.without.extend(parents);
                    }
                    _ => {
                        self.starts.push(oid);
                        self.without.extend(parents.first());
                    }
                }
                self.revision_given = true;
                return Ok(true);
            }
        }
        let Some(oid) = commit(word)? else {
            return Ok(false);
        };
        self.starts.push(oid);
        self.names.push((oid, word.to_vec()));
        self.revision_given = true;
        Ok(true)
    }

    /// Sorts words into revisions and paths. `dashes` is how many stand before `--`.
    pub(crate) fn words(
        &mut self,
        repo: &Repo,
        words: &[Vec<u8>],
        dashes: Option<usize>,
    ) -> Result<()> {
        let mut paths = Vec::new();
        for (at, word) in words.iter().enumerate() {
            if dashes.is_some_and(|count| at >= count) || !paths.is_empty() {
                if dashes.is_none() {
                    check_path(repo, word)?;
                }
                paths.push(word.clone());
                continue;
            }
            if self.revision(repo, word)? {
                if dashes.is_none()
                    && repo.work_tree.is_some()
                    && repo
                        .path_of_user(word)
                        .is_some_and(|path| !path.is_empty() && os::exists(&path))
                    && !word.contains(&b':')
                {
                    let name = show(word);
                    return fatal(format!(
                        "ambiguous argument '{name}': both revision and filename\nUse '--' to separate paths from revisions, like \
                         this:\n'git <command> [<revision>...] -- [<file>...]'"
                    ));
                }
                continue;
            }
            if dashes.is_some() {
                return fatal(format!("bad revision '{}'", show(word)));
            }
            check_path(repo, word)?;
            paths.push(word.clone());
        }
        self.paths = Pathspec::new(repo, &paths)?;
        self.words_after = paths;
        Ok(())
    }

    /// The commits, in order.
    pub(crate) fn run(&self, repo: &Repo) -> Result<Vec<Commit>> {
        let filters = Filters::new(self)?;
        let mut commits = match self.no_walk {
            true => {
                let mut seen = HashSet::new();
                let mut commits = Vec::new();
                for oid in self.starts.iter().filter(|oid| seen.insert(**oid)) {
                    commits.push(Commit::read(&repo.objects, oid)?);
                }
                if !self.unsorted {
                    commits.sort_by_key(|commit| std::cmp::Reverse(commit.time()));
                }
                commits
            }
            false => walk::range(repo, &self.starts, &self.without, self.first_parent)?,
        };
        if self.ancestry {
            commits = self.ancestry_path(commits);
        }
        if self.cherry > 0
            && let Some((left, right)) = self.sides
        {
            let other = walk::ancestors(repo, &[if self.cherry == 1 { right } else { left }])?;
            commits.retain(|commit| !other.contains(&commit.oid));
        }
        if !self.paths.is_empty() {
            commits = self.simplify(repo, commits)?;
        }
        commits = walk::sort(commits, self.order);
        let mut found: Vec<Commit> = Vec::new();
        let mut skip = self.skip;
        for commit in commits {
            if self.max.is_some_and(|max| found.len() >= max) {
                break;
            }
            if !filters.accept(&commit) {
                continue;
            }
            if skip > 0 {
                skip -= 1;
                continue;
            }
            found.push(commit);
        }
        if self.reverse {
            found.reverse();
        }
        Ok(found)
    }

    /// `<` or `>` for a commit of `a...b`.
    pub(crate) fn marks(&self, repo: &Repo) -> Result<HashMap<Oid, char>> {
        let mut marks = HashMap::new();
        if let (true, Some((left, right))) = (self.left_right, self.sides) {
            let right = walk::ancestors(repo, &[right])?;
            for oid in &right {
                marks.insert(*oid, '>');
            }
            for commit in walk::range(repo, &[left], &self.without, false)? {
                marks.insert(
                    commit.oid,
                    if right.contains(&commit.oid) {
                        '>'
                    } else {
                        '<'
                    },
                );
            }
        }
        Ok(marks)
    }

    fn ancestry_path(&self, commits: Vec<Commit>) -> Vec<Commit> {
        let mut on_path: HashSet<Oid> = self.without.iter().copied().collect();
        for commit in commits.iter().rev() {
            if commit.parents.iter().any(|parent| on_path.contains(parent)) {
                on_path.insert(commit.oid);
            }
        }
        commits
            .into_iter()
            .filter(|commit| on_path.contains(&commit.oid))
            .collect()
    }

    /// Only commits that change the paths; of a merge only the side that all came from.
    fn simplify(&self, repo: &Repo, commits: Vec<Commit>) -> Result<Vec<Commit>> {
        let by_oid: HashMap<Oid, Commit> = commits
            .iter()
            .map(|commit| (commit.oid, commit.clone()))
            .collect();
        let mut parents: HashMap<Oid, Vec<Oid>> = HashMap::new();
        let mut changes: HashMap<Oid, bool> = HashMap::new();
        let mut todo: Vec<Oid> = self.starts.clone();
        let mut seen: HashSet<Oid> = HashSet::new();
        while let Some(oid) = todo.pop() {
            let Some(commit) = by_oid.get(&oid) else {
                continue;
            };
            if !seen.insert(oid) {
                continue;
            }
            let mut kept: Vec<Oid> = commit
                .parents
                .iter()
                .copied()
                .take(if self.first_parent { 1 } else { usize::MAX })
                .collect();
            let mut changed = true;
            if kept.is_empty() {
                changed = !change::same_trees(repo, None, Some(commit.tree), &self.paths)?;
            } else {
                let mut same = Vec::new();
                for parent in &kept {
                    let tree = Commit::read(&repo.objects, parent)?.tree;
                    if change::same_trees(repo, Some(tree), Some(commit.tree), &self.paths)? {
                        same.push(*parent);
                    }
                }
                if let Some(first) = same.first() {
                    changed = self.full_history && same.len() < kept.len() && self.rewrite;
                    if !self.full_history {
                        kept = vec![*first];
                    }
                }
            }
            todo.extend(kept.iter().copied());
            parents.insert(oid, kept);
            changes.insert(oid, changed);
        }
        let mut out = Vec::new();
        for mut commit in commits {
            if changes.get(&commit.oid) != Some(&true) {
                continue;
            }
            if self.rewrite {
                let mut rewritten = Vec::new();
                for parent in parents.get(&commit.oid).cloned().unwrap_or_default() {
                    let mut at = Some(parent);
                    while let Some(oid) = at {
                        if changes.get(&oid) != Some(&false) {
                            break;
                        }
                        at = parents
                            .get(&oid)
                            .and_then(|parents| parents.first().copied());
                    }
                    if let Some(oid) = at.filter(|oid| !rewritten.contains(oid)) {
                        rewritten.push(oid);
                    }
                }
                commit.parents = rewritten;
            }
            out.push(commit);
        }
        Ok(out)
    }
}

fn not_a_number(text: &str) -> Stop {
    Stop::Fatal(format!("'{text}': not an integer").into_bytes())
}

/// Fails when a word is neither a revision nor a path.
pub(crate) fn check_path(repo: &Repo, word: &[u8]) -> Result<()> {
    if wildmatch::has_special(word) {
        return Ok(());
    }
    let path = match word {
        [b':', b'/', path @ ..] => Some(path.to_vec()),
        [b':', b'!' | b'^', path @ ..] => repo.path_of_user(path),
        // What says itself that it is a path.
        [b':', ..] => return Ok(()),
        _ => repo.path_of_user(word),
    };
    match path {
        Some(path) if path.is_empty() || os::exists(&path) => Ok(()),
        _ => Err(revision::ambiguous(word)),
    }
}

/// Which commits are let through.
struct Filters<'a> {
    query: &'a Query,
    authors: Vec<Pattern>,
    committers: Vec<Pattern>,
    greps: Vec<Pattern>,
}

impl<'a> Filters<'a> {
    fn new(query: &'a Query) -> Result<Filters<'a>> {
        let kind = query.kind.unwrap_or(pattern::Kind::Basic);
        let compile = |place: &str, texts: &[String]| -> Result<Vec<Pattern>> {
            let compile = |text: &String| {
                let pattern = pattern::compile(text.as_bytes(), kind, query.fold);
                pattern.map_err(|message| {
                    Stop::Fatal(format!("{place}, '{text}': {message}").into_bytes())
                })
            };
            texts.iter().map(compile).collect()
        };
        Ok(Filters {
            query,
            authors: compile("header", &query.authors)?,
            committers: compile("header", &query.committers)?,
            greps: compile("command line", &query.greps)?,
        })
    }

    fn accept(&self, commit: &Commit) -> bool {
        let query = self.query;
        let time = commit.time();
        if query.since.is_some_and(|since| time < since)
            || query.until.is_some_and(|until| time > until)
        {
            return false;
        }
        let parents = commit.parents.len();
        if parents < query.least_parents || query.most_parents.is_some_and(|most| parents > most) {
            return false;
        }
        let who = |who: &[u8]| {
            let end = who
                .iter()
                .rposition(|byte| *byte == b'>')
                .map_or(who.len(), |at| at + 1);
            who[..end].to_vec()
        };
        let author = who(&commit.author);
        let committer = who(&commit.committer);
        if !self.authors.is_empty() && !self.authors.iter().any(|regex| regex.is_match(&author)) {
            return false;
        }
        if !self.committers.is_empty()
            && !self
                .committers
                .iter()
                .any(|regex| regex.is_match(&committer))
        {
            return false;
        }
        if self.greps.is_empty() {
            return true;
        }
        let hit = |pattern: &Pattern| pattern.is_in_a_line(&commit.message);
        let found = if query.all_match {
            self.greps.iter().all(hit)
        } else {
            self.greps.iter().any(hit)
        };
        found != query.invert
    }
}
