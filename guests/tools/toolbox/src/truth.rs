//! `true` and `false`: nothing but an exit status.

use codepod_tool::{Arguments, Opt, Value, long};

use crate::arguments::{help, version};

const TABLE: &[Opt<()>] = &[
    long((), "help", Value::None),
    long((), "version", Value::None),
];

/// `true`
pub(crate) fn r#true(tool: &str, arguments: Arguments) -> i32 {
    explain(tool, &arguments, "successfully").unwrap_or(0)
}

/// `false`
pub(crate) fn r#false(tool: &str, arguments: Arguments) -> i32 {
    // It fails even where it only explains itself.
    explain(tool, &arguments, "unsuccessfully");
    1
}

/// Prints the help or the version, which count only where they stand alone. Returns the status of
/// printing.
fn explain(tool: &str, arguments: &[Vec<u8>], how: &str) -> Option<i32> {
    match arguments {
        [word] if word == b"--help" => {
            let about = format!("Do nothing, {how}. Other arguments are ignored.");
            Some(help(
                tool,
                "[ignored command line arguments]",
                &about,
                TABLE,
            ))
        }
        [word] if word == b"--version" => Some(version(tool)),
        _ => None,
    }
}
