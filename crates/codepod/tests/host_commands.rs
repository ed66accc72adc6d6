//! Commands of the host, called from scripts as programs are.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use codepod::{Errno, ErrorKind, HostCommand, Options, Sandbox};
use support::{assert_idle, text};

fn sandbox() -> Sandbox {
    Sandbox::create(Options::default()).unwrap()
}

fn shout() -> HostCommand {
    HostCommand::new("shout", |mut call| async move {
        let mut buffer = [0; 1000];
        loop {
            match call.read(&mut buffer).await {
                Ok(0) => return 0,
                Ok(count) => {
                    let text = buffer[..count].to_ascii_uppercase();
                    if call.write(&text).await.is_err() {
                        return 1;
                    }
                }
                Err(_) => return 2,
            }
        }
    })
    .alias("yell")
    .description("prints its input in capitals")
    .usage("usage: shout < FILE")
}

#[test]
fn it_stands_in_pipelines_and_redirections() {
    let sandbox = sandbox();
    sandbox.register(shout()).unwrap();
    assert_eq!(
        text(
            &sandbox,
            "echo hi | shout | rev; echo x > f; yell < f > g; cat g"
        ),
        "IH\nX\n"
    );
    assert_eq!(
        text(
            &sandbox,
            "x=$(shout <<< word); echo $x; type shout; shout < /dev/null && echo $?"
        ),
        "WORD\nshout is hashed (/usr/bin/shout)\n0\n"
    );
    assert_eq!(
        text(&sandbox, "seq 100000 | shout | md5sum; seq 100000 | md5sum")
            .lines()
            .collect::<std::collections::HashSet<_>>()
            .len(),
        1
    );
    // It streams, and ends with its reader.
    let started = Instant::now();
    assert_eq!(
        text(
            &sandbox,
            "yes | shout | head -n 2; echo a | (shout; echo b)"
        ),
        "Y\nY\nA\nb\n"
    );
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_idle_after_cooling(&sandbox);
}

#[track_caller]
fn assert_idle_after_cooling(sandbox: &Sandbox) {
    sandbox.kill_all().unwrap();
    assert_idle(sandbox);
}

#[test]
fn it_is_told_how_it_was_called() {
    let sandbox = sandbox();
    let tell = HostCommand::new("tell", |mut call| async move {
        let words = call.args_text().join("|");
        let cwd = String::from_utf8_lossy(call.cwd()).into_owned();
        let var = String::from_utf8_lossy(call.env("V").unwrap_or(b"unset")).into_owned();
        let path = String::from_utf8(call.resolve_path("x")).unwrap();
        let line = format!("{} {words} {cwd} {var} {path}\n", call.name());
        let _ = call.write(line.as_bytes()).await;
        let _ = call.write_error(b"complaint\n").await;
        7
    });
    sandbox.register(tell).unwrap();
    let result = sandbox
        .run_blocking("cd /tmp; V=1 tell 'a b' '' c")
        .unwrap();
    assert_eq!(result.stdout_text(), "tell a b||c /tmp 1 /tmp/x\n");
    assert_eq!(
        (result.stderr_text().as_ref(), result.exit_code),
        ("complaint\n", 7)
    );
    let processes: Vec<_> = result
        .processes
        .iter()
        .map(|facts| facts.command.clone())
        .collect();
    assert_eq!(processes, [b"tell a b c".to_vec()]);
    // It has its name however it was found.
    let paths = "/usr/bin/tell; ln -s /usr/bin/tell other; ./other; (exec -a x tell)";
    let result = sandbox.run_blocking(paths).unwrap();
    let names = result.stdout_text().into_owned();
    assert_eq!(names.matches("tell ").count(), 3, "{names}");
}

#[test]
fn it_reads_and_writes_files_of_the_sandbox() {
    let sandbox = sandbox();
    let save = HostCommand::new("save", |call| async move {
        let Ok(sandbox) = call.sandbox() else {
            return 1;
        };
        let Some(name) = call.args().first() else {
            return 2;
        };
        let done = sandbox.write_file(call.resolve_path(name), "from the host\n");
        u8::from(done.is_err())
    });
    sandbox.register(save).unwrap();
    assert_eq!(
        text(&sandbox, "mkdir d; cd d; save f; cat f; save; echo $?"),
        "from the host\n2\n"
    );
    let result = sandbox.run_blocking("save /etc/passwd; echo $?").unwrap();
    assert_eq!(result.stdout_text(), "1\n", "it acts as the sandbox's user");
}

#[test]
fn help_which_and_completion_know_it() {
    let sandbox = sandbox();
    sandbox.register(shout()).unwrap();
    assert_eq!(
        text(
            &sandbox,
            "which shout; shout --help; /usr/bin/help | grep -c 'prints its input in capitals'; compgen -c shou | sort -u"
        ),
        "/usr/bin/shout\nusage: shout < FILE\nprints its input in capitals\n2\nshout\n"
    );
}

#[test]
fn it_is_killed_with_its_run() {
    let sandbox = sandbox();
    let running = Arc::new(AtomicUsize::new(0));
    struct Counted(Arc<AtomicUsize>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }
    let count = running.clone();
    sandbox
        .register(HostCommand::new("forever", move |_call| {
            count.fetch_add(1, Ordering::SeqCst);
            let counted = Counted(count.clone());
            async move {
                let _counted = counted;
                std::future::pending().await
            }
        }))
        .unwrap();
    let script = sandbox
        .script("forever")
        .timeout(Duration::from_millis(100));
    let result = script.run_blocking().unwrap();
    assert!(result.timed_out);
    let result = sandbox
        .run_blocking(
            "forever & pid=$!; kill $pid; wait $pid; echo $?; timeout 0.1 forever; echo $?",
        )
        .unwrap();
    assert_eq!(result.stdout_text(), "143\n124\n");
    assert_idle_after_cooling(&sandbox);
    assert_eq!(running.load(Ordering::SeqCst), 0);
}

