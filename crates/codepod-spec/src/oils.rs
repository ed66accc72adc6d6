//! The conformance cases of the Oils project, given beside the checkout as data with what bash 5.2 prints.
//!
//! A case passes when standard output and status are the recorded ones. The data's README says how a case is run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::compare::show;
use crate::failure::{Failure, Result};
use crate::helpers;
use crate::job::{CASE_DIRECTORY, Feed, Job, Outcome, Place};
use crate::native::{self, Native};
use crate::pool;
use crate::sandbox::Sandboxes;
use crate::temporary::Temporary;
use crate::tools;

/// How long a case may take.
const TIMEOUT: Duration = Duration::from_secs(6);
/// A case that takes longer is named.
const SLOW: Duration = Duration::from_secs(2);
/// Where the test data of the cases is in a sandbox.
const REPO_ROOT: &str = "/repo";
/// A helper as a file of a sandbox.
const STUB: &str = "#!codepod spec-helpers\n";

/// What to run and to tell.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    /// Run the machine's bash instead of ours, to prove this runner.
    pub(crate) native: bool,
    /// Run the cases whose id contains this.
    pub(crate) filter: Option<String>,
    /// List the cases that failed.
    pub(crate) failed: bool,
    /// Show this case only.
    pub(crate) show: Option<String>,
    /// Tell what changed against a list of failed cases.
    pub(crate) compare: Option<PathBuf>,
    /// Write the list of failed cases.
    pub(crate) keep: Option<PathBuf>,
    /// Tell which commands the cases call that the sandbox lacks.
    pub(crate) missing_tools: bool,
    /// Fail when fewer pass.
    pub(crate) at_least: usize,
}

/// A case as it is recorded.
#[derive(Debug, Deserialize)]
pub(crate) struct Case {
    pub(crate) id: String,
    name: String,
    /// Bytes, each as the character of its number.
    script: String,
    stdout: Option<String>,
    stdout_base64: Option<String>,
    status: i32,
    #[serde(default)]
    tmp_subdir: bool,
}

/// Runs the cases and prints what came of it. Fails when fewer pass than must.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let data = directory();
    let Some(cases) = read(&data.join("cases.jsonl"))? else {
        println!("oils: there are no cases: ../shared/oils-spec is not beside the checkout");
        return Ok(());
    };
    let test_data = read_test_data(&data.join("testdata.json"))?;
    let wanted = |case: &&Case| match (&arguments.show, &arguments.filter) {
        (Some(id), _) => case.id == *id,
        (None, Some(filter)) => case.id.contains(filter),
        (None, None) => true,
    };
    let cases: Vec<&Case> = cases.iter().filter(wanted).collect();
    if cases.is_empty() {
        return Err(Failure::new("no case has such an id"));
    }
    let world = if arguments.native {
        World::native(&test_data)?
    } else {
        World::of_sandboxes(test_data)?
    };
    let Some(place) = &world.place else {
        println!(
            "oils: {} cases, and no shell in the sandbox yet",
            cases.len()
        );
        return Ok(());
    };
    let outcomes = pool::map(&cases, |case| place.run(&case.job(&world.repo_root)));
    let outcomes = outcomes.into_iter().collect::<Result<Vec<_>>>()?;
    if arguments.show.is_some() {
        cases[0].print(&outcomes[0]);
        return Ok(());
    }
    report(arguments, &cases, &outcomes)
}

