//! `parity`: which method each surface has, told by tests that really call them.
//!
//! A test that calls every method of a surface writes the names of those that answered, as a JSON
//! list, into the directory that `CODEPOD_PARITY` names, under its surface's name. The page is made
//! from these lists and from the reasons in the table of methods; a method that a surface neither
//! has nor gives a reason for is an error.

use std::collections::BTreeSet;
use std::path::PathBuf;

use codepod_api::{METHODS, MethodInfo, Surface};

use crate::Command;
use crate::cache;
use crate::failure::{Failure, Outcome, flag_and_names, unknown_argument};

pub(crate) const COMMAND: Command = Command {
    name: "parity",
    arguments: "[--check]",
    about: "write docs/reference/parity.md from what tests have called",
    more: "`cargo xtask test` and `cargo xtask sdk` leave the lists. --check writes nothing and fails when the page is out of date.",
    run,
};

const PAGE: &str = "docs/reference/parity.md";

/// The variable that tells tests where to leave their lists.
pub(crate) const VARIABLE: &str = "CODEPOD_PARITY";

/// Where tests leave their lists.
pub(crate) fn directory() -> Outcome<PathBuf> {
    let target = cache::target();
    let directory = target.join("parity");
    cache::make_directory(&directory)?;
    Ok(directory)
}

fn run(arguments: &[String]) -> Outcome {
    let (only_check, rest) = flag_and_names(arguments, "--check", "parity")?;
    if let Some(name) = rest.first() {
        return Err(unknown_argument(name, "parity"));
    }
    if only_check {
        println!("{}", check()?);
        return Ok(());
    }
    cache::write(&cache::in_root(PAGE), page(&Called::read()?)?.as_bytes())?;
    println!("parity: {PAGE}");
    Ok(())
}

/// Fails when a cell is empty or the page is not what the tests have called.
pub(crate) fn check() -> Outcome<String> {
    let called = Called::read()?;
    let current = std::fs::read_to_string(cache::in_root(PAGE)).unwrap_or_default();
    if current != page(&called)? {
        return Err(Failure::new(format!("`{PAGE}` is out of date"))
            .hint("`cargo xtask parity` renews it after `cargo xtask test` and `cargo xtask sdk`; commit the result"));
    }
    let cells: usize = called.0.iter().map(|(_, names)| names.len()).sum();
    Ok(format!(
        "{} methods, {cells} calls on {} surfaces",
        METHODS.len(),
        called.0.len()
    ))
}

/// The name of a surface's list.
fn list(surface: Surface) -> &'static str {
    match surface {
        Surface::Rpc => "rpc",
        Surface::Http => "http",
        Surface::Mcp => "mcp",
        Surface::Cli => "cli",
        Surface::Python => "python",
        Surface::TypeScript => "typescript",
    }
}

/// What was called on each surface.
struct Called(Vec<(Surface, BTreeSet<String>)>);

impl Called {
    fn read() -> Outcome<Called> {
        let mut called = Vec::new();
        for surface in Surface::ALL {
            let path = directory()?.join(format!("{}.json", list(*surface)));
            let names = std::fs::read(&path)
                .ok()
                .and_then(|text| serde_json::from_slice(&text).ok());
            let names = names.ok_or_else(|| {
                Failure::new(format!(
                    "nothing tells which methods were called by {}",
                    surface.name()
                ))
                .hint("run `cargo xtask test` and `cargo xtask sdk` first")
            })?;
            called.push((*surface, names));
        }
        Ok(Called(called))
    }
}

fn page(called: &Called) -> Outcome<String> {
    let mut page = String::from(
        "<!-- Made by `cargo xtask parity` from what tests have called. Changes here are lost. -->\n\n# Parity\n\n\
         Which surface has which method. A tick is a test that calls it for real; a letter is a reason why not.\n\n| method |",
    );
    for surface in Surface::ALL {
        page += &format!(" {} |", surface.name());
    }
    page += &format!("\n|---|{}\n", "---|".repeat(Surface::ALL.len()));
    let mut reasons: Vec<&str> = Vec::new();
    for method in METHODS {
        page += &format!(
            "| [`{0}`](methods.md#{1}) |",
            method.name,
            method.name.replace('.', "")
        );
        for (surface, names) in &called.0 {
            page += &format!(" {} |", cell(method, *surface, names, &mut reasons)?);
        }
        page.push('\n');
    }
    page += "\n";
    for (number, reason) in reasons.iter().enumerate() {
        page += &format!("- {}: {reason}\n", letter(number));
    }
    Ok(page)
}

fn cell(
    method: &MethodInfo,
    surface: Surface,
    names: &BTreeSet<String>,
    reasons: &mut Vec<&'static str>,
) -> Outcome<String> {
    let is_called = names.contains(method.name);
    match (is_called, method.reason_not_on(surface)) {
        (true, None) => Ok("✓".into()),
        (false, Some(why)) => {
            let at = reasons.iter().position(|known| *known == why).unwrap_or_else(|| {
                reasons.push(why);
                reasons.len() - 1
            });
            Ok(letter(at))
        }
        (true, Some(_)) => Err(Failure::new(format!("`{}` was called on {} and has a reason not to be there", method.name, surface.name()))
            .hint("take the reason out of its line in crates/codepod-api")),
        (false, None) => Err(Failure::new(format!("`{}` was not called on {}", method.name, surface.name()))
            .hint("call it in the surface's parity test, or say in its line in crates/codepod-api why it is not there")),
    }
}

fn letter(number: usize) -> String {
    char::from_u32('a' as u32 + number as u32)
        .unwrap_or('?')
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Called {
        let here = |surface: Surface| {
            let names = METHODS
                .iter()
                .filter(|method| method.reason_not_on(surface).is_none());
            names.map(|method| method.name.to_owned()).collect()
        };
        Called(
            Surface::ALL
                .iter()
                .map(|surface| (*surface, here(*surface)))
                .collect(),
        )
    }

    #[test]
    fn every_cell_is_a_tick_or_a_reason() {
        let page = page(&all()).unwrap_or_else(|failure| panic!("{failure}"));
        assert!(page.contains("✓"));
        let rows = page.lines().filter(|line| line.starts_with("| [`"));
        assert_eq!(rows.clone().count(), METHODS.len());
        assert!(
            rows.flat_map(|row| row.split('|').skip(2))
                .filter(|cell| !cell.is_empty())
                .all(|cell| cell.trim().chars().count() == 1)
        );
    }

    #[test]
    fn what_was_not_called_and_what_should_not_be_there_are_errors() {
        let mut called = all();
        called.0[0].1.remove("run");
        assert!(page(&called).is_err());
        let mut called = all();
        called.0[2].1.insert("sandbox.create".into());
        assert!(page(&called).is_err());
    }
}
