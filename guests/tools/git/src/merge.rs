//! Merging: texts by three versions, and whole trees.

pub(crate) mod text;
pub(crate) mod tree;

pub(crate) use tree::{Labels, Merged, commits, trees};
