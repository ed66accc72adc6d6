//! Overlay mounts: changes listed, applied to the host where nobody else has changed it, or
//! dropped.

mod support;

use std::path::Path;

use codepod::{
    ApplyOptions, Errno, ErrorKind, Mount, MountAccess, Options, Persistence, Persistent, Sandbox,
    Selection,
};
use tempfile::TempDir;

/// A host directory with some files, and a sandbox that has it at `/w`.
fn mounted() -> (TempDir, Sandbox) {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    std::fs::create_dir_all(at.join("d/e")).unwrap();
    for (name, text) in [("a", "a\n"), ("b", "b\n"), ("d/x", "x\n"), ("d/e/y", "y\n")] {
        std::fs::write(at.join(name), text).unwrap();
    }
    std::os::unix::fs::symlink("a", at.join("l")).unwrap();
    let mut options = Options::default();
    options.mounts = vec![Mount::host(at, "/w", MountAccess::Overlay)];
    options.cwd = "/w".into();
    (directory, Sandbox::create(options).unwrap())
}

fn run(sandbox: &Sandbox, script: &str) -> String {
    let result = sandbox.run_blocking(script).unwrap();
    assert_eq!(result.stderr_text(), "", "{script}");
    result.stdout_text().into_owned()
}

/// What can be applied, whatever else cannot.
fn partial() -> ApplyOptions {
    let mut options = ApplyOptions::default();
    options.partial = true;
    options
}

fn changed(sandbox: &Sandbox) -> Vec<String> {
    let changes = sandbox
        .mount_changes("/w", &Selection::default())
        .unwrap()
        .changes;
    let line = |change: &codepod::MountChange| {
        format!(
            "{:?} {}",
            change.kind,
            String::from_utf8_lossy(&change.path)
        )
    };
    changes.iter().map(line).collect()
}

fn host(directory: &TempDir, name: &str) -> Option<String> {
    std::fs::read_to_string(directory.path().join(name)).ok()
}

/// Everything in a directory, with modes and content.
fn all(at: &Path) -> Vec<String> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut lines = Vec::new();
    let mut open = vec![at.to_path_buf()];
    while let Some(path) = open.pop() {
        for entry in std::fs::read_dir(&path).unwrap() {
            let entry = entry.unwrap();
            let name = entry.path().strip_prefix(at).unwrap().display().to_string();
            let stat = entry.path().symlink_metadata().unwrap();
            let mode = stat.permissions().mode() & 0o777;
            lines.push(if stat.is_dir() {
                open.push(entry.path());
                format!("{name}/ {mode:o}")
            } else if stat.is_symlink() {
                format!(
                    "{name} -> {}",
                    std::fs::read_link(entry.path()).unwrap().display()
                )
            } else {
                format!(
                    "{name} {mode:o} {:?}",
                    std::fs::read_to_string(entry.path()).unwrap()
                )
            });
        }
    }
    lines.sort();
    lines
}

const EVERYTHING: &str = "echo A > a; rm b; mkdir -p new/deep; echo n > new/deep/n; ln -sf b l; rm -r d/e; echo file > d/e; \
    mkdir f; chmod 600 d/x; chmod +x a; printf 'bin\\0ary' > bin";

#[test]
fn everything_is_applied_and_nothing_is_left_to_apply() {
    let (directory, sandbox) = mounted();
    run(&sandbox, EVERYTHING);
    assert_eq!(
        host(&directory, "a").as_deref(),
        Some("a\n"),
        "not before it is applied"
    );
    assert_eq!(
        changed(&sandbox),
        [
            "Modified /w/a",
            "Removed /w/b",
            "Added /w/bin",
            "TypeChanged /w/d/e",
            "Removed /w/d/e/y",
            "AttributesChanged /w/d/x",
            "Added /w/f",
            "Modified /w/l",
            "Added /w/new",
            "Added /w/new/deep",
            "Added /w/new/deep/n",
        ]
    );
    let applied = sandbox.apply("/w", [""; 0]).unwrap();
    assert_eq!(applied.refused, []);
    assert_eq!(applied.applied.len(), 11);
    assert_eq!(changed(&sandbox), [""; 0]);
    assert_eq!(
        all(directory.path()),
        [
            "a 755 \"A\\n\"",
            "bin 644 \"bin\\0ary\"",
            "d/ 755",
            "d/e 644 \"file\\n\"",
            "d/x 600 \"x\\n\"",
            "f/ 755",
            "l -> b",
            "new/ 755",
            "new/deep/ 755",
            "new/deep/n 644 \"n\\n\"",
        ]
    );
    // From then on the host's edits are seen again.
    std::fs::write(directory.path().join("a"), "host\n").unwrap();
    std::fs::write(directory.path().join("new/deep/n"), "host\n").unwrap();
    assert_eq!(
        run(&sandbox, "cat a new/deep/n; ls"),
        "host\nhost\na\nbin\nd\nf\nl\nnew\n"
    );
}

