//! Which limits were reached: noted where a call is refused, told to the host when it asks.

use codepod_abi::Errno;
use codepod_abi::table::Call;
use codepod_vfs::Usage;

/// Something that is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// Processes at a time.
    Processes,
    /// Descriptors of a process.
    Descriptors,
    /// Pipes of the sandbox.
    Pipes,
    /// Sockets of the sandbox.
    Sockets,
    /// Bytes of arguments and environment.
    Arguments,
    /// Linear memory of a process.
    Memory,
    /// Linear memory and stacks of all processes of the sandbox together.
    TotalMemory,
    /// Memory that the sandbox draws from together with others.
    SharedMemory,
    /// Bytes of files.
    FileBytes,
    /// Files and directories.
    Files,
    /// Bytes of output.
    Output,
    /// The time of a run.
    Time,
}

impl Limit {
    /// Its name, as events and messages have it.
    pub const fn name(self) -> &'static str {
        match self {
            Limit::Processes => "processes",
            Limit::Descriptors => "descriptors",
            Limit::Pipes => "pipes",
            Limit::Sockets => "sockets",
            Limit::Arguments => "arguments",
            Limit::Memory => "memory",
            Limit::TotalMemory => "total-memory",
            Limit::SharedMemory => "shared-memory",
            Limit::FileBytes => "file-bytes",
            Limit::Files => "files",
            Limit::Output => "output",
            Limit::Time => "time",
        }
    }

    /// The limit that a call was refused for, if it was.
    pub(crate) fn behind(call: Call, errno: Errno) -> Option<Limit> {
        match errno {
            Errno::NoSpc => Some(Limit::FileBytes),
            Errno::Mfile => Some(Limit::Descriptors),
            Errno::Nfile if call.info().name.starts_with("sock_") => Some(Limit::Sockets),
            Errno::Nfile => Some(Limit::Pipes),
            Errno::TooBig => Some(Limit::Arguments),
            Errno::Again if call == Call::proc_spawn => Some(Limit::Processes),
            _ => None,
        }
    }
}

/// Limits that were reached since the host asked last.
#[derive(Debug, Clone, Default)]
pub struct Reached {
    /// Each once, in the order in which they were.
    pub limits: Vec<Limit>,
    /// What the files took when there was no space for more. They may have gone since.
    pub files: Usage,
    /// Bytes that a session needed when there was no space for it; 0 if there was.
    pub session: u64,
}

impl Reached {
    pub(crate) fn note(&mut self, limit: Limit) {
        if !self.limits.contains(&limit) {
            self.limits.push(limit);
        }
    }

    /// Notes that something did not fit while the files took this much.
    pub(crate) fn note_files(&mut self, used: Usage) {
        self.files.bytes = self.files.bytes.max(used.bytes);
        self.files.nodes = self.files.nodes.max(used.nodes);
        self.note(Limit::FileBytes);
    }

    /// Notes that a session of so many bytes did not fit.
    pub(crate) fn note_session(&mut self, bytes: u64) {
        self.session = self.session.max(bytes);
        self.note(Limit::FileBytes);
    }

    pub(crate) fn take(&mut self) -> Reached {
        std::mem::take(self)
    }
}
