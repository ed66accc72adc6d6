//! The bare reference: the same module on wasmtime without a kernel: pooled, copy-on-write, no
//! fiber, no processes, and just enough of WASI for a Rust program to print and end.

use wasmtime::{
    Caller, Config, Enabled, Engine, Extern, InstanceAllocationStrategy, InstancePre, Linker,
    Module, OptLevel, PoolingAllocationConfig, Store,
};

/// What a run leaves.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) output: Vec<u8>,
}

/// How the pool resets what a process has touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pool {
    /// As wasmtime does it unless told otherwise: pages are given back to the system.
    Default,
    /// As our engine does it: touched pages are found and wiped in place.
    AsOurs,
}

/// A module ready to run.
pub(crate) struct Bare {
    engine: Engine,
    pre: InstancePre<State>,
}

impl Bare {
    /// Compiles a module with our settings for the code itself.
    pub(crate) fn new(wasm: &[u8], pool_kind: Pool) -> wasmtime::Result<Bare> {
        let mut config = Config::new();
        config.cranelift_opt_level(OptLevel::Speed);
        config.epoch_interruption(true);
        config.memory_init_cow(true);
        config.wasm_backtrace_max_frames(None);
        let mut pool = PoolingAllocationConfig::new();
        pool.total_core_instances(64);
        pool.total_memories(64);
        pool.total_tables(64);
        if pool_kind == Pool::AsOurs {
            pool.linear_memory_keep_resident(64 << 10);
            pool.table_keep_resident(8 << 10);
            pool.pagemap_scan(Enabled::Auto);
        }
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
        let engine = Engine::new(&config)?;
        let module = Module::new(&engine, wasm)?;
        let mut linker: Linker<State> = Linker::new(&engine);
        let wasi = "wasi_snapshot_preview1";
        linker.func_wrap(wasi, "fd_write", fd_write)?;
        linker.func_wrap(wasi, "proc_exit", |_: i32| -> wasmtime::Result<()> {
            Err(wasmtime::Error::msg("exit"))
        })?;
        linker.func_wrap(wasi, "environ_sizes_get", two_zeros)?;
        linker.func_wrap(wasi, "args_sizes_get", two_zeros)?;
        linker.func_wrap(wasi, "environ_get", |_: i32, _: i32| 0)?;
        linker.func_wrap(wasi, "args_get", |_: i32, _: i32| 0)?;
        linker.func_wrap(wasi, "random_get", |_: i32, _: i32| 0)?;
        linker.func_wrap(wasi, "fd_prestat_get", |_: i32, _: i32| 8)?;
        linker.func_wrap(wasi, "fd_prestat_dir_name", |_: i32, _: i32, _: i32| 8)?;
        linker.define_unknown_imports_as_traps(&module)?;
        let pre = linker.instantiate_pre(&module)?;
        Ok(Bare { engine, pre })
    }

    /// Starts it, lets it print and end, and drops everything.
    pub(crate) fn run(&self) -> wasmtime::Result<Vec<u8>> {
        let mut store = Store::new(&self.engine, State::default());
        store.set_epoch_deadline(u64::MAX / 2);
        let instance = self.pre.instantiate(&mut store)?;
        let start = instance.get_typed_func::<(), ()>(&mut store, "_start")?;
        let _ = start.call(&mut store, ());
        Ok(store.into_data().output)
    }
}

fn two_zeros(mut caller: Caller<'_, State>, a: i32, b: i32) -> i32 {
    let Some(Extern::Memory(memory)) = caller.get_export("memory") else {
        return 28;
    };
    let zero = 0u32.to_le_bytes();
    let _ = memory.write(&mut caller, a as usize, &zero);
    let _ = memory.write(&mut caller, b as usize, &zero);
    0
}

fn fd_write(mut caller: Caller<'_, State>, _fd: i32, iovs: i32, count: i32, written: i32) -> i32 {
    let Some(Extern::Memory(memory)) = caller.get_export("memory") else {
        return 28;
    };
    let (bytes, state) = memory.data_and_store_mut(&mut caller);
    let mut total = 0;
    for i in 0..count as usize {
        let word = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize
        };
        let slot = iovs as usize + i * 8;
        let (start, len) = (word(slot), word(slot + 4));
        state.output.extend_from_slice(&bytes[start..start + len]);
        total += len;
    }
    bytes[written as usize..written as usize + 4].copy_from_slice(&(total as u32).to_le_bytes());
    0
}
