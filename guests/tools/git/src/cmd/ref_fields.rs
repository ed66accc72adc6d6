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
    let (oid, name) = match name.strip_prefix('*') {
        None => (oid, name),
        Some(name) => match repo.objects.read(&oid)? {
            (Kind::Tag, _) => (revision::peel(repo, oid, None)?, name),
            _ => return Ok(Some(Vec::new())),
        },
    };
    let (base, modifier) = match name.split_once(':') {
        Some((base, modifier)) => (base, Some(modifier)),
        None => (name, None),
    };
    let (kind, content) = repo.objects.read(&oid)?;
    let (commit, tag) = match kind {
        Kind::Commit => (Commit::parse(oid, &content), None),
        Kind::Tag => (None, Tag::parse(&content)),
        Kind::Tree | Kind::Blob => (None, None),
    };
    let fields = Fields {
        repo,
        full,
        oid,
        kind,
        size: content.len(),
        commit,
        tag,
        modifier,
    };
    if let "upstream" | "push" = base {
        return fields.upstream().map(Some);
    }
    Ok(fields
        .of_reference(base)
        .or_else(|| fields.of_object(base))
        .or_else(|| fields.of_message(base))
        .or_else(|| fields.of_person(base)))
}

/// What the fields of a reference are read from.
struct Fields<'a> {
    repo: &'a Repo,
    full: &'a [u8],
    oid: Oid,
    kind: Kind,
    size: usize,
    /// The object, when it is a commit.
    commit: Option<Commit>,
    /// The object, when it is a tag.
    tag: Option<Tag>,
    /// What stands behind the colon.
    modifier: Option<&'a str>,
}

