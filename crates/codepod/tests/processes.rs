//! Processes as guests see them: ends, children, signals, arguments, `/proc` and `/dev`.

mod support;

use std::time::Duration;

use codepod::{ErrorKind, Sandbox};
use support::{assert_idle, assert_works, expect, run, sandbox, sandbox_with};

#[test]
fn the_status_says_how_a_process_ended() {
    let sandbox = sandbox();
    for (argv, code) in [
        (&["exit_with", "0"][..], 0),
        (&["exit_with", "1"], 1),
        (&["exit_with", "255"], 255),
        // As in POSIX, only eight bits arrive.
        (&["exit_with", "256"], 0),
        (&["exit_with", "300"], 44),
        // SIGABRT, SIGFPE, SIGSEGV, SIGILL: what a native program would have died of.
        (&["panic"], 134),
        (&["trap", "unreachable"], 134),
        (&["trap", "divide"], 136),
        (&["trap", "memory"], 139),
        (&["trap", "indirect"], 132),
        (&["recurse"], 139),
    ] {
        let result = sandbox.command(argv).run_blocking().unwrap();
        assert_eq!(result.exit_code, code, "{argv:?}: {result:?}");
        assert_idle(&sandbox);
    }
    let result = run(&sandbox, ["panic"]);
    assert!(result.stderr_text().contains("on purpose"), "{result:?}");
    assert_works(&sandbox);
}

#[test]
fn what_cannot_be_started_is_126_or_127() {
    let sandbox = sandbox();
    sandbox.write_file("plain", "text").unwrap();
    sandbox.write_file("script", "text").unwrap();
    sandbox.set_mode("script", 0o755).unwrap();
    sandbox.write_file("chain", "#!/home/user/chain\n").unwrap();
    sandbox.set_mode("chain", 0o755).unwrap();
    sandbox
        .write_file("module", "#!codepod no-such-module\n")
        .unwrap();
    sandbox.set_mode("module", 0o755).unwrap();
    for (name, code, text) in [
        ("nope", 127, "command not found"),
        ("./nope", 127, "No such file or directory"),
        ("/nope/nope", 127, "No such file or directory"),
        ("./plain", 126, "Permission denied"),
        ("./script", 126, "Exec format error"),
        ("/home", 126, "Is a directory"),
        ("plain/x", 126, "Not a directory"),
        ("./module", 126, "there is no module `no-such-module`"),
    ] {
        let result = run(&sandbox, [name]);
        assert_eq!(result.exit_code, code, "{name}: {result:?}");
        assert!(result.stderr_text().contains(text), "{name}: {result:?}");
        assert_idle(&sandbox);
    }
    let error = sandbox.command(["./chain"]).run_blocking().unwrap_err();
    assert!(
        error.to_string().contains("Too many levels"),
        "a script that interprets itself: {error}"
    );
    assert!(sandbox.command([""; 0]).run_blocking().is_err());
    assert!(sandbox.command([""]).run_blocking().is_err());
    assert_works(&sandbox);
}

#[test]
fn a_script_names_its_interpreter() {
    let sandbox = sandbox();
    sandbox
        .write_file("script", "#!/bin/echo_args one two\nbody\n")
        .unwrap();
    sandbox.set_mode("script", 0o755).unwrap();
    // As on Linux: what follows the interpreter is one argument, then the script, then its
    // arguments.
    expect(
        &sandbox,
        ["./script", "three"],
        0,
        "/bin/echo_args\none two\n./script\nthree\n",
    );
}

fn write_script(sandbox: &Sandbox, name: &str, text: &str) {
    sandbox.write_file(name, text).unwrap();
    sandbox.set_mode(name, 0o755).unwrap();
}

#[test]
fn a_script_can_leave_the_place_of_its_interpreter_to_env() {
    let sandbox = sandbox();
    write_script(&sandbox, "script", "#!/usr/bin/env echo_args\n");
    expect(
        &sandbox,
        ["./script", "one"],
        0,
        "echo_args\n./script\none\n",
    );
    write_script(&sandbox, "missing", "#!/no/such/interpreter\n");
    let result = run(&sandbox, ["./missing"]);
    assert_eq!(result.exit_code, 127, "{}", result.stderr_text());
}

#[test]
fn scripts_may_interpret_scripts_but_not_for_ever() {
    let sandbox = sandbox();
    write_script(&sandbox, "0", "#!/bin/echo_args\n");
    for level in 1..=5 {
        let text = format!("#!/home/user/{}\n", level - 1);
        write_script(&sandbox, &level.to_string(), &text);
    }
    let result = run(&sandbox, ["/home/user/3"]);
    let expected = "/bin/echo_args\n/home/user/0\n/home/user/1\n/home/user/2\n/home/user/3\n";
    assert_eq!(result.stdout_text(), expected, "{}", result.stderr_text());
    let endless = sandbox.command(["/home/user/5"]).run_blocking();
    let text = endless.unwrap_err().to_string();
    assert!(text.contains("/home/user/5"), "{text}");
}

