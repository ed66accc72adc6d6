//! Sessions of JavaScript: what outlives a call, what does not, and what forks, snapshots and
//! undoing do with it.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use codepod::{
    Canceller, ErrorKind, JavaScriptSession, Options, Persistence, Persistent, PipeReader, Sandbox,
};

const FILE: &str = "/var/lib/codepod/javascript/main";

fn sandbox() -> Sandbox {
    Sandbox::create(Options::default()).unwrap()
}

fn session() -> JavaScriptSession {
    sandbox().javascript_session("main").unwrap()
}

/// Runs code and returns its status and all that it printed.
fn run(session: &JavaScriptSession, code: &str) -> (i32, String) {
    let result = session.run_blocking(code).unwrap();
    let text = [result.stdout, result.stderr].concat();
    (result.exit_code, String::from_utf8(text).unwrap())
}

fn says(session: &JavaScriptSession, code: &str, expected: &str) {
    let (status, text) = run(session, code);
    assert_eq!((status, text.as_str()), (0, expected), "{code}");
}

fn fails(session: &JavaScriptSession, code: &str, status: i32, expected: &str) {
    let (ended, text) = run(session, code);
    assert_eq!(ended, status, "{code}: {text}");
    assert!(text.contains(expected), "{code}: {text}");
}

#[test]
fn what_code_declares_stays_and_may_be_declared_again() {
    let session = session();
    says(
        &session,
        "const x = [1]; let y = 2; var z = 3; class A { n = 4 } function f() { return x }",
        "",
    );
    says(
        &session,
        "x.push(y); [f(), z, new A()]",
        "[ [ 1, 2 ], 3, A { n: 4 } ]\n",
    );
    // A function sees the new one, as at V8's prompts.
    says(&session, "const x = 'new'; f()", "'new'\n");
    says(
        &session,
        "let z = 'hides'; class f {}; [z, f]",
        "[ 'hides', [class f] ]\n",
    );
    says(
        &session,
        "function A() {}; var y = 5; [A, y]",
        "[ [Function: A], 5 ]\n",
    );
    fails(
        &session,
        "x = 1",
        1,
        "TypeError: Assignment to constant variable.",
    );
    // One that failed can be declared, too.
    fails(&session, "const late = missing()", 1, "ReferenceError");
    says(&session, "const late = 1; late", "1\n");
    // Memory that has grown.
    says(
        &session,
        "let big = Array.from({ length: 300_000 }, (_, n) => n); 0",
        "0\n",
    );
    says(&session, "big.reduce((a, b) => a + b)", "44999850000\n");
}

#[test]
fn the_last_value_is_shown_as_at_the_prompt() {
    let session = session();
    for (code, expected) in [
        ("'text'", "'text'\n"),
        ("undefined", ""),
        ("null", "null\n"),
        ("{ a: 1 }", "{ a: 1 }\n"),
        ("{ const a = 1; a }", "1\n"),
        ("if (true) 5", "5\n"),
        ("new Map([[1, { b: [] }]])", "Map(1) { 1 => { b: [] } }\n"),
        ("console.log('printed')", "printed\n"),
        ("console.log('before'); 7 // comment", "before\n7\n"),
        ("#!/usr/bin/env node\n8", "8\n"),
        ("", ""),
    ] {
        says(&session, code, expected);
    }
}

#[test]
fn awaiting_and_modules_work_as_in_a_program() {
    let sandbox = sandbox();
    let session = sandbox.javascript_session("main").unwrap();
    sandbox
        .write_file(
            "m.mjs",
            "export default 'd'; export let n = await Promise.resolve(1);",
        )
        .unwrap();
    sandbox
        .write_file("c.cjs", "exports.times = (exports.times ?? 0) + 1")
        .unwrap();
    says(
        &session,
        "const n = await new Promise((done) => setTimeout(done, 20, 5)); n + 1",
        "6\n",
    );
    says(
        &session,
        "for await (const it of [n, 2]) console.log(it)",
        "5\n2\n",
    );
    says(
        &session,
        "import d, { n as m } from './m.mjs'\nimport * as path from 'node:path'; [d, m, path.sep]",
        "[ 'd', 1, '/' ]\n",
    );
    says(&session, "(await import('./m.mjs')).default", "'d'\n");
    says(
        &session,
        "require('./c.cjs').times + typeof fs.readFileSync",
        "'1function'\n",
    );
    says(&session, "require('./c.cjs').times", "1\n");
    fails(
        &session,
        "await new Promise(() => {})",
        13,
        "Warning: Detected unsettled top-level await",
    );
    says(&session, "n", "5\n");
}

