//! Copying and moving files and trees: what `cp` and `mv` share.
//!
//! [`Copier`] takes one operand at a time. A tree is walked with a stack of [`Level`]s instead of
//! by recursion, so its depth costs heap and not the stack of the process.

mod attributes;
mod content;
mod existing;
mod made;
mod same;
mod settings;
mod trees;

use std::collections::{HashMap, HashSet};

use codepod_tool::{Output, complain, errno_text, quoted};

pub(crate) use settings::{Follow, How, Keep, Overwrite, Settings, Sparse};

use crate::mode::{is_directory, is_link};
use crate::paths;
use crate::system::{self, Errno, Links, Stat};
use existing::Existing;
use trees::Level;

/// A result whose failure is the message.
type Outcome<T> = Result<T, Vec<u8>>;

/// `WHAT 'PATH': WHY`
pub(crate) fn failure(what: &str, path: &[u8], errno: Errno) -> Vec<u8> {
    let why = errno_text(errno).as_bytes();
    [what.as_bytes(), b" ", &quoted(path), b": ", why].concat()
}

/// Which file, on which device.
type Identity = (u64, u64);

fn identity(stat: &Stat) -> Identity {
    (stat.dev, stat.ino)
}

/// Copies or moves files.
pub(crate) struct Copier<'a> {
    tool: &'a str,
    settings: Settings,
    out: Output,
    /// The umask, once it was asked for.
    umask: Option<u32>,
    /// What content goes through, once there was some.
    buffer: Vec<u8>,
    /// The operands so far.
    operands: HashSet<(Vec<u8>, Identity)>,
    /// What operands have become.
    results: HashSet<(Vec<u8>, Identity)>,
    /// The copies of directories and of files with several names.
    copies: HashMap<Identity, Vec<u8>>,
    /// Whether something of the operand failed.
    failed: bool,
    /// Whether the operand was found to be copied into itself.
    is_into_itself: bool,
}

/// How an operand ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It was renamed, or left alone: nothing is to be removed.
    Done,
    /// It was copied.
    Copied,
    /// It was not, or not all of it. The message was written.
    Failed,
}

/// One file or directory to copy.
struct Item {
    from: Vec<u8>,
    to: Vec<u8>,
    /// Whether it is an operand, not something below one.
    is_operand: bool,
    /// Whether nothing can be at `to`: the directory was just made.
    is_new: bool,
}

/// What became of an item.
enum Step {
    Ended(Ended),
    /// It is a directory: what is in it comes next.
    Enter(Box<Level>),
}

