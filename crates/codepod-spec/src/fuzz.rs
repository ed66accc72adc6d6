//! Random scripts in both shells: where ours does something else than bash, the script is made
//! small and shown.
//!
//! Standard output, status, the files left, and the lines of standard error are compared; the
//! latter in any order, since stages of a pipeline speak at the same time. A script on which bash
//! itself does not always do the same is left out and counted.

mod arithmetic;
mod command;
mod compound;
mod condition;
mod minimise;
mod parameter;
mod pattern;
mod random;
mod script;
mod tame;
mod vocabulary;
mod word;

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::cases::without_hints;
use crate::compare::{difference, show};
use crate::failure::{Failure, Result};
use crate::job::{Feed, Job, Left, Outcome, Place};
use crate::native::{self, Native};
use crate::pool;
use crate::sandbox::Sandboxes;

/// How long a script may take.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How many scripts are run between two lines of progress.
const BLOCK: u64 = 5000;
/// How often bash must do the same before a difference is believed.
const AGAIN: usize = 3;
/// The programs that scripts find, in both shells.
const TOOLS: &[&str] = &["bash", "cat", "head", "sort", "tr", "wc"];

/// What to run and to tell.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) count: u64,
    /// A new one from the clock, without it.
    pub(crate) seed: Option<u64>,
    /// The script to begin with.
    pub(crate) first: u64,
    /// Make odd scripts, too.
    pub(crate) wild: bool,
    /// Compare what standard error says, and not only whether it says anything.
    pub(crate) messages: bool,
    /// Tell of differences without failing.
    pub(crate) report: bool,
    /// How many differences are shown.
    pub(crate) show: usize,
    /// Where small scripts that differ are written.
    pub(crate) keep: Option<PathBuf>,
    /// Print this script instead of running any.
    pub(crate) print: Option<u64>,
}

impl Default for Arguments {
    fn default() -> Arguments {
        Arguments {
            count: 1000,
            seed: None,
            first: 0,
            wild: false,
            messages: false,
            report: false,
            show: 10,
            keep: None,
            print: None,
        }
    }
}

/// Compares the shells. Fails when they differ.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let seed = arguments.seed.unwrap_or_else(|| {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        now.as_millis() as u64 % 1_000_000_000
    });
    if let Some(index) = arguments.print {
        print!("{}", show(&script::script(seed, index, arguments.wild)));
        return Ok(());
    }
    if arguments.count == 0 {
        return Err(Failure::usage("`--count` must be at least 1"));
    }
    if native::is_left_out() {
        println!("fuzz: not compared: there is no bash, which may be missing here");
        return Ok(());
    }
    let ours = Sandboxes::with_tools(TOOLS)?;
    if ours.lack_shell()? {
        println!("fuzz: not compared: there is no shell, which may be missing here");
        return Ok(());
    }
    let run = Run {
        native: Native::with_tools(TOOLS)?,
        ours,
        arguments,
        seed,
        shown: Mutex::default(),
        unstable: Mutex::default(),
    };
    let started = Instant::now();
    let mut differing = 0;
    let mut first = arguments.first;
    let end = arguments.first + arguments.count;
    while first < end {
        let indices: Vec<u64> = (first..end.min(first + BLOCK)).collect();
        for found in pool::map(&indices, |&index| run.look(index)) {
            differing += usize::from(found?);
        }
        first += BLOCK;
        let done = first.min(end) - arguments.first;
        if done < arguments.count {
            let seconds = started.elapsed().as_secs_f64();
            eprintln!(
                "fuzz: {done} scripts, {differing} differ, {:.0} a second",
                done as f64 / seconds
            );
        }
    }
    let mut unstable = run
        .unstable
        .lock()
        .map_or_else(|_| Vec::new(), |list| list.clone());
    unstable.sort_unstable();
    println!(
        "fuzz: {differing} of {} scripts differ (seed {seed}, {:.1} s); {} more do not do the same each time {unstable:?}",
        arguments.count,
        started.elapsed().as_secs_f64(),
        unstable.len()
    );
    match differing {
        _ if arguments.report => Ok(()),
        0 => Ok(()),
        _ => Err(
            Failure::new(format!("{differing} scripts differ")).hint(format!(
                "`cargo xtask spec fuzz --seed {seed} --first N --count 1` runs script N again"
            )),
        ),
    }
}

/// A run: both shells, and what was seen so far.
struct Run<'a> {
    native: Native,
    ours: Sandboxes,
    arguments: &'a Arguments,
    seed: u64,
    /// Small scripts that were shown already.
    shown: Mutex<Vec<Vec<u8>>>,
    /// Scripts on which bash or the sandbox does not always do the same, or bash takes too long.
    unstable: Mutex<Vec<u64>>,
}

