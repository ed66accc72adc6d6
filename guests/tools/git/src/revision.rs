//! Names of revisions: `HEAD~2`, `main@{yesterday}`, `v1^{tree}`, `:path`, `abc123`.

use crate::date;
use crate::object::{Commit, Tag, read_tree};
use crate::oid::{Kind, Oid};
use crate::refs;
use crate::repo::Repo;
use crate::stop::{Result, Stop, fatal, show};

/// What a name leads to.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) oid: Oid,
    /// The mode and path, when it is a file of a tree or of the index.
    pub(crate) entry: Option<(u32, Vec<u8>)>,
}

/// The rules by which a short name is a reference, in their order.
pub(crate) const RULES: [(&str, &str); 6] = [
    ("", ""),
    ("refs/", ""),
    ("refs/tags/", ""),
    ("refs/heads/", ""),
    ("refs/remotes/", ""),
    ("refs/remotes/", "/HEAD"),
];

/// The full name of a reference, as far as the rules lead to one that exists.
pub(crate) fn full_ref(repo: &Repo, name: &[u8]) -> Option<Vec<u8>> {
    if name == b"@" {
        return Some(b"HEAD".to_vec());
    }
    let plain = name.starts_with(b"refs/")
        || name
            .iter()
            .all(|byte| byte.is_ascii_uppercase() || b"_-".contains(byte));
    let mut found = None;
    for (at, (before, after)) in RULES.iter().enumerate() {
        if at == 0 && !plain {
            continue;
        }
        let whole = [before.as_bytes(), name, after.as_bytes()].concat();
        if refs::is_valid(&whole, true) && repo.refs.resolve(&whole).is_some() {
            if found.is_some() {
                if at <= 4 {
                    crate::out::warn(format!("refname '{}' is ambiguous.", show(name)));
                }
                break;
            }
            found = Some(whole);
        }
    }
    found
}

/// The object of a name; none when there is no such thing.
pub(crate) fn try_resolve(repo: &Repo, name: &[u8]) -> Result<Option<Oid>> {
    Ok(lookup(repo, name)?.map(|found| found.oid))
}

/// The object of a name that has to be there; the error is the one of most commands.
pub(crate) fn resolve(repo: &Repo, name: &[u8]) -> Result<Oid> {
    match try_resolve(repo, name)? {
        Some(oid) => Ok(oid),
        None => Err(ambiguous(name)),
    }
}

/// The commit of a name that has to be there.
pub(crate) fn resolve_commit(repo: &Repo, name: &[u8]) -> Result<Oid> {
    peel(repo, resolve(repo, name)?, Some(Kind::Commit)).map_err(|_| ambiguous(name))
}

/// The words for a name that is neither revision nor path.
pub(crate) fn ambiguous(name: &[u8]) -> Stop {
    let name = show(name);
    Stop::Fatal(
        format!(
            "ambiguous argument '{name}': unknown revision or path not in the working tree.\nUse '--' to separate paths from \
             revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'"
        )
        .into_bytes(),
    )
}

/// Follows tags, and commits to their trees, to an object of a kind; without a kind to what is no
/// tag.
pub(crate) fn peel(repo: &Repo, mut oid: Oid, wanted: Option<Kind>) -> Result<Oid> {
    for _ in 0..64 {
        let (kind, content) = repo.objects.read(&oid)?;
        if Some(kind) == wanted || (wanted.is_none() && kind != Kind::Tag) {
            return Ok(oid);
        }
        oid = match (kind, wanted) {
            (Kind::Tag, _) => match Tag::parse(&content) {
                Some(tag) => tag.target,
                None => break,
            },
            (Kind::Commit, Some(Kind::Tree)) => Commit::read(&repo.objects, &oid)?.tree,
            _ => break,
        };
    }
    let word = wanted.map_or("object", Kind::name);
    fatal(format!("{oid} is not a {word}"))
}

