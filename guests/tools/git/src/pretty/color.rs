//! Colours in formats: `%Cred`, `%C(bold red)`.

use super::Context;
use crate::stop::show;

pub(super) fn color(rest: &[u8], context: &Context) -> Option<(Vec<u8>, usize)> {
    let paint = |code: Vec<u8>| if context.color { code } else { Vec::new() };
    for (name, code) in [
        ("Cred", "\x1b[31m"),
        ("Cgreen", "\x1b[32m"),
        ("Cblue", "\x1b[34m"),
        ("Creset", "\x1b[m"),
    ] {
        if rest.starts_with(name.as_bytes()) {
            return Some((paint(code.into()), name.len()));
        }
    }
    if rest.get(1) != Some(&b'(') {
        return None;
    }
    let end = rest.iter().position(|byte| *byte == b')')?;
    let mut inside = show(&rest[2..end]);
    let mut always = false;
    if let Some(after) = inside.strip_prefix("always,") {
        always = true;
        inside = after.to_owned();
    } else if let Some(after) = inside.strip_prefix("auto,") {
        inside = after.to_owned();
    } else if inside == "auto" {
        return Some((paint(b"\x1b[m".to_vec()), end + 1));
    }
    let code = color_code(&inside)?;
    let code = if always { code } else { paint(code) };
    Some((code, end + 1))
}

/// The escape sequence of words like `bold red`.
pub(crate) fn color_code(words: &str) -> Option<Vec<u8>> {
    const NAMES: [&str; 8] = [
        "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
    ];
    let (mut numbers, mut ground) = (Vec::new(), 30);
    let mut attributes = Vec::new();
    for word in words.split_ascii_whitespace() {
        if word == "reset" {
            return Some(b"\x1b[m".to_vec());
        }
        let attribute = match word {
            "bold" => 1,
            "dim" => 2,
            "italic" => 3,
            "ul" => 4,
            "blink" => 5,
            "reverse" => 7,
            "strike" => 9,
            _ => 0,
        };
        if attribute > 0 {
            attributes.push(attribute.to_string());
        } else if word == "normal" {
            ground += 10;
        } else if let Some(at) = NAMES.iter().position(|name| *name == word) {
            numbers.push((ground + at).to_string());
            ground += 10;
        } else if let Ok(number) = word.parse::<u8>() {
            numbers.push(format!("{};5;{number}", ground + 8));
            ground += 10;
        } else {
            return None;
        }
    }
    attributes.extend(numbers);
    Some(format!("\x1b[{}m", attributes.join(";")).into_bytes())
}
