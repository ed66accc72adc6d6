//! `sort`: sorts, merges and checks lines, as GNU does in the C locale.
//!
//! uutils' own needs threads to merge and to check, and is not used for that reason. Everything is kept
//! in memory: a process has no more than its limit anyway, and temporary files would count against the
//! same sandbox. So `-S`, `-T`, `--batch-size`, `--parallel` and `--compress-program` are accepted and change nothing.

mod arguments;
mod key;
mod order;

use std::cmp::Ordering;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};

use super::{Arguments, complain};
use arguments::{Job, Settings};
use key::Key;

const TOOL: &str = "sort";

/// The status for everything but disorder.
const FAILURE: i32 = 2;

pub(super) fn main(arguments: Arguments) -> i32 {
    let settings = match arguments::parse(arguments) {
        Ok(settings) => settings,
        Err(status) => return status,
    };
    let result = match settings.job {
        Job::Check { silent } => check(&settings, silent),
        Job::Merge => merge(&settings),
        Job::Sort => sort(&settings),
    };
    result.unwrap_or_else(|message| {
        complain(TOOL, &message);
        FAILURE
    })
}

/// A line and where it belongs.
struct Entry {
    /// What is known of its order without looking at the text.
    rank: u64,
    line: Span,
    /// The part that the first key compares.
    part: Span,
}

/// A piece of the text that was read.
#[derive(Clone, Copy)]
struct Span {
    start: u32,
    length: u32,
}

impl Span {
    fn of(self, text: &[u8]) -> &[u8] {
        &text[self.start as usize..][..self.length as usize]
    }
}

fn sort(settings: &Settings) -> Result<i32, String> {
    let mut text = Vec::new();
    for name in &settings.files {
        read(name, &mut text, settings.line_end)?;
    }
    let order = &settings.order;
    let mut entries = entries(&text, settings);
    let compare = |a: &Entry, b: &Entry| {
        let parts = || order.compare_parts(a.part.of(&text), b.part.of(&text));
        order
            .directed(a.rank.cmp(&b.rank))
            .then_with(parts)
            .then_with(|| order.compare_rest(a.line.of(&text), b.line.of(&text)))
    };
    if order.stable || order.unique {
        entries.sort_by(compare);
    } else {
        // Lines that compare equal to the end are the same bytes.
        entries.sort_unstable_by(compare);
    }
    if order.unique {
        entries.dedup_by(|next, kept| compare(kept, next) == Ordering::Equal);
    }
    let end = settings.line_end;
    write(settings, |out| {
        entries.iter().try_for_each(|entry| {
            out.write_all(entry.line.of(&text))?;
            out.write_all(&[end])
        })
    })
}

fn entries(text: &[u8], settings: &Settings) -> Vec<Entry> {
    // Counting first is quicker than growing.
    let count = memchr::memchr_iter(settings.line_end, text).count();
    let mut entries = Vec::with_capacity(count);
    let span = |start, length| Span {
        start: start as u32,
        length: length as u32,
    };
    let mut start = 0;
    for end in memchr::memchr_iter(settings.line_end, text) {
        let (offset, part) = settings.order.part(&text[start..end]);
        entries.push(Entry {
            rank: settings.order.rank(part),
            line: span(start, end - start),
            part: span(start + offset, part.len()),
        });
        start = end + 1;
    }
    entries
}

/// Adds a file's text to `text`, with the end of the last line where that is missing.
fn read(name: &OsStr, text: &mut Vec<u8>, line_end: u8) -> Result<(), String> {
    let shown = name.to_string_lossy();
    let start = text.len();
    let result = if name == "-" {
        io::stdin().lock().read_to_end(text)
    } else {
        let mut file = File::open(name).map_err(|error| {
            format!(
                "cannot read: {shown}: {}",
                uucore::error::strip_errno(&error)
            )
        })?;
        file.read_to_end(text)
    };
    result.map_err(|error| {
        format!(
            "read failed: {shown}: {}",
            uucore::error::strip_errno(&error)
        )
    })?;
    if text.len() > start && text.last() != Some(&line_end) {
        text.push(line_end);
    }
    if u32::try_from(text.len()).is_err() {
        return Err("memory exhausted".into());
    }
    Ok(())
}

