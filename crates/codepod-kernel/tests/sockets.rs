//! Sockets: calls that wait, limits, paths and their permissions, options. What each call returns
//! when it does not wait is compared with Linux in `sockets_against_linux.rs`.

mod support;

use std::task::Poll;

use codepod_abi::table::Call;
use codepod_abi::wire::SIGNAL_CATCH;
use codepod_abi::wire::socket::{
    DATAGRAM, DONT_WAIT, INET, INET6, LOCAL, NO_SIGNAL, PEEK, PEER, STREAM, SocketOption,
    TRUNCATED, UNIX, WAIT_ALL, WHOLE_LENGTH,
};
use codepod_abi::{Errno, Signal};
use codepod_kernel::{Limit, Limits, Pid, syscalls};
use codepod_vfs::{Budget, BudgetLimits};
use support::{BYTES, Got, Machine, OUT, inet, loopback, port_of, unix};

const FINE: Poll<Got> = Poll::Ready(Got::Fine);

fn fails<T>(errno: Errno) -> Poll<Result<T, Got>> {
    Poll::Ready(Err(Got::Fails(errno)))
}

fn machine(change: impl FnOnce(&mut Limits)) -> (Machine, Pid) {
    let mut limits = Limits::default();
    change(&mut limits);
    let mut machine = Machine::with(limits, 1, None);
    let pid = machine.start();
    (machine, pid)
}

/// A listener on the loopback and its address.
fn listener(machine: &mut Machine, pid: Pid, backlog: u32) -> (u32, Vec<u8>) {
    let fd = machine.socket(pid, INET, STREAM).unwrap();
    assert_eq!(machine.bind(pid, fd, &loopback(0)), Got::Fine);
    assert_eq!(machine.listen(pid, fd, backlog), Got::Fine);
    let address = machine.name(pid, fd, LOCAL).unwrap();
    (fd, address)
}

/// A connection over the loopback: the end of each process.
fn connection(machine: &mut Machine, client: Pid, server: Pid) -> (u32, u32) {
    let (listening, address) = listener(machine, server, 1);
    let out = machine.socket(client, INET, STREAM).unwrap();
    assert_eq!(machine.connect(client, out, &address), FINE);
    let Poll::Ready(Ok(accepted)) = machine.accept(server, listening) else {
        panic!("nothing to accept");
    };
    machine.close(server, listening);
    (out, accepted)
}

/// Two processes.
fn two(change: impl FnOnce(&mut Limits)) -> (Machine, Pid, Pid) {
    let (mut machine, parent) = machine(change);
    let child = machine.child(parent);
    (machine, parent, child)
}

#[test]
fn a_server_and_its_client_wait_for_each_other() {
    let (mut machine, server) = machine(|_| {});
    let client = machine.child(server);
    let (listening, address) = listener(&mut machine, server, 1);
    assert_eq!(machine.accept(server, listening), Poll::Pending);
    let out = machine.socket(client, INET, STREAM).unwrap();
    let rung = machine.bell.rung();
    assert_eq!(machine.connect(client, out, &address), FINE);
    assert!(machine.bell.rung() > rung, "the server is woken");
    let Poll::Ready(Ok(accepted)) = machine.accept(server, listening) else {
        panic!("nothing to accept");
    };
    assert!(machine.receive(server, accepted, 10, 0).is_pending());
    let rung = machine.bell.rung();
    assert_eq!(machine.write(client, out, b"hello"), Poll::Ready(Ok(5)));
    assert!(machine.bell.rung() > rung);
    assert_eq!(
        machine.read(server, accepted, 10),
        Poll::Ready(Ok(b"hello".to_vec()))
    );
    // The peer is who has connected, and its port was chosen.
    let peer = machine.name(server, accepted, PEER).unwrap();
    assert_eq!(peer, machine.name(client, out, LOCAL).unwrap());
    assert_eq!(
        (peer[4..].to_vec(), port_of(&peer)),
        (vec![127, 0, 0, 1], 32769)
    );
    // The end of a process closes its sockets.
    assert!(machine.receive(server, accepted, 10, 0).is_pending());
    let rung = machine.bell.rung();
    machine.ends(client, 0);
    assert!(machine.bell.rung() > rung);
    assert_eq!(machine.read(server, accepted, 10), Poll::Ready(Ok(vec![])));
    machine.ends(server, 0);
    assert_eq!(machine.kernel.open_count(), 0, "nothing is left");
}

