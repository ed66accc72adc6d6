//! Using things up: descriptors, room, nodes, time.

use codepod_abi::wire::wasi::{fdflags, rights};
use codepod_abi::wire::{SIGNAL_CATCH, SIGNAL_DEFAULT, SIGNAL_IGNORE, SpawnRequest, WaitResult};
use codepod_abi::{Errno, Signal};

use crate::{CLOSED, Slot, at, call, check, expect, iovec, len, paths};

/// Makes a pipe: its read and write ends.
pub fn pipe() -> (u32, u32) {
    let (read, write) = (Slot::new(CLOSED), Slot::new(CLOSED));
    let number = call::fd_pipe(read.at(), write.at());
    check!(number == 0, "fd_pipe: {number}");
    (read.get(), write.get())
}

/// Makes two connected sockets.
pub fn socket_pair() -> (u32, u32) {
    let (first, second) = (Slot::new(CLOSED), Slot::new(CLOSED));
    let number = call::sock_pair(first.at(), second.at());
    check!(number == 0, "sock_pair: {number}");
    (first.get(), second.get())
}

/// Closes both.
pub fn close_both(pair: (u32, u32)) {
    call::fd_close(pair.0);
    call::fd_close(pair.1);
}

/// Duplicates standard error until the process has no room for one more; returns the duplicates.
pub fn fill_descriptors() -> Vec<u32> {
    let mut filled = Vec::new();
    let new = Slot::new(CLOSED);
    // The bound only keeps a kernel without a limit from looping for ever.
    while filled.len() < 4096 && call::fd_dup(2, 0, new.at()) == 0 {
        filled.push(new.get());
    }
    filled
}

/// Writes until the pipe or socket is full; leaves it non-blocking.
pub fn fill_pipe(write_end: u32) {
    call::fd_fdstat_set_flags(write_end, fdflags::NONBLOCK.into());
    let count = Slot::new(0u32);
    for size in [4096, 1] {
        let bytes = vec![b'x'; size];
        let iovec = iovec(&bytes);
        let mut rounds = 0;
        while call::fd_write(write_end, iovec.at(), 1, count.at()) == 0 && rounds < 100_000 {
            rounds += 1;
        }
    }
}

/// Fills the file system with files `fill0`, `fill1` … in a directory; returns the bytes written.
pub fn fill_bytes(directory: u32) -> u64 {
    ignore(Signal::Xfsz);
    let block = vec![b'x'; 65536];
    let count = Slot::new(0u32);
    let mut total = 0;
    for number in 0..256 {
        let Ok(file) = paths::open(directory, &format!("fill{number}"), 1, paths::BOTH, 0) else {
            break;
        };
        let mut last = 0;
        for size in [65536, 4096, 256, 1] {
            loop {
                last = call::fd_write(file, iovec(&block[..size]).at(), 1, count.at());
                // The bound only keeps a kernel without a limit from filling the host.
                if last != 0 || total > 1 << 30 {
                    break;
                }
                total += u64::from(count.get());
            }
        }
        call::fd_close(file);
        if last == u32::from(Errno::NoSpc.raw()) {
            break;
        }
    }
    total
}

/// Creates directories `node0`, `node1` … until there is no room for a node; returns their number.
pub fn fill_nodes(directory: u32) -> u32 {
    let mut made = 0;
    while made < 100_000 && paths::create_directory(directory, &format!("node{made}")) == 0 {
        made += 1;
    }
    made
}

/// Removes everything in a directory that is open.
pub fn remove_all(directory: u32) {
    // Names are read anew after every sweep, since removing moves what is left.
    for _ in 0..1000 {
        let names = names(directory);
        if names.is_empty() {
            return;
        }
        for name in names {
            if paths::unlink(directory, &name) != 0
                && paths::remove_directory(directory, &name) != 0
                && let Ok(inner) = paths::open(directory, &name, 2, paths::READ, 0)
            {
                remove_all(inner);
                call::fd_close(inner);
                paths::remove_directory(directory, &name);
            }
        }
    }
}

