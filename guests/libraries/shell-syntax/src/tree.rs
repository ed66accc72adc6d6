//! The tree of a script: what the parser returns and the shell walks.
//!
//! Everything the parser can know is decided here once: quotes are resolved, braces and operators
//! found, arithmetic parsed where its text does not depend on expansions.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

pub use crate::name::Name;

/// Bytes of the script. Not necessarily UTF-8.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Bytes(pub Vec<u8>);

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", String::from_utf8_lossy(&self.0))
    }
}

impl Serialize for Bytes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        <&'de [u8]>::deserialize(deserializer).map(|bytes| Bytes(bytes.to_vec()))
    }
}

impl std::ops::Deref for Bytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Bytes {
        Bytes(bytes.to_vec())
    }
}

/// A part of the script's text: byte offsets, end exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Span {
    /// Where it starts.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
}

/// Commands one after another: `a && b; c & d`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct List {
    /// In order.
    pub items: Vec<Item>,
}

impl List {
    /// The line of its first command.
    pub fn line(&self) -> Option<u32> {
        Some(self.items.first()?.first.stages.first()?.line)
    }
}

/// An and-or list and how it ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// The first pipeline.
    pub first: Pipeline,
    /// What follows, each with the operator before it.
    pub rest: Vec<(AndOr, Pipeline)>,
    /// Whether `&` ends it.
    pub background: bool,
    /// Whether a newline ends it, and not `;`: bash prints that in `$(…)`.
    pub newline: bool,
}

/// `&&` or `||`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum AndOr {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Commands joined by `|`. `a |& b` is `a 2>&1 | b`: the redirection is the last of its stage, with
/// `implicit` set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pipeline {
    /// `time` before it.
    pub time: Option<Time>,
    /// Whether an odd number of `!` stands before it.
    pub negated: bool,
    /// One or more; none only for a lone `!` or `time`.
    pub stages: Vec<Command>,
}

/// The reserved word `time`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Time {
    /// `time -p`.
    pub posix: bool,
}

/// A command with its redirections.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// What it is.
    pub kind: CommandKind,
    /// In order. Those of a function definition belong to its body, in [`Function`].
    pub redirects: Vec<Redirect>,
    /// The line it starts on, from 1 (plus the parser's first line).
    pub line: u32,
    /// Its text.
    pub span: Span,
}

/// The kinds of command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CommandKind {
    /// Assignments and words.
    Simple(Simple),
    /// `{ …; }`
    Group(List),
    /// `( … )`
    Subshell(List),
    /// `if … then … elif … else … fi`
    If(Box<If>),
    /// `while … do … done`, `until … do … done`
    While(Box<While>),
    /// `for name in words; do … done`
    For(Box<For>),
    /// `for ((a; b; c)); do … done`
    ArithFor(Box<ArithFor>),
    /// `case word in … esac`
    Case(Box<Case>),
    /// `select name in words; do … done`
    Select(Box<For>),
    /// `[[ … ]]`
    Cond(Box<Cond>),
    /// `(( … ))`
    Arith(Box<Arith>),
    /// `name() …`, `function name …`
    Function(Rc<Function>),
    /// `coproc [NAME] command`
    Coproc(Box<Coproc>),
}

/// Assignments and words: `a=1 b=2 cmd x y`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Simple {
    /// Before the first word.
    pub assigns: Vec<Assign>,
    /// The command and its arguments.
    pub words: Vec<Argument>,
}

/// A word of a simple command. After a declaration builtin (`declare local export readonly
/// typeset`, as a literal first word, in posix mode also after `command`), arguments of the form of
/// an assignment are parsed as such.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Argument {
    /// A word, expanded into any number of fields.
    Word(Word),
    /// `name=value`, `name=(…)`, `name[sub]=value`, `name+=…` after a declaration builtin.
    Assign(Assign),
}

/// An assignment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assign {
    /// The variable.
    pub name: Name,
    /// `[subscript]`: as a word (associative arrays) and as arithmetic (indexed ones).
    pub subscript: Option<Box<Subscript>>,
    /// `+=`
    pub append: bool,
    /// What is assigned.
    pub value: AssignValue,
    /// Its text, as in `declare` and `set -x`.
    pub span: Span,
    /// The line it is on.
    pub line: u32,
}

/// What is assigned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum AssignValue {
    /// A word; tildes after `=` and `:` are [`Part::Tilde`]; neither split nor globbed.
    Word(Word),
    /// `(…)`
    Array(Vec<Element>),
}

