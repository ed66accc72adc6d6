//! What sandboxes may have together: whoever takes all of it is refused more, others do not notice,
//! and everything is given back.

mod support;
#[path = "support/wasm.rs"]
mod wasm;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use codepod::{
    Budget, BudgetLimits, BudgetUse, ErrorKind, Options, Runtime, RuntimeOptions, Sandbox,
};
use support::{alone, assert_works, run, sandbox, test_options, within};
use wasm::{Made, READ, install};
use wasm_encoder::{BlockType, Instruction, MemArg};

const MB: u64 = 1 << 20;

fn budget(processes: u64, memory: u64) -> Budget {
    let runtime = Runtime::global().unwrap();
    runtime.budget().part(BudgetLimits::new(processes, memory))
}

fn options(budget: &Budget) -> Options {
    let mut options = test_options();
    options.budget = Some(budget.clone());
    options
}

fn sandbox_in(budget: &Budget) -> Sandbox {
    Sandbox::create(options(budget)).unwrap()
}

/// Processes that were killed end a little later.
#[track_caller]
fn assert_given_back(budget: &Budget) {
    let back = within(Duration::from_secs(5), || {
        budget.used() == BudgetUse::default()
    });
    assert!(back, "{:?}", budget.used());
}

// FL-01, WM-08
#[test]
fn fl_01_sandboxes_of_one_budget_share_its_processes() {
    let _alone = alone();
    let other = sandbox();
    let budget = budget(20, 2048 * MB);
    let (one, two) = (sandbox_in(&budget), sandbox_in(&budget));
    let bomb = "for i in {1..30}; do sleep 1000 & done";
    let result = one.run_blocking(bomb).unwrap();
    let complaint = result.stderr_text().into_owned();
    assert!(complaint.contains("unavailable"), "{result:?}");
    assert!((19..=20).contains(&budget.used().processes));
    // The last place is a shell's that waits; whoever takes it leaves none.
    let _ = two.run_blocking("sleep 1000 & sleep 1000 &");
    let refused = two.shell("second").run_blocking("echo hi").unwrap_err();
    assert!(
        matches!(refused.kind(), ErrorKind::Spawn { .. }),
        "{refused}"
    );
    assert!(budget.used().processes <= 20);
    assert_works(&other);
    drop((one, two));
    assert_given_back(&budget);
}

#[test]
fn shells_that_wait_take_no_places() {
    let _alone = alone();
    let budget = budget(4, 2048 * MB);
    let sandboxes: Vec<Sandbox> = (0..12).map(|_| sandbox_in(&budget)).collect();
    for round in 0..2 {
        for sandbox in &sandboxes {
            let script = format!("n=$((n + 1)); echo $n | cat && [ $n = {} ]", round + 1);
            assert_eq!(sandbox.run_blocking(script).unwrap().exit_code, 0);
        }
    }
    assert_eq!(budget.used().processes, 0);
    drop(sandboxes);
    assert_given_back(&budget);
}

#[test]
fn shells_that_wait_make_room_when_memory_is_scarce() {
    let _alone = alone();
    let budget = budget(100, 96 * MB);
    let sandboxes: Vec<Sandbox> = (0..40).map(|_| sandbox_in(&budget)).collect();
    for round in 1..3 {
        for sandbox in &sandboxes {
            let result = sandbox.run_blocking("n=$((n + 1)); echo $n | cat");
            let result = result.unwrap();
            assert_eq!(result.stdout_text(), format!("{round}\n"), "{result:?}");
        }
    }
    drop(sandboxes);
    assert_given_back(&budget);
}

// WM-02
#[test]
fn wm_02_sandboxes_of_one_budget_share_its_memory() {
    let _alone = alone();
    let other = sandbox();
    let budget = budget(1000, 300 * MB);
    let (one, two) = (sandbox_in(&budget), sandbox_in(&budget));
    for sandbox in [&one, &two] {
        let result = run(sandbox, ["hold_memory", "18", "20"]);
        let text = result.stdout_text();
        let got: usize = text.split(' ').next().unwrap().parse().unwrap();
        assert!((8..=14).contains(&got), "{result:?}");
    }
    assert!(budget.used().memory_bytes < 300 * MB);
    assert_works(&other);
    drop((one, two));
    assert_given_back(&budget);
}