/// In what two outcomes differ first, bash's before ours. A smaller script must differ in the same.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Difference {
    Timeout,
    /// The first lines that differ; none after the end.
    Stdout(Line, Line),
    Status(i32, i32),
    /// The first name whose file differs.
    Files(String),
    /// The first lines that differ when sorted, without their number.
    Stderr(Line, Line),
}

impl Run<'_> {
    /// Whether the shells differ on a script; the first few are made small and printed.
    fn look(&self, index: u64) -> Result<bool> {
        let script = script::script(self.seed, index, self.arguments.wild);
        let Some(difference) = self.compare(&script)? else {
            return Ok(false);
        };
        for _ in 0..AGAIN {
            let native = self.native.run(&job(&script))?;
            if native.timed_out || self.compare(&script)?.as_ref() != Some(&difference) {
                if let Ok(mut unstable) = self.unstable.lock() {
                    unstable.push(index);
                }
                return Ok(false);
            }
        }
        if self.is_enough() {
            return Ok(true);
        }
        let broken = self.is_broken(&script);
        let small = minimise::minimise(&script, |candidate| {
            let found = self.compare(candidate);
            found.is_ok_and(|found| found.as_ref() == Some(&difference))
                && (broken || !self.is_broken(candidate))
        });
        let Ok(mut shown) = self.shown.lock() else {
            return Ok(true);
        };
        if shown.contains(&small) || shown.len() >= self.arguments.show {
            return Ok(true);
        }
        println!(
            "--- script {index} of seed {}, made small\n{}",
            self.seed,
            show(&small).trim_end()
        );
        let (native, ours) = (self.native.run(&job(&small))?, self.ours.run(&job(&small))?);
        print!("{}", describe(&native, &ours));
        if let Some(directory) = &self.arguments.keep {
            let path = directory.join(format!("{}-{index}.sh", self.seed));
            std::fs::create_dir_all(directory)
                .and_then(|()| std::fs::write(&path, &small))
                .map_err(|error| Failure::file("write", &path, error))?;
        }
        shown.push(small);
        Ok(true)
    }

    /// Whether bash finds a syntax error in the script itself: what is left of a script that was
    /// made smaller should have none.
    fn is_broken(&self, script: &[u8]) -> bool {
        let found = self.native.run(&job(script));
        found.is_ok_and(|native| {
            let text = String::from_utf8_lossy(&native.stderr);
            ["-c: line", "command substitution: line", "eval: line"]
                .iter()
                .any(|prefix| text.contains(&format!("bash: {prefix}")))
        })
    }

    fn is_enough(&self) -> bool {
        self.shown
            .lock()
            .map_or(true, |shown| shown.len() >= self.arguments.show)
    }

    fn compare(&self, script: &[u8]) -> Result<Option<Difference>> {
        let job = job(script);
        let native = self.native.run(&job)?;
        if native.timed_out {
            return Ok(None);
        }
        if shows_marks(&native) || is_confused(&native) {
            return Ok(None);
        }
        let ours = self.ours.run(&job)?;
        Ok(first_difference(&native, &ours, self.arguments.messages))
    }
}

fn job(script: &[u8]) -> Job {
    let mut job = Job::new(script, Feed::Command, TIMEOUT);
    // Nobody's home: whether it exists depends on the machine.
    job.env = [
        ("HOME", "/nonexistent"),
        ("LANG", "C.UTF-8"),
        ("LC_ALL", "C.UTF-8"),
    ]
    .map(|(name, value)| (name.into(), value.into()))
    .into();
    let before = vocabulary::BEFORE.iter();
    job.files = before
        .map(|(name, content)| ((*name).into(), content.as_bytes().to_vec()))
        .collect();
    job.wants_files = true;
    job
}

/// Whether bash shows bytes that it uses inside to mark quotes: a mistake of its own, since no
/// script has such bytes.
fn shows_marks(native: &Outcome) -> bool {
    let has = |bytes: &[u8]| bytes.contains(&1) || bytes.windows(4).any(|four| four == b"\\001");
    let files = native.files.values();
    let mut contents = files.filter_map(|left| match left {
        Left::File(content) => Some(content),
        _ => None,
    });
    has(&native.stdout) || contents.any(|content| has(content))
}

/// Whether bash lost track of its own processes: it runs the EXIT trap of the shell in a stage
/// whose words it cannot expand.
fn is_confused(native: &Outcome) -> bool {
    let stderr = String::from_utf8_lossy(&native.stderr);
    stderr.contains("wait_for: No record of process")
}

