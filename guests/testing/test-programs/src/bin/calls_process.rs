//! Processes and the working directory: every outcome of their calls.
//!
//! With the argument `wait` it is its own child: it waits for the end of descriptor 5, then ends
//! with status 7.

use codepod_abi::wire::{GROUP_INHERIT, GROUP_NEW, SpawnRequest, WAIT_NOHANG, WaitResult};
use test_programs::paths::{create_directory, expect_path_errors, remove_directory};
use test_programs::resources::{close_both, expect_interrupted, pipe, spawn, wait};
use test_programs::{
    BAD, CLOSED, Errno, HOME, ROOT, Signal, Slot, at, call, check, expect_errno, expect_ok, finish,
    iovec_of, len,
};

const NOBODY: u32 = 999_999;

fn main() {
    if std::env::args().nth(1).as_deref() == Some("wait") {
        let (buffer, count) = (Slot::new([0u8; 1]), Slot::new(0u32));
        call::fd_read(5, iovec_of(&buffer).at(), 1, count.at());
        // proc_exit: success.
        call::proc_exit(7);
    }
    test_programs::start();
    spawn_paths();
    spawn_requests();
    too_many();
    waits();
    kills();
    groups();
    alarm();
    directory();
    finish();
}

/// A request for `/bin/true_tiny`.
fn request() -> SpawnRequest {
    let (path, argv) = (b"/bin/true_tiny", b"true_tiny\0");
    SpawnRequest {
        path: at(path),
        path_len: len(path),
        argv: at(argv),
        argv_len: len(argv),
        group: GROUP_INHERIT,
        ..SpawnRequest::default()
    }
}

fn start(request: SpawnRequest) -> u32 {
    let (request, pid) = (Slot::new(request), Slot::new(0u32));
    let number = call::proc_spawn(request.at(), pid.at());
    if number == 0 {
        wait(pid.get());
    }
    number
}

fn start_path(path: &str) -> u32 {
    start(SpawnRequest {
        path: at(path.as_bytes()),
        path_len: len(path.as_bytes()),
        ..request()
    })
}

fn spawn_paths() {
    // proc_spawn: success and what is wrong with the path: Access, Inval, IsDir, Loop, NameTooLong,
    // NoEnt, NoExec, NotDir.
    expect_ok!(start(request()));
    expect_errno!(start_path("/home/user/plain.txt"), Errno::Access);
    expect_errno!(start_path("/secret/file"), Errno::Access);
    expect_errno!(start_path("/bin/true\0tiny"), Errno::Inval);
    expect_errno!(start_path("/home/user/ro"), Errno::IsDir);
    test_programs::paths::symlink("spawn-loop", HOME, "spawn-loop");
    expect_errno!(start_path("/home/user/spawn-loop"), Errno::Loop);
    test_programs::paths::unlink(HOME, "spawn-loop");
    expect_errno!(
        start_path(&("/bin/".to_owned() + &"n".repeat(256))),
        Errno::NameTooLong
    );
    expect_errno!(start_path("/bin/absent"), Errno::NoEnt);
    expect_errno!(start_path(""), Errno::NoEnt);
    expect_errno!(start_path("/home/user/garbage"), Errno::NoExec);
    expect_errno!(start_path("/home/user/plain.txt/x"), Errno::NotDir);
}

