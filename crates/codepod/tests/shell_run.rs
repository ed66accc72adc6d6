//! Scripts in the real shell, through the library: state, streams, ends, snapshots, concurrency,
//! failure.

mod support;

use std::time::{Duration, Instant};

use codepod::{RunResult, Sandbox};
use futures_lite::future::{block_on, zip};
use support::machine::Stopwatch;
use support::{Oracle, alone, assert_idle, sandbox, sandbox_with, within};

fn run(sandbox: &Sandbox, script: &str) -> RunResult {
    sandbox.run_blocking(script).unwrap()
}

/// Runs a script that must succeed without complaint; what it printed.
#[track_caller]
fn text(sandbox: &Sandbox, script: &str) -> String {
    let result = run(sandbox, script);
    assert_eq!(
        (result.exit_code, &*result.stderr_text()),
        (0, ""),
        "{script}: {result:?}"
    );
    result.stdout_text().into_owned()
}

#[test]
fn a_script_is_bash() {
    let sandbox = sandbox();
    assert_eq!(text(&sandbox, "echo hi"), "hi\n");
    assert_eq!(text(&sandbox, "seq 3 | sort -r | tr '\\n' ' '"), "3 2 1 ");
    assert_eq!(
        text(&sandbox, "a=(x y z); echo ${#a[@]} ${a[-1]^}"),
        "3 Z\n"
    );
    let result = run(&sandbox, "echo out; echo err >&2; (exit 3)");
    assert_eq!(
        (&*result.stdout, &*result.stderr),
        (&b"out\n"[..], &b"err\n"[..])
    );
    assert_eq!(result.exit_code, 3);
    let result = run(&sandbox, "no-such-command");
    assert_eq!(result.exit_code, 127);
    let stderr = result.stderr_text();
    assert!(
        stderr.contains("no-such-command: command not found"),
        "{stderr}"
    );
    let result = run(&sandbox, "if");
    assert_eq!(result.exit_code, 2, "{}", result.stderr_text());
}

#[test]
fn bytes_are_bytes() {
    let sandbox = sandbox();
    let bytes: Vec<u8> = (1..=255).filter(|byte| *byte != b'\'').collect();
    let script = [b"printf %s '", &bytes[..], b"'"].concat();
    assert_eq!(sandbox.run_blocking(script).unwrap().stdout, bytes);
    let all: Vec<u8> = (0..=255).collect();
    let result = sandbox.script("cat").stdin(all.clone()).run_blocking();
    assert_eq!(result.unwrap().stdout, all);
}

#[test]
fn what_a_script_leaves_is_there_for_the_next() {
    let sandbox = sandbox();
    run(
        &sandbox,
        "x=1; export y=2; a=(1 2); declare -A m=([k]=v); f() { echo f $1; }; cd /tmp; set -u; shopt -s extglob; umask 077
         alias ll='echo alias'; shopt -s expand_aliases; trap 'echo bye' USR1; exec 5>five; sleep 100 & echo hi >&5",
    );
    assert_eq!(
        text(
            &sandbox,
            "echo $x $y ${a[1]} ${m[k]} $PWD; [[ $- != *u* && a == @(a|b) ]]"
        ),
        "1 2 2 v /tmp\n"
    );
    assert_eq!(
        text(&sandbox, "f 3; ll; umask; pwd"),
        "f 3\nalias\n0077\n/tmp\n"
    );
    assert_eq!(
        text(&sandbox, "printenv y; trap -p USR1"),
        "2\ntrap -- 'echo bye' SIGUSR1\n"
    );
    // Descriptors and jobs are the process's own, and it is the same process.
    assert_eq!(
        text(
            &sandbox,
            "echo again >&5; exec 5>&-; read a < five; cat five"
        ),
        "hi\nagain\n"
    );
    assert_eq!(
        text(
            &sandbox,
            "jobs -p | wc -l; kill %1; wait %1 2>/dev/null; echo $?"
        )
        .lines()
        .next(),
        Some("1")
    );
}

