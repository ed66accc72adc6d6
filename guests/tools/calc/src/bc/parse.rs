//! The grammar of bc's language: what is run at once, definitions and statements.

use super::syntax::{Expr, Function, Item, Piece, Stmt, Variable};
use super::token::{Mistake, Token, Tokens};

/// How deep a program may nest.
const DEPTH: usize = 300;

/// A program and how far it was read.
#[derive(Debug)]
pub struct Parser<'a> {
    pub(super) tokens: Tokens<'a>,
    /// The token that was read last.
    pub(super) token: Token,
    /// Where GNU's byte code would be.
    pub(super) address: usize,
    pub(super) depth: usize,
    in_function: bool,
}

pub(super) type Result<T> = std::result::Result<T, Mistake>;

impl<'a> Parser<'a> {
    /// Starts at the beginning.
    pub fn new(text: &'a [u8]) -> Parser<'a> {
        Parser {
            tokens: Tokens::new(text),
            token: Token::Newline,
            address: 0,
            depth: 0,
            in_function: false,
        }
    }

    /// Where the next token is looked for.
    pub fn position(&self) -> usize {
        self.tokens.position()
    }

    /// Leaves out bytes that somebody else took.
    pub fn skip(&mut self, count: usize) {
        self.tokens.skip(count);
    }

    /// The characters so far that are none, told before anything else.
    pub fn take_illegal(&mut self) -> Vec<Mistake> {
        std::mem::take(&mut self.tokens.illegal)
    }

    /// What is wrong when a token is not one that may stand there.
    pub(super) fn mistake(&self) -> Mistake {
        self.tokens.mistake("syntax error")
    }

    /// Reads the next token.
    pub(super) fn advance(&mut self) {
        self.token = self.tokens.read();
    }

    /// Goes a level deeper.
    pub(super) fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        match self.depth > DEPTH {
            true => Err(self.tokens.mistake("the program nests too deeply")),
            false => Ok(()),
        }
    }

    /// Whether that sign stands here.
    pub(super) fn is(&self, sign: &str) -> bool {
        matches!(self.token, Token::Sign(found) if found == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.token, Token::Word(found) if found == word)
    }

    /// Reads that sign; anything else is a mistake.
    pub(super) fn expect(&mut self, sign: &str) -> Result<()> {
        if !self.is(sign) {
            return Err(self.mistake());
        }
        self.advance();
        Ok(())
    }

    fn newlines(&mut self) {
        while self.token == Token::Newline {
            self.advance();
        }
    }

    /// The next thing to run; none at the end. After a mistake the rest of its line is left out.
    pub fn item(&mut self) -> Result<Option<Item>> {
        self.address = 0;
        self.depth = 0;
        self.in_function = false;
        let result = self.next_item();
        if result.is_err() {
            // Up to the end of the line, unless that was just read.
            if self.token != Token::Newline {
                self.tokens.skip_line();
            }
            self.token = Token::Newline;
        }
        result
    }

    fn next_item(&mut self) -> Result<Option<Item>> {
        self.advance();
        self.newlines();
        if self.token == Token::End {
            return Ok(None);
        }
        if self.is_word("define") {
            return self.definition().map(Some);
        }
        let mut all = Vec::new();
        loop {
            while self.is(";") {
                self.advance();
            }
            match self.token {
                Token::Newline => return Ok(Some(Item::Line(all))),
                // GNU's wants a line end, and counts from the beginning when the text ends.
                Token::End => {
                    return Err(Mistake {
                        line: 1,
                        ..self.mistake()
                    });
                }
                _ => {}
            }
            if self.is_word("quit") {
                return Ok(Some(Item::Quit(all)));
            }
            all.push(self.statement()?);
            if !self.is(";") && !matches!(self.token, Token::Newline | Token::End) {
                return Err(self.mistake());
            }
        }
    }

    fn definition(&mut self) -> Result<Item> {
        self.advance();
        let void = self.is_word("void");
        if void {
            self.advance();
        }
        let Token::Name(name) = self.token.clone() else {
            return Err(self.mistake());
        };
        self.advance();
        self.expect("(")?;
        let parameters = self.variables(")")?;
        self.expect(")")?;
        self.newlines();
        self.expect("{")?;
        self.newlines();
        let mut locals = Vec::new();
        if self.is_word("auto") {
            self.advance();
            locals = self.variables(";")?;
            if !self.is(";") && self.token != Token::Newline {
                return Err(self.mistake());
            }
            self.advance();
        }
        self.in_function = true;
        let body = self.list()?;
        self.in_function = false;
        if !self.is("}") {
            return Err(self.mistake());
        }
        Ok(Item::Define(
            name,
            Function {
                parameters,
                locals,
                body,
                void,
            },
        ))
    }

