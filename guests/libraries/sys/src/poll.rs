//! Waiting for a descriptor or for a time.

use std::time::Duration;

use codepod_abi::Errno;
use codepod_abi::wire::wasi::{
    CLOCK_MONOTONIC, EVENT_CLOCK, EVENT_FD_READ, EVENT_FD_WRITE, EVENT_SIZE, SUBSCRIPTION_SIZE,
};

use crate::descriptor::Fd;
use crate::{address, address_mut, check, raw};

/// Waits until a read of `fd` would not wait: there is something, or the end. False when `timeout`
/// came first; zero only asks.
///
/// Fails with [`Errno::Badf`] when `fd` cannot be read and [`Errno::Intr`] when a caught signal
/// came first.
pub fn readable(fd: Fd, timeout: Option<Duration>) -> Result<bool, Errno> {
    ready(EVENT_FD_READ, fd, timeout)
}

/// Waits until a write to `fd` would not wait. Fails as [`readable`] does.
pub fn writable(fd: Fd, timeout: Option<Duration>) -> Result<bool, Errno> {
    ready(EVENT_FD_WRITE, fd, timeout)
}

/// Waits until a read of one of some descriptors would not wait, and returns the place of the first
/// that is so.
///
/// Fails with [`Errno::Badf`] when one cannot be read, [`Errno::Inval`] when there are none or too
/// many, and [`Errno::Intr`] when a caught signal came first.
pub fn any_readable(fds: &[Fd]) -> Result<usize, Errno> {
    any_readable_within(fds, None)?.ok_or(Errno::Inval)
}

/// Waits as [`any_readable`] does; none when `timeout` came first.
pub fn any_readable_within(fds: &[Fd], timeout: Option<Duration>) -> Result<Option<usize>, Errno> {
    let mut subscriptions: Vec<Subscription> = fds
        .iter()
        .zip(0u64..)
        .map(|(fd, place)| Subscription([place, EVENT_FD_READ.into(), fd.0.into(), 0, 0, 0]))
        .collect();
    // The clock comes last: what is ready at once counts, also with no time at all.
    subscriptions.extend(timeout.map(after));
    let mut events = vec![[0u64; EVENT_SIZE as usize / 8]; subscriptions.len()];
    let mut count = 0u32;
    // SAFETY: the call reads the subscriptions, and writes as many events at most and to `count`.
    let number = unsafe {
        raw::poll_oneoff(
            address(subscriptions.as_ptr()),
            address_mut(events.as_mut_ptr()),
            subscriptions.len() as u32,
            address_mut(&mut count),
        )
    };
    check(number)?;
    // After the user data: the error in 16 bits, then the kind.
    let [place, result, ..] = *events.first().ok_or(Errno::Inval)?;
    check((result as u16).into())?;
    Ok(((result >> 16) as u8 != EVENT_CLOCK).then_some(place as usize))
}

/// Waits so long. Fails with [`Errno::Intr`] when a caught signal came first.
pub fn sleep(time: Duration) -> Result<(), Errno> {
    wait(&[after(time)]).map(drop)
}

fn ready(kind: u8, fd: Fd, timeout: Option<Duration>) -> Result<bool, Errno> {
    let mut stream = Subscription::default();
    stream.0[1] = kind.into();
    stream.0[2] = fd.0.into();
    let (event, error) = match timeout {
        None => wait(&[stream])?,
        // The clock comes second: what is ready at once counts, also with no time at all.
        Some(timeout) => wait(&[stream, after(timeout)])?,
    };
    match error {
        Some(errno) => Err(errno),
        None => Ok(event != EVENT_CLOCK),
    }
}

/// A subscription as WASI lays it out: user data, tag, then what the tag says.
#[derive(Default, Clone, Copy)]
#[repr(C)]
struct Subscription([u64; SUBSCRIPTION_SIZE as usize / 8]);

fn after(time: Duration) -> Subscription {
    let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    Subscription([
        0,
        EVENT_CLOCK.into(),
        CLOCK_MONOTONIC.into(),
        nanoseconds,
        0,
        0,
    ])
}

/// Waits for the first of some; its kind and its error.
fn wait(subscriptions: &[Subscription]) -> Result<(u8, Option<Errno>), Errno> {
    let mut events = [[0u64; EVENT_SIZE as usize / 8]; 2];
    debug_assert!(subscriptions.len() <= events.len());
    let mut count = 0u32;
    // SAFETY: the call reads the subscriptions, and writes as many events at most and to `count`.
    let number = unsafe {
        raw::poll_oneoff(
            address(subscriptions.as_ptr()),
            address_mut(events.as_mut_ptr()),
            subscriptions.len() as u32,
            address_mut(&mut count),
        )
    };
    check(number)?;
    // After the user data: the error in 16 bits, then the kind.
    let [_, result, ..] = events[0];
    let error = result as u16;
    let kind = (result >> 16) as u8;
    Ok((kind, check(error.into()).err()))
}
