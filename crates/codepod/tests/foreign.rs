//! Modules from outside: programs that know nothing of codepod, and bytes that want to hurt the
//! compiler.

mod support;
#[path = "support/wasm.rs"]
mod wasm;

use std::time::Duration;

use codepod::Sandbox;
use support::machine::Stopwatch;
use support::{Oracle, Peak, alone, assert_idle, assert_works, expect, run, sandbox_with, within};
use wasm::{EXIT, Made, install, memory, repeat, table};
use wasm_encoder::{BlockType, Instruction, MemArg, ValType};

/// The most memory that compiling a module within the limits takes, in MB.
const COMPILER_MB: usize = 512;

/// A sandbox that may run modules from its files.
fn open_sandbox() -> Sandbox {
    sandbox_with(|options| options.allow_foreign_modules = true)
}

/// A module of the test programs.
fn built(name: &str) -> Vec<u8> {
    let path = format!(
        "{}/../../guests/dist/{name}.wasm",
        env!("CARGO_MANIFEST_DIR")
    );
    std::fs::read(path).unwrap()
}

/// Runs bytes as a program; they must be refused with 126 and this text, in less than a second.
#[track_caller]
fn refused(sandbox: &Sandbox, what: &str, bytes: &[u8], text: &str) {
    install(sandbox, "program", bytes);
    let watch = Stopwatch::start();
    let result = run(sandbox, ["./program"]);
    let took = watch.took();
    assert_eq!(result.exit_code, 126, "{what}: {result:?}");
    assert!(
        result.stderr_text().contains(text),
        "{what}: {}",
        result.stderr_text()
    );
    assert!(took.own() < Duration::from_secs(1), "{what}: {took:?}");
    assert_idle(sandbox);
}

#[test]
fn a_program_compiled_without_our_bindings_runs_from_a_path() {
    let _alone = alone();
    let directory = tempdir();
    let wasm = directory.join("foreign.wasm");
    let compiler = std::env::var_os("RUSTC").unwrap_or("rustc".into());
    let compiled = std::process::Command::new(compiler)
        .args(["--edition", "2024", "--target", "wasm32-wasip1", "-O", "-o"])
        .arg(&wasm)
        .arg(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/fixtures/foreign.rs"
        ))
        .output()
        .unwrap();
    assert!(
        compiled.status.success(),
        "the target is brought by `cargo xtask setup`: {}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    let bytes = std::fs::read(&wasm).unwrap();
    std::fs::remove_dir_all(&directory).unwrap();
    let sandbox = open_sandbox();
    install(&sandbox, "program", &bytes);
    for _ in 0..2 {
        let result = sandbox
            .command(["/home/user/program", "one", "two", "one"])
            .env("NAME", "a foreigner")
            .stdin("some text")
            .run_blocking()
            .unwrap();
        assert_eq!(
            (
                result.exit_code,
                &*result.stdout_text(),
                &*result.stderr_text()
            ),
            (
                4,
                "4 words, 3 different, for a foreigner\n9 bytes in file inner\nslept: true\n",
                "some text\n"
            )
        );
    }
    assert_eq!(sandbox.read_file("made/file").unwrap(), b"some text");
    // It is a program like any other: in a pipeline, and as a child of another.
    let piped = sandbox
        .command(["./program"])
        .pipe(sandbox.command(["copy_input"]))
        .run_blocking()
        .unwrap();
    assert!(piped.stdout_text().starts_with("1 words"), "{piped:?}");
    let child = run(&sandbox, ["spawn_one", "/home/user/program"]);
    assert!(
        child.stdout_text().ends_with("child Exited(1)\n"),
        "{child:?}"
    );
    assert_works(&sandbox);
}

