//! Files of our own cases: `spec/shell/TOPIC.toml`, `spec/tools/COMMAND.toml`.
//!
//! ```toml
//! # Pipelines: order, exit status, PIPESTATUS, subshells, broken pipes.
//!
//! [[case]]
//! name = "pipefail reports the rightmost failure"
//! run = '''
//! set -o pipefail
//! (exit 3) | (exit 5) | true
//! '''
//! status = 5
//! ```
//!
//! A file about a command begins with what of it works ([`Support`]).
//!
//! [`CaseFile::to_text`] writes a file in the one form that all have; comments in front of a case
//! are kept.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::failure::{Failure, Result};
use crate::quoting::{escape, quoted};
use crate::support::Support;

/// A file of cases about one topic.
#[derive(Debug)]
pub(crate) struct CaseFile {
    pub(crate) path: PathBuf,
    /// The name of its directory.
    pub(crate) directory: String,
    pub(crate) topic: String,
    /// What of the tool works; only in `tools`.
    pub(crate) support: Support,
    pub(crate) cases: Vec<Case>,
    /// Comments before `support`.
    header: Vec<String>,
    /// What stands before each case and says something about it or about the file, without its
    /// line end.
    comments: Vec<Vec<String>>,
    /// As it was read.
    text: String,
}

/// A case. What is left out is empty, or 0.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Case {
    /// The behaviour it shows, as a sentence.
    pub(crate) name: String,
    /// Files that are there before; one that starts with `#!` is executable, a name that ends in
    /// `/` is a directory.
    pub(crate) files: BTreeMap<String, String>,
    /// Environment beside the usual.
    pub(crate) env: BTreeMap<String, String>,
    /// What the script reads.
    pub(crate) stdin: String,
    /// The script, run by `bash -c`.
    pub(crate) run: String,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) status: i32,
    /// Files and their content afterwards; not looked at when left out.
    pub(crate) leaves: Option<BTreeMap<String, String>>,
    /// Where we part from bash on purpose, and why. The expectation is ours then.
    pub(crate) differs: Option<String>,
    /// Why it fails today.
    pub(crate) pending: Option<String>,
    /// The kinds of unusual input it shows ([`crate::edges`]); only in `tools`.
    pub(crate) edges: Vec<String>,
}

#[derive(Deserialize)]
struct Document {
    #[serde(flatten)]
    support: Support,
    #[serde(default)]
    case: Vec<Case>,
}

/// The line that begins a case.
const BEGIN: &str = "[[case]]";

impl CaseFile {
    /// Reads a file. Fails when it is not TOML, has keys that no case has, or two cases of one
    /// name.
    pub(crate) fn read(path: &Path) -> Result<CaseFile> {
        let text =
            std::fs::read_to_string(path).map_err(|error| Failure::file("read", path, error))?;
        CaseFile::parse(path, text).map_err(|why| Failure::file("use", path, why))
    }

    pub(crate) fn parse(path: &Path, text: String) -> Result<CaseFile, String> {
        let document: Document = toml::from_str(&text).map_err(|error| error.to_string())?;
        let (cases, support) = (document.case, document.support);
        if let Some(key) = unknown_key(&text) {
            return Err(format!("there is no key `{key}`"));
        }
        for (place, case) in cases.iter().enumerate() {
            if case.name.is_empty() {
                return Err(format!("case {} has no name", place + 1));
            }
            if cases[..place].iter().any(|other| other.name == case.name) {
                return Err(format!("two cases are named `{}`", case.name));
            }
        }
        let comments = comments(&text);
        if comments.len() != cases.len() {
            return Err(format!(
                "`{BEGIN}` must begin a line, and only where a case begins"
            ));
        }
        let name = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        Ok(CaseFile {
            path: path.to_owned(),
            directory: name(path.parent().and_then(Path::file_name)),
            topic: name(path.file_stem()),
            header: if support.is_empty() {
                Vec::new()
            } else {
                header(&text)
            },
            support,
            cases,
            comments,
            text,
        })
    }

    /// How its cases' ids begin: `DIRECTORY/TOPIC`.
    pub(crate) fn id(&self) -> String {
        format!("{}/{}", self.directory, self.topic)
    }

    /// Whether the file has the form that [`CaseFile::to_text`] gives it.
    pub(crate) fn is_in_form(&self) -> bool {
        self.text == self.to_text()
    }

    /// Writes the file if that changes it; whether it did.
    pub(crate) fn write(&self) -> Result<bool> {
        if self.is_in_form() {
            return Ok(false);
        }
        std::fs::write(&self.path, self.to_text())
            .map_err(|error| Failure::file("write", &self.path, error))?;
        Ok(true)
    }

    /// The file as text.
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        if !self.support.is_empty() {
            for line in &self.header {
                text += line;
                text.push('\n');
            }
            text += &self.support.to_text();
        }
        for (case, comments) in self.cases.iter().zip(&self.comments) {
            if !text.is_empty() {
                text.push('\n');
            }
            for line in comments {
                text += line;
                text.push('\n');
            }
            text += &case.to_text();
        }
        text
    }
}

