//! A script, compiled.

use std::rc::Rc;

use codepod_posix_regex::Regex;

use crate::replacement::Replacement;

/// An expression; none is the one that was used last.
pub(crate) type Expression = Option<Rc<Regex>>;

/// An address.
#[derive(Debug, Clone)]
pub(crate) enum Address {
    /// A line's number; as the first address of a range 0 means before the first.
    Line(u64),
    /// Every so many lines from one on.
    Step(u64, u64),
    /// The last line.
    Last,
    /// Lines that match.
    Match(Expression),
    /// As a second address: this many lines more.
    More(u64),
    /// As a second address: up to the next multiple.
    Multiple(u64),
}

/// Which lines a command is for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Which {
    pub(crate) first: Option<Address>,
    pub(crate) second: Option<Address>,
    pub(crate) inverted: bool,
}

/// What a command does.
#[derive(Debug)]
pub(crate) enum Action {
    /// `{`, with the number of the command behind its `}`.
    Block(usize),
    /// `}`, a label, a comment.
    Nothing,
    Append(Vec<u8>),
    Insert(Vec<u8>),
    Change(Vec<u8>),
    /// To the command with this number.
    Branch(usize),
    BranchIfSubstituted(usize),
    BranchUnlessSubstituted(usize),
    Delete,
    DeleteFirst,
    FileName,
    GetHold,
    AppendHold,
    Hold,
    HoldAppend,
    Exchange,
    /// `e` with a command, whose output is printed.
    Execute(Vec<u8>),
    /// `e` alone: the pattern space is the command, and becomes its output.
    ExecutePattern,
    /// `l` with a width of its own.
    List(Option<usize>),
    Next,
    AppendNext,
    Print,
    PrintFirst,
    Quit(i32),
    QuitSilently(i32),
    ReadFile(Vec<u8>),
    ReadLine(Vec<u8>),
    Write(usize),
    WriteFirst(usize),
    LineNumber,
    Zap,
    Transliterate(Box<Transliteration>),
    Substitute(Box<Substitution>),
}

/// `y`.
#[derive(Debug)]
pub(crate) enum Transliteration {
    /// Each byte to another.
    Bytes(Box<[u8; 256]>),
    /// Characters that are not one byte each.
    Characters(Vec<(Vec<u8>, Vec<u8>)>),
}

/// When `s` prints the pattern space that it also runs as a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    Before,
    After,
}

/// `s`.
#[derive(Debug)]
pub(crate) struct Substitution {
    pub(crate) expression: Expression,
    pub(crate) replacement: Replacement,
    pub(crate) global: bool,
    pub(crate) print: Option<When>,
    /// What the pattern space becomes is run as a command, whose output takes its place.
    pub(crate) execute: bool,
    /// Which match is the first to be replaced.
    pub(crate) number: u64,
    /// The file that changed lines go to.
    pub(crate) write: Option<usize>,
}

/// A command.
#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) which: Which,
    pub(crate) action: Action,
}

/// A compiled script.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) commands: Vec<Command>,
    /// The names of files that are written.
    pub(crate) outputs: Vec<Vec<u8>>,
    /// `#n` is its first line.
    pub(crate) quiet: bool,
}
