//! Undo, redo, changes between moments, single paths restored: with the real shell.

mod support;

use codepod::{ChangeKind, ErrorKind, Moment, Options, Sandbox};
use support::text;

fn sandbox() -> Sandbox {
    Sandbox::create(Options::default()).unwrap()
}

/// What a path holds, or nothing.
fn file(sandbox: &Sandbox, path: &str) -> Option<String> {
    let bytes = sandbox.read_file(path).ok()?;
    Some(String::from_utf8(bytes).unwrap())
}

fn lines(sandbox: &Sandbox, from: impl Into<Moment>, to: impl Into<Moment>) -> Vec<String> {
    let changes = sandbox.changes(from, to).unwrap();
    changes.iter().map(ToString::to_string).collect()
}

#[test]
fn undo_takes_back_files_and_variables_of_single_runs() {
    let sandbox = sandbox();
    text(&sandbox, "echo one > f; x=1; cd /tmp");
    text(
        &sandbox,
        "echo two > ~/f; x=2; cd /; rm -rf /home/user/nothing",
    );
    text(&sandbox, "rm ~/f; unset x");
    assert_eq!(file(&sandbox, "f"), None);
    let undone = sandbox.undo(1).unwrap();
    assert_eq!(undone[0].command, "rm ~/f; unset x");
    assert_eq!(file(&sandbox, "f").as_deref(), Some("two\n"));
    assert_eq!(text(&sandbox, "echo $x $PWD"), "2 /\n");
    let numbers: Vec<u64> = sandbox
        .undo(2)
        .unwrap()
        .iter()
        .map(|run| run.number)
        .collect();
    assert_eq!(numbers, [4, 2], "the run that printed is a run as well");
    assert_eq!(file(&sandbox, "f").as_deref(), Some("one\n"));
    assert_eq!(text(&sandbox, "echo $x $PWD"), "1 /tmp\n");
}

#[test]
fn redo_does_it_again_until_something_else_happens() {
    let sandbox = sandbox();
    for n in 1..=3 {
        text(&sandbox, &format!("echo {n} > f; n={n}"));
    }
    // Between the runs the host writes too.
    sandbox.write_file("host", "h").unwrap();
    sandbox.undo(3).unwrap();
    assert_eq!((file(&sandbox, "f"), file(&sandbox, "host")), (None, None));
    let redone = sandbox.redo(2).unwrap();
    assert_eq!(
        redone.iter().map(|run| run.number).collect::<Vec<_>>(),
        [1, 2]
    );
    assert_eq!(file(&sandbox, "f").as_deref(), Some("2\n"));
    sandbox.redo(1).unwrap();
    assert_eq!(file(&sandbox, "f").as_deref(), Some("3\n"));
    assert_eq!(file(&sandbox, "host").as_deref(), Some("h"));
    assert_eq!(text(&sandbox, "echo $n"), "3\n");
    let error = sandbox.redo(1).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::NothingToRedo { .. }),
        "{error}"
    );

    sandbox.undo(1).unwrap();
    sandbox.undo(1).unwrap();
    sandbox.write_file("late", "").unwrap();
    let error = sandbox.redo(1).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Changed), "{error}");
    assert_eq!(file(&sandbox, "late").as_deref(), Some(""));
}

#[test]
fn too_many_are_refused_and_nothing_happens() {
    let sandbox = sandbox();
    text(&sandbox, "echo a > f");
    for count in [0, 2, usize::MAX] {
        let error = sandbox.undo(count).unwrap_err();
        let ErrorKind::NothingToUndo { wanted, have: 1 } = error.kind() else {
            panic!("{error}");
        };
        assert_eq!(*wanted, count);
        assert!(!error.hint().is_empty());
    }
    assert_eq!(file(&sandbox, "f").as_deref(), Some("a\n"));
}

#[test]
fn a_running_process_keeps_its_files() {
    let sandbox = sandbox();
    text(&sandbox, "echo a > f; sleep 60 & sleep 0");
    let error = sandbox.undo(1).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Busy { .. }), "{error}");
    assert_eq!(file(&sandbox, "f").as_deref(), Some("a\n"));
    assert_eq!(sandbox.history().len(), 1);
    sandbox.kill_all().unwrap();
    support::assert_idle(&sandbox);
    sandbox.undo(1).unwrap();
    assert_eq!(file(&sandbox, "f"), None);
}

