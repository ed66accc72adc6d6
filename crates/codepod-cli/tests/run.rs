//! `codepod run` as a user meets it: streams, statuses, options.

mod support;

use std::process::Command;

/// Runs the command with an input; its status, output and complaints.
fn codepod(arguments: &[&str], input: &str) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_codepod"));
    support::ends(command.args(arguments), input)
}

#[track_caller]
fn expect(arguments: &[&str], input: &str, status: i32, stdout: &str, stderr: &str) {
    let expected = (status, stdout.to_owned(), stderr.to_owned());
    assert_eq!(codepod(arguments, input), expected, "{arguments:?}");
}

#[test]
fn a_script_is_an_argument_or_standard_input() {
    expect(&["run", "echo hi"], "", 0, "hi\n", "");
    expect(
        &["run"],
        "echo one\necho two\nexit 5\n",
        5,
        "one\ntwo\n",
        "",
    );
    expect(&["run", "echo $# $2"], "", 0, "0\n", "");
    expect(&["run", "echo $# $2", "a", "-b c"], "", 0, "2 -b c\n", "");
}

#[test]
fn several_words_are_a_command_with_its_arguments() {
    expect(&["run", "echo", "hi", "there"], "", 0, "hi there\n", "");
    expect(&["run", "python3", "-c", "print(1)"], "", 0, "1\n", "");
    expect(
        &["run", "printf", "<%s>", "a b", "$x", "-t"],
        "",
        0,
        "<a b><$x><-t>",
        "",
    );
    expect(&["run", "ls", "-a", "/home/user"], "", 0, ".\n..\n", "");
    expect(&["run", "cat"], "in\n", 0, "in\n", "");
    expect(&["run", "--", "echo", "-n", "x"], "", 0, "x", "");
    expect(
        &["run", "-t", "5", "seq", "-t", "3"],
        "",
        1,
        "",
        "seq: invalid option -- 't'\nTry 'seq --help' for more information.\n",
    );
    expect(
        &["run", "-c", "echo \"$@\"", "a", "-f"],
        "",
        0,
        "a -f\n",
        "",
    );
    expect(&["run", "-c", "echo $#", "a", "b"], "", 0, "2\n", "");
    let (status, stdout, stderr) = codepod(&["run", "ls -l", "/tmp"], "");
    assert_eq!((status, stdout.as_str()), (125, ""));
    for spelling in ["`codepod run ls -l /tmp`", "`codepod run -c 'ls -l' /tmp`"] {
        assert!(stderr.contains(spelling), "{stderr}");
    }
    let (status, _, stderr) = codepod(&["run", "--tmeout", "5", "ls"], "");
    assert!(status == 2 && stderr.contains("--timeout"), "{stderr}");
}

#[test]
fn a_file_of_the_host_is_a_script_where_the_sandbox_has_none_of_that_name() {
    let here = support::Directory::new();
    std::fs::write(
        here.path("script.sh"),
        "#!/bin/bash -u\necho \"$0 $*\"; cat; echo $- >&2\n",
    )
    .unwrap();
    std::fs::write(here.path("ls"), "echo mine\n").unwrap();
    std::fs::write(here.path("tool.py"), "print(1)\n").unwrap();
    let arguments = ["run", "script.sh", "a", "b c"];
    let (status, stdout, stderr) = here.codepod_with(&arguments, "in\n");
    assert_eq!(
        (status, stdout.as_str()),
        (0, "script.sh a b c\nin\n"),
        "{stderr}"
    );
    assert!(stderr.contains('u'), "{stderr}");
    let (_, stdout, _) = here.codepod(&["run", "./script.sh"]);
    assert_eq!(stdout, "./script.sh \n");
    let (_, stdout, _) = here.codepod(&["run", "-f", "script.sh", "x"]);
    assert_eq!(stdout, "script.sh x\n");
    assert_eq!(
        here.codepod_with(&["run", "-f", "-", "x"], "echo $1").1,
        "x\n"
    );
    // The sandbox's own comes first; `-f` is the other.
    assert_eq!(here.says(&["run", "ls"]), "");
    assert_eq!(here.says(&["run", "-f", "ls"]), "mine\n");
    let mount = format!("{}:/w", here.0.display());
    let mounted = ["run", "-m", &mount, "-C", "/w", "bash", "ls"];
    assert_eq!(here.codepod(&mounted).1, "mine\n");
    here.fails(&["run", "tool.py"], 125, "is a script for python3");
    here.fails(&["run", "-f", "nope"], 125, "cannot run `nope`");
    let (status, _, stderr) = here.codepod(&["run", "nope.sh"]);
    assert!(
        status == 127 && stderr.contains("nope.sh: command not found"),
        "{stderr}"
    );
}

