//! The unusual inputs that every tool that reads text has cases of: what a file of `spec/tools`
//! must show.
//!
//! A case names the kinds it shows: `edges = ["nul"]`. A kind that no case shows needs a reason in
//! the table `[edges]` at the file's beginning; the key `all` there says why the tool reads no
//! text. The names alone would prove nothing, so a case must also contain what it names
//! ([`Edge::is_in`]).

use std::collections::BTreeMap;

use crate::case_file::{Case, CaseFile};

/// A kind of unusual input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edge {
    /// All bytes.
    Binary,
    /// Bytes 0 within text.
    Nul,
    /// Bytes that are no UTF-8.
    Invalid,
    /// Nothing to read.
    Empty,
    /// A file that is not there.
    Missing,
    /// A line of 100,000 bytes and more.
    Long,
    /// A file whose name has blanks, line ends, letters beyond ASCII, or begins with `-`.
    Name,
}

/// All kinds, as they are called in cases.
const EDGES: [(Edge, &str); 7] = [
    (Edge::Binary, "binary"),
    (Edge::Nul, "nul"),
    (Edge::Invalid, "invalid-utf8"),
    (Edge::Empty, "empty"),
    (Edge::Missing, "missing"),
    (Edge::Long, "long-line"),
    (Edge::Name, "name"),
];

/// The key that says why a tool has none.
const ALL: &str = "all";

impl Edge {
    fn named(name: &str) -> Option<Edge> {
        EDGES
            .iter()
            .find_map(|(edge, known)| (*known == name).then_some(*edge))
    }

    /// Whether a case has what the kind is about, as far as its text tells.
    fn is_in(self, case: &Case) -> bool {
        let inputs = || {
            [&case.run, &case.stdin]
                .into_iter()
                .chain(case.files.values())
        };
        let has =
            |texts: &[&str]| inputs().any(|text| texts.iter().any(|part| text.contains(part)));
        match self {
            Edge::Binary => has(&["{0..255}", "{1..255}", "/dev/urandom"]),
            Edge::Nul => has(&["\\0", "\\x00", "/dev/zero", "\0", "print0"]),
            Edge::Invalid => {
                let escapes: Vec<String> = (8..16).map(|high| format!("\\x{high:x}")).collect();
                let octal = ["\\2", "\\3"];
                has(&octal) || has(&escapes.iter().map(String::as_str).collect::<Vec<_>>())
            }
            Edge::Empty => {
                has(&["/dev/null", ": >", "printf ''"]) || case.files.values().any(String::is_empty)
            }
            // Somebody says so, or the status does.
            Edge::Missing => {
                case.run.contains("missing")
                    && (case.status != 0 || !case.stderr.is_empty() || case.run.contains("$?"))
            }
            Edge::Long => {
                inputs().any(|text| has_long_number(text))
                    || inputs().any(|text| text.len() > 100_000)
            }
            Edge::Name => {
                let names = case.files.keys().any(|name| is_unusual(name));
                names || has(&["$'", "'a b'", "\"a b\"", " ./-", "-- -"])
            }
        }
    }
}

/// Whether a script speaks of 100,000 or more bytes, or counts far enough to write as many.
fn has_long_number(text: &str) -> bool {
    let least = if text.contains("{1..") { 5 } else { 6 };
    text.split(|character: char| !character.is_ascii_digit())
        .any(|digits| digits.len() >= least)
}

fn is_unusual(name: &str) -> bool {
    name.starts_with('-') || name.chars().any(|character| !character.is_ascii_graphic())
}

