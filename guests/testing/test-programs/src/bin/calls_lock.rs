//! Locking open files: every outcome of `fd_lock`, who shares a lock, and when it ends.

use codepod_abi::wire::lock::{EXCLUSIVE, NONBLOCK, SHARED, UNLOCK};
use codepod_abi::wire::wasi::oflags::DIRECTORY;
use test_programs::resources::{close_both, expect_interrupted, pipe, spawn, wait};
use test_programs::{
    CLOSED, Errno, Scratch, Slot, call, check, expect_errno, expect_ok, finish, paths,
};

fn main() {
    let scratch = Scratch::new("locks");
    let open = || paths::create(scratch.fd, "file");
    let (a, b) = (open(), open());

    // Badf, Inval.
    expect_errno!(call::fd_lock(CLOSED, SHARED), Errno::Badf);
    expect_errno!(call::fd_lock(CLOSED, UNLOCK), Errno::Badf);
    for operation in [
        0,
        NONBLOCK,
        SHARED | EXCLUSIVE,
        EXCLUSIVE | UNLOCK,
        16,
        u32::MAX,
    ] {
        expect_errno!(call::fd_lock(a, operation), Errno::Inval);
    }

    // Success, Again, Intr: another open file of the node is excluded, also in this process.
    expect_ok!(call::fd_lock(a, EXCLUSIVE));
    expect_ok!(call::fd_lock(a, EXCLUSIVE));
    expect_errno!(call::fd_lock(b, EXCLUSIVE | NONBLOCK), Errno::Again);
    expect_errno!(call::fd_lock(b, SHARED | NONBLOCK), Errno::Again);
    expect_interrupted(line!(), "fd_lock", || call::fd_lock(b, EXCLUSIVE));
    expect_ok!(call::fd_lock(b, UNLOCK));
    expect_errno!(call::fd_lock(b, EXCLUSIVE | NONBLOCK), Errno::Again);

    // A duplicate shares the lock: any of them unlocks, and only the last that closes does.
    let duplicate = Slot::new(CLOSED);
    expect_ok!(call::fd_dup(a, 0, duplicate.at()));
    expect_ok!(call::fd_lock(duplicate.get(), UNLOCK));
    expect_ok!(call::fd_lock(b, SHARED | NONBLOCK));
    expect_ok!(call::fd_lock(a, SHARED | NONBLOCK));

    // Who wants more loses what it had.
    expect_errno!(call::fd_lock(a, EXCLUSIVE | NONBLOCK), Errno::Again);
    expect_ok!(call::fd_lock(b, EXCLUSIVE | NONBLOCK));
    expect_ok!(call::fd_lock(b, UNLOCK | NONBLOCK));
    expect_ok!(call::fd_lock(a, EXCLUSIVE));
    call::fd_close(a);
    expect_errno!(call::fd_lock(b, SHARED | NONBLOCK), Errno::Again);

    // A child inherits it. Who waits goes on when the child, the last to hold it, has ended.
    let pid = Slot::new(0u32);
    expect_ok!(spawn(
        &["sleep_ms", "50"],
        &[[duplicate.get(), 9]],
        u32::MAX,
        &pid
    ));
    call::fd_close(duplicate.get());
    expect_errno!(call::fd_lock(b, EXCLUSIVE | NONBLOCK), Errno::Again);
    expect_ok!(call::fd_lock(b, EXCLUSIVE));
    check!(wait(pid.get()).is_some(), "no child");
    call::fd_close(b);

    // A directory and a pipe can be locked, too; the ends of a pipe exclude nobody.
    let directory = paths::open(scratch.fd, ".", DIRECTORY, paths::READ, 0).unwrap_or(CLOSED);
    expect_ok!(call::fd_lock(directory, EXCLUSIVE | NONBLOCK));
    expect_errno!(call::fd_lock(scratch.fd, SHARED | NONBLOCK), Errno::Again);
    call::fd_close(directory);
    expect_ok!(call::fd_lock(scratch.fd, SHARED | NONBLOCK));
    let ends = pipe();
    expect_ok!(call::fd_lock(ends.0, EXCLUSIVE | NONBLOCK));
    expect_ok!(call::fd_lock(ends.1, EXCLUSIVE | NONBLOCK));
    close_both(ends);
    drop(scratch);
    finish();
}
