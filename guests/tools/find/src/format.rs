//! Formats of `-printf`, and what `-ls` prints.

use codepod_datetime::{Civil, MONTHS, WEEKDAYS};
use codepod_sys::file::Links;
use codepod_tool::{Names, complain};

use crate::evaluate::Entry;
use crate::stat;

/// A part of a format.
#[derive(Debug)]
enum Part {
    Text(Vec<u8>),
    /// Flags and width as they were written, the letter, and for times the letter behind it.
    Directive(Width, u8, u8),
    /// `\c`: nothing more is printed.
    Stop,
}

/// How wide a value is printed.
#[derive(Debug, Clone, Copy, Default)]
struct Width {
    left: bool,
    zero: bool,
    plus: bool,
    space: bool,
    alternative: bool,
    width: usize,
    precision: Option<usize>,
}

/// A format.
#[derive(Debug)]
pub(crate) struct Format {
    parts: Vec<Part>,
}

/// Names of users and groups, read when they are needed.
#[derive(Debug, Default)]
pub(crate) struct Owners {
    users: Option<Names>,
    groups: Option<Names>,
}

impl Owners {
    pub(crate) fn user(&mut self, number: u32) -> String {
        name(self.users.get_or_insert_with(Names::users), number)
    }

    pub(crate) fn group(&mut self, number: u32) -> String {
        name(self.groups.get_or_insert_with(Names::groups), number)
    }

    pub(crate) fn has_user(&mut self, number: u32) -> bool {
        self.users
            .get_or_insert_with(Names::users)
            .name(number)
            .is_some()
    }

    pub(crate) fn has_group(&mut self, number: u32) -> bool {
        self.groups
            .get_or_insert_with(Names::groups)
            .name(number)
            .is_some()
    }
}

/// The name of a number; the number where it has none.
fn name(names: &Names, number: u32) -> String {
    match names.name(number) {
        Some(name) => String::from_utf8_lossy(name).into_owned(),
        None => number.to_string(),
    }
}

impl Format {
    /// Reads a format; what is no part of one stands for itself.
    pub(crate) fn parse(text: &[u8]) -> Format {
        let mut parts = Vec::new();
        let mut plain = Vec::new();
        let mut at = 0;
        while at < text.len() {
            match text[at] {
                b'\\' => match escape(&text[at..]) {
                    Some((None, _)) => {
                        parts.push(Part::Text(std::mem::take(&mut plain)));
                        parts.push(Part::Stop);
                        break;
                    }
                    Some((Some(byte), length)) => {
                        plain.push(byte);
                        at += length;
                    }
                    None => {
                        if let Some(letter) = text.get(at + 1) {
                            complain(
                                "find",
                                [b"warning: unrecognized escape `\\", &[*letter][..], b"'"]
                                    .concat(),
                            );
                            plain.extend_from_slice(&[b'\\', *letter]);
                        } else {
                            plain.push(b'\\');
                        }
                        at += 2;
                    }
                },
                b'%' if text.get(at + 1) == Some(&b'%') => {
                    plain.push(b'%');
                    at += 2;
                }
                b'%' => {
                    let (part, length) = directive(&text[at..]);
                    match part {
                        Some(part) => {
                            parts.push(Part::Text(std::mem::take(&mut plain)));
                            parts.push(part);
                        }
                        None => plain.extend_from_slice(&text[at..at + length]),
                    }
                    at += length;
                }
                byte => {
                    plain.push(byte);
                    at += 1;
                }
            }
        }
        parts.push(Part::Text(plain));
        Format { parts }
    }

    /// Appends what a file looks like in this format.
    pub(crate) fn put(&self, entry: &Entry<'_>, owners: &mut Owners, out: &mut Vec<u8>) {
        for part in &self.parts {
            match part {
                Part::Text(text) => out.extend_from_slice(text),
                Part::Stop => return,
                Part::Directive(width, letter, field) => {
                    let (value, numeric) = value(entry, *letter, *field, owners, width);
                    pad(&value, *width, numeric, out);
                }
            }
        }
    }
}

