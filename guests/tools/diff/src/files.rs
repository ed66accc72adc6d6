//! Which files are compared, and what is said of each pair.

use std::io::Read as _;

use codepod_datetime::Civil;
use codepod_posix_regex::Glob;
use codepod_tool::{Arguments, Output, complain, io_text, path};

use crate::arguments::{self, Asked, Style};
use crate::compare::compare;
use crate::hunks::{Change, Trivial, changes};
use crate::lines::{Ignoring, Lines, numbered};
use crate::print::Printer;
use crate::side::SideBySide;

/// How deep directories are followed.
const DEEPEST: usize = 1000;
/// How much is looked at to see whether a file is text.
const LOOKED_AT: usize = 32 << 10;

/// Runs diff and returns its status.
pub(crate) fn main(_: &str, arguments: Arguments) -> i32 {
    codepod_posix_regex::set_locale();
    let asked = match arguments::parse(arguments) {
        Ok(asked) => asked,
        Err(status) => return status,
    };
    let mut differ = Differ {
        asked: &asked,
        out: Output::new(),
        status: 0,
    };
    differ.operands();
    let status = differ.status;
    match differ.out.finish() {
        Ok(()) => status,
        Err(error) => {
            complain("diff", format!("write failed: {}", io_text(&error)));
            2
        }
    }
}

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Missing,
    Directory,
    Regular,
    Empty,
    Link,
    Other,
    Stdin,
}

struct Differ<'a> {
    asked: &'a Asked,
    out: Output,
    status: i32,
}

