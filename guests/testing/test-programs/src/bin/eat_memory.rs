//! `eat_memory MB` takes and touches so much memory, and prints `ate N MB`; `refused at N MB` with
//! status 1 when it gets less.

use std::hint::black_box;
use test_programs::resources::number_argument;

fn main() {
    let wanted = number_argument(1, 16);
    let mut eaten: Vec<Vec<u8>> = Vec::new();
    for megabytes in 0..wanted {
        let mut piece = Vec::new();
        if piece.try_reserve_exact(1 << 20).is_err() {
            println!("refused at {megabytes} MB");
            std::process::exit(1);
        }
        piece.resize(1 << 20, 0xa5);
        eaten.push(black_box(piece));
    }
    println!("ate {} MB", eaten.len());
}