#[test]
fn the_number_of_runs_is_bounded() {
    let mut options = Options::default();
    options.undo.runs = 3;
    let sandbox = Sandbox::create(options).unwrap();
    for n in 1..=5 {
        text(&sandbox, &format!("echo {n} > f"));
    }
    let numbers: Vec<u64> = sandbox.history().iter().map(|run| run.number).collect();
    assert_eq!(numbers, [3, 4, 5]);
    let error = sandbox.changes(Moment::Before(2), Moment::Now).unwrap_err();
    let ErrorKind::NoSuchRun {
        number: 2,
        oldest: Some(3),
    } = error.kind()
    else {
        panic!("{error}");
    };
    sandbox.undo(3).unwrap();
    assert_eq!(file(&sandbox, "f").as_deref(), Some("2\n"));
}

#[test]
fn the_bytes_of_the_past_are_bounded() {
    let mut options = Options::default();
    options.undo.bytes = 3_000_000;
    let sandbox = Sandbox::create(options).unwrap();
    for n in 1..=10 {
        text(
            &sandbox,
            &format!("head -c 1000000 /dev/zero | tr '\\0' {} > f", n % 10),
        );
    }
    // The last keeps what was before it: a million bytes; so do those before.
    let kept = sandbox.history().len();
    assert!((2..=4).contains(&kept), "{kept}");
    sandbox.undo(kept).unwrap();
    // The host's changes count as well.
    let other = Sandbox::create(sandbox.options().clone()).unwrap();
    text(&other, "echo a > a");
    for byte in 0..5 {
        other.write_file("big", vec![byte; 4_000_000]).unwrap();
        text(&other, "echo b > b");
    }
    assert!(other.history().len() <= 1, "{:?}", other.history());
    other.clear_history();
    assert!(other.history().is_empty());
}

#[test]
fn changes_are_told_by_kind_with_what_was_and_is() {
    let sandbox = sandbox();
    text(
        &sandbox,
        "mkdir d; echo a > d/a; echo b > d/b; ln -s a d/l; echo m > m; mkdir gone; echo x > gone/x",
    );
    text(
        &sandbox,
        "echo A > d/a; rm -r d/b gone; chmod 600 m; ln -sf b d/l; mkdir new; echo n > new/n; rm d/l; mkdir d/l",
    );
    assert_eq!(
        lines(&sandbox, Moment::Before(2), Moment::After(2)),
        [
            "M /home/user/d/a",
            "D /home/user/d/b",
            "T /home/user/d/l",
            "D /home/user/gone",
            "D /home/user/gone/x",
            "P /home/user/m",
            "A /home/user/new",
            "A /home/user/new/n",
        ]
    );
    let changes = sandbox.changes(Moment::Before(2), Moment::Now).unwrap();
    let mode = changes
        .iter()
        .find(|change| change.path == b"/home/user/m")
        .unwrap();
    assert_eq!(mode.kind, ChangeKind::AttributesChanged);
    assert_eq!(
        (mode.before.unwrap().mode, mode.after.unwrap().mode),
        (0o644, 0o600)
    );
    // The other way round, and of nothing.
    assert!(
        lines(&sandbox, Moment::After(2), Moment::Before(2)).contains(&"A /home/user/d/b".into())
    );
    assert_eq!(lines(&sandbox, Moment::Now, Moment::Now), [""; 0]);
    let snapshot = sandbox.snapshot().unwrap();
    text(&sandbox, "echo later > later");
    assert_eq!(
        lines(&sandbox, &snapshot, Moment::Now),
        ["A /home/user/later"]
    );
}

