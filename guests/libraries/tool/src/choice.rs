//! Options whose value is one of a few words, as GNU's `argmatch` reads them.

use crate::{Usage, quoted};

/// The choice of a word or of its beginning, if that is no other's, too. Fails with a message that
/// has all words; those that mean the same are on one line.
pub fn one_of<T: Copy + PartialEq>(
    option: &str,
    text: &[u8],
    choices: &[(&str, T)],
) -> Result<T, Usage> {
    if let Some(choice) = exact(text, choices) {
        return Ok(choice);
    }
    let mut found: Vec<T> = Vec::new();
    for (name, choice) in choices {
        if name.as_bytes().starts_with(text) && !found.contains(choice) {
            found.push(*choice);
        }
    }
    match found[..] {
        [choice] => Ok(choice),
        [] => Err(no_choice("invalid", option, text, choices)),
        _ => Err(no_choice("ambiguous", option, text, choices)),
    }
}

/// The choice of a word in full. Fails as [`one_of`] does.
pub fn exactly_one_of<T: Copy + PartialEq>(
    option: &str,
    text: &[u8],
    choices: &[(&str, T)],
) -> Result<T, Usage> {
    exact(text, choices).ok_or_else(|| no_choice("invalid", option, text, choices))
}

fn exact<T: Copy>(text: &[u8], choices: &[(&str, T)]) -> Option<T> {
    let found = choices.iter().find(|(name, _)| name.as_bytes() == text);
    found.map(|(_, choice)| *choice)
}

/// Says that a value is no choice, and what there is.
fn no_choice<T: Copy + PartialEq>(
    kind: &str,
    option: &str,
    text: &[u8],
    choices: &[(&str, T)],
) -> Usage {
    let of = format!(" for '{option}'\nValid arguments are:");
    let mut message = [kind.as_bytes(), b" argument ", &quoted(text), of.as_bytes()].concat();
    let mut last = None;
    for (name, choice) in choices {
        let before = if last == Some(*choice) {
            ", "
        } else {
            "\n  - "
        };
        message.extend(format!("{before}'{name}'").bytes());
        last = Some(*choice);
    }
    Usage::new(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHENS: &[(&str, u8)] = &[("always", 0), ("yes", 0), ("never", 1), ("nearly", 2)];

    #[test]
    fn a_beginning_that_is_no_other_words_is_enough() {
        assert_eq!(one_of("--when", b"y", WHENS), Ok(0));
        assert_eq!(one_of("--when", b"nev", WHENS), Ok(1));
        assert!(exactly_one_of("--when", b"nev", WHENS).is_err());
        assert_eq!(exactly_one_of("--when", b"never", WHENS), Ok(1));
    }

    #[test]
    fn a_mistake_lists_what_there_is() {
        let list = "Valid arguments are:\n  - 'always', 'yes'\n  - 'never'\n  - 'nearly'";
        let message =
            |text: &[u8]| one_of("--when", text, WHENS).map_err(|usage| usage.to_string());
        let expected = format!("invalid argument 'x' for '--when'\n{list}");
        assert_eq!(message(b"x"), Err(expected));
        let expected = format!("ambiguous argument 'ne' for '--when'\n{list}");
        assert_eq!(message(b"ne"), Err(expected));
    }
}
