//! Zip files: what `zip` and `unzip` have in common.
//!
//! Why no crate reads and writes them: unzip goes on with damaged archives and says at which byte,
//! and zip copies entries as they are. That needs every field and position of the records, which
//! the crates keep to themselves. Compression is that of the other tools.

mod cipher;
mod extra;
mod glob;
mod records;

pub(crate) use cipher::{Cipher, HEADER as CIPHER_HEADER};
pub(crate) use extra::{times, unicode_name, unix_owner};
pub(crate) use glob::matches;
pub(crate) use records::{
    CENTRAL, End, Entry, LOCAL, Local, civil_of, dos_of, end_bytes, find_end, moment_of,
};

/// Entries as they are.
pub(crate) const STORED: u16 = 0;
/// Entries that went through deflate.
pub(crate) const DEFLATED: u16 = 8;
/// Entries that went through bzip2.
pub(crate) const BZIPPED: u16 = 12;

/// A name as it may be shown: control characters as `^X`.
pub(crate) fn shown(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    for &byte in name {
        if byte < 32 {
            out.extend([b'^', byte + 64]);
        } else {
            out.push(byte);
        }
    }
    out
}

/// What was saved, in tenths of a percent; negative where the packed form is longer.
pub(crate) fn ratio(plain: u64, packed: u64) -> i64 {
    if plain == 0 {
        return 0;
    }
    let (plain, packed) = (i128::from(plain), i128::from(packed));
    let saved = (plain - packed).abs();
    let tenths = if plain > 2_000_000 {
        let unit = plain / 1000;
        (saved + unit / 2) / unit
    } else {
        (1000 * saved + plain / 2) / plain
    };
    let tenths = i64::try_from(tenths).unwrap_or(i64::MAX);
    if plain >= packed { tenths } else { -tenths }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_rounded_as_unzip_does() {
        assert_eq!(ratio(1892, 887), 531);
        assert_eq!(ratio(0, 10), 0);
        assert_eq!(ratio(10, 20), -1000);
        assert_eq!(ratio(3_000_000, 1_000_000), 667);
    }

    #[test]
    fn control_characters_are_shown_with_a_caret() {
        assert_eq!(shown(b"a\nb\xff"), b"a^Jb\xff");
    }
}
