//! `tar -d`: what differs between the archive and the files.

use std::io::Read as _;

use codepod_tool::{Output, io_text};

use super::header::{self, Entry, Kind};
use super::list::{self, Lister};
use super::reader::{Bad, Next, Reader};
use super::settings::Settings;
use super::source::Source;
use super::{Fatal, Run, about, safe, shown, source};
use crate::system;

/// `tar -d`.
pub(crate) fn run(mut settings: Settings, run: &mut Run) -> Result<(), Fatal> {
    let source = source::open(&settings, run)?;
    let mut reader = Reader::new(source, settings.ignore_zeros);
    let mut lister = Lister::new(&settings);
    let mut out = Output::new();
    let result = loop {
        let entry = match reader.next() {
            Ok(Next::Entry(entry)) => entry,
            Ok(Next::End(_)) => break Ok(()),
            Ok(Next::Invalid { first }) => {
                out.write_out();
                list::invalid(first, run);
                continue;
            }
            Err(bad) => break Err(bad),
        };
        if !list::wanted(&mut settings, &entry) {
            continue;
        }
        if settings.verbose > 1 {
            out.put(&lister.long(&entry, &entry.name));
        } else if settings.verbose == 1 {
            out.put(&[&shown(&entry.name)[..], b"\n"].concat());
        }
        match compare(&mut reader, &entry, &settings, &mut out, run) {
            Ok(()) => {}
            Err(bad) => break Err(bad),
        }
    };
    out.write_out();
    match result {
        Ok(()) => reader.inner().finish()?,
        Err(bad) => return Err(reader.inner().failed(&bad)),
    }
    list::missing(&settings, run);
    Ok(())
}

fn compare(
    reader: &mut Reader<Source>,
    entry: &Entry,
    settings: &Settings,
    out: &mut Output,
    run: &mut Run,
) -> Result<(), Bad> {
    let plain = safe::name(&entry.name, false, settings.absolute, run).to_vec();
    let place = system::join(
        &settings.directory,
        plain.strip_suffix(b"/").unwrap_or(&plain),
    );
    let name = plain.strip_suffix(b"/").unwrap_or(&plain);
    let mut differs = |text: &str, run: &mut Run| {
        out.put(&about(name, text));
        out.put(b"\n");
        run.status = run.status.max(1);
    };
    let meta = match system::stat(&place, settings.dereference) {
        Ok(meta) => meta,
        Err(error) => {
            out.write_out();
            run.warn(about(
                name,
                format!("Warning: Cannot stat: {}", io_text(&error)),
            ));
            run.status = run.status.max(1);
            return Ok(());
        }
    };
    let same_kind = match entry.kind {
        Kind::Link => true,
        kind => header::kind_of(&meta) == Some(kind),
    };
    if !same_kind {
        differs("File type differs", run);
        return Ok(());
    }
    if entry.kind == Kind::Link {
        let target = safe::name(&entry.target, true, settings.absolute, run);
        let other = system::stat(&system::join(&settings.directory, target), false);
        if !other.is_ok_and(|other| other.id == meta.id) {
            let text = [b"Not linked to ", &shown(target)[..]].concat();
            differs(&String::from_utf8_lossy(&text), run);
        }
        return Ok(());
    }
    if entry.kind == Kind::Symlink {
        if system::read_link(&place).ok().as_ref() != Some(&entry.target) {
            differs("Symlink differs", run);
        }
        return Ok(());
    }
    if meta.mode & 0o7777 != entry.mode {
        differs("Mode differs", run);
    }
    if entry.kind == Kind::Directory {
        return Ok(());
    }
    if u64::from(meta.uid) != entry.uid {
        differs("Uid differs", run);
    }
    if u64::from(meta.gid) != entry.gid {
        differs("Gid differs", run);
    }
    let exact = entry.modified.nanoseconds != 0;
    if meta.modified.seconds != entry.modified.seconds || (exact && meta.modified != entry.modified)
    {
        differs("Mod time differs", run);
    }
    if entry.kind != Kind::File {
        return Ok(());
    }
    if meta.size != entry.size {
        differs("Size differs", run);
        return Ok(());
    }
    if entry.pieces.is_some() {
        return Ok(());
    }
    let mut file = match system::open(&place) {
        Ok(file) => file,
        Err(error) => {
            out.write_out();
            run.error(about(name, format!("Cannot open: {}", io_text(&error))));
            return Ok(());
        }
    };
    let (mut stored, mut real) = (vec![0; 32 << 10], vec![0; 32 << 10]);
    loop {
        let read = reader.read_content(&mut stored)?;
        if read == 0 {
            return Ok(());
        }
        if file.read_exact(&mut real[..read]).is_err() || stored[..read] != real[..read] {
            differs("Contents differ", run);
            return Ok(());
        }
    }
}
