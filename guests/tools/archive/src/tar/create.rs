//! `tar -c`, and how `-r` and `-u` add files.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _, Write};

use codepod_tool::{Names, Output, Units, complain, human_size, io_text, path};

use super::header::{self, BLOCK, Builder, Dialect, Entry, Kind};
use super::list::Lister;
use super::reader::padding;
use super::settings::{Order, Settings};
use super::transform::Use;
use super::{Fatal, Run, about, safe, shown, source};
use crate::codec::{Effort, Writer};
use crate::files::{self, Counted, Sink};
use crate::system::{self, Meta, Moment};

/// Where an archive goes.
pub(crate) enum Target {
    /// A file or standard output.
    Plain(Sink),
    /// A new archive, compressed.
    Packed(Box<Writer<Sink>>),
    /// A file that is there and open at its end.
    Open(File),
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Target::Plain(sink) => sink.write(bytes),
            Target::Packed(writer) => writer.write(bytes),
            Target::Open(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Adds members to an archive.
pub(crate) struct Creator<'a> {
    settings: &'a Settings,
    run: &'a mut Run,
    out: io::BufWriter<Counted<Target>>,
    /// What the archive has before what is added.
    before: u64,
    /// The bits that `--mode=+w` does not set.
    umask: u32,
    users: Names,
    groups: Names,
    /// Files with several names that are in the archive: their first name.
    links: HashMap<(u64, u64), Vec<u8>>,
    /// The archive itself, which is not put into itself.
    archive: Option<(u64, u64)>,
    lister: Lister,
    report: Output,
    to_remove: Vec<(Vec<u8>, bool)>,
}

fn cannot_write(error: &io::Error) -> Fatal {
    Fatal::Output(format!("-: Cannot write: {}", io_text(error)))
}

/// `tar -c`.
pub(crate) fn run(settings: Settings, run: &mut Run) -> Result<(), Fatal> {
    if !settings.has_names {
        return Err(Fatal::Usage(
            "Cowardly refusing to create an empty archive".into(),
        ));
    }
    let to_stdout = settings.archive == b"-";
    let sink = if to_stdout {
        if io::IsTerminal::is_terminal(&io::stdout()) {
            complain(
                "tar",
                "Refusing to write archive contents to terminal (missing -f option?)",
            );
            return Err(Fatal::Told);
        }
        Sink::stdout()
    } else {
        match File::create(path(&settings.archive)) {
            Ok(file) => Sink::File(file, settings.archive.clone()),
            Err(error) => {
                complain(
                    "tar",
                    about(
                        &settings.archive,
                        format!("Cannot open: {}", io_text(&error)),
                    ),
                );
                return Err(Fatal::Told);
            }
        }
    };
    let compression = settings.compression.or_else(|| {
        let by_name = if settings.auto {
            source::by_suffix(&settings.archive)
        } else {
            None
        };
        by_name.map(|format| (format, Effort::Default))
    });
    let target = match compression {
        Some((format, effort)) => {
            let writer = Writer::new(format, effort, sink).map_err(|error| cannot_write(&error))?;
            Target::Packed(Box::new(writer))
        }
        None => Target::Plain(sink),
    };
    let archive = match to_stdout {
        true => system::stat_open(&io::stdout())
            .ok()
            .filter(|meta| meta.kind() == system::REGULAR),
        false => system::stat(&settings.archive, true).ok(),
    };
    let mut creator = Creator::new(&settings, run, target, 0, archive.map(|meta| meta.id));
    if let Some(label) = &settings.label {
        creator.label(label)?;
    }
    for name in &settings.names.names {
        creator.add_named(name)?;
    }
    creator.finish()
}

impl<'a> Creator<'a> {
    /// Adds to `target`, behind `before` bytes of an archive.
    pub(crate) fn new(
        settings: &'a Settings,
        run: &'a mut Run,
        target: Target,
        before: u64,
        archive: Option<(u64, u64)>,
    ) -> Creator<'a> {
        Creator {
            settings,
            run,
            out: io::BufWriter::with_capacity(64 << 10, Counted::new(target)),
            before,
            umask: system::umask(),
            users: Names::users(),
            groups: Names::groups(),
            links: HashMap::new(),
            archive,
            lister: Lister::new(settings),
            report: Output::new(),
            to_remove: Vec::new(),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Fatal> {
        self.out
            .write_all(bytes)
            .map_err(|error| self.write_failed(&error))
    }

    fn write_failed(&mut self, error: &io::Error) -> Fatal {
        let name = if self.settings.archive == b"-" {
            b"-".to_vec()
        } else {
            self.settings.archive.clone()
        };
        complain(
            "tar",
            about(&name, format!("Cannot write: {}", io_text(error))),
        );
        Fatal::Told
    }

    /// Adds what a name on the command line leads to.
    pub(crate) fn add_named(&mut self, name: &super::names::Name) -> Result<(), Fatal> {
        if !name.directory.is_empty() {
            match system::stat(&name.directory, true) {
                Ok(meta) if meta.is_directory() => {}
                other => {
                    let why = other
                        .map_or_else(|error| io_text(&error), |_| "Not a directory".to_owned());
                    self.report.write_out();
                    complain("tar", about(&name.directory, format!("Cannot open: {why}")));
                    return Err(Fatal::Told);
                }
            }
        }
        self.add(&name.text, &name.directory, name.recursion, &|_, _| true)
    }

    /// Adds a file, and what is below it. `keep` decides by name and metadata.
    pub(crate) fn add(
        &mut self,
        name: &[u8],
        directory: &[u8],
        recursion: bool,
        keep: &dyn Fn(&[u8], &Meta) -> bool,
    ) -> Result<(), Fatal> {
        // A list of what is still to do, so that deep trees need no stack: names, the last to come
        // first.
        let mut waiting = vec![name.to_vec()];
        while let Some(name) = waiting.pop() {
            if self
                .settings
                .exclude
                .iter()
                .any(|pattern| pattern.matches(&name))
            {
                continue;
            }
            let on_disk = system::join(directory, &name);
            let meta = match system::stat(&on_disk, self.settings.dereference) {
                Ok(meta) => meta,
                Err(error) => {
                    self.report.write_out();
                    let text = about(&name, format!("Cannot stat: {}", io_text(&error)));
                    if self.settings.ignore_failed_read {
                        self.run.warn(about(
                            &name,
                            format!("Warning: Cannot stat: {}", io_text(&error)),
                        ));
                    } else {
                        self.run.error(text);
                    }
                    continue;
                }
            };
            if self.archive.is_some_and(|archive| archive == meta.id)
                && meta.kind() == system::REGULAR
            {
                self.report.write_out();
                self.run
                    .warn(about(&name, "file is the archive; not dumped"));
                continue;
            }
            let old = |newer: Moment| {
                meta.modified < newer && (self.settings.only_mtime || meta.changed < newer)
            };
            if self.settings.newer.is_some_and(old) && !meta.is_directory() {
                continue;
            }
            if meta.is_directory() {
                if keep(&name, &meta) && !self.add_directory(&name, &on_disk, &meta)? {
                    continue;
                }
                if recursion {
                    let mut names = match system::list(&on_disk) {
                        Ok(names) => names,
                        Err(error) => {
                            self.report.write_out();
                            self.run
                                .error(about(&name, format!("Cannot open: {}", io_text(&error))));
                            continue;
                        }
                    };
                    if self.settings.order == Order::Name {
                        names.sort();
                    }
                    waiting.extend(names.iter().rev().map(|inner| system::join(&name, inner)));
                }
            } else if keep(&name, &meta) {
                self.add_file(&name, &on_disk, &meta)?;
            }
        }
        Ok(())
    }

    fn entry(&self, meta: &Meta, kind: Kind) -> Entry {
        let settings = self.settings;
        let owner = |given: &Option<(Vec<u8>, Option<u64>)>, names: &Names, number: u32| match given
        {
            Some((name, given_number)) => {
                let known = names.number(name).map(u64::from);
                let number = given_number.or(known).unwrap_or(number.into());
                let name = match (name.is_empty(), given_number) {
                    (true, Some(number)) => u32::try_from(*number)
                        .ok()
                        .and_then(|number| names.name(number))
                        .unwrap_or(b""),
                    _ => &name[..],
                };
                (name.to_vec(), number)
            }
            None => (names.name(number).unwrap_or(b"").to_vec(), number.into()),
        };
        let (user, uid) = owner(&settings.owner, &self.users, meta.uid);
        let (group, gid) = owner(&settings.group, &self.groups, meta.gid);
        let mut modified = match settings.mtime {
            Some(time) if !settings.clamp || meta.modified > time => time,
            _ => meta.modified,
        };
        if settings.dialect != Dialect::Pax {
            modified.nanoseconds = 0;
        }
        let mode = meta.mode & 0o7777;
        let changed = settings
            .mode
            .as_ref()
            .map(|change| change.apply(mode, meta.is_directory(), self.umask));
        Entry {
            kind,
            mode: changed.unwrap_or(mode),
            uid,
            gid,
            user: if settings.numeric { Vec::new() } else { user },
            group: if settings.numeric { Vec::new() } else { group },
            modified,
            ..Entry::default()
        }
    }

    fn add_directory(&mut self, name: &[u8], on_disk: &[u8], meta: &Meta) -> Result<bool, Fatal> {
        let mut entry = self.entry(meta, Kind::Directory);
        let mut full = name.to_vec();
        if !full.ends_with(b"/") {
            full.push(b'/');
        }
        entry.name = self.stored_name(&full, Use::Name);
        if entry.name.is_empty() {
            return Ok(true);
        }
        if !entry.name.ends_with(b"/") {
            entry.name.push(b'/');
        }
        self.tell(&entry, &full);
        if !self.header(&entry)? {
            return Ok(false);
        }
        if self.settings.remove_files {
            self.to_remove.push((on_disk.to_vec(), true));
        }
        Ok(true)
    }

    /// The name that goes into the archive.
    fn stored_name(&mut self, full: &[u8], to: Use) -> Vec<u8> {
        if !self.settings.absolute && safe::unsafe_prefix(full) > 0 {
            self.report.write_out();
        }
        let name = safe::name(full, to == Use::Link, self.settings.absolute, self.run);
        // What a user makes of the name is stored as it is; whoever unpacks it looks again.
        let name = self.settings.transform.apply(name, to);
        match (name == b"." && full.ends_with(b"/"), full) {
            (true, _) => b"./".to_vec(),
            _ => name,
        }
    }

    fn add_file(&mut self, name: &[u8], on_disk: &[u8], meta: &Meta) -> Result<(), Fatal> {
        let Some(kind) = header::kind_of(meta) else {
            self.report.write_out();
            self.run.warn(about(name, "socket ignored"));
            return Ok(());
        };
        let mut entry = self.entry(meta, kind);
        entry.name = self.stored_name(name, Use::Name);
        if (meta.links > 1 || self.settings.dereference)
            && kind != Kind::Directory
            && !self.settings.hard_dereference
        {
            if let Some(first) = self.links.get(&meta.id).cloned() {
                entry.kind = Kind::Link;
                entry.target = self.stored_name(&first, Use::Link);
                self.tell(&entry, name);
                self.header(&entry)?;
                self.done(on_disk);
                return Ok(());
            }
            self.links.insert(meta.id, name.to_vec());
            // Told once, as the target of a link that may come.
            self.stored_name(name, Use::Link);
        }
        match kind {
            Kind::Symlink => {
                let target = match system::read_link(on_disk) {
                    Ok(target) => target,
                    Err(error) => {
                        self.run
                            .error(about(name, format!("Cannot readlink: {}", io_text(&error))));
                        return Ok(());
                    }
                };
                entry.target = self.settings.transform.apply(&target, Use::Symlink);
            }
            Kind::Character | Kind::Block => {
                let device = meta.device;
                let major = (device >> 8 & 0xfff) | (device >> 32 & !0xfff);
                let minor = (device & 0xff) | (device >> 12 & !0xff);
                entry.device = (major as u32, minor as u32);
            }
            Kind::File => return self.add_content(name, on_disk, meta, entry),
            _ => {}
        }
        self.tell(&entry, name);
        self.header(&entry)?;
        self.done(on_disk);
        Ok(())
    }

    fn add_content(
        &mut self,
        name: &[u8],
        on_disk: &[u8],
        meta: &Meta,
        mut entry: Entry,
    ) -> Result<(), Fatal> {
        let mut file = match system::open(on_disk) {
            Ok(file) => file,
            Err(error) => {
                self.report.write_out();
                let text = format!("Cannot open: {}", io_text(&error));
                if self.settings.ignore_failed_read {
                    self.run.warn(about(name, format!("Warning: {text}")));
                } else {
                    self.run.error(about(name, text));
                }
                return Ok(());
            }
        };
        entry.size = meta.size;
        entry.stored = meta.size;
        self.tell(&entry, name);
        if !self.header(&entry)? {
            return Ok(());
        }
        let mut left = meta.size;
        let mut buffer = vec![
            0;
            (64 << 10)
                .min(usize::try_from(left).unwrap_or(usize::MAX))
                .max(1)
        ];
        while left > 0 {
            let most = usize::try_from(left)
                .unwrap_or(usize::MAX)
                .min(buffer.len());
            match file.read(&mut buffer[..most]) {
                Ok(0) => {
                    self.report.write_out();
                    self.run.status = self.run.status.max(1);
                    complain(
                        "tar",
                        about(
                            name,
                            format!("File shrank by {left} bytes; padding with zeros"),
                        ),
                    );
                    while left > 0 {
                        let zeros = [0; BLOCK];
                        let most = usize::try_from(left).unwrap_or(usize::MAX).min(BLOCK);
                        self.write(&zeros[..most])?;
                        left -= most as u64;
                    }
                }
                Ok(read) => {
                    self.write(&buffer[..read])?;
                    left -= read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let read = meta.size - left;
                    self.run.error(about(
                        name,
                        format!(
                            "Read error at byte {read}, while reading {most} bytes: {}",
                            io_text(&error)
                        ),
                    ));
                    while left > 0 {
                        let most = usize::try_from(left).unwrap_or(usize::MAX).min(BLOCK);
                        self.write(&[0; BLOCK][..most])?;
                        left -= most as u64;
                    }
                }
            }
        }
        self.write(&[0; BLOCK][..padding(meta.size) as usize])?;
        self.done(on_disk);
        Ok(())
    }

    fn done(&mut self, on_disk: &[u8]) {
        if self.settings.remove_files {
            self.to_remove.push((on_disk.to_vec(), false));
        }
    }

    fn tell(&mut self, entry: &Entry, name: &[u8]) {
        if self.settings.verbose == 0 {
            return;
        }
        let name = if self.settings.show_transformed {
            &entry.name
        } else {
            name
        };
        let line = if self.settings.verbose > 1 {
            self.lister.long(entry, name)
        } else {
            [&shown(name)[..], b"\n"].concat()
        };
        // Standard output may be the archive.
        if self.settings.archive == b"-" {
            let _ = io::stderr().write_all(&line);
        } else {
            self.report.put(&line);
        }
    }

    fn label(&mut self, label: &[u8]) -> Result<(), Fatal> {
        let mut builder = Builder::new(self.settings.dialect);
        builder
            .text(0, 100, label)
            .number(136, 12, Moment::now().seconds)
            .text(156, 1, b"V");
        self.write(&builder.finish())
    }

    /// Writes a header, and before it what does not fit into it. Whether it could be written.
    fn header(&mut self, entry: &Entry) -> Result<bool, Fatal> {
        let dialect = self.settings.dialect;
        let mut name = &entry.name[..];
        let mut prefix: &[u8] = b"";
        let target = &entry.target[..];
        let split = if name.len() > 100 {
            header::split_name(name)
        } else {
            None
        };
        match dialect {
            Dialect::Gnu => {
                if target.len() > 100 {
                    self.long_link(b'K', target)?;
                }
                if name.len() > 100 {
                    self.long_link(b'L', name)?;
                }
            }
            Dialect::Pax => self.pax(entry, split)?,
            Dialect::Ustar | Dialect::V7 => {
                let long = name.len() > 100 && (split.is_none() || dialect == Dialect::V7);
                if long {
                    let most = if dialect == Dialect::V7 { 99 } else { 256 };
                    let text = if dialect == Dialect::V7 || name.len() > 256 {
                        format!("file name is too long (max {most}); not dumped")
                    } else {
                        "file name is too long (cannot be split); not dumped".to_owned()
                    };
                    self.run.error(about(name, text));
                    return Ok(false);
                }
                if target.len() > 100 {
                    self.run
                        .error(about(target, "link name is too long; not dumped"));
                    return Ok(false);
                }
            }
        }
        if let (Dialect::Ustar | Dialect::Pax, Some(at)) = (dialect, split) {
            prefix = &name[..at];
            name = &name[at + 1..];
        }
        let mut builder = Builder::new(dialect);
        builder
            .text(0, 100, name)
            .number(100, 8, entry.mode.into())
            .number(108, 8, entry.uid.cast_signed())
            .number(116, 8, entry.gid.cast_signed())
            .number(124, 12, entry.stored.cast_signed())
            .number(136, 12, entry.modified.seconds)
            .text(156, 1, &[header::letter(entry.kind, dialect)])
            .text(157, 100, target);
        if dialect != Dialect::V7 {
            builder
                .text(265, 31, &entry.user)
                .text(297, 31, &entry.group);
        }
        let is_device = matches!(entry.kind, Kind::Character | Kind::Block);
        if is_device || matches!(dialect, Dialect::Ustar | Dialect::Pax) {
            builder
                .number(329, 8, entry.device.0.into())
                .number(337, 8, entry.device.1.into());
        }
        if !prefix.is_empty() {
            builder.text(345, 155, prefix);
        }
        self.write(&builder.finish())?;
        Ok(true)
    }

    fn long_link(&mut self, letter: u8, text: &[u8]) -> Result<(), Fatal> {
        let size = text.len() as u64 + 1;
        let mut builder = Builder::new(Dialect::Gnu);
        builder
            .text(0, 100, b"././@LongLink")
            .number(100, 8, 0o644)
            .number(108, 8, 0)
            .number(116, 8, 0)
            .number(124, 12, size.cast_signed())
            .number(136, 12, 0)
            .text(156, 1, &[letter])
            .text(265, 32, b"root")
            .text(297, 32, b"root");
        self.write(&builder.finish())?;
        self.write(text)?;
        let fill = 1 + padding(size) as usize;
        self.write(&vec![0; fill])
    }

    /// Records of pax for what a header cannot say: long names, fractions of seconds, large
    /// numbers.
    fn pax(&mut self, entry: &Entry, split: Option<usize>) -> Result<(), Fatal> {
        let mut records = Vec::new();
        let mut add = |key: &str, value: &[u8]| {
            let rest = key.len() + value.len() + 3;
            let mut length = rest + 1;
            while length != rest + length.to_string().len() {
                length = rest + length.to_string().len();
            }
            records.extend_from_slice(format!("{length} {key}=").as_bytes());
            records.extend_from_slice(value);
            records.push(b'\n');
        };
        let is_ascii = |text: &[u8]| text.is_ascii();
        if (entry.name.len() > 100 && split.is_none()) || !is_ascii(&entry.name) {
            add("path", &entry.name);
        }
        if entry.target.len() > 100 || !is_ascii(&entry.target) {
            add("linkpath", &entry.target);
        }
        if entry.modified.nanoseconds != 0 {
            let fraction = format!("{:09}", entry.modified.nanoseconds);
            add(
                "mtime",
                format!(
                    "{}.{}",
                    entry.modified.seconds,
                    fraction.trim_end_matches('0')
                )
                .as_bytes(),
            );
        }
        if entry.stored >= 1 << 33 {
            add("size", entry.stored.to_string().as_bytes());
        }
        for (key, number) in [("uid", entry.uid), ("gid", entry.gid)] {
            if number >= 1 << 21 {
                add(key, number.to_string().as_bytes());
            }
        }
        if records.is_empty() {
            return Ok(());
        }
        let plain = entry.name.strip_suffix(b"/").unwrap_or(&entry.name);
        let at = plain.iter().rposition(|byte| *byte == b'/');
        let (directory, base) = match at {
            Some(at) => (&plain[..at], &plain[at + 1..]),
            None => (&b"."[..], plain),
        };
        let name = [directory, b"/PaxHeaders/", base].concat();
        let mut builder = Builder::new(Dialect::Pax);
        builder
            .text(0, 100, &name)
            .number(100, 8, 0o644)
            .number(108, 8, 0)
            .number(116, 8, 0)
            .number(124, 12, records.len() as i64)
            .number(136, 12, entry.modified.seconds)
            .text(156, 1, b"x");
        self.write(&builder.finish())?;
        self.write(&records)?;
        let fill = padding(records.len() as u64) as usize;
        self.write(&vec![0; fill])
    }

    /// Says that something went wrong, and goes on.
    pub(crate) fn error(&mut self, message: &[u8]) {
        self.report.write_out();
        self.run.error(message);
    }

    /// Copies members of another archive as they are.
    pub(crate) fn copy(&mut self, from: &mut impl io::Read, length: u64) -> Result<(), Fatal> {
        let result = files::copy(&mut from.take(length), &mut self.out);
        result.map(drop).map_err(|error| self.write_failed(&error))
    }

    /// Writes the end of the archive and removes what is to be removed.
    pub(crate) fn finish(mut self) -> Result<(), Fatal> {
        if let Err(error) = self.report.finish() {
            return Err(Fatal::Output(format!(
                "stdout: write error: {}",
                io_text(&error)
            )));
        }
        self.write(&[0; 2 * BLOCK])?;
        if let Err(error) = self.out.flush() {
            return Err(self.write_failed(&error));
        }
        let written = self.before + self.out.get_ref().count();
        let record = self.settings.blocking * BLOCK as u64;
        let mut fill = (record - written % record) % record;
        while fill > 0 {
            self.write(&[0; BLOCK])?;
            fill -= BLOCK as u64;
        }
        if let Err(error) = self.out.flush() {
            return Err(self.write_failed(&error));
        }
        let total = self.before + self.out.get_ref().count();
        let settings = self.settings;
        let to_remove = std::mem::take(&mut self.to_remove);
        let inner = self
            .out
            .into_inner()
            .map_err(|error| cannot_write(error.error()))?
            .into_inner();
        let finished = match inner {
            Target::Packed(writer) => writer.finish().and_then(|mut sink| sink.finish()),
            Target::Plain(mut sink) => sink.finish(),
            Target::Open(_) => Ok(()),
        };
        finished.map_err(|error| cannot_write(&error))?;
        if settings.totals {
            let size = human_size(total, Units::BinaryInFull);
            eprintln!("Total bytes written: {total} ({size}, ?/s)");
        }
        for (name, is_directory) in to_remove.iter().rev() {
            let result = match is_directory {
                true => std::fs::remove_dir(path(name)),
                false => std::fs::remove_file(path(name)),
            };
            if let Err(error) = result {
                let what = if *is_directory {
                    "Cannot rmdir"
                } else {
                    "Cannot unlink"
                };
                self.run
                    .error(about(name, format!("{what}: {}", io_text(&error))));
            }
        }
        Ok(())
    }
}
