//! Runs bc's statements.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::rc::Rc;

use codepod_tool::Output;
use num_bigint::BigInt;

use super::syntax::{Argument, Expr, Function, Item, Piece, Place, Stmt};
use crate::math;
use crate::number::Number;

/// How deep functions may call each other.
const DEPTH: usize = 1500;
/// The most digits behind a point.
const SCALE_MAX: i64 = 1 << 20;

/// What a name held before a call: its number, its array, and which of them is meant.
type Saved = (Vec<u8>, Option<Number>, Option<Array>, bool);

type Array = Rc<RefCell<HashMap<i64, Number>>>;

/// How a run ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Stop {
    /// At the end of the text.
    End,
    /// By `quit` or `halt`.
    Quit,
}

/// Why a statement does not simply go on.
enum Halt {
    Quit,
    /// An error was told; the rest of the line is left out.
    Error,
}

enum Flow {
    Normal,
    Break,
    Continue,
    Return(Number),
}

type Run<T> = Result<T, Halt>;

/// bc's state.
#[derive(Debug)]
pub struct Machine {
    out: Output,
    column: usize,
    line_length: usize,
    scale: usize,
    ibase: u32,
    obase: BigInt,
    last: Number,
    names: HashMap<Vec<u8>, Number>,
    arrays: HashMap<Vec<u8>, Array>,
    functions: HashMap<Vec<u8>, Rc<Function>>,
    library: bool,
    function: Vec<u8>,
    depth: usize,
    /// Input behind what is run, for `read()`.
    pub rest: Vec<u8>,
    /// How much `read()` took of it.
    pub taken: usize,
}

impl Default for Machine {
    fn default() -> Machine {
        Machine::new()
    }
}

impl Machine {
    /// Nothing is set yet.
    pub fn new() -> Machine {
        let length = std::env::var("BC_LINE_LENGTH")
            .ok()
            .and_then(|text| text.parse().ok());
        Machine {
            out: Output::new(),
            column: 0,
            line_length: match length {
                Some(0) => usize::MAX,
                Some(length) if length >= 3 => length,
                _ => 70,
            },
            scale: 0,
            ibase: 10,
            obase: BigInt::from(10),
            last: Number::zero(),
            names: HashMap::new(),
            arrays: HashMap::new(),
            functions: HashMap::new(),
            library: false,
            function: b"(main)".to_vec(),
            depth: 0,
            rest: Vec::new(),
            taken: 0,
        }
    }

    /// `-l`
    pub fn use_library(&mut self) {
        self.library = true;
        self.scale = 20;
    }

    /// Writes what was printed.
    pub fn flush(&mut self) {
        self.out.write_out();
    }

    /// Writes the rest and returns the status.
    pub fn finish(&mut self) -> i32 {
        i32::from(self.out.finish().is_err())
    }

    /// Runs what was read.
    pub fn item(&mut self, item: Item) -> Stop {
        let (statements, quits) = match item {
            Item::Define(name, function) => {
                self.functions.insert(name, Rc::new(function));
                return Stop::End;
            }
            Item::Line(statements) => (statements, false),
            // What stands before `quit` on its line is not run: bc reads it first.
            Item::Quit(statements) => (statements, true),
        };
        if quits {
            return Stop::Quit;
        }
        for statement in &statements {
            match self.statement(statement) {
                Ok(Flow::Normal) => {}
                Ok(_) => break,
                Err(Halt::Quit) => return Stop::Quit,
                Err(Halt::Error) => {
                    self.function = b"(main)".to_vec();
                    self.depth = 0;
                    break;
                }
            }
        }
        Stop::End
    }

    fn complain(&mut self, kind: &str, address: usize, message: &str) {
        self.flush();
        let function = String::from_utf8_lossy(&self.function).into_owned();
        let line = format!("Runtime {kind} (func={function}, adr={address}): {message}\n");
        let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
    }

    fn error<T>(&mut self, address: usize, message: &str) -> Run<T> {
        self.complain("error", address, message);
        Err(Halt::Error)
    }

    /// Prints with lines broken as bc breaks them.
    fn put_number(&mut self, number: &Number) {
        let text = number.text(&self.obase, false);
        for byte in text.bytes() {
            self.column += 1;
            if self.column >= self.line_length - 1 {
                self.out.put(b"\\\n");
                self.column = 1;
            }
            self.out.put_byte(byte);
        }
    }

    fn put_text(&mut self, text: &[u8]) {
        for byte in text {
            self.column = if *byte == b'\n' { 0 } else { self.column + 1 };
            self.out.put_byte(*byte);
        }
    }

