//! `curl` in the sandbox beside the machine's own: the same command lines to the same servers, with
//! the same output, status and files.

#![cfg(target_os = "linux")]

mod support;

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use support::{Directory, ends};

const HERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/curl");

/// A server by http, one by https, and one by https that wants certificates of clients; and nginx
/// by http and https.
struct Servers {
    children: [Child; 2],
    ports: [u16; 5],
}

impl Servers {
    fn start(data: &Path) -> Servers {
        let mut child = Command::new("python3")
            .arg(format!("{HERE}/server.py"))
            .args(["server.pem", "server.key", "ca.pem"])
            .current_dir(data)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let own = line.split_whitespace();
        let own = own.map(|port| port.parse().unwrap());
        let (nginx, others) = nginx(data);
        let ports: Vec<u16> = own.chain(others).collect();
        Servers {
            children: [child, nginx],
            ports: ports.try_into().unwrap(),
        }
    }

    /// Each name of a server, and its port.
    fn names(&self) -> [(&'static str, u16); 10] {
        let [http, https, clients, files, tls_files] = self.ports;
        [
            ("api.test", http),
            ("tls.test", https),
            ("wrong.test", https),
            ("expired.test", https),
            ("early.test", https),
            ("lonely.test", https),
            ("unknown.test", https),
            ("mtls.test", clients),
            ("files.test", files),
            ("tls.files.test", tls_files),
        ]
    }

    /// The command with the servers as what the sandbox may reach.
    fn inside(&self, here: &Directory, results: &Path) -> Command {
        let mut command = here.command();
        command.arg("run").arg("--ca").arg(here.path("data/ca.pem"));
        for (name, port) in self.names() {
            command.args(["--allow-host", name]);
            command.args(["--resolve", &format!("{name}=127.0.0.1:{port}")]);
        }
        for (directory, guest, access) in [
            (Path::new(HERE), "cases", "ro"),
            (&here.path("data"), "data", "ro"),
            (results, "results", "rw"),
        ] {
            let mount = format!("{}:/{guest}:{access}", directory.display());
            command.args(["--mount", &mount]);
        }
        command
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// nginx with the files of `data`, and its ports.
fn nginx(data: &Path) -> (Child, [u16; 2]) {
    // Two at one time, so that they are not the same.
    let free = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let ports = free.map(|socket| socket.local_addr().unwrap().port());
    let text = std::fs::read_to_string(format!("{HERE}/nginx.conf")).unwrap();
    let text = text.replace("@HTTP@", &ports[0].to_string());
    let text = text.replace("@HTTPS@", &ports[1].to_string());
    std::fs::write(data.join("nginx.conf"), text).unwrap();
    let mut child = Command::new("nginx")
        .arg("-p")
        .arg(data)
        .args(["-c", "nginx.conf", "-e", "nginx.log"])
        .spawn()
        .expect("nginx, which `cargo xtask setup` installs");
    for port in ports {
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let log = || std::fs::read_to_string(data.join("nginx.log"));
            assert!(child.try_wait().unwrap().is_none(), "{:?}", log());
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    (child, ports)
}

fn cases() -> Vec<String> {
    let text = std::fs::read_to_string(format!("{HERE}/cases.txt")).unwrap();
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(str::to_owned).collect()
}

/// A directory with a directory for the results, and one with data and certificates.
fn prepare() -> Directory {
    let here = Directory::new();
    for name in ["data", "inside", "machine"] {
        std::fs::create_dir(here.path(name)).unwrap();
    }
    let script = format!("{HERE}/data.sh");
    let mut command = Command::new("bash");
    let made = ends(command.arg(script).arg(here.path("data")), "");
    assert_eq!(made.0, 0, "{}", made.2);
    here
}

/// What a case has left.
#[derive(Debug, PartialEq, Eq)]
struct Left {
    stdout: Vec<u8>,
    status: String,
    /// Whether it complained: the words are those of another version.
    complained: bool,
    files: BTreeMap<PathBuf, Vec<u8>>,
}

fn files_below(directory: &Path, root: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, root, files);
        } else {
            let name = path.strip_prefix(root).unwrap().to_owned();
            files.insert(name, std::fs::read(&path).unwrap());
        }
    }
}

fn results(directory: &Path, number: usize) -> Left {
    let of = |kind: &str| directory.join(format!("{number}.{kind}"));
    let mut files = BTreeMap::new();
    files_below(&of("files"), &of("files"), &mut files);
    Left {
        stdout: std::fs::read(of("stdout")).unwrap_or_default(),
        status: std::fs::read_to_string(of("status")).unwrap_or_default(),
        complained: std::fs::read(of("stderr")).is_ok_and(|text| !text.is_empty()),
        files,
    }
}

#[test]
fn command_lines_do_what_they_do_on_the_machine() {
    let here = prepare();
    let servers = Servers::start(&here.path("data"));

    let mut command = servers.inside(&here, &here.path("inside"));
    command.args(["-e", "D=/data", "-e", "WHO=inside", "-c"]);
    command.arg("bash /cases/run.sh /cases/cases.txt /results");
    let (status, _, stderr) = ends(&mut command, "");
    assert_eq!(status, 0, "{stderr}");

    let connect: Vec<String> = servers
        .names()
        .iter()
        .flat_map(|(name, port)| {
            [80, 443].map(|own| format!("--connect-to {name}:{own}:127.0.0.1:{port}"))
        })
        .collect();
    let script = format!(
        "C='{}'; curl() {{ command curl $C \"$@\"; }}; set -- {HERE}/cases.txt {}; . {HERE}/run.sh",
        connect.join(" "),
        here.path("machine").display(),
    );
    let mut command = Command::new("bash");
    command.args(["-c", &script]);
    command
        .env("D", here.path("data"))
        .env("WHO", "machine")
        .env("CURL_CA_BUNDLE", here.path("data/ca.pem"))
        .env("HOME", &here.0);
    let (status, _, stderr) = ends(&mut command, "");
    assert_eq!(status, 0, "{stderr}");

    let cases = cases();
    let mut differing = String::new();
    for (case, number) in cases.iter().zip(1..) {
        let inside = results(&here.path("inside"), number);
        let machine = results(&here.path("machine"), number);
        assert!(!machine.status.is_empty(), "{case}: it was not run");
        if inside != machine {
            differing += &format!("{case}\n  {}\n  {}\n", shown(&inside), shown(&machine));
        }
    }
    assert!(
        differing.is_empty(),
        "inside, then on the machine:\n{differing}"
    );
}

/// What `curl` says inside: status, output and complaints.
fn curl(servers: &Servers, here: &Directory, arguments: &[&str]) -> (i32, String, String) {
    let mut command = servers.inside(here, &here.path("inside"));
    ends(command.arg("curl").args(arguments), "")
}

#[test]
fn what_is_refused_has_its_reason_in_the_message() {
    let here = prepare();
    let servers = Servers::start(&here.path("data"));
    for (arguments, status, parts) in [
        (
            &["-sS", "http://other.test/"][..],
            7,
            &["other.test:80", "Could not connect to server (codepod: "][..],
        ),
        (
            &["-sS", "https://other.test/"],
            7,
            &["other.test:443", "Could not connect to server (codepod: "],
        ),
        // Nothing that is given inside switches a check off.
        (
            &["-sSk", "https://wrong.test/"],
            60,
            &["wrong.test", "--insecure changes nothing"],
        ),
        (
            &["-sS", "--ciphers", "DEFAULT", "https://tls.test/"],
            59,
            &["--ciphers is not supported"],
        ),
        (
            &["-sS", "--crlfile", "/data/ca.pem", "https://tls.test/"],
            82,
            &["--crlfile is not supported"],
        ),
        (
            &["-sS", "--connect-to", "::tls.test:", "https://wrong.test/"],
            35,
            &["TLS asks for another name"],
        ),
        (
            &["-sS", "--tls-max", "1.1", "https://tls.test/"],
            35,
            &["TLS before 1.2 is not supported"],
        ),
    ] {
        let (ended, stdout, stderr) = curl(&servers, &here, arguments);
        assert_eq!(
            (ended, stdout.as_str()),
            (status, ""),
            "{arguments:?}: {stderr}"
        );
        for part in parts {
            assert!(stderr.contains(part), "{arguments:?}: {stderr}");
        }
    }
}

#[test]
fn the_certificate_is_the_servers_own() {
    let here = prepare();
    let servers = Servers::start(&here.path("data"));
    let arguments = [
        "-sv",
        "-o",
        "/dev/null",
        "-w",
        "%{certs}",
        "https://tls.test/text/x",
    ];
    let (status, stdout, stderr) = curl(&servers, &here, &arguments);
    assert_eq!(status, 0, "{stderr}");
    let own = std::fs::read_to_string(here.path("data/server.pem")).unwrap();
    assert!(stdout.contains(own.trim()), "{stdout}");
    for part in [
        "subject: O=codepod tests, CN=tls.test",
        "issuer: O=codepod tests, CN=An authority",
        "SSL connection using TLSv1.3 / TLS",
        "ALPN: server accepted http/1.1",
    ] {
        assert!(stderr.contains(part), "{stderr}");
    }
}

#[test]
fn a_server_inside_is_reached_without_a_network() {
    let here = Directory::new();
    let script = "mkdir w; echo hello > w/f; (cd w && python3 -m http.server 8000 > /dev/null 2>&1) & \
        until curl -s localhost:8000/f; do sleep .1; done; curl -sS https://localhost:8000/; echo $?; kill %1";
    let (_, stdout, stderr) = here.codepod(&["run", script]);
    assert_eq!(stdout, "hello\n35\n", "{stderr}");
    assert!(stderr.contains("servers in the sandbox have n"), "{stderr}");
}

/// Programs of every kind that speaks HTTP, and what servers do to them.
const RECORDED: [&str; 21] = [
    "curl -s 'http://api.test/anything?a=1'",
    "curl -si https://tls.test/anything",
    "curl -sI http://files.test/lines",
    "curl -s -r 0-10 http://files.test/large",
    "curl -s http://files.test/large | tail -n 3",
    "curl -sL -w '%{num_redirects}' http://files.test/moved/302",
    "curl -s -d x=1 'http://api.test/anything'",
    "curl -s -T /data/large https://tls.test/anything | wc",
    "curl -s -u user:password http://files.test/private/f",
    "curl -sf http://files.test/missing; echo $?",
    "curl -s --compressed https://tls.files.test/large.txt | sha256sum",
    "curl -s 'http://api.test/anything?[1-3]'",
    "curl -sS https://wrong.test/; echo $?",
    "curl -sS http://nowhere.test/ 2>&1 | sed 's/after [0-9]* ms/after a while/'",
    "wget -q -O - http://files.test/lines",
    "wget -q -r -np http://files.test/dir/; find files.test -type f | sort",
    "wget -q -N http://files.test/large; ls -l --time-style=+%s large; wget -q -N http://files.test/large; echo $?",
    "exec 3<>/dev/tcp/files.test/80; printf 'GET /lines HTTP/1.0\\r\\nHost: files.test\\r\\n\\r\\n' >&3; cat <&3",
    "python3 -c \"import urllib.request as u; print(u.urlopen('https://tls.test/anything').read().decode())\"",
    "python3 -c \"import urllib.request as u; u.urlopen('http://files.test/missing')\" 2>&1 | tail -n 1",
    "python3 -c \"import requests as r; s = r.Session(); print([s.get('https://tls.test/anything?' + c).json()['query'] for c in 'abc'])\"",
];

#[test]
fn what_was_recorded_is_said_again_without_servers() {
    let here = prepare();
    let servers = Servers::start(&here.path("data"));
    let run = |number: usize, option: &str, servers: &Servers| {
        let mut command = servers.inside(&here, &here.path("inside"));
        command.arg(option).arg(here.path(&format!("tape{number}")));
        ends(command.args(["-c", RECORDED[number]]), "")
    };
    let recorded: Vec<_> = (0..RECORDED.len())
        .map(|number| run(number, "--record", &servers))
        .collect();
    // Their ports are free, and nobody listens there.
    let gone = Servers {
        children: [(); 2].map(|()| Command::new("true").spawn().unwrap()),
        ports: servers.ports,
    };
    drop(servers);
    for (number, said) in recorded.iter().enumerate() {
        let again = run(number, "--replay", &gone);
        assert_eq!(again, *said, "{}", RECORDED[number]);
        assert!(said.1.len() > 1, "{}: {said:?}", RECORDED[number]);
    }
}

fn shown(result: &Left) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let files = result.files.iter();
    let files: Vec<_> = files.map(|(name, bytes)| (name, text(bytes))).collect();
    let stdout = text(&result.stdout);
    let (status, complained) = (result.status.trim(), result.complained);
    format!("{status} complained={complained} {stdout:?} {files:?}")
}
