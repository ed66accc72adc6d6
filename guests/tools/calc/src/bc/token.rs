//! The tokens of bc's language.

/// What is wrong, and where.
#[derive(Debug)]
pub struct Mistake {
    /// The line.
    pub line: usize,
    /// What.
    pub message: String,
}

/// A token; a word is one that the language has for itself.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
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

/// A text and how far it was read.
#[derive(Debug)]
pub(super) struct Tokens<'a> {
    text: &'a [u8],
    at: usize,
    line: usize,
    /// Characters that are none, told before anything else.
    pub(super) illegal: Vec<Mistake>,
}

/// A place to go back to.
pub(super) struct Mark {
    at: usize,
    line: usize,
}

impl<'a> Tokens<'a> {
    /// Starts at the beginning.
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            at: 0,
            line: 1,
            illegal: Vec::new(),
        }
    }

    /// Where the next token is looked for.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Where that is, to go back to it.
    pub(super) fn mark(&self) -> Mark {
        Mark {
            at: self.at,
            line: self.line,
        }
    }

    /// Goes back to where it was.
    pub(super) fn go_back(&mut self, mark: &Mark) {
        self.at = mark.at;
        self.line = mark.line;
    }

    /// Something that is wrong here.
    pub(super) fn mistake(&self, message: impl Into<String>) -> Mistake {
        // A newline that was read counts already.
        Mistake {
            line: self.line,
            message: message.into(),
        }
    }

    /// Leaves out bytes that somebody else took.
    pub(super) fn skip(&mut self, count: usize) {
        let end = (self.at + count).min(self.text.len());
        self.line += lines(&self.text[self.at..end]);
        self.at = end;
    }

    /// Leaves out the rest of the line and its end.
    pub(super) fn skip_line(&mut self) {
        self.skip_to_newline();
        if self.at < self.text.len() {
            self.at += 1;
            self.line += 1;
        }
    }

    /// The next token.
    pub(super) fn read(&mut self) -> Token {
        loop {
            self.skip_blanks();
            if self.at >= self.text.len() {
                return Token::End;
            }
            if let Some(token) = self.token() {
                return token;
            }
        }
    }

    /// Leaves out blanks, comments and line ends behind a backslash.
    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                b' ' | b'\t' | b'\r' | 12 | 11 => self.at += 1,
                b'\\' if self.text.get(self.at + 1) == Some(&b'\n') => {
                    self.at += 2;
                    self.line += 1;
                }
                b'#' => self.skip_to_newline(),
                b'/' if self.text.get(self.at + 1) == Some(&b'*') => {
                    let rest = &self.text[self.at + 2..];
                    let end = rest.windows(2).position(|pair| pair == b"*/");
                    self.skip(end.map_or(rest.len() + 2, |end| end + 4));
                }
                _ => break,
            }
        }
    }

    /// The token that starts here; none for a character that starts none, which is left out.
    fn token(&mut self) -> Option<Token> {
        let rest = &self.text[self.at..];
        let token = match self.peek() {
            b'\n' => {
                self.at += 1;
                self.line += 1;
                Token::Newline
            }
            b'"' => self.string(),
            b'0'..=b'9' | b'A'..=b'Z' => self.number(),
            b'.' if rest
                .get(1)
                .is_some_and(|next| next.is_ascii_digit() || next.is_ascii_uppercase()) =>
            {
                self.number()
            }
            b'a'..=b'z' => self.name(),
            other => match SIGNS.iter().find(|sign| rest.starts_with(sign.as_bytes())) {
                Some(sign) => {
                    self.at += sign.len();
                    Token::Sign(sign)
                }
                None => {
                    self.at += 1;
                    self.tell_illegal(other);
                    return None;
                }
            },
        };
        Some(token)
    }

    fn tell_illegal(&mut self, character: u8) {
        let shown = match character {
            b' '..=b'~' => char::from(character).to_string(),
            0..=31 => format!("^{}", char::from(character + b'@')),
            other => format!("\\{other:03o}"),
        };
        let mistake = self.mistake(format!("illegal character: {shown}"));
        self.illegal.push(mistake);
    }

    fn string(&mut self) -> Token {
        let inner = &self.text[self.at + 1..];
        let Some(end) = inner.iter().position(|byte| *byte == b'"') else {
            self.at = self.text.len();
            self.tell_illegal(b'"');
            return Token::End;
        };
        self.at += end + 2;
        let text = &inner[..end];
        self.line += lines(text);
        Token::Text(text.to_vec())
    }

    fn name(&mut self) -> Token {
        let rest = &self.text[self.at..];
        let length = rest
            .iter()
            .take_while(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || **byte == b'_')
            .count();
        self.at += length;
        let name = &rest[..length];
        match WORDS.iter().find(|word| word.as_bytes() == name) {
            Some(word) => Token::Word(word),
            None => Token::Name(name.to_vec()),
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

    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn skip_to_newline(&mut self) {
        while self.at < self.text.len() && self.peek() != b'\n' {
            self.at += 1;
        }
    }
}

/// How many lines end in a text.
fn lines(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte == b'\n').count()
}
