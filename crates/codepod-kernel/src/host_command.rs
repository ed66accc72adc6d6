//! Commands that the host itself answers: a process like any other, whose code is the host's.
//!
//! A file that begins with `#!codepod-host NAME` starts one. It has a pid, descriptors, arguments,
//! a working directory and an owner, it can be waited for, signalled and killed; what it reads and
//! writes goes through its descriptors.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Poll, Waker};

use codepod_abi::Errno;
use codepod_abi::table::Call;

use crate::ids::{Fd, Pid};
use crate::kernel::Kernel;
use crate::memory::{GuestMemory as _, SliceMemory};
use crate::shared_kernel::SharedKernel;
use crate::syscalls::{self, Outcome, Syscall};

/// Something that the host does for a process. Returns its exit status.
pub trait HostCommand: Send + Sync {
    /// Begins it. Dropped, it has been killed.
    fn call(
        &self,
        kernel: Arc<SharedKernel>,
        call: HostCall,
    ) -> Pin<Box<dyn Future<Output = u8> + Send>>;
}

/// The process that a host command answers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostCall {
    /// Its number.
    pub pid: Pid,
    /// Its arguments, the command's name first.
    pub argv: Vec<Vec<u8>>,
    /// Its environment: `NAME=value`.
    pub env: Vec<Vec<u8>>,
    /// Its working directory.
    pub cwd: Vec<u8>,
}

/// A host command as a program.
#[derive(Clone)]
pub struct HostProgram(pub Arc<dyn HostCommand>);

impl PartialEq for HostProgram {
    fn eq(&self, other: &HostProgram) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for HostProgram {}

impl fmt::Debug for HostProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HostProgram")
    }
}

/// Host commands by name.
pub type HostCommands = BTreeMap<Arc<str>, HostProgram>;

/// How much is moved at once.
const PIECE: usize = 64 << 10;
/// Where in the memory of a call its parts are: an iovec, the count, the bytes.
const IOVEC: u32 = 0;
const COUNT: u32 = 8;
const BYTES: u32 = 16;

impl Kernel {
    /// Sets the host commands that programs can name.
    pub fn set_host_commands(&mut self, commands: HostCommands) {
        self.commands = commands;
    }

    /// What a host command is told about its process. `Srch` when that has gone.
    pub fn host_call(&self, pid: Pid) -> Result<HostCall, Errno> {
        let process = self.processes.get(pid)?;
        Ok(HostCall {
            pid,
            argv: process.argv.iter().map(<[u8]>::to_vec).collect(),
            env: process.env.iter().map(<[u8]>::to_vec).collect(),
            cwd: process.cwd_path.to_vec(),
        })
    }

    /// Reads from a descriptor of a process, as its own call would; 0 is the end. `Intr` when the
    /// process is to end.
    pub fn poll_read(
        &mut self,
        pid: Pid,
        fd: Fd,
        buffer: &mut [u8],
        waker: &Waker,
    ) -> Poll<Result<usize, Errno>> {
        let length = buffer.len().min(PIECE);
        let mut bytes = vec![0; BYTES as usize + length];
        let moved = self.transfer(pid, &mut bytes, length, waker, Call::fd_read, |call| {
            syscalls::fd_read(call, fd.0, IOVEC, 1, COUNT)
        });
        moved.map_ok(|count| {
            let start = BYTES as usize;
            buffer[..count].copy_from_slice(&bytes[start..start + count]);
            count
        })
    }

    /// Writes to a descriptor of a process, as its own call would. `Intr` when the process is to
    /// end.
    pub fn poll_write(
        &mut self,
        pid: Pid,
        fd: Fd,
        text: &[u8],
        waker: &Waker,
    ) -> Poll<Result<usize, Errno>> {
        let length = text.len().min(PIECE);
        let mut bytes = vec![0; BYTES as usize];
        bytes.extend_from_slice(&text[..length]);
        self.transfer(pid, &mut bytes, length, waker, Call::fd_write, |call| {
            syscalls::fd_write(call, fd.0, IOVEC, 1, COUNT)
        })
    }

    fn transfer(
        &mut self,
        pid: Pid,
        bytes: &mut [u8],
        length: usize,
        waker: &Waker,
        name: Call,
        handler: impl FnOnce(&mut Syscall<'_, SliceMemory<'_>>) -> Poll<Result<(), Errno>>,
    ) -> Poll<Result<usize, Errno>> {
        let mut memory = SliceMemory(bytes);
        memory.write_u32(IOVEC, BYTES)?;
        memory.write_u32(IOVEC + 4, length as u32)?;
        let mut call = Syscall {
            kernel: self,
            pid,
            memory: &mut memory,
            waker,
        };
        let outcome = std::task::ready!(call.poll(name, handler));
        Poll::Ready(match outcome {
            Outcome::End => Err(Errno::Intr),
            Outcome::Return(codepod_abi::SUCCESS) => Ok(memory.read_u32(COUNT)? as usize),
            Outcome::Return(number) => Err(Errno::from_raw(number).unwrap_or(Errno::Io)),
        })
    }
}