#[test]
fn input_and_variables_are_the_scripts_own() {
    let sandbox = sandbox();
    let script = sandbox
        .script("read line; echo \"<$line>\"; cat; echo $WORD $#:$2")
        .stdin("first\nsecond\n")
        .env("WORD", "given")
        .arguments(["name", "one", "two words"]);
    let result = script.run_blocking().unwrap();
    assert_eq!(result.stdout_text(), "<first>\nsecond\ngiven 2:two words\n");
    assert_eq!(text(&sandbox, "cat; echo \"<$WORD>\" $#"), "<> 0\n");
}

#[test]
fn output_comes_while_a_script_runs() {
    let sandbox = sandbox();
    let script = "for i in 1 2 3; do echo $i; sleep 0.2; done; read x; echo got $x";
    let mut running = sandbox.script(script).start().unwrap();
    let mut stdout = running.stdout.take().unwrap();
    let mut stdin = running.stdin.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut pieces = Vec::new();
        let mut buffer = [0; 64];
        let began = Instant::now();
        while let Ok(read @ 1..) = stdout.read_blocking(&mut buffer) {
            pieces.push((began.elapsed(), buffer[..read].to_vec()));
            if pieces.len() == 3 {
                stdin.write_all_blocking(b"word\n").unwrap();
            }
        }
        pieces
    });
    let result = running.wait_blocking().unwrap();
    assert_eq!(result.exit_code, 0);
    let pieces = reader.join().unwrap();
    let texts: Vec<&[u8]> = pieces.iter().map(|(_, text)| &text[..]).collect();
    assert_eq!(texts, [&b"1\n"[..], b"2\n", b"3\n", b"got word\n"]);
    assert!(pieces[2].0 - pieces[0].0 > Duration::from_millis(300));
}

#[test]
fn a_timeout_gives_124_with_what_was_printed_and_the_last_state() {
    let sandbox = sandbox();
    run(&sandbox, "x=before");
    for endless in [
        "while :; do :; done",
        "sleep 1000",
        "sleep 1000 | cat",
        "cat <(sleep 1000)",
        "sleep 1000 & wait",
        "f() { sleep 1000; }; f",
        "echo $(sleep 1000)",
        "while :; do sleep 0.001; done",
        "read x < <(sleep 1000)",
    ] {
        let script = format!("x=after; echo partial; echo kept > kept; {endless}");
        let began = Instant::now();
        let result = sandbox
            .script(&script)
            .timeout(Duration::from_millis(150))
            .run_blocking()
            .unwrap();
        assert_eq!(
            (result.exit_code, result.timed_out),
            (124, true),
            "{endless}: {result:?}"
        );
        assert!(began.elapsed() < Duration::from_secs(3), "{endless}");
        assert_eq!(result.stdout, b"partial\n", "{endless}");
        assert_eq!(sandbox.stats().unwrap().processes, 0, "{endless}");
        assert_eq!(
            text(&sandbox, "echo $x; cat kept; rm kept"),
            "before\nkept\n",
            "{endless}"
        );
    }
}

#[test]
fn a_script_can_be_cancelled() {
    let sandbox = sandbox();
    for endless in ["while :; do :; done", "sleep 1000 | sleep 1000", "yes"] {
        let mut running = sandbox
            .script(format!("echo on; {endless}"))
            .start()
            .unwrap();
        let canceller = running.canceller();
        let mut stdout = running.stdout.take().unwrap();
        let reader = std::thread::spawn(move || {
            let mut buffer = [0; 3];
            let read = stdout.read_blocking(&mut buffer).unwrap();
            assert_eq!(&buffer[..read], b"on\n");
            canceller.cancel();
        });
        let result = running.wait_blocking().unwrap();
        reader.join().unwrap();
        assert_eq!(
            (result.exit_code, result.cancelled),
            (130, true),
            "{endless}"
        );
        assert_idle(&sandbox);
        assert_eq!(text(&sandbox, "echo next"), "next\n");
        sandbox.kill_all().unwrap();
    }
}

