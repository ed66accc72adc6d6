//! The lines `Key: value` at the end of a message: `%(trailers)`.

use crate::stop::show;

/// The lines `Key: value` at the end of a message.
pub(super) fn trailers(message: &[u8], options: &str) -> Vec<u8> {
    let text = show(message);
    let last = text
        .trim_end()
        .rsplit("\n\n")
        .next()
        .unwrap_or("")
        .to_owned();
    let mut found = Vec::new();
    let is_trailer = |line: &str| {
        line.split_once(": ").is_some_and(|(key, _)| {
            !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        })
    };
    if text.trim_end().contains("\n\n") && last.lines().all(is_trailer) {
        found.extend(last.lines().map(str::to_owned));
    }
    let mut separator = "\n".to_owned();
    let mut ended = true;
    let (mut only_value, mut keys) = (false, Vec::new());
    for option in options
        .strip_prefix("trailers")
        .unwrap_or("")
        .trim_start_matches(':')
        .split(',')
    {
        match option.split_once('=') {
            Some(("key", key)) => keys.push(key.trim_end_matches(':').to_ascii_lowercase()),
            Some(("separator", text)) => {
                separator = text
                    .replace("%x2C", ",")
                    .replace("%x2c", ",")
                    .replace("%n", "\n");
                ended = false;
            }
            Some(("valueonly", value)) => only_value = value != "false",
            None if option == "valueonly" => only_value = true,
            _ => {}
        }
    }
    let mut lines = Vec::new();
    for line in found {
        let Some((key, value)) = line.split_once(": ") else {
            continue;
        };
        if keys.is_empty() || keys.contains(&key.to_ascii_lowercase()) {
            lines.push(if only_value {
                value.to_owned()
            } else {
                line.clone()
            });
        }
    }
    let mut out = lines.join(&separator);
    if ended && !lines.is_empty() {
        out.push('\n');
    }
    out.into_bytes()
}
