//! Messages, all of them on standard error.

use codepod_sys::descriptor::{self, Fd};

/// Prints a line as it is.
pub(crate) fn line(text: impl AsRef<[u8]>) {
    let text = [text.as_ref(), b"\n"].concat();
    let _ = descriptor::write_all(Fd::STDERR, &text);
}

/// Prints `nc: MESSAGE`. Returns the status of a failure.
pub(crate) fn failure(message: impl AsRef<[u8]>) -> i32 {
    line([b"nc: ", message.as_ref()].concat());
    1
}

/// Text of a message with bytes in it.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
