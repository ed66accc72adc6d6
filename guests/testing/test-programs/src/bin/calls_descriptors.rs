//! Making and duplicating descriptors: every outcome of `fd_pipe`, `fd_dup`, `fd_dup_to`,
//! `sock_pair`.

use codepod_abi::wire::socket::{STREAM, UNIX};
use test_programs::resources::{close_both, fill_descriptors, pipe};
use test_programs::{
    BAD, CLOSED, Errno, Slot, call, check, expect_errno, expect_ok, finish, sockets,
};

fn main() {
    test_programs::start();
    let (first, second) = (Slot::new(CLOSED), Slot::new(CLOSED));
    // fd_pipe: success, Fault; Mfile and Nfile are below.
    expect_ok!(call::fd_pipe(first.at(), second.at()));
    check!(first.get() != second.get(), "both ends are {}", first.get());
    close_both((first.get(), second.get()));
    expect_errno!(call::fd_pipe(BAD, second.at()), Errno::Fault);
    expect_errno!(call::fd_pipe(first.at(), BAD), Errno::Fault);

    // sock_pair: success, Fault; Mfile and Nfile are below.
    expect_ok!(call::sock_pair(first.at(), second.at()));
    close_both((first.get(), second.get()));
    expect_errno!(call::sock_pair(BAD, second.at()), Errno::Fault);
    expect_errno!(call::sock_pair(first.at(), BAD), Errno::Fault);

    // fd_dup: success, Badf, Fault, Inval; Mfile is below.
    let new = Slot::new(0u32);
    expect_ok!(call::fd_dup(1, 20, new.at()));
    check!(new.get() == 20, "duplicated onto {}", new.get());
    expect_ok!(call::fd_dup(1, 20, new.at()));
    check!(new.get() == 21, "duplicated onto {}", new.get());
    expect_errno!(call::fd_dup(CLOSED, 0, new.at()), Errno::Badf);
    expect_errno!(call::fd_dup(1, 0, BAD), Errno::Fault);
    expect_errno!(call::fd_dup(1, 64, new.at()), Errno::Inval);
    expect_errno!(call::fd_dup(1, u32::MAX, new.at()), Errno::Inval);

    // fd_dup_to: success, Badf.
    expect_ok!(call::fd_dup_to(1, 21));
    expect_ok!(call::fd_dup_to(1, 22));
    expect_ok!(call::fd_dup_to(22, 22));
    expect_errno!(call::fd_dup_to(CLOSED, 22), Errno::Badf);
    expect_errno!(call::fd_dup_to(1, 64), Errno::Badf);
    expect_errno!(call::fd_dup_to(1, u32::MAX), Errno::Badf);
    for fd in 20..23 {
        expect_ok!(call::fd_close(fd));
    }

    // fd_dup, fd_pipe, sock_pair: Mfile. A failed call must leave no descriptor behind, so exactly
    // as many are free as there were before.
    let filled = fill_descriptors();
    check!(
        filled.len() == 64 - 5,
        "{} descriptors were free",
        filled.len()
    );
    expect_errno!(call::fd_dup(1, 0, new.at()), Errno::Mfile);
    expect_errno!(call::fd_pipe(first.at(), second.at()), Errno::Mfile);
    expect_errno!(call::sock_pair(first.at(), second.at()), Errno::Mfile);
    // One free number is not enough for two ends.
    call::fd_close(filled[0]);
    expect_errno!(call::fd_pipe(first.at(), second.at()), Errno::Mfile);
    for fd in &filled[1..] {
        call::fd_close(*fd);
    }

    // fd_pipe: Nfile.
    let pipes: Vec<_> = (0..14).map(|_| pipe()).collect();
    let mut more = Vec::new();
    let mut number = 0;
    while number == 0 && more.len() < 10 {
        number = call::fd_pipe(first.at(), second.at());
        if number == 0 {
            more.push((first.get(), second.get()));
        }
    }
    check!(
        number == u32::from(Errno::Nfile.raw()),
        "too many pipes: {number}, not Nfile"
    );
    for pair in pipes.into_iter().chain(more) {
        close_both(pair);
    }

    // sock_pair: Nfile. One free place is not enough for two ends.
    let alone = sockets::socket(UNIX, STREAM, 0);
    let mut pairs = Vec::new();
    let mut number = 0;
    while number == 0 && pairs.len() < 20 {
        number = call::sock_pair(first.at(), second.at());
        if number == 0 {
            pairs.push((first.get(), second.get()));
        }
    }
    check!(
        number == u32::from(Errno::Nfile.raw()),
        "too many sockets: {number}, not Nfile"
    );
    for pair in pairs {
        close_both(pair);
    }
    call::fd_close(alone);
    finish();
}
