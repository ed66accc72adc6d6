//! Files as tools read them: whole, with standard input as `-` or where none is named.

use std::io::{self, Read as _, Write as _};
use std::time::SystemTime;

/// Everything that standard input has.
pub(crate) fn stdin() -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    #[cfg(target_os = "wasi")]
    {
        let mut input = codepod_sys::Fd::STDIN;
        input.read_to_end(&mut text)?;
    }
    #[cfg(not(target_os = "wasi"))]
    io::stdin().read_to_end(&mut text)?;
    Ok(text)
}

/// A file's content; standard input for `-`.
pub(crate) fn read(path: &[u8]) -> io::Result<Vec<u8>> {
    match path {
        b"-" => stdin(),
        path => {
            let directory =
                std::fs::metadata(codepod_tool::path(path)).is_ok_and(|metadata| metadata.is_dir());
            match directory {
                true => Err(io::ErrorKind::IsADirectory.into()),
                false => std::fs::read(codepod_tool::path(path)),
            }
        }
    }
}

/// Puts new content in a file's place, with the permissions of `from`. A new file beside it takes
/// its place when it is whole, so that a full disk loses nothing.
pub(crate) fn replace(
    from: &std::path::Path,
    into: &std::path::Path,
    bytes: &[u8],
    date: Option<SystemTime>,
) -> io::Result<()> {
    let directory = into.parent().unwrap_or(std::path::Path::new(""));
    let (mut file, temporary) = (0..100)
        .find_map(|number| {
            let path = directory.join(format!(
                "d2utmp{:x}.{number}",
                codepod_sys::random::number()
            ));
            let mut options = std::fs::OpenOptions::new();
            match options.write(true).create_new(true).open(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => None,
                opened => Some(opened.map(|file| (file, path))),
            }
        })
        .unwrap_or_else(|| Err(io::ErrorKind::AlreadyExists.into()))?;
    let written = file.write_all(bytes).and_then(|()| match date {
        Some(date) => file.set_modified(date),
        None => Ok(()),
    });
    drop(file);
    let written = written.and_then(|()| {
        let path = |path: &std::path::Path| path.as_os_str().as_encoded_bytes().to_vec();
        same_mode(&path(from), &path(&temporary));
        std::fs::rename(&temporary, into)
    });
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

/// Gives a file the permissions of another. Outside of a sandbox, where the call is missing, it
/// keeps its own.
fn same_mode(from: &[u8], to: &[u8]) {
    use codepod_sys::file::{self, Links};
    if let Ok(stat) = file::stat_path(from, Links::Follow) {
        let _ = file::set_mode(to, Links::Follow, stat.mode & 0o7777);
    }
}

/// What glibc says of an error.
pub(crate) fn why(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::IsADirectory => "Is a directory".to_owned(),
        _ => codepod_tool::io_text(error),
    }
}

/// Writes to standard error. Where it is gone there is nobody to tell.
pub(crate) fn tell(text: &str) {
    let _ = io::Write::write_all(&mut io::stderr(), text.as_bytes());
}

/// Prints a text and returns the status.
pub(crate) fn print(text: &str) -> i32 {
    let mut out = codepod_tool::Output::new();
    out.put(text.as_bytes());
    i32::from(out.finish().is_err())
}

/// Prints which version a tool is of. Returns its status.
pub(crate) fn version(name: &str) -> i32 {
    print(&format!("{name} (codepod) {}\n", env!("CARGO_PKG_VERSION")))
}
