//! How a sandbox for hostile calls begins, what its host does meanwhile, and what must be left of
//! it.

use std::sync::Arc;
use std::task::Waker;

use codepod_abi::Signal;
use codepod_abi::wire::socket::{DATAGRAM, INET, STREAM, UNIX};
use codepod_abi::wire::wasi::{oflags, rights};
use codepod_abi::wire::{SIGNAL_CATCH, TerminalState};
use codepod_kernel::testing::VirtualHost;
use codepod_kernel::{
    ExitStatus, Fd, Group, Kernel, KernelOptions, Limits, PipeEnd, Policy, Program, SliceMemory,
    SpawnSpec, Stdio, Strings, Syscall, syscalls,
};
use codepod_vfs::{Budget, Caller, FsLimits, Image, Overlay, Proc, Tree, Vfs, dev};

use super::{Guest, Setting, World};
use crate::guest::{GuardedMemory, Woken};

/// Sizes of memory that an input can choose: odd ones too, as no engine has them.
const SIZES: &[usize] = &[4096, 1024, 65_536, 16_384, 4099, 300, 1 << 20, 0];

impl World {
    pub(super) fn new(setting: &Setting) -> World {
        let host = Arc::new(VirtualHost::new(1));
        let kernel = Kernel::new(KernelOptions {
            id: 1,
            host: host.clone(),
            vfs: FILES.with(|files| files[usize::from(setting.roomy)].fork().expect("a fork")),
            limits: limits(setting).into(),
            budget: Budget::default(),
            policy: Policy {
                foreign_modules: setting.foreign_modules,
                ..Policy::default()
            },
            uid: if setting.user { 1000 } else { 0 },
            gid: 0,
            trace: None,
        });
        let mut world = World {
            kernel,
            host,
            guests: Vec::new(),
            held: Vec::new(),
            ends: Vec::new(),
            sinks: Vec::new(),
            memory: SIZES[usize::from(setting.memory) % SIZES.len()],
            flags_set: false,
        };
        let stdio = setting.stdio.map(|kind| world.stdio(kind));
        let environment = if setting.large_environment {
            LARGE_ENVIRONMENT.with(Strings::clone)
        } else {
            Strings::new(["HOME=/", "A="]).expect("no NUL")
        };
        world.spawn(&stdio, environment);
        if setting.prepared {
            world.prepare();
        }
        if world.guests.is_empty() {
            for stdio in stdio {
                if let Stdio::Terminal(id) = stdio {
                    world.kernel.discard_terminal(id);
                }
            }
        }
        world
    }

    /// A standard descriptor of the first process.
    fn stdio(&mut self, kind: u8) -> Stdio {
        let made = match kind % 6 {
            0 => Ok(Stdio::Null),
            1 => {
                let sink = self.kernel.new_sink(4096);
                self.sinks.push(sink);
                Ok(Stdio::Sink(sink))
            }
            2 => self.kernel.new_pipe().and_then(|pipe| {
                self.ends.push(PipeEnd::Write(pipe));
                self.kernel.hold_pipe(PipeEnd::Write(pipe))?;
                Ok(Stdio::PipeRead(pipe))
            }),
            3 => self.kernel.new_pipe().and_then(|pipe| {
                self.ends.push(PipeEnd::Read(pipe));
                self.kernel.hold_pipe(PipeEnd::Read(pipe))?;
                Ok(Stdio::PipeWrite(pipe))
            }),
            4 => {
                let state = TerminalState {
                    rows: 24,
                    columns: 80,
                    mode: TerminalState::ALL,
                };
                self.kernel.new_terminal(state).map(|(id, input, output)| {
                    self.ends.extend([input, output]);
                    Stdio::Terminal(id)
                })
            }
            _ => Ok(Stdio::Inherit(Fd(0))),
        };
        made.unwrap_or(Stdio::Null)
    }

    /// Starts a process as the host.
    fn spawn(&mut self, stdio: &[Stdio], env: Strings) {
        let program = self.kernel.spawn(
            None,
            SpawnSpec {
                path: b"/bin/x".to_vec(),
                argv: Strings::new(["x", "argument", ""]).expect("no NUL"),
                env,
                cwd: None,
                fds: stdio.iter().copied().zip((0..).map(Fd)).collect(),
                group: Group::Inherit,
            },
        );
        if let Ok(program) = program {
            self.held.push(program.pid);
            self.add(program, self.memory);
        }
    }