/// A program that calls itself so often and then reads.
fn deep(calls: i64) -> Vec<u8> {
    let at = |offset| MemArg {
        offset,
        align: 2,
        memory_index: 0,
    };
    let body = vec![
        Instruction::GlobalGet(0),
        Instruction::I64Const(calls),
        Instruction::I64LtU,
        Instruction::If(BlockType::Empty),
        Instruction::GlobalGet(0),
        Instruction::I64Const(1),
        Instruction::I64Add,
        Instruction::GlobalSet(0),
        Instruction::Call(3),
        Instruction::Else,
        Instruction::I32Const(0),
        Instruction::I32Const(16),
        Instruction::I32Store(at(20)),
        Instruction::I32Const(0),
        Instruction::I32Const(16),
        Instruction::I32Const(1),
        Instruction::I32Const(8),
        READ,
        Instruction::Drop,
        Instruction::End,
    ];
    let made = Made {
        globals: 1,
        body,
        ..Made::default()
    };
    made.bytes()
}

// L21 of the audit.
#[test]
fn wm_02_stacks_are_memory() {
    let _alone = alone();
    let budget = budget(100, 1024 * MB);
    let mut options = options(&budget);
    options.allow_foreign_modules = true;
    let sandbox = Sandbox::create(options).unwrap();
    install(&sandbox, "flat", &deep(1));
    install(&sandbox, "deep", &deep(400_000));
    let mut took = Vec::new();
    for program in ["flat", "deep"] {
        let before = budget.used().memory_bytes;
        let script = format!("for i in 1 2 3 4; do sleep 1000 | ./{program} & done");
        assert_eq!(sandbox.run_blocking(script).unwrap().exit_code, 0);
        let mut last = 0;
        let settled = within(Duration::from_secs(20), || {
            std::thread::sleep(Duration::from_millis(300));
            let now = budget.used().memory_bytes;
            std::mem::replace(&mut last, now) == now
        });
        assert!(settled);
        took.push(last - before);
        sandbox.kill_all().unwrap();
    }
    // A call takes at least a return address and what it saves.
    let more = took[1].saturating_sub(took[0]);
    assert!(more >= 4 * 400_000 * 16, "{took:?}");
    drop(sandbox);
    assert_given_back(&budget);
}

// L21 of the audit.
#[test]
fn wm_02_a_stack_that_there_is_no_memory_for_is_the_end_of_its_process() {
    let _alone = alone();
    let budget = budget(100, 64 * MB);
    let mut options = options(&budget);
    options.allow_foreign_modules = true;
    let sandbox = Sandbox::create(options).unwrap();
    install(&sandbox, "deep", &deep(400_000));
    assert_eq!(run(&sandbox, ["./deep"]).exit_code, 0);
    let left = 64 * MB - budget.used().memory_bytes - 3 * MB;
    let rest = budget.memory(left).unwrap();
    assert_eq!(run(&sandbox, ["./deep"]).exit_code, 128 + 11);
    drop(rest);
    assert_eq!(run(&sandbox, ["./deep"]).exit_code, 0);
    drop(sandbox);
    assert_given_back(&budget);
}

#[test]
fn files_come_from_the_budget_and_what_is_shared_counts_once() {
    let _alone = alone();
    let other = sandbox();
    let budget = budget(100, 96 * MB);
    let sandbox = sandbox_in(&budget);
    let result = sandbox.run_blocking("head -c 40M /dev/zero > f").unwrap();
    assert_eq!(result.exit_code, 0, "{result:?}");
    let used = budget.used().memory_bytes;
    assert!((40 * MB..60 * MB).contains(&used), "{used}");
    let forks: Vec<Sandbox> = (0..10).map(|_| sandbox.fork().unwrap()).collect();
    let snapshots: Vec<_> = (0..10).map(|_| sandbox.snapshot().unwrap()).collect();
    let shared = budget.used().memory_bytes - used;
    assert!(shared < 2 * MB, "{shared} for ten forks and ten snapshots");
    let result = sandbox.run_blocking("head -c 200M /dev/zero > g").unwrap();
    assert!(result.stderr_text().contains("No space left"), "{result:?}");
    assert!(budget.used().memory_bytes <= 96 * MB + 8192);
    assert_works(&other);
    sandbox.remove("/home/user/g").unwrap();
    sandbox.remove("/home/user/f").unwrap();
    sandbox.clear_history();
    assert!(budget.used().memory_bytes > 40 * MB, "others have it yet");
    drop((forks, snapshots));
    assert!(budget.used().memory_bytes < 20 * MB);
    assert_eq!(sandbox.run_blocking("echo hi > f").unwrap().exit_code, 0);
    drop(sandbox);
    assert_given_back(&budget);
}

