//! Which paths of a sandbox git would not look at: `.gitignore` in every directory from the work
//! tree's root down, then `.git/info/exclude`. The last line that matches decides, and nothing
//! comes back below a directory that is ignored. What the index has is never ignored.
//!
//! A work tree begins where `.git` is; without one, where a host directory is mounted. The settings
//! of the host's user (`core.excludesFile`) are not in the sandbox and do not count.
//!
//! Invariant: everything here can only leave a path in, never out, when a limit is reached.

mod wildmatch;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use codepod_vfs::{Caller, ChangeKind, FileKind, Vfs};

use crate::error::{Error, ErrorKind};
use crate::files::read_node;
use crate::git_index;
use crate::transfer::look;

/// A larger file of patterns has none.
const LARGEST_FILE: u64 = 1 << 20;
/// A longer line is no pattern.
const LONGEST_LINE: usize = 4096;
/// Steps that all comparisons may take together; beyond, nothing is ignored.
const MOST_STEPS: u64 = 500_000_000;
/// Files of patterns that are read.
const MOST_FILES: usize = 10_000;
/// The most patterns that a caller may give.
const MOST_EXCLUDES: usize = 1000;

/// Caches that our own runtimes make wherever a program of the user's runs. They count as ignored
/// everywhere, unless a `.gitignore` says otherwise or the index has them.
const CACHES: [&str; 2] = ["__pycache__/", "**/.cache/matplotlib/"];

/// Which of the changed paths are told and applied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selection {
    /// Also those that `.gitignore` names, and each path in `.git`.
    pub all: bool,
    /// Not those that these patterns name; they are written as lines of a `.gitignore` in the work
    /// tree's root, and count for tracked files, too.
    pub exclude: Vec<String>,
}

impl Selection {
    /// What is not ignored.
    pub fn new(all: bool, exclude: Vec<String>) -> Selection {
        Selection { all, exclude }
    }
}

/// One line of a file of patterns.
#[derive(Debug)]
struct Rule {
    pattern: Vec<u8>,
    negated: bool,
    only_directories: bool,
    /// Compared with the last part of a path only.
    base_name: bool,
}

/// A work tree.
#[derive(Debug)]
struct Root {
    /// Whether there are files of patterns in it: not in what is no work tree.
    has_files: bool,
    /// Of `info/exclude`, and before them those for [`CACHES`].
    general: Vec<Rule>,
    /// What the index has, by path from the root.
    tracked: BTreeSet<Vec<u8>>,
}

/// Reads a file as it was before the changes.
pub(crate) type Earlier<'a> = &'a mut dyn FnMut(&mut Vfs, &[u8]) -> Option<Vec<u8>>;

/// The rules of a sandbox's work trees, read as they are needed.
pub(crate) struct Ignore<'a> {
    now: &'a mut Vfs,
    /// The index as it was before: what it had is not ignored either.
    earlier: Earlier<'a>,
    excludes: Vec<Rule>,
    all: bool,
    /// Where host directories are mounted.
    mounts: Vec<Vec<u8>>,
    rules: HashMap<Vec<u8>, Arc<Vec<Rule>>>,
    roots: HashMap<Vec<u8>, Option<Arc<Root>>>,
    /// What lies in no work tree.
    elsewhere: Arc<Root>,
    /// Whether a directory is ignored, by path.
    directories: HashMap<Vec<u8>, bool>,
    steps: u64,
}