    fn statement(&mut self, statement: &Stmt) -> Run<Flow> {
        match statement {
            Stmt::Expr(expr) => {
                let value = self.eval(expr)?;
                if let Expr::Assign(..) = expr {
                    return Ok(Flow::Normal);
                }
                if let Expr::Call(name, ..) = expr
                    && self.functions.get(name).is_some_and(|function| function.void)
                {
                    return Ok(Flow::Normal);
                }
                self.put_number(&value);
                self.put_text(b"\n");
                self.last = value;
            }
            Stmt::Text(text) => self.put_text(text),
            Stmt::Print(pieces) => {
                for piece in pieces {
                    match piece {
                        Piece::Text(text) => self.put_text(&unescaped(text)),
                        Piece::Value(expr) => {
                            let value = self.eval(expr)?;
                            self.put_number(&value);
                            self.last = value;
                        }
                    }
                }
            }
            Stmt::If(condition, then, otherwise) => {
                if !self.eval(condition)?.is_zero() {
                    return self.statement(then);
                }
                if let Some(otherwise) = otherwise {
                    return self.statement(otherwise);
                }
            }
            Stmt::While(condition, body) => {
                while !self.eval(condition)?.is_zero() {
                    match self.statement(body)? {
                        Flow::Break => break,
                        Flow::Return(value) => return Ok(Flow::Return(value)),
                        _ => {}
                    }
                }
            }
            Stmt::For(first, condition, step, body) => {
                if let Some(first) = first {
                    self.eval(first)?;
                }
                loop {
                    if let Some(condition) = condition
                        && self.eval(condition)?.is_zero()
                    {
                        break;
                    }
                    match self.statement(body)? {
                        Flow::Break => break,
                        Flow::Return(value) => return Ok(Flow::Return(value)),
                        _ => {}
                    }
                    if let Some(step) = step {
                        self.eval(step)?;
                    }
                }
            }
            Stmt::Block(body) => {
                for statement in body {
                    match self.statement(statement)? {
                        Flow::Normal => {}
                        flow => return Ok(flow),
                    }
                }
            }
            Stmt::Break => return Ok(Flow::Break),
            Stmt::Continue => return Ok(Flow::Continue),
            Stmt::Return(value) => {
                let value = match value {
                    Some(value) => self.eval(value)?,
                    None => Number::zero(),
                };
                return Ok(Flow::Return(value));
            }
            Stmt::Halt => return Err(Halt::Quit),
            Stmt::Limits => self.put_text(
                b"BC_BASE_MAX     = 2147483647\nBC_DIM_MAX      = 16777215\nBC_SCALE_MAX    = 1048576\nBC_STRING_MAX   = 2147483647\nMAX Exponent    = 9223372036854775807\nNumber of vars  = 32767\n",
            ),
            Stmt::Warranty => self.put_text(b"bc (codepod) 0.1.0, MIT or Apache-2.0: there is no warranty.\n"),
        }
        Ok(Flow::Normal)
    }

    fn eval(&mut self, expr: &Expr) -> Run<Number> {
        Ok(match expr {
            Expr::Number(digits) => Number::parse(digits, self.ibase),
            Expr::Group(inner) => return self.eval(inner),
            Expr::Place(place) => return self.get(place),
            Expr::Assign(place, operator, value, address) => {
                let value = self.eval(value)?;
                let value = match operator {
                    b'=' => value,
                    operator => {
                        let old = self.get(place)?;
                        self.binary(*operator, &old, &value, *address)?
                    }
                };
                self.set(place, value.clone(), *address)?;
                value
            }
            Expr::Step(place, step, before) => {
                let old = self.get(place)?;
                let new = old.plus(&Number::integer(*step));
                self.set(place, new.clone(), 0)?;
                if *before { old } else { new }
            }
            Expr::Binary(operator, left, right, address) => {
                let left = self.eval(left)?;
                let right = self.eval(right)?;
                return self.binary(*operator, &left, &right, *address);
            }
            Expr::Compare(compare, left, right) => {
                let left = self.eval(left)?;
                let right = self.eval(right)?;
                let order = left.compare(&right);
                Number::truth(match compare {
                    b'=' => order == Ordering::Equal,
                    b'!' => order != Ordering::Equal,
                    b'<' => order == Ordering::Less,
                    b'l' => order != Ordering::Greater,
                    b'>' => order == Ordering::Greater,
                    _ => order != Ordering::Less,
                })
            }
            Expr::And(left, right) => {
                let truth = !self.eval(left)?.is_zero() && !self.eval(right)?.is_zero();
                Number::truth(truth)
            }
            Expr::Or(left, right) => {
                let truth = !self.eval(left)?.is_zero() || !self.eval(right)?.is_zero();
                Number::truth(truth)
            }
            Expr::Not(operand) => Number::truth(self.eval(operand)?.is_zero()),
            Expr::Minus(operand) => self.eval(operand)?.negated(),
            Expr::Call(name, arguments, address) => return self.call(name, arguments, *address),
            Expr::Builtin(name, argument, address) => {
                let argument = match argument {
                    Some(argument) => Some(self.eval(argument)?),
                    None => None,
                };
                match (*name, argument) {
                    ("length", Some(value)) => Number::integer(value.length() as i64),
                    ("scale", Some(value)) => Number::integer(value.scale() as i64),
                    ("sqrt", Some(value)) => match value.root(self.scale) {
                        Some(root) => root,
                        None => return self.error(*address, "Square root of a negative number"),
                    },
                    _ => self.read(),
                }
            }
        })
    }

