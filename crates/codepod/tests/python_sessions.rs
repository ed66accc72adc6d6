//! Sessions of Python: what outlives a call, and what forks, snapshots and undoing do with it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use codepod::{
    Canceller, ErrorKind, LimitNames, Options, Persistence, Persistent, Profile, PythonSession,
    Sandbox,
};

fn sandbox() -> Sandbox {
    Sandbox::create(Options::default()).unwrap()
}

/// Runs code and returns its status and all that it printed.
fn run(session: &PythonSession, code: &str) -> (i32, String) {
    let result = session.run_blocking(code).unwrap();
    let text = [result.stdout, result.stderr].concat();
    (result.exit_code, String::from_utf8(text).unwrap())
}

fn says(session: &PythonSession, code: &str, expected: &str) {
    let (status, text) = run(session, code);
    assert_eq!((status, text.as_str()), (0, expected), "{code}");
}

#[test]
fn variables_functions_and_modules_stay() {
    let session = sandbox().python_session("main").unwrap();
    says(&session, "import collections\nx = [1, 2]", "");
    says(
        &session,
        "def twice(n):\n    return n * 2\n\nx.append(3)",
        "",
    );
    says(&session, "x, twice(x[-1])", "([1, 2, 3], 6)\n");
    says(
        &session,
        "class A:\n    def __init__(self): self.n = collections.Counter('aab')",
        "",
    );
    says(&session, "a = A(); print(a.n['a']); None", "2\n");
    says(&session, "_", "([1, 2, 3], 6)\n");
    // Memory that has grown.
    says(&session, "big = list(range(1_000_000))", "");
    says(&session, "sum(big)", "499999500000\n");
    says(&session, "del big; x", "[1, 2, 3]\n");
    assert!(session.size() > 0);
}

/// A call that begins with other words than the last one must find memory as that has left it.
#[test]
fn calls_may_be_of_any_length() {
    for first in [10, 70_000, 700_000, 7_000_000] {
        let session = sandbox().python_session("main").unwrap();
        let comment = "#".repeat(first / 100);
        says(&session, &format!("a = bytearray({first}) {comment}"), "");
        says(&session, "len(a), any(a)", &format!("({first}, False)\n"));
        says(&session, &format!("a[-1] = 1 {comment} {comment}"), "");
        says(&session, "a.index(1)", &format!("{}\n", first - 1));
    }
}

#[test]
fn a_failure_is_told_and_the_session_goes_on() {
    let session = sandbox().python_session("main").unwrap();
    says(&session, "x = 1", "");
    let (status, text) = run(&session, "x = 2\nx / 0");
    assert_eq!(status, 1);
    assert_eq!(
        text,
        "Traceback (most recent call last):\n  File \"<turn 2>\", line 2, in <module>\n    x / 0\n    ~~^~~\nZeroDivisionError: division by zero\n"
    );
    let (status, text) = run(&session, "if x:\nprint(1)");
    assert_eq!(status, 1);
    assert!(text.contains("IndentationError"), "{text}");
    assert_eq!(run(&session, "import sys; sys.exit(7)").0, 7);
    says(&session, "x", "2\n");
}

/// A session that is called often stays as small and quick as it was: a call leaves nothing behind
/// but what it made.
#[test]
fn calls_leave_nothing_behind() {
    let session = sandbox().python_session("main").unwrap();
    says(&session, "x = 0\ndef fail(): return x / 0", "");
    for _ in 0..10 {
        says(&session, "x += 1; x * 0", "0\n");
    }
    let early = session.size();
    for _ in 0..100 {
        says(&session, "x += 1; x * 0", "0\n");
    }
    let grown = session.size().saturating_sub(early);
    // Names of calls go through a large table, now here, now there.
    assert!(grown <= 160 << 10, "100 calls left {grown} bytes");
    let kept = "import linecache; [name for name in linecache.cache if name.startswith('<turn')]";
    says(&session, kept, "['<turn 1>', '<turn 112>']\n");
    // Lines of functions can still be shown.
    let (_, text) = run(&session, "fail()");
    assert!(text.contains("def fail(): return x / 0\n"), "{text}");
}