/// What a backslash and what follows stand for and how long it is; no byte for `\c`.
fn escape(text: &[u8]) -> Option<(Option<u8>, usize)> {
    Some(match *text.get(1)? {
        b'a' => (Some(7), 2),
        b'b' => (Some(8), 2),
        b'c' => (None, 2),
        b'f' => (Some(12), 2),
        b'n' => (Some(b'\n'), 2),
        b'r' => (Some(b'\r'), 2),
        b't' => (Some(b'\t'), 2),
        b'v' => (Some(11), 2),
        b'\\' => (Some(b'\\'), 2),
        b'0'..=b'7' => {
            let digits = text[1..]
                .iter()
                .take(3)
                .take_while(|byte| (b'0'..=b'7').contains(byte))
                .count();
            let value = text[1..=digits]
                .iter()
                .fold(0u32, |value, digit| value * 8 + u32::from(digit - b'0'));
            (Some(value as u8), digits + 1)
        }
        _ => return None,
    })
}

/// A directive and how long it is; none where there is no such.
fn directive(text: &[u8]) -> (Option<Part>, usize) {
    let mut at = 1;
    let mut width = Width::default();
    while let Some(flag) = text.get(at) {
        match flag {
            b'-' => width.left = true,
            b'0' => width.zero = true,
            b'+' => width.plus = true,
            b' ' => width.space = true,
            b'#' => width.alternative = true,
            _ => break,
        }
        at += 1;
    }
    while let Some(digit) = text.get(at).filter(|byte| byte.is_ascii_digit()) {
        width.width = (width.width * 10 + usize::from(digit - b'0')).min(1 << 20);
        at += 1;
    }
    if text.get(at) == Some(&b'.') {
        at += 1;
        let mut precision = 0;
        while let Some(digit) = text.get(at).filter(|byte| byte.is_ascii_digit()) {
            precision = (precision * 10 + usize::from(digit - b'0')).min(1 << 20);
            at += 1;
        }
        width.precision = Some(precision);
    }
    match text.get(at) {
        None => {
            complain("find", "error: % at end of format string");
            (None, text.len())
        }
        Some(letter @ (b'A' | b'C' | b'T')) => match text.get(at + 1) {
            Some(field) => (Some(Part::Directive(width, *letter, *field)), at + 2),
            None => {
                complain(
                    "find",
                    [
                        b"warning: format directive `%",
                        &[*letter][..],
                        b"' should be followed by another character",
                    ]
                    .concat(),
                );
                (None, text.len())
            }
        },
        Some(letter) if b"abcdDfFgGhHiklmMnpPsStuUyYZ".contains(letter) => {
            (Some(Part::Directive(width, *letter, 0)), at + 1)
        }
        Some(letter) => {
            complain(
                "find",
                [
                    b"warning: unrecognized format directive `%",
                    &[*letter][..],
                    b"'",
                ]
                .concat(),
            );
            (None, at + 1)
        }
    }
}

fn pad(value: &[u8], width: Width, numeric: bool, out: &mut Vec<u8>) {
    let value = match width.precision {
        Some(precision) if !numeric => &value[..precision.min(value.len())],
        _ => value,
    };
    let missing = width.width.saturating_sub(value.len());
    if width.left {
        out.extend_from_slice(value);
        out.resize(out.len() + missing, b' ');
        return;
    }
    let fill = if width.zero && numeric { b'0' } else { b' ' };
    out.resize(out.len() + missing, fill);
    out.extend_from_slice(value);
}

