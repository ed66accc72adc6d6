//! A pack that comes from a server: read as it arrives, checked, and kept.
//!
//! Nothing of it is believed: every object is put together and hashed here, what it names must be
//! in the pack or here, and numbers in it are limited before memory is taken for them.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use flate2::{Decompress, FlushDecompress, Status};
use sha1::{Digest as _, Sha1};

use super::check::check;
use super::packet::Packets;
use crate::oid::{self, Kind, Oid};
use crate::out;
use crate::pack::{self, Base, DEEPEST, Entry};
use crate::repo::Repo;
use crate::stop::{Result, fatal};

/// Fewer objects than this are kept one by one, as `fetch.unpackLimit` has it.
const UNPACK_LIMIT: usize = 100;
/// Larger ones than this together stay a pack.
const UNPACK_BYTES: u64 = 32 << 20;
/// The largest pack; offsets in it have 32 bits here.
const LARGEST: usize = 2 << 30;
/// How much of differences is kept until they are applied.
const KEPT_DELTAS: usize = 16 << 20;
/// How much of objects may be in memory while others are put together from them.
const LIVE: usize = 1 << 30;
/// The most bytes that all objects may have together.
const MOST_TOGETHER: u64 = 1 << 37;

/// What becomes of a pack.
pub(crate) struct Keeping<'a> {
    /// It stays a pack, however small it is.
    pub(crate) is_clone: bool,
    /// What must be there afterwards.
    pub(crate) wanted: &'a [Oid],
}

/// Reads a pack and keeps its objects. Fails when anything is wrong with it.
pub(crate) fn receive(repo: &Repo, packets: &mut Packets, keeping: &Keeping<'_>) -> Result<()> {
    let mut reader = Reader::new(packets);
    let count = reader.head()?;
    if count == 0 {
        reader.trailer()?;
        return missing(repo, keeping.wanted, &HashSet::default());
    }
    let setting = ["fetch.fsckobjects", "transfer.fsckobjects"];
    let is_strict = setting.iter().find_map(|key| repo.config.truth(key)) == Some(true);
    let mut objects = Incoming {
        repo,
        is_strict,
        entries: Vec::with_capacity(count.min(1 << 16)),
        links: Links::default(),
        deltas: Vec::new(),
        kept: (count < UNPACK_LIMIT && !keeping.is_clone).then(Vec::new),
        together: 0,
        live: 0,
    };
    for _ in 0..count {
        objects.read(&mut reader)?;
    }
    let trailer = reader.trailer()?;
    let mut data = std::mem::take(&mut reader.data);
    let added = objects.resolve(&data)?;
    let names = objects.names()?;
    objects.check_links(&names)?;
    missing(repo, keeping.wanted, &names)?;
    if let Some(kept) = objects.kept.take() {
        for (kind, content) in kept {
            repo.objects.write(kind, &content)?;
        }
        return Ok(());
    }
    let trailer = match added.is_empty() {
        true => trailer,
        false => objects.complete(&mut data, &added)?,
    };
    let mut index: Vec<pack::Indexed> = (objects.entries.iter())
        .map(|entry| (entry.oid, entry.crc, entry.offset))
        .collect();
    repo.objects
        .add_pack(trailer, &data, &pack::index(&mut index, trailer))
}

/// Fails when one of these is neither in the pack nor here.
fn missing(repo: &Repo, wanted: &[Oid], names: &Names) -> Result<()> {
    for oid in wanted {
        if !names.contains(oid) && !repo.objects.has(oid) {
            out::note(format!("error: the server did not send {oid}"));
            return fatal("the remote end did not send all necessary objects");
        }
    }
    Ok(())
}

/// The bytes of a pack, as they come.
struct Reader<'a> {
    packets: &'a mut Packets,
    data: Vec<u8>,
    /// How much was read.
    at: usize,
    /// How much was hashed.
    hashed: usize,
    hash: Sha1,
    inflate: Decompress,
}

