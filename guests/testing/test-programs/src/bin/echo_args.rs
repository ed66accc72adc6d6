//! Prints its arguments, one a line, the program's name first.

use std::io::Write;

fn main() {
    let mut out = std::io::stdout().lock();
    for argument in std::env::args_os() {
        let _ = out.write_all(argument.as_encoded_bytes());
        let _ = out.write_all(b"\n");
    }
}
