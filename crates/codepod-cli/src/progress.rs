//! A line on standard error while something takes long; only where that is a terminal.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What is quicker needs no line.
const PATIENCE: Duration = Duration::from_secs(1);
/// What happens before anything else has been shown needs one sooner.
const PATIENCE_AT_START: Duration = Duration::from_millis(300);
const STEP: Duration = Duration::from_millis(200);
const ERASE: &str = "\r\x1b[K";

/// Whether the line is there. Held while it is written or taken away, so that nothing else comes
/// between.
static SHOWN: Mutex<bool> = Mutex::new(false);

/// Whether nothing is to be shown: `--quiet`.
static SILENT: AtomicBool = AtomicBool::new(false);

/// Shows nothing from now on.
pub(crate) fn silence() {
    SILENT.store(true, Ordering::Relaxed);
}

/// Takes the line away, before something else is written.
pub(crate) fn clear() {
    let mut shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if std::mem::take(&mut *shown) {
        let mut err = std::io::stderr().lock();
        let _ = write!(err, "{ERASE}").and_then(|()| err.flush());
    }
}

/// Shows what goes on until it is dropped.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    running: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Something that goes on for as long as this lives.
    pub(crate) fn of(what: &str) -> Progress {
        let what = what.to_owned();
        Progress::watching(move || Some(what.clone()))
    }

    /// Looks again and again at what goes on; `None` is nothing to speak of.
    pub(crate) fn watching(what: impl Fn() -> Option<String> + Send + 'static) -> Progress {
        Progress::after(PATIENCE, what)
    }

    /// Which part is being unpacked or checked, and how far that is.
    pub(crate) fn of_parts() -> Progress {
        Progress::after(PATIENCE_AT_START, || {
            let (part, done) = codepod::preparing_part()?;
            let percent = done * 100 / part.bytes.max(1);
            Some(format!("unpacking {}, {percent} %", part.name))
        })
    }

    fn after(patience: Duration, what: impl Fn() -> Option<String> + Send + 'static) -> Progress {
        if SILENT.load(Ordering::Relaxed) || !std::io::stderr().is_terminal() {
            return Progress::default();
        }
        let (end, ended) = channel::<()>();
        let thread = std::thread::spawn(move || {
            let mut since: Option<Instant> = None;
            loop {
                let over = ended.recv_timeout(STEP) != Err(RecvTimeoutError::Timeout);
                match what().filter(|_| !over) {
                    Some(text) => {
                        let since = *since.get_or_insert_with(Instant::now);
                        if since.elapsed() + STEP >= patience {
                            tell(&text, since.elapsed());
                        }
                    }
                    None => {
                        clear();
                        since = None;
                    }
                }
                if over {
                    return;
                }
            }
        });
        Progress {
            running: Some((end, thread)),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.running.take() {
            drop(end);
            let _ = thread.join();
        }
    }
}

/// Opens all parts, and unpacks what has to be. Says on a terminal what that takes, and why it will
/// take as long the next time; elsewhere a line at each start would be in the way.
pub(crate) fn open_parts() {
    {
        let _progress = Progress::of_parts();
        codepod::open_parts();
    }
    let is_shown = !SILENT.load(Ordering::Relaxed) && std::io::stderr().is_terminal();
    if let Some(why) = codepod::cache_trouble().filter(|_| is_shown) {
        let why = crate::terminal_text::shown(&why);
        eprintln!("codepod: nothing can be kept for the next start: {why}; see `codepod doctor`");
    }
}

fn tell(text: &str, since: Duration) {
    let mut shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let seconds = since.as_secs().max(1);
    let mut err = std::io::stderr().lock();
    let written = write!(err, "{ERASE}codepod: {text} … {seconds} s");
    *shown = written.and_then(|()| err.flush()).is_ok();
}
