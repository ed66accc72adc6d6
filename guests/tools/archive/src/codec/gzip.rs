//! Gzip: a header, deflate, and what guards it; any number of them one behind another.

use std::io::{self, BufRead, Read, Write};

use flate2::{Compress, Compression, Crc, Decompress, FlushCompress, FlushDecompress, Status};

use super::{CHUNK, Trouble};

const HAS_HEADER_CHECK: u8 = 2;
const HAS_EXTRA: u8 = 4;
const HAS_NAME: u8 = 8;
const HAS_COMMENT: u8 = 16;

/// What the header says beside the format.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Header {
    /// The name of the file, without its directory.
    pub(crate) name: Option<Vec<u8>>,
    /// When it was changed, in seconds since 1970; 0 for unknown.
    pub(crate) modified: u32,
}

/// Decodes gzip.
pub(crate) struct GzipReader<R> {
    inner: R,
    inflate: Decompress,
    check: Crc,
    header: Header,
    state: State,
    garbage: bool,
    members: u64,
    /// What guards the last member: its checksum and length.
    last: (u32, u32),
    /// Bytes of the last header and of what ends a member.
    overhead: u64,
    /// What is wrong behind the bytes that were handed out last.
    failed: Option<io::Error>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Before,
    Inside,
    Ended,
}

impl<R: BufRead> GzipReader<R> {
    /// Decodes `inner`.
    pub(crate) fn new(inner: R) -> GzipReader<R> {
        GzipReader {
            inner,
            inflate: Decompress::new(false),
            check: Crc::new(),
            header: Header::default(),
            state: State::Before,
            garbage: false,
            members: 0,
            last: (0, 0),
            overhead: 0,
            failed: None,
        }
    }

    /// Whether something else follows.
    pub(crate) fn has_garbage(&self) -> bool {
        self.garbage
    }

    /// The header of the first member. Reads it if nothing was read yet.
    pub(crate) fn header(&mut self) -> io::Result<&Header> {
        if self.state == State::Before && self.members == 0 {
            self.begin()?;
        }
        Ok(&self.header)
    }

    /// The checksum and the length that the last member ended with.
    pub(crate) fn last(&self) -> (u32, u32) {
        self.last
    }

    /// How many bytes of the last member are its header and its end.
    pub(crate) fn overhead(&self) -> u64 {
        self.overhead
    }

    fn byte(&mut self) -> io::Result<u8> {
        let byte = *self.inner.fill_buf()?.first().ok_or(Trouble::Truncated)?;
        self.inner.consume(1);
        self.overhead += 1;
        Ok(byte)
    }

    fn number(&mut self) -> io::Result<u32> {
        let mut bytes = [0; 4];
        for byte in &mut bytes {
            *byte = self.byte()?;
        }
        Ok(u32::from_le_bytes(bytes))
    }

    /// Bytes up to a zero. More than a name can have is data gone wrong.
    fn text(&mut self) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        loop {
            match self.byte()? {
                0 => return Ok(text),
                byte if text.len() < 1 << 16 => text.push(byte),
                _ => {}
            }
        }
    }

    /// Whether there is another member; its header is read then.
    fn begin(&mut self) -> io::Result<bool> {
        let first = self.members == 0;
        let start = self.inner.fill_buf()?;
        if start.is_empty() {
            return if first {
                Err(Trouble::Truncated.into())
            } else {
                Ok(false)
            };
        }
        if !first && start[0] == 0 {
            return self.skip_zeros();
        }
        self.overhead = 0;
        if self.byte()? != 0x1f {
            return self.not_a_member(first);
        }
        match self.byte() {
            Ok(0x8b) => {}
            Ok(_) => return self.not_a_member(first),
            Err(error) if first => return Err(error),
            Err(_) => return self.not_a_member(first),
        }
        if self.byte()? != 8 {
            return Err(Trouble::Unsupported.into());
        }
        let flags = self.byte()?;
        let modified = self.number()?;
        self.byte()?;
        self.byte()?;
        if flags & HAS_EXTRA != 0 {
            let length = u16::from_le_bytes([self.byte()?, self.byte()?]);
            for _ in 0..length {
                self.byte()?;
            }
        }
        let name = if flags & HAS_NAME != 0 {
            Some(self.text()?)
        } else {
            None
        };
        if flags & HAS_COMMENT != 0 {
            self.text()?;
        }
        if flags & HAS_HEADER_CHECK != 0 {
            self.byte()?;
            self.byte()?;
        }
        if first {
            self.header = Header { name, modified };
        }
        self.members += 1;
        self.inflate.reset(false);
        self.check.reset();
        self.state = State::Inside;
        Ok(true)
    }

    /// Zeros fill up what tapes leave; anything else behind them is garbage.
    fn skip_zeros(&mut self) -> io::Result<bool> {
        loop {
            let rest = self.inner.fill_buf()?;
            if rest.is_empty() {
                return Ok(false);
            }
            if rest.iter().any(|byte| *byte != 0) {
                self.garbage = true;
                return Ok(false);
            }
            let length = rest.len();
            self.inner.consume(length);
        }
    }

    fn not_a_member(&mut self, first: bool) -> io::Result<bool> {
        if first {
            return Err(Trouble::NotFormat.into());
        }
        self.garbage = true;
        Ok(false)
    }

    fn end(&mut self) -> io::Result<()> {
        let check = self.number()?;
        let length = self.number()?;
        self.last = (check, length);
        self.state = State::Before;
        if check != self.check.sum() {
            return Err(Trouble::Checksum.into());
        }
        if length != self.check.amount() {
            return Err(Trouble::Length.into());
        }
        Ok(())
    }
}

