//! `~`, `~name`, `~+`, `~-`, `~2`.

use codepod_shell_syntax::Name;
use codepod_sys::descriptor;
use codepod_sys::file::{self, OpenOptions};

use crate::assign;
use crate::shell::Shell;
use crate::text::Text;

/// What a tilde and the text behind it stand for; themselves, where they stand for nothing.
pub(super) fn expand(shell: &mut Shell, name: &[u8]) -> Text {
    let found = match name {
        b"" => home(shell),
        b"+" => assign::get(shell, Name::PWD),
        b"-" => assign::get(shell, Name::OLDPWD),
        _ => stack(shell, name).or_else(|| user(name)),
    };
    found.unwrap_or_else(|| Text::from([b"~", name].concat()))
}

fn home(shell: &mut Shell) -> Option<Text> {
    assign::get(shell, Name::HOME).or_else(|| own_home().or(Some(Text::from("/"))))
}

/// The home directory of the user that runs the shell.
fn own_home() -> Option<Text> {
    let uid = codepod_sys::process::ids().ok()?.uid;
    let wanted = Text::number(uid.into());
    passwd_line(|fields| fields.get(2).copied() == Some(&wanted[..]))
}

/// The home directory of a user.
fn user(name: &[u8]) -> Option<Text> {
    passwd_line(|fields| fields.first().copied() == Some(name))
}

fn passwd_line(wanted: impl Fn(&[&[u8]]) -> bool) -> Option<Text> {
    let fd = file::open(b"/etc/passwd", OpenOptions::READ).ok()?;
    let mut content = Vec::new();
    let mut buffer = [0u8; 4096];
    while let Ok(count @ 1..) = descriptor::read(fd, &mut buffer) {
        content.extend_from_slice(&buffer[..count]);
        if content.len() > 1 << 20 {
            break;
        }
    }
    let _ = descriptor::close(fd);
    for line in content.split(|byte| *byte == b'\n') {
        let fields: Vec<&[u8]> = line.split(|byte| *byte == b':').collect();
        if wanted(&fields) {
            return fields.get(5).map(|home| Text::new(home));
        }
    }
    None
}

/// `~2`, `~+2`, `~-2`: a line of `dirs`.
fn stack(shell: &Shell, name: &[u8]) -> Option<Text> {
    let (from_end, digits) = match name {
        [b'+', digits @ ..] => (false, digits),
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number: usize = std::str::from_utf8(digits).ok()?.parse().ok()?;
    let others = &shell.state.directory_stack;
    let at = if from_end {
        others.len().checked_sub(number)?
    } else {
        number
    };
    match at {
        0 => Some(shell.state.directory.clone()),
        _ => others.get(at - 1).cloned(),
    }
}
