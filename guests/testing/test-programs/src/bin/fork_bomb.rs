//! Every process starts copies of itself until there may be no more, then waits for all it started.
//! The first prints what stopped it and that all are gone.

use codepod_sys::process::{Of, wait};
use codepod_sys::{Errno, Spawn};

fn main() {
    let inner = std::env::args().nth(1).is_some();
    let bomb = Spawn::new("/bin/fork_bomb")
        .args(["fork_bomb", "inner"])
        .stdio();
    let mut started = 0u32;
    let stopped = loop {
        match bomb.start() {
            Ok(_) => started += 1,
            Err(errno) => break errno,
        }
    };
    let mut reaped = 0;
    while wait(Of::Any).is_ok() {
        reaped += 1;
    }
    if !inner {
        println!("stopped by {}", stopped.name());
        println!(
            "{}",
            if started == reaped {
                "all gone"
            } else {
                "some lost"
            }
        );
    }
    std::process::exit(i32::from(stopped != Errno::Again || started != reaped));
}
