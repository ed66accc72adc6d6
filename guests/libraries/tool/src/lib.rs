//! What every tool of ours needs.
//!
//! [`tools!`] makes a module of one or more tools: its `main`, and the list of commands that the
//! build reads. [`Options`] reads arguments as GNU's `getopt_long` does, to the letter of its
//! messages. [`Output`] is standard output with a buffer, and [`complain`] writes a message.
//! Arguments and paths are bytes.
//!
//! Messages of tools are the ones that GNU's print in the locale C.UTF-8 with ASCII quotes.

mod bytes;
mod choice;
mod command;
mod message;
mod names;
mod options;
mod output;
pub mod processes;
mod quoting;
mod size;
mod stdin;
mod stop;
mod table;

pub use bytes::{os_str, path};
pub use choice::{exactly_one_of, one_of};
pub use command::{Command, Ended, Ends};
pub use message::{complain, complain_of, errno_text, io_text};
pub use names::Names;
pub use options::{Found, Opt, Options, Usage, Value, flag, long, optional, value};
pub use output::Output;
pub use quoting::{
    Style, masked, needs_quotes, quoted, quoted_if_needed, quoted_text, single_quoted,
};
pub use size::{Units, human_size, scaled_size};
pub use stdin::Stdin;
pub use stop::Stop;
pub use table::{Main, Tool, run};

/// A tool's arguments, without its name.
pub type Arguments = Vec<Vec<u8>>;
