//! A sandbox that a server holds, with what clients can name of it.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use codepod::{Canceller, Charge, Charged, PipeWriter, Preview, RunResult, Sandbox, Snapshot};
use codepod_api::methods::sandbox::SandboxInfo;
use codepod_api::{ApiError, Kind};

use crate::background::Background;
use crate::failure::not_found;
use crate::ids;
use crate::lock::lock;
use crate::names::check_name;
use crate::runs::Entered;
use crate::tenant::{Place, Tenant};

/// Previews that wait for a decision.
const MOST_PREVIEWS: usize = 16;
/// Answers that are kept for a second call with the same key. With what is kept of each they take
/// 16 MiB at most.
const MOST_ANSWERS: usize = 128;
/// Bytes of each output stream that are kept in such an answer; the whole of a longer one is in
/// `/proc/runs` as long as the sandbox keeps it.
const KEPT_OUTPUT: usize = 48 << 10;
/// Processes that such an answer tells of.
const KEPT_PROCESSES: usize = 64;
/// Shells of a sandbox.
const MOST_SHELLS: usize = 64;

/// A sandbox that a server holds.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) info: SandboxInfo,
    pub(crate) tenant: Arc<Tenant>,
    pub(crate) sandbox: Sandbox,
    /// Runs that go on after the call that started them.
    pub(crate) background: Background,
    /// Shells that were made and have not run anything yet.
    pub(crate) new_shells: Mutex<Vec<String>>,
    snapshots: Mutex<Snapshots>,
    previews: Mutex<HashMap<String, Preview>>,
    /// Whether it was destroyed: nothing runs any more.
    gone: AtomicBool,
    answers: Mutex<Answers>,
    answered: Condvar,
    used: AtomicU64,
    pub(crate) place: Arc<Place>,
}

#[derive(Debug, Default)]
struct Snapshots {
    /// By age.
    list: Vec<(String, Snapshot)>,
    /// Bytes that only they hold.
    bytes: u64,
}

/// Results by idempotency key; `None` while the first call runs.
#[derive(Debug, Default)]
struct Answers {
    by_key: BTreeMap<String, Option<Charged<Result<RunResult, ApiError>>>>,
    order: VecDeque<String>,
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}

impl Held {
    pub(crate) fn new(
        sandbox: Sandbox,
        tenant: &Arc<Tenant>,
        place: Place,
        parent: Option<String>,
        namespace: Option<String>,
    ) -> Result<Held, ApiError> {
        let info = SandboxInfo {
            sandbox_id: ids::random("sb")?,
            created_ms: now_ms(),
            parent,
            namespace,
        };
        Ok(Held::woken(sandbox, info, tenant, Arc::new(place)))
    }

    /// A sandbox that was asleep, under its old name.
    pub(crate) fn woken(
        sandbox: Sandbox,
        info: SandboxInfo,
        tenant: &Arc<Tenant>,
        place: Arc<Place>,
    ) -> Held {
        Held {
            info,
            tenant: tenant.clone(),
            sandbox,
            background: Background::default(),
            new_shells: Mutex::default(),
            snapshots: Mutex::default(),
            previews: Mutex::default(),
            gone: AtomicBool::new(false),
            answers: Mutex::default(),
            answered: Condvar::new(),
            used: AtomicU64::new(now_ms()),
            place,
        }
    }

    /// Whether nothing of it would be lost if only its state were kept: no process, snapshot or
    /// preview. What can be undone is.
    pub(crate) fn can_sleep(&self) -> bool {
        let quiet = self.sandbox.jobs().is_ok_and(|jobs| jobs.is_empty());
        quiet
            && self.tenant.runs.is_quiet(&self.info.sandbox_id)
            && lock(&self.snapshots).list.is_empty()
            && lock(&self.previews).is_empty()
    }

    /// Notes that somebody uses it.
    pub(crate) fn touch(&self) {
        self.used.store(now_ms(), Ordering::Relaxed);
    }

