//! Scripts in shells, with a stand-in for bash that knows a few words: what the library promises,
//! whatever the shell can do.

mod support;

use std::time::{Duration, Instant};

use codepod::{Canceller, ErrorKind, RunResult, Runtime, RuntimeOptions, Sandbox};
use support::machine::Stopwatch;
use support::{assert_idle, set_shell, test_options, within};

/// A sandbox whose shell is `session_shell` of the test programs.
fn sandbox() -> Sandbox {
    sandbox_on(&runtime(RuntimeOptions::default()))
}

fn sandbox_on(runtime: &Runtime) -> Sandbox {
    let mut options = test_options();
    options.timeout = Duration::from_secs(10);
    Sandbox::create_on(runtime, options).unwrap()
}

/// A runtime whose sandboxes have `session_shell` as their shell.
fn runtime(options: RuntimeOptions) -> Runtime {
    let runtime = Runtime::new(options).unwrap();
    set_shell(&runtime, "session_shell");
    runtime
}

fn run(sandbox: &Sandbox, script: &str) -> RunResult {
    sandbox.run_blocking(script).unwrap()
}

/// Runs a script that must succeed; what it printed.
#[track_caller]
fn text(sandbox: &Sandbox, script: &str) -> String {
    let result = run(sandbox, script);
    assert_eq!(result.exit_code, 0, "{result:?}");
    result.stdout_text().into_owned()
}

#[test]
fn a_script_prints_complains_and_ends_with_a_status() {
    let sandbox = sandbox();
    let result = run(&sandbox, "echo out\ncomplain err\nstatus 3");
    assert_eq!(result.stdout, b"out\n");
    assert_eq!(result.stderr, b"err\n");
    assert_eq!((result.exit_code, result.success()), (3, false));
    assert_eq!(result.command, "echo out\ncomplain err\nstatus 3");
    assert!(!result.timed_out && !result.cancelled && !result.crashed && !result.truncated);
}

#[test]
fn a_shell_keeps_its_process_and_its_variables() {
    let sandbox = sandbox();
    let first = text(&sandbox, "pid");
    run(&sandbox, "set name=value");
    assert_eq!(text(&sandbox, "get name"), "value\n");
    assert_eq!(text(&sandbox, "pid"), first);
    assert_eq!(sandbox.stats().unwrap().processes, 1);
}

#[test]
fn input_variables_arguments_and_hints_reach_one_script_only() {
    let sandbox = sandbox();
    let script = sandbox
        .script("cat\nenv\narguments\nhints")
        .stdin("input\n")
        .env("A", "1")
        .env("B", "")
        .arguments(["bash", "one two"])
        .hints(false);
    let result = script.run_blocking().unwrap();
    assert_eq!(result.stdout_text(), "input\nA=1\nB=\nbash\none two\n0\n");
    assert_eq!(text(&sandbox, "cat\nenv\narguments\nhints"), "1\n");
    let broken = sandbox.script("env").env("A", "1\0").run_blocking();
    let error = broken.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidArgument(_)));
}

#[test]
fn more_input_than_a_pipe_holds_arrives_and_input_that_nobody_reads_is_dropped() {
    let sandbox = sandbox();
    let input = vec![b'x'; 1 << 20];
    let result = sandbox.script("cat").stdin(input.clone()).run_blocking();
    assert!(result.unwrap().stdout == input);
    let result = sandbox.script("echo hi").stdin(input).run_blocking();
    assert_eq!(result.unwrap().stdout, b"hi\n");
}

#[test]
fn scripts_longer_than_the_shells_buffer_arrive_whole() {
    let sandbox = sandbox();
    let long = "x".repeat(100_000);
    assert_eq!(text(&sandbox, &format!("echo {long}")), format!("{long}\n"));
    assert_eq!(text(&sandbox, "echo short"), "short\n");
}

#[test]
fn named_shells_have_variables_of_their_own_and_run_at_the_same_time() {
    let sandbox = sandbox();
    let other = sandbox.shell("other");
    other.run_blocking("set name=other").unwrap();
    run(&sandbox, "set name=main");
    let get = |result: RunResult| result.stdout_text().into_owned();
    assert_eq!(get(other.run_blocking("get name").unwrap()), "other\n");
    assert_eq!(text(&sandbox, "get name"), "main\n");
    assert_eq!(
        get(sandbox.shell("third").run_blocking("get name").unwrap()),
        "\n"
    );

    let watch = Stopwatch::start();
    let threads = ["a", "b", "c"].map(|name| {
        let shell = sandbox.shell(name);
        std::thread::spawn(move || shell.run_blocking("sleep 300").unwrap())
    });
    for thread in threads {
        assert_eq!(thread.join().unwrap().exit_code, 0);
    }
    let took = watch.took();
    assert!(took.own() < Duration::from_millis(800), "it took {took:?}");
}

