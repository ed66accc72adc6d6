//! The environment of shells, asked for and set from outside.

use codepod::{Canceller, Error, Options, Sandbox};

#[test]
fn what_a_shell_exports_is_told_and_set() -> Result<(), Error> {
    let sandbox = Sandbox::create(Options::default())?;
    let shell = sandbox.shell("");
    shell.set_env_blocking("A", "it's\n\"two\" lines \u{e9}")?;
    sandbox.run_blocking("B=not; export C='x  y'")?;
    let env = shell.env_blocking()?;
    let value = |name: &str| {
        let found = env.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| String::from_utf8_lossy(value).into_owned())
    };
    assert_eq!(value("A").as_deref(), Some("it's\n\"two\" lines \u{e9}"));
    assert_eq!((value("B"), value("C").as_deref()), (None, Some("x  y")));
    assert_eq!(value("HOME").as_deref(), Some("/home/user"));
    let result = sandbox.run_blocking("printenv A")?;
    assert_eq!(result.stdout_text(), "it's\n\"two\" lines \u{e9}\n");
    assert_eq!(sandbox.shells(), [""]);
    Ok(())
}

#[test]
fn a_name_is_not_a_way_to_run_something() -> Result<(), Error> {
    let sandbox = Sandbox::create(Options::default())?;
    for name in [
        "",
        "1A",
        "A B",
        "A;touch x",
        "A=B",
        "A\0",
        "\u{e9}",
        "A[$(touch x)]",
    ] {
        assert!(
            sandbox.shell("").set_env_blocking(name, "v").is_err(),
            "{name:?}"
        );
    }
    assert!(sandbox.shell("").set_env_blocking("A", "\0").is_err());
    sandbox
        .shell("")
        .set_env_blocking("A", "$(touch x)`touch x`';touch x;'")?;
    assert!(sandbox.stat("x").is_err());
    Ok(())
}

#[test]
fn a_part_of_a_file_comes_with_its_size() -> Result<(), Error> {
    let sandbox = Sandbox::create(Options::default())?;
    sandbox.write_file("f", b"0123456789")?;
    assert_eq!(sandbox.read_file_at("f", 3, 4)?, (b"3456".to_vec(), 10));
    assert_eq!(
        sandbox.read_file_at("f", 8, usize::MAX)?,
        (b"89".to_vec(), 10)
    );
    assert_eq!(sandbox.read_file_at("f", u64::MAX, 9)?, (Vec::new(), 10));
    assert!(sandbox.read_file_at("/proc/uptime", 0, 100)?.1 > 0);
    Ok(())
}

#[test]
fn a_script_is_cancelled_before_or_while_it_runs() -> Result<(), Error> {
    let sandbox = Sandbox::create(Options::default())?;
    let canceller = Canceller::new();
    let script = sandbox.script("echo a; sleep 100").cancelled_by(&canceller);
    let waiting = std::thread::spawn({
        let canceller = canceller.clone();
        move || {
            std::thread::sleep(std::time::Duration::from_millis(50));
            canceller.cancel();
        }
    });
    let result = script.run_blocking()?;
    let _ = waiting.join();
    assert!(result.cancelled && result.exit_code == 130);
    assert_eq!(result.stdout, b"a\n");
    let late = sandbox
        .script("echo b")
        .cancelled_by(&canceller)
        .run_blocking()?;
    assert!(late.cancelled);
    Ok(())
}
