//! The names that commits have, beside them.

use std::collections::HashMap;

use super::Context;
use crate::object::Commit;
use crate::oid::Oid;
use crate::repo::Repo;

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
    /// Not a name: history ends here.
    Grafted,
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
    for oid in repo.objects.shallow() {
        let names = found.entry(oid).or_default();
        let name = b"grafted".to_vec();
        names.insert(
            0,
            Decoration {
                name,
                kind: Naming::Grafted,
            },
        );
    }
    found
}

impl Context {
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
                Naming::Grafted => paint("\x1b[1;34m", &decoration.name),
                Naming::Stash => paint("\x1b[1;35m", &decoration.name),
                _ => paint("\x1b[1;32m", &decoration.name),
            });
        }
        Some(match color {
            true => parts.join(&b"\x1b[m\x1b[33m, \x1b[m"[..]),
            false => parts.join(&b", "[..]),
        })
    }
}

pub(super) fn decoration(commit: &Commit, context: &Context) -> Vec<u8> {
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
