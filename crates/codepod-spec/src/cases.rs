//! Our own cases: in the sandbox (`run`), in real bash (`verify`), recorded from real bash
//! (`bless`).
//!
//! They are in directories of `spec/`: `shell` has a file per topic, `tools` a file per command,
//! `agents` a file per kind of task. A case's id is `DIRECTORY/TOPIC/NAME`.
//!
//! A case is run by `bash -c SCRIPT` in a new directory that holds the case's files, with its
//! `stdin` or nothing to read, and the environment of [`crate::job::environment`]. Standard output,
//! standard error and status must be as written; the files left as well, where the case names them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use crate::case_file::{Case, CaseFile};
use crate::compare::difference;
use crate::edges;
use crate::failure::{Failure, Result};
use crate::job::{Feed, Job, Left, Outcome, Place, environment};
use crate::native::{self, Native};
use crate::pool;
use crate::programs;
use crate::sandbox::Sandboxes;

/// The directories of `spec/`.
const DIRECTORIES: [&str; 4] = ["agents", "guests", "shell", "tools"];
/// How long a case may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How long a task of `agents` may take: some install a project, in an interpreter whose host was
/// not optimised.
const TASK_TIMEOUT: Duration = Duration::from_secs(90);
/// How long a program of `guests` may take: native interpreters start slowly on a busy machine, and
/// some cases start several.
const GUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// A case that takes longer is named.
const SLOW: Duration = Duration::from_secs(1);
/// How many of a hundred cases may be pending.
const MOST_PENDING_PERCENT: usize = 2;
/// How lines begin that our shell adds to bash's messages for models.
const HINT: &[u8] = b"codepod: hint: ";
/// A limit that real machines do not have.
const LIMIT: &[u8] = b"codepod: there is a limit of ";

/// Quotes in messages of GNU's tools.
const QUOTES: [char; 2] = ['‘', '’'];

/// What is done with the cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// Run them in the sandbox.
    Run,
    /// Run them in real bash: what is written must be what it does.
    Verify,
    /// Write down what real bash does.
    Bless,
    /// Write down which options tools have.
    Support,
    /// List which unusual inputs the cases of tools show.
    Edges,
}

/// How a case went.
enum Verdict {
    Passed,
    Failed(String),
    /// It failed as it says it would.
    Pending,
    /// It passed although it is said to be pending.
    NoLongerPending,
    /// It is not for this place.
    LeftOut,
}

/// Does what `action` says with the cases whose id contains `filter`.
pub(crate) fn run(action: Action, filter: Option<&str>) -> Result<()> {
    let mut files = Vec::new();
    for name in DIRECTORIES {
        files.extend(read_all(name)?);
    }
    files.retain(|file| file.cases.iter().any(|case| is_chosen(file, case, filter)));
    if let (true, Some(filter)) = (files.is_empty(), filter) {
        return Err(Failure::new(format!("no case has `{filter}` in its id")));
    }
    if files.is_empty() {
        return Err(Failure::new("there are no cases in spec/"));
    }
    if action == Action::Bless {
        return bless(&mut files, filter);
    }
    if matches!(action, Action::Support | Action::Edges) {
        files.retain(|file| file.directory == "tools");
    }
    if action == Action::Support {
        return fill_support(&mut files);
    }
    if action == Action::Edges {
        print!("{}", edges::table(&files));
        return judge_edges(&files);
    }
    if let Some(file) = files.iter().find(|file| !file.is_in_form()) {
        return Err(
            Failure::file("use", &file.path, "it is not in the usual form")
                .hint("`cargo xtask spec bless` writes it"),
        );
    }
    let sandboxes;
    let native;
    let place: &dyn Place = if action == Action::Run {
        sandboxes = Sandboxes::new(&[], &BTreeMap::new())?;
        if sandboxes.lack_shell()? {
            println!("spec: not compared: there is no shell, which may be missing here");
            return Ok(());
        }
        &sandboxes
    } else {
        if native::is_left_out() {
            println!("spec: not compared: there is no bash, which may be missing here");
            return Ok(());
        }
        native = Native::with_programs()?;
        &native
    };
    programs::look(&mut files, place)?;
    let mistakes = pool::map(&files, |file| support_mistakes(action, place, file));
    let mut wrong = 0;
    for (file, mistakes) in files.iter().zip(mistakes) {
        for mistake in mistakes? {
            println!("support of {}: {mistake}", file.id());
            wrong += 1;
        }
    }
    let edges = judge_edges(&files);
    let cases = chosen(&files, filter);
    let verdicts = pool::map(&cases, |(file, case)| judge(action, place, file, case));
    report(action, &cases, verdicts.into_iter().collect::<Result<_>>()?)?;
    match wrong {
        0 => edges,
        _ => Err(Failure::new(format!("{wrong} options are not as their tools' files say"))
            .hint("`cargo xtask spec support tools/NAME/` adds what is not listed; the rest is yours to say")),
    }
}

