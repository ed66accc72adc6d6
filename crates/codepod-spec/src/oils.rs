//! The conformance cases of the Oils project, and what bash 5.2 prints for each.
//!
//! `spec/oils` has the ids with what bash printed, and the digest of each script. The scripts
//! themselves are the project's: they come from its repository at one commit, which `cargo xtask
//! spec oils` fetches, or from data beside the checkout. A case passes when standard output and
//! status are the recorded ones. Those that fail are listed by id, and a case that does something
//! else than the list says is a failure.

mod recorded;
mod upstream;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::compare::show;
use crate::failure::{Failure, Result};
use crate::helpers;
use crate::job::{CASE_DIRECTORY, Feed, Job, Outcome, Place};
use crate::missing;
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
    /// Write the list of failed cases.
    pub(crate) keep: Option<PathBuf>,
    /// Tell which commands the cases call that the sandbox lacks.
    pub(crate) missing_tools: bool,
    /// A checkout of the Oils project; data beside our checkout without it.
    pub(crate) from: Option<PathBuf>,
}

/// A case: the project's script, and what bash does with it.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) id: String,
    name: String,
    script: Vec<u8>,
    stdout: Vec<u8>,
    status: i32,
    tmp_subdir: bool,
}

/// Runs the cases and prints what came of it. Fails when one fails that is not known to, or passes
/// although it is said to fail.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let Some((cases, test_data)) = all(arguments.from.as_deref())? else {
        println!("oils: not compared: there are no cases, which may be missing here");
        return Ok(());
    };
    let wanted = |case: &&Case| match (&arguments.show, &arguments.filter) {
        (Some(id), _) => case.id == *id,
        (None, Some(filter)) => case.id.contains(filter),
        (None, None) => true,
    };
    let chosen: Vec<&Case> = cases.iter().filter(wanted).collect();
    if chosen.is_empty() {
        return Err(Failure::new("no case has such an id"));
    }
    let world = if arguments.native {
        World::native(&test_data)?
    } else {
        World::of_sandboxes(test_data)?
    };
    let Some(world) = world else {
        println!("oils: not compared: there is no shell, which may be missing here");
        return Ok(());
    };
    let outcomes = pool::map(&chosen, |case| world.place.run(&case.job(&world.repo_root)));
    let outcomes = outcomes.into_iter().collect::<Result<Vec<_>>>()?;
    if arguments.show.is_some() {
        chosen[0].print(&outcomes[0]);
        return Ok(());
    }
    report(arguments, &cases, &chosen, &outcomes)
}

/// All cases and the files that they use; none when they may be missing.
fn all(from: Option<&Path>) -> Result<Option<(Vec<Case>, Files)>> {
    let beside = crate::checkout().join("../shared/oils-spec");
    let given = match from {
        Some(from) => recorded::from_upstream(from)?,
        None if beside.exists() => recorded::from_data(&beside)?,
        None if missing::may_miss("oils") => return Ok(None),
        None => {
            return Err(
                Failure::new("there are no cases of Oils on this machine").hint(format!(
                    "`cargo xtask spec oils` fetches them; {}=oils says that they may be missing",
                    missing::VARIABLE
                )),
            );
        }
    };
    recorded::checked(given).map(Some)
}

fn report(
    arguments: &Arguments,
    all: &[Case],
    cases: &[&Case],
    outcomes: &[Outcome],
) -> Result<()> {
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
    if let Some(kept) = &arguments.keep {
        let text: String = failed.iter().map(|id| format!("{id}\n")).collect();
        std::fs::write(kept, text).map_err(|error| Failure::file("write", kept, error))?;
    }
    let passed = cases.len() - failed.len();
    let percent = passed as f64 * 100.0 / cases.len() as f64;
    println!("oils: {passed} of {} passed ({percent:.1} %)", cases.len());
    if arguments.native {
        return Ok(());
    }
    let known = recorded::known_failures()?;
    let all: BTreeSet<&str> = all.iter().map(|case| case.id.as_str()).collect();
    let run: BTreeSet<&str> = cases.iter().map(|case| case.id.as_str()).collect();
    let surprises = surprises(&known, &all, &run, &failed);
    for surprise in &surprises {
        println!("{surprise}");
    }
    match surprises.len() {
        0 => Ok(()),
        count => Err(Failure::new(format!(
            "{count} cases of Oils do not do what spec/oils/known-failures.txt says"
        ))
        .hint("`cargo xtask spec oils --show ID` shows one")),
    }
}

/// What the list of known failures says wrongly: a line each.
fn surprises(
    known: &BTreeSet<String>,
    all: &BTreeSet<&str>,
    run: &BTreeSet<&str>,
    failed: &BTreeSet<&str>,
) -> Vec<String> {
    let new = failed.iter().filter(|id| !known.contains(**id));
    let mut lines: Vec<String> = new.map(|id| format!("fails now: {id}")).collect();
    for id in known {
        if !all.contains(id.as_str()) {
            lines.push(format!("there is no such case: {id}"));
        } else if run.contains(id.as_str()) && !failed.contains(id.as_str()) {
            lines.push(format!("passes now: {id}: take it off the list"));
        }
    }
    lines
}

