//! `shred`: overwrites files, and removes them.

mod passes;
mod random;

use std::fs::{File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write};

use codepod_tool::{
    Arguments, Opt, Options, Stop, Usage, Value, complain, errno_text, flag, long, one_of,
    optional, quoted_if_needed, quoted_text, value,
};

use crate::amount;
use crate::arguments::{help, version};
use crate::paths::{self, directory, join, last_part};
use crate::system::{self, Errno, Links};
use passes::{Pass, passes};
use random::Random;

/// What sizes are rounded up to.
const BLOCK: u64 = 4096;
/// How much is written at a time; a pattern of three bytes fits in whole.
const BUFFER: usize = 3 * 16 * BLOCK as usize;
/// Passes, more than anybody needs.
const MOST_PASSES: u64 = 1 << 20;

#[derive(Clone, Copy)]
enum Key {
    Force,
    Iterations,
    RandomSource,
    Size,
    RemoveWipe,
    Remove,
    Verbose,
    Exact,
    Zero,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Exact, b'x', "exact"),
    flag(Key::Force, b'f', "force"),
    value(Key::Iterations, b'n', "iterations"),
    value(Key::Size, b's', "size"),
    long(Key::RandomSource, "random-source", Value::Required),
    flag(Key::RemoveWipe, b'u', ""),
    optional(Key::Remove, 0, "remove"),
    flag(Key::Verbose, b'v', "verbose"),
    flag(Key::Zero, b'z', "zero"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// How a file is removed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Remove {
    Unlink,
    /// Its name is overwritten first.
    Wipe,
    WipeSync,
}

const REMOVES: &[(&str, Remove)] = &[
    ("unlink", Remove::Unlink),
    ("wipe", Remove::Wipe),
    ("wipesync", Remove::WipeSync),
];

/// What the arguments ask for.
struct Settings {
    force: bool,
    count: u64,
    source: Option<Vec<u8>>,
    size: Option<u64>,
    remove: Option<Remove>,
    verbose: bool,
    exact: bool,
    zero: bool,
    paths: Vec<Vec<u8>>,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let settings = match settings(tool, arguments) {
        Ok(settings) => settings,
        Err(stop) => return stop.report(tool, 1),
    };
    let random = match &settings.source {
        Some(path) => Random::from_file(path),
        None => Ok(Random::new()),
    };
    let random = match random {
        Ok(random) => random,
        Err(message) => {
            complain(tool, message);
            return 1;
        }
    };
    let mut shredder = Shredder {
        tool,
        settings: &settings,
        random,
    };
    let mut status = 0;
    for path in &settings.paths {
        if let Err(message) = shredder.operand(path) {
            complain(tool, message);
            status = 1;
        }
    }
    status
}

fn settings(tool: &str, arguments: Arguments) -> Result<Settings, Stop> {
    let mut settings = Settings {
        force: false,
        count: 3,
        source: None,
        size: None,
        remove: None,
        verbose: false,
        exact: false,
        zero: false,
        paths: Vec::new(),
    };
    settings.paths =
        Options::new(TABLE, arguments).each(|key, value| settings.take(tool, key, value))?;
    if settings.paths.is_empty() {
        return Err(Usage::new("missing file operand").into());
    }
    Ok(settings)
}

