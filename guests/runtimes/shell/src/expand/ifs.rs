//! `IFS`: what splits fields.

use std::cell::RefCell;

use codepod_shell_syntax::Name;

use crate::pattern::chars;
use crate::shell::Shell;
use crate::text::Text;

/// In the table: splits, and is white space.
const SPACE: u8 = 1;
/// In the table: splits.
const OTHER: u8 = 2;
/// In the table: may be part of a pattern.
const GLOB: u8 = 4;
/// In the table: may start a character of several bytes that splits.
const LEAD: u8 = 8;

/// The value of `IFS`, prepared.
#[derive(Debug, Clone)]
pub struct Ifs {
    /// What it was made from; none when unset.
    value: Option<Text>,
    table: [u8; 256],
    /// Characters of several bytes that split.
    wide: Vec<u32>,
}

/// How a character splits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Splits {
    /// Not at all.
    No,
    /// As white space.
    Space,
    /// As any other character of `IFS`.
    Other,
}

thread_local! {
    static CURRENT: RefCell<Ifs> = RefCell::new(Ifs::new(None));
}

/// Calls with the current `IFS`, which is prepared anew only when its value has changed.
#[inline]
pub(crate) fn current<T>(shell: &Shell, with: impl FnOnce(&Ifs) -> T) -> T {
    let value = shell.state.variables.get(Name::IFS).scalar();
    CURRENT.with(|current| {
        if current.borrow().value.as_ref() != value {
            *current.borrow_mut() = Ifs::new(value.cloned());
        }
        with(&current.borrow())
    })
}

impl Ifs {
    /// Prepares a value; `None` is unset, which means blank, tab and newline.
    pub fn new(value: Option<Text>) -> Ifs {
        let bytes: &[u8] = value.as_deref().unwrap_or(b" \t\n");
        let mut table = [0u8; 256];
        for byte in b"*?[\\(" {
            table[usize::from(*byte)] |= GLOB;
        }
        let (mut at, mut wide) = (0, Vec::new());
        while at < bytes.len() {
            let (code, after) = chars::next(bytes, at);
            let first = usize::from(bytes[at]);
            if after - at > 1 {
                table[first] |= LEAD;
                wide.push(code);
            } else if matches!(bytes[at], b' ' | b'\t' | b'\n') {
                table[first] |= SPACE;
            } else {
                table[first] |= OTHER;
            }
            at = after;
        }
        Ifs { value, table, wide }
    }

    /// Whether there is anything in a text that splits it or may make it a pattern.
    #[inline]
    pub fn splits_or_globs(&self, text: &[u8]) -> bool {
        text.iter().any(|byte| self.table[usize::from(*byte)] != 0)
    }

    /// How the character at `at` splits, and where it ends.
    #[inline]
    pub fn at(&self, text: &[u8], at: usize) -> (Splits, usize) {
        match self.table[usize::from(text[at])] & (SPACE | OTHER | LEAD) {
            0 => (Splits::No, at + 1),
            SPACE => (Splits::Space, at + 1),
            OTHER => (Splits::Other, at + 1),
            kind => {
                let (code, after) = chars::next(text, at);
                if self.wide.contains(&code) {
                    (Splits::Other, after)
                } else if kind & OTHER != 0 {
                    (Splits::Other, at + 1)
                } else {
                    (Splits::No, at + 1)
                }
            }
        }
    }

    /// Whether nothing splits.
    pub fn is_empty(&self) -> bool {
        self.value.as_ref().is_some_and(|value| value.is_empty())
    }

    /// What joins the fields of `"$*"`: the first character, a blank when unset, nothing when
    /// empty.
    pub fn separator(&self) -> Text {
        match &self.value {
            None => Text::from(" "),
            Some(value) if value.is_empty() => Text::EMPTY,
            Some(value) => Text::new(&value[..chars::next(value, 0).1]),
        }
    }
}

/// What joins the fields of `"$*"`.
pub(crate) fn separator(shell: &Shell) -> Text {
    current(shell, Ifs::separator)
}
