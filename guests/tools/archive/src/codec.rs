//! Compression as streams: one reader and one writer over the five formats.
//!
//! A [`Reader`] decodes one stream behind another, as the programs do, and ends with an
//! [`io::Error`] that holds a [`Trouble`] where the data are not what they should be. A [`Writer`]
//! encodes; [`Writer::finish`] writes the end of the stream.

mod gzip;
mod machines;

use std::io::{self, BufRead, Read, Write};

pub(crate) use gzip::{GzipReader, GzipWriter, Header};
pub(crate) use machines::XzSettings;
use machines::{Bunzip, Bzip, Lzma, Machine, Step, Unlzma, Unzstd, Zstd};

/// How much is read or written at once.
pub(crate) const CHUNK: usize = 64 << 10;

/// A format of compressed data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// `.gz`
    Gzip,
    /// `.bz2`
    Bzip2,
    /// `.xz`
    Xz,
    /// `.lzma`
    Lzma,
    /// `.zst`
    Zstd,
}

impl Format {
    /// The format that data begin like.
    pub(crate) fn of(start: &[u8]) -> Option<Format> {
        match start {
            [0x1f, 0x8b, ..] => Some(Format::Gzip),
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Some(Format::Bzip2),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Format::Xz),
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
                Some(Format::Zstd)
            }
            // Properties, a size of a dictionary that encoders use, and a size that is unknown or
            // small.
            [0x5d, 0, 0, _, _, size @ ..] if is_lzma_size(size) => Some(Format::Lzma),
            _ => None,
        }
    }
}

fn is_lzma_size(size: &[u8]) -> bool {
    size.len() >= 8 && (size[..8] == [0xff; 8] || size[5..8] == [0; 3])
}

/// What is wrong with compressed data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// They are something else.
    NotFormat,
    /// They end in the middle.
    Truncated,
    /// They contradict themselves.
    Corrupt,
    /// A checksum is wrong.
    Checksum,
    /// A length is wrong.
    Length,
    /// They need an option that the decoder does not have.
    Unsupported,
    /// They need more memory than there is.
    Memory,
    /// Another error, in the library's words.
    Other(String),
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Trouble::NotFormat => "File format not recognized",
            Trouble::Truncated => "Unexpected end of input",
            Trouble::Corrupt | Trouble::Length => "Compressed data is corrupt",
            Trouble::Checksum => "Checksum is wrong",
            Trouble::Unsupported => "Unsupported options",
            Trouble::Memory => "Cannot allocate memory",
            Trouble::Other(text) => text,
        })
    }
}

impl std::error::Error for Trouble {}

impl From<Trouble> for io::Error {
    fn from(trouble: Trouble) -> io::Error {
        io::Error::other(trouble)
    }
}

/// The trouble in an error, if the data and not the system caused it.
pub(crate) fn trouble(error: &io::Error) -> Option<&Trouble> {
    error.get_ref()?.downcast_ref()
}

/// Decodes what an inner reader has.
pub(crate) enum Reader<R> {
    /// Deflate with gzip's headers.
    Gzip(Box<GzipReader<R>>),
    /// The others.
    Other(StreamReader<R>),
}

impl<R: BufRead> Reader<R> {
    /// Decodes `inner` as `format`.
    pub(crate) fn new(format: Format, inner: R) -> io::Result<Reader<R>> {
        let machine: Box<dyn Machine> = match format {
            Format::Gzip => return Ok(Reader::Gzip(Box::new(GzipReader::new(inner)))),
            Format::Bzip2 => Box::new(Bunzip::new()),
            Format::Xz => Box::new(Unlzma::xz()?),
            Format::Lzma => Box::new(Unlzma::lzma()?),
            Format::Zstd => Box::new(Unzstd::new()?),
        };
        Ok(Reader::Other(StreamReader::new(machine, inner)))
    }

    /// Whether something else follows the data that were read.
    pub(crate) fn has_garbage(&self) -> bool {
        match self {
            Reader::Gzip(reader) => reader.has_garbage(),
            Reader::Other(reader) => reader.garbage,
        }
    }
}

