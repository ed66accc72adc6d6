//! Limits: everything a guest can grow, and how far.
//!
//! They are enforced where the growth happens. File-system limits live in `codepod-vfs`
//! ([`codepod_vfs::FsLimits`]); time is the library's.

/// The limits of one sandbox's kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Processes alive or not yet waited for; one more fails with `Again`.
    pub processes: usize,
    /// Descriptors of one process; one more fails with `Mfile`.
    pub descriptors: usize,
    /// Pipes in the sandbox; one more fails with `Nfile`.
    pub pipes: usize,
    /// Sockets in the sandbox, those included that wait to be accepted and those that the host
    /// holds; one more fails with `Nfile`.
    pub sockets: usize,
    /// Bytes that wait at a socket to be received before their sender waits. Of datagrams over IPv4
    /// what does not fit is lost.
    pub socket_bytes: usize,
    /// Connections that wait at a socket to be accepted; a guest may ask for fewer.
    pub backlog: usize,
    /// Bytes that a pipe holds before its writer waits.
    pub pipe_bytes: usize,
    /// Bytes of arguments and environment of a process; more fails with `TooBig`.
    pub argument_bytes: usize,
    /// Linear memory of one process; growing past it fails inside the guest.
    pub memory_bytes: usize,
    /// Linear memory and stacks of all processes of the sandbox together.
    pub total_memory_bytes: usize,
    /// Bytes of a captured output stream; past it the writer's reader is gone (SIGPIPE).
    pub output_bytes: usize,
    /// Bytes of whole outputs in `/proc/runs`, of all runs together; the oldest go.
    pub kept_output_bytes: usize,
    /// Bytes of the state that a shell hands over after a run; more fails with `TooBig`.
    pub session_bytes: usize,
    /// Bytes of a module that is loaded from a file of the sandbox; more fails with `NoExec`.
    pub module_bytes: usize,
    /// What guests see of the clock, in nanoseconds: finer steps would serve timing attacks.
    pub clock_resolution: u64,
}

impl Limits {
    /// The most buffers of one `fd_read` or `fd_write`; more fail with `Inval` (Linux: `IOV_MAX`).
    pub const IOVECS: u32 = 1024;
    /// The most bytes that one call moves to or from a file or device; the rest is left to the
    /// next.
    pub const CALL_BYTES: u64 = 16 << 20;
    /// The most random bytes that are made before others get their turn.
    pub const RANDOM_BYTES: usize = 1 << 20;
    /// The most subscriptions of one `poll_oneoff`; more fail with `Inval`.
    pub const SUBSCRIPTIONS: u32 = 4096;
    /// How many `#!` lines may lead to each other; more fail with `Loop`.
    pub const INTERPRETERS: usize = 4;
}

/// An amount of memory or of files as messages say it: whole megabytes, rounded up.
pub fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes.div_ceil(1 << 20))
}

impl Default for Limits {
    fn default() -> Limits {
        const MB: usize = 1 << 20;
        Limits {
            processes: 64,
            descriptors: 1024,
            pipes: 256,
            pipe_bytes: 64 << 10,
            sockets: 256,
            socket_bytes: 256 << 10,
            backlog: 128,
            argument_bytes: 2 * MB,
            memory_bytes: 256 * MB,
            total_memory_bytes: 1024 * MB,
            output_bytes: 10 * MB,
            kept_output_bytes: 32 * MB,
            session_bytes: 64 * MB,
            module_bytes: 32 * MB,
            clock_resolution: 1_000_000,
        }
    }
}
