//! Numbers and strings as bytes, in one way only: what could be written shorter is refused, so that
//! one state has one form.

use crate::error::StoreError;

/// What bytes are appended to: memory, or a hash of them that needs none.
pub(crate) trait Out {
    /// Appends bytes.
    fn append(&mut self, bytes: &[u8]);
}

impl Out for Vec<u8> {
    fn append(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

impl Out for blake3::Hasher {
    fn append(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }
}

/// Appends a number, seven bits per byte, the lowest first.
pub(crate) fn put(out: &mut impl Out, mut number: u64) {
    while number >= 0x80 {
        out.append(&[number as u8 | 0x80]);
        number >>= 7;
    }
    out.append(&[number as u8]);
}

/// Appends a string with its length.
pub(crate) fn put_bytes(out: &mut impl Out, bytes: &[u8]) {
    put(out, bytes.len() as u64);
    out.append(bytes);
}

/// Appends the way from one number to another.
pub(crate) fn put_step(out: &mut Vec<u8>, from: u64, to: u64) {
    let step = to.wrapping_sub(from) as i64;
    put(out, ((step << 1) ^ (step >> 63)) as u64);
}

/// Reads what was appended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
}

const SHORT: StoreError = StoreError::Damaged("it ends too early");

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// How many bytes are left: no count of things can be larger.
    pub(crate) fn left(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], StoreError> {
        let (head, tail) = self.bytes.split_at_checked(length).ok_or(SHORT)?;
        self.bytes = tail;
        Ok(head)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], StoreError> {
        self.take(N)?.try_into().map_err(|_| SHORT)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, StoreError> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn u16(&mut self) -> Result<u16, StoreError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> Result<u32, StoreError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn number(&mut self) -> Result<u64, StoreError> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                if byte == 0 && shift > 0 {
                    break;
                }
                return Ok(number);
            }
        }
        Err(StoreError::Damaged("a number that is not one"))
    }

    /// A number that has to fit into a smaller type.
    pub(crate) fn small<T: TryFrom<u64>>(&mut self) -> Result<T, StoreError> {
        let number = self.number()?;
        T::try_from(number).map_err(|_| StoreError::Damaged("a number that is too large"))
    }

    /// How many things follow that take at least `least` bytes each.
    pub(crate) fn count(&mut self, least: usize) -> Result<usize, StoreError> {
        let count: usize = self.small()?;
        if count > self.left() / least.max(1) {
            return Err(StoreError::Damaged("a count that lies"));
        }
        Ok(count)
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], StoreError> {
        let length: usize = self.small()?;
        self.take(length)
    }

    pub(crate) fn text(&mut self) -> Result<&'a str, StoreError> {
        std::str::from_utf8(self.bytes()?).map_err(|_| StoreError::Damaged("a text that is none"))
    }

    pub(crate) fn step(&mut self, from: u64) -> Result<u64, StoreError> {
        let folded = self.number()?;
        let step = (folded >> 1) as i64 ^ -((folded & 1) as i64);
        Ok(from.wrapping_add(step as u64))
    }

    /// Fails unless everything was read.
    pub(crate) fn end(&self) -> Result<(), StoreError> {
        if self.is_empty() {
            Ok(())
        } else {
            Err(StoreError::Damaged("it goes on after its end"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_have_one_form() {
        for number in [
            0,
            1,
            127,
            128,
            300,
            u64::from(u32::MAX),
            u64::MAX - 1,
            u64::MAX,
        ] {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            put_step(&mut bytes, number, 5);
            let mut reader = Reader::new(&bytes);
            assert_eq!(reader.number().unwrap(), number);
            assert_eq!(reader.step(number).unwrap(), 5);
            reader.end().unwrap();
        }
        for bad in [&[0x80, 0][..], &[0xff; 10], &[0xff; 11], &[0x80], &[]] {
            assert!(Reader::new(bad).number().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn counts_and_lengths_that_lie_are_refused_before_memory_is_taken() {
        let mut bytes = Vec::new();
        put(&mut bytes, 1 << 62);
        bytes.push(0);
        assert!(Reader::new(&bytes).bytes().is_err());
        assert!(Reader::new(&bytes).count(1).is_err());
    }
}
