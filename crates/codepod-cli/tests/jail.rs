//! The second wall around the commands: what somebody tries who has taken one over, that everything
//! else goes on behind it, and that its table has no line that nothing needs.
//!
//! For a build that carries its guests and has the drill: `cargo xtask jail`.

#![cfg(all(
    feature = "drill",
    feature = "embed",
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]

mod support;
#[path = "support/terminal.rs"]
mod terminal;

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use codepod_jail::drill::{ATTEMPTS, DONE, FILES, NEEDED, REFUSED};
use codepod_jail::{Connects, Needs, calls};
use serde_json::{Value, json};
use support::Directory;
use terminal::Terminal;

/// The signal of a call that the filter does not let through.
const SIGSYS: i32 = 31;

/// Nobody's number, which needs no account.
const NOBODY: u32 = 65534;
/// Asks for a command to be run by somebody who is not root.
const AS_NOBODY: (&str, &str) = ("CODEPOD_TEST_AS", "nobody");

/// Variables in the environment of a command.
type Variables<'a> = &'a [(&'a str, &'a str)];

/// A command with something to do.
type Work = fn(&Directory, Variables<'_>) -> ExitStatus;

/// A script that may reach something, and does not.
const WITH_NETWORK: &[&str] = &["run", "--allow-host", "a.test", ":"];

/// What commands are made to do, the quick ones first.
const WORKS: &[(&str, Work)] = &[
    ("a script", |here, variables| {
        let script = "echo hi | cat; (exit 3); sleep 0.01; echo $RANDOM $(seq 3)";
        run(here, variables, &["run", script])
    }),
    ("one tool", |here, variables| {
        run(here, variables, &["exec", "--", "seq", "3"])
    }),
    ("a process that traps", |here, variables| {
        let script = "head -c 200000000 /dev/zero | tr '\\0' x | rev | wc -c";
        run(here, variables, &["run", "--memory", "32", script])
    }),
    ("a program that is stopped and goes on", stopped),
    ("a directory that is read", |here, variables| {
        let script = "cd /m; ls -lR; cat f d/g; readlink l; find . -type f | wc -l; wc -c < f";
        run(
            here,
            variables,
            &["run", "--mount", &mount(here, "ro"), script],
        )
    }),
    ("an overlay", |here, variables| {
        let script = "cd /m; echo more >> f; rm -r d; ls; sed -i s/a/b/ f";
        run(
            here,
            variables,
            &["run", "--mount", &mount(here, "overlay"), script],
        )
    }),
    ("a directory that is changed", |here, variables| {
        let script = "cd /m; set -e; echo more >> f; mkdir -p n/o; mv f n; cp n/f f; ln -s f s; ln f h; chmod 600 f
            touch -d 2020-01-01 f; truncate -s 3 f; sync f; dd if=/dev/zero of=z bs=1k count=3 seek=2 status=none; rm -r n s h z";
        run(
            here,
            variables,
            &["run", "--mount", &mount(here, "rw"), script],
        )
    }),
    ("a state that is kept", |here, variables| {
        let kept = |script| run(here, variables, &["run", "--state", "kept", script]);
        let first = kept("x=5; seq 1000 > f");
        if !first.success() {
            return first;
        }
        let second = kept("echo $x; wc -l < f; rm f");
        if !second.success() {
            return second;
        }
        // A copy is not as closed to others as its original, until somebody goes on from it.
        let _ = std::fs::remove_dir_all(here.path("states/copied"));
        let forked = run(here, variables, &["states", "fork", "kept", "copied"]);
        assert!(forked.success(), "{forked}");
        run(here, variables, &["run", "--state", "copied", "echo $x"])
    }),
    ("a state with a directory", |here, variables| {
        let mounted = mount(here, "overlay");
        let arguments = [
            "run",
            "--state",
            "mounted",
            "--mount",
            &*mounted,
            "echo a > /m/new",
        ];
        let first = run(here, variables, &arguments);
        if !first.success() {
            return first;
        }
        run(
            here,
            variables,
            &["run", "--state", "mounted", "cat /m/new"],
        )
    }),
    ("Python", |here, variables| {
        let script = "python3 -c 'import numpy, sqlite3, threading; print(numpy.arange(10).sum())'; python3 -c 'raise SystemExit(0)'";
        run(here, variables, &["run", script])
    }),
    ("the network", |here, variables| {
        let port = serve();
        let script = format!(
            "set -e; exec 3<>/dev/tcp/a.test/{port}; printf 'POST / HTTP/1.1\\r\\nHost: a.test:{port}\\r\\nContent-Length: 5\\r\\nConnection: close\\r\\n\\r\\nhello' >&3; read -r line <&3; [[ $line == *200* ]]; exec 3<>/dev/tcp/c.test/{port}; printf 'POST / HTTP/1.1\r\nHost: c.test\r\nContent-Length: 5\r\n\r\nhello' >&3; read -r line <&3; [[ $line == *200* ]]; ! exec 3<>/dev/tcp/codepod.invalid/{port}; ! curl -s https://b.test:{port}"
        );
        let servers = [
            "http://a.test",
            // Bytes that nobody reads on the way.
            "tcp://c.test",
            // The server does not speak TLS, but is asked to.
            "https://b.test",
        ];
        run_with(here, variables, port, &servers, &[&*script])
    }),
    ("a recording, and its replay", |here, variables| {
        let port = serve();
        let script = format!(
            "set -e; curl -sf -d hello http://a.test:{port}; ! curl -s http://codepod.invalid:{port}"
        );
        let with = |option| {
            let rest = [option, "recorded", &*script];
            run_with(here, variables, port, &["http://a.test"], &rest)
        };
        let recorded = with("--record");
        if !recorded.success() {
            return recorded;
        }
        with("--replay")
    }),
    ("JSON-RPC", |here, variables| {
        let calls = json_rpc(here);
        converse(here, variables, &["rpc"], &calls, works)
    }),
    ("recordings by JSON-RPC", |here, variables| {
        let calls = recording(here);
        converse(here, variables, &["rpc", "--network"], &calls, works)
    }),
    ("MCP", |here, variables| {
        converse(here, variables, &["mcp"], &model_context(), works)
    }),
    ("a prompt", |here, variables| prompt(here, variables, &[])),
    ("a prompt on a state", |here, variables| {
        prompt(here, variables, &["--state", "at-the-prompt"])
    }),
];

/// A server that answers all requests. Its port.
fn serve() -> u16 {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for client in server.incoming().flatten() {
            answer(client);
        }
    });
    port
}

