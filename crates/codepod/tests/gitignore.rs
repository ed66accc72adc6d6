//! What `.gitignore` names is left out of changes, diffs and what is applied, and counted. The
//! host's `git check-ignore` is the oracle.

mod support;

use std::path::Path;
use std::process::Command;

use codepod::{ApplyOptions, Moment, Mount, MountAccess, Options, Sandbox, Selection};

fn git(at: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(at)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn write(at: &Path, name: &str, text: &str) {
    std::fs::create_dir_all(at.join(name).parent().unwrap()).unwrap();
    std::fs::write(at.join(name), text).unwrap();
}

fn over(at: &Path) -> Sandbox {
    let mut options = Options::default();
    options.mounts = vec![Mount::host(at, "/w", MountAccess::Overlay)];
    options.cwd = "/w".into();
    Sandbox::create(options).unwrap()
}

fn changed(sandbox: &Sandbox, selection: &Selection) -> (Vec<String>, u64) {
    let found = sandbox.mount_changes("/w", selection).unwrap();
    let paths = found.changes.iter();
    let paths = paths.map(|change| String::from_utf8_lossy(&change.path).into_owned());
    (paths.collect(), found.ignored)
}

const RULES: &str = "# a comment\n\\#hash\n*.log\n!keep.log\n/rooted\nbuild/\na/**/z\n**/deep\nfoo/*\n!foo/bar\n\
    spaced \\ \ntrailing   \n[ab]x?\n[[:digit:]]d\n\\!bang\nq*/\nabc/**\n*.tmp\r\n[unclosed\nx[!a-c]y\nd1/d2/\n";
const NAMES: &[&str] = &[
    "#hash",
    "x.log",
    "keep.log",
    "sub/keep.log",
    "sub/y.log",
    "rooted",
    "sub/rooted",
    "build/o",
    "sub/build/o",
    "build2",
    "a/z",
    "a/b/c/z",
    "a/zz",
    "deep/1",
    "k/deep/1",
    "foo/bar",
    "foo/baz",
    "foo/bar2/x",
    "spaced  ",
    "spaced",
    "trailing",
    "ax1",
    "bxy",
    "cx1",
    "1d",
    "ad",
    "!bang",
    "quux/a",
    "sub/qq/b",
    "abc/1/2",
    "sub/abc/1",
    "t.tmp",
    "[unclosed",
    "xdy",
    "xay",
    "d1/d2/f",
    "s/d1/d2/f",
    "nested/only",
    "nested/back",
    "nested/in/only",
    "nested/x.log",
    "excluded",
    "nested/excluded",
    "plain",
    "tracked.log",
];

#[test]
fn what_is_ignored_is_what_git_says() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    git(at, &["init", "-q"]);
    write(at, ".gitignore", RULES);
    write(at, "nested/.gitignore", "only\n!back\n!*.log\n/in\n");
    write(at, ".git/info/exclude", "excluded\nback\nplain2\n");
    write(at, "tracked.log", "t\n");
    git(at, &["add", "-f", "tracked.log"]);
    let sandbox = over(at);
    for name in NAMES {
        let path = format!("/w/{name}");
        let parent = path.rsplit_once('/').unwrap().0.to_owned();
        let made = sandbox
            .run_blocking(format!("mkdir -p '{parent}'"))
            .unwrap();
        assert_eq!(made.exit_code, 0);
        sandbox.write_file(&path, "made").unwrap();
    }
    let (told, ignored) = changed(&sandbox, &Selection::default());
    // The host has the same files, for git to look at.
    for name in NAMES {
        write(at, name, "made");
    }
    let mut left_out = 0;
    for name in NAMES {
        let ignores = !git(at, &["check-ignore", "--", name]).is_empty();
        let shown = told.contains(&format!("/w/{name}"));
        assert_eq!(ignores, !shown, "{name}");
        left_out += u64::from(ignores);
    }
    assert!(left_out > 20, "{left_out}");
    assert!(ignored >= left_out, "directories count as well: {ignored}");
}

