//! How late the machine itself is, so that a bound on time tells of codepod and not of what else
//! the machine does.
//!
//! Two things are measured beside everything else, and what was measured is shortened by the larger
//! of them. On a machine that does nothing else it is not shortened at all, whatever codepod's own
//! threads do:
//!
//! - *Lateness.* A thread on each core sleeps for a moment, again and again, and notes when it was
//!   woken late. It takes no lock of codepod's, asks for no memory and touches no new page, so a
//!   lock, a queue or a long call of codepod's does not make it late. Where Linux lets it (root),
//!   it goes before every other thread, so that only the machine can: the core of a virtual machine
//!   was taken away, or stood still while its host looked for memory, which no figure of Linux's
//!   shows. Elsewhere many threads of codepod's could, too, so it counts by how much others used
//!   the machine.
//! - *Share.* Linux tells how much of the cores this process used, how much others did, and how
//!   much nobody. What others took while no core was idle is what codepod could not have.
//!
//! What codepod's threads could have caused is never more than the time for which threads of this
//! process were ready to run and did not, and for which the machine itself stood still: who waits
//! for a lock or in a queue of codepod's wants no core, and cannot blame those who have them.

#![allow(
    clippy::allow_attributes,
    dead_code,
    reason = "each test uses its own part"
)]

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How long a watching thread sleeps.
const SLEEP: Duration = Duration::from_millis(1);

/// Where others used this part of the cores or more, all lateness is the machine's; where they used
/// less, less of it.
const OTHERS: f64 = 0.5;

/// From here on it was woken late: twice what a scheduler lets one thread have before the next.
const LATE: Duration = Duration::from_millis(6);

/// What [`LATE`] is for a thread that goes before every other: twice as long as it sleeps.
const URGENT_LATE: Duration = Duration::from_millis(2);

/// How many late moments are remembered for each core.
const REMEMBERED: usize = 1 << 16;

/// The value of [`Core::due`] while its thread does not sleep.
const AWAKE: u64 = u64::MAX;

/// A time since the watch began, in nanoseconds.
pub(crate) type Moment = u64;

/// What is known of a core.
pub(crate) struct Core {
    /// When its thread is to be woken, or [`AWAKE`].
    pub(crate) due: AtomicU64,
    /// The number of its thread.
    thread: AtomicU32,
    /// Whether its thread goes before every other.
    pub(crate) is_urgent: AtomicBool,
    /// When it was to be woken and when it was, in order.
    pub(crate) late: Mutex<Vec<(Moment, Moment)>>,
}

/// The cores that are watched, from the first use on.
pub(crate) struct Machine {
    pub(crate) began: Instant,
    pub(crate) cores: Vec<Core>,
}

static MACHINE: OnceLock<Machine> = OnceLock::new();

/// The watch; it begins with the first call.
fn machine() -> &'static Machine {
    let mut is_new = false;
    let machine = MACHINE.get_or_init(|| {
        is_new = true;
        let cores = std::thread::available_parallelism().unwrap().get();
        Machine {
            began: Instant::now(),
            cores: (0..cores).map(|_| Core::default()).collect(),
        }
    });
    if is_new {
        let own = own_cores();
        for (i, core) in machine.cores.iter().enumerate() {
            let place = own.get(i).copied();
            std::thread::Builder::new()
                .name(format!("watch-{i}"))
                .spawn(move || machine.watch(core, place))
                .unwrap();
        }
    }
    machine
}

impl Default for Core {
    fn default() -> Core {
        Core {
            due: AtomicU64::new(AWAKE),
            thread: AtomicU32::new(0),
            is_urgent: AtomicBool::new(false),
            late: Mutex::new(Vec::with_capacity(REMEMBERED)),
        }
    }
}

impl Core {
    fn is_late(&self, due: Moment, woken: Moment) -> bool {
        let late = match self.is_urgent.load(Ordering::SeqCst) {
            true => URGENT_LATE,
            false => LATE,
        };
        woken.saturating_sub(due) >= late.as_nanos() as Moment
    }
}

impl Machine {
    fn now(&self) -> Moment {
        self.began.elapsed().as_nanos() as Moment
    }

    /// Watches a core for as long as the test lives.
    fn watch(&self, core: &Core, place: Option<usize>) {
        #[cfg(target_os = "linux")]
        core.thread.store(
            rustix::thread::gettid()
                .as_raw_nonzero()
                .get()
                .cast_unsigned(),
            Ordering::Relaxed,
        );
        if let Some(place) = place {
            stay_on(place);
            let is_urgent = go_before_others(core.thread.load(Ordering::Relaxed));
            core.is_urgent.store(is_urgent, Ordering::SeqCst);
        }
        loop {
            let due = self.now() + SLEEP.as_nanos() as Moment;
            core.due.store(due, Ordering::SeqCst);
            std::thread::sleep(SLEEP);
            let woken = self.now();
            core.due.store(AWAKE, Ordering::SeqCst);
            if core.is_late(due, woken) {
                let mut late = core.late.lock().unwrap_or_else(PoisonError::into_inner);
                if late.len() == REMEMBERED {
                    late.drain(..REMEMBERED / 2);
                }
                late.push((due, woken));
            }
        }
    }