/// What a name leads to; none when there is no such thing.
pub(crate) fn lookup(repo: &Repo, name: &[u8]) -> Result<Option<Found>> {
    if let Some(text) = name.strip_prefix(b":/") {
        return Ok(search(repo, None, text)?.map(|oid| Found { oid, entry: None }));
    }
    if let Some(path) = name.strip_prefix(b":") {
        let (stage, path) = match path {
            [stage @ b'0'..=b'3', b':', rest @ ..] => (stage - b'0', rest),
            _ => (0, path),
        };
        let path = relative_path(repo, path);
        let index = repo.index()?;
        let entry = index.entries.get(&(path.clone(), stage));
        return Ok(entry.map(|entry| Found {
            oid: entry.oid,
            entry: Some((entry.mode, path)),
        }));
    }
    // The colon of `rev:path`, outside of braces.
    let mut depth = 0;
    for (at, byte) in name.iter().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b':' if depth <= 0 => {
                let Some(base) = base(repo, &name[..at])? else {
                    return Ok(None);
                };
                let tree = peel(repo, base, Some(Kind::Tree))?;
                let path = relative_path(repo, &name[at + 1..]);
                return in_tree(repo, tree, &path);
            }
            _ => {}
        }
    }
    Ok(base(repo, name)?.map(|oid| Found { oid, entry: None }))
}

fn relative_path(repo: &Repo, path: &[u8]) -> Vec<u8> {
    if path.starts_with(b"./") || path.starts_with(b"../") || path == b"." {
        return repo.path_of_user(path).unwrap_or_else(|| path.to_vec());
    }
    path.to_vec()
}

/// What stands at a path of a tree.
pub(crate) fn in_tree(repo: &Repo, tree: Oid, path: &[u8]) -> Result<Option<Found>> {
    let mut found = Found {
        oid: tree,
        entry: Some((0o040_000, path.to_vec())),
    };
    for part in path
        .split(|byte| *byte == b'/')
        .filter(|part| !part.is_empty())
    {
        if found
            .entry
            .as_ref()
            .is_some_and(|(mode, _)| mode & crate::os::S_IFMT != crate::os::S_IFDIR)
        {
            return Ok(None);
        }
        let entries = read_tree(&repo.objects, &found.oid)?;
        let Some(entry) = entries.into_iter().find(|entry| entry.name == part) else {
            return Ok(None);
        };
        found = Found {
            oid: entry.oid,
            entry: Some((entry.mode, path.to_vec())),
        };
    }
    Ok(Some(found))
}

/// A name without a path: a start and suffixes `^`, `~`, `@{…}`.
fn base(repo: &Repo, name: &[u8]) -> Result<Option<Oid>> {
    let start = suffix_start(name);
    let Some(mut oid) = plain(repo, &name[..start])? else {
        return Ok(None);
    };
    let mut rest = &name[start..];
    while let Some((&mark, after)) = rest.split_first() {
        rest = after;
        if mark == b'^' && rest.first() == Some(&b'{') {
            let Some(end) = rest.iter().position(|byte| *byte == b'}') else {
                return Ok(None);
            };
            let inside = rest[1..end].to_vec();
            rest = &rest[end + 1..];
            if let Some(text) = inside.strip_prefix(b"/") {
                match search(repo, Some(oid), text)? {
                    Some(found) => oid = found,
                    None => return Ok(None),
                }
                continue;
            }
            let wanted = match &inside[..] {
                b"" => None,
                b"object" => continue,
                word => match Kind::parse(word) {
                    Some(kind) => Some(kind),
                    None => return Ok(None),
                },
            };
            match peel(repo, oid, wanted) {
                Ok(found) => oid = found,
                Err(_) => return Ok(None),
            }
            continue;
        }
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number: Option<usize> = match digits {
            0 => Some(1),
            _ => std::str::from_utf8(&rest[..digits])
                .ok()
                .and_then(|text| text.parse().ok()),
        };
        rest = &rest[digits..];
        let Some(number) = number else {
            return Ok(None);
        };
        let Ok(commit) = peel(repo, oid, Some(Kind::Commit)) else {
            return Ok(None);
        };
        oid = commit;
        match mark {
            b'^' if number == 0 => {}
            b'^' => match Commit::read(&repo.objects, &oid)?.parents.get(number - 1) {
                Some(parent) => oid = *parent,
                None => return Ok(None),
            },
            b'~' => {
                for _ in 0..number {
                    match Commit::read(&repo.objects, &oid)?.parents.first() {
                        Some(parent) => oid = *parent,
                        None => return Ok(None),
                    }
                }
            }
            _ => return Ok(None),
        }
    }
    Ok(Some(oid))
}

