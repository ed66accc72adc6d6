//! A child that has ended is still there until it is waited for, and gone afterwards.

use codepod_sys::process::{Of, Status, exists, wait};
use codepod_sys::{Errno, Spawn};
use test_programs::resources::sleep;
use test_programs::{check, finish};

fn main() {
    match Spawn::new("/bin/exit_with")
        .args(["exit_with", "9"])
        .stdio()
        .start()
    {
        Ok(pid) => {
            sleep(100_000_000);
            check!(exists(Of::Process(pid)), "the zombie is gone too soon");
            let ended = wait(Of::Any);
            check!(
                ended == Ok((pid, Status::Exited(9))),
                "waited for {ended:?}"
            );
            check!(!exists(Of::Process(pid)), "it is still there");
            let nobody = wait(Of::Process(pid));
            check!(nobody == Err(Errno::Child), "waited again for {nobody:?}");
        }
        Err(errno) => check!(false, "spawn: {errno}"),
    }
    finish();
}
