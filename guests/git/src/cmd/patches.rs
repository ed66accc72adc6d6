//! `git format-patch` and `git am`.

use super::{Call, move_head, write_commit};
use crate::args;
use crate::date::{self, Style};
use crate::diff::change;
use crate::diff::{self, Options, patch};
use crate::history::Query;
use crate::ident::{self, Role, identity};
use crate::object::{self, Commit, who_parts, who_time};
use crate::oid::Oid;
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::revision;
use crate::stop::{Result, fatal, show};
use crate::worktree;

/// `git format-patch`.
pub(crate) fn format_patch(call: &Call) -> Result<i32> {
    let table = "n|numbered N|no-numbered s|signoff stdout o|output-directory= k|keep-subject subject-prefix= start-number= numbered-files v|reroll-count= \
                 suffix= q|quiet cover-letter root no-signature signature= zero-commit number= no-stat p|no-stat-patch binary full-index M|find-renames";
    let parsed = args::parse("format-patch", table, &call.words)?;
    parsed.refuse(&["cover-letter", "keep-subject", "numbered-files", "signoff"])?;
    let repo = call.repo()?;
    let mut query = Query::default();
    let words = if parsed.words.is_empty() {
        vec![b"HEAD".to_vec()]
    } else {
        parsed.words.clone()
    };
    for word in &words {
        if !query.revision(&repo, word)? {
            return fatal(format!(
                "ambiguous argument '{}': unknown revision or path not in the working tree.",
                show(word)
            ));
        }
    }
    let count = parsed
        .text("number")
        .and_then(|count| count.parse::<usize>().ok());
    // One revision means everything since then.
    if words.len() == 1 && query.without.is_empty() && count.is_none() && !parsed.has("root") {
        query.without = std::mem::take(&mut query.starts);
        query.starts.extend(repo.head());
    }
    let mut commits = query.run(&repo)?;
    commits.retain(|commit| commit.parents.len() < 2);
    if let Some(count) = count {
        commits.truncate(count);
    }
    commits.reverse();
    let total = commits.len();
    let numbered = (total > 1 || parsed.has("numbered")) && !parsed.has("no-numbered");
    let prefix = parsed
        .text("subject-prefix")
        .unwrap_or_else(|| "PATCH".to_owned());
    let version = parsed.text("reroll-count");
    let prefix = version
        .as_ref()
        .map_or(prefix.clone(), |version| format!("{prefix} v{version}"));
    let first: usize = parsed
        .text("start-number")
        .and_then(|number| number.parse().ok())
        .unwrap_or(1);
    let suffix = parsed.text("suffix").unwrap_or_else(|| ".patch".to_owned());
    let signature = parsed
        .text("signature")
        .unwrap_or_else(|| "2.47.3".to_owned());
    let width = (first + total - 1).to_string().len();
    for (at, commit) in commits.iter().enumerate() {
        let number = first + at;
        let tag = match numbered {
            true => format!("[{prefix} {number:0width$}/{}] ", first + total - 1),
            false => format!("[{prefix}] "),
        };
        let to_file = !parsed.has("stdout");
        let head = mail_head(&repo, commit, &tag, parsed.has("zero-commit"));
        let options = Options {
            stat: true,
            summary: true,
            patch: true,
            stat_width: Some(72),
            ..Options::new(&repo.config)
        };
        let old = match commit.parents.first() {
            Some(parent) => Some(Commit::read(&repo.objects, parent)?.tree),
            None => None,
        };
        let changes = change::trees(&repo, old, Some(commit.tree), &Pathspec::default())?;
        let changes = patch::prepare(&repo, changes, &options, &[])?;
        let (_, body) = out::captured(|| -> Result<()> {
            out::put(&head);
            out::put(b"---\n");
            diff::show(&repo, &changes, &options)?;
            if !parsed.has("no-signature") {
                out::put(format!("-- \n{signature}\n\n").as_bytes());
            }
            Ok(())
        });
        if !to_file {
            if at > 0 {
                out::put(b"");
            }
            out::put(&body);
            continue;
        }
        let mut title = show(&crate::pretty::file_name(&commit.subject()));
        title.truncate(52);
        let version = version
            .as_ref()
            .map_or(String::new(), |version| format!("v{version}-"));
        let name = format!("{version}{number:04}-{title}{suffix}");
        let directory = parsed.text("output-directory");
        let shown = directory.as_ref().map_or(name.clone(), |directory| {
            format!("{}/{name}", directory.trim_end_matches('/'))
        });
        let path = if shown.starts_with('/') {
            shown.clone()
        } else {
            format!("{}/{shown}", show(&repo.started_in))
        };
        os::mkdir_above(path.as_bytes())?;
        os::write(path.as_bytes(), &body)?;
        if !parsed.has("quiet") {
            out::line(shown);
        }
    }
    Ok(0)
}