impl<'a> Reader<'a> {
    fn new(packets: &'a mut Packets) -> Reader<'a> {
        Reader {
            packets,
            data: Vec::new(),
            at: 0,
            hashed: 0,
            hash: Sha1::new(),
            inflate: Decompress::new(true),
        }
    }

    /// Waits for more. Fails at the end.
    fn more(&mut self) -> Result<()> {
        let Some(part) = self.packets.data()? else {
            return fatal("early EOF: the pack ends too soon");
        };
        if self.data.len() + part.len() > LARGEST {
            return fatal("the pack is larger than 2 GiB, which codepod's git does not take");
        }
        self.data.extend_from_slice(part);
        Ok(())
    }

    fn need(&mut self, count: usize) -> Result<()> {
        while self.data.len() - self.at < count {
            self.more()?;
        }
        Ok(())
    }

    /// The number of objects.
    fn head(&mut self) -> Result<usize> {
        self.need(12)?;
        let head = &self.data[..12];
        let [.., a, b, c, d] = *head else {
            return fatal("pack signature mismatch");
        };
        if !head.starts_with(b"PACK\0\0\0\x02") {
            return fatal("pack signature mismatch");
        }
        self.at = 12;
        Ok(u32::from_be_bytes([a, b, c, d]) as usize)
    }

    /// The head of the next entry.
    fn entry(&mut self) -> Result<Entry> {
        // A head has at most 10 bytes for its size and 20 for its base; a trailer follows.
        self.need(1)?;
        loop {
            if let Some(entry) = Entry::parse(&self.data, self.at) {
                return Ok(entry);
            }
            if self.data.len() - self.at > 64 {
                return fatal("pack has a bad object");
            }
            self.more()?;
        }
    }

    /// Inflates what begins at the place that was reached, `size` bytes, into `content`.
    fn inflate(&mut self, size: usize, content: &mut Vec<u8>) -> Result<()> {
        content.clear();
        self.inflate.reset(true);
        loop {
            if self.at == self.data.len() {
                self.more()?;
            }
            // Memory is taken as it is filled: a size is only what the pack says. One byte more
            // shows what is longer than it says.
            let room = (size + 1 - content.len()).min((content.len() + 1).max(64 << 10));
            content.reserve(room);
            let (taken, given) = (self.inflate.total_in(), content.len());
            let status =
                self.inflate
                    .decompress_vec(&self.data[self.at..], content, FlushDecompress::None);
            let taken = (self.inflate.total_in() - taken) as usize;
            self.at += taken;
            match status {
                Ok(Status::StreamEnd) if content.len() == size => break,
                Ok(Status::Ok | Status::BufError) if content.len() <= size => {
                    if taken == 0 && content.len() == given && self.at < self.data.len() {
                        return fatal("inflate: a stream that does not go on");
                    }
                }
                _ => return fatal("inflate returned an error, or another size"),
            }
        }
        // All but what may be the trailer.
        self.hash.update(&self.data[self.hashed..self.at]);
        self.hashed = self.at;
        Ok(())
    }

    /// Checks the hash at the end.
    fn trailer(&mut self) -> Result<Oid> {
        self.need(20)?;
        self.hash.update(&self.data[self.hashed..self.at]);
        let found = Oid(std::mem::take(&mut self.hash).finalize().into());
        if self.data[self.at..self.at + 20] != found.0 {
            return fatal("pack is corrupted (SHA1 mismatch)");
        }
        if self.data.len() != self.at + 20 || self.packets.data()?.is_some() {
            return fatal("garbage at end of pack");
        }
        Ok(found)
    }
}

/// An object of the pack.
#[derive(Clone, Copy)]
struct Object {
    oid: Oid,
    kind: Kind,
    offset: u32,
    crc: u32,
    /// Whether it is put together already.
    is_done: bool,
    base: Link,
    delta: Delta,
}

/// What an object is a difference from.
#[derive(Clone, Copy)]
enum Link {
    None,
    /// An object at another place of the pack.
    At(u32),
    Name(Oid),
}

/// Where a difference is.
#[derive(Clone, Copy)]
enum Delta {
    /// Among those that are kept.
    Kept { start: usize, length: usize },
    /// In the pack.
    Packed { start: usize, size: usize },
}

struct Incoming<'a> {
    repo: &'a Repo,
    is_strict: bool,
    entries: Vec<Object>,
    links: Links,
    deltas: Vec<u8>,
    /// The objects themselves, where they are to be kept one by one.
    kept: Option<Vec<(Kind, Vec<u8>)>>,
    together: u64,
    live: usize,
}

