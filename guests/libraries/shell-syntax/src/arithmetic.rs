//! Arithmetic: bash's operators, from text to [`Expr`].

mod number;
mod token;

use crate::parser::Options;
use crate::tree::{
    AndOr, Arith, ArithName, ArithOp, Bytes, Expr, Param, ParamOp, Part, Subscript, Word,
};
use token::{Lexer, Token};

/// How deep an expression may nest, so that evaluating it fits the stack.
const MAX_HEIGHT: u32 = 400;

/// How deep subscripts may nest; their text is kept at each level.
const MAX_SUBSCRIPTS: u32 = 6;

/// How many operators of one kind stand side by side before they are balanced.
const CHAIN: u32 = 48;

/// What is wrong with arithmetic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArithmeticError {
    /// bash's message: `syntax error: operand expected`, `syntax error in expression`, `value too
    /// great for base`, …
    pub message: &'static str,
    /// The error token, as bash prints it in `(error token is "…")`.
    pub token: Vec<u8>,
    /// Where the text ends as far as bash prints it: behind a bad number.
    pub end: Option<usize>,
    /// What bash has evaluated when it sees the mistake, and how high that is.
    pub before: Option<Box<Expr>>,
    height: u32,
}

impl ArithmeticError {
    /// The error, with `left` evaluated before everything it has so far.
    fn after(self, left: Expr, height: u32) -> ArithmeticError {
        self.within(height, |inner| match inner {
            Some(inner) => Expr::Comma(Box::new(left), inner),
            None => left,
        })
    }

    /// The error, with everything it has so far as a part of `outer`.
    fn within(
        mut self,
        height: u32,
        outer: impl FnOnce(Option<Box<Expr>>) -> Expr,
    ) -> ArithmeticError {
        self.height = self.height.max(height) + 1;
        // Trees that are too high are not evaluated.
        self.before = (self.height < MAX_HEIGHT).then(|| Box::new(outer(self.before)));
        self
    }
}

/// Parses arithmetic whose text is already expanded. The error is the message and the rest of the
/// text from the bad token on (`syntax error: operand expected`, `"* 2"`).
pub fn arithmetic(text: &[u8]) -> Result<Expr, ArithmeticError> {
    if text.contains(&0) {
        let text: Vec<u8> = text.iter().copied().filter(|byte| *byte != 0).collect();
        return parse(&text, &[]);
    }
    parse(text, &[])
}

/// The expression of text that holds nothing but literal text and plain parameters; none where it
/// has to be expanded first, or where it is wrong.
pub(crate) fn of_parts(parts: &[Part]) -> Option<Box<Expr>> {
    if let [Part::Literal(text)] = parts {
        return match text.0.as_slice() {
            [digit @ b'0'..=b'9'] => Some(Box::new(Expr::Number(i64::from(digit - b'0')))),
            text => parse(text, &[]).ok().map(Box::new),
        };
    }
    let mut text = Vec::new();
    let mut params = Vec::new();
    flatten(parts, &mut text, &mut params)?;
    parse(&text, &params).ok().map(Box::new)
}

/// Writes parts as text, with a NUL for each plain parameter.
fn flatten<'t>(parts: &'t [Part], text: &mut Vec<u8>, params: &mut Vec<&'t Param>) -> Option<()> {
    for part in parts {
        match part {
            Part::Literal(literal) => {
                if text.last() == Some(&0) && literal.first().is_some_and(sticks) {
                    return None;
                }
                text.extend_from_slice(literal);
            }
            Part::Param(param)
                if matches!(param.op, ParamOp::Value)
                    && !param.indirect
                    && param.subscript.is_none()
                    && !matches!(param.subject, crate::tree::Subject::Special(b'@' | b'*')) =>
            {
                if text.last().is_some_and(sticks) {
                    return None;
                }
                text.push(0);
                params.push(param);
            }
            Part::Double(inside) => {
                let brackets = |part: &Part| matches!(part, Part::Literal(text) if text.iter().any(|byte| b"[]'\"\\".contains(byte)));
                if inside.iter().any(brackets) {
                    return None;
                }
                flatten(inside, text, params)?;
            }
            _ => return None,
        }
    }
    Some(())
}

/// Whether a byte beside a parameter would be one token with it.
fn sticks(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'#' | b'@' | 0)
}

fn parse(text: &[u8], params: &[&Param]) -> Result<Expr, ArithmeticError> {
    parse_at(text, params, 0)
}