/// The names in a directory, as far as one buffer reaches, without `.` and `..`.
pub fn names(directory: u32) -> Vec<String> {
    let buffer = Slot::new([0u8; 4096]);
    let used = Slot::new(0u32);
    if call::fd_readdir(directory, buffer.at(), 4096, 0, used.at()) != 0 {
        return Vec::new();
    }
    let bytes = buffer.get();
    let mut rest = &bytes[..(used.get() as usize).min(4096)];
    let mut names = Vec::new();
    while let Some((head, tail)) = rest.split_at_checked(24) {
        let length = u32::from_le_bytes([head[16], head[17], head[18], head[19]]) as usize;
        let Some((name, tail)) = tail.split_at_checked(length) else {
            break;
        };
        if name != b"." && name != b".." {
            names.push(String::from_utf8_lossy(name).into_owned());
        }
        rest = tail;
    }
    names
}

/// Ignores a signal.
pub fn ignore(signal: Signal) {
    call::signal_action(signal.raw(), SIGNAL_IGNORE, Slot::new(0u32).at());
}

/// Lets a caught SIGALRM come while `wait` waits, which must fail with `Intr`.
pub fn expect_interrupted(line: u32, name: &str, wait: impl FnOnce() -> u32) {
    let (old, left, taken) = (Slot::new(0u32), Slot::new(0u64), Slot::new(0u64));
    call::signal_action(Signal::Alrm.raw(), SIGNAL_CATCH, old.at());
    call::proc_alarm(50_000_000, left.at());
    let number = wait();
    call::proc_alarm(0, left.at());
    call::signal_take(u64::MAX, taken.at());
    call::signal_action(Signal::Alrm.raw(), SIGNAL_DEFAULT, old.at());
    expect(line, name, number, Some(Errno::Intr));
    check!(
        taken.get() == Signal::Alrm.bit(),
        "{name}: SIGALRM was not taken"
    );
}

/// Opens a file and takes `right` away from the descriptor.
pub fn without_right(directory: u32, path: &str, right: u64) -> u32 {
    let fd = paths::create(directory, path);
    let base = paths::BOTH & !right;
    let number = call::fd_fdstat_set_rights(fd, base & granted(fd), 0);
    check!(number == 0, "fd_fdstat_set_rights: {number}");
    fd
}

/// The rights that a descriptor has.
pub fn granted(fd: u32) -> u64 {
    let stat = Slot::new([0u64; 3]);
    if call::fd_fdstat_get(fd, stat.at()) != 0 {
        return rights::ALL;
    }
    stat.get()[1]
}

/// Starts `/bin/NAME` with arguments, standard descriptors and those of `fds`; the number of the
/// call.
pub fn spawn(arguments: &[&str], fds: &[[u32; 2]], group: u32, pid: &Slot<u32>) -> u32 {
    let path = format!("/bin/{}", arguments.first().unwrap_or(&""));
    let argv = arguments
        .iter()
        .fold(String::new(), |argv, argument| argv + argument + "\0");
    let mut all = vec![[0, 0], [1, 1], [2, 2]];
    all.extend_from_slice(fds);
    let request = Slot::new(SpawnRequest {
        path: at(path.as_bytes()),
        path_len: len(path.as_bytes()),
        argv: at(argv.as_bytes()),
        argv_len: len(argv.as_bytes()),
        fds: all.as_ptr().expose_provenance() as u32,
        fds_len: all.len() as u32,
        group,
        ..SpawnRequest::default()
    });
    call::proc_spawn(request.at(), pid.at())
}

/// Waits for a child without flags; `None` when that fails.
pub fn wait(pid: u32) -> Option<WaitResult> {
    let result = Slot::new(WaitResult::default());
    let number = call::proc_wait(pid.cast_signed(), 0, result.at());
    (number == 0).then(|| result.get())
}

/// Waits so many nanoseconds with `poll_oneoff`; the number of the call.
pub fn sleep(nanoseconds: u64) -> u32 {
    let subscription = Slot::new([0, 0, 1, nanoseconds, 0, 0u64]);
    let (event, count) = (Slot::new([0u64; 4]), Slot::new(0u32));
    call::poll_oneoff(subscription.at(), event.at(), 1, count.at())
}

/// The program's argument of a place as a number, or another one.
pub fn number_argument(place: usize, otherwise: u64) -> u64 {
    let argument = std::env::args().nth(place);
    argument
        .and_then(|argument| argument.parse().ok())
        .unwrap_or(otherwise)
}
