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
//! of its archive. `pypi` names a file of the Python registry, `npm` a package of JavaScript's as
//! NAME@VERSION. Patches are files of the guest.
//! `version` says which version it is where the origin's name does not, and `only-builds = true`
//! that nothing of it gets into the guest. The result is unpacked into the cache under the digest
//! of all this. Build scripts of cargo find it in the variable `CODEPOD_SOURCE_JQ`, other scripts
//! as `jq` in the directory `SOURCES`.

mod origin;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::cache;
use crate::digest::Digest;
use crate::failure::{Failure, Outcome};
use crate::process;
use crate::purl;
use origin::Origin;

/// Sources of one upstream program.
#[derive(Debug)]
pub(crate) struct Source {
    name: String,
    origins: Vec<Origin>,
    /// Our changes, in the order in which they are applied.
    patches: Vec<PathBuf>,
    version: Option<String>,
    only_builds: bool,
}

/// Sources in the cache.
#[derive(Debug)]
pub(crate) struct Brought {
    pub(crate) name: String,
    pub(crate) directory: PathBuf,
}

impl Brought {
    /// The variable in which a build finds the directory.
    pub(crate) fn variable(&self) -> String {
        let name = self.name.to_ascii_uppercase().replace('-', "_");
        format!("CODEPOD_SOURCE_{name}")
    }

    /// The path that stands for the directory in what is built.
    pub(crate) fn shown(&self) -> String {
        format!("/sources/{}", self.name)
    }
}

/// A source as `guest.toml` has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Definition {
    origins: Vec<Origin>,
    #[serde(default)]
    patches: Vec<String>,
    version: Option<String>,
    #[serde(default)]
    only_builds: bool,
}

/// The sources of a guest in this directory.
pub(crate) fn of(
    definitions: BTreeMap<String, Definition>,
    directory: &Path,
) -> Result<Vec<Source>, String> {
    let source = |(name, definition): (String, Definition)| {
        if definition.origins.is_empty() {
            return Err(format!(
                "source `{name}`: `origins` is empty: nobody has it"
            ));
        }
        let patches = definition.patches.iter();
        Ok(Source {
            name,
            patches: patches.map(|file| directory.join(file)).collect(),
            origins: definition.origins,
            version: definition.version,
            only_builds: definition.only_builds,
        })
    };
    definitions.into_iter().map(source).collect()
}

impl Source {
    /// A file of the Python registry.
    pub(crate) fn pypi(name: &str, file: &str, sha256: &str) -> Source {
        Source {
            name: name.to_owned(),
            origins: vec![Origin::pypi(file, sha256)],
            patches: Vec::new(),
            version: None,
            only_builds: false,
        }
    }

    /// A package of the JavaScript registry.
    pub(crate) fn npm(name: &str, version: &str, sha256: &str) -> Source {
        Source {
            name: name.to_owned(),
            origins: vec![Origin::npm(name, version, sha256)],
            patches: Vec::new(),
            version: None,
            only_builds: true,
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether nothing of it gets into what is built.
    pub(crate) fn only_builds(&self) -> bool {
        self.only_builds
    }

    /// Its version: as it is given, or as its first origin has it.
    pub(crate) fn version(&self) -> String {
        let of_origin = || self.origins.first().and_then(Origin::version);
        let version = self.version.as_deref().or_else(of_origin);
        version.unwrap_or_default().to_owned()
    }

    /// What it is called as a package URL: by its registry, if that has it under its own name and
    /// version and not inside of something else.
    pub(crate) fn purl(&self) -> String {
        let of_origin = self.origins.first().and_then(Origin::purl);
        let beginning = |kind: &str| format!("pkg:{kind}/{}@", self.name.replace('_', "-"));
        let is_own = |purl: &String| {
            let purl = purl.replace('_', "-");
            ["cargo", "npm", "pypi"]
                .map(beginning)
                .iter()
                .any(|it| purl.starts_with(it))
        };
        match of_origin.filter(|it| self.version.is_none() && is_own(it)) {
            Some(purl) => purl,
            None => purl::of("generic", &self.name, &self.version()),
        }
    }

    /// The archives that it may come from, as URLs or paths, with their SHA-256.
    pub(crate) fn archives(&self) -> impl Iterator<Item = (String, &str)> {
        let origins = self.origins.iter();
        origins.map(|origin| (origin.address(), origin.sha256.as_str()))
    }

    /// Our changes.
    pub(crate) fn patches(&self) -> &[PathBuf] {
        &self.patches
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

    /// Patched sources in the cache; fetched if it has none.
    pub(crate) fn bring(&self) -> Outcome<Brought> {
        let digest = self.digest()?;
        let place = cache::sources()?.join(format!("{}-{}", self.name, &digest[..16]));
        if !place.exists() {
            self.make(&place)?;
        }
        Ok(Brought {
            name: self.name.clone(),
            directory: place,
        })
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
        origin.unpack(&archive, &tree)?;
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
            match origin.fetch(work, archive) {
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
        assert_eq!(source.patches, [Path::new("/guest/a.patch")]);
        assert_eq!(source.origins[1].inside, "jq");
        let brought = Brought {
            name: source.name.clone(),
            directory: PathBuf::new(),
        };
        assert_eq!(brought.variable(), "CODEPOD_SOURCE_MY_JQ");
    }

    #[test]
    fn a_version_may_be_given() {
        let origin = format!("origins = [{{ crate = 'sqlite3-src@0.7.1', sha256 = '{SHA256}' }}]");
        let version = |text: &str| parsed(text).unwrap()[0].version();
        assert_eq!(version(&format!("[a]\n{origin}")), "0.7.1");
        let given = format!("[a]\n{origin}\nversion = '3.51.0'");
        assert_eq!(version(&given), "3.51.0");
    }

    #[test]
    fn what_comes_inside_of_a_package_is_not_that_package() {
        let origin = format!("origins = [{{ crate = 'onig_sys@69.9', sha256 = '{SHA256}' }}]");
        let purl = |text: &str| parsed(&format!("{text}{origin}")).unwrap()[0].purl();
        assert_eq!(purl("[onig-sys]\n"), "pkg:cargo/onig_sys@69.9");
        assert_eq!(purl("[oniguruma]\n"), "pkg:generic/oniguruma@69.9");
        let other = "[onig-sys]\nversion = '6'\n";
        assert_eq!(purl(other), "pkg:generic/onig-sys@6");
    }

    #[test]
    fn mistakes_are_named() {
        let mistake = |text: &str| parsed(text).unwrap_err();
        assert!(mistake("[a]").contains("`origins`"));
        assert!(mistake("[a]\norigins = []").contains("empty"));
        assert!(mistake("[a]\norigins = [{ debian = 'x' }]").contains("`sha256`"));
        assert!(mistake("[a]\nurl = 1").contains("`url`"));
    }
}
