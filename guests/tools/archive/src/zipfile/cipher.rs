//! The traditional encryption of zip files. It hides nothing from anybody who wants to know;
//! archives use it.

/// Bytes before the data of an encrypted entry.
pub(crate) const HEADER: usize = 12;

/// The state of the cipher.
#[derive(Debug, Clone)]
pub(crate) struct Cipher {
    keys: [u32; 3],
}

impl Cipher {
    /// Begins with a password.
    pub(crate) fn new(password: &[u8]) -> Cipher {
        let mut cipher = Cipher {
            keys: [0x1234_5678, 0x2345_6789, 0x3456_7890],
        };
        for byte in password {
            cipher.update(*byte);
        }
        cipher
    }

    /// Makes data readable, in place.
    pub(crate) fn decrypt(&mut self, data: &mut [u8]) {
        for byte in data {
            *byte ^= self.stream();
            self.update(*byte);
        }
    }

    /// Makes data unreadable, in place.
    pub(crate) fn encrypt(&mut self, data: &mut [u8]) {
        for byte in data {
            let plain = *byte;
            *byte ^= self.stream();
            self.update(plain);
        }
    }

    fn stream(&self) -> u8 {
        let value = self.keys[2] as u16 | 2;
        (value.wrapping_mul(value ^ 1) >> 8) as u8
    }

    fn update(&mut self, byte: u8) {
        let [first, second, third] = &mut self.keys;
        *first = step(*first, byte);
        *second = second
            .wrapping_add(*first & 0xff)
            .wrapping_mul(134_775_813)
            .wrapping_add(1);
        *third = step(*third, (*second >> 24) as u8);
    }
}

/// One byte of CRC-32.
fn step(crc: u32, byte: u8) -> u32 {
    TABLE[usize::from((crc as u8) ^ byte)] ^ (crc >> 8)
}

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let mut value = index as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 {
                0xedb8_8320 ^ (value >> 1)
            } else {
                value >> 1
            };
            bit += 1;
        }
        table[index] = value;
        index += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encrypted_is_read_with_the_password_only() {
        let mut data = b"some data".to_vec();
        Cipher::new(b"secret").encrypt(&mut data);
        let mut wrong = data.clone();
        Cipher::new(b"other").decrypt(&mut wrong);
        assert_ne!(wrong, b"some data");
        Cipher::new(b"secret").decrypt(&mut data);
        assert_eq!(data, b"some data");
    }
}
