//! Arithmetic: evaluating expressions in 64 bits that wrap around.
//!
//! An expression whose text has no expansions but plain `$name` was parsed with the script and is
//! walked directly. It becomes invalid when such a name holds something else than a number (`x='1 +
//! 2'; $((3 * $x))`): then, before anything was assigned, the text is expanded and parsed instead.
//! Values of variables that are expressions themselves are parsed once and remembered.

mod error;
mod value;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use codepod_shell_syntax::Name;
use codepod_shell_syntax::tree::{
    AndOr, Arith, ArithName, ArithOp, Expr, ParamOp, Part, Subject, Subscript,
};
use codepod_shell_syntax::{ArithmeticError, arithmetic};

use crate::flow::{Run, Stop};
use crate::options::SetOptions;
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::{Attributes, Value};
use crate::{assign, exec, expand};

pub use value::plain_number;

/// How deep values of variables may be expressions with variables, as in bash.
const DEPTH: u32 = 1024;

/// What evaluating a text takes of the stack, with the subscripts on the way to the next, and what
/// a byte of it may add; at most [`HIGHEST`] bytes count, because the parser builds no higher
/// trees.
const COST: u32 = 5_000;
const COST_BYTE: u32 = 150;
const HIGHEST: usize = 800;

/// How many parsed texts are kept.
const CACHED: usize = 256;

/// Longer texts are not kept.
const CACHED_LENGTH: usize = 512;

thread_local! {
    static PARSED: RefCell<HashMap<Text, Rc<Expr>>> = RefCell::default();
}

/// Why an expression has no value.
#[derive(Debug, Clone, Copy)]
enum Fail {
    /// Reported, or something else unwinds.
    Stop(Stop),
    /// A `$name` is not a number: the text must be expanded and parsed.
    Expand,
    /// To be reported with its place in the text.
    Error(Problem),
}

/// What can be wrong when an expression is evaluated.
#[derive(Debug, Clone, Copy)]
enum Problem {
    /// Division or remainder by 0; the operator's place in the tree.
    Zero(*const Expr),
    /// A negative exponent.
    Exponent(*const Expr),
}

impl From<Stop> for Fail {
    fn from(stop: Stop) -> Fail {
        Fail::Stop(stop)
    }
}

/// Evaluates. An error is reported and discards the command.
pub fn eval(shell: &mut Shell, arith: &Arith) -> Run<i64> {
    if let Some(expr) = &arith.expr {
        let mut walk = Walk {
            root: expr,
            checked: false,
        };
        match walk.value(shell, expr) {
            Ok(value) => return Ok(value),
            Err(Fail::Stop(stop)) => return Err(stop),
            Err(Fail::Expand) => {}
            Err(Fail::Error(problem)) => {
                let text = expand::quoted(shell, &arith.word)?;
                return Err(error::report_problem(shell, &text, expr, problem));
            }
        }
    }
    eval_expanded(shell, arith)
}

/// Evaluates `((`: what expanding the text fails with is apart from what evaluating it fails with.
pub fn command(shell: &mut Shell, arith: &Arith) -> Run<Run<i64>> {
    if arith.expr.is_some() {
        return Ok(eval(shell, arith));
    }
    let running = std::mem::take(&mut shell.running);
    let text = expand::quoted(shell, &arith.word);
    shell.running = running;
    let text = text?;
    Ok(eval_value(shell, &text))
}

#[inline(never)]
fn eval_expanded(shell: &mut Shell, arith: &Arith) -> Run<i64> {
    let text = expand::quoted(shell, &arith.word)?;
    eval_value(shell, &text)
}

/// Evaluates text that is already expanded: the value of a variable with `-i`, an operand of `[[
/// -eq ]]`, `let`.
pub fn eval_text(shell: &mut Shell, text: &[u8]) -> Run<i64> {
    if let Some(number) = plain_number(text) {
        return Ok(number);
    }
    eval_value(shell, text)
}

