//! What is recorded of the Oils project's cases, in `spec/oils`, and where their scripts come from.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::upstream;
use super::{Case, Files};
use crate::failure::{Failure, Result};

/// A line of `cases.jsonl`: what bash 5.2 does with a script that has this digest.
#[derive(Debug, Deserialize)]
struct Recorded {
    id: String,
    /// The first half of the SHA-256 digest of the script's bytes.
    script: String,
    status: i32,
    stdout: String,
}

/// What somebody gives: scripts by id, and the files that they use.
#[derive(Debug, Default)]
pub(crate) struct Given {
    scripts: BTreeMap<String, Script>,
    files: Files,
}

#[derive(Debug)]
struct Script {
    name: String,
    script: Vec<u8>,
    tmp_subdir: bool,
}

/// A line of the data beside the checkout.
#[derive(Debug, Deserialize)]
struct Line {
    id: String,
    name: String,
    script: String,
    #[serde(default)]
    tmp_subdir: bool,
}

/// Takes scripts and files from a checkout of the project.
pub(crate) fn from_upstream(root: &Path) -> Result<Given> {
    let mut given = Given::default();
    for id in recorded()?.into_iter().map(|case| case.id) {
        let (file, _) = split(&id)?;
        if given.scripts.contains_key(&id) {
            continue;
        }
        let path = root.join("spec").join(format!("{file}.test.sh"));
        let text = std::fs::read(&path).map_err(|error| Failure::file("read", &path, error))?;
        let read = upstream::read(&text);
        for (number, case) in read.cases.into_iter().enumerate() {
            let script = Script {
                name: case.name,
                script: case.script,
                tmp_subdir: read.tmp_subdir,
            };
            given.scripts.insert(format!("{file}/{number}"), script);
        }
    }
    for name in digests()?.into_keys() {
        let path = root.join(&name);
        let content = std::fs::read(&path).map_err(|error| Failure::file("read", &path, error))?;
        given.files.insert(name, content);
    }
    Ok(given)
}

/// Takes them from data beside the checkout.
pub(crate) fn from_data(directory: &Path) -> Result<Given> {
    let mut given = Given::default();
    let path = directory.join("cases.jsonl");
    for line in read(&path)?.lines() {
        let line: Line =
            serde_json::from_str(line).map_err(|error| Failure::file("use", &path, error))?;
        let script = Script {
            name: line.name,
            script: bytes(&line.script),
            tmp_subdir: line.tmp_subdir,
        };
        given.scripts.insert(line.id, script);
    }
    let path = directory.join("testdata.json");
    let files: BTreeMap<String, String> =
        serde_json::from_str(&read(&path)?).map_err(|error| Failure::file("use", &path, error))?;
    let files = files.into_iter();
    given.files = files
        .map(|(path, content)| (path, bytes(&content)))
        .collect();
    Ok(given)
}

/// The recorded cases with the scripts that were given. Fails when one is missing or is not the one
/// that was recorded.
pub(crate) fn checked(mut given: Given) -> Result<(Vec<Case>, Files)> {
    let other = |what: &str| {
        Failure::new(format!("`{what}` is not what spec/oils was recorded from"))
            .hint("spec/oils/README.md names the commit of the Oils project")
    };
    let mut cases = Vec::new();
    for recorded in recorded()? {
        let script = given.scripts.remove(&recorded.id);
        let script = script.filter(|script| digest(&script.script) == recorded.script);
        let Some(script) = script else {
            return Err(other(&recorded.id));
        };
        cases.push(Case {
            id: recorded.id,
            name: script.name,
            script: script.script,
            stdout: recorded.stdout.into_bytes(),
            status: recorded.status,
            tmp_subdir: script.tmp_subdir,
        });
    }
    let mut files = Files::new();
    for (name, expected) in digests()? {
        match given.files.remove(&name) {
            Some(content) if digest(&content) == expected => files.insert(name, content),
            _ => return Err(other(&name)),
        };
    }
    Ok((cases, files))
}

/// The ids of cases that are known to fail.
pub(crate) fn known_failures() -> Result<BTreeSet<String>> {
    let text = read(&directory().join("known-failures.txt"))?;
    Ok(ids(&text).map(str::to_owned).collect())
}

/// The first word of each line that is no comment.
fn ids(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_whitespace().next())
}

fn recorded() -> Result<Vec<Recorded>> {
    let path = directory().join("cases.jsonl");
    let text = read(&path)?;
    let cases = text.lines().map(serde_json::from_str);
    let cases: Vec<Recorded> = cases
        .collect::<Result<_, _>>()
        .map_err(|error| Failure::file("use", &path, error))?;
    match cases.is_empty() {
        true => Err(Failure::file("use", &path, "it has no cases")),
        false => Ok(cases),
    }
}

/// The digests of the files that cases use, by their path.
fn digests() -> Result<BTreeMap<String, String>> {
    let path = directory().join("testdata.txt");
    let text = read(&path)?;
    let lines = text
        .lines()
        .map(|line| line.split_once("  ").map(|(digest, name)| (name, digest)));
    let digests: Option<BTreeMap<&str, &str>> = lines.collect();
    let digests = digests.ok_or_else(|| Failure::file("use", &path, "a line has no digest"))?;
    Ok(digests
        .into_iter()
        .map(|(name, digest)| (name.into(), digest.into()))
        .collect())
}

/// Where we keep what is recorded.
fn directory() -> PathBuf {
    crate::checkout().join("spec/oils")
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|error| Failure::file("read", path, error))
}

/// The file and the number in an id.
fn split(id: &str) -> Result<(&str, &str)> {
    id.rsplit_once('/')
        .ok_or_else(|| Failure::new(format!("`{id}` is no id of a case")))
}

/// The first half of the digest of some bytes, as text.
fn digest(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The bytes of a text in which each character stands for the byte of its number.
fn bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        match u8::try_from(character) {
            Ok(byte) => bytes.push(byte),
            // Text after all.
            Err(_) => return text.as_bytes().to_vec(),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_bytes_written_as_characters() {
        assert_eq!(bytes("a\u{ce}\u{bc}"), "aμ".as_bytes());
        assert_eq!(bytes("μ"), "μ".as_bytes());
    }

    #[test]
    fn a_script_that_is_not_the_recorded_one_is_refused() {
        let failure = checked(Given::default()).unwrap_err().to_string();
        assert!(
            failure.contains("is not what spec/oils was recorded from"),
            "{failure}"
        );
    }

    #[test]
    fn a_list_of_ids_may_have_reasons_and_comments() {
        let text = "# why\na/0 no readline\n\nb/12\n";
        assert_eq!(ids(text).collect::<Vec<_>>(), ["a/0", "b/12"]);
    }

    #[test]
    fn every_known_failure_is_recorded() {
        let recorded: BTreeSet<String> = recorded()
            .unwrap()
            .into_iter()
            .map(|case| case.id)
            .collect();
        let known = known_failures().unwrap();
        let unknown: Vec<_> = known.difference(&recorded).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
