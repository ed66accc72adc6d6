//! numpy, which is built into the sandbox's Python and was imported when its snapshot was made.

mod support;

use codepod::{Options, Sandbox};
use support::{python_text, text};

fn sandbox() -> Sandbox {
    Sandbox::create(Options::default()).unwrap()
}

#[test]
fn equations_transforms_and_decompositions_are_right() {
    let program = r"
import numpy as np
rng = np.random.default_rng(1)
a, x = rng.random((500, 500)), rng.random(500)
print(abs(np.linalg.solve(a, a @ x) - x).max() < 1e-9)
print(np.allclose(np.linalg.inv(a) @ a, np.eye(500), atol=1e-8))
u, s, v = np.linalg.svd(a[:60, :40])
print(np.allclose(u[:, :40] * s @ v, a[:60, :40]))
w, q = np.linalg.eigh(a + a.T)
print(np.allclose((a + a.T) @ q, q * w))
n = np.arange(64)
print(np.allclose(np.fft.fft(x[:64]), np.exp(-2j * np.pi * np.outer(n, n) / 64) @ x[:64]))
print(np.linalg.det(np.array([[1., 2.], [3., 4.]])).round(12))
";
    let right = "True\n".repeat(5) + "-2.0\n";
    assert_eq!(python_text(&sandbox(), program), right);
}

/// What numpy's documentation says of these.
#[test]
fn arrays_do_what_arrays_do() {
    let program = r"
import numpy as np
a = np.arange(12).reshape(3, 4)
print(a[a % 2 == 0], a.sum(axis=0), a.mean(), (a @ a.T).trace(), a.dtype)
print(np.sort(np.array(['b', 'c', 'a'])), np.unique([3, 1, 3], return_counts=True))
print(np.array([1, 2]) / np.array([3., 0.]))
print(np.float32(0.1) + np.float32(0.2), np.int8(127).nbytes, np.arange(100_000).dot(np.arange(100_000)), np.array([10**5]) ** 2)
np.save('/tmp/a.npy', a); print((np.load('/tmp/a.npy') == a).all())
np.savetxt('/tmp/a.csv', a, delimiter=',', fmt='%d'); print(np.loadtxt('/tmp/a.csv', delimiter=',').sum())
print(np.datetime64('2024-02-28') + np.timedelta64(2, 'D'), np.busday_count('2024-01-01', '2024-02-01'))
print(np.random.RandomState(42).randint(0, 2**40, 2), np.random.RandomState(1).multinomial(20, [1/6.]*6), np.random.default_rng(42).multinomial(20, [0.2, 0.8]))
print(np.repeat([1, 2], np.array([1, 2])), np.bincount(np.array([1, 1, 3])), np.char.str_len(np.array(['ab', 'c'])))
print(np.memmap('/tmp/a.npy', np.uint8, 'r')[1:6].tobytes(), np.polyfit([0, 1, 2], [1, 3, 5], 1).round(6))
";
    let right = "\
[ 0  2  4  6  8 10] [12 15 18 21] 5.5 506 int64
['a' 'b' 'c'] (array([1, 3]), array([1, 2]))
[0.33333333        inf]
0.3 1 333328333350000 [10000000000]
True
66.0
2024-03-01 23
[441507790259 395924837646] [3 4 0 3 3 7] [ 5 15]
[1 2 2] [0 2 0 1] [2 1]
b'NUMPY' [2. 1.]
";
    let sandbox = sandbox();
    sandbox.write_file("program.py", program).unwrap();
    assert_eq!(text(&sandbox, "python3 -W ignore program.py"), right);
}

