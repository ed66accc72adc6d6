//! `tar -t`, and the lines that `-v` prints.

use codepod_datetime::Civil;
use codepod_tool::Output;

use super::header::{Entry, Kind, mode_text};
use super::reader::{Next, Reader};
use super::settings::Settings;
use super::transform::Use;
use super::{Fatal, Run, about, safe, shown, source};

/// Prints names and long lines, in columns that grow with what they hold.
pub(crate) struct Lister {
    width: usize,
    numeric: bool,
    full_time: bool,
}

impl Lister {
    /// For these settings.
    pub(crate) fn new(settings: &Settings) -> Lister {
        Lister {
            width: 19,
            numeric: settings.numeric,
            full_time: settings.full_time,
        }
    }

    /// A line as `-tv` prints it.
    pub(crate) fn long(&mut self, entry: &Entry, name: &[u8]) -> Vec<u8> {
        let owner = |name: &[u8], number: u64| match name {
            b"" => number.to_string().into_bytes(),
            _ if self.numeric => number.to_string().into_bytes(),
            name => name.to_vec(),
        };
        let user = owner(&entry.user, entry.uid);
        let group = owner(&entry.group, entry.gid);
        let size = match entry.kind {
            Kind::Character | Kind::Block => format!("{},{}", entry.device.0, entry.device.1),
            _ => entry.size.to_string(),
        };
        let taken = user.len() + group.len() + size.len() + 2;
        self.width = self.width.max(taken);
        let mut line = format!("{} ", mode_text(entry.kind, entry.mode)).into_bytes();
        line.extend_from_slice(&user);
        line.push(b'/');
        line.extend_from_slice(&group);
        let pad = self.width - taken + size.len();
        let date = Civil::from_seconds(entry.modified.seconds);
        let (y, mo, d, h, mi, s) = (
            date.year,
            date.month,
            date.day,
            date.hour,
            date.minute,
            date.second,
        );
        let mut time = format!("{y:04}-{mo:02}-{d:02} {h:02}:{mi:02}");
        if self.full_time {
            time.push_str(&format!(":{s:02}"));
            if entry.modified.nanoseconds != 0 {
                let fraction = format!("{:09}", entry.modified.nanoseconds);
                time.push_str(&format!(".{}", fraction.trim_end_matches('0')));
            }
        }
        line.extend_from_slice(format!(" {size:>pad$} {time} ").as_bytes());
        line.extend_from_slice(&shown(name));
        match entry.kind {
            Kind::Symlink => line.extend_from_slice(&[b" -> ", &shown(&entry.target)[..]].concat()),
            Kind::Link => {
                line.extend_from_slice(&[b" link to ", &shown(&entry.target)[..]].concat())
            }
            Kind::Label => line.extend_from_slice(b"--Volume Header--"),
            Kind::Other(letter) => {
                line.extend_from_slice(
                    format!(" unknown file type '{}'", char::from(letter)).as_bytes(),
                );
            }
            _ => {}
        }
        line.push(b'\n');
        line
    }
}

/// Whether a member is wanted: named, and not left out.
pub(crate) fn wanted(settings: &mut Settings, entry: &Entry) -> bool {
    let name = &entry.name;
    let excluded = settings.exclude.iter().any(|pattern| pattern.matches(name));
    if settings.has_names {
        let Some(found) = settings.names.want(name) else {
            return false;
        };
        if settings
            .occurrence
            .is_some_and(|number| found.found != number)
        {
            return false;
        }
    }
    if let Some(newer) = settings.newer
        && entry.modified < newer
        && entry.kind != Kind::Directory
    {
        return false;
    }
    !excluded
}

/// Says which names were not found.
pub(crate) fn missing(settings: &Settings, run: &mut Run) {
    let is_pattern = |text: &[u8]| text.iter().any(|byte| b"*?[".contains(byte));
    let lost = || settings.names.names.iter().filter(|name| name.found == 0);
    if lost().any(|name| !name.pattern.style.wildcards && is_pattern(&name.text)) {
        run.warn("Pattern matching characters used in file names");
        run.warn("Use --wildcards to enable pattern matching, or --no-wildcards to suppress this warning");
    }
    for name in lost() {
        run.error(about(&name.text, "Not found in archive"));
    }
}

/// What to do with a block that is no header; whether anything is to be read on.
pub(crate) fn invalid(first: bool, run: &mut Run) {
    if first {
        run.error("This does not look like a tar archive");
    }
    run.error("Skipping to next header");
}

/// `tar -t`.
pub(crate) fn run(mut settings: Settings, run: &mut Run) -> Result<(), Fatal> {
    let source = source::open(&settings, run)?;
    let mut reader = Reader::new(source, settings.ignore_zeros);
    let mut lister = Lister::new(&settings);
    let mut out = Output::new();
    let result = loop {
        let entry = match reader.next() {
            Ok(Next::Entry(entry)) => entry,
            Ok(Next::End(lone)) => {
                if let Some(block) = lone {
                    run.warn(format!("A lone zero block at {block}"));
                }
                break Ok(());
            }
            Ok(Next::Invalid { first }) => {
                out.write_out();
                invalid(first, run);
                continue;
            }
            Err(bad) => break Err(bad),
        };
        if !wanted(&mut settings, &entry) {
            continue;
        }
        if safe::unsafe_prefix(&entry.name) > 0 {
            out.write_out();
            safe::name(&entry.name, false, settings.absolute, run);
        }
        let name = match settings.show_transformed {
            true => settings.transform.apply(&entry.name, Use::Name),
            false => entry.name.clone(),
        };
        if settings.verbose > 0 {
            out.put(&lister.long(&entry, &name));
        } else {
            out.put(&shown(&name));
            out.put(b"\n");
        }
    };
    out.write_out();
    let result = match result {
        Ok(()) => reader.inner().finish(),
        Err(bad) => Err(reader.inner().failed(&bad)),
    };
    if let Err(error) = out.finish() {
        return Err(Fatal::Output(format!(
            "stdout: write error: {}",
            codepod_tool::io_text(&error)
        )));
    }
    result?;
    missing(&settings, run);
    Ok(())
}