#[test]
fn a_failure_is_told_and_the_session_goes_on() {
    let session = session();
    says(&session, "let x = 1; function deep() { return x.y.z }", "");
    let (status, text) = run(&session, "x = 2;\ndeep()");
    assert_eq!(status, 1);
    assert_eq!(
        text,
        "[turn 1]:1\nlet x = 1; function deep() { return x.y.z }\n                                        ^\n\n\
         TypeError: Cannot read properties of undefined (reading 'z')\n    at deep ([turn 1]:1:41)\n    at [turn 2]:2:1\n\n\
         Node.js v24.21.0\n"
    );
    fails(&session, "if (x", 1, "SyntaxError: Unexpected end of input");
    fails(
        &session,
        "Promise.reject(new Error('lost')); 3",
        1,
        "Error: lost",
    );
    fails(
        &session,
        "setTimeout(() => { throw new Error('late') }, 1); 4",
        1,
        "Error: late",
    );
    fails(
        &session,
        "await Promise.reject(new TypeError('mine'))",
        1,
        "TypeError: mine",
    );
    says(&session, "x", "2\n");
    says(
        &session,
        "process.once('uncaughtException', (error) => console.log('seen', error.message)); throw new Error('a')",
        "seen a\n",
    );
}

#[test]
fn process_exit_ends_a_call_and_nothing_else() {
    let session = session();
    let inner = "function outer() { let local = 5; globalThis.closure = () => local; try { process.exit(3) } catch { console.log('caught') } finally { console.log('finally') } }";
    says(&session, inner, "");
    fails(&session, "outer(); console.log('never')", 3, "");
    // What the function has left behind is whole.
    says(&session, "closure()", "5\n");
    for code in [
        "setTimeout(() => process.exit(4), 5); setTimeout(() => console.log('never'), 1000); 0",
        "async function f() { await 1; process.exit(4) }; await f(); console.log('never')",
        "new Promise(() => process.exit(4)); console.log('never')",
        "[...(function* () { process.exit(4) })()]; console.log('never')",
        "process.nextTick(() => console.log('never')); Promise.resolve().then(() => console.log('never')); process.exit(4)",
    ] {
        let (status, text) = run(&session, code);
        assert_eq!(
            (status, text.contains("never")),
            (4, false),
            "{code}: {text}"
        );
        // Nothing of it is done now.
        says(
            &session,
            "await new Promise((done) => setTimeout(done, 10)); 'on'",
            "'on'\n",
        );
    }
    fails(&session, "process.exitCode = 9; 1", 9, "1\n");
    says(&session, "closure()", "5\n");
}

#[test]
fn a_call_ends_when_nothing_is_left_to_do() {
    let session = session();
    says(
        &session,
        "setTimeout(() => console.log('later'), 30); 'first'",
        "'first'\nlater\n",
    );
    // What keeps no program alive is gone with its call.
    says(
        &session,
        "let t = setInterval(() => console.log('tick'), 1).unref(); 1",
        "1\n",
    );
    says(
        &session,
        "await new Promise((done) => setTimeout(done, 20)); 2",
        "2\n",
    );
    says(
        &session,
        "clearInterval(t); await new Promise((done) => setTimeout(done, 5)); 3",
        "3\n",
    );
    fails(
        &session,
        "setImmediate(() => { throw new Error('one') }); setImmediate(() => console.log('two'))",
        1,
        "Error: one",
    );
    says(
        &session,
        "setImmediate(() => console.log('three')); 4",
        "4\nthree\n",
    );
    // A connection that is kept for the next request.
    let serve = "const http = require('http'); const get = (port) => new Promise((done, failed) => http.get({ port }, (res) => { res.resume(); res.on('end', () => done(res.statusCode)) }).on('error', failed)); \
                 const once = async () => { const server = http.createServer((req, res) => res.end('x')); await new Promise((done) => server.listen(8080, done)); const status = await get(8080); server.close(); return status }; await once()";
    says(&session, serve, "200\n");
    says(&session, "await once()", "200\n");
}

