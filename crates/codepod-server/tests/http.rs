//! HTTP as a client sees it: every method, events, a terminal, sleep, drain.

mod support;

use std::collections::BTreeSet;
use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use codepod_api::{METHODS, Surface};
use codepod_server::http::Config;
use serde_json::{Value, json};
use support::http::{Site, Terminal, Web};

/// Calls every method for real; a method that is forgotten here fails the test.
#[test]
fn every_method_answers() {
    let states = tempfile::tempdir().unwrap();
    let config = Config {
        states: Some(states.path().to_owned()),
        ..Config::parse("[network]\nallowed_hosts = [\"api.test\"]").unwrap()
    };
    let site = Site::new(config);
    let web = site.client(site.made_key.as_ref().unwrap());
    let called = std::cell::RefCell::new(BTreeSet::new());
    // A method by its route, with its parameters where they belong.
    let call = |name: &str, sandbox: &str, params: Value| {
        let method = codepod_api::find(name).expect(name);
        let mut path = method.route.path.replace("{sandbox}", sandbox);
        if method.route.verb.takes_query() {
            let word = |value: &Value| {
                value
                    .as_str()
                    .map_or_else(|| value.to_string(), |text| text.replace('/', "%2F"))
            };
            let pairs: Vec<String> = params
                .as_object()
                .unwrap()
                .iter()
                .map(|(name, value)| format!("{name}={}", word(value)))
                .collect();
            if !pairs.is_empty() {
                path += &format!("?{}", pairs.join("&"));
            }
        }
        let answer = web.good(method.route.verb.name(), &path, params);
        called.borrow_mut().insert(name.to_owned());
        answer
    };
    call("server.info", "", json!({}));
    let made = call(
        "sandbox.create",
        "",
        json!({"persistence": {"mode": "persistent", "namespace": "n"}}),
    );
    let id = made["sandboxId"].as_str().unwrap();
    let on = |name: &str, params: Value| call(name, id, params);
    assert_eq!(
        call("sandbox.list", "", json!({}))["sandboxes"][0]["sandboxId"],
        id
    );
    on("sandbox.get", json!({}));
    assert_eq!(on("run", json!({"command": "echo hi"}))["stdout"], "hi\n");
    on("python.run", json!({"code": "n = 6"}));
    assert_eq!(on("python.run", json!({"code": "n * 7"}))["stdout"], "42\n");
    on("js.run", json!({"code": "const n = 6"}));
    assert_eq!(on("js.run", json!({"code": "n * 7"}))["stdout"], "42\n");
    on("python.reset", json!({"session": "main"}));
    on("js.reset", json!({"session": "main"}));
    on("files.mkdir", json!({"path": "d"}));
    on("files.write", json!({"path": "d/f", "text": "text"}));
    assert_eq!(
        on("files.read", json!({"path": "d/f", "offset": 1}))["text"],
        "ext"
    );
    let edits = json!([{"old": "text", "new": "line"}]);
    on("files.edit", json!({"path": "d/f", "edits": edits}));
    let found = on("files.grep", json!({"pattern": "^l", "limit": 5}));
    assert_eq!(found["matches"][0]["path"], "d/f", "{found}");
    let found = on("files.glob", json!({"pattern": "**/f"}));
    assert_eq!(found["paths"], json!(["d/f"]));
    let started = on("run.start", json!({"command": "echo begun; sleep 60"}));
    let run = started["runId"].clone();
    let told = on("run.output", json!({"runId": run, "waitMs": 20_000}));
    assert_eq!(
        (&told["stdout"], &told["running"]),
        (&json!("begun\n"), &json!(true))
    );
    on("run.cancel", json!({"runId": run}));
    // What it had printed is there at once; how it ended, when it has.
    let asked = json!({"runId": run, "waitMs": 20_000, "since": 0});
    let told = loop {
        let told = on("run.output", asked.clone());
        if told["running"] != true {
            break told;
        }
    };
    assert_eq!(
        (&told["stdout"], &told["exitCode"]),
        (&json!("begun\n"), &json!(130))
    );
    on("files.list", json!({"path": "d"}));
    on("files.stat", json!({"path": "d/f"}));
    on("files.chmod", json!({"path": "d/f", "mode": 0o600}));
    on("files.rename", json!({"path": "d/f", "to": "d/g"}));
    on("files.remove", json!({"path": "d/g"}));
    on("env.set", json!({"env": {"A": "b"}}));
    assert_eq!(on("env.get", json!({}))["env"]["A"], "b");
    on("shell.create", json!({"shell": "s"}));
    assert_eq!(on("shell.list", json!({}))["shells"], json!(["", "s"]));
    on("shell.close", json!({"shell": "s"}));
    on("shell.complete", json!({"line": "ech"}));
    let snapshot = on("snapshot.create", json!({}))["id"].clone();
    on("run", json!({"command": "echo x > x"}));
    assert_eq!(
        on("changes", json!({"diff": true}))["changes"][0]["kind"],
        "added"
    );
    on("undo", json!({}));
    on("redo", json!({"count": 1}));
    on(
        "files.restore",
        json!({"from": format!("snapshot:{}", snapshot.as_str().unwrap()), "paths": ["x"]}),
    );
    on("snapshot.restore", json!({"id": snapshot}));
    on("snapshot.list", json!({}));
    let preview = on("preview.run", json!({"command": "echo y > y"}))["previewId"].clone();
    on("preview.commit", json!({"previewId": preview}));
    let preview = on("preview.run", json!({"command": "rm y"}))["previewId"].clone();
    on("preview.drop", json!({"previewId": preview}));
    let fork = on("sandbox.fork", json!({}))["sandboxId"].clone();
    on("sandbox.merge", json!({"fork": fork, "base": snapshot}));
    on("sandbox.adopt", json!({"fork": fork}));
    on("snapshot.remove", json!({"id": snapshot}));
    let url = json!({"url": "https://api.test/"});
    assert_eq!(on("network.check", url.clone())["allowed"], false);
    on(
        "network.set",
        json!({"network": {"allowedHosts": ["api.test", "other.test"]}}),
    );
    assert_eq!(on("network.check", url)["allowed"], true);
    on("run", json!({"command": ": < /dev/tcp/other.test/443"}));
    let denied = on("network.log", json!({}))["entries"][0]["reason"].clone();
    assert!(
        denied
            .as_str()
            .unwrap()
            .contains("this server allows no sandbox more")
    );
    on("mounts.list", json!({}));
    on("run", json!({"command": "sleep 60 &"}));
    let pid = on("jobs.list", json!({}))["jobs"][0]["pid"].clone();
    on("jobs.signal", json!({"pid": pid}));
    on("sandbox.kill", json!({}));
    on("sandbox.stats", json!({}));
    on("persistence.save", json!({}));
    on("persistence.load", json!({}));
    let state = on("persistence.export", json!({}))["base64"].clone();
    on("persistence.import", json!({"base64": state}));
    on("persistence.hash", json!({}));
    on("commands.list", json!({}));
    on("shell.history.list", json!({}));
    on("shell.history.clear", json!({}));
    std::thread::scope(|scope| {
        let running = scope.spawn(|| {
            let body = json!({"command": "cat", "runId": "r", "interactive": true, "stream": true});
            events(&web, &format!("/v1/sandboxes/{id}/run"), &body)
        });
        let stdin = format!("/v1/sandboxes/{id}/stdin");
        while web
            .send("POST", &stdin, Some(json!({"runId": "r", "text": "typed"})))
            .0
            != 200
        {
            std::thread::sleep(Duration::from_millis(5));
        }
        called.borrow_mut().insert("run.stdin".into());
        on("run.cancel", json!({"runId": "r"}));
        let events = running.join().unwrap();
        assert_eq!(events.last().unwrap().0, "result");
        assert_eq!(events.last().unwrap().1["cancelled"], true);
    });
    // No sandbox of this server has a host directory: the routes are there and say so.
    for name in ["mounts.changes", "mounts.apply", "mounts.discard"] {
        let method = codepod_api::find(name).unwrap();
        let path = method.route.path.replace("{sandbox}", id);
        let (verb, body) = match method.route.verb.takes_query() {
            true => ("GET", None),
            false => ("POST", Some(json!({"at": "/mnt"}))),
        };
        let path = if body.is_none() {
            path + "?at=/mnt"
        } else {
            path
        };
        assert_eq!(web.kind(verb, &path, body).1, "invalid_params", "{name}");
        called.borrow_mut().insert(name.into());
    }
    on("sandbox.destroy", json!({}));
    let kept = call("states.list", "", json!({}))["states"].clone();
    assert_eq!(kept[0]["namespace"], "n");
    assert!(kept[0]["bytes"].as_u64().unwrap() > 0 && kept[0]["changedMs"].as_u64().unwrap() > 0);
    call("states.remove", "", json!({"namespace": "n"}));
    assert_eq!(call("states.list", "", json!({}))["states"], json!([]));
    let called = called.into_inner();
    let missing: Vec<&str> = METHODS
        .iter()
        .filter(|method| method.reason_not_on(Surface::Http).is_none())
        .map(|method| method.name)
        .filter(|name| !called.contains(*name))
        .collect();
    assert!(missing.is_empty(), "never called: {missing:?}");
    if let Some(directory) = std::env::var_os("CODEPOD_PARITY") {
        let list = std::path::Path::new(&directory).join("http.json");
        std::fs::write(list, serde_json::to_string(&called).unwrap()).unwrap();
    }
}

