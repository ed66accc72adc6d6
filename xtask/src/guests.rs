//! `guests`: builds what runs inside the sandbox and lists it in `guests/dist/guests.toml`.
//!
//! Every member of the guests' workspace with a `guest.toml` is a guest. Its modules are built for
//! `wasm32-wasip1` with flags that keep the machine's paths out of them, and kept in the cache
//! under the digest of everything they are made from; a second run only copies.

mod build;
mod c;
mod dist;
mod inputs;
mod manifest;
mod script;
mod verify;

use crate::Command;
use crate::failure::{Failure, Outcome, unknown_argument};
use crate::sizes;
use crate::sources::Source;

pub(crate) use build::{all_sources, guest_cargo, with_sources};
use dist::{build_guest, forget_old_builds, precompile, write_list};
use inputs::kept_build;
use manifest::{Guest, all, chosen};
use verify::verify_reproducible;

pub(crate) const COMMAND: Command = Command {
    name: "guests",
    arguments: "[--verify-reproducible] [--only NAME,… | NAME…]",
    about: "build the guests into guests/dist",
    more: "NAME is a guest's name in its `guest.toml`; without one, all are built, Python for most of the time.\n\
        `--only shell,toolbox` gives a sandbox with a shell and the usual tools in a few minutes.\n\
        Results are kept in the cache by the digest of their inputs.\n\
        --verify-reproducible builds copies of the sources in two directories and compares the modules.",
    run,
};

/// The target that all guests are built for.
pub(crate) const TARGET: &str = "wasm32-wasip1";

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
                        "for example `--only shell,toolbox`",
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

/// A guest that ships.
pub(crate) struct Shipped {
    pub(crate) name: String,
    pub(crate) package: String,
    /// Other people's sources that it is built from.
    pub(crate) sources: Vec<Source>,
    /// The guest whose sources it is built from as well.
    pub(crate) extends: Option<String>,
}

/// The guests that ship, all but those of these names.
pub(crate) fn shipped(not_shipped: &[&str]) -> Outcome<Vec<Shipped>> {
    let is_shipped = |guest: &Guest| !not_shipped.contains(&guest.name.as_str());
    let guests = all()?.into_iter().filter(is_shipped);
    let shipped = |guest: Guest| Shipped {
        name: guest.name,
        package: guest.package,
        sources: guest.sources,
        extends: guest.extends,
    };
    Ok(guests.map(shipped).collect())
}

/// Builds all guests, or copies them from the cache, and lists them.
pub(crate) fn bring_all() -> Outcome {
    bring(&all()?)
}

/// What a script builds takes most of an hour, much of it on one core, and a sandbox with a shell
/// needs none of it: it is built beside the others, which are in `guests/dist` when they are done.
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
