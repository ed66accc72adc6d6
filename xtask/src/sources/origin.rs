//! A place that has the sources of a program, and the way to get them.

use std::path::Path;

use serde::Deserialize;

use crate::cache;
use crate::digest::sha256_of;
use crate::failure::{Failure, Outcome};
use crate::process;
use crate::purl;

/// A place that has the sources.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Fields")]
pub(super) struct Origin {
    place: Place,
    pub(super) sha256: String,
    /// The directory of the archive that is wanted; all of it if empty.
    pub(super) inside: String,
}

#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// A file beneath `pool/main` of the Debian mirror that this machine uses.
    Debian { path: String },
    /// A package of the Rust registry that cargo uses.
    Crate { name: String, version: String },
    /// A file of the Python registry that pip uses.
    Pypi { file: String },
    /// A package of the JavaScript registry that npm uses.
    Npm { name: String, version: String },
}

/// An origin as `guest.toml` has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    debian: Option<String>,
    /// `NAME@VERSION`.
    #[serde(rename = "crate")]
    package: Option<String>,
    pypi: Option<String>,
    /// `NAME@VERSION`.
    npm: Option<String>,
    sha256: String,
    #[serde(default)]
    inside: String,
}

impl TryFrom<Fields> for Origin {
    type Error = &'static str;

    fn try_from(fields: Fields) -> Result<Origin, &'static str> {
        let place = match (fields.debian, fields.package, fields.pypi, fields.npm) {
            (Some(path), None, None, None) => Place::Debian { path },
            (None, Some(package), None, None) => {
                let (name, version) = package
                    .split_once('@')
                    .ok_or("`crate` must be NAME@VERSION")?;
                Place::Crate {
                    name: name.to_owned(),
                    version: version.to_owned(),
                }
            }
            (None, None, Some(file), None) => Place::Pypi { file },
            (None, None, None, Some(package)) => {
                // A name may have a scope, which begins with the same sign.
                let (name, version) = package
                    .rsplit_once('@')
                    .filter(|(name, _)| !name.is_empty())
                    .ok_or("`npm` must be NAME@VERSION")?;
                Place::Npm {
                    name: name.to_owned(),
                    version: version.to_owned(),
                }
            }
            _ => return Err("an origin needs one of `debian`, `crate`, `pypi` and `npm`"),
        };
        let digits = fields.sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !digits || fields.sha256.len() != 64 {
            return Err("`sha256` must have 64 digits");
        }
        Ok(Origin {
            place,
            sha256: fields.sha256,
            inside: fields.inside,
        })
    }
}

impl Origin {
    /// A file of the Python registry.
    pub(super) fn pypi(file: &str, sha256: &str) -> Origin {
        Origin {
            place: Place::Pypi {
                file: file.to_owned(),
            },
            sha256: sha256.to_owned(),
            inside: String::new(),
        }
    }

    /// A package of the JavaScript registry.
    pub(super) fn npm(name: &str, version: &str, sha256: &str) -> Origin {
        Origin {
            place: Place::Npm {
                name: name.to_owned(),
                version: version.to_owned(),
            },
            sha256: sha256.to_owned(),
            inside: String::new(),
        }
    }

    /// The version that its name says.
    pub(super) fn version(&self) -> Option<&str> {
        match &self.place {
            Place::Debian { path } => {
                let (_, rest) = path.rsplit_once('_')?;
                rest.split_once(".orig").map(|(version, _)| version)
            }
            Place::Crate { version, .. } | Place::Npm { version, .. } => Some(version),
            Place::Pypi { file } => {
                let (_, rest) = file.split_once('-')?;
                rest.strip_suffix(".tar.gz")
                    .or_else(|| rest.split('-').next())
            }
        }
    }

