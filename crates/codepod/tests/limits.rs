//! Everything a guest can grow has a limit. Each test reaches one, and the sandbox works
//! afterwards.

mod support;

use codepod::{ErrorKind, Sandbox};
use codepod_abi::Errno;
use support::{assert_idle, assert_works, expect, run, sandbox_with};

const MB: usize = 1 << 20;

#[test]
fn the_memory_of_a_process_ends_at_its_limit() {
    let sandbox = sandbox_with(|options| options.limits.memory_bytes = 16 * MB);
    // 256 pages of 64 KiB are 16 MiB.
    expect(&sandbox, ["grow"], 0, "256\n");
    expect(&sandbox, ["grow", "all"], 0, "256\n");
    let result = run(&sandbox, ["eat_memory", "100"]);
    assert_eq!(result.exit_code, 1, "{result:?}");
    assert!(
        result.stdout_text().starts_with("refused at 1"),
        "{result:?}"
    );
    assert_works(&sandbox);
}

#[test]
fn a_module_that_starts_with_more_than_the_limit_does_not_run() {
    let sandbox = sandbox_with(|options| options.limits.memory_bytes = 64 << 10);
    let result = run(&sandbox, ["hello"]);
    assert_eq!(result.exit_code, 126, "{result:?}");
    assert!(result.stderr_text().starts_with("codepod: "), "{result:?}");
    assert_idle(&sandbox);
}

#[test]
fn the_memory_of_all_processes_ends_at_its_limit() {
    let sandbox = sandbox_with(|options| {
        options.limits.total_memory_bytes = 64 * MB;
        options.limits.processes = 40;
    });
    let text = hold_memory(&sandbox);
    let numbers: Vec<usize> = text
        .split([' ', '\n', ','])
        .filter_map(|word| word.parse().ok())
        .collect();
    let [got, refused, failed, ended] = numbers[..] else {
        panic!("{text}")
    };
    assert_eq!((got + refused + failed, ended), (30, 30), "{text}");
    assert!((4..=6).contains(&got), "{text}");
    assert_idle(&sandbox);
    // One process alone gets nearly everything.
    expect(&sandbox, ["eat_memory", "50"], 0, "ate 50 MB\n");
    assert_works(&sandbox);
}

#[test]
fn the_memory_of_a_process_is_free_as_soon_as_its_end_is_known() {
    // The end of a process and what it gives back are two things: whichever comes first does so
    // by a few microseconds, mostly in a sandbox that has just begun.
    for _ in 0..20 {
        let sandbox = sandbox_with(|options| options.limits.total_memory_bytes = 64 * MB);
        let text = hold_memory(&sandbox);
        assert_eq!(hold_memory(&sandbox), text);
    }
}

/// Starts 30 processes that each take 10 MiB and the little they start with: of 64, five fit and
/// six do not. Says how many did.
fn hold_memory(sandbox: &Sandbox) -> String {
    run(sandbox, ["hold_memory", "30", "10"])
        .stdout_text()
        .to_string()
}

