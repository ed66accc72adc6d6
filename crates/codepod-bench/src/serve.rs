//! The surfaces, as a client on the same machine meets them: a round trip over JSON-RPC and over
//! HTTP, and a server under load.
//!
//! The program is the one that `CODEPOD_CLI` names. `CODEPOD_LOAD` says how many seconds the load
//! lasts: 15 if not given, 300 for the figure of the documents.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::report::{Goal, Report};
use crate::timing::{median, micros, percentile, show, time};

const ROUNDS: usize = 5000;
const SANDBOXES: usize = 1000;
const CLIENTS: usize = 200;

pub(crate) fn run(report: &mut Report) -> crate::Outcome {
    let Some(program) = std::env::var_os("CODEPOD_CLI") else {
        report.note("codepod rpc and serve", "-", "CODEPOD_CLI names no program");
        return Ok(());
    };
    rpc(report, program.as_ref())?;
    let site = Site::start(program.as_ref())?;
    http(report, &site)?;
    load(report, &site)
}

/// A round trip over standard input and output.
fn rpc(report: &mut Report, program: &Path) -> crate::Outcome {
    let mut child = Command::new(program)
        .arg("rpc")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (Some(mut to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("the program has no streams".into());
    };
    let mut from = BufReader::new(from);
    let made = ask(
        &mut to,
        &mut from,
        r#"{"jsonrpc":"2.0","id":1,"method":"sandbox.create"}"#,
    )?;
    let id = id_in(&made)?;
    let request = format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"run","params":{{"sandboxId":"{id}","command":"echo hi"}}}}"#
    );
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let (took, answer) = time(|| ask(&mut to, &mut from, &request));
        if !answer?.contains("\"stdout\":\"hi\\n\"") {
            return Err("it did not print hi".into());
        }
        times.push(took);
    }
    drop(to);
    child.wait()?;
    let p99 = percentile(&mut times, 99);
    let median = median(&mut times);
    report.figure(
        "run(\"echo hi\") over JSON-RPC",
        show(median),
        micros(median),
        Goal::AtMost(150.0),
        "µs",
    );
    report.note("  p99", show(p99), "");
    Ok(())
}

fn ask(
    to: &mut ChildStdin,
    from: &mut BufReader<ChildStdout>,
    request: &str,
) -> crate::Outcome<String> {
    to.write_all(format!("{request}\n").as_bytes())?;
    let mut answer = String::new();
    from.read_line(&mut answer)?;
    Ok(answer)
}

fn id_in(answer: &str) -> crate::Outcome<String> {
    let start = answer
        .find("sb_")
        .ok_or("there is no sandbox in the answer")?;
    Ok(answer[start..].chars().take(35).collect())
}

/// A server that runs until it is dropped.
struct Site {
    child: Child,
    address: SocketAddr,
    key: String,
}

impl Site {
    fn start(program: &Path) -> crate::Outcome<Site> {
        let mut child = Command::new(program)
            .args(["serve", "--listen", "127.0.0.1:0", "--log", "off"])
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let told = child.stderr.take().ok_or("the server says nothing")?;
        let (mut address, mut key) = (None, None);
        for line in BufReader::new(told).lines() {
            let line = line?;
            if let Some((_, at)) = line.split_once("http://") {
                address = Some(at.trim().parse()?);
            }
            if let Some(at) = line.find("cpk_") {
                key = Some(line[at..].to_owned());
                break;
            }
        }
        let address = address.ok_or("the server does not say where it is")?;
        Ok(Site {
            child,
            address,
            key: key.ok_or("the server gives no key")?,
        })
    }

