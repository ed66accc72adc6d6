//! The syntax tree of bc's language.
//!
//! Nodes that can fail at run time carry the address that GNU's byte code would have there, because
//! messages show it.

/// A named thing that holds a number.
#[derive(Debug, Clone, PartialEq)]
pub enum Place {
    /// A variable.
    Name(Vec<u8>),
    /// An element of an array.
    Element(Vec<u8>, Box<Expr>),
    /// `scale`
    Scale,
    /// `ibase`
    Ibase,
    /// `obase`
    Obase,
    /// `last` and `.`
    Last,
}

/// An argument of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// A number.
    Value(Expr),
    /// `a[]`
    Array(Vec<u8>),
}

/// An expression; the address stands behind the operator.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// A number as it is written: its value depends on `ibase` then.
    Number(Vec<u8>),
    /// What a place holds.
    Place(Place),
    /// `x = y`, `x += y`: the operator (`=` for none).
    Assign(Place, u8, Box<Expr>, usize),
    /// `++x` and its kin: what is added, and whether the value is the one before.
    Step(Place, i64, bool),
    /// Arithmetic: `+ - * / % ^`.
    Binary(u8, Box<Expr>, Box<Expr>, usize),
    /// A comparison: `= ! < > l g`.
    Compare(u8, Box<Expr>, Box<Expr>),
    /// `&&`
    And(Box<Expr>, Box<Expr>),
    /// `||`
    Or(Box<Expr>, Box<Expr>),
    /// `!`
    Not(Box<Expr>),
    /// `-`
    Minus(Box<Expr>),
    /// A call.
    Call(Vec<u8>, Vec<Argument>, usize),
    /// `length scale sqrt read`
    Builtin(&'static str, Option<Box<Expr>>, usize),
    /// In parentheses: an assignment there is printed.
    Group(Box<Expr>),
}

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub enum Stmt {
    /// An expression; printed unless it is an assignment.
    Expr(Expr),
    /// A string, printed as it is.
    Text(Vec<u8>),
    /// `print`
    Print(Vec<Piece>),
    /// `if`
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    /// `while`
    While(Expr, Box<Stmt>),
    /// `for`
    For(Option<Expr>, Option<Expr>, Option<Expr>, Box<Stmt>),
    /// `{ … }`
    Block(Vec<Stmt>),
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `return`
    Return(Option<Expr>),
    /// `halt`
    Halt,
    /// `limits`
    Limits,
    /// `warranty`
    Warranty,
}

/// What `print` prints.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// A string with its escapes.
    Text(Vec<u8>),
    /// A number.
    Value(Expr),
}

/// A parameter or a local variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: Vec<u8>,
    /// Whether it is an array.
    pub array: bool,
    /// Whether it is the caller's own.
    pub reference: bool,
}

/// A function.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// Its parameters.
    pub parameters: Vec<Variable>,
    /// Its `auto` variables.
    pub locals: Vec<Variable>,
    /// What it does.
    pub body: Vec<Stmt>,
    /// Whether it returns nothing.
    pub void: bool,
}

/// What is run at once.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// The statements of a line.
    Line(Vec<Stmt>),
    /// A definition.
    Define(Vec<u8>, Function),
    /// `quit`, which ends bc as soon as it is read; after the statements before it on the line.
    Quit(Vec<Stmt>),
}