/// The lines are numpy's own on Linux: WebAssembly has no flags of floating point, and what they
/// would say is found in the results.
#[test]
fn poles_overflows_and_singular_matrices_are_told_of() {
    let program = r"
import numpy as np, warnings
def show(what, f):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter('always')
        try: result = f()
        except Exception as error: result = f'{type(error).__name__}: {error}'
    print(what, result, [str(one.message) for one in seen])
a, big = np.array([1., 0., -1., np.inf, np.nan]), np.array([1e308] * 3)
def in_place(values, by): values /= by; return values
show('/', lambda: a / 0)
show('/=', lambda: in_place(np.array([1., 0.]), 0))
show('/= 2', lambda: in_place(a.copy(), 2))
show('steps', lambda: np.arange(4.)[::2] / np.zeros(2))
show('integers', lambda: np.array([1, 2]) // 0)
show('log', lambda: np.log(a))
show('log1p', lambda: np.log1p(np.array([-1., 1.])))
show('sqrt', lambda: np.sqrt(a))
show('exp', lambda: np.exp(np.array([1000., 1.])))
show('float32', lambda: np.array([1e38], dtype='f4') * np.float32(100))
show('sum', lambda: big.sum())
show('cumsum', lambda: big.cumsum())
show('**', lambda: np.array([0., -8.]) ** np.array([-1., 1/3]))
show('scalar', lambda: np.float64(1) / 0)
show('scalar %', lambda: np.float64(1) % np.float64(0))
show('scalar integer', lambda: np.int64(1) / np.int64(0))
show('maximum', lambda: np.maximum(a, 2))
show('inv', lambda: np.linalg.inv(np.array([[1., 2.], [2., 4.]])))
show('cholesky', lambda: np.linalg.cholesky(-np.eye(2)))
np.seterr(divide='raise')
show('raise', lambda: np.array([1.]) / 0)
";
    let right = "\
/ [ inf  nan -inf  inf  nan] ['divide by zero encountered in divide', 'invalid value encountered in divide']
/= [inf nan] ['divide by zero encountered in divide', 'invalid value encountered in divide']
/= 2 [ 0.5  0.  -0.5  inf  nan] []
steps [nan inf] ['divide by zero encountered in divide', 'invalid value encountered in divide']
integers [0 0] ['divide by zero encountered in floor_divide']
log [  0. -inf  nan  inf  nan] ['divide by zero encountered in log', 'invalid value encountered in log']
log1p [      -inf 0.69314718] ['divide by zero encountered in log1p']
sqrt [ 1.  0. nan inf nan] ['invalid value encountered in sqrt']
exp [       inf 2.71828183] ['overflow encountered in exp']
float32 [inf] ['overflow encountered in multiply']
sum inf ['overflow encountered in reduce']
cumsum [1.e+308     inf     inf] ['overflow encountered in accumulate']
** [inf nan] ['divide by zero encountered in power', 'invalid value encountered in power']
scalar inf ['divide by zero encountered in scalar divide']
scalar % nan ['invalid value encountered in scalar remainder']
scalar integer inf ['divide by zero encountered in scalar divide']
maximum [ 2.  2.  2. inf nan] []
inv LinAlgError: Singular matrix []
cholesky LinAlgError: Matrix is not positive definite []
raise FloatingPointError: divide by zero encountered in divide []
";
    assert_eq!(python_text(&sandbox(), program), right);
}

#[test]
fn it_is_not_seen_before_it_is_imported() {
    let sandbox = sandbox();
    let program = "import sys; print([n for n in sys.modules if 'numpy' in n]); import numpy.random; print(numpy.__spec__.origin, numpy.random.__name__, len([n for n in sys.modules if n.startswith('numpy.')]) > 50)";
    assert_eq!(
        python_text(&sandbox, program),
        "[]\n/usr/lib/python3.14/science.zip/numpy/__init__.pyc numpy.random True\n"
    );
    // One of the user's own goes before it, as everywhere.
    let script = "mkdir own; echo 'x = 7' > own/numpy.py; PYTHONPATH=own python3 -c 'import numpy; print(numpy.x)'; cd own; python3 -c 'from numpy import x; print(x)'";
    assert_eq!(text(&sandbox, script), "7\n7\n");
    // With a start from nothing it is imported from its files.
    let script =
        "python3 -I -c 'import numpy; print(numpy.linalg.norm([3, 4]), numpy.random.rand() < 1)'";
    assert_eq!(text(&sandbox, script), "5.0 True\n");
}

#[test]
fn every_process_has_random_numbers_of_its_own() {
    let sandbox = sandbox();
    let program = "import numpy as np; print(np.random.rand(), np.random.default_rng().random())";
    let script = format!(
        "for i in 1 2 3 4 5; do python3 -c '{program}'; done | tr ' ' '\\n' | sort -u | wc -l"
    );
    assert_eq!(text(&sandbox, &script), "10\n");
}

#[test]
fn sessions_keep_arrays() {
    let sandbox = sandbox();
    let session = sandbox.python_session("main").unwrap();
    let run = |code: &str| {
        let result = session.run_blocking(code).unwrap();
        assert_eq!(result.stderr_text(), "", "{code}");
        result.stdout_text().into_owned()
    };
    run("import numpy as np; a = np.ones((300, 300)); r = np.random.default_rng(3)");
    assert_eq!(run("(a @ a).sum()"), "np.float64(27000000.0)\n");
    assert_eq!(
        run("np.random.default_rng(3).random() == r.random()"),
        "True\n"
    );
}

#[test]
fn too_large_an_array_is_an_error_of_the_program() {
    let sandbox = sandbox();
    let program = "
import numpy as np
try:
    np.ones((10_000, 20_000))
except MemoryError as error:
    print(error)
try:
    kept = [np.ones(10_000_000) for _ in range(1000)]
except MemoryError as error:
    print(type(error).__mro__[1].__name__)
print(np.ones(3).sum())
";
    assert_eq!(
        python_text(&sandbox, program),
        "Unable to allocate 1.49 GiB for an array with shape (10000, 20000) and data type float64\nMemoryError\n3.0\n"
    );
    assert_eq!(text(&sandbox, "echo on"), "on\n");
}
