//! What a `guest.toml` says, and which guests there are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use codepod_abi::Grant;
use serde::Deserialize;

use crate::cache;
use crate::failure::{Failure, Outcome};
use crate::lock::Lock;
use crate::metadata::{self, Package};
use crate::sources::{self, Definition, Source};

/// A guest: a package and what its `guest.toml` says.
pub(super) struct Guest {
    pub(super) name: String,
    pub(super) package: String,
    /// Its directory, from the project's root.
    pub(super) directory: PathBuf,
    /// Binaries that become modules.
    pub(super) modules: Vec<String>,
    pub(super) grants: Vec<String>,
    /// The profile of the guests' workspace that it is built in.
    pub(super) profile: String,
    /// Options of `wasm-opt`, where its modules go through that.
    pub(super) wasm_opt: Option<String>,
    /// Features of the target beyond the usual, as rustc takes them.
    pub(super) target_features: Option<String>,
    /// Options for LLVM beyond the usual, as rustc takes them.
    pub(super) llvm_args: Option<String>,
    /// The script that builds it, where cargo cannot.
    pub(super) script: Option<String>,
    /// The guest whose commands it takes over, in a sandbox that has both. Its script goes on from
    /// the work of that one's.
    pub(super) extends: Option<String>,
    /// What the script links that cargo compiles.
    pub(super) library: Option<Library>,
    /// Files of the base image: their paths in a sandbox, and their names among the results of the
    /// script.
    pub(super) files: BTreeMap<String, String>,
    /// How big a module may be, in bytes: as it is, and compressed.
    pub(super) limits: [Option<usize>; 2],
    /// Other people's sources that it is built from.
    pub(super) sources: Vec<Source>,
    /// Directories of the tree that it is built from: its own and those of the members it depends
    /// on.
    pub(super) directories: Vec<PathBuf>,
    /// The packages of registries that it is built from.
    pub(super) foreign: Vec<String>,
}

/// A `guest.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Manifest {
    name: String,
    module: Modules,
    grants: Vec<String>,
    profile: Option<String>,
    wasm_opt: Option<String>,
    target_features: Option<String>,
    llvm_args: Option<String>,
    script: Option<String>,
    extends: Option<String>,
    library: Option<Library>,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    sources: BTreeMap<String, Definition>,
    max_bytes: Option<usize>,
    max_compressed: Option<usize>,
}

/// A member of the guests' workspace that becomes a static library.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Library {
    pub(super) package: String,
    /// Names of the guest's sources that it is built from.
    pub(super) sources: Vec<String>,
}

/// `"*"`, or a list of binaries.
#[derive(Deserialize)]
#[serde(untagged)]
enum Modules {
    Named(Vec<String>),
    All(String),
}

pub(super) fn chosen(names: &[&str]) -> Outcome<Vec<Guest>> {
    let guests = all()?;
    for name in names {
        if !guests.iter().any(|guest| guest.name == *name) {
            let known: Vec<_> = guests.iter().map(|guest| guest.name.as_str()).collect();
            return Err(Failure::usage(
                format!("there is no guest `{name}`"),
                format!("there is: {}", known.join(", ")),
            ));
        }
    }
    Ok(guests
        .into_iter()
        .filter(|guest| names.is_empty() || names.contains(&guest.name.as_str()))
        .collect())
}

pub(super) fn all() -> Outcome<Vec<Guest>> {
    let mut guests = Vec::new();
    let packages = metadata::guests()?;
    let lock = Lock::read(&cache::in_root("guests/Cargo.lock"))?;
    for package in &packages {
        let manifest = package.directory.join("guest.toml");
        if manifest.exists() {
            let text = cache::read(&manifest)?;
            let mut guest =
                parse_guest(&text, package).map_err(|why| Failure::file("use", &manifest, why))?;
            let closure = lock.closure(&package.name);
            let local = |package: &&Package| closure.local.contains(&package.name);
            guest.directories = packages
                .iter()
                .filter(local)
                .map(|package| package.directory.clone())
                .collect();
            guest.directories.sort();
            guest.foreign = closure.foreign;
            guests.push(guest);
        }
    }
    guests.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(guests)
}

fn parse_guest(text: &str, package: &Package) -> Result<Guest, String> {
    let manifest: Manifest = toml::from_str(text).map_err(|error| error.to_string())?;
    let modules = match manifest.module {
        Modules::All(all) if all == "*" => package.binaries.clone(),
        Modules::All(_) => return Err("`module` must be \"*\" or a list of binaries".into()),
        Modules::Named(modules) => modules,
    };
    let built_by_cargo = manifest.script.is_none();
    if let Some(missing) = modules
        .iter()
        .find(|module| built_by_cargo && !package.binaries.contains(module))
    {
        return Err(format!(
            "package `{}` has no binary `{missing}`",
            package.name
        ));
    }
    if let Some(unknown) = manifest
        .grants
        .iter()
        .find(|grant| Grant::from_name(grant).is_none())
    {
        let known: Vec<_> = Grant::ALL.iter().map(|grant| grant.name()).collect();
        return Err(format!(
            "unknown grant `{unknown}` (known: {})",
            known.join(", ")
        ));
    }
    if built_by_cargo && (!manifest.files.is_empty() || manifest.extends.is_some()) {
        return Err("`files` and `extends` need a `script`".into());
    }
    Ok(Guest {
        name: manifest.name,
        package: package.name.clone(),
        directory: below_root(&package.directory),
        modules,
        grants: manifest.grants,
        profile: manifest.profile.unwrap_or_else(|| "release".into()),
        wasm_opt: manifest.wasm_opt,
        target_features: manifest.target_features,
        llvm_args: manifest.llvm_args,
        script: manifest.script,
        extends: manifest.extends,
        library: manifest.library,
        files: manifest.files,
        limits: [manifest.max_bytes, manifest.max_compressed],
        sources: sources::of(manifest.sources, &package.directory)?,
        directories: Vec::new(),
        foreign: Vec::new(),
    })
}

fn below_root(directory: &Path) -> PathBuf {
    let below = directory.strip_prefix(cache::root());
    below.unwrap_or(directory).to_owned()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn package() -> Package {
        Package {
            name: "programs".into(),
            directory: "/nowhere".into(),
            binaries: vec!["cat".into(), "true".into()],
            path_dependencies: Vec::new(),
        }
    }

    pub(crate) fn guest(text: &str) -> Result<Guest, String> {
        parse_guest(text, &package())
    }

    #[test]
    fn a_star_means_every_binary() {
        let guest = guest("name = 'p'\nmodule = '*'\ngrants = ['wasi', 'process']").unwrap();
        assert_eq!(guest.modules, ["cat", "true"]);
        assert_eq!(guest.grants, ["wasi", "process"]);
    }

    #[test]
    fn mistakes_in_a_manifest_are_named() {
        let mistake = |text| guest(text).err().unwrap_or_default();
        assert!(mistake("name = 'p'\nmodule = ['dog']\ngrants = []").contains("`dog`"));
        assert!(mistake("name = 'p'\nmodule = '*'\ngrants = ['root']").contains("`root`"));
        assert!(mistake("name = 'p'\nmodule = '*'\ngrants = []\ngrant = 1").contains("`grant`"));
        assert!(mistake("module = '*'\ngrants = []").contains("`name`"));
    }
}
