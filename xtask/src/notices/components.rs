//! What the program contains that is not ours.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde_json::Value;

use super::archive::Told;
use super::texts::{self, Text};
use crate::cache;
use crate::failure::{Failure, Outcome};
use crate::guests::{self, Shipped};
use crate::lock::Lock;
use crate::metadata;
use crate::process;
use crate::purl;
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

/// Licences of sources that do not say it as an SPDX expression, or not in a form that is read
/// here.
const LICENCES: &[(&str, &str)] = &[
    ("beautifulsoup4", "MIT"),
    ("blinker", "MIT"),
    ("brotli", "MIT"),
    ("contourpy", "BSD-3-Clause"),
    ("cppy", "BSD-3-Clause"),
    ("cpython", "PSF-2.0"),
    ("curl", "curl"),
    ("cycler", "BSD-3-Clause"),
    ("editables", "MIT"),
    ("file", "BSD-2-Clause"),
    ("itsdangerous", "BSD-3-Clause"),
    ("jinja2", "BSD-3-Clause"),
    ("jq", "MIT AND ICU"),
    ("kiwisolver", "BSD-3-Clause"),
    ("libjpeg-turbo", "IJG AND BSD-3-Clause AND Zlib"),
    // From aiohttp's archive, which has it as Node's own has.
    ("llhttp", "MIT"),
    ("markdown_it_py", "MIT"),
    ("matplotlib", "LicenseRef-matplotlib"),
    // Or GPL-2.0-or-later; ours to choose.
    ("mbedtls", "Apache-2.0"),
    ("mccabe", "MIT"),
    ("mdurl", "MIT"),
    ("nodejs", "MIT"),
    ("oniguruma", "BSD-2-Clause"),
    ("pathspec", "MPL-2.0"),
    ("pytokens", "MIT"),
    ("qhull", "Qhull"),
    ("ripgrep", "Unlicense OR MIT"),
    ("seaborn", "BSD-3-Clause"),
    ("sortedcontainers", "Apache-2.0"),
    ("sqlite", PUBLIC_DOMAIN),
    ("trove_classifiers", "Apache-2.0"),
];

/// What SPDX calls SQLite's words in the place of a licence. There is no text to give.
const PUBLIC_DOMAIN: &str = "blessing";

/// What stands for the holders in a text of MIT's licence.
const HOLDERS: &str = "<year> <copyright holders>";

/// Software of others.
#[derive(Clone)]
pub(crate) struct Component {
    pub(crate) name: String,
    pub(crate) version: String,
    origin: Origin,
}

/// What ships as one: the program, or a guest.
pub(crate) struct Product {
    /// The guest's name; none for the program.
    pub(crate) guest: Option<String>,
    /// The guest whose components it contains as well.
    pub(crate) extends: Option<String>,
    pub(crate) components: Vec<Component>,
}

#[derive(Clone)]
enum Origin {
    /// A package of the Rust registry: its directory, its licence, its authors, its digest.
    Crate {
        directory: PathBuf,
        licence: String,
        authors: String,
        sha256: Option<String>,
    },
    /// An archive that something is built from.
    Archive(Rc<Source>),
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
    pub(crate) fn title(&self) -> String {
        format!("{} {}", self.name, self.version)
            .trim_end()
            .to_owned()
    }

    /// What it is called as a package URL.
    pub(crate) fn purl(&self) -> String {
        match &self.origin {
            Origin::Crate { .. } => purl::of("cargo", &self.name, &self.version),
            Origin::Archive(source) => source.purl(),
            Origin::Rust => purl::of("generic", "rust-std", &self.version),
            Origin::Debian { package, .. } => format!("pkg:generic/{package}"),
        }
    }

    /// The SHA-256 of its package, where it is one of the Rust registry.
    pub(crate) fn sha256(&self) -> Option<&str> {
        match &self.origin {
            Origin::Crate { sha256, .. } => sha256.as_deref(),
            _ => None,
        }
    }

    /// What it is built from, where that is other people's sources with changes of ours.
    pub(crate) fn source(&self) -> Option<&Source> {
        match &self.origin {
            Origin::Archive(source) => Some(source),
            _ => None,
        }
    }

