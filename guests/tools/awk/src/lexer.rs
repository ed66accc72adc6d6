//! Tokens of awk's language.
//!
//! Whether `/` starts a regular expression is the parser's to say: it asks for [`Lexer::regex`]
//! where an operand is expected.

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    /// The end of the program.
    End,
    /// The end of a line.
    Newline,
    /// A number.
    Number(f64),
    /// A string, its escapes resolved.
    String(Vec<u8>),
    /// A variable's name.
    Name(Vec<u8>),
    /// A name with `(` right behind it, which is not part of the token.
    FunctionName(Vec<u8>),
    /// A built-in function.
    Builtin(&'static str),
    /// A word of the language.
    Word(&'static str),
    /// An operator or punctuation.
    Sign(&'static str),
}

/// Words of the language.
const WORDS: &[&str] = &[
    "BEGIN",
    "END",
    "BEGINFILE",
    "ENDFILE",
    "function",
    "func",
    "if",
    "else",
    "while",
    "for",
    "do",
    "break",
    "continue",
    "next",
    "nextfile",
    "exit",
    "return",
    "delete",
    "in",
    "getline",
    "print",
    "printf",
    "switch",
    "case",
];

/// Names of built-in functions.
pub const BUILTINS: &[&str] = &[
    "and",
    "asort",
    "asorti",
    "atan2",
    "bindtextdomain",
    "close",
    "compl",
    "cos",
    "dcgettext",
    "dcngettext",
    "exp",
    "fflush",
    "gensub",
    "gsub",
    "index",
    "int",
    "isarray",
    "length",
    "log",
    "lshift",
    "match",
    "mktime",
    "or",
    "patsplit",
    "rand",
    "rshift",
    "sin",
    "split",
    "sprintf",
    "sqrt",
    "srand",
    "strftime",
    "strtonum",
    "sub",
    "substr",
    "system",
    "systime",
    "tolower",
    "toupper",
    "typeof",
    "xor",
];

/// Operators, longer ones before their beginnings.
const SIGNS: &[&str] = &[
    "**=", ">>", "|&", "&&", "||", "**", "^=", "+=", "-=", "*=", "/=", "%=", "==", "<=", ">=",
    "!=", "!~", "++", "--", "{", "}", "(", ")", "[", "]", ";", ",", "+", "-", "*", "/", "%", "^",
    "!", "<", ">", "|", "?", ":", "~", "$", "=", "@", "&", "\\",
];

/// A mistake, with the byte where its caret goes.
#[derive(Debug, Clone, PartialEq)]
pub struct Mistake {
    /// What is wrong.
    pub message: String,
    /// Where.
    pub at: usize,
    /// Whether gawk shows the line with a caret under it.
    pub caret: bool,
    /// What comes before the message: `error: `, `fatal: `.
    pub kind: &'static str,
}

impl Mistake {
    /// A mistake shown with a caret.
    pub fn caret(message: impl Into<String>, at: usize) -> Mistake {
        Mistake {
            message: message.into(),
            at,
            caret: true,
            kind: "",
        }
    }

    /// A mistake shown on one line.
    pub fn plain(kind: &'static str, message: impl Into<String>, at: usize) -> Mistake {
        Mistake {
            message: message.into(),
            at,
            caret: false,
            kind,
        }
    }
}

/// The text of a program and how far it was read.
#[derive(Debug)]
pub struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    /// Characters that had a backslash for nothing in a string since this was emptied last.
    pub meaningless: Vec<u8>,
}

impl<'a> Lexer<'a> {
    /// Starts at the beginning of `text`.
    pub fn new(text: &'a [u8]) -> Lexer<'a> {
        Lexer {
            text,
            at: 0,
            meaningless: Vec::new(),
        }
    }

    /// Where the next token is looked for.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Goes back (or on) to a place.
    pub fn seek(&mut self, at: usize) {
        self.at = at;
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Blanks, comments and continued lines.
    fn skip(&mut self) {
        loop {
            match self.peek(0) {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\\' if self.peek(1) == b'\n' => self.at += 2,
                b'\\' if self.peek(1) == b'\r' && self.peek(2) == b'\n' => self.at += 3,
                b'#' => {
                    while self.at < self.text.len() && self.text[self.at] != b'\n' {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// The next token and where it starts.
    pub fn token(&mut self) -> Result<(Token, usize), Mistake> {
        self.skip();
        let start = self.at;
        let Some(&byte) = self.text.get(self.at) else {
            return Ok((Token::End, start));
        };
        let token = match byte {
            b'\n' => {
                self.at += 1;
                Token::Newline
            }
            b'"' => self.string()?,
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_ascii_digit() => self.number(),
            b'_' | b'a'..=b'z' | b'A'..=b'Z' => self.name(),
            _ => {
                let rest = &self.text[self.at..];
                let known = SIGNS.iter().find(|sign| rest.starts_with(sign.as_bytes()));
                let Some(sign) = known else {
                    self.at += 1;
                    let shown = String::from_utf8_lossy(&rest[..1]).into_owned();
                    let message = match shown.as_str() {
                        "." => "syntax error".to_owned(),
                        shown => format!("error: invalid char '{shown}' in expression"),
                    };
                    return Err(Mistake::caret(message, start));
                };
                self.at += sign.len();
                // Both spellings of powers are one operator.
                match *sign {
                    "**" => Token::Sign("^"),
                    "**=" => Token::Sign("^="),
                    "\\" => {
                        return Err(Mistake::caret(
                            "backslash not last character on line",
                            start,
                        ));
                    }
                    sign => Token::Sign(sign),
                }
            }
        };
        Ok((token, start))
    }

    fn name(&mut self) -> Token {
        let start = self.at;
        while self.peek(0) == b'_' || self.peek(0).is_ascii_alphanumeric() {
            self.at += 1;
        }
        let name = &self.text[start..self.at];
        if let Some(word) = WORDS.iter().find(|word| word.as_bytes() == name) {
            return match *word {
                "func" => Token::Word("function"),
                word => Token::Word(word),
            };
        }
        if name == b"default" {
            return Token::Word("default");
        }
        if let Some(builtin) = BUILTINS.iter().find(|builtin| builtin.as_bytes() == name) {
            return Token::Builtin(builtin);
        }
        match self.peek(0) {
            b'(' => Token::FunctionName(name.to_vec()),
            _ => Token::Name(name.to_vec()),
        }
    }

    fn number(&mut self) -> Token {
        let start = self.at;
        if self.peek(0) == b'0'
            && matches!(self.peek(1), b'x' | b'X')
            && self.peek(2).is_ascii_hexdigit()
        {
            self.at += 2;
            let mut value = 0f64;
            while let Some(digit) = (self.peek(0) as char).to_digit(16) {
                value = value * 16.0 + f64::from(digit);
                self.at += 1;
            }
            return Token::Number(value);
        }
        while self.peek(0).is_ascii_digit() {
            self.at += 1;
        }
        let digits = &self.text[start..self.at];
        let integer = self.peek(0) != b'.' && !matches!(self.peek(0), b'e' | b'E');
        if integer
            && digits.len() > 1
            && digits[0] == b'0'
            && digits.iter().all(|digit| (b'0'..b'8').contains(digit))
        {
            let value = digits
                .iter()
                .fold(0f64, |value, digit| value * 8.0 + f64::from(digit - b'0'));
            return Token::Number(value);
        }
        if self.peek(0) == b'.' {
            self.at += 1;
            while self.peek(0).is_ascii_digit() {
                self.at += 1;
            }
        }
        if matches!(self.peek(0), b'e' | b'E') {
            let sign = usize::from(matches!(self.peek(1), b'+' | b'-'));
            if self.peek(1 + sign).is_ascii_digit() {
                self.at += 1 + sign;
                while self.peek(0).is_ascii_digit() {
                    self.at += 1;
                }
            }
        }
        let text = std::str::from_utf8(&self.text[start..self.at]).unwrap_or("0");
        Token::Number(text.parse().unwrap_or(0.0))
    }

    fn string(&mut self) -> Result<Token, Mistake> {
        let start = self.at;
        self.at += 1;
        let from = self.at;
        loop {
            match self.text.get(self.at) {
                None | Some(b'\n') => {
                    return Err(Mistake::caret("unterminated string", start));
                }
                Some(b'"') => break,
                Some(b'\\') => self.at += 2,
                Some(_) => self.at += 1,
            }
        }
        let raw = &self.text[from..self.at];
        self.at += 1;
        Ok(Token::String(unescape(raw, &mut self.meaningless)))
    }

    /// A regular expression whose `/` was read already; its text as it stands, with `\/` as `/`.
    pub fn regex(&mut self) -> Result<Vec<u8>, Mistake> {
        let start = self.at;
        let mut out = Vec::new();
        let mut bracket = None;
        loop {
            let Some(&byte) = self.text.get(self.at) else {
                return Err(Mistake::caret("unterminated regexp", start));
            };
            match byte {
                b'\n' => return Err(Mistake::caret("unterminated regexp", start)),
                b'\\' => {
                    match self.text.get(self.at + 1) {
                        None => {
                            return Err(Mistake::caret(
                                "unterminated regexp ends with `\\' at end of file",
                                start,
                            ));
                        }
                        Some(b'\n') => {}
                        Some(b'/') => out.push(b'/'),
                        Some(other) => out.extend([b'\\', *other]),
                    }
                    self.at += 2;
                    continue;
                }
                // Inside of brackets a slash is itself.
                b'[' if bracket.is_none() => {
                    let mut inside = self.at + 1;
                    if self.text.get(inside) == Some(&b'^') {
                        inside += 1;
                    }
                    if self.text.get(inside) == Some(&b']') {
                        inside += 1;
                    }
                    bracket = Some(inside);
                }
                b'[' if self.text.get(self.at + 1) == Some(&b':') => {
                    let rest = &self.text[self.at + 2..];
                    let end = rest.windows(2).position(|pair| pair == b":]");
                    if let Some(end) =
                        end.filter(|end| rest[..*end].iter().all(u8::is_ascii_alphabetic))
                    {
                        out.extend_from_slice(&self.text[self.at..self.at + end + 4]);
                        self.at += end + 4;
                        continue;
                    }
                }
                b']' if bracket.is_some_and(|inside| self.at >= inside) => bracket = None,
                b'/' if bracket.is_none() => {
                    self.at += 1;
                    return Ok(out);
                }
                _ => {}
            }
            out.push(byte);
            self.at += 1;
        }
    }
}

/// Resolves the escapes of a string. Before other characters the backslash goes, and the character
/// is put into `meaningless`.
pub fn unescape(raw: &[u8], meaningless: &mut Vec<u8>) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len());
    let mut at = 0;
    while at < raw.len() {
        let byte = raw[at];
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some(&next) = raw.get(at) else {
            out.push(b'\\');
            break;
        };
        at += 1;
        match next {
            b'\n' => {}
            b'a' => out.push(7),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'v' => out.push(11),
            b'\\' | b'"' => out.push(next),
            b'0'..=b'7' => {
                let mut value = u32::from(next - b'0');
                for _ in 0..2 {
                    match raw.get(at) {
                        Some(digit @ b'0'..=b'7') => {
                            value = value * 8 + u32::from(digit - b'0');
                            at += 1;
                        }
                        _ => break,
                    }
                }
                out.push(value as u8);
            }
            b'x' => {
                let digits = raw[at..]
                    .iter()
                    .take(2)
                    .take_while(|digit| digit.is_ascii_hexdigit())
                    .count();
                if digits == 0 {
                    out.push(b'x');
                    continue;
                }
                let text = std::str::from_utf8(&raw[at..at + digits]).unwrap_or("0");
                out.push(u8::from_str_radix(text, 16).unwrap_or(0));
                at += digits;
            }
            _ => {
                if next.is_ascii() {
                    meaningless.push(next);
                }
                out.push(next);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_numbers_and_signs() {
        let mut lexer = Lexer::new(b"x1 = 0x1F + 1e3 \"a\\tb\" **= f(");
        let mut all = Vec::new();
        while let Ok((token, _)) = lexer.token() {
            if token == Token::End {
                break;
            }
            all.push(token);
        }
        assert_eq!(all[2], Token::Number(31.0));
        assert_eq!(all[4], Token::Number(1000.0));
        assert_eq!(all[5], Token::String(b"a\tb".to_vec()));
        assert_eq!(all[6], Token::Sign("^="));
        assert_eq!(all[7], Token::FunctionName(b"f".to_vec()));
    }

    #[test]
    fn a_slash_in_brackets_does_not_end_an_expression() {
        let mut lexer = Lexer::new(b"a[/]]b\\/c/ x");
        assert_eq!(lexer.regex().unwrap(), b"a[/]]b/c");
    }
}
