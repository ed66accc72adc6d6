//! `zstd -l`: what the headers of frames say.

use codepod_tool::{io_text, scaled_size};

/// What is known of a file.
#[derive(Default)]
struct Summary {
    frames: u64,
    skipped: u64,
    packed: u64,
    /// None when a frame does not say.
    plain: Option<u64>,
    checked: bool,
}

/// Lists files; returns the status.
pub(super) fn run(names: &[Vec<u8>]) -> i32 {
    let mut status = 0;
    let mut total = Summary {
        plain: Some(0),
        checked: true,
        ..Summary::default()
    };
    let mut listed = 0;
    println!("Frames  Skips  Compressed  Uncompressed  Ratio  Check  Filename");
    for name in names {
        let shown = String::from_utf8_lossy(name).into_owned();
        if name == b"-" {
            eprintln!("zstd: --list does not support reading from standard input ");
            status = 1;
            continue;
        }
        let content = match std::fs::read(codepod_tool::path(name)) {
            Ok(content) => content,
            Err(error) => {
                eprintln!("{shown} : {} ", io_text(&error));
                status = 1;
                continue;
            }
        };
        let Some(summary) = read(&content) else {
            println!("File \"{shown}\" not compressed by zstd ");
            status = 1;
            continue;
        };
        println!("{}", line(&summary, &shown));
        listed += 1;
        total.frames += summary.frames;
        total.skipped += summary.skipped;
        total.packed += summary.packed;
        total.plain = total
            .plain
            .zip(summary.plain)
            .map(|(a, b)| a.saturating_add(b));
        total.checked &= summary.checked;
    }
    if listed > 1 {
        println!("----------------------------------------------------------------- ");
        println!("{}", line(&total, &format!("{listed} files")));
    }
    status
}

fn line(summary: &Summary, name: &str) -> String {
    let start = format!(
        "{:6}  {:5}  {}",
        summary.frames,
        summary.skipped,
        wide_size(summary.packed, 6)
    );
    let check = if summary.checked { "XXH64" } else { "None" };
    match summary.plain {
        Some(plain) => {
            let ratio = if summary.packed == 0 {
                0.0
            } else {
                plain as f64 / summary.packed as f64
            };
            format!(
                "{start}  {}  {ratio:5.3}  {check:>5}  {name}",
                wide_size(plain, 8)
            )
        }
        None => format!("{start}                       {check:>5}  {name}"),
    }
}

fn scaled(bytes: u64) -> (f64, usize, &'static str) {
    let units = [" B", " KiB", " MiB", " GiB", " TiB"];
    let (value, power) = scaled_size(bytes, units.len() - 1);
    let digits = match value {
        _ if power == 0 => 0,
        value if value >= 100.0 => 0,
        value if value >= 10.0 => 1,
        value if value > 1.0 => 2,
        _ => 3,
    };
    (value, digits, units[power])
}

/// A size in a line about one file.
pub(super) fn short_size(bytes: u64) -> String {
    let (value, digits, unit) = scaled(bytes);
    format!("{value:6.digits$}{unit}")
}

/// A size in a column.
pub(super) fn wide_size(bytes: u64, width: usize) -> String {
    let (value, digits, unit) = scaled(bytes);
    format!("{value:width$.digits$}{unit:>4}")
}

/// Walks over the frames; none when something else is there.
fn read(content: &[u8]) -> Option<Summary> {
    let mut summary = Summary {
        packed: content.len() as u64,
        plain: Some(0),
        checked: true,
        ..Summary::default()
    };
    let mut rest = content;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let (magic, tail) = rest.split_first_chunk::<4>()?;
        match magic {
            [0x50..=0x5f, 0x2a, 0x4d, 0x18] => {
                let (size, tail) = tail.split_first_chunk::<4>()?;
                rest = tail.get(u32::from_le_bytes(*size) as usize..)?;
                summary.frames += 1;
                summary.skipped += 1;
                continue;
            }
            [0x28, 0xb5, 0x2f, 0xfd] => {}
            _ => return None,
        }
        let (descriptor, tail) = tail.split_first()?;
        let single = descriptor >> 5 & 1 == 1;
        let checked = descriptor >> 2 & 1 == 1;
        let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
        let size = match (descriptor >> 6, single) {
            (0, true) => 1,
            (0, false) => 0,
            (1, _) => 2,
            (2, _) => 4,
            _ => 8,
        };
        let tail = tail.get(usize::from(!single) + dictionary..)?;
        let mut number = [0; 8];
        number[..size].copy_from_slice(tail.get(..size)?);
        let plain = u64::from_le_bytes(number) + if size == 2 { 256 } else { 0 };
        summary.plain = if size == 0 {
            None
        } else {
            summary.plain.and_then(|sum| sum.checked_add(plain))
        };
        rest = &tail[size..];
        loop {
            let (head, tail) = rest.split_first_chunk::<3>()?;
            let head = u32::from_le_bytes([head[0], head[1], head[2], 0]);
            let length = match head >> 1 & 3 {
                1 => 1,
                _ => (head >> 3) as usize,
            };
            rest = tail.get(length..)?;
            if head & 1 == 1 {
                break;
            }
        }
        if checked {
            rest = rest.get(4..)?;
        }
        summary.checked &= checked;
        summary.frames += 1;
    }
    Some(summary)
}
