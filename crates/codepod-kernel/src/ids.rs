//! Ids are types, so that a pid is never mistaken for a descriptor.

use std::fmt;

macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident;)*) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

ids! {
    /// A process of a sandbox. 1 is the kernel itself, which adopts orphans.
    Pid;
    /// A descriptor of a process.
    Fd;
    /// An open file of a sandbox: what descriptors refer to and share.
    OpenFileId;
    /// A pipe of a sandbox.
    PipeId;
    /// A socket of a sandbox.
    SocketId;
    /// A host's sink for output.
    SinkId;
    /// A terminal of a sandbox.
    TerminalId;
}

impl Fd {
    /// The root directory in calls that take a path, whatever else has this number. It is `/` from
    /// the start unless the parent gave something else, and the kernel never chooses it for
    /// something new.
    pub const ROOT: Fd = Fd(codepod_abi::wire::ROOT_FD);
}

impl Pid {
    /// The kernel as the parent of processes that have no other.
    pub const INIT: Pid = Pid(1);
}

/// Who waits for an event: a process, or the host on its own behalf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WaiterId(pub u64);

impl WaiterId {
    /// The waiter that the host is; `number` tells several apart.
    pub const fn host(number: u32) -> WaiterId {
        WaiterId((1 << 32) | number as u64)
    }
}

impl From<Pid> for WaiterId {
    fn from(pid: Pid) -> WaiterId {
        WaiterId(u64::from(pid.0))
    }
}
