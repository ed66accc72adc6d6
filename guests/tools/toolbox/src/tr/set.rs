//! Sets of `tr`: what a string like `a-z[:digit:][x*3]` means.

use codepod_tool::{complain, quoted_text};

/// A byte, and how often it stands there one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) byte: u8,
    pub(super) count: u64,
}

/// What a string means, in order.
#[derive(Debug, Default)]
pub(super) struct Set {
    pub(super) runs: Vec<Run>,
    /// How many `[c*]` there are, and which run the last of them is. Its count is 0 until the
    /// length of the other set is known.
    pub(super) open_repeats: usize,
    open_run: usize,
    pub(super) has_equivalence: bool,
    pub(super) has_class: bool,
    /// Whether there is a class besides `[:lower:]` and `[:upper:]`.
    pub(super) has_other_class: bool,
    pub(super) ends_with_class: bool,
    /// Runs that `[:lower:]` or `[:upper:]` start at, and after [`Set::close_repeats`] bytes.
    case_runs: Vec<usize>,
    pub(super) cases: Vec<u64>,
}

/// A byte of a string, and whether it means itself because of a backslash.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Letter {
    byte: u8,
    escaped: bool,
}

impl Letter {
    fn is(self, byte: u8) -> bool {
        self.byte == byte && !self.escaped
    }
}

/// The largest count of `[c*n]`.
const MOST: u64 = u64::MAX / 2;

type ClassTest = fn(&u8) -> bool;

const CLASSES: &[(&[u8], ClassTest)] = &[
    (b"alnum", u8::is_ascii_alphanumeric),
    (b"alpha", u8::is_ascii_alphabetic),
    (b"blank", |byte| matches!(byte, b' ' | b'\t')),
    (b"cntrl", u8::is_ascii_control),
    (b"digit", u8::is_ascii_digit),
    (b"graph", u8::is_ascii_graphic),
    (b"lower", u8::is_ascii_lowercase),
    (b"print", |byte| matches!(byte, b' '..=b'~')),
    (b"punct", u8::is_ascii_punctuation),
    (b"space", |byte| matches!(byte, b'\t'..=b'\r' | b' ')),
    (b"upper", u8::is_ascii_uppercase),
    (b"xdigit", u8::is_ascii_hexdigit),
];

impl Set {
    /// Reads a string. Fails with a message where it is wrong.
    pub(super) fn parse(tool: &str, text: &[u8]) -> Result<Set, Vec<u8>> {
        let letters = letters(tool, text);
        let mut set = Set::default();
        let mut rest = &letters[..];
        while let [first, second, third, ..] = *rest {
            set.ends_with_class = false;
            let bracket = if first.is(b'[') {
                set.bracket(rest)?
            } else {
                None
            };
            rest = if let Some(length) = bracket {
                &rest[length..]
            } else if second.is(b'-') {
                set.range(first.byte, third.byte)?;
                &rest[3..]
            } else {
                set.push(first.byte, 1);
                &rest[1..]
            };
        }
        for letter in rest {
            set.ends_with_class = false;
            set.push(letter.byte, 1);
        }
        set.find_cases();
        Ok(set)
    }

    fn push(&mut self, byte: u8, count: u64) {
        self.runs.push(Run { byte, count });
    }

    fn range(&mut self, first: u8, last: u8) -> Result<(), Vec<u8>> {
        if first > last {
            return Err(format!(
                "range-endpoints of '{}-{}' are in reverse collating sequence order",
                shown(first),
                shown(last)
            )
            .into());
        }
        (first..=last).for_each(|byte| self.push(byte, 1));
        Ok(())
    }

    /// Takes `[:class:]`, `[=c=]` or `[c*n]`, which the letters start with. Returns its length, or
    /// none where it is only a bracket.
    fn bracket(&mut self, letters: &[Letter]) -> Result<Option<usize>, Vec<u8>> {
        let kind = letters[1];
        if kind.is(b':') || kind.is(b'=') {
            let inner = &letters[2..];
            let close = |pair: &[Letter]| pair[0].is(kind.byte) && pair[1].is(b']');
            if let Some(length) = inner.windows(2).position(close) {
                let name: Vec<u8> = inner[..length].iter().map(|letter| letter.byte).collect();
                let known = match kind.byte {
                    b':' => self.class(&name),
                    _ => self.equivalence(&name),
                };
                match known {
                    Ok(()) => return Ok(Some(length + 4)),
                    // `[:*3]` is three colons.
                    Err(_) if !name.is_empty() && is_repeat(inner) => {}
                    Err(message) => return Err(message),
                }
            }
        }
        self.repeat(letters)
    }

