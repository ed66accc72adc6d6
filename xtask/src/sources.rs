//! Other people's sources that guests are built from: they are fetched, not kept in the tree.
//!
//! The table `sources` of a `guest.toml` names them:
//!
//! ```toml
//! [sources.jq]
//! origins = [
//!     { debian = "j/jq/jq_1.7.1.orig.tar.gz", sha256 = "…" },
//!     { crate = "jq-src@0.4.1", sha256 = "…", inside = "modules/jq" },
//! ]
//! patches = ["fixes.patch"]
//! ```
//!
//! Origins are tried in order, because a Debian pool forgets versions; each is known by the SHA-256
//! of its archive. Patches are files of the guest. The result is unpacked into the cache under the
//! digest of all this, and the build finds it in the variable `CODEPOD_SOURCE_JQ`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::cache;
use crate::digest::Digest;
use crate::failure::{Failure, Outcome};
use crate::process;

/// Sources of one upstream program.
#[derive(Debug)]
pub(crate) struct Source {
    name: String,
    origins: Vec<Origin>,
    /// Our changes, in the order in which they are applied.
    patches: Vec<PathBuf>,
}

/// A place that has the sources.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Origin {
    /// A file beneath `pool/main` of the Debian mirror that this machine uses.
    debian: Option<String>,
    /// A package of the Rust registry that cargo uses: `NAME@VERSION`.
    #[serde(rename = "crate")]
    package: Option<String>,
    sha256: String,
    /// The directory of the archive that is wanted; all of it if empty.
    #[serde(default)]
    inside: String,
}

/// Sources in the cache.
#[derive(Debug)]
pub(crate) struct Brought {
    /// The variable in which a build finds the directory.
    pub(crate) variable: String,
    pub(crate) directory: PathBuf,
    /// The path that stands for the directory in what is built.
    pub(crate) shown: String,
}

/// A source as `guest.toml` has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Definition {
    origins: Vec<Origin>,
    #[serde(default)]
    patches: Vec<String>,
}

/// The sources of a guest in this directory.
pub(crate) fn of(
    definitions: BTreeMap<String, Definition>,
    directory: &Path,
) -> Result<Vec<Source>, String> {
    let source = |(name, definition): (String, Definition)| {
        let source = Source {
            name,
            origins: definition.origins,
            patches: definition
                .patches
                .iter()
                .map(|file| directory.join(file))
                .collect(),
        };
        match source.mistake() {
            Some(mistake) => Err(format!("source `{}`: {mistake}", source.name)),
            None => Ok(source),
        }
    };
    definitions.into_iter().map(source).collect()
}

impl Source {
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Its version, as its first origin has it.
    pub(crate) fn version(&self) -> String {
        let Some(origin) = self.origins.first() else {
            return String::new();
        };
        let version = match (&origin.debian, &origin.package) {
            (Some(path), _) => path
                .rsplit_once('_')
                .and_then(|(_, rest)| rest.split_once(".orig")),
            (None, package) => package
                .as_deref()
                .and_then(|package| package.split_once('@'))
                .map(|(_, version)| (version, "")),
        };
        version.map_or("", |(version, _)| version).to_owned()
    }

    /// Its archive as it is fetched, in the cache.
    pub(crate) fn archive(&self) -> Outcome<PathBuf> {
        let place = cache::sources()?.join(format!("{}-{}.archive", self.name, self.digest()?));
        if place.exists() {
            return Ok(place);
        }
        let work = place.with_extension(format!("{}.tmp", std::process::id()));
        cache::make_directory(&work)?;
        let archive = work.join("archive");
        let fetched = self.fetch(&work, &archive);
        let fetched = fetched.and_then(|_| cache::put_in_place(&archive, &place));
        let _ = std::fs::remove_dir_all(&work);
        fetched.map(|()| place)
    }

    /// What is wrong with it.
    fn mistake(&self) -> Option<String> {
        if self.origins.is_empty() {
            return Some("`origins` is empty: nobody has it".into());
        }
        self.origins.iter().find_map(|origin| {
            let digits = origin.sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
            match (&origin.debian, &origin.package) {
                (Some(_), None) => {}
                (None, Some(package)) if package.contains('@') => {}
                (None, Some(_)) => return Some("`crate` must be NAME@VERSION".into()),
                _ => return Some("an origin needs `debian` or `crate`, and not both".into()),
            }
            (!digits || origin.sha256.len() != 64).then(|| "`sha256` must have 64 digits".into())
        })
    }

    /// Patched sources in the cache; fetched if it has none.
    pub(crate) fn bring(&self) -> Outcome<Brought> {
        let digest = self.digest()?;
        let place = cache::sources()?.join(format!("{}-{}", self.name, &digest[..16]));
        if !place.exists() {
            self.make(&place)?;
        }
        Ok(Brought {
            variable: self.variable(),
            directory: place,
            shown: format!("/sources/{}", self.name),
        })
    }