/// Names are hashes already.
#[derive(Default)]
struct OidHasher(u64);

impl Hasher for OidHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut eight = [0; 8];
        // The last bytes: trees of an attacker's choice have equal first ones more easily.
        let count = bytes.len().min(8);
        eight[..count].copy_from_slice(&bytes[bytes.len() - count..]);
        self.0 ^= u64::from_le_bytes(eight);
    }
}

type Names = HashSet<Oid, BuildHasherDefault<OidHasher>>;
/// What objects name, and what that has to be.
type Links = HashMap<Oid, Kind, BuildHasherDefault<OidHasher>>;

impl Incoming<'_> {
    /// Reads the next object.
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        let offset = reader.at;
        let entry = reader.entry()?;
        reader.at = entry.start;
        let mut content = Vec::new();
        reader.inflate(entry.size, &mut content)?;
        self.count(content.len())?;
        let crc = pack::crc32(&reader.data[offset..reader.at]);
        let mut object = Object {
            oid: Oid::NULL,
            kind: Kind::Blob,
            offset: offset as u32,
            crc,
            is_done: false,
            base: Link::None,
            delta: Delta::Packed {
                start: entry.start,
                size: entry.size,
            },
        };
        match entry.base {
            Base::Whole(kind) => {
                self.finish(&mut object, kind, &content)?;
                self.entries.push(object);
                return Ok(());
            }
            Base::Offset(back) => {
                let base = offset
                    .checked_sub(back)
                    .filter(|base| back > 0 && *base >= 12);
                let Some(base) = base else {
                    return fatal("delta base offset is out of bound");
                };
                object.base = Link::At(base as u32);
            }
            Base::Name(name) => object.base = Link::Name(name),
        }
        if self.deltas.len() + content.len() <= KEPT_DELTAS {
            object.delta = Delta::Kept {
                start: self.deltas.len(),
                length: content.len(),
            };
            self.deltas.extend_from_slice(&content);
        }
        self.entries.push(object);
        Ok(())
    }

    fn count(&mut self, bytes: usize) -> Result<()> {
        self.together += bytes as u64;
        match self.together > MOST_TOGETHER {
            true => fatal("the objects of the pack are too large together"),
            false => Ok(()),
        }
    }

    /// An object is whole: hashes and checks it.
    fn finish(&mut self, object: &mut Object, kind: Kind, content: &[u8]) -> Result<()> {
        object.kind = kind;
        object.oid = oid::hash(kind, content);
        object.is_done = true;
        let links = &mut self.links;
        let mut wrong = None;
        // Where history ends, parents are named and do not come.
        let is_end = kind == Kind::Commit && self.repo.objects.is_shallow(&object.oid);
        let checked = check(kind, content, self.is_strict, &mut |oid, kind| {
            if is_end && kind == Kind::Commit {
                return;
            }
            if *links.entry(oid).or_insert(kind) != kind {
                wrong = Some(("wrongType", "names an object as two kinds"));
            }
        });
        if let Some((word, text)) = checked.err().or(wrong) {
            out::note(format!("error: object {}: {word}: {text}", object.oid));
            return fatal("fsck error in packed object");
        }
        if self.together > UNPACK_BYTES {
            // Few objects, and large ones: a pack after all.
            self.kept = None;
        }
        if let Some(kept) = &mut self.kept {
            kept.push((kind, content.to_vec()));
        }
        Ok(())
    }

    /// Puts together what are differences. Returns the objects that are here and not in the pack,
    /// and were needed for it.
    fn resolve(&mut self, data: &[u8]) -> Result<Vec<Oid>> {
        let children = Children::new(&self.entries)?;
        let mut added = Vec::new();
        let whole: Vec<usize> = (0..self.entries.len())
            .filter(|at| self.entries[*at].is_done)
            .collect();
        for at in whole {
            let Object { oid, kind, .. } = self.entries[at];
            let below = children.of(at, &oid);
            if !below.is_empty() {
                let content = self.whole(data, at)?;
                self.live = content.len();
                self.below(data, &children, kind, content, below)?;
            }
        }
        // A thin pack leaves out what is here.
        let mut names: Vec<Oid> = children.by_name.iter().map(|(name, _)| *name).collect();
        names.dedup();
        for name in names {
            let below = children.named(&name);
            if below.iter().all(|at| self.entries[*at].is_done) {
                continue;
            }
            if let Some((kind, content)) = self.repo.objects.get(&name)? {
                added.push(name);
                self.live = content.len();
                self.below(data, &children, kind, content.to_vec(), below)?;
            }
        }
        let left = self.entries.iter().filter(|entry| !entry.is_done).count();
        match left {
            0 => Ok(added),
            _ => fatal(format!("pack has {left} unresolved deltas")),
        }
    }

    /// An object that is no difference, once more.
    fn whole(&self, data: &[u8], at: usize) -> Result<Vec<u8>> {
        match self.entries[at].delta {
            Delta::Packed { start, size } => pack::inflate(&data[start..], size),
            Delta::Kept { .. } => fatal("packfile is corrupt"),
        }
    }

    /// Puts together what comes from an object, and what comes from that.
    fn below(
        &mut self,
        data: &[u8],
        children: &Children,
        kind: Kind,
        content: Vec<u8>,
        below: Vec<usize>,
    ) -> Result<()> {
        let mut stack = vec![(content, below)];
        while let Some((content, todo)) = stack.last_mut() {
            let Some(at) = todo.pop() else {
                self.live -= content.len();
                stack.pop();
                continue;
            };
            if self.entries[at].is_done {
                continue;
            }
            let made = match self.entries[at].delta {
                Delta::Kept { start, length } => {
                    pack::apply_delta(content, &self.deltas[start..start + length])
                }
                Delta::Packed { start, size } => {
                    pack::apply_delta(content, &pack::inflate(&data[start..], size)?)
                }
            };
            let Some(made) = made else {
                return fatal("failed to apply delta");
            };
            self.count(made.len())?;
            if todo.is_empty() {
                // Nothing needs it any more; a long chain has one object in memory, and not all.
                self.live -= content.len();
                stack.pop();
            }
            let mut object = self.entries[at];
            self.finish(&mut object, kind, &made)?;
            let oid = object.oid;
            self.entries[at] = object;
            let next = children.of(at, &oid);
            if !next.is_empty() {
                self.live += made.len();
                if self.live > LIVE || stack.len() > DEEPEST {
                    return fatal("the pack has deltas that need too much memory");
                }
                stack.push((made, next));
            }
        }
        Ok(())
    }

    /// The names of all objects. Fails when one is there twice.
    fn names(&self) -> Result<Names> {
        let names: Names = self.entries.iter().map(|entry| entry.oid).collect();
        match names.len() == self.entries.len() {
            true => Ok(names),
            false => fatal("the pack has an object twice"),
        }
    }

    /// Fails when an object names one that is neither in the pack nor here, or of another kind.
    fn check_links(&mut self, names: &Names) -> Result<()> {
        for entry in &self.entries {
            if let Some(kind) = self.links.remove(&entry.oid)
                && kind != entry.kind
            {
                let what = kind.name();
                out::note(format!("error: object {} is not a {what}", entry.oid));
                return fatal("fsck error in pack objects");
            }
        }
        debug_assert!(self.links.keys().all(|oid| !names.contains(oid)));
        for (oid, kind) in &self.links {
            if !self.repo.objects.has(oid) {
                out::note(format!("error: missing {} {oid}", kind.name()));
                return fatal("the remote end did not send all necessary objects");
            }
        }
        Ok(())
    }

    /// Adds the objects that a thin pack left out, and writes its head and its end anew.
    fn complete(&mut self, data: &mut Vec<u8>, added: &[Oid]) -> Result<Oid> {
        data.truncate(data.len() - 20);
        for name in added {
            let (kind, content) = self.repo.objects.read(name)?;
            let offset = data.len();
            pack::push_whole(data, kind, &content)?;
            self.entries.push(Object {
                oid: *name,
                kind,
                offset: offset as u32,
                crc: pack::crc32(&data[offset..]),
                is_done: true,
                base: Link::None,
                delta: Delta::Packed { start: 0, size: 0 },
            });
        }
        let count = self.entries.len() as u32;
        data[8..12].copy_from_slice(&count.to_be_bytes());
        let trailer = oid::sha1(data);
        data.extend(trailer.0);
        Ok(trailer)
    }
}