impl<R: BufRead> Read for Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Reader::Gzip(reader) => reader.read(buffer),
            Reader::Other(reader) => reader.read(buffer),
        }
    }
}

/// Decodes with a machine, one stream behind another.
pub(crate) struct StreamReader<R> {
    machine: Box<dyn Machine>,
    inner: R,
    /// Between two streams, or before the first.
    between: bool,
    first: bool,
    ended: bool,
    garbage: bool,
}

impl<R: BufRead> StreamReader<R> {
    fn new(machine: Box<dyn Machine>, inner: R) -> StreamReader<R> {
        StreamReader {
            machine,
            inner,
            between: true,
            first: true,
            ended: false,
            garbage: false,
        }
    }

    /// Whether another stream begins. A machine that joins streams itself begins once.
    fn begin(&mut self) -> io::Result<bool> {
        let length = self.machine.magic();
        let mut start = Vec::new();
        while start.len() < length {
            let more = self.inner.fill_buf()?;
            if more.is_empty() {
                break;
            }
            let taken = more.len().min(length - start.len());
            start.extend_from_slice(&more[..taken]);
            self.inner.consume(taken);
        }
        if start.is_empty() && (!self.first || self.machine.may_be_empty()) {
            return Ok(false);
        }
        if let Err(trouble) = self.machine.start(&start) {
            if self.first {
                return Err(if start.is_empty() {
                    Trouble::Truncated
                } else {
                    trouble
                }
                .into());
            }
            self.garbage = true;
            return Ok(false);
        }
        self.first = false;
        Ok(true)
    }
}

impl<R: BufRead> Read for StreamReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if self.ended {
                return Ok(0);
            }
            if self.between {
                if !self.begin()? {
                    self.ended = true;
                    continue;
                }
                self.between = false;
            }
            let input = self.inner.fill_buf()?;
            let at_end = input.is_empty();
            let step = self.machine.step(input, buffer, at_end);
            let Step { taken, made, ended } = match step {
                Ok(step) => step,
                Err(trouble) => {
                    self.ended = true;
                    return Err(trouble.into());
                }
            };
            self.inner.consume(taken);
            if ended {
                self.between = true;
                self.ended = self.machine.joins_streams();
            } else if at_end && made == 0 {
                self.ended = true;
                return Err(Trouble::Truncated.into());
            }
            if made > 0 {
                return Ok(made);
            }
        }
    }
}

/// How much effort goes into encoding.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Effort {
    /// What the program does without an option.
    Default,
    /// A level of the program's own scale.
    Level(i32),
}

impl Effort {
    fn or(self, default: i32) -> i32 {
        match self {
            Effort::Default => default,
            Effort::Level(level) => level,
        }
    }
}

/// Encodes into an inner writer.
pub(crate) enum Writer<W: Write> {
    /// Deflate with gzip's headers.
    Gzip(GzipWriter<W>),
    /// The others.
    Other(StreamWriter<W>),
}

impl<W: Write> Writer<W> {
    /// Encodes into `inner` as `format`. Fails where memory is short.
    pub(crate) fn new(format: Format, effort: Effort, inner: W) -> io::Result<Writer<W>> {
        let machine: Box<dyn Machine> = match format {
            Format::Gzip => {
                let writer = GzipWriter::new(inner, effort.or(6) as u32, &Header::default());
                return Ok(Writer::Gzip(writer));
            }
            Format::Bzip2 => Box::new(Bzip::new(effort.or(9) as u32)),
            Format::Xz => Box::new(Lzma::xz(&XzSettings::of_level(effort.or(6) as u32))?),
            Format::Lzma => Box::new(Lzma::alone(&XzSettings::of_level(effort.or(6) as u32))?),
            Format::Zstd => Box::new(Zstd::new(effort.or(3), true, None)?),
        };
        Ok(Writer::with(machine, inner))
    }

