//! `df`: file systems. How much they hold is not told by the kernel: a dash stands for it, as GNU's
//! shows what it cannot know.

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
    let mut operands = Vec::new();
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => operands.push(operand),
            Ok(Some(Found::Option(key, value))) => match key {
                Key::Accepted => {}
                Key::BlockSize => {
                    let text = value.unwrap_or_default();
                    match Blocks::parse(&text) {
                        Some(Blocks { unit: 1024, .. }) => heading = "1K-blocks",
                        Some(_) => heading = "Blocks",
                        None => {
                            complain(tool, [b"invalid -B argument ", &quoted(&text)[..]].concat());
                            return 1;
                        }
                    }
                }
                Key::Human | Key::Si => heading = "Size",
                Key::Inodes => inodes = true,
                Key::Kilobytes => heading = "1K-blocks",
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
    let mut text = format!("{:<14} ", "Filesystem");
    let mut line = format!("{:<14} ", "codepod");
    if with_type {
        text += &format!("{:<7} ", "Type");
        line += &format!("{:<7} ", "codepod");
    }
    for (index, head) in heads.into_iter().enumerate() {
        let width = head.len().max(if index < 3 { 5 } else { 4 });
        text += &format!("{head:>width$} ");
        line += &format!("{:>width$} ", "-");
    }
    let mut out = Output::new();
    out.put(format!("{text}Mounted on\n{line}/\n").as_bytes());
    i32::from(out.finish().is_err()).max(status)
}