/// Evaluates while messages name a parameter: `${x:1/0}`.
pub fn about(shell: &mut Shell, name: impl Fn() -> Vec<u8>, arith: &Arith) -> Run<i64> {
    match arith.expr.as_deref() {
        Some(Expr::Number(number)) => return Ok(*number),
        Some(Expr::Variable(ArithName {
            name,
            subscript: None,
            ..
        })) => {
            let variable = shell.state.variables.get(*name);
            if let Value::Text(text) = &variable.value
                && !variable.attributes.has(Attributes::NAMEREF)
                && let Some(number) = plain_number(text)
            {
                return Ok(number);
            }
        }
        _ => {}
    }
    let before = std::mem::replace(&mut shell.about, Text::from(name()));
    let result = eval(shell, arith);
    shell.about = before;
    result
}

/// Evaluates while messages name a command: `((`, `[[`, `let`.
pub fn named<T>(shell: &mut Shell, command: &'static str, run: impl FnOnce(&mut Shell) -> T) -> T {
    let before = std::mem::replace(&mut shell.running, command);
    let result = run(shell);
    shell.running = before;
    result
}

/// Evaluates text, unless too many of its like are being evaluated: values of variables that are
/// expressions.
#[inline(never)]
fn eval_value(shell: &mut Shell, text: &[u8]) -> Run<i64> {
    if text.trim_ascii().is_empty() {
        return Ok(0);
    }
    let cost = COST + COST_BYTE * text.len().min(HIGHEST) as u32;
    if shell.expressions >= DEPTH || shell.depth + cost > exec::STACK {
        return Err(error::report(
            shell,
            text,
            "expression recursion level exceeded",
            text.trim_ascii_start(),
        ));
    }
    shell.expressions += 1;
    shell.depth += cost;
    let result = eval_parsed(shell, text);
    shell.depth -= cost;
    shell.expressions -= 1;
    result
}

fn eval_parsed(shell: &mut Shell, text: &[u8]) -> Run<i64> {
    let expr = match parsed(text) {
        Ok(expr) => expr,
        Err(problem) => {
            // bash evaluates as it reads.
            if let Some(before) = &problem.before {
                walked(shell, text, before)?;
            }
            let text = &text[..problem.end.unwrap_or(text.len()).min(text.len())];
            return Err(error::report(shell, text, problem.message, &problem.token));
        }
    };
    walked(shell, text, &expr)
}

/// Evaluates the expression of a text.
fn walked(shell: &mut Shell, text: &[u8], expr: &Expr) -> Run<i64> {
    let mut walk = Walk {
        root: expr,
        checked: false,
    };
    match walk.value(shell, expr) {
        Ok(value) => Ok(value),
        Err(Fail::Stop(stop)) => Err(stop),
        // Text that is expanded has no `$name` any more.
        Err(Fail::Expand) => Err(error::report(
            shell,
            text,
            "syntax error: operand expected",
            text,
        )),
        Err(Fail::Error(problem)) => Err(error::report_problem(shell, text, expr, problem)),
    }
}

fn parsed(text: &[u8]) -> Result<Rc<Expr>, ArithmeticError> {
    if text.len() > CACHED_LENGTH {
        return arithmetic(text).map(Rc::new);
    }
    if let Some(expr) = PARSED.with_borrow(|parsed| parsed.get(text).cloned()) {
        return Ok(expr);
    }
    let expr = Rc::new(arithmetic(text)?);
    PARSED.with_borrow_mut(|parsed| {
        if parsed.len() >= CACHED {
            parsed.clear();
        }
        parsed.insert(Text::new(text), Rc::clone(&expr));
    });
    Ok(expr)
}

/// A walk over an expression.
struct Walk<'e> {
    root: &'e Expr,
    /// Whether all `$name` in it were found to be numbers, which must be known before anything is
    /// assigned.
    checked: bool,
}

