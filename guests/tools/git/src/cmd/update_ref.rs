//! `git update-ref`: sets or deletes a reference, if it is what is expected.

use super::Call;
use crate::args::{self, options};
use crate::ident::{Role, identity};
use crate::oid::{Kind, Oid};
use crate::refs;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, fatal, show};

options! {
    /// What the command line says.
    struct Options for "update-ref" {
        message: Option<Vec<u8>> = "m|message=",
        delete: bool = "d|",
        /// Whether a symbolic reference is followed.
        deref: Option<bool> = "deref",
    }
    ignored "create-reflog"
    refused "stdin z|"
}

/// `git update-ref`.
pub(crate) fn update_ref(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.repo()?;
    let Some(name) = rest.words.first() else {
        return Err(args::usage("update-ref", "a reference is needed"));
    };
    let is_root = |name: &[u8]| {
        let mut bytes = name.iter();
        bytes.all(|byte| byte.is_ascii_uppercase() || *byte == b'_')
    };
    let shown = show(name);
    if !(name.starts_with(b"refs/") || is_root(name)) || !refs::is_valid(name, true) {
        return fatal(format!(
            "update_ref failed for ref '{shown}': refusing to update ref with bad name '{shown}'"
        ));
    }
    let target = match options.deref {
        Some(false) => name.clone(),
        _ => repo.refs.resolve_name(name).0,
    };
    let current = repo.refs.resolve(&target).unwrap_or(Oid::NULL);
    if let Some(expected) = rest.words.get(if options.delete { 1 } else { 2 }) {
        expect(&repo, &shown, current, expected)?;
    }
    if options.delete {
        repo.refs.delete(&target)?;
        return Ok(0);
    }
    let Some(new) = rest.words.get(1) else {
        return Err(args::usage("update-ref", "a new value is needed"));
    };
    let Some(oid) = revision::try_resolve(&repo, new)? else {
        return fatal(format!("{}: not a valid SHA1", show(new)));
    };
    if oid.is_null() {
        repo.refs.delete(&target)?;
        return Ok(0);
    }
    check_object(&repo, &shown, &target, oid)?;
    let who = identity(&repo, Role::Committer, false)?;
    let message = options.message.unwrap_or_default();
    repo.refs.write(&target, oid, Some((&who, &message)))?;
    if repo.refs.head_branch().as_ref() == Some(&target) {
        repo.refs.log(b"HEAD", current, oid, &who, &message)?;
    }
    Ok(0)
}

/// Fails when a reference is not what the user says it is.
fn expect(repo: &Repo, name: &str, current: Oid, expected: &[u8]) -> Result<()> {
    let wanted = match (expected, Oid::parse(expected)) {
        (b"", _) => Oid::NULL,
        (_, Some(oid)) => oid,
        (_, None) => match revision::try_resolve(repo, expected)? {
            Some(oid) => oid,
            None => return fatal(format!("{}: not a valid SHA1", show(expected))),
        },
    };
    if current == wanted {
        return Ok(());
    }
    let why = match (current.is_null(), wanted.is_null()) {
        (false, true) => "reference already exists".to_owned(),
        (true, _) => format!("unable to resolve reference '{name}'"),
        _ => format!("is at {current} but expected {wanted}"),
    };
    fatal(format!(
        "update_ref failed for ref '{name}': cannot lock ref '{name}': {why}"
    ))
}

/// Fails when a reference may not lead to an object.
fn check_object(repo: &Repo, name: &str, target: &[u8], oid: Oid) -> Result<()> {
    let why = match repo.objects.get(&oid)? {
        None => format!("trying to write ref '{name}' with nonexistent object {oid}"),
        Some((kind, _)) if target.starts_with(b"refs/heads/") && kind != Kind::Commit => {
            format!("trying to write non-commit object {oid} to branch '{name}'")
        }
        Some(_) => return Ok(()),
    };
    fatal(format!(
        "update_ref failed for ref '{name}': cannot update ref '{name}': {why}"
    ))
}
