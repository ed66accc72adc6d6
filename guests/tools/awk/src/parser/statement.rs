//! Statements.

use super::{Parser, Place, Result};
use crate::lexer::{Mistake, Token};
use crate::tree::{ArrayRef, Expr, Kind, Label, Stmt, Target};

impl Parser<'_> {
    /// Statements up to `}`, which stays, or the end.
    pub(super) fn statements(&mut self) -> Result<Vec<Stmt>> {
        let mut all = Vec::new();
        loop {
            self.terminators()?;
            if self.is("}")
                || self.token == Token::End
                || self.is_word("case")
                || self.is_word("default")
            {
                return Ok(all);
            }
            all.push(self.statement()?);
        }
    }

    /// A statement with what ends it.
    fn statement(&mut self) -> Result<Stmt> {
        self.deeper()?;
        let line = self.current_line();
        let Token::Word(word) = self.token else {
            let kind = if self.is("{") {
                self.braces()?
            } else {
                self.simple_statement()?
            };
            self.depth -= 1;
            return Ok(Stmt { line, kind });
        };
        let kind = match word {
            "if" => self.if_statement()?,
            "while" => {
                let condition = self.condition()?;
                Kind::While(condition, self.loop_body()?)
            }
            "do" => self.do_statement()?,
            "for" => self.for_statement()?,
            "switch" => self.switch_statement()?,
            _ => self.simple_statement()?,
        };
        self.depth -= 1;
        Ok(Stmt { line, kind })
    }

    fn braces(&mut self) -> Result<Kind> {
        Ok(Kind::Block(self.block()?))
    }

    /// A statement without others in it, and its end.
    fn simple_statement(&mut self) -> Result<Kind> {
        let kind = self.simple()?;
        match &self.token {
            Token::Newline | Token::Sign(";") => self.advance()?,
            Token::Sign("}") | Token::End => {}
            _ => return Err(self.syntax_error()),
        }
        Ok(kind)
    }

    fn simple(&mut self) -> Result<Kind> {
        let at = self.start;
        let word = match self.token {
            Token::Word(word) => word,
            _ => "",
        };
        let kind = match word {
            "print" | "printf" => return self.print(word),
            "break" | "continue" => {
                self.advance()?;
                if word == "break" && self.loops + self.switches == 0 {
                    return Err(Mistake::plain(
                        "error: ",
                        "`break' is not allowed outside a loop or switch",
                        at,
                    ));
                }
                if word == "continue" && self.loops == 0 {
                    return Err(Mistake::plain(
                        "error: ",
                        "`continue' is not allowed outside a loop",
                        at,
                    ));
                }
                if word == "break" {
                    Kind::Break
                } else {
                    Kind::Continue
                }
            }
            "next" | "nextfile" => {
                let Place::Special(place) = self.place else {
                    self.advance()?;
                    return Ok(if word == "next" {
                        Kind::Next
                    } else {
                        Kind::NextFile
                    });
                };
                if word == "nextfile" && place == "BEGINFILE" {
                    self.advance()?;
                    return Ok(Kind::NextFile);
                }
                let message = format!("`{word}' used in {place} action");
                return Err(Mistake::plain("error: ", message, at));
            }
            "exit" => {
                self.advance()?;
                Kind::Exit(self.optional_expression()?)
            }
            "return" => {
                if self.place != Place::Function {
                    return Err(Mistake::caret("`return' used outside function context", at));
                }
                self.advance()?;
                Kind::Return(self.optional_expression()?)
            }
            "delete" => self.delete()?,
            _ => {
                let kind = Kind::Expr(self.expression()?);
                self.no_groups()?;
                kind
            }
        };
        Ok(kind)
    }

    fn optional_expression(&mut self) -> Result<Option<Expr>> {
        match self.token {
            Token::Newline | Token::End | Token::Sign(";" | "}") => Ok(None),
            _ => Ok(Some(self.expression()?)),
        }
    }

    fn no_groups(&mut self) -> Result<()> {
        match std::mem::take(&mut self.groups) {
            0 => Ok(()),
            _ => Err(self.syntax_error()),
        }
    }

    fn delete(&mut self) -> Result<Kind> {
        self.advance()?;
        let parenthesis = self.accept("(")?;
        let Token::Name(name) = self.token.clone() else {
            return Err(self.syntax_error());
        };
        let var = self.variable(&name)?;
        self.uses_array(var);
        self.advance()?;
        let mut array = ArrayRef::Var(var);
        let kind = loop {
            if !self.is("[") {
                break Kind::Clear(array);
            }
            let subscript = self.subscript()?;
            if !self.is("[") {
                break Kind::Delete(array, subscript);
            }
            array = ArrayRef::Element(Box::new(array), subscript);
        };
        if parenthesis {
            self.expect(")")?;
        }
        Ok(kind)
    }

    fn print(&mut self, word: &str) -> Result<Kind> {
        self.advance()?;
        let was = std::mem::replace(&mut self.no_greater, true);
        let mut values = Vec::new();
        let ended = matches!(
            self.token,
            Token::Newline | Token::End | Token::Sign(";" | "}" | ">" | ">>" | "|" | "|&")
        );
        if !ended {
            values.push(self.expression()?);
            if let Expr::Group(_) = values[0] {
                if let Some(Expr::Group(group)) = values.pop() {
                    values = group;
                    self.groups -= 1;
                }
                if self.is(",") {
                    return Err(self.syntax_error());
                }
            } else {
                while self.accept(",")? {
                    self.newlines()?;
                    values.push(self.expression()?);
                }
            }
        }
        self.no_groups()?;
        if word == "printf" && values.is_empty() {
            return Err(self.syntax_error());
        }
        let sign = match self.token {
            Token::Sign(sign @ (">" | ">>" | "|" | "|&")) => sign,
            _ => "",
        };
        let target = if sign.is_empty() {
            Target::Stdout
        } else {
            self.advance()?;
            let to = self.concatenation()?;
            match sign {
                ">" => Target::File(to),
                ">>" => Target::Append(to),
                "|" => Target::Pipe(to),
                _ => Target::Both(to),
            }
        };
        self.no_greater = was;
        Ok(match word {
            "print" => Kind::Print(values, target),
            _ => Kind::Printf(values, target),
        })
    }

    fn condition(&mut self) -> Result<Expr> {
        self.advance()?;
        self.expect("(")?;
        let condition = self.expression()?;
        self.no_groups()?;
        self.expect(")")?;
        Ok(condition)
    }

    /// What `if`, `else` and loops do: a statement, a block, or nothing.
    fn body(&mut self) -> Result<Vec<Stmt>> {
        self.newlines()?;
        if self.accept(";")? {
            return Ok(Vec::new());
        }
        if self.is("{") {
            return self.block();
        }
        if self.is("}") || self.token == Token::End {
            return Err(self.syntax_error());
        }
        Ok(vec![self.statement()?])
    }

    fn loop_body(&mut self) -> Result<Vec<Stmt>> {
        self.loops += 1;
        let body = self.body();
        self.loops -= 1;
        body
    }

    fn if_statement(&mut self) -> Result<Kind> {
        let condition = self.condition()?;
        let then = self.body()?;
        // `else` may stand behind newlines and semicolons; without it they are somebody else's.
        let (back, token, start) = (self.lexer.position(), self.token.clone(), self.start);
        self.terminators()?;
        if self.is_word("else") {
            self.advance()?;
            return Ok(Kind::If(condition, then, self.body()?));
        }
        self.lexer.seek(back);
        self.token = token;
        self.start = start;
        Ok(Kind::If(condition, then, Vec::new()))
    }

    fn do_statement(&mut self) -> Result<Kind> {
        self.advance()?;
        let body = self.loop_body()?;
        self.terminators()?;
        if !self.is_word("while") {
            return Err(self.syntax_error());
        }
        let condition = self.condition()?;
        if self.token == Token::Newline || self.is(";") {
            self.advance()?;
        }
        Ok(Kind::Do(body, condition))
    }

    fn for_statement(&mut self) -> Result<Kind> {
        self.advance()?;
        self.expect("(")?;
        if let Token::Name(name) = self.token.clone() {
            let (back, token, start) = (self.lexer.position(), self.token.clone(), self.start);
            self.advance()?;
            if self.is_word("in") {
                self.advance()?;
                if let Token::Name(array) = self.token.clone() {
                    self.advance()?;
                    let mut over = ArrayRef::Var(self.variable(&array)?);
                    while self.is("[") {
                        over = ArrayRef::Element(Box::new(over), self.subscript()?);
                    }
                    if self.is(")") {
                        let var = self.variable(&array)?;
                        self.uses_array(var);
                        let name = self.variable(&name)?;
                        self.advance()?;
                        let body = self.loop_body()?;
                        return Ok(Kind::ForIn(crate::tree::Place::Var(name), over, body));
                    }
                }
            }
            self.lexer.seek(back);
            self.token = token;
            self.start = start;
        }
        let part = |parser: &mut Self, end: &str| -> Result<Option<Box<Stmt>>> {
            parser.newlines()?;
            if parser.is(end) {
                return Ok(None);
            }
            let line = parser.current_line();
            let kind = parser.simple()?;
            Ok(Some(Box::new(Stmt { line, kind })))
        };
        let first = part(self, ";")?;
        self.expect(";")?;
        self.newlines()?;
        let condition = match self.is(";") {
            true => None,
            false => Some(self.expression()?),
        };
        self.expect(";")?;
        let step = part(self, ")")?;
        self.expect(")")?;
        let body = self.loop_body()?;
        Ok(Kind::For(first, condition, step, body))
    }

    fn switch_statement(&mut self) -> Result<Kind> {
        let value = self.condition()?;
        self.newlines()?;
        self.expect("{")?;
        self.switches += 1;
        let mut cases: Vec<(Label, Vec<Stmt>)> = Vec::new();
        loop {
            self.terminators()?;
            let label = if self.is_word("case") {
                self.advance()?;
                match self.unary()? {
                    Expr::Regex(regex) => Label::Regex(regex),
                    constant @ (Expr::Num(_)
                    | Expr::Str(_)
                    | Expr::TypedRegex(_)
                    | Expr::Minus(_)
                    | Expr::Plus(_)) => Label::Value(constant),
                    _ => return Err(self.syntax_error()),
                }
            } else if self.is_word("default") {
                if cases
                    .iter()
                    .any(|(label, _)| matches!(label, Label::Default))
                {
                    let message = "duplicate `default' detected in switch body";
                    return Err(Mistake::plain("error: ", message, self.start));
                }
                self.advance()?;
                Label::Default
            } else {
                break;
            };
            self.expect(":")?;
            let body = self.statements()?;
            cases.push((label, body));
        }
        self.switches -= 1;
        self.expect("}")?;
        Ok(Kind::Switch(value, cases))
    }
}
