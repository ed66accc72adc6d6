//! Extra fields of entries: times, owners, names in Unicode.

/// The fields: number and data. A field that is longer than what is left ends the list.
pub(crate) fn fields(extra: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    let mut rest = extra;
    std::iter::from_fn(move || {
        let head = rest.get(..4)?;
        let id = u16::from_le_bytes([head[0], head[1]]);
        let length = usize::from(u16::from_le_bytes([head[2], head[3]]));
        let data = rest.get(4..4 + length)?;
        rest = &rest[4 + length..];
        Some((id, data))
    })
}

/// Times of a file, in seconds since 1970, as far as they are known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Times {
    /// When it was changed.
    pub(crate) modified: Option<i64>,
    /// When it was read.
    pub(crate) accessed: Option<i64>,
}

/// The times in the field `UT`, or in the older ones.
pub(crate) fn times(extra: &[u8]) -> Times {
    let mut times = Times::default();
    for (id, data) in fields(extra) {
        match id {
            0x5455 => {
                let flags = data.first().copied().unwrap_or(0);
                let mut rest = data.get(1..).unwrap_or(&[]);
                for (bit, slot) in [(1, &mut times.modified), (2, &mut times.accessed)] {
                    if flags & bit != 0
                        && let Some((value, after)) = seconds(rest)
                    {
                        *slot = Some(value);
                        rest = after;
                    }
                }
                return times;
            }
            0x5855 | 0x000d if data.len() >= 8 => {
                times.accessed = seconds(data).map(|found| found.0);
                times.modified = seconds(&data[4..]).map(|found| found.0);
            }
            _ => {}
        }
    }
    times
}

fn seconds(data: &[u8]) -> Option<(i64, &[u8])> {
    let (bytes, rest) = data.split_first_chunk::<4>()?;
    Some((i64::from(i32::from_le_bytes(*bytes)), rest))
}

/// Owner and group in the field `ux`.
pub(crate) fn unix_owner(extra: &[u8]) -> Option<(u32, u32)> {
    let (_, data) = fields(extra).find(|(id, _)| *id == 0x7875)?;
    let mut rest = data.strip_prefix(&[1])?;
    let mut number = || {
        let (&size, after) = rest.split_first()?;
        let bytes = after.get(..usize::from(size))?;
        rest = &after[usize::from(size)..];
        let mut value = 0_u64;
        for (index, byte) in bytes.iter().enumerate() {
            match index {
                0..8 => value |= u64::from(*byte) << (8 * index),
                _ if *byte != 0 => return None,
                _ => {}
            }
        }
        u32::try_from(value).ok()
    };
    Some((number()?, number()?))
}

/// The name in the field `up`, where it belongs to this plain name.
pub(crate) fn unicode_name<'a>(extra: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let (_, data) = fields(extra).find(|(id, _)| *id == 0x7075)?;
    let (head, text) = data.split_first_chunk::<5>()?;
    let mut crc = flate2::Crc::new();
    crc.update(name);
    let belongs =
        head[0] == 1 && u32::from_le_bytes([head[1], head[2], head[3], head[4]]) == crc.sum();
    (belongs && !text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_owners_are_found_and_damage_is_left_alone() {
        let extra = b"UT\x09\x00\x03\x01\x00\x00\x00\x02\x00\x00\x00ux\x0b\x00\x01\x04\xe8\x03\x00\x00\x04\x07\x00\x00\x00";
        let found = times(extra);
        assert_eq!((found.modified, found.accessed), (Some(1), Some(2)));
        assert_eq!(unix_owner(extra), Some((1000, 7)));
        for cut in 0..extra.len() {
            times(&extra[..cut]);
            unix_owner(&extra[..cut]);
        }
        assert_eq!(times(b"UT\xff\xff\x03\x01\x00\x00\x00"), Times::default());
        assert_eq!(unix_owner(b"ux\x02\x00\x01\xff"), None);
    }
}
