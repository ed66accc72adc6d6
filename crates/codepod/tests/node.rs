//! Node.js inside: limits hold, processes do not share what must be their own, and the sandbox
//! lives on. What programs print is in `spec/guests/node.toml`.

mod support;

use std::time::{Duration, Instant};

use codepod::{Options, Sandbox};

use support::node;

fn sandbox() -> Sandbox {
    Sandbox::create(Options::default()).unwrap()
}

fn lives(sandbox: &Sandbox) {
    assert_eq!(node(sandbox, "console.log(6 * 7)").1, "42\n");
}

// AC-JS-1
#[test]
fn programs_read_and_write_the_files_of_the_sandbox() {
    let sandbox = sandbox();
    sandbox.write_file("/tmp/in.txt", "from the host").unwrap();
    let program = "const fs = require('fs');
        fs.writeFileSync('/tmp/out.txt', fs.readFileSync('/tmp/in.txt', 'utf8').toUpperCase());
        console.log([1, 2, 3].map((x) => x * 2).join());";
    assert_eq!(node(&sandbox, program).1, "2,4,6\n");
    assert_eq!(sandbox.read_file("/tmp/out.txt").unwrap(), b"FROM THE HOST");
}

// AC-JS-2
#[test]
fn a_sandbox_that_does_not_allow_node_refuses_it() {
    let mut options = Options::default();
    options.allowed_commands = Some(["bash", "echo", "cp"].map(str::to_owned).to_vec());
    let sandbox = Sandbox::create(options).unwrap();
    let script = "node -e 'console.log(1)'; echo $?; cp /usr/bin/node mine; ./mine -e 1; echo $?";
    let result = sandbox.run_blocking(script).unwrap();
    assert_eq!(result.stdout_text(), "126\n126\n");
    let errors = result.stderr_text();
    assert!(errors.contains("Operation not permitted"), "{errors}");
}

#[test]
fn an_endless_loop_ends_at_its_deadline() {
    let sandbox = sandbox();
    lives(&sandbox);
    for program in [
        "for (;;);",
        "(function next() { Promise.resolve().then(next) })()",
        "/(a+)+$/.test('a'.repeat(40) + 'b')",
    ] {
        let began = Instant::now();
        let result = sandbox
            .command(["node", "-e", program])
            .timeout(Duration::from_millis(300))
            .run_blocking()
            .unwrap();
        assert_eq!(result.exit_code, 124, "{program}");
        assert!(began.elapsed() < Duration::from_secs(5), "{program}");
    }
    lives(&sandbox);
}

#[test]
fn deep_recursion_is_a_range_error() {
    let sandbox = sandbox();
    let program = "(function f() { f() + 1 })()";
    let (status, _, errors) = node(&sandbox, program);
    assert_eq!(status, 1);
    assert!(
        errors.contains("RangeError: Maximum call stack size exceeded"),
        "{errors}"
    );
    lives(&sandbox);
}

#[test]
fn what_must_be_new_in_each_process_is() {
    let sandbox = sandbox();
    let program = "console.log(Math.random(), process.pid, performance.timeOrigin)";
    let first = node(&sandbox, program).1;
    let second = node(&sandbox, program).1;
    let (first, second): (Vec<_>, Vec<_>) =
        (first.split(' ').collect(), second.split(' ').collect());
    assert_eq!(first.len(), 3);
    for (one, other) in first.iter().zip(&second) {
        assert_ne!(one, other);
    }
}

#[test]
fn the_environment_and_the_directory_are_those_of_the_process() {
    let sandbox = sandbox();
    let result = sandbox
        .command([
            "sh",
            "-c",
            "mkdir -p /tmp/d && cd /tmp/d && A=b node -p 'process.env.A + process.cwd()'",
        ])
        .run_blocking()
        .unwrap();
    assert_eq!(result.stdout, b"b/tmp/d\n");
}

#[test]
fn a_program_starts_others_and_reads_their_output() {
    let sandbox = sandbox();
    let program = "const { execFileSync, exec } = require('child_process');
        console.log(execFileSync('cat', { input: 'through a pipe' }).toString());
        exec('echo out; exit 3', (error, out) => console.log(error.code, out));";
    assert_eq!(node(&sandbox, program).1, "through a pipe\n3 out\n\n");
}

#[test]
fn cycles_of_a_program_are_collected() {
    let sandbox = sandbox();
    let program = "for (let i = 0; i < 300000; i++) { const a = { bytes: 'x'.repeat(1000) + i }; a.self = a; }
        console.log(process.memoryUsage().rss < 300e6);";
    let (status, output, errors) = node(&sandbox, program);
    assert_eq!((status, output.as_str()), (0, "true\n"), "{errors}");
}
