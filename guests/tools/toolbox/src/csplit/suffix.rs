//! The suffix of a name: a number in the form of `-b`, which is one of C's `printf`.

/// The widest number. No system has names of this length.
const WIDEST: usize = 1 << 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base {
    Decimal,
    Octal,
    Lower,
    Upper,
}

/// How a number becomes a suffix.
#[derive(Debug)]
pub(super) struct Suffix {
    before: Vec<u8>,
    after: Vec<u8>,
    base: Base,
    is_left: bool,
    has_zeros: bool,
    has_prefix: bool,
    width: usize,
    precision: Option<usize>,
}

impl Suffix {
    /// At least so many decimal digits.
    pub(super) fn of_digits(count: usize) -> Suffix {
        Suffix {
            before: Vec::new(),
            after: Vec::new(),
            base: Base::Decimal,
            is_left: false,
            has_zeros: true,
            has_prefix: false,
            width: count.min(WIDEST),
            precision: None,
        }
    }

    /// What a format asks for. Fails with a message.
    pub(super) fn parse(format: &[u8]) -> Result<Suffix, Vec<u8>> {
        let mut found: Option<Suffix> = None;
        let mut text = Vec::new();
        let mut rest = format;
        while let [byte, behind @ ..] = rest {
            rest = behind;
            match (byte, behind) {
                (b'%', [b'%', behind @ ..]) => {
                    text.push(b'%');
                    rest = behind;
                }
                (b'%', _) if found.is_some() => {
                    return Err(b"too many % conversion specifications in suffix".to_vec());
                }
                (b'%', _) => {
                    let (mut suffix, behind) = specification(behind)?;
                    suffix.before = std::mem::take(&mut text);
                    found = Some(suffix);
                    rest = behind;
                }
                _ => text.push(*byte),
            }
        }
        let Some(mut suffix) = found else {
            return Err(b"missing % conversion specification in suffix".to_vec());
        };
        suffix.after = text;
        Ok(suffix)
    }

    /// The suffix of a number.
    pub(super) fn of(&self, number: u64) -> Vec<u8> {
        let digits = match (self.base, self.precision, number) {
            (_, Some(0), 0) => String::new(),
            (Base::Decimal, ..) => number.to_string(),
            (Base::Octal, ..) => format!("{number:o}"),
            (Base::Lower, ..) => format!("{number:x}"),
            (Base::Upper, ..) => format!("{number:X}"),
        };
        let mut zeros = self.precision.unwrap_or(0).saturating_sub(digits.len());
        let prefix = match self.base {
            Base::Lower if self.has_prefix && number > 0 => "0x",
            Base::Upper if self.has_prefix && number > 0 => "0X",
            _ => "",
        };
        if self.base == Base::Octal && self.has_prefix && zeros == 0 && !digits.starts_with('0') {
            zeros = 1;
        }
        let length = prefix.len() + zeros + digits.len();
        let spare = self.width.saturating_sub(length);
        let (mut left, mut right) = (0, 0);
        if self.is_left {
            right = spare;
        } else if self.has_zeros && self.precision.is_none() {
            zeros += spare;
        } else {
            left = spare;
        }
        let mut name = self.before.clone();
        name.resize(name.len() + left, b' ');
        name.extend_from_slice(prefix.as_bytes());
        name.resize(name.len() + zeros, b'0');
        name.extend_from_slice(digits.as_bytes());
        name.resize(name.len() + right, b' ');
        name.extend_from_slice(&self.after);
        name
    }
}

/// Reads what stands behind `%`: flags, a width, a precision, and a letter.
fn specification(mut rest: &[u8]) -> Result<(Suffix, &[u8]), Vec<u8>> {
    let mut suffix = Suffix {
        has_zeros: false,
        ..Suffix::of_digits(0)
    };
    let mut is_grouped = false;
    while let [byte @ (b'-' | b'0' | b'\'' | b'#'), behind @ ..] = rest {
        match byte {
            b'-' => suffix.is_left = true,
            b'0' => suffix.has_zeros = true,
            b'\'' => is_grouped = true,
            _ => suffix.has_prefix = true,
        }
        rest = behind;
    }
    (suffix.width, rest) = number(rest)?;
    if let [b'.', behind @ ..] = rest {
        let (precision, behind) = number(behind)?;
        suffix.precision = Some(precision);
        rest = behind;
    }
    let [letter, behind @ ..] = rest else {
        return Err(b"missing conversion specifier in suffix".to_vec());
    };
    suffix.base = match letter {
        b'd' | b'i' | b'u' => Base::Decimal,
        b'o' => Base::Octal,
        b'x' => Base::Lower,
        b'X' => Base::Upper,
        b' '..=b'~' => {
            return Err([b"invalid conversion specifier in suffix: ", &[*letter][..]].concat());
        }
        _ => {
            let message = format!("invalid conversion specifier in suffix: \\{letter:03o}");
            return Err(message.into_bytes());
        }
    };
    let wrong_flag = match suffix.base {
        Base::Decimal => suffix.has_prefix.then_some(b'#'),
        _ => is_grouped.then_some(b'\''),
    };
    if let Some(flag) = wrong_flag {
        let message = b"invalid flags in conversion specification: %";
        return Err([&message[..], &[flag, *letter]].concat());
    }
    Ok((suffix, behind))
}

/// A number and what follows it; 0 where there is none.
fn number(text: &[u8]) -> Result<(usize, &[u8]), Vec<u8>> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(digits);
    let number = digits.iter().try_fold(0i32, |number, digit| {
        number.checked_mul(10)?.checked_add(i32::from(digit - b'0'))
    });
    match number {
        Some(number) => Ok(((number as usize).min(WIDEST), rest)),
        None => Err(b"memory exhausted".to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::Suffix;

    #[test]
    fn numbers_take_the_forms_of_printf() {
        for (format, number, wanted) in [
            ("%d", 7, "7"),
            ("%03x", 255, "0ff"),
            ("%-5d|", 1, "1    |"),
            ("%#x", 1, "0x1"),
            ("%#06X", 10, "0X000A"),
            ("%#o", 8, "010"),
            ("%#o", 0, "0"),
            ("%5.3u", 1, "  001"),
            ("%.0d", 0, ""),
            ("%%%i%%", 3, "%3%"),
        ] {
            let suffix = Suffix::parse(format.as_bytes()).unwrap();
            assert_eq!(suffix.of(number), wanted.as_bytes(), "{format}");
        }
    }
}
