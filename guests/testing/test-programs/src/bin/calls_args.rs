//! Arguments, environment, clocks, randomness, version, ids, yielding: every outcome of their
//! calls.

use codepod_abi::ABI_VERSION;
use codepod_abi::wire::{Hash, SpawnRequest};
use test_programs::{
    BAD, Errno, Slot, at, call, check, expect_errno, expect_ok, finish, len, resources,
};

const MEMORY: usize = 64;

fn main() {
    // The environment must not be empty for `environ_get` to have something to write, so a copy of
    // the program started with one does the work.
    if std::env::args().nth(1).as_deref() != Some("child") {
        spawn_child();
        finish();
    }
    arguments();
    environment();
    clocks();
    others();
    hashes();
    finish();
}

fn spawn_child() {
    let (path, argv, env) = (b"/bin/calls_args", b"calls_args\0child\0", b"A=B\0C=\0");
    let fds = [[0u32, 0u32], [1, 1], [2, 2]];
    let request = Slot::new(SpawnRequest {
        path: at(path),
        path_len: len(path),
        argv: at(argv),
        argv_len: len(argv),
        env: at(env),
        env_len: len(env),
        fds: fds.as_ptr().expose_provenance() as u32,
        fds_len: 3,
        group: codepod_abi::wire::GROUP_INHERIT,
        ..SpawnRequest::default()
    });
    let pid = Slot::new(0u32);
    expect_ok!(call::proc_spawn(request.at(), pid.at()));
    let result = resources::wait(pid.get());
    check!(
        result.is_some_and(|result| (result.kind, result.code) == (0, 0)),
        "the child ended with {result:?}"
    );
}

fn arguments() {
    let (count, size) = (Slot::new(0u32), Slot::new(0u32));
    let (pointers, strings) = (Slot::new([0u32; 8]), Slot::new([0u8; MEMORY]));

    // args_sizes_get: success, Fault.
    expect_ok!(call::args_sizes_get(count.at(), size.at()));
    check!(
        (count.get(), size.get()) == (2, 17),
        "sizes {} {}",
        count.get(),
        size.get()
    );
    expect_errno!(call::args_sizes_get(BAD, size.at()), Errno::Fault);
    expect_errno!(call::args_sizes_get(count.at(), BAD), Errno::Fault);

    // args_get: success, Fault.
    expect_ok!(call::args_get(pointers.at(), strings.at()));
    check!(
        &strings.get()[..17] == b"calls_args\0child\0",
        "the arguments' strings"
    );
    check!(
        pointers.get()[..2] == [strings.at(), strings.at() + 11],
        "the arguments' pointers"
    );
    expect_errno!(call::args_get(BAD, strings.at()), Errno::Fault);
    expect_errno!(call::args_get(pointers.at(), BAD), Errno::Fault);
}

fn environment() {
    let (count, size) = (Slot::new(0u32), Slot::new(0u32));
    let (pointers, strings) = (Slot::new([0u32; 8]), Slot::new([0u8; MEMORY]));

    // environ_sizes_get: success, Fault.
    expect_ok!(call::environ_sizes_get(count.at(), size.at()));
    check!(
        (count.get(), size.get()) == (2, 7),
        "sizes {} {}",
        count.get(),
        size.get()
    );
    expect_errno!(call::environ_sizes_get(BAD, size.at()), Errno::Fault);
    expect_errno!(call::environ_sizes_get(count.at(), BAD), Errno::Fault);

    // environ_get: success, Fault.
    expect_ok!(call::environ_get(pointers.at(), strings.at()));
    check!(
        &strings.get()[..7] == b"A=B\0C=\0",
        "the environment's strings"
    );
    expect_errno!(call::environ_get(BAD, strings.at()), Errno::Fault);
    expect_errno!(call::environ_get(pointers.at(), BAD), Errno::Fault);
}

fn clocks() {
    let time = Slot::new(0u64);
    // clock_res_get: success, Inval, Fault.
    for clock in 0..4 {
        expect_ok!(call::clock_res_get(clock, time.at()));
        check!(time.get() > 0, "clock {clock} has no resolution");
    }
    expect_errno!(call::clock_res_get(4, time.at()), Errno::Inval);
    expect_errno!(call::clock_res_get(0, BAD), Errno::Fault);

    // clock_time_get: success, Inval, Fault.
    for clock in 0..4 {
        expect_ok!(call::clock_time_get(clock, 0, time.at()));
    }
    expect_errno!(call::clock_time_get(u32::MAX, 0, time.at()), Errno::Inval);
    expect_errno!(call::clock_time_get(1, 0, BAD), Errno::Fault);
}

