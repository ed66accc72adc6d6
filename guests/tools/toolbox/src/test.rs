//! `test` and `[`: checks files, compares texts and numbers.

use std::cmp::Ordering;

use codepod_tool::{Arguments, complain, quoted};

use crate::mode::{is_directory, is_link};
use crate::system::{self, BLOCK_DEVICE, Links, SOCKET, mode};

/// How deep parentheses and negations may be nested.
const DEEPEST: usize = 200;

/// Runs either; `[` needs its `]`.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut words = arguments;
    if tool == "[" {
        if let [only] = &words[..] {
            if only == b"--help" {
                return crate::arguments::help::<()>(
                    tool,
                    "EXPRESSION ]",
                    "Exit with the status determined by EXPRESSION.",
                    &[],
                );
            }
            if only == b"--version" {
                return crate::arguments::version(tool);
            }
        }
        if words.last().is_none_or(|last| last != b"]") {
            complain(tool, "missing ']'");
            return 2;
        }
        words.pop();
    }
    let mut test = Test {
        words: &words,
        at: 0,
        depth: 0,
    };
    match test.run() {
        Ok(true) => 0,
        Ok(false) => 1,
        Err(message) => {
            complain(tool, message);
            2
        }
    }
}

struct Test<'a> {
    words: &'a [Vec<u8>],
    at: usize,
    depth: usize,
}

type Answer = Result<bool, Vec<u8>>;

