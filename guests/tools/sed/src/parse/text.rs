//! The text of `a`, `i` and `c`.

use super::{Mistake, Parser};
use crate::escape;

impl Parser<'_> {
    /// The text of `a`, `i` and `c`, with its newline.
    pub(super) fn lines(&mut self) -> Result<Vec<u8>, Mistake> {
        if let Some(whole) = self.start_of_lines()? {
            return Ok(whole);
        }
        let mut out = Vec::new();
        loop {
            match self.take() {
                None | Some(b'\n') => {
                    out.push(b'\n');
                    return Ok(out);
                }
                Some(b'\\') => match self.peek() {
                    None => {
                        // A backslash at the end of an expression: the text goes on in the next.
                        if self.next_source() {
                            out.push(b'\n');
                        }
                    }
                    Some(next) => {
                        let produced = escape::produced(&self.text()[self.at - 1..])
                            .filter(|(_, _)| next != b'n' && !out.is_empty());
                        match produced {
                            Some((byte, length)) => {
                                out.push(byte);
                                self.at += length - 1;
                            }
                            None => {
                                out.push(next);
                                self.at += 1;
                            }
                        }
                    }
                },
                Some(byte) => out.push(byte),
            }
        }
    }

    /// Goes to where the text starts; gives the text where nothing more has to be read for it.
    fn start_of_lines(&mut self) -> Result<Option<Vec<u8>>, Mistake> {
        let expected = "expected \\ after `a', `c' or `i'";
        self.skip_blanks();
        match self.peek() {
            None => return self.mistake(expected),
            Some(b'\\') => {
                self.at += 1;
                self.skip_blanks();
                match self.peek() {
                    Some(b'\n') => self.at += 1,
                    None => {
                        // The text is in the next expression.
                        if self.mode.posix {
                            return self.mistake("incomplete command");
                        }
                        if self.sources[self.source - 1].ended {
                            return Ok(Some(b"\n".to_vec()));
                        }
                        if !self.next_source() {
                            return Ok(Some(Vec::new()));
                        }
                    }
                    // Blanks behind the backslash belong to the text.
                    Some(_) => {
                        while self.at > 0 && matches!(self.text()[self.at - 1], b' ' | b'\t') {
                            self.at -= 1;
                        }
                    }
                }
            }
            Some(b'\n') => return self.mistake(expected),
            Some(_) if self.mode.posix => {
                self.at += 1;
                return self.mistake(expected);
            }
            Some(_) => {}
        }
        Ok(None)
    }
}
