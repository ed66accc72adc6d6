//! Number 3 can be data: paths start at the root all the same, in std and in codepod's own calls.

use std::fs;

use codepod_sys::descriptor::{close, dup, dup_to, file_type, read};
use codepod_sys::file::{self, Links, OpenOptions};
use codepod_sys::pipe::pipe;
use codepod_sys::process::{Of, Status, wait};
use codepod_sys::{Errno, Fd, Spawn};
use test_programs::{check, finish};

const DATA: &str = "/home/user/three-data";

fn main() -> std::io::Result<()> {
    if std::env::args().nth(1).is_some() {
        return child();
    }
    fs::write(DATA, "data\n")?;
    let opened = file::open(DATA.as_bytes(), OpenOptions::READ).map_err(codepod_sys::io_error)?;
    let child = Spawn::new("/bin/descriptor_three")
        .args(["descriptor_three", "child"])
        .stdio()
        .fd(opened, Fd(3));
    let pid = child.start().map_err(codepod_sys::io_error)?;
    let ended = wait(Of::Process(pid));
    check!(
        ended == Ok((pid, Status::Exited(0))),
        "the child: {ended:?}"
    );
    without_three()?;
    fs::remove_file(DATA)?;
    finish();
}

/// Started with a file as number 3.
fn child() -> std::io::Result<()> {
    let link = fs::read_link("/proc/self/fd/3")?;
    check!(link.as_os_str() == DATA, "/proc/self/fd/3 is {link:?}");
    let passwd = fs::read_to_string("/etc/passwd")?;
    check!(passwd.starts_with("root:"), "an absolute path: {passwd:?}");
    let mut buffer = [0; 16];
    let got = read(Fd(3), &mut buffer);
    check!(got == Ok(5) && buffer.starts_with(b"data\n"), "{got:?}");
    let names = fs::read_dir("/etc")?.count();
    check!(names > 1, "only {names} names in /etc");
    let stat = file::stat_path(b"/etc/passwd", Links::Follow);
    check!(stat.is_ok(), "codepod's own calls: {stat:?}");
    finish();
}

/// Number 3 is closed, and then something else: paths do not mind, and nothing new gets the number.
fn without_three() -> std::io::Result<()> {
    let closed = close(Fd(3));
    check!(closed == Ok(()), "closing: {closed:?}");
    check!(close(Fd(3)) == Err(Errno::Badf), "it can be closed twice");
    check!(dup(Fd(3), 0) == Err(Errno::Badf), "it is still there");
    check!(fs::metadata("/etc/passwd").is_ok(), "std finds nothing");
    let directory = file::open(b"/etc", OpenOptions::READ).map_err(codepod_sys::io_error)?;
    check!(directory != Fd(3), "a directory got the number");
    let (reading, writing) = pipe().map_err(codepod_sys::io_error)?;
    check!(reading != Fd(3) && writing != Fd(3), "a pipe got it");
    let moved = dup_to(writing, Fd(3));
    check!(moved == Ok(()), "dup_to: {moved:?}");
    check!(
        fs::read_to_string("/etc/hostname")? == "sandbox\n",
        "with a pipe there"
    );
    check!(file_type(Fd(3)) == file_type(reading), "it is no pipe");
    Ok(())
}