#[test]
fn texts_differ_as_patch_takes_it() {
    let sandbox = sandbox();
    text(
        &sandbox,
        "seq 20 > numbers; printf 'a\\0b' > binary; echo old > gone; printf 'no end' > end",
    );
    text(
        &sandbox,
        "sed -i 's/^10$/ten/' numbers; printf 'c\\0b' > binary; rm gone; echo new > added; printf 'no end\\nmore' > end; chmod 600 numbers",
    );
    let mut changes = sandbox.changes(Moment::Before(2), Moment::Now).unwrap();
    let diff = String::from_utf8(changes.unified_diff()).unwrap();
    for piece in [
        "--- a/home/user/numbers\n+++ b/home/user/numbers\n@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n",
        "Binary files a/home/user/binary and b/home/user/binary differ\n",
        "--- a/home/user/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n",
        "--- /dev/null\n+++ b/home/user/added\n@@ -0,0 +1 @@\n+new\n",
        "-no end\n\\ No newline at end of file\n+no end\n+more\n\\ No newline at end of file\n",
    ] {
        assert!(diff.contains(piece), "{piece}\nis not in\n{diff}");
    }
    // The tools inside understand it.
    sandbox.undo(1).unwrap();
    sandbox.write_file("/tmp/p", &diff).unwrap();
    text(&sandbox, "grep -v ^Binary /tmp/p | patch -s -p3");
    assert_eq!(
        text(&sandbox, "sed -n 10p numbers; cat added end; ls gone 2>&1"),
        "ten\nnew\nno end\nmorels: cannot access 'gone': No such file or directory\n"
    );
}

#[test]
fn hostile_texts_do_not_hold_the_host() {
    let sandbox = sandbox();
    text(&sandbox, "seq 1 120000 | shuf > f");
    text(&sandbox, "seq 1 120000 | shuf > f");
    let mut changes = sandbox.changes(Moment::Before(2), Moment::Now).unwrap();
    let started = std::time::Instant::now();
    let diff = changes.unified_diff();
    assert!(diff.starts_with(b"--- a/home/user/f\n"), "{}", diff.len());
    assert!(
        started.elapsed() < std::time::Duration::from_secs(10),
        "{:?}",
        started.elapsed()
    );
}

#[test]
fn single_paths_are_restored_and_the_rest_stays() {
    let sandbox = sandbox();
    text(
        &sandbox,
        "mkdir -p d/e; echo a > d/a; echo deep > d/e/f; ln -s a d/l; chmod 750 d/e; chmod 600 d/a; touch -d 2001-02-03 d/a; echo keep > k",
    );
    text(
        &sandbox,
        "rm -r d; echo not a directory > d; echo new > k; echo x > extra",
    );
    sandbox
        .restore_paths(Moment::Before(2), ["d", "extra"])
        .unwrap();
    assert_eq!(
        text(
            &sandbox,
            "cat d/a d/e/f k; readlink d/l; stat -c %a d/e d/a; date -r d/a +%F; ls"
        ),
        "a\ndeep\nnew\na\n750\n600\n2001-02-03\nd\nk\n"
    );
    // A directory gets back what it lacks and loses what it did not have.
    text(
        &sandbox,
        "rm d/e/f; echo x > d/e/x; mkdir d/e/sub; echo y > d/e/sub/y",
    );
    let last = sandbox.history().last().unwrap().number;
    sandbox
        .restore_paths(Moment::Before(last), ["/home/user/d/e"])
        .unwrap();
    assert_eq!(text(&sandbox, "find d/e"), "d/e\nd/e/f\n");
    let error = sandbox
        .restore_paths(Moment::Before(99), ["d"])
        .unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NoSuchRun { .. }));
}

#[test]
fn another_sandboxs_snapshot_is_refused() {
    let (one, two) = (sandbox(), sandbox());
    let snapshot = one.snapshot().unwrap();
    for error in [
        two.restore(&snapshot).unwrap_err(),
        two.changes(&snapshot, Moment::Now).map(drop).unwrap_err(),
        two.restore_paths(&snapshot, ["f"]).unwrap_err(),
        two.adopt(&one).unwrap_err(),
    ] {
        assert!(matches!(error.kind(), ErrorKind::Foreign), "{error}");
        assert!(!error.hint().is_empty());
    }
    one.fork().unwrap().restore(&snapshot).unwrap();
}

