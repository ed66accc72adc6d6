//! Writing an archive: beside the old one, which it replaces when it is complete.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};

use codepod_datetime::Zone;
use codepod_tool::{io_text, path};

use super::gather::Candidate;
use super::plan::{Fate, Plan};
use super::settings::{Action, Method, Settings};
use super::{Failure, Messages, Old, display};
use crate::codec::CHUNK;
use crate::files::{Counted, write_stdout};
use crate::system::{self, DIRECTORY, Meta, Moment, SYMLINK};
use crate::zipfile::{
    BZIPPED, CIPHER_HEADER, Cipher, DEFLATED, Entry, LOCAL, Local, STORED, dos_of, end_bytes,
};

/// Files up to this size are stored where packing does not make them smaller.
const SMALL: usize = 0x7fff;
/// Sizes that the records hold.
const LARGEST: u64 = u32::MAX as u64 - 1;

/// A run.
pub(crate) struct Work<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) out: &'a mut Messages,
    pub(crate) zone: &'a Zone,
    /// Files and bytes that could not be read.
    pub(crate) bad: (u64, u64),
    /// Files and bytes that were.
    pub(crate) read: (u64, u64),
}

/// Where the archive goes.
enum Sink {
    File(BufWriter<File>),
    Stdout,
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Sink::File(file) => file.write(bytes),
            Sink::Stdout => write_stdout(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::File(file) => file.flush(),
            Sink::Stdout => Ok(()),
        }
    }
}

type Archive = Counted<Sink>;

/// Why a file is not in the archive.
enum Trouble {
    /// It could not be opened.
    Open(io::Error),
    /// The archive could not be written.
    Fatal(Failure),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Trouble {
        Trouble::Fatal(failure)
    }
}

