//! Pushes: what a server is told and sent, and what it says about it.

use std::collections::{HashMap, HashSet};

use super::advertised::Advertised;
use super::packet::{FLUSH, Packet, Packets, push};
use super::session::{AGENT, Session};
use crate::object::{Commit, Tag, kind_of_mode, read_tree};
use crate::oid::{self, Kind, Oid};
use crate::pack::{self, PackedBase};
use crate::repo::Repo;
use crate::stop::{Result, fatal, show};

/// What is to happen to a reference.
pub(crate) struct Command {
    pub(crate) name: Vec<u8>,
    pub(crate) old: Option<Oid>,
    /// Without one it is deleted.
    pub(crate) new: Option<Oid>,
}

/// How it is to happen.
#[derive(Default)]
pub(crate) struct How {
    /// All of it or nothing.
    pub(crate) atomic: bool,
    /// Words for the server's hooks.
    pub(crate) options: Vec<Vec<u8>>,
    pub(crate) quiet: bool,
}

/// Sends commands and the objects that they need. Returns why commands were refused, by the name of
/// their reference.
pub(crate) fn send(
    session: &mut Session,
    server: &Advertised,
    repo: &Repo,
    commands: &[Command],
    how: &How,
) -> Result<HashMap<Vec<u8>, String>> {
    let can = |name: &str| server.can(name).is_some();
    if !can("report-status") {
        return fatal("the server does not tell what becomes of a push (report-status)");
    }
    if how.atomic && !can("atomic") {
        return fatal("the receiving end does not support --atomic push");
    }
    if !how.options.is_empty() && !can("push-options") {
        return fatal("the receiving end does not support push options");
    }
    if commands.iter().any(|command| command.new.is_none()) && !can("delete-refs") {
        return fatal("the receiving end does not support deleting references");
    }
    let mut words = "report-status".to_owned();
    let wanted = [
        ("side-band-64k", true),
        ("quiet", how.quiet),
        ("atomic", how.atomic),
        ("push-options", !how.options.is_empty()),
    ];
    for (word, is_wanted) in wanted {
        if is_wanted && can(word) {
            words.push_str(&format!(" {word}"));
        }
    }
    if can("object-format") {
        words.push_str(" object-format=sha1");
    }
    if can("agent") {
        words.push_str(&format!(" agent={AGENT}"));
    }
    let mut request = Vec::new();
    for (at, command) in commands.iter().enumerate() {
        let (old, new) = (
            command.old.unwrap_or(Oid::NULL),
            command.new.unwrap_or(Oid::NULL),
        );
        let mut line = format!("{old} {new} ").into_bytes();
        line.extend_from_slice(&command.name);
        if at == 0 {
            line.push(0);
            line.extend_from_slice(words.as_bytes());
        }
        push(&mut request, line);
    }
    request.extend(FLUSH);
    if !how.options.is_empty() {
        how.options
            .iter()
            .for_each(|option| push(&mut request, option));
        request.extend(FLUSH);
    }
    let new: Vec<Oid> = commands.iter().filter_map(|command| command.new).collect();
    if !new.is_empty() {
        let known = server.refs.iter().map(|found| found.oid);
        let known: Vec<Oid> = known.chain(server.have.iter().copied()).collect();
        let names = needed(repo, &new, &known)?;
        add_pack(repo, &names, can("ofs-delta"), &mut request)?;
    }
    let packets = session.post("git-receive-pack", request, false)?;
    report(packets, can("side-band-64k"), commands)
}

