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
    let login = base.starts_with(b"-");
    let mut parsed = Arguments {
        mode: Mode::Input,
        zero: Text::new(program),
        positional: Vec::new(),
        set: Vec::new(),
        shopt: Vec::new(),
        interactive: false,
        login,
        no_profile: false,
        no_rc: false,
        rc_file: None,
        posix: base == b"sh" || base == b"-sh",
        from_input: false,
    };
    let mut words = arguments.iter().skip(1).map(Vec::as_slice).peekable();
    let mut command = false;
    // Long options come first.
    while let Some(word) = words.peek().copied() {
        let Some(option) = word.strip_prefix(b"--").filter(|option| !option.is_empty()) else {
            break;
        };
        match option {
            b"help" => return Err(told(HELP)),
            b"version" => return Err(told(VERSION)),
            b"login" => parsed.login = true,
            b"norc" => parsed.no_rc = true,
            b"noprofile" => parsed.no_profile = true,
            b"codepod-zero" => {
                words.next();
                parsed.zero = words.peek().map(|name| Text::new(name)).unwrap_or_default();
                parsed.login = parsed.zero.starts_with(b"-");
            }
            b"posix" => parsed.posix = true,
            b"verbose" => parsed.set.push((SetOptions::VERBOSE, true)),
            b"noediting" | b"debugger" | b"restricted" => {}
            b"rcfile" | b"init-file" => {
                words.next();
                match words.peek() {
                    Some(file) => parsed.rc_file = Some(Text::new(file)),
                    None => return Err(wrong(program, &[word, b": option requires an argument"])),
                }
            }
            _ => {
                let mut end = wrong(program, &[word, b": invalid option"]);
                end.text.extend_from_slice(HELP.as_bytes());
                return Err(end);
            }
        }
        words.next();
    }
    while let Some(word) = words.peek().copied() {
        if word == b"-" || word == b"--" {
            words.next();
            break;
        }
        let (on, letters) = match word {
            [b'-', letters @ ..] if !letters.is_empty() => (true, letters),
            [b'+', letters @ ..] if !letters.is_empty() => (false, letters),
            _ => break,
        };
        words.next();
        for letter in letters {
            match letter {
                b'c' => command = true,
                b's' => parsed.from_input = true,
                b'i' => parsed.interactive = on,
                b'l' => parsed.login = true,
                b'D' => {}
                b'o' => match words.next() {
                    Some(name) => match SetOptions::named(name) {
                        Some(option) => parsed.set.push((option, on)),
                        None => {
                            let parts = [b"line 0: ", base, b": ", name, b": invalid option name"];
                            return Err(wrong(program, &parts));
                        }
                    },
                    None => return Err(told(&listed(on))),
                },
                b'O' => match words.next() {
                    Some(name) => match ShellOptions::named(name) {
                        Some(option) => parsed.shopt.push((option, on)),
                        None => {
                            return Err(wrong(program, &[name, b": invalid shell option name"]));
                        }
                    },
                    None => return Err(told(&shopt_listed(on))),
                },
                letter => {
                    let option = SET_OPTIONS
                        .iter()
                        .find(|(_, known, _)| *known == Some(*letter));
                    match option {
                        Some((_, _, option)) => parsed.set.push((*option, on)),
                        None => {
                            let sign = if on { b"-" } else { b"+" };
                            let mut end = wrong(program, &[sign, &[*letter], b": invalid option"]);
                            end.text.extend_from_slice(HELP.as_bytes());
                            return Err(end);
                        }
                    }
                }
            }
        }
    }
    if parsed.posix {
        parsed.set.insert(0, (SetOptions::POSIX, true));
    }
    if command {
        match words.next() {
            Some(text) => parsed.mode = Mode::Command(Text::new(text)),
            None => return Err(wrong(program, &[b"-c: option requires an argument"])),
        }
        if let Some(zero) = words.next() {
            parsed.zero = Text::new(zero);
        }
    } else if !parsed.from_input
        && let Some(file) = words.next()
    {
        parsed.mode = Mode::File(Text::new(file));
    }
    parsed.positional = words.map(Text::new).collect();
    Ok(parsed)
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
