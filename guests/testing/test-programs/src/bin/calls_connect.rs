//! Making, naming and connecting sockets: every outcome of `sock_open`, `sock_bind`,
//! `sock_listen`, `sock_connect`, `sock_accept`, `sock_name`, the options and `net_why`.

use codepod_abi::wire::socket::{DATAGRAM, INET, INET6, LOCAL, PEER, STREAM, SocketOption, UNIX};
use test_programs::paths::{self, touch};
use test_programs::resources::{
    expect_interrupted, fill_descriptors, fill_nodes, pipe, remove_all,
};
use test_programs::sockets::{
    NONBLOCK, accept, bind, connect, connection, inet, listener, loopback, name, socket, unix,
};
use test_programs::{
    BAD, CLOSED, Errno, HOME, Scratch, Slot, at, call, check, expect_errno, expect_ok, finish, len,
};

fn main() {
    let scratch = Scratch::new("calls-connect");
    let changed = call::proc_chdir(scratch.fd, at(b"."), 1);
    check!(changed == 0, "proc_chdir: {changed}");
    opening();
    binding(scratch.fd);
    listening();
    connecting_over_ipv4();
    connecting_by_name(scratch.fd);
    accepting();
    names();
    options();
    reasons();
    call::proc_chdir(HOME, at(b"."), 1);
    drop(scratch);
    finish();
}

fn opening() {
    // sock_open: success, Fault, Inval, AfNoSupport, ProtoNoSupport, Mfile, Nfile.
    let opened = Slot::new(CLOSED);
    let open = |family: u16, kind| call::sock_open(family.into(), kind, 0, opened.at());
    for (family, kind) in [
        (INET, STREAM),
        (INET, DATAGRAM),
        (UNIX, STREAM),
        (UNIX, DATAGRAM),
    ] {
        expect_ok!(open(family, kind));
        call::fd_close(opened.get());
    }
    expect_errno!(call::sock_open(INET.into(), STREAM, 0, BAD), Errno::Fault);
    expect_errno!(
        call::sock_open(INET.into(), STREAM, 1, opened.at()),
        Errno::Inval
    );
    expect_errno!(open(INET6, STREAM), Errno::AfNoSupport);
    expect_errno!(
        call::sock_open(1 << 16 | 1, STREAM, 0, opened.at()),
        Errno::AfNoSupport
    );
    expect_errno!(open(INET, 1), Errno::ProtoNoSupport);
    let filled = fill_descriptors();
    expect_errno!(open(INET, STREAM), Errno::Mfile);
    for fd in filled {
        call::fd_close(fd);
    }
    let mut all = Vec::new();
    while all.len() < 100 && open(INET, STREAM) == 0 {
        all.push(opened.get());
    }
    expect_errno!(open(INET, STREAM), Errno::Nfile);
    for fd in all {
        call::fd_close(fd);
    }
}

fn binding(directory: u32) {
    // sock_bind: success, and each error.
    let (reading, writing) = pipe();
    let fd = socket(INET, STREAM, 0);
    expect_errno!(bind(CLOSED, &loopback(0)), Errno::Badf);
    expect_errno!(bind(reading, &loopback(0)), Errno::NotSock);
    expect_errno!(call::sock_bind(fd, BAD, 8), Errno::Fault);
    expect_errno!(bind(fd, &loopback(0)[..7]), Errno::Inval);
    expect_errno!(bind(fd, &unix("/tmp/socket")), Errno::AfNoSupport);
    expect_errno!(bind(fd, &inet([9, 9, 9, 9], 0)), Errno::AddrNotAvail);
    expect_ok!(bind(fd, &loopback(8080)));
    expect_errno!(bind(fd, &loopback(8081)), Errno::Inval);
    let other = socket(INET, STREAM, 0);
    expect_errno!(bind(other, &inet([0; 4], 8080)), Errno::AddrInUse);
    call::fd_close(fd);
    expect_ok!(bind(other, &loopback(8080)));
    call::fd_close(other);

    let fd = socket(UNIX, STREAM, 0);
    touch(directory, "file");
    let linked = call::path_symlink(at(b"loop"), 4, directory, at(b"loop"), 4);
    check!(linked == 0, "path_symlink: {linked}");
    expect_errno!(bind(fd, &loopback(0)), Errno::Inval);
    expect_errno!(bind(fd, &unix(&"x".repeat(109))), Errno::Inval);
    expect_errno!(bind(fd, &unix("file")), Errno::AddrInUse);
    expect_errno!(bind(fd, &unix("none/socket")), Errno::NoEnt);
    expect_errno!(bind(fd, &unix("file/socket")), Errno::NotDir);
    expect_errno!(bind(fd, &unix("loop/socket")), Errno::Loop);
    expect_errno!(bind(fd, &unix("/secret/socket")), Errno::Access);
    expect_errno!(bind(fd, &unix("/home/user/ro/socket")), Errno::Rofs);
    fill_nodes(directory);
    expect_errno!(bind(fd, &unix("full")), Errno::NoSpc);
    remove_all(directory);
    expect_ok!(bind(fd, &unix("socket")));
    expect_errno!(bind(fd, &unix("again")), Errno::Inval);
    check!(name(fd) == unix("socket\0"), "it is called {:?}", name(fd));
    // A node is no file: it is unlinked, not opened.
    let opened = paths::open(directory, "socket", 0, paths::READ, 0);
    check!(
        opened == Err(Errno::Nxio.raw().into()),
        "opening a socket: {opened:?}"
    );
    check!(paths::unlink(directory, "socket") == 0, "unlinking it");
    call::fd_close(fd);
    call::fd_close(reading);
    call::fd_close(writing);
}