/// What is wrong in what a tool's file says about its options.
fn support_mistakes(action: Action, place: &dyn Place, file: &CaseFile) -> Result<Vec<String>> {
    if file.directory != "tools" || file.support.is_empty() {
        return Ok(Vec::new());
    }
    if action == Action::Run {
        return file.support.mistakes(&file.topic, place);
    }
    let unlisted = file.support.unlisted(&file.topic, place)?;
    Ok(unlisted
        .into_iter()
        .map(|option| format!("`{option}` is not listed"))
        .collect())
}

/// Prints which unusual inputs no case of a tool shows. Fails when there are any.
fn judge_edges(files: &[CaseFile]) -> Result<()> {
    let mut wrong = 0;
    for file in files.iter().filter(|file| file.directory == "tools") {
        for mistake in edges::mistakes(file) {
            println!("edges of {}: {mistake}", file.id());
            wrong += 1;
        }
    }
    match wrong {
        0 => Ok(()),
        _ => Err(Failure::new(format!("{wrong} kinds of unusual input are not as tools' files say"))
            .hint("`cargo xtask spec edges` lists them; docs/style.md says how a case names what it shows")),
    }
}

/// Adds what is not listed to what the files of tools say about their options.
fn fill_support(files: &mut [CaseFile]) -> Result<()> {
    let native = Native::find()?;
    let sandboxes = Sandboxes::new(&[], &BTreeMap::new())?;
    let filled = pool::map(files, |file| {
        let mut support = file.support.clone();
        support
            .fill(&file.topic, &native, &sandboxes)
            .map(|()| support)
    });
    for (file, support) in files.iter_mut().zip(filled) {
        file.support = support?;
        file.write()?;
    }
    Ok(())
}

fn chosen<'a>(files: &'a [CaseFile], filter: Option<&str>) -> Vec<(&'a CaseFile, &'a Case)> {
    let all = files
        .iter()
        .flat_map(|file| file.cases.iter().map(move |case| (file, case)));
    all.filter(|(file, case)| is_chosen(file, case, filter))
        .collect()
}

fn is_chosen(file: &CaseFile, case: &Case, filter: Option<&str>) -> bool {
    filter.is_none_or(|filter| format!("{}/{}", file.id(), case.name).contains(filter))
}

fn judge(action: Action, place: &dyn Place, file: &CaseFile, case: &Case) -> Result<Verdict> {
    if action == Action::Verify && case.differs.is_some() {
        return Ok(Verdict::LeftOut);
    }
    let outcome = run_case(place, file, case)?;
    if outcome.time > SLOW {
        println!(
            "slow: {}/{} {:.1} s",
            file.id(),
            case.name,
            outcome.time.as_secs_f64()
        );
    }
    let differences = case.differences(&outcome);
    let is_pending = action == Action::Run && case.pending.is_some();
    Ok(match (differences.is_empty(), is_pending) {
        (true, false) => Verdict::Passed,
        (true, true) => Verdict::NoLongerPending,
        (false, true) => Verdict::Pending,
        (false, false) => Verdict::Failed(differences),
    })
}

fn report(action: Action, cases: &[(&CaseFile, &Case)], verdicts: Vec<Verdict>) -> Result<()> {
    let mut figures: BTreeMap<&str, Figures<'_>> = BTreeMap::new();
    for ((file, case), verdict) in cases.iter().zip(verdicts) {
        let figures = figures.entry(&file.directory).or_default();
        figures.topics.insert(&file.topic);
        figures.cases += 1;
        figures.marked += usize::from(case.pending.is_some());
        match verdict {
            Verdict::Passed => figures.passed += 1,
            Verdict::Pending => figures.pending += 1,
            Verdict::LeftOut => figures.left_out += 1,
            Verdict::NoLongerPending => {
                println!(
                    "passes now: {}/{}: take its `pending` away",
                    file.id(),
                    case.name
                );
                figures.failed += 1;
            }
            Verdict::Failed(differences) => {
                print!("failed: {}/{}\n{differences}", file.id(), case.name);
                figures.failed += 1;
            }
        }
    }
    for (directory, figures) in &figures {
        figures.print(directory, action);
    }
    let failed: usize = figures.values().map(|figures| figures.failed).sum();
    if failed > 0 {
        return Err(Failure::new(format!("{failed} cases failed")));
    }
    for (directory, Figures { cases, marked, .. }) in &figures {
        // One or a few cases that someone looks at may all be pending.
        if *cases >= 100 && marked * 100 > cases * MOST_PENDING_PERCENT {
            return Err(Failure::new(format!(
                "{marked} of {cases} cases in `{directory}` are pending; at most {MOST_PENDING_PERCENT} % may be"
            )));
        }
    }
    Ok(())
}