impl Settings {
    fn take(&mut self, tool: &str, key: Key, value: Option<Vec<u8>>) -> Result<(), Stop> {
        match key {
            Key::Force => self.force = true,
            Key::Iterations => {
                let text = value.unwrap_or_default();
                self.count = number(&text, "number of passes", b"")?;
                if self.count > MOST_PASSES {
                    return Err(Stop::failed("memory exhausted"));
                }
            }
            Key::RandomSource => {
                if self
                    .source
                    .as_ref()
                    .is_some_and(|old| Some(old) != value.as_ref())
                {
                    return Err(Stop::failed("multiple random sources specified"));
                }
                self.source = value;
            }
            Key::Size => {
                let text = value.unwrap_or_default();
                self.size = Some(number(&text, "file size", b"cbBkKMGTPEZY")?);
            }
            Key::RemoveWipe => self.remove = Some(Remove::WipeSync),
            Key::Remove => {
                let text = value.unwrap_or_else(|| b"wipesync".to_vec());
                self.remove = Some(one_of("--remove", &text, REMOVES)?);
            }
            Key::Verbose => self.verbose = true,
            Key::Exact => self.exact = true,
            Key::Zero => self.zero = true,
            Key::Help => {
                return Err(Stop::Status(help(
                    tool,
                    "[OPTION]... FILE...",
                    "Overwrite the specified FILE(s) repeatedly.",
                    TABLE,
                )));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    }
}

fn number(text: &[u8], what: &str, letters: &[u8]) -> Result<u64, Stop> {
    let bare = text.trim_ascii_start();
    let bare = bare.strip_prefix(b"+").unwrap_or(bare);
    amount::parse(bare, letters).map_err(|wrong| {
        let start = format!("invalid {what}: ");
        Stop::failed([start.as_bytes(), &quoted_text(text), wrong.text()].concat())
    })
}

struct Shredder<'a> {
    tool: &'a str,
    settings: &'a Settings,
    random: Random,
}

/// `NAME: WHAT: WHY`
fn failed(name: &[u8], what: &str, why: &str) -> Vec<u8> {
    let name = quoted_if_needed(name);
    [&name[..], b": ", what.as_bytes(), b": ", why.as_bytes()].concat()
}

impl Shredder<'_> {
    fn operand(&mut self, path: &[u8]) -> Result<(), Vec<u8>> {
        if path == b"-" {
            return self.standard_output();
        }
        let not_opened = |errno| failed(path, "failed to open for writing", errno_text(errno));
        let stat = system::stat(path, Links::Follow).map_err(not_opened)?;
        self.check_kind(path, stat.mode)?;
        let mut file = self.open(path).map_err(not_opened)?;
        self.overwrite(path, &mut file, stat.size)?;
        if let Some(how) = self.settings.remove {
            // The blocks are free before the name is.
            let cut = file.set_len(0);
            cut.map_err(|error| failed(path, "error truncating", &system::io_message(&error)))?;
            drop(file);
            self.remove(path, how)?;
        }
        Ok(())
    }

    /// Shreds the file that standard output is.
    fn standard_output(&mut self) -> Result<(), Vec<u8>> {
        let name = b"-";
        let flags = rustix::fs::fcntl_getfl(io::stdout());
        if flags.is_ok_and(|flags| flags.contains(rustix::fs::OFlags::APPEND)) {
            return Err(b"-: cannot shred append-only file descriptor".to_vec());
        }
        let stat = system::stat_output()
            .map_err(|errno| failed(name, "fstat failed", errno_text(errno)))?;
        self.check_kind(name, stat.mode)?;
        let mut file = Descriptor(io::stdout());
        self.overwrite(name, &mut file, stat.size)
    }

    /// Fails with what has no content that stays.
    fn check_kind(&self, path: &[u8], mode: u32) -> Result<(), Vec<u8>> {
        match mode & system::mode::TYPE_MASK {
            system::mode::REGULAR | system::mode::DIRECTORY => Ok(()),
            _ => Err([&quoted_if_needed(path)[..], b": invalid file type"].concat()),
        }
    }

    fn open(&self, path: &[u8]) -> system::Result<File> {
        let mut options = OpenOptions::new();
        options.write(true);
        match paths::open_with(path, &options) {
            Err(Errno::Access) if self.settings.force => {
                system::set_mode(path, Links::Follow, 0o200)?;
                paths::open_with(path, &options)
            }
            opened => opened,
        }
    }

    /// Does all passes over a file of this size.
    fn overwrite(
        &mut self,
        path: &[u8],
        file: &mut impl Shredded,
        size: u64,
    ) -> Result<(), Vec<u8>> {
        let size = match self.settings.size {
            Some(size) => size,
            None if self.settings.exact => size,
            None => size.checked_next_multiple_of(BLOCK).unwrap_or(size),
        };
        if size == 0 {
            return Ok(());
        }
        // Fits: there are at most MOST_PASSES.
        let mut all = passes(usize::try_from(self.settings.count).unwrap_or_default());
        if self.settings.zero {
            all.push(Pass::Pattern([0; 3]));
        }
        for (index, pass) in all.iter().enumerate() {
            if self.settings.verbose {
                let text = format!(": pass {}/{} ({pass})...", index + 1, all.len());
                complain(
                    self.tool,
                    [&quoted_if_needed(path)[..], text.as_bytes()].concat(),
                );
            }
            self.pass(path, file, size, *pass)?;
        }
        Ok(())
    }

