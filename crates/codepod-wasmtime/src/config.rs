//! The settings of wasmtime, each with its reason.

use wasmtime::{
    Config, Enabled, InstanceAllocationStrategy, OptLevel, PoolingAllocationConfig, Strategy,
};

use crate::error::{EngineError, EngineResult};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// Linear memory that is kept and put back as it was, not given back, when a process ends: a tool
/// writes to a tenth of this at most, Python that starts and ends to 0.7 MB. A page fault costs
/// more than putting a page back.
pub(crate) const KEPT_OF_ONE: usize = 4 * MIB;

/// The most that large processes leave behind together.
#[cfg(target_os = "linux")]
pub(crate) const KEPT_IN_ALL: usize = 256 * MIB;

/// What is kept where Linux (before 6.7) cannot tell which pages were written to: this much is put
/// back each time, written to or not.
const KEPT_BLINDLY: usize = 64 * KIB;

/// The most linear memory that any sandbox can allow a process.
pub(crate) const MEMORY_BYTES: usize = 2048 * MIB;

/// The most elements of a table: Python with all that is built into it takes the address of 20,400
/// functions.
pub(crate) const TABLE_ELEMENTS: usize = 32_000;

/// Instances that never run, beside those of processes (`pristine.rs`): one for each module that
/// asks.
const PRISTINE: u32 = 8;

/// The settings for `slots` processes at once.
///
/// `parallel` lets Cranelift use all cores, for building; at run time a module from outside must
/// not take the cores from the sandboxes. `triple` is the platform that is compiled for; `None` is
/// the one that this runs on.
pub(crate) fn config(slots: u32, parallel: bool, triple: Option<&str>) -> EngineResult<Config> {
    let mut config = Config::new();
    config.strategy(Strategy::Cranelift);
    config.cranelift_opt_level(OptLevel::Speed);
    baseline_cpu(&mut config, triple)?;
    config.parallel_compilation(parallel);

    // Replays must agree on every machine, and NaN bits are the one thing that WebAssembly leaves
    // open.
    config.cranelift_nan_canonicalization(true);
    config.wasm_relaxed_simd(false);

    // What no guest of ours needs is off: most of wasmtime's advisories of 2026 lie there.
    config.wasm_memory64(false);
    config.wasm_multi_memory(false);
    config.wasm_custom_page_sizes(false);
    config.wasm_wide_arithmetic(false);

    // Loops are stopped by epochs: two to three times cheaper than fuel.
    config.epoch_interruption(true);

    // A full reservation with a guard needs no explicit bounds checks.
    config.memory_reservation(4 << 30);
    config.memory_guard_size(32 << 20);
    config.guard_before_linear_memory(true);
    config.memory_init_cow(true);

    // Guest stacks: a shell function that calls itself 5,000 times needs more than the usual
    // megabyte. Memory is taken only where a guest goes that deep. The shell counts what it
    // uses (`exec.rs`) and stops at 20 MB of this: how big a frame is depends on the compiler,
    // and differs by a third between two builds. One more for the host functions that it calls.
    config.max_wasm_stack(32 * MIB);
    config.async_stack_size(33 * MIB);
    // Nothing of one sandbox may be found on a stack by another.
    config.async_stack_zeroing(true);

    // A process ends through a trap (`proc_exit`): collecting a backtrace would cost more than the
    // rest.
    config.wasm_backtrace_max_frames(None);
    config.native_unwind_info(false);
    // Which instruction of the module a machine's came from is asked by backtraces alone; it is a
    // tenth of the compiled code.
    config.generate_address_map(false);

    #[cfg(unix)]
    crate::embedded_code::allow(&mut config);

    let mut pool = PoolingAllocationConfig::new();
    let instances = slots + PRISTINE;
    pool.total_core_instances(instances);
    pool.total_memories(instances);
    pool.total_tables(instances);
    pool.total_stacks(slots);
    pool.max_memories_per_module(1);
    pool.max_tables_per_module(1);
    pool.max_memory_size(MEMORY_BYTES);
    pool.table_elements(TABLE_ELEMENTS);
    // Slots that were used stay warm for the same module.
    pool.max_unused_warm_slots(64.min(slots));
    let kept = match PoolingAllocationConfig::is_pagemap_scan_available() {
        true => KEPT_OF_ONE,
        false => KEPT_BLINDLY,
    };
    pool.linear_memory_keep_resident(kept);
    // All of the largest table: a program of Python uses functions from one end of it to the other,
    // which were 20 page faults.
    pool.table_keep_resident(TABLE_ELEMENTS * size_of::<usize>());
    // What the calls of a small tool touch of its stack.
    pool.async_stack_keep_resident(16 * KIB);
    // Linux 6.7 can tell which pages were touched, so that only those are wiped. Before wasmtime 50
    // those that were not in memory just then were left for the next process (decision 19);
    // `reuse.rs` pushes them out and looks.
    pool.pagemap_scan(Enabled::Auto);
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    Ok(config)
}

/// What every supported host of an architecture has, beside its first instructions (x86-64-v2:
/// every server since 2009).
const BASELINE_X86: [&str; 5] = [
    "has_sse3",
    "has_ssse3",
    "has_sse41",
    "has_sse42",
    "has_popcnt",
];

/// Code for a plain processor, because code that is compiled ahead of time must run on every
/// supported host, not only on the build machine.
fn baseline_cpu(config: &mut Config, triple: Option<&str>) -> EngineResult<()> {
    let Some(triple) = triple.map(str::to_owned).or_else(own_triple) else {
        return Ok(());
    };
    config
        .target(&triple)
        .map_err(|error| EngineError::Setup(error.to_string()))?;
    if !triple.starts_with("x86_64") {
        return Ok(());
    }
    for flag in BASELINE_X86 {
        #[expect(unsafe_code, reason = "the only way to name CPU features")]
        // SAFETY: a wrong flag would let Cranelift use instructions that the CPU lacks. These are
        // ordinary ISA flags, and wasmtime refuses to load code whose flags the CPU does
        // not have.
        unsafe {
            config.cranelift_flag_enable(flag);
        }
    }
    Ok(())
}

/// The platform that this runs on, if guests are shipped for it. wasmtime compares all of it with
/// what it was compiled for, and of compiled code only the architecture and the system.
fn own_triple() -> Option<String> {
    let system = match () {
        () if cfg!(target_os = "macos") => "apple-darwin",
        () if cfg!(all(windows, target_env = "gnu")) => "pc-windows-gnu",
        () if cfg!(windows) => "pc-windows-msvc",
        () if cfg!(all(target_os = "linux", target_env = "musl")) => "unknown-linux-musl",
        () if cfg!(target_os = "linux") => "unknown-linux-gnu",
        () => return None,
    };
    let architecture = std::env::consts::ARCH;
    matches!(architecture, "x86_64" | "aarch64").then(|| format!("{architecture}-{system}"))
}
