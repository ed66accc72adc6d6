//! `test` and `[`.
//!
//! Up to four arguments POSIX says what they mean by their number; more are an expression with `!`,
//! `( )`, `-a` and `-o`.

use codepod_shell_syntax::tree::BinaryTest;

use super::number;
use crate::cond;
use crate::flow::Run;
use crate::shell::Shell;
use crate::text::Text;

/// How deep parentheses may nest.
const DEEPEST: u32 = 1000;

/// Runs it.
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let mut operands = &arguments[1..];
    if &arguments[0][..] == b"[" {
        match operands.split_last() {
            Some((last, rest)) if &last[..] == b"]" => operands = rest,
            _ => {
                shell.builtin_error(b"[", b"missing `]'");
                return Ok(2);
            }
        }
    }
    // What loops ask most.
    if let [left, operator, right] = operands
        && let Some(found) = quick(left, operator, right)
    {
        return Ok(i32::from(!found));
    }
    let mut test = Test {
        shell,
        name: &arguments[0],
        arguments: operands,
        at: 0,
        depth: 0,
    };
    match test.all() {
        Ok(found) => Ok(i32::from(!found)),
        Err(Fail::Syntax) => Ok(2),
        Err(Fail::Stop(stop)) => Err(stop),
    }
}

/// Comparisons of strings and of plain numbers.
#[inline]
fn quick(left: &[u8], operator: &[u8], right: &[u8]) -> Option<bool> {
    match operator {
        b"=" | b"==" => Some(left == right),
        b"!=" => Some(left != right),
        [b'-', _, _] => {
            let operator = numeric(operator)?;
            let left = cond::decimal(left)?;
            Some(cond::ordered(operator, left, cond::decimal(right)?))
        }
        _ => None,
    }
}

#[inline]
fn numeric(operator: &[u8]) -> Option<BinaryTest> {
    Some(match operator {
        b"-eq" => BinaryTest::Eq,
        b"-ne" => BinaryTest::Ne,
        b"-lt" => BinaryTest::Lt,
        b"-le" => BinaryTest::Le,
        b"-gt" => BinaryTest::Gt,
        b"-ge" => BinaryTest::Ge,
        _ => return None,
    })
}

fn binary(operator: &[u8]) -> Option<BinaryTest> {
    Some(match operator {
        b"=" | b"==" => BinaryTest::Match,
        b"!=" => BinaryTest::NoMatch,
        b"<" => BinaryTest::Before,
        b">" => BinaryTest::After,
        b"-nt" => BinaryTest::Newer,
        b"-ot" => BinaryTest::Older,
        b"-ef" => BinaryTest::SameFile,
        _ => return numeric(operator),
    })
}

fn is_unary(operator: &[u8]) -> bool {
    matches!(operator, [b'-', letter] if b"abcdefghkLnNoOpGrRsStuvwxz".contains(letter))
}

/// Why a test has no answer.
enum Fail {
    /// It is no expression; the message is printed.
    Syntax,
    /// The shell unwinds.
    Stop(crate::flow::Stop),
}

struct Test<'s, 'a> {
    shell: &'s mut Shell,
    name: &'a [u8],
    arguments: &'a [Text],
    at: usize,
    depth: u32,
}