fn listening() {
    // sock_listen: success, Badf, NotSock, Inval, AddrInUse, NotSup.
    let (reading, writing) = pipe();
    expect_errno!(call::sock_listen(CLOSED, 1), Errno::Badf);
    expect_errno!(call::sock_listen(reading, 1), Errno::NotSock);
    let fd = socket(UNIX, STREAM, 0);
    expect_errno!(call::sock_listen(fd, 1), Errno::Inval);
    call::fd_close(fd);
    let fd = socket(INET, DATAGRAM, 0);
    expect_errno!(call::sock_listen(fd, 1), Errno::NotSup);
    call::fd_close(fd);
    let both = [socket(INET, STREAM, 0), socket(INET, STREAM, 0)];
    for fd in both {
        expect_ok!(call::sock_option_set(
            fd,
            SocketOption::ReuseAddress as u32,
            1
        ));
        expect_ok!(bind(fd, &loopback(8000)));
    }
    expect_ok!(call::sock_listen(both[0], 1));
    expect_errno!(call::sock_listen(both[1], 1), Errno::AddrInUse);
    for fd in [both[0], both[1], reading, writing] {
        call::fd_close(fd);
    }
}

fn connecting_over_ipv4() {
    // sock_connect: success, Badf, NotSock, Fault, Access, AfNoSupport, Already, ConnAborted,
    // ConnRefused, InProgress, Intr, Inval, IsConn, Nfile.
    let (reading, writing) = pipe();
    expect_errno!(connect(CLOSED, &loopback(1)), Errno::Badf);
    expect_errno!(connect(reading, &loopback(1)), Errno::NotSock);
    let fd = socket(INET, STREAM, 0);
    expect_errno!(call::sock_connect(fd, BAD, 8), Errno::Fault);
    expect_errno!(connect(fd, &loopback(1)[..1]), Errno::Inval);
    expect_errno!(connect(fd, &unix("/tmp/socket")), Errno::AfNoSupport);
    expect_errno!(connect(fd, &inet([9, 9, 9, 9], 80)), Errno::Access);
    expect_errno!(connect(fd, &loopback(1)), Errno::ConnRefused);
    let (listener, address) = listener(INET, &loopback(0), 0);
    expect_ok!(connect(fd, &address));
    expect_errno!(connect(fd, &address), Errno::IsConn);
    // The backlog is full now.
    let waiting = socket(INET, STREAM, 0);
    expect_interrupted(line!(), "sock_connect with a full backlog", || {
        connect(waiting, &address)
    });
    let pending = socket(INET, STREAM, NONBLOCK);
    expect_errno!(connect(pending, &address), Errno::InProgress);
    expect_errno!(connect(pending, &address), Errno::Already);
    let refused = socket(INET, STREAM, NONBLOCK);
    expect_errno!(connect(refused, &loopback(1)), Errno::InProgress);
    let error = Slot::new(0u64);
    expect_ok!(call::sock_option_get(
        refused,
        SocketOption::Error as u32,
        error.at()
    ));
    check!(
        error.get() == u64::from(Errno::ConnRefused.raw()),
        "the error is {}",
        error.get()
    );
    // That was told, so the next call only knows that it came to nothing.
    expect_errno!(connect(refused, &loopback(1)), Errno::ConnAborted);
    for fd in [fd, waiting, pending, refused, listener] {
        call::fd_close(fd);
    }
    // The other end of a connection needs a place, too.
    let (listener, address) = listener_at_once();
    let last = socket(INET, STREAM, 0);
    let mut all = Vec::new();
    let opened = Slot::new(CLOSED);
    while all.len() < 100 && call::sock_open(INET.into(), STREAM, 0, opened.at()) == 0 {
        all.push(opened.get());
    }
    expect_errno!(connect(last, &address), Errno::Nfile);
    all.extend([last, listener, reading, writing]);
    for fd in all {
        call::fd_close(fd);
    }
}

