//! The tree of a program, with every name resolved to a slot.

use std::rc::Rc;

use crate::regex::Re;
use crate::text::Str;

/// A variable: a global one or one of the function at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Var {
    /// The slot of a global variable. The first ones are those of [`Special`].
    Global(usize),
    /// The number of a parameter.
    Local(usize),
}

/// Variables that mean something to awk itself; the numbers are their slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
#[expect(missing_docs, reason = "the names are awk's")]
pub enum Special {
    NF,
    NR,
    FNR,
    FS,
    OFS,
    ORS,
    RS,
    SUBSEP,
    CONVFMT,
    OFMT,
    IGNORECASE,
    FPAT,
    FIELDWIDTHS,
    // Those from here on are like any other variable once they are set.
    RSTART,
    RLENGTH,
    RT,
    FILENAME,
    ARGC,
    ARGIND,
    ERRNO,
    ARGV,
    ENVIRON,
    PROCINFO,
}

/// The names of [`Special`] in order.
pub const SPECIALS: [&str; 23] = [
    "NF",
    "NR",
    "FNR",
    "FS",
    "OFS",
    "ORS",
    "RS",
    "SUBSEP",
    "CONVFMT",
    "OFMT",
    "IGNORECASE",
    "FPAT",
    "FIELDWIDTHS",
    "RSTART",
    "RLENGTH",
    "RT",
    "FILENAME",
    "ARGC",
    "ARGIND",
    "ERRNO",
    "ARGV",
    "ENVIRON",
    "PROCINFO",
];

/// How many of the first slots need more than a store when they are set.
pub const WATCHED: usize = 13;

/// An operator on numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Pow,
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Compare {
    Less,
    LessEqual,
    Equal,
    NotEqual,
    Greater,
    GreaterEqual,
}

/// Where a value can be stored.
#[derive(Debug, Clone)]
pub enum Place {
    /// A variable.
    Var(Var),
    /// A field.
    Field(Box<Expr>),
    /// An element.
    Element(ArrayRef, Vec<Expr>),
}

/// An array: a variable, or an element that is an array.
#[derive(Debug, Clone)]
pub enum ArrayRef {
    /// A variable.
    Var(Var),
    /// `a[1]` in `a[1][2]`.
    Element(Box<ArrayRef>, Vec<Expr>),
}

/// What `getline` reads from.
#[derive(Debug, Clone)]
pub enum Source {
    /// The main input.
    Main,
    /// A file.
    File(Box<Expr>),
    /// A command.
    Command(Box<Expr>),
    /// A command that is also written to.
    Both(Box<Expr>),
}