#[test]
fn a_flood_of_output_hides_no_end() {
    let sandbox = sandbox();
    for is_cancelled in [true, false] {
        let timeout = Duration::from_millis(if is_cancelled { 60_000 } else { 300 });
        let script = sandbox.script("yes").timeout(timeout);
        let mut running = script.start().unwrap();
        let canceller = running.canceller();
        let mut stdout = running.stdout.take().unwrap();
        let reading = async {
            let mut buffer = vec![0; 1 << 16];
            let began = Instant::now();
            while let Ok(1..) = stdout.read(&mut buffer).await {
                assert!(began.elapsed() < Duration::from_secs(20), "it goes on");
                if is_cancelled {
                    canceller.cancel();
                }
                // Slower than what is read: there is always more.
                std::thread::sleep(Duration::from_millis(3));
            }
        };
        let (result, ()) = block_on(zip(running.wait(), reading));
        let result = result.unwrap();
        let ended = (result.cancelled, result.timed_out);
        assert_eq!(ended, (is_cancelled, !is_cancelled));
        drop(stdout);
        assert_idle(&sandbox);
    }
}

#[test]
fn what_decides_how_a_script_fails_ends_with_it() {
    let sandbox = sandbox();
    let bye = run(&sandbox, "trap 'echo bye $?' EXIT; (exit 3)");
    assert_eq!((bye.exit_code, &*bye.stdout), (3, &b"bye 3\n"[..]));
    // The trap prints where the script's output went, and is in its time.
    assert_eq!(text(&sandbox, "exec > f; trap 'echo bye' EXIT"), "");
    assert_eq!(text(&sandbox, "cat f; trap -p"), "bye\n");
    let script = sandbox.script("trap 'echo bye; sleep 100' EXIT");
    let late = script.timeout(std::time::Duration::from_millis(300));
    let late = late.run_blocking().unwrap();
    assert_eq!((late.timed_out, &*late.stdout), (true, &b"bye\n"[..]));
    for poison in [
        "set -e; false",
        "set -euxo pipefail; trap 'exit 9' ERR DEBUG RETURN EXIT; true",
        "set -n",
        "set -v; set -E; set -T",
        "set -t",
    ] {
        run(&sandbox, poison);
        let next = run(
            &sandbox,
            "f() { :; }; f; false | true; false; echo on $nope; trap; echo $-",
        );
        let expected = "on\nhBc\n";
        assert_eq!(next.stdout_text(), expected, "{poison}");
        assert_eq!((next.exit_code, &*next.stderr_text()), (0, ""), "{poison}");
    }
    // Who sets them as the last command means the next run, and is told.
    for (script, told) in [
        ("true; set -e", true),
        ("trap : ERR", true),
        ("set -e; true", false),
        ("set x y", false),
    ] {
        let stderr = run(&sandbox, script).stderr;
        assert_eq!(
            stderr.starts_with(b"codepod: hint: `set -e`"),
            told,
            "{script}"
        );
    }
}

#[test]
fn lines_on_a_terminal_keep_modes_and_traps_until_the_shell_is_closed() {
    let sandbox = sandbox();
    let shell = sandbox.shell("prompt");
    let line = |text: &str| {
        let mut running = shell.script(text).start_on_terminal(24, 80).unwrap();
        drop((running.stdin.take(), running.stdout.take()));
        running.wait_blocking().unwrap()
    };
    line("set -o pipefail; trap 'echo over > /tmp/over' EXIT");
    assert_eq!(line("false | true").exit_code, 1);
    // A script in between has its own.
    assert_eq!(shell.run_blocking("false | true").unwrap().exit_code, 0);
    assert!(sandbox.read_file("/tmp/over").is_err());
    assert_eq!(line("false | true").exit_code, 1);
    shell.close_blocking().unwrap();
    assert_eq!(sandbox.read_file("/tmp/over").unwrap(), b"over\n");
}

