//! Reads standard input to its end and prints how many bytes came; `pipe_sink check` also compares
//! them with what `pipe_source` writes and ends with 1 where they differ.

use codepod_sys::Fd;
use codepod_sys::descriptor::read;

fn main() {
    let compare = std::env::args().nth(1).as_deref() == Some("check");
    let mut buffer = vec![0u8; 65536];
    let mut total = 0u64;
    loop {
        match read(Fd::STDIN, &mut buffer) {
            Ok(0) => break,
            Ok(count) => {
                for byte in &buffer[..count] {
                    if compare && u64::from(*byte) != total % 251 {
                        println!("byte {total} is {byte}");
                        std::process::exit(1);
                    }
                    total += 1;
                }
            }
            Err(errno) => {
                eprintln!("pipe_sink: {errno}");
                std::process::exit(1);
            }
        }
    }
    println!("{total}");
}
