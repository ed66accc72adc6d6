//! What the program contains that is not ours.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::archive::Told;
use super::texts::{self, Text};
use crate::cache;
use crate::failure::{Failure, Outcome};
use crate::guests;
use crate::metadata;
use crate::process;
use crate::sizes::NOT_SHIPPED;
use crate::sources::Source;

/// Libraries of the toolchain that are linked in: the name, Debian's package, the licence.
const TOOLCHAIN: &[(&str, &str, &str)] = &[
    (
        "wasi-libc",
        "wasi-libc",
        "MIT AND BSD-2-Clause AND CC0-1.0 AND Apache-2.0 WITH LLVM-exception",
    ),
    (
        "LLVM libc++ and compiler-rt",
        "libc++-19-dev-wasm32",
        "Apache-2.0 WITH LLVM-exception",
    ),
];

/// Licences of sources that do not say it in a form that is read here.
const LICENCES: &[(&str, &str)] = &[
    ("cpython", "PSF-2.0"),
    ("cycler", "BSD-3-Clause"),
    ("file", "BSD-2-Clause"),
    ("jq", "MIT AND ICU"),
    ("libjpeg-turbo", "IJG AND BSD-3-Clause AND Zlib"),
    ("oniguruma", "BSD-2-Clause"),
    ("qhull", "Qhull"),
    ("ripgrep", "Unlicense OR MIT"),
    ("sqlite", "public domain"),
];

/// What stands for the holders in a text of MIT's licence.
const HOLDERS: &str = "<year> <copyright holders>";

/// Software of others.
pub(super) struct Component {
    name: String,
    version: String,
    origin: Origin,
}

enum Origin {
    /// A package of the Rust registry: its directory, its licence, its authors.
    Crate {
        directory: PathBuf,
        licence: String,
        authors: String,
    },
    /// An archive that something is built from.
    Archive(Box<dyn Fn() -> Outcome<PathBuf>>),
    /// Rust's standard library.
    Rust,
    /// A package of Debian that has libraries.
    Debian {
        package: &'static str,
        licence: &'static str,
    },
}

impl Component {
    /// Its name and version.
    pub(super) fn title(&self) -> String {
        format!("{} {}", self.name, self.version)
            .trim_end()
            .to_owned()
    }

    /// Its licence, and the texts that this asks for.
    pub(super) fn notice(&self, all: &[Component]) -> Outcome<(String, Vec<Text>)> {
        let known = LICENCES.iter().find(|(name, _)| *name == self.name);
        let known = known.map(|(_, licence)| (*licence).to_owned());
        let (said, texts) = match &self.origin {
            Origin::Crate {
                directory, licence, ..
            } => (Some(licence.clone()), texts::in_directory(directory)?),
            Origin::Archive(archive) => Told::of(&archive()?)?.into_parts(),
            Origin::Rust => {
                let text = ("LICENSE-MIT".to_owned(), rust_text()?);
                (Some("MIT OR Apache-2.0".to_owned()), vec![text])
            }
            Origin::Debian { package, licence } => {
                let file = Path::new("/usr/share/doc").join(package).join("copyright");
                let text = ("copyright".to_owned(), Text::new(&cache::read(&file)?));
                (Some((*licence).to_owned()), vec![text])
            }
        };
        // Older packages of the registry have a slash between licences to choose from.
        let said = said.map(|said| said.replace('/', " OR ").replace("  ", " "));
        let licence = known.or(said).ok_or_else(|| {
            Failure::new(format!("`{}` does not say its licence", self.name))
                .hint("add it to `LICENCES` in xtask/src/notices/components.rs")
        })?;
        let mut texts = texts::chosen(&self.name, texts)?;
        if texts.is_empty() && licence != "public domain" {
            texts = match &self.origin {
                Origin::Crate {
                    licence, authors, ..
                } => standard(licence, authors, all)?,
                _ => {
                    let title = self.title();
                    return Err(Failure::new(format!(
                        "`{title}` has no text of its licence"
                    )));
                }
            };
        }
        Ok((licence, texts))
    }
}

/// The text of a licence for a package that brings none: that of another under the same licence, or
/// MIT's with the package's authors.
fn standard(licence: &str, authors: &str, all: &[Component]) -> Outcome<Vec<Text>> {
    if licence.split(" OR ").any(|one| one == "MIT") {
        let mit = rust_licence("MIT")?;
        return Ok(vec![Text::new(&mit.replace(HOLDERS, authors))]);
    }
    for other in all {
        if let Origin::Crate {
            directory,
            licence: its,
            ..
        } = &other.origin
            && its == licence
        {
            let texts = texts::chosen(&other.name, texts::in_directory(directory)?)?;
            if !texts.is_empty() {
                return Ok(texts);
            }
        }
    }
    Err(Failure::new(format!(
        "no text is known of the licence `{licence}`"
    )))
}

