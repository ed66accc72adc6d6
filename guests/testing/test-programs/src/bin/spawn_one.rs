//! `spawn_one PROGRAM [ARGUMENT …]` starts a program (`/bin/true_tiny`), waits for it and prints
//! its end.

use codepod_sys::process::{Of, wait};
use codepod_sys::{Errno, Spawn};

fn main() -> Result<(), Errno> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.is_empty() {
        arguments.push("/bin/true_tiny".into());
    }
    let pid = Spawn::new(&arguments[0])
        .args(&arguments)
        .caller_env()
        .stdio()
        .start()?;
    let (ended, status) = wait(Of::Process(pid))?;
    println!(
        "{} {status:?}",
        if ended == pid { "child" } else { "another" }
    );
    Ok(())
}
