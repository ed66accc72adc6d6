//! Tenants of one server cannot see, name, signal or slow each other, and nobody is one without a
//! key.

mod support;

use std::time::{Duration, Instant};

use codepod_api::{METHODS, Scope, Surface};
use codepod_server::http::Config;
use serde_json::{Value, json};
use support::http::{Site, Web, tenant};

/// Parameters that a method takes, good enough to get past their types.
fn params(method: &str) -> Value {
    match method {
        "run" | "preview.run" => json!({"command": "echo x"}),
        "run.stdin" => json!({"runId": "r", "text": "x"}),
        "run.cancel" => json!({"runId": "r"}),
        "files.write" => json!({"path": "f", "text": "x"}),
        "files.rename" => json!({"path": "f", "to": "g"}),
        "files.chmod" => json!({"path": "f", "mode": 1}),
        "files.restore" => json!({"from": "now", "paths": ["f"]}),
        "files.read" | "files.list" | "files.stat" | "files.mkdir" | "files.remove" => {
            json!({"path": "f"})
        }
        "env.set" => json!({"env": {"A": "b"}}),
        "shell.close" => json!({"shell": "s"}),
        "shell.complete" => json!({"line": "l"}),
        "snapshot.restore" | "snapshot.remove" => json!({"id": "sn_0"}),
        "preview.commit" | "preview.drop" => json!({"previewId": "pv_0"}),
        "mounts.changes" | "mounts.apply" | "mounts.discard" => json!({"at": "/m"}),
        "jobs.signal" => json!({"pid": 2}),
        "states.remove" => json!({"namespace": "n"}),
        "persistence.import" => json!({"base64": "AAAA"}),
        "sandbox.adopt" => json!({"fork": "sb_0"}),
        "sandbox.merge" => json!({"fork": "sb_0", "base": "sn_0"}),
        _ => json!({}),
    }
}

fn ask(web: &Web, method: &str, sandbox: &str) -> (u16, Value) {
    let found = METHODS
        .iter()
        .find(|other| other.name == method)
        .expect(method);
    let mut path = found.route.path.replace("{sandbox}", sandbox);
    let params = params(method);
    if !found.route.verb.takes_query() {
        return web.send(found.route.verb.name(), &path, Some(params));
    }
    let word = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    let pairs: Vec<String> = params
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| format!("{name}={}", word(value)))
        .collect();
    path += &format!("?{}", pairs.join("&"));
    web.send(found.route.verb.name(), &path, None)
}

/// The methods that name a sandbox here.
fn of_sandboxes() -> impl Iterator<Item = &'static str> {
    let here = METHODS
        .iter()
        .filter(|method| method.reason_not_on(Surface::Http).is_none());
    here.filter(|method| method.scope == Scope::Sandbox)
        .map(|method| method.name)
}

