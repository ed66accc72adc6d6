//! The path of a rule: a prefix, segment by segment.
//!
//! Servers decode and normalize paths, each in its own way. A request whose path could become
//! another one on the way is therefore refused wherever a rule looks at paths.

use percent_encoding::percent_decode_str;

/// A path prefix: `/v1` covers `/v1` and `/v1/models`, not `/v10`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathPrefix {
    segments: Vec<Vec<u8>>,
}

impl PathPrefix {
    /// Reads the path of a rule; `None` when it is ambiguous itself.
    pub(super) fn parse(path: &str) -> Option<PathPrefix> {
        let mut segments = segments(path)?;
        // `/v1/` means what is in it, which is what `/v1` means but for `/v1` itself.
        if segments.len() > 1 && segments.last().is_some_and(Vec::is_empty) {
            segments.pop();
        }
        Some(PathPrefix { segments })
    }

    /// Whether it covers everything.
    pub(super) fn is_root(&self) -> bool {
        self.segments.len() == 1 && self.segments[0].is_empty()
    }

    /// Whether `path` is beneath it; `None` when the path is ambiguous.
    pub(super) fn covers(&self, path: &str) -> Option<bool> {
        let segments = segments(path)?;
        Some(self.is_root() || segments.starts_with(&self.segments))
    }
}

/// The decoded segments of a path, or `None` when a server could read it as another path.
fn segments(path: &str) -> Option<Vec<Vec<u8>>> {
    let rest = path.strip_prefix('/')?;
    let mut segments: Vec<Vec<u8>> = Vec::new();
    let mut pieces = rest.split('/').peekable();
    while let Some(piece) = pieces.next() {
        let is_last = pieces.peek().is_none();
        if piece.contains(['\\', ';']) || (piece.is_empty() && !is_last) {
            return None;
        }
        if hides_something(piece) {
            return None;
        }
        let decoded: Vec<u8> = percent_decode_str(piece).collect();
        if decoded == b"." || decoded == b".." {
            return None;
        }
        segments.push(decoded);
    }
    Some(segments)
}

/// Whether an escape is broken, or stands for a delimiter, a dot, a control character or another
/// escape: a server may decode once more than we do, or after it has divided the path.
fn hides_something(piece: &str) -> bool {
    piece.split('%').skip(1).any(|after| {
        let escaped = after
            .get(..2)
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        escaped.is_none_or(|b| b.is_ascii_control() || b"/\\.;%?#".contains(&b))
    })
}
