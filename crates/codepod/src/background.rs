//! Processes in the background have limits of their own: how long they may go on after their run,
//! and how much processor time they may use together.
//!
//! One thread looks after all sandboxes of this host process that have some. It looks at a sandbox
//! when a limit can have been reached, not before, and never waits for one: a sandbox whose kernel
//! is in use is looked at again a little later. Times are those of the sandbox's host, in
//! nanoseconds.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use codepod_kernel::{Family, Host, Kernel, SharedKernel};

use crate::events::Event;
use crate::options::Options;
use crate::sandbox::Sandbox;

/// How soon a sandbox is looked at again whose kernel is in use.
const AGAIN: Duration = Duration::from_millis(10);
/// Nobody is looked at more often for the sake of processor time.
const SHORTEST: Duration = Duration::from_millis(20);
/// As good as never.
const NEVER: Duration = Duration::from_secs(24 * 3600);

/// What processes may use that go on after the run that started them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackgroundLimits {
    /// How long they may go on after their run. A process that ends and starts itself anew grows
    /// no younger.
    pub age: Duration,
    /// Processor time of all of them together within each `age`. Those that live count from their
    /// start.
    pub cpu: Duration,
}

impl Default for BackgroundLimits {
    fn default() -> BackgroundLimits {
        BackgroundLimits {
            age: Duration::from_secs(3600),
            cpu: Duration::from_secs(3600),
        }
    }
}

/// A sandbox that has processes in the background, or had some within the last `age`.
struct Watched {
    id: u64,
    /// Not the sandbox itself: who drops that last saves it.
    kernel: Weak<SharedKernel>,
    options: Arc<Options>,
    host: Arc<dyn Host>,
    /// When to look at it next.
    due: u64,
    /// Since when each family is in the background.
    since: HashMap<Family, u64>,
    /// Since when processor time is counted.
    counted: u64,
}

impl Watched {
    fn new(sandbox: &Sandbox) -> Watched {
        let host = sandbox.inner.runtime.engine().host();
        let now = host.monotonic();
        Watched {
            id: sandbox.inner.id,
            kernel: Arc::downgrade(sandbox.inner.kernel.shared()),
            options: sandbox.inner.options.clone(),
            due: after(now, NEVER).unwrap_or(now),
            since: HashMap::new(),
            counted: now,
            host,
        }
    }

    /// Ends what has been in the background for too long, or all of it if that has used too much,
    /// and says when to look next: `None` if there is nothing to look at any more.
    fn look(&mut self, kernel: &mut Kernel) -> Option<u64> {
        let now = self.host.monotonic();
        let limits = self.options.background;
        let is_past = |since, age| after(since, age).is_some_and(|end| end <= now);
        let families = kernel.background();
        self.since.retain(|family, _| families.contains(family));
        for family in &families {
            self.since.entry(*family).or_insert(now);
        }
        if is_past(self.counted, limits.age) {
            self.counted = now;
            kernel.forget_background_cpu();
        }
        let used = Duration::from_nanos(kernel.background_cpu_ns());
        let counted_until = after(self.counted, limits.age);
        if families.is_empty() {
            let counts = !used.is_zero();
            return counted_until.filter(|_| counts);
        }
        let left = limits.cpu.saturating_sub(used);
        let is_over = |since: &u64| left.is_zero() || is_past(*since, limits.age);
        let mut ended = false;
        for (family, since) in &self.since {
            if is_over(since) {
                ended |= kernel.kill_family(*family);
            }
        }
        if ended && let Some(tell) = &self.options.events {
            tell(&Event::BackgroundEnded { sandbox: self.id });
        }
        // A process uses one processor at most.
        let processes = u32::try_from(kernel.limits().processes.max(1)).unwrap_or(u32::MAX);
        let spent = after(now, (left / processes).max(SHORTEST));
        let old = self.since.values().filter(|since| !is_over(since));
        let old = old.filter_map(|since| after(*since, limits.age));
        let next = old.chain(spent).chain(counted_until).min();
        next.or(after(now, NEVER))
    }

    /// How long it need not be looked at.
    fn wait(&self) -> Duration {
        Duration::from_nanos(self.due.saturating_sub(self.host.monotonic()))
    }
}

/// A time that is so much later, if there is one.
fn after(time: u64, wait: Duration) -> Option<u64> {
    time.checked_add(u64::try_from(wait.as_nanos()).ok()?)
}

/// Who is looked at, by the address of its kernel: that is its own as long as somebody remembers
/// it.
#[derive(Default)]
struct Watch {
    list: Mutex<HashMap<usize, Watched>>,
    changed: Condvar,
}

impl Watch {
    fn list(&self) -> MutexGuard<'_, HashMap<usize, Watched>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Has the processes looked after that a run has left, if it has left some.
pub(crate) fn watch(sandbox: &Sandbox) {
    static WATCH: OnceLock<Arc<Watch>> = OnceLock::new();
    let Ok(mut kernel) = sandbox.kernel() else {
        return;
    };
    if kernel.process_count() == 0 || kernel.background().is_empty() {
        return;
    }
    let watch = WATCH.get_or_init(|| {
        let watch = Arc::new(Watch::default());
        let of_thread = watch.clone();
        // Without a thread they are looked at after each run only.
        let _ = std::thread::Builder::new()
            .name("codepod-background".into())
            .spawn(move || run(&of_thread));
        watch
    });
    let mut list = watch.list();
    let watched = list
        .entry(Arc::as_ptr(sandbox.inner.kernel.shared()).addr())
        .or_insert_with(|| Watched::new(sandbox));
    // With nothing to look at it is due at once, and forgotten.
    let due = watched.look(&mut kernel).unwrap_or_default();
    let is_sooner = due < watched.due;
    watched.due = due;
    if is_sooner {
        watch.changed.notify_one();
    }
}

fn run(watch: &Watch) {
    let mut list = watch.list();
    loop {
        // Who drops a kernel last frees it: not while others wait for the list.
        let mut held = Vec::new();
        list.retain(|_, watched| {
            if watched.wait().is_zero() {
                let Some(kernel) = watched.kernel.upgrade() else {
                    return false;
                };
                let due = match kernel.try_lock() {
                    Some(Ok(mut kernel)) => watched.look(&mut kernel),
                    Some(Err(_)) => None,
                    None => after(watched.host.monotonic(), AGAIN),
                };
                held.push(kernel);
                let Some(due) = due else {
                    return false;
                };
                watched.due = due;
            }
            true
        });
        drop(list);
        drop(held);
        list = watch.list();
        // Who came meanwhile may be due sooner.
        let soonest = list.values().map(Watched::wait).min();
        let wait = soonest.map_or(NEVER, |soonest| soonest.min(NEVER));
        let waited = watch.changed.wait_timeout(list, wait);
        list = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
}
