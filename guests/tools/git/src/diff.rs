//! Differences between trees, the index and the working tree.
//!
//! [`change`] finds which paths differ, [`rename`] pairs what was moved, [`lines`] compares
//! content, [`patch`] and [`stat`] show it.

mod binary;
pub(crate) mod change;
mod check;
pub(crate) mod combined;
mod hunks;
pub(crate) mod lines;
pub(crate) mod options;
pub(crate) mod patch;
pub(crate) mod rename;
pub(crate) mod stat;
pub(crate) mod words;

pub(crate) use change::{Change, Side};
pub(crate) use options::Options;

use crate::repo::Repo;
use crate::stop::Result;

/// Prints changes in all forms that the options ask for; whether there was anything.
pub(crate) fn show(repo: &Repo, changes: &[Change], options: &Options) -> Result<bool> {
    let mut printer = patch::Printer::new(repo, options);
    printer.show(changes)
}
