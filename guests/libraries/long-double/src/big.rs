//! Whole numbers of any size: just what reading and writing of [`crate::Extended`] needs.

/// A number, its lowest 32 bits first, without leading zeros.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Big(Vec<u32>);

impl From<u128> for Big {
    fn from(number: u128) -> Big {
        let word = |at: u32| (number >> (32 * at)) as u32;
        let mut big = Big(vec![word(0), word(1), word(2), word(3)]);
        big.trim();
        big
    }
}

impl Big {
    /// The number with these digits.
    pub(crate) fn from_decimal(digits: &[u8]) -> Big {
        let mut big = Big::default();
        for chunk in digits.chunks(9) {
            let value = chunk
                .iter()
                .fold(0, |value, digit| value * 10 + u32::from(digit - b'0'));
            big.multiply_add(10u32.pow(chunk.len() as u32), value);
        }
        big
    }

    /// How many bits it has; 0 for zero.
    pub(crate) fn bits(&self) -> u32 {
        match self.0.last() {
            Some(word) => self.0.len() as u32 * 32 - word.leading_zeros(),
            None => 0,
        }
    }

    /// One bit.
    pub(crate) fn bit(&self, at: u32) -> bool {
        self.0
            .get(at as usize / 32)
            .is_some_and(|word| word >> (at % 32) & 1 == 1)
    }

    /// Whether any of the lowest bits is set.
    pub(crate) fn any_below(&self, count: u32) -> bool {
        let words = count as usize / 32;
        self.0.iter().take(words).any(|word| *word != 0)
            || self
                .0
                .get(words)
                .is_some_and(|word| word & ((1 << (count % 32)) - 1) != 0)
    }

    /// Its lowest 64 bits.
    pub(crate) fn low(&self) -> u64 {
        let word = |at| u64::from(self.0.get(at).copied().unwrap_or(0));
        word(0) | word(1) << 32
    }

    /// Its lowest 64 bits after a shift to the right.
    pub(crate) fn shifted_low(&self, by: u32) -> u64 {
        let word = |at: usize| u128::from(self.0.get(at).copied().unwrap_or(0));
        let at = by as usize / 32;
        let three = word(at) | word(at + 1) << 32 | word(at + 2) << 64;
        (three >> (by % 32)) as u64
    }

    /// Doubles it `by` times.
    pub(crate) fn shift_left(&mut self, by: u32) {
        if self.0.is_empty() {
            return;
        }
        let bits = by % 32;
        if bits > 0 {
            let mut carry = 0;
            for word in &mut self.0 {
                let next = *word >> (32 - bits);
                *word = *word << bits | carry;
                carry = next;
            }
            if carry > 0 {
                self.0.push(carry);
            }
        }
        self.0.splice(0..0, vec![0; by as usize / 32]);
    }

    /// Multiplies by a power of ten.
    pub(crate) fn multiply_power_of_ten(&mut self, power: u32) {
        // 5^13 is the largest that fits; the twos are a shift.
        for _ in 0..power / 13 {
            self.multiply_add(5u32.pow(13), 0);
        }
        self.multiply_add(5u32.pow(power % 13), 0);
        self.shift_left(power);
    }

    /// Divides so that the quotient has 66 bits: the quotient, the exponent of its lowest bit, and
    /// whether something is left.
    pub(crate) fn divide_bits(mut self, mut under: Big) -> (Big, i32, bool) {
        const QUOTIENT: i32 = 66;
        let difference = self.bits() as i32 - under.bits() as i32;
        if difference > 0 {
            under.shift_left(difference.unsigned_abs());
        } else {
            self.shift_left(difference.unsigned_abs());
        }
        let mut quotient = Big::default();
        for _ in 0..QUOTIENT {
            let fits = !self.less(&under);
            if fits {
                self.subtract(&under);
            }
            quotient.multiply_add(2, fits.into());
            self.shift_left(1);
        }
        (quotient, difference - (QUOTIENT - 1), !self.0.is_empty())
    }

    /// Its decimal digits.
    pub(crate) fn into_decimal(mut self) -> Vec<u8> {
        let mut chunks = Vec::new();
        while !self.0.is_empty() {
            let mut rest = 0u64;
            for word in self.0.iter_mut().rev() {
                let value = rest << 32 | u64::from(*word);
                *word = (value / 1_000_000_000) as u32;
                rest = value % 1_000_000_000;
            }
            self.trim();
            chunks.push(rest as u32);
        }
        let mut digits = Vec::with_capacity(chunks.len() * 9);
        for chunk in chunks.iter().rev() {
            push_nine(*chunk, &mut digits);
        }
        let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
        digits.drain(..zeros);
        digits
    }

    /// Appends the decimal digits of itself divided by 2 to the `bits`, of which it is less.
    pub(crate) fn fraction_digits(mut self, bits: u32, digits: &mut Vec<u8>) {
        let words = bits as usize / 32;
        while !self.0.is_empty() {
            self.multiply_add(1_000_000_000, 0);
            // What is above the point is the next nine digits.
            let chunk = self.shifted_low(bits) as u32;
            push_nine(chunk, digits);
            self.0.truncate(words + 1);
            if let Some(word) = self.0.get_mut(words) {
                *word &= (1 << (bits % 32)) - 1;
            }
            self.trim();
        }
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
    }

    fn multiply_add(&mut self, by: u32, add: u32) {
        let mut carry = u64::from(add);
        for word in &mut self.0 {
            let value = u64::from(*word) * u64::from(by) + carry;
            *word = value as u32;
            carry = value >> 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    fn less(&self, other: &Big) -> bool {
        if self.0.len() != other.0.len() {
            return self.0.len() < other.0.len();
        }
        self.0.iter().rev().lt(other.0.iter().rev())
    }

    fn subtract(&mut self, other: &Big) {
        let mut borrow = false;
        for (at, word) in self.0.iter_mut().enumerate() {
            let under = other.0.get(at).copied().unwrap_or(0);
            let (value, first) = word.overflowing_sub(under);
            let (value, second) = value.overflowing_sub(borrow.into());
            *word = value;
            borrow = first || second;
        }
        self.trim();
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }
}

fn push_nine(mut chunk: u32, digits: &mut Vec<u8>) {
    let start = digits.len();
    digits.resize(start + 9, b'0');
    for at in (start..start + 9).rev() {
        digits[at] = b'0' + (chunk % 10) as u8;
        chunk /= 10;
    }
}
