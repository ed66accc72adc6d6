//! The kernel's list of handlers: which file of `syscalls/` has the handler of which call.

use std::fmt::Write;

use codepod_abi::CALLS;

use crate::cache;
use crate::failure::{Failure, Outcome};

/// Where the handlers are.
const DIRECTORY: &str = "crates/codepod-kernel/src/syscalls";
/// Where a line of Rust ends.
const COLUMNS: usize = 100;

const HEAD: &str = "\
//! The handlers: one function per line of the table, named as the line. [`Syscall`] is what each of
//! them gets.
//!
//! Made by `cargo xtask generate` from the table and the files of this directory. Changes here are
//! lost.

";

const SHARED: &str = "
pub(crate) use call::files_of;
use call::follow;
pub use call::{Outcome, Syscall};

";

/// A file, and the calls that it handles.
struct File {
    name: String,
    calls: Vec<&'static str>,
}

/// The text of `syscalls.rs`.
pub(super) fn handlers() -> Outcome<String> {
    let mut files = Vec::new();
    for path in cache::files(&cache::in_root(DIRECTORY), &|_| true)? {
        let text = cache::read(&path)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        files.push(File {
            name: name.into_owned(),
            calls: handled(&text),
        });
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    for call in CALLS {
        let having = files.iter().filter(|file| file.calls.contains(&call.name));
        let count = having.count();
        if count != 1 {
            let name = call.name;
            return Err(
                Failure::new(format!("{count} files of `{DIRECTORY}` handle `{name}`"))
                    .hint(format!("one of them needs `pub fn {name}<M: GuestMemory>`")),
            );
        }
    }
    Ok(listed(&files))
}

/// The calls whose handlers a text has.
fn handled(text: &str) -> Vec<&'static str> {
    let mut calls: Vec<&'static str> = CALLS
        .iter()
        .map(|call| call.name)
        .filter(|name| text.contains(&format!("\npub fn {name}<")))
        .collect();
    calls.sort_unstable();
    calls
}

fn listed(files: &[File]) -> String {
    let mut text = HEAD.to_owned();
    for file in files {
        let _ = writeln!(text, "mod {};", file.name);
    }
    text += SHARED;
    for file in files {
        let name = &file.name;
        match &file.calls[..] {
            [] => {}
            [call] => {
                let _ = writeln!(text, "pub use {name}::{call};");
            }
            calls => text += &uses(name, calls),
        }
    }
    text
}

/// One `pub use`, in lines as rustfmt makes them.
fn uses(file: &str, calls: &[&str]) -> String {
    let line = format!("pub use {file}::{{{}}};\n", calls.join(", "));
    if line.trim_end().len() <= COLUMNS {
        return line;
    }
    let mut text = format!("pub use {file}::{{\n   ");
    let mut column = 3;
    for call in calls {
        if column + call.len() + 2 > COLUMNS {
            text += "\n   ";
            column = 3;
        }
        let _ = write!(text, " {call},");
        column += call.len() + 2;
    }
    text + "\n};\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handler_is_a_public_function_that_is_named_as_its_line() {
        let text = "\npub fn fd_pipe<M>() {}\nfn fd_dup<M>() {}\npub fn fd_pip<M>() {}\n";
        assert_eq!(handled(text), ["fd_pipe"]);
    }

    #[test]
    fn a_list_ends_at_the_last_column() {
        let calls = ["path_filestat_set_times"; 9];
        let text = uses("path", &calls);
        assert!(text.lines().all(|line| line.len() <= COLUMNS), "{text}");
        assert_eq!(text.matches("path_filestat_set_times,").count(), 9);
    }
}
