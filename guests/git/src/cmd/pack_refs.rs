//! `git pack-refs`: references into one file.

use super::Call;
use crate::args;
use crate::revision;
use crate::stop::Result;

/// `git pack-refs`.
pub(crate) fn pack_refs(call: &Call) -> Result<i32> {
    let _ = args::parse("pack-refs", "all prune auto include= exclude=", &call.words)?;
    let repo = call.repo()?;
    repo.refs.pack(|oid| {
        revision::peel(&repo, oid, None)
            .ok()
            .filter(|peeled| *peeled != oid)
    })?;
    Ok(0)
}