/// Opens the output, hands it to `write_lines` and flushes it.
fn write(
    settings: &Settings,
    write_lines: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<i32, String> {
    let name = settings.output.as_deref();
    let mut out: BufWriter<Box<dyn Write>> = match name {
        None => BufWriter::with_capacity(1 << 16, Box::new(io::stdout().lock())),
        Some(name) => {
            let file = File::create(name).map_err(|error| {
                let (name, why) = (name.to_string_lossy(), uucore::error::strip_errno(&error));
                format!("open failed: {name}: {why}")
            })?;
            BufWriter::with_capacity(1 << 16, Box::new(file))
        }
    };
    let result = write_lines(&mut out).and_then(|()| out.flush());
    result.map_err(|error| {
        let name = name.map_or("standard output".into(), OsStr::to_string_lossy);
        let why = uucore::error::strip_errno(&error);
        format!("write failed: '{name}': {why}")
    })?;
    Ok(0)
}

/// Finds the first line that should stand before its predecessor.
fn check(settings: &Settings, silent: bool) -> Result<i32, String> {
    let name = &settings.files[0];
    let mut text = Vec::new();
    read(name, &mut text, settings.line_end)?;
    let mut previous: Option<&[u8]> = None;
    for (number, line) in lines(&text, settings.line_end).enumerate() {
        let wrong = previous.is_some_and(|previous| match settings.order.compare(previous, line) {
            Ordering::Less => false,
            Ordering::Equal => settings.order.unique,
            Ordering::Greater => true,
        });
        if wrong {
            if !silent {
                let mut message = format!(
                    "sort: {}:{}: disorder: ",
                    name.to_string_lossy(),
                    number + 1
                )
                .into_bytes();
                message.extend_from_slice(line);
                message.push(b'\n');
                // The status says it as well.
                let _ = io::stderr().write_all(&message);
            }
            return Ok(1);
        }
        previous = Some(line);
    }
    Ok(0)
}

fn lines(text: &[u8], line_end: u8) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    memchr::memchr_iter(line_end, text).map(move |end| {
        let line = &text[start..end];
        start = end + 1;
        line
    })
}

/// Merges files that are sorted already. Of equal lines, that of the earlier file comes first.
fn merge(settings: &Settings) -> Result<i32, String> {
    let mut texts = Vec::new();
    for name in &settings.files {
        let mut text = Vec::new();
        read(name, &mut text, settings.line_end)?;
        texts.push(text);
    }
    let order = &settings.order;
    let mut sources: Vec<_> = texts
        .iter()
        .map(|text| lines(text, settings.line_end))
        .collect();
    // The next line of each file, the one to write last.
    let mut heads: Vec<(&[u8], usize)> = Vec::new();
    for (file, source) in sources.iter_mut().enumerate() {
        if let Some(line) = source.next() {
            insert(order, &mut heads, line, file);
        }
    }
    write(settings, |out| {
        let mut written: Option<&[u8]> = None;
        while let Some((line, file)) = heads.pop() {
            let again = order.unique
                && written.is_some_and(|written| order.compare(written, line) == Ordering::Equal);
            if !again {
                out.write_all(line)?;
                out.write_all(&[settings.line_end])?;
                written = Some(line);
            }
            if let Some(line) = sources[file].next() {
                insert(order, &mut heads, line, file);
            }
        }
        Ok(())
    })
}

/// Puts a file's next line where it belongs among those of the other files, the last one to be written first.
fn insert<'t>(order: &LineOrder, heads: &mut Vec<(&'t [u8], usize)>, line: &'t [u8], file: usize) {
    let later = |&(other, other_file): &(&[u8], usize)| match order.compare(other, line) {
        Ordering::Greater => true,
        Ordering::Equal => other_file > file,
        Ordering::Less => false,
    };
    heads.insert(heads.partition_point(later), (line, file));
}

/// What decides which of two lines comes first.
#[derive(Debug)]
struct LineOrder {
    /// Without one, whole lines are compared.
    keys: Vec<Key>,
    separator: Option<u8>,
    /// `-r` for the comparison of whole lines.
    reverse: bool,
    /// Lines whose keys are equal keep their order.
    stable: bool,
    /// Only the first of lines whose keys are equal is kept.
    unique: bool,
    salt: [u8; 16],
}

impl LineOrder {
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        self.compare_parts(self.part(a).1, self.part(b).1)
            .then_with(|| self.compare_rest(a, b))
    }

    /// What the first key compares of a line, and where it starts.
    fn part<'l>(&self, line: &'l [u8]) -> (usize, &'l [u8]) {
        match self.keys.first() {
            Some(key) => key.of(line, self.separator),
            None => (0, line),
        }
    }

    fn compare_parts(&self, a: &[u8], b: &[u8]) -> Ordering {
        match self.keys.first() {
            Some(key) => key.compare(a, b, &self.salt),
            None => self.directed(a.cmp(b)),
        }
    }

    /// Compares lines whose first keys are equal.
    fn compare_rest(&self, a: &[u8], b: &[u8]) -> Ordering {
        if self.keys.is_empty() {
            return Ordering::Equal;
        }
        for key in &self.keys[1..] {
            let (_, part_a) = key.of(a, self.separator);
            let (_, part_b) = key.of(b, self.separator);
            let result = key.compare(part_a, part_b, &self.salt);
            if result != Ordering::Equal {
                return result;
            }
        }
        match (self.stable || self.unique, self.reverse) {
            (true, _) => Ordering::Equal,
            (false, true) => b.cmp(a),
            (false, false) => a.cmp(b),
        }
    }

    /// A number for what the first key compares: where two differ, the lines compare so, but for the direction.
    fn rank(&self, part: &[u8]) -> u64 {
        match self.keys.first() {
            Some(key) => key.rank(part, &self.salt),
            None => order::Order::Bytes.rank(part, &self.salt),
        }
    }

    fn directed(&self, result: Ordering) -> Ordering {
        match self.keys.first() {
            Some(key) => key.directed(result),
            None if self.reverse => result.reverse(),
            None => result,
        }
    }
}

/// The name of a file that was given, or stdin's.
fn or_stdin(files: Vec<OsString>) -> Vec<OsString> {
    match files.is_empty() {
        true => vec!["-".into()],
        false => files,
    }
}
