//! `time`: how long a program ran, as GNU time tells it.

use std::io::Write as _;
use std::time::Duration;

use codepod_sys::process::{self, Of, Status};
use codepod_sys::{Errno, clock};
use codepod_tool::{
    Arguments, Found, Opt, Options, Usage, complain, errno_text, flag, io_text, value,
};

use crate::program::Program;
use crate::{help, version};

const USAGE: &str = "Usage: time [OPTIONS] COMMAND [ARG]...
Run COMMAND, then print system resource usage.

  -a, --append              with -o FILE, append instead of overwriting
  -f, --format=FORMAT       use the specified FORMAT instead of the default
  -o, --output=FILE         write to FILE instead of STDERR
  -p, --portability         print POSIX standard 1003.2 conformant string:
                              real %e
                              user %U
                              sys %S
  -q, --quiet               do not print information about abnormal program
                            termination (non-zero exit codes or signals)
  -v, --verbose             print all resource usage information instead of
                            the default format
  -h,  --help               display this help and exit
  -V,  --version            output version information and exit

Only the elapsed time is measured here; everything else is 0.
";

const DEFAULT: &str = "%Uuser %Ssystem %Eelapsed %PCPU (%Xavgtext+%Davgdata %Mmaxresident)k\n\
                       %Iinputs+%Ooutputs (%Fmajor+%Rminor)pagefaults %Wswaps";
const PORTABLE: &str = "real %e\nuser %U\nsys %S";
const VERBOSE: &str = "\tCommand being timed: \"%C\"
\tUser time (seconds): %U
\tSystem time (seconds): %S
\tPercent of CPU this job got: %P
\tElapsed (wall clock) time (h:mm:ss or m:ss): %E
\tAverage shared text size (kbytes): %X
\tAverage unshared data size (kbytes): %D
\tAverage stack size (kbytes): %p
\tAverage total size (kbytes): %K
\tMaximum resident set size (kbytes): %M
\tAverage resident set size (kbytes): %t
\tMajor (requiring I/O) page faults: %F
\tMinor (reclaiming a frame) page faults: %R
\tVoluntary context switches: %w
\tInvoluntary context switches: %c
\tSwaps: %W
\tFile system inputs: %I
\tFile system outputs: %O
\tSocket messages sent: %s
\tSocket messages received: %r
\tSignals delivered: %k
\tPage size (bytes): %Z
\tExit status: %x";

#[derive(Clone, Copy)]
enum Key {
    Append,
    Format,
    Output,
    Portable,
    Quiet,
    Verbose,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Append, b'a', "append"),
    value(Key::Format, b'f', "format"),
    value(Key::Output, b'o', "output"),
    flag(Key::Portable, b'p', "portability"),
    flag(Key::Quiet, b'q', "quiet"),
    flag(Key::Verbose, b'v', "verbose"),
    flag(Key::Help, b'h', "help"),
    flag(Key::Version, b'V', "version"),
];

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(TABLE, arguments).in_order();
    let given = std::env::var_os("TIME").map(|text| text.into_encoded_bytes());
    let mut form = given.unwrap_or_else(|| DEFAULT.into());
    let (mut append, mut quiet, mut output) = (false, false, None);
    let mut words = Vec::new();
    // It calls itself as it was called, mostly by its path.
    let shown = format!("/usr/bin/{tool}");
    loop {
        match options.next() {
            Ok(Some(Found::Operand(word))) => {
                words.push(word);
                words.extend(options.rest());
                break;
            }
            Ok(Some(Found::Option(key, value))) => match key {
                Key::Append => append = true,
                Key::Format => form = value.unwrap_or_default(),
                Key::Output => output = value,
                Key::Portable => {
                    form = PORTABLE.into();
                    quiet = true;
                }
                Key::Quiet => quiet = true,
                Key::Verbose => form = VERBOSE.into(),
                Key::Help => return help(USAGE),
                Key::Version => return version(tool),
            },
            Ok(None) => break,
            Err(usage) => return usage.report(&shown, 125),
        }
    }
    if words.is_empty() {
        return Usage::new("missing program to run").report(&shown, 125);
    }
    let file = match &output {
        None => None,
        Some(path) => {
            let mut how = std::fs::OpenOptions::new();
            how.write(true)
                .create(true)
                .append(append)
                .truncate(!append);
            match how.open(codepod_tool::path(path)) {
                Ok(file) => Some(file),
                Err(error) => {
                    let why = io_text(&error);
                    complain(&shown, [&path[..], b": ", why.as_bytes()].concat());
                    return 125;
                }
            }
        }
    };
    let began = clock::now_monotonic();
    let program = Program::new(words);
    let status = match program.start() {
        Ok(pid) => loop {
            match process::wait(Of::Process(pid)) {
                Ok((_, status @ (Status::Exited(_) | Status::Signaled(_)))) => break status,
                Ok(_) | Err(Errno::Intr) => {}
                Err(_) => return 125,
            }
        },
        Err(errno) => {
            let name = program.words.first().map_or(&b""[..], Vec::as_slice);
            let why = errno_text(errno).as_bytes();
            complain(&shown, [b"cannot run ", name, b": ", why].concat());
            Status::Exited(if errno == Errno::NoEnt { 127 } else { 126 })
        }
    };
    let elapsed = clock::now_monotonic().saturating_sub(began);
    let mut text = Vec::new();
    match status {
        Status::Exited(code) if code != 0 && !quiet => {
            text.extend(format!("Command exited with non-zero status {code}\n").bytes());
        }
        Status::Signaled(signal) if !quiet => {
            text.extend(format!("Command terminated by signal {}\n", signal.raw()).bytes());
        }
        _ => {}
    }
    expand(&mut text, &form, &program.words, elapsed, status);
    // As GNU's: a lone percent sign at the end takes the newline with it.
    let percents = form.iter().rev().take_while(|byte| **byte == b'%').count();
    if percents.is_multiple_of(2) {
        text.push(b'\n');
    }
    let written = match file {
        Some(mut file) => file.write_all(&text),
        None => std::io::stderr().write_all(&text),
    };
    match (written, status) {
        (Err(_), _) => 125,
        (Ok(()), Status::Signaled(signal)) => 128 + signal.raw().cast_signed(),
        (Ok(()), status) => status.code().cast_signed(),
    }
}

