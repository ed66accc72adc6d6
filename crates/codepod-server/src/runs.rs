//! The runs of a tenant that go on, by sandbox and name: to cancel them and to give them input.
//!
//! The handler of a run enters it. A connection that answers requests in parallel announces a run
//! before that, while it reads: the next message may be about it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use codepod::{Canceller, PipeWriter};
use codepod_api::{ApiError, Kind};

use crate::failure::not_found;
use crate::lock::lock;
use crate::names::check_name;

/// Runs of a sandbox at a time.
const MOST_RUNS: usize = 256;

/// The runs of a tenant.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    by_sandbox: Mutex<HashMap<String, HashMap<String, Run>>>,
    /// A run was entered or has ended.
    changed: Condvar,
    /// For the names of those that clients give none.
    next: AtomicU64,
}

#[derive(Debug)]
struct Run {
    canceller: Canceller,
    stdin: Stdin,
}

/// What a run reads.
#[derive(Debug, Clone)]
enum Stdin {
    /// It was announced, and its handler has not begun.
    NotYet,
    /// What it was started with.
    Given,
    /// What clients send, until one of them ends it.
    Sent(Arc<Mutex<Option<PipeWriter>>>),
}

impl Runs {
    /// Makes a run known that is on its way to its handler, until the guard is dropped.
    pub(crate) fn announce(
        self: &Arc<Runs>,
        sandbox: &str,
        name: &str,
        canceller: &Canceller,
    ) -> Result<Entered, ApiError> {
        self.add(sandbox, name.to_owned(), canceller, Stdin::NotYet)
    }

    /// Makes a run known until the guard is dropped, by its name if it has one.
    pub(crate) fn enter(
        self: &Arc<Runs>,
        sandbox: &str,
        name: Option<&str>,
        canceller: &Canceller,
        stdin: Option<PipeWriter>,
    ) -> Result<Entered, ApiError> {
        let stdin = match stdin {
            None => Stdin::Given,
            Some(stdin) => Stdin::Sent(Arc::new(Mutex::new(Some(stdin)))),
        };
        let name = match name {
            Some(name) => name.to_owned(),
            // No client can give such a name.
            None => format!("\0{}", self.next.fetch_add(1, Ordering::Relaxed)),
        };
        self.add(sandbox, name, canceller, stdin)
    }

    fn add(
        self: &Arc<Runs>,
        sandbox: &str,
        name: String,
        canceller: &Canceller,
        stdin: Stdin,
    ) -> Result<Entered, ApiError> {
        if !name.starts_with('\0') {
            check_name(&name)?;
        }
        let mut by_sandbox = lock(&self.by_sandbox);
        let runs = by_sandbox.entry(sandbox.to_owned()).or_default();
        let is_full = runs.len() >= MOST_RUNS;
        match runs.get_mut(&name) {
            Some(run) if run.canceller == *canceller && matches!(run.stdin, Stdin::NotYet) => {
                run.stdin = stdin;
            }
            Some(_) => {
                let message = format!("there is a run `{name}` already");
                let error = ApiError::new(Kind::InvalidParams, message);
                return Err(error.hint("give every run a name of its own"));
            }
            None if is_full => {
                let message = format!("{MOST_RUNS} runs go on in this sandbox");
                return Err(ApiError::new(Kind::Limit, message));
            }
            None => {
                let canceller = canceller.clone();
                runs.insert(name.clone(), Run { canceller, stdin });
            }
        }
        drop(by_sandbox);
        self.changed.notify_all();
        Ok(Entered {
            runs: self.clone(),
            sandbox: sandbox.to_owned(),
            name,
            canceller: canceller.clone(),
        })
    }

    /// Whether nothing runs in a sandbox, or is on its way to.
    pub(crate) fn is_quiet(&self, sandbox: &str) -> bool {
        !lock(&self.by_sandbox).contains_key(sandbox)
    }

    /// Cancels a run.
    pub(crate) fn cancel(&self, sandbox: &str, name: &str) -> Result<(), ApiError> {
        let by_sandbox = lock(&self.by_sandbox);
        let run = by_sandbox.get(sandbox).and_then(|runs| runs.get(name));
        run.ok_or_else(|| not_found("run"))?.canceller.cancel();
        Ok(())
    }

    /// Cancels all runs of a sandbox.
    pub(crate) fn cancel_all(&self, sandbox: &str) {
        let by_sandbox = lock(&self.by_sandbox);
        for run in by_sandbox.get(sandbox).into_iter().flatten() {
            run.1.canceller.cancel();
        }
    }

