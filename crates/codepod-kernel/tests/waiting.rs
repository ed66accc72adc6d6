//! Calls that wait: pipes, polls, fifos. Each leaves its waker where the event will happen, and
//! gives up what it holds when its process ends.

mod support;

use std::task::Poll;

use codepod_abi::table::Call;
use codepod_abi::wire::wasi::{EVENT_CLOCK, EVENT_FD_READ, EVENT_FD_WRITE, rights};
use codepod_abi::{Errno, Signal};
use codepod_kernel::{Pid, syscalls};
use support::{BYTES, Got, Machine, OUT};

const READ: u64 = rights::FD_READ | rights::POLL_FD_READWRITE;
const WRITE: u64 = rights::FD_WRITE | rights::POLL_FD_READWRITE;

/// An event: what the subscription said, its error, kind, bytes, and whether the other end is
/// closed.
type Event = (u64, u16, u8, u64, bool);

/// `poll_oneoff` of subscriptions: kind and descriptor, or nanoseconds for a clock.
fn poll(machine: &mut Machine, pid: Pid, wanted: &[(u8, u64)]) -> Poll<Result<Vec<Event>, Got>> {
    for (i, (kind, value)) in wanted.iter().enumerate() {
        let mut raw = [0; 48];
        raw[0..8].copy_from_slice(&(100 + i as u64).to_le_bytes());
        raw[8] = *kind;
        if *kind == EVENT_CLOCK {
            raw[16] = 1;
            raw[24..32].copy_from_slice(&value.to_le_bytes());
        } else {
            raw[16..24].copy_from_slice(&value.to_le_bytes());
        }
        machine.put(pid, BYTES + 48 * i as u32, &raw);
    }
    let count = wanted.len() as u32;
    let events = BYTES + 4096;
    machine
        .poll(pid, Call::poll_oneoff, |call| {
            syscalls::poll_oneoff(call, BYTES, events, count, OUT)
        })
        .map(|got| match got {
            Got::Fine => {
                let found = machine.word(pid, OUT);
                Ok((0..found)
                    .map(|i| {
                        let at = (events + 32 * i) as usize;
                        let raw = machine.memory(pid)[at..at + 32].to_vec();
                        let long =
                            |at: usize| u64::from_le_bytes(raw[at..at + 8].try_into().unwrap());
                        let error = u16::from_le_bytes([raw[8], raw[9]]);
                        (long(0), error, raw[10], long(16), raw[24] == 1)
                    })
                    .collect())
            }
            other => Err(other),
        })
}

fn ready<T, E>(value: T) -> Poll<Result<T, E>> {
    Poll::Ready(Ok(value))
}

#[test]
fn a_reader_waits_for_bytes_and_for_the_end() {
    let mut machine = Machine::new();
    let pid = machine.start();
    let (read, write) = machine.pipe(pid).unwrap();
    assert!(machine.read(pid, read, 10).is_pending());
    assert_eq!(machine.write(pid, write, b"abc"), ready(3));
    assert_eq!(machine.bell.rung(), 1);
    assert_eq!(machine.read(pid, read, 2), ready(b"ab".to_vec()));
    assert_eq!(machine.read(pid, read, 2), ready(b"c".to_vec()));
    assert!(machine.read(pid, read, 2).is_pending());
    machine.close(pid, write);
    assert_eq!(machine.bell.rung(), 2);
    assert_eq!(machine.read(pid, read, 2), ready(Vec::new()));
}

#[test]
fn a_writer_waits_for_room_and_remembers_what_it_wrote() {
    let mut machine = Machine::new();
    let writer = machine.start();
    let (read, write) = machine.pipe(writer).unwrap();
    // The reader has it as its standard input.
    let got = machine.ready(writer, Call::fd_dup_to, |call| {
        syscalls::fd_dup_to(call, read, 0)
    });
    assert_eq!(got, Got::Fine);
    let reader = machine.child(writer);
    let bytes: Vec<u8> = (0..200_000u32).map(|i| (i % 251) as u8).collect();
    let mut read = Vec::new();
    loop {
        let wrote = machine.write(writer, write, &bytes);
        let rung = machine.bell.rung();
        let Poll::Ready(Ok(part)) = machine.read(reader, 0, 50_000) else {
            panic!("the pipe is full")
        };
        read.extend(part);
        if wrote.is_ready() {
            assert_eq!(wrote, ready(200_000), "all of it, once");
            break;
        }
        assert!(machine.bell.rung() > rung, "the writer is told of the room");
    }
    while read.len() < bytes.len() {
        let Poll::Ready(Ok(part)) = machine.read(reader, 0, 50_000) else {
            panic!("{} bytes are missing", bytes.len() - read.len())
        };
        read.extend(part);
    }
    assert!(read == bytes);
    assert!(machine.read(reader, 0, 1).is_pending());
}

