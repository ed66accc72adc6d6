//! Evaluating an expression for a file.

use std::fs::File;
use std::io::{self, Read as _, Write as _};

use codepod_posix_regex::Glob;
use codepod_sys::file::{Links, Stat};
use codepod_tool::{Output, complain, io_text, path, quoted};

use crate::child::{self, Ended, How};
use crate::expression::{Bits, Exec, Node, Parsed, Primary, Time};
use crate::format::{self, Owners};
use crate::stat::{self, kind};

/// A batch of files is started when it is this long.
const BATCH: usize = 128 << 10;

/// A file that was found.
pub(crate) struct Entry<'a> {
    /// Its path from where the search was started.
    pub(crate) path: &'a [u8],
    /// The path that the command line has.
    pub(crate) root: &'a [u8],
    pub(crate) depth: usize,
    pub(crate) stat: Stat,
}

impl Entry<'_> {
    /// The last part of its path.
    pub(crate) fn base(&self) -> &[u8] {
        let end = self
            .path
            .iter()
            .rposition(|byte| *byte != b'/')
            .map_or(self.path.len().min(1), |at| at + 1);
        let name = &self.path[..end];
        match name.iter().rposition(|byte| *byte == b'/') {
            Some(at) if end > 1 => &name[at + 1..],
            _ => name,
        }
    }

    /// The path without its last part.
    pub(crate) fn directory(&self) -> &[u8] {
        let end = self
            .path
            .iter()
            .rposition(|byte| *byte != b'/')
            .map_or(0, |at| at + 1);
        match self.path[..end].iter().rposition(|byte| *byte == b'/') {
            Some(0) => b"",
            Some(at) => &self.path[..at],
            None => b".",
        }
    }

    /// The path behind the one that the command line has.
    pub(crate) fn below_root(&self) -> &[u8] {
        let rest = &self.path[self.root.len().min(self.path.len())..];
        rest.strip_prefix(b"/").unwrap_or(rest)
    }

    /// Where it leads, if it is a symbolic link.
    pub(crate) fn link_target(&self) -> Option<Vec<u8>> {
        if self.stat.mode & kind::MASK != kind::LINK {
            return None;
        }
        std::fs::read_link(path(self.path))
            .ok()
            .map(|target| target.into_os_string().into_encoded_bytes())
    }
}

/// Files that wait for a command.
#[derive(Default)]
struct Batch {
    directory: Option<Vec<u8>>,
    files: Vec<Vec<u8>>,
    length: usize,
}

/// Where something is printed.
enum Sink {
    Stdout,
    Stderr,
    File(File, Vec<u8>),
}

/// Evaluates expressions.
pub(crate) struct Evaluator<'p> {
    parsed: &'p Parsed,
    out: Output,
    sinks: Vec<Sink>,
    batches: Vec<Batch>,
    owners: Owners,
    /// What is in the current directory is not looked at.
    pub(crate) pruned: bool,
    /// Nothing more is looked at.
    pub(crate) quits: bool,
    pub(crate) status: i32,
}

