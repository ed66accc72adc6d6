//! `coproc`: a child shell with a pipe to it and one from it.

use std::rc::Rc;

use codepod_shell_syntax::Name;
use codepod_shell_syntax::print;
use codepod_shell_syntax::tree::Coproc;
use codepod_sys::pipe;
use codepod_sys::process::Group;

use super::substitution::HIGHEST;
use super::{program, set_status};
use crate::assign::{self, Place};
use crate::builtins;
use crate::child::{self, Work};
use crate::fds::{Open, Outlets};
use crate::flow::Run;
use crate::options::SetOptions;
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::{Indexed, Value};

pub(super) fn run(shell: &mut Shell, clause: &Coproc) -> Run {
    if !builtins::is_name(&clause.name) {
        shell.error([b"`", &clause.name[..], b"': not a valid identifier"].concat());
        set_status(shell, 1);
        return Ok(());
    }
    let (Ok((input, to)), Ok((from, output))) = (pipe::pipe(), pipe::pipe()) else {
        shell.error("cannot make pipe for coproc: Too many open files");
        set_status(shell, 1);
        return Ok(());
    };
    let mut fds = shell.fds.clone();
    fds.set(0, Open::kernel(input));
    fds.set(1, Open::kernel(output));
    let (from, to) = (Open::kernel(from), Open::kernel(to));
    let mut outlets = Outlets::default();
    let monitor = program::monitors(shell);
    let group = if monitor { Group::New } else { Group::Inherit };
    let pid = match child::start(
        shell,
        Work::Command(&clause.command, true),
        &fds,
        &mut outlets,
        group,
    ) {
        Ok(pid) => pid,
        Err(errno) => {
            let status = child::refused(shell, errno)?;
            set_status(shell, status);
            return Ok(());
        }
    };
    outlets.leave();
    let reading = shell.fds.free_below(HIGHEST).unwrap_or(HIGHEST);
    shell.fds.set(reading, from);
    let writing = shell.fds.free_below(HIGHEST - 3).unwrap_or(HIGHEST - 3);
    shell.fds.set(writing, to);
    let ends: Indexed = [reading, writing]
        .map(|number| Text::number(number.into()))
        .into_iter()
        .collect();
    let name = Name::new(&clause.name);
    shell.state.variables.get_mut(name).value = Value::Indexed(Rc::new(ends));
    let pid_name = Name::new(&[&clause.name[..], b"_PID"].concat());
    assign::set(
        shell,
        pid_name,
        Place::Whole,
        Text::number(pid.0.into()),
        false,
    )?;
    shell.state.last_background = Some(pid.0);
    let mut text = b"coproc ".to_vec();
    text.extend_from_slice(&clause.name);
    text.push(b' ');
    text.extend_from_slice(&print::command(&clause.command));
    let pipefail = shell.state.set.has(SetOptions::PIPEFAIL);
    let directory = shell.state.directory.clone();
    shell.jobs.add(
        vec![pid],
        Text::from(text),
        monitor.then_some(pid),
        pipefail,
        directory,
    );
    set_status(shell, 0);
    Ok(())
}
