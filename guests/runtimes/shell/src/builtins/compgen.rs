//! `compgen`.

use super::{complete, print};
use crate::completion::{self, Context, Spec};
use crate::flow::Run;
use crate::shell::Shell;
use crate::text::Text;

/// Runs it.
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let request = match complete::request(shell, arguments, "abcdefgjko:suvA:G:W:P:S:X:F:C:") {
        Ok(request) => request,
        Err(status) => return Ok(status),
    };
    if request.spec == Spec::default() {
        return Ok(0);
    }
    for (letter, option) in [("F", &request.spec.function), ("C", &request.spec.command)] {
        if option.is_some() {
            let message = format!("warning: -{letter} option may not work as you expect");
            shell.builtin_error(b"compgen", message);
        }
    }
    let word = request.operands.first().cloned().unwrap_or_default();
    let context = Context {
        command: b"compgen",
        word: &word,
        previous: b"",
    };
    if request.spec.function.is_some() || request.spec.command.is_some() {
        completion::announce(shell, b"", &[])?;
    }
    let mut words = completion::generate(shell, &request.spec, context)?;
    let falls_back = request.spec.has_option("default") || request.spec.has_option("bashdefault");
    if words.is_empty() && falls_back {
        let files = Spec {
            actions: 1 << completion::place(completion::ACTIONS, b"file").unwrap_or(0),
            ..Spec::default()
        };
        words = completion::generate(shell, &files, context)?;
    }
    if words.is_empty() {
        return Ok(1);
    }
    let mut out = Vec::new();
    for word in &words {
        out.extend_from_slice(word);
        out.push(b'\n');
    }
    Ok(print(shell, b"compgen", &out))
}