fn listener_at_once() -> (u32, Vec<u8>) {
    listener(INET, &loopback(0), 5)
}

fn connecting_by_name(directory: u32) {
    // sock_connect: success, Again, ConnRefused, Inval, Loop, NoEnt, NotDir, Perm, Prototype and
    // Access by the names of UNIX sockets.
    touch(directory, "file");
    let linked = call::path_symlink(at(b"loop"), 4, directory, at(b"loop"), 4);
    check!(linked == 0, "path_symlink: {linked}");
    let (listener, address) = listener(UNIX, &unix("socket"), 0);
    let fd = socket(UNIX, STREAM, NONBLOCK);
    expect_errno!(connect(fd, &unix("")), Errno::Inval);
    expect_errno!(connect(fd, &unix("none")), Errno::NoEnt);
    expect_errno!(connect(fd, &unix("file/socket")), Errno::NotDir);
    expect_errno!(connect(fd, &unix("loop")), Errno::Loop);
    expect_errno!(connect(fd, &unix("/secret/file")), Errno::Access);
    expect_errno!(connect(fd, &unix("file")), Errno::ConnRefused);
    expect_errno!(connect(fd, &unix("\0nobody")), Errno::ConnRefused);
    expect_ok!(connect(fd, &address));
    let more = socket(UNIX, STREAM, NONBLOCK);
    expect_errno!(connect(more, &address), Errno::Again);
    let datagrams = socket(UNIX, DATAGRAM, 0);
    expect_ok!(bind(datagrams, &unix("datagrams")));
    expect_errno!(connect(more, &unix("datagrams")), Errno::Prototype);
    // One that has a peer hears nobody else.
    let other = socket(UNIX, DATAGRAM, 0);
    expect_ok!(connect(datagrams, &unix("datagrams")));
    expect_errno!(connect(other, &unix("datagrams")), Errno::Perm);
    for fd in [fd, more, datagrams, other, listener] {
        call::fd_close(fd);
    }
    remove_all(directory);
}

fn accepting() {
    // sock_accept: success, Badf, NotSock, Fault, Inval, Again, Intr, Mfile, NotSup.
    let accepted = Slot::new(CLOSED);
    let (reading, writing) = pipe();
    let accept_of = |fd| call::sock_accept(fd, 0, accepted.at());
    expect_errno!(accept_of(CLOSED), Errno::Badf);
    expect_errno!(accept_of(reading), Errno::NotSock);
    let fd = socket(INET, STREAM, 0);
    expect_errno!(accept_of(fd), Errno::Inval);
    let datagrams = socket(INET, DATAGRAM, 0);
    expect_errno!(accept_of(datagrams), Errno::NotSup);
    let (listener, address) = listener(INET, &loopback(0), 5);
    expect_errno!(call::sock_accept(listener, 0, BAD), Errno::Fault);
    expect_errno!(call::sock_accept(listener, 1, accepted.at()), Errno::Inval);
    expect_interrupted(line!(), "sock_accept of nothing", || accept_of(listener));
    expect_ok!(call::fd_fdstat_set_flags(listener, NONBLOCK));
    expect_errno!(accept_of(listener), Errno::Again);
    expect_ok!(connect(fd, &address));
    let filled = fill_descriptors();
    expect_errno!(accept_of(listener), Errno::Mfile);
    for fd in filled {
        call::fd_close(fd);
    }
    // It was not lost.
    expect_ok!(accept_of(listener));
    check!(
        name(accepted.get()) == address,
        "it is at {:?}",
        name(accepted.get())
    );
    for fd in [fd, datagrams, listener, accepted.get(), reading, writing] {
        call::fd_close(fd);
    }
}

