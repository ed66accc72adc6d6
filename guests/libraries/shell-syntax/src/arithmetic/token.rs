//! The tokens of arithmetic.

use super::{ArithmeticError, Operator, number};
use crate::tree::{AndOr, ArithName, ArithOp, Name, Param, Subject};

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    End,
    Number(i64),
    Name(ArithName),
    /// A parameter that is expanded before.
    Dollar(Subject),
    /// An operator of one byte.
    Op(u8),
    /// An operator of two bytes, by both.
    Two(u8, u8),
    /// `++` (true) or `--`.
    Step(bool),
    /// `+=` and so on.
    Assign(ArithOp),
}

/// How tight `**` binds.
pub(super) const POWER: u8 = 11;

impl Token {
    /// The binary operator it is, and how tight it binds.
    pub(super) fn binary(&self) -> Option<(Operator, u8)> {
        use ArithOp::*;
        let (operator, binds) = match self {
            Token::Two(b'|', b'|') => return Some((Operator::Logic(AndOr::Or), 1)),
            Token::Two(b'&', b'&') => return Some((Operator::Logic(AndOr::And), 2)),
            Token::Op(b'|') => (Or, 3),
            Token::Op(b'^') => (Xor, 4),
            Token::Op(b'&') => (And, 5),
            Token::Two(b'=', b'=') => (Equal, 6),
            Token::Two(b'!', b'=') => (NotEqual, 6),
            Token::Op(b'<') => (Less, 7),
            Token::Op(b'>') => (Greater, 7),
            Token::Two(b'<', b'=') => (LessEqual, 7),
            Token::Two(b'>', b'=') => (GreaterEqual, 7),
            Token::Two(b'<', b'<') => (ShiftLeft, 8),
            Token::Two(b'>', b'>') => (ShiftRight, 8),
            Token::Op(b'+') => (Add, 9),
            Token::Op(b'-') => (Subtract, 9),
            Token::Op(b'*') => (Multiply, 10),
            Token::Op(b'/') => (Divide, 10),
            Token::Op(b'%') => (Remainder, 10),
            Token::Two(b'*', b'*') => (Power, POWER),
            _ => return None,
        };
        Some((Operator::Plain(operator), binds))
    }
}

/// What was read before the next token: it decides what `++` is, and how an error is worded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    /// The start, or an operator.
    Operator,
    /// A name.
    Name,
    /// A number or something in parentheses.
    Number,
    /// `++name`
    Stepped,
}

