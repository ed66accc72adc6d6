//! Removing files and trees: for `rm`, and for `mv` to another device.
//!
//! A tree is walked with a stack of [`Level`]s instead of by recursion, so its depth costs heap and
//! not the stack of the process.

use codepod_tool::{Output, complain, quoted};

use crate::ask::confirm;
use crate::copy::failure;
use crate::mode::{is_directory, is_link, type_name};
use crate::paths::{self, directory, is_dots, is_same_file, join, last_part};
use crate::system::{self, Errno, Links, Stat};

/// What is removed, and who is asked.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    /// `-r`
    pub(crate) recursive: bool,
    /// `-d`: also empty directories.
    pub(crate) empty_directories: bool,
    /// `-f`: what is missing does not matter.
    pub(crate) ignore_missing: bool,
    /// Whether there are questions.
    pub(crate) questions: Questions,
    /// The root, which is not removed.
    pub(crate) root: Option<Stat>,
    /// `--one-file-system`
    pub(crate) one_file_system: bool,
    /// `--preserve-root=all`: no operand that something is mounted on.
    pub(crate) refuse_mounts: bool,
    /// `-v`
    pub(crate) verbose: bool,
}

/// When the user is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Questions {
    /// Never.
    #[default]
    Never,
    /// For what cannot be written, at a terminal.
    Protected,
    /// Always.
    Always,
}

/// Removes operands.
pub(crate) struct Remover<'a> {
    tool: &'a str,
    rules: Rules,
    out: Output,
    status: i32,
}

/// A directory whose entries are being removed.
struct Level {
    path: Vec<u8>,
    names: std::vec::IntoIter<Vec<u8>>,
    /// What it is; only known where that matters.
    stat: Option<Stat>,
    /// Why it could not be listed.
    unreadable: Option<Errno>,
    /// Whether something in it stays for certain, so that it does as well.
    stays: bool,
}

/// What became of an entry.
enum Step {
    /// It is gone, or the user wants to keep it.
    Done,
    /// It stays, and what it is in does as well.
    Stays,
    Enter(Level),
}

