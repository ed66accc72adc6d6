//! Makes directories until there is no room for a node, prints how many, and finds the room back.

use test_programs::resources::{fill_nodes, remove_all};
use test_programs::{Scratch, check, finish};

fn main() {
    let scratch = Scratch::new("node-bomb");
    let first = fill_nodes(scratch.fd);
    println!("{first}");
    remove_all(scratch.fd);
    let second = fill_nodes(scratch.fd);
    check!(second == first, "{first} nodes fitted, then {second}");
    drop(scratch);
    finish();
}
