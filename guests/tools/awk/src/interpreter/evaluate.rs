//! Expressions.

use std::cmp::Ordering;
use std::rc::Rc;

use super::{Awk, DEPTH, Eval, Flow, fatal};
use crate::number;
use crate::regex::Re;
use crate::text::Str;
use crate::tree::{ArrayRef, Compare, Expr, Op, Place, Special, Var};
use crate::value::{Shared, Value};

const NF: usize = Special::NF as usize;
const NR: usize = Special::NR as usize;
const FNR: usize = Special::FNR as usize;

impl Awk {
    /// The value of an expression.
    pub(super) fn eval(&mut self, expr: &Expr) -> Eval<Value> {
        Ok(match expr {
            Expr::Num(number) => Value::Num(*number),
            Expr::Str(text) => Value::Str(text.clone()),
            Expr::TypedRegex(regex) => Value::Regex(Rc::clone(regex)),
            Expr::Var(var) => return self.variable(*var),
            Expr::FieldAt(number) => return self.field(*number),
            Expr::Field(number) => {
                let number = self.field_number(number)?;
                return self.field(number);
            }
            Expr::Element(array, keys) => return self.element(array, keys),
            Expr::Assign(place, value) => {
                let value = match self.eval(value)? {
                    Value::Array(_) => return fatal("attempt to use an array in a scalar context"),
                    value => value,
                };
                self.assign(place, value.clone())?;
                value
            }
            Expr::Append(var, value) => {
                self.append(*var, value)?;
                return self.variable(*var);
            }
            Expr::Concat(parts) => {
                let mut out = Vec::new();
                for part in parts {
                    self.eval_str(part, &mut out)?;
                }
                Value::Str(Str::from(out))
            }
            Expr::Choose(condition, yes, no) => {
                return if self.eval_bool(condition)? {
                    self.eval(yes)
                } else {
                    self.eval(no)
                };
            }
            Expr::Plain(inner) => return self.eval(inner),
            Expr::Call(function, arguments) => return self.call(*function, arguments),
            Expr::Indirect(var, arguments) => {
                let name = self.variable(*var)?.str(&self.convfmt);
                let index = self
                    .program
                    .functions
                    .iter()
                    .position(|function| function.name == name.as_bytes());
                let Some(index) = index else {
                    let name = String::from_utf8_lossy(name.as_bytes()).into_owned();
                    return fatal(format!("function `{name}' not defined"));
                };
                return self.call(index, arguments);
            }
            Expr::Builtin(name, arguments) => return self.builtin(name, arguments),
            Expr::Regex(_)
            | Expr::Match(..)
            | Expr::And(..)
            | Expr::Or(..)
            | Expr::Not(_)
            | Expr::Compare(..)
            | Expr::In(..) => Value::truth(self.eval_bool(expr)?),
            Expr::Group(_) => return fatal("a list is no value"),
            _ => Value::Num(self.eval_num(expr)?),
        })
    }

