//! The smallest program that says something.

fn main() {
    println!("hello, world");
}