/// Runs a command that may reach `servers`, which are this machine, and a name that nobody has.
fn run_with(
    here: &Directory,
    variables: Variables<'_>,
    port: u16,
    servers: &[&str],
    rest: &[&str],
) -> ExitStatus {
    let mut arguments = vec!["run".to_owned()];
    for server in servers {
        let (_, name) = server.split_once("://").unwrap();
        let rule = ["--allow-host".to_owned(), format!("{server}:{port}")];
        arguments.extend(rule);
        arguments.extend(["--resolve".to_owned(), format!("{name}=127.0.0.1")]);
    }
    let other = format!("http://codepod.invalid:{port}");
    arguments.extend(["--allow-host".to_owned(), other]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    run(here, variables, &[&arguments, rest].concat())
}

/// Reads a request and answers it.
fn answer(client: std::net::TcpStream) {
    let mut input = BufReader::new(&client);
    let mut line = String::new();
    while input.read_line(&mut line).is_ok_and(|read| read > 2) {
        line.clear();
    }
    let mut body = [0; 5];
    let _ = std::io::Read::read_exact(&mut input, &mut body);
    let _ = (&client).write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
}

/// A directory to mount at `/m`.
fn mount(here: &Directory, access: &str) -> String {
    let host = here.path(&format!("mounted-{access}"));
    let _ = std::fs::remove_dir_all(&host);
    std::fs::create_dir_all(host.join("d")).unwrap();
    std::fs::write(host.join("f"), "a file\n").unwrap();
    std::fs::write(host.join("d/g"), "another\n").unwrap();
    std::os::unix::fs::symlink("f", host.join("l")).unwrap();
    // From where the command is run.
    format!("mounted-{access}:/m:{access}")
}

fn command(here: &Directory, variables: Variables<'_>) -> Command {
    let mut command = here.command();
    if variables.contains(&AS_NOBODY) {
        command = Command::new(here.path("codepod"));
        command
            .current_dir(&here.0)
            .env("CODEPOD_STATES", here.path("states"))
            .env("CODEPOD_CACHE_DIR", here.path("cache"))
            .uid(NOBODY)
            .gid(NOBODY);
        give_to_nobody(here);
    }
    command
        .env_remove("CODEPOD_JAIL")
        .envs(variables.iter().copied());
    command
}

fn run(here: &Directory, variables: Variables<'_>, arguments: &[&str]) -> ExitStatus {
    let mut command = command(here, variables);
    command.args(arguments).output().unwrap().status
}

/// Gives all that is in a directory to somebody who is not root.
fn give_to_nobody(here: &Directory) {
    let mut chown = Command::new("chown");
    let chown = chown.args(["-R", &format!("{NOBODY}:{NOBODY}")]);
    assert!(chown.arg(&here.0).status().unwrap().success());
}

/// Runs a script and stops the program again and again meanwhile.
fn stopped(here: &Directory, variables: Variables<'_>) -> ExitStatus {
    let mut command = command(here, variables);
    let mut child = command.args(["run", "sleep 0.5"]).spawn().unwrap();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        for signal in ["-STOP", "-CONT"] {
            let mut kill = Command::new("kill");
            let kill = kill.args([signal, &child.id().to_string()]);
            kill.stderr(Stdio::null()).status().unwrap();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// What stands for the sandbox that was made last, in messages.
const LAST_SANDBOX: &str = "the last sandbox";

/// An answer that is no error.
fn works(answer: &Value) {
    assert!(answer.get("error").is_none(), "{answer}");
}

/// Sends messages one after the other, each when the one before was answered; hands over the
/// answers.
fn converse(
    here: &Directory,
    variables: Variables<'_>,
    arguments: &[&str],
    messages: &[Value],
    mut answered: impl FnMut(&Value),
) -> ExitStatus {
    let mut child = command(here, variables)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut sandbox = Value::Null;
    for message in messages {
        let mut message = message.clone();
        if let Some(id) = message.pointer_mut("/params/sandboxId")
            && *id == LAST_SANDBOX
        {
            *id = sandbox.clone();
        }
        if writeln!(input, "{message}").is_err() {
            break;
        }
        let mut line = String::new();
        while message.get("id").is_some() {
            line.clear();
            if output.read_line(&mut line).unwrap() == 0 {
                break;
            }
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == message["id"] {
                answered(&answer);
                if let Some(made) = answer.pointer("/result/sandboxId") {
                    sandbox = made.clone();
                }
                break;
            }
        }
    }
    drop(input);
    child.wait().unwrap()
}

fn json_rpc(here: &Directory) -> Vec<Value> {
    let call = |id: u32, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let mounted = here.path("mounted-rpc");
    std::fs::create_dir_all(&mounted).unwrap();
    vec![
        call(1, "server.info", json!({})),
        call(
            2,
            "sandbox.create",
            json!({
                "mounts": [{"host": mounted, "at": "/m", "access": "rw"}],
            }),
        ),
        call(
            3,
            "run",
            json!({"sandboxId": LAST_SANDBOX, "command": "seq 3 > /m/f; rm /m/f; echo done"}),
        ),
        call(
            4,
            "python.run",
            json!({"sandboxId": LAST_SANDBOX, "code": "x = list(range(1000))"}),
        ),
        call(
            5,
            "python.run",
            json!({"sandboxId": LAST_SANDBOX, "code": "len(x)"}),
        ),
        call(6, "sandbox.destroy", json!({"sandboxId": LAST_SANDBOX})),
    ]
}

/// One recording takes the place of another that has ended, and is replayed.
fn recording(here: &Directory) -> Vec<Value> {
    let directory = here.path("by-json-rpc");
    let create = |what: &str| {
        let network = json!({"allowedHosts": ["api.test"], what: directory});
        ("sandbox.create", json!({"network": network}))
    };
    let destroy = ("sandbox.destroy", json!({"sandboxId": LAST_SANDBOX}));
    [create("record"), destroy.clone(), create("record"), destroy, create("replay")]
        .into_iter()
        .zip(1..)
        .map(|((method, params), id)| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
        .collect()
}

fn model_context() -> Vec<Value> {
    let hello = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    let call = |id: u32, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    vec![
        call(1, "initialize", hello),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        call(2, "tools/list", json!({})),
        call(
            3,
            "tools/call",
            json!({"name": "run", "arguments": {"command": "seq 3 | wc -l"}}),
        ),
    ]
}

/// Types at a prompt: a command, one with a list of completions, one that is interrupted, one that
/// reads, and the end.
fn prompt(here: &Directory, variables: Variables<'_>, arguments: &[&str]) -> ExitStatus {
    let arguments = [&["shell"], arguments].concat();
    let mut terminal = Terminal::start_with(here, &arguments, variables);
    let steps = [
        ("$ ", "echo wr''itten > file-of-mine\r"),
        ("$ ", "cat file-of\t\r"),
        ("\nwritten", ""),
        ("$ ", "echo sta''rted; sleep 1000\r"),
        ("\nstarted", "\x03"),
        ("[130]", ""),
        (
            "$ ",
            "stty -echo; echo rea''dy; read -r x; stty echo; echo g''ot $x\r",
        ),
        ("\nready", "word\r"),
        ("\ngot word", ""),
        // Stopping is left to who has stopped others before: nobody continues the first of a
        // session.
        ("$ ", "\x1a"),
        ("$ ", "\x1b[A\x1b[B\x12ec\x07\x03"),
        ("[130]", ""),
        ("$ ", "exit 7\r"),
    ];
    for (shown, keys) in steps {
        if !terminal.shows(shown) {
            break;
        }
        terminal.press(keys);
    }
    terminal.wait()
}

fn is_stopped(status: ExitStatus) -> bool {
    status.signal() == Some(SIGSYS) || status.code() == Some(REFUSED)
}

#[test]
fn wm_15_nothing_that_is_tried_from_inside_a_command_works() {
    let here = Directory::new();
    for (name, _) in ATTEMPTS {
        for (work, try_it) in WORKS {
            let status = try_it(&here, &[("CODEPOD_DRILL", name)]);
            assert!(is_stopped(status), "{name} in {work}: {status}");
        }
    }
}

#[test]
fn wm_15_a_script_without_directories_can_name_no_file() {
    let here = Directory::new();
    for (name, _) in FILES {
        for arguments in [
            &["run", "echo hi"] as &[&str],
            &["exec", "--", "true"],
            &["mcp"],
        ] {
            let status = run(&here, &[("CODEPOD_DRILL", name)], arguments);
            assert!(is_stopped(status), "{name} in {arguments:?}: {status}");
        }
    }
}

/// Where the host has Landlock. Root is refused as well.
#[test]
fn wm_15_with_landlock_a_mount_is_all_that_can_be_reached() {
    let here = Directory::new();
    let doctor = command(&here, &[]).arg("doctor").output().unwrap();
    if !String::from_utf8_lossy(&doctor.stdout).contains("landlock") {
        return;
    }
    // Which directories a client of JSON-RPC names nobody knows beforehand.
    let known = |(work, _): &&(&str, Work)| !work.ends_with("JSON-RPC");
    for (work, do_it) in WORKS.iter().filter(known) {
        for name in ["open", "create", "proc-mem"] {
            let status = do_it(&here, &[("CODEPOD_DRILL", name)]);
            assert!(is_stopped(status), "{name} in {work}: {status}");
        }
    }
}

/// Linux, somebody without rights, and a container: where there is less, less holds, and everything
/// works.
#[test]
fn everything_goes_on_behind_the_wall() {
    for variables in [
        &[] as Variables<'_>,
        &[("CODEPOD_JAIL", "require")],
        &[("CODEPOD_DRILL_WITHOUT", "landlock")],
        &[("CODEPOD_DRILL_CONTAINER", "1")],
        &[("CODEPOD_JAIL", "off")],
    ] {
        let here = Directory::new();
        for (work, do_it) in WORKS {
            let status = do_it(&here, variables);
            let expected = match *work {
                "a prompt" | "a prompt on a state" => Some(7),
                _ => Some(0),
            };
            assert_eq!(
                status.code(),
                expected,
                "{work} with {variables:?}: {status}"
            );
        }
    }
}

/// Root may become somebody else; who is somebody else has tried it above.
#[test]
fn everything_goes_on_for_who_is_not_root() {
    use std::os::unix::fs::MetadataExt as _;
    if std::fs::metadata("/proc/self").unwrap().uid() != 0 {
        return;
    }
    let here = Directory::new();
    // Where nobody can reach it; beside its original, if that is on this file system.
    let program = here.path("codepod");
    if std::fs::hard_link(support::program(), &program).is_err() {
        std::fs::copy(support::program(), &program).unwrap();
    }
    // A copy: it will belong to nobody.
    let part = support::program().with_file_name("python.part");
    if part.exists() {
        std::fs::copy(part, here.path("python.part")).unwrap();
    }
    let at_a_prompt = |work: &str| work.starts_with("a prompt");
    for (work, do_it) in WORKS.iter().filter(|(work, _)| !at_a_prompt(work)) {
        for variables in [
            &[AS_NOBODY] as Variables<'_>,
            &[AS_NOBODY, ("CODEPOD_DRILL_WITHOUT", "landlock")],
            &[AS_NOBODY, ("CODEPOD_DRILL_CONTAINER", "1")],
        ] {
            let status = do_it(&here, variables);
            assert_eq!(status.code(), Some(0), "{work}, {variables:?}: {status}");
        }
        for name in ["execve", "socket", "mmap-exec", "fork", "kill"] {
            let status = do_it(&here, &[AS_NOBODY, ("CODEPOD_DRILL", name)]);
            assert!(is_stopped(status), "{name} in {work}: {status}");
        }
    }
}

#[test]
fn each_line_of_the_table_is_needed() {
    let here = Directory::new();
    let dies = |call: &str| {
        let without = ("CODEPOD_DRILL_WITHOUT", call);
        let at_work = |(_, work): &(&str, Work)| work(&here, &[without]).signal() == Some(SIGSYS);
        let now_and_then = |(name, _): &(&str, _)| {
            let status = run(&here, &[without, ("CODEPOD_DRILL", name)], WITH_NETWORK);
            status.signal() == Some(SIGSYS)
        };
        WORKS.iter().any(at_work) || NEEDED.iter().any(now_and_then)
    };
    let unneeded: Vec<&str> = every_call()
        .into_iter()
        .filter(|call| !dies(call))
        .collect();
    assert!(unneeded.is_empty(), "nothing needs {unneeded:?}");
}

#[test]
fn libraries_can_do_what_they_do_now_and_then() {
    let here = Directory::new();
    for (name, _) in NEEDED {
        let status = run(&here, &[("CODEPOD_DRILL", name)], WITH_NETWORK);
        assert_eq!(status.code(), Some(DONE), "{name}: {status}");
    }
}

/// All lines of the table, whoever needs them, but for those of modules that are compiled.
fn every_call() -> BTreeSet<&'static str> {
    let mut needs = Needs::default();
    needs.writes.push("/".into());
    (needs.keeps, needs.terminal, needs.event_loop) = (true, true, true);
    needs.connects = Connects::Anywhere;
    calls(&needs).into_iter().collect()
}

#[test]
fn commands_say_which_layers_hold() {
    let here = Directory::new();
    let layers = |variables: Variables<'_>| {
        let mut found = Value::Null;
        converse(
            &here,
            variables,
            &["rpc"],
            &json_rpc(&here)[..1],
            |answer| {
                found = answer["result"]["layers"].clone();
            },
        );
        serde_json::from_value::<Vec<String>>(found).unwrap()
    };
    let found = layers(&[]);
    assert_eq!(found[..2], ["seccomp", "no-new-code"], "{found:?}");
    assert!(layers(&[("CODEPOD_JAIL", "off")]).is_empty());
    let doctor = |mode: &str| {
        let mut command = command(&here, &[("CODEPOD_JAIL", mode)]);
        let output = command.arg("doctor").output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let said = doctor("on");
    assert!(said.contains("wall        seccomp, no-new-code"), "{said}");
    let said = doctor("off");
    assert!(
        said.contains("wall        nothing but WebAssembly"),
        "{said}"
    );
    let mut wrong = command(&here, &[("CODEPOD_JAIL", "of")]);
    let output = wrong.args(["run", ":"]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(125), "{said}");
    assert!(
        said.contains("CODEPOD_JAIL") && said.contains("hint: "),
        "{said}"
    );
}

/// Modules that are compiled need memory that becomes executable; nothing else does.
#[test]
fn foreign_modules_have_the_rest_of_the_wall() {
    let here = Directory::new();
    let arguments = ["run", "--allow-foreign-modules", ":"];
    let status = |attempt| run(&here, &[("CODEPOD_DRILL", attempt)], &arguments);
    assert_eq!(status("mmap-exec").code(), Some(DONE));
    assert_eq!(status("execve").signal(), Some(SIGSYS));
    assert!(is_stopped(status("open")));
}
