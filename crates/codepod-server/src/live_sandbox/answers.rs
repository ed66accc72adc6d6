//! Answers by idempotency key: a second call with the key of a first gets the first one's answer.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Condvar, Mutex, PoisonError};

use codepod::{Charge, Charged, RunResult, Sandbox};
use codepod_api::{ApiError, Kind};

use crate::failure::failure;
use crate::lock::lock;
use crate::names::check_name;

/// Answers that are kept for a second call with the same key. With what is kept of each they take
/// 16 MiB at most.
const MOST_ANSWERS: usize = 128;
/// Bytes of each output stream that are kept in an answer; the whole of a longer one is in
/// `/proc/runs` as long as the sandbox keeps it.
const KEPT_OUTPUT: usize = 48 << 10;
/// Processes that an answer tells of.
const KEPT_PROCESSES: usize = 64;

/// An answer, with the memory that it takes.
type Answer = Charged<Result<RunResult, ApiError>>;

/// The answers of a sandbox.
#[derive(Debug, Default)]
pub(super) struct Answers {
    kept: Mutex<Kept>,
    answered: Condvar,
}

/// Results by key; `None` while the first call runs.
#[derive(Debug, Default)]
struct Kept {
    by_key: BTreeMap<String, Option<Answer>>,
    order: VecDeque<String>,
}

impl Answers {
    /// Runs something once for a key: another call with the same key waits for the first and gets
    /// its answer.
    pub(super) fn once(
        &self,
        sandbox: &Sandbox,
        key: &str,
        run: impl FnOnce() -> Result<RunResult, ApiError>,
    ) -> Result<RunResult, ApiError> {
        check_name(key)?;
        let mut kept = lock(&self.kept);
        loop {
            match kept.by_key.get(key) {
                Some(Some(answer)) => return (**answer).clone(),
                Some(None) => {
                    let woken = self.answered.wait(kept);
                    kept = woken.unwrap_or_else(PoisonError::into_inner);
                }
                None => break,
            }
        }
        kept.by_key.insert(key.to_owned(), None);
        drop(kept);
        let mut mark = Attempt {
            answers: self,
            key,
            answer: None,
        };
        let answer = run();
        mark.answer = Some(match &answer {
            Ok(result) => kept_of(sandbox, result),
            Err(error) => Charged::new(Err(error.clone()), Charge::default()),
        });
        answer
    }
}

/// As much of a result as is kept for a second call. Without memory for it, that call learns as
/// much, and nothing runs twice.
fn kept_of(sandbox: &Sandbox, result: &RunResult) -> Answer {
    let kept = cut(sandbox, result);
    let bytes = kept.as_ref().map_or(0, size);
    match sandbox.budget().memory(bytes) {
        Some(charge) => Charged::new(kept, charge),
        None => {
            let message = "the run has ended, and there was no memory to keep its answer";
            Charged::new(Err(ApiError::new(Kind::Limit, message)), Charge::default())
        }
    }
}

fn cut(sandbox: &Sandbox, result: &RunResult) -> Result<RunResult, ApiError> {
    let mut kept = result.clone();
    sandbox
        .cut_output(&mut kept, KEPT_OUTPUT)
        .map_err(failure)?;
    kept.command = String::new();
    kept.processes.truncate(KEPT_PROCESSES);
    Ok(kept)
}

/// About what a result takes that is kept.
fn size(result: &RunResult) -> u64 {
    let processes = result.processes.iter();
    let lines: usize = processes
        .map(|facts| size_of_val(facts) + facts.command.len())
        .sum();
    (size_of_val(result) + result.stdout.len() + result.stderr.len() + lines) as u64
}

/// The first call of a key. Dropped without an answer, the key is free again.
struct Attempt<'a> {
    answers: &'a Answers,
    key: &'a str,
    answer: Option<Answer>,
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        let mut kept = lock(&self.answers.kept);
        match self.answer.take() {
            Some(answer) => {
                kept.by_key.insert(self.key.to_owned(), Some(answer));
                kept.order.push_back(self.key.to_owned());
                if kept.order.len() > MOST_ANSWERS
                    && let Some(oldest) = kept.order.pop_front()
                {
                    kept.by_key.remove(&oldest);
                }
            }
            None => {
                kept.by_key.remove(self.key);
            }
        }
        drop(kept);
        self.answers.answered.notify_all();
    }
}
