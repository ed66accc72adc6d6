//! `deny`: licences, sources and duplicates of everything that we depend on.

use crate::Command;
use crate::cache;
use crate::failure::{Outcome, no_arguments};
use crate::process;

pub(crate) const COMMAND: Command = Command {
    name: "deny",
    arguments: "",
    about: "check licences, sources and bans of dependencies (deny.toml)",
    more: "Advisories are checked too where their database is on the machine already (`cargo deny fetch` brings\n\
        it); nothing is fetched from here, because CI reaches package registries only.",
    run,
};

fn run(arguments: &[String]) -> Outcome {
    no_arguments(arguments, "deny")?;
    all()
}

/// Checks both workspaces.
pub(crate) fn all() -> Outcome {
    let mut what = vec!["licenses", "bans", "sources"];
    // Where cargo-deny keeps advisory databases unless told otherwise.
    if cache::cargo_home().join("advisory-dbs").is_dir() {
        what.extend(["advisories", "--disable-fetch"]);
    } else {
        println!("deny: no advisory database on this machine; advisories are not checked");
    }
    for manifest in ["Cargo.toml", "guests/Cargo.toml"] {
        if cache::in_root(manifest).exists() {
            process::cargo()
                .args(["deny", "--log-level", "error", "--all-features"])
                .args(["--manifest-path", manifest, "--config"])
                .arg(cache::in_root("deny.toml"))
                .arg("check")
                .args(&what)
                .hint("deny.toml says what is allowed")
                .run()?;
        }
    }
    Ok(())
}
