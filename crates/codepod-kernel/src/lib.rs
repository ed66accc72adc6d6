//! The kernel of a sandbox: processes, descriptors, pipes, sockets, signals, limits.
//!
//! One [`Kernel`] is one sandbox's. An engine runs modules and hands each import to the handler of
//! the same name in [`syscalls`]; the library talks to the [`Kernel`] itself. Nothing here opens a
//! host file or socket, reads a clock, starts a thread or knows WebAssembly: time and randomness
//! come from the [`Host`], guest memory through [`GuestMemory`], files from `codepod-vfs`.
//!
//! A call that may wait is poll-shaped: it returns `Poll::Pending` after leaving the caller's waker
//! where the event will happen, and is called again with the same arguments.

#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::disallowed_methods
    )
)]
#![forbid(unsafe_code)]

mod arena;
mod device;
mod fd_table;
mod file_lock;
mod host;
mod host_command;
mod ids;
mod kernel;
mod limit_reached;
mod limits;
mod memory;
mod net;
mod open_file;
mod pipe;
mod policy;
mod process;
mod process_table;
mod run_outputs;
mod shared_kernel;
mod sink;
mod strings;
pub mod syscalls;
mod terminal;
pub mod testing;
mod trace;
mod wait_set;

pub use fd_table::{Descriptor, FdTable, Target};
pub use host::{Host, TimerKey};
pub use host_command::{HostCall, HostCommand, HostCommands, HostProgram};
pub use ids::{Fd, OpenFileId, Pid, PipeId, SinkId, SocketId, TerminalId, WaiterId};
pub use kernel::{Kernel, KernelOptions, PipeEnd};
pub use limit_reached::{Limit, Reached};
pub use limits::{Limits, megabytes};
pub use memory::{GuestMemory, SliceMemory};
pub use net::{Gateway, HostSocket, Link, NameAnswer, Open, Refusal, Target as OpenTarget};
pub use policy::{Allowed, Policy};
pub use process::spawn::{Group, ModuleSource, Program, SpawnSpec, Stdio};
pub use process::turn::Turn;
pub use process::{Answer, Control, ExitStatus, Family, ProcessFacts, RunId, RunState, Usage};
pub use shared_kernel::{KernelGuard, Poisoned, SharedKernel};
pub use strings::Strings;
pub use syscalls::{Outcome, Syscall};
pub use trace::{Trace, TraceFn};
