//! Copies standard input to standard output, 64 KiB at a time. Ends with 1 when that fails.

use codepod_sys::descriptor::{read, write_all};
use codepod_sys::{Errno, Fd};

fn main() {
    let mut buffer = vec![0u8; 65536];
    loop {
        match read(Fd::STDIN, &mut buffer) {
            Ok(0) => return,
            Ok(count) => {
                if write_all(Fd::STDOUT, &buffer[..count]).is_err() {
                    codepod_sys::process::exit(1);
                }
            }
            Err(Errno::Intr) => {}
            Err(_) => codepod_sys::process::exit(1),
        }
    }
}
