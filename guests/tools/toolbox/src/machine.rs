//! The machine: `uname`, `arch`, `hostname`, `hostid`, `nproc`, `sync`, `tty`.

use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Usage, Value, complain, errno_text, flag, long, quoted,
};

use crate::arguments::{help, version};
use crate::system::{self, Links};

const KERNEL: &str = "Linux";
const RELEASE: &str = "6.1.0-codepod";
const BUILD: &str = "#1 SMP codepod";
const MACHINE: &str = "x86_64";
const SYSTEM: &str = "GNU/Linux";

fn host_name() -> String {
    let text = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    let name = text.trim();
    if name.is_empty() {
        "localhost".into()
    } else {
        name.into()
    }
}

fn print(text: &str) -> i32 {
    let mut out = Output::new();
    out.put(text.as_bytes());
    out.put_byte(b'\n');
    i32::from(out.finish().is_err())
}

fn extra(tool: &str, operand: &[u8]) -> i32 {
    Usage::new([b"extra operand ", &quoted(operand)[..]].concat()).report(tool, 1)
}

#[derive(Clone, Copy)]
enum Key {
    /// One of what `uname` prints, by its place.
    Part(usize),
    All,
    Help,
    Version,
}

const UNAME: &[Opt<Key>] = &[
    flag(Key::All, b'a', "all"),
    flag(Key::Part(0), b's', "kernel-name"),
    long(Key::Part(0), "sysname", Value::None),
    flag(Key::Part(1), b'n', "nodename"),
    flag(Key::Part(2), b'r', "kernel-release"),
    long(Key::Part(2), "release", Value::None),
    flag(Key::Part(3), b'v', "kernel-version"),
    flag(Key::Part(4), b'm', "machine"),
    flag(Key::Part(5), b'p', "processor"),
    flag(Key::Part(6), b'i', "hardware-platform"),
    flag(Key::Part(7), b'o', "operating-system"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// `uname`
pub(crate) fn uname(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(UNAME, arguments);
    let mut wanted = [false; 8];
    let mut all = false;
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => return extra(tool, &operand),
            Ok(Some(Found::Option(key, _))) => match key {
                Key::Part(part) => wanted[part] = true,
                Key::All => all = true,
                Key::Help => {
                    return help(
                        tool,
                        "[OPTION]...",
                        "Print certain system information.",
                        UNAME,
                    );
                }
                Key::Version => return version(tool),
            },
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 1),
        }
    }
    let host = host_name();
    let parts = [
        KERNEL, &host, RELEASE, BUILD, MACHINE, "unknown", "unknown", SYSTEM,
    ];
    if all {
        // Unknown ones are left out.
        wanted = [true, true, true, true, true, false, false, true];
    } else if !wanted.contains(&true) {
        wanted[0] = true;
    }
    let shown: Vec<&str> = parts
        .iter()
        .zip(wanted)
        .filter(|(_, wanted)| *wanted)
        .map(|(part, _)| *part)
        .collect();
    print(&shown.join(" "))
}

