//! Packages of Python: those that come with it, and those that a file brings.

use std::path::{Path, PathBuf};
use std::time::Duration;

use codepod::{Mount, MountAccess, Options, Sandbox};

fn run(sandbox: &Sandbox, script: &str) -> (i32, String, String) {
    let result = sandbox.run_blocking(script).unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (result.exit_code, text(result.stdout), text(result.stderr))
}

fn sandbox() -> Sandbox {
    Sandbox::create(Options::default()).unwrap()
}

/// A script that writes a wheel; `python3 wheel.py NAME REQUIRES`.
const WHEEL: &str = r#"
import sys, zipfile
name, requires = sys.argv[1:]
with zipfile.ZipFile(f"{name}-1.0-py3-none-any.whl", "w") as wheel:
    about = f"{name}-1.0.dist-info"
    wheel.writestr(f"{name}.py", f"def main():\n    print('this is {name}')\n")
    needs = f"Requires-Dist: {requires}\n" if requires else ""
    wheel.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{needs}")
    wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr(f"{about}/entry_points.txt", f"[console_scripts]\n{name} = {name}:main\n")
    wheel.writestr(f"{about}/RECORD", "")
"#;

#[test]
fn those_that_come_with_it_do_their_work() {
    let sandbox = sandbox();
    for (program, expected) in [
        (
            "import yaml; print(yaml.safe_load('a: [1, x]'), yaml.dump({'b': 2}), end='')",
            "{'a': [1, 'x']} b: 2\n",
        ),
        (
            "import bs4; print(bs4.BeautifulSoup('<p>x<b>y', 'html.parser').select('p > b')[0].text)",
            "y\n",
        ),
        (
            r"import regex; print(regex.findall(r'\p{Lu}\w+', 'Ab cd Éf'), regex.fullmatch('(?:cats){e<=1}', 'cat') is not None)",
            "['Ab', 'Éf'] True\n",
        ),
        (
            "import requests; print(requests.Request('GET', 'http://a/b', params={'q': 'x y'}).prepare().url)",
            "http://a/b?q=x+y\n",
        ),
        (
            "import tabulate; print(tabulate.tabulate([[1, 'a']], tablefmt='github', headers=['n', 'x']))",
            "|   n | x   |\n|-----|-----|\n|   1 | a   |\n",
        ),
        (
            "from dateutil import parser, rrule; print(parser.parse('3 May 2020 10:00 UTC').isoformat())",
            "2020-05-03T10:00:00+00:00\n",
        ),
        (
            "import jinja2; print(jinja2.Environment(autoescape=True).from_string('{% for x in y %}{{ x }};{% endfor %}').render(y=[1, '<']))",
            "1;&lt;;\n",
        ),
        (
            "import openpyxl, io; w = openpyxl.Workbook(); w.active['B2'] = '=1+1'; f = io.BytesIO(); w.save(f); f.seek(0); print(openpyxl.load_workbook(f).active['B2'].value)",
            "=1+1\n",
        ),
        (
            "import markupsafe._speedups, mmap, hashlib; print(hashlib.scrypt(b'', salt=b'', n=16, r=1, p=1, dklen=8).hex())",
            "77d6576238657b20\n",
        ),
    ] {
        let result = sandbox.command(["python3", "-c", program]).run_blocking();
        let result = result.unwrap();
        let errors = String::from_utf8_lossy(&result.stderr);
        assert_eq!(
            String::from_utf8_lossy(&result.stdout),
            expected,
            "{program}\n{errors}"
        );
    }
}

#[test]
fn pytest_runs_tests() {
    let sandbox = sandbox();
    let tests = "import pytest\n\
        @pytest.fixture\ndef three(): return 3\n\
        @pytest.mark.parametrize('n', [1, 2])\ndef test_less(n, three, tmp_path): (tmp_path / 'f').write_text('x'); assert n < three\n\
        def test_wrong(three): assert three == 4\n";
    sandbox.write_file("test_it.py", tests).unwrap();
    let (status, output, errors) = run(&sandbox, "pytest -q -p no:cacheprovider");
    assert_eq!(status, 1, "{output}{errors}");
    assert!(output.contains("E   assert 3 == 4"), "{output}");
    assert!(output.contains("1 failed, 2 passed"), "{output}");
    let (status, ..) = run(&sandbox, "python3 -m pytest -q -k less");
    assert_eq!(status, 0);
}

#[test]
fn a_wheel_is_installed_from_a_file() {
    let sandbox = sandbox();
    sandbox.write_file("wheel.py", WHEEL).unwrap();
    let script = "python3 wheel.py one two && python3 wheel.py two '' && pip install --find-links . one && ~/.local/bin/two && cd / \
        && python3 -c 'import one; one.main()' && python3 -I -c 'import one'";
    let (status, output, errors) = run(&sandbox, script);
    assert!(
        output.ends_with("Successfully installed one-1.0 two-1.0\nthis is two\nthis is one\n"),
        "{output}{errors}"
    );
    assert_eq!(status, 1);
    assert!(errors.contains("No module named 'one'"), "{errors}");
    let (status, output, errors) = run(
        &sandbox,
        "cd && pip uninstall -qy one two; python3 -c 'import one'",
    );
    assert_eq!(status, 1, "{output}{errors}");
}

