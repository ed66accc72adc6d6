//! Text: each byte is a character, so that any byte survives while texts are handled as strings.

use codepod_posix_regex::Glob;

/// Bytes as characters.
pub fn decode(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

/// Characters as the bytes that they were.
pub fn encode(text: &str) -> Vec<u8> {
    text.chars().map(|letter| u32::from(letter) as u8).collect()
}

/// Whether a word matches a pattern with one `%`; the part that it stands for.
pub fn stem<'a>(pattern: &str, word: &'a str) -> Option<&'a str> {
    match pattern.split_once('%') {
        None => (pattern == word).then_some(""),
        Some((before, after)) => {
            let rest = word.strip_prefix(before)?;
            rest.strip_suffix(after)
        }
    }
}

/// Puts a part in the place of `%`.
pub fn fill(pattern: &str, part: &str) -> String {
    pattern.replacen('%', part, 1)
}

/// Changes each word of a text.
pub fn each(text: &str, change: impl Fn(&str) -> String) -> String {
    text.split_ascii_whitespace()
        .map(change)
        .collect::<Vec<_>>()
        .join(" ")
}

/// The directory of a file by its name, with the slash; `./` where it has none.
pub fn directory(word: &str) -> String {
    word.rfind('/')
        .map_or_else(|| "./".to_owned(), |at| word[..=at].to_owned())
}

/// Replaces words that match.
pub fn patsubst(from: &str, to: &str, text: &str) -> String {
    each(text, |word| match stem(from, word) {
        Some(part) if from.contains('%') => fill(to, part),
        Some(_) => to.to_owned(),
        None => word.to_owned(),
    })
}

/// The words of a text that match a shell pattern among the files; sorted. A pattern without
/// matches gives nothing.
pub fn glob(pattern: &str) -> Vec<String> {
    if !pattern.contains(['*', '?', '[']) {
        return match std::fs::symlink_metadata(codepod_tool::path(&encode(pattern))) {
            Ok(_) => vec![pattern.to_owned()],
            Err(_) => Vec::new(),
        };
    }
    let (mut found, rest) = match pattern.strip_prefix('/') {
        Some(rest) => (vec!["/".to_owned()], rest),
        None => (vec![String::new()], pattern),
    };
    let parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
    let glob = Glob {
        period: true,
        ..Glob::default()
    };
    for part in parts {
        let mut next = Vec::new();
        for base in &found {
            let join = |name: &str| match base.as_str() {
                "" => name.to_owned(),
                base if base.ends_with('/') => format!("{base}{name}"),
                base => format!("{base}/{name}"),
            };
            if !part.contains(['*', '?', '[']) {
                let whole = join(part);
                if std::fs::symlink_metadata(codepod_tool::path(&encode(&whole))).is_ok() {
                    next.push(whole);
                }
                continue;
            }
            let directory = if base.is_empty() {
                b".".to_vec()
            } else {
                encode(base)
            };
            let Ok(entries) = std::fs::read_dir(codepod_tool::path(&directory)) else {
                continue;
            };
            let mut names: Vec<String> = entries
                .flatten()
                .map(|entry| decode(entry.file_name().as_encoded_bytes()))
                .collect();
            names.sort();
            for name in names {
                if glob.matches(&encode(part), &encode(&name)) {
                    next.push(join(&name));
                }
            }
        }
        found = next;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        assert_eq!(stem("%.o", "a.o"), Some("a"));
        assert_eq!(stem("lib%.a", "libx.a"), Some("x"));
        assert_eq!(stem("%.o", "a.c"), None);
        assert_eq!(fill("%.c", "x"), "x.c");
        assert_eq!(encode(&decode(b"\xff\x00a")), b"\xff\x00a");
    }
}
