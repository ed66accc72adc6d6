//! Which commands a script calls, as far as can be told from its text: for the report of tools that
//! are missing.

use std::collections::BTreeSet;
use std::path::Path;

/// What stands before a command.
const BEFORE: &[&str] = &[
    "then", "do", "else", "elif", "if", "while", "until", "!", "{", "time", "xargs", "env", "exec",
    "command",
];

/// The names in the place of a command that are programs of this machine.
pub(crate) fn called(script: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for line in script.lines() {
        for piece in line.split(['|', ';', '&', '(', '`']) {
            let mut words = piece.split_whitespace();
            let word = words.find(|word| !BEFORE.contains(word) && !is_assignment(word));
            if let Some(word) = word.map(|word| word.trim_end_matches(')'))
                && is_program(word)
            {
                names.insert(word);
            }
        }
    }
    names
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        let name = name.trim_end_matches('+');
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
    })
}

/// Whether a word names a program here. Builtins of bash are not: ours has them, too.
fn is_program(word: &str) -> bool {
    const BUILTINS: &[&str] = &[
        "[", "echo", "false", "kill", "printf", "pwd", "sh", "bash", "test", "true",
    ];
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.[".contains(&byte);
    !word.is_empty()
        && word.bytes().all(plain)
        && !BUILTINS.contains(&word)
        && ["/usr/bin", "/bin"]
            .iter()
            .any(|directory| Path::new(directory).join(word).is_file())
}

#[cfg(test)]
mod tests {
    use super::called;

    #[test]
    fn commands_are_found_where_commands_stand() {
        let script = "x=1 LC_ALL=C sort f | cut -c1 && { wc -l; }\nif cat f; then echo $(head -1 tail); fi\n";
        let names: Vec<&str> = called(script).into_iter().collect();
        assert_eq!(names, ["cat", "cut", "head", "sort", "wc"]);
    }
}