#[test]
fn named_shells_are_apart_and_share_files() {
    let sandbox = sandbox();
    let (a, b) = (sandbox.shell("a"), sandbox.shell("b"));
    a.run_blocking("x=a; cd /tmp; echo from-a > file").unwrap();
    b.run_blocking("x=b").unwrap();
    assert_eq!(a.run_blocking("echo $x $PWD").unwrap().stdout, b"a /tmp\n");
    assert_eq!(
        b.run_blocking("echo $x $PWD; cat /tmp/file")
            .unwrap()
            .stdout,
        b"b /home/user\nfrom-a\n"
    );
    a.run_blocking("trap 'echo over >> /tmp/over' EXIT")
        .unwrap();
    a.close_blocking().unwrap();
    assert_eq!(sandbox.read_file("/tmp/over").unwrap(), b"over\n");
    assert_eq!(
        sandbox
            .shell("a")
            .run_blocking("echo \"<$x>\"")
            .unwrap()
            .stdout,
        b"<>\n"
    );
}

#[test]
fn snapshots_and_forks_carry_variables_functions_and_directories() {
    let sandbox = sandbox();
    run(
        &sandbox,
        "x=1; f() { echo f$x; }; mkdir d; cd d; echo 1 > file; set -f",
    );
    let snapshot = sandbox.snapshot().unwrap();
    let fork = sandbox.fork().unwrap();
    run(&sandbox, "x=2; cd /; unset -f f; echo 2 > ~/d/file");
    assert_eq!(
        text(&fork, "f; pwd; cat file; echo *"),
        "f1\n/home/user/d\n1\n*\n"
    );
    run(&fork, "x=fork");
    sandbox.restore(&snapshot).unwrap();
    assert_eq!(text(&sandbox, "f; pwd; cat file"), "f1\n/home/user/d\n1\n");
    let again = fork.fork().unwrap();
    assert_eq!(text(&again, "f"), "ffork\n");
}

#[test]
fn a_shell_without_memory_fails_and_leaves_everything_as_before() {
    let sandbox = sandbox_with(|options| options.limits.memory_bytes = 32 << 20);
    run(&sandbox, "x=before; echo before > file");
    let result = run(
        &sandbox,
        "x=after; echo after > file; echo new > new; y=yyyyyyyy; while :; do y=$y$y; done",
    );
    assert!(result.crashed, "{result:?}");
    assert_ne!(result.exit_code, 0);
    let stderr = result.stderr_text();
    assert!(
        stderr.contains("files and variables are as before this command"),
        "{stderr}"
    );
    assert_eq!(
        text(&sandbox, "echo $x; cat file; ls"),
        "before\nbefore\nfile\n"
    );
}

#[test]
fn a_shell_that_is_killed_from_inside_comes_back() {
    let sandbox = sandbox();
    run(&sandbox, "x=1");
    let result = run(&sandbox, "kill -9 $$; echo not here");
    assert_eq!((result.exit_code, result.crashed), (137, false));
    assert_eq!(text(&sandbox, "echo $x"), "1\n");
    // A stopped one goes on with the next script.
    run(&sandbox, "kill -STOP $$");
    assert_eq!(text(&sandbox, "echo $x"), "1\n");
    let result = run(&sandbox, "exit 7");
    assert_eq!(result.exit_code, 7);
    assert_eq!(text(&sandbox, "echo $x"), "1\n");
}

