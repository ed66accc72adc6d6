//! The tree of an expression.

use crate::class::Class;

const NEWLINE: u32 = b'\n' as u32;

/// A node's number in [`Ast::nodes`].
pub(crate) type Id = u32;

/// A parsed expression.
#[derive(Debug, Default)]
pub(crate) struct Ast {
    /// All nodes; what a node refers to comes before it.
    pub(crate) nodes: Vec<Node>,
    /// The bracket expressions.
    pub(crate) classes: Vec<Class>,
    /// The whole.
    pub(crate) root: Id,
    /// How many groups there are.
    pub(crate) groups: usize,
    /// Whether there are back references.
    pub(crate) references: bool,
    /// What was at the start of an expression and should not have been, for grep's warnings.
    pub(crate) misplaced: Vec<&'static str>,
}

/// A part of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    /// Nothing.
    Empty,
    /// A character.
    Char(u32),
    /// `.`
    Any,
    /// `[…]`, by its number.
    Class(u32),
    /// `\1`
    Reference(u32),
    /// `^`, `$`, `\b` and so on.
    Anchor(Anchor),
    /// One after another.
    Concat(Vec<Id>),
    /// Either.
    Alt(Id, Id),
    /// Repeated; no end means any number.
    Repeat(Id, u32, Option<u32>),
    /// A group, counted from 1.
    Group(u32, Id),
}

/// What holds between two characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// `` \` ``, and `^` where lines do not matter
    Start,
    /// `\'`, and `$` where lines do not matter
    End,
    /// `^` where lines matter
    LineStart,
    /// `$` where lines matter
    LineEnd,
    /// No word character before: the start of what `grep -w` finds
    NotInWordBefore,
    /// No word character behind: its end
    NotInWordAfter,
    /// `\b`
    Boundary,
    /// `\B`
    NoBoundary,
    /// `\<`
    WordStart,
    /// `\>`
    WordEnd,
}

impl Anchor {
    /// Whether it holds between these two characters; none is the edge of the text.
    pub(crate) fn holds(self, before: Option<u32>, after: Option<u32>) -> bool {
        let word = |code: Option<u32>| code.is_some_and(crate::class::is_word);
        match self {
            Anchor::Start => before.is_none(),
            Anchor::End => after.is_none(),
            Anchor::LineStart => before.is_none_or(|code| code == NEWLINE),
            Anchor::LineEnd => after.is_none_or(|code| code == NEWLINE),
            Anchor::NotInWordBefore => !word(before),
            Anchor::NotInWordAfter => !word(after),
            Anchor::Boundary => word(before) != word(after),
            Anchor::NoBoundary => word(before) == word(after),
            Anchor::WordStart => !word(before) && word(after),
            Anchor::WordEnd => word(before) && !word(after),
        }
    }
}
