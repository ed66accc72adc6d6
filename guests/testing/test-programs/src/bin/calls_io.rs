//! Reading and writing, at the descriptor's offset and at others: every outcome of the four calls.

use codepod_abi::wire::wasi::{fdflags, rights};
use test_programs::paths::{self, READ, WRITE};
use test_programs::resources::{
    close_both, expect_interrupted, fill_bytes, fill_pipe, ignore, pipe, without_right,
};
use test_programs::{
    BAD, CLOSED, Errno, Scratch, Signal, Slot, TOO_MANY_IOVECS, call, check, expect_errno,
    expect_ok, finish, iovec, iovec_of,
};

const MIB: u64 = 1 << 20;

/// As many empty iovecs as no call takes.
static IOVECS: [[u32; 2]; TOO_MANY_IOVECS as usize] = [[0; 2]; TOO_MANY_IOVECS as usize];

fn main() {
    ignore(Signal::Pipe);
    // On Linux a file that would grow too long also means SIGXFSZ.
    ignore(Signal::Xfsz);
    let scratch = Scratch::new("calls-io");
    write(scratch.fd);
    read(scratch.fd);
    read_until(scratch.fd);
    pread(scratch.fd);
    pwrite(scratch.fd);
    no_space(scratch.fd);
    drop(scratch);
    finish();
}

fn too_many() -> u32 {
    IOVECS.as_ptr().expose_provenance() as u32
}

fn write(directory: u32) {
    // fd_write: success, Badf, Fault, Inval, Again, Intr, Pipe, Fbig, NotCapable; NoSpc is below.
    let file = paths::create(directory, "file");
    let (iovs, count) = (iovec(b"some bytes"), Slot::new(0u32));
    expect_ok!(call::fd_write(file, iovs.at(), 1, count.at()));
    check!(count.get() == 10, "wrote {}", count.get());
    expect_ok!(call::fd_write(file, iovs.at(), 0, count.at()));
    check!(count.get() == 0, "wrote {} of nothing", count.get());
    expect_errno!(
        call::fd_write(CLOSED, iovs.at(), 1, count.at()),
        Errno::Badf
    );
    let readable = paths::open(directory, "file", 0, READ, 0).unwrap_or(CLOSED);
    expect_errno!(
        call::fd_write(readable, iovs.at(), 1, count.at()),
        Errno::Badf
    );
    expect_errno!(call::fd_write(file, BAD, 1, count.at()), Errno::Fault);
    let beyond = Slot::new([BAD, 100u32]);
    expect_errno!(
        call::fd_write(file, beyond.at(), 1, count.at()),
        Errno::Fault
    );
    expect_errno!(call::fd_write(file, iovs.at(), 1, BAD), Errno::Fault);
    expect_errno!(
        call::fd_write(file, too_many(), TOO_MANY_IOVECS, count.at()),
        Errno::Inval
    );
    let bare = without_right(directory, "bare", rights::FD_WRITE);
    expect_errno!(
        call::fd_write(bare, iovs.at(), 1, count.at()),
        Errno::NotCapable
    );
    expect_ok!(call::fd_seek(file, 2 * MIB as i64, 0, Slot::new(0u64).at()));
    expect_errno!(call::fd_write(file, iovs.at(), 1, count.at()), Errno::Fbig);

    let (reading, writing) = pipe();
    fill_pipe(writing);
    expect_errno!(
        call::fd_write(writing, iovs.at(), 1, count.at()),
        Errno::Again
    );
    expect_ok!(call::fd_fdstat_set_flags(writing, 0));
    expect_interrupted(line!(), "fd_write to a full pipe", || {
        call::fd_write(writing, iovs.at(), 1, count.at())
    });
    call::fd_close(reading);
    expect_errno!(
        call::fd_write(writing, iovs.at(), 1, count.at()),
        Errno::Pipe
    );
    close_both((writing, bare));
    close_both((file, readable));
}

