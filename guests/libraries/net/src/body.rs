//! What follows a head: so many bytes, chunks, or all until the connection ends.

use std::io::{self, BufRead};

use crate::Error;
use crate::channel::Channel;
use crate::head::{Head, read_fields, read_line};

/// The longest line with the size of a chunk, and the longest trailer.
const LONGEST_LINE: usize = 8 * 1024;

/// The body of a reply, as it comes.
#[derive(Debug)]
pub struct Body {
    pub(crate) channel: Channel,
    left: Left,
    /// Whether the connection can have another request after it.
    keeps: bool,
}

/// What is left of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    Bytes(u64),
    /// So many bytes of a chunk, and more chunks.
    Chunk(u64),
    /// The line end behind a chunk, and more chunks.
    ChunkEnd,
    /// Whatever comes.
    All,
    Nothing,
}

impl Body {
    /// The body behind a head, of a reply to `method`.
    ///
    /// Fails when the head says in two ways how long it is.
    pub(crate) fn new(channel: Channel, head: &Head, method: &str) -> Result<Body, Error> {
        let fields = &head.fields;
        let closes = fields.has_word("connection", "close")
            || (head.minor == 0 && !fields.has_word("connection", "keep-alive"));
        let has_none = method == "HEAD" || head.status < 200 || matches!(head.status, 204 | 304);
        let left = match () {
            () if has_none => Left::Nothing,
            () if fields.has_word("transfer-encoding", "chunked") => Left::Chunk(0),
            () if fields.get("transfer-encoding").is_some() => {
                return Err(Error::Malformed("an unknown transfer encoding"));
            }
            () => match length(head)? {
                Some(0) => Left::Nothing,
                Some(length) => Left::Bytes(length),
                None => Left::All,
            },
        };
        Ok(Body {
            channel,
            keeps: !closes && left != Left::All,
            left,
        })
    }

    /// How much is left, where that is known.
    pub fn length(&self) -> Option<u64> {
        match self.left {
            Left::Bytes(length) => Some(length),
            Left::Nothing => Some(0),
            _ => None,
        }
    }

    /// Reads a part; 0 at the end.
    ///
    /// Fails with [`Error::CutOff`] when the connection ends first.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let part = self.fill()?;
        let count = part.len().min(buffer.len());
        buffer[..count].copy_from_slice(&part[..count]);
        self.take(count);
        Ok(count)
    }

    /// What has come, at least one byte; nothing at the end. Fails as [`Body::read`] does.
    pub fn fill(&mut self) -> Result<&[u8], Error> {
        loop {
            match self.left {
                Left::Nothing => return Ok(&[]),
                Left::Chunk(0) | Left::ChunkEnd => self.next_chunk()?,
                _ => break,
            }
        }
        let most = match self.left {
            Left::Bytes(left) | Left::Chunk(left) => left,
            _ => u64::MAX,
        };
        let is_open = self.left == Left::All;
        let part = self.channel.fill()?;
        if part.is_empty() && !is_open {
            return Err(Error::CutOff);
        }
        if part.is_empty() {
            self.left = Left::Nothing;
            return Ok(&[]);
        }
        let count = part.len().min(usize::try_from(most).unwrap_or(usize::MAX));
        Ok(&part[..count])
    }

    /// Takes bytes that [`Body::fill`] has shown.
    pub fn take(&mut self, count: usize) {
        self.channel.take(count);
        match &mut self.left {
            Left::Bytes(left) => {
                *left -= count as u64;
                if *left == 0 {
                    self.left = Left::Nothing;
                }
            }
            Left::Chunk(left) => {
                *left -= count as u64;
                if *left == 0 {
                    self.left = Left::ChunkEnd;
                }
            }
            _ => {}
        }
    }

    fn next_chunk(&mut self) -> Result<(), Error> {
        let mut left = LONGEST_LINE;
        if self.left == Left::ChunkEnd && !read_line(&mut self.channel, &mut left)?.is_empty() {
            return Err(Error::Malformed(
                "Malformed encoding found in chunked-encoding",
            ));
        }
        let line = read_line(&mut self.channel, &mut left)?;
        let size = chunk_size(&line).ok_or(Error::Malformed(
            "Malformed encoding found in chunked-encoding",
        ))?;
        self.left = Left::Chunk(size);
        if size == 0 {
            read_fields(&mut self.channel, &mut left)?;
            self.left = Left::Nothing;
        }
        Ok(())
    }

    /// All of it, at most `most` bytes: more is an error.
    pub fn read_all(&mut self, most: usize) -> Result<Vec<u8>, Error> {
        let mut text = Vec::new();
        loop {
            let part = self.fill()?;
            let count = part.len();
            if count == 0 {
                return Ok(text);
            }
            if text.len() + count > most {
                return Err(Error::Malformed("the reply is too long"));
            }
            text.extend_from_slice(part);
            self.take(count);
        }
    }

    /// The connection, when it can have another request.
    pub(crate) fn into_channel(self) -> Option<Channel> {
        (self.keeps && self.left == Left::Nothing).then_some(self.channel)
    }

    /// Takes what is left of a short body, so that the connection can have another request.
    pub(crate) fn skip(&mut self, most: usize) -> bool {
        let mut taken = 0;
        while taken < most {
            match self.fill().map(<[u8]>::len) {
                Ok(0) => return true,
                Ok(count) => {
                    taken += count;
                    self.take(count);
                }
                Err(_) => return false,
            }
        }
        false
    }
}