fn report(arguments: &Arguments, cases: &[&Case], outcomes: &[Outcome]) -> Result<()> {
    let failed: BTreeSet<&str> = cases
        .iter()
        .zip(outcomes)
        .filter(|(case, outcome)| !case.passes(outcome))
        .map(|(case, _)| case.id.as_str())
        .collect();
    for (case, outcome) in cases.iter().zip(outcomes) {
        if outcome.timed_out {
            println!("timeout: {}", case.id);
        } else if outcome.time > SLOW {
            println!("slow: {} {:.1} s", case.id, outcome.time.as_secs_f64());
        }
    }
    if arguments.missing_tools {
        missing_tools(cases, &failed)?;
    }
    if arguments.failed {
        for case in cases
            .iter()
            .filter(|case| failed.contains(case.id.as_str()))
        {
            println!("failed: {} {}", case.id, case.name);
        }
    }
    if let Some(kept) = &arguments.compare {
        let text =
            std::fs::read_to_string(kept).map_err(|error| Failure::file("read", kept, error))?;
        let before: BTreeSet<&str> = text.lines().collect();
        let run: BTreeSet<&str> = cases.iter().map(|case| case.id.as_str()).collect();
        for id in before.intersection(&run).filter(|id| !failed.contains(*id)) {
            println!("passes now: {id}");
        }
        for id in failed.difference(&before) {
            println!("fails now: {id}");
        }
    }
    if let Some(kept) = &arguments.keep {
        let text: String = failed.iter().map(|id| format!("{id}\n")).collect();
        std::fs::write(kept, text).map_err(|error| Failure::file("write", kept, error))?;
    }
    let passed = cases.len() - failed.len();
    let percent = passed as f64 * 100.0 / cases.len() as f64;
    println!("oils: {passed} of {} passed ({percent:.1} %)", cases.len());
    if passed < arguments.at_least {
        let least = arguments.at_least;
        return Err(
            Failure::new(format!("{passed} cases of Oils pass, and {least} must"))
                .hint("`cargo xtask spec oils --failed` lists the others"),
        );
    }
    Ok(())
}

/// Prints the commands that the cases call and the sandbox lacks, with how many cases that concerns.
fn missing_tools(cases: &[&Case], failed: &BTreeSet<&str>) -> Result<()> {
    let there = Sandboxes::new(&[codepod_guests::SPEC_HELPERS], &BTreeMap::new())?.commands()?;
    let mut missing: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut failing = 0;
    for case in cases {
        let names = tools::called(&case.script);
        let lacking: Vec<&str> = names
            .into_iter()
            .filter(|name| !there.iter().any(|known| known == name))
            .collect();
        let fails = failed.contains(case.id.as_str());
        failing += usize::from(fails && !lacking.is_empty());
        for name in lacking {
            let (all, bad) = missing.entry(name).or_default();
            *all += 1;
            *bad += usize::from(fails);
        }
    }
    let mut missing: Vec<_> = missing.into_iter().collect();
    missing.sort_by_key(|(name, (all, _))| (std::cmp::Reverse(*all), *name));
    for (name, (all, bad)) in &missing {
        println!("missing: {name:<12} {all:>4} cases, {bad} of them fail");
    }
    println!(
        "missing: {} commands; {failing} failed cases call one",
        missing.len()
    );
    Ok(())
}

/// Where the data is: beside the checkout.
fn directory() -> PathBuf {
    crate::checkout().join("../shared/oils-spec")
}

/// Where the cases run.
struct World {
    /// None when the sandbox has no shell.
    place: Option<Box<dyn Place>>,
    /// Where the test data is there.
    repo_root: String,
    /// What must live as long.
    _unpacked: Option<Temporary>,
}

impl World {
    fn of_sandboxes(test_data: BTreeMap<String, Vec<u8>>) -> Result<World> {
        let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        for (path, content) in test_data {
            files.insert(format!("{REPO_ROOT}/{path}"), content);
        }
        for name in helpers::NAMES.lines() {
            files.insert(format!("{REPO_ROOT}/spec/bin/{name}"), STUB.into());
        }
        let sandboxes = Sandboxes::new(&[codepod_guests::SPEC_HELPERS], &files)?;
        let there = sandboxes.have_shell();
        Ok(World {
            place: there.then(|| Box::new(sandboxes) as Box<dyn Place>),
            repo_root: REPO_ROOT.into(),
            _unpacked: None,
        })
    }

    fn native(test_data: &BTreeMap<String, Vec<u8>>) -> Result<World> {
        let unpacked = Temporary::new()?;
        let root = unpacked.path();
        native::fill(root, test_data, |_| true)
            .map_err(|error| Failure::file("fill", root, error))?;
        native::link_helpers(&root.join("spec/bin"))?;
        Ok(World {
            place: Some(Box::new(Native::with_helpers()?)),
            repo_root: root.to_string_lossy().into_owned(),
            _unpacked: Some(unpacked),
        })
    }
}

