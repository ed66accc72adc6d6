//! What differs between two states of a sandbox, by path, and how the text of files differs.

use std::collections::HashMap;
use std::time::Duration;

use codepod_abi::Errno;
use codepod_vfs::{Caller, ChangeKind, FileKind, Guard, Vfs};
use similar::TextDiff;

use crate::error::{Error, ErrorKind};
use crate::files::{FileStat, read_node, rest_below};
use crate::git_index;
use crate::gitignore::{Ignore, Selection, git_directory, read};
use crate::moment::Moment;
use crate::overlays::MountChange;
use crate::sandbox::Sandbox;
use crate::sessions::LANGUAGES;
use crate::transfer::look;

/// Files that are larger on either side are not compared line by line.
pub(crate) const LARGEST_TEXT: u64 = 1 << 20;
/// After so long a comparison is content with what it has found.
const LONGEST_LOOK: Duration = Duration::from_millis(200);
/// Bytes without a NUL at a file's start for it to be text.
const LOOKED_AT: usize = 8000;

/// A path that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PathChange {
    /// The path, absolute.
    pub path: Vec<u8>,
    /// How it differs.
    pub kind: ChangeKind,
    /// What was there.
    pub before: Option<FileStat>,
    /// What is there now.
    pub after: Option<FileStat>,
    /// How many changed paths lie in it and are not listed; see [`Changes::select`].
    pub inside: u64,
}

impl PathChange {
    /// The path as text; what is not UTF-8 is replaced.
    pub fn path_text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.path)
    }

    /// Its letter: `A` added, `M` modified, `D` removed, `T` of another kind, `P` other
    /// permissions.
    pub fn letter(&self) -> char {
        letter(self.kind)
    }
}

pub(crate) fn letter(kind: ChangeKind) -> char {
    match kind {
        ChangeKind::Added => 'A',
        ChangeKind::Modified => 'M',
        ChangeKind::Removed => 'D',
        ChangeKind::TypeChanged => 'T',
        ChangeKind::AttributesChanged => 'P',
    }
}

impl std::fmt::Display for PathChange {
    /// A letter and the path; see [`PathChange::letter`].
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.letter(), self.path_text())
    }
}

/// All that differs between two states, and the states themselves to look at.
pub struct Changes {
    list: Vec<PathChange>,
    before: Vfs,
    after: Vfs,
    ignored: u64,
}

impl std::fmt::Debug for Changes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.list.fmt(f)
    }
}

impl std::ops::Deref for Changes {
    type Target = [PathChange];

    fn deref(&self) -> &[PathChange] {
        &self.list
    }
}

impl Sandbox {
    /// What differs from one moment to another, by path: in the time of what differs. Times of
    /// files do not count, and host directories that the sandbox writes to are not in it.
    pub fn changes(
        &self,
        from: impl Into<Moment>,
        to: impl Into<Moment>,
    ) -> Result<Changes, Error> {
        let (from, to) = (self.snapshot_at(from.into())?, self.snapshot_at(to.into())?);
        let mut kernel = self.kernel()?;
        let (vfs, _) = kernel.files();
        let states = vfs
            .at(&from.files)
            .and_then(|before| Ok((before, vfs.at(&to.files)?)));
        drop(kernel);
        let (mut before, mut after) = states.map_err(|_| ErrorKind::Internal)?;
        // What can fail is a host directory that an overlay lies on.
        let found = before
            .changes_to(&mut after)
            .map_err(|errno| Error::file("a mounted directory", errno))?;
        // A session is what a shell's state is: not one of the user's files.
        let is_session = |path: &[u8]| {
            let mut languages = LANGUAGES.iter();
            languages.any(|language| rest_below(language.directory, path).is_some())
        };
        let list = found
            .into_iter()
            .filter(|change| !is_session(&change.path))
            .map(|change| PathChange {
                before: stat(&mut before, &change.path),
                after: stat(&mut after, &change.path),
                path: change.path,
                kind: change.kind,
                inside: 0,
            })
            .collect();
        Ok(Changes {
            list,
            before,
            after,
            ignored: 0,
        })
    }
}

impl Changes {
    /// Leaves out what is not selected, and makes one path of each `.git`, unless all are. They are
    /// counted: [`Self::ignored`] and [`PathChange::inside`].
    pub fn select(&mut self, selection: &Selection) -> Result<(), Error> {
        let is_directory = |change: &PathChange| {
            let stat = change.after.as_ref().or(change.before.as_ref());
            stat.is_some_and(|stat| stat.kind == FileKind::Directory)
        };
        let listed = self.list.iter();
        let listed = listed.map(|change| (change.path.clone(), change.kind, is_directory(change)));
        let listed: Vec<_> = listed.collect();
        let before = &mut self.before;
        let mut earlier = |_: &mut Vfs, path: &[u8]| read(before, path, git_index::LARGEST);
        let ignored = Ignore::new(&mut self.after, &mut earlier, selection)?.all_of(&listed);
        let mut flags = ignored.iter();
        self.list.retain(|_| flags.next() == Some(&false));
        self.ignored += ignored.iter().filter(|ignored| **ignored).count() as u64;
        if !selection.all {
            let (before, after) = (&mut self.before, &mut self.after);
            self.list = folded_git(std::mem::take(&mut self.list), |path| PathChange {
                before: stat(before, &path),
                after: stat(after, &path),
                path,
                kind: ChangeKind::Modified,
                inside: 0,
            });
        }
        Ok(())
    }

