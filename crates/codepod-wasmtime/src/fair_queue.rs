//! Whose turn it is: a queue of what can run, fair among shares, and within a share among
//! sandboxes.
//!
//! Each share and each sandbox has a clock of its own that goes on by the time that was used,
//! divided by the share's weight. The turn is that of the share whose clock is furthest behind, and
//! there of the sandbox whose clock is. Who has not run for a while begins a little behind the
//! clock of those who run, so that a short command is through at once; waiting longer saves nothing
//! up. The queue knows neither threads nor processes.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// What a turn is taken to cost until it is over, so that two threads do not take turns of the same
/// sandbox at once for nothing.
const EXPECTED: u64 = 50_000;

/// How far behind the others somebody begins who has not run for a while, in nanoseconds: what the
/// first command of a new sandbox takes.
const CREDIT: u64 = 5_000_000;

/// A share of the processor's time. Sandboxes that have the same one use it together: however many
/// there are, others get theirs.
#[derive(Debug, Clone)]
pub struct Share(Arc<Clock>);

impl Share {
    /// What a share weighs that nobody has thought about.
    pub const WEIGHT: u32 = 100;

    /// A share that gets twice the time of another with half its weight, where both want more than
    /// there is. 0 counts as 1.
    pub fn new(weight: u32) -> Share {
        Share(Arc::new(Clock::new(weight)))
    }

    /// A place for one sandbox in this share.
    pub(crate) fn lane(&self) -> Lane {
        Lane {
            share: self.0.clone(),
            own: Arc::new(Clock::new(Share::WEIGHT)),
        }
    }
}

impl Default for Share {
    fn default() -> Share {
        Share::new(Share::WEIGHT)
    }
}

/// The place of one sandbox in its share.
#[derive(Debug, Clone)]
pub(crate) struct Lane {
    share: Arc<Clock>,
    own: Arc<Clock>,
}

impl Lane {
    /// Tells its share apart from others.
    pub(crate) fn share(&self) -> u64 {
        self.share.id
    }
}

/// How far a share or a sandbox has come. Changed only by who has the queue.
#[derive(Debug)]
struct Clock {
    id: u64,
    weight: u64,
    /// In nanoseconds at [`Share::WEIGHT`].
    time: AtomicU64,
    /// Whether it stands in the queue, at its time.
    is_queued: AtomicBool,
    /// Of a share: the time of the sandbox that had the last turn.
    within: AtomicU64,
}

impl Clock {
    fn new(weight: u32) -> Clock {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Clock {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            weight: u64::from(weight.max(1)),
            time: AtomicU64::new(0),
            is_queued: AtomicBool::new(false),
            within: AtomicU64::new(0),
        }
    }

    fn time(&self) -> u64 {
        self.time.load(Ordering::Relaxed)
    }

    fn place(&self) -> (u64, u64) {
        (self.time(), self.id)
    }

    fn is_queued(&self) -> bool {
        self.is_queued.load(Ordering::Relaxed)
    }

    /// Where it stands from now on; who has not stood there begins a little before `now`.
    fn enter(&self, now: u64) -> (u64, u64) {
        if !self.is_queued.swap(true, Ordering::Relaxed) {
            let begin = now.saturating_sub(CREDIT);
            self.time.fetch_max(begin, Ordering::Relaxed);
        }
        self.place()
    }

    fn leave(&self) {
        self.is_queued.store(false, Ordering::Relaxed);
    }

    fn weigh(&self, nanoseconds: u64) -> u64 {
        nanoseconds.saturating_mul(u64::from(Share::WEIGHT)) / self.weight
    }

    fn expect(&self) {
        let time = self.time().saturating_add(self.weigh(EXPECTED));
        self.time.store(time, Ordering::Relaxed);
    }

    /// Puts what was really used in the place of what was expected.
    fn correct(&self, used: u64) {
        let time = self.time().saturating_sub(self.weigh(EXPECTED));
        let time = time.saturating_add(self.weigh(used));
        self.time.store(time, Ordering::Relaxed);
    }
}

/// What can run, in the order of turns.
#[derive(Debug)]
pub(crate) struct Turns<T> {
    shares: BTreeMap<(u64, u64), InShare<T>>,
    /// The time of the share that had the last turn.
    now: u64,
}

/// A share that has something to run.
#[derive(Debug)]
struct InShare<T> {
    clock: Arc<Clock>,
    lanes: BTreeMap<(u64, u64), InLane<T>>,
}

/// A sandbox that has something to run.
#[derive(Debug)]
struct InLane<T> {
    clock: Arc<Clock>,
    first_come: VecDeque<T>,
}

