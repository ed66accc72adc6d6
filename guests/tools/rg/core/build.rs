//! Says where ripgrep's sources are.

use codepod_build_support::source;

fn main() {
    let main = source("ripgrep").join("main.rs");
    println!("cargo:rustc-env=RIPGREP={}", main.display());
}
