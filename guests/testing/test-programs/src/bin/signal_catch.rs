//! A caught signal interrupts what waits and can be taken once; uncaught, it ends the process.

use codepod_sys::process::{Of, Pid, Status, ids, kill, wait};
use codepod_sys::signal::{Action, SignalSet, set_action, take};
use codepod_sys::{Errno, Signal, Spawn};
use test_programs::resources::{number_argument, sleep};
use test_programs::{check, finish};

fn main() -> Result<(), Errno> {
    let parent = number_argument(1, 0) as u32;
    if parent != 0 {
        sleep(50_000_000);
        kill(Of::Process(Pid(parent)), Signal::Usr1)?;
        kill(Of::Process(ids()?.pid), Signal::Usr2)?;
        // Nobody catches SIGUSR2 here.
        sleep(60_000_000_000);
        return Ok(());
    }
    set_action(Signal::Usr1, Action::Catch)?;
    let own = ids()?.pid.0.to_string();
    let pid = Spawn::new("/bin/signal_catch")
        .args(["signal_catch", &own])
        .stdio()
        .start()?;
    let slept = sleep(60_000_000_000);
    check!(
        slept == u32::from(Errno::Intr.raw()),
        "sleeping ended with {slept}"
    );
    let taken = take(SignalSet::ALL)?;
    check!(
        taken == SignalSet::default().with(Signal::Usr1),
        "took {taken:?}"
    );
    check!(take(SignalSet::ALL)?.is_empty(), "took it twice");
    let ended = wait(Of::Process(pid));
    check!(
        ended == Ok((pid, Status::Signaled(Signal::Usr2))),
        "the child: {ended:?}"
    );
    finish();
}
