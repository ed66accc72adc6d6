//! Commands through the whole stack.

mod support;

use support::sandbox;

#[test]
fn hello_prints_and_exits() {
    let result = sandbox().command(["hello"]).run_blocking().unwrap();
    assert_eq!(
        (result.exit_code, &result.stdout[..]),
        (0, &b"hello, world\n"[..]),
        "{result:?}"
    );
}

#[test]
fn an_unknown_command_is_127() {
    let result = sandbox().command(["nope"]).run_blocking().unwrap();
    assert_eq!(result.exit_code, 127);
    assert_eq!(result.stderr_text(), "codepod: nope: command not found\n");
}
