//! Brings objects from a server.

use std::collections::HashSet;

use super::advertised::Advertised;
use super::negotiate::Negotiator;
use super::packet::{DELIMITER, FLUSH, Packet, Packets, push};
use super::receive::{self, Keeping};
use super::session::{AGENT, Session};
use crate::oid::Oid;
use crate::os;
use crate::repo::Repo;
use crate::stop::{Result, fatal, show};

/// How many commits are told in the first round; twice as many in each next one.
const FIRST_ROUND: usize = 16;
/// The most commits in a round.
const LARGEST_ROUND: usize = 16_384;
/// After so many commits that the server has not, it is asked for everything.
const MOST_IN_VAIN: usize = 256;
/// The most rounds; in the last one everything is asked for.
const MOST_ROUNDS: usize = 64;

/// How far back history goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Depth {
    /// As it is here; in a new repository, all of it.
    #[default]
    AsItIs,
    /// So many commits from each reference.
    Commits(u32),
    /// So many more than there are.
    Deepen(u32),
    /// Those since a time.
    Since(i64),
}

impl Depth {
    /// All of it.
    pub(crate) const ALL: Depth = Depth::Commits(0x7fff_ffff);
}

/// What is wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) oids: &'a [Oid],
    pub(crate) depth: Depth,
    /// Tags of what comes come along.
    pub(crate) with_tags: bool,
    /// It is a new repository: a pack stays one.
    pub(crate) is_clone: bool,
}

/// Brings objects and all that they lead to. Does nothing when they are here.
pub(crate) fn fetch(
    session: &mut Session,
    server: &Advertised,
    repo: &Repo,
    wanted: Wanted<'_>,
) -> Result<()> {
    let mut oids: Vec<Oid> = Vec::new();
    let mut seen = HashSet::new();
    for oid in wanted.oids {
        let is_needed = wanted.depth != Depth::AsItIs || !repo.objects.has(oid);
        if is_needed && seen.insert(*oid) {
            oids.push(*oid);
        }
    }
    if oids.is_empty() {
        return Ok(());
    }
    let common: Vec<Oid> = server
        .refs
        .iter()
        .map(|found| found.target.unwrap_or(found.oid))
        .collect();
    let negotiator = match wanted.is_clone {
        true => None,
        false => Some(Negotiator::new(repo, &common)?),
    };
    let request = Request {
        server,
        repo,
        wanted: Wanted {
            oids: &oids,
            ..wanted
        },
    };
    request.check()?;
    match server.version {
        2 => request.second(session, negotiator),
        _ => request.first(session, negotiator),
    }
}

struct Request<'a> {
    server: &'a Advertised,
    repo: &'a Repo,
    wanted: Wanted<'a>,
}

