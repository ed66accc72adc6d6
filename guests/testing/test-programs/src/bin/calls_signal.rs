//! Signals: every outcome of `proc_raise`, `signal_action` and `signal_take`.

use codepod_abi::wire::{SIGNAL_CATCH, SIGNAL_DEFAULT, SIGNAL_IGNORE};
use test_programs::{BAD, Errno, Signal, Slot, call, check, expect_errno, expect_ok, finish};

fn main() {
    let (old, taken) = (Slot::new(9u32), Slot::new(0u64));
    let usr1 = Signal::Usr1.raw();
    // signal_action: success, Fault, Inval.
    expect_ok!(call::signal_action(usr1, SIGNAL_CATCH, old.at()));
    check!(old.get() == SIGNAL_DEFAULT, "it was {}", old.get());
    expect_ok!(call::signal_action(usr1, SIGNAL_CATCH, old.at()));
    check!(old.get() == SIGNAL_CATCH, "it was {}", old.get());
    expect_errno!(call::signal_action(usr1, SIGNAL_CATCH, BAD), Errno::Fault);
    for (signal, action) in [(0, 1), (65, 1), (u32::MAX, 1), (usr1, 3)] {
        expect_errno!(call::signal_action(signal, action, old.at()), Errno::Inval);
    }
    for signal in [Signal::Kill, Signal::Stop] {
        expect_errno!(
            call::signal_action(signal.raw(), SIGNAL_IGNORE, old.at()),
            Errno::Inval
        );
        expect_errno!(
            call::signal_action(signal.raw(), SIGNAL_CATCH, old.at()),
            Errno::Inval
        );
    }

    // proc_raise: success, Inval. WASI's number 10 is SIGUSR1.
    expect_ok!(call::proc_raise(10));
    expect_errno!(call::proc_raise(31), Errno::Inval);
    expect_errno!(call::proc_raise(u32::MAX), Errno::Inval);

    // signal_take: success, Fault.
    expect_ok!(call::signal_take(Signal::Usr2.bit(), taken.at()));
    check!(taken.get() == 0, "took {:x} that did not come", taken.get());
    expect_errno!(call::signal_take(u64::MAX, BAD), Errno::Fault);
    expect_ok!(call::signal_take(u64::MAX, taken.at()));
    // A take that failed may have emptied the set; Linux's sigtimedwait would have.
    let arrived = taken.get() == Signal::Usr1.bit() || taken.get() == 0;
    check!(arrived, "took {:x}", taken.get());
    expect_ok!(call::proc_raise(10));
    expect_ok!(call::signal_take(u64::MAX, taken.at()));
    check!(taken.get() == Signal::Usr1.bit(), "took {:x}", taken.get());
    expect_ok!(call::signal_take(u64::MAX, taken.at()));
    check!(taken.get() == 0, "took {:x} again", taken.get());

    // An ignored signal leaves no trace.
    expect_ok!(call::signal_action(usr1, SIGNAL_IGNORE, old.at()));
    expect_ok!(call::proc_raise(10));
    expect_ok!(call::signal_take(u64::MAX, taken.at()));
    check!(taken.get() == 0, "took {:x}, which is ignored", taken.get());
    finish();
}
