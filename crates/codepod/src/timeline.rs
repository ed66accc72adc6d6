//! The timeline of a sandbox: which steps it had, and the states before and after each, so that
//! they can be undone, done again and compared. A step is a run, a change of files by the host that
//! was recorded, or another state that was taken over.
//!
//! A state shares with its neighbours what did not change, so a step costs what it changed. How
//! many steps and how many bytes are kept is bounded ([`UndoLimits`]); the oldest go first.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use codepod_vfs::VfsSnapshot;

use crate::background;
use crate::error::{Error, ErrorKind};
use crate::events::Event;
use crate::moment::Moment;
use crate::result::{CANCELLED, RunResult, RunUsage};
use crate::sandbox::{Sandbox, Snapshot};
use crate::stopwatch::Stopwatch;

/// As much of a command as is kept.
const LONGEST_COMMAND: usize = 4096;

/// How much of the past a sandbox keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct UndoLimits {
    /// Runs that can be undone. 0 keeps nothing.
    pub runs: usize,
    /// Bytes of content that only the past still has.
    pub bytes: u64,
}

impl Default for UndoLimits {
    fn default() -> UndoLimits {
        UndoLimits {
            runs: 100,
            bytes: 64 << 20,
        }
    }
}

/// What a step was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StepKind {
    /// A script or a command.
    Run,
    /// The host changed files; see [`Sandbox::recording`].
    Files,
    /// A fork was adopted or merged.
    State,
}

/// A step that has ended: a run, mostly.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PastRun {
    /// Its number in the sandbox, from 1.
    pub number: u64,
    /// What it was.
    pub kind: StepKind,
    /// What was run, or done to which path (`write notes.txt`); the first 4 KiB of it.
    pub command: String,
    /// How it ended.
    pub exit_code: i32,
    /// How long it took.
    pub execution_time: Duration,
}

/// A run with its states.
#[derive(Debug)]
pub(crate) struct Point {
    pub(crate) run: PastRun,
    pub(crate) before: Snapshot,
    pub(crate) after: Snapshot,
    /// Bytes that only the past keeps because of it.
    held: u64,
}

impl Point {
    fn new(run: PastRun, before: Snapshot, after: Snapshot) -> Point {
        let held = before.held_beside(&after);
        Point {
            run,
            before,
            after,
            held,
        }
    }
}

/// The runs of a sandbox.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// Runs that were begun.
    begun: u64,
    past: VecDeque<Point>,
    /// Runs that were undone, the one to do again first at the end.
    undone: Vec<Point>,
    held: u64,
}

impl Timeline {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many runs were begun.
    pub(crate) fn begun(&self) -> u64 {
        self.lock().begun
    }

    /// The run with a number, if it is still kept.
    pub(crate) fn find<R>(
        &self,
        number: u64,
        use_it: impl FnOnce(&Point) -> R,
    ) -> Result<R, Error> {
        let inner = self.lock();
        let found = inner
            .past
            .iter()
            .chain(&inner.undone)
            .find(|point| point.run.number == number);
        found.map(use_it).ok_or_else(|| {
            ErrorKind::NoSuchRun {
                number,
                oldest: inner.past.front().map(|point| point.run.number),
            }
            .into()
        })
    }
}

impl Inner {
    fn push(&mut self, point: Point, limits: UndoLimits) {
        self.held += point.held;
        let kept = self.past.len();
        if kept == self.past.capacity() {
            // Doubled, but for no more than will ever be there: of many sandboxes this is the
            // largest part.
            let most = limits.runs.saturating_add(1).saturating_sub(kept);
            self.past.reserve_exact(kept.max(4).min(most));
        }
        self.past.push_back(point);
        while self.past.len() > limits.runs || (self.held > limits.bytes && !self.past.is_empty()) {
            if let Some(oldest) = self.past.pop_front() {
                self.held -= oldest.held;
            }
        }
    }

    fn pop(&mut self) -> Option<Point> {
        let point = self.past.pop_back()?;
        self.held -= point.held;
        Some(point)
    }

