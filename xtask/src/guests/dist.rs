//! Built guests: how the cache keeps them, and `guests/dist` with its list.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::build::build;
use super::inputs::kept_build;
use super::manifest::{Guest, all};
use crate::cache;
use crate::digest;
use crate::failure::{Failure, Outcome};
use crate::metadata;
use crate::process;
use crate::sizes;
use crate::wasm;

/// The custom section in which a module names its commands, one a line: the name, and behind a tab
/// what it does.
const COMMANDS_SECTION: &str = "codepod.commands";

/// How many builds of guests the cache keeps.
const KEPT_BUILDS: usize = 120;

/// Builds a guest and puts its modules and their list into `kept`, all at once.
pub(super) fn build_guest(guest: &Guest, kept: &Path) -> Outcome {
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
    cache::put_in_place(&fresh, kept)
}

/// The files of a guest: their paths in the base image, their names beside the list, and where its
/// script has put them. A path that ends in a slash is a directory with everything in it.
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
    if let Some(extended) = &guest.extends {
        entry.insert("extends".into(), extended.clone().into());
    }
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

/// Copies and lists every guest that the cache holds as it is now, also those that an earlier call
/// built, and removes modules of other builds.
pub(super) fn write_list() -> Outcome {
    let mut entries = Vec::new();
    for guest in all()? {
        let kept = kept_build(&guest)?;
        let list = kept.join("guests.toml");
        if list.exists() {
            cache::mark_used(&kept);
            copy_build(&kept)?;
            let table = cache::read_toml(&list)?;
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

/// Two guests with a command of the same name would hide each other in a sandbox that has both,
/// unless one extends the other.
fn refuse_same_commands(entries: &[Value]) -> Outcome {
    let mut owners = BTreeMap::new();
    for entry in entries {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or("");
        let (name, extended) = (text("name"), text("extends"));
        for command in entry.get("commands").and_then(strings).unwrap_or_default() {
            // Guests are in the order of their names, and those that are extended may be before or
            // behind.
            let other = owners.insert(command.clone(), (name, text("group"), extended));
            let Some((other, other_group, other_extended)) = other else {
                continue;
            };
            if extended != other_group && other_extended != text("group") {
                return Err(Failure::new(format!(
                    "the modules `{other}` and `{name}` both have a command `{command}`"
                ))
                .hint("in a sandbox with both, one would hide the other: rename one"));
            }
        }
    }
    Ok(())
}

fn strings(value: &Value) -> Option<Vec<String>> {
    let list = value.as_array()?;
    list.iter()
        .map(|item| Some(item.as_str()?.to_owned()))
        .collect()
}

pub(super) fn forget_old_builds() -> Outcome {
    cache::forget_oldest(&cache::guests()?, KEPT_BUILDS)
}

/// Compiles the modules to machine code ahead of time, where the engine offers it.
pub(super) fn precompile() -> Outcome {
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

#[cfg(test)]
mod tests {
    use super::super::manifest::tests::guest;
    use super::*;

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