#[test]
fn ports_are_counted_so_that_runs_can_be_replayed() {
    let (mut machine, pid) = machine(|_| {});
    let mut ports = Vec::new();
    for _ in 0..3 {
        let (fd, address) = listener(&mut machine, pid, 0);
        ports.push(port_of(&address));
        machine.close(pid, fd);
    }
    assert_eq!(ports, [32768, 32769, 32770]);
}

#[test]
fn a_stream_takes_so_many_bytes_and_then_its_sender_waits() {
    let (mut machine, one, other) = two(|limits| limits.socket_bytes = 64 << 10);
    let (out, accepted) = connection(&mut machine, one, other);
    let bytes = vec![7; 100 << 10];
    let sent = machine.send(one, out, &bytes, DONT_WAIT, b"");
    assert_eq!(sent, Poll::Ready(Ok(64 << 10)));
    let sent = machine.send(one, out, b"x", DONT_WAIT, b"");
    assert_eq!(sent, fails(Errno::Again));
    assert!(machine.send(one, out, b"more", 0, b"").is_pending());
    let rung = machine.bell.rung();
    assert!(machine.receive(other, accepted, 4, 0).is_ready());
    assert!(machine.bell.rung() > rung);
    let sent = machine.send(one, out, b"more", 0, b"");
    assert_eq!(sent, Poll::Ready(Ok(4)));
}

#[test]
fn a_long_send_goes_on_where_it_stopped() {
    let (mut machine, one, other) = two(|limits| limits.socket_bytes = 8 << 10);
    let (out, accepted) = connection(&mut machine, one, other);
    let bytes: Vec<u8> = (0..20_000).map(|i| (i / 100) as u8).collect();
    let mut got = Vec::new();
    let mut polls = 0;
    loop {
        let sent = machine.send(one, out, &bytes, 0, b"");
        polls += 1;
        while let Poll::Ready(Ok((bytes, ..))) = machine.receive(other, accepted, 5000, DONT_WAIT) {
            got.extend(bytes);
        }
        if let Poll::Ready(sent) = sent {
            assert_eq!(sent, Ok(20_000));
            break;
        }
    }
    assert!(
        got == bytes && polls == 3,
        "{} bytes, {polls} polls",
        got.len()
    );
}

#[test]
fn waiting_for_all_waits_for_all() {
    let (mut machine, one, other) = two(|_| {});
    let (out, accepted) = connection(&mut machine, one, other);
    assert!(machine.receive(other, accepted, 10, WAIT_ALL).is_pending());
    let send = |machine: &mut Machine, bytes: &[u8]| {
        assert!(machine.send(one, out, bytes, 0, b"").is_ready());
    };
    send(&mut machine, b"hello");
    assert!(machine.receive(other, accepted, 10, WAIT_ALL).is_pending());
    send(&mut machine, b"world!");
    let got = machine.receive(other, accepted, 10, WAIT_ALL);
    assert!(matches!(got, Poll::Ready(Ok((bytes, ..))) if bytes == b"helloworld"));
    // The end comes before all: what there is.
    assert!(machine.receive(other, accepted, 10, WAIT_ALL).is_pending());
    machine.ends(one, 0);
    let got = machine.receive(other, accepted, 10, WAIT_ALL);
    assert!(matches!(got, Poll::Ready(Ok((bytes, ..))) if bytes == b"!"));
    // What does not wait takes what there is.
    let got = machine.receive(other, accepted, 10, WAIT_ALL | DONT_WAIT);
    assert!(matches!(got, Poll::Ready(Ok((bytes, ..))) if bytes.is_empty()));
}

