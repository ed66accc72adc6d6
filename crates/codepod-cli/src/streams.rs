//! Passing streams on, between this program's own and a sandbox's.

use std::io::{Read, Write};

use codepod::{PipeReader, PipeWriter};

/// Passes standard input on until it ends or nobody wants more.
pub(crate) fn pass_in(mut to: PipeWriter) {
    let mut buffer = vec![0; 64 << 10];
    let mut from = std::io::stdin().lock();
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        if !to.write_all_blocking(&buffer[..read]).unwrap_or(false) {
            return;
        }
    }
}

/// Passes on what a sandbox prints until it ends or nobody wants more.
pub(crate) fn pass_out(mut from: PipeReader, mut to: impl Write) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(read @ 1..) = from.read_blocking(&mut buffer) {
        // A reader that left ends the tool too: dropping our end gives it SIGPIPE.
        if to
            .write_all(&buffer[..read])
            .and_then(|()| to.flush())
            .is_err()
        {
            return;
        }
    }
}
