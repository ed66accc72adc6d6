//! Packages, as indexes and lock files speak of them.
//!
//! All of it is pure: texts in, names and digests out. Pages and lock files are somebody else's, so
//! each has a limit, and what cannot be read is left out or said.

pub mod index_page;
pub mod lock_file;
mod requirements;
mod toml_locks;
pub mod version;
pub mod wheel;

/// The SHA-256 of a file.
pub type Sha256 = [u8; 32];

/// Reads a digest in hexadecimal.
pub fn parse_sha256(text: &str) -> Option<Sha256> {
    let digits = text.as_bytes();
    let mut digest = [0; 32];
    if digits.len() != 2 * digest.len() {
        return None;
    }
    for (byte, pair) in digest.iter_mut().zip(digits.as_chunks::<2>().0) {
        let digit = |at: usize| char::from(pair[at]).to_digit(16);
        *byte = (digit(0)? << 4 | digit(1)?) as u8;
    }
    Some(digest)
}

/// A digest in hexadecimal.
pub fn hexadecimal(digest: &Sha256) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The form of a project's name in which all its spellings are the same (PEP 503).
pub fn normal_name(name: &str) -> String {
    let parts = name.split(['-', '_', '.']).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_ascii_lowercase()
}

/// The end of the name under which an index gives the metadata of a wheel (PEP 658).
pub const METADATA: &str = ".metadata";

/// Whether a path ends as a distribution does, or as the metadata of one: such a file has one
/// content for ever, and is no page.
pub fn is_distribution(path: &str) -> bool {
    const ENDS: [&str; 7] = [
        ".whl", ".zip", ".egg", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz",
    ];
    let path = path.strip_suffix(METADATA).unwrap_or(path).as_bytes();
    ENDS.iter().any(|end| {
        let start = path.len().checked_sub(end.len());
        start.is_some_and(|start| path[start..].eq_ignore_ascii_case(end.as_bytes()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_read_as_it_was_written() {
        let digest: Sha256 = std::array::from_fn(|i| i as u8 * 8);
        let text = hexadecimal(&digest);
        assert_eq!(parse_sha256(&text), Some(digest));
        assert_eq!(parse_sha256(&text.to_uppercase()), Some(digest));
        for wrong in ["", &text[1..], &text.replace('0', "g"), &"é".repeat(32)] {
            assert_eq!(parse_sha256(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn names_have_one_normal_form() {
        for name in ["Ruamel.Yaml-clib", "ruamel_yaml_clib", "ruamel--YAML.-clib"] {
            assert_eq!(normal_name(name), "ruamel-yaml-clib");
        }
    }

    #[test]
    fn distributions_are_known_by_their_ends() {
        for path in [
            "/a/x-1-py3-none-any.whl",
            "/X.ZIP",
            "/x-1.tar.gz",
            "/x.whl.metadata",
        ] {
            assert!(is_distribution(path), "{path}");
        }
        for path in ["/simple/", "/", "", "/x.whl/", "/x.html", "/é"] {
            assert!(!is_distribution(path), "{path}");
        }
    }
}
