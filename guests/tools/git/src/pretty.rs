//! Commits as text: the forms of `log`, and formats with `%`.

mod color;
mod decorations;
mod placeholders;
mod trailers;

use std::collections::HashMap;

use crate::date::{self, Style};
use crate::object::{self, Commit, who_parts, who_time};
use crate::oid::Oid;
use crate::repo::Repo;
use crate::stop::{Result, fatal, show};

pub(crate) use color::color_code;
use decorations::decoration;
pub(crate) use decorations::{Decoration, decorations};
pub(crate) use placeholders::{expand, file_name};

/// A form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Format {
    /// `--oneline`.
    Oneline,
    /// Author and subject.
    Short,
    /// Author, date and message.
    Medium,
    /// Author, committer and message.
    Full,
    /// Both with their dates.
    Fuller,
    /// `abc (subject, date)`.
    Reference,
    /// As an email.
    Email,
    /// The object as it is.
    Raw,
    /// The user's own; whether each is ended or only separated by a newline.
    User(Vec<u8>, bool),
}

impl Format {
    /// From the value of `--format` or `--pretty`.
    pub(crate) fn parse(repo: &Repo, word: &[u8]) -> Result<Format> {
        Ok(match word {
            b"oneline" => Format::Oneline,
            b"short" => Format::Short,
            b"" | b"medium" => Format::Medium,
            b"full" => Format::Full,
            b"fuller" => Format::Fuller,
            b"reference" => Format::Reference,
            b"email" => Format::Email,
            b"raw" => Format::Raw,
            _ => {
                if let Some(format) = word.strip_prefix(b"format:") {
                    return Ok(Format::User(format.to_vec(), false));
                }
                if let Some(format) = word.strip_prefix(b"tformat:") {
                    return Ok(Format::User(format.to_vec(), true));
                }
                if word.contains(&b'%') {
                    return Ok(Format::User(word.to_vec(), true));
                }
                if let Some(format) = repo.config.get_bytes(&[b"pretty.", word].concat()) {
                    let format = format.to_vec();
                    return Format::parse(repo, &format);
                }
                return fatal(format!("invalid --pretty format: {}", show(word)));
            }
        })
    }

    /// Whether each commit is ended, not separated, by a newline.
    pub(crate) fn ends(&self) -> bool {
        matches!(
            self,
            Format::Oneline | Format::Reference | Format::User(_, true)
        )
    }
}

/// What is needed to show commits.
#[derive(Debug, Clone, Default)]
pub(crate) struct Context {
    pub(crate) date: Option<Style>,
    pub(crate) decorations: HashMap<Oid, Vec<Decoration>>,
    /// Whether `--decorate` shows them in the forms.
    pub(crate) decorate: bool,
    pub(crate) abbrev_commit: bool,
    pub(crate) full_commit: bool,
    pub(crate) abbrev: Option<usize>,
    pub(crate) color: bool,
    pub(crate) parents: bool,
    /// `<`, `>` or `-`.
    pub(crate) mark: Option<char>,
    /// For logs of references: selector, message, who.
    pub(crate) log: Option<(Vec<u8>, Vec<u8>, Vec<u8>)>,
    /// Which reference it was reached from.
    pub(crate) source: Option<Vec<u8>>,
}

impl Context {
    fn style(&self) -> Style {
        self.date.clone().unwrap_or_default()
    }

    fn short(&self, repo: &Repo, oid: &Oid) -> String {
        repo.objects
            .abbreviate(oid, self.abbrev.unwrap_or(repo.abbrev()))
    }
}

/// A commit in a form. The text ends with a newline, except that of a user's format.
pub(crate) fn show_commit(
    repo: &Repo,
    commit: &Commit,
    format: &Format,
    context: &Context,
) -> Vec<u8> {
    match format {
        Format::User(text, _) => expand(repo, commit, text, context),
        Format::Reference => reference(repo, commit, context),
        Format::Oneline => oneline(repo, commit, context),
        Format::Email => email(commit),
        _ => paragraphs(repo, commit, format, context),
    }
}

/// `abc (subject, date)`.
fn reference(repo: &Repo, commit: &Commit, context: &Context) -> Vec<u8> {
    let style = context.date.clone().unwrap_or(Style::Short);
    let name = context.short(repo, &commit.oid);
    let date = when(&commit.author, &style);
    [
        format!("{name} (").as_bytes(),
        &commit.subject(),
        format!(", {date})").as_bytes(),
    ]
    .concat()
}

/// The name of a commit, coloured, with its names behind it.
fn title(repo: &Repo, commit: &Commit, context: &Context, before: &str) -> Vec<u8> {
    let (yellow, reset): (&[u8], &[u8]) = match context.color {
        true => (b"\x1b[33m", b"\x1b[m"),
        false => (b"", b""),
    };
    [
        yellow,
        before.as_bytes(),
        &commit_name(repo, commit, context),
        reset,
        &decoration(commit, context),
    ]
    .concat()
}

