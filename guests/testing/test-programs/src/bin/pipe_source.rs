//! `pipe_source BYTES` writes so many bytes to standard output: 0, 1, … 250, 0, 1, …

use codepod_sys::Fd;
use codepod_sys::descriptor::write_all;
use test_programs::resources::number_argument;

fn main() {
    // 251 is prime: a byte that is lost or doubled moves everything after it.
    let block: Vec<u8> = (0..251 * 256u32).map(|place| (place % 251) as u8).collect();
    let mut left = number_argument(1, 1 << 20);
    while left > 0 {
        let part = left.min(block.len() as u64);
        if let Err(errno) = write_all(Fd::STDOUT, &block[..part as usize]) {
            eprintln!("pipe_source: {errno}");
            std::process::exit(1);
        }
        left -= part;
    }
}
