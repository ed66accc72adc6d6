//! What the command line has of the methods: each is really called.

mod support;

use std::collections::BTreeSet;
use std::fs;

use codepod_api::{METHODS, Surface};
use support::Directory;

#[test]
fn every_method_of_the_command_line_answers() {
    let here = Directory::new();
    let host = here.path("host");
    fs::create_dir(&host).unwrap();
    fs::write(host.join("a"), "1\n").unwrap();
    let mount = format!("{}:/mnt:overlay", host.display());
    let exported = here.path("exported").display().to_string();
    let mut called = BTreeSet::new();
    let mut call = |methods: &[&str], arguments: &[&str]| {
        let (status, out, err) = here.codepod(arguments);
        assert_eq!(status, 0, "{arguments:?}: {err}");
        called.extend(methods.iter().map(|method| (*method).to_owned()));
        out
    };
    assert!(call(&["server.info"], &["--version"]).starts_with("codepod "));
    call(
        &["sandbox.create", "run"],
        &["run", "--state", "one", "echo 1 > f"],
    );
    assert!(call(&["sandbox.list", "states.list"], &["states", "list"]).contains("one"));
    call(&["sandbox.fork"], &["states", "fork", "one", "two"]);
    call(&["run"], &["run", "--state", "two", "echo 2 > f"]);
    assert!(call(&["changes"], &["changes", "--last", "two"]).contains("M /home/user/f"));
    call(&["undo"], &["undo", "two"]);
    assert_eq!(call(&["run"], &["run", "--state", "two", "cat f"]), "1\n");
    call(
        &["python.run"],
        &["python", "--state", "two", "open('f').read()"],
    );
    call(
        &["js.run"],
        &["js", "--state", "two", "fs.readFileSync('f', 'utf8')"],
    );
    call(
        &["preview.run"],
        &["run", "--state", "two", "--preview", "rm f"],
    );
    call(
        &["persistence.export"],
        &["states", "export", "one", &exported],
    );
    call(
        &["persistence.import"],
        &["states", "import", "three", &exported],
    );
    assert_eq!(call(&["run"], &["run", "--state", "three", "cat f"]), "1\n");
    call(
        &["sandbox.destroy", "states.remove"],
        &["states", "remove", "three"],
    );
    assert!(call(&["commands.list"], &["tools"]).contains("grep"));
    call(
        &["run"],
        &[
            "run",
            "--state",
            "over",
            "--mount",
            &mount,
            "echo 2 > /mnt/a; echo 3 > /mnt/b",
        ],
    );
    assert!(call(&["mounts.changes"], &["changes", "over"]).contains("/mnt/b"));
    call(
        &["mounts.discard"],
        &["apply", "--discard", "over", "/mnt/b"],
    );
    call(&["mounts.apply"], &["apply", "over"]);
    assert_eq!(fs::read(host.join("a")).unwrap(), b"2\n");
    assert!(!host.join("b").exists());

    let here = METHODS
        .iter()
        .filter(|method| method.reason_not_on(Surface::Cli).is_none());
    let missing: Vec<&str> = here
        .map(|method| method.name)
        .filter(|name| !called.contains(*name))
        .collect();
    assert!(missing.is_empty(), "never called: {missing:?}");
    if let Some(directory) = std::env::var_os("CODEPOD_PARITY") {
        let list = std::path::Path::new(&directory).join("cli.json");
        fs::write(list, serde_json::to_string(&called).unwrap()).unwrap();
    }
}