/// The value of a directive, and whether it is a number.
fn value(
    entry: &Entry<'_>,
    letter: u8,
    field: u8,
    owners: &mut Owners,
    width: &Width,
) -> (Vec<u8>, bool) {
    let stat = entry.stat;
    let number = |value: u64| (value.to_string().into_bytes(), true);
    let text = |value: &[u8]| (value.to_vec(), false);
    match letter {
        b'a' => text(&date(stat.atime, false)),
        b'c' => text(&date(stat.ctime, false)),
        b't' => text(&date(stat.mtime, false)),
        b'A' => text(&time_field(stat.atime, field)),
        b'C' => text(&time_field(stat.ctime, field)),
        b'T' => text(&time_field(stat.mtime, field)),
        // Blocks and owners are texts to GNU as well.
        b'b' => text(stat.blocks.to_string().as_bytes()),
        b'k' => text(stat.blocks.div_ceil(2).to_string().as_bytes()),
        b's' => text(stat.size.to_string().as_bytes()),
        b'i' => text(stat.ino.to_string().as_bytes()),
        b'n' => text(stat.nlink.to_string().as_bytes()),
        b'D' => text(stat.dev.to_string().as_bytes()),
        b'U' => text(stat.uid.to_string().as_bytes()),
        b'G' => text(stat.gid.to_string().as_bytes()),
        b'd' => number(entry.depth as u64),
        b'S' => {
            let sparse = if stat.size == 0 {
                1.0
            } else {
                stat.blocks as f64 * 512.0 / stat.size as f64
            };
            text(significant(sparse).as_bytes())
        }
        b'u' => text(owners.user(stat.uid).as_bytes()),
        b'g' => text(owners.group(stat.gid).as_bytes()),
        b'm' => {
            let mode = stat.mode & 0o7777;
            let shown = if width.alternative {
                format!("0{mode:o}")
            } else {
                format!("{mode:o}")
            };
            (shown.into_bytes(), true)
        }
        b'M' => text(codepod_mode::text(stat.mode).as_bytes()),
        b'p' => text(entry.path),
        b'f' | b'h' if entry.path.len() > 1 && entry.path.ends_with(b"/") => {
            // A path that ends with slashes keeps them in its last part.
            let end = entry
                .path
                .iter()
                .rposition(|byte| *byte != b'/')
                .map_or(0, |at| at + 1);
            let start = entry.path[..end]
                .iter()
                .rposition(|byte| *byte == b'/')
                .map_or(0, |at| at + 1);
            if letter == b'f' {
                text(&entry.path[start..])
            } else {
                text(&entry.path[..end])
            }
        }
        b'f' => text(entry.base()),
        b'h' => text(entry.directory()),
        b'H' => text(entry.root),
        b'P' => text(entry.below_root()),
        b'y' => text(&[stat::letter(stat.mode)]),
        b'Y' => text(&[final_type(entry)]),
        b'l' => text(&entry.link_target().unwrap_or_default()),
        b'F' => text(b"unknown"),
        _ => text(b""),
    }
}

/// The type of what a link leads to; `N` where that is nothing.
fn final_type(entry: &Entry<'_>) -> u8 {
    if stat::letter(entry.stat.mode) != b'l' {
        return stat::letter(entry.stat.mode);
    }
    match stat::stat(entry.path, Links::Follow) {
        Ok(stat) => stat::letter(stat.mode),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => b'N',
        Err(error) if error.to_string().contains("symbolic link") => b'L',
        Err(_) => b'?',
    }
}