/// A list of buffers may lie where it is received into, and says something else then.
// WM-09
#[test]
fn buffers_that_are_overwritten_while_they_are_waited_for_are_faults() {
    let (mut machine, one, other) = two(|_| {});
    let (out, accepted) = connection(&mut machine, one, other);
    let (list, told) = (8192u32, 9000);
    let words = |words: [u32; 2]| words.map(u32::to_le_bytes).concat();
    machine.put(other, list, &words([list, 16]));
    let receive = |machine: &mut Machine| {
        machine.poll(other, Call::sock_recv_from, |call| {
            syscalls::sock_recv_from(call, accepted, list, 1, WAIT_ALL, 0, 0, told)
        })
    };
    assert!(receive(&mut machine).is_pending());
    let sent = machine.send(one, out, &words([u32::MAX, 16]), 0, b"");
    assert_eq!(sent, Poll::Ready(Ok(8)));
    // What it says now is checked before anything more is taken.
    assert!(receive(&mut machine).is_pending());
    assert_eq!(receive(&mut machine), Poll::Ready(Got::Fails(Errno::Fault)));
}

#[test]
fn a_caught_signal_interrupts_and_what_was_moved_counts() {
    let (mut machine, one, other) = two(|limits| limits.socket_bytes = 8 << 10);
    let (out, accepted) = connection(&mut machine, one, other);
    machine.action(other, Signal::Usr1, SIGNAL_CATCH);
    machine.action(one, Signal::Usr1, SIGNAL_CATCH);
    let signal = |machine: &mut Machine, pid: Pid| {
        machine.kill(pid, pid.0 as i32, Signal::Usr1);
    };
    assert!(machine.receive(other, accepted, 10, 0).is_pending());
    signal(&mut machine, other);
    assert_eq!(machine.receive(other, accepted, 10, 0), fails(Errno::Intr));
    machine.take(other);
    // Part of it was received, part of it sent.
    assert!(machine.receive(other, accepted, 10, WAIT_ALL).is_pending());
    assert!(machine.send(one, out, b"part", 0, b"").is_ready());
    assert!(machine.receive(other, accepted, 10, WAIT_ALL).is_pending());
    signal(&mut machine, other);
    let got = machine.receive(other, accepted, 10, WAIT_ALL);
    assert!(matches!(got, Poll::Ready(Ok((bytes, ..))) if bytes == b"part"));
    assert!(machine.send(one, out, &[0; 10_000], 0, b"").is_pending());
    signal(&mut machine, one);
    let sent = machine.send(one, out, &[0; 10_000], 0, b"");
    assert_eq!(sent, Poll::Ready(Ok(8 << 10)));
}

#[test]
fn timeouts_end_calls_that_wait() {
    let (mut machine, one, other) = two(|_| {});
    let (out, accepted) = connection(&mut machine, one, other);
    let timeout = SocketOption::ReceiveTimeout;
    assert_eq!(
        machine.set_option(other, accepted, timeout, 5_000_000),
        Got::Fine
    );
    assert!(machine.receive(other, accepted, 10, 0).is_pending());
    assert_eq!(machine.host.next_timer(), Some(5_000_000));
    machine.host.advance(4_999_999);
    assert!(machine.receive(other, accepted, 10, 0).is_pending());
    machine.host.advance(1);
    assert_eq!(machine.receive(other, accepted, 10, 0), fails(Errno::Again));
    // An accept, too, and a connect while the backlog is full.
    let (listening, address) = listener(&mut machine, one, 0);
    machine.set_option(one, listening, timeout, 1_000);
    assert!(machine.accept(one, listening).is_pending());
    machine.host.advance(1_000);
    assert_eq!(machine.accept(one, listening), fails(Errno::Again));
    let first = machine.socket(other, INET, STREAM).unwrap();
    assert_eq!(machine.connect(other, first, &address), FINE);
    let second = machine.socket(other, INET, STREAM).unwrap();
    machine.set_option(other, second, SocketOption::SendTimeout, 1_000);
    assert!(machine.connect(other, second, &address).is_pending());
    machine.host.advance(1_000);
    let late = machine.connect(other, second, &address);
    assert_eq!(late, Poll::Ready(Got::Fails(Errno::InProgress)));
    let _ = out;
}

