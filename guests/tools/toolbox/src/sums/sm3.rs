//! SM3, the hash function of GB/T 32905-2016.

const BLOCK: usize = 64;

/// A sum that is being computed.
pub(super) struct Sm3 {
    state: [u32; 8],
    /// Bytes that do not fill a block yet: the first `length % BLOCK` of it.
    rest: [u8; BLOCK],
    length: u64,
}

impl Sm3 {
    pub(super) fn new() -> Sm3 {
        Sm3 {
            state: [
                0x7380_166f,
                0x4914_b2b9,
                0x1724_42d7,
                0xda8a_0600,
                0xa96f_30bc,
                0x1631_38aa,
                0xe38d_ee4d,
                0xb0fb_0e4e,
            ],
            rest: [0; BLOCK],
            length: 0,
        }
    }

    pub(super) fn add(&mut self, mut bytes: &[u8]) {
        let held = (self.length % BLOCK as u64) as usize;
        self.length += bytes.len() as u64;
        if held > 0 {
            let taken = bytes.len().min(BLOCK - held);
            self.rest[held..held + taken].copy_from_slice(&bytes[..taken]);
            bytes = &bytes[taken..];
            if held + taken < BLOCK {
                return;
            }
            let block = self.rest;
            self.block(&block);
        }
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        blocks.iter().for_each(|block| self.block(block));
        self.rest[..rest.len()].copy_from_slice(rest);
    }

    pub(super) fn finish(mut self) -> [u8; 32] {
        let bits = self.length.wrapping_mul(8);
        let held = (self.length % BLOCK as u64) as usize;
        // A one bit, zeros, and the length fill the last block.
        let mut padding = [0; BLOCK];
        padding[0] = 0x80;
        let zeros = (2 * BLOCK - 9 - held) % BLOCK;
        self.add(&padding[..=zeros]);
        self.add(&bits.to_be_bytes());
        let mut sum = [0; 32];
        for (bytes, word) in sum.as_chunks_mut::<4>().0.iter_mut().zip(self.state) {
            *bytes = word.to_be_bytes();
        }
        sum
    }

    fn block(&mut self, block: &[u8; BLOCK]) {
        let words = expanded(block);
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = self.state;
        for round in 0..64 {
            let early = round < 16;
            let constant: u32 = if early { 0x79cc_4519 } else { 0x7a87_9d8a };
            let turned = a.rotate_left(12);
            let one = turned
                .wrapping_add(e)
                .wrapping_add(constant.rotate_left(round as u32 % 32))
                .rotate_left(7);
            let two = one ^ turned;
            let (ff, gg) = if early {
                (a ^ b ^ c, e ^ f ^ g)
            } else {
                ((a & b) | (a & c) | (b & c), (e & f) | (!e & g))
            };
            let first = ff
                .wrapping_add(d)
                .wrapping_add(two)
                .wrapping_add(words[round] ^ words[round + 4]);
            let second = gg
                .wrapping_add(h)
                .wrapping_add(one)
                .wrapping_add(words[round]);
            (d, c, b, a) = (c, b.rotate_left(9), a, first);
            let mixed = second ^ second.rotate_left(9) ^ second.rotate_left(17);
            (h, g, f, e) = (g, f.rotate_left(19), e, mixed);
        }
        let mixed = [a, b, c, d, e, f, g, h];
        self.state
            .iter_mut()
            .zip(mixed)
            .for_each(|(old, new)| *old ^= new);
    }
}

/// The 68 words that a block becomes.
fn expanded(block: &[u8; BLOCK]) -> [u32; 68] {
    let mut words = [0; 68];
    for (word, bytes) in words.iter_mut().zip(block.as_chunks::<4>().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    for place in 16..68 {
        let mixed = words[place - 16] ^ words[place - 9] ^ words[place - 3].rotate_left(15);
        words[place] = mixed
            ^ mixed.rotate_left(15)
            ^ mixed.rotate_left(23)
            ^ words[place - 13].rotate_left(7)
            ^ words[place - 6];
    }
    words
}

#[cfg(test)]
mod tests {
    use super::Sm3;

    /// The first word of the sum of so many bytes, added in pieces of a size.
    fn first_word(count: usize, size: usize) -> u32 {
        let bytes = vec![b'a'; count];
        let mut sum = Sm3::new();
        bytes.chunks(size).for_each(|piece| sum.add(piece));
        let sum = sum.finish();
        u32::from_be_bytes([sum[0], sum[1], sum[2], sum[3]])
    }

    // What `cksum -a sm3` of GNU coreutils 9.1 prints.
    #[test]
    fn padding_fits_around_the_end_of_a_block() {
        for (count, wanted) in [
            (0, 0x1ab2_1d83),
            (1, 0x6234_76ac),
            (55, 0x2883_37ee),
            (56, 0xba00_ebed),
            (57, 0x698e_3fcc),
            (63, 0x5873_0854),
            (64, 0x616e_c433),
            (65, 0x3d1d_94af),
            (119, 0x5328_2a90),
            (120, 0x4c9f_0fe9),
            (128, 0x5fd9_47ef),
        ] {
            for size in [1, 63, 64, 65, 200] {
                assert_eq!(first_word(count, size), wanted, "{count} by {size}");
            }
        }
    }
}
