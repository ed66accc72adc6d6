//! The dialects, and what else is to be known before an expression is read.

/// A dialect of expressions, as the bits of GNU's `re_syntax_options` describe it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Syntax {
    /// `( ) { } | + ?` are operators as they are, and `^ $` are anchors everywhere. Otherwise they
    /// need a backslash.
    pub extended: bool,
    /// What an operator does that has nothing to repeat.
    pub leading: Leading,
    /// `{` that starts no interval stands for itself.
    pub loose_interval: bool,
    /// `)` without `(` stands for itself.
    pub loose_parenthesis: bool,
    /// `\{` that has nothing to repeat is an error; otherwise it stands for itself. In the basic
    /// dialect so is `*` or `\{` behind another repetition.
    pub strict_interval: bool,
    /// A backslash quotes inside of brackets.
    pub bracket_escape: bool,
    /// `\+ \? \|` are operators of the basic dialect, or `+ ?` are (Emacs).
    pub emacs: bool,
    /// There are intervals.
    pub intervals: bool,
    /// There are back references.
    pub references: bool,
    /// GNU's `\w \W \s \S \b \B \< \> \` \'`.
    pub gnu: bool,
}

/// What `*`, `+` or `?` does where there is nothing to repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leading {
    /// It stands for itself.
    Literal,
    /// It is skipped.
    Skipped,
    /// It is an error.
    Error,
}

impl Syntax {
    /// POSIX basic expressions with GNU's additions, as sed and `regcomp` have them.
    pub const BASIC: Syntax = Syntax {
        extended: false,
        leading: Leading::Literal,
        loose_interval: false,
        loose_parenthesis: false,
        strict_interval: true,
        bracket_escape: false,
        emacs: false,
        intervals: true,
        references: true,
        gnu: true,
    };
    /// POSIX extended expressions, as `sed -E` has them.
    pub const EXTENDED: Syntax = Syntax {
        extended: true,
        leading: Leading::Error,
        ..Syntax::BASIC
    };
    /// Those of `regcomp` with `REG_EXTENDED`, as bash's `=~` and git have them.
    pub const REGCOMP_EXTENDED: Syntax = Syntax {
        loose_parenthesis: true,
        ..Syntax::EXTENDED
    };
    /// Those of `grep`.
    pub const GREP: Syntax = Syntax {
        strict_interval: false,
        ..Syntax::BASIC
    };
    /// Those of `grep -E`.
    pub const EGREP: Syntax = Syntax {
        extended: true,
        leading: Leading::Skipped,
        loose_interval: true,
        loose_parenthesis: true,
        strict_interval: false,
        ..Syntax::BASIC
    };
    /// Those of gawk.
    pub const AWK: Syntax = Syntax {
        extended: true,
        leading: Leading::Literal,
        loose_interval: true,
        loose_parenthesis: true,
        strict_interval: false,
        bracket_escape: true,
        references: false,
        ..Syntax::BASIC
    };
    /// Those of Emacs, which are find's own: `+ ?` are operators, there are no intervals.
    pub const EMACS: Syntax = Syntax {
        emacs: true,
        intervals: false,
        strict_interval: false,
        ..Syntax::BASIC
    };
}

/// How expressions are read and matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Config {
    /// The dialect.
    pub syntax: Syntax,
    /// Case of letters does not matter.
    pub icase: bool,
    /// `^` and `$` also match at newlines, and neither `.` nor `[^x]` matches a newline:
    /// `REG_NEWLINE`.
    pub multiline: bool,
    /// Texts are many lines that end with this byte; no match goes over it, and `^` and `$` match
    /// at it.
    pub line: Option<u8>,
    /// A match is no part of a longer word: `grep -w`.
    pub word: bool,
    /// A match is the whole text, or the whole line: `grep -x`.
    pub whole: bool,
}

impl Config {
    /// The plain use of a dialect.
    pub const fn new(syntax: Syntax) -> Config {
        Config {
            syntax,
            icase: false,
            multiline: false,
            line: None,
            word: false,
            whole: false,
        }
    }
}
