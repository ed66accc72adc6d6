//! WM-04: `spawn_chain N` is a chain of N processes, each the parent of the next; the last one ends
//! with 42, and each passes that on. The first prints it.

use codepod_sys::process::{Of, wait};
use codepod_sys::{Errno, Spawn};
use test_programs::resources::number_argument;

fn main() -> Result<(), Errno> {
    let left = number_argument(1, 1);
    let inner = std::env::args().nth(2).is_some();
    let code = if left <= 1 {
        42
    } else {
        let next = (left - 1).to_string();
        let child = Spawn::new("/bin/spawn_chain")
            .args(["spawn_chain", &next, "inner"])
            .stdio();
        match child.start() {
            Ok(pid) => wait(Of::Process(pid))?.1.code(),
            Err(errno) => {
                println!("{left} left: {}", errno.name());
                1
            }
        }
    };
    if !inner {
        println!("{code}");
    }
    std::process::exit(if inner || code != 42 { code as i32 } else { 0 });
}
