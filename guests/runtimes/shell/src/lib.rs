//! bash, inside the sandbox.
//!
//! [`state::State`] is what a shell knows, as a value. [`shell::Shell`] is a state with descriptors
//! and children; `exec` walks the tree that `codepod-shell-syntax` made, `expand` turns words into
//! fields, `builtins` holds the commands that run inside.
//!
//! There is no `fork`. A subshell and a command substitution run in place on a clone of the state,
//! which is cheap; what must run at the same time (a stage of a pipeline, `&`, a process
//! substitution) runs in a child shell that gets state and tree through a pipe (`child`).

pub mod arith;
pub mod assign;
pub mod builtins;
pub mod child;
pub mod completion;
pub mod cond;
pub mod exec;
pub mod expand;
pub mod fds;
pub mod flow;
pub mod invoke;
pub mod jobs;
pub mod options;
pub mod path;
pub mod pattern;
pub mod quote;
pub mod regex;
pub mod shell;
pub mod sort;
pub mod special;
pub mod state;
pub mod text;
pub mod traps;
pub mod variables;
