//! Three children end with 1, 2 and 3; waiting for any finds each once. Prints `1 2 3`.

use codepod_sys::process::{Of, WaitOptions, wait, wait_with};
use codepod_sys::{Errno, Spawn};
use test_programs::{check, finish};

fn main() -> Result<(), Errno> {
    let mut pids = Vec::new();
    for status in ["1", "2", "3"] {
        pids.push(
            Spawn::new("/bin/exit_with")
                .args(["exit_with", status])
                .stdio()
                .start()?,
        );
    }
    let mut codes = Vec::new();
    for _ in 0..3 {
        let (pid, status) = wait(Of::Any)?;
        let place = pids.iter().position(|other| *other == pid);
        check!(
            place.map(|place| place as u32 + 1) == Some(status.code()),
            "{pid:?} {status:?}"
        );
        codes.push(status.code());
    }
    codes.sort_unstable();
    println!("{} {} {}", codes[0], codes[1], codes[2]);
    let nohang = WaitOptions {
        nohang: true,
        ..WaitOptions::default()
    };
    let nobody = wait_with(Of::Any, nohang);
    check!(nobody == Err(Errno::Child), "a fourth: {nobody:?}");
    finish();
}
