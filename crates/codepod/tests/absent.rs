//! What a sandbox does not have: hints of the shell, `help --absent`, and that the table only
//! lists what is absent.

mod support;

use codepod::HostCommand;
use support::{python_text, sandbox, sandbox_with, text};

/// The names of a kind in the table as a sandbox has it.
fn names(kind: &str) -> Vec<String> {
    let table = sandbox().read_file("/usr/share/codepod/absent").unwrap();
    let table = String::from_utf8(table).unwrap();
    let of_kind = table.lines().filter_map(|line| {
        let mut fields = line.split('\t');
        (fields.next() == Some(kind)).then(|| fields.next().unwrap().to_owned())
    });
    let names = of_kind.collect::<Vec<_>>().join(" ");
    names.split(' ').map(str::to_owned).collect()
}

#[test]
fn no_command_of_the_table_is_there() {
    let absent = names("command");
    assert!(absent.len() >= 60, "{absent:?}");
    let there: Vec<&str> = codepod::commands().iter().map(|(name, _)| *name).collect();
    for name in absent {
        assert!(
            !there.contains(&name.as_str()),
            "`{name}` is a command now: take it out of spec/absent.toml"
        );
    }
}

#[test]
fn no_package_and_no_module_of_the_table_is_there() {
    let program = format!(
        "import importlib, importlib.metadata\n\
         for name in {:?}:\n\
         \x20   try:\n\
         \x20       importlib.metadata.distribution(name)\n\
         \x20       print(name)\n\
         \x20   except importlib.metadata.PackageNotFoundError: pass\n\
         for name in {:?}:\n\
         \x20   try:\n\
         \x20       module = importlib.import_module(name)\n\
         \x20       # It can be imported for its names; what it is for fails.\n\
         \x20       if name == 'multiprocessing': module.Process(target=print).start()\n\
         \x20       print(name)\n\
         \x20   except (ImportError, OSError, AttributeError): pass\n",
        names("package"),
        names("module")
    );
    assert_eq!(
        python_text(&sandbox(), &program),
        "",
        "these are there now: take them out of spec/absent.toml"
    );
}

#[test]
fn a_command_that_is_not_there_says_what_to_do_instead() {
    let stderr = |script: &str| {
        let result = sandbox().run_blocking(script).unwrap();
        assert_eq!(result.exit_code, 127, "{script}");
        result.stderr_text().into_owned()
    };
    for (script, line) in [
        (
            "perl -pi -e s/a/b/ x",
            "there is no `perl` in this sandbox: use `sed -E`",
        ),
        (
            "/usr/bin/perl -v",
            "there is no `perl` in this sandbox: use `sed -E`",
        ),
        (
            "command sudo ls",
            "there is no `sudo` in this sandbox: there is no other user",
        ),
        (
            "printf '#!/usr/bin/perl\\nprint 1;\\n' > x; chmod +x x; ./x",
            "its first line names the interpreter; there is no `perl` in this sandbox: use `sed -E`",
        ),
        (
            "printf '#!/bin/bash\\r\\necho hi\\r\\n' > x; chmod +x x; ./x",
            "its lines end as on Windows",
        ),
        (
            "grpe x",
            "there is no `grpe` in this sandbox; `ls /bin` lists the programs",
        ),
    ] {
        let said = stderr(script);
        let hints: Vec<&str> = said
            .lines()
            .filter_map(|line| line.strip_prefix("codepod: hint: "))
            .collect();
        assert!(
            matches!(hints[..], [hint] if hint.starts_with(line)),
            "{script}: {said}"
        );
    }
    assert!(!stderr("./perl").contains("hint"), "a file of one's own");
    assert!(!stderr("torch").contains("native"), "that is a package");
}

#[test]
fn without_hints_it_is_what_bash_says() {
    let quiet = sandbox_with(|options| options.hints = false);
    let result = quiet.run_blocking("aria2c x; /usr/bin/aria2c x").unwrap();
    assert_eq!(
        result.stderr_text(),
        "bash: line 1: aria2c: command not found\n\
         bash: line 1: /usr/bin/aria2c: No such file or directory\n"
    );
    let result = quiet.command(["aria2c"]).run_blocking().unwrap();
    assert_eq!(result.stderr_text(), "codepod: aria2c: command not found\n");
}

#[test]
fn a_command_without_a_shell_says_it_too() {
    let result = sandbox()
        .command(["apt-get", "update"])
        .run_blocking()
        .unwrap();
    assert_eq!(result.exit_code, 127);
    let said = result.stderr_text();
    assert!(
        said.starts_with(
            "codepod: apt-get: command not found\n\
             codepod: hint: there is no `apt-get` in this sandbox: nothing can be installed"
        ),
        "{said}"
    );
}

#[test]
fn help_lists_what_is_absent() {
    let sandbox = sandbox();
    let all = text(&sandbox, "help --absent");
    assert!(all.starts_with("aria2c, http"), "{all}");
    assert!(all.contains("torch") && all.contains("tkinter"), "{all}");
    assert_eq!(text(&sandbox, "/usr/bin/help -a"), all);
    let one = text(&sandbox, "help --absent vim");
    assert!(one.starts_with("vim: there is no editor"), "{one}");
    assert_eq!(one.lines().count(), 1);
    let result = sandbox
        .run_blocking("help --absent ls aria2c; echo $?; /usr/bin/help aria2c")
        .unwrap();
    assert!(result.stdout_text().ends_with("\n1\n"), "{result:?}");
    let said = result.stderr_text();
    assert!(said.contains("'ls' is not in the list"), "{said}");
    assert!(
        said.contains("there is no command 'aria2c'; use `curl`"),
        "{said}"
    );
}

#[test]
fn a_host_command_is_not_absent() {
    let sandbox = sandbox();
    let command = HostCommand::new("aria2c".to_owned(), |_call| async { 0 });
    sandbox.register(command).unwrap();
    assert_eq!(text(&sandbox, "aria2c; echo $?"), "0\n");
    let all = text(&sandbox, "help --absent");
    assert!(all.starts_with("http"), "{all}");
}