#[test]
fn guarded_paths_are_marked_and_applied_only_if_that_is_asked_for() {
    let (directory, sandbox) = mounted();
    run(
        &sandbox,
        "mkdir .vscode; echo task > .vscode/tasks.json; echo run > .envrc; echo plain > new; ln -s /etc/passwd out",
    );
    let path = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
    let changes = sandbox
        .mount_changes("/w", &Selection::default())
        .unwrap()
        .changes;
    let marked = changes.iter().filter(|change| change.guarded);
    let guarded = ["/w/.envrc", "/w/.vscode", "/w/.vscode/tasks.json"];
    assert_eq!(
        marked.map(|change| path(&change.path)).collect::<Vec<_>>(),
        guarded
    );
    let link = changes
        .iter()
        .find(|change| change.path == b"/w/out")
        .unwrap();
    assert_eq!(link.target.as_deref(), Some(&b"/etc/passwd"[..]));
    let applied = sandbox.apply("/w", [""; 0]).unwrap();
    assert!(!applied.done && applied.applied.is_empty());
    assert_eq!(host(&directory, "new"), None, "all or nothing");
    let applied = sandbox.apply_with("/w", [""; 0], &partial()).unwrap();
    assert_eq!(applied.applied.len(), 1);
    assert!(
        applied
            .refused
            .iter()
            .all(|refused| refused.why == Errno::Perm)
    );
    let refused = applied.refused.iter().filter(|refused| refused.guarded);
    assert_eq!(
        refused
            .map(|refused| path(&refused.path))
            .collect::<Vec<_>>(),
        guarded
    );
    assert_eq!(host(&directory, ".envrc"), None);
    let mut guarded = partial();
    guarded.guarded = true;
    let applied = sandbox.apply_with("/w", [""; 0], &guarded).unwrap();
    assert_eq!(applied.applied.len(), 3);
    let left = applied
        .refused
        .iter()
        .map(|refused| (path(&refused.path), refused.guarded));
    assert_eq!(left.collect::<Vec<_>>(), [("/w/out".to_owned(), false)]);
    assert_eq!(host(&directory, ".vscode/tasks.json").unwrap(), "task\n");
}

#[test]
fn a_preview_over_a_directory_that_is_written_to_commits_no_guarded_path() {
    for guarded in [true, false] {
        let directory = tempfile::tempdir().unwrap();
        let mount = Mount::host(directory.path(), "/w", MountAccess::ReadWrite);
        let mut options = Options::default();
        options.mounts = vec![if guarded { mount } else { mount.unguarded() }];
        options.cwd = "/w".into();
        let sandbox = Sandbox::create(options).unwrap();
        let direct = sandbox.run_blocking("echo x > .envrc").unwrap();
        assert_eq!(direct.stderr_text().contains("not permitted"), guarded);
        assert_eq!(host(&directory, ".envrc").is_none(), guarded);
        run(&sandbox, "mkdir -p a; echo fine > a/b; ln -sf b a/c");
        let script = sandbox.script("mkdir .vscode; echo ok > good");
        let preview = script.preview_blocking().unwrap();
        assert_eq!(preview.commit().is_err(), guarded);
        assert_eq!(
            host(&directory, "good").is_none(),
            guarded,
            "all or nothing"
        );
        assert_eq!(directory.path().join(".vscode").exists(), !guarded);
    }
}

#[test]
fn single_paths_are_applied_with_the_directories_they_need() {
    let (directory, sandbox) = mounted();
    run(&sandbox, EVERYTHING);
    let applied = sandbox.apply("/w", ["/w/new/deep/n", "/w/b"]).unwrap();
    assert_eq!(
        (applied.applied.len(), applied.refused.len()),
        (4, 0),
        "{applied:?}"
    );
    assert_eq!(host(&directory, "new/deep/n").as_deref(), Some("n\n"));
    assert_eq!(
        (host(&directory, "b"), host(&directory, "a").as_deref()),
        (None, Some("a\n"))
    );
    assert_eq!(changed(&sandbox).len(), 7);
    assert_eq!(run(&sandbox, "cat a new/deep/n d/e"), "A\nn\nfile\n");
}

