//! `git pack-refs`: references into one file.

use super::Call;
use crate::args::options;
use crate::repo::Repo;
use crate::revision;
use crate::stop::Result;

options! {
    /// What the command line says.
    struct Options for "pack-refs" {}
    ignored "all prune auto include= exclude="
}

/// `git pack-refs`.
pub(crate) fn pack_refs(call: &Call) -> Result<i32> {
    let (Options {}, _) = Options::read(&call.words)?;
    pack(&call.repo()?)?;
    Ok(0)
}

/// Writes all references into one file, tags with the objects that they lead to.
pub(super) fn pack(repo: &Repo) -> Result<()> {
    repo.refs.pack(|oid| {
        revision::peel(repo, oid, None)
            .ok()
            .filter(|peeled| *peeled != oid)
    })
}
