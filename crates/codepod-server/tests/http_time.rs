//! Time over HTTP: no command, background process or terminal goes on for longer than the server's
//! ceiling says.

mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use codepod_server::http::{CeilingConfig, Config};
use serde_json::{Value, json};
use support::http::{Site, Terminal, Web};

fn site(change: impl FnOnce(&mut Config)) -> (Site, Web, String) {
    let mut config = Config::default();
    change(&mut config);
    let site = Site::new(config);
    let web = site.client(site.made_key.as_ref().unwrap());
    let sandbox = web.sandbox();
    (site, web, sandbox)
}

/// Those that go on; the shell asks how the others have ended when it is used next.
fn jobs(web: &Web, sandbox: &str) -> usize {
    let jobs = web.good("GET", &format!("{sandbox}/jobs"), json!({}));
    let jobs = jobs["jobs"].as_array().unwrap();
    jobs.iter().filter(|job| job["state"] != "ended").count()
}

#[test]
fn no_call_takes_longer_than_the_ceiling() {
    let (site, web, sandbox) = site(|config| config.ceiling.timeout_seconds = 1);
    // Python's code is loaded before its time is taken.
    web.good(
        "POST",
        &format!("{sandbox}/python"),
        json!({"code": "import time"}),
    );
    let long = |command: &str| json!({"command": command, "timeoutMs": 10_000});
    let ways = [
        ("run", long("sleep 10")),
        ("run", long("while :; do :; done")),
        ("previews", long("sleep 10")),
        (
            "python",
            json!({"code": "import time; time.sleep(10)", "timeoutMs": 10_000}),
        ),
    ];
    for (path, body) in ways {
        let began = Instant::now();
        let answer = web.good("POST", &format!("{sandbox}/{path}"), body);
        let result = match path {
            "previews" => &answer["result"],
            _ => &answer,
        };
        let took = began.elapsed();
        assert_eq!(result["timedOut"], true, "{path}: {answer}");
        let said = result["executionTimeMs"].as_f64().unwrap();
        assert!(
            (1000.0..1250.0).contains(&said),
            "{path}: {said} ms, {took:?}"
        );
    }
    // Streamed.
    let key = &web.key;
    let body = long("sleep 10").to_string();
    let mut stream = TcpStream::connect(site.address).unwrap();
    stream.set_read_timeout(Some(support::PATIENCE)).unwrap();
    write!(
        stream,
        "POST {sandbox}/run HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\nAccept: text/event-stream\r\n\
         Content-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let result = answer
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .next_back()
        .unwrap();
    let result: Value = serde_json::from_str(result).unwrap();
    assert_eq!(result["timedOut"], true, "{answer}");
    assert!(result["executionTimeMs"].as_f64().unwrap() < 1250.0);
}

#[test]
fn what_goes_on_in_the_background_ends_by_the_ceiling() {
    let (_site, web, sandbox) = site(|config| {
        config.ceiling = CeilingConfig {
            background_seconds: 1,
            ..CeilingConfig::default()
        };
    });
    web.run(&sandbox, "while :; do :; done & sleep 1000 &");
    assert_eq!(jobs(&web, &sandbox), 2);
    support::wait_until(|| jobs(&web, &sandbox) == 0);
    // Of forks as well.
    let fork = web.good("POST", &format!("{sandbox}/fork"), json!({}));
    let fork = format!("/v1/sandboxes/{}", fork["sandboxId"].as_str().unwrap());
    web.run(&fork, "sleep 1000 &");
    support::wait_until(|| jobs(&web, &fork) == 0);
}

#[test]
fn processor_time_in_the_background_ends_by_the_ceiling() {
    let (_site, web, sandbox) = site(|config| config.ceiling.cpu_seconds = 1);
    web.run(&sandbox, "while :; do :; done & sleep 1000 &");
    support::wait_until(|| jobs(&web, &sandbox) == 0);
}

#[test]
fn a_terminal_in_which_nothing_happens_ends() {
    let (site, web, sandbox) = site(|config| config.terminal_idle_seconds = 1);
    let mut terminal = Terminal::open(&site, &web.key, &sandbox);
    let began = Instant::now();
    let (_, reason) = terminal.finish();
    assert_eq!(reason, "nothing happened for too long");
    assert!(began.elapsed() >= Duration::from_millis(900));
    support::wait_until(|| jobs(&web, &sandbox) == 0);
    // Output is something.
    let mut terminal = Terminal::open(&site, &web.key, &sandbox);
    terminal
        .send(b"for i in 1 2 3 4 5; do sleep 0.5; echo $i; done; exit 3\n")
        .unwrap();
    assert_eq!(terminal.finish().1, "exit 3");
}

#[test]
fn a_terminal_lasts_six_times_as_long_as_a_command() {
    let (site, web, sandbox) = site(|config| config.ceiling.timeout_seconds = 1);
    let mut terminal = Terminal::open(&site, &web.key, &sandbox);
    let began = Instant::now();
    terminal
        .send(b"while :; do echo on; sleep 0.2; done\n")
        .unwrap();
    let (_, reason) = terminal.finish();
    let took = began.elapsed();
    assert_eq!(reason, "the terminal's time is over");
    assert!(took >= Duration::from_millis(5900), "{took:?}");
    support::wait_until(|| jobs(&web, &sandbox) == 0);
}

#[test]
fn ap_16_a_terminal_that_nobody_reads_ends_with_its_client() {
    let (site, web, sandbox) = site(|_| {});
    let mut terminal = Terminal::open(&site, &web.key, &sandbox);
    terminal.send(b"sleep 1000\n").unwrap();
    support::wait_until(|| jobs(&web, &sandbox) == 2);
    terminal
        .stream
        .set_write_timeout(Some(Duration::from_millis(500)))
        .unwrap();
    // Nobody reads what is typed: at some point there is no room for more.
    let line = [b"x".repeat((64 << 10) - 1), b"\n".to_vec()].concat();
    for _ in 0..200 {
        if terminal.send(&line).is_err() {
            break;
        }
    }
    drop(terminal);
    let took = support::wait_until(|| jobs(&web, &sandbox) == 0);
    assert!(took < Duration::from_secs(5), "{took:?}");
    assert_eq!(web.run(&sandbox, "echo on"), "on\n");
}

#[test]
fn a_program_that_reads_slowly_gets_all_that_is_typed() {
    let (site, web, sandbox) = site(|_| {});
    let mut terminal = Terminal::open(&site, &web.key, &sandbox);
    terminal
        .send(b"stty raw -echo; sleep 1; head -c 8000000 | wc -c; exit 4\n")
        .unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let block = vec![b'x'; 64_000];
    for _ in 0..125 {
        terminal.send(&block).unwrap();
    }
    let (shown, reason) = terminal.finish();
    assert!(shown.contains("8000000"), "{shown:?}");
    assert_eq!(reason, "exit 4");
}