#[test]
fn ap_04_every_method_of_anothers_sandbox_is_as_if_there_were_none() {
    let site = Site::with_tenants(&["alice", "mallory"], Config::default());
    let (alice, mallory) = (site.client("key-alice"), site.client("key-mallory"));
    let sandbox = alice.sandbox();
    alice.run(&sandbox, "echo secret > f; sleep 300 &");
    let before = alice.good("GET", &format!("{sandbox}/hash"), json!({}));
    let id = sandbox.rsplit('/').next().unwrap();
    let mut attempts = 0;
    for method in of_sandboxes() {
        let others = ask(&mallory, method, id);
        let none = ask(&mallory, method, "sb_00000000000000000000000000000000");
        assert_eq!(others, none, "{method}");
        assert_eq!(
            (others.0, &others.1["data"]["kind"]),
            (404, &json!("not_found")),
            "{method}"
        );
        attempts += 1;
    }
    assert!(attempts >= 45, "{attempts}");
    // Nor by way of one's own.
    let own = mallory.sandbox();
    let snapshot = alice.good("POST", &format!("{sandbox}/snapshots"), json!({}))["id"].clone();
    for (path, body) in [
        ("adopt", json!({"fork": id})),
        ("merge", json!({"fork": id, "base": snapshot})),
        ("snapshots/restore", json!({"id": snapshot})),
    ] {
        assert_eq!(
            mallory.kind("POST", &format!("{own}/{path}"), Some(body)),
            (404, "not_found".into()),
            "{path}"
        );
    }
    for path in [
        format!("{own}/changes?from=snapshot:{}", snapshot.as_str().unwrap()),
        format!("{own}/../{id}"),
        format!("{own}%2f..%2f{id}"),
    ] {
        assert_eq!(mallory.send("GET", &path, None).0, 404, "{path}");
    }
    assert_eq!(mallory.run(&own, "ps ax | grep -c 'slee[p]'"), "0\n");
    assert_eq!(
        mallory.good("GET", "/v1/sandboxes", json!({}))["sandboxes"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    // Nothing of it happened.
    assert_eq!(
        alice.good("GET", &format!("{sandbox}/hash"), json!({})),
        before
    );
    assert_eq!(
        alice.good("GET", &format!("{sandbox}/jobs"), json!({}))["jobs"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn ap_05_the_key_says_who_asks_and_nothing_else_does() {
    let site = Site::with_tenants(&["alice", "mallory"], Config::default());
    let alice = site.client("key-alice");
    let sandbox = alice.sandbox();
    let id = sandbox.rsplit('/').next().unwrap();
    // No key, a wrong one, half of one: every method says the same.
    for key in [
        "",
        "key-",
        "key-alic",
        "key-alicee",
        "KEY-ALICE",
        "alice",
        "null",
        "undefined",
        "key-alice\t,key-mallory",
        "*",
    ] {
        let nobody = site.client(key);
        for method in METHODS
            .iter()
            .filter(|method| method.reason_not_on(Surface::Http).is_none())
        {
            let (status, answer) = ask(&nobody, method.name, id);
            assert_eq!(
                (status, &answer["data"]["kind"]),
                (401, &json!("unauthorized")),
                "{key:?} {}",
                method.name
            );
        }
    }
    let raw = |headers: &str| {
        let request = format!(
            "GET {sandbox} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n"
        );
        let answer = site.raw(request.as_bytes(), Duration::from_secs(5));
        answer.split(' ').nth(1).unwrap_or_default().to_owned()
    };
    assert_eq!(raw("Authorization: Bearer key-alice\r\n"), "200");
    assert_eq!(raw("authorization: bearer key-alice\r\n"), "200");
    for headers in [
        "",
        "Authorization: key-alice\r\n",
        "Authorization: Basic key-alice\r\n",
        "Authorization: Bearer\r\n",
        "Authorization: Bearer \r\n",
        "Authorization: Bearer key-mallory\r\nAuthorization: Bearer key-alice\r\n",
        "X-Api-Key: key-alice\r\n",
        "Cookie: Authorization=Bearer key-alice\r\n",
        "Proxy-Authorization: Bearer key-alice\r\n",
    ] {
        assert_eq!(raw(headers), "401", "{headers:?}");
    }
    // What claims to be a tenant is not asked.
    for header in [
        "X-Tenant: alice",
        "Tenant: alice",
        "X-Forwarded-User: alice",
        "X-Codepod-Tenant: alice",
    ] {
        assert_eq!(
            raw(&format!(
                "Authorization: Bearer key-mallory\r\n{header}\r\n"
            )),
            "404",
            "{header}"
        );
    }
}

#[test]
fn a_tenant_that_takes_all_it_may_leaves_others_theirs() {
    let mut greedy = tenant("greedy");
    (greedy.sandboxes, greedy.requests) = (4, 4);
    let config = Config {
        tenants: vec![greedy, tenant("modest")],
        ..Config::default()
    };
    let site = Site::new(config);
    let (greedy, modest) = (site.client("key-greedy"), site.client("key-modest"));
    let own: Vec<String> = (0..4).map(|_| greedy.sandbox()).collect();
    assert_eq!(
        greedy.kind("POST", "/v1/sandboxes", None),
        (429, "limit".into())
    );
    let sandbox = modest.sandbox();
    let quick = || {
        let began = Instant::now();
        assert_eq!(modest.run(&sandbox, "echo quick"), "quick\n");
        began.elapsed()
    };
    quick();
    std::thread::scope(|scope| {
        for sandbox in &own {
            let greedy = &greedy;
            scope.spawn(move || {
                greedy.send(
                    "POST",
                    &format!("{sandbox}/run"),
                    Some(json!({"command": "while :; do :; done", "timeoutMs": 4000})),
                )
            });
        }
        std::thread::sleep(Duration::from_millis(500));
        assert_eq!(
            greedy.kind("GET", "/v1/sandboxes", None),
            (429, "limit".into())
        );
        let mut times: Vec<Duration> = (0..21).map(|_| quick()).collect();
        times.sort();
        // Four loops on the host's cores: the other tenant shares them, and does not wait for their
        // end.
        assert!(times[10] < Duration::from_secs(1), "{times:?}");
    });
    assert_eq!(greedy.run(&own[0], "echo again"), "again\n");
}

#[test]
fn states_of_tenants_are_apart_even_under_one_name() {
    let states = tempfile::tempdir().unwrap();
    let config = Config {
        states: Some(states.path().to_owned()),
        ..Config::default()
    };
    let site = Site::with_tenants(&["alice", "mallory"], config);
    let make = |web: &Web, namespace: &str| {
        let body = json!({"persistence": {"mode": "persistent", "namespace": namespace}});
        web.send("POST", "/v1/sandboxes", Some(body))
    };
    let (alice, mallory) = (site.client("key-alice"), site.client("key-mallory"));
    let (_, made) = make(&alice, "main");
    let path = format!("/v1/sandboxes/{}", made["sandboxId"].as_str().unwrap());
    alice.run(&path, "echo secret > f");
    alice.good("POST", &format!("{path}/save"), json!({}));
    alice.good("DELETE", &path, json!({}));
    let (_, made) = make(&mallory, "main");
    let path = format!("/v1/sandboxes/{}", made["sandboxId"].as_str().unwrap());
    assert_eq!(mallory.run(&path, "ls"), "");
    // Whatever a name looks like, it is only a name: nothing of others is behind it.
    for name in [
        "../alice/main",
        "/alice/main",
        "..",
        ".",
        "main/../../alice/main",
        "asleep",
    ] {
        let (status, made) = make(&mallory, name);
        if status == 200 {
            let path = format!("/v1/sandboxes/{}", made["sandboxId"].as_str().unwrap());
            assert_eq!(mallory.run(&path, "ls"), "", "{name:?}");
        }
    }
    for name in ["", "a\0b", "a b", "\u{e9}", &*"x".repeat(1000)] {
        assert!(make(&mallory, name).0 >= 400, "{name:?}");
    }
    let (_, made) = make(&alice, "main");
    let path = format!("/v1/sandboxes/{}", made["sandboxId"].as_str().unwrap());
    assert_eq!(alice.run(&path, "cat f"), "secret\n");
}
