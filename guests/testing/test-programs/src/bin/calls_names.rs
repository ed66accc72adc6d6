//! Names of hosts: every outcome of `name_resolve` and `name_of`.

use codepod_abi::wire::socket::ADDRESS_SLOT;
use test_programs::sockets::{connect, inet, loopback, socket, unix};
use test_programs::{BAD, Errno, Slot, at, call, check, expect_errno, expect_ok, finish, len};

fn main() {
    test_programs::start();
    let (slots, count) = (Slot::new([0u8; ADDRESS_SLOT]), Slot::new(0u32));
    let resolve = |name: &str| {
        let name = name.as_bytes();
        let room = ADDRESS_SLOT as u32;
        call::name_resolve(at(name), len(name), slots.at(), room, count.at())
    };
    let address = || slots.get()[..8].to_vec();

    // name_resolve: success, Fault, Inval, NoEnt.
    expect_ok!(resolve("localhost"));
    check!(
        count.get() == 1 && address() == loopback(0),
        "{} addresses: {:?}",
        count.get(),
        address()
    );
    expect_ok!(resolve("0x7f.1"));
    check!(address() == loopback(0), "{:?}", address());
    expect_errno!(resolve("1.2.3.256"), Errno::NoEnt);
    expect_errno!(resolve("no name"), Errno::Inval);
    expect_errno!(resolve(""), Errno::Inval);
    expect_errno!(resolve(&"x.".repeat(200)), Errno::Inval);
    expect_errno!(
        call::name_resolve(BAD, 9, slots.at(), 28, count.at()),
        Errno::Fault
    );
    expect_errno!(
        call::name_resolve(at(b"x"), 1, BAD, 28, count.at()),
        Errno::Fault
    );
    expect_errno!(
        call::name_resolve(at(b"x"), 1, slots.at(), 28, BAD),
        Errno::Fault
    );
    // Without room it only counts.
    expect_ok!(call::name_resolve(
        at(b"localhost"),
        9,
        slots.at(),
        0,
        count.at()
    ));
    check!(count.get() == 1, "{} addresses", count.get());

    // A name beyond the sandbox has an address here, and only here.
    expect_ok!(resolve("example.com"));
    let example = address();
    check!(example[4..6] == [198, 18], "{example:?}");
    expect_ok!(resolve("EXAMPLE.com."));
    check!(address() == example, "{:?}, not {example:?}", address());
    let fd = socket(1, 6, 0);
    expect_errno!(connect(fd, &example), Errno::Access);
    call::fd_close(fd);

    // name_of: success, Fault, AfNoSupport, Inval, NoEnt, Range.
    let (text, used) = (Slot::new([0u8; 64]), Slot::new(0u32));
    let name_of =
        |address: &[u8], room| call::name_of(at(address), len(address), text.at(), room, used.at());
    expect_ok!(name_of(&example, 64));
    let told = text.get();
    check!(
        told.starts_with(b"example.com") && used.get() == 11,
        "{:?}",
        String::from_utf8_lossy(&told)
    );
    expect_errno!(name_of(&example, 10), Errno::Range);
    expect_errno!(name_of(&example[..5], 64), Errno::Inval);
    expect_errno!(name_of(&unix("/a/path"), 64), Errno::AfNoSupport);
    expect_errno!(name_of(&inet([198, 18, 200, 1], 0), 64), Errno::NoEnt);
    expect_errno!(
        call::name_of(BAD, 8, text.at(), 64, used.at()),
        Errno::Fault
    );
    expect_errno!(
        call::name_of(at(&example), 8, BAD, 64, used.at()),
        Errno::Fault
    );
    expect_errno!(
        call::name_of(at(&example), 8, text.at(), 64, BAD),
        Errno::Fault
    );
    finish();
}
