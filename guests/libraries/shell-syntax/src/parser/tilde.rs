//! Tildes that are expanded.

use crate::parser::class::{END, QUOTE, is};
use crate::parser::reader::Reader;
use crate::tree::{Bytes, Part};

impl Reader<'_> {
    /// The prefix from the tilde here to a slash, a colon or the end of the word; false when
    /// something in it is quoted or expanded, which makes the tilde an ordinary character. A
    /// brace or a comma ends it where braces are open; inside of an expansion, blanks
    /// and operators belong to it, and no user has such a name.
    pub(super) fn tilde(&mut self, parts: &mut Vec<Part>, braces: bool, inside: bool) -> bool {
        let mut length = 1;
        loop {
            match self.peek_at(length) {
                b'/' | b':' => break,
                b'\\' if self.peek_at(length + 1) == b'\n' => {
                    let at = self.pos() + length;
                    self.remove_continuation(at);
                }
                b'}' | b',' if braces => break,
                b'(' if length > 1 && self.options.extglob => {
                    let before = self.peek_at(length - 1);
                    if matches!(before, b'?' | b'*' | b'+' | b'@' | b'!') {
                        return false;
                    }
                    break;
                }
                byte if is(byte, END) && inside && byte != 0 => return false,
                byte if is(byte, END) => break,
                byte if is(byte, QUOTE) || byte == b'{' => return false,
                _ => length += 1,
            }
        }
        let start = self.pos();
        let name = Bytes::from(self.slice(start + 1, start + length));
        self.skip(length);
        parts.push(Part::Tilde(name));
        true
    }
}
