//! A writer whose reader left dies of SIGPIPE; one that ignores it sees `Pipe`.

use codepod_sys::descriptor::{close, write};
use codepod_sys::pipe::pipe;
use codepod_sys::process::{Of, Status, wait};
use codepod_sys::signal::{Action, set_action};
use codepod_sys::{Errno, Fd, Signal, Spawn};
use test_programs::{check, finish};

fn main() -> Result<(), Errno> {
    if std::env::args().nth(1).as_deref() == Some("child") {
        let written = write(Fd(5), b"x");
        println!("still here: {written:?}");
        std::process::exit(1);
    }
    let (reading, writing) = pipe()?;
    close(reading)?;
    let child = Spawn::new("/bin/sigpipe")
        .args(["sigpipe", "child"])
        .stdio();
    let pid = child.fd(writing, Fd(5)).start()?;
    let ended = wait(Of::Process(pid));
    check!(
        ended == Ok((pid, Status::Signaled(Signal::Pipe))),
        "the writer: {ended:?}"
    );
    set_action(Signal::Pipe, Action::Ignore)?;
    let written = write(writing, b"x");
    check!(
        written == Err(Errno::Pipe),
        "the one that ignores it: {written:?}"
    );
    finish();
}
