//! What is in objects: commits, trees, tags.

use crate::objects::Objects;
use crate::oid::{Kind, Oid};
use crate::os::{S_IFDIR, S_IFLNK, S_IFMT};
use crate::stop::{Result, fatal};

/// The mode of a commit in a tree: a submodule.
pub(crate) const GITLINK: u32 = 0o160_000;

/// A commit.
#[derive(Debug, Clone, Default)]
pub(crate) struct Commit {
    pub(crate) oid: Oid,
    pub(crate) tree: Oid,
    pub(crate) parents: Vec<Oid>,
    /// Name, address, time and zone as they stand there.
    pub(crate) author: Vec<u8>,
    pub(crate) committer: Vec<u8>,
    pub(crate) encoding: Option<Vec<u8>>,
    pub(crate) message: Vec<u8>,
}

impl Commit {
    /// Reads a commit's content; none when it is not one.
    pub(crate) fn parse(oid: Oid, content: &[u8]) -> Option<Commit> {
        let mut commit = Commit {
            oid,
            ..Commit::default()
        };
        let (head, message) = split_head(content);
        for line in head.split(|byte| *byte == b'\n') {
            if let Some(hex) = line.strip_prefix(b"tree ") {
                commit.tree = Oid::parse(hex)?;
            } else if let Some(hex) = line.strip_prefix(b"parent ") {
                commit.parents.push(Oid::parse(hex)?);
            } else if let Some(who) = line.strip_prefix(b"author ") {
                commit.author = who.to_vec();
            } else if let Some(who) = line.strip_prefix(b"committer ") {
                commit.committer = who.to_vec();
            } else if let Some(name) = line.strip_prefix(b"encoding ") {
                commit.encoding = Some(name.to_vec());
            }
        }
        commit.message = message.to_vec();
        (!head.is_empty()).then_some(commit)
    }

    /// Reads a commit that has to be there; where history ends, it has no parents.
    pub(crate) fn read(objects: &Objects, oid: &Oid) -> Result<Commit> {
        let content = objects.read_kind(oid, Kind::Commit)?;
        match Commit::parse(*oid, &content) {
            Some(mut commit) => {
                if objects.is_shallow(oid) {
                    commit.parents.clear();
                }
                Ok(commit)
            }
            None => fatal(format!("bad commit {oid}")),
        }
    }

    /// The commit's content.
    pub(crate) fn serialise(&self) -> Vec<u8> {
        let mut out = format!("tree {}\n", self.tree).into_bytes();
        for parent in &self.parents {
            out.extend(format!("parent {parent}\n").bytes());
        }
        out.extend(
            [
                b"author ",
                &self.author[..],
                b"\ncommitter ",
                &self.committer,
                b"\n",
            ]
            .concat(),
        );
        if let Some(encoding) = &self.encoding {
            out.extend([b"encoding ", &encoding[..], b"\n"].concat());
        }
        out.push(b'\n');
        out.extend_from_slice(&self.message);
        out
    }

    /// When it was committed.
    pub(crate) fn time(&self) -> i64 {
        who_time(&self.committer).0
    }

    /// The first paragraph in one line.
    pub(crate) fn subject(&self) -> Vec<u8> {
        subject(&self.message)
    }
}

/// The first paragraph of a message in one line.
pub(crate) fn subject(message: &[u8]) -> Vec<u8> {
    let lines = message
        .split(|byte| *byte == b'\n')
        .skip_while(|line| line.trim_ascii().is_empty());
    let lines: Vec<&[u8]> = lines
        .take_while(|line| !line.trim_ascii().is_empty())
        .map(|line| line.trim_ascii_end())
        .collect();
    lines.join(&b' ')
}

/// What follows the first paragraph.
pub(crate) fn body(message: &[u8]) -> Vec<u8> {
    let mut rest = message;
    let mut started = false;
    while !rest.is_empty() {
        let end = rest
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(rest.len(), |at| at + 1);
        let blank = rest[..end].trim_ascii().is_empty();
        if started && blank {
            break;
        }
        started |= !blank;
        rest = &rest[end..];
    }
    while !rest.is_empty() {
        let end = rest
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(rest.len(), |at| at + 1);
        if !rest[..end].trim_ascii().is_empty() {
            break;
        }
        rest = &rest[end..];
    }
    rest.to_vec()
}

fn split_head(content: &[u8]) -> (&[u8], &[u8]) {
    match content.windows(2).position(|pair| pair == b"\n\n") {
        Some(at) => (&content[..at], &content[at + 2..]),
        None => (content.strip_suffix(b"\n").unwrap_or(content), b""),
    }
}

