//! Sending and receiving: every outcome of `sock_send_to` and `sock_recv_from`, and what other
//! calls that read and write say about sockets that are no connected pair.

use codepod_abi::wire::socket::{
    DATAGRAM, DONT_WAIT, INET, NO_SIGNAL, Received, STREAM, TRUNCATED, UNIX, WAIT_ALL,
};
use codepod_abi::wire::wasi::SHUT_WR;
use test_programs::paths::touch;
use test_programs::resources::{expect_interrupted, ignore, pipe, remove_all};
use test_programs::sockets::{
    NONBLOCK, bind, connect, connection, inet, listener, loopback, socket, unix,
};
use test_programs::{
    BAD, CLOSED, Errno, HOME, Scratch, Signal, Slot, TOO_MANY_IOVECS, at, call, check, expect,
    expect_errno, expect_ok, finish, iovec, iovec_of, len,
};

/// As many empty iovecs as no call takes.
static IOVECS: [[u32; 2]; TOO_MANY_IOVECS as usize] = [[0; 2]; TOO_MANY_IOVECS as usize];

fn main() {
    let scratch = Scratch::new("calls-transfer");
    let changed = call::proc_chdir(scratch.fd, at(b"."), 1);
    check!(changed == 0, "proc_chdir: {changed}");
    ignore(Signal::Pipe);
    arguments();
    destinations(scratch.fd);
    messages();
    for (name, send) in SENDING {
        sending(name, *send);
    }
    for (name, receive) in RECEIVING {
        receiving(name, *receive);
    }
    shutdown();
    call::proc_chdir(HOME, at(b"."), 1);
    drop(scratch);
    finish();
}

/// Sends bytes to an address; the number of the call.
fn send_to(fd: u32, bytes: &[u8], flags: u32, address: &[u8]) -> u32 {
    let (from, count) = (iovec(bytes), Slot::new(0u32));
    call::sock_send_to(
        fd,
        from.at(),
        1,
        flags,
        at(address),
        len(address),
        count.at(),
    )
}

/// Receives up to eight bytes; the number of the call, and what it says.
fn receive_from(fd: u32, flags: u32) -> (u32, [u8; 8], Received) {
    let buffer = Slot::new([0u8; 8]);
    let (address, told) = (Slot::new([0u8; 128]), Slot::new(Received::default()));
    let into = iovec_of(&buffer);
    let number = call::sock_recv_from(fd, into.at(), 1, flags, address.at(), 128, told.at());
    (number, buffer.get(), told.get())
}

fn arguments() {
    // sock_send_to: success, Badf, NotSock, Fault, Inval. sock_recv_from: the same.
    let (reading, writing) = pipe();
    let (client, server) = connection();
    let (from, count) = (iovec(b"hello"), Slot::new(0u32));
    let too_many = IOVECS.as_ptr().expose_provenance() as u32;
    expect_ok!(call::sock_send_to(
        client,
        from.at(),
        1,
        NO_SIGNAL,
        0,
        0,
        count.at()
    ));
    check!(count.get() == 5, "sent {}", count.get());
    expect_errno!(send_to(CLOSED, b"x", 0, b""), Errno::Badf);
    expect_errno!(send_to(writing, b"x", 0, b""), Errno::NotSock);
    expect_errno!(send_to(client, b"x", 1, b""), Errno::Inval);
    expect_errno!(
        call::sock_send_to(client, BAD, 1, 0, 0, 0, count.at()),
        Errno::Fault
    );
    expect_errno!(
        call::sock_send_to(client, from.at(), 1, 0, BAD, 8, count.at()),
        Errno::Fault
    );
    expect_errno!(
        call::sock_send_to(client, from.at(), 1, 0, 0, 0, BAD),
        Errno::Fault
    );
    expect_errno!(
        call::sock_send_to(client, too_many, TOO_MANY_IOVECS, 0, 0, 0, count.at()),
        Errno::Inval
    );
    let (number, bytes, told) = receive_from(server, 0);
    check!(
        number == 0 && bytes.starts_with(b"hello") && told.bytes == 5 && told.address_len == 0,
        "received {bytes:?}: {number}, {told:?}"
    );
    expect_errno!(receive_from(CLOSED, 0).0, Errno::Badf);
    expect_errno!(receive_from(reading, 0).0, Errno::NotSock);
    expect_errno!(receive_from(server, 128).0, Errno::Inval);
    let buffer = Slot::new([0u8; 16]);
    let into = iovec_of(&buffer);
    expect_errno!(
        call::sock_recv_from(server, BAD, 1, 0, 0, 0, buffer.at()),
        Errno::Fault
    );
    expect_errno!(
        call::sock_recv_from(server, into.at(), 1, 0, BAD, 8, buffer.at()),
        Errno::Fault
    );
    expect_errno!(
        call::sock_recv_from(server, into.at(), 1, 0, 0, 0, BAD),
        Errno::Fault
    );
    for fd in [client, server, reading, writing] {
        call::fd_close(fd);
    }
}