impl Differ<'_> {
    fn fail(&mut self, name: &[u8], error: &std::io::Error) {
        self.status = 2;
        self.out.write_out();
        complain("diff", [name, b": ", io_text(error).as_bytes()].concat());
    }

    fn differs(&mut self) {
        self.status = self.status.max(1);
    }

    fn kind(&self, name: &[u8]) -> Result<Kind, std::io::Error> {
        if name == b"-" {
            return Ok(Kind::Stdin);
        }
        let metadata = match self.asked.no_dereference {
            true => std::fs::symlink_metadata(path(name)),
            false => std::fs::metadata(path(name)),
        };
        Ok(match metadata {
            Ok(metadata) if metadata.is_dir() => Kind::Directory,
            Ok(metadata) if metadata.is_symlink() => Kind::Link,
            Ok(metadata) if metadata.is_file() && metadata.len() == 0 => Kind::Empty,
            Ok(metadata) if metadata.is_file() => Kind::Regular,
            Ok(_) => Kind::Other,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Kind::Missing,
            Err(error) => return Err(error),
        })
    }

    fn operands(&mut self) {
        let (mut first, mut second) = (self.asked.files[0].clone(), self.asked.files[1].clone());
        let kinds = [&first, &second].map(|name| self.kind(name));
        let mut known = Vec::new();
        for (kind, name) in kinds.into_iter().zip([first.clone(), second.clone()]) {
            match kind {
                Ok(kind) => known.push(kind),
                Err(error) => return self.fail(&name, &error),
            }
        }
        let is_missing = |kind: Kind| kind == Kind::Missing;
        let stands_for_nothing = match (is_missing(known[0]), is_missing(known[1])) {
            (true, true) => false,
            (true, false) => self.asked.new_file || self.asked.unidirectional,
            (false, true) => self.asked.new_file,
            (false, false) => true,
        };
        if !stands_for_nothing {
            let gone = std::io::Error::from(std::io::ErrorKind::NotFound);
            for (kind, name) in known.iter().zip([&first, &second]) {
                if *kind == Kind::Missing {
                    let error = std::fs::metadata(path(name))
                        .err()
                        .unwrap_or_else(|| std::io::Error::new(gone.kind(), "gone"));
                    self.fail(name, &error);
                }
            }
            return;
        }
        match (known[0], known[1]) {
            (Kind::Directory, Kind::Directory) => return self.directories(&first, &second, 0),
            (Kind::Directory, Kind::Missing) | (Kind::Missing, Kind::Directory)
                if self.asked.recursive =>
            {
                return self.directories(&first, &second, 0);
            }
            (Kind::Directory, Kind::Stdin) | (Kind::Stdin, Kind::Directory) => {
                self.status = 2;
                complain("diff", "cannot compare '-' to a directory");
                return;
            }
            (Kind::Directory, _) => first = inside(&first, &second),
            (_, Kind::Directory) => second = inside(&second, &first),
            _ => {}
        }
        self.files(&first, &second);
    }

    /// Compares directories.
    fn directories(&mut self, first: &[u8], second: &[u8], depth: usize) {
        let names = [first, second].map(|name| self.names(name));
        let [Some(one), Some(other)] = names else {
            return;
        };
        if depth >= DEEPEST {
            self.status = 2;
            complain(
                "diff",
                [first, b": directories are nested too deeply"].concat(),
            );
            return;
        }
        let (mut one, mut other) = (one.iter().peekable(), other.iter().peekable());
        loop {
            let order = match (one.peek(), other.peek()) {
                (None, None) => break,
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (Some(left), Some(right)) => left.cmp(right),
            };
            let name = match order {
                std::cmp::Ordering::Greater => other.next(),
                std::cmp::Ordering::Less => one.next(),
                std::cmp::Ordering::Equal => {
                    other.next();
                    one.next()
                }
            };
            let Some(name) = name else {
                break;
            };
            if depth == 0 && self.asked.start.as_ref().is_some_and(|start| name < start) {
                continue;
            }
            match order {
                std::cmp::Ordering::Equal => {
                    self.pair(&joined(first, name), &joined(second, name), depth)
                }
                std::cmp::Ordering::Less if self.asked.new_file => {
                    self.pair(&joined(first, name), &joined(second, name), depth)
                }
                std::cmp::Ordering::Greater if self.asked.new_file || self.asked.unidirectional => {
                    self.pair(&joined(first, name), &joined(second, name), depth);
                }
                _ => {
                    let directory = if order == std::cmp::Ordering::Less {
                        first
                    } else {
                        second
                    };
                    self.out
                        .put(&[b"Only in ", directory, b": ", &name[..], b"\n"].concat());
                    self.differs();
                }
            }
        }
    }

    /// The names in a directory, in order; none where it cannot be read.
    fn names(&mut self, directory: &[u8]) -> Option<Vec<Vec<u8>>> {
        let listed = match std::fs::read_dir(path(directory)) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && self.asked.new_file => {
                return Some(Vec::new());
            }
            listed => listed.and_then(|entries| {
                let names =
                    entries.map(|entry| entry.map(|entry| entry.file_name().into_encoded_bytes()));
                names.collect::<std::io::Result<Vec<Vec<u8>>>>()
            }),
        };
        match listed {
            Ok(mut names) => {
                names.retain(|name| {
                    !self
                        .asked
                        .excluded
                        .iter()
                        .any(|glob| Glob::default().matches(glob, name))
                });
                names.sort_unstable();
                Some(names)
            }
            Err(error) => {
                self.fail(directory, &error);
                None
            }
        }
    }

    /// Compares what has the same name in two directories.
    fn pair(&mut self, first: &[u8], second: &[u8], depth: usize) {
        let (one, other) = match (self.kind(first), self.kind(second)) {
            (Ok(one), Ok(other)) => (one, other),
            (Err(error), _) => return self.fail(first, &error),
            (_, Err(error)) => return self.fail(second, &error),
        };
        let is_directory = |kind: Kind| kind == Kind::Directory;
        let missing = one == Kind::Missing || other == Kind::Missing;
        match (is_directory(one), is_directory(other)) {
            (true, true) if self.asked.recursive => self.directories(first, second, depth + 1),
            (true, true) => {
                self.out
                    .put(&[b"Common subdirectories: ", first, b" and ", second, b"\n"].concat());
            }
            (true, false) | (false, true) if missing => {
                if self.asked.recursive {
                    self.directories(first, second, depth + 1);
                } else {
                    let name = if one == Kind::Missing { second } else { first };
                    let (directory, base) = split(name);
                    self.out
                        .put(&[b"Only in ", directory, b": ", base, b"\n"].concat());
                    self.differs();
                }
            }
            (false, false) => {
                let mark = self.out_switches(first, second);
                self.compare(first, second, Some(mark));
            }
            _ => {
                let (one, other) = (describe(one), describe(other));
                let shown = [
                    self.asked.labels.first().map_or(first, |label| label),
                    self.asked.labels.get(1).map_or(second, |label| label),
                ];
                let text = [
                    b"File ",
                    shown[0],
                    b" is a ",
                    one.as_bytes(),
                    b" while file ",
                    shown[1],
                    b" is a ",
                    other.as_bytes(),
                    b"\n",
                ];
                self.out.put(&text.concat());
                self.differs();
            }
        }
    }

    /// The line that says which files in directories are compared.
    fn out_switches(&self, first: &[u8], second: &[u8]) -> Vec<u8> {
        let first = self.asked.labels.first().map_or(first, |label| label);
        let second = self.asked.labels.get(1).map_or(second, |label| label);
        [
            b"diff",
            &self.asked.switches[..],
            b" ",
            &escaped_name(first),
            b" ",
            &escaped_name(second),
            b"\n",
        ]
        .concat()
    }

    fn files(&mut self, first: &[u8], second: &[u8]) {
        self.compare(first, second, None);
    }

    /// The text of a file; nothing for one that is not there.
    fn read(&mut self, name: &[u8]) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        let result = match name {
            b"-" => std::io::stdin().lock().read_to_end(&mut text).map(|_| ()),
            _ => std::fs::read(path(name)).map(|read| text = read),
        };
        match result {
            Ok(()) => Some(text),
            Err(error)
                if error.kind() == std::io::ErrorKind::NotFound
                    && (self.asked.new_file || self.asked.unidirectional) =>
            {
                Some(Vec::new())
            }
            Err(error) => {
                self.fail(name, &error);
                None
            }
        }
    }

    /// The texts of two files. Standard input is read once and stands for both.
    fn read_both(&mut self, first: &[u8], second: &[u8]) -> Option<[Vec<u8>; 2]> {
        let one = self.read(first)?;
        let other = if second == b"-" && first == b"-" {
            one.clone()
        } else {
            self.read(second)?
        };
        Some([one, other])
    }

    /// Compares two files. In directories, `mark` stands before their differences.
    fn compare(&mut self, first: &[u8], second: &[u8], mark: Option<Vec<u8>>) {
        let asked = self.asked;
        let shown = [
            asked.labels.first().map_or(first, |label| label),
            asked.labels.get(1).map_or(second, |label| label),
        ];
        let Some([one, other]) = self.read_both(first, second) else {
            return;
        };
        // Side by side, everything is shown even where nothing differs.
        let shows_all = asked.style == Style::SideBySide
            && !asked.suppress_common
            && mark.is_none()
            && !asked.brief;
        let same = one == other;
        if same && !shows_all {
            return self.identical(shown);
        }
        if !asked.text && (is_binary(&one) || is_binary(&other)) {
            if same {
                return self.identical(shown);
            }
            let noun: &[u8] = if asked.brief {
                b"Files"
            } else {
                b"Binary files"
            };
            self.put_about(noun, shown, b"differ");
            return self.differs();
        }
        if asked.brief && is_exact(asked) {
            self.put_about(b"Files", shown, b"differ");
            return self.differs();
        }
        let headers = [self.header(first, 0), self.header(second, 1)];
        let files = [one, other].map(|text| Lines::new(text, asked.ignoring.trailing_cr));
        let list = marked_changes(asked, &files);
        let counts = list.iter().any(|change| !change.ignored);
        if counts {
            self.differs();
        } else if asked.style != Style::SideBySide {
            return self.identical(shown);
        }
        if asked.brief {
            return self.put_about(b"Files", shown, b"differ");
        }
        if let Some(mark) = mark.filter(|_| counts) {
            self.out.put(&mark);
        }
        let [one, other] = &files;
        if asked.style == Style::SideBySide {
            SideBySide::new(asked, [one, other], &mut self.out).all(&list);
            return;
        }
        Printer {
            asked,
            files: [one, other],
            headers,
            out: &mut self.out,
        }
        .all(&list);
        if matches!(asked.style, Style::Ed | Style::ForwardEd) {
            self.complain_unended(&files, shown);
        }
    }

    /// A script for ed cannot say that a line has no end.
    fn complain_unended(&mut self, files: &[Lines; 2], shown: [&[u8]; 2]) {
        for (lines, name) in files.iter().zip(shown) {
            if lines.unended {
                self.status = 2;
                self.out.write_out();
                complain("diff", [name, b": No newline at end of file\n"].concat());
            }
        }
    }

    fn identical(&mut self, shown: [&[u8]; 2]) {
        if self.asked.report_identical {
            self.put_about(b"Files", shown, b"are identical");
        }
    }

    /// A line about two files: `Files a and b differ`.
    fn put_about(&mut self, noun: &[u8], shown: [&[u8]; 2], verb: &[u8]) {
        let [one, other] = shown;
        self.out
            .put(&[noun, b" ", one, b" and ", other, b" ", verb, b"\n"].concat());
    }

    /// A file's name and time, as they stand at the top.
    fn header(&self, name: &[u8], side: usize) -> Vec<u8> {
        if let Some(label) = self.asked.labels.get(side) {
            return label.clone();
        }
        let time = match name {
            b"-" => std::time::SystemTime::now()
                .duration_since(std::time::UNIX_EPOCH)
                .ok(),
            _ => std::fs::metadata(path(name))
                .and_then(|metadata| metadata.modified())
                .ok()
                .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok()),
        };
        let time = time.unwrap_or_default();
        [
            &escaped_name(name)[..],
            b"\t",
            timestamp(time.as_secs() as i64, time.subsec_nanos()).as_bytes(),
        ]
        .concat()
    }
}

