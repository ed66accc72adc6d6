//! `unzip` and `zipinfo`, as Info-ZIP's of Debian.
//!
//! An archive is hostile until shown otherwise: names cannot lead out of the directory, symbolic
//! links are made when everything else is there, and entries that share bytes are refused.

mod attributes;
mod console;
mod cover;
mod extract;
mod info;
mod later;
mod list;
mod place;
mod settings;
mod target;
mod unpack;

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};

use codepod_datetime::Zone;
use codepod_tool::{Arguments, io_text};

use crate::system;
use crate::zipfile::{CENTRAL, End, Entry, find_end, matches};
use console::Console;
use settings::{Asked, Settings};

/// All went well.
const OK: i32 = 0;
/// A warning.
const WARN: i32 = 1;
/// An error in the archive.
const ERROR: i32 = 2;
/// A severe error in the archive.
const BAD: i32 = 3;
/// No archive.
const NO_ZIP: i32 = 9;
/// Arguments that make no sense.
const PARAMETERS: i32 = 10;
/// No such entries.
const NO_FILES: i32 = 11;
/// Entries that share bytes.
const BOMB: i32 = 12;
/// The disk is full, or a file cannot be made.
const DISK: i32 = 50;
/// The archive ends too early.
const END_OF_FILE: i32 = 51;
/// All entries are packed in ways that are not known.
const UNSUPPORTED: i32 = 81;
/// All entries have another password.
const BAD_PASSWORD: i32 = 82;
/// A directory instead of an archive; never a status.
const IS_DIRECTORY: i32 = -1;

const REPORT: &str = "  (please check that you have transferred or created the zipfile in the\n  \
                      appropriate BINARY mode and that you have compiled UnZip properly)\n";

/// `unzip` and `zipinfo`.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut console = Console::new();
    let status = match settings::read(tool, arguments, &mut console) {
        Asked::Run(settings) => {
            // zipinfo's totals are the same flag to it.
            let totals = settings.info.as_ref().is_some_and(|info| info.totals);
            console.errors_to_stdout = settings.test || totals;
            Unzip {
                settings,
                console: &mut console,
                zone: Zone::from_environment(),
                overwrite: None,
                no_end: false,
            }
            .run()
        }
        Asked::Done(status) => status,
    };
    match console.finish() {
        Ok(()) => status,
        Err(_) if status == OK => DISK,
        Err(_) => status,
    }
}

/// A run over one or more archives.
struct Unzip<'a> {
    settings: Settings,
    console: &'a mut Console,
    zone: Zone,
    /// What the user has answered for all files: overwrite or not.
    overwrite: Option<bool>,
    /// Whether a file without a central directory was seen.
    no_end: bool,
}

/// An open archive.
struct Archive {
    file: File,
    name: Vec<u8>,
    length: u64,
    end: End,
    /// Bytes before the archive that its offsets do not count.
    extra_bytes: i128,
    /// The central directory and all that follows.
    directory: Vec<u8>,
}

/// How many archives ended how.
#[derive(Default)]
struct Tally {
    good: u32,
    warned: u32,
    bad: u32,
    missing: u32,
    directories: u32,
}

impl Tally {
    fn add(&mut self, status: i32) {
        match status {
            OK => self.good += 1,
            WARN => self.warned += 1,
            IS_DIRECTORY => self.directories += 1,
            NO_ZIP => self.missing += 1,
            _ => self.bad += 1,
        }
    }
}

