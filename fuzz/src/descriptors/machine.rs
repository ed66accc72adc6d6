//! The kernel's side: one process whose calls are made here, with its memory laid out once and for
//! all.

use std::sync::Arc;
use std::task::{Poll, Waker};

use codepod_abi::table::Call;
use codepod_abi::wire::wasi::{EVENT_FD_READ, EVENT_FD_WRITE, RECV_PEEK};
use codepod_abi::wire::{SIGNAL_CATCH, SIGNAL_IGNORE};
use codepod_abi::{Errno, Signal};
use codepod_kernel::testing::VirtualHost;
use codepod_kernel::{
    ExitStatus, Fd, Group, Kernel, KernelOptions, Limits, Outcome, Pid, Policy, SliceMemory,
    SpawnSpec, Stdio, Strings, Syscall, syscalls,
};
use codepod_vfs::{Budget, FsLimits, OpenOptions, Tree, Usage, Vfs, dev};

use super::{
    Answer, Bytes, Described, FILE_BYTES, NAMES, Operation, Setting, Sizes, number, pattern,
};
use crate::guest::{GuardedMemory, Woken};

// Where things are in the process's memory.
const RESULT: u32 = 0;
const SECOND_RESULT: u32 = 8;
const IOVECS: u32 = 64;
const SUBSCRIPTIONS: u32 = 128;
const EVENTS: u32 = 256;
const PATH: u32 = 512;
const BUFFER: u32 = 1024;
const MEMORY: usize = BUFFER as usize + 3 * Sizes::MOST;

/// How a call ended, other than with success.
enum Stop {
    Failed(Errno),
    Ends,
}

impl From<Stop> for Answer {
    fn from(stop: Stop) -> Answer {
        match stop {
            Stop::Failed(errno) => Answer::Failed(errno),
            Stop::Ends => Answer::Ends,
        }
    }
}

type Done = Result<(), Stop>;
type Process<'a, 'm> = Syscall<'a, SliceMemory<'m>>;

pub(super) struct Machine {
    kernel: Kernel,
    pid: Pid,
    memory: GuardedMemory,
    woken: Arc<Woken>,
    waker: Waker,
}

thread_local! {
    /// The files that the process begins with.
    static FILES: Vfs = {
        let tree = Tree::builder()
            .file("a", 0o644, "0123456789")
            .file("b", 0o644, pattern(0, 5000))
            .dir("d", 0o755)
            .dir("dev", 0o755)
            .file("bin/x", 0o755, "#!codepod x\n")
            .build();
        let limits = FsLimits {
            file_bytes: FILE_BYTES,
            ..FsLimits::default()
        };
        let mut vfs = Vfs::with_tree(tree.with_limits(limits));
        vfs.mount(b"/dev", Box::new(dev())).expect("a mount");
        vfs
    };
}

impl Machine {
    pub(super) fn new(setting: &Setting) -> Machine {
        let mut kernel = Kernel::new(KernelOptions {
            id: 1,
            host: Arc::new(VirtualHost::new(1)),
            vfs: FILES.with(|files| files.fork().expect("a fork")),
            limits: Limits {
                descriptors: setting.descriptors(),
                pipes: setting.pipes(),
                pipe_bytes: setting.pipe_bytes(),
                sockets: setting.pipes(),
                socket_bytes: setting.pipe_bytes(),
                ..Limits::default()
            }
            .into(),
            budget: Budget::default(),
            policy: Policy::default(),
            uid: 0,
            gid: 0,
            trace: None,
        });
        let program = kernel
            .spawn(
                None,
                SpawnSpec {
                    path: b"/bin/x".to_vec(),
                    argv: Strings::new(["x"]).expect("no NUL"),
                    env: Strings::new([""; 0]).expect("no NUL"),
                    cwd: None,
                    fds: (0..3).map(|fd| (Stdio::Null, Fd(fd))).collect(),
                    group: Group::Inherit,
                },
            )
            .expect("a process");
        let (woken, waker) = Woken::new();
        let mut machine = Machine {
            kernel,
            pid: program.pid,
            memory: GuardedMemory::new(MEMORY),
            woken,
            waker,
        };
        machine.set_action(Signal::Usr1, SIGNAL_CATCH);
        if setting.ignores_pipe {
            machine.set_action(Signal::Pipe, SIGNAL_IGNORE);
        }
        machine
    }

    fn set_action(&mut self, signal: Signal, action: u32) {
        let done = self.ready(Call::signal_action, |call| {
            syscalls::signal_action(call, signal.raw(), action, RESULT)
        });
        assert!(done.is_ok());
    }

