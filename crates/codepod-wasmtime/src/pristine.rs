//! What a module's memory is before anything runs in it, to find out which pages of a process hold
//! something else.
//!
//! Linux can only say which pages were written to since they were mapped, and pages stay from one
//! process to the next (`resident_pages.rs`): that would tell a process where an earlier one, of
//! somebody else, has written. So each such page is compared with what the module put there.

use std::sync::OnceLock;

use codepod_abi::Errno;
use codepod_kernel::{GuestMemory, SliceMemory};
use wasmtime::{Linker, Memory, Module, Store};

/// The size of the pages that are told apart.
const PAGE: usize = 4096;

/// A module's memory as it begins. An instance that never runs has it; it is made when it is first
/// asked for and takes a place of the pool.
pub(crate) struct Pristine {
    module: Module,
    instance: OnceLock<Option<(Store<()>, Memory)>>,
}

impl Pristine {
    pub(crate) fn new(module: Module) -> Pristine {
        Pristine {
            module,
            instance: OnceLock::new(),
        }
    }

    /// The memory of a process that never ran.
    pub(crate) fn memory(&self) -> Option<&[u8]> {
        let instance = self.instance.get_or_init(|| instantiate(&self.module));
        instance.as_ref().map(|(store, memory)| memory.data(store))
    }
}

fn instantiate(module: &Module) -> Option<(Store<()>, Memory)> {
    let mut linker = Linker::new(module.engine());
    linker.define_unknown_imports_as_traps(module).ok()?;
    let mut store = Store::new(module.engine(), ());
    let instance = linker.instantiate(&mut store, module).ok()?;
    let memory = instance.get_memory(&mut store, "memory")?;
    Some((store, memory))
}

/// A process's memory, which knows what it was when the process began.
pub(crate) struct ProcessMemory<'a> {
    pub(crate) bytes: SliceMemory<'a>,
    pub(crate) pristine: &'a Pristine,
    /// What it has of a session's earlier turns, if it takes one.
    #[cfg(target_os = "linux")]
    pub(crate) kept: Option<&'a crate::kept_memory::KeptMemory>,
}

impl GuestMemory for ProcessMemory<'_> {
    fn size(&self) -> usize {
        self.bytes.size()
    }

    fn read<R>(&self, at: u32, len: u32, f: impl FnOnce(&[u8]) -> R) -> Result<R, Errno> {
        self.bytes.read(at, len, f)
    }

    fn write<R>(&mut self, at: u32, len: u32, f: impl FnOnce(&mut [u8]) -> R) -> Result<R, Errno> {
        self.bytes.write(at, len, f)
    }

    #[cfg(target_os = "linux")]
    fn is_kept(&self) -> bool {
        self.kept.is_some()
    }

    #[cfg(target_os = "linux")]
    fn keep(
        &mut self,
        stack: u32,
        empty: codepod_vfs::Blocks,
    ) -> Result<codepod_vfs::Blocks, Errno> {
        let kept = self.kept.ok_or(Errno::NotSup)?;
        kept.keep(self.bytes.0, stack as usize, empty)
    }

    fn clear_untouched(&self, start: usize, bits: &mut [u8]) {
        let Some((pristine, memory)) = self.pristine.memory().zip(self.bytes.0.get(start..)) else {
            return;
        };
        let pristine = pristine.get(start..).unwrap_or_default();
        // Which pages nobody has written to is known without a look at them.
        #[cfg(target_os = "linux")]
        crate::dirty_pages::clear_unwritten(memory, bits);
        clear_equal(memory, pristine, bits);
    }
}

/// Clears the bits of pages that are as they were in the beginning. What a memory has grown by was
/// zero.
fn clear_equal(memory: &[u8], pristine: &[u8], bits: &mut [u8]) {
    let (pages, _) = memory.as_chunks::<PAGE>();
    let (before, _) = pristine.as_chunks::<PAGE>();
    for (number, page) in pages.iter().enumerate().take(bits.len() * 8) {
        let bit = 1 << (number % 8);
        if bits[number / 8] & bit != 0 && page == before.get(number).unwrap_or(&[0; PAGE]) {
            bits[number / 8] &= !bit;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_differ_are_left_and_grown_ones_were_zero() {
        let mut memory = vec![7; PAGE * 12];
        let pristine = memory[..PAGE * 9].to_vec();
        memory[PAGE * 9..].fill(0);
        for at in [0, PAGE * 3 - 1, PAGE * 8, PAGE * 11 + 5] {
            memory[at] = 1;
        }
        let mut bits = [0xff, 0x0f];
        clear_equal(&memory, &pristine, &mut bits);
        assert_eq!(bits, [0b0000_0101, 0b1001]);
    }

    #[test]
    fn fewer_bits_than_pages_are_enough() {
        let mut bits = [];
        clear_equal(&[0; PAGE * 2], &[], &mut bits);
        let mut bits = [0xff];
        clear_equal(&[0; PAGE * 9], &[], &mut bits);
        assert_eq!(bits, [0]);
    }
}
