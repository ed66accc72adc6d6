//! `xxd`: a dump in hexadecimal, and back.

use codepod_tool::{Arguments, Output, Stop, complain};

use crate::files;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Form {
    #[default]
    Hex,
    Bits,
    Include,
    Reverse,
}

/// What the options say.
#[derive(Debug, Default)]
struct Settings {
    form: Form,
    plain: bool,
    columns: Option<usize>,
    group: Option<usize>,
    little: bool,
    length: Option<usize>,
    seek: i64,
    offset: i64,
    upper: bool,
    decimal: bool,
    skip_zeros: bool,
    capital_name: bool,
    name: Option<Vec<u8>>,
}

const USAGE: &str = "Usage:
       xxd [options] [infile [outfile]]
    or
       xxd -r [-s [-]offset] [-c cols] [-ps] [infile [outfile]]
Options:
    -a          toggle autoskip: A single '*' replaces nul-lines. Default off.
    -b          binary digit dump (incompatible with -ps,-i,-r). Default hex.
    -C          capitalize variable names in C include file style (-i).
    -c cols     format <cols> octets per line. Default 16 (-i: 12, -ps: 30).
    -E          show characters in EBCDIC. Default ASCII.
    -e          little-endian dump (incompatible with -ps,-i,-r).
    -g bytes    number of octets per group in normal output. Default 2 (-e: 4).
    -h          print this summary.
    -i          output in C include file style.
    -l len      stop after <len> octets.
    -n name     set the variable name used in C include output (-i).
    -o off      add <off> to the displayed file position.
    -ps         output in postscript plain hexdump style.
    -r          reverse operation: convert (or patch) hexdump into binary.
    -r -s off   revert with <off> added to file positions found in hexdump.
    -d          show offset in decimal instead of hex.
    -s [+][-]seek  start at <seek> bytes abs. (or +: rel.) infile offset.
    -u          use upper case hex letters.
    -v          show version.
";

/// xxd as a tool.
pub(crate) fn main(name: &str, arguments: Arguments) -> i32 {
    match run(name, arguments) {
        Ok(status) => status,
        Err(stop) => stop.report(name, 1),
    }
}

fn run(name: &str, arguments: Arguments) -> Result<i32, Stop> {
    let (mut settings, operands) = read_arguments(arguments)?;
    let source = operands.first().map_or(&b"-"[..], Vec::as_slice);
    let data = read(name, source)?;
    if settings.name.is_none() && source != b"-" {
        settings.name = Some(source.to_vec());
    }
    let result = dump(&data, &settings).map_err(Stop::failed)?;
    let target = operands.get(1).filter(|target| *target != b"-");
    Ok(write(name, target.map(Vec::as_slice), &result))
}

/// Reads the arguments: what the options say, and the files.
fn read_arguments(arguments: Arguments) -> Result<(Settings, Vec<Vec<u8>>), Stop> {
    let mut settings = Settings::default();
    let mut operands = Vec::new();
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        if argument == b"--" {
            operands.extend(rest);
            break;
        }
        if argument.len() < 2 || argument[0] != b'-' || !operands.is_empty() {
            operands.push(argument);
            continue;
        }
        // `--len` is `-len`, and names may be cut.
        let word = argument.strip_prefix(b"--").unwrap_or(&argument[1..]);
        settings.take(&String::from_utf8_lossy(word), &mut rest)?;
    }
    if operands.len() > 2 {
        return Err(usage());
    }
    Ok((settings, operands))
}

fn usage() -> Stop {
    files::tell(USAGE);
    Stop::Status(1)
}

