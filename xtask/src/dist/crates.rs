//! The crates as they are published. `cargo add codepod` must not need a build of the guests: crates
//! of data hold the packed parts of each platform, and `codepod-guests` depends on them. In the
//! repository it does not, because they do not exist there.
//!
//! A copy of the workspace gets the data crates as members, and cargo packs that.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::copy;
use crate::cache;
use crate::failure::{Failure, Outcome};
use crate::parts::Made;
use crate::platform::Platform;
use crate::process;
use crate::versions::VERSION;

/// Registries take crates of up to ten megabytes; packed bytes do not become smaller there.
const MOST: usize = 9_750_000;

/// Lists beside the parts, which only the crate of the core has.
const LISTS: [&str; 2] = ["guests.toml", "parts/parts.toml"];

/// Crates that nobody installs.
const NOT_PUBLISHED: [&str; 4] = ["codepod-bench", "codepod-preinit", "codepod-spec", "xtask"];

/// A copy of the workspace that gets data crates.
pub(super) struct Workspace {
    root: PathBuf,
    /// Dependencies of `codepod-guests` by platform: the condition, and the crates.
    needed: Vec<(String, Vec<DataCrate>)>,
}

struct DataCrate {
    name: String,
    /// The part that is in it; the program always carries it, or because of a feature of its name.
    part: String,
    is_carried: bool,
}

impl Workspace {
    /// Copies what git knows of this checkout.
    pub(super) fn begin() -> Outcome<Workspace> {
        let root = cache::target().join("published");
        let _ = std::fs::remove_dir_all(&root);
        let files = process::program("git")
            .args(["ls-files", "-z", "--", "crates", "xtask", "*.md", "*.toml"])
            .args(["Cargo.lock", "LICENSE-*", "THIRD-PARTY-NOTICES", "scripts"])
            .directory(cache::root())
            .output()?;
        for file in files.split('\0').filter(|file| !file.is_empty()) {
            copy(&cache::in_root(file), &root.join(file))?;
        }
        Ok(Workspace {
            root,
            needed: Vec::new(),
        })
    }

    /// Adds crates with the parts of a platform.
    pub(super) fn add(&mut self, platform: &Platform, guests: &Path, parts: &[Made]) -> Outcome {
        let condition = platform.condition();
        if self.needed.iter().any(|(known, _)| *known == condition) {
            return Ok(());
        }
        let mut crates = Vec::new();
        for part in parts {
            crates.extend(self.write_crates(platform, guests, part)?);
        }
        self.needed.push((condition, crates));
        Ok(())
    }

    fn write_crates(
        &self,
        platform: &Platform,
        guests: &Path,
        part: &Made,
    ) -> Outcome<Vec<DataCrate>> {
        let file = part.packed();
        let packed = std::fs::read(&file).map_err(|error| Failure::file("read", &file, error))?;
        let pieces: Vec<&[u8]> = packed.chunks(MOST).collect();
        let mut crates = Vec::new();
        for (number, piece) in (1..).zip(&pieces) {
            let (mut name, mut file) = (
                format!("codepod-data-{}-{}", platform.of_parts(), part.name),
                format!("parts/{}", part.file_name()),
            );
            if pieces.len() > 1 {
                name += &format!("-{number}");
                file += &format!(".{number}");
            }
            let directory = self.root.join("crates").join(&name);
            let about = format!("Data for codepod on {}: {}", platform.name, part.about);
            write_crate(&directory, &name, &about)?;
            cache::write(&directory.join("data").join(file), piece)?;
            if part.name == "core" {
                for list in LISTS {
                    copy(&guests.join(list), &directory.join("data").join(list))?;
                }
            }
            crates.push(DataCrate {
                name,
                part: part.name.clone(),
                is_carried: part.is_carried,
            });
        }
        Ok(crates)
    }

    /// Packs all crates, and puts them into a directory below `out`.
    pub(super) fn pack(self, out: &Path) -> Outcome {
        let manifest = self.root.join("crates/codepod-guests/Cargo.toml");
        let mut table = cache::read_toml(&manifest)?;
        depend(&mut table, &self.needed);
        cache::write(&manifest, table.to_string().as_bytes())?;
        let target = self.root.join("target");
        let mut cargo = process::cargo()
            .args(["package", "--quiet", "--workspace", "--no-verify"])
            .args(["--allow-dirty", "--target-dir"])
            .arg(&target)
            .directory(&self.root);
        for package in NOT_PUBLISHED {
            cargo = cargo.args(["--exclude", package]);
        }
        cargo.run()?;
        for file in cache::files(&target.join("package"), &|path| !path.is_dir())? {
            if let Some(name) = file.file_name()
                && file.extension().is_some_and(|it| it == "crate")
            {
                copy(&file, &out.join("crates").join(name))?;
            }
        }
        Ok(())
    }
}

