//! The part of `clap` that uutils uses, made for processes that live for microseconds.
//!
//! Two things differ from the real crate, both on purpose:
//!
//! * **Cost.** A [`Command`] is a list of small [`Arg`]s; nothing is hashed, checked or formatted
//!   before an error or `--help` needs it. The real crate was another third of a tool's start-up.
//! * **Rules and messages are `getopt_long`'s.** Options take the next word whatever it starts
//!   with, a repeated option wins over the earlier one, `-d=` means `=`, an optional value must be
//!   attached, and errors read as GNU's do (`sort: invalid option -- 'j'`).
//!
//! [`error::Error::kind`] says more about who prints the message than about what went wrong: see
//! there.

mod arg;
mod bytes;
mod command;
pub mod error;
mod gnu;
mod help;
mod matches;
mod parse;
mod value_parser;

pub use arg::{Arg, ArgAction, ArgGroup, Id, ValueHint, ValueRange};
pub use command::{ColorChoice, Command};
pub use error::Error;
pub use matches::ArgMatches;

/// What commands are built of.
pub mod builder {
    pub use crate::arg::{Arg, ArgAction, StyledStr, ValueHint};
    pub use crate::command::Command;
    pub use crate::value_parser::{
        NonEmptyStringValueParser, PossibleValue, PossibleValuesParser, RangedValueParser,
        TypedValueParser, ValueParser, ValueParserFactory,
    };
}

/// What parsing results in.
pub mod parser {
    pub use crate::matches::{
        ArgMatches, Indices, MatchesError, Occurrences, ValueSource, ValuesRef,
    };
}

/// The parser of a type's values.
#[macro_export]
macro_rules! value_parser {
    ($type:ty) => {
        <$type as $crate::builder::ValueParserFactory>::value_parser()
    };
}

/// The version of the calling crate.
#[macro_export]
macro_rules! crate_version {
    () => {
        env!("CARGO_PKG_VERSION")
    };
}