fn read(directory: u32) {
    // fd_read: success, Badf, Fault, Inval, IsDir, Again, Intr, NotCapable.
    let file = paths::open(directory, "file", 0, READ, 0).unwrap_or(CLOSED);
    let (buffer, count) = (Slot::new([0u8; 4]), Slot::new(0u32));
    let iovs = iovec_of(&buffer);
    expect_ok!(call::fd_read(file, iovs.at(), 1, count.at()));
    check!(
        count.get() == 4 && &buffer.get() == b"some",
        "read {:?}",
        buffer.get()
    );
    expect_errno!(call::fd_read(CLOSED, iovs.at(), 1, count.at()), Errno::Badf);
    let writable = paths::open(directory, "file", 0, WRITE, 0).unwrap_or(CLOSED);
    expect_errno!(
        call::fd_read(writable, iovs.at(), 1, count.at()),
        Errno::Badf
    );
    expect_errno!(call::fd_read(file, BAD, 1, count.at()), Errno::Fault);
    let beyond = Slot::new([BAD, 100u32]);
    expect_errno!(
        call::fd_read(file, beyond.at(), 1, count.at()),
        Errno::Fault
    );
    expect_errno!(
        call::fd_read(file, too_many(), TOO_MANY_IOVECS, count.at()),
        Errno::Inval
    );
    expect_errno!(
        call::fd_read(directory, iovs.at(), 1, count.at()),
        Errno::IsDir
    );
    let bare = without_right(directory, "bare", rights::FD_READ);
    expect_errno!(
        call::fd_read(bare, iovs.at(), 1, count.at()),
        Errno::NotCapable
    );

    let (reading, writing) = pipe();
    expect_interrupted(line!(), "fd_read from an empty pipe", || {
        call::fd_read(reading, iovs.at(), 1, count.at())
    });
    expect_ok!(call::fd_fdstat_set_flags(reading, fdflags::NONBLOCK.into()));
    expect_errno!(
        call::fd_read(reading, iovs.at(), 1, count.at()),
        Errno::Again
    );
    call::fd_close(writing);
    expect_ok!(call::fd_read(reading, iovs.at(), 1, count.at()));
    check!(count.get() == 0, "read {} at the end", count.get());
    close_both((reading, bare));
    close_both((file, writable));
}

fn read_until(directory: u32) {
    // fd_read_until: success, Badf, Fault, Inval, IsDir, Again, Intr, NotCapable.
    let (buffer, count) = (Slot::new([0u8; 300]), Slot::new(0u32));
    let until = |fd: u32, most: u32, delimiter: u8| {
        call::fd_read_until(fd, buffer.at(), most, delimiter.into(), count.at())
    };
    let expect = |fd: u32, most: u32, delimiter: u8, expected: &[u8]| {
        expect_ok!(until(fd, most, delimiter));
        let got = &buffer.get()[..count.get() as usize];
        check!(got == expected, "read {got:?} for {expected:?}");
    };
    // Lines of a file, one of them longer than what is looked at first.
    let long = [b'l'; 250];
    let text = [b"one\ntwo words\n", &long[..], b"\nlast"].concat();
    let file = paths::create(directory, "lines");
    expect_ok!(call::fd_write(file, iovec(&text).at(), 1, count.at()));
    expect_ok!(call::fd_seek(file, 0, 0, Slot::new(0u64).at()));
    expect(file, 300, b'\n', b"one\n");
    expect(file, 2, b'\n', b"tw");
    expect(file, 300, b' ', b"o ");
    expect(file, 0, b'\n', b"");
    expect(file, 300, b'\n', b"words\n");
    expect(file, 300, b'\n', &[&long[..], b"\n"].concat());
    expect(file, 300, b'\n', b"last");
    expect(file, 300, b'\n', b"");

    // A pipe gives up to the delimiter, or what there is, and keeps the rest.
    let (reading, writing) = pipe();
    expect_ok!(call::fd_write(
        writing,
        iovec(b"one\ntwo\0th").at(),
        1,
        count.at()
    ));
    expect(reading, 300, b'\n', b"one\n");
    expect(reading, 300, 0, b"two\0");
    expect(reading, 300, b'\n', b"th");
    expect_interrupted(line!(), "fd_read_until from an empty pipe", || {
        until(reading, 300, b'\n')
    });
    expect_ok!(call::fd_fdstat_set_flags(reading, fdflags::NONBLOCK.into()));
    expect_errno!(until(reading, 300, b'\n'), Errno::Again);
    call::fd_close(writing);
    expect(reading, 300, b'\n', b"");

    expect_errno!(until(CLOSED, 300, 0), Errno::Badf);
    expect_errno!(until(directory, 300, 0), Errno::IsDir);
    let bare = without_right(directory, "bare", rights::FD_READ);
    expect_errno!(until(bare, 300, 0), Errno::NotCapable);
    expect_errno!(
        call::fd_read_until(file, BAD, 300, 0, count.at()),
        Errno::Fault
    );
    expect_errno!(
        call::fd_read_until(file, buffer.at(), 300, 0, BAD),
        Errno::Fault
    );
    expect_errno!(
        call::fd_read_until(file, buffer.at(), 300, 256, count.at()),
        Errno::Inval
    );
    close_both((reading, bare));
    call::fd_close(file);
}

