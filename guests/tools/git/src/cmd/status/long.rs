//! `git status` in sentences.

use super::progress::{detached_at, progress, rebase_state};
use super::tracking::tracking;
use super::{State, Untracked};
use crate::diff::change::Change;
use crate::index::Index;
use crate::out;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, show};

const RED: &str = "\x1b[31m";
const GREEN: &str = "\x1b[32m";

/// The long form, on standard output.
pub(crate) fn long(
    repo: &Repo,
    index: &Index,
    state: &State,
    untracked: Untracked,
    committing: bool,
    stash: bool,
) -> Result<()> {
    let text = long_text(repo, index, state, untracked, committing, stash)?;
    out::put(&text);
    Ok(())
}

/// The long form as text.
pub(crate) fn long_text(
    repo: &Repo,
    index: &Index,
    state: &State,
    untracked: Untracked,
    committing: bool,
    stash: bool,
) -> Result<Vec<u8>> {
    let hints = repo.config.truth("advice.statushints") != Some(false);
    let mut long = Long {
        repo,
        state,
        is_unborn: repo.head().is_none(),
        is_listed: untracked != Untracked::No,
        committing,
        hints,
        color: !committing && crate::diff::options::use_color(&repo.config, "color.status"),
        text: Vec::new(),
    };
    long.branch()?;
    progress(repo, index, hints, &mut |line| long.say(line))?;
    if long.is_unborn {
        long.say("");
        long.say(match committing {
            true => "Initial commit",
            false => "No commits yet",
        });
        long.say("");
    }
    long.staged();
    long.unmerged();
    long.unstaged();
    long.unknown(&state.untracked, "Untracked files:", "add");
    long.unknown(&state.ignored, "Ignored files:", "add -f");
    long.outcome();
    let stashes = repo.refs.read_log(b"refs/stash").len();
    if stash && stashes > 0 {
        let end = if stashes == 1 { "y" } else { "ies" };
        long.say(&format!("Your stash currently has {stashes} entr{end}"));
    }
    Ok(long.text)
}

/// The text so far, and what it is made from.
struct Long<'a> {
    repo: &'a Repo,
    state: &'a State,
    /// Whether there is no commit yet.
    is_unborn: bool,
    /// Whether unknown files were looked for.
    is_listed: bool,
    /// Whether `git commit` shows it, in the message or because there is nothing to commit.
    committing: bool,
    hints: bool,
    color: bool,
    text: Vec<u8>,
}