/// Time and zone (`+0100` as 100) of `Name <address> time zone`.
pub(crate) fn who_time(who: &[u8]) -> (i64, i32) {
    let rest = match who.iter().rposition(|byte| *byte == b'>') {
        Some(at) => &who[at + 1..],
        None => return (0, 0),
    };
    let text = String::from_utf8_lossy(rest);
    let mut words = text.split_ascii_whitespace();
    let time = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
    let zone = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
    (time, zone)
}

/// Name and address of `Name <address> …`.
pub(crate) fn who_parts(who: &[u8]) -> (&[u8], &[u8]) {
    let open = who.iter().position(|byte| *byte == b'<');
    let close = who.iter().rposition(|byte| *byte == b'>');
    match (open, close) {
        (Some(open), Some(close)) if open < close => {
            (who[..open].trim_ascii(), &who[open + 1..close])
        }
        _ => (who, b""),
    }
}

/// An entry of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TreeEntry {
    pub(crate) mode: u32,
    pub(crate) name: Vec<u8>,
    pub(crate) oid: Oid,
}

impl TreeEntry {
    /// Whether it is a directory.
    pub(crate) fn is_tree(&self) -> bool {
        self.mode & S_IFMT == S_IFDIR
    }

    /// What the entry's object is.
    pub(crate) fn kind(&self) -> Kind {
        kind_of_mode(self.mode)
    }
}

/// What the object of an entry with this mode is.
pub(crate) fn kind_of_mode(mode: u32) -> Kind {
    match mode & S_IFMT {
        S_IFDIR => Kind::Tree,
        GITLINK => Kind::Commit,
        _ => Kind::Blob,
    }
}

/// The mode that git gives a file of this mode.
pub(crate) fn canonical_mode(mode: u32) -> u32 {
    match mode & S_IFMT {
        S_IFLNK => S_IFLNK,
        S_IFDIR => S_IFDIR,
        GITLINK => GITLINK,
        _ if mode & 0o100 != 0 => 0o100_755,
        _ => 0o100_644,
    }
}

/// Reads a tree's content.
pub(crate) fn parse_tree(content: &[u8]) -> Option<Vec<TreeEntry>> {
    let mut entries = Vec::new();
    let mut rest = content;
    while !rest.is_empty() {
        let space = rest.iter().position(|byte| *byte == b' ')?;
        let mode = u32::from_str_radix(std::str::from_utf8(&rest[..space]).ok()?, 8).ok()?;
        rest = &rest[space + 1..];
        let end = rest.iter().position(|byte| *byte == 0)?;
        let name = rest[..end].to_vec();
        let oid = Oid::from_bytes(rest.get(end + 1..end + 21)?)?;
        rest = &rest[end + 21..];
        entries.push(TreeEntry { mode, name, oid });
    }
    Some(entries)
}

/// Reads a tree that has to be there.
pub(crate) fn read_tree(objects: &Objects, oid: &Oid) -> Result<Vec<TreeEntry>> {
    let content = objects.read_kind(oid, Kind::Tree)?;
    match parse_tree(&content) {
        Some(entries) => Ok(entries),
        None => fatal(format!("corrupt tree {oid}")),
    }
}

/// A tree's content; entries are put in git's order.
pub(crate) fn serialise_tree(mut entries: Vec<TreeEntry>) -> Vec<u8> {
    let key = |entry: &TreeEntry| {
        let mut key = entry.name.clone();
        if entry.is_tree() {
            key.push(b'/');
        }
        key
    };
    entries.sort_by_cached_key(key);
    let mut out = Vec::new();
    for entry in entries {
        out.extend(format!("{:o} ", entry.mode).bytes());
        out.extend_from_slice(&entry.name);
        out.push(0);
        out.extend(entry.oid.0);
    }
    out
}

/// An annotated tag.
#[derive(Debug, Clone)]
pub(crate) struct Tag {
    pub(crate) target: Oid,
    pub(crate) kind: Kind,
    pub(crate) name: Vec<u8>,
    pub(crate) tagger: Vec<u8>,
    pub(crate) message: Vec<u8>,
}

impl Tag {
    /// Reads a tag's content.
    pub(crate) fn parse(content: &[u8]) -> Option<Tag> {
        let (head, message) = split_head(content);
        let field = |name: &[u8]| {
            head.split(|byte| *byte == b'\n')
                .find_map(|line| line.strip_prefix(name))
        };
        Some(Tag {
            target: Oid::parse(field(b"object ")?)?,
            kind: Kind::parse(field(b"type ")?)?,
            name: field(b"tag ")?.to_vec(),
            tagger: field(b"tagger ").unwrap_or_default().to_vec(),
            message: message.to_vec(),
        })
    }
}
