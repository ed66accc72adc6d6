//! Guest memory, as the kernel sees it: ranges that are checked before they are touched.
//!
//! wasmtime gives the kernel a slice ([`SliceMemory`]); an engine whose guests live elsewhere (the
//! browser) copies in and out. A range outside the memory is `Errno::Fault`, never a panic, and no
//! length that a guest chose is allocated here without a limit.

use codepod_abi::Errno;
use codepod_vfs::Blocks;

/// Access to the memory of the process that made a call.
pub trait GuestMemory {
    /// How many bytes there are.
    fn size(&self) -> usize;

    /// Calls `f` with the bytes of a range. `Fault` when it is not all inside.
    fn read<R>(&self, at: u32, len: u32, f: impl FnOnce(&[u8]) -> R) -> Result<R, Errno>;

    /// Calls `f` with the bytes of a range to change. `Fault` when it is not all inside.
    fn write<R>(&mut self, at: u32, len: u32, f: impl FnOnce(&mut [u8]) -> R) -> Result<R, Errno>;

    /// Copies a fixed number of bytes out.
    fn read_array<const N: usize>(&self, at: u32) -> Result<[u8; N], Errno> {
        self.read(at, N as u32, |bytes| {
            let mut array = [0; N];
            array.copy_from_slice(bytes);
            array
        })
    }

    /// Copies a range out, up to `limit` bytes; `over` when it is longer.
    fn read_vec(&self, at: u32, len: u32, limit: usize, over: Errno) -> Result<Vec<u8>, Errno> {
        if len as usize > limit {
            // A range that is not there at all is a fault first: the guest's pointer is wrong.
            self.read(at, len, |_| ())?;
            return Err(over);
        }
        self.read(at, len, <[u8]>::to_vec)
    }

    /// Reads a little-endian word.
    fn read_u32(&self, at: u32) -> Result<u32, Errno> {
        Ok(u32::from_le_bytes(self.read_array(at)?))
    }

    /// Writes bytes.
    fn write_bytes(&mut self, at: u32, bytes: &[u8]) -> Result<(), Errno> {
        let len = u32::try_from(bytes.len()).map_err(|_| Errno::Fault)?;
        self.write(at, len, |target| target.copy_from_slice(bytes))
    }

    /// Writes a little-endian word.
    fn write_u32(&mut self, at: u32, value: u32) -> Result<(), Errno> {
        self.write_bytes(at, &value.to_le_bytes())
    }

    /// Writes a little-endian double word.
    fn write_u64(&mut self, at: u32, value: u64) -> Result<(), Errno> {
        self.write_bytes(at, &value.to_le_bytes())
    }

    /// Clears the bits of the pages that hold what the process's module put there; the others are
    /// set when this is called. The first bit is that of the page at `start`, which begins
    /// there, and all of the pages are inside.
    fn clear_untouched(&self, _start: usize, _bits: &mut [u8]) {}

    /// Whether the engine keeps this memory for the next turn of a session.
    fn is_kept(&self) -> bool {
        false
    }

    /// The memory as the content of a file, made from `empty` where there is nothing to go on from.
    /// What lies below `stack` is not wanted. `NoSpc` if there is no memory for it.
    fn keep(&mut self, stack: u32, empty: Blocks) -> Result<Blocks, Errno> {
        let _ = (stack, empty);
        Err(Errno::NotSup)
    }

    /// Checks that a range can be written, before something happens that cannot be taken back.
    fn check(&mut self, at: u32, len: u32) -> Result<(), Errno> {
        self.write(at, len, |_| ())
    }
}

/// A guest's memory as one slice.
#[derive(Debug)]
pub struct SliceMemory<'a>(pub &'a mut [u8]);

fn range(at: u32, len: u32, size: usize) -> Result<std::ops::Range<usize>, Errno> {
    let start = at as usize;
    let end = start.checked_add(len as usize).ok_or(Errno::Fault)?;
    if end > size {
        return Err(Errno::Fault);
    }
    Ok(start..end)
}

impl GuestMemory for SliceMemory<'_> {
    fn size(&self) -> usize {
        self.0.len()
    }

    fn read<R>(&self, at: u32, len: u32, f: impl FnOnce(&[u8]) -> R) -> Result<R, Errno> {
        Ok(f(&self.0[range(at, len, self.0.len())?]))
    }

    fn write<R>(&mut self, at: u32, len: u32, f: impl FnOnce(&mut [u8]) -> R) -> Result<R, Errno> {
        let range = range(at, len, self.0.len())?;
        Ok(f(&mut self.0[range]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_outside_are_faults() {
        let mut bytes = [0u8; 16];
        let mut memory = SliceMemory(&mut bytes);
        assert_eq!(memory.write_u32(12, 7), Ok(()));
        assert_eq!(memory.read_u32(12), Ok(7));
        for (at, len) in [
            (13, 4),
            (16, 1),
            (u32::MAX, 1),
            (1, u32::MAX),
            (u32::MAX, u32::MAX),
        ] {
            assert_eq!(memory.read(at, len, |_| ()), Err(Errno::Fault));
            assert_eq!(memory.write(at, len, |_| ()), Err(Errno::Fault));
        }
        assert_eq!(memory.read(16, 0, <[u8]>::len), Ok(0));
    }

    #[test]
    fn a_length_over_the_limit_is_refused_before_it_is_allocated() {
        let mut bytes = [0u8; 16];
        let memory = SliceMemory(&mut bytes);
        assert_eq!(
            memory.read_vec(0, 9, 8, Errno::NameTooLong),
            Err(Errno::NameTooLong)
        );
        assert_eq!(
            memory.read_vec(0, u32::MAX, 8, Errno::NameTooLong),
            Err(Errno::Fault)
        );
    }
}