impl Settings {
    /// Takes an option without its dashes, and its value from `rest` where none is attached.
    fn take(&mut self, word: &str, rest: &mut impl Iterator<Item = Vec<u8>>) -> Result<(), Stop> {
        let mut value = || -> Option<String> {
            match word.get(1..).filter(|attached| {
                !attached.is_empty()
                    && !attached.starts_with(|letter: char| letter.is_ascii_alphabetic())
            }) {
                Some(attached) => Some(attached.to_owned()),
                None => rest
                    .next()
                    .map(|next| String::from_utf8_lossy(&next).into_owned()),
            }
        };
        let letter = word.chars().next().unwrap_or(' ');
        match letter {
            'a' => self.skip_zeros = !self.skip_zeros,
            'b' => self.form = Form::Bits,
            'C' => self.capital_name = true,
            'e' => self.little = true,
            'u' => self.upper = true,
            'p' => self.plain = true,
            'i' => self.form = Form::Include,
            'r' => self.form = Form::Reverse,
            'd' => self.decimal = true,
            'v' => {
                files::tell("xxd (codepod) 0.1.0\n");
                return Err(Stop::Status(0));
            }
            'c' if word.starts_with("cap") => self.capital_name = true,
            'n' => self.name = value().map(String::into_bytes),
            'c' | 'g' | 'l' | 's' | 'o' => {
                let number = value().as_deref().and_then(number).ok_or_else(usage)?;
                let size = usize::try_from(number).unwrap_or(0);
                match letter {
                    'c' => self.columns = Some(size),
                    'g' => self.group = Some(size),
                    'l' => self.length = Some(size),
                    's' => self.seek = number,
                    _ => self.offset = number,
                }
            }
            'E' | 'R' => {
                return Err(Stop::failed(format!("option -{letter} is not supported")));
            }
            // `-h`, and what is not known.
            _ => return Err(usage()),
        }
        Ok(())
    }
}

/// Reads what is dumped. Fails with status 2, after saying why.
fn read(name: &str, source: &[u8]) -> Result<Vec<u8>, Stop> {
    files::read(source).map_err(|error| {
        let why = files::why(&error);
        if error.kind() == std::io::ErrorKind::IsADirectory {
            // It could be opened.
            complain(name, why);
        } else {
            complain(name, format!("{}: {why}", String::from_utf8_lossy(source)));
        }
        Stop::Status(2)
    })
}

/// Writes the result to a file, or to standard output. Returns the status.
fn write(name: &str, target: Option<&[u8]>, result: &[u8]) -> i32 {
    let Some(target) = target else {
        let mut out = Output::new();
        out.put(result);
        return i32::from(out.finish().is_err());
    };
    match std::fs::write(codepod_tool::path(target), result) {
        Ok(()) => 0,
        Err(error) => {
            let shown = String::from_utf8_lossy(target);
            complain(name, format!("{shown}: {}", files::why(&error)));
            3
        }
    }
}

/// A number as C writes it.
fn number(text: &str) -> Option<i64> {
    let text = text.strip_prefix('+').unwrap_or(text);
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let value = match digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"))
    {
        Some(hex) => i64::from_str_radix(hex, 16).ok()?,
        None if digits.len() > 1 && digits.starts_with('0') => {
            i64::from_str_radix(&digits[1..], 8).ok()?
        }
        None => digits.parse().ok()?,
    };
    Some(if negative { -value } else { value })
}

fn dump(data: &[u8], settings: &Settings) -> Result<Vec<u8>, String> {
    if settings.form == Form::Reverse {
        return Ok(reverse(data, settings));
    }
    let start = match settings.seek < 0 {
        true => data
            .len()
            .saturating_sub(settings.seek.unsigned_abs() as usize),
        false => (settings.seek as usize).min(data.len()),
    };
    let end = settings.length.map_or(data.len(), |length| {
        data.len().min(start.saturating_add(length))
    });
    let data = &data[start..end];
    if settings.form == Form::Include {
        return Ok(include(data, settings));
    }
    if settings.plain {
        return Ok(plain(data, settings));
    }
    Ok(lines(data, start, settings, &Layout::of(settings)?))
}

