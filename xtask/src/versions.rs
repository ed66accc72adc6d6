//! The version is written in the manifests of three package managers: all say the same.

use crate::cache;
use crate::failure::{Failure, Outcome};

/// The version of everything that is published: that of the workspace.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Manifests of other package managers, and the beginnings of their lines with a version.
const MANIFESTS: [(&str, &[&str]); 2] = [
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
            let mut with_version = text.lines().filter(|line| line.starts_with(beginning));
            let line = with_version.next().unwrap_or_default();
            if !says_only(line, VERSION) {
                return Err(Failure::new(format!(
                    "{manifest}: `{beginning}…` has another version"
                ))
                .hint(format!("the version is {VERSION}, as in Cargo.toml")));
            }
            compared += 1;
        }
    }
    Ok(format!("versions: {compared} of other package managers"))
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
