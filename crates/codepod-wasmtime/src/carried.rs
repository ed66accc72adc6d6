//! Compiled code that the host program carries, run where it lies: nothing is copied, hashed or written, and host
//! processes share its pages.
//!
//! wasmtime leaves the protection of memory that is not its own to its embedder. Here that is the system's, with
//! the rule that wasmtime has for itself: no page can be written and executed.

use std::collections::BTreeSet;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::mm::{MprotectFlags, mprotect};
use rustix::param::page_size;
use wasmtime::{Config, CustomCodeMemory, Module};

/// Lets an engine of this configuration run carried code.
pub(crate) fn allow(config: &mut Config) {
    config.with_custom_code_memory(Some(Arc::new(Pages)));
}

/// The module of `code`, which this program carries from its own build. Nothing if it was compiled for another
/// engine, or does not start at a page.
pub(crate) fn load(engine: &wasmtime::Engine, code: &'static [u8]) -> Option<Module> {
    if !code.as_ptr().addr().is_multiple_of(page_size()) {
        return None;
    }
    let first = take(code);
    #[expect(unsafe_code, reason = "running compiled code is unsafe by nature")]
    // SAFETY: it must be unchanged output of `precompile_module`, and where it is not copied live as long as the
    // module and never change. It is a constant of this program, put there by its build: whoever can change it can
    // change the program itself.
    let module = unsafe {
        if first {
            Module::deserialize_raw(engine, NonNull::from(code))
        } else {
            Module::deserialize(engine, code)
        }
    };
    module.ok()
}

/// Whether nobody in this host process has run the code where it lies. wasmtime finds a module by the addresses of
/// its code, so a second one, of another engine, needs a copy.
fn take(code: &'static [u8]) -> bool {
    static TAKEN: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());
    let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
    taken.insert(code.as_ptr().addr())
}

/// Memory protection by the system.
struct Pages;

impl CustomCodeMemory for Pages {
    fn required_alignment(&self) -> usize {
        page_size()
    }

    fn publish_executable(&self, start: *const u8, len: usize) -> wasmtime::Result<()> {
        let flags = MprotectFlags::READ | MprotectFlags::EXEC;
        #[expect(
            unsafe_code,
            reason = "changing the protection of memory is unsafe by nature"
        )]
        // SAFETY: nobody may need another protection of these pages. wasmtime calls this for the code of a module,
        // which starts at a page; what else is in its last page are tables of the module, which are only read.
        unsafe {
            mprotect(start.cast_mut().cast(), len, flags)?;
        }
        Ok(())
    }

    fn unpublish_executable(&self, start: *const u8, len: usize) -> wasmtime::Result<()> {
        protect(start, len, MprotectFlags::READ)
    }
}

fn protect(start: *const u8, len: usize, flags: MprotectFlags) -> wasmtime::Result<()> {
    #[expect(
        unsafe_code,
        reason = "changing the protection of memory is unsafe by nature"
    )]
    // SAFETY: nothing may need another protection of these pages. wasmtime calls this for the code of one module,
    // which starts at a page; the rest of its last page are tables of the module that are only read.
    unsafe {
        mprotect(start.cast_mut().cast(), len, flags)?;
    }
    Ok(())
}
