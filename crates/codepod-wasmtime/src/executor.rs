//! The executor: threads that run processes other than the one its caller drives, in the order of
//! [`Turns`].
//!
//! A process gives its thread back after a time slice. What it has the host do ([`in_host`]) may
//! take longer, when a disk is slow, and so may one instruction of its own: filling 200 MB takes
//! half a second where memory is slow to come. Then another thread takes the place of the one that
//! is held up, so that as many as there are cores go on for everybody else. Since the engine's
//! threads never wait for a kernel's lock, a sandbox holds up one thread at most by calls; by
//! instructions a share holds up as many as there are cores, and gets no turn meanwhile. A thread
//! that the system does not let run for a moment is not held up: one more would only make it later.

use std::cell::RefCell;
use std::future::Future;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_task::Runnable;

use crate::clock::Clock;
use crate::fair_queue::{Lane, Share, Turns};

/// After so many ticks of the clock in the host a thread counts as held up: most calls take a
/// microsecond.
const HELD_UP: u64 = 5;

/// After so many ticks of the clock in one turn it counts as held up, too: a turn takes two.
const LONG_TURN: u64 = 20;

/// The most threads, those that are held up included.
const MOST_THREADS: usize = 512;

/// Threads and what they run. The threads end when this is dropped.
pub(crate) struct Executor {
    shared: Arc<Shared>,
    /// For what belongs to no sandbox.
    of_host: Lane,
}

pub(crate) struct Shared {
    state: Mutex<State>,
    /// Told when there is work for a thread that waits.
    work: Condvar,
    /// How many threads are to go on.
    threads: usize,
    /// Ticks while a thread has something to do, and looks after the threads then.
    clock: Arc<Clock>,
}

struct State {
    turns: Turns<Runnable>,
    workers: Vec<Arc<Worker>>,
    /// Threads that wait for work.
    idle: usize,
    is_closed: bool,
}

/// A thread.
struct Worker {
    /// The clock's tick at which it began to do something in the host, plus one; 0 while it does
    /// not.
    in_host: AtomicU64,
    /// The clock's tick at which its turn began, plus one, and whose turn that is.
    turn: AtomicU64,
    share: AtomicU64,
    clock: Arc<Clock>,
}

impl Worker {
    /// Whether its turn takes too long at this tick of the clock, and not by a call: a slow disk
    /// must not take the turns of a tenant's other sandboxes.
    fn has_long_turn(&self, now: u64) -> bool {
        self.in_host.load(Ordering::Relaxed) == 0 && is_longer(&self.turn, LONG_TURN, now)
    }

    fn is_held_up(&self, now: u64) -> bool {
        is_longer(&self.in_host, HELD_UP, now) || self.has_long_turn(now)
    }
}

/// Whether what began at a tick, plus one, has taken so many ticks.
fn is_longer(since: &AtomicU64, ticks: u64, now: u64) -> bool {
    let since = since.load(Ordering::Relaxed);
    since != 0 && now.saturating_sub(since) >= ticks
}

thread_local! {
    static OWN: RefCell<Option<Arc<Worker>>> = const { RefCell::new(None) };
}

/// Does something in the host that may take long. On a thread of the engine's another one takes its
/// place then.
pub(crate) fn in_host<R>(work: impl FnOnce() -> R) -> R {
    struct Back;

    impl Drop for Back {
        fn drop(&mut self) {
            note(|_| 0);
        }
    }

    note(|worker| worker.clock.ticks() + 1);
    let _back = Back;
    work()
}

fn note(since: impl FnOnce(&Worker) -> u64) {
    OWN.with_borrow(|own| {
        if let Some(worker) = own {
            worker.in_host.store(since(worker), Ordering::Relaxed);
        }
    });
}

/// The processor time that this thread has used. Not what passed on the wall: the system may let
/// others run for longer than a turn takes, and who had the turn would wait as long for his next.
#[cfg(unix)]
fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

#[cfg(not(unix))]
fn thread_time() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}