const NONE: &[Opt<Key>] = &[
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

fn without_operands(tool: &str, about: &str, arguments: Arguments) -> Result<(), i32> {
    let mut options = Options::new(NONE, arguments);
    match options.next() {
        Ok(None) => Ok(()),
        Ok(Some(Found::Operand(operand))) => Err(extra(tool, &operand)),
        Ok(Some(Found::Option(Key::Version, _))) => Err(version(tool)),
        Ok(Some(Found::Option(..))) => Err(help(tool, "[OPTION]...", about, NONE)),
        Err(usage) => Err(usage.report(tool, 1)),
    }
}

/// `arch`
pub(crate) fn arch(tool: &str, arguments: Arguments) -> i32 {
    match without_operands(tool, "Print machine architecture.", arguments) {
        Ok(()) => print(MACHINE),
        Err(status) => status,
    }
}

/// `hostid`
pub(crate) fn hostid(tool: &str, arguments: Arguments) -> i32 {
    match without_operands(
        tool,
        "Print the numeric identifier (in hexadecimal) for the current host.",
        arguments,
    ) {
        Ok(()) => print("007f0100"),
        Err(status) => status,
    }
}

#[derive(Clone, Copy)]
enum HostKey {
    Whole,
    Short,
    Domain,
    Address,
    Help,
    Version,
}

const HOSTNAME: &[Opt<HostKey>] = &[
    flag(HostKey::Short, b's', "short"),
    flag(HostKey::Domain, b'd', "domain"),
    flag(HostKey::Whole, b'f', "fqdn"),
    flag(HostKey::Whole, b'f', "long"),
    flag(HostKey::Address, b'i', "ip-address"),
    flag(HostKey::Address, b'I', "all-ip-addresses"),
    flag(HostKey::Help, b'h', "help"),
    flag(HostKey::Version, b'V', "version"),
];

/// `hostname`
pub(crate) fn hostname(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(HOSTNAME, arguments);
    let host = host_name();
    loop {
        match options.next() {
            Ok(None) => return print(&host),
            Ok(Some(Found::Operand(_))) => {
                complain(tool, "you must be root to change the host name");
                return 1;
            }
            Ok(Some(Found::Option(key, _))) => match key {
                HostKey::Whole => {}
                HostKey::Short => return print(host.split('.').next().unwrap_or_default()),
                HostKey::Domain => {
                    return print(host.split_once('.').map_or("", |(_, domain)| domain));
                }
                HostKey::Address => return print("127.0.0.1"),
                HostKey::Help => {
                    return help(tool, "[OPTION]...", "Print the name of the host.", HOSTNAME);
                }
                HostKey::Version => return version(tool),
            },
            Err(usage) => return usage.report(tool, 1),
        }
    }
}

#[derive(Clone, Copy)]
enum SyncKey {
    Some,
    Help,
    Version,
}

const SYNC: &[Opt<SyncKey>] = &[
    flag(SyncKey::Some, b'd', "data"),
    flag(SyncKey::Some, b'f', "file-system"),
    long(SyncKey::Help, "help", Value::None),
    long(SyncKey::Version, "version", Value::None),
];

/// `sync`: files are where they are; what is not there is told.
pub(crate) fn sync(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(SYNC, arguments);
    let (mut chosen, mut operands) = (0, Vec::new());
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => operands.push(operand),
            Ok(Some(Found::Option(SyncKey::Some, _))) => chosen += 1,
            Ok(Some(Found::Option(SyncKey::Help, _))) => {
                return help(
                    tool,
                    "[OPTION] [FILE]...",
                    "Synchronize cached writes to persistent storage.",
                    SYNC,
                );
            }
            Ok(Some(Found::Option(SyncKey::Version, _))) => return version(tool),
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 1),
        }
    }
    if chosen > 1 {
        complain(tool, "cannot specify both --data and --file-system");
        return 1;
    }
    if chosen == 1 && operands.is_empty() {
        complain(tool, "--data needs at least one argument");
        return 1;
    }
    let mut status = 0;
    for path in operands {
        if let Err(errno) = system::stat(&path, Links::Follow) {
            complain(
                tool,
                [
                    b"error opening ",
                    &quoted(&path)[..],
                    b": ",
                    errno_text(errno).as_bytes(),
                ]
                .concat(),
            );
            status = 1;
        }
    }
    status
}

#[derive(Clone, Copy)]
enum TtyKey {
    Silent,
    Help,
    Version,
}

const TTY: &[Opt<TtyKey>] = &[
    flag(TtyKey::Silent, b's', "silent"),
    flag(TtyKey::Silent, b's', "quiet"),
    long(TtyKey::Help, "help", Value::None),
    long(TtyKey::Version, "version", Value::None),
];

/// `tty`
pub(crate) fn tty(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(TTY, arguments);
    let mut silent = false;
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => {
                return Usage::new([b"extra operand ", &quoted(&operand)[..]].concat())
                    .report(tool, 2);
            }
            Ok(Some(Found::Option(TtyKey::Silent, _))) => silent = true,
            Ok(Some(Found::Option(TtyKey::Help, _))) => {
                return help(
                    tool,
                    "[OPTION]...",
                    "Print the file name of the terminal connected to standard input.",
                    TTY,
                );
            }
            Ok(Some(Found::Option(TtyKey::Version, _))) => return version(tool),
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 2),
        }
    }
    let is_terminal = system::is_terminal(0);
    if !silent && print(if is_terminal { "/dev/tty" } else { "not a tty" }) != 0 {
        return 3;
    }
    i32::from(!is_terminal)
}

#[derive(Clone, Copy)]
enum NprocKey {
    All,
    Ignore,
    Help,
    Version,
}

const NPROC: &[Opt<NprocKey>] = &[
    long(NprocKey::All, "all", Value::None),
    long(NprocKey::Ignore, "ignore", Value::Required),
    long(NprocKey::Help, "help", Value::None),
    long(NprocKey::Version, "version", Value::None),
];

/// `nproc`: a process runs on one.
pub(crate) fn nproc(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(NPROC, arguments);
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => return extra(tool, &operand),
            Ok(Some(Found::Option(NprocKey::All, _))) => {}
            Ok(Some(Found::Option(NprocKey::Ignore, value))) => {
                let text = value.unwrap_or_default();
                if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
                    complain(tool, [b"invalid number: ", &quoted(&text)[..]].concat());
                    return 1;
                }
            }
            Ok(Some(Found::Option(NprocKey::Help, _))) => {
                return help(
                    tool,
                    "[OPTION]...",
                    "Print the number of processing units available to the current process.",
                    NPROC,
                );
            }
            Ok(Some(Found::Option(NprocKey::Version, _))) => return version(tool),
            Ok(None) => return print("1"),
            Err(usage) => return usage.report(tool, 1),
        }
    }
}
