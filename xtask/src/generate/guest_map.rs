//! The map of `guests/`: which command is where, and where it comes from.
//!
//! Read from the manifests and from the tables of tools in the sources, so that it can be made
//! without building a guest.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::cache;
use crate::failure::Outcome;
use crate::metadata::{self, Package};

const HEAD: &str = "<!-- Made by `cargo xtask generate` from the manifests and tables of tools. Changes here are lost. -->\n\n\
# Guests\n\n\
What runs inside the sandbox: a workspace of its own, built for `wasm32-wasip1` by `cargo xtask guests`. A\n\
member with a `guest.toml` is a guest and becomes WebAssembly modules; the others are libraries.\n\n\
| directory | has |\n\
|---|---|\n\
| `runtimes` | programs that run other programs: the shell, CPython |\n\
| `tools` | the commands of Unix |\n\
| `libraries` | what guests share |\n\
| `testing` | programs that only tests run |\n\n\
**Where does a new tool go?** Tools share a module when they need the same grants, so that a tool has no right\n\
that it does not need:\n\n\
- It starts programs or sends signals: `tools/launch`.\n\
- It is one of GNU coreutils: `tools/toolbox`.\n\
- It reads or writes archives: `tools/archive`.\n\
- It is small and starts no programs: `tools/utilities`.\n\
- It is a program with its own language or many files: a guest of its own.\n\n\
[CONTRIBUTING.md](../CONTRIBUTING.md#adding-things) says how.\n";

/// A command: the file with its code, and who wrote it.
struct Command {
    name: String,
    file: String,
    origin: String,
}

/// `guests/README.md`.
pub(super) fn page() -> Outcome<String> {
    let (guests, libraries): (Vec<_>, Vec<_>) = metadata::guests()?
        .into_iter()
        .partition(|package| package.directory.join("guest.toml").exists());
    let mut page = String::from(HEAD);
    page += "\n## Guests\n\n| guest | is | grants |\n|---|---|---|\n";
    let mut commands = BTreeMap::new();
    for package in &guests {
        let place = place(package);
        let about = about(package)?;
        let manifest = cache::read_toml(&package.directory.join("guest.toml"))?;
        let grants = manifest.get("grants").and_then(toml::Value::as_array);
        let grants = grants.into_iter().flatten().filter_map(toml::Value::as_str);
        let grants: Vec<_> = grants.collect();
        let _ = writeln!(
            page,
            "| [`{place}`]({place}) | {about} | {} |",
            grants.join(", ")
        );
        for command in commands_of(package)? {
            commands.insert(command.name.clone(), command);
        }
    }
    page += "\n## Libraries\n\n| library | is |\n|---|---|\n";
    for package in &libraries {
        let place = place(package);
        let _ = writeln!(page, "| [`{place}`]({place}) | {} |", about(package)?);
    }
    page += "\n## Commands\n\n*Origin* is `ours`, or the upstream program that is compiled.\n\n\
        | command | code | origin |\n|---|---|---|\n";
    for Command { name, file, origin } in commands.values() {
        let _ = writeln!(page, "| `{name}` | [{file}]({file}) | {origin} |");
    }
    Ok(page)
}

/// A package's directory beneath `guests/`.
fn place(package: &Package) -> String {
    let guests = cache::in_root("guests");
    let place = package.directory.strip_prefix(guests);
    place.unwrap_or(&package.directory).display().to_string()
}

fn about(package: &Package) -> Outcome<String> {
    let manifest = cache::read_toml(&package.directory.join("Cargo.toml"))?;
    let about = manifest
        .get("package")
        .and_then(|package| package.get("description")?.as_str());
    Ok(about.unwrap_or_default().trim_end_matches('.').to_owned())
}

fn commands_of(package: &Package) -> Outcome<Vec<Command>> {
    let place = place(package);
    let mut commands = Vec::new();
    for file in ["src/tools.rs", "src/main.rs", "src/main.c"] {
        let path = package.directory.join(file);
        if !path.exists() {
            continue;
        }
        for (name, code) in tools(&cache::read(&path)?) {
            let module = code.split("::").next().unwrap_or_default();
            let own = format!("src/{module}.rs");
            let has_own = code.contains("::") && package.directory.join(&own).exists();
            let code = if has_own { &own } else { file };
            commands.push(Command {
                origin: origin(&name)?,
                file: format!("{place}/{code}"),
                name,
            });
        }
    }
    Ok(commands)
}

/// The commands that a source names, in a table `tools!` with the functions behind them, or in the
/// section itself as the shell and Python do.
fn tools(source: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut inside = false;
    for line in source.lines() {
        if let Some((_, names)) = line.split_once("const NAMES: &str = \"") {
            let names = names.trim_end_matches("\";").split("\\n");
            let names = names.filter(|name| !name.is_empty());
            found.extend(names.map(|name| (name.to_owned(), String::new())));
        } else if let Some((_, name)) = line.split_once(".ascii \\\"") {
            let name = name.split("\\\\t").next().unwrap_or_default();
            found.push((name.to_owned(), String::new()));
        } else if line.ends_with("tools! {") && !line.starts_with("macro_rules!") {
            inside = true;
        } else if line == "}" {
            inside = false;
        } else if inside
            && let Some((name, rest)) = line
                .trim_start()
                .strip_prefix('"')
                .and_then(|line| line.split_once("\": "))
        {
            // `NAME: function, "about";`
            let code = rest.split(", \"").next().unwrap_or_default();
            found.push((name.to_owned(), code.to_owned()));
        }
    }
    found
}

/// Who wrote a tool, as its cases say.
fn origin(name: &str) -> Outcome<String> {
    let name = if name == "[" { "test" } else { name };
    let path = cache::in_root("spec/tools").join(format!("{name}.toml"));
    if !path.exists() {
        return Ok("ours".into());
    }
    let table = cache::read_toml(&path)?;
    let origin = table.get("origin").and_then(toml::Value::as_str);
    Ok(origin.unwrap_or("ours").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_tools_are_read() {
        let ours = "codepod_tool::tools! {\n    \"bc\": bc::main, \"calculate\";\n}\n\n    \"no\": no, \"x\";\n";
        assert_eq!(tools(ours), [("bc".into(), "bc::main".into())]);
        let shell = "const NAMES: &str = \"bash\\nsh\\n\";\n";
        assert_eq!(
            tools(shell),
            ["bash", "sh"].map(|name| (name.into(), String::new()))
        );
        let python = "        \".ascii \\\"pip\\\\tinstall packages\\\\n\\\"\\n\"\n";
        assert_eq!(tools(python), [("pip".into(), String::new())]);
    }
}
