//! What is written in which pass.
//!
//! The first and the last pass are random, and up to three passes all are. More passes put
//! patterns between them. A pattern is followed by its complement, so that each bit is turned over
//! at least once. A lone pass between the ends is random, too.

use std::fmt;

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

/// Half of the patterns; the others are their complements. Media turn bits into runs of equal
/// signal, so these go from the longest runs to shorter ones, and to each place in a period.
const PATTERNS: [[u8; 3]; 10] = [
    [0x00; 3],
    [0x55; 3],
    [0x33; 3],
    [0x0f; 3],
    // A bit of three.
    [0x92, 0x49, 0x24],
    [0x49, 0x24, 0x92],
    [0x24, 0x92, 0x49],
    // Runs of two and of four at other places, and of mixed lengths.
    [0x66; 3],
    [0x3c; 3],
    [0x69; 3],
];

/// With fewer passes there are no patterns.
const FEWEST_WITH_PATTERNS: usize = 4;

/// What is written in so many passes, in this order.
pub(super) fn passes(count: usize) -> Vec<Pass> {
    if count < FEWEST_WITH_PATTERNS {
        return vec![Pass::Random; count];
    }
    let pairs = (count - 2) / 2;
    let between = PATTERNS.iter().cycle().take(pairs).flat_map(|pattern| {
        [
            Pass::Pattern(*pattern),
            Pass::Pattern(pattern.map(|byte| !byte)),
        ]
    });
    let mut all = vec![Pass::Random];
    all.extend(between);
    all.resize(count, Pass::Random);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_passes_are_random() {
        for count in 0..=3 {
            assert_eq!(passes(count), vec![Pass::Random; count]);
        }
    }

    #[test]
    fn random_passes_are_at_both_ends_and_complements_follow() {
        for count in 4..60 {
            let all = passes(count);
            assert_eq!(all.len(), count);
            assert_eq!([all[0], all[count - 1]], [Pass::Random; 2]);
            for pair in all[1..count - 1 - count % 2].chunks(2) {
                let [Pass::Pattern(one), Pass::Pattern(other)] = *pair else {
                    panic!("{pair:?} of {count}");
                };
                assert_eq!(one.map(|byte| !byte), other);
            }
        }
    }

    #[test]
    fn each_pattern_is_there_once() {
        let mut all = passes(2 + 2 * PATTERNS.len());
        all.retain(|pass| *pass != Pass::Random);
        let texts: std::collections::HashSet<_> = all.iter().map(Pass::to_string).collect();
        assert_eq!(texts.len(), 2 * PATTERNS.len());
    }
}
