//! WM-12 where it is decided: the next process in a place finds nothing of the one before, in
//! memory, image and table, wherever Linux has put the pages meanwhile. wasmtime 48 and 49 fail
//! here (decision 19).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::mm::{Advice, madvise};
use wasmtime::{Engine, Instance, Module, Store};

use crate::config::config;

const PAGE: usize = 4096;
/// Pages of the module's memory, and how many of them its image fills.
const PAGES: usize = 768;
const IMAGE_PAGES: usize = 256;
const ELEMENTS: usize = 8_000;

/// A module that counts what it does not find as it should be, and one that leaves something
/// everywhere: in every page, or in those that `step` leaves, and in every element of its table.
fn module(engine: &Engine) -> Module {
    let image = (0..IMAGE_PAGES).fold(String::new(), |all, page| {
        all + &format!(
            "(data (i32.const {}) \"\\{:02x}\")",
            page * PAGE,
            page % 255 + 1
        )
    });
    let text = format!(
        r#"(module
            (memory (export "memory") {wasm_pages})
            (table {ELEMENTS} funcref)
            (func $left)
            (elem declare func $left)
            {image}
            (func (export "stale_bytes") (result i32) (local $at i32) (local $stale i32) (local $expected i64)
                (loop $next
                    (local.set $expected (i64.const 0))
                    (if (i32.and (i32.eqz (i32.and (local.get $at) (i32.const 4095)))
                                 (i32.lt_u (local.get $at) (i32.const {image_end})))
                        (then (local.set $expected (i64.extend_i32_u (i32.add (i32.const 1)
                            (i32.rem_u (i32.shr_u (local.get $at) (i32.const 12)) (i32.const 255)))))))
                    (if (i64.ne (i64.load (local.get $at)) (local.get $expected))
                        (then (local.set $stale (i32.add (local.get $stale) (i32.const 8)))))
                    (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 8))) (i32.const {end}))))
                (local.get $stale))
            (func (export "stale_elements") (result i32) (local $at i32) (local $stale i32)
                (loop $next
                    (if (i32.eqz (ref.is_null (table.get (local.get $at))))
                        (then (local.set $stale (i32.add (local.get $stale) (i32.const 1)))))
                    (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 1))) (i32.const {ELEMENTS}))))
                (local.get $stale))
            (func (export "leave") (param $step i32) (local $at i32)
                (loop $next
                    (memory.fill (local.get $at) (i32.const 0xa5) (i32.const {PAGE}))
                    (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (local.get $step))) (i32.const {end}))))
                (table.fill (i32.const 0) (ref.func $left) (i32.const {ELEMENTS})))
        )"#,
        wasm_pages = (PAGES * PAGE) >> 16,
        image_end = IMAGE_PAGES * PAGE,
        end = PAGES * PAGE,
    );
    Module::new(engine, wat::parse_str(text).unwrap()).unwrap()
}

fn engine() -> Engine {
    Engine::new(&config(1, false, None).unwrap()).unwrap()
}

/// What a new process finds of earlier ones: bytes and elements.
fn stale(store: &mut Store<()>, instance: &Instance) -> (i32, i32) {
    let mut count = |name| {
        let function = instance.get_typed_func::<(), i32>(&mut *store, name);
        function.unwrap().call(&mut *store, ()).unwrap()
    };
    (count("stale_bytes"), count("stale_elements"))
}

/// One process: what it found, after it has left something everywhere and `before_end` was called.
fn process(module: &Module, step: usize, before_end: impl FnOnce()) -> (i32, i32) {
    let mut store = Store::new(module.engine(), ());
    store.set_epoch_deadline(1);
    let instance = Instance::new(&mut store, module, &[]).unwrap();
    let found = stale(&mut store, &instance);
    let leave = instance.get_typed_func::<i32, ()>(&mut store, "leave");
    let bytes = i32::try_from(step * PAGE).unwrap();
    leave.unwrap().call(&mut store, bytes).unwrap();
    before_end();
    found
}