#[test]
fn what_the_host_has_changed_since_is_refused() {
    let (directory, sandbox) = mounted();
    run(&sandbox, "cat a > /dev/null; echo added > added");
    for (name, text) in [("a", "host\n"), ("added", "host\n"), ("d/e/new", "host\n")] {
        std::fs::write(directory.path().join(name), text).unwrap();
    }
    // Written without another look at what is there now.
    run(
        &sandbox,
        "echo agent > a; rm -f d/e/y; rmdir d/e 2>/dev/null; echo B > b",
    );
    std::fs::write(directory.path().join("b"), "host, later\n").unwrap();
    let applied = sandbox.apply_with("/w", [""; 0], &partial()).unwrap();
    let refused: Vec<_> = applied
        .refused
        .iter()
        .map(|refused| {
            (
                String::from_utf8_lossy(&refused.path).into_owned(),
                refused.why,
            )
        })
        .collect();
    let expected = ["/w/a", "/w/added", "/w/b"].map(|path| (path.to_owned(), Errno::Stale));
    assert_eq!(refused, expected);
    for (name, text) in [
        ("a", "host\n"),
        ("added", "host\n"),
        ("d/e/new", "host\n"),
        ("b", "host, later\n"),
    ] {
        assert_eq!(host(&directory, name).as_deref(), Some(text), "{name}");
    }
    assert_eq!(
        run(&sandbox, "cat a added b"),
        "agent\nadded\nB\n",
        "the sandbox keeps its own"
    );
    // Read again, it can be written again.
    sandbox.discard("/w", ["/w/a"]).unwrap();
    run(&sandbox, "sed -i 's/host/both/' a");
    assert_eq!(sandbox.apply("/w", ["/w/a"]).unwrap().refused, []);
    assert_eq!(host(&directory, "a").as_deref(), Some("both\n"));
}

#[test]
fn a_directory_with_something_new_of_the_host_is_not_removed() {
    let (directory, sandbox) = mounted();
    run(&sandbox, "rm -r d");
    std::fs::write(directory.path().join("d/e/late"), "host\n").unwrap();
    let applied = sandbox.apply_with("/w", [""; 0], &partial()).unwrap();
    let refused: Vec<_> = applied
        .refused
        .iter()
        .map(|refused| &refused.path[..])
        .collect();
    assert_eq!(
        refused,
        [&b"/w/d"[..], b"/w/d/e", b"/w/d/e/late"],
        "{applied:?}"
    );
    assert_eq!(host(&directory, "d/e/late").as_deref(), Some("host\n"));
}

#[test]
fn dropped_changes_show_what_the_host_has() {
    let (directory, sandbox) = mounted();
    let before = all(directory.path());
    run(&sandbox, EVERYTHING);
    let dropped = sandbox.discard("/w", ["/w/a", "/w/d", "/w/new"]).unwrap();
    assert_eq!(dropped.len(), 7, "{dropped:?}");
    assert_eq!(
        run(&sandbox, "cat a d/x d/e/y; stat -c %a d/x; ls"),
        "a\nx\ny\n644\na\nbin\nd\nf\nl\n"
    );
    sandbox.discard("/w", [""; 0]).unwrap();
    assert_eq!(changed(&sandbox), [""; 0]);
    assert_eq!(run(&sandbox, "cat b; readlink l; ls"), "b\na\na\nb\nd\nl\n");
    assert_eq!(all(directory.path()), before);
}

#[test]
fn a_directory_made_anew_is_applied_and_dropped_in_parts() {
    let (directory, sandbox) = mounted();
    run(&sandbox, "rm -r d; mkdir d; echo new > d/x; echo z > d/z");
    assert_eq!(
        changed(&sandbox),
        [
            "Removed /w/d/e",
            "Removed /w/d/e/y",
            "Modified /w/d/x",
            "Added /w/d/z"
        ]
    );
    sandbox.discard("/w", ["/w/d/x"]).unwrap();
    assert_eq!(run(&sandbox, "cat d/x d/z; ls d"), "x\nz\nx\nz\n");
    sandbox.apply("/w", ["/w/d/z"]).unwrap();
    assert_eq!(host(&directory, "d/z").as_deref(), Some("z\n"));
    assert_eq!(host(&directory, "d/e/y").as_deref(), Some("y\n"));
    assert_eq!(changed(&sandbox), ["Removed /w/d/e", "Removed /w/d/e/y"]);
}

