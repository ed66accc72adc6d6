//! Extracting and testing entries.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek as _, SeekFrom, Write as _};

use codepod_tool::{io_text, path};

use super::console::answer;
use super::place::Place;
use super::{
    Archive, BAD, BAD_PASSWORD, BOMB, DISK, END_OF_FILE, ERROR, Found, NO_FILES, OK, REPORT,
    UNSUPPORTED, Unzip, WARN,
};
use crate::codec::CHUNK;
use crate::system::{self, Moment};
use crate::zipfile::{
    BZIPPED, CIPHER_HEADER, Cipher, DEFLATED, Entry, LOCAL, Local, STORED, shown, times, unix_owner,
};

/// The longest text of a symbolic link.
const LONGEST_LINK: u64 = 64 << 10;

/// The byte ranges of an archive that belong to something.
#[derive(Default)]
struct Cover {
    /// Ends by beginnings; ranges never overlap.
    ranges: BTreeMap<u64, u64>,
}

impl Cover {
    /// Whether a byte belongs to something.
    fn has(&self, at: u64) -> bool {
        let before = self.ranges.range(..=at).next_back();
        before.is_some_and(|(_, end)| at < *end)
    }

    /// Adds a range; false where part of it belongs to another.
    fn add(&mut self, begin: u64, end: u64) -> bool {
        if begin >= end {
            return true;
        }
        let free = self
            .ranges
            .range(..end)
            .next_back()
            .is_none_or(|(_, last)| *last <= begin);
        if free {
            self.ranges.insert(begin, end);
        }
        free
    }
}

/// What is done when everything is extracted.
#[derive(Default)]
struct Later {
    /// Symbolic links: path and text.
    links: Vec<(Vec<u8>, Vec<u8>)>,
    /// Directories: path, mode, times, owner.
    directories: Vec<(Vec<u8>, u32, Stamp)>,
}

/// Times and owner that a file gets.
#[derive(Clone, Copy)]
struct Stamp {
    modified: i64,
    accessed: i64,
    owner: Option<(u32, u32)>,
}

/// Why an entry is not gone on with.
enum Stop {
    /// It has ended like this; the next one.
    Entry(i32),
    /// Nothing more is done.
    All(i32),
    /// Its password is another one.
    Password,
}

