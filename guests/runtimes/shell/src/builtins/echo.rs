//! `echo`.

use super::escape::{self, Dialect};
use super::print;
use crate::flow::Run;
use crate::options::{SetOptions, ShellOptions};
use crate::shell::Shell;
use crate::text::Text;

/// Runs it.
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let mut newline = true;
    let mut escapes = shell.state.shopt.has(ShellOptions::XPG_ECHO);
    let mut operands = &arguments[1..];
    let no_options = escapes && shell.state.set.has(SetOptions::POSIX);
    while let Some((first, rest)) = operands.split_first() {
        if no_options || !is_option(first) {
            break;
        }
        for letter in &first[1..] {
            match letter {
                b'n' => newline = false,
                b'e' => escapes = true,
                _ => escapes = false,
            }
        }
        operands = rest;
    }
    let length = operands.iter().map(|text| text.len() + 1).sum();
    let mut out = Vec::with_capacity(length);
    for (at, text) in operands.iter().enumerate() {
        if at > 0 {
            out.push(b' ');
        }
        if !escapes {
            out.extend_from_slice(text);
        } else if escape::decode_all(text, Dialect::Echo, &mut out, |_, _| {}) {
            return Ok(print(shell, &arguments[0], &out));
        }
    }
    if newline {
        out.push(b'\n');
    }
    Ok(print(shell, &arguments[0], &out))
}

/// Only words of nothing but known letters are options.
fn is_option(text: &[u8]) -> bool {
    matches!(text, [b'-', _, ..])
        && text[1..]
            .iter()
            .all(|byte| matches!(byte, b'n' | b'e' | b'E'))
}

#[cfg(test)]
mod tests {
    use super::super::testing::compare;

    #[test]
    fn options_and_escapes_print_as_in_bash() {
        let all: [&[&[u8]]; 14] = [
            &[],
            &[b"a", b"", b"b"],
            &[b"-n", b"a"],
            &[b"-nZ", b"a"],
            &[b"-n", b"-e", b"a\\tb"],
            &[b"-neE", b"a\\tb"],
            &[b"-e", b"a\\cb", b"c"],
            &[b"-e", b"\\x41\\u00e9\\0101\\101\\q\\"],
            &[b"-E", b"\\t"],
            &[b"--", b"a"],
            &[b"-"],
            &[b"-e"],
            &[b"a", b"-n"],
            &[b"\xff\xfe"],
        ];
        compare(all.iter().map(|words| [&[&b"echo"[..]], *words].concat()));
    }
}
