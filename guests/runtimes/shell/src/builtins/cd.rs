//! `cd`, and how `cd`, `pushd` and `popd` change the directory.

use codepod_shell_syntax::Name;
use codepod_sys::file::{self, Links, mode};
use codepod_sys::{Errno, cwd};

use super::{Getopt, print};
use crate::assign::{self, Place};
use crate::flow::Run;
use crate::options::{SetOptions, ShellOptions};
use crate::quote;
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::{Attributes, Value};

/// Runs it.
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let mut physical = shell.state.set.has(SetOptions::PHYSICAL);
    let mut strict = false;
    let mut options = Getopt::new(arguments, "LPe");
    loop {
        match options.next(shell) {
            Ok(None) => break,
            Ok(Some(option)) => match option.letter {
                b'L' => physical = false,
                b'P' => physical = true,
                _ => strict = true,
            },
            Err(status) => return Ok(status),
        }
    }
    let status = match options.operands() {
        [] => match assign::get(shell, Name::HOME) {
            Some(home) => to(shell, b"cd", &home, physical)?,
            None => return Ok(fail(shell, b"cd", b"HOME not set")),
        },
        [target] => to(shell, b"cd", target, physical)?,
        _ => return Ok(fail(shell, b"cd", b"too many arguments")),
    };
    if status == 0 && strict && physical && cwd::current().is_err() {
        return Ok(1);
    }
    Ok(status)
}

/// Changes the directory as `cd` with one operand does, for a command that may have another name.
pub(super) fn go(shell: &mut Shell, command: &[u8], target: &Text) -> Run<i32> {
    let physical = shell.state.set.has(SetOptions::PHYSICAL);
    to(shell, command, target, physical)
}

fn to(shell: &mut Shell, command: &[u8], target: &Text, physical: bool) -> Run<i32> {
    if &target[..] == b"-" {
        let Some(old) = assign::get(shell, Name::OLDPWD) else {
            return Ok(fail(shell, command, b"OLDPWD not set"));
        };
        return attempt(shell, command, &old, physical, true);
    }
    if !starts_here(target)
        && let Some(path) = assign::get(shell, Name::CDPATH)
        && let Some(status) = along(shell, &path, target, physical)?
    {
        return Ok(status);
    }
    attempt(shell, command, target, physical, false)
}

fn attempt(
    shell: &mut Shell,
    command: &[u8],
    target: &[u8],
    physical: bool,
    shows: bool,
) -> Run<i32> {
    let Err(errno) = change(shell, target, physical) else {
        return arrived(shell, shows);
    };
    if shell.state.shopt.has(ShellOptions::CDABLE_VARS)
        && let Some(name) = Name::known(target)
        && let Some(value) = assign::get(shell, name)
        && change(shell, &value, physical).is_ok()
    {
        return arrived(shell, true);
    }
    report(shell, command, target, errno);
    Ok(1)
}

#[cold]
fn fail(shell: &Shell, command: &[u8], message: &[u8]) -> i32 {
    shell.builtin_error(command, message);
    1
}

/// Whether a path says itself where it starts, so that `CDPATH` is not asked.
fn starts_here(path: &[u8]) -> bool {
    matches!(
        path,
        [b'/', ..] | b"." | b".." | [b'.', b'/', ..] | [b'.', b'.', b'/', ..]
    )
}

/// Tries the directories of `CDPATH`.
fn along(shell: &mut Shell, path: &[u8], target: &[u8], physical: bool) -> Run<Option<i32>> {
    for entry in path.split(|byte| *byte == b':') {
        let mut full = match entry {
            [b'~', rest @ ..] if rest.is_empty() || rest[0] == b'/' => {
                let mut home = assign::get(shell, Name::HOME)
                    .unwrap_or_default()
                    .into_vec();
                home.extend_from_slice(rest);
                home
            }
            entry => entry.to_vec(),
        };
        if !full.is_empty() && full.last() != Some(&b'/') {
            full.push(b'/');
        }
        full.extend_from_slice(target);
        if change(shell, &full, physical).is_ok() {
            return arrived(shell, !entry.is_empty()).map(Some);
        }
    }
    Ok(None)
}

/// Prints where we are now, if asked to, after setting `PWD` and `OLDPWD`.
fn arrived(shell: &mut Shell, shows: bool) -> Run<i32> {
    let status = bind(shell)?;
    if !shows {
        return Ok(status);
    }
    let mut line = shell.state.directory.to_vec();
    line.push(b'\n');
    Ok(status.max(print(shell, b"cd", &line)))
}

