//! What the fuzz targets have found, as small tests: each failed before its fix.

use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::{Duration, Instant};

use codepod_abi::wire::wasi::RECV_PEEK;
use codepod_abi::{Errno, Signal};
use codepod_kernel::testing::VirtualHost;
use codepod_kernel::{
    Fd, Group, GuestMemory, Kernel, KernelOptions, Limits, Policy, Program, RunState, SliceMemory,
    SpawnSpec, Stdio, Strings, Syscall, syscalls,
};
use codepod_vfs::{Budget, Proc, Tree, Vfs, dev};

fn kernel(limits: Limits) -> Kernel {
    let tree = Tree::builder()
        .file("bin/x", 0o755, "#!codepod x\n")
        .build();
    let mut vfs = Vfs::with_tree(tree);
    vfs.mount(b"/dev", Box::new(dev())).unwrap();
    vfs.mount(b"/proc", Box::new(Proc::new())).unwrap();
    Kernel::new(KernelOptions {
        id: 1,
        host: Arc::new(VirtualHost::new(1)),
        vfs,
        limits: limits.into(),
        budget: Budget::default(),
        policy: Policy::default(),
        uid: 0,
        gid: 0,
        trace: None,
    })
}

fn spawn(kernel: &mut Kernel, env: Strings) -> Result<Program, Errno> {
    kernel.spawn(
        None,
        SpawnSpec {
            path: b"/bin/x".to_vec(),
            argv: Strings::new(["x"]).unwrap(),
            env,
            cwd: None,
            fds: vec![(Stdio::Null, Fd(0))],
            group: Group::Inherit,
        },
    )
}

fn no_strings() -> Strings {
    Strings::new([""; 0]).unwrap()
}

fn call<R>(
    kernel: &mut Kernel,
    program: &Program,
    memory: &mut [u8],
    run: impl FnOnce(&mut Syscall<'_, SliceMemory<'_>>) -> R,
) -> R {
    run(&mut Syscall {
        kernel,
        pid: program.pid,
        memory: &mut SliceMemory(memory),
        waker: Waker::noop(),
    })
}

// SIGCONT made the engine forget that a stopped process was killed: code without calls ran for
// ever, and no later signal could end it.
#[test]
fn continuing_does_not_save_a_process_that_was_killed() {
    let mut kernel = kernel(Limits::default());
    let program = spawn(&mut kernel, no_strings()).unwrap();
    for signal in [Signal::Stop, Signal::Kill, Signal::Cont] {
        kernel.signal(program.pid, signal).unwrap();
    }
    assert!(kernel.is_ending(program.pid));
    assert_eq!(program.control.state(), RunState::End);
}

// The root directory of a process without room for it stayed open.
#[test]
fn a_process_that_has_no_room_for_its_root_leaves_nothing_open() {
    let mut kernel = kernel(Limits {
        descriptors: 3,
        ..Limits::default()
    });
    assert!(matches!(spawn(&mut kernel, no_strings()), Err(Errno::Badf)));
    assert_eq!((kernel.process_count(), kernel.open_count()), (0, 0));
}

// Every buffer got the first bytes of the queue again.
#[test]
fn peeking_into_several_buffers_shows_the_bytes_once() {
    let mut kernel = kernel(Limits::default());
    let program = spawn(&mut kernel, no_strings()).unwrap();
    let mut memory = [0; 128];
    memory[64..70].copy_from_slice(b"abcdef");
    call(&mut kernel, &program, &mut memory, |call| {
        syscalls::sock_pair(call, 0, 4).unwrap();
        let (first, second) = (
            call.memory.read_u32(0).unwrap(),
            call.memory.read_u32(4).unwrap(),
        );
        // One buffer to send from, two to receive into.
        for (slot, (at, len)) in [(64, 6), (80, 4), (90, 4)].into_iter().enumerate() {
            call.memory.write_u32(8 + 8 * slot as u32, at).unwrap();
            call.memory.write_u32(12 + 8 * slot as u32, len).unwrap();
        }
        let sent = syscalls::sock_send(call, first, 8, 1, 0, 0);
        assert_eq!(sent, Poll::Ready(Ok(())));
        for _ in 0..2 {
            let got = syscalls::sock_recv(call, second, 16, 2, RECV_PEEK, 0, 4);
            assert_eq!(got, Poll::Ready(Ok(())));
            assert_eq!(call.memory.read_u32(0), Ok(6));
        }
    });
    assert_eq!(
        (&memory[80..84], &memory[90..94]),
        (&b"abcd"[..], &b"ef\0\0"[..])
    );
}

// The second buffer lay past the largest offset, though a device has none.
#[test]
fn writing_to_a_device_at_the_largest_offset_takes_all_buffers() {
    let mut kernel = kernel(Limits::default());
    let program = spawn(&mut kernel, no_strings()).unwrap();
    let mut memory = [0; 32];
    // Two buffers of 4 bytes at 0.
    memory[12] = 4;
    memory[20] = 4;
    let written = call(&mut kernel, &program, &mut memory, |call| {
        syscalls::fd_pwrite(call, 0, 8, 2, u64::MAX, 24)
    });
    assert_eq!((written, memory[24]), (Ok(()), 8));
}

// Each step of a path through /proc copied all arguments and variables of the process, string by
// string: one call took minutes.
#[test]
fn a_long_path_through_proc_costs_the_same_with_a_large_environment() {
    let mut kernel = kernel(Limits::default());
    let strings = vec![0; Limits::default().argument_bytes - 64];
    let program = spawn(&mut kernel, Strings::from_block(&strings).unwrap()).unwrap();
    let path = [&b"/proc/"[..], &b"2/../".repeat(800)].concat();
    let mut memory = vec![0; 8192];
    memory[4096..4096 + path.len()].copy_from_slice(&path);
    let start = Instant::now();
    let found = call(&mut kernel, &program, &mut memory, |call| {
        syscalls::path_filestat_get(call, 3, 1, 4096, path.len() as u32, 0)
    });
    assert_eq!((program.pid.0, found), (2, Ok(())));
    // It takes under a millisecond; it took a hundred seconds.
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
}
