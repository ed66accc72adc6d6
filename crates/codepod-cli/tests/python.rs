//! `codepod python` as a user meets it: streams, statuses, sessions that are kept.

mod support;

use std::fs;
use std::process::Command;

use support::Directory;

#[track_caller]
fn expect(arguments: &[&str], input: &str, status: i32, stdout: &str, stderr: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_codepod"));
    let ended = support::ends(command.arg("python").args(arguments), input);
    let expected = (status, stdout.to_owned(), stderr.to_owned());
    assert_eq!(ended, expected, "{arguments:?}");
}

#[test]
fn code_is_an_argument_or_standard_input() {
    expect(&["sum(range(10))"], "", 0, "45\n", "");
    let script = "import sys\nfor i in range(2):\n    print(i)\n\nsys.exit(5)\n";
    expect(&[], script, 5, "0\n1\n", "");
    expect(&["input() + '!'"], "word\nrest\n", 0, "'word!'\n", "");
    expect(&["import sys; print(sys.stdin.read())"], "", 0, "\n", "");
}

#[test]
fn streams_and_the_status_pass_through() {
    let code = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)";
    expect(&[code], "", 3, "out\n", "err\n");
    let failing = "Traceback (most recent call last):\n  File \"<turn 1>\", line 1, in <module>\n    1 / 0\n    ~~^~~\nZeroDivisionError: division by zero\n";
    expect(&["1 / 0"], "", 1, "", failing);
    let endless = "print('begun')\nwhile True: pass";
    let stopped = "codepod: stopped after 1 s, its time limit; `--timeout` raises it\n";
    expect(&["--timeout", "1", endless], "", 124, "begun\n", stopped);
    let variable = "import os; os.environ['A']";
    expect(&["--env", "A=b", variable], "", 0, "'b'\n", "");
}

#[test]
fn a_state_keeps_sessions() {
    let here = Directory::new();
    let python =
        |arguments: &[&str]| here.codepod(&[&["python", "--state", "play"], arguments].concat());
    assert_eq!(python(&["x = 5"]), (0, String::new(), String::new()));
    assert_eq!(python(&["x += 1; x"]).1, "6\n");
    assert_eq!(python(&["--session", "other", "'x' in dir()"]).1, "False\n");
    assert_eq!(here.codepod(&["undo", "play"]).0, 0);
    assert_eq!(python(&["x"]).1, "6\n");
    assert_eq!(here.codepod(&["undo", "play", "2"]).0, 0);
    let json = python(&["--json", "x"]).1;
    assert!(json.contains(r#""stdout":"5\n""#), "{json}");
}

#[test]
fn the_name_of_a_file_is_not_code() {
    let here = Directory::new();
    let file = here.path("script.py");
    fs::write(&file, "print(1)\n").unwrap();
    let name = file.display().to_string();
    let (status, _, stderr) = here.codepod(&["python", &name]);
    assert_eq!(status, 125, "{stderr}");
    assert!(
        stderr.contains(&format!("codepod python < {name}")),
        "{stderr}"
    );
}
