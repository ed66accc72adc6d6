//! The text of a program or of a macro, and how far it was read.

/// A text that is read byte by byte.
pub(super) struct Source {
    text: Vec<u8>,
    at: usize,
}

impl Source {
    /// A text from its beginning.
    pub(super) fn new(text: Vec<u8>) -> Self {
        Self { text, at: 0 }
    }

    /// The next byte, which is read.
    pub(super) fn byte(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    /// The next byte, which is read only if it is one of those.
    pub(super) fn one_of(&mut self, wanted: &[u8]) -> Option<u8> {
        let byte = self.peek().filter(|byte| wanted.contains(byte))?;
        self.at += 1;
        Some(byte)
    }

    /// Reads the rest of the line, without its newline.
    pub(super) fn skip_line(&mut self) {
        while self.peek().is_some_and(|byte| byte != b'\n') {
            self.at += 1;
        }
    }

    /// Reads the digits of a number, with at most one point. The first byte of a number was read
    /// already, unless that is its sign.
    pub(super) fn digits(&mut self, signed: bool) -> &[u8] {
        let start = if signed { self.at } else { self.at - 1 };
        let mut end = start;
        let mut point = false;
        while let Some(byte) = self.text.get(end) {
            match byte {
                b'0'..=b'9' | b'A'..=b'F' => {}
                b'.' if !point => point = true,
                _ => break,
            }
            end += 1;
        }
        self.at = end;
        &self.text[start..end]
    }

    /// Reads a text in brackets, whose first bracket was read already.
    pub(super) fn bracketed(&mut self) -> Vec<u8> {
        let start = self.at;
        let mut open = 1;
        while open > 0 {
            match self.byte() {
                Some(b'[') => open += 1,
                Some(b']') => open -= 1,
                Some(_) => {}
                None => return self.text[start..].to_vec(),
            }
        }
        self.text[start..self.at - 1].to_vec()
    }

    /// Whether only blanks are left.
    pub(super) fn is_done(&self) -> bool {
        self.text[self.at..].iter().all(u8::is_ascii_whitespace)
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }
}
