//! Saved states over HTTP: quotas, what is left behind, and whose they are.

mod support;

use std::path::Path;

use codepod_server::http::{Config, TenantConfig};
use serde_json::{Value, json};
use support::http::{Site, Web, tenant};

fn site(states: &Path, tenants: Vec<TenantConfig>, change: impl FnOnce(&mut Config)) -> Site {
    let mut config = Config {
        states: Some(states.to_owned()),
        tenants,
        ..Config::default()
    };
    change(&mut config);
    config.check().unwrap();
    Site::new(config)
}

fn create(web: &Web, namespace: &str) -> (u16, Value) {
    let persistence = json!({"mode": "persistent", "namespace": namespace, "autosaveMs": 0});
    web.send(
        "POST",
        "/v1/sandboxes",
        Some(json!({"persistence": persistence})),
    )
}

fn path(made: &Value) -> String {
    format!("/v1/sandboxes/{}", made["sandboxId"].as_str().unwrap())
}

/// Files below a directory.
fn files(path: &Path) -> usize {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let counts = entries.map(|entry| match entry.file_type().unwrap().is_dir() {
        true => files(&entry.path()),
        false => 1,
    });
    counts.sum()
}

#[test]
fn a_tenant_has_so_many_namespaces_and_can_remove_them() {
    let states = tempfile::tempdir().unwrap();
    let mut few = tenant("few");
    few.namespaces = 2;
    let site = site(states.path(), vec![few, tenant("other")], |_| {});
    let web = site.client("key-few");
    let (_, one) = create(&web, "one");
    assert_eq!(create(&web, "two").0, 200);
    assert_eq!(create(&web, "three").1["data"]["kind"], "limit");
    // One that is there can be opened again.
    web.run(&path(&one), "echo kept > f");
    web.good("DELETE", &path(&one), json!({}));
    let (status, one) = create(&web, "one");
    assert_eq!(status, 200, "{one}");
    assert_eq!(web.run(&path(&one), "cat f"), "kept\n");
    // While somebody has it, it cannot be removed.
    let remove =
        |namespace: &str| web.send("DELETE", &format!("/v1/states?namespace={namespace}"), None);
    assert_eq!(remove("one").1["data"]["kind"], "state");
    web.good("DELETE", &path(&one), json!({}));
    assert_eq!(remove("one").0, 200);
    assert_eq!(remove("one").1["data"]["kind"], "not_found");
    assert_eq!(create(&web, "three").0, 200);
    // Another's are not there.
    let other = site.client("key-other");
    assert_eq!(
        other.good("GET", "/v1/states", json!({})),
        json!({"states": []})
    );
    let two = other.send("DELETE", "/v1/states?namespace=two", None);
    assert_eq!(two.1["data"]["kind"], "not_found");
    let names = web.good("GET", "/v1/states", json!({}))["states"].clone();
    let names: Vec<&Value> = names
        .as_array()
        .unwrap()
        .iter()
        .map(|state| &state["namespace"])
        .collect();
    assert_eq!(names, ["three", "two"]);
}

#[test]
fn what_a_tenant_saves_has_a_bound() {
    let states = tempfile::tempdir().unwrap();
    let mut small = tenant("small");
    small.state_bytes = 4_000_000;
    let site = site(states.path(), vec![small], |_| {});
    let web = site.client("key-small");
    let save = |made: &Value| web.send("POST", &format!("{}/save", path(made)), Some(json!({})));
    let [one, two, three] = ["one", "two", "three"].map(|name| create(&web, name).1);
    // Below the quota a save may begin; what is above it then may not.
    for made in [&one, &two] {
        web.run(&path(made), "head -c 2500000 /dev/urandom > a");
        assert_eq!(save(made).0, 200);
    }
    web.run(&path(&one), "echo 2 > b");
    assert_eq!(save(&one).1["data"]["kind"], "limit");
    web.run(&path(&three), "echo x > f");
    let refused = save(&three);
    assert_eq!(refused.1["data"]["kind"], "limit", "{refused:?}");
    // One state alone cannot be larger than all may be together.
    web.run(&path(&two), "head -c 5000000 /dev/urandom > a");
    // Room is made by removing.
    let sandbox = path(&one);
    web.good("DELETE", &sandbox, json!({}));
    assert_eq!(web.send("DELETE", "/v1/states?namespace=one", None).0, 200);
    assert_eq!(save(&two).1["data"]["kind"], "too_large");
    let saved = save(&three);
    assert_eq!(saved.0, 200, "{saved:?}");
}

#[test]
fn what_a_killed_server_left_asleep_is_gone_with_the_next_start() {
    let states = tempfile::tempdir().unwrap();
    let asleep = states.path().join("asleep");
    let first = site(states.path(), vec![tenant("a")], |config| {
        config.idle_seconds = Some(1);
    });
    let web = first.client("key-a");
    let sandbox = web.sandbox();
    web.run(&sandbox, "echo slept > f");
    // Its state, and the lock of its server.
    support::wait_until(|| files(&asleep) == 2);
    // What a killed one leaves: the same without anybody who holds the lock, and what older
    // versions left.
    let left = asleep.join("server_killed");
    std::fs::create_dir(&left).unwrap();
    for name in ["lock", "sb_1"] {
        std::fs::write(left.join(name), b"").unwrap();
    }
    std::fs::write(asleep.join("sb_old"), b"").unwrap();
    let second = site(states.path(), vec![tenant("b")], |_| {});
    assert_eq!(files(&asleep), 2, "only those of the server that lives");
    assert_eq!(web.run(&sandbox, "cat f"), "slept\n");
    drop(second);
    drop(first);
    assert_eq!(files(&asleep), 0);
}

