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
    expect(&arguments, "", 124, "partial\n", "");
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
        lines.starts_with(r#"{"event":"run-started","#) && lines.lines().count() == 2,
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
