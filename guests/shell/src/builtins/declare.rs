//! `declare` and `typeset`; `local`, `export` and `readonly` use its parts.

use codepod_shell_syntax::tree::Assign;

use crate::flow::Run;
use crate::shell::Shell;
use crate::text::Text;

/// Expands an argument of the form of an assignment after a declaration builtin and appends it to `fields`, which holds the command and the
/// arguments before it, already expanded. `name=(…)` is assigned at once, with the attributes that the options before it say, and only its name is
/// appended.
pub fn argument(shell: &mut Shell, assign: &Assign, fields: &mut Vec<Text>) -> Run {
    let _ = (shell, assign, fields);
    todo!()
}
