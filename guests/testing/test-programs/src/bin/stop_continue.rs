//! A process is stopped, continued and killed, and its parent hears of each.

use codepod_sys::process::{Of, Status, WaitOptions, kill, wait_with};
use codepod_sys::{Errno, Signal, Spawn};
use test_programs::{check, finish};

fn main() -> Result<(), Errno> {
    let pid = Spawn::new("/bin/spin").args(["spin"]).stdio().start()?;
    let of = Of::Process(pid);
    let all = WaitOptions {
        nohang: false,
        stopped: true,
        continued: true,
    };
    for (signal, expected) in [
        (Signal::Stop, Status::Stopped(Signal::Stop)),
        (Signal::Cont, Status::Continued),
        (Signal::Tstp, Status::Stopped(Signal::Tstp)),
        (Signal::Kill, Status::Signaled(Signal::Kill)),
    ] {
        kill(of, signal)?;
        let heard = wait_with(of, all);
        check!(
            heard == Ok(Some((pid, expected))),
            "{}: {heard:?}",
            signal.name()
        );
    }
    finish();
}
