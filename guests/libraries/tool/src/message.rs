//! What a tool says on standard error.

use std::io::{self, Write as _};

use codepod_sys::Errno;

/// Writes `TOOL: MESSAGE` and a newline, at once. Where standard error is gone there is nobody to
/// tell.
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

/// Says what an error of a file is: `TOOL: NAME: TEXT`, the name quoted if it needs that.
pub fn complain_of(tool: &str, name: &[u8], text: &str) {
    let name = crate::quoted_if_needed(name);
    complain(tool, [&name[..], b": ", text.as_bytes()].concat());
}
