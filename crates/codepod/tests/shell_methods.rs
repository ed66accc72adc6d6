//! History, completion, jobs and statistics as methods: AC-SHELL 1 to 3.

mod support;

use std::time::Duration;

use codepod::{ErrorKind, JobState, Options, Sandbox, Signal};
use support::within;

fn sandbox() -> Sandbox {
    Sandbox::create(Options::default()).unwrap()
}

fn words(sandbox: &Sandbox, line: &str) -> (usize, Vec<String>) {
    let completion = sandbox.complete_blocking(line, line.len()).unwrap();
    (completion.start, completion.words)
}

#[test]
fn ac_shell_1_history_lists_entries_in_their_order() {
    let sandbox = sandbox();
    for script in ["echo one", "false", "echo two | cat"] {
        sandbox.run_blocking(script).unwrap();
    }
    let history = sandbox.history();
    let entries: Vec<_> = history
        .iter()
        .map(|run| (run.number, run.command.as_str(), run.exit_code))
        .collect();
    assert_eq!(
        entries,
        [
            (1, "echo one", 0),
            (2, "false", 1),
            (3, "echo two | cat", 0)
        ]
    );
    sandbox.clear_history();
    assert!(sandbox.history().is_empty());
    assert_eq!(sandbox.stats().unwrap().runs, 3);
}

#[test]
fn ac_shell_2_completion_suggests_commands_paths_and_variables() {
    let sandbox = sandbox();
    sandbox
        .run_blocking("mkdir -p project/src 'my dir'; touch project/main.rs 'my file' notes.txt; my_function() { :; }; MY_VARIABLE=1; alias my_alias=ls")
        .unwrap();
    let points = sandbox.history().len();
    let (start, found) = words(&sandbox, "echo hi | my_");
    assert_eq!(
        (start, found),
        (10, vec!["my_alias".into(), "my_function".into()])
    );
    assert!(words(&sandbox, "gre").1.contains(&"grep".to_owned()));
    assert_eq!(
        words(&sandbox, "cat project/"),
        (4, vec!["project/main.rs".into(), "project/src/".into()])
    );
    assert_eq!(words(&sandbox, "cat ~/no"), (4, vec!["~/notes.txt".into()]));
    assert_eq!(
        words(&sandbox, "cat < my"),
        (6, vec!["my dir/".into(), "my file".into()])
    );
    assert_eq!(
        words(&sandbox, "echo ${MY_"),
        (7, vec!["MY_VARIABLE".into()])
    );
    assert_eq!(words(&sandbox, "git chec"), (4, vec!["checkout".into()]));
    assert_eq!(
        words(&sandbox, "project/m"),
        (0, vec!["project/main.rs".into()])
    );
    // In the middle of a line, and of a character.
    assert_eq!(
        sandbox.complete_blocking("cat note x", 8).unwrap().words,
        ["notes.txt"]
    );
    assert_eq!(sandbox.complete_blocking("é", 1).unwrap().start, 0);
    assert_eq!(
        sandbox.complete_blocking("cat note", 99).unwrap().words,
        ["notes.txt"]
    );
    // What is completed is not run, and leaves nothing.
    for line in [
        "cat $(touch /tmp/ran)",
        "'; touch /tmp/ran; '",
        "cat `touch /tmp/ran`x",
        "cat \"$(touch /tmp/ran",
    ] {
        let _ = words(&sandbox, line);
    }
    assert!(sandbox.read_file("/tmp/ran").is_err());
    assert_eq!(sandbox.history().len(), points);
}

#[test]
fn ac_shell_3_jobs_are_listed_and_signalled() {
    let sandbox = sandbox();
    assert_eq!(sandbox.jobs().unwrap(), []);
    sandbox
        .run_blocking("sleep 100 & sleep 200 | cat & true")
        .unwrap();
    let jobs = sandbox.jobs().unwrap();
    let commands: Vec<_> = jobs.iter().map(|job| job.command.as_str()).collect();
    assert!(
        commands.contains(&"sleep 100") && commands.contains(&"sleep 200"),
        "{commands:?}"
    );
    let find = |command: &str| {
        let jobs = sandbox.jobs().unwrap();
        jobs.into_iter().find(|job| job.command == command)
    };
    let job = find("sleep 100").unwrap();
    let waits = || find("sleep 100").is_some_and(|job| job.state == JobState::Waiting);
    assert!(within(Duration::from_secs(5), waits), "{job:?}");
    assert!(find("sleep 100").is_some_and(|job| job.memory > 0));
    sandbox.signal(job.pid, Signal::Stop).unwrap();
    let stopped = || find("sleep 100").is_some_and(|job| job.state == JobState::Stopped);
    assert!(within(Duration::from_secs(5), stopped));
    sandbox.signal(job.pid, Signal::Term).unwrap();
    sandbox.signal(job.pid, Signal::Cont).unwrap();
    let gone = within(Duration::from_secs(5), || {
        find("sleep 100").is_none_or(|job| job.state == JobState::Ended)
    });
    assert!(gone, "{:?}", sandbox.jobs());
    let error = sandbox.signal(9999, Signal::Term).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::Process { pid: 9999, .. }),
        "{error}"
    );
    assert_eq!(
        sandbox.run_blocking("jobs | wc -l").unwrap().stdout_text(),
        "2\n"
    );
}

#[test]
fn statistics_add_up() {
    let sandbox = sandbox();
    let before = sandbox.stats().unwrap();
    assert_eq!((before.runs, before.usage.processes), (0, 0));
    let result = sandbox.run_blocking("seq 1000 | sort > f").unwrap();
    let stats = sandbox.stats().unwrap();
    assert_eq!(stats.runs, 1);
    assert_eq!(stats.usage.processes, result.usage.processes);
    assert!(
        stats.usage.written >= 2 * 3893 && stats.bytes >= 3893 && stats.nodes >= 1,
        "{stats:?}"
    );
    assert!(stats.usage.cpu > Duration::ZERO);
}
