//! The author of a commit.

use super::Options;
use crate::date::{approximate, local_zone, now, parse};
use crate::ident::{self, Role};
use crate::object::{Commit, who_parts, who_time};
use crate::oid::Oid;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, fatal, show};
use crate::walk;

/// Name, address and date: given, or those of the commit that is amended, reused or picked.
pub(super) fn author(
    repo: &Repo,
    options: &Options,
    old: Option<&Commit>,
    picking: bool,
) -> Result<Vec<u8>> {
    let own = match earlier(repo, options, old, picking)? {
        Some(author) if !options.reset_author => author,
        _ => ident::identity(repo, Role::Author, true)?,
    };
    let (name, mail) = match &options.author {
        Some(text) => named(repo, text)?,
        None => {
            let (name, mail) = who_parts(&own);
            (name.to_vec(), mail.to_vec())
        }
    };
    let when = match &options.date {
        Some(text) => date(text)?,
        None => who_time(&own),
    };
    ident::join(&name, &mail, when)
}

/// The author of the commit that this one is made from.
fn earlier(
    repo: &Repo,
    options: &Options,
    old: Option<&Commit>,
    picking: bool,
) -> Result<Option<Vec<u8>>> {
    let author = |oid: &Oid| -> Result<_> { Ok(Some(Commit::read(&repo.objects, oid)?.author)) };
    if let Some(name) = options.reuse.as_ref().or(options.reedit.as_ref()) {
        return match revision::try_resolve(repo, name)? {
            Some(oid) => author(&oid),
            None => fatal(format!("could not lookup commit '{}'", show(name))),
        };
    }
    if let Some(old) = old {
        return Ok(Some(old.author.clone()));
    }
    let picked = repo.read_file("CHERRY_PICK_HEAD").filter(|_| picking);
    match picked.and_then(|text| Oid::parse(&text)) {
        Some(oid) => author(&oid),
        None => Ok(None),
    }
}

/// The author that `--author` names: `Name <mail>`, or one found in history.
fn named(repo: &Repo, text: &[u8]) -> Result<(Vec<u8>, Vec<u8>)> {
    if text.contains(&b'<') && text.contains(&b'>') {
        let (name, mail) = who_parts(text);
        return Ok((name.to_vec(), mail.to_vec()));
    }
    if let Some(head) = repo.head() {
        for commit in walk::by_date(repo, &[head])? {
            let (name, mail) = who_parts(&commit.author);
            let whole = [name, b" <", mail, b">"].concat();
            if whole
                .to_ascii_lowercase()
                .windows(text.len().max(1))
                .any(|part| part == text.to_ascii_lowercase())
            {
                return Ok((name.to_vec(), mail.to_vec()));
            }
        }
    }
    fatal(format!(
        "--author '{}' is not 'Name <email>' and matches no existing author",
        show(text)
    ))
}

/// The date that `--date` names.
fn date(text: &str) -> Result<(i64, i32)> {
    if text == "now" {
        return Ok((now(), local_zone()));
    }
    if let Some(when) = parse(text) {
        return Ok(when);
    }
    let known = [
        "yesterday",
        "ago",
        "noon",
        "midnight",
        "last",
        "day",
        "week",
    ];
    let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    if !has_digit && !known.iter().any(|word| text.contains(word)) {
        return fatal(format!("invalid date format: {text}"));
    }
    Ok((approximate(text, now()), local_zone()))
}
