//! States under names: kept, gone back in, compared, copied, exported; overlays applied after their
//! process has ended.

use std::fs;

use codepod::{
    ErrorKind, Mount, MountAccess, Options, Runtime, StateDirectory, StoreError, VERSIONS,
};

fn runtime() -> Runtime {
    Runtime::global().unwrap()
}

fn states() -> (tempfile::TempDir, StateDirectory) {
    let directory = tempfile::tempdir().unwrap();
    let states = StateDirectory::new(directory.path().join("states"));
    (directory, states)
}

/// Runs a script in a state, as one process after another would.
#[track_caller]
fn run(states: &StateDirectory, name: &str, script: &str) -> String {
    run_with(states, name, script, Options::default())
}

#[track_caller]
fn run_with(states: &StateDirectory, name: &str, script: &str, options: Options) -> String {
    let kept = states.wake(&runtime(), name, options).unwrap();
    let result = kept.sandbox().run_blocking(script).unwrap();
    kept.save().unwrap();
    result.stdout_text().into_owned() + &result.stderr_text()
}

fn overlay(path: &std::path::Path) -> Options {
    let mut options = Options::default();
    options.mounts = vec![Mount::host(path, "/work", MountAccess::Overlay)];
    options
}

#[test]
fn files_and_variables_are_there_the_next_time() {
    let (_directory, states) = states();
    assert_eq!(run(&states, "a", "cd /tmp; x=5; echo hi >f"), "");
    assert_eq!(run(&states, "a", "pwd; echo $x; cat f"), "/tmp\n5\nhi\n");
    assert_eq!(states.names().unwrap(), ["a"]);
    // The second run changed nothing, so there is nothing to go back to.
    assert_eq!(states.look("a").unwrap().versions.len(), 1);
}

#[test]
fn undo_goes_back_a_run_that_changed_something_and_says_when_it_cannot() {
    let (_directory, states) = states();
    for n in 1..=3 {
        run(&states, "a", &format!("echo {n} >f; n={n}"));
    }
    run(&states, "a", "cat f");
    states.undo("a", 1).unwrap();
    assert_eq!(run(&states, "a", "cat f; echo $n"), "2\n2\n");
    run(&states, "a", "echo 4 >f");
    states.undo("a", 2).unwrap();
    assert_eq!(run(&states, "a", "cat f"), "1\n");
    let error = states.undo("a", 1).unwrap_err();
    let kind = error.kind();
    assert!(
        matches!(kind, ErrorKind::NothingToUndo { wanted: 1, have: 0 }),
        "{error}"
    );
}

#[test]
fn as_many_versions_are_kept_as_promised() {
    let (_directory, states) = states();
    let kept = states.wake(&runtime(), "a", Options::default()).unwrap();
    for n in 0..VERSIONS + 5 {
        kept.sandbox().run_blocking(format!("echo {n} >f")).unwrap();
        kept.save().unwrap();
    }
    drop(kept);
    assert_eq!(states.look("a").unwrap().versions.len(), VERSIONS);
    states.undo("a", VERSIONS - 1).unwrap();
    assert_eq!(run(&states, "a", "cat f"), "5\n");
}

#[test]
fn a_state_that_is_in_use_says_by_whom() {
    let (_directory, states) = states();
    let kept = states.wake(&runtime(), "a", Options::default()).unwrap();
    let errors = [
        states.wake(&runtime(), "a", Options::default()).map(drop),
        states.remove("a"),
        states.undo("a", 1).map(drop),
        states.fork("a", "b"),
    ];
    for result in errors {
        let error = result.unwrap_err();
        let ErrorKind::Store(StoreError::Locked { process, .. }) = error.kind() else {
            panic!("{error}")
        };
        assert_eq!(*process, Some(std::process::id()));
        assert_eq!(error.to_string(), "the namespace `a` is in use");
    }
    drop(kept);
    states.remove("a").unwrap();
    assert_eq!(states.names().unwrap(), [""; 0]);
}

#[test]
fn states_are_forked_compared_exported_and_imported() {
    let (_directory, states) = states();
    run(&states, "a", "echo one >f; echo same >g");
    states.fork("a", "b").unwrap();
    run(&states, "b", "echo two >f; rm g; v=1");
    let version = |name: &str| states.look(name).unwrap().versions.last().unwrap().sequence;
    let (a, b) = (version("a"), version("b"));
    let mut changes = states
        .compare(&runtime(), Some(("a", a)), ("b", b))
        .unwrap();
    let list: Vec<String> = changes.iter().map(ToString::to_string).collect();
    assert_eq!(list, ["M /home/user/f", "D /home/user/g"]);
    let diff = String::from_utf8(changes.unified_diff()).unwrap();
    assert!(diff.contains("-one\n+two\n"), "{diff}");
    let new = states.compare(&runtime(), None, ("a", a)).unwrap();
    assert_eq!(new.len(), 2);
    // Looking changed nothing.
    assert_eq!((version("a"), version("b")), (a, b));

    let mut bytes = Vec::new();
    states.export(&runtime(), "b", &mut bytes, None).unwrap();
    states
        .import(&runtime(), "c", &bytes[..], None, Vec::new())
        .unwrap();
    assert_eq!(run(&states, "c", "cat f; echo $v; ls"), "two\n1\nf\n");
    let error = states
        .import(&runtime(), "c", &bytes[..], None, Vec::new())
        .unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::StateExists { .. }),
        "{error}"
    );
    let cut = &bytes[..bytes.len() - 1];
    assert!(
        states
            .import(&runtime(), "d", cut, None, Vec::new())
            .is_err()
    );
    assert!(!states.contains("d").unwrap());
}