/// Which objects are differences from which.
struct Children {
    /// By the place of the base among the entries.
    by_place: Vec<(u32, u32)>,
    by_name: Vec<(Oid, u32)>,
}

impl Children {
    /// Fails when one is a difference from what is no object.
    fn new(entries: &[Object]) -> Result<Children> {
        let mut children = Children {
            by_place: Vec::new(),
            by_name: Vec::new(),
        };
        for (at, entry) in (0u32..).zip(entries) {
            match entry.base {
                Link::None => {}
                Link::Name(name) => children.by_name.push((name, at)),
                Link::At(offset) => {
                    let base = entries.binary_search_by_key(&offset, |entry| entry.offset);
                    match base {
                        Ok(base) => children.by_place.push((base as u32, at)),
                        Err(_) => return fatal("delta base offset is out of bound"),
                    }
                }
            }
        }
        children.by_place.sort_unstable();
        children.by_name.sort_unstable();
        Ok(children)
    }

    /// Those of an object.
    fn of(&self, at: usize, oid: &Oid) -> Vec<usize> {
        let from = self
            .by_place
            .partition_point(|(base, _)| (*base as usize) < at);
        let rest = self.by_place[from..].iter();
        let mut found: Vec<usize> = rest
            .take_while(|(base, _)| *base as usize == at)
            .map(|(_, child)| *child as usize)
            .collect();
        found.extend(self.named(oid));
        found
    }

