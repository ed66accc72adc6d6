//! What to do instead of a program that the sandbox does not have, for the hint when it is called.

use codepod_sys::descriptor;
use codepod_sys::file::{self, OpenOptions};

/// `KIND<tab>NAME NAME…<tab>what to do instead`, a line for several names; made from
/// `spec/absent.toml`.
const LIST: &str = "/usr/share/codepod/absent";

/// The most of the list that is read: a sandbox may have put anything in its place.
const MOST_BYTES: usize = 64 << 10;

/// What to say after "command not found": the line of the list, or where all programs are listed.
pub(super) fn hint(name: &[u8]) -> Vec<u8> {
    listed_hint(name).unwrap_or_else(|| {
        [
            b"there is no `",
            name,
            b"` in this sandbox; `ls /bin` lists the programs",
        ]
        .concat()
    })
}

/// What to say of a program that the list has, by its name or by a path such as `/usr/bin/perl`.
pub(super) fn listed_hint(program: &[u8]) -> Option<Vec<u8>> {
    let name = match program.first() {
        Some(b'/') => program.rsplit(|byte| *byte == b'/').next()?,
        _ => program,
    };
    let list = read();
    let instead = instead(&list, name)?;
    Some([b"there is no `", name, b"` in this sandbox: ", instead].concat())
}

/// What to say of a script whose first line, the beginning of `head`, names an interpreter that
/// there is not.
pub(super) fn interpreter_hint(head: &[u8]) -> Vec<u8> {
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if line.ends_with(b"\r") {
        return b"its lines end as on Windows, so the interpreter's name has a carriage return at \
            its end; `dos2unix FILE` mends that"
            .to_vec();
    }
    let words = line.strip_prefix(b"#!").unwrap_or_default().trim_ascii();
    let program = words
        .split(|byte| matches!(byte, b' ' | b'\t'))
        .next()
        .unwrap_or_default();
    match listed_hint(program) {
        Some(hint) => [b"its first line names the interpreter; ", &hint[..]].concat(),
        None => b"its first line names an interpreter that is not in this sandbox; `ls /bin` \
            lists the programs"
            .to_vec(),
    }
}

/// The line on a command.
fn instead<'a>(list: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    list.split(|byte| *byte == b'\n').find_map(|line| {
        let mut fields = line.splitn(3, |byte| *byte == b'\t');
        let is_command = fields.next() == Some(b"command");
        let mut names = fields.next()?.split(|byte| *byte == b' ');
        let instead = fields.next()?;
        (is_command && names.any(|known| known == name)).then_some(instead)
    })
}

fn read() -> Vec<u8> {
    let Ok(fd) = file::open(LIST.as_bytes(), OpenOptions::READ) else {
        return Vec::new();
    };
    let mut text = vec![0; MOST_BYTES];
    let mut filled = 0;
    while filled < MOST_BYTES {
        match descriptor::read(fd, &mut text[filled..]) {
            Ok(0) | Err(_) => break,
            Ok(count) => filled += count,
        }
    }
    let _ = descriptor::close(fd);
    text.truncate(filled);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"package\tperl torch\tno\ncommand\tcurl wget\tno network\nbroken\ncommand\tperl\tuse awk\ncommand\tcut";

    #[test]
    fn a_command_is_found_by_its_whole_name() {
        assert_eq!(instead(TEXT, b"wget"), Some(&b"no network"[..]));
        assert_eq!(instead(TEXT, b"perl"), Some(&b"use awk"[..]));
        assert_eq!(instead(TEXT, b"wge"), None);
        assert_eq!(instead(TEXT, b"torch"), None);
        assert_eq!(instead(TEXT, b""), None);
    }

    #[test]
    fn a_line_that_is_cut_off_says_nothing() {
        assert_eq!(instead(TEXT, b"broken"), None);
        assert_eq!(instead(TEXT, b"cut"), None);
    }
}
