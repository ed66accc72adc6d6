//! What is written in which pass.

use std::fmt;

use super::random::Random;

/// A pass over a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    /// Random bytes.
    Random,
    /// Three bytes over and over.
    Pattern([u8; 3]),
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pass::Random => f.write_str("random"),
            Pass::Pattern([one, two, three]) => write!(f, "{one:02x}{two:02x}{three:02x}"),
        }
    }
}

/// What passes are taken from: random ones, and groups of patterns of 12 bits.
enum Group {
    Random(usize),
    Patterns(&'static [u16]),
}

const GROUPS: &[Group] = &[
    Group::Random(2),
    Group::Patterns(&[0x000, 0xfff]),
    Group::Patterns(&[0x555, 0xaaa]),
    Group::Random(1),
    Group::Patterns(&[0x249, 0x492, 0x6db, 0x924, 0xb6d, 0xdb6]),
    Group::Patterns(&[
        0x111, 0x222, 0x333, 0x444, 0x666, 0x777, 0x888, 0x999, 0xbbb, 0xccc, 0xddd, 0xeee,
    ]),
    Group::Random(1),
];

/// So many passes, random ones at the beginning, at the end and evenly between. Fails when the
/// source of randomness does.
pub(super) fn passes(count: u64, random: &mut Random) -> Result<Vec<Pass>, Vec<u8>> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let mut randoms = 0;
    let mut patterns: Vec<[u8; 3]> = Vec::new();
    for group in GROUPS.iter().cycle() {
        let left = count - randoms - patterns.len();
        match group {
            _ if left == 0 => break,
            Group::Random(some) => randoms += left.min(*some),
            Group::Patterns(some) if some.len() <= left => {
                patterns.extend(some.iter().map(|bits| bytes(*bits)));
            }
            // One or two of many would say little.
            Group::Patterns(some) if left < 2 || 3 * left < some.len() => randoms += left,
            Group::Patterns(some) => {
                let mut some = some.to_vec();
                shuffle(&mut some, random)?;
                patterns.extend(some[..left].iter().map(|bits| bytes(*bits)));
            }
        }
    }
    shuffle(&mut patterns, random)?;
    let mut patterns = patterns.into_iter();
    let mut result = Vec::with_capacity(count);
    let mut placed = 0;
    for index in 0..count {
        let is_random = placed < randoms && index >= place(placed, randoms, count);
        match if is_random { None } else { patterns.next() } {
            Some(pattern) => result.push(Pass::Pattern(pattern)),
            None => {
                placed += 1;
                result.push(Pass::Random);
            }
        }
    }
    Ok(result)
}

/// The place of a random pass.
fn place(index: usize, randoms: usize, count: usize) -> usize {
    if randoms < 2 {
        return 0;
    }
    index * (count - 1) / (randoms - 1)
}

/// 12 bits twice.
fn bytes(bits: u16) -> [u8; 3] {
    let bits = u32::from(bits) << 12 | u32::from(bits);
    let [_, one, two, three] = bits.to_be_bytes();
    [one, two, three]
}

fn shuffle<T>(items: &mut [T], random: &mut Random) -> Result<(), Vec<u8>> {
    for last in (1..items.len()).rev() {
        let at = random.below(last + 1)?;
        items.swap(last, at);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_passes_are_at_both_ends_and_between() {
        let mut random = Random::new();
        let at = |count| -> Vec<usize> {
            let passes = passes(count, &mut random).unwrap();
            assert_eq!(passes.len() as u64, count);
            let numbered = passes.iter().enumerate();
            numbered
                .filter(|(_, pass)| **pass == Pass::Random)
                .map(|(index, _)| index)
                .collect()
        };
        let mut at = at;
        assert_eq!(at(0), []);
        assert_eq!(at(3), [0, 1, 2]);
        assert_eq!(at(7), [0, 3, 6]);
        assert_eq!(at(25), [0, 12, 24]);
        assert_eq!(bytes(0x6db), [0x6d, 0xb6, 0xdb]);
    }
}