impl Walk<'_> {
    fn value(&mut self, shell: &mut Shell, expr: &Expr) -> Result<i64, Fail> {
        match expr {
            Expr::Number(number) => Ok(*number),
            Expr::Variable(name) => self.variable(shell, name),
            Expr::Dollar(subject) => dollar(shell, *subject).ok_or(Fail::Expand),
            Expr::Binary(op, left, right) => {
                let left = self.value(shell, left)?;
                let right = self.value(shell, right)?;
                binary(*op, left, right, expr)
            }
            Expr::Assign(name, op, value) => self.assign(shell, name, *op, value, expr),
            Expr::Step { name, up, before } => self.step(shell, name, *up, *before),
            Expr::Unary(op, operand) => {
                let value = self.value(shell, operand)?;
                Ok(match op {
                    b'-' => value.wrapping_neg(),
                    b'!' => i64::from(value == 0),
                    b'~' => !value,
                    _ => value,
                })
            }
            Expr::Logic(op, left, right) => {
                self.check(shell)?;
                let left = self.value(shell, left)? != 0;
                if left == (*op == AndOr::Or) {
                    return Ok(i64::from(left));
                }
                Ok(i64::from(self.value(shell, right)? != 0))
            }
            Expr::Ternary(condition, yes, no) => {
                self.check(shell)?;
                let branch = if self.value(shell, condition)? != 0 {
                    yes
                } else {
                    no
                };
                self.value(shell, branch)
            }
            Expr::Comma(left, right) => {
                self.value(shell, left)?;
                self.value(shell, right)
            }
        }
    }

    fn variable(&mut self, shell: &mut Shell, name: &ArithName) -> Result<i64, Fail> {
        if name.subscript.is_none() {
            let variable = shell.state.variables.get(name.name);
            if let Value::Text(text) = &variable.value
                && !variable.attributes.has(Attributes::NAMEREF)
                && let Some(number) = plain_number(text)
            {
                return Ok(number);
            }
        }
        self.variable_slowly(shell, name)
    }

    #[inline(never)]
    fn variable_slowly(&mut self, shell: &mut Shell, name: &ArithName) -> Result<i64, Fail> {
        let text = match &name.subscript {
            None => assign::get(shell, name.name),
            Some(subscript) => {
                // A subscript may assign.
                self.check(shell)?;
                self.element(shell, name, subscript)?
            }
        };
        let Some(text) = text else {
            // An element that is missing is 0 even then, also the first.
            if shell.state.set.has(SetOptions::NOUNSET)
                && matches!(assign::value(shell, name.name), Value::Unset)
            {
                return Err(expand::unbound(shell, &name.name.bytes()).into());
            }
            return Ok(0);
        };
        match plain_number(&text) {
            Some(number) => Ok(number),
            None => Ok(eval_value(shell, &text)?),
        }
    }

    fn element(
        &mut self,
        shell: &mut Shell,
        name: &ArithName,
        subscript: &Subscript,
    ) -> Result<Option<Text>, Fail> {
        if is_empty(shell, subscript) {
            // bash tells of it each time it looks.
            let message = [&*name.name.bytes(), b"[]: bad array subscript"].concat();
            shell.error(&message);
            shell.error(&message);
            return Ok(None);
        }
        Ok(expand::element(shell, name.name, subscript)?)
    }

    /// `x = e`, `x op= e`
    fn assign(
        &mut self,
        shell: &mut Shell,
        name: &ArithName,
        op: Option<ArithOp>,
        value: &Expr,
        expr: &Expr,
    ) -> Result<i64, Fail> {
        self.check(shell)?;
        let value = match op {
            None => self.value(shell, value)?,
            Some(op) => {
                let old = self.variable(shell, name)?;
                let value = self.value(shell, value)?;
                binary(op, old, value, expr)?
            }
        };
        self.store(shell, name, value)?;
        Ok(value)
    }

    /// `x++` and its like
    fn step(
        &mut self,
        shell: &mut Shell,
        name: &ArithName,
        up: bool,
        before: bool,
    ) -> Result<i64, Fail> {
        self.check(shell)?;
        let old = self.variable(shell, name)?;
        let new = if up {
            old.wrapping_add(1)
        } else {
            old.wrapping_sub(1)
        };
        self.store(shell, name, new)?;
        Ok(if before { new } else { old })
    }

    fn store(&mut self, shell: &mut Shell, name: &ArithName, value: i64) -> Result<(), Fail> {
        let value = Text::number(value);
        let place = match &name.subscript {
            None => assign::Place::Whole,
            Some(subscript) if is_empty(shell, subscript) => {
                let mut message = Vec::new();
                if !shell.running.is_empty() {
                    message.extend_from_slice(shell.running.as_bytes());
                    message.extend_from_slice(b": ");
                }
                message.push(b'`');
                message.extend_from_slice(&name.name.bytes());
                message.extend_from_slice(b"[]': not a valid identifier");
                shell.error(message);
                return Ok(());
            }
            Some(subscript) => {
                let array = expand::array(shell, name.name)?;
                let Some(place) = assign::place(shell, array, subscript)? else {
                    return Err(discard(shell));
                };
                if let assign::Place::Index(index) = place
                    && assign::is_before_start(shell, array, index)
                {
                    // bash tells of it and goes on.
                    let mut text = name.name.bytes().to_vec();
                    text.push(b'[');
                    if let Subscript::Expr { word, .. } = &**subscript {
                        text.extend(codepod_shell_syntax::print::word(word));
                    }
                    text.extend(b"]: bad array subscript");
                    shell.error(text);
                    return Ok(());
                }
                place
            }
        };
        if assign::set(shell, name.name, place, value, false)? {
            return Ok(());
        }
        Err(discard(shell))
    }

    /// Finds out whether every `$name` is a number, before the first assignment.
    #[inline]
    fn check(&mut self, shell: &mut Shell) -> Result<(), Fail> {
        if self.checked {
            return Ok(());
        }
        self.checked = true;
        if all_numbers(shell, self.root) && !reads_assigned(self.root, &mut Vec::new()) {
            Ok(())
        } else {
            Err(Fail::Expand)
        }
    }
}

