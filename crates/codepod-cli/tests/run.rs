//! `codepod run` as a user meets it: streams, statuses, options.

use std::io::Write as _;
use std::process::{Command, Stdio};

/// Runs the command with an input; its status, output and complaints.
fn codepod(arguments: &[&str], input: &str) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_codepod"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // It may have ended without reading.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let status = output.status.code().unwrap_or(-1);
    (status, text(output.stdout), text(output.stderr))
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
