//! What a server has: its references, and what it can do.

use super::packet::{DELIMITER, FLUSH, Packet, Packets, push};
use super::session::{AGENT, Session};
use crate::oid::Oid;
use crate::out;
use crate::refs::is_valid;
use crate::stop::{Result, fatal, show};

/// The most references that are read.
const MOST: usize = 4_000_000;
/// The longest list of references.
const LONGEST: usize = 256 << 20;

/// A reference of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) name: Vec<u8>,
    pub(crate) oid: Oid,
    /// What a tag leads to.
    pub(crate) target: Option<Oid>,
}

/// What a server said of itself.
#[derive(Debug, Default)]
pub(crate) struct Advertised {
    /// The version of the protocol: 2, or 0 for the first two.
    pub(crate) version: u8,
    pub(crate) capabilities: Vec<String>,
    /// Sorted by name; `HEAD` first.
    pub(crate) refs: Vec<Reference>,
    /// The branch that `HEAD` leads to.
    pub(crate) head: Option<Vec<u8>>,
    /// Objects that the server has besides.
    pub(crate) have: Vec<Oid>,
}

impl Advertised {
    /// Whether the server can do something, and the words behind it.
    pub(crate) fn can(&self, name: &str) -> Option<&str> {
        self.capabilities.iter().find_map(|found| {
            let rest = found.strip_prefix(name)?;
            match rest.strip_prefix('=') {
                Some(value) => Some(value),
                None => rest.is_empty().then_some(""),
            }
        })
    }

    /// Whether a command of the second version can do something.
    pub(crate) fn command_can(&self, command: &str, feature: &str) -> bool {
        let features = self.can(command).unwrap_or_default();
        features.split(' ').any(|found| found == feature)
    }
}

/// What there is to fetch, with references that begin with one of `prefixes`; without any, all.
pub(crate) fn for_fetch(session: &mut Session, prefixes: &[Vec<u8>]) -> Result<Advertised> {
    let mut packets = session.discover("git-upload-pack", true)?;
    let mut found = read(&mut packets, "git-upload-pack")?;
    if found.version == 2 {
        list(session, &mut found, prefixes)?;
    }
    found
        .refs
        .sort_by(|a, b| (a.name != b"HEAD", &a.name).cmp(&(b.name != b"HEAD", &b.name)));
    Ok(found)
}

/// What there is to push to.
pub(crate) fn for_push(session: &mut Session) -> Result<Advertised> {
    let mut packets = session.discover("git-receive-pack", false)?;
    let found = read(&mut packets, "git-receive-pack")?;
    match found.version {
        2 => fatal("the server speaks a version of the protocol that cannot push"),
        _ => Ok(found),
    }
}

fn read(packets: &mut Packets, service: &str) -> Result<Advertised> {
    let mut found = Advertised::default();
    let mut next = packets.next()?;
    let title = format!("# service={service}");
    if next == Packet::Line && packets.text() == title.as_bytes() {
        while next == Packet::Line {
            next = packets.next()?;
        }
        next = packets.next()?;
    }
    if next == Packet::Line && packets.text() == b"version 2" {
        found.version = 2;
        while packets.next()? == Packet::Line {
            if found.capabilities.len() > 256 {
                return fatal("protocol error: too many capabilities");
            }
            found.capabilities.push(show(packets.text()));
        }
        check_format(&found)?;
        return Ok(found);
    }
    if next == Packet::Line && packets.text() == b"version 1" {
        next = packets.next()?;
    }
    let mut is_first = true;
    let mut length = 0;
    while next == Packet::Line {
        let line = packets.text();
        length += line.len();
        let line = match line.iter().position(|byte| *byte == 0) {
            Some(at) if is_first => {
                let words = show(&line[at + 1..]);
                found.capabilities = words.split_ascii_whitespace().map(str::to_owned).collect();
                &line[..at]
            }
            _ => line,
        };
        is_first = false;
        if let Some(oid) = line.strip_prefix(b"shallow ") {
            // A server that is shallow itself: what it has is what it has.
            if Oid::parse(oid).is_none() {
                return unexpected(line);
            }
        } else {
            add(&mut found, line)?;
        }
        if found.refs.len() > MOST || length > LONGEST {
            return fatal("protocol error: too many references");
        }
        next = packets.next()?;
    }
    let symref = found.capabilities.iter().find_map(|word| {
        let (name, target) = word.strip_prefix("symref=")?.split_once(':')?;
        (name == "HEAD").then(|| target.as_bytes().to_vec())
    });
    found.head = symref.filter(|name| is_valid(name, false));
    check_format(&found)?;
    Ok(found)
}

/// Adds a reference of the first versions' list.
fn add(found: &mut Advertised, line: &[u8]) -> Result<()> {
    let (Some(oid), Some(b' ')) = (line.get(..40).and_then(Oid::parse), line.get(40)) else {
        return unexpected(line);
    };
    let name = &line[41..];
    if name == b".have" {
        found.have.push(oid);
    } else if let Some(tag) = name.strip_suffix(b"^{}") {
        if let Some(last) = found.refs.last_mut().filter(|last| last.name == tag) {
            last.target = Some(oid);
        }
    } else if is_good(name) {
        found.refs.push(Reference {
            name: name.to_vec(),
            oid,
            target: None,
        });
    }
    Ok(())
}