    /// Gives a run more to read; `end` says that this was all. Waits until the run has taken it.
    pub(crate) fn write(
        &self,
        sandbox: &str,
        name: &str,
        bytes: &[u8],
        end: bool,
    ) -> Result<(), ApiError> {
        let stdin = self.stdin(sandbox, name)?;
        let mut stdin = lock(&stdin);
        if let Some(writer) = stdin.as_mut() {
            writer
                .write_all_blocking(bytes)
                .map_err(crate::failure::failure)?;
        }
        if end {
            stdin.take();
        }
        Ok(())
    }

    /// What a run reads, when its handler has begun.
    fn stdin(&self, sandbox: &str, name: &str) -> Result<Arc<Mutex<Option<PipeWriter>>>, ApiError> {
        let mut by_sandbox = lock(&self.by_sandbox);
        loop {
            let run = by_sandbox.get(sandbox).and_then(|runs| runs.get(name));
            match &run.ok_or_else(|| not_found("run"))?.stdin {
                Stdin::Sent(stdin) => return Ok(stdin.clone()),
                Stdin::Given => {
                    let message = format!("the run `{name}` takes no more input");
                    let error = ApiError::new(Kind::InvalidParams, message);
                    return Err(error.hint("start it with `interactive: true`"));
                }
                Stdin::NotYet => {}
            }
            by_sandbox = self
                .changed
                .wait(by_sandbox)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A run that can be named; dropped, it cannot any more.
pub(crate) struct Entered {
    runs: Arc<Runs>,
    sandbox: String,
    name: String,
    canceller: Canceller,
}

impl Drop for Entered {
    fn drop(&mut self) {
        let mut by_sandbox = lock(&self.runs.by_sandbox);
        if let Some(runs) = by_sandbox.get_mut(&self.sandbox) {
            // One that was announced and entered is gone with the first guard, and its name may be
            // another's by now.
            let is_own = |run: &Run| run.canceller == self.canceller;
            if runs.get(&self.name).is_some_and(is_own) {
                runs.remove(&self.name);
            }
            if runs.is_empty() {
                by_sandbox.remove(&self.sandbox);
            }
        }
        drop(by_sandbox);
        self.runs.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_run_is_announced_entered_and_gone() {
        let (runs, canceller) = (Arc::new(Runs::default()), Canceller::new());
        let announced = runs.announce("sb", "r", &canceller).unwrap();
        assert!(!runs.is_quiet("sb"));
        // Another run cannot have the name, before and after it has begun.
        assert!(runs.announce("sb", "r", &Canceller::new()).is_err());
        assert!(
            runs.enter("sb", Some("r"), &Canceller::new(), None)
                .is_err()
        );
        let entered = runs.enter("sb", Some("r"), &canceller, None).unwrap();
        assert!(runs.enter("sb", Some("r"), &canceller, None).is_err());
        drop(entered);
        assert!(runs.is_quiet("sb"));
        // The name is free, and what was announced for the first run ends nothing of the second.
        let second = runs
            .enter("sb", Some("r"), &Canceller::new(), None)
            .unwrap();
        drop(announced);
        assert!(runs.cancel("sb", "r").is_ok());
        drop(second);
        assert!(runs.cancel("sb", "r").is_err());
    }

    #[test]
    fn input_waits_for_a_run_that_was_announced() {
        let (runs, canceller) = (Arc::new(Runs::default()), Canceller::new());
        let announced = runs.announce("sb", "r", &canceller).unwrap();
        let writing = {
            let runs = runs.clone();
            thread::spawn(move || runs.write("sb", "r", b"x", false))
        };
        thread::sleep(Duration::from_millis(20));
        assert!(!writing.is_finished());
        let entered = runs.enter("sb", Some("r"), &canceller, None).unwrap();
        let refused = writing.join().unwrap().unwrap_err();
        assert!(refused.message.contains("no more input"), "{refused}");
        drop((entered, announced));

        let announced = runs.announce("sb", "r", &canceller).unwrap();
        let writing = {
            let runs = runs.clone();
            thread::spawn(move || runs.write("sb", "r", b"x", false))
        };
        drop(announced);
        assert_eq!(writing.join().unwrap().unwrap_err().kind(), Kind::NotFound);
    }

    #[test]
    fn a_sandbox_has_a_limit_of_runs() {
        let runs = Arc::new(Runs::default());
        let enter = |sandbox| runs.enter(sandbox, None, &Canceller::new(), None);
        let entered: Vec<_> = (0..MOST_RUNS).map(|_| enter("sb").unwrap()).collect();
        assert_eq!(enter("sb").map(drop).unwrap_err().kind(), Kind::Limit);
        assert!(enter("other").is_ok());
        drop(entered);
        assert!(enter("sb").is_ok());
    }
}
