//! What the tests of the whole stack share: sandboxes with the test programs, and the standard
//! oracle of `docs/security.md`.

#![allow(
    clippy::allow_attributes,
    dead_code,
    reason = "each test uses its own part"
)]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use codepod::{Options, RunResult, Runtime, Sandbox};
use codepod_wasmtime::GuestModule;

pub(crate) mod machine;
#[path = "../../../codepod-spec/src/missing.rs"]
pub(crate) mod missing;

use machine::{Stopwatch, Times};

/// Options with the test programs in `/usr/bin`.
pub(crate) fn test_options() -> Options {
    let mut options = Options::default();
    options.guest_groups = vec![codepod_guests::TEST_PROGRAMS.into()];
    options
}

/// A sandbox with the test programs.
pub(crate) fn sandbox() -> Sandbox {
    Sandbox::create(test_options()).unwrap()
}

/// A sandbox with the test programs whose options `change` has changed.
pub(crate) fn sandbox_with(change: impl FnOnce(&mut Options)) -> Sandbox {
    let mut options = test_options();
    change(&mut options);
    Sandbox::create(options).unwrap()
}

/// Makes a test program the shell of all sandboxes that a runtime will have; none of them has run a
/// script yet.
pub(crate) fn set_shell(runtime: &Runtime, program: &str) {
    // The first sandbox registers all guests.
    drop(Sandbox::create_on(runtime, test_options()).unwrap());
    let guest =
        codepod_guests::group(codepod_guests::TEST_PROGRAMS).find(|guest| guest.name == program);
    let guest = guest.expect("`cargo xtask guests` has built it");
    runtime.engine().register(GuestModule {
        name: "shell".into(),
        ..guest.module()
    });
}

/// Runs a program in JavaScript: its status, output and errors.
pub(crate) fn node(sandbox: &Sandbox, program: &str) -> (i32, String, String) {
    let result = run(sandbox, ["node", "-e", program]);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (result.exit_code, text(&result.stdout), text(&result.stderr))
}

/// Runs a command to its end.
pub(crate) fn run<const N: usize>(sandbox: &Sandbox, argv: [&str; N]) -> RunResult {
    sandbox.command(argv).run_blocking().unwrap()
}

/// Runs a program that asserts by itself; its status and its text must be these.
pub(crate) fn expect<const N: usize>(sandbox: &Sandbox, argv: [&str; N], code: i32, stdout: &str) {
    let result = run(sandbox, argv);
    assert_eq!(
        (result.exit_code, &*result.stdout_text()),
        (code, stdout),
        "{argv:?}: {}",
        result.stderr_text()
    );
}

/// Runs a script that must not complain; what it printed.
#[track_caller]
pub(crate) fn text(sandbox: &Sandbox, script: &str) -> String {
    let result = sandbox.run_blocking(script).unwrap();
    assert_eq!(result.stderr_text(), "", "{script}");
    result.stdout_text().into_owned()
}

/// Runs a program of Python that must not complain; what it printed.
#[track_caller]
pub(crate) fn python_text(sandbox: &Sandbox, program: &str) -> String {
    sandbox.write_file("program.py", program).unwrap();
    text(sandbox, "python3 program.py")
}

/// Numbers that are the same in every run of a test.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// The next one, less than `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// Waits until `holds`, at most so long; whether it does.
pub(crate) fn within(time: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    loop {
        if holds() {
            return true;
        }
        if started.elapsed() > time {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Nothing runs, nothing is open. What ends on the engine's threads may need a moment.
#[track_caller]
pub(crate) fn assert_idle(sandbox: &Sandbox) {
    let idle = within(Duration::from_secs(2), || {
        let stats = sandbox.stats().unwrap();
        (stats.processes, stats.open) == (0, 0)
    });
    assert!(idle, "not idle: {:?}", sandbox.stats().unwrap());
}

/// The sandbox is idle and runs the next command.
#[track_caller]
pub(crate) fn assert_works(sandbox: &Sandbox) {
    assert_idle(sandbox);
    let result = run(sandbox, ["hello"]);
    assert_eq!(
        (result.exit_code, &result.stdout[..]),
        (0, &b"hello, world\n"[..]),
        "{result:?}"
    );
    assert_idle(sandbox);
}

/// Keeps the tests that measure time or memory of one binary apart; between binaries nextest does.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Resident memory of this host process's own, in bytes. Pages of modules are not in it: they
/// belong to files, and count as often as they are mapped.
pub(crate) fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let mut lines = status.lines();
    let own = lines.find_map(|line| line.strip_prefix("RssAnon:"));
    let kilobytes = own.unwrap().trim().trim_end_matches(" kB");
    kilobytes.parse::<usize>().unwrap() << 10
}

/// Watches the most memory that this host process has from now on.
pub(crate) struct Peak {
    most: Arc<AtomicUsize>,
    before: usize,
    watcher: Repeated,
}

impl Peak {
    pub(crate) fn watch() -> Peak {
        let before = resident();
        let most = Arc::new(AtomicUsize::new(before));
        let seen = most.clone();
        let watcher = Repeated::every(Duration::from_millis(2), move || {
            seen.fetch_max(resident(), Ordering::Relaxed);
        });
        Peak {
            most,
            before,
            watcher,
        }
    }

    /// How far memory rose above where it was.
    pub(crate) fn growth(self) -> usize {
        drop(self.watcher);
        self.most.load(Ordering::Relaxed) - self.before
    }
}

/// A thread that does something again and again until it is dropped.
pub(crate) struct Repeated {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Repeated {
    pub(crate) fn every(pause: Duration, mut work: impl FnMut() + Send + 'static) -> Repeated {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                work();
                std::thread::sleep(pause);
            }
        });
        Repeated {
            stop,
            thread: Some(thread),
        }
    }
}

