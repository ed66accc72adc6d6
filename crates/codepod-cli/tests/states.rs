//! States that are kept, as a user meets them: `run --state`, `states`, `changes`, `apply`, `undo`.

mod support;

use std::fs;
use std::process::Stdio;

use support::Directory;

#[test]
fn files_and_variables_are_kept_and_taken_back() {
    let here = Directory::new();
    here.says(&["run", "--state", "play", "cd /tmp; x=5; echo one > f"]);
    let state = ["run", "--state", "play"];
    let with = |script: &'static str| [&state[..], &[script]].concat();
    assert_eq!(here.says(&with("pwd; echo $x; cat f")), "/tmp\n5\none\n");
    here.says(&with("echo two > f; echo new > g"));
    let shown = here.says(&["changes", "--last", "play"]);
    assert_eq!(shown, "M /tmp/f\nA /tmp/g\n");
    assert_eq!(here.says(&["changes", "play"]), "A /tmp/f\nA /tmp/g\n");
    let diff = here.says(&["changes", "--last", "--diff", "play"]);
    assert!(diff.contains("-one\n+two\n"), "{diff}");
    let json = here.says(&["changes", "--last", "--json", "play"]);
    assert!(
        json.contains(r#"{"kind":"M","path":"/tmp/f","guarded":false}"#),
        "{json}"
    );

    let undone = "M /tmp/f\nD /tmp/g\n";
    assert_eq!(here.says(&["undo", "--dry-run", "play"]), undone);
    assert_eq!(here.says(&["undo", "play"]), undone);
    assert_eq!(here.says(&with("cat f; ls")), "one\nf\n");
    here.fails(
        &["undo", "play"],
        125,
        "cannot undo 1 step: none can be undone",
    );
    here.fails(&["undo", "play", "0"], 125, "cannot undo 0 steps");
    here.fails(&["undo", "nope"], 125, "there is no state `nope`");
}

#[test]
fn the_status_is_the_scripts_and_its_changes_are_kept_whatever_it_is() {
    let here = Directory::new();
    let (status, ..) = here.codepod(&["run", "--state", "s", "echo x > f; exit 3"]);
    assert_eq!(status, 3);
    assert_eq!(here.says(&["run", "--state", "s", "cat f"]), "x\n");
    // A preview changes nothing.
    let (status, _, stderr) = here.codepod(&["run", "--state", "s", "--preview", "rm f"]);
    assert!(
        status == 0 && stderr.contains("1 changes, none of them made\nD /home/user/f"),
        "{stderr}"
    );
    assert_eq!(here.says(&["run", "--state", "s", "cat f"]), "x\n");
    // Variables from outside are for one run.
    assert_eq!(
        here.says(&["run", "--state", "s", "--env", "A=b", "echo $A"]),
        "b\n"
    );
    assert_eq!(here.says(&["run", "--state", "s", "echo [$A]"]), "[]\n");
    here.fails(
        &["run", "--state", "s", "--cwd", "/", "pwd"],
        125,
        "working directory of its own",
    );
}

#[test]
fn names_that_are_no_names_are_refused_everywhere() {
    let here = Directory::new();
    for name in [
        "",
        ".",
        "..",
        ".x",
        "a/b",
        "../x",
        "a b",
        "x\n",
        "-x",
        &"n".repeat(65),
    ] {
        let state = format!("--state={name}");
        here.fails(&["run", &state, "true"], 125, "cannot name a state");
        for command in [
            &["states", "show"][..],
            &["states", "remove"],
            &["changes"],
            &["undo"],
        ] {
            let arguments = [command, &["--", name]].concat();
            here.fails(&arguments, 125, "cannot name a state");
        }
    }
    assert!(!here.path("states").exists());
}

#[test]
fn states_are_listed_shown_copied_compared_exported_imported_and_removed() {
    let here = Directory::new();
    let (status, stdout, stderr) = here.codepod(&["states"]);
    assert!(
        status == 0 && stdout.is_empty() && stderr.contains("no states are kept"),
        "{stderr}"
    );
    here.says(&["run", "--state", "a", "echo one > f"]);
    here.says(&["states", "fork", "a", "b"]);
    here.fails(
        &["states", "fork", "a", "b"],
        125,
        "there is a state `b` already",
    );
    here.says(&["run", "--state", "b", "echo two > f"]);
    let list = here.says(&["states"]);
    let lines: Vec<&str> = list.lines().collect();
    assert!(
        lines[0].starts_with("NAME") && lines[1].starts_with("a ") && lines[2].starts_with("b "),
        "{list}"
    );
    let shown = here.says(&["states", "show", "b"]);
    assert!(
        shown.contains("version   newest") && shown.contains("version   undo 1"),
        "{shown}"
    );
    assert_eq!(here.says(&["states", "diff", "a", "b"]), "M /home/user/f\n");
    let diff = here.says(&["states", "diff", "--diff", "a", "b"]);
    assert!(diff.contains("-one\n+two\n"), "{diff}");
    let json = here.says(&["states", "--json"]);
    assert!(
        json.starts_with("[{") && json.contains(r#""bytes":"#) && json.contains(r#""name":"b""#),
        "{json}"
    );

    let file = here.path("b.state");
    let file = file.to_str().unwrap();
    here.says(&["states", "export", "b", file]);
    here.says(&["states", "import", "c", file]);
    assert_eq!(here.says(&["run", "--state", "c", "cat f"]), "two\n");
    here.fails(
        &["states", "import", "c", file],
        125,
        "there is a state `c` already",
    );
    fs::write(file, "nonsense").unwrap();
    here.fails(&["states", "import", "d", file], 125, "damaged");
    here.fails(
        &["states", "import", "d", "/none/x"],
        125,
        "cannot read `/none/x`",
    );
    here.fails(
        &["states", "export", "b", "/none/x"],
        125,
        "cannot write `/none/x`",
    );
    here.fails(
        &["states", "export", "nope", file],
        125,
        "there is no state `nope`",
    );
    here.fails(
        &["states", "diff", "a", "nope"],
        125,
        "there is no state `nope`",
    );
    here.says(&["states", "remove", "a", "b", "c"]);
    here.fails(&["states", "remove", "a"], 125, "there is no state `a`");
    assert_eq!(here.says(&["states", "--json"]), "[]\n");
}

#[test]
fn an_overlay_is_applied_by_a_later_command_and_mounted_by_itself() {
    let here = Directory::new();
    let work = here.path("work");
    fs::create_dir(&work).unwrap();
    for name in ["a", "b", "c"] {
        fs::write(work.join(name), "old\n").unwrap();
    }
    let mount = format!("{}:/work:overlay", work.display());
    let script = "cd /work; sed -i s/old/new/ a b c; echo new > d";
    here.says(&["run", "--state", "fix", "--mount", &mount, script]);
    assert_eq!(fs::read_to_string(work.join("a")).unwrap(), "old\n");
    assert_eq!(
        here.says(&["run", "--state", "fix", "cat a d"]),
        "new\nnew\n"
    );
    let all = "M /work/a\nM /work/b\nM /work/c\nA /work/d\n";
    assert_eq!(here.says(&["changes", "fix"]), all);
    assert_eq!(here.says(&["apply", "--dry-run", "fix"]), all);
    assert_eq!(here.says(&["apply", "fix", "/work/a"]), "M /work/a\n");
    assert_eq!(fs::read_to_string(work.join("a")).unwrap(), "new\n");
    assert_eq!(
        here.says(&["apply", "--discard", "fix", "/work/c"]),
        "M /work/c\n"
    );
    fs::write(work.join("b"), "edited by hand\n").unwrap();
    let (status, stdout, stderr) = here.codepod(&["apply", "fix"]);
    assert_eq!((status, stdout.as_str()), (1, ""));
    assert!(stderr.contains("/work/b was left alone"), "{stderr}");
    assert!(
        stderr.contains("nothing was applied") && stderr.contains("`codepod apply --theirs fix`"),
        "{stderr}"
    );
    assert!(!work.join("d").exists(), "all or nothing");
    let (status, stdout, _) = here.codepod(&["apply", "--partial", "fix"]);
    assert_eq!((status, stdout.as_str()), (1, "A /work/d\n"));
    assert_eq!(
        fs::read_to_string(work.join("b")).unwrap(),
        "edited by hand\n"
    );
    here.fails(
        &["apply", "fix", "/etc/passwd"],
        125,
        "is not in an overlay",
    );
    let script = "echo run > .envrc; ln -s /etc/passwd out; ln -s d near";
    here.says(&["run", "--state", "fix", script]);
    let (_, changes, _) = here.codepod(&["changes", "fix"]);
    assert!(changes.contains("A! /work/.envrc\n"), "{changes}");
    let paths = ["/work/.envrc", "/work/near", "/work/out"];
    for how in ["--dry-run", "--partial"] {
        let arguments = [&["apply", how, "fix"][..], &paths].concat();
        let (status, stdout, _) = here.codepod(&arguments);
        assert_eq!((status, stdout.as_str()), (1, "A /work/near -> d\n"));
    }
    here.says(&["run", "--state", "fix", "rm near; ln -s d near2"]);
    let (status, stdout, stderr) = here.codepod(&[&["apply", "fix"][..], &paths].concat());
    assert_eq!((status, stdout.as_str()), (1, ""));
    assert!(
        stderr.contains(".envrc was left alone: it is guarded"),
        "{stderr}"
    );
    assert!(
        stderr.contains("out was left alone: it leads out"),
        "{stderr}"
    );
    let allowed = ["apply", "--allow-guarded", "fix", "/work/.envrc"];
    assert_eq!(here.says(&allowed), "A! /work/.envrc\n");
    assert_eq!(fs::read_to_string(work.join(".envrc")).unwrap(), "run\n");
    here.says(&["run", "--state", "plain", "true"]);
    here.fails(&["apply", "plain"], 125, "has no overlay to apply");
    here.fails(&["apply", "nope"], 125, "there is no state `nope`");
    let shown = here.says(&["states", "show", "fix"]);
    assert!(shown.contains(&mount), "{shown}");
    // The directory is gone: the state says what it lacks, and takes another in its place.
    fs::rename(&work, here.path("moved")).unwrap();
    here.fails(
        &["run", "--state", "fix", "true"],
        125,
        "cannot mount at `/work`",
    );
    let moved = format!("{}:/work:overlay", here.path("moved").display());
    assert_eq!(
        here.says(&["run", "--state", "fix", "--mount", &moved, "cat a"]),
        "new\n"
    );
}

#[test]
fn an_undo_after_apply_says_what_it_does() {
    let here = Directory::new();
    fs::create_dir(here.path("project")).unwrap();
    let mount = format!("{}:/work:overlay", here.path("project").display());
    here.codepod(&["run", "--state", "s", "-m", &mount, "echo x > /work/f"]);
    here.says(&["apply", "s"]);
    let (status, stdout, stderr) = here.codepod(&["undo", "s"]);
    assert_eq!(status, 0, "{stderr}");
    let told = "codepod: 1 version went back, and no file of the sandbox differs by that; files that `apply` wrote to the host stay there\n";
    // The state before `apply` had the file in its overlay: either is told, and the host keeps it.
    assert!(stderr == told || !stdout.is_empty(), "{stdout}{stderr}");
    assert_eq!(fs::read_to_string(here.path("project/f")).unwrap(), "x\n");
}

#[test]
fn a_state_in_use_says_by_which_process() {
    let here = Directory::new();
    let mut child = here
        .command()
        .args(["run", "--state", "s", "echo ready; read x"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut ready = [0; 6];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut ready).unwrap();
    let expected = format!("the state `s` is in use by process {}", child.id());
    here.fails(&["run", "--state", "s", "true"], 125, &expected);
    let list = here.says(&["states"]);
    assert!(
        list.contains(&format!("in use by process {}", child.id())),
        "{list}"
    );
    drop(child.stdin.take());
    child.wait().unwrap();
    here.says(&["run", "--state", "s", "true"]);
}

#[test]
fn ap_12_names_of_files_cannot_pass_for_lines_of_ours() {
    let here = Directory::new();
    here.says(&["run", "--state", "s", "touch $'a\\nD etc' $'\\e]0;x\\a'"]);
    let shown = here.says(&["changes", "s"]);
    let expected = "A \"/home/user/\\033]0;x\\007\"\nA \"/home/user/a\\nD etc\"\n";
    assert_eq!(shown, expected);
}

#[test]
fn directories_that_a_state_from_elsewhere_names_are_not_mounted() {
    let here = Directory::new();
    fs::create_dir(here.path("precious")).unwrap();
    let mount = ["run", "--state", "own", "--mount", "precious:/work:rw"];
    here.says(&[&mount[..], &["echo mine > /work/f"]].concat());
    // What a state may write to is said each time.
    let (status, stdout, stderr) = here.codepod(&["run", "--state", "own", "cat /work/f"]);
    assert_eq!((status, &*stdout), (0, "mine\n"), "{stderr}");
    assert!(
        stderr.contains("the state may write to ") && stderr.contains(":/work:rw"),
        "{stderr}"
    );
    let list = here.path("states/own/mounts");
    let text = fs::read_to_string(&list).unwrap();
    fs::write(&list, text.replace("/work", "/\\u001b[31m")).unwrap();
    let script = ["run", "--state", "own", "touch /*/forged"];
    here.fails(
        &script,
        125,
        "comes with host directories that nobody here has chosen",
    );
    assert!(!here.path("precious/forged").exists());
    // Shown as it is, and nothing of it is obeyed.
    let shown = here.says(&["states", "show", "own"]);
    assert!(shown.contains("(not chosen here)"), "{shown}");
    assert!(!shown.contains('\x1b'), "{shown:?}");
    fs::remove_file(&list).unwrap();
    assert_eq!(
        here.says(&[&mount[..], &["cat /work/f"]].concat()),
        "mine\n"
    );
}

#[cfg(unix)]
#[test]
fn an_exported_state_is_its_owners_and_follows_no_link() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let here = Directory::new();
    here.says(&["run", "--state", "s", "echo secret > f"]);
    let (victim, file) = (here.path("victim"), here.path("s.state"));
    fs::write(&victim, "untouched").unwrap();
    symlink(&victim, here.path("s.state.part")).unwrap();
    here.says(&["states", "export", "s", "s.state"]);
    assert_eq!(fs::read(&victim).unwrap(), b"untouched");
    let metadata = fs::symlink_metadata(&file).unwrap();
    assert!(metadata.is_file());
    assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    here.says(&["states", "import", "again", "s.state"]);
    assert_eq!(here.says(&["run", "--state", "again", "cat f"]), "secret\n");
}
