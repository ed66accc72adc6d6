//! The records of a zip file: local headers, the central directory, its end.

use std::io::{self, Read, Seek, SeekFrom};

use codepod_datetime::{Civil, Zone};

use super::extra;

/// How a local header begins.
pub(crate) const LOCAL: [u8; 4] = *b"PK\x03\x04";
/// How an entry of the central directory begins.
pub(crate) const CENTRAL: [u8; 4] = *b"PK\x01\x02";
/// How the end of the central directory begins.
const END: [u8; 4] = *b"PK\x05\x06";
const END_64: [u8; 4] = *b"PK\x06\x06";
const LOCATOR_64: [u8; 4] = *b"PK\x06\x07";
/// Bytes of the end without its comment.
const END_SIZE: usize = 22;
/// Bytes of a local header without name and extra fields, with its signature.
const LOCAL_SIZE: usize = 30;
/// Bytes of a central entry without what follows it, with its signature.
const CENTRAL_SIZE: usize = 46;

/// An entry of the central directory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Entry {
    /// Version and system that made it.
    pub(crate) made_by: u16,
    /// Version that is needed.
    pub(crate) needed: u16,
    /// Flags: 1 encrypted, 8 sizes behind the data.
    pub(crate) flags: u16,
    /// How it is packed.
    pub(crate) method: u16,
    /// When it was changed, as DOS counts.
    pub(crate) time: u32,
    /// Checksum of the content.
    pub(crate) crc: u32,
    /// Bytes in the archive.
    pub(crate) packed: u64,
    /// Bytes of the content.
    pub(crate) plain: u64,
    /// The disk that it begins on.
    pub(crate) disk: u32,
    /// Bit 0: text.
    pub(crate) internal: u16,
    /// Mode and attributes.
    pub(crate) external: u32,
    /// Where its local header is.
    pub(crate) offset: u64,
    /// Its name.
    pub(crate) name: Vec<u8>,
    /// Extra fields.
    pub(crate) extra: Vec<u8>,
    /// Its comment.
    pub(crate) comment: Vec<u8>,
}

impl Entry {
    /// Reads an entry that begins with [`CENTRAL`]; returns it and its length. None where the bytes
    /// end before it does.
    pub(crate) fn parse(bytes: &[u8]) -> Option<(Entry, usize)> {
        let head = bytes.get(..CENTRAL_SIZE)?;
        let (name, extra, comment) = (word(head, 28), word(head, 30), word(head, 32));
        let mut at = CENTRAL_SIZE;
        let mut take = |length: u16| {
            let taken = bytes.get(at..at + usize::from(length))?.to_vec();
            at += usize::from(length);
            Some(taken)
        };
        let mut entry = Entry {
            made_by: word(head, 4),
            needed: word(head, 6),
            flags: word(head, 8),
            method: word(head, 10),
            time: long(head, 12),
            crc: long(head, 16),
            packed: long(head, 20).into(),
            plain: long(head, 24).into(),
            disk: word(head, 34).into(),
            internal: word(head, 36),
            external: long(head, 38),
            offset: long(head, 42).into(),
            name: take(name)?,
            extra: take(extra)?,
            comment: take(comment)?,
        };
        if let Some(data) = extra::fields(&entry.extra).find(|(id, _)| *id == 1) {
            let mut data = data.1;
            for value in [&mut entry.plain, &mut entry.packed, &mut entry.offset] {
                widen(value, &mut data);
            }
        }
        Some((entry, at))
    }

    /// The system that made it: 3 is Unix.
    pub(crate) fn host(&self) -> u8 {
        (self.made_by >> 8) as u8
    }

