//! `chmod`: changes permission bits.

use codepod_tool::{Arguments, Opt, Options, Stop, Usage, Value, errno_text, flag, long, quoted};

use crate::arguments::{help, version};
use crate::mode::{self, Change, is_directory, is_link};
use crate::report::Report;
use crate::system::{self, Errno, Links, Stat};

#[derive(Clone, Copy)]
enum Key {
    Changes,
    Quiet,
    Verbose,
    Recursive,
    PreserveRoot,
    NoPreserveRoot,
    Reference,
    /// A letter of a mode that begins with a dash.
    Letter,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Changes, b'c', "changes"),
    flag(Key::Quiet, b'f', "silent"),
    flag(Key::Quiet, b'f', "quiet"),
    flag(Key::Verbose, b'v', "verbose"),
    flag(Key::Recursive, b'R', "recursive"),
    long(Key::NoPreserveRoot, "no-preserve-root", Value::None),
    long(Key::PreserveRoot, "preserve-root", Value::None),
    long(Key::Reference, "reference", Value::Required),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
    flag(Key::Letter, b'r', ""),
    flag(Key::Letter, b'w', ""),
    flag(Key::Letter, b'x', ""),
    flag(Key::Letter, b'X', ""),
    flag(Key::Letter, b's', ""),
    flag(Key::Letter, b't', ""),
    flag(Key::Letter, b'u', ""),
    flag(Key::Letter, b'g', ""),
    flag(Key::Letter, b'o', ""),
    flag(Key::Letter, b'a', ""),
];

/// What the arguments ask for.
struct Settings {
    flags: Flags,
    wanted: Wanted,
    paths: Vec<Vec<u8>>,
}

/// The options that are on.
#[derive(Default)]
struct Flags {
    quiet: bool,
    verbose: bool,
    changes: bool,
    recursive: bool,
}

/// The mode that files get.
enum Wanted {
    /// A change of the mode they have.
    Change {
        change: Change,
        /// Whether it began with a dash: it says when the umask kept it from doing all.
        dashed: bool,
    },
    /// The mode of the reference.
    Exactly(u32),
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    match settings(tool, arguments) {
        Ok(settings) => run(tool, settings),
        Err(stop) => stop.report(tool, 1),
    }
}