#[test]
fn a_text_without_an_interpreter_is_no_program() {
    let sandbox = sandbox();
    for text in ["echo hi\n", "", "#! \n"] {
        write_script(&sandbox, "text", text);
        let result = run(&sandbox, ["./text"]);
        let expected = (126, "codepod: ./text: Exec format error\n");
        assert_eq!((result.exit_code, &*result.stderr_text()), expected);
    }
}

#[test]
fn a_child_is_a_zombie_until_it_is_waited_for() {
    let sandbox = sandbox();
    expect(&sandbox, ["zombie"], 0, "");
    expect(&sandbox, ["wait_any"], 0, "1 2 3\n");
    assert_works(&sandbox);
}

#[test]
fn an_orphan_is_adopted_and_leaves_no_zombie() {
    let sandbox = sandbox();
    let mut running = sandbox.command(["orphan"]).start().unwrap();
    let mut stdout = running.stdout.take().unwrap();
    assert_eq!(running.wait_blocking().unwrap().code(), 0);
    let (mut text, mut buffer) = (Vec::new(), [0; 256]);
    while let Ok(read @ 1..) = stdout.read_blocking(&mut buffer) {
        text.extend_from_slice(&buffer[..read]);
    }
    assert_eq!(text, b"parent ends\nadopted by 1\n");
    drop((running, stdout));
    assert_works(&sandbox);
}

#[test]
fn signals_reach_processes_and_groups() {
    let sandbox = sandbox();
    for program in ["signal_catch", "kill_group", "stop_continue", "sigpipe"] {
        expect(&sandbox, [program], 0, "");
        assert_idle(&sandbox);
    }
    assert_works(&sandbox);
}

#[test]
fn processes_share_files_as_posix_says() {
    let sandbox = sandbox();
    for program in [
        "cwd_relative",
        "descriptor_three",
        "safe_calls",
        "fifo_talk",
        "rename_atomic",
        "unlinked_open",
        "readdir_forged",
    ] {
        expect(&sandbox, [program], 0, "");
        assert_eq!(sandbox.stats().unwrap().nodes, 0, "{program} left files");
    }
    expect(&sandbox, ["pingpong", "1000"], 0, "1000\n");
    assert_works(&sandbox);
}

#[test]
fn a_child_can_be_started_and_its_end_is_told() {
    let sandbox = sandbox();
    for (argv, text) in [
        (&["spawn_one"][..], "child Exited(0)\n"),
        (&["spawn_one", "/bin/exit_with", "7"], "child Exited(7)\n"),
        (
            &["spawn_one", "/bin/trap", "memory"],
            "child Signaled(Segv)\n",
        ),
        (&["spawn_one", "/bin/recurse"], "child Signaled(Segv)\n"),
    ] {
        let result = sandbox.command(argv).run_blocking().unwrap();
        assert_eq!(result.stdout_text(), text, "{result:?}");
    }
    assert_works(&sandbox);
}

#[test]
fn wm_04_a_chain_of_processes_does_not_deepen_anything() {
    let sandbox = sandbox();
    expect(&sandbox, ["spawn_chain", "50"], 0, "42\n");
    assert_works(&sandbox);
    // Far beyond the limit of processes: the last that could not start says so, and all end.
    let result = run(&sandbox, ["spawn_chain", "1000000"]);
    assert_eq!(result.exit_code, 1);
    assert!(
        result.stdout_text().starts_with("999937 left: Again\n"),
        "{result:?}"
    );
    assert_works(&sandbox);
    let deep = sandbox_with(|options| {
        options.limits.processes = 1000;
        options.limits.total_memory_bytes = 4 << 30;
    });
    expect(&deep, ["spawn_chain", "900"], 0, "42\n");
    assert_works(&deep);
}

#[test]
fn a_fork_bomb_leaves_a_working_sandbox() {
    let sandbox = sandbox();
    expect(&sandbox, ["fork_bomb"], 0, "stopped by Again\nall gone\n");
    assert_works(&sandbox);
}

#[test]
fn arguments_of_any_bytes_arrive_as_they_are() {
    let sandbox = sandbox();
    let argv: [&[u8]; 7] = [
        b"echo_args",
        b"",
        b"two words",
        b"\xff\xfe\x80",
        "ü€😀".as_bytes(),
        b"a\tb\\c\"d'e$f`g*",
        b"--=-",
    ];
    let result = sandbox.command(argv).run_blocking().unwrap();
    let mut expected = argv.join(&b'\n');
    expected.push(b'\n');
    assert_eq!(result.stdout, expected);
    let error = sandbox
        .command([&b"echo_args"[..], b"a\0b"])
        .run_blocking()
        .unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::InvalidArgument(_)),
        "{error}"
    );
    assert_works(&sandbox);
}