#[test]
fn code_that_is_killed_leaves_it_as_it_was() {
    let sandbox = sandbox();
    let session = sandbox.python_session("main").unwrap();
    says(&session, "x = 1", "");
    let limited = session.clone().timeout(Duration::from_millis(300));
    let result = limited.run_blocking("x = 2\nwhile True: pass").unwrap();
    assert_eq!(result.exit_code, 124);
    says(&session, "x", "1\n");
    let (status, _) = run(
        &session,
        "import os, signal; x = 3; os.kill(os.getpid(), signal.SIGKILL)",
    );
    assert_eq!(status, 137);
    says(&session, "x", "1\n");
}

#[test]
fn forks_snapshots_and_undoing_have_it() {
    let sandbox = sandbox();
    let session = sandbox.python_session("main").unwrap();
    says(&session, "x = {'n': 1}", "");
    let before = sandbox.snapshot().unwrap();
    let fork = sandbox.fork().unwrap();
    says(&session, "x['n'] += 1; x", "{'n': 2}\n");
    let other = fork.python_session("main").unwrap();
    says(&other, "x['n'] += 10; x", "{'n': 11}\n");
    says(&session, "x", "{'n': 2}\n");
    sandbox.restore(&before).unwrap();
    says(&session, "x", "{'n': 1}\n");
    // It is not one of the user's files.
    let changes = sandbox.changes(&before, codepod::Moment::Now).unwrap();
    assert!(changes.is_empty(), "{changes:?}");
}

#[test]
fn a_call_is_a_run_that_is_listed_and_undone() {
    let sandbox = sandbox();
    let session = sandbox.python_session("main").unwrap();
    says(&session, "x = 1", "");
    says(&session, "x = 2\nopen('f', 'w').write('two')", "3\n");
    let undone = sandbox.undo(1).unwrap();
    assert_eq!(undone[0].command, "x = 2\nopen('f', 'w').write('two')");
    says(
        &session,
        "import os; x, os.path.exists('f')",
        "(1, False)\n",
    );
    let long = session.clone().output_budget(1000);
    let result = long.run_blocking("print('a' * 100_000)").unwrap();
    assert!(result.stdout.len() < 2000, "{}", result.stdout.len());
    assert!(result.stdout_cut.is_some());
}

#[test]
fn a_call_can_be_cancelled_while_it_runs_and_while_it_waits() {
    let sandbox = sandbox();
    let session = sandbox.python_session("main").unwrap();
    says(&session, "x = 1", "");
    let (first, second) = (Canceller::new(), Canceller::new());
    let started = Instant::now();
    std::thread::scope(|scope| {
        let endless = session.clone().cancelled_by(&first);
        let endless = scope.spawn(move || {
            endless.run_blocking("print('on', flush=True); x = 2\nwhile True: pass")
        });
        std::thread::sleep(Duration::from_millis(300));
        let waiting = session.clone().cancelled_by(&second);
        let waiting = scope.spawn(move || waiting.run_blocking("x = 3"));
        std::thread::sleep(Duration::from_millis(100));
        second.cancel();
        let never = waiting.join().unwrap().unwrap();
        assert_eq!((never.exit_code, never.cancelled), (130, true));
        first.cancel();
        let ended = endless.join().unwrap().unwrap();
        assert_eq!((ended.exit_code, ended.cancelled), (130, true));
        assert_eq!(ended.stdout, b"on\n");
    });
    assert!(started.elapsed() < Duration::from_secs(10));
    says(&session, "x", "1\n");
}