    /// A number for a step that begins with `before`. What was undone cannot be done again.
    fn begin(&mut self, before: &mut Snapshot) -> u64 {
        self.begun += 1;
        self.undone.clear();
        // What the host changed since the last step is the past's as well.
        if let Some(last) = self.past.back_mut() {
            if last.after.is_same(before) {
                // One state, kept once: most runs change nothing.
                *before = last.after.clone();
            } else {
                let between = last.after.held_beside(before);
                last.held += between;
                self.held += between;
            }
        }
        self.begun
    }
}

/// A run that has begun. Dropped before it ended, it counts as cancelled.
#[derive(Debug)]
pub(crate) struct Mark {
    sandbox: Sandbox,
    number: u64,
    kind: StepKind,
    command: String,
    stopwatch: Stopwatch,
    before: Snapshot,
    /// Whether its end was noted, or is not wanted.
    ended: bool,
    /// Whether it was noted at its start.
    recorded: bool,
    used: RunUsage,
}

impl Mark {
    /// Begins a run: what was undone before cannot be done again.
    pub(crate) fn begin(sandbox: &Sandbox, command: &[u8]) -> Result<Mark, Error> {
        Mark::begin_kind(sandbox, command, StepKind::Run)
    }

    /// Begins a step of a kind.
    pub(crate) fn begin_kind(
        sandbox: &Sandbox,
        command: &[u8],
        kind: StepKind,
    ) -> Result<Mark, Error> {
        let mut before = sandbox.snapshot()?;
        let used = sandbox.used()?;
        let shown = &command[..command.len().min(LONGEST_COMMAND)];
        let number = sandbox.inner.timeline.lock().begin(&mut before);
        let command = String::from_utf8_lossy(shown).into_owned();
        sandbox.tell(|sandbox| Event::RunStarted {
            sandbox,
            run: number,
            command: command.clone(),
        });
        Ok(Mark {
            sandbox: sandbox.clone(),
            number,
            kind,
            command,
            stopwatch: sandbox.stopwatch(),
            before,
            ended: false,
            recorded: false,
            used,
        })
    }

    /// Ends it and puts its number into the result, and with `hints` a line for each limit that was
    /// reached.
    pub(crate) fn finish(mut self, result: &mut RunResult, timeout: Duration, hints: bool) {
        result.run = self.number;
        if let Ok(used) = self.sandbox.used() {
            result.usage = used.since(self.used);
        }
        self.record(result.exit_code);
        let reached = self.sandbox.limits_reached(result);
        self.sandbox.tell_effects(result, &self.before);
        self.sandbox.tell_end(result, &reached, timeout);
        if hints {
            self.sandbox.add_limit_lines(result, &reached, timeout);
        }
    }

    /// The files as they were before it.
    pub(crate) fn files(&self) -> VfsSnapshot {
        self.before.files.clone()
    }

    /// Its number.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Makes it a step that has changed nothing: what it changes from now on goes with the steps
    /// after it. Its end only says how it ended.
    pub(crate) fn record_now(&mut self) {
        self.record(0);
        (self.ended, self.recorded) = (false, true);
    }

    /// Ends it without a result.
    pub(crate) fn end(mut self, exit_code: i32) {
        self.record(exit_code);
    }

    /// Forgets it: nothing was run.
    pub(crate) fn forget(mut self) {
        self.ended = true;
    }

    fn record(&mut self, exit_code: i32) {
        self.ended = true;
        if self.recorded {
            let mut inner = self.sandbox.inner.timeline.lock();
            let mut steps = inner.past.iter_mut();
            if let Some(step) = steps.find(|step| step.run.number == self.number) {
                step.run.exit_code = exit_code;
                step.run.execution_time = self.stopwatch.elapsed();
            }
            return;
        }
        let before = self.before.clone();
        let Ok(after) = self.sandbox.snapshot() else {
            return;
        };
        let after = if before.is_same(&after) {
            before.clone()
        } else {
            after
        };
        let run = PastRun {
            number: self.number,
            kind: self.kind,
            command: std::mem::take(&mut self.command),
            exit_code,
            execution_time: self.stopwatch.elapsed(),
        };
        let point = Point::new(run, before, after);
        let limits = self.sandbox.options().undo;
        self.sandbox.inner.timeline.lock().push(point, limits);
        background::watch(&self.sandbox);
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        if !self.ended {
            self.record(CANCELLED);
        }
    }
}

/// What the host does to files. It is a step if something has changed by its end.
pub(crate) struct FileStep<'a> {
    sandbox: &'a Sandbox,
    before: Snapshot,
    stopwatch: Stopwatch,
}

