//! Prints the environment as it came, one `NAME=value` a line, in its order.

use std::io::Write;
use test_programs::{Slot, call, check, expect_ok, finish};

fn main() {
    let (count, size) = (Slot::new(0u32), Slot::new(0u32));
    expect_ok!(call::environ_sizes_get(count.at(), size.at()));
    // Two words more than needed, so that neither vector is without an address when it is empty.
    let mut pointers = vec![0u32; count.get() as usize + 2];
    let mut strings = vec![0u8; size.get() as usize + 2];
    expect_ok!(call::environ_get(
        pointers.as_mut_ptr().expose_provenance() as u32,
        strings.as_mut_ptr().expose_provenance() as u32
    ));
    let mut out = std::io::stdout().lock();
    let mut lines = 0;
    for variable in strings[..size.get() as usize].split_inclusive(|&byte| byte == 0) {
        let _ = out.write_all(&variable[..variable.len() - 1]);
        let _ = out.write_all(b"\n");
        lines += 1;
    }
    check!(
        lines == count.get(),
        "{lines} strings, {} variables",
        count.get()
    );
    finish();
}