fn mail_head(repo: &crate::repo::Repo, commit: &Commit, tag: &str, zero: bool) -> Vec<u8> {
    let _ = repo;
    let name = if zero { Oid::NULL } else { commit.oid };
    let (author, mail) = who_parts(&commit.author);
    let (time, zone) = who_time(&commit.author);
    let mut text = format!("From {name} Mon Sep 17 00:00:00 2001\nFrom: ").into_bytes();
    text.extend([author, b" <", mail, b">"].concat());
    text.extend(
        format!(
            "\nDate: {}\nSubject: {tag}",
            date::show(time, zone, &Style::Rfc)
        )
        .bytes(),
    );
    let subject = show(&commit.subject());
    // Long subjects go on in the next line.
    let mut column = 9 + tag.len();
    for (at, word) in subject.split(' ').enumerate() {
        if at > 0 {
            if column + 1 + word.len() > 77 {
                text.extend(b"\n ");
                column = 1;
            } else {
                text.push(b' ');
                column += 1;
            }
        }
        text.extend(word.bytes());
        column += word.len();
    }
    text.extend(b"\n\n");
    let body = object::body(&commit.message);
    text.extend_from_slice(&body);
    text
}

/// `git am`.
pub(crate) fn am(call: &Call) -> Result<i32> {
    let table = "i|interactive 3|3way q|quiet s|signoff u|utf8 k|keep keep-non-patch m|message-id keep-cr scissors quoted-cr= whitespace= \
                 ignore-space-change ignore-whitespace directory= exclude= include= C|= p|= patch-format= reject resolvemsg= continue r|resolved skip abort quit \
                 show-current-patch? committer-date-is-author-date ignore-date rerere-autoupdate S|gpg-sign? empty=";
    let parsed = args::parse("am", table, &call.words)?;
    parsed.refuse(&[
        "interactive",
        "3way",
        "continue",
        "resolved",
        "skip",
        "abort",
        "quit",
        "show-current-patch",
        "reject",
        "gpg-sign",
        "directory",
        "exclude",
        "include",
    ])?;
    let started = os::cwd()?;
    let repo = call.work_tree()?;
    let mut texts = Vec::new();
    if parsed.words.is_empty() {
        texts.push(os::read_stdin()?);
    }
    for word in &parsed.words {
        let path = if word[0] == b'/' {
            word.clone()
        } else {
            [&started[..], b"/", word].concat()
        };
        match os::read(&path) {
            Ok(text) => texts.push(text),
            Err(found) => {
                return fatal(format!(
                    "could not open '{}' for reading: {}",
                    show(word),
                    crate::stop::why(&found)
                ));
            }
        }
    }
    let mut mails = Vec::new();
    for text in texts {
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
    }
    for mail in mails {
        let (author, message, diff) = read_mail(&mail)?;
        let subject = object::subject(&message);
        if !parsed.has("quiet") {
            out::line([b"Applying: ", &subject[..]].concat());
        }
        let level = parsed
            .text("p")
            .and_then(|level| level.parse().ok())
            .unwrap_or(1);
        let files = super::apply::parse(&diff, level)?;
        if let Err(stop) = super::apply::run(&repo, &files, false, true, false, false) {
            drop(stop);
            let _ = out::flush();
            out::note(format!("Patch failed at {}", show(&subject)));
            return fatal(
                "codepod's git am stops at a patch that does not apply; what came before is committed",
            );
        }
        let index = repo.index()?;
        let committer = identity(&repo, Role::Committer, true)?;
        let mut message = message;
        if parsed.has("signoff") {
            let (name, mail) = who_parts(&committer);
            message = super::commit::sign_off(&message, name, mail);
        }
        let commit = Commit {
            oid: Oid::NULL,
            tree: worktree::write_tree(&repo, &index)?,
            parents: repo.head().into_iter().collect(),
            author,
            committer,
            encoding: None,
            message,
        };
        let oid = write_commit(&repo, &commit)?;
        move_head(&repo, oid, &[b"am: ", &subject[..]].concat())?;
    }
    let _ = revision::resolve;
    Ok(0)
}

/// Author, message and patch of a mail.
fn read_mail(mail: &[u8]) -> Result<(Vec<u8>, Vec<u8>, Vec<u8>)> {
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
    Ok((
        author,
        super::commit::cleanup(message.as_bytes(), false),
        mail[start..].to_vec(),
    ))
}
