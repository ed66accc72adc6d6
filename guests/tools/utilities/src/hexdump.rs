//! `hexdump` and `hd`: dumps in the usual forms, or by formats of one's own.

use codepod_tool::{Arguments, Opt, Options, Output, Stop, Value, complain, flag, long, value};

use crate::files;

#[derive(Debug, Clone, Copy)]
enum Key {
    Form(char),
    Length,
    Skip,
    All,
    Format,
    FormatFile,
    Color,
    Help,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Form('b'), b'b', "one-byte-octal"),
    flag(Key::Form('c'), b'c', "one-byte-char"),
    flag(Key::Form('C'), b'C', "canonical"),
    flag(Key::Form('d'), b'd', "two-bytes-decimal"),
    flag(Key::Form('o'), b'o', "two-bytes-octal"),
    flag(Key::Form('x'), b'x', "two-bytes-hex"),
    value(Key::Length, b'n', "length"),
    value(Key::Skip, b's', "skip"),
    flag(Key::All, b'v', "no-squeezing"),
    value(Key::Format, b'e', "format"),
    value(Key::FormatFile, b'f', "format-file"),
    codepod_tool::optional(Key::Color, b'L', "color"),
    long(Key::Help, "help", Value::None),
];

/// What a conversion prints.
#[derive(Debug, Clone)]
struct Conversion {
    /// What stands before it.
    before: Vec<u8>,
    flags: String,
    width: usize,
    precision: Option<usize>,
    /// `x d u o c s` or `_p` and its kin as `p`, `C` (`_c`), `U` (`_u`), `a`/`A` with the radix in
    /// `radix`.
    kind: char,
    radix: char,
}

/// One unit of a format: so many times so many bytes.
#[derive(Debug, Clone)]
struct Unit {
    times: usize,
    bytes: usize,
    conversions: Vec<Conversion>,
    after: Vec<u8>,
}

/// What the arguments ask for.
#[derive(Debug)]
struct Settings {
    forms: Vec<Vec<Unit>>,
    /// The width of the offset that stands alone at the end.
    end_width: Option<usize>,
    length: usize,
    skip: usize,
    /// Whether lines that are the same are all printed.
    all: bool,
    inputs: Vec<Vec<u8>>,
}

/// hexdump as a tool.
pub(crate) fn main(name: &str, arguments: Arguments) -> i32 {
    match settings(name, arguments) {
        Ok(settings) => print(name, &settings),
        Err(stop) => stop.report(name, 1),
    }
}

fn settings(name: &str, arguments: Arguments) -> Result<Settings, Stop> {
    let mut settings = Settings {
        forms: Vec::new(),
        end_width: None,
        length: usize::MAX,
        skip: 0,
        all: false,
        inputs: Vec::new(),
    };
    if name == "hd" {
        settings.add_form('C');
    }
    settings.inputs = Options::new(TABLE, arguments).each(|key, value| {
        let value = String::from_utf8_lossy(&value.unwrap_or_default()).into_owned();
        settings.take(key, &value)
    })?;
    if settings.forms.is_empty() {
        settings.add_form('2');
    }
    if settings.inputs.is_empty() {
        settings.inputs.push(b"-".to_vec());
    }
    Ok(settings)
}

impl Settings {
    fn take(&mut self, key: Key, value: &str) -> Result<(), Stop> {
        let number = |what: &str| {
            size(value).ok_or_else(|| Stop::failed(format!("failed to parse {what}: '{value}'")))
        };
        match key {
            Key::Form(form) => self.add_form(form),
            Key::Length => self.length = number("length")?,
            Key::Skip => self.skip = number("offset")?,
            Key::All => self.all = true,
            Key::Format => {
                let form = parse(value);
                let bad = || Stop::failed(format!("bad format {{{value}}}"));
                self.forms.push(form.ok_or_else(bad)?);
            }
            Key::FormatFile | Key::Color => {
                return Err(Stop::failed("option -f and option -L are not supported"));
            }
            Key::Help => {
                return Err(Stop::Status(files::print(
                    "Usage: hexdump [-bcCdoxv] [-e FORMAT] [-n LENGTH] [-s OFFSET] [FILE]...\n",
                )));
            }
        }
        Ok(())
    }

