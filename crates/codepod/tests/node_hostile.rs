//! Hostile programs for node: what they try ends as an error of theirs, and the sandbox lives on.

mod support;

use std::time::Duration;

use codepod::{Options, Sandbox};

use support::node;

/// Each program prints `want`, in one sandbox that answers afterwards.
fn all_print(want: &str, programs: &[&str]) {
    let sandbox = Sandbox::create(Options::default()).unwrap();
    for program in programs {
        let (status, output, errors) = node(&sandbox, program);
        assert_eq!((status, output.trim()), (0, want), "{program}\n{errors}");
    }
    assert_eq!(node(&sandbox, "console.log(6 * 7)").1, "42\n");
}

/// What is tried is a `RangeError`, or a `SyntaxError` where a regular expression is too deep.
fn all_are_too_deep(programs: &[&str]) {
    let sandbox = Sandbox::create(Options::default()).unwrap();
    for program in programs {
        let program = format!(
            "const N = 200000; let deep; try {{ {program}; console.log('no error') }}
             catch (e) {{ console.log(e instanceof RangeError || /too large|Too many captures/.test(e.message) ? 'too deep' : e) }}"
        );
        let (status, output, errors) = node(&sandbox, &program);
        assert_eq!(
            (status, output.trim()),
            (0, "too deep"),
            "{program}\n{errors}"
        );
    }
    assert_eq!(node(&sandbox, "console.log(6 * 7)").1, "42\n");
}

#[test]
fn js_01_deep_json_is_a_range_error() {
    all_are_too_deep(&[
        "JSON.parse('['.repeat(N) + ']'.repeat(N))",
        "JSON.parse('{\"a\":'.repeat(N) + '1' + '}'.repeat(N))",
        "for (let i = 0; i < N; i++) deep = [deep]; JSON.stringify(deep)",
        "for (let i = 0; i < N; i++) deep = { deep }; JSON.stringify(deep)",
    ]);
}

#[test]
fn js_02_deep_sources_are_a_range_error() {
    all_are_too_deep(&[
        "eval('('.repeat(N) + '1' + ')'.repeat(N))",
        "eval('['.repeat(N) + ']'.repeat(N))",
        "eval('({a:'.repeat(N) + '1' + '})'.repeat(N))",
        "eval('!'.repeat(N) + '1')",
        "eval('{'.repeat(N) + '}'.repeat(N))",
        "eval('if (1) '.repeat(N) + ';')",
        "eval('a => '.repeat(N) + '1')",
        "eval('`${'.repeat(N) + '1' + '}`'.repeat(N))",
        "eval('1 ? 1 : '.repeat(N) + '1')",
        "eval('2 ** '.repeat(N) + '1')",
        "eval('new '.repeat(N) + 'x')",
        "eval('x = '.repeat(N) + '1')",
    ]);
}

#[test]
fn js_03_deep_regular_expressions_are_refused() {
    all_are_too_deep(&[
        "new RegExp('('.repeat(N) + ')'.repeat(N))",
        "new RegExp('(?:'.repeat(N) + ')'.repeat(N))",
        "new RegExp('['.repeat(N) + ']'.repeat(N), 'v')",
    ]);
}

#[test]
fn js_04_deep_chains_of_objects_are_a_range_error() {
    all_are_too_deep(&[
        "deep = {}; for (let i = 0; i < N; i++) deep = new Proxy(deep, {}); deep.x",
        "deep = {}; for (let i = 0; i < N; i++) deep = new Proxy(deep, {}); 'x' in deep",
        "deep = {}; for (let i = 0; i < N; i++) deep = new Proxy(deep, {}); Object.keys(deep)",
        "deep = {}; for (let i = 0; i < N; i++) deep = new Proxy(deep, {}); Object.getPrototypeOf(deep)",
        "deep = () => 1; for (let i = 0; i < N; i++) deep = new Proxy(deep, {}); deep()",
        "for (let i = 0; i < N; i++) deep = [deep]; String(deep)",
        "for (let i = 0; i < N; i++) deep = [deep]; deep.flat(Infinity)",
        "for (let i = 0; i < N; i++) deep = [deep]; structuredClone(deep)",
        "deep = [1].values(); for (let i = 0; i < N; i++) deep = deep.map((x) => x); deep.next()",
        "deep = { toString() { return `${this}` } }; `${deep}`",
        "deep = { get x() { return this.x } }; deep.x",
    ]);
}

