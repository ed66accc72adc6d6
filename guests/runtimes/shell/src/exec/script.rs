//! Scripts: reading one complete command after another and running it.

use std::collections::BTreeMap;
use std::rc::Rc;

use codepod_shell_syntax::{ErrorKind, Options, Parser, SyntaxError};

use super::list;
use crate::flow::{Run, Stop};
use crate::invoke::Place;
use crate::options::{SetOptions, ShellOptions};
use crate::shell::Shell;
use crate::state::Invocation;
use crate::text::Text;
use crate::traps;

/// The aliases of a shell, as the parser asks for them.
#[derive(Debug)]
pub struct Aliases(Rc<BTreeMap<Text, Text>>);

impl Aliases {
    /// Those that are known now.
    pub fn of(shell: &Shell) -> Aliases {
        Aliases(Rc::clone(&shell.state.aliases))
    }
}

impl codepod_shell_syntax::Aliases for Aliases {
    fn get(&self, name: &[u8]) -> Option<Vec<u8>> {
        self.0.get(name).map(|text| text.to_vec())
    }
}

/// The grammar as the shell's options have it now.
pub fn parser_options(shell: &Shell, first_line: u32) -> Options {
    Options {
        extglob: shell.state.shopt.has(ShellOptions::EXTGLOB),
        posix: shell.state.set.has(SetOptions::POSIX),
        braces: shell.state.set.has(SetOptions::BRACEEXPAND),
        aliases: shell.state.shopt.has(ShellOptions::EXPAND_ALIASES),
        keyword: shell.state.set.has(SetOptions::KEYWORD),
        first_line,
    }
}

/// A script being read.
pub struct Script<'s> {
    parser: Parser<'s>,
    /// What stands before the line in a syntax error: `eval`, `-c`, or nothing.
    label: &'static str,
    /// Whether it is the script of the shell itself, which a syntax error ends.
    main: bool,
    /// Where its lines come from, if from a descriptor of the script.
    place: Option<Place>,
}

impl<'s> Script<'s> {
    /// Reads what the parser gives.
    pub fn new(parser: Parser<'s>, label: &'static str, main: bool) -> Script<'s> {
        Script {
            parser,
            label,
            main,
            place: None,
        }
    }

    /// Says where the lines come from: standard input, whatever that is by then.
    #[must_use]
    pub(crate) fn with_input(mut self, place: Place) -> Script<'s> {
        self.place = Some(place);
        self
    }

    /// Runs it to its end.
    pub fn run(&mut self, shell: &mut Shell) -> Run {
        let mut options = parser_options(shell, 1);
        let mut commands = 0u32;
        loop {
            let now = parser_options(shell, 1);
            if now != options {
                options = now;
                self.parser.set_options(options);
            }
            if let Some(place) = &self.place {
                place.look(shell)?;
            }
            let start = self.parser.position();
            let parsed = self.parser.next(&Aliases::of(shell));
            for warning in self.parser.take_warnings() {
                shell.error_at(warning.line, &[b"warning: ", &warning.message[..]].concat());
            }
            if self.main {
                self.note(shell, start);
            }
            let list = match parsed {
                Ok(Some(list)) => list,
                Ok(None) => {
                    // A script without commands succeeds.
                    if commands == 0 {
                        shell.state.status = 0;
                    }
                    return Ok(());
                }
                Err(error) => {
                    syntax_error(shell, &error, self.label);
                    if error.recoverable {
                        shell.state.status = 1;
                        commands += 1;
                        continue;
                    }
                    if error.substituted && shell.state.invocation == Invocation::Command {
                        shell.state.status = 127;
                        return Err(Stop::Exit);
                    }
                    if self.main && error.at_end {
                        if shell.state.status == 0 {
                            shell.state.status = 2;
                        }
                    } else if let Some(status) = error.status {
                        shell.state.status = status;
                    } else if !self.main || shell.state.set.has(SetOptions::ERREXIT) {
                        shell.state.status = 2;
                    }
                    if shell.state.interactive && self.place.is_some() {
                        continue;
                    }
                    return if self.main { Err(Stop::Exit) } else { Ok(()) };
                }
            };
            if list.items.is_empty() {
                continue;
            }
            commands += 1;
            if shell.state.set.has(SetOptions::NOEXEC) && !shell.state.interactive {
                continue;
            }
            if self.main {
                shell.last_line = self.parser.last_line();
            }
            // What came while the last command ran has its trap run before the script ends.
            match list::run(shell, &list).and_then(|()| traps::check(shell)) {
                Ok(()) => {}
                // An error gave up the line; in a subshell nothing is left to go on with.
                Err(Stop::Discard) if shell.state.subshell == 0 || self.main => {
                    let status = shell.state.status;
                    super::set_status(shell, status);
                    if self.main {
                        // bash goes on counting from the command that was given up.
                        self.parser.renumber(shell.state.line.wrapping_add(1));
                    }
                }
                Err(Stop::Discard) => return Err(Stop::Exit),
                Err(stop) => return Err(stop),
            }
            if shell.state.set.has(SetOptions::ONECMD) && self.main && self.label.is_empty() {
                return Err(Stop::Exit);
            }
        }
    }
}