/// The objects that these lead to, without those that the server has.
fn needed(repo: &Repo, new: &[Oid], known: &[Oid]) -> Result<Vec<Oid>> {
    let mut known_commits = Vec::new();
    let mut seen: HashSet<Oid> = HashSet::new();
    for oid in known {
        if repo.objects.has(oid) {
            seen.insert(*oid);
            known_commits.extend(crate::revision::peel(repo, *oid, Some(Kind::Commit)).ok());
        }
    }
    let mut found = Vec::new();
    let mut commits = Vec::new();
    for oid in new {
        let mut oid = *oid;
        loop {
            let (kind, content) = repo.objects.read(&oid)?;
            match kind {
                Kind::Commit => commits.push(oid),
                Kind::Tree => add_tree(repo, oid, &mut seen, &mut found)?,
                Kind::Blob => {
                    if seen.insert(oid) {
                        found.push(oid);
                    }
                }
                Kind::Tag => {
                    if seen.insert(oid) {
                        found.push(oid);
                    }
                    match Tag::parse(&content) {
                        Some(tag) => {
                            oid = tag.target;
                            continue;
                        }
                        None => return fatal(format!("bad tag {oid}")),
                    }
                }
            }
            break;
        }
    }
    let commits = crate::walk::range(repo, &commits, &known_commits, false)?;
    let new_commits: HashSet<Oid> = commits.iter().map(|commit| commit.oid).collect();
    // What the parents have at the edge, the server has.
    let mut ignored = Vec::new();
    for commit in &commits {
        for parent in commit
            .parents
            .iter()
            .filter(|parent| !new_commits.contains(*parent))
        {
            let tree = Commit::read(&repo.objects, parent)?.tree;
            add_tree(repo, tree, &mut seen, &mut ignored)?;
        }
    }
    found.extend(commits.iter().map(|commit| commit.oid));
    for commit in &commits {
        add_tree(repo, commit.tree, &mut seen, &mut found)?;
    }
    Ok(found)
}

/// Adds a tree and what is in it, unless it was seen.
fn add_tree(repo: &Repo, tree: Oid, seen: &mut HashSet<Oid>, found: &mut Vec<Oid>) -> Result<()> {
    let mut todo = vec![tree];
    while let Some(tree) = todo.pop() {
        if !seen.insert(tree) {
            continue;
        }
        found.push(tree);
        for entry in read_tree(&repo.objects, &tree)? {
            match kind_of_mode(entry.mode) {
                Kind::Tree => todo.push(entry.oid),
                Kind::Blob if seen.insert(entry.oid) => found.push(entry.oid),
                _ => {}
            }
        }
    }
    Ok(())
}

/// Adds a pack of these objects. What is a difference in a pack here stays one, if its base goes
/// along.
fn add_pack(repo: &Repo, names: &[Oid], offsets: bool, request: &mut Vec<u8>) -> Result<()> {
    let start = request.len();
    request.extend(pack::head(names.len()));
    let wanted: HashSet<Oid> = names.iter().copied().collect();
    // In the order of the packs here: most bases come before what is made of them.
    let mut order: Vec<(usize, u64, Oid)> = Vec::with_capacity(names.len());
    for name in names {
        let place = repo
            .objects
            .with_packed(name, |pack, found| (pack, found.offset))?;
        let (pack, offset) = place.unwrap_or((0, 0));
        order.push((pack, offset, *name));
    }
    order.sort_by_key(|(pack, offset, _)| (*pack, *offset));
    let mut written: HashMap<Oid, usize> = HashMap::with_capacity(names.len());
    for (_, _, name) in &order {
        let at = request.len() - start;
        let is_copied = repo.objects.with_packed(name, |_, found| {
            match &found.base {
                PackedBase::Whole(kind) => pack::push_head(request, pack::code(*kind), found.size),
                PackedBase::Delta(base) if !wanted.contains(base) => return false,
                PackedBase::Delta(base) => match written.get(base).filter(|_| offsets) {
                    Some(base) => {
                        pack::push_head(request, 6, found.size);
                        push_offset(request, at - base);
                    }
                    None => {
                        pack::push_head(request, 7, found.size);
                        request.extend(base.0);
                    }
                },
            }
            request.extend_from_slice(found.stream);
            true
        })?;
        if is_copied != Some(true) {
            let (kind, content) = repo.objects.read(name)?;
            pack::push_whole(request, kind, &content)?;
        }
        written.insert(*name, at);
    }
    let trailer = oid::sha1(&request[start..]);
    request.extend(trailer.0);
    Ok(())
}