#[test]
fn memory_does_not_grow_over_ten_thousand_scripts() {
    let sandbox = sandbox();
    let size = || -> u64 {
        let pages = text(&sandbox, "read size rest < /proc/$$/statm; echo $size");
        pages.trim().parse().unwrap()
    };
    let scripts = [
        "echo hi",
        "x=$(echo a b c); for i in $x; do echo $i; done",
        "f() { local y=$1; echo ${y//a/b}; }; f banana",
        "a=({1..100}); unset a; [[ abc =~ ^(a)(b) ]] && echo ${BASH_REMATCH[2]}",
        "echo one | { read x; echo $x; }",
        "cat <<< here; printf '%5d|%-5s\\n' 42 x",
    ];
    for round in 0..1000 {
        run(&sandbox, scripts[round % scripts.len()]);
    }
    let before = size();
    for round in 0..10_000 {
        let result = run(&sandbox, scripts[round % scripts.len()]);
        assert_eq!(result.exit_code, 0, "{result:?}");
    }
    assert_eq!(size(), before);
    assert_eq!(sandbox.stats().unwrap().processes, 1);
}

#[test]
fn the_stages_of_a_pipeline_run_at_the_same_time() {
    let _alone = alone();
    let sandbox = sandbox();
    for script in [
        "sleep 1 | sleep 1 | sleep 1",
        "sleep 1 & sleep 1 & sleep 1 & wait",
        "for i in 1 2 3; do sleep 1 & done; wait",
        "f() { sleep 1; }; f | f | f",
        "(sleep 1) & (sleep 1) & wait",
    ] {
        let watch = Stopwatch::start();
        let result = run(&sandbox, script);
        let took = watch.took();
        assert_eq!(result.exit_code, 0, "{script}: {result:?}");
        assert!(took.all > Duration::from_millis(990), "{script}: {took:?}");
        assert!(
            took.own() < Duration::from_millis(1700),
            "{script}: {took:?}"
        );
    }
}

#[test]
fn a_reader_that_leaves_ends_its_writers() {
    let sandbox = sandbox();
    assert_eq!(text(&sandbox, "yes | head -n 1"), "y\n");
    assert_eq!(
        text(&sandbox, "while :; do echo y; done | head -n 1"),
        "y\n"
    );
    assert_eq!(
        text(
            &sandbox,
            "f() { while :; do echo y; done; }; f | head -n 1; echo ${PIPESTATUS[*]}"
        ),
        "y\n141 0\n"
    );
    assert_eq!(text(&sandbox, "seq 1000000 | { read a; echo $a; }"), "1\n");
}

#[test]
fn stages_stream() {
    let sandbox = sandbox();
    let script = "for i in 1 2 3; do echo $i; sleep 0.1; done | while read x; do echo got $x; done";
    let mut running = sandbox.script(script).start().unwrap();
    let mut stdout = running.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut buffer = [0; 64];
        let read = stdout.read_blocking(&mut buffer).unwrap();
        let first = (Instant::now(), buffer[..read].to_vec());
        while let Ok(1..) = stdout.read_blocking(&mut buffer) {}
        first
    });
    assert_eq!(running.wait_blocking().unwrap().exit_code, 0);
    let ended = Instant::now();
    let (first, text) = reader.join().unwrap();
    assert_eq!(text, b"got 1\n");
    assert!(ended - first > Duration::from_millis(150), "it came late");
}

#[test]
fn a_fork_bomb_ends_at_the_limit_of_processes() {
    let _alone = alone();
    let oracle = Oracle::begin();
    let sandbox = sandbox();
    let result = sandbox
        .script(":(){ :|:& };:")
        .timeout(Duration::from_secs(5))
        .run_blocking()
        .unwrap();
    let quiet = within(Duration::from_secs(10), || {
        let next = run(&sandbox, "echo alive");
        next.stdout == b"alive\n" && sandbox.stats().unwrap().processes < 64
    });
    assert!(quiet, "{result:?}, {:?}", sandbox.stats().unwrap());
    sandbox.kill_all().unwrap();
    assert_idle(&sandbox);
    drop(sandbox);
    oracle.end();
}

