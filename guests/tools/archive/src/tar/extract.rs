//! `tar -x`.
//!
//! An archive is hostile until shown otherwise. Names lose what would lead out of the directory; a
//! symbolic link that may lead out is made last, and until then an empty file stands in its place,
//! so nothing can be written through it.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Seek as _, SeekFrom, Write};

use codepod_tool::{Names, Output, complain, io_text, path};

use super::header::{Entry, Kind};
use super::list::{self, Lister};
use super::reader::{Bad, Next, Reader};
use super::settings::{Existing, Settings};
use super::source::Source;
use super::transform::Use;
use super::{Fatal, Run, about, safe, shown, source};
use crate::system::{self, Moment};

/// What stops one member, and what stops everything.
enum Stop {
    Member,
    All(Bad),
}

impl From<Bad> for Stop {
    fn from(bad: Bad) -> Stop {
        Stop::All(bad)
    }
}

struct Extractor<'a> {
    run: &'a mut Run,
    settings: &'a Settings,
    users: Names,
    groups: Names,
    umask: u32,
    is_root: bool,
    now: Moment,
    /// Directories, which get their modes and times when everything is in them: path, mode, time.
    directories: Vec<Finished>,
    /// Links that may lead out, by the path of what stands in their place.
    delayed: Vec<Delayed>,
    placeholders: HashMap<Vec<u8>, usize>,
    out: Output,
}

/// A directory, its mode, its time and its owner.
type Finished = (Vec<u8>, u32, Option<Moment>, Option<(u32, u32)>);

struct Delayed {
    paths: Vec<Vec<u8>>,
    target: Vec<u8>,
    modified: Option<Moment>,
    owner: Option<(u32, u32)>,
}

/// `tar -x`.
pub(crate) fn run(mut settings: Settings, run: &mut Run) -> Result<(), Fatal> {
    let source = source::open(&settings, run)?;
    for name in &settings.names.names {
        check_directory(&name.directory)?;
    }
    check_directory(&settings.directory)?;
    let mut reader = Reader::new(source, settings.ignore_zeros);
    let mut names = std::mem::take(&mut settings.names);
    let mut lister = Lister::new(&settings);
    let mut extractor = Extractor {
        run,
        settings: &settings,
        users: Names::users(),
        groups: Names::groups(),
        umask: system::umask(),
        is_root: system::user() == 0,
        now: Moment::now(),
        directories: Vec::new(),
        delayed: Vec::new(),
        placeholders: HashMap::new(),
        out: Output::new(),
    };
    let result = loop {
        let entry = match reader.next() {
            Ok(Next::Entry(entry)) => entry,
            Ok(Next::End(lone)) => {
                if let Some(block) = lone {
                    extractor.run.warn(format!("A lone zero block at {block}"));
                }
                break Ok(());
            }
            Ok(Next::Invalid { first }) => {
                extractor.out.write_out();
                list::invalid(first, extractor.run);
                continue;
            }
            Err(bad) => break Err(bad),
        };
        let Some(directory) = extractor.wanted(&mut names, &entry) else {
            continue;
        };
        match extractor.extract(&mut reader, &entry, &directory, &mut lister) {
            Ok(()) | Err(Stop::Member) => {}
            Err(Stop::All(bad)) => break Err(bad),
        }
    };
    extractor.out.write_out();
    let result = match result {
        Ok(()) => reader.inner().finish(),
        Err(bad) => {
            if matches!(bad, Bad::Truncated) {
                complain("tar", "Unexpected EOF in archive");
            }
            let fatal = reader.inner().failed(&bad);
            // What is there stays, so it gets its modes and links.
            extractor.finish();
            return Err(fatal);
        }
    };
    extractor.finish();
    if let Err(error) = extractor.out.finish() {
        return Err(Fatal::Output(format!(
            "stdout: write error: {}",
            io_text(&error)
        )));
    }
    result?;
    settings.names = names;
    list::missing(&settings, run);
    Ok(())
}

