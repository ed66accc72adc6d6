//! The header for guests in C: the calls of the `codepod` namespace, and what lies in memory.

use std::fmt::Write;

use codepod_abi::wire::socket::{self, SocketOption};
use codepod_abi::wire::{self, Hash, STRUCTS, StructInfo, WaitResult};
use codepod_abi::{CALLS, CallInfo};
use codepod_api::snake_case;

use super::model::wrapped;

const HEAD: &str = "\
/* Made by `cargo xtask generate` from crates/codepod-abi/src/table.rs and wire.rs. Changes here are
   lost.

   The kernel's calls that WASI has no words for. Every call returns a WASI error number, 0 for
   success. */
#ifndef CODEPOD_CALLS_H
#define CODEPOD_CALLS_H

#include <stdint.h>

#define CODEPOD(name) __attribute__((import_module(\"codepod\"), import_name(#name))) extern
";

/// Where a line of C ends.
const COLUMNS: usize = 100;

/// The numbers that guests in C need, in groups.
const NUMBERS: &[&[(&str, u32)]] = &[
    &[("ROOT_FD", wire::ROOT_FD), ("CWD_FD", wire::CWD_FD)],
    &[
        ("GROUP_INHERIT", wire::GROUP_INHERIT),
        ("GROUP_NEW", wire::GROUP_NEW),
    ],
    &[("OWNER_KEEP", wire::OWNER_KEEP)],
    &[
        ("WAIT_NOHANG", wire::WAIT_NOHANG),
        ("WAIT_REPORT_STOPPED", wire::WAIT_STOPPED),
        ("WAIT_REPORT_CONTINUED", wire::WAIT_CONTINUED),
    ],
    &[
        ("WAIT_EXITED", WaitResult::EXITED),
        ("WAIT_SIGNALED", WaitResult::SIGNALED),
        ("WAIT_STOPPED", WaitResult::STOPPED),
        ("WAIT_CONTINUED", WaitResult::CONTINUED),
    ],
    &[
        ("SIGNAL_DEFAULT", wire::SIGNAL_DEFAULT),
        ("SIGNAL_IGNORE", wire::SIGNAL_IGNORE),
        ("SIGNAL_CATCH", wire::SIGNAL_CATCH),
    ],
    &[
        ("HASH_SHA1", Hash::Sha1 as u32),
        ("HASH_SHA256", Hash::Sha256 as u32),
        ("HASH_CALL_BYTES", Hash::CALL_BYTES),
    ],
    &[
        ("SOCKET_INET", socket::INET as u32),
        ("SOCKET_UNIX", socket::UNIX as u32),
        ("SOCKET_STREAM", socket::STREAM),
        ("SOCKET_DATAGRAM", socket::DATAGRAM),
        ("SOCKET_PEEK", socket::PEEK),
        ("SOCKET_WAIT_ALL", socket::WAIT_ALL),
        ("SOCKET_DONT_WAIT", socket::DONT_WAIT),
        ("SOCKET_WHOLE_LENGTH", socket::WHOLE_LENGTH),
        ("SOCKET_NO_SIGNAL", socket::NO_SIGNAL),
        ("SOCKET_TRUNCATED", socket::TRUNCATED),
        ("SOCKET_LOCAL", socket::LOCAL),
        ("SOCKET_PEER", socket::PEER),
        ("SOCKET_ADDRESS_SLOT", socket::ADDRESS_SLOT as u32),
    ],
];

/// The header.
pub(super) fn header() -> String {
    let mut text = HEAD.to_owned();
    for group in NUMBERS {
        text.push('\n');
        for (name, number) in *group {
            let _ = writeln!(text, "#define CODEPOD_{name} {number}u");
        }
    }
    text.push('\n');
    for (name, option) in SocketOption::ALL {
        let _ = writeln!(text, "#define CODEPOD_OPTION_{name} {}u", *option as u32);
    }
    for info in STRUCTS {
        text.push('\n');
        text += &structure(info);
    }
    for call in CALLS.iter().filter(|call| call.module == "codepod") {
        text.push('\n');
        text += &comment(call);
        text += &function(call);
    }
    text + "\n#endif\n"
}

