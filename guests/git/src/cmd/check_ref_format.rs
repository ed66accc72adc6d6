//! `git check-ref-format`: whether a reference may have a name.

use super::Call;
use crate::args;
use crate::os;
use crate::out;
use crate::refs;
use crate::stop::{Result, fatal, show};

/// `git check-ref-format`.
pub(crate) fn check_ref_format(call: &Call) -> Result<i32> {
    let parsed = args::parse(
        "check-ref-format",
        "branch allow-onelevel refspec-pattern normalize print",
        &call.words,
    )?;
    let Some(name) = parsed.words.first() else {
        return Err(args::usage("check-ref-format", "a name is needed"));
    };
    if parsed.has("branch") {
        if !refs::is_branch_name(name) {
            return fatal(format!("'{}' is not a valid branch name", show(name)));
        }
        out::line(name);
        return Ok(0);
    }
    let mut name = name.clone();
    if parsed.has("normalize") || parsed.has("print") {
        let parts: Vec<&[u8]> = name
            .split(|byte| *byte == b'/')
            .filter(|part| !part.is_empty())
            .collect();
        name = parts.join(&b'/');
    }
    if parsed.has("refspec-pattern") {
        name = show(&name).replacen('*', "x", 1).into_bytes();
    }
    if !refs::is_valid(&name, parsed.has("allow-onelevel")) {
        return Ok(1);
    }
    if parsed.has("normalize") || parsed.has("print") {
        out::line(&name);
    }
    let _ = os::now;
    Ok(0)
}