    /// The number of an expression.
    pub(super) fn eval_num(&mut self, expr: &Expr) -> Eval<f64> {
        Ok(match expr {
            Expr::Num(number) => *number,
            Expr::Var(Var::Global(slot)) if *slot > FNR => match &self.globals[*slot] {
                Value::Num(number) => *number,
                Value::Array(_) => return self.variable(Var::Global(*slot)).map(|_| 0.0),
                value => value.num(),
            },
            Expr::Var(Var::Local(slot)) => match &self.stack[self.base + slot] {
                Value::Num(number) => *number,
                Value::Array(_) => return self.variable(Var::Local(*slot)).map(|_| 0.0),
                value => value.num(),
            },
            Expr::FieldAt(number) if *number > 0 => {
                match self
                    .record
                    .bytes(*number, &self.splitter, self.icase)
                    .or_else(fatal)?
                {
                    Some(bytes) => number::leading(bytes),
                    None => self.field(*number)?.num(),
                }
            }
            Expr::Field(number) => {
                let number = self.field_number(number)?;
                if number == 0 {
                    return Ok(number::leading(self.record.text(&self.ofs, &self.convfmt)));
                }
                match self
                    .record
                    .bytes(number, &self.splitter, self.icase)
                    .or_else(fatal)?
                {
                    Some(bytes) => number::leading(bytes),
                    None => self.field(number)?.num(),
                }
            }
            Expr::Binary(op, left, right) => {
                let left = self.eval_num(left)?;
                let right = self.eval_num(right)?;
                return arithmetic(*op, left, right, "");
            }
            Expr::Update(op, place, value) => return self.update(*op, place, value),
            Expr::Step(place, step, before) => return self.step(place, *step, *before),
            Expr::Minus(operand) => -self.eval_num(operand)?,
            Expr::Plus(operand) => self.eval_num(operand)?,
            Expr::Element(array, keys) => {
                let array = self.array(array)?;
                let key = self.key(keys)?;
                let number = match array.borrow_mut().get_or_make(&key) {
                    Value::Num(number) => *number,
                    value => value.num(),
                };
                self.scratch = key;
                number
            }
            Expr::Getline(source, place) => return self.getline(source, place.as_ref()),
            Expr::Regex(_)
            | Expr::Match(..)
            | Expr::And(..)
            | Expr::Or(..)
            | Expr::Not(_)
            | Expr::Compare(..)
            | Expr::In(..) => f64::from(u8::from(self.eval_bool(expr)?)),
            _ => self.eval(expr)?.num(),
        })
    }

    /// Whether an expression is true.
    pub(super) fn eval_bool(&mut self, expr: &Expr) -> Eval<bool> {
        Ok(match expr {
            Expr::Regex(regex) => {
                let text = self.record.text(&self.ofs, &self.convfmt);
                return regex.is_match(text, self.icase).or_else(fatal);
            }
            Expr::Match(negated, left, right) => {
                let regex = self.regex(right)?;
                let found = match &**left {
                    Expr::FieldAt(0) => {
                        let text = self.record.text(&self.ofs, &self.convfmt);
                        regex.is_match(text, self.icase).or_else(fatal)?
                    }
                    left => {
                        let mut text = std::mem::take(&mut self.scratch);
                        text.clear();
                        self.eval_str(left, &mut text)?;
                        let found = regex.is_match(&text, self.icase).or_else(fatal)?;
                        self.scratch = text;
                        found
                    }
                };
                found != *negated
            }
            Expr::And(left, right) => self.eval_bool(left)? && self.eval_bool(right)?,
            Expr::Or(left, right) => self.eval_bool(left)? || self.eval_bool(right)?,
            Expr::Not(operand) => !self.eval_bool(operand)?,
            Expr::Compare(compare, left, right) => return self.compare(*compare, left, right),
            Expr::In(keys, array) => {
                let key = self.key(keys)?;
                let array = self.array(array)?;
                let found = array.borrow().get(&key).is_some();
                self.scratch = key;
                found
            }
            Expr::Num(number) => *number != 0.0,
            Expr::Binary(..) | Expr::Step(..) | Expr::Update(..) | Expr::Getline(..) => {
                self.eval_num(expr)? != 0.0
            }
            _ => self.eval(expr)?.is_true(),
        })
    }

    /// Appends an expression as a string.
    pub(super) fn eval_str(&mut self, expr: &Expr, out: &mut Vec<u8>) -> Eval<()> {
        match expr {
            Expr::Str(text) => out.extend_from_slice(text.as_bytes()),
            Expr::Num(number) => number::append(*number, &self.convfmt, out),
            Expr::FieldAt(0) => out.extend_from_slice(self.record.text(&self.ofs, &self.convfmt)),
            Expr::FieldAt(number) => {
                match self
                    .record
                    .bytes(*number, &self.splitter, self.icase)
                    .or_else(fatal)?
                {
                    Some(bytes) => out.extend_from_slice(bytes),
                    None => self.field(*number)?.append(&self.convfmt, out),
                }
            }
            Expr::Var(Var::Global(slot))
                if *slot > FNR && !matches!(self.globals[*slot], Value::Array(_)) =>
            {
                self.globals[*slot].append(&self.convfmt, out);
            }
            Expr::Concat(parts) => {
                for part in parts {
                    self.eval_str(part, out)?;
                }
            }
            _ => self.eval(expr)?.append(&self.convfmt, out),
        }
        Ok(())
    }

