//! A parent ends before its child; the child sees that process 1 is its parent then, and prints so.

use codepod_sys::process::ids;
use codepod_sys::{Errno, Spawn};
use test_programs::resources::{number_argument, sleep};

fn main() -> Result<(), Errno> {
    let parent = number_argument(1, 0) as u32;
    if parent == 0 {
        let own = ids()?.pid.0.to_string();
        Spawn::new("/bin/orphan")
            .args(["orphan", &own])
            .stdio()
            .start()?;
        println!("parent ends");
        return Ok(());
    }
    for _ in 0..5000 {
        let now = ids()?.parent.0;
        if now != parent {
            println!("adopted by {now}");
            return Ok(());
        }
        sleep(1_000_000);
    }
    println!("never adopted");
    std::process::exit(1);
}
