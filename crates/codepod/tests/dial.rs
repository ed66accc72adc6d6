//! Connections of the host to servers inside.

mod support;

use std::thread::JoinHandle;

use codepod::{Errno, Error, ErrorKind, Sandbox};
use support::sandbox;

fn refused(error: Error) -> Option<Errno> {
    match error.kind() {
        ErrorKind::Dial { port: 8000, errno } => Some(*errno),
        _ => None,
    }
}

/// Says something to the server and returns what comes back.
fn echoed(sandbox: &Sandbox, bytes: &[u8]) -> Vec<u8> {
    let connection = sandbox.dial(8000).unwrap();
    let mut back = Vec::new();
    std::thread::scope(|scope| {
        // As much as does not fit into the queues: reading and writing go on beside each other.
        scope.spawn(|| {
            assert!(connection.write_all_blocking(bytes).unwrap());
            connection.end();
        });
        let mut buffer = [0; 8192];
        while let read @ 1.. = connection.read_blocking(&mut buffer).unwrap() {
            back.extend_from_slice(&buffer[..read]);
        }
    });
    back
}

/// Starts the server for so many connections; it listens when this returns. Joined, it tells how it
/// ended.
fn serve(sandbox: &Sandbox, connections: &str) -> JoinHandle<i32> {
    let mut running = sandbox
        .command(["serve_echo", connections])
        .start()
        .unwrap();
    let mut stdout = running.stdout.take().unwrap();
    let served = std::thread::spawn(move || running.wait_blocking().unwrap().code());
    let mut line = [0; 16];
    let read = stdout.read_blocking(&mut line).unwrap();
    assert_eq!(&line[..read], b"ready\n");
    served
}

#[test]
fn the_host_talks_to_a_server_inside() {
    let sandbox = sandbox();
    let before = sandbox.dial(8000).unwrap_err();
    assert_eq!(refused(before), Some(Errno::ConnRefused));
    let served = serve(&sandbox, "2");
    assert_eq!(echoed(&sandbox, b"hello"), b"hello");
    let long: Vec<u8> = (0..1_000_000).map(|i| (i / 7) as u8).collect();
    assert!(echoed(&sandbox, &long) == long);
    assert_eq!(served.join().unwrap(), 0);
    let after = sandbox.dial(8000).unwrap_err();
    assert_eq!(refused(after), Some(Errno::ConnRefused));
}

#[test]
fn a_fork_has_no_server() {
    let sandbox = sandbox();
    let served = serve(&sandbox, "1");
    let fork = sandbox.fork().unwrap();
    let there = fork.dial(8000).unwrap_err();
    assert_eq!(refused(there), Some(Errno::ConnRefused));
    assert_eq!(echoed(&sandbox, b"still here"), b"still here");
    assert_eq!(served.join().unwrap(), 0);
}
