//! The network: the loopback inside, what is denied, and requests through the gateway beside those
//! of this process.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use codepod::network::{Network, NetworkSpec};
use codepod::{Options, Sandbox};

use crate::report::{Goal, Report};
use crate::timing::{median, micros, percentile, show, time};
use crate::{Outcome, create};

const ROUNDS: usize = 2000;
const BYTES: u64 = 1 << 30;
/// Rules of a policy that is long.
const RULES: usize = 1000;
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 1009\r\n\r\n";

pub(crate) fn run(report: &mut Report) -> Outcome {
    loopback(report)?;
    granting(report)?;
    requests(report)
}

/// What a program takes for each of `count` things, by its own clock.
fn each(sandbox: &Sandbox, what: &str, count: u64) -> Outcome<Duration> {
    let result = sandbox.run_blocking(format!("net_speed {what}"))?;
    let nanoseconds: u64 = match result.stdout_text().trim().parse() {
        Ok(nanoseconds) => nanoseconds,
        Err(_) => return Err(format!("net_speed {what}: {}", result.stderr_text()).into()),
    };
    Ok(Duration::from_nanos(nanoseconds / count))
}

/// The median of some rounds.
fn rounds(count: usize, mut round: impl FnMut() -> Outcome<Duration>) -> Outcome<Duration> {
    let mut times = (0..count).map(|_| round()).collect::<Outcome<Vec<_>>>()?;
    Ok(median(&mut times))
}

fn loopback(report: &mut Report) -> Outcome {
    let sandbox = create::sandbox(Options::default())?;
    let script = format!(
        "net_speed sink > ready & until [ -s ready ]; do :; done; net_speed source {BYTES}; wait"
    );
    let took = rounds(5, || {
        let (took, result) = time(|| sandbox.run_blocking(&script));
        match result? {
            result if result.exit_code == 0 => Ok(took),
            result => Err(result.stderr_text().into()),
        }
    })?;
    let rate = BYTES as f64 / took.as_secs_f64() / 1e9;
    report.figure(
        "loopback inside, 1 GiB",
        format!("{rate:.2} GB/s"),
        rate,
        Goal::AtLeast(1.5),
        "GB/s",
    );
    let took = rounds(9, || each(&sandbox, "accept 1000", 1000))?;
    report.figure(
        "connect, accept and close, inside",
        show(took),
        micros(took),
        Goal::AtMost(20.0),
        "µs",
    );
    Ok(())
}

/// Sandboxes with a policy, and what policy refuses.
fn granting(report: &mut Report) -> Outcome {
    let rules: Vec<String> = (0..RULES)
        .map(|i| format!("https://host{i}.example.com/v1"))
        .collect();
    let network = Network::new(NetworkSpec::allowing(rules.iter().map(String::as_str)))?;
    let with = || {
        let mut options = Options::default();
        options.network = Some(network.clone());
        options
    };
    let (mut without_times, mut with_times) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (took, made) = time(|| create::sandbox(Options::default()));
        drop(made?);
        without_times.push(took);
        let options = with();
        let (took, made) = time(|| create::sandbox(options));
        drop(made?);
        with_times.push(took);
    }
    let (without, with_one) = (median(&mut without_times), median(&mut with_times));
    let more = micros(with_one) - micros(without);
    report.beside(
        "a network of 1,000 rules, when created",
        format!("+{more:.2} µs"),
        format!("{} without", show(without)),
        more,
        Goal::AtMost(1.0),
        "µs",
    );
    let sandbox = create::sandbox(with())?;
    let mut times = Vec::new();
    for i in 0..ROUNDS {
        let url = format!("https://host{}.example.com/v1/x", i % RULES);
        let (took, access) = time(|| sandbox.check_access(&url, "GET"));
        if !access.allowed {
            return Err(format!("{url} is not allowed").into());
        }
        times.push(took);
    }
    let took = median(&mut times);
    report.figure(
        "check_access over 1,000 rules",
        show(took),
        micros(took),
        Goal::AtMost(2.0),
        "µs",
    );
    let took = rounds(9, || each(&sandbox, "connect denied.test 443 1000", 1000))?;
    report.figure(
        "a connect that is denied",
        show(took),
        micros(took),
        Goal::AtMost(5.0),
        "µs",
    );
    Ok(())
}

/// Requests on a connection that is kept, beside those of this process to the same server.
fn requests(report: &mut Report) -> Outcome {
    let address = serve()?;
    let mut spec = NetworkSpec::allowing([&*format!("http://a.test:{}", address.port())]);
    spec.limits.requests = u64::MAX;
    spec.policy
        .hosts
        .insert("a.test".into(), "127.0.0.1".into());
    let mut options = Options::default();
    options.network = Some(Network::new(spec)?);
    let sandbox = create::sandbox(options)?;
    let get = format!("get a.test {} 200", address.port());
    each(&sandbox, &get, 200)?;
    let (mut ours, mut direct) = (Vec::new(), Vec::new());
    for _ in 0..25 {
        ours.push(each(&sandbox, &get, 200)?);
        direct.push(directly(address, 200)?);
    }
    let (p90, ours) = (percentile(&mut ours, 90), median(&mut ours));
    let direct = median(&mut direct);
    let more = micros(ours) - micros(direct);
    report.beside(
        "latency that the gateway adds to a request",
        format!("+{more:.1} µs"),
        format!("{} directly", show(direct)),
        more,
        Goal::AtMost(60.0),
        "µs",
    );
    report.note("  p90 of 25 rounds of 200 requests", show(p90), "");
    Ok(())
}

/// A server of HTTP that answers with 1 KB.
fn serve() -> Outcome<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            std::thread::spawn(move || answer(&client));
        }
    });
    Ok(address)
}

fn answer(client: &TcpStream) -> std::io::Result<()> {
    client.set_nodelay(true)?;
    let body = [&[b'x'; 1004][..], b"\nend\n"].concat();
    let reply = [ANSWER, &body].concat();
    let mut input = BufReader::new(client);
    let mut line = String::new();
    loop {
        line.clear();
        if input.read_line(&mut line)? == 0 {
            return Ok(());
        }
        if line == "\r\n" {
            (&*client).write_all(&reply)?;
        }
    }
}

/// What one of so many requests takes from here.
fn directly(address: SocketAddr, count: u32) -> Outcome<Duration> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let mut buffer = vec![0; ANSWER.len() + 1009];
    let began = Instant::now();
    for _ in 0..count {
        stream.write_all(b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n")?;
        stream.read_exact(&mut buffer)?;
    }
    Ok(began.elapsed() / count)
}