/// Whether nothing is left of a subscript when it is expanded.
fn is_empty(shell: &Shell, subscript: &Subscript) -> bool {
    let Subscript::Expr { word, .. } = subscript else {
        return false;
    };
    word.parts.iter().all(|part| {
        let Part::Param(param) = part else {
            return false;
        };
        let (Subject::Variable(name), ParamOp::Value, None) =
            (param.subject, &param.op, &param.subscript)
        else {
            return false;
        };
        match &shell.state.variables.get(name).value {
            Value::Unset => !shell.state.set.has(SetOptions::NOUNSET),
            Value::Text(text) => text.is_empty() && !param.indirect,
            _ => false,
        }
    })
}

#[cold]
fn discard(shell: &mut Shell) -> Fail {
    shell.state.status = 1;
    Fail::Stop(Stop::Discard)
}

/// Whether a `$name` is looked at behind an assignment to it: it stands for the value before.
/// `assigned` holds what was assigned so far.
fn reads_assigned(expr: &Expr, assigned: &mut Vec<Name>) -> bool {
    match expr {
        Expr::Number(_) => false,
        Expr::Variable(name) => subscript_reads_assigned(name, assigned),
        Expr::Dollar(Subject::Variable(name)) => assigned.contains(name),
        Expr::Dollar(_) => false,
        Expr::Step { name, .. } => {
            let found = subscript_reads_assigned(name, assigned);
            assigned.push(name.name);
            found
        }
        Expr::Assign(name, op, value) => {
            let found = op.is_some() && subscript_reads_assigned(name, assigned)
                || reads_assigned(value, assigned)
                || subscript_reads_assigned(name, assigned);
            assigned.push(name.name);
            found
        }
        Expr::Unary(_, operand) => reads_assigned(operand, assigned),
        Expr::Binary(_, left, right) | Expr::Logic(_, left, right) | Expr::Comma(left, right) => {
            reads_assigned(left, assigned) || reads_assigned(right, assigned)
        }
        Expr::Ternary(condition, yes, no) => [condition, yes, no]
            .into_iter()
            .any(|part| reads_assigned(part, assigned)),
    }
}

