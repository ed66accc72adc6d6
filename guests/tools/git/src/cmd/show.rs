//! `git show`: objects of all kinds, each in its own form.

use super::Call;
use super::log::{LogOptions, born_head};
use crate::history::Query;
use crate::object::{Commit, Tag, read_tree, who_parts};
use crate::oid::{Kind, Oid};
use crate::out::put;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, fatal, show as text_of};

/// `git show`.
pub(crate) fn show(call: &Call) -> Result<i32> {
    let repo = call.repo()?;
    let (mut show, words, dashes) = LogOptions::parse(&repo, &call.words, "show")?;
    if !show.diff.has_format() {
        show.diff.patch = true;
    }
    let (before, after) = words.split_at(dashes.unwrap_or(words.len()));
    let mut objects = Vec::new();
    let mut paths = Vec::new();
    for word in before {
        if paths.is_empty() && take_objects(&repo, word, &mut objects)? {
            continue;
        }
        if dashes.is_some() {
            return fatal(format!("bad revision '{}'", text_of(word)));
        }
        crate::history::check_path(&repo, word)?;
        paths.push(word.clone());
    }
    paths.extend_from_slice(after);
    show.query.paths = Pathspec::new(&repo, &paths)?;
    if objects.is_empty() {
        objects.push((born_head(&repo)?, b"HEAD".to_vec()));
    }
    let mut first = true;
    for (oid, name) in objects {
        object(&repo, oid, &name, &mut show, &mut first, 0)?;
    }
    Ok(0)
}

/// Adds the objects that a word names, with the word; whether it names any.
fn take_objects(repo: &Repo, word: &[u8], objects: &mut Vec<(Oid, Vec<u8>)>) -> Result<bool> {
    let is_range = word.windows(2).any(|two| two == b"..");
    if is_range && revision::try_resolve(repo, word)?.is_none() {
        let mut query = Query::default();
        if query.revision(repo, word)? {
            let commits = query.run(repo)?.into_iter();
            objects.extend(commits.map(|commit| (commit.oid, word.to_vec())));
            return Ok(true);
        }
    }
    match revision::lookup(repo, word)? {
        Some(found) if repo.objects.has(&found.oid) => {
            objects.push((found.oid, word.to_vec()));
            return Ok(true);
        }
        Some(found) if found.entry.is_none() => {
            return fatal(format!("bad object {}", text_of(word)));
        }
        _ => {}
    }
    if let Some(at) = word.iter().position(|byte| *byte == b':')
        && at > 0
        && revision::try_resolve(repo, &word[..at])?.is_some()
    {
        let (name, path) = (text_of(&word[..at]), text_of(&word[at + 1..]));
        let here = repo
            .path_of_user(path.as_bytes())
            .is_some_and(|path| crate::os::exists(&path));
        return match here {
            true => fatal(format!("path '{path}' exists on disk, but not in '{name}'")),
            false => fatal(format!("path '{path}' does not exist in '{name}'")),
        };
    }
    Ok(false)
}

fn object(
    repo: &Repo,
    oid: Oid,
    name: &[u8],
    show: &mut LogOptions,
    first: &mut bool,
    depth: usize,
) -> Result<()> {
    let (kind, content) = repo.objects.read(&oid)?;
    match kind {
        Kind::Blob => {
            put(&content);
        }
        Kind::Tree => {
            if !*first {
                put(b"\n");
            }
            *first = false;
            put(&[b"tree ", name, b"\n\n"].concat());
            for entry in read_tree(&repo.objects, &oid)? {
                put(&repo.quote(&entry.name));
                put(if entry.is_tree() { b"/\n" } else { b"\n" });
            }
        }
        Kind::Tag => {
            let Some(tag) = Tag::parse(&content) else {
                return fatal(format!("bad tag {oid}"));
            };
            if !*first {
                put(b"\n");
            }
            *first = true;
            put(&[b"tag ", &tag.name[..], b"\n"].concat());
            if !tag.tagger.is_empty() {
                let (who, mail) = who_parts(&tag.tagger);
                let (time, zone) = crate::object::who_time(&tag.tagger);
                let style = show.context.date.clone().unwrap_or_default();
                put(&[b"Tagger: ", who, b" <", mail, b">\nDate:   "].concat());
                put(crate::date::show(time, zone, &style).as_bytes());
                put(b"\n");
            }
            put(b"\n");
            put(&tag.message);
            if depth < 16 {
                put(b"\n");
                return object(repo, tag.target, name, show, first, depth + 1);
            }
        }
        Kind::Commit => {
            let commit = Commit::read(&repo.objects, &oid)?;
            show.commit(repo, &commit, first, &mut None)?;
        }
    }
    Ok(())
}