#[test]
fn code_that_is_killed_leaves_it_as_it_was() {
    let session = session();
    says(&session, "let x = 1", "");
    let limited = session.clone().timeout(Duration::from_millis(300));
    let result = limited.run_blocking("x = 2; for (;;);").unwrap();
    assert_eq!((result.exit_code, result.timed_out), (124, true));
    says(&session, "x", "1\n");
    let (status, _) = run(&session, "x = 3; process.kill(process.pid, 'SIGKILL')");
    assert_eq!(status, 137);
    let (status, _) = run(&session, "x = 4; process.abort()");
    assert_eq!(status, 134);
    says(&session, "x", "1\n");
}

#[test]
fn a_call_can_be_cancelled_while_it_runs_and_while_it_waits() {
    let session = session();
    says(&session, "let x = 1", "");
    let (first, second) = (Canceller::new(), Canceller::new());
    let started = Instant::now();
    std::thread::scope(|scope| {
        let endless = session.clone().cancelled_by(&first);
        let endless = scope.spawn(move || endless.run_blocking("x = 2; for (;;);"));
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
    });
    assert!(started.elapsed() < Duration::from_secs(10));
    says(&session, "x", "1\n");
}

#[test]
fn forks_snapshots_and_undoing_have_it() {
    let sandbox = sandbox();
    let session = sandbox.javascript_session("main").unwrap();
    says(&session, "const x = { n: 1 }", "");
    let before = sandbox.snapshot().unwrap();
    let fork = sandbox.fork().unwrap();
    says(&session, "x.n += 1; x", "{ n: 2 }\n");
    let other = fork.javascript_session("main").unwrap();
    says(&other, "x.n += 10; x", "{ n: 11 }\n");
    says(&session, "x", "{ n: 2 }\n");
    sandbox.restore(&before).unwrap();
    says(&session, "x", "{ n: 1 }\n");
    // It is not one of the user's files.
    let changes = sandbox.changes(&before, codepod::Moment::Now).unwrap();
    assert!(changes.is_empty(), "{changes:?}");
    says(&session, "x.n = 5; fs.writeFileSync('f', 'five')", "");
    let undone = sandbox.undo(1).unwrap();
    assert_eq!(undone[0].command, "x.n = 5; fs.writeFileSync('f', 'five')");
    says(&session, "[x.n, fs.existsSync('f')]", "[ 1, false ]\n");
}

#[test]
fn saved_states_have_it() {
    let directory = tempfile::tempdir().unwrap();
    let open = || {
        let persistent = Persistent::new(directory.path(), "agent");
        let mut options = Options::default();
        options.persistence = Persistence::Persistent(persistent);
        Sandbox::create(options).unwrap()
    };
    let sandbox = open();
    let session = sandbox.javascript_session("main").unwrap();
    says(
        &session,
        "const { createHash } = require('crypto'); let n = 1; const filled = Buffer.alloc(2_000_000, 7)",
        "",
    );
    sandbox.save().unwrap();
    drop((sandbox, session));
    let session = open().javascript_session("main").unwrap();
    says(
        &session,
        "[++n, filled.at(-1), createHash('md5').update('a').digest('hex').slice(0, 8)]",
        "[ 2, 7, '0cc175b9' ]\n",
    );
}

#[test]
fn sessions_are_apart_and_can_begin_anew() {
    let sandbox = sandbox();
    let named = |name| sandbox.javascript_session(name).unwrap();
    let (one, two) = (named("one"), named("two"));
    says(&one, "let x = 1", "");
    fails(&two, "x", 1, "ReferenceError: x is not defined");
    // One of Python with this name is another.
    let python = sandbox.python_session("one").unwrap();
    assert_eq!(python.size(), 0);
    one.reset().unwrap();
    one.reset().unwrap();
    assert_eq!(one.size(), 0);
    fails(&one, "x", 1, "ReferenceError: x is not defined");
    for name in ["", "a/b", "..", "a b", &"x".repeat(65)] {
        let refused = sandbox.javascript_session(name).unwrap_err();
        assert!(matches!(refused.kind(), ErrorKind::InvalidArgument(_)));
    }
}