/// An element of a compound array assignment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Element {
    /// `[subscript]=`; without one the next index, and the word is split and globbed.
    pub subscript: Option<Box<Subscript>>,
    /// `[subscript]+=`
    pub append: bool,
    /// The value.
    pub value: Word,
}

/// A subscript: its text as a word, and as arithmetic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Subscript {
    /// `[@]`
    At,
    /// `[*]`
    Star,
    /// Anything else.
    Expr {
        /// The key of an associative array (parsed as inside double quotes, quotes in it removed).
        word: Word,
        /// The index of an indexed array.
        arith: Arith,
    },
}

/// A redirection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redirect {
    /// The descriptor on the left: none is the operator's default.
    pub left: RedirectLeft,
    /// The operator and what is on the right.
    pub kind: RedirectKind,
    /// Made by `|&`.
    pub implicit: bool,
    /// The line it is on.
    pub line: u32,
}

/// The left side of a redirection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RedirectLeft {
    /// 0 for input, 1 for output.
    Default,
    /// `2>`
    Fd(u32),
    /// `{name}>`, `{name[sub]}>`
    Variable(Name, Option<Box<Subscript>>),
}

/// The operators of redirections.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RedirectKind {
    /// `< word`
    Read(Word),
    /// `> word`
    Write(Word),
    /// `>| word`
    Clobber(Word),
    /// `>> word`
    Append(Word),
    /// `<> word`
    ReadWrite(Word),
    /// `&> word`, and `>& word` where the word is neither a number nor `-` (known only after
    /// expansion: see `DupWrite`).
    WriteBoth(Word),
    /// `&>> word`
    AppendBoth(Word),
    /// `<& word`: a descriptor, `N-` to move it, `-` to close.
    DupRead(Word),
    /// `>& word`: the same; without a left side and with another word it is `&> word`.
    DupWrite(Word),
    /// `<<EOF`, `<<-EOF`
    HereDoc(Box<HereDoc>),
    /// `<<< word`
    HereString(Word),
}

/// A here-document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HereDoc {
    /// The delimiter with quotes removed.
    pub delimiter: Bytes,
    /// Whether any of it was quoted: then the body is one [`Part::Quoted`].
    pub quoted: bool,
    /// `<<-`: leading tabs are already gone.
    pub strip: bool,
    /// The body, expanded as within double quotes (but `"` is literal).
    pub body: Word,
}

/// `if`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct If {
    /// Condition and body of `if` and every `elif`.
    pub branches: Vec<(List, List)>,
    /// `else`
    pub otherwise: Option<List>,
}

/// `while` and `until`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct While {
    /// `until`
    pub until: bool,
    /// The condition.
    pub condition: List,
    /// The body.
    pub body: List,
}

/// `for` and `select`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct For {
    /// The variable. Not necessarily a valid name: the shell says so when it runs.
    pub variable: Bytes,
    /// `in words`; none means `"$@"`.
    pub words: Option<Vec<Word>>,
    /// The body.
    pub body: List,
}

/// `for ((first; condition; step))`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArithFor {
    /// Before the first turn.
    pub first: Option<Arith>,
    /// Before each turn.
    pub condition: Option<Arith>,
    /// After each turn.
    pub step: Option<Arith>,
    /// The body.
    pub body: List,
}

/// `case`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// What is matched.
    pub word: Word,
    /// The clauses, in order.
    pub clauses: Vec<CaseClause>,
}

/// A clause of `case`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseClause {
    /// Patterns, any of which may match.
    pub patterns: Vec<Word>,
    /// What runs.
    pub body: List,
    /// `;;`, `;&`, `;;&`
    pub end: CaseEnd,
}

/// How a clause ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CaseEnd {
    /// `;;`: done.
    Break,
    /// `;&`: go on with the next body.
    FallThrough,
    /// `;;&`: go on matching.
    Continue,
}

/// A function definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// Its name: any word without quotes or expansions, or bytes that the shell refuses when it
    /// runs.
    pub name: Bytes,
    /// The body with the redirections of the definition.
    pub body: Command,
    /// Whether it was written with the word `function`.
    pub keyword: bool,
}

/// `coproc`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coproc {
    /// Its name, `COPROC` by default.
    pub name: Bytes,
    /// What runs.
    pub command: Command,
}

/// The expression of `[[ … ]]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cond {
    /// `-f word`
    Unary(UnaryTest, Word),
    /// `a op b`; the right side of `== != =` is a pattern, that of `=~` a regular expression:
    /// unquoted parts have their special meaning there.
    Binary(BinaryTest, Word, Word),
    /// `word`: true unless empty.
    Word(Word),
    /// `! …`
    Not(Box<Cond>),
    /// `… && …`
    And(Box<Cond>, Box<Cond>),
    /// `… || …`
    Or(Box<Cond>, Box<Cond>),
    /// `( … )`
    Paren(Box<Cond>),
}

