//! `git blame`: which commit each line is from.

use imara_diff::Algorithm;

use super::Call;
use crate::args;
use crate::date::{self, Style};
use crate::diff::change;
use crate::diff::lines::{self, Space};
use crate::object::{Commit, who_parts, who_time};
use crate::oid::{Kind, Oid};
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, fatal, show};

/// Who a line is from: commit (null for the working tree), the path there, the line's number there.
#[derive(Debug, Clone)]
struct Origin {
    commit: Oid,
    path: Vec<u8>,
    line: usize,
    /// A commit without parents, or the end of a range.
    boundary: bool,
}

/// `git blame`.
pub(crate) fn blame(call: &Call) -> Result<i32> {
    let table = "b| root show-stats progress score-debug f|show-name n|show-number p|porcelain line-porcelain c| t| l| s| e|show-email w| \
                 ignore-rev= ignore-revs-file= color-lines color-by-age minimal S|= contents= C|? M|? L|= abbrev= date= since= reverse first-parent incremental";
    let parsed = args::parse("blame", table, &call.words)?;
    parsed.refuse(&[
        "reverse",
        "incremental",
        "contents",
        "ignore-rev",
        "ignore-revs-file",
        "S",
        "C",
        "M",
        "since",
        "color-lines",
        "color-by-age",
    ])?;
    let repo = call.repo()?;
    let (name, file) = match (&parsed.words[..], parsed.dashes) {
        ([file], _) => (None, file.clone()),
        ([name, file], _) => match revision::try_resolve(&repo, name)? {
            Some(_) => (Some(name.clone()), file.clone()),
            None => match revision::try_resolve(&repo, file)? {
                Some(_) => (Some(file.clone()), name.clone()),
                None => return fatal(format!("bad revision '{}'", show(name))),
            },
        },
        _ => return Err(args::usage("blame", "a file is needed")),
    };
    let Some(path) = repo.path_of_user(&file) else {
        return fatal(format!("{}: outside of the repository", show(&file)));
    };
    let mut hidden = Vec::new();
    let start = match &name {
        Some(name) => match name.windows(2).position(|two| two == b"..") {
            Some(at) => {
                hidden.push(revision::resolve_commit(&repo, &name[..at])?);
                let end: &[u8] = if name.len() == at + 2 {
                    b"HEAD"
                } else {
                    &name[at + 2..]
                };
                Some(revision::resolve_commit(&repo, end)?)
            }
            None => Some(revision::resolve_commit(&repo, name)?),
        },
        None => None,
    };
    let space = if parsed.has("w") {
        Space::All
    } else {
        Space::Exact
    };
    let hidden = crate::walk::ancestors(&repo, &hidden)?;
    let (content, origins) = trace(
        &repo,
        start,
        &path,
        space,
        &hidden,
        parsed.has("first-parent"),
    )?;
    let all = lines::split(&content);
    let ranges = ranges(&parsed, &all)?;
    if parsed.has("porcelain") || parsed.has("line-porcelain") {
        return porcelain(&repo, &all, &origins, &ranges, parsed.has("line-porcelain"));
    }
    print(&repo, &parsed, &all, &origins, &ranges, &path)
}

/// The numbers of lines that `-L` asks for, from 0.
fn ranges(parsed: &args::Parsed, lines: &[&[u8]]) -> Result<Vec<usize>> {
    let asked = parsed.values("L");
    if asked.is_empty() {
        return Ok((0..lines.len()).collect());
    }
    let mut wanted = Vec::new();
    for range in asked {
        let text = show(&range);
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
            "" => lines.len(),
            _ if to.starts_with('+') => {
                start + to[1..].parse::<usize>().map_err(|_| bad_range(&text))? - 1
            }
            _ => to.parse().map_err(|_| bad_range(&text))?,
        };
        if start > lines.len() || start == 0 {
            let count = lines.len();
            return fatal(format!(
                "file has only {count} line{}",
                if count == 1 { "" } else { "s" }
            ));
        }
        wanted.extend(start.min(end) - 1..end.max(start).min(lines.len()));
    }
    wanted.sort_unstable();
    wanted.dedup();
    Ok(wanted)
}