#[test]
fn js_05_what_is_deep_without_recursion_works() {
    all_print(
        "fine",
        &[
            "let s = ''; for (let i = 0; i < 2e4; i++) s = i % 2 ? s + 'ab' : 'cd' + s; console.log(s.length === 4e4 ? 'fine' : s.length)",
            "let o = {}; for (let i = 0; i < 1e5; i++) o = Object.create(o); console.log(o.nothing === undefined ? 'fine' : '')",
            "let o; for (let i = 0; i < 1e6; i++) o = [o]; o = null; console.log('fine')",
            "let p = Promise.resolve(); for (let i = 0; i < 1e5; i++) p = p.then(() => {}); p.then(() => console.log('fine'))",
        ],
    );
}

#[test]
fn js_06_prototypes_that_a_program_changes_do_not_reach_the_wall() {
    all_print(
        "fine",
        &[
            "Object.prototype.get = Array.prototype.push = () => { throw 1 }; Object.defineProperty(Object.prototype, '0', { set() { throw 2 } });
             require('fs').writeSync(1, 'fine')",
            "Promise.prototype.then = undefined; require('fs').writeSync(1, 'fine')",
            "Object.prototype.mode = 'x'; Object.prototype.encoding = 'nope'; try { require('fs').writeFileSync('/tmp/x', '1') } catch {}
             require('fs').writeSync(1, 'fine')",
        ],
    );
    // Our own JavaScript uses it, so this process fails, and no other.
    let sandbox = Sandbox::create(Options::default()).unwrap();
    let program =
        "Array.prototype[Symbol.iterator] = undefined; require('fs').writeSync(1, 'fine')";
    assert_eq!(node(&sandbox, program).1, "fine");
    assert_eq!(node(&sandbox, "console.log(6 * 7)").1, "42\n");
}

#[test]
fn js_07_bindings_and_native_addons_are_refused() {
    all_print(
        "fine",
        &[
            "try { process.binding('spawn_sync').spawn({}) } catch (e) { console.log('fine') }",
            "require('fs').writeFileSync('/tmp/a.node', 'x'); try { require('/tmp/a.node') } catch (e) { console.log('fine') }",
            "try { process.dlopen({ exports: {} }, '/tmp/a.node') } catch (e) { console.log('fine') }",
        ],
    );
}

#[test]
fn js_08_buffers_that_change_under_a_call_are_checked() {
    all_print(
        "fine",
        &[
            "const b = new ArrayBuffer(64), u = new Uint8Array(b); structuredClone(b, { transfer: [b] });
             try { require('fs').writeSync(1, u, 0, 64) } catch {} console.log('fine')",
            "const b = new ArrayBuffer(64, { maxByteLength: 128 }), u = new Uint8Array(b, 32); b.resize(8);
             try { Buffer.from(u).toString('hex'); require('fs').writeSync(1, u) } catch {} console.log('fine')",
            "const b = Buffer.alloc(16); for (const n of [-1, 17, 2 ** 31, 2 ** 53, NaN]) { try { b.toString('hex', 0, n); b.copy(b, n); b.fill('ab', n) } catch {} }
             console.log('fine')",
            "const u = new Uint8Array(16); try { require('fs').readSync(0, u, { offset: { valueOf() { structuredClone(u.buffer, { transfer: [u.buffer] }); return 0 } } }) } catch {}
             console.log('fine')",
            "const u = new Uint8Array(64), view = new DataView(new ArrayBuffer(64));
             Object.defineProperty(view, 'buffer', { get() { structuredClone(u.buffer, { transfer: [u.buffer] }); return new ArrayBuffer(64) } });
             try { require('crypto').timingSafeEqual(u, view) } catch {} console.log(u.length === 64 ? 'fine' : 'detached')",
            "const { _handle } = require('zlib').createDeflate(), out = Buffer.alloc(10); let ran = false;
             const offset = { valueOf() { ran = true; return 0 } };
             for (const n of [2 ** 62, 2 ** 63, -1, 11, offset]) { try { _handle.writeSync(0, Buffer.alloc(10), n, 2 ** 62, out, n, 2 ** 62) } catch {} }
             console.log(ran ? 'ran' : 'fine')",
            "for (const n of [2 ** 31, 2 ** 40, -1]) { try { new Uint8Array(n); console.log('made') } catch (e) { if (!(e instanceof RangeError)) console.log(e) } } console.log('fine')",
        ],
    );
}

#[test]
fn js_09_bytecode_is_not_read() {
    all_print(
        "fine",
        &[
            "const vm = require('vm'); const s = new vm.Script('1', { cachedData: Buffer.from([23, 1, 2, 3, 255, 255]) });
             console.log(s.cachedDataRejected ? 'fine' : 'taken')",
        ],
    );
}