/// These tests are about all memory of the machine.
pub(crate) fn alone() -> impl Drop {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the environment says that this machine may lack something; otherwise a test fails
/// without it.
pub(crate) fn may_miss(what: &str) -> bool {
    std::env::var("CODEPOD_MAY_MISS").is_ok_and(|list| list.split(',').any(|each| each == what))
}

/// A swap file that is in use as long as this is there.
pub(crate) struct Swap(Option<PathBuf>);

impl Swap {
    /// Some of it, unless the system has its own.
    pub(crate) fn on() -> Result<Swap, String> {
        if fs::read_to_string("/proc/swaps").is_ok_and(|list| list.lines().count() > 1) {
            return Ok(Swap(None));
        }
        let path = Path::new("/var/tmp").join(format!("codepod-swap-{}", std::process::id()));
        let swap = Swap(Some(path.clone()));
        fs::write(&path, vec![0; 64 << 20]).map_err(|error| error.to_string())?;
        for (program, arguments) in [
            ("chmod", vec!["600"]),
            ("mkswap", vec![]),
            ("swapon", vec![]),
        ] {
            let output = Command::new(program).args(arguments).arg(&path).output();
            let output = output.map_err(|error| format!("{program}: {error}"))?;
            if !output.status.success() {
                return Err(String::from_utf8_lossy(&output.stderr).into_owned());
            }
        }
        Ok(swap)
    }
}

impl Drop for Swap {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            let _ = Command::new("swapoff").arg(path).output();
            let _ = fs::remove_file(path);
        }
    }
}

/// The mappings of this process that are its own and can be written to, by address and length.
fn mappings() -> Vec<(usize, usize)> {
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let own = maps.lines().filter(|line| line.contains(" rw-p "));
    own.filter_map(|line| {
        let (start, end) = line.split_whitespace().next()?.split_once('-')?;
        let address = |text| usize::from_str_radix(text, 16).ok();
        Some((address(start)?, address(end)? - address(start)?))
    })
    .collect()
}

pub(crate) fn push_out(mappings: &[(usize, usize)]) {
    for (address, length) in mappings {
        #[expect(unsafe_code, reason = "the system knows memory by its address")]
        // SAFETY: pages come back with what they hold when they are used.
        let _ = unsafe {
            madvise(
                std::ptr::with_exposed_provenance_mut(*address),
                *length,
                Advice::LinuxPageOut,
            )
        };
    }
}

pub(crate) fn swapped_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmSwap:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    number.unwrap() * 1024
}

#[test]
fn wm_12_what_was_swapped_out_is_new_in_the_next_process() {
    let _alone = alone();
    let _swap = match Swap::on() {
        Ok(swap) => swap,
        Err(_) if may_miss("swap") => return,
        Err(why) => panic!(
            "this test needs swap, and cannot make a swap file: {why}\nrun it as root, or set CODEPOD_MAY_MISS=swap"
        ),
    };
    let before = mappings();
    let engine = engine();
    let module = module(&engine);
    process(&module, 1, || ());
    // The pool's own: memory, table and stack of the one place; the test's heap is left alone.
    let pool: Vec<_> = mappings()
        .into_iter()
        .filter(|mapping| !before.contains(mapping))
        .collect();
    let mut most_swapped = 0;
    for round in 0..1_000 {
        let found = process(&module, 1 + round % 5, || {
            push_out(&pool);
            most_swapped = most_swapped.max(swapped_bytes());
        });
        assert_eq!(found, (0, 0), "bytes and elements, process {round}");
    }
    assert!(
        most_swapped > 1 << 20,
        "{most_swapped} bytes were pushed out at most: nothing was tested"
    );
}

#[test]
fn wm_12_what_linux_moves_is_new_in_the_next_process() {
    const COMPACT: &str = "/proc/sys/vm/compact_memory";
    let _alone = alone();
    if let Err(error) = fs::write(COMPACT, "1") {
        assert!(
            may_miss("compaction"),
            "this test has Linux move pages, and cannot: {COMPACT}: {error}\nrun it as root, or set CODEPOD_MAY_MISS=compaction"
        );
        return;
    }
    let engine = engine();
    let module = module(&engine);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                let _ = fs::write(COMPACT, "1");
            }
        });
        let began = Instant::now();
        let mut found = (0, 0);
        for round in 0.. {
            found = process(&module, 1 + round % 5, || ());
            if found != (0, 0) || began.elapsed() > Duration::from_secs(5) {
                break;
            }
        }
        over.store(true, Ordering::Relaxed);
        assert_eq!(found, (0, 0), "bytes and elements");
    });
}