#[test]
fn one_that_is_never_done_is_killed_all_the_same() {
    let sandbox = sandbox();
    let until = Instant::now() + Duration::from_secs(20);
    let slowly = move || {
        assert!(Instant::now() < until, "it goes on");
        std::thread::sleep(Duration::from_millis(3));
    };
    let drinks = HostCommand::new("drinks", move |mut call| async move {
        let mut buffer = vec![0; 1 << 16];
        while let Ok(1..) = call.read(&mut buffer).await {
            slowly();
        }
        0
    });
    let floods = HostCommand::new("floods", move |mut call| async move {
        while call.write(b"more\n").await.is_ok() {
            slowly();
        }
        0
    });
    for command in [drinks, floods] {
        sandbox.register(command).unwrap();
    }
    for script in ["yes | drinks", "floods >/dev/null", "floods"] {
        let running = sandbox.script(script).timeout(Duration::from_millis(300));
        let result = running.run_blocking().unwrap();
        assert!(result.timed_out, "{script}: {result:?}");
        assert_idle_after_cooling(&sandbox);
    }
}

#[test]
fn a_panic_of_it_is_its_own() {
    let sandbox = sandbox();
    sandbox
        .register(HostCommand::new("bad", |_call| async {
            panic!("deliberate")
        }))
        .unwrap();
    sandbox
        .register(HostCommand::new("worse", |call| {
            assert!(call.args().len() > 9, "deliberate");
            async { 0 }
        }))
        .unwrap();
    let result = sandbox
        .run_blocking("bad; echo $?; worse; echo $?; echo still here")
        .unwrap();
    assert_eq!(result.stdout_text(), "126\n126\nstill here\n");
    assert!(
        result
            .stderr_text()
            .contains("the host command failed: it panicked"),
        "{}",
        result.stderr_text()
    );
}

#[test]
fn forks_have_it_and_reach_their_own_files() {
    let sandbox = sandbox();
    let write = HostCommand::new("mark", |call| async move {
        let sandbox = call.sandbox().unwrap();
        sandbox.write_file("/tmp/mark", "x").is_err().into()
    });
    sandbox.register(write).unwrap();
    let fork = sandbox.fork().unwrap();
    assert_eq!(text(&fork, "mark; cat /tmp/mark"), "x");
    assert!(sandbox.read_file("/tmp/mark").is_err());
    // What is registered later is not known to the fork.
    sandbox.register(shout()).unwrap();
    assert_eq!(fork.run_blocking("shout").unwrap().exit_code, 127);
    // A snapshot from before it takes the name away; a later one brings it back.
    let before = fork.snapshot().unwrap();
    fork.register(shout()).unwrap();
    fork.restore(&before).unwrap();
    assert_eq!(fork.run_blocking("shout").unwrap().exit_code, 127);
}

#[test]
fn names_that_are_none_are_refused() {
    let sandbox = sandbox();
    for name in [
        "",
        "a b",
        "a/b",
        "../x",
        "-x",
        ".x",
        "a\nb",
        "é",
        &"x".repeat(65),
    ] {
        let error = sandbox
            .register(HostCommand::new(name, |_call| async { 0 }))
            .unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::InvalidArgument(_)),
            "{name}: {error}"
        );
    }
    // One may stand in for a tool.
    sandbox
        .register(HostCommand::new("ls", |mut call| async move {
            call.write(b"mine\n").await.is_err().into()
        }))
        .unwrap();
    assert_eq!(text(&sandbox, "ls; dir -d /"), "mine\n/\n");
}

#[test]
fn many_are_registered_at_once() {
    for _ in 0..20 {
        let sandbox = sandbox();
        std::thread::scope(|threads| {
            for number in 0..8 {
                let sandbox = &sandbox;
                let command = HostCommand::new(format!("c{number}"), |_call| async { 0 });
                threads.spawn(move || sandbox.register(command).unwrap());
            }
        });
        let called = text(&sandbox, "for n in {0..7}; do c$n || echo $n; done 2>&1");
        assert_eq!(called, "");
        let listed = text(&sandbox, "/usr/bin/help | grep -c '^ *c[0-7]\\b'");
        assert_eq!(listed, "8\n");
    }
}

#[test]
fn what_a_script_names_must_be_registered() {
    let sandbox = sandbox();
    sandbox.register(shout()).unwrap();
    let result = sandbox
        .run_blocking("printf '#!codepod-host nothing\\n' > x; printf '#!codepod-host shout\\n' > y; chmod +x x y; ./x; echo $?; echo a | ./y")
        .unwrap();
    assert_eq!(result.stdout_text(), "127\nA\n", "{result:?}");
}

#[test]
fn a_reader_that_has_left_is_told() {
    let sandbox = sandbox();
    let flood = HostCommand::new("flood", |mut call| async move {
        let block = vec![b'x'; 100_000];
        for _ in 0..100 {
            match call.write(&block).await {
                Ok(()) => {}
                Err(Errno::Pipe | Errno::Intr) => return 3,
                Err(_) => return 4,
            }
        }
        0
    });
    sandbox.register(flood).unwrap();
    let result = sandbox
        .run_blocking("flood | head -c 5; echo =${PIPESTATUS[0]}")
        .unwrap();
    assert!(
        ["xxxxx=3\n", "xxxxx=141\n"].contains(&&*result.stdout_text()),
        "{result:?}"
    );
}
