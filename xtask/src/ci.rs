//! `ci`: everything, quick parts first, and a table of what took how long.

use std::time::{Duration, Instant};

use crate::Command;
use crate::cache;
use crate::failure::{Failure, Outcome, no_arguments};
use crate::process::Watched;
use crate::test::Count;
use crate::{
    check, deny, disk_space, docs, fuzz, guests, jail, metadata, parity, process, sdk, setup, spec,
    test,
};

pub(crate) const COMMAND: Command = Command {
    name: "ci",
    arguments: "",
    about: "everything, quick parts first; CI runs this and nothing else",
    more: "Unless CARGO_TARGET_DIR is set, it builds in the cache directory, so that the next run on this machine\n\
        finds what it built, from whichever checkout.",
    run,
};

/// A step; what it returns is shown in the summary.
type Step = (&'static str, fn(&mut Totals) -> Outcome<String>);

const STEPS: &[Step] = &[
    ("room", |_| disk_space::make()),
    ("setup", |_| setup::bring_all().map(|()| String::new())),
    ("check", |_| check::without_tests().map(|()| String::new())),
    ("deny", |_| deny::all().map(|()| String::new())),
    ("library for the browser", |_| library_for_the_browser()),
    ("kernel without an engine", |_| kernel_without_an_engine()),
    ("guests", |_| guests::bring_all().map(|()| String::new())),
    ("test", |totals| {
        totals.tests = test::all(&[])?;
        totals.tests.judge()?;
        Ok(totals.tests.told())
    }),
    ("jail", |_| jail::all()),
    ("spec", |_| spec::run_cases().map(|()| String::new())),
    ("test262", |_| test262()),
    ("interoperation", |_| interoperation()),
    ("api fuzz", |_| api_fuzz()),
    ("MCP client", |_| mcp_client()),
    ("fuzz corpus", |_| {
        Ok(format!("{} inputs", fuzz::replay(None)?))
    }),
    ("docs", |_| Ok(format!("{} examples", docs::all()?))),
    ("sdk python", |_| sdk::all("python")),
    ("sdk typescript", |_| sdk::all("typescript")),
    ("parity", |_| parity::check()),
];

/// What the steps leave for the last lines.
#[derive(Default)]
struct Totals {
    tests: Count,
}

fn run(arguments: &[String]) -> Outcome {
    no_arguments(arguments, "ci")?;
    cache::build_in_cache()?;
    let start = Instant::now();
    let mut totals = Totals::default();
    let mut summary = Vec::new();
    let mut outcome = Ok(());
    for (name, step) in STEPS {
        println!("\n== {name}");
        let began = Instant::now();
        let result = step(&mut totals);
        let note = match &result {
            Ok(note) => note.clone(),
            Err(_) => "FAILED".to_owned(),
        };
        summary.push((*name, began.elapsed(), note));
        if let Err(failure) = result {
            outcome = Err(failure);
            break;
        }
    }
    print!("\n{}", table(&summary, start.elapsed()));
    if totals.tests.passed + totals.tests.failed > 0 {
        println!("tests: {}", totals.tests.told());
    }
    outcome
}

fn table(summary: &[(&str, Duration, String)], total: Duration) -> String {
    let mut text = String::from("step                        seconds\n");
    for (name, took, note) in summary {
        let line = format!("{name:<26} {:>8.1}  {note}", took.as_secs_f64());
        text += line.trim_end();
        text.push('\n');
    }
    text + &format!("{:<26} {:>8.1}\n", "total", total.as_secs_f64())
}

/// What a page's kernel is made of.
const BROWSER: &str = "wasm32-unknown-unknown";

/// The library and what it stands on must compile for a browser, without an engine of processes and
/// without C. So must what decides about the network.
fn library_for_the_browser() -> Outcome<String> {
    let mut checked = 0;
    for package in [
        "codepod-vfs",
        "codepod-kernel",
        "codepod-gateway",
        "codepod",
    ] {
        if metadata::has_package(package)? {
            process::cargo()
                .args(["check", "--quiet", "--no-default-features"])
                .args(["--package", package, "--target", BROWSER])
                .hint("these crates must not need a host: gate what does by target or feature")
                .run()?;
            checked += 1;
        }
    }
    let tree = process::cargo()
        .args(["tree", "--package", "codepod", "--no-default-features"])
        .args(["--target", BROWSER, "--edges", "normal", "--prefix", "none"])
        .output()?;
    if let Some(line) = needs_a_host(&tree) {
        return Err(Failure::new(format!("`codepod` needs `{line}` in a page"))
            .hint("only `crates/codepod/src/engine.rs` and the store's `compression.rs` choose by platform: depend on it for other targets only"));
    }
    let crates = distinct(&tree);
    Ok(format!("{checked} crates, {crates} in the library's tree"))
}

/// A crate of a tree that a page cannot have: an engine, or code in C.
fn needs_a_host(tree: &str) -> Option<&str> {
    let is_of_host = |line: &&str| {
        let name = line.split(' ').next().unwrap_or_default();
        has_engine(name) || name.ends_with("-sys") || name == "libc"
    };
    tree.lines().map(str::trim).find(is_of_host)
}

/// Whether a line of a tree names an engine of processes.
fn has_engine(line: &str) -> bool {
    line.contains("wasmtime") || line.contains("cranelift")
}

/// How many crates a tree has, each once.
fn distinct(tree: &str) -> usize {
    tree.lines().filter(|line| !line.ends_with("(*)")).count()
}

/// Runs schemathesis against a real server: requests that it derives from the OpenAPI document.
fn api_fuzz() -> Outcome<String> {
    let mut last = String::new();
    let passed = tried("scripts/api-fuzz.sh", |line| {
        line.trim().clone_into(&mut last)
    })?;
    match passed {
        true => Ok(last),
        false => {
            Err(Failure::new("a request was answered badly").hint("the report above says which"))
        }
    }
}

/// What is made inside is read by the machine's own programs, which `setup` brings, and the other
/// way round.
fn interoperation() -> Outcome<String> {
    checks(
        "scripts/interoperation.sh",
        Failure::new(
            "a file made inside is not what the machine's programs read, or the other way round",
        )
        .hint("the lines `FAILED: …` above say which"),
    )
}

/// The official Python client, from the package index, speaks with `codepod mcp`.
fn mcp_client() -> Outcome<String> {
    checks(
        "scripts/mcp.sh",
        Failure::new("the Python client and `codepod mcp` do not get on")
            .hint("`scripts/mcp.sh CODEPOD` shows where; it needs python3 with venv, and pip's index once"),
    )
}

/// Runs a tenth of ECMAScript's conformance suite with the engine of the guest `node`.
fn test262() -> Outcome<String> {
    let mut last = String::new();
    let passed = process::program(cache::in_root("scripts/test262.sh"))
        .watch(Watched::Stdout, |line| line.trim().clone_into(&mut last))?;
    match passed {
        true => Ok(last),
        false => Err(Failure::new(
            "test262 does not do what scripts/test262/known-failures.txt says",
        )
        .hint("the lines above name the tests; `scripts/test262.sh` runs it alone")),
    }
}

/// Counts the lines `ok: …` of a script that tries the command.
fn checks(script: &str, failed: Failure) -> Outcome<String> {
    let mut checks = 0;
    let passed = tried(script, |line| {
        checks += usize::from(line.starts_with("ok: "))
    })?;
    match passed {
        true => Ok(format!("{checks} checks")),
        false => Err(failed),
    }
}

/// Runs a script that tries the command; whether it did well.
fn tried(script: &str, watch: impl FnMut(&str)) -> Outcome<bool> {
    let program = docs::build_cli()?;
    process::program(cache::in_root(script))
        .arg(program)
        .watch(Watched::Stdout, watch)
}

/// The kernel's tests must not compile an engine.
fn kernel_without_an_engine() -> Outcome<String> {
    let package = "codepod-kernel";
    if !metadata::has_package(package)? {
        return Ok("no kernel yet".into());
    }
    let tree = process::cargo()
        .args([
            "tree",
            "--package",
            package,
            "--edges",
            "normal,build,dev",
            "--prefix",
            "none",
            "--all-features",
        ])
        .output()?;
    match tree.lines().find(|line| has_engine(line)) {
        Some(line) => Err(
            Failure::new(format!("`{package}` or its tests need `{}`", line.trim()))
                .hint("the kernel knows no engine: move the test to codepod-wasmtime"),
        ),
        None => Ok(format!("{} crates in its tree", distinct(&tree))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_and_c_are_found_in_a_tree() {
        let tree = "codepod v0.1.0 (/codepod/crates/codepod)\nblake3 v1.8.2\nsha1 v0.11.0 (*)\n";
        assert_eq!((needs_a_host(tree), distinct(tree)), (None, 2));
        for bad in [
            "codepod-wasmtime v0.1.0 (/c)",
            "zstd-sys v2.1.2+zstd.1.5.7",
            "libc v0.2.1",
        ] {
            assert_eq!(needs_a_host(&format!("{tree}{bad}\nx v1\n")), Some(bad));
        }
    }

    #[test]
    fn the_summary_has_a_line_per_step_and_a_total() {
        let steps = [("one", Duration::from_millis(1500), "3 tests".to_owned())];
        let text = table(&steps, Duration::from_secs(2));
        assert!(text.contains("1.5  3 tests\n"), "{text}");
        assert!(text.ends_with("2.0\n"), "{text}");
    }
}
