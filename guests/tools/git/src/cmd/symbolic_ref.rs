//! `git symbolic-ref`: references that lead to other references.

use super::Call;
use crate::args::{self, options};
use crate::out;
use crate::refs;
use crate::stop::{Result, Stop, fatal, show};

options! {
    /// What the command line says.
    struct Options for "symbolic-ref" {
        quiet: bool = "q|quiet",
        delete: bool = "d|delete",
        short: bool = "short",
    }
    ignored "m|= recurse no-recurse"
}

/// `git symbolic-ref`.
pub(crate) fn symbolic_ref(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.repo()?;
    let Some(name) = rest.words.first() else {
        return Err(args::usage("symbolic-ref", "a name is needed"));
    };
    if options.delete {
        return match repo.refs.raw(name) {
            Some(refs::Target::Symbolic(_)) if name == b"HEAD" => {
                fatal(format!("deleting '{}' is not allowed", show(name)))
            }
            Some(refs::Target::Symbolic(_)) => repo.refs.delete(name).map(|()| 0),
            _ => fatal(format!("Cannot delete {}, not a symbolic ref", show(name))),
        };
    }
    if let Some(target) = rest.words.get(1) {
        if name == b"HEAD" && !target.starts_with(b"refs/") {
            return fatal("Refusing to point HEAD outside of refs/");
        }
        if !refs::is_valid(target, true) {
            return fatal(format!(
                "Refusing to set '{}' to invalid ref '{}'",
                show(name),
                show(target)
            ));
        }
        repo.refs.write_symbolic(name, target)?;
        return Ok(0);
    }
    match repo.refs.raw(name) {
        Some(refs::Target::Symbolic(target)) => {
            out::line(if options.short {
                super::short_ref(&target)
            } else {
                &target
            });
            Ok(0)
        }
        _ if options.quiet => Err(Stop::Status(1)),
        _ => fatal(format!("ref {} is not a symbolic ref", show(name))),
    }
}