    /// Whether it is encrypted.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.flags & 1 != 0
    }

    /// The mode of the file where the archive was made on Unix.
    pub(crate) fn mode(&self) -> u32 {
        self.external >> 16
    }

    /// Its bytes in the central directory. Sizes above 4 GiB are refused before.
    pub(crate) fn central(&self) -> Vec<u8> {
        let mut out = CENTRAL.to_vec();
        for value in [self.made_by, self.needed, self.flags, self.method] {
            out.extend(value.to_le_bytes());
        }
        for value in [self.time, self.crc, self.packed as u32, self.plain as u32] {
            out.extend(value.to_le_bytes());
        }
        for length in [self.name.len(), self.extra.len(), self.comment.len()] {
            out.extend((length as u16).to_le_bytes());
        }
        out.extend((self.disk as u16).to_le_bytes());
        out.extend(self.internal.to_le_bytes());
        out.extend(self.external.to_le_bytes());
        out.extend((self.offset as u32).to_le_bytes());
        for part in [&self.name, &self.extra, &self.comment] {
            out.extend(part);
        }
        out
    }

    /// Its local header with these extra fields. Where the sizes follow the data they are 0 here.
    pub(crate) fn local(&self, extra: &[u8], streamed: bool) -> Vec<u8> {
        let mut out = LOCAL.to_vec();
        for value in [self.needed, self.flags, self.method] {
            out.extend(value.to_le_bytes());
        }
        out.extend(self.time.to_le_bytes());
        let sizes = [self.crc, self.packed as u32, self.plain as u32];
        for value in if streamed { [0; 3] } else { sizes } {
            out.extend(value.to_le_bytes());
        }
        out.extend((self.name.len() as u16).to_le_bytes());
        out.extend((extra.len() as u16).to_le_bytes());
        out.extend(&self.name);
        out.extend(extra);
        out
    }

    /// What follows the data where the local header had no sizes.
    pub(crate) fn descriptor(&self) -> Vec<u8> {
        let mut out = b"PK\x07\x08".to_vec();
        for value in [self.crc, self.packed as u32, self.plain as u32] {
            out.extend(value.to_le_bytes());
        }
        out
    }
}

/// A local header.
#[derive(Debug, Clone, Default)]
pub(crate) struct Local {
    /// Flags.
    pub(crate) flags: u16,
    /// How the data are packed.
    pub(crate) method: u16,
    /// When the file was changed, as DOS counts.
    pub(crate) time: u32,
    /// Checksum.
    pub(crate) crc: u32,
    /// Bytes in the archive.
    pub(crate) packed: u64,
    /// Bytes of the content.
    pub(crate) plain: u64,
    /// The name.
    pub(crate) name: Vec<u8>,
    /// Extra fields.
    pub(crate) extra: Vec<u8>,
    /// Whether sizes have 64 bits.
    pub(crate) wide: bool,
}

impl Local {
    /// Reads the header behind its signature. Fails with what the reader fails with, also where it
    /// ends.
    pub(crate) fn read(from: &mut impl Read) -> io::Result<Local> {
        let mut head = [0; LOCAL_SIZE];
        from.read_exact(&mut head[4..])?;
        let mut local = Local {
            flags: word(&head, 6),
            method: word(&head, 8),
            time: long(&head, 10),
            crc: long(&head, 14),
            packed: long(&head, 18).into(),
            plain: long(&head, 22).into(),
            ..Local::default()
        };
        local.name = vec![0; word(&head, 26).into()];
        local.extra = vec![0; word(&head, 28).into()];
        from.read_exact(&mut local.name)?;
        from.read_exact(&mut local.extra)?;
        if let Some((_, data)) = extra::fields(&local.extra).find(|(id, _)| *id == 1) {
            let mut data = data;
            local.wide = true;
            widen(&mut local.plain, &mut data);
            widen(&mut local.packed, &mut data);
        }
        Ok(local)
    }
}

/// The end of the central directory.
#[derive(Debug, Clone, Default)]
pub(crate) struct End {
    /// Number of this disk.
    pub(crate) disk: u32,
    /// Disk on which the directory begins.
    pub(crate) start_disk: u32,
    /// Entries.
    pub(crate) entries: u64,
    /// Bytes of the directory.
    pub(crate) size: u64,
    /// Where the directory should begin.
    pub(crate) offset: u64,
    /// The archive's comment, as far as it is there.
    pub(crate) comment: Vec<u8>,
    /// How long the comment should be.
    pub(crate) comment_length: u16,
    /// Where this record is.
    pub(crate) at: u64,
    /// Where the record with 64 bits begins and ends, if there is one.
    pub(crate) wide: Option<(u64, u64)>,
}

