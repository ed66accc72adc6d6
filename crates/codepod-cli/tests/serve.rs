//! `codepod serve` as a process: what it logs, and keys that change while it runs.

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A server that is ended when it is dropped.
struct Server {
    child: Killed,
    said: BufReader<ChildStderr>,
    address: String,
    key: String,
}

impl Server {
    fn start(arguments: &[&str]) -> Server {
        Server::start_in(PathBuf::from("."), arguments)
    }

    fn start_in(directory: PathBuf, arguments: &[&str]) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_codepod"))
            .current_dir(directory)
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut after = |what: &str| {
            let mut line = String::new();
            said.read_line(&mut line).unwrap();
            let found = line.split_once(what);
            found.expect("said").1.trim().to_owned()
        };
        let address = after("listening on http://");
        let key = match arguments.is_empty() {
            true => after("the key of this run: "),
            false => String::new(),
        };
        Server {
            child: Killed(child),
            said,
            address,
            key,
        }
    }

    /// Posts JSON; the answer.
    #[cfg(target_os = "linux")]
    fn post(&self, path: &str, body: &str) -> Value {
        let mut stream = self.connect();
        write!(
            stream,
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.key,
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"))
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        let limit = Some(Duration::from_secs(60));
        stream.set_read_timeout(limit).unwrap();
        stream
    }

    /// Sends a request with some headers of its own; the whole answer.
    fn ask(&self, path: &str, key: &str, headers: &[u8]) -> String {
        let mut stream = self.connect();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {key}\r\n"
        )
        .unwrap();
        stream.write_all(headers).unwrap();
        stream.write_all(b"\r\n").unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// The next line of the log.
    fn line(&mut self) -> Value {
        let mut line = String::new();
        self.said.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }
}

/// A process that is ended when it is dropped.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn ap_10_nothing_that_a_client_says_forges_a_line_of_the_log() {
    let mut server = Server::start(&[]);
    let forged: &[&[u8]] = &[
        b"x\" ,\"level\":\"ERROR",
        b"\x1b[2J\x1b]0;owned\x07",
        b"a\tb",
        b"{\"event\":\"request\",\"tenant\":\"other\"}",
        b"\xe2\x80\xaetxet",
        b"\xff\xfe",
        &[b'a'; 65],
        b"%0a%0dINFO%20forged",
        b"abc-1.2_3",
    ];
    for id in forged {
        let header = [b"X-Request-Id: ", *id, b"\r\n"].concat();
        let answer = server.ask("/v1/info", &server.key.clone(), &header);
        if !answer.starts_with("HTTP/1.1 200") {
            // Not even a header: then there is no line.
            assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
            continue;
        }
        let line = server.line();
        // The fields are ours, whatever was in the header.
        assert_eq!(line["event"], "request", "{line}");
        assert_eq!(line["level"], "INFO");
        assert_eq!(line["method"], "server.info");
        assert_eq!(
            (&line["status"], &line["tenant"]),
            (&200.into(), &"".into())
        );
        let fields: Vec<&String> = line.as_object().unwrap().keys().collect();
        assert!(fields.len() <= 9, "{fields:?}");
        let logged = line["id"].as_str().unwrap();
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        assert!(logged.len() <= 64 && logged.bytes().all(plain), "{line}");
        assert_eq!(logged.as_bytes() == *id, *id == b"abc-1.2_3", "{line}");
    }
    // Paths, queries and keys are not in it at all.
    let asked = [
        ("/v1/sandboxes/%0aINFO%20forged/files?path=%1b%5b2J", "key"),
        ("/v1/sandboxes/sb_0/files?path=secret-path", ""),
    ];
    for (path, key) in asked {
        let own = server.key.clone();
        let key = if key.is_empty() { &*own } else { "cpk_wrong" };
        server.ask(path, key, b"");
        let line = server.line();
        assert_eq!(line["method"], "files.read", "{line}");
        let text = line.to_string();
        for word in ["forged", "secret-path", "cpk_", "2J"] {
            assert!(!text.contains(word), "{line}");
        }
    }
}

#[test]
fn an_address_that_another_has_is_refused_with_what_to_do() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let here = support::Directory::new();
    for (command, option) in [("serve", "--listen"), ("mcp", "--http")] {
        let (status, _, stderr) = here.codepod(&[command, option, &address]);
        assert_eq!(status, 125, "{stderr}");
        let hint = format!(
            "hint: another program has this address: end it, or choose another with `{option}`\n"
        );
        assert!(stderr.ends_with(&hint), "{stderr}");
    }
}

