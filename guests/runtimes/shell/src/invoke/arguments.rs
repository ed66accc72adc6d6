//! The arguments of `bash`.

use codepod_sys::Fd;

use crate::options::{SET_OPTIONS, SHELL_OPTIONS, SetOptions, ShellOptions};
use crate::text::Text;

/// What runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mode {
    /// `-c`
    Command(Text),
    /// A script file.
    File(Text),
    /// Standard input.
    Input,
}

/// What the arguments say.
#[derive(Debug, Clone)]
pub(super) struct Arguments {
    pub(super) mode: Mode,
    pub(super) zero: Text,
    pub(super) positional: Vec<Text>,
    pub(super) set: Vec<(SetOptions, bool)>,
    pub(super) shopt: Vec<(ShellOptions, bool)>,
    pub(super) interactive: bool,
    pub(super) login: bool,
    pub(super) no_profile: bool,
    pub(super) no_rc: bool,
    pub(super) rc_file: Option<Text>,
    pub(super) posix: bool,
    /// `-s`, which `$-` shows.
    pub(super) from_input: bool,
}

/// The shell ends at once, having said something.
#[derive(Debug)]
pub(super) struct End {
    pub(super) text: Vec<u8>,
    pub(super) to: Fd,
    pub(super) status: u32,
}

const VERSION: &str = "GNU bash, version 5.2.15(1)-release (wasm32-codepod-linux-gnu)\n\
    codepod's own shell, which runs scripts as bash 5.2 does.\n";

const HELP: &str = "Usage:\tbash [GNU long option] [option] ...\n\
    \tbash [GNU long option] [option] script-file ...\n\
    GNU long options:\n\
    \t--help\n\t--init-file\n\t--login\n\t--noediting\n\t--noprofile\n\t--norc\n\t--posix\n\t--rcfile\n\t--verbose\n\t--version\n\
    Shell options:\n\
    \t-ilsD or -c command or -O shopt_option\t\t(invocation only)\n\
    \t-abefhkmnptuvxBCEHPT or -o option\n";

fn wrong(name: &[u8], parts: &[&[u8]]) -> End {
    let mut text = [name, b": "].concat();
    text.extend_from_slice(&parts.concat());
    text.push(b'\n');
    End {
        text,
        to: Fd::STDERR,
        status: 2,
    }
}

/// Understands the arguments, the program's name first.
pub(super) fn parse(arguments: &[Vec<u8>]) -> Result<Arguments, End> {
    let program = arguments.first().map_or(&b"bash"[..], Vec::as_slice);
    let base = program
        .rsplit(|byte| *byte == b'/')
        .next()
        .unwrap_or_default();
    let mut reader = Reader {
        program,
        base,
        words: arguments.get(1..).unwrap_or_default(),
        parsed: Arguments {
            mode: Mode::Input,
            zero: Text::new(program),
            positional: Vec::new(),
            set: Vec::new(),
            shopt: Vec::new(),
            interactive: false,
            login: base.starts_with(b"-"),
            no_profile: false,
            no_rc: false,
            rc_file: None,
            posix: base == b"sh" || base == b"-sh",
            from_input: false,
        },
        command: false,
    };
    reader.long_options()?;
    reader.letters()?;
    reader.rest()
}