/// Where the suffixes of a name begin.
fn suffix_start(name: &[u8]) -> usize {
    let mut depth = 0;
    for (at, byte) in name.iter().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b'^' | b'~' if depth == 0 => return at,
            _ => {}
        }
    }
    name.len()
}

/// A name without suffixes: a reference, its log, digits, what `describe` prints.
fn plain(repo: &Repo, name: &[u8]) -> Result<Option<Oid>> {
    if name.is_empty() {
        return Ok(None);
    }
    if let Some(oid) = Oid::parse(&name.to_ascii_lowercase()) {
        return Ok(Some(oid));
    }
    if let Some(at) = name.windows(2).position(|pair| pair == b"@{")
        && name.last() == Some(&b'}')
    {
        return at_braces(repo, &name[..at], &name[at + 2..name.len() - 1]);
    }
    if let Some(full) = full_ref(repo, name) {
        return Ok(repo.refs.resolve(&full));
    }
    if let Some(at) = name.windows(2).rposition(|pair| pair == b"-g")
        && let Some(oid) = abbreviated(repo, &name[at + 2..])?
    {
        return Ok(Some(oid));
    }
    abbreviated(repo, name)
}

fn abbreviated(repo: &Repo, digits: &[u8]) -> Result<Option<Oid>> {
    if !(4..40).contains(&digits.len()) || !digits.iter().all(u8::is_ascii_hexdigit) {
        return Ok(None);
    }
    let found = repo.objects.beginning_with(digits, 16);
    match found[..] {
        [] => Ok(None),
        [oid] => Ok(Some(oid)),
        _ => {
            let is_commit =
                |oid: &&Oid| matches!(repo.objects.get(oid), Ok(Some((Kind::Commit, _))));
            let commits: Vec<&Oid> = found.iter().filter(is_commit).collect();
            if let [commit] = commits[..] {
                return Ok(Some(*commit));
            }
            crate::out::note(format!(
                "error: short object ID {} is ambiguous",
                show(digits)
            ));
            Ok(None)
        }
    }
}

