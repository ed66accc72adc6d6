//! `ls`, `dir` and `vdir`: what is in directories.

mod color;
mod entry;
mod layout;
pub(crate) mod long;
mod options;
mod sort;

use std::collections::VecDeque;

use codepod_tool::{Arguments, Output, complain, errno_text, quoted};

use self::color::Colors;
use self::entry::Entry;
pub(crate) use self::long::{major, minor};
use self::options::{Follow, Format, Settings};
use crate::mode::{is_directory, is_link};
use crate::names::Names;
use crate::quoting::quote;
use crate::system::{self, Errno, Links};

/// Runs it; `tool` says which of the three it is.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let (settings, operands) = match options::read(tool, arguments) {
        Ok(read) => read,
        Err(stop) => return stop.report(tool, 2),
    };
    let colors = if settings.color {
        Colors::from_environment()
    } else {
        None
    };
    let mut settings = settings;
    if colors.is_some() {
        settings.tab = 0;
    }
    let mut ls = Ls {
        tool,
        settings,
        colors,
        out: Output::new(),
        names: Names::default(),
        status: 0,
        first: true,
    };
    ls.run(operands);
    if let Err(error) = ls.out.finish() {
        complain(tool, format!("write error: {}", system::io_message(&error)));
        return 2;
    }
    ls.status
}

struct Ls<'a> {
    tool: &'a str,
    settings: Settings,
    colors: Option<Colors>,
    out: Output,
    names: Names,
    status: i32,
    /// Whether nothing was printed yet.
    first: bool,
}

/// A directory to list: its path, and the inodes of those it is in, for loops.
struct Pending {
    path: Vec<u8>,
    above: Vec<(u64, u64)>,
    on_command_line: bool,
}