#[test]
fn what_belongs_to_a_process_is_new_in_each_call() {
    let sandbox = sandbox();
    let session = sandbox.javascript_session("main").unwrap();
    says(
        &session.clone().stdin("first"),
        "fs.mkdirSync('d'); process.chdir('d'); process.env.MINE = 'x'; const { pid } = process; let text = fs.readFileSync(0, 'utf8'); text",
        "'first'\n",
    );
    // The directory stays, as in Python.
    says(
        &session.clone().stdin("second"),
        "[process.cwd(), process.env.MINE, pid === process.pid, fs.readFileSync(0, 'utf8')]",
        "[ '/home/user/d', undefined, false, 'second' ]\n",
    );
    says(
        &session.clone().stdin("a\nb\n"),
        "for await (const line of require('readline').createInterface({ input: process.stdin })) console.log(line + '!')",
        "a!\nb!\n",
    );
    says(
        &session.clone().stdin("c\n"),
        "for await (const piece of process.stdin) console.log(String(piece).trim())",
        "c\n",
    );
    says(
        &session,
        "performance.now() < 5000 && Math.abs(performance.timeOrigin - Date.now()) < 5000",
        "true\n",
    );
    says(
        &session,
        "require('child_process').execSync('echo $((6 * 7)); pwd').toString()",
        "'42\\n/home/user/d\\n'\n",
    );
    sandbox.remove("d").unwrap();
    says(&session, "process.cwd()", "'/home/user'\n");
}

/// SN-06: what a fork, a restored state or an undone call prints is never what another has printed.
#[test]
fn sn_06_sessions_never_repeat_random_numbers() {
    const TIMES: usize = 20;
    let sandbox = sandbox();
    let session = sandbox.javascript_session("main").unwrap();
    let code = "console.log([Math.random(), crypto.randomUUID(), crypto.randomInt(2 ** 40), crypto.randomBytes(8).toString('hex'), fs.mkdtempSync('/tmp/t'), crypto.getRandomValues(new Uint32Array(3)).join()].join('\\n'))";
    // So that all that is fetched beforehand is there.
    assert_eq!(run(&session, code).0, 0);
    let snapshot = sandbox.snapshot().unwrap();
    let mut seen = HashSet::new();
    for _ in 0..TIMES {
        let fork = sandbox.fork().unwrap();
        let (_, forked) = run(&fork.javascript_session("main").unwrap(), code);
        sandbox.restore(&snapshot).unwrap();
        let (_, restored) = run(&session, code);
        for line in forked.lines().chain(restored.lines()) {
            assert!(seen.insert(line.to_owned()), "{line} came twice");
        }
    }
    assert_eq!(seen.len(), TIMES * 2 * 6);
}

/// A session that is called often stays as small and quick as it was.
#[test]
fn calls_leave_nothing_behind() {
    let session = session();
    says(&session, "let x = 0; const fail = () => x.y.z", "");
    let call = || {
        says(&session, "x += 1; x * 0", "0\n");
        says(&session, "console.log('line')", "line\n");
        assert_eq!(run(&session, "fail()").0, 1);
        assert_eq!(run(&session, "process.exit(0)").0, 0);
    };
    for _ in 0..10 {
        call();
    }
    let early = session.size();
    for _ in 0..50 {
        call();
    }
    let grown = session.size().saturating_sub(early);
    assert!(
        grown <= 256 << 10,
        "200 calls left {grown} bytes of {early}"
    );
    // What is garbage does not pile up.
    for _ in 0..20 {
        says(
            &session,
            "for (let i = 0; i < 3000; i++) { const o = { i }; o.self = o }; 0",
            "0\n",
        );
    }
    let grown = session.size().saturating_sub(early);
    assert!(grown <= 4 << 20, "{grown} bytes of {early}");
}