#[test]
fn the_environment_is_the_usual_one_and_what_is_added() {
    let sandbox = sandbox_with(|options| {
        options.env = vec![
            ("LANG".into(), "de_DE.UTF-8".into()),
            ("FROM_OPTIONS".into(), "a=b; c\n\"d\" ü".into()),
            ("TWICE".into(), "first".into()),
        ];
    });
    let result = sandbox
        .command(["env_dump"])
        .env("TWICE", "second")
        .env("EMPTY", "")
        .cwd("/tmp")
        .run_blocking()
        .unwrap();
    assert_eq!(
        result.stdout_text(),
        "PATH=/usr/local/bin:/usr/bin:/bin:/home/user/.local/bin\nHOME=/home/user\nUSER=user\nLANG=de_DE.UTF-8\nPWD=/tmp\n\
         FROM_OPTIONS=a=b; c\n\"d\" ü\nTWICE=second\nEMPTY=\n"
    );
    // Nothing of the host's own environment.
    expect(
        &sandbox,
        ["echo_env", "HOME", "CARGO_MANIFEST_DIR"],
        0,
        "/home/user\nCARGO_MANIFEST_DIR is unset\n",
    );
    let error = sandbox
        .command(["env_dump"])
        .env("A", "x\0y")
        .run_blocking()
        .unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::InvalidArgument(_)),
        "{error}"
    );
    assert_works(&sandbox);
}

#[test]
fn proc_self_is_the_process_that_looks() {
    let sandbox = sandbox();
    let text = |argv: &[&str]| {
        let result = sandbox.command(argv).run_blocking().unwrap();
        assert_eq!(result.exit_code, 0, "{argv:?}: {result:?}");
        result.stdout_text().into_owned()
    };
    assert_eq!(
        text(&["read_files", "/proc/self/cmdline"]),
        "read_files\0/proc/self/cmdline\0"
    );
    let status = text(&["read_files", "/proc/self/status"]);
    assert!(status.starts_with("Name:\tread_files\n"), "{status}");
    assert!(status.contains("\nUid:\t1000"), "{status}");
    let environ = text(&["read_files", "/proc/self/environ"]);
    assert!(environ.contains("HOME=/home/user\0"), "{environ}");
    assert!(text(&["read_files", "/proc/mounts"]).contains(" /proc "));
    let uptime: f64 = text(&["read_files", "/proc/uptime"])
        .split(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(uptime < 60.0, "{uptime}: that is the host's");
    // Another process is there while it runs, and only of this sandbox.
    assert!(text(&["read_files", "/proc/1/status"]).contains("init"));
    let gone = run(&sandbox, ["read_files", "/proc/30000/status"]);
    assert_eq!(gone.exit_code, 1, "{gone:?}");
    assert_works(&sandbox);
}

#[test]
fn devices_give_what_they_are_named_for() {
    let sandbox = sandbox();
    let read = |path: &str| {
        let result = run(&sandbox, ["read_files", path]);
        assert_eq!(result.exit_code, 0, "{path}: {result:?}");
        result.stdout
    };
    assert_eq!(read("/dev/null"), b"");
    assert_eq!(read("/dev/zero"), [0; 4096]);
    assert_eq!(read("/dev/full"), [0; 4096]);
    let (first, second) = (read("/dev/urandom"), read("/dev/random"));
    assert_eq!((first.len(), second.len()), (4096, 4096));
    assert!(first != second && first.iter().any(|byte| *byte != 0));
    let result = sandbox
        .command(["read_files", "/dev/stdin"])
        .stdin("through the link")
        .run_blocking()
        .unwrap();
    assert_eq!(result.stdout_text(), "through the link", "{result:?}");
    let no_terminal = run(&sandbox, ["read_files", "/dev/tty"]);
    assert_eq!(no_terminal.exit_code, 1, "{no_terminal:?}");
    assert_works(&sandbox);
}

#[test]
fn clocks_and_sleeps_are_the_hosts() {
    let sandbox = sandbox();
    let result = run(&sandbox, ["clock"]);
    assert_eq!(result.exit_code, 0, "{result:?}");
    let text = result.stdout_text();
    let wall: u64 = text.split(' ').next().unwrap().parse().unwrap();
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_nanos() as u64;
    assert!(now.abs_diff(wall) < 10_000_000_000, "{wall} is not {now}");
    let slept = run(&sandbox, ["sleep_ms", "50"]);
    assert_eq!(slept.exit_code, 0);
    assert!(
        slept.execution_time >= Duration::from_millis(50),
        "{slept:?}"
    );
    assert_works(&sandbox);
}

#[test]
fn many_commands_run_at_once_in_one_sandbox() {
    let sandbox: Sandbox = sandbox();
    let runners: Vec<_> = (0..8)
        .map(|i| {
            let sandbox = sandbox.clone();
            std::thread::spawn(move || {
                for round in 0..50 {
                    let word = format!("{i}-{round}");
                    expect(
                        &sandbox,
                        ["echo_args", &word],
                        0,
                        &format!("echo_args\n{word}\n"),
                    );
                }
            })
        })
        .collect();
    for runner in runners {
        runner.join().unwrap();
    }
    assert_works(&sandbox);
}
