//! Two processes meet at a fifo: opening waits for the other end, and the end of writing is seen.

use codepod_sys::process::{Of, Status, wait};
use codepod_sys::{Errno, Spawn};
use test_programs::resources::sleep;
use test_programs::{
    CLOSED, HOME, Scratch, Slot, call, check, expect_ok, finish, iovec, iovec_of, paths,
};

fn main() -> Result<(), Errno> {
    if std::env::args().nth(1).is_some() {
        test_programs::start();
        sleep(20_000_000);
        let fifo = paths::open(HOME, "fifo-talk/fifo", 0, paths::WRITE, 0).unwrap_or(CLOSED);
        expect_ok!(call::fd_write(
            fifo,
            iovec(b"hello").at(),
            1,
            Slot::new(0u32).at()
        ));
        expect_ok!(call::fd_close(fifo));
        finish();
    }
    let scratch = Scratch::new("fifo-talk");
    expect_ok!(paths::mkfifo(scratch.fd, "fifo"));
    let pid = Spawn::new("/bin/fifo_talk")
        .args(["fifo_talk", "writer"])
        .stdio()
        .start()?;
    let fifo = paths::open(scratch.fd, "fifo", 0, paths::READ, 0).unwrap_or(CLOSED);
    let (buffer, count) = (Slot::new([0u8; 16]), Slot::new(0u32));
    expect_ok!(call::fd_read(fifo, iovec_of(&buffer).at(), 1, count.at()));
    check!(
        buffer.get().starts_with(b"hello") && count.get() == 5,
        "read {:?}",
        buffer.get()
    );
    expect_ok!(call::fd_read(fifo, iovec_of(&buffer).at(), 1, count.at()));
    check!(count.get() == 0, "{} bytes after the end", count.get());
    call::fd_close(fifo);
    let ended = wait(Of::Process(pid));
    check!(
        ended == Ok((pid, Status::Exited(0))),
        "the writer: {ended:?}"
    );
    drop(scratch);
    finish();
}
