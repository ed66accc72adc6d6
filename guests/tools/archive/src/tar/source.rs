//! The archive as a stream: from a file or standard input, and decompressed.

use std::io::{self, BufRead, BufReader, Read};

use codepod_tool::{complain, io_text};

use super::reader::Bad;
use super::settings::Settings;
use super::{Fatal, Run, about};
use crate::codec::{CHUNK, Format, Reader, Trouble, trouble};
use crate::system;

/// The stream that entries are read from.
pub(crate) struct Source {
    inner: Inner,
    compressed: Option<Format>,
    from_stdin: bool,
}

enum Inner {
    Plain(BufReader<Box<dyn Read>>),
    Packed(BufReader<Reader<BufReader<Box<dyn Read>>>>),
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.inner {
            Inner::Plain(inner) => inner.read(buffer),
            Inner::Packed(inner) => inner.read(buffer),
        }
    }
}

/// Compression by the end of a name.
pub(crate) fn by_suffix(name: &[u8]) -> Option<Format> {
    let dot = name.iter().rposition(|byte| *byte == b'.')?;
    Some(match &name[dot + 1..] {
        b"gz" | b"tgz" | b"taz" => Format::Gzip,
        b"bz2" | b"tbz" | b"tbz2" | b"tb2" | b"tz2" => Format::Bzip2,
        b"xz" | b"txz" => Format::Xz,
        b"lzma" | b"tlz" => Format::Lzma,
        b"zst" | b"tzst" => Format::Zstd,
        _ => return None,
    })
}

/// Opens the archive to read it.
pub(crate) fn open(settings: &Settings, run: &mut Run) -> Result<Source, Fatal> {
    let from_stdin = settings.archive == b"-";
    let file: Box<dyn Read> = if from_stdin {
        if io::IsTerminal::is_terminal(&io::stdin()) {
            complain(
                "tar",
                "Refusing to read archive contents from terminal (missing -f option?)",
            );
            return Err(Fatal::Told);
        }
        Box::new(io::stdin())
    } else {
        match system::open(&settings.archive) {
            Ok(file) => {
                if system::stat_open(&file).is_ok_and(|meta| meta.is_directory()) {
                    complain(
                        "tar",
                        about(&settings.archive, "Cannot read: Is a directory"),
                    );
                    complain("tar", "At beginning of tape, quitting now");
                    return Err(Fatal::Told);
                }
                Box::new(file)
            }
            Err(error) => {
                let text = format!("Cannot open: {}", io_text(&error));
                // Where it is told how to decompress, GNU's tar has a child that opens the archive.
                if settings.compression.is_some() {
                    complain("tar (child)", about(&settings.archive, text));
                    complain("tar (child)", "Error is not recoverable: exiting now");
                    complain("tar", "Child returned status 2");
                } else {
                    complain("tar", about(&settings.archive, text));
                }
                return Err(Fatal::Told);
            }
        }
    };
    let mut plain = BufReader::with_capacity(CHUNK, file);
    if let Some((format, _)) = settings.compression {
        return packed(plain, format);
    }
    let start = match fill(&mut plain) {
        Ok(start) => start,
        Err(error) => {
            complain(
                "tar",
                about(
                    &settings.archive,
                    format!("Cannot read: {}", io_text(&error)),
                ),
            );
            complain("tar", "At beginning of tape, quitting now");
            return Err(Fatal::Told);
        }
    };
    let found = Format::of(&start).filter(|_| !looks_like_tar(&start));
    match found {
        Some(format) if from_stdin => {
            let option = match format {
                Format::Gzip => "-z",
                Format::Bzip2 => "-j",
                Format::Xz => "-J",
                Format::Lzma => "--lzma",
                Format::Zstd => "--zstd",
            };
            complain("tar", format!("Archive is compressed. Use {option} option"));
            Err(Fatal::Told)
        }
        Some(format) => packed(plain, format),
        None => {
            if start.len() < 512 {
                run.error("This does not look like a tar archive");
            }
            Ok(Source {
                inner: Inner::Plain(plain),
                compressed: None,
                from_stdin,
            })
        }
    }
}

