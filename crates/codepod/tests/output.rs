//! What a result tells beside its output: budgets, the whole in `/proc/runs`, and what each process
//! used.

use std::time::Duration;

use codepod::{ExitStatus, Options, Sandbox};

fn sandbox(budget: Option<usize>) -> Sandbox {
    let mut options = Options::default();
    options.output_budget = budget;
    Sandbox::create(options).unwrap()
}

#[test]
fn a_long_output_is_cut_and_the_whole_is_in_the_sandbox() {
    let sandbox = sandbox(Some(100));
    let result = sandbox.run_blocking("seq 1000; echo oops >&2").unwrap();
    assert!(!result.truncated, "nothing is lost");
    assert!(result.stdout.len() <= 100, "{}", result.stdout.len());
    assert!(result.stdout.starts_with(b"1\n2\n3\n"));
    assert!(result.stdout.ends_with(b"\n999\n1000\n"));
    let cut = result.stdout_cut.as_ref().unwrap();
    assert_eq!(cut.path, "/proc/runs/1/stdout");
    assert_eq!(cut.omitted as usize + result.stdout.len(), 3893);
    assert_eq!(
        (result.stderr_cut.as_ref(), &result.stderr[..]),
        (None, &b"oops\n"[..])
    );
    let text = result.stdout_text();
    let note = format!(
        "\n[{} bytes are not shown; all of it is in /proc/runs/1/stdout]\n",
        cut.omitted
    );
    assert!(text.contains(&note), "{text}");
    // The agent's own tools read it.
    let script = "wc -c < /proc/runs/1/stdout; sed -n 500p /proc/runs/1/stdout; tail -n 1 /proc/runs/1/stdout
        cat /proc/runs/1/stderr; ls /proc/runs /proc/runs/1; stat -c %s /proc/runs/1/stdout; grep -c 7 /proc/runs/1/stdout
        cd /proc/runs/1; pwd; ls /proc/runs/2 2>&1; echo x 2>/dev/null > stdout || echo refused";
    assert_eq!(
        sandbox
            .script(script)
            .output_budget(1000)
            .run_blocking()
            .unwrap()
            .stdout_text(),
        "3893\n500\n1000\noops\n/proc/runs:\n1\n\n/proc/runs/1:\nstderr\nstdout\n3893\n271\n/proc/runs/1\n\
         ls: cannot access '/proc/runs/2': No such file or directory\nrefused\n"
    );
}

#[test]
fn kept_outputs_are_bounded() {
    let mut options = Options::default();
    options.output_budget = Some(10);
    options.limits.kept_output_bytes = 100_000;
    let sandbox = Sandbox::create(options).unwrap();
    for _ in 0..10 {
        sandbox.run_blocking("head -c 30000 /dev/zero").unwrap();
    }
    let listed = sandbox
        .script("ls /proc/runs")
        .output_budget(1000)
        .run_blocking()
        .unwrap();
    assert_eq!(listed.stdout_text(), "10\n8\n9\n");
    // A fork and a snapshot do not carry them.
    let fork = sandbox.fork().unwrap();
    assert_eq!(
        fork.run_blocking("ls /proc/runs").unwrap().stdout_text(),
        ""
    );
}

#[test]
fn without_a_budget_the_result_holds_everything() {
    let result = sandbox(None).run_blocking("seq 100000").unwrap();
    assert_eq!((result.stdout.len(), result.stdout_cut), (588_895, None));
}

#[test]
fn an_output_that_reached_its_limit_says_so_in_its_text_and_where_the_rest_is() {
    for budget in [None, Some(100)] {
        let mut options = Options::default();
        options.output_budget = budget;
        options.limits.output_bytes = 10_000;
        let sandbox = Sandbox::create(options).unwrap();
        let result = sandbox.run_blocking("seq 100000; echo oops >&2").unwrap();
        assert!(result.truncated);
        let cut = result.stdout_cut.as_ref().unwrap();
        assert_eq!(cut.omitted + result.stdout.len() as u64, 10_000);
        assert!(cut.lost && result.stderr_cut.is_none());
        let text = result.stdout_text();
        assert!(text.contains("longer than its limit"), "{budget:?}: {text}");
        assert!(text.contains("/proc/runs/1/stdout]\n") || text.ends_with("has as much]\n"));
        let kept = sandbox.read_file("/proc/runs/1/stdout").unwrap();
        assert_eq!(kept.len(), 10_000);
        assert_eq!(budget.is_none(), cut.omitted == 0);
    }
}