    fn class(&mut self, name: &[u8]) -> Result<(), Vec<u8>> {
        if name.is_empty() {
            return Err(b"missing character class name '[::]'".to_vec());
        }
        let Some((name, test)) = CLASSES.iter().find(|(known, _)| *known == name) else {
            return Err([b"invalid character class ", &quoted_text(name)[..]].concat());
        };
        if matches!(*name, b"lower" | b"upper") {
            self.case_runs.push(self.runs.len());
        } else {
            self.has_other_class = true;
        }
        self.has_class = true;
        self.ends_with_class = true;
        let members = (0..=255).filter(test);
        members.for_each(|byte| self.push(byte, 1));
        Ok(())
    }

    fn equivalence(&mut self, name: &[u8]) -> Result<(), Vec<u8>> {
        match *name {
            [] => Err(b"missing equivalence class character '[==]'".to_vec()),
            [byte] => {
                self.has_equivalence = true;
                self.push(byte, 1);
                Ok(())
            }
            _ => {
                let name: String = name.iter().map(|byte| shown_in_text(*byte)).collect();
                let message =
                    format!("{name}: equivalence class operand must be a single character");
                Err(message.into())
            }
        }
    }

    fn repeat(&mut self, letters: &[Letter]) -> Result<Option<usize>, Vec<u8>> {
        if !letters[2].is(b'*') {
            return Ok(None);
        }
        let Some(length) = letters[3..].iter().position(|letter| letter.is(b']')) else {
            return Ok(None);
        };
        let digits: Vec<u8> = letters[3..3 + length].iter().map(|l| l.byte).collect();
        let Some(count) = repeat_count(&digits) else {
            let start = b"invalid repeat count ";
            return Err([&start[..], &quoted_text(&digits), b" in [c*n] construct"].concat());
        };
        if count == 0 {
            self.open_repeats += 1;
            self.open_run = self.runs.len();
        }
        self.push(letters[1].byte, count);
        Ok(Some(length + 4))
    }

    /// How many bytes the set has, those that it has twice counted twice.
    pub(super) fn length(&self) -> u64 {
        self.runs
            .iter()
            .fold(0, |length: u64, run| length.saturating_add(run.count))
    }

    /// Which bytes are in the set.
    pub(super) fn members(&self) -> [bool; 256] {
        let mut members = [false; 256];
        for run in self.runs.iter().filter(|run| run.count > 0) {
            members[usize::from(run.byte)] = true;
        }
        members
    }

    /// Turns the set into that of all other bytes.
    pub(super) fn complement(&mut self) {
        let members = self.members();
        self.runs = (0..=255)
            .filter(|byte| !members[usize::from(*byte)])
            .map(|byte| Run { byte, count: 1 })
            .collect();
    }

    /// Makes `[c*]` as long as it has to be for the set to have `length` bytes.
    pub(super) fn close_repeats(&mut self, length: u64) -> Result<(), &'static str> {
        if self.open_repeats > 1 {
            return Err("only one [c*] repeat construct may appear in string2");
        }
        if self.open_repeats == 1 {
            self.runs[self.open_run].count = length.saturating_sub(self.length());
            self.find_cases();
        }
        Ok(())
    }

    /// Fails where there is a `[c*]`.
    pub(super) fn forbid_open_repeats(&self) -> Result<(), &'static str> {
        match self.open_repeats {
            0 => Ok(()),
            1 => Err("the [c*] construct may appear in string2 only when translating"),
            _ => Err("only one [c*] repeat construct may appear in string2"),
        }
    }

    fn find_cases(&mut self) {
        let starts = self.case_runs.iter().map(|run| {
            let before = self.runs[..*run].iter();
            before.fold(0, |length: u64, run| length.saturating_add(run.count))
        });
        self.cases = starts.collect();
    }
}