    fn variables(&mut self, end: &str) -> Result<Vec<Variable>> {
        let mut all = Vec::new();
        while !self.is(end) && self.token != Token::Newline {
            let reference = self.is("*") || self.is("&");
            if reference {
                self.advance();
            }
            let Token::Name(name) = self.token.clone() else {
                return Err(self.mistake());
            };
            self.advance();
            let array = self.is("[");
            if array {
                self.advance();
                self.expect("]")?;
            }
            all.push(Variable {
                name,
                array,
                reference,
            });
            if !self.is(",") {
                break;
            }
            self.advance();
        }
        Ok(all)
    }

    /// Statements up to `}`.
    fn list(&mut self) -> Result<Vec<Stmt>> {
        let mut all = Vec::new();
        loop {
            while self.is(";") || self.token == Token::Newline {
                self.advance();
            }
            if self.is("}") || self.token == Token::End {
                return Ok(all);
            }
            all.push(self.statement()?);
            if !self.is(";") && !self.is("}") && self.token != Token::Newline {
                return Err(self.mistake());
            }
        }
    }

    fn statement(&mut self) -> Result<Stmt> {
        self.enter()?;
        let result = self.plain_statement();
        self.depth -= 1;
        result
    }

    fn plain_statement(&mut self) -> Result<Stmt> {
        match self.token.clone() {
            Token::Text(text) => {
                self.text(&text);
                Ok(Stmt::Text(text))
            }
            Token::Sign("{") => {
                self.advance();
                let body = self.list()?;
                self.expect("}")?;
                Ok(Stmt::Block(body))
            }
            Token::Word("if") => self.if_statement(),
            Token::Word("while") => self.while_statement(),
            Token::Word("for") => self.for_statement(),
            Token::Word("return") => self.return_statement(),
            Token::Word("print") => self.print_statement(),
            Token::Word("quit") => {
                self.advance();
                Ok(Stmt::Halt)
            }
            Token::Word("break") => Ok(self.alone(Stmt::Break)),
            Token::Word("continue") => Ok(self.alone(Stmt::Continue)),
            Token::Word("halt") => Ok(self.alone(Stmt::Halt)),
            Token::Word("limits") => Ok(self.alone(Stmt::Limits)),
            Token::Word("warranty") => Ok(self.alone(Stmt::Warranty)),
            _ => {
                let expr = self.expression()?;
                self.address += 1;
                Ok(Stmt::Expr(expr))
            }
        }
    }

    /// A statement that is one word.
    fn alone(&mut self, statement: Stmt) -> Stmt {
        self.advance();
        self.address += 3;
        statement
    }

    /// Reads a string that is printed.
    fn text(&mut self, text: &[u8]) {
        self.advance();
        self.address += text.len() + 2;
    }

    /// The condition behind `if` and `while`.
    fn condition(&mut self) -> Result<Expr> {
        self.advance();
        self.expect("(")?;
        let condition = self.expression()?;
        self.expect(")")?;
        self.address += 3;
        self.newlines();
        Ok(condition)
    }

    fn if_statement(&mut self) -> Result<Stmt> {
        let condition = self.condition()?;
        let then = self.statement()?;
        // `else` may stand on the same line only, or behind a block.
        let otherwise = match self.is_word("else") {
            true => {
                self.advance();
                self.newlines();
                self.address += 3;
                Some(Box::new(self.statement()?))
            }
            false => None,
        };
        Ok(Stmt::If(condition, Box::new(then), otherwise))
    }

    fn while_statement(&mut self) -> Result<Stmt> {
        let condition = self.condition()?;
        let body = self.statement()?;
        self.address += 3;
        Ok(Stmt::While(condition, Box::new(body)))
    }

    fn for_statement(&mut self) -> Result<Stmt> {
        self.advance();
        self.expect("(")?;
        let mut parts = [None, None, None];
        for (number, end) in [";", ";", ")"].iter().enumerate() {
            if !self.is(end) {
                parts[number] = Some(self.expression()?);
            }
            self.expect(end)?;
            self.address += 3;
        }
        self.newlines();
        let body = self.statement()?;
        let [first, condition, step] = parts;
        Ok(Stmt::For(first, condition, step, Box::new(body)))
    }

    fn return_statement(&mut self) -> Result<Stmt> {
        if !self.in_function {
            return Err(self.tokens.mistake("Return outside of a function."));
        }
        self.advance();
        let value = match self.token {
            Token::Newline | Token::End | Token::Sign(";" | "}") => None,
            _ => Some(self.expression()?),
        };
        self.address += 1;
        Ok(Stmt::Return(value))
    }

    fn print_statement(&mut self) -> Result<Stmt> {
        self.advance();
        let mut pieces = Vec::new();
        loop {
            match self.token.clone() {
                Token::Text(text) => {
                    self.text(&text);
                    pieces.push(Piece::Text(text));
                }
                _ => {
                    pieces.push(Piece::Value(self.expression()?));
                    self.address += 1;
                }
            }
            if !self.is(",") {
                return Ok(Stmt::Print(pieces));
            }
            self.advance();
        }
    }
}
