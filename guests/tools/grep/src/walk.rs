//! Which files are searched, and what is said of each.

use std::fs::File;
use std::io::{self, Read};

use codepod_sys::descriptor::Fd;
use codepod_tool::{Arguments, Output, Stdin, complain, io_text, path};

use crate::arguments::{self, Asked, Directories, List};
use crate::colors::Colors;
use crate::file::{Failed, Search};
use crate::matcher::Matcher;
use crate::output::{Printer, Role};

/// How deep directories are followed.
const DEEPEST: usize = 2000;

/// Runs grep and returns its status.
pub(crate) fn run(arguments: Arguments) -> i32 {
    codepod_posix_regex::set_locale();
    let asked = match arguments::parse(arguments) {
        Ok(asked) => asked,
        Err(status) => return status,
    };
    let colors = if asked.color {
        Colors::from_environment()
    } else {
        Colors::none()
    };
    let matcher = match Matcher::new(&asked) {
        Ok(matcher) => matcher,
        Err(message) => {
            complain("grep", message);
            return 2;
        }
    };
    if (asked.max == 0 || matcher.selects_nothing(&asked)) && asked.list != List::Others {
        return 1;
    }
    let printer = Printer {
        asked: &asked,
        matcher: &matcher,
        colors,
        out: Output::new(),
        names: asked.with_name.unwrap_or(asked.files.len() > 1),
        width: 0,
        used: false,
    };
    let mut walk = Walk {
        asked: &asked,
        printer,
        selected: false,
        failed: false,
        output: output_identity(),
    };
    walk.all();
    let status = walk.status();
    if let Err(error) = walk.printer.out.finish() {
        complain("grep", format!("write error: {}", io_text(&error)));
        return 2;
    }
    status
}

/// Where standard output goes, when that is a regular file: its device and number.
fn output_identity() -> Option<(u64, u64)> {
    regular(Fd::STDOUT)
}

fn regular(fd: Fd) -> Option<(u64, u64)> {
    let stat = codepod_sys::file::stat_open(fd).ok()?;
    (stat.mode & 0o170_000 == 0o100_000).then_some((stat.dev, stat.ino))
}

struct Walk<'a> {
    asked: &'a Asked,
    printer: Printer<'a>,
    selected: bool,
    failed: bool,
    output: Option<(u64, u64)>,
}