/// Puts figures into a format.
fn expand(out: &mut Vec<u8>, form: &[u8], words: &[Vec<u8>], elapsed: Duration, status: Status) {
    let seconds = format!("{}.{:02}", elapsed.as_secs(), elapsed.subsec_millis() / 10);
    let mut bytes = form.iter().copied();
    while let Some(byte) = bytes.next() {
        let next = match byte {
            b'%' | b'\\' => bytes.next(),
            _ => {
                out.push(byte);
                continue;
            }
        };
        match (byte, next) {
            (b'%', Some(b'%')) => out.push(b'%'),
            (b'%', Some(b'C')) => out.extend(words.join(&b' ')),
            (b'%', Some(b'e')) => out.extend(seconds.bytes()),
            // Processor time is not counted.
            (b'%', Some(b'S' | b'U')) => out.extend(b"0.00"),
            (b'%', Some(b'P')) => out.extend(if elapsed.is_zero() { &b"?%"[..] } else { b"0%" }),
            (b'%', Some(b'Z')) => out.extend(b"4096"),
            (b'%', Some(b'x')) => {
                let code = match status {
                    Status::Exited(code) => code,
                    _ => 0,
                };
                out.extend(code.to_string().bytes());
            }
            (b'%', Some(b'E')) => {
                let whole = elapsed.as_secs();
                let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60);
                let text = match hours {
                    0 => format!("{minutes}:{rest:02}.{:02}", elapsed.subsec_millis() / 10),
                    _ => format!("{hours}:{minutes:02}:{rest:02}"),
                };
                out.extend(text.bytes());
            }
            (
                b'%',
                Some(
                    b'D' | b'F' | b'I' | b'K' | b'M' | b'O' | b'R' | b'W' | b'X' | b'c' | b'k'
                    | b'p' | b'r' | b's' | b't' | b'w',
                ),
            ) => {
                out.push(b'0');
            }
            (b'%', Some(other)) => out.extend([b'?', other]),
            (b'%', None) => out.push(b'?'),
            (_, Some(b'n')) => out.push(b'\n'),
            (_, Some(b't')) => out.push(b'\t'),
            (_, Some(b'\\')) => out.push(b'\\'),
            (_, Some(other)) => out.extend([b'?', b'\\', other]),
            (_, None) => out.extend(b"?\\"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_gnus() {
        let text = |form: &[u8]| {
            let mut out = Vec::new();
            let words = [b"a".to_vec(), b"b".to_vec()];
            expand(
                &mut out,
                form,
                &words,
                Duration::from_millis(61_230),
                Status::Exited(3),
            );
            String::from_utf8(out).unwrap()
        };
        assert_eq!(text(b"%e %E %x %C %%"), "61.23 1:01.23 3 a b %");
        assert_eq!(text(b"a\\tb\\n\\q%z%"), "a\tb\n?\\q?z?");
    }
}