/// Whether letters begin with `*`, digits and a bracket.
fn is_repeat(letters: &[Letter]) -> bool {
    let Some((star, rest)) = letters.split_first() else {
        return false;
    };
    let digits = rest.iter().take_while(|l| l.byte.is_ascii_digit());
    star.is(b'*') && rest.get(digits.count()).is_some_and(|l| l.is(b']'))
}

/// The count of a repeat: octal where it starts with 0, and 0 where it is left out.
fn repeat_count(digits: &[u8]) -> Option<u64> {
    let base = if digits.starts_with(b"0") { 8 } else { 10 };
    let count = digits.iter().try_fold(0u64, |count, digit| {
        let digit = char::from(*digit).to_digit(base)?;
        count
            .checked_mul(u64::from(base))?
            .checked_add(u64::from(digit))
    });
    count.filter(|count| *count <= MOST)
}

/// The bytes of a string, with its backslashes read.
fn letters(tool: &str, text: &[u8]) -> Vec<Letter> {
    let mut letters = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        let mut letter = Letter {
            byte,
            escaped: false,
        };
        if byte == b'\\' {
            letter.escaped = true;
            let Some((&byte, behind)) = rest.split_first() else {
                complain(
                    tool,
                    "warning: an unescaped backslash at end of string is not portable",
                );
                letter.escaped = false;
                letters.push(letter);
                break;
            };
            rest = behind;
            letter.byte = match byte {
                b'a' => 7,
                b'b' => 8,
                b'f' => 12,
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'v' => 11,
                b'0'..=b'7' => {
                    let (byte, length) = octal(tool, &text[text.len() - rest.len() - 1..]);
                    rest = &rest[length - 1..];
                    byte
                }
                _ => byte,
            };
        }
        letters.push(letter);
    }
    letters
}

/// The byte of up to three octal digits, and how many there are. Warns where three are too many.
fn octal(tool: &str, text: &[u8]) -> (u8, usize) {
    let digits = text.iter().take(3);
    let digits = digits
        .take_while(|byte| matches!(byte, b'0'..=b'7'))
        .count();
    let value = |digits: &[u8]| {
        let add = |value: u32, digit: &u8| value * 8 + u32::from(digit - b'0');
        digits.iter().fold(0, add)
    };
    match u8::try_from(value(&text[..digits])) {
        Ok(byte) => (byte, digits),
        Err(_) => {
            let [first, second, third] = [text[0], text[1], text[2]].map(char::from);
            complain(
                tool,
                format!(
                    "warning: the ambiguous octal escape \\{first}{second}{third} is being\n\
                     \tinterpreted as the 2-byte sequence \\0{first}{second}, {third}"
                ),
            );
            (value(&text[..2]) as u8, 2)
        }
    }
}

/// A byte as messages about ranges show it.
fn shown(byte: u8) -> String {
    match byte {
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\{byte:03o}"),
    }
}

/// A byte as messages about texts show it.
fn shown_in_text(byte: u8) -> String {
    match byte {
        b'\\' => "\\\\".to_owned(),
        7..=13 => format!("\\{}", char::from(b"abtnvfr"[usize::from(byte) - 7])),
        _ => shown(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &[u8]) -> Vec<u8> {
        let set = Set::parse("tr", text).unwrap();
        let runs = set.runs.iter();
        runs.flat_map(|run| vec![run.byte; run.count as usize])
            .collect()
    }

    #[test]
    fn strings_mean_bytes() {
        assert_eq!(bytes(b"a-c-e"), b"abc-e");
        assert_eq!(bytes(b"[:digit:]x"), b"0123456789x");
        assert_eq!(bytes(b"[a-c]"), b"[abc]");
        assert_eq!(bytes(b"[x*3][y*010]"), b"xxxyyyyyyyy");
        assert_eq!(bytes(b"[:*3]"), b":::");
        assert_eq!(bytes(b"[=]=]"), b"]");
        assert_eq!(bytes(b"\\1234\\-z"), b"S4-z");
        assert_eq!(bytes(b"[:alpha:"), b"[:alpha:");
    }
}
