//! What tools share in reading their arguments.

use std::io::Write as _;

use codepod_tool::{Opt, Output, Value, complain, quoted};

/// The choice of a name or of its beginning. Fails after saying what there is.
pub(crate) fn one_of<T: Copy + PartialEq>(
    tool: &str,
    option: &str,
    text: &[u8],
    choices: &[(&str, T)],
) -> Result<T, ()> {
    if let Some((_, choice)) = choices.iter().find(|(name, _)| name.as_bytes() == text) {
        return Ok(*choice);
    }
    let mut found: Vec<T> = Vec::new();
    for (name, choice) in choices {
        if name.as_bytes().starts_with(text) && !found.contains(choice) {
            found.push(*choice);
        }
    }
    if let [choice] = found[..] {
        return Ok(choice);
    }
    let kind: &[u8] = if found.is_empty() {
        b"invalid"
    } else {
        b"ambiguous"
    };
    say_choices(tool, kind, option, text, choices);
    Err(())
}

/// The choice of a name in full. Fails after saying what there is.
pub(crate) fn exactly_one_of<T: Copy + PartialEq>(
    tool: &str,
    option: &str,
    text: &[u8],
    choices: &[(&str, T)],
) -> Result<T, ()> {
    if let Some((_, choice)) = choices.iter().find(|(name, _)| name.as_bytes() == text) {
        return Ok(*choice);
    }
    say_choices(tool, b"invalid", option, text, choices);
    Err(())
}

/// Says that a value is no choice, and what there is.
fn say_choices<T: Copy + PartialEq>(
    tool: &str,
    kind: &[u8],
    option: &str,
    text: &[u8],
    choices: &[(&str, T)],
) {
    complain(
        tool,
        [
            kind,
            b" argument ",
            &quoted(text),
            b" for '",
            option.as_bytes(),
            b"'",
        ]
        .concat(),
    );
    let mut lines = String::from("Valid arguments are:\n");
    let mut last = None;
    for (name, choice) in choices {
        if last == Some(*choice) {
            lines += &format!(", '{name}'");
        } else {
            if last.is_some() {
                lines.push('\n');
            }
            lines += &format!("  - '{name}'");
        }
        last = Some(*choice);
    }
    lines.push('\n');
    // Where standard error is gone there is nobody to tell.
    let _ = std::io::stderr().write_all(lines.as_bytes());
}

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
