//! `sbom`: the software bill of materials of what is published, as CycloneDX 1.6.
//!
//! One document for the program and all parts: who contains what is in its `dependencies`. The
//! components are those of THIRD-PARTY-NOTICES, for all platforms together. Nothing in it depends
//! on the time or on the machine, and its serial number is derived from its content.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};

use crate::Command;
use crate::cache;
use crate::digest;
use crate::failure::{Failure, Outcome, unknown_argument};
use crate::notices::{self, Component, Product};
use crate::parts::{self, Definition};
use crate::versions::VERSION;

pub(crate) const COMMAND: Command = Command {
    name: "sbom",
    arguments: "[FILE]",
    about: "write the bill of materials (CycloneDX) of the program and its parts",
    more: "Without FILE it goes to dist/codepod-VERSION.cdx.json. `cargo xtask dist` writes it as well.",
    run,
};

/// Its name among what is published.
pub(crate) fn file_name() -> String {
    format!("codepod-{VERSION}.cdx.json")
}

fn run(arguments: &[String]) -> Outcome {
    match arguments {
        [] => write(&cache::in_root("dist").join(file_name())),
        [file] if !file.starts_with('-') => write(&cache::in_root(file)),
        [first] => Err(unknown_argument(first, "sbom")),
        [_, second, ..] => Err(unknown_argument(second, "sbom")),
    }
}

/// Writes the document.
pub(crate) fn write(file: &Path) -> Outcome {
    let products = notices::by_product()?;
    let document = document(&products, &parts::definitions()?, &notices::licences()?)?;
    let text = serde_json::to_string_pretty(&document)
        .map_err(|error| Failure::file("write", file, error))?;
    println!("sbom: {}", file.display());
    cache::write(file, format!("{text}\n").as_bytes())
}

fn document(
    products: &[Product],
    parts: &BTreeMap<String, Definition>,
    licences: &BTreeMap<String, String>,
) -> Outcome<Value> {
    let mut components = BTreeMap::new();
    for component in products.iter().flat_map(|it| &it.components) {
        if let Some(earlier) = components.insert(component.purl(), described(component, licences)?)
            && earlier["name"] != component.name.as_str()
        {
            let (purl, name) = (component.purl(), &component.name);
            return Err(Failure::new(format!(
                "`{name}` and {} are both `{purl}`",
                earlier["name"]
            )));
        }
    }
    let program = own("codepod", "application", "a computer for every AI agent");
    let of_parts = parts
        .iter()
        .map(|(name, part)| own(&part_name(name), "library", &part.about));
    let listed: Vec<Value> = of_parts.chain(components.into_values()).collect();
    let mut document = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": { "component": program },
        "components": listed,
        "dependencies": dependencies(products, parts),
    });
    document["serialNumber"] = serial_number(&document).into();
    Ok(document)
}

fn part_name(part: &str) -> String {
    format!("codepod-{part}")
}

fn reference(name: &str) -> String {
    format!("pkg:generic/{name}@{VERSION}")
}

/// A component of ours.
fn own(name: &str, kind: &str, about: &str) -> Value {
    json!({
        "type": kind,
        "bom-ref": reference(name),
        "name": name,
        "version": VERSION,
        "description": about,
        "licenses": [{ "expression": "MIT OR Apache-2.0" }],
        "purl": reference(name),
    })
}

/// A component of others. Sources with changes of ours say where the changes are.
fn described(component: &Component, licences: &BTreeMap<String, String>) -> Outcome<Value> {
    let title = component.title();
    let licence = licences.get(&title).filter(|it| is_expression(it));
    let licence = licence.ok_or_else(|| {
        Failure::new(format!("no SPDX expression is known for `{title}`"))
            .hint("name its licence in xtask/src/notices/components.rs, then `cargo xtask notices`")
    })?;
    let purl = component.purl();
    let mut described = json!({
        "type": "library",
        "bom-ref": purl,
        "name": component.name,
        "licenses": [{ "expression": licence }],
        "purl": purl,
    });
    if !component.version.is_empty() {
        described["version"] = component.version.as_str().into();
    }
    if let Some(sha256) = component.sha256() {
        described["hashes"] = json!([hash(sha256)]);
    }
    if let Some(source) = component.source() {
        let archive = |(url, sha256): (String, &str)| json!({ "type": "source-distribution", "url": url, "hashes": [hash(sha256)] });
        described["externalReferences"] = source.archives().map(archive).collect();
        let patches = source.patches().iter().map(|file| {
            let path = file.strip_prefix(cache::root()).unwrap_or(file);
            json!({ "type": "unofficial", "diff": { "url": path.display().to_string() } })
        });
        let patches: Vec<Value> = patches.collect();
        if !patches.is_empty() {
            described["pedigree"] = json!({ "patches": patches });
        }
    }
    Ok(described)
}

fn hash(sha256: &str) -> Value {
    json!({ "alg": "SHA-256", "content": sha256 })
}