#[test]
fn js_10_floods_and_waits_end_at_their_deadline() {
    let sandbox = Sandbox::create(Options::default()).unwrap();
    for program in [
        "(function next() { process.nextTick(next) })()",
        "(function next() { queueMicrotask(next) })()",
        "/^(\\w+\\s?)*$/.test('a'.repeat(50) + '!')",
        "require('vm').runInNewContext('for (;;);', {})",
    ] {
        let command = sandbox.command(["node", "-e", program]);
        let result = command
            .timeout(Duration::from_millis(500))
            .run_blocking()
            .unwrap();
        assert_eq!(result.exit_code, 124, "{program}");
    }
    assert_eq!(node(&sandbox, "console.log(6 * 7)").1, "42\n");
}

#[test]
fn js_11_a_context_of_vm_ends_at_its_timeout_and_keeps_its_globals() {
    all_print(
        "fine",
        &[
            "try { require('vm').runInNewContext('for (;;);', {}, { timeout: 20 }) } catch (e) { console.log(e.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? 'fine' : e) }",
            "try { require('vm').runInNewContext('for (;;) try { for (;;); } catch {} finally { continue }', {}, { timeout: 20 }) } catch (e) { console.log('fine') }",
            "require('vm').runInNewContext('Array.prototype.map = null; var x = 1'); console.log([1].map((it) => 'fine')[0])",
        ],
    );
}

#[test]
fn js_15_processes_of_one_image_differ_where_they_must() {
    let sandbox = Sandbox::create(Options::default()).unwrap();
    let program = "console.log(Math.random(), crypto?.randomUUID?.() ?? process.hrtime.bigint())";
    assert_ne!(node(&sandbox, program).1, node(&sandbox, program).1);
}

/// Runs a script in `app`, which is an empty package at first.
fn in_an_app(sandbox: &Sandbox, script: &str) -> String {
    let script = format!("mkdir -p ~/app && cd ~/app && npm init -y > /dev/null\n{script}");
    let result = sandbox.run_blocking(&script).unwrap();
    assert_eq!(result.exit_code, 0, "{result:?}");
    result.stdout_text().into_owned()
}

#[test]
fn js_13_scripts_of_a_package_run_only_if_they_are_asked_for() {
    let sandbox = Sandbox::create(Options::default()).unwrap();
    let making = r#"mkdir package && cd package
        echo '{"name": "harm", "version": "1.0.0", "scripts": {"preinstall": "echo >> /tmp/ran", "postinstall": "echo >> /tmp/ran"}}' > package.json
        echo 'module.exports = "installed"' > index.js && cd .. && tar czf harm.tgz package && rm -r package"#;
    assert_eq!(sandbox.run_blocking(making).unwrap().exit_code, 0);
    let installing = "npm install --no-audit --no-fund --loglevel=error ../harm.tgz > /dev/null
        node -p 'require(\"harm\") + require(\"fs\").existsSync(\"/tmp/ran\")'";
    assert_eq!(in_an_app(&sandbox, installing), "installedfalse\n");
    // Asked for, they run where everything else runs.
    let asking = "rm -r node_modules; npm install --no-audit --no-fund --loglevel=error --ignore-scripts=false > /dev/null
        wc -l < /tmp/ran";
    assert_eq!(in_an_app(&sandbox, asking), "2\n");
}

#[test]
fn js_14_an_archive_of_a_package_writes_beneath_its_own_directory() {
    let sandbox = Sandbox::create(Options::default()).unwrap();
    let making = r#"
import io, tarfile
archive = tarfile.open("climb.tgz", "w:gz")
def add(name, content=b"", **fields):
    member = tarfile.TarInfo(name)
    member.size = len(content)
    for field, value in fields.items():
        setattr(member, field, value)
    archive.addfile(member, io.BytesIO(content))
add("package/package.json", b'{"name": "climb", "version": "1.0.0"}')
add("package/index.js", b'module.exports = "installed"')
add("package/../../../above", b"x")
add("../../above", b"x")
add("/tmp/absolute", b"x")
add("package/link", type=tarfile.SYMTYPE, linkname="/tmp")
add("package/link/through", b"x")
add("package/hard", type=tarfile.LNKTYPE, linkname="/etc/passwd")
archive.close()
"#;
    sandbox.write_file("/home/user/making.py", making).unwrap();
    assert_eq!(
        sandbox.run_blocking("python3 making.py").unwrap().exit_code,
        0
    );
    let installing = "npm install --no-audit --no-fund --loglevel=error ../climb.tgz > /dev/null 2>&1
        node -p 'require(\"climb\")'
        find / -name above -o -name absolute -o -name through -o -name hard | grep -v ^/proc | grep -v ^/home/user/app/node_modules/climb/ || true";
    assert_eq!(in_an_app(&sandbox, installing), "installed\n");
}