#[test]
fn a_backlog_lets_in_one_more_than_it_says_and_others_wait() {
    let (mut machine, one, other) = two(|limits| limits.backlog = 2);
    // More than the limit is as much as the limit.
    let (listening, address) = listener(&mut machine, one, 4096);
    let connect = |machine: &mut Machine| {
        let fd = machine.socket(other, INET, STREAM).unwrap();
        (fd, machine.connect(other, fd, &address))
    };
    for _ in 0..3 {
        assert_eq!(connect(&mut machine).1, FINE);
    }
    let (waiting, got) = connect(&mut machine);
    assert!(got.is_pending());
    let rung = machine.bell.rung();
    assert!(machine.accept(one, listening).is_ready());
    assert!(machine.bell.rung() > rung, "who waits is let in");
    assert_eq!(machine.connect(other, waiting, &address), FINE);
    // Who still waits when the listener closes is refused.
    let (refused, got) = connect(&mut machine);
    assert!(got.is_pending());
    machine.close(one, listening);
    let got = machine.connect(other, refused, &address);
    assert_eq!(got, Poll::Ready(Got::Fails(Errno::ConnRefused)));
    // Those that were in the backlog have been reset.
    let got = machine.receive(other, waiting, 1, 0);
    assert_eq!(got, fails(Errno::ConnReset));
}

#[test]
fn a_unix_connect_waits_while_the_backlog_is_full() {
    let (mut machine, one, other) = two(|_| {});
    let name = unix(b"\0service");
    let listening = machine.socket(one, UNIX, STREAM).unwrap();
    assert_eq!(machine.bind(one, listening, &name), Got::Fine);
    assert_eq!(machine.listen(one, listening, 0), Got::Fine);
    let first = machine.socket(other, UNIX, STREAM).unwrap();
    assert_eq!(machine.connect(other, first, &name), FINE);
    let second = machine.socket(other, UNIX, STREAM).unwrap();
    assert!(machine.connect(other, second, &name).is_pending());
    let rung = machine.bell.rung();
    assert!(machine.accept(one, listening).is_ready());
    assert!(machine.bell.rung() > rung);
    assert_eq!(machine.connect(other, second, &name), FINE);
    // Both ends know who the other one is.
    let pid = machine
        .option(other, second, SocketOption::PeerPid)
        .unwrap();
    assert_eq!(pid, u64::from(one.0));
    let Poll::Ready(Ok(accepted)) = machine.accept(one, listening) else {
        panic!("nothing to accept");
    };
    let pid = machine
        .option(one, accepted, SocketOption::PeerPid)
        .unwrap();
    assert_eq!(pid, u64::from(other.0));
    // One that was shut down gets no more connections: an accept that would wait says so.
    let shut = machine.ready(one, Call::sock_shutdown, |call| {
        syscalls::sock_shutdown(call, listening, 1)
    });
    assert_eq!(shut, Got::Fine);
    assert_eq!(machine.accept(one, listening), fails(Errno::Inval));
}

#[test]
fn a_sandbox_has_so_many_sockets() {
    let (mut machine, pid) = machine(|limits| limits.sockets = 8);
    let (_, address) = listener(&mut machine, pid, 10);
    for _ in 0..3 {
        let fd = machine.socket(pid, INET, STREAM).unwrap();
        assert_eq!(machine.connect(pid, fd, &address), FINE);
    }
    // Seven now: those that wait to be accepted count.
    let last = machine.socket(pid, INET, STREAM).unwrap();
    let refused = machine.socket(pid, INET, DATAGRAM);
    assert_eq!(refused, Err(Got::Fails(Errno::Nfile)));
    assert_eq!(machine.kernel.take_reached().limits, [Limit::Sockets]);
    let got = machine.connect(pid, last, &address);
    assert_eq!(got, Poll::Ready(Got::Fails(Errno::Nfile)));
    let pair = machine.ready(pid, Call::sock_pair, |call| {
        syscalls::sock_pair(call, OUT, OUT + 4)
    });
    assert_eq!(pair, Got::Fails(Errno::Nfile));
    machine.ends(pid, 0);
    assert_eq!(machine.kernel.open_count(), 0);
}

