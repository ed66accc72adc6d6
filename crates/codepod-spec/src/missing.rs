//! References that a machine may lack. What cannot be compared has not been shown, so it fails,
//! unless `CODEPOD_MAY_MISS` names it.
//!
//! `xtask` and the tests of `codepod` have this file, too.

/// The variable that lists what may be missing, separated by commas.
pub(crate) const VARIABLE: &str = "CODEPOD_MAY_MISS";

/// Whether `what` may be missing here.
pub(crate) fn may_miss(what: &str) -> bool {
    std::env::var(VARIABLE).is_ok_and(|list| names(&list, what))
}

/// Whether a list separated by commas has a name.
pub(crate) fn names(list: &str, what: &str) -> bool {
    list.split(',').any(|name| name.trim() == what)
}
