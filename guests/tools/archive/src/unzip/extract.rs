//! Extracting and testing entries.

use std::io::{BufReader, Read, Seek as _, SeekFrom};

use super::console::padded;
use super::cover::Cover;
use super::later::Later;
use super::target::Target;
use super::unpack::Input;
use super::{
    Archive, BAD, BAD_PASSWORD, BOMB, END_OF_FILE, ERROR, Found, NO_FILES, OK, REPORT, UNSUPPORTED,
    Unzip, WARN,
};
use crate::zipfile::{
    BZIPPED, CIPHER_HEADER, Cipher, DEFLATED, Entry, LOCAL, Local, STORED, shown,
};

const OVERLAPPED: &str = "error: invalid zip file with overlapped components (possible zip bomb)\n";

/// Why an entry is not gone on with.
pub(super) enum Stop {
    /// It has ended like this; the next one.
    Entry(i32),
    /// Nothing more is done.
    All(i32),
    /// Its password is another one.
    Password,
}

/// An entry that is extracted or tested.
pub(super) struct Member<'a> {
    pub(super) entry: &'a Entry,
    /// What its local header says.
    pub(super) local: Local,
    pub(super) target: Target,
}

impl Member<'_> {
    /// The name that messages have.
    pub(super) fn name(&self) -> &[u8] {
        match &self.target {
            Target::File(name) => name,
            Target::Stream => &self.entry.name,
        }
    }
}

/// How many entries there were.
#[derive(Default)]
struct Count {
    /// Those that could be extracted, as far as is known before.
    tried: u64,
    /// Those that are packed in a way that is not known.
    skipped: u64,
    /// Those of the tried ones whose password is another one.
    locked: u64,
}

impl Unzip<'_> {
    /// Extracts or tests.
    pub(crate) fn extract(&mut self, archive: &mut Archive) -> i32 {
        if !self.settings.test && !self.settings.pipe && self.root().is_err() {
            return ERROR;
        }
        let (entries, close) = self.entries(archive);
        let mut status = self.close(close);
        let Some(mut cover) = Cover::of(archive) else {
            self.console.error(OVERLAPPED);
            return BOMB;
        };
        let mut later = Later::default();
        let mut found = Found::default();
        let mut count = Count::default();
        let mut whole = true;
        for entry in &entries {
            if !self.is_wanted(&entry.name, &mut found) {
                continue;
            }
            if !self.is_possible(entry) {
                count.skipped += 1;
                continue;
            }
            count.tried += 1;
            match self.member(archive, entry, count.tried, &mut cover, &mut later) {
                Ok(()) => {}
                Err(Stop::Entry(worse)) => status = status.max(worse),
                Err(Stop::Password) => count.locked += 1,
                Err(Stop::All(worse)) => {
                    status = status.max(worse);
                    whole = false;
                    break;
                }
            }
        }
        self.finish_later(later);
        if !whole {
            return status;
        }
        if self.unmatched(&found) && status <= WARN {
            status = NO_FILES;
        }
        if self.settings.test && self.settings.quiet < 2 {
            self.report(archive, status, &count);
        }
        match (count.tried, count.skipped, count.locked) {
            (0, 0, _) if status <= WARN => NO_FILES,
            (0, _, _) if status <= WARN => UNSUPPORTED,
            (all, _, same) if all == same && status <= WARN => BAD_PASSWORD,
            (_, 1.., _) if status <= WARN => UNSUPPORTED,
            (_, _, 1..) if status == OK => WARN,
            _ => status,
        }
    }

    fn overlapped(&mut self) -> Stop {
        self.console.error(OVERLAPPED);
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

    /// What `-t` says at the end.
    fn report(&mut self, archive: &Archive, status: i32, count: &Count) {
        let (skipped, locked) = (count.skipped, count.locked);
        let tested = count.tried - locked;
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
        let (local, local_size) = self.local(&mut input, entry, number, &mut status)?;
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
        let member = Member {
            entry,
            local,
            target,
        };
        let done = self.unpack(input, &member, later);
        let descriptor = if member.local.flags & 8 != 0 { 12 } else { 0 };
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

    /// Reads a local header and its length. Where it is not as the directory says, the directory
    /// counts.
    fn local(
        &mut self,
        input: &mut impl Read,
        entry: &Entry,
        number: u64,
        status: &mut i32,
    ) -> Result<(Local, u64), Stop> {
        let mut local = Local::read(input).map_err(|_| {
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
            *status = WARN;
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
                *status = WARN;
            }
        }
        Ok((local, local_size))
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
}
