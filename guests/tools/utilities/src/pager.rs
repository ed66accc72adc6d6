//! `less` and `more`: as `cat` where standard output is no terminal, a screen at a time where it
//! is.

use std::io::{IsTerminal as _, Read as _};

#[cfg(target_os = "wasi")]
use codepod_sys::terminal::TerminalState;
use codepod_tool::{Arguments, Output, Stop};

use crate::files;

/// What the arguments ask for.
#[derive(Default)]
struct Settings {
    numbers: bool,
    squeeze: bool,
    inputs: Vec<Vec<u8>>,
}

/// less and more as tools. Options that only change how a screen looks are taken.
pub(crate) fn main(name: &str, arguments: Arguments) -> i32 {
    match settings(name, arguments) {
        Ok(settings) => run(name, &settings),
        Err(stop) => stop.report(name, 1),
    }
}

fn settings(name: &str, arguments: Arguments) -> Result<Settings, Stop> {
    let mut settings = Settings::default();
    let mut only_operands = false;
    for argument in arguments {
        match argument.as_slice() {
            b"--" if !only_operands => only_operands = true,
            b"--help" | b"-?" => {
                let usage = format!("Usage: {name} [-N] [-s] [FILE]...\n");
                return Err(Stop::Status(files::print(&usage)));
            }
            b"--version" | b"-V" => {
                let version = format!("{name} (codepod) 0.1.0\n");
                return Err(Stop::Status(files::print(&version)));
            }
            [b'-', b'-', ..] if !only_operands => {
                let shown = String::from_utf8_lossy(&argument);
                return Err(Stop::failed(format!("There is no {shown} option")));
            }
            [b'-', flags @ ..] if !only_operands && !flags.is_empty() => {
                settings.take(flags)?;
            }
            [b'+', ..] if !only_operands => {}
            _ => settings.inputs.push(argument),
        }
    }
    if settings.inputs.is_empty() {
        if std::io::stdin().is_terminal() {
            files::tell(&format!("Missing filename (\"{name} --help\" for help)\n"));
            return Err(Stop::Status(1));
        }
        settings.inputs.push(b"-".to_vec());
    }
    Ok(settings)
}

impl Settings {
    /// Takes the letters behind a dash.
    fn take(&mut self, flags: &[u8]) -> Result<(), Stop> {
        for flag in flags {
            match flag {
                b'N' => self.numbers = true,
                b's' => self.squeeze = true,
                // How a screen looks, what is searched, and when it ends by itself.
                b'R' | b'r' | b'S' | b'F' | b'X' | b'E' | b'e' | b'i' | b'I' | b'M' | b'm'
                | b'n' | b'q' | b'Q' | b'g' | b'f' | b'd' | b'l' | b'p' | b'c' | b'u' => {}
                other => {
                    let other = char::from(*other);
                    return Err(Stop::failed(format!("option -{other} is not supported")));
                }
            }
        }
        Ok(())
    }
}

fn run(name: &str, settings: &Settings) -> i32 {
    let terminal = std::io::stdout().is_terminal();
    let mut out = Output::new();
    let mut text = text_of(name, &settings.inputs, terminal, &mut out);
    if terminal {
        page(&text, settings.numbers, &mut out);
    } else {
        if settings.squeeze && name == "more" {
            text = squeezed(&text);
        }
        out.put(&text);
    }
    i32::from(out.finish().is_err())
}

/// The files as one text. What `more` has of it when a file cannot be read is written before it
/// says so.
fn text_of(name: &str, inputs: &[Vec<u8>], terminal: bool, out: &mut Output) -> Vec<u8> {
    let mut text = Vec::new();
    for input in inputs {
        let mut shown = String::from_utf8_lossy(input).into_owned();
        match files::read(input) {
            Ok(content) => {
                if name == "more" && !terminal && input != b"-" {
                    let heading = format!("::::::::::::::\n{shown}\n::::::::::::::\n");
                    text.extend_from_slice(heading.as_bytes());
                }
                text.extend_from_slice(&content);
            }
            Err(error) => {
                if name == "less" {
                    shown = shown.replace('\n', "^J");
                }
                let message = match error.kind() {
                    std::io::ErrorKind::IsADirectory => format!("{shown} is a directory\n"),
                    _ => format!("{shown}: {}\n", files::why(&error)),
                };
                // less writes it where the text goes, and is content.
                if name == "less" {
                    text.extend_from_slice(message.as_bytes());
                } else {
                    out.put(&text);
                    text.clear();
                    out.write_out();
                    files::tell(&format!("{name}: cannot open {message}"));
                }
            }
        }
    }
    text
}

