//! Permission bits: as `ls` shows them, and as `chmod` takes them.

use crate::system::{BLOCK_DEVICE, SOCKET, mode as kind};

/// Whether these type and permission bits are a directory's.
pub(crate) fn is_directory(mode: u32) -> bool {
    mode & kind::TYPE_MASK == kind::DIRECTORY
}

/// Whether they are a symbolic link's.
pub(crate) fn is_link(mode: u32) -> bool {
    mode & kind::TYPE_MASK == 0o120_000
}

/// Whether they are a device's.
pub(crate) fn is_device(mode: u32) -> bool {
    matches!(
        mode & kind::TYPE_MASK,
        BLOCK_DEVICE | kind::CHARACTER_DEVICE
    )
}

/// `drwxr-xr-x`.
pub(crate) fn text(mode: u32) -> String {
    let letter = match mode & kind::TYPE_MASK {
        kind::DIRECTORY => 'd',
        0o120_000 => 'l',
        kind::CHARACTER_DEVICE => 'c',
        BLOCK_DEVICE => 'b',
        kind::FIFO => 'p',
        SOCKET => 's',
        kind::REGULAR => '-',
        _ => '?',
    };
    let mut out = String::from(letter);
    for (shift, special, lower, upper) in [
        (6, 0o4000, 's', 'S'),
        (3, 0o2000, 's', 'S'),
        (0, 0o1000, 't', 'T'),
    ] {
        let bits = mode >> shift;
        out.push(if bits & 4 != 0 { 'r' } else { '-' });
        out.push(if bits & 2 != 0 { 'w' } else { '-' });
        out.push(match (bits & 1 != 0, mode & special != 0) {
            (true, true) => lower,
            (false, true) => upper,
            (true, false) => 'x',
            (false, false) => '-',
        });
    }
    out
}

/// What `stat -c %F` says.
pub(crate) fn type_name(mode: u32, size: u64) -> &'static str {
    match mode & kind::TYPE_MASK {
        kind::DIRECTORY => "directory",
        0o120_000 => "symbolic link",
        kind::CHARACTER_DEVICE => "character special file",
        BLOCK_DEVICE => "block special file",
        kind::FIFO => "fifo",
        SOCKET => "socket",
        kind::REGULAR if size == 0 => "regular empty file",
        kind::REGULAR => "regular file",
        _ => "weird file",
    }
}

/// A change of permission bits, as `chmod` takes it: `755`, `u+x,go-w`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    clauses: Vec<Clause>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Clause {
    operator: u8,
    /// Bits it is about; without `ugoa` those that the umask does not have.
    who: u32,
    usual: bool,
    bits: Bits,
    /// Bits that an octal number or `u+s` names: others of a directory stay.
    mentioned: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Bits {
    /// These, and with `X` those for executing where somebody has them.
    Given(u32, bool),
    /// Those that the user, group or others have.
    Copied(u8),
}

