//! Unpacking the data of an entry.

use std::fs::File;
use std::io::{self, BufReader, Read, Write as _};

use codepod_tool::{io_text, path};

use super::console::padded;
use super::extract::{Member, Stop};
use super::later::Later;
use super::target::Target;
use super::{DISK, ERROR, Unzip};
use crate::codec::CHUNK;
use crate::system;
use crate::zipfile::{BZIPPED, Cipher, DEFLATED, STORED, shown};

/// What became of the data of an entry.
struct Unpacked {
    crc: u32,
    is_damaged: bool,
}

impl Unzip<'_> {
    /// Unpacks the data to where they go.
    pub(super) fn unpack(
        &mut self,
        input: Input<'_>,
        member: &Member<'_>,
        later: &mut Later,
    ) -> Result<(), Stop> {
        let file = match &member.target {
            Target::File(target) => Some(self.open(target)?),
            Target::Stream => None,
        };
        self.announce(member);
        let unpacked = self.copy(input, member, file)?;
        if let Target::File(target) = &member.target {
            match self.links(member) {
                true => self.settle_link(target, &member.local, later),
                false => self.settle(target, member.entry, &member.local),
            }
        }
        self.check_data(member, &unpacked)?;
        match (self.settings.quiet, self.settings.test) {
            (0, true) => self.console.out(b" OK\n"),
            (0, false) => self.console.out(b"\n"),
            _ => {}
        }
        Ok(())
    }

    /// Whether the data are the text of a symbolic link.
    fn links(&self, member: &Member<'_>) -> bool {
        self.is_link(member.entry) && member.local.plain > 0
    }

    /// Says what is done with an entry.
    fn announce(&mut self, member: &Member<'_>) {
        if self.settings.quiet > 0 {
            return;
        }
        let (entry, local) = (member.entry, &member.local);
        let name = padded(&shown(member.name()));
        if self.settings.test {
            self.console
                .out(&[b"    testing: ", &name[..], b"  "].concat());
            return;
        }
        let to_file = matches!(member.target, Target::File(_));
        let verb: &[u8] = match local.method {
            STORED if to_file && self.links(member) => b"    link",
            STORED => b" extract",
            DEFLATED => b"  inflat",
            _ => b" bunzipp",
        };
        let kind: &[u8] = match (self.settings.text, entry.internal & 1 != 0) {
            (1, _) if local.method == STORED && local.plain == 0 => b"[empty] ",
            (1, true) => b"[text]  ",
            (1, false) => b"[binary]",
            _ => b"",
        };
        let line: &[u8] = if to_file { b"" } else { b"\n" };
        self.console
            .out(&[verb, b"ing: ", &name[..], b"  ", kind, line].concat());
    }

    /// Unpacks to a file; without one to standard output, or nowhere when only testing.
    fn copy(
        &mut self,
        input: Input<'_>,
        member: &Member<'_>,
        mut file: Option<File>,
    ) -> Result<Unpacked, Stop> {
        let as_text = match self.settings.text {
            0 => false,
            1 => member.entry.internal & 1 != 0,
            _ => true,
        };
        let mut sink = Sink {
            crc: flate2::Crc::new(),
            text: as_text.then_some(false),
            buffer: Vec::new(),
        };
        let mut broken = None;
        let console = &mut *self.console;
        let test = self.settings.test;
        let mut write = |bytes: &[u8]| match &mut file {
            Some(file) => match file.write_all(bytes) {
                Ok(()) => true,
                Err(error) => {
                    broken = Some(error);
                    false
                }
            },
            None if test => true,
            None => {
                console.data(bytes);
                !console.is_broken()
            }
        };
        let unpacked = match member.local.method {
            STORED => pump(input, &mut sink, &mut write),
            DEFLATED => pump(
                flate2::bufread::DeflateDecoder::new(BufReader::with_capacity(CHUNK, input)),
                &mut sink,
                &mut write,
            ),
            _ => pump(
                bzip2::bufread::BzDecoder::new(BufReader::with_capacity(CHUNK, input)),
                &mut sink,
                &mut write,
            ),
        };
        drop(file);
        if let Some(error) = broken {
            let text = format!(":  write error ({}).\n", io_text(&error));
            self.console
                .error_line([&shown(member.name())[..], text.as_bytes()].concat());
            let _ = std::fs::remove_file(path(member.name()));
            return Err(Stop::All(DISK));
        }
        if self.console.is_broken() {
            return Err(Stop::All(DISK));
        }
        Ok(Unpacked {
            crc: sink.crc.sum(),
            is_damaged: unpacked.is_err(),
        })
    }

    /// Tells what is wrong with the data.
    fn check_data(&mut self, member: &Member<'_>, unpacked: &Unpacked) -> Result<(), Stop> {
        let silent = self.settings.quiet > 0;
        let name = shown(member.name());
        if unpacked.is_damaged {
            let how = if member.local.method == BZIPPED {
                "bunzip"
            } else {
                "inflate"
            };
            let text = match silent {
                true => [
                    format!("  error:  invalid compressed data to {how} ").as_bytes(),
                    &name,
                    b"\n",
                ]
                .concat(),
                false => format!("\n  error:  invalid compressed data to {how}\n").into_bytes(),
            };
            self.console.error(text);
            return Err(Stop::Entry(ERROR));
        }
        if unpacked.crc != member.local.crc {
            if silent {
                self.console.error([&padded(&name)[..], b" "].concat());
            }
            self.console.error(format!(
                " bad CRC {:08x}  (should be {:08x})\n",
                unpacked.crc, member.local.crc
            ));
            if member.entry.is_encrypted() {
                self.console
                    .error("    (may instead be incorrect password)\n");
            }
            return Err(Stop::Entry(ERROR));
        }
        Ok(())
    }

    /// Makes a file; one that is there goes away first.
    fn open(&mut self, target: &[u8]) -> Result<File, Stop> {
        let failed = |unzip: &mut Unzip<'_>, what: &[u8], error: &io::Error| {
            let text = format!("\n        {}\n", io_text(error));
            unzip.console.error(
                [
                    b"error:  cannot ",
                    what,
                    b" ",
                    &shown(target)[..],
                    text.as_bytes(),
                ]
                .concat(),
            );
            Stop::Entry(DISK)
        };
        if system::stat(target, false).is_ok() {
            if self.settings.backup {
                let mut backup = [target, b"~"].concat();
                let mut number = 0;
                while self.overwrite != Some(true)
                    && system::stat(&backup, true).is_ok()
                    && number < 99_999
                {
                    number += 1;
                    backup = [target, format!("~{number}").as_bytes()].concat();
                }
                std::fs::rename(path(target), path(&backup))
                    .map_err(|error| failed(self, b"rename old", &error))?;
            } else {
                std::fs::remove_file(path(target))
                    .map_err(|error| failed(self, b"delete old", &error))?;
            }
        }
        system::create_new(target).map_err(|error| failed(self, b"create", &error))
    }
}