impl Fields<'_> {
    fn of_reference(&self, base: &str) -> Option<Vec<u8>> {
        let is_head = || self.repo.refs.head_branch().as_deref() == Some(self.full);
        Some(match base {
            "refname" => self.ref_name(self.full),
            "HEAD" if is_head() => b"*".to_vec(),
            "HEAD" => b" ".to_vec(),
            "symref" => match self.repo.refs.raw(self.full) {
                Some(refs::Target::Symbolic(target)) => self.ref_name(&target),
                _ => Vec::new(),
            },
            "worktreepath" if is_head() => self.repo.work_tree.clone().unwrap_or_default(),
            "worktreepath" => Vec::new(),
            _ => return None,
        })
    }

    /// The name of a reference, as `:short` or `:lstrip=N` wants it.
    fn ref_name(&self, full: &[u8]) -> Vec<u8> {
        match self.modifier {
            Some("short") => super::short_ref(full).to_vec(),
            Some(text) if text.starts_with("lstrip=") || text.starts_with("strip=") => {
                let count: i64 = text
                    .split_once('=')
                    .and_then(|(_, count)| count.parse().ok())
                    .unwrap_or(0);
                let parts: Vec<&[u8]> = full.split(|byte| *byte == b'/').collect();
                let skip = match count < 0 {
                    true => parts.len().saturating_sub(count.unsigned_abs() as usize),
                    false => (count as usize).min(parts.len()),
                };
                parts[skip..].join(&b'/')
            }
            _ => full.to_vec(),
        }
    }

    /// The branch that this one follows, or how it stands to it.
    fn upstream(&self) -> Result<Vec<u8>> {
        let branch = self.full.strip_prefix(b"refs/heads/");
        let Some(upstream) = branch.and_then(|branch| revision::upstream(self.repo, branch)) else {
            return Ok(Vec::new());
        };
        let Some(how) = self.modifier.filter(|text| text.starts_with("track")) else {
            return Ok(self.ref_name(&upstream));
        };
        let state = match self.repo.refs.resolve(&upstream) {
            None => "gone".to_owned(),
            Some(theirs) => match super::status::ahead_behind(self.repo, self.oid, theirs)? {
                (0, 0) if how == "trackshort" => "=".to_owned(),
                (0, 0) => String::new(),
                (_, 0) if how == "trackshort" => ">".to_owned(),
                (ahead, 0) => format!("ahead {ahead}"),
                (0, _) if how == "trackshort" => "<".to_owned(),
                (0, behind) => format!("behind {behind}"),
                _ if how == "trackshort" => "<>".to_owned(),
                (ahead, behind) => format!("ahead {ahead}, behind {behind}"),
            },
        };
        let is_bare = state.is_empty() || how.contains("short") || how.contains("nobracket");
        Ok(match is_bare {
            true => state.into_bytes(),
            false => format!("[{state}]").into_bytes(),
        })
    }

    /// Fields that only some kinds of objects have are empty for the others.
    fn of_object(&self, base: &str) -> Option<Vec<u8>> {
        let of_commit = |value: &dyn Fn(&Commit) -> String| {
            let value = self.commit.as_ref().map(value);
            value.unwrap_or_default().into_bytes()
        };
        let tag = self.tag.as_ref();
        Some(match base {
            "objectname" => match self.modifier {
                Some("short") => self.repo.short(&self.oid).into_bytes(),
                Some(text) if text.starts_with("short=") => {
                    let count = text[6..].parse().unwrap_or(7);
                    self.repo.objects.abbreviate(&self.oid, count).into_bytes()
                }
                _ => self.oid.hex().into_bytes(),
            },
            "objecttype" => self.kind.name().as_bytes().to_vec(),
            "objectsize" => self.size.to_string().into_bytes(),
            "tree" => of_commit(&|commit| commit.tree.hex()),
            "parent" => of_commit(&|commit| {
                let parents: Vec<String> = commit.parents.iter().map(Oid::hex).collect();
                parents.join(" ")
            }),
            "numparent" => of_commit(&|commit| commit.parents.len().to_string()),
            "object" => tag
                .map(|tag| tag.target.hex().into_bytes())
                .unwrap_or_default(),
            "type" => tag.map(|tag| tag.kind.name().into()).unwrap_or_default(),
            "tag" => tag.map(|tag| tag.name.clone()).unwrap_or_default(),
            _ => return None,
        })
    }

    fn of_message(&self, base: &str) -> Option<Vec<u8>> {
        let message = match (&self.commit, &self.tag) {
            (Some(commit), _) => &commit.message[..],
            (None, Some(tag)) => &tag.message,
            (None, None) => b"",
        };
        Some(match (base, self.modifier) {
            ("subject", _) | ("contents", Some("subject")) => object::subject(message),
            ("body", _) | ("contents", Some("body")) => object::body(message),
            ("contents", Some(text)) if text.starts_with("lines=") => {
                let count = text[6..].parse().unwrap_or(1);
                let lines: Vec<&[u8]> = message.split(|byte| *byte == b'\n').take(count).collect();
                lines.join(&b"\n    "[..])
            }
            ("contents", _) => message.to_vec(),
            _ => return None,
        })
    }

    /// `author`, `committerdate`, `taggeremail`, and others like them.
    fn of_person(&self, base: &str) -> Option<Vec<u8>> {
        let author = self.commit.as_ref().map(|commit| &commit.author);
        let committer = self.commit.as_ref().map(|commit| &commit.committer);
        let tagger = self.tag.as_ref().map(|tag| &tag.tagger);
        for (role, who) in [
            ("author", author),
            ("committer", committer),
            ("tagger", tagger),
        ] {
            if let Some(what) = base.strip_prefix(role) {
                return match who {
                    Some(who) => self.person(who, what),
                    None => Some(Vec::new()),
                };
            }
        }
        let what = base.strip_prefix("creator")?;
        let who = committer.or(tagger).cloned().unwrap_or_default();
        self.person(&who, what)
    }

    fn person(&self, who: &[u8], what: &str) -> Option<Vec<u8>> {
        let (name, mail) = who_parts(who);
        Some(match (what, self.modifier) {
            ("", _) => who.to_vec(),
            ("name", _) => name.to_vec(),
            ("email", Some("trim")) => mail.to_vec(),
            ("email", Some("localpart")) => {
                let mut parts = mail.split(|byte| *byte == b'@');
                parts.next().unwrap_or_default().to_vec()
            }
            ("email", _) => [b"<", mail, b">"].concat(),
            ("date", style) => {
                let (time, zone) = who_time(who);
                let style = style.and_then(Style::parse).unwrap_or_default();
                date::show(time, zone, &style).into_bytes()
            }
            _ => return None,
        })
    }
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
