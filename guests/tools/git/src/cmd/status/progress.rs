//! What is under way in a working tree: a merge, a rebase, a cherry-pick, a revert.

use crate::index::Index;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, show};

/// `HEAD detached at …`.
pub(crate) fn detached_at(repo: &Repo) -> String {
    let log = repo.refs.read_log(b"HEAD");
    let moved = log.iter().rev().find_map(|line| {
        let rest = line.message.strip_prefix(b"checkout: moving from ")?;
        let at = rest.windows(4).position(|four| four == b" to ")?;
        Some((rest[at + 4..].to_vec(), line.new))
    });
    match (moved, repo.head()) {
        (Some((name, oid)), Some(head)) => {
            let is_hex = name.len() >= 40 && crate::oid::Oid::parse(&name).is_some();
            let full = revision::full_ref(repo, &name).filter(|full| full.starts_with(b"refs/"));
            let name = if is_hex || full.is_none() {
                repo.short(&oid)
            } else {
                show(&name)
            };
            let word = if head == oid { "at" } else { "from" };
            format!("HEAD detached {word} {name}")
        }
        (None, Some(_)) | (_, None) => "Not currently on any branch.".to_owned(),
    }
}

/// The branch being rebased and what it goes on, when a rebase is under way.
pub(crate) fn rebase_state(repo: &Repo) -> Option<(String, String)> {
    let name = repo.read_file("rebase-merge/head-name")?;
    let onto = repo.read_file("rebase-merge/onto")?;
    let onto = crate::oid::Oid::parse(&onto).map_or_else(|| show(&onto), |oid| repo.short(&oid));
    Some((show(crate::cmd::short_ref(&name)), onto))
}

/// What is under way: a merge, a rebase, a cherry-pick, a revert.
pub(super) fn progress(
    repo: &Repo,
    index: &Index,
    hints: bool,
    say: &mut dyn FnMut(&str),
) -> Result<()> {
    let conflicts = !index.unmerged().is_empty();
    if let Some((branch, onto)) = rebase_state(repo) {
        rebase_progress(repo, &branch, &onto, conflicts, hints, say);
        return Ok(());
    }
    if repo.has_file("MERGE_HEAD") {
        if conflicts {
            say("You have unmerged paths.");
            if hints {
                say("  (fix conflicts and run \"git commit\")");
                say("  (use \"git merge --abort\" to abort the merge)");
            }
        } else {
            say("All conflicts fixed but you are still merging.");
            if hints {
                say("  (use \"git commit\" to conclude merge)");
            }
        }
        say("");
        return Ok(());
    }
    for (file, verb, command) in [
        ("CHERRY_PICK_HEAD", "cherry-picking", "cherry-pick"),
        ("REVERT_HEAD", "reverting", "revert"),
    ] {
        let Some(oid) = repo
            .read_file(file)
            .and_then(|text| crate::oid::Oid::parse(&text))
        else {
            continue;
        };
        say(&format!(
            "You are currently {verb} commit {}.",
            repo.short(&oid)
        ));
        if hints {
            say(&match conflicts {
                true => format!("  (fix conflicts and run \"git {command} --continue\")"),
                false => format!("  (all conflicts fixed: run \"git {command} --continue\")"),
            });
            say(&format!(
                "  (use \"git {command} --skip\" to skip this patch)"
            ));
            let what = if command == "revert" {
                "revert"
            } else {
                "cherry-pick"
            };
            say(&format!(
                "  (use \"git {command} --abort\" to cancel the {what} operation)"
            ));
        }
        say("");
    }
    if repo.has_file("BISECT_LOG") {
        let start = repo.read_file("BISECT_START").unwrap_or_default();
        say(&format!(
            "You are currently bisecting, started from branch '{}'.",
            show(&start)
        ));
        if hints {
            say("  (use \"git bisect reset\" to get back to the original branch)");
        }
        say("");
    }
    Ok(())
}

fn rebase_progress(
    repo: &Repo,
    branch: &str,
    onto: &str,
    conflicts: bool,
    hints: bool,
    say: &mut dyn FnMut(&str),
) {
    let list = |name: &str| -> Vec<String> {
        let text = repo.read_file(name).unwrap_or_default();
        let lines = text.split(|byte| *byte == b'\n').map(show);
        lines
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .map(|line| shorten(repo, &line))
            .collect()
    };
    let (done, left) = (
        list("rebase-merge/done"),
        list("rebase-merge/git-rebase-todo"),
    );
    if done.is_empty() {
        say("No commands done.");
    } else {
        let plural = if done.len() == 1 {
            "command"
        } else {
            "commands"
        };
        let word = if done.len() == 1 {
            "Last command"
        } else {
            "Last commands"
        };
        say(&format!("{word} done ({} {plural} done):", done.len()));
        done.iter()
            .skip(done.len().saturating_sub(2))
            .for_each(|line| say(&format!("   {line}")));
        if done.len() > 2 && hints {
            say("  (see more in file .git/rebase-merge/done)");
        }
    }
    if left.is_empty() {
        say("No commands remaining.");
    } else {
        let plural = if left.len() == 1 {
            "command"
        } else {
            "commands"
        };
        let word = if left.len() == 1 {
            "Next command"
        } else {
            "Next commands"
        };
        say(&format!(
            "{word} to do ({} remaining {plural}):",
            left.len()
        ));
        left.iter()
            .take(2)
            .for_each(|line| say(&format!("   {line}")));
        if hints {
            say("  (use \"git rebase --edit-todo\" to view and edit)");
        }
    }
    let who = match branch.is_empty() || branch == "detached HEAD" {
        true => "You are currently rebasing.".to_owned(),
        false => format!("You are currently rebasing branch '{branch}' on '{onto}'."),
    };
    say(&who);
    if hints {
        if conflicts {
            say("  (fix conflicts and then run \"git rebase --continue\")");
            say("  (use \"git rebase --skip\" to skip this patch)");
            say("  (use \"git rebase --abort\" to check out the original branch)");
        } else {
            say("  (all conflicts fixed: run \"git rebase --continue\")");
        }
    }
    say("");
}

fn shorten(repo: &Repo, line: &str) -> String {
    let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    if let Some(oid) = words
        .get(1)
        .and_then(|word| crate::oid::Oid::parse(word.as_bytes()))
    {
        words[1] = repo.short(&oid);
    }
    words.join(" ")
}