/// Reads tokens.
pub(super) struct Lexer<'t> {
    text: &'t [u8],
    params: &'t [&'t Param],
    next_param: usize,
    pos: usize,
    /// Where the last token that was not the end starts.
    last: usize,
    /// The token that comes next.
    pub(super) token: Token,
    depth: u32,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t [u8], params: &'t [&'t Param], depth: u32) -> Lexer<'t> {
        Lexer {
            text,
            params,
            next_param: 0,
            pos: 0,
            last: 0,
            token: Token::End,
            depth,
        }
    }

    /// An error at the last token.
    #[cold]
    pub(super) fn error(&self, message: &'static str) -> ArithmeticError {
        ArithmeticError {
            message,
            token: self.text.get(self.last..).unwrap_or(&[]).to_vec(),
            end: None,
            before: None,
            height: 0,
        }
    }

    fn at(&self, pos: usize) -> u8 {
        // A NUL stands for a parameter, never for the end.
        self.text.get(pos).copied().unwrap_or(b'\n')
    }

    /// The next token, after an operator.
    pub(super) fn advance(&mut self) -> Result<(), ArithmeticError> {
        self.advance_after(After::Operator)
    }

    /// The next token.
    pub(super) fn advance_after(&mut self, after: After) -> Result<(), ArithmeticError> {
        while self.pos < self.text.len() && matches!(self.text[self.pos], b' ' | b'\t' | b'\n') {
            self.pos += 1;
        }
        let Some(&byte) = self.text.get(self.pos) else {
            self.token = Token::End;
            return Ok(());
        };
        self.last = self.pos;
        self.token = match byte {
            0 => {
                let param = self.params.get(self.next_param);
                self.next_param += 1;
                self.pos += 1;
                match param {
                    Some(param) => Token::Dollar(param.subject),
                    None => return Err(self.error("syntax error: operand expected")),
                }
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.name()?,
            b'0'..=b'9' => self.number()?,
            _ => self.operator(byte, after)?,
        };
        Ok(())
    }

    fn name(&mut self) -> Result<Token, ArithmeticError> {
        let start = self.pos;
        while matches!(self.at(self.pos), b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'0'..=b'9') {
            self.pos += 1;
        }
        let name = Name::new(&self.text[start..self.pos]);
        let subscript = if self.at(self.pos) == b'[' {
            Some(Box::new(self.subscript()?))
        } else {
            None
        };
        Ok(Token::Name(ArithName { name, subscript }))
    }

    fn subscript(&mut self) -> Result<crate::tree::Subscript, ArithmeticError> {
        let open = self.pos + 1;
        let mut nested = 0u32;
        let mut at = open;
        let mut quote = 0u8;
        loop {
            let Some(&byte) = self.text.get(at) else {
                return Err(self.error("bad array subscript"));
            };
            match byte {
                b'\\' => at += 1,
                b'\'' | b'"' if quote == 0 => quote = byte,
                _ if quote != 0 && byte == quote => quote = 0,
                _ if quote != 0 => {}
                b'[' => nested += 1,
                b']' if nested == 0 => break,
                b']' => nested -= 1,
                _ => {}
            }
            at += 1;
        }
        let text = &self.text[open..at];
        self.pos = at + 1;
        let count = text.iter().filter(|byte| **byte == 0).count();
        let params = self
            .params
            .get(self.next_param..self.next_param + count)
            .unwrap_or(&[]);
        self.next_param += count;
        super::subscript(text, params, self.depth).ok_or_else(|| self.error("bad array subscript"))
    }

    fn number(&mut self) -> Result<Token, ArithmeticError> {
        let start = self.pos;
        while self.at(self.pos).is_ascii_alphanumeric()
            || matches!(self.at(self.pos), b'#' | b'@' | b'_')
        {
            self.pos += 1;
        }
        match number::parse(&self.text[start..self.pos]) {
            Ok(number) => Ok(Token::Number(number)),
            Err(message) => Err(ArithmeticError {
                token: self.text[start..self.pos].to_vec(),
                end: Some(self.pos),
                ..self.error(message)
            }),
        }
    }

    fn operator(&mut self, byte: u8, after: After) -> Result<Token, ArithmeticError> {
        let next = self.at(self.pos + 1);
        if matches!((byte, next), (b'<', b'<') | (b'>', b'>')) && self.at(self.pos + 2) == b'=' {
            self.pos += 3;
            return Ok(Token::Assign(if byte == b'<' {
                ArithOp::ShiftLeft
            } else {
                ArithOp::ShiftRight
            }));
        }
        if matches!(
            &[byte, next],
            b"==" | b"!=" | b"<=" | b">=" | b"&&" | b"||" | b"<<" | b">>" | b"**"
        ) {
            self.pos += 2;
            return Ok(Token::Two(byte, next));
        }
        if matches!(byte, b'+' | b'-') && next == byte {
            return self.step(byte, after);
        }
        if next == b'='
            && let Some(operator) = assigned_with(byte)
        {
            self.pos += 2;
            return Ok(Token::Assign(operator));
        }
        if b"=><+-*/%!()&|^~?:,".contains(&byte) {
            self.pos += 1;
            return Ok(Token::Op(byte));
        }
        Err(self.error(if after == After::Operator {
            "syntax error: operand expected"
        } else {
            "syntax error: invalid arithmetic operator"
        }))
    }

    /// `++` or `--`, or the first of two signs.
    fn step(&mut self, byte: u8, after: After) -> Result<Token, ArithmeticError> {
        let up = byte == b'+';
        match after {
            After::Name => {
                self.pos += 2;
                Ok(Token::Step(up))
            }
            After::Stepped => Err(self.error(if up {
                "++: assignment requires lvalue"
            } else {
                "--: assignment requires lvalue"
            })),
            After::Operator | After::Number => {
                let mut at = self.pos + 2;
                while at < self.text.len() && matches!(self.at(at), b' ' | b'\t' | b'\n') {
                    at += 1;
                }
                // Also behind a number, where it is a mistake: `12--x`.
                if matches!(self.at(at), b'a'..=b'z' | b'A'..=b'Z' | b'_') {
                    self.pos += 2;
                    return Ok(Token::Step(up));
                }
                self.pos += 1;
                Ok(Token::Op(byte))
            }
        }
    }
}

/// The operator of an assignment such as `*=`.
fn assigned_with(byte: u8) -> Option<ArithOp> {
    Some(match byte {
        b'*' => ArithOp::Multiply,
        b'/' => ArithOp::Divide,
        b'%' => ArithOp::Remainder,
        b'+' => ArithOp::Add,
        b'-' => ArithOp::Subtract,
        b'&' => ArithOp::And,
        b'^' => ArithOp::Xor,
        b'|' => ArithOp::Or,
        _ => return None,
    })
}