/// An expression.
#[derive(Debug, Clone)]
pub enum Expr {
    /// A number.
    Num(f64),
    /// A string.
    Str(Str),
    /// `/re/`: whether `$0` matches, or where an expression is expected, that.
    Regex(Rc<Re>),
    /// `@/re/`.
    TypedRegex(Rc<Re>),
    /// A variable.
    Var(Var),
    /// `$1` with a number that is known.
    FieldAt(usize),
    /// `$x`.
    Field(Box<Expr>),
    /// `a[x]`.
    Element(ArrayRef, Vec<Expr>),
    /// `x = y`.
    Assign(Place, Box<Expr>),
    /// `x += y`.
    Update(Op, Place, Box<Expr>),
    /// `x = x y`, which appends.
    Append(Var, Box<Expr>),
    /// `++x` and its kin: what is added, and whether the value is the one before.
    Step(Place, f64, bool),
    /// Arithmetic.
    Binary(Op, Box<Expr>, Box<Expr>),
    /// A comparison.
    Compare(Compare, Box<Expr>, Box<Expr>),
    /// `x ~ y`; true for `!~`.
    Match(bool, Box<Expr>, Box<Expr>),
    /// `&&`
    And(Box<Expr>, Box<Expr>),
    /// `||`
    Or(Box<Expr>, Box<Expr>),
    /// `!`
    Not(Box<Expr>),
    /// `-x`
    Minus(Box<Expr>),
    /// `+x`
    Plus(Box<Expr>),
    /// `a ? b : c`
    Choose(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Strings one after the other.
    Concat(Vec<Expr>),
    /// `(i, j) in a`
    In(Vec<Expr>, ArrayRef),
    /// A call of a function of the program.
    Call(usize, Vec<Expr>),
    /// `@f(x)`: the function that a variable names.
    Indirect(Var, Vec<Expr>),
    /// A call of a built-in function.
    Builtin(&'static str, Vec<Expr>),
    /// `getline`
    Getline(Source, Option<Place>),
    /// `(x)`, which is no bare name any more.
    Plain(Box<Expr>),
    /// `(a, b)`: only for `print`.
    Group(Vec<Expr>),
}

/// Where `print` writes to.
#[derive(Debug, Clone)]
pub enum Target {
    /// Standard output.
    Stdout,
    /// `> file`
    File(Expr),
    /// `>> file`
    Append(Expr),
    /// `| command`
    Pipe(Expr),
    /// `|& command`
    Both(Expr),
}

/// A label of `switch`.
#[derive(Debug, Clone)]
pub enum Label {
    /// `case VALUE:`
    Value(Expr),
    /// `case /re/:`
    Regex(Rc<Re>),
    /// `default:`
    Default,
}

/// A statement and its line.
#[derive(Debug, Clone)]
pub struct Stmt {
    /// The line it starts on.
    pub line: u32,
    /// What it is.
    pub kind: Kind,
}

/// Statements.
#[derive(Debug, Clone)]
pub enum Kind {
    /// An expression for its effect.
    Expr(Expr),
    /// `print`
    Print(Vec<Expr>, Target),
    /// `printf`
    Printf(Vec<Expr>, Target),
    /// `if`
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `while`
    While(Expr, Vec<Stmt>),
    /// `do … while`
    Do(Vec<Stmt>, Expr),
    /// `for (;;)`
    For(
        Option<Box<Stmt>>,
        Option<Expr>,
        Option<Box<Stmt>>,
        Vec<Stmt>,
    ),
    /// `for (x in a)`
    ForIn(Place, ArrayRef, Vec<Stmt>),
    /// `switch`
    Switch(Expr, Vec<(Label, Vec<Stmt>)>),
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `next`
    Next,
    /// `nextfile`
    NextFile,
    /// `exit`
    Exit(Option<Expr>),
    /// `return`
    Return(Option<Expr>),
    /// `delete a[x]`
    Delete(ArrayRef, Vec<Expr>),
    /// `delete a`
    Clear(ArrayRef),
    /// `{ … }`
    Block(Vec<Stmt>),
}

/// When a rule runs.
#[derive(Debug, Clone)]
pub enum Pattern {
    /// For every record.
    Always,
    /// Where an expression is true.
    When(Expr),
    /// From one to another; the number of the range.
    Range(Expr, Expr, usize),
}

/// A pattern and what it does.
#[derive(Debug, Clone)]
pub struct Rule {
    /// The line it starts on.
    pub line: u32,
    /// When.
    pub pattern: Pattern,
    /// What; none prints the record.
    pub action: Option<Vec<Stmt>>,
}

/// A function of the program.
#[derive(Debug, Clone, Default)]
pub struct Function {
    /// Its name.
    pub name: Vec<u8>,
    /// The names of its parameters.
    pub parameters: Vec<Vec<u8>>,
    /// Which of them it uses as arrays.
    pub arrays: Vec<bool>,
    /// What it does.
    pub body: Vec<Stmt>,
}

/// A program.
#[derive(Debug, Default)]
pub struct Program {
    /// Names of the global variables by slot.
    pub globals: Vec<Vec<u8>>,
    /// Its functions.
    pub functions: Vec<Rc<Function>>,
    /// `BEGIN`
    pub begin: Vec<Stmt>,
    /// `BEGINFILE`
    pub begin_file: Vec<Stmt>,
    /// Rules for records.
    pub rules: Vec<Rule>,
    /// `ENDFILE`
    pub end_file: Vec<Stmt>,
    /// `END`
    pub end: Vec<Stmt>,
    /// Whether there is an `END`, be it empty.
    pub has_end: bool,
    /// How many ranges there are.
    pub ranges: usize,
    /// Strings with backslashes that mean nothing: their lines and characters.
    pub meaningless: Vec<(u32, u8)>,
}
