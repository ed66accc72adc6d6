//! Duplicates a descriptor until there may be no more, and prints how many that were and what
//! stopped it.

use test_programs::resources::fill_descriptors;
use test_programs::{Errno, Slot, call, check, expect_errno, finish};

fn main() {
    let filled = fill_descriptors();
    expect_errno!(call::fd_dup(1, 0, Slot::new(0u32).at()), Errno::Mfile);
    println!("{} Mfile", filled.len());
    for fd in &filled {
        call::fd_close(*fd);
    }
    check!(
        fill_descriptors().len() == filled.len(),
        "closing did not give all back"
    );
    finish();
}
