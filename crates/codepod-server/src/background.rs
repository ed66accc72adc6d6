//! Runs in the background: scripts that go on after the call that started them, with the last of
//! what they printed.
//!
//! A run has a thread that drives it and fills its log (`handlers/background.rs`). The log counts
//! the bytes of both streams together, in the order in which they came, and keeps the last [`KEPT`]
//! of them; readers name a place in it. What a log holds is drawn from the sandbox's budget.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use codepod::{Canceller, Charge, RunResult};
use codepod_api::methods::run::SinceOutput;
use codepod_api::{ApiError, Bytes, Kind};

use crate::lock::lock;

/// Background runs of a sandbox that go on.
const MOST_RUNNING: usize = 16;
/// Background runs of a sandbox that have ended and are remembered.
const MOST_ENDED: usize = 16;
/// Bytes of output that are kept of a run: the last ones.
const KEPT: usize = 1 << 20;
/// How much is read at once.
pub(crate) const PIECE: usize = 16 << 10;
/// The longest time that a call waits for output.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// How often a call that waits looks whether it was cancelled.
const LOOK: Duration = Duration::from_millis(50);

/// The background runs of a sandbox.
#[derive(Debug, Default)]
pub(crate) struct Background {
    /// By age.
    list: Mutex<Vec<(String, Arc<Log>)>>,
}

impl Background {
    /// Makes a log for a run, if there may be another run.
    pub(crate) fn add(&self, name: &str, charge: Charge) -> Result<Arc<Log>, ApiError> {
        let mut list = lock(&self.list);
        let running = |log: &Log| lock(&log.inner).ended.is_none();
        if list.iter().filter(|(_, log)| running(log)).count() >= MOST_RUNNING {
            let message = format!("{MOST_RUNNING} runs go on in the background of this sandbox");
            return Err(ApiError::new(Kind::Limit, message).hint("end one with `run.cancel`"));
        }
        if list
            .iter()
            .any(|(other, log)| other == name && running(log))
        {
            let message = format!("there is a run `{name}` already");
            let error = ApiError::new(Kind::InvalidParams, message);
            return Err(error.hint("give every run a name of its own"));
        }
        list.retain(|(other, _)| other != name);
        while list.iter().filter(|(_, log)| !running(log)).count() >= MOST_ENDED {
            let oldest = list.iter().position(|(_, log)| !running(log));
            list.remove(oldest.unwrap_or(0));
        }
        let log = Arc::new(Log {
            inner: Mutex::new(Inner {
                charge,
                ..Inner::default()
            }),
            changed: Condvar::new(),
        });
        list.push((name.to_owned(), log.clone()));
        Ok(log)
    }

    /// Forgets a run that could not be started.
    pub(crate) fn remove(&self, name: &str) {
        lock(&self.list).retain(|(other, _)| other != name);
    }

    /// The log of a run.
    pub(crate) fn find(&self, name: &str) -> Result<Arc<Log>, ApiError> {
        let list = lock(&self.list);
        let found = list.iter().find(|(other, _)| other == name);
        let none = || {
            let error = crate::failure::not_found("background run");
            error.hint("`run.start` gives its name; the last 16 that have ended are remembered")
        };
        found.map(|(_, log)| log.clone()).ok_or_else(none)
    }
}

/// What a run has printed, and how it ended.
#[derive(Debug)]
pub(crate) struct Log {
    inner: Mutex<Inner>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Inner {
    /// What is kept: pieces of standard output (`false`) and standard error (`true`).
    pieces: VecDeque<(bool, Vec<u8>)>,
    /// Bytes in `pieces`.
    kept: usize,
    /// Bytes that came before them.
    gone: u64,
    /// Where the next reader goes on that names no place.
    read: u64,
    ended: Option<RunResult>,
    /// For `pieces`.
    charge: Charge,
}

impl Inner {
    fn add(&mut self, is_stderr: bool, bytes: &[u8]) {
        self.pieces.push_back((is_stderr, bytes.to_vec()));
        self.kept += bytes.len();
        while self.kept > KEPT || !self.charge.set(self.kept as u64) {
            let Some((_, oldest)) = self.pieces.pop_front() else {
                return;
            };
            self.kept -= oldest.len();
            self.gone += oldest.len() as u64;
        }
    }

    fn end(&self) -> u64 {
        self.gone + self.kept as u64
    }

