//! References by name: `for-each-ref`, `show-ref`, `update-ref`, `symbolic-ref`, `check-ref-format`.

use super::Call;
use crate::args;
use crate::date::{self, Style};
use crate::ident::{Role, identity};
use crate::object::{self, Commit, Tag, who_parts, who_time};
use crate::oid::{Kind, Oid};
use crate::os;
use crate::out;
use crate::refs;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, Stop, fatal, show};
use crate::walk;
use crate::wildmatch::{self, Slashes};

/// A field of `%(…)` for a reference; none when there is no such field.
fn field(repo: &Repo, full: &[u8], oid: Oid, name: &str) -> Result<Option<Vec<u8>>> {
    let (star, name) = match name.strip_prefix('*') {
        Some(rest) => (true, rest),
        None => (false, name),
    };
    let mut oid = oid;
    if star {
        match repo.objects.read(&oid)? {
            (Kind::Tag, _) => oid = revision::peel(repo, oid, None)?,
            _ => return Ok(Some(Vec::new())),
        }
    }
    let (base, modifier) = match name.split_once(':') {
        Some((base, modifier)) => (base, Some(modifier)),
        None => (name, None),
    };
    let (kind, content) = repo.objects.read(&oid)?;
    let commit = if kind == Kind::Commit {
        Commit::parse(oid, &content)
    } else {
        None
    };
    let tag = if kind == Kind::Tag {
        Tag::parse(&content)
    } else {
        None
    };
    let message = commit
        .as_ref()
        .map(|commit| commit.message.clone())
        .or(tag.as_ref().map(|tag| tag.message.clone()));
    let message = message.unwrap_or_default();
    let name_of = |full: &[u8]| match modifier {
        Some("short") => super::short_ref(full).to_vec(),
        Some(text) if text.starts_with("lstrip=") || text.starts_with("strip=") => {
            let count: i64 = text
                .split_once('=')
                .and_then(|(_, count)| count.parse().ok())
                .unwrap_or(0);
            let parts: Vec<&[u8]> = full.split(|byte| *byte == b'/').collect();
            let skip = if count < 0 {
                parts.len().saturating_sub(count.unsigned_abs() as usize)
            } else {
                (count as usize).min(parts.len())
            };
            parts[skip..].join(&b'/')
        }
        _ => full.to_vec(),
    };
    let person = |who: &[u8], what: &str| -> Option<Vec<u8>> {
        let (name, mail) = who_parts(who);
        Some(match what {
            "" => who.to_vec(),
            "name" => name.to_vec(),
            "email" if modifier == Some("trim") => mail.to_vec(),
            "email" if modifier == Some("localpart") => mail
                .split(|byte| *byte == b'@')
                .next()
                .unwrap_or_default()
                .to_vec(),
            "email" => [b"<", mail, b">"].concat(),
            "date" => {
                let (time, zone) = who_time(who);
                let style = modifier.and_then(Style::parse).unwrap_or_default();
                date::show(time, zone, &style).into_bytes()
            }
            _ => return None,
        })
    };
    let value = match base {
        "refname" => Some(name_of(full)),
        "objectname" => Some(match modifier {
            Some("short") => repo.short(&oid).into_bytes(),
            Some(text) if text.starts_with("short=") => {
                let count = text[6..].parse().unwrap_or(7);
                repo.objects.abbreviate(&oid, count).into_bytes()
            }
            _ => oid.hex().into_bytes(),
        }),
        "objecttype" => Some(kind.name().as_bytes().to_vec()),
        "objectsize" => Some(content.len().to_string().into_bytes()),
        "tree" => Some(
            commit
                .map(|commit| commit.tree.hex().into_bytes())
                .unwrap_or_default(),
        ),
        "parent" => Some(
            commit
                .map(|commit| {
                    commit
                        .parents
                        .iter()
                        .map(|parent| parent.hex())
                        .collect::<Vec<_>>()
                        .join(" ")
                        .into_bytes()
                })
                .unwrap_or_default(),
        ),
        "numparent" => Some(
            commit
                .map(|commit| commit.parents.len().to_string().into_bytes())
                .unwrap_or_default(),
        ),
        "object" => Some(
            tag.map(|tag| tag.target.hex().into_bytes())
                .unwrap_or_default(),
        ),
        "type" => Some(
            tag.map(|tag| tag.kind.name().as_bytes().to_vec())
                .unwrap_or_default(),
        ),
        "tag" => Some(tag.map(|tag| tag.name).unwrap_or_default()),
        "subject" => Some(object::subject(&message)),
        "body" => Some(object::body(&message)),
        "contents" => Some(match modifier {
            Some("subject") => object::subject(&message),
            Some("body") => object::body(&message),
            Some(text) if text.starts_with("lines=") => {
                let count = text[6..].parse().unwrap_or(1);
                let lines: Vec<&[u8]> = message.split(|byte| *byte == b'\n').take(count).collect();
                lines.join(&b"\n    "[..])
            }
            _ => message,
        }),
        "HEAD" => Some(if repo.refs.head_branch().as_deref() == Some(full) {
            b"*".to_vec()
        } else {
            b" ".to_vec()
        }),
        "symref" => match repo.refs.raw(full) {
            Some(refs::Target::Symbolic(target)) => Some(name_of(&target)),
            _ => Some(Vec::new()),
        },
        "upstream" | "push" => {
            let upstream = full
                .strip_prefix(b"refs/heads/")
                .and_then(|branch| revision::upstream(repo, branch));
            match upstream {
                None => Some(Vec::new()),
                Some(upstream) => Some(match modifier {
                    Some(text) if text.starts_with("track") => {
                        let state = match repo.refs.resolve(&upstream) {
                            None => "gone".to_owned(),
                            Some(theirs) => match super::status::ahead_behind(repo, oid, theirs)? {
                                (0, 0) if text == "trackshort" => "=".to_owned(),
                                (0, 0) => String::new(),
                                (_, 0) if text == "trackshort" => ">".to_owned(),
                                (ahead, 0) => format!("ahead {ahead}"),
                                (0, _) if text == "trackshort" => "<".to_owned(),
                                (0, behind) => format!("behind {behind}"),
                                _ if text == "trackshort" => "<>".to_owned(),
                                (ahead, behind) => format!("ahead {ahead}, behind {behind}"),
                            },
                        };
                        if state.is_empty() || text.contains("short") || text.contains("nobracket")
                        {
                            state
                        } else {
                            format!("[{state}]")
                        }
                        .into_bytes()
                    }
                    _ => name_of(&upstream),
                }),
            }
        }
        "worktreepath" => {
            let own = repo.refs.head_branch().as_deref() == Some(full);
            Some(if own {
                repo.work_tree.clone().unwrap_or_default()
            } else {
                Vec::new()
            })
        }
        _ => {
            let commit = commit.as_ref();
            let who = |prefix: &str| base.strip_prefix(prefix);
            if let Some(what) = who("author") {
                return Ok(match commit {
                    Some(commit) => person(&commit.author, what),
                    None => Some(Vec::new()),
                });
            }
            if let Some(what) = who("committer") {
                return Ok(match commit {
                    Some(commit) => person(&commit.committer, what),
                    None => Some(Vec::new()),
                });
            }
            if let Some(what) = who("tagger") {
                return Ok(match &tag {
                    Some(tag) => person(&tag.tagger, what),
                    None => Some(Vec::new()),
                });
            }
            if let Some(what) = who("creator") {
                let who = commit
                    .map(|commit| commit.committer.clone())
                    .or(tag.map(|tag| tag.tagger))
                    .unwrap_or_default();
                return Ok(person(&who, what));
            }
            None
        }
    };
    Ok(value)
}