    fn named(&self, oid: &Oid) -> Vec<usize> {
        let from = self.by_name.partition_point(|(base, _)| base < oid);
        let rest = self.by_name[from..].iter();
        rest.take_while(|(base, _)| base == oid)
            .map(|(_, child)| *child as usize)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::Global;
    use crate::stop::Stop;

    /// A new repository of its own, which goes away with it.
    struct Fresh {
        repo: Repo,
        directory: std::path::PathBuf,
    }

    impl Fresh {
        fn new(name: &str) -> Fresh {
            let directory =
                std::env::temp_dir().join(format!("codepod-git-{name}-{}", std::process::id()));
            let _ = std::fs::remove_dir_all(&directory);
            std::fs::create_dir(&directory).unwrap();
            let path = directory.to_str().unwrap().as_bytes();
            crate::cmd::init_bare(path).unwrap();
            let global = Global {
                git_dir: Some(path.to_vec()),
                ..Global::default()
            };
            Fresh {
                repo: Repo::discover(&global).unwrap(),
                directory,
            }
        }
    }

    impl Drop for Fresh {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.directory);
        }
    }

    /// A pack of these entries: how each begins, and what it holds.
    fn pack(entries: &[(Vec<u8>, &[u8])]) -> Vec<u8> {
        let mut data = pack::head(entries.len());
        for (head, content) in entries {
            data.extend_from_slice(head);
            let mut encoder =
                flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
            std::io::Write::write_all(&mut encoder, content).unwrap();
            data.extend(encoder.finish().unwrap());
        }
        let sum = oid::sha1(&data);
        data.extend(sum.0);
        data
    }

    fn whole<'a>(kind: Kind, content: &'a [u8]) -> (Vec<u8>, &'a [u8]) {
        let mut head = Vec::new();
        pack::push_head(&mut head, pack::code(kind), content.len());
        (head, content)
    }

    fn delta<'a>(base: Oid, content: &'a [u8]) -> (Vec<u8>, &'a [u8]) {
        let mut head = Vec::new();
        pack::push_head(&mut head, 7, content.len());
        head.extend(base.0);
        (head, content)
    }

    fn back<'a>(back: u8, content: &'a [u8]) -> (Vec<u8>, &'a [u8]) {
        let mut head = Vec::new();
        pack::push_head(&mut head, 6, content.len());
        head.push(back);
        (head, content)
    }

    /// Takes a pack, in pieces as servers send it.
    fn take(repo: &Repo, data: &[u8], wanted: &[Oid]) -> Result<()> {
        let mut text = Vec::new();
        for part in data.chunks(7) {
            super::super::packet::push(&mut text, [&[1], part].concat());
        }
        text.extend(super::super::packet::FLUSH);
        let mut packets = Packets::new(Box::new(std::io::Cursor::new(text)), true);
        let is_clone = true;
        receive(repo, &mut packets, &Keeping { is_clone, wanted })
    }

    fn why(repo: &Repo, data: &[u8], wanted: &[Oid]) -> String {
        match take(repo, data, wanted) {
            Err(Stop::Fatal(why)) => String::from_utf8(why).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_pack_is_kept_and_its_differences_with_it() {
        let fresh = Fresh::new("kept");
        let base = b"hello, world";
        // Copies five bytes and adds one: `hello!`.
        let made = [12, 6, 0x90, 5, 1, b'!'];
        let name = oid::hash(Kind::Blob, base);
        let second = oid::hash(Kind::Blob, b"hello!");
        // A difference from a difference, which comes before its base.
        let third = [6, 3, 0x90, 2, 1, b'?'];
        let data = pack(&[
            delta(second, &third),
            delta(name, &made),
            whole(Kind::Blob, base),
        ]);
        let wanted = [name, second, oid::hash(Kind::Blob, b"he?")];
        take(&fresh.repo, &data, &wanted).unwrap();
        for (oid, text) in wanted.iter().zip([&base[..], b"hello!", b"he?"]) {
            assert_eq!(*fresh.repo.objects.blob(oid).unwrap(), text);
        }
        assert_eq!(fresh.repo.objects.pack_count(), 1);
        // A thin one, whose base is here: it is completed.
        let thin = pack(&[delta(name, &[12, 5, 0x90, 4, 1, b'.'])]);
        let fourth = oid::hash(Kind::Blob, b"hell.");
        take(&fresh.repo, &thin, &[fourth]).unwrap();
        assert_eq!(*fresh.repo.objects.blob(&fourth).unwrap(), b"hell.");
    }

    #[test]
    fn packs_of_hostile_servers_are_refused() {
        let fresh = Fresh::new("hostile");
        let repo = &fresh.repo;
        let blob = |content| whole(Kind::Blob, content);
        let good = pack(&[blob(b"x")]);
        let name = oid::hash(Kind::Blob, b"x");
        for end in 0..good.len() {
            assert!(take(repo, &good[..end], &[]).is_err(), "{end}");
        }
        for at in 0..good.len() {
            let mut flipped = good.clone();
            flipped[at] ^= 0x10;
            assert!(take(repo, &flipped, &[]).is_err(), "{at}");
        }
        let why = |data: &[u8]| why(repo, data, &[]);
        assert!(why(&[&good[..], b"x"].concat()).contains("garbage"));
        assert!(why(&pack(&[blob(b"x"), blob(b"x")])).contains("twice"));
        // Sizes that are not so.
        let mut head = Vec::new();
        pack::push_head(&mut head, 3, 1 << 29);
        assert!(why(&pack(&[(head, b"x")])).contains("size"));
        let mut head = Vec::new();
        pack::push_head(&mut head, 3, 1);
        assert!(why(&pack(&[(head, &[b'x'; 100_000])])).contains("size"));
        assert!(why(&pack(&[(vec![0xff; 80], b"x")])).contains("bad object"));
        assert!(why(&pack(&[(vec![0x50; 80], b"")])).contains("bad object"));
        // Differences from nothing, from themselves, from each other, and beyond the pack.
        let own = oid::hash(Kind::Blob, b"y");
        assert!(why(&pack(&[delta(own, &[1, 1, 1, b'y'])])).contains("unresolved"));
        assert!(why(&pack(&[blob(b"z"), back(1, &[1, 1, 1, b'y'])])).contains("out of bound"));
        assert!(why(&pack(&[back(100, &[1, 1, 1, b'y'])])).contains("out of bound"));
        assert!(why(&pack(&[back(0, &[1, 1, 1, b'y'])])).contains("out of bound"));
        // Differences that lead out of their base, or are longer than they say.
        let other = oid::hash(Kind::Blob, b"abc");
        for bad in [
            &[3, 9, 0x90, 9][..],
            &[3, 1, 2, b'a', b'b'],
            &[4, 1, 1, b'a'],
            &[3, 1, 0],
            &[3, 0xff, 0xff, 0xff, 0xff, 0x7f, 1],
        ] {
            let data = pack(&[blob(b"abc"), delta(other, bad)]);
            assert!(why(&data).contains("delta"), "{bad:?}");
        }
        // Nothing of it stayed.
        assert!(!repo.objects.has(&name) && repo.objects.pack_count() == 0);
    }

    #[test]
    fn what_objects_name_must_be_there() {
        let fresh = Fresh::new("links");
        let repo = &fresh.repo;
        let blob = oid::hash(Kind::Blob, b"x");
        let tree = [&b"100644 a\0"[..], &blob.0].concat();
        let tree_name = oid::hash(Kind::Tree, &tree);
        let commit =
            format!("tree {tree_name}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx\n");
        let commit_name = oid::hash(Kind::Commit, commit.as_bytes());
        let trees = whole(Kind::Tree, &tree);
        let commits = whole(Kind::Commit, commit.as_bytes());
        let missing = "did not send all";
        assert!(why(repo, &pack(&[trees.clone()]), &[]).contains(missing));
        assert!(
            why(
                repo,
                &pack(&[commits.clone(), whole(Kind::Blob, b"x")]),
                &[]
            )
            .contains(missing)
        );
        assert!(why(repo, &pack(&[whole(Kind::Blob, b"x")]), &[commit_name]).contains(missing));
        // A tree where a commit is to be.
        let wrong =
            format!("tree {blob}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx\n");
        let data = pack(&[
            whole(Kind::Blob, b"x"),
            whole(Kind::Commit, wrong.as_bytes()),
        ]);
        assert!(why(repo, &data, &[]).contains("fsck error"));
        // What writes elsewhere.
        let evil = [&b"40000 .git\0"[..], &tree_name.0].concat();
        let data = pack(&[
            trees.clone(),
            whole(Kind::Blob, b"x"),
            whole(Kind::Tree, &evil),
        ]);
        assert!(why(repo, &data, &[]).contains("fsck error"));
        let all = pack(&[commits, trees, whole(Kind::Blob, b"x")]);
        take(repo, &all, &[commit_name]).unwrap();
        assert!(repo.objects.has(&commit_name));
    }
}
