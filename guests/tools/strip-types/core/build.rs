//! Says where swc's sources are.

use codepod_build_support::source;

fn main() {
    let main = source("swc_ts_fast_strip").join("lib.rs");
    println!("cargo:rustc-env=SWC_TS_FAST_STRIP={}", main.display());
}