fn tempdir() -> std::path::PathBuf {
    let path = std::env::temp_dir().join(format!("codepod-foreign-{}", std::process::id()));
    std::fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn a_module_that_needs_only_wasi_runs_from_a_path() {
    let _alone = alone();
    let sandbox = open_sandbox();
    install(&sandbox, "program", &built("hello"));
    expect(&sandbox, ["./program"], 0, "hello, world\n");
    install(&sandbox, "program", &Made::default().bytes());
    expect(&sandbox, ["./program"], 0, "");
    let body = vec![Instruction::I32Const(42), EXIT];
    let made = Made {
        body,
        ..Made::default()
    };
    install(&sandbox, "program", &made.bytes());
    expect(&sandbox, ["./program"], 42, "");
    assert_works(&sandbox);
}

#[test]
fn modules_in_files_do_not_run_unless_they_are_allowed() {
    let _alone = alone();
    let sandbox = sandbox_with(|_| {});
    install(&sandbox, "program", &built("hello"));
    let result = run(&sandbox, ["./program"]);
    assert_eq!(
        (result.exit_code, &*result.stderr_text()),
        (126, "codepod: ./program: Operation not permitted\n")
    );
    assert_works(&sandbox);
}

#[test]
fn a_module_in_a_file_is_granted_wasi_and_nothing_else() {
    let _alone = alone();
    let sandbox = open_sandbox();
    refused(
        &sandbox,
        "codepod's calls",
        &built("spawn_one"),
        "codepod::",
    );
    install(&sandbox, "program", &built("spawn_one"));
    // The same module by its name has its grants.
    expect(&sandbox, ["spawn_one"], 0, "child Exited(0)\n");
    assert_works(&sandbox);
}

#[test]
fn what_is_no_module_is_refused() {
    let _alone = alone();
    let sandbox = open_sandbox();
    let hello = built("hello");
    refused(&sandbox, "only the magic", b"\0asm", "");
    refused(
        &sandbox,
        "a component",
        b"\0asm\x0d\0\x01\0",
        "it is a component",
    );
    refused(&sandbox, "an empty module", b"\0asm\x01\0\0\0", "_start");
    refused(
        &sandbox,
        "half a module",
        &hello[..hello.len() / 2],
        "codepod: ",
    );
    refused(&sandbox, "garbage", b"garbage", "Exec format error");
    refused(&sandbox, "nothing", b"", "Exec format error");
    let mut garbage = b"\0asm\x01\0\0\0".to_vec();
    let mut state = 1u64;
    for round in 0..200 {
        garbage.truncate(8);
        for _ in 0..round * 10 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            garbage.push((state >> 33) as u8);
        }
        refused(&sandbox, "garbage after the magic", &garbage, "codepod: ");
    }
    // A real module with a byte changed: refused or a program; never a fault of the host.
    let panics = support::panics();
    for at in (0..hello.len()).step_by(hello.len() / 60) {
        let mut changed = hello.clone();
        changed[at] ^= 0x55;
        install(&sandbox, "program", &changed);
        let result = sandbox
            .command(["./program"])
            .timeout(Duration::from_millis(500))
            .run_blocking()
            .unwrap();
        assert!(result.exit_code <= 255);
    }
    assert_eq!(support::panics(), panics);
    assert_works(&sandbox);
}

#[test]
fn wm_14_modules_that_are_costly_to_compile_are_refused_at_once() {
    let _alone = alone();
    let oracle = Oracle::begin();
    let sandbox = open_sandbox();
    let made = |change: &dyn Fn(&mut Made)| {
        let mut made = Made::default();
        change(&mut made);
        made.bytes()
    };
    let cases: [(&str, Vec<u8>, &str); 6] = [
        (
            "100,000 locals",
            made(&|made| made.locals = vec![(100_000, ValType::I32)]),
            "locals in one function",
        ),
        (
            "4 billion locals in two groups",
            made(&|made| made.locals = vec![(1, ValType::I32), (u32::MAX - 2, ValType::I64)]),
            "locals in one function",
        ),
        (
            "a function of 2 MiB",
            made(&|made| {
                made.body = repeat(&[Instruction::I32Const(0), Instruction::Drop], 700_000);
            }),
            "bytes in one function",
        ),
        (
            "100,001 functions",
            made(&|made| made.more = 100_001),
            "functions",
        ),
        (
            "10,001 globals",
            made(&|made| made.globals = 10_001),
            "globals",
        ),
        (
            "a module of 40 MB",
            {
                let mut bytes = Made::default().bytes();
                // A custom section that nobody reads: id 0, its size in LEB128, its name.
                bytes.extend([0, 0x80, 0x80, 0x80, 0x14, 1, b'x']);
                bytes.resize(bytes.len() + (40 << 20) - 2, 0);
                bytes
            },
            "Exec format error",
        ),
    ];
    for (what, bytes, text) in &cases {
        refused(&sandbox, what, bytes, text);
    }
    drop(cases);
    assert_works(&sandbox);
    drop(sandbox);
    oracle.end();
}