/// A reference by a format with `%(…)`.
pub(crate) fn format_ref(
    repo: &Repo,
    full: &[u8],
    oid: Oid,
    format: &[u8],
    color: bool,
) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut rest = format;
    let mut conditions: Vec<(bool, bool)> = Vec::new();
    let mut probe: Option<(usize, Option<(String, bool)>)> = None;
    while let Some((&byte, after)) = rest.split_first() {
        let active = conditions.iter().all(|(on, _)| *on);
        if byte != b'%' {
            if active {
                out.push(byte);
            }
            rest = after;
            continue;
        }
        if let Some(after) = after.strip_prefix(b"%") {
            if active {
                out.push(b'%');
            }
            rest = after;
            continue;
        }
        if let (Some(high), Some(low)) = (
            after.first().and_then(|b| crate::oid::digit(*b)),
            after.get(1).and_then(|b| crate::oid::digit(*b)),
        ) {
            if active {
                out.push((high << 4) | low);
            }
            rest = &after[2..];
            continue;
        }
        let Some(inside) = after.strip_prefix(b"(") else {
            out.push(b'%');
            rest = after;
            continue;
        };
        let Some(end) = inside.iter().position(|byte| *byte == b')') else {
            return fatal(format!("malformed format string {}", show(rest)));
        };
        let name = show(&inside[..end]);
        rest = &inside[end + 1..];
        match name.as_str() {
            _ if name == "if" || name.starts_with("if:") => {
                let test = name.strip_prefix("if:").and_then(|test| {
                    test.strip_prefix("equals=")
                        .map(|text| (text.to_owned(), true))
                        .or(test
                            .strip_prefix("notequals=")
                            .map(|text| (text.to_owned(), false)))
                });
                probe = Some((out.len(), test));
            }
            "then" => {
                if let Some((start, test)) = probe.take() {
                    let text = out.split_off(start);
                    let met = match test {
                        Some((wanted, equal)) => (text == wanted.as_bytes()) == equal,
                        None => !text.trim_ascii().is_empty(),
                    };
                    conditions.push((met, met));
                }
            }
            "else" => {
                if let Some(last) = conditions.last_mut() {
                    last.0 = !last.1;
                }
            }
            "end" => {
                conditions.pop();
            }
            _ if !active => {}
            _ if name.starts_with("color:") => {
                if color && let Some(code) = crate::pretty::color_code(&name[6..]) {
                    out.extend(code);
                }
            }
            _ if name.starts_with("align:") => {
                return fatal("codepod's git does not support %(align)");
            }
            _ => match field(repo, full, oid, &name)? {
                Some(value) => out.extend(value),
                None => return fatal(format!("unknown field name: {name}")),
            },
        }
    }
    Ok(out)
}

