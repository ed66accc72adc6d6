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
        Err(status) => return status,
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

    /// What is known of an operand. A link to a directory counts as that, unless it is shown itself.
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
    fn directory(&mut self, pending: Pending, heading: bool) -> Vec<Pending> {
        let Pending {
            path,
            mut above,
            on_command_line,
        } = pending;
        let serious = if on_command_line { 2 } else { 1 };
        if self.settings.recursive
            && let Ok(own) = system::stat(&path, Links::Follow)
        {
            if above.contains(&(own.dev, own.ino)) {
                self.out.write_out();
                complain(
                    self.tool,
                    [
                        &quoted(&path)[..],
                        b": not listing already-listed directory",
                    ]
                    .concat(),
                );
                self.status = 2;
                return Vec::new();
            }
            above.push((own.dev, own.ino));
        }
        let names = match system::list(&path) {
            Ok(names) => names,
            Err(errno) => {
                self.fail(serious, b"cannot open directory ", &path, errno);
                return Vec::new();
            }
        };
        let mut entries = Vec::new();
        let dots = self
            .settings
            .all
            .then_some([b".".to_vec(), b"..".to_vec()])
            .into_iter()
            .flatten();
        for name in dots.chain(names) {
            let is_dot = name == b"." || name == b"..";
            if if is_dot {
                self.settings.ignores_pattern(&name)
            } else {
                self.settings.ignores(&name)
            } {
                continue;
            }
            let full = if path == b"." {
                name.clone()
            } else {
                join(&path, &name)
            };
            let links = if self.settings.follow == Follow::Always {
                Links::Follow
            } else {
                Links::Keep
            };
            match system::stat(&full, links) {
                Ok(stat) => entries.push(Entry::new(
                    name,
                    full,
                    stat,
                    &self.settings,
                    self.colors.is_some(),
                )),
                Err(errno) => match system::stat(&full, Links::Keep) {
                    // -L: a link that leads nowhere. Where only its name is shown, nobody has to know.
                    Ok(stat) if !self.settings.needs_stat() => {
                        entries.push(Entry::new(name, full, stat, &self.settings, false));
                    }
                    Ok(_) => {
                        self.fail(1, b"cannot access ", &full, errno);
                        entries.push(Entry::unknown(name, full, &self.settings));
                    }
                    Err(_) => self.fail(1, b"cannot access ", &full, errno),
                },
            }
        }
        sort::sort(&mut entries, &self.settings);
        if heading {
            if !self.first {
                self.out.put_byte(b'\n');
            }
            let shown = quote(&path, self.settings.quoting, self.settings.hide, b":");
            self.out.put(&shown);
            self.out.put(b":");
            self.end_line();
        }
        self.first = false;
        self.print(&entries, true, &[]);
        if !self.settings.recursive {
            return Vec::new();
        }
        let inner = entries.iter().filter(|entry| {
            is_directory(entry.stat.mode) && entry.name != b"." && entry.name != b".."
        });
        let inner = inner.map(|entry| Pending {
            path: join(&path, &entry.name),
            above: above.clone(),
            on_command_line: false,
        });
        inner.collect()
    }

    fn end_line(&mut self) {
        self.out
            .put_byte(if self.settings.zero { 0 } else { b'\n' });
    }

    /// Prints entries in the format asked for, in front of them the total if they are a directory's.
    /// Columns are as wide as `also` needs.
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

/// A name in a directory.
fn join(directory: &[u8], name: &[u8]) -> Vec<u8> {
    let slash: &[u8] = if directory.ends_with(b"/") { b"" } else { b"/" };
    [directory, slash, name].concat()
}

fn needs_target(entry: &Entry) -> bool {
    is_link(entry.stat.mode)
}
