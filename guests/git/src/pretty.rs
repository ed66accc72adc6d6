//! Commits as text: the forms of `log`, and formats with `%`.

use std::collections::HashMap;

use crate::date::{self, Style};
use crate::object::{self, Commit, who_parts, who_time};
use crate::oid::Oid;
use crate::repo::Repo;
use crate::stop::{Result, fatal, show};

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

/// A name of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decoration {
    pub(crate) name: Vec<u8>,
    /// `HEAD`, `tag: `, remote, head.
    pub(crate) kind: Naming,
}

/// What kind of name it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    /// `HEAD`, detached.
    Head,
    /// `HEAD -> NAME`.
    Current,
    /// A tag.
    Tag,
    /// A branch of a remote.
    Remote,
    /// A branch.
    Branch,
    /// The stash.
    Stash,
    /// Something else.
    Other,
}

/// The names of all commits, in the order in which they are shown.
pub(crate) fn decorations(repo: &Repo, full: bool) -> HashMap<Oid, Vec<Decoration>> {
    let mut found: HashMap<Oid, Vec<Decoration>> = HashMap::new();
    let current = repo.refs.head_branch();
    let mut refs = repo.refs.all(b"refs/");
    refs.reverse();
    let mut head_at = None;
    if let Some(head) = repo.head() {
        let decoration = match &current {
            Some(name) => {
                let name = if full {
                    name.clone()
                } else {
                    name.strip_prefix(b"refs/heads/").unwrap_or(name).to_vec()
                };
                Decoration {
                    name,
                    kind: Naming::Current,
                }
            }
            None => Decoration {
                name: b"HEAD".to_vec(),
                kind: Naming::Head,
            },
        };
        found.entry(head).or_default().push(decoration);
        head_at = Some(head);
    }
    for (name, oid) in refs {
        let Ok(target) = crate::revision::peel(repo, oid, None) else {
            continue;
        };
        if Some(&name) == current.as_ref() && head_at == Some(target) {
            continue;
        }
        let rules: [(&[u8], Naming); 4] = [
            (b"refs/tags/", Naming::Tag),
            (b"refs/remotes/", Naming::Remote),
            (b"refs/heads/", Naming::Branch),
            (b"refs/", Naming::Other),
        ];
        let (kind, short) = rules
            .iter()
            .find_map(|(prefix, kind)| name.strip_prefix(*prefix).map(|short| (*kind, short)))
            .unwrap_or((Naming::Other, &name));
        let (kind, short) = match &name[..] {
            b"refs/stash" => (Naming::Stash, &name[..]),
            _ if kind == Naming::Other => (kind, &name[..]),
            _ => (kind, short),
        };
        let name = if full { name.clone() } else { short.to_vec() };
        found
            .entry(target)
            .or_default()
            .push(Decoration { name, kind });
    }
    found
}

impl Context {
    fn style(&self) -> Style {
        self.date.clone().unwrap_or_default()
    }

    /// The names of a commit with commas, without brackets.
    pub(crate) fn names(&self, oid: &Oid) -> Option<Vec<u8>> {
        self.names_colored(oid, false)
    }

    fn names_colored(&self, oid: &Oid, color: bool) -> Option<Vec<u8>> {
        let list = self.decorations.get(oid)?;
        let paint = |code: &str, text: &[u8]| match color {
            true => [code.as_bytes(), text, b"\x1b[m"].concat(),
            false => text.to_vec(),
        };
        let mut parts = Vec::new();
        for decoration in list {
            parts.push(match decoration.kind {
                Naming::Current if color => [
                    &b"\x1b[1;36mHEAD\x1b[m\x1b[33m -> \x1b[m"[..],
                    &paint("\x1b[1;32m", &decoration.name),
                ]
                .concat(),
                Naming::Current => [b"HEAD -> ", &decoration.name[..]].concat(),
                Naming::Tag => paint("\x1b[1;33m", &[b"tag: ", &decoration.name[..]].concat()),
                Naming::Head => paint("\x1b[1;36m", &decoration.name),
                Naming::Remote => paint("\x1b[1;31m", &decoration.name),
                Naming::Stash => paint("\x1b[1;35m", &decoration.name),
                _ => paint("\x1b[1;32m", &decoration.name),
            });
        }
        Some(match color {
            true => parts.join(&b"\x1b[m\x1b[33m, \x1b[m"[..]),
            false => parts.join(&b", "[..]),
        })
    }