fn is_binary(text: &[u8]) -> bool {
    memchr::memchr(0, &text[..text.len().min(LOOKED_AT)]).is_some()
}

/// Whether every difference counts.
fn is_exact(asked: &Asked) -> bool {
    let exact = Ignoring {
        tab_size: asked.ignoring.tab_size,
        ..Ignoring::default()
    };
    asked.ignoring == exact && !asked.blank_lines && asked.matching.is_none()
}

/// What changed between two files, with the changes marked that do not count.
fn marked_changes(asked: &Asked, files: &[Lines; 2]) -> Vec<Change> {
    let [one, other] = files;
    let [left, right] = numbered([one, other], asked.ignoring);
    let mut list = changes(&compare(&left, &right, asked.horizon, asked.minimal));
    let trivial = Trivial {
        blank: asked.blank_lines,
        matching: asked.matching.as_ref(),
        ignoring: asked.ignoring,
    };
    crate::hunks::mark(&mut list, [one, other], &trivial);
    list
}

/// A name that patch can read: in quotes where it has something special, which every byte is that
/// is no ASCII.
fn escaped_name(name: &[u8]) -> Vec<u8> {
    let special = |byte: &u8| *byte <= 0x20 || matches!(*byte, b'"' | b'\\' | 0x80..);
    if !name.iter().any(special) {
        return name.to_vec();
    }
    let mut out = vec![b'"'];
    for &byte in name {
        let letter = match byte {
            7 => b'a',
            8 => b'b',
            b'\t' => b't',
            b'\n' => b'n',
            11 => b'v',
            12 => b'f',
            b'\r' => b'r',
            b'"' | b'\\' => byte,
            _ if special(&byte) && byte != b' ' => {
                out.extend_from_slice(format!("\\{byte:03o}").as_bytes());
                continue;
            }
            _ => {
                out.push(byte);
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', letter]);
    }
    out.push(b'"');
    out
}

/// `2020-01-01 12:00:00.000000000 +0000`
fn timestamp(seconds: i64, nanoseconds: u32) -> String {
    let at = Civil::from_seconds(seconds);
    format!(
        "{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{nanoseconds:09} +0000",
        at.year, at.month, at.day, at.hour, at.minute, at.second
    )
}

fn describe(kind: Kind) -> &'static str {
    match kind {
        Kind::Directory => "directory",
        Kind::Empty => "regular empty file",
        Kind::Link => "symbolic link",
        Kind::Other => "special file",
        _ => "regular file",
    }
}

fn joined(directory: &[u8], name: &[u8]) -> Vec<u8> {
    let separator: &[u8] = if directory.ends_with(b"/") { b"" } else { b"/" };
    [directory, separator, name].concat()
}

/// The file in a directory that has another's last name.
fn inside(directory: &[u8], other: &[u8]) -> Vec<u8> {
    joined(directory, split(other).1)
}

/// A path's directory and last part.
fn split(name: &[u8]) -> (&[u8], &[u8]) {
    match name.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (&name[..at], &name[at + 1..]),
        None => (b".", name),
    }
}