fn pread(directory: u32) {
    // fd_pread: success, Badf, Fault, Inval, IsDir, Spipe, NotCapable.
    let file = paths::open(directory, "file", 0, READ, 0).unwrap_or(CLOSED);
    let (buffer, count) = (Slot::new([0u8; 5]), Slot::new(0u32));
    let iovs = iovec_of(&buffer);
    expect_ok!(call::fd_pread(file, iovs.at(), 1, 5, count.at()));
    check!(&buffer.get() == b"bytes", "read {:?}", buffer.get());
    expect_ok!(call::fd_pread(file, iovs.at(), 1, 1 << 40, count.at()));
    check!(count.get() == 0, "read {} beyond the end", count.get());
    expect_errno!(
        call::fd_pread(CLOSED, iovs.at(), 1, 0, count.at()),
        Errno::Badf
    );
    expect_errno!(call::fd_pread(file, BAD, 1, 0, count.at()), Errno::Fault);
    expect_errno!(call::fd_pread(file, iovs.at(), 1, 0, BAD), Errno::Fault);
    expect_errno!(
        call::fd_pread(file, too_many(), TOO_MANY_IOVECS, 0, count.at()),
        Errno::Inval
    );
    expect_errno!(
        call::fd_pread(directory, iovs.at(), 1, 0, count.at()),
        Errno::IsDir
    );
    let (reading, writing) = pipe();
    expect_errno!(
        call::fd_pread(reading, iovs.at(), 1, 0, count.at()),
        Errno::Spipe
    );
    let bare = without_right(directory, "bare", rights::FD_READ);
    expect_errno!(
        call::fd_pread(bare, iovs.at(), 1, 0, count.at()),
        Errno::NotCapable
    );
    close_both((reading, writing));
    close_both((file, bare));
}

fn pwrite(directory: u32) {
    // fd_pwrite: success, Badf, Fault, Inval, Spipe, Fbig, NotCapable; NoSpc is below.
    let file = paths::create(directory, "pwrite");
    let (iovs, count) = (iovec(b"abc"), Slot::new(0u32));
    expect_ok!(call::fd_pwrite(file, iovs.at(), 1, 3, count.at()));
    check!(count.get() == 3, "wrote {}", count.get());
    expect_errno!(
        call::fd_pwrite(CLOSED, iovs.at(), 1, 0, count.at()),
        Errno::Badf
    );
    expect_errno!(call::fd_pwrite(file, BAD, 1, 0, count.at()), Errno::Fault);
    expect_errno!(
        call::fd_pwrite(file, too_many(), TOO_MANY_IOVECS, 0, count.at()),
        Errno::Inval
    );
    let (reading, writing) = pipe();
    expect_errno!(
        call::fd_pwrite(writing, iovs.at(), 1, 0, count.at()),
        Errno::Spipe
    );
    expect_errno!(
        call::fd_pwrite(file, iovs.at(), 1, 2 * MIB, count.at()),
        Errno::Fbig
    );
    expect_errno!(
        call::fd_pwrite(file, iovs.at(), 1, 1 << 62, count.at()),
        Errno::Fbig
    );
    let bare = without_right(directory, "bare", rights::FD_WRITE);
    expect_errno!(
        call::fd_pwrite(bare, iovs.at(), 1, 0, count.at()),
        Errno::NotCapable
    );
    close_both((reading, writing));
    close_both((file, bare));
}

fn no_space(directory: u32) {
    // fd_write, fd_pwrite: NoSpc.
    let file = paths::create(directory, "last");
    let (iovs, count) = (iovec(b"abc"), Slot::new(0u32));
    let filled = fill_bytes(directory);
    check!(filled > MIB, "only {filled} bytes fitted");
    expect_errno!(call::fd_write(file, iovs.at(), 1, count.at()), Errno::NoSpc);
    expect_errno!(
        call::fd_pwrite(file, iovs.at(), 1, 0, count.at()),
        Errno::NoSpc
    );
    call::fd_close(file);
}
