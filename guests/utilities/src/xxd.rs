//! `xxd`: a dump in hexadecimal, and back.

use codepod_tool::{Arguments, Output};

use crate::files;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Hex,
    Bits,
    Include,
    Reverse,
}

#[derive(Debug)]
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
pub fn main(name: &str, arguments: Arguments) -> i32 {
    let mut settings = Settings {
        form: Form::Hex,
        plain: false,
        columns: None,
        group: None,
        little: false,
        length: None,
        seek: 0,
        offset: 0,
        upper: false,
        decimal: false,
        skip_zeros: false,
        capital_name: false,
        name: None,
    };
    let mut operands = Vec::new();
    let mut rest = arguments.into_iter().peekable();
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
        let text = String::from_utf8_lossy(word).into_owned();
        let mut value = |short: usize| -> Option<String> {
            match text.get(short..).filter(|attached| {
                !attached.is_empty()
                    && !attached.starts_with(|letter: char| letter.is_ascii_alphabetic())
            }) {
                Some(attached) => Some(attached.to_owned()),
                None => rest
                    .next()
                    .map(|next| String::from_utf8_lossy(&next).into_owned()),
            }
        };
        let letter = text.chars().next().unwrap_or(' ');
        match letter {
            'a' => settings.skip_zeros = !settings.skip_zeros,
            'b' => settings.form = Form::Bits,
            'C' => settings.capital_name = true,
            'e' => settings.little = true,
            'u' => settings.upper = true,
            'p' => settings.plain = true,
            'i' => settings.form = Form::Include,
            'r' => settings.form = Form::Reverse,
            'd' => settings.decimal = true,
            'h' => {
                files::tell(USAGE);
                return 1;
            }
            'v' => {
                files::tell("xxd (codepod) 0.1.0\n");
                return 0;
            }
            'c' if text.starts_with("cap") => settings.capital_name = true,
            'n' => settings.name = value(1).map(String::into_bytes),
            'c' | 'g' | 'l' | 's' | 'o' => {
                let Some(number) = value(1).as_deref().and_then(number) else {
                    files::tell(USAGE);
                    return 1;
                };
                match letter {
                    'c' => settings.columns = Some(usize::try_from(number).unwrap_or(0)),
                    'g' => settings.group = Some(usize::try_from(number).unwrap_or(0)),
                    'l' => settings.length = Some(usize::try_from(number).unwrap_or(0)),
                    's' => settings.seek = number,
                    _ => settings.offset = number,
                }
            }
            'E' | 'R' => {
                codepod_tool::complain(name, format!("option -{letter} is not supported"));
                return 1;
            }
            _ => {
                files::tell(USAGE);
                return 1;
            }
        }
    }
    if operands.len() > 2 {
        files::tell(USAGE);
        return 1;
    }
    let source = operands.first().cloned().unwrap_or_else(|| b"-".to_vec());
    let data = match files::read(&source) {
        Ok(data) => data,
        Err(error) => {
            if error.kind() == std::io::ErrorKind::IsADirectory {
                // It could be opened.
                codepod_tool::complain(name, files::why(&error));
                return 2;
            }
            let shown = String::from_utf8_lossy(&source).into_owned();
            codepod_tool::complain(name, format!("{shown}: {}", files::why(&error)));
            return 2;
        }
    };
    if settings.name.is_none() && source != b"-" {
        settings.name = Some(source);
    }
    let result = match dump(&data, &settings) {
        Ok(result) => result,
        Err(message) => {
            codepod_tool::complain(name, message);
            return 1;
        }
    };
    if let Some(target) = operands.get(1).filter(|target| *target != b"-") {
        return match std::fs::write(codepod_tool::path(target), &result) {
            Ok(()) => 0,
            Err(error) => {
                let shown = String::from_utf8_lossy(target).into_owned();
                codepod_tool::complain(name, format!("{shown}: {}", files::why(&error)));
                3
            }
        };
    }
    let mut out = Output::new();
    out.put(&result);
    i32::from(out.finish().is_err())
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
    let mut out = Vec::new();
    let plain = settings.plain;
    let default = match (plain, settings.form) {
        (true, _) => 30,
        (false, Form::Bits) => 6,
        _ => 16,
    };
    let columns = settings
        .columns
        .filter(|columns| *columns > 0)
        .unwrap_or(default);
    if columns > 256 && !plain {
        return Err("invalid number of columns (max. 256).".into());
    }
    if plain {
        let columns = if settings.columns == Some(0) {
            usize::MAX
        } else {
            columns
        };
        for line in data.chunks(columns.min(data.len().max(1))) {
            for byte in line {
                push_hex(*byte, settings.upper, &mut out);
            }
            out.push(b'\n');
        }
        return Ok(out);
    }
    let group = match (settings.group, settings.form, settings.little) {
        (Some(0), ..) => columns,
        (Some(group), ..) => group,
        (None, Form::Bits, _) => 1,
        (None, _, true) => 4,
        _ => 2,
    };
    if settings.little && !group.is_power_of_two() {
        return Err("number of octets per group must be a power of 2 with -e.".into());
    }
    let digits = if settings.form == Form::Bits { 8 } else { 2 };
    let groups = columns.div_ceil(group);
    // As wide as a full line is, with a blank behind each group and one more before the text.
    let width = if settings.little {
        groups * (group * digits + 1)
    } else {
        columns * digits + groups
    };
    let mut zeros = 0;
    let lines = data.chunks(columns).count();
    for (number, line) in data.chunks(columns).enumerate() {
        let address = (start + number * columns) as i64 + settings.offset;
        let mut text = Vec::new();
        match settings.decimal {
            true => text.extend_from_slice(format!("{address:08}: ").as_bytes()),
            false => text.extend_from_slice(format!("{address:08x}: ").as_bytes()),
        }
        let body = text.len();
        for part in line.chunks(group) {
            if settings.little {
                for _ in part.len()..group {
                    text.extend(std::iter::repeat_n(b' ', digits));
                }
                for byte in part.iter().rev() {
                    push_hex(*byte, settings.upper, &mut text);
                }
            } else {
                for byte in part {
                    match settings.form {
                        Form::Bits => text.extend_from_slice(format!("{byte:08b}").as_bytes()),
                        _ => push_hex(*byte, settings.upper, &mut text),
                    }
                }
            }
            if part.len() == group || settings.little {
                text.push(b' ');
            }
        }
        text.resize(body + width, b' ');
        text.push(b' ');
        text.extend(line.iter().map(|byte| {
            if (0x20..0x7f).contains(byte) {
                *byte
            } else {
                b'.'
            }
        }));
        text.push(b'\n');
        if settings.skip_zeros && line.iter().all(|byte| *byte == 0) && number + 1 < lines {
            zeros += 1;
            match zeros {
                1 => {}
                2 => {
                    out.extend_from_slice(b"*\n");
                    continue;
                }
                _ => continue,
            }
        } else {
            zeros = 0;
        }
        out.extend_from_slice(&text);
    }
    Ok(out)
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
