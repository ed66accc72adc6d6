//! `git blame`: which commit each line is from.

mod show;
mod trace;

use self::show::{Lines, plain, porcelain};
use super::Call;
use crate::args::{self, Rest, options};
use crate::diff::lines::{self, Space};
use crate::oid::Oid;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, Stop, fatal, show};
use crate::walk;
use trace::Tracer;

options! {
    /// What the command line says.
    struct Options for "blame" {
        /// No name for a commit at the end of the history.
        blank_boundary: bool = "b|",
        root: bool = "root",
        show_name: bool = "f|show-name",
        show_number: bool = "n|show-number",
        porcelain: bool = "p|porcelain",
        line_porcelain: bool = "line-porcelain",
        raw_time: bool = "t|",
        long: bool = "l|",
        /// Neither author nor time.
        short: bool = "s|",
        show_email: bool = "e|show-email",
        ignore_space: bool = "w|",
        ranges: Vec<Vec<u8>> = "L|=",
        abbrev: Option<String> = "abbrev=",
        date: Option<String> = "date=",
        first_parent: bool = "first-parent",
    }
    ignored "show-stats progress score-debug c| minimal"
    refused "reverse incremental contents= ignore-rev= ignore-revs-file= S|= C|? M|? since= \
        color-lines color-by-age"
}

/// What is asked about.
struct Subject {
    /// The path from the root of the working tree.
    path: Vec<u8>,
    /// The commit to begin with; none for the working tree.
    start: Option<Oid>,
    /// The commit to end before.
    end: Option<Oid>,
}

/// `git blame`.
pub(crate) fn blame(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.repo()?;
    let subject = subject(&repo, &rest)?;
    let ends: Vec<Oid> = subject.end.into_iter().collect();
    let tracer = Tracer {
        repo: &repo,
        space: match options.ignore_space {
            true => Space::All,
            false => Space::Exact,
        },
        hidden: walk::ancestors(&repo, &ends)?,
        first_parent: options.first_parent,
    };
    let (content, origins) = tracer.trace(subject.start, &subject.path)?;
    let all = lines::split(&content);
    let lines = Lines {
        repo: &repo,
        wanted: ranges(&options.ranges, all.len())?,
        all,
        origins,
    };
    match options.porcelain || options.line_porcelain {
        true => porcelain(&lines, options.line_porcelain)?,
        false => plain(&lines, &subject.path, &options)?,
    }
    Ok(0)
}

/// Reads a file and, before it or after it, a revision or a range.
fn subject(repo: &Repo, rest: &Rest) -> Result<Subject> {
    let (name, file) = match &rest.words[..] {
        [file] => (None, file),
        [name, file] => match revision::try_resolve(repo, name)? {
            Some(_) => (Some(name), file),
            None => match revision::try_resolve(repo, file)? {
                Some(_) => (Some(file), name),
                None => return fatal(format!("bad revision '{}'", show(name))),
            },
        },
        _ => return Err(args::usage("blame", "a file is needed")),
    };
    let Some(path) = repo.path_of_user(file) else {
        return fatal(format!("{}: outside of the repository", show(file)));
    };
    let Some(name) = name else {
        return Ok(Subject {
            path,
            start: None,
            end: None,
        });
    };
    let (end, start) = match name.windows(2).position(|two| two == b"..") {
        Some(at) if name.len() == at + 2 => (Some(&name[..at]), &b"HEAD"[..]),
        Some(at) => (Some(&name[..at]), &name[at + 2..]),
        None => (None, &name[..]),
    };
    let end = match end {
        Some(end) => Some(revision::resolve_commit(repo, end)?),
        None => None,
    };
    Ok(Subject {
        path,
        start: Some(revision::resolve_commit(repo, start)?),
        end,
    })
}

/// The numbers of lines that `-L` asks for, from 0.
fn ranges(asked: &[Vec<u8>], count: usize) -> Result<Vec<usize>> {
    if asked.is_empty() {
        return Ok((0..count).collect());
    }
    let mut wanted = Vec::new();
    for range in asked {
        let text = show(range);
        let (from, to) = text.split_once(',').unwrap_or((&text, ""));
        if from.starts_with('/') || from.starts_with(':') || to.starts_with('/') {
            return fatal("codepod's git blame -L takes numbers only");
        }
        let start: usize = if from.is_empty() {
            1
        } else {
            from.parse().map_err(|_| bad_range(&text))?
        };
        let end: usize = match to {
            "" => count,
            _ if to.starts_with('+') => {
                start + to[1..].parse::<usize>().map_err(|_| bad_range(&text))? - 1
            }
            _ => to.parse().map_err(|_| bad_range(&text))?,
        };
        if start > count || start == 0 {
            return fatal(format!(
                "file has only {count} line{}",
                if count == 1 { "" } else { "s" }
            ));
        }
        wanted.extend(start.min(end) - 1..end.max(start).min(count));
    }
    wanted.sort_unstable();
    wanted.dedup();
    Ok(wanted)
}

fn bad_range(text: &str) -> Stop {
    Stop::Fatal(format!("invalid -L range '{text}'").into_bytes())
}
