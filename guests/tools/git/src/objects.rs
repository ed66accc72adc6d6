//! The object database: loose objects, packs, alternates.
//!
//! Objects are read from `objects/` and from those that `objects/info/alternates` names; new ones
//! are written loose.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::io::{Read as _, Write as _};
use std::rc::Rc;

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use crate::oid::{self, Kind, Oid};
use crate::os;
use crate::pack::{self, Pack};
use crate::stop::{Result, fatal, show};

/// An object's kind and content.
pub(crate) type Object = (Kind, Rc<Vec<u8>>);

/// The largest object that is taken into memory.
const MOST: usize = 1 << 30;

/// All objects of a repository.
pub(crate) struct Objects {
    /// Directories with objects; the first is written to.
    directories: Vec<Vec<u8>>,
    packs: RefCell<Option<Vec<Pack>>>,
    /// Trees and commits that were read.
    cache: RefCell<HashMap<Oid, Object>>,
    cached_bytes: RefCell<usize>,
    /// Commits whose parents are not here: where history ends.
    shallow: RefCell<HashSet<Oid>>,
}

impl Objects {
    /// Those of a directory `objects`.
    pub(crate) fn open(directory: Vec<u8>) -> Objects {
        let mut directories = vec![directory];
        let mut at = 0;
        while at < directories.len() && at < 16 {
            let list =
                os::read(&[&directories[at][..], b"/info/alternates"].concat()).unwrap_or_default();
            for line in list
                .split(|byte| *byte == b'\n')
                .filter(|line| !line.is_empty() && line[0] != b'#')
            {
                let path = match line[0] {
                    b'/' => line.to_vec(),
                    _ => [&directories[at][..], b"/", line].concat(),
                };
                if !directories.contains(&path) {
                    directories.push(path);
                }
            }
            at += 1;
        }
        let shallow = os::read(&[&directories[0][..], b"/../shallow"].concat()).unwrap_or_default();
        let shallow = shallow.split(|byte| *byte == b'\n').filter_map(Oid::parse);
        Objects {
            shallow: RefCell::new(shallow.collect()),
            directories,
            packs: RefCell::default(),
            cache: RefCell::default(),
            cached_bytes: RefCell::default(),
        }
    }

    /// The commits whose parents are not here.
    pub(crate) fn shallow(&self) -> HashSet<Oid> {
        self.shallow.borrow().clone()
    }

    /// Whether a commit's parents are not here.
    pub(crate) fn is_shallow(&self, oid: &Oid) -> bool {
        self.shallow.borrow().contains(oid)
    }

    /// Sets where history ends, for this process.
    pub(crate) fn set_shallow(&self, ends: HashSet<Oid>) {
        self.shallow.replace(ends);
    }

    /// Adds a pack and its index.
    pub(crate) fn add_pack(&self, trailer: Oid, pack: &[u8], index: &[u8]) -> Result<()> {
        let directory = [self.directory(), b"/pack"].concat();
        os::mkdir_all(&directory)?;
        let base = [&directory[..], b"/pack-", trailer.hex().as_bytes()].concat();
        // The index comes last: with it the pack is there.
        for (end, content) in [(&b".pack"[..], pack), (b".idx", index)] {
            let temporary = [
                &directory[..],
                b"/tmp_",
                &trailer.hex().as_bytes()[..8],
                end,
            ]
            .concat();
            os::write(&temporary, content)?;
            os::chmod(&temporary, 0o444)?;
            os::rename(&temporary, &[&base[..], end].concat())?;
        }
        self.packs.replace(None);
        Ok(())
    }