impl Unzip<'_> {
    fn run(&mut self) -> i32 {
        self.overwrite = match (self.settings.never, self.settings.always) {
            (true, _) => Some(false),
            (_, true) => Some(true),
            _ => None,
        };
        let given = self.settings.archive.clone();
        let names = archives(&given);
        let mut tally = Tally::default();
        let (mut status, mut last) = (OK, OK);
        for name in &names {
            let shown = tally.good + tally.bad + tally.warned + tally.missing;
            if self.settings.quiet == 0
                && shown > 0
                && last != NO_ZIP
                && last != IS_DIRECTORY
                && !self.settings.stamps()
            {
                self.console.out(b"\n");
            }
            last = self.treat(name, None);
            tally.add(last);
            if last != IS_DIRECTORY {
                status = status.max(last);
            }
        }
        if tally.good + tally.warned + tally.bad == 0 && tally.directories + tally.missing == 1 {
            status = self.with_suffix(&names[0], &mut tally);
        }
        if is_wild(&given) && self.settings.quiet < 3 {
            self.summary(&tally);
        }
        status
    }

    /// Tries the name with `.zip` and `.ZIP`.
    fn with_suffix(&mut self, name: &[u8], tally: &mut Tally) -> i32 {
        *tally = Tally::default();
        let lower = [name, b".zip"].concat();
        let mut status = self.treat(&lower, None);
        if status == NO_ZIP || status == IS_DIRECTORY {
            let upper = [name, b".ZIP"].concat();
            status = self.treat(&upper, Some(name));
        }
        match status {
            IS_DIRECTORY => {
                tally.directories += 1;
                status = NO_ZIP;
            }
            NO_ZIP => {}
            _ => tally.add(status),
        }
        status
    }

    fn summary(&mut self, tally: &Tally) {
        let plural =
            |count: u32, one: &'static str, more: &'static str| if count == 1 { one } else { more };
        let Tally {
            good,
            warned,
            bad,
            missing,
            directories,
        } = *tally;
        if (missing + bad + warned > 0 || good != 1)
            && !(self.settings.test && self.settings.quiet > 1)
        {
            self.console.error("\n");
        }
        if good > 1 || good == 1 && directories + missing + bad + warned > 0 {
            let were = plural(good, " was", "s were");
            self.console
                .error(format!("{good} archive{were} successfully processed.\n"));
        }
        if warned > 0 {
            let s = plural(warned, "", "s");
            self.console.error(format!(
                "{warned} archive{s} had warnings but no fatal errors.\n"
            ));
        }
        if bad > 0 {
            let s = plural(bad, "", "s");
            self.console
                .error(format!("{bad} archive{s} had fatal errors.\n"));
        }
        if missing > 0 {
            let s = plural(missing, "", "s");
            self.console
                .error(format!("{missing} file{s} had no zipfile directory.\n"));
        }
        match directories {
            0 => {}
            1 => self.console.error("1 \"zipfile\" was a directory.\n"),
            _ => self
                .console
                .error(format!("{directories} \"zipfiles\" were directories.\n")),
        }
        if good + bad + warned == 0 {
            self.console.error("No zipfiles found.\n");
        }
    }

    /// One archive. With `asked`, the name that the user gave, this is the last try.
    fn treat(&mut self, name: &[u8], asked: Option<&[u8]>) -> i32 {
        let meta = match system::stat(name, true) {
            Ok(meta) if !meta.is_directory() => meta,
            found => {
                if let Some(asked) = asked
                    && self.settings.quiet < 3
                {
                    self.not_found(asked, name);
                }
                return if found.is_ok() { IS_DIRECTORY } else { NO_ZIP };
            }
        };
        let mut file = match system::open(name) {
            Ok(file) => file,
            Err(error) => {
                let message = [b"error:  cannot open zipfile [ ", name, b" ]\n        "].concat();
                self.console
                    .error([&message[..], io_text(&error).as_bytes(), b"\n"].concat());
                return NO_ZIP;
            }
        };
        let settings = &self.settings;
        let heading = match settings.info {
            Some(ref info) => info.header,
            None => settings.quiet == 0 && !settings.stamp,
        };
        if heading {
            self.console.out(&[b"Archive:  ", name, b"\n"].concat());
        }
        let search = if self.settings.info.is_some() {
            meta.size
        } else {
            meta.size.min(66_000)
        };
        let end = match find_end(&mut file, meta.size, search) {
            Ok(Some(end)) => end,
            Ok(None) | Err(_) => {
                self.no_directory(name, meta.mode & 0o100 != 0);
                if asked.is_some() {
                    return ERROR;
                }
                self.no_end = true;
                return NO_ZIP;
            }
        };
        let mut archive = Archive {
            file,
            name: name.to_vec(),
            length: meta.size,
            end,
            extra_bytes: 0,
            directory: Vec::new(),
        };
        let mut status = self.comment(&archive);
        if let Some(ref info) = self.settings.info
            && info.header
        {
            let line = format!(
                "Zip file size: {} bytes, number of entries: {}\n",
                archive.length, archive.end.entries
            );
            self.console.out(line.as_bytes());
        }
        if self.settings.comment > 0 && self.settings.info.is_none() {
            return status;
        }
        match self.check(&mut archive) {
            Ok(more) => status = status.max(more),
            Err(end) => return status.max(end),
        }
        let done = if self.settings.info.is_some() {
            self.info(&archive)
        } else if self.settings.stamp {
            self.stamp(&archive)
        } else if self.settings.list > 0 && !self.settings.test && !self.settings.pipe {
            self.list(&archive)
        } else {
            self.extract(&mut archive)
        };
        status.max(done)
    }

    fn not_found(&mut self, asked: &[u8], upper: &[u8]) {
        let tool = if self.settings.info.is_some() {
            "zipinfo"
        } else {
            "unzip"
        };
        let indent = if self.settings.info.is_some() {
            "  "
        } else {
            ""
        };
        let mut text = tool.as_bytes().to_vec();
        if self.no_end {
            text.extend(b":  cannot find zipfile directory in one of ");
            text.extend(asked);
            text.extend(b" or\n        ");
            text.extend(indent.as_bytes());
            text.extend(asked);
            text.extend(b".zip, and cannot find ");
            text.extend(upper);
            text.extend(b", period.\n");
        } else {
            text.extend(b":  cannot find or open ");
            text.extend(asked);
            text.extend(b", ");
            text.extend(asked);
            text.extend(b".zip or ");
            text.extend(upper);
            text.extend(b".\n");
        }
        self.console.error(text);
    }

    fn no_directory(&mut self, name: &[u8], executable: bool) {
        if self.settings.quiet > 0 || self.settings.info.is_some() {
            self.console.error([b"[", name, b"]\n"].concat());
        }
        self.console.error(
            "  End-of-central-directory signature not found.  Either this file is not\n  a zipfile, or it constitutes one disk \
             of a multi-part archive.  In the\n  latter case the central directory and zipfile comment will be found on\n  the \
             last disk(s) of this archive.\n",
        );
        if executable {
            self.console.error(
                [
                    b"note:  ",
                    name,
                    b" may be a plain executable, not an archive\n",
                ]
                .concat(),
            );
        }
    }

    /// Shows the archive's comment where it is wanted.
    fn comment(&mut self, archive: &Archive) -> i32 {
        let settings = &self.settings;
        let wanted = match settings.info {
            Some(_) => settings.comment > 0,
            None => settings.comment > 0 || !settings.stamp && settings.quiet == 0,
        };
        let end = &archive.end;
        if end.comment_length == 0 || !wanted {
            return OK;
        }
        self.console.out(&end.comment);
        if end.comment.last() != Some(&b'\n') {
            self.console.out(b"\n");
        }
        if end.comment.len() < usize::from(end.comment_length) {
            self.console
                .error("\ncaution:  zipfile comment truncated\n");
            return WARN;
        }
        OK
    }

    /// Finds the central directory and reads it. Fails with a status where there is nothing to go
    /// on with.
    fn check(&mut self, archive: &mut Archive) -> Result<i32, i32> {
        let mut status = OK;
        let name = archive.name.clone();
        let say = |console: &mut Console, before: &str, after: String| {
            console.error([before.as_bytes(), b" [", &name, b"]:  ", after.as_bytes()].concat());
        };
        if self.settings.info.is_none() && archive.end.disk != 0 {
            say(
                self.console,
                "warning",
                "zipfile claims to be last disk of a multi-part archive;\n  attempting to process anyway, assuming all parts \
                 have been concatenated\n  together in order.  Expect \"errors\" and warnings...true multi-part support\n  \
                 doesn't exist yet (coming soon).\n"
                    .to_owned(),
            );
            status = WARN;
        }
        archive.extra_bytes = i128::from(archive.end.real()) - i128::from(archive.end.expected());
        if archive.extra_bytes < 0 {
            let missing = -archive.extra_bytes;
            say(
                self.console,
                "error",
                format!("missing {missing} bytes in zipfile\n  (attempting to process anyway)\n"),
            );
            status = ERROR;
        } else if archive.extra_bytes > 0 {
            if archive.end.offset == 0 && archive.end.size != 0 {
                say(
                    self.console,
                    "error",
                    "NULL central directory offset\n  (attempting to process anyway)\n".to_owned(),
                );
                archive.end.offset = u64::try_from(archive.extra_bytes).unwrap_or(0);
                archive.extra_bytes = 0;
                status = ERROR;
            } else {
                let extra = archive.extra_bytes;
                let s = if extra == 1 { "" } else { "s" };
                let text = format!(
                    "{extra} extra byte{s} at beginning or within zipfile\n  (attempting to process anyway)\n"
                );
                say(self.console, "warning", text);
                status = WARN;
            }
        }
        if archive.end.expected() == 0 && archive.end.size == 0 {
            if self.settings.info.is_some() {
                self.console.out(b"Empty zipfile.\n");
            } else {
                say(self.console, "warning", "zipfile is empty\n".to_owned());
            }
            return Err(status.max(WARN));
        }
        if !archive.load() {
            let extra = std::mem::take(&mut archive.extra_bytes);
            if !archive.load() {
                let text =
                    format!("start of central directory not found;\n  zipfile corrupt.\n{REPORT}");
                say(self.console, "error", text);
                return Err(BAD);
            }
            let text = format!(
                "reported length of central directory is\n  {} bytes too long (Atari STZip zipfile?  J.H.Holm ZIPSPLIT 1.1\n  \
                 zipfile?).  Compensating...\n",
                -extra
            );
            say(self.console, "error", text);
            status = ERROR;
        }
        Ok(status)
    }

    /// Whether an entry is asked for; marks the patterns that it was found by.
    fn is_wanted(&self, name: &[u8], found: &mut Found) -> bool {
        let settings = &self.settings;
        let hit = |patterns: &[Vec<u8>], marks: &mut Vec<bool>| {
            marks.resize(patterns.len(), false);
            let at = patterns
                .iter()
                .position(|pattern| matches(pattern, name, settings.ignore_case));
            if let Some(at) = at {
                marks[at] = true;
            }
            at.is_some()
        };
        (settings.files.is_empty() || hit(&settings.files, &mut found.files))
            && !hit(&settings.excluded, &mut found.excluded)
    }

    /// Names the patterns that found nothing; returns whether there was one among those that were
    /// asked for.
    fn unmatched(&mut self, found: &Found) -> bool {
        let mut missing = false;
        for (index, pattern) in self.settings.files.iter().enumerate() {
            if !found.files.get(index).copied().unwrap_or(false) {
                self.console
                    .error([b"caution: filename not matched:  ", &pattern[..], b"\n"].concat());
                missing = true;
            }
        }
        for (index, pattern) in self.settings.excluded.iter().enumerate() {
            if !found.excluded.get(index).copied().unwrap_or(false) {
                self.console.error(
                    [
                        b"caution: excluded filename not matched:  ",
                        &pattern[..],
                        b"\n",
                    ]
                    .concat(),
                );
            }
        }
        missing
    }

    /// Says what is wrong with the directory, and returns the status that it leads to.
    fn close(&mut self, close: Close) -> i32 {
        let number = match close {
            Close::Good => return OK,
            Close::Short => return END_OF_FILE,
            Close::Damaged(number) => number,
        };
        self.console.error(format!(
            "error:  expected central file header signature not found (file #{number}).\n"
        ));
        self.console.error(REPORT);
        BAD
    }

    /// Gives the archive the time of its newest entry.
    fn stamp(&mut self, archive: &Archive) -> i32 {
        let mut newest: Option<i64> = None;
        let mut found = Found::default();
        let (entries, close) = self.entries(archive);
        let mut status = self.close(close);
        for entry in entries {
            if !entry.name.ends_with(b"/") && self.is_wanted(&entry.name, &mut found) {
                newest = newest.max(Some(self.modified(&entry)));
            }
        }
        let Some(seconds) = newest else {
            return status.max(NO_FILES);
        };
        let moment = system::Moment {
            seconds,
            nanoseconds: 0,
        };
        if system::set_times(&archive.name, moment, moment, true).is_err() {
            self.console
                .error([b"warning:  cannot set time for ", &archive.name[..], b"\n"].concat());
            status = status.max(WARN);
        } else if self.settings.quiet == 0 {
            self.console
                .out(&[b"Updated time stamp for ", &archive.name[..], b".\n"].concat());
        }
        status
    }

    /// When an entry's file was changed.
    fn modified(&self, entry: &Entry) -> i64 {
        let times = crate::zipfile::times(&entry.extra);
        times
            .modified
            .unwrap_or_else(|| crate::zipfile::moment_of(entry.time, &self.zone))
    }

    /// All entries, and what is wrong with the directory.
    fn entries(&self, archive: &Archive) -> (Vec<Entry>, Close) {
        let mut entries = Vec::new();
        let mut rest = &archive.directory[..];
        loop {
            if rest.len() < 4 {
                return (entries, Close::Short);
            }
            if rest[..4] != CENTRAL {
                let count = entries.len() as u64;
                let same = match archive.end.wide {
                    Some(_) => count == archive.end.entries,
                    None => count & 0xffff == archive.end.entries,
                };
                let close = match same {
                    true => Close::Good,
                    false => Close::Damaged(count + 1),
                };
                return (entries, close);
            }
            let Some((mut entry, length)) = Entry::parse(rest) else {
                return (entries, Close::Short);
            };
            rest = &rest[length..];
            if let Some(name) = crate::zipfile::unicode_name(&entry.extra, &entry.name) {
                entry.name = name.to_vec();
            }
            // A name ends at a zero byte, wherever the archive says it ends.
            if let Some(zero) = entry.name.iter().position(|byte| *byte == 0) {
                entry.name.truncate(zero);
            }
            if self.settings.is_lowered(entry.host()) {
                entry.name.make_ascii_lowercase();
            }
            entries.push(entry);
        }
    }
}

