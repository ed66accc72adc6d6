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
    /// The names of the operands so far, and the directories in which they are.
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

    /// Takes one item through its steps: what is it, has it been here, what is in its place, and
    /// then the copy. A failed copy gives the backup its name back.
    fn item(&mut self, item: Item, levels: &[Level]) -> Outcome<Step> {
        let stat = self.source(&item)?;
        if item.is_operand && self.is_repeated(&item, &stat) {
            return Ok(Step::Ended(Ended::Done));
        }
        let mut there = Existing::default();
        if let Some(found) = self.existing(&item, &stat)? {
            match self.meet(&item, &stat, found)? {
                Some(left) => there = left,
                None => return Ok(Step::Ended(Ended::Done)),
            }
        }
        let result = if self.settings.moving && item.is_operand {
            self.move_operand(&item, &stat, &there, levels)
        } else {
            self.copy(&item, &stat, &there, levels)
        };
        if result.is_err() {
            // Other names of the source cannot become links to a copy that was not made.
            if self.copies.get(&identity(&stat)) == Some(&item.to) {
                self.copies.remove(&identity(&stat));
            }
            if let Some(backup) = &there.backup {
                self.restore(&item, backup);
            }
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

    /// Whether an operand that is no directory was there before. Says so, unless a backup is made
    /// of the first copy.
    fn is_repeated(&mut self, item: &Item, stat: &Stat) -> bool {
        if is_directory(stat.mode) || self.settings.backups.are_made() {
            return false;
        }
        let Ok(directory) = system::stat(paths::directory(&item.from), Links::Follow) else {
            return false;
        };
        let name = paths::last_part(&item.from).to_vec();
        if self.operands.insert((name, identity(&directory))) {
            return false;
        }
        let name = quoted(&item.from);
        let what = b"warning: source file ";
        self.warn(&[what, &name[..], b" specified more than once"].concat());
        true
    }

    /// Renames an operand, or copies it where it goes to another device.
    fn move_operand(
        &mut self,
        item: &Item,
        stat: &Stat,
        there: &Existing,
        levels: &[Level],
    ) -> Outcome<Step> {
        let renamed = match paths::rename(&item.from, &item.to) {
            Err(Errno::Xdev) => false,
            Err(errno) => return Err(not_renamed(item, errno)),
            Ok(()) => true,
        };
        if renamed {
            if self.settings.verbose {
                self.tell("renamed ", item, there.backup.as_deref());
            }
            self.record_result(item);
            return Ok(Step::Ended(Ended::Done));
        }
        if let Some(step) = self.link_to_copy(item, stat, levels)? {
            return Ok(step);
        }
        self.clear_for_move(item, stat)?;
        // The file is gone, but the line names its backup.
        let backup = there.backup.as_deref();
        if self.settings.verbose && !is_directory(stat.mode) {
            self.tell("copied ", item, backup);
        }
        self.make_anew(item, stat, &Existing::default(), levels)
    }

    /// Removes the target of a move to another device, as a rename would have done: otherwise it
    /// would be written to, or merged with.
    fn clear_for_move(&self, item: &Item, stat: &Stat) -> Outcome<()> {
        let removed = if is_directory(stat.mode) {
            paths::remove_directory(&item.to)
        } else {
            paths::remove_file(&item.to)
        };
        match removed {
            Ok(()) | Err(Errno::NoEnt) => Ok(()),
            Err(errno) => {
                let (from, to) = (quoted(&item.from), quoted(&item.to));
                let what = b"inter-device move failed: ";
                let why = errno_text(errno).as_bytes();
                let target = b"; unable to remove target: ";
                Err([what, &from[..], b" to ", &to, target, why].concat())
            }
        }
    }

    /// Copies an item to its place, in which `there` is.
    fn copy(
        &mut self,
        item: &Item,
        stat: &Stat,
        there: &Existing,
        levels: &[Level],
    ) -> Outcome<Step> {
        self.refuse_own_link(item)?;
        if self.settings.verbose && !is_directory(stat.mode) {
            let what = if self.settings.moving { "copied " } else { "" };
            self.tell(what, item, there.backup.as_deref());
        }
        if let Some(step) = self.link_to_copy(item, stat, levels)? {
            return Ok(step);
        }
        self.make_anew(item, stat, there, levels)
    }

    /// Makes the copy of something that was not copied before.
    fn make_anew(
        &mut self,
        item: &Item,
        stat: &Stat,
        there: &Existing,
        levels: &[Level],
    ) -> Outcome<Step> {
        if is_directory(stat.mode) {
            let level = self.enter(item, stat, there, levels)?;
            return Ok(Step::Enter(Box::new(level)));
        }
        self.make(item, stat, there)?;
        if item.is_operand {
            self.record_result(item);
        }
        Ok(Step::Ended(Ended::Copied))
    }

    /// Fails where a copy would be written through a symbolic link that an earlier operand has
    /// become: one operand must not choose where the next one is written.
    fn refuse_own_link(&self, item: &Item) -> Outcome<()> {
        if !item.is_operand || self.results.is_empty() || self.settings.backups.are_made() {
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