fn check_directory(directory: &[u8]) -> Result<(), Fatal> {
    if directory.is_empty() {
        return Ok(());
    }
    let why = match system::stat(directory, true) {
        Ok(meta) if meta.is_directory() => return Ok(()),
        Ok(_) => "Not a directory".to_owned(),
        Err(error) => io_text(&error),
    };
    complain("tar", about(directory, format!("Cannot open: {why}")));
    Err(Fatal::Told)
}

impl Extractor<'_> {
    /// The directory that a member goes to; none when it is not wanted.
    fn wanted(&self, names: &mut super::names::List, entry: &Entry) -> Option<Vec<u8>> {
        if self
            .settings
            .exclude
            .iter()
            .any(|pattern| pattern.matches(&entry.name))
        {
            return None;
        }
        if let Some(newer) = self.settings.newer
            && entry.modified < newer
            && entry.kind != Kind::Directory
        {
            return None;
        }
        if !self.settings.has_names {
            return Some(self.settings.directory.clone());
        }
        let name = names.want(&entry.name)?;
        if self
            .settings
            .occurrence
            .is_some_and(|number| name.found != number)
        {
            return None;
        }
        Some(name.directory.clone())
    }

    fn extract(
        &mut self,
        reader: &mut Reader<Source>,
        entry: &Entry,
        directory: &[u8],
        lister: &mut Lister,
    ) -> Result<(), Stop> {
        let changed = self.settings.transform.apply(&entry.name, Use::Name);
        let Some(stripped) = safe::strip(&changed, self.settings.strip) else {
            return Ok(());
        };
        if !self.settings.absolute && safe::unsafe_prefix(stripped) > 0 {
            self.out.write_out();
        }
        if !self.settings.absolute
            && stripped
                .split(|byte| *byte == b'/')
                .any(|part| part == b"..")
        {
            safe::name(stripped, false, false, self.run);
            self.run.error(about(stripped, "Member name contains '..'"));
            return Err(Stop::Member);
        }
        let mut name = safe::name(stripped, false, self.settings.absolute, self.run).to_vec();
        if let Some(top) = self.top_level() {
            let plain = name.strip_suffix(b"/").unwrap_or(&name);
            let plain = plain.strip_prefix(b"./").unwrap_or(plain);
            let below = plain == top || plain.starts_with(&[&top[..], b"/"].concat());
            if !below {
                name = match plain {
                    b"." => top,
                    _ => system::join(&top, plain),
                };
            }
        }
        self.tell(entry, &name, lister);
        if self.settings.to_stdout {
            return self.print(reader, entry);
        }
        while name.len() > 1 && name.ends_with(b"/") {
            name.pop();
        }
        let place = system::join(directory, &name);
        match entry.kind {
            Kind::File => self.file(reader, entry, &name, &place),
            Kind::Directory => self.directory(entry, &name, &place),
            Kind::Symlink => self.symlink(entry, &name, &place),
            Kind::Link => self.link(entry, &name, &place, directory),
            Kind::Fifo => {
                self.make(&name, &place, "Cannot mkfifo", |place| {
                    system::make_fifo(place, 0o600)
                })?;
                self.set_attributes(entry, &name, &place);
                Ok(())
            }
            Kind::Character | Kind::Block => {
                self.error(&name, "Cannot mknod: Operation not permitted");
                Err(Stop::Member)
            }
            Kind::Label => Ok(()),
            Kind::Other(letter) => {
                self.out.write_out();
                let text = format!(
                    "Unknown file type '{}', extracted as normal file",
                    char::from(letter)
                );
                self.run.error(about(&name, text));
                self.file(reader, entry, &name, &place)
            }
        }
    }

    /// The directory that `--one-top-level` puts everything into.
    fn top_level(&self) -> Option<Vec<u8>> {
        match self.settings.one_top_level.as_ref()? {
            Some(name) => Some(name.clone()),
            None => {
                let archive = &self.settings.archive;
                let base = archive
                    .rsplit(|byte| *byte == b'/')
                    .next()
                    .unwrap_or(archive);
                let mut stem = base;
                if source::by_suffix(stem).is_some() || stem.ends_with(b".Z") {
                    let dot = stem
                        .iter()
                        .rposition(|byte| *byte == b'.')
                        .unwrap_or(stem.len());
                    stem = &stem[..dot];
                }
                Some(stem.strip_suffix(b".tar").unwrap_or(stem).to_vec())
            }
        }
    }

    fn tell(&mut self, entry: &Entry, name: &[u8], lister: &mut Lister) {
        if self.settings.verbose == 0 {
            return;
        }
        let name = if self.settings.show_transformed {
            name
        } else {
            &entry.name
        };
        let line = if self.settings.verbose > 1 {
            lister.long(entry, name)
        } else {
            [&shown(name)[..], b"\n"].concat()
        };
        if self.settings.to_stdout {
            let _ = io::stderr().write_all(&line);
        } else {
            self.out.put(&line);
        }
    }

    fn error(&mut self, name: &[u8], text: impl AsRef<str>) {
        self.out.write_out();
        self.run.error(about(name, text));
    }

    fn print(&mut self, reader: &mut Reader<Source>, entry: &Entry) -> Result<(), Stop> {
        if entry.kind != Kind::File {
            return Ok(());
        }
        let mut buffer = vec![0; 64 << 10];
        let mut at = 0;
        for (from, length) in pieces(entry) {
            while at < from {
                let most = usize::try_from(from - at)
                    .unwrap_or(usize::MAX)
                    .min(buffer.len());
                buffer[..most].fill(0);
                self.out.put(&buffer[..most]);
                at += most as u64;
            }
            let mut left = length;
            while left > 0 {
                let most = usize::try_from(left)
                    .unwrap_or(usize::MAX)
                    .min(buffer.len());
                let read = reader.read_content(&mut buffer[..most])?;
                if read == 0 {
                    break;
                }
                self.out.put(&buffer[..read]);
                left -= read as u64;
                at += read as u64;
            }
            if self.out.is_broken() {
                return Err(Stop::Member);
            }
        }
        Ok(())
    }

    /// Makes something, after the directories that lead there, and instead of what is there, as far
    /// as that is wanted.
    fn make<T>(
        &mut self,
        name: &[u8],
        place: &[u8],
        what: &str,
        make: impl Fn(&[u8]) -> io::Result<T>,
    ) -> Result<T, Stop> {
        if self.settings.existing == Existing::UnlinkFirst {
            // If it cannot be removed, making the new one tells why.
            let _ = self.remove(place);
        }
        let mut made_parents = false;
        let mut removed = false;
        loop {
            let error = match make(place) {
                Ok(made) => return Ok(made),
                Err(error) => error,
            };
            match error.kind() {
                io::ErrorKind::NotFound if !made_parents => {
                    made_parents = true;
                    self.make_parents(place);
                    continue;
                }
                io::ErrorKind::AlreadyExists if !removed => {
                    removed = true;
                    match self.settings.existing {
                        Existing::Keep => {}
                        Existing::Skip => return Err(Stop::Member),
                        _ => match self.remove(place) {
                            Ok(()) => continue,
                            Err(error) => {
                                let text = match io_text(&error) {
                                    text if text == "Directory not empty" => {
                                        "File exists".to_owned()
                                    }
                                    text => text,
                                };
                                self.error(name, format!("{what}: {text}"));
                                return Err(Stop::Member);
                            }
                        },
                    }
                }
                _ => {}
            }
            self.error(name, format!("{what}: {}", io_text(&error)));
            return Err(Stop::Member);
        }
    }

    /// Removes a file, or an empty directory.
    fn remove(&mut self, place: &[u8]) -> io::Result<()> {
        self.placeholders.remove(place);
        let meta = system::stat(place, false)?;
        if !meta.is_directory() {
            return std::fs::remove_file(path(place));
        }
        if self.settings.recursive_unlink {
            return std::fs::remove_dir_all(path(place));
        }
        std::fs::remove_dir(path(place))
    }

    fn make_parents(&mut self, place: &[u8]) {
        let mut at = 0;
        while let Some(slash) = place[at..].iter().position(|byte| *byte == b'/') {
            at += slash;
            if at > 0 {
                // The last one tells if it could not be made.
                let _ = std::fs::create_dir(path(&place[..at]));
            }
            at += 1;
        }
    }

    /// Whether a file on disk is to be kept because it is newer.
    fn is_newer(&mut self, entry: &Entry, name: &[u8], place: &[u8]) -> bool {
        if self.settings.existing != Existing::KeepNewer {
            return false;
        }
        let newer = system::stat(place, false).is_ok_and(|meta| {
            let whole = Moment {
                seconds: meta.modified.seconds,
                nanoseconds: if entry.modified.nanoseconds == 0 {
                    0
                } else {
                    meta.modified.nanoseconds
                },
            };
            whole >= entry.modified
        });
        if newer {
            self.out.write_out();
            let text = [
                "Current '".as_bytes(),
                &shown(name)[..],
                "' is newer or same age".as_bytes(),
            ]
            .concat();
            self.run.warn(text);
        }
        newer
    }

    fn file(
        &mut self,
        reader: &mut Reader<Source>,
        entry: &Entry,
        name: &[u8],
        place: &[u8],
    ) -> Result<(), Stop> {
        if self.is_newer(entry, name, place) {
            return Ok(());
        }
        let overwrite = self.settings.existing == Existing::Overwrite;
        let mut file = self.make(name, place, "Cannot open", |place| {
            let mut options = File::options();
            options.write(true);
            match overwrite {
                true => options.create(true).truncate(true),
                false => options.create_new(true),
            };
            options.open(path(place))
        })?;
        let mut buffer = vec![
            0;
            (64 << 10)
                .min(usize::try_from(entry.stored).unwrap_or(usize::MAX))
                .max(1)
        ];
        let has_holes = entry.pieces.is_some();
        let mut failed = None;
        'content: for (from, length) in pieces(entry) {
            if has_holes && let Err(error) = file.seek(SeekFrom::Start(from)) {
                failed = Some(error);
                break;
            }
            let mut left = length;
            while left > 0 {
                let most = usize::try_from(left)
                    .unwrap_or(usize::MAX)
                    .min(buffer.len());
                let read = reader.read_content(&mut buffer[..most])?;
                if read == 0 {
                    break;
                }
                if let Err(error) = file.write_all(&buffer[..read]) {
                    failed = Some(error);
                    break 'content;
                }
                left -= read as u64;
            }
        }
        if has_holes && failed.is_none() {
            failed = file.set_len(entry.size).err();
        }
        drop(file);
        if let Some(error) = failed {
            self.error(name, format!("Cannot write: {}", io_text(&error)));
            return Err(Stop::Member);
        }
        self.set_attributes(entry, name, place);
        Ok(())
    }

    /// The owner that a member gets; none for the one that makes it.
    fn owner(&self, entry: &Entry) -> Option<(u32, u32)> {
        if !self.settings.same_owner.unwrap_or(self.is_root) {
            return None;
        }
        let find = |names: &Names, name: &[u8], number: u64| match names.number(name) {
            Some(number) if !self.settings.numeric && !name.is_empty() => number,
            _ => u32::try_from(number).unwrap_or(u32::MAX - 1),
        };
        let uid = find(&self.users, &entry.user, entry.uid);
        let gid = find(&self.groups, &entry.group, entry.gid);
        Some((uid, gid))
    }

    fn mode(&self, entry: &Entry) -> u32 {
        match self.settings.same_permissions.unwrap_or(self.is_root) {
            true => entry.mode,
            false => entry.mode & !self.umask & 0o777,
        }
    }

    fn set_attributes(&mut self, entry: &Entry, name: &[u8], place: &[u8]) {
        if !self.settings.touch
            && let Err(error) = system::set_times(place, self.now, entry.modified, true)
        {
            self.error(name, format!("Cannot utime: {}", io_text(&error)));
        }
        if let Some((uid, gid)) = self.owner(entry)
            && let Err(error) = system::set_owner(place, Some(uid), Some(gid))
        {
            let text = format!(
                "Cannot change ownership to uid {uid}, gid {gid}: {}",
                io_text(&error)
            );
            self.error(name, text);
        }
        if let Err(error) = system::set_mode(place, self.mode(entry)) {
            self.error(
                name,
                format!(
                    "Cannot change mode to {}: {}",
                    mode_shown(entry),
                    io_text(&error)
                ),
            );
        }
    }

    fn directory(&mut self, entry: &Entry, name: &[u8], place: &[u8]) -> Result<(), Stop> {
        let modified = (!self.settings.touch).then_some(entry.modified);
        let existing = match system::stat(place, false) {
            Ok(meta) if meta.is_directory() => true,
            // A link to a directory may be one of the user's; what this archive made is never
            // followed.
            Ok(meta)
                if meta.kind() == system::SYMLINK && self.settings.existing == Existing::Keep =>
            {
                system::stat(place, true).is_ok_and(|meta| meta.is_directory())
            }
            _ => false,
        };
        if existing {
            if self.settings.no_overwrite_dir {
                return Ok(());
            }
            if matches!(
                self.settings.existing,
                Existing::Keep | Existing::Skip | Existing::KeepNewer
            ) {
                return Ok(());
            }
            let owner = self.owner(entry);
            self.directories
                .push((place.to_vec(), self.mode(entry), modified, owner));
            return Ok(());
        }
        self.make(name, place, "Cannot mkdir", |place| {
            std::fs::create_dir(path(place))
        })?;
        // Until the end its owner may do everything with it.
        if let Err(error) = system::set_mode(place, self.mode(entry) | 0o700) {
            self.error(
                name,
                format!(
                    "Cannot change mode to {}: {}",
                    mode_shown(entry),
                    io_text(&error)
                ),
            );
        }
        let owner = self.owner(entry);
        self.directories
            .push((place.to_vec(), self.mode(entry), modified, owner));
        Ok(())
    }

    fn symlink(&mut self, entry: &Entry, name: &[u8], place: &[u8]) -> Result<(), Stop> {
        if self.is_newer(entry, name, place) {
            return Ok(());
        }
        let target = self.settings.transform.apply(&entry.target, Use::Symlink);
        let modified = (!self.settings.touch).then_some(entry.modified);
        let owner = self.owner(entry);
        if !self.settings.absolute && safe::leads_out(&target) {
            self.make(name, place, "Cannot open", |place| {
                system::create_new(place).map(drop)
            })?;
            // Nobody needs to read it; if the mode stays, it is an empty file all the same.
            let _ = system::set_mode(place, 0);
            self.placeholders.insert(place.to_vec(), self.delayed.len());
            self.delayed.push(Delayed {
                paths: vec![place.to_vec()],
                target,
                modified,
                owner,
            });
            return Ok(());
        }
        let what = [
            "Cannot create symlink to '".as_bytes(),
            &shown(&target)[..],
            "'".as_bytes(),
        ]
        .concat();
        self.make(name, place, &String::from_utf8_lossy(&what), |place| {
            system::make_symlink(&target, place)
        })?;
        finish_symlink(place, modified, self.now, owner);
        Ok(())
    }

    fn link(
        &mut self,
        entry: &Entry,
        name: &[u8],
        place: &[u8],
        directory: &[u8],
    ) -> Result<(), Stop> {
        let changed = self.settings.transform.apply(&entry.target, Use::Link);
        // A target loses the same parts as names do.
        let stripped = match self.settings.strip {
            0 => Some(&changed[..]),
            count => safe::strip(&changed, count),
        };
        let Some(stripped) = stripped else {
            return Ok(());
        };
        if !self.settings.absolute && safe::unsafe_prefix(stripped) > 0 {
            self.out.write_out();
        }
        let mut target = safe::name(stripped, true, self.settings.absolute, self.run).to_vec();
        if let Some(top) = self.top_level() {
            let below = target == top || target.starts_with(&[&top[..], b"/"].concat());
            if !below {
                target = system::join(&top, &target);
            }
        }
        let old = system::join(directory, &target);
        if let Some(at) = self.placeholders.get(&old).copied() {
            // It is another name of a link that is made at the end.
            self.make(name, place, "Cannot open", |place| {
                system::create_new(place).map(drop)
            })?;
            let _ = system::set_mode(place, 0);
            self.placeholders.insert(place.to_vec(), at);
            self.delayed[at].paths.push(place.to_vec());
            return Ok(());
        }
        let same = |a: &[u8], b: &[u8]| {
            let id = |name: &[u8]| system::stat(name, false).map(|meta| meta.id);
            matches!((id(a), id(b)), (Ok(a), Ok(b)) if a == b)
        };
        if same(&old, place) {
            return Ok(());
        }
        let what = [
            "Cannot hard link to '".as_bytes(),
            &shown(&target)[..],
            "'".as_bytes(),
        ]
        .concat();
        self.make(name, place, &String::from_utf8_lossy(&what), |place| {
            system::make_link(&old, place)
        })
    }

    /// Makes the links that waited, and gives directories their modes and times, the inner ones
    /// first.
    fn finish(&mut self) {
        let delayed = std::mem::take(&mut self.delayed);
        for link in delayed {
            for place in &link.paths {
                if self.placeholders.remove(place).is_none() {
                    continue;
                }
                // Only what was put there is taken away.
                if !system::stat(place, false)
                    .is_ok_and(|meta| meta.kind() == system::REGULAR && meta.size == 0)
                {
                    continue;
                }
                let made = std::fs::remove_file(path(place))
                    .and_then(|()| system::make_symlink(&link.target, place));
                match made {
                    Ok(()) => finish_symlink(place, link.modified, self.now, link.owner),
                    Err(error) => {
                        let text = [
                            "Cannot create symlink to '".as_bytes(),
                            &shown(&link.target)[..],
                            "'".as_bytes(),
                        ]
                        .concat();
                        self.error(
                            place,
                            format!("{}: {}", String::from_utf8_lossy(&text), io_text(&error)),
                        );
                    }
                }
            }
        }
        let directories = std::mem::take(&mut self.directories);
        for (place, mode, modified, owner) in directories.iter().rev() {
            // A later member may have taken its place.
            if !system::stat(place, false).is_ok_and(|meta| meta.is_directory()) {
                continue;
            }
            if let Some(modified) = modified
                && let Err(error) = system::set_times(place, self.now, *modified, true)
            {
                self.error(place, format!("Cannot utime: {}", io_text(&error)));
            }
            if let Some((uid, gid)) = owner
                && let Err(error) = system::set_owner(place, Some(*uid), Some(*gid))
            {
                self.error(
                    place,
                    format!(
                        "Cannot change ownership to uid {uid}, gid {gid}: {}",
                        io_text(&error)
                    ),
                );
            }
            if let Err(error) = system::set_mode(place, *mode) {
                self.error(
                    place,
                    format!("Cannot change mode to {mode:o}: {}", io_text(&error)),
                );
            }
        }
    }
}

fn finish_symlink(place: &[u8], modified: Option<Moment>, now: Moment, owner: Option<(u32, u32)>) {
    // Links without times are links all the same.
    if let Some(modified) = modified {
        let _ = system::set_times(place, now, modified, false);
    }
    if let Some((uid, gid)) = owner {
        let _ = system::set_owner(place, Some(uid), Some(gid));
    }
}

fn mode_shown(entry: &Entry) -> String {
    codepod_mode::permissions(entry.mode)
}

/// The pieces of a content: one, where it has no holes.
fn pieces(entry: &Entry) -> Vec<(u64, u64)> {
    entry
        .pieces
        .clone()
        .unwrap_or_else(|| vec![(0, entry.stored)])
}
