//! `git describe`: a commit named by the nearest tag.

use std::collections::HashMap;

use super::Call;
use crate::args;
use crate::object::Tag;
use crate::oid::{Kind, Oid};
use crate::out;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, Stop, fatal, show};
use crate::walk;
use crate::wildmatch::{self, Slashes};

/// `git describe`.
pub(crate) fn describe(call: &Call) -> Result<i32> {
    let table = "contains debug all tags long first-parent abbrev= exact-match candidates= match= exclude= always dirty? broken?";
    let parsed = args::parse("describe", table, &call.words)?;
    parsed.refuse(&["contains", "debug", "broken"])?;
    let repo = call.repo()?;
    let abbrev = match parsed.text("abbrev") {
        Some(count) => count.parse::<usize>().ok(),
        None => None,
    };
    // (priority, name) of each commit; annotated tags come first.
    let mut names: HashMap<Oid, (u8, i64, Vec<u8>)> = HashMap::new();
    for (full, oid) in repo.refs.all(b"refs/") {
        let is_tag = full.starts_with(b"refs/tags/");
        if !is_tag && !parsed.has("all") {
            continue;
        }
        let short = full.strip_prefix(b"refs/tags/").unwrap_or(&full);
        let matches = |pattern: &Vec<u8>| wildmatch::matches(pattern, short, Slashes::Pass, false);
        if (!parsed.values("match").is_empty() && !parsed.values("match").iter().any(matches))
            || parsed.values("exclude").iter().any(matches)
        {
            continue;
        }
        let (kind, content) = repo.objects.read(&oid)?;
        let mut when = 0;
        let priority = match (kind, is_tag) {
            (Kind::Tag, _) => {
                when = Tag::parse(&content).map_or(0, |tag| crate::object::who_time(&tag.tagger).0);
                2
            }
            (_, true) => 1,
            _ => 0,
        };
        if priority < 2 && !parsed.has("tags") && !parsed.has("all") {
            continue;
        }
        let Ok(target) = revision::peel(&repo, oid, Some(Kind::Commit)) else {
            continue;
        };
        let name = match parsed.has("all") {
            true => full.strip_prefix(b"refs/").unwrap_or(&full).to_vec(),
            false => short.to_vec(),
        };
        let better = names
            .get(&target)
            .is_none_or(|(old, time, _)| (priority, when) > (*old, *time));
        if better {
            names.insert(target, (priority, when, name));
        }
    }
    let words = if parsed.words.is_empty() {
        vec![b"HEAD".to_vec()]
    } else {
        parsed.words.clone()
    };
    for word in words {
        let Some(oid) = revision::try_resolve(&repo, &word)? else {
            return fatal(format!("Not a valid object name {}", show(&word)));
        };
        let oid = revision::peel(&repo, oid, Some(Kind::Commit))?;
        let mut text = describe_one(&repo, oid, &names, abbrev, &parsed)?;
        if parsed.has("dirty") {
            let mut index = repo.index()?;
            crate::diff::change::refresh(&repo, &mut index)?;
            let paths = crate::pathspec::Pathspec::default();
            let tree = super::head_tree(&repo)?;
            if !crate::diff::change::tree_to_files(&repo, tree, &index, &paths)?.is_empty() {
                text += &parsed.text("dirty").unwrap_or_else(|| "-dirty".to_owned());
            }
        }
        out::line(text);
    }
    Ok(0)
}

fn describe_one(
    repo: &Repo,
    oid: Oid,
    names: &HashMap<Oid, (u8, i64, Vec<u8>)>,
    abbrev: Option<usize>,
    parsed: &args::Parsed,
) -> Result<String> {
    let digits = |oid: &Oid| {
        repo.objects.abbreviate(
            oid,
            abbrev.filter(|count| *count > 0).unwrap_or(repo.abbrev()),
        )
    };
    if let Some((_, _, name)) = names.get(&oid) {
        return Ok(match parsed.has("long") {
            true => format!("{}-0-g{}", show(name), digits(&oid)),
            false => show(name),
        });
    }
    if parsed.has("exact-match") {
        return fatal(format!("no tag exactly matches '{oid}'"));
    }
    let commits = walk::range(repo, &[oid], &[], parsed.has("first-parent"))?;
    // The tag with the fewest commits between.
    let mut best: Option<(usize, Oid)> = None;
    let mut tried = 0;
    for commit in &commits {
        if names.contains_key(&commit.oid) {
            let between =
                walk::range(repo, &[oid], &[commit.oid], parsed.has("first-parent"))?.len();
            if best.is_none_or(|(count, _)| between < count) {
                best = Some((between, commit.oid));
            }
            tried += 1;
            if tried >= 10 {
                break;
            }
        }
    }
    match best {
        Some((count, tag)) => {
            let name = show(&names[&tag].2);
            if abbrev == Some(0) {
                return Ok(name);
            }
            Ok(format!("{name}-{count}-g{}", digits(&oid)))
        }
        None if parsed.has("always") => Ok(digits(&oid)),
        None => {
            let any = repo.refs.all(b"refs/tags/");
            if any.is_empty() || parsed.has("tags") {
                return fatal(match any.is_empty() {
                    true => "No names found, cannot describe anything.".to_owned(),
                    false => {
                        format!("No tags can describe '{oid}'.\nTry --always, or create some tags.")
                    }
                });
            }
            let _ = Stop::Status(0);
            fatal(format!(
                "No annotated tags can describe '{oid}'.\nHowever, there were unannotated tags: try --tags."
            ))
        }
    }
}