fn bad_range(text: &str) -> crate::stop::Stop {
    crate::stop::Stop::Fatal(format!("invalid -L range '{text}'").into_bytes())
}

/// A file's content and where each line is from.
fn trace(
    repo: &Repo,
    start: Option<Oid>,
    path: &[u8],
    space: Space,
    hidden: &std::collections::HashSet<Oid>,
    first_parent: bool,
) -> Result<(Vec<u8>, Vec<Origin>)> {
    let file_in = |commit: &Oid, path: &[u8]| -> Result<Option<Oid>> {
        let tree = Commit::read(&repo.objects, commit)?.tree;
        let found = revision::in_tree(repo, tree, path)?;
        Ok(found
            .filter(|found| {
                found
                    .entry
                    .as_ref()
                    .is_some_and(|(mode, _)| mode & os::S_IFMT != os::S_IFDIR)
            })
            .map(|found| found.oid))
    };
    let (head, content) = match start {
        Some(commit) => match file_in(&commit, path)? {
            Some(oid) => (commit, repo.objects.blob(&oid)?.to_vec()),
            None => return fatal(format!("no such path {} in {commit}", show(path))),
        },
        None => {
            let Some(head) = repo.head() else {
                return fatal(format!("no such path '{}' in HEAD", show(path)));
            };
            if file_in(&head, path)?.is_none() && !repo.index()?.has(path) {
                return fatal(format!("no such path '{}' in HEAD", show(path)));
            }
            let found = match os::lstat(path) {
                Ok(found) => found,
                Err(found) => {
                    return fatal(format!(
                        "Cannot lstat '{}': {}",
                        show(path),
                        crate::stop::why(&found)
                    ));
                }
            };
            (head, change::read_file(path, &found)?)
        }
    };
    let count = lines::split(&content).len();
    let mut origins: Vec<Option<Origin>> = vec![None; count];
    // What is still to be asked: a commit, its path, and for each open line (number in the result, number there).
    let mut queue: Vec<(Oid, Vec<u8>, Vec<(usize, usize)>)> = Vec::new();
    let everything: Vec<(usize, usize)> = (0..count).map(|at| (at, at)).collect();
    if start.is_none() {
        let old = match file_in(&head, path)? {
            Some(oid) => repo.objects.blob(&oid)?.to_vec(),
            None => Vec::new(),
        };
        let (same, changed) = split(&old, &content, &everything, space);
        for (at, line) in changed {
            origins[at] = Some(Origin {
                commit: Oid::NULL,
                path: path.to_vec(),
                line,
                boundary: false,
            });
        }
        queue.push((head, path.to_vec(), same));
    } else {
        queue.push((head, path.to_vec(), everything));
    }
    while !queue.is_empty() {
        // The newest commit first, and all that is asked of it at once.
        let mut best = 0;
        for at in 1..queue.len() {
            let time = |at: usize| {
                Commit::read(&repo.objects, &queue[at].0).map_or(0, |commit| commit.time())
            };
            if time(at) > time(best) {
                best = at;
            }
        }
        let (oid, path, mut open) = queue.swap_remove(best);
        let mut at = 0;
        while at < queue.len() {
            if queue[at].0 == oid && queue[at].1 == path {
                open.extend(queue.swap_remove(at).2);
            } else {
                at += 1;
            }
        }
        let commit = Commit::read(&repo.objects, &oid)?;
        let boundary = hidden.contains(&oid);
        let parents: &[Oid] = if boundary {
            &[]
        } else {
            &commit.parents[..if first_parent {
                commit.parents.len().min(1)
            } else {
                commit.parents.len()
            }]
        };
        let own = match file_in(&oid, &path)? {
            Some(blob) => repo.objects.blob(&blob)?,
            None => continue,
        };
        for parent in parents {
            if open.is_empty() {
                break;
            }
            let (old_path, old) = match file_in(parent, &path)? {
                Some(blob) => (path.clone(), repo.objects.blob(&blob)?),
                None => match renamed_from(repo, parent, &commit, &path)? {
                    Some((from, blob)) => (from, repo.objects.blob(&blob)?),
                    None => continue,
                },
            };
            let (same, changed) = split(&old, &own, &open, space);
            open = changed;
            if !same.is_empty() {
                queue.push((*parent, old_path, same));
            }
        }
        for (at, line) in open {
            let boundary = boundary || commit.parents.is_empty();
            origins[at] = Some(Origin {
                commit: oid,
                path: path.clone(),
                line,
                boundary,
            });
        }
    }
    let found = origins
        .into_iter()
        .map(|origin| {
            origin.unwrap_or(Origin {
                commit: head,
                path: path.to_vec(),
                line: 0,
                boundary: false,
            })
        })
        .collect();
    Ok((content, found))
}