    fn short(&self, repo: &Repo, oid: &Oid) -> String {
        repo.objects
            .abbreviate(oid, self.abbrev.unwrap_or(repo.abbrev()))
    }
}

/// The name of a commit as the first line shows it, with parents and names as asked for.
fn commit_name(repo: &Repo, commit: &Commit, context: &Context, short: bool) -> Vec<u8> {
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

fn decoration(commit: &Commit, context: &Context) -> Vec<u8> {
    if !context.decorate {
        return Vec::new();
    }
    match context.names_colored(&commit.oid, context.color) {
        Some(names) if context.color => {
            [&b"\x1b[33m (\x1b[m"[..], &names, b"\x1b[33m)\x1b[m"].concat()
        }
        Some(names) => [b" (", &names[..], b")"].concat(),
        None => Vec::new(),
    }
}

/// A commit in a form. The text ends with a newline, except that of a user's format.
pub(crate) fn show_commit(
    repo: &Repo,
    commit: &Commit,
    format: &Format,
    context: &Context,
) -> Vec<u8> {
    let mut out = Vec::new();
    let short = context.abbrev_commit && !context.full_commit;
    let (yellow, reset): (&[u8], &[u8]) = if context.color {
        (b"\x1b[33m", b"\x1b[m")
    } else {
        (b"", b"")
    };
    match format {
        Format::User(text, _) => return expand(repo, commit, text, context),
        Format::Reference => {
            let date = context.date.clone().unwrap_or(Style::Short);
            let (time, zone) = who_time(&commit.author);
            out.extend(context.short(repo, &commit.oid).bytes());
            out.extend(b" (");
            out.extend(commit.subject());
            out.extend(format!(", {})", date::show(time, zone, &date)).bytes());
            return out;
        }
        Format::Oneline => {
            out.extend_from_slice(yellow);
            out.extend(commit_name(repo, commit, context, short));
            out.extend_from_slice(reset);
            out.extend(decoration(commit, context));
            out.push(b' ');
            match &context.log {
                Some((selector, message, _)) => {
                    out.extend([&selector[..], b": ", message].concat())
                }
                None => out.extend(commit.subject()),
            }
            return out;
        }
        Format::Email => {
            out.extend(format!("From {} Mon Sep 17 00:00:00 2001\n", commit.oid).bytes());
            out.extend(b"From: ");
            out.extend(name_and_mail(&commit.author));
            let (time, zone) = who_time(&commit.author);
            out.extend(
                format!(
                    "\nDate: {}\nSubject: [PATCH] ",
                    date::show(time, zone, &Style::Rfc)
                )
                .bytes(),
            );
            out.extend(commit.subject());
            out.extend(b"\n\n");
            out.extend(object::body(&commit.message));
            return out;
        }
        _ => {}
    }
    out.extend_from_slice(yellow);
    out.extend(b"commit ");
    out.extend(commit_name(repo, commit, context, short));
    out.extend_from_slice(reset);
    out.extend(decoration(commit, context));
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
        out.extend(
            [
                b"Reflog: ",
                &selector[..],
                b" (",
                who,
                b")\nReflog message: ",
                message,
                b"\n",
            ]
            .concat(),
        );
    }
    let style = context.style();
    let when = |who: &[u8]| {
        let (time, zone) = who_time(who);
        date::show(time, zone, &style)
    };
    let mut field = |name: &str, value: &[u8]| out.extend([name.as_bytes(), value, b"\n"].concat());
    match format {
        Format::Short => field("Author: ", &name_and_mail(&commit.author)),
        Format::Medium => {
            field("Author: ", &name_and_mail(&commit.author));
            field("Date:   ", when(&commit.author).as_bytes());
        }
        Format::Full => {
            field("Author: ", &name_and_mail(&commit.author));
            field("Commit: ", &name_and_mail(&commit.committer));
        }
        Format::Fuller => {
            field("Author:     ", &name_and_mail(&commit.author));
            field("AuthorDate: ", when(&commit.author).as_bytes());
            field("Commit:     ", &name_and_mail(&commit.committer));
            field("CommitDate: ", when(&commit.committer).as_bytes());
        }
        _ => {}
    }
    out.push(b'\n');
    let text = match format {
        Format::Short => [&commit.subject()[..], b"\n"].concat(),
        _ => commit.message.clone(),
    };
    let text = trim_message(&text);
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

fn name_and_mail(who: &[u8]) -> Vec<u8> {
    let (name, mail) = who_parts(who);
    [name, b" <", mail, b">"].concat()
}

/// A subject as a file name: `%f`.
pub(crate) fn file_name(subject: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    let mut space = 2;
    for &byte in subject {
        if byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_' {
            if space == 1 {
                out.push(b'-');
            }
            space = 0;
            out.push(byte);
            // Dots do not stand beside each other.
            if byte == b'.' {
                while out.ends_with(b"..") {
                    out.pop();
                }
            }
        } else {
            space |= 1;
        }
    }
    while out
        .last()
        .is_some_and(|byte| *byte == b'.' || *byte == b'-')
    {
        out.pop();
    }
    out
}

