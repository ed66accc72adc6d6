//! Completion: what could stand at a place in a command line. Asked of the shell itself, in a fork,
//! so that nothing changes.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::error::Error;
use crate::sandbox::Sandbox;
use crate::shell::Shell;

/// The longest wait for suggestions.
const TIMEOUT: Duration = Duration::from_secs(2);
/// The most suggestions.
const MOST: usize = 1000;

/// Commands whose first argument is one of a few words.
const SUBCOMMANDS: &[(&str, &str)] = &[(
    "git",
    "add am apply archive bisect blame branch cat-file checkout cherry-pick clean clone commit config diff fetch \
     format-patch fsck gc grep init log ls-files ls-tree merge mv pull push rebase reflog remote reset restore rev-list \
     rev-parse revert rm shortlog show stash status switch tag worktree",
)];

/// What could stand at a place in a line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Completion {
    /// Where the word starts that is to be replaced, in bytes.
    pub start: usize,
    /// What it could be replaced by, sorted; directories end with a slash.
    pub words: Vec<String>,
}

/// What a word is.
#[derive(Debug, PartialEq, Eq)]
enum Place<'a> {
    Command,
    Variable,
    Argument(&'a str),
}

impl Shell {
    /// What could stand at a place in a line of this shell: commands, paths, variables, and
    /// subcommands where they are known. `cursor` counts bytes; beyond the end it means the
    /// end.
    pub async fn complete(&self, line: &str, cursor: usize) -> Result<Completion, Error> {
        let mut cursor = cursor.min(line.len());
        while !line.is_char_boundary(cursor) {
            cursor -= 1;
        }
        let (start, place) = place(&line[..cursor]);
        let word = &line[start..cursor];
        let (script, start) = match place {
            Place::Command if word.contains('/') => (paths(word), start),
            Place::Command => (format!("compgen -c -- {}", quoted(word)), start),
            Place::Variable => (format!("compgen -v -- {}", quoted(word)), start),
            Place::Argument(command) => {
                let known = SUBCOMMANDS.iter().find(|(name, _)| *name == command);
                match known {
                    Some((_, words)) => (
                        format!("compgen -W {} -- {}", quoted(words), quoted(word)),
                        start,
                    ),
                    None => (paths(word), start),
                }
            }
        };
        let fork = self.sandbox.fork()?;
        let script = fork.shell(self.name()).script(script).timeout(TIMEOUT);
        let result = script.run().await?;
        let words: BTreeSet<String> = result.stdout_text().lines().map(str::to_owned).collect();
        Ok(Completion {
            start,
            words: words.into_iter().take(MOST).collect(),
        })
    }
}

impl Sandbox {
    /// What could stand at a place in a line of the main shell. See [`Shell::complete`].
    pub async fn complete(&self, line: &str, cursor: usize) -> Result<Completion, Error> {
        self.shell("").complete(line, cursor).await
    }

    /// Blocking form of [`Self::complete`], for callers without an async runtime.
    pub fn complete_blocking(&self, line: &str, cursor: usize) -> Result<Completion, Error> {
        futures_lite::future::block_on(self.complete(line, cursor))
    }
}

/// A script that lists paths which begin as `word` does; a tilde at its start means the home
/// directory.
fn paths(word: &str) -> String {
    let word = quoted(word);
    format!(
        "w={word}; p=$w; [[ $w == '~/'* ]] && p=$HOME/${{w:2}}
        while IFS= read -r f; do [[ -d $f ]] && f+=/; [[ $p != \"$w\" ]] && f=\\~/${{f#\"$HOME/\"}}; printf '%s\\n' \"$f\"
        done < <(compgen -f -- \"$p\")"
    )
}

/// A word in single quotes.
pub(crate) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Where the last word of a line starts, and what it is.
fn place(line: &str) -> (usize, Place<'_>) {
    let breaks = |character: char| " \t\n;|&()<>`=".contains(character);
    let start = line.rfind(breaks).map_or(0, |at| at + 1);
    let word = &line[start..];
    if let Some(at) = word.rfind('$') {
        let name = word[at + 1..].trim_start_matches('{');
        if name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        {
            return (line.len() - name.len(), Place::Variable);
        }
    }
    let before = line[..start].trim_end_matches([' ', '\t']);
    let begins = before.is_empty() || before.ends_with(['\n', ';', '|', '&', '(', '`']);
    if begins {
        return (start, Place::Command);
    }
    // The words of this command so far.
    let command = before
        .rfind(['\n', ';', '|', '&', '(', '`'])
        .map_or(0, |at| at + 1);
    let mut words = before[command..].split_whitespace();
    let first = words.next().unwrap_or_default();
    let only = words.next().is_none();
    (start, Place::Argument(if only { first } else { "" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_word_is_found() {
        let cases = [
            ("", 0, Place::Command),
            ("ec", 0, Place::Command),
            ("cat fi", 4, Place::Argument("cat")),
            ("cat a | gr", 8, Place::Command),
            ("x=$(da", 4, Place::Command),
            ("echo $HO", 6, Place::Variable),
            ("echo ${HO", 7, Place::Variable),
            ("git che", 4, Place::Argument("git")),
            ("git checkout ma", 13, Place::Argument("")),
            ("make; git ", 10, Place::Argument("git")),
            ("cat <fi", 5, Place::Argument("")),
        ];
        for (line, start, expected) in cases {
            assert_eq!(place(line), (start, expected), "{line}");
        }
    }
}