#[test]
fn an_overlay_is_applied_by_a_later_process_and_never_over_an_edit_that_was_not_seen() {
    let (directory, states) = states();
    let work = directory.path().join("work");
    fs::create_dir(&work).unwrap();
    for name in ["a", "b", "c"] {
        fs::write(work.join(name), "old\n").unwrap();
    }
    let script = "cd /work; cat a b c >/dev/null; echo new >a; echo new >b; rm c; echo new >d";
    run_with(&states, "s", script, overlay(&work));
    // The directory is mounted again by itself.
    assert_eq!(run(&states, "s", "cat a; ls"), "new\na\nb\nd\n");
    fs::write(work.join("b"), "edited by hand\n").unwrap();
    let kept = states.wake(&runtime(), "s", Options::default()).unwrap();
    let mut options = codepod::ApplyOptions::default();
    options.partial = true;
    let applied = kept
        .sandbox()
        .apply_with("/work", [""; 0], &options)
        .unwrap();
    kept.save().unwrap();
    let refused: Vec<_> = applied
        .refused
        .iter()
        .map(|refused| &refused.path[..])
        .collect();
    assert_eq!(refused, [b"/work/b"]);
    assert_eq!(applied.applied.len(), 3);
    assert_eq!(fs::read_to_string(work.join("a")).unwrap(), "new\n");
    assert_eq!(
        fs::read_to_string(work.join("b")).unwrap(),
        "edited by hand\n"
    );
    assert!(!work.join("c").exists());
}

#[test]
fn what_a_version_had_seen_is_known_after_going_back_to_it() {
    let (directory, states) = states();
    let work = directory.path().join("work");
    fs::create_dir(&work).unwrap();
    fs::write(work.join("a"), "old\n").unwrap();
    run_with(
        &states,
        "s",
        "cat /work/a; echo first >/work/a",
        overlay(&work),
    );
    run(&states, "s", "echo second >/work/a");
    states.undo("s", 1).unwrap();
    let kept = states.wake(&runtime(), "s", Options::default()).unwrap();
    let applied = kept.sandbox().apply("/work", [""; 0]).unwrap();
    assert_eq!((applied.applied.len(), applied.refused.len()), (1, 0));
    assert_eq!(fs::read_to_string(work.join("a")).unwrap(), "first\n");
}

/// Copies a directory with all that is in it.
fn copy(from: &std::path::Path, to: &std::path::Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        match source.is_dir() {
            true => copy(&source, &target),
            false => drop(fs::copy(&source, &target).unwrap()),
        }
    }
}

#[test]
fn host_directories_that_somebody_else_has_chosen_are_not_mounted() {
    let (directory, mine) = states();
    let (_elsewhere, theirs) = states();
    let precious = tempfile::tempdir().unwrap();
    fs::write(precious.path().join("f"), "precious").unwrap();
    let mut options = Options::default();
    options.mounts = vec![Mount::host(
        precious.path(),
        "/work",
        MountAccess::ReadWrite,
    )];
    run_with(&theirs, "gift", "cat /work/f", options.clone());
    run_with(&mine, "own", "cat /work/f", options.clone());
    // One's own is known, under another name, too.
    assert!(mine.look("own").unwrap().mounts_known);
    copy(&mine.path().join("own"), &mine.path().join("copied"));
    assert_eq!(run(&mine, "copied", "cat /work/f"), "precious");
    let kept = mine.wake(&runtime(), "own", Options::default()).unwrap();
    assert_eq!(kept.remembered_mounts().len(), 1);
    drop(kept);
    // Another's is not; nor is a list that was written by hand, or one's own that was changed.
    copy(&theirs.path().join("gift"), &mine.path().join("gift"));
    let host = serde_json::to_string(precious.path()).unwrap();
    let line = format!(r#"[{{"host":{host},"at":"/work","access":"rw"}}]"#);
    let list = |name: &str| mine.path().join(name).join("mounts");
    copy(&mine.path().join("own"), &mine.path().join("old"));
    fs::write(list("old"), &line).unwrap();
    copy(&mine.path().join("own"), &mine.path().join("forged"));
    let sealed = format!(r#"{{"mounts":{line},"digest":"{}"}}"#, "0".repeat(64));
    fs::write(list("forged"), sealed).unwrap();
    copy(&mine.path().join("own"), &mine.path().join("changed"));
    let own = fs::read_to_string(list("own")).unwrap();
    fs::write(list("changed"), own.replace("\"/work\"", "\"/home\"")).unwrap();
    for name in ["gift", "old", "forged", "changed"] {
        assert!(!mine.look(name).unwrap().mounts_known, "{name}");
        let error = mine.wake(&runtime(), name, Options::default()).unwrap_err();
        let unknown = matches!(error.kind(), ErrorKind::UnknownMounts { .. });
        assert!(unknown, "{name}: {error}");
        let newest = mine.look(name).unwrap().versions[0].sequence;
        let error = mine.compare(&runtime(), None, (name, newest)).unwrap_err();
        let unknown = matches!(error.kind(), ErrorKind::UnknownMounts { .. });
        assert!(unknown, "{name}: {error}");
    }
    // Who gives them, or says that they are fine, has them.
    assert_eq!(run_with(&mine, "gift", "cat /work/f", options), "precious");
    assert_eq!(run(&mine, "gift", "cat /work/f"), "precious");
    mine.trust_mounts("old").unwrap();
    assert_eq!(run(&mine, "old", "cat /work/f"), "precious");
    // A key that others can read vouches for nothing.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let key = directory.path().join("states.key");
        assert_eq!(
            fs::metadata(&key).unwrap().permissions().mode() & 0o777,
            0o600
        );
        fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(mine.wake(&runtime(), "own", Options::default()).is_err());
    }
}
