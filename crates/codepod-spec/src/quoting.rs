//! Texts as TOML has them between double quotes.

/// A text between double quotes.
pub(crate) fn quoted(value: &str) -> String {
    format!("\"{}\"", escape(value, false))
}

/// A text as it stands between double quotes; `long` ones are between three.
pub(crate) fn escape(value: &str, long: bool) -> String {
    let mut text = String::new();
    for character in value.chars() {
        match character {
            '\\' => text += "\\\\",
            '"' if !long || text.ends_with('"') || text.is_empty() => text += "\\\"",
            '\n' => text += "\\n",
            '\t' => text += "\\t",
            '\r' => text += "\\r",
            _ if character.is_control() => text += &format!("\\u{:04X}", u32::from(character)),
            _ => text.push(character),
        }
    }
    if long && text.ends_with('"') && !text.ends_with("\\\"") {
        text.pop();
        text += "\\\"";
    }
    // Space at a line's end would be lost to whoever edits the file.
    if long && text.ends_with(' ') {
        text.pop();
        text += "\\u0020";
    }
    text
}
