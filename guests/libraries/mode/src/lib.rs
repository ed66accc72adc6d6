//! File modes as text: `drwxr-xr-x`, and changes such as `u+x,go-w`.
//!
//! [`text`] and [`permissions`] print a mode. [`Change`] is a change of permission bits. GNU's
//! chmod, mkdir, install, find and tar read and apply changes by the same rules; bash's `umask`
//! has a smaller grammar and the same meaning. The crate needs neither the system nor other
//! crates, because the shell must stay small.

mod change;
mod parse;
mod print;

pub use change::Change;
pub use parse::Wrong;
pub use print::{permissions, text, type_letter};
