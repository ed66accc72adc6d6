//! Saving by itself: a few threads for all persistent sandboxes of this process.
//!
//! A sandbox is looked at after its interval and saved if something has changed, which is seen
//! without looking at the files. Sandboxes that share a directory (on a server: those of one
//! tenant) take turns: one of them is saved at a time, and when several directories have one that
//! is due, the one that has waited longest comes first. A sandbox that is over is forgotten;
//! without any the threads sleep.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::Saver;

/// Nobody is looked at more often.
const SHORTEST: Duration = Duration::from_millis(1);
/// How many are saved at a time.
const THREADS: usize = 4;

/// A sandbox to look at.
struct Watched<T> {
    saver: Weak<T>,
    group: Arc<Path>,
    interval: Duration,
    due: Instant,
}

/// Sandboxes that share a directory.
#[derive(Default)]
struct Group {
    /// Whether one of them is being saved.
    busy: bool,
    /// When it was their turn last, as a number.
    turn: u64,
}

struct List<T> {
    watched: Vec<Watched<T>>,
    groups: HashMap<Arc<Path>, Group>,
    turns: u64,
}

impl<T> List<T> {
    fn new() -> List<T> {
        List {
            watched: Vec::new(),
            groups: HashMap::new(),
            turns: 0,
        }
    }

    fn add(&mut self, saver: &Arc<T>, group: &Arc<Path>, interval: Duration, now: Instant) {
        let interval = interval.max(SHORTEST);
        self.watched.push(Watched {
            saver: Arc::downgrade(saver),
            group: group.clone(),
            interval,
            due: now + interval,
        });
    }

    /// Lets others of a group have their turn.
    fn finish(&mut self, group: &Arc<Path>) {
        if let Some(group) = self.groups.get_mut(group) {
            group.busy = false;
        }
    }

    /// Takes the next that is due, and says how long to wait if there is none: for ever, if nobody
    /// is watched.
    fn next(&mut self, now: Instant) -> Result<(Arc<T>, Arc<Path>), Option<Duration>> {
        self.watched
            .retain(|watched| watched.saver.strong_count() > 0);
        if self.groups.len() > self.watched.len() {
            let watched = &self.watched;
            let has_some = |path: &Arc<Path>| watched.iter().any(|other| other.group == *path);
            self.groups
                .retain(|path, group| group.busy || has_some(path));
        }
        let free = |watched: &&mut Watched<T>| {
            let group = self.groups.get(&watched.group);
            !group.is_some_and(|group| group.busy)
        };
        let turn = |path: &Arc<Path>| self.groups.get(path).map_or(0, |group| group.turn);
        let mut soonest = None;
        let mut best: Option<(u64, &mut Watched<T>)> = None;
        for watched in self.watched.iter_mut().filter(free) {
            if watched.due > now {
                let wait = watched.due - now;
                soonest = Some(soonest.map_or(wait, |other: Duration| other.min(wait)));
                continue;
            }
            let turn = turn(&watched.group);
            let due = watched.due;
            let sooner = |other: &(u64, &mut Watched<T>)| (turn, due) < (other.0, other.1.due);
            if best.as_ref().is_none_or(sooner) {
                best = Some((turn, watched));
            }
        }
        let Some((_, watched)) = best else {
            return Err(soonest);
        };
        watched.due = now + watched.interval;
        let path = watched.group.clone();
        // It may have gone just now.
        let saver = watched.saver.upgrade().ok_or(Some(Duration::ZERO))?;
        self.turns += 1;
        let group = self.groups.entry(path.clone()).or_default();
        (group.busy, group.turn) = (true, self.turns);
        Ok((saver, path))
    }
}

struct Watch {
    list: Mutex<List<Saver>>,
    changed: Condvar,
}

/// Has a sandbox looked at from now on.
pub(super) fn watch(saver: &Arc<Saver>) {
    static WATCH: OnceLock<Arc<Watch>> = OnceLock::new();
    let watch = WATCH.get_or_init(|| {
        let watch = Arc::new(Watch {
            list: Mutex::new(List::new()),
            changed: Condvar::new(),
        });
        for _ in 0..THREADS {
            let of_thread = watch.clone();
            // Without a thread nothing is saved by itself; the last save at the end still is.
            let _ = std::thread::Builder::new()
                .name("codepod-autosave".into())
                .spawn(move || run(&of_thread));
        }
        watch
    });
    let mut list = watch.list.lock().unwrap_or_else(PoisonError::into_inner);
    list.add(saver, &saver.group, saver.autosave, Instant::now());
    watch.changed.notify_one();
}

fn run(watch: &Watch) {
    let mut list = watch.list.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let (saver, group) = match list.next(Instant::now()) {
            Ok(next) => next,
            Err(wait) => {
                list = match wait {
                    Some(wait) => {
                        let waited = watch.changed.wait_timeout(list, wait);
                        waited.unwrap_or_else(PoisonError::into_inner).0
                    }
                    None => {
                        let waited = watch.changed.wait(list);
                        waited.unwrap_or_else(PoisonError::into_inner)
                    }
                };
                continue;
            }
        };
        drop(list);
        // What went wrong is in the saver, for whoever asks; the next round tries again.
        let _ = saver.save(false);
        drop(saver);
        list = watch.list.lock().unwrap_or_else(PoisonError::into_inner);
        list.finish(&group);
        // Others of the group may have become due meanwhile.
        watch.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_take_turns_whatever_one_of_them_wants() {
        let mut list = List::new();
        let now = Instant::now();
        let at = |ms: u64| now + Duration::from_millis(ms);
        let path = |name: &str| Arc::<Path>::from(Path::new(name));
        let (greedy, modest) = (path("greedy"), path("modest"));
        let many: Vec<Arc<u32>> = (0..100).map(Arc::new).collect();
        for saver in &many {
            list.add(saver, &greedy, Duration::ZERO, now);
        }
        let one = Arc::new(1000);
        list.add(&one, &modest, Duration::from_millis(10), now);
        assert_eq!(
            list.next(now).unwrap_err(),
            Some(SHORTEST),
            "nobody is due yet"
        );
        // One of the many is saved; the others wait for it, and the modest one does not.
        let (_, first) = list.next(at(20)).unwrap();
        assert_eq!(first, greedy);
        let (saver, second) = list.next(at(20)).unwrap();
        assert_eq!((*saver, &second), (1000, &modest));
        assert!(list.next(at(1000)).is_err());
        // And when both are free, it is the turn of whoever has waited longer.
        list.finish(&greedy);
        list.finish(&modest);
        let (_, third) = list.next(at(1000)).unwrap();
        assert_eq!(third, greedy);
        list.finish(&greedy);
        let (_, fourth) = list.next(at(1000)).unwrap();
        assert_eq!(fourth, modest);
        list.finish(&modest);
        // Who has gone is forgotten.
        drop((many, one, saver));
        assert_eq!(list.next(at(2000)).unwrap_err(), None);
        assert!(list.groups.is_empty());
    }
}
