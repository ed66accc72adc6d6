//! `[[ … ]]`, and the operators that it shares with `test`.

mod file;
mod variable;

use std::rc::Rc;

use codepod_shell_syntax::Name;
use codepod_shell_syntax::print;
use codepod_shell_syntax::tree::{BinaryTest, Cond, Word};
use codepod_sys::terminal;

use crate::flow::{Run, Stop};
use crate::options::{SetOptions, ShellOptions};
use crate::regex;
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::{Attributes, Indexed, Value};
use crate::{arith, builtins, expand};

pub use variable::is_set;

/// Evaluates: true, or false. See [`status`] for errors.
pub fn eval(shell: &mut Shell, cond: &Cond) -> Run<bool> {
    Ok(status(shell, cond)? == 0)
}

/// Evaluates: 0 is true, 1 is false; 2 is a regular expression that is none.
pub fn status(shell: &mut Shell, cond: &Cond) -> Run<i32> {
    let shown = shell
        .state
        .set
        .has(SetOptions::XTRACE)
        .then_some(Shown { negated: false });
    walk(shell, cond, shown)
}

/// That `set -x` shows the terms, and whether a `!` stands before this one.
#[derive(Clone, Copy)]
struct Shown {
    negated: bool,
}

fn walk(shell: &mut Shell, cond: &Cond, shown: Option<Shown>) -> Run<i32> {
    let inner = shown.map(|_| Shown { negated: false });
    match cond {
        Cond::Word(word) => unary_word(shell, b'n', word, shown),
        Cond::Unary(operator, word) => unary_word(shell, *operator, word, shown),
        Cond::Binary(operator, left, right) => binary_words(shell, *operator, left, right, shown),
        Cond::Not(inside) => {
            let shown = shown.map(|shown| Shown {
                negated: !shown.negated,
            });
            Ok(i32::from(walk(shell, inside, shown)? == 0))
        }
        Cond::And(left, right) => match walk(shell, left, inner)? {
            0 => walk(shell, right, inner),
            status => Ok(status),
        },
        Cond::Or(left, right) => match walk(shell, left, inner)? {
            0 => Ok(0),
            _ => walk(shell, right, inner),
        },
        Cond::Paren(inside) => walk(shell, inside, inner),
    }
}

#[inline]
fn unary_word(shell: &mut Shell, operator: u8, word: &Word, shown: Option<Shown>) -> Run<i32> {
    let text = expand::single(shell, word)?;
    if let Some(shown) = shown {
        show(shell, shown, &[&[b'-', operator, b' '], &text])?;
    }
    let found = match operator {
        b'z' => text.is_empty(),
        b'n' => !text.is_empty(),
        _ => unary(shell, operator, &text, false)?,
    };
    Ok(i32::from(!found))
}

/// Shows a term as `set -x` does.
#[cold]
#[inline(never)]
fn show(shell: &mut Shell, shown: Shown, words: &[&[u8]]) -> Run {
    let mut line = b"[[ ".to_vec();
    if shown.negated {
        line.extend_from_slice(b"! ");
    }
    for word in words {
        line.extend_from_slice(if word.is_empty() { b"''" } else { word });
    }
    line.extend_from_slice(b" ]]");
    expand::trace(shell, line)
}

fn binary_words(
    shell: &mut Shell,
    operator: BinaryTest,
    left: &Word,
    right: &Word,
    shown: Option<Shown>,
) -> Run<i32> {
    let text = expand::single(shell, left)?;
    if matches!(
        operator,
        BinaryTest::Match | BinaryTest::Equals | BinaryTest::NoMatch
    ) {
        let pattern = match shown {
            None => expand::pattern(shell, right, true)?,
            Some(shown) => {
                let (other, pattern) = expand::shown_pattern(shell, right)?;
                show(shell, shown, &[&text, print::test(operator), &other])?;
                pattern
            }
        };
        let found = pattern.matches(&text) != (operator == BinaryTest::NoMatch);
        return Ok(i32::from(!found));
    }
    let other = match operator {
        BinaryTest::Regex => Text::from(expand::regex(shell, right)?),
        _ => expand::single(shell, right)?,
    };
    if let Some(shown) = shown {
        show(shell, shown, &[&text, print::test(operator), &other])?;
    }
    let found = match operator {
        BinaryTest::Regex => return regex_match(shell, &text, &other),
        BinaryTest::Before => text < other,
        BinaryTest::After => text > other,
        BinaryTest::Newer | BinaryTest::Older | BinaryTest::SameFile => {
            file::compare(shell, operator, &text, &other)
        }
        _ => return compare_numbers(shell, operator, &text, &other),
    };
    Ok(i32::from(!found))
}