#[test]
fn a_wheel_is_installed_into_a_directory() {
    let sandbox = sandbox();
    sandbox.write_file("wheel.py", WHEEL).unwrap();
    let script = "python3 wheel.py one '' && pip install -q --target lib ./one-1.0-py3-none-any.whl && PYTHONPATH=lib python3 -m one; \
        PYTHONPATH=lib python3 -c 'import one; one.main()'; ls lib";
    let (_, output, errors) = run(&sandbox, script);
    assert_eq!(
        output, "this is one\n__pycache__\nbin\none-1.0.dist-info\none.py\n",
        "{errors}"
    );
}

#[test]
fn a_package_that_no_file_has_is_refused_at_once() {
    let (status, _, errors) = run(&sandbox(), "pip install nothing-of-the-kind");
    assert_eq!(status, 1);
    let line = "ERROR: nothing-of-the-kind: not installed, and this sandbox has no network";
    assert!(errors.starts_with(line), "{errors}");
}

/// A path of the host that is not there, as something that runs inside would write it.
fn absent_on_host(name: &str) -> PathBuf {
    let path = Path::new("/tmp").join(format!("codepod-{name}-{}", std::process::id()));
    assert!(!path.exists(), "{}", path.display());
    path
}

/// A program that writes to `path`, whatever directories that takes.
fn writing(path: &Path) -> String {
    format!(
        "import os; os.makedirs({0:?}, exist_ok=True); open({0:?} + '/x', 'a').write('ran')",
        path.display().to_string()
    )
}

// PK-01
#[test]
fn pk_01_a_build_script_runs_inside_and_changes_nothing_of_the_host() {
    let (project, escaped) = (tempfile::tempdir().unwrap(), absent_on_host("pk-01"));
    let setup = format!(
        "{}\nopen('left-behind', 'w').close()\n\
         import setuptools\nsetuptools.setup(name='evil', version='1.0', py_modules=[])\n",
        writing(&escaped)
    );
    std::fs::write(project.path().join("setup.py"), setup).unwrap();
    let mut options = Options::default();
    options.timeout = Duration::from_secs(120);
    options.mounts = vec![Mount::host(
        project.path(),
        "/project",
        MountAccess::Overlay,
    )];
    let sandbox = Sandbox::create(options).unwrap();
    let (status, output, errors) = run(&sandbox, "pip install /project");
    assert_eq!(status, 0, "{output}{errors}");
    // It ran, and what it did was done inside.
    let ran = escaped.join("x").display().to_string();
    assert!(sandbox.read_file(&ran).unwrap().starts_with(b"ran"));
    assert!(sandbox.read_file("/project/left-behind").is_ok());
    let left = std::fs::read_dir(project.path()).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["setup.py"]);
    assert!(!escaped.exists());
}

// PK-03
#[test]
fn pk_03_a_wheel_that_leads_out_or_runs_code_at_every_start_acts_in_its_sandbox_only() {
    let escaped = absent_on_host("pk-03");
    let wheels = format!(
        r#"
import zipfile
def wheel(name, entry, content):
    with zipfile.ZipFile(f"{{name}}-1.0-py3-none-any.whl", "w") as wheel:
        about = f"{{name}}-1.0.dist-info"
        wheel.writestr(entry, content)
        wheel.writestr(f"{{about}}/METADATA", f"Metadata-Version: 2.1\nName: {{name}}\nVersion: 1.0\n")
        wheel.writestr(f"{{about}}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{{about}}/RECORD", "")
wheel("slip", "../" * 20 + "tmp/slipped", "slipped")
wheel("start", "start.pth", {:?} + "\n")
"#,
        writing(&escaped)
    );
    let sandbox = sandbox();
    sandbox.write_file("wheels.py", wheels).unwrap();
    let before = sandbox.fork().unwrap();
    let (status, output, errors) = run(
        &sandbox,
        "python3 wheels.py && pip install ./slip-1.0-py3-none-any.whl",
    );
    assert_eq!(status, 1, "{output}{errors}");
    assert!(sandbox.read_file("/tmp/slipped").is_err());
    let (status, output, errors) = run(
        &sandbox,
        "pip install -q ./start-1.0-py3-none-any.whl && python3 -c pass",
    );
    assert_eq!(status, 0, "{output}{errors}");
    let ran = escaped.join("x").display().to_string();
    assert!(sandbox.read_file(&ran).unwrap().starts_with(b"ran"));
    // Neither a fork from before nor another sandbox has it.
    for other in [&before, &self::sandbox()] {
        assert_eq!(run(other, "python3 -c pass").0, 0);
        assert!(other.read_file(&ran).is_err());
    }
    assert!(!escaped.exists() && !Path::new("/tmp/slipped").exists());
}