/// Whether a reference may have this name; others are passed over, as git does.
fn is_good(name: &[u8]) -> bool {
    let is_good = name == b"HEAD" || (name.starts_with(b"refs/") && is_valid(name, false));
    if !is_good && name != b"capabilities^{}" {
        out::warn(format!("ignoring ref with broken name {}", show(name)));
    }
    is_good
}

fn check_format(found: &Advertised) -> Result<()> {
    match found.can("object-format") {
        None | Some("sha1") => Ok(()),
        Some(other) => fatal(format!(
            "codepod's git knows repositories with SHA-1 only, and this one has {other}"
        )),
    }
}

/// Asks for references, in the second version.
fn list(session: &mut Session, found: &mut Advertised, prefixes: &[Vec<u8>]) -> Result<()> {
    if found.can("ls-refs").is_none() {
        return fatal("the server does not tell its references (ls-refs)");
    }
    let mut request = Vec::new();
    push(&mut request, "command=ls-refs\n");
    if found.can("agent").is_some() {
        push(&mut request, format!("agent={AGENT}"));
    }
    if found.can("object-format").is_some() {
        push(&mut request, "object-format=sha1");
    }
    request.extend(DELIMITER);
    push(&mut request, "peel\n");
    push(&mut request, "symrefs\n");
    if found.command_can("ls-refs", "unborn") {
        push(&mut request, "unborn\n");
    }
    for prefix in prefixes {
        push(&mut request, [b"ref-prefix ", &prefix[..], b"\n"].concat());
    }
    request.extend(FLUSH);
    let mut packets = session.post("git-upload-pack", request, true)?;
    let mut length = 0;
    while packets.next()? == Packet::Line {
        let line = packets.text();
        length += line.len();
        if found.refs.len() > MOST || length > LONGEST {
            return fatal("protocol error: too many references");
        }
        let mut words = line.split(|byte| *byte == b' ');
        let (Some(oid), Some(name)) = (words.next(), words.next()) else {
            return unexpected(line);
        };
        let mut target = None;
        let mut symref = None;
        for word in words {
            if let Some(name) = word.strip_prefix(b"symref-target:") {
                symref = Some(name.to_vec()).filter(|name| is_valid(name, false));
            } else if let Some(oid) = word.strip_prefix(b"peeled:") {
                target = Oid::parse(oid);
            }
        }
        if name == b"HEAD" && symref.is_some() {
            found.head = symref;
        }
        if oid == b"unborn" {
            continue;
        }
        let Some(oid) = Oid::parse(oid) else {
            return unexpected(line);
        };
        if is_good(name) {
            let name = name.to_vec();
            found.refs.push(Reference { name, oid, target });
        }
    }
    Ok(())
}

fn unexpected<T>(line: &[u8]) -> Result<T> {
    let line = show(&line[..line.len().min(200)]);
    fatal(format!("protocol error: unexpected '{line}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packets(lines: &[&str]) -> Packets {
        let mut text = Vec::new();
        for line in lines {
            match *line {
                "" => text.extend(FLUSH),
                line => push(&mut text, line),
            }
        }
        Packets::new(Box::new(std::io::Cursor::new(text)), true)
    }

    const ONE: &str = "1111111111111111111111111111111111111111";
    const TWO: &str = "2222222222222222222222222222222222222222";

    #[test]
    fn the_first_version_is_read() {
        let head =
            format!("{ONE} HEAD\0thin-pack symref=HEAD:refs/heads/main object-format=sha1\n");
        let mut packets = packets(&[
            "# service=git-upload-pack\n",
            "",
            &head,
            &format!("{ONE} refs/heads/main\n"),
            &format!("{TWO} refs/tags/v1\n"),
            &format!("{ONE} refs/tags/v1^{{}}\n"),
            &format!("{ONE} .have\n"),
            &format!("{ONE} refs/heads/../../evil\n"),
            "",
        ]);
        let found = read(&mut packets, "git-upload-pack").unwrap();
        assert_eq!(
            (found.version, found.head.as_deref()),
            (0, Some(&b"refs/heads/main"[..]))
        );
        assert!(found.can("thin-pack").is_some() && found.can("thin").is_none());
        assert_eq!(found.refs.len(), 3);
        assert_eq!(found.refs[2].target, Oid::parse(ONE.as_bytes()));
        assert_eq!(found.have.len(), 1);
    }

    #[test]
    fn an_empty_repository_has_no_references() {
        let null = "0".repeat(40);
        let mut packets = packets(&[&format!("{null} capabilities^{{}}\0report-status\n"), ""]);
        let found = read(&mut packets, "git-receive-pack").unwrap();
        assert!(found.refs.is_empty() && found.can("report-status").is_some());
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for lines in [
            &["garbage\n", ""][..],
            &["# service=git-upload-pack\n", "", "short\n", ""],
            &[&format!("{ONE}xrefs/heads/a\n"), ""],
            &["version 2\n", "object-format=sha256\n", ""],
        ] {
            assert!(
                read(&mut packets(lines), "git-upload-pack").is_err(),
                "{lines:?}"
            );
        }
    }
}
