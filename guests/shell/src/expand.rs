//! Words into fields: brace, tilde, parameter, command and arithmetic expansion, splitting, globs, quote removal.

use codepod_shell_syntax::tree::Word;

use crate::flow::Run;
use crate::pattern::Pattern;
use crate::shell::Shell;
use crate::text::Text;

/// Expands a word into fields: everything, with splitting and globs. Appends to `fields`.
pub fn fields(shell: &mut Shell, word: &Word, fields: &mut Vec<Text>) -> Run {
    let _ = (shell, word, fields);
    todo!()
}

/// Expands a word into one string: no braces, no splitting, no globs. For assignments, `case`, `[[`, here-strings.
pub fn single(shell: &mut Shell, word: &Word) -> Run<Text> {
    let _ = (shell, word);
    todo!()
}

/// Expands the target of a redirection: like [`fields`], but anything but one field is `ambiguous redirect`.
pub fn target(shell: &mut Shell, word: &Word) -> Run<Text> {
    let _ = (shell, word);
    todo!()
}

/// Expands a word into a pattern: quoted parts stand for themselves.
pub fn pattern(shell: &mut Shell, word: &Word) -> Run<Pattern> {
    let _ = (shell, word);
    todo!()
}

/// Expands a word into a regular expression for `=~`: quoted parts stand for themselves.
pub fn regex(shell: &mut Shell, word: &Word) -> Run<Vec<u8>> {
    let _ = (shell, word);
    todo!()
}

/// Runs `$PS4`-like text through prompt and parameter expansion (`${x@P}`, `PS4`, `PS1`).
pub fn prompt(shell: &mut Shell, text: &[u8]) -> Run<Text> {
    let _ = (shell, text);
    todo!()
}
