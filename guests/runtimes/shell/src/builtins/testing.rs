//! For tests of builtins: running one with its output in memory, and the same in the real bash
//! where that is installed.

use std::io::Write;
use std::process::{Command, Stdio};
use std::rc::Rc;

use crate::builtins;
use crate::fds::{Capture, Open};
use crate::quote;
use crate::shell::Shell;
use crate::state::State;
use crate::text::Text;

/// Standard output, standard error and status of a builtin.
pub(super) type Outcome = (String, String, i32);

/// Runs a builtin.
pub(super) fn run(arguments: &[&[u8]]) -> Outcome {
    let mut shell = Shell::new(State {
        zero: Text::from("bash"),
        line: 1,
        ..State::default()
    });
    let captures = [Rc::new(Capture::default()), Rc::new(Capture::default())];
    for (number, capture) in captures.iter().enumerate() {
        shell
            .fds
            .set(number as u32 + 1, Open::Capture(Rc::clone(capture)));
    }
    let arguments: Vec<Text> = arguments.iter().map(|text| Text::new(text)).collect();
    let entry = builtins::find(&arguments[0]).expect("it is a builtin");
    let status = (entry.run)(&mut shell, &arguments).expect("it ends");
    let [out, err] = captures.map(|capture| latin(&capture.take()));
    (out, err, status)
}

/// Runs many in one bash 5.2; none where there is no such. Every command stands on line 1, so that
/// messages are the same.
pub(super) fn bash(all: &[Vec<&[u8]>]) -> Option<Vec<Outcome>> {
    let directory =
        std::env::temp_dir().join(format!("codepod-shell-{}-{:p}", std::process::id(), all));
    std::fs::create_dir_all(&directory).ok()?;
    let mut script = b"(( BASH_VERSINFO[0] == 5 && BASH_VERSINFO[1] == 2 )) || exit; ".to_vec();
    for (number, arguments) in all.iter().enumerate() {
        for argument in arguments {
            quote::printf(argument, &mut script);
            script.push(b' ');
        }
        script.extend(format!(">{number}.out 2>{number}.err; echo $? >{number}.status; ").bytes());
    }
    script.push(b'\n');
    let mut child = Command::new("bash")
        .env_clear()
        .env("LC_ALL", "C.UTF-8")
        .env("PATH", std::env::var_os("PATH")?)
        .current_dir(&directory)
        .stdin(Stdio::piped())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(&script).ok()?;
    child.wait().ok()?;
    let read = |number: usize, kind: &str| {
        let path = directory.join(format!("{number}.{kind}"));
        std::fs::read(path).ok().map(|bytes| latin(&bytes))
    };
    let outcomes = (0..all.len())
        .map(|number| {
            let status = read(number, "status")?.trim().parse().ok()?;
            Some((read(number, "out")?, read(number, "err")?, status))
        })
        .collect();
    std::fs::remove_dir_all(&directory).ok()?;
    outcomes
}

/// Bytes as text that shows every one of them.
fn latin(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

/// Compares both for many argument lists, and says which differ.
pub(super) fn compare<'a>(all: impl IntoIterator<Item = Vec<&'a [u8]>>) {
    let all: Vec<_> = all.into_iter().collect();
    let Some(expected) = bash(&all) else { return };
    let mut wrong = Vec::new();
    for (arguments, expected) in all.iter().zip(expected) {
        let found = run(arguments);
        if found != expected {
            let shown: Vec<_> = arguments.iter().map(|text| latin(text)).collect();
            wrong.push(format!(
                "{shown:?}\n  bash:  {expected:?}\n  found: {found:?}"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
