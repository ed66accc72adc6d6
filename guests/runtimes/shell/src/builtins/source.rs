//! `source` and `.`.

use std::rc::Rc;

use codepod_sys::file::{self, Links, OpenOptions, mode};
use codepod_sys::{Errno, descriptor};

use super::{getopt, usage};
use crate::exec;
use crate::fds::Owned;
use crate::flow::{Run, Stop};
use crate::options::{SetOptions, ShellOptions};
use crate::path;
use crate::shell::Shell;
use crate::state::Frame;
use crate::text::Text;

/// More NUL bytes than this, and a file is no script.
const MOST_NUL: usize = 256;

/// `. filename [arguments]`
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let command = &arguments[0];
    let operands = match getopt::none(shell, arguments) {
        Ok(operands) => operands,
        Err(status) => return Ok(status),
    };
    let Some((name, positional)) = operands.split_first() else {
        shell.builtin_error(command, "filename argument required");
        return Ok(usage(shell, command));
    };
    let Some(path) = find(shell, name) else {
        return missing(shell, command, name);
    };
    let text = match read(&shell.fds.path(&path)) {
        Ok(text) => text,
        Err(errno) => return refused(shell, command, &path, errno),
    };
    if text.iter().filter(|byte| **byte == 0).count() > MOST_NUL {
        let message = [&path, &b": cannot execute binary file"[..]].concat();
        shell.builtin_error(command, message);
        return Ok(126);
    }
    let text = without_nul(text);
    let saved = (!positional.is_empty()).then(|| {
        let given = Rc::new(positional.to_vec());
        std::mem::replace(&mut shell.state.positional, given)
    });
    let sets = shell.state.positional_sets;
    let result = run_text(shell, path, &text);
    // What `set` has put in their place stays, except in a function.
    if let Some(before) = saved
        && (sets == shell.state.positional_sets || shell.state.scopes.in_function())
    {
        shell.state.positional = before;
    }
    match result {
        Ok(()) | Err(Stop::Return) => Ok(shell.state.status),
        Err(stop) => Err(stop),
    }
}

/// Where a file to be sourced is: along `PATH`, then in the working directory.
fn find(shell: &Shell, name: &Text) -> Option<Text> {
    if name.contains(&b'/') {
        return Some(name.clone());
    }
    if shell.state.shopt.has(ShellOptions::SOURCEPATH)
        && let Some(list) = path::variable(shell)
    {
        let readable = |path: &Vec<u8>| {
            path::is_file(path) && file::access(path, Links::Follow, file::READ).is_ok()
        };
        if let Some(found) = path::candidates(&list, name).find(readable) {
            return Some(Text::from(found));
        }
    }
    if shell.state.set.has(SetOptions::POSIX) {
        return None;
    }
    Some(name.clone())
}

fn missing(shell: &mut Shell, command: &[u8], name: &[u8]) -> Run<i32> {
    shell.builtin_error(command, [name, b": file not found"].concat());
    if shell.state.set.has(SetOptions::POSIX) {
        shell.state.status = 1;
        return Err(Stop::Exit);
    }
    Ok(1)
}

fn refused(shell: &mut Shell, command: &[u8], path: &[u8], errno: Errno) -> Run<i32> {
    if errno == Errno::IsDir {
        shell.builtin_error(command, [path, b": is a directory"].concat());
        return Ok(1);
    }
    shell.error([path, b": ", errno.message().as_bytes()].concat());
    if shell.state.set.has(SetOptions::POSIX) {
        shell.state.status = 1;
        return Err(Stop::Exit);
    }
    Ok(1)
}

/// The content of a file.
#[inline(never)]
fn read(path: &[u8]) -> Result<Vec<u8>, Errno> {
    let file = Owned::new(file::open(path, OpenOptions::READ)?);
    let stat = file::stat_open(file.fd())?;
    if stat.mode & mode::TYPE_MASK == mode::DIRECTORY {
        return Err(Errno::IsDir);
    }
    let mut text = Vec::new();
    let mut buffer = [0u8; 8192];
    loop {
        match descriptor::read(file.fd(), &mut buffer) {
            Ok(0) => return Ok(text),
            Ok(count) => text.extend_from_slice(&buffer[..count]),
            Err(Errno::Intr) => {}
            Err(errno) => return Err(errno),
        }
    }
}

/// bash drops NUL bytes of a script.
fn without_nul(mut text: Vec<u8>) -> Vec<u8> {
    if text.contains(&0) {
        text.retain(|byte| *byte != 0);
    }
    text
}

/// Runs the text of a sourced file in a frame of its own.
fn run_text(shell: &mut Shell, path: Text, text: &[u8]) -> Run {
    let state = &mut shell.state;
    state.status = 0;
    let line = state.line;
    state.frames.push(Frame {
        arguments: None,
        function: Text::from("source"),
        source: path,
        line,
        loops: state.loops,
        line_shift: state.line_shift,
        sourced: true,
    });
    let result = exec::labelled(shell, text, 1, "");
    if shell.state.traps.returns() && !matches!(result, Err(Stop::Exit | Stop::Killed(_))) {
        crate::traps::ret(shell)?;
    }
    shell.state.frames.pop();
    shell.state.line = line;
    result
}
