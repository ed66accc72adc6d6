//! `[[ … ]]`

use super::Printer;
use crate::tree::{BinaryTest, Cond};

impl<'t> Printer<'t> {
    pub(super) fn cond(&mut self, cond: &'t Cond) {
        match cond {
            Cond::Unary(letter, word) => {
                self.put(&[b'-', *letter, b' ']);
                self.word(word);
            }
            Cond::Binary(test, left, right) => {
                self.word(left);
                self.put(operator(*test));
                self.word(right);
            }
            Cond::Word(word) => {
                self.put(b"-n ");
                self.word(word);
            }
            Cond::Not(inner) => {
                self.put(b"! ");
                self.cond(inner);
            }
            Cond::And(left, right) => {
                self.cond(left);
                self.put(b" && ");
                self.cond(right);
            }
            Cond::Or(left, right) => {
                self.cond(left);
                self.put(b" || ");
                self.cond(right);
            }
            Cond::Paren(inner) => {
                self.put(b"( ");
                self.cond(inner);
                self.put(b" )");
            }
        }
    }
}

/// A binary operator with its blanks.
pub(super) fn operator(test: BinaryTest) -> &'static [u8] {
    match test {
        BinaryTest::Match => b" == ",
        BinaryTest::Equals => b" = ",
        BinaryTest::NoMatch => b" != ",
        BinaryTest::Regex => b" =~ ",
        BinaryTest::Before => b" < ",
        BinaryTest::After => b" > ",
        BinaryTest::Eq => b" -eq ",
        BinaryTest::Ne => b" -ne ",
        BinaryTest::Lt => b" -lt ",
        BinaryTest::Le => b" -le ",
        BinaryTest::Gt => b" -gt ",
        BinaryTest::Ge => b" -ge ",
        BinaryTest::Newer => b" -nt ",
        BinaryTest::Older => b" -ot ",
        BinaryTest::SameFile => b" -ef ",
    }
}