/// The events of a run: names and data.
fn events(web: &Web, path: &str, body: &Value) -> Vec<(String, Value)> {
    let request = ureq::http::Request::builder()
        .method("POST")
        .uri(format!("{}{path}", web.base))
        .header("authorization", format!("Bearer {}", web.key))
        .header("content-type", "application/json")
        .header("accept", "text/event-stream");
    let mut answer = web
        .agent
        .run(request.body(body.to_string()).unwrap())
        .unwrap();
    assert_eq!(answer.headers()["content-type"], "text/event-stream");
    let text = answer
        .body_mut()
        .with_config()
        .limit(64 << 20)
        .read_to_string()
        .unwrap();
    let events = text
        .split("\n\n")
        .filter(|event| event.starts_with("event:"));
    let parsed = events.map(|event| {
        let (name, data) = event.split_once('\n').unwrap();
        let name = name.trim_start_matches("event:").trim().to_owned();
        let data = data.trim_start_matches("data:").trim();
        (name, serde_json::from_str(data).unwrap())
    });
    parsed.collect()
}

#[test]
fn output_comes_as_events() {
    let site = Site::new(Config::default());
    let web = site.client(site.made_key.as_ref().unwrap());
    let sandbox = web.sandbox();
    let body = json!({"command": "echo one; echo two >&2; exit 3"});
    let events = events(&web, &format!("{sandbox}/run"), &body);
    let text = |stream: &str| -> String {
        let parts = events
            .iter()
            .filter(|(name, data)| name == "output" && data["stream"] == stream);
        parts
            .map(|(_, data)| data["text"].as_str().unwrap())
            .collect()
    };
    assert_eq!(
        (text("stdout"), text("stderr")),
        ("one\n".into(), "two\n".into())
    );
    let (name, result) = events.last().unwrap();
    assert_eq!((name.as_str(), &result["exitCode"]), ("result", &json!(3)));
    let body = json!({"code": "print('one')\nprint('two')"});
    let printed = self::events(&web, &format!("{sandbox}/python"), &body);
    let (result, printed) = printed.split_last().unwrap();
    let texts = printed.iter().map(|(_, data)| data["text"].as_str());
    assert_eq!(texts.collect::<Option<String>>().unwrap(), "one\ntwo\n");
    assert_eq!(result.0, "result");
    // Whoever wants a stream says so.
    let body = json!({"command": "true", "stream": true});
    assert_eq!(
        web.kind("POST", &format!("{sandbox}/run"), Some(body)).1,
        "invalid_params"
    );
}