#[test]
fn names_that_nobody_uses_are_forgotten() {
    let sandbox = sandbox();
    let used = sandbox.python_session("used").unwrap();
    for number in 0..1000 {
        let name = format!("name-{number}");
        assert_eq!(sandbox.python_session(&name).unwrap().size(), 0);
    }
    says(&used, "1 + 1", "2\n");
}

#[test]
fn sessions_are_apart_and_can_begin_anew() {
    let sandbox = sandbox();
    let (one, two) = (
        sandbox.python_session("one").unwrap(),
        sandbox.python_session("two").unwrap(),
    );
    says(&one, "x = 1", "");
    let (status, text) = run(&two, "x");
    assert_eq!(status, 1);
    assert!(text.contains("NameError"), "{text}");
    one.reset().unwrap();
    one.reset().unwrap();
    assert_eq!(one.size(), 0);
    assert_eq!(run(&one, "x").0, 1);
    for name in ["", "a/b", "..", "a b", &"x".repeat(65)] {
        let refused = sandbox.python_session(name).unwrap_err();
        assert!(matches!(refused.kind(), ErrorKind::InvalidArgument(_)));
    }
}

#[test]
fn files_and_the_directory_stay_open() {
    let sandbox = sandbox();
    let session = sandbox.python_session("main").unwrap();
    let first = "import os, sqlite3\nos.makedirs('d'); os.chdir('d')\nf = open('lines', 'w+')\nn = f.write('one\\ntwo\\n')\nf.seek(4)\n\
        c = sqlite3.connect('db'); c.execute('create table t (x)'); c.commit()\nos.environ['MINE'] = 'kept'; None";
    says(&session, first, "");
    let second =
        "print(f.read(), end=''); c.execute('insert into t values (5)'); c.commit(); os.getcwd()";
    says(&session, second, "two\n'/home/user/d'\n");
    says(
        &session,
        "c.execute('select * from t').fetchall()",
        "[(5,)]\n",
    );
    let result = sandbox.run_blocking("cat d/lines").unwrap();
    let text = [result.stdout, result.stderr].concat();
    assert_eq!(String::from_utf8_lossy(&text), "one\ntwo\n");
}

#[test]
fn a_call_has_its_own_input_and_processes() {
    let session = sandbox().python_session("main").unwrap();
    let asking = session.clone().stdin("first\nrest\n");
    says(&asking, "name = input()", "");
    let asking = session.clone().stdin("second\n");
    says(&asking, "(name, input())", "('first', 'second')\n");
    says(
        &session,
        "import subprocess; subprocess.run('echo $((6 * 7))', shell=True, capture_output=True, text=True).stdout",
        "'42\\n'\n",
    );
    says(
        &session,
        "import threading; t = threading.Thread(target=print, args=('thread',)); t.start()",
        "thread\n",
    );
    says(&session, "import random; a = random.random(); None", "");
}

#[test]
fn a_file_that_is_no_session_is_refused() {
    let sandbox = sandbox();
    let session = sandbox.python_session("main").unwrap();
    says(&session, "x = 1", "");
    let path = "/var/lib/codepod/python/main";
    let good = sandbox.read_file(path).unwrap();
    let mut other = good.clone();
    other[9] ^= 1;
    for bytes in [b"".to_vec(), b"cpysess1".to_vec(), other] {
        sandbox.write_file(path, &bytes).unwrap();
        let (status, text) = run(&session, "x");
        assert_eq!(status, 126);
        assert!(text.contains("start a new one"), "{text}");
    }
    // Cut off, or with pages where none can be: the process ends, and the sandbox lives.
    let mut outside = good.clone();
    outside[24..32].copy_from_slice(&[0xff, 0xff, 0xff, 0x7f, 1, 0, 0, 0]);
    for bytes in [good[..good.len() / 2].to_vec(), outside] {
        sandbox.write_file(path, &bytes).unwrap();
        assert_ne!(run(&session, "x").0, 0);
    }
    sandbox.write_file(path, &good).unwrap();
    says(&session, "x", "1\n");
}