/// What differs first. With `with_messages`, standard error must have the same lines; otherwise
/// either shell says something or none.
fn first_difference(native: &Outcome, ours: &Outcome, with_messages: bool) -> Option<Difference> {
    if ours.timed_out {
        return Some(Difference::Timeout);
    }
    if let Some((a, b)) = first_lines(lines(&native.stdout), lines(&ours.stdout)) {
        return Some(Difference::Stdout(a, b));
    }
    if native.status != ours.status {
        return Some(Difference::Status(native.status, ours.status));
    }
    let mut names = native.files.keys().chain(ours.files.keys());
    if let Some(name) = names.find(|name| native.files.get(*name) != ours.files.get(*name)) {
        return Some(Difference::Files(name.clone()));
    }
    let (a, b) = (messages(&native.stderr), messages(&ours.stderr));
    if !with_messages && a.is_empty() == b.is_empty() {
        return None;
    }
    let (a, b) = first_lines(a, b)?;
    Some(Difference::Stderr(
        a.map(without_number),
        b.map(without_number),
    ))
}

/// A line, or nothing after the last.
type Line = Option<Vec<u8>>;

fn first_lines(a: Vec<Vec<u8>>, b: Vec<Vec<u8>>) -> Option<(Line, Line)> {
    let same = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let (a, b) = (a.into_iter().nth(same), b.into_iter().nth(same));
    (a.is_some() || b.is_some()).then_some((a, b))
}

fn lines(text: &[u8]) -> Vec<Vec<u8>> {
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    lines.map(<[u8]>::to_vec).collect()
}

/// The lines of standard error in an order of their own, without hints for models.
fn messages(stderr: &[u8]) -> Vec<Vec<u8>> {
    let mut lines = lines(&without_hints(stderr));
    lines.sort_unstable();
    lines
}

/// A message without the number of its line, which is another one in a smaller script.
fn without_number(line: Vec<u8>) -> Vec<u8> {
    let text = String::from_utf8_lossy(&line).into_owned();
    match text.split_once("line ") {
        Some((before, after)) => {
            let after = after.trim_start_matches(|character: char| character.is_ascii_digit());
            format!("{before}line {after}").into_bytes()
        }
        None => line,
    }
}

fn describe(native: &Outcome, ours: &Outcome) -> String {
    let mut text = String::new();
    if ours.timed_out {
        text += "  ours takes too long\n";
    }
    if native.status != ours.status {
        text += &format!("  status: - {} + {}\n", native.status, ours.status);
    }
    text += &difference("stdout", &native.stdout, &ours.stdout);
    text += &difference("stderr", &native.stderr, &without_hints(&ours.stderr));
    for (name, left) in &native.files {
        match (left, ours.files.get(name)) {
            (_, None) => text += &format!("  file `{name}` is missing\n"),
            (Left::File(a), Some(Left::File(b))) => {
                text += &difference(&format!("file `{name}`"), a, b)
            }
            (a, Some(b)) if a != b => text += &format!("  `{name}` is another kind of file\n"),
            _ => {}
        }
    }
    for name in ours
        .files
        .keys()
        .filter(|name| !native.files.contains_key(*name))
    {
        text += &format!("  file `{name}` is left\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(change: impl Fn(&mut Outcome)) -> Option<Difference> {
        let mut ours = Outcome::default();
        change(&mut ours);
        first_difference(&Outcome::default(), &ours, true)
    }

    #[test]
    fn everything_is_compared() {
        assert_eq!(found(|_| ()), None);
        assert_eq!(
            found(|ours| ours.status = 1),
            Some(Difference::Status(0, 1))
        );
        assert_eq!(
            found(|ours| ours.stdout = b"a\nb\n".to_vec()),
            Some(Difference::Stdout(None, Some(b"a\n".to_vec())))
        );
        assert_eq!(
            found(|ours| drop(ours.files.insert("f".into(), Left::Directory))),
            Some(Difference::Files("f".into()))
        );
        assert_eq!(
            found(|ours| ours.stderr = b"bash: line 12: x\n".to_vec()),
            Some(Difference::Stderr(None, Some(b"bash: line : x\n".to_vec())))
        );
    }

    #[test]
    fn messages_may_come_in_any_order() {
        let outcome = |stderr: &[u8]| Outcome {
            stderr: stderr.to_vec(),
            ..Outcome::default()
        };
        let (a, b) = (outcome(b"a\nb\n"), outcome(b"b\ncodepod: hint: x\na\n"));
        assert_eq!(first_difference(&a, &b, true), None);
        let c = outcome(b"c\n");
        assert!(first_difference(&a, &c, true).is_some());
        assert_eq!(first_difference(&a, &c, false), None);
        assert!(first_difference(&a, &outcome(b""), false).is_some());
    }
}
