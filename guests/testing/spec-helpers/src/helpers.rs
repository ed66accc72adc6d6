//! What the helpers of Oils' conformance cases do. Oils has them as Python programs, hence their
//! names and notation.
//!
//! Nothing here knows where it runs: how a descriptor is read is the caller's.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};

/// Their names, one a line.
pub(crate) const NAMES: &str =
    "argv.py\nprintenv.py\nstdout_stderr.py\nread_from_fd.py\nshow_fd_table.py\n";

/// How much `read_from_fd.py` reads at most.
pub(crate) const MOST_READ: usize = 1024;

/// How one read of a descriptor is made.
pub(crate) type Read<'a> = &'a dyn Fn(u32) -> io::Result<Vec<u8>>;

/// Runs the helper that the first word names, and returns its status; `None` when there is no such
/// helper.
pub(crate) fn run(words: &[OsString], read: Read<'_>) -> Option<i32> {
    let (program, arguments) = words.split_first()?;
    let program = program.to_str()?;
    let name = program.rsplit('/').next().unwrap_or(program);
    let outcome = match name {
        "argv.py" => argv(arguments),
        "printenv.py" => printenv(arguments),
        "stdout_stderr.py" => stdout_stderr(arguments),
        "read_from_fd.py" => read_from_fd(arguments, read),
        "show_fd_table.py" => show_fd_table(),
        _ => return None,
    };
    // Python says more when it cannot write; nobody compares that.
    Some(outcome.unwrap_or(1))
}

/// Prints the arguments as a list in Python's notation.
fn argv(arguments: &[OsString]) -> io::Result<i32> {
    let words = arguments.iter().map(|word| repr(word.as_encoded_bytes()));
    let words: Vec<String> = words.collect();
    print(format!("[{}]\n", words.join(", ")).as_bytes())
}

/// Python 2's notation of a string: single quotes unless it holds one and no double quote.
fn repr(bytes: &[u8]) -> String {
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') {
        '"'
    } else {
        '\''
    };
    let mut text = String::from(quote);
    for &byte in bytes {
        match byte {
            b'\n' => text += "\\n",
            b'\t' => text += "\\t",
            b'\r' => text += "\\r",
            b'\\' => text += "\\\\",
            _ if char::from(byte) == quote => text.extend(['\\', quote]),
            32..=126 => text.push(char::from(byte)),
            _ => text += &format!("\\x{byte:02x}"),
        }
    }
    text.push(quote);
    text
}

/// Prints the values of environment variables, one a line.
fn printenv(names: &[OsString]) -> io::Result<i32> {
    let mut text = Vec::new();
    for name in names {
        match std::env::var_os(name) {
            Some(value) => text.extend_from_slice(value.as_encoded_bytes()),
            None => text.extend_from_slice(b"None"),
        }
        text.push(b'\n');
    }
    print(&text)
}

/// Prints a line to standard error and one to standard output, and ends with a status.
fn stdout_stderr(arguments: &[OsString]) -> io::Result<i32> {
    let line = |place: usize, usual: &str| {
        let word = arguments.get(place).cloned();
        let mut line = word.unwrap_or_else(|| usual.into()).into_encoded_bytes();
        line.push(b'\n');
        line
    };
    // Python keeps standard output until the end, so standard error comes first.
    io::stderr().write_all(&line(1, "STDERR"))?;
    print(&line(0, "STDOUT"))?;
    let status = arguments
        .get(2)
        .and_then(|word| word.to_str()?.parse().ok());
    Ok(status.unwrap_or(0))
}

/// Prints what one read of each descriptor gives.
fn read_from_fd(numbers: &[OsString], read: Read<'_>) -> io::Result<i32> {
    for number in numbers {
        let number = number.to_str().and_then(|word| word.parse().ok());
        let Some(fd) = number else { return Ok(1) };
        match read(fd) {
            Ok(bytes) => {
                print(format!("{fd}: ").as_bytes())?;
                print(&bytes)?;
            }
            Err(error) => {
                writeln!(io::stderr(), "FATAL: Error reading from fd {fd}: {error}")?;
                return Ok(1);
            }
        }
    }
    Ok(0)
}

/// Lists the open descriptors and what they refer to.
fn show_fd_table() -> io::Result<i32> {
    let mut open = Vec::new();
    for entry in fs::read_dir("/proc/self/fd")? {
        let entry = entry?;
        let number = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok());
        // The descriptor of the listing itself is gone by now.
        if let (Some(number), Ok(target)) = (number, fs::read_link(entry.path())) {
            open.push((number, target));
        }
    }
    open.sort_by_key(|(number, _): &(u32, _)| *number);
    for (number, target) in open {
        print(format!("{number} {}\n", target.display()).as_bytes())?;
    }
    Ok(0)
}

fn print(bytes: &[u8]) -> io::Result<i32> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::repr;

    #[test]
    fn words_are_shown_as_python_2_shows_them() {
        assert_eq!(repr(b"a b"), "'a b'");
        assert_eq!(repr(b"it's"), "\"it's\"");
        assert_eq!(repr(b"'\""), "'\\'\"'");
        assert_eq!(repr(b"\n\t\r\\"), "'\\n\\t\\r\\\\'");
        assert_eq!(repr(b"\x01\xff"), "'\\x01\\xff'");
    }
}
