//! A file that was removed while it is open lives until it is closed.

use test_programs::{Scratch, Slot, call, check, expect_ok, finish, iovec, iovec_of, paths};

fn main() {
    let scratch = Scratch::new("unlinked-open");
    let file = paths::create(scratch.fd, "file");
    let (count, buffer) = (Slot::new(0u32), Slot::new([0u8; 8]));
    expect_ok!(call::fd_write(file, iovec(b"before").at(), 1, count.at()));
    expect_ok!(paths::unlink(scratch.fd, "file"));
    expect_ok!(call::fd_pwrite(file, iovec(b"af").at(), 1, 6, count.at()));
    expect_ok!(call::fd_pread(
        file,
        iovec_of(&buffer).at(),
        1,
        0,
        count.at()
    ));
    check!(&buffer.get() == b"beforeaf", "read {:?}", buffer.get());
    let stat = Slot::new([0u64; 8]);
    expect_ok!(call::fd_filestat_get(file, stat.at()));
    check!(stat.get()[3] == 0, "{} links", stat.get()[3]);
    // Another file may have the name now.
    let other = paths::create(scratch.fd, "file");
    expect_ok!(call::fd_filestat_get(other, stat.at()));
    check!(
        stat.get()[4] == 0,
        "the new file has {} bytes",
        stat.get()[4]
    );
    expect_ok!(call::fd_close(other));
    expect_ok!(call::fd_close(file));
    drop(scratch);
    finish();
}
