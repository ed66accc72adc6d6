//! `pwd`: prints the working directory.

use codepod_sys::cwd;
use codepod_tool::{
    Arguments, Opt, Options, Output, Stop, Value, complain, errno_text, flag, long,
};

use crate::arguments::{help, version};
use crate::output::finish;
use crate::system::{self, Errno, Links};

#[derive(Clone, Copy)]
enum Key {
    Logical,
    Physical,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Logical, b'L', "logical"),
    flag(Key::Physical, b'P', "physical"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let logical = match is_logical(tool, arguments) {
        Ok(logical) => logical,
        Err(stop) => return stop.report(tool, 1),
    };
    let directory = match logical_directory().filter(|_| logical) {
        Some(directory) => Ok(directory),
        None => physical_directory(),
    };
    match directory {
        Ok(directory) => {
            let mut out = Output::new();
            out.put(&directory);
            out.put_byte(b'\n');
            finish(tool, &mut out, 0, 1)
        }
        Err(Errno::NoEnt) => {
            complain(
                tool,
                "couldn't find directory entry in '..' with matching i-node",
            );
            1
        }
        Err(errno) => {
            complain(
                tool,
                format!("cannot get the directory: {}", errno_text(errno)),
            );
            1
        }
    }
}

/// Whether symbolic links stay in the path.
fn is_logical(tool: &str, arguments: Arguments) -> Result<bool, Stop> {
    let mut logical = std::env::var_os("POSIXLY_CORRECT").is_some();
    let operands = Options::new(TABLE, arguments).each(|key, _| {
        match key {
            Key::Logical => logical = true,
            Key::Physical => logical = false,
            Key::Help => {
                let about = "Print the full filename of the current working directory.";
                return Err(Stop::Status(help(tool, "[OPTION]...", about, TABLE)));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    })?;
    if !operands.is_empty() {
        complain(tool, "ignoring non-option arguments");
    }
    Ok(logical)
}

/// The directory in `PWD`, if it is an absolute path without dots and leads to the working
/// directory.
fn logical_directory() -> Option<Vec<u8>> {
    let path = std::env::var_os("PWD")?.into_encoded_bytes();
    let has_dots = path
        .split(|byte| *byte == b'/')
        .any(|part| matches!(part, b"." | b".."));
    if !path.starts_with(b"/") || has_dots {
        return None;
    }
    let there = system::stat(&path, Links::Follow).ok()?;
    let here = system::stat(b".", Links::Follow).ok()?;
    (there.dev == here.dev && there.ino == here.ino).then_some(path)
}

fn physical_directory() -> Result<Vec<u8>, Errno> {
    match cwd::current() {
        // Outside of a sandbox, where tools are tried.
        Err(Errno::NoSys) => std::env::current_dir()
            .map(|path| path.into_os_string().into_encoded_bytes())
            .map_err(|_| Errno::NoEnt),
        result => result,
    }
}