/// Padding that holds for the next placeholder.
#[derive(Clone, Copy)]
struct Padding {
    width: usize,
    left: bool,
    center: bool,
    truncate: Option<u8>,
    to_column: bool,
}

/// Replaces the placeholders of a format.
pub(crate) fn expand(repo: &Repo, commit: &Commit, format: &[u8], context: &Context) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = format;
    let mut padding: Option<Padding> = None;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        if let Some((found, used)) = parse_padding(rest) {
            padding = Some(found);
            rest = &rest[used..];
            continue;
        }
        let mut modifier = 0;
        let mut inner = rest;
        if let Some(&sign @ (b'+' | b'-' | b' ')) = inner.first() {
            modifier = sign;
            inner = &inner[1..];
        }
        let Some((value, used)) = placeholder(repo, commit, inner, context) else {
            out.push(b'%');
            continue;
        };
        rest = &inner[used..];
        match modifier {
            b'+' if !value.is_empty() => out.push(b'\n'),
            b' ' if !value.is_empty() => out.push(b' '),
            b'-' if value.is_empty() => {
                while out.last() == Some(&b'\n') {
                    out.pop();
                }
            }
            _ => {}
        }
        match padding.take() {
            Some(padding) => pad(&mut out, &value, padding),
            None => out.extend(value),
        }
    }
    out
}

fn parse_padding(rest: &[u8]) -> Option<(Padding, usize)> {
    let (mut left, mut center, mut at) = (true, false, 1);
    match rest.first()? {
        b'<' => {}
        b'>' => {
            left = false;
            if rest.get(1) == Some(&b'<') {
                center = true;
                at = 2;
            } else if rest.get(1) == Some(&b'>') {
                at = 2;
            }
        }
        _ => return None,
    }
    let to_column = rest.get(at) == Some(&b'|');
    if to_column {
        at += 1;
    }
    if rest.get(at) != Some(&b'(') {
        return None;
    }
    let end = at + rest[at..].iter().position(|byte| *byte == b')')?;
    let text = show(&rest[at + 1..end]);
    let mut parts = text.split(',');
    let width = parts
        .next()?
        .trim()
        .parse()
        .ok()
        .filter(|width| *width < 16_384)?;
    let truncate = match parts.next().map(str::trim) {
        None => None,
        Some("trunc") => Some(b'r'),
        Some("ltrunc") => Some(b'l'),
        Some("mtrunc") => Some(b'm'),
        Some(_) => return None,
    };
    Some((
        Padding {
            width,
            left,
            center,
            truncate,
            to_column,
        },
        end + 1,
    ))
}

fn pad(out: &mut Vec<u8>, value: &[u8], padding: Padding) {
    let text = String::from_utf8_lossy(value).into_owned();
    let length = text.chars().count();
    let mut width = padding.width;
    if padding.to_column {
        let line = out.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        width = width.saturating_sub(String::from_utf8_lossy(line).chars().count());
    }
    if length > width {
        let letters: Vec<char> = text.chars().collect();
        let keep = width.saturating_sub(2);
        let cut: String = match padding.truncate {
            Some(b'l') => format!("..{}", letters[length - keep..].iter().collect::<String>()),
            Some(b'm') => {
                let half = keep / 2;
                let tail: String = letters[length - (keep - half)..].iter().collect();
                format!("{}..{tail}", letters[..half].iter().collect::<String>())
            }
            Some(_) => format!("{}..", letters[..keep].iter().collect::<String>()),
            None => text,
        };
        out.extend(cut.bytes());
        return;
    }
    let spaces = width - length;
    let before = match (padding.left, padding.center) {
        (true, _) => 0,
        (false, true) => spaces / 2,
        (false, false) => spaces,
    };
    out.extend(b" ".repeat(before));
    out.extend_from_slice(value);
    out.extend(b" ".repeat(spaces - before));
}