    /// Its licence, and the texts that this asks for.
    pub(super) fn notice(&self, all: &[Component]) -> Outcome<(String, Vec<Text>)> {
        let known = LICENCES.iter().find(|(name, _)| *name == self.name);
        let known = known.map(|(_, licence)| (*licence).to_owned());
        let (said, texts) = match &self.origin {
            Origin::Crate {
                directory, licence, ..
            } => (Some(licence.clone()), texts::in_directory(directory)?),
            Origin::Archive(source) => Told::of(&source.archive()?)?.into_parts(),
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
        if texts.is_empty() && licence != PUBLIC_DOMAIN {
            texts = match &self.origin {
                Origin::Crate {
                    licence, authors, ..
                } => standard(licence, authors, all)?,
                // A crate that a guest's sources name.
                Origin::Archive(_) if licence == "Apache-2.0" => standard(&licence, "", all)?,
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
    let products = by_product()?.into_iter();
    let mut all: Vec<Component> = products.flat_map(|product| product.components).collect();
    all.sort_by_key(|component| component.title().to_lowercase());
    all.dedup_by(|a, b| a.title() == b.title());
    Ok(all)
}

/// The components of the program and of each guest that ships.
pub(crate) fn by_product() -> Outcome<Vec<Product>> {
    let rust = rust_library()?;
    let lock = Lock::read(&cache::in_root("Cargo.lock"))?;
    let mut components = metadata::resolved(&cache::in_root("Cargo.toml"), |all| {
        contained(all, &lock, PROGRAM)
    })?;
    components.push(rust.clone());
    let mut products = vec![Product {
        guest: None,
        extends: None,
        components,
    }];
    let guests = guests::shipped(&NOT_SHIPPED)?;
    let lock = Lock::read(&cache::in_root("guests/Cargo.lock"))?;
    let crates = metadata::resolved(&cache::in_root("guests/Cargo.toml"), |all| {
        let of_guest = |guest: &Shipped| contained(all, &lock, &guest.package);
        guests.iter().map(of_guest).collect::<Option<Vec<_>>>()
    })?;
    for (guest, mut components) in guests.into_iter().zip(crates) {
        let sources = guest.sources.into_iter();
        components.extend(sources.filter(|it| !it.only_builds()).map(of_source));
        components.push(rust.clone());
        components.extend(c_libraries());
        products.push(Product {
            guest: Some(guest.name),
            extends: guest.extends,
            components,
        });
    }
    Ok(products)
}

/// The program for people, which is not WebAssembly.
const PROGRAM: &str = "codepod-cli";

/// Whether something is needed only where the library is compiled for web pages.
fn is_for_pages(kind: &Value) -> bool {
    kind["target"] == "cfg(target_family = \"wasm\")"
}

/// Packages of the registry that a member of a workspace contains when it runs.
fn contained(metadata: &Value, lock: &Lock, root: &str) -> Option<Vec<Component>> {
    let is_program = root == PROGRAM;
    let packages = metadata["packages"].as_array()?;
    let package = |id: &Value| packages.iter().find(|package| package["id"] == *id);
    let nodes = metadata["resolve"]["nodes"].as_array()?;
    let members = metadata["workspace_members"].as_array()?;
    let mut pending: Vec<&Value> = (members.iter())
        .filter(|id| {
            package(id)
                .and_then(|it| it["name"].as_str())
                .is_some_and(|name| name == root)
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
            let is_in =
                |kind: &Value| kind["kind"].is_null() && !(is_program && is_for_pages(kind));
            if kinds.iter().any(is_in) {
                pending.push(&dependency["pkg"]);
            }
        }
        if package["source"].is_string() {
            let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
            let authors = package["authors"].as_array()?.iter();
            let authors: Vec<&str> = authors.filter_map(Value::as_str).collect();
            let (name, version) = (text("name"), text("version"));
            found.push(Component {
                origin: Origin::Crate {
                    sha256: lock.checksum(&name, &version).map(str::to_owned),
                    directory: Path::new(package["manifest_path"].as_str()?)
                        .parent()?
                        .to_owned(),
                    licence: text("license"),
                    authors: authors.join(", "),
                },
                name,
                version,
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
        origin: Origin::Archive(Rc::new(source)),
    }
}

fn rust_library() -> Outcome<Component> {
    let rustc = process::program("rustc").arg("--version").output()?;
    let version = rustc.split_whitespace().nth(1).unwrap_or_default();
    Ok(Component {
        name: "Rust standard library".to_owned(),
        version: version.to_owned(),
        origin: Origin::Rust,
    })
}

/// What the toolchain for guests links in.
fn c_libraries() -> impl Iterator<Item = Component> {
    TOOLCHAIN.iter().map(|(name, package, licence)| Component {
        name: (*name).to_owned(),
        // Whichever Debian the machine has that builds the guests.
        version: String::new(),
        origin: Origin::Debian { package, licence },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_pages_need_is_not_in_the_program() {
        let package = |id: &str, name: &str, source: Option<&str>| {
            serde_json::json!({
                "id": id, "name": name, "version": "1.0.0", "source": source, "license": "MIT",
                "authors": [], "manifest_path": "/r/Cargo.toml", "targets": [{"kind": ["lib"]}],
            })
        };
        let dependency = |id: &str, target: Option<&str>| {
            let kinds = [serde_json::json!({"kind": null, "target": target})];
            serde_json::json!({"pkg": id, "dep_kinds": kinds})
        };
        let leaf = |id: &str| serde_json::json!({"id": id, "deps": []});
        let registry = Some("registry");
        let metadata = |root: &str| {
            let wasm = "cfg(target_family = \"wasm\")";
            let deps = [
                dependency("1", None),
                dependency("2", Some(wasm)),
                dependency("3", Some("cfg(unix)")),
            ];
            serde_json::json!({
                "packages": [
                    package("0", root, None), package("1", "everywhere", registry),
                    package("2", "in-pages", registry), package("3", "on-unix", registry),
                ],
                "resolve": {"nodes": [
                    {"id": "0", "deps": deps}, leaf("1"), leaf("2"), leaf("3"),
                ]},
                "workspace_members": ["0"],
            })
        };
        let lock = Lock::read(&cache::in_root("Cargo.lock")).unwrap();
        let names = |root: &str| {
            let found = contained(&metadata(root), &lock, root).unwrap();
            let mut names: Vec<_> = found.into_iter().map(|it| it.name).collect();
            names.sort();
            names
        };
        assert_eq!(names(PROGRAM), ["everywhere", "on-unix"]);
        assert_eq!(names("a-guest"), ["everywhere", "in-pages", "on-unix"]);
    }
}
