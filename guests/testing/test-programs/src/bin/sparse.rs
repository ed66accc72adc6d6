//! Offsets at the far end: nothing is allocated for a hole, nothing overflows, and a hole reads as
//! zeros.

use test_programs::{
    Errno, Scratch, Slot, call, check, expect_errno, expect_ok, finish, iovec, iovec_of, paths,
};

fn main() {
    test_programs::resources::ignore(test_programs::Signal::Xfsz);
    let scratch = Scratch::new("sparse");
    let file = paths::create(scratch.fd, "file");
    let (iovs, count, offset) = (iovec(b"x"), Slot::new(0u32), Slot::new(0u64));

    // Far beyond any file: the seek may be refused, the write must be.
    for far in [i64::MAX, i64::MAX - 1, 1 << 62, 1 << 40] {
        call::fd_seek(file, far, 0, offset.at());
        refused(
            line!(),
            call::fd_pwrite(file, iovs.at(), 1, far.cast_unsigned(), count.at()),
        );
    }
    call::fd_seek(file, i64::MAX, 0, offset.at());
    expect_errno!(call::fd_seek(file, i64::MAX, 1, offset.at()), Errno::Inval);
    refused(line!(), call::fd_write(file, iovs.at(), 1, count.at()));
    for far in [u64::MAX, u64::MAX - 1, 1 << 63] {
        refused(
            line!(),
            call::fd_pwrite(file, iovs.at(), 1, far, count.at()),
        );
        refused(line!(), call::fd_filestat_set_size(file, far));
        refused(line!(), call::fd_allocate(file, far, far));
        refused(line!(), call::fd_allocate(file, 1, far));
    }
    let stat = Slot::new([0u64; 8]);
    expect_ok!(call::fd_filestat_get(file, stat.at()));
    check!(
        stat.get()[4] == 0,
        "refused writes left {} bytes",
        stat.get()[4]
    );

    // The last byte that a file may have.
    expect_ok!(call::fd_pwrite(
        file,
        iovs.at(),
        1,
        (1 << 20) - 1,
        count.at()
    ));
    expect_errno!(
        call::fd_pwrite(file, iovs.at(), 1, 1 << 20, count.at()),
        Errno::Fbig
    );
    let hole = Slot::new([0xffu8; 4096]);
    expect_ok!(call::fd_pread(
        file,
        iovec_of(&hole).at(),
        1,
        500_000,
        count.at()
    ));
    check!(
        hole.get() == [0; 4096] && count.get() == 4096,
        "the hole is not empty"
    );
    call::fd_close(file);
    drop(scratch);
    finish();
}

fn refused(line: u32, number: u32) {
    let allowed = [Errno::Fbig, Errno::Inval].map(|errno| u32::from(errno.raw()));
    if !allowed.contains(&number) {
        test_programs::fail(
            line,
            &format!("far write: {number}, neither Fbig nor Inval"),
        );
    }
}