#[test]
fn keys_are_read_again_on_a_hangup() {
    let place = support::Directory::new();
    let path = place.path("codepod.toml");
    let write = |key: &str| {
        let hash = codepod_server::http::KeyHash::of(key);
        let text = format!("[[tenants]]\nname = \"a\"\nkeys = [\"{hash}\"]\n");
        std::fs::write(&path, text).unwrap();
    };
    write("first");
    let mut server = Server::start(&["--config", path.to_str().unwrap()]);
    let status = |server: &Server, key: &str| -> String {
        let answer = server.ask("/v1/info", key, b"");
        answer.split(' ').nth(1).unwrap_or_default().to_owned()
    };
    assert_eq!(status(&server, "first"), "200");
    assert_eq!(server.line()["event"], "request");
    let hang_up = |server: &Server| {
        let kill = format!("kill -HUP {}", server.child.0.id());
        let told = Command::new("sh").args(["-c", &kill]).status().unwrap();
        assert!(told.success());
    };
    // What cannot be read changes nothing.
    std::fs::write(&path, "nonsense = 1").unwrap();
    hang_up(&server);
    assert_eq!(server.line()["event"], "not reloaded");
    assert_eq!(status(&server, "first"), "200");
    server.line();
    write("second");
    hang_up(&server);
    assert_eq!(server.line()["event"], "reloaded");
    let began = Instant::now();
    assert_eq!(status(&server, "second"), "200");
    assert_eq!(status(&server, "first"), "401");
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[cfg(target_os = "linux")]
#[test]
fn servers_are_checked_by_the_authorities_of_the_configuration() {
    let here = support::Directory::new();
    let curl = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/curl");
    let place = here.path("data");
    std::fs::create_dir(&place).unwrap();
    let mut command = Command::new("bash");
    let made = support::ends(command.arg(format!("{curl}/data.sh")).arg(&place), "");
    assert_eq!(made.0, 0, "{}", made.2);
    let web = Command::new("python3")
        .arg(format!("{curl}/server.py"))
        .args(["server.pem", "server.key", "ca.pem"])
        .current_dir(&place)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut web = Killed(web);
    let mut ports = String::new();
    let mut said = BufReader::new(web.0.stdout.take().unwrap());
    said.read_line(&mut ports).unwrap();
    let port = ports.split_whitespace().nth(1).unwrap();

    let mut answers = Vec::new();
    for ca in ["", "ca = 'data/ca.pem'\n", "ca = 'data/other-ca.pem'\n"] {
        let config = format!(
            "[network]\nallowed_hosts = ['https://tls.test']\nhosts = {{ 'tls.test' = '127.0.0.1:{port}' }}\n{ca}"
        );
        std::fs::write(here.path("codepod.toml"), config).unwrap();
        let mut server = Server::start_in(here.path("."), &["--config", "codepod.toml"]);
        let mut line = String::new();
        server.said.read_line(&mut line).unwrap();
        server.key = line
            .split_once("the key of this run: ")
            .unwrap()
            .1
            .trim()
            .to_owned();
        let network = r#"{"network": {"allowedHosts": ["https://tls.test"]}}"#;
        let made = server.post("/v1/sandboxes", network);
        let id = made["sandboxId"].as_str().unwrap();
        let script = r#"{"command": "curl -s -o /dev/null -w '%{http_code}' https://tls.test/anything; echo \" $?\""}"#;
        let ran = server.post(&format!("/v1/sandboxes/{id}/run"), script);
        answers.push(ran["stdout"].as_str().unwrap().trim().to_owned());
    }
    assert_eq!(answers, ["000 60", "200 0", "000 60"]);

    for (ca, what) in [
        ("allowed_hosts = []\nca = 'none.pem'", "none.pem"),
        ("allowed_hosts = []\nca = 'data/lines'", "no certificate"),
        ("blocked_hosts = []\nca = 'data/ca.pem'", "allowed_hosts"),
    ] {
        std::fs::write(here.path("codepod.toml"), format!("[network]\n{ca}\n")).unwrap();
        here.fails(&["serve", "--config", "codepod.toml"], 125, what);
    }
}