/// Shows a text a screen at a time: a key says how it goes on.
fn page(text: &[u8], numbers: bool, out: &mut Output) {
    let mut keys = Keys::open();
    let height = keys.as_ref().and_then(Keys::height).or_else(|| {
        let lines = std::env::var("LINES").ok()?;
        lines.parse::<usize>().ok()
    });
    let screen = height.unwrap_or(24).max(2) - 1;
    let mut room = screen;
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    for (number, line) in lines.enumerate() {
        if room == 0 {
            out.put(b":");
            out.write_out();
            let answer = keys.as_mut().map_or(Answer::Screen, Keys::answer);
            // The colon makes room for the text.
            out.put(b"\r\x1b[K");
            room = match answer {
                Answer::Screen => screen,
                Answer::Line => 1,
                Answer::Rest => usize::MAX,
                Answer::Quit => break,
            };
        }
        room -= 1;
        if numbers {
            out.put(format!("{:7} ", number + 1).as_bytes());
        }
        out.put(line);
    }
}

/// How a text goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// With the next screen.
    Screen,
    /// With the next line.
    Line,
    /// With all that is left.
    Rest,
    /// Not at all.
    Quit,
}

/// The keyboard, which gives each key as it is pressed, and does not show it.
struct Keys {
    tty: std::fs::File,
    /// How the terminal was, to be put back.
    #[cfg(target_os = "wasi")]
    before: Option<TerminalState>,
}

impl Keys {
    fn open() -> Option<Keys> {
        let tty = std::fs::File::open("/dev/tty").ok()?;
        #[cfg(target_os = "wasi")]
        return {
            let before = codepod_sys::terminal::state(fd(&tty)).ok();
            if let Some(mut state) = before {
                state.mode &= !(TerminalState::CANONICAL | TerminalState::ECHO);
                let _ = codepod_sys::terminal::set_state(fd(&tty), &state);
            }
            Some(Keys { tty, before })
        };
        #[cfg(not(target_os = "wasi"))]
        Some(Keys { tty })
    }

    /// The rows of the screen.
    fn height(&self) -> Option<usize> {
        #[cfg(target_os = "wasi")]
        return self.before.map(|state| state.rows as usize);
        #[cfg(not(target_os = "wasi"))]
        None
    }

    /// Waits for a key that means something.
    fn answer(&mut self) -> Answer {
        loop {
            let Some(key) = self.key() else {
                return Answer::Quit;
            };
            let is_sequence = key == 0x1b && self.key() == Some(b'[');
            let meaning = match (
                is_sequence,
                if is_sequence { self.key() } else { Some(key) },
            ) {
                // Arrow down, and page down with the tilde behind it.
                (true, Some(b'B')) => Some(Answer::Line),
                (true, Some(b'6')) => {
                    self.key();
                    Some(Answer::Screen)
                }
                (true, _) => None,
                (false, key) => key.and_then(meaning),
            };
            if let Some(meaning) = meaning {
                return meaning;
            }
        }
    }

    fn key(&mut self) -> Option<u8> {
        let mut key = [0];
        self.tty.read_exact(&mut key).ok()?;
        Some(key[0])
    }
}

#[cfg(target_os = "wasi")]
impl Drop for Keys {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = codepod_sys::terminal::set_state(fd(&self.tty), before);
        }
    }
}

#[cfg(target_os = "wasi")]
fn fd(file: &std::fs::File) -> codepod_sys::Fd {
    use std::os::fd::AsRawFd as _;
    codepod_sys::Fd(file.as_raw_fd() as u32)
}

/// What a key means, as in less.
fn meaning(key: u8) -> Option<Answer> {
    match key {
        b' ' | b'f' | b'z' | 0x06 | 0x16 => Some(Answer::Screen),
        b'\n' | b'\r' | b'j' | b'e' | 0x05 | 0x0e => Some(Answer::Line),
        b'G' | b'>' => Some(Answer::Rest),
        b'q' | b'Q' | 0x03 | 0x04 => Some(Answer::Quit),
        _ => None,
    }
}

/// Empty lines in a row as one.
fn squeezed(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut empty = false;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let is_empty = line == b"\n";
        if !(is_empty && empty) {
            out.extend_from_slice(line);
        }
        empty = is_empty;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_mean_what_they_mean_in_less() {
        for (keys, expected) in [
            (&b" fz\x06\x16"[..], Some(Answer::Screen)),
            (b"\r\nje\x05\x0e", Some(Answer::Line)),
            (b"G>", Some(Answer::Rest)),
            (b"qQ\x03\x04", Some(Answer::Quit)),
            (b"x7\x1b", None),
        ] {
            assert!(keys.iter().all(|key| meaning(*key) == expected), "{keys:?}");
        }
    }
}
