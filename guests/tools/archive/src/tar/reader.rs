//! Reading an archive: one entry after another, with the long names and records that stand before
//! it.

use std::io::{self, Read};

use super::header::{self, BLOCK, Entry};
use crate::system::Moment;

/// The most that a long name or the records of an entry may take.
const MOST_EXTRA: u64 = 16 << 20;

/// What is wrong with an archive.
#[derive(Debug)]
pub(crate) enum Bad {
    /// It ends in the middle.
    Truncated,
    /// Reading failed.
    Io(io::Error),
}

impl From<io::Error> for Bad {
    fn from(error: io::Error) -> Bad {
        Bad::Io(error)
    }
}

/// What comes next.
pub(crate) enum Next {
    /// An entry; its content follows.
    Entry(Box<Entry>),
    /// The end. Whether only one block of zeros marked it, and where.
    End(Option<u64>),
    /// A block that is no header. The first of a row is told.
    Invalid {
        /// Whether nothing came before it.
        first: bool,
    },
}

/// An archive that is read from its start.
pub(crate) struct Reader<R> {
    inner: R,
    /// Bytes read so far.
    at: u64,
    /// Bytes of content, then of padding, that were not read yet.
    left: u64,
    padding: u64,
    /// Where the last entry began, with what stands before its header.
    start: u64,
    entries: u64,
    was_invalid: bool,
    ignore_zeros: bool,
    /// What a global header says.
    global: Vec<(Vec<u8>, Vec<u8>)>,
}

impl<R: Read> Reader<R> {
    /// Reads from `inner`.
    pub(crate) fn new(inner: R, ignore_zeros: bool) -> Reader<R> {
        Reader {
            inner,
            at: 0,
            left: 0,
            padding: 0,
            start: 0,
            entries: 0,
            was_invalid: false,
            ignore_zeros,
            global: Vec::new(),
        }
    }

    /// Where the last entry, or the end, began.
    pub(crate) fn start(&self) -> u64 {
        self.start
    }

    /// What is inside.
    pub(crate) fn inner(&mut self) -> &mut R {
        &mut self.inner
    }

