//! `codepod shell`: bash at a prompt.
//!
//! Lines are edited by `rustyline` and run one after the other in the sandbox's main shell, each on
//! a terminal of its own (`foreground.rs`). What completes, what is an unfinished line and where
//! the shell is are asked of the library, in forks.

mod editor;
mod foreground;

use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use codepod::{Sandbox, StateDirectory};
use rustyline::error::ReadlineError;

use self::editor::{Helper, Prompt};
use self::foreground::Foreground;
use crate::failure::Failure;
use crate::options::{NEVER, Place, SandboxOptions, compiling};
use crate::wall;

/// Lines of history that are kept.
const HISTORY: usize = 10_000;

const EXAMPLES: &str = "\
Examples:
  codepod shell                                  a sandbox that is gone afterwards
  codepod shell --state play                     files, variables and history kept under a name
  codepod shell --mount .:/work:overlay          with a directory of yours, which stays as it is

Keys are readline's: Tab completes, Ctrl-R searches the history, Ctrl-C ends the command and not
the shell (a program that handles it, such as Python, goes on; Ctrl-\\ ends it), Ctrl-D on an empty
line or `exit` ends the shell. Commands end when they have ended: there is no job control (`fg`,
`bg`, Ctrl-Z on a command); `command &` and `jobs` work.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Shell {
    #[command(flatten)]
    sandbox: SandboxOptions,
    /// Resume the saved state of this name, or create it, and save files and variables to it
    #[arg(long, value_name = "NAME")]
    state: Option<String>,
}

impl Shell {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
            return Err(Failure::new(
                "`codepod shell` needs a terminal",
                "`codepod run` takes a script as an argument or on standard input",
            ));
        }
        if let Some(name) = &self.state {
            self.sandbox.check_for_state(name)?;
        }
        // Commands at a prompt are ended by their user.
        let timeout = self.sandbox.timeout().unwrap_or(NEVER);
        let options = self.sandbox.options()?;
        let env = crate::options::variables(&options);
        let state = self.state.as_deref();
        let mut needs = wall::needs(&options, state)?;
        let history = history_file(state)?;
        needs.writes.push(history.clone());
        (needs.terminal, needs.keeps) = (true, true);
        let prepare = || Ok((editor::editor(HISTORY)?, Foreground::interrupts()?));
        let (runtime, (mut editor, pressed)) = wall::closed_around(needs, &options, prepare)?;
        let place = Place::open(&runtime, options, state)?;
        let sandbox = place.sandbox();
        if let Place::Saved(_) = place {
            for (name, value) in &env {
                sandbox.shell("").set_env_blocking(name, value)?;
            }
        }
        let progress = compiling(sandbox);
        let colours = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        editor.set_helper(Some(Helper::new(sandbox.clone(), colours)));
        // Without a file there is no history from before, and none is kept.
        let _ = editor.load_history(&history);
        let mut foreground = Foreground::new(sandbox, timeout, pressed);
        greet(self.state.as_deref());
        let mut status = 0;
        loop {
            let prompt = Prompt {
                directory: working_directory(sandbox),
                status,
            };
            if let Some(helper) = editor.helper_mut() {
                helper.prompt = prompt.clone();
            }
            let line = match editor.readline(&prompt.plain()) {
                Ok(line) => line,
                Err(ReadlineError::Interrupted) => {
                    status = 130;
                    continue;
                }
                Err(ReadlineError::Eof) => {
                    let _ = writeln!(std::io::stdout(), "exit");
                    break;
                }
                Err(error) => {
                    return Err(Failure::new(
                        format!("the terminal cannot be read: {error}"),
                        "`codepod run` needs none",
                    ));
                }
            };
            if line.trim().is_empty() {
                continue;
            }
            let _ = editor.add_history_entry(&line);
            let _ = editor.append_history(&history);
            if let Some(code) = exits(&line, status) {
                status = code;
                break;
            }
            let size = editor.dimensions().unwrap_or((80, 24));
            status = foreground.run(&line, (size.1.into(), size.0.into()))?;
            // What cannot be saved now may be later: the shell goes on.
            if let Err(failure) = place.save() {
                failure.tell();
            }
        }
        // The shell ends with its EXIT trap.
        let size = editor.dimensions().unwrap_or((80, 24));
        let exit = format!("exit {status}");
        let status = foreground.run(&exit, (size.1.into(), size.0.into()))?;
        place.save()?;
        drop(progress);
        Ok(status)
    }
}

#[expect(clippy::print_stdout, reason = "a command-line program")]
fn greet(state: Option<&str>) {
    let kept = match state {
        Some(name) => format!("the state `{name}`"),
        None => "a new sandbox, gone when you leave".to_owned(),
    };
    println!("codepod {}: {kept}", env!("CARGO_PKG_VERSION"));
    println!("`help` lists the commands, `exit` or Ctrl-D ends");
}

/// Where the history of a state is, or of shells without one. It is there afterwards, if it can be
/// made, and its owner's alone.
fn history_file(state: Option<&str>) -> Result<PathBuf, Failure> {
    let states = StateDirectory::of_user()?;
    let path = match state {
        Some(name) => states.folder(name)?.join("history"),
        None => {
            let above = states.path().parent().unwrap_or(states.path());
            let _ = std::fs::create_dir_all(above);
            above.join("history")
        }
    };
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // Without a file there is no history.
    let _ = options.open(&path);
    Ok(path)
}

/// Where the shell is, asked in a fork so that nothing changes.
fn working_directory(sandbox: &Sandbox) -> String {
    let asked = sandbox.fork().and_then(|fork| {
        let script = fork.script("printf %s \"$PWD\"");
        script.timeout(Duration::from_secs(2)).run_blocking()
    });
    match asked {
        Ok(result) if !result.stdout.is_empty() => crate::terminal_text::shown_path(&result.stdout),
        _ => "?".into(),
    }
}

/// The status that a line ends the shell with, if it does: `exit`, `exit 3`, `logout`. As a part of
/// a longer line it only ends that line, as it ends a script.
fn exits(line: &str, last: u8) -> Option<u8> {
    let mut words = line.split_whitespace();
    if !matches!(words.next(), Some("exit" | "logout")) {
        return None;
    }
    let code = match words.next() {
        None => last,
        // As bash has it: the low eight bits.
        Some(word) => word.parse::<i64>().ok()? as u8,
    };
    words.next().is_none().then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_only_exit_ends_the_shell() {
        let cases = [
            ("exit", Some(7)),
            (" logout ", Some(7)),
            ("exit 3", Some(3)),
            ("exit 256", Some(0)),
            ("exit -1", Some(255)),
            ("exit x", None),
            ("exit 1 2", None),
            ("exits", None),
            ("true; exit", None),
            ("", None),
        ];
        for (line, expected) in cases {
            assert_eq!(exits(line, 7), expected, "{line}");
        }
    }
}
