//! Redirections: changes of the descriptor table, and putting it back.

use std::rc::Rc;

use codepod_shell_syntax::Name;
use codepod_shell_syntax::print;
use codepod_shell_syntax::tree::{ParamOp, Part, Redirect, RedirectKind, RedirectLeft, Word};
use codepod_sys::file::{self, Links, OpenOptions, mode};
use codepod_sys::{Errno, descriptor, pipe};

use crate::assign::{self, Place};
use crate::fds::{self, Open, Owned};
use crate::flow::{Run, Stop};
use crate::options::{SetOptions, ShellOptions};
use crate::shell::{Shell, Waiting};
use crate::text::Text;
use crate::{builtins, expand};

use super::network;

/// What redirections have replaced, the oldest first.
#[derive(Debug, Default)]
pub struct Undo(Vec<(u32, Option<Open>)>);

impl Undo {
    /// Puts everything back.
    #[inline]
    pub fn run(self, shell: &mut Shell) {
        for (number, open) in self.0.into_iter().rev() {
            shell.fds.restore(number, open);
        }
    }

    /// Lets the redirections stay.
    pub fn keep(&mut self) {
        self.0.clear();
    }

    /// Keeps redirections of the shell itself (`exec`), where others find them in `/proc/PID/fd`.
    pub fn stay(&mut self, shell: &mut Shell) {
        let numbers: Vec<u32> = self.0.drain(..).map(|(number, _)| number).collect();
        for number in numbers {
            // Nobody but the shell reads its standard input.
            if number > 0 {
                shell.fds.settle(number);
            }
        }
    }

    fn set(&mut self, shell: &mut Shell, number: u32, open: Open) {
        let old = shell.fds.set(number, open);
        self.0.push((number, old));
    }

    fn close(&mut self, shell: &mut Shell, number: u32) {
        let old = shell.fds.remove(number);
        self.0.push((number, old));
    }
}