impl Request<'_> {
    /// Fails when the server cannot do what is asked.
    fn check(&self) -> Result<()> {
        let can = |name: &str| match self.server.version {
            2 => self.server.command_can("fetch", "shallow"),
            _ => self.server.can(name).is_some(),
        };
        let is_there = match self.wanted.depth {
            Depth::AsItIs => true,
            Depth::Commits(_) => can("shallow"),
            Depth::Deepen(_) => can("deepen-relative"),
            Depth::Since(_) => can("deepen-since"),
        };
        match is_there {
            true => Ok(()),
            false => fatal("Server does not support shallow requests"),
        }
    }

    /// What says how far back history is to go.
    fn depth(&self) -> Vec<String> {
        let mut lines: Vec<String> = (self.repo.objects.shallow().iter())
            .map(|oid| format!("shallow {oid}"))
            .collect();
        lines.sort();
        match self.wanted.depth {
            Depth::AsItIs => {}
            Depth::Commits(count) => lines.push(format!("deepen {count}")),
            Depth::Deepen(count) => {
                lines.push(format!("deepen {count}"));
                if self.server.version == 2 {
                    lines.push("deepen-relative".to_owned());
                }
            }
            Depth::Since(time) => lines.push(format!("deepen-since {time}")),
        }
        lines
    }

    /// The second version: rounds, each a request by itself.
    fn second(&self, session: &mut Session, negotiator: Option<Negotiator<'_>>) -> Result<()> {
        if self.server.can("fetch").is_none() {
            return fatal("the server does not send objects (fetch)");
        }
        let mut start = Vec::new();
        push(&mut start, "command=fetch");
        if self.server.can("agent").is_some() {
            push(&mut start, format!("agent={AGENT}"));
        }
        if self.server.can("object-format").is_some() {
            push(&mut start, "object-format=sha1");
        }
        start.extend(DELIMITER);
        for option in ["thin-pack", "no-progress", "ofs-delta"] {
            push(&mut start, option);
        }
        if self.wanted.with_tags {
            push(&mut start, "include-tag");
        }
        for line in self.depth() {
            push(&mut start, line);
        }
        for oid in self.wanted.oids {
            push(&mut start, format!("want {oid}\n"));
        }
        let mut rounds = Rounds::new(negotiator);
        for round in 1..=MOST_ROUNDS {
            let mut request = start.clone();
            let is_last = rounds.add(&mut request)? || round == MOST_ROUNDS;
            if is_last {
                push(&mut request, "done\n");
            }
            request.extend(FLUSH);
            let mut packets = session.post("git-upload-pack", request, true)?;
            let is_ready = match is_last {
                true => true,
                false => rounds.acknowledgements(&mut packets)?,
            };
            if is_ready {
                return self.pack(packets);
            }
        }
        fatal("protocol error: too many rounds of negotiation")
    }

    /// The parts of a reply up to the pack.
    fn pack(&self, mut packets: Packets) -> Result<()> {
        let mut shallow = None;
        loop {
            if packets.next()? != Packet::Line {
                return fatal("protocol error: expected a part of the reply");
            }
            match packets.text() {
                b"shallow-info" => shallow = Some(Shallow::read(&mut packets)?),
                b"packfile" => return self.keep(packets, shallow),
                other => {
                    let other = show(&other[..other.len().min(200)]);
                    return fatal(format!("protocol error: unexpected '{other}'"));
                }
            }
        }
    }

    fn keep(&self, mut packets: Packets, shallow: Option<Shallow>) -> Result<()> {
        // What ends here ends before the pack is checked: its parents do not come.
        if let Some(shallow) = &shallow {
            shallow.apply(self.repo);
        }
        let keeping = Keeping {
            is_clone: self.wanted.is_clone,
            wanted: self.wanted.oids,
        };
        receive::receive(self.repo, &mut packets, &keeping)?;
        if shallow.is_some() {
            write_shallow(self.repo)?;
        }
        Ok(())
    }

    /// The first versions: everything in one request.
    fn first(&self, session: &mut Session, negotiator: Option<Negotiator<'_>>) -> Result<()> {
        let mut options = String::new();
        for option in [
            "side-band-64k",
            "thin-pack",
            "no-progress",
            "ofs-delta",
            "deepen-since",
            "deepen-relative",
        ] {
            let is_wanted = match option {
                "deepen-since" => matches!(self.wanted.depth, Depth::Since(_)),
                "deepen-relative" => matches!(self.wanted.depth, Depth::Deepen(_)),
                _ => true,
            };
            if is_wanted && self.server.can(option).is_some() {
                options.push_str(&format!(" {option}"));
            }
        }
        if self.wanted.with_tags && self.server.can("include-tag").is_some() {
            options.push_str(" include-tag");
        }
        if self.server.can("side-band-64k").is_none() {
            return fatal("the server is too old: it does not send packs in bands (side-band-64k)");
        }
        if self.server.can("agent").is_some() {
            options.push_str(&format!(" agent={AGENT}"));
        }
        let mut request = Vec::new();
        for (at, oid) in self.wanted.oids.iter().enumerate() {
            let options = if at == 0 { &options[..] } else { "" };
            push(&mut request, format!("want {oid}{options}\n"));
        }
        let depth = self.depth();
        for line in &depth {
            push(&mut request, line);
        }
        request.extend(FLUSH);
        let mut rounds = Rounds::new(negotiator);
        for _ in 0..MOST_IN_VAIN {
            let Some(oid) = rounds.next()? else {
                break;
            };
            push(&mut request, format!("have {oid}\n"));
        }
        push(&mut request, "done\n");
        let mut packets = session.post("git-upload-pack", request, false)?;
        let shallow = match self.wanted.depth {
            Depth::AsItIs => None,
            _ => Some(Shallow::read(&mut packets)?),
        };
        // NAK, or ACK and the last common commit.
        if packets.next()? != Packet::Line
            || !matches!(packets.line().get(..3), Some(b"NAK" | b"ACK"))
        {
            return fatal("protocol error: expected ACK/NAK");
        }
        self.keep(packets, shallow)
    }
}