#[test]
fn scripts_of_one_shell_run_one_after_the_other() {
    let sandbox = sandbox();
    let threads: Vec<_> = (0..8)
        .map(|i| {
            let sandbox = sandbox.clone();
            std::thread::spawn(move || text(&sandbox, &format!("echo {i}\nsleep 5\necho {i}")))
        })
        .collect();
    for (i, thread) in threads.into_iter().enumerate() {
        assert_eq!(thread.join().unwrap(), format!("{i}\n{i}\n"));
    }
    assert_eq!(sandbox.stats().unwrap().processes, 1);
}

#[test]
fn a_closed_shell_has_run_its_end_and_starts_anew() {
    let sandbox = sandbox();
    let shell = sandbox.shell("other");
    shell.run_blocking("set name=value").unwrap();
    shell.close_blocking().unwrap();
    assert!(sandbox.read_file("/tmp/closed").is_ok());
    let again = sandbox.shell("other").run_blocking("get name").unwrap();
    assert_eq!(again.stdout, b"\n");
    // One that never ran has no end to run.
    sandbox.shell("never").close_blocking().unwrap();
}

#[test]
fn a_timeout_keeps_output_files_and_the_last_state() {
    let sandbox = sandbox();
    run(&sandbox, "set name=value");
    for endless in ["spin", "sleep 100000", "run sleep_ms 100000"] {
        let script = format!("set name=lost\nwrite kept text\necho partial\n{endless}");
        let began = Instant::now();
        let result = sandbox
            .script(script)
            .timeout(Duration::from_millis(100))
            .run_blocking()
            .unwrap();
        assert!(began.elapsed() < Duration::from_secs(3), "{endless}");
        assert_eq!(
            (result.exit_code, result.timed_out),
            (124, true),
            "{endless}"
        );
        assert_eq!(result.stdout, b"partial\n", "{endless}");
        assert_eq!(sandbox.stats().unwrap().processes, 0, "{endless}");
        assert_eq!(sandbox.read_file("kept").unwrap(), b"text");
        assert_eq!(text(&sandbox, "get name"), "value\n", "{endless}");
        sandbox.remove("kept").unwrap();
    }
}

#[test]
fn a_timeout_spares_what_earlier_scripts_left_in_the_background() {
    let sandbox = sandbox();
    run(&sandbox, "start sleep_ms 100000");
    let result = sandbox
        .script("start sleep_ms 100000\nspin")
        .timeout(Duration::from_millis(50))
        .run_blocking()
        .unwrap();
    assert!(result.timed_out);
    assert_eq!(sandbox.stats().unwrap().processes, 1);
    sandbox.kill_all().unwrap();
    assert_idle(&sandbox);
}

#[test]
fn a_script_can_be_cancelled_from_another_thread() {
    let sandbox = sandbox();
    let mut running = sandbox.script("echo begun\nspin").start().unwrap();
    let canceller = running.canceller();
    let mut stdout = running.stdout.take().unwrap();
    let thread = std::thread::spawn(move || {
        let mut buffer = [0; 64];
        let read = stdout.read_blocking(&mut buffer).unwrap();
        canceller.cancel();
        buffer[..read].to_vec()
    });
    let result = running.wait_blocking().unwrap();
    assert_eq!(thread.join().unwrap(), b"begun\n");
    assert_eq!((result.exit_code, result.cancelled), (130, true));
    assert_eq!(text(&sandbox, "echo next"), "next\n");
}

#[test]
fn a_script_that_is_dropped_is_killed() {
    let sandbox = sandbox();
    run(&sandbox, "set name=value");
    let mut future = Box::pin(sandbox.run("set name=lost\nrun sleep_ms 100000"));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(future.as_mut().poll(&mut context).is_pending());
    // The shell runs while it is polled, a slice of time at each, and starts the program when it
    // gets there.
    let started = || {
        assert!(future.as_mut().poll(&mut context).is_pending());
        sandbox.stats().unwrap().processes == 2
    };
    assert!(within(Duration::from_secs(5), started));
    drop(future);
    assert_idle(&sandbox);
    assert_eq!(text(&sandbox, "get name"), "value\n");
}

