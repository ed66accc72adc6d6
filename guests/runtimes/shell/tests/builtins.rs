//! Builtins that need no kernel, against what bash 5.2 printed.
//!
//! `builtins.txt` holds, for each case, the script in lines that start with `$ `, what `bash -c
//! SCRIPT` printed (standard output and standard error together) and `=> STATUS`.

use std::rc::Rc;

use codepod_shell::fds::{Capture, Open};
use codepod_shell::shell::Shell;
use codepod_shell::state::State;
use codepod_shell::text::Text;
use codepod_shell::{exec, special, traps};
use codepod_shell_syntax::Parser;

/// Output and status of a script.
fn run(script: &str) -> String {
    let mut shell = Shell::new(State {
        zero: Text::from("bash"),
        ..State::default()
    });
    let output = Rc::new(Capture::default());
    for number in [1, 2] {
        shell.fds.set(number, Open::Capture(Rc::clone(&output)));
    }
    let environment = ["PATH=/usr/bin:/bin", "HOME=/root", "LC_ALL=C.UTF-8"];
    special::initial(
        &mut shell,
        &environment.map(|entry| entry.as_bytes().to_vec()),
    );
    let parser = Parser::new(script.as_bytes(), exec::parser_options(&shell, 1));
    let _ = exec::Script::new(parser, "-c", true).run(&mut shell);
    traps::exit(&mut shell);
    let text = String::from_utf8_lossy(&output.take()).into_owned();
    format!("{text}=> {}\n", shell.state.status)
}

#[test]
fn builtins_print_what_bash_prints() {
    let cases = include_str!("builtins.txt");
    let mut wrong = Vec::new();
    let (mut script, mut expected) = (String::new(), String::new());
    for line in cases.lines() {
        match line.strip_prefix("$ ") {
            Some(line) => {
                script.push_str(line);
                script.push('\n');
            }
            None => {
                expected.push_str(line);
                expected.push('\n');
            }
        }
        if line.starts_with("=> ") {
            let found = run(script.trim_end_matches('\n'));
            if found != expected {
                wrong.push(format!("{script}--- bash:\n{expected}--- found:\n{found}"));
            }
            script.clear();
            expected.clear();
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
