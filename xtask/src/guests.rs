//! `guests`: builds what runs inside the sandbox and lists it in `guests/dist/guests.toml`.
//!
//! Every member of the guests' workspace with a `guest.toml` is a guest. Its modules are built for
//! `wasm32-wasip1` with flags that keep the machine's paths out of them, and kept in the cache under the
//! digest of everything they are made from; a second run only copies.

mod script;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use codepod_abi::Grant;
use toml::{Table, Value};

use crate::Command;
use crate::cache;
use crate::digest::{self, Digest};
use crate::failure::{Failure, Outcome, unknown_argument};
use crate::lock::Lock;
use crate::metadata::{self, Package};
use crate::process::{self, Process};
use crate::sizes;
use crate::wasm;

pub(crate) const COMMAND: Command = Command {
    name: "guests",
    arguments: "[--verify-reproducible] [--only NAME,… | NAME…]",
    about: "build the guests into guests/dist",
    more: "NAME is a guest's name in its `guest.toml`; without one, all are built, Python for most of the time.\n\
        `--only shell,toolbox,coreutils` gives a sandbox with a shell and the usual tools in a few minutes.\n\
        Results are kept in the cache by the digest of their inputs.\n\
        --verify-reproducible builds copies of the sources in two directories and compares the modules.",
    run,
};

/// The target that all guests are built for.
pub(crate) const TARGET: &str = "wasm32-wasip1";
/// The custom section in which a module names its commands, one a line: the name, and behind a tab what it does.
const COMMANDS_SECTION: &str = "codepod.commands";
/// How many builds of guests the cache keeps.
const KEPT_BUILDS: usize = 120;

/// A guest: a package and what its `guest.toml` says.
struct Guest {
    name: String,
    package: String,
    /// Binaries that become modules.
    modules: Vec<String>,
    grants: Vec<String>,
    /// The profile of the guests' workspace that it is built in.
    profile: String,
    /// Options of `wasm-opt`, where its modules go through that.
    wasm_opt: Option<String>,
    /// Features of the target beyond the usual, as rustc takes them.
    target_features: Option<String>,
    /// Options for LLVM beyond the usual, as rustc takes them.
    llvm_args: Option<String>,
    /// The script that builds it, where cargo cannot.
    script: Option<String>,
    /// Files of the base image: their paths in a sandbox, and their names among the results of the script.
    files: BTreeMap<String, String>,
    /// How big a module may be, in bytes: as it is, and compressed.
    limits: [Option<usize>; 2],
    /// Directories with its sources: its own and those of the members it depends on.
    sources: Vec<PathBuf>,
    /// The packages of registries that it is built from.
    foreign: Vec<String>,
}

fn run(arguments: &[String]) -> Outcome {
    let mut verify = false;
    let mut names = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--verify-reproducible" => verify = true,
            "--only" => {
                let only = rest.next().ok_or_else(|| {
                    Failure::usage(
                        "`--only` needs the names of guests",
                        "for example `--only shell,toolbox,coreutils`",
                    )
                })?;
                names.extend(only.split(','));
            }
            option if option.starts_with('-') => return Err(unknown_argument(option, "guests")),
            name => names.push(name),
        }
    }
    let guests = chosen(&names)?;
    if guests.is_empty() {
        println!(
            "guests: there is no guest yet (a guest is a member of guests/ with a guest.toml)"
        );
        return Ok(());
    }
    if verify {
        return verify_reproducible(&guests);
    }
    bring(&guests)
}

/// Builds all guests, or copies them from the cache, and lists them.
pub(crate) fn bring_all() -> Outcome {
    bring(&all()?)
}

