//! What a sandbox reaches of the network: servers of this process, through the gateway, from real
//! programs inside.

#![cfg(feature = "network")]

mod support;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use codepod::network::{Answer, Network, NetworkSpec, RuleSpec, SecretSpec};
use codepod::{ErrorKind, Event, Options, Sandbox};

/// A server of HTTP that answers each request with what it has read of it, and keeps all of it.
#[derive(Clone)]
struct Server {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn new() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Server {
            address: listener.local_addr().unwrap(),
            seen: Arc::default(),
        };
        let seen = server.seen.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let seen = seen.clone();
                std::thread::spawn(move || serve(&client, &seen));
            }
        });
        server
    }

    fn requests(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }

    /// A network in which `a.test` is this server, and nothing else.
    fn network(&self) -> NetworkSpec {
        let port = self.address.port();
        let mut spec = NetworkSpec::allowing([&*format!("http://a.test:{port}")]);
        spec.policy
            .hosts
            .insert("a.test".into(), "127.0.0.1".into());
        spec
    }

    /// A script that asks `host` for `path` and prints the body of the answer.
    fn get(&self, host: &str, path: &str) -> String {
        let port = self.address.port();
        format!(
            "{{ exec 3<>/dev/tcp/{host}/{port}; }} && printf 'GET {path} HTTP/1.1\\r\\nHost: {host}:{port}\\r\\nConnection: close\\r\\n\\r\\n' >&3 && sed '1,/^\\r$/d' <&3"
        )
    }
}

/// Answers requests until the client has gone: with its request line.
fn serve(client: &TcpStream, seen: &Mutex<Vec<String>>) {
    let mut input = BufReader::new(client);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if !input.read_line(&mut head).is_ok_and(|read| read > 0) {
                return;
            }
        }
        let length = head
            .lines()
            .find_map(|line| {
                line.to_ascii_lowercase()
                    .strip_prefix("content-length: ")?
                    .parse()
                    .ok()
            })
            .unwrap_or(0);
        let mut body = vec![0; length];
        input.read_exact(&mut body).unwrap();
        let line = head.lines().next().unwrap_or_default().to_owned();
        seen.lock().unwrap().push(head);
        let answer = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{line}",
            line.len()
        );
        if (&*client).write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

/// A sandbox with a network, and its events.
fn sandbox(spec: NetworkSpec) -> (Sandbox, Arc<Mutex<Vec<Event>>>) {
    let events = Arc::<Mutex<Vec<Event>>>::default();
    let mut options = Options::default();
    options.network = Some(Network::new(spec).unwrap());
    let told = events.clone();
    options.events = Some(Arc::new(move |event: &Event| {
        told.lock().unwrap().push(event.clone());
    }));
    (Sandbox::create(options).unwrap(), events)
}

/// What a script prints; it has to end well.
fn printed(sandbox: &Sandbox, script: &str) -> String {
    let result = sandbox.run_blocking(script).unwrap();
    assert_eq!(result.exit_code, 0, "{}", result.stderr_text());
    result.stdout_text().into_owned()
}

/// Why a script was denied, as its hint says.
fn denied(sandbox: &Sandbox, script: &str) -> String {
    let result = sandbox.run_blocking(script).unwrap();
    let said = result.stderr_text();
    let hint = said
        .lines()
        .find_map(|line| line.strip_prefix("codepod: hint: "));
    hint.unwrap_or_else(|| panic!("{said}")).to_owned()
}

#[test]
fn a_program_reaches_what_is_allowed_and_nothing_else() {
    let server = Server::new();
    let (sandbox, events) = sandbox(server.network());
    let got = sandbox.run_blocking(server.get("a.test", "/x")).unwrap();
    assert_eq!(got.stdout_text(), "GET /x HTTP/1.1");
    let total = sandbox.network_usage().unwrap();
    let used = (got.usage.requests, got.usage.bytes_in, got.usage.bytes_out);
    assert_eq!(used, (1, total.bytes_in, total.bytes_out));
    assert!(used.1 > 15 && used.2 > 15, "{used:?}");
    let port = server.address.port();
    let url = format!("http://b.test:{port}/");
    let access = sandbox.check_access(&url, "GET");
    assert!(!access.allowed);
    let told = denied(&sandbox, &server.get("b.test", "/"));
    let next = sandbox.run_blocking("echo hi").unwrap();
    assert_eq!((next.usage.requests, next.usage.bytes_in), (0, 0));
    // One text for the program, for who asks, and in the event.
    assert_eq!(access.reason, Some(format!("codepod: {told}")));
    assert!(
        told.starts_with(&format!("b.test:{port} is not in allowed_hosts")),
        "{told}"
    );
    for host in ["127.0.0.1", "169.254.169.254"] {
        let result = sandbox.run_blocking(server.get(host, "/")).unwrap();
        assert_ne!(result.exit_code, 0, "{host}");
    }
    assert_eq!(server.requests().len(), 1);
    let usage = sandbox.network_usage().unwrap();
    assert_eq!((usage.requests, usage.connections), (1, 0));
    let events = events.lock().unwrap();
    let asked = events.iter().find_map(|event| match event {
        Event::NetworkRequest {
            sandbox,
            run,
            command,
            url,
            status,
            address,
            insecure: false,
            ..
        } => Some((
            *sandbox,
            *run,
            command.clone(),
            url.clone(),
            *status,
            address.clone(),
        )),
        _ => None,
    });
    assert_eq!(
        asked,
        Some((
            sandbox.id(),
            1,
            "bash".into(),
            format!("http://a.test:{port}/x"),
            Some(200),
            Some(server.address.to_string())
        ))
    );
    let denials: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::NetworkDenied {
                run, reason, kind, ..
            } => Some((*run, reason.clone(), *kind)),
            _ => None,
        })
        .collect();
    assert_eq!(denials[0], (2, format!("codepod: {told}"), "not-allowed"));
}

