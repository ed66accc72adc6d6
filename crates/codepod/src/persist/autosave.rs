//! Saving by itself: one thread for all persistent sandboxes of this process.
//!
//! It looks at each sandbox after its interval and saves it if something has changed, which it sees without looking at
//! the files. A sandbox that is over is forgotten; without any the thread sleeps.

use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::Saver;

/// Nobody is looked at more often.
const SHORTEST: Duration = Duration::from_millis(1);

/// A sandbox to look at.
struct Watched {
    saver: Weak<Saver>,
    due: Instant,
}

struct Watch {
    list: Mutex<Vec<Watched>>,
    changed: Condvar,
}

/// Has a sandbox looked at from now on.
pub(super) fn watch(saver: &Arc<Saver>) {
    static WATCH: OnceLock<Arc<Watch>> = OnceLock::new();
    let watch = WATCH.get_or_init(|| {
        let watch = Arc::new(Watch {
            list: Mutex::default(),
            changed: Condvar::new(),
        });
        let of_thread = watch.clone();
        // Without a thread nothing is saved by itself; the last save at the end still is.
        let _ = std::thread::Builder::new()
            .name("codepod-autosave".into())
            .spawn(move || run(&of_thread));
        watch
    });
    let mut list = watch.list.lock().unwrap_or_else(PoisonError::into_inner);
    list.push(Watched {
        saver: Arc::downgrade(saver),
        due: Instant::now() + saver.autosave,
    });
    watch.changed.notify_one();
}

fn run(watch: &Watch) {
    let mut list = watch.list.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        list.retain(|watched| watched.saver.strong_count() > 0);
        let now = Instant::now();
        let Some(next) = list.iter_mut().min_by_key(|watched| watched.due) else {
            let waited = watch.changed.wait(list);
            list = waited.unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        if next.due > now {
            let wait = next.due - now;
            let waited = watch.changed.wait_timeout(list, wait);
            list = waited.unwrap_or_else(PoisonError::into_inner).0;
            continue;
        }
        let saver = next.saver.upgrade();
        next.due = now
            + saver
                .as_ref()
                .map_or(SHORTEST, |saver| saver.autosave.max(SHORTEST));
        drop(list);
        if let Some(saver) = saver {
            // What went wrong is in the saver, for whoever asks; the next round tries again.
            let _ = saver.save(false);
        }
        list = watch.list.lock().unwrap_or_else(PoisonError::into_inner);
    }
}
