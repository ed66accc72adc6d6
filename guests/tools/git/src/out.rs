//! What is printed: standard output with a buffer, and messages.

use std::cell::RefCell;
use std::io::Write as _;

use codepod_tool::Output;

thread_local! {
    static OUT: RefCell<Output> = RefCell::new(Output::new());
}

thread_local! {
    /// Where output goes instead while [`captured`] works.
    static CAPTURED: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

/// Prints bytes.
pub(crate) fn put(bytes: &[u8]) {
    let taken = CAPTURED.with_borrow_mut(|captured| {
        captured
            .as_mut()
            .map(|text| text.extend_from_slice(bytes))
            .is_some()
    });
    if !taken {
        OUT.with_borrow_mut(|out| out.put(bytes));
    }
}

/// Does some work and returns what it printed.
pub(crate) fn captured<T>(work: impl FnOnce() -> T) -> (T, Vec<u8>) {
    let before = CAPTURED.with_borrow_mut(|captured| captured.replace(Vec::new()));
    let result = work();
    let text = CAPTURED.with_borrow_mut(|captured| std::mem::replace(captured, before));
    (result, text.unwrap_or_default())
}

/// Prints bytes and a newline.
pub(crate) fn line(bytes: impl AsRef<[u8]>) {
    put(bytes.as_ref());
    put(b"\n");
}

/// Writes out what was collected.
pub(crate) fn flush() -> std::io::Result<()> {
    OUT.with_borrow_mut(Output::finish)
}

/// Whether nobody reads any more.
pub(crate) fn is_broken() -> bool {
    OUT.with_borrow_mut(|out| out.is_broken())
}

/// Writes a line to standard error; where it is gone there is nobody to tell.
pub(crate) fn note(message: impl AsRef<[u8]>) {
    let mut text = message.as_ref().to_vec();
    text.push(b'\n');
    let _ = std::io::stderr().write_all(&text);
}

/// `warning: MESSAGE`.
pub(crate) fn warn(message: impl AsRef<[u8]>) {
    note([b"warning: ", message.as_ref()].concat());
}

/// `hint: LINE` for every line.
pub(crate) fn hint(message: &str) {
    let mut text = String::new();
    for line in message.split('\n') {
        text.push_str("hint:");
        if !line.is_empty() {
            text.push(' ');
            text.push_str(line);
        }
        text.push('\n');
    }
    text.pop();
    note(text);
}

/// A path as git shows it: in quotes with escapes when a byte would not print; `all` quotes bytes
/// above 127 too.
pub(crate) fn quote_path(path: &[u8], all: bool) -> Vec<u8> {
    let special = |byte: &u8| {
        *byte < 0x20 || *byte == 0x7f || *byte == b'"' || *byte == b'\\' || (all && *byte >= 0x80)
    };
    if !path.iter().any(special) {
        return path.to_vec();
    }
    let mut out = vec![b'"'];
    out.extend(escape(path, all));
    out.push(b'"');
    out
}

/// The escapes of [`quote_path`] without the quotes.
pub(crate) fn escape(path: &[u8], all: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(path.len());
    for &byte in path {
        match byte {
            7 => out.extend(b"\\a"),
            8 => out.extend(b"\\b"),
            b'\t' => out.extend(b"\\t"),
            b'\n' => out.extend(b"\\n"),
            11 => out.extend(b"\\v"),
            12 => out.extend(b"\\f"),
            b'\r' => out.extend(b"\\r"),
            b'"' | b'\\' => out.extend([b'\\', byte]),
            _ if byte < 0x20 || byte == 0x7f || (all && byte >= 0x80) => {
                out.extend(format!("\\{byte:03o}").bytes())
            }
            _ => out.push(byte),
        }
    }
    out
}