/// What is counted of a directory.
#[derive(Default)]
struct Figures<'a> {
    /// The files of its cases; in `tools` these are commands.
    topics: BTreeSet<&'a str>,
    cases: usize,
    passed: usize,
    failed: usize,
    pending: usize,
    left_out: usize,
    /// Those that are said to be pending, wherever they run.
    marked: usize,
}

impl Figures<'_> {
    fn print(&self, directory: &str, action: Action) {
        let place = match action {
            Action::Run => "in the sandbox",
            _ => "in real bash",
        };
        let topics = self.topics.len();
        let kind = if directory == "tools" {
            "commands"
        } else {
            "topics"
        };
        print!(
            "spec/{directory}: {topics} {kind}, {} of {} cases passed {place}",
            self.passed, self.cases
        );
        for (count, what) in [
            (self.failed, "failed"),
            (self.pending, "pending"),
            (self.left_out, "not for bash"),
        ] {
            if count > 0 {
                print!(", {count} {what}");
            }
        }
        println!();
    }
}

/// Writes down what real bash does with the chosen cases.
fn bless(files: &mut Vec<CaseFile>, filter: Option<&str>) -> Result<()> {
    let native = Native::with_programs()?;
    programs::look(files, &native)?;
    let (mut changed, mut refused) = (0, 0);
    for file in files {
        let recorded = pool::map(&file.cases, |case| {
            if case.differs.is_some() || !is_chosen(file, case, filter) {
                return Ok(case.clone());
            }
            record(&native, file, case)
        });
        let id = file.id();
        for (case, recorded) in file.cases.iter_mut().zip(recorded) {
            match recorded {
                Ok(recorded) => *case = recorded,
                Err(why) => {
                    println!("not recorded: {id}/{}: {why}", case.name);
                    refused += 1;
                }
            }
        }
        changed += usize::from(file.write()?);
    }
    println!("spec: {changed} files changed");
    match refused {
        0 => Ok(()),
        refused => Err(Failure::new(format!("{refused} cases cannot be recorded"))),
    }
}

/// The case with what bash does. Fails when that cannot be written down or differs from run to run.
fn record(native: &Native, file: &CaseFile, case: &Case) -> Result<Case, String> {
    let run = || run_case(native, file, case).map_err(|failure| failure.to_string());
    let (first, second) = (run()?, run()?);
    if first.timed_out {
        return Err("it takes too long".into());
    }
    let text = |what: &str, bytes: &[u8]| {
        let text = String::from_utf8(bytes.to_vec());
        let text =
            text.map_err(|_| format!("its {what} is not UTF-8; show bytes with `od -An -tx1`"))?;
        if text.contains("codepod-spec-") {
            return Err(format!("its {what} shows the directory it ran in"));
        }
        Ok(text)
    };
    let leaves = match &case.leaves {
        None => None,
        Some(_) => {
            let mut leaves = BTreeMap::new();
            for (name, what) in leaves_of(&first) {
                leaves.insert(name, text("files", &what)?);
            }
            Some(leaves)
        }
    };
    let recorded = Case {
        stdout: text("output", &first.stdout)?,
        stderr: text("messages", &first.stderr)?,
        status: first.status,
        leaves,
        ..case.clone()
    };
    let again = recorded.differences(&second);
    if !again.is_empty() {
        return Err(format!("it did something else when run again:\n{again}"));
    }
    Ok(recorded)
}

/// The files that a script left, and with a slash at the end of the name directories.
fn leaves_of(outcome: &Outcome) -> BTreeMap<String, Vec<u8>> {
    let entries = outcome.files.iter();
    entries
        .map(|(name, what)| match what {
            Left::File(content) => (name.clone(), content.clone()),
            Left::Directory => (format!("{name}/"), Vec::new()),
            Left::Other => (format!("{name}@"), Vec::new()),
        })
        .collect()
}

