//! Room on the disk for a run of CI: its target directory holds whatever earlier commits built, and
//! grows by gigabytes with each change of the guests, which the program carries.

use std::path::Path;

use crate::cache;
use crate::failure::{Failure, Outcome};
use crate::process;

const GIGABYTE: u64 = 1 << 30;

/// What a run may need: whatever is there already may be of no use to it.
const NEEDED: u64 = 20 * GIGABYTE;

/// A target directory that is larger is mostly what no commit uses any more.
const LARGEST_TARGET: u64 = 30 * GIGABYTE;

/// Deletes CI's own target directory when it has grown too large or the disk is nearly full; the
/// run then builds everything.
pub(crate) fn make() -> Outcome<String> {
    let Some(target) = cache::own_target().filter(|target| target.is_dir()) else {
        return Ok("nothing to delete".into());
    };
    let (size, free) = (size_of(&target)?, free_beside(&target)?);
    let shown = format!("{} GB built, {} GB free", size / GIGABYTE, free / GIGABYTE);
    if !is_to_go(size, free) {
        return Ok(shown);
    }
    std::fs::remove_dir_all(&target).map_err(|error| Failure::file("remove", &target, error))?;
    Ok(shown + ": what was built is deleted")
}

fn is_to_go(size: u64, free: u64) -> bool {
    size > LARGEST_TARGET || free < NEEDED
}

fn size_of(directory: &Path) -> Outcome<u64> {
    let output = process::program("du").arg("-sk").arg(directory).output()?;
    kilobytes(&output, 0)
}

fn free_beside(directory: &Path) -> Outcome<u64> {
    let output = process::program("df").arg("-Pk").arg(directory).output()?;
    kilobytes(output.lines().nth(1).unwrap_or_default(), 3)
}

/// The number in a column of what `du` and `df` print, in bytes.
fn kilobytes(line: &str, column: usize) -> Outcome<u64> {
    let number = line.split_whitespace().nth(column);
    let number = number.and_then(|number| number.parse::<u64>().ok());
    number.map(|number| number << 10).ok_or_else(|| {
        Failure::new(format!("`{}` has no number of kilobytes", line.trim()))
            .hint("`du -sk` and `df -Pk` are expected as POSIX describes them")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_built_goes_when_it_is_large_or_the_disk_is_nearly_full() {
        assert!(!is_to_go(20 * GIGABYTE, 21 * GIGABYTE));
        assert!(is_to_go(2 * GIGABYTE, 6 * GIGABYTE));
        assert!(is_to_go(31 * GIGABYTE, 200 * GIGABYTE));
    }

    #[test]
    fn the_disk_this_is_on_has_a_size_and_room() {
        assert!(size_of(&cache::in_root("xtask/src")).unwrap() > 0);
        assert!(free_beside(cache::root()).unwrap() > 0);
        assert!(kilobytes("", 0).is_err());
    }
}
