//! Standard input without a buffer.

use std::io::{self, Read};

use codepod_sys::{Errno, Fd};

/// Standard input without a buffer of its own: nothing more is read than was asked for, so that
/// whoever reads next finds the rest.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stdin;

impl Read for Stdin {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match codepod_sys::descriptor::read(Fd::STDIN, buffer) {
            // Outside of a sandbox, in tests.
            Err(Errno::NoSys) => io::stdin().lock().read(buffer),
            Err(errno) => Err(codepod_sys::io_error(errno)),
            Ok(count) => Ok(count),
        }
    }
}