impl Work<'_> {
    /// Writes the archive. Returns the files that are in it now: path, and whether it is a
    /// directory.
    pub(crate) fn write(
        &mut self,
        name: &[u8],
        target: &[u8],
        old: &Old,
        plan: Plan,
        to_stdout: bool,
    ) -> Result<Vec<(Vec<u8>, bool)>, Failure> {
        if to_stdout {
            let mut archive = Counted::new(Sink::Stdout);
            return self.fill(&mut archive, name, old, plan, true);
        }
        let temporary = temporary(target);
        let file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(path(&temporary))
            .map_err(|error| Failure::io(15, "Could not create output file", &error, target))?;
        let mut archive = Counted::new(Sink::File(BufWriter::with_capacity(CHUNK, file)));
        let streamed = self.settings.descriptors;
        let result = self
            .fill(&mut archive, name, old, plan, streamed)
            .and_then(|written| {
                if self.settings.test {
                    self.test(&temporary, name)?;
                }
                self.replace(&temporary, target, old)?;
                Ok(written)
            });
        if result.is_err() {
            // It was made a moment ago; if it is gone, all the better.
            let _ = std::fs::remove_file(path(&temporary));
        }
        result
    }

    fn test(&mut self, temporary: &[u8], name: &[u8]) -> Result<(), Failure> {
        let quiet = ["-tqq".as_bytes().to_vec()];
        let password = self
            .settings
            .password
            .iter()
            .flat_map(|password| [b"-P".to_vec(), password.clone()]);
        let arguments = quiet
            .into_iter()
            .chain(password)
            .chain([temporary.to_vec()])
            .collect();
        let good = crate::unzip::main("unzip", arguments) == 0;
        let text = [
            &b"test of "[..],
            name,
            if good {
                &b" OK\n"[..]
            } else {
                &b" FAILED\n"[..]
            },
        ]
        .concat();
        if !self.settings.quiet || !good {
            self.out.say(&text);
        }
        match good {
            true => Ok(()),
            false => Err(Failure::new(
                8,
                "Zip file invalid, could not spawn unzip, or wrong unzip",
                "original files unmodified",
            )),
        }
    }

    fn replace(&mut self, temporary: &[u8], target: &[u8], old: &Old) -> Result<(), Failure> {
        let mode = old
            .meta
            .map_or(0o666 & !system::umask(), |meta| meta.mode & 0o777);
        // A file system without modes does not make the archive wrong.
        let _ = system::set_mode(temporary, mode);
        std::fs::rename(path(temporary), path(target))
            .map_err(|error| Failure::io(15, "Could not create output file", &error, target))
    }

    /// Writes everything.
    fn fill(
        &mut self,
        archive: &mut Archive,
        name: &[u8],
        old: &Old,
        plan: Plan,
        streamed: bool,
    ) -> Result<Vec<(Vec<u8>, bool)>, Failure> {
        let failed = |error: io::Error| Failure::io(14, "Output file write failure", &error, name);
        let (mut entries, mut written) = (Vec::new(), Vec::new());
        if let Some(file) = &old.file {
            copy_range(file, 0, old.prefix, archive).map_err(failed)?;
        }
        for (entry, fate) in old.entries.iter().zip(plan.fates) {
            let shown = display(&entry.name);
            match fate {
                Fate::Keep => entries.push(self.copy(old, entry, archive, name)?),
                Fate::Delete => {
                    if !self.settings.quiet {
                        self.out.say(&[b"deleting: ", &shown[..], b"\n"].concat());
                    }
                }
                Fate::Replace(candidate) => {
                    if !self.settings.quiet {
                        let verb: &[u8] = match self.settings.action {
                            Action::Freshen => b"freshening: ",
                            _ => b"updating: ",
                        };
                        self.out.say(&[verb, &shown].concat());
                    }
                    match self.add(&candidate, archive, streamed) {
                        Ok(mut new) => {
                            new.comment = entry.comment.clone();
                            entries.push(new);
                            written.push((candidate.path, entry.name.ends_with(b"/")));
                        }
                        Err(Trouble::Open(error)) => {
                            self.unreadable(&candidate, &error)?;
                            self.out.warn("will just copy entry over: ", &shown);
                            entries.push(self.copy(old, entry, archive, name)?);
                        }
                        Err(Trouble::Fatal(failure)) => return Err(failure),
                    }
                }
            }
        }
        for candidate in plan.new {
            if !self.settings.quiet {
                self.out
                    .say(&[b"  adding: ", &display(&candidate.name)[..]].concat());
            }
            match self.add(&candidate, archive, streamed) {
                Ok(entry) => {
                    written.push((candidate.path, entry.name.ends_with(b"/")));
                    entries.push(entry);
                }
                Err(Trouble::Open(error)) => self.unreadable(&candidate, &error)?,
                Err(Trouble::Fatal(failure)) => return Err(failure),
            }
        }
        if self.bad.0 > 0 && !self.settings.quiet {
            let text = format!(
                "\nzip warning: Not all files were readable\n  files/entries read:  {} ({} bytes)  skipped:  {} ({} bytes)\n",
                self.read.0, self.read.1, self.bad.0, self.bad.1
            );
            self.out.say(text.as_bytes());
        }
        let comment = self.comment(&old.comment)?;
        self.finish(archive, &entries, &comment, name)?;
        Ok(written)
    }

    fn finish(
        &mut self,
        archive: &mut Archive,
        entries: &[Entry],
        comment: &[u8],
        name: &[u8],
    ) -> Result<(), Failure> {
        let failed = |error: io::Error| Failure::io(14, "Output file write failure", &error, name);
        let offset = archive.count();
        for entry in entries {
            archive.write_all(&entry.central()).map_err(failed)?;
        }
        let size = archive.count() - offset;
        if offset + size > LARGEST {
            return Err(Failure::new(
                6,
                "Entry too big to split, read, or write",
                "the archive would be over 4 GiB",
            ));
        }
        let end = end_bytes(entries.len() as u64, offset, size, comment);
        archive
            .write_all(&end)
            .and_then(|()| archive.flush())
            .map_err(failed)?;
        if entries.is_empty() {
            self.out.warn("zip file empty", b"");
        }
        if self.settings.verbose && !self.settings.quiet && !entries.is_empty() {
            let plain: u64 = entries.iter().map(|entry| entry.plain).sum();
            let packed: u64 = entries.iter().map(|entry| entry.packed).sum();
            let saved = percent(plain, packed);
            let text = format!("total bytes={plain}, compressed={packed} -> {saved}% savings\n");
            self.out.say(text.as_bytes());
        }
        if self.settings.latest {
            let files = entries.iter().filter(|entry| !entry.name.ends_with(b"/"));
            let newest = files.map(|entry| crate::zipfile::moment_of(entry.time, self.zone));
            if let (Some(seconds), Sink::File(file)) = (newest.max(), archive.get_mut()) {
                let moment = std::time::UNIX_EPOCH
                    + std::time::Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
                let _ = file.get_ref().set_modified(moment);
            }
        }
        Ok(())
    }

    /// The comment: the old one, or a new one from standard input.
    fn comment(&mut self, old: &[u8]) -> Result<Vec<u8>, Failure> {
        if !self.settings.comment {
            return Ok(old.to_vec());
        }
        if !self.settings.quiet {
            if !old.is_empty() {
                self.out.say(b"current zip file comment is:\n");
                let text = old.iter().copied().filter(|byte| *byte != b'\r');
                self.out.say(&text.collect::<Vec<u8>>());
                if old.last() != Some(&b'\n') {
                    self.out.say(b"\n");
                }
            }
            self.out.say(b"enter new zip file comment (end with .):\n");
        }
        let mut text = Vec::new();
        io::stdin()
            .read_to_end(&mut text)
            .map_err(|error| Failure::open(&error, b"stdin"))?;
        let mut lines: Vec<&[u8]> = Vec::new();
        for line in text.split(|byte| *byte == b'\n') {
            if line == b"." {
                break;
            }
            lines.push(line);
        }
        while lines.last().is_some_and(|line| line.is_empty()) {
            lines.pop();
        }
        let mut comment = lines.join(&b"\r\n"[..]);
        comment.truncate(0xffff);
        Ok(comment)
    }

    fn unreadable(&mut self, candidate: &Candidate, error: &io::Error) -> Result<(), Failure> {
        if self.out.line_started {
            self.out.say(b"\n");
        }
        let _ = io::stdout().flush();
        eprintln!("zip warning: {}", io_text(error));
        self.out
            .warn("could not open for reading: ", &display(&candidate.name));
        if self.settings.must_match {
            return Err(Failure::open(
                error,
                &[b"was zipping ", &candidate.path[..]].concat(),
            ));
        }
        self.bad.0 += 1;
        self.bad.1 += candidate.meta.map_or(0, |meta| meta.size);
        Ok(())
    }

    /// Copies an entry as it is.
    fn copy(
        &mut self,
        old: &Old,
        entry: &Entry,
        archive: &mut Archive,
        name: &[u8],
    ) -> Result<Entry, Failure> {
        let broken = |_| {
            Failure::new(
                3,
                "Zip file structure invalid",
                [b"was copying ", &entry.name[..]].concat(),
            )
        };
        let Some(mut file) = old.file.as_ref() else {
            return Err(broken(()));
        };
        let begin = entry.offset + old.shift;
        let mut signature = [0; 4];
        file.seek(SeekFrom::Start(begin)).map_err(|_| broken(()))?;
        file.read_exact(&mut signature).map_err(|_| broken(()))?;
        if signature != LOCAL {
            return Err(broken(()));
        }
        let local = Local::read(&mut file).map_err(|_| broken(()))?;
        let mut length = 30 + local.name.len() as u64 + local.extra.len() as u64 + entry.packed;
        if local.flags & 8 != 0 {
            let mut mark = [0; 4];
            file.seek(SeekFrom::Start(begin + length))
                .map_err(|_| broken(()))?;
            file.read_exact(&mut mark).map_err(|_| broken(()))?;
            length += if mark == *b"PK\x07\x08" { 16 } else { 12 } + if local.wide { 8 } else { 0 };
        }
        let mut copy = entry.clone();
        copy.offset = archive.count();
        let copied = copy_range(file, begin, length, archive)
            .map_err(|error| Failure::io(14, "Output file write failure", &error, name))?;
        if copied < length {
            return Err(broken(()));
        }
        Ok(copy)
    }

    /// Adds a file.
    fn add(
        &mut self,
        candidate: &Candidate,
        archive: &mut Archive,
        streamed: bool,
    ) -> Result<Entry, Trouble> {
        let mut entry = self.describe(candidate);
        let meta = candidate.meta;
        let is_directory = meta.is_some_and(|meta| meta.kind() == DIRECTORY);
        let is_link = meta.is_some_and(|meta| meta.kind() == SYMLINK);
        let mut source: Box<dyn Read> = if is_directory {
            Box::new(io::empty())
        } else if is_link {
            Box::new(io::Cursor::new(
                system::read_link(&candidate.path).map_err(Trouble::Open)?,
            ))
        } else if meta.is_none() {
            Box::new(io::stdin())
        } else {
            Box::new(system::open(&candidate.path).map_err(Trouble::Open)?)
        };
        let mut first = Vec::new();
        (&mut source)
            .take(SMALL as u64 + 1)
            .read_to_end(&mut first)
            .map_err(Trouble::Open)?;
        let stored = self
            .settings
            .stored
            .iter()
            .any(|suffix| entry.name.ends_with(suffix));
        let method = match self.settings.method {
            _ if is_directory || is_link || first.is_empty() || stored => Method::Store,
            method => method,
        };
        if method == Method::Deflate {
            entry.internal = u16::from(is_text(&first));
        }
        entry.offset = archive.count();
        let plain = self.data(
            &mut entry,
            first,
            source,
            method,
            archive,
            streamed && !is_directory,
            meta,
        )?;
        self.read.0 += 1;
        self.read.1 += plain;
        if !self.settings.quiet {
            let packed = entry.packed
                - if entry.is_encrypted() {
                    CIPHER_HEADER as u64
                } else {
                    0
                };
            if self.settings.verbose {
                self.out
                    .say(format!("\t(in={plain}) (out={packed})").as_bytes());
            }
            let text = match entry.method {
                STORED => " (stored 0%)\n".to_owned(),
                BZIPPED => format!(" (bzipped {}%)\n", percent(plain, packed)),
                _ => format!(" (deflated {}%)\n", percent(plain, packed)),
            };
            self.out.say(text.as_bytes());
        }
        Ok(entry)
    }

    /// Header and data of an entry; returns how long the content was.
    #[expect(
        clippy::too_many_arguments,
        reason = "an entry's parts, all of them different things"
    )]
    fn data(
        &mut self,
        entry: &mut Entry,
        first: Vec<u8>,
        source: Box<dyn Read>,
        method: Method,
        archive: &mut Archive,
        streamed: bool,
        meta: Option<Meta>,
    ) -> Result<u64, Failure> {
        let failed =
            |error: io::Error| Failure::io(14, "Output file write failure", &error, b"zip file");
        let extra = self.extra(meta);
        let mut cipher = match (&self.settings.password, entry.name.ends_with(b"/")) {
            (Some(password), false) => Some(Cipher::new(password)),
            _ => None,
        };
        if cipher.is_some() {
            entry.flags |= 9;
        }
        if streamed {
            entry.flags |= 8;
        }
        let mut packer = Packer {
            entry_crc: flate2::Crc::new(),
            plain: 0,
        };
        let small = first.len() <= SMALL;
        let mut source = io::Cursor::new(first).chain(source);
        // Small files are packed in memory, so that they can be stored after all.
        let packed = if small {
            let mut content = Vec::new();
            source.read_to_end(&mut content).map_err(failed)?;
            let mut packed = Vec::new();
            packer
                .pack(&content[..], method, self.settings.level, &mut packed)
                .map_err(failed)?;
            let worse = packed.len() >= content.len() && method == Method::Deflate && !streamed;
            set_method(
                entry,
                if worse { Method::Store } else { method },
                self.settings.level,
            );
            Some(if worse { content } else { packed })
        } else {
            set_method(entry, method, self.settings.level);
            None
        };
        archive
            .write_all(&entry.local(&extra, true))
            .map_err(failed)?;
        let start = archive.count();
        if let Some(cipher) = &mut cipher {
            archive
                .write_all(&self.cipher_header(cipher, entry.time))
                .map_err(failed)?;
        }
        let mut sink = Locked {
            inner: archive,
            cipher,
        };
        match packed {
            Some(mut packed) => {
                packer.whole(&mut packed, &mut sink).map_err(failed)?;
            }
            None => packer
                .pack(source, method, self.settings.level, &mut sink)
                .map_err(failed)?,
        }
        entry.packed = archive.count() - start;
        entry.plain = packer.plain;
        entry.crc = packer.entry_crc.sum();
        if entry.packed > LARGEST || entry.plain > LARGEST {
            return Err(Failure::new(
                6,
                "Entry too big to split, read, or write",
                entry.name.clone(),
            ));
        }
        if entry.flags & 8 != 0 {
            archive.write_all(&entry.descriptor()).map_err(failed)?;
        }
        if !streamed {
            let header = entry.local(&extra, false);
            rewrite(archive, entry.offset, &header).map_err(failed)?;
        }
        Ok(packer.plain)
    }

    /// Twelve bytes that nobody can foresee, the last of them known to who has the password.
    fn cipher_header(&self, cipher: &mut Cipher, time: u32) -> [u8; CIPHER_HEADER] {
        use std::hash::{BuildHasher as _, Hasher as _};
        let random = || {
            std::hash::RandomState::new()
                .build_hasher()
                .finish()
                .to_le_bytes()
        };
        let mut header = [0; CIPHER_HEADER];
        header[..8].copy_from_slice(&random());
        header[8..11].copy_from_slice(&random()[..3]);
        header[11] = (time >> 8) as u8;
        cipher.encrypt(&mut header);
        header
    }

    /// What is known of a file before it is read.
    fn describe(&self, candidate: &Candidate) -> Entry {
        let now = Moment::now();
        let (mode, modified) = match candidate.meta {
            Some(meta) => (meta.mode, meta.modified),
            None => {
                let mode = system::stat_open(&io::stdin()).map_or(0o010_600, |meta| meta.mode);
                (mode, now)
            }
        };
        let directory = if mode & system::TYPE == DIRECTORY {
            0x10
        } else {
            0
        };
        let mut entry = Entry {
            made_by: 3 << 8 | 30,
            needed: 10,
            time: dos_of(modified.seconds, self.zone),
            external: mode << 16 | directory | u32::from(mode & 0o200 == 0),
            name: candidate.name.clone(),
            ..Entry::default()
        };
        if let (Some(meta), false) = (candidate.meta, self.settings.strip) {
            entry.extra = extra_fields(&meta, false);
        }
        entry
    }

    fn extra(&self, meta: Option<Meta>) -> Vec<u8> {
        match (meta, self.settings.strip) {
            (Some(meta), false) => extra_fields(&meta, true),
            _ => Vec::new(),
        }
    }
}

