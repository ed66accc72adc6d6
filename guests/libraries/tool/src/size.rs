//! Sizes for people.

/// How a size is written for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Units {
    /// By 1024: `1.5K`, as `ls -h` has it.
    Binary,
    /// By 1000: `1.5k`, as `ls --si` has it.
    Decimal,
    /// By 1024, with the unit in full: `1.5KiB`, as tar's totals have it.
    BinaryInFull,
}

/// A size as GNU's tools write it for people: rounded up, with one digit behind the point below
/// ten.
pub fn human_size(bytes: u64, units: Units) -> String {
    let base: u64 = if units == Units::Decimal { 1000 } else { 1024 };
    let (one, rest) = match units {
        Units::BinaryInFull => ("B", "iB"),
        _ => ("", ""),
    };
    if bytes < base {
        return format!("{bytes}{one}");
    }
    let letters = if units == Units::Decimal {
        "kMGTPE"
    } else {
        "KMGTPE"
    };
    let (bytes, base) = (u128::from(bytes), u128::from(base));
    let mut unit = 1;
    let mut shown = String::new();
    for letter in letters.chars() {
        unit *= base;
        let tenths = (bytes * 10).div_ceil(unit);
        let whole = bytes.div_ceil(unit);
        shown = if tenths < 100 {
            format!("{}.{}{letter}{rest}", tenths / 10, tenths % 10)
        } else {
            format!("{whole}{letter}{rest}")
        };
        if whole < base {
            break;
        }
    }
    shown
}

/// A size in the largest unit of which it has one, not rounded: the number, and the power of 1024
/// that the unit is, at most `most`.
pub fn scaled_size(bytes: u64, most: usize) -> (f64, usize) {
    let mut value = bytes as f64;
    let mut power = 0;
    while value >= 1024.0 && power < most {
        value /= 1024.0;
        power += 1;
    }
    (value, power)
}

#[cfg(test)]
mod tests {
    use super::*;

    // What `ls -lh`, `ls -l --si` of GNU coreutils 9.1 print.
    #[test]
    fn sizes_for_people_round_up() {
        for (bytes, binary, decimal) in [
            (0, "0", "0"),
            (1, "1", "1"),
            (1023, "1023", "1.1k"),
            (1024, "1.0K", "1.1k"),
            (1025, "1.1K", "1.1k"),
            (1535, "1.5K", "1.6k"),
            (10_188, "10K", "11k"),
            (10_240, "10K", "11k"),
            (10_241, "11K", "11k"),
            (102_400, "100K", "103k"),
            (1_047_552, "1023K", "1.1M"),
            (1_048_000, "1.0M", "1.1M"),
            (1_048_575, "1.0M", "1.1M"),
            (10_485_761, "11M", "11M"),
            (1_073_741_823, "1.0G", "1.1G"),
        ] {
            assert_eq!(human_size(bytes, Units::Binary), binary);
            assert_eq!(human_size(bytes, Units::Decimal), decimal);
        }
        assert_eq!(human_size(u64::MAX, Units::Binary), "16E");
    }

    // What `tar --totals` of GNU tar 1.34 prints.
    #[test]
    fn units_can_be_in_full() {
        for (bytes, wanted) in [
            (9728, "9.5KiB"),
            (10_240, "10KiB"),
            (10_752, "11KiB"),
            (1_047_040, "1023KiB"),
            (1_048_064, "1.0MiB"),
            (1_049_088, "1.1MiB"),
            (10_490_880, "11MiB"),
        ] {
            assert_eq!(human_size(bytes, Units::BinaryInFull), wanted);
        }
        assert_eq!(human_size(512, Units::BinaryInFull), "512B");
    }

    #[test]
    fn scaled_sizes_stay_below_1024() {
        assert_eq!(scaled_size(1023, 5), (1023.0, 0));
        assert_eq!(scaled_size(1536, 5), (1.5, 1));
        assert_eq!(scaled_size(1 << 40, 3), (1024.0, 3));
    }
}
