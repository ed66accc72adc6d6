//! A list of allowed commands: others are not started, by whatever name.

mod support;

use std::collections::BTreeMap;

use codepod::{HostCommand, Options, Sandbox};
use support::text;

fn sandbox() -> Sandbox {
    let mut options = Options::default();
    let allowed = [
        "bash", "cat", "ls", "cp", "ln", "chmod", "env", "xargs", "find", "hello",
    ];
    options.allowed_commands = Some(allowed.map(str::to_owned).to_vec());
    options.allow_foreign_modules = true;
    Sandbox::create(options).unwrap()
}

#[test]
fn what_is_not_on_the_list_is_not_started() {
    let sandbox = sandbox();
    assert_eq!(text(&sandbox, "echo a > f; cat f; ls"), "a\nf\n");
    let result = sandbox.run_blocking("rm f; echo $?").unwrap();
    assert_eq!(result.stdout_text(), "126\n");
    let complaint = result.stderr_text();
    assert!(
        complaint.contains("/usr/bin/rm: Operation not permitted\n"),
        "{complaint}"
    );
    assert!(
        complaint.contains("codepod: hint: ") && complaint.contains("allow"),
        "{complaint}"
    );
    assert_eq!(
        sandbox
            .command(["rm", "f"])
            .run_blocking()
            .unwrap()
            .exit_code,
        126
    );
    assert_eq!(text(&sandbox, "cat f"), "a\n");
}

#[test]
fn no_other_name_and_no_other_way_helps() {
    let sandbox = sandbox();
    sandbox.run_blocking("echo a > f").unwrap();
    for script in [
        "ln -s /usr/bin/rm cat; ./cat f",
        "cp /usr/bin/rm ls; ./ls f",
        "printf '#!codepod toolbox rm\\n' > x; chmod +x x; ./x f",
        "printf '#!/usr/bin/rm\\n' > x; chmod +x x; ./x f",
        "printf '#!/usr/bin/env rm\\n' > x; chmod +x x; ./x",
        "env rm f",
        "find . -name f -exec rm {} ';'",
        "find f -print | xargs rm",
        "exec -a cat rm f",
        "bash -c 'rm f'",
        "(rm f) & wait",
        "rm() { command rm \"$@\"; }; rm f",
    ] {
        let result = sandbox.run_blocking(script).unwrap();
        assert_eq!(
            sandbox.read_file("f").unwrap(),
            b"a\n",
            "{script}: {result:?}"
        );
    }
    // A module of its own is not a way either.
    sandbox.write_file("m", b"\0asm\x01\0\0\0").unwrap();
    sandbox.set_mode("m", 0o755).unwrap();
    assert_eq!(sandbox.run_blocking("./m").unwrap().exit_code, 126);
}

#[test]
fn a_tool_is_allowed_with_its_own_module_only() {
    let modules: BTreeMap<&str, &[&str]> = codepod_guests::guests()
        .map(|guest| (guest.name, guest.commands))
        .collect();
    let tools = modules.values().flat_map(|tools| *tools);
    let tools: Vec<&str> = tools.copied().collect();
    let mut options = Options::default();
    options.allowed_commands = Some(tools.iter().map(|tool| (*tool).to_owned()).collect());
    let sandbox = Sandbox::create(options).unwrap();
    sandbox.write_file("of-the-host", "").unwrap();
    sandbox.set_mode("of-the-host", 0o755).unwrap();
    text(&sandbox, "> made; chmod +x made; cp /usr/bin/cat copied");
    for file in ["made", "copied", "of-the-host"] {
        for (module, own) in &modules {
            // The shell says with 126 that a program may not be started. Whatever a tool makes of
            // `--version`, it does not end with that.
            let script = format!(
                "for tool in {}; do echo \"#!codepod {module} $tool\" > {file}
                ./{file} --version < /dev/null > /dev/null 2>&1; [ $? = 126 ] || echo $tool; done",
                tools.join(" ")
            );
            let started = text(&sandbox, &script);
            let started: Vec<&str> = started.lines().collect();
            assert_eq!(started, own.to_vec(), "{file} with {module}");
        }
    }
    // A module is not a tool, and does not let its caller choose one.
    text(&sandbox, "cp copied cat; echo '#!codepod toolbox' > cat");
    assert_eq!(sandbox.run_blocking("./cat made").unwrap().exit_code, 126);
}

#[test]
fn host_commands_are_commands() {
    let sandbox = sandbox();
    for name in ["hello", "other"] {
        sandbox
            .register(HostCommand::new(name, |mut call| async move {
                call.write(b"called\n").await.is_err().into()
            }))
            .unwrap();
    }
    assert_eq!(text(&sandbox, "hello"), "called\n");
    assert_eq!(sandbox.run_blocking("other").unwrap().exit_code, 126);
    assert_eq!(
        sandbox
            .fork()
            .unwrap()
            .run_blocking("other")
            .unwrap()
            .exit_code,
        126
    );
}