    /// An expression as a string.
    pub(super) fn text(&mut self, expr: &Expr) -> Eval<Str> {
        if let Expr::Str(text) = expr {
            return Ok(text.clone());
        }
        Ok(self.eval(expr)?.str(&self.convfmt))
    }

    /// The key of a subscript, in the scratch buffer, which the caller puts back.
    pub(super) fn key(&mut self, keys: &[Expr]) -> Eval<Vec<u8>> {
        let mut out = std::mem::take(&mut self.scratch);
        out.clear();
        for (number, key) in keys.iter().enumerate() {
            if number > 0 {
                out.extend_from_slice(&self.subsep);
            }
            self.eval_str(key, &mut out)?;
        }
        Ok(out)
    }

    /// A variable's value.
    pub(super) fn variable(&mut self, var: Var) -> Eval<Value> {
        let value = match var {
            Var::Global(NF) => return Ok(Value::Num(self.count_fields()? as f64)),
            Var::Global(NR) => return Ok(Value::Num(self.nr)),
            Var::Global(FNR) => return Ok(Value::Num(self.fnr)),
            Var::Global(slot) => &self.globals[slot],
            Var::Local(slot) => &self.stack[self.base + slot],
        };
        if let Value::Array(_) = value {
            return fatal(format!(
                "attempt to use array `{}' in a scalar context",
                self.name_of(var)
            ));
        }
        Ok(value.clone())
    }

    pub(super) fn field(&mut self, number: usize) -> Eval<Value> {
        if number == 0 {
            return Ok(self.record.whole(&self.ofs, &self.convfmt));
        }
        self.record
            .field(number, &self.splitter, self.icase)
            .or_else(fatal)
    }

    fn field_number(&mut self, expr: &Expr) -> Eval<usize> {
        let number = match expr {
            Expr::Var(Var::Global(NF)) => return self.count_fields(),
            expr => self.eval_num(expr)?,
        };
        if number <= -1.0 {
            return fatal(format!("attempt to access field {}", number.trunc()));
        }
        if number > 1e7 {
            return fatal(format!("attempt to access field {}", number.trunc()));
        }
        Ok(number as usize)
    }

    fn element(&mut self, array: &ArrayRef, keys: &[Expr]) -> Eval<Value> {
        let array_found = self.array(array)?;
        let key = self.key(keys)?;
        let value = array_found.borrow_mut().get_or_make(&key).clone();
        if let Value::Array(_) = value {
            let key = String::from_utf8_lossy(&key).into_owned();
            let name = self.array_name(array);
            return fatal(format!(
                "attempt to use array `{name}[\"{key}\"]' in a scalar context"
            ));
        }
        self.scratch = key;
        Ok(value)
    }

