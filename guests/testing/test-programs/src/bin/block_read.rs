//! Reads standard input until its end; waits for ever where there is none. Prints `end`.

use codepod_sys::Fd;
use codepod_sys::descriptor::read;

fn main() {
    let mut buffer = [0u8; 512];
    while read(Fd::STDIN, &mut buffer).is_ok_and(|count| count > 0) {}
    println!("end");
}