fn spawn_requests() {
    // proc_spawn: what is wrong with the rest: Fault, Badf, Inval, Perm, TooBig.
    let pid = Slot::new(0u32);
    expect_errno!(call::proc_spawn(BAD, pid.at()), Errno::Fault);
    let good = Slot::new(request());
    expect_errno!(call::proc_spawn(good.at(), BAD), Errno::Fault);
    for broken in [
        SpawnRequest {
            path: BAD,
            ..request()
        },
        SpawnRequest {
            argv: BAD,
            ..request()
        },
        SpawnRequest {
            env: BAD,
            env_len: 64,
            ..request()
        },
        SpawnRequest {
            fds: BAD,
            fds_len: 8,
            ..request()
        },
        SpawnRequest {
            cwd: BAD,
            cwd_len: 64,
            ..request()
        },
    ] {
        expect_errno!(start(broken), Errno::Fault);
    }
    let closed = [[CLOSED, 0]];
    let fds = closed.as_ptr().expose_provenance() as u32;
    expect_errno!(
        start(SpawnRequest {
            fds,
            fds_len: 1,
            ..request()
        }),
        Errno::Badf
    );
    let beyond = [[1, u32::MAX]];
    let fds = beyond.as_ptr().expose_provenance() as u32;
    expect_errno!(
        start(SpawnRequest {
            fds,
            fds_len: 1,
            ..request()
        }),
        Errno::Badf
    );
    expect_errno!(
        start(SpawnRequest {
            flags: 1,
            ..request()
        }),
        Errno::Inval
    );
    // Strings have to be ended by a NUL.
    expect_errno!(
        start(SpawnRequest {
            argv_len: 4,
            ..request()
        }),
        Errno::Inval
    );
    expect_errno!(
        start(SpawnRequest {
            group: NOBODY,
            ..request()
        }),
        Errno::Perm
    );
    let cwd = b"/home/user/absent";
    let elsewhere = SpawnRequest {
        cwd: at(cwd),
        cwd_len: len(cwd),
        ..request()
    };
    expect_errno!(start(elsewhere), Errno::NoEnt);
    let mut big = vec![b'x'; 200 << 10];
    big.push(0);
    let (argv, argv_len) = (at(&big), len(&big));
    expect_errno!(
        start(SpawnRequest {
            argv,
            argv_len,
            ..request()
        }),
        Errno::TooBig
    );
}

/// Starts a child that waits for the pipe's end.
fn waiting_child(reading: u32, group: u32) -> Result<u32, u32> {
    let pid = Slot::new(0u32);
    match spawn(&["calls_process", "wait"], &[[reading, 5]], group, &pid) {
        0 => Ok(pid.get()),
        number => Err(number),
    }
}

fn too_many() {
    // proc_spawn: Again.
    let (reading, writing) = pipe();
    let mut children = Vec::new();
    let mut last = 0;
    while children.len() < 64 {
        match waiting_child(reading, GROUP_INHERIT) {
            Ok(pid) => children.push(pid),
            Err(number) => {
                last = number;
                break;
            }
        }
    }
    check!(
        last == u32::from(Errno::Again.raw()),
        "too many processes: {last}, not Again"
    );
    close_both((reading, writing));
    for pid in children {
        let result = wait(pid);
        check!(
            result.is_some_and(|result| result.code == 7),
            "child ended with {result:?}"
        );
    }
}

fn waits() {
    // proc_wait: success, Fault, Child, Inval, Intr.
    let result = Slot::new(WaitResult::default());
    expect_errno!(call::proc_wait(-1, 0, result.at()), Errno::Child);
    let (reading, writing) = pipe();
    let child = waiting_child(reading, GROUP_INHERIT).unwrap_or(NOBODY);
    let of_child = child.cast_signed();
    expect_errno!(call::proc_wait(of_child, 8, result.at()), Errno::Inval);
    expect_errno!(
        call::proc_wait(NOBODY.cast_signed(), 0, result.at()),
        Errno::Child
    );
    expect_ok!(call::proc_wait(of_child, WAIT_NOHANG, result.at()));
    check!(
        result.get().pid == 0,
        "nobody has ended, but {:?}",
        result.get()
    );
    expect_interrupted(line!(), "proc_wait for a child that waits", || {
        call::proc_wait(-1, 0, result.at())
    });
    close_both((reading, writing));
    expect_ok!(call::proc_wait(0, 0, result.at()));
    let exited = WaitResult {
        pid: child,
        kind: WaitResult::EXITED,
        code: 7,
    };
    check!(result.get() == exited, "waited for {:?}", result.get());
    expect_errno!(call::proc_wait(of_child, 0, result.at()), Errno::Child);

    let (reading, writing) = pipe();
    let child = waiting_child(reading, GROUP_INHERIT)
        .unwrap_or(NOBODY)
        .cast_signed();
    close_both((reading, writing));
    expect_errno!(call::proc_wait(child, 0, BAD), Errno::Fault);
    // Whether the child is then gone is the kernel's choice: Linux has reaped it.
    let _ = call::proc_wait(child, 0, result.at());
}