#[test]
fn streams_carry_input_and_output_while_a_script_runs() {
    let sandbox = sandbox();
    let mut running = sandbox.script("complain ready\ncat").start().unwrap();
    let mut stdin = running.stdin.take().unwrap();
    let mut stdout = running.stdout.take().unwrap();
    let mut stderr = running.stderr.take().unwrap();
    let talk = std::thread::spawn(move || {
        let mut buffer = [0; 64];
        // Before it has begun, the streams are open: reading waits, and writing works.
        let read = stderr.read_blocking(&mut buffer).unwrap();
        assert_eq!(&buffer[..read], b"ready\n");
        for word in ["one", "two"] {
            assert!(stdin.write_all_blocking(word.as_bytes()).unwrap());
            let read = stdout.read_blocking(&mut buffer).unwrap();
            assert_eq!(&buffer[..read], word.as_bytes());
        }
        drop(stdin);
        assert_eq!(stdout.read_blocking(&mut buffer).unwrap(), 0);
    });
    let result = running.wait_blocking().unwrap();
    talk.join().unwrap();
    assert_eq!((result.exit_code, result.stdout.len()), (0, 0));
    assert_eq!(text(&sandbox, "echo next"), "next\n");
}

#[test]
fn what_is_left_in_the_background_prints_to_nowhere_and_does_not_die_of_it() {
    let sandbox = sandbox();
    let began = Instant::now();
    let result = run(&sandbox, "echo begun\nstart line_writers");
    assert_eq!(result.exit_code, 0);
    let running = sandbox.script("start line_writers").start().unwrap();
    assert_eq!(running.wait_blocking().unwrap().exit_code, 0);
    assert!(began.elapsed() < Duration::from_secs(2));
    // They end by themselves, with status 0: nobody was there to break their pipes.
    let alone = within(Duration::from_secs(5), || {
        run(&sandbox, "");
        sandbox.stats().unwrap().processes == 1
    });
    assert!(alone, "{:?}", sandbox.stats().unwrap());
}

#[test]
fn a_failing_shell_leaves_files_and_variables_as_before() {
    let sandbox = sandbox();
    run(&sandbox, "set name=value\nwrite file before");
    let result = run(
        &sandbox,
        "set name=lost\nwrite file after\nwrite new text\nstart sleep_ms 100000\necho printed\npanic",
    );
    assert!(result.crashed);
    assert_eq!(result.exit_code, 134);
    assert_eq!(result.stdout, b"printed\n");
    let stderr = result.stderr_text();
    let last = stderr.lines().last().unwrap();
    assert_eq!(
        last,
        "codepod: the shell failed (SIGABRT): files and variables are as before this command"
    );
    assert_eq!(sandbox.read_file("file").unwrap(), b"before");
    assert!(sandbox.read_file("new").is_err());
    assert_eq!(text(&sandbox, "get name"), "value\n");
}

#[test]
fn a_failing_shell_leaves_files_alone_that_others_use() {
    let sandbox = sandbox();
    run(&sandbox, "start sleep_ms 100000");
    let result = run(&sandbox, "write file after\npanic");
    assert!(result.crashed);
    assert!(result.stderr_text().contains("files are not"));
    assert_eq!(sandbox.read_file("file").unwrap(), b"after");
    assert_eq!(sandbox.stats().unwrap().processes, 1);
}

#[test]
fn a_shell_that_exits_gives_its_status_and_comes_back() {
    let sandbox = sandbox();
    run(&sandbox, "set name=value");
    let result = run(&sandbox, "echo bye\nexit 7");
    assert_eq!((result.exit_code, &result.stdout[..]), (7, &b"bye\n"[..]));
    assert!(!result.crashed);
    assert_eq!(text(&sandbox, "get name"), "value\n");
}

#[test]
fn snapshots_and_forks_carry_the_shells_states() {
    let sandbox = sandbox();
    run(&sandbox, "set name=first\nwrite file first");
    sandbox.shell("other").run_blocking("set name=o").unwrap();
    let snapshot = sandbox.snapshot().unwrap();
    let fork = sandbox.fork().unwrap();
    run(&sandbox, "set name=second\nwrite file second\nopen held");
    sandbox.shell("late").run_blocking("set name=l").unwrap();

    assert_eq!(text(&fork, "get name"), "first\n");
    run(&fork, "set name=fork");
    assert_eq!(text(&sandbox, "get name"), "second\n");

    sandbox.restore(&snapshot).unwrap();
    assert_eq!(text(&sandbox, "get name"), "first\n");
    assert_eq!(sandbox.read_file("file").unwrap(), b"first");
    for (name, value) in [("other", "o\n"), ("late", "\n")] {
        let result = sandbox.shell(name).run_blocking("get name").unwrap();
        assert_eq!(result.stdout_text(), value, "{name}");
    }
    sandbox.restore(&snapshot).unwrap();
    assert_eq!(text(&sandbox, "get name"), "first\n");
}

