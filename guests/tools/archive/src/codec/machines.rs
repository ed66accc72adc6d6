//! The libraries behind one face: bytes in, bytes out, one step at a time.

use ::bzip2::{
    Action as BzipAction, Compress as BzipCompress, Decompress as BzipDecompress,
    Status as BzipStatus,
};
use ::zstd::stream::raw::{CParameter, Decoder, Encoder, InBuffer, Operation, OutBuffer};
use liblzma::stream::{self as lzma, Action, Check, LzmaOptions, Status};

use super::Trouble;

/// What a step did.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    /// Bytes of the input that were used.
    pub(crate) taken: usize,
    /// Bytes of the output that were made.
    pub(crate) made: usize,
    /// Whether the stream has ended.
    pub(crate) ended: bool,
}

/// An encoder or decoder of streams.
pub(crate) trait Machine {
    /// Does as much as input and output allow. With `finish` there is no more input.
    fn step(&mut self, input: &[u8], output: &mut [u8], finish: bool) -> Result<Step, Trouble>;

    /// How many bytes [`Machine::start`] has to see.
    fn magic(&self) -> usize {
        0
    }

    /// Begins a stream that starts with these bytes; fails when it does not look like one.
    fn start(&mut self, _start: &[u8]) -> Result<(), Trouble> {
        Ok(())
    }

    /// Whether the machine itself goes on to the stream behind.
    fn joins_streams(&self) -> bool {
        false
    }

    /// Whether no bytes at all are a stream.
    fn may_be_empty(&self) -> bool {
        false
    }
}

/// Decodes bzip2.
pub(crate) struct Bunzip(BzipDecompress);

impl Bunzip {
    /// For the first stream.
    pub(crate) fn new() -> Bunzip {
        Bunzip(BzipDecompress::new(false))
    }
}

impl Machine for Bunzip {
    fn magic(&self) -> usize {
        4
    }

    fn start(&mut self, start: &[u8]) -> Result<(), Trouble> {
        match start {
            [b'B', b'Z', b'h', b'1'..=b'9'] => {
                self.0 = BzipDecompress::new(false);
                let mut nothing = [0; 1];
                self.0
                    .decompress(start, &mut nothing)
                    .map(drop)
                    .map_err(|_| Trouble::NotFormat)
            }
            short if short.len() < 4 && b"BZh9".starts_with(short) => Err(Trouble::Truncated),
            _ => Err(Trouble::NotFormat),
        }
    }

    fn step(&mut self, input: &[u8], output: &mut [u8], _finish: bool) -> Result<Step, Trouble> {
        let before = (self.0.total_in(), self.0.total_out());
        let status = self
            .0
            .decompress(input, output)
            .map_err(|error| match error {
                ::bzip2::Error::DataMagic => Trouble::NotFormat,
                _ => Trouble::Corrupt,
            })?;
        Ok(Step {
            taken: (self.0.total_in() - before.0) as usize,
            made: (self.0.total_out() - before.1) as usize,
            ended: status == BzipStatus::StreamEnd,
        })
    }
}

/// Encodes bzip2.
pub(crate) struct Bzip(BzipCompress);

impl Bzip {
    /// With blocks of `level` times 100,000 bytes.
    pub(crate) fn new(level: u32) -> Bzip {
        Bzip(BzipCompress::new(
            ::bzip2::Compression::new(level.clamp(1, 9)),
            30,
        ))
    }
}

impl Machine for Bzip {
    fn step(&mut self, input: &[u8], output: &mut [u8], finish: bool) -> Result<Step, Trouble> {
        let before = (self.0.total_in(), self.0.total_out());
        let action = if finish {
            BzipAction::Finish
        } else {
            BzipAction::Run
        };
        let status = self
            .0
            .compress(input, output, action)
            .map_err(|_| Trouble::Corrupt)?;
        Ok(Step {
            taken: (self.0.total_in() - before.0) as usize,
            made: (self.0.total_out() - before.1) as usize,
            ended: status == BzipStatus::StreamEnd,
        })
    }
}