/// A turn that somebody has.
#[derive(Debug)]
pub(crate) struct Turn<T> {
    task: T,
    lane: Lane,
}

impl<T> Default for Turns<T> {
    fn default() -> Turns<T> {
        Turns {
            shares: BTreeMap::new(),
            now: 0,
        }
    }
}

impl<T> Turns<T> {
    /// The shares that have something to run, in the order of turns.
    pub(crate) fn shares(&self) -> impl Iterator<Item = u64> {
        self.shares.keys().map(|(_, id)| *id)
    }

    /// Puts a task behind the others of its sandbox.
    pub(crate) fn push(&mut self, lane: &Lane, task: T) {
        let place = lane.share.enter(self.now);
        let share = self.shares.entry(place).or_insert_with(|| InShare {
            clock: lane.share.clone(),
            lanes: BTreeMap::new(),
        });
        let place = lane.own.enter(lane.share.within.load(Ordering::Relaxed));
        let in_lane = share.lanes.entry(place).or_insert_with(|| InLane {
            clock: lane.own.clone(),
            first_come: VecDeque::new(),
        });
        in_lane.first_come.push_back(task);
    }

    /// The next turn of a share that may run. What it has used is counted by [`Turns::over`].
    pub(crate) fn take(&mut self, may_run: impl Fn(u64) -> bool) -> Option<Turn<T>> {
        let place = *self.shares.keys().find(|(_, id)| may_run(*id))?;
        let mut share = self.shares.remove(&place)?;
        self.now = place.0;
        let ((within, _), mut in_lane) = share.lanes.pop_first()?;
        share.clock.within.store(within, Ordering::Relaxed);
        let task = in_lane.first_come.pop_front()?;
        let lane = Lane {
            share: share.clock.clone(),
            own: in_lane.clock.clone(),
        };
        lane.share.expect();
        lane.own.expect();
        if in_lane.first_come.is_empty() {
            lane.own.leave();
        } else {
            share.lanes.insert(lane.own.place(), in_lane);
        }
        if share.lanes.is_empty() {
            lane.share.leave();
        } else {
            self.shares.insert(lane.share.place(), share);
        }
        Some(Turn { task, lane })
    }

    /// Counts what a turn has used.
    pub(crate) fn over(&mut self, lane: &Lane, used: Duration) {
        let used = u64::try_from(used.as_nanos()).unwrap_or(u64::MAX);
        // What has come meanwhile stands at the old time.
        let share = match lane.share.is_queued() {
            true => self.shares.remove(&lane.share.place()),
            false => None,
        };
        lane.share.correct(used);
        let Some(mut share) = share else {
            lane.own.correct(used);
            return;
        };
        let in_lane = match lane.own.is_queued() {
            true => share.lanes.remove(&lane.own.place()),
            false => None,
        };
        lane.own.correct(used);
        if let Some(in_lane) = in_lane {
            share.lanes.insert(lane.own.place(), in_lane);
        }
        self.shares.insert(lane.share.place(), share);
    }
}