/// What a tool's file lacks, a line each.
pub(crate) fn mistakes(file: &CaseFile) -> Vec<String> {
    let mut mistakes = Vec::new();
    let reasons = &file.support.edges;
    for (key, why) in reasons {
        if key != ALL && Edge::named(key).is_none() {
            mistakes.push(format!("`[edges]` has `{key}`, which is no kind of input"));
        }
        if why.is_empty() {
            mistakes.push(format!("`[edges]` gives no reason for `{key}`"));
        }
    }
    for case in &file.cases {
        for name in &case.edges {
            match Edge::named(name) {
                None => mistakes.push(format!(
                    "`{}` has `{name}`, which is no kind of input",
                    case.name
                )),
                Some(edge) if !edge.is_in(case) => {
                    mistakes.push(format!("`{}` shows nothing of `{name}`", case.name));
                }
                Some(_) => {}
            }
        }
    }
    for (_, name) in EDGES {
        let (shown, excused) = (count(file, name) > 0, reasons.contains_key(name));
        if !shown && !excused && !reasons.contains_key(ALL) {
            mistakes.push(format!(
                "no case shows `{name}`, and `[edges]` gives no reason"
            ));
        }
        if shown && excused {
            mistakes.push(format!("`[edges]` excuses `{name}`, which a case shows"));
        }
    }
    mistakes
}

/// How many cases show a kind.
fn count(file: &CaseFile, edge: &str) -> usize {
    file.cases
        .iter()
        .filter(|case| case.edges.iter().any(|name| name == edge))
        .count()
}

/// The kinds as columns, a line per tool that reads text, and how many tools do not.
pub(crate) fn table(files: &[CaseFile]) -> String {
    let mut text = format!("{:<12}", "tool");
    for (_, name) in EDGES {
        text += &format!(" {name:>12}");
    }
    text.push('\n');
    let mut totals: BTreeMap<&str, usize> = BTreeMap::new();
    let readers = files
        .iter()
        .filter(|file| !file.support.edges.contains_key(ALL));
    let mut tools = 0;
    for file in readers {
        tools += 1;
        text += &format!("{:<12}", file.topic);
        for (_, name) in EDGES {
            let shown = count(file, name);
            *totals.entry(name).or_default() += usize::from(shown > 0);
            let cell = match (shown, file.support.edges.contains_key(name)) {
                (0, true) => "-".to_owned(),
                (0, false) => "NONE".to_owned(),
                (shown, _) => shown.to_string(),
            };
            text += &format!(" {cell:>12}");
        }
        text.push('\n');
    }
    text += &format!("{:<12}", "tools");
    for (_, name) in EDGES {
        text += &format!(" {:>12}", totals.get(name).copied().unwrap_or_default());
    }
    text + &format!(
        "\n{tools} tools read text, {} do not; `-` has a reason in the file\n",
        files.len() - tools
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> CaseFile {
        CaseFile::parse(std::path::Path::new("spec/tools/x.toml"), text.into()).unwrap()
    }

    #[test]
    fn a_kind_needs_a_case_or_a_reason() {
        let none = mistakes(&file("origin = 'ours'\n"));
        assert_eq!(none.len(), EDGES.len(), "{none:?}");
        assert!(mistakes(&file("[edges]\nall = 'it reads nothing'\n")).is_empty());
        let one = mistakes(&file("[edges]\nnul = 'why'\n"));
        assert_eq!(one.len(), EDGES.len() - 1);
        assert!(!mistakes(&file("[edges]\nall = ''\n")).is_empty());
        assert!(!mistakes(&file("[edges]\nall = 'why'\nnull = 'why'\n")).is_empty());
    }

    #[test]
    fn a_case_must_have_what_it_names() {
        let case = |edge: &str, run: &str| {
            let text = format!(
                "[edges]\nall = 'why'\n[[case]]\nname = 'a'\nedges = ['{edge}']\nrun = '''{run}'''\nstatus = 1\n"
            );
            mistakes(&file(&text))
        };
        for (edge, run) in [
            ("binary", "printf \"$(printf '\\\\%03o' {0..255})\""),
            ("nul", "printf 'a\\0b'"),
            ("invalid-utf8", "printf '\\xff'"),
            ("empty", "wc /dev/null"),
            ("missing", "wc missing"),
            ("long-line", "head -c 300000 /dev/zero"),
            ("name", "wc 'a b'"),
        ] {
            assert!(case(edge, run).is_empty(), "{edge}");
            assert_eq!(case(edge, "wc x").len(), 1, "{edge}");
        }
        assert_eq!(case("nothing", "wc x").len(), 1);
    }
}
