//! Sorting more than memory holds: lines are collected up to a limit, sorted, and written to a
//! temporary file; at the end the files are merged. Most inputs need no file.

use std::cmp::Ordering;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read as _, Seek as _, Write};
use std::path::{Path, PathBuf};

use codepod_tool::io_text;

use crate::arguments::Settings;
use crate::line_order::LineOrder;
use crate::lines::{self, BLOCK, FIRST_BLOCK, Lines, Source};
use crate::radix::{self, Line};
use crate::{merge, write};

/// How much text and lines may take together, in bytes, unless `-S` says otherwise. A process may
/// usually have 256 MB.
const MEMORY: usize = 144 << 20;

/// Sorts the files of the command line.
pub(crate) fn sort(settings: &Settings) -> Result<i32, String> {
    let mut sorter = Sorter::new(settings);
    for name in &settings.files {
        sorter.read(name)?;
    }
    sorter.finish()
}

/// A line with a part that is compared first.
#[derive(Debug)]
struct Keyed {
    /// What is known of its order without looking at the text.
    rank: u64,
    line: (u32, u32),
    /// The part that the first key compares.
    part: (u32, u32),
}

/// Lines that are being collected, and those that were sorted and put away.
struct Sorter<'s> {
    settings: &'s Settings,
    text: Vec<u8>,
    /// How many ends of lines `text` has.
    count: usize,
    runs: Vec<File>,
    memory: usize,
}

impl Sorter<'_> {
    fn new(settings: &Settings) -> Sorter<'_> {
        Sorter {
            settings,
            text: Vec::new(),
            count: 0,
            runs: Vec::new(),
            memory: settings.memory.unwrap_or(MEMORY).max(2 * BLOCK),
        }
    }

    /// Adds a file's lines.
    fn read(&mut self, name: &OsStr) -> Result<(), String> {
        let mut source = Source::open(name)?;
        loop {
            self.make_room()?;
            let old = self.text.len();
            // A small file must not fill a large block.
            self.text.resize(old + old.clamp(FIRST_BLOCK, BLOCK), 0);
            let read = source.read(&mut self.text[old..]);
            self.text.truncate(old + *read.as_ref().unwrap_or(&0));
            let read = read.map_err(|error| lines::read_failed(name, &error))?;
            self.count += memchr::memchr_iter(self.settings.line_end, &self.text[old..]).count();
            if read == 0 {
                break;
            }
        }
        if self
            .text
            .last()
            .is_some_and(|last| *last != self.settings.line_end)
        {
            self.text.push(self.settings.line_end);
            self.count += 1;
        }
        Ok(())
    }

    /// Makes room for a block, in memory if that may be.
    fn make_room(&mut self) -> Result<(), String> {
        let each = if self.settings.order.keys.is_empty() {
            size_of::<Line>()
        } else {
            size_of::<Keyed>()
        };
        let used = self.text.len() + self.count * each;
        let free = self.text.capacity() - self.text.len();
        let full = used + 2 * BLOCK > self.memory && self.count > 0;
        if full
            || (free < BLOCK
                && self
                    .text
                    .try_reserve_exact(self.text.len() / 4 + 2 * BLOCK)
                    .is_err())
        {
            if self.count == 0 {
                return Err("memory exhausted".into());
            }
            self.put_away()?;
        }
        Ok(())
    }

    /// Sorts what was collected and puts it into a temporary file; the beginning of a line stays.
    fn put_away(&mut self) -> Result<(), String> {
        let end = memchr::memrchr(self.settings.line_end, &self.text).map_or(0, |end| end + 1);
        let rest = self.text.split_off(end);
        let file = temporary_file(self.settings.temporary.as_deref())?;
        let mut out = BufWriter::with_capacity(BLOCK, file);
        let text = std::mem::take(&mut self.text);
        let failed = |error: io::Error| format!("write failed: {}", io_text(&error));
        write_sorted(&text, self.count, self.settings, &mut out).map_err(failed)?;
        let mut file = out
            .into_inner()
            .map_err(|error| failed(error.into_error()))?;
        file.rewind().map_err(failed)?;
        self.runs.push(file);
        // The same memory again: what was freed may lie in pieces.
        self.text = text;
        self.text.clear();
        self.text.extend_from_slice(&rest);
        self.count = 0;
        Ok(())
    }

    fn finish(mut self) -> Result<i32, String> {
        if self.runs.is_empty() {
            let (text, count, settings) = (&self.text, self.count, self.settings);
            return write(settings, |out| write_sorted(text, count, settings, out));
        }
        if self.count > 0 {
            self.put_away()?;
        }
        self.text = Vec::new();
        let line_end = self.settings.line_end;
        let runs = self
            .runs
            .into_iter()
            .map(|file| Lines::new(Source::File(file), line_end))
            .collect();
        write(self.settings, |out| {
            merge::lines(runs, &self.settings.order, line_end, out)
        })
    }
}

