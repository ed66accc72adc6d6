//! Sockets: every outcome of WASI's calls on a connected pair. Those of other sockets are in
//! `calls_connect` and `calls_transfer`.

use codepod_abi::wire::wasi::{RECV_PEEK, SHUT_RD, SHUT_WR, fdflags};
use test_programs::paths;
use test_programs::resources::{
    close_both, expect_interrupted, fill_pipe, ignore, pipe, socket_pair,
};
use test_programs::{
    BAD, CLOSED, Errno, HOME, Signal, Slot, TOO_MANY_IOVECS, call, check, expect_errno, expect_ok,
    finish, iovec, iovec_of,
};

/// As many empty iovecs as no call takes.
static IOVECS: [[u32; 2]; TOO_MANY_IOVECS as usize] = [[0; 2]; TOO_MANY_IOVECS as usize];

fn main() {
    test_programs::start();
    ignore(Signal::Pipe);
    let too_many = IOVECS.as_ptr().expose_provenance() as u32;
    let (first, second) = socket_pair();
    let (reading, writing) = pipe();
    let file = paths::open(HOME, "plain.txt", 0, paths::READ, 0).unwrap_or(CLOSED);
    let (buffer, count, flags) = (Slot::new([0u8; 8]), Slot::new(0u32), Slot::new(0u32));
    let into = iovec_of(&buffer);
    let from = iovec(b"hello");

    // sock_accept: Badf, NotSock, Inval. The rest is in `calls_connect`.
    expect_errno!(call::sock_accept(CLOSED, 0, count.at()), Errno::Badf);
    expect_errno!(call::sock_accept(reading, 0, count.at()), Errno::NotSock);
    expect_errno!(call::sock_accept(file, 0, count.at()), Errno::NotSock);
    expect_errno!(call::sock_accept(first, 0, count.at()), Errno::Inval);

    // sock_send: success, Badf, NotSock, Fault, Inval; Again, Intr, Pipe are below.
    expect_ok!(call::sock_send(first, from.at(), 1, 0, count.at()));
    check!(count.get() == 5, "sent {}", count.get());
    expect_errno!(
        call::sock_send(CLOSED, from.at(), 1, 0, count.at()),
        Errno::Badf
    );
    expect_errno!(
        call::sock_send(writing, from.at(), 1, 0, count.at()),
        Errno::NotSock
    );
    expect_errno!(call::sock_send(first, BAD, 1, 0, count.at()), Errno::Fault);
    expect_errno!(call::sock_send(first, from.at(), 1, 0, BAD), Errno::Fault);
    expect_errno!(
        call::sock_send(first, from.at(), 1, 1, count.at()),
        Errno::Inval
    );
    expect_errno!(
        call::sock_send(first, too_many, TOO_MANY_IOVECS, 0, count.at()),
        Errno::Inval
    );

    // sock_recv: success, Badf, NotSock, Fault, Inval, Again, Intr.
    for peek in [RECV_PEEK, 0] {
        expect_ok!(call::sock_recv(
            second,
            into.at(),
            1,
            peek,
            count.at(),
            flags.at()
        ));
        let text = buffer.get();
        check!(text.starts_with(b"hello"), "received {:?}", buffer.get());
    }
    let recv = |fd, iovs, flag| call::sock_recv(fd, iovs, 1, flag, count.at(), flags.at());
    expect_errno!(recv(CLOSED, into.at(), 0), Errno::Badf);
    expect_errno!(recv(reading, into.at(), 0), Errno::NotSock);
    expect_errno!(recv(file, into.at(), 0), Errno::NotSock);
    expect_errno!(recv(second, BAD, 0), Errno::Fault);
    expect_errno!(recv(second, into.at(), 128), Errno::Inval);
    expect_interrupted(line!(), "sock_recv of nothing", || {
        recv(second, into.at(), 0)
    });
    expect_ok!(call::fd_fdstat_set_flags(second, fdflags::NONBLOCK.into()));
    expect_errno!(recv(second, into.at(), 0), Errno::Again);

    // sock_send: Again, Intr, Pipe.
    fill_pipe(first);
    expect_errno!(
        call::sock_send(first, from.at(), 1, 0, count.at()),
        Errno::Again
    );
    expect_ok!(call::fd_fdstat_set_flags(first, 0));
    expect_interrupted(line!(), "sock_send into a full socket", || {
        call::sock_send(first, from.at(), 1, 0, count.at())
    });
    call::fd_close(second);
    expect_errno!(
        call::sock_send(first, from.at(), 1, 0, count.at()),
        Errno::Pipe
    );
    call::fd_close(first);

    // sock_shutdown: success, Badf, NotSock, Inval.
    let (first, second) = socket_pair();
    expect_errno!(call::sock_shutdown(CLOSED, SHUT_RD), Errno::Badf);
    expect_errno!(call::sock_shutdown(writing, SHUT_WR), Errno::NotSock);
    expect_errno!(call::sock_shutdown(first, 0), Errno::Inval);
    expect_errno!(call::sock_shutdown(first, 4), Errno::Inval);
    expect_ok!(call::sock_shutdown(first, SHUT_WR));
    expect_ok!(recv(second, into.at(), 0));
    check!(count.get() == 0, "received {} after the end", count.get());
    expect_errno!(
        call::sock_send(first, from.at(), 1, 0, count.at()),
        Errno::Pipe
    );
    expect_ok!(call::sock_shutdown(second, SHUT_RD | SHUT_WR));
    close_both((first, second));
    close_both((reading, writing));
    call::fd_close(file);
    finish();
}
