//! Calls on a descriptor that move no data: every outcome of each.

use codepod_abi::wire::wasi::{fdflags, filetype, fstflags, rights};
use test_programs::paths::{self, READ};
use test_programs::resources::{close_both, granted, names, pipe, without_right};
use test_programs::{
    BAD, CLOSED, Errno, HOME, ROOT, Scratch, Slot, call, check, expect_errno, expect_ok, finish,
};

const MIB: u64 = 1 << 20;

fn main() {
    let scratch = Scratch::new("calls-fd");
    let directory = scratch.fd;
    room(directory);
    flush_and_close(directory);
    flags_and_rights(directory);
    stat(directory);
    preopens();
    listing(directory);
    offsets(directory);
    renumber(directory);
    drop(scratch);
    finish();
}

fn room(directory: u32) {
    let file = paths::create(directory, "room");
    let (read, write) = pipe();
    // fd_advise: success, Badf, Inval, Spipe.
    expect_ok!(call::fd_advise(file, 0, 100, 0));
    expect_errno!(call::fd_advise(CLOSED, 0, 100, 0), Errno::Badf);
    expect_errno!(call::fd_advise(file, 0, 100, 6), Errno::Inval);
    expect_errno!(call::fd_advise(read, 0, 100, 0), Errno::Spipe);

    // fd_allocate: success, Badf, Inval, Spipe, Fbig, NotCapable.
    expect_ok!(call::fd_allocate(file, 0, 100));
    check!(size(file) == 100, "allocated {}", size(file));
    expect_ok!(call::fd_allocate(file, 0, 10));
    check!(
        size(file) == 100,
        "allocating less cut the file to {}",
        size(file)
    );
    expect_errno!(call::fd_allocate(CLOSED, 0, 100), Errno::Badf);
    expect_errno!(call::fd_allocate(file, 0, 0), Errno::Inval);
    expect_errno!(call::fd_allocate(write, 0, 100), Errno::Spipe);
    expect_errno!(call::fd_allocate(file, 0, 2 * MIB), Errno::Fbig);
    expect_errno!(call::fd_allocate(file, 1 << 62, 1), Errno::Fbig);
    let bare = without_right(directory, "bare", rights::FD_ALLOCATE);
    expect_errno!(call::fd_allocate(bare, 0, 100), Errno::NotCapable);

    // fd_filestat_set_size: success, Badf, Inval, Fbig, NotCapable.
    expect_ok!(call::fd_filestat_set_size(file, 7));
    check!(size(file) == 7, "cut to {}", size(file));
    expect_errno!(call::fd_filestat_set_size(CLOSED, 7), Errno::Badf);
    expect_errno!(call::fd_filestat_set_size(write, 7), Errno::Inval);
    expect_errno!(call::fd_filestat_set_size(file, 2 * MIB), Errno::Fbig);
    let bare_size = without_right(directory, "bare", rights::FD_FILESTAT_SET_SIZE);
    expect_errno!(call::fd_filestat_set_size(bare_size, 7), Errno::NotCapable);

    close_both((read, write));
    close_both((bare, bare_size));
    call::fd_close(file);
}

fn flush_and_close(directory: u32) {
    let file = paths::create(directory, "flush");
    let (read, write) = pipe();
    // fd_datasync: success, Badf, Inval.
    expect_ok!(call::fd_datasync(file));
    expect_errno!(call::fd_datasync(CLOSED), Errno::Badf);
    expect_errno!(call::fd_datasync(write), Errno::Inval);

    // fd_sync: success, Badf, Inval.
    expect_ok!(call::fd_sync(file));
    expect_errno!(call::fd_sync(CLOSED), Errno::Badf);
    expect_errno!(call::fd_sync(write), Errno::Inval);
    close_both((read, write));

    // fd_close: success, Badf.
    expect_ok!(call::fd_close(file));
    expect_errno!(call::fd_close(file), Errno::Badf);
    expect_errno!(call::fd_close(u32::MAX), Errno::Badf);
}

