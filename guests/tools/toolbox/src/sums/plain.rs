//! Sums that are a number and a size: those of `sum` and the CRC of POSIX.

/// The BSD sum: 16 bits that are rotated before every byte.
#[derive(Debug, Default)]
pub(super) struct Bsd {
    sum: u16,
    length: u64,
}

impl Bsd {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        self.sum = bytes.iter().fold(self.sum, |sum, byte| {
            sum.rotate_right(1).wrapping_add(u16::from(*byte))
        });
    }

    /// The sum and the size in blocks of 1024 bytes.
    pub(super) fn finish(self) -> String {
        format!("{:05} {:5}", self.sum, self.length.div_ceil(1024))
    }
}

/// The System V sum: all bytes together, folded to 16 bits.
#[derive(Debug, Default)]
pub(super) struct Sysv {
    sum: u32,
    length: u64,
}

impl Sysv {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        self.sum = bytes
            .iter()
            .fold(self.sum, |sum, byte| sum.wrapping_add(u32::from(*byte)));
    }

    /// The sum and the size in blocks of 512 bytes.
    pub(super) fn finish(self) -> String {
        let once = (self.sum & 0xffff) + (self.sum >> 16);
        let twice = (once & 0xffff) + (once >> 16);
        format!("{twice} {}", self.length.div_ceil(512))
    }
}

/// The CRC of POSIX's `cksum`: most significant bit first, with the length behind the bytes.
#[derive(Debug, Default)]
pub(super) struct Crc {
    crc: u32,
    length: u64,
}

/// Bytes that are taken together.
const SLICES: usize = 8;

/// `TABLES[n][byte]`: what a byte adds to the CRC when `n` more bytes follow it.
static TABLES: [[u32; 256]; SLICES] = tables();

const fn tables() -> [[u32; 256]; SLICES] {
    const POLYNOMIAL: u32 = 0x04c1_1db7;
    let mut tables = [[0; 256]; SLICES];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = (byte as u32) << 24;
        let mut bit = 0;
        while bit < 8 {
            let carry = crc >> 31;
            crc = (crc << 1) ^ (carry * POLYNOMIAL);
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut slice = 1;
    while slice < SLICES {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[slice - 1][byte];
            tables[slice][byte] = (before << 8) ^ tables[0][(before >> 24) as usize];
            byte += 1;
        }
        slice += 1;
    }
    tables
}

impl Crc {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        let (blocks, rest) = bytes.as_chunks::<SLICES>();
        for block in blocks {
            let [a, b, c, d] = self.crc.to_be_bytes();
            self.crc = TABLES[7][usize::from(block[0] ^ a)]
                ^ TABLES[6][usize::from(block[1] ^ b)]
                ^ TABLES[5][usize::from(block[2] ^ c)]
                ^ TABLES[4][usize::from(block[3] ^ d)]
                ^ TABLES[3][usize::from(block[4])]
                ^ TABLES[2][usize::from(block[5])]
                ^ TABLES[1][usize::from(block[6])]
                ^ TABLES[0][usize::from(block[7])];
        }
        rest.iter().for_each(|byte| self.add_byte(*byte));
    }

    fn add_byte(&mut self, byte: u8) {
        let place = usize::from(byte ^ (self.crc >> 24) as u8);
        self.crc = (self.crc << 8) ^ TABLES[0][place];
    }

    /// The CRC and the size in bytes.
    pub(super) fn finish(mut self) -> String {
        let mut left = self.length;
        while left > 0 {
            self.add_byte(left as u8);
            left >>= 8;
        }
        format!("{} {}", !self.crc, self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::Crc;

    // What `cksum` of GNU coreutils 9.1 prints.
    #[test]
    fn bytes_can_be_added_in_any_pieces() {
        let bytes: Vec<u8> = (0..=255).collect();
        for size in [1, 3, 7, 8, 9, 64, 256] {
            let mut crc = Crc::default();
            bytes.chunks(size).for_each(|piece| crc.add(piece));
            assert_eq!(crc.finish(), "1313719201 256");
        }
        assert_eq!(Crc::default().finish(), "4294967295 0");
    }
}