fn parse_at(text: &[u8], params: &[&Param], depth: u32) -> Result<Expr, ArithmeticError> {
    let mut math = Math {
        lexer: Lexer::new(text, params, depth),
        depth: 0,
        last_name: None,
    };
    math.lexer.advance()?;
    if math.lexer.token == Token::End {
        return Ok(Expr::Number(0));
    }
    let (expr, height) = math.comma()?;
    if math.lexer.token != Token::End {
        let error = math.lexer.error("syntax error in expression");
        let error = match &math.lexer.token {
            // bash looks at the value of a name as it reads it, and that is when it has read the
            // token behind.
            Token::Name(name) => {
                let error = error.after(Expr::Variable(name.clone()), 1);
                match math.names() {
                    Ok(()) => error,
                    Err(behind) if matches!(expr, Expr::Variable(_)) => return Err(behind),
                    Err(behind) => behind,
                }
            }
            _ => error,
        };
        return Err(error.after(expr, height));
    }
    Ok(expr)
}

type Tree = (Expr, u32);

struct Math<'t> {
    lexer: Lexer<'t>,
    depth: u32,
    /// The variable that the last operand ended with: what `=` assigns to.
    last_name: Option<ArithName>,
}

impl Math<'_> {
    fn node(&self, expr: Expr, height: u32) -> Result<Tree, ArithmeticError> {
        if height >= MAX_HEIGHT {
            return Err(self.lexer.error("expression recursion level exceeded"));
        }
        Ok((expr, height + 1))
    }

    fn comma(&mut self) -> Result<Tree, ArithmeticError> {
        self.depth += 1;
        if self.depth > MAX_HEIGHT / 2 {
            return Err(self.lexer.error("expression recursion level exceeded"));
        }
        let (mut left, mut height) = self.assign()?;
        while self.lexer.token == Token::Op(b',') {
            let right = match self.lexer.advance() {
                Ok(()) => self.assign(),
                Err(error) => Err(error),
            };
            let (right, other) = match right {
                Ok(right) => right,
                Err(error) => return Err(error.after(left, height)),
            };
            let node = Expr::Comma(Box::new(left), Box::new(right));
            (left, height) = self.node(node, height.max(other))?;
        }
        self.depth -= 1;
        Ok((left, height))
    }

    fn assign(&mut self) -> Result<Tree, ArithmeticError> {
        let (left, height) = self.condition()?;
        let operator = match self.lexer.token {
            Token::Op(b'=') => None,
            Token::Assign(operator) => Some(operator),
            _ => return Ok((left, height)),
        };
        let Some(name) = self.last_name.take() else {
            let error = self.lexer.error("attempted assignment to non-variable");
            return Err(error.after(left, height));
        };
        self.lexer.advance()?;
        self.depth += 1;
        if self.depth > MAX_HEIGHT / 2 {
            return Err(self.lexer.error("expression recursion level exceeded"));
        }
        let (right, height) = match self.assign() {
            Ok(right) => right,
            // The old value was looked at.
            Err(error) if operator.is_some() => return Err(error.after(Expr::Variable(name), 1)),
            Err(error) => return Err(error),
        };
        self.depth -= 1;
        self.last_name = None;
        self.node(Expr::Assign(name, operator, Box::new(right)), height)
    }

    fn condition(&mut self) -> Result<Tree, ArithmeticError> {
        let (left, height) = self.binary(1)?;
        if self.lexer.token != Token::Op(b'?') {
            return Ok((left, height));
        }
        let (then, first) = match self.then() {
            Ok(then) => then,
            Err(error) => {
                return Err(error.within(height, |inner| match inner {
                    Some(inner) => Expr::Logic(AndOr::And, Box::new(left), inner),
                    None => left,
                }));
            }
        };
        let (otherwise, second) = match self.otherwise() {
            Ok(otherwise) => otherwise,
            Err(error) => {
                return Err(error.within(height.max(first), |inner| {
                    let inner = inner.unwrap_or_else(|| Box::new(Expr::Number(0)));
                    Expr::Ternary(Box::new(left), Box::new(then), inner)
                }));
            }
        };
        self.last_name = None;
        let node = Expr::Ternary(Box::new(left), Box::new(then), Box::new(otherwise));
        self.node(node, height.max(first).max(second))
    }

    /// `? then`
    fn then(&mut self) -> Result<Tree, ArithmeticError> {
        self.lexer.advance()?;
        if matches!(self.lexer.token, Token::End | Token::Op(b':')) {
            return Err(self.lexer.error("expression expected"));
        }
        let (then, height) = self.comma()?;
        if self.lexer.token != Token::Op(b':') {
            let error = self.lexer.error("`:' expected for conditional expression");
            return Err(error.after(then, height));
        }
        Ok((then, height))
    }

    /// `: otherwise`
    fn otherwise(&mut self) -> Result<Tree, ArithmeticError> {
        self.lexer.advance()?;
        if self.lexer.token == Token::End {
            return Err(self.lexer.error("expression expected"));
        }
        self.enter()?;
        let otherwise = self.condition()?;
        self.depth -= 1;
        Ok(otherwise)
    }

    /// Operators that bind at least as tight as `least`.
    fn binary(&mut self, least: u8) -> Result<Tree, ArithmeticError> {
        let (mut left, mut height) = self.unary()?;
        let mut chain = 0;
        let mut terms: Vec<Tree> = Vec::new();
        let mut kind = None;
        while let Some((operator, binds)) = self.lexer.token.binary() {
            if binds < least {
                break;
            }
            let (right, other) = match self.right(binds) {
                Ok(right) => right,
                Err(error) => {
                    let (left, height) = self.balance((left, height), &mut terms, kind)?;
                    return Err(match operator {
                        Operator::Logic(logic) => error.within(height, |inner| match inner {
                            Some(inner) => Expr::Logic(logic, Box::new(left), inner),
                            None => left,
                        }),
                        Operator::Plain(_) => error.after(left, height),
                    });
                }
            };
            self.last_name = None;
            let grouped = operator.group();
            if grouped.is_some() && grouped == kind && chain >= CHAIN {
                let right = match operator {
                    Operator::Plain(ArithOp::Subtract) => {
                        self.node(Expr::Unary(b'-', Box::new(right)), other)?
                    }
                    _ => (right, other),
                };
                terms.push(right);
                continue;
            }
            if !terms.is_empty() {
                (left, height) = self.balance((left, height), &mut terms, kind)?;
                chain = 0;
            }
            chain = if grouped == kind { chain + 1 } else { 1 };
            kind = grouped;
            (left, height) = self.node(operator.node(left, right), height.max(other))?;
        }
        if !terms.is_empty() {
            return self.balance((left, height), &mut terms, kind);
        }
        Ok((left, height))
    }

    /// What stands behind an operator that binds as tight as this.
    fn right(&mut self, binds: u8) -> Result<Tree, ArithmeticError> {
        self.lexer.advance()?;
        // `**` is right-associative.
        if binds == token::POWER {
            self.enter()?;
            let right = self.binary(binds)?;
            self.depth -= 1;
            return Ok(right);
        }
        self.binary(binds + 1)
    }

    /// Joins many terms of one associative operator; their order stays.
    fn balance(
        &self,
        left: Tree,
        terms: &mut Vec<Tree>,
        kind: Option<Operator>,
    ) -> Result<Tree, ArithmeticError> {
        let Some(kind) = kind else {
            return Ok(left);
        };
        let mut level: Vec<Tree> = Vec::with_capacity(terms.len() + 1);
        level.push(left);
        level.append(terms);
        while level.len() > 1 {
            let mut next = Vec::with_capacity(level.len().div_ceil(2));
            let mut pairs = level.into_iter();
            while let Some((first, height)) = pairs.next() {
                match pairs.next() {
                    Some((second, other)) => {
                        next.push(self.node(kind.node(first, second), height.max(other))?);
                    }
                    None => next.push((first, height)),
                }
            }
            level = next;
        }
        level
            .pop()
            .ok_or_else(|| self.lexer.error("syntax error in expression"))
    }

    fn enter(&mut self) -> Result<(), ArithmeticError> {
        self.depth += 1;
        if self.depth > MAX_HEIGHT / 2 {
            return Err(self.lexer.error("expression recursion level exceeded"));
        }
        Ok(())
    }

    fn unary(&mut self) -> Result<Tree, ArithmeticError> {
        self.last_name = None;
        match self.lexer.token {
            Token::Op(operator @ (b'!' | b'~' | b'-' | b'+')) => {
                self.lexer.advance()?;
                self.enter()?;
                let (inner, height) = self.unary()?;
                self.depth -= 1;
                self.last_name = None;
                self.node(Expr::Unary(operator, Box::new(inner)), height)
            }
            _ => self.operand(),
        }
    }

    fn operand(&mut self) -> Result<Tree, ArithmeticError> {
        match std::mem::replace(&mut self.lexer.token, Token::End) {
            Token::Number(number) => {
                self.lexer.advance_after(token::After::Number)?;
                Ok((Expr::Number(number), 1))
            }
            Token::Dollar(subject) => {
                self.lexer.advance_after(token::After::Number)?;
                if matches!(self.lexer.token, Token::Op(b'=') | Token::Assign(_)) {
                    return Err(self.lexer.error("attempted assignment to non-variable"));
                }
                Ok((Expr::Dollar(subject), 1))
            }
            Token::Name(name) => {
                self.lexer.advance_after(token::After::Name)?;
                if let Token::Step(up) = self.lexer.token {
                    let before = false;
                    return self
                        .operand_is((Expr::Step { name, up, before }, 1), token::After::Number);
                }
                if matches!(self.lexer.token, Token::Op(b'=') | Token::Assign(_)) {
                    self.last_name = Some(name);
                    return Ok((Expr::Number(0), 1));
                }
                Ok((Expr::Variable(name), 1))
            }
            Token::Step(up) => {
                self.lexer.advance()?;
                let Token::Name(name) = std::mem::replace(&mut self.lexer.token, Token::End) else {
                    return Err(self
                        .lexer
                        .error("identifier expected after pre-increment or pre-decrement"));
                };
                self.lexer.advance_after(token::After::Stepped)?;
                let before = true;
                Ok((Expr::Step { name, up, before }, 1))
            }
            Token::Op(b'(') => {
                self.lexer.advance()?;
                let inner = self.comma()?;
                self.last_name = None;
                if self.lexer.token != Token::Op(b')') {
                    let error = self.lexer.error("missing `)'");
                    return Err(error.after(inner.0, inner.1));
                }
                self.operand_is(inner, token::After::Number)
            }
            other => {
                self.lexer.token = other;
                Err(self.lexer.error("syntax error: operand expected"))
            }
        }
    }
}

