//! The line editor: prompt, completion, unfinished lines.

use std::borrow::Cow;
use std::time::Duration;

use codepod::Sandbox;
use rustyline::completion::{Completer, Pair};
use rustyline::config::Configurer as _;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{CompletionType, Context, Editor};

use crate::failure::Failure;

/// The longest wait for what the shell thinks of a line.
const TIMEOUT: Duration = Duration::from_secs(2);
const HOME: &str = "/home/user";

/// An editor with history.
pub(super) fn editor(history: usize) -> Result<Editor<Helper, FileHistory>, Failure> {
    let mut editor = Editor::new().map_err(|error| {
        Failure::new(
            format!("the terminal cannot be used: {error}"),
            "`codepod run` needs none",
        )
    })?;
    editor.set_completion_type(CompletionType::List);
    editor.set_auto_add_history(false);
    let _ = editor.set_max_history_size(history);
    let _ = editor.set_history_ignore_dups(true);
    editor.set_history_ignore_space(true);
    Ok(editor)
}

/// What stands before a line: where the shell is, and how the last command ended if not well.
#[derive(Debug, Clone, Default)]
pub(super) struct Prompt {
    pub(super) directory: String,
    pub(super) status: u8,
}

impl Prompt {
    /// Without colours, as the editor counts it.
    pub(super) fn plain(&self) -> String {
        match self.status {
            0 => format!("{} $ ", self.place()),
            status => format!("[{status}] {} $ ", self.place()),
        }
    }

    fn coloured(&self) -> String {
        let place = format!("\x1b[1;34m{}\x1b[0m $ ", self.place());
        match self.status {
            0 => place,
            status => format!("\x1b[31m[{status}]\x1b[0m {place}"),
        }
    }

    fn place(&self) -> String {
        match self.directory.strip_prefix(HOME) {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("~{rest}"),
            _ => self.directory.clone(),
        }
    }
}

/// What the editor asks while a line is typed.
pub(super) struct Helper {
    pub(super) prompt: Prompt,
    sandbox: Sandbox,
    colours: bool,
}

impl Helper {
    pub(super) fn new(sandbox: Sandbox, colours: bool) -> Helper {
        Helper {
            prompt: Prompt::default(),
            sandbox,
            colours,
        }
    }

    /// Whether bash would want more lines. It is asked to read the text and not to run it.
    fn is_unfinished(&self, text: &str) -> bool {
        // A line that goes on says so itself; to bash it is one that ends with the input.
        let slashes = text.len() - text.trim_end_matches('\\').len();
        if slashes % 2 == 1 {
            return true;
        }
        let Ok(fork) = self.sandbox.fork() else {
            return false;
        };
        let command = fork.command(["bash", "-n", "-c", text]).timeout(TIMEOUT);
        command.run_blocking().is_ok_and(|result| {
            let said = result.stderr_text();
            let wants = |line: &str| {
                line.contains("unexpected end of file")
                    || line.contains("unexpected EOF while looking for")
                    || line.contains("here-document") && line.contains("delimited by end-of-file")
            };
            said.lines().any(wants)
        })
    }
}

impl rustyline::Helper for Helper {}

impl Hinter for Helper {
    type Hint = String;
}

impl Highlighter for Helper {
    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(
        &'s self,
        prompt: &'p str,
        default: bool,
    ) -> Cow<'b, str> {
        if default && self.colours {
            Cow::Owned(self.prompt.coloured())
        } else {
            Cow::Borrowed(prompt)
        }
    }
}

impl Validator for Helper {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(match self.is_unfinished(context.input()) {
            true => ValidationResult::Incomplete,
            false => ValidationResult::Valid(None),
        })
    }
}

impl Completer for Helper {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let Ok(found) = self.sandbox.complete_blocking(line, at) else {
            return Ok((at, Vec::new()));
        };
        let single = found.words.len() == 1;
        let words = found.words.into_iter().filter_map(|word| {
            // A name that a terminal would obey is not offered.
            if crate::terminal_text::shown_path(word.as_bytes()) != word {
                return None;
            }
            let mut replacement = escaped(&word);
            if single && !word.ends_with('/') {
                replacement.push(' ');
            }
            // Of a path the last part is enough to choose by.
            let shown = word.trim_end_matches('/').rfind('/').map_or(0, |at| at + 1);
            Some(Pair {
                display: word[shown..].to_owned(),
                replacement,
            })
        });
        Ok((found.start, words.collect()))
    }
}

/// A word with what the shell would read otherwise behind backslashes.
fn escaped(word: &str) -> String {
    let mut text = String::with_capacity(word.len());
    for c in word.chars() {
        if " \t\n'\"\\$`&|;()<>*?[]{}!#".contains(c) {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_has_the_directory_and_a_bad_status() {
        let plain = |directory: &str, status| {
            let directory = directory.to_owned();
            Prompt { directory, status }.plain()
        };
        assert_eq!(plain("/home/user", 0), "~ $ ");
        assert_eq!(plain("/home/user/a", 1), "[1] ~/a $ ");
        assert_eq!(plain("/home/users", 0), "/home/users $ ");
    }

    #[test]
    fn completed_words_are_one_word_to_the_shell() {
        assert_eq!(escaped("a b"), "a\\ b");
        assert_eq!(escaped("~/x-y_z.txt"), "~/x-y_z.txt");
        assert_eq!(escaped("it's"), "it\\'s");
    }
}
