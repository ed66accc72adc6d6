//! Replacing aliases in the text.

use crate::parser::class::{END, QUOTE, is};
use crate::parser::reader::Reader;

/// How many bytes aliases may put into a script altogether.
const MOST: usize = 16 << 20;

/// An alias whose text is being read: it is not replaced again meanwhile.
#[derive(Debug)]
pub(super) struct Expansion {
    name: Vec<u8>,
    /// Where its text ends.
    end: usize,
    /// Its text ends in a blank, so that the next word may be an alias too.
    next: bool,
}

/// Whether text is nothing but blanks and continued lines.
fn is_blank(mut text: &[u8]) -> bool {
    loop {
        text = match text {
            [] => return true,
            [b' ' | b'\t', rest @ ..] | [b'\\', b'\n', rest @ ..] => rest,
            _ => return false,
        };
    }
}

impl Reader<'_> {
    /// Replaces the word here as long as it is an alias. Call it where a command may start.
    #[inline]
    pub(super) fn expand_alias(&mut self) {
        if self.options.aliases {
            while self.replace_alias() {
                self.blanks();
            }
        }
    }

    /// Expands an alias in a word that follows an alias which ends in a blank.
    #[inline]
    pub(super) fn expand_alias_argument(&mut self) {
        if self.input.expansions.is_empty() {
            return;
        }
        let pos = self.pos();
        let follows = self.input.expansions.iter().any(|expansion| {
            expansion.next && expansion.end <= pos && is_blank(&self.input.text[expansion.end..pos])
        });
        if follows {
            while self.replace_alias() {
                self.blanks();
            }
        }
        self.forget_expansions();
    }

    fn forget_expansions(&mut self) {
        let pos = self.pos();
        self.input
            .expansions
            .retain(|expansion| expansion.end > pos);
    }

    fn replace_alias(&mut self) -> bool {
        let mut length = 0;
        loop {
            let byte = self.peek_at(length);
            if is(byte, END) {
                break;
            }
            if is(byte, QUOTE) {
                return false;
            }
            length += 1;
        }
        if length == 0 {
            return false;
        }
        let pos = self.pos();
        let name = self.slice(pos, pos + length);
        let blocked = self
            .input
            .expansions
            .iter()
            .any(|expansion| expansion.end > pos && expansion.name == name);
        if blocked {
            return false;
        }
        let Some(text) = self.aliases.get(name) else {
            return false;
        };
        if self.input.expanded.saturating_add(text.len()) > MOST {
            return false;
        }
        let name = name.to_vec();
        self.input.expanded += text.len();
        self.late_line = 0;
        let lines = self.input.newlines_before(pos);
        self.input.changes(pos, lines);
        self.input.set_rest_aside(length);
        for expansion in &mut self.input.expansions {
            if expansion.end > pos {
                expansion.end = expansion.end + text.len() - length;
            }
        }
        self.input.expansions.push(Expansion {
            name,
            end: pos + text.len(),
            next: matches!(text.last(), Some(b' ' | b'\t')),
        });
        // A blank behind it keeps its last word apart from what follows.
        self.input.text.splice(
            pos..pos + length,
            text.iter().copied().filter(|byte| *byte != 0),
        );
        true
    }
}
