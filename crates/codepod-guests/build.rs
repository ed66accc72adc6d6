//! Turns `guests/dist/guests.toml` into a table. Without it the table is empty, and using a guest
//! says how to build them: the crates below the guests must compile without them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
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
    /// Files of the base image: their paths there, and their names beside the list.
    #[serde(default)]
    files: BTreeMap<String, String>,
}

fn main() {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let dist = env::var_os("CODEPOD_GUESTS_DIR")
        .map_or_else(|| manifest.join("../../guests/dist"), PathBuf::from);
    let index = dist.join("guests.toml");
    println!("cargo:rerun-if-env-changed=CODEPOD_GUESTS_DIR");
    // All of it: modules are embedded by what was found beside them, and a stale program is hard to
    // notice.
    println!("cargo:rerun-if-changed={}", dist.display());
    let guests = match fs::read_to_string(&index) {
        Ok(text) => {
            toml::from_str::<Index>(&text)
                .expect("guests.toml is what `cargo xtask guests` wrote")
                .guest
        }
        Err(_) => {
            println!(
                "cargo:warning=no guests are built: run `cargo xtask guests` (`--only shell,toolbox` takes minutes)"
            );
            Vec::new()
        }
    };
    let mut code = String::from("pub(crate) static GUESTS: &[Guest] = &[\n");
    for guest in &guests {
        let built = |name: &str| {
            let path = dist.join(name).canonicalize();
            path.expect("everything in guests.toml is there")
        };
        let path = built(&guest.file);
        let [compiled, packed] = ["cwasm", "wasm.zst"].map(|other| path.with_extension(other));
        let path = path.to_str().expect("a path in UTF-8");
        let module = if compiled.exists() && packed.exists() {
            format!("module!({path:?}, {packed:?}, {compiled:?})")
        } else {
            format!("module!({path:?})")
        };
        let files = guest.files.iter();
        let files: String = files
            .map(|(path, name)| format!("({path:?}, module!({:?})), ", built(name)))
            .collect();
        let about: Vec<(&String, &String)> = guest.about.iter().collect();
        writeln!(
            code,
            "    Guest {{ name: {:?}, group: {:?}, grants: &{:?}, commands: &{:?}, about: &{about:?}, files: &[{files}], code: {module} }},",
            guest.name, guest.group, guest.grants, guest.commands,
        )
        .expect("a String takes all");
    }
    code.push_str("];\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("guests.rs");
    fs::write(out, code).expect("OUT_DIR can be written");
}