/// `open` so many times, and `close` as often.
fn nest(
    depth: usize,
    open: &[Instruction<'static>],
    close: &[Instruction<'static>],
) -> Vec<Instruction<'static>> {
    let mut body = repeat(open, depth);
    body.extend(repeat(close, depth));
    body
}

#[test]
fn wm_14_deep_nesting_is_refused_and_what_is_not_compiles_in_time() {
    let _alone = alone();
    let oracle = Oracle::begin();
    let sandbox = open_sandbox();
    let made = |body: Vec<Instruction<'static>>| {
        Made {
            body,
            ..Made::default()
        }
        .bytes()
    };
    let (open, close) = (BlockType::Empty, [Instruction::End]);
    let kinds = [
        vec![Instruction::Block(open)],
        vec![Instruction::Loop(open)],
        vec![Instruction::I32Const(1), Instruction::If(open)],
    ];
    for kind in &kinds {
        let bomb = made(nest(150_000, kind, &close));
        refused(
            &sandbox,
            "150,000 blocks",
            &bomb,
            "blocks within each other",
        );
        // As deep as it may be.
        install(&sandbox, "program", &made(nest(1000, kind, &close)));
        expect(&sandbox, ["./program"], 0, "");
    }
    // A sum of very many terms is as deep without any block.
    let mut sum = vec![Instruction::I32Const(0)];
    sum.extend(nest(
        30_000,
        &[Instruction::I32Const(1)],
        &[Instruction::I32Add],
    ));
    sum.push(Instruction::Drop);
    install(&sandbox, "program", &made(sum));
    expect(&sandbox, ["./program"], 0, "");
    assert_works(&sandbox);
    drop(sandbox);
    oracle.end_without_memory();
}

#[test]
fn wm_14_compiling_stands_under_the_deadline_and_happens_one_at_a_time() {
    let _alone = alone();
    let oracle = Oracle::begin();
    let sandbox = open_sandbox();
    // Within every limit, and seconds of work all the same.
    let costly = |seed: i32| {
        let mut made = Made {
            locals: vec![(1000, ValType::I32)],
            ..Made::default()
        };
        let mut state = seed;
        for _ in 0..60_000 {
            state = state.wrapping_mul(1_103_515_245).wrapping_add(12345);
            let local = |shift: i32| (state >> shift).unsigned_abs() % 1000;
            made.body.extend([
                Instruction::LocalGet(local(3)),
                Instruction::LocalGet(local(9)),
                Instruction::I32Mul,
                Instruction::LocalSet(local(15)),
            ]);
        }
        made.bytes()
    };
    let peak = Peak::watch();
    for seed in 0..4 {
        install(&sandbox, "program", &costly(seed));
        let deadline = Duration::from_millis(100);
        let watch = Stopwatch::start();
        let result = sandbox
            .command(["./program"])
            .timeout(deadline)
            .run_blocking()
            .unwrap();
        let over = watch.took().beyond(deadline);
        assert!([0, 124].contains(&result.exit_code), "{result:?}");
        assert!(over.own() < Duration::from_millis(250), "{over:?} over");
        assert!(compilers() <= 1, "{} compilers at once", compilers());
        assert_idle(&sandbox);
    }
    // The last one goes on although nobody waits for it; then another program has its turn.
    let watch = Stopwatch::start();
    assert!(within(Duration::from_secs(60), || compilers() == 0));
    let took = watch.took();
    assert!(took.own() < Duration::from_secs(15), "{took:?}");
    let growth = peak.growth() >> 20;
    assert!(growth < COMPILER_MB, "the compiler took {growth} MB");
    install(&sandbox, "program", &built("hello"));
    expect(&sandbox, ["./program"], 0, "hello, world\n");
    assert_works(&sandbox);
    drop(sandbox);
    oracle.end_without_memory();
}