    /// What came from a place on, `most` bytes of it; the next reader goes on behind it.
    fn output(&mut self, from: u64, most: usize) -> SinceOutput {
        let from = from.min(self.end());
        let begin = from.max(self.gone);
        let mut streams = [Vec::new(), Vec::new()];
        let (mut at, mut left) = (self.gone, most);
        for (is_stderr, piece) in &self.pieces {
            let skipped = begin.saturating_sub(at).min(piece.len() as u64);
            at += piece.len() as u64;
            let rest = &piece[skipped as usize..];
            let taken = &rest[..rest.len().min(left)];
            left -= taken.len();
            streams[usize::from(*is_stderr)].extend_from_slice(taken);
            if left == 0 {
                break;
            }
        }
        let next = begin + (most - left) as u64;
        self.read = next;
        let [stdout, stderr] = streams;
        let (stdout, stdout_base64) = Bytes::lossy(stdout);
        let (stderr, stderr_base64) = Bytes::lossy(stderr);
        let ended = self.ended.as_ref();
        SinceOutput {
            running: ended.is_none(),
            exit_code: ended.map(|ended| ended.exit_code),
            stdout,
            stderr,
            stdout_base64,
            stderr_base64,
            next,
            more: self.end() - next,
            missed: begin - from,
            timed_out: ended.is_some_and(|ended| ended.timed_out),
            cancelled: ended.is_some_and(|ended| ended.cancelled),
        }
    }
}

impl Log {
    /// Adds what a stream gave.
    pub(crate) fn add(&self, is_stderr: bool, bytes: &[u8]) {
        lock(&self.inner).add(is_stderr, bytes);
        self.changed.notify_all();
    }

    /// The run has ended.
    pub(crate) fn finish(&self, ended: RunResult) {
        lock(&self.inner).ended = Some(ended);
        self.changed.notify_all();
    }

    /// What came from a place on, `most` bytes of it. Waits for something, if there is nothing and
    /// it has not ended.
    pub(crate) fn since(
        &self,
        since: Option<u64>,
        wait: Duration,
        most: usize,
        canceller: &Canceller,
    ) -> SinceOutput {
        let until = Instant::now() + wait.min(LONGEST_WAIT);
        let mut inner = lock(&self.inner);
        loop {
            let from = since.unwrap_or(inner.read);
            let left = until.saturating_duration_since(Instant::now());
            let is_over = inner.ended.is_some() || canceller.is_cancelled() || left.is_zero();
            if from < inner.end() || is_over {
                return inner.output(from, most);
            }
            let waited = self.changed.wait_timeout(inner, left.min(LOOK));
            inner = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log() -> (Background, Arc<Log>) {
        let background = Background::default();
        let log = background.add("r", Charge::default()).unwrap();
        (background, log)
    }

    fn since(log: &Log, since: Option<u64>, most: usize) -> SinceOutput {
        log.since(since, Duration::ZERO, most, &Canceller::new())
    }

    #[test]
    fn a_reader_goes_on_where_the_last_one_ended() {
        let (_background, log) = log();
        log.add(false, b"one ");
        log.add(true, b"oops ");
        log.add(false, b"two");
        let first = since(&log, None, 6);
        assert_eq!((&*first.stdout, &*first.stderr), ("one ", "oo"));
        assert_eq!((first.next, first.more, first.running), (6, 6, true));
        let second = since(&log, None, 100);
        assert_eq!((&*second.stdout, &*second.stderr), ("two", "ps "));
        assert_eq!(since(&log, None, 100).stdout, "");
        assert_eq!(since(&log, Some(0), 100).stdout, "one two");
        assert_eq!(since(&log, Some(u64::MAX), 100).next, 12);
        log.finish(RunResult::default());
        let last = since(&log, None, 100);
        assert_eq!((last.running, last.exit_code), (false, Some(0)));
    }

    #[test]
    fn only_the_last_of_a_long_log_is_kept() {
        let (_background, log) = log();
        for _ in 0..3 * KEPT / PIECE {
            log.add(false, &[b'x'; PIECE]);
        }
        let output = since(&log, None, usize::MAX);
        assert_eq!(output.stdout.len(), KEPT);
        assert_eq!(output.missed, 2 * KEPT as u64);
        assert_eq!(output.next, 3 * KEPT as u64);
    }

    #[test]
    fn runs_that_go_on_and_runs_that_have_ended_are_bounded() {
        let background = Background::default();
        let add = |name: &str| background.add(name, Charge::default());
        for n in 0..MOST_RUNNING {
            add(&format!("r{n}")).unwrap();
        }
        assert_eq!(add("more").unwrap_err().kind(), Kind::Limit);
        for n in 0..MOST_RUNNING {
            let log = background.find(&format!("r{n}")).unwrap();
            log.finish(RunResult::default());
        }
        assert!(add("r3").is_ok(), "an ended run gives its name away");
        assert!(add("r3").is_err());
        for n in 0..10 {
            add(&format!("s{n}")).unwrap();
        }
        assert!(lock(&background.list).len() <= MOST_RUNNING + MOST_ENDED);
        assert_eq!(background.find("nope").unwrap_err().kind(), Kind::NotFound);
    }

    #[test]
    fn a_reader_waits_for_output_and_no_longer() {
        let (_background, log) = log();
        let began = Instant::now();
        let output = log.since(None, Duration::from_millis(60), 10, &Canceller::new());
        assert!(output.running && began.elapsed() >= Duration::from_millis(60));
        let writer = {
            let log = log.clone();
            std::thread::spawn(move || log.add(false, b"x"))
        };
        let output = log.since(None, Duration::from_secs(50), 10, &Canceller::new());
        writer.join().unwrap();
        assert_eq!(output.stdout, "x");
        let canceller = Canceller::new();
        canceller.cancel();
        assert_eq!(
            log.since(None, Duration::from_secs(50), 10, &canceller)
                .stdout,
            ""
        );
    }
}
