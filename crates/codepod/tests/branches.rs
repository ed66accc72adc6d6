//! Previews and branches: forks that are looked at, kept, merged or dropped.

mod support;

use codepod::{ChangeKind, ErrorKind, Moment, Mount, MountAccess, Options, Sandbox};
use support::text;

fn sandbox() -> Sandbox {
    Sandbox::create(Options::default()).unwrap()
}

#[test]
fn a_preview_tells_what_would_happen_and_nothing_has() {
    let sandbox = sandbox();
    text(&sandbox, "echo old > f; v=1");
    let preview = sandbox
        .script("echo new > f; echo more > g; v=2; echo done; exit 3")
        .preview_blocking()
        .unwrap();
    assert_eq!(
        (
            preview.result.stdout_text().as_ref(),
            preview.result.exit_code
        ),
        ("done\n", 3)
    );
    let changes = preview.changes().unwrap();
    let lines: Vec<String> = changes.iter().map(ToString::to_string).collect();
    assert_eq!(lines, ["M /home/user/f", "A /home/user/g"]);
    assert_eq!(text(&sandbox, "cat f; ls; echo $v"), "old\nf\n1\n");
    drop(preview);
    assert_eq!(text(&sandbox, "cat f"), "old\n");
}

#[test]
fn a_preview_is_committed_and_undone() {
    let sandbox = sandbox();
    text(&sandbox, "v=1");
    let preview = sandbox
        .script("echo new > f; v=2; cd /tmp")
        .preview_blocking()
        .unwrap();
    let result = preview.commit().unwrap();
    assert_eq!((result.run, result.exit_code), (2, 0));
    assert_eq!(text(&sandbox, "cat ~/f; echo $v $PWD"), "new\n2 /tmp\n");
    sandbox.undo(2).unwrap();
    assert_eq!(text(&sandbox, "ls; echo $v $PWD"), "1 /home/user\n");
}

#[test]
fn a_preview_of_something_that_has_changed_since_is_not_committed() {
    let sandbox = sandbox();
    let preview = sandbox.script("echo new > f").preview_blocking().unwrap();
    sandbox.write_file("f", "theirs").unwrap();
    let error = preview.commit().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Changed), "{error}");
    assert_eq!(sandbox.read_file("f").unwrap(), b"theirs");
    // A variable counts as well.
    let preview = sandbox.script("true").preview_blocking().unwrap();
    text(&sandbox, "x=1");
    assert!(matches!(
        preview.commit().unwrap_err().kind(),
        ErrorKind::Changed
    ));
}

/// A host directory with a file, and a sandbox that writes to it.
fn on_host() -> (tempfile::TempDir, Sandbox) {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("f"), "host\n").unwrap();
    let mut options = Options::default();
    options.mounts = vec![Mount::host(
        directory.path(),
        "/mnt/h",
        MountAccess::ReadWrite,
    )];
    (directory, Sandbox::create(options).unwrap())
}

#[test]
fn a_preview_reaches_the_host_only_when_it_is_committed() {
    let (directory, sandbox) = on_host();
    let host = |name: &str| std::fs::read_to_string(directory.path().join(name)).ok();
    let script = "cd /mnt/h; sed -i s/host/agent/ f; echo new > g; echo own > ~/own";
    let preview = sandbox.script(script).preview_blocking().unwrap();
    let lines: Vec<String> = preview
        .changes()
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(lines, ["A /home/user/own", "M /mnt/h/f", "A /mnt/h/g"]);
    assert_eq!((host("f").as_deref(), host("g")), (Some("host\n"), None));
    preview.commit().unwrap();
    assert_eq!(
        (host("f").as_deref(), host("g").as_deref()),
        (Some("agent\n"), Some("new\n"))
    );
    assert_eq!(
        text(&sandbox, "cat f g ~/own; pwd"),
        "agent\nnew\nown\n/mnt/h\n"
    );
    // From then on it writes to the host again.
    text(&sandbox, "echo direct > f");
    assert_eq!(host("f").as_deref(), Some("direct\n"));
}

