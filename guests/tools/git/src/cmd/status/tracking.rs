//! How a branch stands to the one that it follows.

use crate::object::Commit;
use crate::repo::Repo;
use crate::stop::{Result, show};
use crate::walk;

/// How a branch stands to the one that it follows.
pub(crate) fn tracking(repo: &Repo, upstream: &[u8], hints: bool) -> Result<String> {
    let name = show(crate::cmd::short_ref(upstream));
    let Some((theirs, ours)) = repo.refs.resolve(upstream).zip(repo.head()) else {
        let mut text = format!("Your branch is based on '{name}', but the upstream is gone.\n");
        if hints {
            text += "  (use \"git branch --unset-upstream\" to fixup)\n";
        }
        return Ok(text + "\n");
    };
    // Both have to be commits.
    Commit::read(&repo.objects, &theirs)?;
    let plural = |count: usize| if count == 1 { "commit" } else { "commits" };
    let text = match ahead_behind(repo, ours, theirs)? {
        (0, 0) => format!("Your branch is up to date with '{name}'.\n"),
        (ahead, 0) => {
            let hint = if hints {
                "  (use \"git push\" to publish your local commits)\n"
            } else {
                ""
            };
            format!(
                "Your branch is ahead of '{name}' by {ahead} {}.\n{hint}",
                plural(ahead)
            )
        }
        (0, behind) => {
            let hint = if hints {
                "  (use \"git pull\" to update your local branch)\n"
            } else {
                ""
            };
            format!(
                "Your branch is behind '{name}' by {behind} {}, and can be fast-forwarded.\n{hint}",
                plural(behind)
            )
        }
        (ahead, behind) => {
            let hint = match hints {
                true => {
                    "  (use \"git pull\" if you want to integrate the remote branch with yours)\n"
                }
                false => "",
            };
            format!(
                "Your branch and '{name}' have diverged,\nand have {ahead} and {behind} different {} each, respectively.\n{hint}",
                plural(ahead + behind)
            )
        }
    };
    Ok(text + "\n")
}

/// How many commits each of two has that the other has not.
pub(crate) fn ahead_behind(
    repo: &Repo,
    ours: crate::oid::Oid,
    theirs: crate::oid::Oid,
) -> Result<(usize, usize)> {
    if ours == theirs {
        return Ok((0, 0));
    }
    let ahead = walk::range(repo, &[ours], &[theirs], false)?.len();
    let behind = walk::range(repo, &[theirs], &[ours], false)?.len();
    Ok((ahead, behind))
}
