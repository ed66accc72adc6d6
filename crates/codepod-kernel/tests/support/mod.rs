//! A kernel without an engine: tests make the calls of processes themselves, on memory of their own
//! and under a clock that stands still.

#![allow(
    clippy::allow_attributes,
    dead_code,
    reason = "each test uses its own part"
)]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Poll, Wake, Waker};

use codepod_abi::table::Call;
use codepod_abi::wire::socket::{Received, SocketOption};
use codepod_abi::wire::{GROUP_INHERIT, SpawnRequest, WaitResult};
use codepod_abi::{Errno, Signal};
use codepod_kernel::testing::VirtualHost;
use codepod_kernel::{
    Control, Fd, Group, Kernel, KernelOptions, Limits, Outcome, Pid, Policy, SliceMemory,
    SpawnSpec, Stdio, Strings, Syscall, TraceFn, syscalls,
};
use codepod_vfs::{Budget, Memory, Tree, Vfs};

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Got {
    /// With success.
    Fine,
    /// With an error.
    Fails(Errno),
    /// Not at all: the process ends.
    Ends,
}

/// Counts how often it was woken.
#[derive(Default)]
pub(crate) struct Bell(AtomicUsize);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Bell {
    pub(crate) fn rung(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

type Call_<'a, 'm> = Syscall<'a, SliceMemory<'m>>;

/// Where results go in a process's memory.
pub(crate) const OUT: u32 = 0;
/// Where lists of buffers are.
const IOVS: u32 = 512;
/// Where addresses are.
const ADDRESS: u32 = 768;
/// Where bytes are.
pub(crate) const BYTES: u32 = 1024;
/// How large the memory of a process is.
const MEMORY: usize = 512 << 10;

/// A kernel, its clock, and the memory of its processes.
pub(crate) struct Machine {
    pub(crate) kernel: Kernel,
    pub(crate) host: Arc<VirtualHost>,
    pub(crate) bell: Arc<Bell>,
    memories: BTreeMap<Pid, Vec<u8>>,
    /// What an engine would share about the children.
    pub(crate) controls: BTreeMap<Pid, Arc<Control>>,
}

impl Machine {
    pub(crate) fn new() -> Machine {
        Machine::with(Limits::default(), 1, None)
    }

    pub(crate) fn with(limits: Limits, seed: u64, trace: Option<TraceFn>) -> Machine {
        Machine::within(limits, seed, trace, Budget::default())
    }

    /// A machine that draws from a budget.
    pub(crate) fn within(
        limits: Limits,
        seed: u64,
        trace: Option<TraceFn>,
        budget: Budget,
    ) -> Machine {
        let host = Arc::new(VirtualHost::new(seed));
        let tree = Tree::builder()
            .file(b"/bin/program", 0o755, b"#!codepod program\n")
            .file(b"/file", 0o666, b"0123456789")
            .dir(b"/tmp", 0o777)
            .build();
        let kernel = Kernel::new(KernelOptions {
            id: 1,
            host: host.clone(),
            vfs: Vfs::new(Box::new(Memory::new(tree))),
            limits: limits.into(),
            budget,
            policy: Policy::default(),
            uid: 1000,
            gid: 1000,
            trace,
        });
        Machine {
            kernel,
            host,
            bell: Arc::default(),
            memories: BTreeMap::new(),
            controls: BTreeMap::new(),
        }
    }

    /// A process of the host's own, with nothing on its standard descriptors.
    pub(crate) fn start(&mut self) -> Pid {
        let spec = SpawnSpec {
            path: b"/bin/program".to_vec(),
            argv: Strings::new(["program"]).unwrap(),
            env: Strings::new([""; 0]).unwrap(),
            cwd: None,
            fds: (0..3).map(|fd| (Stdio::Null, Fd(fd))).collect(),
            group: Group::Inherit,
        };
        self.kernel.spawn(None, spec).unwrap().pid
    }

    /// Makes a call that never waits.
    pub(crate) fn ready(
        &mut self,
        pid: Pid,
        call: Call,
        handler: impl FnOnce(&mut Call_<'_, '_>) -> Result<(), Errno>,
    ) -> Got {
        got(self.enter(pid, |syscall| syscall.ready(call, handler)))
    }

    /// Makes a call that may wait, once.
    pub(crate) fn poll(
        &mut self,
        pid: Pid,
        call: Call,
        handler: impl FnOnce(&mut Call_<'_, '_>) -> Poll<Result<(), Errno>>,
    ) -> Poll<Got> {
        self.enter(pid, |syscall| syscall.poll(call, handler))
            .map(got)
    }

    fn enter<R>(&mut self, pid: Pid, f: impl FnOnce(&mut Call_<'_, '_>) -> R) -> R {
        let waker = Waker::from(self.bell.clone());
        let bytes = self.memories.entry(pid).or_insert_with(|| vec![0; MEMORY]);
        f(&mut Syscall {
            kernel: &mut self.kernel,
            pid,
            memory: &mut SliceMemory(bytes),
            waker: &waker,
        })
    }

    pub(crate) fn memory(&mut self, pid: Pid) -> &mut Vec<u8> {
        self.memories.entry(pid).or_insert_with(|| vec![0; MEMORY])
    }

    pub(crate) fn put(&mut self, pid: Pid, at: u32, bytes: &[u8]) {
        self.memory(pid)[at as usize..][..bytes.len()].copy_from_slice(bytes);
    }

    pub(crate) fn word(&mut self, pid: Pid, at: u32) -> u32 {
        let bytes = &self.memory(pid)[at as usize..][..4];
        u32::from_le_bytes(bytes.try_into().unwrap())
    }

    pub(crate) fn long(&mut self, pid: Pid, at: u32) -> u64 {
        let bytes = &self.memory(pid)[at as usize..][..8];
        u64::from_le_bytes(bytes.try_into().unwrap())
    }

    /// A process ends, as its engine tells.
    pub(crate) fn ends(&mut self, pid: Pid, code: u8) {
        self.kernel
            .exit(pid, codepod_kernel::ExitStatus::Exited(code));
    }

    // ---- calls

    /// `proc_spawn` with the three standard descriptors.
    pub(crate) fn spawn(&mut self, parent: Pid, group: u32) -> Result<Pid, Got> {
        let fds: Vec<u8> = [0u32, 0, 1, 1, 2, 2]
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        self.put(parent, 2048, b"/bin/program");
        self.put(parent, 2100, b"program\0");
        self.put(parent, 2200, &fds);
        let request = SpawnRequest {
            path: 2048,
            path_len: 12,
            argv: 2100,
            argv_len: 8,
            fds: 2200,
            fds_len: 3,
            group,
            ..SpawnRequest::default()
        };
        self.put(parent, 2300, &request.to_bytes());
        match self.poll(parent, Call::proc_spawn, |call| {
            syscalls::proc_spawn(call, 2300, OUT)
        }) {
            Poll::Ready(Got::Fine) => {
                let started = self.kernel.take_started();
                assert_eq!(started.len(), 1);
                let started = started.into_iter();
                self.controls
                    .extend(started.map(|program| (program.pid, program.control)));
                Ok(Pid(self.word(parent, OUT)))
            }
            Poll::Ready(other) => Err(other),
            Poll::Pending => panic!("spawning does not wait"),
        }
    }

    /// A child in its parent's group.
    pub(crate) fn child(&mut self, parent: Pid) -> Pid {
        self.spawn(parent, GROUP_INHERIT).unwrap()
    }

    /// `proc_wait`.
    pub(crate) fn wait(
        &mut self,
        pid: Pid,
        selector: i32,
        flags: u32,
    ) -> Poll<Result<WaitResult, Got>> {
        self.poll(pid, Call::proc_wait, |call| {
            syscalls::proc_wait(call, selector, flags, OUT)
        })
        .map(|got| match got {
            Got::Fine => {
                let bytes = &self.memory(pid)[..WaitResult::SIZE];
                Ok(WaitResult::from_bytes(bytes.try_into().unwrap()))
            }
            other => Err(other),
        })
    }

    pub(crate) fn kill(&mut self, pid: Pid, selector: i32, signal: Signal) -> Got {
        self.ready(pid, Call::proc_kill, |call| {
            syscalls::proc_kill(call, selector, signal.raw())
        })
    }

    pub(crate) fn action(&mut self, pid: Pid, signal: Signal, action: u32) -> Got {
        self.ready(pid, Call::signal_action, |call| {
            syscalls::signal_action(call, signal.raw(), action, OUT)
        })
    }

    /// Takes all pending signals, as bits.
    pub(crate) fn take(&mut self, pid: Pid) -> u64 {
        let got = self.ready(pid, Call::signal_take, |call| {
            syscalls::signal_take(call, u64::MAX, OUT)
        });
        assert_eq!(got, Got::Fine);
        self.long(pid, OUT)
    }

    pub(crate) fn pipe(&mut self, pid: Pid) -> Result<(u32, u32), Got> {
        match self.ready(pid, Call::fd_pipe, |call| {
            syscalls::fd_pipe(call, OUT, OUT + 4)
        }) {
            Got::Fine => Ok((self.word(pid, OUT), self.word(pid, OUT + 4))),
            other => Err(other),
        }
    }

    pub(crate) fn close(&mut self, pid: Pid, fd: u32) -> Got {
        self.ready(pid, Call::fd_close, |call| syscalls::fd_close(call, fd))
    }

    /// `fd_read` of up to so many bytes into one buffer.
    pub(crate) fn read(&mut self, pid: Pid, fd: u32, len: u32) -> Poll<Result<Vec<u8>, Got>> {
        self.buffer(pid, len);
        self.poll(pid, Call::fd_read, |call| {
            syscalls::fd_read(call, fd, IOVS, 1, OUT)
        })
        .map(|got| match got {
            Got::Fine => {
                let count = self.word(pid, OUT) as usize;
                Ok(self.memory(pid)[BYTES as usize..][..count].to_vec())
            }
            other => Err(other),
        })
    }

    /// `fd_write` of one buffer.
    pub(crate) fn write(&mut self, pid: Pid, fd: u32, bytes: &[u8]) -> Poll<Result<u32, Got>> {
        self.buffer(pid, bytes.len() as u32);
        self.put(pid, BYTES, bytes);
        self.poll(pid, Call::fd_write, |call| {
            syscalls::fd_write(call, fd, IOVS, 1, OUT)
        })
        .map(|got| match got {
            Got::Fine => Ok(self.word(pid, OUT)),
            other => Err(other),
        })
    }

    fn buffer(&mut self, pid: Pid, len: u32) {
        self.put(pid, IOVS, &BYTES.to_le_bytes());
        self.put(pid, IOVS + 4, &len.to_le_bytes());
    }

    // ---- sockets

    /// `sock_open` of a blocking socket.
    pub(crate) fn socket(&mut self, pid: Pid, family: u16, kind: u32) -> Result<u32, Got> {
        match self.ready(pid, Call::sock_open, |call| {
            syscalls::sock_open(call, family.into(), kind, 0, OUT)
        }) {
            Got::Fine => Ok(self.word(pid, OUT)),
            other => Err(other),
        }
    }

    /// `sock_bind`.
    pub(crate) fn bind(&mut self, pid: Pid, fd: u32, address: &[u8]) -> Got {
        self.put(pid, ADDRESS, address);
        let len = address.len() as u32;
        self.ready(pid, Call::sock_bind, |call| {
            syscalls::sock_bind(call, fd, ADDRESS, len)
        })
    }

    /// `sock_listen`.
    pub(crate) fn listen(&mut self, pid: Pid, fd: u32, backlog: u32) -> Got {
        self.ready(pid, Call::sock_listen, |call| {
            syscalls::sock_listen(call, fd, backlog)
        })
    }

    /// `sock_connect`.
    pub(crate) fn connect(&mut self, pid: Pid, fd: u32, address: &[u8]) -> Poll<Got> {
        self.put(pid, ADDRESS, address);
        let len = address.len() as u32;
        self.poll(pid, Call::sock_connect, |call| {
            syscalls::sock_connect(call, fd, ADDRESS, len)
        })
    }

    /// `sock_accept`.
    pub(crate) fn accept(&mut self, pid: Pid, fd: u32) -> Poll<Result<u32, Got>> {
        self.poll(pid, Call::sock_accept, |call| {
            syscalls::sock_accept(call, fd, 0, OUT)
        })
        .map(|got| match got {
            Got::Fine => Ok(self.word(pid, OUT)),
            other => Err(other),
        })
    }

    /// `sock_send_to` of one buffer; to the peer without an address.
    pub(crate) fn send(
        &mut self,
        pid: Pid,
        fd: u32,
        bytes: &[u8],
        flags: u32,
        address: &[u8],
    ) -> Poll<Result<u32, Got>> {
        self.buffer(pid, bytes.len() as u32);
        self.put(pid, BYTES, bytes);
        self.put(pid, ADDRESS, address);
        let len = address.len() as u32;
        self.poll(pid, Call::sock_send_to, |call| {
            syscalls::sock_send_to(call, fd, IOVS, 1, flags, ADDRESS, len, OUT)
        })
        .map(|got| match got {
            Got::Fine => Ok(self.word(pid, OUT)),
            other => Err(other),
        })
    }

    /// `sock_recv_from` into one buffer: the bytes, the whole result and the sender's address.
    pub(crate) fn receive(
        &mut self,
        pid: Pid,
        fd: u32,
        len: u32,
        flags: u32,
    ) -> Poll<Result<(Vec<u8>, Received, Vec<u8>), Got>> {
        self.buffer(pid, len);
        self.poll(pid, Call::sock_recv_from, |call| {
            syscalls::sock_recv_from(call, fd, IOVS, 1, flags, ADDRESS, 128, OUT)
        })
        .map(|got| match got {
            Got::Fine => {
                let memory = self.memory(pid);
                let told = memory[OUT as usize..][..Received::SIZE].try_into();
                let told = Received::from_bytes(&told.unwrap());
                let bytes = memory[BYTES as usize..][..told.bytes.min(len) as usize].to_vec();
                let from = memory[ADDRESS as usize..][..told.address_len as usize].to_vec();
                Ok((bytes, told, from))
            }
            other => Err(other),
        })
    }

    /// `sock_name`.
    pub(crate) fn name(&mut self, pid: Pid, fd: u32, which: u32) -> Result<Vec<u8>, Got> {
        match self.ready(pid, Call::sock_name, |call| {
            syscalls::sock_name(call, fd, which, ADDRESS, 128, OUT)
        }) {
            Got::Fine => {
                let len = self.word(pid, OUT) as usize;
                Ok(self.memory(pid)[ADDRESS as usize..][..len].to_vec())
            }
            other => Err(other),
        }
    }

    /// `sock_option_get`.
    pub(crate) fn option(&mut self, pid: Pid, fd: u32, option: SocketOption) -> Result<u64, Got> {
        match self.ready(pid, Call::sock_option_get, |call| {
            syscalls::sock_option_get(call, fd, option as u32, OUT)
        }) {
            Got::Fine => Ok(self.long(pid, OUT)),
            other => Err(other),
        }
    }

    /// `sock_option_set`.
    pub(crate) fn set_option(
        &mut self,
        pid: Pid,
        fd: u32,
        option: SocketOption,
        value: u64,
    ) -> Got {
        self.ready(pid, Call::sock_option_set, |call| {
            syscalls::sock_option_set(call, fd, option as u32, value)
        })
    }

    /// `net_why`.
    pub(crate) fn why(&mut self, pid: Pid, fd: u32) -> String {
        let got = self.ready(pid, Call::net_why, |call| {
            syscalls::net_why(call, fd, BYTES, 1024, OUT)
        });
        assert_eq!(got, Got::Fine);
        let len = self.word(pid, OUT) as usize;
        String::from_utf8(self.memory(pid)[BYTES as usize..][..len].to_vec()).unwrap()
    }

    /// `path_open` below the root, for reading, writing or both.
    pub(crate) fn open(&mut self, pid: Pid, path: &str, rights: u64) -> Poll<Result<u32, Got>> {
        self.put(pid, BYTES, path.as_bytes());
        let len = path.len() as u32;
        self.poll(pid, Call::path_open, |call| {
            syscalls::path_open(call, 3, 1, BYTES, len, 0, rights, rights, 0, OUT)
        })
        .map(|got| match got {
            Got::Fine => Ok(self.word(pid, OUT)),
            other => Err(other),
        })
    }
}

/// An IPv4 address on the loopback, as it lies in memory.
pub(crate) fn loopback(port: u16) -> Vec<u8> {
    inet([127, 0, 0, 1], port)
}

/// An IPv4 address, as it lies in memory.
pub(crate) fn inet(ip: [u8; 4], port: u16) -> Vec<u8> {
    [&[1, 0][..], &port.to_be_bytes(), &ip].concat()
}

/// The port of an IPv4 address in memory.
pub(crate) fn port_of(address: &[u8]) -> u16 {
    u16::from_be_bytes([address[2], address[3]])
}

/// A path or an abstract name, as it lies in memory.
pub(crate) fn unix(name: &[u8]) -> Vec<u8> {
    [&[3, 0][..], name].concat()
}

fn got(outcome: Outcome) -> Got {
    match outcome {
        Outcome::End => Got::Ends,
        Outcome::Return(0) => Got::Fine,
        Outcome::Return(number) => Got::Fails(Errno::from_raw(number).unwrap()),
    }
}