    /// As much of a block as there is.
    fn block(&mut self) -> Result<Option<[u8; BLOCK]>, Bad> {
        let mut block = [0; BLOCK];
        let mut filled = 0;
        while filled < BLOCK {
            match self.inner.read(&mut block[filled..]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.at += filled as u64;
        // What is less than a block at the end is none.
        Ok((filled == BLOCK).then_some(block))
    }

    /// The next entry, after what is left of the last one's content.
    pub(crate) fn next(&mut self) -> Result<Next, Bad> {
        self.skip()?;
        self.start = self.at;
        let mut long_name = None;
        let mut long_target = None;
        let mut records: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        loop {
            let Some(block) = self.block()? else {
                return Ok(Next::End(None));
            };
            if block == [0; BLOCK] {
                if self.ignore_zeros {
                    self.start = self.at;
                    continue;
                }
                let second = self.block()?;
                let lone = second.is_some_and(|second| second != [0; BLOCK]);
                return Ok(Next::End(lone.then_some(self.start / BLOCK as u64 + 1)));
            }
            if !header::is_valid(&block) {
                if self.was_invalid {
                    self.start = self.at;
                    continue;
                }
                self.was_invalid = true;
                return Ok(Next::Invalid {
                    first: self.entries == 0,
                });
            }
            self.was_invalid = false;
            self.entries += 1;
            let mut entry = header::parse(&block);
            match block[156] {
                b'L' | b'K' => {
                    let content = header::text(&self.extra(entry.size)?);
                    if block[156] == b'L' {
                        long_name.get_or_insert(content);
                    } else {
                        long_target.get_or_insert(content);
                    }
                    continue;
                }
                b'x' => {
                    let content = self.extra(entry.size)?;
                    records.extend(parse_records(&content));
                    continue;
                }
                b'g' => {
                    let content = self.extra(entry.size)?;
                    self.global.extend(parse_records(&content));
                    continue;
                }
                _ => {}
            }
            if let Some(name) = long_name.take() {
                entry.name = name;
                if entry.kind == header::Kind::File && entry.name.ends_with(b"/") {
                    entry.kind = header::Kind::Directory;
                }
            }
            if let Some(target) = long_target.take() {
                entry.target = target;
            }
            if block[156] == b'S' {
                self.old_sparse(&block, &mut entry)?;
            }
            let global = self.global.clone();
            apply_records(&mut entry, &global);
            apply_records(&mut entry, &records);
            self.left = entry.stored;
            self.padding = padding(entry.stored);
            if entry.map_in_content {
                self.map_in_content(&mut entry)?;
            }
            return Ok(Next::Entry(Box::new(entry)));
        }
    }

    /// The content of a header that extends the next one.
    fn extra(&mut self, size: u64) -> Result<Vec<u8>, Bad> {
        if size > MOST_EXTRA {
            return Err(Bad::Truncated);
        }
        self.left = size;
        self.padding = padding(size);
        let mut content = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            let read = self.read_content(&mut buffer)?;
            if read == 0 {
                break;
            }
            content.extend_from_slice(&buffer[..read]);
        }
        self.skip()?;
        Ok(content)
    }

    /// Pieces as GNU's own header lists them.
    fn old_sparse(&mut self, block: &[u8; BLOCK], entry: &mut Entry) -> Result<(), Bad> {
        let mut pieces = Vec::new();
        let take = |field: &[u8], pieces: &mut Vec<(u64, u64)>| {
            let at = header::number(&field[..12])
                .unwrap_or(0)
                .max(0)
                .cast_unsigned();
            let length = header::number(&field[12..24])
                .unwrap_or(0)
                .max(0)
                .cast_unsigned();
            if length > 0 || at > 0 {
                pieces.push((at, length));
            }
        };
        for at in 0..4 {
            take(&block[386 + 24 * at..], &mut pieces);
        }
        let mut more = block[482] != 0;
        while more {
            let block = self.block()?.ok_or(Bad::Truncated)?;
            for at in 0..21 {
                take(&block[24 * at..], &mut pieces);
            }
            more = block[504] != 0 && pieces.len() < 1 << 20;
        }
        entry.size = header::number(&block[483..495])
            .unwrap_or(0)
            .max(0)
            .cast_unsigned();
        entry.pieces = Some(pieces);
        Ok(())
    }

    /// Pieces as the content of a file lists them: decimal numbers, one a line, up to the end of a
    /// block.
    fn map_in_content(&mut self, entry: &mut Entry) -> Result<(), Bad> {
        let mut lines: Vec<u64> = Vec::new();
        let mut line = 0u64;
        loop {
            if self.left < BLOCK as u64 {
                return Err(Bad::Truncated);
            }
            let block = self.block()?.ok_or(Bad::Truncated)?;
            self.left -= BLOCK as u64;
            entry.stored -= BLOCK as u64;
            for byte in block {
                match byte {
                    b'0'..=b'9' => {
                        line = line.saturating_mul(10).saturating_add((byte - b'0').into())
                    }
                    b'\n' => lines.push(std::mem::take(&mut line)),
                    _ => {}
                }
                if lines
                    .first()
                    .is_some_and(|count| lines.len() as u64 > count.saturating_mul(2))
                {
                    break;
                }
            }
            let Some(count) = lines.first().copied() else {
                return Err(Bad::Truncated);
            };
            if lines.len() as u64 > count.saturating_mul(2) {
                break;
            }
            if lines.len() > 1 << 21 {
                return Err(Bad::Truncated);
            }
        }
        entry.pieces = Some(
            lines[1..]
                .as_chunks()
                .0
                .iter()
                .map(|[start, length]| (*start, *length))
                .collect(),
        );
        Ok(())
    }

    /// Bytes of the content; 0 at its end.
    pub(crate) fn read_content(&mut self, buffer: &mut [u8]) -> Result<usize, Bad> {
        if self.left == 0 || buffer.is_empty() {
            return Ok(0);
        }
        let most = usize::try_from(self.left)
            .unwrap_or(usize::MAX)
            .min(buffer.len());
        loop {
            match self.inner.read(&mut buffer[..most]) {
                Ok(0) => return Err(Bad::Truncated),
                Ok(read) => {
                    self.left -= read as u64;
                    self.at += read as u64;
                    return Ok(read);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Passes over what is left of the content and its padding.
    pub(crate) fn skip(&mut self) -> Result<(), Bad> {
        let mut buffer = vec![0; if self.left > 0 { 32 << 10 } else { 0 }];
        while self.left > 0 {
            self.read_content(&mut buffer)?;
        }
        self.left = std::mem::take(&mut self.padding);
        let mut buffer = [0; BLOCK];
        while self.left > 0 {
            match self.read_content(&mut buffer) {
                Ok(_) => {}
                // Nothing is lost with the padding.
                Err(Bad::Truncated) => self.left = 0,
                Err(bad) => return Err(bad),
            }
        }
        Ok(())
    }
}

/// How many bytes fill up the last block of a content.
pub(crate) fn padding(size: u64) -> u64 {
    (BLOCK as u64 - size % BLOCK as u64) % BLOCK as u64
}

/// Records of pax: `LENGTH KEY=VALUE` and a newline each.
fn parse_records(mut rest: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut records = Vec::new();
    while let Some(space) = rest.iter().position(|byte| *byte == b' ') {
        let length = std::str::from_utf8(&rest[..space])
            .ok()
            .and_then(|text| text.parse::<usize>().ok());
        let Some(record) = length.and_then(|length| rest.get(space + 1..length)) else {
            break;
        };
        if let Some(equals) = record.iter().position(|byte| *byte == b'=') {
            let value = record[equals + 1..]
                .strip_suffix(b"\n")
                .unwrap_or(&record[equals + 1..]);
            records.push((record[..equals].to_vec(), value.to_vec()));
        }
        rest = &rest[length.unwrap_or(rest.len())..];
    }
    records
}

fn apply_records(entry: &mut Entry, records: &[(Vec<u8>, Vec<u8>)]) {
    let mut pieces: Vec<u64> = Vec::new();
    for (key, value) in records {
        let text = std::str::from_utf8(value).unwrap_or("");
        let number = || text.parse::<u64>().ok();
        match &key[..] {
            b"path" => {
                entry.name.clone_from(value);
                if entry.kind == header::Kind::File && value.ends_with(b"/") {
                    entry.kind = header::Kind::Directory;
                }
            }
            b"linkpath" => entry.target.clone_from(value),
            b"uname" => entry.user.clone_from(value),
            b"gname" => entry.group.clone_from(value),
            b"uid" => entry.uid = number().unwrap_or(entry.uid),
            b"gid" => entry.gid = number().unwrap_or(entry.gid),
            b"size" => {
                if let Some(size) = number() {
                    entry.size = size;
                    if entry.kind == header::Kind::File {
                        entry.stored = size;
                    }
                }
            }
            b"mtime" => entry.modified = moment(text).unwrap_or(entry.modified),
            b"GNU.sparse.name" => entry.name.clone_from(value),
            b"GNU.sparse.size" | b"GNU.sparse.realsize" => {
                entry.size = number().unwrap_or(entry.size)
            }
            b"GNU.sparse.major" => entry.map_in_content = text == "1",
            b"GNU.sparse.offset" | b"GNU.sparse.numbytes" => pieces.extend(number()),
            b"GNU.sparse.map" => {
                pieces = text
                    .split(',')
                    .filter_map(|number| number.parse().ok())
                    .collect();
            }
            _ => {}
        }
    }
    if !pieces.is_empty() {
        entry.pieces = Some(
            pieces
                .as_chunks()
                .0
                .iter()
                .map(|[start, length]| (*start, *length))
                .collect(),
        );
    }
}

/// A moment as pax writes it: seconds, a point, digits.
fn moment(text: &str) -> Option<Moment> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let seconds: i64 = whole.parse().ok()?;
    let digits: String = fraction
        .chars()
        .chain("000000000".chars())
        .take(9)
        .collect();
    let nanoseconds: u32 = digits.parse().ok()?;
    if whole.starts_with('-') && nanoseconds > 0 {
        return Some(Moment {
            seconds: seconds - 1,
            nanoseconds: 1_000_000_000 - nanoseconds,
        });
    }
    Some(Moment {
        seconds,
        nanoseconds,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_and_broken_ones_end_it() {
        let records = parse_records(b"12 path=a=b\n11 size=12\nxx junk");
        assert_eq!(records[0], (b"path".to_vec(), b"a=b".to_vec()));
        assert_eq!(records[1], (b"size".to_vec(), b"12".to_vec()));
        assert_eq!(records.len(), 2);
        assert!(parse_records(b"99999999999999999999 a=b\n").is_empty());
        assert!(parse_records(b"3 a=b\n").is_empty());
    }

    #[test]
    fn times_have_fractions() {
        assert_eq!(moment("1.5").unwrap().nanoseconds, 500_000_000);
        assert_eq!(
            moment("-1.5").unwrap(),
            Moment {
                seconds: -2,
                nanoseconds: 500_000_000
            }
        );
        assert!(moment("x").is_none());
    }
}
