//! The gateway's hostile URLs (`codepod-gateway/tests/hostile_urls.rs`), as real programs inside
//! read them: whatever curl, wget, git and Python take for their host, one server is granted, and
//! no other is reached.

#![cfg(feature = "network")]

#[path = "../../codepod-gateway/tests/hostile_urls/corpus.rs"]
mod corpus;

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use codepod::network::{Network, NetworkSpec};
use codepod::{Event, Options, Sandbox};
use corpus::{Corpus, GOOD};

/// Gives each connection to `handle`, on a thread of its own.
fn serve(handle: impl Fn(&TcpStream) + Clone + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let handle = handle.clone();
            std::thread::spawn(move || handle(&client));
        }
    });
    address
}

/// Reads the head of a request and answers it; keeps the head.
fn answer(client: &TcpStream, heads: &Mutex<Vec<String>>) {
    let mut input = BufReader::new(client);
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if !input
            .read_until(b'\n', &mut head)
            .is_ok_and(|read| read > 0)
        {
            return;
        }
    }
    let head = String::from_utf8_lossy(&head).to_ascii_lowercase();
    heads.lock().unwrap().push(head);
    let _ = (&*client)
        .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\ngood");
}

/// The line of curl's configuration that names a URL.
fn line_for_curl(url: &str) -> String {
    let mut line = String::from("url = \"");
    for c in url.chars() {
        match c {
            '\\' | '"' => line.extend(['\\', c]),
            '\t' => line += "\\t",
            '\n' => line += "\\n",
            '\r' => line += "\\r",
            '\u{b}' => line += "\\v",
            c => line.push(c),
        }
    }
    line + "\"\n"
}

/// Opens each URL of the file `hex`, with two libraries.
const PROGRAM: &str = "
import http.client, urllib.parse, urllib.request
count = 0
for line in open('hex'):
    url = bytes.fromhex(line.strip()).decode()
    count += 1
    try:
        urllib.request.urlopen(url, timeout=5).read()
    except Exception:
        pass
    try:
        parts = urllib.parse.urlsplit(url)
        connection = http.client.HTTPConnection(parts.netloc.rpartition('@')[2] or url, timeout=5)
        connection.request('GET', parts.path or '/')
        connection.getresponse().read()
    except Exception:
        pass
print(count)
";

const SCRIPT: &str = r#"
for config in curl.*; do curl -s -g -m 5 -L -K "$config" > /dev/null; done
wget -q -T 5 -t 1 -O /dev/null -i lines 2> /dev/null
count=0
while IFS= read -r -d '' url; do
    git ls-remote -- "$url" > /dev/null 2>&1
    count=$((count + 1))
done < words
echo $count
python3 program.py
# They reach what they may reach.
curl -sS http://good.test/by-curl
wget -q -O - http://good.test/by-wget
git ls-remote http://good.test/by-git 2> /dev/null
python3 -c "import urllib.request as u; print(u.urlopen('http://good.test/by-python').read())"
"#;

// NW-05, NW-07
#[test]
fn nw_05_nw_07_no_program_is_led_to_another_host_by_a_hostile_url() {
    let heads = Arc::<Mutex<Vec<String>>>::default();
    let seen = heads.clone();
    let good = serve(move |client| answer(client, &seen));
    let caught = Arc::<AtomicUsize>::default();
    let count = caught.clone();
    let trap = serve(move |_| {
        count.fetch_add(1, SeqCst);
    });

    let corpus = Corpus::new(trap.port());
    let all: Vec<&String> = corpus.refused.iter().chain(&corpus.doubtful).collect();
    assert!(all.len() > 2_500, "{}", all.len());

    // The rule has the trap's port, so that only the name decides.
    let mut spec = NetworkSpec::allowing([&*format!("http://{GOOD}:80,{}", trap.port())]);
    spec.policy.hosts.insert(GOOD.into(), good.to_string());
    spec.limits.requests = u64::MAX;
    spec.limits.connections = 10_000;
    let events = Arc::<Mutex<Vec<Event>>>::default();
    let told = events.clone();
    let mut options = Options::default();
    options.network = Some(Network::new(spec).unwrap());
    options.timeout = Duration::from_secs(600);
    options.events = Some(Arc::new(move |event: &Event| {
        told.lock().unwrap().push(event.clone());
    }));
    let sandbox = Sandbox::create(options).unwrap();

    // No argument of a program has a NUL, and a list's line no line end.
    let words: Vec<&str> = (all.iter().map(|url| url.as_str()))
        .filter(|url| !url.contains('\0'))
        .collect();
    for (number, some) in words.chunks(200).enumerate() {
        let config: String = some.iter().map(|url| line_for_curl(url)).collect();
        sandbox
            .write_file(format!("curl.{number}"), config)
            .unwrap();
    }
    let one_line = words.iter().filter(|url| !url.contains(['\n', '\r']));
    let lines: String = one_line.map(|url| format!("{url}\n")).collect();
    sandbox.write_file("lines", lines).unwrap();
    // A process for each takes its time.
    let for_git: Vec<&str> = words.iter().step_by(2).copied().collect();
    assert!(for_git.len() > 1_000);
    let separated: String = for_git.iter().map(|url| format!("{url}\0")).collect();
    sandbox.write_file("words", separated).unwrap();
    let hex = |url: &&String| -> String {
        let digits = url.bytes().map(|byte| format!("{byte:02x}"));
        digits.chain(["\n".to_owned()]).collect()
    };
    let hex: String = all.iter().map(hex).collect();
    sandbox.write_file("hex", hex).unwrap();
    sandbox.write_file("program.py", PROGRAM).unwrap();

    let result = sandbox.run_blocking(SCRIPT).unwrap();
    let said = result.stdout_text();
    let expected = format!("{}\n{}\ngoodgoodb'good'\n", for_git.len(), all.len());
    assert_eq!(said, expected, "{}", result.stderr_text());

    assert_eq!(caught.load(SeqCst), 0, "the trap was reached");
    let heads = heads.lock().unwrap();
    for head in heads.iter() {
        let mut hosts = head.lines().filter(|line| line.starts_with("host:"));
        let (host, other) = (hosts.next().unwrap_or_default(), hosts.next());
        let name = host.trim_start_matches("host: ").split(':').next();
        assert_eq!((name, other), (Some(GOOD), None), "{head}");
    }
    for client in ["curl", "wget", "git", "python"] {
        let came = |head: &String| head.contains(&format!("/by-{client}"));
        assert!(heads.iter().any(came), "{client} reached nothing");
    }
    let (mut granted, mut denied) = (0, 0);
    for event in events.lock().unwrap().iter() {
        match event {
            Event::NetworkRequest { address, url, .. } => {
                granted += 1;
                assert_eq!(address.as_deref(), Some(&*good.to_string()), "{url}");
            }
            Event::NetworkDenied { .. } => denied += 1,
            _ => {}
        }
    }
    assert!(granted >= 4 && denied > 500, "{granted} {denied}");
}