    /// Gives the first process a pipe, a socket pair, a file, a directory, a fifo, a listener and a
    /// datagram socket, as 4 to 12, a signal that it catches, and a child that has the pipe and the
    /// pair, too.
    fn prepare(&mut self) {
        let Some(guest) = self.guests.first_mut() else {
            return;
        };
        let mut bytes = [0; 32];
        let mut call = Syscall {
            kernel: &mut self.kernel,
            pid: guest.program.pid,
            memory: &mut SliceMemory(&mut bytes),
            waker: Waker::noop(),
        };
        let _ = syscalls::signal_action(&mut call, Signal::Usr1.raw(), SIGNAL_CATCH, 0);
        let _ = syscalls::fd_pipe(&mut call, 0, 4);
        let _ = syscalls::sock_pair(&mut call, 0, 4);
        for path in [&b"/tmp/own"[..], b"d", b"fifo"] {
            call.memory.0[8..8 + path.len()].copy_from_slice(path);
            let (len, all) = (path.len() as u32, rights::ALL);
            let flags = match path {
                b"d" => oflags::DIRECTORY,
                b"fifo" => 0,
                _ => oflags::CREAT,
            };
            let _ = syscalls::path_open(&mut call, 3, 0, 8, len, flags, all, all, 0, 0);
        }
        let _ = syscalls::sock_open(&mut call, INET.into(), STREAM, 0, 0);
        let _ = syscalls::sock_listen(&mut call, 11, 1);
        let _ = syscalls::sock_open(&mut call, UNIX.into(), DATAGRAM, 0, 0);
        let parent = guest.program.pid;
        let child = self.kernel.spawn(
            Some(parent),
            SpawnSpec {
                path: b"/bin/x".to_vec(),
                argv: Strings::new(["child"]).expect("no NUL"),
                env: Strings::new([""; 0]).expect("no NUL"),
                cwd: None,
                fds: (4..8).map(|fd| (Stdio::Inherit(Fd(fd)), Fd(fd))).collect(),
                group: Group::Inherit,
            },
        );
        if let Ok(program) = child {
            self.add(program, 4096);
        }
    }

    pub(super) fn add(&mut self, program: Program, memory: usize) {
        let (woken, waker) = Woken::new();
        self.guests.push(Guest {
            program,
            memory: GuardedMemory::new(memory),
            cursor: 0,
            pending: None,
            woken,
            waker,
        });
    }

    pub(super) fn host_does(&mut self, what: u8, with: u8) {
        let some = usize::from(with);
        let pid = self.held.get(some % self.held.len().max(1)).copied();
        let end = self.ends.get(some % self.ends.len().max(1)).copied();
        let waiter = self.kernel.new_waiter();
        match (what % 10, pid, end) {
            (0, _, Some(PipeEnd::Write(pipe))) => {
                let bytes = vec![with; some * 64];
                let _ = self
                    .kernel
                    .poll_pipe_write(pipe, &bytes, waiter, Waker::noop());
            }
            (1, _, Some(PipeEnd::Read(pipe))) => {
                let mut bytes = vec![0; some * 64];
                let _ = self
                    .kernel
                    .poll_pipe_read(pipe, &mut bytes, waiter, Waker::noop());
            }
            (2, _, Some(end)) => {
                self.ends.swap_remove(some % self.ends.len());
                self.kernel.close_pipe(end);
            }
            (3, Some(pid), _) => self.kernel.complain(pid, "something is wrong"),
            (4, Some(pid), _) => {
                self.held.retain(|held| *held != pid);
                self.kernel.reap(pid);
            }
            (5, Some(pid), _) => {
                let signal = Signal::ALL[some % Signal::ALL.len()];
                let _ = self.kernel.signal_group(pid, signal);
            }
            (6, Some(pid), _) => self.kernel.kill_session(pid),
            (7, ..) => {
                let snapshot = self.kernel.snapshot();
                let fork = self.kernel.fork(2).expect("a fork");
                assert_eq!((fork.process_count(), fork.open_count()), (0, 0));
                let _ = self.kernel.restore(&snapshot);
            }
            (8, ..) => {
                let environment = Strings::new(["A="]).expect("no NUL");
                self.spawn(&[Stdio::Null, Stdio::Null], environment);
            }
            (9, ..) => {
                if let Some(sink) = self.sinks.get(some % self.sinks.len().max(1)) {
                    self.kernel.take_sink(*sink);
                }
            }
            _ => {}
        }
    }

