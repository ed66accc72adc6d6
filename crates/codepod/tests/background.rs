//! Processes that go on after their run have limits of their own: of time, and of processor time.

mod support;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use codepod::{Event, Job, JobState, Sandbox};
use support::sandbox_with;

/// As long as something may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

fn limited(age: Duration, cpu: Duration) -> Sandbox {
    sandbox_with(|options| {
        options.background.age = age;
        options.background.cpu = cpu;
    })
}

/// Those that go on; the shell asks how the others have ended when it is used next.
fn processes(sandbox: &Sandbox) -> usize {
    let jobs = sandbox.jobs().unwrap();
    let goes_on = |job: &&Job| job.state != JobState::Ended;
    jobs.iter().filter(goes_on).count()
}

/// How long it takes until nothing is in the background.
fn until_gone(sandbox: &Sandbox) -> Duration {
    let began = Instant::now();
    while processes(sandbox) > 0 {
        assert!(began.elapsed() < PATIENCE, "{:?}", sandbox.jobs());
        std::thread::sleep(Duration::from_millis(10));
    }
    began.elapsed()
}

fn start(sandbox: &Sandbox, script: &str) {
    let result = sandbox.run_blocking(script).unwrap();
    assert_eq!(result.exit_code, 0, "{result:?}");
}

const LONG: Duration = Duration::from_secs(3600);

#[test]
fn what_a_run_leaves_goes_on_until_it_is_too_old() {
    let sandbox = limited(Duration::from_millis(700), LONG);
    start(
        &sandbox,
        "while :; do :; done & sleep 1000 & (sleep 1000 &)",
    );
    assert!(processes(&sandbox) >= 3);
    std::thread::sleep(Duration::from_millis(200));
    assert!(processes(&sandbox) >= 3, "not before its time");
    until_gone(&sandbox);
    // The shell is as it was, and the next may stay its time as well.
    start(&sandbox, "sleep 1000 &");
    assert_eq!(processes(&sandbox), 1);
    until_gone(&sandbox);
}

#[test]
fn who_starts_itself_anew_grows_no_younger() {
    let sandbox = limited(Duration::from_millis(700), LONG);
    start(
        &sandbox,
        "echo 'sleep 0.05; bash again & exit' > again; bash again &",
    );
    until_gone(&sandbox);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(processes(&sandbox), 0);
}

#[test]
fn a_family_is_older_than_what_a_later_run_leaves() {
    let sandbox = limited(Duration::from_millis(1500), LONG);
    start(&sandbox, "sleep 1000 &");
    std::thread::sleep(Duration::from_millis(900));
    start(&sandbox, "sleep 2000 &");
    let began = Instant::now();
    while processes(&sandbox) > 1 {
        assert!(began.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut left = sandbox.jobs().unwrap();
    left.retain(|job| job.state != JobState::Ended);
    assert!(
        left.is_empty() || left[0].command.contains("2000"),
        "{left:?}"
    );
    until_gone(&sandbox);
}

#[test]
fn processes_in_the_background_share_their_processor_time() {
    let heard = Arc::new(Mutex::new(0));
    let hears = heard.clone();
    let sandbox = sandbox_with(|options| {
        options.background.cpu = Duration::from_millis(600);
        options.events = Some(Arc::new(move |event| {
            if let Event::BackgroundEnded { .. } = event {
                *hears.lock().unwrap() += 1;
            }
        }));
    });
    start(
        &sandbox,
        "for i in 1 2 3; do while :; do :; done & done; sleep 1000 &",
    );
    until_gone(&sandbox);
    assert_eq!(*heard.lock().unwrap(), 1);
    // Until the time is over nothing more goes on.
    start(&sandbox, "sleep 1000 &");
    until_gone(&sandbox);
    // A run itself is not in the background.
    start(&sandbox, "sleep 0.3; echo done");
}

#[test]
fn many_short_processes_use_processor_time_too() {
    let sandbox = limited(LONG, Duration::from_millis(500));
    start(
        &sandbox,
        "echo 'for ((i = 0; i < 20000; i++)); do :; done; bash again & exit' > again; bash again &",
    );
    until_gone(&sandbox);
}

#[test]
fn what_commands_leave_counts_as_well() {
    let sandbox = limited(Duration::from_millis(500), LONG);
    let left = sandbox.command(["bash", "-c", "sleep 1000 & disown"]);
    assert_eq!(left.run_blocking().unwrap().exit_code, 0);
    assert_eq!(processes(&sandbox), 1);
    until_gone(&sandbox);
}

#[test]
fn a_run_that_goes_on_is_not_in_the_background() {
    let sandbox = limited(Duration::from_millis(200), Duration::from_millis(200));
    start(&sandbox, "sleep 0.01 &");
    let result = sandbox
        .run_blocking("(sleep 0.6; echo inner) & sleep 0.8; wait; echo outer")
        .unwrap();
    assert_eq!(result.stdout_text(), "inner\nouter\n");
    let result = sandbox
        .command(["bash", "-c", "sleep 0.5; echo alone"])
        .run_blocking()
        .unwrap();
    assert_eq!(result.stdout_text(), "alone\n");
}