/// Only digits.
fn plain(data: &[u8], settings: &Settings) -> Vec<u8> {
    let columns = match settings.columns {
        // All of it in one line.
        Some(0) => data.len().max(1),
        Some(columns) => columns,
        None => 30,
    };
    let mut out = Vec::new();
    for line in data.chunks(columns) {
        for byte in line {
            push_hex(*byte, settings.upper, &mut out);
        }
        out.push(b'\n');
    }
    out
}

/// How wide the parts of a line are.
struct Layout {
    /// Bytes in a line.
    columns: usize,
    /// Bytes in a group.
    group: usize,
    /// Digits of a byte.
    digits: usize,
    /// Columns of all groups of a full line, with a blank behind each.
    width: usize,
}

impl Layout {
    /// Fails with the message.
    fn of(settings: &Settings) -> Result<Layout, String> {
        let bits = settings.form == Form::Bits;
        let columns = settings
            .columns
            .filter(|columns| *columns > 0)
            .unwrap_or(if bits { 6 } else { 16 });
        if columns > 256 {
            return Err("invalid number of columns (max. 256).".into());
        }
        let group = match (settings.group, settings.little) {
            (Some(0), _) => columns,
            (Some(group), _) => group,
            (None, _) if bits => 1,
            (None, true) => 4,
            (None, false) => 2,
        };
        if settings.little && !group.is_power_of_two() {
            return Err("number of octets per group must be a power of 2 with -e.".into());
        }
        let digits = if bits { 8 } else { 2 };
        let groups = columns.div_ceil(group);
        let width = if settings.little {
            groups * (group * digits + 1)
        } else {
            columns * digits + groups
        };
        Ok(Layout {
            columns,
            group,
            digits,
            width,
        })
    }
}

/// Lines of address, digits and text. With `-a`, of lines of zeros that follow one another the
/// first is shown and a `*` stands for the rest; the last line of all is shown.
fn lines(data: &[u8], start: usize, settings: &Settings, layout: &Layout) -> Vec<u8> {
    let mut out = Vec::new();
    let mut zeros = 0;
    let count = data.len().div_ceil(layout.columns);
    for (number, bytes) in data.chunks(layout.columns).enumerate() {
        if settings.skip_zeros && bytes.iter().all(|byte| *byte == 0) && number + 1 < count {
            zeros += 1;
        } else {
            zeros = 0;
        }
        match zeros {
            0 | 1 => {
                let address = (start + number * layout.columns) as i64 + settings.offset;
                line(bytes, address, settings, layout, &mut out);
            }
            2 => out.extend_from_slice(b"*\n"),
            _ => {}
        }
    }
    out
}

/// A line: the address, the groups, the bytes as text.
fn line(bytes: &[u8], address: i64, settings: &Settings, layout: &Layout, out: &mut Vec<u8>) {
    match settings.decimal {
        true => out.extend_from_slice(format!("{address:08}: ").as_bytes()),
        false => out.extend_from_slice(format!("{address:08x}: ").as_bytes()),
    }
    let body = out.len();
    for part in bytes.chunks(layout.group) {
        if settings.little {
            let missing = (layout.group - part.len()) * layout.digits;
            out.extend(std::iter::repeat_n(b' ', missing));
            for byte in part.iter().rev() {
                push_hex(*byte, settings.upper, out);
            }
        } else {
            for byte in part {
                match settings.form {
                    Form::Bits => out.extend_from_slice(format!("{byte:08b}").as_bytes()),
                    _ => push_hex(*byte, settings.upper, out),
                }
            }
        }
        if part.len() == layout.group || settings.little {
            out.push(b' ');
        }
    }
    out.resize(body + layout.width, b' ');
    out.push(b' ');
    out.extend(bytes.iter().map(|byte| match byte {
        0x20..0x7f => *byte,
        _ => b'.',
    }));
    out.push(b'\n');
}