    fn binary(
        &mut self,
        operator: u8,
        left: &Number,
        right: &Number,
        address: usize,
    ) -> Run<Number> {
        Ok(match operator {
            b'+' => left.plus(right),
            b'-' => left.minus(right),
            b'*' => left.times(right, self.scale),
            b'/' => match left.divided(right, self.scale) {
                Some(value) => value,
                None => return self.error(address, "Divide by zero"),
            },
            b'%' => match left.rest(right, self.scale) {
                Some(value) => value,
                None => return self.error(address, "Modulo by zero"),
            },
            _ => {
                if right.scale() > 0 {
                    self.complain("warning", address, "non-zero scale in exponent");
                }
                if left.is_zero() && right.is_negative() {
                    return self.error(address, "divide by zero");
                }
                match left.power(right, self.scale) {
                    Some(value) => value,
                    None => return self.error(address, "exponent too large in raise"),
                }
            }
        })
    }

    fn get(&mut self, place: &Place) -> Run<Number> {
        Ok(match place {
            Place::Name(name) => self.names.get(name).cloned().unwrap_or_else(Number::zero),
            Place::Element(name, index) => {
                let index = self.index(index)?;
                let array = self.arrays.get(name);
                array
                    .and_then(|array| array.borrow().get(&index).cloned())
                    .unwrap_or_else(Number::zero)
            }
            Place::Scale => Number::integer(self.scale as i64),
            Place::Ibase => Number::integer(self.ibase.into()),
            Place::Obase => Number::from_integer(self.obase.clone()),
            Place::Last => self.last.clone(),
        })
    }

    fn index(&mut self, index: &Expr) -> Run<i64> {
        let value = self.eval(index)?;
        match value.to_i64() {
            Some(index @ 0..=16_777_215) => Ok(index),
            _ => self.error(0, "Array subscript out of bounds."),
        }
    }

    fn set(&mut self, place: &Place, value: Number, address: usize) -> Run<()> {
        match place {
            Place::Name(name) => {
                self.names.insert(name.clone(), value);
            }
            Place::Element(name, index) => {
                let index = self.index(index)?;
                self.arrays
                    .entry(name.clone())
                    .or_default()
                    .borrow_mut()
                    .insert(index, value);
            }
            Place::Scale => {
                self.scale = match value.to_i64() {
                    Some(scale) if scale < 0 => {
                        self.complain("warning", address, "negative scale, set to 0");
                        0
                    }
                    Some(scale) if scale <= SCALE_MAX => scale as usize,
                    _ => {
                        self.complain(
                            "warning",
                            address,
                            &format!("scale too large, set to {SCALE_MAX}"),
                        );
                        SCALE_MAX as usize
                    }
                }
            }
            Place::Ibase => {
                self.ibase = match value.to_i64() {
                    Some(base) if base < 2 => {
                        self.complain("warning", address, "ibase too small, set to 2");
                        2
                    }
                    Some(base) if base <= 36 => base as u32,
                    _ => {
                        self.complain("warning", address, "ibase too large, set to 36");
                        36
                    }
                }
            }
            Place::Obase => {
                self.obase = match value.to_i64() {
                    Some(base) if base < 2 => {
                        self.complain("warning", address, "obase too small, set to 2");
                        BigInt::from(2)
                    }
                    Some(base) if base <= 2_147_483_647 => BigInt::from(base),
                    _ => {
                        self.complain("warning", address, "obase too large, set to 2147483647");
                        BigInt::from(2_147_483_647)
                    }
                }
            }
            Place::Last => self.last = value,
        }
        Ok(())
    }

    /// The next number of the input.
    fn read(&mut self) -> Number {
        let rest = &self.rest[self.taken..];
        let length = rest
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(rest.len(), |newline| newline + 1);
        let line = rest[..length].trim_ascii().to_vec();
        self.taken += length;
        let (negative, digits) = match line.strip_prefix(b"-") {
            Some(digits) => (true, digits),
            None => (false, line.as_slice()),
        };
        let good: Vec<u8> = digits
            .iter()
            .copied()
            .take_while(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase() || *byte == b'.')
            .collect();
        let value = Number::parse(&good, self.ibase);
        if negative { value.negated() } else { value }
    }