/// What was told in rounds before.
struct Rounds<'a> {
    negotiator: Option<Negotiator<'a>>,
    common: Vec<Oid>,
    size: usize,
    in_vain: usize,
}

impl<'a> Rounds<'a> {
    fn new(negotiator: Option<Negotiator<'a>>) -> Rounds<'a> {
        Rounds {
            negotiator,
            common: Vec::new(),
            size: FIRST_ROUND,
            in_vain: 0,
        }
    }

    fn next(&mut self) -> Result<Option<Oid>> {
        match &mut self.negotiator {
            Some(negotiator) => negotiator.next(),
            None => Ok(None),
        }
    }

    /// Adds what is told in this round; whether it is the last.
    fn add(&mut self, request: &mut Vec<u8>) -> Result<bool> {
        for oid in &self.common {
            push(request, format!("have {oid}\n"));
        }
        for _ in 0..self.size {
            let Some(oid) = self.next()? else {
                return Ok(true);
            };
            push(request, format!("have {oid}\n"));
            self.in_vain += 1;
        }
        self.size = (self.size * 2).min(LARGEST_ROUND);
        Ok(!self.common.is_empty() && self.in_vain >= MOST_IN_VAIN)
    }

    /// What the server has of it; whether it is ready to send.
    fn acknowledgements(&mut self, packets: &mut Packets) -> Result<bool> {
        if packets.next()? != Packet::Line || packets.text() != b"acknowledgments" {
            return fatal("protocol error: expected 'acknowledgments'");
        }
        let mut is_ready = false;
        loop {
            match packets.next()? {
                Packet::Line => {}
                Packet::Delimiter => return Ok(is_ready),
                _ if is_ready => return fatal("protocol error: expected a packfile after 'ready'"),
                _ => return Ok(false),
            }
            match packets.text() {
                b"NAK" => {}
                b"ready" => is_ready = true,
                other => {
                    let oid = other.strip_prefix(b"ACK ").and_then(Oid::parse);
                    let (Some(oid), Some(negotiator)) = (oid, &mut self.negotiator) else {
                        let other = show(&other[..other.len().min(200)]);
                        return fatal(format!("protocol error: unexpected '{other}'"));
                    };
                    if negotiator.acknowledge(oid)? {
                        self.common.push(oid);
                        self.in_vain = 0;
                    }
                }
            }
        }
    }
}

/// Where history ends from now on.
#[derive(Debug, Default)]
struct Shallow {
    ends: Vec<Oid>,
    goes_on: Vec<Oid>,
}

impl Shallow {
    fn read(packets: &mut Packets) -> Result<Shallow> {
        let mut shallow = Shallow::default();
        while packets.next()? == Packet::Line {
            let line = packets.text();
            let (oid, list) = match line.strip_prefix(b"un") {
                Some(rest) => (rest.strip_prefix(b"shallow "), &mut shallow.goes_on),
                None => (line.strip_prefix(b"shallow "), &mut shallow.ends),
            };
            match oid.and_then(Oid::parse) {
                Some(oid) => list.push(oid),
                None => return fatal("protocol error: expected shallow/unshallow"),
            }
        }
        Ok(shallow)
    }

    fn apply(&self, repo: &Repo) {
        let mut all = repo.objects.shallow();
        all.extend(&self.ends);
        all.retain(|oid| !self.goes_on.contains(oid));
        repo.objects.set_shallow(all);
    }
}

fn write_shallow(repo: &Repo) -> Result<()> {
    let file = repo.shared("shallow");
    let mut all: Vec<Oid> = repo.objects.shallow().into_iter().collect();
    all.retain(|oid| repo.objects.has(oid));
    all.sort();
    if all.is_empty() {
        let _ = os::remove(&file);
        return Ok(());
    }
    let text: String = all.iter().map(|oid| format!("{oid}\n")).collect();
    Ok(os::replace(&file, text.as_bytes())?)
}
