//! Every call of the table, exercised by guest programs: success and each documented error.
//!
//! The programs assert what they expect; the trace of the kernel says which calls ended how. A line
//! of the table that no program provokes fails here.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use codepod::{
    Error, ErrorKind, Mount, MountSource, Options, Running, Runtime, RuntimeOptions, Sandbox,
    Trace, Tree,
};
use codepod_abi::{CALLS, Errno};
use support::{panics, set_shell, test_options};

type Seen = Arc<Mutex<BTreeSet<(&'static str, Option<Errno>)>>>;

/// The sandbox that the `calls_*` programs expect; see `guests/testing/test-programs`.
fn fixture(runtime: &Runtime, trace: impl Fn(Trace) + Send + Sync + 'static) -> Sandbox {
    let mut options: Options = test_options();
    options.fs_limits.bytes = 4 << 20;
    options.fs_limits.file_bytes = 1 << 20;
    options.fs_limits.nodes = 300;
    options.limits.processes = 8;
    options.limits.descriptors = 64;
    options.limits.pipes = 16;
    options.limits.sockets = 16;
    options.limits.socket_bytes = 64 << 10;
    options.limits.argument_bytes = 128 << 10;
    options.limits.session_bytes = 64 << 10;
    let image = Tree::builder()
        .file(b"/file", 0o644, b"read only\n")
        .dir(b"/dir", 0o755)
        .build();
    options.mounts = vec![
        Mount::new(MountSource::Image(Arc::new(image)), "/home/user/ro"),
        Mount::new(MountSource::Memory, "/home/user/other"),
    ];
    options.trace = Some(Arc::new(trace));
    let sandbox = Sandbox::create_on(runtime, options).unwrap();
    let root = sandbox.as_root();
    root.mkdir("/secret").unwrap();
    root.write_file("/secret/file", "secret\n").unwrap();
    root.set_mode("/secret", 0o700).unwrap();
    root.write_file("/home/user/rootfile", "root's\n").unwrap();
    sandbox
        .write_file("/home/user/plain.txt", "plain\n")
        .unwrap();
    sandbox.write_file("/home/user/garbage", "junk").unwrap();
    sandbox.set_mode("/home/user/garbage", 0o755).unwrap();
    sandbox
}

/// Notes which calls ended how.
fn note(seen: &Seen) -> impl Fn(Trace) + Send + Sync + 'static {
    let seen = seen.clone();
    move |trace| {
        seen.lock()
            .unwrap()
            .insert((trace.call.info().name, trace.result.err()));
    }
}

fn run(seen: &Seen, program: &str) {
    let result = fixture(&Runtime::global().unwrap(), note(seen))
        .command([program])
        .stdin("")
        .run_blocking()
        .unwrap();
    assert_eq!(
        result.exit_code,
        0,
        "{program}:\n{}{}",
        result.stderr_text(),
        result.stdout_text()
    );
}

fn run_on_terminal(seen: &Seen, program: &str) {
    let sandbox = fixture(&Runtime::global().unwrap(), note(seen));
    let mut running = Running::start_on_terminal(sandbox.command([program]), 24, 80).unwrap();
    let mut output = running.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let (mut text, mut buffer) = (Vec::new(), [0; 4096]);
        while let Ok(read @ 1..) = output.read_blocking(&mut buffer) {
            text.extend_from_slice(&buffer[..read]);
        }
        text
    });
    let status = running.wait_blocking().unwrap();
    drop(running);
    let text = reader.join().unwrap();
    assert_eq!(
        status.code(),
        0,
        "{program}:\n{}",
        String::from_utf8_lossy(&text)
    );
}

/// Runs a program as the shell that serves a script.
fn run_as_shell(seen: &Seen, program: &str) {
    let runtime = Runtime::new(RuntimeOptions::default()).unwrap();
    set_shell(&runtime, program);
    let sandbox = fixture(&runtime, note(seen));
    let result = sandbox
        .run_blocking("a script that does not fit into four bytes")
        .unwrap();
    assert_eq!(result.exit_code, 0, "{program}:\n{}", result.stderr_text());
}

#[test]
fn every_call_succeeds_and_fails_as_documented() {
    let seen = Seen::default();
    let mut programs = 0;
    for guest in codepod_guests::group(codepod_guests::TEST_PROGRAMS) {
        if guest.name == "calls_terminal" {
            run_on_terminal(&seen, guest.name);
        } else if guest.name == "calls_session" {
            run_as_shell(&seen, guest.name);
        } else if guest.name.starts_with("calls_") {
            run(&seen, guest.name);
        } else {
            continue;
        }
        programs += 1;
    }
    assert!(
        programs > 5,
        "the call programs are not built: run `cargo xtask guests`"
    );
    let seen = seen.lock().unwrap();
    let mut missing = Vec::new();
    for call in CALLS {
        if call.succeeds && !seen.contains(&(call.name, None)) {
            missing.push(format!("{}: success", call.name));
        }
        for errno in call.fails {
            if !seen.contains(&(call.name, Some(*errno))) {
                missing.push(format!("{}: {}", call.name, errno.name()));
            }
        }
    }
    let mut undocumented = Vec::new();
    for (name, errno) in seen
        .iter()
        .filter_map(|(name, errno)| Some((name, (*errno)?)))
    {
        let call = CALLS.iter().find(|call| call.name == *name).unwrap();
        if !call.fails.contains(&errno) {
            undocumented.push(format!("{name}: {}", errno.name()));
        }
    }
    assert!(
        missing.is_empty() && undocumented.is_empty(),
        "not exercised by a guest program: {missing:#?}\nseen, but not in the table: {undocumented:#?}"
    );
}

/// The trace is called under the kernel's lock, as the call itself is: a panic there leaves what a
/// panic in the call leaves.
#[test]
fn wm_17_a_panic_in_any_call_ends_that_sandbox_only() {
    let runtime = Runtime::global().unwrap();
    let other = Sandbox::create_on(&runtime, test_options()).unwrap();
    let mut programs: BTreeMap<&str, &str> = BTreeMap::new();
    for guest in codepod_guests::group(codepod_guests::TEST_PROGRAMS) {
        let special = ["calls_terminal", "calls_session"].contains(&guest.name);
        if special || !guest.name.starts_with("calls_") {
            continue;
        }
        let seen = Seen::default();
        run(&seen, guest.name);
        for (call, _) in seen.lock().unwrap().iter() {
            programs.insert(call, guest.name);
        }
    }
    // Those of a terminal and of a shell are made by programs that are started in other ways.
    assert!(programs.len() + 12 > CALLS.len(), "{}", programs.len());
    let expected = panics() + programs.len();
    for (call, program) in programs {
        let hurt = fixture(&runtime, move |trace| {
            assert_ne!(trace.call.info().name, call, "on purpose: WM-17");
        });
        let began = Instant::now();
        let ended = hurt.command([program]).stdin("").run_blocking();
        // Those that waited for the process that panicked are told.
        assert!(began.elapsed() < Duration::from_secs(10), "{call}");
        let internal = |error: &Error| matches!(error.kind(), ErrorKind::Internal);
        assert!(ended.as_ref().is_err_and(internal), "{call}: {ended:?}");
        assert!(hurt.stats().as_ref().is_err_and(internal), "{call}");
        drop(hurt);
        let answer = other.run_blocking("echo alive | cat").unwrap();
        assert_eq!(answer.stdout_text(), "alive\n", "{call}");
    }
    assert_eq!(panics(), expected, "each happened once");
}