impl Executor {
    pub(crate) fn start(threads: usize, clock: &Arc<Clock>) -> io::Result<Executor> {
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                turns: Turns::default(),
                workers: Vec::new(),
                idle: 0,
                is_closed: false,
            }),
            work: Condvar::new(),
            threads,
            clock: clock.clone(),
        });
        // Weak, because the clock must not keep its threads.
        let looked_after = Arc::downgrade(&shared);
        clock.at_tick(move || {
            if let Some(shared) = looked_after.upgrade() {
                shared.look_after_threads();
            }
        });
        let executor = Executor {
            shared,
            of_host: Share::default().lane(),
        };
        for _ in 0..threads {
            executor.shared.add_thread(&mut executor.shared.lock())?;
        }
        Ok(executor)
    }

    /// Runs a future on the threads, on a sandbox's turns.
    pub(crate) fn spawn(&self, lane: &Lane, future: impl Future<Output = ()> + Send + 'static) {
        self.task(lane, future).schedule();
    }

    /// Runs a future as [`Self::spawn`] does, but begins on the current thread, until the future
    /// ends or has to wait.
    pub(crate) fn begin_here(
        &self,
        lane: &Lane,
        future: impl Future<Output = ()> + Send + 'static,
    ) {
        self.task(lane, future).run();
    }

    fn task(&self, lane: &Lane, future: impl Future<Output = ()> + Send + 'static) -> Runnable {
        // The queue must not keep itself alive by what waits in it.
        let shared = Arc::downgrade(&self.shared);
        let lane = lane.clone();
        let schedule = move |runnable| {
            if let Some(shared) = shared.upgrade() {
                shared.push(&lane, runnable);
            }
        };
        let (runnable, task) = async_task::spawn(future, schedule);
        task.detach();
        runnable
    }

    /// Runs a future of the host's own on the threads.
    pub(crate) fn spawn_of_host(&self, future: impl Future<Output = ()> + Send + 'static) {
        self.spawn(&self.of_host, future);
    }
}

impl Drop for Executor {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.is_closed = true;
        let turns = std::mem::take(&mut state.turns);
        drop(state);
        self.shared.work.notify_all();
        // Outside of the lock: what ends may wake others.
        drop(turns);
    }
}

impl Shared {
    fn push(self: &Arc<Self>, lane: &Lane, runnable: Runnable) {
        let mut state = self.lock();
        if state.is_closed {
            drop(state);
            drop(runnable);
            return;
        }
        state.turns.push(lane, runnable);
        let is_idle = state.idle > 0;
        drop(state);
        if is_idle {
            self.work.notify_one();
        }
    }

    /// Puts threads in the place of those that are held up, if there is work for them. Called about
    /// every millisecond while something runs.
    pub(crate) fn look_after_threads(self: &Arc<Self>) {
        let mut state = self.lock();
        if state.is_closed || !self.has_turn(&state) {
            return;
        }
        if state.idle > 0 {
            // It may have been told of work that it was not to do then.
            self.work.notify_one();
            return;
        }
        let going_on = state.workers.len() - self.held_up(&state);
        if going_on < self.threads && state.workers.len() < MOST_THREADS {
            // A system that has no more threads for us may have some later.
            let _ = self.add_thread(&mut state);
        }
    }

    fn held_up(&self, state: &State) -> usize {
        let now = self.clock.ticks();
        let workers = state.workers.iter();
        workers.filter(|worker| worker.is_held_up(now)).count()
    }

    /// Whether a share does not hold up all the threads that it may.
    fn may_run(&self, workers: &[Arc<Worker>], share: u64) -> bool {
        let now = self.clock.ticks();
        let holds_up = |worker: &&Arc<Worker>| {
            worker.share.load(Ordering::Relaxed) == share && worker.has_long_turn(now)
        };
        workers.iter().filter(holds_up).count() < self.threads
    }

    fn has_turn(&self, state: &State) -> bool {
        let mut shares = state.turns.shares();
        shares.any(|share| self.may_run(&state.workers, share))
    }

    fn add_thread(self: &Arc<Self>, state: &mut State) -> io::Result<()> {
        let worker = Arc::new(Worker {
            in_host: AtomicU64::new(0),
            turn: AtomicU64::new(0),
            share: AtomicU64::new(0),
            clock: self.clock.clone(),
        });
        let (shared, own) = (self.clone(), worker.clone());
        std::thread::Builder::new()
            .name(format!("codepod-{}", state.workers.len()))
            .spawn(move || shared.work(&own))?;
        state.workers.push(worker);
        Ok(())
    }

    /// What a thread does until the executor is dropped, or there are enough threads without it.
    fn work(self: &Arc<Self>, own: &Arc<Worker>) {
        OWN.set(Some(own.clone()));
        let mut used = thread_time();
        let mut state = self.lock();
        loop {
            if state.is_closed || state.workers.len() - self.held_up(&state) > self.threads {
                state.workers.retain(|worker| !Arc::ptr_eq(worker, own));
                // It may have been told of work that it leaves to another.
                self.work.notify_one();
                return;
            }
            let State { turns, workers, .. } = &mut *state;
            let Some(turn) = turns.take(|share| self.may_run(workers, share)) else {
                state.idle += 1;
                state = self
                    .work
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
                continue;
            };
            drop(state);
            let (runnable, lane) = turn.split();
            // A task that panics must not take the others' thread with it.
            let running = self.clock.enter();
            own.share.store(lane.share(), Ordering::Relaxed);
            own.turn.store(self.clock.ticks() + 1, Ordering::Relaxed);
            let _ = catch_unwind(AssertUnwindSafe(|| runnable.run()));
            own.turn.store(0, Ordering::Relaxed);
            drop(running);
            let before = std::mem::replace(&mut used, thread_time());
            state = self.lock();
            state.turns.over(&lane, used.saturating_sub(before));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
