//! `test`: all tests, those in documentation included, and how many they were.

use crate::Command;
use crate::cache;
use crate::failure::{Failure, Outcome, flag_and_names};
use crate::guests;
use crate::missing;
use crate::parity;
use crate::process::{self, Process, Watched};

pub(crate) const COMMAND: Command = Command {
    name: "test",
    arguments: "[FILTER…]",
    about: "run all tests, or those whose name contains FILTER",
    more: "Runs with cargo-nextest, and documentation tests with cargo. Tests that run guests take them from\n\
        guests/dist: build them with `cargo xtask guests` first.",
    run,
};

fn run(arguments: &[String]) -> Outcome {
    let (_, filters) = flag_and_names(arguments, "", "test")?;
    if !cache::in_root("guests/dist/guests.toml").exists() {
        println!(
            "test: guests/dist is empty; tests that run guests need `cargo xtask guests`, most of them without `python`"
        );
    }
    let count = all(&filters)?;
    println!("tests: {}", count.told());
    count.judge()?;
    if count.passed == 0 && !filters.is_empty() {
        return Err(Failure::new(format!(
            "no test's name contains `{}`",
            filters.join("` or `")
        )));
    }
    Ok(())
}

/// Runs every test whose name contains one of the filters; all, without one.
pub(crate) fn all(filters: &[&str]) -> Outcome<Count> {
    let mut arguments = vec!["--workspace"];
    arguments.extend(filters);
    let unit = nextest(&arguments)?;
    let guests = guest_units(filters)?;
    let documentation = doc_tests(filters)?;
    Ok(unit.plus(guests).plus(documentation))
}

/// Guests that take minutes to build for this machine and are mostly other people's programs: their
/// cases are in spec/tools.
const NOT_BUILT_HERE: [&str; 3] = ["codepod-curl", "jq", "sqlite"];

/// The bash that the guests' tests compare with.
const BASH: &str = "5.2";

/// Runs the guests' unit tests, as programs of this machine. Some of them compare with bash, and
/// say nothing where there is none: so it is looked for here.
fn guest_units(filters: &[&str]) -> Outcome<Count> {
    let asked = process::program("bash").args(["-c", "echo $BASH_VERSION"]);
    let version = asked.output().unwrap_or_default();
    if !version.starts_with(BASH) {
        if !missing::may_miss("bash") {
            return Err(Failure::new(format!(
                "the guests' tests compare with bash {BASH}, and there is none"
            ))
            .hint(format!(
                "install it (`cargo xtask setup` does), or say with {}=bash that it may be missing",
                missing::VARIABLE
            )));
        }
        println!(
            "test: guests are not compared with bash: there is none, which may be missing here"
        );
    }
    let mut arguments = vec!["--manifest-path", "guests/Cargo.toml", "--workspace"];
    for package in NOT_BUILT_HERE {
        arguments.extend(["--exclude", package]);
    }
    arguments.extend(filters);
    let sources = guests::all_sources()?;
    let cargo = guests::with_sources(process::cargo(), &sources);
    run_nextest(cargo, &arguments)
}

/// Runs nextest with the given arguments.
pub(crate) fn nextest(arguments: &[&str]) -> Outcome<Count> {
    run_nextest(process::cargo(), arguments)
}

fn run_nextest(cargo: Process, arguments: &[&str]) -> Outcome<Count> {
    let mut count = Count::default();
    let succeeded = cargo
        .args(["nextest", "run", "--no-tests=pass", "--no-fail-fast"])
        .args(arguments)
        // glibc then gives large pieces back to the system when they are freed. Tests look at that.
        .env("MALLOC_MMAP_THRESHOLD_", "65536")
        .env(parity::VARIABLE, parity::directory()?)
        .watch(Watched::Stderr, |line| {
            if let Some(summary) = nextest_summary(line) {
                count = summary;
            }
        })?;
    Ok(count.with_status(succeeded, "`cargo nextest run` failed"))
}

fn doc_tests(filters: &[&str]) -> Outcome<Count> {
    let mut count = Count::default();
    let succeeded = process::cargo()
        .args([
            "test",
            "--quiet",
            "--workspace",
            "--doc",
            "--no-fail-fast",
            "--",
        ])
        .args(filters)
        .watch(Watched::Stdout, |line| {
            if let Some(summary) = libtest_summary(line) {
                count = count.plus(summary);
            }
        })?;
    Ok(count.with_status(succeeded, "documentation tests failed"))
}

/// How many tests ran, and how.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(crate) struct Count {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    /// Those that passed, but not at their first attempt. None may: `.config/nextest.toml` allows
    /// no second one.
    pub(crate) retried: usize,
    /// What to say when a runner failed.
    complaint: Option<&'static str>,
}

impl Count {
    pub(crate) fn plus(self, other: Count) -> Count {
        Count {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            retried: self.retried + other.retried,
            complaint: self.complaint.or(other.complaint),
        }
    }

    fn with_status(mut self, succeeded: bool, complaint: &'static str) -> Count {
        if !succeeded {
            self.complaint = Some(complaint);
        }
        self
    }

