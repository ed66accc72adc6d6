//! `git mv`.

use super::Call;
use crate::args::options;
use crate::index::{Entry, Index};
use crate::oid::Oid;
use crate::os;
use crate::out;
use crate::repo::Repo;
use crate::stop::{Result, fatal, show, why};

options! {
    /// What the command line says.
    struct Options for "mv" {
        verbose: bool = "v|verbose",
        dry: bool = "n|dry-run",
        force: bool = "f|force",
        /// Sources that cannot be moved are left out.
        skip: bool = "k|",
    }
    ignored "sparse"
}

/// Where the sources go.
struct Destination {
    path: Vec<u8>,
    /// Whether the sources go into it.
    is_directory: bool,
}

/// A file or directory, and its path afterwards.
struct Move {
    source: Vec<u8>,
    to: Vec<u8>,
}

/// `git mv`.
pub(crate) fn mv(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let Some((target, sources)) = rest.words.split_last().filter(|(_, rest)| !rest.is_empty())
    else {
        out::note(
            "usage: git mv [-v] [-f] [-n] [-k] <source> <destination>\n   or: git mv [-v] [-f] [-n] [-k] <source>... <destination-directory>",
        );
        return Ok(129);
    };
    let repo = call.work_tree()?;
    let mut index = repo.index()?;
    let destination = destination(&repo, target)?;
    if sources.len() > 1 && !destination.is_directory {
        return fatal(format!("destination '{}' is not a directory", show(target)));
    }
    for step in plan(&repo, &index, sources, &destination, &options)? {
        if options.verbose || options.dry {
            let (source, to) = (show(&step.source), show(&step.to));
            out::line(format!("Renaming {source} to {to}"));
        }
        if !options.dry {
            apply(&mut index, &step)?;
        }
    }
    if !options.dry {
        repo.write_index(&index)?;
    }
    Ok(0)
}

fn destination(repo: &Repo, given: &[u8]) -> Result<Destination> {
    match repo.path_of_user(given) {
        Some(path) => Ok(Destination {
            is_directory: os::is_dir(&path) || path.is_empty(),
            path,
        }),
        None => fatal(format!("'{}' is outside repository", show(given))),
    }
}

/// The moves that are to be made; fails where one cannot be.
fn plan(
    repo: &Repo,
    index: &Index,
    sources: &[Vec<u8>],
    destination: &Destination,
    options: &Options,
) -> Result<Vec<Move>> {
    let mut moves = Vec::new();
    for word in sources {
        let Some(source) = repo.path_of_user(word) else {
            return fatal(format!("'{}' is outside repository", show(word)));
        };
        let to = destination.path_of(&source);
        let step = Move { source, to };
        match step.obstacle(index, destination, options) {
            None => moves.push(step),
            Some(_) if options.skip => {}
            Some(bad) => {
                let (source, to) = (show(&step.source), show(&step.to));
                return fatal(format!("{bad}, source={source}, destination={to}"));
            }
        }
    }
    Ok(moves)
}

impl Destination {
    fn path_of(&self, source: &[u8]) -> Vec<u8> {
        let name = source.rsplit(|byte| *byte == b'/').next();
        let name = name.unwrap_or(source);
        match (self.is_directory, self.path.is_empty()) {
            (true, true) => name.to_vec(),
            (true, false) => [&self.path[..], b"/", name].concat(),
            (false, _) => self.path.clone(),
        }
    }
}

impl Move {
    /// Why it cannot be made.
    fn obstacle(
        &self,
        index: &Index,
        destination: &Destination,
        options: &Options,
    ) -> Option<&'static str> {
        let Move { source, to } = self;
        let is_directory = os::lstat(source).is_ok_and(|found| found.is_dir());
        let is_inside = to == source || to.starts_with(&[&source[..], b"/"].concat());
        if !os::exists(source) {
            return Some("bad source");
        }
        if is_directory && is_inside {
            return Some("can not move directory into itself");
        }
        if is_directory && !index.has_below(source) {
            return Some("source directory is empty");
        }
        if !is_directory && index.get(source).is_none() {
            return match index.has(source) {
                true => Some("conflicted"),
                false => Some("not under version control"),
            };
        }
        if os::exists(to) && !options.force {
            return Some("destination exists");
        }
        if !destination.is_directory && !above_exists(to) {
            return Some("destination directory does not exist");
        }
        None
    }
}

fn apply(index: &mut Index, step: &Move) -> Result<()> {
    let Move { source, to } = step;
    if let Err(found) = os::rename(source, to) {
        return fatal(format!(
            "renaming '{}' failed: {}",
            show(source),
            why(&found)
        ));
    }
    let below = [&source[..], b"/"].concat();
    let entries: Vec<Entry> = index
        .entries
        .values()
        .filter(|entry| entry.path == *source || entry.path.starts_with(&below))
        .cloned()
        .collect();
    for mut entry in entries {
        index.remove(&entry.path);
        entry.path = [&to[..], &entry.path[source.len()..]].concat();
        if let Ok(found) = os::lstat(&entry.path)
            && entry.oid != Oid::NULL
        {
            entry.stat.ctime = found.ctime;
        }
        index.put(entry);
    }
    Ok(())
}

fn above_exists(path: &[u8]) -> bool {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => os::is_dir(&path[..at]),
        None => true,
    }
}