fn destinations(directory: u32) {
    // sock_send_to: Access, AfNoSupport, IsConn, Loop, NoEnt, NotDir, NotSup, Prototype.
    touch(directory, "file");
    let linked = call::path_symlink(at(b"loop"), 4, directory, at(b"loop"), 4);
    check!(linked == 0, "path_symlink: {linked}");
    let fd = socket(INET, DATAGRAM, 0);
    expect_errno!(send_to(fd, b"x", 0, &inet([9, 9, 9, 9], 53)), Errno::Access);
    expect_errno!(
        send_to(fd, b"x", 0, &unix("/tmp/socket")),
        Errno::AfNoSupport
    );
    expect_errno!(send_to(fd, b"x", 0, &loopback(0)), Errno::Inval);
    expect_ok!(send_to(fd, b"lost", 0, &loopback(9)));
    call::fd_close(fd);
    let fd = socket(UNIX, DATAGRAM, 0);
    expect_errno!(send_to(fd, b"x", 0, &unix("none")), Errno::NoEnt);
    expect_errno!(send_to(fd, b"x", 0, &unix("file/x")), Errno::NotDir);
    expect_errno!(send_to(fd, b"x", 0, &unix("loop")), Errno::Loop);
    expect_errno!(send_to(fd, b"x", 0, &unix("file")), Errno::ConnRefused);
    let (listener, address) = listener(UNIX, &unix("socket"), 1);
    expect_errno!(send_to(fd, b"x", 0, &address), Errno::Prototype);
    let stream = socket(UNIX, STREAM, 0);
    expect_errno!(send_to(stream, b"x", 0, &address), Errno::NotSup);
    expect_ok!(connect(stream, &address));
    expect_errno!(send_to(stream, b"x", 0, &address), Errno::IsConn);
    for fd in [fd, listener, stream] {
        call::fd_close(fd);
    }
    remove_all(directory);
}

fn messages() {
    let receiver = socket(INET, DATAGRAM, 0);
    expect_ok!(bind(receiver, &loopback(5000)));
    let sender = socket(INET, DATAGRAM, 0);
    expect_ok!(bind(sender, &loopback(5001)));
    expect_ok!(send_to(sender, b"a longer message", 0, &loopback(5000)));
    expect_ok!(send_to(sender, b"", 0, &loopback(5000)));
    let (number, bytes, told) = receive_from(receiver, 0);
    check!(
        number == 0 && &bytes == b"a longer" && told.flags == TRUNCATED,
        "received {bytes:?}: {number}, {told:?}"
    );
    let (number, _, told) = receive_from(receiver, 0);
    check!(
        number == 0 && told.bytes == 0 && told.address_len == 8,
        "received {told:?}: {number}"
    );
    expect_errno!(receive_from(receiver, DONT_WAIT).0, Errno::Again);
    call::fd_close(receiver);
    call::fd_close(sender);
}

type Send = fn(u32, &[u8]) -> u32;

/// The calls that send, without an address.
const SENDING: &[(&str, Send)] = &[
    ("fd_write", |fd, bytes| {
        let (from, count) = (iovec(bytes), Slot::new(0u32));
        call::fd_write(fd, from.at(), 1, count.at())
    }),
    ("sock_send", |fd, bytes| {
        let (from, count) = (iovec(bytes), Slot::new(0u32));
        call::sock_send(fd, from.at(), 1, 0, count.at())
    }),
    ("sock_send_to", |fd, bytes| send_to(fd, bytes, 0, b"")),
];