#[test]
fn what_sockets_hold_comes_from_the_budget() {
    const KB: u64 = 1 << 10;
    let budget = Budget::new(BudgetLimits::new(10, 4096 * KB));
    let mut machine = Machine::within(Limits::default(), 1, None, budget.clone());
    let pid = machine.start();
    let at_rest = budget.used().memory_bytes;
    let fd = machine.socket(pid, INET, STREAM).unwrap();
    assert_eq!(
        budget.used().memory_bytes,
        at_rest,
        "it can receive nothing yet"
    );
    machine.close(pid, fd);
    let mut count = 0;
    let refused = loop {
        match machine.socket(pid, UNIX, DATAGRAM) {
            Ok(_) => count += 1,
            Err(refused) => break refused,
        }
    };
    assert_eq!(refused, Got::Fails(Errno::Nfile));
    assert!((12..=16).contains(&count), "{count} of 256 KiB");
    let (_, address) = listener(&mut machine, pid, 1);
    let fd = machine.socket(pid, INET, STREAM).unwrap();
    let got = machine.connect(pid, fd, &address);
    assert_eq!(got, Poll::Ready(Got::Fails(Errno::Nfile)));
    machine.ends(pid, 0);
    drop(machine);
    assert_eq!(budget.used(), Default::default());
}

#[test]
fn datagrams_are_whole_and_their_bytes_are_bounded() {
    let (mut machine, one, other) = two(|limits| limits.socket_bytes = 4096);
    let to = unix(b"\0box");
    let receiver = machine.socket(one, UNIX, DATAGRAM).unwrap();
    assert_eq!(machine.bind(one, receiver, &to), Got::Fine);
    let sender = machine.socket(other, UNIX, DATAGRAM).unwrap();
    let bytes = vec![1; 1000];
    for _ in 0..3 {
        let sent = machine.send(other, sender, &bytes, 0, &to);
        assert_eq!(sent, Poll::Ready(Ok(1000)));
    }
    // Each takes a little more than its bytes, so a fourth one does not fit.
    assert!(machine.send(other, sender, &bytes, 0, &to).is_pending());
    let rung = machine.bell.rung();
    let Poll::Ready(Ok((got, told, from))) = machine.receive(one, receiver, 10, 0) else {
        panic!("nothing there");
    };
    assert_eq!((got, told.flags, from), (vec![1; 10], TRUNCATED, vec![]));
    assert!(machine.bell.rung() > rung);
    assert!(machine.send(other, sender, &bytes, 0, &to).is_ready());
    let got = machine.receive(one, receiver, 10, PEEK | WHOLE_LENGTH);
    assert!(matches!(got, Poll::Ready(Ok((_, told, _))) if told.bytes == 1000));
    // What could never fit does not wait.
    let sent = machine.send(other, sender, &[0; 5000], 0, &to);
    assert_eq!(sent, fails(Errno::MsgSize));
    // Over IPv4 what does not fit is lost.
    let receiver = machine.socket(one, INET, DATAGRAM).unwrap();
    machine.bind(one, receiver, &loopback(5353));
    let sender = machine.socket(other, INET, DATAGRAM).unwrap();
    for _ in 0..100 {
        let sent = machine.send(other, sender, b"", 0, &loopback(5353));
        assert_eq!(sent, Poll::Ready(Ok(0)));
    }
    let mut count = 0;
    while machine.receive(one, receiver, 1, DONT_WAIT).is_ready_ok() {
        count += 1;
    }
    assert_eq!(count, 16, "empty ones count, too");
}

/// Whether something was done and not refused.
trait IsReadyOk {
    fn is_ready_ok(&self) -> bool;
}

impl<T> IsReadyOk for Poll<Result<T, Got>> {
    fn is_ready_ok(&self) -> bool {
        matches!(self, Poll::Ready(Ok(_)))
    }
}