/// A unary operator by its letter: `-f` is `b'f'`; `-o` is an option, `-v` a variable, `-R` a
/// nameref.
pub type UnaryTest = u8;

/// The binary operators of `[[`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "named as written")]
pub enum BinaryTest {
    /// `==`
    Match,
    /// `=`: the same, written so.
    Equals,
    /// `!=`
    NoMatch,
    /// `=~`
    Regex,
    /// `<`
    Before,
    /// `>`
    After,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// `-nt`
    Newer,
    /// `-ot`
    Older,
    /// `-ef`
    SameFile,
}

/// A word: parts side by side. No parts is the empty word only for here-documents; `''` is one
/// empty [`Part::Quoted`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Word {
    /// In order.
    pub parts: Vec<Part>,
    /// Its text.
    pub span: Span,
}

impl Word {
    /// Its text when it is nothing but unquoted literal bytes.
    pub fn as_literal(&self) -> Option<&[u8]> {
        match self.parts.as_slice() {
            [] => Some(b""),
            [Part::Literal(bytes)] => Some(bytes),
            _ => None,
        }
    }
}

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Part {
    /// Unquoted text; `* ? [ ]` and so on are pattern characters. Backslash escapes are
    /// [`Part::Quoted`], except within the right side of `=~`. Inside [`Part::Double`]
    /// everything is literal.
    Literal(Bytes),
    /// Text that stands for itself: `'…'`, `\x`, `$'…'` (already decoded), `$"…"` is
    /// [`Part::Double`].
    Quoted(Bytes, Quote),
    /// `"…"`: the parts inside are never [`Part::Quoted`] by quotes, only by backslash.
    Double(Vec<Part>),
    /// `$name`, `${…}`
    Param(Box<Param>),
    /// `$(…)`, `` `…` ``, `${ …; }`
    Command(Box<CommandSub>),
    /// `$((…))`, `$[…]`
    Arith(Box<Arith>),
    /// `<(…)` and `>(…)`
    Process(Box<ProcessSub>),
    /// `~`, `~name`, `~+`, `~-`, `~2`: where a tilde is to be expanded; the text after the tilde.
    Tilde(Bytes),
    /// `{a,b}`, `{1..9}`
    Brace(Box<Brace>),
    /// `?(…)`, `*(…)`, `+(…)`, `@(…)`, `!(…)` where extglob is on (always inside `[[ == ]]`).
    ExtGlob(u8, Vec<Word>),
}

/// How [`Part::Quoted`] was written, for printing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Quote {
    /// `\x`
    Backslash,
    /// `'…'`
    Single,
    /// `$'…'`
    Ansi,
}

/// A parameter expansion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    /// What is expanded.
    pub subject: Subject,
    /// `[subscript]`
    pub subscript: Option<Subscript>,
    /// `${!name…}`: the value is the name of what is meant. `${!name[@]}` and `${!prefix*}` are
    /// [`ParamOp::Keys`] and [`ParamOp::Prefixed`] instead.
    pub indirect: bool,
    /// What is done with the value.
    pub op: ParamOp,
    /// Whether it was written with braces.
    pub braces: bool,
    /// Its text.
    pub span: Span,
    /// The line it is on.
    pub line: u32,
}

/// What a parameter expansion names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Subject {
    /// A variable.
    Variable(Name),
    /// `$1`, `${10}`; `$0` is 0.
    Positional(u32),
    /// `@ * # ? - $ !` by their byte.
    Special(u8),
}

