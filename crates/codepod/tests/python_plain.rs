//! The Python of a sandbox without the part `science`: an interpreter of its own, with the same
//! standard library. Here both are there, and a file names the plain one.

mod support;

use codepod::{Options, Sandbox};
use support::{expect, text};

/// A sandbox whose `python3` is the plain one.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::create(Options::default()).unwrap();
    let plain = "#!codepod python python3\n";
    let put = format!("printf '{plain}' > ~/python3; chmod +x ~/python3");
    expect(&sandbox, ["sh", "-c", &put], 0, "");
    sandbox
}

/// What it prints with these options and this program.
fn says(sandbox: &Sandbox, options: &str, program: &str) -> String {
    sandbox.write_file("program.py", program).unwrap();
    text(sandbox, &format!("~/python3 {options} program.py"))
}

#[test]
fn it_has_the_standard_library_and_pure_packages() {
    let sandbox = sandbox();
    let program = "import json; print(json.dumps({'a': [1]}))";
    assert_eq!(says(&sandbox, "", program), "{\"a\": [1]}\n");
    let query =
        "import sqlite3; print(sqlite3.connect(':memory:').execute('select 6 * 7').fetchone())";
    assert_eq!(says(&sandbox, "", query), "(42,)\n");
    let packages =
        "import yaml, requests, rich, regex, markupsafe, pytest; print(yaml.safe_load('a: 1'))";
    assert_eq!(says(&sandbox, "", packages), "{'a': 1}\n");
    let child = "import subprocess; print(subprocess.run(['echo', 'hi'], capture_output=True, text=True).stdout)";
    assert_eq!(says(&sandbox, "", child), "hi\n\n");
}

#[test]
fn it_starts_cold_from_its_own_memory() {
    let program = "import sys; print(sys.flags.isolated)";
    assert_eq!(says(&sandbox(), "-X utf8 -I", program), "1\n");
}

#[test]
fn it_knows_nothing_of_numpy() {
    let sandbox = sandbox();
    let missing = "import importlib.util; print([importlib.util.find_spec(name) for name in ('numpy', 'pandas', 'PIL', 'seaborn')])";
    assert_eq!(says(&sandbox, "", missing), "[None, None, None, None]\n");
    // The word alone does not make it take an image that is not its own.
    let program = "print('pandas matplotlib')";
    assert_eq!(says(&sandbox, "", program), "pandas matplotlib\n");
}
