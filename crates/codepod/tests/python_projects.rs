//! Projects in Python as people work on them: virtual environments, installing from a directory
//! with each of the usual build backends, building, and the tools that come along.

mod support;

use std::time::Duration;

use codepod::Sandbox;
use support::{sandbox_with, text};

/// A sandbox whose runs may take as long as a build does on a busy machine.
fn sandbox() -> Sandbox {
    sandbox_with(|options| options.timeout = Duration::from_secs(120))
}

/// Makes a project in the directory `name`: a package with a command, a test, and a
/// `pyproject.toml` for a backend.
fn make_project(sandbox: &Sandbox, name: &str, backend: &str) {
    let (requires, build, extra) = match backend {
        "setuptools" => ("setuptools>=61", "setuptools.build_meta", ""),
        "hatchling" => ("hatchling", "hatchling.build", ""),
        "flit" => ("flit_core>=3.4", "flit_core.buildapi", ""),
        "poetry" => (
            "poetry-core>=2.0",
            "poetry.core.masonry.api",
            "[tool.poetry]\npackages = [{ include = \"NAME\" }]\n",
        ),
        other => unreachable!("{other}"),
    };
    let description = format!(
        "[build-system]\nrequires = [\"{requires}\"]\nbuild-backend = \"{build}\"\n\
         [project]\nname = \"{name}\"\nversion = \"1.2\"\ndescription = \"a project\"\n\
         requires-python = \">=3.9\"\ndependencies = [\"click>=8\"]\n\
         [project.scripts]\n{name} = \"{name}:main\"\n{}",
        extra.replace("NAME", name)
    );
    let module = format!(
        "\"\"\"A project.\"\"\"\n__version__ = \"1.2\"\n\n\ndef main():\n    print(\"{name} runs\")\n"
    );
    let test =
        format!("import {name}\n\n\ndef test_it():\n    assert {name}.__version__ == '1.2'\n");
    let made = text(
        sandbox,
        &format!("cd && mkdir -p {name}/{name} {name}/tests && echo made"),
    );
    assert_eq!(made, "made\n");
    for (path, content) in [
        ("pyproject.toml", description),
        (&format!("{name}/__init__.py"), module),
        ("tests/test_it.py", test),
    ] {
        sandbox
            .write_file(format!("/home/user/{name}/{path}"), content)
            .unwrap();
    }
}

/// Runs a script that must succeed, and returns what it wrote.
fn success(sandbox: &Sandbox, script: &str) -> String {
    let result = sandbox.run_blocking(format!("cd; {script}")).unwrap();
    let output = format!("{}{}", result.stdout_text(), result.stderr_text());
    assert_eq!(result.exit_code, 0, "{script}\n{output}");
    output
}

#[test]
fn a_project_is_installed_for_editing_with_every_backend() {
    let sandbox = sandbox();
    for (name, backend) in [
        ("one", "setuptools"),
        ("two", "hatchling"),
        ("three", "flit"),
        ("four", "poetry"),
    ] {
        make_project(&sandbox, name, backend);
        let said = success(
            &sandbox,
            &format!("cd {name} && pip install -e . && cd / && {name}"),
        );
        assert!(
            said.contains(&format!("Successfully installed {name}-1.2")),
            "{backend}: {said}"
        );
        assert!(said.contains(&format!("\n{name} runs\n")), "{said}");
        // What is edited is what runs.
        let edit = format!(
            "sed -i 's/runs/was edited/' ~/{name}/{name}/__init__.py && {name} && cd ~/{name} && pytest -q"
        );
        let said = success(&sandbox, &edit);
        assert!(
            said.starts_with(&format!("{name} was edited\n")) && said.contains("1 passed"),
            "{backend}: {said}"
        );
    }
}

#[test]
fn a_project_is_installed_and_removed_again() {
    let sandbox = sandbox();
    make_project(&sandbox, "one", "setuptools");
    let said = success(
        &sandbox,
        "pip install ./one && cd / && one && pip show one && pip uninstall -y one",
    );
    assert!(said.contains("\none runs\n"), "{said}");
    assert!(said.contains("\nRequires: click\n"), "{said}");
    assert!(said.contains("Successfully uninstalled one-1.2"), "{said}");
}

