//! `parts`: packs the guests that ship beside the program, one file a part.
//!
//! A part is its pieces one after another: the machine code of its guests and their files. Nothing
//! in it says what lies where: `parts.toml` does, which is built into the program together with the
//! digest of the whole file. Some parts the program carries itself, compressed.

pub(crate) mod calls;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use calls::Processor;
use serde::Deserialize;
use toml::{Table, Value};

use crate::Command;
use crate::cache;
use crate::digest;
use crate::failure::{Failure, Outcome, flag_and_names, unknown_argument};
use crate::platform::Platform;
use crate::process;
use crate::sizes::NOT_SHIPPED;

pub(crate) const COMMAND: Command = Command {
    name: "parts",
    arguments: "[--pack]",
    about: "put guests that ship beside the program into files of their own, in guests/dist/parts",
    more: "guests/parts.toml says which. --pack compresses all, not only those that the program carries itself,\n\
        which takes minutes. A program that is built afterwards with the feature `embed` knows these very parts.",
    run,
};

/// Where machine code may begin: the largest pages of the systems that we know. It is run where it
/// lies.
const PAGE: usize = 64 << 10;

/// How zstd packs: as small as it can, which takes minutes and nothing where it is unpacked.
pub(crate) const LEVEL: &str = "-22";

/// Where other pieces begin.
const BLOCK: usize = 4 << 10;

/// A part in `guests/parts.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Definition {
    pub(crate) about: String,
    pub(crate) guests: Vec<String>,
    /// Whether the program carries it, compressed.
    #[serde(default)]
    pub(crate) carried: bool,
    /// Packages that it brings beside commands, as they are installed.
    #[serde(default)]
    packages: Vec<String>,
}

/// A part that was made.
pub(crate) struct Made {
    pub(crate) name: String,
    pub(crate) about: String,
    /// Whether the program carries it.
    pub(crate) is_carried: bool,
    /// The part without which it is of no use.
    pub(crate) needs: Option<String>,
    /// Its file, as it is.
    pub(crate) file: PathBuf,
    /// That file's digest.
    digest: String,
}

impl Made {
    /// The name of its compressed file.
    pub(crate) fn file_name(&self) -> String {
        format!("{}.part.zst", self.name)
    }

    /// Its compressed file.
    pub(crate) fn packed(&self) -> PathBuf {
        self.file.with_file_name(self.file_name())
    }
}

fn run(arguments: &[String]) -> Outcome {
    let (compress, names) = flag_and_names(arguments, "--pack", "parts")?;
    if let Some(name) = names.first() {
        return Err(unknown_argument(name, "parts"));
    }
    pack(&cache::in_root("guests/dist"), compress, Platform::host()?).map(drop)
}

/// Makes all parts for a debug build of the program with the feature `embed`, and puts those that
/// it does not carry beside it. The directory where that is.
pub(crate) fn bring() -> Outcome<PathBuf> {
    let built = cache::target().join("debug");
    cache::make_directory(&built)?;
    let parts = pack(&cache::in_root("guests/dist"), false, Platform::host()?)?;
    for part in parts.iter().filter(|part| !part.is_carried) {
        let beside = built.join(format!("{}.part", part.name));
        let _ = std::fs::remove_file(&beside);
        std::fs::hard_link(&part.file, &beside)
            .or_else(|_| std::fs::copy(&part.file, &beside).map(drop))
            .map_err(|error| Failure::file("copy", &part.file, error))?;
    }
    Ok(built)
}

/// Makes all parts of the guests in a directory, whose machine code is a platform's, compresses
/// those that the program carries, and if wanted the others as well.
pub(crate) fn pack(dist: &Path, compressed: bool, platform: &Platform) -> Outcome<Vec<Made>> {
    let list = cache::read_toml(&dist.join("guests.toml"))?;
    let guests = guests_in(&list);
    let definitions = definitions()?;
    refuse_guests_in_no_part(&definitions, &guests)?;
    let (mut described, mut made) = (Vec::new(), Vec::new());
    for (name, definition) in &definitions {
        let file = dist.join("parts").join(format!("{name}.part"));
        let (content, pieces) = join(dist, &files_of(name, definition, &guests, compiled)?)?;
        cache::write(&file, &content)?;
        println!("{name}: {} MB in {}", content.len() >> 20, file.display());
        let part = Made {
            name: name.clone(),
            about: definition.about.clone(),
            is_carried: definition.carried,
            needs: needed(definition, &definitions, &guests),
            file,
            digest: digest::of_bytes(&content),
        };
        if compressed || definition.carried {
            let base = made
                .iter()
                .find(|it: &&Made| part.needs.as_ref() == Some(&it.name));
            pack_once(&part, base, platform.processor())?;
        }
        described.push(describe(&part, definition, content.len(), pieces));
        made.push(part);
    }
    let mut table = Table::new();
    table.insert("part".into(), Value::Array(described));
    let text = format!("# Made by `cargo xtask parts`.\n\n{table}");
    cache::write(&dist.join("parts/parts.toml"), text.as_bytes())?;
    Ok(made)
}

fn guests_in(list: &Table) -> Vec<&Value> {
    let guests = list.get("guest").and_then(Value::as_array);
    guests.into_iter().flatten().collect()
}

/// A guest that ships has to be somewhere.
fn refuse_guests_in_no_part(
    definitions: &BTreeMap<String, Definition>,
    guests: &[&Value],
) -> Outcome {
    let in_parts: Vec<&String> = definitions.values().flat_map(|it| &it.guests).collect();
    let groups = guests.iter().map(|guest| text(guest, "group"));
    let mut shipped = groups.filter(|group| !NOT_SHIPPED.contains(&group.as_str()));
    match shipped.find(|group| !in_parts.contains(&group)) {
        Some(group) => Err(Failure::new(format!("the guest `{group}` is in no part"))
            .hint("name it in guests/parts.toml")),
        None => Ok(()),
    }
}