/// Times and owner; the local header has both times, the directory only one.
fn extra_fields(meta: &Meta, local: bool) -> Vec<u8> {
    let mut out = b"UT".to_vec();
    let seconds = |moment: Moment| (moment.seconds as i32).to_le_bytes();
    out.extend([if local { 9 } else { 5 }, 0, 3]);
    out.extend(seconds(meta.modified));
    if local {
        out.extend(seconds(meta.accessed));
    }
    out.extend(b"ux\x0b\x00\x01\x04");
    out.extend(meta.uid.to_le_bytes());
    out.push(4);
    out.extend(meta.gid.to_le_bytes());
    out
}

fn set_method(entry: &mut Entry, method: Method, level: u8) {
    (entry.method, entry.needed) = match method {
        Method::Store => (STORED, 10),
        Method::Deflate => (DEFLATED, 20),
        Method::Bzip2 => (BZIPPED, 46),
    };
    if method == Method::Deflate {
        entry.flags |= match level {
            0..=2 => 4,
            8.. => 2,
            _ => 0,
        };
    }
}

/// Checksum and length of what is packed.
struct Packer {
    entry_crc: flate2::Crc,
    plain: u64,
}

impl Packer {
    /// Packs everything.
    fn pack(
        &mut self,
        mut from: impl Read,
        method: Method,
        level: u8,
        to: &mut impl Write,
    ) -> io::Result<()> {
        match method {
            Method::Store => self.feed(&mut from, to),
            Method::Deflate => {
                let mut encoder =
                    flate2::write::DeflateEncoder::new(to, flate2::Compression::new(level.into()));
                self.feed(&mut from, &mut encoder)?;
                encoder.finish().map(drop)
            }
            Method::Bzip2 => {
                let mut encoder =
                    bzip2::write::BzEncoder::new(to, bzip2::Compression::new(level.max(1).into()));
                self.feed(&mut from, &mut encoder)?;
                encoder.finish().map(drop)
            }
        }
    }

