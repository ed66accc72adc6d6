//! `pushd`, `popd` and `dirs`.

use std::rc::Rc;

use codepod_shell_syntax::Name;

use super::{cd, number, print, usage};
use crate::assign;
use crate::flow::Run;
use crate::options::SetOptions;
use crate::shell::Shell;
use crate::text::Text;

/// An argument of the form `+N` or `-N` as a place in the stack, the working directory being 0.
enum Place {
    /// There.
    At(usize),
    /// No such place.
    Beyond,
    /// Not a number.
    Bad,
}

/// Reads `+N` or `-N` for a stack of so many directories besides the working directory.
fn place(word: &[u8], count: usize) -> Place {
    let Some(number) = number(&word[1..]) else {
        return Place::Bad;
    };
    let from_start = if word[0] == b'-' {
        count as i64 - number
    } else {
        number
    };
    match usize::try_from(from_start) {
        Ok(at) if at <= count => Place::At(at),
        _ => Place::Beyond,
    }
}

/// What an argument list says.
struct Request<'a> {
    /// `-n`
    stays: bool,
    at: Option<usize>,
    rest: &'a [Text],
}

fn request<'a>(shell: &Shell, arguments: &'a [Text]) -> Result<Request<'a>, i32> {
    let command = &arguments[0];
    let count = shell.state.directory_stack.len();
    let mut request = Request {
        stays: false,
        at: None,
        rest: &arguments[1..],
    };
    while let Some((word, rest)) = request.rest.split_first() {
        match &word[..] {
            b"-n" => request.stays = true,
            b"--" => {
                request.rest = rest;
                break;
            }
            b"-" => break,
            [b'+' | b'-', ..] => match place(word, count) {
                Place::At(at) => request.at = Some(at),
                Place::Beyond => return Err(out_of_range(shell, command, word)),
                Place::Bad => {
                    shell.builtin_error(command, [&word[..], b": invalid number"].concat());
                    return Err(usage(shell, command));
                }
            },
            _ => break,
        }
        request.rest = rest;
    }
    Ok(request)
}

fn out_of_range(shell: &Shell, command: &[u8], word: &[u8]) -> i32 {
    if shell.state.directory_stack.is_empty() {
        shell.builtin_error(command, b"directory stack empty");
    } else {
        shell.builtin_error(
            command,
            [word, b": directory stack index out of range"].concat(),
        );
    }
    1
}

/// Changes the directory, and says what went wrong. The status is 0 if it went well.
fn go(shell: &mut Shell, command: &[u8], path: &[u8]) -> Run<i32> {
    let physical = shell.state.set.has(SetOptions::PHYSICAL);
    if let Err(errno) = cd::change(shell, path, physical) {
        cd::report(shell, command, path, errno);
        return Ok(1);
    }
    cd::bind(shell)
}

/// Runs `pushd`.
pub(super) fn push(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    if arguments.len() == 1 {
        let Some(top) = shell.state.directory_stack.first().cloned() else {
            shell.builtin_error(b"pushd", b"no other directory");
            return Ok(1);
        };
        let current = shell.state.directory.clone();
        let status = go(shell, b"pushd", &top)?;
        if status != 0 {
            return Ok(status);
        }
        if let Some(first) = Rc::make_mut(&mut shell.state.directory_stack).first_mut() {
            *first = current;
        }
        return Ok(show(shell, b"pushd"));
    }
    let request = match request(shell, arguments) {
        Ok(request) => request,
        Err(status) => return Ok(status),
    };
    if let Some(at) = request.at {
        return rotate(shell, at, request.stays);
    }
    let [path] = request.rest else {
        if request.rest.is_empty() {
            return Ok(0);
        }
        shell.builtin_error(b"pushd", b"too many arguments");
        return Ok(1);
    };
    let mut pushed = shell.state.directory.clone();
    if request.stays {
        pushed = path.clone();
    } else {
        let status = cd::go(shell, b"pushd", path)?;
        if status != 0 {
            return Ok(status);
        }
    }
    Rc::make_mut(&mut shell.state.directory_stack).insert(0, pushed);
    Ok(show(shell, b"pushd"))
}