fn oneline(repo: &Repo, commit: &Commit, context: &Context) -> Vec<u8> {
    let text = match &context.log {
        Some((selector, message, _)) => [&selector[..], b": ", message].concat(),
        None => commit.subject(),
    };
    [&title(repo, commit, context, "")[..], b" ", &text].concat()
}

fn email(commit: &Commit) -> Vec<u8> {
    let date = when(&commit.author, &Style::Rfc);
    [
        format!("From {} Mon Sep 17 00:00:00 2001\nFrom: ", commit.oid).as_bytes(),
        &name_and_mail(&commit.author),
        format!("\nDate: {date}\nSubject: [PATCH] ").as_bytes(),
        &commit.subject(),
        b"\n\n",
        &object::body(&commit.message),
    ]
    .concat()
}

/// The forms with a head and an indented message.
fn paragraphs(repo: &Repo, commit: &Commit, format: &Format, context: &Context) -> Vec<u8> {
    let mut out = title(repo, commit, context, "commit ");
    out.push(b'\n');
    if *format == Format::Raw {
        let content = commit.serialise();
        let head = content
            .windows(2)
            .position(|pair| pair == b"\n\n")
            .map_or(content.len(), |at| at + 1);
        out.extend_from_slice(&content[..head]);
    } else if commit.parents.len() > 1 {
        let parents: Vec<String> = commit
            .parents
            .iter()
            .map(|parent| context.short(repo, parent))
            .collect();
        out.extend(format!("Merge: {}\n", parents.join(" ")).bytes());
    }
    if let Some((selector, message, who)) = &context.log {
        let parts: [&[u8]; 7] = [
            b"Reflog: ",
            selector,
            b" (",
            who,
            b")\nReflog message: ",
            message,
            b"\n",
        ];
        out.extend(parts.concat());
    }
    persons(&mut out, commit, format, &context.style());
    out.push(b'\n');
    message(&mut out, commit, format);
    out
}

/// The lines that say who made a commit, and when.
fn persons(out: &mut Vec<u8>, commit: &Commit, format: &Format, style: &Style) {
    let (author, committer) = (&commit.author, &commit.committer);
    let mut field = |name: &str, value: &[u8]| out.extend([name.as_bytes(), value, b"\n"].concat());
    match format {
        Format::Short => field("Author: ", &name_and_mail(author)),
        Format::Medium => {
            field("Author: ", &name_and_mail(author));
            field("Date:   ", when(author, style).as_bytes());
        }
        Format::Full => {
            field("Author: ", &name_and_mail(author));
            field("Commit: ", &name_and_mail(committer));
        }
        Format::Fuller => {
            field("Author:     ", &name_and_mail(author));
            field("AuthorDate: ", when(author, style).as_bytes());
            field("Commit:     ", &name_and_mail(committer));
            field("CommitDate: ", when(committer, style).as_bytes());
        }
        _ => {}
    }
}

/// The message, indented; the short form has only its subject.
fn message(out: &mut Vec<u8>, commit: &Commit, format: &Format) {
    let text = match format {
        Format::Short => trim_message(&commit.subject()),
        _ => trim_message(&commit.message),
    };
    for line in text.split(|byte| *byte == b'\n') {
        out.extend(b"    ");
        match format {
            Format::Medium | Format::Full | Format::Fuller => out.extend(expand_tabs(line)),
            _ => out.extend_from_slice(line),
        }
        out.push(b'\n');
    }
    if text.is_empty() {
        // The newline of an empty message.
        out.pop();
    }
}

/// The name of a commit as the first line shows it, with parents and names as asked for.
fn commit_name(repo: &Repo, commit: &Commit, context: &Context) -> Vec<u8> {
    let short = context.abbrev_commit && !context.full_commit;
    let mut out = Vec::new();
    let show_oid = |oid: &Oid| {
        if short {
            context.short(repo, oid)
        } else {
            oid.hex()
        }
    };
    if let Some(mark) = context.mark {
        out.extend([mark as u8, b' ']);
    }
    out.extend(show_oid(&commit.oid).bytes());
    if context.parents {
        for parent in &commit.parents {
            out.push(b' ');
            out.extend(show_oid(parent).bytes());
        }
    }
    out
}

/// Spaces up to the next multiple of eight in the place of each tab.
fn expand_tabs(line: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len());
    let mut column = 0;
    for &byte in line {
        if byte == b'\t' {
            let spaces = 8 - column % 8;
            out.extend(b" ".repeat(spaces));
            column += spaces;
        } else {
            out.push(byte);
            column += usize::from(byte & 0xc0 != 0x80);
        }
    }
    out
}

/// Without blank lines at both ends and spaces at the ends of lines.
fn trim_message(text: &[u8]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = text
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii_end)
        .collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    let start = lines
        .iter()
        .position(|line| !line.is_empty())
        .unwrap_or(lines.len());
    lines[start..].join(&b'\n')
}

fn when(who: &[u8], style: &Style) -> String {
    let (time, zone) = who_time(who);
    date::show(time, zone, style)
}

fn name_and_mail(who: &[u8]) -> Vec<u8> {
    let (name, mail) = who_parts(who);
    [name, b" <", mail, b">"].concat()
}
