//! Sessions of Python: what outlives a call, and what forks, snapshots and undoing do with it.

use std::time::{Duration, Instant};

use codepod::{Canceller, ErrorKind, Options, PythonSession, Sandbox};

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
    assert_eq!(result.stdout, b"one\ntwo\n");
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
