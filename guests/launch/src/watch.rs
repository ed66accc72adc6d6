//! `watch`: runs a program again and again, as procps does, where there is no screen to draw on: each turn's output follows the last.

use std::io::{Read as _, Write as _};
use std::time::Duration;

use codepod_tool::{
    Arguments, Command, Ended, Ends, Found, Opt, Options, complain, flag, optional, value,
};

use crate::program::Program;
use crate::{help, version};

const USAGE: &str = "
Usage:
 watch [options] command

Options:
  -b, --beep             beep if command has a non-zero exit
  -c, --color            interpret ANSI color and style sequences
  -d, --differences[=<permanent>]
                         highlight changes between updates
  -e, --errexit          exit if command has a non-zero exit
  -g, --chgexit          exit when output from command changes
  -q, --equexit <cycles>
                         exit when output from command does not change
  -n, --interval <secs>  seconds to wait between updates
  -p, --precise          attempt run command in precise intervals
  -t, --no-title         turn off header
  -w, --no-wrap          turn off line wrapping
  -x, --exec             pass command to exec instead of \"sh -c\"

 -h, --help     display this help and exit
 -v, --version  output version information and exit

For more details see watch(1).
";

#[derive(Clone, Copy)]
enum Key {
    /// What only a screen could show.
    Screen,
    StopOnError,
    StopOnChange,
    StopOnSame,
    Interval,
    Precise,
    NoTitle,
    Exec,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Screen, b'b', "beep"),
    flag(Key::Screen, b'c', "color"),
    optional(Key::Screen, b'd', "differences"),
    flag(Key::StopOnError, b'e', "errexit"),
    flag(Key::StopOnChange, b'g', "chgexit"),
    value(Key::StopOnSame, b'q', "equexit"),
    value(Key::Interval, b'n', "interval"),
    flag(Key::Precise, b'p', "precise"),
    flag(Key::NoTitle, b't', "no-title"),
    flag(Key::Screen, b'w', "no-wrap"),
    flag(Key::Exec, b'x', "exec"),
    flag(Key::Help, b'h', "help"),
    flag(Key::Version, b'v', "version"),
];

/// The most of one turn's output that is kept.
const MOST_BYTES: u64 = 64 << 20;

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(TABLE, arguments).in_order();
    let (mut on_error, mut on_change, mut on_same) = (false, false, None);
    let (mut interval, mut exec, mut precise, mut title) = (2.0_f64, false, false, true);
    let mut words = Vec::new();
    loop {
        match options.next() {
            Ok(Some(Found::Operand(word))) => {
                words.push(word);
                words.extend(options.rest());
                break;
            }
            Ok(Some(Found::Option(key, value))) => {
                let text = String::from_utf8_lossy(&value.unwrap_or_default()).into_owned();
                match key {
                    Key::Screen => {
                        complain(
                            tool,
                            "-b, -c, -d and -w need a screen, which is not there: leave them out",
                        );
                        return 1;
                    }
                    Key::StopOnError => on_error = true,
                    Key::StopOnChange => on_change = true,
                    Key::StopOnSame => match text.parse::<u32>() {
                        Ok(turns) if turns > 0 => on_same = Some(turns),
                        _ => return bad(tool, &text),
                    },
                    Key::Interval => match text.replace(',', ".").parse::<f64>() {
                        Ok(seconds) if seconds.is_finite() => interval = seconds,
                        _ => return bad(tool, &text),
                    },
                    Key::Precise => precise = true,
                    Key::NoTitle => title = false,
                    Key::Exec => exec = true,
                    Key::Help => return help(USAGE),
                    Key::Version => return version(tool),
                }
            }
            Ok(None) => break,
            Err(usage) => {
                complain(tool, usage.to_string());
                return misuse();
            }
        }
    }
    if words.is_empty() {
        return misuse();
    }
    if !on_error && !on_change && on_same.is_none() {
        let why = "without a screen it would print for ever: say when it ends, with -g (output changes), \
                   -e (the command fails) or -q N (output stays the same), or use a loop with sleep";
        complain(tool, why);
        return 1;
    }
    let interval = Duration::from_secs_f64(interval.clamp(0.1, 4_294_967.0));
    let line = words.join(&b' ');
    let mut last: Option<Vec<u8>> = None;
    let mut same = 0;
    loop {
        let began = codepod_sys::clock::now_monotonic();
        let ran = match exec {
            true => run_program(&words),
            false => run(Command::shell(&line, Ends::Output)),
        };
        let (output, ended) = match ran {
            Ok(ran) => ran,
            Err(error) => {
                let why = codepod_tool::io_text(&error);
                complain(
                    tool,
                    [b"unable to run '", &line[..], b"': ", why.as_bytes()].concat(),
                );
                return 4;
            }
        };
        let mut text = Vec::new();
        if title {
            text.extend(format!("Every {:.1}s: ", interval.as_secs_f64()).bytes());
            text.extend_from_slice(&line);
            text.extend_from_slice(b"\n\n");
        }
        text.extend_from_slice(&output);
        let mut out = std::io::stdout();
        if out.write_all(&text).and_then(|()| out.flush()).is_err() {
            return 1;
        }
        if on_error && ended != Ended::Exited(0) {
            complain(tool, "command exit with a non-zero status");
            return 8;
        }
        match &last {
            Some(last) if *last != output => {
                if on_change {
                    return 0;
                }
                same = 0;
            }
            Some(_) => {
                same += 1;
                if on_same.is_some_and(|turns| same >= turns) {
                    return 0;
                }
            }
            None => {}
        }
        last = Some(output);
        let spent = codepod_sys::clock::now_monotonic().saturating_sub(began);
        std::thread::sleep(if precise {
            interval.saturating_sub(spent)
        } else {
            interval
        });
    }
}

fn bad(tool: &str, text: &str) -> i32 {
    complain(
        tool,
        format!("failed to parse argument: '{text}': Invalid argument"),
    );
    1
}

fn misuse() -> i32 {
    // Where standard error is gone there is nobody to tell.
    let _ = std::io::stderr().write_all(USAGE.as_bytes());
    1
}

/// What a program prints, and how it ends.
fn run(command: std::io::Result<Command>) -> std::io::Result<(Vec<u8>, Ended)> {
    let mut command = command?;
    let mut output = Vec::new();
    (&mut command).take(MOST_BYTES).read_to_end(&mut output)?;
    let ended = command.wait()?;
    Ok((output, ended))
}

fn run_program(words: &[Vec<u8>]) -> std::io::Result<(Vec<u8>, Ended)> {
    let program = Program::new(words.to_vec());
    let path = program.find(&words[0]).map_err(codepod_sys::io_error)?;
    let arguments: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
    run(Command::start(&path, &arguments, Ends::Output))
}
