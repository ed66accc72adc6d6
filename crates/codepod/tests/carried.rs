//! Compiled code that the host program carries is run where it lies; what cannot be run so is
//! compiled.

mod support;

use codepod::{Runtime, RuntimeOptions, Sandbox};
use codepod_abi::Grant;
use codepod_wasmtime::{Carried, Code, Content, Engine, GuestModule, ModuleCache, Packed};
use support::{expect, test_options};

/// A page of any machine is no longer.
const PAGE: usize = 64 << 10;

/// The program `hello`, as a module and compiled.
fn hello() -> (Vec<u8>, Vec<u8>) {
    let guest = codepod_guests::group(codepod_guests::TEST_PROGRAMS)
        .find(|guest| guest.name == "hello")
        .expect("`cargo xtask guests` has built it");
    let wasm = guest.module().code.wasm().unwrap().into_owned();
    let compiled =
        Engine::precompile(&ModuleCache::of_user().unwrap().unwrap(), &wasm, None).unwrap();
    (wasm, compiled)
}

/// The bytes so far behind the start of a page, as a constant of the program would lie. No page
/// holds anything else.
fn placed(bytes: &[u8], behind: usize) -> &'static [u8] {
    let memory = vec![0; bytes.len() + behind + 2 * PAGE].leak();
    let start = memory.as_ptr().align_offset(PAGE) + behind;
    let place = &mut memory[start..][..bytes.len()];
    place.copy_from_slice(bytes);
    place
}

/// A sandbox on an engine of its own that knows `./greet` with this code.
fn sandbox(code: &'static [u8], compiled: &'static [u8]) -> Sandbox {
    sandbox_of(Code::Wasm(code.into()), compiled)
}

fn sandbox_of(code: Code, compiled: &'static [u8]) -> Sandbox {
    sandbox_with(code, Carried::Here(compiled))
}

fn sandbox_with(code: Code, compiled: Carried) -> Sandbox {
    let runtime = Runtime::new(RuntimeOptions::default()).unwrap();
    runtime.engine().register(GuestModule {
        name: "carried".into(),
        code,
        compiled: Some(compiled),
        grants: vec![Grant::Wasi],
        images: Vec::new(),
    });
    let sandbox = Sandbox::create_on(&runtime, test_options()).unwrap();
    sandbox.write_file("greet", "#!codepod carried\n").unwrap();
    sandbox.set_mode("greet", 0o755).unwrap();
    sandbox
}

#[track_caller]
fn says_hello(sandbox: &Sandbox) {
    expect(sandbox, ["./greet"], 0, "hello, world\n");
}

#[test]
fn carried_code_runs_without_its_module() {
    let (_, compiled) = hello();
    let carried = placed(&compiled, 0);
    says_hello(&sandbox(b"nobody reads this", carried));
    assert_eq!(carried, compiled);
}

#[test]
fn packed_code_is_unpacked_when_it_is_used() {
    let (wasm, compiled) = hello();
    let content = |bytes: &[u8]| Content {
        bytes: bytes.len() as u64,
        digest: blake3::hash(bytes).to_hex().to_string().leak(),
    };
    // Two guests, the second at the largest page.
    let at = PAGE;
    let mut both = vec![0; at];
    both.extend_from_slice(&compiled);
    let packed = Packed {
        bytes: Code::pack(&both).unwrap().leak(),
        unpack: |bytes| Ok(Box::new(zstd::Decoder::with_buffer(bytes)?)),
        content: content(&both),
    };
    let piece = Carried::Piece(packed, at, compiled.len());
    for _ in 0..2 {
        says_hello(&sandbox_with(Code::Elsewhere, piece));
    }
    // What unpacks to something else is not run, and neither is a piece behind the end.
    let forged = Packed {
        content: content(b"something else"),
        ..packed
    };
    for wrong in [
        Carried::Piece(forged, at, compiled.len()),
        Carried::Piece(packed, both.len(), 4096),
        Carried::Piece(packed, usize::MAX, usize::MAX),
    ] {
        says_hello(&sandbox_with(Code::Wasm(wasm.clone().into()), wrong));
    }
}

#[test]
fn every_engine_of_a_program_can_run_carried_code() {
    let (_, compiled) = hello();
    let carried = placed(&compiled, 0);
    let first = sandbox(b"", carried);
    let second = sandbox(b"", carried);
    says_hello(&first);
    says_hello(&second);
    drop(first);
    says_hello(&second);
    drop(second);
    says_hello(&sandbox(b"", carried));
}

#[test]
fn what_cannot_run_where_it_lies_is_compiled() {
    let (wasm, compiled) = hello();
    for carried in [
        placed(&compiled, 16),
        placed(&compiled[..compiled.len() / 2], 0),
        placed(b"garbage", 0),
        placed(b"", 0),
    ] {
        says_hello(&sandbox_of(Code::Wasm(wasm.clone().into()), carried));
    }
}

#[test]
fn a_packed_module_is_unpacked_when_it_is_compiled() {
    let (wasm, _) = hello();
    let packed = Code::pack(&wasm).unwrap().leak();
    assert!(packed.len() < wasm.len() / 2);
    says_hello(&sandbox_of(Code::Packed(packed), b"does not run"));
    let broken = sandbox_of(Code::Packed(&packed[..packed.len() / 2]), b"");
    let result = broken.command(["./greet"]).run_blocking().unwrap();
    assert_eq!(result.exit_code, 126, "{result:?}");
    assert!(result.stderr_text().contains("carried"), "{result:?}");
}
