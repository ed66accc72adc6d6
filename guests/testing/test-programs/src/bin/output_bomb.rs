//! `output_bomb [BYTES]` writes to standard output, so much or for ever.

use codepod_sys::Fd;
use codepod_sys::descriptor::write_all;
use test_programs::resources::number_argument;

fn main() {
    let block = vec![b'x'; 65536];
    let mut left = number_argument(1, u64::MAX);
    while left > 0 {
        let part = left.min(65536);
        if write_all(Fd::STDOUT, &block[..part as usize]).is_err() {
            codepod_sys::process::exit(1);
        }
        left -= part;
    }
}