impl Drop for Repeated {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self.thread.take().map(JoinHandle::join);
        if !std::thread::panicking() {
            assert!(ended.is_none_or(|ended| ended.is_ok()), "a watcher failed");
        }
    }
}

/// Panics of this host process so far, those that were caught included.
pub(crate) fn panics() -> usize {
    static HOOK: Once = Once::new();
    static PANICS: AtomicUsize = AtomicUsize::new(0);
    HOOK.call_once(|| {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            PANICS.fetch_add(1, Ordering::SeqCst);
            print(info);
        }));
    });
    PANICS.load(Ordering::SeqCst)
}

/// The standard oracle: while something hostile runs, another sandbox answers in time; afterwards
/// memory is back and the host has not panicked.
pub(crate) struct Oracle {
    panics: usize,
    resident: usize,
    times: Arc<Mutex<Times>>,
    canary: Repeated,
}

impl Oracle {
    /// How fast the canary answers, always. `docs/security.md` promises it.
    const ANSWER: Duration = Duration::from_millis(100);
    /// How much memory may stay: slots that were used keep some pages of memory, stack and table
    /// each, and a bomb uses some hundreds; malloc keeps what has not come together to be worth
    /// giving back.
    const KEPT: usize = 32 << 20;

    /// Starts the canary: `hello | copy_input | copy_input` again and again. Two of its processes
    /// run on the engine's threads, so that it waits where all sandboxes wait. What is loaded
    /// once (engine, modules) is loaded before memory is measured.
    pub(crate) fn begin() -> Oracle {
        let panics = panics();
        let sandbox = sandbox();
        sing(&sandbox);
        assert_eq!(run(&sandbox, ["true_tiny"]).exit_code, 0);
        let times = Arc::new(Mutex::new(Times::default()));
        let seen = times.clone();
        let canary = Repeated::every(Duration::from_millis(2), move || {
            let watch = Stopwatch::start();
            sing(&sandbox);
            seen.lock().unwrap().push(watch.took());
        });
        Oracle {
            panics,
            resident: resident(),
            times,
            canary,
        }
    }

    /// Checks all but memory, which [`Oracle::end`] checks too once the hostile sandbox has been
    /// dropped.
    #[track_caller]
    pub(crate) fn end_without_memory(self) -> usize {
        // What was hostile may have been refused before the canary sang for the first time.
        within(Duration::from_secs(10), || {
            self.times.lock().unwrap().len() > 0
        });
        drop(self.canary);
        assert_eq!(panics(), self.panics, "the host panicked");
        let times = self.times.lock().unwrap();
        times.assert("the canary", 100, Oracle::ANSWER);
        self.resident
    }

    /// Checks everything. The hostile sandbox must be gone.
    #[track_caller]
    pub(crate) fn end(self) {
        let before = self.end_without_memory();
        let most = before + Oracle::KEPT;
        let back = within(Duration::from_secs(2), || resident() <= most);
        assert!(back, "memory was {before} and is {} now", resident());
    }
}

/// A pipeline of three, which must work.
fn sing(sandbox: &Sandbox) {
    let copy = || sandbox.command(["copy_input"]);
    let pipeline = sandbox.command(["hello"]).pipe(copy()).pipe(copy());
    let result = pipeline.run_blocking().unwrap();
    assert_eq!(
        (result.exit_code, &*result.stdout_text()),
        (0, "hello, world\n"),
        "the canary: {result:?}"
    );
}
