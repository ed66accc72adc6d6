//! The tree of an expression.

use super::class::Class;

/// A node's number in [`Ast::nodes`].
pub(super) type Id = u32;

/// A parsed expression.
#[derive(Debug, Default)]
pub(super) struct Ast {
    /// All nodes; what a node refers to comes before it.
    pub(super) nodes: Vec<Node>,
    /// The bracket expressions.
    pub(super) classes: Vec<Class>,
    /// The whole.
    pub(super) root: Id,
    /// How many groups there are.
    pub(super) groups: usize,
    /// Whether there are back references.
    pub(super) references: bool,
}

/// A part of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
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
pub(super) enum Anchor {
    /// `^` and `` \` ``
    Start,
    /// `$` and `\'`
    End,
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
    pub(super) fn holds(self, before: Option<u32>, after: Option<u32>) -> bool {
        let word = |code: Option<u32>| code.is_some_and(super::class::is_word);
        match self {
            Anchor::Start => before.is_none(),
            Anchor::End => after.is_none(),
            Anchor::Boundary => word(before) != word(after),
            Anchor::NoBoundary => word(before) == word(after),
            Anchor::WordStart => !word(before) && word(after),
            Anchor::WordEnd => word(before) && !word(after),
        }
    }
}