#[test]
fn an_exit_trap_runs_at_the_end_and_modes_end_with_the_run() {
    let script = "trap \"echo bye\" EXIT; echo hi";
    expect(&["run", script], "", 0, "hi\nbye\n", "");
    expect(
        &["run", "trap 'echo bye; exit 4' EXIT; exit 3"],
        "",
        4,
        "bye\n",
        "",
    );
    expect(
        &["run", "trap 'echo bye' EXIT; kill -TERM $$; sleep 9"],
        "",
        143,
        "bye\n",
        "",
    );
    let here = support::Directory::new();
    here.codepod(&[
        "run",
        "--state",
        "s",
        "set -euo pipefail; trap 'echo err' ERR; trap 'echo x >> f' EXIT; false",
    ]);
    let next = "echo one; false; false | true; echo two $nope; cat f; trap; set -o | grep -c 'on$'";
    let (status, stdout, stderr) = here.codepod(&["run", "--state", "s", next]);
    assert_eq!((status, stderr.as_str()), (0, ""), "{stdout}");
    assert!(stdout.starts_with("one\ntwo\nx\n"), "{stdout}");
    // Who sets them last means the next run, and is told.
    let (_, _, stderr) = here.codepod(&["run", "--state", "s", "set -euo pipefail"]);
    assert!(
        stderr.contains("codepod: hint: `set -e`") && stderr.lines().count() == 1,
        "{stderr}"
    );
    expect(&["run", "-q", "set -e"], "", 0, "", "");
}

#[test]
fn limits_are_told_once_with_their_options() {
    let told = |arguments: &[&str], what: &str| {
        let (_, _, stderr) = codepod(arguments, "");
        let lines: Vec<&str> = stderr
            .lines()
            .filter(|line| line.starts_with("codepod: "))
            .collect();
        assert_eq!(
            lines,
            [format!("codepod: {what}")],
            "{arguments:?}: {stderr}"
        );
        assert!(!stderr.contains("RUST"), "{stderr}");
    };
    told(
        &["run", ":(){ :|:& };:; sleep 0.2"],
        "there is a limit of 64 processes; `--processes` raises it",
    );
    told(
        &[
            "run",
            "--disk",
            "1",
            "head -c 9000000 /dev/zero > f; head -c 9000000 /dev/zero > g; rm f g",
        ],
        "no space left: files took 1 MB of the disk limit of 1 MB; `--disk` raises it",
    );
    told(
        &["exec", "--timeout", "200ms", "--", "sleep", "9"],
        "stopped after 0.2 s, its time limit; `--timeout` raises it",
    );
    expect(&["run", "-q", "-t", "0.1", "sleep 9"], "", 124, "", "");
    expect(
        &["run", "-t", "0", "sleep 0.2; echo done"],
        "",
        0,
        "done\n",
        "",
    );
    expect(
        &["run", "echo x > /dev/full"],
        "",
        1,
        "",
        "bash: line 1: echo: write error: No space left on device\n",
    );
    let python = "x = bytearray(1500 * 10**6); print(len(x))";
    expect(
        &["run", "--memory", "2g", "python3", "-c", python],
        "",
        0,
        "1500000000\n",
        "",
    );
    told(
        &["run", "python3", "-c", python],
        "a process reached its memory limit of 256 MB; `--memory` raises it",
    );
}