/// Prints the commands that the cases call and the sandbox lacks, with how many cases that
/// concerns.
fn missing_tools(cases: &[&Case], failed: &BTreeSet<&str>) -> Result<()> {
    let there = Sandboxes::new(&[codepod_guests::SPEC_HELPERS], &BTreeMap::new())?.commands()?;
    let mut missing: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut failing = 0;
    for case in cases {
        let script = String::from_utf8_lossy(&case.script);
        let names = tools::called(&script).into_iter();
        let lacking: Vec<&str> = names
            .filter(|name| !there.iter().any(|known| known == name))
            .collect();
        let fails = failed.contains(case.id.as_str());
        failing += usize::from(fails && !lacking.is_empty());
        for name in lacking {
            let (all, bad) = missing.entry(name.to_owned()).or_default();
            *all += 1;
            *bad += usize::from(fails);
        }
    }
    let mut missing: Vec<_> = missing.into_iter().collect();
    missing.sort_by(|(name, (all, _)), (other, (more, _))| (more, name).cmp(&(all, other)));
    for (name, (all, bad)) in &missing {
        println!("missing: {name:<12} {all:>4} cases, {bad} of them fail");
    }
    println!(
        "missing: {} commands; {failing} failed cases call one",
        missing.len()
    );
    Ok(())
}

/// Files by their path below `REPO_ROOT`.
type Files = BTreeMap<String, Vec<u8>>;

/// Where the cases run.
struct World {
    place: Box<dyn Place>,
    /// Where the test data is there.
    repo_root: String,
    /// What must live as long.
    _unpacked: Option<Temporary>,
}

impl World {
    /// Sandboxes; none when they have no shell, which may be missing.
    fn of_sandboxes(test_data: Files) -> Result<Option<World>> {
        let mut files = Files::new();
        for (path, content) in test_data {
            files.insert(format!("{REPO_ROOT}/{path}"), content);
        }
        for name in helpers::NAMES.lines() {
            files.insert(format!("{REPO_ROOT}/spec/bin/{name}"), STUB.into());
        }
        let sandboxes = Sandboxes::new(&[codepod_guests::SPEC_HELPERS], &files)?;
        Ok((!sandboxes.lack_shell()?).then(|| World {
            place: Box::new(sandboxes),
            repo_root: REPO_ROOT.into(),
            _unpacked: None,
        }))
    }

    /// The machine's bash; none when it may be missing.
    fn native(test_data: &Files) -> Result<Option<World>> {
        if native::is_left_out() {
            return Ok(None);
        }
        let unpacked = Temporary::new()?;
        let root = unpacked.path();
        native::fill(root, test_data, |_| true)
            .map_err(|error| Failure::file("fill", root, error))?;
        native::link_helpers(&root.join("spec/bin"))?;
        Ok(Some(World {
            place: Box::new(Native::with_helpers()?),
            repo_root: root.to_string_lossy().into_owned(),
            _unpacked: Some(unpacked),
        }))
    }
}

impl Case {
    fn job(&self, repo_root: &str) -> Job {
        let mut job = Job::new(&*self.script, Feed::Stdin, TIMEOUT);
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

    fn passes(&self, outcome: &Outcome) -> bool {
        !outcome.timed_out && outcome.status == self.status && outcome.stdout == self.stdout
    }

    fn print(&self, outcome: &Outcome) {
        let verdict = if self.passes(outcome) {
            "passes"
        } else {
            "fails"
        };
        println!("{} {}: {verdict}", self.id, self.name);
        println!("--- script\n{}", show(&self.script));
        println!(
            "--- expected, status {}\n{}",
            self.status,
            show(&self.stdout)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_and_status_decide() {
        let case = Case {
            id: "x/0".into(),
            name: "n".into(),
            script: b"echo hi".to_vec(),
            stdout: b"hi\n".to_vec(),
            status: 0,
            tmp_subdir: false,
        };
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

    #[test]
    fn only_failures_that_are_known_are_no_surprise() {
        let known = BTreeSet::from(["a/0".to_owned(), "a/1".to_owned(), "a/9".to_owned()]);
        let all = BTreeSet::from(["a/0", "a/1", "a/2", "a/3"]);
        let run = BTreeSet::from(["a/0", "a/1", "a/2"]);
        let failed = BTreeSet::from(["a/0", "a/2"]);
        assert_eq!(
            surprises(&known, &all, &run, &failed),
            [
                "fails now: a/2",
                "passes now: a/1: take it off the list",
                "there is no such case: a/9"
            ]
        );
        // What was not run is neither.
        let known = BTreeSet::from(["a/3".to_owned()]);
        let failed = BTreeSet::new();
        assert!(surprises(&known, &all, &run, &failed).is_empty());
    }
}
