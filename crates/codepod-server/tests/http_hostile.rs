//! HTTP under attack: requests that are none, that never end, that come from a foreign page.

mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use codepod_server::http::Config;
use serde_json::json;
use support::http::{Site, Web};

fn site(config: Config) -> (Site, Web, String) {
    let site = Site::new(config);
    let web = site.client(site.made_key.as_ref().unwrap());
    let sandbox = web.sandbox();
    (site, web, sandbox)
}

#[test]
fn ap_02_requests_that_never_end_are_ended() {
    let (site, web, sandbox) = site(Config {
        request_seconds: 1,
        ..Config::default()
    });
    let key = &web.key;
    let head = format!(
        "POST {sandbox}/run HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n"
    );
    let slow = [
        "GET / HT".to_owned(),
        head.clone(),
        format!("{head}Content-Length: 1000\r\n\r\n{{\"command\":"),
        format!("{head}Transfer-Encoding: chunked\r\n\r\n5\r\n{{\"com"),
    ];
    for request in slow {
        let began = Instant::now();
        let answer = site.raw(request.as_bytes(), Duration::from_secs(20));
        assert!(began.elapsed() < Duration::from_secs(10), "{request}");
        assert!(!answer.contains("200 OK"), "{answer}");
    }
    // A head that comes byte by byte is late all the same.
    let mut stream = TcpStream::connect(site.address).unwrap();
    let began = Instant::now();
    for byte in "GET /healthz HTTP/1.1\r\nX: "
        .bytes()
        .chain(std::iter::repeat_n(b'x', 100))
    {
        if stream.write_all(&[byte]).is_err() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(began.elapsed() < Duration::from_secs(15));
    assert_eq!(web.run(&sandbox, "echo alive"), "alive\n");
}

#[test]
fn ap_02_heads_and_lengths_are_bounded() {
    let (site, web, sandbox) = site(Config {
        request_bytes: 1000,
        ..Config::default()
    });
    let short = Duration::from_secs(5);
    let many: String = (0..10_000)
        .map(|number| format!("X-{number}: y\r\n"))
        .collect();
    let long = "x".repeat(1 << 20);
    let key = &web.key;
    let to = format!(
        "POST {sandbox}/run HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n"
    );
    let refused = [
        format!("GET /healthz HTTP/1.1\r\nHost: localhost\r\n{many}\r\n"),
        format!("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: {long}\r\n\r\n"),
        format!("GET /{long} HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        format!("{to}Content-Length: -1\r\n\r\n"),
        format!("{to}Content-Length: 99999999999999999999\r\n\r\n"),
        format!("{to}Content-Length: 5\r\nContent-Length: 6\r\n\r\n12345"),
        format!("{to}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        format!("{to}Transfer-Encoding: chunked\r\n\r\nzz\r\n"),
        format!("{to}Content-Encoding: gzip\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}"),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
        "\0\0\0\r\n\r\n".to_owned(),
    ];
    for request in refused {
        let answer = site.raw(request.as_bytes(), short);
        let shown: String = request.chars().take(200).collect();
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 4"),
            "{shown}: {answer}"
        );
    }
    // AP-19: a body is as large as the server says, and no larger.
    let (status, kind) = web.kind(
        "POST",
        &format!("{sandbox}/run"),
        Some(json!({"command": "x".repeat(2000)})),
    );
    assert_eq!((status, kind.as_str()), (413, "too_large"));
    assert_eq!(web.run(&sandbox, "echo alive"), "alive\n");
}

// AP-06, AP-07
#[test]
fn foreign_pages_reach_nothing() {
    let (site, web, sandbox) = site(Config::default());
    let key = &web.key;
    let ask = |headers: &str, body: &str| {
        let request = format!(
            "POST {sandbox}/run HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            body.len()
        );
        let answer = site.raw(request.as_bytes(), Duration::from_secs(5));
        // No answer ever allows a page to read it.
        assert!(
            !answer.to_ascii_lowercase().contains("access-control-allow"),
            "{answer}"
        );
        answer.split(' ').nth(1).unwrap_or_default().to_owned()
    };
    let good = format!(
        "Host: localhost\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n"
    );
    let command = "{\"command\":\"true\"}";
    assert_eq!(ask(&good, command), "200");
    for headers in [
        good.replace("localhost", "evil.example"),
        good.replace("localhost", "localhost.evil.example"),
        format!("{good}Origin: https://evil.example\r\n"),
        format!("{good}Origin: null\r\n"),
        format!("{good}Origin: http://localhost\r\n"),
        format!("{good}Host: localhost\r\n"),
    ] {
        let status = ask(&headers, command);
        assert!(status == "403" || status == "400", "{headers}: {status}");
    }
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "",
        "application/json-patch",
    ] {
        let status = ask(&good.replace("application/json", kind), command);
        assert_eq!(status, "400", "{kind}");
    }
    // A preflight gets no permission.
    let preflight = format!(
        "OPTIONS {sandbox}/run HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\nAccess-Control-Request-Method: POST\r\nConnection: close\r\n\r\n"
    );
    let answer = site
        .raw(preflight.as_bytes(), Duration::from_secs(5))
        .to_ascii_lowercase();
    assert!(
        answer.starts_with("http/1.1 403") && !answer.contains("access-control-allow"),
        "{answer}"
    );
}

#[test]
fn ap_10_ids_of_requests_are_harmless() {
    let (site, web, _) = site(Config::default());
    let key = &web.key;
    for (given, kept) in [
        ("abc-1.2_3", true),
        ("x\" ,\"level\":\"ERROR", false),
        ("\u{1b}[2J", false),
        (&*"a".repeat(65), false),
        ("", false),
    ] {
        let request = format!(
            "GET /v1/info HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\nX-Request-Id: {given}\r\nConnection: close\r\n\r\n"
        );
        let answer = site.raw(request.as_bytes(), Duration::from_secs(5));
        assert_eq!(
            !given.is_empty() && answer.contains(given),
            kept,
            "{given:?}: {answer}"
        );
    }
}

/// What an answer must not tell: paths and names of this machine, and words of our own machinery.
fn secrets(states: &std::path::Path) -> Vec<String> {
    let shown = |path: std::path::PathBuf| path.display().to_string();
    let mut secrets = vec![
        shown(std::env::current_dir().unwrap()),
        shown(std::env::current_exe().unwrap()),
        shown(states.to_owned()),
        env!("CARGO_MANIFEST_DIR").to_owned(),
    ];
    // A sandbox has a `/root` of its own.
    let own = |home: &String| home.len() > 1 && home != "/root";
    secrets.extend(std::env::var("HOME").ok().filter(own));
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    secrets.extend(Some(host.trim().to_owned()).filter(|host| host.len() > 6));
    let words = [
        ".rs:",
        "panicked",
        "wasmtime",
        "cranelift",
        "RUST_BACKTRACE",
        "os error",
        "codepod_server::",
        "0x7f",
    ];
    secrets.extend(words.map(str::to_owned));
    secrets
}

#[test]
fn ap_13_no_answer_tells_anything_of_the_host() {
    let states = tempfile::tempdir().unwrap();
    let (site, web, sandbox) = site(Config {
        states: Some(states.path().to_owned()),
        ..Config::default()
    });
    let secrets = secrets(states.path());
    let id = sandbox.rsplit('/').next().unwrap();
    let kept = json!({"persistence": {"mode": "persistent", "namespace": "n"}});
    let persistent = web.good("POST", "/v1/sandboxes", kept.clone())["sandboxId"].clone();
    // Values that are wrong in one way or another, for every parameter there is.
    let values = [
        json!("/none"),
        json!("../../../../etc/passwd"),
        json!("a\0b"),
        json!("\u{1b}[2J"),
        json!("x".repeat(5000)),
        json!(-1),
        json!(1u64 << 60),
        json!([1, {"a": null}]),
        json!({"mode": "persistent", "namespace": "a b"}),
        json!([{"host": "/etc", "at": "/m"}]),
        json!(null),
        json!(true),
    ];
    let key = &web.key;
    let mut asked = 0;
    for method in codepod_api::METHODS {
        if method.reason_not_on(codepod_api::Surface::Http).is_some()
            || method.name == "sandbox.destroy"
        {
            continue;
        }
        let (schema, _) = codepod_api::method_schemas(method);
        let fields = schema["$defs"][(method.params_name)()]["properties"].clone();
        let fields = fields.as_object().cloned().unwrap_or_default();
        let names: Vec<&String> = fields.keys().collect();
        for sandbox in [id, persistent.as_str().unwrap(), "sb_0"] {
            for value in &values {
                let mut path = method.route.path.replace("{sandbox}", sandbox);
                let params = names.iter().map(|name| ((*name).clone(), value.clone()));
                let params: serde_json::Map<String, serde_json::Value> = params.collect();
                let mut body = String::new();
                if method.route.verb.takes_query() {
                    let plain = |c: char| c.is_ascii_alphanumeric() || "/.".contains(c);
                    let word = value.as_str().map_or(value.to_string(), str::to_owned);
                    let word: String = word.chars().filter(|c| plain(*c)).collect();
                    let pairs: Vec<String> =
                        names.iter().map(|name| format!("{name}={word}")).collect();
                    path += &format!("?{}", pairs.join("&"));
                } else {
                    body = serde_json::Value::Object(params).to_string();
                }
                let verb = method.route.verb.name();
                let request = format!(
                    "{verb} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\nConnection: close\r\n\
                     Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                    body.len()
                );
                // The whole answer, head and body, whether it is good or bad.
                let answer = site.raw(request.as_bytes(), support::PATIENCE);
                assert!(answer.starts_with("HTTP/1.1 "), "{request}: {answer}");
                for secret in &secrets {
                    assert!(!answer.contains(secret), "{secret}: {request}: {answer}");
                }
                asked += 1;
            }
        }
    }
    assert!(asked > 1500, "{asked}");
    // Nor does what a guest can see.
    let script = "env; cat /proc/self/environ /proc/self/cmdline /proc/mounts /proc/version /proc/cpuinfo /etc/* 2>&1; \
                  uname -a; hostname; id; ls -la / /proc /dev; df 2>&1; mount 2>&1; ps aux; /none; cat /none; exec 99>/none";
    let seen = web.good(
        "POST",
        &format!("{sandbox}/run"),
        json!({"command": script}),
    );
    for secret in &secrets {
        assert!(!seen.to_string().contains(secret), "{secret}: {seen}");
    }
}

#[test]
fn ap_19_files_are_bounded_both_ways() {
    let (_site, web, sandbox) = site(Config::default());
    assert_eq!(
        web.run(&sandbox, "head -c 40000000 /dev/zero > big; stat -c %s big"),
        "40000000\n"
    );
    assert_eq!(
        web.kind("GET", &format!("{sandbox}/files?path=big"), None),
        (413, "too_large".into())
    );
    let part = web.good(
        "GET",
        &format!("{sandbox}/files?path=big&offset=39999990&length=100"),
        json!({}),
    );
    assert_eq!(
        (part["text"].as_str().unwrap().len(), &part["size"]),
        (10, &json!(40_000_000))
    );
    let endless = web.kind("GET", &format!("{sandbox}/files?path=/dev/zero"), None);
    assert!(endless.0 >= 400);
    let (status, kind) = web.kind("POST", "/v1/sandboxes", Some(json!({"profile": "x"})));
    assert_eq!((status, kind.as_str()), (400, "invalid_params"));
    let small = web.good("POST", "/v1/sandboxes", json!({"diskBytes": 1000}));
    let path = format!(
        "/v1/sandboxes/{}/files",
        small["sandboxId"].as_str().unwrap()
    );
    let (status, answer) = web.send(
        "PUT",
        &path,
        Some(json!({"path": "f", "text": "x".repeat(2000)})),
    );
    assert_eq!(
        (status, &answer["data"]["kind"]),
        (422, &json!("file")),
        "{answer}"
    );
}
