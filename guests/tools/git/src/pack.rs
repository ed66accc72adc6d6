//! Packs: many objects in one file, some as differences from others, with an index (version 1 or
//! 2).

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::rc::Rc;

use flate2::Compression;
use flate2::bufread::ZlibDecoder;
use flate2::write::ZlibEncoder;

use crate::objects::Objects;
use crate::oid::{self, Kind, Oid};
use crate::os;
use crate::stop::{Result, fatal};

/// How long a chain of differences may be.
pub(crate) const DEEPEST: usize = 4096;
/// The largest object that is taken into memory.
pub(crate) const MOST: usize = 1 << 30;
/// How much of objects that others are differences from is kept.
const CACHED: usize = 16 << 20;

/// An open pack, in memory.
pub(crate) struct Pack {
    index: Vec<u8>,
    version: u32,
    count: usize,
    data: std::cell::OnceCell<Vec<u8>>,
    path: Vec<u8>,
    bases: RefCell<Bases>,
    /// The offsets of all objects in order, and the end; made when it is needed.
    offsets: std::cell::OnceCell<Vec<u64>>,
    names: std::cell::OnceCell<HashMap<u64, Oid>>,
}

/// Objects that others are differences from, by their offset.
#[derive(Default)]
struct Bases {
    objects: HashMap<usize, (Kind, Rc<Vec<u8>>)>,
    bytes: usize,
}

impl Bases {
    fn keep(&mut self, at: usize, kind: Kind, content: &Rc<Vec<u8>>) {
        if content.len() > CACHED / 8 {
            return;
        }
        if self.bytes + content.len() > CACHED {
            self.objects.clear();
            self.bytes = 0;
        }
        self.bytes += content.len();
        self.objects.insert(at, (kind, content.clone()));
    }
}

/// An object as it lies in a pack.
pub(crate) struct Packed<'a> {
    pub(crate) offset: u64,
    pub(crate) base: PackedBase,
    /// Its size when it is inflated.
    pub(crate) size: usize,
    /// Its zlib stream.
    pub(crate) stream: &'a [u8],
}

/// What an object in a pack is a difference from.
pub(crate) enum PackedBase {
    Whole(Kind),
    Delta(Oid),
}

impl Pack {
    /// The pack whose files begin with `base`; none when its index is not one.
    pub(crate) fn open(base: &[u8]) -> Option<Pack> {
        let index = os::read(&[base, b".idx"].concat()).ok()?;
        let version = if index.starts_with(b"\xfftOc") {
            word(&index, 4)?
        } else {
            1
        };
        let fan = if version == 1 { 0 } else { 8 };
        if version > 2 {
            return None;
        }
        let count = word(&index, fan + 255 * 4)? as usize;
        let least = if version == 1 {
            1024 + count.checked_mul(24)?
        } else {
            1032 + count.checked_mul(28)?
        };
        if index.len() < least + 40 {
            return None;
        }
        let path = [base, b".pack"].concat();
        os::exists(&path).then_some(Pack {
            index,
            version,
            count,
            data: std::cell::OnceCell::new(),
            path,
            bases: RefCell::default(),
            offsets: std::cell::OnceCell::new(),
            names: std::cell::OnceCell::new(),
        })
    }

    fn name(&self, at: usize) -> &[u8] {
        let start = if self.version == 1 {
            1024 + at * 24 + 4
        } else {
            1032 + at * 20
        };
        &self.index[start..start + 20]
    }

    fn offset(&self, at: usize) -> Option<u64> {
        if self.version == 1 {
            return word(&self.index, 1024 + at * 24).map(u64::from);
        }
        let small = word(&self.index, 1032 + self.count * 24 + at * 4)?;
        if small & 0x8000_0000 == 0 {
            return Some(u64::from(small));
        }
        let start = 1032 + self.count * 28 + (small & 0x7fff_ffff) as usize * 8;
        let bytes = self.index.get(start..start + 8)?;
        Some(u64::from_be_bytes(bytes.try_into().ok()?))
    }