impl<T> Turn<T> {
    /// The task, and what its time is counted to.
    pub(crate) fn split(self) -> (T, Lane) {
        (self.task, self.lane)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    const SLICE: Duration = Duration::from_millis(1);

    /// Runs `rounds` slices of tasks that never end and returns how many each name got.
    fn run(turns: &mut Turns<&'static str>, rounds: usize) -> HashMap<&'static str, usize> {
        let mut got = HashMap::new();
        for _ in 0..rounds {
            let (task, lane) = turns.take(|_| true).unwrap().split();
            *got.entry(task).or_default() += 1;
            turns.over(&lane, SLICE);
            turns.push(&lane, task);
        }
        got
    }

    #[test]
    fn a_thousand_tasks_of_one_get_no_more_than_one_of_another() {
        let mut turns = Turns::default();
        let (many, few) = (Share::default().lane(), Share::default().lane());
        for _ in 0..1000 {
            turns.push(&many, "many");
        }
        turns.push(&few, "few");
        let got = run(&mut turns, 1000);
        assert!((490..=510).contains(&got["few"]), "{got:?}");
    }

    #[test]
    fn sandboxes_of_one_share_take_turns_and_many_of_them_are_one_to_others() {
        let mut turns = Turns::default();
        let (one, other) = (Share::default(), Share::default());
        let busy = one.lane();
        for _ in 0..50 {
            turns.push(&busy, "busy");
        }
        turns.push(&one.lane(), "its neighbour");
        turns.push(&other.lane(), "another");
        let got = run(&mut turns, 2000);
        assert!((980..=1020).contains(&got["another"]), "{got:?}");
        assert!((490..=510).contains(&got["its neighbour"]), "{got:?}");
    }

    #[test]
    fn who_may_not_run_loses_no_turn() {
        let mut turns = Turns::default();
        let (first, second) = (Share::default().lane(), Share::default().lane());
        turns.push(&first, "first");
        turns.push(&second, "second");
        let not_first = |share| share != first.share();
        assert_eq!(turns.take(not_first).unwrap().task, "second");
        turns.over(&second, SLICE);
        assert!(turns.take(not_first).is_none());
        assert_eq!(turns.take(|_| true).unwrap().task, "first");
    }

    #[test]
    fn weights_count() {
        let mut turns = Turns::default();
        turns.push(&Share::new(300).lane(), "three");
        turns.push(&Share::new(100).lane(), "one");
        let got = run(&mut turns, 4000);
        assert!((2950..=3050).contains(&got["three"]), "{got:?}");
    }

    #[test]
    fn who_wakes_is_next_and_has_saved_little_up() {
        let mut turns = Turns::default();
        let (busy, idle) = (Share::default().lane(), Share::default().lane());
        for _ in 0..10 {
            turns.push(&busy, "busy");
        }
        run(&mut turns, 500);
        turns.push(&idle, "idle");
        assert_eq!(turns.take(|_| true).unwrap().task, "idle");
        turns.over(&idle, SLICE);
        turns.push(&idle, "idle");
        let got = run(&mut turns, 100);
        // Half of them, and half of the credit.
        assert!((50..=55).contains(&got["idle"]), "{got:?}");
    }

    #[test]
    fn who_sleeps_again_and_again_gets_no_more_than_his_share() {
        let mut turns = Turns::default();
        let (busy, sly) = (Share::default().lane(), Share::default().lane());
        turns.push(&busy, "busy");
        let (mut used, mut asleep) = (0, 0);
        for _ in 0..10_000 {
            // It sleeps a slice whenever it has run for the credit.
            match asleep {
                0 if !sly.own.is_queued() => turns.push(&sly, "sly"),
                0 => {}
                _ => asleep -= 1,
            }
            let (task, lane) = turns.take(|_| true).unwrap().split();
            turns.over(&lane, SLICE);
            if task == "busy" {
                turns.push(&lane, task);
            } else {
                used += 1;
                if used % 5 == 0 {
                    asleep = 1;
                }
            }
        }
        assert!((4_000..=5_010).contains(&used), "{used}");
    }

    #[test]
    fn what_wakes_often_for_little_is_not_held_up() {
        let mut turns = Turns::default();
        let (busy, light) = (Share::default().lane(), Share::default().lane());
        for _ in 0..100 {
            turns.push(&busy, "busy");
        }
        for _ in 0..200 {
            turns.push(&light, "light");
            let mut before = 0;
            loop {
                let (task, lane) = turns.take(|_| true).unwrap().split();
                let used = match task {
                    "light" => Duration::from_micros(20),
                    _ => SLICE,
                };
                turns.over(&lane, used);
                if task == "light" {
                    break;
                }
                turns.push(&lane, task);
                before += 1;
            }
            assert!(before <= 1, "{before} slices of others came before it");
        }
    }

    #[test]
    fn tasks_of_one_sandbox_run_in_their_order_and_none_is_lost() {
        let mut turns = Turns::default();
        let lane = Share::default().lane();
        for number in 0..100 {
            turns.push(&lane, number);
        }
        let mut got = Vec::new();
        while let Some(turn) = turns.take(|_| true) {
            let (number, lane) = turn.split();
            got.push(number);
            turns.over(&lane, SLICE);
        }
        assert_eq!(got, (0..100).collect::<Vec<_>>());
        assert_eq!(turns.shares().count(), 0);
    }

    #[test]
    fn turns_that_overlap_are_counted_to_the_right_clock() {
        let mut turns = Turns::default();
        let (a, b) = (Share::default().lane(), Share::default().lane());
        turns.push(&a, "a");
        turns.push(&a, "a");
        turns.push(&b, "b");
        let first = turns.take(|_| true).unwrap();
        let second = turns.take(|_| true).unwrap();
        assert_ne!(
            first.task, second.task,
            "the other's turn, while the first is not over"
        );
        let third = turns.take(|_| true).unwrap();
        for turn in [first, second, third] {
            turns.over(&turn.lane, SLICE);
        }
        assert_eq!(a.own.time(), 2 * SLICE.as_nanos() as u64);
        assert_eq!(b.own.time(), SLICE.as_nanos() as u64);
        assert_eq!(turns.shares().count(), 0);
    }
}