/// What a script builds takes most of an hour, much of it on one core, and a sandbox with a shell needs none of it: it is built beside the others,
/// which are in `guests/dist` when they are done.
fn bring(guests: &[Guest]) -> Outcome {
    let (by_script, by_cargo): (Vec<_>, Vec<_>) =
        guests.iter().partition(|guest| guest.script.is_some());
    let built_aside = std::thread::scope(|scope| {
        let aside = scope.spawn(|| bring_each(&by_script));
        let built = bring_each(&by_cargo);
        let built = built.and_then(|_| write_list()).and_then(|()| precompile());
        if let Err(failure) = &built
            && !aside.is_finished()
        {
            eprintln!("{failure}\nguests: this ends when the rest is built");
        }
        let aside = aside
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        built.and(aside)
    })?;
    if built_aside {
        write_list()?;
        precompile()?;
    }
    forget_old_builds()?;
    sizes::print()
}

/// Builds those that are not in the cache; whether there were some.
fn bring_each(guests: &[&Guest]) -> Outcome<bool> {
    let mut built = false;
    for guest in guests {
        let kept = kept_build(guest)?;
        if kept.join("guests.toml").exists() {
            println!("guests: {} is in the cache", guest.name);
        } else {
            build_guest(guest, &kept)?;
            built = true;
        }
    }
    Ok(built)
}

fn chosen(names: &[&str]) -> Outcome<Vec<Guest>> {
    let guests = all()?;
    for name in names {
        if !guests.iter().any(|guest| guest.name == *name) {
            let known: Vec<_> = guests.iter().map(|guest| guest.name.as_str()).collect();
            return Err(Failure::usage(
                format!("there is no guest `{name}`"),
                format!("there is: {}", known.join(", ")),
            ));
        }
    }
    Ok(guests
        .into_iter()
        .filter(|guest| names.is_empty() || names.contains(&guest.name.as_str()))
        .collect())
}

fn all() -> Outcome<Vec<Guest>> {
    let mut guests = Vec::new();
    let packages = metadata::guests()?;
    let lock_file = cache::in_root("guests/Cargo.lock");
    let lock = Lock::parse(&cache::read(&lock_file)?)
        .ok_or_else(|| Failure::file("use", &lock_file, "not a lock file that xtask knows"))?;
    for package in &packages {
        let manifest = package.directory.join("guest.toml");
        if manifest.exists() {
            let text = cache::read(&manifest)?;
            let mut guest =
                parse_guest(&text, package).map_err(|why| Failure::file("use", &manifest, why))?;
            let closure = lock.closure(&package.name);
            let local = |package: &&Package| closure.local.contains(&package.name);
            guest.sources = packages
                .iter()
                .filter(local)
                .map(|package| package.directory.clone())
                .collect();
            guest.sources.sort();
            guest.foreign = closure.foreign;
            guests.push(guest);
        }
    }
    guests.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(guests)
}

fn parse_guest(text: &str, package: &Package) -> Result<Guest, String> {
    let table: Table = text.parse().map_err(|error| format!("{error}"))?;
    let known = [
        "name",
        "module",
        "grants",
        "profile",
        "wasm-opt",
        "target-features",
        "llvm-args",
        "script",
        "files",
        "max-bytes",
        "max-compressed",
    ];
    if let Some(key) = table.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(format!("unknown key `{key}` (known: {})", known.join(", ")));
    }
    let name = table.get("name").and_then(Value::as_str);
    let name = name.ok_or("`name` must be a string")?;
    let modules = match table.get("module") {
        Some(Value::String(all)) if all == "*" => package.binaries.clone(),
        Some(value) => strings(value).ok_or("`module` must be \"*\" or a list of binaries")?,
        None => return Err("`module` is missing: \"*\" or a list of binaries".into()),
    };
    let is_script = table.contains_key("script");
    if let Some(missing) = modules
        .iter()
        .find(|module| !is_script && !package.binaries.contains(module))
    {
        return Err(format!(
            "package `{}` has no binary `{missing}`",
            package.name
        ));
    }
    let grants = table.get("grants").and_then(strings);
    let grants = grants.ok_or("`grants` must be a list of strings")?;
    if let Some(unknown) = grants
        .iter()
        .find(|grant| Grant::from_name(grant).is_none())
    {
        let known: Vec<_> = Grant::ALL.iter().map(|grant| grant.name()).collect();
        return Err(format!(
            "unknown grant `{unknown}` (known: {})",
            known.join(", ")
        ));
    }
    let profile = match table.get("profile") {
        Some(value) => value.as_str().ok_or("`profile` must be a string")?,
        None => "release",
    };
    let text = |key: &str| match table.get(key) {
        Some(value) => match value.as_str() {
            Some(text) => Ok(Some(text.to_owned())),
            None => Err(format!("`{key}` must be a string")),
        },
        None => Ok(None),
    };
    let bytes = |key: &str| match table.get(key) {
        Some(value) => match value
            .as_integer()
            .and_then(|value| usize::try_from(value).ok())
        {
            Some(value) => Ok(Some(value)),
            None => Err(format!("`{key}` must be a number of bytes")),
        },
        None => Ok(None),
    };
    let files = match table.get("files") {
        Some(value) if is_script => {
            text_pairs(value).ok_or("`files` must be a table of strings")?
        }
        Some(_) => return Err("`files` come from a `script`".into()),
        None => BTreeMap::new(),
    };
    Ok(Guest {
        name: name.to_owned(),
        package: package.name.clone(),
        modules,
        grants,
        profile: profile.to_owned(),
        wasm_opt: text("wasm-opt")?,
        target_features: text("target-features")?,
        llvm_args: text("llvm-args")?,
        script: text("script")?,
        files,
        limits: [bytes("max-bytes")?, bytes("max-compressed")?],
        sources: Vec::new(),
        foreign: Vec::new(),
    })
}

