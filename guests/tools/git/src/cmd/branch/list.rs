//! The list of branches.

use super::Options;
use crate::cmd::ref_fields::{format_ref, sort};
use crate::cmd::{short_ref, status, worktrees};
use crate::diff::options::use_color;
use crate::object::Commit;
use crate::oid::Oid;
use crate::os;
use crate::out;
use crate::refs::Target;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, show};
use crate::wildmatch::{self, Slashes};

/// Names of references and what they lead to.
type Refs = Vec<(Vec<u8>, Oid)>;

/// A line of the list.
struct Row {
    name: String,
    /// None for a `HEAD` on no branch.
    full: Option<Vec<u8>>,
    oid: Oid,
    is_current: bool,
    /// Another working tree has it.
    is_elsewhere: bool,
}

/// How rows are shown.
struct Style {
    color: bool,
    verbose: usize,
    /// The length of the longest name.
    width: usize,
}

/// Lists the branches that fit the patterns and options.
pub(super) fn list(repo: &Repo, patterns: &[Vec<u8>], options: &Options) -> Result<i32> {
    let refs = find(repo, patterns, options)?;
    // A HEAD on no branch comes first; it has no reference that a pattern could fit.
    let shows_head = !options.remotes && patterns.is_empty();
    if let Some(format) = &options.format {
        if shows_head && repo.branch().is_none() {
            print_head(repo, format);
        }
        for (full, oid) in &refs {
            out::line(format_ref(repo, full, *oid, format, false)?);
        }
        return Ok(0);
    }
    let rows = rows(repo, refs, shows_head, options);
    let lengths = rows.iter().map(|row| row.name.chars().count());
    let style = Style {
        color: use_color(&repo.config, "color.branch")
            || options.color.as_deref() == Some(b"always"),
        verbose: options.verbose,
        width: lengths.max().unwrap_or(0),
    };
    for row in rows {
        out::line(row.text(repo, &style)?);
    }
    Ok(0)
}

/// The branches that are asked for, sorted.
fn find(repo: &Repo, patterns: &[Vec<u8>], options: &Options) -> Result<Refs> {
    let mut refs = Vec::new();
    if !options.remotes || options.all {
        refs.extend(repo.refs.all(b"refs/heads/"));
    }
    if options.remotes || options.all {
        refs.extend(repo.refs.all(b"refs/remotes/"));
    }
    refs.retain(|(full, _)| {
        let fits = |pattern: &Vec<u8>| {
            wildmatch::matches(pattern, short_ref(full), Slashes::Pass, options.ignore_case)
        };
        patterns.is_empty() || patterns.iter().any(fits)
    });
    refs = options.reach().keep(repo, refs)?;
    if let Some(name) = &options.points_at {
        let target = revision::resolve(repo, name)?;
        refs.retain(|(_, oid)| *oid == target);
    }
    let mut keys = options.sort.clone();
    if keys.is_empty() {
        keys.extend(repo.config.get("branch.sort").map(<[u8]>::to_vec));
    }
    sort(repo, &mut refs, &keys)?;
    Ok(refs)
}

/// Prints a `HEAD` on no branch in a format, as far as that asks for its name only.
fn print_head(repo: &Repo, format: &[u8]) {
    let text = detached(repo);
    let line = show(format)
        .replace("%(refname:short)", &text)
        .replace("%(refname)", &text);
    if !line.contains("%(") {
        out::line(line);
    }
}

fn rows(repo: &Repo, refs: Refs, shows_head: bool, options: &Options) -> Vec<Row> {
    let current = repo.refs.head_branch();
    let mut rows = Vec::new();
    if current.is_none()
        && shows_head
        && let Some(head) = repo.head()
    {
        rows.push(Row {
            name: detached(repo),
            full: None,
            oid: head,
            is_current: true,
            is_elsewhere: false,
        });
    }
    let elsewhere = elsewhere(repo);
    rows.extend(refs.into_iter().map(|(full, oid)| Row {
        name: match (full.strip_prefix(b"refs/remotes/"), options.all) {
            (Some(rest), true) => format!("remotes/{}", show(rest)),
            _ => show(short_ref(&full)),
        },
        oid,
        is_current: current.as_ref() == Some(&full),
        is_elsewhere: elsewhere.contains(&full),
        full: Some(full),
    }));
    rows
}

