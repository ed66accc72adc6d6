//! A directive of a format: flags, width, precision; and padding by them.

/// What stands between `%` and the letter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Directive {
    /// `-`
    pub left: bool,
    /// `+`
    pub plus: bool,
    /// A space.
    pub space: bool,
    /// `0`
    pub zero: bool,
    /// `#`
    pub alternate: bool,
    /// The least width.
    pub width: usize,
    /// The precision, if there is one.
    pub precision: Option<usize>,
}

impl Directive {
    /// Appends bytes with spaces up to the width.
    pub fn pad(&self, bytes: &[u8], out: &mut Vec<u8>) {
        let fill = self.width.saturating_sub(bytes.len());
        if !self.left {
            spaces(fill, out);
        }
        out.extend_from_slice(bytes);
        if self.left {
            spaces(fill, out);
        }
    }

    /// Appends bytes, cut to the precision, with spaces up to the width.
    pub fn pad_cut(&self, bytes: &[u8], out: &mut Vec<u8>) {
        let length = self.precision.unwrap_or(bytes.len()).min(bytes.len());
        self.pad(&bytes[..length], out);
    }

    /// Appends a number: sign or prefix, zeros where they are asked for, digits.
    pub fn pad_number(&self, prefix: &[u8], digits: &[u8], zeros: bool, out: &mut Vec<u8>) {
        let fill = self.width.saturating_sub(prefix.len() + digits.len());
        let zeros = zeros && self.zero && !self.left;
        if !self.left && !zeros {
            spaces(fill, out);
        }
        out.extend_from_slice(prefix);
        if zeros {
            out.resize(out.len() + fill, b'0');
        }
        out.extend_from_slice(digits);
        if self.left {
            spaces(fill, out);
        }
    }

    /// The sign of a number.
    pub fn sign(&self, negative: bool) -> &'static [u8] {
        match (negative, self.plus, self.space) {
            (true, ..) => b"-",
            (false, true, _) => b"+",
            (false, false, true) => b" ",
            _ => b"",
        }
    }

    /// Appends a whole number as the letter says.
    pub fn integer(&self, letter: u8, negative: bool, magnitude: u64, out: &mut Vec<u8>) {
        let mut buffer = [0u8; 22];
        let mut at = buffer.len();
        let (base, table) = match letter {
            b'o' => (8, b"0123456789abcdef"),
            b'x' => (16, b"0123456789abcdef"),
            b'X' => (16, b"0123456789ABCDEF"),
            _ => (10, b"0123456789abcdef"),
        };
        let mut rest = magnitude;
        while rest > 0 {
            at -= 1;
            buffer[at] = table[(rest % base) as usize];
            rest /= base;
        }
        let digits = &buffer[at..];
        let mut least = self.precision.unwrap_or(1);
        if letter == b'o' && self.alternate && least <= digits.len() {
            least = digits.len() + 1;
        }
        let prefix: &[u8] = match letter {
            b'd' | b'i' => self.sign(negative),
            b'x' if self.alternate && magnitude > 0 => b"0x",
            b'X' if self.alternate && magnitude > 0 => b"0X",
            _ => b"",
        };
        if least <= digits.len() {
            return self.pad_number(prefix, digits, self.precision.is_none(), out);
        }
        let mut all = vec![b'0'; least - digits.len()];
        all.extend_from_slice(digits);
        self.pad_number(prefix, &all, self.precision.is_none(), out);
    }
}

fn spaces(count: usize, out: &mut Vec<u8>) {
    out.resize(out.len() + count, b' ');
}
