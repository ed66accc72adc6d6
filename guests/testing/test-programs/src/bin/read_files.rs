//! `read_files PATH …` prints files, at most 4,096 bytes of each, as they are; `PATH: error` for
//! those that cannot be read. Status 1 when there was one.

use std::io::{Read, Write};

fn main() {
    let mut out = std::io::stdout().lock();
    let mut failed = false;
    for path in std::env::args_os().skip(1) {
        let mut bytes = Vec::new();
        let read =
            std::fs::File::open(&path).and_then(|file| file.take(4096).read_to_end(&mut bytes));
        let _ = out.write_all(&bytes);
        if let Err(error) = read {
            failed = true;
            let _ = writeln!(out, "{}: {error}", path.display());
        }
    }
    drop(out);
    std::process::exit(i32::from(failed));
}