impl Case {
    fn job(&self, timeout: Duration) -> Job {
        let mut job = Job::new(self.run.as_str(), Feed::Command, timeout);
        job.stdin = self.stdin.clone().into_bytes();
        job.env = environment();
        job.env.extend(self.env.clone());
        let files = self.files.iter();
        job.files = files
            .map(|(name, content)| (name.clone(), content.clone().into_bytes()))
            .collect();
        job.wants_files = self.leaves.is_some();
        job
    }

    /// What came otherwise than written; nothing when all is right.
    fn differences(&self, outcome: &Outcome) -> String {
        let mut text = String::new();
        if outcome.timed_out {
            text += "  it timed out\n";
        } else if outcome.status != self.status {
            text += &format!("  status: - {} + {}\n", self.status, outcome.status);
        }
        text += &difference("stdout", self.stdout.as_bytes(), &outcome.stdout);
        text += &difference(
            "stderr",
            self.stderr.as_bytes(),
            &without_hints(&outcome.stderr),
        );
        if let Some(leaves) = &self.leaves {
            let left = leaves_of(outcome);
            for name in leaves.keys().filter(|name| !left.contains_key(*name)) {
                text += &format!("  file `{name}` is missing\n");
            }
            for (name, content) in left {
                match leaves.get(&name) {
                    Some(expected) => {
                        text +=
                            &difference(&format!("file `{name}`"), expected.as_bytes(), &content)
                    }
                    None => text += &format!("  file `{name}` is left\n"),
                }
            }
        }
        text
    }
}

/// Runs a case. Messages of tools have plain quotes: GNU's have typographic ones in some places
/// where the locale has them.
fn run_case(place: &dyn Place, file: &CaseFile, case: &Case) -> Result<Outcome> {
    let timeout = match file.directory.as_str() {
        "agents" => TASK_TIMEOUT,
        "guests" => GUEST_TIMEOUT,
        _ => TIMEOUT,
    };
    let mut outcome = place.run(&case.job(timeout))?;
    if matches!(file.directory.as_str(), "agents" | "tools")
        && let Ok(text) = std::str::from_utf8(&outcome.stderr)
        && text.contains(QUOTES)
    {
        outcome.stderr = text.replace(QUOTES, "'").into_bytes();
    }
    Ok(outcome)
}

/// Standard error without what is for models and is not bash's.
pub(crate) fn without_hints(stderr: &[u8]) -> Vec<u8> {
    let lines = stderr.split_inclusive(|byte| *byte == b'\n');
    lines
        .filter(|line| !line.starts_with(HINT) && !line.starts_with(LIMIT))
        .flatten()
        .copied()
        .collect()
}

/// The files of a directory of `spec/`.
fn read_all(name: &str) -> Result<Vec<CaseFile>> {
    let directory = &crate::checkout().join("spec").join(name);
    if !directory.exists() {
        return Ok(Vec::new());
    }
    let entries =
        std::fs::read_dir(directory).map_err(|error| Failure::file("list", directory, error))?;
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    paths.sort();
    paths.iter().map(|path| CaseFile::read(path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case() -> Case {
        Case {
            name: "n".into(),
            stdout: "1\n".into(),
            leaves: Some(BTreeMap::new()),
            ..Case::default()
        }
    }

    fn outcome() -> Outcome {
        Outcome {
            stdout: b"1\n".to_vec(),
            ..Outcome::default()
        }
    }

    #[test]
    fn everything_that_is_written_is_compared() {
        assert_eq!(case().differences(&outcome()), "");
        let status = Outcome {
            status: 1,
            ..outcome()
        };
        assert!(case().differences(&status).contains("status: - 0 + 1"));
        let stderr = Outcome {
            stderr: b"x\n".to_vec(),
            ..outcome()
        };
        assert!(case().differences(&stderr).contains("+ x"));
        let files = [("f".into(), Left::File(Vec::new()))].into();
        assert!(
            case()
                .differences(&Outcome { files, ..outcome() })
                .contains("`f` is left")
        );
    }

    #[test]
    fn hints_for_models_are_not_compared() {
        let stderr = b"bash: line 1: x: command not found\ncodepod: hint: there is y\n";
        assert_eq!(
            without_hints(stderr),
            b"bash: line 1: x: command not found\n"
        );
    }
}