#[test]
fn files_that_the_host_changes_are_steps_where_they_are_recorded() {
    let sandbox = sandbox();
    text(&sandbox, "echo 1 > a");
    let recording = sandbox.recording();
    recording.write_file("b", "x").unwrap();
    recording.write_file_and_parents("d/e/f", "y").unwrap();
    recording.rename("b", "c").unwrap();
    recording.set_mode("c", 0o600).unwrap();
    recording.remove("d").unwrap();
    // What changes nothing, or fails, is no step.
    recording.mkdir("/home/user").unwrap();
    recording.write_file("/nope/f", "").unwrap_err();
    let listed: Vec<(u64, String)> = sandbox
        .history()
        .into_iter()
        .map(|step| (step.number, step.command))
        .collect();
    let commands = [
        "echo 1 > a",
        "write b",
        "write d/e/f",
        "rename b",
        "chmod c",
        "remove d",
    ];
    let numbered = (1..).zip(commands.map(str::to_owned)).collect::<Vec<_>>();
    assert_eq!(listed, numbered);
    assert_eq!(
        lines(&sandbox, Moment::Before(2), Moment::After(2)),
        ["A /home/user/b"]
    );
    sandbox.undo(1).unwrap();
    assert_eq!(file(&sandbox, "d/e/f").as_deref(), Some("y"));
    sandbox.undo(4).unwrap();
    assert_eq!((file(&sandbox, "b"), file(&sandbox, "c")), (None, None));
    assert_eq!(file(&sandbox, "a").as_deref(), Some("1\n"), "the run stays");
    sandbox.redo(1).unwrap();
    assert_eq!(file(&sandbox, "b").as_deref(), Some("x"));
    let error = sandbox.undo(9).unwrap_err().to_string();
    assert_eq!(error, "cannot undo 9 steps: 2 can be undone");
    sandbox.undo(2).unwrap();
    let error = sandbox.undo(1).unwrap_err().to_string();
    assert_eq!(error, "cannot undo 1 step: none can be undone");
}

#[test]
fn recorded_files_go_back_while_processes_run() {
    let sandbox = sandbox();
    text(&sandbox, "echo one > f; sleep 60 & sleep 0");
    sandbox.recording().write_file("f", "two").unwrap();
    sandbox.recording().write_file("g", "new").unwrap();
    sandbox.undo(2).unwrap();
    assert_eq!(file(&sandbox, "f").as_deref(), Some("one\n"));
    assert_eq!(file(&sandbox, "g"), None);
    let error = sandbox.undo(1).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Busy { .. }), "{error}");
    sandbox.kill_all().unwrap();
}

#[test]
fn an_edit_is_made_whole_or_not_at_all() {
    let sandbox = sandbox().recording();
    let edit = |old: &str, new: &str| codepod::Edit {
        old: old.into(),
        new: new.into(),
        all: false,
    };
    sandbox.write_file("f", "one\ntwo\nthree\n").unwrap();
    sandbox.set_mode("f", 0o755).unwrap();
    let edited = sandbox
        .edit_file("f", &[edit("two", "2"), edit("three\n", "3\n")])
        .unwrap();
    assert_eq!(edited.replaced, 2);
    assert_eq!(
        edited.diff,
        "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n one\n-two\n-three\n+2\n+3\n"
    );
    assert_eq!(sandbox.stat("f").unwrap().mode & 0o777, 0o755);
    let error = sandbox
        .edit_file("f", &[edit("one", "1"), edit("two", "2")])
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot edit `f`: edit 2: `old` is not in the file"
    );
    assert!(error.hint().contains("read the file again"));
    assert_eq!(file(&sandbox, "f").as_deref(), Some("one\n2\n3\n"));
    sandbox.undo(1).unwrap();
    assert_eq!(file(&sandbox, "f").as_deref(), Some("one\ntwo\nthree\n"));
    for path in ["/nope", "/dev/zero", "/tmp"] {
        sandbox.edit_file(path, &[edit("a", "b")]).unwrap_err();
    }
    sandbox.write_file("bytes", b"a\xff").unwrap();
    let error = sandbox.edit_file("bytes", &[edit("a", "b")]).unwrap_err();
    assert!(
        error.to_string().ends_with("it is not a text file"),
        "{error}"
    );
}

#[test]
fn an_edit_that_does_not_fit_on_the_disk_changes_nothing() {
    let mut options = Options::default();
    options.fs_limits.file_bytes = 1000;
    let sandbox = Sandbox::create(options).unwrap();
    sandbox.write_file("f", "small\n").unwrap();
    let edit = codepod::Edit {
        old: "small".into(),
        new: "x".repeat(2000),
        all: false,
    };
    sandbox.edit_file("f", &[edit]).unwrap_err();
    assert_eq!(file(&sandbox, "f").as_deref(), Some("small\n"));
}