    fn feed(&mut self, from: &mut impl Read, to: &mut impl Write) -> io::Result<()> {
        let mut buffer = vec![0; CHUNK];
        loop {
            let read = match from.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            self.entry_crc.update(&buffer[..read]);
            self.plain += read as u64;
            to.write_all(&buffer[..read])?;
        }
    }

    /// Writes what was packed before.
    fn whole(&mut self, packed: &mut [u8], to: &mut impl Write) -> io::Result<()> {
        to.write_all(packed)
    }
}

/// The archive behind a cipher.
struct Locked<'a> {
    inner: &'a mut Archive,
    cipher: Option<Cipher>,
}

impl Write for Locked<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.cipher {
            None => self.inner.write(bytes),
            Some(cipher) => {
                let mut copy = bytes.to_vec();
                cipher.encrypt(&mut copy);
                self.inner.write_all(&copy)?;
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Writes a header again, now that sizes are known.
fn rewrite(archive: &mut Archive, at: u64, bytes: &[u8]) -> io::Result<()> {
    if let Sink::File(file) = archive.get_mut() {
        let end = file.stream_position()?;
        file.seek(SeekFrom::Start(at))?;
        file.write_all(bytes)?;
        file.seek(SeekFrom::Start(end))?;
    }
    Ok(())
}

fn copy_range(mut file: &File, begin: u64, length: u64, to: &mut Archive) -> io::Result<u64> {
    file.seek(SeekFrom::Start(begin))?;
    crate::files::copy(&mut file.take(length), to)
}

/// Whether the bytes look like text: none of the control characters that text does not have, and
/// some that it has.
fn is_text(bytes: &[u8]) -> bool {
    let black = |byte: &u8| matches!(byte, 0..=6 | 14..=25 | 28..=31);
    let white = |byte: &u8| matches!(byte, 9 | 10 | 13 | 32..);
    !bytes.iter().any(black) && bytes.iter().any(white)
}

/// What was saved, in percent; negative where the packed form is longer.
fn percent(plain: u64, packed: u64) -> i128 {
    match i128::from(plain) {
        0 => 0,
        whole => (1 + 200 * (whole - i128::from(packed)) / whole) / 2,
    }
}

/// A name beside the archive that nothing has.
fn temporary(target: &[u8]) -> Vec<u8> {
    let cut = target
        .iter()
        .rposition(|byte| *byte == b'/')
        .map_or(0, |slash| slash + 1);
    let mut number = 0_u32;
    loop {
        let name = [&target[..cut], format!("zi{number:06}").as_bytes()].concat();
        if number == u32::MAX || system::stat(&name, false).is_err() {
            return name;
        }
        number += 1;
    }
}