fn lzma_trouble(error: lzma::Error) -> Trouble {
    match error {
        lzma::Error::Data => Trouble::Corrupt,
        lzma::Error::Format => Trouble::NotFormat,
        lzma::Error::Mem | lzma::Error::MemLimit => Trouble::Memory,
        lzma::Error::Options | lzma::Error::UnsupportedCheck | lzma::Error::NoCheck => {
            Trouble::Unsupported
        }
        lzma::Error::Program => Trouble::Other("Internal error (bug)".into()),
    }
}

fn lzma_step(
    stream: &mut lzma::Stream,
    input: &[u8],
    output: &mut [u8],
    finish: bool,
) -> Result<Step, Trouble> {
    let before = (stream.total_in(), stream.total_out());
    let action = if finish { Action::Finish } else { Action::Run };
    let status = stream
        .process(input, output, action)
        .map_err(lzma_trouble)?;
    Ok(Step {
        taken: (stream.total_in() - before.0) as usize,
        made: (stream.total_out() - before.1) as usize,
        ended: status == Status::StreamEnd,
    })
}

/// Decodes xz or lzma.
pub(crate) struct Unlzma {
    stream: lzma::Stream,
    joins: bool,
}

/// The most memory that a decoder takes: what the highest level needs, with room.
const DECODER_MEMORY: u64 = 192 << 20;

impl Unlzma {
    /// Streams of xz, one behind another.
    pub(crate) fn xz() -> Result<Unlzma, Trouble> {
        let stream = lzma::Stream::new_stream_decoder(DECODER_MEMORY, lzma::CONCATENATED);
        stream
            .map(|stream| Unlzma {
                stream,
                joins: true,
            })
            .map_err(lzma_trouble)
    }

    /// One stream of the older format.
    pub(crate) fn lzma() -> Result<Unlzma, Trouble> {
        let stream = lzma::Stream::new_lzma_decoder(DECODER_MEMORY);
        stream
            .map(|stream| Unlzma {
                stream,
                joins: true,
            })
            .map_err(lzma_trouble)
    }
}

impl Machine for Unlzma {
    fn joins_streams(&self) -> bool {
        self.joins
    }

    fn start(&mut self, _start: &[u8]) -> Result<(), Trouble> {
        Ok(())
    }

    fn step(&mut self, input: &[u8], output: &mut [u8], finish: bool) -> Result<Step, Trouble> {
        lzma_step(&mut self.stream, input, output, finish)
    }
}

/// How xz encodes.
#[derive(Debug, Clone)]
pub(crate) struct XzSettings {
    /// 0 to 9.
    pub(crate) level: u32,
    /// Slower and sometimes smaller.
    pub(crate) extreme: bool,
    /// What guards the content.
    pub(crate) check: Check,
}

impl XzSettings {
    /// A level and the usual check.
    pub(crate) fn of_level(level: u32) -> XzSettings {
        XzSettings {
            level,
            extreme: false,
            check: Check::Crc64,
        }
    }

    fn preset(&self) -> u32 {
        self.level.min(9)
            | if self.extreme {
                lzma::PRESET_EXTREME
            } else {
                0
            }
    }
}

/// Encodes xz or lzma.
pub(crate) struct Lzma(lzma::Stream);

impl Lzma {
    /// A stream of xz. The highest levels want more memory than a process may have: the dictionary
    /// gets smaller until it fits. Fails where memory is short even then.
    pub(crate) fn xz(settings: &XzSettings) -> Result<Lzma, Trouble> {
        let stream = lzma::Stream::new_easy_encoder(settings.preset(), settings.check);
        if !matches!(stream, Err(lzma::Error::Mem)) {
            return stream.map(Lzma).map_err(lzma_trouble);
        }
        let mut options = LzmaOptions::new_preset(settings.preset()).map_err(lzma_trouble)?;
        for dictionary in [32 << 20, 16 << 20, 8 << 20] {
            options.dict_size(dictionary);
            let mut filters = lzma::Filters::new();
            filters.lzma2(&options);
            if let Ok(stream) = lzma::Stream::new_stream_encoder(&filters, settings.check) {
                return Ok(Lzma(stream));
            }
        }
        Err(Trouble::Memory)
    }

