//! Serving the host: every outcome of `session_next` and `session_done`. Started by the host as the
//! shell.

use codepod_abi::wire::{GROUP_INHERIT, SIGNAL_CATCH};
use codepod_sys::session::{HINTS, Request, Run};
use codepod_sys::signal::raise;
use test_programs::resources::{spawn, wait};
use test_programs::{
    BAD, Errno, Signal, Slot, at, call, check, expect_errno, expect_ok, failures, finish, len,
};

/// What the host asks for.
const SCRIPT: &[u8] = b"a script that does not fit into four bytes";

fn main() {
    let (buffer, used) = (Slot::new([0u8; 256]), Slot::new(0u32));
    let next = |length: u32| call::session_next(buffer.at(), length, used.at());
    if std::env::args()
        .nth(1)
        .is_none_or(|mode| mode != "--codepod-session")
    {
        // session_next, session_done: Perm, for a process that nobody asked to serve.
        expect_errno!(next(256), Errno::Perm);
        expect_errno!(call::session_done(0, 0, 0), Errno::Perm);
        finish();
    }
    // session_next: Fault, Range; the request stays. session_done before it was taken: Inval.
    expect_errno!(call::session_done(0, 0, 0), Errno::Inval);
    expect_errno!(call::session_next(BAD, 32, used.at()), Errno::Fault);
    expect_errno!(call::session_next(buffer.at(), 32, BAD), Errno::Fault);
    expect_errno!(next(4), Errno::Range);
    let size = used.get();
    check!(size > 4, "its size is {size}");
    expect_ok!(next(size));
    check!(used.get() == size, "it became {}", used.get());
    let bytes = buffer.get();
    let asked = Request::decode(&bytes[..size as usize]);
    let script = Run {
        flags: HINTS,
        script: SCRIPT,
        ..Run::default()
    };
    check!(asked == Some(Request::Run(script)), "asked: {asked:?}");

    // session_next while it serves: Inval. session_done: Fault, TooBig, success.
    expect_errno!(next(256), Errno::Inval);
    expect_errno!(call::session_done(0, BAD, 32), Errno::Fault);
    let long = vec![1u8; (64 << 10) + 1];
    expect_errno!(call::session_done(0, at(&long), len(&long)), Errno::TooBig);
    // A program that is started by one that serves does not serve itself.
    let pid = Slot::new(0u32);
    expect_ok!(spawn(&["calls_session"], &[], GROUP_INHERIT, &pid));
    let ended = wait(pid.get());
    check!(ended.is_some_and(|ended| ended.code == 0), "{ended:?}");
    // session_next without a request: Intr. The host drives this process until it waits.
    expect_ok!(call::signal_action(
        Signal::Usr1.raw(),
        SIGNAL_CATCH,
        used.at()
    ));
    check!(raise(Signal::Usr1) == Ok(()), "raise");
    let state = b"state";
    expect_ok!(call::session_done(failures(), at(state), len(state)));
    expect_errno!(next(256), Errno::Intr);
    // The streams are gone, and writing to them does not fail.
    println!("nobody reads this");
    finish();
}