fn text_pairs(value: &Value) -> Option<BTreeMap<String, String>> {
    let table = value.as_table()?;
    table
        .iter()
        .map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
        .collect()
}

fn strings(value: &Value) -> Option<Vec<String>> {
    let list = value.as_array()?;
    list.iter()
        .map(|item| Some(item.as_str()?.to_owned()))
        .collect()
}

/// Where the cache keeps a guest: by its name and the digest of everything it is made from.
fn kept_build(guest: &Guest) -> Outcome<PathBuf> {
    let name = format!("{}-{}", guest.name, inputs_digest(guest)?);
    Ok(cache::guests()?.join(name))
}

fn inputs_digest(guest: &Guest) -> Outcome<String> {
    let root = cache::root();
    let mut digest = Digest::new();
    let enter = |path: &Path| !cache::is_build_output(path);
    digest.part("workspace", workspace_settings()?.as_bytes());
    for package in &guest.foreign {
        digest.part("package", package.as_bytes());
    }
    for directory in &guest.sources {
        for file in cache::files(directory, &enter)? {
            digest.file(root, &file)?;
        }
    }
    digest.part(
        "rustc",
        process::program("rustc").arg("-vV").output()?.as_bytes(),
    );
    if guest.wasm_opt.is_some() {
        let version = process::program("wasm-opt").arg("--version").output()?;
        digest.part("wasm-opt", version.as_bytes());
    }
    digest.part("c", c_compiler()?.version.as_bytes());
    // The places that paths are mapped to count, the machine's own paths do not.
    for (_, shown) in path_map(root)? {
        digest.part("path", shown.as_bytes());
    }
    digest.part("build", b"6"); // raise when `cargo_build` changes what it builds
    Ok(digest.hex())
}

/// What the manifest of the guests' workspace says to all of them: everything but who is in it.
fn workspace_settings() -> Outcome<String> {
    let manifest = cache::in_root("guests/Cargo.toml");
    let mut table: Table = cache::read(&manifest)?
        .parse()
        .map_err(|error| Failure::file("parse", &manifest, error))?;
    if let Some(Value::Table(workspace)) = table.get_mut("workspace") {
        workspace.remove("members");
    }
    Ok(table.to_string())
}

/// Directories whose paths must not get into a module, and what stands for them.
fn path_map(root: &Path) -> Outcome<Vec<(PathBuf, &'static str)>> {
    let sysroot = process::program("rustc")
        .args(["--print", "sysroot"])
        .output()?;
    let cargo_home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = std::env::home_dir().unwrap_or_default();
    Ok(vec![
        (root.to_owned(), "/codepod"),
        (cargo_home.unwrap_or_else(|| home.join(".cargo")), "/cargo"),
        (PathBuf::from(sysroot.trim()), "/rust"),
    ])
}

