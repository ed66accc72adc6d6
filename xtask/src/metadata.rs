//! What cargo says about a workspace: its packages, their binaries, and what they depend on within
//! the project.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cache;
use crate::failure::{Failure, Outcome};
use crate::process;

/// A package of a workspace.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// The directory of its manifest.
    pub(crate) directory: PathBuf,
    /// Names of its binaries.
    pub(crate) binaries: Vec<String>,
    /// Names of packages it depends on by path, for building or running, not for its tests.
    pub(crate) path_dependencies: Vec<String>,
}

/// The members of the host workspace.
pub(crate) fn host() -> Outcome<Vec<Package>> {
    members(&cache::in_root("Cargo.toml"))
}

/// The members of the guests' workspace; none when there is no such workspace.
pub(crate) fn guests() -> Outcome<Vec<Package>> {
    let manifest = cache::in_root("guests/Cargo.toml");
    if !manifest.exists() {
        return Ok(Vec::new());
    }
    members(&manifest)
}

/// Whether the host workspace has a package of this name.
pub(crate) fn has_package(name: &str) -> Outcome<bool> {
    Ok(host()?.iter().any(|package| package.name == name))
}

fn members(manifest: &Path) -> Outcome<Vec<Package>> {
    let text = process::cargo()
        .args(["metadata", "--format-version=1", "--no-deps"])
        .arg("--manifest-path")
        .arg(manifest)
        .output()?;
    parse(&text).ok_or_else(unknown)
}

/// What is wanted of all that cargo says about a workspace, with sources fetched.
pub(crate) fn resolved<T>(manifest: &Path, wanted: impl FnOnce(&Value) -> Option<T>) -> Outcome<T> {
    let text = process::cargo()
        .args(["metadata", "--format-version=1", "--locked"])
        .arg("--manifest-path")
        .arg(manifest)
        .output()?;
    let metadata = serde_json::from_str(&text).ok();
    metadata
        .and_then(|metadata| wanted(&metadata))
        .ok_or_else(unknown)
}

fn unknown() -> Failure {
    Failure::new("`cargo metadata` answered in a form that xtask does not know")
}

fn parse(text: &str) -> Option<Vec<Package>> {
    let metadata: Value = serde_json::from_str(text).ok()?;
    metadata["packages"]
        .as_array()?
        .iter()
        .map(package)
        .collect()
}

fn package(value: &Value) -> Option<Package> {
    let targets = value["targets"].as_array()?;
    let is_binary = |target: &&Value| {
        let kinds = target["kind"].as_array();
        kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind == "bin"))
    };
    let dependencies = value["dependencies"].as_array()?;
    Some(Package {
        name: value["name"].as_str()?.to_owned(),
        directory: Path::new(value["manifest_path"].as_str()?)
            .parent()?
            .to_owned(),
        binaries: targets
            .iter()
            .filter(is_binary)
            .filter_map(|target| Some(target["name"].as_str()?.to_owned()))
            .collect(),
        path_dependencies: dependencies
            .iter()
            .filter(|dependency| dependency["path"].is_string() && dependency["kind"] != "dev")
            .filter_map(|dependency| Some(dependency["name"].as_str()?.to_owned()))
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_dependencies_leave_out_registry_and_test_ones() {
        let text = r#"{"packages": [{
            "name": "a", "manifest_path": "/w/a/Cargo.toml",
            "targets": [{"kind": ["lib"], "name": "a"}, {"kind": ["bin"], "name": "tool"}],
            "dependencies": [
                {"name": "b", "kind": null, "path": "/w/b"},
                {"name": "c", "kind": "build", "path": "/w/c"},
                {"name": "d", "kind": "dev", "path": "/w/d"},
                {"name": "e", "kind": null}
            ]}]}"#;
        let packages = parse(text).unwrap();
        assert_eq!(packages[0].path_dependencies, ["b", "c"]);
        assert_eq!(packages[0].binaries, ["tool"]);
        assert_eq!(packages[0].directory, Path::new("/w/a"));
    }
}