    /// A stream of the older format. Fails where memory is short.
    pub(crate) fn alone(settings: &XzSettings) -> Result<Lzma, Trouble> {
        let options = LzmaOptions::new_preset(settings.preset()).map_err(lzma_trouble)?;
        lzma::Stream::new_lzma_encoder(&options)
            .map(Lzma)
            .map_err(lzma_trouble)
    }
}

impl Machine for Lzma {
    fn step(&mut self, input: &[u8], output: &mut [u8], finish: bool) -> Result<Step, Trouble> {
        lzma_step(&mut self.0, input, output, finish)
    }
}

/// Decodes zstd.
pub(crate) struct Unzstd {
    decoder: Decoder<'static>,
    /// The first bytes of a frame, which the reader took to look at them.
    held: Vec<u8>,
    started: bool,
}

impl Unzstd {
    /// For the first frame.
    pub(crate) fn new() -> Result<Unzstd, Trouble> {
        let decoder = Decoder::new().map_err(|error| Trouble::Other(error.to_string()))?;
        Ok(Unzstd {
            decoder,
            held: Vec::new(),
            started: false,
        })
    }
}

impl Machine for Unzstd {
    fn magic(&self) -> usize {
        4
    }

    fn may_be_empty(&self) -> bool {
        false
    }

    fn start(&mut self, start: &[u8]) -> Result<(), Trouble> {
        match start {
            [0x28, 0xb5, 0x2f, 0xfd] | [0x50..=0x5f, 0x2a, 0x4d, 0x18] => {
                self.held = start.to_vec();
                self.started = true;
                self.decoder
                    .reinit()
                    .map_err(|error| Trouble::Other(error.to_string()))
            }
            short if short.len() < 4 => Err(Trouble::NotFormat),
            _ => Err(Trouble::NotFormat),
        }
    }

    fn step(&mut self, input: &[u8], output: &mut [u8], _finish: bool) -> Result<Step, Trouble> {
        if !self.held.is_empty() {
            let held = std::mem::take(&mut self.held);
            let mut from = InBuffer::around(&held);
            let mut to = OutBuffer::around(&mut *output);
            self.decoder.run(&mut from, &mut to).map_err(zstd_trouble)?;
        }
        let mut from = InBuffer::around(input);
        let mut to = OutBuffer::around(output);
        let left = self.decoder.run(&mut from, &mut to).map_err(zstd_trouble)?;
        Ok(Step {
            taken: from.pos(),
            made: to.pos(),
            ended: left == 0,
        })
    }
}

fn zstd_trouble(error: std::io::Error) -> Trouble {
    let text = error.to_string();
    if text.contains("checksum") {
        return Trouble::Checksum;
    }
    Trouble::Other(text)
}

/// Encodes zstd.
pub(crate) struct Zstd(Encoder<'static>);

impl Zstd {
    /// At a level, with or without a checksum, with the size of the content where it is known.
    /// Fails where memory is short.
    pub(crate) fn new(level: i32, checksum: bool, size: Option<u64>) -> Result<Zstd, Trouble> {
        let other = |error: std::io::Error| Trouble::Other(error.to_string());
        let mut encoder = Encoder::new(level).map_err(other)?;
        encoder
            .set_parameter(CParameter::ChecksumFlag(checksum))
            .map_err(other)?;
        if size.is_some() {
            encoder.set_pledged_src_size(size).map_err(other)?;
        }
        Ok(Zstd(encoder))
    }
}

impl Machine for Zstd {
    fn step(&mut self, input: &[u8], output: &mut [u8], finish: bool) -> Result<Step, Trouble> {
        let other = |error: std::io::Error| Trouble::Other(error.to_string());
        let mut to = OutBuffer::around(output);
        if finish {
            let left = self.0.finish(&mut to, true).map_err(other)?;
            return Ok(Step {
                taken: 0,
                made: to.pos(),
                ended: left == 0,
            });
        }
        let mut from = InBuffer::around(input);
        self.0.run(&mut from, &mut to).map_err(other)?;
        Ok(Step {
            taken: from.pos(),
            made: to.pos(),
            ended: false,
        })
    }
}
