//! std's relative paths follow the kernel's working directory, here and in a child.

use std::path::Path;

use codepod_sys::process::{Of, Status, wait};
use codepod_sys::{Errno, Spawn, cwd};
use test_programs::{check, finish};

fn main() -> std::io::Result<()> {
    codepod_sys::init().map_err(codepod_sys::io_error)?;
    if std::env::args().nth(1).is_some() {
        check!(std::fs::read("here.txt")? == b"text", "the child's file");
        finish();
    }
    check!(
        std::env::current_dir()? == Path::new("/home/user"),
        "started elsewhere"
    );
    std::fs::create_dir_all("cwd-relative/inner")?;
    std::fs::write("cwd-relative/inner/here.txt", "text")?;
    cwd::change(b"cwd-relative/inner").map_err(codepod_sys::io_error)?;
    check!(std::fs::read("here.txt")? == b"text", "a relative path");
    check!(
        std::fs::read("../inner/here.txt")? == b"text",
        "a path with dots"
    );
    let inner = Path::new("/home/user/cwd-relative/inner");
    check!(std::env::current_dir()? == inner, "libc is elsewhere");
    check!(
        cwd::current().as_deref() == Ok(b"/home/user/cwd-relative/inner"),
        "the kernel is elsewhere"
    );
    let missing = cwd::change(b"absent");
    check!(
        missing == Err(Errno::NoEnt),
        "a missing directory: {missing:?}"
    );
    let child = Spawn::new("/bin/cwd_relative")
        .args(["cwd_relative", "child"])
        .stdio();
    let pid = child.start().map_err(codepod_sys::io_error)?;
    let ended = wait(Of::Process(pid));
    check!(
        ended == Ok((pid, Status::Exited(0))),
        "the child: {ended:?}"
    );
    cwd::change(b"/home/user").map_err(codepod_sys::io_error)?;
    std::fs::remove_dir_all("cwd-relative")?;
    finish();
}