impl<'a> Ignore<'a> {
    /// The rules of the work trees of `now`. [`ErrorKind::InvalidArgument`] for patterns that are
    /// none.
    pub(crate) fn new(
        now: &'a mut Vfs,
        earlier: Earlier<'a>,
        selection: &Selection,
    ) -> Result<Ignore<'a>, Error> {
        let mounts = now.mounts().into_iter();
        let mounts = mounts.filter(|mount| mount.type_name == "overlay");
        let mounts = mounts.map(|mount| mount.point.to_vec()).collect();
        let mut excludes = Vec::new();
        for line in &selection.exclude {
            let rule = rule(line.as_bytes());
            excludes.push(rule.ok_or_else(|| {
                let why = format!("`{line}` is not a pattern of paths");
                ErrorKind::InvalidArgument(why)
            })?);
        }
        if excludes.len() > MOST_EXCLUDES {
            let why = format!("more than {MOST_EXCLUDES} patterns of paths");
            return Err(ErrorKind::InvalidArgument(why).into());
        }
        Ok(Ignore {
            now,
            earlier,
            excludes,
            all: selection.all,
            mounts,
            rules: HashMap::new(),
            roots: HashMap::new(),
            elsewhere: Arc::new(Root::new(b"", BTreeSet::new(), false)),
            directories: HashMap::new(),
            steps: MOST_STEPS,
        })
    }

    /// Whether an absolute path, or a directory above it, is ignored or excluded.
    pub(crate) fn ignores(&mut self, path: &[u8], is_directory: bool) -> bool {
        if self.all && self.excludes.is_empty() {
            return false;
        }
        let (root, place) = self.root_of(path);
        let excluded = self.is_excluded(path, place.len(), is_directory);
        if excluded || self.all || git_directory(path).is_some() {
            return excluded;
        }
        let inner = &path[place.len() + 1..];
        let below = [inner, b"/"].concat();
        let tracked = root.tracked.contains(inner)
            || is_directory && {
                let next = root.tracked.range(below.clone()..).next();
                next.is_some_and(|next| next.starts_with(&below))
            };
        if tracked {
            return false;
        }
        let slashes = inner.iter().enumerate().filter(|(_, b)| **b == b'/');
        let ends: Vec<usize> = slashes.map(|(at, _)| place.len() + 1 + at).collect();
        for end in ends {
            if self.ignores_directory(&path[..end], place.len(), &root) {
                return true;
            }
        }
        self.decides(path, place.len(), is_directory, &root)
    }

    /// Which of some changes are ignored: path, kind, whether it is a directory; sorted by path. A
    /// new directory is, too, if all that is in it is.
    pub(crate) fn all_of(&mut self, changes: &[(Vec<u8>, ChangeKind, bool)]) -> Vec<bool> {
        let mut ignored = vec![false; changes.len()];
        // How much of what lies in each directory is not ignored.
        let mut inside: HashMap<&[u8], usize> = HashMap::new();
        for (n, (path, kind, is_directory)) in changes.iter().enumerate().rev() {
            let empty = inside.get(&path[..]).is_some_and(|left| *left == 0);
            let new = *kind == ChangeKind::Added && *is_directory;
            ignored[n] = new && empty || self.ignores(path, *is_directory);
            let end = path.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
            *inside.entry(&path[..end]).or_default() += usize::from(!ignored[n]);
        }
        ignored
    }

    /// Whether a pattern of the caller's names a path or a directory above it.
    fn is_excluded(&mut self, path: &[u8], from: usize, is_directory: bool) -> bool {
        let slashes = path.iter().enumerate().skip(from + 1);
        let ends = slashes.filter(|(_, byte)| **byte == b'/');
        let ends = ends
            .map(|(end, _)| (end, true))
            .chain([(path.len(), is_directory)]);
        for (end, is_directory) in ends {
            let last = self.excludes.iter().rev();
            let mut last = last.filter(|rule| {
                let inner = path.get(from + 1..end).unwrap_or_default();
                rule.applies(inner, is_directory, &mut self.steps)
            });
            if last.next().is_some_and(|rule| !rule.negated) {
                return true;
            }
        }
        false
    }

    fn ignores_directory(&mut self, path: &[u8], from: usize, root: &Root) -> bool {
        if let Some(known) = self.directories.get(path) {
            return *known;
        }
        let ignored = self.decides(path, from, true, root);
        self.directories.insert(path.to_vec(), ignored);
        ignored
    }

    /// Whether the rules ignore a path, not looking at the directories above it. The work tree's
    /// root is `path[..from]`.
    fn decides(&mut self, path: &[u8], from: usize, is_directory: bool, root: &Root) -> bool {
        let mut end = path.len();
        while let Some(slash) = path[..end].iter().rposition(|byte| *byte == b'/') {
            if slash < from || !root.has_files {
                break;
            }
            let rules = self.of_directory(&path[..slash]);
            let mut last = rules.iter().rev();
            let steps = &mut self.steps;
            let inner = &path[slash + 1..];
            if let Some(rule) = last.find(|rule| rule.applies(inner, is_directory, steps)) {
                return !rule.negated;
            }
            end = slash;
        }
        let inner = &path[from + 1..];
        let steps = &mut self.steps;
        let mut last = root.general.iter().rev();
        last.find(|rule| rule.applies(inner, is_directory, steps))
            .is_some_and(|rule| !rule.negated)
    }

    fn of_directory(&mut self, directory: &[u8]) -> Arc<Vec<Rule>> {
        if let Some(rules) = self.rules.get(directory) {
            return rules.clone();
        }
        let text = match self.rules.len() < MOST_FILES {
            true => read(
                self.now,
                &[directory, b"/.gitignore"].concat(),
                LARGEST_FILE,
            ),
            false => None,
        };
        let rules = Arc::new(parse(&text.unwrap_or_default()));
        self.rules.insert(directory.to_vec(), rules.clone());
        rules
    }

    /// The work tree that a path is in, and where that is.
    fn root_of<'p>(&mut self, path: &'p [u8]) -> (Arc<Root>, &'p [u8]) {
        let mut end = path.len();
        while let Some(slash) = path[..end].iter().rposition(|byte| *byte == b'/') {
            let directory = &path[..slash];
            // The directory `.git` is in the work tree that it makes one.
            if let Some(root) = self.root_at(directory) {
                return (root, directory);
            }
            end = slash;
        }
        (self.elsewhere.clone(), b"")
    }

    fn root_at(&mut self, directory: &[u8]) -> Option<Arc<Root>> {
        if let Some(known) = self.roots.get(directory) {
            return known.clone();
        }
        let root = self.read_root(directory).map(Arc::new);
        self.roots.insert(directory.to_vec(), root.clone());
        root
    }

    fn read_root(&mut self, directory: &[u8]) -> Option<Root> {
        let dot_git = [directory, b"/.git"].concat();
        let kind = look(self.now, &dot_git).ok().flatten();
        let (git, common) = match kind.map(|(_, stat)| stat.kind) {
            Some(FileKind::Directory) => (dot_git.clone(), dot_git),
            Some(FileKind::File) => linked(self.now, directory, &dot_git)?,
            _ if self.mounts.iter().any(|mount| mount == directory) => {
                return Some(Root::new(b"", BTreeSet::new(), true));
            }
            _ => return None,
        };
        let exclude = read(
            self.now,
            &[&common[..], b"/info/exclude"].concat(),
            LARGEST_FILE,
        );
        let index = [&git[..], b"/index"].concat();
        let mut tracked = BTreeSet::new();
        let before = (self.earlier)(self.now, &index);
        for index in [before, read(self.now, &index, git_index::LARGEST)] {
            let entries = index.as_deref().and_then(git_index::parse);
            tracked.extend(entries.into_iter().flatten().map(|entry| entry.path));
        }
        Some(Root::new(&exclude.unwrap_or_default(), tracked, true))
    }
}