/// Prints what Python says of a URL.
fn in_python(url: &str) -> String {
    format!(
        "python3 - <<'E'
import urllib.error, urllib.request
try:
    print(urllib.request.urlopen('{url}').read())
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
except OSError as error:
    print(error)
E"
    )
}

#[test]
fn a_denial_is_one_text_for_all_who_hear_of_it() {
    let server = Server::new();
    let port = server.address.port();
    let mut spec = server.network();
    let rule = format!("http://a.test:{port}/v1");
    spec.policy.allowed_hosts = Some(vec![RuleSpec::from(&*rule)]);
    let (sandbox, events) = sandbox(spec);
    // A connection that is denied, and a request.
    let (other, beside) = (
        format!("http://b.test:{port}/v1"),
        format!("http://a.test:{port}/v2"),
    );
    let scripts = |url: &str| [format!("curl -sS {url}"), in_python(url)];
    let by_name = [
        format!("wget -t 1 -O - {other}"),
        format!("git ls-remote {other}"),
    ];
    for (url, scripts) in [
        (&other, [&scripts(&other)[..], &by_name].concat()),
        (&beside, scripts(&beside).to_vec()),
    ] {
        let why = sandbox.check_access(url, "GET").reason.unwrap();
        let is_named = why.contains(url.split('/').nth(2).unwrap());
        assert!(is_named && why.starts_with("codepod: "), "{why}");
        events.lock().unwrap().clear();
        for script in &scripts {
            let result = sandbox.run_blocking(script).unwrap();
            let said = result.stdout_text().into_owned() + &result.stderr_text();
            assert!(said.contains(&why), "{script}\n{said}\n{why}");
        }
        let told: Vec<_> = (events.lock().unwrap().iter())
            .filter_map(|event| match event {
                Event::NetworkDenied { reason, .. } => Some(reason.clone()),
                _ => None,
            })
            .collect();
        assert!(told.len() >= scripts.len(), "{told:?}");
        assert!(told.iter().all(|told| *told == why), "{told:?}");
    }
    assert!(server.requests().is_empty());
}

// NW-01
#[test]
fn nw_01_without_a_network_nothing_is_asked_for() {
    let server = Server::new();
    let sandbox = support::sandbox();
    let port = server.address.port();
    let told = denied(&sandbox, &server.get("a.test", "/"));
    assert_eq!(
        told,
        format!("a.test:{port} is beyond the sandbox, which has no network")
    );
    let access = sandbox.check_access(&format!("http://a.test:{port}/"), "GET");
    assert_eq!(access.reason, Some(format!("codepod: {told}")));
    assert!(sandbox.network_usage().is_none());
    assert!(server.requests().is_empty());
}

#[test]
fn a_network_that_cannot_be_read_is_refused_with_its_place() {
    let error = Network::new(NetworkSpec::allowing(["a.com", "https//b"])).unwrap_err();
    let ErrorKind::Network(why) = error.kind() else {
        panic!("{error}");
    };
    assert!(why.contains("rule 2 of allowed_hosts"), "{why}");
    let mut spec = NetworkSpec::allowing(["a.com"]);
    spec.secrets
        .push(SecretSpec::new("KEY", "short", &["a.com"]));
    let error = Network::new(spec).unwrap_err();
    assert!(error.to_string().contains("KEY") && !error.to_string().contains("short"));
}

