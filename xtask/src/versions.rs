//! The version is written in the manifests of three package managers, and again for each crate that
//! others depend on: all say the same.

use crate::cache;
use crate::failure::{Failure, Outcome};

/// The version of everything that is published: that of the workspace.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Manifests, and what is in their lines with a version.
const MANIFESTS: [(&str, &[&str]); 3] = [
    // What a crate depends on by its path, it depends on in this version when it is published.
    ("Cargo.toml", &["path = \"crates/"]),
    (
        "sdk/python/pyproject.toml",
        &[
            "\nversion = ",
            "\njs = [",
            "\nnpm = [",
            "\npython = [",
            "\nscience = [",
        ],
    ),
    ("sdk/typescript/package.json", &["\n  \"version\": "]),
];

/// Compares the versions; what was compared.
pub(crate) fn check() -> Outcome<String> {
    let mut compared = 0;
    for (manifest, wanted) in MANIFESTS {
        let text = cache::read(&cache::in_root(manifest))?;
        for part in wanted {
            compared += compare(&text, part, VERSION).ok_or_else(|| {
                let part = part.trim_start();
                Failure::new(format!("{manifest}: `{part}…` has another version"))
                    .hint(format!("the version is {VERSION}, as in Cargo.toml"))
            })?;
        }
    }
    Ok(format!("versions: {compared} say {VERSION}"))
}

/// How many lines have a part and the version; none if one has another, or there is no such line. A
/// part that begins with a newline is the beginning of a line.
fn compare(text: &str, part: &str, version: &str) -> Option<usize> {
    let beginning = part.strip_prefix('\n');
    let is_wanted = |line: &&str| match beginning {
        Some(beginning) => line.starts_with(beginning),
        None => line.contains(part),
    };
    let lines: Vec<&str> = text.lines().filter(is_wanted).collect();
    let all = lines.iter().all(|line| says_only(line, version));
    (all && !lines.is_empty()).then_some(lines.len())
}

/// Whether a line has a version, and no other one.
fn says_only(line: &str, version: &str) -> bool {
    let is_part = |at: char| at.is_ascii_digit() || at == '.';
    let mut numbers = line.split(|at| !is_part(at)).filter(|it| it.contains('.'));
    let mut any = false;
    numbers.all(|number| {
        any = true;
        number == version
    }) && any
}

#[cfg(test)]
mod tests {
    use super::{check, compare, says_only};

    #[test]
    fn every_version_of_a_line_counts() {
        assert!(says_only("version = \"0.1.0\"", "0.1.0"));
        assert!(says_only("s = [\"a==0.1.0\", \"b==0.1.0\"]", "0.1.0"));
        assert!(!says_only("s = [\"a==0.1.0\", \"b==0.2.0\"]", "0.1.0"));
        assert!(!says_only("version", "0.1.0"));
    }
    #[test]
    fn every_line_with_the_part_counts() {
        let text = "a = { version = \"=0.1.0\", path = \"x\" }\nb = { path = \"x\" }\nc = 1\n";
        assert_eq!(compare(text, "path = ", "0.1.0"), None);
        assert_eq!(compare(text, "version = ", "0.1.0"), Some(1));
        assert_eq!(compare(text, "\nversion = ", "0.1.0"), None);
    }

    #[test]
    fn all_manifests_agree() {
        check().unwrap();
    }
}