    pub(super) fn apply(&mut self, operation: &Operation) -> Answer {
        match *operation {
            Operation::Open {
                directory,
                name,
                oflags,
                fdflags,
                rights,
                inheriting,
            } => {
                let name = NAMES[usize::from(name) % NAMES.len()].as_bytes();
                self.memory.poke(PATH, name);
                let (path_len, fd) = (name.len() as u32, number(directory));
                let (oflags, fdflags) = (u32::from(oflags % 16), u32::from(fdflags % 64));
                let (base, inheriting) = (rights.get(), inheriting.get());
                self.waits(Call::path_open, [RESULT].as_slice(), |call| {
                    syscalls::path_open(
                        call, fd, 1, PATH, path_len, oflags, base, inheriting, fdflags, RESULT,
                    )
                })
            }
            Operation::Close(fd) => {
                self.plain(Call::fd_close, |call| syscalls::fd_close(call, number(fd)))
            }
            Operation::Dup { fd, least } => {
                let done = self.ready(Call::fd_dup, |call| {
                    syscalls::fd_dup(call, number(fd), number(least), RESULT)
                });
                self.words(done, &[RESULT])
            }
            Operation::DupTo { fd, to } => self.plain(Call::fd_dup_to, |call| {
                syscalls::fd_dup_to(call, number(fd), number(to))
            }),
            Operation::Renumber { from, to } => self.plain(Call::fd_renumber, |call| {
                syscalls::fd_renumber(call, number(from), number(to))
            }),
            Operation::Pipe => {
                let done = self.ready(Call::fd_pipe, |call| {
                    syscalls::fd_pipe(call, RESULT, SECOND_RESULT)
                });
                self.words(done, &[RESULT, SECOND_RESULT])
            }
            Operation::SockPair => {
                let done = self.ready(Call::sock_pair, |call| {
                    syscalls::sock_pair(call, RESULT, SECOND_RESULT)
                });
                self.words(done, &[RESULT, SECOND_RESULT])
            }
            Operation::Read { fd, sizes } => {
                self.clear(sizes);
                let answer = self.waits(Call::fd_read, &[RESULT], |call| {
                    syscalls::fd_read(call, number(fd), IOVECS, 3, RESULT)
                });
                self.got(answer, sizes)
            }
            Operation::Receive { fd, sizes, peek } => {
                self.clear(sizes);
                let flags = if peek { RECV_PEEK } else { 0 };
                let answer = self.waits(Call::sock_recv, &[RESULT], |call| {
                    syscalls::sock_recv(call, number(fd), IOVECS, 3, flags, RESULT, SECOND_RESULT)
                });
                self.got(answer, sizes)
            }
            Operation::Write { fd, sizes, first } => {
                self.fill(sizes, first);
                self.waits(Call::fd_write, &[RESULT], |call| {
                    syscalls::fd_write(call, number(fd), IOVECS, 3, RESULT)
                })
            }
            Operation::Send { fd, sizes, first } => {
                self.fill(sizes, first);
                self.waits(Call::sock_send, &[RESULT], |call| {
                    syscalls::sock_send(call, number(fd), IOVECS, 3, 0, RESULT)
                })
            }
            Operation::Pread { fd, sizes, offset } => {
                self.clear(sizes);
                let done = self.ready(Call::fd_pread, |call| {
                    syscalls::fd_pread(call, number(fd), IOVECS, 3, offset.get(), RESULT)
                });
                let answer = self.words(done, &[RESULT]);
                self.got(answer, sizes)
            }
            Operation::Pwrite {
                fd,
                sizes,
                first,
                offset,
            } => {
                self.fill(sizes, first);
                let done = self.ready(Call::fd_pwrite, |call| {
                    syscalls::fd_pwrite(call, number(fd), IOVECS, 3, offset.get(), RESULT)
                });
                self.words(done, &[RESULT])
            }
            Operation::Shutdown { fd, how } => self.plain(Call::sock_shutdown, |call| {
                syscalls::sock_shutdown(call, number(fd), how.into())
            }),
            Operation::Seek { fd, offset, whence } => self.seek(fd, offset, whence),
            Operation::SeekNear { fd, offset, whence } => self.seek(fd, offset.into(), whence),
            Operation::Tell(fd) => {
                let done = self.ready(Call::fd_tell, |call| {
                    syscalls::fd_tell(call, number(fd), RESULT)
                });
                self.double_word(done)
            }
            Operation::SetFlags { fd, flags } => self.plain(Call::fd_fdstat_set_flags, |call| {
                syscalls::fd_fdstat_set_flags(call, number(fd), u32::from(flags % 64))
            }),
            Operation::SetRights {
                fd,
                rights,
                inheriting,
            } => self.plain(Call::fd_fdstat_set_rights, |call| {
                syscalls::fd_fdstat_set_rights(call, number(fd), rights.get(), inheriting.get())
            }),
            Operation::SetSize { fd, size } => self.plain(Call::fd_filestat_set_size, |call| {
                syscalls::fd_filestat_set_size(call, number(fd), size.get())
            }),
            Operation::Allocate { fd, offset, len } => self.plain(Call::fd_allocate, |call| {
                syscalls::fd_allocate(call, number(fd), offset.get(), len.get())
            }),
            Operation::Poll { fd, write } => self.poll_ready(number(fd), write),
            Operation::Unlink(name) => {
                let root = self.kernel.files().0.root();
                let (vfs, caller) = self.kernel.files();
                let name = NAMES[usize::from(name) % NAMES.len()].as_bytes();
                let _ = vfs.unlink(&caller, root, name);
                Answer::Done(Vec::new())
            }
        }
    }