#[test]
fn ap_16_a_client_that_leaves_cancels_its_run() {
    let site = Site::new(Config::default());
    let key = site.made_key.clone().unwrap();
    let web = site.client(&key);
    let sandbox = web.sandbox();
    for accept in ["application/json", "text/event-stream"] {
        let body = json!({"command": "sleep 100 & sleep 100"}).to_string();
        let mut stream = TcpStream::connect(site.address).unwrap();
        write!(
            stream,
            "POST {sandbox}/run HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\nAccept: {accept}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let jobs = || {
            web.good("GET", &format!("{sandbox}/jobs"), json!({}))["jobs"]
                .as_array()
                .unwrap()
                .len()
        };
        support::wait_until(|| jobs() >= 2);
        drop(stream);
        support::wait_until(|| jobs() == 0);
        assert_eq!(web.run(&sandbox, "echo on"), "on\n");
    }
}

#[test]
fn an_idle_sandbox_sleeps_and_wakes_as_it_was() {
    let states = tempfile::tempdir().unwrap();
    let config = Config {
        states: Some(states.path().to_owned()),
        ..Config::default()
    };
    let site = Site::with_tenants(&["a"], config);
    let web = site.client("key-a");
    let (plain, busy, kept) = (web.sandbox(), web.sandbox(), web.sandbox());
    web.run(&plain, "echo file > f; V=variable; cd /tmp");
    web.run(&busy, "sleep 100 &");
    web.good("POST", &format!("{kept}/snapshots"), json!({}));
    // Each server has a directory there, with a lock beside what sleeps.
    let asleep = || {
        let servers = std::fs::read_dir(states.path().join("asleep")).unwrap();
        let files = servers.flat_map(|server| std::fs::read_dir(server.unwrap().path()).unwrap());
        files.count() - 1
    };
    let tenant = site
        .server
        .tenant_of(plain.rsplit('/').next().unwrap())
        .unwrap();
    assert_eq!(site.server.sleep_idle(&tenant, 1_000_000), 0);
    assert_eq!(site.server.sleep_idle(&tenant, 0), 1);
    assert_eq!(asleep(), 1);
    assert_eq!(
        web.good("GET", "/v1/sandboxes", json!({}))["sandboxes"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    assert_eq!(
        web.run(&plain, "cat ~/f; echo $V $PWD"),
        "file\nvariable /tmp\n"
    );
    assert_eq!(asleep(), 0);
    // One that sleeps can be destroyed, too.
    assert_eq!(site.server.sleep_idle(&tenant, 0), 1);
    web.good("DELETE", &plain, json!({}));
    assert_eq!(web.kind("GET", &plain, None), (404, "not_found".into()));
    // Many wake it at once: it is one.
    let again = web.sandbox();
    web.run(&again, "echo 0 > n");
    assert_eq!(site.server.sleep_idle(&tenant, 0), 1);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| web.run(&again, "echo x >> n"));
        }
    });
    assert_eq!(web.run(&again, "wc -l < n"), "9\n");
}

