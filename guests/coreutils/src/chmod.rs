//! `chmod`: changes permission bits.

use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Usage, Value, complain, errno_text, flag, long, quoted,
};

use crate::arguments::{help, version};
use crate::mode::{self, Change, is_directory, is_link};
use crate::system::{self, Errno, Links};

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

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    // `chmod -x f`: what begins as a mode does is one.
    let is_mode = |argument: &Vec<u8>| {
        argument.len() > 1
            && argument[0] == b'-'
            && argument[1..]
                .iter()
                .all(|byte| b"rwxXstugoa,+=-01234567".contains(byte))
            && argument[1] != b'-'
    };
    let mut given = arguments;
    let end = given
        .iter()
        .position(|argument| argument == b"--")
        .unwrap_or(given.len());
    let dashed = given[..end]
        .iter()
        .position(is_mode)
        .map(|at| given.remove(at));
    let mut options = Options::new(TABLE, given);
    let mut job = Job {
        tool,
        out: Output::new(),
        change: None,
        to: None,
        quiet: false,
        verbose: false,
        changes: false,
        recursive: false,
        dashed: dashed.is_some(),
        umask: system::current_umask(),
        status: 0,
    };
    let mut operands = Vec::new();
    let mut reference = None;
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => operands.push(operand),
            Ok(Some(Found::Option(key, value))) => match key {
                Key::Changes => (job.changes, job.verbose) = (true, false),
                Key::Quiet => job.quiet = true,
                Key::Verbose => job.verbose = true,
                Key::Recursive => job.recursive = true,
                Key::PreserveRoot | Key::NoPreserveRoot | Key::Letter => {}
                Key::Reference => reference = value,
                Key::Help => {
                    return help(
                        tool,
                        "[OPTION]... MODE[,MODE]... FILE...",
                        "Change the mode of each FILE to MODE.",
                        TABLE,
                    );
                }
                Key::Version => return version(tool),
            },
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 1),
        }
    }
    let mut operands = operands.into_iter();
    match (&reference, dashed) {
        (Some(_), Some(_)) => {
            return Usage::new("cannot combine mode and --reference options").report(tool, 1);
        }
        (Some(path), None) => match system::stat(path, Links::Follow) {
            Ok(stat) => job.to = Some(stat.mode & 0o7777),
            Err(errno) => {
                complain(
                    tool,
                    [
                        b"failed to get attributes of ",
                        &quoted(path)[..],
                        b": ",
                        errno_text(errno).as_bytes(),
                    ]
                    .concat(),
                );
                return 1;
            }
        },
        (None, dashed) => {
            let is_dashed = dashed.is_some();
            let Some(text) = dashed.or_else(|| operands.next()) else {
                return Usage::new("missing operand").report(tool, 1);
            };
            if operands.len() == 0 {
                let shown = if is_dashed {
                    Vec::new()
                } else {
                    [b" after ", &quoted(&text)[..]].concat()
                };
                return Usage::new([b"missing operand", &shown[..]].concat()).report(tool, 1);
            }
            job.change = Change::parse(&text);
            if job.change.is_none() {
                return Usage::new([b"invalid mode: ", &quoted(&text)[..]].concat())
                    .report(tool, 1);
            }
        }
    }
    if operands.len() == 0 {
        return Usage::new("missing operand").report(tool, 1);
    }
    for path in operands {
        job.path(&path, true);
    }
    if let Err(error) = job.out.finish() {
        complain(tool, format!("write error: {}", system::io_message(&error)));
        return 1;
    }
    job.status
}

struct Job<'a> {
    tool: &'a str,
    out: Output,
    change: Option<Change>,
    to: Option<u32>,
    quiet: bool,
    verbose: bool,
    changes: bool,
    recursive: bool,
    /// Whether the mode began with a dash: it says when the umask kept it from doing all.
    dashed: bool,
    umask: u32,
    status: i32,
}

impl Job<'_> {
    fn fail(&mut self, what: &[u8], path: &[u8], errno: Errno) {
        self.status = 1;
        if !self.quiet {
            self.out.write_out();
            complain(
                self.tool,
                [what, &quoted(path), b": ", errno_text(errno).as_bytes()].concat(),
            );
        }
    }

    fn path(&mut self, path: &[u8], operand: bool) {
        let own = match system::stat(path, Links::Keep) {
            Ok(own) => own,
            Err(errno) => {
                self.fail(b"cannot access ", path, errno);
                if self.verbose {
                    self.out.put(
                        &[
                            b"failed to change mode of ",
                            &quoted(path)[..],
                            b" from 0000 (---------) to 0000 (---------)\n",
                        ]
                        .concat(),
                    );
                }
                return;
            }
        };
        if is_link(own.mode) && !operand {
            // Links within a tree are left alone.
            if self.verbose {
                self.out.put(
                    &[
                        b"neither symbolic link ",
                        &quoted(path)[..],
                        b" nor referent has been changed\n",
                    ]
                    .concat(),
                );
            }
            return;
        }
        let stat = match system::stat(path, Links::Follow) {
            Ok(stat) => stat,
            Err(Errno::NoEnt) => {
                self.status = 1;
                if !self.quiet {
                    self.out.write_out();
                    complain(
                        self.tool,
                        [b"cannot operate on dangling symlink ", &quoted(path)[..]].concat(),
                    );
                }
                return;
            }
            Err(errno) => {
                self.fail(b"cannot access ", path, errno);
                return;
            }
        };
        let directory = is_directory(stat.mode);
        let old = stat.mode & 0o7777;
        let new = match (&self.change, self.to) {
            (_, Some(mode)) => mode,
            (Some(change), None) => change.apply(old, directory, self.umask),
            (None, None) => old,
        };
        let done = system::set_mode(path, Links::Follow, new);
        let ok = done.is_ok();
        if let Err(errno) = done {
            self.fail(b"changing permissions of ", path, errno);
        }
        self.tell(path, old, new, ok);
        if ok
            && self.dashed
            && let Some(change) = &self.change
        {
            let naive = change.apply(old, directory, 0);
            if new & !naive != 0 {
                self.out.write_out();
                let (new, naive) = (mode::text(new), mode::text(naive));
                complain(
                    self.tool,
                    [
                        path,
                        format!(": new permissions are {}, not {}", &new[1..], &naive[1..])
                            .as_bytes(),
                    ]
                    .concat(),
                );
                self.status = 1;
            }
        }
        if self.recursive && directory && (operand || !is_link(own.mode)) {
            match system::list(path) {
                Ok(mut names) => {
                    names.sort();
                    for name in names {
                        let slash: &[u8] = if path.ends_with(b"/") { b"" } else { b"/" };
                        self.path(&[path, slash, &name].concat(), false);
                    }
                }
                Err(errno) => self.fail(b"cannot read directory ", path, errno),
            }
        }
    }

    fn tell(&mut self, path: &[u8], old: u32, new: u32, ok: bool) {
        let changed = old != new;
        if !(self.verbose || (self.changes && changed && ok)) {
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
        self.out.put(&line);
    }
}