    /// The figures, for people.
    pub(crate) fn told(self) -> String {
        let Count {
            passed,
            failed,
            retried,
            ..
        } = self;
        format!("{passed} passed, {failed} failed, {retried} needed more than one attempt")
    }

    /// Fails when a test or its runner failed, or when one needed another attempt.
    pub(crate) fn judge(self) -> Outcome<Count> {
        match self.complaint {
            Some(complaint) => Err(Failure::new(format!("{complaint}: {} tests", self.failed))
                .hint("the output above names them; `cargo xtask test NAME` runs one alone")),
            None if self.retried > 0 => Err(Failure::new(format!(
                "{} tests did not pass at their first attempt",
                self.retried
            ))
            .hint("what fails once has failed: take `retries` out of .config/nextest.toml")),
            None => Ok(self),
        }
    }
}

/// Reads `Summary [   1.2s] 12 tests run: 10 passed (1 slow, 2 flaky), 2 failed, 1 timed out, 3
/// skipped`.
fn nextest_summary(line: &str) -> Option<Count> {
    let line = plain(line);
    let (head, counts) = line.split_once(" run: ")?;
    if !head.trim_start().starts_with("Summary") {
        return None;
    }
    Some(Count {
        passed: number_before(counts, "passed"),
        failed: ["failed", "timed out", "exec failed"]
            .iter()
            .map(|word| number_before(counts, word))
            .sum(),
        retried: number_before(counts, "flaky"),
        complaint: None,
    })
}

/// Reads `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
fn libtest_summary(line: &str) -> Option<Count> {
    let line = plain(line);
    let counts = line.strip_prefix("test result: ")?;
    Some(Count {
        passed: number_before(counts, "passed"),
        failed: number_before(counts, "failed"),
        retried: 0,
        complaint: None,
    })
}

/// The number that stands directly before a word; 0 when there is none.
fn number_before(text: &str, word: &str) -> usize {
    text.split([',', ';', '.', '('])
        .filter_map(|piece| piece.trim().trim_end_matches(')').split_once(' '))
        .find(|(_, what)| what.trim() == word)
        .and_then(|(number, _)| number.parse().ok())
        .unwrap_or(0)
}

/// The line without terminal colours.
fn plain(line: &str) -> String {
    let mut text = String::new();
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        if character == '\u{1b}' {
            characters.by_ref().find(char::is_ascii_alphabetic);
        } else {
            text.push(character);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(passed: usize, failed: usize) -> Option<Count> {
        Some(Count {
            passed,
            failed,
            ..Count::default()
        })
    }

    #[test]
    fn a_second_attempt_is_told_and_is_a_failure() {
        for line in [
            "     Summary [   3.0s] 4 tests run: 4 passed (1 slow, 2 flaky), 1 skipped",
            "     Summary [   3.0s] 4 tests run: 4 passed (2 flaky), 1 skipped",
        ] {
            let count = nextest_summary(line).unwrap();
            assert_eq!((count.passed, count.retried), (4, 2), "{line}");
            assert!(count.told().ends_with("2 needed more than one attempt"));
            assert!(count.judge().is_err());
        }
        assert!(count(4, 0).unwrap().judge().is_ok());
    }

    #[test]
    fn no_test_is_tried_again() {
        let settings = cache::read(&cache::in_root(".config/nextest.toml")).unwrap();
        let settings: toml::Table = settings.parse().unwrap();
        fn retries(value: &toml::Value) -> Vec<toml::Value> {
            match value {
                toml::Value::Table(table) => table
                    .iter()
                    .flat_map(|(name, value)| match name.as_str() {
                        "retries" => vec![value.clone()],
                        _ => retries(value),
                    })
                    .collect(),
                toml::Value::Array(values) => values.iter().flat_map(retries).collect(),
                _ => Vec::new(),
            }
        }
        let found = retries(&toml::Value::Table(settings));
        assert_eq!(found, [toml::Value::Integer(0)]);
    }

    #[test]
    fn nextest_tells_how_many_passed() {
        let line = "     Summary [   0.018s] 12 tests run: 12 passed, 0 skipped";
        assert_eq!(nextest_summary(line), count(12, 0));
        let line = "     Summary [   9.1s] 15 tests run: 10 passed (1 slow), 3 failed, 2 timed out, 4 skipped";
        assert_eq!(nextest_summary(line), count(10, 5));
        assert_eq!(nextest_summary("        PASS [   0.004s] a::b"), None);
    }

    #[test]
    fn a_coloured_summary_is_read_too() {
        let line = "\u{1b}[32;1m     Summary\u{1b}[0m [   0.1s] \u{1b}[1m2\u{1b}[0m tests run: \u{1b}[1m2\u{1b}[0m \u{1b}[32;1mpassed\u{1b}[0m, \u{1b}[1m0\u{1b}[0m \u{1b}[33;1mskipped\u{1b}[0m";
        assert_eq!(nextest_summary(line), count(2, 0));
    }

    #[test]
    fn cargo_test_tells_how_many_passed() {
        let line = "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out";
        assert_eq!(libtest_summary(line), count(3, 1));
    }
}
