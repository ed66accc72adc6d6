//! Python inside: limits hold, the sandbox lives on, and many run at once. What programs print is
//! in `spec/guests/python.toml`.

use std::time::{Duration, Instant};

use codepod::{Mount, MountAccess, Options, Sandbox};

fn sandbox() -> Sandbox {
    Sandbox::create(Options::default()).unwrap()
}

/// Runs a program and returns its status, output and errors.
fn python(sandbox: &Sandbox, program: &str) -> (i32, String, String) {
    let command = sandbox.command(["python3", "-c", program]);
    let result = command.run_blocking().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (result.exit_code, text(result.stdout), text(result.stderr))
}

fn lives(sandbox: &Sandbox) {
    assert_eq!(python(sandbox, "print(6 * 7)").1, "42\n");
}

#[test]
fn an_endless_loop_ends_at_its_deadline() {
    let sandbox = sandbox();
    lives(&sandbox);
    let began = Instant::now();
    let result = sandbox
        .command(["python3", "-c", "while True: pass"])
        .timeout(Duration::from_millis(300))
        .run_blocking()
        .unwrap();
    assert_eq!(result.exit_code, 124);
    assert!(began.elapsed() < Duration::from_secs(5));
    lives(&sandbox);
}

#[test]
fn memory_that_is_used_up_is_an_exception() {
    let sandbox = sandbox();
    let bomb = "x = []\ntry:\n    while True: x.append(bytearray(1 << 20))\nexcept MemoryError: x = None; print('caught')";
    assert_eq!(python(&sandbox, bomb).1, "caught\n");
    let (status, _, errors) = python(&sandbox, "x = 'a'\nwhile True: x += x");
    assert_eq!(status, 1);
    assert!(
        errors.contains("MemoryError\ncodepod: a process reached"),
        "{errors}"
    );
    lives(&sandbox);
}

#[test]
fn recursion_ends_with_an_exception() {
    let sandbox = sandbox();
    for program in [
        "def f(): f()\ntry: f()\nexcept RecursionError: print('end')",
        "import sys; sys.setrecursionlimit(10 ** 9)\ndef f(): sorted([1, 2], key=lambda k: f())\ntry: f()\nexcept RecursionError: print('end')",
        "class A:\n    def __getattr__(self, n): return getattr(self, n + 'x')\ntry: A().y\nexcept RecursionError: print('end')",
        "try: eval('-' * 100000 + '1')\nexcept (MemoryError, RecursionError, SyntaxError): print('end')",
    ] {
        assert_eq!(python(&sandbox, program).1, "end\n", "{program}");
    }
    lives(&sandbox);
}

#[test]
fn files_and_processes_have_limits() {
    let sandbox = sandbox();
    let files = "f = []\ntry:\n    while True: f.append(open('/dev/null'))\nexcept OSError as e: print(e.errno)";
    assert_eq!(python(&sandbox, files).1, "24\n");
    let bomb = "import subprocess, sys\ntry: sys.exit(subprocess.run([sys.executable, 'bomb.py']).returncode)\nexcept OSError as e: sys.exit(1)";
    sandbox.write_file("bomb.py", bomb).unwrap();
    let result = sandbox.command(["python3", "bomb.py"]).run_blocking();
    assert_ne!(result.unwrap().exit_code, 0);
    lives(&sandbox);
}

#[test]
fn what_is_not_there_says_so() {
    let sandbox = sandbox();
    let (status, _, errors) = python(
        &sandbox,
        "import subprocess; subprocess.run(['true'], preexec_fn=print)",
    );
    assert_eq!(status, 1);
    assert!(errors.contains("without forking"), "{errors}");
    assert_eq!(
        python(&sandbox, "import os; print(hasattr(os, 'fork'))").1,
        "False\n"
    );
}

#[test]
fn many_run_at_once() {
    let threads: Vec<_> = (0..40)
        .map(|i| {
            std::thread::spawn(move || {
                let program = format!("import json, hashlib; print(json.dumps([{i} ** 2]))");
                assert_eq!(python(&sandbox(), &program).1, format!("[{}]\n", i * i));
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

/// The host hashes whole blocks, at most 256 KiB a call; the tools hash by themselves.
#[test]
fn hashes_of_any_length_are_those_of_the_tools() {
    let program = r#"
import hashlib, subprocess
for length in (0, 63, 64, 255, 256, 257, 262143, 262144, 262145, 600_000):
    data = bytes(i * 7 % 251 for i in range(length))
    for name in ("sha1", "sha224", "sha256", "sha384", "sha512"):
        whole, parts = hashlib.new(name, data).hexdigest(), hashlib.new(name)
        for at in range(0, length, 99_991): parts.update(data[at:at + 99_991])
        tool = subprocess.run([name + "sum"], input=data, capture_output=True).stdout.split()[0].decode()
        if not whole == parts.hexdigest() == tool: print(name, length, whole, parts.hexdigest(), tool)
print("done")
"#;
    let (status, output, error) = python(&sandbox(), program);
    assert_eq!((status, &*output, &*error), (0, "done\n", ""));
}

/// What Python compiles stays in the sandbox, also where it writes to a directory of the host.
#[test]
fn bytecode_does_not_go_into_directories_of_the_host() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("m.py"), "print('here')").unwrap();
    let mut options = Options::default();
    options.mounts = vec![Mount::host(
        directory.path(),
        "/work",
        MountAccess::ReadWrite,
    )];
    options.cwd = "/work".into();
    let sandbox = Sandbox::create(options).unwrap();
    let script = "python3 -c 'import m'; echo $? > status; find ~/.cache -name 'm.*.pyc' | wc -l";
    let result = sandbox.run_blocking(script).unwrap();
    assert_eq!(result.stdout_text(), "here\n1\n");
    let mut names: Vec<_> = std::fs::read_dir(directory.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["m.py", "status"]);
    // Where nothing is written to the host, all is as usual.
    let sandbox = Sandbox::create(Options::default()).unwrap();
    let result = sandbox.run_blocking("echo ${PYTHONPYCACHEPREFIX-none}");
    assert_eq!(result.unwrap().stdout_text(), "none\n");
}