/// Applies redirections in order. False when one failed, after saying why; `undo` must be run in
/// any case.
pub(super) fn apply(shell: &mut Shell, redirects: &[Redirect], undo: &mut Undo) -> Run<bool> {
    for redirect in redirects {
        if !one(shell, redirect, undo)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether expanding redirections may change variables.
pub(super) fn may_assign(redirects: &[Redirect]) -> bool {
    redirects.iter().any(|redirect| {
        let word = match &redirect.kind {
            RedirectKind::HereDoc(document) => &document.body,
            RedirectKind::HereString(word)
            | RedirectKind::Read(word)
            | RedirectKind::ReadWrite(word)
            | RedirectKind::Append(word)
            | RedirectKind::Clobber(word)
            | RedirectKind::Write(word)
            | RedirectKind::WriteBoth(word)
            | RedirectKind::AppendBoth(word)
            | RedirectKind::DupRead(word)
            | RedirectKind::DupWrite(word) => word,
        };
        matches!(redirect.left, RedirectLeft::Variable(..)) || word.parts.iter().any(assigns)
    })
}

fn assigns(part: &Part) -> bool {
    match part {
        Part::Arith(_) => true,
        Part::Param(param) => !matches!(param.op, ParamOp::Value) || param.subscript.is_some(),
        Part::Double(parts) => parts.iter().any(assigns),
        _ => false,
    }
}

/// Where a redirection goes to.
enum Left {
    Number(u32),
    /// `{name}`: a free number, which the variable gets.
    Variable(Name, Option<Text>),
}

fn one(shell: &mut Shell, redirect: &Redirect, undo: &mut Undo) -> Run<bool> {
    let (default, options) = match &redirect.kind {
        RedirectKind::Read(_) => (0, OpenOptions::READ),
        RedirectKind::ReadWrite(_) => (0, OpenOptions::READ_WRITE),
        RedirectKind::Write(_) | RedirectKind::Clobber(_) | RedirectKind::WriteBoth(_) => {
            (1, OpenOptions::WRITE)
        }
        RedirectKind::Append(_) | RedirectKind::AppendBoth(_) => (1, OpenOptions::APPEND),
        RedirectKind::DupRead(_) | RedirectKind::HereDoc(_) | RedirectKind::HereString(_) => {
            (0, OpenOptions::READ)
        }
        RedirectKind::DupWrite(_) => (1, OpenOptions::WRITE),
    };
    let left = match &redirect.left {
        RedirectLeft::Default => Left::Number(default),
        RedirectLeft::Fd(number) => Left::Number(*number),
        RedirectLeft::Variable(name, subscript) => Left::Variable(
            *name,
            subscript
                .as_deref()
                .map(|subscript| Text::from(expand::subscript_text(subscript))),
        ),
    };
    match &redirect.kind {
        RedirectKind::Read(word)
        | RedirectKind::ReadWrite(word)
        | RedirectKind::Append(word)
        | RedirectKind::Clobber(word)
        | RedirectKind::Write(word) => {
            let Some(path) = target(shell, word)? else {
                return Ok(false);
            };
            let keeps = matches!(redirect.kind, RedirectKind::Write(_));
            match open_target(shell, &path, options, keeps) {
                Some(open) => put(shell, left, open, undo),
                None => Ok(false),
            }
        }
        RedirectKind::WriteBoth(word) | RedirectKind::AppendBoth(word) => {
            let Some(path) = target(shell, word)? else {
                return Ok(false);
            };
            Ok(both(shell, &path, options, undo))
        }
        RedirectKind::DupRead(word) | RedirectKind::DupWrite(word) => {
            let Some(text) = target(shell, word)? else {
                return Ok(false);
            };
            if matches!(redirect.left, RedirectLeft::Default | RedirectLeft::Fd(1))
                && matches!(redirect.kind, RedirectKind::DupWrite(_))
                && !is_descriptor(&text)
            {
                return Ok(both(shell, &text, OpenOptions::WRITE, undo));
            }
            dup(shell, left, &text, word, undo)
        }
        RedirectKind::HereDoc(document) => {
            let text = expand::quoted(shell, &document.body)?;
            here(shell, left, &text, undo)
        }
        RedirectKind::HereString(word) => {
            let mut text = expand::assigned(shell, word)?;
            text.push(b"\n");
            here(shell, left, &text, undo)
        }
    }
}

/// The right side of a redirection; none where that fails the command, after saying why.
fn target(shell: &mut Shell, word: &Word) -> Run<Option<Text>> {
    match expand::target(shell, word) {
        Ok(text) => Ok(Some(text)),
        Err(Stop::Discard) => Ok(None),
        Err(stop) => Err(stop),
    }
}

/// Whether the right side of `>&` is a descriptor, `-`, or a descriptor to move.
fn is_descriptor(text: &[u8]) -> bool {
    let digits = text.strip_suffix(b"-").unwrap_or(text);
    text == b"-" || (!digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
}

/// `&> path`: standard output and error.
fn both(shell: &mut Shell, path: &[u8], options: OpenOptions, undo: &mut Undo) -> bool {
    match open_target(shell, path, options, !options.append) {
        Some(open) => {
            undo.set(shell, 1, open.clone());
            undo.set(shell, 2, open);
            true
        }
        None => false,
    }
}

/// Puts an open file where the left side says.
fn put(shell: &mut Shell, left: Left, open: Open, undo: &mut Undo) -> Run<bool> {
    match left {
        Left::Number(number) if number <= fds::MOST => {
            undo.set(shell, number, open);
            Ok(true)
        }
        Left::Number(number) => Ok(bad(shell, number)),
        Left::Variable(name, subscript) => {
            let Some(number) = shell.fds.free(10) else {
                shell.error("redirection error: cannot duplicate fd: Too many open files");
                return Ok(false);
            };
            let value = Text::number(number.into());
            let done = match subscript {
                None => assign::set(shell, name, Place::Whole, value, false)?,
                Some(subscript) => {
                    let target = [&name.bytes()[..], b"[", &subscript, b"]"].concat();
                    assign::set_by_text(shell, &target, value)?
                }
            };
            if !done {
                let message = [&name.bytes()[..], b": cannot assign fd to variable"].concat();
                shell.error(message);
                return Ok(false);
            }
            shell.fds.set(number, open);
            if shell.state.shopt.has(ShellOptions::VARREDIR_CLOSE) {
                undo.0.push((number, None));
            }
            Ok(true)
        }
    }
}

/// `N>&M`, `N>&M-`, `N>&-`.
fn dup(shell: &mut Shell, left: Left, text: &[u8], word: &Word, undo: &mut Undo) -> Run<bool> {
    if text == b"-" {
        return close(shell, left, undo);
    }
    let (digits, moves) = match text.strip_suffix(b"-") {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        shell.error([&*print::word(word), b": ambiguous redirect"].concat());
        return Ok(false);
    }
    let number = builtins::number(digits).and_then(|number| u32::try_from(number).ok());
    let Some(open) = number.and_then(|number| shell.fds.get(number)).cloned() else {
        shell.error([&*print::word(word), b": Bad file descriptor"].concat());
        return Ok(false);
    };
    let same = matches!((&left, number), (Left::Number(left), Some(right)) if *left == right);
    if !put(shell, left, open, undo)? {
        return Ok(false);
    }
    if let Some(number) = number
        && moves
        && !same
    {
        // As in bash, what was moved away does not come back.
        shell.fds.remove(number);
    }
    Ok(true)
}

fn close(shell: &mut Shell, left: Left, undo: &mut Undo) -> Run<bool> {
    let number = match left {
        Left::Number(number) => Some(number),
        Left::Variable(name, None) => {
            let value = assign::get(shell, name);
            value
                .and_then(|value| builtins::number(&value))
                .and_then(|number| u32::try_from(number).ok())
        }
        Left::Variable(name, Some(subscript)) => {
            let variable = shell.state.variables.get(name);
            let value = match &variable.value {
                crate::variables::Value::Indexed(array) => builtins::number(&subscript)
                    .and_then(|index| u64::try_from(index).ok())
                    .and_then(|index| array.get(index)),
                crate::variables::Value::Assoc(array) => array.get(&subscript),
                _ => None,
            };
            value
                .and_then(|value| builtins::number(value))
                .and_then(|number| u32::try_from(number).ok())
        }
    };
    let Some(number) = number else {
        shell.error("ambiguous redirect");
        return Ok(false);
    };
    undo.close(shell, number);
    Ok(true)
}

#[cold]
fn bad(shell: &Shell, number: u32) -> bool {
    shell.error([&Text::number(number.into())[..], b": Bad file descriptor"].concat());
    false
}

/// Opens the target of a redirection, or says why not.
fn open_target(shell: &mut Shell, path: &[u8], options: OpenOptions, keeps: bool) -> Option<Open> {
    if shell.waiting == Waiting::Refused && is_fifo(path) {
        shell.waiting = Waiting::Met;
        return None;
    }
    let mut reason = Vec::new();
    let opened = match network::target(path) {
        Some(target) => network::open(shell, &target, &mut reason),
        None => open(shell, path, options, keeps),
    };
    match opened {
        Ok(open) => Some(open),
        Err(errno) => {
            let message = match errno {
                Errno::Exist if keeps => "cannot overwrite existing file",
                errno => errno.message(),
            };
            shell.error([path, b": ", message.as_bytes()].concat());
            if !reason.is_empty() {
                shell.hint(reason);
            }
            None
        }
    }
}

fn is_fifo(path: &[u8]) -> bool {
    file::stat_path(path, Links::Follow).is_ok_and(|stat| stat.mode & mode::TYPE_MASK == mode::FIFO)
}

/// Opens a path as a redirection does: `/dev/fd/N` and so on are the script's descriptors, and with
/// `keeps`, `set -C` protects files.
pub fn open(shell: &Shell, path: &[u8], options: OpenOptions, keeps: bool) -> Result<Open, Errno> {
    if let Some((Some(most), _)) = shell.state.limits.get(&b'n')
        && shell
            .fds
            .free(0)
            .is_none_or(|number| i64::from(number) >= *most)
    {
        return Err(Errno::Mfile);
    }
    if let Some(number) = fds::descriptor_in(path) {
        match shell.fds.get(number) {
            Some(Open::Capture(capture)) => return Ok(Open::Capture(Rc::clone(capture))),
            // One end, so that it is known when the shell has done writing.
            Some(Open::Kernel(owned)) if !options.read && shell.jobs.is_substitution(owned) => {
                return Ok(Open::Kernel(Rc::clone(owned)));
            }
            Some(Open::Kernel(owned)) => {
                // A file is opened again, as Linux does; what cannot be opened by its name is
                // shared.
                return match open_file(
                    &shell.fds.path(path),
                    OpenOptions {
                        truncate: false,
                        ..options
                    },
                ) {
                    Ok(open) => Ok(open),
                    Err(_) => Ok(Open::Kernel(Rc::clone(owned))),
                };
            }
            None => {}
        }
    }
    if keeps && shell.state.set.has(SetOptions::NOCLOBBER) {
        return open_new(path, options);
    }
    open_file(path, options)
}

/// `>` with `set -C`: no regular file may be there.
fn open_new(path: &[u8], options: OpenOptions) -> Result<Open, Errno> {
    match file::stat_path(path, Links::Follow) {
        Ok(stat) if stat.mode & mode::TYPE_MASK == mode::REGULAR => Err(Errno::Exist),
        Ok(_) => open_file(path, options),
        Err(_) => open_file(
            path,
            OpenOptions {
                exclusive: true,
                ..options
            },
        ),
    }
}

fn open_file(path: &[u8], options: OpenOptions) -> Result<Open, Errno> {
    if path.is_empty() {
        return Err(Errno::NoEnt);
    }
    loop {
        match file::open(path, options) {
            Ok(fd) => return Ok(Open::kernel(fd)),
            Err(Errno::Intr) => crate::traps::collect(),
            Err(errno) => return Err(errno),
        }
    }
}

fn here(shell: &mut Shell, left: Left, text: &[u8], undo: &mut Undo) -> Run<bool> {
    match here_text(text) {
        Ok(open) => put(shell, left, open, undo),
        Err(errno) => {
            let message = [
                "cannot create temp file for here-document: ",
                errno.message(),
            ]
            .concat();
            shell.error(message);
            Ok(false)
        }
    }
}

/// How many bytes certainly fit into a pipe.
pub(super) const PIPE_BYTES: usize = 64 << 10;

/// Something to read these bytes from: a pipe where they fit into it, a file without a name
/// otherwise.
pub fn here_text(text: &[u8]) -> Result<Open, Errno> {
    if text.len() <= PIPE_BYTES {
        let (read, write) = pipe::pipe()?;
        let (read, write) = (Owned::new(read), Owned::new(write));
        descriptor::write_all(write.fd(), text)?;
        return Ok(Open::Kernel(Rc::new(read)));
    }
    let (path, file) = unnamed()?;
    let written = descriptor::write_all(file.fd(), text);
    let read = written.and_then(|()| open_file(&path, OpenOptions::READ));
    file::remove(&path)?;
    read
}

/// A new file and its name.
fn unnamed() -> Result<(Vec<u8>, Owned), Errno> {
    let options = OpenOptions {
        exclusive: true,
        mode: 0o600,
        ..OpenOptions::WRITE
    };
    let process = crate::shell::own_process_number();
    for number in 0.. {
        let path = format!("/tmp/sh-thd.{process}.{number}").into_bytes();
        match file::open(&path, options) {
            Ok(fd) => return Ok((path, Owned::new(fd))),
            Err(Errno::Exist) if number < 1000 => {}
            Err(errno) => return Err(errno),
        }
    }
    Err(Errno::Exist)
}
