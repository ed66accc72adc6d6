//! Turns `guests/dist/guests.toml`, and with the feature `embed` the list of packed parts beside
//! it, into tables. Without them the tables are empty, and using a guest says how to build them:
//! the crates below the guests must compile without them. For WebAssembly there is one table, of
//! guests without their code.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

#[derive(serde::Deserialize)]
struct Index {
    #[serde(default)]
    guest: Vec<Guest>,
}

#[derive(serde::Deserialize)]
struct Guest {
    name: String,
    file: String,
    grants: Vec<String>,
    commands: Vec<String>,
    #[serde(default)]
    about: BTreeMap<String, String>,
    #[serde(default)]
    group: String,
    /// The group whose commands it takes over.
    extends: Option<String>,
    /// Files of the base image: their paths there, and their names beside the list.
    #[serde(default)]
    files: BTreeMap<String, String>,
}

#[derive(Default, serde::Deserialize)]
struct Parts {
    #[serde(default)]
    part: Vec<Part>,
}

/// A part as `cargo xtask parts` has packed it.
#[derive(serde::Deserialize)]
struct Part {
    name: String,
    about: String,
    bytes: u64,
    digest: String,
    /// Whether the program carries it, packed.
    #[serde(default)]
    carried: bool,
    /// The groups of its guests.
    guests: Vec<String>,
    /// Packages that it brings beside commands.
    packages: Vec<String>,
    /// What lies where in it: a file beside the list of guests, where it begins and its length.
    pieces: BTreeMap<String, (usize, usize)>,
}

fn main() {
    let dist = Dist::find();
    let Some(Index { guest: guests }) = dist.list("guests.toml") else {
        println!(
            "cargo:warning=no guests are built: run `cargo xtask guests` (`--only shell,toolbox` takes minutes)"
        );
        return match is_wasm() {
            true => write_listed(&[]),
            false => write("", ""),
        };
    };
    if is_wasm() {
        return write_listed(&guests);
    }
    let embeds = dist.is_released || has_feature("embed");
    let parts = match embeds && !has_feature("embed-all") {
        true => dist.list::<Parts>("parts/parts.toml").unwrap_or_else(|| {
            println!("cargo:warning=no parts are packed: run `cargo xtask parts`");
            Parts::default()
        }),
        false => Parts::default(),
    };
    let mut beside = String::new();
    let mut inside = String::new();
    for guest in &guests {
        let part = parts
            .part
            .iter()
            .find(|part| part.guests.contains(&guest.group));
        // Where there are parts, only what tests use is in none.
        if part.is_none() && parts.part.is_empty() {
            inside += &entry(guest, &module(&dist, &guest.file), |name| {
                module(&dist, name)
            });
        }
    }
    for part in &parts.part {
        let piece = |name: &str| {
            let (at, bytes) = part
                .pieces
                .get(name)
                .expect("the part has all of its guests");
            format!("StaticCode::InPart {{ at: {at}, bytes: {bytes} }}")
        };
        let of_part = guests
            .iter()
            .filter(|guest| part.guests.contains(&guest.group));
        let of_part: String = of_part
            .map(|guest| {
                let code = Path::new(&guest.file).with_extension("cwasm");
                entry(guest, &piece(&code.to_string_lossy()), piece)
            })
            .collect();
        writeln!(
            beside,
            "    Part {{ name: {:?}, about: {:?}, bytes: {}, digest: {:?}, carried: {}, packages: &{:?}, guests: &[\n{of_part}] }},",
            part.name, part.about, part.bytes, part.digest, carried(&dist, part), part.packages,
        )
        .expect("a String takes all");
    }
    write(&inside, &beside);
}

/// Where the guests are that were built.
struct Dist {
    directories: Vec<PathBuf>,
    /// Whether they are in crates of a release, which add themselves to this one's dependencies.
    is_released: bool,
}

impl Dist {
    /// What a variable names, the data crates of a release, or the checkout.
    fn find() -> Dist {
        println!("cargo:rerun-if-env-changed=CODEPOD_GUESTS_DIR");
        let crates: Vec<PathBuf> = env::vars_os()
            .filter(|(name, _)| name.to_string_lossy().starts_with("DEP_CODEPOD_DATA_"))
            .map(|(_, directory)| PathBuf::from(directory))
            .collect();
        let set = env::var_os("CODEPOD_GUESTS_DIR").map(PathBuf::from);
        let is_released = set.is_none() && !crates.is_empty();
        let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
        let directories = match set {
            Some(set) => vec![set],
            None if is_released => crates,
            None => vec![manifest.join("../../guests/dist")],
        };
        // All of it: modules are embedded by what was found beside them, and a stale program is
        // hard to notice.
        for directory in &directories {
            println!("cargo:rerun-if-changed={}", directory.display());
        }
        Dist {
            directories,
            is_released,
        }
    }

