//! The safe functions over the calls, as a shell uses them: files, lists, offsets, waiting,
//! strings.

use std::time::Duration;

use codepod_sys::descriptor::{Whence, close, read, read_until, seek, tell, write_all};
use codepod_sys::directory::{FileType, list};
use codepod_sys::file::{self, Links, OpenOptions};
use codepod_sys::{Errno, Fd, clock, environment, pipe, poll};
use test_programs::{check, finish};

fn main() -> Result<(), Errno> {
    files()?;
    directories()?;
    waiting()?;
    strings()?;
    finish();
}

fn files() -> Result<(), Errno> {
    let path = b"safe-file";
    let fd = file::open(path, OpenOptions::WRITE)?;
    write_all(fd, b"one\ntwo\n")?;
    check!(
        read(fd, &mut [0; 4]) == Err(Errno::Badf),
        "it can be read too"
    );
    close(fd)?;
    let fd = file::open(path, OpenOptions::APPEND)?;
    write_all(fd, b"three\n")?;
    close(fd)?;
    let fd = file::open(path, OpenOptions::READ_WRITE)?;
    let mut buffer = [0; 64];
    check!(
        read_until(fd, &mut buffer, b'\n') == Ok(4),
        "the first line"
    );
    check!(tell(fd) == Ok(4), "it is at {:?}", tell(fd));
    check!(seek(fd, -6, Whence::End) == Ok(8), "from the end");
    check!(seek(fd, -1, Whence::Current) == Ok(7), "from there");
    check!(seek(fd, 8, Whence::Start) == Ok(8), "from the start");
    check!(read(fd, &mut buffer) == Ok(6), "the last line");
    close(fd)?;
    let private = OpenOptions {
        exclusive: true,
        mode: 0o600,
        ..OpenOptions::WRITE
    };
    check!(file::open(path, private) == Err(Errno::Exist), "exclusive");
    file::remove(path)?;
    close(file::open(path, private)?)?;
    let mode = file::stat_path(path, Links::Follow)?.mode;
    check!(mode == file::mode::REGULAR | 0o600, "mode {mode:o}");
    file::remove(path)?;
    let gone = file::open(path, OpenOptions::READ);
    check!(gone == Err(Errno::NoEnt), "it is gone: {gone:?}");
    let linked = file::read_link(b"/bin")?;
    check!(linked == b"usr/bin", "/bin is {linked:?}");
    Ok(())
}

fn directories() -> Result<(), Errno> {
    let root = list(b"/")?;
    for (name, kind) in [("bin", FileType::Symlink), ("etc", FileType::Directory)] {
        let found = root.iter().find(|(found, _)| found == name.as_bytes());
        check!(
            found.map(|entry| entry.1) == Some(kind),
            "{name}: {found:?}"
        );
    }
    // More names than one buffer holds.
    let tools = list(b"/bin")?;
    let mut names: Vec<_> = tools.iter().map(|(name, _)| name).collect();
    names.sort();
    names.dedup();
    check!(names.len() == tools.len(), "a name came twice");
    check!(names.len() > 60, "only {} names", names.len());
    check!(list(b"/etc/passwd") == Err(Errno::NotDir), "a file's names");
    Ok(())
}

fn waiting() -> Result<(), Errno> {
    let (reading, writing) = pipe::pipe()?;
    let moment = Duration::from_millis(20);
    check!(
        poll::readable(reading, Some(Duration::ZERO)) == Ok(false),
        "at once"
    );
    let before = clock::now_monotonic();
    check!(
        poll::readable(reading, Some(moment)) == Ok(false),
        "a moment"
    );
    check!(
        clock::now_monotonic() - before >= moment,
        "it came too soon"
    );
    check!(poll::writable(writing, None) == Ok(true), "there is room");
    write_all(writing, b"x")?;
    check!(poll::readable(reading, Some(moment)) == Ok(true), "a byte");
    check!(poll::readable(reading, None) == Ok(true), "without a time");
    close(reading)?;
    check!(poll::readable(reading, None) == Err(Errno::Badf), "closed");
    poll::sleep(Duration::from_millis(1))?;
    check!(
        clock::now_real() > Duration::from_secs(1_600_000_000),
        "1970"
    );
    check!(clock::cpu() >= Duration::ZERO, "no time");
    close(writing)
}

fn strings() -> Result<(), Errno> {
    let arguments = environment::arguments()?;
    check!(arguments == [b"safe_calls"], "arguments {arguments:?}");
    let variables = environment::variables()?;
    check!(
        variables
            .iter()
            .any(|variable| variable == b"HOME=/home/user"),
        "variables {variables:?}"
    );
    check!(
        file::access(b"/etc", Links::Follow, file::READ) == Ok(()),
        "/etc"
    );
    check!(
        codepod_sys::terminal::state(Fd::STDOUT) == Err(Errno::NotTy),
        "a terminal"
    );
    Ok(())
}