#[test]
fn ignored_paths_are_not_applied_and_counted_unless_all_are_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    git(at, &["init", "-q"]);
    write(at, ".gitignore", "__pycache__/\n*.o\n");
    let sandbox = over(at);
    let script = "mkdir -p __pycache__ src; echo c > __pycache__/a.pyc; echo o > src/a.o; echo s > s.c; echo x > x.txt";
    sandbox.run_blocking(script).unwrap();
    let (paths, ignored) = changed(&sandbox, &Selection::default());
    assert_eq!(
        (paths, ignored),
        (vec!["/w/s.c".into(), "/w/x.txt".into()], 4)
    );
    let text = Selection::new(false, vec!["*.txt".into()]);
    assert_eq!(changed(&sandbox, &text), (vec!["/w/s.c".into()], 5));
    let all = Selection::new(true, Vec::new());
    assert_eq!(changed(&sandbox, &all).0.len(), 6);
    let mut changes = sandbox.changes(Moment::Before(1), Moment::Now).unwrap();
    changes.select(&Selection::default()).unwrap();
    assert_eq!((changes.len(), changes.ignored()), (2, 4));
    assert!(
        !String::from_utf8(changes.unified_diff())
            .unwrap()
            .contains("pyc")
    );
    let bad = Selection::new(false, vec!["/".into()]);
    assert!(sandbox.mount_changes("/w", &bad).is_err());

    let mut options = ApplyOptions::default();
    options.selection = text;
    let applied = sandbox.apply_with("/w", [""; 0], &options).unwrap();
    assert_eq!((applied.applied.len(), applied.ignored), (1, 5));
    let applied = sandbox.apply("/w", [""; 0]).unwrap();
    assert_eq!((applied.applied.len(), applied.ignored), (1, 4));
    assert!(!at.join("__pycache__").exists() && !at.join("src").exists());
    options.selection = all;
    assert_eq!(
        sandbox
            .apply_with("/w", [""; 0], &options)
            .unwrap()
            .applied
            .len(),
        4
    );
    assert!(at.join("src/a.o").exists());
}

#[test]
fn git_is_one_path_unless_all_are_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    let sandbox = over(directory.path());
    let script = "git init -q; git config user.name n; git config user.email e; echo a > a; git add a; git commit -qm a";
    sandbox.run_blocking(script).unwrap();
    let found = sandbox.mount_changes("/w", &Selection::default()).unwrap();
    let told: Vec<_> = found
        .changes
        .iter()
        .filter(|change| !change.guarded)
        .collect();
    assert_eq!(told.last().unwrap().path, b"/w/a");
    assert!(
        found
            .changes
            .iter()
            .any(|change| change.path == b"/w/.git" && change.inside > 5)
    );
    assert!(
        found
            .changes
            .iter()
            .any(|change| change.path == b"/w/.git/config" && change.guarded)
    );
    let mut changes = sandbox.changes(Moment::Before(1), Moment::Now).unwrap();
    changes.select(&Selection::default()).unwrap();
    assert!(
        changes
            .iter()
            .any(|change| change.path == b"/w/.git" && change.inside > 5)
    );
    assert!(!String::from_utf8_lossy(&changes.unified_diff()).contains("COMMIT_EDITMSG"));
}

/// FS-02: files of patterns are a guest's; huge ones, and patterns that match in many ways, cost
/// little and leave nothing out that they should not.
#[test]
fn fs_02_hostile_patterns_do_not_hold_the_host_up() {
    let directory = tempfile::tempdir().unwrap();
    let sandbox = over(directory.path());
    let script = "mkdir .git; for i in {1..300}; do echo $i > f$i; done; p=$(printf '**/a*%.0s' {1..300}); \
        for i in {1..2000}; do echo \"$p$i\"; done > .gitignore; \
        d=d; for i in {1..200}; do d=$d/aaaa; done; mkdir -p $d; echo x > $d/x; \
        mkdir big; yes '*' | head -c 2000000 > big/.gitignore; echo x > big/x; ln -s f1 big/l; \
        mkdir link; ln -s ../.gitignore link/.gitignore; echo x > link/x";
    assert_eq!(sandbox.run_blocking(script).unwrap().exit_code, 0);
    let began = std::time::Instant::now();
    let (paths, _) = changed(&sandbox, &Selection::default());
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    for path in ["/w/f300", "/w/big/x", "/w/link/x"] {
        assert!(paths.iter().any(|shown| shown == path), "{path}");
    }
}