impl Change {
    /// Reads a change. Fails when it is none.
    pub(crate) fn parse(text: &[u8]) -> Option<Change> {
        if text.first().is_some_and(u8::is_ascii_digit) {
            let bits = octal(text)?;
            let mentioned = if text.len() < 5 {
                (bits & 0o6000) | 0o1777
            } else {
                0o7777
            };
            let clause = Clause {
                operator: b'=',
                who: 0o7777,
                usual: false,
                bits: Bits::Given(bits, false),
                mentioned,
            };
            return Some(Change {
                clauses: vec![clause],
            });
        }
        let mut clauses = Vec::new();
        for part in text.split(|byte| *byte == b',') {
            let end = part
                .iter()
                .position(|byte| !b"ugoa".contains(byte))
                .unwrap_or(part.len());
            let mut who = 0;
            for letter in &part[..end] {
                who |= match letter {
                    b'u' => 0o4700,
                    b'g' => 0o2070,
                    b'o' => 0o1007,
                    _ => 0o7777,
                };
            }
            let mut rest = &part[end..];
            if rest.is_empty() {
                return None;
            }
            while let Some((&operator, after)) = rest.split_first() {
                if !b"+-=".contains(&operator) {
                    return None;
                }
                let end = after
                    .iter()
                    .position(|byte| b"+-=".contains(byte))
                    .unwrap_or(after.len());
                let usual = who == 0;
                let whom = if usual { 0o7777 } else { who };
                let bits = &after[..end];
                let clause = if bits.first().is_some_and(u8::is_ascii_digit) {
                    let bits = octal(bits)?;
                    if !usual {
                        return None;
                    }
                    Clause {
                        operator,
                        who: 0o7777,
                        usual: false,
                        bits: Bits::Given(bits, false),
                        mentioned: 0o7777,
                    }
                } else {
                    let bits = letters(bits)?;
                    let mentioned = match bits {
                        Bits::Given(given, _) if operator != b'=' || given & 0o6000 != 0 => {
                            given | 0o1777
                        }
                        _ => 0o1777,
                    };
                    Clause {
                        operator,
                        who: whom,
                        usual,
                        bits,
                        mentioned,
                    }
                };
                clauses.push(clause);
                rest = &after[end..];
            }
        }
        Some(Change { clauses })
    }

    /// The bits after the change.
    pub(crate) fn apply(&self, old: u32, directory: bool, umask: u32) -> u32 {
        let mut mode = old & 0o7777;
        for clause in &self.clauses {
            let mut value = match clause.bits {
                Bits::Given(bits, executing) => {
                    let execute = executing && (directory || mode & 0o111 != 0);
                    bits | if execute { 0o111 } else { 0 }
                }
                Bits::Copied(letter) => {
                    let bits = match letter {
                        b'u' => mode >> 6,
                        b'g' => mode >> 3,
                        _ => mode,
                    } & 7;
                    bits << 6 | bits << 3 | bits
                }
            };
            let allowed = if clause.usual { !umask } else { u32::MAX };
            // A directory keeps set-id bits that nobody mentions.
            let kept = if directory {
                0o6000 & !clause.mentioned
            } else {
                0
            };
            value &= clause.who & allowed & !kept;
            mode = match clause.operator {
                b'+' => mode | value,
                b'-' => mode & !value,
                _ => {
                    let cleared = clause.who & !kept;
                    (mode & !cleared) | value
                }
            };
        }
        mode
    }
}

fn octal(text: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(text).ok()?;
    u32::from_str_radix(text, 8)
        .ok()
        .filter(|bits| *bits <= 0o7777)
}

fn letters(text: &[u8]) -> Option<Bits> {
    if let [letter @ (b'u' | b'g' | b'o')] = text {
        return Some(Bits::Copied(*letter));
    }
    let (mut bits, mut executing) = (0, false);
    for letter in text {
        bits |= match letter {
            b'r' => 0o444,
            b'w' => 0o222,
            b'x' => 0o111,
            b's' => 0o6000,
            b't' => 0o1000,
            b'X' => {
                executing = true;
                0
            }
            _ => return None,
        };
    }
    Some(Bits::Given(bits, executing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_applied() {
        let apply = |text: &str, old| {
            Change::parse(text.as_bytes()).map(|change| change.apply(old, false, 0o022))
        };
        assert_eq!(apply("u+x,go-w", 0o666), Some(0o744));
        assert_eq!(apply("+w", 0o444), Some(0o644));
        assert_eq!(apply("a=,u=rw", 0o777), Some(0o600));
        assert_eq!(apply("g=u", 0o640), Some(0o660));
        assert_eq!(apply("a+X", 0o644), Some(0o644));
        assert_eq!(apply("u+s", 0o755), Some(0o4755));
        assert_eq!(apply("8", 0), None);
        assert_eq!(apply("u", 0), None);
    }
}