/// The operands are arithmetic; an error in one of them makes it false.
fn compare_numbers(shell: &mut Shell, operator: BinaryTest, left: &[u8], right: &[u8]) -> Run<i32> {
    let Some(left) = operand(shell, left)? else {
        return Ok(1);
    };
    let Some(right) = operand(shell, right)? else {
        return Ok(1);
    };
    Ok(i32::from(!ordered(operator, left, right)))
}

fn operand(shell: &mut Shell, text: &[u8]) -> Run<Option<i64>> {
    if let Some(number) = decimal(text) {
        return Ok(Some(number));
    }
    match arith::named(shell, "[[", |shell| arith::eval_text(shell, text)) {
        Ok(number) => Ok(Some(number)),
        Err(Stop::Discard) => Ok(None),
        Err(stop) => Err(stop),
    }
}

/// A plain decimal number of up to 18 digits without leading zeros: what operands nearly always
/// are.
#[inline]
pub(crate) fn decimal(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    if digits.is_empty() || digits.len() > 18 || (digits[0] == b'0' && digits.len() > 1) {
        return None;
    }
    let mut number = 0i64;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number * 10 + i64::from(digit);
    }
    Some(if negative { -number } else { number })
}

/// Compares two numbers; false for an operator that compares no numbers.
#[inline]
pub(crate) fn ordered(operator: BinaryTest, left: i64, right: i64) -> bool {
    match operator {
        BinaryTest::Eq => left == right,
        BinaryTest::Ne => left != right,
        BinaryTest::Lt => left < right,
        BinaryTest::Le => left <= right,
        BinaryTest::Gt => left > right,
        BinaryTest::Ge => left >= right,
        _ => false,
    }
}

/// `=~`: sets `BASH_REMATCH`.
#[inline(never)]
fn regex_match(shell: &mut Shell, text: &[u8], pattern: &[u8]) -> Run<i32> {
    let icase = shell.state.shopt.has(ShellOptions::NOCASEMATCH);
    let matched = regex::compiled(pattern, icase).and_then(|regex| regex.captures(text, 0));
    let matched = match matched {
        Ok(matched) => matched,
        Err(error) => {
            if error == regex::Error::Space {
                shell.hint(b"the regular expression is too large or takes too many steps");
            }
            return Ok(2);
        }
    };
    let status = i32::from(matched.is_none());
    let mut array = Indexed::default();
    if let Some(spans) = matched {
        for (index, span) in spans.iter().enumerate() {
            let part = span.and_then(|(start, end)| text.get(start..end));
            array.set(index as u64, Text::new(part.unwrap_or_default()));
        }
    }
    let variable = shell.state.variables.get_mut(Name::BASH_REMATCH);
    if !variable.attributes.has(Attributes::READONLY) {
        variable.value = Value::Indexed(Rc::new(array));
        variable.attributes = variable.attributes.with(Attributes::INDEXED);
    }
    Ok(status)
}

/// A unary operator by its letter. `expands` says whether a subscript in the operand of `-v` is
/// still to be expanded, as for `test`.
pub(crate) fn unary(shell: &mut Shell, operator: u8, text: &[u8], expands: bool) -> Run<bool> {
    Ok(match operator {
        b'z' => text.is_empty(),
        b'n' => !text.is_empty(),
        b'o' => SetOptions::named(text).is_some_and(|option| shell.state.set.has(option)),
        b'v' => return is_set(shell, text, expands),
        b'R' => variable::is_reference(shell, text),
        b't' => {
            let number = builtins::number(text).and_then(|number| u32::try_from(number).ok());
            let fd = number.and_then(|number| shell.fds.kernel(number));
            fd.is_some_and(terminal::is_terminal)
        }
        _ => file::unary(shell, operator, text),
    })
}

/// `-nt`, `-ot`, `-ef`.
pub(crate) fn compare_files(
    shell: &Shell,
    operator: BinaryTest,
    left: &[u8],
    right: &[u8],
) -> bool {
    file::compare(shell, operator, left, right)
}
