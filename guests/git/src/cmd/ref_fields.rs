//! Fields of references, `%(…)`: shown by a format, and sorted by.

use crate::date::{self, Style};
use crate::object::{self, Commit, Tag, who_parts, who_time};
use crate::oid::{Kind, Oid};
use crate::refs;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, fatal, show};

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
