//! Turns `guests/dist/guests.toml`, and with the feature `embed` the list of packed parts beside
//! it, into tables. Without them the tables are empty, and using a guest says how to build them:
//! the crates below the guests must compile without them.

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
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let dist = env::var_os("CODEPOD_GUESTS_DIR")
        .map_or_else(|| manifest.join("../../guests/dist"), PathBuf::from);
    println!("cargo:rerun-if-env-changed=CODEPOD_GUESTS_DIR");
    // All of it: modules are embedded by what was found beside them, and a stale program is hard to
    // notice.
    println!("cargo:rerun-if-changed={}", dist.display());
    let Some(Index { guest: guests }) = read(&dist.join("guests.toml")) else {
        println!(
            "cargo:warning=no guests are built: run `cargo xtask guests` (`--only shell,toolbox` takes minutes)"
        );
        return write("", "");
    };
    let feature = |name: &str| env::var_os(format!("CARGO_FEATURE_{name}")).is_some();
    let parts = match feature("EMBED") && !feature("EMBED_ALL") {
        true => read::<Parts>(&dist.join("parts/parts.toml")).unwrap_or_else(|| {
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

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Option<T> {
    let text = fs::read_to_string(path).ok()?;
    Some(toml::from_str(&text).expect("a list is what `cargo xtask` wrote"))
}

/// A guest in a table.
fn entry(guest: &Guest, code: &str, place: impl Fn(&str) -> String) -> String {
    let files = guest.files.iter();
    let files: String = files
        .map(|(path, name)| format!("({path:?}, {}), ", place(name)))
        .collect();
    let about: Vec<(&String, &String)> = guest.about.iter().collect();
    format!(
        "    Guest {{ name: {:?}, group: {:?}, extends: {:?}, grants: &{:?}, commands: &{:?}, about: &{about:?}, files: &[{files}], code: {code} }},\n",
        guest.name, guest.group, guest.extends, guest.grants, guest.commands,
    )
}

/// The packed part, if the program carries it.
fn carried(dist: &Path, part: &Part) -> String {
    if !part.carried {
        return "None".to_owned();
    }
    let file = dist.join(format!("parts/{}.part.zst", part.name));
    let file = file.canonicalize().expect("`cargo xtask parts` packs it");
    format!("Some(include_bytes!({file:?}))")
}

/// A module or file that the program carries, or reads from where it was built.
fn module(dist: &Path, name: &str) -> String {
    let path = dist.join(name).canonicalize();
    let path = path.expect("everything in guests.toml is there");
    let [compiled, portable] = ["cwasm", "wasm.zst"].map(|other| path.with_extension(other));
    let path = path.to_str().expect("a path in UTF-8");
    match name.ends_with(".wasm") && compiled.exists() && portable.exists() {
        true => format!("module!({path:?}, compiled {compiled:?}, portable {portable:?})"),
        false => format!("module!({path:?})"),
    }
}

fn write(guests: &str, parts: &str) {
    let code = format!(
        "pub(crate) static GUESTS: &[Guest] = &[\n{guests}];\n\
         pub(crate) static PARTS: &[Part] = &[\n{parts}];\n"
    );
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("guests.rs");
    fs::write(out, code).expect("OUT_DIR can be written");
}
