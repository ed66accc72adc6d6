//! `xz --list`: what the index at the end of each stream says.

use std::io::{Read as _, Seek as _, SeekFrom};

use super::Xz;
use crate::system;
use codepod_tool::io_text;

/// What is known of a file.
#[derive(Default, Clone)]
struct Summary {
    streams: u64,
    blocks: u64,
    packed: u64,
    plain: u64,
    padding: u64,
    checks: u32,
    details: Vec<StreamLine>,
}

#[derive(Clone)]
struct StreamLine {
    at: u64,
    plain_at: u64,
    packed: u64,
    plain: u64,
    check: u8,
    padding: u64,
    /// Size with padding, and content, of each block.
    blocks: Vec<(u64, u64)>,
}

/// Lists the files.
pub(super) fn run(xz: &mut Xz, names: &[Vec<u8>]) {
    let mut total = Summary::default();
    let mut listed = 0;
    for (at, name) in names.iter().enumerate() {
        let shown = String::from_utf8_lossy(name).into_owned();
        if name == b"-" {
            xz.error("--list does not support reading from standard input");
            continue;
        }
        let summary = match system::open(name)
            .map_err(|error| io_text(&error))
            .and_then(|mut file| read(&mut file))
        {
            Ok(summary) => summary,
            Err(why) => {
                xz.error(&format!("{shown}: {why}"));
                continue;
            }
        };
        listed += 1;
        if xz.robot {
            println!("name\t{shown}");
            println!("file\t{}", robot_line(&summary));
        } else if xz.verbose {
            verbose(&summary, &shown, at + 1, names.len());
        } else {
            if listed == 1 {
                println!("Strms  Blocks   Compressed Uncompressed  Ratio  Check   Filename");
            }
            println!("{} {shown}", line(&summary));
        }
        total.streams += summary.streams;
        total.blocks += summary.blocks;
        total.packed += summary.packed;
        total.plain += summary.plain;
        total.padding += summary.padding;
        total.checks |= summary.checks;
    }
    if xz.robot {
        println!("totals\t{}\t{listed}", robot_line(&total));
    } else if listed > 1 && !xz.verbose {
        println!("{}\n{} {listed} files", "-".repeat(79), line(&total));
    }
}

fn line(summary: &Summary) -> String {
    format!(
        "{:>5} {:>7} {:>12} {:>12}  {:>5}  {:<7}",
        summary.streams,
        summary.blocks,
        size(summary.packed),
        size(summary.plain),
        ratio(summary.packed, summary.plain),
        checks(summary.checks, ",")
    )
}

fn robot_line(summary: &Summary) -> String {
    format!(
        "{}\t{}\t{}\t{}\t{}\t{}\t{}",
        summary.streams,
        summary.blocks,
        summary.packed,
        summary.plain,
        ratio(summary.packed, summary.plain),
        checks(summary.checks, ","),
        summary.padding
    )
}

fn verbose(summary: &Summary, shown: &str, at: usize, of: usize) {
    if at > 1 {
        println!();
    }
    println!("{shown} ({at}/{of})");
    println!("  Streams:           {}", summary.streams);
    println!("  Blocks:            {}", summary.blocks);
    println!("  Compressed size:   {}", long_size(summary.packed));
    println!("  Uncompressed size: {}", long_size(summary.plain));
    println!(
        "  Ratio:             {}",
        ratio(summary.packed, summary.plain)
    );
    println!("  Check:             {}", checks(summary.checks, ", "));
    println!("  Stream Padding:    {}", long_size(summary.padding));
    println!("  Streams:");
    println!(
        "    Stream    Blocks      CompOffset    UncompOffset        CompSize      UncompSize  Ratio  Check      Padding"
    );
    for (number, stream) in summary.details.iter().enumerate() {
        println!(
            "    {:>6} {:>9} {:>15} {:>15} {:>15} {:>15}  {:>5}  {:<10} {:>7}",
            number + 1,
            stream.blocks.len(),
            stream.at,
            stream.plain_at,
            stream.packed,
            stream.plain,
            ratio(stream.packed, stream.plain),
            check_name(stream.check),
            stream.padding
        );
    }
    if summary.blocks == 0 {
        return;
    }
    println!("  Blocks:");
    println!(
        "    Stream     Block      CompOffset    UncompOffset       TotalSize      UncompSize  Ratio  Check"
    );
    for (number, stream) in summary.details.iter().enumerate() {
        let (mut at, mut plain_at) = (stream.at + 12, stream.plain_at);
        for (block, (packed, plain)) in stream.blocks.iter().enumerate() {
            println!(
                "    {:>6} {:>9} {at:>15} {plain_at:>15} {packed:>15} {plain:>15}  {:>5}  {}",
                number + 1,
                block + 1,
                ratio(*packed, *plain),
                check_name(stream.check)
            );
            at += packed;
            plain_at += plain;
        }
    }
}

fn check_name(check: u8) -> String {
    match check {
        0 => "None".into(),
        1 => "CRC32".into(),
        4 => "CRC64".into(),
        10 => "SHA-256".into(),
        other => format!("Unknown-{other}"),
    }
}

