//! Grows its memory until it is refused and prints the pages reached. `grow all` asks for
//! everything at once first, which must be refused and change nothing.

fn main() {
    let mut pages = size();
    if std::env::args().nth(1).as_deref() == Some("all") {
        assert!(!grown_by(usize::MAX >> 16), "4 GiB were granted");
        assert_eq!(size(), pages, "a refused request changed the size");
    }
    for step in [256, 16, 1] {
        while grown_by(step) {
            pages += step;
            assert_eq!(size(), pages);
        }
    }
    println!("{pages}");
}

#[cfg(target_family = "wasm")]
fn grown_by(pages: usize) -> bool {
    core::arch::wasm32::memory_grow::<0>(pages) != usize::MAX
}

#[cfg(target_family = "wasm")]
fn size() -> usize {
    core::arch::wasm32::memory_size::<0>()
}

#[cfg(not(target_family = "wasm"))]
fn grown_by(_pages: usize) -> bool {
    false
}

#[cfg(not(target_family = "wasm"))]
fn size() -> usize {
    0
}