fn settings(tool: &str, mut arguments: Arguments) -> Result<Settings, Stop> {
    let dashed = take_dashed_mode(&mut arguments);
    let mut flags = Flags::default();
    let mut reference = None;
    let operands = Options::new(TABLE, arguments).each(|key, value| {
        match key {
            Key::Changes => (flags.changes, flags.verbose) = (true, false),
            Key::Quiet => flags.quiet = true,
            Key::Verbose => flags.verbose = true,
            Key::Recursive => flags.recursive = true,
            Key::PreserveRoot | Key::NoPreserveRoot | Key::Letter => {}
            Key::Reference => reference = value,
            Key::Help => {
                return Err(Stop::Status(help(
                    tool,
                    "[OPTION]... MODE[,MODE]... FILE...",
                    "Change the mode of each FILE to MODE.",
                    TABLE,
                )));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    })?;
    let mut operands = operands.into_iter();
    let wanted = match reference {
        Some(_) if dashed.is_some() => {
            return Err(Usage::new("cannot combine mode and --reference options").into());
        }
        Some(path) => mode_of(&path)?,
        None => change(dashed, &mut operands)?,
    };
    if operands.len() == 0 {
        return Err(Usage::new("missing operand").into());
    }
    Ok(Settings {
        flags,
        wanted,
        paths: operands.collect(),
    })
}

/// Takes the first argument away that is a mode with a dash, as in `chmod -x f`.
fn take_dashed_mode(arguments: &mut Arguments) -> Option<Vec<u8>> {
    let is_mode = |argument: &Vec<u8>| {
        argument.len() > 1
            && argument[0] == b'-'
            && argument[1..]
                .iter()
                .all(|byte| b"rwxXstugoa,+=-01234567".contains(byte))
            && argument[1] != b'-'
    };
    let end = arguments.iter().position(|argument| argument == b"--");
    let before = &arguments[..end.unwrap_or(arguments.len())];
    let at = before.iter().position(is_mode)?;
    Some(arguments.remove(at))
}

/// The mode of the reference.
fn mode_of(path: &[u8]) -> Result<Wanted, Stop> {
    match system::stat(path, Links::Follow) {
        Ok(stat) => Ok(Wanted::Exactly(stat.mode & 0o7777)),
        Err(errno) => Err(Stop::failed(
            [
                b"failed to get attributes of ",
                &quoted(path)[..],
                b": ",
                errno_text(errno).as_bytes(),
            ]
            .concat(),
        )),
    }
}

/// The change that the argument with a dash or the first operand says.
fn change(
    dashed: Option<Vec<u8>>,
    operands: &mut impl ExactSizeIterator<Item = Vec<u8>>,
) -> Result<Wanted, Stop> {
    let is_dashed = dashed.is_some();
    let Some(text) = dashed.or_else(|| operands.next()) else {
        return Err(Usage::new("missing operand").into());
    };
    if operands.len() == 0 {
        let shown = if is_dashed {
            Vec::new()
        } else {
            [b" after ", &quoted(&text)[..]].concat()
        };
        return Err(Usage::new([b"missing operand", &shown[..]].concat()).into());
    }
    match Change::parse(&text) {
        Some(change) => Ok(Wanted::Change {
            change,
            dashed: is_dashed,
        }),
        None => Err(Usage::new([b"invalid mode: ", &quoted(&text)[..]].concat()).into()),
    }
}

fn run(tool: &str, settings: Settings) -> i32 {
    let mut job = Job {
        report: Report::new(tool, settings.flags.quiet),
        flags: settings.flags,
        wanted: settings.wanted,
        umask: system::current_umask(),
    };
    for path in &settings.paths {
        job.path(path, true);
    }
    job.report.finish()
}

struct Job<'a> {
    report: Report<'a>,
    flags: Flags,
    wanted: Wanted,
    umask: u32,
}

impl Job<'_> {
    /// Changes a file and, with `-R`, what is below.
    fn path(&mut self, path: &[u8], operand: bool) {
        let Some(stat) = self.look_up(path, operand) else {
            return;
        };
        let directory = is_directory(stat.mode);
        let old = stat.mode & 0o7777;
        let new = match &self.wanted {
            Wanted::Exactly(mode) => *mode,
            Wanted::Change { change, .. } => change.apply(old, directory, self.umask),
        };
        let done = system::set_mode(path, Links::Follow, new);
        let ok = done.is_ok();
        if let Err(errno) = done {
            self.report.fail(b"changing permissions of ", path, errno);
        }
        self.tell(path, old, new, ok);
        if ok {
            self.compare_with_umask(path, &stat, new);
        }
        if self.flags.recursive && directory {
            for inner in self.report.list(path) {
                self.path(&inner, false);
            }
        }
    }

    /// What a file is that is to be changed. None where it cannot be, after saying why.
    fn look_up(&mut self, path: &[u8], operand: bool) -> Option<Stat> {
        let own = match system::stat(path, Links::Keep) {
            Ok(own) => own,
            Err(errno) => {
                self.report.fail(b"cannot access ", path, errno);
                if self.flags.verbose {
                    let what = b" from 0000 (---------) to 0000 (---------)\n";
                    let name = quoted(path);
                    self.report
                        .out
                        .put(&[b"failed to change mode of ", &name[..], what].concat());
                }
                return None;
            }
        };
        if is_link(own.mode) && !operand {
            // Links within a tree are left alone.
            if self.flags.verbose {
                let what = b" nor referent has been changed\n";
                let name = quoted(path);
                self.report
                    .out
                    .put(&[b"neither symbolic link ", &name[..], what].concat());
            }
            return None;
        }
        match system::stat(path, Links::Follow) {
            Ok(stat) => return Some(stat),
            Err(Errno::NoEnt) => {
                let what = b"cannot operate on dangling symlink ";
                self.report.complain(&[what, &quoted(path)[..]].concat());
            }
            Err(errno) => self.report.fail(b"cannot access ", path, errno),
        }
        None
    }

    /// Says so where the umask kept a mode with a dash from doing all.
    fn compare_with_umask(&mut self, path: &[u8], stat: &Stat, new: u32) {
        let Wanted::Change {
            change,
            dashed: true,
        } = &self.wanted
        else {
            return;
        };
        let naive = change.apply(stat.mode & 0o7777, is_directory(stat.mode), 0);
        if new & !naive == 0 {
            return;
        }
        let (new, naive) = (mode::text(new), mode::text(naive));
        let what = format!(": new permissions are {}, not {}", &new[1..], &naive[1..]);
        self.report
            .complain_always(&[path, what.as_bytes()].concat());
    }

    fn tell(&mut self, path: &[u8], old: u32, new: u32, ok: bool) {
        let changed = old != new;
        if !(self.flags.verbose || (self.flags.changes && changed && ok)) {
            return;
        }
        let shown = |bits: u32| format!("{bits:04o} ({})", &mode::text(bits)[1..]);
        let name = quoted(path);
        let line = match (ok, changed) {
            (false, _) => [
                b"failed to change mode of ",
                &name[..],
                format!(" from {} to {}\n", shown(old), shown(new)).as_bytes(),
            ]
            .concat(),
            (true, true) => [
                b"mode of ",
                &name[..],
                format!(" changed from {} to {}\n", shown(old), shown(new)).as_bytes(),
            ]
            .concat(),
            (true, false) => [
                b"mode of ",
                &name[..],
                format!(" retained as {}\n", shown(new)).as_bytes(),
            ]
            .concat(),
        };
        self.report.out.put(&line);
    }
}
