//! `notices`: the licences of everything that the program contains and that is not ours.
//!
//! Which components there are comes from cargo (for the program and for the guests in it), from the
//! `sources` of each `guest.toml`, and from the toolchain whose libraries are linked in. Texts come
//! from the components themselves. The result is committed, because it ships with the program;
//! `cargo xtask check` compares the components, which needs no texts.

mod archive;
mod components;
mod texts;

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::Command;
use crate::cache;
use crate::failure::{Failure, Outcome, flag_and_names, unknown_argument};

pub(crate) use components::{Component, Product, by_product};
use texts::Text;

pub(crate) const COMMAND: Command = Command {
    name: "notices",
    arguments: "[--check]",
    about: "write THIRD-PARTY-NOTICES: the licences of what ships and is not ours",
    more: "Fetches the sources of the guests, because the texts are in them. --check writes nothing and compares only which components there are.",
    run,
};

const FILE: &str = "THIRD-PARTY-NOTICES";

const HEAD: &str = "\
THIRD-PARTY NOTICES

Made by `cargo xtask notices`. Changes here are lost.

The program codepod contains the following software of others, each under the
licence that is named. The numbers are those of the texts below. A component
that offers several licences is used under the one whose text is given. Nothing
is used under the GPL, the LGPL or the AGPL.

COMPONENTS
";

fn run(arguments: &[String]) -> Outcome {
    let (only_check, rest) = flag_and_names(arguments, "--check", "notices")?;
    if let Some(name) = rest.first() {
        return Err(unknown_argument(name, "notices"));
    }
    if only_check {
        println!("{}", check()?);
        return Ok(());
    }
    let text = page(&components::all()?)?;
    cache::write(&cache::in_root(FILE), text.as_bytes())?;
    println!("notices: {FILE}, {} KB", text.len() / 1000);
    Ok(())
}

/// Fails when a component has no entry, or an entry no component.
pub(crate) fn check() -> Outcome<String> {
    let current = cache::read(&cache::in_root(FILE))?;
    let listed: Vec<String> = listed(&current).map(|(title, _)| title.into()).collect();
    let components = components::all()?;
    let names: Vec<String> = components.iter().map(Component::title).collect();
    let missing = names.iter().filter(|name| !listed.contains(name));
    let gone = listed.iter().filter(|name| !names.contains(name));
    let wrong: Vec<String> = missing
        .map(|name| format!("{name} is not listed"))
        .chain(gone.map(|name| format!("{name} is listed and not there")))
        .collect();
    match wrong.is_empty() {
        true => Ok(format!("{} components have their notices", names.len())),
        false => Err(
            Failure::new(format!("`{FILE}` is out of date: {}", wrong.join("; ")))
                .hint("`cargo xtask notices` renews it; commit the result"),
        ),
    }
}

/// The licences of all components, by their titles, as the committed page has them: reading the
/// sources again takes minutes.
pub(crate) fn licences() -> Outcome<BTreeMap<String, String>> {
    let page = cache::read(&cache::in_root(FILE))?;
    let entries = listed(&page);
    Ok(entries
        .map(|(title, of)| (title.into(), of.into()))
        .collect())
}

/// The titles of the components that a page lists, and their licences.
fn listed(page: &str) -> impl Iterator<Item = (&str, &str)> {
    page.lines()
        .skip_while(|line| *line != "COMPONENTS")
        .skip(1)
        .take_while(|line| *line != "TEXTS")
        .filter_map(|line| line.split_once(": "))
        .map(|(title, rest)| (title, rest.split(" [").next().unwrap_or(rest).trim_end()))
}

fn page(components: &[Component]) -> Outcome<String> {
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut texts: Vec<Text> = Vec::new();
    let mut list = String::new();
    for component in components {
        let (licence, found) = component.notice(components)?;
        let mut used = Vec::new();
        for text in found {
            let next = numbers.len() + 1;
            let number = *numbers.entry(text.key()).or_insert(next);
            if number == next {
                texts.push(text);
            }
            if !used.contains(&number) {
                used.push(number);
            }
        }
        let used: Vec<String> = used.iter().map(|number| format!("[{number}]")).collect();
        let _ = writeln!(
            list,
            "{}: {} {}",
            component.title(),
            licence,
            used.join(" ")
        );
    }
    let mut page = format!("{HEAD}{list}\nTEXTS\n");
    for (index, text) in texts.iter().enumerate() {
        let line = "-".repeat(80);
        let _ = write!(page, "\n{line}\n[{}]\n\n{}\n", index + 1, text.shown());
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_read_from_the_page() {
        let page = format!("{HEAD}a 1: MIT [1]\nb 2.0: 0BSD [1] [2]\n\nTEXTS\n\n[1]\nc: d\n");
        let listed: Vec<_> = listed(&page).collect();
        assert_eq!(listed, [("a 1", "MIT"), ("b 2.0", "0BSD")]);
    }
}