fn push_hex(byte: u8, upper: bool, out: &mut Vec<u8>) {
    let digits: &[u8; 16] = if upper {
        b"0123456789ABCDEF"
    } else {
        b"0123456789abcdef"
    };
    out.extend([
        digits[usize::from(byte >> 4)],
        digits[usize::from(byte & 15)],
    ]);
}

fn include(data: &[u8], settings: &Settings) -> Vec<u8> {
    let columns = settings
        .columns
        .filter(|columns| *columns > 0)
        .unwrap_or(12);
    let mut out = Vec::new();
    let name: Option<String> = settings.name.as_ref().map(|name| {
        let shown = String::from_utf8_lossy(name);
        let prefix = if shown.starts_with(|letter: char| letter.is_ascii_digit()) {
            "__"
        } else {
            ""
        };
        let body: String = shown
            .chars()
            .map(|letter| {
                if letter.is_ascii_alphanumeric() {
                    letter
                } else {
                    '_'
                }
            })
            .collect();
        let whole = format!("{prefix}{body}");
        if settings.capital_name {
            whole.to_uppercase()
        } else {
            whole
        }
    });
    if let Some(name) = &name {
        out.extend_from_slice(format!("unsigned char {name}[] = {{\n").as_bytes());
    }
    for (number, byte) in data.iter().enumerate() {
        let lead = match (number % columns, number) {
            (0, 0) => "  ",
            (0, _) => ",\n  ",
            _ => ", ",
        };
        out.extend_from_slice(lead.as_bytes());
        out.extend_from_slice(if settings.upper { b"0X" } else { b"0x" });
        push_hex(*byte, settings.upper, &mut out);
    }
    if !data.is_empty() {
        out.push(b'\n');
    }
    if let Some(name) = &name {
        let suffix = if settings.capital_name {
            "_LEN"
        } else {
            "_len"
        };
        out.extend_from_slice(
            format!("}};\nunsigned int {name}{suffix} = {};\n", data.len()).as_bytes(),
        );
    }
    out
}

/// Bytes out of a dump.
fn reverse(data: &[u8], settings: &Settings) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    if settings.plain {
        let digits: Vec<u8> = data
            .iter()
            .filter_map(|byte| char::from(*byte).to_digit(16).map(|digit| digit as u8))
            .collect();
        out.extend(
            digits
                .as_chunks()
                .0
                .iter()
                .map(|[high, low]| high << 4 | low),
        );
        return out;
    }
    let columns = settings
        .columns
        .filter(|columns| *columns > 0)
        .unwrap_or(16);
    for line in data.split(|byte| *byte == b'\n') {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            continue;
        };
        let text = String::from_utf8_lossy(&line[..colon]);
        let Ok(address) = i64::from_str_radix(text.trim(), 16) else {
            continue;
        };
        let Ok(address) = usize::try_from(address + settings.seek) else {
            continue;
        };
        if address > out.len() + (64 << 20) {
            continue;
        }
        // Pairs of digits up to two blanks, which come before the text.
        let mut bytes = Vec::new();
        let rest = &line[colon + 1..];
        let mut at = 0;
        let mut blanks = 0;
        while at < rest.len() && bytes.len() < columns {
            match (rest[at], rest.get(at + 1)) {
                (b' ', _) => {
                    blanks += 1;
                    at += 1;
                    if blanks > 1 && !bytes.is_empty() {
                        break;
                    }
                }
                (high, Some(low)) => {
                    let pair = (char::from(high).to_digit(16), char::from(*low).to_digit(16));
                    let (Some(high), Some(low)) = pair else {
                        break;
                    };
                    bytes.push((high * 16 + low) as u8);
                    at += 2;
                    blanks = 0;
                }
                _ => break,
            }
        }
        let end = address + bytes.len();
        if out.len() < end {
            out.resize(end, 0);
        }
        out[address..end].copy_from_slice(&bytes);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_in_c() {
        assert_eq!(number("0x10"), Some(16));
        assert_eq!(number("-010"), Some(-8));
        assert_eq!(number("x"), None);
    }
}