impl Row {
    fn text(&self, repo: &Repo, style: &Style) -> Result<String> {
        let mark = match (self.is_current, self.is_elsewhere) {
            (true, _) => "* ",
            (false, true) => "+ ",
            (false, false) => "  ",
        };
        let full = self.full.as_deref().unwrap_or_default();
        let mut name = match self.color(style) {
            Some(color) => format!("{color}{}\x1b[m", self.name),
            None => self.name.clone(),
        };
        if style.verbose > 0 {
            name += &" ".repeat(style.width - self.name.chars().count());
        }
        let target = self.full.as_deref().and_then(|full| repo.refs.raw(full));
        if let Some(Target::Symbolic(target)) = target {
            return Ok(format!("{mark}{name} -> {}", show(short_ref(&target))));
        }
        if style.verbose == 0 {
            return Ok(format!("{mark}{name}"));
        }
        let commit = Commit::read(&repo.objects, &self.oid)?;
        let track = match full.strip_prefix(b"refs/heads/") {
            Some(branch) => tracking_note(repo, branch, self.oid, style.verbose > 1)?,
            None => String::new(),
        };
        Ok(format!(
            "{mark}{name} {} {track}{}",
            repo.short(&self.oid),
            show(&commit.subject())
        ))
    }

    fn color(&self, style: &Style) -> Option<&'static str> {
        let full = self.full.as_deref().unwrap_or_default();
        match (style.color, self.is_current) {
            (true, true) => Some("\x1b[32m"),
            (true, false) if full.starts_with(b"refs/remotes/") => Some("\x1b[31m"),
            _ => None,
        }
    }
}

/// Branches that other working trees have.
fn elsewhere(repo: &Repo) -> Vec<Vec<u8>> {
    let own = os::real_path(&repo.dir).unwrap_or_default();
    let mut found = Vec::new();
    for (_, dir) in worktrees::all(repo) {
        if os::real_path(&dir).unwrap_or_default() != own
            && let Ok(head) = os::read(&[&dir[..], b"/HEAD"].concat())
            && let Some(name) = head.strip_prefix(b"ref: ")
        {
            found.push(name.trim_ascii_end().to_vec());
        }
    }
    found
}

fn detached(repo: &Repo) -> String {
    if let Some((branch, _)) = status::rebase_state(repo) {
        return format!("(no branch, rebasing {branch})");
    }
    let text = status::detached_at(repo);
    if text.starts_with("HEAD") {
        format!("({text})")
    } else {
        "(no branch)".to_owned()
    }
}

/// `[origin/main: ahead 1] `, or without the name.
fn tracking_note(repo: &Repo, branch: &[u8], oid: Oid, named: bool) -> Result<String> {
    let Some(upstream) = revision::upstream(repo, branch) else {
        return Ok(String::new());
    };
    let name = show(short_ref(&upstream));
    let state = match repo.refs.resolve(&upstream) {
        None => "gone".to_owned(),
        Some(theirs) => match status::ahead_behind(repo, oid, theirs)? {
            (0, 0) => String::new(),
            (ahead, 0) => format!("ahead {ahead}"),
            (0, behind) => format!("behind {behind}"),
            (ahead, behind) => format!("ahead {ahead}, behind {behind}"),
        },
    };
    Ok(match (named, state.is_empty()) {
        (true, true) => format!("[{name}] "),
        (true, false) => format!("[{name}: {state}] "),
        (false, true) => String::new(),
        (false, false) => format!("[{state}] "),
    })
}