/// As `%g` of C prints it, with six digits.
fn significant(value: f64) -> String {
    let digits = 5 - (value.abs().max(1e-4).log10().floor() as i32).clamp(-4, 5);
    let text = format!("{value:.*}", digits as usize);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// A time as `ctime` prints it, with a fraction unless it is `short`.
fn date(time: u64, short: bool) -> Vec<u8> {
    let (seconds, rest) = ((time / 1_000_000_000) as i64, time % 1_000_000_000);
    let date = Civil::from_seconds(seconds);
    let fraction = if short {
        String::new()
    } else {
        format!(".{rest:09}0")
    };
    format!(
        "{} {} {:2} {:02}:{:02}:{:02}{fraction} {}",
        &WEEKDAYS[date.weekday() as usize][..3],
        &MONTHS[date.month as usize - 1][..3],
        date.day,
        date.hour,
        date.minute,
        date.second,
        date.year
    )
    .into_bytes()
}

/// One field of a time, as `strftime` has it.
fn time_field(time: u64, field: u8) -> Vec<u8> {
    let (seconds, rest) = ((time / 1_000_000_000) as i64, time % 1_000_000_000);
    let at = Civil::from_seconds(seconds);
    let (weekday, year_day) = (at.weekday(), at.day_of_year() + 1);
    let hour12 = (at.hour + 11) % 12 + 1;
    let day_name = WEEKDAYS[weekday as usize];
    let month_name = MONTHS[at.month as usize - 1];
    let half = if at.hour < 12 { "AM" } else { "PM" };
    let with_fraction = format!("{:02}.{rest:09}0", at.second);
    let text = match field {
        b'@' => format!("{seconds}.{rest:09}0"),
        b'+' => format!(
            "{:04}-{:02}-{:02}+{:02}:{:02}:{with_fraction}",
            at.year, at.month, at.day, at.hour, at.minute
        ),
        b'a' => day_name[..3].to_owned(),
        b'A' => day_name.to_owned(),
        b'b' | b'h' => month_name[..3].to_owned(),
        b'B' => month_name.to_owned(),
        b'c' => return date(time, true),
        b'd' => format!("{:02}", at.day),
        b'D' | b'x' => format!(
            "{:02}/{:02}/{:02}",
            at.month,
            at.day,
            at.year.rem_euclid(100)
        ),
        b'F' => format!("{:04}-{:02}-{:02}", at.year, at.month, at.day),
        b'H' => format!("{:02}", at.hour),
        b'I' => format!("{hour12:02}"),
        b'j' => format!("{:03}", year_day),
        b'k' => format!("{:2}", at.hour),
        b'l' => format!("{hour12:2}"),
        b'm' => format!("{:02}", at.month),
        b'M' => format!("{:02}", at.minute),
        b'p' => half.to_owned(),
        b'r' => format!("{hour12:02}:{:02}:{:02} {half}", at.minute, at.second),
        b's' => seconds.to_string(),
        b'S' => with_fraction,
        b'T' | b'X' => format!("{:02}:{:02}:{with_fraction}", at.hour, at.minute),
        b'R' => format!("{:02}:{:02}", at.hour, at.minute),
        b'u' => ((weekday + 6) % 7 + 1).to_string(),
        b'w' => weekday.to_string(),
        b'y' => format!("{:02}", at.year.rem_euclid(100)),
        b'Y' => at.year.to_string(),
        b'Z' => "UTC".to_owned(),
        b'z' => "+0000".to_owned(),
        b'U' => format!("{:02}", (year_day + 6 - weekday) / 7),
        b'W' => format!("{:02}", (year_day + 6 - (weekday + 6) % 7) / 7),
        b'e' => format!("{:2}", at.day),
        b'C' => format!("{:02}", at.year.div_euclid(100)),
        b'n' => "\n".to_owned(),
        b't' => "\t".to_owned(),
        other => format!("%{}", char::from(other)),
    };
    text.into_bytes()
}

/// Appends the line of `-ls`.
pub(crate) fn list(entry: &Entry<'_>, owners: &mut Owners, now: i128, out: &mut Vec<u8>) {
    const HALF_YEAR: i128 = 31_556_952 / 2 * 1_000_000_000;
    let stat = entry.stat;
    let modified = i128::from(stat.mtime);
    let date = Civil::from_seconds((stat.mtime / 1_000_000_000) as i64);
    let month = &MONTHS[date.month as usize - 1][..3];
    let recent = modified > now - HALF_YEAR && modified <= now;
    let when = match recent {
        true => format!("{month} {:2} {:02}:{:02}", date.day, date.hour, date.minute),
        false => format!("{month} {:2}  {:4}", date.day, date.year),
    };
    let line = format!(
        "{:9} {:6} {} {:3} {:<8} {:<8} {:8} {when} ",
        stat.ino,
        stat.blocks.div_ceil(2),
        codepod_mode::text(stat.mode),
        stat.nlink,
        owners.user(stat.uid),
        owners.group(stat.gid),
        stat.size
    );
    out.extend_from_slice(line.as_bytes());
    escaped(entry.path, out);
    if let Some(target) = entry.link_target() {
        out.extend_from_slice(b" -> ");
        escaped(&target, out);
    }
    out.push(b'\n');
}

/// A name with what would confuse a reader escaped.
fn escaped(name: &[u8], out: &mut Vec<u8>) {
    for chunk in name.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '\\' => out.extend_from_slice(b"\\\\"),
                '\n' => out.extend_from_slice(b"\\n"),
                '\t' => out.extend_from_slice(b"\\t"),
                '\r' => out.extend_from_slice(b"\\r"),
                '\x08' => out.extend_from_slice(b"\\b"),
                '\x0c' => out.extend_from_slice(b"\\f"),
                ' ' => out.extend_from_slice(b"\\ "),
                '"' => out.extend_from_slice(b"\\\""),
                letter if codepod_posix_regex::is_printable(letter) => {
                    out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                }
                letter => {
                    for byte in letter.encode_utf8(&mut [0; 4]).bytes() {
                        out.extend_from_slice(format!("\\{byte:03o}").as_bytes());
                    }
                }
            }
        }
        for byte in chunk.invalid() {
            out.extend_from_slice(format!("\\{byte:03o}").as_bytes());
        }
    }
}
