//! What a tool says on standard error.

use std::io::{self, Write as _};

use codepod_sys::Errno;

/// Writes `TOOL: MESSAGE` and a newline, at once. Where standard error is gone there is nobody to tell.
pub fn complain(tool: &str, message: impl AsRef<[u8]>) {
    let message = message.as_ref();
    let mut line = Vec::with_capacity(tool.len() + message.len() + 3);
    line.extend_from_slice(tool.as_bytes());
    line.extend_from_slice(b": ");
    line.extend_from_slice(message);
    line.push(b'\n');
    let _ = io::stderr().write_all(&line);
}

/// The text that glibc has for an error number.
pub fn errno_text(errno: Errno) -> &'static str {
    errno.message()
}

/// The text that glibc has for an error of std's, without std's own additions.
pub fn io_text(error: &io::Error) -> String {
    #[cfg(target_os = "wasi")]
    if let Some(number) = error.raw_os_error() {
        let known = u16::try_from(number).ok().and_then(Errno::from_raw);
        return match known {
            Some(errno) => errno.message().to_owned(),
            None => format!("Unknown error {number}"),
        };
    }
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

/// A name as GNU's messages quote it: `'name'`, with what would not print or would end the quote escaped as a shell reads it.
pub fn quoted(name: &[u8]) -> Vec<u8> {
    let plain = |byte: &u8| (0x20..0x7f).contains(byte) && *byte != b'\'';
    let mut out = Vec::with_capacity(name.len() + 2);
    if name.iter().all(plain) || (std::str::from_utf8(name).is_ok_and(is_printable)) {
        out.push(b'\'');
        out.extend_from_slice(name);
        out.push(b'\'');
        return out;
    }
    if name.contains(&b'\'')
        && std::str::from_utf8(name).is_ok_and(|text| is_printable(&text.replace('\'', "")))
    {
        out.push(b'"');
        out.extend_from_slice(name);
        out.push(b'"');
        return out;
    }
    // 'plain'$'\n''plain'
    out.push(b'\'');
    let mut inside = false;
    for &byte in name {
        let needs = !(0x20..0x7f).contains(&byte);
        if needs != inside {
            out.extend_from_slice(if needs { b"'$'" } else { b"''" });
            inside = needs;
        }
        match byte {
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\'' => out.extend_from_slice(b"'\\''"),
            _ if needs => out.extend_from_slice(format!("\\{byte:03o}").as_bytes()),
            _ => out.push(byte),
        }
    }
    out.push(b'\'');
    out
}

fn is_printable(text: &str) -> bool {
    text.chars()
        .all(|letter| !letter.is_control() && letter != '\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_as_gnu_does() {
        assert_eq!(quoted(b"a b"), b"'a b'");
        assert_eq!(quoted(b"it's"), b"\"it's\"");
        assert_eq!(quoted("ä".as_bytes()), "'ä'".as_bytes());
        assert_eq!(quoted(b"a\nb"), b"'a'$'\\n''b'");
        assert_eq!(quoted(b"\xff"), b"''$'\\377'");
    }
}
