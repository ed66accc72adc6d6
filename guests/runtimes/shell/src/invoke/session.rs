//! Serving the host: run after run in one process, with the state kept in between.

use std::rc::Rc;

use codepod_shell_syntax::{Name, Parser};
use codepod_sys::session::{self, HINTS, Request, strings};
use codepod_sys::terminal::is_terminal;
use codepod_sys::{Errno, Fd, Signal, cwd, process};

use super::start;
use crate::child;
use crate::exec::{self, Script, note_names, parser_options};
use crate::fds::{self, Open, Owned};
use crate::flow::{Run, Stop};
use crate::jobs;
use crate::options::SetOptions;
use crate::shell::Shell;
use crate::special;
use crate::state::{Invocation, State, VERSION};
use crate::text::Text;
use crate::traps::{self, Hidden};
use crate::variables::{Attributes, Value, Variable};

/// What goes to the host and comes back.
#[derive(serde::Serialize, serde::Deserialize)]
struct Saved<S> {
    version: u32,
    umask: Option<u32>,
    state: S,
}

/// Serves until the host ends the session.
pub(super) fn main() -> ! {
    let mut shell = start::new(Text::from("bash"), Invocation::Command);
    standard(&mut shell);
    let start = shell.state.set;
    let mut known = shell.state.clone();
    let mut buffer = Vec::new();
    loop {
        match session::next(&mut buffer) {
            Ok(()) => {}
            Err(Errno::Intr) => {
                traps::collect();
                continue;
            }
            Err(_) => process::exit(1),
        }
        let answer = match Request::decode(&buffer) {
            Some(Request::Run(run)) => {
                let status = serve(&mut shell, &run, start);
                let blob = changed(&shell.state, &known).then(|| encode(&shell.state));
                if blob.is_some() {
                    known = shell.state.clone();
                }
                session::done(status as u8, blob.as_deref())
            }
            Some(Request::Load { state }) => {
                let status = match load(state) {
                    Some(state) => {
                        exec::put_back(&mut shell, state);
                        special::reseed_random(&mut shell);
                        shell.state.status = 0;
                        known = shell.state.clone();
                        0
                    }
                    None => 1,
                };
                session::done(status, None)
            }
            Some(Request::End) => process::exit(child::finish(&mut shell, Ok(()))),
            None => session::done(2, None),
        };
        if answer.is_err() {
            // A state that is too long is not kept; the run itself is answered.
            let _ = session::done((shell.state.status & 255) as u8, None);
        }
    }
}

/// Standard input, output and error are the run's own; they are the kernel's to close.
fn standard(shell: &mut Shell) {
    for number in 0..3 {
        shell
            .fds
            .set(number, Open::Kernel(Rc::new(Owned::borrowed(Fd(number)))));
    }
}

/// Runs a script and returns its status. `start` is what `SHELLOPTS` of the environment has set.
fn serve(shell: &mut Shell, run: &session::Run<'_>, start: SetOptions) -> i32 {
    shell.state.hints = run.flags & HINTS != 0;
    let environment = export(shell, run.env);
    let arguments = (!run.arguments.is_empty()).then(|| {
        let mut words = strings(run.arguments).map(Text::new);
        let zero = words.next().unwrap_or_default();
        let positional = Rc::new(words.collect());
        (
            std::mem::replace(&mut shell.state.zero, zero),
            std::mem::replace(&mut shell.state.positional, positional),
        )
    });
    // A line at a prompt; everything else is a script.
    let own = (!is_terminal(Fd::STDIN)).then(|| Own::begin(shell, start));
    let result = script(shell, run);
    let status = ended(shell, result, own.is_some());
    if let Some(own) = own {
        own.end(shell, run.script);
    }
    if let Some((zero, positional)) = arguments {
        shell.state.zero = zero;
        shell.state.positional = positional;
    }
    for (name, variable) in environment {
        *shell.state.variables.get_mut(name) = variable;
    }
    status
}

fn script(shell: &mut Shell, run: &session::Run<'_>) -> Run {
    note_names(shell, run.script);
    let parser = Parser::new(run.script, parser_options(shell, 1));
    Script::new(parser, "-c", true).run(shell)
}

/// What a script has for itself: the options that change how commands fail or are shown, and the
/// traps of the shell's own events. In a script file they end with it; a run is as good as one, so
/// `set -e` in one run does not end the next at its first failure.
struct Own {
    set: SetOptions,
    traps: Hidden,
}

