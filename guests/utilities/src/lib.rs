//! Small tools that start no processes.

pub mod column;
pub mod envsubst;
pub mod files;
pub mod getent;
pub mod hexdump;
pub mod pager;
pub mod screen;
pub mod strings;
pub mod tree;
pub mod which;
pub mod xxd;
