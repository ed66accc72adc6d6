//! Questions on standard error, answered on standard input.

use std::io::{Read as _, Write as _};

use codepod_tool::Stdin;

/// Asks a question and reads a line. Whether that began with `y`.
///
/// Nothing behind the line is read: it may be for somebody else.
pub(crate) fn confirm(tool: &str, question: &[u8]) -> bool {
    let question = [tool.as_bytes(), b": ", question, b"? "].concat();
    // Where standard error is gone there is nobody to ask, and the answer says enough.
    let _ = std::io::stderr().write_all(&question);
    let mut byte = [0];
    let mut first = None;
    while matches!(Stdin.read(&mut byte), Ok(1)) {
        let [letter] = byte;
        first.get_or_insert(letter);
        if letter == b'\n' {
            break;
        }
    }
    matches!(first, Some(b'y' | b'Y'))
}