/// Prints `cd: PATH: why`.
pub(super) fn report(shell: &Shell, command: &[u8], path: &[u8], errno: Errno) {
    let mut message = Vec::new();
    if quote::wants_ansi(path) {
        quote::ansi(path, &mut message);
    } else {
        message.extend_from_slice(path);
    }
    message.extend_from_slice(b": ");
    message.extend_from_slice(errno.message().as_bytes());
    shell.builtin_error(command, message);
}

/// Sets `OLDPWD` to what `PWD` was and `PWD` to the directory; 1 when one of them is readonly.
pub(super) fn bind(shell: &mut Shell) -> Run<i32> {
    let old = assign::get(shell, Name::PWD);
    let mut done = match old {
        Some(old) => assign::set(shell, Name::OLDPWD, Place::Whole, old, false)?,
        None => {
            let variable = shell.state.variables.get_mut(Name::OLDPWD);
            if !variable.attributes.has(Attributes::READONLY) {
                variable.value = Value::Unset;
            }
            true
        }
    };
    let new = shell.state.directory.clone();
    done &= assign::set(shell, Name::PWD, Place::Whole, new, false)?;
    Ok(i32::from(!done))
}

/// Changes the directory. The state knows the new one; variables are left to [`bind`].
pub(super) fn change(shell: &mut Shell, path: &[u8], physical: bool) -> Result<(), Errno> {
    let full = absolute(&shell.state.directory, path);
    if physical {
        cwd::change(&full).or_else(|_| cwd::change(path))?;
        return real(shell, path);
    }
    if let Some(logical) = logical(&full)
        && cwd::change(&logical).is_ok()
    {
        shell.state.directory = Text::from(logical);
        return Ok(());
    }
    match cwd::change(if path.is_empty() { b"." } else { path }) {
        Ok(()) => real(shell, path),
        // The directory was removed: the kernel has no way up from there, but its path has.
        Err(Errno::NoEnt) if path.starts_with(b"..") && cwd::current().is_err() => {
            let lexical = shortened(&full, |_| true).ok_or(Errno::NoEnt)?;
            cwd::change(&lexical)?;
            shell.state.directory = Text::from(lexical);
            Ok(())
        }
        Err(errno) => Err(errno),
    }
}

/// Takes the directory's name from the kernel.
fn real(shell: &mut Shell, path: &[u8]) -> Result<(), Errno> {
    match cwd::current() {
        Ok(current) => shell.state.directory = Text::from(current),
        Err(errno) => {
            let message = [
                &b"chdir: error retrieving current directory: getcwd: cannot access parent directories: "[..],
                errno.message().as_bytes(),
                b"\n",
            ];
            let _ = shell.fds.write(2, &message.concat());
            shell.state.directory = Text::new(path);
        }
    }
    Ok(())
}

/// A path from the root on.
fn absolute(directory: &[u8], path: &[u8]) -> Vec<u8> {
    if path.first() == Some(&b'/') {
        return path.to_vec();
    }
    let mut full = directory.to_vec();
    if full.last() != Some(&b'/') {
        full.push(b'/');
    }
    full.extend_from_slice(path);
    full
}

/// The path without `.`, `..` and double slashes; none where something before a `..` is no
/// directory.
fn logical(path: &[u8]) -> Option<Vec<u8>> {
    shortened(path, |path| {
        file::stat_path(path, Links::Follow)
            .is_ok_and(|stat| stat.mode & mode::TYPE_MASK == mode::DIRECTORY)
    })
}

/// A path without `.` and `..`; asks whether what `..` follows is a directory.
fn shortened(path: &[u8], is_directory: impl Fn(&[u8]) -> bool) -> Option<Vec<u8>> {
    // Two slashes at the start may mean something else, says POSIX; more are one.
    let root: &[u8] = match path {
        [b'/', b'/', b'/', ..] => b"/",
        [b'/', b'/', ..] => b"//",
        _ => b"/",
    };
    let mut result = root.to_vec();
    for part in path.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => {
                if !is_directory(&result) {
                    return None;
                }
                let slash = result.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
                result.truncate(slash.max(root.len()));
            }
            part => {
                if result.len() > root.len() {
                    result.push(b'/');
                }
                result.extend_from_slice(part);
            }
        }
    }
    Some(result)
}
