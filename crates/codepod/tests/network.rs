//! NW-01: no program of a sandbox reaches anything outside of it.

mod support;

use std::net::{TcpListener, UdpSocket};
use std::path::Path;

use codepod::{Options, Sandbox};

/// Sockets of this host process.
fn sockets() -> usize {
    let open = std::fs::read_dir("/proc/self/fd").unwrap();
    let target =
        |entry: std::io::Result<std::fs::DirEntry>| std::fs::read_link(entry.ok()?.path()).ok();
    let is_socket = |path: &Path| path.to_string_lossy().starts_with("socket:");
    open.filter_map(target)
        .filter(|path| is_socket(path))
        .count()
}

/// Attempts to say something to a port of this machine, for each program that has anything to do
/// with the network.
fn attempts(port: u16) -> Vec<String> {
    let python = |program: &str| format!("python3 -c \"{program}\"");
    let mut all: Vec<String> = ["127.0.0.1", "localhost", "0.0.0.0", "::1", "2130706433"]
        .iter()
        .flat_map(|host| {
            [
                format!("echo hello > /dev/tcp/{host}/{port}"),
                format!("echo hello > /dev/udp/{host}/{port}"),
                format!("exec 5<>/dev/tcp/{host}/{port}; echo hello >&5"),
                python(&format!(
                    "import socket; socket.create_connection(('{host}', {port}), 2).send(b'hello')"
                )),
                python(&format!(
                    "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'hello', ('{host}', {port}))"
                )),
                python(&format!(
                    "import urllib.request as r; r.urlopen('http://{host}:{port}/', timeout=2)"
                )),
                python(&format!(
                    "import asyncio; asyncio.run(asyncio.wait_for(asyncio.open_connection('{host}', {port}), 2))"
                )),
                format!("git clone http://{host}:{port}/x"),
                format!("git clone git://{host}:{port}/x"),
                format!("pip install --index-url http://{host}:{port}/simple x"),
            ]
        })
        .collect();
    all.extend([
        python(&format!(
            "import socket; s = socket.socket(socket.AF_UNIX); s.connect('/run/host'); s.send(b'{port}')"
        )),
        python("import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW)"),
        python("import socket; socket.getaddrinfo('example.com', 80)"),
        python("import socket; s = socket.socket(); s.bind(('0.0.0.0', 0)); s.listen()"),
        format!("echo hello > /dev/tcp/192.0.2.1/{port}"),
        format!("echo hello > /dev/udp/192.0.2.1/{port}"),
        format!("echo hello > /dev/udp/example.com/{port}"),
    ]);
    all
}

#[test]
fn nw_01_no_program_reaches_anything_outside() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let datagrams = UdpSocket::bind(("127.0.0.1", port)).unwrap();
    datagrams.set_nonblocking(true).unwrap();
    let sandbox = Sandbox::create(Options::default()).unwrap();
    let before = sockets();
    for script in attempts(port) {
        let result = sandbox.run_blocking(&script).unwrap();
        // What a program makes of it is its own affair; the shell must say that it did not work. A
        // datagram to the sandbox's own loopback is sent, whether anybody receives it or not.
        let own = ["127.0.0.1", "localhost", "0.0.0.0", "2130706433"];
        let is_own = own.iter().any(|host| script.contains(host));
        let says = script.contains("/dev/tcp") || script.contains("/dev/udp") && !is_own;
        assert!(!says || result.exit_code != 0, "{script}: {result:?}");
        assert_eq!(sockets(), before, "{script}: the host has another socket");
        assert!(listener.accept().is_err(), "{script}: somebody came");
        let received = datagrams.recv(&mut [0; 16]);
        assert!(received.is_err(), "{script}: something came");
    }
    // The same listener hears who does come.
    std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
    assert!(support::within(std::time::Duration::from_secs(5), || {
        listener.accept().is_ok()
    }));
}
