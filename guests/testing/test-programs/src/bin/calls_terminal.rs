//! Terminals: every outcome of `tty_get` and `tty_set`. Run it with a terminal as standard input.

use codepod_abi::wire::TerminalState;
use test_programs::resources::{close_both, pipe};
use test_programs::{BAD, CLOSED, Errno, Slot, call, check, expect_errno, expect_ok, finish};

fn main() {
    let state = Slot::new(TerminalState::default());
    let (reading, writing) = pipe();
    // tty_get: success, Badf, Fault, NotTy.
    expect_ok!(call::tty_get(0, state.at()));
    let first = state.get();
    check!(first.rows > 0 && first.columns > 0, "{first:?}");
    expect_errno!(call::tty_get(CLOSED, state.at()), Errno::Badf);
    expect_errno!(call::tty_get(0, BAD), Errno::Fault);
    expect_errno!(call::tty_get(reading, state.at()), Errno::NotTy);

    // tty_set: success, Badf, Fault, Inval, NotTy.
    let changed = TerminalState {
        rows: 50,
        columns: 132,
        mode: TerminalState::SIGNALS,
    };
    state.set(changed);
    expect_ok!(call::tty_set(0, state.at()));
    expect_errno!(call::tty_set(CLOSED, state.at()), Errno::Badf);
    expect_errno!(call::tty_set(reading, state.at()), Errno::NotTy);
    expect_errno!(call::tty_set(0, BAD), Errno::Fault);
    state.set(TerminalState {
        mode: TerminalState::ALL + 1,
        ..changed
    });
    expect_errno!(call::tty_set(0, state.at()), Errno::Inval);
    expect_ok!(call::tty_get(0, state.at()));
    check!(state.get() == changed, "{:?}", state.get());
    state.set(first);
    expect_ok!(call::tty_set(0, state.at()));
    close_both((reading, writing));
    finish();
}