fn kills() {
    // proc_kill: success, Inval, Srch.
    let ids = Slot::new([0u32; 6]);
    call::proc_ids(ids.at());
    let own = ids.get()[0].cast_signed();
    expect_ok!(call::proc_kill(own, 0));
    expect_errno!(call::proc_kill(own, 65), Errno::Inval);
    expect_errno!(call::proc_kill(own, u32::MAX), Errno::Inval);
    expect_errno!(call::proc_kill(NOBODY.cast_signed(), 0), Errno::Srch);
    expect_errno!(call::proc_kill(-NOBODY.cast_signed(), 15), Errno::Srch);
    expect_errno!(call::proc_kill(i32::MIN, 0), Errno::Srch);

    let (reading, writing) = pipe();
    let child = waiting_child(reading, GROUP_INHERIT).unwrap_or(NOBODY);
    expect_ok!(call::proc_kill(child.cast_signed(), Signal::Term.raw()));
    let result = wait(child).unwrap_or_default();
    check!(
        (result.kind, result.code) == (WaitResult::SIGNALED, Signal::Term.raw()),
        "killed: {result:?}"
    );
    close_both((reading, writing));
}

fn groups() {
    // proc_group_set: success, Inval, Perm, Srch.
    let (reading, writing) = pipe();
    let first = waiting_child(reading, GROUP_INHERIT).unwrap_or(NOBODY);
    let second = waiting_child(reading, GROUP_NEW).unwrap_or(NOBODY);
    expect_ok!(call::proc_group_set(first, 0));
    expect_ok!(call::proc_group_set(second, first));
    expect_errno!(call::proc_group_set(first, 1 << 31), Errno::Inval);
    expect_errno!(call::proc_group_set(first, NOBODY), Errno::Perm);
    expect_errno!(call::proc_group_set(NOBODY, 0), Errno::Srch);
    close_both((reading, writing));
    let result = Slot::new(WaitResult::default());
    expect_ok!(call::proc_wait(-first.cast_signed(), 0, result.at()));
    expect_ok!(call::proc_wait(-first.cast_signed(), 0, result.at()));
}

fn alarm() {
    // proc_alarm: success, Fault.
    let left = Slot::new(1u64);
    expect_ok!(call::proc_alarm(3_600_000_000_000, left.at()));
    check!(left.get() == 0, "{} ns were left of nothing", left.get());
    expect_ok!(call::proc_alarm(0, left.at()));
    check!(
        left.get() > 3_000_000_000_000,
        "{} ns were left",
        left.get()
    );
    expect_errno!(call::proc_alarm(0, BAD), Errno::Fault);
}

fn directory() {
    let (buffer, used) = (Slot::new([0u8; 64]), Slot::new(0u32));
    // proc_cwd: success, Fault, Range; NoEnt is below.
    expect_ok!(call::proc_cwd(buffer.at(), 64, used.at()));
    check!(
        &buffer.get()[..used.get() as usize] == b"/home/user",
        "cwd {:?}",
        buffer.get()
    );
    expect_errno!(call::proc_cwd(BAD, 64, used.at()), Errno::Fault);
    expect_errno!(call::proc_cwd(buffer.at(), 64, BAD), Errno::Fault);
    expect_errno!(call::proc_cwd(buffer.at(), 4, used.at()), Errno::Range);

    // proc_chdir: success and a path's errors.
    expect_path_errors(line!(), "proc_chdir", call::proc_chdir);
    expect_errno!(call::proc_chdir(HOME, at(b"plain.txt"), 9), Errno::NotDir);
    expect_errno!(call::proc_chdir(ROOT, at(b"secret"), 6), Errno::Access);
    expect_ok!(create_directory(HOME, "doomed"));
    expect_ok!(call::proc_chdir(ROOT, at(b"home/user/doomed"), 16));
    expect_ok!(remove_directory(ROOT, "home/user/doomed"));
    expect_errno!(call::proc_cwd(buffer.at(), 64, used.at()), Errno::NoEnt);
    expect_ok!(call::proc_chdir(ROOT, at(b"home/user"), 9));
    expect_ok!(call::proc_cwd(buffer.at(), 64, used.at()));
}