    /// A file in one of the directories.
    fn file(&self, name: &str) -> Option<PathBuf> {
        let mut places = self.directories.iter();
        places.find_map(|place| place.join(name).canonicalize().ok())
    }

    fn list<T: serde::de::DeserializeOwned>(&self, name: &str) -> Option<T> {
        let text = fs::read_to_string(self.file(name)?).ok()?;
        Some(toml::from_str(&text).expect("a list is what `cargo xtask` wrote"))
    }

    /// The file of a packed part. Crates have at most ten megabytes: what is larger is in several,
    /// and joined here.
    fn packed(&self, part: &str) -> Option<PathBuf> {
        let name = format!("parts/{part}.part.zst");
        let pieces = (1..).map_while(|number| self.file(&format!("{name}.{number}")));
        let pieces: Vec<PathBuf> = pieces.collect();
        if pieces.is_empty() {
            return self.file(&name);
        }
        let read = |piece| fs::read(piece).expect("it was there just now");
        let whole: Vec<Vec<u8>> = pieces.iter().map(read).collect();
        let out = out_directory().join(format!("{part}.part.zst"));
        fs::write(&out, whole.concat()).expect("OUT_DIR can be written");
        Some(out)
    }
}

fn has_feature(name: &str) -> bool {
    let name = name.to_uppercase().replace('-', "_");
    env::var_os(format!("CARGO_FEATURE_{name}")).is_some()
}

fn out_directory() -> PathBuf {
    PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"))
}

/// Whether the crate is built for an engine outside of this process's.
fn is_wasm() -> bool {
    env::var("CARGO_CFG_TARGET_FAMILY")
        .is_ok_and(|families| families.split(',').any(|it| it == "wasm"))
}

/// A guest in a table.
fn entry(guest: &Guest, code: &str, place: impl Fn(&str) -> String) -> String {
    let files = guest.files.iter();
    let files: String = files
        .map(|(path, name)| format!("({path:?}, {}), ", place(name)))
        .collect();
    format!(
        "    Guest {{ {}, files: &[{files}], code: {code} }},\n",
        listed(guest)
    )
}

/// What is known of a guest apart from its code.
fn listed(guest: &Guest) -> String {
    let about: Vec<(&String, &String)> = guest.about.iter().collect();
    format!(
        "name: {:?}, group: {:?}, extends: {:?}, grants: &{:?}, commands: &{:?}, about: &{about:?}",
        guest.name, guest.group, guest.extends, guest.grants, guest.commands,
    )
}

/// The packed part, if the program carries it: always, or because a feature of its name is on.
fn carried(dist: &Dist, part: &Part) -> String {
    if !part.carried && !has_feature(&part.name) {
        return "None".to_owned();
    }
    let file = dist.packed(&part.name);
    let file = file.expect("`cargo xtask parts --pack` packs it");
    format!("Some(include_bytes!({file:?}))")
}

/// A module or file that the program carries, or reads from where it was built.
fn module(dist: &Dist, name: &str) -> String {
    let path = dist.file(name).expect("everything in guests.toml is there");
    let [compiled, portable] = ["cwasm", "wasm.zst"].map(|other| path.with_extension(other));
    let path = path.to_str().expect("a path in UTF-8");
    match name.ends_with(".wasm") && compiled.exists() && portable.exists() {
        true => format!("module!({path:?}, compiled {compiled:?}, portable {portable:?})"),
        false => format!("module!({path:?})"),
    }
}

/// The table for WebAssembly. A guest that needs files of its own would be there without them, so
/// it is not.
fn write_listed(guests: &[Guest]) {
    let whole = guests.iter().filter(|guest| guest.files.is_empty());
    let table: String = whole
        .map(|guest| format!("    Guest {{ {} }},\n", listed(guest)))
        .collect();
    write_out(&format!("static GUESTS: &[Guest] = &[\n{table}];\n"));
}

fn write(guests: &str, parts: &str) {
    write_out(&format!(
        "pub(crate) static GUESTS: &[Guest] = &[\n{guests}];\n\
         pub(crate) static PARTS: &[Part] = &[\n{parts}];\n"
    ));
}

fn write_out(code: &str) {
    fs::write(out_directory().join("guests.rs"), code).expect("OUT_DIR can be written");
}
