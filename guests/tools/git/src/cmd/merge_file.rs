//! `git merge-file`.

use super::Call;
use crate::args::{options, usage};
use crate::merge::text::{self, Favor, Style};
use crate::os;
use crate::out;
use crate::stop::{Result, Stop, show, why};

options! {
    /// What the command line says.
    struct Options for "merge-file" {
        stdout: bool = "p|stdout",
        /// Names of our side, of the base and of their side.
        labels: Vec<Vec<u8>> = "L|=",
        style: Option<Style> = ["diff3" => Style::Diff3, "zdiff3" => Style::Zdiff3],
        favor: Option<Favor> = [
            "ours" => Favor::Ours,
            "theirs" => Favor::Theirs,
            "union" => Favor::Union,
        ],
    }
    ignored "q|quiet"
    refused "object-id marker-size= diff-algorithm="
}

/// `git merge-file`.
pub(crate) fn merge_file(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let [ours, base, theirs] = &rest.words[..] else {
        return Err(usage("merge-file", "three files are needed"));
    };
    let label = |at: usize, path: &[u8]| {
        let given = options.labels.get(at).cloned();
        given.unwrap_or_else(|| path.to_vec())
    };
    let how = text::Options {
        ours: label(0, ours),
        base: label(1, base),
        theirs: label(2, theirs),
        style: options.style.unwrap_or(Style::Merge),
        favor: options.favor.unwrap_or(Favor::None),
        ..text::Options::default()
    };
    let (result, conflicts) = text::merge(&read(base)?, &read(ours)?, &read(theirs)?, &how);
    match options.stdout {
        true => out::put(&result),
        false => os::write(ours, &result)?,
    }
    Ok(conflicts.min(127) as i32)
}

fn read(path: &[u8]) -> Result<Vec<u8>> {
    os::read(path).map_err(|found| {
        let message = format!("Could not stat {}: {}", show(path), why(&found));
        Stop::ErrorStatus(message.into_bytes(), 255)
    })
}