#[test]
fn a_path_has_permissions_and_outlives_its_socket() {
    let (mut machine, pid) = machine(|_| {});
    let path = unix(b"/tmp/socket");
    let listening = machine.socket(pid, UNIX, STREAM).unwrap();
    assert_eq!(machine.bind(pid, listening, &path), Got::Fine);
    assert_eq!(machine.listen(pid, listening, 5), Got::Fine);
    assert_eq!(
        machine.name(pid, listening, LOCAL).unwrap(),
        unix(b"/tmp/socket\0")
    );
    let connect = |machine: &mut Machine| {
        let fd = machine.socket(pid, UNIX, STREAM).unwrap();
        machine.connect(pid, fd, &path)
    };
    let refused = |errno| Poll::Ready(Got::Fails(errno));
    assert_eq!(connect(&mut machine), FINE);
    // Writing to the node is the right to connect.
    let chmod = |machine: &mut Machine, mode| {
        machine.put(pid, BYTES, b"/tmp/socket");
        let got = machine.ready(pid, Call::path_mode_set, |call| {
            syscalls::path_mode_set(call, 3, 0, BYTES, 11, mode)
        });
        assert_eq!(got, Got::Fine);
    };
    chmod(&mut machine, 0o444);
    assert_eq!(connect(&mut machine), refused(Errno::Access));
    chmod(&mut machine, 0o222);
    assert_eq!(connect(&mut machine), FINE);
    // The name stays when the socket has gone, and nobody is there; another cannot be bound.
    machine.close(pid, listening);
    assert_eq!(connect(&mut machine), refused(Errno::ConnRefused));
    let again = machine.socket(pid, UNIX, STREAM).unwrap();
    assert_eq!(
        machine.bind(pid, again, &path),
        Got::Fails(Errno::AddrInUse)
    );
    let unlink = |machine: &mut Machine| {
        machine.put(pid, BYTES, b"/tmp/socket");
        machine.ready(pid, Call::path_unlink_file, |call| {
            syscalls::path_unlink_file(call, 3, BYTES, 11)
        })
    };
    assert_eq!(unlink(&mut machine), Got::Fine);
    assert_eq!(machine.bind(pid, again, &path), Got::Fine);
    assert_eq!(machine.listen(pid, again, 5), Got::Fine);
    assert_eq!(connect(&mut machine), FINE);
    // Without its name nobody finds it, but it can still be bound elsewhere by that name.
    assert_eq!(unlink(&mut machine), Got::Fine);
    assert_eq!(connect(&mut machine), refused(Errno::NoEnt));
    let third = machine.socket(pid, UNIX, STREAM).unwrap();
    assert_eq!(machine.bind(pid, third, &path), Got::Fine);
    assert_eq!(
        connect(&mut machine),
        refused(Errno::ConnRefused),
        "it does not listen"
    );
    // A file is no socket, and a datagram socket no stream.
    let fd = machine.socket(pid, UNIX, STREAM).unwrap();
    assert_eq!(
        machine.connect(pid, fd, &unix(b"/file")),
        refused(Errno::ConnRefused)
    );
    let datagrams = machine.socket(pid, UNIX, DATAGRAM).unwrap();
    machine.bind(pid, datagrams, &unix(b"/tmp/datagrams"));
    let got = machine.connect(pid, fd, &unix(b"/tmp/datagrams"));
    assert_eq!(got, refused(Errno::Prototype));
}

#[test]
fn a_fork_has_the_name_and_no_listener() {
    let (mut machine, pid) = machine(|_| {});
    let path = unix(b"/tmp/socket");
    let listening = machine.socket(pid, UNIX, STREAM).unwrap();
    machine.bind(pid, listening, &path);
    machine.listen(pid, listening, 5);
    let (_, address) = listener(&mut machine, pid, 5);
    machine.kernel = machine.kernel.fork(2).unwrap();
    let pid = machine.start();
    let fd = machine.socket(pid, UNIX, STREAM).unwrap();
    let got = machine.connect(pid, fd, &path);
    assert_eq!(got, Poll::Ready(Got::Fails(Errno::ConnRefused)));
    let fd = machine.socket(pid, INET, STREAM).unwrap();
    let got = machine.connect(pid, fd, &address);
    assert_eq!(got, Poll::Ready(Got::Fails(Errno::ConnRefused)));
}

