//! Compares the threat ids of `docs/security.md` with the tests.
//!
//! The document lists attacks in tables whose first column is an id such as `WM-01`. Each must have
//! a test, or its last column a reason that starts with `cannot occur:` or `later:`. Where there is
//! a test, `generate` writes its place into that column. A test carries an id by its name (`fn
//! wm_01_an_endless_loop_is_stopped`, `fn sn_05_sn_07_…`) or by a comment right above it that
//! starts with it (`// WM-01, WM-07`), in test code: a file of a `tests` directory or of that name,
//! or the part of a file after `#[cfg(test)]`. Other functions and comments carry nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::cache;
use crate::failure::{Failure, Outcome};

/// Why an attack has no test.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Reason {
    CannotOccur,
    Later,
}

/// Every id of the document with its reason, if it has one.
type Threats = BTreeMap<String, Option<Reason>>;

/// The files that carry an id, by id.
type Tested = BTreeMap<String, BTreeSet<String>>;

/// The document that lists the attacks.
pub(crate) const DOCUMENT: &str = "docs/security.md";

/// Fails when an attack has neither a test nor a reason, when one that cannot occur has a test, or
/// when a test names an id that the document does not have.
pub(crate) fn check() -> Outcome<String> {
    let threats = parse(&cache::read(&cache::in_root(DOCUMENT))?)?;
    let tested = tested_ids(&threats)?;
    let faults = faults(&threats, &tested);
    if !faults.is_empty() {
        return Err(Failure::new(format!(
            "threats and tests disagree:\n  {}",
            faults.join("\n  ")
        ))
        .hint("docs/security.md tells how a test carries an id"));
    }
    let with = |reason| {
        let untested = threats.iter().filter(|(id, _)| !tested.contains_key(*id));
        untested
            .filter(|(_, known)| **known == Some(reason))
            .count()
    };
    Ok(format!(
        "threats: {} ids, {} tested, {} cannot occur, {} later",
        threats.len(),
        tested.len(),
        with(Reason::CannotOccur),
        with(Reason::Later)
    ))
}

/// The document with the places of all tests in its last columns.
pub(crate) fn with_tests() -> Outcome<String> {
    let text = cache::read(&cache::in_root(DOCUMENT))?;
    let tested = tested_ids(&parse(&text)?)?;
    Ok(fill_in(&text, &tested))
}

fn fill_in(text: &str, tested: &Tested) -> String {
    let mut filled = String::new();
    for line in text.lines() {
        let id = line.trim_start_matches('|').split('|').next();
        let files = id.and_then(|id| tested.get(id.trim()));
        let row = line.trim_end().trim_end_matches('|').rsplit_once('|');
        if let (true, Some(files), Some((row, _))) = (line.starts_with('|'), files, row) {
            let link =
                |file: &String| format!("[{}](../{file})", file.trim_start_matches("crates/"));
            let links: Vec<String> = files.iter().map(link).collect();
            filled += &format!("{row}| {} |", links.join(", "));
        } else {
            filled += line;
        }
        filled.push('\n');
    }
    filled
}

fn parse(text: &str) -> Outcome<Threats> {
    let mut threats = Threats::new();
    for line in text.lines().filter(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line
            .trim()
            .trim_matches('|')
            .split('|')
            .map(str::trim)
            .collect();
        let [first, .., last] = cells[..] else {
            continue;
        };
        if !is_id(first) {
            continue;
        }
        let reason = if last.contains("cannot occur:") {
            Some(Reason::CannotOccur)
        } else if last.contains("later:") {
            Some(Reason::Later)
        } else {
            None
        };
        if threats.insert(first.to_owned(), reason).is_some() {
            return Err(Failure::new(format!(
                "docs/security.md lists `{first}` twice"
            )));
        }
    }
    Ok(threats)
}

/// Whether a text is two capital letters, a hyphen and two digits.
fn is_id(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 5
        && bytes[..2].iter().all(u8::is_ascii_uppercase)
        && bytes[2] == b'-'
        && bytes[3..].iter().all(u8::is_ascii_digit)
}

fn faults(threats: &Threats, tested: &Tested) -> Vec<String> {
    let mut faults = Vec::new();
    for (id, reason) in threats {
        match (tested.get(id), reason) {
            (None, None) => faults.push(format!("{id} has neither a test nor a reason")),
            (Some(files), Some(Reason::CannotOccur)) => faults.push(format!(
                "{id} cannot occur, says the document, but {} tests it",
                files.first().map_or("", String::as_str)
            )),
            _ => {}
        }
    }
    for (id, files) in tested {
        if !threats.contains_key(id) {
            let files: Vec<&str> = files.iter().map(String::as_str).collect();
            faults.push(format!(
                "{id} is not in docs/security.md, but in {}",
                files.join(", ")
            ));
        }
    }
    faults
}

/// The ids that tests carry, and the files they are in.
fn tested_ids(threats: &Threats) -> Outcome<Tested> {
    let families: BTreeSet<&str> = threats.keys().map(|id| &id[..2]).collect();
    let mut tested = Tested::new();
    for directory in ["crates", "tests", "guests"] {
        for file in cache::files(&cache::in_root(directory), &|path| {
            !cache::is_build_output(path)
        })? {
            if file.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let shown = file.strip_prefix(cache::root()).unwrap_or(&file);
            for id in ids_in_tests(shown, &cache::read(&file)?, &families) {
                tested
                    .entry(id)
                    .or_default()
                    .insert(shown.display().to_string());
            }
        }
    }
    Ok(tested)
}