    /// Encodes as xz's program with settings.
    pub(crate) fn xz(settings: &XzSettings, inner: W) -> io::Result<Writer<W>> {
        Ok(Writer::with(Box::new(Lzma::xz(settings)?), inner))
    }

    /// Encodes as zstd's program with settings: level, whether there is a checksum, and the size of
    /// the content where it is known.
    pub(crate) fn zstd(
        level: i32,
        checksum: bool,
        size: Option<u64>,
        inner: W,
    ) -> io::Result<Writer<W>> {
        Ok(Writer::with(
            Box::new(Zstd::new(level, checksum, size)?),
            inner,
        ))
    }

    fn with(machine: Box<dyn Machine>, inner: W) -> Writer<W> {
        Writer::Other(StreamWriter {
            machine,
            inner,
            buffer: vec![0; CHUNK],
        })
    }

    /// Writes the end of the stream and returns the inner writer.
    pub(crate) fn finish(self) -> io::Result<W> {
        match self {
            Writer::Gzip(writer) => writer.finish(),
            Writer::Other(writer) => writer.finish(),
        }
    }
}

impl<W: Write> Write for Writer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Writer::Gzip(writer) => writer.write(bytes),
            Writer::Other(writer) => writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Encodes with a machine.
pub(crate) struct StreamWriter<W> {
    machine: Box<dyn Machine>,
    inner: W,
    buffer: Vec<u8>,
}

impl<W: Write> StreamWriter<W> {
    fn finish(mut self) -> io::Result<W> {
        loop {
            let step = self.machine.step(&[], &mut self.buffer, true)?;
            self.inner.write_all(&self.buffer[..step.made])?;
            if step.ended {
                return Ok(self.inner);
            }
        }
    }
}

impl<W: Write> Write for StreamWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let step = self.machine.step(rest, &mut self.buffer, false)?;
            self.inner.write_all(&self.buffer[..step.made])?;
            rest = &rest[step.taken..];
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Format; 5] = [
        Format::Gzip,
        Format::Bzip2,
        Format::Xz,
        Format::Lzma,
        Format::Zstd,
    ];

    fn encode(format: Format, data: &[u8]) -> Vec<u8> {
        let mut writer = Writer::new(format, Effort::Default, Vec::new()).unwrap();
        writer.write_all(data).unwrap();
        writer.finish().unwrap()
    }

    fn decode(format: Format, data: &[u8]) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        Reader::new(format, data)?.read_to_end(&mut out)?;
        Ok(out)
    }

    fn sample() -> Vec<u8> {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 27) as u8
        };
        (0..300_000).map(|_| next()).collect()
    }

    #[test]
    fn what_was_encoded_is_decoded() {
        for format in ALL {
            for data in [&b""[..], b"x", &sample()] {
                let encoded = encode(format, data);
                assert_eq!(decode(format, &encoded).unwrap(), data, "{format:?}");
            }
            assert_eq!(Format::of(&encode(format, b"x")), Some(format));
        }
    }

    #[test]
    fn streams_follow_each_other() {
        for format in [Format::Gzip, Format::Bzip2, Format::Xz, Format::Zstd] {
            let both = [encode(format, b"one "), encode(format, b"two")].concat();
            assert_eq!(decode(format, &both).unwrap(), b"one two", "{format:?}");
        }
    }

    #[test]
    fn a_cut_stream_is_told() {
        for format in ALL {
            let encoded = encode(format, &sample());
            for end in [1, 3, 7, 11, 20, encoded.len() / 2, encoded.len() - 1] {
                assert!(decode(format, &encoded[..end]).is_err(), "{format:?} {end}");
            }
        }
    }

    #[test]
    fn changed_bytes_never_panic() {
        for format in ALL {
            let encoded = encode(format, &sample()[..3000]);
            for at in 0..encoded.len() {
                let mut changed = encoded.clone();
                changed[at] ^= 0x15;
                // Whether it is found depends on the byte; that it ends is what counts.
                let _ = decode(format, &changed);
            }
        }
    }
}
