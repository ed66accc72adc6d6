//! WM-06: `block_in CALL` waits for ever in a call: `read` (an empty pipe), `write` (a full one),
//! `poll` (a pipe that stays empty), `sleep`, `wait` (a child that never ends), `open` (a fifo
//! without a peer), `recv` and `send` (a socket), `accept` and `connect` (a listener without
//! clients, and one that accepts nobody), `message` (a datagram socket), `stop` (stopped by a
//! signal), `spin`.

use codepod_abi::wire::socket::{DATAGRAM, INET, STREAM};
use codepod_abi::wire::wasi::EVENT_FD_READ;
use test_programs::resources::{pipe, sleep, socket_pair, spawn, wait};
use test_programs::sockets::{connect, listener, loopback, socket};
use test_programs::{HOME, Signal, Slot, call, iovec, iovec_of, paths};

fn main() {
    let how = std::env::args().nth(1).unwrap_or_default();
    let (buffer, count, flags) = (Slot::new([0u8; 64]), Slot::new(0u32), Slot::new(0u32));
    let block = vec![b'x'; 65536];
    // The line tells the host that it may look; the call comes right after it.
    eprintln!("blocking");
    match how.as_str() {
        "read" => {
            let (reading, _writing) = pipe();
            call::fd_read(reading, iovec_of(&buffer).at(), 1, count.at());
        }
        "write" => {
            let (_reading, writing) = pipe();
            for _ in 0..1000 {
                call::fd_write(writing, iovec(&block).at(), 1, count.at());
            }
        }
        "poll" => {
            let (reading, _writing) = pipe();
            let wanted = [0, u64::from(EVENT_FD_READ), u64::from(reading), 0, 0, 0];
            let (subscription, event) = (Slot::new(wanted), Slot::new([0u64; 4]));
            call::poll_oneoff(subscription.at(), event.at(), 1, count.at());
        }
        "sleep" => {
            sleep(u64::MAX);
        }
        "wait" => {
            let pid = Slot::new(0u32);
            if spawn(&["block_in", "sleep"], &[], 0, &pid) == 0 {
                wait(pid.get());
            }
        }
        "open" => {
            test_programs::start();
            paths::mkfifo(HOME, "block-in-fifo");
            let _ = paths::open(HOME, "block-in-fifo", 0, paths::READ, 0);
        }
        "recv" => {
            let (first, _second) = socket_pair();
            let iovs = iovec_of(&buffer);
            call::sock_recv(first, iovs.at(), 1, 0, count.at(), flags.at());
        }
        "send" => {
            let (first, _second) = socket_pair();
            for _ in 0..1000 {
                call::sock_send(first, iovec(&block).at(), 1, 0, count.at());
            }
        }
        "accept" => {
            let (fd, _) = listener(INET, &loopback(0), 1);
            call::sock_accept(fd, 0, count.at());
        }
        "connect" => {
            let (_fd, address) = listener(INET, &loopback(0), 0);
            for _ in 0..3 {
                connect(socket(INET, STREAM, 0), &address);
            }
        }
        "message" => {
            let (fd, told) = (socket(INET, DATAGRAM, 0), Slot::new([0u32; 3]));
            call::sock_recv_from(fd, iovec_of(&buffer).at(), 1, 0, 0, 0, told.at());
        }
        "stop" => {
            let own = codepod_sys::process::ids().map_or(0, |ids| ids.pid.0);
            call::proc_kill(own.cast_signed(), Signal::Stop.raw());
            sleep(1);
        }
        _ => loop {
            std::hint::spin_loop();
        },
    }
    println!("{how} came back");
    std::process::exit(1);
}
