//! bc's language.
//!
//! Nodes that can fail at run time carry the address that GNU's byte code would have there, because messages show it.

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

/// What is wrong, and where.
#[derive(Debug)]
pub struct Mistake {
    /// The line.
    pub line: usize,
    /// What.
    pub message: String,
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    End,
    Newline,
    Number(Vec<u8>),
    Text(Vec<u8>),
    Name(Vec<u8>),
    Word(&'static str),
    Sign(&'static str),
}

const WORDS: &[&str] = &[
    "auto", "break", "continue", "define", "else", "for", "halt", "ibase", "if", "last", "length",
    "limits", "obase", "print", "quit", "read", "return", "scale", "sqrt", "void", "warranty",
    "while",
];

const SIGNS: &[&str] = &[
    "+=", "-=", "*=", "/=", "%=", "^=", "==", "<=", ">=", "!=", "&&", "||", "++", "--", "+", "-",
    "*", "/", "%", "^", "=", "<", ">", "!", "(", ")", "{", "}", "[", "]", ";", ",", ".",
];

/// How deep a program may nest.
const DEPTH: usize = 300;

/// A text and how far it was read.
#[derive(Debug)]
pub struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    line: usize,
    token: Token,
    /// Characters that are none, told before anything else.
    pub illegal: Vec<Mistake>,
    address: usize,
    depth: usize,
    in_function: bool,
}

type Result<T> = std::result::Result<T, Mistake>;

impl<'a> Parser<'a> {
    /// Starts at the beginning.
    pub fn new(text: &'a [u8]) -> Parser<'a> {
        Parser {
            text,
            at: 0,
            line: 1,
            token: Token::Newline,
            illegal: Vec::new(),
            address: 0,
            depth: 0,
            in_function: false,
        }
    }

    /// Where the next token is looked for.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Leaves out bytes that somebody else took.
    pub fn skip(&mut self, count: usize) {
        let end = (self.at + count).min(self.text.len());
        self.line += self.text[self.at..end]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
        self.at = end;
    }

    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn mistake(&self) -> Mistake {
        // A newline that was read counts already.
        Mistake {
            line: self.line,
            message: "syntax error".into(),
        }
    }

    fn advance(&mut self) -> Result<()> {
        self.token = self.read()?;
        Ok(())
    }

    fn read(&mut self) -> Result<Token> {
        loop {
            match self.peek() {
                b' ' | b'\t' | b'\r' | 12 | 11 => self.at += 1,
                b'\\' if self.text.get(self.at + 1) == Some(&b'\n') => {
                    self.at += 2;
                    self.line += 1;
                }
                b'#' => {
                    while self.at < self.text.len() && self.peek() != b'\n' {
                        self.at += 1;
                    }
                }
                b'/' if self.text.get(self.at + 1) == Some(&b'*') => {
                    let rest = &self.text[self.at + 2..];
                    let end = rest.windows(2).position(|pair| pair == b"*/");
                    let length = end.map_or(rest.len() + 2, |end| end + 4);
                    let comment = &self.text[self.at..(self.at + length).min(self.text.len())];
                    self.line += comment.iter().filter(|byte| **byte == b'\n').count();
                    self.at = (self.at + length).min(self.text.len());
                }
                _ => break,
            }
        }
        if self.at >= self.text.len() {
            return Ok(Token::End);
        }
        let start = self.at;
        let rest = &self.text[start..];
        match self.peek() {
            b'\n' => {
                self.at += 1;
                self.line += 1;
                Ok(Token::Newline)
            }
            b'"' => {
                let Some(end) = rest[1..].iter().position(|byte| *byte == b'"') else {
                    self.at = self.text.len();
                    self.illegal.push(Mistake {
                        line: self.line,
                        message: "illegal character: \"".into(),
                    });
                    return Ok(Token::End);
                };
                self.at += end + 2;
                let text = rest[1..=end].to_vec();
                self.line += text.iter().filter(|byte| **byte == b'\n').count();
                Ok(Token::Text(text))
            }
            b'0'..=b'9' | b'A'..=b'Z' => Ok(self.number()),
            b'.' if rest
                .get(1)
                .is_some_and(|next| next.is_ascii_digit() || next.is_ascii_uppercase()) =>
            {
                Ok(self.number())
            }
            b'a'..=b'z' => {
                let length = rest
                    .iter()
                    .take_while(|byte| {
                        byte.is_ascii_lowercase() || byte.is_ascii_digit() || **byte == b'_'
                    })
                    .count();
                self.at += length;
                let name = &rest[..length];
                match WORDS.iter().find(|word| word.as_bytes() == name) {
                    Some(word) => Ok(Token::Word(word)),
                    None => Ok(Token::Name(name.to_vec())),
                }
            }
            other => match SIGNS.iter().find(|sign| rest.starts_with(sign.as_bytes())) {
                Some(sign) => {
                    self.at += sign.len();
                    Ok(Token::Sign(sign))
                }
                None => {
                    self.at += 1;
                    let shown = match other {
                        b' '..=b'~' => char::from(other).to_string(),
                        0..=31 => format!("^{}", char::from(other + b'@')),
                        other => format!("\\{other:03o}"),
                    };
                    self.illegal.push(Mistake {
                        line: self.line,
                        message: format!("illegal character: {shown}"),
                    });
                    self.read()
                }
            },
        }
    }

    fn number(&mut self) -> Token {
        let mut digits = Vec::new();
        let mut point = false;
        loop {
            match self.peek() {
                byte @ (b'0'..=b'9' | b'A'..=b'Z') => digits.push(byte),
                b'.' if !point => {
                    point = true;
                    digits.push(b'.');
                }
                b'\\' if self.text.get(self.at + 1) == Some(&b'\n') => {
                    self.at += 1;
                    self.line += 1;
                }
                _ => break,
            }
            self.at += 1;
        }
        Token::Number(digits)
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.token, Token::Sign(found) if found == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.token, Token::Word(found) if found == word)
    }

