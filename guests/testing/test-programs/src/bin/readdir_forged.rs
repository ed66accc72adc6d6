//! Directories: cookies that nobody gave out, buffers of every small size, entries removed while
//! reading.

use std::collections::BTreeSet;
use test_programs::resources::names;
use test_programs::{Scratch, Slot, call, check, expect_ok, finish, paths};

fn main() {
    let scratch = Scratch::new("readdir-forged");
    let directory = scratch.fd;
    for number in 0..40 {
        paths::touch(directory, &format!("entry-{number}"));
    }
    let (buffer, used) = (Slot::new([0u8; 256]), Slot::new(0u32));
    for cookie in [
        1 << 32,
        1 << 63,
        u64::MAX - 1,
        u64::MAX,
        41,
        43,
        1000,
        0x5555_5555_5555_5555,
    ] {
        let number = call::fd_readdir(directory, buffer.at(), 256, cookie, used.at());
        check!(
            number == 0 && used.get() <= 256,
            "cookie {cookie:x}: {number}, {}",
            used.get()
        );
    }
    for size in 0..64 {
        buffer.set([0xee; 256]);
        expect_ok!(call::fd_readdir(directory, buffer.at(), size, 0, used.at()));
        check!(used.get() <= size, "{} of {size} bytes used", used.get());
        let rest = &buffer.get()[size as usize..];
        check!(
            rest.iter().all(|byte| *byte == 0xee),
            "size {size}: written beyond the buffer"
        );
    }

    // Every entry is seen once, though each is removed as soon as it is seen.
    let (mut seen, mut cookie, mut rounds) = (BTreeSet::new(), 0u64, 0);
    loop {
        expect_ok!(call::fd_readdir(
            directory,
            buffer.at(),
            100,
            cookie,
            used.at()
        ));
        let bytes = buffer.get();
        let mut rest = &bytes[..used.get() as usize];
        let mut whole = 0;
        while let Some((head, tail)) = rest.split_at_checked(24) {
            let length = u32::from_le_bytes([head[16], head[17], head[18], head[19]]) as usize;
            let Some((name, tail)) = tail.split_at_checked(length) else {
                break;
            };
            let mut next = [0; 8];
            next.copy_from_slice(&head[..8]);
            cookie = u64::from_le_bytes(next);
            let name = String::from_utf8_lossy(name).into_owned();
            if name.starts_with("entry-") {
                expect_ok!(paths::unlink(directory, &name));
                check!(seen.insert(name.clone()), "{name} came twice");
            }
            (rest, whole) = (tail, whole + 1);
        }
        rounds += 1;
        if whole == 0 || rounds > 1000 {
            break;
        }
    }
    check!(seen.len() == 40, "saw {} of 40", seen.len());
    check!(names(directory).is_empty(), "left: {:?}", names(directory));
    drop(scratch);
    finish();
}
