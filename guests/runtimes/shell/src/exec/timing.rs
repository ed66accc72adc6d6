//! The reserved word `time`.

use std::time::Duration;

use codepod_shell_syntax::Name;
use codepod_shell_syntax::tree::Time;
use codepod_sys::clock;

use crate::assign;
use crate::flow::Run;
use crate::options::SetOptions;
use crate::shell::Shell;
use crate::text::Text;

const BASH: &[u8] = b"\nreal\t%3lR\nuser\t%3lU\nsys\t%3lS";
const POSIX: &[u8] = b"real %2R\nuser %2U\nsys %2S";

/// Runs a pipeline and prints how long it took, also when it unwinds.
pub(super) fn measure(
    shell: &mut Shell,
    time: Time,
    run: &mut dyn FnMut(&mut Shell) -> Run,
) -> Run {
    let (started, cpu) = (clock::now_monotonic(), clock::cpu());
    let result = run(shell);
    let real = clock::now_monotonic().saturating_sub(started);
    // The kernel counts no time of children: what the shell itself has run is all there is.
    let user = clock::cpu().saturating_sub(cpu).min(real);
    let format = assign::get(shell, Name::TIMEFORMAT);
    let format: Text = match format {
        _ if time.posix || (shell.state.set.has(SetOptions::POSIX) && format.is_none()) => {
            Text::new(POSIX)
        }
        Some(format) => format,
        None => Text::new(BASH),
    };
    if !format.is_empty() {
        let line = formatted(shell, &format, [real, user, Duration::ZERO]);
        let _ = shell.fds.write(2, &line);
    }
    result
}

/// `TIMEFORMAT`: `%[p][l]R`, `U`, `S`, `%P`, `%%`.
fn formatted(shell: &Shell, format: &[u8], times: [Duration; 3]) -> Vec<u8> {
    let [real, user, system] = times;
    let mut out = Vec::new();
    let mut rest = format;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let mut precision = 3;
        let mut long = false;
        if let Some((digit @ b'0'..=b'9', tail)) = rest.split_first() {
            precision = usize::from(digit - b'0').min(3);
            rest = tail;
        }
        if let Some((b'l', tail)) = rest.split_first() {
            long = true;
            rest = tail;
        }
        let Some((&letter, tail)) = rest.split_first() else {
            out.push(b'%');
            break;
        };
        rest = tail;
        match letter {
            b'%' => out.push(b'%'),
            b'R' => push_time(&mut out, real, precision, long),
            b'U' => push_time(&mut out, user, precision, long),
            b'S' => push_time(&mut out, system, precision, long),
            b'P' => {
                let share = (user + system).as_nanos() * 10_000 / real.as_nanos().max(1);
                let share = format!("{}.{:02}", share / 100, share % 100);
                out.extend_from_slice(share.as_bytes());
            }
            other => {
                shell.error(
                    [
                        b"TIMEFORMAT: `",
                        &[other][..],
                        b"': invalid format character",
                    ]
                    .concat(),
                );
                return Vec::new();
            }
        }
    }
    out.push(b'\n');
    out
}

fn push_time(out: &mut Vec<u8>, time: Duration, precision: usize, long: bool) {
    let mut seconds = time.as_secs();
    let fraction = format!("{:03}", time.subsec_millis());
    if long {
        out.extend_from_slice(&Text::number((seconds / 60).cast_signed()));
        out.push(b'm');
        seconds %= 60;
    }
    out.extend_from_slice(&Text::number(seconds.cast_signed()));
    if precision > 0 {
        out.push(b'.');
        out.extend_from_slice(&fraction.as_bytes()[..precision]);
    }
    if long {
        out.push(b's');
    }
}