// NW-01
#[test]
fn nothing_leaves_without_a_gateway_and_the_reason_is_told() {
    let (mut machine, pid) = machine(|_| {});
    let fd = machine.socket(pid, INET, STREAM).unwrap();
    let refused = Poll::Ready(Got::Fails(Errno::Access));
    for ip in [
        [1, 1, 1, 1],
        [10, 0, 0, 1],
        [169, 254, 169, 254],
        [198, 18, 0, 1],
    ] {
        assert_eq!(machine.connect(pid, fd, &inet(ip, 80)), refused);
    }
    let why = machine.why(pid, fd);
    assert_eq!(
        why,
        "198.18.0.1:80 is beyond the sandbox, which has no network"
    );
    // A further call has its own reason, or none.
    let got = machine.connect(pid, fd, &loopback(1));
    assert_eq!(got, Poll::Ready(Got::Fails(Errno::ConnRefused)));
    assert_eq!(machine.why(pid, fd), "");
    let fd = machine.socket(pid, INET, DATAGRAM).unwrap();
    let sent = machine.send(pid, fd, b"query", 0, &inet([9, 9, 9, 9], 53));
    assert_eq!(sent, fails(Errno::Access));
    assert_eq!(machine.why(pid, fd), "datagrams do not leave the sandbox");
    assert_eq!(machine.connect(pid, fd, &inet([9, 9, 9, 9], 53)), refused);
    assert_eq!(
        machine.socket(pid, INET6, STREAM),
        Err(Got::Fails(Errno::AfNoSupport))
    );
}

#[test]
fn writing_to_nobody_is_a_signal_unless_it_is_not_wanted() {
    let (mut machine, one, other) = two(|_| {});
    let (out, accepted) = connection(&mut machine, one, other);
    machine.close(other, accepted);
    let send = |machine: &mut Machine, flags| machine.send(one, out, b"x", flags, b"");
    assert!(
        send(&mut machine, 0).is_ready_ok(),
        "it has not been told yet"
    );
    assert_eq!(send(&mut machine, NO_SIGNAL), fails(Errno::Pipe));
    let got = send(&mut machine, 0);
    assert_eq!(got, Poll::Ready(Err(Got::Ends)));
}

#[test]
fn options_are_kept_and_unknown_ones_refused() {
    let (mut machine, pid) = machine(|_| {});
    let fd = machine.socket(pid, INET, STREAM).unwrap();
    for (option, value) in [
        (SocketOption::ReuseAddress, 1),
        (SocketOption::KeepAlive, 1),
        (SocketOption::NoDelay, 1),
        (SocketOption::Linger, 1 << 32 | 5),
        (SocketOption::KeepIdle, 30),
        (SocketOption::SendTimeout, 7),
    ] {
        assert_eq!(machine.set_option(pid, fd, option, value), Got::Fine);
        assert_eq!(machine.option(pid, fd, option), Ok(value), "{option:?}");
    }
    // Doubled, as on Linux, and as far as the limit lets it.
    for (asked, got) in [(8192, 16384), (0, 2304), (u64::MAX, 256 << 10)] {
        machine.set_option(pid, fd, SocketOption::ReceiveBuffer, asked);
        assert_eq!(
            machine.option(pid, fd, SocketOption::ReceiveBuffer),
            Ok(got)
        );
    }
    let set = machine.set_option(pid, fd, SocketOption::KeepCount, 0);
    assert_eq!(set, Got::Fails(Errno::Inval));
    for option in [
        SocketOption::Error,
        SocketOption::Kind,
        SocketOption::PeerPid,
    ] {
        let set = machine.set_option(pid, fd, option, 1);
        assert_eq!(set, Got::Fails(Errno::NoProtoOpt));
    }
    let unknown = machine.ready(pid, Call::sock_option_get, |call| {
        syscalls::sock_option_get(call, fd, 99, OUT)
    });
    assert_eq!(unknown, Got::Fails(Errno::NoProtoOpt));
    let local = machine.socket(pid, UNIX, STREAM).unwrap();
    let no_delay = machine.option(pid, local, SocketOption::NoDelay);
    assert_eq!(no_delay, Err(Got::Fails(Errno::NoProtoOpt)));
    assert_eq!(
        machine.option(pid, local, SocketOption::Family),
        Ok(UNIX.into())
    );
}
