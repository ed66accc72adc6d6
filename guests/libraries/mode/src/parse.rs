//! Reading changes: octal numbers, and clauses with operators.

use crate::change::{ALL, Clause, Operator, Value};

/// Whose grammar a text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grammar {
    /// GNU's tools: all letters, copies such as `g=u`, octal numbers behind an operator, and
    /// several operators between two commas.
    Gnu,
    /// bash's `umask`: `r`, `w` and `x`, and one operator between two commas.
    Umask,
}

/// Why a text is not a change, by its first byte that does not fit; none at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    /// There should be `+`, `-` or `=`.
    Operator(Option<u8>),
    /// There should be a permission, a comma or the end.
    Character(Option<u8>),
}

/// A number that is the whole text. All bits are set to it, but one of less than five digits does
/// not name the set-id bits that it leaves out.
pub(crate) fn octal(text: &[u8]) -> Option<Clause> {
    let (bits, rest) = leading_octal(text)?;
    let named = if text.len() < 5 { bits } else { ALL };
    rest.is_empty().then_some(Clause {
        operator: Operator::Set,
        who: Some(ALL),
        value: Value::Bits(bits),
        named,
    })
}

/// The clauses of a symbolic change.
pub(crate) fn clauses(text: &[u8], grammar: Grammar) -> Result<Vec<Clause>, Wrong> {
    let mut clauses = Vec::new();
    let mut rest = text;
    'comma: loop {
        let who = who(&mut rest);
        loop {
            let operator = operator(&mut rest)?;
            clauses.push(clause(who, operator, &mut rest, grammar)?);
            match rest {
                [] => return Ok(clauses),
                [b',', after @ ..] => {
                    rest = after;
                    continue 'comma;
                }
                [b'+' | b'-' | b'=', ..] if grammar == Grammar::Gnu => {}
                [byte, ..] => return Err(Wrong::Character(Some(*byte))),
            }
        }
    }
}

/// Takes the letters before the first operator; none where there are none.
fn who(rest: &mut &[u8]) -> Option<u32> {
    let mut who = None;
    while let [letter, after @ ..] = rest {
        let bits = match letter {
            b'u' => 0o4700,
            b'g' => 0o2070,
            b'o' => 0o1007,
            b'a' => ALL,
            _ => break,
        };
        who = Some(who.unwrap_or(0) | bits);
        *rest = after;
    }
    who
}

fn operator(rest: &mut &[u8]) -> Result<Operator, Wrong> {
    let operator = match rest.first() {
        Some(b'+') => Operator::Add,
        Some(b'-') => Operator::Remove,
        Some(b'=') => Operator::Set,
        other => return Err(Wrong::Operator(other.copied())),
    };
    *rest = &rest[1..];
    Ok(operator)
}

/// Takes what is behind an operator.
fn clause(
    who: Option<u32>,
    operator: Operator,
    rest: &mut &[u8],
    grammar: Grammar,
) -> Result<Clause, Wrong> {
    if grammar == Grammar::Gnu
        && let Some((bits, after)) = leading_octal(rest)
    {
        // A number is about all bits, so letters before it and more operators make no sense.
        if who.is_some() || !matches!(after, [] | [b',', ..]) {
            return Err(Wrong::Character(after.first().copied()));
        }
        *rest = after;
        return Ok(Clause {
            operator,
            who: Some(ALL),
            value: Value::Bits(bits),
            named: ALL,
        });
    }
    let value = value(rest, grammar);
    let named = match value {
        Value::Bits(bits) | Value::BitsAndExecute(bits) => bits & who.unwrap_or(ALL),
        Value::CopyOf(_) => 0,
    };
    Ok(Clause {
        operator,
        who,
        value,
        named,
    })
}

/// Takes the letters of permissions.
fn value(rest: &mut &[u8], grammar: Grammar) -> Value {
    if grammar == Grammar::Gnu
        && let [letter @ (b'u' | b'g' | b'o'), after @ ..] = rest
    {
        *rest = after;
        return Value::CopyOf(match letter {
            b'u' => 6,
            b'g' => 3,
            _ => 0,
        });
    }
    let (mut bits, mut execute) = (0, false);
    while let [letter, after @ ..] = rest {
        match (letter, grammar) {
            (b'r', _) => bits |= 0o444,
            (b'w', _) => bits |= 0o222,
            (b'x', _) => bits |= 0o111,
            (b's', Grammar::Gnu) => bits |= 0o6000,
            (b't', Grammar::Gnu) => bits |= 0o1000,
            (b'X', Grammar::Gnu) => execute = true,
            _ => break,
        }
        *rest = after;
    }
    if execute {
        Value::BitsAndExecute(bits)
    } else {
        Value::Bits(bits)
    }
}

/// The octal number at the beginning, and what follows it; none where there is no digit or the
/// number has more bits than a mode.
fn leading_octal(text: &[u8]) -> Option<(u32, &[u8])> {
    let digit = |byte: &u8| matches!(byte, b'0'..=b'7');
    let length = text.iter().take_while(|byte| digit(byte)).count();
    let (digits, rest) = text.split_at(length);
    let bits = digits.iter().try_fold(0, |bits, byte| {
        let bits = bits * 8 + u32::from(byte - b'0');
        (bits <= ALL).then_some(bits)
    })?;
    (length > 0).then_some((bits, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Change;

    // chmod of GNU coreutils 9.1, find 4.9.0 and tar 1.34 refuse all of these.
    #[test]
    fn invalid_changes_are_refused() {
        for text in [
            "", "8", "u", ",", "u+r,", ",u+r", "x", "u+q", "u=ux", "u=xu", "u+755", "=755+1",
            "755x", "777777", "10000",
        ] {
            assert_eq!(Change::parse(text.as_bytes()), None, "{text}");
        }
        assert!(Change::parse(b"0000000000000644").is_some());
    }

    // The byte in the message of bash 5.2's umask.
    #[test]
    fn umask_names_the_byte_that_is_wrong() {
        for (text, wanted) in [
            ("", Wrong::Operator(None)),
            ("u=r,g", Wrong::Operator(None)),
            ("u+r,", Wrong::Operator(None)),
            (",", Wrong::Operator(Some(b','))),
            ("q", Wrong::Operator(Some(b'q'))),
            ("u+s", Wrong::Character(Some(b's'))),
            ("u=X", Wrong::Character(Some(b'X'))),
            ("u=u", Wrong::Character(Some(b'u'))),
            ("u+r-w", Wrong::Character(Some(b'-'))),
            ("+7", Wrong::Character(Some(b'7'))),
        ] {
            assert_eq!(Change::parse_umask(text.as_bytes()), Err(wanted), "{text}");
        }
    }
}