#[test]
fn calls_of_one_session_take_turns() {
    let sandbox = sandbox();
    let session = sandbox.python_session("main").unwrap();
    says(&session, "n = 0", "");
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let session = session.clone();
            std::thread::spawn(move || run(&session, "n += 1; None").0)
        })
        .collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), 0);
    }
    says(&session, "n", "8\n");
}

/// SN-06: what a fork, a restored state or an undone call prints is never what another has printed.
#[test]
fn sn_06_sessions_never_repeat_random_numbers() {
    const TIMES: usize = 50;
    let sandbox = sandbox();
    let session = sandbox.python_session("main").unwrap();
    says(
        &session,
        "import random, tempfile, uuid, numpy as np\nrandom.random(), np.random.rand(); None",
        "",
    );
    let code = "print(random.random(), np.random.rand(), random.getrandbits(64), uuid.uuid4(), next(tempfile._get_candidate_names()), sep='\\n')";
    let snapshot = sandbox.snapshot().unwrap();
    let mut seen = std::collections::HashSet::new();
    for _ in 0..TIMES {
        let fork = sandbox.fork().unwrap();
        let (_, forked) = run(&fork.python_session("main").unwrap(), code);
        sandbox.restore(&snapshot).unwrap();
        let (_, restored) = run(&sandbox.python_session("main").unwrap(), code);
        for line in forked.lines().chain(restored.lines()) {
            assert!(seen.insert(line.to_owned()), "{line} came twice");
        }
    }
    assert_eq!(seen.len(), TIMES * 2 * 5);
}

#[test]
fn a_seed_that_a_session_has_chosen_stays_chosen() {
    let sandbox = sandbox();
    let session = sandbox.python_session("main").unwrap();
    says(
        &session,
        "import random, numpy as np\nrandom.seed(42); np.random.seed(42)",
        "",
    );
    // What CPython and numpy give for this seed.
    let (first, then) = (
        "random.random(), float(np.random.rand())",
        "(0.6394267984578837, 0.3745401188473625)\n",
    );
    let fork = sandbox.fork().unwrap();
    says(&session, first, then);
    says(&fork.python_session("main").unwrap(), first, then);
    // Without a value it is the system's again.
    says(&session, "random.seed(); np.random.seed(None)", "");
    let fork = sandbox.fork().unwrap();
    let (_, one) = run(&session, first);
    let (_, other) = run(&fork.python_session("main").unwrap(), first);
    assert_ne!(one, other);
}

/// What a reader gives until so much has come.
fn read_until(reader: &mut codepod::PipeReader, end: &str) -> String {
    let mut text = String::new();
    let mut buffer = [0; 100];
    while !text.ends_with(end) {
        let read = reader.read_blocking(&mut buffer).unwrap();
        assert_ne!(read, 0, "it ended after {text:?}");
        text += std::str::from_utf8(&buffer[..read]).unwrap();
    }
    text
}

#[test]
fn output_comes_while_the_code_runs_and_input_goes_in() {
    let sandbox = sandbox();
    let session = sandbox.python_session("main").unwrap();
    // The second call goes on in a session whose output was not streamed.
    says(&session, "n = 1; print('begun')", "begun\n");
    let code = "print('ready')\nimport sys\nfor line in sys.stdin:\n    n += 1; print(n, line, end='')\nprint('bad', file=sys.stderr)\nn";
    let mut running = session.start(code).unwrap();
    let mut stdin = running.stdin.take().unwrap();
    let mut stdout = running.stdout.take().unwrap();
    let mut stderr = running.stderr.take().unwrap();
    let result = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| running.wait_blocking().unwrap());
        assert_eq!(read_until(&mut stdout, "\n"), "ready\n");
        for (word, answer) in [("a\n", "2 a\n"), ("b\n", "3 b\n")] {
            assert!(stdin.write_all_blocking(word.as_bytes()).unwrap());
            assert_eq!(read_until(&mut stdout, "\n"), answer);
        }
        drop(stdin);
        assert_eq!(read_until(&mut stdout, "\n"), "3\n");
        assert_eq!(read_until(&mut stderr, "\n"), "bad\n");
        waiting.join().unwrap()
    });
    assert_eq!((result.exit_code, result.stdout), (0, Vec::new()));
    assert_eq!(result.command, code);
    // It is a run as every other, and the next call sees nothing of how it was read.
    says(
        &session,
        "import os\nn, 'CODEPOD_STREAMED' in os.environ",
        "(3, False)\n",
    );
    sandbox.undo(2).unwrap();
    says(&session, "n", "1\n");
}

