//! Licence files in archives: wheels, crates, packages of npm, and archives of sources.

use std::path::Path;

use serde::Deserialize;

use super::texts::{self, Text};
use crate::failure::{Failure, Outcome};
use crate::process;

/// Prints what is wanted of an archive as JSON. Python reads every kind that there is.
const SCRIPT: &str = r#"
import json, re, sys, tarfile, zipfile
path = sys.argv[1]
if zipfile.is_zipfile(path):
    archive = zipfile.ZipFile(path)
    names, read = archive.namelist(), archive.read
else:
    archive = tarfile.open(path)
    names = [member.name for member in archive if member.isfile()]
    read = lambda name: archive.extractfile(name).read()
licence = None
for name in names:
    if re.fullmatch(r"[^/]*(\.dist-info/METADATA|/PKG-INFO)", name):
        head = read(name).decode().split("\n\n")[0]
        for pattern in (r"License-Expression: (.*)", r"License: (\S.*)", r"Classifier: License :: (?:OSI Approved :: )?(.*)"):
            if licence is None and (found := re.search("^" + pattern, head, re.M)):
                licence = found[1].strip()
    if re.fullmatch(r"[^/]*/Cargo\.toml", name) and (found := re.search(r'^license = "(.*)"', read(name).decode(), re.M)):
        licence = found[1]
    if name == "package/package.json" and isinstance(found := json.loads(read(name)).get("license"), str):
        licence = found
begins = tuple(sys.argv[2:])
files = {name: read(name).decode(errors="replace") for name in sorted(names) if name.rsplit("/")[-1].lower().startswith(begins)}
print(json.dumps({"licence": licence, "files": files}))
"#;

/// What an archive says of itself.
#[derive(Deserialize)]
pub(super) struct Told {
    licence: Option<String>,
    files: std::collections::BTreeMap<String, String>,
}

impl Told {
    /// Reads an archive.
    pub(super) fn of(path: &Path) -> Outcome<Told> {
        let text = process::program("python3")
            .args(["-c", SCRIPT])
            .arg(path)
            .args(texts::BEGINS)
            .output()?;
        serde_json::from_str(&text).map_err(|error| Failure::file("use", path, error))
    }

    /// Its licence, in its own words, and the texts by their paths in the archive.
    pub(super) fn into_parts(self) -> (Option<String>, Vec<(String, Text)>) {
        let inside = |name: &str| name.split_once('/').map_or("", |(_, rest)| rest).to_owned();
        let is_licence = |(name, _): &(String, String)| {
            texts::is_licence(name.rsplit('/').next().unwrap_or_default())
        };
        let texts = self
            .files
            .into_iter()
            .filter(is_licence)
            .map(|(name, text)| (inside(&name), Text::new(&text)))
            .collect();
        (self.licence, texts)
    }
}
