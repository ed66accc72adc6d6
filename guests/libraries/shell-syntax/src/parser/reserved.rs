//! Reserved words.

use crate::parser::class::{END, QUOTE, is};
use crate::parser::reader::Reader;

/// A reserved word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reserved {
    Bang,
    Case,
    Coproc,
    Do,
    Done,
    Elif,
    Else,
    Esac,
    Fi,
    For,
    Function,
    If,
    In,
    Select,
    Then,
    Time,
    Until,
    While,
    Open,
    Close,
    Cond,
    CondEnd,
}

impl Reserved {
    /// Whether it can only stand where a list has ended.
    pub(super) fn ends_list(self) -> bool {
        use Reserved::{Close, CondEnd, Do, Done, Elif, Else, Esac, Fi, Then};
        matches!(
            self,
            Close | CondEnd | Do | Done | Elif | Else | Esac | Fi | Then
        )
    }

    /// How long it is.
    pub(super) fn length(self) -> usize {
        use Reserved::*;
        match self {
            Bang | Open | Close => 1,
            Do | Fi | If | In | Cond | CondEnd => 2,
            For => 3,
            Case | Done | Elif | Else | Esac | Then | Time => 4,
            Until | While => 5,
            Coproc | Select => 6,
            Function => 8,
        }
    }

    /// Whether it starts a compound command.
    pub(super) fn starts_compound(self) -> bool {
        use Reserved::{Case, Cond, For, If, Open, Select, Until, While};
        matches!(self, Case | Cond | For | If | Open | Select | Until | While)
    }
}

fn find(word: &[u8]) -> Option<Reserved> {
    use Reserved::*;
    Some(match word {
        b"!" => Bang,
        b"case" => Case,
        b"coproc" => Coproc,
        b"do" => Do,
        b"done" => Done,
        b"elif" => Elif,
        b"else" => Else,
        b"esac" => Esac,
        b"fi" => Fi,
        b"for" => For,
        b"function" => Function,
        b"if" => If,
        b"in" => In,
        b"select" => Select,
        b"then" => Then,
        b"time" => Time,
        b"until" => Until,
        b"while" => While,
        b"{" => Open,
        b"}" => Close,
        b"[[" => Cond,
        b"]]" => CondEnd,
        _ => return None,
    })
}

/// Whether a word is reserved.
pub(crate) fn is_reserved(word: &[u8]) -> bool {
    find(word).is_some()
}

impl Reader<'_> {
    /// The reserved word here, if there is one. It is not passed.
    #[inline]
    pub(super) fn reserved(&mut self) -> Option<Reserved> {
        if !matches!(
            self.peek(),
            b'!' | b'c'..=b'f' | b'i' | b's'..=b'u' | b'w' | b'{' | b'}' | b'[' | b']'
        ) {
            return None;
        }
        self.reserved_word()
    }

    fn reserved_word(&mut self) -> Option<Reserved> {
        let mut length = 1;
        while length <= 9 {
            let byte = self.peek_at(length);
            if is(byte, END) {
                let start = self.pos();
                return find(self.slice(start, start + length));
            }
            if byte == b'\\' && self.peek_at(length + 1) == b'\n' {
                let at = self.pos() + length;
                self.remove_continuation(at);
                continue;
            }
            if is(byte, QUOTE) {
                return None;
            }
            length += 1;
        }
        None
    }

    /// Passes a reserved word that must be here.
    pub(super) fn expect(&mut self, word: Reserved) -> super::reader::Parse {
        self.expand_alias();
        if self.reserved() == Some(word) {
            self.skip(word.length());
            return Ok(());
        }
        Err(self.unexpected())
    }
}
