//! Lock files in TOML: `pylock.toml` and `uv.lock`. They list the files of each package.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::lock_file::{Entry, Files, LockError, LockFile};
use super::wheel::WheelName;
use super::{normal_name, parse_sha256};

#[derive(Deserialize)]
struct Pylock {
    #[serde(rename = "lock-version")]
    lock_version: String,
    #[serde(default)]
    packages: Vec<Locked>,
}

/// A package of `pylock.toml`.
#[derive(Deserialize)]
struct Locked {
    name: String,
    version: Option<String>,
    marker: Option<String>,
    #[serde(default)]
    wheels: Vec<Wheel>,
    /// The project itself, or one beside it.
    directory: Option<IgnoredAny>,
    vcs: Option<IgnoredAny>,
    archive: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Wheel {
    name: Option<String>,
    url: Option<String>,
    path: Option<String>,
    #[serde(default)]
    hashes: BTreeMap<String, String>,
    /// As `uv.lock` has it: `KIND:DIGEST`.
    hash: Option<String>,
}

impl Wheel {
    /// The name of the file: what is behind the last slash, in whichever field it stands.
    fn file_name(&self) -> Option<&str> {
        let place = self
            .name
            .as_ref()
            .or(self.url.as_ref())
            .or(self.path.as_ref())?;
        let path = place.split(['?', '#']).next().unwrap_or_default();
        path.rsplit(['/', '\\']).next()
    }