/// Lines that the old text has too, with their numbers there, and those it has not.
#[expect(clippy::type_complexity, reason = "two lists of pairs")]
fn split(
    old: &[u8],
    new: &[u8],
    open: &[(usize, usize)],
    space: Space,
) -> (Vec<(usize, usize)>, Vec<(usize, usize)>) {
    let (a, b) = (lines::split(old), lines::split(new));
    let mut from: Vec<Option<usize>> = vec![None; b.len()];
    let (mut x, mut y) = (0, 0);
    for hunk in lines::compare(&a, &b, space, Algorithm::Myers) {
        while y < hunk.new {
            from[y] = Some(x);
            x += 1;
            y += 1;
        }
        x = hunk.old + hunk.old_len;
        y = hunk.new + hunk.new_len;
    }
    while y < b.len() {
        from[y] = Some(x);
        x += 1;
        y += 1;
    }
    let (mut same, mut changed) = (Vec::new(), Vec::new());
    for (at, line) in open {
        match from.get(*line).copied().flatten() {
            Some(old) => same.push((*at, old)),
            None => changed.push((*at, *line)),
        }
    }
    (same, changed)
}

fn renamed_from(
    repo: &Repo,
    parent: &Oid,
    commit: &Commit,
    path: &[u8],
) -> Result<Option<(Vec<u8>, Oid)>> {
    let old = Commit::read(&repo.objects, parent)?.tree;
    let changes = change::trees(repo, Some(old), Some(commit.tree), &Pathspec::default())?;
    let options = crate::diff::Options::new(&repo.config);
    let changes = crate::diff::rename::detect(repo, changes, &options, &[])?;
    Ok(changes
        .into_iter()
        .find(|change| change.status == b'R' && change.new.path == path)
        .map(|change| (change.old.path, change.old.oid)))
}

/// What is known of a commit, or of lines that are in none yet.
fn info(repo: &Repo, oid: &Oid) -> Result<Commit> {
    if !oid.is_null() {
        return Commit::read(&repo.objects, oid);
    }
    let who = format!(
        "Not Committed Yet <not.committed.yet> {} {:+05}",
        date::now(),
        date::local_zone()
    )
    .into_bytes();
    Ok(Commit {
        author: who.clone(),
        committer: who,
        message: b"Version of the file\n".to_vec(),
        ..Commit::default()
    })
}