/// A cargo call on the guests' workspace of the checkout `root`: target, target directory, C compiler.
pub(crate) fn guest_cargo(root: &Path, subcommand: &str) -> Outcome<Process> {
    let mut cargo = process::cargo()
        .arg(subcommand)
        .arg("--manifest-path")
        .arg(root.join("guests/Cargo.toml"))
        .args(["--target", TARGET])
        .env("CARGO_TARGET_DIR", target_directory(root))
        // The time that a build script or a C file may put into its output.
        .env("SOURCE_DATE_EPOCH", "0");
    let c = c_compiler()?;
    if let Some((clang, ar)) = &c.programs {
        let maps: Vec<String> = path_map(root)?
            .iter()
            .map(|(path, shown)| format!("-ffile-prefix-map={}={shown}", path.display()))
            .collect();
        cargo = cargo
            .env("CC_wasm32_wasip1", clang)
            .env("AR_wasm32_wasip1", ar)
            .env("CFLAGS_wasm32_wasip1", maps.join(" "));
    }
    Ok(cargo)
}

/// Beside the host's target directory when that was chosen by the caller, in `guests/` otherwise.
fn target_directory(root: &Path) -> PathBuf {
    match cache::chosen_target() {
        Some(target) if root == cache::root() => target.join("guests"),
        _ => root.join("guests/target"),
    }
}

/// Room for the heap in the memory that a process starts with. Growing memory costs some microseconds each time, and most tools need less.
/// Much more is not better: an engine that looks for used pages looks through all of it.
const INITIAL_HEAP: usize = 512 << 10;

/// Builds a guest's modules and says where they are, and the directory with its files.
fn build(root: &Path, guest: &Guest) -> Outcome<(Vec<PathBuf>, PathBuf)> {
    let Some(script) = &guest.script else {
        return Ok((cargo_build(root, guest)?, PathBuf::new()));
    };
    let results = script::build(root, guest, script)?;
    let modules = guest.modules.iter();
    let modules = modules.map(|module| results.join(format!("{module}.wasm")));
    Ok((modules.collect(), results))
}

fn cargo_build(root: &Path, guest: &Guest) -> Outcome<Vec<PathBuf>> {
    let mut flags = Vec::new();
    for (path, shown) in path_map(root)? {
        flags.push(format!("--remap-path-prefix={}={shown}", path.display()));
    }
    flags.push(format!("-Clink-arg=--initial-heap={INITIAL_HEAP}"));
    if let Some(features) = &guest.target_features {
        flags.push(format!("-Ctarget-feature={features}"));
    }
    if let Some(options) = &guest.llvm_args {
        flags.push(format!("-Cllvm-args={options}"));
    }
    let mut cargo = guest_cargo(root, "build")?
        .args(["--profile", &guest.profile])
        .args(["--locked", "--package", &guest.package])
        // Who needs the names of functions for a profile builds the guest with plain cargo.
        .arg("--config")
        .arg(format!("profile.{}.strip='symbols'", guest.profile))
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
    for module in &guest.modules {
        cargo = cargo.args(["--bin", module]);
    }
    cargo
        .hint("`cargo xtask setup` brings the wasm target and the C compiler")
        .run()?;
    let built = target_directory(root).join(TARGET).join(&guest.profile);
    let modules = guest.modules.iter();
    modules
        .map(|module| built.join(format!("{module}.wasm")))
        .map(|module| match &guest.wasm_opt {
            Some(options) => optimise(&module, options),
            None => Ok(module),
        })
        .collect()
}

/// Features that rustc's modules use and Debian's `wasm-opt` does not take for granted.
const WASM_FEATURES: [&str; 7] = [
    "--enable-bulk-memory",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-multivalue",
    "--enable-reference-types",
    "--enable-simd",
];

