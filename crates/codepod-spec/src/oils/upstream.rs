//! Reads the files of the Oils project that hold its cases, by the rules of that project's own
//! `test/sh_spec.py`.
//!
//! `#### NAME` begins a case. Its script are the lines that are no comments, up to the first `##
//! KEY: VALUE`; a key `code` is the script itself. What the project expects is not read: what is
//! right is bash's word.

/// A case: its name and its script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Upstream {
    pub(crate) name: String,
    pub(crate) script: Vec<u8>,
}

/// What is in a file: its cases in order, and whether they want a folder `_tmp`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct File {
    pub(crate) cases: Vec<Upstream>,
    pub(crate) tmp_subdir: bool,
}

/// What a line is.
#[derive(Debug, PartialEq, Eq)]
enum Line<'a> {
    Case(&'a [u8]),
    /// A key with its value; whether it is about one shell only.
    Key(&'a [u8], &'a [u8], bool),
    End,
    Comment,
    Text(&'a [u8]),
}

/// Where a file is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Before the first case.
    Head,
    /// Keys before a script.
    Before,
    Script,
    /// Keys after a script, and texts that belong to them.
    After,
}

/// Reads a file.
pub(crate) fn read(text: &[u8]) -> File {
    let mut file = File::default();
    let mut part = Part::Head;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        match classify(line) {
            Line::Case(name) => {
                file.cases.push(Upstream {
                    name: String::from_utf8_lossy(name).into_owned(),
                    script: Vec::new(),
                });
                part = Part::Before;
            }
            Line::Key(name, _, _) if part == Part::Head => {
                file.tmp_subdir |= name == b"legacy_tmp_dir";
            }
            Line::Key(name, value, one_shell) => {
                if name == b"code" && part == Part::Before && !one_shell {
                    if let Some(case) = file.cases.last_mut() {
                        case.script = value.to_vec();
                    }
                    part = Part::After;
                } else if part == Part::Script {
                    part = Part::After;
                }
            }
            Line::End | Line::Comment => {}
            // Empty lines before a script do not belong to it.
            Line::Text(line) if part == Part::Before && line.trim_ascii().is_empty() => {}
            Line::Text(line) if matches!(part, Part::Before | Part::Script) => {
                part = Part::Script;
                if let Some(case) = file.cases.last_mut() {
                    case.script.extend_from_slice(line);
                }
            }
            Line::Text(_) => {}
        }
    }
    file
}

fn classify(line: &[u8]) -> Line<'_> {
    if let Some(name) = line.strip_prefix(b"####") {
        return Line::Case(name.trim_ascii());
    }
    if let Some(rest) = line.strip_prefix(b"##") {
        return key(rest).unwrap_or(Line::End);
    }
    if line.trim_ascii_start().starts_with(b"#") {
        return Line::Comment;
    }
    Line::Text(line)
}

/// A key behind `##`: `KEY: VALUE`, or `BUG SHELLS KEY: VALUE`.
fn key(rest: &[u8]) -> Option<Line<'_>> {
    let colon = rest.iter().position(|&byte| byte == b':')?;
    let mut words = rest[..colon].split(u8::is_ascii_whitespace);
    let name = words.next_back().filter(|name| is_word(name))?;
    let one_shell = words.any(|word| !word.is_empty());
    Some(Line::Key(name, rest[colon + 1..].trim_ascii(), one_shell))
}

fn is_word(name: &[u8]) -> bool {
    !name.is_empty()
        && name
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scripts(text: &str) -> Vec<(String, String)> {
        let cases = read(text.as_bytes()).cases.into_iter();
        cases
            .map(|case| (case.name, String::from_utf8(case.script).unwrap()))
            .collect()
    }

    #[test]
    fn a_script_goes_from_its_name_to_the_first_key() {
        let text = "## compare_shells: bash\n\n# A word.\n\n#### One\n\necho a\n\n  # no\necho b\n## status: 0\n\
            ## STDOUT:\na\n\nb\n## END\n## BUG dash STDOUT:\nx\n## END\n\n#### Two: three\necho c\n";
        assert_eq!(
            scripts(text),
            [
                ("One".to_owned(), "echo a\n\necho b\n".to_owned()),
                ("Two: three".to_owned(), "echo c\n".to_owned()),
            ]
        );
        assert!(!read(text.as_bytes()).tmp_subdir);
    }

    #[test]
    fn a_script_may_be_a_key() {
        let text = "## legacy_tmp_dir: yes\n#### One\n## code: echo '\n## status: 2\n";
        assert_eq!(scripts(text), [("One".to_owned(), "echo '".to_owned())]);
        assert!(read(text.as_bytes()).tmp_subdir);
    }
}