/// A crate that has no code: cargo tells those that depend on it where its files are.
fn write_crate(directory: &Path, name: &str, about: &str) -> Outcome {
    let links = name.replace('-', "_");
    let manifest = format!(
        "[package]\n\
         name = {name:?}\n\
         description = {about:?}\n\
         version.workspace = true\n\
         edition.workspace = true\n\
         license.workspace = true\n\
         repository.workspace = true\n\
         links = {links:?}\n\
         include = [\"build.rs\", \"src\", \"data\", \"LICENSE-*\", \"THIRD-PARTY-NOTICES\"]\n"
    );
    cache::write(&directory.join("Cargo.toml"), manifest.as_bytes())?;
    let build = "//! Says where the data is.\n\n\
         fn main() {\n\
         \x20   let here = std::env::var(\"CARGO_MANIFEST_DIR\").expect(\"cargo sets it\");\n\
         \x20   println!(\"cargo::metadata=dir={here}/data\");\n\
         \x20   println!(\"cargo::rerun-if-changed=data\");\n\
         }\n";
    cache::write(&directory.join("build.rs"), build.as_bytes())?;
    let code = format!("//! {about}. The build of `codepod-guests` reads it.\n");
    cache::write(&directory.join("src/lib.rs"), code.as_bytes())?;
    for document in ["LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY-NOTICES"] {
        copy(&cache::in_root(document), &directory.join(document))?;
    }
    Ok(())
}

/// Adds data crates to the dependencies of a manifest: those that are always needed, and others
/// with the feature that wants them.
fn depend(manifest: &mut Table, needed: &[(String, Vec<DataCrate>)]) {
    let targets = table_in(manifest, "target");
    for (condition, crates) in needed {
        let dependencies = table_in(table_in(targets, condition), "dependencies");
        for it in crates {
            let mut dependency = Table::new();
            dependency.insert("version".into(), format!("={VERSION}").into());
            dependency.insert("path".into(), format!("../{}", it.name).into());
            if !it.is_carried {
                dependency.insert("optional".into(), true.into());
            }
            dependencies.insert(it.name.clone(), Value::Table(dependency));
        }
    }
    let features = table_in(manifest, "features");
    for it in needed.iter().flat_map(|(_, crates)| crates) {
        if !it.is_carried {
            let wanted = features
                .entry(it.part.clone())
                .or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(wanted) = wanted {
                wanted.push(format!("dep:{}", it.name).into());
            }
        }
    }
}

fn table_in<'a>(table: &'a mut Table, name: &str) -> &'a mut Table {
    let inner = table
        .entry(name)
        .or_insert_with(|| Value::Table(Table::new()));
    if !inner.is_table() {
        *inner = Value::Table(Table::new());
    }
    match inner {
        Value::Table(inner) => inner,
        _ => unreachable!("it is a table since the line above"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_always_carried_is_needed_and_the_rest_is_behind_its_feature() {
        let data = |part: &str, is_carried| DataCrate {
            name: format!("codepod-data-linux-x64-{part}"),
            part: part.to_owned(),
            is_carried,
        };
        let mut manifest: Table = "[features]\nscience = [\"python\"]".parse().unwrap();
        let needed = vec![data("core", true), data("science", false)];
        depend(&mut manifest, &[("cfg(unix)".to_owned(), needed)]);
        let text = manifest.to_string();
        assert!(
            text.contains("\"python\", \"dep:codepod-data-linux-x64-science\""),
            "{text}"
        );
        assert_eq!(text.matches("optional = true").count(), 1, "{text}");
        assert!(text.contains("codepod-data-linux-x64-core"), "{text}");
    }

    #[test]
    fn a_crate_of_data_says_where_it_is() {
        let place = std::env::temp_dir().join(format!("codepod-crate-{}", std::process::id()));
        write_crate(&place, "codepod-data-x", "Data").unwrap();
        let manifest = cache::read(&place.join("Cargo.toml")).unwrap();
        let build = cache::read(&place.join("build.rs")).unwrap();
        std::fs::remove_dir_all(&place).unwrap();
        assert!(
            manifest.contains("links = \"codepod_data_x\""),
            "{manifest}"
        );
        assert!(build.contains("cargo::metadata=dir={here}/data"), "{build}");
    }
}