fn print(
    repo: &Repo,
    parsed: &args::Parsed,
    all: &[&[u8]],
    origins: &[Origin],
    wanted: &[usize],
    path: &[u8],
) -> Result<i32> {
    let digits = match parsed.text("abbrev") {
        Some(count) => count.parse::<usize>().unwrap_or(7).clamp(4, 39) + 1,
        None if parsed.has("l") => 40,
        None => 8,
    };
    let style = parsed
        .text("date")
        .or(repo.config.text("blame.date"))
        .and_then(|word| Style::parse(&word))
        .unwrap_or(Style::Iso);
    let email = parsed.has("show-email");
    let author = |commit: &Commit| {
        let (name, mail) = who_parts(&commit.author);
        if email {
            format!("<{}>", show(mail))
        } else {
            show(name)
        }
    };
    let mut commits = std::collections::HashMap::new();
    for at in wanted {
        let oid = origins[*at].commit;
        if let std::collections::hash_map::Entry::Vacant(place) = commits.entry(oid) {
            place.insert(info(repo, &oid)?);
        }
    }
    let names = wanted.iter().any(|at| origins[*at].path != path) || parsed.has("show-name");
    let name_width = wanted
        .iter()
        .map(|at| show(&origins[*at].path).chars().count())
        .max()
        .unwrap_or(0);
    let author_width = wanted
        .iter()
        .map(|at| author(&commits[&origins[*at].commit]).chars().count())
        .max()
        .unwrap_or(0);
    let last = wanted.last().map_or(1, |at| at + 1);
    let number_width = last.to_string().len();
    let old_width = wanted
        .iter()
        .map(|at| origins[*at].line + 1)
        .max()
        .unwrap_or(1)
        .to_string()
        .len();
    let date_width = wanted
        .iter()
        .map(|at| {
            let (time, zone) = who_time(&commits[&origins[*at].commit].author);
            date::show(time, zone, &style).chars().count()
        })
        .max()
        .unwrap_or(0);
    for at in wanted {
        let origin = &origins[*at];
        let commit = &commits[&origin.commit];
        let hex = origin.commit.hex();
        let boundary = origin.boundary
            && !parsed.has("root")
            && !parsed.has("b")
            && repo.config.truth("blame.showroot") != Some(true);
        let mut line = match boundary {
            true => format!("^{}", &hex[..digits - 1]),
            false => hex[..digits].to_owned(),
        };
        if parsed.has("b") && origin.boundary {
            line = " ".repeat(digits);
        }
        if names {
            line += &format!(" {:<name_width$}", show(&origin.path));
        }
        if parsed.has("show-number") {
            line += &format!(" {:>old_width$}", origin.line + 1);
        }
        if parsed.has("s") {
            line += &format!(" {:>number_width$}) ", at + 1);
        } else {
            let (time, zone) = who_time(&commit.author);
            let when = if parsed.has("t") {
                format!("{time} {zone:+05}")
            } else {
                format!("{:<date_width$}", date::show(time, zone, &style))
            };
            let who = author(commit);
            let pad = " ".repeat(author_width - who.chars().count());
            line += &format!(" ({who}{pad} {when} {:>number_width$}) ", at + 1);
        }
        out::put(line.as_bytes());
        out::put(all[*at].strip_suffix(b"\n").unwrap_or(all[*at]));
        out::put(b"\n");
    }
    Ok(0)
}

fn porcelain(
    repo: &Repo,
    all: &[&[u8]],
    origins: &[Origin],
    wanted: &[usize],
    each: bool,
) -> Result<i32> {
    let mut seen = std::collections::HashSet::new();
    let mut number = 0;
    while number < wanted.len() {
        // A run of lines from the same place.
        let first = wanted[number];
        let mut count = 1;
        while let Some(&next) = wanted.get(number + count) {
            let (a, b) = (&origins[first], &origins[next]);
            if next != first + count
                || a.commit != b.commit
                || a.path != b.path
                || b.line != a.line + count
            {
                break;
            }
            count += 1;
        }
        for step in 0..count {
            let at = first + step;
            let origin = &origins[at];
            let head = if step == 0 {
                format!(" {count}")
            } else {
                String::new()
            };
            out::line(format!(
                "{} {} {}{head}",
                origin.commit,
                origin.line + 1,
                at + 1
            ));
            if each || (step == 0 && seen.insert(origin.commit)) {
                let commit = info(repo, &origin.commit)?;
                for (word, who) in [("author", &commit.author), ("committer", &commit.committer)] {
                    let (name, mail) = who_parts(who);
                    let (time, zone) = who_time(who);
                    out::line(format!(
                        "{word} {}\n{word}-mail <{}>\n{word}-time {time}\n{word}-tz {zone:+05}",
                        show(name),
                        show(mail)
                    ));
                }
                out::line([b"summary ", &commit.subject()[..]].concat());
                if origin.boundary {
                    out::line("boundary");
                }
                if let Some(parent) = commit.parents.first()
                    && !origin.boundary
                {
                    let tree = Commit::read(&repo.objects, parent)?.tree;
                    if revision::in_tree(repo, tree, &origin.path)?.is_some() {
                        out::line(
                            [b"previous ", parent.hex().as_bytes(), b" ", &origin.path].concat(),
                        );
                    }
                }
                out::line([b"filename ", &origin.path[..]].concat());
            }
            out::put(b"\t");
            out::put(all[at].strip_suffix(b"\n").unwrap_or(all[at]));
            out::put(b"\n");
        }
        number += count;
    }
    let _ = Kind::Blob;
    Ok(0)
}