impl<'a> Test<'_, 'a> {
    fn all(&mut self) -> Result<bool, Fail> {
        let count = self.arguments.len();
        let found = match count {
            0 => return Ok(false),
            1 => return Ok(!self.arguments[0].is_empty()),
            2 => return self.two(),
            3 => return self.three(),
            4 if self.is(0, b"!") => {
                self.at = 1;
                return Ok(!self.three()?);
            }
            4 if self.is(0, b"(") && self.is(3, b")") => {
                self.at = 1;
                return self.two();
            }
            _ => self.or()?,
        };
        match self.arguments.get(self.at) {
            None => Ok(found),
            Some(next) if next.first() == Some(&b'-') => {
                Err(self.error([b"syntax error: `", &next[..], b"' unexpected"].concat()))
            }
            Some(_) => Err(self.error(b"too many arguments")),
        }
    }

    /// The argument at `at + offset`.
    fn argument(&self, offset: usize) -> &'a [u8] {
        self.arguments
            .get(self.at + offset)
            .map_or(&b""[..], |text| text)
    }

    fn is(&self, offset: usize, word: &[u8]) -> bool {
        self.at + offset < self.arguments.len() && self.argument(offset) == word
    }

    fn two(&mut self) -> Result<bool, Fail> {
        if self.is(0, b"!") {
            return Ok(self.argument(1).is_empty());
        }
        if is_unary(self.argument(0)) {
            return self.unary();
        }
        Err(self.expected(0, "unary"))
    }

    fn three(&mut self) -> Result<bool, Fail> {
        let (first, last) = (self.argument(0), self.argument(2));
        if binary(self.argument(1)).is_some() {
            return self.binary();
        }
        match self.argument(1) {
            b"-a" => return Ok(!first.is_empty() && !last.is_empty()),
            b"-o" => return Ok(!first.is_empty() || !last.is_empty()),
            _ => {}
        }
        if first == b"!" {
            self.at += 1;
            return Ok(!self.two()?);
        }
        if first == b"(" && last == b")" {
            return Ok(!self.argument(1).is_empty());
        }
        Err(self.expected(1, "binary"))
    }

    /// Both sides are always looked at, and `-o` joins loosest.
    fn or(&mut self) -> Result<bool, Fail> {
        let mut found = self.and()?;
        while self.is(0, b"-o") {
            self.at += 1;
            found |= self.and()?;
        }
        Ok(found)
    }

    fn and(&mut self) -> Result<bool, Fail> {
        let mut found = self.term()?;
        while self.is(0, b"-a") {
            self.at += 1;
            found &= self.term()?;
        }
        Ok(found)
    }

    fn term(&mut self) -> Result<bool, Fail> {
        self.need()?;
        let mut negated = false;
        while self.is(0, b"!") {
            self.at += 1;
            self.need()?;
            negated = !negated;
        }
        Ok(self.primary()? != negated)
    }

    fn primary(&mut self) -> Result<bool, Fail> {
        if self.is(0, b"(") {
            self.at += 1;
            self.need()?;
            return self.parenthesis();
        }
        if self.at + 3 <= self.arguments.len() && binary(self.argument(1)).is_some() {
            return self.binary();
        }
        if is_unary(self.argument(0)) && self.at + 1 < self.arguments.len() {
            return self.unary();
        }
        self.at += 1;
        Ok(!self.arguments[self.at - 1].is_empty())
    }

    fn parenthesis(&mut self) -> Result<bool, Fail> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error(b"parentheses nest too deeply"));
        }
        let found = self.or()?;
        self.depth -= 1;
        if self.at >= self.arguments.len() {
            // bash still sees the closing bracket there.
            let message: &[u8] = match self.name {
                b"[" => b"`)' expected, found ]",
                _ => b"`)' expected",
            };
            return Err(self.error(message));
        }
        if !self.is(0, b")") {
            return Err(self.error([b"`)' expected, found ", self.argument(0)].concat()));
        }
        self.at += 1;
        Ok(found)
    }

    fn unary(&mut self) -> Result<bool, Fail> {
        let letter = self.argument(0)[1];
        self.at += 1;
        if letter == b't' {
            // Its operand may be missing: standard output is meant.
            if self.at >= self.arguments.len() {
                return self.ask(b't', b"1");
            }
            if number(self.argument(0)).is_none() {
                return Ok(false);
            }
        }
        self.need()?;
        let operand = self.argument(0);
        self.at += 1;
        self.ask(letter, operand)
    }

    fn ask(&mut self, letter: u8, operand: &[u8]) -> Result<bool, Fail> {
        cond::unary(self.shell, letter, operand, true).map_err(Fail::Stop)
    }

    fn binary(&mut self) -> Result<bool, Fail> {
        let (left, right) = (self.argument(0), self.argument(2));
        let operator = binary(self.argument(1));
        self.at += 3;
        Ok(match operator {
            Some(BinaryTest::Match) => left == right,
            Some(BinaryTest::NoMatch) => left != right,
            Some(BinaryTest::Before) => left < right,
            Some(BinaryTest::After) => left > right,
            Some(operator @ (BinaryTest::Newer | BinaryTest::Older | BinaryTest::SameFile)) => {
                cond::compare_files(self.shell, operator, left, right)
            }
            Some(operator) => {
                let left = self.integer(left)?;
                cond::ordered(operator, left, self.integer(right)?)
            }
            None => false,
        })
    }

    fn integer(&mut self, text: &[u8]) -> Result<i64, Fail> {
        number(text).ok_or_else(|| self.error([text, b": integer expression expected"].concat()))
    }

    fn need(&mut self) -> Result<(), Fail> {
        if self.at < self.arguments.len() {
            return Ok(());
        }
        Err(self.error(b"argument expected"))
    }

    fn expected(&mut self, offset: usize, kind: &str) -> Fail {
        let message = [
            self.argument(offset),
            b": ",
            kind.as_bytes(),
            b" operator expected",
        ];
        self.error(message.concat())
    }

    fn error(&mut self, message: impl AsRef<[u8]>) -> Fail {
        self.shell.builtin_error(self.name, message);
        Fail::Syntax
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::compare;

    /// Words that mean something to `test`, and some that do not.
    const WORDS: &[&[u8]] = &[
        b"", b"a", b"b", b"!", b"(", b")", b"-a", b"-o", b"=", b"==", b"!=", b"<", b"-n", b"-z",
        b"-eq", b"-lt", b"1", b"-1", b" 2 ", b"x1", b"-Q", b"=~",
    ];

    #[test]
    fn up_to_three_words_mean_what_they_mean_in_bash() {
        let mut all = vec![vec![&b"test"[..]], vec![b"[", b"]"], vec![b"["]];
        for one in WORDS {
            all.push(vec![b"test", one]);
            for two in WORDS {
                all.push(vec![b"[", one, two, b"]"]);
                for three in WORDS {
                    all.push(vec![b"test", one, two, three]);
                }
            }
        }
        compare(all);
    }

    #[test]
    fn longer_expressions_mean_what_they_mean_in_bash() {
        let mut state = 1u32;
        let mut random = |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % below
        };
        let mut all = Vec::new();
        for _ in 0..3000 {
            let mut words = vec![&b"["[..]];
            for _ in 0..4 + random(6) {
                words.push(WORDS[random(WORDS.len())]);
            }
            words.push(b"]");
            all.push(words);
        }
        compare(all);
    }
}
