//! `with_input PATH PROGRAM [ARGUMENT …]` runs a program whose standard input is a file; ends with
//! its status.

use codepod_sys::process::{Of, wait};
use codepod_sys::{Errno, Fd, Spawn};
use test_programs::{ROOT, paths};

fn main() -> Result<(), Errno> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let path = arguments[0].trim_start_matches('/');
    let Ok(file) = paths::open(ROOT, path, 0, paths::READ, 0) else {
        std::process::exit(2);
    };
    let pid = Spawn::new(&arguments[1])
        .args(&arguments[1..])
        .fd(Fd(file), Fd::STDIN)
        .fd(Fd::STDOUT, Fd::STDOUT)
        .fd(Fd::STDERR, Fd::STDERR)
        .start()?;
    let (_, status) = wait(Of::Process(pid))?;
    std::process::exit(status.code() as i32);
}
