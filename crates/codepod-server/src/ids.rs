//! Ids that nobody can guess: 128 random bits behind two letters that say what it is.

use codepod_api::{ApiError, Kind};

/// An id of a kind: `sb` for sandboxes, `sn` for snapshots, `pv` for previews.
pub(crate) fn random(kind: &str) -> Result<String, ApiError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|_| ApiError::new(Kind::Unavailable, "the host gives no random numbers"))?;
    Ok(format!("{kind}_{:032x}", u128::from_be_bytes(bytes)))
}
