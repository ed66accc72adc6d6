//! The version is written in the manifests of three package managers, and again for each crate that
//! others depend on: all say the same.

use crate::cache;
use crate::failure::{Failure, Outcome};

/// The version of everything that is published: that of the workspace.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Manifests, and the beginnings of their lines with a version.
const MANIFESTS: [(&str, &[&str]); 3] = [
    ("Cargo.toml", &["version = ", "codepod"]),
    (
        "sdk/python/pyproject.toml",
        &["version = ", "python = [", "science = ["],
    ),
    ("sdk/typescript/package.json", &["  \"version\": "]),
];

/// Compares the versions; what was compared.
pub(crate) fn check() -> Outcome<String> {
    let mut compared = 0;
    for (manifest, lines) in MANIFESTS {
        let text = cache::read(&cache::in_root(manifest))?;
        for beginning in lines {
            let with_version: Vec<&str> = text
                .lines()
                .filter(|line| line.starts_with(beginning))
                .collect();
            if with_version.is_empty() || !with_version.iter().all(|line| says_only(line, VERSION))
            {
                return Err(Failure::new(format!(
                    "{manifest}: `{beginning}…` has another version"
                ))
                .hint(format!(
                    "the version is {VERSION}, as of the workspace in Cargo.toml"
                )));
            }
            compared += with_version.len();
        }
    }
    Ok(format!("versions: {compared} say {VERSION}"))
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
    use super::says_only;

    #[test]
    fn every_version_of_a_line_counts() {
        assert!(says_only("version = \"0.1.0\"", "0.1.0"));
        assert!(says_only("s = [\"a==0.1.0\", \"b==0.1.0\"]", "0.1.0"));
        assert!(!says_only("s = [\"a==0.1.0\", \"b==0.2.0\"]", "0.1.0"));
        assert!(!says_only("version", "0.1.0"));
    }
}