fn structure(info: &StructInfo) -> String {
    let name = struct_name(info.name);
    let mut text = format!("struct {name} {{\n");
    for (field, ty) in info.fields {
        let _ = writeln!(text, "    {};", declared(field, ty));
    }
    let _ = writeln!(
        text,
        "}};\n_Static_assert(sizeof(struct {name}) == {size}, \"{name} has padding\");",
        size = info.size
    );
    text
}

/// `SpawnRequest` as `codepod_spawn_request`.
fn struct_name(name: &str) -> String {
    format!("codepod{}", snake_case(name))
}

/// A field or a parameter in C. The table knows which addresses the kernel reads or writes, not the
/// types of what lies there.
fn declared(name: &str, ty: &str) -> String {
    match ty {
        "In" => format!("const void *{name}"),
        "Out" => format!("void *{name}"),
        "u32" => format!("uint32_t {name}"),
        "i32" => format!("int32_t {name}"),
        "u64" => format!("uint64_t {name}"),
        other => panic!("the header has no word for `{other}`"),
    }
}

fn function(call: &CallInfo) -> String {
    let start = format!(
        "CODEPOD({name})\nuint32_t codepod_{name}(",
        name = call.name
    );
    let params = call.params.iter().map(|(name, ty)| declared(name, ty));
    let last_line = start.lines().last().unwrap_or_default().len();
    format!("{start}{});\n", parameters(params, last_line))
}

/// The documentation of a call: links to Rust's types become names of C's.
fn comment(call: &CallInfo) -> String {
    let mut text = call
        .doc
        .iter()
        .map(|line| line.trim())
        .collect::<Vec<_>>()
        .join(" ");
    for info in STRUCTS {
        let name = format!("`struct {}`", struct_name(info.name));
        for module in ["", "socket::"] {
            text = text.replace(&format!("[`crate::wire::{module}{}`]", info.name), &name);
        }
    }
    for (name, _) in NUMBERS.iter().copied().flatten() {
        if let Some(constant) = name.strip_prefix("SOCKET_") {
            let link = format!("[`crate::wire::socket::{constant}`]");
            text = text.replace(&link, &format!("CODEPOD_{name}"));
        }
    }
    let text = text
        .replace(
            "[`crate::wire::socket::SocketOption`]",
            "`CODEPOD_OPTION_KIND` or another",
        )
        .replace("[`crate::wire::socket`]", "a `sockaddr`")
        .replace(
            "[`crate::wire::Hash::CALL_BYTES`]",
            "CODEPOD_HASH_CALL_BYTES",
        )
        .replace("[`crate::wire::Hash`]", "`CODEPOD_HASH_SHA1` or another")
        .replace("[`crate::session::Request`]", "a request");
    // Behind the last word comes what ends the comment.
    let lines = wrapped(&text, "   ", COLUMNS - 3);
    format!("/*{} */\n", &lines[2..])
}

/// Parameters in lines that end at the last column; the first begins at `column`.
fn parameters(items: impl Iterator<Item = String>, mut column: usize) -> String {
    let mut text = String::new();
    for item in items {
        if !text.is_empty() {
            text.push(',');
            // Behind it comes a comma, or what ends the declaration.
            let fits = column + 2 + item.len() + 2 <= COLUMNS;
            text += if fits { " " } else { "\n    " };
            column = if fits { column + 2 } else { 4 };
        }
        column += item.len();
        text += &item;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_and_every_struct_is_declared() {
        let header = header();
        for call in CALLS.iter().filter(|call| call.module == "codepod") {
            let declared = format!("uint32_t codepod_{}(", call.name);
            assert!(header.contains(&declared), "{}", call.name);
        }
        for info in STRUCTS {
            let asserted = format!("sizeof(struct {}) == {}", struct_name(info.name), info.size);
            assert!(header.contains(&asserted), "{}", info.name);
        }
        assert!(!header.contains("crate::"), "{header}");
        assert!(header.lines().all(|line| line.chars().count() <= COLUMNS));
    }

    #[test]
    fn addresses_are_pointers() {
        let header = header();
        let declared = "uint32_t codepod_proc_spawn(const void *request, void *pid);";
        assert!(header.contains(declared), "{header}");
    }
}