/// Sends a module through `wasm-opt` and returns the result's place.
fn optimise(module: &Path, options: &str) -> Outcome<PathBuf> {
    let result = module.with_extension("opt.wasm");
    process::program("wasm-opt")
        .args(WASM_FEATURES)
        .args(options.split_whitespace())
        .arg(module)
        .arg("-o")
        .arg(&result)
        .hint("`cargo xtask setup` brings it (Debian: package binaryen)")
        .run()?;
    Ok(result)
}

/// Builds a guest and puts its modules and their list into `kept`, all at once.
fn build_guest(guest: &Guest, kept: &Path) -> Outcome {
    let (modules, results) = build(cache::root(), guest)?;
    let fresh = kept.with_extension(format!("{}.tmp", std::process::id()));
    cache::make_directory(&fresh)?;
    let mut files = Table::new();
    for (path, name, file) in files_of(guest, &results)? {
        let bytes = std::fs::read(&file).map_err(|error| Failure::file("read", &file, error))?;
        cache::write(&fresh.join(&name), &bytes)?;
        files.insert(path, name.into());
    }
    let mut list = Vec::new();
    for (module, file) in guest.modules.iter().zip(&modules) {
        let wasm = std::fs::read(file).map_err(|error| Failure::file("read", file, error))?;
        cache::write(&fresh.join(format!("{module}.wasm")), &wasm)?;
        let compressed = sizes::compressed(file)?;
        check_size(guest, module, [wasm.len(), compressed])?;
        let mut entry = describe(guest, module, &wasm, compressed);
        if !files.is_empty() {
            entry.insert("files".into(), files.clone().into());
        }
        list.push(Value::Table(entry));
    }
    cache::write(&fresh.join("guests.toml"), to_text(list).as_bytes())?;
    if let Err(error) = std::fs::rename(&fresh, kept) {
        // Another run was quicker: its result is as good.
        let _ = std::fs::remove_dir_all(&fresh);
        if !kept.join("guests.toml").exists() {
            return Err(Failure::file("create", kept, error));
        }
    }
    Ok(())
}

/// The files of a guest: their paths in the base image, their names beside the list, and where its script has put them. A path that ends in a slash
/// is a directory with everything in it.
fn files_of(guest: &Guest, results: &Path) -> Outcome<Vec<(String, String, PathBuf)>> {
    let mut found = Vec::new();
    for (path, name) in &guest.files {
        let made = results.join(name);
        if !path.ends_with('/') {
            found.push((path.clone(), name.clone(), made));
            continue;
        }
        let below = cache::files(&made, &|_| true)?;
        if below.is_empty() {
            return Err(Failure::new(format!(
                "the script of `{}` has put nothing into {name}",
                guest.name
            )));
        }
        for file in below {
            let inside = file.strip_prefix(&made).unwrap_or(&file);
            let inside = inside.to_string_lossy().into_owned();
            let flat = format!("{name}-{}", inside.replace('/', "-"));
            found.push((format!("{path}{inside}"), flat, file));
        }
    }
    Ok(found)
}

/// Fails when a module is bigger than its guest allows.
fn check_size(guest: &Guest, module: &str, sizes: [usize; 2]) -> Outcome {
    for ((size, limit), what) in sizes.iter().zip(guest.limits).zip(["", " compressed"]) {
        if let Some(limit) = limit.filter(|limit| size > limit) {
            return Err(Failure::new(format!(
                "the module `{module}` has {size} bytes{what}; the guest.toml of `{}` allows {limit}",
                guest.name
            ))
            .hint("`twiggy` or `wasm-objdump` on a build with names shows what is big"));
        }
    }
    Ok(())
}

