//! History expansion for `history -p`: events and words.

use crate::text::Text;

/// Expands `!…` in a text; none when an event is not there.
pub(super) fn expand(text: &[u8], history: &[Text]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.iter().position(|byte| *byte == b'!') {
        let escaped = rest[..at].last() == Some(&b'\\');
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        if escaped
            || rest
                .first()
                .is_none_or(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'=' | b'('))
        {
            out.push(b'!');
            continue;
        }
        let (line, taken) = event(rest, history)?;
        rest = &rest[taken..];
        let (words, taken) = designated(rest, line)?;
        rest = &rest[taken..];
        out.extend_from_slice(&words);
    }
    out.extend_from_slice(rest);
    Some(out)
}

/// The line that an event names, and how long the name is.
fn event<'h>(text: &[u8], history: &'h [Text]) -> Option<(&'h Text, usize)> {
    let last = || history.last();
    match text {
        [b'!', ..] => Some((last()?, 1)),
        // Only words are named: those of the last line.
        [b'$' | b'^' | b'*' | b':', ..] => Some((last()?, 0)),
        [b'-' | b'0'..=b'9', ..] => {
            let sign = usize::from(text[0] == b'-');
            let digits = text[sign..]
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            let number: usize = std::str::from_utf8(&text[sign..sign + digits])
                .ok()?
                .parse()
                .ok()?;
            let at = if sign == 1 {
                history.len().checked_sub(number)?
            } else {
                number.checked_sub(1)?
            };
            Some((history.get(at)?, sign + digits))
        }
        [b'?', inside @ ..] => {
            let end = inside
                .iter()
                .position(|byte| *byte == b'?')
                .unwrap_or(inside.len());
            let wanted = &inside[..end];
            let closed = usize::from(end < inside.len());
            let line = history.iter().rev().find(|line| {
                wanted.is_empty() || line.windows(wanted.len()).any(|part| part == wanted)
            })?;
            Some((line, 1 + end + closed))
        }
        _ => {
            let end = text
                .iter()
                .position(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b':' | b'^' | b'$' | b'*'))
                .unwrap_or(text.len());
            let wanted = &text[..end];
            let line = history.iter().rev().find(|line| line.starts_with(wanted))?;
            Some((line, end))
        }
    }
}

/// The words that a designator picks (`:0`, `:2-3`, `^`, `$`, `*`), all without one; and how long
/// it is.
fn designated(text: &[u8], line: &Text) -> Option<(Vec<u8>, usize)> {
    let words: Vec<&[u8]> = line
        .split(|byte| matches!(byte, b' ' | b'\t' | b'\n'))
        .filter(|word| !word.is_empty())
        .collect();
    let last = words.len().saturating_sub(1);
    let (start, colon) = match text {
        [b':', rest @ ..] => (rest, 1),
        _ => (text, 0),
    };
    let (from, to, taken) = match start {
        [b'^', ..] => (1, 1, 1),
        [b'$', ..] => (last, last, 1),
        [b'*', ..] => {
            let part = words.get(1..).unwrap_or_default().join(&b' ');
            return Some((part, colon + 1));
        }
        [b'0'..=b'9', ..] if colon == 1 => {
            let digits = start
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            let from: usize = std::str::from_utf8(&start[..digits]).ok()?.parse().ok()?;
            match &start[digits..] {
                [b'-', b'$', ..] => (from, last, digits + 2),
                [b'-', rest @ ..] => {
                    let more = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                    let to: usize = std::str::from_utf8(&rest[..more]).ok()?.parse().ok()?;
                    (from, to, digits + 1 + more)
                }
                [b'*', ..] => (from, last, digits + 1),
                _ => (from, from, digits),
            }
        }
        _ => return Some((line.to_vec(), 0)),
    };
    Some((words.get(from..=to)?.join(&b' '), colon + taken))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_and_words_are_found() {
        let history = [Text::from("ls -l /tmp"), Text::from("echo one two three")];
        let expanded = |text: &str| {
            let found = expand(text.as_bytes(), &history)?;
            Some(String::from_utf8_lossy(&found).into_owned())
        };
        assert_eq!(
            expanded("sudo !!").as_deref(),
            Some("sudo echo one two three")
        );
        assert_eq!(expanded("!1").as_deref(), Some("ls -l /tmp"));
        assert_eq!(expanded("!-2 x").as_deref(), Some("ls -l /tmp x"));
        assert_eq!(expanded("!ls").as_deref(), Some("ls -l /tmp"));
        assert_eq!(expanded("!?tmp?").as_deref(), Some("ls -l /tmp"));
        assert_eq!(expanded("cat !$").as_deref(), Some("cat three"));
        assert_eq!(expanded("!!:1-2").as_deref(), Some("one two"));
        assert_eq!(expanded("!ls:*").as_deref(), Some("-l /tmp"));
        assert_eq!(expanded("a ! b").as_deref(), Some("a ! b"));
        assert_eq!(expanded("!nope"), None);
        assert_eq!(expanded("!9"), None);
    }
}