#[test]
fn an_environment_has_python_pip_and_packages_of_its_own() {
    let sandbox = sandbox();
    make_project(&sandbox, "one", "hatchling");
    let script = "cd one && python3 -m venv .venv && ls .venv/bin/activate .venv/bin/pip && . .venv/bin/activate \
        && command -v python pip && python -c 'import sys; print(sys.prefix, sys.base_prefix, sys.executable)' \
        && pip install -q -e . && command -v one && cd / && one && python -m one 2>&1; deactivate; command -v python; one";
    let result = sandbox.run_blocking(script).unwrap();
    assert_eq!(
        result.stdout_text(),
        ".venv/bin/activate\n.venv/bin/pip\n/home/user/one/.venv/bin/python\n/home/user/one/.venv/bin/pip\n\
         /home/user/one/.venv /usr /home/user/one/.venv/bin/python\n/home/user/one/.venv/bin/one\none runs\n\
         /home/user/one/.venv/bin/python: No module named one.__main__; 'one' is a package and cannot be directly executed\n\
         /usr/bin/python\n",
        "{}",
        result.stderr_text()
    );
    assert_eq!(result.exit_code, 127, "what is in it is not outside");
    // Each way to start a program in it, without `activate`.
    let said = success(
        &sandbox,
        "cd one && .venv/bin/python -c 'import one; one.main()' && .venv/bin/python -X utf8 -c 'import one; one.main()' \
         && .venv/bin/one && .venv/bin/pytest -q && cd /tmp && ~/one/.venv/bin/python -c 'import one; one.main()'",
    );
    assert_eq!(said.matches("one runs\n").count(), 4, "{said}");
    assert!(said.contains("1 passed"), "{said}");
    // Packages that come with Python are there, packages of the user's home are not.
    let said = success(
        &sandbox,
        "pip install -q ./one && one/.venv/bin/python -c 'import numpy, requests; print(numpy.__version__ > \"2\")' \
         && python3 -m venv bare && cd /tmp && ! ~/bare/bin/python -c 'import one' 2>&1 && python3 -m venv --system-site-packages wide \
         && wide/bin/python -c 'import one; one.main()'",
    );
    assert!(said.starts_with("True\n"), "{said}");
    assert!(said.contains("No module named 'one'"), "{said}");
    assert!(said.ends_with("one runs\n"), "{said}");
}

#[test]
fn an_environment_may_be_at_a_path_with_blanks() {
    let script = "mkdir 'a b' && cd 'a b' && python3 -m venv 'c d' && 'c d/bin/pip' --version && . 'c d/bin/activate' \
        && python -c 'import sys; print(sys.prefix)'";
    let said = success(&sandbox(), script);
    assert!(said.ends_with("\n/home/user/a b/c d\n"), "{said}");
}

