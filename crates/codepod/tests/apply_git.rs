//! Applying what a sandbox did in a repository, with the host's git on the other side: afterwards
//! the host's `git status` is what the sandbox's was, or nothing has happened.

mod support;

use std::path::Path;
use std::process::Command;

use codepod::{Applied, ApplyOptions, Mount, MountAccess, Options, Resolve, Sandbox};
use tempfile::TempDir;

/// Runs the host's git.
fn git(at: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=Host", "-c", "user.email=host@example.org"])
        .args(arguments)
        .current_dir(at)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

fn write(at: &Path, name: &str, text: &str) {
    std::fs::create_dir_all(at.join(name).parent().unwrap()).unwrap();
    std::fs::write(at.join(name), text).unwrap();
}

fn read(at: &Path, name: &str) -> String {
    std::fs::read_to_string(at.join(name)).unwrap()
}

/// A repository with two commits, and a sandbox that has it at `/work`.
fn repository() -> (TempDir, Sandbox) {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    git(at, &["init", "-q", "-b", "main"]);
    git(at, &["config", "user.name", "Test"]);
    git(at, &["config", "user.email", "test@example.org"]);
    for name in ["f1.txt", "f2.txt", "src/a.txt"] {
        write(at, name, "one\ntwo\nthree\nfour\nfive\n");
    }
    write(at, ".gitignore", "*.log\nbuild/\n");
    git(at, &["add", "."]);
    git(at, &["commit", "-qm", "first"]);
    write(at, "f1.txt", "one\ntwo\nthree\nfour\nfive\nsix\n");
    git(at, &["commit", "-qam", "second"]);
    let sandbox = over(at);
    (directory, sandbox)
}

fn over(at: &Path) -> Sandbox {
    let mut options = Options::default();
    options.mounts = vec![Mount::host(at, "/work", MountAccess::Overlay)];
    options.cwd = "/work".into();
    Sandbox::create(options).unwrap()
}

fn run(sandbox: &Sandbox, script: &str) -> String {
    let result = sandbox.run_blocking(script).unwrap();
    let told = result.stderr_text();
    assert_eq!(result.exit_code, 0, "{script}: {told}");
    result.stdout_text().into_owned()
}

fn apply(sandbox: &Sandbox, resolve: Resolve, partial: bool) -> Applied {
    let mut options = ApplyOptions::default();
    (options.resolve, options.partial) = (resolve, partial);
    sandbox.apply_with("/work", [""; 0], &options).unwrap()
}

/// Applies everything, and the host's git says what the sandbox's did.
fn applied_whole(at: &Path, sandbox: &Sandbox) -> Applied {
    const LOOK: &str = "git status --short --branch; git log --oneline --all; git stash list";
    let inside = run(sandbox, LOOK);
    let applied = apply(sandbox, Resolve::Merge, false);
    assert_eq!(applied.refused, []);
    assert!(applied.done);
    let mut outside = git(at, &["status", "--short", "--branch"]);
    outside += &git(at, &["log", "--oneline", "--all"]);
    outside += &git(at, &["stash", "list"]);
    assert_eq!(outside, inside);
    git(at, &["fsck", "--strict"]);
    let left = sandbox.mount_changes("/work", &codepod::Selection::default());
    assert_eq!(left.unwrap().changes, []);
    applied
}

/// Everything in a directory, by path and content.
fn everything(at: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![at.to_path_buf()];
    while let Some(path) = open.pop() {
        for entry in std::fs::read_dir(path).unwrap() {
            let entry = entry.unwrap().path();
            match entry.is_dir() {
                true => open.push(entry),
                false => {
                    let content = std::fs::read(&entry).unwrap();
                    found.push((entry.display().to_string(), content));
                }
            }
        }
    }
    found.sort();
    found
}

/// B5: one `git status` on the host refreshes the index.
#[test]
fn a_refreshed_index_of_the_host_is_no_conflict() {
    let (directory, sandbox) = repository();
    let at = directory.path();
    run(&sandbox, "echo new >> f1.txt; git commit -qam change");
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
    let file = std::fs::File::options()
        .append(true)
        .open(at.join("f2.txt"));
    file.unwrap().set_modified(later).unwrap();
    let before = std::fs::read(at.join(".git/index")).unwrap();
    git(at, &["status"]);
    assert_ne!(std::fs::read(at.join(".git/index")).unwrap(), before);
    applied_whole(at, &sandbox);
    assert_eq!(git(at, &["status", "--short"]), "");
    assert!(read(at, "f1.txt").ends_with("six\nnew\n"));
}

#[test]
fn commits_branches_stashes_and_packed_references_are_applied() {
    for script in [
        "echo x > new.txt; git add new.txt; echo y >> new.txt",
        "git switch -qc topic; echo t > t; git add t; git commit -qm topic",
        "git switch -qc topic; git rm -q f2.txt; git commit -qm gone; git switch -q main",
        "echo wip >> f1.txt; git stash -q",
        "git pack-refs --all; git branch a/b; git tag v1",
        "git branch a; git pack-refs --all; git branch -qD a; git branch a/b",
        "git mv f1.txt moved.txt; git commit -qm moved; git reset -q --soft HEAD~1",
        "git checkout -q HEAD~1; echo d > d",
        "git switch -qc one HEAD~1; echo 1 > o; git add o; git commit -qm o; git switch -q main; git merge -q one -m m",
        "git gc -q; echo z > z; git add z; git commit -qm z",
    ] {
        let (directory, sandbox) = repository();
        run(&sandbox, script);
        applied_whole(directory.path(), &sandbox);
    }
}

#[test]
fn references_that_the_host_has_packed_are_the_same_references() {
    let (directory, sandbox) = repository();
    let at = directory.path();
    run(&sandbox, "echo new >> f1.txt; git commit -qam change");
    git(at, &["pack-refs", "--all"]);
    applied_whole(at, &sandbox);
}

#[test]
fn a_worktree_made_in_the_sandbox_and_one_of_the_host_go_on() {
    let (directory, sandbox) = repository();
    let at = directory.path();
    git(at, &["worktree", "add", "-q", "wt", "-b", "side"]);
    run(
        &sandbox,
        "echo new >> f1.txt; git add f1.txt; git commit -qm change",
    );
    // Paths of worktrees are guarded, and the host's leads to a place that the sandbox has not.
    applied_whole(at, &sandbox);
    assert_eq!(git(&at.join("wt"), &["status", "--short"]), "");
    write(&at.join("wt"), "w", "w\n");
    git(&at.join("wt"), &["add", "w"]);
    git(&at.join("wt"), &["commit", "-qm", "w"]);
}

/// Both have committed: the repository is left alone as a whole, and so is everything else.
#[test]
fn commits_on_both_sides_are_refused_whole() {
    for (host, name) in [
        (&["commit", "-qam", "of the host"][..], "refs/heads/main"),
        (&["switch", "-qc", "other"], "HEAD"),
        (&["add", "f2.txt"], "index"),
    ] {
        let (directory, sandbox) = repository();
        let at = directory.path();
        run(
            &sandbox,
            "git status; echo new >> src/a.txt; git commit -qam change",
        );
        write(at, "f2.txt", "host\n");
        git(at, host);
        let before = everything(at);
        let applied = apply(&sandbox, Resolve::Merge, false);
        assert!(!applied.done, "{host:?}: {applied:?}");
        let [refused] = &applied.refused[..] else {
            panic!("{host:?}: {applied:?}");
        };
        assert_eq!(refused.path, b"/work/.git");
        assert!(refused.reason.contains(name), "{host:?}: {refused:?}");
        assert!(before == everything(at), "{host:?}: nothing is written");
        // The files alone, and the host's repository as it is.
        let log = git(at, &["log", "--oneline", "--all"]);
        let applied = apply(&sandbox, Resolve::Ours, false);
        assert!(applied.done && applied.lost.len() == 1, "{applied:?}");
        assert_eq!(git(at, &["log", "--oneline", "--all"]), log);
        assert!(read(at, "src/a.txt").ends_with("five\nnew\n"));
        // By force, what the host did is lost, and the sandbox's commit is there.
        let applied = apply(&sandbox, Resolve::Force, false);
        assert!(applied.done && applied.lost.len() == 1, "{applied:?}");
        assert!(git(at, &["log", "--oneline", "main"]).contains("change"));
        git(at, &["fsck"]);
    }
}

#[test]
fn a_git_at_work_on_the_host_is_waited_for() {
    let (directory, sandbox) = repository();
    let at = directory.path();
    run(&sandbox, "echo new >> f1.txt; git commit -qam change");
    write(at, ".git/index.lock", "half an index");
    let applied = apply(&sandbox, Resolve::Merge, false);
    assert!(
        applied.refused[0].reason.contains("index.lock"),
        "{applied:?}"
    );
    std::fs::remove_file(at.join(".git/index.lock")).unwrap();
    applied_whole(at, &sandbox);
}

#[test]
fn a_part_of_a_repository_is_not_applied() {
    let (directory, sandbox) = repository();
    let at = directory.path();
    run(&sandbox, "echo new >> f1.txt; git commit -qam change");
    let before = everything(at);
    let applied = sandbox.apply("/work", ["/work/.git/refs"]).unwrap();
    assert!(
        applied.refused[0].reason.contains("as a whole"),
        "{applied:?}"
    );
    assert!(before == everything(at));
    assert!(sandbox.apply("/work", ["/work/.git"]).unwrap().done);
    assert_eq!(
        git(at, &["status", "--short"]),
        " M f1.txt\n",
        "committed, not checked out"
    );
}

/// What only the sandbox's index remembers of files is no change of the repository.
#[test]
fn an_index_that_the_sandbox_has_refreshed_is_given_up() {
    let (directory, sandbox) = repository();
    let at = directory.path();
    run(&sandbox, "touch f1.txt; git status; echo x > x");
    let before = std::fs::read(at.join(".git/index")).unwrap();
    let applied = apply(&sandbox, Resolve::Merge, false);
    let paths: Vec<_> = applied
        .applied
        .iter()
        .map(|change| &change.path[..])
        .collect();
    assert_eq!(paths, [&b"/work/x"[..]], "{applied:?}");
    assert_eq!(std::fs::read(at.join(".git/index")).unwrap(), before);
}

#[test]
fn texts_that_both_have_changed_are_merged() {
    for change in [
        "sed -i s/one/ONE/ f2.txt",
        "sed s/one/ONE/ f2.txt > t; mv t f2.txt",
        "sed s/one/ONE/ f2.txt > t; rm f2.txt; mv t f2.txt",
        "t=$(sed s/one/ONE/ f2.txt); echo \"$t\" > f2.txt",
        "git rm -q --cached f2.txt; rm f2.txt; git checkout -q HEAD f2.txt; sed -i s/one/ONE/ f2.txt",
    ] {
        let (directory, sandbox) = repository();
        let at = directory.path();
        run(&sandbox, change);
        write(at, "f2.txt", "one\ntwo\nthree\nfour\nFIVE\n");
        let applied = apply(&sandbox, Resolve::Merge, false);
        assert_eq!(applied.merged, [b"/work/f2.txt"], "{change}: {applied:?}");
        assert_eq!(
            read(at, "f2.txt"),
            "ONE\ntwo\nthree\nfour\nFIVE\n",
            "{change}"
        );
        assert_eq!(run(&sandbox, "cat f2.txt"), "ONE\ntwo\nthree\nfour\nFIVE\n");
    }
}

#[test]
fn the_same_lines_are_a_conflict_that_one_side_may_win() {
    let resolved = |resolve| {
        let (directory, sandbox) = repository();
        let at = directory.path();
        run(
            &sandbox,
            "sed -i 's/one/sandbox/; s/five/end/' f2.txt; echo new > new; rm src/a.txt",
        );
        write(at, "f2.txt", "host\ntwo\nthree\nfour\nfive\n");
        write(at, "src/a.txt", "edited\n");
        let before = everything(at);
        let applied = apply(&sandbox, resolve, false);
        if !applied.done {
            assert!(before == everything(at), "nothing is written");
        }
        let gone = !at.join("src/a.txt").exists();
        let lost: Vec<_> = applied.lost.iter().map(|lost| lost.what.clone()).collect();
        (
            read(at, "f2.txt"),
            gone,
            at.join("new").exists(),
            lost,
            applied,
        )
    };
    let (text, gone, new, _, applied) = resolved(Resolve::Merge);
    assert_eq!(
        (&*text, gone, new),
        ("host\ntwo\nthree\nfour\nfive\n", false, false)
    );
    let refused: Vec<_> = applied
        .refused
        .iter()
        .map(|refused| &refused.path[..])
        .collect();
    assert_eq!(refused, [&b"/work/f2.txt"[..], b"/work/src/a.txt"]);
    let (text, gone, new, lost, _) = resolved(Resolve::Ours);
    assert_eq!(
        (&*text, gone, new),
        ("host\ntwo\nthree\nfour\nend\n", false, true)
    );
    assert!(lost[0].contains("1 of the sandbox's edits"), "{lost:?}");
    let (text, gone, new, lost, _) = resolved(Resolve::Theirs);
    assert_eq!(
        (&*text, gone, new),
        ("sandbox\ntwo\nthree\nfour\nend\n", true, true)
    );
    assert!(lost[0].contains("1 of the host's edits"), "{lost:?}");
    let (text, gone, new, lost, _) = resolved(Resolve::Force);
    assert_eq!(
        (&*text, gone, new),
        ("sandbox\ntwo\nthree\nfour\nend\n", true, true)
    );
    assert_eq!(lost.len(), 2, "{lost:?}");
}

#[test]
fn what_is_removed_on_one_side_and_changed_on_the_other_is_a_conflict() {
    let (directory, sandbox) = repository();
    let at = directory.path();
    run(&sandbox, "echo more >> f2.txt");
    std::fs::remove_file(at.join("f2.txt")).unwrap();
    let applied = apply(&sandbox, Resolve::Merge, false);
    assert_eq!(applied.refused[0].path, b"/work/f2.txt", "{applied:?}");
    let applied = apply(&sandbox, Resolve::Theirs, false);
    assert!(
        applied.done && applied.lost[0].what.contains("removed"),
        "{applied:?}"
    );
    assert!(read(at, "f2.txt").ends_with("five\nmore\n"));
}

#[test]
fn parts_are_applied_if_that_is_asked_for() {
    let (directory, sandbox) = repository();
    let at = directory.path();
    run(
        &sandbox,
        "echo a > f1.txt; echo new > new; git add new; git commit -qm new",
    );
    write(at, "f1.txt", "host\n");
    let applied = apply(&sandbox, Resolve::Merge, true);
    assert_eq!(applied.refused.len(), 1, "{applied:?}");
    assert_eq!(git(at, &["status", "--short"]), " M f1.txt\n");
    assert!(git(at, &["log", "--oneline"]).contains("new"));
}

/// A process that ended in the middle has put some files in their places: they are as the sandbox
/// has them, and the next one goes on.
#[test]
fn what_was_applied_before_a_crash_is_no_conflict() {
    let (directory, sandbox) = repository();
    let at = directory.path();
    run(
        &sandbox,
        "echo a >> f1.txt; echo b >> f2.txt; git commit -qam both",
    );
    let fork = sandbox.fork().unwrap();
    assert!(fork.apply("/work", ["/work/f1.txt"]).unwrap().done);
    write(at, ".codepod-1-1", "what was replaced\n");
    let objects = at.join(".git/objects");
    std::fs::create_dir_all(objects.join("zz")).unwrap();
    assert!(sandbox.apply("/work", [""; 0]).unwrap().done);
    assert_eq!(git(at, &["status", "--short"]), "?? .codepod-1-1\n");
}

/// The host's index knows other numbers of files and owners than the sandbox sees. Files that are
/// as it says by size and times are not read for that.
#[test]
fn a_status_reads_no_file_that_the_hosts_index_knows() {
    let (directory, _) = repository();
    let at = directory.path();
    let large = at.join("large.bin");
    std::fs::write(&large, vec![7; 4_000_000]).unwrap();
    // Older than the index, so that git trusts its time.
    let past = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_500_000_000);
    let set_past = || {
        let file = std::fs::File::options().write(true).open(&large).unwrap();
        file.set_modified(past).unwrap();
    };
    set_past();
    git(at, &["add", "."]);
    git(at, &["commit", "-qm", "large"]);
    let sandbox = over(at);
    let result = sandbox.run_blocking("git status --short").unwrap();
    assert_eq!((result.exit_code, result.stdout_text().as_ref()), (0, ""));
    assert!(result.usage.read < 1_000_000, "{:?}", result.usage);
    // Another content of the same size and time is found out by the time of the change.
    std::fs::write(&large, vec![8; 4_000_000]).unwrap();
    set_past();
    assert_eq!(run(&sandbox, "git status --short"), " M large.bin\n");
}
