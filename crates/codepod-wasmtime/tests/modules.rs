//! Loading modules: one that takes long to compile does not hold up the others, and compiled code
//! of another engine is not used.

use std::time::{Duration, Instant};

use codepod_abi::Grant;
use codepod_wasmtime::{Carried, Code, Engine, EngineOptions, GuestModule};

/// A WASI command that multiplies so many times.
fn command(times: u32) -> Vec<u8> {
    let mut body = vec![1, 1, 0x7f];
    for i in 0..times {
        // local.get 0, i32.const, i32.mul, local.set 0
        body.extend([0x20, 0, 0x41, (i % 63) as u8, 0x6c, 0x21, 0]);
    }
    body.push(0x0b);
    let mut bytes = b"\0asm\x01\0\0\0".to_vec();
    bytes.extend([1, 4, 1, 0x60, 0, 0]);
    bytes.extend([3, 2, 1, 0]);
    bytes.extend([5, 3, 1, 0, 1]);
    bytes.extend([7, 19, 2, 6]);
    bytes.extend(b"memory");
    bytes.extend([2, 0, 6]);
    bytes.extend(b"_start");
    bytes.extend([0, 0]);
    let mut code = vec![1];
    code.extend(leb(body.len()));
    code.extend(body);
    bytes.push(10);
    bytes.extend(leb(code.len()));
    bytes.extend(code);
    bytes
}

fn leb(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (number & 0x7f) as u8;
        number >>= 7;
        if number == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

fn guest(name: &str, times: u32) -> GuestModule {
    GuestModule {
        name: name.into(),
        code: Code::Wasm(command(times).into()),
        compiled: None,
        grants: vec![Grant::Wasi],
        images: Vec::new(),
    }
}

#[test]
fn compiled_code_of_another_engine_is_not_used() {
    let engine = Engine::new(EngineOptions {
        slots: 4,
        threads: 1,
        cache: None,
    })
    .unwrap();
    let other = wasmtime::Engine::default();
    let compiled = other.precompile_module(&command(1)).unwrap();
    // Aligned to a page, as what a program carries is.
    let memory = vec![0; compiled.len() + (64 << 10)].leak();
    let start = memory.as_ptr().align_offset(64 << 10);
    let carried = &mut memory[start..][..compiled.len()];
    carried.copy_from_slice(&compiled);
    let mut small = guest("small", 1);
    small.compiled = Some(Carried::Here(carried));
    engine.register(small.clone());
    engine.preload("small").unwrap();
    // Without the module there is nothing else to take.
    small.code = Code::Wasm(b"garbage".into());
    engine.register(small);
    assert!(engine.preload("small").is_err());
}

#[test]
fn a_module_that_takes_long_to_compile_does_not_hold_up_others() {
    let engine = Engine::new(EngineOptions {
        slots: 4,
        threads: 1,
        cache: None,
    })
    .unwrap();
    engine.register(guest("small", 1));
    engine.preload("small").unwrap();
    engine.register(guest("large", 600_000));
    let other = engine.clone();
    let large = std::thread::spawn(move || {
        let started = Instant::now();
        other.preload("large").unwrap();
        started.elapsed()
    });
    std::thread::sleep(Duration::from_millis(20));
    let mut worst = Duration::ZERO;
    while !large.is_finished() {
        let started = Instant::now();
        engine.preload("small").unwrap();
        worst = worst.max(started.elapsed());
        std::thread::sleep(Duration::from_millis(1));
    }
    let took = large.join().unwrap();
    assert!(took > Duration::from_millis(100), "{took:?} is not long");
    assert!(worst < took / 2, "{worst:?} of {took:?}");
    assert!(engine.preload("absent").is_err());
}
