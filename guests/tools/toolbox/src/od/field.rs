//! Units of input in one format, side by side.

use super::float;
use super::format::{Format, Kind};

/// The names of the characters below the space.
const NAMES: [&[u8; 3]; 33] = [
    b"nul", b"soh", b"stx", b"etx", b"eot", b"enq", b"ack", b"bel", b" bs", b" ht", b" nl", b" vt",
    b" ff", b" cr", b" so", b" si", b"dle", b"dc1", b"dc2", b"dc3", b"dc4", b"nak", b"syn", b"etb",
    b"can", b" em", b"sub", b"esc", b" fs", b" gs", b" rs", b" us", b" sp",
];

/// One format of a dump.
pub(super) struct Column {
    format: Format,
    /// How wide every unit of a line is, with the blanks before it.
    widths: Vec<usize>,
    pub(super) is_big_endian: bool,
    /// What is printed for a byte, where the unit is one.
    bytes: Vec<[u8; 3]>,
}

impl Column {
    /// A format in lines of `width` bytes, of which the widest format makes `widest` columns.
    pub(super) fn new(format: Format, width: usize, widest: usize) -> Column {
        let count = width / format.size;
        let spare = widest - format.width() * count;
        // The spare columns are spread evenly.
        let behind = |units: usize| (spare as u128 * units as u128 / count as u128) as usize;
        let widths = (0..count)
            .map(|place| {
                let units = count - place;
                format.width() + behind(units) - behind(units - 1)
            })
            .collect();
        let text = match format {
            Format {
                kind: Kind::Named, ..
            } => Some(named as fn(u8) -> [u8; 3]),
            Format {
                kind: Kind::Character,
                ..
            } => Some(character as fn(u8) -> [u8; 3]),
            Format {
                kind: Kind::Octal,
                size: 1,
                ..
            } => Some(octal as fn(u8) -> [u8; 3]),
            _ => None,
        };
        Column {
            format,
            widths,
            is_big_endian: false,
            bytes: text.map_or_else(Vec::new, |text| (0..=255).map(text).collect()),
        }
    }

    /// Adds a block, of which `length` bytes are input.
    pub(super) fn add(&self, block: &[u8], length: usize, line: &mut Vec<u8>) {
        let units =
            block[..length.next_multiple_of(self.format.size)].chunks_exact(self.format.size);
        let count = units.len();
        let units = units.zip(&self.widths);
        match self.format.kind {
            _ if !self.bytes.is_empty() => {
                for (unit, width) in units {
                    blanks(width - 3, line);
                    line.extend_from_slice(&self.bytes[usize::from(unit[0])]);
                }
            }
            Kind::Hexadecimal => {
                for (unit, width) in units {
                    self.digits(unit, 4, *width, line);
                }
            }
            Kind::Octal => {
                for (unit, width) in units {
                    self.digits(unit, 3, *width, line);
                }
            }
            Kind::Signed | Kind::Unsigned => {
                for (unit, width) in units {
                    self.decimal(unit, *width, line);
                }
            }
            Kind::Float | Kind::Named | Kind::Character => {
                for (unit, width) in units {
                    let text = float::text(unit, self.is_big_endian);
                    blanks(width.saturating_sub(text.len()), line);
                    line.extend_from_slice(text.as_bytes());
                }
            }
        }
        if self.format.has_text {
            blanks(self.widths[count..].iter().sum(), line);
            line.extend_from_slice(b"  >");
            line.extend(block[..length].iter().map(|byte| match byte {
                b' '..=b'~' => *byte,
                _ => b'.',
            }));
            line.push(b'<');
        }
    }

    /// The number that a unit is.
    fn number(&self, unit: &[u8]) -> u64 {
        let add = |number: u64, byte: &u8| (number << 8) | u64::from(*byte);
        if self.is_big_endian {
            unit.iter().fold(0, add)
        } else {
            unit.iter().rev().fold(0, add)
        }
    }

    /// A unit as digits of so many bits each, as many as the largest number has.
    fn digits(&self, unit: &[u8], bits: u32, width: usize, line: &mut Vec<u8>) {
        let mut number = self.number(unit);
        let start = line.len();
        blanks(width, line);
        let count = self.format.width();
        for digit in line[start + width - count..].iter_mut().rev() {
            *digit = b"0123456789abcdef"[(number & ((1 << bits) - 1)) as usize];
            number >>= bits;
        }
    }

    fn decimal(&self, unit: &[u8], width: usize, line: &mut Vec<u8>) {
        let number = self.number(unit);
        let unused = 64 - 8 * unit.len() as u32;
        let (is_negative, mut number) = if self.format.kind == Kind::Signed {
            let signed = (number << unused).cast_signed() >> unused;
            (signed < 0, signed.unsigned_abs())
        } else {
            (false, number)
        };
        let start = line.len();
        blanks(width, line);
        let mut places = line[start..].iter_mut().rev();
        for place in places.by_ref() {
            *place = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        if is_negative && let Some(place) = places.next() {
            *place = b'-';
        }
    }
}

fn blanks(count: usize, line: &mut Vec<u8>) {
    line.resize(line.len() + count, b' ');
}

fn named(byte: u8) -> [u8; 3] {
    match byte & 0x7f {
        0x7f => *b"del",
        byte @ 0..=32 => *NAMES[usize::from(byte)],
        byte => [b' ', b' ', byte],
    }
}

fn character(byte: u8) -> [u8; 3] {
    match byte {
        0 => *b" \\0",
        7 => *b" \\a",
        8 => *b" \\b",
        9 => *b" \\t",
        10 => *b" \\n",
        11 => *b" \\v",
        12 => *b" \\f",
        13 => *b" \\r",
        b' '..=b'~' => [b' ', b' ', byte],
        _ => octal(byte),
    }
}

fn octal(byte: u8) -> [u8; 3] {
    [6, 3, 0].map(|shift| b'0' + ((byte >> shift) & 7))
}
