//! What tools share in reading their arguments.

use codepod_tool::{Opt, Output, Value};

/// Prints how a tool is called and which options it has. Returns its status.
pub(crate) fn help<K>(tool: &str, usage: &str, about: &str, options: &[Opt<K>]) -> i32 {
    let mut out = Output::new();
    out.put(format!("Usage: {tool} {usage}\n{about}\n\n").as_bytes());
    for option in options {
        let short = if option.short == 0 {
            "    ".to_owned()
        } else {
            format!("-{}", char::from(option.short))
        };
        let long = match (option.long, option.value) {
            ("", _) => String::new(),
            (name, Value::None) => format!("--{name}"),
            (name, Value::Required) => format!("--{name}=VALUE"),
            (name, Value::Optional) => format!("--{name}[=VALUE]"),
        };
        let comma = if option.short != 0 && !long.is_empty() {
            ", "
        } else {
            ""
        };
        out.put(format!("  {short}{comma}{long}\n").as_bytes());
    }
    out.put(b"\n`help --support ");
    out.put(tool.as_bytes());
    out.put(b"` tells what differs from GNU coreutils.\n");
    i32::from(out.finish().is_err())
}

/// Prints which version a tool is of. Returns its status.
pub(crate) fn version(tool: &str) -> i32 {
    let mut out = Output::new();
    out.put(format!("{tool} (codepod) {}\n", env!("CARGO_PKG_VERSION")).as_bytes());
    i32::from(out.finish().is_err())
}
