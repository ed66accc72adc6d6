//! Prompts: `PS1`, `PS4`, `${x@P}`, and what `set -x` prints.

use codepod_calendar::{Broken, Zone, strftime};
use codepod_shell_syntax::{ErrorKind, Name};
use codepod_sys::{clock, process};

use crate::assign;
use crate::flow::{Run, Stop};
use crate::options::ShellOptions;
use crate::shell::Shell;
use crate::text::Text;

/// Runs `$PS4`-like text through prompt and parameter expansion (`${x@P}`, `PS4`, `PS1`).
pub fn prompt(shell: &mut Shell, text: &[u8]) -> Run<Text> {
    let quotes = shell.state.shopt.has(ShellOptions::PROMPTVARS);
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some(&letter) = text.get(at) else {
            out.push(b'\\');
            break;
        };
        at += 1;
        if letter == b'D' && text.get(at) == Some(&b'{') {
            let inside = &text[at + 1..];
            if let Some(length) = inside.iter().position(|byte| *byte == b'}') {
                let format: &[u8] = if length == 0 {
                    b"%X"
                } else {
                    &inside[..length]
                };
                date(shell, format, &mut out);
                at += length + 2;
                continue;
            }
        }
        if letter.is_ascii_digit() && letter < b'8' {
            let digits = text[at - 1..]
                .iter()
                .take(3)
                .take_while(|byte| (b'0'..b'8').contains(*byte))
                .count();
            let code = text[at - 1..at - 1 + digits]
                .iter()
                .fold(0u32, |code, digit| code * 8 + u32::from(digit - b'0'));
            out.push(code as u8);
            at += digits - 1;
            continue;
        }
        if matches!(letter, b'h' | b'H' | b's' | b'u' | b'w' | b'W') {
            // What is inserted is not expanded once more.
            let mut value = Vec::new();
            escape(shell, letter, &mut value);
            for byte in value {
                if quotes && matches!(byte, b'$' | b'`' | b'\\') {
                    out.push(b'\\');
                }
                out.push(byte);
            }
            continue;
        }
        escape(shell, letter, &mut out);
    }
    if !quotes {
        return Ok(out.into());
    }
    let status = shell.state.status;
    let expanded = expanded(shell, &out);
    shell.state.status = status;
    expanded
}

/// Expands what has been decoded. What is never closed leaves it as it is.
fn expanded(shell: &mut Shell, text: &[u8]) -> Run<Text> {
    let Err(error) = codepod_shell_syntax::double_quoted(text, super::syntax(shell)) else {
        return super::text_in_quotes(shell, text);
    };
    match error.kind {
        ErrorKind::Unmatched(b'`') => {
            let backquote = text.iter().rposition(|byte| *byte == b'`').unwrap_or(0);
            let rest = &text[backquote + 1..];
            if rest.is_empty() {
                // At the end it is a character like any other.
                let mut all = super::text_in_quotes(shell, &text[..backquote])?;
                all.push(b"`");
                return Ok(all);
            }
            shell.error([b"bad substitution: no closing \"`\" in `", rest].concat());
        }
        ErrorKind::Unmatched(b'}') => shell.error([text, b": bad substitution"].concat()),
        ErrorKind::Unmatched(_) => {}
        _ => return super::text_in_quotes(shell, text),
    }
    Ok(Text::new(text))
}

