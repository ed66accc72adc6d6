//! `cp`: copies files and trees.

use codepod_tool::{
    Arguments, Opt, Options, Stop, Usage, Value, complain, flag, long, one_of, optional, value,
};

use crate::arguments::{help, version};
use crate::backup;
use crate::copy::{Copier, Ended, Follow, How, Keep, Overwrite, Settings, Sparse};
use crate::destination::{self, Destination};
use crate::parents::Parents;
use crate::paths::{join, last_part, without_slashes};
use crate::system::{self, Links};

#[derive(Clone, Copy)]
enum Key {
    Archive,
    AttributesOnly,
    Backup,
    CopyContents,
    LinksAsLinks,
    Force,
    Interactive,
    FollowOperands,
    Link,
    Dereference,
    NoClobber,
    NoDereference,
    PreserveUsual,
    Preserve,
    NoPreserve,
    Parents,
    Recursive,
    Reflink,
    RemoveDestination,
    Sparse,
    StripSlashes,
    SymbolicLink,
    Suffix,
    Target,
    NoTarget,
    Update,
    Verbose,
    OneFileSystem,
    Context,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Archive, b'a', "archive"),
    long(Key::AttributesOnly, "attributes-only", Value::None),
    optional(Key::Backup, 0, "backup"),
    flag(Key::Backup, b'b', ""),
    long(Key::CopyContents, "copy-contents", Value::None),
    flag(Key::LinksAsLinks, b'd', ""),
    flag(Key::Dereference, b'L', "dereference"),
    flag(Key::Force, b'f', "force"),
    flag(Key::FollowOperands, b'H', ""),
    flag(Key::Interactive, b'i', "interactive"),
    flag(Key::Link, b'l', "link"),
    flag(Key::NoClobber, b'n', "no-clobber"),
    flag(Key::NoDereference, b'P', "no-dereference"),
    long(Key::NoPreserve, "no-preserve", Value::Required),
    flag(Key::NoTarget, b'T', "no-target-directory"),
    flag(Key::OneFileSystem, b'x', "one-file-system"),
    long(Key::Parents, "parents", Value::None),
    flag(Key::PreserveUsual, b'p', ""),
    optional(Key::Preserve, 0, "preserve"),
    flag(Key::Recursive, b'R', "recursive"),
    flag(Key::Recursive, b'r', ""),
    long(Key::RemoveDestination, "remove-destination", Value::None),
    long(Key::Sparse, "sparse", Value::Required),
    optional(Key::Reflink, 0, "reflink"),
    long(Key::StripSlashes, "strip-trailing-slashes", Value::None),
    value(Key::Suffix, b'S', "suffix"),
    flag(Key::SymbolicLink, b's', "symbolic-link"),
    value(Key::Target, b't', "target-directory"),
    flag(Key::Update, b'u', "update"),
    flag(Key::Verbose, b'v', "verbose"),
    flag(Key::Context, b'Z', ""),
    optional(Key::Context, 0, "context"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// What `--preserve` names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Attribute {
    Mode,
    Timestamps,
    Ownership,
    Links,
    Context,
    Xattr,
    All,
}

