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
    let mut text: Vec<u8> = Vec::new();
    let hints = repo.config.truth("advice.statushints") != Some(false);
    let color = !committing && crate::diff::options::use_color(&repo.config, "color.status");
    let paint = |code: &str, line: &str| {
        if color {
            format!("{code}{line}\x1b[m")
        } else {
            line.to_owned()
        }
    };
    let mut say = |line: &str| {
        text.extend_from_slice(line.as_bytes());
        text.push(b'\n');
    };
    let head = repo.head();
    match repo.branch() {
        Some(branch) => {
            say(&format!("On branch {}", show(&branch)));
            if let Some(upstream) = revision::upstream(repo, &branch) {
                for line in tracking(repo, &upstream, hints)?.lines() {
                    say(line);
                }
            }
        }
        None if rebase_state(repo).is_some() => {
            let onto = rebase_state(repo).unwrap_or_default();
            say(&format!(
                "{}; onto {}",
                paint("\x1b[31m", "interactive rebase in progress"),
                onto.1
            ));
        }
        None => {
            let at = detached_at(repo);
            say(&at);
        }
    }
    progress(repo, index, hints, &mut say)?;
    if head.is_none() {
        say("");
        say(if committing {
            "Initial commit"
        } else {
            "No commits yet"
        });
        say("");
    }
    let shown = |path: &[u8]| {
        let path = match repo.config.truth("status.relativepaths") {
            Some(false) => path.to_vec(),
            _ => repo.relative(path),
        };
        show(&repo.quote(&path))
    };
    let label = |change: &Change| {
        let word = match change.status {
            b'A' => "new file:   ",
            b'D' => "deleted:    ",
            b'R' => "renamed:    ",
            b'C' => "copied:     ",
            b'T' => "typechange: ",
            _ => "modified:   ",
        };
        match change.status {
            b'R' | b'C' => format!(
                "{word}{} -> {}",
                shown(&change.old.path),
                shown(&change.new.path)
            ),
            _ => format!("{word}{}", shown(&change.new.path)),
        }
    };
    let merging = repo.has_file("MERGE_HEAD") || repo.has_file("CHERRY_PICK_HEAD");
    if !state.staged.is_empty() {
        say("Changes to be committed:");
        if hints && !merging {
            say(match head {
                Some(_) => "  (use \"git restore --staged <file>...\" to unstage)",
                None => "  (use \"git rm --cached <file>...\" to unstage)",
            });
        }
        for change in &state.staged {
            say(&format!("\t{}", paint("\x1b[32m", &label(change))));
        }
        say("");
    }
    if !state.unmerged.is_empty() {
        say("Unmerged paths:");
        if hints {
            if !merging {
                say(match head {
                    Some(_) => "  (use \"git restore --staged <file>...\" to unstage)",
                    None => "  (use \"git rm --cached <file>...\" to unstage)",
                });
            }
            let deleted = state
                .unmerged
                .values()
                .filter(|bits| [3, 5].contains(*bits))
                .count();
            let both = state.unmerged.values().filter(|bits| **bits == 1).count();
            say(match () {
                () if deleted + both == 0 => "  (use \"git add <file>...\" to mark resolution)",
                () if both == state.unmerged.len() => {
                    "  (use \"git rm <file>...\" to mark resolution)"
                }
                () => "  (use \"git add/rm <file>...\" as appropriate to mark resolution)",
            });
        }
        for (path, bits) in &state.unmerged {
            say(&format!(
                "\t{}",
                paint(
                    "\x1b[31m",
                    &format!("{}{}", unmerged_words(*bits), shown(path))
                )
            ));
        }
        say("");
    }
    if !state.unstaged.is_empty() {
        say("Changes not staged for commit:");
        if hints {
            say(
                match state.unstaged.iter().any(|change| change.status == b'D') {
                    true => "  (use \"git add/rm <file>...\" to update what will be committed)",
                    false => "  (use \"git add <file>...\" to update what will be committed)",
                },
            );
            say("  (use \"git restore <file>...\" to discard changes in working directory)");
        }
        for change in &state.unstaged {
            say(&format!("\t{}", paint("\x1b[31m", &label(change))));
        }
        say("");
    }
    for (paths, title, verb) in [
        (&state.untracked, "Untracked files:", "add"),
        (&state.ignored, "Ignored files:", "add -f"),
    ] {
        if paths.is_empty() {
            continue;
        }
        say(title);
        if hints {
            say(&format!(
                "  (use \"git {verb} <file>...\" to include in what will be committed)"
            ));
        }
        for path in paths {
            say(&format!("\t{}", paint("\x1b[31m", &shown(path))));
        }
        say("");
    }
    let not_listed = untracked == Untracked::No;
    if not_listed && !state.staged.is_empty() && hints && !committing {
        say("Untracked files not listed (use -u option to show untracked files)");
    }
    if state.staged.is_empty() {
        let hint = |text: &str| {
            if hints {
                format!(" ({text})")
            } else {
                String::new()
            }
        };
        let last = match () {
            () if !state.unmerged.is_empty() || !state.unstaged.is_empty() => {
                format!(
                    "no changes added to commit{}",
                    hint("use \"git add\" and/or \"git commit -a\"")
                )
            }
            () if !state.untracked.is_empty() => {
                format!(
                    "nothing added to commit but untracked files present{}",
                    hint("use \"git add\" to track")
                )
            }
            () if head.is_none() => format!(
                "nothing to commit{}",
                hint("create/copy files and use \"git add\" to track")
            ),
            () if not_listed => format!(
                "nothing to commit{}",
                hint("use -u to show untracked files")
            ),
            () => "nothing to commit, working tree clean".to_owned(),
        };
        let merging = repo.has_file("MERGE_HEAD");
        if !(merging
            && state.unmerged.is_empty()
            && state.unstaged.is_empty()
            && state.untracked.is_empty())
            || head.is_none()
        {
            say(&last);
        }
    }
    let stashes = repo.refs.read_log(b"refs/stash").len();
    if stash && stashes > 0 {
        say(&format!(
            "Your stash currently has {stashes} entr{}",
            if stashes == 1 { "y" } else { "ies" }
        ));
    }
    Ok(text)
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