#[test]
fn the_small_things_that_people_type() {
    let here = support::Directory::new();
    assert_eq!(here.says(&["version"]), here.says(&["--version"]));
    assert_eq!(
        here.codepod(&["states", "ls"]),
        here.codepod(&["states", "list"])
    );
    let mut command = here.command();
    command.env("GIVEN", "a b").env_remove("ABSENT");
    let arguments = [
        "run",
        "-e",
        "GIVEN",
        "-e",
        "ABSENT",
        "echo $GIVEN ${ABSENT-none}",
    ];
    assert_eq!(support::ends(command.args(arguments), "").1, "a b none\n");
    here.fails(
        &["run", "--cwd", "/nope", "true"],
        125,
        "cannot work in `/nope`: No such file or directory",
    );
    here.fails(
        &["exec", "--cwd", "/etc/hostname", "true"],
        125,
        "cannot work in `/etc/hostname`: Not a directory",
    );
    let json = here.says(&["run", "--json", "printf 'a\\377'"]);
    assert!(
        json.contains(r#""stdout_base64":"Yf8=""#) && !json.contains("stderr_base64"),
        "{json}"
    );
}

#[test]
fn streams_and_the_status_pass_through() {
    let script = "read x; echo got $x; cat >&2; exit 3";
    expect(&["run", script], "word\nrest\n", 3, "got word\n", "rest\n");
    expect(&["run", "kill -9 $$"], "", 137, "", "");
    let (status, _, stderr) = codepod(&["run", "if"], "");
    assert_eq!(status, 2);
    assert!(stderr.contains("syntax error"), "{stderr}");
}

#[test]
fn options_reach_the_sandbox() {
    let arguments = ["run", "--env", "A=b", "--cwd", "/tmp", "echo $A $PWD"];
    expect(&arguments, "", 0, "b /tmp\n", "");
    let arguments = ["run", "--timeout", "0.2", "echo partial; sleep 100"];
    let told = "codepod: stopped after 0.2 s, its time limit; `--timeout` raises it\n";
    expect(&arguments, "", 124, "partial\n", told);
    let missing = "bash: line 1: no-such-tool: command not found\n";
    expect(&["run", "--no-hints", "no-such-tool"], "", 127, "", missing);
    let (status, _, stderr) = codepod(&["run", "no-such-tool"], "");
    assert_eq!(status, 127);
    assert!(stderr.contains("codepod: hint: "), "{stderr}");
}

/// A host directory with a file `f`, removed at the end.
struct Directory(std::path::PathBuf);

impl Directory {
    fn new(name: &str) -> Directory {
        let path = std::env::temp_dir().join(format!("codepod-cli-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join("f"), "host\n").unwrap();
        Directory(path)
    }

    fn mount(&self) -> String {
        format!("{}:/w:rw", self.0.display())
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_preview_shows_what_would_happen_to_the_host() {
    let directory = Directory::new("preview");
    let mount = directory.mount();
    let script = "cd /w; sed -i s/host/agent/ f; echo n > g; echo out; exit 4";
    let shown = "codepod: 2 changes, none of them made\nM /w/f\nA /w/g\n\
        --- a/w/f\n+++ b/w/f\n@@ -1 +1 @@\n-host\n+agent\n--- /dev/null\n+++ b/w/g\n@@ -0,0 +1 @@\n+n\n";
    expect(
        &["run", "--mount", &mount, "--preview", script],
        "",
        4,
        "out\n",
        shown,
    );
    assert_eq!(
        std::fs::read_to_string(directory.0.join("f")).unwrap(),
        "host\n"
    );
    assert_eq!(std::fs::read_dir(&directory.0).unwrap().count(), 1);
    let (status, stdout, stderr) = codepod(
        &["run", "--mount", &mount, "--preview", "--json", script],
        "",
    );
    assert_eq!((status, stderr.as_str()), (4, ""));
    assert!(
        stdout.contains(r#""changes":["M /w/f","A /w/g"]"#),
        "{stdout}"
    );
}

#[test]
fn a_result_as_json_is_one_line() {
    let (status, stdout, stderr) =
        codepod(&["run", "--json", "cat; echo 'a\"b' >&2; exit 3"], "in\n");
    assert_eq!(
        (status, stderr.as_str(), stdout.lines().count()),
        (3, "", 1)
    );
    for part in [
        r#""exit_code":3"#,
        r#""stdout":"in\n""#,
        r#""stderr":"a\"b\n""#,
        r#""execution_time_ms":"#,
        r#""success":false"#,
    ] {
        assert!(stdout.contains(part), "{part} is not in {stdout}");
    }
}

#[test]
fn limits_allowed_commands_and_events_are_options() {
    let directory = Directory::new("events");
    let events = directory.0.join("events.jsonl");
    let events = events.to_str().unwrap();
    let script = "rm x 2>/dev/null; echo $?; cat /etc/hostname";
    expect(
        &["run", "--allow", "cat", "--events", events, script],
        "",
        0,
        "126\nsandbox\n",
        "",
    );
    let lines = std::fs::read_to_string(events).unwrap();
    assert!(
        lines.starts_with(r#"{"event":"run-started","#)
            && lines.contains(r#"{"event":"process-ended","#)
            && lines.contains(r#""command":"cat /etc/hostname","exitCode":0,"#)
            && lines.lines().last().unwrap().contains("run-ended"),
        "{lines}"
    );
    let script = "head -c 20000000 /dev/zero > f 2>/dev/null && echo written";
    expect(&["run", "--profile", "small", script], "", 1, "", "");
    expect(
        &["run", "--profile", "large", script],
        "",
        0,
        "written\n",
        "",
    );
    let (status, _, stderr) = codepod(&["run", "--profile", "huge", "true"], "");
    assert!(
        status == 2 && stderr.contains("there are `small`, `default` and `large`"),
        "{stderr}"
    );
    let (status, _, stderr) = codepod(&["run", "--events", "/none/x", "true"], "");
    assert!(
        status != 0 && stderr.contains("cannot write events to `/none/x`"),
        "{status} {stderr}"
    );
}
