//! Every call of the table, exercised by guest programs: success and each documented error.
//!
//! The programs assert what they expect; the trace of the kernel says which calls ended how. A line of the
//! table that no program provokes fails here.

mod support;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use codepod::{Mount, MountSource, Options, Running, Sandbox, Tree};
use codepod_abi::{CALLS, Errno};
use support::test_options;

type Seen = Arc<Mutex<BTreeSet<(&'static str, Option<Errno>)>>>;

/// The sandbox that the `calls_*` programs expect; see `guests/test-programs`.
fn fixture(seen: &Seen) -> Sandbox {
    let mut options: Options = test_options();
    options.fs_limits.bytes = 4 << 20;
    options.fs_limits.file_bytes = 1 << 20;
    options.fs_limits.nodes = 300;
    options.limits.processes = 8;
    options.limits.descriptors = 64;
    options.limits.pipes = 16;
    options.limits.argument_bytes = 128 << 10;
    options.limits.session_bytes = 64 << 10;
    let image = Tree::builder()
        .file(b"/file", 0o644, b"read only\n")
        .dir(b"/dir", 0o755)
        .build();
    options.mounts = vec![
        Mount {
            at: "/home/user/ro".into(),
            source: MountSource::Image(Arc::new(image)),
        },
        Mount {
            at: "/home/user/other".into(),
            source: MountSource::Memory,
        },
    ];
    let seen = seen.clone();
    options.trace = Some(Arc::new(move |trace| {
        seen.lock()
            .unwrap()
            .insert((trace.call.info().name, trace.result.err()));
    }));
    let sandbox = Sandbox::create(options).unwrap();
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

fn run(seen: &Seen, program: &str) {
    let result = fixture(seen)
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
    let sandbox = fixture(seen);
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
    let sandbox = fixture(seen);
    let stub = format!("#!codepod {program} bash\n");
    sandbox.as_root().write_file("/bin/bash", stub).unwrap();
    sandbox.as_root().set_mode("/bin/bash", 0o755).unwrap();
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
