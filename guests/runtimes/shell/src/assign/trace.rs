//! Assignments as `set -x` prints them.

use codepod_shell_syntax::print;
use codepod_shell_syntax::tree::{Assign, Element};

use super::compound::subscript_text;
use crate::expand;
use crate::flow::Run;
use crate::quote;
use crate::shell::Shell;

/// `name=value`
#[cold]
#[inline(never)]
pub(super) fn scalar(shell: &mut Shell, assign: &Assign, value: &[u8]) -> Run {
    let mut line = start(assign);
    quote::traced_value(value, &mut line);
    expand::trace(shell, line)
}

/// Shows an assignment before a command, which shows what `+=` gives.
#[cold]
#[inline(never)]
pub(super) fn temporary(shell: &mut Shell, assign: &Assign, value: &[u8]) -> Run {
    let mut line = assign.name.bytes().to_vec();
    line.push(b'=');
    quote::traced_value(value, &mut line);
    expand::trace(shell, line)
}

/// `name=(…)`, as written.
#[cold]
#[inline(never)]
pub(super) fn compound(shell: &mut Shell, assign: &Assign, list: &[Element]) -> Run {
    let mut line = start(assign);
    line.extend_from_slice(&self::list(list));
    expand::trace(shell, line)
}

/// A list as it was written.
fn list(list: &[Element]) -> Vec<u8> {
    let mut text = vec![b'('];
    for (number, element) in list.iter().enumerate() {
        if number > 0 {
            text.push(b' ');
        }
        if let Some(subscript) = &element.subscript {
            text.push(b'[');
            text.extend_from_slice(&subscript_text(subscript));
            text.extend_from_slice(if element.append { b"]+=" } else { b"]=" });
        }
        text.extend_from_slice(&print::word(&element.value));
    }
    text.push(b')');
    text
}

fn start(assign: &Assign) -> Vec<u8> {
    let mut line = assign.name.bytes().to_vec();
    if let Some(subscript) = &assign.subscript {
        line.push(b'[');
        line.extend_from_slice(&subscript_text(subscript));
        line.push(b']');
    }
    line.extend_from_slice(if assign.append { b"+=" } else { b"=" });
    line
}