#[test]
fn a_mark_stands_where_the_missing_part_was() {
    let mut options = Options::default();
    options.output_budget = Some(10);
    let sandbox = Sandbox::create(options).unwrap();
    let result = sandbox
        .run_blocking("printf 'aaaaaaaaaabbbbbbbbbb\\xff'")
        .unwrap();
    let cut = result.stdout_cut.as_ref().unwrap();
    let (marked, length) = cut.marked(&result.stdout);
    let mark = &marked[cut.head..cut.head + length];
    assert_eq!(
        String::from_utf8_lossy(mark),
        "\n[11 bytes are not shown; all of it is in /proc/runs/1/stdout]\n"
    );
    assert_eq!(
        [&marked[..cut.head], &marked[cut.head + length..]].concat(),
        result.stdout
    );
    assert!(marked.ends_with(b"bbbb\xff"));
}

#[test]
fn every_stage_of_a_pipeline_is_told() {
    let sandbox = sandbox(None);
    let result = sandbox
        .run_blocking("seq 100000 | sort -r | head -n 1; cat /none; (exit 3); sleep 0.05")
        .unwrap();
    let find = |name: &str| {
        let facts = result
            .processes
            .iter()
            .find(|facts| facts.command.starts_with(name.as_bytes()));
        facts
            .unwrap_or_else(|| panic!("{name}: {:?}", result.processes))
            .clone()
    };
    let (seq, sort, head) = (find("seq"), find("sort"), find("head"));
    assert_eq!(seq.command, b"seq 100000");
    assert_eq!(
        (seq.status, seq.written, seq.read),
        (ExitStatus::Exited(0), 588_895, 0)
    );
    assert_eq!(sort.read, 588_895);
    assert!((1..=588_895).contains(&sort.written), "{sort:?}");
    assert_eq!((head.status, head.written), (ExitStatus::Exited(0), 6));
    assert!(
        sort.cpu_ns > 0 && sort.time_ns >= sort.cpu_ns / 2 && sort.memory >= 588_895,
        "{sort:?}"
    );
    assert_eq!(find("cat").status, ExitStatus::Exited(1));
    let sleep = find("sleep");
    assert!(
        sleep.time_ns >= 50_000_000 && sleep.cpu_ns < 50_000_000,
        "{sleep:?}"
    );
    // The shell itself is a process, and a subshell may be one.
    assert!(
        (5..=7).contains(&result.usage.processes),
        "{:?}",
        result.usage
    );
    assert!(result.usage.written >= seq.written + sort.written + head.written);
    assert!(result.usage.cpu >= Duration::from_nanos(sort.cpu_ns));
    // The next run starts from nothing.
    let next = sandbox.run_blocking("true").unwrap();
    assert_eq!((next.processes.len(), next.usage.processes), (0, 0));
}

#[test]
fn commands_and_pipelines_without_a_shell_are_told_too() {
    let sandbox = sandbox(Some(20));
    let pipeline = sandbox
        .command(["seq", "1000"])
        .pipe(sandbox.command(["cat"]));
    let result = pipeline.run_blocking().unwrap();
    assert_eq!(result.processes.len(), 2, "{:?}", result.processes);
    assert_eq!(
        result.stdout_cut.as_ref().unwrap().path,
        "/proc/runs/1/stdout"
    );
    assert_eq!(
        sandbox.read_file("/proc/runs/1/stdout").unwrap().len(),
        3893
    );
}

#[test]
fn a_loop_of_many_processes_keeps_the_last_few_hundred() {
    let sandbox = sandbox(None);
    let result = sandbox
        .run_blocking("for i in {1..700}; do /bin/true $i; done")
        .unwrap();
    assert_eq!(result.usage.processes, 701);
    assert_eq!(result.processes.len(), 512);
    assert_eq!(result.processes.last().unwrap().command, b"/bin/true 700");
}
