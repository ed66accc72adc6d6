//! `git describe`: a commit named by the nearest tag.

use std::collections::HashMap;

use super::Call;
use crate::args::{Optional, options};
use crate::diff::change;
use crate::object::{Tag, who_time};
use crate::oid::{Kind, Oid};
use crate::out;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, fatal, show};
use crate::walk;
use crate::wildmatch::{self, Slashes};

options! {
    /// What the command line says.
    struct Options for "describe" {
        all: bool = "all",
        tags: bool = "tags",
        long: bool = "long",
        first_parent: bool = "first-parent",
        abbrev: Option<String> = "abbrev=",
        exact_match: bool = "exact-match",
        matching: Vec<Vec<u8>> = "match=",
        exclude: Vec<Vec<u8>> = "exclude=",
        always: bool = "always",
        dirty: Optional = "dirty?",
    }
    ignored "candidates="
    refused "contains debug broken?"
}

impl Options {
    fn wants(&self, name: &[u8]) -> bool {
        let matches = |pattern: &Vec<u8>| wildmatch::matches(pattern, name, Slashes::Pass, false);
        (self.matching.is_empty() || self.matching.iter().any(matches))
            && !self.exclude.iter().any(matches)
    }

    /// How many digits are asked for.
    fn digits(&self) -> Option<usize> {
        self.abbrev.as_ref().and_then(|count| count.parse().ok())
    }

    /// A commit's name, short.
    fn short(&self, repo: &Repo, oid: &Oid) -> String {
        let count = self.digits().filter(|count| *count > 0);
        repo.objects.abbreviate(oid, count.unwrap_or(repo.abbrev()))
    }
}

/// How good a name is: that of an annotated tag is better than that of a plain one, and a tag is
/// better than a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Quality {
    Reference,
    Tag,
    /// With its time; the youngest is best.
    Annotated(i64),
}

/// The best name of each commit that has one.
type Names = HashMap<Oid, (Quality, Vec<u8>)>;

/// `git describe`.
pub(crate) fn describe(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.repo()?;
    let names = names(&repo, &options)?;
    let words = match rest.words.is_empty() {
        true => vec![b"HEAD".to_vec()],
        false => rest.words,
    };
    for word in words {
        let Some(oid) = revision::try_resolve(&repo, &word)? else {
            return fatal(format!("Not a valid object name {}", show(&word)));
        };
        let oid = revision::peel(&repo, oid, Some(Kind::Commit))?;
        let mut text = describe_one(&repo, oid, &names, &options)?;
        if options.dirty != Optional::No && is_dirty(&repo)? {
            text += &match &options.dirty {
                Optional::With(mark) => show(mark),
                _ => "-dirty".to_owned(),
            };
        }
        out::line(text);
    }
    Ok(0)
}

fn is_dirty(repo: &Repo) -> Result<bool> {
    let mut index = repo.index()?;
    change::refresh(repo, &mut index)?;
    let tree = super::head_tree(repo)?;
    let changes = change::tree_to_files(repo, tree, &index, &Pathspec::default())?;
    Ok(!changes.is_empty())
}

fn names(repo: &Repo, options: &Options) -> Result<Names> {
    let mut names = Names::new();
    for (full, oid) in repo.refs.all(b"refs/") {
        let is_tag = full.starts_with(b"refs/tags/");
        let short = full.strip_prefix(b"refs/tags/").unwrap_or(&full);
        if !(is_tag || options.all) || !options.wants(short) {
            continue;
        }
        let (kind, content) = repo.objects.read(&oid)?;
        let quality = match kind {
            Kind::Tag => {
                let time = |tag: Tag| who_time(&tag.tagger).0;
                Quality::Annotated(Tag::parse(&content).map_or(0, time))
            }
            _ if !options.tags && !options.all => continue,
            _ if is_tag => Quality::Tag,
            _ => Quality::Reference,
        };
        let Ok(target) = revision::peel(repo, oid, Some(Kind::Commit)) else {
            continue;
        };
        if names.get(&target).is_none_or(|(old, _)| quality > *old) {
            let name = match options.all {
                true => full.strip_prefix(b"refs/").unwrap_or(&full),
                false => short,
            };
            names.insert(target, (quality, name.to_vec()));
        }
    }
    Ok(names)
}

fn describe_one(repo: &Repo, oid: Oid, names: &Names, options: &Options) -> Result<String> {
    let short = || options.short(repo, &oid);
    if let Some((_, name)) = names.get(&oid) {
        return Ok(match options.long {
            true => format!("{}-0-g{}", show(name), short()),
            false => show(name),
        });
    }
    if options.exact_match {
        return fatal(format!("no tag exactly matches '{oid}'"));
    }
    match nearest(repo, oid, names, options)? {
        Some((_, name)) if options.digits() == Some(0) => Ok(name),
        Some((count, name)) => Ok(format!("{name}-{count}-g{}", short())),
        None if options.always => Ok(short()),
        None if repo.refs.all(b"refs/tags/").is_empty() => {
            fatal("No names found, cannot describe anything.")
        }
        None if options.tags => fatal(format!(
            "No tags can describe '{oid}'.\nTry --always, or create some tags."
        )),
        None => fatal(format!(
            "No annotated tags can describe '{oid}'.\nHowever, there were unannotated tags: try --tags."
        )),
    }
}

/// The name with the fewest commits between it and a commit, of the first ten, and how many.
fn nearest(
    repo: &Repo,
    oid: Oid,
    names: &Names,
    options: &Options,
) -> Result<Option<(usize, String)>> {
    let commits = walk::range(repo, &[oid], &[], options.first_parent)?;
    let named = commits
        .iter()
        .filter_map(|commit| Some((commit.oid, names.get(&commit.oid)?)));
    let mut best: Option<(usize, String)> = None;
    for (named, (_, name)) in named.take(10) {
        let between = walk::range(repo, &[oid], &[named], options.first_parent)?.len();
        if best.as_ref().is_none_or(|(count, _)| between < *count) {
            best = Some((between, show(name)));
        }
    }
    Ok(best)
}
