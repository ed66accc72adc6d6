//! `df`: the sandbox's files as one file system, with what they take and may take as
//! `/proc/fs/usage` says. A dash stands for what nobody knows, as in GNU's.

use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Value, complain, errno_text, flag, long, quoted, value,
};

use crate::arguments::{help, version};
use crate::size::Blocks;
use crate::system::{self, Links};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Accepted,
    BlockSize,
    Human,
    Si,
    Inodes,
    Kilobytes,
    Portable,
    PrintType,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Accepted, b'a', "all"),
    value(Key::BlockSize, b'B', "block-size"),
    flag(Key::Human, b'h', "human-readable"),
    flag(Key::Si, b'H', "si"),
    flag(Key::Inodes, b'i', "inodes"),
    flag(Key::Kilobytes, b'k', ""),
    flag(Key::Accepted, b'l', "local"),
    long(Key::Accepted, "no-sync", Value::None),
    flag(Key::Portable, b'P', "portability"),
    long(Key::Accepted, "sync", Value::None),
    flag(Key::PrintType, b'T', "print-type"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(TABLE, arguments);
    let (mut heading, mut inodes, mut with_type, mut portable) = ("1K-blocks", false, false, false);
    let mut blocks = Blocks::of(1024);
    let mut operands = Vec::new();
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => operands.push(operand),
            Ok(Some(Found::Option(key, value))) => match key {
                Key::Accepted => {}
                Key::BlockSize => {
                    let text = value.unwrap_or_default();
                    let Some(parsed) = Blocks::parse(&text) else {
                        complain(tool, [b"invalid -B argument ", &quoted(&text)[..]].concat());
                        return 1;
                    };
                    blocks = parsed;
                    heading = match parsed {
                        Blocks { unit: 1024, .. } => "1K-blocks",
                        _ => "Blocks",
                    };
                }
                Key::Human => (heading, blocks) = ("Size", Blocks::HUMAN),
                Key::Si => (heading, blocks) = ("Size", Blocks::SI),
                Key::Inodes => inodes = true,
                Key::Kilobytes => (heading, blocks) = ("1K-blocks", Blocks::of(1024)),
                Key::Portable => portable = true,
                Key::PrintType => with_type = true,
                Key::Help => {
                    return help(
                        tool,
                        "[OPTION]... [FILE]...",
                        "Show information about the file system on which each FILE resides, or all file systems by default.",
                        TABLE,
                    );
                }
                Key::Version => return version(tool),
            },
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 1),
        }
    }
    let mut status = 0;
    let mut found = operands.is_empty();
    for path in &operands {
        match system::stat(path, Links::Follow) {
            Ok(_) => found = true,
            Err(errno) => {
                complain(
                    tool,
                    [&path[..], b": ", errno_text(errno).as_bytes()].concat(),
                );
                status = 1;
            }
        }
    }
    if !found {
        return status;
    }
    let heads = match (inodes, heading, portable) {
        (true, _, _) => ["Inodes", "IUsed", "IFree", "IUse%"],
        (_, "Size", _) => ["Size", "Used", "Avail", "Use%"],
        (_, heading, false) => [heading, "Used", "Available", "Use%"],
        (_, _, true) => ["1024-blocks", "Used", "Available", "Capacity"],
    };
    let usage = usage(if inodes { "nodes " } else { "bytes " });
    let figures = match (usage, inodes) {
        (None, _) => ["-"; 4].map(str::to_owned),
        (Some((used, most)), true) => figures(used, most, |number| number.to_string()),
        (Some((used, most)), false) => figures(used, most, |bytes| blocks.show(bytes)),
    };
    let mut text = format!("{:<14} ", "Filesystem");
    let mut line = format!("{:<14} ", "codepod");
    if with_type {
        text += &format!("{:<7} ", "Type");
        line += &format!("{:<7} ", "codepod");
    }
    for (index, (head, figure)) in heads.into_iter().zip(figures).enumerate() {
        let least = if index < 3 { 5 } else { 4 };
        let width = head.len().max(figure.len()).max(least);
        text += &format!("{head:>width$} ");
        line += &format!("{figure:>width$} ");
    }
    let mut out = Output::new();
    out.put(format!("{text}Mounted on\n{line}/\n").as_bytes());
    i32::from(out.finish().is_err()).max(status)
}

/// What is used of something, and how much there may be.
fn usage(name: &str) -> Option<(u64, u64)> {
    let text = std::fs::read_to_string("/proc/fs/usage").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let (used, most) = line.split_once(' ')?;
    let (used, most) = (used.parse().ok()?, most.parse().ok()?);
    // Without a limit there is nothing to be a part of.
    (0 < most && most < u64::MAX).then_some((used, most))
}

/// All, used, available and the part that is used, rounded up.
fn figures(used: u64, most: u64, show: impl Fn(u64) -> String) -> [String; 4] {
    let part = (u128::from(used) * 100).div_ceil(u128::from(most.max(used)));
    let free = most.saturating_sub(used);
    [show(most), show(used), show(free), format!("{part}%")]
}