impl Math<'_> {
    /// Reads names up to what is none.
    #[cold]
    fn names(&mut self) -> Result<(), ArithmeticError> {
        while let Token::Name(_) = self.lexer.token {
            self.lexer.advance_after(token::After::Name)?;
        }
        Ok(())
    }

    /// Reads the token behind an operand.
    fn operand_is(&mut self, tree: Tree, after: token::After) -> Result<Tree, ArithmeticError> {
        match self.lexer.advance_after(after) {
            Ok(()) => Ok(tree),
            Err(error) => Err(error.after(tree.0, tree.1)),
        }
    }
}

/// A binary operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Plain(ArithOp),
    Logic(AndOr),
}

impl Operator {
    fn node(self, left: Expr, right: Expr) -> Expr {
        let (left, right) = (Box::new(left), Box::new(right));
        match self {
            Operator::Plain(operator) => Expr::Binary(operator, left, right),
            Operator::Logic(operator) => Expr::Logic(operator, left, right),
        }
    }

    /// The associative operator that joins a chain of this one.
    fn group(self) -> Option<Operator> {
        match self {
            Operator::Plain(ArithOp::Add | ArithOp::Subtract) => {
                Some(Operator::Plain(ArithOp::Add))
            }
            Operator::Plain(ArithOp::Multiply | ArithOp::And | ArithOp::Or | ArithOp::Xor)
            | Operator::Logic(_) => Some(self),
            Operator::Plain(_) => None,
        }
    }
}