    /// Memory of the server that is in use, in bytes.
    fn resident(&self) -> crate::Outcome<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .ok_or("no VmRSS")?;
        Ok(line.trim().trim_end_matches(" kB").parse::<u64>()? << 10)
    }

    fn request(&self, verb: &str, path: &str, body: &str) -> String {
        format!(
            "{verb} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.key,
            body.len()
        )
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection that is kept.
struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    fn open(site: &Site) -> std::io::Result<Connection> {
        let stream = TcpStream::connect(site.address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        Ok(Connection {
            stream: BufReader::new(stream),
        })
    }

    fn send(&mut self, request: &str) -> std::io::Result<()> {
        self.stream.get_mut().write_all(request.as_bytes())
    }

    /// Status and body of an answer.
    fn answer(&mut self) -> std::io::Result<(u16, String)> {
        let broken = || std::io::Error::from(std::io::ErrorKind::InvalidData);
        let (mut status, mut length, mut line) = (0, 0, String::new());
        loop {
            line.clear();
            if self.stream.read_line(&mut line)? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            if status == 0 {
                status = line
                    .split(' ')
                    .nth(1)
                    .and_then(|word| word.parse().ok())
                    .ok_or_else(broken)?;
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().map_err(|_| broken())?;
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        String::from_utf8(body)
            .map(|body| (status, body))
            .map_err(|_| broken())
    }

    fn ask(&mut self, request: &str) -> std::io::Result<(u16, String)> {
        self.send(request)?;
        self.answer()
    }
}

/// A round trip over HTTP on a connection that is kept.
fn http(report: &mut Report, site: &Site) -> crate::Outcome {
    let mut connection = Connection::open(site)?;
    let (_, made) = connection.ask(&site.request("POST", "/v1/sandboxes", "{}"))?;
    let request = site.request(
        "POST",
        &format!("/v1/sandboxes/{}/run", id_in(&made)?),
        "{\"command\":\"echo hi\"}",
    );
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let (took, answer) = time(|| connection.ask(&request));
        if !answer?.1.contains("\"stdout\":\"hi\\n\"") {
            return Err("it did not print hi".into());
        }
        times.push(took);
    }
    let p99 = percentile(&mut times, 99);
    let median = median(&mut times);
    report.figure(
        "run(\"echo hi\") over HTTP",
        show(median),
        micros(median),
        Goal::AtMost(300.0),
        "µs",
    );
    report.note("  p99", show(p99), "");
    Ok(())
}

/// Many sandboxes, many clients; one in ten leaves before its answer.
fn load(report: &mut Report, site: &Site) -> crate::Outcome {
    let seconds = std::env::var("CODEPOD_LOAD")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(15);
    let sandboxes = many_sandboxes(site)?;
    let tally = Tally::default();
    let mut memory = Vec::new();
    std::thread::scope(|scope| -> crate::Outcome {
        for number in 0..CLIENTS {
            let (tally, sandboxes) = (&tally, &sandboxes);
            std::thread::Builder::new()
                .spawn_scoped(scope, move || client(site, sandboxes, tally, number))?;
        }
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(seconds) {
            std::thread::sleep(Duration::from_millis(500));
            memory.push(site.resident()?);
        }
        tally.stop.store(true, Ordering::Relaxed);
        Ok(())
    })?;
    report_answers(report, tally, seconds)?;
    // After a quarter of the time it has warmed up.
    let warm = memory[memory.len() / 4] as f64;
    let last = memory[memory.len() - 1] as f64;
    let shown = format!("{:.0} MB, then {:.0} MB", warm / 1e6, last / 1e6);
    report.figure(
        "  memory after and before warming up",
        shown,
        last / warm,
        Goal::AtMost(1.1),
        "×",
    );
    let alive = processes(site, &sandboxes)?;
    report.figure(
        "  processes left behind",
        alive,
        alive as f64,
        Goal::AtMost(0.0),
        "",
    );
    Ok(())
}

/// The ids of new sandboxes.
fn many_sandboxes(site: &Site) -> crate::Outcome<Vec<String>> {
    let mut connection = Connection::open(site)?;
    let mut sandboxes = Vec::new();
    for _ in 0..SANDBOXES {
        let (status, made) = connection.ask(&site.request("POST", "/v1/sandboxes", "{}"))?;
        if status != 200 {
            return Err(format!("a sandbox: {status} {made}").into());
        }
        sandboxes.push(id_in(&made)?);
    }
    Ok(sandboxes)
}

/// What came of the calls of all clients.
#[derive(Default)]
struct Tally {
    /// Clients end when this is set.
    stop: AtomicBool,
    done: AtomicU64,
    left: AtomicU64,
    wrong: AtomicU64,
    first_wrong: Mutex<Option<String>>,
    /// How long each right answer took.
    times: Mutex<Vec<Duration>>,
}

/// Calls random sandboxes until it is told to stop.
fn client(site: &Site, sandboxes: &[String], tally: &Tally, number: usize) {
    let mut own = Vec::new();
    let mut state = number as u64 * 7919 + 1;
    let mut connection = None;
    while !tally.stop.load(Ordering::Relaxed) {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let pick = (state >> 33) as usize;
        let path = format!("/v1/sandboxes/{}/run", sandboxes[pick % sandboxes.len()]);
        let open = match connection.take() {
            Some(open) => Ok(open),
            None => Connection::open(site),
        };
        let Ok(mut open) = open else {
            tally.wrong.fetch_add(1, Ordering::Relaxed);
            continue;
        };
        if (pick / 1009).is_multiple_of(10) {
            // Gone in the middle of it.
            let _ = open.send(&site.request("POST", &path, "{\"command\":\"sleep 100\"}"));
            std::thread::sleep(Duration::from_millis(20));
            tally.left.fetch_add(1, Ordering::Relaxed);
            continue;
        }
        let (took, answer) =
            time(|| open.ask(&site.request("POST", &path, "{\"command\":\"echo hi\"}")));
        match answer {
            Ok((200, body)) if body.contains("\"stdout\":\"hi\\n\"") => {
                tally.done.fetch_add(1, Ordering::Relaxed);
                own.push(took);
                connection = Some(open);
            }
            other => {
                tally.wrong.fetch_add(1, Ordering::Relaxed);
                let mut first = tally
                    .first_wrong
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                first.get_or_insert_with(|| format!("{other:?}"));
            }
        }
    }
    tally
        .times
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .extend(own);
}

/// How many answers there were, how many of them were wrong and how long they took.
fn report_answers(report: &mut Report, tally: Tally, seconds: u64) -> crate::Outcome {
    let times = tally.times.into_inner();
    let mut times = times.unwrap_or_else(PoisonError::into_inner);
    if times.is_empty() {
        return Err("nothing was answered".into());
    }
    let (half, p99) = (median(&mut times), percentile(&mut times, 99));
    let left = tally.left.into_inner();
    report.note(
        &format!("{CLIENTS} clients, {SANDBOXES} sandboxes, {seconds} s"),
        format!("{} answers", tally.done.into_inner()),
        format!("{left} left early, median {}", show(half)),
    );
    let wrong = tally.wrong.into_inner();
    report.figure("  errors", wrong, wrong as f64, Goal::AtMost(0.0), "");
    let first_wrong = tally.first_wrong.into_inner();
    if let Some(answer) = first_wrong.unwrap_or_else(PoisonError::into_inner) {
        report.note("  the first of them", answer, "");
    }
    report.figure(
        "  p99 of echo",
        show(p99),
        micros(p99) / 1e3,
        Goal::AtMost(50.0),
        "ms",
    );
    Ok(())
}

/// Processes that are alive in all sandboxes, once those that were cancelled had a moment to end.
fn processes(site: &Site, sandboxes: &[String]) -> crate::Outcome<usize> {
    std::thread::sleep(Duration::from_secs(2));
    let mut connection = Connection::open(site)?;
    let mut alive = 0;
    for id in sandboxes {
        let (_, jobs) =
            connection.ask(&site.request("GET", &format!("/v1/sandboxes/{id}/jobs"), ""))?;
        alive += jobs.matches("\"pid\":").count();
    }
    Ok(alive)
}