/// The value of a placeholder and how many bytes its name takes.
fn placeholder(
    repo: &Repo,
    commit: &Commit,
    rest: &[u8],
    context: &Context,
) -> Option<(Vec<u8>, usize)> {
    let person = |who: &[u8], what: u8| -> Option<Vec<u8>> {
        let (name, mail) = who_parts(who);
        let (time, zone) = who_time(who);
        let date = |style: &Style| date::show(time, zone, style).into_bytes();
        Some(match what {
            b'n' | b'N' => name.to_vec(),
            b'e' | b'E' => mail.to_vec(),
            b'l' | b'L' => mail
                .split(|byte| *byte == b'@')
                .next()
                .unwrap_or_default()
                .to_vec(),
            b'd' => date(&context.style()),
            b'D' => date(&Style::Rfc),
            b'r' => date(&Style::Relative),
            b't' => date(&Style::Unix),
            b'i' => date(&Style::Iso),
            b'I' => date(&Style::IsoStrict),
            b's' => date(&Style::Short),
            b'h' => date(&Style::Relative),
            _ => return None,
        })
    };
    let hex = |oid: &Oid| oid.hex().into_bytes();
    let short = |oid: &Oid| context.short(repo, oid).into_bytes();
    let one = |value: Vec<u8>| Some((value, 1));
    match *rest.first()? {
        b'H' => one(hex(&commit.oid)),
        b'h' => one(short(&commit.oid)),
        b'T' => one(hex(&commit.tree)),
        b't' => one(short(&commit.tree)),
        b'P' => one(commit
            .parents
            .iter()
            .map(hex)
            .collect::<Vec<_>>()
            .join(&b' ')),
        b'p' => one(commit
            .parents
            .iter()
            .map(short)
            .collect::<Vec<_>>()
            .join(&b' ')),
        b'a' => person(&commit.author, *rest.get(1)?).map(|value| (value, 2)),
        b'c' => person(&commit.committer, *rest.get(1)?).map(|value| (value, 2)),
        b'd' => one(context
            .names(&commit.oid)
            .map(|names| [b" (", &names[..], b")"].concat())
            .unwrap_or_default()),
        b'D' => one(context.names(&commit.oid).unwrap_or_default()),
        b's' => one(commit.subject()),
        b'f' => one(file_name(&commit.subject())),
        b'b' => one(object::body(&commit.message)),
        b'B' => one(commit.message.clone()),
        b'e' => one(commit.encoding.clone().unwrap_or_default()),
        b'N' => one(Vec::new()),
        b'n' => one(b"\n".to_vec()),
        b'%' => one(b"%".to_vec()),
        b'm' => one(vec![context.mark.unwrap_or('>') as u8]),
        b'S' => one(context.source.clone().unwrap_or_default()),
        b'G' => match rest.get(1)? {
            b'?' => Some((b"N".to_vec(), 2)),
            b'S' | b'K' | b'F' | b'P' | b'T' | b'G' => Some((Vec::new(), 2)),
            _ => None,
        },
        b'g' => {
            let (selector, message, who) = match &context.log {
                Some(log) => log.clone(),
                None => Default::default(),
            };
            let value = match rest.get(1)? {
                b'd' => selector
                    .strip_prefix(b"refs/heads/")
                    .unwrap_or(&selector)
                    .to_vec(),
                b'D' => selector,
                b's' => message,
                b'n' | b'N' => who_parts(&who).0.to_vec(),
                b'e' | b'E' => who_parts(&who).1.to_vec(),
                _ => return None,
            };
            Some((value, 2))
        }
        b'x' => {
            let high = crate::oid::digit(*rest.get(1)?)?;
            let low = crate::oid::digit(*rest.get(2)?)?;
            Some((vec![(high << 4) | low], 3))
        }
        b'w' if rest.get(1) == Some(&b'(') => {
            let end = rest.iter().position(|byte| *byte == b')')?;
            Some((Vec::new(), end + 1))
        }
        b'C' => color(rest, context),
        b'(' => {
            let end = rest.iter().position(|byte| *byte == b')')?;
            let inside = &rest[1..end];
            if inside == b"trailers" || inside.starts_with(b"trailers:") {
                return Some((trailers(&commit.message, &show(inside)), end + 1));
            }
            if inside.starts_with(b"describe") {
                return None;
            }
            if inside == b"decorate" {
                let names = context
                    .names(&commit.oid)
                    .map(|names| [b" (", &names[..], b")"].concat());
                return Some((names.unwrap_or_default(), end + 1));
            }
            None
        }
        _ => None,
    }
}

