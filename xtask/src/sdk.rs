//! `sdk`: the packages for other languages: checked, tested against the real program, built and
//! tried as a new user would.

pub(crate) mod python;
pub(crate) mod typescript;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::Command;
use crate::failure::{Failure, Outcome, unknown_argument};

pub(crate) const COMMAND: Command = Command {
    name: "sdk",
    arguments: "[python|typescript]",
    about: "check, test and build the packages for other languages",
    more: "Tests use the debug build of the program. The wheel is built from it, too: what is released is built with the\n\
        profile `dist`, which takes minutes.",
    run,
};

/// A package: its name and what is done with it. What it returns is shown in the summary of CI.
type Package = (&'static str, fn() -> Outcome<String>);

const PACKAGES: &[Package] = &[("python", python::all), ("typescript", typescript::all)];

/// The longest time that a new user may have to wait from an empty environment to the first result.
pub(crate) const FIRST_RESULT: Duration = Duration::from_secs(60);

fn run(arguments: &[String]) -> Outcome {
    let chosen: Vec<&Package> = match arguments {
        [] => PACKAGES.iter().collect(),
        [name] => match PACKAGES.iter().find(|(known, _)| known == name) {
            Some(package) => vec![package],
            None => return Err(unknown_argument(name, "sdk")),
        },
        [_, other, ..] => return Err(unknown_argument(other, "sdk")),
    };
    for (name, all) in chosen {
        println!("sdk {name}: {}", all()?);
    }
    Ok(())
}

/// Everything about one package.
pub(crate) fn all(name: &str) -> Outcome<String> {
    match PACKAGES.iter().find(|(known, _)| *known == name) {
        Some((_, all)) => all(),
        None => Err(Failure::new(format!("there is no package `{name}`"))),
    }
}

/// Fails when the first result took too long.
pub(crate) fn judge_first_result(began: Instant) -> Outcome<String> {
    let took = began.elapsed();
    if took > FIRST_RESULT {
        return Err(Failure::new(format!(
            "the first result took {:.0} s, more than {} s",
            took.as_secs_f64(),
            FIRST_RESULT.as_secs()
        )));
    }
    Ok(format!("first result after {:.1} s", took.as_secs_f64()))
}

/// A directory of ours for what is built and tried.
pub(crate) fn work_directory(name: &str) -> Outcome<PathBuf> {
    let target = crate::cache::target();
    let directory = target.join("sdk").join(name);
    crate::cache::make_directory(&directory)?;
    Ok(directory)
}