#[test]
fn a_project_is_built() {
    let sandbox = sandbox();
    make_project(&sandbox, "one", "flit");
    make_project(&sandbox, "two", "setuptools");
    let said = success(
        &sandbox,
        "cd one && python3 -m build 2>&1 | tail -n 1 && cd ../two && python3 -m build -n && ls ../one/dist dist \
         && pip install -q dist/two-1.2-py3-none-any.whl && two",
    );
    for expected in [
        "Successfully built one-1.2.tar.gz and one-1.2-py3-none-any.whl\n",
        "two-1.2.tar.gz\n",
        "two runs\n",
    ] {
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn a_backend_that_is_not_there_says_so() {
    let sandbox = sandbox();
    make_project(&sandbox, "one", "setuptools");
    let result = sandbox
        .run_blocking(
            "sed -i 's/setuptools.build_meta/maturin/; s/setuptools>=61/maturin/' one/pyproject.toml && pip install ./one",
        )
        .unwrap();
    assert_ne!(result.exit_code, 0);
    let said = result.stderr_text();
    assert!(said.contains("maturin"), "{said}");
    assert!(said.lines().count() < 12, "{said}");
}

#[test]
fn packages_that_people_expect_do_their_work() {
    let sandbox = sandbox();
    for (program, expected) in [
        (
            "import rich.table, rich.console as c; t = rich.table.Table('a'); t.add_row('x'); c.Console(width=20).print(t)",
            "┏━━━┓\n┃ a ┃\n┡━━━┩\n│ x │\n└───┘\n",
        ),
        (
            "import click.testing as t, click; print(t.CliRunner().invoke(click.command()(lambda: click.echo('hi'))).output, end='')",
            "hi\n",
        ),
        (
            "import tqdm; print(sum(tqdm.tqdm(range(4), disable=True)))",
            "6\n",
        ),
        (
            "import networkx as n; print(n.shortest_path(n.path_graph(4), 0, 3))",
            "[0, 1, 2, 3]\n",
        ),
        (
            "import sqlalchemy as s; e = s.create_engine('sqlite://'); print(e.connect().execute(s.text('select 1+1')).scalar())",
            "2\n",
        ),
        (
            "import httpx; print(httpx.Client(transport=httpx.MockTransport(lambda r: httpx.Response(200, json=r.url.path))).get('https://a/b').json())",
            "/b\n",
        ),
        (
            "import flask; a = flask.Flask('x'); a.add_url_rule('/', view_func=lambda: 'hello'); print(a.test_client().get('/').text)",
            "hello\n",
        ),
        (
            "import pypdf, io; w = pypdf.PdfWriter(); w.add_blank_page(72, 72); f = io.BytesIO(); w.write(f); print(len(pypdf.PdfReader(f).pages))",
            "1\n",
        ),
        (
            "from hypothesis import given, strategies as s\n@given(s.integers())\ndef t(n): assert n + 0 == n\nt(); print('held')",
            "held\n",
        ),
        (
            "import attr, toml, dotenv, anyio; print(toml.loads('a = 1'))",
            "{'a': 1}\n",
        ),
        (
            "import distutils.version as v; print(v.LooseVersion('1.2') < v.LooseVersion('1.10'))",
            "True\n",
        ),
        (
            "import pandas as p; print(p.DataFrame({'a': [1]}).style.to_html(uuid='u').count('<td'))",
            "1\n",
        ),
        (
            "import matplotlib.pyplot as m, seaborn as s; s.barplot(x=[1, 2], y=[3, 4]); m.savefig('/tmp/a.png'); print(open('/tmp/a.png', 'rb').read(4))",
            "b'\\x89PNG'\n",
        ),
    ] {
        let result = sandbox.command(["python3", "-c", program]).run_blocking();
        let result = result.unwrap();
        assert_eq!(
            result.stdout_text(),
            expected,
            "{program}\n{}",
            result.stderr_text()
        );
        // A program that ends by a trap has printed everything before.
        assert_eq!(result.exit_code, 0, "{program}");
    }
}

#[test]
fn programs_are_formatted_checked_and_measured() {
    let sandbox = sandbox();
    make_project(&sandbox, "one", "setuptools");
    sandbox
        .write_file("bad.py", "import os\nx = {  'a':1 }\n")
        .unwrap();
    sandbox.write_file("other.py", "y=1\n").unwrap();
    let script = "pyflakes bad.py; flake8 bad.py other.py; pycodestyle --select=E2 bad.py; black -q bad.py other.py; cat bad.py other.py; \
        cd one && python3 -m pytest -q --cov=one --cov-report=term tests | grep -E '^(TOTAL|one)' && coverage html -q && ls htmlcov/index.html";
    assert_eq!(
        text(&sandbox, script),
        "bad.py:1:1: 'os' imported but unused\n\
         bad.py:1:1: F401 'os' imported but unused\nbad.py:2:6: E201 whitespace after '{'\nbad.py:2:11: E231 missing whitespace after ':'\n\
         bad.py:2:13: E202 whitespace before '}'\nother.py:1:2: E225 missing whitespace around operator\n\
         bad.py:2:6: E201 whitespace after '{'\nbad.py:2:11: E231 missing whitespace after ':'\nbad.py:2:13: E202 whitespace before '}'\n\
         import os\n\nx = {\"a\": 1}\ny = 1\n\
         one/__init__.py       3      1    67%\nTOTAL                 3      1    67%\nhtmlcov/index.html\n"
    );
}