/// Turns the stack so that the directory at a place comes to the top.
fn rotate(shell: &mut Shell, at: usize, stays: bool) -> Run<i32> {
    let mut all = vec![shell.state.directory.clone()];
    all.extend(shell.state.directory_stack.iter().cloned());
    all.rotate_left(at);
    let top = all.remove(0);
    if at > 0 {
        shell.state.directory_stack = Rc::new(all);
    }
    if stays {
        return Ok(0);
    }
    match go(shell, b"pushd", &top)? {
        0 => Ok(show(shell, b"pushd")),
        status => Ok(status),
    }
}

/// Runs `popd`.
pub(super) fn pop(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let request = match request(shell, arguments) {
        Ok(request) => request,
        Err(status) => return Ok(status),
    };
    if let Some(word) = request.rest.first() {
        shell.builtin_error(b"popd", [&word[..], b": invalid argument"].concat());
        return Ok(usage(shell, b"popd"));
    }
    let Some(top) = shell.state.directory_stack.first().cloned() else {
        return Ok(out_of_range(shell, b"popd", b""));
    };
    let at = request.at.unwrap_or(0);
    if at == 0 && !request.stays {
        let status = go(shell, b"popd", &top)?;
        if status != 0 {
            return Ok(status);
        }
    }
    let stack = Rc::make_mut(&mut shell.state.directory_stack);
    if at.max(1) <= stack.len() {
        stack.remove(at.max(1) - 1);
    }
    Ok(show(shell, b"popd"))
}

/// Runs `dirs`.
pub(super) fn list(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let count = shell.state.directory_stack.len();
    let (mut long, mut lines, mut numbers, mut clears) = (false, false, false, false);
    let mut at = None;
    for word in &arguments[1..] {
        match &word[..] {
            b"-l" => long = true,
            b"-p" => lines = true,
            b"-v" => numbers = true,
            b"-c" => clears = true,
            b"--" => break,
            [b'+' | b'-', ..] => match place(word, count) {
                Place::At(place) => at = Some(place),
                Place::Beyond => return Ok(out_of_range(shell, b"dirs", &word[1..])),
                Place::Bad => {
                    shell.builtin_error(b"dirs", [&word[..], b": invalid number"].concat());
                    return Ok(usage(shell, b"dirs"));
                }
            },
            _ => {
                shell.builtin_error(b"dirs", [&word[..], b": invalid option"].concat());
                return Ok(usage(shell, b"dirs"));
            }
        }
    }
    if clears {
        shell.state.directory_stack = Rc::default();
        return Ok(0);
    }
    let places = match at {
        Some(at) => at..at + 1,
        None => 0..count + 1,
    };
    let out = lay_out(shell, places, long, lines, numbers);
    Ok(print(shell, b"dirs", &out))
}

/// The directories as `dirs` prints them.
fn lay_out(
    shell: &mut Shell,
    places: std::ops::Range<usize>,
    long: bool,
    lines: bool,
    numbers: bool,
) -> Vec<u8> {
    let home = if long {
        None
    } else {
        assign::get(shell, Name::HOME)
    };
    let mut out = Vec::new();
    for place in places {
        if !out.is_empty() {
            out.push(if lines || numbers { b'\n' } else { b' ' });
        }
        if numbers {
            let number = Text::number(place as i64);
            out.resize(out.len() + 2usize.saturating_sub(number.len()), b' ');
            out.extend_from_slice(&number);
            out.extend_from_slice(b"  ");
        }
        let directory = match place.checked_sub(1) {
            None => &shell.state.directory,
            Some(place) => &shell.state.directory_stack[place],
        };
        push_politely(directory, home.as_deref(), &mut out);
    }
    out.push(b'\n');
    out
}

/// With `~` for the home directory.
fn push_politely(directory: &[u8], home: Option<&[u8]>, out: &mut Vec<u8>) {
    let rest = home
        .filter(|home| home.len() > 1)
        .and_then(|home| directory.strip_prefix(home))
        .filter(|rest| rest.is_empty() || rest[0] == b'/');
    match rest {
        Some(rest) => {
            out.push(b'~');
            out.extend_from_slice(rest);
        }
        None => out.extend_from_slice(directory),
    }
}

fn show(shell: &mut Shell, command: &[u8]) -> i32 {
    let count = shell.state.directory_stack.len();
    let out = lay_out(shell, 0..count + 1, false, false, false);
    print(shell, command, &out)
}
