//! Random choices that a seed decides.

/// A generator of random numbers: SplitMix64, which is small and good enough to choose with.
#[derive(Debug, Clone)]
pub(super) struct Random {
    state: u64,
}

impl Random {
    /// The choices of the script `index` of a run with this seed.
    pub(super) fn of(seed: u64, index: u64) -> Random {
        let mut random = Random {
            state: seed ^ index.wrapping_mul(0xD6E8_FEB8_6659_FD93),
        };
        // Neighbouring scripts are not to begin alike.
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is not 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// A number from `first` to `last`.
    pub(super) fn between(&mut self, first: usize, last: usize) -> usize {
        first + self.below(last - first + 1)
    }

    /// True `percent` times of a hundred.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of several.
    pub(super) fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn the_same_seed_makes_the_same_choices() {
        let choices = |seed, index| -> Vec<usize> {
            let mut random = Random::of(seed, index);
            (0..20).map(|_| random.below(1000)).collect()
        };
        assert_eq!(choices(1, 2), choices(1, 2));
        assert_ne!(choices(1, 2), choices(1, 3));
        assert_ne!(choices(1, 2), choices(2, 2));
    }
}