impl End {
    /// Where the record was expected, by what it says of the directory.
    pub(crate) fn expected(&self) -> u64 {
        self.offset.saturating_add(self.size)
    }

    /// Where it is.
    pub(crate) fn real(&self) -> u64 {
        self.wide.map_or(self.at, |wide| wide.0)
    }
}

/// Looks for the end record in the last `search` bytes of a file of `length` bytes.
pub(crate) fn find_end<F: Read + Seek>(
    file: &mut F,
    length: u64,
    search: u64,
) -> io::Result<Option<End>> {
    const STEP: u64 = 64 << 10;
    let least = length.saturating_sub(search);
    let mut high = length;
    while high > least {
        let low = high.saturating_sub(STEP).max(least);
        // A little more, so that a record over the border is found.
        let until = (high + END_SIZE as u64 - 1).min(length);
        let mut bytes = vec![0; (until - low) as usize];
        file.seek(SeekFrom::Start(low))?;
        file.read_exact(&mut bytes)?;
        if bytes.len() >= END_SIZE {
            for at in (0..=bytes.len() - END_SIZE).rev() {
                if bytes[at..at + 4] == END {
                    return read_end(file, length, low + at as u64).map(Some);
                }
            }
        }
        high = low;
    }
    Ok(None)
}

fn read_end<F: Read + Seek>(file: &mut F, length: u64, at: u64) -> io::Result<End> {
    let mut head = [0; END_SIZE];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut head)?;
    let mut end = End {
        disk: word(&head, 4).into(),
        start_disk: word(&head, 6).into(),
        entries: word(&head, 10).into(),
        size: long(&head, 12).into(),
        offset: long(&head, 16).into(),
        comment_length: word(&head, 20),
        at,
        ..End::default()
    };
    let there = (length - at - END_SIZE as u64).min(end.comment_length.into());
    end.comment = vec![0; there as usize];
    file.read_exact(&mut end.comment)?;
    read_wide(file, length, &mut end)?;
    Ok(end)
}

/// Reads the record with 64 bits where there is one that makes sense.
fn read_wide<F: Read + Seek>(file: &mut F, length: u64, end: &mut End) -> io::Result<()> {
    let Some(at) = end.at.checked_sub(20) else {
        return Ok(());
    };
    let mut locator = [0; 20];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut locator)?;
    if locator[..4] != LOCATOR_64 {
        return Ok(());
    }
    let place = quad(&locator, 8);
    if place.checked_add(56).is_none_or(|last| last > length) {
        return Ok(());
    }
    let mut head = [0; 56];
    file.seek(SeekFrom::Start(place))?;
    file.read_exact(&mut head)?;
    if head[..4] != END_64 {
        return Ok(());
    }
    end.disk = long(&head, 16);
    end.start_disk = long(&head, 20);
    end.entries = quad(&head, 32);
    end.size = quad(&head, 40);
    end.offset = quad(&head, 48);
    end.wide = Some((place, end.at));
    Ok(())
}

