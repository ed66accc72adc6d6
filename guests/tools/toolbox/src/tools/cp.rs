//! cp of streams: `/dev/null`, `/dev/stdin` and pipes are read to their end. All else is left to
//! uutils, which refuses them here.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use uucore::error::strip_errno;

/// Copies where `arguments`, the tool's name first, are a stream and a target, with `-f` at most;
/// otherwise does nothing and returns none.
pub(super) fn stream(arguments: &[OsString]) -> Option<i32> {
    let operands: Vec<&OsString> = arguments
        .iter()
        .skip(1)
        .filter(|argument| *argument != "-f")
        .collect();
    let [source, target] = operands[..] else {
        return None;
    };
    let is_option = |name: &OsString| name.as_encoded_bytes().starts_with(b"-");
    if is_option(source) || is_option(target) {
        return None;
    }
    let kind = fs::metadata(source).ok()?.file_type();
    if kind.is_file() || kind.is_dir() {
        return None;
    }
    let mut place = PathBuf::from(target);
    if place.is_dir() {
        place.push(Path::new(source).file_name()?);
    }
    Some(match copy(Path::new(source), &place) {
        Ok(()) => 0,
        Err(message) => {
            eprintln!("cp: {message}");
            1
        }
    })
}

fn copy(source: &Path, place: &Path) -> Result<(), String> {
    let mut from = File::open(source).map_err(|error| {
        let why = strip_errno(&error);
        format!("cannot open '{}' for reading: {why}", source.display())
    })?;
    let mut to = File::create(place).map_err(|error| {
        let why = strip_errno(&error);
        format!("cannot create regular file '{}': {why}", place.display())
    })?;
    io::copy(&mut from, &mut to).map_err(|error| {
        let why = strip_errno(&error);
        format!(
            "error copying '{}' to '{}': {why}",
            source.display(),
            place.display()
        )
    })?;
    Ok(())
}
