//! The grammar of bc's expressions.

use super::parse::{Parser, Result};
use super::syntax::{Argument, Expr, Place};
use super::token::Token;

impl Parser<'_> {
    /// An expression.
    pub(super) fn expression(&mut self) -> Result<Expr> {
        self.enter()?;
        let result = self.or();
        self.depth -= 1;
        result
    }

    fn or(&mut self) -> Result<Expr> {
        let mut left = self.and()?;
        while self.is("||") {
            self.advance();
            self.address += 4;
            left = Expr::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Expr> {
        let mut left = self.not()?;
        while self.is("&&") {
            self.advance();
            self.address += 4;
            left = Expr::And(Box::new(left), Box::new(self.not()?));
        }
        Ok(left)
    }

    fn not(&mut self) -> Result<Expr> {
        if !self.is("!") {
            return self.comparison();
        }
        self.advance();
        let operand = self.not()?;
        self.address += 1;
        Ok(Expr::Not(Box::new(operand)))
    }

    fn comparison(&mut self) -> Result<Expr> {
        let mut left = self.additive()?;
        while let Token::Sign(sign @ ("==" | "!=" | "<" | "<=" | ">" | ">=")) = self.token {
            self.advance();
            let right = self.additive()?;
            self.address += 1;
            let compare = match sign {
                "==" => b'=',
                "!=" => b'!',
                "<" => b'<',
                "<=" => b'l',
                ">" => b'>',
                _ => b'g',
            };
            left = Expr::Compare(compare, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn additive(&mut self) -> Result<Expr> {
        let mut left = self.multiplicative()?;
        while let Token::Sign(sign @ ("+" | "-")) = self.token {
            self.advance();
            let right = self.multiplicative()?;
            self.address += 1;
            left = Expr::Binary(
                sign.as_bytes()[0],
                Box::new(left),
                Box::new(right),
                self.address,
            );
        }
        Ok(left)
    }

    fn multiplicative(&mut self) -> Result<Expr> {
        let mut left = self.power()?;
        while let Token::Sign(sign @ ("*" | "/" | "%")) = self.token {
            self.advance();
            let right = self.power()?;
            self.address += 1;
            left = Expr::Binary(
                sign.as_bytes()[0],
                Box::new(left),
                Box::new(right),
                self.address,
            );
        }
        Ok(left)
    }

    fn power(&mut self) -> Result<Expr> {
        let base = self.unary()?;
        if !self.is("^") {
            return Ok(base);
        }
        self.advance();
        self.enter()?;
        let exponent = self.power()?;
        self.depth -= 1;
        self.address += 1;
        Ok(Expr::Binary(
            b'^',
            Box::new(base),
            Box::new(exponent),
            self.address,
        ))
    }

    fn unary(&mut self) -> Result<Expr> {
        if self.is("-") {
            self.advance();
            self.enter()?;
            let operand = self.unary()?;
            self.depth -= 1;
            self.address += 1;
            return Ok(Expr::Minus(Box::new(operand)));
        }
        if let Token::Sign(sign @ ("++" | "--")) = self.token {
            self.advance();
            let Some(place) = self.place()? else {
                return Err(self.mistake());
            };
            self.address += 4;
            return Ok(Expr::Step(place, if sign == "++" { 1 } else { -1 }, false));
        }
        self.primary()
    }

    /// Something that holds a number, if one stands here. Calls are none.
    fn place(&mut self) -> Result<Option<Place>> {
        let place = match self.token.clone() {
            Token::Word("scale") => Place::Scale,
            Token::Word("ibase") => Place::Ibase,
            Token::Word("obase") => Place::Obase,
            Token::Word("last") | Token::Sign(".") => Place::Last,
            Token::Name(name) => {
                self.advance();
                if !self.is("[") {
                    return Ok(Some(Place::Name(name)));
                }
                self.advance();
                let index = self.expression()?;
                self.expect("]")?;
                return Ok(Some(Place::Element(name, Box::new(index))));
            }
            _ => return Ok(None),
        };
        self.advance();
        Ok(Some(place))
    }

    fn primary(&mut self) -> Result<Expr> {
        match self.token.clone() {
            Token::Number(digits) => {
                self.advance();
                let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
                self.address += match &digits[zeros..] {
                    b"" | b"1" => 1,
                    digits => digits.len() + 2,
                };
                Ok(Expr::Number(digits))
            }
            Token::Sign("(") => {
                self.advance();
                let inner = self.expression()?;
                self.expect(")")?;
                Ok(Expr::Group(Box::new(inner)))
            }
            Token::Word(word @ ("length" | "sqrt" | "read")) => {
                self.advance();
                self.expect("(")?;
                let argument = match word {
                    "read" => None,
                    _ => Some(Box::new(self.expression()?)),
                };
                self.expect(")")?;
                self.address += 2;
                Ok(Expr::Builtin(word, argument, self.address))
            }
            Token::Word("scale") => {
                self.advance();
                if !self.is("(") {
                    return self.after(Place::Scale);
                }
                self.advance();
                let argument = self.expression()?;
                self.expect(")")?;
                self.address += 2;
                Ok(Expr::Builtin(
                    "scale",
                    Some(Box::new(argument)),
                    self.address,
                ))
            }
            Token::Name(name) => {
                self.advance();
                if self.is("(") {
                    return self.call(name);
                }
                if self.is("[") {
                    self.advance();
                    let index = self.expression()?;
                    self.expect("]")?;
                    return self.after(Place::Element(name, Box::new(index)));
                }
                self.after(Place::Name(name))
            }
            _ => match self.place()? {
                Some(place) => self.after(place),
                None => Err(self.mistake()),
            },
        }
    }

    fn call(&mut self, name: Vec<u8>) -> Result<Expr> {
        self.advance();
        let mut arguments = Vec::new();
        while !self.is(")") {
            // `a[]` is an array.
            let back = (self.tokens.mark(), self.token.clone());
            if let Token::Name(array) = self.token.clone() {
                self.advance();
                if self.is("[") {
                    self.advance();
                    if self.is("]") {
                        self.advance();
                        self.address += 3;
                        arguments.push(Argument::Array(array));
                        if self.is(",") {
                            self.advance();
                            continue;
                        }
                        break;
                    }
                }
                self.tokens.go_back(&back.0);
                self.token = back.1;
            }
            arguments.push(Argument::Value(self.expression()?));
            if !self.is(",") {
                break;
            }
            self.advance();
        }
        self.expect(")")?;
        self.address += 2;
        let address = self.address;
        self.address += arguments.len() + 1;
        Ok(Expr::Call(name, arguments, address))
    }

    /// What follows a place: `++`, an assignment, or nothing.
    fn after(&mut self, place: Place) -> Result<Expr> {
        let Token::Sign(sign) = self.token else {
            self.address += 2;
            return Ok(Expr::Place(place));
        };
        match sign {
            "++" | "--" => {
                self.advance();
                self.address += 4;
                Ok(Expr::Step(place, if sign == "++" { 1 } else { -1 }, true))
            }
            "=" | "+=" | "-=" | "*=" | "/=" | "%=" | "^=" => {
                self.advance();
                let operator = sign.as_bytes()[0];
                if operator != b'=' {
                    self.address += 2;
                }
                let value = self.expression()?;
                if operator != b'=' {
                    self.address += 1;
                }
                self.address += 2;
                Ok(Expr::Assign(place, operator, Box::new(value), self.address))
            }
            _ => {
                self.address += 2;
                Ok(Expr::Place(place))
            }
        }
    }
}
