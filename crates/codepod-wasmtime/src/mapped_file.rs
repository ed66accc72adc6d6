//! A file of the host as memory that is there as long as the program.

use std::fs::File;
use std::io;

/// The first `bytes` of a file, to read; they start at a page, so that machine code in it can run
/// where it lies. Nobody may change the file later: it is trusted as this program's own file is.
#[cfg(unix)]
pub fn map_for_good(file: &File, bytes: usize) -> io::Result<&'static [u8]> {
    use rustix::mm::{MapFlags, ProtFlags, mmap};

    if bytes == 0 {
        return Ok(&[]);
    }
    #[expect(unsafe_code, reason = "mapping a file is unsafe by nature")]
    // SAFETY: the address is the system's choice, the mapping is private and never unmapped, and
    // its length is the slice's. Reading beyond the end of a file that was cut meanwhile ends this
    // program, as it would for the program's own file.
    unsafe {
        let none = std::ptr::null_mut();
        let start = mmap(none, bytes, ProtFlags::READ, MapFlags::PRIVATE, file, 0)?;
        Ok(std::slice::from_raw_parts(start.cast::<u8>(), bytes))
    }
}

/// The first `bytes` of a file, read into memory: without pages that can become executable, code is
/// compiled anyway.
#[cfg(not(unix))]
pub fn map_for_good(file: &File, bytes: usize) -> io::Result<&'static [u8]> {
    let mut read = vec![0; bytes];
    io::Read::read_exact(&mut &*file, &mut read)?;
    Ok(read.leak())
}
