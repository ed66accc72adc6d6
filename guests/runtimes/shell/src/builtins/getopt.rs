//! Options of a builtin, as bash's own `getopt` reads them.

use super::{help, usage};
use crate::shell::Shell;
use crate::text::Text;

/// An option that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opt<'a> {
    /// Its letter.
    pub letter: u8,
    /// Whether it came with `-`; with `+` otherwise.
    pub minus: bool,
    /// Its argument; empty when it takes none.
    pub value: &'a [u8],
}

/// Reads the options of a builtin's arguments.
#[derive(Debug)]
pub struct Getopt<'a> {
    arguments: &'a [Text],
    letters: &'static [u8],
    plus: bool,
    /// The argument being read.
    at: usize,
    /// Where in it, above 0 inside a group of letters.
    inside: usize,
}

impl<'a> Getopt<'a> {
    /// Reads `arguments`, of which the first is the builtin's name. `letters` are those it knows,
    /// with `:` after one that takes an argument, and `+` first when options may start with
    /// `+`.
    pub fn new(arguments: &'a [Text], letters: &'static str) -> Getopt<'a> {
        let letters = letters.as_bytes();
        let (plus, letters) = match letters {
            [b'+', rest @ ..] => (true, rest),
            _ => (false, letters),
        };
        Getopt {
            arguments,
            letters,
            plus,
            at: 1,
            inside: 0,
        }
    }

    /// The next option, or none when only operands are left. The error is the builtin's status; the
    /// message is printed.
    pub fn next(&mut self, shell: &Shell) -> Result<Option<Opt<'a>>, i32> {
        let Some(argument) = self.arguments.get(self.at) else {
            return Ok(None);
        };
        if self.inside == 0 {
            match &argument[..] {
                b"--" => {
                    self.at += 1;
                    self.letters = b"";
                    self.plus = false;
                    self.inside = usize::MAX;
                    return Ok(None);
                }
                b"--help" => return Err(help::page(shell, &self.arguments[0])),
                [b'-', _, ..] => {}
                [b'+', _, ..] if self.plus => {}
                _ => return Ok(None),
            }
            self.inside = 1;
        } else if self.inside == usize::MAX {
            return Ok(None);
        }
        let minus = argument[0] == b'-';
        let letter = argument[self.inside];
        let place = self
            .letters
            .iter()
            .position(|known| *known == letter && letter != b':');
        let Some(place) = place else {
            let sign = if minus { b'-' } else { b'+' };
            shell.builtin_error(
                &self.arguments[0],
                [&[sign, letter][..], b": invalid option"].concat(),
            );
            return Err(usage(shell, &self.arguments[0]));
        };
        self.inside += 1;
        let rest = &argument[self.inside..];
        let mut value: &[u8] = b"";
        if self.letters.get(place + 1) == Some(&b':') {
            self.at += 1;
            self.inside = 0;
            if !rest.is_empty() {
                value = rest;
            } else if let Some(next) = self.arguments.get(self.at) {
                self.at += 1;
                value = next;
            } else {
                shell.builtin_error(
                    &self.arguments[0],
                    [&[b'-', letter][..], b": option requires an argument"].concat(),
                );
                return Err(usage(shell, &self.arguments[0]));
            }
        } else if rest.is_empty() {
            self.at += 1;
            self.inside = 0;
        }
        Ok(Some(Opt {
            letter,
            minus,
            value,
        }))
    }

    /// What is left after the options.
    pub fn operands(&self) -> &'a [Text] {
        &self.arguments[self.at.min(self.arguments.len())..]
    }
}

/// For builtins that take no options but `--help`: its status, where that is given.
pub(super) fn helped(shell: &Shell, arguments: &[Text]) -> Option<i32> {
    let asked = arguments.get(1).is_some_and(|first| &**first == b"--help");
    asked.then(|| help::page(shell, &arguments[0]))
}

/// For builtins without options: the operands, or an error for anything that looks like an option.
pub(super) fn none<'a>(shell: &Shell, arguments: &'a [Text]) -> Result<&'a [Text], i32> {
    let mut options = Getopt::new(arguments, "");
    options.next(shell)?;
    Ok(options.operands())
}