/// Puts references into the order of keys; the last key counts most.
pub(crate) fn sort(repo: &Repo, list: &mut [(Vec<u8>, Oid)], keys: &[Vec<u8>]) -> Result<()> {
    for key in keys {
        let text = show(key);
        let (reverse, name) = match text.strip_prefix('-') {
            Some(name) => (true, name.to_owned()),
            None => (false, text),
        };
        let version = name
            .strip_prefix("version:")
            .or(name.strip_prefix("v:"))
            .map(str::to_owned);
        let mut values = Vec::new();
        for (full, oid) in list.iter() {
            let field_name = version
                .clone()
                .unwrap_or_else(|| match name.ends_with("date") {
                    true => format!("{name}:unix"),
                    false => name.clone(),
                });
            let Some(value) = field(repo, full, *oid, &field_name)? else {
                return fatal(format!("unknown field name: {name}"));
            };
            values.push(value);
        }
        let numeric = name.ends_with("date") || name == "objectsize" || name == "numparent";
        let mut order: Vec<usize> = (0..list.len()).collect();
        order.sort_by(|a, b| {
            let number = |at: usize| show(&values[at]).parse::<i64>().unwrap_or(0);
            let ordering = match () {
                () if numeric => number(*a).cmp(&number(*b)),
                () if version.is_some() => version_order(&values[*a], &values[*b]),
                () => values[*a].cmp(&values[*b]),
            };
            if reverse {
                ordering.reverse()
            } else {
                ordering
            }
        });
        let copy = list.to_vec();
        for (to, from) in order.into_iter().enumerate() {
            list[to] = copy[from].clone();
        }
    }
    Ok(())
}

