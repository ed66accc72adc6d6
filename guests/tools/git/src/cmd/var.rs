//! `git var`.

use super::Call;
use crate::args;
use crate::ident::{Role, identity};
use crate::os;
use crate::out;
use crate::stop::{Result, show};

/// `git var`.
pub(crate) fn var(call: &Call) -> Result<i32> {
    let repo = call.repo()?;
    let name = call
        .words
        .first()
        .map(|word| show(word))
        .unwrap_or_default();
    match name.as_str() {
        "GIT_AUTHOR_IDENT" => out::line(identity(&repo, Role::Author, true)?),
        "GIT_COMMITTER_IDENT" => out::line(identity(&repo, Role::Committer, true)?),
        "GIT_EDITOR" => out::line(os::variable("GIT_EDITOR").unwrap_or_else(|| b"editor".to_vec())),
        "GIT_PAGER" => out::line(os::variable("GIT_PAGER").unwrap_or_else(|| b"cat".to_vec())),
        "GIT_DEFAULT_BRANCH" => {
            out::line(repo.config.get("init.defaultbranch").unwrap_or(b"master"))
        }
        _ => return Err(args::usage("var", format!("unknown variable `{name}'"))),
    }
    Ok(0)
}
