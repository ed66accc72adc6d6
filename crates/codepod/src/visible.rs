//! Bytes of a guest as text that nothing obeys: every control and every character that nobody sees
//! is made visible.
//!
//! For models, logs and messages. Terminals obey escapes, and models read what people do not see;
//! so what a guest prints becomes text of visible characters, with `\n` and `\t` as the only
//! controls: `␛` for an escape, `<U+202E>` for a character that turns text around, `\x9b` for a
//! byte that is no UTF-8. It is for reading: the bytes themselves are elsewhere.

/// The text of some bytes. Lines and tabs stay.
pub fn visible(bytes: &[u8]) -> String {
    shown(bytes, |c| matches!(c, '\n' | '\t'))
}

/// The text of a name or of anything else that is to stay on one line.
pub fn visible_line(bytes: &[u8]) -> String {
    shown(bytes, |_| false)
}

/// Whether a character changes how others are shown, or carries text that nobody sees.
pub fn is_hidden(character: char) -> bool {
    matches!(character,
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'
        | '\u{200e}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        // Not the last two, which say whether an emoji has colours.
        | '\u{fe00}'..='\u{fe0d}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

fn shown(bytes: &[u8], stays: fn(char) -> bool) -> String {
    let mut text = String::with_capacity(bytes.len());
    for piece in bytes.utf8_chunks() {
        for character in piece.valid().chars() {
            push(&mut text, character, stays);
        }
        for byte in piece.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

fn push(text: &mut String, character: char, stays: fn(char) -> bool) {
    let code = u32::from(character);
    match character {
        c if stays(c) => text.push(c),
        // Unicode has a picture for each of them.
        '\0'..='\x1f' => text.extend(char::from_u32(0x2400 + code)),
        '\x7f' => text.push('␡'),
        c if is_hidden(c) => text.push_str(&format!("<U+{code:04X}>")),
        c => text.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sequences of `visible/hostile.txt`, which the command line's filter is tried with, too.
    fn hostile() -> Vec<Vec<u8>> {
        let lines = include_str!("visible/hostile.txt").lines();
        let bytes = |line: &str| {
            let mut parts = line.split("\\x");
            let mut bytes = parts.next().unwrap().as_bytes().to_vec();
            for part in parts {
                bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
                bytes.extend_from_slice(&part.as_bytes()[2..]);
            }
            bytes
        };
        lines
            .filter(|line| !line.starts_with('#'))
            .map(bytes)
            .collect()
    }

    #[test]
    fn ap_11_what_terminals_obey_and_people_do_not_see_is_shown() {
        let corpus = hostile();
        assert!(corpus.len() >= 80, "{}", corpus.len());
        for sequence in corpus {
            let shown = visible(&sequence);
            let harmless = |c: char| matches!(c, '\n' | '\t') || !(c.is_control() || is_hidden(c));
            assert!(shown.chars().all(harmless), "{sequence:?}: {shown:?}");
            let line = visible_line(&sequence);
            assert!(
                !line.chars().any(|c| c.is_control() || is_hidden(c)),
                "{line:?}"
            );
            // Seen, not left out.
            assert!(shown.chars().count() >= String::from_utf8_lossy(&sequence).chars().count());
            assert_ne!(line.as_bytes(), sequence);
        }
    }

    #[test]
    fn what_is_plain_stays_as_it_is() {
        let plain = "line\n\tcolumn é 日本語 🙂 👩‍👩‍👧 ❤️ ␛ \\x1b\n";
        assert_eq!(visible(plain.as_bytes()), plain);
        assert_eq!(visible_line(b"a\nb\tc"), "a␊b␉c");
    }

    #[test]
    fn controls_and_hidden_characters_are_seen() {
        assert_eq!(visible(b"\x1b[31m\r\x07\x7f\0"), "␛[31m␍␇␡␀");
        assert_eq!(
            visible("a\u{202e}b\u{200b}".as_bytes()),
            "a<U+202E>b<U+200B>"
        );
        assert_eq!(visible("\u{e0041}\u{9b}".as_bytes()), "<U+E0041><U+009B>");
        assert_eq!(visible(b"\x9b31m\xff"), "\\x9b31m\\xff");
    }
}