fn at_braces(repo: &Repo, name: &[u8], inside: &[u8]) -> Result<Option<Oid>> {
    let text = show(inside);
    if name.is_empty()
        && let Some(number) = text
            .strip_prefix('-')
            .and_then(|text| text.parse::<usize>().ok())
    {
        let Some(branch) = previous_branch(repo, number) else {
            return Ok(None);
        };
        return plain(repo, &branch);
    }
    let lower = text.to_ascii_lowercase();
    if lower == "u" || lower == "upstream" || lower == "push" {
        let branch = match name {
            b"" | b"HEAD" | b"@" => match repo.branch() {
                Some(branch) => branch,
                None => return fatal("HEAD does not point to a branch"),
            },
            _ => name.to_vec(),
        };
        let Some(upstream) = upstream(repo, &branch) else {
            if repo
                .refs
                .resolve(&[b"refs/heads/", &branch[..]].concat())
                .is_none()
            {
                return fatal(format!("no such branch: '{}'", show(&branch)));
            }
            return fatal(format!(
                "no upstream configured for branch '{}'",
                show(&branch)
            ));
        };
        return Ok(repo.refs.resolve(&upstream));
    }
    let full = match name {
        b"" => repo.refs.head_branch().unwrap_or_else(|| b"HEAD".to_vec()),
        _ => match full_ref(repo, name) {
            Some(full) => full,
            None => return Ok(None),
        },
    };
    let log = repo.refs.read_log(&full);
    if let Ok(number) = text.parse::<usize>() {
        if number == 0 && log.is_empty() {
            return Ok(repo.refs.resolve(&full));
        }
        let shown = if name.is_empty() {
            full.clone()
        } else {
            name.to_vec()
        };
        if log.is_empty() {
            return fatal(format!("log for '{}' is empty", show(&shown)));
        }
        if number < log.len() {
            return Ok(Some(log[log.len() - 1 - number].new));
        }
        if number == log.len() && !log[0].old.is_null() {
            return Ok(Some(log[0].old));
        }
        let (name, count) = (show(&shown), log.len());
        return fatal(format!("log for '{name}' only has {count} entries"));
    }
    let wanted = date::approximate(&text, date::now());
    let before = log
        .iter()
        .rev()
        .find(|line| crate::object::who_time(&line.who).0 <= wanted);
    match (before, log.first()) {
        (Some(line), _) => Ok(Some(line.new)),
        (None, Some(first)) => {
            let (time, zone) = crate::object::who_time(&first.who);
            let since = date::show(time, zone, &date::Style::Rfc);
            crate::out::warn(format!(
                "log for '{}' only goes back to {since}",
                show(name)
            ));
            Ok(Some(if first.old.is_null() {
                first.new
            } else {
                first.old
            }))
        }
        (None, None) => fatal(format!("log for '{}' is empty", show(name))),
    }
}

/// The branch that was checked out before, counted back.
pub(crate) fn previous_branch(repo: &Repo, number: usize) -> Option<Vec<u8>> {
    let log = repo.refs.read_log(b"HEAD");
    let mut left = number;
    for line in log.iter().rev() {
        let Some(rest) = line.message.strip_prefix(b"checkout: moving from ") else {
            continue;
        };
        left -= 1;
        if left == 0 {
            let end = rest.windows(4).position(|four| four == b" to ")?;
            return Some(rest[..end].to_vec());
        }
    }
    None
}

/// The reference that a branch follows.
pub(crate) fn upstream(repo: &Repo, branch: &[u8]) -> Option<Vec<u8>> {
    let key = |what: &[u8]| [b"branch.", branch, b".", what].concat();
    let remote = repo.config.get_bytes(&key(b"remote"))?.to_vec();
    let merge = repo.config.get_bytes(&key(b"merge"))?.to_vec();
    if remote == b"." {
        return Some(merge);
    }
    let short = merge.strip_prefix(b"refs/heads/")?;
    Some([b"refs/remotes/", &remote[..], b"/", short].concat())
}

/// The newest commit whose message matches, from one commit or from all references; none also where
/// the text is no expression.
fn search(repo: &Repo, from: Option<Oid>, text: &[u8]) -> Result<Option<Oid>> {
    let pattern = show(text);
    let (negated, pattern) = match pattern.strip_prefix("!-") {
        Some(rest) => (true, rest.to_owned()),
        None => (
            false,
            pattern
                .strip_prefix("!")
                .map_or(pattern.clone(), str::to_owned),
        ),
    };
    let Ok(regex) = crate::pattern::compile_for_text(pattern.as_bytes()) else {
        return Ok(None);
    };
    let starts = match from {
        Some(oid) => vec![peel(repo, oid, Some(Kind::Commit))?],
        None => {
            let mut all: Vec<Oid> = repo
                .refs
                .all(b"refs/")
                .into_iter()
                .map(|(_, oid)| oid)
                .collect();
            all.extend(repo.head());
            all.into_iter()
                .filter_map(|oid| peel(repo, oid, Some(Kind::Commit)).ok())
                .collect()
        }
    };
    let commits = crate::walk::by_date(repo, &starts)?;
    Ok(commits
        .iter()
        .find(|commit| regex.is_match(&commit.message) != negated)
        .map(|commit| commit.oid))
}