    fn first_at_least(&self, wanted: &[u8]) -> usize {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = (low + high) / 2;
            if self.name(middle) < wanted {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Where an object is.
    pub(crate) fn find(&self, oid: &Oid) -> Option<u64> {
        let at = self.first_at_least(&oid.0);
        (at < self.count && self.name(at) == oid.0)
            .then(|| self.offset(at))
            .flatten()
    }

    /// Adds the objects whose hexadecimal name begins with `prefix`.
    pub(crate) fn beginning_with(&self, prefix: &[u8], most: usize, found: &mut Vec<Oid>) {
        let mut bytes = [0u8; 20];
        for (at, digit) in prefix
            .iter()
            .take(40)
            .filter_map(|byte| oid::digit(*byte))
            .enumerate()
        {
            bytes[at / 2] |= if at % 2 == 0 { digit << 4 } else { digit };
        }
        let mut at = self.first_at_least(&bytes);
        while at < self.count && found.len() <= most {
            let Some(name) = Oid::from_bytes(self.name(at)) else {
                return;
            };
            if !name.hex().as_bytes().starts_with(prefix) {
                return;
            }
            found.push(name);
            at += 1;
        }
    }

    fn data(&self) -> Result<&[u8]> {
        if self.data.get().is_none() {
            let _ = self.data.set(os::read(&self.path)?);
        }
        Ok(self.data.get().map_or(&[], Vec::as_slice))
    }

    /// The object at an offset, put together from its differences.
    pub(crate) fn read(&self, offset: u64, objects: &Objects) -> Result<(Kind, Vec<u8>)> {
        let data = self.data()?;
        let mut deltas: Vec<(usize, Vec<u8>)> = Vec::new();
        let mut at = offset as usize;
        let (kind, mut content) = loop {
            if let Some((kind, content)) = self.bases.borrow().objects.get(&at) {
                break (*kind, content.clone());
            }
            if deltas.len() > DEEPEST {
                return fatal("packfile has a delta chain that is too long");
            }
            let Some(entry) = Entry::parse(data, at) else {
                return fatal("packfile is corrupt");
            };
            let content = inflate(&data[entry.start..], entry.size)?;
            match entry.base {
                Base::Whole(kind) if deltas.is_empty() => return Ok((kind, content)),
                Base::Whole(kind) => {
                    let content = Rc::new(content);
                    self.bases.borrow_mut().keep(at, kind, &content);
                    break (kind, content);
                }
                Base::Offset(back) => {
                    deltas.push((at, content));
                    match at.checked_sub(back) {
                        Some(base) if back > 0 => at = base,
                        _ => return fatal("packfile is corrupt"),
                    }
                }
                Base::Name(name) => {
                    deltas.push((at, content));
                    match self.find(&name) {
                        Some(base) => at = base as usize,
                        None => break objects.read(&name)?,
                    }
                }
            }
        };
        while let Some((at, delta)) = deltas.pop() {
            let Some(made) = apply_delta(&content, &delta) else {
                return fatal("packfile has a corrupt delta");
            };
            content = Rc::new(made);
            if !deltas.is_empty() {
                self.bases.borrow_mut().keep(at, kind, &content);
            }
        }
        Ok((kind, Rc::unwrap_or_clone(content)))
    }

    /// An object as it lies here, so that it can go into another pack.
    pub(crate) fn packed(&self, oid: &Oid) -> Result<Option<Packed<'_>>> {
        let Some(offset) = self.find(oid) else {
            return Ok(None);
        };
        let data = self.data()?;
        let offsets = self.offsets.get_or_init(|| {
            let mut all: Vec<u64> = (0..self.count).filter_map(|at| self.offset(at)).collect();
            all.push((data.len() as u64).saturating_sub(20));
            all.sort_unstable();
            all
        });
        let next = offsets.partition_point(|found| *found <= offset);
        let end = offsets.get(next).copied().unwrap_or(0) as usize;
        let entry = Entry::parse(data, offset as usize);
        let Some(entry) = entry.filter(|entry| entry.start <= end && end <= data.len()) else {
            return fatal("packfile is corrupt");
        };
        let base = match entry.base {
            Base::Whole(kind) => PackedBase::Whole(kind),
            Base::Name(name) => PackedBase::Delta(name),
            Base::Offset(back) => {
                let base = (offset as usize).checked_sub(back);
                match base.and_then(|base| self.name_at(base as u64)) {
                    Some(name) => PackedBase::Delta(name),
                    None => return fatal("packfile is corrupt"),
                }
            }
        };
        Ok(Some(Packed {
            offset,
            base,
            size: entry.size,
            stream: &data[entry.start..end],
        }))
    }

    /// The object at an offset, by name.
    fn name_at(&self, offset: u64) -> Option<Oid> {
        let names = self.names.get_or_init(|| {
            let all = (0..self.count).filter_map(|at| {
                let name = Oid::from_bytes(self.name(at))?;
                Some((self.offset(at)?, name))
            });
            all.collect()
        });
        names.get(&offset).copied()
    }
}

/// What an entry of a pack is.
pub(crate) enum Base {
    /// The object itself.
    Whole(Kind),
    /// A difference from the object so many bytes before.
    Offset(usize),
    /// A difference from another object.
    Name(Oid),
}

/// An entry of a pack.
pub(crate) struct Entry {
    pub(crate) base: Base,
    /// Its size when it is inflated.
    pub(crate) size: usize,
    /// Where its zlib stream starts.
    pub(crate) start: usize,
}

impl Entry {
    /// Reads the head of the entry at a place; none when it is not one, or not whole.
    pub(crate) fn parse(data: &[u8], mut at: usize) -> Option<Entry> {
        let mut byte = *data.get(at)?;
        at += 1;
        let code = (byte >> 4) & 7;
        let mut size = usize::from(byte & 15);
        let mut shift = 4;
        while byte & 0x80 != 0 {
            byte = *data.get(at)?;
            at += 1;
            size |= usize::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
        }
        let base = match code {
            1 => Base::Whole(Kind::Commit),
            2 => Base::Whole(Kind::Tree),
            3 => Base::Whole(Kind::Blob),
            4 => Base::Whole(Kind::Tag),
            6 => {
                let mut byte = *data.get(at)?;
                at += 1;
                let mut back = usize::from(byte & 0x7f);
                while byte & 0x80 != 0 {
                    byte = *data.get(at)?;
                    at += 1;
                    back = (back + 1).checked_mul(128)? + usize::from(byte & 0x7f);
                }
                Base::Offset(back)
            }
            7 => {
                let name = Oid::from_bytes(data.get(at..at + 20)?)?;
                at += 20;
                Base::Name(name)
            }
            _ => return None,
        };
        (at <= data.len() && size <= MOST).then_some(Entry {
            base,
            size,
            start: at,
        })
    }
}

/// What a zlib stream holds, which must have this size.
pub(crate) fn inflate(data: &[u8], size: usize) -> Result<Vec<u8>> {
    let mut content = Vec::with_capacity(size.min(16 << 20));
    let read = ZlibDecoder::new(data)
        .take(size as u64 + 1)
        .read_to_end(&mut content);
    if read.is_err() || content.len() != size {
        return fatal("packfile has an object that does not inflate");
    }
    Ok(content)
}

/// The object that a difference makes of another; none when it does not fit.
pub(crate) fn apply_delta(base: &[u8], delta: &[u8]) -> Option<Vec<u8>> {
    let mut rest = delta;
    let from = length(&mut rest)?;
    let to = length(&mut rest)?;
    if from != base.len() || to > MOST {
        return None;
    }
    let mut out = Vec::with_capacity(to.min(16 << 20));
    while let Some((&code, after)) = rest.split_first() {
        rest = after;
        if code & 0x80 == 0 {
            let (literal, after) = rest.split_at_checked(usize::from(code))?;
            if code == 0 {
                return None;
            }
            out.extend_from_slice(literal);
            rest = after;
            continue;
        }
        let mut number = |bits: u8, count: u8| -> Option<usize> {
            let mut value = 0;
            for at in 0..count {
                if bits & (1 << at) != 0 {
                    let (&byte, after) = rest.split_first()?;
                    rest = after;
                    value |= usize::from(byte) << (8 * at);
                }
            }
            Some(value)
        };
        let offset = number(code & 0x0f, 4)?;
        let size = match number((code >> 4) & 7, 3)? {
            0 => 0x10000,
            size => size,
        };
        out.extend_from_slice(base.get(offset..offset.checked_add(size)?)?);
        if out.len() > to {
            return None;
        }
    }
    (out.len() == to).then_some(out)
}

fn length(rest: &mut &[u8]) -> Option<usize> {
    let mut value = 0usize;
    let mut shift = 0;
    loop {
        let (&byte, after) = rest.split_first()?;
        *rest = after;
        value |= usize::from(byte & 0x7f).checked_shl(shift)?;
        shift += 7;
        if byte & 0x80 == 0 {
            return Some(value);
        }
        if shift > 28 {
            return None;
        }
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(four.try_into().ok()?))
}

/// A line of an index: name, checksum, offset.
pub(crate) type Indexed = (Oid, u32, u32);

/// A pack of these objects, without differences, and its index. Both are what `objects/pack` holds.
pub(crate) fn build(objects: &Objects, names: &[Oid]) -> Result<(Oid, Vec<u8>, Vec<u8>)> {
    let mut pack = head(names.len());
    let mut entries = Vec::new();
    for name in names {
        let (kind, content) = objects.read(name)?;
        let offset = pack.len();
        push_whole(&mut pack, kind, &content)?;
        entries.push((*name, crc32(&pack[offset..]), offset as u32));
    }
    let trailer = oid::sha1(&pack);
    pack.extend(trailer.0);
    let index = index(&mut entries, trailer);
    Ok((trailer, pack, index))
}

/// What a pack of so many objects begins with.
pub(crate) fn head(count: usize) -> Vec<u8> {
    [b"PACK\0\0\0\x02", &(count as u32).to_be_bytes()[..]].concat()
}

/// Adds an object that is no difference.
pub(crate) fn push_whole(pack: &mut Vec<u8>, kind: Kind, content: &[u8]) -> Result<()> {
    push_head(pack, code(kind), content.len());
    let mut encoder = ZlibEncoder::new(std::mem::take(pack), Compression::default());
    encoder.write_all(content)?;
    *pack = encoder.finish()?;
    Ok(())
}

/// The number that packs have for a kind.
pub(crate) fn code(kind: Kind) -> u8 {
    match kind {
        Kind::Commit => 1,
        Kind::Tree => 2,
        Kind::Blob => 3,
        Kind::Tag => 4,
    }
}

/// Adds the head of an entry: what it is, and its size.
pub(crate) fn push_head(pack: &mut Vec<u8>, code: u8, mut size: usize) {
    let mut byte = (code << 4) | (size & 15) as u8;
    size >>= 4;
    while size > 0 {
        pack.push(byte | 0x80);
        byte = (size & 0x7f) as u8;
        size >>= 7;
    }
    pack.push(byte);
}

/// The index of a pack.
pub(crate) fn index(entries: &mut [Indexed], trailer: Oid) -> Vec<u8> {
    entries.sort();
    let mut index = b"\xfftOc\0\0\0\x02".to_vec();
    for first in 0..=255u8 {
        let below = entries.partition_point(|(name, ..)| name.0[0] <= first);
        index.extend((below as u32).to_be_bytes());
    }
    entries.iter().for_each(|(name, ..)| index.extend(name.0));
    entries
        .iter()
        .for_each(|(_, crc, _)| index.extend(crc.to_be_bytes()));
    entries
        .iter()
        .for_each(|(.., offset)| index.extend(offset.to_be_bytes()));
    index.extend(trailer.0);
    let sum = oid::sha1(&index);
    index.extend(sum.0);
    index
}

/// The checksum that an index has.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}