    pub(super) fn describe(&mut self, fd: u32) -> Described {
        let done = self.ready(Call::fd_fdstat_get, |call| {
            syscalls::fd_fdstat_get(call, fd, RESULT)
        });
        match done {
            Ok(()) => {
                let flags = u16::from_le_bytes([self.byte(2), self.byte(3)]);
                Ok((self.byte(0), flags, self.u64_at(8), self.u64_at(16)))
            }
            Err(Stop::Failed(errno)) => Err(errno),
            Err(Stop::Ends) => panic!("the process ends"),
        }
    }

    /// What a file holds.
    pub(super) fn content(&mut self, name: &str) -> Vec<u8> {
        let (vfs, caller) = self.kernel.files();
        let root = vfs.root();
        let node = vfs
            .open(&caller, root, name.as_bytes(), &OpenOptions::READ)
            .expect("the file is there");
        let mut bytes = vec![0; FILE_BYTES as usize + 1];
        let len = vfs.read_at(&caller, node, 0, &mut bytes);
        bytes.truncate(len.expect("the file can be read"));
        vfs.close(node);
        bytes
    }

    /// Ends the process, removes the files and checks that nothing is left.
    pub(super) fn end(mut self) {
        self.kernel.exit(self.pid, ExitStatus::Exited(0));
        self.kernel.reap(self.pid);
        assert_eq!(self.kernel.open_count(), 0, "something is left open");
        crate::check_files(&mut self.kernel);
        let (vfs, caller) = self.kernel.files();
        let root = vfs.root();
        for name in NAMES {
            let _ = vfs.unlink(&caller, root, name.as_bytes());
            let _ = vfs.unlink(&caller, root, format!("d/{name}").as_bytes());
        }
        assert_eq!(vfs.usage(), Usage::default(), "deleted files take room");
    }

    fn seek(&mut self, fd: u8, offset: i64, whence: u8) -> Answer {
        let done = self.ready(Call::fd_seek, |call| {
            syscalls::fd_seek(call, number(fd), offset, u32::from(whence % 4), RESULT)
        });
        self.double_word(done)
    }

    /// Asks whether a descriptor is ready, with a clock that makes the answer come at once.
    fn poll_ready(&mut self, fd: u32, write: bool) -> Answer {
        let mut subscriptions = [0; 96];
        subscriptions[8] = if write { EVENT_FD_WRITE } else { EVENT_FD_READ };
        subscriptions[16..20].copy_from_slice(&fd.to_le_bytes());
        subscriptions[48] = 1;
        self.memory.poke(SUBSCRIPTIONS, &subscriptions);
        let answer = self.waits(Call::poll_oneoff, &[RESULT], |call| {
            syscalls::poll_oneoff(call, SUBSCRIPTIONS, EVENTS, 2, RESULT)
        });
        match answer {
            Answer::Done(count) if count == [1] => Answer::Done(Vec::new()),
            Answer::Done(count) if count == [2] => {
                let at = EVENTS as usize;
                let error = u16::from_le_bytes([self.byte(at + 8), self.byte(at + 9)]);
                let hangup = self.byte(at + 24);
                Answer::Done(vec![error.into(), self.u64_at(at + 16), hangup.into()])
            }
            other => other,
        }
    }