/// A module's entry in `guests.toml`.
fn describe(guest: &Guest, module: &str, wasm: &[u8], compressed: usize) -> Table {
    let mut commands = Vec::new();
    let mut about = Table::new();
    match wasm::custom_section(wasm, COMMANDS_SECTION) {
        Some(lines) => {
            for line in String::from_utf8_lossy(lines).lines() {
                let line = line.trim_end_matches('\0').trim();
                let (name, what) = line.split_once('\t').unwrap_or((line, ""));
                if !name.is_empty() {
                    commands.push(name.to_owned());
                }
                if !what.is_empty() {
                    about.insert(name.to_owned(), what.into());
                }
            }
        }
        None => commands.push(module.to_owned()),
    }
    let mut entry = Table::new();
    entry.insert("name".into(), module.into());
    entry.insert("group".into(), guest.name.clone().into());
    entry.insert("file".into(), format!("{module}.wasm").into());
    entry.insert("digest".into(), digest::of_bytes(wasm).into());
    entry.insert("grants".into(), guest.grants.clone().into());
    entry.insert("commands".into(), commands.into());
    entry.insert("about".into(), about.into());
    let size = |bytes: usize| Value::from(i64::try_from(bytes).unwrap_or(i64::MAX));
    entry.insert("bytes".into(), size(wasm.len()));
    entry.insert("compressed".into(), size(compressed));
    entry
}

fn to_text(entries: Vec<Value>) -> String {
    let mut table = Table::new();
    table.insert("guest".into(), Value::Array(entries));
    format!("# Made by `cargo xtask guests`. `digest` is the BLAKE3 of the file.\n\n{table}")
}

/// Copies a kept build's modules and files.
fn copy_build(kept: &Path) -> Outcome {
    let dist = cache::in_root("guests/dist");
    for file in cache::files(kept, &|_| true)? {
        let name = file.file_name().unwrap_or_default();
        if name != "guests.toml" {
            let bytes =
                std::fs::read(&file).map_err(|error| Failure::file("read", &file, error))?;
            cache::write(&dist.join(name), &bytes)?;
        }
    }
    Ok(())
}

/// Copies and lists every guest that the cache holds as it is now, also those that an earlier call built, and removes modules
/// of other builds.
fn write_list() -> Outcome {
    let mut entries = Vec::new();
    for guest in all()? {
        let kept = kept_build(&guest)?;
        let list = kept.join("guests.toml");
        if list.exists() {
            mark_used(&kept);
            copy_build(&kept)?;
            let table: Table = cache::read(&list)?
                .parse()
                .map_err(|error| Failure::file("parse", &list, error))?;
            let guests = table.get("guest").and_then(Value::as_array);
            entries.extend(guests.cloned().unwrap_or_default());
        }
    }
    refuse_same_commands(&entries)?;
    let dist = cache::in_root("guests/dist");
    let listed: Vec<_> = entries
        .iter()
        .filter_map(|entry| entry.get("file")?.as_str())
        .collect();
    for file in cache::files(&dist, &|_| true)? {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(".wasm") && !listed.contains(&&*name) {
            std::fs::remove_file(&file).map_err(|error| Failure::file("remove", &file, error))?;
        }
    }
    println!("guests: {} modules in guests/dist", entries.len());
    cache::write(&dist.join("guests.toml"), to_text(entries).as_bytes())
}

/// Two guests with a command of the same name would hide each other in a sandbox that has both.
fn refuse_same_commands(entries: &[Value]) -> Outcome {
    let mut owners = BTreeMap::new();
    for entry in entries {
        let name = entry.get("name").and_then(Value::as_str).unwrap_or("");
        for command in entry.get("commands").and_then(strings).unwrap_or_default() {
            if let Some(other) = owners.insert(command.clone(), name) {
                return Err(Failure::new(format!(
                    "the modules `{other}` and `{name}` both have a command `{command}`"
                ))
                .hint("in a sandbox with both, one would hide the other: rename one"));
            }
        }
    }
    Ok(())
}

/// Marks a build as used; whether that works decides only when it is forgotten.
fn mark_used(kept: &Path) {
    let _ =
        std::fs::File::open(kept).and_then(|file| file.set_modified(std::time::SystemTime::now()));
}

fn forget_old_builds() -> Outcome {
    let guests = cache::guests()?;
    let entries =
        std::fs::read_dir(&guests).map_err(|error| Failure::file("list", &guests, error))?;
    let mut builds: Vec<_> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            Some((path.metadata().ok()?.modified().ok()?, path))
        })
        .collect();
    builds.sort();
    let old = builds.len().saturating_sub(KEPT_BUILDS);
    for (_, path) in &builds[..old] {
        std::fs::remove_dir_all(path).map_err(|error| Failure::file("remove", path, error))?;
    }
    Ok(())
}