/// What a parameter expansion does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ParamOp {
    /// The value.
    Value,
    /// `${#x}`
    Length,
    /// `${!x[@]}`, `${!x[*]}`: the subscript says which.
    Keys,
    /// `${!x@}`, `${!x*}`: names that start so; the byte is `@` or `*`.
    Prefixed(u8),
    /// `${x-w}`, `${x:-w}` and so on.
    Default {
        /// Which.
        op: DefaultOp,
        /// With a colon, an empty value counts as unset.
        colon: bool,
        /// The word; inside double quotes it is parsed as such.
        word: Word,
    },
    /// `${x#p}`, `${x##p}`, `${x%p}`, `${x%%p}`
    Trim {
        /// From the end (`%`).
        suffix: bool,
        /// The longest match (doubled).
        longest: bool,
        /// The pattern.
        pattern: Word,
    },
    /// `${x/p/r}` and its forms.
    Replace {
        /// First, all, at the start, at the end.
        which: ReplaceWhich,
        /// The pattern.
        pattern: Word,
        /// The replacement, where there is one.
        with: Option<Word>,
    },
    /// `${x:offset:length}`
    Slice {
        /// From where.
        offset: Arith,
        /// How much.
        length: Option<Arith>,
    },
    /// `${x^p}`, `${x^^p}`, `${x,p}`, `${x,,p}`, `${x~p}`, `${x~~p}`
    Case {
        /// The operator's byte.
        op: u8,
        /// Doubled.
        all: bool,
        /// The pattern, where there is one.
        pattern: Option<Word>,
    },
    /// `${x@Q}` and so on: the letter.
    Transform(u8),
    /// A form that bash only refuses when it runs: `bad substitution`. Holds all of its text,
    /// `${…}`.
    Bad(Bytes),
}

/// `- = ? +` in `${x-w}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DefaultOp {
    /// `-`
    Use,
    /// `=`
    Assign,
    /// `?`
    Error,
    /// `+`
    Alternative,
}

/// Which matches `${x/p/r}` replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReplaceWhich {
    /// `/`
    First,
    /// `//`
    All,
    /// `/#`
    Start,
    /// `/%`
    End,
}

/// A command substitution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandSub {
    /// What runs. Shared, so that it can outlive the word.
    pub list: Rc<List>,
    /// Written with backquotes.
    pub backquotes: bool,
    /// `$(<word)` and nothing else: the file's content.
    pub file: Option<Box<Redirect>>,
    /// The text as written, where bash prints it so: between backquotes, in a here-document, and
    /// where `$((` starts a command. Otherwise it is empty, and the list is printed.
    pub text: Bytes,
    /// The line it starts on.
    pub line: u32,
    /// A syntax error inside backquotes, which bash reports when it runs.
    pub error: Option<Bytes>,
}

/// A process substitution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessSub {
    /// `<(…)`: the command writes, and the word can be read.
    pub read: bool,
    /// What runs.
    pub list: Rc<List>,
    /// The line it starts on.
    pub line: u32,
}

/// A brace expansion, without what stands before and after it in the word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Brace {
    /// `{a,b}`
    List(Vec<Word>),
    /// `{1..9..2}`
    Numbers {
        /// From.
        from: i64,
        /// To.
        to: i64,
        /// By; 0 means 1.
        step: i64,
        /// Digits, when either end has leading zeros; 0 otherwise.
        width: u32,
    },
    /// `{a..e}`
    Letters {
        /// From.
        from: u8,
        /// To.
        to: u8,
        /// By; 0 means 1.
        step: i64,
    },
}

/// Arithmetic. Its text is expanded as within double quotes and then evaluated; where it has no
/// expansions but plain `$name`, `${name}`, `$1`, `$#`, `$?`…, `expr` is the parsed form already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arith {
    /// The text.
    pub word: Word,
    /// The expression, if it could be parsed without expanding. An [`Expr::Dollar`] in it is only
    /// valid when its value is a plain decimal number; otherwise `word` is expanded and
    /// parsed.
    pub expr: Option<Box<Expr>>,
    /// The line it is on.
    pub line: u32,
    /// Written as `$[…]`, for printing.
    pub brackets: bool,
}

/// An arithmetic expression.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Expr {
    /// A number.
    Number(i64),
    /// `x`, `x[i]`
    Variable(ArithName),
    /// `$x`, `$1`, `${x}`, `$#`.
    Dollar(Subject),
    /// `-x`, `+x`, `!x`, `~x` by their byte.
    Unary(u8, Box<Expr>),
    /// `a op b`
    Binary(ArithOp, Box<Expr>, Box<Expr>),
    /// `a && b`, `a || b`
    Logic(AndOr, Box<Expr>, Box<Expr>),
    /// `a ? b : c`
    Ternary(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `x = e`, `x op= e`
    Assign(ArithName, Option<ArithOp>, Box<Expr>),
    /// `++x`, `--x`, `x++`, `x--`
    Step {
        /// The variable.
        name: ArithName,
        /// `++`
        up: bool,
        /// Before the name: the value is the new one.
        before: bool,
    },
    /// `a, b`
    Comma(Box<Expr>, Box<Expr>),
}

/// A variable in arithmetic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArithName {
    /// The variable.
    pub name: Name,
    /// `[subscript]`
    pub subscript: Option<Box<Subscript>>,
}

/// The binary operators of arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "named as in every language")]
pub enum ArithOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Xor,
    Or,
}
