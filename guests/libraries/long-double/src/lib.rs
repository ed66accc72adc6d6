//! Numbers as the `long double` of x86-64 has them, and the directives of C's `printf`.
//!
//! bash's `printf` and GNU's `printf` and `seq` read their numbers with `strtold` and print them
//! with `%Lf`. WebAssembly has no such type, so [`Extended`] does both on big integers, digit for
//! digit. [`Directive`] has the flags, width and precision of a directive.

mod arithmetic;
mod big;
mod directive;
mod extended;
mod float;

pub use directive::Directive;
pub use extended::{Extended, Kind, Read};
pub use float::write;
