//! git on local repositories and over http(s), written for the sandbox.
//!
//! `cmd` has the commands; everything else is what they are made of: objects, references, the
//! index, differences, merges, and in `wire` the protocol. README.md says why it is not built on
//! libgit2 or gitoxide, and what is not there.

#![expect(
    clippy::type_complexity,
    clippy::needless_range_loop,
    clippy::only_used_in_recursion,
    reason = "lists of pairs are clear as they are; an index walks through two lists at once"
)]

mod args;
mod attributes;
mod cmd;
mod config;
mod date;
mod diff;
mod history;
mod ident;
mod ignore;
mod index;
mod merge;
mod object;
mod objects;
mod oid;
mod os;
mod out;
mod pack;
mod pathspec;
mod pattern;
mod pretty;
mod refs;
mod repo;
mod revision;
mod stop;
mod walk;
mod wildmatch;
mod wire;
mod worktree;

codepod_tool::tools! {
    "git": cmd::main, "keep the history of files";
}