    /// Adds an object to a pack as it lies in one here, if it does.
    pub(crate) fn with_packed<T>(
        &self,
        oid: &Oid,
        mut work: impl FnMut(usize, &pack::Packed<'_>) -> T,
    ) -> Result<Option<T>> {
        let mut number = 0;
        let found = self.with_packs(|pack| {
            number += 1;
            match pack.packed(oid) {
                Ok(found) => found.map(|found| Ok(work(number, &found))),
                Err(stop) => Some(Err(stop)),
            }
        });
        found.transpose()
    }

    /// The directory that is written to.
    pub(crate) fn directory(&self) -> &[u8] {
        &self.directories[0]
    }

    fn with_packs<T>(&self, mut work: impl FnMut(&Pack) -> Option<T>) -> Option<T> {
        if self.packs.borrow().is_none() {
            let mut packs = Vec::new();
            for directory in &self.directories {
                let directory = [&directory[..], b"/pack"].concat();
                for (name, _) in os::list(&directory).unwrap_or_default() {
                    if let Some(base) = name.strip_suffix(b".idx") {
                        let base = [&directory[..], b"/", base].concat();
                        packs.extend(Pack::open(&base));
                    }
                }
            }
            *self.packs.borrow_mut() = Some(packs);
        }
        self.packs.borrow().iter().flatten().find_map(&mut work)
    }

    fn loose_path(directory: &[u8], oid: &Oid) -> Vec<u8> {
        let hex = oid.hex();
        [
            directory,
            b"/",
            &hex.as_bytes()[..2],
            b"/",
            &hex.as_bytes()[2..],
        ]
        .concat()
    }

    /// Whether there is such an object.
    pub(crate) fn has(&self, oid: &Oid) -> bool {
        *oid == Oid::EMPTY_TREE
            || self.cache.borrow().contains_key(oid)
            || self
                .directories
                .iter()
                .any(|directory| os::exists(&Self::loose_path(directory, oid)))
            || self.with_packs(|pack| pack.find(oid)).is_some()
    }

    /// An object, if there is one.
    pub(crate) fn get(&self, oid: &Oid) -> Result<Option<Object>> {
        if let Some(found) = self.cache.borrow().get(oid) {
            return Ok(Some(found.clone()));
        }
        let mut found = None;
        for directory in &self.directories {
            if let Ok(packed) = os::read(&Self::loose_path(directory, oid)) {
                found = Some(parse_loose(&packed, oid)?);
                break;
            }
        }
        if found.is_none() {
            let read = self.with_packs(|pack| pack.find(oid).map(|offset| pack.read(offset, self)));
            if let Some(read) = read {
                found = Some(read?);
            }
        }
        if found.is_none() && *oid == Oid::EMPTY_TREE {
            found = Some((Kind::Tree, Vec::new()));
        }
        let Some((kind, content)) = found else {
            return Ok(None);
        };
        let object = (kind, Rc::new(content));
        self.remember(*oid, &object);
        Ok(Some(object))
    }

    fn remember(&self, oid: Oid, object: &Object) {
        if object.1.len() > 1 << 20 {
            return;
        }
        let mut used = self.cached_bytes.borrow_mut();
        let mut cache = self.cache.borrow_mut();
        if *used > 64 << 20 {
            cache.clear();
            *used = 0;
        }
        *used += object.1.len() + 64;
        cache.insert(oid, object.clone());
    }

    /// An object that has to be there.
    pub(crate) fn read(&self, oid: &Oid) -> Result<Object> {
        match self.get(oid)? {
            Some(object) => Ok(object),
            None => fatal(format!("unable to read {oid}")),
        }
    }

    /// An object of a kind.
    pub(crate) fn read_kind(&self, oid: &Oid, kind: Kind) -> Result<Rc<Vec<u8>>> {
        let (found, content) = self.read(oid)?;
        if found != kind {
            return fatal(format!(
                "object {oid} is a {}, not a {}",
                found.name(),
                kind.name()
            ));
        }
        Ok(content)
    }

    /// A blob's content.
    pub(crate) fn blob(&self, oid: &Oid) -> Result<Rc<Vec<u8>>> {
        self.read_kind(oid, Kind::Blob)
    }

    /// Writes an object if it is not there yet.
    pub(crate) fn write(&self, kind: Kind, content: &[u8]) -> Result<Oid> {
        let oid = oid::hash(kind, content);
        if self.has(&oid)
            && (oid != Oid::EMPTY_TREE || os::exists(&Self::loose_path(self.directory(), &oid)))
        {
            return Ok(oid);
        }
        let path = Self::loose_path(self.directory(), &oid);
        let mut encoder = ZlibEncoder::new(
            Vec::with_capacity(content.len() / 2 + 64),
            Compression::new(1),
        );
        encoder.write_all(format!("{} {}\0", kind.name(), content.len()).as_bytes())?;
        encoder.write_all(content)?;
        let packed = encoder.finish()?;
        let parent = &path[..path.len() - 39];
        let temporary = [parent, b"/tmp_obj_", oid.hex().as_bytes()].concat();
        let mut written = os::write(&temporary, &packed);
        if written.is_err() {
            // The directory of the first two digits is made when it is needed.
            let _ = os::mkdir(parent);
            written = os::write(&temporary, &packed);
        }
        if let Err(found) = written {
            return crate::stop::error(format!(
                "insufficient permission for adding an object to repository database {}: {}",
                show(self.directory()),
                crate::stop::why(&found)
            ));
        }
        // Objects never change, and git says so in their mode.
        let _ = os::chmod(&temporary, 0o444);
        os::rename(&temporary, &path)?;
        self.remember(oid, &(kind, Rc::new(content.to_vec())));
        Ok(oid)
    }

    /// All objects whose name begins with these digits, at most `most`.
    pub(crate) fn beginning_with(&self, prefix: &[u8], most: usize) -> Vec<Oid> {
        let mut found = Vec::new();
        let prefix = prefix.to_ascii_lowercase();
        if prefix.len() < 2 {
            return found;
        }
        for directory in &self.directories {
            let below = [&directory[..], b"/", &prefix[..2]].concat();
            for (name, _) in os::list(&below).unwrap_or_default() {
                if name.starts_with(&prefix[2..]) {
                    found.extend(Oid::parse(&[&prefix[..2], &name[..]].concat()));
                }
            }
        }
        self.with_packs(|pack| -> Option<()> {
            pack.beginning_with(&prefix, most, &mut found);
            None
        });
        found.sort();
        found.dedup();
        found.truncate(most);
        found
    }

    /// All loose objects of the repository itself.
    pub(crate) fn loose(&self) -> Vec<Oid> {
        let mut found = Vec::new();
        for (name, kind) in os::list(self.directory()).unwrap_or_default() {
            if kind != os::Kind::Directory || name.len() != 2 {
                continue;
            }
            for (rest, _) in os::list(&[self.directory(), b"/", &name].concat()).unwrap_or_default()
            {
                found.extend(Oid::parse(&[&name[..], &rest[..]].concat()));
            }
        }
        found
    }

    /// All objects, in packs and loose.
    pub(crate) fn all(&self) -> Vec<Oid> {
        let mut found = self.loose();
        self.with_packs(|pack| -> Option<()> {
            pack.beginning_with(b"", usize::MAX, &mut found);
            None
        });
        found.sort();
        found.dedup();
        found
    }

    /// Where a loose object's file is.
    pub(crate) fn path_of(&self, oid: &Oid) -> Vec<u8> {
        Self::loose_path(self.directory(), oid)
    }

    /// How many packs the repository has.
    pub(crate) fn pack_count(&self) -> usize {
        let mut count = 0;
        self.with_packs(|_| -> Option<()> {
            count += 1;
            None
        });
        count
    }

    /// The shortest beginning of a name that nothing else begins with, at least `least` digits.
    pub(crate) fn abbreviate(&self, oid: &Oid, least: usize) -> String {
        let hex = oid.hex();
        let mut length = least.clamp(4, 40);
        let others = self.beginning_with(&hex.as_bytes()[..length], 64);
        for other in others.iter().filter(|other| *other != oid) {
            let same = other
                .hex()
                .bytes()
                .zip(hex.bytes())
                .take_while(|(a, b)| a == b)
                .count();
            length = length.max(same + 1);
        }
        hex[..length.min(40)].to_owned()
    }
}

fn parse_loose(packed: &[u8], oid: &Oid) -> Result<(Kind, Vec<u8>)> {
    let corrupt = || fatal(format!("loose object {oid} is corrupt"));
    let mut whole = Vec::new();
    if ZlibDecoder::new(packed)
        .take(MOST as u64)
        .read_to_end(&mut whole)
        .is_err()
    {
        return corrupt();
    }
    let Some(end) = whole.iter().take(64).position(|byte| *byte == 0) else {
        return corrupt();
    };
    let mut words = whole[..end].split(|byte| *byte == b' ');
    let kind = words.next().and_then(Kind::parse);
    let size = words
        .next()
        .and_then(|word| std::str::from_utf8(word).ok())
        .and_then(|word| word.parse::<usize>().ok());
    match (kind, size) {
        (Some(kind), Some(size)) if whole.len() == end + 1 + size => {
            Ok((kind, whole.split_off(end + 1)))
        }
        _ => corrupt(),
    }
}