#[test]
fn wrong_paths_and_running_processes_are_refused() {
    let (directory, sandbox) = mounted();
    let argument = |error: codepod::Error| {
        assert!(
            matches!(error.kind(), ErrorKind::InvalidArgument(_)),
            "{error}"
        )
    };
    argument(sandbox.apply("/x", [""; 0]).unwrap_err());
    argument(sandbox.apply("/proc", [""; 0]).unwrap_err());
    argument(sandbox.apply("/w", ["/wrong/a"]).unwrap_err());
    argument(sandbox.discard("/w", ["a"]).unwrap_err());
    run(&sandbox, "echo A > a; sleep 60 & sleep 0");
    let error = sandbox.apply("/w", [""; 0]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Busy { .. }), "{error}");
    assert_eq!(host(&directory, "a").as_deref(), Some("a\n"));
    sandbox.kill_all().unwrap();
    support::assert_idle(&sandbox);
    sandbox.apply("/w", ["/w/./a", "/w//a"]).unwrap();
}

#[test]
fn a_link_that_the_host_swaps_in_leads_nowhere() {
    let (directory, sandbox) = mounted();
    let outside = tempfile::tempdir().unwrap();
    run(&sandbox, "echo evil > d/x; echo evil > d/new");
    std::fs::rename(directory.path().join("d"), directory.path().join("moved")).unwrap();
    std::os::unix::fs::symlink(outside.path(), directory.path().join("d")).unwrap();
    let applied = sandbox.apply("/w", [""; 0]);
    assert!(applied.is_err() || !applied.unwrap().refused.is_empty());
    assert_eq!(all(outside.path()), [""; 0]);
}

#[test]
fn changes_between_runs_are_told_across_an_overlay() {
    let (_directory, sandbox) = mounted();
    run(&sandbox, "echo A > a");
    run(&sandbox, "echo AA > a; rm -r d; mkdir d; echo new > d/x");
    let changes = sandbox
        .changes(codepod::Moment::Before(2), codepod::Moment::Now)
        .unwrap();
    let lines: Vec<String> = changes.iter().map(ToString::to_string).collect();
    assert_eq!(lines, ["M /w/a", "D /w/d/e", "D /w/d/e/y", "M /w/d/x"]);
    sandbox.undo(1).unwrap();
    assert_eq!(run(&sandbox, "cat a d/x d/e/y"), "A\nx\ny\n");
}

/// What a sandbox has seen of host files is saved with it: after a load its changes go where nobody
/// has changed the host's file meanwhile, and nowhere else, files that it had only read included.
#[test]
fn an_apply_after_a_load_refuses_what_the_host_has_changed() {
    let (host, kept) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for name in ["same", "edited", "read", "read-same"] {
        std::fs::write(host.path().join(name), format!("{name} of the host\n")).unwrap();
    }
    let open = || {
        let mut options = Options::default();
        options.mounts = vec![Mount::host(host.path(), "/work", MountAccess::Overlay)];
        options.persistence = Persistence::Persistent(Persistent::new(kept.path(), "seen"));
        Sandbox::create(options).unwrap()
    };
    let one = open();
    let script = "cd /work; for f in same edited; do echo mine >> $f; done; cat read read-same > /dev/null; echo x > new";
    assert_eq!(one.run_blocking(script).unwrap().exit_code, 0);
    let hash = one.state_hash().unwrap();
    drop(one);

    std::fs::write(host.path().join("edited"), "by somebody else\n").unwrap();
    std::fs::write(host.path().join("read"), "also by somebody else\n").unwrap();
    let two = open();
    assert_eq!(two.state_hash().unwrap(), hash);
    // Written without being read again: what counts is what the sandbox saw before it was saved.
    let script = "cd /work; echo over > read; echo over > read-same";
    assert_eq!(two.run_blocking(script).unwrap().exit_code, 0);
    let applied = two.apply_with("/work", [""; 0], &partial()).unwrap();
    let names = |paths: Vec<&[u8]>| {
        paths
            .iter()
            .map(|p| String::from_utf8_lossy(p).into_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names(
            applied
                .applied
                .iter()
                .map(|change| &change.path[..])
                .collect()
        ),
        ["/work/new", "/work/read-same", "/work/same"]
    );
    assert_eq!(
        names(
            applied
                .refused
                .iter()
                .map(|refused| &refused.path[..])
                .collect()
        ),
        ["/work/edited", "/work/read"]
    );
    let read = |name: &str| std::fs::read_to_string(host.path().join(name)).unwrap();
    assert_eq!(read("edited"), "by somebody else\n");
    assert_eq!(read("read"), "also by somebody else\n");
    assert_eq!(read("read-same"), "over\n");
    assert_eq!(read("same"), "same of the host\nmine\n");
}
