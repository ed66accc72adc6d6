//! `git am`: a commit for each mail.

use super::commit::{cleanup, sign_off};
use super::{Call, apply, move_head, write_commit};
use crate::args::options;
use crate::date;
use crate::ident::{self, Role, identity};
use crate::object::{self, Commit, who_parts};
use crate::oid::Oid;
use crate::os;
use crate::out;
use crate::repo::Repo;
use crate::stop::{Result, fatal, show, why};
use crate::worktree;

options! {
    /// What the command line says.
    struct Options for "am" {
        quiet: bool = "q|quiet",
        signoff: bool = "s|signoff",
        /// How many directories are taken from the names in a patch.
        level: Option<String> = "p|=",
    }
    ignored "u|utf8 k|keep keep-non-patch m|message-id keep-cr scissors quoted-cr= whitespace= \
        ignore-space-change ignore-whitespace C|= patch-format= resolvemsg= \
        committer-date-is-author-date ignore-date rerere-autoupdate empty="
    refused "i|interactive 3|3way continue r|resolved skip abort quit show-current-patch? reject \
        S|gpg-sign? directory= exclude= include="
}

/// A mail in its parts.
struct Mail {
    author: Vec<u8>,
    message: Vec<u8>,
    patch: Vec<u8>,
}

/// `git am`.
pub(crate) fn am(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let started = os::cwd()?;
    let repo = call.work_tree()?;
    let mut mails = Vec::new();
    for text in texts(&rest.words, &started)? {
        mails.extend(split(&text));
    }
    for mail in mails {
        take(&repo, read_mail(&mail)?, &options)?;
    }
    Ok(0)
}

/// The files, or standard input.
fn texts(words: &[Vec<u8>], started: &[u8]) -> Result<Vec<Vec<u8>>> {
    if words.is_empty() {
        return Ok(vec![os::read_stdin()?]);
    }
    let mut texts = Vec::new();
    for word in words {
        let path = match word.first() {
            Some(b'/') => word.clone(),
            _ => [started, b"/", word].concat(),
        };
        match os::read(&path) {
            Ok(text) => texts.push(text),
            Err(found) => {
                return fatal(format!(
                    "could not open '{}' for reading: {}",
                    show(word),
                    why(&found)
                ));
            }
        }
    }
    Ok(texts)
}

/// The mails of a mailbox, each of which begins with a line `From OBJECT`.
fn split(text: &[u8]) -> Vec<Vec<u8>> {
    let mut mails = Vec::new();
    let mut current: Vec<u8> = Vec::new();
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let starts =
            line.starts_with(b"From ") && line.len() > 45 && Oid::parse(&line[5..45]).is_some();
        if starts && !current.is_empty() {
            mails.push(std::mem::take(&mut current));
        }
        current.extend_from_slice(line);
    }
    if !current.trim_ascii().is_empty() {
        mails.push(current);
    }
    mails
}

/// Finds the parts of a mail.
fn read_mail(mail: &[u8]) -> Result<Mail> {
    let text = show(mail);
    let Some((head, body)) = text.split_once("\n\n") else {
        return fatal("Patch format detection failed.");
    };
    let head = head.replace("\n ", " ").replace("\n\t", " ");
    let field = |name: &str| {
        head.lines()
            .find_map(|line| line.strip_prefix(name))
            .map(str::trim)
            .unwrap_or("")
            .to_owned()
    };
    let (from, when, mut subject) = (field("From:"), field("Date:"), field("Subject:"));
    if from.is_empty() {
        return fatal("Patch format detection failed.");
    }
    while let Some(rest) = subject.strip_prefix('[') {
        match rest.split_once(']') {
            Some((_, rest)) => subject = rest.trim_start().to_owned(),
            None => break,
        }
    }
    let (name, address) = who_parts(from.as_bytes());
    let when = date::parse(&when).unwrap_or((date::now(), date::local_zone()));
    let author = ident::join(name, address, when)?;
    let cut = if body.starts_with("---\n") {
        Some(0)
    } else {
        body.find("\n---\n").map(|at| at + 1)
    };
    let cut = cut
        .or_else(|| body.find("diff --git "))
        .unwrap_or(body.len());
    let mut message = format!("{subject}\n");
    if !body[..cut].trim().is_empty() {
        message += &format!("\n{}\n", body[..cut].trim());
    }
    // The patch is taken from the bytes, not from the text.
    let start = mail
        .windows(4)
        .position(|four| four == b"\n---")
        .or_else(|| mail.windows(11).position(|part| part == b"diff --git "))
        .unwrap_or(0);
    Ok(Mail {
        author,
        message: cleanup(message.as_bytes(), false),
        patch: mail[start..].to_vec(),
    })
}

/// Applies a mail and makes its commit.
fn take(repo: &Repo, mail: Mail, options: &Options) -> Result<()> {
    let subject = object::subject(&mail.message);
    if !options.quiet {
        out::line([b"Applying: ", &subject[..]].concat());
    }
    let level = options.level.as_ref();
    let level = level.and_then(|level| level.parse().ok()).unwrap_or(1);
    let files = apply::parse(&mail.patch, level)?;
    if apply::run(repo, &files, false, true, false, false).is_err() {
        let _ = out::flush();
        out::note(format!("Patch failed at {}", show(&subject)));
        return fatal(
            "codepod's git am stops at a patch that does not apply; what came before is committed",
        );
    }
    let committer = identity(repo, Role::Committer, true)?;
    let message = match options.signoff {
        true => {
            let (name, address) = who_parts(&committer);
            sign_off(&mail.message, name, address)
        }
        false => mail.message,
    };
    let commit = Commit {
        oid: Oid::NULL,
        tree: worktree::write_tree(repo, &repo.index()?)?,
        parents: repo.head().into_iter().collect(),
        author: mail.author,
        committer,
        encoding: None,
        message,
    };
    let oid = write_commit(repo, &commit)?;
    move_head(repo, oid, &[b"am: ", &subject[..]].concat())
}
