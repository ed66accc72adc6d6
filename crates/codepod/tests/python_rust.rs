//! Packages of Python whose compiled parts are Rust: `pydantic_core` and `jiter`.
//!
//! Answers and limits are those of the same versions in a native Python.

mod support;

use codepod::{Options, Sandbox};
use support::text;

/// What a program prints, and how it ended.
fn run(sandbox: &Sandbox, program: &str) -> (i32, String) {
    sandbox.write_file("program.py", program).unwrap();
    let result = sandbox.run_blocking("python3 program.py").unwrap();
    (result.exit_code, String::from_utf8(result.stdout).unwrap())
}

/// A schema of lists in lists without end.
const NESTED: &str = "
import pydantic_core
again = {'type': 'definition-ref', 'schema_ref': 'list'}
lists = [{'type': 'list', 'ref': 'list', 'items_schema': again}]
schema = {'type': 'definitions', 'schema': again, 'definitions': lists}
validator = pydantic_core.SchemaValidator(schema)

def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value

def kind(call):
    try:
        call()
    except pydantic_core.ValidationError as error:
        return error.errors()[0]['type']
";

#[test]
fn they_do_their_work() {
    let sandbox = Sandbox::create(Options::default()).unwrap();
    for (program, expected) in [
        (
            "import pydantic_core as p; print(p.SchemaValidator({'type': 'int', 'gt': 2}).validate_json('\"7\"'))",
            "7\n",
        ),
        (
            "import pydantic_core as p; print(p.to_json({'a': [1, 2.5, None, 'é']}).decode())",
            "{\"a\":[1,2.5,null,\"é\"]}\n",
        ),
        (
            "import pydantic_core as p; print(p.SchemaValidator({'type': 'str', 'pattern': r'^\\w+$'}).isinstance_python('é'))",
            "True\n",
        ),
        (
            "import jiter; print(jiter.from_json(b'{\"a\": [1, 2', partial_mode=True))",
            "{'a': [1, 2]}\n",
        ),
        // What pip and other packages decide by.
        (
            "import importlib.metadata as m, jiter, pydantic_core\nprint(m.version('jiter') == jiter.__version__, m.version('pydantic-core') == pydantic_core.__version__)",
            "True True\n",
        ),
    ] {
        assert_eq!(
            run(&sandbox, program),
            (0, expected.to_owned()),
            "{program}"
        );
    }
    let constraints = text(&sandbox, "cat /etc/pip-constraints.txt");
    assert!(constraints.contains("pydantic_core=="), "{constraints}");
}

#[test]
fn nesting_has_the_limits_of_linux() {
    let sandbox = Sandbox::create(Options::default()).unwrap();
    let program = format!(
        "{NESTED}
print(pydantic_core._pydantic_core._recursion_limit)
print(kind(lambda: validator.validate_json('[' * 100 + ']' * 100)), kind(lambda: validator.validate_python(nested(200))))
print(kind(lambda: validator.validate_json('[' * 100_000 + ']' * 100_000)), kind(lambda: validator.validate_python(nested(100_000))))
endless = []
endless.append(endless)
print(kind(lambda: validator.validate_python(endless)))
"
    );
    let expected = "255\nNone None\njson_invalid recursion_depth_exceeded\nrecursion_loop\n";
    assert_eq!(run(&sandbox, &program), (0, expected.to_owned()));
}

// WM-04
#[test]
fn wm_04_what_is_nested_too_deep_ends_the_program_and_nothing_else() {
    let sandbox = Sandbox::create(Options::default()).unwrap();
    for program in [
        "import jiter; jiter.from_json(b'[' * 1_000_000)",
        "import jiter; jiter.from_json(b'{\"a\":' * 1_000_000, partial_mode=True)",
        "import pydantic_core; pydantic_core.from_json(b'[' * 1_000_000)",
        "import pydantic_core as p; p.SchemaValidator({'type': 'str', 'pattern': '(' * 100_000})",
        // Of Python's own recursion, through Rust.
        "import pydantic_core as p\ndef again(value): return s.validate_python(value)\n\
         s = p.SchemaValidator({'type': 'function-plain', 'function': {'type': 'no-info', 'function': again}})\ns.validate_python(1)",
        // Of Rust's own: a schema has no limit, and ends the process on Linux as well.
        "import pydantic_core as p\ns = {'type': 'int'}\nfor _ in range(100_000): s = {'type': 'list', 'items_schema': s}\nrepr(p.SchemaValidator(s))",
        "import pydantic_core as p\nx = []\nfor _ in range(100_000): x = [x]\np.to_json(x)",
        "import pydantic_core as p\nx = []\nfor _ in range(100_000): x = [x]\np.to_jsonable_python(x)",
    ] {
        let (status, printed) = run(&sandbox, program);
        assert!(
            matches!(status, 1 | 132 | 134 | 139) && printed.is_empty(),
            "{program}: {status}, {printed}"
        );
        assert_eq!(text(&sandbox, "echo on"), "on\n", "{program}");
    }
}