fn checks(mask: u32, between: &str) -> String {
    let names: Vec<String> = (0..16u8)
        .filter(|check| mask >> check & 1 == 1)
        .map(check_name)
        .collect();
    names.join(between)
}

/// A size as people read it: bytes up to 9999, then KiB and more with one digit behind the point.
pub(super) fn size(bytes: u64) -> String {
    if bytes < 10_000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64;
    let mut unit = "B";
    for next in ["KiB", "MiB", "GiB", "TiB"] {
        value /= 1024.0;
        unit = next;
        if value <= 9999.9 {
            break;
        }
    }
    format!("{} {unit}", grouped(value))
}

fn grouped(value: f64) -> String {
    let text = format!("{value:.1}");
    match text.find('.') {
        Some(4) => format!("{},{}", &text[..1], &text[1..]),
        _ => text,
    }
}

fn long_size(bytes: u64) -> String {
    if bytes < 10_000 {
        return size(bytes);
    }
    format!("{} ({bytes} B)", size(bytes))
}

fn ratio(packed: u64, plain: u64) -> String {
    if plain == 0 {
        return "---".into();
    }
    let ratio = packed as f64 / plain as f64;
    if ratio > 9.999 {
        return "---".into();
    }
    format!("{ratio:.3}")
}

/// The ratio as `-v` ends its line with.
pub(super) fn speed_ratio(packed: u64, plain: u64) -> String {
    let ratio = packed as f64 / plain as f64;
    if plain == 0 || ratio > 9.999 {
        "> 9.999".into()
    } else {
        format!("= {ratio:.3}")
    }
}

/// Reads the indexes from the end of the file to its start.
fn read(file: &mut std::fs::File) -> Result<Summary, String> {
    let io = |error: std::io::Error| io_text(&error);
    let not_format = || "File format not recognized".to_owned();
    let corrupt = || "Compressed data is corrupt".to_owned();
    let length = file.seek(SeekFrom::End(0)).map_err(io)?;
    let mut at = |from: u64, count: usize| -> Result<Vec<u8>, String> {
        file.seek(SeekFrom::Start(from)).map_err(io)?;
        let mut bytes = vec![0; count];
        file.read_exact(&mut bytes)
            .map_err(|_| "Unexpected end of input".to_owned())?;
        Ok(bytes)
    };
    if length < 6 || at(0, 6)? != [0xfd, b'7', b'z', b'X', b'Z', 0] {
        return Err(not_format());
    }
    if length < 32 {
        return Err("File is too small to be a .xz file".to_owned());
    }
    let mut summary = Summary {
        packed: length,
        ..Summary::default()
    };
    let mut end = length;
    while end > 0 {
        let mut padding = 0;
        while end >= 4 && at(end - 4, 4)? == [0; 4] {
            end -= 4;
            padding += 4;
        }
        if end < 32 {
            return Err(corrupt());
        }
        let footer = at(end - 12, 12)?;
        if footer[10..] != *b"YZ" {
            return Err(if summary.streams == 0 {
                "Unexpected end of input".to_owned()
            } else {
                corrupt()
            });
        }
        let backward = (u64::from(u32::from_le_bytes([
            footer[4], footer[5], footer[6], footer[7],
        ])) + 1)
            * 4;
        if backward > end - 24 || backward > 1 << 24 {
            return Err(corrupt());
        }
        let index = at(end - 12 - backward, backward as usize)?;
        let blocks = parse_index(&index).ok_or_else(corrupt)?;
        let mut size = 24 + backward;
        let mut plain = 0u64;
        for (packed, content) in &blocks {
            size = size.checked_add(*packed).ok_or_else(corrupt)?;
            plain = plain.checked_add(*content).ok_or_else(corrupt)?;
        }
        let start = end.checked_sub(size).ok_or_else(corrupt)?;
        let check = footer[9] & 15;
        summary.streams += 1;
        summary.blocks += blocks.len() as u64;
        summary.plain = summary.plain.checked_add(plain).ok_or_else(corrupt)?;
        summary.padding += padding;
        summary.checks |= 1 << check;
        summary.details.push(StreamLine {
            at: start,
            plain_at: 0,
            packed: size,
            plain,
            check,
            padding,
            blocks,
        });
        end = start;
    }
    summary.details.reverse();
    let mut plain_at = 0;
    for stream in &mut summary.details {
        stream.plain_at = plain_at;
        plain_at += stream.plain;
    }
    Ok(summary)
}

/// The blocks that an index names: size with padding, and content.
fn parse_index(index: &[u8]) -> Option<Vec<(u64, u64)>> {
    let mut rest = index.strip_prefix(&[0])?;
    let mut number = || -> Option<u64> {
        let mut value = 0u64;
        for shift in 0..9 {
            let (byte, tail) = rest.split_first()?;
            rest = tail;
            value |= u64::from(byte & 0x7f) << (7 * shift);
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    };
    let count = number()?;
    let mut blocks = Vec::new();
    for _ in 0..count {
        let unpadded = number()?;
        blocks.push((unpadded.checked_add(3)? & !3, number()?));
    }
    Some(blocks)
}