fn others() {
    let bytes = Slot::new([0u8; 64]);
    // random_get: success, Fault.
    expect_ok!(call::random_get(bytes.at(), 64));
    check!(bytes.get() != [0; 64], "random bytes are all zero");
    expect_ok!(call::random_get(bytes.at(), 0));
    expect_errno!(call::random_get(BAD, 64), Errno::Fault);
    expect_errno!(call::random_get(16, u32::MAX), Errno::Fault);

    // sched_yield: success.
    expect_ok!(call::sched_yield());

    // abi_version: success, NotSup, Fault.
    let version = Slot::new(0u32);
    expect_ok!(call::abi_version(ABI_VERSION, version.at()));
    check!(version.get() >= ABI_VERSION, "version {}", version.get());
    expect_errno!(call::abi_version(999, version.at()), Errno::NotSup);
    expect_errno!(call::abi_version(ABI_VERSION, BAD), Errno::Fault);

    // proc_ids: success, Fault.
    let ids = Slot::new([0u32; 6]);
    expect_ok!(call::proc_ids(ids.at()));
    let [pid, parent, _, _, uid, gid] = ids.get();
    check!(pid > parent && parent > 0, "ids {:?}", ids.get());
    check!((uid, gid) == (1000, 1000), "user {uid}, group {gid}");
    expect_errno!(call::proc_ids(BAD), Errno::Fault);

    // proc_umask: success, Fault.
    let old = Slot::new(0u32);
    expect_ok!(call::proc_umask(0o027, old.at()));
    let first = old.get();
    expect_ok!(call::proc_umask(first, old.at()));
    check!(old.get() == 0o027, "umask {:o}", old.get());
    expect_errno!(call::proc_umask(first, BAD), Errno::Fault);

    // memory_touched: success, Inval, Fault. A page that was written to is told of; what is behind
    // the end is not.
    let page = std::hint::black_box(vec![1u8; 8192]);
    let start = (page.as_ptr() as u32).next_multiple_of(4096);
    let bits = Slot::new([0u8; 1]);
    expect_ok!(call::memory_touched(start, bits.at(), 1));
    check!(bits.get()[0] & 1 == 1, "touched {:b}", bits.get()[0]);
    expect_ok!(call::memory_touched(0xffff_f000, bits.at(), 1));
    check!(bits.get()[0] == 0, "touched {:b}", bits.get()[0]);
    expect_errno!(call::memory_touched(1, bits.at(), 1), Errno::Inval);
    expect_errno!(call::memory_touched(0, BAD, 1), Errno::Fault);
    expect_errno!(call::memory_touched(0, bits.at(), u32::MAX), Errno::Fault);
}

fn hashes() {
    // hash_blocks: success, Fault, Inval, NotSup. The padded block of no bytes gives the digest of
    // nothing, of FIPS 180-4.
    let mut block = [0u8; 64];
    block[0] = 0x80;
    let at = block.as_ptr() as u32;
    let state = Slot::new([
        0x6745_2301u32,
        0xefcd_ab89,
        0x98ba_dcfe,
        0x1032_5476,
        0xc3d2_e1f0,
    ]);
    expect_ok!(call::hash_blocks(Hash::Sha1 as u32, state.at(), at, 64));
    check!(
        state.get()[0] == 0xda39_a3ee && state.get()[4] == 0xafd8_0709,
        "SHA-1 {:x?}",
        state.get()
    );
    let state = Slot::new([
        0x6a09_e667u32,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ]);
    expect_ok!(call::hash_blocks(Hash::Sha256 as u32, state.at(), at, 64));
    check!(
        state.get()[0] == 0xe3b0_c442 && state.get()[7] == 0x7852_b855,
        "SHA-256 {:x?}",
        state.get()
    );
    let before = state.get();
    expect_ok!(call::hash_blocks(Hash::Sha256 as u32, state.at(), at, 0));
    expect_errno!(
        call::hash_blocks(Hash::Sha256 as u32, state.at(), at, 63),
        Errno::Inval
    );
    expect_errno!(
        call::hash_blocks(Hash::Sha256 as u32, state.at(), 0, Hash::CALL_BYTES + 64),
        Errno::Inval
    );
    expect_errno!(
        call::hash_blocks(Hash::Sha256 as u32, BAD, at, 64),
        Errno::Fault
    );
    expect_errno!(
        call::hash_blocks(Hash::Sha256 as u32, state.at(), BAD, 64),
        Errno::Fault
    );
    expect_errno!(call::hash_blocks(0, state.at(), at, 64), Errno::NotSup);
    expect_errno!(call::hash_blocks(3, state.at(), at, 64), Errno::NotSup);
    check!(state.get() == before, "a refused call changed the state");
}