/// Threads of this host process that compile.
fn compilers() -> usize {
    std::fs::read_dir("/proc/self/task")
        .unwrap()
        .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok())
        .filter(|name| name.starts_with("codepod-compile"))
        .count()
}

#[test]
fn wm_03_a_huge_table_is_refused_when_it_is_declared_and_when_it_grows() {
    let _alone = alone();
    let oracle = Oracle::begin();
    let sandbox = open_sandbox();
    for elements in [32_001, 1_000_000, 10_000_000] {
        let made = Made {
            table: Some(table(elements)),
            ..Made::default()
        };
        refused(&sandbox, "a huge table", &made.bytes(), "codepod: ");
    }
    // Growing: in steps of 1,000 until it is refused, then everything at once; the exit status is
    // the number of thousands.
    let grow = |by: i32| {
        [
            Instruction::RefNull(wasm_encoder::HeapType::FUNC),
            Instruction::I32Const(by),
            Instruction::TableGrow(0),
        ]
    };
    let mut body = vec![
        Instruction::Block(BlockType::Empty),
        Instruction::Loop(BlockType::Empty),
    ];
    body.extend(grow(1000));
    body.extend([
        Instruction::I32Const(-1),
        Instruction::I32Eq,
        Instruction::BrIf(1),
        Instruction::Br(0),
        Instruction::End,
        Instruction::End,
    ]);
    body.extend(grow(-1));
    body.extend([
        // What was refused must be refused: -1, to which 1 is added, and the thousands.
        Instruction::I32Const(1),
        Instruction::I32Add,
        Instruction::TableSize(0),
        Instruction::I32Const(1000),
        Instruction::I32DivU,
        Instruction::I32Add,
        EXIT,
    ]);
    let made = Made {
        table: Some(table(0)),
        body,
        ..Made::default()
    };
    install(&sandbox, "program", &made.bytes());
    expect(&sandbox, ["./program"], 32, "");
    assert_works(&sandbox);
    drop(sandbox);
    oracle.end();
}

#[test]
fn wm_02_a_module_that_declares_more_memory_than_allowed_does_not_start() {
    let _alone = alone();
    let oracle = Oracle::begin();
    let sandbox = open_sandbox();
    // 256 MiB are allowed: 4,096 pages.
    for pages in [4097, 32_768, 65_535, 65_536] {
        let made = Made {
            memory: memory(pages),
            ..Made::default()
        };
        refused(&sandbox, "too much memory", &made.bytes(), "codepod: ");
    }
    let made = Made {
        memory: memory(4096),
        ..Made::default()
    };
    install(&sandbox, "program", &made.bytes());
    expect(&sandbox, ["./program"], 0, "");
    assert_works(&sandbox);
    drop(sandbox);
    oracle.end();
}

// WM-16, the part that is here: no shared memory, no atomics, so no thread and no clock made of
// one.
#[test]
fn wm_16_shared_memory_and_atomics_are_refused() {
    let _alone = alone();
    let sandbox = open_sandbox();
    let mut shared = memory(1);
    (shared.shared, shared.maximum) = (true, Some(1));
    let made = Made {
        memory: shared,
        ..Made::default()
    };
    refused(&sandbox, "shared memory", &made.bytes(), "codepod: ");
    let word = MemArg {
        offset: 0,
        align: 2,
        memory_index: 0,
    };
    let made = Made {
        body: vec![
            Instruction::I32Const(0),
            Instruction::I32AtomicLoad(word),
            Instruction::Drop,
        ],
        ..Made::default()
    };
    refused(&sandbox, "an atomic load", &made.bytes(), "codepod: ");
    let mut wide = memory(1);
    wide.memory64 = true;
    let made = Made {
        memory: wide,
        ..Made::default()
    };
    refused(&sandbox, "64-bit memory", &made.bytes(), "codepod: ");
    assert_works(&sandbox);
}