/// Whether a subscript reads what was assigned before; it may assign, too. Nothing but plain
/// `$name` is expanded in it.
fn subscript_reads_assigned(name: &ArithName, assigned: &mut Vec<Name>) -> bool {
    let Some(Subscript::Expr { arith, .. }) = name.subscript.as_deref() else {
        return false;
    };
    let reads = |part: &Part| matches!(part, Part::Param(param) if matches!(param.subject, Subject::Variable(name) if assigned.contains(&name)));
    let inside = arith.word.parts.iter().any(|part| match part {
        Part::Double(inside) => inside.iter().any(reads),
        part => reads(part),
    });
    inside
        || arith
            .expr
            .as_deref()
            .is_some_and(|expr| reads_assigned(expr, assigned))
}

/// Whether every `$name` in an expression is a number.
fn all_numbers(shell: &mut Shell, expr: &Expr) -> bool {
    match expr {
        Expr::Number(_) => true,
        Expr::Variable(_) | Expr::Step { .. } => true,
        Expr::Dollar(subject) => dollar(shell, *subject).is_some(),
        Expr::Unary(_, operand) | Expr::Assign(_, _, operand) => all_numbers(shell, operand),
        Expr::Binary(_, left, right) | Expr::Logic(_, left, right) | Expr::Comma(left, right) => {
            all_numbers(shell, left) && all_numbers(shell, right)
        }
        Expr::Ternary(condition, yes, no) => {
            all_numbers(shell, condition) && all_numbers(shell, yes) && all_numbers(shell, no)
        }
    }
}

/// The value of `$name` where it is a plain number. A sign would belong to what stands before it:
/// `x-$m` may be `x--2`.
#[inline]
fn dollar(shell: &mut Shell, subject: Subject) -> Option<i64> {
    unsigned(shell, subject).filter(|number| *number >= 0)
}

#[inline]
fn unsigned(shell: &mut Shell, subject: Subject) -> Option<i64> {
    match subject {
        Subject::Variable(name) => {
            let variable = shell.state.variables.get(name);
            match &variable.value {
                Value::Text(text) if !variable.attributes.has(Attributes::NAMEREF) => {
                    plain_number(text)
                }
                Value::Unset => None,
                // What changes with every look must not be looked at twice.
                Value::Dynamic => None,
                _ => plain_number(&assign::get(shell, name)?),
            }
        }
        Subject::Positional(0) => None,
        Subject::Positional(number) => {
            plain_number(shell.state.positional.get(number as usize - 1)?)
        }
        Subject::Special(b'#') => Some(shell.state.positional.len() as i64),
        Subject::Special(b'?') => Some(shell.state.status.into()),
        Subject::Special(b'$') => Some(shell.state.pid.into()),
        Subject::Special(_) => None,
    }
}

#[inline]
fn binary(op: ArithOp, left: i64, right: i64, expr: &Expr) -> Result<i64, Fail> {
    Ok(match op {
        ArithOp::Add => left.wrapping_add(right),
        ArithOp::Subtract => left.wrapping_sub(right),
        ArithOp::Multiply => left.wrapping_mul(right),
        ArithOp::Divide | ArithOp::Remainder if right == 0 => {
            return Err(Fail::Error(Problem::Zero(expr)));
        }
        ArithOp::Divide => left.wrapping_div(right),
        ArithOp::Remainder => left.wrapping_rem(right),
        ArithOp::Power if right < 0 => return Err(Fail::Error(Problem::Exponent(expr))),
        ArithOp::Power => power(left, right),
        ArithOp::ShiftLeft => left.wrapping_shl(right as u32),
        ArithOp::ShiftRight => left.wrapping_shr(right as u32),
        ArithOp::Less => i64::from(left < right),
        ArithOp::LessEqual => i64::from(left <= right),
        ArithOp::Greater => i64::from(left > right),
        ArithOp::GreaterEqual => i64::from(left >= right),
        ArithOp::Equal => i64::from(left == right),
        ArithOp::NotEqual => i64::from(left != right),
        ArithOp::And => left & right,
        ArithOp::Xor => left ^ right,
        ArithOp::Or => left | right,
    })
}

fn power(mut base: i64, mut exponent: i64) -> i64 {
    let mut result = 1i64;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
mod tests;