impl Test<'_> {
    fn run(&mut self) -> Answer {
        let answer = self.by_count(self.words.len())?;
        match self.words.get(self.at) {
            Some(extra) => Err([b"extra argument ", &quoted(extra)[..]].concat()),
            None => Ok(answer),
        }
    }

    fn word(&self, ahead: usize) -> &[u8] {
        self.words.get(self.at + ahead).map_or(b"", Vec::as_slice)
    }

    /// POSIX says what up to four words mean.
    fn by_count(&mut self, count: usize) -> Answer {
        match count {
            0 => Ok(false),
            1 => {
                self.at += 1;
                Ok(!self.words[self.at - 1].is_empty())
            }
            2 => self.two(),
            3 => self.three(),
            4 if self.word(0) == b"!" => {
                self.at += 1;
                Ok(!self.three()?)
            }
            4 if self.word(0) == b"(" && self.word(3) == b")" => {
                self.at += 1;
                let answer = self.two()?;
                self.at += 1;
                Ok(answer)
            }
            _ => self.or(),
        }
    }

    fn two(&mut self) -> Answer {
        if self.word(0) == b"!" {
            self.at += 1;
            return Ok(!self.by_count(1)?);
        }
        let first = self.word(0).to_vec();
        if first.len() == 2 && first[0] == b'-' {
            if is_unary(&first) {
                return self.unary();
            }
            return Err([&quoted(&first)[..], b": unary operator expected"].concat());
        }
        Err([b"missing argument after ", &quoted(self.word(1))[..]].concat())
    }

    fn three(&mut self) -> Answer {
        if is_binary(self.word(1)) {
            return self.binary();
        }
        if self.word(0) == b"!" {
            self.at += 1;
            return Ok(!self.two()?);
        }
        if self.word(0) == b"(" && self.word(2) == b")" {
            self.at += 1;
            let answer = self.by_count(1)?;
            self.at += 1;
            return Ok(answer);
        }
        if matches!(self.word(1), b"-a" | b"-o" | b">" | b"<") {
            return self.or();
        }
        Err([&quoted(self.word(1))[..], b": binary operator expected"].concat())
    }

    fn or(&mut self) -> Answer {
        let mut answer = self.and()?;
        while self.word(0) == b"-o" && self.at < self.words.len() {
            self.at += 1;
            let right = self.and()?;
            answer |= right;
        }
        Ok(answer)
    }

    fn and(&mut self) -> Answer {
        let mut answer = self.term()?;
        while self.word(0) == b"-a" && self.at < self.words.len() {
            self.at += 1;
            let right = self.term()?;
            answer &= right;
        }
        Ok(answer)
    }

    fn term(&mut self) -> Answer {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(b"expression nested too deeply".to_vec());
        }
        let answer = self.term_within();
        self.depth -= 1;
        answer
    }

    fn term_within(&mut self) -> Answer {
        let mut negated = false;
        while self.word(0) == b"!" && self.at < self.words.len() {
            self.at += 1;
            negated = !negated;
        }
        let left = self.words.len() - self.at;
        if left == 0 {
            let last = self
                .words
                .last()
                .map(|last| quoted(last))
                .unwrap_or_default();
            return Err([b"missing argument after ", &last[..]].concat());
        }
        let answer = if self.word(0) == b"(" && left > 1 {
            self.at += 1;
            // What stands up to the closing one counts for POSIX's rules.
            let inner = self.words[self.at..].iter().position(|word| word == b")");
            let answer = match inner {
                Some(count @ 1..=4) => {
                    let words = &self.words[self.at..self.at + count];
                    let mut test = Test {
                        words,
                        at: 0,
                        depth: self.depth,
                    };
                    let answer = test.by_count(count)?;
                    if test.at < count {
                        self.or()?
                    } else {
                        self.at += count;
                        answer
                    }
                }
                _ => self.or()?,
            };
            if self.at >= self.words.len() {
                return Err(b"')' expected".to_vec());
            }
            if self.word(0) != b")" {
                return Err([b"')' expected, found ", self.word(0)].concat());
            }
            self.at += 1;
            answer
        } else if (left >= 4 && self.word(0) == b"-l" && is_binary(self.word(2)))
            || (left >= 3 && is_binary(self.word(1)))
        {
            self.binary()?
        } else if left > 1 && is_unary(self.word(0)) {
            self.unary()?
        } else if self.word(0).len() == 2
            && self.word(0)[0] == b'-'
            && left > 1
            && self.word(0)[1].is_ascii_alphabetic()
            && !matches!(self.word(1), b"-a" | b"-o")
        {
            return Err([&quoted(self.word(0))[..], b": unary operator expected"].concat());
        } else {
            self.at += 1;
            !self.words[self.at - 1].is_empty()
        };
        Ok(answer != negated)
    }

    fn unary(&mut self) -> Answer {
        let letter = self.word(0)[1];
        let operand = self.word(1).to_vec();
        self.at += 2;
        let follow = || system::stat(&operand, Links::Follow);
        let kind = |wanted: u32| follow().is_ok_and(|stat| stat.mode & mode::TYPE_MASK == wanted);
        let bits = |bits: u32| follow().is_ok_and(|stat| stat.mode & bits != 0);
        Ok(match letter {
            b'n' => !operand.is_empty(),
            b'z' => operand.is_empty(),
            b'e' => follow().is_ok(),
            b'f' => kind(mode::REGULAR),
            b'd' => follow().is_ok_and(|stat| is_directory(stat.mode)),
            b'b' => kind(BLOCK_DEVICE),
            b'c' => kind(mode::CHARACTER_DEVICE),
            b'p' => kind(mode::FIFO),
            b'S' => kind(SOCKET),
            b'h' | b'L' => system::stat(&operand, Links::Keep).is_ok_and(|stat| is_link(stat.mode)),
            b'g' => bits(0o2000),
            b'u' => bits(0o4000),
            b'k' => bits(0o1000),
            b's' => follow().is_ok_and(|stat| stat.size > 0),
            b'r' => system::may(&operand, 4),
            b'w' => system::may(&operand, 2),
            b'x' => system::may(&operand, 1),
            b'O' => follow().is_ok_and(|stat| stat.uid == system::user().0),
            b'G' => follow().is_ok_and(|stat| stat.gid == system::user().1),
            b'N' => follow().is_ok_and(|stat| stat.mtime > stat.atime),
            b't' => {
                let fd = Number::parse(&operand)?;
                fd.small().is_some_and(system::is_terminal)
            }
            _ => false,
        })
    }

    fn binary(&mut self) -> Answer {
        let left_is_length = self.word(0) == b"-l" && !is_binary(self.word(1));
        let mut left = self.word(0).to_vec();
        let mut at = self.at + 1;
        let numeric = |operator: &[u8]| {
            matches!(
                operator,
                b"-eq" | b"-ne" | b"-lt" | b"-le" | b"-gt" | b"-ge"
            )
        };
        if left_is_length {
            left = self.words[at].len().to_string().into_bytes();
            at += 1;
        }
        let operator = self.words[at].clone();
        at += 1;
        let mut right = self.words.get(at).cloned().unwrap_or_default();
        at += 1;
        if numeric(&operator) && right == b"-l" && at < self.words.len() {
            right = self.words[at].len().to_string().into_bytes();
            at += 1;
        }
        self.at = at;
        if numeric(&operator) {
            let order = Number::parse(&left)?.compare(&Number::parse(&right)?);
            return Ok(match &operator[..] {
                b"-eq" => order == Ordering::Equal,
                b"-ne" => order != Ordering::Equal,
                b"-lt" => order == Ordering::Less,
                b"-le" => order != Ordering::Greater,
                b"-gt" => order == Ordering::Greater,
                _ => order != Ordering::Less,
            });
        }
        let time = |path: &[u8]| system::stat(path, Links::Follow).map(|stat| stat.mtime);
        Ok(match &operator[..] {
            b"=" | b"==" => left == right,
            b"!=" => left != right,
            b"-nt" => match (time(&left), time(&right)) {
                (Ok(left), Ok(right)) => left > right,
                (left, right) => left.is_ok() && right.is_err(),
            },
            b"-ot" => match (time(&left), time(&right)) {
                (Ok(left), Ok(right)) => left < right,
                (left, right) => left.is_err() && right.is_ok(),
            },
            _ => {
                let both = (
                    system::stat(&left, Links::Follow),
                    system::stat(&right, Links::Follow),
                );
                matches!(both, (Ok(left), Ok(right)) if (left.dev, left.ino) == (right.dev, right.ino))
            }
        })
    }
}