    /// Lays out three buffers, one right after the other, filled with zeros.
    fn clear(&mut self, sizes: Sizes) {
        let mut at = BUFFER;
        let mut iovecs = Vec::new();
        for size in sizes.get() {
            iovecs.extend_from_slice(&at.to_le_bytes());
            iovecs.extend_from_slice(&(size as u32).to_le_bytes());
            at += size as u32;
        }
        self.memory.poke(IOVECS, &iovecs);
        self.memory.poke(BUFFER, &vec![0; sizes.total()]);
    }

    fn fill(&mut self, sizes: Sizes, first: u8) {
        self.clear(sizes);
        self.memory.poke(BUFFER, &pattern(first, sizes.total()));
    }

    /// What a successful read put into the buffers. Nothing may have been written after it.
    fn got(&mut self, answer: Answer, sizes: Sizes) -> Answer {
        let Answer::Done(count) = answer else {
            return answer;
        };
        let count = count.first().map_or(0, |count| *count as usize);
        let buffers = &self.memory.bytes()[BUFFER as usize..][..sizes.total()];
        assert!(count <= buffers.len(), "{count} bytes were read into less");
        assert!(
            buffers[count..].iter().all(|byte| *byte == 0),
            "more was written than was read"
        );
        Answer::Got(Bytes(buffers[..count].to_vec()))
    }

    fn plain(
        &mut self,
        call: Call,
        handler: impl FnOnce(&mut Process<'_, '_>) -> Result<(), Errno>,
    ) -> Answer {
        let done = self.ready(call, handler);
        self.words(done, &[])
    }

    fn words(&mut self, done: Done, results: &[u32]) -> Answer {
        match done {
            Err(stop) => stop.into(),
            Ok(()) => {
                let word = |at: &u32| {
                    let at = *at as usize;
                    let bytes = [0, 1, 2, 3].map(|i| self.memory.bytes()[at + i]);
                    u64::from(u32::from_le_bytes(bytes))
                };
                Answer::Done(results.iter().map(word).collect())
            }
        }
    }

    fn double_word(&mut self, done: Done) -> Answer {
        match done {
            Err(stop) => stop.into(),
            Ok(()) => Answer::Done(vec![self.u64_at(RESULT as usize)]),
        }
    }

    fn byte(&mut self, at: usize) -> u8 {
        self.memory.bytes()[at]
    }

    fn u64_at(&mut self, at: usize) -> u64 {
        let bytes = &self.memory.bytes()[at..at + 8];
        u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
    }

    fn ready(
        &mut self,
        call: Call,
        handler: impl FnOnce(&mut Process<'_, '_>) -> Result<(), Errno>,
    ) -> Done {
        let outcome = self.enter(|syscall| syscall.ready(call, handler));
        judge(outcome)
    }

    /// Makes a call that may wait. If it does, a caught signal ends it.
    fn waits(
        &mut self,
        call: Call,
        results: &[u32],
        handler: impl Fn(&mut Process<'_, '_>) -> Poll<Result<(), Errno>>,
    ) -> Answer {
        if let Poll::Ready(outcome) = self.enter(|syscall| syscall.poll(call, &handler)) {
            return self.words(judge(outcome), results);
        }
        self.woken.take();
        let again = self.enter(|syscall| syscall.poll(call, &handler));
        assert!(again.is_pending(), "{call:?} went on without being woken");
        let sent = self.kernel.signal(self.pid, Signal::Usr1);
        assert!(sent.is_ok() && self.woken.take(), "a signal must wake");
        let Poll::Ready(outcome) = self.enter(|syscall| syscall.poll(call, &handler)) else {
            panic!("{call:?} waits on in spite of a signal");
        };
        let answer = self.words(judge(outcome), results);
        let taken = self.ready(Call::signal_take, |call| {
            syscalls::signal_take(call, u64::MAX, RESULT)
        });
        assert!(taken.is_ok() && self.u64_at(RESULT as usize) == Signal::Usr1.bit());
        Answer::Interrupted(Box::new(answer))
    }

    fn enter<R>(&mut self, run: impl FnOnce(&mut Process<'_, '_>) -> R) -> R {
        let mut memory = self.memory.memory();
        let result = run(&mut Syscall {
            kernel: &mut self.kernel,
            pid: self.pid,
            memory: &mut memory,
            waker: &self.waker,
        });
        self.memory.check_guards();
        result
    }
}

fn judge(outcome: Outcome) -> Done {
    match outcome {
        Outcome::Return(0) => Ok(()),
        Outcome::Return(number) => Err(Stop::Failed(
            Errno::from_raw(number).expect("a known errno"),
        )),
        Outcome::End => Err(Stop::Ends),
    }
}
