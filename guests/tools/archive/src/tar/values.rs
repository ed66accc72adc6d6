//! The values of `tar`'s options.

use codepod_mode::Change;

use super::dates;
use super::header::Dialect;
use super::settings::{Early, Order};
use crate::codec::{Effort, Format};
use crate::system::Moment;

/// `--strip-components`
pub(super) fn strip(value: &[u8]) -> Result<usize, Early> {
    let text = String::from_utf8_lossy(value);
    text.parse()
        .map_err(|_| Early::usage(format!("{text}: Invalid number of elements")))
}

/// `--mtime`
pub(super) fn mtime(value: &[u8]) -> Result<Moment, Early> {
    dates::parse(value).map_err(|()| {
        let text = String::from_utf8_lossy(value);
        Early::Fatal(format!(
            "Substituting -9223372036854775808 for unknown date format '{text}'"
        ))
    })
}

/// `--newer` and `--newer-mtime`
pub(super) fn newer(value: &[u8]) -> Result<Moment, Early> {
    dates::parse(value).map_err(|()| {
        let text = String::from_utf8_lossy(value);
        Early::usage(format!("Date sample file not found: {text}"))
    })
}

/// `--mode`
pub(super) fn mode(value: &[u8]) -> Result<Change, Early> {
    Change::parse(value).ok_or_else(|| Early::Fatal("Invalid mode given on option\0".into()))
}

/// `--sort`
pub(super) fn order(value: &[u8]) -> Result<Order, Early> {
    match value {
        b"none" => Ok(Order::None),
        b"name" | b"inode" => Ok(Order::Name),
        _ => {
            let text = String::from_utf8_lossy(value);
            Err(Early::Fatal(format!(
                "invalid argument '{text}' for '--sort'\nValid arguments are:\n  - 'none'\n  - 'name'\n  - 'inode'"
            )))
        }
    }
}

/// `--format`
pub(super) fn dialect(value: &[u8]) -> Result<Dialect, Early> {
    match value {
        b"v7" => Ok(Dialect::V7),
        b"ustar" => Ok(Dialect::Ustar),
        b"gnu" | b"oldgnu" => Ok(Dialect::Gnu),
        b"pax" | b"posix" => Ok(Dialect::Pax),
        _ => {
            let text = String::from_utf8_lossy(value);
            Err(Early::usage(format!("{text}: Invalid archive format")))
        }
    }
}

/// `--blocking-factor`
pub(super) fn blocking(value: &[u8]) -> Result<u64, Early> {
    let text = String::from_utf8_lossy(value);
    text.parse()
        .ok()
        .filter(|factor| (1..=1 << 16).contains(factor))
        .ok_or_else(|| Early::usage(format!("{text}: Invalid blocking factor")))
}

/// `--record-size`, as a blocking factor.
pub(super) fn record_size(value: &[u8]) -> Result<u64, Early> {
    String::from_utf8_lossy(value)
        .parse::<u64>()
        .ok()
        .filter(|size| *size > 0 && size % 512 == 0)
        .map(|size| size / 512)
        .ok_or_else(|| Early::usage("Record size must be a multiple of 512."))
}

/// `--occurrence`
pub(super) fn occurrence(value: &[u8]) -> Result<u64, Early> {
    if value.is_empty() {
        return Ok(1);
    }
    let text = String::from_utf8_lossy(value);
    text.parse()
        .map_err(|_| Early::usage(format!("{text}: Invalid number")))
}

/// The lines of a file, or of standard input. When it cannot be read, the message says
/// `what` before the reason.
pub(super) fn read_lines(file: &[u8], end: u8, what: &str) -> Result<Vec<Vec<u8>>, Early> {
    let content = if file == b"-" {
        let mut content = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin(), &mut content).map(|_| content)
    } else {
        std::fs::read(codepod_tool::path(file))
    };
    let content = content.map_err(|error| {
        let shown = String::from_utf8_lossy(file);
        Early::Fatal(format!(
            "{shown}: {what}{}\0",
            codepod_tool::io_text(&error)
        ))
    })?;
    let mut lines: Vec<Vec<u8>> = content
        .split(|byte| *byte == end)
        .map(<[u8]>::to_vec)
        .collect();
    if lines.last().is_some_and(Vec::is_empty) {
        lines.pop();
    }
    Ok(lines)
}

/// A name, a number, or a name and its number.
pub(super) fn owner(value: &[u8]) -> (Vec<u8>, Option<u64>) {
    let number = |text: &[u8]| {
        std::str::from_utf8(text)
            .ok()
            .and_then(|text| text.parse().ok())
    };
    if let Some(colon) = value.iter().position(|byte| *byte == b':') {
        return (value[..colon].to_vec(), number(&value[colon + 1..]));
    }
    if let Some(plus) = value.strip_prefix(b"+") {
        return (Vec::new(), number(plus));
    }
    match number(value) {
        Some(number) => (Vec::new(), Some(number)),
        None => (value.to_vec(), None),
    }
}

/// A program that compresses, as far as it is one of ours.
pub(super) fn program(command: &[u8]) -> Result<(Format, Effort), Early> {
    let command = String::from_utf8_lossy(command);
    let mut words = command.split_whitespace();
    let name = words.next().unwrap_or("");
    let base = name.rsplit('/').next().unwrap_or(name);
    let format = match base {
        "gzip" | "pigz" => Format::Gzip,
        "bzip2" | "pbzip2" | "lbzip2" => Format::Bzip2,
        "xz" | "pixz" | "pxz" => Format::Xz,
        "lzma" => Format::Lzma,
        "zstd" | "zstdmt" | "pzstd" => Format::Zstd,
        _ => {
            return Err(Early::Fatal(format!(
                "{name}: Cannot exec: only gzip, bzip2, xz, lzma and zstd compress here"
            )));
        }
    };
    let mut effort = Effort::Default;
    for word in words {
        match word.strip_prefix('-').map(str::parse) {
            Some(Ok(level)) => effort = Effort::Level(level),
            _ if word.starts_with("-T")
                || word.starts_with("--threads")
                || word == "-c"
                || word == "-q"
                || word == "-d" => {}
            _ if word == "-n" || word == "--long" || word == "--ultra" || word == "--best" => {}
            _ => {
                return Err(Early::Fatal(format!(
                    "{name}: the option {word} is not supported here"
                )));
            }
        }
    }
    Ok((format, effort))
}
