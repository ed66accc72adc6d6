//! How big the guests are that ship: as they are, compressed, and as machine code.

use std::path::Path;

use toml::Value;

use crate::cache;
use crate::failure::{Failure, Outcome};
use crate::process;

/// Guests that only tests use.
pub(crate) const NOT_SHIPPED: [&str; 2] = ["spec-helpers", "test-programs"];

/// A module's sizes in bytes.
#[derive(Debug, Default, Clone, Copy)]
struct Sizes {
    raw: u64,
    compressed: u64,
    compiled: u64,
}

/// How big a file is when compressed for shipping.
pub(crate) fn compressed(file: &Path) -> Outcome<usize> {
    let compressed = file.with_extension("wasm.zst");
    process::program("zstd")
        .args(["--quiet", "--force", "-19", "-o"])
        .arg(&compressed)
        .arg(file)
        .hint("`cargo xtask setup` brings it (Debian: package zstd)")
        .output()?;
    Ok(usize::try_from(length(&compressed)?).unwrap_or(usize::MAX))
}

/// Prints the sizes of the modules in `guests/dist` that ship.
pub(crate) fn print() -> Outcome {
    let dist = cache::in_root("guests/dist");
    let table = cache::read_toml(&dist.join("guests.toml"))?;
    let entries = table.get("guest").and_then(Value::as_array);
    let mut all = Sizes::default();
    println!("module                 KB    zstd KB  machine code KB");
    for entry in entries.into_iter().flatten() {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        if NOT_SHIPPED.contains(&text("group")) {
            continue;
        }
        let number = |key: &str| entry.get(key).and_then(Value::as_integer).unwrap_or(0);
        let code = dist.join(text("file")).with_extension("cwasm");
        let sizes = Sizes {
            raw: number("bytes").unsigned_abs(),
            compressed: number("compressed").unsigned_abs(),
            compiled: if code.exists() { length(&code)? } else { 0 },
        };
        line(text("name"), sizes);
        all.raw += sizes.raw;
        all.compressed += sizes.compressed;
        all.compiled += sizes.compiled;
    }
    line("all", all);
    Ok(())
}

fn line(name: &str, sizes: Sizes) {
    let [raw, compressed, compiled] =
        [sizes.raw, sizes.compressed, sizes.compiled].map(|bytes| bytes.div_ceil(1000));
    println!("{name:<17} {raw:>8} {compressed:>10} {compiled:>16}");
}

fn length(file: &Path) -> Outcome<u64> {
    let metadata = std::fs::metadata(file);
    Ok(metadata
        .map_err(|error| Failure::file("read", file, error))?
        .len())
}