impl Long<'_> {
    fn say(&mut self, line: &str) {
        self.text.extend_from_slice(line.as_bytes());
        self.text.push(b'\n');
    }

    fn hint(&mut self, line: &str) {
        if self.hints {
            self.say(&format!("  ({line})"));
        }
    }

    fn item(&mut self, color: &str, line: &str) {
        let line = self.paint(color, line);
        self.say(&format!("\t{line}"));
    }

    fn paint(&self, code: &str, line: &str) -> String {
        match self.color {
            true => format!("{code}{line}\x1b[m"),
            false => line.to_owned(),
        }
    }

    fn shown(&self, path: &[u8]) -> String {
        let path = match self.repo.config.truth("status.relativepaths") {
            Some(false) => path.to_vec(),
            _ => self.repo.relative(path),
        };
        show(&self.repo.quote(&path))
    }

    fn label(&self, change: &Change) -> String {
        let new = self.shown(&change.new.path);
        let moved = || format!("{} -> {new}", self.shown(&change.old.path));
        match change.status {
            b'A' => format!("new file:   {new}"),
            b'D' => format!("deleted:    {new}"),
            b'R' => format!("renamed:    {}", moved()),
            b'C' => format!("copied:     {}", moved()),
            b'T' => format!("typechange: {new}"),
            _ => format!("modified:   {new}"),
        }
    }

    fn branch(&mut self) -> Result<()> {
        let repo = self.repo;
        if let Some(branch) = repo.branch() {
            self.say(&format!("On branch {}", show(&branch)));
            if let Some(upstream) = revision::upstream(repo, &branch) {
                for line in tracking(repo, &upstream, self.hints)?.lines() {
                    self.say(line);
                }
            }
        } else if let Some((_, onto)) = rebase_state(repo) {
            let what = self.paint(RED, "interactive rebase in progress");
            self.say(&format!("{what}; onto {onto}"));
        } else {
            self.say(&detached_at(repo));
        }
        Ok(())
    }

    /// How what is staged is taken back, unless that would break off a merge or a cherry-pick.
    fn hint_unstage(&mut self) {
        if self.repo.has_file("MERGE_HEAD") || self.repo.has_file("CHERRY_PICK_HEAD") {
            return;
        }
        self.hint(match self.is_unborn {
            false => "use \"git restore --staged <file>...\" to unstage",
            true => "use \"git rm --cached <file>...\" to unstage",
        });
    }

    fn staged(&mut self) {
        let state = self.state;
        if state.staged.is_empty() {
            return;
        }
        self.say("Changes to be committed:");
        self.hint_unstage();
        for change in &state.staged {
            self.item(GREEN, &self.label(change));
        }
        self.say("");
    }

    fn unmerged(&mut self) {
        let unmerged = &self.state.unmerged;
        if unmerged.is_empty() {
            return;
        }
        self.say("Unmerged paths:");
        self.hint_unstage();
        let by_one = unmerged.values().any(|bits| [3, 5].contains(bits));
        let by_both = unmerged.values().filter(|bits| **bits == 1).count();
        self.hint(match by_both {
            0 if !by_one => "use \"git add <file>...\" to mark resolution",
            _ if by_both == unmerged.len() => "use \"git rm <file>...\" to mark resolution",
            _ => "use \"git add/rm <file>...\" as appropriate to mark resolution",
        });
        for (path, bits) in unmerged {
            let line = format!("{}{}", unmerged_words(*bits), self.shown(path));
            self.item(RED, &line);
        }
        self.say("");
    }

    fn unstaged(&mut self) {
        let state = self.state;
        if state.unstaged.is_empty() {
            return;
        }
        self.say("Changes not staged for commit:");
        let deleted = state.unstaged.iter().any(|change| change.status == b'D');
        self.hint(match deleted {
            true => "use \"git add/rm <file>...\" to update what will be committed",
            false => "use \"git add <file>...\" to update what will be committed",
        });
        self.hint("use \"git restore <file>...\" to discard changes in working directory");
        for change in &state.unstaged {
            self.item(RED, &self.label(change));
        }
        self.say("");
    }

    /// Files that are not in the index, and the command that adds them.
    fn unknown(&mut self, paths: &[Vec<u8>], title: &str, command: &str) {
        if paths.is_empty() {
            return;
        }
        self.say(title);
        self.hint(&format!(
            "use \"git {command} <file>...\" to include in what will be committed"
        ));
        for path in paths {
            self.item(RED, &self.shown(path));
        }
        self.say("");
    }

    /// What a commit would do now, where it would do nothing.
    fn outcome(&mut self) {
        let state = self.state;
        if !state.staged.is_empty() {
            if !self.is_listed && self.hints && !self.committing {
                self.say("Untracked files not listed (use -u option to show untracked files)");
            }
            return;
        }
        let is_changed = !state.unmerged.is_empty() || !state.unstaged.is_empty();
        let is_clean = !is_changed && state.untracked.is_empty();
        if is_clean && !self.is_unborn && self.repo.has_file("MERGE_HEAD") {
            return;
        }
        let (line, hint) = if is_changed {
            (
                "no changes added to commit",
                "use \"git add\" and/or \"git commit -a\"",
            )
        } else if !is_clean {
            (
                "nothing added to commit but untracked files present",
                "use \"git add\" to track",
            )
        } else if self.is_unborn {
            (
                "nothing to commit",
                "create/copy files and use \"git add\" to track",
            )
        } else if !self.is_listed {
            ("nothing to commit", "use -u to show untracked files")
        } else {
            self.say("nothing to commit, working tree clean");
            return;
        };
        match self.hints {
            true => self.say(&format!("{line} ({hint})")),
            false => self.say(line),
        }
    }
}

fn unmerged_words(bits: u8) -> &'static str {
    match bits {
        1 => "both deleted:    ",
        2 => "added by us:     ",
        3 => "deleted by them: ",
        4 => "added by them:   ",
        5 => "deleted by us:   ",
        6 => "both added:      ",
        _ => "both modified:   ",
    }
}