impl<'a> Copier<'a> {
    /// One that has copied nothing yet.
    pub(crate) fn new(tool: &'a str, settings: Settings) -> Copier<'a> {
        Copier {
            tool,
            settings,
            out: Output::new().by_line(),
            umask: None,
            buffer: Vec::new(),
            operands: HashSet::new(),
            results: HashSet::new(),
            copies: HashMap::new(),
            failed: false,
            is_into_itself: false,
        }
    }

    /// Copies or moves an operand with all that is below it.
    pub(crate) fn operand(&mut self, from: &[u8], to: &[u8]) -> Ended {
        (self.failed, self.is_into_itself) = (false, false);
        let item = Item {
            from: from.to_vec(),
            to: to.to_vec(),
            is_operand: true,
            is_new: false,
        };
        let mut ended = Ended::Failed;
        let mut levels: Vec<Level> = Vec::new();
        self.step(item, &mut levels, &mut ended);
        while let Some(level) = levels.last_mut() {
            match level.next() {
                Some(item) => {
                    let mut below = Ended::Done;
                    self.step(item, &mut levels, &mut below);
                }
                None => {
                    if let Some(level) = levels.pop() {
                        self.leave(level);
                    }
                }
            }
        }
        if self.failed { Ended::Failed } else { ended }
    }

    /// Writes what was to be said. Fails when it cannot be written.
    pub(crate) fn finish(mut self) -> std::io::Result<()> {
        self.out.finish()
    }

    /// Takes an item; a directory becomes the next level.
    fn step(&mut self, item: Item, levels: &mut Vec<Level>, ended: &mut Ended) {
        match self.item(item, levels) {
            Ok(Step::Ended(how)) => *ended = how,
            Ok(Step::Enter(level)) => {
                levels.push(*level);
                *ended = Ended::Copied;
            }
            Err(message) => self.complain(&message),
        }
    }

    fn complain(&mut self, message: &[u8]) {
        self.failed = true;
        self.warn(message);
    }

    /// Says something that is no failure.
    fn warn(&mut self, message: &[u8]) {
        self.out.write_out();
        complain(self.tool, message);
    }

    /// Adds a line to standard output: `'FROM' -> 'TO'` and the like.
    fn tell(&mut self, what: &str, item: &Item, backup: Option<&[u8]>) {
        let (from, to) = (quoted(&item.from), quoted(&item.to));
        let mut line = [what.as_bytes(), &from, b" -> ", &to].concat();
        if let Some(backup) = backup {
            line.extend([b" (backup: ", &quoted(backup)[..], b")"].concat());
        }
        line.push(b'\n');
        self.out.put(&line);
    }

    fn tell_removed(&mut self, path: &[u8]) {
        if self.settings.verbose {
            let line = [b"removed ", &quoted(path)[..], b"\n"].concat();
            self.out.put(&line);
        }
    }

    /// Whether a symbolic link is copied as what it leads to.
    fn links(&self, item: &Item) -> Links {
        match self.settings.follow {
            Follow::Always => Links::Follow,
            Follow::Operands if item.is_operand => Links::Follow,
            Follow::Operands | Follow::Never => Links::Keep,
        }
    }

    fn item(&mut self, item: Item, levels: &[Level]) -> Outcome<Step> {
        let stat = self.source(&item)?;
        if item.is_operand && self.is_repeated(&item, &stat) {
            return Ok(Step::Ended(Ended::Done));
        }
        let there = match self.existing(&item, &stat)? {
            None => None,
            Some(found) => match self.meet(&item, &stat, found)? {
                Some(there) => Some(there),
                None => return Ok(Step::Ended(Ended::Done)),
            },
        };
        let there = there.unwrap_or_default();
        let result = self.place(&item, &stat, &there, levels);
        if let (Err(_), Some(backup)) = (&result, &there.backup) {
            self.restore(&item, backup);
        }
        result
    }

    /// What is to be copied. Fails when that is not there, or is a directory that may not be.
    fn source(&self, item: &Item) -> Outcome<Stat> {
        let stat = system::stat(&item.from, self.links(item))
            .map_err(|errno| failure("cannot stat", &item.from, errno))?;
        if is_directory(stat.mode) && !self.settings.recursive {
            let what = b"-r not specified; omitting directory ";
            return Err([what, &quoted(&item.from)[..]].concat());
        }
        Ok(stat)
    }

    /// Whether the same operand was there already. Says so if it was.
    fn is_repeated(&mut self, item: &Item, stat: &Stat) -> bool {
        let is_new = self.operands.insert((item.from.clone(), identity(stat)));
        if is_new || is_directory(stat.mode) || self.settings.backups.are_made() {
            return false;
        }
        let name = quoted(&item.from);
        self.warn(
            &[
                b"warning: source file ",
                &name[..],
                b" specified more than once",
            ]
            .concat(),
        );
        true
    }

    /// Puts a copy in its place, in which `there` is.
    fn place(
        &mut self,
        item: &Item,
        stat: &Stat,
        there: &Existing,
        levels: &[Level],
    ) -> Outcome<Step> {
        self.refuse_own_link(item)?;
        let is_directory = is_directory(stat.mode);
        if self.settings.verbose && !self.settings.moving && !is_directory {
            self.tell("", item, there.backup.as_deref());
        }
        let is_moved = self.settings.moving && item.is_operand;
        if is_moved && self.rename(item, stat, there)? {
            return Ok(Step::Ended(Ended::Done));
        }
        // What was there is gone where a rename was tried.
        let nothing = Existing::default();
        let found = if is_moved { &nothing } else { there };
        if let Some(step) = self.link_to_copy(item, stat, levels)? {
            return Ok(step);
        }
        if is_directory {
            let level = self.enter(item, stat, found, levels)?;
            return Ok(Step::Enter(Box::new(level)));
        }
        if self.settings.moving && self.settings.verbose {
            self.tell("copied ", item, there.backup.as_deref());
        }
        self.make(item, stat, found)?;
        if item.is_operand {
            self.record_result(item);
        }
        Ok(Step::Ended(Ended::Copied))
    }

    /// Fails where a copy would go through a symbolic link that an earlier operand became.
    fn refuse_own_link(&self, item: &Item) -> Outcome<()> {
        if !item.is_operand
            || self.results.is_empty()
            || self.settings.moving
            || self.settings.backups.are_made()
        {
            return Ok(());
        }
        match system::stat(&item.to, Links::Keep) {
            Ok(stat) if is_link(stat.mode) && self.is_result(&item.to, &stat) => {
                let (from, to) = (quoted(&item.from), quoted(&item.to));
                let through = b" through just-created symlink ";
                Err([b"will not copy ", &from[..], through, &to].concat())
            }
            _ => Ok(()),
        }
    }

    /// Remembers what an operand has become.
    fn record_result(&mut self, item: &Item) {
        if let Ok(stat) = system::stat(&item.to, Links::Keep) {
            self.results.insert((item.to.clone(), identity(&stat)));
        }
    }

    fn is_result(&self, path: &[u8], stat: &Stat) -> bool {
        self.results.contains(&(path.to_vec(), identity(stat)))
    }

    /// Renames instead of copying. Whether that could be done: not to another device.
    fn rename(&mut self, item: &Item, stat: &Stat, there: &Existing) -> Outcome<bool> {
        match paths::rename(&item.from, &item.to) {
            Ok(()) => {
                if self.settings.verbose {
                    self.tell("renamed ", item, there.backup.as_deref());
                }
                self.record_result(item);
                return Ok(true);
            }
            Err(Errno::Xdev) => {}
            Err(errno) => return Err(not_renamed(item, errno)),
        }
        // Without this an old target would be written to, or merged with.
        let removed = if is_directory(stat.mode) {
            paths::remove_directory(&item.to)
        } else {
            paths::remove_file(&item.to)
        };
        match removed {
            Ok(()) | Err(Errno::NoEnt) => Ok(false),
            Err(errno) => {
                let what = [
                    b"inter-device move failed: ",
                    &quoted(&item.from)[..],
                    b" to ",
                    &quoted(&item.to),
                    b"; unable to remove target: ",
                    errno_text(errno).as_bytes(),
                ];
                Err(what.concat())
            }
        }
    }

    /// Gives a file its name back after its replacement failed.
    fn restore(&mut self, item: &Item, backup: &[u8]) {
        match paths::rename(backup, &item.to) {
            Ok(()) if self.settings.verbose => {
                let (backup, to) = (quoted(backup), quoted(&item.to));
                let line = [&backup[..], b" -> ", &to, b" (unbackup)\n"].concat();
                self.out.put(&line);
            }
            Ok(()) => {}
            Err(errno) => self.complain(&failure("cannot un-backup", &item.to, errno)),
        }
    }

    /// The umask.
    fn umask(&mut self) -> u32 {
        *self.umask.get_or_insert_with(system::current_umask)
    }
}

/// Why a file could not be renamed.
fn not_renamed(item: &Item, errno: Errno) -> Vec<u8> {
    let (from, to) = (quoted(&item.from), quoted(&item.to));
    if errno == Errno::Inval {
        let what = b" to a subdirectory of itself, ";
        return [b"cannot move ", &from[..], what, &to].concat();
    }
    let why = errno_text(errno).as_bytes();
    [b"cannot move ", &from[..], b" to ", &to, b": ", why].concat()
}