    fn pass(
        &mut self,
        path: &[u8],
        file: &mut impl Shredded,
        size: u64,
        pass: Pass,
    ) -> Result<(), Vec<u8>> {
        let why = |error: &io::Error| system::io_message(error);
        file.to_start()
            .map_err(|error| failed(path, "cannot rewind", &why(&error)))?;
        let length = BUFFER.min(usize::try_from(size).unwrap_or(BUFFER));
        let mut buffer = vec![0; length];
        if let Pass::Pattern(pattern) = pass {
            for (byte, value) in buffer.iter_mut().zip(pattern.iter().cycle()) {
                *byte = *value;
            }
        }
        let mut done = 0;
        while done < size {
            let left = usize::try_from(size - done).unwrap_or(length);
            let part = &mut buffer[..length.min(left)];
            if pass == Pass::Random {
                self.random.fill(part)?;
            }
            file.put(part).map_err(|error| {
                let what = format!("error writing at offset {done}");
                failed(path, &what, &why(&error))
            })?;
            done += part.len() as u64;
        }
        file.sync();
        Ok(())
    }

    /// Removes a file; its name becomes shorter and shorter before, unless it is just unlinked.
    fn remove(&self, path: &[u8], how: Remove) -> Result<(), Vec<u8>> {
        let say = |name: &[u8], what: &[u8]| {
            if self.settings.verbose {
                complain(self.tool, [&quoted_if_needed(name)[..], what].concat());
            }
        };
        say(path, b": removing");
        let mut old = path.to_vec();
        if how != Remove::Unlink {
            for length in (1..=last_part(path).len()).rev() {
                if let Some(new) = rename_to_length(&old, length) {
                    say(
                        &old,
                        &[b": renamed to ", &quoted_if_needed(&new)[..]].concat(),
                    );
                    old = new;
                }
            }
        }
        paths::remove_file(&old)
            .map_err(|errno| failed(path, "failed to remove", errno_text(errno)))?;
        say(path, b": removed");
        Ok(())
    }
}

/// Gives a file a free name of this length. None where there is none.
fn rename_to_length(path: &[u8], length: usize) -> Option<Vec<u8>> {
    const LETTERS: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.";
    let parent = directory(path);
    // The last two letters are enough to find a free one.
    for number in 0..LETTERS.len() * if length > 1 { LETTERS.len() } else { 1 } {
        let mut name = vec![LETTERS[0]; length];
        name[length - 1] = LETTERS[number % LETTERS.len()];
        if length > 1 {
            name[length - 2] = LETTERS[number / LETTERS.len()];
        }
        let new = if path.contains(&b'/') {
            join(parent, &name)
        } else {
            name
        };
        if matches!(last_part(&new), b"." | b"..") {
            continue;
        }
        match system::stat(&new, Links::Keep) {
            Err(Errno::NoEnt) => return paths::rename(path, &new).ok().map(|()| new),
            _ => continue,
        }
    }
    None
}

/// Something that can be overwritten.
trait Shredded {
    fn to_start(&mut self) -> io::Result<()>;
    fn put(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Writes it to the disk, where there is one.
    fn sync(&mut self);
}

impl Shredded for File {
    fn to_start(&mut self) -> io::Result<()> {
        self.seek(SeekFrom::Start(0)).map(|_| ())
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)
    }

    fn sync(&mut self) {
        // A file system that cannot has nothing to write to.
        let _ = self.sync_data();
    }
}

/// An open descriptor that std has no file for.
struct Descriptor(io::Stdout);

impl Shredded for Descriptor {
    fn to_start(&mut self) -> io::Result<()> {
        rustix::fs::seek(&self.0, rustix::fs::SeekFrom::Start(0))?;
        Ok(())
    }

    fn put(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let count = rustix::io::write(&self.0, bytes)?;
            bytes = &bytes[count..];
        }
        Ok(())
    }

    fn sync(&mut self) {
        let _ = rustix::fs::fdatasync(&self.0);
    }
}
