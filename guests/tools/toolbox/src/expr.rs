//! `expr`: evaluates an expression of its arguments.
//!
//! Values are texts or whole numbers of any size. An expression is evaluated while it is read, so
//! that the first mistake of either kind is the one that is reported.

mod value;

use codepod_posix_regex::{Config, Regex, Syntax, chars};
use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Stop, Usage, Value as Argument, long, quoted_text,
};

use crate::arguments::{help, version};
use crate::output::finish;
use value::{Comparison, Operation, Value};

/// The exit status of an expression that is none.
const INVALID: i32 = 2;
/// The exit status where the result cannot be written.
const UNWRITTEN: i32 = 3;
/// How deep parentheses may be nested: more would not fit on the stack.
const DEEPEST: usize = 1000;

#[derive(Clone, Copy)]
enum Key {
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    long(Key::Help, "help", Argument::None),
    long(Key::Version, "version", Argument::None),
];

/// Runs it.
pub(crate) fn main(tool: &str, mut arguments: Arguments) -> i32 {
    if let Some(status) = explain(tool, &arguments) {
        return status;
    }
    if arguments.first().is_some_and(|first| first == b"--") {
        arguments.remove(0);
    }
    chars::set_locale();
    match evaluate(&arguments) {
        Ok(value) => {
            let mut out = Output::new();
            out.put(&value.to_text());
            out.put_byte(b'\n');
            finish(tool, &mut out, i32::from(value.is_null()), UNWRITTEN)
        }
        Err(stop) => stop.report(tool, INVALID),
    }
}

/// Prints the help or the version, which are options only where they stand alone.
fn explain(tool: &str, arguments: &[Vec<u8>]) -> Option<i32> {
    let [word] = arguments else { return None };
    match Options::new(TABLE, vec![word.clone()]).next() {
        Ok(Some(Found::Option(Key::Help, _))) => Some(help(
            tool,
            "EXPRESSION",
            "Print the value of EXPRESSION to standard output.",
            TABLE,
        )),
        Ok(Some(Found::Option(Key::Version, _))) => Some(version(tool)),
        _ => None,
    }
}

fn evaluate(words: &[Vec<u8>]) -> Result<Value, Stop> {
    if words.is_empty() {
        return Err(Usage::new("missing operand").into());
    }
    let mut reader = Reader {
        words,
        at: 0,
        depth: 0,
    };
    let value = reader.binary(Level::Or, true)?;
    match reader.words.get(reader.at) {
        Some(word) => Err(syntax_error("unexpected argument ", word)),
        None => Ok(value),
    }
}

fn syntax_error(what: &str, word: &[u8]) -> Stop {
    let start = format!("syntax error: {what}");
    Stop::failed([start.as_bytes(), &quoted_text(word)].concat())
}

/// How tightly operators bind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Comparison,
    Sum,
    Product,
    Match,
    /// Tighter than any.
    Operand,
}

impl Level {
    fn next(self) -> Level {
        match self {
            Level::Or => Level::And,
            Level::And => Level::Comparison,
            Level::Comparison => Level::Sum,
            Level::Sum => Level::Product,
            Level::Product => Level::Match,
            Level::Match | Level::Operand => Level::Operand,
        }
    }
}

/// An operator between two operands.
#[derive(Clone, Copy)]
enum Operator {
    Or,
    And,
    Compare(Comparison),
    Calculate(Operation),
    Match,
}

impl Operator {
    fn parse(word: &[u8]) -> Option<(Level, Operator)> {
        let compare = |how| (Level::Comparison, Operator::Compare(how));
        let calculate = |level, how| (level, Operator::Calculate(how));
        Some(match word {
            b"|" => (Level::Or, Operator::Or),
            b"&" => (Level::And, Operator::And),
            b"<" => compare(Comparison::Less),
            b"<=" => compare(Comparison::LessOrEqual),
            b"=" | b"==" => compare(Comparison::Equal),
            b"!=" => compare(Comparison::Unequal),
            b">=" => compare(Comparison::GreaterOrEqual),
            b">" => compare(Comparison::Greater),
            b"+" => calculate(Level::Sum, Operation::Add),
            b"-" => calculate(Level::Sum, Operation::Subtract),
            b"*" => calculate(Level::Product, Operation::Multiply),
            b"/" => calculate(Level::Product, Operation::Divide),
            b"%" => calculate(Level::Product, Operation::Remainder),
            b":" => (Level::Match, Operator::Match),
            _ => return None,
        })
    }
}

/// Reads an expression. With `live` false it is only read: its value does not matter.
struct Reader<'a> {
    words: &'a [Vec<u8>],
    at: usize,
    /// How many operands are being read within each other.
    depth: usize,
}

impl<'a> Reader<'a> {
    /// The next word is taken if it is this one.
    fn take(&mut self, word: &[u8]) -> bool {
        let is_it = self.words.get(self.at).is_some_and(|next| next == word);
        self.at += usize::from(is_it);
        is_it
    }