/// Compiles the modules to machine code ahead of time, where the engine offers it.
fn precompile() -> Outcome {
    let packages = metadata::host()?;
    let offered = packages
        .iter()
        .find(|package| package.name == "codepod-wasmtime")
        .is_some_and(|package| {
            package
                .binaries
                .iter()
                .any(|name| name == "codepod-precompile")
        });
    if !offered {
        println!(
            "guests: codepod-wasmtime has no `codepod-precompile` yet; modules are not precompiled"
        );
        return Ok(());
    }
    // In the profile of the tests, whose dependencies are optimised: CI then builds wasmtime once.
    process::cargo()
        .args(["run", "--quiet", "--bin", "codepod-precompile"])
        .args(["--", "guests/dist"])
        .run()
}

/// Builds copies of the sources in two directories of different length and compares the modules.
fn verify_reproducible(guests: &[Guest]) -> Outcome {
    let base = cache::directory()?.join("reproducible");
    let _ = std::fs::remove_dir_all(&base);
    let copies = [base.join("a"), base.join("another-place/with/depth")];
    for copy in &copies {
        copy_sources(copy)?;
    }
    let mut different = Vec::new();
    for guest in guests {
        let [(first, _), (second, _)] = [build(&copies[0], guest)?, build(&copies[1], guest)?];
        for (a, b) in first.iter().zip(&second) {
            let read = |path: &Path| {
                std::fs::read(path).map_err(|error| Failure::file("read", path, error))
            };
            if read(a)? != read(b)? {
                different.push(
                    a.file_name()
                        .unwrap_or_default()
                        .to_string_lossy()
                        .into_owned(),
                );
            }
        }
    }
    if !different.is_empty() {
        return Err(Failure::new(format!(
            "built twice and not the same: {}",
            different.join(", ")
        ))
        .hint(format!("both builds are in `{}`", base.display())));
    }
    println!("guests: two builds in different directories are the same, byte for byte");
    let _ = std::fs::remove_dir_all(&base);
    Ok(())
}

/// Copies what guests are made from.
fn copy_sources(copy: &Path) -> Outcome {
    let root = cache::root();
    let enter = |path: &Path| !cache::is_build_output(path);
    for file in cache::files(&root.join("guests"), &enter)? {
        let content = std::fs::read(&file).map_err(|error| Failure::file("read", &file, error))?;
        cache::write(
            &copy.join(file.strip_prefix(root).unwrap_or(&file)),
            &content,
        )?;
    }
    Ok(())
}

/// The C compiler for guests.
struct CCompiler {
    /// Compiler and archiver; none when `setup` did not bring them, which matters only to guests with C in them.
    programs: Option<(PathBuf, PathBuf)>,
    version: String,
}

