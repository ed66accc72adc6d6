//! `tar -r`, `-u`, `-A` and `--delete`: what changes an archive that is there.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom, Write as _};

use codepod_tool::{complain, io_text, path};

use super::create::{Creator, Target};
use super::header::BLOCK;
use super::list;
use super::reader::{Bad, Next, Reader};
use super::settings::{Operation, Settings};
use super::{Fatal, Run, about};
use crate::codec::Format;
use crate::system::{self, Moment};

/// One of the four operations.
pub(crate) fn run(
    mut settings: Settings,
    operation: Operation,
    run: &mut Run,
) -> Result<(), Fatal> {
    if settings.compression.is_some() {
        return Err(Fatal::Usage("Cannot update compressed archives".into()));
    }
    if settings.archive == b"-" {
        complain("tar", "Options '-Aru' are incompatible with '-f -'");
        return Err(Fatal::Told);
    }
    if operation != Operation::Delete && !settings.has_names {
        return Err(Fatal::Usage(
            "Cowardly refusing to create an empty archive".into(),
        ));
    }
    let may_create = operation != Operation::Delete;
    let file = File::options()
        .read(true)
        .write(true)
        .create(may_create)
        .truncate(false)
        .open(path(&settings.archive));
    let mut file = match file {
        Ok(file) => file,
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
    };
    let mut start = [0; 6];
    let read = file.read(&mut start).unwrap_or(0);
    if Format::of(&start[..read]).is_some() {
        complain("tar", "Cannot update compressed archives");
        return Err(Fatal::Told);
    }
    rewind(&mut file, 0)?;
    if operation == Operation::Delete {
        return delete(settings, file, run);
    }
    let (end, newest) = scan(&file, &settings, run)?;
    file.set_len(end)
        .map_err(|error| failed(&settings, &error))?;
    rewind(&mut file, end)?;
    let archive = system::stat_open(&file).ok().map(|meta| meta.id);
    if operation == Operation::Concatenate {
        let names: Vec<_> = std::mem::take(&mut settings.names.names);
        let mut creator = Creator::new(&settings, run, Target::Open(file), end, archive);
        for name in &names {
            concatenate(
                &system::join(&name.directory, &name.text),
                &name.text,
                &settings,
                &mut creator,
            )?;
        }
        return creator.finish();
    }
    let keep = |name: &[u8], meta: &system::Meta| {
        operation == Operation::Append
            || newest
                .get(name.strip_suffix(b"/").unwrap_or(name))
                .is_none_or(|stored| {
                    // A header has whole seconds.
                    meta.modified.seconds > stored.seconds
                })
    };
    let mut creator = Creator::new(&settings, run, Target::Open(file), end, archive);
    for name in &settings.names.names {
        creator.add(&name.text, &name.directory, name.recursion, &keep)?;
    }
    creator.finish()
}

fn rewind(file: &mut File, at: u64) -> Result<(), Fatal> {
    file.seek(SeekFrom::Start(at))
        .map(drop)
        .map_err(|error| Fatal::Output(format!("Cannot seek: {}", io_text(&error))))
}

fn failed(settings: &Settings, error: &io::Error) -> Fatal {
    complain(
        "tar",
        about(
            &settings.archive,
            format!("Cannot write: {}", io_text(error)),
        ),
    );
    Fatal::Told
}

fn bad(bad: &Bad) -> Fatal {
    match bad {
        Bad::Truncated => complain("tar", "Unexpected EOF in archive"),
        Bad::Io(error) => complain("tar", format!("Cannot read: {}", io_text(error))),
    }
    Fatal::Told
}

/// Where the archive ends, and when the members were changed.
fn scan(
    file: &File,
    settings: &Settings,
    run: &mut Run,
) -> Result<(u64, HashMap<Vec<u8>, Moment>), Fatal> {
    let mut newest = HashMap::new();
    let mut reader = Reader::new(BufReader::new(file), settings.ignore_zeros);
    loop {
        match reader.next() {
            Ok(Next::Entry(entry)) => {
                let name = entry
                    .name
                    .strip_suffix(b"/")
                    .unwrap_or(&entry.name)
                    .to_vec();
                newest.insert(name, entry.modified);
            }
            Ok(Next::End(_)) => return Ok((reader.start(), newest)),
            Ok(Next::Invalid { first: true }) => {
                run.error("This does not look like a tar archive");
                return Err(Fatal::Told);
            }
            Ok(Next::Invalid { first: false }) => run.error("Skipping to next header"),
            Err(error) => return Err(bad(&error)),
        }
    }
}

/// Adds the members of another archive.
fn concatenate(
    place: &[u8],
    name: &[u8],
    settings: &Settings,
    creator: &mut Creator<'_>,
) -> Result<(), Fatal> {
    let mut file = match system::open(place) {
        Ok(file) => file,
        Err(error) => {
            creator.error(&about(name, format!("Cannot open: {}", io_text(&error))));
            return Ok(());
        }
    };
    let mut run = Run::default();
    let (end, _) = scan(&file, settings, &mut run)?;
    rewind(&mut file, 0)?;
    creator.copy(&mut file, end)
}

/// Moves what is kept towards the start; what is read is always ahead of what is written.
fn delete(mut settings: Settings, file: File, run: &mut Run) -> Result<(), Fatal> {
    let reading = system::open(&settings.archive).map_err(|error| failed(&settings, &error))?;
    let mut kept = Vec::new();
    let mut reader = Reader::new(BufReader::new(reading), settings.ignore_zeros);
    let mut pending: Option<(u64, bool)> = None;
    let end = loop {
        let next = reader.next().map_err(|error| bad(&error))?;
        let start = reader.start();
        if let Some((from, true)) = pending.take() {
            kept.push((from, start));
        }
        match next {
            Next::Entry(entry) => {
                let gone = settings.has_names && settings.names.want(&entry.name).is_some();
                pending = Some((start, !gone));
            }
            Next::End(_) => break start,
            Next::Invalid { first } => list::invalid(first, run),
        }
    };
    let _ = end;
    drop(reader);
    let mut file = file;
    let mut to = 0;
    let mut buffer = vec![0; 64 << 10];
    for (from, until) in kept {
        let mut at = from;
        while at < until {
            let most = usize::try_from(until - at)
                .unwrap_or(usize::MAX)
                .min(buffer.len());
            let moved = file
                .seek(SeekFrom::Start(at))
                .and_then(|_| file.read_exact(&mut buffer[..most]))
                .and_then(|()| file.seek(SeekFrom::Start(to)))
                .and_then(|_| file.write_all(&buffer[..most]));
            moved.map_err(|error| failed(&settings, &error))?;
            at += most as u64;
            to += most as u64;
        }
    }
    let record = settings.blocking * BLOCK as u64;
    let length = (to + 2 * BLOCK as u64).div_ceil(record) * record;
    // Cut and made longer again, what is behind is zeros.
    file.set_len(to)
        .and_then(|()| file.set_len(length))
        .map_err(|error| failed(&settings, &error))?;
    list::missing(&settings, run);
    Ok(())
}
