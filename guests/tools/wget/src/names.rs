//! The names of files for URLs.

use std::path::Path;

use codepod_net::{Url, percent_decode};
use codepod_tool::path;

use crate::options::Plan;

/// The longest name of a file.
const LONGEST: usize = 240;

/// The file for a URL: in directories where the plan has them.
pub(crate) fn of(plan: &Plan, url: &Url) -> Vec<u8> {
    let (whole, query) = match url.path.split_once('?') {
        Some((whole, query)) => (whole, Some(query)),
        None => (&url.path[..], None),
    };
    let (directory, file) = whole.rsplit_once('/').unwrap_or(("", whole));
    let mut name = Vec::new();
    if !plan.prefix.is_empty() && plan.prefix != b"." {
        name.extend_from_slice(&plan.prefix);
        name.push(b'/');
    }
    if plan.has_directories() {
        if plan.protocol_directories {
            name.extend_from_slice(url.scheme.name().as_bytes());
            name.push(b'/');
        }
        if plan.host_directories {
            name.extend_from_slice(url.authority().as_bytes());
            name.push(b'/');
        }
        let parts = directory.split('/').filter(|part| !part.is_empty());
        for part in parts.skip(plan.cut_directories) {
            name.extend(safe(part.as_bytes()));
            name.push(b'/');
        }
    }
    let mut last = match file {
        "" => plan.default_page.clone(),
        file => safe(file.as_bytes()),
    };
    if let Some(query) = query {
        last.push(b'?');
        last.extend(safe(query.as_bytes()));
    }
    last.truncate(LONGEST);
    name.extend(last);
    name
}

/// A part of a path as a name of a file: nothing in it leads elsewhere.
fn safe(part: &[u8]) -> Vec<u8> {
    let decoded = percent_decode(part);
    if decoded == b".." || decoded == b"." {
        return decoded.iter().flat_map(|_| *b"%2E").collect();
    }
    let mut name = Vec::new();
    for byte in decoded {
        match byte {
            0..0x20 | 0x7f..0xa0 | b'/' if byte < 0x80 => {
                name.extend(format!("%{byte:02X}").bytes())
            }
            _ => name.push(byte),
        }
    }
    name
}

/// The name in a `Content-Disposition`.
pub(crate) fn disposition(field: &[u8]) -> Option<Vec<u8>> {
    let mut found = None;
    for part in field.split(|byte| *byte == b';').skip(1) {
        let part = part.trim_ascii();
        let at = part.iter().position(|byte| *byte == b'=')?;
        let (name, value) = (part[..at].trim_ascii(), part[at + 1..].trim_ascii());
        if name.eq_ignore_ascii_case(b"filename") {
            let value = value.strip_prefix(b"\"").unwrap_or(value);
            found = Some(value.strip_suffix(b"\"").unwrap_or(value).to_vec());
        }
    }
    // Directories in it are the server's wish, and not followed.
    let name = found?;
    let name = name
        .rsplit(|byte| matches!(byte, b'/' | b'\\'))
        .next()?
        .to_vec();
    (!name.is_empty() && name != b"." && name != b"..").then(|| safe(&name))
}

/// The name, or with a number behind it where that one is taken.
pub(crate) fn unique(name: &[u8]) -> Vec<u8> {
    if !exists(name) {
        return name.to_vec();
    }
    let numbered = |number: u32| [name, format!(".{number}").as_bytes()].concat();
    (1..u32::MAX)
        .map(numbered)
        .find(|name| !exists(name))
        .unwrap_or_else(|| name.to_vec())
}

/// Whether there is a file.
pub(crate) fn exists(name: &[u8]) -> bool {
    let name: &Path = path(name);
    name.symlink_metadata().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_leads_elsewhere() {
        for (part, name) in [
            (&b"a%20b"[..], &b"a b"[..]),
            (b"a%2Fb", b"a%2Fb"),
            (b"..", b"%2E%2E"),
            (b"%2e%2e", b"%2E%2E"),
            (b"a%00b", b"a%00b"),
            (b"a%0Ab", b"a%0Ab"),
            ("ü".as_bytes(), "ü".as_bytes()),
        ] {
            assert_eq!(safe(part), name, "{part:?}");
        }
        assert_eq!(
            disposition(b"attachment; filename=\"a b.txt\""),
            Some(b"a b.txt".to_vec())
        );
        assert_eq!(
            disposition(b"attachment; filename=../../etc/passwd"),
            Some(b"passwd".to_vec())
        );
        assert_eq!(disposition(b"attachment; filename=\"..\""), None);
        assert_eq!(disposition(b"inline"), None);
    }
}