#[test]
fn long_work_gives_its_answer() {
    let sandbox = sandbox_with(|options| options.timeout = Duration::from_secs(120));
    assert_eq!(
        text(
            &sandbox,
            "f() { (($1)) || return 0; f $(($1-1)); }; f 5000; echo deep"
        ),
        "deep\n"
    );
    let script = "x=1\n".repeat(50_000) + "echo $x";
    assert_eq!(text(&sandbox, &script), "1\n");
    assert_eq!(
        text(
            &sandbox,
            "i=0; while ((i<10000000)); do ((i++)); done; echo $i"
        ),
        "10000000\n"
    );
    // More than the memory of a process holds.
    let script = "seq 1 20000000 | sort -r | head -1";
    assert_eq!(text(&sandbox, script), "9999999\n");
}

#[test]
fn a_script_by_path_runs_as_its_first_line_says_and_without_one_as_bash() {
    let sandbox = sandbox();
    for (name, text) in [
        (
            "bash",
            "#!/bin/bash\na=(1 2); echo bash ${#a[@]} $1 ${0##*/}\n",
        ),
        (
            "env",
            "#!/usr/bin/env bash\na=(1 2); echo bash ${#a[@]} $1 ${0##*/}\n",
        ),
        ("none", "a=(1 2); echo bash ${#a[@]} $1 ${0##*/}\n"),
    ] {
        sandbox.write_file(name, text).unwrap();
        sandbox.set_mode(name, 0o755).unwrap();
        let result = run(&sandbox, &format!("./{name} one"));
        assert_eq!(
            result.stdout_text(),
            format!("bash 2 one {name}\n"),
            "{result:?}"
        );
    }
}

#[test]
fn a_script_without_input_sees_no_pipe_and_one_on_a_terminal_sees_a_terminal() {
    let sandbox = support::sandbox();
    let script =
        "[ -p /dev/stdin ] && echo pipe; [ -t 0 ] && echo in; [ -t 1 ] && echo out; cat; echo end";
    let text = |mut running: codepod::RunningScript, input: &[u8]| {
        let mut stdout = running.stdout.take().unwrap();
        let stdin = running.stdin.take();
        let reading = std::thread::spawn(move || {
            let (mut text, mut buffer) = (Vec::new(), [0; 100]);
            while let Ok(read @ 1..) = stdout.read_blocking(&mut buffer) {
                text.extend_from_slice(&buffer[..read]);
            }
            String::from_utf8(text).unwrap()
        });
        if let Some(mut stdin) = stdin {
            assert!(stdin.write_all_blocking(input).unwrap());
        }
        assert!(running.wait_blocking().unwrap().success());
        reading.join().unwrap()
    };
    let script = || sandbox.script(script);
    assert_eq!(text(script().start().unwrap(), b"x\n"), "pipe\nx\nend\n");
    assert_eq!(text(script().start_without_input().unwrap(), b""), "end\n");
    let on_terminal = script().start_on_terminal(24, 80).unwrap();
    assert!(on_terminal.terminal().is_some());
    assert_eq!(text(on_terminal, b"x\n"), "in\nout\nx\nend\n");
    // One that never runs leaves nothing behind.
    drop(script().start_on_terminal(24, 80).unwrap());
    sandbox.kill_all().unwrap();
    assert_idle(&sandbox);
}

#[test]
fn a_run_has_what_a_write_substitution_prints() {
    let sandbox = sandbox();
    assert_eq!(text(&sandbox, "seq 3 > >(sleep 0.2; tac)"), "3\n2\n1\n");
    let redirected = "exec > >(sleep 0.2; tr a-z A-Z) 2>&1; echo out; echo err >&2";
    assert_eq!(text(&sandbox, redirected), "OUT\nERR\n");
    // A job that was there before cannot hold its pipe.
    assert_eq!(text(&sandbox, "sleep 1000 & (sleep 1000 &)"), "");
    assert_eq!(text(&sandbox, "echo x > >(sleep 0.2; cat)"), "x\n");
}