#[test]
fn fl_12_names_of_tenants_are_neither_paths_nor_labels() {
    for name in [
        "",
        "a/b",
        "../a",
        "..",
        ".",
        "a b",
        "A",
        "a\nb",
        "a\u{1b}[2J",
        "a\"",
        "\u{e9}",
        "a,b=\"c\"",
        "asleep",
        &*"x".repeat(65),
    ] {
        let config = Config {
            tenants: vec![TenantConfig {
                name: name.into(),
                ..tenant("a")
            }],
            ..Config::default()
        };
        assert!(config.check().is_err(), "{name:?}");
    }
    // Nor are names of namespaces and shells, wherever they turn up.
    let states = tempfile::tempdir().unwrap();
    let metrics = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
    let site = site(states.path(), vec![tenant("a"), tenant("b")], |config| {
        config.metrics = Some(metrics);
    });
    let web = site.client("key-a");
    let long = "n".repeat(100);
    for name in [
        "x-label",
        "..",
        "../b/x",
        "/etc",
        "a/../../b",
        "CON",
        "lock",
        "name",
        &*long,
    ] {
        let (status, made) = create(&web, name);
        assert_eq!(status, 200, "{name}: {made}");
        web.run(&path(&made), "echo x > f");
        web.good("POST", &format!("{}/save", path(&made)), json!({}));
    }
    let inside = std::fs::read_dir(states.path()).unwrap();
    let inside: Vec<String> = inside
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(inside, ["a"], "nothing beside the tenant's own directory");
    let folders = std::fs::read_dir(states.path().join("a"))
        .unwrap()
        .flatten();
    for folder in folders {
        let name = folder.file_name().into_string().unwrap();
        assert!(
            name.bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'),
            "{name}"
        );
    }
    let text = ureq::get(format!("http://{}/metrics", site.metrics.unwrap()))
        .call()
        .unwrap()
        .body_mut()
        .read_to_string()
        .unwrap();
    for word in ["x-label", "tenant", "namespace", "etc"] {
        assert!(!text.contains(word), "{word}: {text}");
    }
}

#[test]
fn fl_13_what_tenants_share_tells_neither_of_the_other() {
    let states = tempfile::tempdir().unwrap();
    let site = site(states.path(), vec![tenant("a"), tenant("b")], |_| {});
    let (a, b) = (site.client("key-a"), site.client("key-b"));
    let (own, others) = (a.sandbox(), b.sandbox());
    // The same key for a request, the same name of a run, of a shell, of a session: each has its
    // own.
    let body = json!({"command": "echo $RANDOM-$SRANDOM", "idempotencyKey": "k", "shell": "s"});
    let answer =
        |web: &Web, sandbox: &str| web.good("POST", &format!("{sandbox}/run"), body.clone());
    let (first, second) = (answer(&a, &own), answer(&b, &others));
    assert_ne!(first["stdout"], second["stdout"]);
    assert_eq!(answer(&a, &own), first);
    a.good(
        "POST",
        &format!("{own}/python"),
        json!({"code": "secret = 'of a'"}),
    );
    let seen = b.good(
        "POST",
        &format!("{others}/python"),
        json!({"code": "'secret' in globals()"}),
    );
    assert_eq!(seen["stdout"], "False\n");
    // The same content saved by both is stored by both: that it is there already cannot be seen.
    let written = |web: &Web| {
        let (_, made) = create(web, "same");
        web.run(&path(&made), "yes content | head -c 1000000 > f");
        web.good("POST", &format!("{}/save", path(&made)), json!({}))["written"]
            .as_u64()
            .unwrap()
    };
    let (mine, theirs) = (written(&a), written(&b));
    assert!(theirs * 10 > mine * 9, "{mine} {theirs}");
    // Nor are outputs that are kept, or files of one, found by the other.
    a.run(&own, "echo canary-of-a > /tmp/canary");
    let searched = b.run(
        &others,
        "cat /proc/runs/*/stdout /tmp/* 2>/dev/null | grep -c canary-of-a; true",
    );
    assert_eq!(searched, "0\n");
}

#[test]
fn fl_14_a_thousand_creates_at_once_never_exceed_the_quota() {
    let states = tempfile::tempdir().unwrap();
    let mut few = tenant("few");
    (few.sandboxes, few.namespaces, few.requests) = (7, 5, 64);
    let site = site(states.path(), vec![few], |_| {});
    let web = site.client("key-few");
    let most = std::sync::atomic::AtomicUsize::new(0);
    let made: Vec<Value> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..40)
            .map(|thread| {
                let (web, most, site) = (&web, &most, &site);
                scope.spawn(move || {
                    let mut made = Vec::new();
                    for i in 0..25 {
                        let body = match i % 2 {
                            0 => json!({}),
                            _ => json!({"persistence": {"mode": "persistent", "namespace": format!("n{thread}-{i}")}}),
                        };
                        let (status, answer) = web.send("POST", "/v1/sandboxes", Some(body));
                        most.fetch_max(site.server.len(), std::sync::atomic::Ordering::SeqCst);
                        match status {
                            200 => made.push(answer),
                            _ => assert_eq!((status, &answer["data"]["kind"]), (429, &json!("limit")), "{answer}"),
                        }
                    }
                    made
                })
            })
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    assert_eq!(made.len(), 7, "all places, and no more");
    assert!(most.into_inner() <= 7);
    let namespaces = std::fs::read_dir(states.path().join("few")).map_or(0, Iterator::count);
    assert!(namespaces <= 5, "{namespaces}");
    // All of them come back.
    for one in &made {
        web.good("DELETE", &path(one), json!({}));
    }
    assert_eq!(site.server.len(), 0);
    for _ in 0..7 {
        web.sandbox();
    }
    assert_eq!(
        web.kind("POST", "/v1/sandboxes", None),
        (429, "limit".into())
    );
}