    /// The next word. Fails at the end.
    fn word(&mut self) -> Result<&'a [u8], Stop> {
        let Some(word) = self.words.get(self.at) else {
            return Err(syntax_error("missing argument after ", self.last()));
        };
        self.at += 1;
        Ok(word)
    }

    /// The word that was read last.
    fn last(&self) -> &'a [u8] {
        &self.words[self.at - 1]
    }

    /// Operands with operators that bind at least as tightly as `level` between them.
    fn binary(&mut self, level: Level, live: bool) -> Result<Value, Stop> {
        let mut left = self.operand(live)?;
        // What stood at the left was read with all that binds tighter.
        while let Some(word) = self.words.get(self.at) {
            let Some((found, operator)) = Operator::parse(word).filter(|found| found.0 >= level)
            else {
                break;
            };
            self.at += 1;
            let wanted = match operator {
                Operator::Or => live && left.is_null(),
                Operator::And => live && !left.is_null(),
                _ => live,
            };
            let right = self.binary(found.next(), wanted)?;
            left = if live {
                apply(operator, left, right)?
            } else {
                left
            };
        }
        Ok(left)
    }

    /// A word, a function with its operands, or something in parentheses.
    fn operand(&mut self, live: bool) -> Result<Value, Stop> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Stop::failed("memory exhausted"));
        }
        let word = self.word()?;
        let value = match word {
            b"+" => Value::text(self.word()?),
            b"(" => self.parentheses(live)?,
            b")" => return Err(Stop::failed("syntax error: unexpected ')'")),
            b"length" => Value::number(chars::count(&self.operand(live)?.to_text())),
            b"match" => {
                let (text, pattern) = (self.operand(live)?, self.operand(live)?);
                if live {
                    matched(&text, &pattern)?
                } else {
                    text
                }
            }
            b"index" => {
                let (text, set) = (self.operand(live)?, self.operand(live)?);
                index(&text.to_text(), &set.to_text())
            }
            b"substr" => {
                let text = self.operand(live)?;
                let (position, length) = (self.operand(live)?, self.operand(live)?);
                part(&text.to_text(), position.to_size(), length.to_size())
            }
            _ => Value::text(word),
        };
        self.depth -= 1;
        Ok(value)
    }

    /// What stands behind `(`, and `)`.
    fn parentheses(&mut self, live: bool) -> Result<Value, Stop> {
        let value = self.binary(Level::Or, live)?;
        if self.take(b")") {
            return Ok(value);
        }
        Err(match self.words.get(self.at) {
            Some(word) => syntax_error("expecting ')' instead of ", word),
            None => syntax_error("expecting ')' after ", self.last()),
        })
    }
}

fn apply(operator: Operator, left: Value, right: Value) -> Result<Value, Stop> {
    Ok(match operator {
        Operator::Or if !left.is_null() => left,
        Operator::Or if !right.is_null() => right,
        Operator::And if !left.is_null() && !right.is_null() => left,
        Operator::Or | Operator::And => Value::number(0),
        Operator::Compare(how) => Value::number(usize::from(left.compare(how, &right))),
        Operator::Calculate(how) => left.calculate(how, right)?,
        Operator::Match => matched(&left, &right)?,
    })
}

/// What a pattern matches at the beginning of a text: its first group, or without groups how many
/// characters.
fn matched(text: &Value, pattern: &Value) -> Result<Value, Stop> {
    let fail = |error: codepod_posix_regex::Error| Stop::failed(error.message());
    let text = text.to_text();
    // In this dialect a repetition may follow another one, as in GNU's.
    let config = Config::new(Syntax::GREP);
    let regex = Regex::new(&pattern.to_text(), &config).map_err(fail)?;
    let spans = regex.captures(&text, 0).map_err(fail)?;
    let spans = spans.filter(|spans| spans[0].is_some_and(|(start, _)| start == 0));
    let part = |at: usize| {
        let span = spans.as_ref().and_then(|spans| *spans.get(at)?);
        span.map_or(&b""[..], |(start, end)| &text[start..end])
    };
    Ok(if regex.groups() > 0 {
        Value::text(part(1))
    } else {
        Value::number(chars::count(part(0)))
    })
}

/// Where the first character of a set stands in a text, from 1; 0 where none does.
fn index(text: &[u8], set: &[u8]) -> Value {
    let in_set: std::collections::HashSet<u32> = codes(set).collect();
    let found = codes(text).position(|code| in_set.contains(&code));
    Value::number(found.map_or(0, |place| place + 1))
}

/// The characters of a text.
fn codes(text: &[u8]) -> impl Iterator<Item = u32> {
    let mut at = 0;
    std::iter::from_fn(move || {
        if at == text.len() {
            return None;
        }
        let (code, next) = chars::next(text, at);
        at = next;
        Some(code)
    })
}

/// So many characters from a position on, which counts from 1.
fn part(text: &[u8], position: usize, length: usize) -> Value {
    if position == 0 {
        return Value::text(b"");
    }
    let text = &text[chars::offset(text, position - 1)..];
    Value::text(&text[..chars::offset(text, length)])
}