impl Script<'_> {
    /// After reading a command from `start` on: `set -v` prints it, `set -o history` remembers it,
    /// prompts count it.
    fn note(&mut self, shell: &mut Shell, start: usize) {
        shell.state.command_number += 1;
        if !shell.state.set.has(SetOptions::VERBOSE) && !shell.state.set.has(SetOptions::HISTORY) {
            return;
        }
        let text = self.parser.text();
        let text = text.get(start..self.parser.position()).unwrap_or_default();
        if shell.state.set.has(SetOptions::VERBOSE) {
            let _ = shell.fds.write(2, text);
        }
        if shell.state.set.has(SetOptions::HISTORY) {
            let text = text.trim_ascii();
            if !text.is_empty() {
                crate::builtins::history::remember(shell, text);
            }
        }
    }
}

/// Parses and runs text.
pub(super) fn text(shell: &mut Shell, text: &[u8], first_line: u32, label: &'static str) -> Run {
    super::take_stack(shell, super::cost::TEXT)?;
    note_names(shell, text);
    let parser = Parser::new(text, parser_options(shell, first_line));
    let level = shell.state.trace_level;
    // The trap at the end of the shell runs on no level.
    let outside = label == "exit trap" && shell.state.subshell == 0;
    shell.state.trace_level = if outside { 0 } else { level + 1 };
    let shift = std::mem::take(&mut shell.state.line_shift);
    let mut result = Script::new(parser, label, false).run(shell);
    if result.is_ok() && shell.state.set.has(SetOptions::NOEXEC) && !shell.state.interactive {
        result = Err(Stop::Discard);
    }
    shell.state.line_shift = shift;
    shell.state.trace_level = level;
    super::give_back(shell, super::cost::TEXT);
    result
}

/// Looks whether a script asks for `BASH_COMMAND`, which costs something to know.
pub(crate) fn note_names(shell: &mut Shell, text: &[u8]) {
    const NAME: &[u8] = b"BASH_COMMAND";
    if !shell.state.names_command && text.len() >= NAME.len() {
        let last = text.len() - NAME.len();
        let mut at = 0;
        while at <= last {
            match text[at..=last].iter().position(|byte| *byte == b'B') {
                Some(found) if text[at + found..].starts_with(NAME) => {
                    shell.state.names_command = true;
                    return;
                }
                Some(found) => at += found + 1,
                None => return,
            }
        }
    }
}

/// Prints a syntax error as bash does: the message, and for an unexpected token the line it is on.
pub fn syntax_error(shell: &mut Shell, error: &SyntaxError, label: &str) {
    if matches!(&error.kind, ErrorKind::Other(message) if message.is_empty()) {
        return;
    }
    let line = std::mem::replace(&mut shell.state.line, error.line);
    let mut prefix = Vec::new();
    if !label.is_empty() {
        prefix = shell.name_for_errors().to_vec();
        prefix.extend_from_slice(b": ");
        prefix.extend_from_slice(label.as_bytes());
        prefix.extend_from_slice(b": line ");
        prefix.extend_from_slice(&Text::number(error.line.into()));
        prefix.extend_from_slice(b": ");
    }
    let file = shell
        .state
        .frames
        .last()
        .filter(|frame| frame.sourced && shell.state.interactive);
    if let Some(frame) = file {
        prefix = [
            b"bash: ",
            &*frame.source,
            b": line ",
            &Text::number(error.line.into()),
            b": ",
        ]
        .concat();
    } else if label.is_empty() {
        prefix = shell.prefix();
    }
    let mut text = [&prefix[..], &error.message(), b"\n"].concat();
    if matches!(error.kind, ErrorKind::Unexpected(_)) {
        text.extend_from_slice(&prefix);
        text.push(b'`');
        text.extend_from_slice(&error.source);
        text.extend_from_slice(b"'\n");
    }
    let _ = shell.fds.write(2, &text);
    shell.state.line = line;
}
