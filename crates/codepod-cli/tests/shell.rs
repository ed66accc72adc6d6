//! `codepod shell` on a real terminal: a pseudo terminal with a session of its own, keys in, what
//! is shown out.

mod support;
#[path = "support/terminal.rs"]
mod terminal;

use support::Directory;
use terminal::Terminal;

#[test]
fn lines_run_in_one_shell_and_the_prompt_tells_place_and_status() {
    let here = Directory::new();
    let mut terminal = Terminal::shell(&here, &[]);
    terminal.line("x=5; cd /tmp", "");
    terminal.line("echo $x $PWD $((6 * 7))", "5 /tmp 42");
    terminal.press("false\r");
    terminal.expect("[1]");
    terminal.expect("/tmp");
    terminal.line("echo $?", "1");
    // What is typed is shown, and colours too: the command has a terminal.
    terminal.line("[ -t 0 ] && [ -t 1 ] && stty size", "24 100");
    terminal.line("touch f; ls --color=auto /tmp", "f");
    terminal.press("exit 3\r");
    terminal.ends_with(3);
}

#[test]
fn options_and_traps_last_until_the_shell_ends() {
    let here = Directory::new();
    let mut terminal = Terminal::shell(&here, &[]);
    terminal.line("set -o pipefail; trap 'echo by''e' EXIT", "");
    terminal.line("false | true; echo $?", "1");
    terminal.press("\x04");
    terminal.expect("\nbye\r\n");
    terminal.ends_with(0);
}

#[test]
fn an_interrupt_ends_the_command_and_not_the_shell() {
    let here = Directory::new();
    let mut terminal = Terminal::shell(&here, &[]);
    terminal.line("x=kept", "");
    for endless in ["sleep 1000", "while :; do :; done", "cat"] {
        terminal.press(&format!("echo star''ted; {endless}; echo not this\r"));
        terminal.expect("\nstarted\r\n");
        terminal.press("\x03");
        terminal.expect("[130]");
        terminal.expect("$ ");
    }
    terminal.line("echo $x", "kept");
    // At the prompt it drops the line.
    terminal.press("echo never\x03");
    terminal.expect("[130]");
    terminal.expect("$ ");
    terminal.press("\x04");
    let seen = terminal.ends_with(130);
    assert!(
        !seen.contains("\nnot this") && !seen.contains("\nnever"),
        "{seen}"
    );
}

#[test]
fn an_interrupt_goes_to_a_program_that_handles_it() {
    let here = Directory::new();
    let mut terminal = Terminal::shell(&here, &[]);
    terminal.press("python3 -q\r");
    terminal.expect(">>> ");
    terminal.press("x = 6\r");
    terminal.expect(">>> ");
    terminal.press("\x03");
    terminal.expect("KeyboardInterrupt");
    terminal.expect(">>> ");
    terminal.press("while True: x += 0\r\r");
    terminal.expect("... ");
    terminal.press("\x03");
    terminal.expect("KeyboardInterrupt");
    terminal.expect(">>> ");
    terminal.press("x * 7\r");
    terminal.expect("\n42\r\n");
    // Ctrl-\ ends whatever runs.
    terminal.press("\x1c");
    terminal.expect("[130]");
    terminal.press("exit\r");
    terminal.ends_with(130);
}

#[test]
fn unfinished_lines_go_on_and_programs_read_what_is_typed() {
    let here = Directory::new();
    let mut terminal = Terminal::shell(&here, &[]);
    terminal.press("for i in 1 2; do\recho n$i\rdone\r");
    terminal.expect("\nn1\r\nn2\r\n");
    terminal.expect("$ ");
    terminal.press("echo 'one\rtwo'\r");
    terminal.expect("\none\r\ntwo\r\n");
    terminal.expect("$ ");
    terminal.press("cat <<EOF\rhere $((1 + 1))\rEOF\r");
    terminal.expect("\nhere 2\r\n");
    terminal.expect("$ ");
    terminal.press("echo rea''dy; read -r line; echo got $line\r");
    terminal.expect("\nready\r\n");
    terminal.press("some words\r");
    terminal.expect("\ngot some words\r\n");
    terminal.expect("$ ");
    // The end of input is the command's, not the shell's.
    terminal.press("echo rea''dy; cat; echo end''ed\r");
    terminal.expect("\nready\r\n");
    terminal.press("typed\r\x04");
    terminal.expect("\ntyped\r\n");
    terminal.expect("ended\r\n");
    terminal.expect("$ ");
    terminal.press("\x04");
    terminal.ends_with(0);
}