impl Case {
    fn to_text(&self) -> String {
        let mut text = format!("{BEGIN}\nname = {}\n", quoted(&self.name));
        if !self.edges.is_empty() {
            let edges: Vec<String> = self.edges.iter().map(|edge| quoted(edge)).collect();
            text += &format!("edges = [{}]\n", edges.join(", "));
        }
        for (key, table) in [("files", &self.files), ("env", &self.env)] {
            if !table.is_empty() {
                text += &format!("{key} = {}\n", inline_table(table));
            }
        }
        for (key, value) in [
            ("stdin", &self.stdin),
            ("run", &self.run),
            ("stdout", &self.stdout),
            ("stderr", &self.stderr),
        ] {
            if !value.is_empty() {
                text += &format!("{key} = {}\n", lines(value));
            }
        }
        if self.status != 0 {
            text += &format!("status = {}\n", self.status);
        }
        if let Some(leaves) = &self.leaves {
            text += &format!("leaves = {}\n", inline_table(leaves));
        }
        for (key, value) in [("differs", &self.differs), ("pending", &self.pending)] {
            if let Some(value) = value {
                text += &format!("{key} = {}\n", quoted(value));
            }
        }
        text
    }
}

/// The comments at the beginning, up to the first key, with an empty line at the end.
fn header(text: &str) -> Vec<String> {
    let lines = text
        .lines()
        .take_while(|line| line.is_empty() || line.starts_with('#'));
    let mut lines: Vec<String> = lines.map(str::to_owned).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    if !lines.is_empty() {
        lines.push(String::new());
    }
    lines
}

/// A key outside of cases that says nothing to us.
fn unknown_key(text: &str) -> Option<String> {
    let table: toml::Table = toml::from_str(text).ok()?;
    let known = ["origin", "works", "differs", "missing", "edges", "case"];
    table
        .into_iter()
        .map(|(key, _)| key)
        .find(|key| !known.contains(&key.as_str()))
}

/// The comments that stand before each case; an empty line between them is kept.
fn comments(text: &str) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    let mut held: Vec<String> = Vec::new();
    // The quotes of the text of several lines that a line is in.
    let mut inside: Option<&str> = None;
    for line in text.lines() {
        if let Some(quotes) = inside {
            inside = (!line.contains(quotes)).then_some(quotes);
            held.clear();
            continue;
        }
        let opened = ["'''", "\"\"\""]
            .into_iter()
            .find(|quotes| line.matches(quotes).count() == 1);
        if opened.is_some() && !line.starts_with('#') {
            inside = opened;
        } else if line == BEGIN {
            // Empty lines at the beginning are not the comment's; one before the case separates a
            // file's header.
            let first = held.iter().position(|line| !line.is_empty());
            all.push(first.map_or(Vec::new(), |first| held.split_off(first)));
            held.clear();
        } else if line.is_empty() || line.starts_with('#') {
            held.push(line.to_owned());
        } else {
            held.clear();
        }
    }
    all
}

fn inline_table(table: &BTreeMap<String, String>) -> String {
    if table.is_empty() {
        return "{}".into();
    }
    let entries = table
        .iter()
        .map(|(key, value)| format!("{} = {}", quoted(key), quoted(value)));
    format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
}

/// A text of lines, as it is where TOML allows that.
fn lines(value: &str) -> String {
    let plain = |character: char| character == '\n' || character == '\t' || !character.is_control();
    if value.contains("'''") || value.ends_with('\'') || !value.chars().all(plain) {
        let escaped: Vec<String> = value.split('\n').map(|line| escape(line, true)).collect();
        return format!("\"\"\"\n{}\"\"\"", escaped.join("\n"));
    }
    if value.contains('\n') {
        format!("'''\n{value}'''")
    } else {
        quoted(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<CaseFile, String> {
        CaseFile::parse(Path::new("spec/shell/topic.toml"), text.into())
    }

    fn again(file: &CaseFile) -> CaseFile {
        parse(&file.to_text()).unwrap()
    }

    #[test]
    fn a_file_in_form_is_written_as_it_was_read() {
        let text = "# About the topic.\n\n[[case]]\nname = \"one\"\nrun = '''\necho 1\n'''\nstdout = '''\n1\n'''\n\n\
            # Why this one matters.\n[[case]]\nname = \"two\"\nrun = '''\nexit 2\n'''\nstatus = 2\n";
        let file = parse(text).unwrap();
        assert_eq!(file.to_text(), text);
        assert!(file.is_in_form());
        assert_eq!(file.topic, "topic");
    }

    #[test]
    fn lines_of_a_text_are_no_comments() {
        let case =
            |name: &str| format!("[[case]]\nname = \"{name}\"\nstdout = '''\n# text\n#? '''\n");
        let text = format!("{}\n# comment\n{}", case("one"), case("two"));
        assert!(parse(&text).unwrap().is_in_form());
    }

    #[test]
    fn any_text_survives_being_written() {
        for value in [
            "plain",
            "line\n",
            "\n",
            "it's '''\n",
            "ends with '",
            "a\x01b\n\tc \\ \"q\" \"\"\"\"\n",
            "\"\n\"\"\n",
            "trailing \nspace '''\n",
            "\u{7f} μ \r\n",
        ] {
            let case = Case {
                name: "n".into(),
                run: value.into(),
                stdout: value.into(),
                stderr: format!("{value}\x02"),
                leaves: Some([(String::from("f"), value.to_owned())].into()),
                ..Case::default()
            };
            let file = CaseFile {
                cases: vec![case.clone()],
                comments: vec![Vec::new()],
                ..parse("").unwrap()
            };
            assert_eq!(again(&file).cases, [case], "{}", file.to_text());
        }
    }

    #[test]
    fn mistakes_are_named() {
        let mistake = |text| parse(text).err().unwrap_or_default();
        assert!(mistake("[[case]]\nname = 'a'\nstdou = ''\n").contains("stdou"));
        assert!(mistake("[[case]]\nname = 'a'\n[[case]]\nname = 'a'\n").contains("two cases"));
        assert!(mistake("[[case]]\nrun = 'a'\n").contains("no name"));
        assert!(mistake(" [[case]]\nname = 'a'\n").contains("begin a line"));
    }
}
