//! Callers with small stacks: a library cannot choose the thread that it is called on.

use std::process::Command;
use std::thread;

use codepod::{Options, Sandbox};

/// What callers are asked to have (`lib.rs`). A build without optimisation uses the most.
const ENOUGH: usize = 128 << 10;

/// Asks this test program to work on a thread with a stack of so many bytes. In a process of its
/// own: who goes beyond a stack ends the process.
const ASKED: &str = "CODEPOD_TEST_STACK";

/// What a program does with a sandbox, from its beginning to its end.
fn work() {
    let sandbox = Sandbox::create(Options::default()).unwrap();
    let hello = sandbox.run_blocking("echo hello | tr a-z A-Z; seq 1000 | sort -n | tail -1");
    assert_eq!(hello.unwrap().stdout, b"HELLO\n1000\n");
    // Deep inside is deep on the guest's own stack.
    let deep = "f() { if [ $1 -gt 0 ]; then f $(($1 - 1)); else echo deep; fi; }; f 500";
    assert_eq!(sandbox.run_blocking(deep).unwrap().stdout, b"deep\n");
    let path = "d/".repeat(100);
    let made = sandbox.run_blocking(format!("mkdir -p {path}; echo x > {path}/f"));
    assert_eq!(made.unwrap().exit_code, 0);
    sandbox.export_state(std::io::sink(), None).unwrap();
    if codepod::commands()
        .iter()
        .any(|(name, _)| *name == "python3")
    {
        let session = sandbox.python_session("main").unwrap();
        let sum = session.run_blocking("sum(range(10))").unwrap();
        assert_eq!(sum.stdout, b"45\n");
    }
    let fork = sandbox.fork().unwrap();
    let removed = fork.run_blocking("rm -r d; ls");
    assert_eq!(removed.unwrap().stdout, b"");
    assert!(sandbox.undo(1).is_ok());
}

fn on_stack(bytes: usize) -> bool {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "a_small_stack_is_enough", "--nocapture"]);
    let output = command.env(ASKED, bytes.to_string()).output().unwrap();
    output.status.success()
}

#[test]
fn a_small_stack_is_enough() {
    if let Ok(bytes) = std::env::var(ASKED) {
        let thread = thread::Builder::new().stack_size(bytes.parse().unwrap());
        thread.spawn(work).unwrap().join().unwrap();
        return;
    }
    assert!(
        on_stack(ENOUGH),
        "more than {ENOUGH} bytes of stack are needed"
    );
    // The test can fail.
    assert!(!on_stack(16 << 10));
}
