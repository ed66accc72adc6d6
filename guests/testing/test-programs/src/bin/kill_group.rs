//! A signal to a process group reaches each of its members and nobody else.

use codepod_sys::process::{Group, Of, Status, kill, wait};
use codepod_sys::{Errno, Signal, Spawn};
use test_programs::{check, finish};

fn main() -> Result<(), Errno> {
    let sleeper = Spawn::new("/bin/sleep_ms")
        .args(["sleep_ms", "60000"])
        .stdio();
    let leader = sleeper.clone().group(Group::New).start()?;
    let member = sleeper.clone().group(Group::Join(leader)).start()?;
    let outsider = sleeper.clone().group(Group::New).start()?;
    kill(Of::Group(leader), Signal::Term)?;
    for pid in [leader, member] {
        let ended = wait(Of::Process(pid));
        check!(
            ended == Ok((pid, Status::Signaled(Signal::Term))),
            "a member: {ended:?}"
        );
    }
    kill(Of::Process(outsider), Signal::Int)?;
    let ended = wait(Of::Any);
    check!(
        ended == Ok((outsider, Status::Signaled(Signal::Int))),
        "the outsider: {ended:?}"
    );
    let gone = kill(Of::Group(leader), Signal::Term);
    check!(
        gone == Err(Errno::Srch),
        "the group without members: {gone:?}"
    );
    finish();
}
