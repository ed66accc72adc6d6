//! `git reflog`: the logs of references.

use super::Call;
use super::log::{LogOptions, born_head};
use crate::object::{Commit, who_parts};
use crate::out;
use crate::pretty::Format;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, fatal, show as text_of};

/// `git reflog`.
pub(crate) fn reflog(call: &Call) -> Result<i32> {
    let repo = call.repo()?;
    let mut words = call.words.clone();
    match words.first().map(Vec::as_slice) {
        Some(b"show") => {
            words.remove(0);
        }
        Some(b"exists") => {
            let name = words.get(1).cloned().unwrap_or_default();
            return Ok(i32::from(!repo.refs.has_log(&name)));
        }
        Some(b"list") => {
            with_logs(&repo).iter().for_each(out::line);
            return Ok(0);
        }
        Some(b"delete") => return delete(&repo, &words[1..]),
        Some(b"expire") => return expire(&repo, &words),
        _ => {}
    }
    let (mut show, rest, _) = LogOptions::parse(&repo, &words, "log")?;
    if show.format == Format::Medium
        && !words
            .iter()
            .any(|word| word.starts_with(b"--pretty") || word.starts_with(b"--format"))
    {
        show.format = Format::Oneline;
        show.context.abbrev_commit = true;
    }
    let name = rest.first().cloned().unwrap_or_else(|| b"HEAD".to_vec());
    if rest.is_empty() {
        born_head(&repo)?;
    }
    show_log(&repo, &name, show)
}

/// Shows the log of a reference, the newest line first.
pub(super) fn show_log(repo: &Repo, name: &[u8], mut show: LogOptions) -> Result<i32> {
    let shown = name.to_vec();
    let Some(full) = revision::full_ref(repo, name) else {
        return Err(revision::ambiguous(name));
    };
    let log = repo.refs.read_log(&full);
    let mut first = true;
    let max = show.query.max.unwrap_or(usize::MAX);
    for (number, line) in log.iter().rev().enumerate().take(max) {
        let Ok(commit) = Commit::read(&repo.objects, &line.new) else {
            continue;
        };
        let selector = match &show.context.date {
            Some(style) => {
                let (time, zone) = crate::object::who_time(&line.who);
                format!(
                    "{}@{{{}}}",
                    text_of(&shown),
                    crate::date::show(time, zone, style)
                )
            }
            None => format!("{}@{{{number}}}", text_of(&shown)),
        };
        let (who, mail) = who_parts(&line.who);
        let who = [who, b" <", mail, b">"].concat();
        show.context.log = Some((selector.into_bytes(), line.message.clone(), who));
        show.commit(repo, &commit, &mut first, &mut None)?;
    }
    Ok(0)
}

/// The references that have a log.
fn with_logs(repo: &Repo) -> Vec<Vec<u8>> {
    let mut names = vec![b"HEAD".to_vec()];
    names.extend(repo.refs.all(b"refs/").into_iter().map(|(name, _)| name));
    names.retain(|name| repo.refs.has_log(name));
    names
}

/// `git reflog expire`: everything or nothing.
fn expire(repo: &Repo, words: &[Vec<u8>]) -> Result<i32> {
    let all = words.iter().any(|word| word == b"--all");
    let now = words.iter().any(|word| {
        [
            &b"--expire=now"[..],
            b"--expire=all",
            b"--expire-unreachable=now",
        ]
        .contains(&&word[..])
    });
    if all && now {
        for name in with_logs(repo) {
            repo.refs.write_log(&name, &[])?;
        }
    }
    Ok(0)
}

fn delete(repo: &Repo, words: &[Vec<u8>]) -> Result<i32> {
    for word in words.iter().filter(|word| word[0] != b'-') {
        let text = text_of(word);
        let Some((name, number)) = text
            .strip_suffix('}')
            .and_then(|text| text.split_once("@{"))
        else {
            return fatal(format!("no reflog specified to delete: {text}"));
        };
        let Some(full) = revision::full_ref(repo, name.as_bytes()) else {
            return fatal(format!("no reflog for '{text}'"));
        };
        let mut log = repo.refs.read_log(&full);
        let number: usize = number.parse().unwrap_or(usize::MAX);
        if number < log.len() {
            let at = log.len() - 1 - number;
            log.remove(at);
            repo.refs.write_log(&full, &log)?;
        }
    }
    Ok(0)
}