impl Archive {
    /// Reads what begins at the central directory; false where none does.
    fn load(&mut self) -> bool {
        let at = i128::from(self.end.offset) + self.extra_bytes;
        let Ok(at) = u64::try_from(at) else {
            return false;
        };
        self.directory.clear();
        let read = self.file.seek(SeekFrom::Start(at)).and_then(|_| {
            (&self.file)
                .take(self.length.saturating_sub(at))
                .read_to_end(&mut self.directory)
        });
        read.is_ok() && self.directory.starts_with(&CENTRAL)
    }
}

/// How a central directory ends.
#[derive(Clone, Copy)]
enum Close {
    /// Where it should.
    Good,
    /// Within an entry.
    Short,
    /// With something else than this entry.
    Damaged(u64),
}

/// Which patterns have found something.
#[derive(Default)]
struct Found {
    files: Vec<bool>,
    excluded: Vec<bool>,
}

fn is_wild(name: &[u8]) -> bool {
    name.iter().any(|byte| matches!(byte, b'*' | b'?' | b'['))
}

/// The archives that a name stands for: itself, or the files of its directory that it matches.
fn archives(given: &[u8]) -> Vec<Vec<u8>> {
    if !is_wild(given) || system::stat(given, true).is_ok() {
        return vec![given.to_vec()];
    }
    let cut = given
        .iter()
        .rposition(|byte| *byte == b'/')
        .map_or(0, |slash| slash + 1);
    let (directory, pattern) = given.split_at(cut);
    let place: &[u8] = if directory.is_empty() {
        b"."
    } else {
        directory
    };
    let mut names = system::list(place).unwrap_or_default();
    names.retain(|name| {
        matches(pattern, name, false) && (!name.starts_with(b".") || pattern.starts_with(b"."))
    });
    names.sort();
    match names.is_empty() {
        true => vec![given.to_vec()],
        false => names
            .iter()
            .map(|name| [directory, name].concat())
            .collect(),
    }
}
