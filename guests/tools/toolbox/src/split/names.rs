//! Names of pieces: a prefix and a suffix that counts.

use codepod_tool::{Stop, Usage, quoted_text};

/// What suffixes are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alphabet {
    Letters,
    Decimal,
    Hexadecimal,
}

impl Alphabet {
    fn symbols(self) -> &'static [u8] {
        match self {
            Alphabet::Letters => b"abcdefghijklmnopqrstuvwxyz",
            Alphabet::Decimal => b"0123456789",
            Alphabet::Hexadecimal => b"0123456789abcdef",
        }
    }

    /// The first suffix, as an option has it, without leading zeros.
    pub(super) fn start(self, text: &[u8]) -> Result<Vec<u8>, Stop> {
        if text.iter().all(|byte| self.symbols().contains(byte)) {
            let zeros = text.iter().take_while(|byte| **byte == b'0').count();
            return Ok(text[zeros..].to_vec());
        }
        let kind: &[u8] = match self {
            Alphabet::Hexadecimal => b"hexadecimal",
            _ => b"numerical",
        };
        let middle = b": invalid start value for ";
        let message = [&quoted_text(text)[..], middle, kind, b" suffix"].concat();
        Err(Usage::new(message).into())
    }
}

/// What the arguments say of suffixes.
pub(super) struct Suffix {
    pub(super) alphabet: Alphabet,
    /// The first one.
    pub(super) start: Option<Vec<u8>>,
    /// How long they are; 0 for as long as needed.
    pub(super) length: usize,
    /// What stands behind them.
    pub(super) additional: Vec<u8>,
}

/// The names, one after the other.
pub(super) struct Names {
    prefix: Vec<u8>,
    symbols: &'static [u8],
    /// The places in `symbols` of the suffix that comes next; none when there are no more.
    next: Option<Vec<u8>>,
    /// Whether suffixes become longer instead of running out.
    widens: bool,
    additional: Vec<u8>,
}

/// The shortest suffix where none is asked for.
const LENGTH: usize = 2;
/// The longest suffix. No system has names of this length.
const LONGEST: usize = 1 << 16;

impl Names {
    /// The names with a prefix. `count` says how many there will be, if that is known.
    pub(super) fn new(suffix: Suffix, prefix: Vec<u8>, count: Option<u64>) -> Result<Names, Stop> {
        let symbols = suffix.alphabet.symbols();
        let start = suffix.start.as_deref().unwrap_or_default();
        let needed = count.map_or(0, |count| needed(count, start, symbols.len() as u64));
        let widens = suffix.length == 0 && count.is_none() && suffix.start.is_none();
        let length = match suffix.length {
            0 => needed.max(LENGTH),
            length if length < needed => {
                let message = format!("the suffix length needs to be at least {needed}");
                return Err(Stop::failed(message));
            }
            length => length.min(LONGEST),
        };
        if start.len() > length {
            let message = "numerical suffix start value is too large for the suffix length";
            return Err(Usage::new(message).into());
        }
        let mut next = vec![0; length];
        for (place, byte) in next[length - start.len()..].iter_mut().zip(start) {
            let found = symbols.iter().position(|symbol| symbol == byte);
            *place = found.unwrap_or(0) as u8;
        }
        Ok(Names {
            prefix,
            symbols,
            next: Some(next),
            widens,
            additional: suffix.additional,
        })
    }

    /// The next name.
    pub(super) fn take(&mut self) -> Result<Vec<u8>, Stop> {
        let Some(places) = &mut self.next else {
            return Err(Stop::failed("output file suffixes exhausted"));
        };
        let suffix = places.iter().map(|place| self.symbols[usize::from(*place)]);
        let name: Vec<u8> = self.prefix.iter().copied().chain(suffix).collect();
        let last = self.symbols.len() as u8 - 1;
        let more = places.iter_mut().rev().any(|place| {
            *place = if *place == last { 0 } else { *place + 1 };
            *place > 0
        });
        if self.widens && places.first() == Some(&last) {
            // The last symbol begins all longer suffixes, so that names stay in order.
            self.prefix.push(self.symbols[usize::from(last)]);
            *places = vec![0; places.len() + 1];
        } else if !more {
            self.next = None;
        }
        Ok([&name[..], &self.additional].concat())
    }
}

/// How long suffixes of so many names are.
fn needed(count: u64, start: &[u8], base: u64) -> usize {
    let first = std::str::from_utf8(start)
        .ok()
        .and_then(|start| u64::from_str_radix(start, base.min(36) as u32).ok());
    // As with GNU, a start beyond the number of pieces does not make suffixes longer.
    let first = first.filter(|first| *first < count).unwrap_or(0);
    let mut last = (count - 1).saturating_add(first);
    let mut length = 1;
    while last >= base {
        last /= base;
        length += 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(alphabet: Alphabet, start: Option<&str>, length: usize) -> Names {
        let suffix = Suffix {
            alphabet,
            start: start.map(|start| start.as_bytes().to_vec()),
            length,
            additional: Vec::new(),
        };
        Names::new(suffix, b"x".to_vec(), None).unwrap()
    }

    #[test]
    fn suffixes_become_longer_and_stay_in_order() {
        let mut names = names(Alphabet::Letters, None, 0);
        let all: Vec<Vec<u8>> = (0..20_000).map(|_| names.take().unwrap()).collect();
        assert_eq!(all[649], b"xyz");
        assert_eq!(all[650], b"xzaaa");
        assert_eq!(all[19_999], b"xzzadqf");
        assert!(all.is_sorted());
    }

    #[test]
    fn suffixes_of_a_length_run_out() {
        let mut names = names(Alphabet::Decimal, Some("8"), 1);
        assert_eq!(names.take(), Ok(b"x8".to_vec()));
        assert_eq!(names.take(), Ok(b"x9".to_vec()));
        assert!(names.take().is_err());
    }
}