#[test]
fn a_script_that_runs_makes_a_restore_wait() {
    let sandbox = sandbox();
    let snapshot = sandbox.snapshot().unwrap();
    let mut future = Box::pin(sandbox.run("run sleep_ms 100000"));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(future.as_mut().poll(&mut context).is_pending());
    let error = sandbox.restore(&snapshot).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Busy { .. }), "{error}");
}

#[test]
fn a_state_that_cannot_be_loaded_is_an_error_that_says_what_to_do() {
    let runtime = runtime(RuntimeOptions::default());
    let sandbox = sandbox_on(&runtime);
    run(&sandbox, "set name=value");
    set_shell(&runtime, "exit_with");
    sandbox.kill_all().unwrap();
    let error = sandbox.run_blocking("get name").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::ShellState), "{error}");
    assert!(!error.hint().is_empty());
}

#[test]
fn shells_that_nobody_uses_are_dropped_and_come_back_with_their_variables() {
    let mut setup = RuntimeOptions::default();
    setup.warm_shells = 2;
    let runtime = runtime(setup);
    let sandboxes: Vec<Sandbox> = (0..6).map(|_| sandbox_on(&runtime)).collect();
    for (i, sandbox) in sandboxes.iter().enumerate() {
        run(sandbox, &format!("set name={i}"));
    }
    // One keeps a file open, which no state can hold.
    run(&sandboxes[5], "open held");
    let warm = || {
        let stats = sandboxes.iter().map(|sandbox| sandbox.stats().unwrap());
        stats.map(|stats| stats.processes).sum::<usize>()
    };
    assert_eq!(warm(), 2);
    for (i, sandbox) in sandboxes.iter().enumerate() {
        assert_eq!(text(sandbox, "get name"), format!("{i}\n"));
    }
    assert_eq!(warm(), 2);
    assert_eq!(sandboxes[5].stats().unwrap().processes, 1);
}

#[test]
fn a_state_is_loaded_in_the_time_of_the_run_and_until_it_is_cancelled() {
    let runtime = runtime(RuntimeOptions::default());
    let sandbox = sandbox_on(&runtime);
    run(&sandbox, "set name=value");
    // From now on the shell never answers.
    set_shell(&runtime, "spin");
    sandbox.kill_all().unwrap();
    let begin = Instant::now();
    let script = sandbox
        .script("get name")
        .timeout(Duration::from_millis(200));
    let result = script.run_blocking().unwrap();
    let took = begin.elapsed();
    assert!(result.timed_out, "{result:?}");
    assert!(took <= Duration::from_millis(450), "{took:?}");
    let canceller = Canceller::new();
    let waiting = std::thread::spawn({
        let canceller = canceller.clone();
        move || {
            std::thread::sleep(Duration::from_millis(50));
            canceller.cancel();
        }
    });
    let script = sandbox.script("get name").cancelled_by(&canceller);
    assert!(script.run_blocking().unwrap().cancelled);
    waiting.join().unwrap();
    // Who leaves ends it too.
    let mut future = Box::pin(sandbox.run("get name"));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(future.as_mut().poll(&mut context).is_pending());
    drop(future);
    assert_idle(&sandbox);
    // The state was not lost by that.
    set_shell(&runtime, "session_shell");
    assert_eq!(text(&sandbox, "get name"), "value\n");
}

#[test]
fn no_file_takes_the_place_of_the_shell() {
    let sandbox = sandbox();
    sandbox.as_root().remove("/bin/bash").unwrap();
    assert_eq!(text(&sandbox, "echo hi"), "hi\n");
    let other = "#!codepod spin bash\n";
    sandbox.as_root().write_file("/bin/bash", other).unwrap();
    sandbox.as_root().set_mode("/bin/bash", 0o755).unwrap();
    sandbox.kill_all().unwrap();
    assert_eq!(text(&sandbox, "echo hi"), "hi\n");
}

#[test]
fn output_over_the_limit_is_cut_and_the_shell_lives_on() {
    let mut options = test_options();
    options.limits.output_bytes = 10;
    let runtime = runtime(RuntimeOptions::default());
    let sandbox = Sandbox::create_on(&runtime, options).unwrap();
    let result = run(&sandbox, "run pipe_source 1000");
    assert_eq!((result.truncated, result.stdout.len()), (true, 10));
    assert_eq!(text(&sandbox, "echo next"), "next\n");
}