impl Ls<'_> {
    fn run(&mut self, operands: Vec<Vec<u8>>) {
        let several = operands.len() > 1;
        let operands = if operands.is_empty() {
            vec![b".".to_vec()]
        } else {
            operands
        };
        let (mut files, mut directories) = (Vec::new(), Vec::new());
        for path in operands {
            match self.operand(&path) {
                Ok(entry) if is_directory(entry.stat.mode) && !self.settings.directory => {
                    directories.push(entry)
                }
                Ok(entry) => files.push(entry),
                Err(errno) => self.fail(2, b"cannot access ", &path, errno),
            }
        }
        sort::sort(&mut files, &self.settings);
        sort::sort(&mut directories, &self.settings);
        let any_file = !files.is_empty();
        if any_file {
            self.first = false;
            self.print(&files, false, &directories);
        }
        let headings = several || any_file || self.settings.recursive || directories.len() > 1;
        let queue = directories.into_iter();
        let mut queue: VecDeque<Pending> = queue
            .map(|entry| Pending {
                path: entry.name,
                above: Vec::new(),
                on_command_line: true,
            })
            .collect();
        while let Some(pending) = queue.pop_front() {
            let below = self.directory(pending, headings);
            for pending in below.into_iter().rev() {
                queue.push_front(pending);
            }
            if self.out.is_broken() {
                break;
            }
        }
    }

    /// What is known of an operand. A link to a directory counts as that, unless it is shown
    /// itself.
    fn operand(&self, path: &[u8]) -> Result<Entry, Errno> {
        let keep = || system::stat(path, Links::Keep);
        let stat = match self.settings.follow {
            Follow::Always | Follow::Operands => match system::stat(path, Links::Follow) {
                // A link that leads nowhere is shown as one with -L.
                Err(errno) if self.settings.follow == Follow::Operands => Err(errno),
                found => found,
            },
            Follow::OperandsToDirectories => match system::stat(path, Links::Follow) {
                Ok(found) if is_directory(found.mode) => Ok(found),
                _ => keep(),
            },
            Follow::Never => keep(),
        }?;
        Ok(Entry::new(
            path.to_vec(),
            path.to_vec(),
            stat,
            &self.settings,
            self.colors.is_some(),
        ))
    }

    fn fail(&mut self, status: i32, what: &[u8], path: &[u8], errno: Errno) {
        // What was printed comes first.
        self.out.write_out();
        complain(
            self.tool,
            [what, &quoted(path), b": ", errno_text(errno).as_bytes()].concat(),
        );
        self.status = self.status.max(status);
    }

    /// Lists a directory and returns those in it that are to be listed next.
    fn directory(&mut self, mut pending: Pending, heading: bool) -> Vec<Pending> {
        if self.settings.recursive && !self.enter(&mut pending) {
            return Vec::new();
        }
        let names = match system::list(&pending.path) {
            Ok(names) => names,
            Err(errno) => {
                let serious = if pending.on_command_line { 2 } else { 1 };
                self.fail(serious, b"cannot open directory ", &pending.path, errno);
                return Vec::new();
            }
        };
        let mut entries = self.entries(&pending.path, names);
        sort::sort(&mut entries, &self.settings);
        if heading {
            self.heading(&pending.path);
        }
        self.first = false;
        self.print(&entries, true, &[]);
        if !self.settings.recursive {
            return Vec::new();
        }
        let inner = entries
            .iter()
            .filter(|entry| is_directory(entry.stat.mode) && !is_dots(&entry.name));
        let inner = inner.map(|entry| Pending {
            path: join(&pending.path, &entry.name),
            above: pending.above.clone(),
            on_command_line: false,
        });
        inner.collect()
    }

    /// Notes the directory among those that are above what it holds. Returns whether it was not
    /// there yet; says so where it was.
    fn enter(&mut self, pending: &mut Pending) -> bool {
        let Ok(own) = system::stat(&pending.path, Links::Follow) else {
            return true;
        };
        if pending.above.contains(&(own.dev, own.ino)) {
            self.out.write_out();
            let what = b": not listing already-listed directory";
            complain(self.tool, [&quoted(&pending.path)[..], what].concat());
            self.status = 2;
            return false;
        }
        pending.above.push((own.dev, own.ino));
        true
    }

    /// Those of a directory's names that are shown, with what is known of them.
    fn entries(&mut self, directory: &[u8], names: Vec<Vec<u8>>) -> Vec<Entry> {
        let dots = self
            .settings
            .all
            .then_some([b".".to_vec(), b"..".to_vec()])
            .into_iter()
            .flatten();
        let mut entries = Vec::new();
        for name in dots.chain(names) {
            let ignored = if is_dots(&name) {
                self.settings.ignores_pattern(&name)
            } else {
                self.settings.ignores(&name)
            };
            if !ignored {
                entries.extend(self.entry(directory, name));
            }
        }
        entries
    }

    /// What is known of a name in a directory; none, after saying so, if that is nothing at all.
    fn entry(&mut self, directory: &[u8], name: Vec<u8>) -> Option<Entry> {
        let path = if directory == b"." {
            name.clone()
        } else {
            join(directory, &name)
        };
        let links = if self.settings.follow == Follow::Always {
            Links::Follow
        } else {
            Links::Keep
        };
        let errno = match system::stat(&path, links) {
            Ok(stat) => {
                let color = self.colors.is_some();
                return Some(Entry::new(name, path, stat, &self.settings, color));
            }
            Err(errno) => errno,
        };
        match system::stat(&path, Links::Keep) {
            // -L: a link that leads nowhere. Where only its name is shown, nobody has to know.
            Ok(stat) if !self.settings.needs_stat() => {
                Some(Entry::new(name, path, stat, &self.settings, false))
            }
            Ok(_) => {
                self.fail(1, b"cannot access ", &path, errno);
                Some(Entry::unknown(name, path, &self.settings))
            }
            Err(_) => {
                self.fail(1, b"cannot access ", &path, errno);
                None
            }
        }
    }

    /// The line above a directory's entries.
    fn heading(&mut self, path: &[u8]) {
        if !self.first {
            self.out.put_byte(b'\n');
        }
        let shown = quote(path, self.settings.quoting, self.settings.hide, b":");
        self.out.put(&shown);
        self.out.put(b":");
        self.end_line();
    }

    fn end_line(&mut self) {
        self.out
            .put_byte(if self.settings.zero { 0 } else { b'\n' });
    }

    /// Prints entries in the format asked for, in front of them the total if they are a
    /// directory's. Columns are as wide as `also` needs.
    fn print(&mut self, entries: &[Entry], of_directory: bool, also: &[Entry]) {
        if of_directory && (self.settings.format == Format::Long || self.settings.blocks) {
            let blocks: u64 = entries.iter().map(|entry| entry.stat.blocks).sum();
            self.out
                .put(format!("total {}", self.settings.block_size.show(blocks * 512)).as_bytes());
            self.end_line();
        }
        layout::print(self, entries, also);
    }
}

/// Whether a name is `.` or `..`.
fn is_dots(name: &[u8]) -> bool {
    name == b"." || name == b".."
}

/// A name in a directory.
fn join(directory: &[u8], name: &[u8]) -> Vec<u8> {
    let slash: &[u8] = if directory.ends_with(b"/") { b"" } else { b"/" };
    [directory, slash, name].concat()
}

fn needs_target(entry: &Entry) -> bool {
    is_link(entry.stat.mode)
}