fn c_compiler() -> Outcome<CCompiler> {
    let (bin, version_file, clang, ar) = match std::env::var_os("WASI_SDK_PATH") {
        Some(sdk) => {
            let sdk = PathBuf::from(sdk);
            (
                sdk.join("bin"),
                sdk.join("VERSION"),
                "wasm32-wasip1-clang",
                "llvm-ar",
            )
        }
        None => {
            let own = cache::wasm_c()?;
            (
                own.join("bin"),
                own.join("version"),
                "wasm32-wasip1-clang",
                "wasm32-wasip1-ar",
            )
        }
    };
    let programs = (bin.join(clang), bin.join(ar));
    let there = programs.0.exists() && programs.1.exists();
    Ok(CCompiler {
        programs: there.then_some(programs),
        version: std::fs::read_to_string(version_file).unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package() -> Package {
        Package {
            name: "programs".into(),
            directory: "/nowhere".into(),
            binaries: vec!["cat".into(), "true".into()],
            path_dependencies: Vec::new(),
        }
    }

    fn guest(text: &str) -> Result<Guest, String> {
        parse_guest(text, &package())
    }

    #[test]
    fn a_star_means_every_binary() {
        let guest = guest("name = 'p'\nmodule = '*'\ngrants = ['wasi', 'process']").unwrap();
        assert_eq!(guest.modules, ["cat", "true"]);
        assert_eq!(guest.grants, ["wasi", "process"]);
    }

    #[test]
    fn mistakes_in_a_manifest_are_named() {
        let mistake = |text| guest(text).err().unwrap_or_default();
        assert!(mistake("name = 'p'\nmodule = ['dog']\ngrants = []").contains("`dog`"));
        assert!(mistake("name = 'p'\nmodule = '*'\ngrants = ['root']").contains("`root`"));
        assert!(mistake("name = 'p'\nmodule = '*'\ngrants = []\ngrant = 1").contains("`grant`"));
        assert!(mistake("module = '*'\ngrants = []").contains("`name`"));
    }

    #[test]
    fn commands_come_from_the_custom_section_or_the_module_name() {
        let guest = guest("name = 'p'\nmodule = '*'\ngrants = ['wasi']").unwrap();
        let mut wasm = b"\0asm\x01\0\0\0".to_vec();
        let plain = describe(&guest, "cat", &wasm, 9);
        assert_eq!(plain["commands"], Value::from(vec!["cat"]));
        wasm.extend([0, 30, 16]);
        wasm.extend(b"codepod.commandsls\tlist\nwc\n\0\0");
        let multi = describe(&guest, "cat", &wasm, 9);
        assert_eq!(multi["commands"], Value::from(vec!["ls", "wc"]));
        assert_eq!(multi["about"]["ls"].as_str(), Some("list"));
        assert_eq!(multi["digest"].as_str().map(str::len), Some(64));
    }

    #[test]
    fn two_modules_with_the_same_command_are_refused() {
        let guest = guest("name = 'p'\nmodule = '*'\ngrants = ['wasi']").unwrap();
        let mut toolbox = b"\0asm\x01\0\0\0\0\x18\x10".to_vec();
        toolbox.extend(b"codepod.commandsls\ncat\n");
        let modules = ["cat", "true"].map(|name| Value::Table(describe(&guest, name, b"", 9)));
        assert!(refuse_same_commands(&modules).is_ok());
        let toolbox = Value::Table(describe(&guest, "toolbox", &toolbox, 9));
        let [cat, _] = modules;
        let failure = refuse_same_commands(&[cat, toolbox]).unwrap_err();
        assert!(failure.to_string().contains("`cat`"), "{failure}");
    }

    #[test]
    fn the_list_is_read_back_as_written() {
        let guest = guest("name = 'p'\nmodule = '*'\ngrants = ['wasi']").unwrap();
        let entry = Value::Table(describe(&guest, "cat", b"", 9));
        let table: Table = to_text(vec![entry.clone()]).parse().unwrap();
        assert_eq!(table["guest"].as_array().unwrap(), &vec![entry]);
    }

    #[test]
    fn a_directory_of_files_is_listed_with_all_that_is_in_it() {
        let mut guest = guest("name = 'p'\nmodule = '*'\ngrants = ['wasi']").unwrap();
        let results = std::env::temp_dir().join(format!("codepod-files-{}", std::process::id()));
        cache::make_directory(&results.join("data/fonts")).unwrap();
        cache::write(&results.join("data/fonts/a.ttf"), b"").unwrap();
        cache::write(&results.join("data/settings"), b"").unwrap();
        guest.files = [("/usr/share/p/", "data"), ("/etc/p", "one")]
            .map(|(path, name)| (path.to_owned(), name.to_owned()))
            .into();
        let found = files_of(&guest, &results).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|(path, name, _)| (&**path, &**name))
            .collect();
        let right = [
            ("/etc/p", "one"),
            ("/usr/share/p/fonts/a.ttf", "data-fonts-a.ttf"),
            ("/usr/share/p/settings", "data-settings"),
        ];
        assert_eq!(found, right);
        guest.files = [("/usr/share/p/".to_owned(), "none".to_owned())].into();
        assert!(files_of(&guest, &results).is_err());
        std::fs::remove_dir_all(results).unwrap();
    }
}