#[test]
fn code_that_is_streamed_ends_as_every_other() {
    let sandbox = sandbox();
    let session = sandbox.python_session("main").unwrap();
    says(&session, "x = 1", "");
    // A reader that leaves.
    let mut running = session
        .start_without_input("x = 2\nwhile True: print('y')")
        .unwrap();
    assert!(running.stdin.is_none());
    let mut stdout = running.stdout.take().unwrap();
    let result = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| running.wait_blocking().unwrap());
        read_until(&mut stdout, "y\n");
        drop(stdout);
        waiting.join().unwrap()
    });
    assert_ne!(result.exit_code, 0, "{result:?}");
    // A timeout, a cancel, and one that never begins.
    let limited = session.clone().timeout(Duration::from_millis(300));
    let endless = "x = 3\nwhile True: pass";
    let result = limited.start(endless).unwrap().wait_blocking().unwrap();
    assert_eq!((result.exit_code, result.timed_out), (124, true));
    let canceller = Canceller::new();
    let cancelled = session.clone().cancelled_by(&canceller);
    let result = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| cancelled.start(endless).unwrap().wait_blocking());
        std::thread::sleep(Duration::from_millis(200));
        canceller.cancel();
        waiting.join().unwrap().unwrap()
    });
    assert_eq!((result.exit_code, result.cancelled), (130, true));
    drop(session.start("x = 4").unwrap());
    let (status, text) = run(&session, "x");
    assert_eq!(status, 0);
    assert!(["1\n", "2\n"].contains(&&*text), "{text}");
    assert_eq!(sandbox.stats().unwrap().processes, 0);
}

/// B1 of the review: a session that holds much is one of many calls, not of one.
#[test]
fn a_large_array_stays_and_costs_its_size_once() {
    let sandbox = sandbox();
    let session = sandbox.python_session("main").unwrap();
    says(&session, "import numpy as np; a = np.ones(20_000_000)", "");
    let used = session.size();
    assert!((160_000_000..180_000_000).contains(&used), "{used}");
    for n in 0..3 {
        says(
            &session,
            &format!("a[{n}] += 1; a[:4].sum()"),
            &format!("np.float64({}.0)\n", n + 5),
        );
    }
    let fork = sandbox.fork().unwrap();
    says(&session, "a[:] = 3; a.sum()", "np.float64(60000000.0)\n");
    says(
        &fork.python_session("main").unwrap(),
        "a[-1]",
        "np.float64(1.0)\n",
    );
    says(&session, "del a", "");
    says(&session, "a = np.zeros(1000); a.sum()", "np.float64(0.0)\n");
}