    fn expect(&mut self, sign: &str) -> Result<()> {
        if !self.is(sign) {
            return Err(self.mistake());
        }
        self.advance()
    }

    fn newlines(&mut self) -> Result<()> {
        while self.token == Token::Newline {
            self.advance()?;
        }
        Ok(())
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
                while self.at < self.text.len() && self.peek() != b'\n' {
                    self.at += 1;
                }
                if self.at < self.text.len() {
                    self.at += 1;
                    self.line += 1;
                }
            }
            self.token = Token::Newline;
        }
        result
    }

    fn next_item(&mut self) -> Result<Option<Item>> {
        self.advance()?;
        self.newlines()?;
        if self.token == Token::End {
            return Ok(None);
        }
        if self.is_word("define") {
            return self.definition().map(Some);
        }
        let mut all = Vec::new();
        loop {
            while self.is(";") {
                self.advance()?;
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
        self.advance()?;
        let void = self.is_word("void");
        if void {
            self.advance()?;
        }
        let Token::Name(name) = self.token.clone() else {
            return Err(self.mistake());
        };
        self.advance()?;
        self.expect("(")?;
        let parameters = self.variables(")")?;
        self.expect(")")?;
        self.newlines()?;
        self.expect("{")?;
        self.newlines()?;
        let mut locals = Vec::new();
        if self.is_word("auto") {
            self.advance()?;
            locals = self.variables(";")?;
            if !self.is(";") && self.token != Token::Newline {
                return Err(self.mistake());
            }
            self.advance()?;
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
                self.advance()?;
            }
            let Token::Name(name) = self.token.clone() else {
                return Err(self.mistake());
            };
            self.advance()?;
            let array = self.is("[");
            if array {
                self.advance()?;
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
            self.advance()?;
        }
        Ok(all)
    }

    /// Statements up to `}`.
    fn list(&mut self) -> Result<Vec<Stmt>> {
        let mut all = Vec::new();
        loop {
            while self.is(";") || self.token == Token::Newline {
                self.advance()?;
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
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Mistake {
                line: self.line,
                message: "the program nests too deeply".into(),
            });
        }
        let result = self.plain_statement();
        self.depth -= 1;
        result
    }

    fn plain_statement(&mut self) -> Result<Stmt> {
        match self.token.clone() {
            Token::Text(text) => {
                self.advance()?;
                self.address += text.len() + 2;
                Ok(Stmt::Text(text))
            }
            Token::Sign("{") => {
                self.advance()?;
                let body = self.list()?;
                self.expect("}")?;
                Ok(Stmt::Block(body))
            }
            Token::Word("if") => {
                self.advance()?;
                self.expect("(")?;
                let condition = self.expression()?;
                self.expect(")")?;
                self.address += 3;
                self.newlines()?;
                let then = self.statement()?;
                // `else` may stand on the same line only, or behind a block.
                let otherwise = match self.is_word("else") {
                    true => {
                        self.advance()?;
                        self.newlines()?;
                        self.address += 3;
                        Some(Box::new(self.statement()?))
                    }
                    false => None,
                };
                Ok(Stmt::If(condition, Box::new(then), otherwise))
            }
            Token::Word("while") => {
                self.advance()?;
                self.expect("(")?;
                let condition = self.expression()?;
                self.expect(")")?;
                self.address += 3;
                self.newlines()?;
                let body = self.statement()?;
                self.address += 3;
                Ok(Stmt::While(condition, Box::new(body)))
            }
            Token::Word("for") => {
                self.advance()?;
                self.expect("(")?;
                let mut parts = [None, None, None];
                for (number, end) in [";", ";", ")"].iter().enumerate() {
                    if !self.is(end) {
                        parts[number] = Some(self.expression()?);
                    }
                    self.expect(end)?;
                    self.address += 3;
                }
                self.newlines()?;
                let body = self.statement()?;
                let [first, condition, step] = parts;
                Ok(Stmt::For(first, condition, step, Box::new(body)))
            }
            Token::Word(word @ ("break" | "continue" | "halt" | "limits" | "warranty")) => {
                self.advance()?;
                self.address += 3;
                Ok(match word {
                    "break" => Stmt::Break,
                    "continue" => Stmt::Continue,
                    "halt" => Stmt::Halt,
                    "limits" => Stmt::Limits,
                    _ => Stmt::Warranty,
                })
            }
            Token::Word("quit") => {
                self.advance()?;
                Ok(Stmt::Halt)
            }
            Token::Word("return") => {
                if !self.in_function {
                    return Err(Mistake {
                        line: self.line,
                        message: "Return outside of a function.".into(),
                    });
                }
                self.advance()?;
                let value = match self.token {
                    Token::Newline | Token::End | Token::Sign(";" | "}") => None,
                    _ => Some(self.expression()?),
                };
                self.address += 1;
                Ok(Stmt::Return(value))
            }
            Token::Word("print") => {
                self.advance()?;
                let mut pieces = Vec::new();
                loop {
                    match self.token.clone() {
                        Token::Text(text) => {
                            self.advance()?;
                            self.address += text.len() + 2;
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
                    self.advance()?;
                }
            }
            _ => {
                let expr = self.expression()?;
                self.address += 1;
                Ok(Stmt::Expr(expr))
            }
        }
    }

    fn expression(&mut self) -> Result<Expr> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Mistake {
                line: self.line,
                message: "the program nests too deeply".into(),
            });
        }
        let result = self.or();
        self.depth -= 1;
        result
    }

    fn or(&mut self) -> Result<Expr> {
        let mut left = self.and()?;
        while self.is("||") {
            self.advance()?;
            self.address += 4;
            left = Expr::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Expr> {
        let mut left = self.not()?;
        while self.is("&&") {
            self.advance()?;
            self.address += 4;
            left = Expr::And(Box::new(left), Box::new(self.not()?));
        }
        Ok(left)
    }

    fn not(&mut self) -> Result<Expr> {
        if !self.is("!") {
            return self.comparison();
        }
        self.advance()?;
        let operand = self.not()?;
        self.address += 1;
        Ok(Expr::Not(Box::new(operand)))
    }

    fn comparison(&mut self) -> Result<Expr> {
        let mut left = self.additive()?;
        while let Token::Sign(sign @ ("==" | "!=" | "<" | "<=" | ">" | ">=")) = self.token {
            self.advance()?;
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
            self.advance()?;
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
            self.advance()?;
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
        self.advance()?;
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Mistake {
                line: self.line,
                message: "the program nests too deeply".into(),
            });
        }
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
            self.advance()?;
            self.depth += 1;
            if self.depth > DEPTH {
                return Err(Mistake {
                    line: self.line,
                    message: "the program nests too deeply".into(),
                });
            }
            let operand = self.unary()?;
            self.depth -= 1;
            self.address += 1;
            return Ok(Expr::Minus(Box::new(operand)));
        }
        if let Token::Sign(sign @ ("++" | "--")) = self.token {
            self.advance()?;
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
                self.advance()?;
                if !self.is("[") {
                    return Ok(Some(Place::Name(name)));
                }
                self.advance()?;
                let index = self.expression()?;
                self.expect("]")?;
                return Ok(Some(Place::Element(name, Box::new(index))));
            }
            _ => return Ok(None),
        };
        self.advance()?;
        Ok(Some(place))
    }

    fn primary(&mut self) -> Result<Expr> {
        match self.token.clone() {
            Token::Number(digits) => {
                self.advance()?;
                let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
                self.address += match &digits[zeros..] {
                    b"" | b"1" => 1,
                    digits => digits.len() + 2,
                };
                Ok(Expr::Number(digits))
            }
            Token::Sign("(") => {
                self.advance()?;
                let inner = self.expression()?;
                self.expect(")")?;
                Ok(Expr::Group(Box::new(inner)))
            }
            Token::Word(word @ ("length" | "sqrt" | "read")) => {
                self.advance()?;
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
                self.advance()?;
                if !self.is("(") {
                    return self.after(Place::Scale);
                }
                self.advance()?;
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
                self.advance()?;
                if self.is("(") {
                    return self.call(name);
                }
                if self.is("[") {
                    self.advance()?;
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
        self.advance()?;
        let mut arguments = Vec::new();
        while !self.is(")") {
            // `a[]` is an array.
            let back = (self.at, self.line, self.token.clone());
            if let Token::Name(array) = self.token.clone() {
                self.advance()?;
                if self.is("[") {
                    self.advance()?;
                    if self.is("]") {
                        self.advance()?;
                        self.address += 3;
                        arguments.push(Argument::Array(array));
                        if self.is(",") {
                            self.advance()?;
                            continue;
                        }
                        break;
                    }
                }
                (self.at, self.line, self.token) = back;
            }
            arguments.push(Argument::Value(self.expression()?));
            if !self.is(",") {
                break;
            }
            self.advance()?;
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
                self.advance()?;
                self.address += 4;
                Ok(Expr::Step(place, if sign == "++" { 1 } else { -1 }, true))
            }
            "=" | "+=" | "-=" | "*=" | "/=" | "%=" | "^=" => {
                self.advance()?;
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
