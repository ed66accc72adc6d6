//! `stty`: the terminal's settings, as far as a sandbox's terminal has any.

use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Usage, Value, complain, flag, long, quoted, value,
};

use crate::arguments::{help, version};

#[derive(Clone, Copy)]
enum Key {
    All,
    Save,
    File,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::All, b'a', "all"),
    flag(Key::Save, b'g', "save"),
    value(Key::File, b'F', "file"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    // A setting may begin with a dash: `-echo`.
    let is_setting = |word: &Vec<u8>| {
        let name = word.strip_prefix(b"-").unwrap_or(word);
        [
            "echo", "icanon", "isig", "raw", "cooked", "cbreak", "echoe", "echok", "ixon", "opost",
            "icrnl",
        ]
        .iter()
        .any(|known| known.as_bytes() == name)
    };
    let (settings, others): (Vec<_>, Vec<_>) = arguments.into_iter().partition(is_setting);
    let mut options = Options::new(TABLE, others);
    let (mut all, mut save) = (false, false);
    let mut words = settings;
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => words.push(operand),
            Ok(Some(Found::Option(key, value))) => match key {
                Key::All => all = true,
                Key::Save => save = true,
                Key::File => {
                    complain(
                        tool,
                        [
                            &value.unwrap_or_default()[..],
                            b": only the terminal of standard input can be set",
                        ]
                        .concat(),
                    );
                    return 1;
                }
                Key::Help => {
                    return help(
                        tool,
                        "[SETTING]...",
                        "Print or change terminal characteristics.",
                        TABLE,
                    );
                }
                Key::Version => return version(tool),
            },
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 1),
        }
    }
    if all && save {
        complain(
            tool,
            "the options for verbose and stty-readable output styles are\nmutually exclusive",
        );
        return 1;
    }
    if (all || save) && !words.is_empty() {
        complain(
            tool,
            "when specifying an output style, modes may not be set",
        );
        return 1;
    }
    run(tool, all, save, &words)
}

#[cfg(not(target_family = "wasm"))]
fn run(tool: &str, _all: bool, _save: bool, _words: &[Vec<u8>]) -> i32 {
    complain(tool, "'standard input': Inappropriate ioctl for device");
    let _ = (Output::new(), quoted(b""), Usage::new(""));
    1
}

#[cfg(target_family = "wasm")]
fn run(tool: &str, all: bool, save: bool, words: &[Vec<u8>]) -> i32 {
    use codepod_sys::Fd;
    use codepod_sys::terminal::{self, TerminalState};

    let mut state = match terminal::state(Fd::STDIN) {
        Ok(state) => state,
        Err(errno) => {
            complain(
                tool,
                format!("'standard input': {}", codepod_tool::errno_text(errno)),
            );
            return 1;
        }
    };
    let mut out = Output::new();
    let show = |state: &TerminalState| {
        let part = |bit: u32, name: &str| {
            format!("{}{name}", if state.mode & bit == 0 { "-" } else { "" })
        };
        format!(
            "{} {} {}\n",
            part(TerminalState::SIGNALS, "isig"),
            part(TerminalState::CANONICAL, "icanon"),
            part(TerminalState::ECHO, "echo")
        )
    };
    if save {
        out.put(format!("{:x}\n", state.mode).as_bytes());
    } else if words.is_empty() {
        let size = if all {
            format!("rows {}; columns {}; ", state.rows, state.columns)
        } else {
            String::new()
        };
        out.put(format!("speed 38400 baud; {size}line = 0;\n{}", show(&state)).as_bytes());
    }
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (on, name) = match word.strip_prefix(b"-") {
            Some(name) => (false, name),
            None => (true, &word[..]),
        };
        let both = TerminalState::CANONICAL | TerminalState::SIGNALS;
        let mut set = |bits: u32, on: bool| {
            if on {
                state.mode |= bits
            } else {
                state.mode &= !bits
            }
        };
        match (name, on) {
            (b"echo", on) => set(TerminalState::ECHO, on),
            (b"icanon", on) => set(TerminalState::CANONICAL, on),
            (b"isig", on) => set(TerminalState::SIGNALS, on),
            (b"cbreak", on) => set(TerminalState::CANONICAL, !on),
            (b"raw", on) => set(both, !on),
            (b"cooked", on) => set(both, on),
            (b"sane", true) => set(TerminalState::ALL, true),
            (b"size", true) => out.put(format!("{} {}\n", state.rows, state.columns).as_bytes()),
            (b"speed", true) => out.put(b"38400\n"),
            // What a terminal here always or never does.
            (b"echoe" | b"echok" | b"ixon" | b"opost" | b"icrnl", _) => {}
            (b"rows" | b"cols" | b"columns", true) => {
                let number = words
                    .next()
                    .and_then(|text| std::str::from_utf8(text).ok()?.parse().ok());
                match (number, name) {
                    (Some(number), b"rows") => state.rows = number,
                    (Some(number), _) => state.columns = number,
                    (None, _) => {
                        return Usage::new([b"missing argument to ", &quoted(name)[..]].concat())
                            .report(tool, 1);
                    }
                }
            }
            _ => match u32::from_str_radix(&String::from_utf8_lossy(word), 16) {
                Ok(mode) if mode & !TerminalState::ALL == 0 => state.mode = mode,
                _ => {
                    return Usage::new([b"invalid argument ", &quoted(word)[..]].concat())
                        .report(tool, 1);
                }
            },
        }
    }
    if let Err(errno) = terminal::set_state(Fd::STDIN, &state) {
        complain(
            tool,
            format!("'standard input': {}", codepod_tool::errno_text(errno)),
        );
        return 1;
    }
    i32::from(out.finish().is_err())
}
