//! Sizes: in blocks of some size, or for people.

use codepod_tool::{Units, human_size};

/// How sizes are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Blocks {
    /// Bytes of a unit.
    pub(crate) unit: u64,
    /// In units that grow.
    pub(crate) human: Option<Units>,
    /// What is written behind a number of units: `K` for `--block-size=K`.
    pub(crate) suffix: &'static str,
}

impl Blocks {
    /// Units of so many bytes.
    pub(crate) const fn of(unit: u64) -> Blocks {
        Blocks {
            unit,
            human: None,
            suffix: "",
        }
    }

    /// For people: `-h`.
    pub(crate) const HUMAN: Blocks = Blocks {
        unit: 1,
        human: Some(Units::Binary),
        suffix: "",
    };
    /// For people, by 1000: `--si`.
    pub(crate) const SI: Blocks = Blocks {
        unit: 1,
        human: Some(Units::Decimal),
        suffix: "",
    };

    /// What `--block-size` and the like say. Fails when it is no size.
    pub(crate) fn parse(text: &[u8]) -> Option<Blocks> {
        let text = std::str::from_utf8(text).ok()?;
        let text = text.strip_prefix('\'').unwrap_or(text);
        match text {
            "human-readable" => return Some(Blocks::HUMAN),
            "si" => return Some(Blocks::SI),
            _ => {}
        }
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let number: u64 = if digits == 0 {
            1
        } else {
            text[..digits].parse().ok()?
        };
        let rest = &text[digits..];
        let (unit, suffix) = units(rest)?;
        let unit = number.checked_mul(unit)?;
        if unit == 0 {
            return None;
        }
        Some(Blocks {
            unit,
            human: None,
            suffix: if digits == 0 { suffix } else { "" },
        })
    }

    /// A number of bytes.
    pub(crate) fn show(&self, bytes: u64) -> String {
        match self.human {
            Some(units) => human_size(bytes, units),
            None => format!("{}{}", bytes.div_ceil(self.unit), self.suffix),
        }
    }
}

/// Bytes of a suffix like `K`, `KiB` or `MB`, and what is shown for it.
fn units(text: &str) -> Option<(u64, &'static str)> {
    if text.is_empty() {
        return Some((1, ""));
    }
    const LETTERS: &str = "KMGTPE";
    let letter = text.chars().next()?.to_ascii_uppercase();
    let power = LETTERS.find(letter)? as u32 + 1;
    let shown = |binary: bool| {
        let index = power as usize - 1;
        if binary {
            ["K", "M", "G", "T", "P", "E"][index]
        } else {
            ["kB", "MB", "GB", "TB", "PB", "EB"][index]
        }
    };
    match &text[1..] {
        "" | "iB" => Some((1024u64.checked_pow(power)?, shown(true))),
        "B" => Some((1000u64.checked_pow(power)?, shown(false))),
        _ => None,
    }
}