impl Root {
    fn new(exclude: &[u8], tracked: BTreeSet<Vec<u8>>, has_files: bool) -> Root {
        let caches = CACHES.iter().filter_map(|line| rule(line.as_bytes()));
        let general = caches.chain(parse(exclude)).collect();
        Root {
            has_files,
            general,
            tracked,
        }
    }
}

/// The directory `.git` that a path is or lies in: where its name ends.
pub(crate) fn git_directory(path: &[u8]) -> Option<usize> {
    let mut start = 0;
    for name in path.split(|byte| *byte == b'/') {
        let end = start + name.len();
        if name == b".git" {
            return Some(end);
        }
        start = end + 1;
    }
    None
}

/// Where the files of a work tree are whose `.git` is a file: its own, and those that it shares.
fn linked(vfs: &mut Vfs, directory: &[u8], dot_git: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let from = |directory: &[u8], path: &[u8]| match path.first() {
        Some(b'/') => path.to_vec(),
        _ => [directory, b"/", path].concat(),
    };
    let text = read(vfs, dot_git, LARGEST_FILE)?;
    let own = from(directory, text.strip_prefix(b"gitdir: ")?.trim_ascii_end());
    let common = read(vfs, &[&own[..], b"/commondir"].concat(), LARGEST_FILE);
    let common = common.map(|path| from(&own, path.trim_ascii_end()));
    Some((own.clone(), common.unwrap_or(own)))
}

/// A regular file that is not too large; a link is none.
pub(crate) fn read(vfs: &mut Vfs, path: &[u8], most: u64) -> Option<Vec<u8>> {
    let (node, stat) = look(vfs, path).ok()??;
    if stat.kind != FileKind::File || stat.size > most {
        return None;
    }
    read_node(vfs, &Caller::root(0), node).ok()
}

impl Rule {
    /// Whether it names a path, which is from the directory of its file.
    fn applies(&self, path: &[u8], is_directory: bool, steps: &mut u64) -> bool {
        if self.only_directories && !is_directory {
            return false;
        }
        let name = match self.base_name {
            true => path.rsplit(|byte| *byte == b'/').next().unwrap_or(path),
            false => path,
        };
        if !wildmatch::has_special(&self.pattern) {
            *steps = steps.saturating_sub(1);
            return *steps > 0 && self.pattern == name;
        }
        wildmatch::matches(&self.pattern, name, steps)
    }
}

fn parse(text: &[u8]) -> Vec<Rule> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let lines = text.split(|byte| *byte == b'\n');
    let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    lines
        .filter(|line| line.first() != Some(&b'#') && line.len() <= LONGEST_LINE)
        .filter_map(rule)
        .collect()
}

/// A line as a rule; `None` for one that says nothing.
fn rule(line: &[u8]) -> Option<Rule> {
    let line = trimmed(line);
    let (negated, line) = match line.strip_prefix(b"!") {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let (only_directories, line) = match line.strip_suffix(b"/") {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let base_name = !line.contains(&b'/');
    let pattern = line.strip_prefix(b"/").unwrap_or(line);
    (!pattern.is_empty()).then(|| Rule {
        pattern: pattern.to_vec(),
        negated,
        only_directories,
        base_name,
    })
}

/// A line without the spaces at its end, unless they are escaped.
fn trimmed(line: &[u8]) -> &[u8] {
    let (mut at, mut end) = (0, None);
    while at < line.len() {
        match line[at] {
            b' ' => end = end.or(Some(at)),
            b'\\' if at + 1 == line.len() => return line,
            b'\\' => (at, end) = (at + 1, None),
            _ => end = None,
        }
        at += 1;
    }
    &line[..end.unwrap_or(line.len())]
}
