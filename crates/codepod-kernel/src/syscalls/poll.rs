//! `poll_oneoff`: waiting for descriptors and clocks.

use std::task::Poll;

use codepod_abi::Errno;
use codepod_abi::wire::wasi::{
    CLOCK_REALTIME, EVENT_CLOCK, EVENT_FD_READ, EVENT_FD_WRITE, EVENT_HANGUP, EVENT_SIZE,
    SUBSCRIPTION_CLOCK_ABSTIME, SUBSCRIPTION_SIZE, rights,
};

use super::{Syscall, clock};
use crate::ids::{PipeId, SocketId};
use crate::kernel::Kernel;
use crate::limits::Limits;
use crate::memory::GuestMemory;
use crate::net::Side;
use crate::open_file::Object;
use crate::pipe::{ATOMIC_WRITE, End};

/// One subscription.
enum Wanted {
    /// A point on the monotonic clock.
    Clock(u64),
    Read(u32),
    Write(u32),
}

/// What a subscription found.
struct Event {
    error: Option<Errno>,
    bytes: u64,
    hangup: bool,
}

/// What a descriptor is waiting for.
enum Readiness {
    Ready(Event),
    /// Nothing yet; this tells when.
    Wait(Source),
}

/// What tells that a descriptor may be ready.
#[derive(Clone, Copy)]
enum Source {
    Pipe(PipeId, End),
    Socket(SocketId, Side),
}

impl Event {
    const PLAIN: Event = Event {
        error: None,
        bytes: 0,
        hangup: false,
    };
}

/// Waits until a descriptor is ready or a clock has reached a time.
pub fn poll_oneoff<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    subscriptions: u32,
    events: u32,
    count: u32,
    nevents: u32,
) -> Poll<Result<(), Errno>> {
    match look(call, subscriptions, events, count, nevents) {
        Err(errno) => Poll::Ready(Err(errno)),
        Ok(Looked::Found) => Poll::Ready(Ok(())),
        Ok(Looked::Nothing { deadline, sources }) => call.wait(
            (deadline != u64::MAX).then_some(deadline),
            |kernel, waiter, waker| {
                for source in sources {
                    match source {
                        Source::Pipe(pipe, end) => kernel.wait_for_pipe(pipe, end, waiter, waker),
                        Source::Socket(id, side) => kernel.net.wait_for(id, side, waiter, waker),
                    }
                }
            },
        ),
    }
}

enum Looked {
    Found,
    Nothing { deadline: u64, sources: Vec<Source> },
}

fn look<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    subscriptions: u32,
    events: u32,
    count: u32,
    nevents: u32,
) -> Result<Looked, Errno> {
    if count == 0 || count > Limits::SUBSCRIPTIONS {
        return Err(Errno::Inval);
    }
    call.memory
        .read(subscriptions, count * SUBSCRIPTION_SIZE, |_| ())?;
    call.memory.check(events, count * EVENT_SIZE)?;
    call.memory.check(nevents, 4)?;
    let now = call.kernel.host.monotonic();
    let began = *call.process_mut()?.waiting.began.get_or_insert(now);

    let mut found = 0;
    let mut earliest = u64::MAX;
    let mut sources = Vec::new();
    for i in 0..count {
        let raw: [u8; SUBSCRIPTION_SIZE as usize] = call
            .memory
            .read_array(subscriptions + i * SUBSCRIPTION_SIZE)?;
        let (kind, event) = match parse(call.kernel, &raw, began)? {
            Wanted::Clock(deadline) if deadline <= now => (EVENT_CLOCK, Event::PLAIN),
            Wanted::Clock(deadline) => {
                earliest = earliest.min(deadline);
                continue;
            }
            Wanted::Read(fd) => match readable(call, fd) {
                Ok(Readiness::Ready(event)) => (EVENT_FD_READ, event),
                Ok(Readiness::Wait(source)) => {
                    sources.push(source);
                    continue;
                }
                Err(errno) => (
                    EVENT_FD_READ,
                    Event {
                        error: Some(errno),
                        ..Event::PLAIN
                    },
                ),
            },
            Wanted::Write(fd) => match writable(call, fd) {
                Ok(Readiness::Ready(event)) => (EVENT_FD_WRITE, event),
                Ok(Readiness::Wait(source)) => {
                    sources.push(source);
                    continue;
                }
                Err(errno) => (
                    EVENT_FD_WRITE,
                    Event {
                        error: Some(errno),
                        ..Event::PLAIN
                    },
                ),
            },
        };
        let mut bytes = [0; EVENT_SIZE as usize];
        bytes[0..8].copy_from_slice(&raw[0..8]);
        bytes[8..10].copy_from_slice(&event.error.map_or(0, Errno::raw).to_le_bytes());
        bytes[10] = kind;
        bytes[16..24].copy_from_slice(&event.bytes.to_le_bytes());
        bytes[24..26].copy_from_slice(&(if event.hangup { EVENT_HANGUP } else { 0 }).to_le_bytes());
        call.memory
            .write_bytes(events + found * EVENT_SIZE, &bytes)?;
        found += 1;
    }
    if found > 0 {
        call.memory.write_u32(nevents, found)?;
        return Ok(Looked::Found);
    }
    Ok(Looked::Nothing {
        deadline: earliest,
        sources,
    })
}

