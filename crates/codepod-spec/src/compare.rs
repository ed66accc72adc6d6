//! Showing bytes and differences to people.

/// How many lines of a difference are shown, and how much of a line.
const MOST_LINES: usize = 20;
const LONGEST_LINE: usize = 400;

/// Bytes as text: what is no character of a terminal is escaped.
pub(crate) fn show(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\n' | '\t' => text.push(character),
                _ if character.is_control() => text += &format!("\\x{:02x}", u32::from(character)),
                _ => text.push(character),
            }
        }
        for byte in chunk.invalid() {
            text += &format!("\\x{byte:02x}");
        }
    }
    if !bytes.is_empty() && !bytes.ends_with(b"\n") {
        text += "⏎̸\n";
    }
    text
}

/// What was expected and what was got, the lines that differ marked; nothing when they are equal.
pub(crate) fn difference(what: &str, expected: &[u8], got: &[u8]) -> String {
    if expected == got {
        return String::new();
    }
    let (expected, got) = (show(expected), show(got));
    let (expected, got): (Vec<&str>, Vec<&str>) =
        (expected.lines().collect(), got.lines().collect());
    let same = expected
        .iter()
        .zip(&got)
        .take_while(|(a, b)| a == b)
        .count();
    let same_end = expected[same..]
        .iter()
        .rev()
        .zip(got[same..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let mut text = format!("  {what}:\n");
    let mut lines = |mark: char, lines: &[&str]| {
        for line in lines.iter().take(MOST_LINES) {
            let cut: String = line.chars().take(LONGEST_LINE).collect();
            text += &format!("    {mark} {cut}\n");
        }
        if lines.len() > MOST_LINES {
            text += &format!("    {mark} … {} more lines\n", lines.len() - MOST_LINES);
        }
    };
    // A little of what agrees tells where it is.
    let before = same.saturating_sub(2);
    lines(' ', &expected[before..same]);
    lines('-', &expected[same..expected.len() - same_end]);
    lines('+', &got[same..got.len() - same_end]);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_escaped() {
        assert_eq!(show(b"a\x1b\xffb\n"), "a\\x1b\\xffb\n");
        assert!(show(b"no end").starts_with("no end"));
        assert_eq!(show(b""), "");
    }

    #[test]
    fn only_lines_that_differ_are_marked() {
        assert_eq!(difference("x", b"same\n", b"same\n"), "");
        let text = difference("stdout", b"a\nb\nc\n", b"a\nB\nc\n");
        assert_eq!(text, "  stdout:\n      a\n    - b\n    + B\n");
    }
}