#[test]
fn wm_01_a_start_function_that_does_not_end_stands_under_the_deadline() {
    let _alone = alone();
    let sandbox = open_sandbox();
    let made = Made {
        body: vec![
            Instruction::Loop(BlockType::Empty),
            Instruction::Br(0),
            Instruction::End,
        ],
        starts: true,
        ..Made::default()
    };
    install(&sandbox, "program", &made.bytes());
    let deadline = Duration::from_millis(100);
    let watch = Stopwatch::start();
    let result = sandbox
        .command(["./program"])
        .timeout(deadline)
        .run_blocking()
        .unwrap();
    assert_eq!(result.exit_code, 124, "{result:?}");
    let over = watch.took().beyond(deadline);
    assert!(over.own() < Duration::from_millis(250), "{over:?} over");
    // A call from there finds no memory yet; it ends the program and nothing else.
    let made = Made {
        body: vec![Instruction::I32Const(3), EXIT],
        starts: true,
        ..Made::default()
    };
    install(&sandbox, "program", &made.bytes());
    assert_ne!(run(&sandbox, ["./program"]).exit_code, 0);
    assert_works(&sandbox);
}

// WM-12 for what only such modules have: a table and globals. (Memory is in `threats.rs`.)
/// Writes numbers to memory, one after the other.
fn write(at: i32, numbers: &[i32]) -> Vec<Instruction<'static>> {
    let mut body = Vec::new();
    for (index, number) in (0..).zip(numbers) {
        body.push(Instruction::I32Const(at + index * 4));
        body.push(Instruction::I32Const(*number));
        body.push(Instruction::I32Store(WORD));
    }
    body
}

const WORD: MemArg = MemArg {
    offset: 0,
    align: 2,
    memory_index: 0,
};

/// A program that says with `numbers` which word is to be set, counts down from `times`, and ends
/// with what the word at 132 is then; at once when it is not 0.
fn watcher(interrupt: i32, numbers: [i32; 4], pointer: i32, times: i64) -> Vec<u8> {
    let mut body = write(16, &numbers);
    body.extend(write(64, &[pointer]));
    body.extend([
        Instruction::I64Const(times),
        Instruction::LocalSet(0),
        Instruction::Loop(BlockType::Empty),
        Instruction::LocalGet(0),
        Instruction::I64Const(1),
        Instruction::I64Sub,
        Instruction::LocalTee(0),
        Instruction::I64Const(0),
        Instruction::I64GtS,
        Instruction::I32Const(132),
        Instruction::I32Load(WORD),
        Instruction::I32Eqz,
        Instruction::I32And,
        Instruction::BrIf(0),
        Instruction::End,
        Instruction::I32Const(132),
        Instruction::I32Load(WORD),
        EXIT,
    ]);
    let made = Made {
        locals: vec![(1, ValType::I64)],
        body,
        interrupt: Some(interrupt),
        ..Made::default()
    };
    made.bytes()
}

#[test]
fn a_loop_without_calls_sees_ticks_in_its_interrupt_word() {
    let _alone = alone();
    let sandbox = open_sandbox();
    let program = watcher(16, [64, 4, 0, 5], 128, i64::MAX);
    install(&sandbox, "program", &program);
    let command = sandbox.command(["./program"]);
    let result = command.timeout(Duration::from_secs(20)).run_blocking();
    assert_eq!(result.unwrap().exit_code, 5);
    assert_idle(&sandbox);
}

#[test]
fn wm_09_an_interrupt_word_outside_of_memory_is_left_alone() {
    let _alone = alone();
    let sandbox = open_sandbox();
    for (interrupt, pointer, offset, structure) in [
        (-4, 64, 4, 128),
        (65532, 64, 4, 128),
        (17, 64, 4, 128),
        (16, -1, 4, 128),
        (16, 65536, 4, 128),
        (16, 64, -128, 128),
        (16, 64, 65408, 128),
        (16, 64, 4, -4),
        (16, 64, 4, 0),
    ] {
        // Long enough for some ticks.
        let program = watcher(interrupt, [pointer, offset, 0, 5], structure, 50_000_000);
        install(&sandbox, "program", &program);
        assert_eq!(run(&sandbox, ["./program"]).exit_code, 0);
        assert_works(&sandbox);
    }
}