#[test]
fn who_writes_can_wait_for_the_end_of_the_reader() {
    let mut machine = Machine::new();
    let pid = machine.start();
    let (read, write) = machine.pipe(pid).unwrap();
    let wanted = [(EVENT_FD_READ, u64::from(write))];
    assert!(poll(&mut machine, pid, &wanted).is_pending());
    machine.close(pid, read);
    assert_eq!(machine.bell.rung(), 1);
    let event = (100, 0, EVENT_FD_READ, 0, true);
    assert_eq!(poll(&mut machine, pid, &wanted), ready(vec![event]));
}

#[test]
fn a_write_without_readers_is_a_signal_and_an_error() {
    let mut machine = Machine::new();
    let parent = machine.start();
    let (read, write) = machine.pipe(parent).unwrap();
    machine.close(parent, read);
    machine.action(parent, Signal::Pipe, codepod_abi::wire::SIGNAL_IGNORE);
    assert_eq!(
        machine.write(parent, write, b"x"),
        Poll::Ready(Err(Got::Fails(Errno::Pipe)))
    );
    machine.action(parent, Signal::Pipe, codepod_abi::wire::SIGNAL_DEFAULT);
    assert_eq!(
        machine.write(parent, write, b"x"),
        Poll::Ready(Err(Got::Ends))
    );
}

#[test]
fn a_poll_finds_what_is_ready_and_waits_for_what_is_not() {
    let mut machine = Machine::new();
    let pid = machine.start();
    let (read, write) = machine.pipe(pid).unwrap();
    let (read, write) = (u64::from(read), u64::from(write));
    // A pipe with room can be written; an empty one cannot be read.
    assert_eq!(
        poll(
            &mut machine,
            pid,
            &[(EVENT_FD_READ, read), (EVENT_FD_WRITE, write)]
        ),
        ready(vec![(101, 0, EVENT_FD_WRITE, 65_536, false)])
    );
    assert!(poll(&mut machine, pid, &[(EVENT_FD_READ, read)]).is_pending());
    let rung = machine.bell.rung();
    assert_eq!(machine.write(pid, write as u32, b"abc"), ready(3));
    assert!(machine.bell.rung() > rung);
    assert_eq!(
        poll(&mut machine, pid, &[(EVENT_FD_READ, read)]),
        ready(vec![(100, 0, EVENT_FD_READ, 3, false)])
    );
    machine.close(pid, write as u32);
    assert_eq!(
        poll(&mut machine, pid, &[(EVENT_FD_READ, read)]),
        ready(vec![(100, 0, EVENT_FD_READ, 3, true)])
    );
    // A descriptor that is not open is an event with an error, not an error.
    assert_eq!(
        poll(&mut machine, pid, &[(EVENT_FD_READ, 99)]),
        ready(vec![(100, Errno::Badf.raw(), EVENT_FD_READ, 0, false)])
    );
    // None at all, an unknown kind, and too many are errors.
    for count in [0, 4097, u32::MAX] {
        let got = machine.poll(pid, Call::poll_oneoff, |call| {
            syscalls::poll_oneoff(call, BYTES, BYTES, count, OUT)
        });
        assert_eq!(got, Poll::Ready(Got::Fails(Errno::Inval)), "{count}");
    }
    assert_eq!(
        poll(&mut machine, pid, &[(7, 0)]),
        Poll::Ready(Err(Got::Fails(Errno::Inval)))
    );
}

#[test]
fn a_sleep_counts_from_its_first_poll() {
    let mut machine = Machine::new();
    let pid = machine.start();
    let clocks = [(EVENT_CLOCK, 1_000_000), (EVENT_CLOCK, 3_000_000)];
    assert!(poll(&mut machine, pid, &clocks).is_pending());
    machine.host.advance(600_000);
    // Woken for nothing: it does not start anew.
    assert!(poll(&mut machine, pid, &clocks).is_pending());
    assert_eq!(machine.host.next_timer(), Some(1_000_000));
    machine.host.advance(400_000);
    assert_eq!(machine.bell.rung(), 1);
    assert_eq!(
        poll(&mut machine, pid, &clocks),
        ready(vec![(100, 0, EVENT_CLOCK, 0, false)])
    );
    // The next sleep is one of its own.
    assert!(poll(&mut machine, pid, &clocks).is_pending());
    machine.host.advance(999_999);
    assert!(poll(&mut machine, pid, &clocks).is_pending());
    // The longest there is does not overflow.
    assert!(poll(&mut machine, pid, &[(EVENT_CLOCK, u64::MAX)]).is_pending());
}

fn with_fifo() -> Machine {
    let mut machine = Machine::new();
    let maker = machine.start();
    machine.put(maker, BYTES, b"tmp/fifo");
    let made = machine.ready(maker, Call::path_mkfifo, |call| {
        syscalls::path_mkfifo(call, 3, BYTES, 8, 0o666)
    });
    assert_eq!(made, Got::Fine);
    machine.ends(maker, 0);
    machine.kernel.reap(maker);
    assert_eq!(machine.kernel.open_count(), 0);
    machine
}

