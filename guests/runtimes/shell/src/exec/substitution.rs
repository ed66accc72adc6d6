//! Process substitutions: a child shell behind a pipe, and a name for the pipe.

use codepod_shell_syntax::tree::List;
use codepod_sys::pipe;
use codepod_sys::process::Group;

use crate::child::{self, Work};
use crate::fds::{Open, Outlets};
use crate::flow::{Run, Stop};
use crate::shell::Shell;
use crate::text::Text;

/// The highest descriptor for a process substitution, as bash has it.
pub(super) const HIGHEST: u32 = 63;

pub(super) fn run(shell: &mut Shell, list: &List, read: bool) -> Run<Text> {
    let ends = pipe::pipe();
    let number = shell
        .fds
        .free_below(HIGHEST)
        .or_else(|| shell.fds.free(HIGHEST));
    let (Ok((reading, writing)), Some(number)) = (ends, number) else {
        shell.error("cannot make pipe for process substitution: Too many open files");
        shell.state.status = 1;
        return Err(Stop::Discard);
    };
    let (reading, writing) = (Open::kernel(reading), Open::kernel(writing));
    let mut fds = shell.fds.clone();
    // The other substitutions of the command are not this one's to hold open.
    for other in &shell.substitutions {
        fds.remove(*other);
    }
    let (ours, theirs, at) = if read {
        (reading, writing, 1)
    } else {
        (writing, reading, 0)
    };
    fds.set(at, theirs);
    let mut outlets = Outlets::default();
    let first = list.line().unwrap_or(0);
    let shift = shell.state.line.wrapping_sub(first);
    let shift = std::mem::replace(&mut shell.state.line_shift, shift);
    let started = child::start(shell, Work::List(list), &fds, &mut outlets, Group::Inherit);
    shell.state.line_shift = shift;
    match started {
        Ok(pid) => {
            let written = match &ours {
                Open::Kernel(end) if !read => Some(end),
                _ => None,
            };
            shell.jobs.add_substitution(pid, written);
            shell.state.last_background = Some(pid.0);
        }
        Err(errno) => {
            child::refused(shell, errno)?;
            return Err(Stop::Discard);
        }
    }
    outlets.leave();
    shell.fds.set(number, ours);
    shell.substitutions.push(number);
    let mut path = Text::from("/dev/fd/");
    path.push(&Text::number(number.into()));
    Ok(path)
}

/// Closes the substitutions that were made since there were `mark`.
pub(super) fn close(shell: &mut Shell, mark: usize) {
    while shell.substitutions.len() > mark {
        if let Some(number) = shell.substitutions.pop() {
            shell.fds.remove(number);
        }
    }
}