#[test]
fn wm_12_tables_and_globals_are_new_in_every_process() {
    let _alone = alone();
    let sandbox = open_sandbox();
    let elements = 10_000;
    let mut body = vec![
        // Any global that is not 0, or any element that is not null, is from an earlier process.
        Instruction::Loop(BlockType::Empty),
        Instruction::LocalGet(0),
        Instruction::TableGet(0),
        Instruction::RefIsNull,
        Instruction::I32Eqz,
        Instruction::If(BlockType::Empty),
        Instruction::I32Const(1),
        EXIT,
        Instruction::End,
        Instruction::LocalGet(0),
        Instruction::I32Const(1),
        Instruction::I32Add,
        Instruction::LocalTee(0),
        Instruction::I32Const(elements),
        Instruction::I32LtU,
        Instruction::BrIf(0),
        Instruction::End,
    ];
    for global in 0..200 {
        body.extend([
            Instruction::GlobalGet(global),
            Instruction::I64Eqz,
            Instruction::I32Eqz,
            Instruction::If(BlockType::Empty),
            Instruction::I32Const(2),
            EXIT,
            Instruction::End,
            Instruction::I64Const(-1),
            Instruction::GlobalSet(global),
        ]);
    }
    body.extend([
        Instruction::I32Const(0),
        Instruction::RefFunc(3),
        Instruction::I32Const(elements),
        Instruction::TableFill(0),
    ]);
    let made = Made {
        table: Some(table(elements as u64)),
        globals: 200,
        locals: vec![(1, ValType::I32)],
        body,
        ..Made::default()
    };
    install(&sandbox, "program", &made.bytes());
    for _ in 0..2000 {
        expect(&sandbox, ["./program"], 0, "");
    }
    assert_works(&sandbox);
}

/// Goes from one address to another in steps; `at` finds the address in the local variable 0.
fn walk(from: i32, to: i32, step: i32, at: &[Instruction<'static>]) -> Vec<Instruction<'static>> {
    let mut all = vec![
        Instruction::I32Const(from),
        Instruction::LocalSet(0),
        Instruction::Loop(BlockType::Empty),
    ];
    all.extend_from_slice(at);
    all.extend([
        Instruction::LocalGet(0),
        Instruction::I32Const(step),
        Instruction::I32Add,
        Instruction::LocalTee(0),
        Instruction::I32Const(to),
        Instruction::I32LtU,
        Instruction::BrIf(0),
        Instruction::End,
    ]);
    all
}

// WM-12 for pages that lie apart: the engine writes to the pages between, too, and keeps them all.
#[test]
fn wm_12_pages_that_lie_apart_are_new_in_every_process() {
    let _alone = alone();
    let sandbox = open_sandbox();
    let at = MemArg {
        offset: 0,
        align: 2,
        memory_index: 0,
    };
    let exit_unless_zero = [
        Instruction::LocalGet(0),
        Instruction::I32Load(at),
        Instruction::If(BlockType::Empty),
        Instruction::I32Const(1),
        EXIT,
        Instruction::End,
    ];
    let write = [
        Instruction::LocalGet(0),
        Instruction::I32Const(-1),
        Instruction::I32Store(at),
    ];
    const MB: i32 = 1 << 20;
    for (first, more) in [(10, 4), (3, 1)] {
        let mut body = walk(0, first * MB, 4096, &exit_unless_zero);
        body.extend([
            Instruction::I32Const(more * 16),
            Instruction::MemoryGrow(0),
            Instruction::Drop,
        ]);
        body.extend(walk(
            first * MB,
            (first + more) * MB,
            4096,
            &exit_unless_zero,
        ));
        body.extend(walk(0, 3 * MB, 5 * 4096, &write));
        body.extend(walk(first * MB, (first + more) * MB, 3 * 4096, &write));
        let made = Made {
            memory: memory(16 * first as u64),
            locals: vec![(1, ValType::I32)],
            body,
            ..Made::default()
        };
        install(&sandbox, "program", &made.bytes());
        for _ in 0..300 {
            expect(&sandbox, ["./program"], 0, "");
        }
    }
    assert_works(&sandbox);
}