#[test]
fn a_fifo_is_open_when_both_ends_are() {
    let mut machine = with_fifo();
    let (reader, writer) = (machine.start(), machine.start());
    assert!(machine.open(reader, "tmp/fifo", READ).is_pending());
    let rung = machine.bell.rung();
    let Poll::Ready(Ok(write)) = machine.open(writer, "tmp/fifo", WRITE) else {
        panic!("there is a reader")
    };
    assert!(machine.bell.rung() > rung);
    let Poll::Ready(Ok(read)) = machine.open(reader, "tmp/fifo", READ) else {
        panic!("there is a writer")
    };
    assert_eq!(machine.write(writer, write, b"hello"), ready(5));
    assert_eq!(machine.read(reader, read, 10), ready(b"hello".to_vec()));
    machine.close(writer, write);
    assert_eq!(machine.read(reader, read, 10), ready(Vec::new()));
    for pid in [reader, writer] {
        machine.ends(pid, 0);
        machine.kernel.reap(pid);
    }
    assert_eq!(machine.kernel.open_count(), 0);
}

#[test]
fn a_fifo_that_was_open_for_a_moment_is_enough() {
    let mut machine = with_fifo();
    let (reader, writer) = (machine.start(), machine.start());
    assert!(machine.open(reader, "tmp/fifo", READ).is_pending());
    let Poll::Ready(Ok(write)) = machine.open(writer, "tmp/fifo", WRITE) else {
        panic!("there is a reader")
    };
    // It writes and leaves before the reader has looked.
    assert_eq!(machine.write(writer, write, b"x"), ready(1));
    machine.ends(writer, 0);
    let Poll::Ready(Ok(read)) = machine.open(reader, "tmp/fifo", READ) else {
        panic!("there was a writer")
    };
    assert_eq!(machine.read(reader, read, 10), ready(b"x".to_vec()));
    assert_eq!(machine.read(reader, read, 10), ready(Vec::new()));
}

#[test]
fn an_open_that_is_given_up_holds_nothing() {
    let mut machine = with_fifo();
    let reader = machine.start();
    assert!(machine.open(reader, "tmp/fifo", READ).is_pending());
    machine.kernel.signal(reader, Signal::Kill).unwrap();
    assert_eq!(
        machine.open(reader, "tmp/fifo", READ),
        Poll::Ready(Err(Got::Ends))
    );
    machine.ends(reader, 0);
    machine.kernel.reap(reader);
    assert_eq!(machine.kernel.open_count(), 0);
    // A writer that comes now finds no reader.
    let writer = machine.start();
    assert!(machine.open(writer, "tmp/fifo", WRITE).is_pending());
    // Interrupted: nothing is held either.
    machine.action(writer, Signal::Usr1, codepod_abi::wire::SIGNAL_CATCH);
    machine.kernel.signal(writer, Signal::Usr1).unwrap();
    assert_eq!(
        machine.open(writer, "tmp/fifo", WRITE),
        Poll::Ready(Err(Got::Fails(Errno::Intr)))
    );
    machine.ends(writer, 0);
    machine.kernel.reap(writer);
    assert_eq!(machine.kernel.open_count(), 0);
}

// WM-10: the buffers of a call may be the same memory many times over.
#[test]
fn wm_10_one_call_moves_a_bounded_number_of_bytes() {
    let mut machine = Machine::new();
    let pid = machine.start();
    let Poll::Ready(Ok(file)) = machine.open(pid, "file", READ | WRITE) else {
        panic!("it is there")
    };
    // 1,024 times 128 KiB are 128 MiB of writing; 16 MiB are done.
    for i in 0..1024u32 {
        let [at, len] = [65_536u32, 128 << 10].map(u32::to_le_bytes);
        machine.put(pid, 16_384 + 8 * i, &[at, len].concat());
    }
    let wrote = machine.poll(pid, Call::fd_write, |call| {
        syscalls::fd_write(call, file, 16_384, 1024, OUT)
    });
    assert_eq!(wrote, Poll::Ready(Got::Fine));
    assert_eq!(machine.word(pid, OUT), 16 << 20);
    let read = machine.ready(pid, Call::fd_pread, |call| {
        syscalls::fd_pread(call, file, 16_384, 1024, 0, OUT)
    });
    assert_eq!(read, Got::Fine);
    assert_eq!(machine.word(pid, OUT), 16 << 20);
    // Randomness comes in pieces with others between, and all of it comes.
    let (at, len) = (65_536, 128 << 10);
    machine.memory(pid)[at as usize..].fill(0);
    let got = machine.poll(pid, Call::random_get, |call| {
        syscalls::random_get(call, at, len)
    });
    assert_eq!(got, Poll::Ready(Got::Fine));
    let bytes = &machine.memory(pid)[at as usize..][..len as usize];
    assert!(
        bytes
            .chunks(64)
            .all(|chunk| chunk.iter().any(|byte| *byte != 0))
    );
}