/// Compares names with numbers in them by their numbers.
fn version_order(a: &[u8], b: &[u8]) -> std::cmp::Ordering {
    let (mut x, mut y) = (a, b);
    loop {
        match (x.first(), y.first()) {
            (None, None) => return std::cmp::Ordering::Equal,
            (None, _) => return std::cmp::Ordering::Less,
            (_, None) => return std::cmp::Ordering::Greater,
            (Some(p), Some(q)) if p.is_ascii_digit() && q.is_ascii_digit() => {
                let count =
                    |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
                let (m, n) = (count(x), count(y));
                let number = |text: &[u8]| show(text).parse::<u128>().unwrap_or(u128::MAX);
                let ordering = number(&x[..m]).cmp(&number(&y[..n]));
                if ordering.is_ne() {
                    return ordering;
                }
                (x, y) = (&x[m..], &y[n..]);
            }
            (Some(p), Some(q)) if p != q => return p.cmp(q),
            _ => (x, y) = (&x[1..], &y[1..]),
        }
    }
}

/// `git for-each-ref`.
pub(crate) fn for_each_ref(call: &Call) -> Result<i32> {
    let table = "s|shell p|perl python tcl count= format= color? sort= points-at= merged? no-merged? contains? no-contains? ignore-case omit-empty \
                 exclude= include-root-refs";
    let parsed = args::parse("for-each-ref", table, &call.words)?;
    parsed.refuse(&["shell", "perl", "python", "tcl", "include-root-refs"])?;
    let repo = call.repo()?;
    let mut refs = repo.refs.all(b"refs/");
    let matches = |pattern: &[u8], full: &[u8]| {
        let bare = pattern.strip_suffix(b"/").unwrap_or(pattern);
        full == bare
            || full.starts_with(&[bare, b"/"].concat())
            || wildmatch::matches(pattern, full, Slashes::Stop, parsed.has("ignore-case"))
    };
    refs.retain(|(full, _)| {
        parsed.words.is_empty() || parsed.words.iter().any(|pattern| matches(pattern, full))
    });
    refs.retain(|(full, _)| {
        !parsed
            .values("exclude")
            .iter()
            .any(|pattern| matches(pattern, full))
    });
    if let Some(name) = parsed.value("points-at") {
        let target = revision::resolve(&repo, name)?;
        refs.retain(|(_, oid)| {
            *oid == target || revision::peel(&repo, *oid, None).is_ok_and(|oid| oid == target)
        });
    }
    for (name, old_first, positive) in [
        ("merged", false, true),
        ("no-merged", false, false),
        ("contains", true, true),
        ("no-contains", true, false),
    ] {
        if parsed.has(name) {
            let target = revision::resolve_commit(&repo, parsed.value(name).unwrap_or(b"HEAD"))?;
            let mut kept = Vec::new();
            for (full, oid) in refs {
                let Ok(commit) = revision::peel(&repo, oid, Some(Kind::Commit)) else {
                    continue;
                };
                let (old, new) = if old_first {
                    (target, commit)
                } else {
                    (commit, target)
                };
                if walk::is_ancestor(&repo, old, new)? == positive {
                    kept.push((full, oid));
                }
            }
            refs = kept;
        }
    }
    sort(&repo, &mut refs, &parsed.values("sort"))?;
    let format = parsed
        .value("format")
        .unwrap_or(b"%(objectname) %(objecttype)\t%(refname)")
        .to_vec();
    let count = parsed
        .text("count")
        .and_then(|count| count.parse().ok())
        .filter(|count| *count > 0)
        .unwrap_or(usize::MAX);
    for (full, oid) in refs.into_iter().take(count) {
        let line = format_ref(
            &repo,
            &full,
            oid,
            &format,
            parsed.value("color") == Some(b"always"),
        )?;
        if !(line.is_empty() && parsed.has("omit-empty")) {
            out::line(line);
        }
    }
    Ok(0)
}