    /// What the package is called as a package URL; none for an archive of a Debian package, which
    /// is not that package.
    pub(super) fn purl(&self) -> Option<String> {
        match &self.place {
            Place::Debian { .. } => None,
            Place::Crate { name, version } => Some(purl::of("cargo", name, version)),
            Place::Pypi { file } => {
                let name = file.split('-').next()?.to_ascii_lowercase();
                let name = name.replace(['_', '.'], "-");
                Some(purl::of("pypi", &name, self.version()?))
            }
            Place::Npm { name, version } => Some(purl::of("npm", name, version)),
        }
    }

    /// Where the archive is, without the host that has it: as a package URL, or in Debian's pool.
    pub(super) fn address(&self) -> String {
        match &self.place {
            Place::Debian { path } => format!("pool/main/{path}"),
            Place::Crate { name, version } => purl::of("cargo", name, version),
            Place::Npm { name, version } => purl::of("npm", name, version),
            Place::Pypi { file } => {
                let package = self.purl().unwrap_or_default();
                format!("{package}?file_name={file}")
            }
        }
    }

    /// Gets the archive, and checks that it is the one that is meant.
    pub(super) fn fetch(&self, work: &Path, archive: &Path) -> Outcome {
        match &self.place {
            Place::Debian { path } => from_debian(path, archive),
            Place::Crate { name, version } => from_crates(name, version, work, archive),
            Place::Pypi { file } => from_pypi(file, archive),
            Place::Npm { name, version } => from_npm(name, version, archive),
        }?;
        check_digest(archive, &self.sha256)
    }

    /// Unpacks the archive into a directory, without the directory that most archives begin with.
    pub(super) fn unpack(&self, archive: &Path, tree: &Path) -> Outcome {
        let is_wheel = matches!(&self.place, Place::Pypi { file } if file.ends_with(".whl"));
        if is_wheel {
            return process::program("python3")
                .args(["-m", "zipfile", "-e"])
                .arg(archive)
                .arg(tree)
                .run();
        }
        process::program("tar")
            .args(["--strip-components=1", "--no-same-owner", "-xf"])
            .arg(archive)
            .arg("-C")
            .arg(tree)
            .run()
    }
}

fn from_debian(path: &str, archive: &Path) -> Outcome {
    let targets = process::program("apt-get")
        .args(["indextargets", "--format", "$(REPO_URI)"])
        .output()?;
    let mirror = targets
        .lines()
        .map(|line| line.trim_end_matches('/'))
        .find(|line| line.ends_with("/debian"))
        .ok_or_else(|| {
            Failure::new("this machine has no mirror of Debian's packages")
                .hint("add one to the sources of apt")
        })?;
    process::program("curl")
        .args(["--silent", "--show-error", "--fail", "--retry", "3"])
        .arg("--output")
        .arg(archive)
        .arg(format!("{mirror}/pool/main/{path}"))
        .run()
}

/// Lets cargo fetch a package by a project that depends on it, and takes the archive from cargo's
/// cache: so the registry is the one that cargo is set up for. Cargo does not need to be able to
/// build it.
fn from_crates(name: &str, version: &str, work: &Path, archive: &Path) -> Outcome {
    let project = work.join("project");
    let manifest = format!(
        "[package]\nname = \"fetch\"\nedition = \"2024\"\n\n[lib]\npath = \"lib.rs\"\n\n\
        [dependencies]\n{name} = {{ version = \"={version}\", default-features = false }}\n\n[workspace]\n"
    );
    cache::write(&project.join("Cargo.toml"), manifest.as_bytes())?;
    cache::write(&project.join("lib.rs"), b"")?;
    process::cargo()
        .args(["fetch", "--quiet", "--manifest-path"])
        .arg(project.join("Cargo.toml"))
        .run()?;
    let file = format!("{name}-{version}.crate");
    let kept = cache::files(&cache::cargo_home().join("registry/cache"), &|path| {
        path.is_dir() || path.ends_with(&file)
    })?;
    let kept = kept
        .first()
        .ok_or_else(|| Failure::new(format!("cargo has fetched no `{file}`")))?;
    std::fs::copy(kept, archive).map_err(|error| Failure::file("copy", kept, error))?;
    Ok(())
}

