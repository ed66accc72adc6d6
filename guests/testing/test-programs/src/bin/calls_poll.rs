//! `poll_oneoff`: every outcome, for clocks and descriptors.

use codepod_abi::wire::wasi::{
    CLOCK_MONOTONIC, EVENT_CLOCK, EVENT_FD_READ, EVENT_FD_WRITE, EVENT_SIZE, SUBSCRIPTION_SIZE,
};
use test_programs::resources::{close_both, expect_interrupted, pipe};
use test_programs::{
    BAD, CLOSED, Errno, Slot, call, check, expect_errno, expect_ok, finish, iovec,
};

/// Six words: userdata, tag, then clock, timeout, precision, flags or a descriptor.
type Subscription = [u64; SUBSCRIPTION_SIZE as usize / 8];
/// Four words: userdata; error and type; bytes; flags.
type Event = [u64; EVENT_SIZE as usize / 8];

fn clock(userdata: u64, nanoseconds: u64) -> Subscription {
    [
        userdata,
        EVENT_CLOCK.into(),
        CLOCK_MONOTONIC.into(),
        nanoseconds,
        0,
        0,
    ]
}

fn descriptor(userdata: u64, tag: u8, fd: u32) -> Subscription {
    [userdata, tag.into(), fd.into(), 0, 0, 0]
}

fn main() {
    let events = Slot::new([[0u64; 4] as Event; 4]);
    let count = Slot::new(0u32);
    let poll = |subscriptions: &[Subscription]| {
        let at = subscriptions.as_ptr().expose_provenance() as u32;
        call::poll_oneoff(at, events.at(), subscriptions.len() as u32, count.at())
    };
    let kind = |event: Event| ((event[1] & 0xffff) as u16, (event[1] >> 16 & 0xff) as u8);

    // poll_oneoff: success, Fault, Inval, Intr.
    expect_ok!(poll(&[clock(77, 1_000_000)]));
    check!(count.get() == 1, "{} events", count.get());
    check!(events.get()[0][0] == 77, "userdata {}", events.get()[0][0]);
    check!(
        kind(events.get()[0]) == (0, EVENT_CLOCK),
        "event {:x?}",
        events.get()[0]
    );

    let one = [clock(0, 0)];
    let at = one.as_ptr().expose_provenance() as u32;
    expect_errno!(
        call::poll_oneoff(BAD, events.at(), 1, count.at()),
        Errno::Fault
    );
    expect_errno!(call::poll_oneoff(at, BAD, 1, count.at()), Errno::Fault);
    expect_errno!(call::poll_oneoff(at, events.at(), 1, BAD), Errno::Fault);
    expect_errno!(
        call::poll_oneoff(at, events.at(), 0, count.at()),
        Errno::Inval
    );
    expect_interrupted(line!(), "poll_oneoff of a clock", || {
        poll(&[clock(0, 3_600_000_000_000)])
    });

    // An empty pipe can be written and not read; a full one read.
    let (reading, writing) = pipe();
    expect_interrupted(line!(), "poll_oneoff of an empty pipe", || {
        poll(&[descriptor(1, EVENT_FD_READ, reading)])
    });
    let both = [
        descriptor(1, EVENT_FD_READ, reading),
        descriptor(2, EVENT_FD_WRITE, writing),
    ];
    expect_ok!(poll(&both));
    check!(
        count.get() == 1 && events.get()[0][0] == 2,
        "event {:x?}",
        events.get()[0]
    );
    call::fd_write(writing, iovec(b"abc").at(), 1, Slot::new(0u32).at());
    expect_ok!(poll(&both[..1]));
    check!(
        kind(events.get()[0]) == (0, EVENT_FD_READ),
        "event {:x?}",
        events.get()[0]
    );
    check!(
        events.get()[0][2] == 3,
        "{} bytes to read",
        events.get()[0][2]
    );
    close_both((reading, writing));

    // What is wrong with one descriptor is told in its event.
    expect_ok!(poll(&[
        descriptor(5, EVENT_FD_READ, CLOSED),
        clock(6, 3_600_000_000_000)
    ]));
    let badf = Errno::Badf.raw();
    check!(
        count.get() == 1 && kind(events.get()[0]) == (badf, EVENT_FD_READ),
        "event {:x?}",
        events.get()[0]
    );
    finish();
}
