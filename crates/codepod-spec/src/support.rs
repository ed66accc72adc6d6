//! What of a tool works: which options do, which do something else, which are missing.
//!
//! A file of `spec/tools` begins with it. It is checked: an option that the real tool's `--help`
//! names must be listed; what works or differs must be accepted in the sandbox; what is missing
//! must be refused there. `docs/reference/tools.md` and `help --support TOOL` are made from it.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

use crate::failure::Result;
use crate::job::{Feed, Job, Place, environment};
use crate::quoting::{escape, quoted};

/// The longest line of options.
const WIDTH: usize = 110;
/// How long a tool may take to refuse an option.
const TIMEOUT: Duration = Duration::from_secs(1);
/// How tools say that they have no such option.
const REFUSALS: [&str; 10] = [
    "invalid option",
    "unrecognized option",
    "unknown option",
    "unknown predicate",
    "unexpected argument",
    "illegal option",
    "not supported",
    "unsupported",
    "Unknown option",
    "unknown arguments",
];

/// What of a tool works. `works` has words; the other two say why.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Support {
    /// Where the tool comes from: `ours`, or a crate and its version.
    pub(crate) origin: String,
    /// Options that do what the real tool's do; and operands, functions or the like, where a tool
    /// is known for them.
    pub(crate) works: String,
    /// Options, or topics, that do something else, and what.
    pub(crate) differs: BTreeMap<String, String>,
    /// Options, or topics, that are not there, and why.
    pub(crate) missing: BTreeMap<String, String>,
    /// Kinds of unusual input that no case shows, and why ([`crate::edges`]).
    pub(crate) edges: BTreeMap<String, String>,
}

impl Support {
    /// Whether nothing is said.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Support::default()
    }

    /// The words that work.
    pub(crate) fn works(&self) -> impl Iterator<Item = &str> {
        self.works.split_whitespace()
    }

    fn names(&self, option: &str) -> bool {
        self.works().any(|word| word == option)
            || self.differs.contains_key(option)
            || self.missing.contains_key(option)
    }

    /// As it stands at the beginning of a file.
    pub(crate) fn to_text(&self) -> String {
        let mut text = format!("origin = {}\n", quoted(&self.origin));
        if !self.works.is_empty() {
            text += "works = '''\n";
            let mut width = 0;
            for word in self.works() {
                if width > 0 && width + 1 + word.len() > WIDTH {
                    text.push('\n');
                    width = 0;
                } else if width > 0 {
                    text.push(' ');
                    width += 1;
                }
                text += word;
                width += word.len();
            }
            text += "\n'''\n";
        }
        for (name, table) in [
            ("differs", &self.differs),
            ("missing", &self.missing),
            ("edges", &self.edges),
        ] {
            if table.is_empty() {
                continue;
            }
            text += &format!("\n[{name}]\n");
            for (key, why) in table {
                text += &format!("\"{}\" = {}\n", escape(key, false), quoted(why));
            }
        }
        text
    }

    /// What the real tool's `--help` names and this does not.
    pub(crate) fn unlisted(&self, tool: &str, native: &dyn Place) -> Result<Vec<String>> {
        let mut options = real_options(tool, native)?;
        options.retain(|option| !self.names(option));
        Ok(options)
    }

    /// What is not as it says in a sandbox, a line each.
    pub(crate) fn mistakes(&self, tool: &str, sandbox: &dyn Place) -> Result<Vec<String>> {
        let mut mistakes = Vec::new();
        for option in self.works().chain(self.differs.keys().map(String::as_str)) {
            if is_one_option(option) && is_refused(tool, option, sandbox)? {
                mistakes.push(format!("`{option}` is refused"));
            }
        }
        for option in self.missing.keys() {
            if is_one_option(option) && !is_refused(tool, option, sandbox)? {
                mistakes.push(format!("`{option}` is missing, but accepted"));
            }
        }
        Ok(mistakes)
    }

    /// Adds the options that are not listed: to what works if the sandbox's tool accepts them, else
    /// to what is missing.
    pub(crate) fn fill(
        &mut self,
        tool: &str,
        native: &dyn Place,
        sandbox: &dyn Place,
    ) -> Result<()> {
        for option in self.unlisted(tool, native)? {
            if is_refused(tool, &option, sandbox)? {
                self.missing.insert(option, String::new());
            } else {
                self.works += &format!(" {option}");
            }
        }
        Ok(())
    }
}

/// The options that the real tool's `--help` names.
fn real_options(tool: &str, native: &dyn Place) -> Result<Vec<String>> {
    let script = format!("type -P '{tool}' >/dev/null && env -- '{tool}' --help </dev/null 2>&1");
    let text = run(&script, native)?.0;
    Ok(options_of(&text))
}

/// The options in the left column of a text as `--help` prints it.
fn options_of(text: &str) -> Vec<String> {
    let mut options: Vec<String> = Vec::new();
    let lines = text.lines().map(str::trim_start);
    for line in lines.filter(|line| line.starts_with('-')) {
        let column = line.split("  ").next().unwrap_or(line);
        for piece in column.split(", ") {
            let end = piece.find(['=', '[', ' ', ',', '<']).unwrap_or(piece.len());
            let option = &piece[..end];
            let is_word = option.len() > 1
                && option
                    .trim_start_matches('-')
                    .chars()
                    .all(|c| c.is_ascii_graphic())
                && option
                    .trim_start_matches('-')
                    .chars()
                    .any(|c| c.is_ascii_alphanumeric());
            if is_word && option.starts_with('-') && !options.iter().any(|known| known == option) {
                options.push(option.to_owned());
            }
        }
    }
    options
}

/// Whether a key names one option that can be tried, and not a topic such as `-NUM` or `-e with
/// %f`.
fn is_one_option(key: &str) -> bool {
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_graphic() && c != ',');
    match (key.strip_prefix("--"), key.strip_prefix('-')) {
        (Some(name), _) => is_name(name),
        (None, Some(letter)) => letter.chars().count() == 1,
        (None, None) => false,
    }
}

/// Whether a tool says that it has no such option.
fn is_refused(tool: &str, option: &str, place: &dyn Place) -> Result<bool> {
    let ask = |arguments: &str| {
        run(
            &format!("env -- '{tool}' {arguments} </dev/null 2>&1 >/dev/null"),
            place,
        )
    };
    let (mut text, mut status) = ask(&format!("'{option}'"))?;
    if text.contains("requires an argument") {
        (text, status) = ask(&format!("'{option}' 1"))?;
    }
    Ok(status != 0 && REFUSALS.iter().any(|refusal| text.contains(refusal)))
}

fn run(script: &str, place: &dyn Place) -> Result<(String, i32)> {
    let mut job = Job::new(script, Feed::Command, TIMEOUT);
    job.env = environment();
    let outcome = place.run(&job)?;
    let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
    Ok((text, outcome.status))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_found_in_help() {
        let text = "Usage: x -a\n  -a, --all    do -x\n      --block=SIZE  y\n  -n NUM, --lines=[-]NUM\n  -z\n --\n";
        assert_eq!(
            options_of(text),
            ["-a", "--all", "--block", "-n", "--lines", "-z"]
        );
    }

    #[test]
    fn long_lists_are_wrapped() {
        let support = Support {
            origin: "ours".into(),
            works: "--word ".repeat(40),
            ..Support::default()
        };
        assert!(support.to_text().lines().all(|line| line.len() <= WIDTH));
    }
}