impl Unzip<'_> {
    /// Extracts or tests.
    pub(crate) fn extract(&mut self, archive: &mut Archive) -> i32 {
        if !self.settings.test && !self.settings.pipe && self.root().is_err() {
            return ERROR;
        }
        let (entries, close) = self.entries(archive);
        let mut status = self.close(close);
        let mut cover = Cover::default();
        if !self.cover(archive, &mut cover) {
            self.console
                .error("error: invalid zip file with overlapped components (possible zip bomb)\n");
            return BOMB;
        }
        let mut later = Later::default();
        let mut found = Found::default();
        let (mut tried, mut skipped, mut locked) = (0_u64, 0_u64, 0_u64);
        let mut whole = true;
        for entry in &entries {
            if !self.is_wanted(&entry.name, &mut found) {
                continue;
            }
            if !self.is_possible(entry) {
                skipped += 1;
                continue;
            }
            tried += 1;
            match self.member(archive, entry, tried, &mut cover, &mut later) {
                Ok(()) => {}
                Err(Stop::Entry(worse)) => status = status.max(worse),
                Err(Stop::Password) => locked += 1,
                Err(Stop::All(worse)) => {
                    status = status.max(worse);
                    whole = false;
                    break;
                }
            }
        }
        status = status.max(self.finish_later(later));
        if !whole {
            return status;
        }
        if self.unmatched(&found) && status <= WARN {
            status = NO_FILES;
        }
        if self.settings.test && self.settings.quiet < 2 {
            self.report(archive, status, tried - locked, skipped, locked);
        }
        match (tried, skipped, locked) {
            (0, 0, _) if status <= WARN => NO_FILES,
            (0, _, _) if status <= WARN => UNSUPPORTED,
            (all, _, same) if all == same && status <= WARN => BAD_PASSWORD,
            (_, 1.., _) if status <= WARN => UNSUPPORTED,
            (_, _, 1..) if status == OK => WARN,
            _ => status,
        }
    }

    /// Takes the directory and the end of the archive; false where they share bytes.
    fn cover(&self, archive: &Archive, cover: &mut Cover) -> bool {
        let extra = u64::try_from(archive.extra_bytes).unwrap_or(0);
        let end = &archive.end;
        let directory = end.offset.saturating_add(extra);
        cover.add(directory, directory.saturating_add(end.size))
            && cover.add(0, extra)
            && end.wide.is_none_or(|(begin, last)| cover.add(begin, last))
            && cover.add(end.at, end.at + 22 + u64::from(end.comment_length))
    }

    fn overlapped(&mut self) -> Stop {
        let text = "error: invalid zip file with overlapped components (possible zip bomb)\n";
        self.console.error(text);
        Stop::All(BOMB)
    }

    /// Whether an entry is packed in a way that is known; says so where it is not.
    fn is_possible(&mut self, entry: &Entry) -> bool {
        let silent = self.settings.quiet > 0;
        let name = shown(&entry.name);
        let version = entry.needed & 0xff;
        let text = if version > 46 {
            format!(
                "  need PK compat. v{}.{} (can do v4.6)\n",
                version / 10,
                version % 10
            )
        } else {
            match entry.method {
                STORED | DEFLATED | BZIPPED => return true,
                1 => "  `shrink' method not supported\n".to_owned(),
                2..=5 => "  `reduce' method not supported\n".to_owned(),
                6 => "  `implode' method not supported\n".to_owned(),
                7 => "  `tokenize' method not supported\n".to_owned(),
                9 => "  `deflate64' method not supported\n".to_owned(),
                10 => "  `DCL implode' method not supported\n".to_owned(),
                14 => "  `LZMA' method not supported\n".to_owned(),
                18 => "  `IBM/Terse' method not supported\n".to_owned(),
                19 => "  `IBM LZ77' method not supported\n".to_owned(),
                97 => "  `WavPack' method not supported\n".to_owned(),
                98 => "  `PPMd' method not supported\n".to_owned(),
                number => format!("  unsupported compression method {number}\n"),
            }
        };
        if !silent {
            self.console
                .error([b"   skipping: ", &padded(&name)[..], text.as_bytes()].concat());
        }
        false
    }

    fn report(&mut self, archive: &Archive, status: i32, tested: u64, skipped: u64, locked: u64) {
        let plural = |count: u64| if count == 1 { "" } else { "s" };
        let name = &archive.name[..];
        let all = self.settings.files.is_empty()
            && self.settings.excluded.is_empty()
            && skipped + locked == 0;
        let text = if status != OK {
            let kind: &[u8] = if status == WARN { b"warning-" } else { b"" };
            [
                b"At least one ",
                kind,
                b"error was detected in ",
                name,
                b".\n",
            ]
            .concat()
        } else if tested == 0 {
            [b"Caution:  zero files tested in ", name, b".\n"].concat()
        } else if all {
            [b"No errors detected in compressed data of ", name, b".\n"].concat()
        } else {
            let count = format!(" for the {tested} file{} tested.\n", plural(tested));
            [b"No errors detected in ", name, count.as_bytes()].concat()
        };
        self.console.out(&text);
        if skipped > 0 {
            let s = plural(skipped);
            let text = format!(
                "{skipped} file{s} skipped because of unsupported compression or encoding.\n"
            );
            self.console.out(text.as_bytes());
        }
        if locked > 0 {
            let text = format!(
                "{locked} file{} skipped because of incorrect password.\n",
                plural(locked)
            );
            self.console.out(text.as_bytes());
        }
    }

    /// One entry.
    fn member(
        &mut self,
        archive: &mut Archive,
        entry: &Entry,
        number: u64,
        cover: &mut Cover,
        later: &mut Later,
    ) -> Result<(), Stop> {
        let begin = self.seek(archive, entry, number)?;
        if cover.has(begin) {
            return Err(self.overlapped());
        }
        let mut status = OK;
        let mut input = BufReader::new(&archive.file);
        let mut local = Local::read(&mut input).map_err(|_| {
            self.console
                .error_line(format!("file #{number}:  bad local header\n"));
            Stop::Entry(END_OF_FILE)
        })?;
        let local_size = 30 + local.name.len() as u64 + local.extra.len() as u64;
        if let Some(name) = crate::zipfile::unicode_name(&local.extra, &local.name) {
            local.name = name.to_vec();
        }
        if let Some(zero) = local.name.iter().position(|byte| *byte == 0) {
            local.name.truncate(zero);
        }
        if self.settings.is_lowered(entry.host()) {
            local.name.make_ascii_lowercase();
        }
        if local.name != entry.name {
            let text = [
                &shown(&entry.name)[..],
                b":  mismatching \"local\" filename (",
                &shown(&local.name),
                b"),\n         continuing with \"central\" filename version\n",
            ];
            self.console.error(text.concat());
            status = WARN;
        }
        if local.flags & 8 != 0 {
            // The sizes stand behind the data; the directory has them.
            (local.crc, local.packed, local.plain) = (entry.crc, entry.packed, entry.plain);
        }
        if local.method == STORED {
            let data = local.packed.saturating_sub(if entry.is_encrypted() {
                CIPHER_HEADER as u64
            } else {
                0
            });
            if local.plain != data {
                let text = format!(
                    ":  ucsize {} <> csize {data} for STORED entry\n         continuing with \"compressed\" size value\n",
                    local.plain
                );
                self.console
                    .error([&shown(&entry.name)[..], text.as_bytes()].concat());
                local.plain = data;
                status = WARN;
            }
        }
        let data = begin + local_size;
        let end = data.saturating_add(local.packed);
        let mut input = Input {
            inner: input.take(local.packed),
            cipher: None,
        };
        if entry.is_encrypted() {
            input.cipher = Some(self.unlock(&mut input, entry, &local)?);
        }
        let target = self.target(entry, &local, later, &mut status)?;
        let Some(target) = target else {
            return if status == OK {
                Ok(())
            } else {
                Err(Stop::Entry(status))
            };
        };
        let done = self.unpack(input, entry, &local, &target, later);
        let descriptor = if local.flags & 8 != 0 { 12 } else { 0 };
        if !cover.add(begin, end.saturating_add(descriptor)) {
            return Err(self.overlapped());
        }
        match done {
            Ok(()) if status == OK => Ok(()),
            Ok(()) => Err(Stop::Entry(status)),
            Err(Stop::Entry(worse)) => Err(Stop::Entry(worse.max(status))),
            Err(stop) => Err(stop),
        }
    }

    /// Goes to an entry's local header and reads its signature; returns where it is.
    fn seek(&mut self, archive: &mut Archive, entry: &Entry, number: u64) -> Result<u64, Stop> {
        let wanted = i128::from(entry.offset) + archive.extra_bytes;
        let Ok(begin) = u64::try_from(wanted) else {
            let text = [
                b"error [",
                &archive.name[..],
                b"]:  attempt to seek before beginning of zipfile\n",
                REPORT.as_bytes(),
            ];
            self.console.error(text.concat());
            return Err(Stop::Entry(BAD));
        };
        let mut signature = [0; 4];
        let read = archive
            .file
            .seek(SeekFrom::Start(begin))
            .and_then(|_| archive.file.read_exact(&mut signature));
        if read.is_err() {
            self.console.error(format!(
                "file #{number}:  bad zipfile offset (EOF):  {begin}\n"
            ));
            return Err(Stop::Entry(BAD));
        }
        if signature != LOCAL {
            self.console.error(format!(
                "file #{number}:  bad zipfile offset (local header sig):  {begin}\n"
            ));
            if number == 1 && archive.extra_bytes != 0 {
                self.console.error("  (attempting to re-compensate)\n");
                archive.extra_bytes = 0;
                return self.seek(archive, entry, number);
            }
            return Err(Stop::Entry(ERROR));
        }
        Ok(begin)
    }

    /// Reads the header of an encrypted entry.
    fn unlock(
        &mut self,
        input: &mut impl Read,
        entry: &Entry,
        local: &Local,
    ) -> Result<Cipher, Stop> {
        let name = shown(&entry.name);
        let silent = self.settings.quiet > 0;
        let mut header = [0; CIPHER_HEADER];
        if input.read_exact(&mut header).is_err() {
            self.console
                .error("\n  error:  invalid compressed data to inflate\n");
            return Err(Stop::Entry(ERROR));
        }
        // Nobody can be asked: there is no terminal that hides what is typed.
        let Some(ref password) = self.settings.password else {
            self.console.error(
                [
                    b"   skipping: ",
                    &padded(&name)[..],
                    b"  unable to get password\n",
                ]
                .concat(),
            );
            return Err(Stop::Entry(5));
        };
        let mut cipher = Cipher::new(password);
        cipher.decrypt(&mut header);
        let check = if local.flags & 8 != 0 {
            (local.time >> 8) as u8
        } else {
            (local.crc >> 24) as u8
        };
        if header[CIPHER_HEADER - 1] != check {
            if !silent {
                self.console.error(
                    [
                        b"   skipping: ",
                        &padded(&name)[..],
                        b"  incorrect password\n",
                    ]
                    .concat(),
                );
            }
            return Err(Stop::Password);
        }
        Ok(cipher)
    }

    /// Decides where an entry goes; none where it is left out or was a directory.
    fn target(
        &mut self,
        entry: &Entry,
        local: &Local,
        later: &mut Later,
        status: &mut i32,
    ) -> Result<Option<Target>, Stop> {
        if self.settings.test || self.settings.pipe {
            return Ok(Some(Target::Stream));
        }
        let mut name = entry.name.clone();
        let mut whole = false;
        loop {
            if !whole {
                if entry.host() == 0 && !name.contains(&b'/') {
                    for byte in name.iter_mut().filter(|byte| **byte == b'\\') {
                        *byte = b'/';
                    }
                }
                if name.first() == Some(&b'/') {
                    self.console.error(
                        [
                            b"warning:  stripped absolute path spec from ",
                            &shown(&name)[..],
                            b"\n",
                        ]
                        .concat(),
                    );
                    *status = (*status).max(WARN);
                    let start = name.iter().take_while(|byte| **byte == b'/').count();
                    name.drain(..start);
                }
            }
            let (place, climbed) = self.place(&name, whole);
            if climbed {
                *status = (*status).max(WARN);
            }
            let target = match place {
                Place::File(target) => target,
                Place::Skip => return Ok(None),
                Place::Impossible => return Err(Stop::Entry((*status).max(ERROR))),
                Place::Created(directory) => {
                    let mode = self.mode(entry);
                    // Files have to get in; the real mode comes at the end.
                    let _ = system::set_mode(&directory, mode | 0o700);
                    later
                        .directories
                        .push((directory, mode, self.stamp_of(local)));
                    return Ok(None);
                }
            };
            match self.may_write(&target, local, whole, status) {
                Write::Yes => return Ok(Some(Target::File(target))),
                Write::No => return Ok(None),
                Write::Renamed(other) => {
                    name = other;
                    whole = true;
                }
            }
        }
    }

    /// Whether a file may be written; asks where it is there.
    fn may_write(
        &mut self,
        target: &[u8],
        local: &Local,
        renamed: bool,
        status: &mut i32,
    ) -> Write {
        let older = match (system::stat(target, false), system::stat(target, true)) {
            (Err(_), _) => {
                return if self.settings.freshen && !renamed {
                    Write::No
                } else {
                    Write::Yes
                };
            }
            (Ok(link), real) if link.kind() == system::SYMLINK => {
                if self.settings.quiet == 0 && self.overwrite != Some(true) {
                    let more: &[u8] = if real.is_ok() {
                        b""
                    } else {
                        b" with no real file"
                    };
                    self.console.out(
                        &[
                            &shown(target)[..],
                            b" exists and is a symbolic link",
                            more,
                            b".\n",
                        ]
                        .concat(),
                    );
                }
                true
            }
            (Ok(meta), _) => {
                let there = meta.modified.seconds;
                match times(&local.extra).modified {
                    Some(modified) => there < modified,
                    None => there + (there & 1) < crate::zipfile::moment_of(local.time, &self.zone),
                }
            }
        };
        if self.overwrite == Some(false) && !self.settings.backup
            || !older && self.settings.update && !renamed
        {
            return Write::No;
        }
        if self.overwrite == Some(true) || self.settings.backup {
            return Write::Yes;
        }
        self.ask(target, status)
    }

    fn ask(&mut self, target: &[u8], status: &mut i32) -> Write {
        loop {
            let question = [
                b"replace ",
                &shown(target)[..],
                b"? [y]es, [n]o, [A]ll, [N]one, [r]ename: ",
            ]
            .concat();
            self.console.error(question);
            let Some(line) = answer() else {
                self.console
                    .error(" NULL\n(EOF or read error, treating as \"[N]one\" ...)\n");
                *status = (*status).max(WARN);
                self.overwrite = Some(false);
                return Write::No;
            };
            match line[0] {
                b'r' | b'R' => loop {
                    self.console.error("new name: ");
                    let Some(name) = answer() else {
                        *status = (*status).max(WARN);
                        return Write::No;
                    };
                    let name = name.strip_suffix(b"\n").unwrap_or(&name);
                    if !name.is_empty() {
                        return Write::Renamed(name.to_vec());
                    }
                },
                b'A' => {
                    self.overwrite = Some(true);
                    return Write::Yes;
                }
                b'y' | b'Y' => return Write::Yes,
                b'N' => {
                    self.overwrite = Some(false);
                    return Write::No;
                }
                b'n' => return Write::No,
                _ => {
                    let text = line.strip_suffix(b"\n").unwrap_or(&line);
                    let text: &[u8] = if text.is_empty() {
                        b"{ENTER}"
                    } else {
                        &text[..text.len().min(9)]
                    };
                    self.console
                        .error([b"error:  invalid response [", text, b"]\n"].concat());
                }
            }
        }
    }

    /// Unpacks the data to where they go.
    fn unpack(
        &mut self,
        input: Input<'_>,
        entry: &Entry,
        local: &Local,
        target: &Target,
        later: &mut Later,
    ) -> Result<(), Stop> {
        let is_link = self.is_link(entry) && local.plain > 0;
        let name = match target {
            Target::File(name) => name.clone(),
            Target::Stream => entry.name.clone(),
        };
        let noisy = self.settings.quiet == 0;
        let mut file = match target {
            Target::File(target) => Some(self.open(target)?),
            Target::Stream => None,
        };
        if self.settings.test {
            if self.settings.quiet == 0 {
                self.console
                    .out(&[b"    testing: ", &padded(&shown(&name))[..], b"  "].concat());
            }
        } else if noisy {
            let verb: &[u8] = match local.method {
                STORED if is_link && file.is_some() => b"    link",
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
            let line: &[u8] = if file.is_none() { b"\n" } else { b"" };
            self.console.out(
                &[
                    verb,
                    b"ing: ",
                    &padded(&shown(&name))[..],
                    b"  ",
                    kind,
                    line,
                ]
                .concat(),
            );
        }
        let as_text = match self.settings.text {
            0 => false,
            1 => entry.internal & 1 != 0,
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
        let unpacked = match local.method {
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
                .error_line([&shown(&name)[..], text.as_bytes()].concat());
            let _ = std::fs::remove_file(path(&name));
            return Err(Stop::All(DISK));
        }
        if self.console.is_broken() {
            return Err(Stop::All(DISK));
        }
        if let Target::File(target) = target {
            self.settle(target, entry, local, is_link, later);
        }
        let silent = !noisy;
        if unpacked.is_err() {
            let how = if local.method == BZIPPED {
                "bunzip"
            } else {
                "inflate"
            };
            let text = match silent {
                true => [
                    format!("  error:  invalid compressed data to {how} ").as_bytes(),
                    &shown(&name),
                    b"\n",
                ]
                .concat(),
                false => format!("\n  error:  invalid compressed data to {how}\n").into_bytes(),
            };
            self.console.error(text);
            return Err(Stop::Entry(ERROR));
        }
        if sink.crc.sum() != local.crc {
            if silent {
                self.console
                    .error([&padded(&shown(&name))[..], b" "].concat());
            }
            self.console.error(format!(
                " bad CRC {:08x}  (should be {:08x})\n",
                sink.crc.sum(),
                local.crc
            ));
            if entry.is_encrypted() {
                self.console
                    .error("    (may instead be incorrect password)\n");
            }
            return Err(Stop::Entry(ERROR));
        }
        if self.settings.test {
            if self.settings.quiet == 0 {
                self.console.out(b" OK\n");
            }
        } else if noisy {
            self.console.out(b"\n");
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

    /// Gives a new file its mode, times and owner; links are remembered.
    fn settle(
        &mut self,
        target: &[u8],
        entry: &Entry,
        local: &Local,
        is_link: bool,
        later: &mut Later,
    ) {
        if is_link {
            let text = match local.plain {
                0..=LONGEST_LINK => std::fs::read(path(target)).unwrap_or_default(),
                _ => Vec::new(),
            };
            if text.is_empty() || text.len() as u64 != local.plain {
                self.console.error_line(
                    [
                        b"warning:  symbolic link (",
                        &shown(target)[..],
                        b") failed\n",
                    ]
                    .concat(),
                );
                return;
            }
            if self.settings.quiet == 0 {
                self.console
                    .out(&[b"-> ", &shown(&text)[..], b" "].concat());
            }
            later.links.push((target.to_vec(), text));
            return;
        }
        let stamp = self.stamp_of(local);
        // The content is what counts: a file system without modes or times does not make it wrong.
        if let Some((uid, gid)) = stamp.owner
            && let Err(error) = system::set_owner(target, Some(uid), Some(gid))
        {
            let text = format!(
                " (warning) cannot set UID {uid} and/or GID {gid}\n          {}",
                io_text(&error)
            );
            self.console.error(text);
        }
        let _ = system::set_mode(target, self.mode(entry));
        if self.settings.no_times <= 1 {
            let _ = system::set_times(target, moment(stamp.accessed), moment(stamp.modified), true);
        }
    }

    /// Links and directories, when all files are there.
    fn finish_later(&mut self, later: Later) -> i32 {
        if !later.links.is_empty() && self.settings.quiet == 0 {
            self.console.out(b"finishing deferred symbolic links:\n");
        }
        for (name, text) in later.links {
            let same = system::stat(&name, false).is_ok_and(|meta| meta.kind() == system::REGULAR)
                && std::fs::read(path(&name)).is_ok_and(|content| content == text);
            if !same {
                let message = [
                    b"warning:  deferred symlink (",
                    &shown(&name)[..],
                    b") failed:\n          invalid placeholder file\n",
                ];
                self.console.error(message.concat());
                continue;
            }
            let _ = std::fs::remove_file(path(&name));
            if self.settings.quiet == 0 {
                self.console.out(
                    &[
                        b"  ",
                        &padded(&shown(&name))[..],
                        b" -> ",
                        &shown(&text),
                        b"\n",
                    ]
                    .concat(),
                );
            }
            if let Err(error) = system::make_symlink(&text, &name) {
                self.console
                    .error(format!("symlink error: {}\n", io_text(&error)));
            }
        }
        let mut directories = later.directories;
        directories.sort_by(|a, b| b.0.cmp(&a.0));
        for (name, mode, stamp) in directories {
            if let Some((uid, gid)) = stamp.owner {
                let _ = system::set_owner(&name, Some(uid), Some(gid));
            }
            if self.settings.no_times == 0 {
                let _ =
                    system::set_times(&name, moment(stamp.accessed), moment(stamp.modified), true);
            }
            let _ = system::set_mode(&name, mode);
        }
        OK
    }

    fn stamp_of(&self, local: &Local) -> Stamp {
        let known = times(&local.extra);
        let modified = known
            .modified
            .unwrap_or_else(|| crate::zipfile::moment_of(local.time, &self.zone));
        Stamp {
            modified,
            accessed: known.accessed.unwrap_or(modified),
            owner: self
                .settings
                .owners
                .then(|| unix_owner(&local.extra))
                .flatten(),
        }
    }

    fn is_link(&self, entry: &Entry) -> bool {
        let unix = matches!(entry.host(), 0 | 2 | 3 | 5 | 13 | 16 | 30);
        unix && entry.mode() & system::TYPE == system::SYMLINK
    }

    /// The mode that a file gets.
    fn mode(&self, entry: &Entry) -> u32 {
        let keep = if self.settings.keep_bits {
            0o7777
        } else {
            0o777
        };
        let mode = entry.mode();
        if matches!(entry.host(), 2 | 3 | 5 | 12 | 13 | 16 | 17 | 30) {
            return mode & keep;
        }
        let mut dos = entry.external;
        if entry.name.ends_with(b"/") {
            dos |= 0x10;
        }
        let bits = u32::from(dos & 1 == 0) << 1 | (dos & 0x10) >> 4;
        if entry.host() == 0 && mode & 0o700 == 0o400 | bits << 6 {
            return mode & keep;
        }
        (0o444 | bits << 6 | bits << 3 | bits) & !system::umask()
    }
}

/// Where an entry goes.
enum Target {
    /// To a file of this name.
    File(Vec<u8>),
    /// To standard output, or nowhere.
    Stream,
}

/// Whether a file is written.
enum Write {
    Yes,
    No,
    /// Under another name.
    Renamed(Vec<u8>),
}

/// The packed data of an entry.
struct Input<'a> {
    inner: io::Take<BufReader<&'a File>>,
    cipher: Option<Cipher>,
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

/// A name in a column of 22 bytes.
fn padded(name: &[u8]) -> Vec<u8> {
    let mut out = name.to_vec();
    while out.len() < 22 {
        out.push(b' ');
    }
    out
}

fn moment(seconds: i64) -> Moment {
    Moment {
        seconds,
        nanoseconds: 0,
    }
}