#[test]
fn a_preview_is_not_committed_over_an_edit_of_the_host() {
    let (directory, sandbox) = on_host();
    let preview = sandbox
        .script("echo agent >> /mnt/h/f; echo x > /mnt/h/x; echo y > y")
        .preview_blocking()
        .unwrap();
    std::fs::write(directory.path().join("f"), "edited\n").unwrap();
    let error = preview.commit().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Changed), "{error}");
    assert_eq!(
        std::fs::read_to_string(directory.path().join("f")).unwrap(),
        "edited\n"
    );
    assert_eq!(
        std::fs::read_dir(directory.path()).unwrap().count(),
        1,
        "nothing of it has happened"
    );
    assert_eq!(text(&sandbox, "ls; cat /mnt/h/f"), "edited\n");
}

/// Everything below a directory: names, what they hold, modes and times.
fn listed(directory: &std::path::Path) -> Vec<String> {
    use std::os::unix::fs::MetadataExt as _;
    let mut found = Vec::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(at) = open.pop() {
        for entry in std::fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            let stat = path.symlink_metadata().unwrap();
            let name = path.strip_prefix(directory).unwrap().display().to_string();
            let (mode, time) = (stat.mode(), (stat.mtime(), stat.mtime_nsec()));
            if stat.is_dir() {
                found.push(format!("{name} {mode:o}"));
                open.push(path);
            } else if stat.is_symlink() {
                let target = std::fs::read_link(&path).unwrap();
                found.push(format!("{name} -> {}", target.display()));
            } else {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push(format!("{name} {mode:o} {time:?} {text:?}"));
            }
        }
    }
    found.sort();
    found
}

/// The last change cannot be applied, a named pipe, in the second of two directories: all before it
/// are taken back.
#[test]
fn a_preview_reaches_all_of_the_host_or_nothing() {
    let hosts = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    for host in &hosts {
        for name in ["changed", "gone", "mode", "becomes-dir", "dir/inner"] {
            let path = host.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, format!("{name} of the host\n")).unwrap();
        }
        std::fs::create_dir(host.path().join("becomes-file")).unwrap();
        std::fs::create_dir(host.path().join("empty")).unwrap();
        std::os::unix::fs::symlink("changed", host.path().join("link")).unwrap();
    }
    let mut options = Options::default();
    options.mounts = ["/a", "/b"]
        .into_iter()
        .zip(&hosts)
        .map(|(at, host)| Mount::host(host.path(), at, MountAccess::ReadWrite))
        .collect();
    let sandbox = Sandbox::create(options).unwrap();
    text(&sandbox, "echo own > own");
    let script = "for at in /a /b; do cd $at; echo x >> changed; rm gone; chmod 755 mode; rm becomes-dir; mkdir becomes-dir; \
        echo y > becomes-dir/f; rmdir becomes-file; echo z > becomes-file; rmdir empty; rm link; ln -s gone link; \
        rm -r dir; mkdir -p new/deep; echo w > new/deep/f; done; echo changed > ~/own";
    let before: Vec<_> = hosts.iter().map(|host| listed(host.path())).collect();
    let runs = sandbox.history().len();
    let hash = sandbox.state_hash().unwrap();

    let preview = sandbox
        .script(format!("{script}; mkfifo /b/zz"))
        .preview_blocking()
        .unwrap();
    assert_eq!(
        preview.result.exit_code,
        0,
        "{}",
        preview.result.stderr_text()
    );
    let error = preview.commit().unwrap_err();
    assert!(error.to_string().contains("/b/zz"), "{error}");
    for (host, before) in hosts.iter().zip(&before) {
        assert_eq!(listed(host.path()), *before);
    }
    assert_eq!(sandbox.history().len(), runs);
    assert_eq!(sandbox.state_hash().unwrap(), hash);
    assert_eq!(
        text(&sandbox, "cat ~/own; cat /a/changed"),
        "own\nchanged of the host\n"
    );

    // Without the pipe all of it is there, and nothing else.
    let preview = sandbox.script(script).preview_blocking().unwrap();
    preview.commit().unwrap();
    for (host, before) in hosts.iter().zip(&before) {
        let after = listed(host.path());
        assert_ne!(after, *before);
        assert!(
            after.iter().all(|line| !line.contains(".codepod")),
            "{after:?}"
        );
        let names: Vec<_> = after
            .iter()
            .map(|line| line.split(' ').next().unwrap())
            .collect();
        let wanted =
            "becomes-dir becomes-dir/f becomes-file changed link mode new new/deep new/deep/f";
        assert_eq!(names.join(" "), wanted);
    }
    assert_eq!(text(&sandbox, "cat ~/own /a/new/deep/f"), "changed\nw\n");
}