#[test]
fn a_session_that_needs_more_than_the_disk_says_so_and_goes_on() {
    let mut options = Options::default();
    options.fs_limits.bytes = 30_000_000;
    let sandbox = Sandbox::create(options).unwrap();
    let session = sandbox.python_session("main").unwrap();
    says(
        &session,
        "import numpy as np; x = 1; a = np.ones(2_500_000)",
        "",
    );
    let (status, text) = run(&session, "x = 2; b = np.ones(2_500_000); print('made')");
    assert_eq!(status, 126, "{text}");
    let expected = "made\ncodepod: the session needs ";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.contains("the limit is 29 MB"), "{text}");
    assert!(
        text.contains(": let go of something in it and call again"),
        "{text}"
    );
    assert!(
        text.ends_with("of the disk limit of 29 MB; `Options::set_disk` raises it\n"),
        "{text}"
    );
    // As it was before; and where it does not grow, nothing is refused.
    says(&session, "x, len(a)", "(1, 2500000)\n");
    says(&session, "del a; x = 3", "");
    says(
        &session,
        "b = np.ones(2_500_000); x, int(b[-1])",
        "(3, 1)\n",
    );
    let left = sandbox.list_dir("/var/lib/codepod/python").unwrap();
    assert_eq!(left.len(), 1, "{left:?}");
    // Files can have the rest. Not even a name has room then, and the reason is the right one.
    let fill = "f = open('f', 'wb', 0)\ntry:\n  while f.write(bytes(1000)): pass\nexcept OSError as e: print(e.strerror)";
    let result = sandbox.command(["python3", "-c", fill]).run_blocking();
    assert_eq!(result.unwrap().stdout, b"No space left on device\n");
    let (status, text) = run(&session, "x += 1");
    assert_eq!(status, 126);
    assert!(
        text.contains("as it was before: No space left on device\ncodepod: no space left: "),
        "{text}"
    );
    sandbox.remove("f").unwrap();
    says(&session, "x += 1; x", "4\n");
}

#[test]
fn a_session_that_needs_more_memory_than_its_process_may_have_says_so() {
    let (large, mut options) = (sandbox(), Options::default());
    let session = large.python_session("main").unwrap();
    says(&session, "b = bytearray(100_000_000)", "");
    let path = "/var/lib/codepod/python/main";
    options.limits.memory_bytes = 96 << 20;
    options.limit_names = LimitNames::CommandLine;
    let small = Sandbox::create(options).unwrap();
    let session = small.python_session("main").unwrap();
    says(&session, "1", "1\n");
    small
        .write_file(path, large.read_file(path).unwrap())
        .unwrap();
    let (status, text) = run(&session, "len(b)");
    assert_eq!(status, 126, "{text}");
    assert!(text.contains("MB of memory, and its process may have 96 MB\n"));
    let line = "codepod: a process reached its memory limit of 96 MB; `--memory` raises it\n";
    assert!(text.ends_with(line), "{text}");
}

#[test]
fn a_session_that_names_a_package_begins_with_it() {
    let sandbox = sandbox();
    let session = sandbox.python_session("main").unwrap();
    let code = "import sys; before = 'pandas' in sys.modules; import pandas as pd; before, len(pd.DataFrame({'a': [1, 2]}))";
    says(&session, code, "(False, 2)\n");
    // What the package is made of is not the session's own.
    let own = session.size();
    assert!(own < 6_000_000, "{own}");
    says(&session, "pd.Series([1, 2, 3]).sum()", "np.int64(6)\n");
    let fork = sandbox.fork().unwrap();
    let other = fork.python_session("main").unwrap();
    says(&other, "pd.Series([1]).sum()", "np.int64(1)\n");
    let session = Sandbox::create(Options::with_profile(Profile::Small)).unwrap();
    let session = session.python_session("main").unwrap();
    says(&session, "x = 'pandas'; x", "'pandas'\n");
}

