//! Fills the file system until there is no room, prints the bytes, and finds all room back
//! afterwards.

use test_programs::resources::{fill_bytes, remove_all};
use test_programs::{Scratch, check, finish};

fn main() {
    let scratch = Scratch::new("file-bomb");
    let first = fill_bytes(scratch.fd);
    println!("{first}");
    remove_all(scratch.fd);
    let second = fill_bytes(scratch.fd);
    check!(second == first, "{first} bytes fitted, then {second}");
    drop(scratch);
    finish();
}
