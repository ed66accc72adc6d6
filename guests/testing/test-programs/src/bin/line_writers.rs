//! `line_writers LINES BYTES` starts two writers on its standard output, one of `a`, one of `b`;
//! each writes so many lines of so many bytes, a line in one write. They must not mix.

use codepod_sys::descriptor::write;
use codepod_sys::process::{Of, wait};
use codepod_sys::{Errno, Fd, Spawn};
use test_programs::resources::number_argument;

fn main() -> Result<(), Errno> {
    let (lines, bytes) = (number_argument(1, 100), number_argument(2, 80));
    if let Some(letter) = std::env::args().nth(3) {
        let mut line = vec![letter.as_bytes()[0]; bytes as usize];
        line[bytes as usize - 1] = b'\n';
        for _ in 0..lines {
            if write(Fd::STDOUT, &line)? != line.len() {
                println!("a line went in by half");
                std::process::exit(1);
            }
        }
        return Ok(());
    }
    let (lines, bytes) = (lines.to_string(), bytes.to_string());
    for letter in ["a", "b"] {
        Spawn::new("/bin/line_writers")
            .args(["line_writers", &lines, &bytes, letter])
            .stdio()
            .start()?;
    }
    let first = wait(Of::Any)?.1.code();
    let second = wait(Of::Any)?.1.code();
    std::process::exit((first | second) as i32);
}
