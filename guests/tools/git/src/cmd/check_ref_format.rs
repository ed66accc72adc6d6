//! `git check-ref-format`: whether a reference may have a name.

use super::Call;
use crate::args::{self, options};
use crate::out;
use crate::refs;
use crate::stop::{Result, fatal, show};

options! {
    /// What the command line says.
    struct Options for "check-ref-format" {
        branch: bool = "branch",
        allow_onelevel: bool = "allow-onelevel",
        refspec_pattern: bool = "refspec-pattern",
        normalize: bool = "normalize",
        /// The old name of `--normalize`.
        print: bool = "print",
    }
}

/// `git check-ref-format`.
pub(crate) fn check_ref_format(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let Some(name) = rest.words.first() else {
        return Err(args::usage("check-ref-format", "a name is needed"));
    };
    if options.branch {
        if !refs::is_branch_name(name) {
            return fatal(format!("'{}' is not a valid branch name", show(name)));
        }
        out::line(name);
        return Ok(0);
    }
    let mut name = name.clone();
    if options.normalize || options.print {
        let parts: Vec<&[u8]> = name
            .split(|byte| *byte == b'/')
            .filter(|part| !part.is_empty())
            .collect();
        name = parts.join(&b'/');
    }
    if options.refspec_pattern {
        name = show(&name).replacen('*', "x", 1).into_bytes();
    }
    if !refs::is_valid(&name, options.allow_onelevel) {
        return Ok(1);
    }
    if options.normalize || options.print {
        out::line(&name);
    }
    Ok(0)
}