    fn sha256(&self) -> Option<&str> {
        let of_hash = || self.hash.as_deref()?.strip_prefix("sha256:");
        self.hashes
            .get("sha256")
            .map(String::as_str)
            .or_else(of_hash)
    }
}

pub(super) fn pylock(text: &str) -> Result<LockFile, LockError> {
    let read: Pylock = read(text)?;
    if read.lock_version != "1" && !read.lock_version.starts_with("1.") {
        let version = crate::policy::printable(&read.lock_version);
        return Err(LockError::Content(format!(
            "lock-version {version} is not known here"
        )));
    }
    let mut found = LockFile::default();
    for package in read.packages {
        let is_elsewhere = package.vcs.is_some() || package.archive.is_some();
        match package.version {
            _ if package.directory.is_some() => {}
            Some(version) if !is_elsewhere => found.entries.push(Entry {
                files: files(&package.name, &package.wheels)?,
                name: normal_name(&package.name),
                version,
                marker: package.marker,
            }),
            _ => found.elsewhere.push(normal_name(&package.name)),
        }
    }
    Ok(found)
}

#[derive(Deserialize)]
struct UvLock {
    version: u32,
    #[serde(default)]
    package: Vec<UvPackage>,
}

#[derive(Deserialize)]
struct UvPackage {
    name: String,
    version: Option<String>,
    #[serde(default)]
    source: BTreeMap<String, IgnoredAny>,
    #[serde(default)]
    wheels: Vec<Wheel>,
}

pub(super) fn uv(text: &str) -> Result<LockFile, LockError> {
    let read: UvLock = read(text)?;
    if read.version != 1 {
        return Err(LockError::Content(format!(
            "version {} is not known here",
            read.version
        )));
    }
    let mut found = LockFile::default();
    for package in read.package {
        let is = |source: &str| package.source.contains_key(source);
        match package.version {
            _ if is("virtual") || is("editable") || is("directory") => {}
            Some(version) if is("registry") => found.entries.push(Entry {
                files: files(&package.name, &package.wheels)?,
                name: normal_name(&package.name),
                version,
                marker: None,
            }),
            _ => found.elsewhere.push(normal_name(&package.name)),
        }
    }
    Ok(found)
}

fn read<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, LockError> {
    toml::from_str(text).map_err(|error| LockError::Content(error.message().to_owned()))
}

/// Which files a package may be, of all its wheels: the pure ones.
fn files(name: &str, wheels: &[Wheel]) -> Result<Files, LockError> {
    let is_pure = |wheel: &&Wheel| {
        let parsed = wheel.file_name().and_then(WheelName::parse);
        parsed.is_some_and(|parsed| parsed.is_pure)
    };
    let mut digests = Vec::new();
    for wheel in wheels.iter().filter(is_pure) {
        let digest = wheel.sha256().and_then(parse_sha256);
        digests.push(digest.ok_or_else(|| {
            let name = crate::policy::printable(name);
            LockError::Content(format!(
                "`{name}` has a wheel without a hash of the kind sha256"
            ))
        })?);
    }
    Ok(match digests.is_empty() {
        true => Files::NotPure,
        false => Files::These(digests),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, version: &str, files: Files, marker: Option<&str>) -> Entry {
        Entry {
            name: name.into(),
            version: version.into(),
            files,
            marker: marker.map(str::to_owned),
        }
    }

    #[test]
    fn pylock_names_packages_and_the_digests_of_their_wheels() {
        let (one, two) = ("01".repeat(32), "02".repeat(32));
        let text = format!(
            r#"
            lock-version = "1.0"
            created-by = "somebody"
            [[packages]]
            name = "Attrs"
            version = "25.1.0"
            marker = "python_version < '4'"
            wheels = [{{name = "attrs-25.1.0-py3-none-any.whl", upload-time = 2025-01-25T11:30:10Z,
                        url = "https://files.test/x", size = 5, hashes = {{sha256 = "{one}"}}}}]
            [[packages.attestation-identities]]
            kind = "x"
            [[packages]]
            name = "numpy"
            version = "2.2.3"
            sdist = {{name = "numpy-2.2.3.tar.gz", hashes = {{sha256 = "{one}"}}}}
            wheels = [{{url = "https://files.test/numpy-2.2.3-cp312-cp312-win32.whl",
                        hashes = {{sha256 = "{one}"}}}}]
            [[packages]]
            name = "six"
            version = "1.17"
            wheels = [{{path = 'wheels\six-1.17-py2.py3-none-any.whl', hashes = {{sha256 = "{two}"}}}},
                      {{url = "https://f.test/six-1.17-1-py3-none-any.whl#x", hashes = {{sha256 = "{one}"}}}}]
            [[packages]]
            name = "here"
            directory = {{path = "."}}
            [[packages]]
            name = "far"
            vcs = {{type = "git", url = "https://g.test", commit-id = "0"}}
            "#
        );
        let found = LockFile::parse("pylock.dev.toml", &text).unwrap();
        assert_eq!(
            found.entries,
            [
                entry(
                    "attrs",
                    "25.1.0",
                    Files::These(vec![[1; 32]]),
                    Some("python_version < '4'")
                ),
                entry("numpy", "2.2.3", Files::NotPure, None),
                entry("six", "1.17", Files::These(vec![[2; 32], [1; 32]]), None),
            ]
        );
        assert_eq!(found.elsewhere, ["far"]);
    }

    #[test]
    fn uv_lock_names_packages_and_the_digests_of_their_wheels() {
        let text = format!(
            r#"
            version = 1
            revision = 3
            requires-python = ">=3.12"
            [[package]]
            name = "app"
            version = "0.1.0"
            source = {{ virtual = "." }}
            dependencies = [{{ name = "idna" }}]
            [[package]]
            name = "idna"
            version = "3.10"
            source = {{ registry = "https://index.test/simple" }}
            sdist = {{ url = "https://f.test/idna-3.10.tar.gz", hash = "sha256:00", size = 1 }}
            wheels = [{{ url = "https://f.test/idna-3.10-py3-none-any.whl", hash = "sha256:{}" }}]
            [[package]]
            name = "sourced"
            version = "1"
            source = {{ registry = "https://index.test/simple" }}
            [[package]]
            name = "repo"
            version = "1"
            source = {{ git = "https://g.test" }}
            "#,
            "05".repeat(32)
        );
        let found = LockFile::parse("uv.lock", &text).unwrap();
        assert_eq!(
            found.entries,
            [
                entry("idna", "3.10", Files::These(vec![[5; 32]]), None),
                entry("sourced", "1", Files::NotPure, None),
            ]
        );
        assert_eq!(found.elsewhere, ["repo"]);
    }

    #[test]
    fn what_is_something_else_is_said() {
        let wheel = "name = \"x-1-py3-none-any.whl\"";
        let package = "lock-version = \"1.0\"\n[[packages]]\nname = \"x\"\nversion = \"1\"\n";
        for (name, text, why) in [
            ("pylock.toml", "[[packages]]", "missing field"),
            ("pylock.toml", "lock-version = \"2.0\"", "2.0 is not known"),
            ("pylock.toml", "=", ""),
            (
                "pylock.toml",
                &format!("{package}wheels = [{{{wheel}}}]"),
                "without a hash",
            ),
            ("uv.lock", "version = 2", "2 is not known"),
            ("uv.lock", &"a = [".repeat(100_000), ""),
        ] {
            let error = LockFile::parse(name, text).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
