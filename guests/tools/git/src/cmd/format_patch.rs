//! `git format-patch`: a mail for each commit.

use super::Call;
use crate::args::options;
use crate::date::{self, Style};
use crate::diff::{self, change, patch};
use crate::history::Query;
use crate::object::{self, Commit, who_parts, who_time};
use crate::oid::Oid;
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::pretty;
use crate::repo::Repo;
use crate::stop::{Result, fatal, show};

options! {
    /// What the command line says.
    struct Options for "format-patch" {
        numbered: Option<bool> = ["n|numbered" => true, "N|no-numbered" => false],
        stdout: bool = "stdout",
        directory: Option<String> = "o|output-directory=",
        prefix: Option<String> = "subject-prefix=",
        first: Option<String> = "start-number=",
        /// Which version of the patches it is.
        version: Option<String> = "v|reroll-count=",
        suffix: Option<String> = "suffix=",
        quiet: bool = "q|quiet",
        root: bool = "root",
        no_signature: bool = "no-signature",
        signature: Option<String> = "signature=",
        zero_commit: bool = "zero-commit",
        /// How many commits at most: `-3`.
        count: Option<String> = "number=",
    }
    ignored "no-stat p|no-stat-patch binary full-index M|find-renames"
    refused "cover-letter k|keep-subject numbered-files s|signoff"
}

/// How the subjects of the mails begin.
struct Series {
    prefix: String,
    numbered: bool,
    /// The numbers of the first and of the last mail.
    first: usize,
    last: usize,
}

/// `git format-patch`.
pub(crate) fn format_patch(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.repo()?;
    let commits = commits(&repo, rest.words, &options)?;
    let series = Series::new(commits.len(), &options);
    for (at, commit) in commits.iter().enumerate() {
        let number = series.first + at;
        let mail = mail(&repo, commit, &series.tag(number), &options)?;
        if options.stdout {
            out::put(&mail);
            continue;
        }
        let name = file_name(commit, number, &options);
        let path = match name.starts_with('/') {
            true => name.clone().into_bytes(),
            false => [&repo.started_in[..], b"/", name.as_bytes()].concat(),
        };
        os::mkdir_above(&path)?;
        os::write(&path, &mail)?;
        if !options.quiet {
            out::line(name);
        }
    }
    Ok(0)
}

/// The commits that are asked for, the oldest first. Merges are no patches.
fn commits(repo: &Repo, mut words: Vec<Vec<u8>>, options: &Options) -> Result<Vec<Commit>> {
    if words.is_empty() {
        words.push(b"HEAD".to_vec());
    }
    let mut query = Query::default();
    for word in &words {
        if !query.revision(repo, word)? {
            return fatal(format!(
                "ambiguous argument '{}': unknown revision or path not in the working tree.",
                show(word)
            ));
        }
    }
    let count = options.count.as_ref();
    let count = count.and_then(|count| count.parse::<usize>().ok());
    // One revision means everything since then.
    if words.len() == 1 && query.without.is_empty() && count.is_none() && !options.root {
        query.without = std::mem::take(&mut query.starts);
        query.starts.extend(repo.head());
    }
    let mut commits = query.run(repo)?;
    commits.retain(|commit| commit.parents.len() < 2);
    commits.truncate(count.unwrap_or(usize::MAX));
    commits.reverse();
    Ok(commits)
}

impl Series {
    fn new(total: usize, options: &Options) -> Series {
        let prefix = options.prefix.as_deref().unwrap_or("PATCH");
        let first = options.first.as_ref();
        let first = first.and_then(|number| number.parse().ok()).unwrap_or(1);
        Series {
            prefix: match &options.version {
                Some(version) => format!("{prefix} v{version}"),
                None => prefix.to_owned(),
            },
            numbered: options.numbered.unwrap_or(total > 1),
            first,
            last: (first + total).saturating_sub(1),
        }
    }

    /// How the subject of a mail begins.
    fn tag(&self, number: usize) -> String {
        let Series { prefix, last, .. } = self;
        let width = last.to_string().len();
        match self.numbered {
            true => format!("[{prefix} {number:0width$}/{last}] "),
            false => format!("[{prefix}] "),
        }
    }
}

/// A commit as a mail.
fn mail(repo: &Repo, commit: &Commit, tag: &str, options: &Options) -> Result<Vec<u8>> {
    let format = diff::Options {
        stat: true,
        summary: true,
        patch: true,
        stat_width: Some(72),
        ..diff::Options::new(&repo.config)
    };
    let old = match commit.parents.first() {
        Some(parent) => Some(Commit::read(&repo.objects, parent)?.tree),
        None => None,
    };
    let changes = change::trees(repo, old, Some(commit.tree), &Pathspec::default())?;
    let changes = patch::prepare(repo, changes, &format, &[])?;
    let (shown, mail) = out::captured(|| {
        out::put(&mail_head(commit, tag, options.zero_commit));
        out::put(b"---\n");
        diff::show(repo, &changes, &format)?;
        if !options.no_signature {
            let signature = options.signature.as_deref().unwrap_or("2.47.3");
            out::put(format!("-- \n{signature}\n\n").as_bytes());
        }
        Ok(())
    });
    shown.map(|()| mail)
}

/// What stands before the patch: the fields of the mail, and the message.
fn mail_head(commit: &Commit, tag: &str, zero: bool) -> Vec<u8> {
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

/// The file of a mail, as it is shown.
fn file_name(commit: &Commit, number: usize, options: &Options) -> String {
    let mut title = show(&pretty::file_name(&commit.subject()));
    title.truncate(52);
    let version = options.version.as_ref();
    let version = version.map_or(String::new(), |version| format!("v{version}-"));
    let suffix = options.suffix.as_deref().unwrap_or(".patch");
    let name = format!("{version}{number:04}-{title}{suffix}");
    match &options.directory {
        Some(directory) => format!("{}/{name}", directory.trim_end_matches('/')),
        None => name,
    }
}