/// `git show-ref`.
pub(crate) fn show_ref(call: &Call) -> Result<i32> {
    let table = "tags heads branches verify exists h|head d|dereference s|hash? abbrev? q|quiet exclude-existing?";
    let parsed = args::parse("show-ref", table, &call.words)?;
    let repo = call.repo()?;
    let digits = parsed
        .text("hash")
        .or(parsed.text("abbrev"))
        .and_then(|count| count.parse::<usize>().ok());
    let show_oid = |oid: &Oid| match digits {
        Some(count) => repo.objects.abbreviate(oid, count),
        None if parsed.has("abbrev") => repo.short(oid),
        None => oid.hex(),
    };
    let print = |full: &[u8], oid: Oid| {
        if parsed.has("quiet") {
            return;
        }
        let line = |oid: &Oid, suffix: &str| match parsed.has("hash") {
            true => out::line(show_oid(oid)),
            false => out::line([show_oid(oid).as_bytes(), b" ", full, suffix.as_bytes()].concat()),
        };
        line(&oid, "");
        if parsed.has("dereference")
            && let Ok(peeled) = revision::peel(&repo, oid, None)
            && peeled != oid
        {
            line(&peeled, "^{}");
        }
    };
    if parsed.has("exists") {
        let name = parsed.words.first().cloned().unwrap_or_default();
        if repo.refs.raw(&name).is_some() {
            return Ok(0);
        }
        out::note("error: reference does not exist");
        return Ok(2);
    }
    if parsed.has("verify") {
        for name in &parsed.words {
            match repo
                .refs
                .resolve(name)
                .filter(|_| name.starts_with(b"refs/") || name == b"HEAD")
            {
                Some(oid) => print(name, oid),
                None if parsed.has("quiet") => return Ok(1),
                None => return fatal(format!("'{}' - not a valid ref", show(name))),
            }
        }
        return Ok(0);
    }
    let mut any = false;
    let heads = parsed.has("heads") || parsed.has("branches");
    let mut refs = repo.refs.all(b"refs/");
    if heads || parsed.has("tags") {
        refs.retain(|(full, _)| {
            (heads && full.starts_with(b"refs/heads/"))
                || (parsed.has("tags") && full.starts_with(b"refs/tags/"))
        });
    }
    if parsed.has("head")
        && let Some(head) = repo.head()
    {
        refs.insert(0, (b"HEAD".to_vec(), head));
    }
    for (full, oid) in refs {
        let ends =
            |pattern: &Vec<u8>| full == *pattern || full.ends_with(&[b"/", &pattern[..]].concat());
        let always = parsed.has("head") && full == b"HEAD";
        if always || parsed.words.is_empty() || parsed.words.iter().any(ends) {
            any = true;
            print(&full, oid);
        }
    }
    Ok(i32::from(!any))
}

/// `git update-ref`.
pub(crate) fn update_ref(call: &Call) -> Result<i32> {
    let parsed = args::parse(
        "update-ref",
        "m|message= d| deref no-deref stdin z| create-reflog",
        &call.words,
    )?;
    parsed.refuse(&["stdin", "z"])?;
    let repo = call.repo()?;
    let Some(name) = parsed.words.first() else {
        return Err(args::usage("update-ref", "a reference is needed"));
    };
    if !name.starts_with(b"refs/")
        && !name
            .iter()
            .all(|byte| byte.is_ascii_uppercase() || *byte == b'_')
        || !refs::is_valid(name, true)
    {
        return fatal(format!(
            "update_ref failed for ref '{}': refusing to update ref with bad name '{}'",
            show(name),
            show(name)
        ));
    }
    let target = if parsed.has("no-deref") {
        name.clone()
    } else {
        repo.refs.resolve_name(name).0
    };
    let current = repo.refs.resolve(&target);
    let expected = parsed.words.get(if parsed.has("d") { 1 } else { 2 });
    if let Some(expected) = expected {
        let wanted = match &expected[..] {
            b"" => Oid::NULL,
            text => match Oid::parse(text) {
                Some(oid) => oid,
                None => match revision::try_resolve(&repo, text)? {
                    Some(oid) => oid,
                    None => return fatal(format!("{}: not a valid SHA1", show(text))),
                },
            },
        };
        let (is, name) = (current.unwrap_or(Oid::NULL), show(name));
        if is != wanted {
            return fatal(match (is.is_null(), wanted.is_null()) {
                (false, true) => format!(
                    "update_ref failed for ref '{name}': cannot lock ref '{name}': reference already exists"
                ),
                (true, _) => format!(
                    "update_ref failed for ref '{name}': cannot lock ref '{name}': unable to resolve reference '{name}'"
                ),
                _ => format!(
                    "update_ref failed for ref '{name}': cannot lock ref '{name}': is at {is} but expected {wanted}"
                ),
            });
        }
    }
    if parsed.has("d") {
        repo.refs.delete(&target)?;
        return Ok(0);
    }
    let Some(new) = parsed.words.get(1) else {
        return Err(args::usage("update-ref", "a new value is needed"));
    };
    let Some(oid) = revision::try_resolve(&repo, new)? else {
        return fatal(format!("{}: not a valid SHA1", show(new)));
    };
    if oid.is_null() {
        repo.refs.delete(&target)?;
        return Ok(0);
    }
    let (kind, _) = match repo.objects.get(&oid)? {
        Some(object) => object,
        None => {
            let name = show(name);
            return fatal(format!(
                "update_ref failed for ref '{name}': cannot update ref '{name}': trying to write ref '{name}' with nonexistent object {oid}"
            ));
        }
    };
    if target.starts_with(b"refs/heads/") && kind != Kind::Commit {
        let name = show(name);
        return fatal(format!(
            "update_ref failed for ref '{name}': cannot update ref '{name}': trying to write non-commit object {oid} to branch '{name}'"
        ));
    }
    let who = identity(&repo, Role::Committer, false)?;
    let message = parsed.value("message").unwrap_or_default();
    repo.refs.write(&target, oid, Some((&who, message)))?;
    if repo.refs.head_branch().as_ref() == Some(&target) {
        repo.refs
            .log(b"HEAD", current.unwrap_or(Oid::NULL), oid, &who, message)?;
    }
    Ok(0)
}

