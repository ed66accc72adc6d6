//! The bytes of a file.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

use super::{Copier, Item, Outcome, Sparse, failure};
use crate::system::{self, Errno, Stat};

/// How much is read at a time.
const BUFFER: usize = 256 << 10;
/// The least that becomes a hole.
const BLOCK: usize = 4 << 10;

impl Copier<'_> {
    /// Copies all that can be read.
    pub(super) fn content(
        &mut self,
        item: &Item,
        stat: &Stat,
        from: &mut File,
        to: &mut File,
    ) -> Outcome<()> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.resize(BUFFER, 0);
        let mut writer = Writer {
            to,
            skips: self.makes_holes(stat),
            hole: 0,
        };
        let result = copy(from, &mut writer, &mut buffer);
        self.buffer = buffer;
        result.map_err(|error| match error {
            Failure::Reading(errno) => failure("error reading", &item.from, errno),
            Failure::Writing(errno) => failure("error writing", &item.to, errno),
        })
    }

    fn makes_holes(&self, stat: &Stat) -> bool {
        let is_file = stat.mode & system::mode::TYPE_MASK == system::mode::REGULAR;
        match self.settings.sparse {
            Sparse::Never => false,
            Sparse::Always => true,
            // Fewer blocks than bytes: it has holes itself.
            Sparse::Auto => is_file && stat.blocks.saturating_mul(512) < stat.size,
        }
    }
}

enum Failure {
    Reading(Errno),
    Writing(Errno),
}

fn copy(from: &mut File, writer: &mut Writer<'_>, buffer: &mut [u8]) -> Result<(), Failure> {
    if writer.skips {
        // What cannot be sought gets its zeros written.
        let is_file = writer.to.metadata().is_ok_and(|found| found.is_file());
        writer.skips = is_file && writer.to.stream_position().is_ok();
    }
    loop {
        match from.read(buffer) {
            Ok(0) => break,
            Ok(count) => writer.put(&buffer[..count])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Failure::Reading(system::errno(&error))),
        }
    }
    writer.finish()
}

/// Writes a file, with holes for zeros if it may.
struct Writer<'a> {
    to: &'a mut File,
    skips: bool,
    /// Zeros that were not written yet.
    hole: u64,
}

impl Writer<'_> {
    fn put(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        if !self.skips {
            return self.write(bytes);
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            let zeros = blocks(rest, true);
            self.hole += zeros as u64;
            let data = blocks(&rest[zeros..], false);
            if data > 0 {
                self.seek()?;
                self.write(&rest[zeros..zeros + data])?;
            }
            rest = &rest[zeros + data..];
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.to.write_all(bytes).map_err(writing)
    }

    /// Passes over the zeros.
    fn seek(&mut self) -> Result<(), Failure> {
        let hole = std::mem::take(&mut self.hole);
        if hole > 0 {
            self.to
                .seek(SeekFrom::Current(hole.cast_signed()))
                .map_err(writing)?;
        }
        Ok(())
    }

    /// A hole at the end counts for the size.
    fn finish(&mut self) -> Result<(), Failure> {
        if self.hole > 0 {
            self.seek()?;
            let size = self.to.stream_position().map_err(writing)?;
            self.to.set_len(size).map_err(writing)?;
        }
        Ok(())
    }
}

fn writing(error: io::Error) -> Failure {
    Failure::Writing(system::errno(&error))
}

/// The length of the blocks at the beginning that are all zeros, or that are not.
fn blocks(bytes: &[u8], zeros: bool) -> usize {
    let is_zero = |block: &[u8]| block.iter().all(|byte| *byte == 0);
    let count = bytes
        .chunks(BLOCK)
        .take_while(|block| is_zero(block) == zeros)
        .count();
    bytes.len().min(count * BLOCK)
}