fn escape(shell: &mut Shell, letter: u8, out: &mut Vec<u8>) {
    match letter {
        b'a' => out.push(7),
        b'e' => out.push(27),
        b'n' => out.push(b'\n'),
        b'r' => out.push(b'\r'),
        b'\\' => out.extend_from_slice(b"\\\\"),
        b'[' | b']' => {}
        b'd' => date(shell, b"%a %b %d", out),
        b't' => date(shell, b"%H:%M:%S", out),
        b'T' => date(shell, b"%I:%M:%S", out),
        b'@' => date(shell, b"%I:%M %p", out),
        b'A' => date(shell, b"%H:%M", out),
        b'h' | b'H' => {
            let host = assign::get(shell, Name::HOSTNAME).unwrap_or_default();
            let short = host
                .iter()
                .position(|byte| *byte == b'.')
                .filter(|_| letter == b'h');
            out.extend_from_slice(&host[..short.unwrap_or(host.len())]);
        }
        b'j' => out.extend_from_slice(&Text::number(shell.jobs.list.len() as i64)),
        b'l' => out.extend_from_slice(b"tty"),
        b's' => {
            let zero = &shell.state.zero;
            let base = zero
                .iter()
                .rposition(|byte| *byte == b'/')
                .map_or(0, |slash| slash + 1);
            out.extend_from_slice(&zero[base..]);
        }
        b'u' => {
            let user = assign::get_named(shell, "USER")
                .unwrap_or_else(|| Text::from(if is_root() { "root" } else { "user" }));
            out.extend_from_slice(&user);
        }
        b'v' => out.extend_from_slice(b"5.2"),
        b'V' => out.extend_from_slice(b"5.2.15"),
        b'w' | b'W' => directory(shell, letter == b'W', out),
        b'!' => {
            // The command that runs is in the history already; what a prompt asks for is not.
            let known = shell.state.history.len() as i64;
            let number = if shell.state.interactive {
                known + 1
            } else {
                known.max(1)
            };
            out.extend_from_slice(&Text::number(number));
        }
        b'#' => out.extend_from_slice(&Text::number(shell.state.command_number.into())),
        b'$' => out.extend_from_slice(if is_root() { b"#" } else { b"\\$" }),
        _ => out.extend_from_slice(&[b'\\', letter]),
    }
}

fn is_root() -> bool {
    process::ids().is_ok_and(|ids| ids.uid == 0)
}

/// The working directory with `~` for the home directory, or only its last part.
fn directory(shell: &mut Shell, last: bool, out: &mut Vec<u8>) {
    let directory = assign::get(shell, Name::PWD).unwrap_or_else(|| shell.state.directory.clone());
    let home = assign::get(shell, Name::HOME).unwrap_or_default();
    if home.len() > 1
        && directory.starts_with(&home)
        && matches!(directory.get(home.len()), None | Some(b'/'))
        && (!last || directory.len() == home.len())
    {
        out.push(b'~');
        out.extend_from_slice(&directory[home.len()..]);
        return;
    }
    let start = if last && directory.len() > 1 {
        directory
            .iter()
            .rposition(|byte| *byte == b'/')
            .map_or(0, |slash| slash + 1)
    } else {
        0
    };
    out.extend_from_slice(&directory[start..]);
}

fn date(shell: &mut Shell, format: &[u8], out: &mut Vec<u8>) {
    let zone = assign::get(shell, Name::TZ).map_or_else(Zone::utc, |zone| Zone::parse(&zone));
    if let Some(time) = Broken::new(clock::now_real().as_secs() as i64, &zone) {
        out.extend_from_slice(&strftime(format, &time));
    }
}

/// Prints a line of `set -x`: `PS4` before it, its first character once more for each level of
/// `eval` and substitution.
pub fn trace(shell: &mut Shell, mut line: Vec<u8>) -> Run {
    let prefix = trace_prefix(shell)?;
    line.splice(0..0, prefix);
    line.push(b'\n');
    let number =
        assign::get(shell, Name::BASH_XTRACEFD).and_then(|text| crate::arith::plain_number(&text));
    let number = number
        .and_then(|number| u32::try_from(number).ok())
        .unwrap_or(2);
    let _ = shell.fds.write(number, &line);
    Ok(())
}

/// `PS4`, expanded, without tracing that.
fn trace_prefix(shell: &mut Shell) -> Run<Vec<u8>> {
    use crate::options::SetOptions;
    let Some(text) = assign::get(shell, Name::PS4) else {
        return Ok(Vec::new());
    };
    shell.state.set.set(SetOptions::XTRACE, false);
    let expanded = prompt(shell, &text);
    shell.state.set.set(SetOptions::XTRACE, true);
    // A bad prompt is told of and does not keep the command from running.
    let expanded = match expanded {
        Ok(expanded) => expanded,
        Err(Stop::Discard) => text,
        Err(stop) => return Err(stop),
    };
    if expanded.is_empty() {
        return Ok(Vec::new());
    }
    let first = crate::pattern::chars::next(&expanded, 0).1;
    let mut prefix = Vec::new();
    for _ in 0..shell.state.trace_level {
        prefix.extend_from_slice(&expanded[..first]);
    }
    prefix.extend_from_slice(&expanded);
    Ok(prefix)
}