    fn call(&mut self, name: &[u8], arguments: &[Argument], address: usize) -> Run<Number> {
        let Some(function) = self.functions.get(name).cloned() else {
            return self.library(name, arguments, address);
        };
        if arguments.len() != function.parameters.len() {
            return self.error(address, "Parameter number mismatch");
        }
        if self.depth >= DEPTH {
            return self.error(address, "functions call each other too deeply");
        }
        enum Given {
            Value(Number),
            Array(Array),
        }
        let mut given = Vec::new();
        for (argument, parameter) in arguments.iter().zip(&function.parameters) {
            match argument {
                Argument::Value(_) | Argument::Array(_)
                    if matches!(argument, Argument::Array(_)) != parameter.array =>
                {
                    let shown = String::from_utf8_lossy(&parameter.name).into_owned();
                    return self.error(
                        address,
                        &format!("Parameter type mismatch parameter {shown}."),
                    );
                }
                Argument::Value(expr) => given.push(Given::Value(self.eval(expr)?)),
                Argument::Array(array) => {
                    let array = Rc::clone(self.arrays.entry(array.clone()).or_default());
                    let array = match parameter.reference {
                        true => array,
                        false => Rc::new(RefCell::new(array.borrow().clone())),
                    };
                    given.push(Given::Array(array));
                }
            }
        }
        // What the names held before comes back afterwards.
        let mut saved: Vec<Saved> = Vec::new();
        for (parameter, given) in function.parameters.iter().zip(given) {
            let name = parameter.name.clone();
            match given {
                Given::Value(value) => {
                    let old = self.names.insert(name.clone(), value);
                    saved.push((name, old, None, false));
                }
                Given::Array(array) => {
                    let old = self.arrays.insert(name.clone(), array);
                    saved.push((name, None, old, true));
                }
            }
        }
        for local in &function.locals {
            let name = local.name.clone();
            if local.array {
                let old = self.arrays.remove(&name);
                saved.push((name, None, old, true));
            } else {
                let old = self.names.remove(&name);
                saved.push((name, old, None, false));
            }
        }
        self.depth += 1;
        let caller = std::mem::replace(&mut self.function, name.to_vec());
        let mut result = Ok(Number::zero());
        for statement in &function.body {
            match self.statement(statement) {
                Ok(Flow::Return(value)) => {
                    result = Ok(value);
                    break;
                }
                Ok(_) => {}
                Err(halt) => {
                    result = Err(halt);
                    break;
                }
            }
        }
        if result.is_ok() {
            self.function = caller;
            self.depth -= 1;
        }
        for (name, value, array, is_array) in saved.into_iter().rev() {
            if is_array {
                match array {
                    Some(array) => self.arrays.insert(name, array),
                    None => self.arrays.remove(&name),
                };
            } else {
                match value {
                    Some(value) => self.names.insert(name, value),
                    None => self.names.remove(&name),
                };
            }
        }
        result
    }

    /// The functions of `-l`.
    fn library(&mut self, name: &[u8], arguments: &[Argument], address: usize) -> Run<Number> {
        let wanted = match name {
            b"e" | b"l" | b"s" | b"c" | b"a" => 1,
            b"j" => 2,
            _ => 0,
        };
        if !self.library || wanted == 0 {
            let shown = String::from_utf8_lossy(name).into_owned();
            return self.error(address, &format!("Function {shown} not defined."));
        }
        let mut values = Vec::new();
        for argument in arguments {
            match argument {
                Argument::Value(expr) => values.push(self.eval(expr)?),
                Argument::Array(_) => return self.error(address, "Parameter type mismatch"),
            }
        }
        if values.len() != wanted {
            return self.error(address, "Parameter number mismatch");
        }
        let (x, scale) = (&values[0], self.scale);
        let result = match name {
            b"e" => math::exp(x, scale),
            b"l" => Some(math::ln(x, scale)),
            b"s" => Some(math::sin(x, scale)),
            b"c" => Some(math::cos(x, scale)),
            b"a" => Some(math::atan(x, scale)),
            _ => math::bessel(x, &values[1], scale),
        };
        match result {
            Some(value) => Ok(value),
            None => self.error(address, "the number is too large for this function"),
        }
    }
}

/// The escapes of `print`.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        if *byte != b'\\' {
            out.push(*byte);
            continue;
        }
        match bytes.next() {
            Some(b'a') => out.push(7),
            Some(b'b') => out.push(8),
            Some(b'f') => out.push(12),
            Some(b'n') => out.push(b'\n'),
            Some(b'q') => out.push(b'"'),
            Some(b'r') => out.push(b'\r'),
            Some(b't') => out.push(b'\t'),
            Some(b'\\') => out.push(b'\\'),
            // Another one means nothing.
            Some(_) => {}
            None => {}
        }
    }
    out
}
