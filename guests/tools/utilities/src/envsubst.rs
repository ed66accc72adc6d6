//! `envsubst`: variables of the environment put into a text.

use codepod_tool::{Arguments, Output, complain};

use crate::files;

/// envsubst as a tool.
pub(crate) fn main(name: &str, arguments: Arguments) -> i32 {
    let mut list = false;
    let mut operands = Vec::new();
    for argument in arguments {
        match argument.as_slice() {
            b"-v" | b"--variables" => list = true,
            b"-h" | b"--help" => return files::print("Usage: envsubst [-v] [SHELL-FORMAT]\n"),
            b"-V" | b"--version" => return files::print("envsubst (codepod) 0.1.0\n"),
            [b'-', rest @ ..] if !rest.is_empty() && rest != b"-" => {
                let shown = String::from_utf8_lossy(&argument).into_owned();
                match shown.strip_prefix("--") {
                    Some(_) => complain(name, format!("unrecognized option '{shown}'")),
                    None => complain(name, format!("invalid option -- '{}'", &shown[1..2])),
                }
                files::tell("Try 'envsubst --help' for more information.\n");
                return 1;
            }
            _ => operands.push(argument),
        }
    }
    if operands.len() > 1 {
        complain(name, "too many arguments");
        return 1;
    }
    let wanted = operands.first().map(|format| {
        let mut names = Vec::new();
        substitute(format, |name, _, _| names.push(name.to_vec()), |_| {});
        names
    });
    let mut out = Output::new();
    if list {
        let Some(names) = wanted else {
            complain(name, "missing arguments");
            return 1;
        };
        for found in names {
            out.put(&found);
            out.put_byte(b'\n');
        }
        return i32::from(out.finish().is_err());
    }
    let text = match files::stdin() {
        Ok(text) => text,
        Err(error) => {
            complain(
                name,
                format!(
                    "error while reading \"standard input\": {}",
                    files::why(&error)
                ),
            );
            return 1;
        }
    };
    let mut result = Vec::new();
    let result_cell = std::cell::RefCell::new(&mut result);
    substitute(
        &text,
        |name, whole, _| {
            let chosen = wanted
                .as_ref()
                .is_none_or(|names| names.iter().any(|known| known == name));
            if chosen {
                let value = std::env::var_os(codepod_tool::os_str(name)).unwrap_or_default();
                result_cell
                    .borrow_mut()
                    .extend_from_slice(value.as_encoded_bytes());
            } else {
                result_cell.borrow_mut().extend_from_slice(whole);
            }
        },
        |text| result_cell.borrow_mut().extend_from_slice(text),
    );
    out.put(&result);
    i32::from(out.finish().is_err())
}

/// Takes a text apart: calls `variable` with a name and how it is written, and `plain` with
/// everything between.
fn substitute(
    text: &[u8],
    mut variable: impl FnMut(&[u8], &[u8], usize),
    mut plain: impl FnMut(&[u8]),
) {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut at = 0;
    let mut from = 0;
    while at < text.len() {
        if text[at] != b'$' {
            at += 1;
            continue;
        }
        let braces = text.get(at + 1) == Some(&b'{');
        let start = at + 1 + usize::from(braces);
        let length = text[start.min(text.len())..]
            .iter()
            .take_while(|byte| is_name(byte))
            .count();
        let starts_well = text
            .get(start)
            .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
        let closed = !braces || text.get(start + length) == Some(&b'}');
        if length == 0 || !starts_well || !closed {
            at += 1;
            continue;
        }
        let end = start + length + usize::from(braces);
        plain(&text[from..at]);
        variable(&text[start..start + length], &text[at..end], at);
        at = end;
        from = end;
    }
    plain(&text[from..]);
}