/// A saved state can hold any file: one that puts bytes where there is no memory is refused.
#[test]
fn a_forged_session_is_refused() {
    let sandbox = sandbox();
    let session = sandbox.python_session("main").unwrap();
    says(&session, "x = bytearray(b'x' * 3_000_000)", "");
    let path = "/var/lib/codepod/python/main";
    let good = sandbox.read_file(path).unwrap();
    let header = 1 << 16;
    let forged = |at: usize, bytes: &[u8]| {
        let mut forged = good.clone();
        forged[header + at..header + at + bytes.len()].copy_from_slice(bytes);
        forged
    };
    let mut cases = vec![
        forged(8, &[0; 8]),        // another build
        forged(16, &[1; 32]),      // an image that there is not
        forged(48, &[1, 0, 0, 0]), // less memory than the module has
        forged(48, &[0xff; 4]),
        forged(52, &[0xff; 4]), // more pages than there are
        forged(52, &[0, 0x20, 0, 0]),
        forged(56, &[0xff; 4]), // a page behind the end
        forged(52, &[1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]),
    ];
    // Blocks behind the end of memory, and one that is cut off.
    let mut behind = good.clone();
    behind.resize(100 << 20, 7);
    cases.push(behind);
    cases.push(good[..good.len() - 100].to_vec());
    for (number, bytes) in cases.into_iter().enumerate() {
        sandbox.write_file(path, &bytes).unwrap();
        let (status, text) = run(&session, "len(x)");
        assert_eq!(status, 126, "{number}: {text}");
        assert!(text.contains("start a new one"), "{number}: {text}");
    }
    sandbox.write_file(path, &good).unwrap();
    says(&session, "len(x), set(x)", "(3000000, {120})\n");
    // Whatever the bytes are, they stay inside.
    let mut noise = good.clone();
    for (at, byte) in noise.iter_mut().enumerate().skip(header + 4096 * 2) {
        *byte = ((at * 31) >> 3) as u8;
    }
    sandbox.write_file(path, &noise).unwrap();
    run(&session.clone().timeout(Duration::from_secs(5)), "x");
    session.reset().unwrap();
    says(&session, "1", "1\n");
}

/// What a process has mapped of a session is gone when the next one has its place.
#[test]
fn memory_of_a_session_is_not_found_by_the_next_process() {
    let sandbox = sandbox();
    let session = sandbox.python_session("main").unwrap();
    let secret = "s = b'a secret of ' * 2_000_000; t = bytearray(s); None";
    says(&session, secret, "");
    for _ in 0..8 {
        says(&session, "len(t)", "24000000\n");
        let other = Sandbox::create(Options::default()).unwrap();
        let code = "import numpy as np; print(b'cret of a se' in np.empty(4_000_000).tobytes())";
        let result = other.command(["python3", "-c", code]).run_blocking();
        assert_eq!(result.unwrap().stdout, b"False\n");
    }
}

#[test]
fn saved_states_have_it_and_grow_by_what_has_changed() {
    let directory = tempfile::tempdir().unwrap();
    let open = || {
        let persistent = Persistent::new(directory.path(), "agent");
        let mut options = Options::default();
        options.persistence = Persistence::Persistent(persistent);
        let sandbox = Sandbox::create(options).unwrap();
        let session = sandbox.python_session("main").unwrap();
        (sandbox, session)
    };
    let (sandbox, session) = open();
    let fill = "import pandas as pd, random\nb = random.randbytes(12_000_000); c = b[-1]; n = 1";
    says(&session, fill, "");
    sandbox.save().unwrap();
    drop((sandbox, session));
    let size = || {
        let files = walk(directory.path());
        files
            .iter()
            .map(|file| file.metadata().unwrap().len())
            .sum::<u64>()
    };
    let before = size();
    assert!(before > 12_000_000, "{before}");
    let (sandbox, session) = open();
    says(
        &session,
        "n += 1; b[-1] == c, len(b), n",
        "(True, 12000000, 2)\n",
    );
    sandbox.save().unwrap();
    drop((sandbox, session));
    let grown = size() - before;
    assert!(grown < 6_000_000, "{grown}");
    let (_sandbox, session) = open();
    says(
        &session,
        "n, len(b), pd.Series([n]).sum()",
        "(2, 12000000, np.int64(2))\n",
    );
}

/// All files below a directory.
fn walk(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut left = vec![directory.to_owned()];
    while let Some(directory) = left.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => left.push(path),
                false => files.push(path),
            }
        }
    }
    files
}