/// The packed data of an entry.
pub(super) struct Input<'a> {
    pub(super) inner: io::Take<BufReader<&'a File>>,
    pub(super) cipher: Option<Cipher>,
}

impl Read for Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        if let Some(cipher) = &mut self.cipher {
            cipher.decrypt(&mut buffer[..read]);
        }
        Ok(read)
    }
}

/// The checksum of what passes, and lines as Unix ends them.
struct Sink {
    crc: flate2::Crc,
    /// For text: whether the last byte was a carriage return.
    text: Option<bool>,
    buffer: Vec<u8>,
}

impl Sink {
    fn pass<'a>(&'a mut self, bytes: &'a [u8]) -> &'a [u8] {
        self.crc.update(bytes);
        let Some(after_return) = &mut self.text else {
            return bytes;
        };
        self.buffer.clear();
        for &byte in bytes {
            match byte {
                b'\r' => self.buffer.push(b'\n'),
                b'\n' if *after_return => {}
                // The end of text, to DOS.
                0x1a => {}
                _ => self.buffer.push(byte),
            }
            *after_return = byte == b'\r';
        }
        &self.buffer
    }
}

/// Unpacks to the end. Fails where the data are damaged; stops where nothing can be written.
fn pump(
    mut from: impl Read,
    sink: &mut Sink,
    write: &mut impl FnMut(&[u8]) -> bool,
) -> io::Result<()> {
    let mut buffer = vec![0; CHUNK];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(read) => {
                if !write(sink.pass(&buffer[..read])) {
                    return Ok(());
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