/// The errors are [`Error`]s within.
impl io::Read for Body {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(Body::read(self, buffer)?)
    }
}

impl BufRead for Body {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        Ok(self.fill()?)
    }

    fn consume(&mut self, count: usize) {
        self.take(count);
    }
}

/// A body without its packing.
///
/// What comes out has no limit here: a few bytes can be many.
#[cfg(feature = "gzip")]
pub enum Unpacked {
    /// It was not packed.
    Plain(Body),
    /// It was, with gzip.
    Gzip(io::BufReader<flate2::bufread::MultiGzDecoder<Body>>),
}

#[cfg(feature = "gzip")]
impl Unpacked {
    /// Unpacks a body as the head says. Fails for a packing that was not asked for.
    pub fn new(response: crate::Response) -> Result<Unpacked, Error> {
        let packing = response.fields.get("content-encoding");
        let packing = packing.map(<[u8]>::to_ascii_lowercase);
        match packing.as_deref() {
            None | Some(b"" | b"identity") => Ok(Unpacked::Plain(response.body)),
            Some(b"gzip" | b"x-gzip") => {
                let decoder = flate2::bufread::MultiGzDecoder::new(response.body);
                Ok(Unpacked::Gzip(io::BufReader::with_capacity(
                    64 * 1024,
                    decoder,
                )))
            }
            Some(_) => Err(Error::Malformed("Unrecognized content encoding type")),
        }
    }
}

#[cfg(feature = "gzip")]
impl std::fmt::Debug for Unpacked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Unpacked")
    }
}

#[cfg(feature = "gzip")]
impl io::Read for Unpacked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Unpacked::Plain(body) => io::Read::read(body, buffer),
            Unpacked::Gzip(decoder) => decoder.read(buffer),
        }
    }
}

#[cfg(feature = "gzip")]
impl BufRead for Unpacked {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self {
            Unpacked::Plain(body) => body.fill_buf(),
            Unpacked::Gzip(decoder) => decoder.fill_buf(),
        }
    }

    fn consume(&mut self, count: usize) {
        match self {
            Unpacked::Plain(body) => body.consume(count),
            Unpacked::Gzip(decoder) => decoder.consume(count),
        }
    }
}

fn length(head: &Head) -> Result<Option<u64>, Error> {
    let mut found = None;
    for value in head.fields.all("content-length") {
        let text = std::str::from_utf8(value).unwrap_or_default();
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let length = text.parse().ok().filter(|_| is_number);
        let length: u64 = length.ok_or(Error::Malformed("Invalid Content-Length: value"))?;
        if found.is_some_and(|found| found != length) {
            return Err(Error::Malformed("Invalid Content-Length: value"));
        }
        found = Some(length);
    }
    Ok(found)
}

fn chunk_size(line: &[u8]) -> Option<u64> {
    let digits = line.split(|byte| *byte == b';').next()?.trim_ascii();
    let fits = (1..=15).contains(&digits.len()) && digits.iter().all(u8::is_ascii_hexdigit);
    let digits = std::str::from_utf8(digits).ok().filter(|_| fits)?;
    u64::from_str_radix(digits, 16).ok()
}
