//! `pingpong N` sends a byte to another process and back, so many times, over two pipes. Prints N.

use codepod_sys::descriptor::{close, read, write};
use codepod_sys::pipe::pipe;
use codepod_sys::process::{Of, wait};
use codepod_sys::{Errno, Fd, Spawn};
use test_programs::resources::number_argument;
use test_programs::{check, finish};

fn main() -> Result<(), Errno> {
    let mut ball = [0u8; 1];
    if std::env::args().nth(1).as_deref() == Some("child") {
        while read(Fd(5), &mut ball)? == 1 {
            ball[0] = ball[0].wrapping_add(1);
            write(Fd(6), &ball)?;
        }
        return Ok(());
    }
    let rounds = number_argument(1, 1000);
    let (there_read, there_write) = pipe()?;
    let (back_read, back_write) = pipe()?;
    let child = Spawn::new("/bin/pingpong")
        .args(["pingpong", "child"])
        .stdio();
    let pid = child.fd(there_read, Fd(5)).fd(back_write, Fd(6)).start()?;
    close(there_read)?;
    close(back_write)?;
    for round in 0..rounds {
        write(there_write, &[round as u8])?;
        read(back_read, &mut ball)?;
        check!(
            ball[0] == (round as u8).wrapping_add(1),
            "round {round}: {}",
            ball[0]
        );
    }
    close(there_write)?;
    let (_, status) = wait(Of::Process(pid))?;
    check!(status.code() == 0, "the child: {status:?}");
    println!("{rounds}");
    finish();
}