    fn variable(&self) -> String {
        let name = self.name.to_ascii_uppercase().replace('-', "_");
        format!("CODEPOD_SOURCE_{name}")
    }

    /// Makes the directory, all at once.
    fn make(&self, place: &Path) -> Outcome {
        let work = place.with_extension(format!("{}.tmp", std::process::id()));
        let _ = std::fs::remove_dir_all(&work);
        cache::make_directory(&work)?;
        let made = self.unpack(&work);
        let made = made.and_then(|tree| cache::put_in_place(&tree, place));
        let _ = std::fs::remove_dir_all(&work);
        made
    }

    fn digest(&self) -> Outcome<String> {
        let mut digest = Digest::new();
        for origin in &self.origins {
            digest.part("sha256", origin.sha256.as_bytes());
            digest.part("inside", origin.inside.as_bytes());
        }
        for patch in &self.patches {
            digest.part("patch", cache::read(patch)?.as_bytes());
        }
        Ok(digest.hex())
    }

    /// Fetches, unpacks and patches in a directory of its own; where the result is.
    fn unpack(&self, work: &Path) -> Outcome<PathBuf> {
        let archive = work.join("archive");
        let origin = self.fetch(work, &archive)?;
        let tree = work.join("tree");
        cache::make_directory(&tree)?;
        process::program("tar")
            .args(["--strip-components=1", "--no-same-owner", "-xf"])
            .arg(&archive)
            .arg("-C")
            .arg(&tree)
            .run()?;
        let tree = tree.join(&origin.inside);
        for patch in &self.patches {
            process::program("patch")
                .args([
                    "--quiet",
                    "--strip=1",
                    "--fuzz=0",
                    "--no-backup-if-mismatch",
                ])
                .arg("--directory")
                .arg(&tree)
                .arg("--input")
                .arg(patch)
                .hint("the patch was made for another version of the sources")
                .run()?;
        }
        Ok(tree)
    }

    /// Gets the archive from the first origin that has it.
    fn fetch(&self, work: &Path, archive: &Path) -> Outcome<&Origin> {
        let mut complaints = Vec::new();
        for origin in &self.origins {
            let package = origin
                .package
                .as_deref()
                .and_then(|text| text.split_once('@'));
            let fetched = match (&origin.debian, package) {
                (Some(path), _) => from_debian(path, archive),
                (None, Some((name, version))) => from_crates(name, version, work, archive),
                (None, None) => continue,
            };
            match fetched.and_then(|()| check_digest(archive, &origin.sha256)) {
                Ok(()) => return Ok(origin),
                Err(failure) => complaints.push(failure.to_string()),
            }
        }
        Err(Failure::new(format!(
            "the sources of `{}` cannot be fetched:\n{}",
            self.name,
            complaints.join("\n")
        ))
        .hint("`guest.toml` lists where they come from; add an origin that still has them"))
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

fn check_digest(archive: &Path, sha256: &str) -> Outcome {
    let said = process::program("sha256sum").arg(archive).output()?;
    let is = said.split_whitespace().next().unwrap_or_default();
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

    fn parsed(text: &str) -> Result<Vec<Source>, String> {
        let definitions = toml::from_str(text).map_err(|error| error.to_string())?;
        of(definitions, Path::new("/guest"))
    }

    #[test]
    fn a_source_has_origins_and_patches() {
        let text = format!(
            "[my-jq]\npatches = ['a.patch']\norigins = [{{ debian = 'j/jq.tar.gz', sha256 = '{SHA256}' }}, \
            {{ crate = 'jq-src@0.4.1', sha256 = '{SHA256}', inside = 'jq' }}]"
        );
        let sources = parsed(&text).unwrap();
        let [source] = &sources[..] else {
            panic!("{sources:?}");
        };
        assert_eq!(source.variable(), "CODEPOD_SOURCE_MY_JQ");
        assert_eq!(source.patches, [Path::new("/guest/a.patch")]);
        assert_eq!(source.origins[0].debian.as_deref(), Some("j/jq.tar.gz"));
        assert_eq!(source.origins[1].package.as_deref(), Some("jq-src@0.4.1"));
        assert_eq!(source.origins[1].inside, "jq");
    }

    #[test]
    fn mistakes_are_named() {
        let mistake = |text: &str| parsed(text).unwrap_err();
        assert!(mistake("[a]").contains("`origins`"));
        assert!(mistake("[a]\norigins = []").contains("empty"));
        assert!(mistake("[a]\norigins = [{ debian = 'x' }]").contains("`sha256`"));
        assert!(mistake("[a]\norigins = [{ crate = 'x', sha256 = '' }]").contains("NAME@VERSION"));
        assert!(mistake("[a]\norigins = [{ sha256 = '' }]").contains("`debian` or `crate`"));
        assert!(mistake("[a]\nurl = 1").contains("`url`"));
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