fn is_unary(word: &[u8]) -> bool {
    word.len() == 2 && word[0] == b'-' && b"nzefdbcpShLgukrswxOGNt".contains(&word[1])
}

fn is_binary(word: &[u8]) -> bool {
    matches!(
        word,
        b"=" | b"=="
            | b"!="
            | b"-nt"
            | b"-ot"
            | b"-ef"
            | b"-eq"
            | b"-ne"
            | b"-lt"
            | b"-le"
            | b"-gt"
            | b"-ge"
    )
}

/// An integer of any length.
struct Number {
    negative: bool,
    digits: Vec<u8>,
}

impl Number {
    fn parse(text: &[u8]) -> Result<Number, Vec<u8>> {
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n');
        let begin = text
            .iter()
            .position(|byte| !blank(byte))
            .unwrap_or(text.len());
        let end = text
            .iter()
            .rposition(|byte| !blank(byte))
            .map_or(begin, |last| last + 1);
        let word = &text[begin..end];
        let (negative, digits) = match word.first() {
            Some(b'-') => (true, &word[1..]),
            Some(b'+') => (false, &word[1..]),
            _ => (false, word),
        };
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return Err([b"invalid integer ", &quoted(text)[..]].concat());
        }
        let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
        let digits = digits[zeros..].to_vec();
        Ok(Number {
            negative: negative && !digits.is_empty(),
            digits,
        })
    }

    fn small(&self) -> Option<u32> {
        if self.negative {
            return None;
        }
        let text = std::str::from_utf8(&self.digits).ok()?;
        if text.is_empty() {
            Some(0)
        } else {
            text.parse().ok()
        }
    }

    fn compare(&self, other: &Number) -> Ordering {
        let size = |a: &Number, b: &Number| {
            a.digits
                .len()
                .cmp(&b.digits.len())
                .then_with(|| a.digits.cmp(&b.digits))
        };
        match (self.negative, other.negative) {
            (false, false) => size(self, other),
            (true, true) => size(other, self),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}