fn flags_and_rights(directory: u32) {
    let file = paths::create(directory, "flags");
    let stat = Slot::new([0u8; 24]);
    // fd_fdstat_set_flags: success, Badf, Inval.
    expect_ok!(call::fd_fdstat_set_flags(file, fdflags::APPEND.into()));
    expect_errno!(call::fd_fdstat_set_flags(CLOSED, 0), Errno::Badf);
    expect_errno!(call::fd_fdstat_set_flags(file, 32), Errno::Inval);
    expect_errno!(call::fd_fdstat_set_flags(file, 1 << 16), Errno::Inval);

    // fd_fdstat_get: success, Badf, Fault.
    expect_ok!(call::fd_fdstat_get(file, stat.at()));
    check!(
        stat.get()[0] == filetype::REGULAR_FILE,
        "type {}",
        stat.get()[0]
    );
    check!(stat.get()[2] == 1, "flags {}", stat.get()[2]);
    expect_ok!(call::fd_fdstat_get(ROOT, stat.at()));
    check!(
        stat.get()[0] == filetype::DIRECTORY,
        "type {}",
        stat.get()[0]
    );
    expect_errno!(call::fd_fdstat_get(CLOSED, stat.at()), Errno::Badf);
    expect_errno!(call::fd_fdstat_get(file, BAD), Errno::Fault);

    // fd_fdstat_set_rights: success, Badf, NotCapable.
    let base = granted(file) & !rights::FD_READ;
    expect_ok!(call::fd_fdstat_set_rights(file, base, 0));
    expect_errno!(call::fd_fdstat_set_rights(CLOSED, 0, 0), Errno::Badf);
    expect_errno!(
        call::fd_fdstat_set_rights(file, base | rights::FD_READ, 0),
        Errno::NotCapable
    );
    expect_errno!(
        call::fd_fdstat_set_rights(file, u64::MAX, 0),
        Errno::NotCapable
    );
    call::fd_close(file);
}

fn stat(directory: u32) {
    let file = paths::create(directory, "stat");
    // fd_filestat_get: success, Badf, Fault.
    let stat = Slot::new([0u64; 8]);
    expect_ok!(call::fd_filestat_get(file, stat.at()));
    expect_errno!(call::fd_filestat_get(CLOSED, stat.at()), Errno::Badf);
    expect_errno!(call::fd_filestat_get(file, BAD), Errno::Fault);

    // fd_filestat_set_times: success, Badf, Inval, Perm.
    let both = fstflags::ATIM | fstflags::MTIM;
    expect_ok!(call::fd_filestat_set_times(
        file,
        1_000_000_007,
        2_000_000_009,
        both
    ));
    expect_ok!(call::fd_filestat_get(file, stat.at()));
    check!(
        stat.get()[5..7] == [1_000_000_007, 2_000_000_009],
        "times {:?}",
        &stat.get()[5..7]
    );
    expect_ok!(call::fd_filestat_set_times(
        file,
        0,
        0,
        fstflags::ATIM_NOW | fstflags::MTIM_NOW
    ));
    expect_errno!(call::fd_filestat_set_times(CLOSED, 0, 0, both), Errno::Badf);
    let contradiction = fstflags::ATIM | fstflags::ATIM_NOW;
    expect_errno!(
        call::fd_filestat_set_times(file, 0, 0, contradiction),
        Errno::Inval
    );
    expect_errno!(call::fd_filestat_set_times(file, 0, 0, 16), Errno::Inval);
    let roots = paths::open(HOME, "rootfile", 0, READ, 0).unwrap_or(CLOSED);
    expect_errno!(call::fd_filestat_set_times(roots, 1, 1, both), Errno::Perm);
    close_both((file, roots));
}

