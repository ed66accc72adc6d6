//! Files as tools read them: whole, with standard input as `-` or where none is named.

use std::io::{self, Read as _};

/// Everything that standard input has.
pub fn stdin() -> io::Result<Vec<u8>> {
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
pub fn read(path: &[u8]) -> io::Result<Vec<u8>> {
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

/// What glibc says of an error.
pub fn why(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::IsADirectory => "Is a directory".to_owned(),
        _ => codepod_tool::io_text(error),
    }
}

/// Writes to standard error. Where it is gone there is nobody to tell.
pub fn tell(text: &str) {
    let _ = io::Write::write_all(&mut io::stderr(), text.as_bytes());
}

/// Prints a text and returns the status.
pub fn print(text: &str) -> i32 {
    let mut out = codepod_tool::Output::new();
    out.put(text.as_bytes());
    i32::from(out.finish().is_err())
}

/// Prints which version a tool is of. Returns its status.
pub fn version(name: &str) -> i32 {
    print(&format!("{name} (codepod) {}\n", env!("CARGO_PKG_VERSION")))
}
