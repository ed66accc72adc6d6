//! What `set -x` prints. Assignments are printed by `assign`, the terms of `[[` by `cond`.

use codepod_shell_syntax::print;
use codepod_shell_syntax::tree::{Arith, Case, For, Word};

use crate::expand;
use crate::flow::Run;
use crate::options::SetOptions;
use crate::quote;
use crate::shell::Shell;
use crate::text::Text;

/// Whether commands are printed.
#[inline]
pub(super) fn is_on(shell: &Shell) -> bool {
    shell.state.set.has(SetOptions::XTRACE)
}

/// The words of a simple command.
#[inline]
pub(super) fn words(shell: &mut Shell, fields: &[Text]) -> Run {
    if is_on(shell) {
        return print_words(shell, fields);
    }
    Ok(())
}

#[cold]
#[inline(never)]
fn print_words(shell: &mut Shell, fields: &[Text]) -> Run {
    let mut line = Vec::new();
    for (at, field) in fields.iter().enumerate() {
        if at > 0 {
            line.push(b' ');
        }
        quote::traced(field, &mut line);
    }
    expand::trace(shell, line)
}

/// `(( … ))`
#[inline]
pub(super) fn arith(shell: &mut Shell, expression: &Arith) -> Run {
    if is_on(shell) {
        return print_arith(shell, expression);
    }
    Ok(())
}

#[cold]
#[inline(never)]
fn print_arith(shell: &mut Shell, expression: &Arith) -> Run {
    let text = expand::quoted(shell, &expression.word)?;
    expand::trace(shell, [b"(( ", &*text, b" ))"].concat())
}

/// `for name in words`, before each turn; also `select`.
#[cold]
pub(super) fn head(shell: &mut Shell, clause: &For, keyword: &str) -> Run {
    expand::trace(shell, head_text(clause, keyword))
}

pub(super) fn head_text(clause: &For, keyword: &str) -> Vec<u8> {
    let mut line = keyword.as_bytes().to_vec();
    line.push(b' ');
    line.extend_from_slice(&clause.variable);
    line.extend_from_slice(b" in ");
    match &clause.words {
        None => line.extend_from_slice(b"\"$@\""),
        Some(words) => list(words, &mut line),
    }
    line
}

fn list(words: &[Word], line: &mut Vec<u8>) {
    for (at, word) in words.iter().enumerate() {
        if at > 0 {
            line.push(b' ');
        }
        line.extend_from_slice(&print::word(word));
    }
}

/// `case word in`
#[cold]
pub(super) fn case(shell: &mut Shell, clause: &Case) -> Run {
    let mut line = case_text(clause);
    line.pop();
    expand::trace(shell, line)
}

/// A `case` as `BASH_COMMAND` has it, with a blank at the end.
pub(super) fn case_text(clause: &Case) -> Vec<u8> {
    let word = print::word(&clause.word);
    [b"case ", &*word, b" in "].concat()
}