#[test]
fn forks_share_what_may_be_used_and_previews_reach_nothing() {
    let server = Server::new();
    let mut spec = server.network();
    spec.limits.requests = 2;
    let (sandbox, _) = sandbox(spec);
    let fork = sandbox.fork().unwrap();
    let script = server.get("a.test", "/");
    let preview = sandbox.script(&script).preview_blocking().unwrap();
    let said = preview.result.stderr_text().into_owned();
    assert!(said.contains("is not reached from a preview"), "{said}");
    drop(preview);
    printed(&fork, &script);
    printed(&sandbox, &script);
    let told = denied(&fork.fork().unwrap(), &script);
    assert!(
        told.contains("the budget of 2 requests is used up"),
        "{told}"
    );
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_network_that_is_set_counts_from_then_on() {
    let server = Server::new();
    let sandbox = support::sandbox();
    let script = server.get("a.test", "/");
    denied(&sandbox, &script);
    sandbox
        .set_network(&Network::new(server.network()).unwrap())
        .unwrap();
    printed(&sandbox, &script);
    let nothing = Network::new(NetworkSpec::default()).unwrap();
    sandbox.set_network(&nothing).unwrap();
    denied(&sandbox, &script);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_ceiling_counts_as_well() {
    let server = Server::new();
    let port = server.address.port();
    let ceiling = Network::new(server.network()).unwrap();
    let wanted = NetworkSpec::allowing([
        &*format!("http://a.test:{port}"),
        &*format!("http://b.test:{port}"),
    ]);
    let (sandbox, _) = {
        let mut options = Options::default();
        options.network = Some(Network::beneath(&ceiling, wanted).unwrap());
        (Sandbox::create(options).unwrap(), ())
    };
    printed(&sandbox, &server.get("a.test", "/"));
    let told = denied(&sandbox, &server.get("b.test", "/"));
    assert!(
        told.starts_with("this server allows no sandbox more: "),
        "{told}"
    );
}

#[test]
fn who_is_asked_about_a_request_decides() {
    let server = Server::new();
    let mut spec = server.network();
    spec.on_request = Some(Arc::new(|ask| {
        Box::pin(async move {
            match ask.url.rsplit('/').next() {
                Some("allow") => Answer::Allow,
                Some("respond") => Answer::Respond {
                    status: 200,
                    headers: Vec::new(),
                    body: b"from the host".to_vec(),
                },
                _ => Answer::Deny(format!("{} is not for you", ask.origin.command)),
            }
        })
    }));
    let (sandbox, _) = sandbox(spec);
    let ask = |path| printed(&sandbox, &server.get("a.test", path));
    assert_eq!(ask("/allow"), "GET /allow HTTP/1.1");
    assert_eq!(ask("/respond"), "from the host");
    let told = ask("/deny");
    assert!(told.contains("bash is not for you"), "{told}");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_run_ends_in_time_while_nobody_answers() {
    let server = Server::new();
    let mut spec = server.network();
    spec.on_request = Some(Arc::new(|_| Box::pin(std::future::pending())));
    let (sandbox, _) = sandbox(spec);
    let script = server.get("a.test", "/");
    let limit = Duration::from_millis(500);
    let began = Instant::now();
    let result = sandbox.script(&script).timeout(limit).run_blocking();
    let (result, took) = (result.unwrap(), began.elapsed());
    assert!(result.timed_out, "{result:?}");
    // The question itself would have 30 seconds.
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert!(server.requests().is_empty());
}

// NW-13
#[test]
fn nw_13_inside_there_is_a_placeholder() {
    let server = Server::new();
    let mut spec = server.network();
    let canary = "sk-canary-0123456789abcdefghij";
    spec.secrets
        .push(SecretSpec::new("KEY", canary, &["https://api.test"]));
    let (sandbox, events) = sandbox(spec);
    let placeholder = printed(&sandbox, "printf %s \"$KEY\"; export -p | grep -c KEY >&2");
    assert!(placeholder.starts_with("sk-") && placeholder.len() == canary.len());
    assert_ne!(placeholder, canary);
    // It goes nowhere, as the server is not one of its hosts.
    let script = server.get("a.test", "/?q=$KEY").replace("'", "\"");
    let told = printed(&sandbox, &script);
    assert!(told.contains("codepod: ") && told.contains("KEY"), "{told}");
    assert!(server.requests().is_empty());
    let leaks =
        |event: &Event| matches!(event, Event::SecretLeak { secret, .. } if secret == "KEY");
    let events = events.lock().unwrap();
    assert!(events.iter().any(leaks));
    let text: String = events.iter().map(Event::to_json).collect();
    assert!(
        !text.contains(canary) && !text.contains(&placeholder),
        "{text}"
    );
}

#[test]
fn rules_have_methods() {
    let server = Server::new();
    let mut spec = server.network();
    let rule = spec.policy.allowed_hosts.take().unwrap().remove(0);
    spec.policy.allowed_hosts = Some(vec![RuleSpec {
        methods: Some(vec!["HEAD".into()]),
        ..rule
    }]);
    let (sandbox, _) = sandbox(spec);
    let told = printed(&sandbox, &server.get("a.test", "/"));
    assert!(
        told.contains("does not allow this port, protocol, method or path"),
        "{told}"
    );
    assert!(server.requests().is_empty());
}
