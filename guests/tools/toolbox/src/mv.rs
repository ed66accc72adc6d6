//! `mv`: renames files, and copies them where they go to another device.

use codepod_tool::{
    Arguments, Opt, Options, Stop, Usage, Value, complain, flag, long, optional, value,
};

use crate::arguments::{help, version};
use crate::backup;
use crate::copy::{Copier, Ended, Follow, How, Keep, Overwrite, Settings, Sparse};
use crate::destination::{self, Destination};
use crate::mode::is_directory;
use crate::paths::{join, last_part, without_slashes};
use crate::remove::{Remover, Rules};
use crate::system::{self, Links};

#[derive(Clone, Copy)]
enum Key {
    Backup,
    Context,
    Force,
    Interactive,
    NoClobber,
    StripSlashes,
    Suffix,
    Target,
    NoTarget,
    Update,
    Verbose,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    optional(Key::Backup, 0, "backup"),
    flag(Key::Backup, b'b', ""),
    flag(Key::Context, b'Z', "context"),
    flag(Key::Force, b'f', "force"),
    flag(Key::Interactive, b'i', "interactive"),
    flag(Key::NoClobber, b'n', "no-clobber"),
    flag(Key::NoTarget, b'T', "no-target-directory"),
    long(Key::StripSlashes, "strip-trailing-slashes", Value::None),
    value(Key::Suffix, b'S', "suffix"),
    value(Key::Target, b't', "target-directory"),
    flag(Key::Update, b'u', "update"),
    flag(Key::Verbose, b'v', "verbose"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// What the options say.
struct Given {
    backup: backup::Given,
    destination: destination::Given,
    overwrite: Overwrite,
    strip_slashes: bool,
    newer_only: bool,
    verbose: bool,
}

/// What is to be done.
struct Task {
    settings: Settings,
    sources: Vec<Vec<u8>>,
    destination: Destination,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    match task(tool, arguments) {
        Ok(task) => run(tool, task),
        Err(stop) => stop.report(tool, 1),
    }
}

impl Given {
    fn take(&mut self, tool: &str, key: Key, value: Option<Vec<u8>>) -> Result<(), Stop> {
        match key {
            Key::Backup => self.backup.take_backup(value),
            // There is no SELinux, as on most machines.
            Key::Context => {}
            Key::Force => self.overwrite = Overwrite::Always,
            Key::Interactive => self.overwrite = Overwrite::Ask,
            Key::NoClobber => self.overwrite = Overwrite::Never,
            Key::StripSlashes => self.strip_slashes = true,
            Key::Suffix => self.backup.take_suffix(value),
            Key::Target => self.destination.take_directory(value)?,
            Key::NoTarget => self.destination.take_no_directory(),
            Key::Update => self.newer_only = true,
            Key::Verbose => self.verbose = true,
            Key::Help => {
                return Err(Stop::Status(help(
                    tool,
                    "[OPTION]... SOURCE... DEST",
                    "Rename SOURCE to DEST, or move SOURCE(s) to DIRECTORY.",
                    TABLE,
                )));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    }

    /// Fails with an unknown kind of backups.
    fn settings(self) -> Result<Settings, Stop> {
        Ok(Settings {
            moving: true,
            recursive: true,
            follow: Follow::Never,
            how: How::Content,
            read_specials: false,
            overwrite: self.overwrite,
            newer_only: self.newer_only && self.overwrite != Overwrite::Never,
            force: false,
            remove_first: false,
            backups: self.backup.backups()?,
            keep: Keep {
                mode: true,
                usual_mode: false,
                owner: true,
                times: true,
                links: true,
                required: false,
            },
            sparse: Sparse::Auto,
            only_clones: false,
            one_file_system: false,
            verbose: self.verbose,
        })
    }
}

fn task(tool: &str, arguments: Arguments) -> Result<Task, Stop> {
    let mut given = Given {
        backup: backup::Given::default(),
        destination: destination::Given::default(),
        overwrite: Overwrite::Default,
        strip_slashes: false,
        newer_only: false,
        verbose: false,
    };
    let mut sources =
        Options::new(TABLE, arguments).each(|key, value| given.take(tool, key, value))?;
    let strip_slashes = given.strip_slashes;
    let clash = given.backup.is_wanted() && given.overwrite == Overwrite::Never;
    let destination = std::mem::take(&mut given.destination);
    let mut destination = destination.destination(&mut sources, Links::Follow)?;
    if strip_slashes {
        strip(&mut sources, &mut destination);
    }
    if clash {
        let message = "options --backup and --no-clobber are mutually exclusive";
        return Err(Usage::new(message).into());
    }
    Ok(Task {
        settings: given.settings()?,
        sources,
        destination,
    })
}

/// Takes the slashes from the end of the sources. What becomes of a directory needs none either.
fn strip(sources: &mut [Vec<u8>], destination: &mut Destination) {
    for path in sources.iter_mut() {
        *path = without_slashes(path).to_vec();
    }
    if let (Destination::As(to), [from]) = (destination, sources)
        && system::stat(from, Links::Keep).is_ok_and(|stat| is_directory(stat.mode))
    {
        *to = without_slashes(to).to_vec();
    }
}

fn run(tool: &str, task: Task) -> i32 {
    let verbose = task.settings.verbose;
    let mut copier = Copier::new(tool, task.settings);
    let mut status = 0;
    for from in &task.sources {
        let to = match &task.destination {
            Destination::As(to) => to.clone(),
            Destination::Into(directory) => join(directory, last_part(from)),
        };
        let is_fine = match copier.operand(from, &to) {
            Ended::Done => true,
            Ended::Copied => remove(tool, from, verbose),
            Ended::Failed => false,
        };
        if !is_fine {
            status = 1;
        }
    }
    if let Err(error) = copier.finish() {
        complain(tool, format!("write error: {}", system::io_message(&error)));
        return 1;
    }
    status
}

/// Removes what was copied to another device. Whether that succeeded.
fn remove(tool: &str, path: &[u8], verbose: bool) -> bool {
    let rules = Rules {
        recursive: true,
        verbose,
        ..Rules::default()
    };
    let mut remover = Remover::new(tool, rules);
    remover.operand(path);
    remover.finish() == 0
}
