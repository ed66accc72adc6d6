//! What the library relies on in an engine, whichever it is: the list is in
//! `codepod/src/engine.rs`. An engine of a page has to pass the same.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use codepod_abi::Grant;
use codepod_kernel::{
    Fd, Group, Kernel, KernelOptions, Limits, PipeEnd, PipeId, Policy, Program, SpawnSpec, Stdio,
    Strings, WaiterId,
};
use codepod_vfs::{Budget, Memory, Tree, Vfs};
use codepod_wasmtime::{Code, Engine, EngineOptions, GuestModule, KernelHandle, Share};

/// Prints a byte, computes for several time slices, prints another, and reads one; again and again
/// until there is nothing more to read.
const GUEST: &str = r#"(module
    (import "wasi_snapshot_preview1" "fd_read"
        (func $read (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_write"
        (func $write (param i32 i32 i32 i32) (result i32)))
    (memory (export "memory") 1)
    (data (i32.const 0) "\10\00\00\00\01\00\00\00")
    (data (i32.const 16) ".")
    (func $print (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))))
    (func (export "_start") (local $turns i32)
        (loop $again
            (call $print)
            (local.set $turns (i32.const 20000000))
            (loop $compute
                (i32.store (i32.const 32) (local.tee $turns (i32.sub (local.get $turns) (i32.const 1))))
                (br_if $compute (local.get $turns)))
            (call $print)
            (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
            (br_if $again (i32.load (i32.const 8))))))"#;

/// A process of that guest, and the host's ends of its streams.
struct Started {
    engine: Engine,
    kernel: KernelHandle,
    program: Program,
    input: PipeId,
    output: PipeId,
    waiter: WaiterId,
}

fn start() -> Started {
    let engine = Engine::new(EngineOptions {
        slots: 4,
        threads: 1,
        cache: None,
    })
    .unwrap();
    engine.register(GuestModule {
        name: "guest".into(),
        code: Code::Wasm(wat::parse_str(GUEST).unwrap().into()),
        compiled: None,
        grants: vec![Grant::Wasi],
        images: Vec::new(),
    });
    let tree = Tree::builder().file(b"/guest", 0o755, b"#!codepod guest guest\n");
    let mut kernel = Kernel::new(KernelOptions {
        id: 1,
        host: engine.host(),
        vfs: Vfs::new(Box::new(Memory::new(tree.build()))),
        limits: Arc::new(Limits::default()),
        budget: Budget::default(),
        policy: Policy::default(),
        uid: 0,
        gid: 0,
        trace: None,
    });
    let [input, output] = [(); 2].map(|()| kernel.new_pipe().unwrap());
    kernel.hold_pipe(PipeEnd::Write(input)).unwrap();
    kernel.hold_pipe(PipeEnd::Read(output)).unwrap();
    let stdio = [
        Stdio::PipeRead(input),
        Stdio::PipeWrite(output),
        Stdio::Null,
    ];
    let spec = SpawnSpec {
        path: b"/guest".to_vec(),
        argv: Strings::new(["guest"]).unwrap(),
        env: Strings::new(["A=b"]).unwrap(),
        cwd: None,
        fds: stdio.into_iter().zip([Fd(0), Fd(1), Fd(2)]).collect(),
        group: Group::Inherit,
    };
    let program = kernel.spawn(None, spec).unwrap();
    let waiter = kernel.new_waiter();
    Started {
        kernel: KernelHandle::new(kernel, &Share::default()),
        engine,
        program,
        input,
        output,
        waiter,
    }
}

/// Tells a channel of each wake.
struct Told(Sender<()>);

impl Wake for Told {
    fn wake(self: Arc<Self>) {
        let _ = self.0.send(());
    }
}

/// Polls a process once, and again each time that its engine asks for it, until `is_done` says so
/// or it has ended.
fn drive(
    mut process: Pin<&mut impl Future<Output = ()>>,
    waker: &Waker,
    wakes: &Receiver<()>,
    mut is_done: impl FnMut() -> bool,
) -> Poll<()> {
    loop {
        let polled = process.as_mut().poll(&mut Context::from_waker(waker));
        if polled.is_ready() || is_done() {
            return polled;
        }
        wakes
            .recv_timeout(Duration::from_secs(60))
            .expect("the engine wakes who polls when the process waits or goes on");
    }
}

#[test]
fn who_polls_is_woken_each_time_the_process_begins_to_wait() {
    let Started {
        engine,
        kernel,
        program,
        input,
        output,
        waiter,
    } = start();
    let mut process = pin!(engine.run(kernel.clone(), program));
    let (tell, wakes) = channel();
    let waker = Waker::from(Arc::new(Told(tell)));
    // Whoever drives looks at the kernel after polls only, and nothing else wakes it.
    let mut printed = 0;
    let mut look = || {
        let mut kernel = kernel.lock().unwrap();
        let mut buffer = [0; 16];
        while let Poll::Ready(Ok(read @ 1..)) =
            kernel.poll_pipe_read(output, &mut buffer, waiter, Waker::noop())
        {
            printed += read;
        }
        printed
    };
    for turn in 1..=5 {
        let polled = drive(process.as_mut(), &waker, &wakes, || look() == 2 * turn);
        assert!(polled.is_pending(), "it waits for its input");
        let mut kernel = kernel.lock().unwrap();
        let written = kernel.poll_pipe_write(input, b"x", waiter, Waker::noop());
        assert!(matches!(written, Poll::Ready(Ok(1))));
    }
    assert!(drive(process.as_mut(), &waker, &wakes, || look() == 12).is_pending());
    kernel.lock().unwrap().close_pipe(PipeEnd::Write(input));
    assert!(drive(process.as_mut(), &waker, &wakes, || false).is_ready());
}

#[test]
fn dropping_the_future_kills_the_process() {
    let started = start();
    let kernel = started.kernel;
    let mut process = Box::pin(started.engine.run(kernel.clone(), started.program));
    let first = process
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()));
    assert!(first.is_pending());
    let running = || {
        let processes = kernel.lock().unwrap().live_processes();
        processes
            .iter()
            .filter(|(_, info)| info.state != 'Z')
            .count()
    };
    assert_eq!(running(), 1);
    drop(process);
    assert_eq!(running(), 0);
}