/// The cases; nothing when the file is not there.
fn read(path: &Path) -> Result<Option<Vec<Case>>> {
    if !path.exists() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(path).map_err(|error| Failure::file("read", path, error))?;
    let cases = text
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<Vec<Case>, _>>();
    cases
        .map(Some)
        .map_err(|error| Failure::file("use", path, error))
}

/// The files of `REPO_ROOT`, the helpers in its `spec/bin` left out.
fn read_test_data(path: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::file("read", path, error))?;
    let files: BTreeMap<String, String> =
        serde_json::from_str(&text).map_err(|error| Failure::file("use", path, error))?;
    Ok(files
        .into_iter()
        .map(|(path, content)| (path, bytes(&content)))
        .collect())
}

impl Case {
    fn job(&self, repo_root: &str) -> Job {
        let mut job = Job::new(bytes(&self.script), Feed::Stdin, TIMEOUT);
        job.env = [
            ("LC_ALL", "C.UTF-8"),
            // The suite has none.
            ("LANG", ""),
            ("TMP", CASE_DIRECTORY),
            ("SH", "/bin/bash"),
            ("REPO_ROOT", repo_root),
        ]
        .map(|(name, value)| (name.into(), value.into()))
        .into();
        if self.tmp_subdir {
            job.files.insert("_tmp/".into(), Vec::new());
        }
        job
    }

    fn stdout(&self) -> Vec<u8> {
        match (&self.stdout, &self.stdout_base64) {
            (Some(text), _) => text.as_bytes().to_vec(),
            (None, Some(text)) => from_base64(text),
            (None, None) => Vec::new(),
        }
    }

    fn passes(&self, outcome: &Outcome) -> bool {
        !outcome.timed_out && outcome.status == self.status && outcome.stdout == self.stdout()
    }

    fn print(&self, outcome: &Outcome) {
        let verdict = if self.passes(outcome) {
            "passes"
        } else {
            "fails"
        };
        println!("{} {}: {verdict}", self.id, self.name);
        println!("--- script\n{}", show(&bytes(&self.script)));
        println!(
            "--- expected, status {}\n{}",
            self.status,
            show(&self.stdout())
        );
        let late = if outcome.timed_out { ", timed out" } else { "" };
        println!(
            "--- got, status {}{late}\n{}",
            outcome.status,
            show(&outcome.stdout)
        );
        println!("--- standard error\n{}", show(&outcome.stderr));
    }
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

/// The bytes that a base-64 text stands for; what is not of its alphabet is skipped.
fn from_base64(text: &str) -> Vec<u8> {
    let digits = text.bytes().filter_map(|byte| match byte {
        b'A'..=b'Z' => Some(u32::from(byte - b'A')),
        b'a'..=b'z' => Some(u32::from(byte - b'a') + 26),
        b'0'..=b'9' => Some(u32::from(byte - b'0') + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    });
    let mut bytes = Vec::new();
    let (mut held, mut bits) = (0u32, 0);
    for digit in digits {
        held = (held << 6 | digit) & 0xffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
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
    fn base_64_gives_the_bytes_back() {
        assert_eq!(from_base64("AP/+YQ=="), [0, 255, 254, b'a']);
        assert!(from_base64("").is_empty());
    }

    #[test]
    fn output_and_status_decide() {
        let line =
            r#"{"id": "x/0", "name": "n", "script": "echo hi", "stdout": "hi\n", "status": 0}"#;
        let case: Case = serde_json::from_str(line).unwrap();
        let right = Outcome {
            stdout: b"hi\n".to_vec(),
            stderr: b"noise".to_vec(),
            ..Outcome::default()
        };
        assert!(case.passes(&right));
        assert!(!case.passes(&Outcome {
            status: 1,
            ..right.clone()
        }));
        assert!(!case.passes(&Outcome {
            timed_out: true,
            ..right
        }));
    }
}