/// Goes through the arguments of a shell.
struct Reader<'a> {
    program: &'a [u8],
    /// The last part of the program's name.
    base: &'a [u8],
    /// The arguments that are not read yet.
    words: &'a [Vec<u8>],
    parsed: Arguments,
    /// `-c`
    command: bool,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(first)
    }

    fn wrong(&self, parts: &[&[u8]]) -> End {
        wrong(self.program, parts)
    }

    fn invalid_option(&self, option: &[u8]) -> End {
        let mut end = self.wrong(&[option, b": invalid option"]);
        end.text.extend_from_slice(HELP.as_bytes());
        end
    }

    /// Options with names, which come first.
    fn long_options(&mut self) -> Result<(), End> {
        while let Some(word) = self.words.first() {
            let Some(option) = word.strip_prefix(b"--").filter(|option| !option.is_empty()) else {
                break;
            };
            self.next();
            let parsed = &mut self.parsed;
            match option {
                b"help" => return Err(told(HELP)),
                b"version" => return Err(told(VERSION)),
                b"login" => parsed.login = true,
                b"norc" => parsed.no_rc = true,
                b"noprofile" => parsed.no_profile = true,
                b"codepod-zero" => {
                    let zero = self.next().map(Text::new).unwrap_or_default();
                    self.parsed.login = zero.starts_with(b"-");
                    self.parsed.zero = zero;
                }
                b"posix" => parsed.posix = true,
                b"verbose" => parsed.set.push((SetOptions::VERBOSE, true)),
                b"noediting" | b"debugger" | b"restricted" => {}
                b"rcfile" | b"init-file" => match self.next() {
                    Some(file) => self.parsed.rc_file = Some(Text::new(file)),
                    None => return Err(self.wrong(&[word, b": option requires an argument"])),
                },
                _ => return Err(self.invalid_option(word)),
            }
        }
        Ok(())
    }

    /// Words of letters, each of which is an option.
    fn letters(&mut self) -> Result<(), End> {
        while let Some(word) = self.words.first() {
            let (on, letters) = match &word[..] {
                b"-" | b"--" => {
                    self.next();
                    break;
                }
                [b'-', letters @ ..] if !letters.is_empty() => (true, letters),
                [b'+', letters @ ..] if !letters.is_empty() => (false, letters),
                _ => break,
            };
            self.next();
            for letter in letters {
                self.letter(on, *letter)?;
            }
        }
        Ok(())
    }

    fn letter(&mut self, on: bool, letter: u8) -> Result<(), End> {
        match letter {
            b'c' => self.command = true,
            b's' => self.parsed.from_input = true,
            b'i' => self.parsed.interactive = on,
            b'l' => self.parsed.login = true,
            b'D' => {}
            b'o' => {
                let name = self.next().ok_or_else(|| told(&listed(on)))?;
                let Some(option) = SetOptions::named(name) else {
                    let parts = [
                        b"line 0: ",
                        self.base,
                        b": ",
                        name,
                        b": invalid option name",
                    ];
                    return Err(self.wrong(&parts));
                };
                self.parsed.set.push((option, on));
            }
            b'O' => {
                let name = self.next().ok_or_else(|| told(&shopt_listed(on)))?;
                let Some(option) = ShellOptions::named(name) else {
                    return Err(self.wrong(&[name, b": invalid shell option name"]));
                };
                self.parsed.shopt.push((option, on));
            }
            _ => {
                let known = SET_OPTIONS
                    .iter()
                    .find(|(_, known, _)| *known == Some(letter));
                let Some((_, _, option)) = known else {
                    let sign = if on { b'-' } else { b'+' };
                    return Err(self.invalid_option(&[sign, letter]));
                };
                self.parsed.set.push((*option, on));
            }
        }
        Ok(())
    }

    /// What is behind the options: the command or the script, and the parameters.
    fn rest(mut self) -> Result<Arguments, End> {
        if self.parsed.posix {
            self.parsed.set.insert(0, (SetOptions::POSIX, true));
        }
        if self.command {
            match self.next() {
                Some(text) => self.parsed.mode = Mode::Command(Text::new(text)),
                None => return Err(self.wrong(&[b"-c: option requires an argument"])),
            }
            if let Some(zero) = self.next() {
                self.parsed.zero = Text::new(zero);
            }
        } else if !self.parsed.from_input
            && let Some(file) = self.next()
        {
            self.parsed.mode = Mode::File(Text::new(file));
        }
        self.parsed.positional = self.words.iter().map(|word| Text::new(word)).collect();
        Ok(self.parsed)
    }
}

fn told(text: &str) -> End {
    End {
        text: text.as_bytes().to_vec(),
        to: Fd::STDOUT,
        status: 0,
    }
}

/// `bash -o` alone lists the options.
fn listed(on: bool) -> String {
    let set = SetOptions::default();
    let lines = SET_OPTIONS.iter().map(|(name, _, option)| {
        if on {
            let state = if set.has(*option) { "on" } else { "off" };
            format!("{name:<15}\t{state}\n")
        } else {
            let sign = if set.has(*option) { '-' } else { '+' };
            format!("set {sign}o {name}\n")
        }
    });
    lines.collect()
}

fn shopt_listed(on: bool) -> String {
    let set = ShellOptions::default();
    let lines = SHELL_OPTIONS.iter().map(|(name, _, option)| {
        if on {
            let state = if set.has(*option) { "on" } else { "off" };
            format!("{name:<15}\t{state}\n")
        } else {
            let letter = if set.has(*option) { 's' } else { 'u' };
            format!("shopt -{letter} {name}\n")
        }
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &[&str]) -> Arguments {
        let words: Vec<Vec<u8>> = words.iter().map(|word| word.as_bytes().to_vec()).collect();
        parse(&words).unwrap()
    }

    #[test]
    fn a_command_has_a_name_and_parameters() {
        let arguments = parsed(&["bash", "-ec", "echo hi", "name", "a", "b"]);
        assert_eq!(arguments.mode, Mode::Command(Text::from("echo hi")));
        assert_eq!(arguments.zero, Text::from("name"));
        assert_eq!(arguments.positional, [Text::from("a"), Text::from("b")]);
        assert_eq!(arguments.set, [(SetOptions::ERREXIT, true)]);
    }

    #[test]
    fn options_with_names_take_the_next_word() {
        let arguments = parsed(&[
            "/bin/sh", "-eo", "pipefail", "+B", "-O", "extglob", "x.sh", "-c",
        ]);
        assert!(arguments.posix);
        assert!(arguments.set.contains(&(SetOptions::PIPEFAIL, true)));
        assert!(arguments.set.contains(&(SetOptions::BRACEEXPAND, false)));
        assert_eq!(arguments.shopt, [(ShellOptions::EXTGLOB, true)]);
        assert_eq!(arguments.mode, Mode::File(Text::from("x.sh")));
        assert_eq!(arguments.positional, [Text::from("-c")]);
    }

    #[test]
    fn a_wrong_option_says_so() {
        let words = [b"bash".to_vec(), b"-Z".to_vec()];
        let end = parse(&words).unwrap_err();
        assert!(end.text.starts_with(b"bash: -Z: invalid option\n"));
        assert_eq!(end.status, 2);
    }
}