#[test]
fn a_reached_limit_is_told_in_one_line_with_its_value() {
    let told = |sandbox: &Sandbox, script: &str| {
        let result = sandbox.run_blocking(script).unwrap();
        let stderr = result.stderr_text();
        let lines = stderr.lines().filter(|line| line.starts_with("codepod: "));
        assert!(
            !stderr.contains("RUST") && !stderr.contains("allocation"),
            "{stderr}"
        );
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let sandbox = sandbox_with(|options| {
        options.set_memory(32 * MB);
        options.set_disk(1 << 20);
        options.limits.processes = 8;
    });
    let memory =
        "codepod: a process reached its memory limit of 32 MB; `Options::set_memory` raises it";
    assert_eq!(told(&sandbox, "tail /dev/zero; tail /dev/zero"), [memory]);
    let shell = told(&sandbox, "x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done");
    assert_eq!(shell.last().map(String::as_str), Some(memory), "{shell:?}");
    let disk = "codepod: no space left: files took 1 MB of the disk limit of 1 MB; `Options::set_disk` raises it";
    assert_eq!(
        told(
            &sandbox,
            "for i in 1 2 3; do head -c 9000000 /dev/zero > f$i; done; rm f*"
        ),
        [disk]
    );
    let processes = "codepod: there is a limit of 8 processes; `Limits::processes` raises it";
    assert_eq!(told(&sandbox, ":(){ :|:& };:; sleep 0.2"), [processes]);
    assert!(told(&sandbox, "echo x > /dev/full; true").is_empty());
    assert!(told(&sandbox, "true").is_empty());
}

#[test]
fn programs_are_told_the_limits_that_there_are() {
    let sandbox = sandbox_with(|options| {
        options.set_memory(2048 * MB);
        options.set_disk(10 << 20);
        options.limits.processes = 20;
    });
    assert!(sandbox.options().limits.total_memory_bytes >= 2048 * MB);
    let text = |script: &str| {
        sandbox
            .run_blocking(script)
            .unwrap()
            .stdout_text()
            .into_owned()
    };
    assert_eq!(
        text("ulimit -v; ulimit -u; ulimit -f"),
        "2097152\n20\nunlimited\n"
    );
    let small_files = sandbox_with(|options| options.fs_limits.file_bytes = 1 << 20);
    let shown = small_files.run_blocking("ulimit -f").unwrap();
    assert_eq!(shown.stdout_text(), "1024\n");
    let df = "head -c 5000000 /dev/zero > f; df -k . | awk 'NR == 2 {print $2, ($3 > 4880), ($4 < 5360), $5}'";
    assert_eq!(text(df), "10240 1 1 48%\n");
    assert_eq!(text("df -h / | awk 'NR == 2 {print $2, $6}'"), "10M /\n");
    assert_eq!(text("df -i | awk 'NR == 2 {print $2}'"), "100000\n");
}

#[test]
fn processes_end_at_their_limit() {
    let sandbox = sandbox_with(|options| options.limits.processes = 16);
    expect(&sandbox, ["fork_bomb"], 0, "stopped by Again\nall gone\n");
    assert_works(&sandbox);
    let sandbox = sandbox_with(|options| options.limits.processes = 2);
    let six = sandbox
        .command(["copy_input"])
        .pipe(sandbox.command(["copy_input"]))
        .pipe(sandbox.command(["copy_input"]));
    let error = six.run_blocking().unwrap_err();
    assert!(
        matches!(
            error.kind(),
            ErrorKind::Spawn {
                errno: Errno::Again,
                ..
            }
        ),
        "{error}"
    );
    assert_works(&sandbox);
}

#[test]
fn descriptors_end_at_their_limit() {
    let sandbox = sandbox_with(|options| options.limits.descriptors = 64);
    // Four are open from the start: the standard ones and the root.
    expect(&sandbox, ["fd_bomb"], 0, "60 Mfile\n");
    assert_works(&sandbox);
}

#[test]
fn pipes_end_at_their_limit() {
    let sandbox = sandbox_with(|options| options.limits.pipes = 16);
    expect(&sandbox, ["pipe_bomb"], 0, "16 Nfile\n");
    assert_works(&sandbox);
}

#[test]
fn nodes_end_at_their_limit_and_come_back() {
    let sandbox = sandbox_with(|options| options.fs_limits.nodes = 50);
    // The program's own directory is the 50th.
    expect(&sandbox, ["node_bomb"], 0, "49\n");
    assert_eq!(sandbox.stats().unwrap().nodes, 0);
    assert_works(&sandbox);
    // The host's own writes are under the same limit.
    let error = (0..100).find_map(|i| sandbox.write_file(format!("file{i}"), "").err());
    assert!(error.unwrap().to_string().contains("No space left"));
    assert_eq!(sandbox.stats().unwrap().nodes, 50);
    expect(&sandbox, ["hello"], 0, "hello, world\n");
}

#[test]
fn bytes_end_at_their_limit_and_come_back() {
    let sandbox = sandbox_with(|options| options.fs_limits.bytes = 1 << 20);
    let result = run(&sandbox, ["file_bomb"]);
    assert_eq!(result.exit_code, 0, "{result:?}");
    let filled: u64 = result.stdout_text().trim().parse().unwrap();
    // Names count too, and content in pieces of at least 128 bytes.
    assert!(
        (1_040_000..=1 << 20).contains(&filled),
        "{filled} of {} bytes",
        1 << 20
    );
    assert_eq!(sandbox.stats().unwrap().bytes, 0);
    assert!(sandbox.write_file("large", vec![0; 2 * MB]).is_err());
    assert!(sandbox.stats().unwrap().bytes <= 1 << 20);
    sandbox.remove("large").unwrap();
    assert_eq!(sandbox.stats().unwrap().bytes, 0);
    assert_works(&sandbox);
}

#[test]
fn a_file_ends_at_its_limit() {
    let sandbox = sandbox_with(|options| options.fs_limits.file_bytes = 1 << 20);
    expect(&sandbox, ["sparse"], 0, "");
    let error = sandbox.write_file("large", vec![0; 2 * MB]).unwrap_err();
    assert!(error.to_string().contains("File too large"), "{error}");
    assert_works(&sandbox);
}

#[test]
fn output_ends_at_its_limit() {
    let sandbox = sandbox_with(|options| options.limits.output_bytes = 100_000);
    let result = run(&sandbox, ["output_bomb"]);
    assert_eq!(
        (result.exit_code, result.stdout.len(), result.truncated),
        (141, 100_000, true)
    );
    let result = run(&sandbox, ["output_bomb", "100000"]);
    assert_eq!(
        (result.exit_code, result.stdout.len(), result.truncated),
        (0, 100_000, false)
    );
    assert_works(&sandbox);
}

#[test]
fn arguments_and_environment_end_at_their_limit() {
    let sandbox = sandbox_with(|options| options.limits.argument_bytes = 10_000);
    let too_big = |result: Result<codepod::RunResult, codepod::Error>| {
        let error = result.unwrap_err();
        assert!(
            matches!(
                error.kind(),
                ErrorKind::Spawn {
                    errno: Errno::TooBig,
                    ..
                }
            ),
            "{error}"
        );
    };
    too_big(
        sandbox
            .command(["echo_args", &"x".repeat(10_000)])
            .run_blocking(),
    );
    too_big(
        sandbox
            .command(["echo_args"])
            .env("LONG", "x".repeat(10_000))
            .run_blocking(),
    );
    let result = run(&sandbox, ["echo_args", &"x".repeat(9_000)]);
    assert_eq!(result.stdout.len(), "echo_args\n".len() + 9_001);
    assert_works(&sandbox);
}

#[test]
fn a_poll_of_too_many_is_refused() {
    let sandbox = sandbox_with(|_| {});
    expect(
        &sandbox,
        ["poll_many", "4096"],
        0,
        "0: 1 events, first 2048\n",
    );
    let refused = format!("{}: 0 events, first 0\n", Errno::Inval.raw());
    expect(&sandbox, ["poll_many", "4097"], 0, &refused);
    assert_works(&sandbox);
}

#[test]
fn limits_hold_for_forks_and_their_parents_alike() {
    let parent = sandbox_with(|options| {
        options.limits.processes = 8;
        options.fs_limits.nodes = 20;
    });
    parent.write_file("file", "x").unwrap();
    let fork: Sandbox = parent.fork().unwrap();
    for sandbox in [&parent, &fork] {
        expect(sandbox, ["node_bomb"], 0, "18\n");
        assert_eq!(run(sandbox, ["fork_bomb"]).exit_code, 0);
        assert_works(sandbox);
    }
}
