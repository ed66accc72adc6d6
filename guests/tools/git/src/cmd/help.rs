//! `git help`: the usage, and the commands that there are.

use super::{COMMANDS, Call, USAGE};
use crate::out;
use crate::stop::Result;

/// `git help`.
pub(crate) fn help(_: &Call) -> Result<i32> {
    out::put(USAGE.as_bytes());
    out::put(b"\nThese are the commands of codepod's git:\n");
    for chunk in COMMANDS.chunks(6) {
        let names: Vec<String> = chunk
            .iter()
            .map(|(name, _)| format!("{name:<12}"))
            .collect();
        out::line(format!("   {}", names.join(" ").trim_end()));
    }
    Ok(0)
}
