//! Events for an audit, warnings before a limit, profiles.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use codepod::{Event, HostCommand, Options, Profile, Sandbox};

/// A sandbox and what it tells.
fn told(change: impl FnOnce(&mut Options)) -> (Sandbox, Arc<Mutex<Vec<Event>>>) {
    let events = Arc::new(Mutex::new(Vec::new()));
    let mut options = Options::default();
    let list = events.clone();
    options.events = Some(Arc::new(move |event| {
        list.lock().unwrap().push(event.clone());
    }));
    change(&mut options);
    (Sandbox::create(options).unwrap(), events)
}

/// Limits that were near and reached since the last look.
fn limits(events: &Mutex<Vec<Event>>) -> (Vec<&'static str>, Vec<&'static str>) {
    let (mut near, mut reached) = (Vec::new(), Vec::new());
    for event in events.lock().unwrap().drain(..) {
        match event {
            Event::LimitNear { limit, .. } => near.push(limit),
            Event::LimitReached { limit, .. } => reached.push(limit),
            _ => {}
        }
    }
    (near, reached)
}

#[test]
fn what_happens_is_told_in_its_order() {
    let (sandbox, events) = told(|_| {});
    sandbox
        .register(HostCommand::new("hello", |_call| async { 0 }))
        .unwrap();
    sandbox.run_blocking("hello; false").unwrap();
    let fork = sandbox.fork().unwrap();
    sandbox.undo(1).unwrap();
    fork.command(["true"]).run_blocking().unwrap();
    let (one, two) = (sandbox.id(), fork.id());
    assert_ne!(one, two);
    let is_effect = |event: &&Event| {
        !matches!(
            event,
            Event::ProcessEnded { .. } | Event::FilesChanged { .. }
        )
    };
    let lines: Vec<String> = events
        .lock()
        .unwrap()
        .iter()
        .filter(is_effect)
        .map(Event::to_json)
        .collect();
    let start =
        |line: &str, expected: &str| assert!(line.starts_with(expected), "{line}\n{expected}");
    assert_eq!(lines.len(), 7, "{lines:#?}");
    start(
        &lines[0],
        &format!(r#"{{"event":"run-started","sandbox":{one},"run":1,"command":"hello; false"}}"#),
    );
    start(
        &lines[1],
        &format!(r#"{{"event":"host-command","sandbox":{one},"name":"hello"}}"#),
    );
    start(
        &lines[2],
        &format!(
            r#"{{"event":"run-ended","sandbox":{one},"run":1,"exitCode":1,"timedOut":false,"timeUs":"#
        ),
    );
    assert!(lines[2].ends_with(r#","processes":2}"#), "{}", lines[2]);
    start(
        &lines[3],
        &format!(r#"{{"event":"forked","sandbox":{one},"fork":{two}}}"#),
    );
    start(
        &lines[4],
        &format!(r#"{{"event":"restored","sandbox":{one}}}"#),
    );
    start(
        &lines[5],
        &format!(r#"{{"event":"run-started","sandbox":{two},"run":1,"command":"true"}}"#),
    );
}

#[test]
fn programs_that_ran_and_files_that_changed_are_told() {
    let (sandbox, events) = told(|_| {});
    let told_by = |script: &str| {
        let run = sandbox.run_blocking(script).unwrap().run;
        let (mut programs, mut files) = (Vec::new(), Vec::new());
        for event in events.lock().unwrap().drain(..) {
            match event {
                Event::ProcessEnded {
                    run: of,
                    command,
                    exit_code,
                    ..
                } => {
                    assert_eq!(of, run);
                    programs.push((command, exit_code));
                }
                Event::FilesChanged {
                    run: of,
                    paths,
                    more,
                    ..
                } => {
                    assert_eq!(of, run);
                    files.push((paths, more));
                }
                _ => {}
            }
        }
        (programs, files)
    };
    let (programs, files) = told_by("cd /tmp; echo a > a; sort a > b; grep -q x b; rm a");
    for expected in [("sort a", 0), ("grep -q x b", 1), ("rm a", 0)] {
        let expected = (expected.0.to_owned(), expected.1);
        assert!(programs.contains(&expected), "{programs:?}");
    }
    assert_eq!(files, [(vec!["A /tmp/b".to_owned()], 0)]);
    assert_eq!(told_by("echo b >> b").1[0].0, ["M /tmp/b"]);
    assert_eq!(told_by("cat b").1, []);
    // The list has an end.
    let (_, files) = told_by("for i in {1..1100}; do : > n$i; done");
    assert_eq!((files[0].0.len(), files[0].1), (1000, 100));
}

#[test]
fn limits_are_told_before_and_when_they_are_reached() {
    let (sandbox, events) = told(|options| {
        options.fs_limits.bytes = 1_000_000;
        options.fs_limits.nodes = 100;
        options.limits.processes = 5;
        options.limits.output_bytes = 1000;
        options.limits.memory_bytes = 20 << 20;
        options.timeout = Duration::from_millis(500);
    });
    let run = |script: &str| {
        sandbox.run_blocking(script).unwrap();
        limits(&events)
    };
    assert_eq!(run("echo hi > small"), (vec![], vec![]));
    assert_eq!(
        run("head -c 850000 /dev/zero > f"),
        (vec!["file-bytes"], vec![])
    );
    assert_eq!(run("head -c 850000 /dev/zero > g").1, ["file-bytes"]);
    assert_eq!(
        run("rm f g; for i in {1..90}; do : > n$i; done"),
        (vec!["files"], vec![])
    );
    assert_eq!(run("rm n*; true"), (vec![], vec![]));
    assert_eq!(
        run("sleep 0.1 & sleep 0.1 & sleep 0.1 & wait").0,
        ["processes"]
    );
    assert!(
        run("for i in 1 2 3 4 5 6 7 8; do sleep 0.1 & done 2>/dev/null; wait")
            .1
            .contains(&"processes")
    );
    assert_eq!(run("head -c 900 /dev/zero"), (vec!["output"], vec![]));
    assert_eq!(run("seq 10000").1, ["output"]);
    assert!(run("sleep 0.45").0.contains(&"time"));
    assert!(run("sleep 5").1.contains(&"time"));
    assert!(
        run("head -c 100000000 /dev/zero | sort > /dev/null")
            .1
            .contains(&"memory")
    );
}

#[test]
fn profiles_differ_in_what_they_allow() {
    for name in ["small", "default", "large"] {
        assert!(Profile::by_name(name).is_some());
    }
    assert_eq!(Profile::by_name("huge"), None);
    let [small, default, large] =
        [Profile::Small, Profile::Default, Profile::Large].map(Options::with_profile);
    assert!(small.limits.memory_bytes < default.limits.memory_bytes);
    assert!(default.limits.memory_bytes < large.limits.memory_bytes);
    assert!(
        small.fs_limits.bytes < default.fs_limits.bytes
            && default.fs_limits.bytes < large.fs_limits.bytes
    );
    // What the large one allows the small one does not.
    let script = "head -c 20000000 /dev/zero > f && echo written";
    for (options, expected) in [(small, ""), (default, "written\n"), (large, "written\n")] {
        let sandbox = Sandbox::create(options).unwrap();
        assert_eq!(
            sandbox.run_blocking(script).unwrap().stdout_text(),
            expected
        );
        assert_eq!(
            sandbox
                .run_blocking("echo still here")
                .unwrap()
                .stdout_text(),
            "still here\n"
        );
    }
}