    /// Ends everything and checks that nothing is left.
    pub(super) fn end(mut self) {
        while let Some(guest) = self.guests.pop() {
            self.kernel.exit(guest.program.pid, ExitStatus::Exited(1));
        }
        for pid in std::mem::take(&mut self.held) {
            self.kernel.reap(pid);
        }
        for end in std::mem::take(&mut self.ends) {
            self.kernel.close_pipe(end);
        }
        for sink in std::mem::take(&mut self.sinks) {
            self.kernel.take_sink(sink);
        }
        assert_eq!(self.kernel.process_count(), 0, "processes are left");
        assert_eq!(self.kernel.open_count(), 0, "something is left open");
        assert_eq!(self.host.timers(), 0, "timers are left");
        crate::check_files(&mut self.kernel);
    }
}

fn limits(setting: &Setting) -> Limits {
    if setting.roomy {
        return Limits {
            processes: 8,
            ..Limits::default()
        };
    }
    Limits {
        processes: 4,
        descriptors: usize::from(setting.descriptors % 24),
        pipes: 6,
        pipe_bytes: 4096,
        argument_bytes: 4096,
        output_bytes: 4096,
        module_bytes: 1 << 20,
        ..Limits::default()
    }
}

thread_local! {
    /// As many empty strings as the default limits allow besides the arguments.
    static LARGE_ENVIRONMENT: Strings = {
        let bytes = vec![0; Limits::default().argument_bytes - 64];
        Strings::from_block(&bytes).expect("the last byte is a NUL")
    };

    /// The files that sandboxes begin with, within narrow and within wide limits.
    static FILES: [Vfs; 2] = [files(false), files(true)];
}

fn files(roomy: bool) -> Vfs {
    let limits = FsLimits {
        bytes: if roomy { 8 << 20 } else { 4 << 10 },
        nodes: if roomy { 1000 } else { 6 },
        file_bytes: 1 << 30,
        ..FsLimits::default()
    };
    let tree = Tree::builder()
        .owner(1000, 0)
        .file("a", 0o644, "some text in a")
        .file("b", 0o444, vec![b'b'; 70_000])
        .dir("d/y", 0o755)
        .file("d/x", 0o600, "x")
        .symlink("l", "a")
        .symlink("loop", "loop")
        .dir("tmp", 0o1777)
        .owner(0, 0)
        .dir("secret", 0o700)
        .file("bin/x", 0o755, "#!codepod x\n")
        .file("bin/box", 0o755, "#!codepod box tool\n")
        .file("bin/script", 0o755, "#!/bin/x an argument\n")
        .file("bin/self", 0o755, "#!/bin/self\n")
        .file("bin/module", 0o755, &b"\0asm\x01\0\0\0"[..])
        .file("bin/empty", 0o755, "")
        .build()
        .with_limits(limits);
    let lower = Arc::new(
        Tree::builder()
            .owner(1000, 0)
            .file("file", 0o644, "from below")
            .dir("d", 0o755)
            .file("d/deep", 0o644, "deeper")
            .build(),
    );
    let mut vfs = Vfs::with_tree(tree);
    let overlay = Overlay::new(Box::new(Image::new(lower.clone())), limits).expect("an overlay");
    vfs.mount(b"/ro", Box::new(Image::new(lower)))
        .and_then(|_| vfs.mount(b"/up", Box::new(overlay)))
        .and_then(|_| vfs.mount(b"/dev", Box::new(dev())))
        .and_then(|_| vfs.mount(b"/proc", Box::new(Proc::new())))
        .expect("mounts");
    let root = vfs.root();
    let _ = vfs.mkfifo(&Caller::root(0), root, b"/fifo", 0o666);
    vfs
}