#[test]
fn a_run_does_not_wait_for_a_substitution_that_is_still_open() {
    let sandbox = sandbox();
    let began = Instant::now();
    for script in [
        "exec 5> >(cat)",
        "{ sleep 1000 & } > >(cat)",
        "exec > >(cat); sleep 1000 &",
        "( (sleep 1000 &) ) > >(cat)",
        "head -n 1 < <(echo; sleep 1000); echo x > >(cat)",
    ] {
        let script = sandbox.script(script).timeout(Duration::from_secs(60));
        let result = script.run_blocking().unwrap();
        assert_eq!(result.exit_code, 0, "{result:?}");
    }
    assert!(began.elapsed() < Duration::from_secs(30));
    // What was kept open is written to by the next run, and closed.
    let result = sandbox.run_blocking("echo late >&5; exec 5>&-").unwrap();
    assert_eq!(result.exit_code, 0, "{result:?}");
}

#[test]
fn a_script_has_a_directory_of_its_own() {
    let sandbox = sandbox();
    text(&sandbox, "mkdir -p /tmp/d/e; cd /tmp; x=1");
    let run = |script: &str, cwd: &str| {
        let result = sandbox.script(script).cwd(cwd).run_blocking().unwrap();
        (
            result.exit_code,
            result.stdout_text().into_owned() + &result.stderr_text(),
        )
    };
    assert_eq!(run("pwd; y=2; cd e", "d"), (0, "/tmp/d\n".into()));
    assert_eq!(text(&sandbox, "pwd; echo $x $y"), "/tmp\n1 2\n");
    assert_eq!(run("exit 3", "/tmp/d"), (3, String::new()));
    assert_eq!(text(&sandbox, "pwd"), "/tmp\n");
    let (status, complaint) = run("echo no", "/nope it's");
    assert_eq!(status, 1);
    assert!(
        complaint.ends_with("cd: /nope it's: No such file or directory\n"),
        "{complaint}"
    );
    let timed_out = sandbox
        .script("sleep 60")
        .cwd("/")
        .timeout(Duration::from_millis(50));
    assert!(timed_out.run_blocking().unwrap().timed_out);
    assert_eq!(text(&sandbox, "pwd; echo $x"), "/tmp\n1\n");
    assert!(sandbox.script("true").cwd("a\0b").run_blocking().is_err());
}

#[test]
fn a_script_in_the_background_is_a_step_from_its_start_on() {
    let sandbox = sandbox();
    text(&sandbox, "x=1; cd /tmp");
    let shell = sandbox.shell("").detached();
    let script = shell.script("echo $x $PWD; x=2; read -r line; echo $line > /tmp/f; exit 4");
    let mut running = script.in_background().start().unwrap();
    let (mut stdin, mut stdout) = (
        running.stdin.take().unwrap(),
        running.stdout.take().unwrap(),
    );
    let waiting = std::thread::spawn(move || running.wait_blocking());
    let mut buffer = [0; 64];
    let read = stdout.read_blocking(&mut buffer).unwrap();
    assert_eq!(&buffer[..read], b"1 /tmp\n");
    // The main shell goes on meanwhile, and its steps are steps of their own.
    text(&sandbox, "echo $x > ~/g");
    stdin.write_all_blocking(b"late\n").unwrap();
    assert_eq!(waiting.join().unwrap().unwrap().exit_code, 4);
    let steps: Vec<(String, i32)> = sandbox
        .history()
        .into_iter()
        .map(|step| (step.command, step.exit_code))
        .collect();
    assert_eq!(steps[1].1, 4);
    assert_eq!(steps[2].0, "echo $x > ~/g");
    assert_eq!(sandbox.read_file("g").unwrap(), b"1\n");
    assert_eq!(sandbox.undo(1).unwrap()[0].command, "echo $x > ~/g");
    assert!(sandbox.read_file("g").is_err());
    assert_eq!(sandbox.shells(), [""]);
}
