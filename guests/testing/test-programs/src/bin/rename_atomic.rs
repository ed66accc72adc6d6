//! One process replaces a file by renaming; the other always finds one whole version.

use codepod_sys::process::{Of, Status, wait};
use codepod_sys::{Errno, Spawn};
use test_programs::{Scratch, Slot, call, check, expect_ok, finish, iovec, iovec_of, paths};

const ROUNDS: u32 = 200;
const SIZE: usize = 3000;

fn main() -> Result<(), Errno> {
    if std::env::args().nth(1).is_some() {
        test_programs::start();
        for round in 0..ROUNDS {
            replace(test_programs::HOME, "rename-atomic/", round);
            codepod_sys::process::yield_now();
        }
        finish();
    }
    let scratch = Scratch::new("rename-atomic");
    replace(scratch.fd, "", 0);
    let child = Spawn::new("/bin/rename_atomic")
        .args(["rename_atomic", "writer"])
        .stdio();
    let pid = child.start()?;
    let (buffer, count) = (Slot::new([0u8; SIZE]), Slot::new(0u32));
    for _ in 0..ROUNDS {
        if let Ok(file) = paths::open(scratch.fd, "file", 0, paths::READ, 0) {
            expect_ok!(call::fd_read(file, iovec_of(&buffer).at(), 1, count.at()));
            let bytes = buffer.get();
            let whole = count.get() as usize == SIZE && bytes.iter().all(|byte| *byte == bytes[0]);
            check!(whole, "a torn version of {} bytes", count.get());
            call::fd_close(file);
        } else {
            check!(false, "there was no file for a moment");
        }
        codepod_sys::process::yield_now();
    }
    let ended = wait(Of::Process(pid));
    check!(
        ended == Ok((pid, Status::Exited(0))),
        "the writer: {ended:?}"
    );
    drop(scratch);
    finish();
}

fn replace(directory: u32, prefix: &str, round: u32) {
    let (new, name) = (format!("{prefix}new"), format!("{prefix}file"));
    let file = paths::create(directory, &new);
    let bytes = [b'a' + (round % 26) as u8; SIZE];
    expect_ok!(call::fd_write(
        file,
        iovec(&bytes).at(),
        1,
        Slot::new(0u32).at()
    ));
    call::fd_close(file);
    expect_ok!(paths::rename(directory, &new, &name));
}