    /// Whether only the machine itself can make the watching threads late.
    fn is_urgent(&self) -> bool {
        let mut cores = self.cores.iter();
        cores.all(|core| core.is_urgent.load(Ordering::SeqCst))
    }

    /// For how long any core was late between two moments.
    pub(crate) fn late_between(&self, from: Moment, to: Moment) -> Duration {
        let mut spans = Vec::new();
        for core in &self.cores {
            // Read before the list: a thread that is woken in between is in the list.
            let due = core.due.load(Ordering::SeqCst);
            if due != AWAKE && core.is_late(due, to) {
                spans.push((due, to));
            }
            let late = core.late.lock().unwrap_or_else(PoisonError::into_inner);
            let of_interest = late.iter().rev().take_while(|(_, woken)| *woken > from);
            spans.extend(of_interest.filter(|(due, _)| *due < to));
        }
        Duration::from_nanos(covered(spans, from, to))
    }
}

/// How much of the time from `from` to `to` the spans cover together.
pub(crate) fn covered(mut spans: Vec<(Moment, Moment)>, from: Moment, to: Moment) -> u64 {
    spans.sort_unstable();
    let (mut sum, mut reached) = (0, from);
    for (begin, end) in spans {
        let (begin, end) = (begin.max(reached), end.min(to));
        if end > begin {
            sum += end - begin;
            reached = end;
        }
    }
    sum
}

/// The numbers of the cores that this process may use; none where nobody can tell.
#[cfg(target_os = "linux")]
fn own_cores() -> Vec<usize> {
    let set = rustix::thread::sched_getaffinity(None).unwrap();
    (0..rustix::thread::CpuSet::MAX_CPU)
        .filter(|&core| set.is_set(core))
        .collect()
}

#[cfg(not(target_os = "linux"))]
fn own_cores() -> Vec<usize> {
    Vec::new()
}

/// Keeps this thread on a core.
#[cfg(target_os = "linux")]
fn stay_on(core: usize) {
    let mut set = rustix::thread::CpuSet::new();
    set.set(core);
    rustix::thread::sched_setaffinity(None, &set).unwrap();
}

#[cfg(not(target_os = "linux"))]
fn stay_on(_: usize) {}

/// Lets a thread run before all that are not in real time; whether that was allowed.
fn go_before_others(thread: u32) -> bool {
    let mut chrt = Command::new("chrt");
    chrt.args(["--fifo", "--pid", "1", &thread.to_string()]);
    let status = chrt.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// What the cores were used for since the machine started, in hundredths of a second.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Use {
    /// By anybody, what the host of a virtual machine took included.
    pub(crate) busy: f64,
    pub(crate) idle: f64,
    /// By this process.
    pub(crate) own: f64,
    /// By the host of a virtual machine.
    pub(crate) stolen: f64,
    /// For how long threads of this process, those that watch left out, were ready to run and did
    /// not; all added up.
    pub(crate) waited: f64,
}

impl Use {
    #[cfg(target_os = "linux")]
    pub(crate) fn now() -> Use {
        let text = std::fs::read_to_string("/proc/stat").unwrap();
        let line = text.lines().next().unwrap();
        let fields: Vec<f64> = line
            .split_whitespace()
            .skip(1)
            .map(|field| field.parse().unwrap())
            .collect();
        // user, nice, system, idle, waiting for a disk, two kinds of interrupts, stolen; what comes
        // then is counted in these.
        let idle = fields[3] + fields[4];
        let text = std::fs::read_to_string("/proc/self/stat").unwrap();
        // Behind the name, which may hold anything: in user and in system mode.
        let behind = text.rsplit(')').next().unwrap();
        let own = behind.split_whitespace().skip(11).take(2);
        Use {
            busy: fields[..8].iter().sum::<f64>() - idle,
            idle,
            own: own.map(|field| field.parse::<f64>().unwrap()).sum(),
            stolen: fields[7],
            waited: waited(),
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn now() -> Use {
        Use::default()
    }

    /// The part of `cores` that others took until `end`, `all` later. Time that is nowhere counts
    /// as theirs: a machine that stood still.
    pub(crate) fn others(self, end: Use, all: Duration, cores: usize) -> f64 {
        let whole = all.as_secs_f64() * 100.0 * cores as f64;
        let idle = end.idle - self.idle;
        // Too short to tell anything in hundredths of a second.
        if whole < 4.0 {
            return 0.0;
        }
        ((whole - idle - (end.own - self.own)) / whole).clamp(0.0, 1.0)
    }

    /// The most that can be the machine's until `end`, `all` later.
    pub(crate) fn most(self, end: Use, all: Duration, cores: usize) -> Duration {
        let whole = all.as_secs_f64() * 100.0 * cores as f64;
        let told = (end.busy - self.busy) + (end.idle - self.idle);
        // What is nowhere: the machine stood still. A hundredth for each core may only not be told
        // yet.
        let nowhere = (whole - told - cores as f64).max(0.0);
        let waited = (end.waited - self.waited).max(0.0);
        Duration::from_secs_f64((waited + (end.stolen - self.stolen) + nowhere) / 100.0)
    }

    /// The part of the cores that others took until `end` while none was idle.
    pub(crate) fn lost(self, end: Use) -> f64 {
        let idle = end.idle - self.idle;
        let busy = end.busy - self.busy;
        let others = busy - (end.own - self.own);
        // Too short to tell anything in hundredths of a second.
        if busy + idle < 4.0 {
            return 0.0;
        }
        ((others - idle) / (busy + idle)).clamp(0.0, 1.0)
    }
}

/// [`Use::waited`] of now.
#[cfg(target_os = "linux")]
fn waited() -> f64 {
    let watching: Vec<u32> = machine()
        .cores
        .iter()
        .map(|core| core.thread.load(Ordering::Relaxed))
        .collect();
    let of = |task: std::fs::DirEntry| {
        let number: u32 = task.file_name().to_str()?.parse().ok()?;
        // A thread that has just ended has no file any more.
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        let nanoseconds: f64 = text.split(' ').nth(1)?.parse().ok()?;
        (!watching.contains(&number)).then_some(nanoseconds / 1e7)
    };
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    tasks.flatten().filter_map(of).sum()
}

/// Measures how long something takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stopwatch {
    at: Moment,
    uses: Use,
}

impl Stopwatch {
    pub(crate) fn start() -> Stopwatch {
        Stopwatch {
            at: machine().now(),
            uses: Use::now(),
        }
    }