    /// When it was used last, in milliseconds since 1970.
    pub(crate) fn used_ms(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Keeps a snapshot.
    pub(crate) fn add_snapshot(&self, snapshot: Snapshot) -> Result<String, ApiError> {
        let mut snapshots = lock(&self.snapshots);
        let quota = &self.tenant.quota;
        if snapshots.list.len() >= quota.snapshots {
            let message = format!("there may be {} snapshots", quota.snapshots);
            return Err(
                ApiError::new(Kind::Limit, message).hint("remove one with `snapshot.remove`")
            );
        }
        let held = match snapshots.list.last() {
            Some((_, last)) => last.held_beside(&snapshot),
            None => 0,
        };
        if snapshots.bytes.saturating_add(held) > quota.snapshot_bytes {
            let message = format!("snapshots may hold {} bytes", quota.snapshot_bytes);
            return Err(
                ApiError::new(Kind::Limit, message).hint("remove one with `snapshot.remove`")
            );
        }
        let id = ids::random("sn")?;
        snapshots.bytes += held;
        snapshots.list.push((id.clone(), snapshot));
        Ok(id)
    }

    /// A snapshot by its id.
    pub(crate) fn snapshot(&self, id: &str) -> Result<Snapshot, ApiError> {
        let snapshots = lock(&self.snapshots);
        let found = snapshots.list.iter().find(|(other, _)| other == id);
        found
            .map(|(_, snapshot)| snapshot.clone())
            .ok_or_else(|| not_found("snapshot"))
    }

    /// The ids of all snapshots, by age.
    pub(crate) fn snapshot_ids(&self) -> Vec<String> {
        let snapshots = lock(&self.snapshots);
        snapshots.list.iter().map(|(id, _)| id.clone()).collect()
    }

    /// Forgets a snapshot.
    pub(crate) fn remove_snapshot(&self, id: &str) -> Result<(), ApiError> {
        let mut snapshots = lock(&self.snapshots);
        let at = snapshots.list.iter().position(|(other, _)| other == id);
        let (_, gone) = snapshots
            .list
            .remove(at.ok_or_else(|| not_found("snapshot"))?);
        // What is left holds what it holds: counted anew, because it may share with more than its
        // neighbours.
        let pairs = snapshots.list.windows(2);
        snapshots.bytes = pairs.map(|pair| pair[0].1.held_beside(&pair[1].1)).sum();
        drop(snapshots);
        drop(gone);
        Ok(())
    }

    /// Keeps a preview for a decision.
    pub(crate) fn add_preview(&self, preview: Preview) -> Result<String, ApiError> {
        let id = ids::random("pv")?;
        let mut previews = lock(&self.previews);
        if previews.len() >= MOST_PREVIEWS {
            let message = format!("{MOST_PREVIEWS} previews wait for a decision");
            return Err(ApiError::new(Kind::Limit, message).hint("commit or drop some of them"));
        }
        previews.insert(id.clone(), preview);
        Ok(id)
    }

    /// Takes a preview: it is decided on.
    pub(crate) fn take_preview(&self, id: &str) -> Result<Preview, ApiError> {
        lock(&self.previews)
            .remove(id)
            .ok_or_else(|| not_found("preview"))
    }

    /// Makes a run known until the guard is dropped, by its name if it has one.
    pub(crate) fn enter_run(
        &self,
        name: Option<&str>,
        canceller: &Canceller,
        stdin: Option<PipeWriter>,
    ) -> Result<Entered, ApiError> {
        let runs = &self.tenant.runs;
        let entered = runs.enter(&self.info.sandbox_id, name, canceller, stdin)?;
        // Looked at afterwards: what is entered before the end is cancelled by it.
        if self.gone.load(Ordering::SeqCst) {
            return Err(not_found("sandbox"));
        }
        Ok(entered)
    }

    /// Ends everything that runs; nothing begins any more.
    pub(crate) fn end(&self) {
        self.gone.store(true, Ordering::SeqCst);
        self.tenant.runs.cancel_all(&self.info.sandbox_id);
    }

    /// Runs something once for a key: another call with the same key waits for the first and gets
    /// its answer.
    pub(crate) fn once(
        &self,
        key: &str,
        run: impl FnOnce() -> Result<RunResult, ApiError>,
    ) -> Result<RunResult, ApiError> {
        check_name(key)?;
        let mut answers = lock(&self.answers);
        loop {
            match answers.by_key.get(key) {
                Some(Some(answer)) => return (**answer).clone(),
                Some(None) => {
                    answers = self
                        .answered
                        .wait(answers)
                        .unwrap_or_else(PoisonError::into_inner);
                }
                None => break,
            }
        }
        answers.by_key.insert(key.to_owned(), None);
        drop(answers);
        let mut mark = Attempt {
            held: self,
            key,
            answer: None,
        };
        let answer = run();
        mark.answer = Some(match &answer {
            Ok(result) => self.kept(result),
            Err(error) => Charged::new(Err(error.clone()), Charge::default()),
        });
        answer
    }

    /// As much of a result as is kept for a second call. Without memory for it, that call learns as
    /// much, and nothing runs twice.
    fn kept(&self, result: &RunResult) -> Charged<Result<RunResult, ApiError>> {
        let kept = self.cut(result);
        let bytes = kept.as_ref().map_or(0, size);
        match self.sandbox.budget().memory(bytes) {
            Some(charge) => Charged::new(kept, charge),
            None => {
                let message = "the run has ended, and there was no memory to keep its answer";
                Charged::new(Err(ApiError::new(Kind::Limit, message)), Charge::default())
            }
        }
    }

    fn cut(&self, result: &RunResult) -> Result<RunResult, ApiError> {
        let mut kept = result.clone();
        let cut = self.sandbox.cut_output(&mut kept, KEPT_OUTPUT);
        cut.map_err(crate::failure::failure)?;
        kept.command = String::new();
        kept.processes.truncate(KEPT_PROCESSES);
        Ok(kept)
    }

    /// Makes sure that there is room for another shell, and that its name is one.
    pub(crate) fn check_shell(&self, name: &str) -> Result<(), ApiError> {
        if name.is_empty() {
            return Ok(());
        }
        check_name(name)?;
        let known = self.sandbox.shells();
        if known.len() >= MOST_SHELLS && !known.iter().any(|other| other == name) {
            let message = format!("a sandbox has at most {MOST_SHELLS} shells");
            return Err(ApiError::new(Kind::Limit, message).hint("close one with `shell.close`"));
        }
        Ok(())
    }
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
    held: &'a Held,
    key: &'a str,
    answer: Option<Charged<Result<RunResult, ApiError>>>,
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        let mut answers = lock(&self.held.answers);
        match self.answer.take() {
            Some(answer) => {
                answers.by_key.insert(self.key.to_owned(), Some(answer));
                answers.order.push_back(self.key.to_owned());
                if answers.order.len() > MOST_ANSWERS
                    && let Some(oldest) = answers.order.pop_front()
                {
                    answers.by_key.remove(&oldest);
                }
            }
            None => {
                answers.by_key.remove(self.key);
            }
        }
        drop(answers);
        self.held.answered.notify_all();
    }
}