fn preopens() {
    // fd_prestat_get: success, Badf, Fault.
    let prestat = Slot::new([0u32; 2]);
    expect_ok!(call::fd_prestat_get(ROOT, prestat.at()));
    check!(prestat.get() == [0, 1], "prestat {:?}", prestat.get());
    expect_errno!(call::fd_prestat_get(CLOSED, prestat.at()), Errno::Badf);
    expect_errno!(call::fd_prestat_get(1, prestat.at()), Errno::Badf);
    expect_errno!(call::fd_prestat_get(ROOT, BAD), Errno::Fault);

    // fd_prestat_dir_name: success, Badf, Fault, NameTooLong.
    let name = Slot::new([0u8; 8]);
    expect_ok!(call::fd_prestat_dir_name(ROOT, name.at(), 1));
    check!(name.get()[0] == b'/', "name {:?}", name.get());
    expect_errno!(call::fd_prestat_dir_name(CLOSED, name.at(), 1), Errno::Badf);
    expect_errno!(call::fd_prestat_dir_name(ROOT, BAD, 1), Errno::Fault);
    expect_errno!(
        call::fd_prestat_dir_name(ROOT, name.at(), 0),
        Errno::NameTooLong
    );
}

fn listing(directory: u32) {
    // fd_readdir: success, Badf, Fault, NotDir.
    let (buffer, used) = (Slot::new([0u8; 4096]), Slot::new(0u32));
    expect_ok!(call::fd_readdir(directory, buffer.at(), 4096, 0, used.at()));
    check!(
        names(directory).contains(&"stat".into()),
        "names {:?}",
        names(directory)
    );
    expect_errno!(
        call::fd_readdir(CLOSED, buffer.at(), 4096, 0, used.at()),
        Errno::Badf
    );
    expect_errno!(
        call::fd_readdir(directory, BAD, 4096, 0, used.at()),
        Errno::Fault
    );
    expect_errno!(
        call::fd_readdir(directory, buffer.at(), 4096, 0, BAD),
        Errno::Fault
    );
    paths::touch(directory, "listed");
    let file = paths::open(directory, "listed", 0, READ, 0).unwrap_or(CLOSED);
    expect_errno!(
        call::fd_readdir(file, buffer.at(), 4096, 0, used.at()),
        Errno::NotDir
    );
    call::fd_close(file);
}

fn offsets(directory: u32) {
    let file = paths::create(directory, "offsets");
    let (read, write) = pipe();
    let offset = Slot::new(0u64);
    // fd_seek: success, Badf, Fault, Inval, Spipe.
    expect_ok!(call::fd_seek(file, 10, 0, offset.at()));
    expect_ok!(call::fd_seek(file, -3, 1, offset.at()));
    check!(offset.get() == 7, "offset {}", offset.get());
    expect_errno!(call::fd_seek(CLOSED, 0, 0, offset.at()), Errno::Badf);
    expect_errno!(call::fd_seek(file, 7, 0, BAD), Errno::Fault);
    expect_errno!(call::fd_seek(file, 0, 3, offset.at()), Errno::Inval);
    expect_errno!(call::fd_seek(file, -1, 0, offset.at()), Errno::Inval);
    expect_errno!(call::fd_seek(read, 0, 0, offset.at()), Errno::Spipe);

    // fd_tell: success, Badf, Fault, Spipe.
    expect_ok!(call::fd_tell(file, offset.at()));
    check!(offset.get() == 7, "told {}", offset.get());
    expect_errno!(call::fd_tell(CLOSED, offset.at()), Errno::Badf);
    expect_errno!(call::fd_tell(file, BAD), Errno::Fault);
    expect_errno!(call::fd_tell(read, offset.at()), Errno::Spipe);
    close_both((read, write));
    call::fd_close(file);
}

fn renumber(directory: u32) {
    // fd_renumber: success, Badf.
    let (from, to) = (
        paths::create(directory, "from"),
        paths::create(directory, "to"),
    );
    expect_ok!(call::fd_renumber(from, to));
    expect_errno!(call::fd_close(from), Errno::Badf);
    expect_errno!(call::fd_renumber(to, CLOSED), Errno::Badf);
    expect_errno!(call::fd_renumber(CLOSED, to), Errno::Badf);
    expect_ok!(call::fd_renumber(to, to));
    expect_ok!(call::fd_close(to));
}

fn size(fd: u32) -> u64 {
    let stat = Slot::new([0u64; 8]);
    call::fd_filestat_get(fd, stat.at());
    stat.get()[4]
}