/// Whether a text has the form of an SPDX expression: identifiers with an operator between each
/// two.
fn is_expression(text: &str) -> bool {
    let text = text.replace(['(', ')'], " ");
    let mut words = text.split_whitespace();
    let is_operator = |word: &str| ["AND", "OR", "WITH"].contains(&word);
    let is_identifier = |word: &str| {
        let mut characters = word.chars();
        characters
            .next()
            .is_some_and(|it| it.is_ascii_alphanumeric())
            && characters.all(|it| it.is_ascii_alphanumeric() || "-.+".contains(it))
            && !is_operator(word)
    };
    loop {
        match (words.next().is_some_and(is_identifier), words.next()) {
            (false, _) => return false,
            (true, None) => return true,
            (true, Some(word)) if is_operator(word) => {}
            (true, Some(_)) => return false,
        }
    }
}

/// Who contains what. The program has the parts that it carries, and a part those that its guests
/// extend.
fn dependencies(products: &[Product], parts: &BTreeMap<String, Definition>) -> Vec<Value> {
    let mut of_program = BTreeSet::new();
    let mut of_parts: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let part_of = |guest: &str| {
        let mut holders = parts
            .iter()
            .filter(|(_, it)| it.guests.iter().any(|own| own == guest));
        holders.next().map(|(name, _)| name.as_str())
    };
    for product in products {
        let contained = match product.guest.as_deref().map(part_of) {
            None => &mut of_program,
            Some(Some(part)) => of_parts.entry(part).or_default(),
            Some(None) => continue,
        };
        contained.extend(product.components.iter().map(Component::purl));
        let extended = product.extends.as_deref().and_then(part_of);
        contained.extend(extended.map(|part| reference(&part_name(part))));
    }
    let carried = parts.iter().filter(|(_, part)| part.carried);
    of_program.extend(carried.map(|(name, _)| reference(&part_name(name))));
    let depends =
        |name: &str, on: BTreeSet<String>| json!({ "ref": reference(name), "dependsOn": on });
    let of_parts = of_parts.into_iter();
    std::iter::once(depends("codepod", of_program))
        .chain(of_parts.map(|(part, on)| depends(&part_name(part), on)))
        .collect()
}

/// A UUID of version 8, whose other bits are those of the content's digest.
fn serial_number(document: &Value) -> String {
    let digest = digest::of_bytes(document.to_string().as_bytes());
    format!(
        "urn:uuid:{}-{}-8{}-8{}-{}",
        &digest[..8],
        &digest[8..12],
        &digest[12..15],
        &digest[15..18],
        &digest[18..30]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn real() -> Value {
        let products = notices::by_product().unwrap();
        let parts = parts::definitions().unwrap();
        document(&products, &parts, &notices::licences().unwrap()).unwrap()
    }

    #[test]
    fn the_document_is_the_same_each_time_and_names_no_machine() {
        let (first, second) = (real().to_string(), real().to_string());
        assert_eq!(first, second);
        assert!(!first.contains(&cache::root().display().to_string()));
    }

    #[test]
    fn every_reference_leads_to_one_component() {
        let document = real();
        let components = document["components"].as_array().unwrap();
        let mut known: BTreeSet<&str> = components
            .iter()
            .map(|it| it["bom-ref"].as_str().unwrap())
            .collect();
        assert_eq!(known.len(), components.len());
        known.insert(
            document["metadata"]["component"]["bom-ref"]
                .as_str()
                .unwrap(),
        );
        for entry in document["dependencies"].as_array().unwrap() {
            assert!(known.contains(entry["ref"].as_str().unwrap()), "{entry}");
            for on in entry["dependsOn"].as_array().unwrap() {
                assert!(known.contains(on.as_str().unwrap()), "{on}");
            }
        }
    }

    #[test]
    fn parts_have_their_packages_and_crates_their_digests() {
        let document = real();
        let of = |name: &str| {
            let entries = document["dependencies"].as_array().unwrap().iter();
            let mut found = entries.filter(|it| it["ref"] == reference(name).as_str());
            found.next().unwrap()["dependsOn"].to_string()
        };
        assert!(of("codepod-science").contains("pkg:pypi/numpy@"));
        assert!(of("codepod-science").contains("codepod-python"));
        assert!(!of("codepod-python").contains("pkg:pypi/numpy@"));
        assert!(of("codepod").contains("pkg:cargo/wasmtime@"));
        assert!(of("codepod").contains("codepod-core"));
        let components = document["components"].as_array().unwrap();
        let crates = components.iter().filter(|it| {
            let purl = it["purl"].as_str().unwrap();
            purl.starts_with("pkg:cargo/") && it["externalReferences"].is_null()
        });
        for one in crates {
            let digest = one["hashes"][0]["content"].as_str();
            assert_eq!(digest.map(str::len), Some(64), "{one}");
        }
    }

    #[test]
    fn expressions_are_told_from_words() {
        for right in [
            "MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "A WITH b OR C",
        ] {
            assert!(is_expression(right), "{right}");
        }
        for wrong in [
            "",
            "MIT License",
            "MIT OR",
            "====",
            "Copyright (c) 2014, Nucleic",
            "OR MIT",
        ] {
            assert!(!is_expression(wrong), "{wrong}");
        }
    }
}