fn rust_licence(name: &str) -> Outcome<String> {
    let licences = process::sysroot()?.join("share/doc/rust/licenses");
    cache::read(&licences.join(format!("{name}.txt")))
}

fn rust_text() -> Outcome<Text> {
    let mit = rust_licence("MIT")?;
    let holder = "The Rust Project Developers";
    let mit = mit.replace(HOLDERS, holder);
    let unicode = rust_licence("Unicode-3.0")?;
    Ok(Text::new(&format!(
        "{mit}\n\nThe tables of library/core/src/unicode:\n\n{unicode}"
    )))
}

/// Every component, by name.
pub(super) fn all() -> Outcome<Vec<Component>> {
    let mut all = crates("Cargo.toml", |name| name == "codepod-cli")?;
    let (packages, sources) = guests::shipped(&NOT_SHIPPED)?;
    let is_shipped = |name: &str| packages.iter().any(|package| package == name);
    all.extend(crates("guests/Cargo.toml", is_shipped)?);
    let sources = sources.into_iter().filter(|source| !source.only_builds());
    all.extend(sources.map(of_source));
    all.extend(toolchain()?);
    all.sort_by_key(|component| component.title().to_lowercase());
    all.dedup_by(|a, b| a.title() == b.title());
    Ok(all)
}

/// Packages of the registry that members of a workspace contain when they run.
fn crates(manifest: &str, is_root: impl Fn(&str) -> bool) -> Outcome<Vec<Component>> {
    metadata::resolved(&cache::in_root(manifest), |all| contained(all, is_root))
}

fn contained(metadata: &Value, is_root: impl Fn(&str) -> bool) -> Option<Vec<Component>> {
    let packages = metadata["packages"].as_array()?;
    let package = |id: &Value| packages.iter().find(|package| package["id"] == *id);
    let nodes = metadata["resolve"]["nodes"].as_array()?;
    let members = metadata["workspace_members"].as_array()?;
    let mut pending: Vec<&Value> = (members.iter())
        .filter(|id| {
            package(id)
                .and_then(|it| it["name"].as_str())
                .is_some_and(&is_root)
        })
        .collect();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    while let Some(id) = pending.pop() {
        let package = package(id)?;
        // What runs only while others are compiled is not in the result.
        let is_macro = |target: &Value| target["kind"][0] == "proc-macro";
        if !seen.insert(id.as_str()?) || package["targets"].as_array()?.iter().any(is_macro) {
            continue;
        }
        let node = nodes.iter().find(|node| node["id"] == *id)?;
        for dependency in node["deps"].as_array()? {
            let kinds = dependency["dep_kinds"].as_array()?;
            if kinds.iter().any(|kind| kind["kind"].is_null()) {
                pending.push(&dependency["pkg"]);
            }
        }
        if package["source"].is_string() {
            let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
            let authors = package["authors"].as_array()?.iter();
            let authors: Vec<&str> = authors.filter_map(Value::as_str).collect();
            found.push(Component {
                name: text("name"),
                version: text("version"),
                origin: Origin::Crate {
                    directory: Path::new(package["manifest_path"].as_str()?)
                        .parent()?
                        .to_owned(),
                    licence: text("license"),
                    authors: authors.join(", "),
                },
            });
        }
    }
    Some(found)
}

/// What a guest is built from by its `sources`.
fn of_source(source: Source) -> Component {
    Component {
        name: source.name().to_owned(),
        version: source.version(),
        origin: Origin::Archive(Box::new(move || source.archive())),
    }
}

fn toolchain() -> Outcome<Vec<Component>> {
    let rustc = process::program("rustc").arg("--version").output()?;
    let version = rustc.split_whitespace().nth(1).unwrap_or_default();
    let mut found = vec![Component {
        name: "Rust standard library".to_owned(),
        version: version.to_owned(),
        origin: Origin::Rust,
    }];
    for (name, package, licence) in TOOLCHAIN {
        found.push(Component {
            name: (*name).to_owned(),
            // Whichever Debian the machine has that builds the guests.
            version: String::new(),
            origin: Origin::Debian { package, licence },
        });
    }
    Ok(found)
}