/// At least a block, if there is one, without taking it.
fn fill(plain: &mut BufReader<Box<dyn Read>>) -> io::Result<Vec<u8>> {
    Ok(plain.fill_buf()?.to_vec())
}

fn looks_like_tar(start: &[u8]) -> bool {
    start.len() >= 512 && &start[257..262] == b"ustar"
}

fn packed(plain: BufReader<Box<dyn Read>>, format: Format) -> Result<Source, Fatal> {
    let reader = Reader::new(format, plain)
        .map_err(|error| Fatal::Output(format!("Cannot start: {}", io_text(&error))))?;
    Ok(Source {
        inner: Inner::Packed(BufReader::with_capacity(CHUNK, reader)),
        compressed: Some(format),
        from_stdin: false,
    })
}

impl Source {
    /// Reads what is behind the archive's end, so that errors of the compression are found. A
    /// broken one is told.
    pub(crate) fn finish(&mut self) -> Result<(), Fatal> {
        let reader = match &mut self.inner {
            Inner::Packed(reader) => reader,
            Inner::Plain(inner) => {
                // Who writes into a pipe is not to be killed for what nobody needs.
                if self.from_stdin {
                    let _ = crate::files::drain(inner);
                }
                return Ok(());
            }
        };
        let result = crate::files::drain(reader);
        let garbage = reader.get_ref().has_garbage();
        match result {
            Ok(_) => {
                if garbage && self.compressed == Some(Format::Gzip) {
                    eprintln!("\ngzip: stdin: decompression OK, trailing garbage ignored");
                    complain("tar", "Child returned status 2");
                    return Err(Fatal::Told);
                }
                Ok(())
            }
            Err(error) => Err(self.broken(&error)),
        }
    }

    /// Tells why reading failed.
    pub(crate) fn failed(&self, bad: &Bad) -> Fatal {
        match bad {
            Bad::Truncated => {
                complain("tar", "Unexpected EOF in archive");
                Fatal::Told
            }
            Bad::Io(error) => self.broken(error),
        }
    }

    /// What the program of the format would say, and then tar.
    fn broken(&self, error: &io::Error) -> Fatal {
        let Some(trouble) = trouble(error) else {
            complain("tar", format!("Cannot read: {}", io_text(error)));
            return Fatal::Told;
        };
        let text = match (self.compressed, trouble) {
            (Some(Format::Gzip), Trouble::NotFormat) => "\ngzip: stdin: not in gzip format".to_owned(),
            (Some(Format::Gzip), Trouble::Truncated) => "\ngzip: stdin: unexpected end of file".to_owned(),
            (Some(Format::Gzip), Trouble::Checksum) => "\ngzip: stdin: invalid compressed data--crc error".to_owned(),
            (Some(Format::Gzip), Trouble::Length) => "\ngzip: stdin: invalid compressed data--length error".to_owned(),
            (Some(Format::Gzip), _) => "\ngzip: stdin: invalid compressed data--format violated".to_owned(),
            (Some(Format::Bzip2), Trouble::NotFormat) => "bzip2: (stdin) is not a bzip2 file.".to_owned(),
            (Some(Format::Bzip2), Trouble::Truncated) => {
                "\nbzip2: Compressed file ends unexpectedly;\n\tperhaps it is corrupted?  *Possible* reason follows.".to_owned()
            }
            (Some(Format::Bzip2), _) => "\nbzip2: Data integrity error when decompressing.".to_owned(),
            (Some(Format::Zstd), Trouble::NotFormat) => "zstd: /*stdin*\\: unsupported format ".to_owned(),
            (Some(Format::Zstd), Trouble::Truncated) => "/*stdin*\\ : Read error (39) : premature end ".to_owned(),
            (Some(Format::Zstd), other) => format!("/*stdin*\\ : Decoding error (36) : {other} "),
            (Some(Format::Lzma), other) => format!("lzma: (stdin): {other}"),
            (_, other) => format!("xz: (stdin): {other}"),
        };
        eprintln!("{text}");
        let status = if self.compressed == Some(Format::Bzip2) {
            2
        } else {
            1
        };
        complain("tar", format!("Child returned status {status}"));
        Fatal::Told
    }
}