fn parse(
    kernel: &Kernel,
    raw: &[u8; SUBSCRIPTION_SIZE as usize],
    began: u64,
) -> Result<Wanted, Errno> {
    let u32_at = |at: usize| u32::from_le_bytes([raw[at], raw[at + 1], raw[at + 2], raw[at + 3]]);
    let u64_at = |at: usize| u64::from(u32_at(at)) | u64::from(u32_at(at + 4)) << 32;
    match raw[8] {
        EVENT_FD_READ => Ok(Wanted::Read(u32_at(16))),
        EVENT_FD_WRITE => Ok(Wanted::Write(u32_at(16))),
        EVENT_CLOCK => {
            let (id, timeout) = (u32_at(16), u64_at(24));
            let flags = u32_at(40) as u16;
            clock::time(kernel, 0, id)?;
            if flags & !SUBSCRIPTION_CLOCK_ABSTIME != 0 {
                return Err(Errno::Inval);
            }
            let absolute = flags & SUBSCRIPTION_CLOCK_ABSTIME != 0;
            Ok(Wanted::Clock(match (absolute, id) {
                (false, _) => began.saturating_add(timeout),
                (true, CLOCK_REALTIME) => {
                    let left = timeout.saturating_sub(kernel.host.realtime());
                    kernel.host.monotonic().saturating_add(left)
                }
                (true, _) => timeout,
            }))
        }
        _ => Err(Errno::Inval),
    }
}

fn readable<M: GuestMemory>(call: &mut Syscall<'_, M>, fd: u32) -> Result<Readiness, Errno> {
    let (descriptor, object) = match call.readable(fd, rights::POLL_FD_READWRITE) {
        Ok(found) => found,
        Err(errno) => return without_readers(call, fd).map_err(|_| errno),
    };
    let pipe = match object {
        Object::Pipe(pipe, ..) | Object::Fifo(pipe, _) => pipe,
        Object::Socket(id, _) => return socket(call.kernel, id, Side::Read),
        Object::Terminal(id) => call.kernel.terminals.get(id.0).ok_or(Errno::Io)?.input,
        Object::Sink(_) => return Err(Errno::Badf),
        Object::File(_) => {
            let offset = call.open_file(descriptor)?.offset;
            let size = call.stat_object(object)?.size;
            return Ok(Readiness::Ready(Event {
                bytes: size.saturating_sub(offset),
                ..Event::PLAIN
            }));
        }
        Object::Device(..) | Object::Directory(..) | Object::Null => {
            return Ok(Readiness::Ready(Event::PLAIN));
        }
    };
    let state = call.kernel.pipe_mut(pipe)?;
    let hangup = state.writers() == 0;
    if state.len() > 0 || hangup {
        return Ok(Readiness::Ready(Event {
            error: None,
            bytes: state.len() as u64,
            hangup,
        }));
    }
    Ok(Readiness::Wait(Source::Pipe(pipe, End::Read)))
}

/// A socket, whose protocol says what it is ready for.
fn socket(kernel: &Kernel, id: SocketId, side: Side) -> Result<Readiness, Errno> {
    Ok(match kernel.net.readiness(id, side)? {
        Some(found) => Readiness::Ready(Event {
            error: None,
            bytes: found.bytes,
            hangup: found.hangup,
        }),
        None => Readiness::Wait(Source::Socket(id, side)),
    })
}

/// The end of a pipe that is written to, for who wants to read it: as on Linux that is ready when
/// nobody reads the other end any more. Event loops learn in this way that a program has closed its
/// input.
fn without_readers<M: GuestMemory>(call: &mut Syscall<'_, M>, fd: u32) -> Result<Readiness, Errno> {
    let (_, object) = call.writable(fd, rights::POLL_FD_READWRITE)?;
    let (Object::Pipe(pipe, ..) | Object::Fifo(pipe, _)) = object else {
        return Err(Errno::Badf);
    };
    if call.kernel.pipe_mut(pipe)?.readers() > 0 {
        return Ok(Readiness::Wait(Source::Pipe(pipe, End::Write)));
    }
    Ok(Readiness::Ready(Event {
        hangup: true,
        ..Event::PLAIN
    }))
}

fn writable<M: GuestMemory>(call: &mut Syscall<'_, M>, fd: u32) -> Result<Readiness, Errno> {
    let (_, object) = call.writable(fd, rights::POLL_FD_READWRITE)?;
    let pipe = match object {
        Object::Pipe(pipe, ..) | Object::Fifo(pipe, _) => pipe,
        Object::Socket(id, _) => return socket(call.kernel, id, Side::Write),
        Object::Terminal(id) => call.kernel.terminals.get(id.0).ok_or(Errno::Io)?.output,
        _ => return Ok(Readiness::Ready(Event::PLAIN)),
    };
    let state = call.kernel.pipe_mut(pipe)?;
    let hangup = state.readers() == 0;
    // Ready means that a small write goes in whole.
    if state.takes(ATOMIC_WRITE) || hangup {
        return Ok(Readiness::Ready(Event {
            error: None,
            bytes: state.room() as u64,
            hangup,
        }));
    }
    Ok(Readiness::Wait(Source::Pipe(pipe, End::Write)))
}