impl<R: BufRead> Read for GzipReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        loop {
            match self.state {
                State::Ended => return Ok(0),
                State::Before => {
                    if !self.begin()? {
                        self.state = State::Ended;
                    }
                    continue;
                }
                State::Inside => {}
            }
            let input = self.inner.fill_buf()?;
            let at_end = input.is_empty();
            let before = (self.inflate.total_in(), self.inflate.total_out());
            let status = self
                .inflate
                .decompress(input, buffer, FlushDecompress::None)
                .map_err(|_| Trouble::Corrupt)?;
            let taken = (self.inflate.total_in() - before.0) as usize;
            let made = (self.inflate.total_out() - before.1) as usize;
            self.inner.consume(taken);
            self.check.update(&buffer[..made]);
            if status == Status::StreamEnd {
                match self.end() {
                    Err(error) if made > 0 => self.failed = Some(error),
                    result => result?,
                }
            } else if at_end && made == 0 {
                return Err(Trouble::Truncated.into());
            }
            if made > 0 {
                return Ok(made);
            }
        }
    }
}

/// Encodes gzip.
pub(crate) struct GzipWriter<W> {
    inner: W,
    deflate: Compress,
    check: Crc,
    buffer: Vec<u8>,
    /// The header, until something is written.
    header: Vec<u8>,
}

impl<W: Write> GzipWriter<W> {
    /// Encodes into `inner` at a level from 1 to 9.
    pub(crate) fn new(inner: W, level: u32, header: &Header) -> GzipWriter<W> {
        let mut bytes = vec![0x1f, 0x8b, 8, 0];
        if header.name.is_some() {
            bytes[3] |= HAS_NAME;
        }
        bytes.extend_from_slice(&header.modified.to_le_bytes());
        bytes.push(match level {
            9 => 2,
            1 => 4,
            _ => 0,
        });
        bytes.push(3);
        if let Some(name) = &header.name {
            bytes.extend(name.iter().take_while(|byte| **byte != 0));
            bytes.push(0);
        }
        GzipWriter {
            inner,
            deflate: Compress::new(Compression::new(level.min(9)), false),
            check: Crc::new(),
            buffer: vec![0; CHUNK],
            header: bytes,
        }
    }

    fn start(&mut self) -> io::Result<()> {
        let header = std::mem::take(&mut self.header);
        self.inner.write_all(&header)
    }

    fn step(&mut self, input: &[u8], flush: FlushCompress) -> io::Result<(usize, Status)> {
        let before = (self.deflate.total_in(), self.deflate.total_out());
        let status = self
            .deflate
            .compress(input, &mut self.buffer, flush)
            .map_err(|_| Trouble::Corrupt)?;
        let made = (self.deflate.total_out() - before.1) as usize;
        self.inner.write_all(&self.buffer[..made])?;
        Ok(((self.deflate.total_in() - before.0) as usize, status))
    }

    /// Writes the end of the stream and returns the inner writer.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.start()?;
        while self.step(&[], FlushCompress::Finish)?.1 != Status::StreamEnd {}
        self.inner.write_all(&self.check.sum().to_le_bytes())?;
        self.inner.write_all(&self.check.amount().to_le_bytes())?;
        Ok(self.inner)
    }
}

impl<W: Write> Write for GzipWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.start()?;
        self.check.update(bytes);
        let mut rest = bytes;
        while !rest.is_empty() {
            let (taken, _) = self.step(rest, FlushCompress::None)?;
            rest = &rest[taken..];
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
