//! `umask`.

use codepod_mode::{Change, Wrong};
use codepod_sys::file;

use super::{Getopt, print};
use crate::flow::Run;
use crate::shell::Shell;
use crate::text::Text;

/// Runs it.
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let (mut symbolic, mut reusable) = (false, false);
    let mut options = Getopt::new(arguments, "Sp");
    loop {
        match options.next(shell) {
            Ok(None) => break,
            Ok(Some(option)) if option.letter == b'S' => symbolic = true,
            Ok(Some(_)) => reusable = true,
            Err(status) => return Ok(status),
        }
    }
    let old = current(shell);
    let Some(mode) = options.operands().first() else {
        let mut out = Vec::new();
        if reusable {
            out.extend_from_slice(if symbolic { b"umask -S " } else { b"umask " });
        }
        if symbolic {
            push_symbolic(old, &mut out);
        } else {
            push_octal(old, &mut out);
        }
        out.push(b'\n');
        return Ok(print(shell, b"umask", &out));
    };
    let new = if mode.first().is_some_and(u8::is_ascii_digit) {
        octal(mode).ok_or_else(|| [&mode[..], b": octal number out of range"].concat())
    } else {
        symbolic_mode(mode, old)
    };
    let new = match new {
        Ok(new) => new,
        Err(message) => {
            shell.builtin_error(b"umask", message);
            return Ok(1);
        }
    };
    if let Err(errno) = shell.set_umask(new) {
        shell.builtin_error(b"umask", errno.message());
        return Ok(1);
    }
    if !symbolic {
        return Ok(0);
    }
    let mut out = Vec::new();
    push_symbolic(new, &mut out);
    out.push(b'\n');
    Ok(print(shell, b"umask", &out))
}

/// The mask now. The kernel only tells it when a new one is set.
fn current(shell: &Shell) -> u32 {
    if let Some(mask) = shell.state.umask {
        return mask;
    }
    let mask = file::umask(0).unwrap_or(0o022);
    let _ = file::umask(mask);
    mask
}

fn octal(text: &[u8]) -> Option<u32> {
    let value = text.iter().try_fold(0u32, |value, byte| {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit < 8)?;
        let value = value * 8 + u32::from(digit);
        (value <= 0o7777).then_some(value)
    })?;
    Some(value & 0o777)
}

fn push_octal(mask: u32, out: &mut Vec<u8>) {
    for shift in [9, 6, 3, 0] {
        out.push(b'0' + (mask >> shift & 7) as u8);
    }
}

/// What the mask lets through: `u=rwx,g=rx,o=rx`.
fn push_symbolic(mask: u32, out: &mut Vec<u8>) {
    for (letter, shift) in [(b'u', 6), (b'g', 3), (b'o', 0)] {
        if shift < 6 {
            out.push(b',');
        }
        out.extend_from_slice(&[letter, b'=']);
        for (letter, bit) in [(b'r', 4), (b'w', 2), (b'x', 1)] {
            if mask >> shift & bit == 0 {
                out.push(letter);
            }
        }
    }
}

/// Applies `u+w,go=rx`; the error is bash's message.
fn symbolic_mode(text: &[u8], mask: u32) -> Result<u32, Vec<u8>> {
    let change = Change::parse_umask(text).map_err(|wrong| {
        let (byte, what): (_, &[u8]) = match wrong {
            Wrong::Operator(byte) => (byte, b"operator"),
            Wrong::Character(byte) => (byte, b"character"),
        };
        let byte = [byte.unwrap_or(0)];
        [b"`", &byte[..], b"': invalid symbolic mode ", what].concat()
    })?;
    // A mask is what the change does not let through.
    let allowed = change.apply(!mask & 0o777, false, 0);
    Ok(!allowed & 0o777)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbolic_modes_say_what_is_let_through() {
        assert_eq!(symbolic_mode(b"u=rwx,g=rx,o=", 0o022), Ok(0o027));
        assert_eq!(symbolic_mode(b"u-w", 0o027), Ok(0o227));
        assert_eq!(symbolic_mode(b"=", 0o022), Ok(0o777));
        assert_eq!(symbolic_mode(b"+r", 0o777), Ok(0o333));
        assert_eq!(
            symbolic_mode(b"u=q", 0),
            Err(b"`q': invalid symbolic mode character".to_vec())
        );
        assert_eq!(
            symbolic_mode(b"x", 0),
            Err(b"`x': invalid symbolic mode operator".to_vec())
        );
    }

    #[test]
    fn octal_modes_lose_what_is_no_permission() {
        assert_eq!(octal(b"1777"), Some(0o777));
        assert_eq!(octal(b"8"), None);
        assert_eq!(octal(b"77777"), None);
    }
}