    /// How long it has been.
    pub(crate) fn took(self) -> Took {
        self.until(Stopwatch::start())
    }

    /// How long it was until another was started.
    pub(crate) fn until(self, end: Stopwatch) -> Took {
        let all = Duration::from_nanos(end.at.saturating_sub(self.at));
        let machine = machine();
        let others = self.uses.others(end.uses, all, machine.cores.len());
        let most = self.uses.most(end.uses, all, machine.cores.len());
        let late = machine.late_between(self.at, end.at);
        let late = match machine.is_urgent() {
            true => late,
            false => late.mul_f64((others / OTHERS).min(1.0)).min(most),
        };
        let lost = all.mul_f64(self.uses.lost(end.uses)).min(most);
        Took {
            all,
            machine: late.max(lost),
        }
    }
}

/// How long something took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Took {
    pub(crate) all: Duration,
    /// The part of it that was the machine's: it was late, or others used it.
    pub(crate) machine: Duration,
}

impl Took {
    /// How long it took by codepod's doing.
    pub(crate) fn own(self) -> Duration {
        self.all.saturating_sub(self.machine)
    }

    /// How much longer than it was meant to.
    pub(crate) fn beyond(self, meant: Duration) -> Took {
        let all = self.all.saturating_sub(meant);
        Took {
            all,
            machine: self.machine.min(all),
        }
    }
}

/// Many times of the same.
#[derive(Debug, Default)]
pub(crate) struct Times(Vec<Took>);

impl Times {
    pub(crate) fn push(&mut self, took: Took) {
        self.0.push(took);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// What `part` of a hundred took at most by codepod's doing.
    pub(crate) fn reached(&self, part: usize) -> Duration {
        let mut own: Vec<Duration> = self.0.iter().map(|took| took.own()).collect();
        own.sort_unstable();
        own[(own.len() * part / 100).min(own.len() - 1)]
    }

    /// Fails unless `part` of a hundred took at most `most` by codepod's doing.
    #[track_caller]
    pub(crate) fn assert(&self, what: &str, part: usize, most: Duration) {
        assert!(!self.0.is_empty(), "{what}: nothing was measured");
        let reached = self.reached(part);
        assert!(
            reached <= most,
            "{what}: p{part} is {reached:?} of {most:?} allowed; {self}"
        );
    }
}

impl Extend<Took> for Times {
    fn extend<T: IntoIterator<Item = Took>>(&mut self, times: T) {
        self.0.extend(times);
    }
}

impl FromIterator<Took> for Times {
    fn from_iter<T: IntoIterator<Item = Took>>(times: T) -> Times {
        Times(times.into_iter().collect())
    }
}

/// How many there are, and the worst of them.
impl std::fmt::Display for Times {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut all: Vec<Duration> = self.0.iter().map(|took| took.all).collect();
        all.sort_unstable();
        let helped = self.0.iter().filter(|took| !took.machine.is_zero()).count();
        write!(
            f,
            "{} measured, median {:?}, {helped} of them with some of the machine's",
            all.len(),
            all[all.len() / 2]
        )?;
        let mut worst: Vec<&Took> = self.0.iter().collect();
        worst.sort_unstable_by_key(|took| std::cmp::Reverse(took.all));
        for took in worst.iter().take(5) {
            write!(
                f,
                "; {:?}, of it the machine's {:?}",
                took.all, took.machine
            )?;
        }
        Ok(())
    }
}
