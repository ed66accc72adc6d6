//! Compares the layer table of `ARCHITECTURE.md` with what the crates really depend on.
//!
//! The table has the columns `crate`, `what it is`, `what it leaves to others`, `may depend on`. A
//! crate may depend only on what its row names, and a row may name only crates below it, so the
//! layers have no cycle. Rows of crates that do not exist yet are fine; crates without a row are
//! not. The row `guests/*` stands for every package of the guests' workspace; dependencies among
//! guests are their own matter.

use crate::cache;
use crate::failure::{Failure, Outcome};
use crate::metadata::{self, Package};

/// The row that stands for all guests.
const GUESTS: &str = "guests/*";

/// A row of the table.
#[derive(Debug, PartialEq)]
struct Layer {
    name: String,
    may_depend_on: Vec<String>,
}

/// Fails when the table and the crates disagree, naming every disagreement.
pub(crate) fn check() -> Outcome<String> {
    let path = cache::in_root("ARCHITECTURE.md");
    let layers = parse(&cache::read(&path)?);
    if layers.is_empty() {
        return Err(Failure::file("use", &path, "it has no layer table"));
    }
    let hosts = metadata::host()?;
    let guests = metadata::guests()?;
    let faults = faults(&layers, &hosts, &guests);
    if !faults.is_empty() {
        return Err(Failure::new(format!("the layers are broken:\n  {}", faults.join("\n  "))).hint(
            "change the dependency, or the table in ARCHITECTURE.md when the layer itself is meant to change",
        ));
    }
    Ok(format!(
        "layers: {} crates and {} guest packages keep to ARCHITECTURE.md",
        hosts.len(),
        guests.len()
    ))
}

/// The rows of the table whose last column is `may depend on`.
fn parse(text: &str) -> Vec<Layer> {
    let mut layers = Vec::new();
    let mut in_table = false;
    for line in text.lines() {
        let cells: Vec<&str> = line
            .trim()
            .trim_matches('|')
            .split('|')
            .map(str::trim)
            .collect();
        if cells.first() == Some(&"crate") && cells.last() == Some(&"may depend on") {
            in_table = true;
        } else if !line.trim_start().starts_with('|') {
            in_table = false;
        } else if in_table && let [first, .., last] = cells[..] {
            let Some(name) = in_backticks(first).pop() else {
                continue;
            };
            layers.push(Layer {
                name,
                may_depend_on: in_backticks(last),
            });
        }
    }
    layers
}

/// The pieces of a cell that stand in backticks.
fn in_backticks(cell: &str) -> Vec<String> {
    cell.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

fn faults(layers: &[Layer], hosts: &[Package], guests: &[Package]) -> Vec<String> {
    let mut faults = Vec::new();
    for (place, layer) in layers.iter().enumerate() {
        for name in &layer.may_depend_on {
            if !layers[place + 1..].iter().any(|below| below.name == *name) {
                faults.push(format!(
                    "the table lets `{}` depend on `{name}`, which has no row below it",
                    layer.name
                ));
            }
        }
    }
    for package in hosts {
        faults.extend(package_faults(layers, &package.name, package, &[]));
    }
    let among_guests: Vec<&str> = guests.iter().map(|guest| guest.name.as_str()).collect();
    for guest in guests {
        faults.extend(package_faults(layers, GUESTS, guest, &among_guests));
    }
    faults
}

fn package_faults(
    layers: &[Layer],
    row: &str,
    package: &Package,
    always_allowed: &[&str],
) -> Vec<String> {
    let Some(layer) = layers.iter().find(|layer| layer.name == row) else {
        return vec![format!(
            "`{}` has no row `{row}` in the table",
            package.name
        )];
    };
    package
        .path_dependencies
        .iter()
        .filter(|name| {
            !layer.may_depend_on.contains(name) && !always_allowed.contains(&name.as_str())
        })
        .map(|name| {
            format!(
                "`{}` depends on `{name}`, which its row does not name",
                package.name
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
| crate | what it is | may depend on |\n\
|---|---|---|\n\
| `top` | a | `middle`, `base` |\n\
| `middle` | b | `base` |\n\
| `guests/*` | g | `base` |\n\
| `base` | c | nothing |\n\
\n\
| other | table |\n\
| `x` | `y` |\n";

    fn package(name: &str, dependencies: &[&str]) -> Package {
        Package {
            name: name.into(),
            directory: name.into(),
            binaries: Vec::new(),
            path_dependencies: dependencies.iter().map(|&name| name.into()).collect(),
        }
    }

    #[test]
    fn the_crates_keep_to_architecture_md() {
        check().unwrap_or_else(|failure| panic!("{failure}"));
    }

    #[test]
    fn only_the_layer_table_is_read() {
        let layers = parse(TABLE);
        let names: Vec<&str> = layers.iter().map(|layer| layer.name.as_str()).collect();
        assert_eq!(names, ["top", "middle", "guests/*", "base"]);
        assert_eq!(layers[0].may_depend_on, ["middle", "base"]);
        assert!(layers[3].may_depend_on.is_empty());
    }

    #[test]
    fn rows_of_crates_that_do_not_exist_are_fine() {
        assert!(faults(&parse(TABLE), &[package("base", &[])], &[]).is_empty());
    }

    #[test]
    fn a_dependency_that_the_row_does_not_name_is_a_fault() {
        let faults = faults(&parse(TABLE), &[package("middle", &["base", "top"])], &[]);
        assert_eq!(
            faults,
            ["`middle` depends on `top`, which its row does not name"]
        );
    }

    #[test]
    fn a_crate_without_a_row_is_a_fault() {
        assert_eq!(faults(&parse(TABLE), &[package("new", &[])], &[]).len(), 1);
    }

    #[test]
    fn guests_see_each_other_and_what_their_row_names() {
        let guests = [
            package("sys", &["base"]),
            package("tool", &["sys", "middle"]),
        ];
        let faults = faults(&parse(TABLE), &[], &guests);
        assert_eq!(
            faults,
            ["`tool` depends on `middle`, which its row does not name"]
        );
    }

    #[test]
    fn a_row_that_points_up_is_a_fault() {
        let table = "| crate | may depend on |\n|---|---|\n| `a` | |\n| `b` | `a` |\n";
        assert_eq!(faults(&parse(table), &[], &[]).len(), 1);
    }
}