/// The ids of the given families that the tests of a file carry.
fn ids_in_tests(path: &Path, text: &str, families: &BTreeSet<&str>) -> BTreeSet<String> {
    let all = path
        .iter()
        .any(|part| part == "tests" || part == "tests.rs");
    let mut in_tests = all;
    let mut ids = BTreeSet::new();
    // What stands right above a function: ids in comments, and whether it is a test.
    let (mut above, mut is_test) = (Vec::new(), false);
    for line in text.lines().map(str::trim) {
        in_tests |= line.starts_with("#[cfg(test)]");
        if let Some(comment) = line.strip_prefix("//") {
            above.extend(ids_at_start(comment.trim_start_matches('/').trim_start()));
            continue;
        }
        if let Some(attribute) = line.strip_prefix("#[") {
            let name = attribute.split([']', '(']).next().unwrap_or("");
            is_test |= name == "test" || name.ends_with("::test");
            continue;
        }
        if in_tests && is_test {
            above.extend(ids_of_function(line));
            ids.extend(above.drain(..).filter(|id| families.contains(&id[..2])));
        }
        (above, is_test) = (Vec::new(), false);
    }
    ids
}

/// The ids that a comment starts with, separated by commas or spaces.
fn ids_at_start(comment: &str) -> Vec<String> {
    comment
        .split([',', ' ', ':', '.', ';'])
        .filter(|word| !word.is_empty())
        .take_while(|word| is_id(word))
        .map(str::to_owned)
        .collect()
}

/// The ids in a function's name: `fn wm_01_wm_07_an_endless_loop` carries `WM-01` and `WM-07`.
fn ids_of_function(line: &str) -> Vec<String> {
    let mut ids = Vec::new();
    let mut rest = line.split_once("fn ").map_or("", |(_, name)| name);
    while let Some((head, tail)) = rest.split_at_checked(6) {
        let id = head[..5].to_uppercase().replacen('_', "-", 1);
        if !head.ends_with('_') || !is_id(&id) {
            break;
        }
        ids.push(id);
        rest = tail;
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
| id | attack | where tested |\n|---|---|---|\n\
| AA-01 | tested | here |\n| AA-02 | not yet | later: with the server |\n\
| AA-03 | never | cannot occur: nothing to attack |\n| AA-04 | forgotten | |\n";

    fn ids(path: &str, text: &str) -> Vec<String> {
        ids_in_tests(Path::new(path), text, &BTreeSet::from(["AA"]))
            .into_iter()
            .collect()
    }

    fn tested(ids: &[&str]) -> Tested {
        ids.iter()
            .map(|&id| (id.into(), BTreeSet::from(["t.rs".into()])))
            .collect()
    }

    #[test]
    fn the_documented_threats_have_tests_or_reasons() {
        check().unwrap_or_else(|failure| panic!("{failure}"));
    }

    #[test]
    fn a_threat_needs_a_test_or_a_reason() {
        let threats = parse(TABLE).unwrap();
        assert_eq!(
            faults(&threats, &tested(&["AA-01"])),
            ["AA-04 has neither a test nor a reason"]
        );
        assert!(faults(&threats, &tested(&["AA-01", "AA-04"])).is_empty());
    }

    #[test]
    fn a_test_of_what_cannot_occur_and_an_unknown_id_are_faults() {
        let threats = parse(TABLE).unwrap();
        let faults = faults(&threats, &tested(&["AA-01", "AA-03", "AA-04", "AA-09"]));
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[0].starts_with("AA-03") && faults[1].starts_with("AA-09"));
    }

    #[test]
    fn places_of_tests_are_filled_in() {
        let tested = Tested::from([(
            "AA-02".into(),
            BTreeSet::from(["crates/x/tests/t.rs".into()]),
        )]);
        let filled = fill_in(TABLE, &tested);
        assert!(filled.contains("| AA-02 | not yet | [x/tests/t.rs](../crates/x/tests/t.rs) |\n"));
        assert_eq!(filled.lines().count(), TABLE.lines().count());
        assert_eq!(fill_in(&filled, &tested), filled);
    }

    #[test]
    fn an_id_is_carried_by_a_name_or_by_a_comment_above() {
        let text = "// AA-01, AA-02: both\n#[test]\n#[ignore]\nasync fn aa_03_aa_04_is_refused() {}\n\
            #[tokio::test(flavor = \"x\")]\nfn aa_05_x() {}\n#[test]\nfn aa_6_no() {}\n";
        assert_eq!(
            ids("crates/x/tests/t.rs", text),
            ["AA-01", "AA-02", "AA-03", "AA-04", "AA-05"]
        );
    }

    #[test]
    fn what_is_no_test_carries_nothing() {
        let text = "// AA-01\nfn aa_02_helper() {}\n\n#[test]\nfn x() {\n    // AA-03\n    assert();\n}\n\
            // AA-04\n\n#[test]\nfn y() {}\n";
        assert_eq!(ids("crates/x/tests/t.rs", text), Vec::<String>::new());
    }

    #[test]
    fn code_outside_of_tests_carries_nothing() {
        let text = "#[test]\nfn aa_02_x() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn aa_03_y() {}\n}\n";
        assert_eq!(ids("crates/x/src/lib.rs", text), ["AA-03"]);
    }

    #[test]
    fn other_words_and_families_are_no_ids() {
        let text = "// see AA-01\n// ZZ-01\n#[test]\nfn aa_01() {}\n";
        assert!(ids("tests/t.rs", text).is_empty());
    }
}