    /// How many paths were left out because they are ignored or excluded.
    pub fn ignored(&self) -> u64 {
        self.ignored
    }

    /// The changed texts as one unified diff, as `patch` takes it. Of binary and very large files
    /// it only says that they differ.
    pub fn unified_diff(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        for change in std::mem::take(&mut self.list) {
            self.diff_one(&change, &mut text);
            self.list.push(change);
        }
        text
    }

    fn diff_one(&mut self, change: &PathChange, text: &mut Vec<u8>) {
        let is_text = |side: &Option<FileStat>| {
            side.as_ref()
                .is_none_or(|stat| matches!(stat.kind, FileKind::File | FileKind::Symlink))
        };
        let sides = [&change.before, &change.after];
        if change.kind == ChangeKind::AttributesChanged || !sides.into_iter().all(is_text) {
            return;
        }
        let too_large =
            |side: &&Option<FileStat>| side.as_ref().is_some_and(|stat| stat.size > LARGEST_TEXT);
        let name = |prefix: &str, side: &Option<FileStat>| match side {
            Some(_) => [prefix.as_bytes(), &change.path[1..]].concat(),
            None => b"/dev/null".to_vec(),
        };
        let (old_name, new_name) = (name("a/", &change.before), name("b/", &change.after));
        let (old, new) = (
            content(&mut self.before, change.before.is_some(), &change.path),
            content(&mut self.after, change.after.is_some(), &change.path),
        );
        let differ = [&b"Files "[..], &old_name, b" and ", &new_name, b" differ\n"].concat();
        let (Ok(old), Ok(new)) = (old, new) else {
            text.extend(differ);
            return;
        };
        if sides.iter().any(too_large) || is_binary(&old) || is_binary(&new) {
            text.extend([b"Binary f", &differ[1..]].concat());
            return;
        }
        let diff = TextDiff::configure()
            .timeout(LONGEST_LOOK)
            .diff_lines(&old[..], &new[..]);
        let hunks = diff.unified_diff();
        text.extend([&b"--- "[..], &old_name, b"\n+++ ", &new_name, b"\n"].concat());
        // Writing to a vector does not fail.
        let _ = hunks.to_writer(text);
    }
}

pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(LOOKED_AT)].contains(&0)
}

/// What a path holds: a file's bytes or a link's target; empty where there is nothing.
fn content(vfs: &mut Vfs, there: bool, path: &[u8]) -> Result<Vec<u8>, Errno> {
    let Some((node, stat)) = look(vfs, path)?.filter(|_| there) else {
        return Ok(Vec::new());
    };
    let caller = Caller::root(0);
    match stat.kind {
        FileKind::Symlink => vfs.readlink_node(&caller, node),
        _ if stat.size > LARGEST_TEXT => Ok(Vec::new()),
        _ => read_node(vfs, &caller, node),
    }
}

/// A change that may stand for those below it.
pub(crate) trait Folds {
    fn path(&self) -> &[u8];
    fn add_inside(&mut self, count: u64);
}

impl Folds for PathChange {
    fn path(&self) -> &[u8] {
        &self.path
    }

    fn add_inside(&mut self, count: u64) {
        self.inside += count;
    }
}

impl Folds for MountChange {
    fn path(&self) -> &[u8] {
        &self.path
    }

    fn add_inside(&mut self, count: u64) {
        self.inside += count;
    }
}

/// Makes one change of all that is in a directory `.git`, apart from guarded paths: those are told
/// one by one. `new` makes the change of the directory itself.
pub(crate) fn folded_git<C: Folds>(changes: Vec<C>, mut new: impl FnMut(Vec<u8>) -> C) -> Vec<C> {
    let mut folded: Vec<C> = Vec::new();
    let mut open: HashMap<Vec<u8>, usize> = HashMap::new();
    for change in changes {
        let Some(end) = git_directory(change.path()) else {
            folded.push(change);
            continue;
        };
        let place = change.path()[..end].to_vec();
        let itself = change.path().len() == end;
        if itself {
            open.insert(place, folded.len());
            folded.push(change);
        } else if Guard::Usual.covers(change.path()) {
            folded.push(change);
        } else {
            let at = *open.entry(place.clone()).or_insert_with(|| {
                folded.push(new(place));
                folded.len() - 1
            });
            folded[at].add_inside(1);
        }
    }
    folded.sort_by(|a, b| a.path().cmp(b.path()));
    folded
}

fn stat(vfs: &mut Vfs, path: &[u8]) -> Option<FileStat> {
    let (_, stat) = look(vfs, path).ok()??;
    Some(stat.into())
}