impl<'p> Evaluator<'p> {
    /// Opens what is printed to. Fails with the status, after saying why.
    pub(crate) fn new(parsed: &'p Parsed) -> Result<Evaluator<'p>, i32> {
        let mut sinks = Vec::new();
        for name in &parsed.outputs {
            sinks.push(match &name[..] {
                b"/dev/stdout" => Sink::Stdout,
                b"/dev/stderr" => Sink::Stderr,
                _ => match File::create(path(name)) {
                    Ok(file) => Sink::File(file, Vec::new()),
                    Err(error) => {
                        complain(
                            "find",
                            [&quoted(name)[..], b": ", io_text(&error).as_bytes()].concat(),
                        );
                        return Err(1);
                    }
                },
            });
        }
        Ok(Evaluator {
            parsed,
            out: Output::new(),
            sinks,
            batches: (0..parsed.commands).map(|_| Batch::default()).collect(),
            owners: Owners::default(),
            pruned: false,
            quits: false,
            status: 0,
        })
    }

    /// Says what is wrong with a file.
    pub(crate) fn complain(&mut self, name: &[u8], error: &io::Error) {
        self.status = 1;
        self.out.write_out();
        complain(
            "find",
            [&quoted(name)[..], b": ", io_text(error).as_bytes()].concat(),
        );
    }

    /// Says something else.
    pub(crate) fn say(&mut self, message: &[u8]) {
        self.status = 1;
        self.out.write_out();
        complain("find", message);
    }

    /// Looks at a file.
    pub(crate) fn look(&mut self, entry: &Entry<'_>) {
        let parsed = self.parsed;
        self.node(&parsed.expression, entry);
        if self.out.is_broken() {
            self.quits = true;
        }
    }

    fn node(&mut self, node: &Node, entry: &Entry<'_>) -> bool {
        match node {
            Node::Primary(primary) => self.primary(primary, entry),
            Node::Not(inside) => !self.node(inside, entry),
            Node::And(all) => all.iter().all(|node| !self.quits && self.node(node, entry)),
            Node::Or(all) => all.iter().any(|node| self.quits || self.node(node, entry)),
            Node::List(all) => {
                let mut last = false;
                for node in all {
                    if !self.quits {
                        last = self.node(node, entry);
                    }
                }
                last
            }
        }
    }

    fn primary(&mut self, primary: &Primary, entry: &Entry<'_>) -> bool {
        let stat = &entry.stat;
        let is_directory = stat.mode & kind::MASK == kind::DIRECTORY;
        match primary {
            Primary::True => true,
            Primary::False => false,
            Primary::Name(pattern, icase) => glob(*icase).matches(pattern, entry.base()),
            Primary::Path(pattern, icase) => glob(*icase).matches(pattern, entry.path),
            Primary::LinkName(pattern, icase) => entry
                .link_target()
                .is_some_and(|target| glob(*icase).matches(pattern, &target)),
            Primary::Regex(regex) => regex.is_match(entry.path, 0).unwrap_or(false),
            Primary::Type(types) => types.contains(&stat::letter(stat.mode)),
            Primary::XType(types) => self.other_type(types, entry),
            Primary::Size(than, number, unit) => than.holds(stat.size.div_ceil(*unit), *number),
            Primary::Empty => self.is_empty(entry),
            Primary::Perm(bits, file, directory) => {
                let wanted = if is_directory { *directory } else { *file };
                let mode = stat.mode & 0o7777;
                match bits {
                    Bits::Exactly => mode == wanted,
                    Bits::All => mode & wanted == wanted,
                    Bits::Any => wanted == 0 || mode & wanted != 0,
                }
            }
            Primary::Uid(than, number) => than.holds(u64::from(stat.uid), *number),
            Primary::Gid(than, number) => than.holds(u64::from(stat.gid), *number),
            Primary::NoUser => !self.owners.has_user(stat.uid),
            Primary::NoGroup => !self.owners.has_group(stat.gid),
            Primary::Newer(time, than) => time_of(stat, *time) > *than,
            Primary::Age(time, than, number, unit) => {
                self.age(time_of(stat, *time), *than, *number, *unit)
            }
            Primary::Used(than, days) => {
                let used =
                    (i128::from(stat.atime) - i128::from(stat.ctime)).max(0) / 86_400_000_000_000;
                than.holds(used, i128::from(*days))
            }
            Primary::Links(than, number) => than.holds(stat.nlink, *number),
            Primary::Inode(than, number) => than.holds(stat.ino, *number),
            Primary::SameFile(device, inode) => stat.dev == *device && stat.ino == *inode,
            Primary::Access(mode) => may(entry, *mode),
            Primary::Prune => {
                self.pruned = true;
                true
            }
            Primary::Quit => {
                self.quits = true;
                true
            }
            Primary::Delete => self.delete(entry, is_directory),
            Primary::Print(sink, end) => {
                if *sink == 0 {
                    self.out.put(entry.path);
                    self.out.put_byte(*end);
                } else {
                    self.put(*sink, &[entry.path, &[*end]].concat());
                }
                true
            }
            Primary::Printf(sink, format) => {
                let mut text = Vec::new();
                format.put(entry, &mut self.owners, &mut text);
                self.put(*sink, &text);
                true
            }
            Primary::List(sink) => {
                let mut text = Vec::new();
                format::list(entry, &mut self.owners, self.parsed.now, &mut text);
                self.put(*sink, &text);
                true
            }
            Primary::Exec(exec) => self.exec(exec, entry),
        }
    }

    fn put(&mut self, sink: usize, text: &[u8]) {
        match &mut self.sinks[sink] {
            Sink::Stdout => self.out.put(text),
            // Where standard error is gone there is nobody to tell.
            Sink::Stderr => drop(io::stderr().write_all(text)),
            Sink::File(file, buffer) => {
                buffer.extend_from_slice(text);
                if buffer.len() > 32 << 10 {
                    let result = file.write_all(buffer);
                    buffer.clear();
                    if result.is_err() {
                        self.status = 1;
                    }
                }
            }
        }
    }

    fn age(&self, time: i128, than: crate::expression::Than, number: f64, unit: u64) -> bool {
        use crate::expression::Than;
        let from = self.parsed.day_start.unwrap_or(self.parsed.now);
        let age = (from - time) as f64 / 1e9 / unit as f64;
        if unit == 60 {
            return match than {
                Than::More => age > number,
                Than::Less => age < number,
                Than::Exactly => age > number - 1.0 && age <= number,
            };
        }
        match than {
            Than::More => age >= number + 1.0,
            Than::Less => age < number,
            Than::Exactly => age >= number && age < number + 1.0,
        }
    }

    /// `-xtype`: the other view of a link than the one that is followed.
    fn other_type(&self, types: &[u8], entry: &Entry<'_>) -> bool {
        use crate::expression::Follow;
        let followed = self.parsed.follow == Follow::Always
            || (self.parsed.follow == Follow::Named && entry.depth == 0);
        let links = if followed { Links::Keep } else { Links::Follow };
        match stat::stat(entry.path, links) {
            Ok(stat) => types.contains(&stat::letter(stat.mode)),
            // A link that leads nowhere is a link.
            Err(_) => types.contains(&b'l'),
        }
    }

    fn is_empty(&mut self, entry: &Entry<'_>) -> bool {
        match entry.stat.mode & kind::MASK {
            kind::REGULAR => entry.stat.size == 0,
            kind::DIRECTORY => match std::fs::read_dir(path(entry.path)) {
                Ok(mut entries) => entries.next().is_none(),
                Err(error) => {
                    self.complain(entry.path, &error);
                    false
                }
            },
            _ => false,
        }
    }

    fn delete(&mut self, entry: &Entry<'_>, is_directory: bool) -> bool {
        if entry.path == b"." {
            return true;
        }
        let result = match is_directory {
            true => std::fs::remove_dir(path(entry.path)),
            false => std::fs::remove_file(path(entry.path)),
        };
        match result {
            Ok(()) => true,
            Err(error) => {
                let message = [
                    b"cannot delete ",
                    &quoted(entry.path)[..],
                    b": ",
                    io_text(&error).as_bytes(),
                ]
                .concat();
                self.say(&message);
                false
            }
        }
    }

    fn exec(&mut self, exec: &Exec, entry: &Entry<'_>) -> bool {
        let (directory, name) = if exec.in_directory {
            let base = entry.base();
            let name = if base.starts_with(b"/") {
                base.to_vec()
            } else {
                [b"./", base].concat()
            };
            let directory = entry.directory();
            (
                Some(if directory.is_empty() {
                    b"/".to_vec()
                } else {
                    directory.to_vec()
                }),
                name,
            )
        } else {
            (None, entry.path.to_vec())
        };
        if exec.many {
            let batch = &self.batches[exec.number];
            let full = batch.length + name.len() + 1 + 8 > BATCH;
            if !batch.files.is_empty() && (full || batch.directory != directory) {
                self.run_batch(exec);
            }
            let batch = &mut self.batches[exec.number];
            batch.length += name.len() + 1 + 8;
            batch.files.push(name);
            batch.directory = directory;
            // What the command line names is in no directory that others are in.
            if exec.in_directory && entry.depth == 0 {
                self.run_batch(exec);
            }
            return true;
        }
        let argv: Vec<Vec<u8>> = exec
            .argv
            .iter()
            .map(|argument| replaced(argument, &name))
            .collect();
        if exec.ask && !self.is_allowed(exec, entry) {
            return false;
        }
        self.start(&argv, directory.as_deref()) == Some(0)
    }

    /// Asks whether a command may be run.
    fn is_allowed(&mut self, exec: &Exec, entry: &Entry<'_>) -> bool {
        self.out.write_out();
        let question = [b"< ", &exec.argv[0][..], b" ... ", entry.path, b" > ? "].concat();
        // Where standard error is gone nobody sees the question.
        let _ = io::stderr().write_all(&question);
        let mut answer = Vec::new();
        let mut byte = [0];
        while io::stdin()
            .lock()
            .read(&mut byte)
            .is_ok_and(|count| count == 1)
            && byte[0] != b'\n'
        {
            answer.push(byte[0]);
        }
        matches!(answer.first(), Some(b'y' | b'Y'))
    }

    /// Runs a command with the files that have been collected for it.
    fn run_batch(&mut self, exec: &Exec) {
        let batch = std::mem::take(&mut self.batches[exec.number]);
        if batch.files.is_empty() {
            return;
        }
        let mut argv = exec.argv.clone();
        argv.extend(batch.files);
        if self.start(&argv, batch.directory.as_deref()) != Some(0) {
            self.status = 1;
        }
    }

    /// Runs a command and returns its status; none where it could not be started or was killed.
    fn start(&mut self, argv: &[Vec<u8>], directory: Option<&[u8]>) -> Option<u32> {
        self.flush();
        let how = How {
            directory,
            ..How::default()
        };
        match child::start(argv, how) {
            Ok(mut child) => match child::wait(&mut child) {
                Ended::Exited(status) => Some(status),
                Ended::Killed(_) => None,
            },
            Err(error) => {
                let message = [&quoted(&argv[0])[..], b": ", io_text(&error).as_bytes()].concat();
                complain("find", message);
                None
            }
        }
    }

    fn flush(&mut self) {
        self.out.write_out();
        for sink in &mut self.sinks {
            if let Sink::File(file, buffer) = sink {
                let result = file.write_all(buffer);
                buffer.clear();
                if result.is_err() {
                    self.status = 1;
                }
            }
        }
    }

    /// Runs what is left and returns the status.
    pub(crate) fn finish(mut self) -> i32 {
        let parsed = self.parsed;
        self.finish_batches(&parsed.expression);
        self.flush();
        if let Err(error) = self.out.finish() {
            complain("find", format!("'standard output': {}", io_text(&error)));
            return 1;
        }
        self.status
    }

    fn finish_batches(&mut self, node: &Node) {
        match node {
            Node::Primary(Primary::Exec(exec)) if exec.many => self.run_batch(exec),
            Node::Primary(_) => {}
            Node::Not(inside) => self.finish_batches(inside),
            Node::And(all) | Node::Or(all) | Node::List(all) => {
                all.iter().for_each(|node| self.finish_batches(node))
            }
        }
    }
}

fn glob(icase: bool) -> Glob {
    Glob {
        icase,
        ..Glob::default()
    }
}

fn time_of(stat: &Stat, time: Time) -> i128 {
    i128::from(match time {
        Time::Access => stat.atime,
        Time::Change => stat.ctime,
        Time::Modification => stat.mtime,
    })
}

/// Whether the caller may do that.
fn may(entry: &Entry<'_>, mode: u32) -> bool {
    match codepod_sys::file::access(entry.path, Links::Follow, mode) {
        Err(codepod_sys::Errno::NoSys) => entry.stat.mode & (mode * 0o111) != 0,
        result => result.is_ok(),
    }
}

/// An argument with every `{}` replaced.
fn replaced(argument: &[u8], name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(argument.len() + name.len());
    let mut at = 0;
    while at < argument.len() {
        if argument[at..].starts_with(b"{}") {
            out.extend_from_slice(name);
            at += 2;
        } else {
            out.push(argument[at]);
            at += 1;
        }
    }
    out
}