#[test]
fn calls_of_one_session_take_turns() {
    let session = session();
    says(&session, "let n = 0", "");
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let session = session.clone();
            std::thread::spawn(move || run(&session, "n += 1; undefined").0)
        })
        .collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), 0);
    }
    says(&session, "n", "8\n");
}

/// A call that begins with other words than the last one must find memory as that has left it.
#[test]
fn calls_may_be_of_any_length() {
    let session = session();
    for length in [10, 70_000, 700_000] {
        let comment = "/".repeat(length);
        says(
            &session,
            &format!("var a = Buffer.alloc({length}, 1) //{comment}"),
            "",
        );
        says(
            &session,
            "[a.length, a.at(-1)]",
            &format!("[ {length}, 1 ]\n"),
        );
    }
}

/// What a reader gives until so much has come.
fn read_until(reader: &mut PipeReader, end: &str) -> String {
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
    let session = sandbox.javascript_session("main").unwrap();
    // The second call goes on in a session whose output was not streamed.
    says(&session, "let n = 1; console.log('begun')", "begun\n");
    let code = "console.log('ready'); for await (const line of require('readline').createInterface({ input: process.stdin })) console.log(++n, line); console.error('bad'); n";
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
    says(&session, "console.log(n)", "3\n");
    // A reader that leaves.
    let mut running = session
        .start_without_input("for (;;) console.log('y')")
        .unwrap();
    let mut stdout = running.stdout.take().unwrap();
    let result = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| running.wait_blocking().unwrap());
        read_until(&mut stdout, "y\n");
        drop(stdout);
        waiting.join().unwrap()
    });
    assert_ne!(result.exit_code, 0, "{result:?}");
    says(&session, "console.log(n)", "3\n");
}

/// JS-16: a saved state can hold any file. One that is no session of this build is refused, and
/// whatever bytes one puts into memory stay inside.
#[test]
fn js_16_a_forged_session_is_refused() {
    let sandbox = sandbox();
    let session = sandbox.javascript_session("main").unwrap();
    says(&session, "const x = Buffer.alloc(3_000_000, 1)", "");
    let good = sandbox.read_file(FILE).unwrap();
    let header = 1 << 16;
    let forged = |at: usize, bytes: &[u8]| {
        let mut forged = good.clone();
        forged[header + at..header + at + bytes.len()].copy_from_slice(bytes);
        forged
    };
    let mut behind = good.clone();
    behind.resize(100 << 20, 7);
    let cases = [
        b"".to_vec(),
        b"cpysess1".to_vec(),
        forged(8, &[0; 8]),        // another build
        forged(16, &[1; 32]),      // an image that there is not
        forged(48, &[1, 0, 0, 0]), // less memory than the module has
        forged(48, &[0xff; 4]),
        forged(52, &[0xff; 4]), // more pages than there are
        forged(56, &[0xff; 4]), // a page behind the end
        behind,
        good[..good.len() - 100].to_vec(),
    ];
    for (number, bytes) in cases.into_iter().enumerate() {
        sandbox.write_file(FILE, &bytes).unwrap();
        let (status, text) = run(&session, "x.length");
        assert_eq!(status, 126, "{number}: {text}");
        assert!(text.contains("start a new one"), "{number}: {text}");
    }
    // A session of Python is another build's.
    let python = sandbox.python_session("main").unwrap();
    assert_eq!(python.run_blocking("x = 1").unwrap().exit_code, 0);
    let bytes = sandbox.read_file("/var/lib/codepod/python/main").unwrap();
    sandbox.write_file(FILE, &bytes).unwrap();
    fails(&session, "x.length", 126, "start a new one");
    // Whatever the bytes are, they stay inside.
    for seed in 1..4 {
        let mut noise = good.clone();
        for (at, byte) in noise.iter_mut().enumerate().skip(header + 4096 * 2) {
            *byte ^= ((at * seed * 31) >> 3) as u8;
        }
        sandbox.write_file(FILE, &noise).unwrap();
        run(&session.clone().timeout(Duration::from_secs(5)), "x.length");
    }
    sandbox.write_file(FILE, &good).unwrap();
    says(&session, "x.length", "3000000\n");
    session.reset().unwrap();
    says(&session, "1", "1\n");
}