impl Walk<'_> {
    fn status(&self) -> i32 {
        match (self.selected, self.failed) {
            (true, true) if self.asked.quiet => 0,
            (_, true) => 2,
            (true, false) => 0,
            (false, false) => 1,
        }
    }

    fn all(&mut self) {
        let recursing = self.asked.directories == Directories::Recurse;
        if self.asked.files.is_empty() {
            if recursing {
                self.printer.names = self.asked.with_name.unwrap_or(true);
                self.directory(b"", 0);
            } else {
                self.named(b"-");
            }
            return;
        }
        for name in &self.asked.files {
            self.named(name);
            if self.is_done() {
                break;
            }
        }
    }

    /// Whether nothing that follows can change anything.
    fn is_done(&self) -> bool {
        (self.asked.quiet && self.selected) || self.printer.out.is_broken()
    }

    /// What the command line names.
    fn named(&mut self, name: &[u8]) {
        let asked = self.asked;
        if name == b"-" {
            let label = asked
                .label
                .clone()
                .unwrap_or_else(|| b"(standard input)".to_vec());
            let width =
                regular(Fd::STDIN).and_then(|_| codepod_sys::file::stat_open(Fd::STDIN).ok());
            self.printer.width = width.map_or(19, |stat| stat.size.to_string().len());
            if self.is_output(Fd::STDIN, &label) {
                return;
            }
            let start = codepod_sys::descriptor::tell(Fd::STDIN).ok();
            let stopped = self.search(&label, &mut Stdin);
            if let (Some(start), Some(at)) = (start, stopped) {
                let place = i64::try_from(start + at).unwrap_or(i64::MAX);
                // What cannot be sought is a pipe, and has been read.
                let _ = codepod_sys::descriptor::seek(
                    Fd::STDIN,
                    place,
                    codepod_sys::descriptor::Whence::Start,
                );
            }
            return;
        }
        let metadata = match std::fs::metadata(path(name)) {
            Ok(metadata) => metadata,
            Err(error) => return self.complain(name, &error),
        };
        if metadata.is_dir() && asked.directories != Directories::Read {
            if asked.directories == Directories::Skip
                || asked.directories_out.leaves_out(name, true)
            {
                return;
            }
            let names = self.printer.names;
            self.printer.names = asked.with_name.unwrap_or(true);
            self.directory(name, 0);
            self.printer.names = names;
            return;
        }
        if !metadata.is_dir() && asked.files_out.leaves_out(name, true) {
            return;
        }
        let is_device = !metadata.is_file() && !metadata.is_dir();
        if is_device && asked.skip_devices == Some(true) {
            return;
        }
        self.file(name);
    }

    /// Everything in a directory, in the order in which it is listed. An empty name is the working
    /// directory, whose name is not shown.
    fn directory(&mut self, name: &[u8], depth: usize) {
        let shown = if name.is_empty() { &b"."[..] } else { name };
        let entries = match std::fs::read_dir(path(shown)) {
            Ok(entries) => entries,
            Err(error) => return self.complain(shown, &error),
        };
        if depth >= DEEPEST {
            return self.complain(
                shown,
                &io::Error::other("directories are nested too deeply"),
            );
        }
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => return self.complain(shown, &error),
            };
            let last = entry.file_name();
            let last = last.as_encoded_bytes();
            let mut full = name.to_vec();
            if !full.is_empty() && full.last() != Some(&b'/') {
                full.push(b'/');
            }
            full.extend_from_slice(last);
            let Ok(mut kind) = entry.file_type() else {
                continue;
            };
            if kind.is_symlink() {
                if !self.asked.follow {
                    continue;
                }
                match std::fs::metadata(path(&full)) {
                    Ok(metadata) => kind = metadata.file_type(),
                    Err(error) => {
                        self.complain(&full, &error);
                        continue;
                    }
                }
            }
            if kind.is_dir() {
                if !self.asked.directories_out.leaves_out(last, false) && !self.goes_round(&full) {
                    self.directory(&full, depth + 1);
                }
            } else if (kind.is_file() || self.asked.skip_devices == Some(false))
                && !self.asked.files_out.leaves_out(last, false)
            {
                self.file(&full);
            }
            if self.is_done() {
                return;
            }
        }
    }

    /// Says so when links lead to a directory that is being looked through.
    fn goes_round(&mut self, name: &[u8]) -> bool {
        if !self.asked.follow {
            return false;
        }
        let Ok(stat) = codepod_sys::file::stat_path(name, codepod_sys::file::Links::Follow) else {
            return false;
        };
        let mut above = Some(name);
        while let Some(below) = above {
            // What is above a name without a slash was looked through only where no name was given.
            let slash = below.iter().rposition(|byte| *byte == b'/');
            above = slash.map(|at| &below[..at]);
            let parent = match above {
                Some(b"") => &b"/"[..],
                Some(above) => above,
                None if self.asked.files.is_empty() => b".",
                None => break,
            };
            let other = codepod_sys::file::stat_path(parent, codepod_sys::file::Links::Follow);
            if other.is_ok_and(|other| (other.dev, other.ino) == (stat.dev, stat.ino)) {
                self.printer.out.write_out();
                complain(
                    "grep",
                    [name, b": warning: recursive directory loop"].concat(),
                );
                return true;
            }
        }
        false
    }

    fn complain(&mut self, name: &[u8], error: &io::Error) {
        self.failed = true;
        if !self.asked.no_messages {
            self.printer.out.write_out();
            complain("grep", [name, b": ", io_text(error).as_bytes()].concat());
        }
    }

    fn file(&mut self, name: &[u8]) {
        let mut file = match File::open(path(name)) {
            Ok(file) => file,
            Err(error) => return self.complain(name, &error),
        };
        if self.asked.initial_tab {
            let size = file.metadata().map_or(0, |metadata| metadata.len());
            self.printer.width = size.to_string().len();
        }
        if self.output.is_some() && self.is_output(Fd::of(&file), name) {
            return;
        }
        self.search(name, &mut file);
    }

    /// Says so when a file is the one that is written to.
    fn is_output(&mut self, fd: Fd, name: &[u8]) -> bool {
        let asked = self.asked;
        let prints = !asked.count && !asked.quiet && asked.list == List::None && asked.max > 1;
        if prints && self.output.is_some() && regular(fd) == self.output {
            self.failed = true;
            if !asked.no_messages {
                complain("grep", [name, b": input file is also the output"].concat());
            }
            return true;
        }
        false
    }

    /// Searches something and says what was found. Returns where it stopped before the end.
    fn search(&mut self, name: &[u8], source: &mut dyn Read) -> Option<u64> {
        let asked = self.asked;
        let counted = match Search::new(&mut self.printer, name).run(source) {
            Ok(counted) => counted,
            Err(Failed::Read(error)) => {
                self.complain(name, &error);
                return None;
            }
            Err(Failed::Matcher(error)) => {
                self.failed = true;
                self.printer.out.write_out();
                complain("grep", [name, b": ", error.message().as_bytes()].concat());
                return None;
            }
        };
        let matches = counted.lines > 0;
        self.selected |= matches;
        if asked.count {
            if self.printer.names {
                self.printer.name(name);
                if asked.null_names {
                    self.printer.out.put_byte(0);
                } else {
                    self.printer.separator(Role::Selected);
                }
            }
            self.printer
                .out
                .put(format!("{}\n", counted.lines).as_bytes());
        }
        if !asked.quiet
            && asked.list
                == (if matches {
                    List::Matching
                } else {
                    List::Others
                })
        {
            self.printer.name(name);
            self.printer
                .out
                .put_byte(if asked.null_names { 0 } else { b'\n' });
        }
        if asked.line_buffered {
            self.printer.out.write_out();
        }
        if counted.is_binary {
            self.printer.out.write_out();
            complain("grep", [name, b": binary file matches"].concat());
        }
        counted.stopped_at
    }
}
