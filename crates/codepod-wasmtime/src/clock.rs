//! The clock: one thread that ends time slices and wakes who waits for a time.
//!
//! While processes run it advances wasmtime's epoch every millisecond; otherwise it sleeps until
//! the next timer. It is also the kernels' [`Host`].

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::task::Waker;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use codepod_abi::wire::Hash;
use codepod_kernel::{Host, TimerKey};
use wasmtime::EngineWeak;

/// How long a process runs before it must let others.
pub(crate) const SLICE: Duration = Duration::from_millis(1);

/// How many slices the clock goes on after the last process: the next one then need not wake it.
const LINGER: u32 = 50;

#[derive(Default)]
struct Timers {
    by_time: BTreeSet<(u64, TimerKey)>,
    by_key: HashMap<TimerKey, (u64, Waker)>,
}

impl Timers {
    fn set(&mut self, key: TimerKey, deadline: u64, waker: &Waker) {
        self.forget(key);
        self.by_time.insert((deadline, key));
        self.by_key.insert(key, (deadline, waker.clone()));
    }

    fn forget(&mut self, key: TimerKey) {
        if let Some((deadline, _)) = self.by_key.remove(&key) {
            self.by_time.remove(&(deadline, key));
        }
    }

    fn next(&self) -> Option<u64> {
        self.by_time.first().map(|(deadline, _)| *deadline)
    }

    fn take_due(&mut self, now: u64) -> Vec<Waker> {
        let mut due = Vec::new();
        while let Some(&(deadline, key)) = self.by_time.first() {
            if deadline > now {
                break;
            }
            self.by_time.pop_first();
            if let Some((_, waker)) = self.by_key.remove(&key) {
                due.push(waker);
            }
        }
        due
    }
}

/// The clock of an engine.
pub(crate) struct Clock {
    start: Instant,
    timers: Mutex<Timers>,
    changed: Condvar,
    /// Processes whose code runs at this moment.
    running: AtomicUsize,
    /// Whether the thread sleeps without ticking.
    asleep: AtomicBool,
    /// How often it has ticked.
    ticks: AtomicU64,
    /// What is done at each tick.
    at_tick: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl Clock {
    /// Starts the thread. It ends by itself when the clock or the engine has gone.
    pub(crate) fn start(engine: EngineWeak) -> std::io::Result<Arc<Clock>> {
        let clock = Arc::new(Clock {
            start: Instant::now(),
            timers: Mutex::default(),
            changed: Condvar::new(),
            running: AtomicUsize::new(0),
            asleep: AtomicBool::new(false),
            ticks: AtomicU64::new(0),
            at_tick: OnceLock::new(),
        });
        let weak = Arc::downgrade(&clock);
        std::thread::Builder::new()
            .name("codepod-clock".into())
            .spawn(move || tick(&weak, &engine))?;
        Ok(clock)
    }

    /// How often it has ticked. It ticks about every millisecond while something runs.
    pub(crate) fn ticks(&self) -> u64 {
        self.ticks.load(Ordering::Relaxed)
    }

    /// Does something at each tick from now on; one thing only.
    pub(crate) fn at_tick(&self, what: impl Fn() + Send + Sync + 'static) {
        let _ = self.at_tick.set(Box::new(what));
    }

    /// Counts a process as running until the guard is dropped.
    pub(crate) fn enter(&self) -> Running<'_> {
        self.running.fetch_add(1, Ordering::SeqCst);
        if self.asleep.load(Ordering::SeqCst) {
            drop(self.lock());
            self.changed.notify_one();
        }
        Running(self)
    }

    fn lock(&self) -> MutexGuard<'_, Timers> {
        self.timers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }
}

/// A process that counts as running.
pub(crate) struct Running<'a>(&'a Clock);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

fn tick(clock: &Weak<Clock>, engine: &EngineWeak) {
    let mut idle = 0;
    loop {
        let Some(clock) = clock.upgrade() else { return };
        let Some(engine) = engine.upgrade() else {
            return;
        };
        let mut timers = clock.lock();
        if clock.running.load(Ordering::SeqCst) > 0 {
            idle = 0;
        } else {
            idle += 1;
        }
        let now = clock.now();
        let until_timer = timers
            .next()
            .map(|at| Duration::from_nanos(at.saturating_sub(now)));
        let wait = if idle < LINGER {
            until_timer.map_or(SLICE, |until| until.min(SLICE))
        } else {
            clock.asleep.store(true, Ordering::SeqCst);
            // A process that came just before `asleep` was set is not missed.
            if clock.running.load(Ordering::SeqCst) > 0 {
                clock.asleep.store(false, Ordering::SeqCst);
                continue;
            }
            until_timer.unwrap_or(Duration::from_secs(1))
        };
        if !wait.is_zero() {
            timers = clock
                .changed
                .wait_timeout(timers, wait)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        if clock.asleep.swap(false, Ordering::SeqCst) && clock.running.load(Ordering::SeqCst) > 0 {
            idle = 0;
        }
        let due = timers.take_due(clock.now());
        drop(timers);
        clock.ticks.fetch_add(1, Ordering::Relaxed);
        engine.increment_epoch();
        if let Some(at_tick) = clock.at_tick.get() {
            at_tick();
        }
        for waker in due {
            waker.wake();
        }
    }
}

impl Host for Clock {
    fn realtime(&self) -> u64 {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_nanos() as u64)
    }

    fn monotonic(&self) -> u64 {
        self.now()
    }

    fn random(&self, buffer: &mut [u8]) {
        if getrandom::fill(buffer).is_err() {
            // Without randomness nothing that relies on it may go on.
            std::process::abort();
        }
    }

    fn wake_at(&self, key: TimerKey, deadline: u64, waker: &Waker) {
        self.lock().set(key, deadline, waker);
        // A clock that ticks looks within a slice; only one that sleeps must be told.
        if self.asleep.load(Ordering::SeqCst) {
            self.changed.notify_one();
        }
    }

    fn forget(&self, key: TimerKey) {
        self.lock().forget(key);
    }

    fn hash_blocks(&self, hash: Hash, state: &mut [u8], blocks: &[u8]) -> bool {
        crate::hash::take_blocks(hash, state, blocks);
        true
    }
}