/// The part with the guest that one of these extends.
fn needed(
    definition: &Definition,
    definitions: &BTreeMap<String, Definition>,
    guests: &[&Value],
) -> Option<String> {
    let own = guests
        .iter()
        .filter(|guest| definition.guests.contains(&text(guest, "group")));
    let extended: Vec<String> = own.map(|guest| text(guest, "extends")).collect();
    let mut parts = definitions.iter();
    let found = parts.find(|(_, other)| other.guests.iter().any(|it| extended.contains(it)));
    found.map(|(name, _)| name.clone())
}

/// The parts, by name.
pub(crate) fn definitions() -> Outcome<BTreeMap<String, Definition>> {
    let path = cache::in_root("guests/parts.toml");
    let text = cache::read(&path)?;
    toml::from_str(&text).map_err(|error| Failure::file("read", &path, error))
}

fn text(guest: &Value, key: &str) -> String {
    let text = guest.get(key).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

/// The file with the machine code of a module.
fn compiled(module: &str) -> String {
    let file = Path::new(module).with_extension("cwasm");
    file.display().to_string()
}

/// The portable files of each part, by their names in `guests/dist`: modules in the place of their
/// machine code.
pub(crate) fn portable(dist: &Path) -> Outcome<Vec<(String, Vec<String>)>> {
    let list = cache::read_toml(&dist.join("guests.toml"))?;
    let guests = guests_in(&list);
    let parts = definitions()?;
    let parts = parts.iter().map(|(name, definition)| {
        let files = files_of(name, definition, &guests, str::to_owned)?;
        Ok((name.clone(), files))
    });
    parts.collect()
}

/// The files of a part's guests, by their names in `guests/dist`; `code` says which is the code of
/// a module.
fn files_of(
    name: &str,
    definition: &Definition,
    guests: &[&Value],
    code: fn(&str) -> String,
) -> Outcome<Vec<String>> {
    let mut pieces = Vec::new();
    for wanted in &definition.guests {
        let of_group = |guest: &&&Value| text(guest, "group") == *wanted;
        let found: Vec<&Value> = guests.iter().filter(of_group).copied().collect();
        if found.is_empty() {
            return Err(Failure::new(format!(
                "the part `{name}` is to have the guest `{wanted}`, which is not built"
            ))
            .hint(format!("`cargo xtask guests --only {wanted}` builds it")));
        }
        for guest in found {
            pieces.push(code(&text(guest, "file")));
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
fn describe(made: &Made, definition: &Definition, bytes: usize, pieces: Table) -> Value {
    let mut part = Table::new();
    part.insert("name".into(), made.name.clone().into());
    part.insert("about".into(), made.about.clone().into());
    part.insert("guests".into(), definition.guests.clone().into());
    part.insert("carried".into(), definition.carried.into());
    part.insert("packages".into(), definition.packages.clone().into());
    part.insert("bytes".into(), integer(bytes));
    part.insert("digest".into(), made.digest.clone().into());
    part.insert("pieces".into(), pieces.into());
    Value::Table(part)
}

/// Compresses a part, as the difference from the one that it needs, or takes what was made of the
/// same content before.
fn pack_once(part: &Made, base: Option<&Made>, processor: Processor) -> Outcome {
    let directory = cache::directory()?.join("packed");
    cache::make_directory(&directory)?;
    let form = base.map_or("calls", |base| &base.digest[..16]);
    let name = format!("{}-{}-{form}{LEVEL}.zst", part.name, &part.digest[..16]);
    let kept = directory.join(name);
    if !kept.exists() {
        let fresh = kept.with_extension(format!("{}.tmp", std::process::id()));
        match base {
            Some(base) => compress(&part.file, &fresh, Some(&base.file))?,
            None => compress_with_calls(&part.file, &fresh, processor)?,
        }
        cache::put_in_place(&fresh, &kept)?;
    }
    let packed = std::fs::read(&kept).map_err(|error| Failure::file("read", &kept, error))?;
    println!("{}: {} KB packed", part.name, packed.len() / 1000);
    cache::write(&part.packed(), &packed)
}

/// Compresses a part with calls that say where they lead.
fn compress_with_calls(file: &Path, packed: &Path, processor: Processor) -> Outcome {
    let mut content = std::fs::read(file).map_err(|error| Failure::file("read", file, error))?;
    calls::absolute(processor, &mut content);
    let changed = packed.with_extension("calls");
    cache::write(&changed, &content)?;
    drop(content);
    compress(&changed, packed, None)?;
    std::fs::remove_file(&changed).map_err(|error| Failure::file("remove", &changed, error))
}

/// As small as it gets in minutes.
fn compress(file: &Path, packed: &Path, base: Option<&Path>) -> Outcome {
    let mut zstd = process::program("zstd").args(["--quiet", "--force", "--ultra", LEVEL]);
    zstd = match base {
        // Machine code has its likeness anywhere in the base: tables remember all of it.
        Some(base) => zstd
            .args(["--single-thread", "--long=29"])
            .arg("--zstd=chainLog=28,hashLog=27")
            .arg(format!("--patch-from={}", base.display())),
        None => zstd.args(["-T0", "--long=27"]),
    };
    zstd.arg("-o")
        .arg(packed)
        .arg(file)
        .hint("`cargo xtask setup` brings it (Debian: package zstd)")
        .run()
}