/// `git symbolic-ref`.
pub(crate) fn symbolic_ref(call: &Call) -> Result<i32> {
    let parsed = args::parse(
        "symbolic-ref",
        "q|quiet d|delete short m|= recurse no-recurse",
        &call.words,
    )?;
    let repo = call.repo()?;
    let Some(name) = parsed.words.first() else {
        return Err(args::usage("symbolic-ref", "a name is needed"));
    };
    if parsed.has("delete") {
        return match repo.refs.raw(name) {
            Some(refs::Target::Symbolic(_)) if name == b"HEAD" => {
                fatal(format!("deleting '{}' is not allowed", show(name)))
            }
            Some(refs::Target::Symbolic(_)) => repo.refs.delete(name).map(|()| 0),
            _ => fatal(format!("Cannot delete {}, not a symbolic ref", show(name))),
        };
    }
    if let Some(target) = parsed.words.get(1) {
        if name == b"HEAD" && !target.starts_with(b"refs/") {
            return fatal("Refusing to point HEAD outside of refs/");
        }
        if !refs::is_valid(target, true) {
            return fatal(format!(
                "Refusing to set '{}' to invalid ref '{}'",
                show(name),
                show(target)
            ));
        }
        repo.refs.write_symbolic(name, target)?;
        return Ok(0);
    }
    match repo.refs.raw(name) {
        Some(refs::Target::Symbolic(target)) => {
            out::line(if parsed.has("short") {
                super::short_ref(&target)
            } else {
                &target
            });
            Ok(0)
        }
        _ if parsed.has("quiet") => Err(Stop::Status(1)),
        _ => fatal(format!("ref {} is not a symbolic ref", show(name))),
    }
}

/// `git check-ref-format`.
pub(crate) fn check_ref_format(call: &Call) -> Result<i32> {
    let parsed = args::parse(
        "check-ref-format",
        "branch allow-onelevel refspec-pattern normalize print",
        &call.words,
    )?;
    let Some(name) = parsed.words.first() else {
        return Err(args::usage("check-ref-format", "a name is needed"));
    };
    if parsed.has("branch") {
        if !refs::is_branch_name(name) {
            return fatal(format!("'{}' is not a valid branch name", show(name)));
        }
        out::line(name);
        return Ok(0);
    }
    let mut name = name.clone();
    if parsed.has("normalize") || parsed.has("print") {
        let parts: Vec<&[u8]> = name
            .split(|byte| *byte == b'/')
            .filter(|part| !part.is_empty())
            .collect();
        name = parts.join(&b'/');
    }
    if parsed.has("refspec-pattern") {
        name = show(&name).replacen('*', "x", 1).into_bytes();
    }
    if !refs::is_valid(&name, parsed.has("allow-onelevel")) {
        return Ok(1);
    }
    if parsed.has("normalize") || parsed.has("print") {
        out::line(&name);
    }
    let _ = os::now;
    Ok(0)
}