    /// Adds one of the usual forms. The first says how the offset at the end looks.
    fn add_form(&mut self, form: char) {
        let width = if form == 'C' { 8 } else { 7 };
        self.end_width.get_or_insert(width);
        self.forms.extend(usual(form));
    }
}

fn print(name: &str, settings: &Settings) -> i32 {
    let mut data = Vec::new();
    let mut status = 0;
    let mut opened = 0;
    for input in &settings.inputs {
        match files::read(input) {
            Ok(content) => {
                data.extend_from_slice(&content);
                opened += 1;
            }
            Err(error) => {
                let shown = String::from_utf8_lossy(input).into_owned();
                complain(name, format!("{shown}: {}", files::why(&error)));
                // A directory can be opened, and has nothing.
                match error.kind() {
                    std::io::ErrorKind::IsADirectory => opened += 1,
                    _ => status = 1,
                }
            }
        }
    }
    if opened == 0 {
        complain(name, "all input file arguments failed");
        return 1;
    }
    let start = settings.skip.min(data.len());
    let end = data.len().min(start.saturating_add(settings.length));
    let mut out = Output::new();
    out.put(&dump(&data[start..end], start, settings));
    if out.finish().is_err() { 1 } else { status }
}

/// A number with a unit, as C writes it.
fn size(text: &str) -> Option<usize> {
    let (digits, factor) = match text.as_bytes().last()? {
        b'k' | b'K' => (&text[..text.len() - 1], 1 << 10),
        b'm' | b'M' => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    let value = match digits.strip_prefix("0x") {
        Some(hex) => usize::from_str_radix(hex, 16).ok()?,
        None if digits.len() > 1 && digits.starts_with('0') => {
            usize::from_str_radix(digits, 8).ok()?
        }
        None => digits.parse().ok()?,
    };
    value.checked_mul(factor)
}

/// The formats of the options.
fn usual(form: char) -> Vec<Vec<Unit>> {
    let texts: &[&str] = match form {
        'b' => &["\"%07.7_ax \" 16/1 \"%03o \" \"\\n\""],
        'c' => &["\"%07.7_ax \" 16/1 \"%3_c \" \"\\n\""],
        'C' => &[
            "\"%08.8_ax  \" 8/1 \"%02x \" \"  \" 8/1 \"%02x \"",
            "\"  |\" 16/1 \"%_p\" \"|\\n\"",
        ],
        'd' => &["\"%07.7_ax \" 8/2 \"  %05u \" \"\\n\""],
        'o' => &["\"%07.7_ax \" 8/2 \" %06o \" \"\\n\""],
        'x' => &["\"%07.7_ax \" 8/2 \"   %04x \" \"\\n\""],
        _ => &["\"%07.7_ax \" 8/2 \"%04x \" \"\\n\""],
    };
    texts.iter().filter_map(|text| parse(text)).collect()
}

/// Reads a format: `[times][/bytes] "text"` again and again.
fn parse(text: &str) -> Option<Vec<Unit>> {
    let bytes = text.as_bytes();
    let mut units = Vec::new();
    let mut at = 0;
    loop {
        while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        if at >= bytes.len() {
            return Some(units);
        }
        let mut number = || {
            let from = at;
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            text[from..at].parse::<usize>().ok()
        };
        let times = number();
        let mut size = None;
        while bytes.get(at) == Some(&b' ') {
            at += 1;
        }
        if bytes.get(at) == Some(&b'/') {
            at += 1;
            let from = at;
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            size = text[from..at].parse().ok();
        }
        while bytes.get(at) == Some(&b' ') {
            at += 1;
        }
        if bytes.get(at) != Some(&b'"') {
            return None;
        }
        at += 1;
        let mut body = Vec::new();
        loop {
            match bytes.get(at)? {
                b'"' => break,
                b'\\' => {
                    at += 1;
                    body.push(match bytes.get(at)? {
                        b'n' => b'\n',
                        b't' => b'\t',
                        b'r' => b'\r',
                        b'0' => 0,
                        b'a' => 7,
                        other => *other,
                    });
                }
                other => body.push(*other),
            }
            at += 1;
        }
        at += 1;
        units.push(unit(&body, times.unwrap_or(1), size)?);
    }
}

fn unit(body: &[u8], times: usize, size: Option<usize>) -> Option<Unit> {
    let mut conversions = Vec::new();
    let mut before = Vec::new();
    let mut at = 0;
    while at < body.len() {
        if body[at] != b'%' {
            before.push(body[at]);
            at += 1;
            continue;
        }
        at += 1;
        if body.get(at) == Some(&b'%') {
            before.push(b'%');
            at += 1;
            continue;
        }
        let digits = |at: &mut usize| {
            let from = *at;
            while body.get(*at).is_some_and(u8::is_ascii_digit) {
                *at += 1;
            }
            String::from_utf8_lossy(&body[from..*at])
                .parse::<usize>()
                .ok()
        };
        let mut flags = String::new();
        while let Some(flag @ (b'-' | b'+' | b' ' | b'#' | b'0')) = body.get(at) {
            flags.push(char::from(*flag));
            at += 1;
        }
        let width = digits(&mut at).unwrap_or(0);
        let mut precision = None;
        if body.get(at) == Some(&b'.') {
            at += 1;
            precision = Some(digits(&mut at).unwrap_or(0));
        }
        let mut kind = char::from(*body.get(at)?);
        at += 1;
        let mut radix = 'x';
        if kind == '_' {
            kind = char::from(*body.get(at)?);
            at += 1;
            match kind {
                'a' | 'A' => {
                    radix = char::from(*body.get(at)?);
                    at += 1;
                }
                'c' => kind = 'C',
                'u' => kind = 'U',
                'p' => {}
                _ => return None,
            }
        } else if !"xXduiocs".contains(kind) {
            return None;
        }
        conversions.push(Conversion {
            before: std::mem::take(&mut before),
            flags,
            width: width.min(1000),
            precision,
            kind,
            radix,
        });
    }
    Some(Unit {
        times: times.min(100_000),
        bytes: size.unwrap_or(0),
        conversions,
        after: before,
    })
}

impl Unit {
    /// How many bytes a conversion takes.
    fn size(&self, conversion: &Conversion) -> usize {
        match (conversion.kind, self.bytes) {
            ('a' | 'A', _) => 0,
            (_, bytes @ 1..) => bytes,
            ('c' | 'C' | 'U' | 'p', _) => 1,
            ('s', _) => conversion.precision.unwrap_or(1),
            _ => 4,
        }
    }

    fn total(&self) -> usize {
        self.times
            * self
                .conversions
                .iter()
                .map(|conversion| self.size(conversion))
                .sum::<usize>()
    }
}

fn dump(data: &[u8], start: usize, settings: &Settings) -> Vec<u8> {
    let block = settings
        .forms
        .iter()
        .map(|form| form.iter().map(Unit::total).sum::<usize>())
        .max()
        .unwrap_or(0);
    let mut out = Vec::new();
    if block == 0 {
        return out;
    }
    let mut last: Option<&[u8]> = None;
    let mut squeezed = false;
    for (number, line) in data.chunks(block).enumerate() {
        if !settings.all && line.len() == block && last == Some(line) {
            if !squeezed {
                out.extend_from_slice(b"*\n");
                squeezed = true;
            }
            continue;
        }
        squeezed = false;
        last = Some(line);
        for form in &settings.forms {
            let mut at = 0;
            for unit in form {
                run(unit, line, &mut at, start + number * block, &mut out);
            }
        }
    }
    if let Some(width) = settings.end_width
        && !data.is_empty()
    {
        out.extend_from_slice(format!("{:0width$x}\n", start + data.len()).as_bytes());
    }
    out
}

fn run(unit: &Unit, line: &[u8], at: &mut usize, address: usize, out: &mut Vec<u8>) {
    for turn in 0..unit.times.max(1) {
        // The blanks behind the last of several are left out.
        let last = turn + 1 == unit.times && unit.times > 1;
        for conversion in &unit.conversions {
            out.extend_from_slice(&conversion.before);
            let size = unit.size(conversion);
            let bytes = &line[(*at).min(line.len())..(*at + size).min(line.len())];
            let text = show(conversion, bytes, size, address + *at);
            *at += size;
            let width = conversion.width.max(
                conversion
                    .precision
                    .filter(|_| conversion.kind != 's')
                    .unwrap_or(0),
            );
            if bytes.is_empty() && size > 0 {
                // Text that shows characters ends with them, the rest is blank.
                if conversion.kind != 'p' {
                    out.resize(out.len() + width, b' ');
                }
                continue;
            }
            let fill = conversion.width.saturating_sub(text.chars().count());
            let zero = conversion.flags.contains('0') && !"csCpU".contains(conversion.kind);
            if !conversion.flags.contains('-') {
                out.resize(out.len() + fill, if zero { b'0' } else { b' ' });
            }
            out.extend_from_slice(text.as_bytes());
            if conversion.flags.contains('-') {
                out.resize(out.len() + fill, b' ');
            }
        }
        let after = match last && !unit.conversions.is_empty() {
            true => unit.after.trim_ascii_end(),
            false => &unit.after,
        };
        out.extend_from_slice(after);
    }
}

fn show(conversion: &Conversion, bytes: &[u8], size: usize, address: usize) -> String {
    let mut value = 0u64;
    for (number, byte) in bytes.iter().enumerate().take(8) {
        value |= u64::from(*byte) << (8 * number);
    }
    let precise = |digits: String| match conversion.precision {
        Some(precision) => format!("{digits:0>precision$}"),
        None => digits,
    };
    match conversion.kind {
        'a' | 'A' => precise(match conversion.radix {
            'd' => address.to_string(),
            'o' => format!("{address:o}"),
            _ => format!("{address:x}"),
        }),
        'x' => precise(format!("{value:x}")),
        'X' => precise(format!("{value:X}")),
        'o' => precise(format!("{value:o}")),
        'u' => precise(value.to_string()),
        'd' | 'i' => {
            let bits = 64 - 8 * size.clamp(1, 8) as u32;
            precise((((value << bits).cast_signed()) >> bits).to_string())
        }
        'p' => bytes
            .iter()
            .map(|byte| {
                if (0x20..0x7f).contains(byte) {
                    char::from(*byte)
                } else {
                    '.'
                }
            })
            .collect(),
        'c' | 's' => bytes
            .iter()
            .filter(|byte| **byte != 0)
            .map(|byte| char::from(*byte))
            .collect(),
        'C' => match bytes.first().copied().unwrap_or(0) {
            0 => "\\0".into(),
            7 => "\\a".into(),
            8 => "\\b".into(),
            9 => "\\t".into(),
            10 => "\\n".into(),
            11 => "\\v".into(),
            12 => "\\f".into(),
            13 => "\\r".into(),
            byte @ 0x20..=0x7e => char::from(byte).to_string(),
            byte => format!("{byte:03o}"),
        },
        _ => {
            const NAMES: [&str; 33] = [
                "nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs", "ht", "lf", "vt",
                "ff", "cr", "so", "si", "dle", "dc1", "dc2", "dc3", "dc4", "nak", "syn", "etb",
                "can", "em", "sub", "esc", "fs", "gs", "rs", "us", "sp",
            ];
            match bytes.first().copied().unwrap_or(0) {
                byte @ 0..=31 => NAMES[usize::from(byte)].into(),
                127 => "del".into(),
                byte @ 0x20..=0x7e => char::from(byte).to_string(),
                byte => format!("{byte:02x}"),
            }
        }
    }
}