#[test]
fn of_several_branches_one_is_kept() {
    let sandbox = sandbox();
    text(&sandbox, "echo start > f");
    let forks = sandbox.forks(4).unwrap();
    std::thread::scope(|scope| {
        for (n, fork) in forks.iter().enumerate() {
            scope.spawn(move || text(fork, &format!("echo {n} >> f; n={n}")));
        }
    });
    sandbox.adopt(&forks[2]).unwrap();
    assert_eq!(text(&sandbox, "cat f; echo $n"), "start\n2\n2\n");
    // The fork goes its own way from then on.
    text(&forks[2], "echo later >> f");
    assert_eq!(text(&sandbox, "cat f"), "start\n2\n");
    sandbox.undo(3).unwrap();
    assert_eq!(text(&sandbox, "cat f"), "start\n");
}

#[test]
fn a_merge_takes_what_only_the_other_changed_and_tells_the_rest() {
    let sandbox = sandbox();
    text(
        &sandbox,
        "mkdir d gone; for f in both same theirs removed kept d/x gone/a; do echo base > $f; done",
    );
    let base = sandbox.snapshot().unwrap();
    let fork = sandbox.fork().unwrap();
    text(
        &fork,
        "echo t > both; echo s > same; echo t > theirs; rm removed; mkdir -p new/deep; echo n > new/deep/n; rm -r gone; chmod 700 d; echo t > d/y",
    );
    text(
        &sandbox,
        "echo o > both; echo s > same; echo o > kept; echo o > gone/b; mkdir new; echo o > new/o",
    );
    let merged = sandbox.merge(&base, &fork).unwrap();
    let taken: Vec<String> = merged.taken.iter().map(ToString::to_string).collect();
    assert_eq!(
        taken,
        [
            "P /home/user/d",
            "A /home/user/d/y",
            "D /home/user/gone/a",
            "A /home/user/new/deep",
            "A /home/user/new/deep/n",
            "D /home/user/removed",
            "M /home/user/theirs",
        ]
    );
    assert_eq!(merged.same, [&b"/home/user/new"[..], b"/home/user/same"]);
    let conflicts: Vec<_> = merged
        .conflicts
        .iter()
        .map(|conflict| {
            (
                String::from_utf8_lossy(&conflict.path).into_owned(),
                conflict.ours,
                conflict.theirs,
            )
        })
        .collect();
    assert_eq!(
        conflicts,
        [
            (
                "/home/user/both".into(),
                ChangeKind::Modified,
                ChangeKind::Modified
            ),
            (
                "/home/user/gone".into(),
                ChangeKind::Added,
                ChangeKind::Removed
            ),
        ]
    );
    assert_eq!(
        text(
            &sandbox,
            "cat both same theirs kept new/deep/n new/o gone/b d/y; ls gone; stat -c %a d; ls removed 2>/dev/null"
        ),
        "o\ns\nt\no\nn\no\no\nt\nb\n700\n"
    );
    // The merge is a run that can be undone.
    sandbox.undo(2).unwrap();
    assert_eq!(text(&sandbox, "cat theirs removed"), "base\nbase\n");
    assert_eq!(sandbox.changes(&base, Moment::Now).unwrap().len(), 6);
}

#[test]
fn what_lies_below_a_path_that_is_no_directory_here_conflicts() {
    let sandbox = sandbox();
    text(&sandbox, "mkdir d; echo a > d/a");
    let base = sandbox.snapshot().unwrap();
    let fork = sandbox.fork().unwrap();
    text(&fork, "echo b > d/b; echo A > d/a");
    text(&sandbox, "rm -r d; echo file > d");
    let merged = sandbox.merge(&base, &fork).unwrap();
    assert_eq!(merged.taken, []);
    assert_eq!(merged.conflicts.len(), 2, "{merged:?}");
    assert_eq!(text(&sandbox, "cat d"), "file\n");
}
