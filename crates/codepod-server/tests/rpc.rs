//! JSON-RPC as a client sees it: every method, streams, cancelling, commands of the client.

mod support;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use codepod_api::{METHODS, Surface};
use codepod_server::{Quota, ServerOptions};
use serde_json::{Value, json};
use support::{Client, finish};

/// Calls every method for real; a method that is forgotten here fails the test.
#[test]
fn every_method_answers() {
    let host = tempfile::tempdir().unwrap();
    std::fs::write(host.path().join("a"), "1\n").unwrap();
    let states = tempfile::tempdir().unwrap();
    let mut options = ServerOptions::default();
    options.host_mounts = true;
    options.reach = codepod_server::Reach::Anything;
    options.states = Some(states.path().to_owned());
    let client = Client::with(
        options,
        Quota::default(),
        Some(Box::new(|_| Ok(json!({"stdout": "hi\n"})))),
    );
    let called = std::cell::RefCell::new(BTreeSet::new());
    let call = |method: &str, params: Value| {
        let result = client.good(method, params);
        called.borrow_mut().insert(method.to_owned());
        result
    };

    let info = call("server.info", json!({}));
    assert_eq!(info["protocol"], 1);
    let made = call(
        "sandbox.create",
        json!({
            "profile": "small", "env": {"X": "y"}, "timeoutMs": 20_000, "memoryBytes": 64 << 20, "processes": 20,
            "mounts": [{"host": host.path(), "at": "/mnt", "access": "overlay"}],
            "persistence": {"mode": "persistent", "namespace": "test"},
        }),
    );
    let id = made["sandboxId"].as_str().unwrap();
    let on = |method: &str, params: Value| {
        let mut params = params;
        params["sandboxId"] = id.into();
        call(method, params)
    };
    assert_eq!(
        call("sandbox.list", json!({}))["sandboxes"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(on("sandbox.get", json!({}))["namespace"], "test");

    let result = on(
        "run",
        json!({"command": "cat; echo $X$1; exit 3", "stdin": "in ", "arguments": ["z"], "env": {"X": "w"}}),
    );
    assert_eq!(
        (&result["stdout"], &result["exitCode"]),
        (&json!("in wz\n"), &json!(3))
    );

    on("files.mkdir", json!({"path": "d/e"}));
    on("files.write", json!({"path": "d/e/f", "text": "one\n"}));
    on(
        "files.write",
        json!({"path": "n/m/b", "base64": "/w==", "parents": true}),
    );
    assert_eq!(on("files.read", json!({"path": "n/m/b"}))["base64"], "/w==");
    assert_eq!(
        on(
            "files.read",
            json!({"path": "d/e/f", "offset": 1, "length": 2})
        )["text"],
        "ne"
    );
    assert_eq!(
        on("files.list", json!({"path": "d"}))["entries"],
        json!([{"name": "e", "kind": "directory"}])
    );
    on("files.chmod", json!({"path": "d/e/f", "mode": 0o600}));
    assert_eq!(on("files.stat", json!({"path": "d/e/f"}))["mode"], 0o600);
    on("files.rename", json!({"path": "d/e/f", "to": "d/g"}));
    on("files.remove", json!({"path": "n"}));

    on("env.set", json!({"env": {"LATER": "it's"}}));
    assert_eq!(on("env.get", json!({}))["env"]["LATER"], "it's");
    let shell = on("shell.create", json!({}))["shell"]
        .as_str()
        .unwrap()
        .to_owned();
    on("run", json!({"command": "V=1", "shell": shell}));
    assert!(
        on("shell.list", json!({}))["shells"]
            .as_array()
            .unwrap()
            .contains(&json!(shell))
    );
    on("shell.close", json!({"shell": shell}));
    assert_eq!(
        on("shell.complete", json!({"line": "ech"}))["words"],
        json!(["echo"])
    );

    on(
        "python.run",
        json!({"code": "import sys; n = len(sys.stdin.read())", "stdin": "four"}),
    );
    assert_eq!(on("python.run", json!({"code": "n"}))["stdout"], "4\n");
    let other = on("python.run", json!({"code": "n", "session": "other"}));
    assert_eq!(other["exitCode"], 1);
    on("python.reset", json!({}));
    assert_eq!(on("python.run", json!({"code": "n"}))["exitCode"], 1);

    on("js.run", json!({"code": "let n = 6"}));
    let code = "n *= await Promise.resolve(7); n";
    assert_eq!(on("js.run", json!({"code": code}))["stdout"], "42\n");
    on("js.reset", json!({}));
    assert_eq!(on("js.run", json!({"code": "n"}))["exitCode"], 1);

    let snapshot = on("snapshot.create", json!({}))["id"].clone();
    on("run", json!({"command": "echo two > d/g; echo new > h"}));
    let changes = on("changes", json!({"diff": true}));
    assert_eq!(changes["changes"].as_array().unwrap().len(), 2);
    assert!(changes["diff"].as_str().unwrap().contains("+two"));
    on(
        "files.restore",
        json!({"from": format!("snapshot:{}", snapshot.as_str().unwrap()), "paths": ["/home/user/d/g"]}),
    );
    assert_eq!(on("files.read", json!({"path": "d/g"}))["text"], "one\n");
    let undone = on("undo", json!({"count": 2}))["runs"].clone();
    assert_eq!(undone[0]["command"], "restore");
    assert_eq!(undone[1]["command"], "echo two > d/g; echo new > h");
    on("redo", json!({"count": 2}));
    on("snapshot.restore", json!({"id": snapshot}));
    assert_eq!(
        on("snapshot.list", json!({}))["snapshots"]
            .as_array()
            .unwrap()
            .len(),
        1
    );

    let preview = on("preview.run", json!({"command": "rm -r d"}));
    assert_eq!(preview["result"]["exitCode"], 0);
    on("preview.drop", json!({"previewId": preview["previewId"]}));
    let preview = on("preview.run", json!({"command": "echo p > p"}));
    on("preview.commit", json!({"previewId": preview["previewId"]}));
    assert_eq!(on("files.read", json!({"path": "p"}))["text"], "p\n");

    let fork = on("sandbox.fork", json!({}))["sandboxId"]
        .as_str()
        .unwrap()
        .to_owned();
    client.run(&fork, "echo fork > q");
    let merged = on("sandbox.merge", json!({"fork": fork, "base": snapshot}));
    assert!(
        merged["taken"]
            .as_array()
            .unwrap()
            .iter()
            .any(|change| change["path"] == "/home/user/q")
    );
    client.run(&fork, "echo more > r");
    on("sandbox.adopt", json!({"fork": fork}));
    assert_eq!(on("files.read", json!({"path": "r"}))["text"], "more\n");
    on("snapshot.remove", json!({"id": snapshot}));

    assert_eq!(
        on("mounts.list", json!({}))["mounts"],
        json!([{"at": "/mnt", "access": "overlay"}])
    );
    on(
        "run",
        json!({"command": "echo 2 > /mnt/a; echo 3 > /mnt/b"}),
    );
    assert_eq!(
        on("mounts.changes", json!({"at": "/mnt"}))["changes"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    on("mounts.discard", json!({"at": "/mnt", "paths": ["/mnt/b"]}));
    let applied = on("mounts.apply", json!({"at": "/mnt"}));
    assert_eq!(
        (&applied["applied"][0]["path"], &applied["refused"]),
        (&json!("/mnt/a"), &json!([]))
    );
    assert_eq!(std::fs::read(host.path().join("a")).unwrap(), b"2\n");

    on(
        "files.write",
        json!({"path": "new/f", "text": "one\ntwo\n"}),
    );
    let edits = json!([{"old": "two", "new": "2"}]);
    let edited = on("files.edit", json!({"path": "new/f", "edits": edits}));
    assert_eq!(edited["replaced"], 1);
    assert!(
        edited["diff"].as_str().unwrap().contains("\n-two\n+2\n"),
        "{edited}"
    );
    let undone = on("undo", json!({}))["runs"][0].clone();
    assert_eq!(
        (&undone["kind"], &undone["command"]),
        (&json!("files"), &json!("edit new/f"))
    );
    let file = json!([{"path": "/home/user/new/f", "kind": "modified"}]);
    assert_eq!(undone["files"], file);
    let found = on(
        "files.grep",
        json!({"pattern": "TWO", "ignoreCase": true, "path": "new"}),
    );
    assert_eq!(
        found["matches"],
        json!([{"path": "new/f", "line": 2, "content": "two"}])
    );
    assert_eq!(
        on("files.glob", json!({"pattern": "f", "path": "new"}))["paths"],
        json!(["new/f"])
    );
    let run = on(
        "run.start",
        json!({"command": "read x; echo $x", "cwd": "/tmp"}),
    )["runId"]
        .clone();
    on("run.stdin", json!({"runId": run, "text": "in\n"}));
    let told = on("run.output", json!({"runId": run, "waitMs": 20_000}));
    assert_eq!(told["stdout"], "in\n");
    let url = json!({"url": "https://api.test/"});
    assert_eq!(on("network.check", url.clone())["allowed"], false);
    on(
        "network.set",
        json!({"network": {"allowedHosts": ["api.test"]}}),
    );
    assert_eq!(on("network.check", url)["allowed"], true);
    on("run", json!({"command": ": < /dev/tcp/other.test/443"}));
    assert_eq!(
        on("network.log", json!({}))["entries"][0]["outcome"],
        "denied"
    );
    on("run", json!({"command": "sleep 50 &"}));
    let pid = on("jobs.list", json!({}))["jobs"][0]["pid"].clone();
    on("jobs.signal", json!({"pid": pid, "signal": "KILL"}));
    on("sandbox.kill", json!({}));
    assert!(on("sandbox.stats", json!({}))["runs"].as_u64().unwrap() > 5);

    on("persistence.save", json!({}));
    client.run(id, "rm r");
    on("persistence.load", json!({}));
    let hash = on("persistence.hash", json!({}))["hash"].clone();
    let state = on("persistence.export", json!({}))["base64"].clone();
    client.run(id, "rm r");
    on("persistence.import", json!({"base64": state}));
    assert_eq!(on("persistence.hash", json!({}))["hash"], hash);

    on(
        "commands.register",
        json!({"name": "greet", "description": "greets"}),
    );
    assert!(
        on("commands.list", json!({}))["commands"]
            .as_array()
            .unwrap()
            .contains(&json!("greet"))
    );
    assert_eq!(client.run(id, "greet | rev"), "ih\n");

    assert!(
        !on("shell.history.list", json!({}))["runs"]
            .as_array()
            .unwrap()
            .is_empty()
    );
    on("shell.history.clear", json!({}));

    let (_, answer) = client.begin("run", json!({"sandboxId": id, "command": "cat", "runId": "r", "stream": true, "interactive": true}));
    while client
        .call(
            "run.stdin",
            json!({"sandboxId": id, "runId": "r", "text": "typed"}),
        )
        .is_err()
    {
        std::thread::sleep(Duration::from_millis(5));
    }
    called.borrow_mut().insert("run.stdin".into());
    assert_eq!(client.other()["params"]["text"], "typed");
    on("run.cancel", json!({"runId": "r"}));
    assert_eq!(finish(answer).unwrap()["cancelled"], true);
    on("sandbox.destroy", json!({}));
    assert_eq!(
        client.kind("run", json!({"sandboxId": id, "command": "true"})),
        "not_found"
    );
    let kept = client.good("states.list", json!({}));
    assert_eq!(kept["states"][0]["namespace"], "test");
    client.good("states.remove", json!({"namespace": "test"}));
    assert_eq!(client.good("states.list", json!({}))["states"], json!([]));
    called
        .borrow_mut()
        .extend(["states.list".to_owned(), "states.remove".to_owned()]);

    let called = called.into_inner();
    let missing: Vec<&str> = METHODS
        .iter()
        .filter(|method| method.reason_not_on(Surface::Rpc).is_none())
        .map(|method| method.name)
        .filter(|name| !called.contains(*name))
        .collect();
    assert!(missing.is_empty(), "never called: {missing:?}");
    if let Some(directory) = std::env::var_os("CODEPOD_PARITY") {
        let list = std::path::Path::new(&directory).join("rpc.json");
        std::fs::write(list, serde_json::to_string(&called).unwrap()).unwrap();
    }
    assert!(client.close().is_empty());
}

#[test]
fn requests_are_answered_side_by_side() {
    let client = Client::new();
    let sandboxes: Vec<String> = (0..8).map(|_| client.sandbox()).collect();
    let began = Instant::now();
    let sleep = |id: &String| {
        client
            .begin(
                "run",
                json!({"sandboxId": id, "command": "sleep 1; echo done"}),
            )
            .1
    };
    let answers: Vec<_> = sandboxes.iter().map(sleep).collect();
    // A short one overtakes them.
    let other = client.sandbox();
    assert_eq!(client.run(&other, "echo quick"), "quick\n");
    for answer in answers {
        assert_eq!(finish(answer).unwrap()["stdout"], "done\n");
    }
    assert!(
        began.elapsed() < Duration::from_secs(6),
        "{:?}",
        began.elapsed()
    );
}

#[test]
fn output_comes_while_a_command_runs() {
    let client = Client::new();
    let id = client.sandbox();
    let command =
        "printf 'a\\xe2\\x82'; printf '\\xac'; echo e >&2; read x; printf '\\xff'; echo $x";
    let params = json!({"sandboxId": id, "command": command, "runId": "one", "stream": true, "interactive": true});
    let (_, answer) = client.begin("run", params);
    let mut out = String::new();
    let mut err = String::new();
    while out != "a\u{20ac}" || err != "e\n" {
        let told = client.other();
        assert_eq!(
            (&told["method"], &told["params"]["runId"]),
            (&json!("run.output"), &json!("one"))
        );
        let text = told["params"]["text"].as_str().unwrap();
        match told["params"]["stream"].as_str().unwrap() {
            "stdout" => out += text,
            _ => err += text,
        }
    }
    client.good(
        "run.stdin",
        json!({"sandboxId": id, "runId": "one", "text": "line\n", "end": true}),
    );
    let rest = client.other();
    assert!(rest["params"]["base64"].as_str().is_some(), "{rest}");
    let result = finish(answer).unwrap();
    assert_eq!(
        (&result["exitCode"], &result["stdout"]),
        (&json!(0), &json!(""))
    );
}

#[test]
fn output_of_python_comes_while_it_runs() {
    let client = Client::new();
    let id = client.sandbox();
    let code = "print('ready')\nname = input()\nprint('hello', name)";
    let params =
        json!({"sandboxId": id, "code": code, "runId": "one", "stream": true, "interactive": true});
    let (_, answer) = client.begin("python.run", params);
    let told = client.other();
    assert_eq!(told["method"], "run.output");
    assert_eq!(
        (&told["params"]["runId"], &told["params"]["text"]),
        (&json!("one"), &json!("ready\n"))
    );
    client.good(
        "run.stdin",
        json!({"sandboxId": id, "runId": "one", "text": "Ada\n"}),
    );
    assert_eq!(client.other()["params"]["text"], "hello Ada\n");
    let result = finish(answer).unwrap();
    assert_eq!(
        (&result["exitCode"], &result["stdout"]),
        (&json!(0), &json!(""))
    );
    let params = json!({"sandboxId": id, "code": "name"});
    assert_eq!(client.good("python.run", params)["stdout"], "'Ada'\n");
    // What cannot be meant is refused, as for `run`.
    for wrong in [
        json!({"sandboxId": id, "code": "1", "interactive": true}),
        json!({"sandboxId": id, "code": "1", "stream": true, "stdin": "x"}),
    ] {
        let (_, answer) = client.begin("python.run", wrong);
        assert_eq!(
            finish(answer).unwrap_err()["data"]["kind"],
            "invalid_params"
        );
    }
}

#[test]
fn a_request_is_given_up_by_its_id() {
    let client = Client::new();
    let id = client.sandbox();
    let (number, answer) = client.begin(
        "run",
        json!({"sandboxId": id, "command": "echo begun; sleep 100"}),
    );
    std::thread::sleep(Duration::from_millis(200));
    client.send(
        format!(
            "{}\n",
            json!({"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": number}})
        )
        .as_bytes(),
    );
    let result = finish(answer).unwrap();
    assert_eq!(
        (&result["cancelled"], &result["stdout"]),
        (&json!(true), &json!("begun\n"))
    );
    let endless = json!({"sandboxId": id, "code": "while True: pass", "runId": "endless"});
    let (_, answer) = client.begin("python.run", endless);
    let endless = json!({"sandboxId": id, "runId": "endless"});
    while client.call("run.cancel", endless.clone()).is_err() {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(finish(answer).unwrap()["exitCode"], 130);
    assert_eq!(
        client.good("jobs.list", json!({"sandboxId": id}))["jobs"],
        json!([])
    );
    assert_eq!(client.run(&id, "echo on"), "on\n");
}

#[test]
fn the_clients_commands_are_called_back() {
    let answer = |call: Value| match call["name"].as_str().unwrap() {
        "fail" => Err(json!({"message": "no luck"})),
        "wrong" => Ok(json!({"nonsense": 1})),
        _ => Ok(json!({
            "exitCode": call["arguments"].as_array().unwrap().len(),
            "stdout": format!("{} {} {} {}", call["sandboxId"].as_str().unwrap(), call["stdin"].as_str().unwrap().trim(), call["cwd"], call["env"]["K"]),
            "stderr": "warned\n",
        })),
    };
    let client = Client::with(
        ServerOptions::default(),
        Quota::default(),
        Some(Box::new(answer)),
    );
    let id = client.sandbox();
    for name in ["ask", "fail", "wrong"] {
        client.good(
            "commands.register",
            json!({"sandboxId": id, "name": name, "aliases": [format!("{name}2")]}),
        );
    }
    let run = |command: &str| client.good("run", json!({"sandboxId": id, "command": command}));
    let result = run("cd /tmp; export K=v; echo text | ask2 1 2");
    assert_eq!(
        (&result["exitCode"], &result["stderr"]),
        (&json!(2), &json!("warned\n"))
    );
    assert_eq!(result["stdout"], format!("{id} text \"/tmp\" \"v\""));
    let result = run("fail");
    assert_eq!(
        (&result["exitCode"], &result["stderr"]),
        (&json!(1), &json!("fail: no luck\n"))
    );
    assert!(
        run("wrong")["stderr"]
            .as_str()
            .unwrap()
            .contains("the host's answer is wrong")
    );
    // A fork has them, too.
    let fork = client.good("sandbox.fork", json!({"sandboxId": id}))["sandboxId"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(
        client.run(&fork, "ask </dev/null"),
        format!("{fork}  \"/tmp\" \"v\"")
    );
}

#[test]
fn wrong_parameters_are_told_by_name() {
    let client = Client::new();
    let id = client.sandbox();
    let error = |params: Value| client.call("run", params).unwrap_err();
    let list = error(json!({"sandboxId": id, "command": ["ls", "-l"]}));
    assert_eq!(
        list["message"],
        "`command`: invalid type: sequence, expected a string"
    );
    assert!(
        list["data"]["hint"]
            .as_str()
            .unwrap()
            .starts_with("a script is one string")
    );
    let nested = error(json!({"sandboxId": id, "command": "ls", "env": {"A": 1}}));
    let message = nested["message"].as_str().unwrap();
    assert!(message.starts_with("`env.A`: invalid type"), "{message}");
    let unknown = error(json!({"sandboxId": id, "command": "ls", "nonsense": 1}));
    let message = unknown["message"].as_str().unwrap();
    assert!(message.starts_with("unknown field `nonsense`"), "{message}");
}

#[test]
fn wrong_requests_are_told_what_is_wrong() {
    let client = Client::new();
    let id = client.sandbox();
    assert_eq!(client.kind("no.such", json!({})), "method_not_found");
    assert_eq!(
        client.kind("run", json!({"sandboxId": id})),
        "invalid_params"
    );
    assert_eq!(
        client.kind("run", json!({"sandboxId": id, "command": 1})),
        "invalid_params"
    );
    assert_eq!(
        client.kind(
            "run",
            json!({"sandboxId": id, "command": "x", "nonsense": 1})
        ),
        "invalid_params"
    );
    assert_eq!(
        client.kind("run", json!({"sandboxId": 1, "command": "x"})),
        "invalid_params"
    );
    assert_eq!(
        client.kind("run", json!({"command": "x"})),
        "invalid_params"
    );
    assert_eq!(
        client.kind("server.info", json!({"sandboxId": id})),
        "invalid_params"
    );
    assert_eq!(client.kind("run", json!([])), "invalid_params");
    assert_eq!(client.kind("undo", json!({"sandboxId": id})), "no_such_run");
    assert_eq!(
        client.kind("changes", json!({"sandboxId": id, "from": "yesterday"})),
        "invalid_params"
    );
    assert_eq!(
        client.kind("changes", json!({"sandboxId": id, "from": "before:99"})),
        "no_such_run"
    );
    assert_eq!(
        client.kind("persistence.save", json!({"sandboxId": id})),
        "not_persistent"
    );
    assert_eq!(
        client.kind(
            "persistence.import",
            json!({"sandboxId": id, "base64": "AAAA"})
        ),
        "state"
    );
    assert_eq!(
        client.kind(
            "persistence.export",
            json!({"sandboxId": id, "key": "AAAA"})
        ),
        "invalid_params"
    );
    assert_eq!(
        client.kind("jobs.signal", json!({"sandboxId": id, "pid": 4000})),
        "process"
    );
    assert_eq!(
        client.kind(
            "jobs.signal",
            json!({"sandboxId": id, "pid": 1, "signal": "NOPE"})
        ),
        "invalid_params"
    );
    assert_eq!(
        client.kind(
            "preview.commit",
            json!({"sandboxId": id, "previewId": "pv_0"})
        ),
        "not_found"
    );
    assert_eq!(
        client.kind("shell.close", json!({"sandboxId": id, "shell": "none"})),
        "not_found"
    );
    assert_eq!(
        client.kind("mounts.apply", json!({"sandboxId": id, "at": "/mnt"})),
        "invalid_params"
    );
    let error = client
        .call("files.read", json!({"sandboxId": id, "path": "none"}))
        .unwrap_err();
    assert_eq!(
        (&error["data"]["kind"], &error["data"]["errno"]),
        (&json!("file"), &json!("ENOENT"))
    );
    let mount = json!({"mounts": [{"host": "/nowhere/at/all", "at": "/m"}]});
    assert_eq!(client.kind("sandbox.create", mount), "mount");
}

#[test]
fn ap_15_a_second_attempt_runs_nothing() {
    let client = Client::new();
    let id = client.sandbox();
    let params = json!({"sandboxId": id, "command": "echo x >> f; sleep 0.2; wc -l < f", "idempotencyKey": "k"});
    let answers: Vec<_> = (0..5)
        .map(|_| client.begin("run", params.clone()).1)
        .collect();
    for answer in answers {
        assert_eq!(finish(answer).unwrap()["stdout"], "1\n");
    }
    assert_eq!(client.good("run", params)["run"], 1);
    assert_eq!(client.run(&id, "wc -l < f"), "1\n");
}

#[test]
fn ap_18_a_clients_command_gets_words_and_nothing_is_made_of_them() {
    let answer = |call: Value| Ok(json!({"stdout": call["arguments"].to_string()}));
    let client = Client::with(
        ServerOptions::default(),
        Quota::default(),
        Some(Box::new(answer)),
    );
    let id = client.sandbox();
    client.good("commands.register", json!({"sandboxId": id, "name": "ask"}));
    let words = [
        "; rm -rf /",
        "$(touch x)",
        "`touch x`",
        "../../etc/passwd",
        "--flag=\"quoted\"",
        "a\nb",
        "\u{1b}[2J",
        "{\"jsonrpc\":\"2.0\"}",
        "",
        "\u{202e}",
    ];
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let told = client.run(&id, &format!("ask {}", quoted.join(" ")));
    assert_eq!(serde_json::from_str::<Vec<String>>(&told).unwrap(), words);
    assert_eq!(client.run(&id, "ls"), "");
    // A name is a name: none leads out of the directory of commands, and none is a line of its own.
    for name in [
        "../x",
        "a/b",
        "",
        ".",
        "a b",
        "a\nb",
        "-x",
        "\u{e9}",
        &*"x".repeat(65),
    ] {
        let params = json!({"sandboxId": id, "name": name});
        assert_eq!(
            client.kind("commands.register", params),
            "invalid_params",
            "{name:?}"
        );
    }
    let params = json!({"sandboxId": id, "name": "ok", "aliases": ["../y"], "description": "one\ttwo\nthree"});
    assert_eq!(client.kind("commands.register", params), "invalid_params");
}

#[test]
fn what_follows_a_run_at_once_is_about_it() {
    let client = Client::new();
    let id = client.sandbox();
    for round in 0..200 {
        let name = format!("r{round}");
        let params = json!({"sandboxId": id, "command": "cat; sleep 50", "runId": name, "stream": true, "interactive": true});
        let (number, answer) = client.begin("run", params);
        match round % 3 {
            0 => {
                let cancel =
                    json!({"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": number}});
                client.send(format!("{cancel}\n").as_bytes());
            }
            1 => drop(client.good("run.cancel", json!({"sandboxId": id, "runId": name}))),
            _ => {
                client.good(
                    "run.stdin",
                    json!({"sandboxId": id, "runId": name, "text": "x"}),
                );
                client.good("run.cancel", json!({"sandboxId": id, "runId": name}));
            }
        }
        assert_eq!(finish(answer).unwrap()["cancelled"], true, "{round}");
    }
}