    /// Stores a value.
    pub(super) fn assign(&mut self, place: &Place, value: Value) -> Eval<()> {
        match place {
            Place::Var(Var::Global(slot)) => self.set_global(*slot, value),
            Place::Var(var @ Var::Local(slot)) => {
                if let Value::Array(_) = self.stack[self.base + slot] {
                    return fatal(format!(
                        "attempt to use array `{}' in a scalar context",
                        self.name_of(*var)
                    ));
                }
                self.stack[self.base + slot] = value;
                Ok(())
            }
            Place::Field(number) => {
                let number = self.field_number(number)?;
                if number == 0 {
                    let text = value.str(&self.convfmt);
                    self.record.set(text.as_bytes());
                    if matches!(value, Value::Str(_)) {
                        self.record.make_plain();
                    }
                    return Ok(());
                }
                self.record
                    .set_field(number, value, &self.splitter, self.icase)
                    .or_else(fatal)
            }
            Place::Element(array, keys) => {
                let array_found = self.array(array)?;
                let key = self.key(keys)?;
                let mut borrowed = array_found.borrow_mut();
                let slot = borrowed.get_or_make(&key);
                if let Value::Array(_) = slot {
                    let key = String::from_utf8_lossy(&key).into_owned();
                    let name = self.array_name(array);
                    return fatal(format!(
                        "attempt to use array `{name}[\"{key}\"]' in a scalar context"
                    ));
                }
                *slot = value;
                drop(borrowed);
                self.scratch = key;
                Ok(())
            }
        }
    }

    /// What is stored at a place.
    pub(super) fn stored(&mut self, place: &Place) -> Eval<Value> {
        match place {
            Place::Var(var) => self.variable(*var),
            Place::Field(number) => {
                let number = self.field_number(number)?;
                self.field(number)
            }
            Place::Element(array, keys) => self.element(array, keys),
        }
    }

    /// `x = x y`
    pub(super) fn append(&mut self, var: Var, more: &Expr) -> Eval<()> {
        let mut out = Vec::new();
        self.eval_str(more, &mut out)?;
        // Watched variables take effect when they are set.
        let plain = match var {
            Var::Global(slot) => slot >= crate::tree::WATCHED,
            Var::Local(_) => true,
        };
        if plain {
            let value = self.slot(var);
            match value {
                Value::Str(text) => {
                    text.push(&out);
                    return Ok(());
                }
                Value::Array(_) => {}
                _ => {
                    let text = std::mem::take(value);
                    let mut whole = Vec::new();
                    text.append(&self.convfmt, &mut whole);
                    whole.extend_from_slice(&out);
                    *self.slot(var) = Value::Str(Str::from(whole));
                    return Ok(());
                }
            }
        }
        let mut whole = Vec::new();
        self.variable(var)?.append(&self.convfmt, &mut whole);
        whole.extend_from_slice(&out);
        self.assign(&Place::Var(var), Value::Str(Str::from(whole)))
    }

    fn update(&mut self, op: Op, place: &Place, value: &Expr) -> Eval<f64> {
        let right = self.eval_num(value)?;
        let sign = match op {
            Op::Div => " in `/='",
            Op::Mod => " in `%='",
            _ => "",
        };
        match place {
            Place::Var(var) if !matches!(var, Var::Global(slot) if *slot < crate::tree::WATCHED) => {
                let slot = self.slot(*var);
                if let Value::Array(_) = slot {
                    return self.variable(*var).map(|_| 0.0);
                }
                let number = arithmetic(op, slot.num(), right, sign)?;
                *slot = Value::Num(number);
                Ok(number)
            }
            Place::Element(array, keys) => {
                let array = self.array(array)?;
                let key = self.key(keys)?;
                let mut borrowed = array.borrow_mut();
                let slot = borrowed.get_or_make(&key);
                let number = arithmetic(op, slot.num(), right, sign)?;
                *slot = Value::Num(number);
                drop(borrowed);
                self.scratch = key;
                Ok(number)
            }
            place => {
                let left = self.stored(place)?.num();
                let number = arithmetic(op, left, right, sign)?;
                self.assign(place, Value::Num(number))?;
                Ok(number)
            }
        }
    }

