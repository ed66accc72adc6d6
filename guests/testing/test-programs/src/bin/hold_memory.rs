//! WM-02: `hold_memory COUNT MB` starts so many processes that each take so much memory and keep it
//! until all have tried. Prints how many got it, how many were refused, and how many could not even
//! start.

use codepod_sys::descriptor::{close, read, write};
use codepod_sys::pipe::pipe;
use codepod_sys::process::{Of, wait};
use codepod_sys::{Errno, Fd, Spawn};
use std::hint::black_box;
use test_programs::resources::number_argument;

fn main() -> Result<(), Errno> {
    let (count, megabytes) = (number_argument(1, 10), number_argument(2, 10));
    let mut buffer = [0u8; 1];
    if std::env::args().nth(3).is_some() {
        let mut memory: Vec<u8> = Vec::new();
        let got = memory.try_reserve_exact((megabytes << 20) as usize).is_ok();
        write(Fd(6), if got { b"y" } else { b"n" })?;
        // Until the first process closes the other end.
        while read(Fd(5), &mut buffer)? > 0 {}
        black_box(memory);
        return Ok(());
    }
    let (wait_read, wait_write) = pipe()?;
    let (shown_count, shown_megabytes) = (count.to_string(), megabytes.to_string());
    let (mut got, mut refused, mut failed) = (0, 0, 0);
    for _ in 0..count {
        let (told_read, told_write) = pipe()?;
        Spawn::new("/bin/hold_memory")
            .args(["hold_memory", &shown_count, &shown_megabytes, "child"])
            .fd(Fd::STDOUT, Fd::STDOUT)
            .fd(wait_read, Fd(5))
            .fd(told_write, Fd(6))
            .start()?;
        close(told_write)?;
        // The end of the pipe without an answer: it did not start.
        match read(told_read, &mut buffer)? {
            0 => failed += 1,
            _ if buffer[0] == b'y' => got += 1,
            _ => refused += 1,
        }
        close(told_read)?;
    }
    close(wait_read)?;
    close(wait_write)?;
    let mut reaped = 0;
    while wait(Of::Any).is_ok() {
        reaped += 1;
    }
    println!("{got} got it, {refused} refused, {failed} failed, {reaped} ended");
    Ok(())
}
