//! Numbers as YAML writes them, and as Python does.

/// An integer of YAML 1.2 as PyYAML reads it: decimal, hexadecimal, or octal behind a zero. Fails
/// with Python's words.
pub(crate) fn integer(text: &str) -> Result<String, String> {
    let plain = text.replace('_', "");
    let (sign, digits) = match plain.as_bytes().first() {
        Some(b'-') => ("-", &plain[1..]),
        Some(b'+') => ("", &plain[1..]),
        _ => ("", &plain[..]),
    };
    let (radix, digits) = if let Some(digits) = digits.strip_prefix("0b") {
        (2, digits)
    } else if let Some(digits) = digits.strip_prefix("0x") {
        (16, digits)
    } else if digits.len() > 1 && digits.starts_with('0') {
        (8, digits.strip_prefix("0o").unwrap_or(digits))
    } else {
        (10, digits)
    };
    let valid = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
    if !valid {
        return Err(format!(
            "ValueError: invalid literal for int() with base {radix}: '{text}'"
        ));
    }
    let number = match radix {
        10 => digits.to_owned(),
        _ => match u128::from_str_radix(digits, radix) {
            Ok(number) => number.to_string(),
            Err(_) => return Err(format!("ValueError: the integer '{text}' is too large")),
        },
    };
    Ok(if number == "0" {
        number
    } else {
        format!("{sign}{number}")
    })
}

/// A float of YAML as JSON. Fails where JSON has none.
pub(crate) fn float(text: &str) -> Result<String, String> {
    let plain = text.replace('_', "").to_lowercase();
    let number: f64 = match plain.trim_start_matches(['+', '-']) {
        ".inf" | ".nan" => return Err(format!("ValueError: '{text}' is no JSON number")),
        _ => plain
            .parse()
            .map_err(|_| format!("ValueError: could not convert string to float: '{text}'"))?,
    };
    if !number.is_finite() {
        return Err(format!("ValueError: '{text}' is no JSON number"));
    }
    // jq 1.7 keeps the text of numbers: whole ones as jq 1.6 shows them.
    if number.fract() == 0.0 && number.abs() < 1e17 {
        return Ok(format!("{number:.0}"));
    }
    Ok(python(number))
}

/// A float as Python's `repr` has it.
pub(crate) fn python(number: f64) -> String {
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let plain = format!("{number}");
        return if plain.contains('.') {
            plain
        } else {
            format!("{plain}.0")
        };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_python() {
        assert_eq!(integer("012").unwrap(), "10");
        assert_eq!(integer("-0x1F").unwrap(), "-31");
        assert_eq!(integer("+7").unwrap(), "7");
        assert!(integer("09").is_err());
        assert_eq!(float("1e3").unwrap(), "1000");
        assert_eq!(float("1.25").unwrap(), "1.25");
        assert!(float(".inf").is_err());
        assert_eq!(python(1e20), "1e+20");
        assert_eq!(python(0.00001), "1e-05");
        assert_eq!(python(2.0), "2.0");
    }
}