    fn step(&mut self, place: &Place, step: f64, before: bool) -> Eval<f64> {
        let old = match place {
            Place::Var(var) if !matches!(var, Var::Global(slot) if *slot < crate::tree::WATCHED) => {
                let slot = self.slot(*var);
                if let Value::Array(_) = slot {
                    return self.variable(*var).map(|_| 0.0);
                }
                let old = slot.num();
                *slot = Value::Num(old + step);
                old
            }
            Place::Element(array, keys) => {
                let array = self.array(array)?;
                let key = self.key(keys)?;
                let mut borrowed = array.borrow_mut();
                let slot = borrowed.get_or_make(&key);
                let old = slot.num();
                *slot = Value::Num(old + step);
                drop(borrowed);
                self.scratch = key;
                old
            }
            place => {
                let old = self.stored(place)?.num();
                self.assign(place, Value::Num(old + step))?;
                old
            }
        };
        Ok(if before { old } else { old + step })
    }

    fn compare(&mut self, compare: Compare, left: &Expr, right: &Expr) -> Eval<bool> {
        // A field against a constant is what filters do.
        if let (Expr::FieldAt(number @ 1..), Expr::Num(_) | Expr::Str(_)) = (left, right)
            && let Some(bytes) = self
                .record
                .bytes(*number, &self.splitter, self.icase)
                .or_else(fatal)?
        {
            match right {
                Expr::Num(right) if !bytes.is_empty() => {
                    if let Some(left) = number::whole(bytes) {
                        return Ok(compared(compare, left.partial_cmp(right)));
                    }
                }
                Expr::Str(right) if !self.icase => {
                    return Ok(compared(compare, Some(bytes.cmp(right.as_bytes()))));
                }
                _ => {}
            }
        }
        let left = self.eval(left)?;
        let right = self.eval(right)?;
        Ok(self.compare_values(compare, &left, &right))
    }

    pub(super) fn compare_values(&self, compare: Compare, left: &Value, right: &Value) -> bool {
        if let (Some(left), Some(right)) = (left.numeric(), right.numeric()) {
            // NaN is greater than everything for gawk, and equal to itself.
            if left.is_nan() || right.is_nan() {
                let order = left.is_nan().cmp(&right.is_nan());
                return compared(compare, Some(order));
            }
            return compared(compare, left.partial_cmp(&right));
        }
        compared(compare, Some(self.compare_text(left, right)))
    }

    pub(super) fn compare_text(&self, left: &Value, right: &Value) -> Ordering {
        let (left, right) = (left.str(&self.convfmt), right.str(&self.convfmt));
        if self.icase {
            return fold(left.as_bytes()).cmp(&fold(right.as_bytes()));
        }
        left.as_bytes().cmp(right.as_bytes())
    }

    /// The regular expression that an expression gives.
    pub(super) fn regex(&mut self, expr: &Expr) -> Eval<Rc<Re>> {
        if let Expr::Regex(regex) | Expr::TypedRegex(regex) = expr {
            return Ok(Rc::clone(regex));
        }
        match self.eval(expr)? {
            Value::Regex(regex) => Ok(regex),
            value => {
                let source = value.str(&self.convfmt);
                self.regex_from(source.as_bytes())
            }
        }
    }

    /// Calls a function of the program.
    pub(super) fn call(&mut self, index: usize, arguments: &[Expr]) -> Eval<Value> {
        let program = Rc::clone(&self.program);
        let function = &program.functions[index];
        if arguments.len() > function.parameters.len() {
            let name = String::from_utf8_lossy(&function.name).into_owned();
            return fatal(format!(
                "function `{name}' called with more arguments than declared"
            ));
        }
        let mut values = Vec::with_capacity(function.parameters.len());
        for (position, argument) in arguments.iter().enumerate() {
            values.push(self.argument(argument, function.arrays[position])?);
        }
        values.resize(function.parameters.len(), Value::Unset);
        self.enter(index, values)
    }

    /// Calls a function with values that are there already.
    pub(super) fn enter(&mut self, index: usize, values: Vec<Value>) -> Eval<Value> {
        if self.depth >= DEPTH {
            return fatal(format!("functions call each other more than {DEPTH} deep"));
        }
        let program = Rc::clone(&self.program);
        let function = &program.functions[index];
        let base = std::mem::replace(&mut self.base, self.stack.len());
        let running = self.running.replace(index);
        let line = self.line;
        self.stack.extend(values);
        self.depth += 1;
        let flow = self.block(&function.body);
        self.depth -= 1;
        self.stack.truncate(self.base);
        self.base = base;
        // The place of an error is where it happened: line and function stay.
        let flow = flow?;
        self.running = running;
        self.line = line;
        Ok(match flow {
            Flow::Return => std::mem::take(&mut self.returned),
            _ => Value::Unset,
        })
    }

