//! `git count-objects`: how many objects there are, and how large they are.

use super::Call;
use crate::args::options;
use crate::os;
use crate::out;
use crate::stop::Result;

options! {
    /// What the command line says.
    struct Options for "count-objects" {
        verbose: bool = "v|verbose",
    }
    ignored "H|human-readable"
}

/// `git count-objects`.
pub(crate) fn count_objects(call: &Call) -> Result<i32> {
    let (options, _) = Options::read(&call.words)?;
    let repo = call.repo()?;
    let loose = repo.objects.loose();
    // A block of the disk is the least that a file takes.
    let size: u64 = loose
        .iter()
        .filter_map(|oid| os::lstat(&repo.objects.path_of(oid)).ok())
        .map(|found| found.size.div_ceil(4096) * 4)
        .sum();
    if !options.verbose {
        out::line(format!("{} objects, {size} kilobytes", loose.len()));
        return Ok(0);
    }
    let packed = repo.objects.all().len() - loose.len().min(repo.objects.all().len());
    out::line(format!(
        "count: {}\nsize: {size}\nin-pack: {packed}\npacks: {}\nsize-pack: 0\nprune-packable: 0\ngarbage: 0\nsize-garbage: 0",
        loose.len(),
        repo.objects.pack_count()
    ));
    Ok(0)
}
