//! Compiled code that the host program carries, run where it lies: nothing is copied, hashed or
//! written, and host processes share its pages.
//!
//! wasmtime leaves the protection of memory that is not its own to its embedder. Here that is the
//! system's, with the rule that wasmtime has for itself: no page can be written and executed. A
//! program that is about to lock itself in makes all of its code executable before ([`prepare`]);
//! loading it later changes no protection any more.

use std::collections::BTreeSet;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use object::read::elf::ElfFile64;
use object::{Endianness, Object as _, ObjectSection as _};
use rustix::mm::{MprotectFlags, mprotect};
use rustix::param::page_size;
use wasmtime::{Config, CustomCodeMemory, Module};

/// Where the code of modules is executable already, by its addresses.
static PREPARED: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

/// Lets an engine of this configuration run carried code.
pub(crate) fn allow(config: &mut Config) {
    config.with_custom_code_memory(Some(Arc::new(Pages)));
}

/// The module of `code`, which this program carries from its own build. Nothing if it was compiled
/// for another engine, or does not start at a page.
pub(crate) fn load(engine: &wasmtime::Engine, code: &'static [u8]) -> Option<Module> {
    if !starts_at_a_page(code) {
        return None;
    }
    let first = take(code);
    #[expect(unsafe_code, reason = "running compiled code is unsafe by nature")]
    // SAFETY: it must be unchanged output of `precompile_module`, and where it is not copied live
    // as long as the module and never change. It is a constant of this program, put there by
    // its build: whoever can change it can change the program itself.
    let module = unsafe {
        if first {
            Module::deserialize_raw(engine, NonNull::from(code))
        } else {
            Module::deserialize(engine, code)
        }
    };
    module.ok()
}

/// Makes the machine code in `code` executable now, where it lies; the module is loaded when it is
/// used. Whether that was possible: the code starts at a page and is in a form that this engine
/// knows.
pub(crate) fn prepare(code: &'static [u8]) -> bool {
    let Some(text) = text_of(code).filter(|_| starts_at_a_page(code)) else {
        return false;
    };
    if !starts_at_a_page(text) {
        return false;
    }
    let executable = MprotectFlags::READ | MprotectFlags::EXEC;
    let prepared = protect(text.as_ptr(), text.len(), executable).is_ok();
    if prepared {
        lock(&PREPARED).insert(text.as_ptr().addr());
    }
    prepared
}

/// The machine code of a compiled module, which is a file in ELF.
fn text_of(code: &'static [u8]) -> Option<&'static [u8]> {
    let file = ElfFile64::<Endianness>::parse(code).ok()?;
    file.section_by_name(".text")?.data().ok()
}

fn starts_at_a_page(code: &[u8]) -> bool {
    code.as_ptr().addr().is_multiple_of(page_size())
}

/// Whether nobody in this host process has run the code where it lies. wasmtime finds a module by
/// the addresses of its code, so a second one, of another engine, needs a copy.
fn take(code: &'static [u8]) -> bool {
    static TAKEN: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());
    lock(&TAKEN).insert(code.as_ptr().addr())
}

fn lock(addresses: &Mutex<BTreeSet<usize>>) -> MutexGuard<'_, BTreeSet<usize>> {
    addresses.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Memory protection by the system.
struct Pages;

impl CustomCodeMemory for Pages {
    fn required_alignment(&self) -> usize {
        page_size()
    }

    fn publish_executable(&self, start: *const u8, len: usize) -> wasmtime::Result<()> {
        if lock(&PREPARED).contains(&start.addr()) {
            return Ok(());
        }
        protect(start, len, MprotectFlags::READ | MprotectFlags::EXEC)
    }

    fn unpublish_executable(&self, start: *const u8, len: usize) -> wasmtime::Result<()> {
        lock(&PREPARED).remove(&start.addr());
        protect(start, len, MprotectFlags::READ)
    }
}

fn protect(start: *const u8, len: usize, flags: MprotectFlags) -> wasmtime::Result<()> {
    #[expect(
        unsafe_code,
        reason = "changing the protection of memory is unsafe by nature"
    )]
    // SAFETY: nothing may need another protection of these pages. This is called for the code of
    // one module, which starts at a page; the rest of its last page are tables of the module
    // that are only read.
    unsafe {
        mprotect(start.cast_mut().cast(), len, flags)?;
    }
    Ok(())
}
