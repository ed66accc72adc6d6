//! The syntax of bash: from bytes to a tree, and back.
//!
//! [`Parser`] reads one complete command after another, as bash does: what comes before a syntax
//! error has run by the time the error is found, and an alias defined on one line is known on the
//! next. It is total (any bytes give a tree or a [`SyntaxError`] with line and column), takes
//! linear time, and limits how deep things nest.
//!
//! [`tree`] holds what it returns; [`print()`] writes a tree as shell again, the way `declare -f`
//! does.

mod alias;
mod arithmetic;
mod error;
mod name;
mod parser;
pub mod print;
pub mod tree;

pub use alias::Aliases;
pub use arithmetic::{ArithmeticError, arithmetic};
pub use error::{ErrorKind, SyntaxError};
pub use name::Name;
pub use parser::{Options, Parser, Source, Warning, ansi, double_quoted, elements, word};
