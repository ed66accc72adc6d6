//! `watch`: runs a program again and again, as procps does, where there is no screen to draw on:
//! each turn's output follows the last.

use std::io::{Read as _, Write as _};
use std::time::Duration;

use codepod_tool::{
    Arguments, Command, Ended, Ends, Opt, Options, Stop, Usage, complain, flag, optional, value,
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

/// What the arguments ask for.
struct Settings {
    on_error: bool,
    on_change: bool,
    /// After how many turns with the same output it ends.
    on_same: Option<u32>,
    interval: Duration,
    exec: bool,
    precise: bool,
    title: bool,
    words: Vec<Vec<u8>>,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    match settings(tool, arguments) {
        Ok(settings) => watch(tool, &settings),
        // A mistake is followed by all of the help, not by a hint to it.
        Err(Stop::Usage(usage)) => {
            if !usage.message.is_empty() {
                complain(tool, usage.to_string());
            }
            // Where standard error is gone there is nobody to tell.
            let _ = std::io::stderr().write_all(USAGE.as_bytes());
            1
        }
        Err(stop) => stop.report(tool, 1),
    }
}

fn settings(tool: &str, arguments: Arguments) -> Result<Settings, Stop> {
    let mut interval = 2.0_f64;
    let mut settings = Settings {
        on_error: false,
        on_change: false,
        on_same: None,
        interval: Duration::ZERO,
        exec: false,
        precise: false,
        title: true,
        words: Vec::new(),
    };
    settings.words = Options::new(TABLE, arguments)
        .in_order()
        .each(|key, value| {
            let text = String::from_utf8_lossy(&value.unwrap_or_default()).into_owned();
            let bad = || {
                Stop::failed(format!(
                    "failed to parse argument: '{text}': Invalid argument"
                ))
            };
            match key {
                Key::Screen => {
                    return Err(Stop::failed(
                        "-b, -c, -d and -w need a screen, which is not there: leave them out",
                    ));
                }
                Key::StopOnError => settings.on_error = true,
                Key::StopOnChange => settings.on_change = true,
                Key::StopOnSame => {
                    let turns = text.parse().ok().filter(|turns| *turns > 0);
                    settings.on_same = Some(turns.ok_or_else(bad)?);
                }
                Key::Interval => {
                    let seconds = text.replace(',', ".").parse::<f64>().ok();
                    interval = seconds
                        .filter(|seconds| seconds.is_finite())
                        .ok_or_else(bad)?;
                }
                Key::Precise => settings.precise = true,
                Key::NoTitle => settings.title = false,
                Key::Exec => settings.exec = true,
                Key::Help => return Err(Stop::Status(help(USAGE))),
                Key::Version => return Err(Stop::Status(version(tool))),
            }
            Ok(())
        })?;
    if settings.words.is_empty() {
        return Err(Usage::new("").into());
    }
    if !settings.on_error && !settings.on_change && settings.on_same.is_none() {
        return Err(Stop::failed(
            "without a screen it would print for ever: say when it ends, with -g (output changes), \
             -e (the command fails) or -q N (output stays the same), or use a loop with sleep",
        ));
    }
    settings.interval = Duration::from_secs_f64(interval.clamp(0.1, 4_294_967.0));
    Ok(settings)
}

/// Runs the command until something says that it ends. Returns the status.
fn watch(tool: &str, settings: &Settings) -> i32 {
    let line = settings.words.join(&b' ');
    let mut last: Option<Vec<u8>> = None;
    let mut same = 0;
    loop {
        let began = codepod_sys::clock::now_monotonic();
        let ran = match settings.exec {
            true => run_program(&settings.words),
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
        if print(settings, &line, &output).is_err() {
            return 1;
        }
        if settings.on_error && ended != Ended::Exited(0) {
            complain(tool, "command exit with a non-zero status");
            return 8;
        }
        match &last {
            Some(last) if *last != output => {
                if settings.on_change {
                    return 0;
                }
                same = 0;
            }
            Some(_) => {
                same += 1;
                if settings.on_same.is_some_and(|turns| same >= turns) {
                    return 0;
                }
            }
            None => {}
        }
        last = Some(output);
        let spent = codepod_sys::clock::now_monotonic().saturating_sub(began);
        std::thread::sleep(if settings.precise {
            settings.interval.saturating_sub(spent)
        } else {
            settings.interval
        });
    }
}

/// Prints a turn's output, with the title above it.
fn print(settings: &Settings, line: &[u8], output: &[u8]) -> std::io::Result<()> {
    let mut text = Vec::new();
    if settings.title {
        text.extend(format!("Every {:.1}s: ", settings.interval.as_secs_f64()).bytes());
        text.extend_from_slice(line);
        text.extend_from_slice(b"\n\n");
    }
    text.extend_from_slice(output);
    let mut out = std::io::stdout();
    out.write_all(&text)?;
    out.flush()
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
