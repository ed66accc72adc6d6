//! What a sandbox does not have, from `spec/absent.toml`: the file of the image, and the page.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use toml::{Table, Value};

use crate::cache;
use crate::failure::{Failure, Outcome};

const SOURCE: &str = "spec/absent.toml";

/// The kinds of names, each with the heading of its part of the page.
const KINDS: [(&str, &str); 3] = [
    ("command", "Commands"),
    ("package", "Python packages"),
    ("module", "Modules of Python's standard library"),
];

/// The longest line on what to do instead, in characters: a hint is one line.
const LONGEST: usize = 140;

/// Names that have a line in common.
struct Entry {
    kind: String,
    names: Vec<String>,
    instead: String,
}

/// The text of the image's file: kind, names and what to do instead, with tabs between them.
pub(crate) fn text() -> Outcome<String> {
    let mut text = String::new();
    for entry in read()? {
        let _ = writeln!(
            text,
            "{}\t{}\t{}",
            entry.kind,
            entry.names.join(" "),
            entry.instead
        );
    }
    Ok(text)
}

/// The page for people: `docs/reference/absent.md`.
pub(crate) fn page() -> Outcome<String> {
    let entries = read()?;
    let mut page = format!(
        "<!-- Made by `cargo xtask generate` from {SOURCE}. Changes here are lost. -->\n\n\
         # What is not in a sandbox\n\n\
         Commands, packages and modules that agents try, and what to do instead. The shell says the line when\n\
         such a command is not found; `help --absent` inside a sandbox and `codepod tools --absent` list them.\n"
    );
    for (kind, heading) in KINDS {
        let _ = write!(page, "\n## {heading}\n\n| | instead |\n|---|---|\n");
        for entry in entries.iter().filter(|entry| entry.kind == kind) {
            let names = entry.names.iter().map(|name| format!("`{name}`"));
            let names = names.collect::<Vec<_>>().join(", ");
            let _ = writeln!(page, "| {names} | {} |", entry.instead.replace('|', "\\|"));
        }
    }
    Ok(page)
}

fn read() -> Outcome<Vec<Entry>> {
    let text = cache::read(&cache::in_root(SOURCE))?;
    parse(&text).map_err(|why| Failure::new(format!("cannot use `{SOURCE}`: {why}")))
}

/// The entries, or what is wrong with one.
fn parse(text: &str) -> Result<Vec<Entry>, String> {
    let table: Table = toml::from_str(text).map_err(|error| error.to_string())?;
    let list = table.get("absent").and_then(Value::as_array);
    let mut seen = BTreeSet::new();
    let mut entries = Vec::new();
    for value in list.into_iter().flatten() {
        let word = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
        let names = value.get("names").and_then(Value::as_array);
        let names = names.into_iter().flatten().filter_map(Value::as_str);
        let entry = Entry {
            kind: word("kind").to_owned(),
            names: names.map(str::to_owned).collect(),
            instead: word("instead").to_owned(),
        };
        if let Some(why) = fault(&entry) {
            return Err(format!("the entry of {:?} {why}", entry.names));
        }
        for name in &entry.names {
            if !seen.insert((entry.kind.clone(), name.clone())) {
                return Err(format!("the {} `{name}` is listed twice", entry.kind));
            }
        }
        entries.push(entry);
    }
    Ok(entries)
}

fn fault(entry: &Entry) -> Option<&'static str> {
    let Entry {
        kind,
        names,
        instead,
    } = entry;
    if !KINDS.iter().any(|(known, _)| known == kind) {
        return Some("is of no known kind");
    }
    if names.is_empty() || names.iter().any(|name| name.contains(char::is_whitespace)) {
        return Some("needs names without blanks");
    }
    let length = instead.chars().count();
    if length == 0 || length > LONGEST || instead.chars().any(char::is_control) {
        return Some("needs one line of at most 140 characters");
    }
    instead.ends_with('.').then_some("ends with a full stop")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_one_that_can_be_used() {
        let entries = read().expect("the table");
        let names: usize = entries.iter().map(|entry| entry.names.len()).sum();
        assert!(names >= 60, "{names} names");
        // The shell and `help` read no more of it.
        assert!(text().expect("the table").len() < 64 << 10);
    }

    #[test]
    fn what_is_wrong_with_an_entry_is_said() {
        let entry = |kind: &str, name: &str, instead: &str| {
            format!("[[absent]]\nkind = {kind:?}\nnames = [{name:?}]\ninstead = {instead:?}\n")
        };
        let good = entry("command", "curl", "no network");
        assert!(parse(&good).is_ok());
        let bad = [
            entry("tool", "curl", "x"),
            entry("command", "c url", "x"),
            entry("command", "curl", ""),
            entry("command", "curl", "two\nlines"),
            entry("command", "curl", "a sentence."),
            entry("command", "curl", &"x".repeat(141)),
            format!("{good}{good}"),
        ];
        for text in bad {
            assert!(parse(&text).is_err(), "{text}");
        }
    }
}
