//! `git update-ref`: sets or deletes a reference, if it is what is expected.

use super::Call;
use crate::args;
use crate::ident::{Role, identity};
use crate::oid::{Kind, Oid};
use crate::refs;
use crate::revision;
use crate::stop::{Result, fatal, show};

/// `git update-ref`.
pub(crate) fn update_ref(call: &Call) -> Result<i32> {
    let parsed = args::parse(
        "update-ref",
        "m|message= d| deref no-deref stdin z| create-reflog",
        &call.words,
    )?;
    parsed.refuse(&["stdin", "z"])?;
    let repo = call.repo()?;
    let Some(name) = parsed.words.first() else {
        return Err(args::usage("update-ref", "a reference is needed"));
    };
    if !name.starts_with(b"refs/")
        && !name
            .iter()
            .all(|byte| byte.is_ascii_uppercase() || *byte == b'_')
        || !refs::is_valid(name, true)
    {
        return fatal(format!(
            "update_ref failed for ref '{}': refusing to update ref with bad name '{}'",
            show(name),
            show(name)
        ));
    }
    let target = if parsed.has("no-deref") {
        name.clone()
    } else {
        repo.refs.resolve_name(name).0
    };
    let current = repo.refs.resolve(&target);
    let expected = parsed.words.get(if parsed.has("d") { 1 } else { 2 });
    if let Some(expected) = expected {
        let wanted = match &expected[..] {
            b"" => Oid::NULL,
            text => match Oid::parse(text) {
                Some(oid) => oid,
                None => match revision::try_resolve(&repo, text)? {
                    Some(oid) => oid,
                    None => return fatal(format!("{}: not a valid SHA1", show(text))),
                },
            },
        };
        let (is, name) = (current.unwrap_or(Oid::NULL), show(name));
        if is != wanted {
            return fatal(match (is.is_null(), wanted.is_null()) {
                (false, true) => format!(
                    "update_ref failed for ref '{name}': cannot lock ref '{name}': reference already exists"
                ),
                (true, _) => format!(
                    "update_ref failed for ref '{name}': cannot lock ref '{name}': unable to resolve reference '{name}'"
                ),
                _ => format!(
                    "update_ref failed for ref '{name}': cannot lock ref '{name}': is at {is} but expected {wanted}"
                ),
            });
        }
    }
    if parsed.has("d") {
        repo.refs.delete(&target)?;
        return Ok(0);
    }
    let Some(new) = parsed.words.get(1) else {
        return Err(args::usage("update-ref", "a new value is needed"));
    };
    let Some(oid) = revision::try_resolve(&repo, new)? else {
        return fatal(format!("{}: not a valid SHA1", show(new)));
    };
    if oid.is_null() {
        repo.refs.delete(&target)?;
        return Ok(0);
    }
    let (kind, _) = match repo.objects.get(&oid)? {
        Some(object) => object,
        None => {
            let name = show(name);
            return fatal(format!(
                "update_ref failed for ref '{name}': cannot update ref '{name}': trying to write ref '{name}' with nonexistent object {oid}"
            ));
        }
    };
    if target.starts_with(b"refs/heads/") && kind != Kind::Commit {
        let name = show(name);
        return fatal(format!(
            "update_ref failed for ref '{name}': cannot update ref '{name}': trying to write non-commit object {oid} to branch '{name}'"
        ));
    }
    let who = identity(&repo, Role::Committer, false)?;
    let message = parsed.value("message").unwrap_or_default();
    repo.refs.write(&target, oid, Some((&who, message)))?;
    if repo.refs.head_branch().as_ref() == Some(&target) {
        repo.refs
            .log(b"HEAD", current.unwrap_or(Oid::NULL), oid, &who, message)?;
    }
    Ok(0)
}
