//! `git version`: which git it speaks like.

use super::Call;
use crate::out;
use crate::stop::Result;

/// `git version`.
pub(crate) fn version(_: &Call) -> Result<i32> {
    out::line("git version 2.47.3 (codepod)");
    Ok(0)
}
