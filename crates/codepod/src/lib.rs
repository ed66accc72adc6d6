//! A computer for every AI agent, in microseconds.
//!
//! ```
//! # fn main() -> Result<(), codepod::Error> {
//! let sandbox = codepod::Sandbox::create(codepod::Options::default())?;
//! let result = sandbox.command(["seq", "3"]).run_blocking()?;
//! assert_eq!(result.stdout, b"1\n2\n3\n");
//! # Ok(())
//! # }
//! ```
//!
//! A [`Sandbox`] is a value: a file tree and policies. [`Sandbox::snapshot`], [`Sandbox::restore`]
//! and [`Sandbox::fork`] cost microseconds, whatever it holds. Commands are WebAssembly processes
//! on a small POSIX-like kernel in this host process: no server, no daemon, no root, no KVM.
//! Nothing of the host is reachable unless an option says so.
//!
//! The shell and the tools are in the library. Python comes with the feature `python`, numpy,
//! pandas and matplotlib with `science`, Node.js with `js`, npm with `npm`. Without the features,
//! or where a program shall stay small, they come in files: [`parts`].
//!
//! A thread that calls this library needs a stack of 128 KB: guests have stacks of their own, and
//! modules are compiled on threads of the library's. Each process of a guest reserves 4 GB of
//! address space, so a program under `ulimit -v` cannot set up a runtime.

#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]
#![forbid(unsafe_code)]

/// The examples of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;

mod absent;
mod apply;
mod background;
mod branches;
mod budget;
mod changes;
mod command;
mod complete;
mod dial;
mod edit;
mod edit_failure;
mod engine;
mod env;
mod error;
mod events;
mod feed;
mod files;
mod git_index;
mod gitignore;
mod host_commands;
mod host_memory;
mod image;
#[cfg(feature = "jail")]
pub mod jail;
mod jobs;
mod merge_text;
mod moment;
mod mounts;
#[cfg(feature = "network")]
pub mod network;
mod options;
mod overlays;
mod persist;
mod pipeline;
mod platform;
mod preview;
mod profile;
mod reached;
mod result;
mod running_command;
mod runtime;
mod sandbox;
mod script;
mod sessions;
mod shell;
mod sinks;
mod states;
mod stopwatch;
mod streams;
mod timeline;
mod timer;
mod transfer;
pub mod visible;

pub use absent::absent_commands;
pub use apply::{Applied, ApplyOptions, Lost, Refused, Resolve};
pub use background::BackgroundLimits;
pub use branches::{Conflict, Merged};
pub use changes::{Changes, PathChange};
pub use codepod_abi::{Errno, Signal};
/// Parts: guests that ship beside the program.
#[cfg(not(target_family = "wasm"))]
pub use codepod_guests::{Added as AddedPart, Part, PartError, add as add_part, parts};
#[cfg(not(target_family = "wasm"))]
pub use codepod_guests::{directories as part_directories, users_directory as own_parts};
#[cfg(not(target_family = "wasm"))]
pub use codepod_guests::{open_parts, preparing as preparing_part};
pub use codepod_kernel::{ExitStatus, Limits, ProcessFacts, Trace, TraceFn};
pub use codepod_store::{
    Key, Namespace, Saved, Store, StoreError, StoreOptions, Version as SavedVersion,
    make_namespace, namespaces, remove_namespace,
};
pub use codepod_vfs::{
    Budget, BudgetLimits, BudgetUse, ChangeKind, Charge, Charged, FileKind, FsLimits, GUARDED,
    Guard, Tree,
};
pub use command::{Command, Stdin};
pub use complete::Completion;
pub use dial::Connection;
pub use edit::{Edit, Edited};
pub use edit_failure::{EditFailure, LARGEST_EDITED, MOST_EDITS};
pub use engine::Share;
pub use error::{Error, ErrorKind};
pub use events::{Event, EventFn};
pub use files::{DirEntry, FileStat};
pub use gitignore::Selection;
pub use host_commands::{Call, HostCommand};
pub use jobs::{Job, JobState};
pub use moment::Moment;
pub use mounts::{Mount, MountAccess, MountSource};
pub use options::Options;
pub use overlays::{MountChange, MountChanges};
pub use persist::{Autosaved, Persistence, Persistent, SaveRoom};
pub use pipeline::Pipeline;
pub use preview::Preview;
pub use profile::Profile;
pub use reached::LimitNames;
pub use result::{Cut, RunResult, RunUsage};
pub use running_command::{Killer, Running};
pub use runtime::{
    GUESTS_EMBEDDED, Runtime, RuntimeOptions, cache_directory, cache_trouble, commands,
};
pub use sandbox::{Sandbox, Snapshot, Stats};
pub use script::{Canceller, RunningScript, Script, TerminalHandle, TerminalModes};
pub use sessions::{InterpreterSession, RunningCode};
pub use sessions::{JavaScriptSession, PythonSession, RunningJavaScript, RunningPython};
pub use shell::Shell;
pub use states::{SavedSandbox, SavedState, StateDirectory, VERSIONS};
pub use streams::{PipeReader, PipeWriter};
pub use timeline::{PastRun, StepKind, UndoLimits};