/// The registry is the one that pip is set up for.
fn from_pypi(file: &str, archive: &Path) -> Outcome {
    process::program("python3")
        .args(["-c", include_str!("pypi.py")])
        .arg(file)
        .arg(archive)
        .hint("pip is needed for the registry's address; `cargo xtask setup` brings it")
        .run()
}

/// The registry is the one that npm is set up for.
fn from_npm(name: &str, version: &str, archive: &Path) -> Outcome {
    let hint = "npm is needed for the registry's address";
    let address = process::program("npm")
        .args(["view", "--silent", &format!("{name}@{version}")])
        .arg("dist.tarball")
        .hint(hint)
        .output()?;
    process::program("curl")
        .args(["--silent", "--show-error", "--fail", "--location"])
        .args(["--retry", "3", "--output"])
        .arg(archive)
        .arg(address.trim())
        .run()
}

fn check_digest(archive: &Path, sha256: &str) -> Outcome {
    let is = sha256_of(archive)?;
    if is == sha256 {
        return Ok(());
    }
    Err(Failure::new(format!(
        "an archive with the SHA-256 {is} came instead of {sha256}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHA256: &str = "fc75b1824aba7a954ef0886371d951c3bf4b6e0a921d1aefc553f309702d6ed1";

    fn origin(place: &str) -> Result<Origin, String> {
        let text = format!("{place}\nsha256 = '{SHA256}'");
        toml::from_str(&text).map_err(|error| error.to_string())
    }

    #[test]
    fn names_say_versions() {
        let version = |place: &str| origin(place).unwrap().version().unwrap().to_owned();
        assert_eq!(version("debian = 'j/jq/jq_1.7.1.orig.tar.gz'"), "1.7.1");
        assert_eq!(version("crate = 'jq-src@0.4.1'"), "0.4.1");
        assert_eq!(version("pypi = 'numpy-2.5.4.tar.gz'"), "2.5.4");
        let wheel = "pypi = 'et_xmlfile-2.0.0-py3-none-any.whl'";
        assert_eq!(version(wheel), "2.0.0");
        assert_eq!(version("npm = 'acorn@8.18.0'"), "8.18.0");
        assert_eq!(version("npm = '@types/node@24.1.0'"), "24.1.0");
    }

    #[test]
    fn packages_have_urls() {
        let purl = |place: &str| origin(place).unwrap().purl();
        let wheel = "pypi = 'Markdown_it_py-4.3.0-py3-none-any.whl'";
        assert_eq!(purl(wheel).unwrap(), "pkg:pypi/markdown-it-py@4.3.0");
        assert_eq!(purl("crate = 'a@1'").unwrap(), "pkg:cargo/a@1");
        assert_eq!(purl("debian = 'j/jq/jq_1.7.1.orig.tar.gz'"), None);
        assert_eq!(
            purl("npm = 'acorn@8.18.0'").unwrap(),
            "pkg:npm/acorn@8.18.0"
        );
    }

    #[test]
    fn an_origin_is_one_place() {
        let mistake = |place: &str| origin(place).unwrap_err();
        assert!(mistake("").contains("one of"));
        assert!(mistake("debian = 'a'\npypi = 'b'").contains("one of"));
        assert!(mistake("crate = 'a'").contains("NAME@VERSION"));
        assert!(mistake("npm = '@types/node'").contains("NAME@VERSION"));
        assert!(mistake("url = 'a'").contains("`url`"));
    }

    #[test]
    fn an_archive_with_another_digest_is_refused() {
        let file = std::env::temp_dir().join(format!("codepod-source-{}", std::process::id()));
        cache::write(&file, b"abc").unwrap();
        let right = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert!(check_digest(&file, right).is_ok());
        let failure = check_digest(&file, SHA256).unwrap_err().to_string();
        assert!(
            failure.contains(right) && failure.contains(SHA256),
            "{failure}"
        );
        std::fs::remove_file(file).unwrap();
    }
}