/// Writes the lines of a text, sorted.
fn write_sorted(
    text: &[u8],
    count: usize,
    settings: &Settings,
    out: &mut dyn Write,
) -> io::Result<()> {
    if settings.order.keys.is_empty() {
        whole_lines(text, count, settings, out)
    } else {
        by_keys(text, count, settings, out)
    }
}

/// Start and length of every line of a text.
fn spans(text: &[u8], line_end: u8) -> impl Iterator<Item = (usize, usize)> {
    let mut start = 0;
    memchr::memchr_iter(line_end, text).map(move |end| {
        let span = (start, end - start);
        start = end + 1;
        span
    })
}

fn whole_lines(
    text: &[u8],
    count: usize,
    settings: &Settings,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut lines = Vec::new();
    reserve(&mut lines, count)?;
    lines.extend(spans(text, settings.line_end).map(|(start, length)| Line {
        bytes: radix::bytes_at(&text[start..start + length], 0),
        start: start as u32,
        length: length as u32,
    }));
    radix::sort(&mut lines, text);
    if settings.order.unique {
        lines.dedup_by(|next, kept| next.length == kept.length && next.of(text) == kept.of(text));
    }
    if settings.order.reverse {
        lines.reverse();
    }
    for line in &lines {
        // The end stands behind it.
        out.write_all(&text[line.start as usize..][..line.length as usize + 1])?;
    }
    Ok(())
}

fn by_keys(text: &[u8], count: usize, settings: &Settings, out: &mut dyn Write) -> io::Result<()> {
    let order = &settings.order;
    let mut lines = Vec::new();
    reserve(&mut lines, count)?;
    lines.extend(spans(text, settings.line_end).map(|(start, length)| {
        let (offset, part) = order.part(&text[start..start + length]);
        Keyed {
            rank: order.rank(part),
            line: (start as u32, length as u32),
            part: ((start + offset) as u32, part.len() as u32),
        }
    }));
    let of = |(start, length): (u32, u32)| &text[start as usize..][..length as usize];
    let compare = |a: &Keyed, b: &Keyed| compare(order, a, b, of);
    if order.stable || order.unique {
        lines.sort_by(compare);
    } else {
        // Lines that compare equal to the end are the same bytes.
        lines.sort_unstable_by(compare);
    }
    if order.unique {
        lines.dedup_by(|next, kept| compare(kept, next) == Ordering::Equal);
    }
    for line in &lines {
        let (start, length) = line.line;
        out.write_all(&text[start as usize..][..length as usize + 1])?;
    }
    Ok(())
}

fn compare<'t>(
    order: &LineOrder,
    a: &Keyed,
    b: &Keyed,
    of: impl Fn((u32, u32)) -> &'t [u8],
) -> Ordering {
    order
        .directed(a.rank.cmp(&b.rank))
        .then_with(|| order.compare_parts(of(a.part), of(b.part)))
        .then_with(|| order.compare_rest(of(a.line), of(b.line)))
}

fn reserve<T>(lines: &mut Vec<T>, count: usize) -> io::Result<()> {
    let reserved = lines.try_reserve_exact(count);
    reserved.map_err(|_| io::Error::new(io::ErrorKind::OutOfMemory, "memory exhausted"))
}

/// A file without a name in `-T`'s directory, `$TMPDIR` or `/tmp`.
fn temporary_file(directory: Option<&OsStr>) -> Result<File, String> {
    let directory = match directory {
        Some(directory) => PathBuf::from(directory),
        None => std::env::var_os("TMPDIR").map_or_else(|| PathBuf::from("/tmp"), PathBuf::from),
    };
    let failed = |error: io::Error| {
        format!(
            "cannot create temporary file in '{}': {}",
            directory.display(),
            io_text(&error)
        )
    };
    for number in 0u32.. {
        let path = directory.join(format!("sort{:08x}{number:x}", random()));
        match OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&path)
        {
            Ok(file) => {
                forget(&path);
                return Ok(file);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 100 => {}
            Err(error) => return Err(failed(error)),
        }
    }
    Err(failed(io::ErrorKind::AlreadyExists.into()))
}

/// Takes a file's name away: it is gone when the process ends, however that comes. Where that
/// cannot be, it stays.
fn forget(path: &Path) {
    let _ = std::fs::remove_file(path);
}

fn random() -> u64 {
    use std::hash::BuildHasher as _;
    std::collections::hash_map::RandomState::new().hash_one(0) & 0xffff_ffff
}
