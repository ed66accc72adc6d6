//! `mkdir`, `mkfifo` and `mknod`: make things that are no files.

use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Usage, Value, complain, errno_text, flag, long,
    optional, quoted, value,
};

use crate::arguments::{help, version};
use crate::mode::{Change, is_directory};
use crate::system::{self, Links};

#[derive(Clone, Copy)]
enum Key {
    Mode,
    Parents,
    Verbose,
    Context,
    Help,
    Version,
}

const DIRECTORY: &[Opt<Key>] = &[
    value(Key::Mode, b'm', "mode"),
    flag(Key::Parents, b'p', "parents"),
    flag(Key::Verbose, b'v', "verbose"),
    flag(Key::Context, b'Z', ""),
    optional(Key::Context, 0, "context"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];
const NODE: &[Opt<Key>] = &[
    value(Key::Mode, b'm', "mode"),
    flag(Key::Context, b'Z', ""),
    optional(Key::Context, 0, "context"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

struct Given {
    mode: Option<Change>,
    parents: bool,
    verbose: bool,
    operands: Vec<Vec<u8>>,
}

fn read(
    tool: &str,
    table: &'static [Opt<Key>],
    usage_text: &str,
    about: &str,
    arguments: Arguments,
) -> Result<Given, i32> {
    let mut options = Options::new(table, arguments);
    let mut given = Given {
        mode: None,
        parents: false,
        verbose: false,
        operands: Vec::new(),
    };
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => given.operands.push(operand),
            Ok(Some(Found::Option(key, value))) => match key {
                Key::Mode => {
                    let text = value.unwrap_or_default();
                    given.mode = Change::parse(&text);
                    if given.mode.is_none() {
                        let what: &[u8] = if tool == "mkdir" {
                            b"invalid mode "
                        } else {
                            b"invalid mode"
                        };
                        let shown = if tool == "mkdir" {
                            quoted(&text)
                        } else {
                            Vec::new()
                        };
                        complain(tool, [what, &shown[..]].concat());
                        return Err(1);
                    }
                }
                Key::Parents => given.parents = true,
                Key::Verbose => given.verbose = true,
                // There is no SELinux, as on most machines.
                Key::Context if value.is_some() => complain(
                    tool,
                    "warning: ignoring --context; it requires an SELinux/SMACK-enabled kernel",
                ),
                Key::Context => {}
                Key::Help => return Err(help(tool, usage_text, about, table)),
                Key::Version => return Err(version(tool)),
            },
            Ok(None) => break,
            Err(usage) => return Err(usage.report(tool, 1)),
        }
    }
    if given.operands.is_empty() {
        return Err(Usage::new("missing operand").report(tool, 1));
    }
    Ok(given)
}

/// `mkdir`
pub(crate) fn mkdir(tool: &str, arguments: Arguments) -> i32 {
    let about = "Create the DIRECTORY(ies), if they do not already exist.";
    let given = match read(
        tool,
        DIRECTORY,
        "[OPTION]... DIRECTORY...",
        about,
        arguments,
    ) {
        Ok(given) => given,
        Err(status) => return status,
    };
    let umask = system::current_umask();
    let mut out = Output::new().by_line();
    let mut status = 0;
    for path in &given.operands {
        if let Err(message) = directory(tool, path, &given, umask, &mut out) {
            complain(tool, message);
            status = 1;
        }
    }
    // What could not be said is not worth another status.
    let _ = out.finish();
    status
}

fn directory(
    tool: &str,
    path: &[u8],
    given: &Given,
    umask: u32,
    out: &mut Output,
) -> Result<(), Vec<u8>> {
    let fail = |path: &[u8], why: &str| {
        Err([
            b"cannot create directory ",
            &quoted(path)[..],
            b": ",
            why.as_bytes(),
        ]
        .concat())
    };
    if path.is_empty() {
        return fail(path, "No such file or directory");
    }
    let mut say = |path: &[u8]| {
        if given.verbose {
            out.put(
                &[
                    tool.as_bytes(),
                    b": created directory ",
                    &quoted(path),
                    b"\n",
                ]
                .concat(),
            );
        }
    };
    if given.parents {
        for end in 1..path.len() {
            if path[end] != b'/'
                || path[end - 1] == b'/'
                || path[end..].iter().all(|byte| *byte == b'/')
            {
                continue;
            }
            let parent = &path[..end];
            match system::stat(parent, Links::Follow) {
                Ok(stat) if is_directory(stat.mode) => continue,
                Ok(_) => return fail(parent, "Not a directory"),
                Err(_) => {}
            }
            if let Err(error) = std::fs::create_dir(codepod_tool::path(parent)) {
                return fail(parent, &system::io_message(&error));
            }
            // Those above can always be entered and written by their owner.
            let _ = system::set_mode(parent, Links::Follow, (0o777 & !umask) | 0o300);
            say(parent);
        }
    }
    if let Err(error) = std::fs::create_dir(codepod_tool::path(path)) {
        let is_there = given.parents
            && system::stat(path, Links::Follow).is_ok_and(|stat| is_directory(stat.mode));
        return if is_there {
            Ok(())
        } else {
            fail(path, &system::io_message(&error))
        };
    }
    say(path);
    if let Some(change) = &given.mode {
        let mode = change.apply(0o777, true, umask);
        if let Err(errno) = system::set_mode(path, Links::Follow, mode) {
            return fail(path, errno_text(errno));
        }
    }
    Ok(())
}

/// `mkfifo`
pub(crate) fn mkfifo(tool: &str, arguments: Arguments) -> i32 {
    let given = match read(
        tool,
        NODE,
        "[OPTION]... NAME...",
        "Create named pipes (FIFOs) with the given NAMEs.",
        arguments,
    ) {
        Ok(given) => given,
        Err(status) => return status,
    };
    let mut status = 0;
    for path in &given.operands {
        if let Err(message) = fifo(path, &given) {
            complain(tool, message);
            status = 1;
        }
    }
    status
}

fn fifo(path: &[u8], given: &Given) -> Result<(), Vec<u8>> {
    let umask = system::current_umask();
    let fail =
        |what: &[u8], why: &str| Err([what, &quoted(path)[..], b": ", why.as_bytes()].concat());
    if let Err(errno) = system::make_fifo(path, 0o666) {
        return fail(b"cannot create fifo ", errno_text(errno));
    }
    if let Some(change) = &given.mode {
        let mode = change.apply(0o666, false, umask);
        if let Err(errno) = system::set_mode(path, Links::Follow, mode) {
            return fail(b"cannot set permissions of ", errno_text(errno));
        }
    }
    Ok(())
}

/// `mknod`: fifos only; there are no devices to make.
pub(crate) fn mknod(tool: &str, arguments: Arguments) -> i32 {
    let given = match read(
        tool,
        NODE,
        "[OPTION]... NAME TYPE [MAJOR MINOR]",
        "Create the special file NAME of the given TYPE.",
        arguments,
    ) {
        Ok(given) => given,
        Err(status) => return status,
    };
    let operands = &given.operands;
    let kind = operands.get(1).and_then(|kind| kind.first()).copied();
    let wanted = if operands.len() < 2 || kind == Some(b'p') {
        2
    } else {
        4
    };
    if operands.len() < wanted {
        let last = operands.last().map(|last| quoted(last)).unwrap_or_default();
        let usage = Usage::new([b"missing operand after ", &last[..]].concat());
        if wanted == 4 && operands.len() == 2 {
            complain(tool, &usage.message);
            let _ = std::io::Write::write_all(
                &mut std::io::stderr(),
                b"Special files require major and minor device numbers.\n",
            );
            return Usage::new("").report(tool, 1);
        }
        return usage.report(tool, 1);
    }
    if operands.len() > wanted {
        let usage = Usage::new([b"extra operand ", &quoted(&operands[wanted])[..]].concat());
        if wanted == 2 && operands.len() == 4 {
            complain(tool, &usage.message);
            let _ = std::io::Write::write_all(
                &mut std::io::stderr(),
                b"Fifos do not have major and minor device numbers.\n",
            );
            return Usage::new("").report(tool, 1);
        }
        return usage.report(tool, 1);
    }
    match kind {
        Some(b'p') => match fifo(&operands[0], &given) {
            Ok(()) => 0,
            Err(message) => {
                // It words it by the name alone.
                let message = String::from_utf8_lossy(&message)
                    .replace("cannot create fifo '", "")
                    .replacen("': ", ": ", 1);
                complain(tool, message);
                1
            }
        },
        Some(b'b' | b'c' | b'u') => {
            complain(
                tool,
                [&operands[0][..], b": Operation not permitted"].concat(),
            );
            1
        }
        _ => Usage::new([b"invalid device type ", &quoted(&operands[1])[..]].concat())
            .report(tool, 1),
    }
}