    /// An argument: arrays go by reference.
    fn argument(&mut self, argument: &Expr, wants_array: bool) -> Eval<Value> {
        match argument {
            Expr::Var(var) => {
                if let Var::Global(0..=FNR) = var {
                    return self.variable(*var);
                }
                let slot = self.slot(*var);
                match slot {
                    Value::Array(array) => Ok(Value::Array(Rc::clone(array))),
                    Value::Unset if wants_array => {
                        let array = Shared::default();
                        *slot = Value::Array(Rc::clone(&array));
                        Ok(Value::Array(array))
                    }
                    value => Ok(value.clone()),
                }
            }
            Expr::Element(array, keys) => {
                let array = self.array(array)?;
                let key = self.key(keys)?;
                let mut borrowed = array.borrow_mut();
                let slot = borrowed.get_or_make(&key);
                if wants_array && matches!(slot, Value::Unset) {
                    *slot = Value::Array(Shared::default());
                }
                let value = slot.clone();
                drop(borrowed);
                self.scratch = key;
                Ok(value)
            }
            other => self.eval(other),
        }
    }
}

/// A text in lower case, for comparing without it.
pub(super) fn fold(text: &[u8]) -> Vec<u8> {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    match std::str::from_utf8(text) {
        Ok(text) => text.to_lowercase().into_bytes(),
        Err(_) => text.to_ascii_lowercase(),
    }
}

fn compared(compare: Compare, order: Option<Ordering>) -> bool {
    let Some(order) = order else {
        return compare == Compare::NotEqual;
    };
    match compare {
        Compare::Less => order == Ordering::Less,
        Compare::LessEqual => order != Ordering::Greater,
        Compare::Equal => order == Ordering::Equal,
        Compare::NotEqual => order != Ordering::Equal,
        Compare::Greater => order == Ordering::Greater,
        Compare::GreaterEqual => order != Ordering::Less,
    }
}

#[inline]
fn arithmetic(op: Op, left: f64, right: f64, sign: &str) -> Eval<f64> {
    let result = match op {
        Op::Add => left + right,
        Op::Sub => left - right,
        Op::Mul => left * right,
        Op::Div if right == 0.0 => return fatal(format!("division by zero attempted{sign}")),
        Op::Div => left / right,
        Op::Mod if right == 0.0 => {
            let sign = if sign.is_empty() { " in `%'" } else { sign };
            return fatal(format!("division by zero attempted{sign}"));
        }
        Op::Mod => left % right,
        Op::Pow => power(left, right),
    };
    Ok(if result.is_nan() {
        nan(left, right)
    } else {
        result
    })
}

/// The NaN of two operands with the sign that it has on the machines that gawk is known from;
/// WebAssembly gives none.
#[cold]
fn nan(left: f64, right: f64) -> f64 {
    match (left.is_nan(), right.is_nan()) {
        (true, _) => left,
        (_, true) => right,
        _ => f64::NAN.copysign(-1.0),
    }
}

/// Integers by multiplication, which is exact as long as it fits.
fn power(base: f64, exponent: f64) -> f64 {
    if exponent.fract() == 0.0 && exponent.abs() < 1024.0 {
        let mut result = 1.0;
        let mut square = base;
        let mut rest = exponent.abs() as u32;
        while rest > 0 {
            if rest & 1 == 1 {
                result *= square;
            }
            square *= square;
            rest >>= 1;
        }
        return if exponent < 0.0 { 1.0 / result } else { result };
    }
    base.powf(exponent)
}