/// A subscript in arithmetic, from its text.
fn subscript(text: &[u8], params: &[&Param], depth: u32) -> Option<Subscript> {
    match text {
        b"@" => return Some(Subscript::At),
        b"*" => return Some(Subscript::Star),
        _ => {}
    }
    let parts = if text.iter().any(|byte| b"$`'\"\\".contains(byte)) {
        if !params.is_empty() || depth >= MAX_SUBSCRIPTS {
            return None;
        }
        crate::parser::word(text, Options::default()).ok()?.parts
    } else {
        let mut parts = Vec::new();
        let mut params = params.iter();
        for (index, piece) in text.split(|byte| *byte == 0).enumerate() {
            if index > 0 {
                let param = params.next()?;
                parts.push(Part::Param(Box::new((*param).clone())));
            }
            if !piece.is_empty() {
                parts.push(Part::Literal(Bytes::from(piece)));
            }
        }
        parts
    };
    let expr = if depth >= MAX_SUBSCRIPTS {
        None
    } else {
        parse_at(text, params, depth + 1).ok().map(Box::new)
    };
    let word = Word {
        parts,
        ..Word::default()
    };
    Some(Subscript::Expr {
        word: word.clone(),
        arith: Arith {
            word,
            expr,
            line: 0,
            brackets: false,
        },
    })
}
