//! What a builtin's argument names: `name`, `name[subscript]`, `name=value`, `name+=value`.

use crate::shell::Shell;

/// An argument of `declare`, `export` and so on, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Target<'a> {
    /// The variable's name; a valid one.
    pub name: &'a [u8],
    /// What stands in brackets.
    pub subscript: Option<&'a [u8]>,
    /// `+=`
    pub append: bool,
    /// What stands after `=`.
    pub value: Option<&'a [u8]>,
}

/// Takes an argument apart; none when it has no valid name.
pub(super) fn parse(argument: &[u8]) -> Option<Target<'_>> {
    let end = name_end(argument);
    let (name, mut rest) = argument.split_at(end);
    if name.is_empty() {
        return None;
    }
    let mut subscript = None;
    if rest.first() == Some(&b'[') {
        let close = closing(rest)?;
        subscript = Some(&rest[1..close]);
        rest = &rest[close + 1..];
    }
    let (append, value) = match rest {
        [] => (false, None),
        [b'=', value @ ..] => (false, Some(value)),
        [b'+', b'=', value @ ..] => (true, Some(value)),
        _ => return None,
    };
    Some(Target {
        name,
        subscript,
        append,
        value,
    })
}

/// Takes `name` or `name[subscript]` apart. The name is not checked.
pub(super) fn split(argument: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
    match argument.iter().position(|byte| *byte == b'[') {
        None => Some((argument, None)),
        Some(open) => match argument.last() {
            Some(b']') if open > 0 => {
                let subscript = &argument[open + 1..argument.len() - 1];
                Some((&argument[..open], Some(subscript)))
            }
            _ => None,
        },
    }
}

/// Where the name at the start ends.
fn name_end(argument: &[u8]) -> usize {
    if argument.first().is_none_or(u8::is_ascii_digit) {
        return 0;
    }
    let byte = |byte: &u8| !(byte.is_ascii_alphanumeric() || *byte == b'_');
    argument.iter().position(byte).unwrap_or(argument.len())
}

/// Where the bracket closes that the text starts with.
fn closing(text: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    let mut quote = 0u8;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' if quote != b'\'' => at += 1,
            b'\'' | b'"' if quote == 0 => quote = byte,
            _ if quote == byte => quote = 0,
            _ if quote != 0 => {}
            b'[' => depth += 1,
            b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Tells that an argument is no valid name. Returns the status.
pub(super) fn invalid(shell: &Shell, command: &[u8], argument: &[u8]) -> i32 {
    shell.builtin_error(
        command,
        [b"`", argument, b"': not a valid identifier"].concat(),
    );
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_is_taken_apart() {
        let target = parse(b"m[a=\"]\" b]+=x=y").expect("it has a name");
        assert_eq!(target.name, b"m");
        assert_eq!(target.subscript, Some(&b"a=\"]\" b"[..]));
        assert!(target.append);
        assert_eq!(target.value, Some(&b"x=y"[..]));
        assert_eq!(parse(b"a").and_then(|target| target.value), None);
        for bad in [
            &b""[..],
            b"1a=2",
            b"a b",
            b"a-b=1",
            b"=1",
            b"a[1",
            b"a[1]x",
            b"a+",
            b"-",
        ] {
            assert_eq!(parse(bad), None);
        }
    }
}