fn color(rest: &[u8], context: &Context) -> Option<(Vec<u8>, usize)> {
    let paint = |code: Vec<u8>| if context.color { code } else { Vec::new() };
    for (name, code) in [
        ("Cred", "\x1b[31m"),
        ("Cgreen", "\x1b[32m"),
        ("Cblue", "\x1b[34m"),
        ("Creset", "\x1b[m"),
    ] {
        if rest.starts_with(name.as_bytes()) {
            return Some((paint(code.into()), name.len()));
        }
    }
    if rest.get(1) != Some(&b'(') {
        return None;
    }
    let end = rest.iter().position(|byte| *byte == b')')?;
    let mut inside = show(&rest[2..end]);
    let mut always = false;
    if let Some(after) = inside.strip_prefix("always,") {
        always = true;
        inside = after.to_owned();
    } else if let Some(after) = inside.strip_prefix("auto,") {
        inside = after.to_owned();
    } else if inside == "auto" {
        return Some((paint(b"\x1b[m".to_vec()), end + 1));
    }
    let code = color_code(&inside)?;
    let code = if always { code } else { paint(code) };
    Some((code, end + 1))
}

/// The escape sequence of words like `bold red`.
pub(crate) fn color_code(words: &str) -> Option<Vec<u8>> {
    const NAMES: [&str; 8] = [
        "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
    ];
    let (mut numbers, mut ground) = (Vec::new(), 30);
    let mut attributes = Vec::new();
    for word in words.split_ascii_whitespace() {
        if word == "reset" {
            return Some(b"\x1b[m".to_vec());
        }
        let attribute = match word {
            "bold" => 1,
            "dim" => 2,
            "italic" => 3,
            "ul" => 4,
            "blink" => 5,
            "reverse" => 7,
            "strike" => 9,
            _ => 0,
        };
        if attribute > 0 {
            attributes.push(attribute.to_string());
        } else if word == "normal" {
            ground += 10;
        } else if let Some(at) = NAMES.iter().position(|name| *name == word) {
            numbers.push((ground + at).to_string());
            ground += 10;
        } else if let Ok(number) = word.parse::<u8>() {
            numbers.push(format!("{};5;{number}", ground + 8));
            ground += 10;
        } else {
            return None;
        }
    }
    attributes.extend(numbers);
    Some(format!("\x1b[{}m", attributes.join(";")).into_bytes())
}

/// The lines `Key: value` at the end of a message.
fn trailers(message: &[u8], options: &str) -> Vec<u8> {
    let text = show(message);
    let last = text
        .trim_end()
        .rsplit("\n\n")
        .next()
        .unwrap_or("")
        .to_owned();
    let mut found = Vec::new();
    let is_trailer = |line: &str| {
        line.split_once(": ").is_some_and(|(key, _)| {
            !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        })
    };
    if text.trim_end().contains("\n\n") && last.lines().all(is_trailer) {
        found.extend(last.lines().map(str::to_owned));
    }
    let mut separator = "\n".to_owned();
    let mut ended = true;
    let (mut only_value, mut keys) = (false, Vec::new());
    for option in options
        .strip_prefix("trailers")
        .unwrap_or("")
        .trim_start_matches(':')
        .split(',')
    {
        match option.split_once('=') {
            Some(("key", key)) => keys.push(key.trim_end_matches(':').to_ascii_lowercase()),
            Some(("separator", text)) => {
                separator = text
                    .replace("%x2C", ",")
                    .replace("%x2c", ",")
                    .replace("%n", "\n");
                ended = false;
            }
            Some(("valueonly", value)) => only_value = value != "false",
            None if option == "valueonly" => only_value = true,
            _ => {}
        }
    }
    let mut lines = Vec::new();
    for line in found {
        let Some((key, value)) = line.split_once(": ") else {
            continue;
        };
        if keys.is_empty() || keys.contains(&key.to_ascii_lowercase()) {
            lines.push(if only_value {
                value.to_owned()
            } else {
                line.clone()
            });
        }
    }
    let mut out = lines.join(&separator);
    if ended && !lines.is_empty() {
        out.push('\n');
    }
    out.into_bytes()
}