fn names() {
    // sock_name: success, Badf, NotSock, Fault, Inval, NotConn.
    let (reading, writing) = pipe();
    let (buffer, used) = (Slot::new([0u8; 8]), Slot::new(0u32));
    let name_of = |fd, which| call::sock_name(fd, which, buffer.at(), 8, used.at());
    let fd = socket(INET, STREAM, 0);
    expect_errno!(name_of(CLOSED, LOCAL), Errno::Badf);
    expect_errno!(name_of(reading, LOCAL), Errno::NotSock);
    expect_errno!(name_of(fd, 2), Errno::Inval);
    expect_errno!(name_of(fd, PEER), Errno::NotConn);
    expect_errno!(call::sock_name(fd, LOCAL, BAD, 8, used.at()), Errno::Fault);
    expect_errno!(
        call::sock_name(fd, LOCAL, buffer.at(), 8, BAD),
        Errno::Fault
    );
    call::fd_close(fd);
    let (client, server) = connection();
    expect_ok!(name_of(client, LOCAL));
    let own = buffer.get();
    expect_ok!(name_of(server, PEER));
    check!(
        own == buffer.get() && used.get() == 8,
        "{own:?} is {:?}",
        buffer.get()
    );
    // Of one that does not fit the beginning.
    buffer.set([0; 8]);
    expect_ok!(call::sock_name(server, PEER, buffer.at(), 2, used.at()));
    check!(
        buffer.get() == [1, 0, 0, 0, 0, 0, 0, 0] && used.get() == 8,
        "{:?} of {}",
        buffer.get(),
        used.get()
    );
    for fd in [client, server, reading, writing] {
        call::fd_close(fd);
    }
}

fn options() {
    // sock_option_get: success, Badf, NotSock, Fault, NoProtoOpt. sock_option_set: success, Badf,
    // NotSock, Inval, NoProtoOpt.
    let (reading, writing) = pipe();
    let value = Slot::new(0u64);
    let kind = SocketOption::Kind as u32;
    let count = SocketOption::KeepCount as u32;
    let fd = socket(INET, STREAM, 0);
    expect_ok!(call::sock_option_get(fd, kind, value.at()));
    check!(value.get() == u64::from(STREAM), "kind {}", value.get());
    expect_errno!(call::sock_option_get(CLOSED, kind, value.at()), Errno::Badf);
    expect_errno!(
        call::sock_option_get(reading, kind, value.at()),
        Errno::NotSock
    );
    expect_errno!(call::sock_option_get(fd, kind, BAD), Errno::Fault);
    expect_errno!(call::sock_option_get(fd, 0, value.at()), Errno::NoProtoOpt);
    expect_ok!(call::sock_option_set(fd, count, 3));
    expect_ok!(call::sock_option_get(fd, count, value.at()));
    check!(value.get() == 3, "count {}", value.get());
    expect_errno!(call::sock_option_set(fd, count, 1000), Errno::Inval);
    expect_errno!(call::sock_option_set(CLOSED, count, 3), Errno::Badf);
    expect_errno!(call::sock_option_set(writing, count, 3), Errno::NotSock);
    expect_errno!(call::sock_option_set(fd, kind, 3), Errno::NoProtoOpt);
    for fd in [fd, reading, writing] {
        call::fd_close(fd);
    }
}

fn reasons() {
    // net_why: success, Badf, NotSock, Fault.
    let (reading, writing) = pipe();
    let (text, used) = (Slot::new([0u8; 64]), Slot::new(0u32));
    let fd = socket(INET, STREAM, 0);
    expect_errno!(connect(fd, &inet([9, 9, 9, 9], 80)), Errno::Access);
    expect_ok!(call::net_why(fd, text.at(), 64, used.at()));
    let told = text.get();
    let told = String::from_utf8_lossy(&told[..(used.get() as usize).min(64)]);
    check!(
        told == "9.9.9.9:80 is beyond the sandbox, which has no network",
        "{told}"
    );
    expect_errno!(call::net_why(CLOSED, text.at(), 64, used.at()), Errno::Badf);
    expect_errno!(
        call::net_why(reading, text.at(), 64, used.at()),
        Errno::NotSock
    );
    expect_errno!(call::net_why(fd, BAD, 64, used.at()), Errno::Fault);
    expect_errno!(call::net_why(fd, text.at(), 64, BAD), Errno::Fault);
    let (listener, address) = listener(INET, &loopback(0), 1);
    expect_ok!(connect(fd, &address));
    let server = accept(listener);
    expect_ok!(call::net_why(fd, text.at(), 64, used.at()));
    check!(used.get() == 0, "there is nothing to say");
    let _ = len(&address);
    for fd in [fd, server, listener, reading, writing] {
        call::fd_close(fd);
    }
}