/// A pager gets each key as it is pressed, and what is typed after it is for the shell.
#[test]
fn less_goes_on_and_ends_at_a_key() {
    let here = Directory::new();
    let mut terminal = Terminal::shell(&here, &[]);
    terminal.press("seq 1000 | less\r");
    terminal.expect("\n5\r\n");
    terminal.expect(":");
    terminal.press(" ");
    terminal.expect("\r\n40\r\n");
    terminal.expect(":");
    terminal.press("\x1b[B");
    terminal.expect(":");
    terminal.press("q");
    terminal.expect("$ ");
    terminal.press("echo af''ter\r");
    terminal.expect("\nafter\r\n");
    // Lines and echo are as before.
    terminal.press("echo rea''dy; read -r line; echo got $line\r");
    terminal.expect("\nready\r\n");
    terminal.press("words\r");
    terminal.expect("\ngot words\r\n");
    terminal.expect("$ ");
    terminal.press("\x04");
    terminal.ends_with(0);
}

#[test]
fn tab_completes_and_the_history_is_kept_with_the_state() {
    let here = Directory::new();
    let mut terminal = Terminal::shell(&here, &["--state", "s"]);
    terminal.line("echo inside > a-long-name; v=1", "");
    terminal.press("cat a-lo\t\r");
    terminal.expect("\ninside\r\n");
    terminal.expect("$ ");
    terminal.press("exit\r");
    terminal.ends_with(0);
    assert_eq!(
        here.says(&["run", "--state", "s", "echo $v; ls"]),
        "1\na-long-name\n"
    );
    let mut terminal = Terminal::shell(&here, &["--state", "s"]);
    // The last but one, by the arrow.
    terminal.press("\x1b[A\x1b[A\r");
    terminal.expect("\ninside\r\n");
    terminal.expect("$ ");
    terminal.press("\x04");
    terminal.ends_with(0);
}

#[test]
fn ap_11_a_terminal_is_shown_what_it_would_obey() {
    let here = Directory::new();
    let mut terminal = Terminal::shell(&here, &[]);
    let hostile = "printf '\\e]52;c;eA==\\a\\e[6n\\e[31mred\\e[0m\\xc2\\x9b\\n'";
    terminal.line(hostile, "␛]52;c;eA==␇␛[6n\x1b[31mred\x1b[0m<U+009B>");
    terminal.line("mkdir $'\\e]0;title\\a'; cd $'\\e]0;title\\a'", "");
    terminal.press("\x04");
    let seen = terminal.ends_with(0);
    assert!(
        !seen.contains("\x1b]") && !seen.contains("\x1b[6n"),
        "{seen}"
    );

    let terminal = Terminal::start(
        &here,
        &[
            "run",
            "printf '\\e]0;title\\a\\e[32mok\\n'; printf '\\ec' >&2",
        ],
    );
    let seen = terminal.ends_with(0);
    assert!(
        seen.contains("␛]0;title␇\x1b[32mok\r\n") && seen.contains("\x1b[0m"),
        "{seen:?}"
    );
    assert!(seen.contains("␛c") && !seen.contains("\x1bc"), "{seen:?}");
    let terminal = Terminal::start(&here, &["run", "--preview", "touch $'\\e]0;x\\a'"]);
    let seen = terminal.ends_with(0);
    assert!(
        seen.contains("\\033]0;x\\007") && !seen.contains("\x1b]"),
        "{seen:?}"
    );
}

#[test]
fn what_is_typed_ahead_is_for_the_next_prompt() {
    let here = Directory::new();
    let mut terminal = Terminal::shell(&here, &[]);
    terminal.press("echo star''ted; sleep 0.5\r");
    terminal.expect("\nstarted\r\n");
    terminal.press("echo la''ter\r");
    terminal.expect("\nlater\r\n");
    terminal.expect("$ ");
    terminal.press("\x04");
    terminal.ends_with(0);
}

#[test]
fn the_guide_shows_a_session_as_it_is() {
    let guide = include_str!("../../../docs/guides/cli.md");
    let (_, rest) = guide
        .split_once("<!-- a session, checked by tests/shell.rs -->\n```text\n")
        .unwrap();
    let (session, _) = rest.split_once("```").unwrap();
    let here = Directory::new();
    let mut lines = session.lines();
    assert_eq!(lines.next(), Some("$ codepod shell --state play"));
    let mut terminal = Terminal::start(&here, &["shell", "--state", "play"]);
    for line in lines {
        match line.split_once("$ ") {
            Some((_, typed)) => {
                terminal.expect("$ ");
                terminal.press(&format!("{typed}\r"));
            }
            None => terminal.expect(&format!("{line}\r\n")),
        }
    }
    terminal.ends_with(0);
}
