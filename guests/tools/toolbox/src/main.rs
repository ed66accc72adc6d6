//! One module for the common command-line tools.
//!
//! The name it is called by says which tool it is; `toolbox NAME ARGUMENT…` works as well. Which
//! tools there are is in `tools.rs`. Most are uutils' own; what they cost at start is kept small by
//! the two crates in `shims/`.

#[cfg(target_family = "wasm")]
mod libc;
mod tools;

use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::path::Path;
use std::process::exit;

use tools::Directory;

fn main() {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    let mut name = base_name(&arguments).to_owned();
    if name == "toolbox" {
        arguments.remove(0);
        name = base_name(&arguments).to_owned();
        uucore::set_utility_is_second_arg();
    }
    let Some(tool) = name.to_str().and_then(tools::find) else {
        not_a_tool(&name);
    };
    if tool.directory == Directory::Follows {
        // Without a directory libc stays at `/`: it was removed, and no relative path leads
        // anywhere.
        let _ = codepod_sys::cwd::follow();
    }
    let status = (tool.main)(arguments.into_iter());
    finish(&name, status)
}

/// The last part of the first word; nothing when there is no word.
fn base_name(words: &[OsString]) -> &OsStr {
    let Some(word) = words.first() else {
        return OsStr::new("");
    };
    Path::new(word).file_name().unwrap_or(word)
}

/// Ends the process, with what is still in stdout's buffer written.
fn finish(name: &OsStr, status: i32) -> ! {
    match io::stdout().flush() {
        Ok(()) => exit(status),
        Err(error) => {
            let name = name.to_string_lossy();
            let why = uucore::error::strip_errno(&error);
            // Where stderr is gone as well there is nobody to tell.
            let _ = writeln!(io::stderr(), "{name}: write error: {why}");
            exit(1)
        }
    }
}

/// Answers what is asked of the toolbox itself, or says that there is no such tool.
fn not_a_tool(name: &OsStr) -> ! {
    let (text, status) = match name.to_str() {
        Some("--list") => (tools::NAMES.to_owned(), 0),
        Some("") => (
            "usage: toolbox NAME [ARGUMENT]...\n       toolbox --list\n".into(),
            1,
        ),
        _ => {
            let name = name.to_string_lossy();
            (format!("toolbox: unknown tool '{name}'\n"), 127)
        }
    };
    // The status says enough where nothing can be written.
    let _ = match status {
        0 => io::stdout().write_all(text.as_bytes()),
        _ => io::stderr().write_all(text.as_bytes()),
    };
    exit(status)
}