const ATTRIBUTES: &[(&str, Attribute)] = &[
    ("mode", Attribute::Mode),
    ("timestamps", Attribute::Timestamps),
    ("ownership", Attribute::Ownership),
    ("links", Attribute::Links),
    ("context", Attribute::Context),
    ("xattr", Attribute::Xattr),
    ("all", Attribute::All),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reflink {
    Auto,
    Always,
    Never,
}

const REFLINKS: &[(&str, Reflink)] = &[
    ("auto", Reflink::Auto),
    ("always", Reflink::Always),
    ("never", Reflink::Never),
];

const SPARSES: &[(&str, Sparse)] = &[
    ("never", Sparse::Never),
    ("auto", Sparse::Auto),
    ("always", Sparse::Always),
];

/// What the options say, before they are checked against each other.
#[derive(Default)]
struct Given {
    backup: backup::Given,
    destination: destination::Given,
    keep: Keep,
    follow: Option<Follow>,
    overwrite: Option<Overwrite>,
    sparse: Option<Sparse>,
    reflink: Option<Reflink>,
    attributes_only: bool,
    copy_contents: bool,
    force: bool,
    hard_link: bool,
    symbolic_link: bool,
    parents: bool,
    recursive: bool,
    remove_first: bool,
    strip_slashes: bool,
    newer_only: bool,
    verbose: bool,
    one_file_system: bool,
    context: bool,
}

/// What is to be done.
struct Task {
    settings: Settings,
    sources: Vec<Vec<u8>>,
    destination: Destination,
    parents: bool,
    strip_slashes: bool,
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
            Key::Archive => {
                self.recursive = true;
                self.follow = Some(Follow::Never);
                self.preserve("--preserve", b"all", true)?;
            }
            Key::AttributesOnly => self.attributes_only = true,
            Key::Backup => self.backup.take_backup(value),
            Key::CopyContents => self.copy_contents = true,
            Key::LinksAsLinks => (self.keep.links, self.follow) = (true, Some(Follow::Never)),
            Key::Force => self.force = true,
            Key::Interactive => self.overwrite = Some(Overwrite::Ask),
            Key::FollowOperands => self.follow = Some(Follow::Operands),
            Key::Link => self.hard_link = true,
            Key::Dereference => self.follow = Some(Follow::Always),
            Key::NoClobber => self.overwrite = Some(Overwrite::Never),
            Key::NoDereference => self.follow = Some(Follow::Never),
            Key::PreserveUsual => self.preserve("--preserve", USUAL, true)?,
            Key::Preserve => {
                self.preserve("--preserve", value.as_deref().unwrap_or(USUAL), true)?;
            }
            Key::NoPreserve => {
                self.preserve("--no-preserve", &value.unwrap_or_default(), false)?;
            }
            Key::Parents => self.parents = true,
            Key::Recursive => self.recursive = true,
            Key::Reflink => {
                let text = value.unwrap_or_else(|| b"always".to_vec());
                self.reflink = Some(one_of("--reflink", &text, REFLINKS)?);
            }
            Key::RemoveDestination => self.remove_first = true,
            Key::Sparse => {
                let text = value.unwrap_or_default();
                self.sparse = Some(one_of("--sparse", &text, SPARSES)?);
            }
            Key::StripSlashes => self.strip_slashes = true,
            Key::SymbolicLink => self.symbolic_link = true,
            Key::Suffix => self.backup.take_suffix(value),
            Key::Target => self.destination.take_directory(value)?,
            Key::NoTarget => self.destination.take_no_directory(),
            Key::Update => self.newer_only = true,
            Key::Verbose => self.verbose = true,
            Key::OneFileSystem => self.one_file_system = true,
            // There is no SELinux, as on most machines.
            Key::Context if value.is_some() => complain(
                tool,
                "warning: ignoring --context; it requires an SELinux-enabled kernel",
            ),
            Key::Context => {}
            Key::Help => {
                return Err(Stop::Status(help(
                    tool,
                    "[OPTION]... SOURCE... DEST",
                    "Copy SOURCE to DEST, or multiple SOURCE(s) to DIRECTORY.",
                    TABLE,
                )));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    }

    /// Takes a list of attributes that are kept, or are not.
    fn preserve(&mut self, option: &str, list: &[u8], on: bool) -> Result<(), Stop> {
        let keep = &mut self.keep;
        keep.required |= on;
        for word in list.split(|byte| *byte == b',') {
            let attribute = one_of(option, word, ATTRIBUTES)?;
            let is = |one: Attribute| attribute == one || attribute == Attribute::All;
            if is(Attribute::Mode) {
                (keep.mode, keep.usual_mode) = (on, !on);
            }
            if is(Attribute::Timestamps) {
                keep.times = on;
            }
            if is(Attribute::Ownership) {
                keep.owner = on;
            }
            if is(Attribute::Links) {
                keep.links = on;
            }
            // Files have no extended attributes, so there is nothing to do for them.
            if attribute == Attribute::Context {
                self.context = on;
            }
        }
        Ok(())
    }

    /// Fails with options that contradict each other.
    fn check(&self) -> Result<(), Stop> {
        let wrong = |message: &str| Err(Usage::new(message).into());
        if self.hard_link && self.symbolic_link {
            return wrong("cannot make both hard and symbolic links");
        }
        if self.backup.is_wanted() && self.overwrite == Some(Overwrite::Never) {
            return wrong("options --backup and --no-clobber are mutually exclusive");
        }
        let sparse = self.sparse.unwrap_or(Sparse::Auto);
        if self.reflink == Some(Reflink::Always) && sparse != Sparse::Auto {
            return wrong("--reflink can be used only with --sparse=auto");
        }
        Ok(())
    }

    fn how(&self) -> How {
        if self.symbolic_link {
            How::SymbolicLink
        } else if self.hard_link {
            How::HardLink
        } else if self.attributes_only {
            How::Attributes
        } else {
            How::Content
        }
    }

    /// Fails with an unknown kind of backups.
    fn settings(self) -> Result<Settings, Stop> {
        let how = self.how();
        let follow = self.follow.unwrap_or(if self.recursive && !self.hard_link {
            Follow::Never
        } else {
            Follow::Always
        });
        let overwrite = self.overwrite.unwrap_or(Overwrite::Default);
        Ok(Settings {
            moving: false,
            recursive: self.recursive,
            follow,
            how,
            read_specials: !self.recursive || self.copy_contents,
            overwrite,
            newer_only: self.newer_only && overwrite != Overwrite::Never,
            force: self.force,
            remove_first: self.remove_first,
            backups: self.backup.backups()?,
            keep: self.keep,
            sparse: self.sparse.unwrap_or(Sparse::Auto),
            only_clones: self.reflink == Some(Reflink::Always),
            one_file_system: self.one_file_system,
            verbose: self.verbose,
        })
    }
}

/// What `-p` keeps.
const USUAL: &[u8] = b"mode,ownership,timestamps";

fn task(tool: &str, arguments: Arguments) -> Result<Task, Stop> {
    let mut given = Given::default();
    let mut sources =
        Options::new(TABLE, arguments).each(|key, value| given.take(tool, key, value))?;
    given.check()?;
    let (parents, strip_slashes) = (given.parents, given.strip_slashes);
    let (context, no_directory) = (given.context, given.destination.is_no_directory());
    let destination = std::mem::take(&mut given.destination);
    let settings = given.settings()?;
    if context {
        return Err(Stop::failed(
            "cannot preserve security context without an SELinux-enabled kernel",
        ));
    }
    let destination = destination.destination(&mut sources, Links::Follow)?;
    if parents && (no_directory || matches!(destination, Destination::As(_))) {
        let message = "with --parents, the destination must be a directory";
        return Err(Usage::new(message).into());
    }
    Ok(Task {
        settings,
        sources,
        destination,
        parents,
        strip_slashes,
    })
}

fn run(tool: &str, task: Task) -> i32 {
    let mut status = 0;
    let mut task = task;
    let own_backup = own_backup(&mut task);
    let parents = Parents::new(tool, &task.settings);
    let mut copier = Copier::new(tool, task.settings);
    for source in &task.sources {
        let from = if task.strip_slashes && matches!(task.destination, Destination::Into(_)) {
            without_slashes(source)
        } else {
            source
        };
        let ended = match &task.destination {
            Destination::As(to) => copier.operand(from, own_backup.as_deref().unwrap_or(to)),
            Destination::Into(directory) if task.parents => match parents.make(from, directory) {
                Ok((to, made)) => {
                    let ended = copier.operand(from, &to);
                    if parents.finish(&made) {
                        ended
                    } else {
                        Ended::Failed
                    }
                }
                Err(()) => Ended::Failed,
            },
            Destination::Into(directory) => {
                let name = match last_part(from) {
                    b".." => b".",
                    name => name,
                };
                copier.operand(from, &join(directory, name))
            }
        };
        if ended == Ended::Failed {
            status = 1;
        }
    }
    if let Err(error) = copier.finish() {
        complain(tool, format!("write error: {}", system::io_message(&error)));
        return 1;
    }
    status
}

/// `cp -bf a a` makes a backup of `a`: the name that the copy gets then.
fn own_backup(task: &mut Task) -> Option<Vec<u8>> {
    let settings = &mut task.settings;
    let (Destination::As(to), [from]) = (&task.destination, &task.sources[..]) else {
        return None;
    };
    if !settings.force || !settings.backups.are_made() || from != to {
        return None;
    }
    let stat = system::stat(to, Links::Follow).ok()?;
    if stat.mode & system::mode::TYPE_MASK != system::mode::REGULAR {
        return None;
    }
    let name = settings.backups.name(to);
    settings.backups = backup::Backups::NONE;
    Some(name)
}