/// The bytes at the end of an archive, with the record of 64 bits where the entries need it.
pub(crate) fn end_bytes(entries: u64, offset: u64, size: u64, comment: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    if entries >= 0xffff {
        out.extend(END_64);
        out.extend(44_u64.to_le_bytes());
        out.extend([0x1e, 3, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        for value in [entries, entries, size, offset] {
            out.extend(value.to_le_bytes());
        }
        out.extend(LOCATOR_64);
        out.extend([0; 4]);
        out.extend((offset + size).to_le_bytes());
        out.extend(1_u32.to_le_bytes());
    }
    out.extend(END);
    out.extend([0; 4]);
    let short = entries.min(0xffff) as u16;
    out.extend(short.to_le_bytes());
    out.extend(short.to_le_bytes());
    out.extend((size as u32).to_le_bytes());
    out.extend((offset as u32).to_le_bytes());
    out.extend((comment.len() as u16).to_le_bytes());
    out.extend(comment);
    out
}

/// A moment as DOS counts: local time, two seconds, from 1980.
pub(crate) fn dos_of(seconds: i64, zone: &Zone) -> u32 {
    // Up to the next even second, as zip does.
    let civil = zone.civil(seconds.saturating_add(1) & !1);
    if civil.year < 1980 {
        return 0x0021_0000;
    }
    let year = (civil.year - 1980).min(127) as u32;
    let part = |value: i64| u32::try_from(value).unwrap_or(0);
    year << 25
        | part(civil.month) << 21
        | part(civil.day) << 16
        | part(civil.hour) << 11
        | part(civil.minute) << 5
        | part(civil.second) >> 1
}

/// Year, month, day, hour, minute and second of what DOS counted, as they stand there.
pub(crate) fn moment_of(time: u32, zone: &Zone) -> i64 {
    zone.moment(civil_of(time)).unwrap_or(0)
}

/// The fields of a time of DOS; months and days may be ones that are not.
pub(crate) fn civil_of(time: u32) -> Civil {
    let part = |shift: u32, mask: u32| i64::from(time >> shift & mask);
    let mut civil = Civil::from_seconds(0);
    civil.year = part(25, 0x7f) + 1980;
    civil.month = part(21, 0xf);
    civil.day = part(16, 0x1f);
    civil.hour = part(11, 0x1f);
    civil.minute = part(5, 0x3f);
    civil.second = part(0, 0x1f) * 2;
    civil
}

/// Takes a number of 64 bits where the one of 32 says so.
fn widen(value: &mut u64, data: &mut &[u8]) {
    if *value == 0xffff_ffff && data.len() >= 8 {
        *value = quad(data, 0);
        *data = &data[8..];
    }
}

fn word(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn long(bytes: &[u8], at: usize) -> u32 {
    u32::from(word(bytes, at)) | u32::from(word(bytes, at + 2)) << 16
}

fn quad(bytes: &[u8], at: usize) -> u64 {
    u64::from(long(bytes, at)) | u64::from(long(bytes, at + 4)) << 32
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn entries_are_read_as_they_are_written() {
        let entry = Entry {
            made_by: 0x31e,
            method: 8,
            crc: 7,
            packed: 3,
            plain: 4,
            offset: 5,
            name: b"n".to_vec(),
            comment: b"c".to_vec(),
            ..Entry::default()
        };
        let bytes = entry.central();
        let (again, length) = Entry::parse(&bytes).unwrap();
        assert_eq!(length, bytes.len());
        assert_eq!(
            (again.crc, again.packed, again.plain, again.offset),
            (7, 3, 4, 5)
        );
        assert_eq!((again.name, again.comment), (b"n".to_vec(), b"c".to_vec()));
        for cut in 0..bytes.len() {
            assert!(Entry::parse(&bytes[..cut]).is_none());
        }
    }

    #[test]
    fn the_end_is_found_behind_anything_and_with_more_entries_than_16_bits_hold() {
        for before in [0, 1, 70_000] {
            for entries in [3, 70_000] {
                let mut bytes = vec![b'x'; before];
                bytes.extend(end_bytes(entries, before as u64, 0, b"comment"));
                let length = bytes.len() as u64;
                let end = find_end(&mut Cursor::new(bytes), length, 66_000)
                    .unwrap()
                    .unwrap();
                assert_eq!((end.entries, end.offset), (entries, before as u64));
                assert_eq!(end.comment, b"comment");
                assert_eq!(end.real(), before as u64);
            }
        }
        assert!(
            find_end(&mut Cursor::new(b"PK\x05\x06".to_vec()), 4, 66_000)
                .unwrap()
                .is_none()
        );
    }

    #[test]
    fn times_of_dos_come_back() {
        let zone = Zone::from_text("UTC0");
        let seconds = 1_700_000_000;
        assert_eq!(moment_of(dos_of(seconds, &zone), &zone), seconds);
        assert_eq!(dos_of(0, &zone), 0x0021_0000);
    }
}
