//! Numbers with a suffix that multiplies them: `10K`, `2MB`.

/// Why a text is no amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// It is no number, or has an unknown suffix.
    Invalid,
    /// It is more than fits.
    TooLarge,
}

impl Wrong {
    /// What a message says behind the text.
    pub(crate) fn text(self) -> &'static [u8] {
        match self {
            Wrong::Invalid => b"",
            Wrong::TooLarge => b": Value too large for defined data type",
        }
    }
}

/// The amount that digits and a suffix say. `letters` are the suffixes there are: a power of 1024
/// alone or with `iB`, of 1000 with `B`; `c` and `B` are bytes and `b` blocks of 512. A suffix
/// alone is one of it.
pub(crate) fn parse(text: &[u8], letters: &[u8]) -> Result<u64, Wrong> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, suffix) = text.split_at(digits);
    if digits.is_empty() && (suffix.is_empty() || letters.is_empty()) {
        return Err(Wrong::Invalid);
    }
    let unit = unit(suffix, letters)?;
    let number = if digits.is_empty() {
        Some(1)
    } else {
        digits.iter().try_fold(0u64, |number, digit| {
            number.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
        })
    };
    match (number, unit) {
        (Some(0), _) => Ok(0),
        (Some(number), Some(unit)) => number.checked_mul(unit).ok_or(Wrong::TooLarge),
        _ => Err(Wrong::TooLarge),
    }
}

/// What a suffix multiplies by; none where that is more than fits.
fn unit(suffix: &[u8], letters: &[u8]) -> Result<Option<u64>, Wrong> {
    let [letter, rest @ ..] = suffix else {
        return Ok(Some(1));
    };
    if !letters.contains(letter) {
        return Err(Wrong::Invalid);
    }
    let power = match letter {
        b'c' | b'B' if rest.is_empty() => return Ok(Some(1)),
        b'b' if rest.is_empty() => return Ok(Some(512)),
        _ => b"KMGTPEZY"
            .iter()
            .position(|known| *known == letter.to_ascii_uppercase())
            .ok_or(Wrong::Invalid)?,
    };
    let base: u64 = match rest {
        b"" | b"iB" => 1024,
        b"B" => 1000,
        _ => return Err(Wrong::Invalid),
    };
    Ok(base.checked_pow(power as u32 + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_multiply_and_too_much_is_told_apart() {
        assert_eq!(parse(b"3", b"K"), Ok(3));
        assert_eq!(parse(b"2K", b"K"), Ok(2048));
        assert_eq!(parse(b"K", b"K"), Ok(1024));
        assert_eq!(parse(b"1KB", b"K"), Ok(1000));
        assert_eq!(parse(b"0Y", b"Y"), Ok(0));
        assert_eq!(parse(b"1Y", b"Y"), Err(Wrong::TooLarge));
        assert_eq!(parse(b"1b", b"K"), Err(Wrong::Invalid));
        assert_eq!(parse(b"99999999999999999999", b""), Err(Wrong::TooLarge));
        assert_eq!(parse(b"", b"K"), Err(Wrong::Invalid));
        assert_eq!(parse(b"1 ", b"K"), Err(Wrong::Invalid));
    }
}