/// How far back a base is, as packs write it.
fn push_offset(pack: &mut Vec<u8>, back: usize) {
    let mut bytes = vec![(back & 0x7f) as u8];
    let mut rest = back >> 7;
    while rest > 0 {
        rest -= 1;
        bytes.push(0x80 | (rest & 0x7f) as u8);
        rest >>= 7;
    }
    pack.extend(bytes.iter().rev());
}

/// What the server says: why it refused references.
fn report(
    mut packets: Packets,
    has_bands: bool,
    commands: &[Command],
) -> Result<HashMap<Vec<u8>, String>> {
    let mut lines = Vec::new();
    if has_bands {
        let mut text = Vec::new();
        while let Some(part) = packets.data()? {
            text.extend_from_slice(part);
            if text.len() > 64 << 20 {
                return fatal("protocol error: the report is too long");
            }
        }
        let mut inner = Packets::new(Box::new(std::io::Cursor::new(text)), true);
        while inner.next()? == Packet::Line {
            lines.push(inner.text().to_vec());
        }
    } else {
        while packets.next()? == Packet::Line && lines.len() <= commands.len() {
            lines.push(packets.text().to_vec());
        }
    }
    let mut lines = lines.into_iter();
    match lines
        .next()
        .as_deref()
        .and_then(|line| line.strip_prefix(b"unpack "))
    {
        Some(b"ok") => {}
        Some(why) => {
            crate::out::note(format!("error: remote unpack failed: {}", show(why)));
        }
        None => return fatal("protocol error: expected what became of the pack"),
    }
    let mut told: HashMap<Vec<u8>, Option<String>> = HashMap::new();
    for line in lines {
        if let Some(name) = line.strip_prefix(b"ok ") {
            told.insert(name.to_vec(), None);
        } else if let Some(rest) = line.strip_prefix(b"ng ") {
            let end = rest
                .iter()
                .position(|byte| *byte == b' ')
                .unwrap_or(rest.len());
            let why = show(rest.get(end + 1..).unwrap_or(b"failed"));
            told.insert(rest[..end].to_vec(), Some(why));
        }
    }
    let mut refused = HashMap::new();
    for command in commands {
        let why = match told.remove(&command.name) {
            Some(None) => continue,
            Some(Some(why)) => why,
            None => "remote failed to report status".to_owned(),
        };
        refused.insert(command.name.clone(), why);
    }
    Ok(refused)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::{Base, Entry};

    #[test]
    fn offsets_are_read_as_they_were_written() {
        for back in [1, 127, 128, 16_511, 16_512, 2_113_663, 2_113_664, 1 << 30] {
            let mut pack = Vec::new();
            pack::push_head(&mut pack, 6, 1000);
            push_offset(&mut pack, back);
            let entry = Entry::parse(&pack, 0).unwrap();
            assert!(
                matches!(entry.base, Base::Offset(found) if found == back),
                "{back}"
            );
            assert_eq!((entry.size, entry.start), (1000, pack.len()));
        }
    }

    #[test]
    fn a_report_names_what_was_refused() {
        let command = |name: &str| Command {
            name: name.into(),
            old: None,
            new: Some(Oid::EMPTY_TREE),
        };
        let mut text = Vec::new();
        for line in [
            "unpack ok\n",
            "ok refs/heads/a\n",
            "ng refs/heads/b hook declined\n",
        ] {
            push(&mut text, line);
        }
        text.extend(FLUSH);
        let packets = Packets::new(Box::new(std::io::Cursor::new(text)), true);
        let commands = [
            command("refs/heads/a"),
            command("refs/heads/b"),
            command("refs/heads/c"),
        ];
        let refused = report(packets, false, &commands).unwrap();
        assert_eq!(refused.len(), 2);
        assert_eq!(refused[&b"refs/heads/b"[..]], "hook declined");
    }
}
