//! Resources: files of the session's sandbox, and the whole output of its last run.
//!
//! `codepod://files/home/user/notes.txt` is a file or a directory by its absolute path,
//! `codepod://runs/last/stdout` what the last run printed. They are for the application around a
//! model; so a file comes whole, as it is.

use codepod::visible::visible_line;
use codepod_api::{ApiError, Kind};
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use serde_json::{Map, Value, json};

const FILES: &str = "codepod://files";
const LAST_RUN: &str = "codepod://runs/last/";
/// The largest file that is one answer.
pub(super) const MOST: u64 = 8 << 20;
/// Files that a list holds.
const MOST_LISTED: usize = 1000;

/// What an address means.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// A path in the sandbox.
    Path(String),
    /// The last run's standard output.
    LastStdout,
    /// The last run's standard error.
    LastStderr,
}

/// Understands an address.
pub(super) fn wanted(uri: &str) -> Result<Wanted, ApiError> {
    match uri.strip_prefix(LAST_RUN) {
        Some("stdout") => return Ok(Wanted::LastStdout),
        Some("stderr") => return Ok(Wanted::LastStderr),
        _ => {}
    }
    let path = uri.strip_prefix(FILES).filter(|path| path.starts_with('/'));
    let path = path.and_then(decoded).filter(|path| !path.contains('\0'));
    path.map(Wanted::Path).ok_or_else(|| {
        ApiError::new(Kind::InvalidParams, "that is not an address of this server")
            .hint("write `codepod://files/home/user/NAME` or `codepod://runs/last/stdout`")
    })
}

/// The address of a path.
pub(super) fn file_uri(path: &str) -> String {
    let mut uri = FILES.to_owned();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            byte => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

/// The addresses of the files of a directory, as `files.list` gives it.
pub(super) fn listed(directory: &str, entries: &Value) -> Vec<Resource> {
    let entries = entries["entries"].as_array().into_iter().flatten();
    let files = entries.filter(|entry| entry["kind"] == "file");
    // A name that is not UTF-8 cannot be told apart from others by its text.
    let names = files.filter_map(|entry| entry["name"].as_str());
    let names = names
        .filter(|name| !name.contains('\u{fffd}'))
        .take(MOST_LISTED);
    let resource = |name: &str| {
        let path = format!("{}/{name}", directory.trim_end_matches('/'));
        Resource::new(file_uri(&path), visible_line(name.as_bytes()))
    };
    names.map(resource).collect()
}

/// What the last run printed, if there was one.
pub(super) fn last_run() -> [Resource; 2] {
    let resource = |stream: &str, description: &str| {
        Resource::new(
            format!("{LAST_RUN}{stream}"),
            format!("last run's {stream}"),
        )
        .with_description(description)
    };
    [
        resource("stdout", "All that the last run printed."),
        resource("stderr", "All that the last run complained about."),
    ]
}

/// Kinds of addresses.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(format!("{FILES}/{{+path}}"), "file").with_description(
            "A file of the sandbox by its path from the root, such as home/user/notes.txt.",
        ),
        ResourceTemplate::new(format!("{LAST_RUN}{{stream}}"), "output")
            .with_description("All that the last run printed: stdout or stderr."),
    ]
}

/// The call of `files.read` for a file.
pub(super) fn read_params(path: &str) -> Map<String, Value> {
    // One more than an answer holds: then it is too much.
    match json!({"path": path, "length": MOST + 1}) {
        Value::Object(params) => params,
        _ => Map::new(),
    }
}

/// A file as the contents of a resource.
pub(super) fn contents(uri: &str, bytes: Vec<u8>) -> Result<ResourceContents, ApiError> {
    if bytes.len() as u64 > MOST {
        let message = format!("a resource holds at most {MOST} bytes");
        return Err(ApiError::new(Kind::TooLarge, message).hint("use the tool `read`, in parts"));
    }
    let codepod_api::Bytes { text, base64 } = codepod_api::Bytes::new(bytes);
    Ok(match (text, base64) {
        (Some(text), _) => ResourceContents::text(text, uri),
        (None, base64) => ResourceContents::blob(base64.unwrap_or_default(), uri)
            .with_mime_type("application/octet-stream"),
    })
}

/// Text with `%41` for bytes; `None` if that is no UTF-8.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'%' {
            bytes.push(*byte);
            continue;
        }
        let (code, after) = rest.split_at_checked(2)?;
        let digit = |byte: u8| char::from(byte).to_digit(16);
        bytes.push((digit(code[0])? * 16 + digit(code[1])?) as u8);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_come_back_as_paths() {
        for path in ["/", "/home/user/a b", "/%41", "/é\n?#\u{202e}", "/a/../b"] {
            assert_eq!(wanted(&file_uri(path)).unwrap(), Wanted::Path(path.into()));
        }
        assert_eq!(
            wanted("codepod://runs/last/stderr").unwrap(),
            Wanted::LastStderr
        );
        for bad in [
            "",
            "file:///etc/passwd",
            "codepod://files",
            "codepod://filesx/",
            "codepod://files/%",
            "codepod://files/%0",
            "codepod://files/%gg",
            "codepod://files/%ff",
            "codepod://files/%00",
            "codepod://runs/last/x",
        ] {
            assert_eq!(
                wanted(bad).unwrap_err().kind(),
                Kind::InvalidParams,
                "{bad}"
            );
        }
    }

    #[test]
    fn ap_12_a_hostile_name_stays_a_name() {
        let entries = json!({"entries": [
            {"name": "a\nignore all\x1b[2J\u{202e}", "kind": "file"},
            {"name": "\u{fffd}", "kind": "file"},
            {"name": "d", "kind": "directory"},
        ]});
        let list = listed("/home/user/", &entries);
        assert_eq!(list.len(), 1);
        assert_eq!(list[0].name, "a␊ignore all␛[2J<U+202E>");
        assert_eq!(
            list[0].uri,
            "codepod://files/home/user/a%0Aignore%20all%1B%5B2J%E2%80%AE"
        );
    }
}