impl<'a> FileStep<'a> {
    pub(crate) fn begin(sandbox: &'a Sandbox) -> Result<FileStep<'a>, Error> {
        Ok(FileStep {
            sandbox,
            before: sandbox.snapshot()?,
            stopwatch: sandbox.stopwatch(),
        })
    }

    /// Ends it: `command` says what was done. What failed half-way is a step, too.
    pub(crate) fn end(mut self, command: &str, exit_code: i32) {
        let Ok(after) = self.sandbox.snapshot() else {
            return;
        };
        if self.before.is_same(&after) {
            return;
        }
        let mut inner = self.sandbox.inner.timeline.lock();
        let number = inner.begin(&mut self.before);
        let run = PastRun {
            number,
            kind: StepKind::Files,
            command: command[..command.floor_char_boundary(LONGEST_COMMAND)].to_owned(),
            exit_code,
            execution_time: self.stopwatch.elapsed(),
        };
        let point = Point::new(run, self.before, after);
        inner.push(point, self.sandbox.options().undo);
    }
}

impl Sandbox {
    /// The steps that are kept, the oldest first.
    pub fn history(&self) -> Vec<PastRun> {
        let inner = self.inner.timeline.lock();
        inner.past.iter().map(|point| point.run.clone()).collect()
    }

    /// Forgets all steps, with what they kept.
    pub fn clear_history(&self) {
        let mut inner = self.inner.timeline.lock();
        (inner.past, inner.undone, inner.held) = (VecDeque::new(), Vec::new(), 0);
    }

    /// Goes back to before the last `count` steps: files, and the variables of all shells. Returns
    /// the steps that were undone, the last one first. What the host wrote in between without
    /// [`Sandbox::recording`] goes as well. Busy while processes run, unless the host alone has
    /// changed files in these steps: then only those go back.
    pub fn undo(&self, count: usize) -> Result<Vec<PastRun>, Error> {
        let mut inner = self.inner.timeline.lock();
        let have = inner.past.len();
        let wanted = have.checked_sub(count).and_then(|at| inner.past.get(at));
        let Some(target) = wanted.filter(|_| count > 0) else {
            let wanted = count;
            return Err(ErrorKind::NothingToUndo { wanted, have }.into());
        };
        let now = self.snapshot()?;
        let steps = inner.past.range(have - count..);
        match self.restore(&target.before) {
            Err(error)
                if matches!(error.kind(), ErrorKind::Busy { .. })
                    && steps.clone().all(|step| step.run.kind == StepKind::Files) =>
            {
                let changed = match inner.past.back() {
                    Some(last) => self.changes(&target.before, &last.after)?,
                    None => return Err(error),
                };
                let paths = changed.iter().map(|change| change.path.clone());
                self.put_back(Moment::from(&target.before), paths)?;
            }
            restored => restored?,
        }
        // To do a run again is to go to where the next one began, host's writes included.
        let mut after = now;
        let mut undone = Vec::with_capacity(count);
        for _ in 0..count {
            let Some(mut point) = inner.pop() else { break };
            point.after = std::mem::replace(&mut after, point.before.clone());
            undone.push(point.run.clone());
            inner.undone.push(point);
        }
        Ok(undone)
    }

    /// Does again what was undone last, `count` steps of it. Returns them in their order. Not
    /// possible once something has been run or changed since.
    pub fn redo(&self, count: usize) -> Result<Vec<PastRun>, Error> {
        let mut inner = self.inner.timeline.lock();
        let have = inner.undone.len();
        let wanted = have.checked_sub(count).and_then(|at| inner.undone.get(at));
        let (Some(target), Some(next)) = (wanted.filter(|_| count > 0), inner.undone.last()) else {
            let wanted = count;
            return Err(ErrorKind::NothingToRedo { wanted, have }.into());
        };
        if !self.snapshot()?.is_same(&next.before) {
            return Err(ErrorKind::Changed.into());
        }
        self.restore(&target.after)?;
        let limits = self.options().undo;
        let mut redone = Vec::with_capacity(count);
        for _ in 0..count {
            let Some(point) = inner.undone.pop() else {
                break;
            };
            redone.push(point.run.clone());
            inner.push(point, limits);
        }
        Ok(redone)
    }
}