impl Own {
    const OPTIONS: [SetOptions; 9] = [
        SetOptions::ERREXIT,
        SetOptions::NOUNSET,
        SetOptions::PIPEFAIL,
        SetOptions::ERRTRACE,
        SetOptions::FUNCTRACE,
        SetOptions::XTRACE,
        SetOptions::VERBOSE,
        SetOptions::NOEXEC,
        SetOptions::ONECMD,
    ];

    /// The script starts without options and traps that a prompt has left.
    fn begin(shell: &mut Shell, start: SetOptions) -> Own {
        let set = shell.state.set;
        for option in Own::OPTIONS {
            shell.state.set.set(option, start.has(option));
        }
        let traps = traps::enter_script(shell);
        Own { set, traps }
    }

    /// Puts back what was before the script, and says so to who has set something at its very end,
    /// where it can only be meant for the next.
    fn end(self, shell: &mut Shell, script: &[u8]) {
        let mut forgotten = traps::leave_script(shell, self.traps);
        for option in Own::OPTIONS {
            forgotten |= shell.state.set.has(option) && !self.set.has(option);
            shell.state.set.set(option, self.set.has(option));
        }
        if forgotten && sets_last(script) {
            shell.hint("`set -e`, `-u`, `-x`, `-o pipefail` and traps for ERR, DEBUG, RETURN and EXIT end with the run: begin each script with them");
        }
    }
}

/// Whether the last command of a script is `set` or `trap`, as far as its text tells.
fn sets_last(script: &[u8]) -> bool {
    let script = script.trim_ascii_end();
    let ends = |byte: &u8| matches!(byte, b'\n' | b';' | b'&' | b'|');
    let last = script.iter().rposition(ends).map_or(0, |at| at + 1);
    let last = script.get(last..).unwrap_or_default().trim_ascii_start();
    last.starts_with(b"set ") || last.starts_with(b"trap ")
}

/// The end of a run. `exit` ends it and the shell goes on; the EXIT trap of a script runs, and at a
/// prompt that of a line that exits.
fn ended(shell: &mut Shell, result: Run, is_script: bool) -> i32 {
    match result {
        Err(Stop::Killed(signal)) => {
            fds::take_broken_pipe();
            shell.state.status = 128 + signal.cast_signed();
            if is_script && signal != Signal::Pipe.raw() {
                traps::exit(shell);
            }
        }
        Err(Stop::Exit) => traps::exit(shell),
        _ if is_script => traps::exit(shell),
        _ => {}
    }
    // What `exec` has redirected was the run's own; the next one has its streams at the same
    // numbers.
    standard(shell);
    jobs::wait_substitutions(shell);
    shell.depth = 0;
    shell.state.condition = 0;
    shell.state.status &= 255;
    shell.state.status
}

/// Exports variables for a run and returns what they were.
fn export(shell: &mut Shell, environment: &[u8]) -> Vec<(Name, Variable)> {
    let mut old = Vec::new();
    for entry in strings(environment) {
        let Some(equals) = entry.iter().position(|byte| *byte == b'=') else {
            continue;
        };
        if !crate::builtins::is_name(&entry[..equals]) {
            continue;
        }
        let name = Name::new(&entry[..equals]);
        let variable = Variable {
            value: Value::Text(Text::new(&entry[equals + 1..])),
            attributes: Attributes::EXPORT,
        };
        old.push((
            name,
            std::mem::replace(shell.state.variables.get_mut(name), variable),
        ));
    }
    old
}

/// Whether the host's copy of the state is out of date.
fn changed(state: &State, known: &State) -> bool {
    !state.is_same(known)
}

fn encode(state: &State) -> Vec<u8> {
    let saved = Saved {
        version: VERSION,
        umask: state.umask,
        state,
    };
    postcard::to_allocvec(&saved).unwrap_or_default()
}

/// A state that this version has saved. Its directory and umask become the process's.
fn load(bytes: &[u8]) -> Option<State> {
    let (version, _) = postcard::take_from_bytes::<u32>(bytes).ok()?;
    if version != VERSION {
        return None;
    }
    let saved: Saved<State> = postcard::from_bytes(bytes).ok()?;
    let mut state = saved.state;
    let _ = cwd::change(&state.directory);
    state.pid = crate::shell::own_process_number();
    Some(state)
}