#[test]
fn a_server_that_is_told_to_stop_finishes_what_runs() {
    let mut site = Site::new(Config {
        drain_seconds: 20,
        ..Config::default()
    });
    let web = site.client(site.made_key.as_ref().unwrap());
    let sandbox = web.sandbox();
    let running = std::thread::spawn({
        let (web, sandbox) = (web.clone(), sandbox.clone());
        move || web.run(&sandbox, "sleep 1; echo done")
    });
    std::thread::sleep(Duration::from_millis(300));
    site.stop();
    assert_eq!(running.join().unwrap(), "done\n");
    support::wait_until(|| TcpStream::connect(site.address).is_err());
    let server = site.server.clone();
    drop(site);
    assert!(server.is_empty());
}

#[test]
fn a_terminal_is_a_websocket() {
    let site = Site::new(Config::default());
    let key = site.made_key.clone().unwrap();
    let sandbox = site.client(&key).sandbox();
    let mut terminal = Terminal::open(&site, &key, &sandbox);
    terminal
        .send(b"stty size; tty && echo yes-tty; exit 7\n")
        .unwrap();
    let (shown, reason) = terminal.finish();
    assert_eq!(reason, "exit 7");
    assert!(
        shown.contains("30 100") && shown.contains("yes-tty"),
        "{shown:?}"
    );
}

#[test]
fn the_page_of_the_api_and_health_are_there() {
    let site = Site::new(Config::default());
    let web = site.client(site.made_key.as_ref().unwrap());
    let page = web.good("GET", "/v1/openapi.json", json!({}));
    assert_eq!(page["openapi"], "3.1.0");
    assert_eq!(web.send("GET", "/healthz", None), (200, json!("ok\n")));
    assert_eq!(web.send("GET", "/readyz", None), (200, json!("ready\n")));
    assert_eq!(
        web.kind("GET", "/v1/nothing", None),
        (404, "method_not_found".into())
    );
    assert_eq!(
        web.kind("PATCH", "/v1/sandboxes", None),
        (405, "method_not_found".into())
    );
}

#[test]
fn ap_17_metrics_have_an_address_of_their_own_and_labels_that_nobody_from_outside_chooses() {
    let site = Site::new(Config {
        metrics: Some(([127, 0, 0, 1], 0).into()),
        ..Config::default()
    });
    let web = site.client(site.made_key.as_ref().unwrap());
    let sandbox = web.sandbox();
    for number in 0..50 {
        web.send("GET", &format!("/v1/{number}"), None);
        web.send(
            "GET",
            &format!("{sandbox}/files?path={number}&{number}={number}"),
            None,
        );
    }
    assert_eq!(web.kind("GET", "/metrics", None).0, 404);
    let metrics = Web {
        base: format!("http://{}", site.metrics.unwrap()),
        ..web.clone()
    };
    let (status, text) = metrics.send("GET", "/metrics", None);
    let text = text.as_str().unwrap();
    assert_eq!(status, 200);
    assert!(
        text.contains("codepod_sandboxes 1") && text.ends_with("# EOF\n"),
        "{text}"
    );
    assert!(text.lines().count() < 100, "{}", text.lines().count());
}