#[test]
fn outputs_that_there_is_no_memory_for_are_cut_off() {
    let _alone = alone();
    let budget = budget(100, 24 * MB);
    let mut options = options(&budget);
    options.limits.output_bytes = 256 << 20;
    let sandbox = Sandbox::create(options).unwrap();
    let result = sandbox.run_blocking("yes").unwrap();
    assert!(result.truncated, "{}", result.stdout.len());
    assert!((result.stdout.len() as u64) < 24 * MB);
    assert_eq!(sandbox.run_blocking("echo hi").unwrap().stdout, b"hi\n");
    drop(sandbox);
    assert_given_back(&budget);
}

#[test]
fn a_thousand_sandboxes_at_once_never_go_beyond_the_budget() {
    let _alone = alone();
    let budget = budget(0, 10 * MB);
    let made = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let mut kept = Vec::new();
                for _ in 0..125 {
                    match Sandbox::create(options(&budget)) {
                        Ok(sandbox) => kept.push(sandbox),
                        Err(error) => {
                            let kind = error.kind();
                            assert!(matches!(kind, ErrorKind::Memory { .. }), "{error}");
                        }
                    }
                    assert!(budget.used().memory_bytes <= 10 * MB);
                }
                made.fetch_add(kept.len(), Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(100));
            });
        }
    });
    let made = made.into_inner();
    assert!((100..=1000).contains(&made), "{made}");
    assert_given_back(&budget);
}

#[test]
fn a_runtime_has_a_budget_and_others_are_parts_of_it() {
    let _alone = alone();
    let mut setup = RuntimeOptions::default();
    setup.slots = 64;
    setup.memory_bytes = Some(MB);
    let runtime = Runtime::new(setup).unwrap();
    let mut kept = Vec::new();
    let refused = loop {
        match Sandbox::create_on(&runtime, test_options()) {
            Ok(sandbox) => kept.push(sandbox),
            Err(error) => break error,
        }
    };
    assert!(matches!(refused.kind(), ErrorKind::Memory { .. }));
    assert!(!kept.is_empty() && kept[0].fork().is_err());
    drop(kept);
    assert_given_back(runtime.budget());
    let foreign = Budget::new(BudgetLimits::UNLIMITED);
    let refused = Sandbox::create_on(&runtime, options(&foreign)).unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::InvalidArgument(_)));
    let own = Runtime::global().unwrap();
    assert!(own.budget().limits().memory_bytes > 64 * MB);
}

/// Scripts that take and leave all kinds of things.
const SCRIPTS: [&str; 8] = [
    "head -c 1M /dev/zero > f$RANDOM",
    "rm -f f*; ln -sf a b; ln -f b c; mkdir -p d/e; mv d g 2>/dev/null",
    "sleep 1000 & yes | sleep 1000 &",
    "echo hi | cat | cat; x=$(head -c 100000 /dev/zero | tr '\\0' x)",
    "kill %1 2>/dev/null; exec 7> out; echo to >&7",
    "f() { [ $1 = 0 ] || f $(($1 - 1)); }; f 300",
    "exit 3",
    "yes | head -c 3M",
];

#[test]
fn at_random_everything_is_given_back() {
    let _alone = alone();
    let budget = budget(30, 300 * MB);
    let mut sandboxes = vec![sandbox_in(&budget)];
    let mut snapshots = Vec::new();
    let mut random = 11u64;
    for _ in 0..120 {
        random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        let pick = (random >> 33) as usize;
        let at = pick / 16 % sandboxes.len();
        match pick % 16 {
            0 if sandboxes.len() < 5 => sandboxes.extend(sandboxes[at].fork()),
            1 if sandboxes.len() > 1 => drop(sandboxes.swap_remove(at)),
            2 => snapshots.extend(sandboxes[at].snapshot()),
            3 => snapshots.clear(),
            4 => drop(sandboxes[at].undo(1)),
            5 => sandboxes[at].kill_all().unwrap(),
            6 => drop(sandboxes[at].write_file("/home/user/w", vec![1; 100_000])),
            kind => drop(sandboxes[at].run_blocking(SCRIPTS[kind % SCRIPTS.len()])),
        }
        let used = budget.used();
        assert!(used.processes <= 30 && used.memory_bytes <= 300 * MB + 8192);
    }
    drop((sandboxes, snapshots));
    assert_given_back(&budget);
}
