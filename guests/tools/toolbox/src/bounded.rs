//! Numbers within bounds, as options have them: GNU's `xdectoimax`.

use codepod_tool::{Stop, quoted_text};

/// A decimal number from `least` to `most`. Fails with GNU's message, which starts with `what`.
pub(crate) fn number(text: &[u8], least: i64, most: i64, what: &str) -> Result<i64, Stop> {
    let wrong = |why: &str| {
        let message = [what.as_bytes(), b": ", &quoted_text(text), why.as_bytes()];
        Stop::Failed(message.concat())
    };
    let number = parse(text).ok_or_else(|| wrong(""))?;
    let far = i64::from(i32::MAX / 2);
    match number {
        Some(number) if (least..=most).contains(&number) => Ok(number),
        Some(number) if (-far..=far).contains(&number) => {
            Err(wrong(": Numerical result out of range"))
        }
        _ => Err(wrong(": Value too large for defined data type")),
    }
}

/// The number that a text is; `Some(None)` where it is too large for any.
fn parse(text: &[u8]) -> Option<Option<i64>> {
    let text = text.trim_ascii_start();
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    // Counted downwards, because there is one negative number more.
    let number = digits.iter().try_fold(0i64, |number, digit| {
        let more = number.checked_mul(10)?;
        more.checked_sub(i64::from(digit - b'0'))
    });
    Some(number.and_then(|number| {
        if negative {
            Some(number)
        } else {
            number.checked_neg()
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_bounds() {
        let read = |text: &[u8]| number(text, 1, 1000, "wrong");
        assert_eq!(read(b" +17"), Ok(17));
        let failed = |message: &str| Err(Stop::failed(message));
        assert_eq!(read(b"1x"), failed("wrong: '1x'"));
        assert_eq!(
            read(b"0"),
            failed("wrong: '0': Numerical result out of range")
        );
        let large = "wrong: '99999999999999999999': Value too large for defined data type";
        assert_eq!(read(b"99999999999999999999"), failed(large));
        let least = number(b"-9223372036854775808", i64::MIN, 0, "wrong");
        assert_eq!(least, Ok(i64::MIN));
    }
}