impl<'a> Remover<'a> {
    /// One that has removed nothing yet.
    pub(crate) fn new(tool: &'a str, rules: Rules) -> Remover<'a> {
        Remover {
            tool,
            rules,
            out: Output::new().by_line(),
            status: 0,
        }
    }

    /// Removes an operand with all that is below it.
    pub(crate) fn operand(&mut self, path: &[u8]) {
        if self.rules.recursive && !self.check_operand(path) {
            return;
        }
        let mut levels: Vec<Level> = Vec::new();
        let mut device = None;
        if let Step::Enter(level) = self.entry(path, None) {
            device = level.stat.map(|stat| stat.dev);
            levels.push(level);
        }
        while let Some(level) = levels.last_mut() {
            let step = match level.names.next() {
                Some(name) => {
                    let path = join(&level.path, &name);
                    self.entry(&path, device)
                }
                None => match levels.pop() {
                    Some(level) => self.leave(&level),
                    None => break,
                },
            };
            match step {
                Step::Done => {}
                Step::Enter(level) => levels.push(level),
                Step::Stays => {
                    if let Some(level) = levels.last_mut() {
                        level.stays = true;
                    }
                }
            }
        }
    }

    /// The exit status, after all that was to be said is written.
    pub(crate) fn finish(mut self) -> i32 {
        if let Err(error) = self.out.finish() {
            let why = system::io_message(&error);
            complain(self.tool, format!("write error: {why}"));
            return 1;
        }
        self.status
    }

    fn fail(&mut self, message: impl AsRef<[u8]>) -> Step {
        self.out.write_out();
        complain(self.tool, message);
        self.status = 1;
        Step::Stays
    }

    /// Says why a file cannot be removed, unless it is missing and that does not matter.
    fn cannot_remove(&mut self, path: &[u8], errno: Errno) -> Step {
        let is_missing = matches!(errno, Errno::NoEnt | Errno::NotDir | Errno::Inval);
        if is_missing && self.rules.ignore_missing {
            return Step::Done;
        }
        self.fail(failure("cannot remove", path, errno))
    }

    /// Whether an operand is none of those that are never removed with all that is below them.
    fn check_operand(&mut self, path: &[u8]) -> bool {
        let name = quoted(path);
        let is_dir = || system::stat(path, Links::Keep).is_ok_and(|stat| is_directory(stat.mode));
        if is_dots(last_part(path)) && is_dir() {
            let what = b"refusing to remove '.' or '..' directory: skipping ";
            self.fail([what, &name[..]].concat());
            return false;
        }
        let stat = if self.rules.root.is_some() || self.rules.refuse_mounts {
            system::stat(path, Links::Keep).ok()
        } else {
            None
        };
        let Some(stat) = stat.filter(|stat| is_directory(stat.mode)) else {
            return true;
        };
        if self
            .rules
            .root
            .is_some_and(|root| is_same_file(&root, &stat))
        {
            let what = b"it is dangerous to operate recursively on ";
            let also: &[u8] = if path == b"/" { b"" } else { b" (same as '/')" };
            self.fail([what, &name[..], also].concat());
            self.fail("use --no-preserve-root to override this failsafe");
            return false;
        }
        let parent = || system::stat(&join(directory(path), b"."), Links::Follow);
        if self.rules.refuse_mounts && parent().is_ok_and(|parent| parent.dev != stat.dev) {
            self.fail(other_device(path));
            self.fail("and --preserve-root=all is in effect");
            return false;
        }
        true
    }

    /// Removes a file; a directory becomes the next level.
    fn entry(&mut self, path: &[u8], device: Option<u64>) -> Step {
        if path.is_empty() {
            return self.cannot_remove(path, Errno::NoEnt);
        }
        if self.rules.questions == Questions::Never && self.rules.recursive {
            // Most are no directories: this spares looking first.
            match paths::remove_file(path) {
                Ok(()) => {
                    self.tell("removed ", path);
                    return Step::Done;
                }
                Err(Errno::IsDir | Errno::Perm) => {}
                Err(errno) if !is_directory_path(path) => return self.cannot_remove(path, errno),
                Err(_) => {}
            }
        }
        let stat = match system::stat(path, Links::Keep) {
            Ok(stat) => stat,
            Err(errno) => return self.cannot_remove(path, errno),
        };
        if is_directory(stat.mode) {
            return self.directory(path, stat, device);
        }
        if !self.may_remove("remove", path, &stat) {
            return Step::Done;
        }
        match paths::remove_file(path) {
            Ok(()) => {
                self.tell("removed ", path);
                Step::Done
            }
            Err(errno) => self.cannot_remove(path, errno),
        }
    }

    fn directory(&mut self, path: &[u8], stat: Stat, device: Option<u64>) -> Step {
        if !self.rules.recursive && !self.rules.empty_directories {
            return self.fail(failure("cannot remove", path, Errno::IsDir));
        }
        if self.rules.one_file_system && device.is_some_and(|device| device != stat.dev) {
            return self.fail(other_device(path));
        }
        let listed = system::list(path);
        let is_empty = listed.as_ref().is_ok_and(Vec::is_empty);
        if !self.rules.recursive && listed.as_ref().is_ok_and(|names| !names.is_empty()) {
            return self.fail(failure("cannot remove", path, Errno::NotEmpty));
        }
        let is_entered = is_empty || !self.rules.recursive;
        if !is_entered && !self.may_remove("descend into", path, &stat) {
            return Step::Stays;
        }
        let (names, unreadable) = match listed {
            Ok(names) => (names, None),
            Err(errno) => (Vec::new(), Some(errno)),
        };
        Step::Enter(Level {
            path: path.to_vec(),
            names: names.into_iter(),
            stat: Some(stat),
            unreadable,
            stays: false,
        })
    }

    /// Removes a directory of which all entries were taken.
    fn leave(&mut self, level: &Level) -> Step {
        if level.stays {
            return Step::Stays;
        }
        let may = level
            .stat
            .is_none_or(|stat| self.may_remove("remove", &level.path, &stat));
        if !may {
            return Step::Stays;
        }
        match paths::remove_directory(&level.path) {
            Ok(()) => {
                self.tell("removed directory ", &level.path);
                Step::Done
            }
            Err(Errno::NotEmpty | Errno::Exist) if level.unreadable.is_some() => {
                let errno = level.unreadable.unwrap_or(Errno::NotEmpty);
                self.cannot_remove(&level.path, errno)
            }
            Err(errno) => self.cannot_remove(&level.path, errno),
        }
    }

    fn tell(&mut self, what: &str, path: &[u8]) {
        if self.rules.verbose {
            let line = [what.as_bytes(), &quoted(path), b"\n"].concat();
            self.out.put(&line);
        }
    }

    /// Whether the rules and the user let a file go.
    fn may_remove(&mut self, what: &str, path: &[u8], stat: &Stat) -> bool {
        if self.rules.questions == Questions::Never {
            return true;
        }
        let is_protected = !is_link(stat.mode) && system::user().0 != 0 && !system::may(path, 2);
        if self.rules.questions == Questions::Protected && !is_protected {
            return true;
        }
        let protected = if is_protected { "write-protected " } else { "" };
        let kind = type_name(stat.mode, stat.size);
        self.out.write_out();
        let start = format!("{what} {protected}{kind} ");
        confirm(self.tool, &[start.as_bytes(), &quoted(path)].concat())
    }
}

fn other_device(path: &[u8]) -> Vec<u8> {
    let since = b", since it's on a different device";
    [b"skipping ", &quoted(path)[..], since].concat()
}

/// Whether a path leads to a directory: one that ends in a slash may.
fn is_directory_path(path: &[u8]) -> bool {
    system::stat(path, Links::Keep).is_ok_and(|stat| is_directory(stat.mode))
}
