//! `parts`: packs the guests that ship beside the program, one file a part.
//!
//! A part is its pieces one after another: the machine code of its guests and their files. Nothing
//! in it says what lies where: `parts.toml` does, which is built into the program together with the
//! digest of the whole file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::{Table, Value};

use crate::Command;
use crate::cache;
use crate::digest;
use crate::failure::{Failure, Outcome, flag_and_names, unknown_argument};
use crate::process;

pub(crate) const COMMAND: Command = Command {
    name: "parts",
    arguments: "[--pack]",
    about: "put guests that ship beside the program into files of their own, in guests/dist/parts",
    more: "guests/parts.toml says which. --pack compresses them as well, which takes minutes.\n\
        A program that is built afterwards with the feature `embed` knows these very files.",
    run,
};

/// Where machine code may begin: the largest pages of the systems that we know. It is run where it
/// lies.
const PAGE: usize = 64 << 10;

/// Where other pieces begin.
const BLOCK: usize = 4 << 10;

/// A part in `guests/parts.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Definition {
    about: String,
    guests: Vec<String>,
}

fn run(arguments: &[String]) -> Outcome {
    let (pack, names) = flag_and_names(arguments, "--pack", "parts")?;
    if let Some(name) = names.first() {
        return Err(unknown_argument(name, "parts"));
    }
    let dist = cache::in_root("guests/dist");
    let list = cache::read_toml(&dist.join("guests.toml"))?;
    let guests = list.get("guest").and_then(Value::as_array);
    let guests: Vec<&Value> = guests.into_iter().flatten().collect();
    let mut described = Vec::new();
    for (name, definition) in definitions()? {
        let file = dist.join("parts").join(format!("{name}.part"));
        let (content, pieces) = join(&dist, &pieces_of(&name, &definition, &guests)?)?;
        cache::write(&file, &content)?;
        described.push(describe(&name, definition, &content, pieces));
        println!("{name}: {} MB in {}", content.len() >> 20, file.display());
        if pack {
            compress(&file)?;
        }
    }
    let mut table = Table::new();
    table.insert("part".into(), Value::Array(described));
    let text = format!("# Made by `cargo xtask parts`.\n\n{table}");
    cache::write(&dist.join("parts/parts.toml"), text.as_bytes())
}

fn definitions() -> Outcome<BTreeMap<String, Definition>> {
    let path = cache::in_root("guests/parts.toml");
    let text = cache::read(&path)?;
    toml::from_str(&text).map_err(|error| Failure::file("read", &path, error))
}

/// The files of a part's guests, by their names in `guests/dist`.
fn pieces_of(name: &str, definition: &Definition, guests: &[&Value]) -> Outcome<Vec<String>> {
    let text = |guest: &Value, key: &str| guest.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut pieces = Vec::new();
    for wanted in &definition.guests {
        let of_group = |guest: &&&Value| text(guest, "group").as_ref() == Some(wanted);
        let found: Vec<&Value> = guests.iter().filter(of_group).copied().collect();
        if found.is_empty() {
            return Err(Failure::new(format!(
                "the part `{name}` is to have the guest `{wanted}`, which is not built"
            ))
            .hint(format!("`cargo xtask guests --only {wanted}` builds it")));
        }
        for guest in found {
            let module = text(guest, "file").unwrap_or_default();
            pieces.push(
                Path::new(&module)
                    .with_extension("cwasm")
                    .display()
                    .to_string(),
            );
            let files = guest.get("files").and_then(Value::as_table);
            let files = files.into_iter().flat_map(Table::values);
            pieces.extend(files.filter_map(|file| Some(file.as_str()?.to_owned())));
        }
    }
    Ok(pieces)
}

/// The content of a part, and where each piece begins and how long it is.
fn join(dist: &Path, pieces: &[String]) -> Outcome<(Vec<u8>, Table)> {
    let mut content = Vec::new();
    let mut places = Table::new();
    for name in pieces {
        let file = dist.join(name);
        let piece = std::fs::read(&file).map_err(|error| Failure::file("read", &file, error))?;
        let step = if name.ends_with(".cwasm") {
            PAGE
        } else {
            BLOCK
        };
        content.resize(content.len().next_multiple_of(step), 0);
        let place = [content.len(), piece.len()].map(integer);
        places.insert(name.clone(), Value::Array(place.to_vec()));
        content.extend_from_slice(&piece);
    }
    Ok((content, places))
}

fn integer(number: usize) -> Value {
    Value::from(i64::try_from(number).unwrap_or(i64::MAX))
}

/// A part's entry in `parts.toml`.
fn describe(name: &str, definition: Definition, content: &[u8], pieces: Table) -> Value {
    let mut part = Table::new();
    part.insert("name".into(), name.into());
    part.insert("about".into(), definition.about.into());
    part.insert("guests".into(), definition.guests.into());
    part.insert("bytes".into(), integer(content.len()));
    part.insert("digest".into(), digest::of_bytes(content).into());
    part.insert("pieces".into(), pieces.into());
    Value::Table(part)
}

/// Makes `FILE.zst`, as small as it gets in minutes.
fn compress(file: &Path) -> Outcome {
    let packed = PathBuf::from(format!("{}.zst", file.display()));
    process::program("zstd")
        .args(["--quiet", "--force", "-19", "--long=27", "-T0", "-o"])
        .arg(&packed)
        .arg(file)
        .hint("`cargo xtask setup` brings it (Debian: package zstd)")
        .run()?;
    let length = packed.metadata().map_or(0, |metadata| metadata.len());
    println!("{}: {} KB", packed.display(), length >> 10);
    Ok(())
}