/// Again, ConnRefused, ConnReset, DestAddrReq, Intr, MsgSize, NotConn, Perm, Pipe.
fn sending(name: &str, send: Send) {
    let fails = |line, number, errno| {
        expect(line, name, number, Some(errno));
    };
    let fd = socket(INET, DATAGRAM, 0);
    fails(line!(), send(fd, b"x"), Errno::DestAddrReq);
    expect_ok!(connect(fd, &loopback(9)));
    fails(line!(), send(fd, &[0; 65508]), Errno::MsgSize);
    // Nobody is there, which the second one learns.
    expect_ok!(send(fd, b"x"));
    fails(line!(), send(fd, b"x"), Errno::ConnRefused);
    call::fd_close(fd);

    let fd = socket(UNIX, STREAM, 0);
    fails(line!(), send(fd, b"x"), Errno::NotConn);
    call::fd_close(fd);

    let (first, second) = (socket(UNIX, DATAGRAM, 0), socket(UNIX, DATAGRAM, 0));
    expect_ok!(bind(first, &unix("\0first")));
    expect_ok!(connect(second, &unix("\0first")));
    expect_ok!(connect(first, &unix("\0first")));
    fails(line!(), send(second, b"x"), Errno::Perm);
    call::fd_close(first);
    call::fd_close(second);

    let (client, server) = connection();
    let block = [0; 4096];
    expect_ok!(call::fd_fdstat_set_flags(client, NONBLOCK));
    let mut rounds = 0;
    while send(client, &block) == 0 && rounds < 1000 {
        rounds += 1;
    }
    fails(line!(), send(client, &block), Errno::Again);
    expect_ok!(call::fd_fdstat_set_flags(client, 0));
    expect_interrupted(line!(), name, || send(client, &block));
    // What was not read is lost, and the sender told.
    call::fd_close(server);
    fails(line!(), send(client, b"x"), Errno::ConnReset);
    fails(line!(), send(client, b"x"), Errno::Pipe);
    call::fd_close(client);
}

type Receive = fn(u32) -> u32;

/// The calls that receive.
const RECEIVING: &[(&str, Receive)] = &[
    ("fd_read", |fd| {
        let (buffer, count) = (Slot::new([0u8; 8]), Slot::new(0u32));
        let into = iovec_of(&buffer);
        call::fd_read(fd, into.at(), 1, count.at())
    }),
    ("fd_read_until", |fd| {
        let (buffer, count) = (Slot::new([0u8; 8]), Slot::new(0u32));
        call::fd_read_until(fd, buffer.at(), 8, b'\n'.into(), count.at())
    }),
    ("sock_recv", |fd| {
        let (buffer, count) = (Slot::new([0u8; 8]), Slot::new(0u32));
        let (into, flags) = (iovec_of(&buffer), Slot::new(0u32));
        call::sock_recv(fd, into.at(), 1, 0, count.at(), flags.at())
    }),
    ("sock_recv_from", |fd| receive_from(fd, WAIT_ALL).0),
];

/// Again, ConnRefused, ConnReset, Inval, Intr, NotConn.
fn receiving(name: &str, receive: Receive) {
    let fails = |line, number, errno| {
        expect(line, name, number, Some(errno));
    };
    let fd = socket(INET, STREAM, 0);
    fails(line!(), receive(fd), Errno::NotConn);
    call::fd_close(fd);
    let fd = socket(UNIX, STREAM, 0);
    fails(line!(), receive(fd), Errno::Inval);
    call::fd_close(fd);
    let fd = socket(INET, DATAGRAM, 0);
    expect_ok!(connect(fd, &loopback(9)));
    expect_interrupted(line!(), name, || receive(fd));
    expect_ok!(send_to(fd, b"x", 0, b""));
    fails(line!(), receive(fd), Errno::ConnRefused);
    expect_ok!(call::fd_fdstat_set_flags(fd, NONBLOCK));
    fails(line!(), receive(fd), Errno::Again);
    call::fd_close(fd);
    let (client, server) = connection();
    expect_ok!(send_to(client, b"unread", 0, b""));
    call::fd_close(server);
    fails(line!(), receive(client), Errno::ConnReset);
    expect_ok!(receive(client));
    call::fd_close(client);
}

fn shutdown() {
    // sock_shutdown: NotConn; the rest is in `calls_socket`.
    let fd = socket(INET, STREAM, 0);
    expect_errno!(call::sock_shutdown(fd, SHUT_WR), Errno::NotConn);
    call::fd_close(fd);
}
